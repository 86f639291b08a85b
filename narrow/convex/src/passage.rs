//! The shifts at which a round primitive that moves along a line touches a triangle.
//!
//! A primitive and a triangle come in, the interval of shifts comes out, in closed form. Both are
//! convex, so there is one interval. Its ends lie where a face, an edge or a corner of the triangle
//! touches the primitive's surface, and each such meeting is the root of a polynomial of degree one
//! or two.

use impinge_geometry::Primitive;
use nalgebra::{Point3, Vector3};

use crate::line_interval::primitive_interval;
use crate::nearest::{nearest_on_segment, over_triangle, unit_normal};

/// The smallest sine (squared) of the angle between two lines that are treated as crossing.
const PARALLEL: f64 = 1e-24;

/// The part of the primitive's size by which rounding may put a meeting outside.
const ROUNDING: f64 = 1e-12;

/// Returns the shifts (m) along `direction` (unit) at which a sphere, capsule or cylinder touches a
/// triangle (m), both in the primitive's frame. Returns `None` if they never touch, and for
/// primitives that are not round.
pub fn touching_shifts(
    primitive: &Primitive,
    t: &[Point3<f64>; 3],
    direction: &Vector3<f64>,
) -> Option<[f64; 2]> {
    let mut meetings = Meetings { direction: *direction, range: [f64::INFINITY, f64::NEG_INFINITY] };
    match *primitive {
        Primitive::Sphere { radius } => meetings.add_ball(t, f64::from(radius)),
        Primitive::Capsule { half_height, radius } => {
            meetings.add_capsule(t, f64::from(half_height), f64::from(radius));
        }
        Primitive::Cylinder { half_height, radius } => {
            meetings.add_cylinder(t, f64::from(half_height), f64::from(radius));
        }
        Primitive::HalfSpace | Primitive::Cuboid { .. } => {}
    }
    let [first, last] = meetings.range;
    (first <= last).then_some([first, last])
}

/// The part of a size by which rounding may move the end of an interval, generously.
const MOVED_END: f64 = 1e-8;

/// Returns a shift (m) that no interval of [`touching_shifts`] exceeds. `reach` is how far the
/// primitive reaches along the direction (m), as [`Placed::reach`](crate::Placed::reach) says.
pub fn latest_shift(reach: f64, t: &[Point3<f64>; 3], direction: &Vector3<f64>) -> f64 {
    // The primitive is free of a triangle once it is beyond the farthest corner.
    let along = t.map(|p| direction.dot(&p.coords));
    let farthest = along[0].max(along[1]).max(along[2]);
    farthest + reach + MOVED_END * (farthest.abs() + reach)
}

/// The meetings that were found.
struct Meetings {
    direction: Vector3<f64>,
    /// The first and the last of them (m).
    range: [f64; 2],
}

impl Meetings {
    fn add(&mut self, shift: f64) {
        if shift.is_finite() {
            self.range = [self.range[0].min(shift), self.range[1].max(shift)];
        }
    }

    fn at(&self, shift: f64) -> Point3<f64> {
        Point3::from(self.direction * shift)
    }

    fn add_ball(&mut self, t: &[Point3<f64>; 3], radius: f64) {
        for k in 0..3 {
            self.add_corner(&t[k], radius);
            self.add_edge(&t[k], &t[(k + 1) % 3], radius);
        }
        if let Some(normal) = unit_normal(t) {
            self.add_face(&normal, &t[0], radius, |foot| over_triangle(t, &normal, foot));
        }
    }

    /// A capsule touches a triangle where a ball touches what the triangle sweeps along the
    /// capsule's axis: a prism.
    fn add_capsule(&mut self, t: &[Point3<f64>; 3], half: f64, radius: f64) {
        let along = Vector3::new(0.0, 0.0, half);
        let normal = unit_normal(t);
        for end in [-along, along] {
            let moved = t.map(|p| p + end);
            for k in 0..3 {
                self.add_corner(&moved[k], radius);
                self.add_edge(&moved[k], &moved[(k + 1) % 3], radius);
            }
            if let Some(normal) = normal {
                self.add_face(&normal, &moved[0], radius, |foot| over_triangle(&moved, &normal, foot));
            }
        }
        for k in 0..3 {
            let (p, q) = (t[k], t[(k + 1) % 3]);
            self.add_edge(&(p - along), &(p + along), radius);
            let edge = q - p;
            let across = Vector3::new(edge.x, edge.y, 0.0);
            let square = across.norm_squared();
            if square <= PARALLEL * edge.norm_squared() {
                continue;
            }
            let normal = Vector3::new(edge.y, -edge.x, 0.0) / square.sqrt();
            self.add_face(&normal, &p, radius, |foot| {
                let from = foot - p;
                let part = (from.x * edge.x + from.y * edge.y) / square;
                (0.0..=1.0).contains(&part) && (from.z - part * edge.z).abs() <= half
            });
        }
    }

