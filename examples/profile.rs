//! Records a step-by-step profile as a Chrome trace: open the file in `chrome://tracing` or
//! <https://ui.perfetto.dev>. Every stage and pass is a span that carries its counts.
//!
//! `cargo run --release --example profile [-- FILE]` (default `out/trace.json`)

use std::path::PathBuf;

use impinge::prelude::*;
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};
use tracing_chrome::ChromeLayerBuilder;
use tracing_subscriber::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("out/trace.json"), PathBuf::from);
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let (layer, guard) = ChromeLayerBuilder::new().file(&file).include_args(true).build();
    tracing_subscriber::registry().with(layer).init();

    let mut simulator = heap()?;
    for _ in 0..60 {
        simulator.step(1.0 / 60.0)?;
    }
    drop(guard); // writes the rest of the file
    println!("{}: {} bytes", file.display(), std::fs::metadata(&file)?.len());
    Ok(())
}

/// Twenty links of chain over a floor.
fn heap() -> Result<Simulator, Box<dyn std::error::Error>> {
    let mut world = World::builder().build()?;
    let link = TriMesh::load(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/assets/link.stl"))?;
    let size = 2.2 * f64::from(link.bounding_sphere().radius);
    let link = world.add_shape(link)?;
    let floor = world.add_shape(Shape::half_space())?;
    let mut simulator = Simulator::new(world, SimulatorSettings::default())?;
    simulator.add_body(BodyDesc::fixed(floor))?;
    for i in 0..20 {
        let position = Translation3::new(
            f64::from(i % 2) * size,
            f64::from(i / 2 % 2) * size,
            f64::from(i / 4 + 1) * size,
        );
        let turned = UnitQuaternion::from_euler_angles(0.3 * f64::from(i), 0.7 * f64::from(i), 0.0);
        simulator.add_body(BodyDesc::new(link).pose(Isometry3::from_parts(position, turned)))?;
    }
    Ok(simulator)
}
