//! A sleigh on tiles of ground that are replaced under it.
//!
//! It slides without friction, so that whatever catches it anywhere takes speed or turns it aside.

use impinge_geometry::Shape;
use nalgebra::{Isometry3, Point3, Translation3, Vector3};

use super::body::SceneRoad;
use super::road_ground::RoadGround;
use super::{Scene, SceneBody, SceneError, SceneParams, body, camera, empty, only};

/// How many tiles there are at a time.
const TILES: usize = 4;
/// Speed (m/s).
const SPEED: f64 = 30.0;
/// Half the edges of its body; radius of the balls that it slides on, and where they are beside the middle, below it and along it (m).
const BODY: [f32; 3] = [1.7, 0.6, 0.2];
const BALL: f32 = 0.25;
const BALLS: [f64; 3] = [1.3, 0.5, -0.3];
/// Above the ground at the start (m).
const GAP: f64 = 0.01;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    only("vehicle", params, 1)?;
    let ground = RoadGround;
    let start = 8.0;
    let mut scene = empty("vehicle", camera(Point3::new(start, 0.0, 0.4), 3.2, 28.0));
    let ball = Shape::sphere(BALL)?;
    let mut parts = vec![(Isometry3::identity(), Shape::cuboid(BODY)?)];
    for [front, left] in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
        let at = Translation3::new(front * BALLS[0], left * BALLS[1], BALLS[2]);
        parts.push((at.into(), ball.clone()));
    }
    let sleigh = scene.add_shape("sleigh", Shape::composite(parts)?);
    let above = |x: f64| ground.height(x, BALLS[1]);
    let level = above(start + BALLS[0]).max(above(start - BALLS[0])) - BALLS[2] + f64::from(BALL) + GAP;
    scene.bodies.push(SceneBody {
        velocity: Vector3::x() * SPEED,
        density: 300.0,
        friction: 0.0,
        ..body(sleigh, Translation3::new(start, 0.0, level).into())
    });
    let mut tiles = Vec::new();
    for tile in 0..TILES {
        let shape = scene.add_shape("tile", ground.tile(tile as u32, 1)?);
        tiles.push(scene.bodies.len());
        let at = Translation3::from(ground.tile_place(tile as u32).coords);
        scene.bodies.push(SceneBody {
            fixed: true,
            color: [[176, 186, 160], [164, 176, 150]][tile % 2],
            friction: 0.0,
            ..body(shape, at.into())
        });
    }
    scene.road = Some(SceneRoad { tiles, vehicle: 0, speed: SPEED, ground });
    scene.comes_to_rest = false;
    Ok(scene)
}