    fn add_corner(&mut self, p: &Point3<f64>, radius: f64) {
        let middle = p.coords.dot(&self.direction);
        let left = radius * radius - (p.coords - self.direction * middle).norm_squared();
        if left >= 0.0 {
            let reach = left.sqrt();
            self.add(middle - reach);
            self.add(middle + reach);
        }
    }

    fn add_edge(&mut self, p: &Point3<f64>, q: &Point3<f64>, radius: f64) {
        let edge = q - p;
        let square = edge.norm_squared();
        if square <= 0.0 {
            return;
        }
        let across = |v: &Vector3<f64>| v - edge * (v.dot(&edge) / square);
        let course = across(&self.direction);
        let speed = course.norm_squared();
        if speed <= PARALLEL {
            return;
        }
        let away = across(&p.coords);
        let middle = away.dot(&course) / speed;
        let left = radius * radius - (away - course * middle).norm_squared();
        if left < 0.0 {
            return;
        }
        let reach = (left / speed).sqrt();
        for shift in [middle - reach, middle + reach] {
            let part = (self.at(shift) - p).dot(&edge) / square;
            if (0.0..=1.0).contains(&part) {
                self.add(shift);
            }
        }
    }

    fn add_face(
        &mut self,
        normal: &Vector3<f64>,
        on: &Point3<f64>,
        radius: f64,
        holds: impl Fn(&Point3<f64>) -> bool,
    ) {
        let (speed, height) = (normal.dot(&self.direction), normal.dot(&on.coords));
        if speed * speed <= PARALLEL {
            return;
        }
        for side in [-radius, radius] {
            let shift = (height + side) / speed;
            if holds(&(self.at(shift) - normal * side)) {
                self.add(shift);
            }
        }
    }

    fn add_cylinder(&mut self, t: &[Point3<f64>; 3], half: f64, radius: f64) {
        let cylinder = RoundEnds { half, radius, slack: ROUNDING * (half + radius) };
        for k in 0..3 {
            self.add_cylinder_corner(&t[k], &cylinder);
            self.add_cylinder_edge(&t[k], &t[(k + 1) % 3], &cylinder);
        }
        let Some(normal) = unit_normal(t) else { return };
        let speed = normal.dot(&self.direction);
        if speed * speed <= PARALLEL {
            return;
        }
        let flat = (normal.x * normal.x + normal.y * normal.y).sqrt();
        let rim = if flat > ROUNDING {
            Vector3::new(normal.x, normal.y, 0.0) * (radius / flat)
        } else {
            Vector3::zeros()
        };
        for (side, end) in [(-1.0, -half), (-1.0, half), (1.0, -half), (1.0, half)] {
            let own = rim * side + Vector3::new(0.0, 0.0, end);
            let shift = normal.dot(&(t[0].coords - own)) / speed;
            if over_triangle(t, &normal, &(self.at(shift) + own)) {
                self.add(shift);
            }
        }
    }

    fn add_cylinder_corner(&mut self, p: &Point3<f64>, cylinder: &RoundEnds) {
        let own = Primitive::Cylinder { half_height: cylinder.half as f32, radius: cylinder.radius as f32 };
        if let Some(found) = primitive_interval(&own, p, &-self.direction) {
            self.add(found.enter);
            self.add(found.exit);
        }
    }

