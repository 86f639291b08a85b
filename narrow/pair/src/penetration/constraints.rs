//! Pushes: what each column of an overlap asks of a translation, where two facets face each other there.
//!
//! Where the surfaces at a column's ends face each other, B is free of that place once it has moved by
//! the distance between them along their common normal. The least translation that gives every column
//! its due is a small quadratic programme; where it has no answer, normals oppose (a peg in a tight hole),
//! and the overlap is more than one contact. Je, Tang, Lee, Lee and Kim, "PolyDepth: Real-Time Penetration
//! Depth Computation Using Iterative Contact-Space Projection", 2012, make such programmes of contacts
//! at the border; here every column has one.

use crate::tunables;
use impinge_geometry::Side;
use nalgebra::Vector3;

use crate::scene::Scene;
use impinge_image_space::columns::Column;
use impinge_image_space::view::View;

/// What one column asks: `normal · translation ≥ depth`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Push {
    /// Unit, from A to B.
    pub normal: Vector3<f64>,
    /// (m)
    pub depth: f64,
}

/// What all columns together ask.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Demand {
    /// All of the same way, or nobody asks.
    One,
    /// The least translation that gives everyone his due (m).
    Together(Vector3<f64>),
    /// No translation of about their size does.
    Opposed,
}

/// The common normal of the facets that face each other at a column's ends, going along the view
/// (`sign` 1) or against it.
pub(crate) fn common_normal(scene: &Scene<'_>, column: &Column, sign: f64) -> Option<Vector3<f64>> {
    let [a, b] = &column.solid;
    let [a, b] =
        if sign > 0.0 { [a.close_triangle, b.open_triangle] } else { [a.open_triangle, b.close_triangle] };
    let a = scene.facet_normal(Side::A, a)?;
    let b = scene.facet_normal(Side::B, b)?;
    (a.dot(&b) < -tunables::FACING_FACETS).then(|| (a - b).normalize())
}

/// Which way along the view B leaves the place of a column: where A's surface ends the overlap and B's
/// begins it, or the reverse. `None` where one body's surface does both: it is thin there, and may leave
/// either way.
pub(crate) fn way_of(column: &Column) -> Option<f64> {
    match column.gradient() {
        2 => Some(1.0),
        -2 => Some(-1.0),
        _ => None,
    }
}

/// Adds the pushes of the columns of a view, of at most [`tunables::CONSTRAINTS_PER_VIEW`] of them evenly picked and the longest;
/// gives how many have a way to leave by.
pub(crate) fn gather(scene: &Scene<'_>, view: &View, columns: &[Column], out: &mut Vec<Push>) -> usize {
    let mut leaving = 0;
    let longest = longest(columns);
    let step = columns.len().div_ceil(tunables::CONSTRAINTS_PER_VIEW).max(1);
    for (k, column) in columns.iter().enumerate() {
        if column.is_touch() || (k % step != 0 && k != longest) {
            continue;
        }
        let Some(sign) = way_of(column) else { continue };
        leaving += 1;
        out.extend(push_of(scene, view, column, sign));
    }
    leaving
}

/// What a column asks, that B leaves along the view (`sign` 1) or against it.
fn push_of(scene: &Scene<'_>, view: &View, column: &Column, sign: f64) -> Option<Push> {
    let normal = common_normal(scene, column, sign)?;
    let along = normal.dot(&view.axes.depth) * sign;
    (along > tunables::GRAZED_FACET)
        .then(|| Push { normal, depth: column.length() as f64 * view.step * along })
}

/// Whether the longest column alone asks for so much along `normal` that no translation shorter than `length`
/// (m) gives all columns their due.
pub(crate) fn asks_for(
    scene: &Scene<'_>,
    view: &View,
    columns: &[Column],
    normal: &Vector3<f64>,
    length: f64,
) -> bool {
    let column = &columns[longest(columns)];
    let push = way_of(column).and_then(|sign| push_of(scene, view, column, sign));
    push.is_some_and(|p| p.normal.dot(normal) > 0.0 && (1.0 - tunables::SOLVER_RESIDUAL) * p.depth >= length)
}

/// The longest of some columns, the first of them.
pub(crate) fn longest(columns: &[Column]) -> usize {
    (1..columns.len()).fold(0, |best, k| if columns[k].length() > columns[best].length() { k } else { best })
}

