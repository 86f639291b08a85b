//! The hinges of a simulator.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::body::{Body, BodyId};
use crate::body_set::BodySet;
use crate::error::SimulatorError;
use crate::hinge::{Axis, Hinge, HingeDesc, HingeId, Impulses, Motor};
use crate::hinge_constraint::{HingeConstraint, HingeEnd};
use crate::motion::Motion;
use crate::sleep;

/// Hinges in the order in which they were added.
#[derive(Debug, Default)]
pub(crate) struct HingeList {
    hinges: Vec<Hinge>,
    /// How many were ever added.
    added: u64,
}

impl HingeList {
    pub fn add(&mut self, desc: &HingeDesc, body_set: &BodySet) -> Result<HingeId, SimulatorError> {
        let pose = |id: BodyId| {
            let body = body_set.get(id).ok_or(SimulatorError::UnknownBody { id })?;
            Ok::<_, SimulatorError>(*body.pose())
        };
        if desc.a == Some(desc.b) {
            return Err(SimulatorError::HingeOnItself { id: desc.b });
        }
        let on = [desc.a.map(pose).transpose()?.unwrap_or_else(Isometry3::identity), pose(desc.b)?];
        if !desc.anchor.iter().chain(desc.axis.iter()).all(|x| x.is_finite()) {
            return Err(hinge_place(desc));
        }
        let axis = |pose| Axis::new(&desc.anchor, &desc.axis, pose).ok_or_else(|| hinge_place(desc));
        let axes = [axis(&on[0])?, axis(&on[1])?];
        let motor = desc.motor.map(checked).transpose()?;
        let id = HingeId(self.added);
        self.added += 1;
        self.hinges.push(Hinge {
            id,
            a: desc.a,
            b: desc.b,
            axes,
            motor,
            impulses: Impulses::default(),
            angle: 0.0,
            torque: 0.0,
        });
        Ok(id)
    }

    pub fn get(&self, id: HingeId) -> Result<&Hinge, SimulatorError> {
        let place = self.hinges.binary_search_by_key(&id, |hinge| hinge.id);
        place.map(|k| &self.hinges[k]).map_err(|_| SimulatorError::UnknownHinge { id })
    }

    pub fn set_motor(&mut self, id: HingeId, motor: Option<Motor>) -> Result<&Hinge, SimulatorError> {
        let motor = motor.map(checked).transpose()?;
        let place = self.hinges.binary_search_by_key(&id, |hinge| hinge.id);
        let hinge = &mut self.hinges[place.map_err(|_| SimulatorError::UnknownHinge { id })?];
        hinge.motor = motor;
        Ok(hinge)
    }

    pub fn remove(&mut self, id: HingeId) -> Result<Hinge, SimulatorError> {
        let place = self.hinges.binary_search_by_key(&id, |hinge| hinge.id);
        place.map(|k| self.hinges.remove(k)).map_err(|_| SimulatorError::UnknownHinge { id })
    }

    /// Removes all hinges of a body.
    pub fn remove_body(&mut self, body: BodyId) {
        self.hinges.retain(|hinge| hinge.a != Some(body) && hinge.b != body);
    }

    /// Keeps awake what motors turn, and wakes what hangs on a body that is awake.
    pub fn wake(&self, body_set: &mut BodySet) {
        for hinge in &self.hinges {
            let ends = [hinge.a, Some(hinge.b)].map(|id| id.filter(|&id| body_set.get(id).is_some()));
            let driven = hinge.motor.is_some_and(|motor| motor.speed != 0.0 && motor.max_torque > 0.0);
            let moves = |id: BodyId| body_set.get(id).is_some_and(|b| !b.is_fixed() && !b.asleep());
            let awake = ends.iter().flatten().any(|&id| moves(id));
            for id in ends.into_iter().flatten() {
                let asleep = body_set.get(id).is_some_and(Body::asleep);
                if driven || (awake && asleep) {
                    sleep::wake(body_set, id.index as usize);
                }
            }
        }
    }

    /// Writes to `out` the hinges of which at least one body moves, ready for substeps of `h` (s). `warm`: by how much
    /// these are longer than the last ones.
    pub fn constraints(
        &self,
        body_set: &BodySet,
        motions: &[Motion],
        h: f64,
        warm: f64,
        out: &mut Vec<HingeConstraint>,
    ) {
        let still = motions.len() - 1;
        let end = |id: Option<BodyId>, axis: &Axis| {
            let body = id.and_then(|id| body_set.get(id));
            let pose = body.map_or_else(Isometry3::identity, |body| *body.pose());
            let anchor = pose * axis.anchor;
            HingeEnd {
                index: id.map_or(still, |id| id.index as usize),
                arm: anchor - body.map_or(Point3::origin(), Body::center),
                anchor: anchor.coords,
                axis: pose * axis.axis,
            }
        };
        let made = self.hinges.iter().enumerate().map(|(place, hinge)| {
            let ends = [end(hinge.a, &hinge.axes[0]), end(Some(hinge.b), &hinge.axes[1])];
            HingeConstraint::new(hinge, place, &ends, h, warm)
        });
        out.clear();
        out.extend(made.filter(|made| made.bodies.iter().any(|&k| motions[k].moves)));
    }

    /// Takes in what the substeps, `dt` (s) together, have done.
    pub fn finish(&mut self, constraints: &[HingeConstraint], dt: f64) {
        for constraint in constraints {
            constraint.finish(&mut self.hinges[constraint.place], dt);
        }
    }

    /// Takes in where the bodies have come to.
    pub fn turned(&mut self, body_set: &BodySet) {
        for hinge in &mut self.hinges {
            let a = hinge.a.and_then(|id| body_set.get(id)).map_or_else(Isometry3::identity, |b| *b.pose());
            if let Some(b) = body_set.get(hinge.b) {
                hinge.turned([&a, b.pose()]);
            }
        }
    }
}

fn hinge_place(desc: &HingeDesc) -> SimulatorError {
    let numbers = |v: &Vector3<f64>| -> [f64; 3] { (*v).into() };
    SimulatorError::HingePlace { anchor: numbers(&desc.anchor.coords), axis: numbers(&desc.axis) }
}

fn checked(motor: Motor) -> Result<Motor, SimulatorError> {
    let usable = motor.speed.is_finite() && motor.max_torque.is_finite() && motor.max_torque >= 0.0;
    if usable { Ok(motor) } else { Err(SimulatorError::Motor { motor }) }
}
