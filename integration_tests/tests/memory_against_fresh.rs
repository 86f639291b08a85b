//! What a world remembers of a pair never makes its contact deeper: step by step, the deepest manifold against
//! that of a query which knows nothing but the poses.

use std::collections::BTreeMap;

use impinge::prelude::*;
use impinge::query::QueryScratch;
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};
use impinge_scenes::mesh::{Gear, Torus, Trial, TrialKind};
use impinge_scenes::random::Random;
use impinge_scenes::{Scene, SceneParams, scene};
use nalgebra::{Translation3, UnitQuaternion};

/// A depth with memory may be greater by this part, and by this part of the smaller body's radius.
const PART: f64 = 0.05;
const LEAST: f64 = 1e-6;

/// Shapes of bodies and where they stand in each step.
struct Trajectory {
    name: String,
    shapes: Vec<Shape>,
    fixed: Vec<bool>,
    steps: Vec<Vec<Isometry3<f64>>>,
}

#[derive(Default)]
struct Tally {
    compared: usize,
    /// Of these, the fresh answer does not free the pair.
    unjudged: usize,
    deeper: Vec<String>,
}

impl Tally {
    /// Plays a trajectory in a world that remembers, and asks again, without memory, about every contact.
    fn play(&mut self, trajectory: &Trajectory) {
        let mut world =
            World::builder().backend(Backend::Cpu).threads(1).contact_tolerance(0.0).build().unwrap();
        let place = |(k, pose): (usize, &Isometry3<f64>), world: &mut World| {
            let shape = world.add_shape(trajectory.shapes[k].clone()).unwrap();
            let collider = Collider::new(shape).pose(*pose).fixed(trajectory.fixed[k]);
            world.add_collider(collider).unwrap()
        };
        let ids: Vec<ColliderId> =
            trajectory.steps[0].iter().enumerate().map(|body| place(body, &mut world)).collect();
        let mut queries: BTreeMap<[usize; 2], PairQuery> = BTreeMap::new();
        let scratch = &mut QueryScratch::default();
        for (step, poses) in trajectory.steps.iter().enumerate() {
            for (&id, pose) in ids.iter().zip(poses) {
                world.set_pose(id, *pose).unwrap();
            }
            world.step();
            for i in 0..ids.len() {
                for j in i + 1..ids.len() {
                    let Some(depth) = deepest(world.manifolds_between(ids[i], ids[j]).unwrap()) else {
                        continue;
                    };
                    let query = queries.entry([i, j]).or_insert_with(|| {
                        let [a, b] = [i, j].map(|k| &trajectory.shapes[k]);
                        PairQuery::new(a, b, QuerySettings::default()).unwrap()
                    });
                    self.compared += 1;
                    let fresh = query.at_with(&poses[i], &poses[j], scratch).unwrap();
                    let best = fresh.manifolds.iter().reduce(|p, q| if q.depth > p.depth { q } else { p });
                    let Some(best) = best else {
                        self.deeper
                            .push(format!("{} step {step}: {i} {j}: no fresh contact", trajectory.name));
                        continue;
                    };
                    let radius = [i, j].map(|k| f64::from(trajectory.shapes[k].bounding_sphere().radius));
                    let allowed = best.depth * (1.0 + PART) + LEAST * radius[0].min(radius[1]);
                    if depth.depth <= allowed {
                        continue;
                    }
                    let moved = Translation3::from(best.normal * (1.001 * best.depth)) * poses[j];
                    if query.touching_with(&poses[i], &moved, scratch).unwrap() {
                        self.unjudged += 1;
                        continue;
                    }
                    self.deeper.push(format!(
                        "{} step {step}: {i} {j}: {:.6} m with memory, {:.6} m without",
                        trajectory.name, depth.depth, best.depth
                    ));
                }
            }
        }
    }

