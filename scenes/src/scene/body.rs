//! Bodies at their start, what holds them and what acts on them.

use impinge_geometry::{Joint, Shape, Skin};
use nalgebra::{Isometry3, Point3, Vector3};

use super::road_ground::RoadGround;
use crate::soft::Path;

/// A shape with a name.
#[derive(Clone, Debug)]
pub struct SceneShape {
    /// What it is: `gear`, `bin` …
    pub name: String,
    /// The shape.
    pub shape: Shape,
}

/// A body at its start.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneBody {
    /// Index of its shape in [`Scene::shapes`](super::Scene::shapes).
    pub shape: usize,
    /// Where it stands (m, world).
    pub pose: Isometry3<f64>,
    /// Whether it never moves.
    pub fixed: bool,
    /// Density (kg/m³).
    pub density: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Velocity of its centre of mass (m/s).
    pub velocity: Vector3<f64>,
    /// Angular velocity (rad/s, world axes).
    pub spin: Vector3<f64>,
    /// Whether it passes through nothing at any speed.
    pub fast: bool,
    /// Colour in pictures: red, green, blue.
    pub color: [u8; 3],
}

/// A body turns about an axis of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneHinge {
    /// Index of the body in [`Scene::bodies`](super::Scene::bodies).
    pub body: usize,
    /// A point of the axis (m, world).
    pub anchor: Point3<f64>,
    /// Its direction, unit.
    pub axis: Vector3<f64>,
    /// Speed (rad/s) that is wanted and the greatest torque (N·m) for it: with a speed of 0 a brake.
    pub motor: Option<[f64; 2]>,
}

/// What acts on a body from outside, all the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneLoad {
    /// Index of the body in [`Scene::bodies`](super::Scene::bodies).
    pub body: usize,
    /// Force at its centre of mass (N, world).
    pub force: Vector3<f64>,
    /// Torque (N·m, world).
    pub torque: Vector3<f64>,
}

/// Links that are moved from one sample to the next and stop where they would touch something.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneArm {
    /// The joints that carry the links.
    pub joints: Vec<Joint>,
    /// Indices of the links' bodies in [`Scene::bodies`](super::Scene::bodies), which are fixed and stand as the first sample says.
    pub bodies: Vec<usize>,
    /// Configurations (rad, m).
    pub samples: Vec<Vec<f64>>,
    /// Steps from one to the next.
    pub steps: u32,
}

/// A body whose shape is a level set that is dug away, a ball in every step.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneDigger {
    /// Index of the body in [`Scene::bodies`](super::Scene::bodies).
    pub body: usize,
    /// Radius of the balls (m).
    pub radius: f64,
    /// Their middles (m, world), one for each of the first steps.
    pub places: Vec<Point3<f64>>,
}

/// A hand whose skin follows bones, and that closes about a body.
#[derive(Clone, Debug)]
pub struct SceneHand {
    /// Index of the hand's body in [`Scene::bodies`](super::Scene::bodies): fixed, a mesh.
    pub body: usize,
    /// Index of the body that it is to hold.
    pub held: usize,
    /// How its surface follows the bones.
    pub skin: Skin,
    /// The joints that carry the bones, all at 0 where the mesh is as the scene has it.
    pub joints: Vec<Joint>,
    /// The bones of each finger, from the knuckle on.
    pub fingers: Vec<Vec<u32>>,
    /// How far the joints of a finger bend, from the knuckle on (rad).
    pub bends: Vec<f64>,
    /// How fast they do (rad/s).
    pub speed: f64,
    /// When the fingers begin to close (s).
    pub closes: f64,
    /// When it has turned over, and what it holds lies in its fingers and is not to move in them any more (s).
    pub turned: f64,
    /// Where the hand stands.
    pub path: Path,
}

/// Particles that are poured out: those of the lowest layers first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScenePowder {
    /// Index of the particles' body in [`Scene::bodies`](super::Scene::bodies), fixed at the world's origin.
    pub body: usize,
    /// Index of the body that they are poured over, a mesh.
    pub over: usize,
    /// Height of the opening that they leave the hopper by (m); above it they sink together.
    pub opening: f64,
    /// How fast they sink there (m/s).
    pub speed: f64,
    /// Particles of a layer, and from one layer to the next (m).
    pub layer: usize,
    /// See `layer`.
    pub rise: f64,
    /// Coefficient of friction.
    pub friction: f64,
}

/// A road of tiles, of which as many stand under a vehicle and before it as there are bodies for them.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneRoad {
    /// Indices of the tiles' bodies in [`Scene::bodies`](super::Scene::bodies), from the first on; each has a shape of its own, a height field.
    pub tiles: Vec<usize>,
    /// Index of the vehicle's body.
    pub vehicle: usize,
    /// Speed at the start (m/s).
    pub speed: f64,
    /// Its ground.
    pub ground: RoadGround,
}

/// A body of common material and the colour of its shape.
pub(super) fn body(shape: usize, pose: Isometry3<f64>) -> SceneBody {
    const COLORS: [[u8; 3]; 8] = [
        [214, 96, 77],
        [67, 147, 195],
        [244, 165, 60],
        [90, 174, 97],
        [153, 112, 171],
        [53, 151, 143],
        [222, 119, 174],
        [191, 155, 60],
    ];
    SceneBody {
        shape,
        pose,
        fixed: false,
        density: 1000.0,
        friction: 0.5,
        restitution: 0.0,
        velocity: Vector3::zeros(),
        spin: Vector3::zeros(),
        fast: false,
        color: COLORS[shape % COLORS.len()],
    }
}

/// Triangles of a shape.
pub(super) fn triangles(shape: &Shape) -> usize {
    match shape {
        Shape::Hull(hull) => hull.mesh().triangles().len(),
        Shape::Mesh(mesh) => mesh.triangles().len(),
        Shape::Field(field) => field.terrain_count(),
        Shape::Levels(levels) => levels.triangle_count(),
        Shape::Composite(composite) => composite.children().iter().map(|(_, child)| triangles(child)).sum(),
        _ => 0,
    }
}
