//! Surfaces that lie in each other: no more work than for the same a little apart.

use impinge_midphase::{MidphaseCounts, Placed};
use impinge_scenes::fixtures::sphere_mesh;

use super::*;

/// A slab of 1 × 1 × 0.1 whose upper and lower sides have `cells`² squares, of 4 `cells`² + 8 `cells` triangles.
fn plate(cells: u32) -> TriMesh {
    let row = cells + 1;
    let at = |layer: u32, i: u32, j: u32| layer * row * row + j * row + i;
    let mut vertices = Vec::new();
    for z in [0.0f32, 0.1] {
        for j in 0..row {
            vertices
                .extend((0..row).map(|i| Point3::new(i as f32 / cells as f32, j as f32 / cells as f32, z)));
        }
    }
    let mut triangles = Vec::new();
    for j in 0..cells {
        for i in 0..cells {
            let [a, b, c, d] = [at(1, i, j), at(1, i + 1, j), at(1, i + 1, j + 1), at(1, i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
            let [a, b, c, d] = [at(0, i, j), at(0, i + 1, j), at(0, i + 1, j + 1), at(0, i, j + 1)];
            triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    for k in 0..cells {
        for [p, q] in [
            [[k, 0], [k + 1, 0]],
            [[cells, k], [cells, k + 1]],
            [[cells - k, cells], [cells - k - 1, cells]],
            [[0, cells - k], [0, cells - k - 1]],
        ] {
            let [a, b, c, d] = [at(0, p[0], p[1]), at(0, q[0], q[1]), at(1, q[0], q[1]), at(1, p[0], p[1])];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// A double cone of `sides`: two fans.
fn fan(sides: u32) -> TriMesh {
    let mut vertices = vec![Point3::new(0.0, 0.0, 0.2), Point3::new(0.0, 0.0, -0.2)];
    for k in 0..sides {
        let (sin, cos) = (f64::from(k) / f64::from(sides) * std::f64::consts::TAU).sin_cos();
        vertices.push(Point3::new(cos as f32, sin as f32, 0.0));
    }
    let at = |k: u32| 2 + k % sides;
    let triangles = (0..sides).flat_map(|k| [[0, at(k), at(k + 1)], [1, at(k + 1), at(k)]]).collect();
    TriMesh::new(vertices, triangles).unwrap()
}

/// Comparisons of boxes for a pair whose candidates the midphase finds, and its patches.
fn work(a: &TriMesh, b: &TriMesh, pose: Pose) -> (u64, usize) {
    let shapes = [a, b].map(|mesh| PreparedShape::new(&mesh.clone().into()));
    let (mut scratch, settings) = (NarrowScratch::default(), NarrowSettings::default());
    let (mut batch, mut out) = (CandidateBatch::default(), PairResult::default());
    let [a, b] = [(0, Pose::identity()), (1, pose)].map(|(k, pose)| Placed { shape: &shapes[k], pose });
    impinge_midphase::find(0, a, b, 0.0, &mut batch, &mut MidphaseCounts::default());
    for job in &batch.jobs {
        run(job, &batch, &settings, &mut NarrowMemory::default(), &mut scratch, &mut out);
    }
    (scratch.mesh_mesh.features.comparisons(), out.patches.len())
}

/// Copies of a mesh in one place, plates flush on each other, fans round one corner: the features of the intersection are
/// clustered with a few comparisons for each triangle, whatever their number.
#[test]
fn comparisons_grow_hardly_faster_than_the_number_of_triangles() {
    let none = Pose::identity();
    let high = shift(0.0, 0.0, f64::from(0.1f32));
    for size in [1u32, 2, 4] {
        let ball = sphere_mesh(1.0, 8 * size, 6 * size);
        let (flat, cones) = (plate(5 * size), fan(20 * size));
        for (name, mesh, pose) in [("copies", &ball, none), ("plates", &flat, high), ("fans", &cones, none)] {
            let (comparisons, patches) = work(mesh, mesh, pose);
            let triangles = mesh.triangles().len() as u64;
            assert!(
                comparisons <= 40 * triangles,
                "{name}: {comparisons} comparisons, {triangles} triangles"
            );
            assert_eq!(patches, 1, "{name}");
        }
    }
}
