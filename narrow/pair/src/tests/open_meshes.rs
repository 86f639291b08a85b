//! Surfaces with holes: no point and no depth beyond what their crossing spans.

use impinge_image_space::view::Extent;
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};
use impinge_scenes::mesh::Blob;
use proptest::prelude::*;

use super::*;

/// A scan: a lumpy ball of 15 cm in which one triangle in `every` is missing.
fn scan(seed: u64, every: u64) -> TriMesh {
    let blob = Blob { radius: 0.06, bump: 0.015, bumps: 12, width: 0.5, subdivisions: 3, seed };
    holes(&blob.mesh().unwrap(), seed, every)
}

/// A mesh without one triangle in `every`, picked at random.
fn holes(mesh: &TriMesh, seed: u64, every: u64) -> TriMesh {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut kept = mesh.triangles().to_vec();
    kept.retain(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        !(state >> 33).is_multiple_of(every)
    });
    TriMesh::new(mesh.vertices().to_vec(), kept).unwrap()
}

/// A pot whose parts stick in each other, as modellers make them: a belly open at the top, a lid, half a ring
/// for a handle, and a spout without ends.
fn pot() -> TriMesh {
    let belly = sphere_mesh(0.1, 24, 16);
    let below = |t: &[u32; 3]| t.iter().all(|&v| belly.vertices()[v as usize].z < 0.06);
    let belly =
        TriMesh::new(belly.vertices().to_vec(), belly.triangles().iter().copied().filter(below).collect());
    let lid = sphere_mesh(0.12, 24, 24);
    let above = |t: &[u32; 3]| t.iter().all(|&v| lid.vertices()[v as usize].z > 0.1);
    let lid = TriMesh::new(lid.vertices().to_vec(), lid.triangles().iter().copied().filter(above).collect());
    let ring = torus(0.05, 0.01, 24, 8);
    let outer = |t: &[u32; 3]| t.iter().all(|&v| ring.vertices()[v as usize].x > -0.02);
    let ring =
        TriMesh::new(ring.vertices().to_vec(), ring.triangles().iter().copied().filter(outer).collect());
    let spout = box_mesh([0.06, 0.015, 0.015]);
    let spout = TriMesh::new(spout.vertices().to_vec(), spout.triangles()[..8].to_vec());
    let parts = [
        (belly.unwrap(), Vector3::zeros()),
        (lid.unwrap(), Vector3::new(0.0, 0.0, -0.045)),
        (ring.unwrap(), Vector3::new(0.08, 0.0, 0.0)),
        (spout.unwrap(), Vector3::new(-0.12, 0.0, 0.02)),
    ];
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (mesh, at) in &parts {
        let base = vertices.len() as u32;
        vertices.extend(mesh.vertices().iter().map(|v| v + at));
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + base)));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// The box that two bodies share (m, pair frame).
fn shared(a: &TriMesh, b: &TriMesh, pose: &Pose) -> Extent {
    let shapes = [a, b].map(|mesh| PreparedShape::new(&mesh.clone().into()));
    let frame = PairFrame::new(&Pose::identity(), pose);
    let [[low_a, high_a], [low_b, high_b]] =
        [0, 1].map(|k| corners_of(&shapes[k], &frame, Side::BOTH[k]).map(|p| p.coords));
    Extent { min: low_a.sup(&low_b).into(), max: high_a.inf(&high_b).into() }
}

/// No point is beyond the box that the bodies share, nor deeper than it is long.
fn bounded(a: &TriMesh, b: &TriMesh, pose: Pose) -> Result<(), TestCaseError> {
    let out = ask(a, b, pose);
    let extent = shared(a, b, &pose);
    let slack = 1e-3 * extent.longest();
    let extent = extent.grown(slack);
    let size: Vector3<f64> = Vector3::from_fn(|k, _| extent.size(k));
    for patch in &out.patches {
        prop_assert!(patch.depth <= size.norm(), "{:?} deep by {}", patch.origin, patch.depth);
        prop_assert!(patch.radius <= size.norm(), "{:?} of radius {}", patch.origin, patch.radius);
        for p in &patch.points {
            for at in [p.on_a, p.on_b] {
                let inside = (0..3).all(|k| (extent.min[k]..=extent.max[k]).contains(&at[k]));
                prop_assert!(inside, "{:?}: {at} is not in {extent:?}", patch.origin);
            }
        }
        prop_assert!(patch.centroid.coords.amax() < 10.0 && patch.pressure_center.coords.amax() < 1e3);
    }
    Ok(())
}

/// A scan of 15 cm with holes against itself, 5.5 cm aside.
#[test]
fn a_scan_with_holes_against_itself() {
    for seed in 0..40 {
        let scan = scan(seed, 12);
        bounded(&scan, &scan, shift(0.05, 0.02, 0.01)).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn no_open_surface_gives_a_contact_beyond_the_overlap(
        turn in [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64],
        t in [-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64],
        which in 0..6usize,
        seed in 0..1000u64,
        every in prop_oneof![Just(2u64), Just(5), Just(20), Just(200)],
        straight in any::<bool>(),
    ) {
        let (a, b) = match which {
            0 => (scan(seed, every), scan(seed, every)),
            1 => (scan(seed, every), scan(seed + 1, every)),
            2 => (pot(), pot()),
            3 => (pot(), scan(seed, every)),
            4 => (holes(&sphere_mesh(0.07, 20, 12), seed, every), box_mesh([0.05, 0.06, 0.04])),
            _ => (pot(), torus(0.08, 0.02, 24, 12)),
        };
        let q = if straight { UnitQuaternion::identity() } else { UnitQuaternion::from_scaled_axis(turn.into()) };
        let t: Vector3<f64> = Vector3::from(t) * 0.12;
        bounded(&a, &b, placed(t.x, t.y, t.z, q))?;
        bounded(&b, &a, placed(t.x, t.y, t.z, q))?;
    }
}
