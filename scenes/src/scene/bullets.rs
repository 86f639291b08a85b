//! Gears, balls and rods shot at a wall without thickness, a terrain and a stack.

use impinge_geometry::Shape;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::{Container, Demand, Scene, SceneBody, SceneError, SceneParams, body, camera, count, empty};
use crate::mesh::{Gear, Terrain};
use crate::random::Random;

/// Speed of what is shot (m/s).
const SPEED: f64 = 100.0;
/// Greatest angular velocity about each axis (rad/s).
const SPIN: f64 = 30.0;
/// Half the width of the wall and of the ground (m).
const HALF: f64 = 6.0;
const GROUND: f64 = 14.0;
/// Half-spaces on both sides, behind the shots and above close the room before the wall (m).
const SIDE: f64 = 5.5;
const BACK: f64 = -13.0;
const CEILING: f64 = 10.0;
/// Thickness of the ground (m).
const THICKNESS: f32 = 1.0;
/// Where the wall stands, and where what is shot begins (m).
const WALL: f64 = 5.0;
const MUZZLE: f64 = -4.0;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    let bodies = count("bullets", params, 36, 2_000)?;
    let mut scene = empty("bullets", camera(Point3::new(0.0, 0.0, 2.0), 6.5, 25.0));
    let gear = Gear { outer: 0.2, root: 0.15, bore: 0.07, half_width: 0.05, ..Gear::default() };
    let kinds = [
        scene.add_shape("gear", gear.mesh()?),
        scene.add_shape("ball", Shape::sphere(0.12)?),
        scene.add_shape("rod", Shape::capsule(0.5, 0.03)?),
    ];
    let block = scene.add_shape("block", Shape::cuboid([0.3; 3])?);
    let ground = Terrain { half: GROUND, relief: 0.3, cells: 96, ..Terrain::default() };
    let wall = Terrain { half: HALF, relief: 0.4, rim: 0.0, seed: 5, ..Terrain::default() };
    let ground = scene.add_shape("ground", ground.mesh()?.one_sided(THICKNESS, Vector3::z())?);
    let wall = scene.add_shape("wall", wall.mesh()?);
    let mut random = Random::new(params.seed);
    for k in 0..bodies {
        // One shot a volley, each behind the last: some at the wall, some at the ground, some at the stack.
        let (row, volley) = (k % 6, k / 6);
        let at = Vector3::new(
            MUZZLE - 1.5 * volley as f64,
            -3.0 + 1.2 * row as f64 + 0.2 * random.signed(),
            2.5 + 0.8 * ((k * 5) % 4) as f64 + 0.1 * random.signed(),
        );
        let aim = match k % 3 {
            0 => Vector3::new(1.0, 0.05 * random.signed(), 0.05 * random.signed()),
            1 => Vector3::new(1.0, 0.1 * random.signed(), -0.45),
            _ => Vector3::new(1.0, -at.y / (2.0 - at.x), (1.4 - at.z) / (2.0 - at.x)),
        };
        let pose = Isometry3::from_parts(Translation3::from(at), random.rotation());
        let spin = Vector3::from_fn(|_, _| SPIN * random.signed());
        let shot = body(kinds[k % kinds.len()], pose);
        scene.bodies.push(SceneBody { velocity: aim.normalize() * SPEED, spin, fast: true, ..shot });
    }
    for k in 0..5 {
        let pose = Isometry3::translation(2.0, 0.0, 0.62 + 0.6005 * f64::from(k));
        scene.bodies.push(SceneBody { fast: true, ..body(block, pose) });
    }
    scene.add_fixed(ground, Isometry3::identity());
    // The wall's sheet looks back to where the shots come from.
    let upright = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -std::f64::consts::FRAC_PI_2);
    scene.add_fixed(wall, Isometry3::from_parts(Translation3::new(WALL, 0.0, HALF - 1.0), upright));
    let side = scene.add_shape("side", Shape::half_space());
    for (inward, at) in
        [(Vector3::y(), -SIDE), (-Vector3::y(), -SIDE), (Vector3::x(), BACK), (-Vector3::z(), -CEILING)]
    {
        let turn = UnitQuaternion::rotation_between(&Vector3::z(), &inward)
            .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
        scene.add_fixed(side, Isometry3::from_parts(Translation3::from(inward * at), turn));
    }
    // No body leaves the room, behind the wall or under the ground.
    let min = Point3::new(BACK, -SIDE, -0.4);
    let max = Point3::new(WALL + 0.4, SIDE, CEILING);
    scene.demands.push(Demand::Kept(Container { min, max }));
    scene.comes_to_rest = false;
    scene.steps = 600;
    Ok(scene)
}
