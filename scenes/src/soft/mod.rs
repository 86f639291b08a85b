//! Scenes of a sheet that deforms, and of rigid bodies that are led along their paths.

mod cloth;
mod drape;
mod flag;
pub mod meadow;
mod path;
mod rope;
mod tissue;

use impinge_geometry::{ConvexHull, TriMesh};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::{Camera, SceneError};

pub use meadow::Meadow;
pub use path::Path;

/// A sheet and what is led against it.
#[derive(Clone, Debug)]
pub struct SoftScene {
    /// Its name.
    pub name: String,
    /// The sheet as it rests (m, world).
    pub sheet: TriMesh,
    /// Colour of the sheet: red, green, blue.
    pub color: [u8; 3],
    /// What the sheet is made of.
    pub fabric: Fabric,
    /// The bodies.
    pub movers: Vec<Mover>,
    /// How the sheet is kept out of them.
    pub contact: SoftContact,
    /// Vertices among those that are held that are led along paths: from where they rest, by the pose of the path.
    pub led: Vec<(Vec<u32>, Path)>,
    /// The wind.
    pub wind: Wind,
    /// What stands and flies about it, which it is not kept apart from.
    pub meadow: Option<Meadow>,
    /// From where to look.
    pub camera: Camera,
    /// Gravity (m/s²).
    pub gravity: Vector3<f64>,
    /// Steps of 1/60 s that show what it is about.
    pub steps: u32,
    /// What it demands.
    pub demands: Vec<SoftDemand>,
}

/// A wind that turns to and fro about the vertical.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wind {
    /// Its mean (m/s).
    pub mean: Vector3<f64>,
    /// How far it turns to either side (rad).
    pub turn: f64,
    /// How long it takes to turn and back (s).
    pub period: f64,
}

impl Wind {
    /// The wind at a time (s).
    pub fn at(&self, time: f64) -> Vector3<f64> {
        if self.period <= 0.0 {
            return self.mean;
        }
        let turn = self.turn * libm::sin(std::f64::consts::TAU * time / self.period);
        nalgebra::UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn) * self.mean
    }
}

/// How a sheet holds together.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabric {
    /// Vertices that stay where they are.
    pub held: Vec<u32>,
    /// Mass of a square metre (kg/m²).
    pub density: f64,
    /// How far edges give (m/N), and how far the ends of two triangles at an edge do.
    pub compliance: [f64; 2],
    /// Stiffness with which what is under the sheet brings a square metre back to its place (N/m³).
    pub bed: f64,
    /// Rate at which velocity is lost (1/s).
    pub damping: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Pairs of vertices that want to be as far apart as they rest, beside the edges.
    pub struts: Vec<[u32; 2]>,
    /// How much of the wind's pressure it takes: the density of air times a coefficient of drag (kg/m³).
    pub drag: f64,
}

/// A rigid body that goes its way whatever it meets.
#[derive(Clone, Debug)]
pub struct Mover {
    /// What it is.
    pub name: String,
    /// Its surface: closed, and convex for the classic tests.
    pub mesh: TriMesh,
    /// Its colour: red, green, blue.
    pub color: [u8; 3],
    /// Where it stands at a time.
    pub path: Path,
}

/// By which test the sheet is kept out of the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SoftContact {
    /// Lombardo, Cani, Neyret 1999: the faces of the sheet in the volume of the only body, a tool.
    Tool {
        /// Pixels along each side of the view.
        pixels: u32,
    },
    /// Vassilev, Spanlang, Chrysanthou 2001: the vertices of the sheet against maps of all bodies, an avatar, from the front
    /// and from the back.
    Avatar {
        /// From the front to the back (unit, world).
        direction: Vector3<f64>,
        /// Pixels along each side of the maps.
        pixels: u32,
        /// How much thicker than it is the avatar is drawn (m).
        skin: f64,
    },
    /// By a thickness, from itself and from all bodies.
    Apart {
        /// The thickness (m).
        thickness: f64,
    },
}

