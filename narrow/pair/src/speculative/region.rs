//! From gaps to a patch.

use crate::tunables;
use nalgebra::{Point3, Vector3};

use crate::patch::{Patch, PatchOrigin, PatchPoint};
use crate::patches::pressure_center;
use impinge_image_space::view::Axes;

/// Gaps along one normal: points of both surfaces opposite each other.
#[derive(Debug)]
pub(super) struct GapRegion {
    pub normal: Vector3<f64>,
    /// Looks along the normal's line: the same axes for a normal and its opposite.
    pub axes: Axes,
    /// Places are counted from here (m, pair frame).
    pub origin: Point3<f64>,
    /// Every pair of points with its gap as negative depth.
    pub points: Vec<PatchPoint>,
    /// Area over which the gaps were found (m²).
    pub area: f64,
}

impl GapRegion {
    pub fn new(normal: Vector3<f64>, origin: Point3<f64>) -> GapRegion {
        GapRegion { normal, axes: Axes::along(&normal), origin, points: Vec::new(), area: 0.0 }
    }

    /// Coordinates of a point of the pair frame: right and up, and how high along the normal.
    pub fn locate(&self, p: &Point3<f64>) -> ([f64; 2], f64) {
        let v = p - self.origin;
        ([self.axes.right.dot(&v), self.axes.up.dot(&v)], self.normal.dot(&v))
    }

    /// Adds points opposite each other, `heights` of A and of B along the normal.
    pub fn add(&mut self, at: [f64; 2], heights: [f64; 2], weight: f64, key: u64) {
        let base = self.origin + self.axes.right * at[0] + self.axes.up * at[1];
        let [on_a, on_b] = heights.map(|h| base + self.normal * h);
        self.points.push(PatchPoint { on_a, on_b, depth: heights[0] - heights[1], weight, key });
    }

    /// Of points with one key the nearest stays, with the weight of all.
    fn unite(&mut self) {
        self.points.sort_by(|p, q| p.key.cmp(&q.key).then(q.depth.total_cmp(&p.depth)));
        self.points.dedup_by(|p, kept| {
            let same = p.key == kept.key;
            if same {
                kept.weight += p.weight;
            }
            same
        });
    }

    /// The points that a solver can use: the corners of the region they span, and the nearest. They come
    /// in the order of their places, which does not depend on which body is A.
    fn corners(&self) -> Vec<PatchPoint> {
        let places: Vec<[f64; 2]> = self.points.iter().map(|p| self.locate(&middle(p)).0).collect();
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by(|&i, &j| {
            let (p, q) = (places[i], places[j]);
            let nearer = self.points[j].depth.total_cmp(&self.points[i].depth);
            p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(nearer)
        });
        let nearest = self.points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max);
        let enough = nearest - tunables::EQUAL_GAPS * nearest.abs();
        let mut kept = hull(&order, &places);
        if !kept.iter().any(|&i| self.points[i].depth >= enough) {
            kept.extend(order.iter().find(|&&i| self.points[i].depth >= enough));
        }
        let mut points: Vec<PatchPoint> = kept.into_iter().map(|i| self.points[i]).collect();
        points.sort_by(|p, q| {
            let (p, q) = (middle(p), middle(q));
            p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z))
        });
        points
    }

    /// The corners of the region alone, to be added to a patch that overlaps elsewhere: they weigh nothing.
    pub fn around(mut self) -> Vec<PatchPoint> {
        self.unite();
        let mut points = self.corners();
        points.iter_mut().for_each(|p| p.weight = 0.0);
        points
    }

    /// The patch; `least` is the area (m²) of what has none. `None` without points.
    pub fn patch(mut self, least: f64) -> Option<Patch> {
        self.unite();
        let total: f64 = self.points.iter().map(|p| p.weight).sum();
        let mut sum = Vector3::zeros();
        for p in &self.points {
            let share = if total > 0.0 { p.weight / total } else { 1.0 / self.points.len() as f64 };
            sum += (middle(p) - self.origin) * share;
        }
        let centroid = self.origin + sum;
        let mut points = self.corners();
        let area = self.area.max(least);
        let weight = area / points.len() as f64;
        points.iter_mut().for_each(|p| p.weight = weight);
        let depth = points.iter().map(|p| p.depth).reduce(f64::max)?;
        let gradient = self.normal * area;
        let torque = centroid.coords.cross(&gradient);
        Some(Patch {
            normal: self.normal,
            depth,
            volume: 0.0,
            gradient,
            torque,
            centroid,
            pressure_center: pressure_center(&gradient, &torque, &centroid),
            radius: points.iter().map(|p| (middle(p) - centroid).norm()).fold(0.0, f64::max),
            points,
            corners: Vec::new(),
            sectors: Vec::new(),
            origin: PatchOrigin::Gap,
            region: None,
        })
    }
}

