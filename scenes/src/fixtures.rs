//! Shapes for this crate's tests.

use impinge_geometry::TriMesh;
use nalgebra::Point3;

/// A closed box around the origin.
pub fn box_mesh(half: [f32; 3]) -> TriMesh {
    let vertices = (0..8u32)
        .map(|c| {
            Point3::from(std::array::from_fn::<f32, 3, _>(
                |k| if c >> k & 1 == 0 { -half[k] } else { half[k] },
            ))
        })
        .collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    TriMesh::new(vertices, triangles).unwrap()
}

/// A closed torus around z.
pub fn torus(major: f32, minor: f32, around: u32, across: u32) -> TriMesh {
    let turn = |k: u32, n: u32| f64::from(k) / f64::from(n) * std::f64::consts::TAU;
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let (a, b) = (turn(i, around), turn(j, across));
            let r = f64::from(major) + f64::from(minor) * b.cos();
            let p = [r * a.cos(), r * a.sin(), f64::from(minor) * b.sin()];
            vertices.push(Point3::from(p.map(|x| x as f32)));
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            let (p, q, r, s) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            triangles.extend([[p, q, r], [p, r, s]]);
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// A closed sphere around the origin.
pub fn sphere_mesh(radius: f32, around: u32, across: u32) -> TriMesh {
    let mut vertices = vec![Point3::new(0.0, 0.0, -radius)];
    for j in 1..across {
        let b = f64::from(j) / f64::from(across) * std::f64::consts::PI;
        for i in 0..around {
            let a = f64::from(i) / f64::from(around) * std::f64::consts::TAU;
            let p = [b.sin() * a.cos(), b.sin() * a.sin(), -b.cos()];
            vertices.push(Point3::from(p.map(|x| (x * f64::from(radius)) as f32)));
        }
    }
    vertices.push(Point3::new(0.0, 0.0, radius));
    let top = vertices.len() as u32 - 1;
    let at = |i: u32, j: u32| 1 + (j - 1) * around + i % around;
    let mut triangles = Vec::new();
    for i in 0..around {
        triangles.push([0, at(i + 1, 1), at(i, 1)]);
        triangles.push([top, at(i, across - 1), at(i + 1, across - 1)]);
        for j in 1..across - 1 {
            let (p, q, r, s) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            triangles.extend([[p, q, r], [p, r, s]]);
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}
