//! Small closed meshes with known shapes, for tests that state their geometry in words.

use std::sync::Arc;

use impinge_geometry::{Primitive, Shape, TriMesh};
use nalgebra::Point3;

/// A box with half extents `half` (m), as a mesh of twelve triangles.
pub fn block(half: [f32; 3]) -> TriMesh {
    Primitive::Cuboid { half }.surface().expect("a cuboid has a surface")
}

/// A mesh's shape.
pub fn shape(mesh: TriMesh) -> Shape {
    Shape::Mesh(Arc::new(mesh))
}

/// A round pin along z: a prism over a regular polygon with corners at `radius` (m).
pub fn pin(radius: f32, half_height: f32, sides: u32) -> TriMesh {
    let mut vertices = vec![Point3::new(0.0, 0.0, -half_height), Point3::new(0.0, 0.0, half_height)];
    for k in 0..sides {
        let [x, y] = on_circle(radius, k, sides);
        vertices.push(Point3::new(x, y, -half_height));
        vertices.push(Point3::new(x, y, half_height));
    }
    let (low, high) = (|k: u32| 2 + 2 * (k % sides), |k: u32| 3 + 2 * (k % sides));
    let mut triangles = Vec::new();
    for k in 0..sides {
        triangles.push([0, low(k + 1), low(k)]);
        triangles.push([1, high(k), high(k + 1)]);
        triangles.push([low(k), low(k + 1), high(k + 1)]);
        triangles.push([low(k), high(k + 1), high(k)]);
    }
    TriMesh::new(vertices, triangles).expect("a pin is a mesh")
}

/// A ring around z with a hole: radii to the polygons' corners (m).
pub fn ring(inner: f32, outer: f32, half_height: f32, sides: u32) -> TriMesh {
    let mut vertices = Vec::new();
    for k in 0..sides {
        for (radius, z) in
            [(inner, -half_height), (outer, -half_height), (outer, half_height), (inner, half_height)]
        {
            let [x, y] = on_circle(radius, k, sides);
            vertices.push(Point3::new(x, y, z));
        }
    }
    let at = |k: u32, corner: u32| 4 * (k % sides) + corner % 4;
    let mut triangles = Vec::new();
    for k in 0..sides {
        for corner in 0..4 {
            let quad = [at(k, corner), at(k + 1, corner), at(k + 1, corner + 1), at(k, corner + 1)];
            triangles.push([quad[0], quad[1], quad[2]]);
            triangles.push([quad[0], quad[2], quad[3]]);
        }
    }
    TriMesh::new(vertices, triangles).expect("a ring is a mesh")
}

/// A box with a box-shaped cavity inside: two shells, the inner one looking inward.
pub fn hollow_block(half: [f32; 3], cavity: [f32; 3]) -> TriMesh {
    let (outside, inside) = (block(half), block(cavity));
    let mut vertices = outside.vertices().to_vec();
    let first = vertices.len() as u32;
    vertices.extend_from_slice(inside.vertices());
    let mut triangles = outside.triangles().to_vec();
    triangles.extend(inside.triangles().iter().map(|&[a, b, c]| [a + first, c + first, b + first]));
    TriMesh::new(vertices, triangles).expect("a hollow block is a mesh")
}

/// A block with a slot along y that is open at the top: a U, its slot from `-half_width` to `half_width`
/// in x with its floor at z = 0 and its rim at `height`, walls and floor 0.5 thick (m).
pub fn slot(half_width: f32, height: f32, half_length: f32) -> TriMesh {
    let x = [-half_width - 0.5, -half_width, half_width, half_width + 0.5];
    let z = [-0.5, 0.0, height];
    let solid = |i: i32, j: i32| (0..3).contains(&i) && (0..2).contains(&j) && (i, j) != (1, 1);
    let at = |i: i32, j: i32, back: u32| (i as u32 + 4 * j as u32) * 2 + back;
    let mut vertices = Vec::new();
    for &z in &z {
        for &x in &x {
            vertices.extend([-half_length, half_length].map(|y| Point3::new(x, y, z)));
        }
    }
    let mut triangles = Vec::new();
    let mut quad = |[a, b, c, d]: [u32; 4]| triangles.extend([[a, b, c], [a, c, d]]);
    for (i, j) in (0..3).flat_map(|i| (0..2).map(move |j| (i, j))).filter(|&(i, j)| solid(i, j)) {
        let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
        quad(corners.map(|(i, j)| at(i, j, 0)));
        quad([3, 2, 1, 0].map(|k: usize| at(corners[k].0, corners[k].1, 1)));
        let beside = [(i, j - 1), (i + 1, j), (i, j + 1), (i - 1, j)];
        for k in (0..4).filter(|&k: &usize| !solid(beside[k].0, beside[k].1)) {
            let (p, q) = (corners[k], corners[(k + 1) % 4]);
            quad([at(p.0, p.1, 0), at(p.0, p.1, 1), at(q.0, q.1, 1), at(q.0, q.1, 0)]);
        }
    }
    TriMesh::new(vertices, triangles).expect("a slot is a mesh")
}

/// The same mesh with every coordinate multiplied by `factor`.
pub fn scaled(mesh: &TriMesh, factor: f32) -> TriMesh {
    let vertices = mesh.vertices().iter().map(|p| p * factor).collect();
    TriMesh::new(vertices, mesh.triangles().to_vec()).expect("a scaled mesh is a mesh")
}

fn on_circle(radius: f32, k: u32, sides: u32) -> [f32; 2] {
    let angle = std::f64::consts::TAU * f64::from(k) / f64::from(sides);
    [(f64::from(radius) * angle.cos()) as f32, (f64::from(radius) * angle.sin()) as f32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_solid_is_closed_and_looks_outward() {
        for mesh in [
            block([1.0, 2.0, 3.0]),
            pin(0.5, 1.0, 24),
            ring(0.5, 1.0, 0.25, 24),
            hollow_block([1.0; 3], [0.5; 3]),
            slot(0.5, 1.0, 1.0),
        ] {
            assert!(mesh.is_closed());
            assert!(mesh.report().defects.is_empty(), "{:?}", mesh.report());
        }
    }
}