/// Whether a direction is covered by the patches' normals.
pub(super) fn is_covered(axis: &Vector3<f64>, patches: &[Patch]) -> bool {
    // What is not a number is no direction, and needs no patch.
    axis.norm_squared().is_nan()
        || patches.iter().any(|patch| patch.normal.dot(axis) > tunables::OTHER_DIRECTION)
}

/// Adds to overlapping patches the points around them that are nearly in contact along their
/// normals. `gather` finds the gaps of a region. If patches share a normal, a point goes to the
/// nearest one, and the key of a point of an overlap is not given again.
pub(super) fn surround(patches: &mut [Patch], mut gather: impl FnMut(&mut GapRegion)) {
    let places: Vec<(Vector3<f64>, Point3<f64>)> = patches.iter().map(|p| (p.normal, p.centroid)).collect();
    let mut keys: Vec<u64> = patches.iter().flat_map(|p| &p.points).map(|p| p.key).collect();
    keys.sort_unstable();
    for (k, patch) in patches.iter_mut().enumerate() {
        let mut region = GapRegion::new(patch.normal, patch.centroid);
        gather(&mut region);
        region.points.retain(|p| {
            if keys.binary_search(&p.key).is_ok() {
                return false;
            }
            let from = |c: &Point3<f64>| (p.on_a - c).norm();
            let own = from(&places[k].1);
            places.iter().enumerate().all(|(other, (normal, centroid))| {
                let nearer = from(centroid) < own || (from(centroid) == own && other < k);
                other == k || !nearer || normal.dot(&patch.normal) <= tunables::OTHER_DIRECTION
            })
        });
        patch.points.extend(region.around());
    }
}

fn middle(p: &PatchPoint) -> Point3<f64> {
    nalgebra::center(&p.on_a, &p.on_b)
}

/// Corners of the convex hull (Andrew, "Another efficient algorithm for convex hulls", 1979), sorted along
/// the longest line between two places, so that places on one line keep its ends. Of equal places the
/// first in `order` is taken.
fn hull(order: &[usize], places: &[[f64; 2]]) -> Vec<usize> {
    let mut distinct: Vec<usize> = order.to_vec();
    distinct.dedup_by(|j, i| places[*i] == places[*j]);
    if distinct.len() < 3 {
        return distinct;
    }
    let between = |p: [f64; 2], q: [f64; 2]| [q[0] - p[0], q[1] - p[1]];
    let far = |from: usize| {
        let away = |i: usize| {
            let d = between(places[from], places[i]);
            d[0] * d[0] + d[1] * d[1]
        };
        distinct.iter().copied().fold(from, |best, i| if away(i) > away(best) { i } else { best })
    };
    let start = far(distinct[0]);
    let line = between(places[start], places[far(start)]);
    let size2 = line[0] * line[0] + line[1] * line[1];
    let along = |i: usize| places[i][0] * line[0] + places[i][1] * line[1];
    distinct.sort_by(|&i, &j| along(i).total_cmp(&along(j)));
    let mut corners: Vec<usize> = Vec::new();
    for upper in [false, true] {
        let start = corners.len();
        let mut add = |i: usize| {
            while corners.len() >= start + 2 {
                let (p, q) = (places[corners[corners.len() - 2]], places[corners[corners.len() - 1]]);
                let (u, v) = (between(p, q), between(p, places[i]));
                // What is as good as straight is no corner.
                if u[0] * v[1] - u[1] * v[0] > 1e-9 * size2 {
                    break;
                }
                corners.pop();
            }
            corners.push(i);
        };
        if upper {
            distinct.iter().rev().for_each(|&i| add(i));
        } else {
            distinct.iter().for_each(|&i| add(i));
        }
        corners.pop();
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_keeps_its_ends_and_a_square_its_corners() {
        // Along x, along y with rounding across it, and aslant.
        for [x, y] in [[1.0, 0.0], [0.0, 1.0], [1e-16, 1.0], [0.6, 0.8]] {
            let places: Vec<[f64; 2]> = [0.3, -0.2, 0.1, 0.0, 0.9, 0.9]
                .iter()
                .enumerate()
                .map(|(k, t)| [t * x + 1e-15 * (k % 3) as f64 * y, t * y - 1e-15 * (k % 2) as f64 * x])
                .collect();
            let mut order: Vec<usize> = (0..6).collect();
            order.sort_by(|&i, &j| places[i].partial_cmp(&places[j]).unwrap());
            let kept = hull(&order, &places);
            assert!(kept.len() == 2 && kept.contains(&1), "{kept:?}");
            assert!(kept.contains(&4) || kept.contains(&5));
        }
        let places = [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [0.5, 0.5], [1.0, 1.0], [0.0, 1.0], [0.0, 0.4]];
        let mut order: Vec<usize> = (0..7).collect();
        order.sort_by(|&i, &j| places[i].partial_cmp(&places[j]).unwrap());
        let mut kept = hull(&order, &places);
        kept.sort_unstable();
        assert_eq!(kept, [0, 2, 4, 5]);
    }
}