/// The least translation that gives every push its due (Hildreth, "A quadratic programming procedure",
/// 1957).
pub(crate) fn demand(pushes: &[Push]) -> Demand {
    let sum: Vector3<f64> = pushes.iter().map(|p| p.normal).sum();
    if sum.norm() >= tunables::ALIGNED_NORMALS * pushes.len() as f64 {
        return Demand::One;
    }
    let greatest = pushes.iter().map(|p| p.depth).fold(0.0, f64::max);
    let mut translation = Vector3::zeros();
    let mut shares = vec![0.0; pushes.len()];
    for _ in 0..tunables::SOLVER_SWEEPS {
        for (share, push) in shares.iter_mut().zip(pushes) {
            let left = push.depth - push.normal.dot(&translation);
            let given = left.max(-*share);
            *share += given;
            translation += push.normal * given;
        }
        if translation.norm() > tunables::INFEASIBLE_LENGTH * greatest {
            return Demand::Opposed;
        }
        let served = pushes
            .iter()
            .all(|p| p.depth - p.normal.dot(&translation) < tunables::SOLVER_RESIDUAL * greatest);
        // By duality the least translation is no shorter than √(1 − 2 · tunables::SOLVER_DUALITY_GAP) of this one.
        let owed: f64 = shares.iter().zip(pushes).map(|(share, p)| share * p.depth).sum();
        let square = translation.norm_squared();
        if served && square - owed <= tunables::SOLVER_DUALITY_GAP * square {
            return Demand::Together(translation);
        }
    }
    Demand::Opposed
}

/// The middles of clusters of normals: the deepest push's, then again and again that of the deepest
/// push that is in none.
pub(crate) fn clusters(pushes: &[Push]) -> Vec<Vector3<f64>> {
    let mut middles: Vec<Vector3<f64>> = Vec::with_capacity(tunables::NORMAL_CLUSTERS);
    while middles.len() < tunables::NORMAL_CLUSTERS {
        let alone = |p: &&Push| middles.iter().all(|m| m.dot(&p.normal) < tunables::FACING_FACETS);
        let deepest = pushes.iter().filter(alone).fold(None, |best: Option<&Push>, p| match best {
            Some(known) if known.depth >= p.depth => best,
            _ => Some(p),
        });
        let Some(deepest) = deepest else { break };
        let of_cluster = pushes.iter().filter(|p| p.normal.dot(&deepest.normal) >= tunables::FACING_FACETS);
        let sum: Vector3<f64> = of_cluster.map(|p| p.normal * p.depth).sum();
        // The middle may have moved from under others: these are asked again.
        let middle = sum.try_normalize(0.0).filter(|m| m.dot(&deepest.normal) >= tunables::FACING_FACETS);
        middles.push(middle.unwrap_or(deepest.normal));
    }
    middles
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn push(normal: [f64; 3], depth: f64) -> Push {
        Push { normal: Vector3::from(normal).normalize(), depth }
    }

    #[test]
    fn a_groove_asks_for_the_way_between_its_walls() {
        // Two walls at right angles, each 1 deep: √2 along their middle.
        let found = demand(&[push([1.0, 0.0, 1.0], 1.0), push([-1.0, 0.0, 1.0], 1.0)]);
        let Demand::Together(t) = found else { panic!("{found:?}") };
        assert!((t - Vector3::z() * 2f64.sqrt()).norm() < 0.06, "{t}");
    }

    #[test]
    fn opposite_walls_leave_no_way() {
        let walls = [push([1.0, 0.0, 0.0], 0.1), push([-1.0, 0.0, 0.0], 0.05)];
        assert_eq!(demand(&walls), Demand::Opposed);
        let middles = clusters(&walls);
        assert_eq!(middles, vec![Vector3::x(), -Vector3::x()]);
    }

    #[test]
    fn a_round_hole_has_four_clusters() {
        let walls: Vec<Push> = (0..48)
            .map(|k| {
                let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 48.0).sin_cos();
                push([cos, sin, 0.0], 0.1)
            })
            .collect();
        assert_eq!(demand(&walls), Demand::Opposed);
        assert_eq!(clusters(&walls).len(), 4);
    }

    proptest! {
        #[test]
        fn the_translation_gives_all_their_due_and_no_sampled_one_is_shorter(
            walls in prop::collection::vec(([-1.0..1.0f64, -1.0..1.0, 0.7..1.0], 0.1..1.0f64), 2..12),
        ) {
            let pushes: Vec<Push> = walls.iter().map(|(n, d)| push(*n, *d)).collect();
            if let Demand::Together(t) = demand(&pushes) {
                let enough = |t: &Vector3<f64>, part: f64| pushes.iter().all(|p| p.normal.dot(t) >= p.depth - part);
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
