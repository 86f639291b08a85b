//! Separation constraints: what each column of an overlap demands of a translation, where two facets face each other.
//!
//! Where the surfaces at a column's ends face each other, B is free of that place once it has moved by
//! the distance between them along their common normal. The minimum-norm translation that satisfies
//! all constraints is a small quadratic programme; where it has no answer, normals oppose (a peg in a tight hole),
//! and the overlap is more than one contact. Je, Tang, Lee, Lee and Kim, "PolyDepth: Real-Time Penetration
//! Depth Computation Using Iterative Contact-Space Projection", 2012, make such programmes of contacts
//! at the border; here every column has one.

use crate::tunables;
use impinge_geometry::Side;
use nalgebra::{Vector3, Vector6};

use crate::scene::Scene;
use impinge_image_space::intervals::OverlapInterval;
use impinge_image_space::view::View;

/// The constraint of one column: `normal · translation ≥ depth`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SeparationConstraint {
    /// Unit, from A to B.
    pub normal: Vector3<f64>,
    /// (m)
    pub depth: f64,
}

/// The solution of a set of constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MinimumNorm {
    /// All normals are the same, or there are no constraints.
    Aligned,
    /// The minimum-norm translation that satisfies all constraints (m).
    Translation(Vector3<f64>),
    /// No translation of about their size satisfies them.
    Infeasible,
}

/// The common normal of the facets that face each other at a column's ends, going along the view
/// (`sign` 1) or against it.
pub(crate) fn common_normal(scene: &Scene<'_>, column: &OverlapInterval, sign: f64) -> Option<Vector3<f64>> {
    let [a, b] = &column.solid;
    let [a, b] =
        if sign > 0.0 { [a.close_triangle, b.open_triangle] } else { [a.open_triangle, b.close_triangle] };
    let a = scene.facet_normal(Side::A, a)?;
    let b = scene.facet_normal(Side::B, b)?;
    (a.dot(&b) < -tunables::FACING_FACETS).then(|| (a - b).normalize())
}

/// Whether B leaves the place of a column along the view or against it: where A's surface ends the overlap and B's
/// begins it, or the reverse. `None` where one body's surface does both: it is thin there, and may leave
/// along either.
pub(crate) fn leaving_sign(column: &OverlapInterval) -> Option<f64> {
    match column.gradient() {
        2 => Some(1.0),
        -2 => Some(-1.0),
        _ => None,
    }
}

/// Adds the constraints of the columns of a view, of at most [`tunables::CONSTRAINTS_PER_VIEW`] of them evenly picked and the longest;
/// gives how many have a direction to leave by.
pub(crate) fn gather(
    scene: &Scene<'_>,
    view: &View,
    columns: &[OverlapInterval],
    out: &mut Vec<SeparationConstraint>,
) -> usize {
    let mut leaving = 0;
    let longest = longest(columns);
    let step = columns.len().div_ceil(tunables::CONSTRAINTS_PER_VIEW).max(1);
    for (k, column) in columns.iter().enumerate() {
        if column.is_touch() || (k % step != 0 && k != longest) {
            continue;
        }
        let Some(sign) = leaving_sign(column) else { continue };
        leaving += 1;
        out.extend(constraint_of(scene, view, column, sign));
    }
    leaving
}

/// The constraint of a column that B leaves along the view (`sign` 1) or against it.
fn constraint_of(
    scene: &Scene<'_>,
    view: &View,
    column: &OverlapInterval,
    sign: f64,
) -> Option<SeparationConstraint> {
    let normal = common_normal(scene, column, sign)?;
    let along = normal.dot(&view.axes.depth) * sign;
    (along > tunables::GRAZED_FACET)
        .then(|| SeparationConstraint { normal, depth: column.length() as f64 * view.step * along })
}

/// Whether the longest column alone demands so much along `normal` that no translation shorter than `length`
/// (m) satisfies all constraints.
pub(crate) fn rules_out_shorter(
    scene: &Scene<'_>,
    view: &View,
    columns: &[OverlapInterval],
    normal: &Vector3<f64>,
    length: f64,
) -> bool {
    let column = &columns[longest(columns)];
    let constraint = leaving_sign(column).and_then(|sign| constraint_of(scene, view, column, sign));
    constraint
        .is_some_and(|p| p.normal.dot(normal) > 0.0 && (1.0 - tunables::SOLVER_RESIDUAL) * p.depth >= length)
}

