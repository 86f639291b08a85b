//! Where B stands free of A, by their contacts.

use impinge_contacts::Manifold;
use impinge_geometry::Motion;
use impinge_midphase::PreparedShape;
use nalgebra::{Isometry3, Translation3, Vector3};

use crate::query::{PairPoses, QueryScratch, shapes_touch};

/// Rounds of the programme at most, and how far its constraints may be missed (part of the greatest depth).
const ROUNDS: u32 = 200;
const MISSED: f64 = 0.01;

/// A translation longer than this many times the greatest depth frees nothing: normals oppose each other.
const LONGEST: f64 = 20.0;

/// How far B is lifted beyond its contacts' depths (gaps): what lies still sinks by less in a step.
const LIFT: f64 = 20.0;

/// How often a translation that does not free is doubled.
const DOUBLINGS: u32 = 2;

/// B's motion from where it is free of A: displaced by the least translation that its contacts ask for, and [`LIFT`] gaps (m) beyond. `face` is the
/// normal of a face that they touch at, for where they have no contacts. `None` where nothing frees it.
pub(super) fn lifted<'m>(
    manifolds: impl Iterator<Item = &'m Manifold>,
    face: Option<Vector3<f64>>,
    shapes: [&PreparedShape; 2],
    motions: &[Motion; 2],
    gap: f64,
    scratch: &mut QueryScratch,
) -> Option<Motion> {
    let mut constraints: Vec<(Vector3<f64>, f64)> = manifolds
        .flat_map(|m| m.points.iter().map(move |point| (m.normal, point.depth.max(0.0) + LIFT * gap)))
        .collect();
    if constraints.is_empty() {
        // An open mesh has no depth; what has just come to it is no deeper than that.
        constraints.extend(face.map(|normal| (normal, LIFT * gap)));
    }
    let mut translation = least_translation(&constraints)?;
    for _ in 0..=DOUBLINGS {
        let moved = displaced(&motions[1], &translation);
        let poses = PairPoses::checked(*motions[0].start(), *moved.start());
        if !shapes_touch(shapes, &poses, scratch, None) {
            return Some(moved);
        }
        translation *= 2.0;
    }
    None
}

/// The motion, displaced (m).
pub(super) fn displaced(motion: &Motion, by: &Vector3<f64>) -> Motion {
    let shift = |pose: &Isometry3<f64>| {
        Isometry3::from_parts(Translation3::from(pose.translation.vector + by), pose.rotation)
    };
    Motion::between(shift(motion.start()), shift(&motion.pose(1.0)))
        .about(*motion.center())
        .turn(motion.rotation_vector())
        .bend(motion.stray())
}

/// The least translation with `normal · translation ≥ length` for all (Hildreth, "A quadratic programming procedure",
/// 1957); `None` where there is none of about their size.
fn least_translation(constraints: &[(Vector3<f64>, f64)]) -> Option<Vector3<f64>> {
    let greatest = constraints.iter().map(|(_, length)| *length).fold(0.0, f64::max);
    let mut translation = Vector3::zeros();
    let mut shares = vec![0.0; constraints.len()];
    for _ in 0..ROUNDS {
        let mut missed = 0.0f64;
        for (share, (normal, length)) in shares.iter_mut().zip(constraints) {
            let left = length - normal.dot(&translation);
            missed = missed.max(left);
            let given = left.max(-*share);
            *share += given;
            translation += normal * given;
        }
        if missed <= MISSED * greatest {
            return (greatest > 0.0).then_some(translation);
        }
        if translation.norm() > LONGEST * greatest {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_translation_satisfies_all_or_there_is_none() {
        let up = (Vector3::z(), 0.1);
        assert!((least_translation(&[up, up]).unwrap() - Vector3::new(0.0, 0.0, 0.1)).norm() < 1e-9);
        let corner = least_translation(&[up, (Vector3::x(), 0.2)]).unwrap();
        assert!((corner - Vector3::new(0.2, 0.0, 0.1)).norm() < 1e-3);
        assert_eq!(least_translation(&[up, (-Vector3::z(), 0.1)]), None);
        assert_eq!(least_translation(&[]), None);
    }
}
