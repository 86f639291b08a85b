//! Articulated chains from sample to sample among pipes and machines, and folding upon themselves, beside printed times.

use std::sync::Arc;

use impinge::chain::{Chain, ChainObstacle, ChainScratch, ChainSweep};
use impinge::geometry::Joint;
use impinge::{PreparedShape, Shape};
use impinge_scenes::mesh::{Knot, Torus};
use impinge_scenes::random::Random;
use impinge_scenes::{SceneParams, scene};
use nalgebra::{Isometry3, Vector3};

use super::{MotionContender, MotionScene};

/// The scenes.
pub const NAMES: [&str; 3] = ["arm-38k", "arm-180k", "chain-15"];

/// Questions of a scene.
const QUESTIONS: usize = 60;
/// Samples that are tried for a scene's questions.
const TRIALS: usize = 20_000;

/// Steps of the arm (degrees of every joint), and the times printed for a scene of as many triangles (ms): with a contact, without.
type Printed = (u32, &'static [(&'static str, [f64; 2])]);

/// Source: Kim, "Continuous collision detection of articulated models", slides, the tables of total times.
const PIPES: [Printed; 5] = [
    (1, &[("printed", [23.8, 6.3])]),
    (5, &[("printed", [32.4, 8.0])]),
    (15, &[("printed", [52.7, 9.4])]),
    (30, &[("printed", [104.0, 23.2])]),
    (60, &[]),
];
const MACHINES: [Printed; 3] = [
    (1, &[("printed-all", [48.9, 19.0]), ("printed-unswept", [7.7, 1.2])]),
    (30, &[("printed-all", [148.0, 48.3]), ("printed-unswept", [122.0, 115.0])]),
    (60, &[("printed-all", [524.0, 40.9]), ("printed-unswept", [578.0, 36.8])]),
];

/// Zhang, Redon, Lee, Kim, "Continuous Collision Detection for Articulated Models using Taylor Models and Temporal Culling", 2007: a
/// chain of 15 links, 20,000 triangles (ms).
const CHAIN: [(&str, f64); 1] = [("printed", 1.2)];

/// The questions of a scene.
pub fn make(name: &str) -> anyhow::Result<Vec<MotionScene>> {
    match name {
        "arm-38k" => arm(name, "arm", &PIPES),
        "arm-180k" => arm(name, "arm-machines", &MACHINES),
        _ => chain(name),
    }
}

/// What a chain is asked among.
struct Place {
    chain: Chain,
    shapes: Vec<PreparedShape>,
    standing: Vec<(usize, Isometry3<f64>)>,
}

impl Place {
    fn obstacles(&self) -> Vec<ChainObstacle<'_>> {
        self.standing
            .iter()
            .map(|&(shape, pose)| ChainObstacle { shape: &self.shapes[shape], pose })
            .collect()
    }
}

type Way = [Vec<f64>; 2];

fn arm(name: &str, scene_name: &str, table: &[Printed]) -> anyhow::Result<Vec<MotionScene>> {
    let scene = scene(scene_name, &SceneParams::default())?;
    let Some(arm) = &scene.arm else { anyhow::bail!("{scene_name} has no arm") };
    let shapes: Vec<PreparedShape> =
        scene.shapes.iter().map(|shape| PreparedShape::new(&shape.shape)).collect();
    let links = arm.bodies.iter().map(|&body| Some(shapes[scene.bodies[body].shape].clone())).collect();
    let standing = (0..scene.bodies.len()).filter(|k| !arm.bodies.contains(k));
    let standing = standing.map(|k| (scene.bodies[k].shape, scene.bodies[k].pose)).collect();
    let place = Arc::new(Place { chain: Chain::new(links, &arm.joints)?, shapes, standing });
    let mut scenes = Vec::new();
    for &(degrees, printed) in table {
        let sample = |random: &mut Random| {
            let most = |k: usize| if k.is_multiple_of(2) { std::f64::consts::PI } else { 1.9 };
            let from: Vec<f64> = (0..arm.joints.len()).map(|k| most(k) * random.signed()).collect();
            let step = f64::from(degrees).to_radians();
            let to = from.iter().map(|value| value + step * random.sign()).collect();
            [from, to]
        };
        for hit in [true, false] {
            let printed: Vec<_> = printed.iter().map(|&(who, ms)| (who, ms[usize::from(!hit)])).collect();
            let query = match hit {
                true => format!("chain-{degrees}deg-contact"),
                false => format!("chain-{degrees}deg-none"),
            };
            scenes.push(scene_of(name, query, &place, hit, &printed, sample)?);
        }
    }
    Ok(scenes)
}