/// The longest of some columns, the first of them.
pub(crate) fn longest(columns: &[OverlapInterval]) -> usize {
    (1..columns.len()).fold(0, |best, k| if columns[k].length() > columns[best].length() { k } else { best })
}

/// The minimum-norm translation that satisfies all constraints (Hildreth, "A quadratic programming procedure",
/// 1957).
pub(crate) fn minimum_norm_translation(constraints: &[SeparationConstraint]) -> MinimumNorm {
    let sum: Vector3<f64> = constraints.iter().map(|p| p.normal).sum();
    if sum.norm() >= tunables::ALIGNED_NORMALS * constraints.len() as f64 {
        return MinimumNorm::Aligned;
    }
    let greatest = constraints.iter().map(|p| p.depth).fold(0.0, f64::max);
    let mut translation = Vector3::zeros();
    let mut shares = vec![0.0; constraints.len()];
    for _ in 0..tunables::SOLVER_SWEEPS {
        for (share, constraint) in shares.iter_mut().zip(constraints) {
            let left = constraint.depth - constraint.normal.dot(&translation);
            let given = left.max(-*share);
            *share += given;
            translation += constraint.normal * given;
        }
        if translation.norm() > tunables::INFEASIBLE_LENGTH * greatest {
            return MinimumNorm::Infeasible;
        }
        let served = constraints
            .iter()
            .all(|p| p.depth - p.normal.dot(&translation) < tunables::SOLVER_RESIDUAL * greatest);
        // By duality the minimum is no shorter than √(1 − 2 · tunables::SOLVER_DUALITY_GAP) of this one.
        let owed: f64 = shares.iter().zip(constraints).map(|(share, p)| share * p.depth).sum();
        let square = translation.norm_squared();
        if served && square - owed <= tunables::SOLVER_DUALITY_GAP * square {
            return MinimumNorm::Translation(translation);
        }
    }
    MinimumNorm::Infeasible
}

/// What a point of contact requires of a small motion of B: `normal · translation + moment · turn ≥ depth`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MotionConstraint {
    /// Unit, from A to B.
    pub normal: Vector3<f64>,
    /// Moment of the normal about the middle that B turns about, as a part of the length that turns are measured by.
    pub moment: Vector3<f64>,
    /// (m)
    pub depth: f64,
}

/// Whether a small motion of B, a shift and a turn, satisfies all constraints (by the same method).
pub(crate) fn motion_satisfies(constraints: &[MotionConstraint]) -> bool {
    let greatest = constraints.iter().map(|p| p.depth).fold(0.0, f64::max);
    let rows: Vec<Vector6<f64>> = constraints
        .iter()
        .map(|p| Vector6::from_fn(|k, _| if k < 3 { p.normal[k] } else { p.moment[k - 3] }))
        .collect();
    let mut motion = Vector6::zeros();
    let mut shares = vec![0.0; constraints.len()];
    for _ in 0..tunables::SOLVER_SWEEPS {
        for ((share, row), constraint) in shares.iter_mut().zip(&rows).zip(constraints) {
            let left = constraint.depth - row.dot(&motion);
            let given = (left / row.norm_squared()).max(-*share);
            *share += given;
            motion += row * given;
        }
        if motion.norm() > tunables::INFEASIBLE_LENGTH * greatest {
            return false;
        }
        let residual = |(row, p): (&Vector6<f64>, &MotionConstraint)| p.depth - row.dot(&motion);
        if rows.iter().zip(constraints).all(|of| residual(of) < tunables::SOLVER_RESIDUAL * greatest) {
            return true;
        }
    }
    false
}

