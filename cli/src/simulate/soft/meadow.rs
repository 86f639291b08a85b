//! What stands and flies about a flag: in each step a ship by its map against hills, plants and flag, both against the firework's points.

use std::sync::Arc;

use anyhow::Result;
use impinge::geometry::Particles;
use impinge::height_map::{AgainstScratch, Bounds, Environment, LooseObstacle, Obstacle, Profile, Topology};
use impinge::query::ParticleQuery;
use impinge::{PointContact, PointRange, PreparedShape, Shape, TriMesh};
use impinge_scenes::soft::{Meadow, SoftScene};
use nalgebra::{Isometry3, Point3, Vector3};

/// What pixels of the ship's map say of what they meet.
const HILLS: u32 = 0;
const PLANTS: u32 = 1;
const FLAG: u32 = 2;

/// What is drawn: its name, its shape, where it stands, and its colour.
pub type Drawn = (String, Shape, Isometry3<f64>, [u8; 3]);

/// A meadow while a scene runs.
pub struct MeadowRun<'s> {
    meadow: &'s Meadow,
    /// Seconds since the start.
    time: f64,
    /// The ship's own map.
    profile: Profile,
    hills: [Obstacle; 1],
    /// Of the flag's triangles.
    corners: Vec<u32>,
    flag: PreparedShape,
    firework: ParticleQuery,
    scratch: AgainstScratch,
    points: Vec<[f32; 3]>,
    /// The flag's vertices (m, world).
    places: Vec<Point3<f32>>,
    touching: Vec<PointContact>,
    inside: Vec<u32>,
    met: bool,
}

impl<'s> MeadowRun<'s> {
    /// The meadow of a scene at its start, if it has one.
    pub fn of_scene(scene: &'s SoftScene) -> Result<Option<MeadowRun<'s>>> {
        let Some(meadow) = &scene.meadow else { return Ok(None) };
        let mut points = Vec::new();
        meadow.firework.at(0.0, &mut points);
        let ground = Shape::from(meadow.hills.clone());
        Ok(Some(MeadowRun {
            time: 0.0,
            profile: Profile::new(&Shape::from(meadow.ship.clone()), Vector3::x(), meadow.pixels)?,
            hills: [Obstacle::new(&ground, Isometry3::identity(), HILLS)],
            corners: scene.sheet.triangles().concat(),
            flag: PreparedShape::new(&Shape::from(scene.sheet.clone())),
            firework: ParticleQuery::new(Particles::new(centers(&points), meadow.spark)?),
            meadow,
            scratch: AgainstScratch::default(),
            points,
            places: scene.sheet.vertices().to_vec(),
            touching: Vec::new(),
            inside: Vec::new(),
            met: false,
        }))
    }

    /// Asks all that is asked in a step that ends at a time (s), with the flag's vertices at these places (m).
    pub fn step(&mut self, time: f64, places: &[Point3<f64>]) -> Result<()> {
        self.time = time;
        self.meadow.firework.at(time, &mut self.points);
        self.places.clear();
        self.places.extend(places.iter().map(|p| p.cast::<f32>()));
        let pose = self.ship();
        self.inside.clear();
        self.profile.points_inside(&pose, &self.points, Bounds::TwoSided, &mut self.inside);
        let here = Isometry3::identity();
        let (lines, triangles) = (Topology::Lines, Topology::Triangles);
        let (plants, flag, corners) = (&self.meadow.plants[..], &self.places[..], &self.corners[..]);
        let loose = [
            LooseObstacle { topology: lines, places: plants, corners: None, pose: here, body: PLANTS },
            LooseObstacle {
                topology: triangles,
                places: flag,
                corners: Some(corners),
                pose: here,
                body: FLAG,
            },
        ];
        let around = Environment { obstacles: &self.hills, loose: &loose };
        self.met = self.profile.measure(&pose, around, Bounds::TwoSided, &mut self.scratch).at.is_some();
        self.flag.set_vertices(&self.places)?;
        self.firework.set_centers(0, &centers(&self.points))?;
        let range = PointRange::default();
        self.firework.against(&here, &self.flag, &here, &range, &mut self.touching)?;
        Ok(())
    }

    /// What there is beside the flag.
    pub fn meadow(&self) -> &'s Meadow {
        self.meadow
    }

    /// Where the ship stands.
    pub fn ship(&self) -> Isometry3<f64> {
        self.meadow.ship_at(self.time)
    }

    /// A pixel of the ship's map from corner to corner (m).
    pub fn pixel(&self) -> f64 {
        let [wide, high] = self.profile.plane().pixel_size();
        wide.hypot(high)
    }

    /// The firework's points (m, world).
    pub fn points(&self) -> &[[f32; 3]] {
        &self.points
    }

    /// The flag's vertices as they were asked about (m, world).
    pub fn flag(&self) -> &[Point3<f32>] {
        &self.places
    }

    /// Points of the firework that touch the flag.
    pub fn touching(&self) -> &[PointContact] {
        &self.touching
    }

    /// Points of the firework that are in the ship by its map.
    pub fn inside(&self) -> &[u32] {
        &self.inside
    }

    /// Whether the ship's map has met hills, plants or flag.
    pub fn met(&self) -> bool {
        self.met
    }

    /// Hills, plants, ship and firework as they are drawn.
    pub fn drawn(&self) -> Result<[Drawn; 4]> {
        let [hills, plants, ship, firework] = self.meadow.colors;
        let here = Isometry3::identity();
        let mesh = |mesh: TriMesh| Shape::from(mesh);
        let points = Particles::new(centers(&self.points), self.meadow.spark)?;
        Ok([
            ("hills".to_owned(), mesh(self.meadow.hills.clone()), here, hills),
            ("plants".to_owned(), mesh(self.meadow.blades()?), here, plants),
            ("ship".to_owned(), mesh(self.meadow.ship.clone()), self.ship(), ship),
            ("firework".to_owned(), Shape::Particles(Arc::new(points)), here, firework),
        ])
    }
}

fn centers(points: &[[f32; 3]]) -> Vec<Point3<f32>> {
    points.iter().map(|&p| Point3::from(p)).collect()
}
