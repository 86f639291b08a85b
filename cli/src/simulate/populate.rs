//! A scene becomes a simulation.

use anyhow::{Context, Result};
use impinge::{ColliderId, Material, NarrowMethod, Shape, World};
use impinge_reference::{
    BodyDesc, BodyId, HingeDesc, HingeId, Load, Motor, Simulator, SimulatorError, SimulatorSettings,
};
use impinge_scenes::Scene;
use nalgebra::Isometry3;

/// The part that the links of an arm belong to.
pub const ARM: u32 = 1;

/// A simulator with the names of what the scene put into it, in the scene's order.
pub struct Populated {
    pub simulator: Simulator,
    pub bodies: Vec<BodyId>,
    pub hinges: Vec<HingeId>,
}

impl Populated {
    /// A simulator that holds the scene, all of whose contacts are found by one method.
    pub fn new(world: World, scene: &Scene, sleeping: bool, method: NarrowMethod) -> Result<Populated> {
        let settings = SimulatorSettings {
            gravity: scene.gravity,
            angular_damping: scene.angular_damping,
            sleeping,
            ..SimulatorSettings::default()
        };
        let mut simulator = Simulator::new(world, settings)?;
        let mut shapes = Vec::with_capacity(scene.shapes.len());
        for shape in &scene.shapes {
            shapes.push(simulator.world_mut().add_shape(shape.shape.clone())?);
        }
        let mut bodies = Vec::with_capacity(scene.bodies.len());
        for (index, body) in scene.bodies.iter().enumerate() {
            let desc = BodyDesc {
                density: (!body.fixed).then_some(body.density),
                material: Material {
                    friction: body.friction,
                    restitution: body.restitution,
                    ..Material::default()
                },
                linear_velocity: body.velocity,
                angular_velocity: body.spin,
                fast: body.fast,
                ..BodyDesc::new(shapes[body.shape]).pose(body.pose)
            };
            // The links of an arm are one part.
            let is_link = scene.arm.as_ref().is_some_and(|arm| arm.bodies.contains(&index));
            let desc = if is_link { desc.part(ARM) } else { desc };
            let name = &scene.shapes[body.shape].name;
            bodies.push(simulator.add_body(desc).with_context(|| format!("body {index} ({name})"))?);
        }
        let mut hinges = Vec::with_capacity(scene.hinges.len());
        for hinge in &scene.hinges {
            let motor = hinge.motor.map(|[speed, max_torque]| Motor { speed, max_torque });
            let desc = HingeDesc { motor, ..HingeDesc::new(bodies[hinge.body], hinge.anchor, hinge.axis) };
            hinges.push(simulator.add_hinge(desc)?);
        }
        let colliders: Vec<ColliderId> = simulator.world().colliders().collect();
        for id in colliders {
            simulator.world_mut().set_narrow_method(id, method)?;
        }
        for load in &scene.loads {
            simulator.set_load(bodies[load.body], Load { force: load.force, torque: load.torque })?;
        }
        Ok(Populated { simulator, bodies, hinges })
    }

    /// The shape that a body has now, by its index in the scene.
    pub fn shape(&self, body: usize) -> Result<Shape> {
        let world = self.simulator.world();
        Ok(world.shape(world.shape_of(self.simulator.body(self.bodies[body])?.collider())?)?.clone())
    }

    /// Where the bodies stand (m).
    pub fn poses(&self) -> Result<Vec<Isometry3<f64>>, SimulatorError> {
        self.bodies.iter().map(|&id| Ok(*self.simulator.body(id)?.pose())).collect()
    }
}
