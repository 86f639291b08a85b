use impinge_geometry::predicate::triangles_touch;
use impinge_geometry::{PairFrame, Side, TriMesh};
use impinge_midphase::ObbTree;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::*;
use crate::contour::{ContourScratch, Contours, assemble};
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};

/// Every leaf of A with every leaf of B: no tree can leave anything out.
fn all_leaf_pairs(trees: [&ObbTree; 2]) -> Vec<[u32; 2]> {
    let [a, b] = trees.map(|t| t.leaf_count() as u32);
    (0..a).flat_map(|i| (0..b).map(move |j| [i, j])).collect()
}

fn run_all(meshes: [&TriMesh; 2], frame: &PairFrame) -> (Intersections, bool) {
    let trees = meshes.map(ObbTree::build);
    let trees = [&trees[0], &trees[1]];
    let input = Surfaces { meshes: meshes.map(Into::into), trees, frame };
    let (mut scratch, mut out) = (IntersectScratch::default(), Intersections::default());
    let pairs = all_leaf_pairs(trees);
    intersect_surfaces(&input, &pairs, &mut scratch, &mut out);
    let touching = first_touch(&input, &pairs, &mut scratch).is_some();
    (out, touching)
}

fn contours(out: &Intersections) -> Contours {
    let mut contours = Contours::default();
    assemble(out, &mut ContourScratch::default(), &mut contours);
    contours
}

/// The area vector of A's surface inside B by the contour, with faces in one plane set right.
fn gradient(out: &Intersections) -> Vector3<f64> {
    let loops: Vector3<f64> = contours(out).loops.iter().map(|l| l.gradient).sum();
    loops + out.degenerate.iter().map(DegeneratePair::correction).sum::<Vector3<f64>>()
}

fn brute_force(meshes: [&TriMesh; 2], frame: &PairFrame) -> u64 {
    let [a, b] = [0, 1].map(|k| {
        let side = Side::BOTH[k];
        let place = |t: u32| meshes[k].corners(t).map(|v| frame.place(side, &v));
        (0..meshes[k].triangles().len() as u32).map(place).collect::<Vec<_>>()
    });
    a.iter().map(|s| b.iter().filter(|t| triangles_touch(s, t)).count() as u64).sum()
}

fn pose(t: [f64; 3], turn: [f64; 3]) -> Isometry3<f64> {
    let q = UnitQuaternion::from_scaled_axis(Vector3::from(turn));
    Isometry3::from_parts(Translation3::from(t), q)
}

/// Every place is the end of exactly one segment and the start of exactly one, at the same point to
/// the last bit.
fn assert_closed(out: &Intersections) {
    let contours = contours(out);
    assert!(contours.all_closed, "{:?}", contours.loops);
    for l in &contours.loops {
        let segments: Vec<&Segment> = contours.segments(l, out).collect();
        for (k, s) in segments.iter().enumerate() {
            let next = segments[(k + 1) % segments.len()];
            assert_eq!(s.ends[1], next.ends[0]);
            assert_eq!(s.points[1], next.points[0]);
        }
    }
}

#[test]
fn a_corner_through_a_slab_gives_its_cut_triangle() {
    // A slab (B) whose top is z = 0; a box (A) stands on its corner, 0.3 deep. The three edges at
    // that corner make equal angles with the vertical: the cut is a regular triangle of
    // circumradius d·√2, area ¾√3 (d√2)² = (3√3/2) d², and G points down into the slab.
    let corner = box_mesh([0.5; 3]);
    let slab = box_mesh([2.0, 2.0, 0.5]);
    let diagonal = Vector3::new(1.0, 1.0, 1.0).normalize();
    let q = UnitQuaternion::rotation_between(&diagonal, &Vector3::z()).unwrap();
    let d = 0.3;
    let a = Isometry3::from_parts(Translation3::new(0.11, 0.07, 0.5 * 3f64.sqrt() - d), q);
    let b = pose([0.0, 0.0, -0.5], [0.0; 3]);
    let (out, touching) = run_all([&corner, &slab], &PairFrame::new(&a, &b));
    assert!(touching && out.touching && out.degenerate.is_empty());
    assert_closed(&out);
    let area = 1.5 * 3f64.sqrt() * d * d;
    assert!((gradient(&out) - Vector3::new(0.0, 0.0, -area)).norm() < 1e-12, "{}", gradient(&out));
    let length: f64 = contours(&out).loops.iter().map(|l| l.length).sum();
    assert!((length - 3.0 * 6f64.sqrt() * d).abs() < 1e-12);
}

