//! Scenes: which bodies stand where at the start.

mod arm;
mod bin;
mod body;
mod bowls;
mod bullets;
pub(crate) mod camera;
mod chain;
mod demand;
mod digging;
mod drilled;
mod error;
mod field;
mod fitted;
mod gears;
mod hand;
mod hanging_nut;
mod knots;
mod lattice;
mod level_set;
mod mixed;
mod nested;
mod nut_bolt;
mod particles;
mod peg;
mod pile;
mod road_ground;
mod terrain;
mod vehicle;

use std::path::PathBuf;

use impinge_geometry::{BoundingSphere, Shape};
use nalgebra::{Isometry3, Point3, Vector3};

use body::{body, triangles};
use camera::{camera, camera_around};

pub use body::{
    SceneArm, SceneBody, SceneDigger, SceneHand, SceneHinge, SceneLoad, ScenePowder, SceneRoad, SceneShape,
};
pub use camera::Camera;
pub use demand::Demand;
pub use error::SceneError;
pub use fitted::MeshOptions;
pub use road_ground::RoadGround;

/// A space in which bodies should stay: a box (m, world).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Container {
    /// Least corner (m).
    pub min: Point3<f64>,
    /// Greatest corner (m).
    pub max: Point3<f64>,
}

impl Container {
    /// Whether a point (m) is inside.
    pub fn holds(&self, p: &Point3<f64>) -> bool {
        (0..3).all(|i| self.min[i] <= p[i] && p[i] <= self.max[i])
    }
}

/// Bodies, shapes and surroundings of a simulation's start.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Its name.
    pub name: String,
    /// The shapes, each shared by all bodies that name it.
    pub shapes: Vec<SceneShape>,
    /// The bodies.
    pub bodies: Vec<SceneBody>,
    /// What holds bodies to the world.
    pub hinges: Vec<SceneHinge>,
    /// What acts on bodies from outside.
    pub loads: Vec<SceneLoad>,
    /// What is moved from sample to sample, and by nothing else.
    pub arm: Option<SceneArm>,
    /// What is dug away, and where.
    pub digger: Option<SceneDigger>,
    /// What grips.
    pub hand: Option<SceneHand>,
    /// What is poured out.
    pub powder: Option<ScenePowder>,
    /// What a vehicle drives on.
    pub road: Option<SceneRoad>,
    /// From where to look.
    pub camera: Camera,
    /// Gravity (m/s²).
    pub gravity: Vector3<f64>,
    /// Rate at which bodies lose angular velocity to what is around them (1/s).
    pub angular_damping: f64,
    /// Where bodies should be at the end, if the scene has such a place.
    pub container: Option<Container>,
    /// Whether the bodies should have come to rest after ten seconds.
    pub comes_to_rest: bool,
    /// Whether its bodies at most roll on in the end, so that depths are judged as if it came to rest.
    pub rolls_to_the_end: bool,
    /// What else it demands of its simulation.
    pub demands: Vec<Demand>,
    /// Steps of 1/60 s that show what it is about.
    pub steps: u32,
}

impl Scene {
    /// Bounding sphere of a shape of the scene in its own frame (m); `None` for one without end.
    pub fn sphere(&self, shape: usize) -> Option<BoundingSphere> {
        Some(self.shapes[shape].shape.bounding_sphere()).filter(|s| s.radius.is_finite())
    }

    /// How many bodies move.
    pub fn moving(&self) -> usize {
        self.bodies.iter().filter(|b| !b.fixed).count()
    }

    /// Triangles of all bodies that have any, each body counted.
    pub fn triangles(&self) -> usize {
        self.bodies.iter().map(|b| triangles(&self.shapes[b.shape].shape)).sum()
    }

    fn add_shape(&mut self, name: &str, shape: impl Into<Shape>) -> usize {
        self.shapes.push(SceneShape { name: name.into(), shape: shape.into() });
        self.shapes.len() - 1
    }

    fn add_fixed(&mut self, shape: usize, pose: Isometry3<f64>) {
        self.bodies.push(SceneBody { fixed: true, color: [196, 190, 180], ..body(shape, pose) });
    }
}

/// What a scene is made with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneParams {
    /// How many bodies move; `None` for the scene's own number.
    pub bodies: Option<usize>,
    /// Which of the random arrangements.
    pub seed: u64,
    /// Mesh files whose copies are dropped instead of the scene's own meshes (scene `bin`).
    pub meshes: Vec<PathBuf>,
    /// What is done to these meshes.
    pub mesh_options: MeshOptions,
    /// Folder of the scenes' own mesh files; `None` for `IMPINGE_ASSETS` or the one in the sources.
    pub assets: Option<PathBuf>,
}

