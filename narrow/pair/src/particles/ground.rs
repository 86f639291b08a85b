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
    /// Samples to the metre.
    density: [f64; 2],
    /// The last cell along each axis.
    last: [u32; 2],
    /// No sample is higher (m).
    highest: f64,
}

impl<'f> Ground<'f> {
    fn new(field: &'f HeightField) -> Ground<'f> {
        let last = field.size().map(|samples| samples - 2);
        let density = field.spacing().map(|spacing| 1.0 / f64::from(spacing));
        Ground { field, density, last, highest: f64::from(field.aabb().max[2]) }
    }

    fn corners(&self, triangle: u32) -> [Point3<f64>; 3] {
        let [a, b, c] = self.field.corners(triangle);
        [a.cast(), b.cast(), c.cast()]
    }

    /// The cells that come within `reach` of a coordinate along an axis, or none.
    fn cells(&self, axis: usize, x: f64, reach: f64) -> Option<[u32; 2]> {
        let [low, high] = [-reach, reach].map(|by| (x + by) * self.density[axis]);
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
        if p.z > self.highest + reach {
            return None;
        }
        let [_, highest] = self.field.heights([x[0], y[0]], [x[1] - x[0] + 1, y[1] - y[0] + 1]);
        if p.z > f64::from(highest) + reach {
            return None;
        }
        let above = self.search(p, [x, y], &mut best);
        if best.found.is_none() && !above && self.field.holds(p) {
            // What is straight above bounds how far there is to look; a gap there is none that holds the point.
            best.bound = (self.highest - p.z).max(reach);
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

    /// Looks for something nearer in some cells, first in the one that the point is over, and says whether the point is above that one's planes.
    fn search(&self, p: &Point3<f64>, [x, y]: [[u32; 2]; 2], best: &mut Nearest) -> bool {
        let own = [(p.x, 0), (p.y, 1)].map(|(at, axis)| (at * self.density[axis]).max(0.0) as u32);
        let own = [own[0].clamp(x[0], x[1]), own[1].clamp(y[0], y[1])];
        let above = self.measure(p, own, best);
        for j in y[0]..=y[1] {
            for i in x[0]..=x[1] {
                if [i, j] != own && self.gap2([i, j], p) <= best.bound * best.bound {
                    self.measure(p, [i, j], best);
                }
            }
        }
        above
    }

    /// No point of a cell is nearer, seen from above (m, squared).
    fn gap2(&self, cell: [u32; 2], p: &Point3<f64>) -> f64 {
        let along = |axis: usize| {
            let low = f64::from(self.field.along(axis, cell[axis]));
            let high = f64::from(self.field.along(axis, cell[axis] + 1));
            (low - p[axis]).max(p[axis] - high).max(0.0)
        };
        let (dx, dy) = (along(0), along(1));
        // Less, for rounding.
        (dx * dx + dy * dy) * (1.0 - 1e-12)
    }

    /// Measures the triangles of a cell, and says whether the point is above their planes.
    fn measure(&self, p: &Point3<f64>, cell: [u32; 2], best: &mut Nearest) -> bool {
        let planes = CellPlanes::new(self.field, cell, p);
        // First what the point is over: most often nothing of the other is as near.
        let first = usize::from(planes.across < 0.0);
        for k in [first, 1 - first] {
            if planes.is_beyond(k, best.bound) || !self.field.has_triangle_at(cell, k as u32) {
                continue;
            }
            let triangle = 2 * self.field.vertex_number(cell) + k as u32;
            let point = nearest(&planes.corners(k), p);
            let distance = (point - p).norm();
            let known =
                best.found.map_or((best.bound, u32::MAX), |(triangle, distance, _)| (distance, triangle));
            if (distance, triangle) < known {
                (best.bound, best.found) = (distance, Some((triangle, distance, point)));
            }
        }
        planes.heights[0] > 0.0 && planes.heights[1] > 0.0
    }
}

/// What was found so far.
struct Nearest {
    /// Nothing farther is of interest (m).
    bound: f64,
    found: Option<(u32, f64, Point3<f64>)>,
}

/// A point over the planes of a cell's triangles.
struct CellPlanes {
    /// How high it is over each plane, times the length of the plane's normal; nearer to 0 by more than rounding. Negative below.
    heights: [f64; 2],
    /// Squares of the normals.
    normals: [f64; 2],
    /// How far it is from being over the diagonal, times the diagonal's length as seen from above, nearer to 0 as well; negative on the second
    /// triangle's side.
    across: f64,
    /// The square of that length.
    diagonal: f64,
    /// The samples round the cell (m): its first, those to the right of it and up, and the last.
    samples: [Point3<f64>; 4],
    falls: bool,
}

impl CellPlanes {
    #[inline(always)]
    fn new(field: &HeightField, cell: [u32; 2], p: &Point3<f64>) -> CellPlanes {
        let at = |x: u32, y: u32| f64::from(field.height([cell[0] + x, cell[1] + y]));
        let (first, right, up, last) = (at(0, 0), at(1, 0), at(0, 1), at(1, 1));
        let falls = field.diagonal_falls(cell);
        // By how much each rises along the cell, and its height over the cell's first corner.
        let [rises, bases] = match falls {
            false => [[[right - first, last - right], [last - up, up - first]], [[first, 0.0], [first, 0.0]]],
            true => {
                [[[right - first, up - first], [last - up, last - right]], [[first, 0.0], [right - last, up]]]
            }
        };
        let place = [0, 1].map(|axis| f64::from(field.along(axis, cell[axis])));
        let end = [0, 1].map(|axis| f64::from(field.along(axis, cell[axis] + 1)));
        let side = [end[0] - place[0], end[1] - place[1]];
        let off = [p.x - place[0], p.y - place[1]];
        let area = side[0] * side[1];
        let nearer_to_0 = |x: f64, rounding: f64| x - rounding.min(x.abs()).copysign(x);
        let (x, y) = (off[0] * side[1], off[1] * side[0]);
        let across = if falls { area - x - y } else { x - y };
        let mut planes = CellPlanes {
            heights: [0.0; 2],
            normals: [0.0; 2],
            across: nearer_to_0(across, 1e-12 * (area + x.abs() + y.abs())),
            diagonal: side[0] * side[0] + side[1] * side[1],
            samples: [
                Point3::new(place[0], place[1], first),
                Point3::new(end[0], place[1], right),
                Point3::new(place[0], end[1], up),
                Point3::new(end[0], end[1], last),
            ],
            falls,
        };
        for k in 0..2 {
            let [x, y] = [rises[k][0] * side[1], rises[k][1] * side[0]];
            let [above, along, across] = [area * (p.z - bases[k][0] - bases[k][1]), x * off[0], y * off[1]];
            let height = above - along - across;
            let sizes = area * (p.z.abs() + bases[k][0].abs() + bases[k][1].abs());
            planes.heights[k] = nearer_to_0(height, 1e-12 * (sizes + along.abs() + across.abs()));
            planes.normals[k] = area * area + x * x + y * y;
        }
        planes
    }

    /// The corners of a triangle (m), in the field's order.
    #[inline(always)]
    fn corners(&self, k: usize) -> [Point3<f64>; 3] {
        let [first, right, up, last] = self.samples;
        match (self.falls, k) {
            (false, 0) => [first, right, last],
            (false, _) => [first, last, up],
            (true, 0) => [first, right, up],
            (true, _) => [right, last, up],
        }
    }

    /// Whether a triangle is farther than `bound` (m), by more than rounding: its plane, or all of it seen from above.
    #[inline(always)]
    fn is_beyond(&self, k: usize, bound: f64) -> bool {
        let beside = if k == 0 { -self.across } else { self.across };
        if beside > 0.0 && beside * beside > self.diagonal * bound * bound * (1.0 + 1e-9) {
            return true;
        }
        self.heights[k] * self.heights[k] > self.normals[k] * bound * bound * (1.0 + 1e-9)
    }
}
