//! What of a triangle lies in a convex polyhedron, and what is left of it.

use nalgebra::{Matrix3, Point3, Vector3};

use super::loops::{Loops, Name};
use super::{Cut, Uncut};

/// What an edge of a section lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Border {
    /// An edge of the triangle.
    Edge(usize),
    /// A plane.
    Plane(u32),
}

/// A corner of a section, and the edge from it to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub name: Name,
    at: Point3<f64>,
    border: Border,
}

impl Cut<'_> {
    /// What of a triangle lies in the polyhedron, counter-clockwise.
    pub(super) fn section(&mut self, triangle: u32) -> Result<Vec<Corner>, Uncut> {
        let corners = self.mesh.triangles()[triangle as usize];
        let places = self.mesh.corners(triangle).map(|p| p.cast::<f64>());
        let tool = self.tool;
        if tool.planes.iter().any(|plane| places.iter().all(|p| plane.height(p) >= 0.0)) {
            return Ok(Vec::new());
        }
        let mut section: Vec<Corner> = (0..3)
            .map(|k| Corner { name: Name::Vertex(corners[k]), at: places[k], border: Border::Edge(k) })
            .collect();
        for (index, plane) in (0u32..).zip(&tool.planes) {
            let outside: Vec<bool> = section.iter().map(|corner| plane.height(&corner.at) >= 0.0).collect();
            if !outside.contains(&true) {
                continue;
            }
            let mut clipped = Vec::with_capacity(section.len() + 1);
            for (k, corner) in section.iter().enumerate() {
                let next = (k + 1) % section.len();
                if !outside[k] {
                    clipped.push(*corner);
                }
                if outside[k] != outside[next] {
                    let (name, at) = self.crossing(triangle, corner.border, index)?;
                    let border = if outside[k] { corner.border } else { Border::Plane(index) };
                    clipped.push(Corner { name, at, border });
                }
            }
            section = clipped;
            if section.is_empty() {
                break;
            }
        }
        // Only what is left of it has a place.
        for corner in &section {
            if matches!(corner.name, Name::OnEdge(..) | Name::OnFace(..)) {
                self.places.insert(corner.name, corner.at);
            }
        }
        Ok(section)
    }

    /// Where the border of a section passes through a plane.
    fn crossing(&self, triangle: u32, border: Border, plane: u32) -> Result<(Name, Point3<f64>), Uncut> {
        let cutting = &self.tool.planes[plane as usize];
        match border {
            Border::Edge(k) => {
                let edge = self.mesh.triangle_edges()[triangle as usize][k];
                let ends = self.mesh.edges()[edge as usize].vertices;
                let [p, q] = ends.map(|v| self.mesh.vertices()[v as usize].cast::<f64>());
                let [from, to] = [p, q].map(|p| cutting.height(&p));
                if from == to {
                    return Err(Uncut::Unclear);
                }
                Ok((Name::OnEdge(edge, plane), p + (q - p) * (from / (from - to)).clamp(0.0, 1.0)))
            }
            Border::Plane(other) => {
                let [a, b, c] = self.mesh.corners(triangle).map(|p| p.cast::<f64>());
                let own = (b - a).cross(&(c - a)).try_normalize(0.0).ok_or(Uncut::Unclear)?;
                let pair = [other.min(plane), other.max(plane)];
                let [first, second] = pair.map(|k| &self.tool.planes[k as usize]);
                // About a corner of the triangle, which keeps digits.
                let rows = Matrix3::from_rows(&[
                    own.transpose(),
                    first.normal.transpose(),
                    second.normal.transpose(),
                ]);
                let heights = Vector3::new(0.0, -first.height(&a), -second.height(&a));
                let from_corner = rows.lu().solve(&heights).filter(|x| x.iter().all(|x| x.is_finite()));
                Ok((Name::OnFace(triangle, pair), a + from_corner.ok_or(Uncut::Unclear)?))
            }
        }
    }

    /// What bounds the rest of a triangle, less its section; its traces on planes are added to theirs.
    pub(super) fn rest(
        &self,
        triangle: u32,
        section: &[Corner],
        walls: &mut [Loops],
    ) -> Result<Loops, Uncut> {
        let mut rest = Loops::default();
        let mut on_edges: [Option<[Name; 2]>; 3] = [None; 3];
        for (k, corner) in section.iter().enumerate() {
            let to = section[(k + 1) % section.len()].name;
            match corner.border {
                Border::Plane(plane) => {
                    rest.push(to, corner.name);
                    walls[plane as usize].push(corner.name, to);
                }
                Border::Edge(edge) if on_edges[edge].is_some() => return Err(Uncut::Unclear),
                Border::Edge(edge) => on_edges[edge] = Some([corner.name, to]),
            }
        }
        let corners = self.mesh.triangles()[triangle as usize].map(Name::Vertex);
        for (k, inside) in on_edges.into_iter().enumerate() {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            match inside {
                Some([enter, exit]) => {
                    rest.push(from, enter);
                    rest.push(exit, to);
                }
                None => rest.push(from, to),
            }
        }
        Ok(rest)
    }
}