type Builder = fn(&SceneParams) -> Result<Scene, SceneError>;

/// Names, what they show, and how they are made.
const SCENES: [(&str, &str, Builder); 23] = [
    ("bin", "150 non-convex bodies of seven kinds, from mesh files, dropped into an open bin", bin::scene),
    ("gears", "a motor drives two stages of gears against a brake", gears::scene),
    ("nut-bolt", "a torque turns a nut, and the thread of a bolt carries it up", nut_bolt::scene),
    ("hanging-nut", "a nut hangs on the thread of a bolt for a minute", hanging_nut::scene),
    ("chain", "a chain of interlocked links that hangs from a fixed one", chain::scene),
    ("bowls", "a stack of bowls, each standing in the one below", bowls::scene),
    ("peg-in-hole", "a peg falls askew into a hole a little wider than itself", peg::scene),
    ("drilled", "three pegs fall askew into the holes of a drilled block", drilled::scene),
    ("terrain", "bodies dropped into a bumpy hollow, a sheet closed by extrusion", terrain::scene),
    ("field", "1000 bodies dropped onto a height field of 4096 by 4096 samples", field::scene),
    (
        "level-set",
        "bodies, some of them level sets, dropped into a bowl in a level set of 128^3",
        level_set::scene,
    ),
    ("digging", "ground dug away under 50 bodies, a ball in every step", digging::scene),
    ("hand", "a skinned hand catches a knot, grips it, turns over and shakes it", hand::scene),
    ("particles", "50,000 particles poured over a knot in a tray", particles::scene),
    ("vehicle", "a sleigh at 30 m/s over tiles of ground that are replaced under it", vehicle::scene),
    ("pile-1000", "1000 non-convex bodies dropped into an open bin", bin::large),
    ("mixed", "60 bodies dropped into a bin: animals, brackets, housings, spikes and bars", mixed::scene),
    (
        "bullets",
        "gears, balls and rods at 100 m/s against a wall without thickness, a terrain and a stack",
        bullets::scene,
    ),
    ("pile", "primitives and hulls dropped between five half-spaces", pile::scene),
    ("two-knots", "one trefoil knot dropped onto another", knots::scene),
    (
        "arm",
        "an arm of seven links with a saw moves among 38,000 triangles of pipes and turns back at contacts",
        arm::pipes,
    ),
    ("arm-machines", "the same among 180,000 triangles of pipes and machines", arm::machine_room),
    ("nested", "stacks of round-bottomed bowls, each on the rim of the one below", nested::scene),
];

/// The names of the scenes and what they show.
pub fn scenes() -> impl Iterator<Item = (&'static str, &'static str)> {
    SCENES.iter().map(|&(name, about, _)| (name, about))
}

fn scene_list() -> String {
    let names: Vec<&str> = scenes().chain(crate::soft_scenes()).map(|(name, _)| name).collect();
    names.join(", ")
}

/// Makes a scene.
///
/// # Errors
/// [`SceneError::Unknown`] lists the names there are; the others say what could not be made.
pub fn scene(name: &str, params: &SceneParams) -> Result<Scene, SceneError> {
    match SCENES.iter().find(|s| s.0 == name) {
        Some((.., builder)) => builder(params),
        None => Err(SceneError::Unknown { name: name.into() }),
    }
}

/// How many bodies a scene gets: the number asked for, or its own.
fn count(scene: &'static str, params: &SceneParams, usual: usize, most: usize) -> Result<usize, SceneError> {
    let bodies = params.bodies.unwrap_or(usual);
    if bodies > most { Err(SceneError::Bodies { scene, bodies, most }) } else { Ok(bodies) }
}

/// Refuses another number of bodies than the one that the scene is about.
fn only(scene: &'static str, params: &SceneParams, exactly: usize) -> Result<(), SceneError> {
    match params.bodies {
        Some(bodies) if bodies != exactly => Err(SceneError::Exactly { scene, bodies, exactly }),
        _ => Ok(()),
    }
}

fn empty(name: &str, camera: Camera) -> Scene {
    Scene {
        name: name.into(),
        shapes: Vec::new(),
        bodies: Vec::new(),
        camera,
        hinges: Vec::new(),
        loads: Vec::new(),
        arm: None,
        digger: None,
        hand: None,
        powder: None,
        road: None,
        gravity: Vector3::new(0.0, 0.0, -9.81),
        angular_damping: 0.0,
        container: None,
        comes_to_rest: true,
        rolls_to_the_end: false,
        demands: Vec::new(),
        steps: 600,
    }
}
