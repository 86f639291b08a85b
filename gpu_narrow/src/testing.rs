//! For tests: an adapter, or a skip that is seen and counted.

use std::io::Write;

use crate::{AdapterChoice, choose};

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
