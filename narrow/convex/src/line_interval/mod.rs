//! Where a line passes through a primitive.

mod lines;

pub use lines::SolidLines;

use impinge_geometry::Primitive;
use nalgebra::{Point3, Vector3};

/// The interval of a line `origin + t · direction` that lies in a convex solid: `enter < exit`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineInterval {
    /// Where the line goes in (in units of the direction's length); −∞ where it never was outside.
    pub enter: f64,
    /// Where it comes out; +∞ where it never does.
    pub exit: f64,
    /// Outward unit normal where it goes in. At −∞, where there is no surface, against the line.
    pub enter_normal: Vector3<f64>,
    /// Outward unit normal where it comes out. At +∞, where there is no surface, along the line.
    pub exit_normal: Vector3<f64>,
}

impl LineInterval {
    /// The whole line.
    pub(super) fn everything(direction: &Vector3<f64>) -> LineInterval {
        let along = direction.normalize();
        LineInterval {
            enter: f64::NEG_INFINITY,
            exit: f64::INFINITY,
            enter_normal: -along,
            exit_normal: along,
        }
    }

    /// Keeps what lies behind the plane `normal · x = offset` (`normal` unit). A line within the plane
    /// or in front of it has nothing left.
    pub(super) fn behind(
        mut self,
        origin: &Point3<f64>,
        direction: &Vector3<f64>,
        normal: &Vector3<f64>,
        offset: f64,
    ) -> Option<LineInterval> {
        let speed = normal.dot(direction);
        let height = normal.dot(&origin.coords) - offset;
        if speed == 0.0 {
            return (height < 0.0).then_some(self);
        }
        let t = -height / speed;
        if speed > 0.0 {
            if t < self.exit {
                (self.exit, self.exit_normal) = (t, *normal);
            }
        } else if t > self.enter {
            (self.enter, self.enter_normal) = (t, *normal);
        }
        (self.enter < self.exit).then_some(self)
    }
}

/// Where the line `origin + t · direction` (m, the primitive's frame; the direction of any length but
/// zero) passes through a primitive. A line that only grazes it (a tangent, a line in a face) has no
/// interval.
pub fn primitive_interval(
    primitive: &Primitive,
    origin: &Point3<f64>,
    direction: &Vector3<f64>,
) -> Option<LineInterval> {
    match *primitive {
        Primitive::HalfSpace => {
            LineInterval::everything(direction).behind(origin, direction, &Vector3::z(), 0.0)
        }
        Primitive::Sphere { radius } => {
            let (enter, exit) = ball(origin, direction, f64::from(radius))?;
            let normal = |t: f64| (origin.coords + direction * t).normalize();
            Some(LineInterval { enter, exit, enter_normal: normal(enter), exit_normal: normal(exit) })
        }
        Primitive::Cuboid { half } => {
            let mut span = LineInterval::everything(direction);
            for (axis, h) in half.into_iter().enumerate() {
                let mut normal = Vector3::zeros();
                for sign in [1.0, -1.0] {
                    normal[axis] = sign;
                    span = span.behind(origin, direction, &normal, f64::from(h))?;
                }
            }
            Some(span)
        }
        Primitive::Capsule { half_height, radius } => {
            capsule(origin, direction, f64::from(half_height), f64::from(radius))
        }
        Primitive::Cylinder { half_height, radius } => {
            let slab = slab(origin, direction, f64::from(half_height))?;
            let (enter, exit) = tube(origin, direction, f64::from(radius))?;
            cut(slab, origin, direction, enter, exit)
        }
    }
}

/// Whether a point (m, the primitive's frame) lies in a primitive; its surface counts.
pub fn inside(primitive: &Primitive, p: &Point3<f64>) -> bool {
    let across2 = p.x * p.x + p.y * p.y;
    match *primitive {
        Primitive::HalfSpace => p.z <= 0.0,
        Primitive::Sphere { radius } => across2 + p.z * p.z <= square(radius),
        Primitive::Cuboid { half } => (0..3).all(|i| p[i].abs() <= f64::from(half[i])),
        Primitive::Capsule { half_height, radius } => {
            let beyond = (p.z.abs() - f64::from(half_height)).max(0.0);
            across2 + beyond * beyond <= square(radius)
        }
        Primitive::Cylinder { half_height, radius } => {
            p.z.abs() <= f64::from(half_height) && across2 <= square(radius)
        }
    }
}

fn square(x: f32) -> f64 {
    f64::from(x) * f64::from(x)
}

/// A ball around the origin. The nearest point of the line is found first, so that an origin far away
/// costs no digits of the discriminant.
fn ball(origin: &Point3<f64>, direction: &Vector3<f64>, radius: f64) -> Option<(f64, f64)> {
    let speed2 = direction.norm_squared();
    let middle = -origin.coords.dot(direction) / speed2;
    let nearest = origin.coords + direction * middle;
    let left = radius * radius - nearest.norm_squared();
    let reach = (left.max(0.0) / speed2).sqrt();
    (reach > 0.0 && middle - reach < middle + reach).then_some((middle - reach, middle + reach))
}

/// The endless tube of `radius` around z: the whole line for one that runs along z inside it.
fn tube(origin: &Point3<f64>, direction: &Vector3<f64>, radius: f64) -> Option<(f64, f64)> {
    let flat = Vector3::new(direction.x, direction.y, 0.0);
    let at = Point3::new(origin.x, origin.y, 0.0);
    if flat.norm_squared() <= 1e-30 * direction.norm_squared() {
        let within = at.coords.norm_squared() < radius * radius;
        return within.then_some((f64::NEG_INFINITY, f64::INFINITY));
    }
    ball(&at, &flat, radius)
}

fn slab(origin: &Point3<f64>, direction: &Vector3<f64>, half: f64) -> Option<LineInterval> {
    LineInterval::everything(direction).behind(origin, direction, &Vector3::z(), half)?.behind(
        origin,
        direction,
        &-Vector3::z(),
        half,
    )
}

/// Cuts a span to the stretch `enter..exit` within a tube around z.
fn cut(
    mut span: LineInterval,
    origin: &Point3<f64>,
    direction: &Vector3<f64>,
    enter: f64,
    exit: f64,
) -> Option<LineInterval> {
    let normal = |t: f64| {
        let p = origin + direction * t;
        Vector3::new(p.x, p.y, 0.0).normalize()
    };
    if enter > span.enter {
        (span.enter, span.enter_normal) = (enter, normal(enter));
    }
    if exit < span.exit {
        (span.exit, span.exit_normal) = (exit, normal(exit));
    }
    (span.enter < span.exit).then_some(span)
}

/// The union of a cylinder and two balls; as the whole is convex, from the first way in to the last
/// separating translation.
fn capsule(origin: &Point3<f64>, direction: &Vector3<f64>, half: f64, radius: f64) -> Option<LineInterval> {
    let middle = slab(origin, direction, half).and_then(|s| {
        let (enter, exit) = tube(origin, direction, radius)?;
        let (enter, exit) = (s.enter.max(enter), s.exit.min(exit));
        (enter < exit).then_some((enter, exit))
    });
    let end = |z: f64| ball(&Point3::new(origin.x, origin.y, origin.z - z), direction, radius);
    let (enter, exit) =
        [middle, end(half), end(-half)].into_iter().flatten().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    let normal = |t: f64| {
        let p = origin + direction * t;
        Vector3::new(p.x, p.y, p.z - p.z.clamp(-half, half)).normalize()
    };
    Some(LineInterval { enter, exit, enter_normal: normal(enter), exit_normal: normal(exit) })
}