#[test]
fn exchanging_the_bodies_turns_the_contour_round() {
    let (a, b) = (torus(1.0, 0.3, 24, 12), box_mesh([0.4, 0.3, 0.9]));
    let (pa, pb) = (pose([0.0; 3], [0.1, 0.2, 0.3]), pose([0.9, 0.1, 0.05], [1.0, 0.3, 0.2]));
    let (ab, _) = run_all([&a, &b], &PairFrame::new(&pa, &pb));
    let (ba, _) = run_all([&b, &a], &PairFrame::new(&pb, &pa));
    assert!(ab.triangle_pairs > 20);
    assert_eq!(ab.triangle_pairs, ba.triangle_pairs);
    assert_eq!(ab.segments.len(), ba.segments.len());
    for s in &ab.segments {
        let twin = ba.segments.iter().find(|t| t.triangles == [s.triangles[1], s.triangles[0]]).unwrap();
        assert_eq!([twin.points[1], twin.points[0]], s.points);
    }
    assert!((gradient(&ab) + gradient(&ba)).norm() < 1e-12);
}

#[test]
fn virtual_faces_never_touch_but_keep_contours_closed() {
    // A sheet closed by extrusion; a box pokes up through its virtual underside only.
    let sheet = TriMesh::new(
        vec![
            Point3::new(-2.0, -2.0, 0.0),
            Point3::new(2.0, -2.0, 0.0),
            Point3::new(2.0, 2.0, 0.0),
            Point3::new(-2.0, 2.0, 0.0),
        ],
        vec![[0, 1, 2], [0, 2, 3]],
    )
    .unwrap()
    .one_sided(1.0, Vector3::z())
    .unwrap();
    let cube = box_mesh([0.25; 3]);
    for (z, touching) in [(-1.0, false), (0.0, true), (-0.5, false)] {
        let b = pose([0.3, 0.2, z + 0.01], [0.0; 3]);
        let frame = PairFrame::new(&Isometry3::identity(), &b);
        let (out, first) = run_all([&sheet, &cube], &frame);
        assert_eq!((out.touching, first), (touching, touching), "{z}");
        assert_eq!(out.triangle_pairs > 0, touching);
        assert_closed(&out);
        assert_eq!(out.segments.is_empty(), z == -0.5);
        assert!(out.segments.iter().all(|s| s.virtual_face != touching));
        assert!(contours(&out).loops.iter().all(|l| l.is_virtual() != touching));
    }
}

/// A tetrahedron on its tip, which stands `z` above its origin.
fn spike(z: f32) -> TriMesh {
    TriMesh::new(
        vec![
            Point3::new(0.0, 0.0, z),
            Point3::new(1.0, 0.0, z + 1.0),
            Point3::new(-0.5, 0.75, z + 1.0),
            Point3::new(-0.5, -0.75, z + 1.0),
        ],
        vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]],
    )
    .unwrap()
}

/// Every touching pair is a corner of `side` at `place` on a face with this normal.
fn assert_vertices(out: &Intersections, side: Side, place: [f64; 3], normal: Vector3<f64>) {
    for d in &out.degenerate {
        assert_eq!(d.kind, TouchKind::Vertex(side));
        assert_eq!(d.points, [Point3::from(place); 2]);
        assert!((d.normal - normal).norm() < 1e-15);
    }
}

