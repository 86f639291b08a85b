//! Holes that shapes are cut by: spheres, cylinders and boxes that are taken away.
//!
//! What is cut is a closed mesh (primitives and hulls are made one first), what cuts a convex polyhedron. Each triangle is clipped by
//! the planes of the polyhedron; what lies in it goes, and the rest is cut into triangles again. Where planes and triangles meet, segments are
//! left on the polyhedron's faces; together with those stretches of its edges that lie in the mesh they bound the walls of the
//! hole. Every new vertex has a name: the edge of the mesh and the plane, or the triangle and the two planes, that it lies on. It is placed
//! once, whoever asks, so that neighbours agree and what comes out is closed.
//!
//! Where the two are in a place that leaves it open who lies where (a vertex in a plane, three planes in a line), the hole is made larger by a
//! ten-millionth of its size and tried again.
//!
//! Source of the clipping: Sutherland and Hodgman, "Reentrant Polygon Clipping", 1974.

mod hole;
mod loops;
mod polygon;
mod polyhedron;
mod section;
mod shape;
mod walls;

pub use hole::Cutout;

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Point3};

use self::loops::{Loops, Name};
use self::polyhedron::Polyhedron;
use crate::TriMesh;

/// Why a mesh was not cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Uncut {
    /// It lies in the hole, all of it.
    Swallowed,
    /// Who lies where could not be told.
    Unclear,
}

/// How often a cut is tried.
const TRIES: i32 = 9;

/// The mesh, which is closed, without what lies in a hole at `pose`; `None` where the hole does not reach it.
fn cut(mesh: &TriMesh, cutout: &Cutout, pose: &Isometry3<f64>) -> Result<Option<TriMesh>, Uncut> {
    let mut last = Uncut::Unclear;
    for attempt in 0..TRIES {
        // Twice as much each time, to a hundred-thousandth.
        let growth = if attempt == 0 { 0.0 } else { 1e-7 * 2f64.powi(attempt) };
        let tool = cutout.polyhedron(pose, mesh, growth);
        match Cut::new(mesh, &tool).made() {
            Err(why) => last = why,
            made => return made,
        }
    }
    Err(last)
}

/// A mesh, what cuts it, and the vertices that come of it.
struct Cut<'a> {
    mesh: &'a TriMesh,
    tool: &'a Polyhedron,
    places: BTreeMap<Name, Point3<f64>>,
}

impl<'a> Cut<'a> {
    fn new(mesh: &'a TriMesh, tool: &'a Polyhedron) -> Cut<'a> {
        Cut { mesh, tool, places: BTreeMap::new() }
    }

    fn made(mut self) -> Result<Option<TriMesh>, Uncut> {
        let mut walls = vec![Loops::default(); self.tool.planes.len()];
        let (mut kept, mut cut, mut whole) = (Vec::new(), Vec::new(), 0);
        for triangle in 0..self.mesh.triangles().len() as u32 {
            if !self.mesh.has_triangle(triangle) {
                continue;
            }
            whole += 1;
            match self.section(triangle)? {
                section if section.is_empty() => kept.push(self.mesh.triangles()[triangle as usize]),
                section => cut.push((triangle, self.rest(triangle, &section, &mut walls)?)),
            }
        }
        self.close(&mut walls)?;
        if kept.len() == whole && walls.iter().all(Loops::is_empty) {
            return Ok(None);
        }
        if kept.is_empty() && cut.iter().all(|(_, rest)| rest.is_empty()) {
            return Err(Uncut::Swallowed);
        }
        self.mesh_of(&kept, &cut, &walls).map(Some)
    }

    /// The mesh of triangles that were kept, of what is left of others, and of the walls.
    fn mesh_of(&self, kept: &[[u32; 3]], cut: &[(u32, Loops)], walls: &[Loops]) -> Result<TriMesh, Uncut> {
        let mut vertices: Vec<Point3<f32>> = Vec::new();
        let mut numbers: BTreeMap<Name, u32> = BTreeMap::new();
        let mut number = |name: Name| {
            *numbers.entry(name).or_insert_with(|| {
                vertices.push(self.place(name).cast());
                vertices.len() as u32 - 1
            })
        };
        let mut triangles: Vec<[u32; 3]> =
            kept.iter().map(|corners| corners.map(|v| number(Name::Vertex(v)))).collect();
        let normal_of = |triangle: u32| {
            let [a, b, c] = self.mesh.corners(triangle).map(|p| p.cast::<f64>());
            (b - a).cross(&(c - a))
        };
        let faces = cut.iter().map(|(triangle, rest)| (normal_of(*triangle), rest));
        let all = faces.chain(self.tool.planes.iter().zip(walls).map(|(plane, wall)| (-plane.normal, wall)));
        for (normal, loops) in all.filter(|(_, loops)| !loops.is_empty()) {
            let rings = loops.rings().ok_or(Uncut::Unclear)?;
            let placed: Vec<Vec<(Name, Point3<f64>)>> = rings
                .into_iter()
                .map(|ring| ring.into_iter().map(|n| (n, self.place(n))).collect())
                .collect();
            let found = polygon::triangulate(&placed, &normal).ok_or(Uncut::Unclear)?;
            triangles.extend(found.into_iter().map(|corners| corners.map(&mut number)));
        }
        let made = TriMesh::welded(vertices, triangles).map_err(|_| Uncut::Swallowed)?;
        if made.is_closed() { Ok(made) } else { Err(Uncut::Unclear) }
    }

    fn place(&self, name: Name) -> Point3<f64> {
        match name {
            Name::Vertex(v) => self.mesh.vertices()[v as usize].cast(),
            Name::Corner(v) => self.tool.vertices[v as usize],
            Name::OnEdge(..) | Name::OnFace(..) => self.places.get(&name).copied().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests;