/// The middles of clusters of normals: the deepest constraint's, then repeatedly that of the deepest
/// constraint that is in none.
pub(crate) fn clusters(constraints: &[SeparationConstraint]) -> Vec<Vector3<f64>> {
    let mut middles: Vec<Vector3<f64>> = Vec::with_capacity(tunables::NORMAL_CLUSTERS);
    while middles.len() < tunables::NORMAL_CLUSTERS {
        let alone =
            |p: &&SeparationConstraint| middles.iter().all(|m| m.dot(&p.normal) < tunables::FACING_FACETS);
        let deepest = constraints.iter().filter(alone).fold(
            None,
            |best: Option<&SeparationConstraint>, p| match best {
                Some(known) if known.depth >= p.depth => best,
                _ => Some(p),
            },
        );
        let Some(deepest) = deepest else { break };
        let of_cluster =
            constraints.iter().filter(|p| p.normal.dot(&deepest.normal) >= tunables::FACING_FACETS);
        let sum: Vector3<f64> = of_cluster.map(|p| p.normal * p.depth).sum();
        // The middle may have moved from under others: these begin clusters of their own.
        let middle = sum.try_normalize(0.0).filter(|m| m.dot(&deepest.normal) >= tunables::FACING_FACETS);
        middles.push(middle.unwrap_or(deepest.normal));
    }
    middles
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn push(normal: [f64; 3], depth: f64) -> SeparationConstraint {
        SeparationConstraint { normal: Vector3::from(normal).normalize(), depth }
    }

    #[test]
    fn a_groove_asks_for_the_way_between_its_walls() {
        // Two walls at right angles, each 1 deep: √2 along their middle.
        let found = minimum_norm_translation(&[push([1.0, 0.0, 1.0], 1.0), push([-1.0, 0.0, 1.0], 1.0)]);
        let MinimumNorm::Translation(t) = found else { panic!("{found:?}") };
        assert!((t - Vector3::z() * 2f64.sqrt()).norm() < 0.06, "{t}");
    }

    #[test]
    fn opposite_walls_leave_no_way() {
        let walls = [push([1.0, 0.0, 0.0], 0.1), push([-1.0, 0.0, 0.0], 0.05)];
        assert_eq!(minimum_norm_translation(&walls), MinimumNorm::Infeasible);
        let middles = clusters(&walls);
        assert_eq!(middles, vec![Vector3::x(), -Vector3::x()]);
    }

    #[test]
    fn a_round_hole_has_four_clusters() {
        let walls: Vec<SeparationConstraint> = (0..48)
            .map(|k| {
                let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 48.0).sin_cos();
                push([cos, sin, 0.0], 0.1)
            })
            .collect();
        assert_eq!(minimum_norm_translation(&walls), MinimumNorm::Infeasible);
        assert_eq!(clusters(&walls).len(), 4);
    }

    #[test]
    fn a_lever_turns_and_a_vice_does_not() {
        let at = |x: f64, up: f64| MotionConstraint {
            normal: Vector3::z() * up,
            moment: Vector3::new(x, 0.0, 0.0).cross(&(Vector3::z() * up)),
            depth: 0.1,
        };
        assert!(
            motion_satisfies(&[at(0.8, 1.0), at(-0.8, -1.0)]),
            "held up at one end and down at the other"
        );
        assert!(!motion_satisfies(&[at(0.0, 1.0), at(0.0, -1.0)]), "from both sides at one place");
        let faces = [at(0.8, 1.0), at(-0.8, 1.0), at(0.8, -1.0), at(-0.8, -1.0)];
        assert!(!motion_satisfies(&faces), "between two faces");
    }

    proptest! {
        #[test]
        fn the_translation_gives_all_their_due_and_no_sampled_one_is_shorter(
            walls in prop::collection::vec(([-1.0..1.0f64, -1.0..1.0, 0.7..1.0], 0.1..1.0f64), 2..12),
        ) {
            let constraints: Vec<SeparationConstraint> = walls.iter().map(|(n, d)| push(*n, *d)).collect();
            if let MinimumNorm::Translation(t) = minimum_norm_translation(&constraints) {
                let enough = |t: &Vector3<f64>, part: f64| constraints.iter().all(|p| p.normal.dot(t) >= p.depth - part);
                prop_assert!(enough(&t, 0.041));
                for k in 0..200 {
                    let z = 1.0 - (f64::from(k) + 0.5) / 100.0;
                    let (sin, cos) = (2.4 * f64::from(k)).sin_cos();
                    let r = (1.0 - z * z).sqrt();
                    let other = Vector3::new(r * cos, r * sin, z) * (0.8 * t.norm());
                    prop_assert!(!enough(&other, 0.0));
                }
            }
        }
    }
}
