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

/// What a pair costs, and its patches.
struct Work {
    /// Comparisons of boxes where features are clustered.
    comparisons: u64,
    /// Comparisons of boxes in the trees.
    box_tests: u64,
    counts: NarrowCounts,
    patches: usize,
}

impl Work {
    /// All that is done for pairs of triangles, before views.
    fn sum(&self) -> u64 {
        self.comparisons + self.box_tests + self.counts.triangle_tests + self.counts.degenerate
    }
}

/// The work for a pair whose candidates the midphase finds.
fn work(a: &TriMesh, b: &TriMesh, pose: Pose) -> Work {
    let shapes = [a, b].map(|mesh| PreparedShape::new(&mesh.clone().into()));
    let (mut scratch, settings) = (NarrowScratch::default(), by_views());
    let (mut batch, mut out) = (CandidateBatch::default(), PairResult::default());
    let [a, b] = [(0, Pose::identity()), (1, pose)].map(|(k, pose)| Placed { shape: &shapes[k], pose });
    let mut found = MidphaseCounts::default();
    impinge_midphase::find(0, a, b, 0.0, &mut batch, &mut found);
    for job in &batch.jobs {
        run(job, &batch, &settings, &mut NarrowMemory::default(), &mut scratch, &mut out);
    }
    // Pairs that are deep in each other have none.
    let features = scratch.mesh_mesh.features.get_or_fill(|_| ());
    Work {
        comparisons: features.comparisons(),
        box_tests: found.box_tests,
        counts: out.counts,
        patches: out.patches.len(),
    }
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
            let Work { comparisons, patches, .. } = work(mesh, mesh, pose);
            let triangles = mesh.triangles().len() as u64;
            assert!(
                comparisons <= 40 * triangles,
                "{name}: {comparisons} comparisons, {triangles} triangles"
            );
            assert_eq!(patches, 1, "{name}");
        }
    }
}

/// Where every triangle meets a few others, all work is in proportion to the number of triangles, and views cost the same.
#[test]
fn flush_plates_and_copies_cost_in_proportion_to_their_triangles() {
    for flush in [true, false] {
        let mut before: Option<(u64, u64)> = None;
        for size in [1u32, 2, 4] {
            let mesh = if flush { plate(12 * size) } else { sphere_mesh(1.0, 20 * size, 14 * size) };
            let pose = if flush { shift(0.0, 0.0, f64::from(0.1f32)) } else { Pose::identity() };
            let found = work(&mesh, &mesh, pose);
            let triangles = mesh.triangles().len() as u64;
            assert!(found.sum() <= 80 * triangles, "flush {flush}: {} for {triangles}", found.sum());
            let views = found.counts.fragments + found.counts.columns;
            assert!(found.counts.views == 1 && views < 2_000, "flush {flush}: {:?}", found.counts);
            if let Some((sum, fewer)) = before {
                let (growth, most) = (found.sum() as f64 / sum as f64, triangles as f64 / fewer as f64);
                assert!(growth < 1.2 * most, "flush {flush}: {growth} for {most} times the triangles");
            }
            before = Some((found.sum(), triangles));
        }
    }
}

/// Copies in one place and fans round one corner, all of whose triangles meet there, cost no more than three times
/// what they do a tenth of a millimetre aside.
#[test]
fn what_coincides_costs_no_more_than_three_times_what_is_a_little_aside() {
    let aside = shift(1e-4, 0.7e-4, 0.5e-4);
    for (name, mesh) in [("copies", sphere_mesh(1.0, 64, 48)), ("fans", fan(300))] {
        let [here, there] = [Pose::identity(), aside].map(|pose| work(&mesh, &mesh, pose));
        assert!(here.sum() <= 3 * there.sum(), "{name}: {} and {}", here.sum(), there.sum());
        assert!(here.counts.fragments <= 3 * there.counts.fragments, "{name}");
    }
}
