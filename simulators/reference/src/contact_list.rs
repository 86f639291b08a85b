//! All contacts of a step, with their points side by side.

use impinge::{ContactRow, Impulse};
use nalgebra::Vector3;

use crate::contact::{ConstraintParameters, Contact, ContactBody, Point, Warm, scaled};
use crate::friction::Spot;
use crate::motion::{Motion, between};

/// The contacts of which at least one body moves. Its memory is used again from step to step.
#[derive(Debug, Default)]
pub(crate) struct ContactList {
    contacts: Vec<Contact>,
    /// Of all contacts, one after another; as many spots.
    points: Vec<Point>,
    spots: Vec<Spot>,
    warm: Vec<Impulse>,
}

impl ContactList {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.points.clear();
        self.spots.clear();
    }

    /// Adds the contact of some rows, the first of which is row `first` of the step. They begin with `scale` times the `warm`
    /// impulses of a step, and with a `rolling` impulse of one substep (N·m·s).
    pub fn add(
        &mut self,
        (rows, first): (&[ContactRow], usize),
        (warm, scale): (&[Impulse], f64),
        rolling: Vector3<f64>,
        ends: &[ContactBody<'_>; 2],
        parameters: &ConstraintParameters<'_>,
    ) {
        self.warm.clear();
        self.warm.extend(warm.iter().map(|w| scaled(*w, scale)));
        let warm = Warm { points: &self.warm, rolling };
        let own = (&mut self.points, &mut self.spots);
        self.contacts.push(Contact::new((rows, first), &warm, ends, parameters, own));
    }

    /// Applies the impulses of the last substep again.
    pub fn warm_start(&self, motions: &mut [Motion]) {
        for contact in &self.contacts {
            let points = &self.points[contact.points.clone()];
            between(motions, contact.bodies, |a, b| contact.warm_start(points, a, b));
        }
    }

    /// Solves every contact once, in order. `push`: with the springs' push.
    pub fn solve(&mut self, motions: &mut [Motion], push: bool, parameters: &ConstraintParameters<'_>) {
        for contact in &mut self.contacts {
            let own = contact.points.clone();
            let (points, spots) = (&mut self.points[own.clone()], &self.spots[own]);
            between(motions, contact.bodies, |a, b| {
                contact.solve((points, spots), [a, b], push, parameters);
            });
        }
    }

    /// Counts the impulses of a substep that is over.
    pub fn end_substep(&mut self) {
        self.points.iter_mut().for_each(Point::end_substep);
    }

    /// Gives points that met faster than `threshold` (m/s) the speed that restitution asks for.
    pub fn restitute(&mut self, motions: &mut [Motion], threshold: f64) {
        for contact in &self.contacts {
            let points = &mut self.points[contact.points.clone()];
            between(motions, contact.bodies, |a, b| contact.restitute(points, a, b, threshold));
        }
    }

    /// Moves bodies apart that overlap by more than `depth` (m), in so many `sweeps`. What is moved may be pushed into others:
    /// then these are deep and moved on as well.
    pub fn correct_positions(&self, motions: &mut [Motion], depth: f64, sweeps: u32) {
        if !self.points.iter().any(|point| point.is_deep(depth)) {
            return;
        }
        for _ in 0..sweeps {
            for contact in &self.contacts {
                let points = &self.points[contact.points.clone()];
                between(motions, contact.bodies, |a, b| {
                    points.iter().for_each(|point| point.correct_position(a, b, depth));
                });
            }
        }
    }

    /// Writes the impulses of a whole step of `substeps` to the contacts' rows, as [`Contact::finish`] does; those beyond the last
    /// row are forgotten.
    pub fn finish(&self, impulses: &mut [Impulse], totals: &mut [f64], substeps: f64) {
        let rows = impulses.len();
        for contact in self.contacts.iter().filter(|contact| contact.first_row < rows) {
            let own = contact.points.clone();
            let (points, spots) = (&self.points[own.clone()], &self.spots[own]);
            contact.finish((points, spots), impulses, totals, substeps);
        }
    }

    /// The first row of each contact, and its impulse against rolling over a step of `substeps` (N·m·s).
    pub fn rolling(&self, substeps: f64) -> impl Iterator<Item = (usize, Vector3<f64>)> {
        self.contacts.iter().map(move |contact| (contact.first_row, contact.rolling_impulse(substeps)))
    }
}
