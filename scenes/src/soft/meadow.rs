//! What stands and flies about the flag: Fabrizio's scene, "Easy Real-Time Collision Detection", section 3.1. A ship of 16,792 triangles
//! flies over hills of 315,218 triangles with plants of lines, through a flag and a firework of 59,000 points.

use impinge_geometry::TriMesh;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use crate::SceneError;
use crate::mesh::{Ship, Terrain, Torus};
use crate::random::Random;

/// Points of the firework.
const POINTS: usize = 59_000;
/// Blades of the plants.
const BLADES: usize = 6_000;
/// How wide a blade is drawn (m).
const BLADE: f64 = 0.012;
/// How long the ship takes from one end of the hills to the other (s).
const PASSAGE: f64 = 10.0;
/// How long the firework burns (s), and how old its points are when they are first seen.
const BURNS: f64 = 100.0 / 60.0;
const YOUNGEST: f64 = 0.2;

/// A firework's shell: every point flies from the middle, and falls.
#[derive(Clone, Debug)]
pub struct Firework {
    speeds: Vec<Vector3<f64>>,
}

impl Default for Firework {
    fn default() -> Firework {
        let mut random = Random::new(3);
        Firework { speeds: (0..POINTS).map(|_| random.direction() * (2.0 + 2.0 * random.unit())).collect() }
    }
}

impl Firework {
    /// Where the points are (m) when they are so old (s).
    pub fn at_age(&self, age: f64, out: &mut Vec<[f32; 3]>) {
        out.clear();
        out.extend(self.speeds.iter().map(|v| {
            let p = Vector3::new(0.0, 0.0, 3.0) + v * age - Vector3::z() * (2.0 * age * age);
            [p.x as f32, p.y as f32, p.z as f32]
        }));
    }

    /// Where the points are (m) at a time (s) of a scene in which it is let off again and again.
    pub fn at(&self, time: f64, out: &mut Vec<[f32; 3]>) {
        self.at_age(YOUNGEST + time.rem_euclid(BURNS), out);
    }
}

/// The ship of 9,716 triangles with a ring of 7,076 around it; its parts pass through each other.
///
/// # Errors
/// None that these numbers could bring about.
pub fn ship() -> Result<TriMesh, SceneError> {
    let ship = Ship::default().mesh()?;
    let ring = Torus { major: 0.5, minor: 0.03, around: 61, across: 58 }.mesh()?;
    let first = ship.vertices().len() as u32;
    let turn = UnitQuaternion::rotation_between(&Vector3::z(), &Vector3::x()).unwrap_or_default();
    let turned = ring.vertices().iter().map(|v| (turn * v.cast::<f64>()).cast::<f32>());
    let vertices = ship.vertices().iter().copied().chain(turned).collect();
    let later = ring.triangles().iter().map(|t| t.map(|v| v + first));
    Ok(TriMesh::new(vertices, ship.triangles().iter().copied().chain(later).collect())?)
}

/// The hills, of 315,218 triangles.
///
/// # Errors
/// None that these numbers could bring about.
pub fn hills() -> Result<TriMesh, SceneError> {
    Ok(Terrain { half: 18.0, relief: 1.2, cells: 397, ..Terrain::default() }.mesh()?)
}

/// Blades on the hills, by their two ends (m).
pub fn plants(hills: &TriMesh) -> Vec<Point3<f32>> {
    let mut random = Random::new(8);
    let mut blade = || {
        let root = hills.vertices()[random.index(hills.vertices().len())];
        let tip = Vector3::new(0.1 * random.signed(), 0.1 * random.signed(), 0.2 + 0.2 * random.unit());
        [root, root + tip.cast::<f32>()]
    };
    (0..BLADES).flat_map(|_| blade()).collect()
}

/// What stands and flies about a flag.
#[derive(Clone, Debug)]
pub struct Meadow {
    /// The hills (m, world).
    pub hills: TriMesh,
    /// The plants' blades: both ends of each (m, world).
    pub plants: Vec<Point3<f32>>,
    /// The firework.
    pub firework: Firework,
    /// Radius of its points, where the flag is asked for them (m).
    pub spark: f32,
    /// The ship, in its own frame (m).
    pub ship: TriMesh,
    /// Pixels along the longer side of the ship's map.
    pub pixels: u32,
    /// Colours of hills, plants, ship and firework: red, green, blue.
    pub colors: [[u8; 3]; 4],
}

impl Meadow {
    /// The scene, whose hills are put so low or high that a pole stands on them at the origin.
    pub(super) fn new() -> Result<Meadow, SceneError> {
        let hills = hills()?;
        let beside = |p: &Point3<f32>| p.x * p.x + p.y * p.y;
        let middle = hills.vertices().iter().min_by(|p, q| beside(p).total_cmp(&beside(q)));
        let low = middle.map_or(0.0, |p| p.z);
        let lowered = hills.vertices().iter().map(|p| Point3::new(p.x, p.y, p.z - low)).collect();
        let hills = hills.with_vertices(lowered)?;
        Ok(Meadow {
            plants: plants(&hills),
            hills,
            firework: Firework::default(),
            spark: 0.006,
            ship: ship()?,
            pixels: 256,
            colors: [[158, 166, 128], [92, 148, 74], [196, 150, 110], [240, 120, 60]],
        })
    }

    /// Where the ship is at a time (s): low over the hills, through flag and firework.
    pub fn ship_at(&self, time: f64) -> Isometry3<f64> {
        let t = (time / PASSAGE).rem_euclid(1.0);
        let place =
            Translation3::new(30.0 * t - 15.0, 2.0 * libm::cos(9.0 * t), 1.1 + 1.2 * libm::sin(25.0 * t));
        Isometry3::from_parts(place, UnitQuaternion::from_euler_angles(0.6 * libm::sin(11.0 * t), 0.0, 0.1))
    }

    /// The plants as they are drawn: a thin triangle for each blade.
    ///
    /// # Errors
    /// None of plants that stand on hills.
    pub fn blades(&self) -> Result<TriMesh, SceneError> {
        let mut vertices = Vec::with_capacity(3 * self.plants.len() / 2);
        for (k, ends) in self.plants.chunks_exact(2).enumerate() {
            let (sin, cos) = libm::sincos(k as f64);
            let side = (Vector3::new(cos, sin, 0.0) * (0.5 * BLADE)).cast::<f32>();
            vertices.extend([ends[0] - side, ends[0] + side, ends[1]]);
        }
        let triangles = (0..vertices.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        Ok(TriMesh::new(vertices, triangles)?)
    }
}
