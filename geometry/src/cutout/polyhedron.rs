//! Convex polyhedra with polygons for faces: what cuts, and round primitives as meshes.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use nalgebra::{Isometry3, Point3, Vector3};

/// A plane; what is behind it, where heights are negative, is inside.
#[derive(Clone, Copy, Debug)]
pub(super) struct FacePlane {
    /// Outward, unit.
    pub normal: Vector3<f64>,
    at: Point3<f64>,
}

impl FacePlane {
    /// Height over the plane (m).
    pub fn height(&self, p: &Point3<f64>) -> f64 {
        self.normal.dot(&(p - self.at))
    }
}

/// An edge of two faces.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceEdge {
    /// The faces, the lower first.
    pub planes: [u32; 2],
    /// The vertices in the direction in which the lower face runs along it.
    pub vertices: [u32; 2],
}

/// A convex polyhedron.
#[derive(Clone, Debug)]
pub(super) struct Polyhedron {
    pub vertices: Vec<Point3<f64>>,
    /// Counter-clockwise seen from outside.
    pub faces: Vec<Vec<u32>>,
    /// Of each face.
    pub planes: Vec<FacePlane>,
    pub edges: Vec<FaceEdge>,
}

impl Polyhedron {
    fn new(vertices: Vec<Point3<f64>>, faces: Vec<Vec<u32>>) -> Polyhedron {
        let mut known: BTreeMap<[u32; 2], (u32, [u32; 2])> = BTreeMap::new();
        let mut edges = Vec::new();
        for (face, corners) in (0u32..).zip(&faces) {
            for (k, &v) in corners.iter().enumerate() {
                let w = corners[(k + 1) % corners.len()];
                let key = [v.min(w), v.max(w)];
                match known.get(&key) {
                    Some(&(lower, vertices)) => edges.push(FaceEdge { planes: [lower, face], vertices }),
                    None => drop(known.insert(key, (face, [v, w]))),
                }
            }
        }
        let planes = faces.iter().map(|corners| plane(&vertices, corners)).collect();
        Polyhedron { vertices, faces, planes, edges }
    }

    /// A box between two corners (m).
    pub fn cuboid(low: [f64; 3], high: [f64; 3]) -> Polyhedron {
        let corner = |k: usize| {
            Point3::from(std::array::from_fn(|axis| if k >> axis & 1 == 1 { high[axis] } else { low[axis] }))
        };
        let faces: [[u32; 4]; 6] =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        Polyhedron::new((0..8).map(corner).collect(), faces.map(Vec::from).to_vec())
    }

    /// Discs along z, each of a height and radius (m), as rings of `around` corners; a radius of 0 is a single point.
    fn of_rings(rings: &[[f64; 2]], around: u32) -> Polyhedron {
        let (mut vertices, mut faces) = (Vec::new(), Vec::new());
        let mut last: Option<Vec<u32>> = None;
        for &[height, radius] in rings {
            let first = vertices.len() as u32;
            let corners: Vec<u32> = if radius > 0.0 {
                vertices.extend((0..around).map(|k| {
                    let (sin, cos) = libm::sincos(TAU * (f64::from(k) + 0.5) / f64::from(around));
                    Point3::new(radius * cos, radius * sin, height)
                }));
                (first..first + around).collect()
            } else {
                vertices.push(Point3::new(0.0, 0.0, height));
                vec![first; around as usize]
            };
            match &last {
                None if radius > 0.0 => faces.push(corners.iter().rev().copied().collect()),
                None => {}
                Some(below) => faces.extend((0..around as usize).map(|k| {
                    let next = (k + 1) % around as usize;
                    let mut face = vec![below[k], below[next], corners[next], corners[k]];
                    face.dedup();
                    face
                })),
            }
            last = Some(corners);
        }
        if let Some(corners) = last.filter(|corners| corners[0] != corners[1]) {
            faces.push(corners);
        }
        Polyhedron::new(vertices, faces)
    }

    /// A cylinder along z between two heights (m); corners stand on it.
    pub fn cylinder(heights: [f64; 2], radius: f64, around: u32) -> Polyhedron {
        Polyhedron::of_rings(&heights.map(|height| [height, radius]), around)
    }

    /// A ball, or what one sweeps along z (m); corners stand on it.
    pub fn capsule(half_height: f64, radius: f64, around: u32) -> Polyhedron {
        let quarter = (around / 4).max(1);
        let mut rings = Vec::new();
        for (half, sign) in [(0, -1.0), (1, 1.0)] {
            for k in 0..=quarter {
                let turn = if half == 0 { quarter - k } else { k };
                let (sin, cos) = libm::sincos(0.5 * PI * f64::from(turn) / f64::from(quarter));
                let pole = turn == quarter;
                rings.push([sign * (half_height + radius * sin), if pole { 0.0 } else { radius * cos }]);
            }
        }
        if half_height == 0.0 {
            // Both halves have the equator.
            rings.remove(quarter as usize);
        }
        Polyhedron::of_rings(&rings, around)
    }

    /// The distance of the nearest face from the origin (m).
    pub fn inner_radius(&self) -> f64 {
        self.planes.iter().map(|plane| -plane.height(&Point3::origin())).fold(f64::INFINITY, f64::min)
    }

    /// The same elsewhere.
    pub fn at(&self, pose: &Isometry3<f64>) -> Polyhedron {
        let vertices: Vec<Point3<f64>> = self.vertices.iter().map(|p| pose * p).collect();
        let planes = self.faces.iter().map(|corners| plane(&vertices, corners)).collect();
        Polyhedron { vertices, planes, faces: self.faces.clone(), edges: self.edges.clone() }
    }

    /// Its faces as triangles.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let fan = |face: &Vec<u32>| {
            (1..face.len() - 1).map(|k| [face[0], face[k], face[k + 1]]).collect::<Vec<_>>()
        };
        self.faces.iter().flat_map(fan).collect()
    }
}

/// The plane through a face, by Newell's normal.
fn plane(vertices: &[Point3<f64>], corners: &[u32]) -> FacePlane {
    let first = vertices[corners[0] as usize];
    let (mut normal, mut sum) = (Vector3::zeros(), Vector3::zeros());
    for (k, &v) in corners.iter().enumerate() {
        let [p, q] = [v, corners[(k + 1) % corners.len()]].map(|v| vertices[v as usize] - first);
        normal += p.cross(&q);
        sum += p;
    }
    FacePlane { normal: normal.normalize(), at: first + sum / corners.len() as f64 }
}
