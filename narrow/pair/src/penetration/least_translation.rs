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

use super::planes::{Plane, nearest};
use super::swept::Swept;
use super::translation::SeparatingTranslation;
use crate::tunables;

/// By what a direction is bounded from below so far.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    /// Balls inside both bodies, looked at so far (m).
    Balls(f64),
    /// … and the line through the first common place.
    Line,
    /// … and the lines through all of them.
    Lines,
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
    bounded: Bound,
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
    /// By which of the seeds it was found.
    best_order: usize,
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
        best_order: usize::MAX,
        planes: Vec::new(),
        obstacles: Vec::with_capacity(seeds.len()),
        cut: false,
    };
    let mut open: BinaryHeap<Reverse<Candidate>> = BinaryHeap::with_capacity(seeds.len());
    let mut starts: Vec<Start> = Vec::with_capacity(seeds.len());
    let mut lines = FirstLines::of(seeds);
    // How far the balls inside both bodies have been looked at, where they are.
    let mut by_balls = 0.0;
    if seeds.len() >= tunables::SEEDS_FOR_BALLS
        && let Some(first) = swept.start_balls(search.scratch)
    {
        by_balls = first.min(bound);
        search.scratch.extend_balls(by_balls);
    }
    for (order, seed) in seeds.iter().enumerate() {
        if seeds[..order].iter().any(|other| other.dot(seed) > tunables::SAME_SEED) {
            continue;
        }
        let (least, bounded) = if by_balls > 0.0 {
            (search.scratch.ball_bound(seed, [0.0, by_balls]), Bound::Balls(by_balls))
        } else {
            (lines.bound(order, &mut search), Bound::Line)
        };
        open.push(Reverse(Candidate { least, order, direction: *seed, passed: None, bounded, tried: 0 }));
    }
    while let Some(Reverse(mut candidate)) = open.pop() {
        let length = search.best.map_or(bound, |best| best.length);
        let limit = (tunables::SEED_LEEWAY * length).min(bound);
        if candidate.least >= limit || search.ends() {
            break;
        }
        if candidate.bounded != Bound::Lines {
            // What has put it in its place is cheap; what costs more may show that it is longer.
            let (direction, known) = (candidate.direction, candidate.least);
            (candidate.least, candidate.bounded) = match candidate.bounded {
                Bound::Balls(asked) if known >= asked => {
                    // Blocked as far as the balls have been looked at; where all are, they are looked at farther.
                    if asked >= by_balls {
                        by_balls = (tunables::BALLS_FARTHER * by_balls).max(known).min(limit);
                        search.scratch.extend_balls(by_balls);
                    }
                    let least = search.scratch.ball_bound(&direction, [known, by_balls]);
                    (least, Bound::Balls(by_balls))
                }
                Bound::Balls(_) => {
                    let line = lines.bound(candidate.order, &mut search).max(known);
                    (search.scratch.ball_bound(&direction, [line, by_balls]), Bound::Line)
                }
                _ => (search.least_below(&direction, known, limit), Bound::Lines),
            };
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
        let Some(found) = search.along((&candidate.direction, candidate.order), so_far, goal) else {
            return Found { least: None, cut: search.cut };
        };
        if found.length >= goal && goal < limit {
            (candidate.least, candidate.passed) = (found.length, Some(found));
            open.push(Reverse(candidate));
            continue;
        }
        if found.length < limit {
            starts.push(Start::of(&found, &candidate.direction, candidate.order));
        }
    }
    // Only now, and from those within the leeway of the best: what is found does not depend on the order in which seeds
    // were followed.
    let limit = tunables::SEED_LEEWAY * search.best.map_or(bound, |best| best.length);
    starts.retain(|start| start.length < limit);
    // The shortest first; of equals, the one that was named first.
    starts.sort_by(|p, q| p.length.total_cmp(&q.length).then(p.order.cmp(&q.order)));
    for start in starts.into_iter().take(tunables::REFINED_SEEDS) {
        search.refine(&start.direction, start.plane, bound);
    }
    Found { least: search.best, cut: search.cut }
}

/// A direction that was followed to its end.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// The first free shift (m).
    length: f64,
    /// Unit.
    direction: Vector3<f64>,
    plane: Option<Plane>,
    order: usize,
}

impl Start {
    fn of(found: &Clearance, direction: &Vector3<f64>, order: usize) -> Start {
        Start { length: found.length, direction: *direction, plane: Plane::of(found, direction), order }
    }
}

