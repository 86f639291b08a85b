//! The least translation that frees B from A, by exact shifts.
//!
//! A free shift along a direction ends on a plane: B, short of it there, still touches A. So the translations that are
//! free near there lie beyond that plane, and the shortest that lies beyond all planes that are known is a better guess;
//! the first free shift along it is exact again, and shows another plane. From the best of some directions that
//! promise to be short the guesses go down to a least one.
//!
//! The contact planes and the projection on them are those of Je, Tang, Lee, Lee and Kim, "PolyDepth: Real-Time
//! Penetration Depth Computation Using Iterative Contact-Space Projection", 2012; that each projection is followed by
//! an exact shift from the start, not by a continuous test towards it, is ours.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use impinge_exact::translation::{Clearance, ClearanceScratch};
use nalgebra::{Point3, Vector3};

use super::swept::Swept;
use super::translation::SeparatingTranslation;
use crate::tunables;

/// A half-space of translations: those with `normal · translation ≥ offset` (m).
#[derive(Clone, Copy, Debug)]
struct Plane {
    normal: Vector3<f64>,
    offset: f64,
}

/// A direction that is being followed: what may be shortest comes first; of equals, the one that was named first.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// B is known not to be free before (m).
    least: f64,
    order: usize,
    /// Unit.
    direction: Vector3<f64>,
    /// How it was followed so far: what it passed last.
    passed: Option<Clearance>,
    /// Whether the lines through all common places have been looked along.
    is_bounded: bool,
    /// How many of the known obstacles it has been tried on.
    tried: usize,
}

/// Where a direction was blocked last: what blocks it mostly blocks those beside it.
#[derive(Clone, Copy, Debug)]
struct Obstacle {
    /// Unit.
    direction: Vector3<f64>,
    /// Midway between the places on A and on B that met last (m, pair frame): the line through it along another direction
    /// passes both about as far aside.
    midway: Point3<f64>,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.least.total_cmp(&other.least).then(self.order.cmp(&other.order))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// A search that is going on.
struct Search<'s> {
    swept: &'s Swept<'s>,
    /// Points inside both bodies (m, pair frame): the lines through them refute most directions.
    common: Vec<Point3<f64>>,
    scratch: &'s mut ClearanceScratch,
    best: Option<SeparatingTranslation>,
    planes: Vec<Plane>,
    obstacles: Vec<Obstacle>,
    /// Whether it ended before all that it had to try.
    cut: bool,
}

/// What a search has found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub least: Option<SeparatingTranslation>,
    /// Whether the budget of the scratch was spent before the search had come to its end.
    pub cut: bool,
}

/// The shortest translation found along `seeds` (unit) and downhill from the best of them; none that is `bound` (m) long
/// or longer. Places that are known to be inside both bodies (`common`: m, pair frame) make it faster. Where one is known when
/// the budget of `scratch` is spent, the search ends.
pub(crate) fn least_translation(
    swept: &Swept<'_>,
    seeds: &[Vector3<f64>],
    common: Vec<Point3<f64>>,
    bound: f64,
    scratch: &mut ClearanceScratch,
) -> Found {
    let mut search = Search {
        swept,
        common,
        scratch,
        best: None,
        planes: Vec::new(),
        obstacles: Vec::with_capacity(seeds.len()),
        cut: false,
    };
    let mut open: BinaryHeap<Reverse<Candidate>> = BinaryHeap::with_capacity(seeds.len());
    // Of two that are opposite one line says both.
    let mut opposite: Vec<Option<f64>> = vec![None; seeds.len()];
    for (order, seed) in seeds.iter().enumerate() {
        if seeds[..order].iter().any(|other| other.dot(seed) > tunables::SAME_SEED) {
            continue;
        }
        let least = opposite[order].unwrap_or_else(|| {
            let [least, back] = search.least(seed, 0);
            let against = seeds[order + 1..].iter().position(|other| *other == -seed);
            if let Some(against) = against {
                opposite[order + 1 + against] = Some(back);
            }
            least
        });
        open.push(Reverse(Candidate {
            least,
            order,
            direction: *seed,
            passed: None,
            is_bounded: false,
            tried: 0,
        }));
    }
    let mut starts: Vec<(f64, Vector3<f64>, Option<Plane>)> = Vec::with_capacity(open.len());
    while let Some(Reverse(mut candidate)) = open.pop() {
        let length = search.best.map_or(bound, |best| best.length);
        let limit = (tunables::SEED_LEEWAY * length).min(bound);
        if candidate.least >= limit || search.ends() {
            break;
        }
        if !candidate.is_bounded {
            // One line has put it in its place; the others may show that it is longer.
            candidate.least = search.least_below(&candidate.direction, candidate.least, limit);
            candidate.is_bounded = true;
            open.push(Reverse(candidate));
            continue;
        }
        if candidate.tried < search.obstacles.len() {
            let least = search.least_past(&candidate.direction, candidate.tried, candidate.least, limit);
            candidate.tried = search.obstacles.len();
            if least > candidate.least {
                (candidate.least, candidate.passed) = (least, None);
                open.push(Reverse(candidate));
                continue;
            }
        }
        // No direction is followed much farther than others are known to be blocked.
        let next = open.peek().map_or(candidate.least, |Reverse(next)| next.least);
        let goal = if next > 0.0 { (tunables::SEED_STEP * next).min(limit) } else { limit };
        let so_far = (candidate.least, candidate.passed);
        let Some(found) = search.along(&candidate.direction, so_far, goal) else {
            return Found { least: None, cut: search.cut };
        };
        if found.length >= goal && goal < limit {
            (candidate.least, candidate.passed) = (found.length, Some(found));
            open.push(Reverse(candidate));
            continue;
        }
        if found.length < limit {
            starts.push((found.length, candidate.direction, Plane::of(&found, &candidate.direction)));
        }
    }
    // Only now, and from those within the leeway of the best: what is found does not depend on the order in which seeds
    // were followed.
    let limit = tunables::SEED_LEEWAY * search.best.map_or(bound, |best| best.length);
    starts.retain(|start| start.0 < limit);
    // The shortest first; of equals, the one that was named first.
    starts.sort_by(|p, q| p.0.total_cmp(&q.0));
    for (_, seed, plane) in starts.into_iter().take(tunables::REFINED_SEEDS) {
        search.refine(&seed, plane, bound);
    }
    Found { least: search.best, cut: search.cut }
}