    fn assert_none_deeper(&self) {
        let Tally { compared, unjudged, deeper } = self;
        println!("{compared} compared, {unjudged} unjudged, {} deeper", deeper.len());
        assert!(deeper.is_empty(), "of {compared} are deeper: {deeper:#?}");
    }
}

fn deepest(manifolds: &[Manifold]) -> Option<&Manifold> {
    manifolds.iter().reduce(|p, q| if q.depth > p.depth { q } else { p })
}

/// B wanders through A, slowly, its velocity changing a little in every step.
fn wandering(number: u64, steps: usize) -> Trajectory {
    let mut random = Random::new(number ^ 0x3e30);
    let mut mesh = || -> Shape {
        let trial = |kind, seed| Trial { kind, radius: 0.5, triangles: 1_000, seed }.mesh().unwrap();
        match random.index(6) {
            0 => Gear::default().mesh().unwrap().into(),
            1 => Torus::default().mesh().unwrap().into(),
            2 => trial(TrialKind::Animal, number).into(),
            3 => trial(TrialKind::Bracket, number).into(),
            4 => trial(TrialKind::Housing, number).into(),
            _ => trial(TrialKind::Bar, number).into(),
        }
    };
    let shapes = vec![mesh(), mesh()];
    let reach: f64 = shapes.iter().map(|s| f64::from(s.bounding_sphere().radius)).sum();
    let mut at = random.direction() * (0.6 * reach);
    let mut turn = random.rotation();
    let (mut velocity, mut spin) = (random.direction() * 0.003, random.direction() * 0.01);
    let place = (0..steps).map(|_| {
        velocity += random.direction() * 0.0004 - at * (0.0002 / reach);
        velocity *= 0.01f64.min(velocity.norm()) / velocity.norm();
        spin = (spin + random.direction() * 0.002) * 0.98;
        at += velocity;
        turn = UnitQuaternion::from_scaled_axis(spin) * turn;
        vec![Isometry3::identity(), Isometry3::from_parts(Translation3::from(at), turn)]
    });
    let steps = place.collect();
    Trajectory { name: format!("pair {number}"), shapes, fixed: vec![true, false], steps }
}

/// A scene in the reference simulator.
fn simulated(scene: &Scene, steps: usize) -> Trajectory {
    let world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let settings = SimulatorSettings { gravity: scene.gravity, ..SimulatorSettings::default() };
    let mut simulator = Simulator::new(world, settings).unwrap();
    let bodies: Vec<_> = scene
        .bodies
        .iter()
        .map(|body| {
            let shape = simulator.world_mut().add_shape(scene.shapes[body.shape].shape.clone()).unwrap();
            let density = (!body.fixed).then_some(body.density);
            simulator.add_body(BodyDesc { density, ..BodyDesc::new(shape).pose(body.pose) }).unwrap()
        })
        .collect();
    let steps = (0..steps).map(|_| {
        simulator.step(1.0 / 60.0).unwrap();
        bodies.iter().map(|&id| *simulator.body(id).unwrap().pose()).collect()
    });
    let steps = steps.collect();
    Trajectory {
        name: scene.name.clone(),
        shapes: scene.bodies.iter().map(|b| scene.shapes[b.shape].shape.clone()).collect(),
        fixed: scene.bodies.iter().map(|b| b.fixed).collect(),
        steps,
    }
}

#[test]
fn memory_makes_no_contact_of_a_wandering_pair_deeper() {
    let mut tally = Tally::default();
    for number in 0..20 {
        tally.play(&wandering(number, 500));
    }
    tally.assert_none_deeper();
}

#[test]
fn memory_makes_no_contact_of_a_scene_deeper() {
    let mut tally = Tally::default();
    for (name, bodies, steps) in [("bin", Some(9), 200), ("bowls", None, 200), ("mixed", Some(6), 200)] {
        let params = SceneParams { bodies, seed: 1, ..SceneParams::default() };
        tally.play(&simulated(&scene(name, &params).unwrap(), steps));
    }
    tally.assert_none_deeper();
}
