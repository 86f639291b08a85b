//! Scenes: which bodies stand where at the start.

mod bin;
mod chain;
mod knots;
mod lattice;
mod nested;
mod pile;
mod terrain;

use std::path::PathBuf;

use impinge_geometry::{BoundingSphere, MeshError, Shape, ShapeError};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::{AssetError, GeneratorError};

/// A scene that cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// No scene has the name.
    #[error("there is no scene `{name}`; there are {}", scene_list())]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// More bodies than a scene holds.
    #[error("scene {scene}: {bodies} bodies were asked for; at most {most} are possible")]
    Bodies {
        /// The scene.
        scene: &'static str,
        /// How many were asked for.
        bodies: usize,
        /// How many it can have.
        most: usize,
    },
    /// A mesh file of the scene is missing or broken.
    #[error(transparent)]
    Asset(#[from] AssetError),
    /// A mesh given by the caller cannot be used.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A mesh given by the caller bounds no volume.
    #[error(
        "{path}: the mesh is a soup with {defects} defects and has no mass; close it (`impinge inspect` lists every defect)"
    )]
    Soup {
        /// The file.
        path: PathBuf,
        /// How many defects its report holds.
        defects: usize,
    },
    /// A made mesh.
    #[error(transparent)]
    Generator(#[from] GeneratorError),
    /// A shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

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
    /// Index of its shape in [`Scene::shapes`].
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
    /// Colour in pictures: red, green, blue.
    pub color: [u8; 3],
}

/// From where pictures of a scene are taken: an orthographic view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Direction of view, unit.
    pub direction: Vector3<f64>,
    /// The point in the middle of the picture (m).
    pub target: Point3<f64>,
    /// Half the height of what is seen (m).
    pub half_height: f64,
}

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
    /// The bodies; fixed ones first.
    pub bodies: Vec<SceneBody>,
    /// From where to look.
    pub camera: Camera,
    /// Gravity (m/s²).
    pub gravity: Vector3<f64>,
    /// Where bodies should be at the end, if the scene has such a place.
    pub container: Option<Container>,
    /// Whether the bodies should have come to rest after ten seconds.
    pub comes_to_rest: bool,
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

fn triangles(shape: &Shape) -> usize {
    match shape {
        Shape::Hull(hull) => hull.mesh().triangles().len(),
        Shape::Mesh(mesh) => mesh.triangles().len(),
        Shape::Composite(composite) => composite.children().iter().map(|(_, child)| triangles(child)).sum(),
        _ => 0,
    }
}

/// A body of common material and the colour of its shape.
fn body(shape: usize, pose: Isometry3<f64>) -> SceneBody {
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
        color: COLORS[shape % COLORS.len()],
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
    /// Folder of the scenes' own mesh files; `None` for `IMPINGE_ASSETS` or the one in the sources.
    pub assets: Option<PathBuf>,
}

type Builder = fn(&SceneParams) -> Result<Scene, SceneError>;

/// Names, what they show, and how they are made.
const SCENES: [(&str, &str, Builder); 6] = [
    ("bin", "150 non-convex bodies of seven kinds, from mesh files, dropped into an open bin", bin::scene),
    ("pile", "primitives and hulls dropped between five half-spaces", pile::scene),
    ("two-knots", "one trefoil knot dropped onto another", knots::scene),
    ("nested", "stacks of bowls, each in the one below", nested::scene),
    ("chain", "a chain of interlocked links that hangs from a fixed one", chain::scene),
    ("terrain", "bodies dropped into a bumpy hollow, a sheet closed by extrusion", terrain::scene),
];

/// The names of the scenes and what they show.
pub fn scenes() -> impl Iterator<Item = (&'static str, &'static str)> {
    SCENES.iter().map(|&(name, about, _)| (name, about))
}

fn scene_list() -> String {
    SCENES.map(|(name, ..)| name).join(", ")
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

fn empty(name: &str, camera: Camera) -> Scene {
    Scene {
        name: name.into(),
        shapes: Vec::new(),
        bodies: Vec::new(),
        camera,
        gravity: Vector3::new(0.0, 0.0, -9.81),
        container: None,
        comes_to_rest: true,
    }
}

/// A view from in front and above, `degrees` below the horizon.
fn camera(target: Point3<f64>, half_height: f64, degrees: f64) -> Camera {
    let (sin, cos) = libm::sincos(degrees.to_radians());
    let (side, front) = libm::sincos(0.35);
    Camera { direction: Vector3::new(-side * cos, front * cos, -sin), target, half_height }
}

/// As [`camera`], just large enough for a box (m) in a picture of 4:3.
fn camera_around(min: Point3<f64>, max: Point3<f64>, degrees: f64) -> Camera {
    let middle = nalgebra::center(&min, &max);
    let direction = camera(middle, 1.0, degrees).direction;
    let right = direction.cross(&Vector3::z()).normalize();
    let up = right.cross(&direction);
    let half = (max - min) * 0.5;
    let reach = |axis: &Vector3<f64>| half.dot(&axis.abs());
    camera(middle, 1.03 * reach(&up).max(0.75 * reach(&right)), degrees)
}
