//! A mesh at its canonical place, and what brute force says about two of them.

use impinge_geometry::Containment;
use impinge_geometry::{PairFrame, Side, TriMesh};
use nalgebra::Point3;

use super::triangles_touch;

/// The triangles of one side of a pair at their canonical place.
pub struct Body<'m> {
    mesh: &'m TriMesh,
    triangles: Vec<[Point3<f64>; 3]>,
    boxes: Vec<[Point3<f64>; 2]>,
}

impl<'m> Body<'m> {
    /// Both sides of a pair.
    pub fn pair(meshes: [&'m TriMesh; 2], frame: &PairFrame) -> [Body<'m>; 2] {
        Side::BOTH.map(|side| Body::new(meshes[side.index()], frame, side))
    }

    fn new(mesh: &'m TriMesh, frame: &PairFrame, side: Side) -> Body<'m> {
        let place = |t: u32| mesh.corners(t).map(|v| frame.place(side, &v));
        let triangles: Vec<_> = (0..mesh.triangles().len() as u32).map(place).collect();
        let boxes = triangles.iter().map(|[a, b, c]| [a.inf(b).inf(c), a.sup(b).sup(c)]).collect();
        Body { mesh, triangles, boxes }
    }

    /// All pairs of triangles that share a point, made-up faces left out.
    pub fn triangle_pairs(&self, other: &Body<'_>) -> Vec<[u32; 2]> {
        let mut found = Vec::new();
        for i in (0..self.triangles.len()).filter(|&i| !self.mesh.is_made_up(i as u32)) {
            for j in (0..other.triangles.len()).filter(|&j| !other.mesh.is_made_up(j as u32)) {
                let ([low, high], [other_low, other_high]) = (&self.boxes[i], &other.boxes[j]);
                let apart = (0..3).any(|k| high[k] < other_low[k] || other_high[k] < low[k]);
                if !apart && triangles_touch(&self.triangles[i], &other.triangles[j]) {
                    found.push([i as u32, j as u32]);
                }
            }
        }
        found
    }

    /// How often the surface winds round a point that is not on it, by the sum of the solid angles of
    /// its triangles (van Oosterom and Strackee, "The Solid Angle of a Plane Triangle", 1983).
    pub fn winding(&self, p: &Point3<f64>) -> f64 {
        let angle = |t: &[Point3<f64>; 3]| {
            let [a, b, c] = t.map(|v| v - p);
            let (x, y, z) = (a.norm(), b.norm(), c.norm());
            let below = x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y;
            2.0 * a.dot(&b.cross(&c)).atan2(below)
        };
        self.triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
    }

    /// Whether a component of this body is inside the other; meant for surfaces that do not touch.
    pub fn is_in(&self, other: &Body<'_>) -> bool {
        other.mesh.is_closed()
            && self.mesh.components().iter().any(|&v| {
                let at = self.mesh.triangles().iter().position(|t| t.contains(&v));
                let corner = at.and_then(|t| {
                    let k = self.mesh.triangles()[t].iter().position(|&c| c == v)?;
                    Some(self.triangles[t][k])
                });
                corner.is_some_and(|p| other.winding(&p).round() > 0.0)
            })
    }
}

/// Whether a body is inside the other; meant for surfaces that do not touch.
pub fn containment([a, b]: &[Body<'_>; 2]) -> Containment {
    if a.is_in(b) {
        Containment::AInB
    } else if b.is_in(a) {
        Containment::BInA
    } else {
        Containment::None
    }
}
