//! Contacts of two colliders, as a program hears of them: what touches, where, how deep and how hard.

use std::ops::Range;

use impinge_geometry::ColliderId;
use nalgebra::{Point3, Vector3};

use crate::Manifold;

/// How a contact compares with the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContactPhase {
    /// The colliders touch and did not in the last step.
    Begin,
    /// They touch as they did in the last step.
    Persist,
    /// They touched in the last step and do not any more, or one of them was removed.
    End,
}

/// Two colliders that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The colliders; the first has the lower index.
    pub colliders: [ColliderId; 2],
    /// The caller's own numbers of the two.
    pub user_data: [u64; 2],
    /// Whether only touching is known of it: one of them is a sensor, or a hook asked for no more.
    pub sensor: bool,
    /// Where they touch, how deep and how hard; `None` where only touching is known, and where hooks dropped all
    /// manifolds.
    pub touch: Option<TouchSummary>,
}

/// All manifolds of two colliders in short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TouchSummary {
    /// Unit normal from A to B (world), of the deepest manifold.
    pub normal: Vector3<f64>,
    /// Depth of that manifold (m).
    pub depth: f64,
    /// Its deepest point (m, world): halfway between the two surfaces.
    pub point: Point3<f64>,
    /// The sum of the normal impulses of all points (N·s), as the last `World::solve` found them: over that solve's
    /// time step, the mean normal force. 0 for a contact that has begun since. See
    /// [`Solver::total_impulses`](crate::Solver::total_impulses).
    pub impulse: f64,
}

/// A contact that has begun, persists or has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactEvent {
    /// The number of the step in which it was found.
    pub step: u64,
    /// What happened.
    pub phase: ContactPhase,
    /// The contact; of one that ended, as it was in the last step.
    pub contact: Contact,
}

impl TouchSummary {
    /// Of the manifolds of one pair, with the impulses of the solve before: not those that their points start from,
    /// which are of the points that lasted. `None` of no manifold.
    pub(crate) fn of(manifolds: &[Manifold], impulse: f64) -> Option<TouchSummary> {
        let (first, others) = manifolds.split_first()?;
        let deepest = others.iter().fold(first, |most, m| if m.depth > most.depth { m } else { most });
        let (first, others) = deepest.points.split_first()?;
        let point = others.iter().fold(first, |most, p| if p.depth > most.depth { p } else { most });
        Some(TouchSummary { normal: deepest.normal, depth: deepest.depth, point: point.position, impulse })
    }
}

/// Walks through the manifolds of a step beside a sorted list of pairs.
#[derive(Debug)]
pub(crate) struct ManifoldWalk<'m> {
    rest: &'m [Manifold],
    /// The row of the first point of `rest`.
    row: usize,
}

impl<'m> ManifoldWalk<'m> {
    /// From the first of `manifolds`, which are sorted by colliders, on.
    pub fn new(manifolds: &'m [Manifold]) -> ManifoldWalk<'m> {
        ManifoldWalk { rest: manifolds, row: 0 }
    }

    /// The manifolds of a pair that is not before the last one asked for.
    pub fn of(&mut self, colliders: &[ColliderId; 2]) -> &'m [Manifold] {
        self.take(|m| m.colliders < *colliders);
        self.take(|m| m.colliders == *colliders)
    }

    /// The same, and the rows of their points.
    pub fn with_rows(&mut self, colliders: &[ColliderId; 2]) -> (&'m [Manifold], Range<usize>) {
        self.take(|m| m.colliders < *colliders);
        let first = self.row;
        (self.take(|m| m.colliders == *colliders), first..self.row)
    }

    fn take(&mut self, is_one: impl Fn(&Manifold) -> bool) -> &'m [Manifold] {
        let (taken, rest) = self.rest.split_at(self.rest.iter().take_while(|m| is_one(m)).count());
        self.row += taken.iter().map(|m| m.points.len()).sum::<usize>();
        self.rest = rest;
        taken
    }
}
