//! The search for what a chain first meets.
//!
//! Links and obstacles whose swept boxes overlap are asked part by part, in the order of when their bounding spheres may meet, and none
//! that cannot meet before the first meeting known. Two links are seen from the nearest link that carries both, where only the joints
//! between them move.

use impinge_exact::motion::{
    FirstContact, FirstMeeting, SweepCounts, SweepScratch, SweepSettings, first_meeting, sweep,
};
use impinge_geometry::{Aabb, BodyPath, LinkPath, Motion, PairPath, Side};
use impinge_midphase::{Part, PreparedShape};
use nalgebra::Isometry3;

use super::answer::{ChainImpact, ChainPartner, ChainSweep};
use super::swept_links::SweptLinks;
use super::{Chain, ChainError};
use crate::Impact;
use crate::query::default_gap;

/// How often a meeting whose sides part is passed over with half the gap.
const PASSES: u32 = 16;

/// Buffers of questions about chains, to be used again.
#[derive(Debug, Default)]
pub struct ChainScratch {
    links: SweptLinks,
    candidates: Vec<Candidate>,
    paths: [LinkPath; 2],
    values: Vec<f64>,
    poses: Vec<Isometry3<f64>>,
    sweep: SweepScratch,
}

impl ChainScratch {
    /// Counts of all sweeps since it was made.
    pub fn counts(&self) -> &SweepCounts {
        &self.sweep.counts
    }
}

/// A part of a link and a part of something else, and when they may meet at the earliest.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    earliest: f64,
    link: usize,
    partner: ChainPartner,
    /// Of the partner, and of the link.
    subshapes: [u32; 2],
}

/// What stands still.
#[derive(Clone, Copy)]
pub(crate) struct Obstacle<'s> {
    pub shape: &'s PreparedShape,
    /// Found to be usable (m, world).
    pub pose: Isometry3<f64>,
}

/// A question about a chain.
pub(crate) struct Search<'q> {
    chain: &'q Chain,
    values: [&'q [f64]; 2],
    gap: Option<f64>,
    scratch: &'q mut ChainScratch,
}

impl<'q> Search<'q> {
    /// Checks the question, and finds the boxes of the links.
    pub fn begin(
        chain: &'q Chain,
        values: [&'q [f64]; 2],
        gap: Option<f64>,
        scratch: &'q mut ChainScratch,
    ) -> Result<Search<'q>, ChainError> {
        for values in values {
            chain.linkage.check(values)?;
        }
        if let Some(gap) = gap.filter(|gap| gap.is_nan() || *gap <= 0.0) {
            return Err(ChainError::Gap { gap });
        }
        scratch.candidates.clear();
        scratch.links.find(chain, values);
        Ok(Search { chain, values, gap, scratch })
    }

    /// The box around the way of a link with a shape (m, world).
    pub fn link_box(&self, link: usize) -> Option<Aabb> {
        Some(self.scratch.links.boxes[link]).filter(Aabb::is_valid)
    }

    /// Adds what stands still in the world to all links whose boxes it meets.
    pub fn add(&mut self, partner: ChainPartner, obstacle: &Obstacle<'_>) {
        let aabb = obstacle.shape.aabb_at(&obstacle.pose);
        for link in 0..self.chain.shapes.len() {
            if self.scratch.links.boxes[link].overlaps(&aabb) {
                self.add_to(link, partner, obstacle);
            }
        }
    }

    /// Adds what stands still in the world to one link.
    pub fn add_to(&mut self, link: usize, partner: ChainPartner, obstacle: &Obstacle<'_>) {
        if let Some(shape) = &self.chain.shapes[link] {
            self.push(link, partner, [obstacle.shape, shape.stages()], Some(obstacle));
        }
    }

    /// Adds the pairs of links.
    fn add_links(&mut self) {
        let chain = self.chain;
        for &[a, b] in &chain.pairs {
            let boxes = &self.scratch.links.boxes;
            if let [Some(of_a), Some(of_b)] = [&chain.shapes[a], &chain.shapes[b]]
                && boxes[a].overlaps(&boxes[b])
            {
                self.push(b, ChainPartner::Link(a), [of_a.stages(), of_b.stages()], None);
            }
        }
    }

