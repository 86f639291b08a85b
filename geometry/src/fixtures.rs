//! Meshes and random data that this crate's tests share.

use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use crate::mesh::Arrays;
use crate::{Primitive, TriMesh};

pub fn point([x, y, z]: [f64; 3]) -> Point3<f32> {
    Point3::new(x as f32, y as f32, z as f32)
}

/// A box with its least and greatest corner there.
pub fn box_arrays(min: [f32; 3], max: [f32; 3]) -> Arrays {
    let unit = Primitive::Cuboid { half: [1.0; 3] }.surface().unwrap();
    let corner = |p: &Point3<f32>| {
        Point3::from(std::array::from_fn::<f32, 3, _>(|i| if p[i] < 0.0 { min[i] } else { max[i] }))
    };
    (unit.vertices().iter().map(corner).collect(), unit.triangles().to_vec())
}

/// Two meshes as one, without welding.
pub fn joined((mut vertices, mut triangles): Arrays, (more, others): Arrays) -> Arrays {
    let base = vertices.len() as u32;
    vertices.extend(more);
    triangles.extend(others.into_iter().map(|t| t.map(|v| v + base)));
    (vertices, triangles)
}

/// The same surface pointing the other way.
pub fn turned((vertices, triangles): Arrays) -> Arrays {
    (vertices, triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect())
}

/// A torus around z with `n` × `m` quads, radii of the ring and of the tube.
pub fn torus(ring: f64, tube: f64, n: u32, m: u32) -> TriMesh {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..n {
        let (su, cu) = libm::sincos(std::f64::consts::TAU * f64::from(i) / f64::from(n));
        for j in 0..m {
            let (sv, cv) = libm::sincos(std::f64::consts::TAU * f64::from(j) / f64::from(m));
            let r = ring + tube * cv;
            vertices.push(point([r * cu, r * su, tube * sv]));
            let at = |i: u32, j: u32| (i % n) * m + j % m;
            let quad = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.push([quad[0], quad[1], quad[2]]);
            triangles.push([quad[0], quad[2], quad[3]]);
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// A ball of radius 1 from a subdivided octahedron, outward.
pub fn ball(subdivisions: u32) -> TriMesh {
    let mut vertices: Vec<Point3<f64>> = [0, 1, 2]
        .into_iter()
        .flat_map(|axis| [1.0, -1.0].map(|s| Point3::from(Vector3::ith(axis, s))))
        .collect();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for corner in 0..8u32 {
        let [sx, sy, sz] = [0, 1, 2].map(|i| corner >> i & 1);
        let [x, y, z] = [sx, 2 + sy, 4 + sz];
        triangles.push(if (sx + sy + sz) % 2 == 0 { [x, y, z] } else { [x, z, y] });
    }
    for _ in 0..subdivisions {
        let mut middles = std::collections::BTreeMap::new();
        let mut finer = Vec::new();
        for t in triangles {
            let m: [u32; 3] = std::array::from_fn(|k| {
                let (p, q) = (t[k], t[(k + 1) % 3]);
                *middles.entry((p.min(q), p.max(q))).or_insert_with(|| {
                    let sum = vertices[p as usize].coords + vertices[q as usize].coords;
                    vertices.push(Point3::from(sum.normalize()));
                    vertices.len() as u32 - 1
                })
            });
            finer.extend([[t[0], m[0], m[2]], [t[1], m[1], m[0]], [t[2], m[2], m[1]], m]);
        }
        triangles = finer;
    }
    TriMesh::new(vertices.iter().map(|p| point(p.coords.into())).collect(), triangles).unwrap()
}

/// An open sheet of `n` × `n` quads over the unit square, facing +z, at height `height(x, y)`.
pub fn sheet(n: u32, height: impl Fn(f64, f64) -> f64) -> Arrays {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let (x, y) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
            vertices.push(point([x, y, height(x, y)]));
            if i < n && j < n {
                let at = |i: u32, j: u32| j * (n + 1) + i;
                triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    (vertices, triangles)
}

/// Poses with any rotation and translations up to `far` (m).
pub fn pose(far: f64) -> impl Strategy<Value = Isometry3<f64>> {
    let turn = prop::array::uniform4(-1.0f64..1.0);
    (prop::array::uniform3(-far..far), turn).prop_map(|(t, [x, y, z, w])| {
        let q = Quaternion::new(if x * x + y * y + z * z + w * w < 1e-3 { 1.0 } else { w }, x, y, z);
        Isometry3::from_parts(Translation3::new(t[0], t[1], t[2]), UnitQuaternion::new_normalize(q))
    })
}

/// Sizes spread evenly over the logarithm, from 1e-6 to 1e6.
pub fn scale() -> impl Strategy<Value = f64> {
    (-6.0f64..6.0).prop_map(|e| libm::pow(10.0, e))
}
