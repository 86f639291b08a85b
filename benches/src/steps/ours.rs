//! Our own contacts in the reference simulator.

use impinge::{Backend, Material, World};
use impinge_reference::{BodyDesc, BodyId, Simulator, SimulatorSettings};
use impinge_scenes::Scene;
use nalgebra::Isometry3;

use super::contender::{Contender, DT};

pub struct Ours {
    simulator: Simulator,
    ids: Vec<BodyId>,
}

impl Ours {
    pub fn new(scene: &Scene, threads: usize, sleeping: bool) -> anyhow::Result<Ours> {
        let world = World::builder().backend(Backend::Cpu).threads(threads).build()?;
        let settings = SimulatorSettings { gravity: scene.gravity, sleeping, ..SimulatorSettings::default() };
        let mut simulator = Simulator::new(world, settings)?;
        let mut shapes = Vec::new();
        for shape in &scene.shapes {
            shapes.push(simulator.world_mut().add_shape(shape.shape.clone())?);
        }
        let mut ids = Vec::new();
        for body in &scene.bodies {
            let material =
                Material { friction: body.friction, restitution: body.restitution, ..Material::default() };
            ids.push(simulator.add_body(BodyDesc {
                density: (!body.fixed).then_some(body.density),
                material,
                ..BodyDesc::new(shapes[body.shape]).pose(body.pose)
            })?);
        }
        Ok(Ours { simulator, ids })
    }
}

impl Contender for Ours {
    fn step(&mut self) -> anyhow::Result<()> {
        self.simulator.step(DT)?;
        Ok(())
    }

    fn poses(&self) -> Vec<Isometry3<f64>> {
        let pose = |&id| *self.simulator.body(id).expect("no body is ever removed").pose();
        self.ids.iter().map(pose).collect()
    }

    fn points(&self) -> usize {
        self.simulator.world().manifolds().iter().map(|manifold| manifold.points.len()).sum()
    }
}
