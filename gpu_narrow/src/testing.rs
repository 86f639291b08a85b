//! For tests: an adapter, or a skip that is seen and counted.

use std::io::Write;

use crate::device::{self, adapter};
use crate::{AdapterChoice, choose, wgpu};

/// A device of that adapter, as a caller would lend it; `None` where the test is skipped.
///
/// # Panics
/// As [`adapter_or_skip`], and where the adapter gives no device.
pub fn device_or_skip(test: &str) -> Option<(wgpu::Device, wgpu::Queue)> {
    let choice = adapter_or_skip(test)?;
    let adapter = adapter::take(&choice).expect("the adapter is there again");
    Some(device::open(adapter).expect("the adapter gives a device"))
}

/// The adapter that GPU tests run on: hardware, else software.
///
/// Without one the test is skipped: a line that the test harness does not swallow says so, and one more
/// goes to the file that `IMPINGE_SKIP_LOG` names, where `./test.sh` counts them.
///
/// # Panics
/// Where `CI` is `true`: there a skip is a failure.
pub fn adapter_or_skip(test: &str) -> Option<AdapterChoice> {
    let Err(error) = choose(&AdapterChoice::Any) else { return Some(AdapterChoice::Any) };
    let line = format!("SKIPPED {test}: {error}");
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{line}");
    // Not `eprintln`, which the harness shows for failed tests alone.
    let _ = writeln!(std::io::stderr(), "{line}");
    if let Ok(log) = std::env::var("IMPINGE_SKIP_LOG") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(log);
        let _ = file.and_then(|mut file| writeln!(file, "{line}"));
    }
    None
}
