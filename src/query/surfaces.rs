//! Questions about triangles: all pairs that meet, contours.

use std::mem::take;
use std::ops::ControlFlow;

use impinge_exact::contour::{self, ContourScratch, Contours};
use impinge_exact::intersect::{self, IntersectScratch, Intersections, Surfaces};
use impinge_geometry::PairFrame;
use impinge_midphase::{DescentCounts, descend};
use nalgebra::{Isometry3, Point3, Vector3};

use super::subshapes::{PlacedSubshapes, Poses};
use super::{PairQuery, QueryError, QueryScratch};

/// Buffers for questions about triangles.
#[derive(Debug, Default)]
pub(super) struct SurfaceScratch {
    leaf_pairs: Vec<[u32; 2]>,
    intersect: IntersectScratch,
    out: Intersections,
    contour: ContourScratch,
    contours: Contours,
    pairs: Vec<[u32; 2]>,
}

/// Two triangles that share a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TrianglePair {
    /// The subshapes they belong to: children of composites, 0 of a simple shape.
    pub subshapes: [u32; 2],
    /// The triangle of A's subshape and that of B's, as [`TriMesh::triangles`](crate::TriMesh::triangles)
    /// counts them.
    pub triangles: [u32; 2],
}

/// A line along which two surfaces cross.
#[derive(Clone, Debug, PartialEq)]
pub struct Contour {
    /// The subshapes that cross.
    pub subshapes: [u32; 2],
    /// Its points in their order (m, world). What of A is inside B lies to the left, seen from outside A. Of
    /// a closed line the last point is joined to the first.
    pub points: Vec<Point3<f64>>,
    /// Whether it returns to where it started. Between closed surfaces every contour does.
    pub closed: bool,
    /// The pair of triangles that each segment lies in: from point `k` to the one after it.
    pub triangles: Vec<[u32; 2]>,
    /// ½ ∮ r × dr (m²): its share of the area vector of A's surface inside B, along the contact normal
    /// from A to B. Of a line that is not closed, a guess.
    pub area: Vector3<f64>,
    /// Its length (m).
    pub length: f64,
    /// Whether all of it lies on virtual faces, which bound volume and touch nothing.
    pub virtual_faces: bool,
}

impl PairQuery {
    /// All pairs of triangles that share a point (exact), sorted; virtual faces (those that bound volume
    /// and touch nothing) are left out.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cube = Shape::cuboid([0.5; 3])?;
    /// let query = PairQuery::new(&cube, &cube, QuerySettings::default())?;
    /// let at = |z: f64| Isometry3::translation(0.0625, 0.125, z);
    /// assert!(query.triangle_pairs(&at(0.0), &at(1.5))?.is_empty());
    /// let pairs = query.triangle_pairs(&Isometry3::identity(), &at(0.9))?;
    /// assert_eq!(pairs.len() as u64, query.count_triangle_pairs(&Isometry3::identity(), &at(0.9))?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`QueryError::Pose`], or [`QueryError::NoTriangles`] where a subshape is smooth.
    pub fn triangle_pairs(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
    ) -> Result<Vec<TrianglePair>, QueryError> {
        self.triangle_pairs_with(a, b, &mut QueryScratch::default())
    }

