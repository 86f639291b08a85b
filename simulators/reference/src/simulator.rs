//! The simulator: a world, its bodies, and time.

mod swept;

use std::time::Instant;

use impinge::{Collider, ColliderId, Shape, StepReport, World};
use nalgebra::{Isometry3, Unit, Vector3};

use crate::body::{Body, BodyDesc, BodyId, Dynamics, Load};
use crate::body_set::BodySet;
use crate::error::SimulatorError;
use crate::hinge::{Hinge, HingeDesc, HingeId, Motor};
use crate::hinge_list::HingeList;
use crate::rolling::RollingMemory;
use crate::settings::SimulatorSettings;
use crate::size::Size;
use crate::sleep::{self, ContactGraph};
use crate::solver::{SolverScratch, Substeps};
use crate::summary::StepSummary;

/// How far a fast body may move unswept, at most (part of its thickness): what comes that far into another is left there.
const FAST_TRAVEL: f64 = 0.5;

/// Rigid bodies in a world.
///
/// Colliders that were added to the world directly, and not through [`Simulator::add_body`], take part as
/// things that no contact moves: the program may move them, and [say how fast they are](World::set_velocity).
#[derive(Debug)]
pub struct Simulator {
    world: World,
    settings: SimulatorSettings,
    body_set: BodySet,
    rolling: RollingMemory,
    hinges: HingeList,
    contact_graph: ContactGraph,
    solver: SolverScratch,
    /// Where bodies stood at the begin of a detection, by slot.
    starts: Vec<Option<Isometry3<f64>>>,
    /// Length of the last detection's step (s).
    last_dt: f64,
}

impl Simulator {
    /// A simulator of the bodies that will be added to `world`.
    ///
    /// # Errors
    /// [`SimulatorError::Setting`].
    pub fn new(world: World, settings: SimulatorSettings) -> Result<Simulator, SimulatorError> {
        let settings = settings.checked()?;
        Ok(Simulator {
            world,
            settings,
            body_set: BodySet::default(),
            rolling: RollingMemory::default(),
            hinges: HingeList::default(),
            contact_graph: ContactGraph::default(),
            solver: SolverScratch::default(),
            starts: Vec::new(),
            last_dt: 1.0,
        })
    }

    /// The world: shapes, colliders, manifolds of the last detection.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to add shapes or fixed colliders, and to move those. Do not move or remove the bodies' colliders here:
    /// poses are set in every step, and a body whose collider is gone makes the step fail.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// The settings.
    pub fn settings(&self) -> &SimulatorSettings {
        &self.settings
    }

    /// Adds a body.
    ///
    /// # Errors
    /// [`SimulatorError`] for a density or velocity that cannot be, a shape without mass, and whatever
    /// the world refuses.
    pub fn add_body(&mut self, desc: BodyDesc) -> Result<BodyId, SimulatorError> {
        checked_velocity("linear", &desc.linear_velocity)?;
        checked_velocity("angular", &desc.angular_velocity)?;
        let shape = self.world.shape(desc.shape)?;
        let wheel_axis = desc.wheel_axis.map(checked_axis).transpose()?;
        let mut dynamics = desc.density.map(|density| dynamics(shape, density)).transpose()?;
        if let Some(dynamics) = &mut dynamics {
            dynamics.wheel_axis = wheel_axis;
        }
        if !self.body_set.has_room() {
            return Err(SimulatorError::Full);
        }
        let unswept =
            if desc.fast { FAST_TRAVEL.min(self.settings.max_travel) } else { self.settings.max_travel };
        let mut collider = Collider::new(desc.shape)
            .pose(desc.pose)
            .fixed(desc.density.is_none())
            .material(desc.material)
            .fast(desc.fast)
            .sweep_beyond(unswept * Size::thickness_of(shape));
        if let Some(part) = desc.part {
            collider = collider.part(part);
        }
        if desc.density.is_none() {
            collider = collider.velocity(desc.linear_velocity, desc.angular_velocity);
        }
        let collider = self.world.add_collider(collider)?;
        let pose = self.world.pose(collider)?;
        Ok(self.body_set.insert(Body {
            collider,
            pose,
            linear_velocity: desc.linear_velocity,
            angular_velocity: desc.angular_velocity,
            dynamics,
            fast: desc.fast,
        }))
    }