#[test]
fn an_edge_that_lies_on_a_face_is_named_with_its_ends() {
    // A roof upside down: its ridge, along x from −1 to 1, lies on the top (z = 0.5) of the box A,
    // which ends at ±0.5. Its origin is far below, so that the shift takes it away.
    let roof = TriMesh::new(
        [[-1.0, 0.0, 4.0], [1.0, 0.0, 4.0], [0.0, 1.0, 5.0], [0.0, -1.0, 5.0]].map(Point3::from).to_vec(),
        vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    )
    .unwrap();
    assert!(roof.is_closed() && roof.report().defects.is_empty());
    let (a, b) = (box_mesh([0.5; 3]), pose([0.0, 0.125, -3.5], [0.0; 3]));
    for (swapped, side, normal) in [(false, Side::B, Vector3::z()), (true, Side::A, -Vector3::z())] {
        let frame = PairFrame::new(&Isometry3::identity(), &b);
        let (meshes, frame) = if swapped { ([&roof, &a], frame.swapped()) } else { ([&a, &roof], frame) };
        let (out, _) = run_all(meshes, &frame);
        assert_eq!(out.triangle_pairs, brute_force(meshes, &frame));
        assert!(out.segments.is_empty() && out.triangle_pairs >= 4);
        let on_top: Vec<_> = out.degenerate.iter().filter(|d| d.kind == TouchKind::Edge(side)).collect();
        assert_eq!(on_top.len(), 4);
        for d in &on_top {
            assert!((d.normal - normal).norm() < 1e-15);
        }
        // Each of the ridge's two faces meets each half of the top; together they span the box.
        let reach = |x: f64| on_top.iter().any(|d| d.points.iter().any(|p| (p.x - x).abs() < 1e-15));
        assert!(reach(-0.5) && reach(0.5));
    }
}

#[test]
fn features_that_only_touch_are_named() {
    // B's corner, edge, or face on the top (z = 0.5) of the box A, and two crossing edges.
    let a = box_mesh([0.5; 3]);
    let one =
        |b: &TriMesh, p: Isometry3<f64>| run_all([&a, b], &PairFrame::new(&Isometry3::identity(), &p)).0;
    let up = Vector3::z();

    // A shift of B (towards A) makes each of the spike's three faces cross in a point.
    let out = one(&spike(0.0), pose([0.125, 0.25, 0.5], [0.0; 3]));
    assert_eq!((out.triangle_pairs, out.segments.len(), out.degenerate.len()), (3, 3, 3));
    assert!(out.segments.iter().all(|s| s.points[0] == s.points[1]));
    assert_eq!(gradient(&out), Vector3::zeros());
    assert_vertices(&out, Side::B, [0.0625, 0.125, 0.25], up);
    // With B's origin far below A's the shift takes B away.
    let away = one(&spike(4.0), pose([0.125, 0.25, -3.5], [0.0; 3]));
    assert_eq!((away.triangle_pairs, away.segments.len(), away.degenerate.len()), (3, 0, 3));
    assert_vertices(&away, Side::B, [0.0625, 0.125, 2.25], up);
    let frame = PairFrame::new(&pose([0.125, 0.25, -3.5], [0.0; 3]), &Isometry3::identity());
    assert_vertices(&run_all([&spike(4.0), &a], &frame).0, Side::A, [0.0625, 0.125, 2.25], -up);

    let flat = one(&a, pose([0.25, 0.5, 1.0], [0.0; 3]));
    assert!(flat.has_coplanar());
    // Face to face over 0.75 × 0.5.
    assert!((gradient(&flat) - up * 0.375).norm() < 1e-15);
    let overlap: f64 = flat
        .degenerate
        .iter()
        .filter_map(|d| match &d.kind {
            TouchKind::Coplanar(c) => Some(c.area),
            _ => None,
        })
        .sum();
    assert!((overlap - 0.375).abs() < 1e-15);

    // Side by side, the tops in one plane: B's corner region reaches 0.25 into A.
    let level = one(&a, pose([0.75, 0.0, 0.0], [0.0; 3]));
    assert!((gradient(&level) - Vector3::new(1.0, 0.0, 0.0)).norm() < 1e-15, "{}", gradient(&level));
}

/// A cone of many faces on its tip, the origin; `up` is the sign of its axis.
fn fan(faces: u32, up: f32) -> TriMesh {
    let rim = (0..faces).map(|k| {
        let (sin, cos) = (std::f32::consts::TAU * k as f32 / faces as f32).sin_cos();
        Point3::new(cos, up * sin, up)
    });
    let vertices = [Point3::origin(), Point3::new(0.0, 0.0, up)].into_iter().chain(rim).collect();
    let of = |k: u32| 2 + k % faces;
    let triangles = (0..faces).flat_map(|k| [[0, of(k + 1), of(k)], [1, of(k), of(k + 1)]]).collect();
    TriMesh::new(vertices, triangles).unwrap()
}

