//! Bounding spheres.

use nalgebra::Point3;

/// A sphere that holds a shape (m). The radius may be infinite (half-space).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingSphere {
    /// Centre (m), in the shape's frame.
    pub center: Point3<f32>,
    /// Radius (m), rounded up.
    pub radius: f32,
}

impl BoundingSphere {
    /// A small sphere around `points` (m): Ritter's two passes, then rounded up until every point
    /// is inside when judged in `f64`. `None` for no points.
    ///
    /// Source: Ritter, "An Efficient Bounding Sphere", Graphics Gems, 1990.
    pub fn of_points(points: &[Point3<f32>]) -> Option<BoundingSphere> {
        find((0..).zip(points.iter().copied()), |_| ()).map(|found| found.sphere)
    }
}

/// A point with its number.
type Numbered = (u32, Point3<f64>);

/// A ball that a pass has come to, from the point of this number on.
#[derive(Clone, Copy, Debug)]
struct Ball {
    from: u32,
    center: Point3<f64>,
    radius: f64,
}

/// What a sphere was found by.
#[derive(Clone, Copy, Debug)]
struct Found {
    sphere: BoundingSphere,
    first: Numbered,
    /// The point farthest from the first, and the one farthest from that.
    ends: [Numbered; 2],
    /// How far the farthest point is from the sphere's centre (m).
    farthest: f64,
}

/// A sphere around points, and how it was found: which of them may move without another sphere being found.
#[derive(Clone, Debug)]
pub(crate) struct SphereTrace {
    found: Found,
    /// The first ball, and each that a point outside the one before has made of it.
    balls: Vec<Ball>,
}

/// The sphere around points, given in the order of their numbers; `grown` is told each ball.
fn find(
    points: impl Iterator<Item = (u32, Point3<f32>)> + Clone,
    mut grown: impl FnMut(Ball),
) -> Option<Found> {
    let points = points.map(|(number, p)| (number, p.cast::<f64>()));
    let first = points.clone().next()?;
    let farthest = |from: Numbered| {
        let (mut best, mut most) = (from, 0.0);
        for p in points.clone() {
            let square = (p.1 - from.1).norm_squared();
            if square > most {
                (best, most) = (p, square);
            }
        }
        best
    };
    let p = farthest(first);
    let q = farthest(p);
    let mut ball = Ball { from: 0, center: nalgebra::center(&p.1, &q.1), radius: 0.5 * (q.1 - p.1).norm() };
    grown(ball);
    // The root of what is at most this is no greater than the radius.
    let within = |radius: f64| radius * radius * (1.0 - 1e-12);
    let mut near = within(ball.radius);
    for (number, x) in points.clone() {
        let square = (x - ball.center).norm_squared();
        if square <= near {
            continue;
        }
        let distance = square.sqrt();
        if distance > ball.radius {
            let radius = 0.5 * (ball.radius + distance);
            let center = ball.center + (x - ball.center) * ((radius - ball.radius) / distance);
            ball = Ball { from: number, center, radius };
            near = within(radius);
            grown(ball);
        }
    }
    let center = ball.center.cast::<f32>();
    let middle = center.cast::<f64>();
    // Roots keep the order.
    let farthest = points.map(|(_, x)| (x - middle).norm_squared()).fold(0.0, f64::max).sqrt();
    let sphere = BoundingSphere { center, radius: super::aabb::round_up(farthest * (1.0 + 1e-12)) };
    Some(Found { sphere, first, ends: [p, q], farthest })
}

impl SphereTrace {
    /// The sphere around points, given in the order of their numbers. `None` for no points.
    pub(crate) fn of(points: impl Iterator<Item = (u32, Point3<f32>)> + Clone) -> Option<SphereTrace> {
        let mut balls = Vec::new();
        let found = find(points, |ball| balls.push(ball))?;
        Some(SphereTrace { found, balls })
    }

    /// The sphere.
    pub(crate) fn sphere(&self) -> BoundingSphere {
        self.found.sphere
    }

    /// Whether the same sphere would be found if a point stood elsewhere, or were not there.
    pub(crate) fn keeps(&self, number: u32, from: &Point3<f32>, to: Option<&Point3<f32>>) -> bool {
        let Found { first, ends: [p, q], sphere, farthest } = &self.found;
        let named = [first.0, p.0, q.0].contains(&number);
        if named || self.balls[1..].iter().any(|ball| ball.from == number) {
            return false;
        }
        let center = sphere.center.cast::<f64>();
        if (from.cast::<f64>() - center).norm() >= *farthest {
            return false;
        }
        let Some(to) = to.map(|to| to.cast::<f64>()) else { return true };
        let nearer =
            |from: &Numbered, end: &Numbered| (to - from.1).norm_squared() < (end.1 - from.1).norm_squared();
        // The ball that it is asked of when it is its turn.
        let turn = self.balls[1..].partition_point(|ball| ball.from < number);
        let ball = &self.balls[turn];
        nearer(first, p)
            && nearer(p, q)
            && (to - ball.center).norm() <= ball.radius
            && (to - center).norm() <= *farthest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    fn random(seed: &mut u64) -> f32 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    #[test]
    fn what_is_said_to_keep_a_sphere_keeps_it() {
        let (mut seed, mut kept, mut others) = (7, 0, 0);
        for round in 0..40 {
            let mut points: Vec<Point3<f32>> = (0..60)
                .map(|_| Point3::new(random(&mut seed), random(&mut seed), random(&mut seed)))
                .collect();
            let numbered = |points: &[Point3<f32>], gone: Option<u32>| {
                let all: Vec<_> = (0..).zip(points.to_vec()).filter(|(k, _)| Some(*k) != gone).collect();
                SphereTrace::of(all.into_iter()).unwrap()
            };
            for step in 0..60u32 {
                let trace = numbered(&points, None);
                assert_eq!(Some(trace.sphere()), BoundingSphere::of_points(&points));
                let (from, far) = (points[step as usize], [0.01, 0.3, 2.0][round % 3]);
                let by = Vector3::new(random(&mut seed), random(&mut seed), random(&mut seed)) * far;
                let to = (step % 4 > 0).then_some(from + by);
                let keeps = trace.keeps(step, &from, to.as_ref());
                let after = match to {
                    Some(to) => {
                        points[step as usize] = to;
                        numbered(&points, None)
                    }
                    None => numbered(&points, Some(step)),
                };
                if keeps {
                    assert_eq!(after.sphere(), trace.sphere(), "{round} {step}");
                    assert_eq!(after.balls.len(), trace.balls.len());
                }
                (kept, others) = (kept + u32::from(keeps), others + u32::from(!keeps));
            }
        }
        assert!(kept > 800 && others > 100, "{kept} {others}");
    }
}