impl Plane {
    /// The plane on which a shift along a direction ended.
    fn of(found: &Clearance, direction: &Vector3<f64>) -> Option<Plane> {
        let normal = found.normal?;
        Some(Plane { normal, offset: normal.dot(direction) * found.length })
    }
}

impl Search<'_> {
    /// Whether the search ends because it has cost enough; where nothing is found yet it goes on.
    fn ends(&mut self) -> bool {
        self.cut |= self.best.is_some() && self.scratch.is_spent();
        self.cut
    }

    /// How far B must move along a direction at least (m), and how far against it, by the line through a common place.
    fn least(&mut self, direction: &Vector3<f64>, place: usize) -> [f64; 2] {
        self.common.get(place).map_or([0.0; 2], |p| self.swept.least(p, direction, self.scratch))
    }

    /// … by the lines through all but the first, until that is `limit` or more; `known` is what the first one says.
    fn least_below(&mut self, direction: &Vector3<f64>, known: f64, limit: f64) -> f64 {
        (1..self.common.len()).fold(known, |known, place| {
            if known >= limit { known } else { known.max(self.least(direction, place)[0]) }
        })
    }

    /// … by the lines past the obstacles from `tried` on that are nearest to the direction, until that is `limit` or more.
    fn least_past(&mut self, direction: &Vector3<f64>, tried: usize, known: f64, limit: f64) -> f64 {
        let mut near = [(tunables::BESIDE_OBSTACLE, None); tunables::OBSTACLES_TRIED];
        for obstacle in &self.obstacles[tried..] {
            let cos = obstacle.direction.dot(direction);
            let Some(mut at) = near.iter().position(|(own, _)| cos > *own) else { continue };
            let mut new = (cos, Some(obstacle.midway));
            while at < near.len() {
                std::mem::swap(&mut near[at], &mut new);
                at += 1;
            }
        }
        near.iter().filter_map(|(_, midway)| *midway).fold(known, |known, midway| {
            if known >= limit {
                known
            } else {
                self.swept.least_from(&midway, direction, [known, limit], self.scratch)
            }
        })
    }

    /// The first free shift along a direction, no shorter than `from` and no longer than `bound` (m); kept where it is the
    /// shortest. `passed`: what is passed at `from`, where that is known.
    fn along(
        &mut self,
        direction: &Vector3<f64>,
        (from, passed): (f64, Option<Clearance>),
        bound: f64,
    ) -> Option<Clearance> {
        let mut found = self.swept.shift(direction, from, bound, self.scratch)?;
        if passed.is_none() && found.normal.is_none() && from > 0.0 && found.length < bound {
            // A line has said all of it: what it ends on is seen from a little before.
            found = self.swept.shift(direction, tunables::BEFORE_END * from, bound, self.scratch)?;
        }
        if let Some(passed) = passed
            && found.normal.is_none()
            && found.length <= from
        {
            found = Clearance { length: found.length, ..passed };
        }
        if found.triangles.is_some() {
            let midway = nalgebra::center(&found.points[0], &found.points[1]);
            self.obstacles.push(Obstacle { direction: *direction, midway });
        }
        let least = self.best.map_or(bound, |best| best.length);
        if found.length < least.min(bound) {
            let ends = found.normal.map(|_| found.points);
            self.best = Some(SeparatingTranslation { normal: *direction, length: found.length, ends });
        }
        Some(found)
    }

    /// Goes down from a direction whose shift ended on `plane`.
    fn refine(&mut self, direction: &Vector3<f64>, plane: Option<Plane>, bound: f64) {
        self.planes.clear();
        self.planes.extend(plane);
        let mut last = *direction;
        for _ in 0..tunables::TRANSLATION_ROUNDS {
            let length = self.best.map_or(bound, |best| best.length);
            let Some(guess) = nearest(&self.planes) else { return };
            let Some(direction) = guess.try_normalize(0.0) else { return };
            // Nothing beyond these planes is clearly shorter.
            if guess.norm() > tunables::LEAST_TRANSLATION_GAIN * length
                || direction.dot(&last) > tunables::SAME_SEED
                || self.ends()
            {
                return;
            }
            let [first, _] = self.least(&direction, 0);
            let least = self.least_below(&direction, first, length);
            if least >= length {
                return;
            }
            let Some(found) = self.along(&direction, (least, None), length) else { return };
            if found.length < length {
                // What is free disproves planes that say it is not.
                let free = direction * found.length;
                let slack = 1e-6 * found.length;
                self.planes.retain(|plane| plane.normal.dot(&free) >= plane.offset - slack);
            }
            let Some(plane) = Plane::of(&found, &direction) else { return };
            if self.planes.len() == tunables::TRANSLATION_PLANES {
                self.planes.remove(0);
            }
            self.planes.push(plane);
            last = direction;
        }
    }
}