    /// Removes a body with its hinges and wakes what touched it.
    ///
    /// # Errors
    /// [`SimulatorError::UnknownBody`], or what the world refuses.
    pub fn remove_body(&mut self, id: BodyId) -> Result<Body, SimulatorError> {
        let collider = self.body(id)?.collider;
        self.wake_neighbours(id)?;
        self.world.remove_collider(collider)?;
        self.hinges.remove_body(id);
        self.body_set.remove(id).ok_or(SimulatorError::UnknownBody { id })
    }

    /// A body.
    ///
    /// # Errors
    /// [`SimulatorError::UnknownBody`].
    pub fn body(&self, id: BodyId) -> Result<&Body, SimulatorError> {
        self.body_set.get(id).ok_or(SimulatorError::UnknownBody { id })
    }

    /// All bodies, fixed ones too, in the order of their slots.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.body_set.bodies()
    }

    /// Sets a body's velocities: of its centre of mass (m/s; of its origin, if it is fixed) and angular (rad/s, world
    /// axes); it wakes.
    ///
    /// # Errors
    /// [`SimulatorError::UnknownBody`] or [`SimulatorError::Velocity`].
    pub fn set_velocity(
        &mut self,
        id: BodyId,
        linear: Vector3<f64>,
        angular: Vector3<f64>,
    ) -> Result<(), SimulatorError> {
        let body = self.body_set.get_mut(id).ok_or(SimulatorError::UnknownBody { id })?;
        checked_velocity("linear", &linear)?;
        checked_velocity("angular", &angular)?;
        if body.is_fixed() {
            self.world.set_velocity(body.collider, linear, angular)?;
        }
        if body.is_kinematic() {
            self.world.set_pose(body.collider, body.pose)?;
        }
        (body.linear_velocity, body.angular_velocity) = (linear, angular);
        sleep::wake(&mut self.body_set, id.index as usize);
        Ok(())
    }

    /// Puts a body elsewhere (m), with the velocities that it has; it wakes.
    ///
    /// # Errors
    /// [`SimulatorError::UnknownBody`], or what the world refuses.
    pub fn set_pose(&mut self, id: BodyId, pose: Isometry3<f64>) -> Result<(), SimulatorError> {
        let body = self.body_set.get_mut(id).ok_or(SimulatorError::UnknownBody { id })?;
        self.world.set_pose(body.collider, pose)?;
        body.pose = self.world.pose(body.collider)?;
        sleep::wake(&mut self.body_set, id.index as usize);
        Ok(())
    }

    /// Sets what acts on a moving body from outside, in this step and all that follow; it wakes.
    ///
    /// # Errors
    /// [`SimulatorError::UnknownBody`] or [`SimulatorError::Load`]; a fixed body takes only 0.
    pub fn set_load(&mut self, id: BodyId, load: Load) -> Result<(), SimulatorError> {
        let body = self.body_set.get_mut(id).ok_or(SimulatorError::UnknownBody { id })?;
        for (name, value) in [("force", &load.force), ("torque", &load.torque)] {
            let usable = value.iter().all(|x| x.is_finite()) && (!body.is_fixed() || value.norm() == 0.0);
            if !usable {
                return Err(SimulatorError::Load { load: name, value: (*value).into() });
            }
        }
        if let Some(dynamics) = &mut body.dynamics {
            dynamics.load = load;
        }
        sleep::wake(&mut self.body_set, id.index as usize);
        Ok(())
    }

    /// Adds a hinge between bodies as they stand now. What it holds together still collides: give the
    /// bodies one [part](BodyDesc::part) where it should not.
    ///
    /// # Errors
    /// [`SimulatorError::UnknownBody`], [`SimulatorError::HingeOnItself`],
    /// [`SimulatorError::HingePlace`] or [`SimulatorError::Motor`].
    pub fn add_hinge(&mut self, desc: HingeDesc) -> Result<HingeId, SimulatorError> {
        let id = self.hinges.add(&desc, &self.body_set)?;
        sleep::wake(&mut self.body_set, desc.b.index as usize);
        Ok(id)
    }

    /// A hinge.
    ///
    /// # Errors
    /// [`SimulatorError::UnknownHinge`].
    pub fn hinge(&self, id: HingeId) -> Result<&Hinge, SimulatorError> {
        self.hinges.get(id)
    }

    /// Gives a hinge another motor, or none.
    ///
    /// # Errors
    /// [`SimulatorError::UnknownHinge`] or [`SimulatorError::Motor`].
    pub fn set_motor(&mut self, id: HingeId, motor: Option<Motor>) -> Result<(), SimulatorError> {
        let body = self.hinges.set_motor(id, motor)?.b;
        sleep::wake(&mut self.body_set, body.index as usize);
        Ok(())
    }

    /// Removes a hinge.
    ///
    /// # Errors
    /// [`SimulatorError::UnknownHinge`].
    pub fn remove_hinge(&mut self, id: HingeId) -> Result<Hinge, SimulatorError> {
        let hinge = self.hinges.remove(id)?;
        sleep::wake(&mut self.body_set, hinge.b.index as usize);
        Ok(hinge)
    }

    /// Wakes a body.
    ///
    /// # Errors
    /// [`SimulatorError::UnknownBody`].
    pub fn wake(&mut self, id: BodyId) -> Result<(), SimulatorError> {
        self.body(id)?;
        sleep::wake(&mut self.body_set, id.index as usize);
        Ok(())
    }

    /// Moves everything on by `dt` (s).
    ///
    /// # Errors
    /// [`SimulatorError::Dt`], or what the world or the solver cannot do. Where a step is split and a
    /// later part fails, the earlier parts have been done.
    pub fn step(&mut self, dt: f64) -> Result<StepSummary, SimulatorError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(SimulatorError::Dt { dt });
        }
        let span = tracing::info_span!("simulator::step", detections = tracing::field::Empty);
        let _entered = span.enter();
        let detections = self.detections(dt);
        span.record("detections", detections);
        let mut summary = StepSummary { detections, ..StepSummary::default() };
        for part in 0..detections {
            let dt = dt / f64::from(detections);
            self.advance(dt, part > 0, &mut summary)?;
        }
        self.summarise(&mut summary);
        Ok(summary)
    }

    /// Into how many detections the step is split so that no body moves too far between two.
    fn detections(&self, dt: f64) -> u32 {
        let awake = || self.body_set.bodies().filter(|(_, b)| !b.asleep() && !b.is_fixed() && !b.fast);
        let thinnest = self
            .body_set
            .bodies()
            .filter_map(|(_, b)| b.dynamics)
            .fold(f64::INFINITY, |t, d| t.min(d.size.thickness));
        let carried =
            self.body_set.bodies().filter(|(_, b)| b.is_kinematic()).map(|(_, b)| self.carried_speed(b));
        let fastest = awake().map(|(_, b)| b.top_speed()).chain(carried).fold(0.0, f64::max);
        let parts = (fastest * dt / (self.settings.max_travel * thinnest)).ceil();
        (parts.max(1.0) as u32).min(self.settings.max_detections)
    }

    /// An upper bound of the speed of a kinematic body's points (m/s); of one without an end that of its origin.
    fn carried_speed(&self, body: &Body) -> f64 {
        let origin = body.pose.translation.vector;
        let reach = self.world.aabb(body.collider).map_or(0.0, |aabb| {
            let along = |k: usize| {
                let (min, max) = (f64::from(aabb.min[k]) - origin[k], f64::from(aabb.max[k]) - origin[k]);
                min.abs().max(max.abs())
            };
            Vector3::from_fn(|k, _| along(k)).norm()
        });
        let rim = if reach.is_finite() { body.angular_velocity.norm() * reach } else { 0.0 };
        body.linear_velocity.norm() + rim
    }

    /// One detection and its solve; `between` says whether the step has had a whole one.
    fn advance(&mut self, dt: f64, between: bool, summary: &mut StepSummary) -> Result<(), SimulatorError> {
        let started = Instant::now();
        let report = self.detect(between)?;
        let detected = Instant::now();
        summary.detect_time += detected - started;
        summary.edited_pairs += self.world.edited_pairs().len();
        self.respond(dt, summary)?;
        summary.solve_time += detected.elapsed();
        summary.report = report;
        summary.status = summary.status | report.status;
        Ok(())
    }

    /// Has the world find the contacts where the bodies stand now; between two whole detections those of what moves fast.
    pub(crate) fn detect(&mut self, between: bool) -> Result<StepReport, SimulatorError> {
        self.hinges.wake(&mut self.body_set);
        for body in self.body_set.slots().flatten().filter(|body| !body.is_fixed() || body.is_kinematic()) {
            self.world.set_pose(body.collider, body.pose)?;
        }
        Ok(if between { self.world.substep() } else { self.world.step() })
    }

    /// Moves the bodies on by `dt` (s), as the contacts of the last detection have it.
    pub(crate) fn respond(&mut self, dt: f64, summary: &mut StepSummary) -> Result<(), SimulatorError> {
        if self.settings.sleeping {
            let (world, drives) = (&self.world, |id| drives(&self.world, id));
            self.contact_graph.update(&mut self.body_set, world.manifolds(), drives, &self.settings);
            sleep::wake_edited(&mut self.body_set, world.edited_pairs());
        }
        self.starts.clear();
        self.starts.extend(self.body_set.slots().map(|body| body.map(|body| body.pose)));
        let span = tracing::info_span!("solve", rows = tracing::field::Empty).entered();
        // Sleepers keep their impulses.
        let awake = self.body_set.bodies().any(|(_, body)| !body.asleep() && !body.is_fixed());
        if self.body_set.slots().flatten().any(|body| body.fast) {
            self.solve_swept(awake, dt, summary)?;
        } else {
            let mut solver = Substeps {
                body_set: &mut self.body_set,
                settings: &self.settings,
                rolling: &mut self.rolling,
                hinges: &mut self.hinges,
                last_dt: self.last_dt,
                ahead: &[],
                rows: 0,
                deepest: 0.0,
                scratch: &mut self.solver,
            };
            if awake {
                self.world.solve(&mut solver, dt)?;
            }
            (summary.rows, summary.deepest) = (solver.rows, solver.deepest);
            self.body_set.slots_mut().flatten().for_each(|body| body.move_kinematic(dt));
        }
        span.record("rows", summary.rows);
        self.last_dt = dt;
        self.hinges.turned(&self.body_set);
        if self.settings.sleeping {
            self.contact_graph.rest(&mut self.body_set, &self.settings, dt);
        }
        Ok(())
    }

    fn summarise(&self, summary: &mut StepSummary) {
        let mut speeds = 0.0;
        for (_, body) in self.body_set.bodies().filter(|(_, body)| !body.is_fixed()) {
            let speed = body.linear_velocity.norm();
            speeds += speed;
            summary.max_speed = summary.max_speed.max(speed);
            summary.kinetic_energy += body.kinetic_energy();
            if body.asleep() {
                summary.asleep += 1;
            } else {
                summary.awake += 1;
            }
        }
        let bodies = summary.awake + summary.asleep;
        summary.mean_speed = if bodies > 0 { speeds / bodies as f64 } else { 0.0 };
    }

    fn wake_neighbours(&mut self, id: BodyId) -> Result<(), SimulatorError> {
        let collider = self.body(id)?.collider;
        let manifolds = self.world.manifolds().iter();
        let touching = manifolds.filter(|m| m.colliders.contains(&collider)).flat_map(|m| m.colliders);
        let neighbours: Vec<_> = touching.filter_map(|c| self.body_set.of_collider(c)).collect();
        for index in neighbours {
            sleep::wake(&mut self.body_set, index);
        }
        Ok(())
    }
}

