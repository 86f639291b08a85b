//! `impinge devices`: what there is to run on.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use impinge::{Backend, World};

/// Prints the CPU, the GPUs, and which would be used.
pub fn run() -> Result<ExitCode> {
    let world = World::builder().backend(Backend::Auto).build()?;
    let mut out = std::io::stdout().lock();
    let threads = world.threads();
    writeln!(
        out,
        "cpu   {threads} worker thread{} (one per core), {}, SIMD found: {}",
        if threads == 1 { "" } else { "s" },
        std::env::consts::ARCH,
        simd(),
    )?;
    let (devices, hardware) = impinge::devices();
    if devices.is_empty() {
        writeln!(out, "gpu   none")?;
    }
    for device in &devices {
        let software = if device.software { " (software: right, but far slower than the CPU)" } else { "" };
        let lacks = device.lacks.as_ref().map_or(String::new(), |lacks| format!(": cannot be used, {lacks}"));
        writeln!(out, "gpu   {}{software}{lacks}", device.description)?;
    }
    match (world.adapter(), hardware) {
        (Some(adapter), _) => {
            writeln!(out, "auto  uses the {}, because hardware was found: {adapter}", world.backend())?;
        }
        (None, Ok(adapter)) => {
            writeln!(out, "auto  uses the {}, because {adapter} gave no device", world.backend())?;
        }
        (None, Err(reason)) => writeln!(out, "auto  uses the {}, because: {reason}", world.backend())?,
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(target_arch = "x86_64")]
fn simd() -> String {
    let found = [
        ("SSE4.2", std::arch::is_x86_feature_detected!("sse4.2")),
        ("AVX2", std::arch::is_x86_feature_detected!("avx2")),
        ("AVX-512F", std::arch::is_x86_feature_detected!("avx512f")),
    ];
    let names: Vec<&str> = found.into_iter().filter(|f| f.1).map(|f| f.0).collect();
    if names.is_empty() { "SSE2".into() } else { names.join(", ") }
}

#[cfg(not(target_arch = "x86_64"))]
fn simd() -> String {
    if cfg!(target_feature = "neon") { "NEON".into() } else { "none".into() }
}
