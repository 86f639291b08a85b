//! The exact overlap of convex polyhedra: one clipped by the planes of the other.

use impinge_geometry::{Primitive, TriMesh};
use nalgebra::{Point3, Vector3};

use crate::nearest::unit_normal;
use crate::support::{ConvexShape, Placed};

/// A plane: outward unit normal and offset (m) along it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub normal: Vector3<f64>,
    pub offset: f64,
}

/// A convex polyhedron by its faces, counter-clockwise seen from outside.
#[derive(Clone, Debug)]
pub(crate) struct Polyhedron {
    faces: Vec<Face>,
}

#[derive(Clone, Debug)]
struct Face {
    corners: Vec<Point3<f64>>,
    /// Whether a clipping plane made it.
    cut: bool,
}

/// Integrals over an overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Measure {
    /// Volume (m³).
    pub volume: f64,
    /// Area vector of those faces that no clipping plane made: A's surface inside B (m²).
    pub gradient: Vector3<f64>,
    /// Centroid (m); zero where there is no volume.
    pub centroid: Vector3<f64>,
    /// ∫ x × dA over the same faces (m³).
    pub torque: Vector3<f64>,
}

impl Polyhedron {
    /// A cuboid or hull where it stands; `None` for anything round.
    pub fn new(solid: &Placed) -> Option<Polyhedron> {
        let faces = match &solid.shape {
            ConvexShape::Primitive(Primitive::Cuboid { half }) => cuboid_faces(half.map(f64::from)),
            ConvexShape::Hull(mesh) => hull_faces(mesh),
            _ => return None,
        };
        let place = |corners: Vec<Point3<f64>>| corners.iter().map(|p| solid.place(p)).collect();
        Some(Polyhedron {
            faces: faces.into_iter().map(|corners| Face { corners: place(corners), cut: false }).collect(),
        })
    }

    /// The planes of a cuboid's or hull's faces where it stands.
    pub fn planes(solid: &Placed) -> Option<Vec<Plane>> {
        Some(
            Polyhedron::new(solid)?
                .faces
                .iter()
                .filter_map(|f| {
                    let normal = unit_normal(&[f.corners[0], f.corners[1], f.corners[2]])?;
                    let offset =
                        f.corners.iter().map(|p| normal.dot(&p.coords)).fold(f64::NEG_INFINITY, f64::max);
                    Some(Plane { normal, offset })
                })
                .collect(),
        )
    }

    /// Keeps what lies behind a plane; corners within `slack` (m) of it lie in it.
    pub fn clip(&mut self, plane: &Plane, slack: f64) {
        let height = |p: &Point3<f64>| {
            let h = plane.normal.dot(&p.coords) - plane.offset;
            if h.abs() <= slack { 0.0 } else { h }
        };
        let mut heights = self.faces.iter().flat_map(|f| f.corners.iter().map(height));
        if !heights.any(|h| h > 0.0) {
            return;
        }
        let mut cut: Vec<Point3<f64>> = Vec::new();
        let mut faces = Vec::with_capacity(self.faces.len() + 1);
        for face in &self.faces {
            let mut kept = Vec::with_capacity(face.corners.len() + 1);
            let mut below = false;
            for (k, p) in face.corners.iter().enumerate() {
                let q = &face.corners[(k + 1) % face.corners.len()];
                let (hp, hq) = (height(p), height(q));
                if hp <= 0.0 {
                    kept.push(*p);
                    below |= hp < 0.0;
                    if hp == 0.0 {
                        cut.push(*p);
                    }
                }
                if hp * hq < 0.0 {
                    // From the lower end, so that both faces of the edge cut it in the same point.
                    let (low, high, hl, hh) = if hp < 0.0 { (p, q, hp, hq) } else { (q, p, hq, hp) };
                    let x = low + (high - low) * (hl / (hl - hh));
                    kept.push(x);
                    cut.push(x);
                }
            }
            if below && kept.len() >= 3 {
                faces.push(Face { corners: kept, cut: face.cut });
            }
        }
        if !faces.is_empty() && cut.len() >= 3 {
            faces.push(Face { corners: in_order(cut, &plane.normal), cut: true });
        }
        self.faces = faces;
    }

    /// Integrals over what is left, in coordinates about `origin`.
    pub fn measure(&self, origin: &Point3<f64>) -> Measure {
        let mut m = Measure::default();
        for face in &self.faces {
            let base = face.corners[0] - origin;
            for pair in face.corners[1..].windows(2) {
                let (p, q) = (pair[0] - origin, pair[1] - origin);
                let area = (p - base).cross(&(q - base)) * 0.5;
                let middle = (base + p + q) / 3.0;
                let volume = area.dot(&base) / 3.0;
                m.volume += volume;
                m.centroid += (base + p + q) * (0.25 * volume);
                if !face.cut {
                    m.gradient += area;
                    m.torque += middle.cross(&area);
                }
            }
        }
        m.volume = m.volume.max(0.0);
        m.centroid = if m.volume > 0.0 { m.centroid / m.volume } else { Vector3::zeros() };
        m
    }
}

/// The overlap of A and B, clipped face by face; `toward_a` is the direction in which B faces A: what
/// it meets first goes first, so that little is left for the other planes. `None` for anything round.
pub(crate) fn overlap(
    a: &Placed,
    b: &Placed,
    toward_a: &Vector3<f64>,
    origin: &Point3<f64>,
    slack: f64,
) -> Option<Measure> {
    let mut left = Polyhedron::new(a)?;
    let mut planes = Polyhedron::planes(b)?;
    planes.sort_by(|p, q| q.normal.dot(toward_a).total_cmp(&p.normal.dot(toward_a)));
    for plane in &planes {
        left.clip(plane, slack);
    }
    Some(left.measure(origin))
}

fn cuboid_faces(half: [f64; 3]) -> Vec<Vec<Point3<f64>>> {
    let mut faces = Vec::with_capacity(6);
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for sign in [-1.0, 1.0] {
            let corners =
                [[-1.0, -1.0], [sign, -sign], [1.0, 1.0], [-sign, sign]].map(|[su, sv]: [f64; 2]| {
                    let mut p = Point3::origin();
                    p[axis] = sign * half[axis];
                    p[u] = su * half[u];
                    p[v] = sv * half[v];
                    p
                });
            faces.push(corners.to_vec());
        }
    }
    faces
}

fn hull_faces(mesh: &TriMesh) -> Vec<Vec<Point3<f64>>> {
    (0..mesh.triangles().len() as u32).map(|t| mesh.corners(t).map(|p| p.cast()).to_vec()).collect()
}

/// Points of a plane as the convex polygon they lie on, counter-clockwise around `normal`; equal
/// points stay, and add nothing.
fn in_order(mut points: Vec<Point3<f64>>, normal: &Vector3<f64>) -> Vec<Point3<f64>> {
    let sum = points.iter().fold(Vector3::zeros(), |s, p| s + p.coords);
    let middle = Point3::from(sum / points.len() as f64);
    let u = crate::contact::perpendicular(*normal).normalize();
    let v = normal.cross(&u);
    // Rises with the angle from 0 to 4, without trigonometry.
    let turn = |p: &Point3<f64>| {
        let d = p - middle;
        let (x, y) = (d.dot(&u), d.dot(&v));
        let sum = x.abs() + y.abs();
        let t = if sum > 0.0 { x / sum } else { 1.0 };
        if y >= 0.0 { 1.0 - t } else { 3.0 + t }
    };
    points.sort_by(|p, q| turn(p).total_cmp(&turn(q)));
    points
}