/// A chain of 15 links of 20,000 triangles in all that folds, beside a knot.
fn chain(name: &str) -> anyhow::Result<Vec<MotionScene>> {
    let link = Torus { major: 0.2, minor: 0.08, around: 37, across: 18 }.mesh()?;
    let knot = Knot { along: 300, across: 16, ..Knot::default() }.mesh()?;
    let shapes = vec![PreparedShape::new(&Shape::from(link)), PreparedShape::new(&Shape::from(knot))];
    let joints: Vec<Joint> = (0..15)
        .map(|k| {
            let joint = Joint::revolute(if k % 2 == 0 { Vector3::z() } else { Vector3::y() });
            if k == 0 { joint } else { joint.on(k - 1).at(Isometry3::translation(0.6, 0.0, 0.0)) }
        })
        .collect();
    let links = vec![Some(shapes[0].clone()); 15];
    let standing = vec![(1, Isometry3::translation(2.0, 1.5, 0.5))];
    let place = Arc::new(Place { chain: Chain::new(links, &joints)?, shapes, standing });
    let sample = |random: &mut Random| {
        let from: Vec<f64> = (0..15).map(|_| 0.8 * random.signed()).collect();
        let to = from.iter().map(|value| value + 0.2 * random.signed()).collect();
        [from, to]
    };
    [true, false]
        .map(|hit| {
            let query = if hit { "chain-contact" } else { "chain-none" };
            scene_of(name, query.to_owned(), &place, hit, &CHAIN, sample)
        })
        .into_iter()
        .collect()
}

/// Questions that begin free and end with a contact, or without.
fn scene_of(
    name: &str,
    query: String,
    place: &Arc<Place>,
    hit: bool,
    printed_ms: &[(&'static str, f64)],
    sample: impl Fn(&mut Random) -> Way,
) -> anyhow::Result<MotionScene> {
    let (mut random, mut scratch, obstacles) = (Random::new(9), ChainScratch::default(), place.obstacles());
    let mut ways = Vec::new();
    for _ in 0..TRIALS {
        if ways.len() == QUESTIONS {
            break;
        }
        let [from, to] = sample(&mut random);
        let found = place.chain.sweep_with(&from, &to, &obstacles, None, &mut scratch)?;
        if matches!((found, hit), (ChainSweep::Impact(_), true) | (ChainSweep::Free, false)) {
            ways.push([from, to]);
        }
    }
    anyhow::ensure!(!ways.is_empty(), "{name}: no question of {query} in {TRIALS} samples");
    let questions = ways.len();
    let ours = Ours { place: place.clone(), ways, scratch };
    Ok(MotionScene {
        name: name.to_owned(),
        query,
        questions,
        contenders: vec![Box::new(ours)],
        printed_us: printed_ms.iter().map(|&(who, ms)| (who, 1e3 * ms)).collect(),
    })
}

struct Ours {
    place: Arc<Place>,
    ways: Vec<Way>,
    scratch: ChainScratch,
}

impl MotionContender for Ours {
    fn who(&self) -> &'static str {
        "impinge"
    }

    fn ask(&mut self, question: usize) -> f64 {
        let Ours { place, ways, scratch } = self;
        let [from, to] = &ways[question];
        let obstacles = place.obstacles();
        let found = place.chain.sweep_with(from, to, &obstacles, None, scratch).expect("it can be asked");
        found.time().unwrap_or(f64::INFINITY)
    }
}
