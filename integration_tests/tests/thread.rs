//! A nut on a screw: contacts carry the moment about their normal, so that the nut turns as it sinks.

use std::f64::consts::TAU;

use impinge::Material;
use impinge::prelude::*;
use impinge_reference::{BodyDesc, Load, Simulator, SimulatorSettings};
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
    fn new(play: f64) -> Joint {
        let screw = LeadScrew { turns: 20, play, ..LeadScrew::default() };
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
    let joint = Joint::new(0.005);
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

/// Regions of a pair, and the manifolds that they have; with three points a region has one.
fn regions(query: [&PairQuery; 2], pose: &Isometry3<f64>) -> [usize; 2] {
    query.map(|query| query.at(&Isometry3::identity(), pose).unwrap().manifolds.len())
}

#[test]
fn a_thread_has_three_manifolds_unless_points_are_few() {
    let settings = [QuerySettings::default().max_points(3), QuerySettings::default()];
    let joint = Joint::new(0.005);
    let [whole, cut] =
        settings.map(|settings| PairQuery::new(&joint.shapes[0], &joint.shapes[1], settings).unwrap());
    let mut random = Random::new(8);
    for _ in 0..20 {
        let pose = joint.nut(3.0 + 10.0 * random.unit(), -joint.play - 2e-4 - 5e-4 * random.unit());
        assert_eq!(regions([&whole, &cut], &pose), [1, 3]);
    }
}

/// How a nut came down.
struct Run {
    /// Height (m) and turn (rad) of the nut after each step, from where it was let go.
    way: Vec<[f64; 2]>,
    /// Steps with three manifolds of four points that had the keys of the step before.
    kept: usize,
}

/// Lets the nut go; `nut_first`: it is body A. Nothing resists its turning but friction.
fn let_go(joint: &Joint, friction: f64, steps: u32, nut_first: bool) -> Run {
    let world = World::builder().backend(Backend::Cpu).build().unwrap();
    let settings =
        SimulatorSettings { sleeping: false, rolling_resistance: 0.0, ..SimulatorSettings::default() };
    let mut sim = Simulator::new(world, settings).unwrap();
    let [rod, nut] = joint.shapes.clone().map(|shape| sim.world_mut().add_shape(shape).unwrap());
    let material = Material { friction, ..Material::default() };
    let start = joint.nut(14.0, -joint.play);
    let fixed = BodyDesc::fixed(rod).material(material);
    let moving = BodyDesc::new(nut).pose(start).material(material);
    let nut = if nut_first {
        let nut = sim.add_body(moving).unwrap();
        sim.add_body(fixed).unwrap();
        nut
    } else {
        sim.add_body(fixed).unwrap();
        sim.add_body(moving).unwrap()
    };
    let (mut way, mut turned, mut last) = (Vec::new(), 0.0, start.rotation);
    let (mut kept, mut before) = (0, Vec::new());
    for _ in 0..steps {
        sim.step(DT).unwrap();
        let pose = sim.body(nut).unwrap().pose();
        turned += (pose.rotation * last.inverse()).scaled_axis().z;
        last = pose.rotation;
        way.push([pose.translation.z - start.translation.z, turned]);
        let manifolds = sim.world().manifolds();
        let mut keys: Vec<u64> = manifolds.iter().flat_map(|m| m.points.iter().map(|p| p.key)).collect();
        keys.sort_unstable();
        kept += usize::from(manifolds.len() == 3 && keys.len() == 12 && keys == before);
        before = keys;
    }
    Run { way, kept }
}

#[test]
fn a_nut_let_go_runs_down_the_screw_as_fast_as_a_thread_lets_it() {
    // A nut that turns by 2π for every pitch it sinks has the energy of its fall in both motions:
    // a = g / (1 + (I/m) (2π/pitch)²).
    for (play, nut_first) in [(0.005, false), (0.01, true)] {
        let joint = Joint::new(play);
        let properties = joint.shapes[1].mass_properties().unwrap();
        let rate = TAU / joint.screw.pitch;
        let due = 9.81 / (1.0 + properties.inertia[(2, 2)] / properties.volume * rate * rate);
        let Run { way: free, kept } = let_go(&joint, 0.0, 240, nut_first);
        // After 1, 2.5 and 4 s: the first moments settle the nut on its thread.
        let [first, middle, last] = [59, 149, 239].map(|step| free[step]);
        let per_turn = (last[0] - first[0]) / (last[1] - first[1]) * TAU;
        let acceleration = -(last[0] - 2.0 * middle[0] + first[0]) / (1.5 * 1.5);
        println!(
            "sunk by {:.4} m in 4 s, turned by {:.3} rad, {per_turn:.5} m a turn, {acceleration:.5} m/s², due {due:.5}, {kept} steps kept their points",
            last[0], last[1]
        );
        assert!(kept >= 200, "{kept} of 240 steps kept their points");
        assert!((acceleration / due - 1.0).abs() < 0.03, "{acceleration} {due}");
        assert!((-last[0] / (8.0 * due) - 1.0).abs() < 0.03, "{} in 4 s", last[0]);
        assert!((per_turn / joint.screw.pitch - 1.0).abs() < 0.01, "{per_turn}");
    }
}

#[test]
fn friction_holds_the_nut() {
    // The lead angle's tangent is 0.08. Ten seconds, or a minute where more cases are asked for.
    let steps = if std::env::var_os("IMPINGE_CASES").is_some() { 3600 } else { 600 };
    let [sunk, turned] = let_go(&Joint::new(0.005), 0.3, steps, false).way[steps as usize - 1];
    println!("with friction sunk by {sunk:.5} m, turned by {turned:.4} rad in {steps} steps");
    assert!(turned.abs() < 0.05 && sunk.abs() < 2e-3, "{sunk} {turned}");
}

#[test]
fn a_nut_driven_up_its_bolt_stays_in_the_middle_of_its_play() {
    let joint = Joint::new(0.01);
    // What rounds differently must not make it whirl.
    for torque in [80.0, 80.0 * (1.0 + 1e-6), 80.0 * (1.0 - 1e-6)] {
        let world = World::builder().backend(Backend::Cpu).build().unwrap();
        let settings = SimulatorSettings { angular_damping: 4.5, ..SimulatorSettings::default() };
        let mut sim = Simulator::new(world, settings).unwrap();
        let [rod, nut] = joint.shapes.clone().map(|shape| sim.world_mut().add_shape(shape).unwrap());
        let oiled = Material { friction: 0.05, ..Material::default() };
        sim.add_body(BodyDesc::fixed(rod).material(oiled)).unwrap();
        let nut = sim.add_body(BodyDesc::new(nut).pose(joint.nut(1.0, 0.0)).material(oiled)).unwrap();
        sim.set_load(nut, Load { force: Vector3::zeros(), torque: Vector3::z() * torque }).unwrap();
        let (mut aside, mut most_points) = (0.0f64, 0);
        for _ in 0..180 {
            sim.step(DT).unwrap();
            let place = sim.body(nut).unwrap().pose().translation.vector;
            aside = aside.max(place.xy().norm());
            most_points = most_points.max(sim.world().manifolds().iter().map(|m| m.points.len()).sum());
        }
        let risen = sim.body(nut).unwrap().pose().translation.z - joint.nut(1.0, 0.0).translation.z;
        println!("risen by {risen:.4} m, aside by {aside:.1e} m at most, {most_points} points at most");
        assert!(risen > 0.05, "{risen}");
        // Across it has a play of 3 mm.
        assert!(aside < 6e-4, "{aside}");
        assert_eq!(most_points, 12, "the other flank was touched");
    }
}

#[test]
fn no_direction_beside_the_axis_parts_a_nut_sooner() {
    let joint = Joint::new(0.01);
    let query = joint.query();
    let mut random = Random::new(5);
    let (mut judged, mut held) = (0, 0);
    for _ in 0..40 {
        let mut part = || 2.0 * random.unit() - 1.0;
        // Aside by less than its play, and leaning.
        let aside = Translation3::new(1e-3 * part(), 1e-3 * part(), 0.0);
        let tilt = UnitQuaternion::from_scaled_axis(Vector3::new(2e-3 * part(), 2e-3 * part(), 0.0));
        let sunk = joint.play + 6e-4 + 4e-4 * part();
        let pose = joint.nut(4.0 + 3.0 * part(), -sunk);
        let pose = aside * Isometry3::from_parts(pose.translation, tilt * pose.rotation);
        let answer = query.at(&Isometry3::identity(), &pose).unwrap();
        if answer.manifolds.len() != 3 {
            continue;
        }
        judged += 1;
        // Along the axis, of which the flank's normals stand aside.
        let along = |m: &Manifold| {
            m.points
                .iter()
                .map(|p| p.depth / m.normal_at(p).dot(&answer.force.normalize()))
                .fold(0.0, f64::max)
        };
        let depth = answer.manifolds.iter().map(along).fold(0.0, f64::max);
        let is_free = |direction: &Vector3<f64>, length: f64| {
            let moved = Translation3::from(direction * length) * pose;
            !query.touching(&Isometry3::identity(), &moved).unwrap()
        };
        // Points move between facets, so that a depth is right to a few hundredths.
        held += usize::from(!is_free(&answer.force.normalize(), 1.04 * depth));
        for (k, lean) in (0..60).map(|k| (k % 12, [0.0, 0.05, 0.1, 0.2, 0.4][k / 12])) {
            let (sin, cos) = f64::sin_cos(lean);
            let angle = TAU * k as f64 / 12.0;
            let direction = Vector3::new(sin * angle.cos(), sin * angle.sin(), cos);
            for length in [0.5, 0.8, 0.9, 0.95].map(|part| part * depth) {
                assert!(!is_free(&direction, length), "{length} of {depth} along {direction}");
            }
        }
    }
    println!("{judged} nuts, {held} held after their depth");
    assert!(judged >= 20 && held == 0, "{held} of {judged}");
}
