//! Bodies of the families, about one unit in size.

use std::f64::consts::TAU;

use impinge_scenes::mesh::{Gear, Knot, Torus};
use impinge_scenes::random::Random;
use nalgebra::{Point3, Vector3};

use super::solid::Solid;

/// Returns a box around the origin with edges of these lengths.
pub fn block(size: [f64; 3]) -> Solid {
    let [x, y, z] = size.map(|length| 0.5 * length);
    prism(&[[-x, -y], [x, -y], [x, y], [-x, y]], [-z, z])
}

/// Returns a prism along z over a convex outline, counter-clockwise.
pub fn prism(outline: &[[f64; 2]], [low, high]: [f64; 2]) -> Solid {
    let n = outline.len() as u32;
    let mut solid = Solid::default();
    for z in [low, high] {
        solid.vertices.extend(outline.iter().map(|&[x, y]| Point3::new(x, y, z)));
    }
    for k in 0..n {
        let next = (k + 1) % n;
        solid.quad([k, next, n + next, n + k]);
    }
    for k in 1..n - 1 {
        solid.triangles.extend([[0, k + 1, k], [n, n + k, n + k + 1]]);
    }
    solid
}

/// Returns a regular outline of `sides` corners at `radius`, the first at `angle`.
pub fn outline(sides: u32, radius: f64, angle: f64) -> Vec<[f64; 2]> {
    let corner = |k: u32| {
        let (sin, cos) = (angle + TAU * f64::from(k) / f64::from(sides)).sin_cos();
        [radius * cos, radius * sin]
    };
    (0..sides).map(corner).collect()
}

/// Returns a cone along z with its base at z = 0 and its apex at `height`.
pub fn cone(sides: u32, radius: f64, height: f64) -> Solid {
    let mut solid = Solid::default();
    solid.vertices.extend(outline(sides, radius, 0.0).iter().map(|&[x, y]| Point3::new(x, y, 0.0)));
    solid.vertices.push(Point3::new(0.0, 0.0, height));
    for k in 0..sides {
        solid.triangles.push([k, (k + 1) % sides, sides]);
    }
    for k in 1..sides - 1 {
        solid.triangles.push([0, k + 1, k]);
    }
    solid
}

/// Returns a flat ring around z, its lower face at z = 0.
pub fn annulus(around: u32, [inner, outer]: [f64; 2], height: f64) -> Solid {
    let mut solid = Solid::default();
    for (radius, z) in [(outer, 0.0), (outer, height), (inner, height), (inner, 0.0)] {
        let rim = outline(around, radius, 0.0).into_iter();
        solid.vertices.extend(rim.map(|[x, y]| Point3::new(x, y, z)));
    }
    for row in 0..4 {
        let [low, high] = [row, (row + 1) % 4].map(|row| row * around);
        for k in 0..around {
            let right = (k + 1) % around;
            solid.quad([low + k, low + right, high + right, high + k]);
        }
    }
    solid
}

/// Returns an icosphere of a radius, its triangles cut into four `times` times.
pub fn ball(radius: f64, times: u32) -> Solid {
    let g = 0.5 * (1.0 + 5f64.sqrt());
    let mut vertices = Vec::new();
    for (a, b) in [(1.0, g), (-1.0, g), (1.0, -g), (-1.0, -g)] {
        vertices.extend([[a, b, 0.0], [0.0, a, b], [b, 0.0, a]].map(Point3::from));
    }
    let edge = |p: usize, q: usize| ((vertices[p] - vertices[q]) as Vector3<f64>).norm() < 2.1;
    let mut triangles = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if edge(a, b) && edge(b, c) && edge(a, c) {
                    let [p, q, r] = [a, b, c].map(|k: usize| vertices[k].coords);
                    let outward = (q - p).cross(&(r - p)).dot(&p) > 0.0;
                    let t = if outward { [a, b, c] } else { [a, c, b] };
                    triangles.push(t.map(|k| k as u32));
                }
            }
        }
    }
    let mut solid = Solid { vertices, triangles };
    for _ in 0..times {
        solid = solid.refined();
        solid.vertices.iter_mut().for_each(|p| *p = Point3::from(p.coords.normalize()));
    }
    solid.vertices.iter_mut().for_each(|p| *p = Point3::from(p.coords.normalize() * radius));
    solid
}

/// Returns a cube, a torus, a ball, a gear or a knot of about one unit, coarse or fine.
pub fn any(random: &mut Random) -> anyhow::Result<Solid> {
    let fine = random.index(2) as u32;
    let solid = match random.index(5) {
        0 => block([1.0, 1.0, 1.0]),
        1 => {
            let minor = 0.1 + 0.12 * random.unit();
            let torus = Torus { major: 0.5 - minor, minor, around: 16 << fine, across: 8 << fine };
            Solid::of(&torus.mesh()?, 1.0)
        }
        2 => ball(0.5, 1 + fine),
        3 => {
            let teeth = 8 + random.index(12) as u32;
            Solid::of(&Gear { teeth, ..Gear::default() }.mesh()?, 1.25)
        }
        _ => {
            let steps = Knot { along: 60 << fine, across: 8 << fine, ..Knot::default() };
            Solid::of(&steps.mesh()?, 1.05)
        }
    };
    Ok(solid.refined_by_chance(random, 6_000))
}
