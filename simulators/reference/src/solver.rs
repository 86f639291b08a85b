//! The solver that takes the world's rows: substeps over all contacts.

use impinge::{ColliderId, ContactRow, Impulse, Solver};
use nalgebra::Point3;

use crate::body_set::BodySet;
use crate::contact::{ConstraintParameters, Contact, ContactBody, Warm, scaled};
use crate::hinge_list::HingeList;
use crate::motion::Motion;
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
    /// Rows that were solved.
    pub rows: usize,
    /// Greatest depth among them (m).
    pub deepest: f64,
    /// Normal impulse of each row over the step (N·s).
    pub totals: Vec<f64>,
}

impl Solver for Substeps<'_> {
    type Error = SolverError;

    fn solve(&mut self, rows: &[ContactRow], impulses: &mut [Impulse], dt: f64) -> Result<(), SolverError> {
        let h = dt / f64::from(self.settings.substeps);
        let parameters = ConstraintParameters { settings: self.settings, h };
        let mut motions: Vec<Motion> =
            self.body_set.slots().map(|body| body.map_or(Motion::STILL, Motion::new)).collect();
        // Colliders without a body stand still.
        motions.push(Motion::STILL);
        // Without warm starting everything begins with no impulse.
        let warm_scale = if self.settings.warm_starting { h / self.last_dt } else { 0.0 };
        let mut contacts = self.contacts(rows, impulses, warm_scale, &motions, &parameters);
        let mut hinges = self.hinges.constraints(self.body_set, &motions, h, warm_scale);
        for _ in 0..self.settings.substeps {
            for (motion, body) in motions.iter_mut().zip(self.body_set.slots()) {
                motion.accelerate(self.settings, &body.map_or_else(Load::default, Body::load), h);
            }
            for hinge in &hinges {
                between(&mut motions, hinge.bodies, |a, b| hinge.warm_start(a, b));
            }
            for contact in &contacts {
                between(&mut motions, contact.bodies, |a, b| contact.warm_start(a, b));
            }
            hinges
                .iter_mut()
                .for_each(|hinge| between(&mut motions, hinge.bodies, |a, b| hinge.solve(a, b, true)));
            sweep(&mut contacts, &mut motions, |contact, a, b| contact.solve(a, b, true, &parameters));
            for (motion, body) in motions.iter_mut().zip(self.body_set.slots()) {
                if let Some(body) = body {
                    motion.advance(body, h);
                }
            }
            for hinge in &mut hinges {
                between(&mut motions, hinge.bodies, |a, b| hinge.solve(a, b, false));
                hinge.end_substep();
            }
            sweep(&mut contacts, &mut motions, |contact, a, b| contact.solve(a, b, false, &parameters));
            contacts.iter_mut().for_each(Contact::end_substep);
        }
        self.correct_positions(&contacts, &mut motions);
        let threshold = self.settings.restitution_threshold;
        sweep(&mut contacts, &mut motions, |contact, a, b| contact.restitute(a, b, threshold));
        self.finish(rows, &contacts, &motions, impulses, dt)?;
        self.hinges.finish(&hinges, dt);
        Ok(())
    }

    fn total_impulses(&self) -> Option<&[f64]> {
        Some(&self.totals)
    }
}

impl Substeps<'_> {
    /// The contacts of which at least one body moves.
    fn contacts(
        &mut self,
        rows: &[ContactRow],
        warm: &[Impulse],
        warm_scale: f64,
        motions: &[Motion],
        parameters: &ConstraintParameters<'_>,
    ) -> Vec<Contact> {
        let still = motions.len() - 1;
        let mut contacts = Vec::new();
        let mut start = 0;
        for group in rows.chunk_by(|p, q| p.manifold == q.manifold) {
            let ends = group[0].colliders.map(|id| end(self.body_set, id, motions, still));
            if ends.iter().any(|end| end.motion.moves) {
                let warm: Vec<_> =
                    warm[start..start + group.len()].iter().map(|w| scaled(*w, warm_scale)).collect();
                let rolling = self.rolling.recall(&group[0]) * warm_scale;
                let warm = Warm { points: &warm, rolling };
                contacts.push(Contact::new(group, &warm, start, &ends, parameters));
                self.rows += group.len();
                self.deepest = group.iter().fold(self.deepest, |d, row| d.max(row.depth));
            }
            start += group.len();
        }
        contacts
    }

    /// Moves bodies apart that overlap too far. What is moved may be pushed into others: then these are deep
    /// and moved on as well.
    fn correct_positions(&self, contacts: &[Contact], motions: &mut [Motion]) {
        let depth = self.settings.correction_depth;
        if contacts.iter().any(|contact| contact.is_deep(depth)) {
            for _ in 0..CORRECTION_SWEEPS {
                for contact in contacts {
                    between(motions, contact.bodies, |a, b| contact.correct_positions(a, b, depth));
                }
            }
        }
    }

    /// Hands bodies and impulses out, if they are all numbers.
    fn finish(
        &mut self,
        rows: &[ContactRow],
        contacts: &[Contact],
        motions: &[Motion],
        impulses: &mut [Impulse],
        dt: f64,
    ) -> Result<(), SolverError> {
        if let Some(index) = motions.iter().position(|motion| !motion.is_finite()) {
            return Err(SolverError::Diverged { id: self.body_set.id_at(index) });
        }
        let substeps = f64::from(self.settings.substeps);
        // What sleeps bears what it bore.
        self.totals.clear();
        self.totals.extend(impulses.iter().map(|impulse| impulse.normal));
        for contact in contacts {
            contact.finish(impulses, &mut self.totals, substeps);
        }
        let rolling = contacts.iter().map(|c| (&rows[c.first_row], c.rolling_impulse(substeps)));
        self.rolling.store(rolling);
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

/// Solves every contact in order.
fn sweep(
    contacts: &mut [Contact],
    motions: &mut [Motion],
    solve: impl Fn(&mut Contact, &mut Motion, &mut Motion),
) {
    for contact in contacts {
        between(motions, contact.bodies, |a, b| solve(contact, a, b));
    }
}

/// Lets something act between two bodies; nothing acts between a body and itself.
#[inline]
fn between(motions: &mut [Motion], bodies: [usize; 2], act: impl FnOnce(&mut Motion, &mut Motion)) {
    if let Ok([a, b]) = motions.get_disjoint_mut(bodies) {
        act(a, b);
    }
}