    /// Adds the parts of a link and of what it may meet.
    fn push(
        &mut self,
        link: usize,
        partner: ChainPartner,
        shapes: [&PreparedShape; 2],
        obstacle: Option<&Obstacle<'_>>,
    ) {
        let counts = shapes.map(|shape| shape.parts().len() as u32);
        for subshapes in (0..counts[0]).flat_map(|i| (0..counts[1]).map(move |j| [i, j])) {
            let parts = [0, 1].map(|k| &shapes[k].parts()[subshapes[k] as usize]);
            self.find_paths(link, partner, parts, obstacle);
            let paths = &self.scratch.paths;
            if paths.iter().all(LinkPath::is_still) && matches!(partner, ChainPartner::Link(_)) {
                continue;
            }
            let earliest = earliest(parts, paths, obstacle);
            if earliest < 1.0 {
                self.scratch.candidates.push(Candidate { earliest, link, partner, subshapes });
            }
        }
    }

    /// How two parts move: the partner's and the link's.
    fn find_paths(
        &mut self,
        link: usize,
        partner: ChainPartner,
        parts: [&Part; 2],
        obstacle: Option<&Obstacle<'_>>,
    ) {
        let Search { chain, values, scratch, .. } = self;
        let [of_partner, of_link] = &mut scratch.paths;
        let carrier = match (partner, obstacle) {
            (ChainPartner::Link(other), None) => {
                let carrier = chain.linkage.carrier(link, other);
                chain.linkage.path(other, carrier, &parts[0].pose, *values, of_partner);
                carrier
            }
            _ => None,
        };
        chain.linkage.path(link, carrier, &parts[1].pose, *values, of_link);
    }

    /// The first meeting of all that was added, and of the links with each other; `obstacle` gives what was added.
    pub fn run<'s>(mut self, obstacle: impl Fn(ChainPartner) -> Option<Obstacle<'s>>) -> ChainSweep {
        self.add_links();
        let mut candidates = std::mem::take(&mut self.scratch.candidates);
        candidates.sort_unstable_by(|p, q| {
            let key = |c: &Candidate| (c.link, order(c.partner), c.subshapes);
            p.earliest.total_cmp(&q.earliest).then_with(|| key(p).cmp(&key(q)))
        });
        let mut best = ChainSweep::Free;
        let mut bound = 1.0f64;
        for candidate in &candidates {
            // What may touch at the start is asked even behind a meeting at once.
            if candidate.earliest >= bound.max(f64::MIN_POSITIVE) {
                break;
            }
            match self.follow(candidate, bound, &obstacle) {
                None => {}
                Some(ChainSweep::Impact(met)) => {
                    bound = met.impact.time;
                    best = ChainSweep::Impact(met);
                }
                Some(at_start) => {
                    best = at_start;
                    break;
                }
            }
        }
        self.scratch.candidates = candidates;
        best
    }

    /// Whether two parts meet before the bound.
    fn follow<'s>(
        &mut self,
        candidate: &Candidate,
        bound: f64,
        obstacle: &impl Fn(ChainPartner) -> Option<Obstacle<'s>>,
    ) -> Option<ChainSweep> {
        let &Candidate { earliest, link, partner, subshapes } = candidate;
        let obstacle = obstacle(partner);
        let chain = self.chain;
        let of_partner = match (partner, &obstacle) {
            (ChainPartner::Link(other), _) => chain.shapes[other].as_ref()?.stages(),
            (_, Some(obstacle)) => obstacle.shape,
            (_, None) => return None,
        };
        let shapes = [of_partner, chain.shapes[link].as_ref()?.stages()];
        let parts = [0, 1].map(|k| &shapes[k].parts()[subshapes[k] as usize]);
        self.find_paths(link, partner, parts, obstacle.as_ref());
        let ChainScratch { paths: [of_partner, of_link], sweep: scratch, .. } = &mut *self.scratch;
        let still = obstacle.as_ref().map(|obstacle| Motion::still(obstacle.pose * parts[0].pose));
        let motions = [still.or_else(|| of_partner.as_motion()), of_link.as_motion()];
        let links = [&*of_partner, &*of_link];
        let body = |k: usize| motions[k].as_ref().map_or(BodyPath::Link(links[k]), BodyPath::Rigid);
        let path = PairPath::of([body(0), body(1)]);
        let mut settings = SweepSettings { gap: self.gap.unwrap_or_else(|| default_gap(shapes)), bound };
        let mut may_touch = earliest <= 0.0;
        for pass in 0..=PASSES {
            let found = if may_touch {
                sweep(parts, &path, &settings, scratch)?
            } else {
                FirstContact::Later(first_meeting(parts, &path, &settings, scratch)?)
            };
            may_touch = false;
            let FirstContact::Later(meeting) = found else {
                return Some(ChainSweep::AtStart { link, partner });
            };
            let speed = closing_speed(&path, &meeting);
            if speed > 0.0 || meeting.gap <= 0.0 || pass == PASSES {
                let impact = Impact::new(&meeting, &path.at(meeting.time), parts, subshapes);
                let impact = self.in_world(impact, link, partner);
                return Some(ChainSweep::Impact(ChainImpact { link, partner, impact, speed }));
            }
            settings.gap = 0.5 * meeting.gap;
        }
        None
    }

    /// What two links found where their carrier stands.
    fn in_world(&mut self, impact: Impact, link: usize, partner: ChainPartner) -> Impact {
        let ChainPartner::Link(other) = partner else { return impact };
        let Some(carrier) = self.chain.linkage.carrier(link, other) else { return impact };
        let ChainScratch { values, poses, .. } = &mut *self.scratch;
        let [from, to] = self.values;
        values.clear();
        values.extend(from.iter().zip(to).map(|(from, to)| from + (to - from) * impact.time));
        self.chain.linkage.poses(values, poses);
        let pose = &poses[carrier];
        Impact { normal: pose * impact.normal, on_a: pose * impact.on_a, on_b: pose * impact.on_b, ..impact }
    }
}

