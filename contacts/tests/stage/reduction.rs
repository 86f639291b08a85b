//! Reduction to four points keeps the wrench.

use impinge_contacts::{ReducedPoint, reduce};
use impinge_pair::Patch;
use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;

use crate::patches::patch;

fn reduced(patch: &Patch, most: usize) -> Vec<ReducedPoint> {
    let mut out = Vec::new();
    reduce(patch, most, &mut out);
    out
}

/// Force and torque about the patch's centroid less its part along the normal, of the reduced points.
fn wrench(patch: &Patch, points: &[ReducedPoint]) -> (Vector3<f64>, Vector3<f64>) {
    let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
    for point in points {
        let candidate = &patch.points[point.index as usize];
        let at = nalgebra::center(&candidate.on_a, &candidate.on_b);
        force += patch.normal * point.weight;
        torque += (at - patch.centroid).cross(&(patch.normal * point.weight));
    }
    (force, torque - patch.normal * torque.dot(&patch.normal))
}

/// How far the reduced wrench is off, relative to |G| for force and |G| · radius for torque.
fn error(patch: &Patch, points: &[ReducedPoint]) -> f64 {
    let (force, torque) = wrench(patch, points);
    let exact = (patch.pressure_center - patch.centroid).cross(&patch.gradient);
    let area = patch.gradient.norm();
    ((force - patch.gradient).norm() / area).max((torque - exact).norm() / (area * patch.radius))
}

fn v(x: f64, y: f64) -> Vector2<f64> {
    Vector2::new(x, y)
}

/// A box resting flat: columns of equal depth on a square grid give its four corners, a quarter each.
#[test]
fn a_flat_square_gives_its_corners() {
    let columns: Vec<_> = (0..64).map(|i| (v(f64::from(i % 8), f64::from(i / 8)), 0.01)).collect();
    let patch = patch(Vector3::z(), &columns, v(3.5, 3.5), 2.0);
    let points = reduced(&patch, 4);
    assert_eq!(points.iter().map(|p| p.index).collect::<Vec<_>>(), [0, 7, 56, 63]);
    assert!(points.iter().all(|p| (p.weight - 0.5).abs() < 1e-6));
}

/// Rounding in the depths must not choose other corners.
#[test]
fn rounding_of_depths_changes_nothing() {
    let noisy = |i: i32| 0.01 + 1e-12 * f64::from((i * 37) % 11);
    let columns: Vec<_> = (0..64).map(|i| (v(f64::from(i % 8), f64::from(i / 8)), noisy(i))).collect();
    let indices = |columns: &[_]| {
        let mut indices: Vec<_> =
            reduced(&patch(Vector3::z(), columns, v(3.5, 3.5), 2.0), 4).iter().map(|p| p.index).collect();
        indices.sort_unstable();
        indices
    };
    assert_eq!(indices(&columns), [0, 7, 56, 63]);
}

/// The centre of pressure of a crescent lies off the line of its tips and near its thick middle: the
/// deepest point and its farthest do not hold it with any two side extremes on the same arc.
#[test]
fn a_crescent_is_carried() {
    let columns: Vec<_> = (0..60)
        .map(|i| {
            let t = f64::from(i) / 59.0 * std::f64::consts::PI;
            (v(t.cos(), t.sin()), 0.1 * t.sin())
        })
        .collect();
    let patch = patch(Vector3::x(), &columns, v(0.0, 0.03), 1.0);
    assert!(error(&patch, &reduced(&patch, 4)) < 0.01);
}

/// One column gives one point with all the weight; columns in a line give its ends.
#[test]
fn points_and_lines_give_what_they_have() {
    let one = patch(Vector3::y(), &[(v(0.3, 0.2), 0.1)], v(0.3, 0.2), 5.0);
    assert_eq!(reduced(&one, 4), [ReducedPoint { index: 0, weight: 5.0, tilt: Vector3::zeros() }]);
    let line: Vec<_> = (0..9).map(|i| (v(f64::from(i), 0.0), if i == 4 { 0.2 } else { 0.1 })).collect();
    let line = patch(Vector3::y(), &line, v(6.0, 0.0), 5.0);
    let points = reduced(&line, 4);
    assert_eq!(points.iter().map(|p| p.index).collect::<Vec<_>>(), [4, 0, 8]);
    assert!(error(&line, &points) < 0.01);
    let same: Vec<_> = (0..5).map(|_| (v(1.0, 1.0), 0.1)).collect();
    assert_eq!(reduced(&patch(Vector3::y(), &same, v(1.0, 1.0), 5.0), 4).len(), 1);
}

/// A centre of pressure outside the candidates (a patch that should have been split) is met as nearly
/// as the points allow, and nothing breaks.
#[test]
fn a_centre_outside_falls_to_the_nearest_place() {
    let columns = [(v(0.0, 0.0), 0.1), (v(1.0, 0.0), 0.2), (v(0.0, 1.0), 0.1)];
    let patch = patch(Vector3::z(), &columns, v(-2.0, 0.25), 1.0);
    let (force, torque) = wrench(&patch, &reduced(&patch, 4));
    assert!((force - patch.gradient).norm() < 1e-9);
    let nearest = (Vector3::new(0.0, 0.25, 0.0) - patch.centroid.coords).cross(&patch.gradient);
    assert!((torque - nearest).norm() < 2e-3);
}

