//! All contacts of a step, with their points side by side.

use impinge::{ContactRow, Impulse};
use nalgebra::Vector3;

use crate::contact::{ConstraintParameters, Contact, ContactBody, Point, Warm, scaled};
use crate::friction::Spot;
use crate::motion::{Motion, between};
use crate::settings::SimulatorSettings;

/// Of what one contact may be deep, this part is left to contacts that face each other, however they stand. Less, and linked rings shake.
const LEAST_CORRECTION: f64 = 0.5;

/// The contacts of which at least one body moves. Its memory is used again from step to step.
#[derive(Debug, Default)]
pub(crate) struct ContactList {
    contacts: Vec<Contact>,
    /// Of all contacts, one after another; as many spots.
    points: Vec<Point>,
    spots: Vec<Spot>,
    warm: Vec<Impulse>,
    /// How deep each contact may be before its bodies are moved apart (m).
    allowed: Vec<f64>,
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

    /// Moves bodies apart that overlap by more than the settings allow, in so many `sweeps`. What is moved may be pushed into others:
    /// then these are deep and moved on as well.
    pub fn correct_positions(&mut self, motions: &mut [Motion], settings: &SimulatorSettings, sweeps: u32) {
        self.allow(motions, settings);
        let ContactList { contacts, points, allowed, .. } = self;
        let is_deep = |(contact, depth): (&Contact, &f64)| {
            points[contact.points.clone()].iter().any(|point| point.is_deep(*depth))
        };
        if !contacts.iter().zip(&*allowed).any(is_deep) {
            return;
        }
        for _ in 0..sweeps {
            for (contact, depth) in contacts.iter().zip(&*allowed) {
                let points = &points[contact.points.clone()];
                between(motions, contact.bodies, |a, b| {
                    points.iter().for_each(|point| point.correct_position(a, b, *depth));
                });
            }
        }
    }

    /// How deep each contact may be. Two that face each other hold two moving bodies in each other: by 1 / cos(half the angle between their
    /// normals) times their depth these would have to move to be free of both. What lies in a hollow of what does not move is held there by
    /// its weight alone.
    fn allow(&mut self, motions: &[Motion], settings: &SimulatorSettings) {
        let ContactList { contacts, points, allowed, .. } = self;
        allowed.clear();
        let least = LEAST_CORRECTION * settings.correction_depth;
        for same in contacts.chunk_by(|p, q| p.bodies == q.bodies) {
            let own = |contact: &Contact| &points[contact.points.clone()];
            let normal = |contact: &Contact| own(contact)[0].normal();
            let both_move = same[0].bodies.iter().all(|&body| motions[body].moves);
            let holds =
                |contact: &&Contact| both_move && own(contact).iter().any(|point| point.is_deep(least));
            allowed.extend(same.iter().map(|contact| {
                let facing = same.iter().filter(holds).map(|other| normal(contact).dot(&normal(other)));
                let half = libm::sqrt((0.5 * (1.0 + facing.fold(1.0, f64::min))).max(0.0));
                (settings.correction_depth * half).max(least)
            }));
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
