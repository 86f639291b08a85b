//! Contact constraints: the points of a manifold, made ready to be solved many times.

use std::ops::Range;

use impinge::{ContactRow, Impulse};
use nalgebra::{Point3, Vector3};

use crate::direction::Direction;
use crate::friction::{Friction, Spot};
use crate::motion::Motion;
use crate::rolling::{Levers, Rolling};
use crate::settings::SimulatorSettings;
use crate::soft::{RIGID, Softness};

/// Fraction of the excess overlap that one sweep of position correction removes.
const CORRECTION_RATE: f64 = 0.2;

/// One point of a contact.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// From the centres of mass of A and B (m, world, at the step's begin).
    arms: [Vector3<f64>; 2],
    /// Gap (m) where the bodies were at the step's begin and their surfaces have come to so far; negative where they
    /// overlap.
    gap: f64,
    /// Gap where the bodies have come to so far (m).
    now: f64,
    normal: Direction,
    /// How fast the gap opens because the surfaces move beside the bodies (m/s).
    drift: f64,
    mass: f64,
    softness: Softness,
    /// The spring is the material's own: it is never made rigid.
    compliant: bool,
    /// Normal speed at the step's begin (m/s).
    approach: f64,
    /// Impulse of one substep (N·s), and the greatest so far.
    impulse: f64,
    greatest: f64,
    /// Impulse of all substeps so far (N·s).
    total: f64,
}

/// A manifold as a constraint between two bodies.
#[derive(Clone, Debug)]
pub(crate) struct Contact {
    /// Indices of the motions of A and B.
    pub bodies: [usize; 2],
    /// The row of its first point; its points' rows follow.
    pub first_row: usize,
    /// Which of all contacts' points, and of their spots, are its own.
    pub points: Range<usize>,
    restitution: f64,
    friction: Option<Friction>,
    rolling: Option<Rolling>,
}

/// The parameters that contact constraints are built with.
pub(crate) struct ConstraintParameters<'s> {
    pub settings: &'s SimulatorSettings,
    /// Length of a substep (s).
    pub h: f64,
}

/// The impulses of one substep that a contact starts from.
pub(crate) struct Warm<'w> {
    /// Of its rows (N·s).
    pub points: &'w [Impulse],
    /// Against rolling (N·m·s).
    pub rolling: Vector3<f64>,
}

/// A body of a contact when it is made.
pub(crate) struct ContactBody<'m> {
    pub index: usize,
    pub motion: &'m Motion,
    /// Its centre of mass (m, world).
    pub center: Point3<f64>,
    /// Bounding radius (m); infinite for what does not move.
    pub radius: f64,
}

