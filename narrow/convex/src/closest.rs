//! How near a primitive and a triangle are.

use impinge_geometry::Primitive;
use nalgebra::{Point3, Vector3};

use crate::gjk_epa::distance;
use crate::nearest::{nearest_on_triangle, unit_normal};
use crate::support::Placed;
use crate::triangle::{clip_to_slab, nearest_to_segment};

/// How a primitive and a triangle stand to each other, in the primitive's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Distance (m); negative where they overlap: moving the triangle by `-gap · normal` frees it.
    pub gap: f64,
    /// The point of the triangle that is nearest, or that has gone deepest (m).
    pub on_triangle: Point3<f64>,
    /// Unit vector from the primitive to the triangle.
    pub normal: Vector3<f64>,
}

impl Closest {
    /// The point of the primitive's surface opposite [`Closest::on_triangle`] (m).
    pub fn on_primitive(&self) -> Point3<f64> {
        self.on_triangle - self.normal * self.gap
    }
}

/// How near a primitive and a triangle (m, in the primitive's frame) are. Apart, the distance is the
/// true one. Overlapping, a sphere's and a half-space's answer is the least translation; of the other
/// primitives it is the least over the directions in which their features can meet: their own
/// axes, the triangle's normal, and the crossings of edges.
pub fn closest_on_triangle(primitive: &Primitive, t: &[Point3<f64>; 3]) -> Closest {
    match *primitive {
        Primitive::HalfSpace => {
            let lowest = t.iter().skip(1).fold(t[0], |low, p| if p.z < low.z { *p } else { low });
            Closest { gap: lowest.z, on_triangle: lowest, normal: Vector3::z() }
        }
        Primitive::Sphere { radius } => {
            let q = nearest_on_triangle(t, &Point3::origin());
            rounded(Point3::origin(), q, f64::from(radius)).unwrap_or_else(|| least(primitive, t))
        }
        Primitive::Capsule { half_height, radius } => {
            let h = f64::from(half_height);
            let (on_axis, q) = nearest_to_segment(t, &[Point3::new(0.0, 0.0, -h), Point3::new(0.0, 0.0, h)]);
            rounded(on_axis, q, f64::from(radius)).unwrap_or_else(|| least(primitive, t))
        }
        Primitive::Cuboid { .. } | Primitive::Cylinder { .. } => {
            match distance(&Placed::at_origin(*primitive), &Placed::triangle(t)) {
                Some(gap) => Closest { gap: gap.distance, on_triangle: gap.on_b, normal: gap.normal },
                None => least(primitive, t),
            }
        }
    }
}

/// The answer of a core's nearest point; `None` where that lies on the triangle.
fn rounded(core: Point3<f64>, q: Point3<f64>, radius: f64) -> Option<Closest> {
    let d = (q - core).norm();
    (d > 1e-13 * (radius + core.coords.norm())).then(|| Closest {
        gap: d - radius,
        on_triangle: q,
        normal: (q - core) / d,
    })
}

/// The direction of a fixed set in which the least movement frees the triangle; the first of equals.
/// The triangle's own normal is offered reversed first: a face's solid lies behind it.
fn least(primitive: &Primitive, t: &[Point3<f64>; 3]) -> Closest {
    let solid = Placed::at_origin(*primitive);
    let edges = [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let mut best: Option<Closest> = None;
    let mut offer = |axis: Vector3<f64>| {
        let Some(unit) = axis.try_normalize(1e-150) else { return };
        for normal in [unit, -unit] {
            let deepest = Placed::triangle(t).core_support(&-normal);
            let gap = deepest.coords.dot(&normal) - solid.reach(&normal);
            if best.is_none_or(|b| gap > b.gap) {
                best = Some(Closest { gap, on_triangle: deepest, normal });
            }
        }
    };
    if let Some(normal) = unit_normal(t) {
        offer(-normal);
    }
    match *primitive {
        Primitive::Cuboid { .. } => {
            let units = [Vector3::x(), Vector3::y(), Vector3::z()];
            units.into_iter().for_each(&mut offer);
            edges.iter().flat_map(|e| units.map(|u| e.cross(&u))).for_each(&mut offer);
        }
        Primitive::Cylinder { half_height, .. } => {
            offer(Vector3::z());
            edges.iter().map(|e| e.cross(&Vector3::z())).for_each(&mut offer);
            let clipped = clip_to_slab(t, f64::from(half_height));
            clipped.iter().map(|p| Vector3::new(p.x, p.y, 0.0)).for_each(&mut offer);
        }
        Primitive::Capsule { .. } => edges.iter().map(|e| e.cross(&Vector3::z())).for_each(&mut offer),
        Primitive::Sphere { .. } | Primitive::HalfSpace => {}
    }
    offer(Vector3::z());
    best.unwrap_or(Closest { gap: 0.0, on_triangle: t[0], normal: Vector3::z() })
}