/// Two fans tip to tip: every face touches every other; all pairs are counted, some of every face are described, in all many fewer
/// than there are, and all at the tips with normals that part the fans.
#[test]
fn fans_tip_to_tip_are_described_by_some_of_their_pairs() {
    let faces = 200u32;
    let (below, above) = (fan(faces, -1.0), fan(faces, 1.0));
    assert!([&below, &above].iter().all(|fan| fan.is_closed()));
    let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::identity());
    let (out, touching) = run_all([&below, &above], &frame);
    assert!(touching);
    assert_eq!(out.triangle_pairs, u64::from(faces * faces));
    assert!(out.degenerate.len() < (faces * faces / 5) as usize, "{}", out.degenerate.len());
    for k in 0..2 {
        let mut met: Vec<u32> = out.degenerate.iter().map(|d| d.triangles[k]).collect();
        met.sort_unstable();
        met.dedup();
        assert_eq!(met.len(), faces as usize, "faces of {k} that are described");
    }
    for d in &out.degenerate {
        assert!(d.points.iter().all(|p| p.coords.norm() < 1e-12), "{:?}", d.points);
    }
}

#[test]
fn edges_that_cross_in_a_point_have_their_common_perpendicular() {
    // Two wedges: A's ridge runs along x at z = 0 with its body below, B's along y with its body
    // above; B is moved aside so that the shift (from B towards A) cannot make them cross.
    let wedge = |down: f32, along_x: bool| {
        let at = |s: f32, t: f32, z: f32| if along_x { Point3::new(s, t, z) } else { Point3::new(t, s, z) };
        let v = vec![
            at(-1.0, 0.0, 0.0),
            at(1.0, 0.0, 0.0),
            at(-1.0, -1.0, down),
            at(1.0, -1.0, down),
            at(-1.0, 1.0, down),
            at(1.0, 1.0, down),
        ];
        let t = vec![[0, 2, 1], [1, 2, 3], [0, 1, 5], [0, 5, 4], [2, 4, 3], [3, 4, 5], [0, 4, 2], [1, 3, 5]];
        TriMesh::new(v, t).unwrap()
    };
    let (a, b) = (wedge(-1.0, true), wedge(1.0, false));
    assert!(a.is_closed() && b.is_closed());
    let (out, _) = run_all([&a, &b], &PairFrame::new(&Isometry3::identity(), &Isometry3::identity()));
    assert_eq!(out.triangle_pairs, 4);
    assert!(out.segments.is_empty(), "the shift lifts B");
    for d in &out.degenerate {
        assert_eq!(d.kind, TouchKind::Edges);
        assert_eq!(d.points, [Point3::origin(); 2]);
        assert!((d.normal - Vector3::z()).norm() < 1e-15);
    }
}

/// Overlap of two intervals when the first is moved by `s`.
fn width([a0, a1]: [f64; 2], [b0, b1]: [f64; 2], s: f64) -> f64 {
    (a1 + s).min(b1) - (a0 + s).max(b0)
}

/// The gradient of the volume common to two boxes when A is moved: where it has a kink, the mean of
/// both sides, but where the boxes only meet, the side on which they overlap.
fn box_gradient(a: [[f64; 2]; 3], b: [[f64; 2]; 3]) -> Vector3<f64> {
    let w: Vec<f64> = (0..3).map(|k| width(a[k], b[k], 0.0)).collect();
    let step = 1.0 / 1024.0;
    Vector3::from_fn(|k, _| {
        let across: f64 = (0..3).filter(|&j| j != k).map(|j| w[j].max(0.0)).product();
        let slope = |s: f64| (width(a[k], b[k], s).max(0.0) - w[k].max(0.0)) / s;
        let (up, down) = (slope(step), slope(-step));
        across * if w[k] == 0.0 { up + down } else { 0.5 * (up + down) }
    })
}

