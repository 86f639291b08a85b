//! Particles against a height field: the cells under each, and no tree.

use std::ops::Range;

use impinge_convex::unit_normal;
use impinge_geometry::{HeightField, Particles};
use nalgebra::{Point3, Vector3};

use super::contact::{Depths, PointContact, PointFeature};
use super::nearest::nearest;
use super::placement::Placement;

/// The contacts of the particles with these numbers.
pub(super) fn meet(
    particles: &Particles,
    numbers: Range<u32>,
    field: &HeightField,
    place: &Placement,
    depths: &Depths,
    out: &mut Vec<PointContact>,
) {
    let ground = Ground::new(field);
    let centers = &particles.centers()[numbers.start as usize..numbers.end as usize];
    for (particle, center) in numbers.zip(centers) {
        let p = place.local(center);
        let radius = f64::from(particles.radius(particle));
        let Some((triangle, distance, point)) = ground.nearest(&p, radius + depths.margin) else { continue };
        let inside = field.holds(&p);
        let normal = if distance <= 1e-12 * (p.coords.norm() + radius) {
            unit_normal(&ground.corners(triangle)).unwrap_or_else(Vector3::z)
        } else {
            (p - point) * (if inside { -1.0 } else { 1.0 } / distance)
        };
        let signed = if inside { -distance } else { distance };
        let feature = PointFeature::Triangle(triangle);
        out.extend(depths.contact((particle, radius), feature, (&p, &normal, signed), place));
    }
}

/// A field as a point sees it.
struct Ground<'f> {
    field: &'f HeightField,
    spacing: [f64; 2],
    /// The last cell along each axis.
    last: [u32; 2],
}

impl<'f> Ground<'f> {
    fn new(field: &'f HeightField) -> Ground<'f> {
        let last = field.size().map(|samples| samples - 2);
        Ground { field, spacing: field.spacing().map(f64::from), last }
    }

    fn corners(&self, triangle: u32) -> [Point3<f64>; 3] {
        let [a, b, c] = self.field.corners(triangle);
        [a.cast(), b.cast(), c.cast()]
    }

    /// The cells that come within `reach` of a coordinate along an axis, or none.
    fn cells(&self, axis: usize, x: f64, reach: f64) -> Option<[u32; 2]> {
        let [low, high] = [-reach, reach].map(|by| (x + by) / self.spacing[axis]);
        let last = self.last[axis];
        // Rounding included.
        let slack = 1e-9 * (1.0 + low.abs().max(high.abs()));
        let (low, high) = (low - slack, high + slack);
        if high < 0.0 || low > f64::from(last + 1) {
            return None;
        }
        Some([(low.max(0.0) as u32).min(last), (high as u32).min(last)])
    }

    /// The triangle of the terrain that is nearest to a point, of several the one with the lowest number, with its distance and the nearest
    /// point (m): if it is no farther than `reach`, or if the point is in the ground.
    fn nearest(&self, p: &Point3<f64>, reach: f64) -> Option<(u32, f64, Point3<f64>)> {
        let (x, y) = (self.cells(0, p.x, reach)?, self.cells(1, p.y, reach)?);
        let mut best = Nearest { bound: reach, found: None };
        let [_, highest] = self.field.heights([x[0], y[0]], [x[1] - x[0] + 1, y[1] - y[0] + 1]);
        let under = p.z <= f64::from(highest) + reach;
        if under {
            self.search(p, [x, y], &mut best);
        }
        if best.found.is_none() && under && self.field.holds(p) {
            // What is straight above bounds how far there is to look; a gap there is none that holds the point.
            best.bound = (f64::from(self.field.aabb().max[2]) - p.z).max(reach);
            let inner = self.cells(0, p.x, 0.0).zip(self.cells(1, p.y, 0.0));
            if let Some((x, y)) = inner {
                self.search(p, [x, y], &mut best);
            }
            let around = self.cells(0, p.x, best.bound).zip(self.cells(1, p.y, best.bound));
            if let Some((x, y)) = around {
                self.search(p, [x, y], &mut best);
            }
        }
        best.found
    }

    /// Looks for something nearer in some cells, first in the one that the point is over.
    fn search(&self, p: &Point3<f64>, [x, y]: [[u32; 2]; 2], best: &mut Nearest) {
        let own = [(p.x, 0), (p.y, 1)].map(|(at, axis)| (at / self.spacing[axis]).max(0.0) as u32);
        let own = [own[0].clamp(x[0], x[1]), own[1].clamp(y[0], y[1])];
        self.measure(p, own, best);
        for j in y[0]..=y[1] {
            for i in x[0]..=x[1] {
                if [i, j] != own && self.gap([i, j], p) <= best.bound {
                    self.measure(p, [i, j], best);
                }
            }
        }
    }

    /// No point of a cell is nearer, seen from above (m).
    fn gap(&self, cell: [u32; 2], p: &Point3<f64>) -> f64 {
        let along = |axis: usize| {
            let low = f64::from(self.field.along(axis, cell[axis]));
            let high = f64::from(self.field.along(axis, cell[axis] + 1));
            (low - p[axis]).max(p[axis] - high).max(0.0)
        };
        let (dx, dy) = (along(0), along(1));
        (dx * dx + dy * dy).sqrt()
    }

    fn measure(&self, p: &Point3<f64>, cell: [u32; 2], best: &mut Nearest) {
        for k in 0..2 {
            if !self.field.has_triangle_at(cell, k) {
                continue;
            }
            let triangle = 2 * self.field.vertex_number(cell) + k;
            let corners = self.corners(triangle);
            if is_beyond(&corners, p, best.bound) {
                continue;
            }
            let point = nearest(&corners, p);
            let distance = (point - p).norm();
            let known =
                best.found.map_or((best.bound, u32::MAX), |(triangle, distance, _)| (distance, triangle));
            if (distance, triangle) < known {
                (best.bound, best.found) = (distance, Some((triangle, distance, point)));
            }
        }
    }
}

/// What was found so far.
struct Nearest {
    /// Nothing farther is of interest (m).
    bound: f64,
    found: Option<(u32, f64, Point3<f64>)>,
}

/// Whether the plane of a triangle is farther from a point than `bound`, by more than rounding.
fn is_beyond(t: &[Point3<f64>; 3], p: &Point3<f64>, bound: f64) -> bool {
    let normal = (t[1] - t[0]).cross(&(t[2] - t[0]));
    let height = normal.dot(&(p - t[0]));
    height * height > normal.norm_squared() * bound * bound * (1.0 + 1e-9)
}
