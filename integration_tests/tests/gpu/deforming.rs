//! Meshes whose vertices move: their places are sent again, and the device's answers are of the new ones.

use std::sync::Arc;

use impinge::prelude::*;
use impinge_scenes::mesh::{Knot, Torus};

use crate::{gpu_work, on_cpu, on_gpu};

/// Two knots and a torus, one shape of which deforms.
fn world(builder: impinge::WorldBuilder) -> (World, Arc<TriMesh>, ShapeId) {
    let mut world = builder.build().unwrap();
    let knot = Arc::new(Knot { along: 40, across: 8, ..Knot::default() }.mesh().unwrap());
    let soft = world.add_shape(Arc::clone(&knot)).unwrap();
    let torus = world.add_shape(Torus::default().mesh().unwrap()).unwrap();
    for (shape, at) in [(soft, [0.0, 0.0, 0.0]), (torus, [0.3, 0.1, 0.05]), (soft, [-0.3, 0.25, 0.1])] {
        world.add_collider(Collider::new(shape).position(at)).unwrap();
    }
    (world, knot, soft)
}

#[test]
fn a_mesh_that_deforms_has_the_cpu_s_contacts_to_the_bit() {
    let Some(builder) = on_gpu("deforming") else { return };
    let ((mut gpu, knot, soft), (mut cpu, ..)) = (world(builder), world(on_cpu()));
    let mut jobs = 0;
    for step in 0..6 {
        let wave = 0.04 * step as f32;
        let bent = |p: &Point3<f32>| Point3::new(p.x + wave * (6.0 * p.y).sin(), p.y, p.z * (1.0 + wave));
        let places: Vec<Point3<f32>> = knot.vertices().iter().map(bent).collect();
        for world in [&mut gpu, &mut cpu] {
            world.set_vertices(soft, &places).unwrap();
        }
        let (report, _) = (gpu.step(), cpu.step());
        let [done, redone, lost] = gpu_work(&report);
        assert_eq!((redone, lost), (0, 0), "step {step}");
        jobs += done;
        assert!(!cpu.manifolds().is_empty());
        assert_eq!(gpu.manifolds(), cpu.manifolds(), "step {step}");
    }
    assert!(jobs > 0, "the device has done nothing");
}
