//! Tests of closed forms: by hand, and against least translations found by brute force.

mod by_hand;
mod hard;
mod parry;
mod random;
mod solid;

use impinge_geometry::{PairFrame, Primitive, Shape};
use impinge_midphase::{Part, PreparedShape, Solid};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use crate::{ConvexContact, ConvexRegion, convex_contact};

/// Two placed shapes.
#[derive(Debug)]
pub(super) struct Scene {
    parts: [PreparedShape; 2],
    pub poses: [Isometry3<f64>; 2],
}

impl Scene {
    pub fn new(shapes: [&Shape; 2], poses: [Isometry3<f64>; 2]) -> Scene {
        Scene { parts: shapes.map(PreparedShape::new), poses }
    }

    pub fn part(&self, k: usize) -> &Part {
        &self.parts[k].parts()[0]
    }

    pub fn frame(&self) -> PairFrame {
        PairFrame::new(&self.poses[0], &self.poses[1])
    }

    /// The same scene with B moved.
    pub fn moved(&self, by: Vector3<f64>) -> Scene {
        let mut poses = self.poses;
        poses[1].translation.vector += by;
        Scene { parts: self.parts.clone(), poses }
    }

    pub fn swapped(&self) -> Scene {
        let [a, b] = self.parts.clone();
        Scene { parts: [b, a], poses: [self.poses[1], self.poses[0]] }
    }

    pub fn run(&self, margin: f64) -> ConvexContact {
        let out = convex_contact([self.part(0), self.part(1)], &self.frame(), margin);
        check(&out, margin, self.size());
        out
    }

    /// The greatest extent of a bounded part (m).
    fn size(&self) -> f64 {
        let extents = [0, 1].map(|k| self.part(k).aabb.extents());
        f64::from(extents.into_iter().flatten().filter(|x| x.is_finite()).fold(0.0, f32::max))
    }

    /// How far B has to move along `n` until a plane parts the two (m), from formulas of its own.
    pub fn depth_along(&self, n: &Vector3<f64>) -> f64 {
        let between = self.poses[1].translation.vector - self.poses[0].translation.vector;
        let local = |k: usize, n: Vector3<f64>| self.poses[k].rotation.inverse() * n;
        reach(self.part(0), &local(0, *n)) + reach(self.part(1), &local(1, -n)) - n.dot(&between)
    }

    /// How far a point of the pair's frame stands out of a solid (m), by the planes of a fine net of directions; zero or
    /// less inside.
    pub fn outside(&self, k: usize, point: &Point3<f64>) -> f64 {
        let frame = self.frame();
        let local = frame.rotation[k].tr_mul(&(point.coords - frame.offset[k]));
        sphere_net(1000).map(|n| local.dot(&n) - reach(self.part(k), &n)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The least of these over the sphere: a fine net, then refined around the best few.
    pub fn least_translation(&self) -> f64 {
        let mut net: Vec<(f64, Vector3<f64>)> = sphere_net(3000).map(|n| (self.depth_along(&n), n)).collect();
        net.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut best = net[0].0;
        for (mut depth, mut n) in net.into_iter().take(6) {
            let mut step = 0.05;
            while step > 1e-6 {
                let (u, v) = (crate::contact::perpendicular(n).normalize(), n);
                let w = v.cross(&u);
                let moved = (0..8).map(|k| {
                    let a = f64::from(k) * std::f64::consts::FRAC_PI_4;
                    (n + (u * a.cos() + w * a.sin()) * step).normalize()
                });
                match moved.map(|m| (self.depth_along(&m), m)).min_by(|a, b| a.0.total_cmp(&b.0)) {
                    Some((d, m)) if d < depth => (depth, n) = (d, m),
                    _ => step *= 0.6,
                }
            }
            best = best.min(depth);
        }
        best
    }
}

/// Directions spread evenly over the sphere.
fn sphere_net(count: u32) -> impl Iterator<Item = Vector3<f64>> {
    (0..count).map(move |i| {
        let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(count);
        let angle = f64::from(i) * 2.399963229728653;
        let r = (1.0 - z * z).sqrt();
        Vector3::new(r * angle.cos(), r * angle.sin(), z)
    })
}

/// How far a part reaches along `n` (unit) in its own frame.
fn reach(part: &Part, n: &Vector3<f64>) -> f64 {
    let f = f64::from;
    match part.solid {
        Solid::Primitive(Primitive::HalfSpace) => {
            if (n - Vector3::z()).norm() < 1e-12 {
                0.0
            } else {
                f64::INFINITY
            }
        }
        Solid::Primitive(Primitive::Sphere { radius }) => f(radius),
        Solid::Primitive(Primitive::Cuboid { half }) => (0..3).map(|k| f(half[k]) * n[k].abs()).sum(),
        Solid::Primitive(Primitive::Capsule { half_height, radius }) => {
            f(half_height) * n.z.abs() + f(radius)
        }
        Solid::Primitive(Primitive::Cylinder { half_height, radius }) => {
            f(half_height) * n.z.abs() + f(radius) * (n.x * n.x + n.y * n.y).sqrt()
        }
        _ => {
            let mesh = part.surface.as_ref().unwrap().mesh().unwrap();
            mesh.vertices().iter().map(|v| v.coords.cast::<f64>().dot(n)).fold(f64::NEG_INFINITY, f64::max)
        }
    }
}

/// What every answer must fulfil.
fn check(out: &ConvexContact, margin: f64, size: f64) {
    assert!(!out.touching || out.region.is_some(), "touching without a patch");
    if let Some(p) = &out.region {
        assert!((p.normal.norm() - 1.0).abs() < 1e-12, "{p:?}");
        assert!(p.depth.is_finite() && p.radius.is_finite() && p.volume >= 0.0, "{p:?}");
        assert!(out.touching == (p.depth >= 0.0) || (p.depth == 0.0), "{out:?}");
        assert!(p.depth >= -margin);
        assert!(!p.points.is_empty());
        let sum: f64 = p.points.iter().map(|q| q.weight).sum();
        assert!((sum - p.gradient.norm()).abs() <= 1e-9 * sum && sum > 0.0, "{p:?}");
        assert!(p.gradient.dot(&p.normal) > 0.0);
        let deepest = p.points.iter().map(|q| q.depth).fold(f64::NEG_INFINITY, f64::max);
        assert!((deepest - p.depth).abs() <= 2e-6 * size, "deepest point {deepest}, patch {}", p.depth);
        for q in &p.points {
            assert!(
                ((q.on_a - q.on_b).dot(&p.normal) - q.depth).abs() <= 1e-9 * (size + q.on_a.coords.norm())
            );
        }
        let mut keys: Vec<u64> = p.points.iter().map(|q| q.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), p.points.len(), "keys repeat: {p:?}");
    }
}

pub(super) fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::identity())
}

pub(super) fn turned(pose: Isometry3<f64>, axis: Vector3<f64>, angle: f64) -> Isometry3<f64> {
    pose * UnitQuaternion::from_scaled_axis(axis.normalize() * angle)
}

impl ConvexContact {
    /// The region there has to be.
    pub(super) fn one(&self) -> &ConvexRegion {
        self.region.as_ref().expect("there is a region of contact")
    }
}