/// The point nearest to the origin that lies beyond all planes; `None` where there is none.
///
/// Such a point lies on one, two or three of them, at the foot of the perpendicular of what they have in common.
fn nearest(planes: &[Plane]) -> Option<Vector3<f64>> {
    let mut best: Option<Vector3<f64>> = None;
    let size = planes.iter().map(|plane| plane.offset.abs()).fold(0.0, f64::max);
    let mut offer = |point: Vector3<f64>| {
        let beyond = planes.iter().all(|plane| plane.normal.dot(&point) >= plane.offset - 1e-9 * size);
        if beyond && best.is_none_or(|best| point.norm_squared() < best.norm_squared()) {
            best = Some(point);
        }
    };
    for (i, p) in planes.iter().enumerate() {
        offer(p.normal * p.offset);
        for (j, q) in planes.iter().enumerate().skip(i + 1) {
            let cos = p.normal.dot(&q.normal);
            let square = 1.0 - cos * cos;
            if square < 1e-9 {
                continue;
            }
            let along_p = (p.offset - cos * q.offset) / square;
            let along_q = (q.offset - cos * p.offset) / square;
            offer(p.normal * along_p + q.normal * along_q);
            for r in &planes[j + 1..] {
                let across =
                    [q.normal.cross(&r.normal), r.normal.cross(&p.normal), p.normal.cross(&q.normal)];
                let volume = p.normal.dot(&across[0]);
                if volume.abs() > 1e-6 {
                    offer((across[0] * p.offset + across[1] * q.offset + across[2] * r.offset) / volume);
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(normal: [f64; 3], offset: f64) -> Plane {
        Plane { normal: Vector3::from(normal).normalize(), offset }
    }

    #[test]
    fn nearest_point_lies_on_one_two_or_three_planes() {
        let floor = plane([0.0, 0.0, 1.0], 1.0);
        assert_eq!(nearest(&[floor]), Some(Vector3::z()));
        let wall = plane([1.0, 0.0, 0.0], 2.0);
        assert!((nearest(&[floor, wall]).unwrap() - Vector3::new(2.0, 0.0, 1.0)).norm() < 1e-12);
        let other = plane([0.0, 1.0, 0.0], -3.0);
        assert!((nearest(&[floor, wall, other]).unwrap() - Vector3::new(2.0, 0.0, 1.0)).norm() < 1e-12);
        let other = plane([0.0, -1.0, 0.0], 3.0);
        assert!((nearest(&[floor, wall, other]).unwrap() - Vector3::new(2.0, -3.0, 1.0)).norm() < 1e-12);
        assert_eq!(nearest(&[floor, plane([0.0, 0.0, -1.0], 0.5)]), None);
        assert_eq!(nearest(&[]), None);
    }

    #[test]
    fn nearest_point_is_that_of_a_fine_search() {
        let mut seed = 1u64;
        let mut number = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..200 {
            let planes: Vec<Plane> = (0..4)
                .map(|_| {
                    let normal = [number() - 0.5, number() - 0.5, 0.2 + number()];
                    plane(normal, number())
                })
                .collect();
            // Hildreth's rounds, as many as it takes.
            let (mut point, mut shares) = (Vector3::zeros(), [0.0f64; 4]);
            for _ in 0..20_000 {
                for (share, plane) in shares.iter_mut().zip(&planes) {
                    let given = (plane.offset - plane.normal.dot(&point)).max(-*share);
                    *share += given;
                    point += plane.normal * given;
                }
            }
            assert!((nearest(&planes).unwrap() - point).norm() < 1e-5);
        }
    }
}
