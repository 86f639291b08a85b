//! Two gears' worth of contact in thirty lines: load a mesh, place it twice, read the contacts.
//!
//! `cargo run --release --example hello`

use impinge::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::builder().build()?;

    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/assets/gear.ply");
    let gear = world.add_shape(TriMesh::load(path)?)?;
    let radius = f64::from(world.shape(gear)?.bounding_sphere().radius);

    world.add_collider(Collider::new(gear))?;
    let turned = UnitQuaternion::from_euler_angles(0.4, 0.2, 0.0);
    let pose = Isometry3::from_parts(Translation3::new(1.2 * radius, 0.1 * radius, 0.05), turned);
    world.add_collider(Collider::new(gear).pose(pose))?;

    let report = world.step();
    println!("{} pair(s), {} manifold(s)", report.counts.pairs, report.counts.manifolds);
    for manifold in world.manifolds() {
        println!(
            "{} meets {}: depth {:.4} m along {:.3?}, volume {:.3e} m3",
            manifold.colliders[0],
            manifold.colliders[1],
            manifold.depth,
            manifold.normal.as_slice(),
            manifold.volume,
        );
        for point in &manifold.points {
            println!("  {:.3?}  depth {:.4} m", point.position.coords.as_slice(), point.depth);
        }
    }
    Ok(())
}