impl Contact {
    /// A contact of the `rows` of one manifold, the first of which is row `first_row` of the step. Its points and spots are added
    /// to those of all contacts.
    pub fn new(
        (rows, first_row): (&[ContactRow], usize),
        warm: &Warm<'_>,
        ends: &[ContactBody<'_>; 2],
        parameters: &ConstraintParameters<'_>,
        (points, spots): (&mut Vec<Point>, &mut Vec<Spot>),
    ) -> Contact {
        let [a, b] = [ends[0].motion, ends[1].motion];
        // Points that stand apart resist rolling themselves. Resistance on top of theirs would brace
        // against it, and rock a stack that should stand.
        let longest = parameters.settings.rolling_resistance * ends[0].radius.min(ends[1].radius);
        let levers = Levers::new(longest, rows, warm.points);
        let from = points.len();
        points.extend(
            rows.iter().zip(warm.points).map(|(row, warm)| Point::new(row, warm.normal, ends, parameters)),
        );
        Contact {
            bodies: [ends[0].index, ends[1].index],
            first_row,
            points: from..points.len(),
            restitution: rows.first().map_or(0.0, |row| row.restitution),
            friction: Friction::new(rows, warm.points, [a, b], [&ends[0].center, &ends[1].center], spots),
            rolling: Rolling::new(levers, a, b, rows[0].surface_spin, warm.rolling),
        }
    }

    /// Applies the impulses of the last substep again.
    pub fn warm_start(&self, points: &[Point], a: &mut Motion, b: &mut Motion) {
        for point in points {
            point.normal.push(a, b, point.impulse);
        }
        if let Some(friction) = &self.friction {
            friction.warm_start(a, b);
        }
        if let Some(rolling) = &self.rolling {
            rolling.warm_start(a, b);
        }
    }

    /// Solves everything once: rolling, friction, then the normals, which matter most and so come last.
    /// `push`: with the springs' push; without it only the speed towards each other is taken away.
    pub fn solve(
        &mut self,
        (points, spots): (&mut [Point], &[Spot]),
        [a, b]: [&mut Motion; 2],
        push: bool,
        parameters: &ConstraintParameters<'_>,
    ) {
        if let Some(rolling) = &mut self.rolling {
            rolling.solve(a, b, points.iter().map(|p| p.impulse).sum());
        }
        if let Some(friction) = &mut self.friction {
            friction.solve(a, b, points.iter().map(|p| p.impulse).zip(spots));
        }
        for point in points {
            point.solve(a, b, push, parameters);
        }
    }

    /// Gives points that met fast enough the speed that restitution asks for.
    pub fn restitute(&self, points: &mut [Point], a: &mut Motion, b: &mut Motion, threshold: f64) {
        if self.restitution <= 0.0 {
            return;
        }
        for point in points {
            if point.approach < -threshold && point.greatest > 0.0 {
                let speed = point.speed(a, b) + self.restitution * point.approach;
                let before = point.impulse;
                point.push(a, b, -point.mass * speed);
                point.total += point.impulse - before;
            }
        }
    }

    /// Writes the impulses of a whole step of `substeps` to the contact's rows: as many of the last substep, from which
    /// the next step starts, and the normal ones that were applied, to `totals`.
    pub fn finish(
        &self,
        (points, spots): (&[Point], &[Spot]),
        impulses: &mut [Impulse],
        totals: &mut [f64],
        substeps: f64,
    ) {
        let own = self.first_row..self.first_row + points.len();
        let rows = impulses[own.clone()].iter_mut().zip(&mut totals[own]);
        for ((out, total), point) in rows.zip(points) {
            *out = scaled(Impulse { normal: point.impulse, tangent: [0.0; 2] }, substeps);
            *total = point.total;
        }
        if let Some(friction) = &self.friction {
            let loads = points.iter().map(|point| point.impulse);
            let shares = friction.shares(loads, spots);
            for (out, tangent) in impulses[self.first_row..].iter_mut().zip(shares) {
                out.tangent = tangent.map(|t| t * substeps);
            }
        }
    }

    /// The impulse against rolling, of a whole step of `substeps` (N·m·s).
    pub fn rolling_impulse(&self, substeps: f64) -> Vector3<f64> {
        self.rolling.as_ref().map_or(Vector3::zeros(), |rolling| rolling.impulse() * substeps)
    }
}

/// An impulse times a factor.
pub(crate) fn scaled(impulse: Impulse, factor: f64) -> Impulse {
    Impulse { normal: impulse.normal * factor, tangent: impulse.tangent.map(|t| t * factor) }
}

impl Point {
    /// Counts the impulse of a substep that is over: what it began with was applied again.
    pub fn end_substep(&mut self) {
        self.total += self.impulse;
    }

    /// From A towards B (unit).
    pub fn normal(&self) -> Vector3<f64> {
        self.normal.axis
    }

    /// Whether it overlaps by more than `depth` (m), and is not compliant.
    pub fn is_deep(&self, depth: f64) -> bool {
        self.gap < -depth && !self.compliant
    }

    /// Moves the bodies apart where they overlap by more than `depth` (m), whatever friction says.
    pub fn correct_position(&self, a: &mut Motion, b: &mut Motion, depth: f64) {
        let excess = -self.gap_of(a, b) - depth;
        if excess > 0.0 && !self.compliant {
            self.normal.shift(a, b, CORRECTION_RATE * excess * self.mass);
        }
    }

