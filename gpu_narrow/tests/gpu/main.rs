//! The passes on a GPU against their twins on the CPU, fed with the same inputs, and what happens when
//! the device fails. Runs on any adapter, software ones included.

mod captures;
mod classic;
mod faults;
mod intersect;
mod ldi;
mod manifolds;
mod map_faults;
mod map_parts;
mod maps;
mod patch_reference;
mod scenes;
mod snap;
mod solids;
mod views;
mod volumes;

use impinge_gpu_narrow::{Engine, EngineSettings, testing};

/// An engine with the given settings; `None` where there is no adapter, and the test is skipped.
fn engine_with(test: &str, change: impl FnOnce(&mut EngineSettings)) -> Option<Engine> {
    let adapter = testing::adapter_or_skip(test)?;
    let mut settings = EngineSettings { adapter, ..EngineSettings::default() };
    change(&mut settings);
    Some(Engine::new(settings).expect("the adapter runs the passes"))
}

/// An engine with the usual settings.
fn engine(test: &str) -> Option<Engine> {
    engine_with(test, |_| ())
}