fn lattice_box() -> impl Strategy<Value = ([i32; 3], [i32; 3])> {
    ([1..=3i32, 1..=3i32, 1..=3i32], [-3..=3i32, -3..=3i32, -3..=3i32])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Boxes with corners on a coarse lattice: nearly every pose is degenerate (faces in one plane,
    /// shared edges and corners, edges through the diagonals of faces).
    #[test]
    fn lattice_boxes_have_exact_counts_closed_contours_and_the_gradient_of_their_volume(
        (ha, pa) in lattice_box(),
        (hb, pb) in lattice_box(),
        exponent in -10..10i32,
    ) {
        let scale = 2f64.powi(exponent);
        let mesh = |h: [i32; 3]| box_mesh(h.map(|x| (f64::from(x) * scale) as f32));
        let at = |p: [i32; 3]| pose(p.map(|x| f64::from(x) * scale), [0.0; 3]);
        let (a, b) = (mesh(ha), mesh(hb));
        let frame = PairFrame::new(&at(pa), &at(pb));
        let (out, first) = run_all([&a, &b], &frame);
        let spans = |h: [i32; 3], p: [i32; 3]| [0, 1, 2].map(|k| [f64::from(p[k] - h[k]), f64::from(p[k] + h[k])]);
        let (sa, sb) = (spans(ha, pa), spans(hb, pb));
        let w: Vec<f64> = (0..3).map(|k| width(sa[k], sb[k], 0.0)).collect();
        let nested = |s: [[f64; 2]; 3], t: [[f64; 2]; 3]| (0..3).all(|k| s[k][0] < t[k][0] && t[k][1] < s[k][1]);
        let surfaces_meet = w.iter().all(|&x| x >= 0.0) && !nested(sa, sb) && !nested(sb, sa);
        prop_assert_eq!(out.touching, surfaces_meet);
        prop_assert_eq!(first, surfaces_meet);
        prop_assert_eq!(out.triangle_pairs, brute_force([&a, &b], &frame));
        assert_closed(&out);
        let inside = |s, t| if nested(s, t) { 0.0 } else { 1.0 };
        let want = box_gradient(sa, sb) * (scale * scale * inside(sa, sb) * inside(sb, sa));
        prop_assert!((gradient(&out) - want).norm() < 1e-12 * scale * scale, "{} {}", gradient(&out), want);
        let (back, _) = run_all([&b, &a], &frame.swapped());
        prop_assert_eq!(back.triangle_pairs, out.triangle_pairs);
        prop_assert!((gradient(&back) + want).norm() < 1e-12 * scale * scale);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_poses_of_closed_meshes_agree_with_brute_force(
        t in [-1.2..1.2f64, -1.2..1.2f64, -0.8..0.8f64],
        ra in [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64],
        rb in [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64],
        which in 0..3usize,
        scale in prop_oneof![Just(1e-3), Just(1.0), Just(1e3)],
        far in prop_oneof![Just(0.0), Just(1e4)],
    ) {
        let s = scale as f32;
        let a = torus(s, 0.35 * s, 16, 8);
        let b = match which {
            0 => torus(0.8 * s, 0.2 * s, 12, 8),
            1 => sphere_mesh(0.6 * s, 12, 8),
            _ => box_mesh([0.2 * s, 0.9 * s, 0.05 * s]),
        };
        let shift = Vector3::new(far, -far, far);
        let mut pa = pose([0.0; 3], ra);
        let mut pb = pose(t.map(|x| x * scale), rb);
        pa.translation.vector += shift;
        pb.translation.vector += shift;
        let frame = PairFrame::new(&pa, &pb);
        let (out, first) = run_all([&a, &b], &frame);
        let count = brute_force([&a, &b], &frame);
        prop_assert_eq!(out.triangle_pairs, count);
        prop_assert_eq!((out.touching, first), (count > 0, count > 0));
        assert_closed(&out);
    }

    /// A body on itself or turned by a symmetry: every face lies in one plane with its image.
    #[test]
    fn coincident_bodies_close_their_contours(quarter in 0..4u32, flip in any::<bool>()) {
        let a = torus(1.0, 0.25, 8, 4);
        let turn = f64::from(quarter) * std::f64::consts::FRAC_PI_2;
        let q = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn)
            * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), if flip { std::f64::consts::PI } else { 0.0 });
        let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::from_parts(Translation3::identity(), q));
        let (out, _) = run_all([&a, &a], &frame);
        prop_assert_eq!(out.triangle_pairs, brute_force([&a, &a], &frame));
        assert_closed(&out);
        if quarter == 0 && !flip {
            // Every face lies in its own image and counts half: a closed surface's areas cancel.
            prop_assert!(gradient(&out).norm() < 1e-12);
        }
    }
}
