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
    writeln!(out, "gpu   none: this build has no GPU passes")?;
    writeln!(out, "auto  uses the {}, because there is nothing else", world.backend())?;
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
