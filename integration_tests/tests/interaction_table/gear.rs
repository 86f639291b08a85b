//! A gear whose bore has a slot for a key: cut out, and made by hand.

use impinge::geometry::{Cutout, Primitive};
use impinge::prelude::*;
use impinge_scenes::mesh::Gear;

/// How far the slot of [`slotted_gear`] reaches from the axis, and half its width (m).
pub const SLOT: [f64; 2] = [0.5, 0.12];

fn whole_gear() -> TriMesh {
    Gear::default().mesh().unwrap().scaled(2.5).unwrap()
}

/// A gear whose bore has a slot for a key along x, cut out.
pub fn slotted_gear() -> Shape {
    let [reach, half] = SLOT.map(|x| x as f32);
    let key = Cutout::new(Primitive::Cuboid { half: [0.5 * reach, half, 1.0] }).unwrap();
    let key = key.open(2, false).unwrap().open(2, true).unwrap();
    let at = Isometry3::translation(0.5 * SLOT[0], 0.0, 0.0);
    Shape::from(whole_gear()).cut(&[(at, key)]).unwrap()
}

pub fn slotted_gear_by_hand() -> TriMesh {
    let gear = whole_gear();
    let top = f64::from(gear.aabb().max[2]);
    let mut corners: Vec<[f64; 3]> = gear
        .vertices()
        .iter()
        .filter(|p| p.z > 0.0)
        .map(|p| p.cast::<f64>())
        .map(|p| [p.y.atan2(p.x), p.x, p.y])
        .collect();
    corners.sort_by(|p, q| p[0].total_cmp(&q[0]));
    let of = |is: &dyn Fn(f64) -> bool| -> Vec<[f64; 2]> {
        corners.iter().filter(|c| is(c[1].hypot(c[2]))).map(|c| [c[1], c[2]]).collect()
    };
    let [bore, teeth] = [of(&|r| r < 0.4), of(&|r| r > 0.4)];
    let reach_of = |outline: &[[f64; 2]], angle: f64| {
        let [c, s] = [angle.cos(), angle.sin()];
        let n = outline.len();
        (0..n).fold(0.0f64, |most, k| {
            let ([x, y], [z, w]) = (outline[k], outline[(k + 1) % n]);
            // r·(c, s) = p + t·(q − p).
            let [dx, dy] = [z - x, w - y];
            let det = c * dy - s * dx;
            let [t, r] = [(c * y - s * x) / -det, (x * dy - y * dx) / det];
            let on = (-1e-9..=1.0 + 1e-9).contains(&t) && r > 0.0;
            if on { most.max(r) } else { most }
        })
    };
    let [reach, half] = SLOT;
    let slot = |angle: f64| {
        let [c, s] = [angle.cos(), angle.sin()];
        if c <= 0.0 { 0.0 } else { (reach / c).min(if s == 0.0 { f64::INFINITY } else { half / s.abs() }) }
    };
    let mut angles: Vec<f64> = corners.iter().map(|c| c[0]).collect();
    let rim = half.atan2(reach);
    // Where the slot's sides leave the bore, whose corners do not lie alike on both.
    for side in [1.0, -1.0] {
        let mut leaves = [rim, 0.5];
        for _ in 0..80 {
            let middle = 0.5 * (leaves[0] + leaves[1]);
            leaves[usize::from(slot(middle) < reach_of(&bore, side * middle))] = middle;
        }
        angles.extend([side * rim, side * leaves[1]]);
    }
    angles.sort_by(f64::total_cmp);
    angles.dedup_by(|p, q| (*p - *q).abs() < 1e-6);
    let inner = |angle: f64| reach_of(&bore, angle).max(slot(angle));
    let n = angles.len() as u32;
    let mut vertices = Vec::new();
    for &angle in &angles {
        for radius in [reach_of(&teeth, angle), inner(angle)] {
            for z in [-top, top] {
                vertices.push(Point3::new(radius * angle.cos(), radius * angle.sin(), z).cast::<f32>());
            }
        }
    }
    let mut triangles = Vec::new();
    for k in 0..n {
        let [here, next] = [4 * k, 4 * ((k + 1) % n)];
        let mut quad = |a: u32, b: u32, c: u32, d: u32| triangles.extend([[a, b, c], [a, c, d]]);
        quad(here, next, next + 1, here + 1);
        quad(next + 2, here + 2, here + 3, next + 3);
        quad(here + 1, next + 1, next + 3, here + 3);
        quad(next, here, here + 2, next + 2);
    }
    TriMesh::new(vertices, triangles).unwrap()
}
