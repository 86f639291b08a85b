//! Where B stands free of A, by their contacts.

use impinge_contacts::Manifold;
use impinge_geometry::Motion;
use impinge_midphase::PreparedShape;
use nalgebra::{Isometry3, Translation3, Vector3};

use crate::query::{PairPoses, QueryScratch, exit_shift, shapes_touch};

/// Rounds of the programme at most, and how far its constraints may be missed (part of the greatest depth).
const ROUNDS: u32 = 200;
const MISSED: f64 = 0.01;

/// A translation longer than this many times the greatest depth frees nothing: normals oppose each other.
const LONGEST: f64 = 20.0;

/// How far B is lifted beyond its contacts' depths (gaps): what lies still sinks by less in a step.
const LIFT: f64 = 20.0;

/// Where there is no room for that, as between the links of a chain: so many gaps, then fewer.
const TIGHT: [f64; 4] = [20.0, 6.0, 2.0, 0.5];

/// Directions along which B is shifted, at most, until it is free.
const MOST_DIRECTIONS: usize = 6;

/// Directions whose cosine is greater are one.
const SAME: f64 = 0.999;

/// B's motion from where it is free of A: displaced by the least translation that its contacts ask for, and [`LIFT`] gaps (m)
/// beyond; where that does not free it, by the shortest exact way to be free along that translation, the contacts' normals, or back
/// along its motion, of about their depths. `face` is the normal of a face that they touch at, for where they have no contacts.
/// `None` where nothing frees it.
pub(super) fn lifted(
    manifolds: &[Manifold],
    face: Option<Vector3<f64>>,
    shapes: [&PreparedShape; 2],
    motions: &[Motion; 2],
    gap: f64,
    scratch: &mut QueryScratch,
) -> Option<Motion> {
    let mut constraints: Vec<(Vector3<f64>, f64)> = manifolds
        .iter()
        .flat_map(|m| m.points.iter().map(move |point| (m.normal, point.depth.max(0.0) + LIFT * gap)))
        .collect();
    if constraints.is_empty() {
        // An open mesh has no depth; what has just come to it is no deeper than that.
        constraints.extend(face.map(|normal| (normal, LIFT * gap)));
    }
    let translation = least_translation(&constraints);
    let poses_at =
        |by: &Vector3<f64>| PairPoses::checked(*motions[0].start(), *displaced(&motions[1], by).start());
    if let Some(by) = translation
        && !shapes_touch(shapes, &poses_at(&by), scratch, None)
    {
        return Some(displaced(&motions[1], &by));
    }
    constraints.sort_by(|p, q| q.1.total_cmp(&p.1));
    let longest = LONGEST * constraints.first()?.1;
    let back = motions[0].way() - motions[1].way();
    let asked = translation.into_iter().chain(constraints.iter().map(|(normal, _)| *normal)).chain([back]);
    let mut directions: Vec<Vector3<f64>> = Vec::with_capacity(MOST_DIRECTIONS);
    for direction in asked.filter_map(|v| v.try_normalize(0.0)) {
        if directions.len() < MOST_DIRECTIONS && directions.iter().all(|other| other.dot(&direction) < SAME) {
            directions.push(direction);
        }
    }
    let start = poses_at(&Vector3::zeros());
    let mut shortest: Option<(f64, Vector3<f64>)> = None;
    for direction in directions {
        let most = shortest.map_or(longest, |(length, _)| length);
        if let Some(length) = exit_shift(shapes, &start, &direction, most, scratch).filter(|&l| l < most) {
            shortest = Some((length, direction));
        }
    }
    let (length, direction) = shortest?;
    TIGHT.iter().map(|gaps| direction * (length + gaps * gap)).find_map(|by| {
        (!shapes_touch(shapes, &poses_at(&by), scratch, None)).then(|| displaced(&motions[1], &by))
    })
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