/// What the lines through the first common place say, of two seeds that are opposite at once.
struct FirstLines<'s> {
    seeds: &'s [Vector3<f64>],
    known: Vec<Option<f64>>,
}

impl FirstLines<'_> {
    fn of(seeds: &[Vector3<f64>]) -> FirstLines<'_> {
        FirstLines { seeds, known: vec![None; seeds.len()] }
    }

    /// How far B must move along a seed at least (m).
    fn bound(&mut self, order: usize, search: &mut Search<'_>) -> f64 {
        if let Some(known) = self.known[order] {
            return known;
        }
        let seed = &self.seeds[order];
        let [least, back] = search.least(seed, 0);
        self.known[order] = Some(least);
        if let Some(against) = self.seeds.iter().position(|other| *other == -seed) {
            self.known[against] = Some(back);
        }
        least
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
        (direction, order): (&Vector3<f64>, usize),
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
        let is_best = match self.best {
            Some(best) => {
                found.length < best.length || found.length == best.length && order < self.best_order
            }
            None => true,
        };
        if is_best && found.length < bound {
            let ends = found.normal.map(|_| found.points);
            self.best_order = order;
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
            let Some(found) = self.along((&direction, usize::MAX), (least, None), length) else { return };
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use impinge_exact::intersect::Surfaces;
    use impinge_exact::translation::is_common;
    use impinge_geometry::PairFrame;
    use impinge_midphase::Surface;
    use impinge_scenes::fixtures::{box_mesh, torus};
    use impinge_scenes::mesh::Knot;
    use impinge_scenes::random::Random;
    use nalgebra::{Isometry3, UnitQuaternion};

    use super::*;

    /// With balls that bound the directions and without them the same translation is found; where a direction ends on several planes at
    /// once, the search may go down from another of them.
    #[test]
    fn balls_change_nothing_of_what_is_found() {
        let mut numbers = Random::new(3);
        let knot = Knot { along: 40, across: 7, ..Knot::default() }.mesh().unwrap();
        let meshes = [knot, torus(0.4, 0.15, 14, 8), box_mesh([0.3, 0.2, 0.4])].map(Arc::new);
        let with = meshes.each_ref().map(|mesh| Surface::new(Arc::clone(mesh)));
        let without = meshes.each_ref().map(|mesh| Surface::new(Arc::clone(mesh)));
        for surface in &without {
            // Those that are kept first stay.
            assert!(surface.tree.inner_balls(Vec::new).is_empty());
        }
        let seeds: Vec<Vector3<f64>> = (0..60)
            .flat_map(|_| {
                let seed = Vector3::from_fn(|_, _| numbers.signed()).normalize();
                [seed, -seed]
            })
            .collect();
        let (mut found, mut same, mut fewer) = (0, 0, 0);
        for case in 0..120 {
            let turn = UnitQuaternion::from_scaled_axis(Vector3::from_fn(|_, _| 3.0 * numbers.signed()));
            let at = Vector3::from_fn(|_, _| 0.3 * numbers.signed());
            let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::from_parts(at.into(), turn));
            let bound = if case % 2 == 0 { f64::INFINITY } else { 0.4 };
            let places: Vec<Point3<f64>> =
                (0..400).map(|_| Point3::from(Vector3::from_fn(|_, _| 0.7 * numbers.signed()))).collect();
            let [with, without] = [&with, &without].map(|surfaces| {
                let both = Surfaces::new([&surfaces[case % 3], &surfaces[case / 3 % 3]], &frame);
                let common = places.iter().filter(|p| is_common(&both, p)).take(4).copied().collect();
                let mut scratch = ClearanceScratch::default();
                let least =
                    least_translation(&Swept::Surfaces(both), &seeds, common, bound, &mut scratch).least;
                (least, scratch.counts.wide_tests)
            });
            assert_eq!(with.0.is_some(), without.0.is_some(), "case {case}");
            if let (Some(own), Some(other)) = (with.0, without.0) {
                let apart = (own.normal * own.length - other.normal * other.length).norm();
                assert!(apart <= 1e-5 * own.length, "case {case}: {own:?} and {other:?}");
                same += usize::from(apart <= 1e-12 * own.length);
            }
            found += usize::from(with.0.is_some_and(|of| of.length > 0.0));
            fewer += usize::from(with.1 < without.1);
        }
        assert!(found > 60 && 10 * same > 9 * found && fewer > 40, "{found} {same} {fewer}");
    }
}
