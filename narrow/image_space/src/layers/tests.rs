use impinge_geometry::{SimdLevel, TriMesh};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::*;
use crate::coverage::{Corners, cover};
use crate::view::{Axes, Extent};
use impinge_scenes::fixtures::{box_mesh, torus};

/// Sum of signs and number of fragments of each side, for every pixel with any.
fn parity(layers: &mut Layers) -> (usize, usize) {
    let (mut columns, mut odd) = (0, 0);
    let [width, height] = layers.size();
    for j in 0..height {
        for i in 0..width {
            let fragments = layers.sorted(i, j);
            if fragments.is_empty() {
                continue;
            }
            columns += 1;
            let mut sums = [0i32; 2];
            for f in fragments {
                sums[f.body()] += if f.is_front() { 1 } else { -1 };
            }
            odd += usize::from(sums != [0, 0]);
        }
    }
    (columns, odd)
}

fn direction() -> impl Strategy<Value = Vector3<f64>> {
    // Along the axes and face diagonals as often as anywhere: that is where centres lie on edges.
    let whole = prop::array::uniform3(-1i32..=1).prop_map(|d| Vector3::from(d.map(f64::from)));
    let any = prop::array::uniform3(-1.0f64..1.0).prop_map(Vector3::from);
    prop_oneof![whole, any].prop_filter("a direction", |d| d.norm() > 0.1).prop_map(|d| d.normalize())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// On closed meshes every line goes out as often as it goes in, whatever the view: also where
    /// vertices, edges and whole faces fall on the lines.
    #[test]
    fn no_column_of_a_closed_mesh_is_odd(
        d in direction(),
        center in prop::array::uniform3(-1.0f64..1.0),
        whole in any::<bool>(),
        size in prop_oneof![Just(2.0f64), 1e-6..4.0f64],
    ) {
        let meshes = [torus(1.0, 0.25, 24, 12), box_mesh([1.0, 0.5, 0.25])];
        let trees = [0, 1].map(|k| ObbTree::build(&meshes[k]));
        let frame = PairFrame::new(
            &Isometry3::identity(),
            &Isometry3::from_parts(Translation3::new(0.5, 0.0, 0.25), UnitQuaternion::identity()),
        );
        let center = if whole { [0.0; 3] } else { center };
        let axes = Axes::along(&d);
        let c = axes.coordinates(&Vector3::from(center));
        let extent = Extent { min: c.map(|x| x - 0.5 * size), max: c.map(|x| x + 0.5 * size) };
        let view = View::of_extent(&axes, &extent, 16, 1e-12);
        let bodies = [0, 1].map(|k| Body::Surface { mesh: (&meshes[k]).into(), tree: &trees[k] });
        let mut layers = Layers::default();
        layers.capture(&view, &frame, &bodies);
        prop_assert_eq!(parity(&mut layers).1, 0);
    }
}

/// All triangles of both bodies, whatever the trees say.
fn every_triangle(view: &View, frame: &PairFrame, meshes: &[TriMesh; 2]) -> Layers {
    let mut layers = Layers { size: view.count.map(|n| n as usize), room: 64, ..Layers::default() };
    layers.clear();
    layers.asked.all(view.count);
    for side in Side::BOTH {
        let mesh = &meshes[side.index()];
        let snap = Snap::new(view, frame, side);
        let (grid, mut target) = (view.grid(), layers.target(side));
        for triangle in 0..mesh.triangles().len() as u32 {
            cover(&grid, &Corners::nearest(&snap.corners(mesh, triangle)), triangle, &mut target);
        }
    }
    layers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// What is captured is what all triangles together leave on the lines that are asked about, for those
    /// on which both bodies are; with all lines asked about, on every line.
    #[test]
    fn what_is_captured_is_what_every_triangle_leaves(
        d in direction(),
        at in prop::array::uniform3(-1.0f64..1.0),
        size in prop_oneof![Just(2.0f64), 1e-4..4.0f64],
        shift in prop::array::uniform3(-1.0f64..1.0),
        count in prop::sample::select(vec![1u32, 8, 16, 30]),
        far in prop_oneof![Just(f64::INFINITY), -1.0..1.0f64],
        first in -40i64..40,
    ) {
        let meshes = [torus(1.0, 0.25, 40, 20), torus(0.5, 0.2, 24, 12)];
        let mut trees = [0, 1].map(|k| ObbTree::build(&meshes[k]));
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.9, 0.4));
        let to = Isometry3::from_parts(Translation3::from(Vector3::from(shift)), turn);
        let frame = PairFrame::new(&Isometry3::identity(), &to);
        let axes = Axes::along(&d);
        let c = axes.coordinates(&Vector3::from(at));
        let extent = Extent { min: c.map(|x| x - 0.5 * size), max: c.map(|x| x + 0.5 * size) };
        let mut view = View::of_extent(&axes, &extent, count, 1e-12);
        view.far = far;
        // The same lines, counted from elsewhere.
        view.anchor -= view.axes.right * (first as f64 * view.pixel[0]);
        view.first[0] += first;
        let mut wanted = every_triangle(&view, &frame, &meshes);
        let mut layers = Layers::default();
        let levels = [SimdLevel::detect(), SimdLevel::Sse2, SimdLevel::Scalar];
        for (ask, level) in [Ask::All, Ask::Both, Ask::All].into_iter().zip(levels) {
            trees.iter_mut().for_each(|tree| tree.set_simd(level));
            let bodies = [0, 1].map(|k| Body::Surface { mesh: (&meshes[k]).into(), tree: &trees[k] });
            layers.capture_asked(&view, &frame, &bodies, ask);
            for j in 0..count as usize {
                for i in 0..count as usize {
                    let wanted = wanted.sorted(i, j);
                    let both = [0, 1].iter().all(|&side| wanted.iter().any(|f| f.body() == side));
                    let asked = ask == Ask::All || both;
                    prop_assert!(!asked || layers.sorted(i, j) == wanted, "{ask:?} at {i}, {j}");
                }
            }
        }
    }
}

#[test]
fn a_pixel_takes_more_layers_than_it_has_room_for_at_first() {
    // A stack of 40 thin plates seen from above has 80 layers.
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for k in 0..40 {
        let plate = box_mesh([1.0, 1.0, 0.004]);
        let base = vertices.len() as u32;
        let lift = Vector3::new(0.0, 0.0, 0.02 * k as f32);
        vertices.extend(plate.vertices().iter().map(|p| p + lift));
        triangles.extend(plate.triangles().iter().map(|t| t.map(|v| v + base)));
    }
    let stack = TriMesh::new(vertices, triangles).unwrap();
    let ball = torus(0.1, 0.05, 8, 8);
    let trees = [ObbTree::build(&stack), ObbTree::build(&ball)];
    let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::translation(5.0, 0.0, 0.0));
    let axes = Axes::along(&Vector3::z());
    let at = frame.place(Side::A, &Point3::origin());
    let c = axes.coordinates(&at.coords);
    let extent = Extent { min: c.map(|x| x - 0.5), max: c.map(|x| x + 0.5) };
    let view = View::of_extent(&axes, &extent, 8, 1e-9);
    let bodies = [
        Body::Surface { mesh: (&stack).into(), tree: &trees[0] },
        Body::Surface { mesh: (&ball).into(), tree: &trees[1] },
    ];
    let mut layers = Layers::default();
    assert_eq!(layers.capture(&view, &frame, &bodies), 64 * 80);
    assert!((0..8).all(|j| (0..8).all(|i| layers.sorted(i, j).len() == 80)));
    assert_eq!(parity(&mut layers), (64, 0));
}
