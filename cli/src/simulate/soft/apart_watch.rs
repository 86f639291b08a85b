//! Watches a sheet that is kept apart from itself and from bodies.
//!
//! Whether anything crosses is asked of exact tests of triangles, which share nothing with the distances by which the sheet is kept apart; and how
//! near it comes, of a query of its own.

use anyhow::Result;
use impinge::query::{SelfScratch, SheetPoint, SheetQuery, SheetScratch};
use impinge::{PairQuery, PreparedShape, Shape};
use impinge_scenes::soft::{SoftContact, SoftDemand, SoftScene};
use nalgebra::{Isometry3, Point3};

use crate::simulate::check::Check;

/// What was seen so far.
pub struct ApartWatch {
    query: SheetQuery,
    surface: PreparedShape,
    bodies: Vec<PreparedShape>,
    scratch: (SheetScratch, SelfScratch),
    /// Steps after which something crossed, and the first of them (s).
    tangled: u32,
    first: Option<f64>,
    /// The greatest part of the distance to be kept that was missing, and when (s).
    missing: (f64, f64),
    /// The most places at which the sheet was near itself.
    folded: usize,
    points: Vec<SheetPoint>,
}

impl ApartWatch {
    /// Watches a scene; nothing of one whose sheet is kept out of bodies otherwise.
    pub fn of_scene(scene: &SoftScene) -> Result<Option<ApartWatch>> {
        let SoftContact::Apart { thickness } = scene.contact else { return Ok(None) };
        let shape = |mesh: &impinge::TriMesh| PreparedShape::new(&Shape::from(mesh.clone()));
        let mut query = SheetQuery::new(scene.sheet.clone(), thickness)?;
        // What lies on each other is apart by the thickness, and a little more.
        query.set_margin(0.25 * thickness)?;
        Ok(Some(ApartWatch {
            query,
            surface: shape(&scene.sheet),
            bodies: scene.movers.iter().map(|mover| shape(&mover.mesh)).collect(),
            scratch: Default::default(),
            tangled: 0,
            first: None,
            missing: (0.0, 0.0),
            folded: 0,
            points: Vec::new(),
        }))
    }

    /// Looks at the sheet after a step.
    pub fn look(&mut self, places: &[Point3<f64>], poses: &[Isometry3<f64>], time: f64) -> Result<()> {
        let places: Vec<Point3<f32>> = places.iter().map(|p| p.cast()).collect();
        self.query.set_vertices(&places)?;
        self.surface.set_vertices(&places)?;
        let here = Isometry3::identity();
        let mut pairs = Vec::new();
        self.surface.self_intersections_with(false, &mut self.scratch.1, &mut pairs);
        let mut tangled = !pairs.is_empty();
        for (body, pose) in self.bodies.iter().zip(poses) {
            tangled |= PairQuery::between(&self.surface, body).count_triangle_pairs(&here, pose)? > 0;
        }
        self.tangled += u32::from(tangled);
        if tangled {
            self.first.get_or_insert(time);
        }
        self.query.self_contacts(&mut self.scratch.0, &mut self.points);
        self.folded = self.folded.max(self.points.len());
        judge(&self.points, time, &mut self.missing);
        for (body, pose) in self.bodies.iter().zip(poses) {
            self.query.contacts(&here, body, pose, &mut self.scratch.0, &mut self.points)?;
            judge(&self.points, time, &mut self.missing);
        }
        Ok(())
    }

    /// The verdict on a demand; nothing of those that are not about being apart.
    pub fn check(&self, demand: &SoftDemand) -> Option<Check> {
        match *demand {
            SoftDemand::Untangled => {
                let name = "steps after which triangles share a point";
                let note = match self.first {
                    Some(time) => format!("the first at {time:.2} s"),
                    None => "exact, neighbours left out".into(),
                };
                Some(Check::judged(name, f64::from(self.tangled), 0.0, "steps", note))
            }
            SoftDemand::Kept(limit) => {
                let (missing, time) = self.missing;
                let name = "missing of the distance to be kept";
                let note = format!("the most after any step, at {time:.2} s");
                Some(Check::judged(name, 1e2 * missing, 1e2 * limit, "%", note))
            }
            SoftDemand::Folded(least) => {
                let name = "places missing at which the sheet is near itself";
                let missing = least.saturating_sub(self.folded);
                let note = format!("{} in one step, {least} asked", self.folded);
                Some(Check::judged(name, missing as f64, 0.0, "places", note))
            }
            _ => None,
        }
    }
}

/// The greatest part of the distance to be kept that is missing at some points.
fn judge(points: &[SheetPoint], time: f64, most: &mut (f64, f64)) {
    for point in points {
        let missing = point.depth() / point.keep.max(f64::MIN_POSITIVE);
        if missing > most.0 {
            *most = (missing, time);
        }
    }
}
