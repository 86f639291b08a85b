use impinge_geometry::{PairFrame, Side};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::*;
use crate::crossing::Crossing;
use crate::layers::Body;
use crate::view::{Axes, Extent, View};
use impinge_midphase::ObbTree;
use impinge_scenes::fixtures::box_mesh;

fn intervals(list: &[(f64, bool, Side)]) -> (LineIntervals, bool) {
    let mut fragments: Vec<Crossing> =
        list.iter().enumerate().map(|(k, f)| Crossing::new(f.0 as i64, f.1, f.2, k as u32)).collect();
    fragments.sort_unstable();
    let mut intervals = LineIntervals::default();
    let even = intervals.read(&fragments, [false; 2]);
    (intervals, even)
}

/// A shell of A from 10 to 50 with a hollow from 20 to 40, and B from 30 to 45: B is in A's hollow up
/// to 40 and in A's wall from there on.
#[test]
fn a_hollow_is_not_inside() {
    let (a, b) = (Side::A, Side::B);
    let (s, even) = intervals(&[
        (10.0, true, a),
        (20.0, false, a),
        (40.0, true, a),
        (50.0, false, a),
        (30.0, true, b),
        (45.0, false, b),
    ]);
    assert!(even);
    let ends = |k: usize| s.of[k].iter().map(|s| (s.open, s.close)).collect::<Vec<_>>();
    assert_eq!(ends(0), [(10, 20), (40, 50)]);
    assert_eq!(ends(1), [(30, 45)]);
}

/// Two boxes of one body back to back at 20 are one interval; two that overlap are one interval too.
#[test]
fn touching_and_overlapping_shells_of_a_body_are_one_stretch() {
    let a = Side::A;
    for second in [20.0, 15.0] {
        let (s, even) = intervals(&[(10.0, true, a), (20.0, false, a), (second, true, a), (30.0, false, a)]);
        assert!(even);
        assert_eq!(s.of[0].len(), 1);
        assert_eq!((s.of[0][0].open, s.of[0][0].close), (10, 30));
    }
}

#[test]
fn a_line_that_is_not_left_is_odd() {
    assert!(!intervals(&[(10.0, true, Side::A)]).1);
}

/// Boxes of half sizes 1, ½, ¼ and ½, ½, ½, B shifted by s: the overlap is a box whose volume, face
/// areas and centroid are known; all three views add up to G.
#[test]
fn boxes_at_any_offset_have_the_volume_gradient_and_torque_of_their_overlap() {
    let halves = [[1.0f64, 0.5, 0.25], [0.5, 0.5, 0.5]];
    for s in [[0.9, 0.1, 0.0], [-1.2, 0.3, 0.6], [0.1, -0.8, 0.7], [1.4, 0.9, -0.7]] {
        let meshes = halves.map(|h| box_mesh(h.map(|x| x as f32)));
        let trees = [0, 1].map(|k| ObbTree::build(&meshes[k]));
        let frame = PairFrame::new(
            &Isometry3::identity(),
            &Isometry3::from_parts(Translation3::new(s[0], s[1], s[2]), UnitQuaternion::identity()),
        );
        let bodies = [0, 1].map(|k| Body::Surface { mesh: (&meshes[k]).into(), tree: &trees[k] });
        let lo: [f64; 3] =
            std::array::from_fn(|k| (-halves[0][k] - s[k] / 2.0).max(-halves[1][k] + s[k] / 2.0));
        let hi: [f64; 3] =
            std::array::from_fn(|k| (halves[0][k] - s[k] / 2.0).min(halves[1][k] + s[k] / 2.0));
        let size: [f64; 3] = std::array::from_fn(|k| hi[k] - lo[k]);
        let (mut layers, mut columns) = (Layers::default(), OverlapIntervals::default());
        let (mut gradient, mut torque) = (Vector3::zeros(), Vector3::zeros());
        for k in 0..3 {
            let axes = Axes::along(&Vector3::ith(k, 1.0));
            let mut extent = Extent::EMPTY;
            extent.add(axes.coordinates(&lo.into()));
            extent.add(axes.coordinates(&hi.into()));
            let view = View::of_extent(&axes, &extent, 16, 1e-9);
            layers.capture(&view, &frame, &bodies);
            columns.find(&mut layers, [false; 2], true);
            // Taken over, they are the same of every pixel.
            let mut taken = OverlapIntervals::default();
            taken.set(columns.size, &columns.list);
            assert_eq!((&taken.list, &taken.starts), (&columns.list, &columns.starts));
            let mut sums = Sums::default();
            columns.list.iter().for_each(|c| sums.add(c));
            assert_eq!(sums.overlaps, 256);
            let volume = size[0] * size[1] * size[2];
            assert!((sums.volume(&view) / volume - 1.0).abs() < 1e-6);
            let centroid = sums.centroid(&view).unwrap();
            assert!((0..3).all(|m| (centroid[m] - 0.5 * (lo[m] + hi[m])).abs() < 1e-6));
            gradient += view.axes.depth * sums.gradient(&view);
            torque += sums.torque(&view);
        }
        // A's face at its upper end closes the overlap unless B's comes first; the same below.
        let mut expected = Vector3::zeros();
        let mut arm = Vector3::zeros();
        for k in 0..3 {
            let area = size[(k + 1) % 3] * size[(k + 2) % 3];
            for (end, sign) in [(hi[k], 1.0), (lo[k], -1.0)] {
                let of_a = sign * halves[0][k] - s[k] / 2.0;
                let of_b = sign * halves[1][k] + s[k] / 2.0;
                let share: f64 =
                    if (of_a - of_b).abs() < 1e-9 { 0.5 } else { f64::from(u8::from(of_a == end)) };
                let dir = Vector3::ith(k, sign * share * area);
                let mut middle = Vector3::from(std::array::from_fn::<f64, 3, _>(|m| 0.5 * (lo[m] + hi[m])));
                middle[k] = end;
                expected += dir;
                arm += middle.cross(&dir);
            }
        }
        assert!((gradient - expected).norm() < 1e-9, "{gradient} {expected}");
        assert!((torque - arm).norm() < 1e-9, "{torque} {arm}");
    }
}