/// Links first, then obstacles, then colliders by their slots.
fn order(partner: ChainPartner) -> (u8, usize) {
    match partner {
        ChainPartner::Link(link) => (0, link),
        ChainPartner::Obstacle(index) => (1, index),
        ChainPartner::Collider(id) => (2, id.index as usize),
    }
}

/// When two parts may meet at the earliest: their bounding spheres, at the greatest speeds.
fn earliest(parts: [&Part; 2], paths: &[LinkPath; 2], obstacle: Option<&Obstacle<'_>>) -> f64 {
    let still = obstacle.map(|obstacle| obstacle.pose * parts[0].pose);
    let (mut radii, mut fastest, mut size) = (0.0, 0.0, 0.0);
    let centers = [0, 1].map(|k| {
        let center = parts[k].sphere.center.cast::<f64>();
        radii += f64::from(parts[k].sphere.radius);
        let standing = still.as_ref().filter(|_| k == 0);
        if standing.is_none() {
            fastest += paths[k].speed(center.coords.norm());
        }
        let center = standing.unwrap_or(paths[k].start()) * center;
        size += center.coords.norm();
        center
    });
    let gap = (centers[1] - centers[0]).norm() - radii;
    // What touches at the start must not be lost in rounding.
    let slack = 1e-12 * (radii + size);
    let earliest = if gap > slack { (gap - slack) / fastest } else { 0.0 };
    // Spheres without bounds are everywhere.
    if earliest.is_nan() { 0.0 } else { earliest }
}

/// How fast two parts approach each other where they meet (m per motion).
fn closing_speed(path: &PairPath<'_>, meeting: &FirstMeeting) -> f64 {
    let (_, twists) = path.placed(meeting.time);
    let [a, b] = Side::BOTH.map(|side| twists[side.index()].at(&meeting.points[side.index()].coords));
    meeting.normal.dot(&(a - b))
}
