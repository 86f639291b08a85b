//! Sheets of some thickness: contact points for a solver of cloth.

use std::sync::Arc;

use impinge_exact::MeshSolid;
use impinge_exact::sheet::{
    SheetPoint, SheetReach, SheetScratch, SheetSurface, sheet_and_itself, sheet_and_primitive,
    sheet_and_surface,
};
use impinge_geometry::{FARTHEST, Faces, MeshError, PairFrame, Side, TriMesh};
use impinge_midphase::{Deformation, Solid, Surface};
use nalgebra::{Isometry3, Point3};

use super::subshapes::Poses;
use super::{PreparedShape, QueryError};
use crate::config::claim_thread;

/// A mesh that is taken for a sheet of some thickness, half of it on each side: a cloth, a membrane, the skin of a soft body. It need not be
/// closed, and both sides count alike.
///
/// A point is told where two features are too near: a vertex and a face, which is named after where on the face's triangle the
/// nearest place lies, or two edges whose nearest places lie inside both. Every such pair of features is told once, with the
/// distance as brute force over all of them finds it. Features of one triangle are not compared. What was nearer in the rest than asked for (by
/// default the vertices as they were when the sheet was made) need only be as far apart as it was.
///
/// | question | how far apart it should be ([`SheetPoint::keep`]) |
/// |---|---|
/// | [`SheetQuery::self_contacts`] | the thickness |
/// | [`SheetQuery::contacts`] with a body | half the thickness |
/// | [`SheetQuery::contacts_between`] two sheets | half of each thickness |
///
/// What is farther apart by less than [`SheetQuery::set_margin`] is told, too. Distances to a sheet have no sign: a solver that moves by less than
/// half the margin between two questions, and keeps each point on its side of the normal, lets nothing through. A vertex in a
/// closed body, nearest to the inside of one of its faces, and any place in a round primitive has a negative distance.
///
/// ```
/// use impinge::query::{SheetQuery, SheetScratch};
/// use impinge::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Two triangles, hinged along the y axis; one is folded over the other.
/// let flat = [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]].map(Point3::from);
/// let mut sheet = SheetQuery::new(TriMesh::new(flat.to_vec(), vec![[0, 2, 1], [0, 1, 3]])?, 0.02)?;
/// let (mut scratch, mut points) = (SheetScratch::default(), Vec::new());
/// sheet.self_contacts(&mut scratch, &mut points);
/// assert!(points.is_empty());
///
/// let folded = [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.01]].map(Point3::from);
/// sheet.set_vertices(&folded)?;
/// sheet.self_contacts(&mut scratch, &mut points);
/// assert_eq!(points.len(), 1);
/// assert!((points[0].depth() - 0.01).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SheetQuery {
    surface: Surface,
    rest: Vec<Point3<f64>>,
    thickness: f64,
    margin: f64,
}

impl SheetQuery {
    /// A sheet of some thickness (m) that rests as the mesh is.
    ///
    /// # Errors
    /// [`QueryError::Thickness`] for one that is not greater than 0, or too large.
    pub fn new(mesh: impl Into<Arc<TriMesh>>, thickness: f64) -> Result<SheetQuery, QueryError> {
        if !(thickness > 0.0 && thickness <= FARTHEST) {
            return Err(QueryError::Thickness { thickness });
        }
        let mesh = mesh.into();
        let rest = mesh.vertices().iter().map(|p| p.cast()).collect();
        claim_thread();
        Ok(SheetQuery { surface: Surface::new(mesh), rest, thickness, margin: 0.0 })
    }

    /// Sets by how much (m) what is told may be farther apart than it should be: 0 unless set.
    ///
    /// # Errors
    /// [`QueryError::Margin`] for a margin that is negative, not a number or too large.
    pub fn set_margin(&mut self, margin: f64) -> Result<(), QueryError> {
        if !(0.0..=FARTHEST).contains(&margin) {
            return Err(QueryError::Margin { margin });
        }
        self.margin = margin;
        Ok(())
    }

    /// Sets where the vertices rest (m): [`SheetPoint::keep`] is no more than features are apart there.
    ///
    /// # Errors
    /// [`MeshError`] for another number of places than there are vertices, or places that are not finite or too far away; nothing has
    /// changed then.
    pub fn set_rest(&mut self, places: &[Point3<f32>]) -> Result<(), MeshError> {
        self.mesh().check_vertices(places)?;
        self.rest.clear();
        self.rest.extend(places.iter().map(|p| p.cast::<f64>()));
        Ok(())
    }

