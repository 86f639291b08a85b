//! Fabrizio's scene with the flag in it: a ship of 16,792 triangles by height maps against 315,218 triangles of hills, a flag that waves and 59,000
//! points of a firework.
//!
//! Fabrizio, "Easy Real-Time Collision Detection", section 3.1, prints 600 µs that the test adds to a frame, on a GT 1030; plants of lines are in that scene,
//! too.

use std::sync::Arc;

use impinge::TriMesh;
use impinge::height_map::{AgainstScratch, Bounds, Obstacle, Profile};
use impinge::prelude::*;

use super::{BodyContender, Cast};
use crate::texts::scene::{Firework, at, hills, object};

/// How high the flag's waves are (m).
pub const HEIGHT: f64 = 0.15;
/// Pixels along each side of the ship's map.
const PIXELS: u32 = 256;

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
    let ground: Shape = hills()?.into();
    let scene = |waves: bool| -> anyhow::Result<Box<dyn BodyContender>> {
        let object = Shape::from(object()?);
        let all = [ground.clone(), Shape::Mesh(Arc::clone(&flag))];
        let shapes = &all[..if waves { 2 } else { 1 }];
        Ok(Box::new(FlagScene {
            profile: Profile::new(&object, Vector3::x(), PIXELS)?,
            obstacles: shapes.iter().map(|shape| Obstacle::new(shape, Isometry3::identity(), 0)).collect(),
            firework: Firework::new(),
            frame: 0,
            points: Vec::new(),
            inside: Vec::new(),
            scratch: AgainstScratch::default(),
        }))
    };
    Ok(Cast { mesh: flag.clone(), contenders: vec![scene(true)?, scene(false)?] })
}

/// The ship against all, in a frame for each step.
struct FlagScene {
    profile: Profile,
    /// The hills, and the flag if it is there.
    obstacles: Vec<Obstacle>,
    firework: Firework,
    frame: usize,
    points: Vec<[f32; 3]>,
    inside: Vec<u32>,
    scratch: AgainstScratch,
}

impl BodyContender for FlagScene {
    fn who(&self) -> &'static str {
        if self.obstacles.len() > 1 { "impinge" } else { "without the flag" }
    }

    fn beside(&self) -> &'static str {
        "without the flag"
    }

    fn prepare(&mut self, _: &[Point3<f32>]) {
        self.frame += 5;
        self.firework.at(self.frame, &mut self.points);
    }

    fn step(&mut self, places: &[Point3<f32>]) -> u64 {
        let FlagScene { profile, obstacles, frame, points, inside, scratch, .. } = self;
        let pose = at(*frame);
        inside.clear();
        profile.points_inside(&pose, points, Bounds::TwoSided, inside);
        if let [_, flag] = &mut obstacles[..] {
            flag.shape.set_vertices(places).expect("the flag has as many vertices");
        }
        let sums = profile.measure(&pose, obstacles.as_slice(), Bounds::TwoSided, scratch);
        inside.len() as u64 + u64::from(sums.at.is_some())
    }
}
