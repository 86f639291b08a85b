//! Particles poured over a knot.

use impinge_geometry::{Particles, Shape, ShapeError};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion};

use super::body::ScenePowder;
use super::{Scene, SceneBody, SceneError, SceneParams, body, camera, count, empty};
use crate::mesh::Knot;
use crate::random::Random;

/// Radius of a particle (m), and from one to the next in the hopper.
const RADIUS: f32 = 0.02;
const STEP: f64 = 2.1 * RADIUS as f64;
/// Places along each side of the hopper, and the height of its opening (m).
const SIDE: usize = 19;
const OPENING: f64 = 1.5;
/// How fast particles sink in it (m/s).
const SPEED: f64 = 1.2;
/// Half the tray's width, the height of its walls, and half their thickness (m).
const TRAY: f64 = 1.7;
const WALL: f64 = 0.7;
const THICK: f64 = 0.06;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    let particles = count("particles", params, 50_000, 1_000_000)?;
    let mut scene = empty("particles", camera(Point3::new(0.0, 0.0, 0.35), 1.75, 40.0));
    let knot = Knot { major: 0.8, minor: 0.4, tube: 0.24, along: 360, across: 28, ..Knot::default() };
    let knot = scene.add_shape("knot", knot.mesh()?);
    let walls = [
        scene.add_shape(
            "wall",
            Shape::cuboid([THICK as f32, (TRAY + 2.0 * THICK) as f32, 0.5 * WALL as f32])?,
        ),
        scene.add_shape("wall", Shape::cuboid([TRAY as f32, THICK as f32, 0.5 * WALL as f32])?),
    ];
    let ground = scene.add_shape("ground", Shape::half_space());
    scene.add_fixed(ground, Isometry3::identity());
    for (k, side) in [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)] {
        let mut at = Translation3::new(0.0, 0.0, 0.5 * WALL);
        at.vector[k] = side * (TRAY + THICK);
        scene.add_fixed(walls[k], at.into());
    }
    let over = scene.bodies.len();
    let tilt = UnitQuaternion::from_euler_angles(0.25, -0.15, 0.0);
    let pose = Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.72), tilt);
    scene.bodies.push(SceneBody { fixed: true, ..body(knot, pose) });
    let layer = SIDE * SIDE;
    let powder = Particles::new(hopper(particles, params.seed), RADIUS).map_err(ShapeError::from)?;
    let shape = scene.add_shape("powder", powder);
    scene.powder = Some(ScenePowder {
        body: scene.bodies.len(),
        over,
        opening: OPENING,
        speed: SPEED,
        layer,
        rise: STEP,
        friction: 0.4,
    });
    scene.bodies.push(SceneBody {
        fixed: true,
        color: [226, 184, 96],
        friction: 0.4,
        ..body(shape, Isometry3::identity())
    });
    // Poured out, and some seconds to come to rest.
    let pouring = particles.div_ceil(layer) as f64 * STEP / SPEED;
    scene.steps = (60.0 * (pouring + 7.0)) as u32;
    scene.comes_to_rest = false;
    Ok(scene)
}

/// Layer upon layer over the opening, shaken a little.
fn hopper(count: usize, seed: u64) -> Vec<Point3<f32>> {
    let mut random = Random::new(seed);
    let half = 0.5 * (SIDE - 1) as f64;
    let place = |k: usize| {
        let shaken = |random: &mut Random| 0.02 * f64::from(RADIUS) * random.signed();
        let [x, y] = [k % SIDE, k / SIDE % SIDE].map(|n| STEP * (n as f64 - half));
        let z = OPENING + STEP * ((k / (SIDE * SIDE)) as f64 + 0.5);
        let [dx, dy] = [0; 2].map(|_| shaken(&mut random));
        Point3::new(x + dx, y + dy, z).cast()
    };
    (0..count).map(place).collect()
}
