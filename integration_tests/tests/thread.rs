//! A nut on a screw: contacts carry the moment about their normal, so that the nut turns as it sinks.

use std::f64::consts::TAU;

use impinge::Material;
use impinge::prelude::*;
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};
use impinge_scenes::mesh::LeadScrew;
use impinge_scenes::random::Random;

/// Time of a step (s).
const DT: f64 = 1.0 / 60.0;

/// A screw of 20 turns, and the height by which its nut falls until their flanks meet (m).
struct Joint {
    screw: LeadScrew,
    shapes: [Shape; 2],
    play: f64,
}

impl Joint {
    fn new() -> Joint {
        let screw = LeadScrew { turns: 20, play: 0.005, ..LeadScrew::default() };
        let shapes = [screw.rod().unwrap(), screw.nut().unwrap()].map(Shape::from);
        let mut joint = Joint { screw, shapes, play: 0.0 };
        let query = joint.query();
        let (mut free, mut held) = (0.0, screw.pitch);
        for _ in 0..40 {
            let middle = 0.5 * (free + held);
            let touching = query.touching(&Isometry3::identity(), &joint.nut(4.0, -middle)).unwrap();
            if touching { held = middle } else { free = middle }
        }
        joint.play = free;
        joint
    }

    fn query(&self) -> PairQuery {
        PairQuery::new(&self.shapes[0], &self.shapes[1], QuerySettings::default()).unwrap()
    }

    /// The nut after so many turns up the screw, and `above` (m) the middle of its play.
    fn nut(&self, turns: f64, above: f64) -> Isometry3<f64> {
        let height = self.screw.nut_place() + self.screw.pitch * turns + above;
        Isometry3::new(Vector3::new(0.0, 0.0, height), Vector3::z() * (TAU * turns))
    }
}

#[test]
fn the_moment_about_the_axis_is_the_force_times_the_lead() {
    let joint = Joint::new();
    let query = joint.query();
    let lead = joint.screw.pitch / TAU;
    let mut random = Random::new(3);
    let (mut of_pair, mut of_points) = (0.0f64, 0.0f64);
    for _ in 0..40 {
        // Sunk until the flanks lie on each other, not only some of their facets' edges.
        let sunk = joint.play + 2e-4 + 1e-3 * random.unit();
        let pose = joint.nut(3.0 + 10.0 * random.unit(), -sunk);
        let answer = query.at(&Isometry3::identity(), &pose).unwrap();
        // The rod pushes the nut up, and turns it to where it may sink: downwards along the thread.
        let off = |force: &Vector3<f64>, moment: &Vector3<f64>| (moment.z / (lead * force.z) + 1.0).abs();
        of_pair = of_pair.max(off(&answer.force, &answer.moment));
        let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
        for manifold in &answer.manifolds {
            for point in &manifold.points {
                let own = manifold.normal_at(point) * point.weight;
                force += own;
                moment += point.position.coords.cross(&own);
            }
        }
        assert!(answer.force.z > 0.0 && force.z > 0.0);
        of_points = of_points.max(off(&force, &moment));
    }
    println!("off at most: the pair by {of_pair:.1e}, the points by {of_points:.1e}");
    assert!(of_pair < 0.02 && of_points < 0.02, "{of_pair} {of_points}");
}

/// Height (m) and turn (rad) of the nut after each step, from where it was let go.
fn let_go(friction: f64, steps: u32) -> Vec<[f64; 2]> {
    let joint = Joint::new();
    let world = World::builder().backend(Backend::Cpu).build().unwrap();
    let settings = SimulatorSettings { sleeping: false, ..SimulatorSettings::default() };
    let mut sim = Simulator::new(world, settings).unwrap();
    let [rod, nut] = joint.shapes.clone().map(|shape| sim.world_mut().add_shape(shape).unwrap());
    let material = Material { friction, ..Material::default() };
    sim.add_body(BodyDesc::fixed(rod).material(material)).unwrap();
    let start = joint.nut(14.0, -joint.play);
    let nut = sim.add_body(BodyDesc::new(nut).pose(start).material(material)).unwrap();
    let (mut way, mut turned, mut last) = (Vec::new(), 0.0, start.rotation);
    for _ in 0..steps {
        sim.step(DT).unwrap();
        let pose = sim.body(nut).unwrap().pose();
        turned += (pose.rotation * last.inverse()).scaled_axis().z;
        last = pose.rotation;
        way.push([pose.translation.z - start.translation.z, turned]);
    }
    way
}

#[test]
fn a_nut_let_go_turns_down_the_screw_and_friction_holds_it() {
    let free = let_go(0.0, 240);
    let [sunk, turned] = free[239];
    let per_turn = (sunk - free[59][0]) / (turned - free[59][1]) * TAU;
    println!("sunk by {sunk:.4} m in 4 s, turned by {turned:.3} rad, {per_turn:.5} m a turn");
    assert!(turned < -1.0 && sunk < -0.015, "{sunk} {turned}");
    assert!((per_turn / 0.1 - 1.0).abs() < 0.05, "{per_turn}");
    // The lead angle's tangent is 0.08.
    let held = let_go(0.3, 600);
    let [sunk, turned] = held[599];
    println!("with friction sunk by {sunk:.5} m, turned by {turned:.4} rad in 10 s");
    assert!(turned.abs() < 0.05 && sunk.abs() < 2e-3, "{sunk} {turned}");
}