fn dynamics(shape: &Shape, density: f64) -> Result<Dynamics, SimulatorError> {
    if !(density.is_finite() && density > 0.0) {
        return Err(SimulatorError::Density { density });
    }
    let properties = shape.mass_properties()?;
    let size = Size::new(shape, &properties);
    Dynamics::new(&properties, size, density)
        .ok_or(SimulatorError::MassRange { mass: properties.mass(density) })
}

/// Whether a collider's surface moves although nothing may push it.
fn drives(world: &World, id: ColliderId) -> bool {
    let moves = |v: Vector3<f64>| v != Vector3::zeros();
    world.collider(id).is_ok_and(|collider| {
        let kinematic = moves(collider.linear_velocity) || moves(collider.angular_velocity);
        moves(collider.surface_velocity) || collider.fixed && kinematic
    })
}

fn checked_axis(axis: Vector3<f64>) -> Result<Vector3<f64>, SimulatorError> {
    let unit = Unit::try_new(axis, 1e-150).filter(|unit| unit.iter().all(|x| x.is_finite()));
    unit.map(Unit::into_inner).ok_or(SimulatorError::WheelAxis { axis: axis.into() })
}

fn checked_velocity(velocity: &'static str, value: &Vector3<f64>) -> Result<(), SimulatorError> {
    if value.iter().all(|x| x.is_finite()) {
        Ok(())
    } else {
        Err(SimulatorError::Velocity { velocity, value: (*value).into() })
    }
}
