//! What a scene has besides bodies that a simulator moves: an arm, a digger, a hand, powder, a road.

use anyhow::Result;
use impinge::{NarrowMethod, Shape};
use impinge_reference::StepSummary;
use impinge_scenes::Scene;
use nalgebra::Isometry3;

use super::check::Check;
use super::digger::Digger;
use super::driven_arm::DrivenArm;
use super::gripper::Gripper;
use super::populate::Populated;
use super::pourer::Pourer;
use super::road::Road;

/// Everything of a scene that is driven.
pub struct Drivers {
    arm: Option<DrivenArm>,
    digger: Option<Digger>,
    gripper: Option<Gripper>,
    pourer: Option<Pourer>,
    road: Option<Road>,
}

impl Drivers {
    /// What a scene has; `method`: by which contacts are found.
    pub fn of_scene(scene: &Scene, run: &mut Populated, method: NarrowMethod) -> Result<Drivers> {
        Ok(Drivers {
            arm: DrivenArm::of_scene(scene, run)?,
            digger: Digger::of_scene(scene, run)?,
            gripper: Gripper::of_scene(scene, run)?,
            pourer: Pourer::of_scene(scene, run)?,
            road: Road::of_scene(scene, run, method)?,
        })
    }

    /// Before a step of the simulator.
    pub fn step(&mut self, run: &mut Populated) -> Result<()> {
        self.arm.as_mut().map_or(Ok(()), |arm| arm.step(run))?;
        self.digger.as_mut().map_or(Ok(()), |digger| digger.step(run))?;
        self.gripper.as_mut().map_or(Ok(()), |gripper| gripper.step(run))?;
        self.pourer.as_mut().map_or(Ok(()), |pourer| pourer.step(run))?;
        self.road.as_mut().map_or(Ok(()), |road| road.step(run))
    }

    /// Adds to a step of the simulator what has been simulated before it: powder.
    pub fn add_times(&self, done: &mut StepSummary) {
        if let Some(pourer) = &self.pourer {
            pourer.add_times(done);
        }
    }

    /// After it.
    pub fn look(&mut self, run: &mut Populated, done: &StepSummary) -> Result<()> {
        self.arm.as_mut().map_or(Ok(()), |arm| arm.look(run))?;
        self.digger.as_mut().map_or(Ok(()), |digger| digger.look(run, done))?;
        self.gripper.as_mut().map_or(Ok(()), |gripper| gripper.look(run))?;
        self.pourer.as_mut().map_or(Ok(()), |pourer| pourer.look(run))?;
        self.road.as_mut().map_or(Ok(()), |road| road.look(run))
    }

    /// The bodies whose shapes change, by their index in the scene, with the shapes that they have now.
    pub fn reshaped(&self, run: &Populated) -> Result<Vec<(usize, Shape)>> {
        let bodies = self.digger.iter().map(Digger::body).chain(self.pourer.iter().map(Pourer::body));
        bodies
            .chain(self.gripper.iter().map(Gripper::body))
            .chain(self.road.iter().flat_map(Road::tiles))
            .map(|body| Ok((body, run.shape(body)?)))
            .collect()
    }

    /// Where the vertices are of bodies that deform in a replay (m, world), body after body.
    pub fn places(&self, run: &Populated) -> Result<Vec<[f32; 3]>> {
        match (&self.pourer, &self.road, &self.gripper) {
            (Some(pourer), ..) => Ok(pourer.places()),
            (_, Some(road), _) => road.places(),
            (.., Some(gripper)) => gripper.places(run),
            _ => Ok(Vec::new()),
        }
    }

    /// Where what a picture is looked at from is carried along (m).
    pub fn carried(&self, run: &Populated) -> Result<Isometry3<f64>> {
        self.road.as_ref().map_or(Ok(Isometry3::identity()), |road| road.carried(run))
    }

    /// The scene with the ground as it is now.
    pub fn scene_now(&self, scene: &Scene, run: &Populated) -> Result<Scene> {
        let mut now = scene.clone();
        for (body, shape) in self.reshaped(run)? {
            let of_body = now.bodies[body].shape;
            now.shapes[of_body].shape = shape;
        }
        Ok(now)
    }

    /// The verdicts.
    pub fn checks(&self) -> Vec<Check> {
        let arm = self.arm.iter().flat_map(DrivenArm::checks);
        let digger = self.digger.iter().flat_map(Digger::checks);
        let pourer = self.pourer.iter().flat_map(Pourer::checks);
        let gripper = self.gripper.iter().flat_map(Gripper::checks);
        arm.chain(digger)
            .chain(gripper)
            .chain(pourer)
            .chain(self.road.iter().flat_map(Road::checks))
            .collect()
    }
}