    /// As [`PairQuery::triangle_pairs`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn triangle_pairs_with(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<Vec<TrianglePair>, QueryError> {
        let mut all = Vec::new();
        self.each_meeting(a, b, scratch, |pair, surfaces, scratch| {
            let SurfaceScratch { intersect, pairs, .. } = scratch;
            pairs.clear();
            intersect::triangle_pairs(surfaces, intersect, pairs);
            pairs.sort_unstable();
            all.extend(pairs.iter().map(|&triangles| TrianglePair { subshapes: pair.indices, triangles }));
        })?;
        Ok(all)
    }

    /// How many pairs of triangles share a point (exact).
    ///
    /// # Errors
    /// As [`PairQuery::triangle_pairs`].
    pub fn count_triangle_pairs(&self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> Result<u64, QueryError> {
        self.count_triangle_pairs_with(a, b, &mut QueryScratch::default())
    }

    /// As [`PairQuery::count_triangle_pairs`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn count_triangle_pairs_with(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<u64, QueryError> {
        let mut count = 0;
        self.each_meeting(a, b, scratch, |_, surfaces, scratch| {
            count += intersect::count_triangle_pairs(surfaces, &mut scratch.intersect);
        })?;
        Ok(count)
    }

    /// The lines along which the surfaces cross, in a fixed order.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cube = Shape::cuboid([0.5; 3])?;
    /// let query = PairQuery::new(&cube, &cube, QuerySettings::default())?;
    /// let corner = Isometry3::translation(0.75, 0.75, 0.75);
    /// let contours = query.contours(&Isometry3::identity(), &corner)?;
    /// assert_eq!(contours.len(), 1);
    /// assert!(contours[0].closed);
    /// assert!((contours[0].length - 6.0 * 0.25).abs() < 1e-12);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`QueryError::Pose`], or [`QueryError::NoTriangles`] where a subshape is smooth.
    pub fn contours(&self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> Result<Vec<Contour>, QueryError> {
        self.contours_with(a, b, &mut QueryScratch::default())
    }

    /// As [`PairQuery::contours`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn contours_with(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<Vec<Contour>, QueryError> {
        let mut all = Vec::new();
        self.each_meeting(a, b, scratch, |pair, surfaces, scratch| {
            let SurfaceScratch { leaf_pairs, intersect, out, contour, contours, .. } = scratch;
            leaf_pairs.clear();
            let push = &mut |a, b| {
                leaf_pairs.push([a, b]);
                ControlFlow::Continue(())
            };
            let [tree_a, tree_b] = surfaces.trees;
            let _ = descend(tree_a, tree_b, &pair.frame, 0.0, push, &mut DescentCounts::default());
            intersect::intersect_surfaces(surfaces, leaf_pairs, intersect, out);
            contour::assemble(out, contour, contours);
            let of_line = |line| outline(pair.indices, &pair.frame, line, (contours, out));
            all.extend(contours.loops.iter().map(of_line));
        })?;
        Ok(all)
    }

    /// Visits every pair of subshapes whose spheres meet.
    fn each_meeting(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        scratch: &mut QueryScratch,
        mut visit: impl FnMut(&PlacedSubshapes<'_>, &Surfaces<'_>, &mut SurfaceScratch),
    ) -> Result<(), QueryError> {
        let poses = Poses::new(a, b)?;
        for (shape, side) in self.shapes().iter().zip(['A', 'B']) {
            if let Some(subshape) = shape.parts().iter().position(|part| part.surface.is_none()) {
                return Err(QueryError::NoTriangles { side, subshape });
            }
        }
        let shapes = self.shapes();
        let mut near = take(&mut scratch.part_pairs);
        for pair in poses.pairs_near(shapes, 0.0, &mut near).filter(|pair| pair.gap <= 0.0) {
            if let Some(surfaces) = surfaces_of(&pair) {
                visit(&pair, &surfaces, &mut scratch.surfaces);
            }
        }
        scratch.part_pairs = near;
        Ok(())
    }
}

/// The surfaces of two subshapes; `None` where a side has none.
fn surfaces_of<'p>(pair: &'p PlacedSubshapes<'_>) -> Option<Surfaces<'p>> {
    let [a, b] = pair.parts.map(|part| part.surface.as_ref());
    let (a, b) = (a?, b?);
    Some(Surfaces { meshes: [a.faces(), b.faces()], trees: [&a.tree, &b.tree], frame: &pair.frame })
}

/// A contour of two subshapes where their frame has them.
pub(super) fn outline(
    subshapes: [u32; 2],
    frame: &PairFrame,
    line: &contour::Loop,
    (contours, out): (&Contours, &Intersections),
) -> Contour {
    let segments = || contours.segments(line, out);
    let mut points: Vec<_> = segments().map(|s| frame.to_world(&s.points[0])).collect();
    if !line.closed {
        points.extend(segments().last().map(|s| frame.to_world(&s.points[1])));
    }
    Contour {
        subshapes,
        points,
        closed: line.closed,
        triangles: segments().map(|s| s.triangles).collect(),
        area: line.gradient,
        length: line.length,
        virtual_faces: line.is_virtual(),
    }
}
