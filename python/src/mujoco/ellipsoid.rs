//! Ellipsoids as meshes.

use impinge::nalgebra::{Point3, Vector3};
use impinge::{PreparedShape, Shape, TriMesh};

use crate::threads::prepared;

/// How often the icosahedron's faces are cut in four: 1,280 triangles.
const CUTS: usize = 3;

/// An ellipsoid with these half axes (m), as a mesh of the same volume.
pub fn ellipsoid(half: [f64; 3]) -> Option<PreparedShape> {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let mut points: Vec<Vector3<f64>> = Vec::new();
    for s in [-1.0, 1.0] {
        for t in [-golden, golden] {
            points.extend([Vector3::new(0.0, s, t), Vector3::new(s, t, 0.0), Vector3::new(t, 0.0, s)]);
        }
    }
    points.iter_mut().for_each(|p| *p = p.normalize());
    let mut faces = hull_faces(&points);
    for _ in 0..CUTS {
        faces = faces
            .iter()
            .flat_map(|&[a, b, c]| {
                let mut middle = |p: usize, q: usize| {
                    let at = (points[p] + points[q]).normalize();
                    // Both faces of an edge find the same middle, to the last bit.
                    points.iter().position(|x| (x - at).norm() < 1e-9).unwrap_or_else(|| {
                        points.push(at);
                        points.len() - 1
                    })
                };
                let (p, q, r) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, p, r], [b, q, p], [c, r, q], [p, q, r]]
            })
            .collect();
    }
    let volume: f64 = faces.iter().map(|f| points[f[0]].dot(&points[f[1]].cross(&points[f[2]])) / 6.0).sum();
    let grown = (4.0 / 3.0 * std::f64::consts::PI / volume).cbrt();
    let vertices =
        points.iter().map(|p| Point3::from(std::array::from_fn(|k| (grown * half[k] * p[k]) as f32)));
    let triangles = faces.iter().map(|f| f.map(|v| v as u32)).collect();
    let mesh = TriMesh::new(vertices.collect(), triangles).ok().filter(TriMesh::is_closed)?;
    prepared(&Shape::from(mesh)).ok()
}

/// The faces of the icosahedron on its twelve corners: triples as near to each other as corners are.
fn hull_faces(points: &[Vector3<f64>]) -> Vec<[usize; 3]> {
    let near = |p: usize, q: usize| (points[p] - points[q]).norm() < 1.2;
    let mut faces = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let outward = points[a].dot(&points[b].cross(&points[c])) > 0.0;
                    faces.push(if outward { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    faces
}