    fn new(
        row: &ContactRow,
        warm: f64,
        ends: &[ContactBody<'_>; 2],
        parameters: &ConstraintParameters<'_>,
    ) -> Point {
        let (a, b) = (ends[0].motion, ends[1].motion);
        let arms = [row.position - ends[0].center, row.position - ends[1].center];
        let arms = [a.pressed_at(&arms[0], &row.normal), b.pressed_at(&arms[1], &row.normal)];
        let normal = Direction::new(row.normal, &arms, [&a.inverse_inertia, &b.inverse_inertia]);
        let drift = row.surface_velocity.dot(&row.normal);
        let mass = 1.0 / normal.answer(&normal, a.inverse_mass + b.inverse_mass);
        let (softness, compliant) = softness(row, mass, a.moves && b.moves, parameters);
        Point {
            approach: normal.axis.dot(&(b.velocity_at(&arms[1]) - a.velocity_at(&arms[0]))) + drift,
            drift,
            arms,
            gap: -row.depth,
            now: -row.depth,
            normal,
            mass,
            softness,
            compliant,
            impulse: warm,
            greatest: 0.0,
            total: 0.0,
        }
    }

    fn push(&mut self, a: &mut Motion, b: &mut Motion, impulse: f64) {
        let total = (self.impulse + impulse).max(0.0);
        self.normal.push(a, b, total - self.impulse);
        self.impulse = total;
        self.greatest = self.greatest.max(total);
    }

    /// How fast the gap opens (m/s).
    fn speed(&self, a: &Motion, b: &Motion) -> f64 {
        self.normal.speed(a, b) + self.drift
    }

    /// The gap where the bodies are now (m).
    fn gap_of(&self, a: &Motion, b: &Motion) -> f64 {
        let moved = b.surface_displacement(&self.arms[1]) - a.surface_displacement(&self.arms[0]);
        self.gap + self.normal.axis.dot(&moved)
    }

    fn solve(&mut self, a: &mut Motion, b: &mut Motion, push: bool, parameters: &ConstraintParameters<'_>) {
        let slop = if self.compliant { 0.0 } else { parameters.settings.slop };
        // Bodies move between the sweep with push and the one without: between that and the next they stand.
        if !push {
            self.gap += self.drift * parameters.h;
            self.now = self.gap_of(a, b);
        }
        let gap = self.now + slop;
        // Apart: they may come as near as they are in this substep, and no nearer.
        let (softness, bias) = if gap > 0.0 {
            (RIGID, gap / parameters.h)
        } else if push || self.compliant {
            (self.softness, self.softness.bias * gap)
        } else {
            (RIGID, 0.0)
        };
        let speed = self.speed(a, b) + bias;
        self.push(a, b, -self.mass * softness.mass * speed - softness.impulse * self.impulse);
    }
}

/// The spring of a row, and whether it is the material's own. Against a body that does not move it is
/// twice as stiff, so that heaps rest firmly on the ground.
fn softness(
    row: &ContactRow,
    mass: f64,
    both_move: bool,
    parameters: &ConstraintParameters<'_>,
) -> (Softness, bool) {
    let settings = parameters.settings;
    if let Some(stiffness) = row.stiffness {
        let critical = 2.0 * (stiffness * mass).sqrt();
        return (Softness::of_spring(stiffness, row.damping.unwrap_or(critical), mass, parameters.h), true);
    }
    let frequency = settings.contact_frequency.min(0.25 / parameters.h) * if both_move { 1.0 } else { 2.0 };
    if let Some(damping) = row.damping {
        let omega = std::f64::consts::TAU * frequency;
        return (Softness::of_spring(mass * omega * omega, damping, mass, parameters.h), true);
    }
    (Softness::new(frequency, settings.contact_damping, parameters.h), false)
}