    /// Has the vertices stand elsewhere (m), as [`World::set_vertices`](crate::World::set_vertices) does.
    ///
    /// # Errors
    /// [`MeshError`] for another number of vertices than the mesh has, and coordinates that are not finite or too large; nothing has
    /// changed then.
    pub fn set_vertices(&mut self, vertices: &[Point3<f32>]) -> Result<Deformation, MeshError> {
        self.surface.set_vertices(vertices)
    }

    /// The mesh with its vertices as they stand.
    pub fn mesh(&self) -> &TriMesh {
        match &self.surface.faces {
            Faces::Mesh(mesh) => mesh,
            Faces::Field(_) | Faces::Levels(_) => unreachable!("a sheet is made of a mesh"),
        }
    }

    /// The thickness (m).
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// Where the sheet is near itself, in its own frame and in the order of the features: `points` has what is found, and what was in it is
    /// lost. Nothing is allocated where the buffers have held as much before. The same bits for any number of threads.
    pub fn self_contacts(&self, scratch: &mut SheetScratch, points: &mut Vec<SheetPoint>) {
        points.clear();
        let reach = SheetReach { thickness: self.thickness, margin: self.margin };
        if let Some(sheet) = SheetSurface::of(&self.surface) {
            sheet_and_itself(sheet, Some(&self.rest), reach, scratch, points);
        }
    }

    /// Where the sheet (A) standing at `pose` is near a body (B): as [`SheetQuery::self_contacts`], in the world.
    ///
    /// # Errors
    /// [`QueryError::Pose`], and [`QueryError::SheetOnField`] near a height field.
    pub fn contacts(
        &self,
        pose: &Isometry3<f64>,
        body: &PreparedShape,
        body_pose: &Isometry3<f64>,
        scratch: &mut SheetScratch,
        points: &mut Vec<SheetPoint>,
    ) -> Result<(), QueryError> {
        points.clear();
        let [pose, body_pose] = Poses::new(pose, body_pose)?.both().map(|pose| *pose);
        let reach = SheetReach { thickness: 0.5 * self.thickness, margin: self.margin };
        for (subshape, part) in (0..).zip(body.stages().parts()) {
            let (first, frame) = (points.len(), PairFrame::new(&pose, &(body_pose * part.pose)));
            match (&part.solid, &part.surface) {
                (_, Some(surface)) if surface.mesh().is_none() => {
                    return Err(QueryError::SheetOnField { subshape });
                }
                (_, Some(surface)) => self.near_surface(surface, &frame, reach, scratch, points),
                (&Solid::Primitive(primitive), None) => {
                    let pair = MeshSolid { mesh: Side::A, surface: &self.surface, primitive, frame: &frame };
                    sheet_and_primitive(pair, reach, scratch, points);
                }
                (Solid::Hull | Solid::Mesh, None) => {}
            }
            in_world(&mut points[first..], subshape, &frame);
        }
        Ok(())
    }

    /// Where the sheet (A) standing at `pose` is near another (B), in the world; the margin is the first's.
    ///
    /// # Errors
    /// [`QueryError::Pose`].
    pub fn contacts_between(
        &self,
        pose: &Isometry3<f64>,
        other: &SheetQuery,
        other_pose: &Isometry3<f64>,
        scratch: &mut SheetScratch,
        points: &mut Vec<SheetPoint>,
    ) -> Result<(), QueryError> {
        points.clear();
        let [pose, other_pose] = Poses::new(pose, other_pose)?.both().map(|pose| *pose);
        let reach = SheetReach { thickness: 0.5 * (self.thickness + other.thickness), margin: self.margin };
        let frame = PairFrame::new(&pose, &other_pose);
        self.near_surface(&other.surface, &frame, reach, scratch, points);
        in_world(points, 0, &frame);
        Ok(())
    }

    fn near_surface(
        &self,
        other: &Surface,
        frame: &PairFrame,
        reach: SheetReach,
        scratch: &mut SheetScratch,
        points: &mut Vec<SheetPoint>,
    ) {
        if let [Some(sheet), Some(other)] = [&self.surface, other].map(SheetSurface::of) {
            sheet_and_surface([sheet, other], frame, reach, scratch, points);
        }
    }
}

fn in_world(points: &mut [SheetPoint], subshape: u32, frame: &PairFrame) {
    for point in points {
        point.subshape = subshape;
        point.points = point.points.map(|p| frame.to_world(&p));
    }
}
