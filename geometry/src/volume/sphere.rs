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
        let first = points.first()?.cast::<f64>();
        let farthest = |from: Point3<f64>| {
            points.iter().map(|p| p.cast::<f64>()).fold(from, |best, p| {
                if (p - from).norm_squared() > (best - from).norm_squared() { p } else { best }
            })
        };
        let p = farthest(first);
        let q = farthest(p);
        let mut center = nalgebra::center(&p, &q);
        let mut radius = 0.5 * (q - p).norm();
        for x in points.iter().map(|p| p.cast::<f64>()) {
            let distance = (x - center).norm();
            if distance > radius {
                let grown = 0.5 * (radius + distance);
                center += (x - center) * ((grown - radius) / distance);
                radius = grown;
            }
        }
        let center = center.cast::<f32>();
        let radius =
            points.iter().map(|x| (x.cast::<f64>() - center.cast::<f64>()).norm()).fold(0.0, f64::max);
        Some(BoundingSphere { center, radius: super::aabb::round_up(radius * (1.0 + 1e-12)) })
    }
}