/// What a soft scene demands of its simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SoftDemand {
    /// After no step is a point of a face of the sheet deeper in a body than this (m).
    FacesClear(f64),
    /// In no step is there a face of the sheet in a body that the test has not named.
    AllFound,
    /// After no step is a vertex of the sheet deeper than this (m) in an avatar as it is drawn.
    VerticesClear(f64),
    /// After no step does a triangle of the sheet share a point with another that is no neighbour of it, or with a body (exact).
    Untangled,
    /// After no step is the sheet nearer to itself or a body than it should be by more than this share of that distance.
    Kept(f64),
    /// In some step, the sheet has been near itself in at least so many places.
    Folded(usize),
    /// Every second, each point of the firework that touches the sheet is found with how deep it is, and no other, by distances to all triangles.
    SparksFound,
    /// Every second, every point that is as deep in the ship as a pixel of its map is wide, by angles and distances of all triangles, is in it by that map, too: of
    /// the firework each is named, and where one of the flag, the plants or the hills is, the map meets them.
    ShipSees,
    /// In at least so many steps each, the ship meets something, and a point of the firework touches the sheet.
    Met(u32),
    /// At a time, the sheet is as near to the lowest point of the bodies as this.
    Pressed {
        /// When (s).
        time: f64,
        /// How far the sheet may be from the lowest point of the bodies (m).
        within: f64,
    },
    /// At the end the kinetic energy is no more than this (J), the mean over the last second.
    Still(f64),
    /// At the end no vertex is farther from where it rested than this (m).
    Restored(f64),
    /// At the end the middle of the sheet is no lower than this (m).
    Carried(f64),
}

type Builder = fn() -> Result<SoftScene, SceneError>;

/// Names, what they show, and how they are made.
const SOFT_SCENES: [(&str, &str, Builder); 5] = [
    (
        "tissue",
        "a rigid tool presses into a soft tissue and is drawn through it (Lombardo's test)",
        tissue::scene,
    ),
    ("cloth-avatar", "a cloth falls on an avatar that turns and waves (Vassilev's maps)", cloth::scene),
    ("cloth", "a cloth falls over three gears that turn to and fro, and folds", drape::scene),
    (
        "flag",
        "a flag on its pole in a wind that turns, a ship over hills with plants, and a firework (Fabrizio's scene)",
        flag::scene,
    ),
    ("rope", "a rope is drawn tight to a knot", rope::scene),
];

/// The names of the soft scenes and what they show.
pub fn soft_scenes() -> impl Iterator<Item = (&'static str, &'static str)> {
    SOFT_SCENES.iter().map(|&(name, about, _)| (name, about))
}

/// Makes a soft scene; `None` where there is none of the name.
///
/// # Errors
/// [`SceneError`] says what could not be made.
pub fn soft_scene(name: &str) -> Result<Option<SoftScene>, SceneError> {
    SOFT_SCENES.iter().find(|scene| scene.0 == name).map(|(.., builder)| builder()).transpose()
}

/// A sheet of `cells` squares each way over the rectangle of half sides `half` (m), at heights that `height` gives.
fn sheet(cells: [u32; 2], half: [f64; 2], height: impl Fn(f64, f64) -> f64) -> Result<TriMesh, SceneError> {
    let at = |k: u32, d: usize| half[d] * (2.0 * f64::from(k) / f64::from(cells[d]) - 1.0);
    let [wide, high] = cells;
    let place = |i: u32, j: u32| {
        let (x, y) = (at(i, 0), at(j, 1));
        Point3::new(x, y, height(x, y)).cast::<f32>()
    };
    let vertices = (0..=high).flat_map(|j| (0..=wide).map(move |i| (i, j))).map(|(i, j)| place(i, j));
    let corner = |i: u32, j: u32| j * (wide + 1) + i;
    let squares = (0..high).flat_map(|j| (0..wide).map(move |i| (i, j)));
    let triangles = squares.flat_map(|(i, j)| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        // Diagonals change from square to square, so that the sheet gives alike in both directions.
        if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    });
    Ok(TriMesh::new(vertices.collect(), triangles.collect())?)
}

/// The convex hull of balls (centre and radius, m).
fn hull_of_balls(balls: &[([f64; 3], f64)]) -> Result<TriMesh, SceneError> {
    const RINGS: u32 = 9;
    const AROUND: u32 = 16;
    let mut points = Vec::new();
    for (center, radius) in balls {
        for ring in 0..=RINGS {
            let (sin, cos) = libm::sincos(std::f64::consts::PI * f64::from(ring) / f64::from(RINGS));
            for k in 0..AROUND {
                let (up, right) = libm::sincos(std::f64::consts::TAU * f64::from(k) / f64::from(AROUND));
                let out = Vector3::new(sin * right, sin * up, cos) * *radius;
                points.push((Point3::from(*center) + out).cast::<f32>());
            }
        }
    }
    points.dedup();
    Ok(TriMesh::clone(ConvexHull::new(&points)?.mesh()))
}

impl Mover {
    fn new(name: &str, mesh: TriMesh, color: [u8; 3], path: Path) -> Mover {
        Mover { name: name.into(), mesh, color, path }
    }

    /// Where it stands at a time (s).
    pub fn pose(&self, time: f64) -> Isometry3<f64> {
        self.path.at(time)
    }
}