fn columns() -> impl Strategy<Value = Vec<(Vector2<f64>, f64)>> {
    let lattice = prop::collection::vec((-6i32..6, -6i32..6, 0i32..5), 1..60).prop_map(|cells| {
        cells.iter().map(|&(x, y, d)| (v(f64::from(x), f64::from(y)), 0.01 * f64::from(d))).collect()
    });
    let free = prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64, -0.1..0.1f64), 1..200)
        .prop_map(|c| c.iter().map(|&(x, y, d)| (v(x, y), d)).collect::<Vec<_>>());
    let thin = prop::collection::vec((-1.0..1.0f64, -1e-4..1e-4f64, 0.0..0.1f64), 1..60)
        .prop_map(|c| c.iter().map(|&(x, y, d)| (v(x, y), d)).collect::<Vec<_>>());
    let ring = prop::collection::vec((0.0..6.2f64, 0.9..1.0f64, 0.0..0.1f64), 1..120)
        .prop_map(|c| c.iter().map(|&(t, r, d)| (v(r * t.cos(), r * t.sin()), d)).collect::<Vec<_>>());
    prop_oneof![lattice, free, thin, ring]
}

fn normal() -> impl Strategy<Value = Vector3<f64>> {
    (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64)
        .prop_filter_map("no direction", |(x, y, z)| Vector3::new(x, y, z).try_normalize(1e-2))
}

/// A convex combination of the columns, pushed towards a few of them by `sharpness`.
fn combination(columns: &[(Vector2<f64>, f64)], raw: &[f64], sharpness: i32) -> Vector2<f64> {
    let share = |i: usize| raw[i % raw.len()].powi(sharpness) + 1e-12;
    let total: f64 = (0..columns.len()).map(share).sum();
    columns.iter().enumerate().fold(Vector2::zeros(), |sum, (i, c)| sum + c.0 * (share(i) / total))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_wrench_is_kept_wherever_the_points_can_carry_it(
        columns in columns(), n in normal(), raw in prop::collection::vec(0.0..1.0f64, 1..80), sharpness in 0i32..40,
    ) {
        let center = combination(&columns, &raw, sharpness);
        let patch = patch(n, &columns, center, 0.7);
        let points = reduced(&patch, 4);
        if patch.radius > 0.0 {
            prop_assert!(error(&patch, &points) < 0.01, "{} of {} columns", error(&patch, &points), columns.len());
        }
    }

    #[test]
    fn points_are_few_distinct_and_hold_the_deepest(
        columns in columns(), n in normal(), most in 0usize..7, cx in -2.0..2.0f64, cy in -2.0..2.0f64,
    ) {
        let patch = patch(n, &columns, v(cx, cy), 0.7);
        let points = reduced(&patch, most);
        prop_assert!(!points.is_empty() && points.len() <= most.clamp(1, 4));
        let mut indices: Vec<_> = points.iter().map(|p| p.index).collect();
        indices.sort_unstable();
        indices.dedup();
        prop_assert_eq!(indices.len(), points.len());
        prop_assert!(points.iter().all(|p| p.weight >= 0.0 && (p.index as usize) < columns.len()));
        prop_assert!((points.iter().map(|p| p.weight).sum::<f64>() - 0.7).abs() < 1e-9);
        let depths: Vec<_> = points.iter().map(|p| patch.points[p.index as usize].depth).collect();
        prop_assert!(depths.windows(2).all(|d| d[0] >= d[1]));
        prop_assert!((depths[0] - patch.depth).abs() <= 1e-6 * patch.depth.abs());
        prop_assert_eq!(&points, &reduced(&patch, most));
    }

    /// The nearest that all candidates together could come to a centre anywhere in the plane, against
    /// what the four points reach: the distance to the hull, by brute force over its edges.
    #[test]
    fn a_centre_anywhere_is_met_nearly_as_well_as_by_all(
        columns in columns(), cx in -2.0..2.0f64, cy in -2.0..2.0f64,
    ) {
        let n = Vector3::z();
        let patch = patch(n, &columns, v(cx, cy), 1.0);
        prop_assume!(patch.radius > 0.0);
        let (_, torque) = wrench(&patch, &reduced(&patch, 4));
        let exact = (patch.pressure_center - patch.centroid).cross(&patch.gradient);
        let best = distance_to_hull(&columns, &v(cx, cy));
        prop_assert!((torque - exact).norm() <= best + 0.01 * patch.radius);
    }
}

/// Distance from `c` to the hull of the columns: 0 inside, else the least over all segments.
fn distance_to_hull(columns: &[(Vector2<f64>, f64)], c: &Vector2<f64>) -> f64 {
    let mut least = f64::INFINITY;
    let mut directions_outside = false;
    for (p, _) in columns {
        for (q, _) in columns {
            let e = q - p;
            let t = if e.norm_squared() > 0.0 {
                ((c - p).dot(&e) / e.norm_squared()).clamp(0.0, 1.0)
            } else {
                0.0
            };
            least = least.min((p + e * t - c).norm());
        }
    }
    for k in 0..720 {
        let angle = f64::from(k) / 720.0 * std::f64::consts::TAU;
        let d = v(angle.cos(), angle.sin());
        let support = columns.iter().fold(f64::NEG_INFINITY, |s, (p, _)| s.max(p.dot(&d)));
        directions_outside |= c.dot(&d) > support;
    }
    if directions_outside { least } else { 0.0 }
}