    fn add_cylinder_edge(&mut self, p: &Point3<f64>, q: &Point3<f64>, cylinder: &RoundEnds) {
        let RoundEnds { half, radius, slack } = *cylinder;
        let (edge, course) = (q - p, self.direction);
        let flat = Vector3::new(edge.x, edge.y, 0.0);
        let square = flat.norm_squared();
        let is_upright = square <= PARALLEL * edge.norm_squared();
        if !is_upright {
            // The barrel beside the edge.
            let aside = Vector3::new(-edge.y, edge.x, 0.0) / square.sqrt();
            let (speed, offset) = (aside.dot(&course), aside.dot(&p.coords));
            for side in [-radius, radius] {
                let shift = (offset + side) / speed;
                let foot = course * shift - aside * side;
                let part = (foot - p.coords).dot(&flat) / square;
                let height = p.z + part * edge.z - shift * course.z;
                if speed * speed > PARALLEL && (0.0..=1.0).contains(&part) && height.abs() <= half + slack {
                    self.add(shift);
                }
            }
        }
        for end in [-half, half] {
            if edge.z * edge.z > PARALLEL * edge.norm_squared() {
                // The rim under the edge.
                let (from, rate) = ((end - p.z) / edge.z, course.z / edge.z);
                let start = Vector3::new(p.x + from * edge.x, p.y + from * edge.y, 0.0);
                let turn = Vector3::new(rate * edge.x - course.x, rate * edge.y - course.y, 0.0);
                let speed = turn.norm_squared();
                let middle = -start.dot(&turn) / speed;
                let left = radius * radius - (start + turn * middle).norm_squared();
                if speed <= PARALLEL || left < 0.0 {
                    continue;
                }
                let reach = (left / speed).sqrt();
                for shift in [middle - reach, middle + reach] {
                    if (0.0..=1.0).contains(&(from + rate * shift)) {
                        self.add(shift);
                    }
                }
            } else if course.z * course.z > PARALLEL {
                // An edge in the plane of the end.
                let shift = (p.z - end) / course.z;
                let [from, to] = [p, q].map(|p| {
                    let at = p - course * shift;
                    Point3::new(at.x, at.y, 0.0)
                });
                if nearest_on_segment(&from, &to, &Point3::origin()).coords.norm() <= radius + slack {
                    self.add(shift);
                }
            }
        }
    }
}

/// A cylinder's measures (m).
#[derive(Clone, Copy, Debug)]
struct RoundEnds {
    half: f64,
    radius: f64,
    /// Places this far outside count as inside.
    slack: f64,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::support::Placed;
    use crate::triangle::touches_triangle;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// A little inside of the interval they touch, a little outside they do not, and without an
        /// interval they never do.
        #[test]
        fn shifts_are_those_at_which_they_touch(
            corners in prop::array::uniform3(prop::array::uniform3(-1.0f64..1.0)),
            course in prop::array::uniform3(-1.0f64..1.0),
            kind in 0usize..3,
            flat in 0usize..5,
            scale in -3i32..4,
        ) {
            let scale = 10f64.powi(scale);
            let mut t = corners.map(|p| Point3::from(Vector3::from(p) * (2.0 * scale)));
            let mut course = Vector3::from(course);
            match flat {
                // Faces along the axis, across it, and courses along it and across it.
                0 => t[2] = Point3::new(t[0].x, t[0].y, t[2].z),
                1 => (t[1].z, t[2].z) = (t[0].z, t[0].z),
                2 => course = Vector3::z(),
                3 => course.z = 0.0,
                _ => {}
            }
            prop_assume!(unit_normal(&t).is_some() && course.norm() > 1e-3);
            let course = course.normalize();
            let (half_height, radius) = (0.7 * scale as f32, 0.4 * scale as f32);
            let primitive = [
                Primitive::Sphere { radius },
                Primitive::Capsule { half_height, radius },
                Primitive::Cylinder { half_height, radius },
            ][kind];
            let touches = |s: f64| touches_triangle(&primitive, &t.map(|p| p - course * s));
            let near = 1e-6 * scale;
            match touching_shifts(&primitive, &t, &course) {
                Some([first, last]) => {
                    prop_assert!(!touches(first - near) && !touches(last + near), "{first} {last}");
                    let latest = latest_shift(Placed::at_origin(primitive).reach(&course), &t, &course);
                    prop_assert!(last <= latest, "{last} {latest}");
                    for part in [0.0, 0.5, 1.0] {
                        let at = first + near + (last - first - 2.0 * near) * part;
                        prop_assert!(last - first < 3.0 * near || touches(at), "{first} {last} {at}");
                    }
                }
                None => for k in -300..300 {
                    prop_assert!(!touches(0.012 * scale * f64::from(k)));
                },
            }
        }
    }
}
