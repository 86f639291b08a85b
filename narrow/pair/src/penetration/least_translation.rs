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

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use impinge_exact::OffsetTest;
use impinge_exact::translation::{Clearance, ClearanceScratch};
use nalgebra::{Point3, Vector3};

use super::beside::beside;
use super::candidate::{Bound, Candidate};
use super::planes::{Plane, nearest};
use super::swept::Swept;
use super::translation::SeparatingTranslation;
use crate::tunables;

/// Where a direction was blocked last: what blocks it mostly blocks those beside it.
#[derive(Clone, Copy, Debug)]
struct Obstacle {
    /// Unit.
    direction: Vector3<f64>,
    /// Midway between the places on A and on B that met last (m, pair frame): the line through it along another direction
    /// passes both about as far aside.
    midway: Point3<f64>,
}

/// A search that is going on.
struct Search<'s> {
    swept: &'s Swept<'s>,
    /// Points inside both bodies (m, pair frame): the lines through them refute most directions.
    common: Vec<Point3<f64>>,
    scratch: &'s mut ClearanceScratch,
    offset_test: &'s mut OffsetTest,
    /// Whether the scratch has balls of these bodies.
    has_balls: bool,
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
    /// The first free shift along the first of the seeds; `None` where the search has ended before, or that is [`tunables::SEED_LEEWAY`]
    /// times as long as the least, or longer.
    pub first: Option<Clearance>,
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
    (scratch, offset_test): (&mut ClearanceScratch, &mut OffsetTest),
) -> Found {
    let mut search = Search {
        swept,
        common,
        scratch,
        offset_test,
        has_balls: false,
        best: None,
        best_order: usize::MAX,
        planes: Vec::new(),
        obstacles: Vec::with_capacity(seeds.len()),
        cut: false,
    };
    let mut open: BinaryHeap<Reverse<Candidate>> = BinaryHeap::with_capacity(seeds.len());
    let mut starts: Vec<Start> = Vec::with_capacity(seeds.len());
    let mut lines = FirstLines::of(seeds);
    let mut first = None;
    // How far the balls inside both bodies have been looked at, where they are.
    let mut by_balls = 0.0;
    if seeds.len() >= tunables::SEEDS_FOR_BALLS
        && let Some(first) = swept.start_balls(search.scratch)
    {
        by_balls = first.min(bound);
        search.scratch.extend_balls(by_balls);
        search.has_balls = true;
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
            return Found { least: None, first: None, cut: search.cut };
        };
        if found.length >= goal && goal < limit {
            (candidate.least, candidate.passed) = (found.length, Some(found));
            open.push(Reverse(candidate));
            continue;
        }
        if found.length < limit {
            first = if candidate.order == 0 { Some(found) } else { first };
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
    search.look_beside(bound);
    Found { least: search.best, first, cut: search.cut }
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

    /// Looks for what is shorter on cones about the best, each narrower than the one before, and goes down from there: another least one is
    /// mostly near, behind a ridge that planes say nothing of.
    fn look_beside(&mut self, bound: f64) {
        for (ring, angle) in tunables::BESIDE_BEST.into_iter().enumerate() {
            for _ in 0..tunables::BESIDE_ROUNDS {
                let Some(SeparatingTranslation { normal: axis, .. }) = self.best else { return };
                for direction in beside(&axis, (angle, ring), self.swept) {
                    if !self.try_beside(&direction, bound) {
                        return;
                    }
                }
                if self.best.is_some_and(|best| best.normal == axis) {
                    break;
                }
            }
        }
    }

    /// Goes down from a direction if it is clearly shorter than the best; whether the search goes on.
    fn try_beside(&mut self, direction: &Vector3<f64>, bound: f64) -> bool {
        if self.ends() {
            return false;
        }
        let length = tunables::BESIDE_GAIN * self.best.map_or(bound, |best| best.length);
        let least = if self.has_balls { self.scratch.ball_bound(direction, [0.0, length]) } else { 0.0 };
        if least >= length || !self.swept.may_be_free(&(direction * length), self.offset_test) {
            return true;
        }
        let Some(found) = self.along((direction, usize::MAX), (least, None), length) else { return false };
        if found.length < length {
            self.refine(direction, Plane::of(&found, direction), bound);
        }
        true
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
