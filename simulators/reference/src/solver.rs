//! The solver that takes the world's rows: substeps over all contacts.

use std::mem::take;

use impinge::{ColliderId, ContactRow, Impulse, Solver};
use nalgebra::{Point3, Vector3};

use crate::body_set::BodySet;
use crate::contact::{ConstraintParameters, ContactBody};
use crate::contact_list::ContactList;
use crate::hinge_constraint::HingeConstraint;
use crate::hinge_list::HingeList;
use crate::motion::{Motion, between};
use crate::rolling::RollingMemory;
use crate::settings::SimulatorSettings;
use crate::{Body, Load, SolverError};

/// How often all contacts are gone through to move bodies apart.
const CORRECTION_SWEEPS: u32 = 4;

/// Solves the rows of one detection and moves the bodies.
pub(crate) struct Substeps<'s> {
    pub body_set: &'s mut BodySet,
    pub settings: &'s SimulatorSettings,
    pub rolling: &'s mut RollingMemory,
    pub hinges: &'s mut HingeList,
    /// Length of the last step (s), for which the rows' warm impulses are meant.
    pub last_dt: f64,
    /// Points that bodies may come to in this step, beside the rows.
    pub ahead: &'s [PointAhead],
    /// Rows that were solved.
    pub rows: usize,
    /// Greatest depth among them (m).
    pub deepest: f64,
    pub scratch: &'s mut SolverScratch,
}

/// A place where two bodies may meet in a step: a row for a gap, and where its point is on each of them at the step's begin.
#[derive(Clone, Debug)]
pub(crate) struct PointAhead {
    pub row: ContactRow,
    /// On A and on B (m, world).
    pub points: [Point3<f64>; 2],
}

/// What the solver uses again from step to step.
#[derive(Debug, Default)]
pub(crate) struct SolverScratch {
    motions: Vec<Motion>,
    contacts: ContactList,
    hinges: Vec<HingeConstraint>,
    /// Normal impulse of each row over the step (N·s).
    totals: Vec<f64>,
}

impl SolverScratch {
    /// The normal impulse that each row of the last solve had over the step (N·s).
    pub fn totals(&self) -> &[f64] {
        &self.totals
    }
}

impl Solver for Substeps<'_> {
    type Error = SolverError;

    fn solve(&mut self, rows: &[ContactRow], impulses: &mut [Impulse], dt: f64) -> Result<(), SolverError> {
        let h = dt / f64::from(self.settings.substeps);
        let parameters = ConstraintParameters { settings: self.settings, h };
        let scratch = &mut *self.scratch;
        let (mut motions, mut hinges) = (take(&mut scratch.motions), take(&mut scratch.hinges));
        let mut contacts = take(&mut scratch.contacts);
        motions.clear();
        motions.extend(self.body_set.slots().map(|body| body.map_or(Motion::STILL, Motion::new)));
        // Colliders without a body stand still.
        motions.push(Motion::STILL);
        // Without warm starting everything begins with no impulse.
        let warm_scale = if self.settings.warm_starting { h / self.last_dt } else { 0.0 };
        self.gather(rows, (impulses, warm_scale), &motions, &parameters, &mut contacts);
        self.gather_ahead(rows.len(), &motions, &parameters, &mut contacts);
        self.hinges.constraints(self.body_set, &motions, h, warm_scale, &mut hinges);
        for _ in 0..self.settings.substeps {
            self.substep(&mut motions, &mut contacts, &mut hinges, &parameters);
        }
        contacts.correct_positions(&mut motions, self.settings, CORRECTION_SWEEPS);
        contacts.restitute(&mut motions, self.settings.restitution_threshold);
        let finished = self.finish(rows, &contacts, &motions, impulses, dt);
        if finished.is_ok() {
            self.hinges.finish(&hinges, dt);
        }
        let totals = take(&mut self.scratch.totals);
        *self.scratch = SolverScratch { motions, contacts, hinges, totals };
        finished
    }

    fn total_impulses(&self) -> Option<&[f64]> {
        Some(&self.scratch.totals)
    }
}

