//! Fabrizio's whole scene: a ship of 16,792 triangles by height maps against 315,218 triangles of hills, a flag that waves, plants of lines and 59,000
//! points of a firework.
//!
//! Fabrizio, "Easy Real-Time Collision Detection", section 3.1, prints 600 µs that the test adds to a frame, on a GT 1030. There flag and plants are
//! made by shaders; here they are loose triangles and lines, of which nothing is prepared. Beside them the flag as a mesh whose tree is fitted in each step.

use std::sync::Arc;

use impinge::TriMesh;
use impinge::height_map::{AgainstScratch, Bounds, Environment, LooseObstacle, Obstacle, Profile, Topology};
use impinge::prelude::*;
use impinge_scenes::soft::meadow::{self, Firework};

use super::{BodyContender, Cast};
use crate::texts::scene::{age, at, object};

/// How high the flag's waves are (m).
pub const HEIGHT: f64 = 0.15;
/// Pixels along each side of the ship's map.
const PIXELS: u32 = 256;

/// What the test adds to a frame, as printed (µs).
pub const PRINTED: f64 = 600.0;

/// The flag, and those that are asked in each step.
pub fn make(triangles: u32) -> anyhow::Result<Cast> {
    let cells = (f64::from(triangles) / 2.0).sqrt().round().max(1.0) as u32;
    let mut vertices = Vec::new();
    for j in 0..=cells {
        for i in 0..=cells {
            let along = |k: u32| k as f32 / cells as f32;
            vertices.push(Point3::new(3.0 * along(i) - 1.0, 1.0, 1.0 + 2.0 * along(j)));
        }
    }
    let mut faces = Vec::new();
    for j in 0..cells {
        for i in 0..cells {
            let [a, b] = [0, 1].map(|up| (j + up) * (cells + 1) + i);
            faces.extend([[a, a + 1, b], [a + 1, b + 1, b]]);
        }
    }
    let flag = Arc::new(TriMesh::new(vertices, faces)?);
    let hills = meadow::hills()?;
    let plants = meadow::plants(&hills);
    let ground: Shape = hills.into();
    let scene = |made: Made| -> anyhow::Result<Box<dyn BodyContender>> {
        let object = Shape::from(object()?);
        let mut obstacles = vec![Obstacle::new(&ground, Isometry3::identity(), 0)];
        if made == Made::Mesh {
            obstacles.push(Obstacle::new(&Shape::Mesh(Arc::clone(&flag)), Isometry3::identity(), FLAG));
        }
        Ok(Box::new(FlagScene {
            made,
            profile: Profile::new(&object, Vector3::x(), PIXELS)?,
            obstacles,
            corners: flag.triangles().concat(),
            plants: plants.clone(),
            firework: Firework::default(),
            frame: 0,
            points: Vec::new(),
            inside: Vec::new(),
            scratch: AgainstScratch::default(),
        }))
    };
    let contenders =
        [Made::Loose, Made::Mesh, Made::Nothing].into_iter().map(scene).collect::<Result<_, _>>()?;
    Ok(Cast { mesh: flag.clone(), contenders })
}

/// How flag and plants are made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// Both of loose primitives.
    Loose,
    /// The flag as a mesh with a tree; plants of lines.
    Mesh,
    /// Neither is there.
    Nothing,
}

/// What pixels say of flag and plants.
const FLAG: u32 = 1;
const PLANTS: u32 = 2;

/// The ship against all, in a frame for each step.
struct FlagScene {
    made: Made,
    profile: Profile,
    /// The hills, and the flag if it is a mesh.
    obstacles: Vec<Obstacle>,
    /// Of the flag's triangles.
    corners: Vec<u32>,
    plants: Vec<Point3<f32>>,
    firework: Firework,
    frame: usize,
    points: Vec<[f32; 3]>,
    inside: Vec<u32>,
    scratch: AgainstScratch,
}

impl BodyContender for FlagScene {
    fn who(&self) -> &'static str {
        match self.made {
            Made::Loose => "impinge",
            Made::Mesh => "flag as a mesh",
            Made::Nothing => "hills and points",
        }
    }

    fn beside(&self) -> &'static str {
        "hills and points"
    }

    fn printed_us(&self) -> Option<f64> {
        (self.made != Made::Nothing).then_some(PRINTED)
    }

    fn prepare(&mut self, _: &[Point3<f32>]) {
        self.frame += 5;
        self.firework.at_age(age(self.frame), &mut self.points);
    }

    fn step(&mut self, places: &[Point3<f32>]) -> u64 {
        let FlagScene { made, profile, obstacles, corners, plants, frame, points, inside, scratch, .. } =
            self;
        let pose = at(*frame);
        inside.clear();
        profile.points_inside(&pose, points, Bounds::TwoSided, inside);
        if let [_, flag] = &mut obstacles[..] {
            flag.shape.set_vertices(places).expect("the flag has as many vertices");
        }
        let here = Isometry3::identity();
        let (triangles, lines) = (Topology::Triangles, Topology::Lines);
        let loose = [
            LooseObstacle { topology: lines, places: plants, corners: None, pose: here, body: PLANTS },
            LooseObstacle { topology: triangles, places, corners: Some(corners), pose: here, body: FLAG },
        ];
        let count = match made {
            Made::Loose => 2,
            Made::Mesh => 1,
            Made::Nothing => 0,
        };
        let around = Environment { obstacles, loose: &loose[..count] };
        let sums = profile.measure(&pose, around, Bounds::TwoSided, scratch);
        inside.len() as u64 + u64::from(sums.at.is_some())
    }
}
