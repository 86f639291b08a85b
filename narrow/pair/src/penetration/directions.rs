//! The directions of a search for the least translation.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use impinge_exact::translation::Clearance;
use impinge_geometry::Side;
use nalgebra::Vector3;

use crate::scene::Scene;
use crate::tunables;

/// (rad)
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// Directions (unit) that a least translation may lie near.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seeds {
    pub first: Vec<Vector3<f64>>,
    /// Those that are tried only where the first beside them do not say that it is far longer there.
    pub between: Vec<Vector3<f64>>,
}

impl From<Vec<Vector3<f64>>> for Seeds {
    fn from(first: Vec<Vector3<f64>>) -> Seeds {
        Seeds { first, between: Vec::new() }
    }
}

impl Seeds {
    /// Adds directions all round, evenly, in the frame of one of the bodies.
    pub fn add_all_round(&mut self, scene: &Scene<'_>, first: Side) {
        let rotation = scene.frame.rotation[first.index()];
        let away = if first == Side::A { 1.0 } else { -1.0 };
        self.add_spiral(|direction| rotation * direction * away);
    }

    /// Adds half a spiral of the golden angle and its opposites, as `placed` has them: every second turn to the first.
    fn add_spiral(&mut self, placed: impl Fn(Vector3<f64>) -> Vector3<f64>) {
        let half = tunables::DIRECTIONS_ALL_ROUND / 2;
        for k in 0..half {
            let z = f64::from(2 * k + 1) / f64::from(2 * half);
            let (sin, cos) = (f64::from(k) * GOLDEN_ANGLE).sin_cos();
            let across = (1.0 - z * z).sqrt();
            let direction = placed(Vector3::new(across * cos, across * sin, z));
            let own = if k % 2 == 0 { &mut self.first } else { &mut self.between };
            own.extend([direction, -direction]);
        }
    }
}

/// A direction that is being followed: what may be shortest comes first; of equals, the one that was named first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// B is known not to be free before (m).
    pub least: f64,
    pub order: usize,
    /// Unit.
    pub direction: Vector3<f64>,
    /// How it was followed so far: what it passed last.
    pub passed: Option<Clearance>,
    /// Whether the lines through all common places have been looked along.
    pub is_bounded: bool,
    /// How many of the known obstacles it has been tried on.
    pub tried: usize,
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

/// A direction that was opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opened {
    /// Unit.
    pub direction: Vector3<f64>,
    /// B is known not to be free before (m),
    pub least: f64,
    /// … nor against it before, by the line through a common place.
    pub back: f64,
}

/// The directions of a search that goes on.
#[derive(Debug, Default)]
pub(super) struct Directions {
    pub opened: Vec<Opened>,
    pub open: BinaryHeap<Reverse<Candidate>>,
}

impl Directions {
    /// Adds a direction (unit), unless one is about the same. `line` says how far B must go along it at least (m), and how far against it.
    pub fn open(&mut self, direction: &Vector3<f64>, line: impl FnOnce() -> [f64; 2]) {
        if self.opened.iter().any(|own| own.direction.dot(direction) > tunables::SAME_SEED) {
            return;
        }
        // Of two that are opposite one line says both.
        let opposite = self.opened.iter().find(|own| own.direction == -direction);
        let [least, back] = opposite.map_or_else(line, |own| [own.back, own.least]);
        self.open.push(Reverse(Candidate {
            least,
            order: self.opened.len(),
            direction: *direction,
            passed: None,
            is_bounded: false,
            tried: 0,
        }));
        self.opened.push(Opened { direction: *direction, least, back });
    }

    /// Goes on with a direction of which more is known.
    pub fn keep(&mut self, candidate: Candidate) {
        self.opened[candidate.order].least = candidate.least;
        self.open.push(Reverse(candidate));
    }

    /// Whether one beside a direction (unit) may be shorter than `limit` (m), as far as it is known, or none is beside it.
    pub fn may_be_shorter(&self, direction: &Vector3<f64>, limit: f64) -> bool {
        let beside = || self.opened.iter().filter(|own| own.direction.dot(direction) > tunables::BESIDE_SEED);
        beside().any(|own| own.least < limit) || beside().next().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn degrees(direction: &Vector3<f64>, seeds: &[Vector3<f64>]) -> f64 {
        seeds.iter().map(|seed| seed.angle(direction).to_degrees()).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn directions_all_round_are_even_and_so_are_the_first_of_them() {
        let mut seeds = Seeds::default();
        seeds.add_spiral(|direction| direction);
        let all = [&seeds.first[..], &seeds.between[..]].concat();
        assert_eq!([all.len(), seeds.first.len()], [96, 48]);
        let (mut farthest, mut of_first) = (0.0f64, 0.0f64);
        for i in 0..180 {
            for j in 0..360 {
                let (turn, lift) = (f64::from(j).to_radians(), (f64::from(i) - 89.5).to_radians());
                let direction = Vector3::new(turn.cos() * lift.cos(), turn.sin() * lift.cos(), lift.sin());
                farthest = farthest.max(degrees(&direction, &all));
                of_first = of_first.max(degrees(&direction, &seeds.first));
            }
        }
        // Circles of this radius round as many places that share the sphere evenly: 11.7 and 16.6 degrees at the least.
        assert!(farthest < 20.0, "{farthest}");
        assert!(of_first < 30.0, "{of_first}");
        // So that each of the others is beside one of the first.
        let beside = tunables::BESIDE_SEED.acos().to_degrees();
        assert!(seeds.between.iter().all(|own| degrees(own, &seeds.first) < beside));
    }

    #[test]
    fn one_line_says_both_of_two_opposite_directions() {
        let mut directions = Directions::default();
        directions.open(&Vector3::x(), || [1.0, 2.0]);
        directions.open(&-Vector3::x(), || unreachable!("it is known"));
        directions.open(&Vector3::new(1.0, 1e-4, 0.0).normalize(), || unreachable!("it is the same"));
        directions.open(&Vector3::y(), || [0.5, 3.0]);
        let order: Vec<f64> =
            std::iter::from_fn(|| directions.open.pop()).map(|Reverse(own)| own.least).collect();
        assert_eq!(order, [0.5, 1.0, 2.0]);
    }

    #[test]
    fn what_is_beside_long_ones_alone_is_not_tried() {
        let mut directions = Directions::default();
        directions.open(&Vector3::x(), || [1.0, 5.0]);
        directions.open(&Vector3::y(), || [3.0, 3.0]);
        let at = |degrees: f64| Vector3::new(degrees.to_radians().cos(), degrees.to_radians().sin(), 0.0);
        assert!(directions.may_be_shorter(&at(25.0), 2.0));
        assert!(!directions.may_be_shorter(&at(65.0), 2.0));
        assert!(directions.may_be_shorter(&at(65.0), 4.0));
        // Nothing is known there.
        assert!(directions.may_be_shorter(&at(45.0), 2.0));
        assert!(directions.may_be_shorter(&Vector3::z(), 2.0));
        let Some(Reverse(first)) = directions.open.pop() else { unreachable!("two are open") };
        directions.keep(Candidate { least: 2.5, ..first });
        assert!(!directions.may_be_shorter(&at(25.0), 2.0));
    }
}