impl Substeps<'_> {
    /// One substep: velocities, last substep's impulses, everything once with the springs' push, motion, everything once without.
    fn substep(
        &self,
        motions: &mut [Motion],
        contacts: &mut ContactList,
        hinges: &mut [HingeConstraint],
        parameters: &ConstraintParameters<'_>,
    ) {
        let h = parameters.h;
        for (motion, body) in motions.iter_mut().zip(self.body_set.slots()) {
            motion.accelerate(self.settings, &body.map_or_else(Load::default, Body::load), h);
        }
        for hinge in &*hinges {
            between(motions, hinge.bodies, |a, b| hinge.warm_start(a, b));
        }
        contacts.warm_start(motions);
        for hinge in &mut *hinges {
            between(motions, hinge.bodies, |a, b| hinge.solve(a, b, true));
        }
        contacts.solve(motions, true, parameters);
        for (motion, body) in motions.iter_mut().zip(self.body_set.slots()) {
            if let Some(body) = body {
                motion.advance(body, h);
            }
        }
        for hinge in hinges {
            between(motions, hinge.bodies, |a, b| hinge.solve(a, b, false));
            hinge.end_substep();
        }
        contacts.solve(motions, false, parameters);
        contacts.end_substep();
    }

    /// Gathers the contacts of which at least one body moves; they begin with `scale` times the `warm` impulses.
    fn gather(
        &mut self,
        rows: &[ContactRow],
        (warm, scale): (&[Impulse], f64),
        motions: &[Motion],
        parameters: &ConstraintParameters<'_>,
        contacts: &mut ContactList,
    ) {
        let still = motions.len() - 1;
        contacts.clear();
        let mut start = 0;
        for group in rows.chunk_by(|p, q| p.manifold == q.manifold) {
            let ends = group[0].colliders.map(|id| end(self.body_set, id, motions, still));
            if ends.iter().any(|end| end.motion.moves) {
                let warm = &warm[start..start + group.len()];
                let rolling = self.rolling.recall(&group[0]) * scale;
                contacts.add((group, start), (warm, scale), rolling, &ends, parameters);
                self.rows += group.len();
                self.deepest = group.iter().fold(self.deepest, |d, row| d.max(row.depth));
            }
            start += group.len();
        }
    }

    /// Adds the points ahead, whose rows come after the step's.
    fn gather_ahead(
        &self,
        count: usize,
        motions: &[Motion],
        parameters: &ConstraintParameters<'_>,
        contacts: &mut ContactList,
    ) {
        let still = motions.len() - 1;
        for (k, ahead) in self.ahead.iter().enumerate() {
            let row = std::slice::from_ref(&ahead.row);
            let mut ends = ahead.row.colliders.map(|id| end(self.body_set, id, motions, still));
            for (end, point) in ends.iter_mut().zip(&ahead.points) {
                // The row has one place for both.
                end.center += ahead.row.position - point;
            }
            if ends.iter().any(|end| end.motion.moves) {
                let warm = [Impulse::default()];
                contacts.add((row, count + k), (&warm, 0.0), Vector3::zeros(), &ends, parameters);
            }
        }
    }

    /// Hands bodies and impulses out, if they are all numbers.
    fn finish(
        &mut self,
        rows: &[ContactRow],
        contacts: &ContactList,
        motions: &[Motion],
        impulses: &mut [Impulse],
        dt: f64,
    ) -> Result<(), SolverError> {
        if let Some(index) = motions.iter().position(|motion| !motion.is_finite()) {
            return Err(SolverError::Diverged { id: self.body_set.id_at(index) });
        }
        let substeps = f64::from(self.settings.substeps);
        // What sleeps bears what it bore.
        let totals = &mut self.scratch.totals;
        totals.clear();
        totals.extend(impulses.iter().map(|impulse| impulse.normal));
        contacts.finish(impulses, totals, substeps);
        let rolling = contacts.rolling(substeps);
        self.rolling.store(rolling.filter_map(|(row, impulse)| Some((rows.get(row)?, impulse))));
        for (motion, body) in motions.iter().zip(self.body_set.slots_mut()) {
            if let Some(body) = body {
                motion.finish(body, dt);
            }
        }
        Ok(())
    }
}

fn end<'m>(body_set: &BodySet, id: ColliderId, motions: &'m [Motion], still: usize) -> ContactBody<'m> {
    let index = body_set.of_collider(id).unwrap_or(still);
    let body: Option<&Body> = body_set.at(index);
    let motion = &motions[index];
    ContactBody {
        index,
        motion,
        center: body.map_or(Point3::origin(), Body::center),
        radius: body
            .and_then(|b| b.dynamics)
            .filter(|_| motion.moves)
            .map_or(f64::INFINITY, |d| d.size.radius),
    }
}
