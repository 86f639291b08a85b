//! Seams between fixed colliders are not felt.
//!
//! Where a body lies across two floors that stand side by side, each of them is a pair of its own, and the
//! side walls in the seam count as surface although nothing can reach them: the less of the body lies on a
//! floor, the more its normal leans against the wall. The walls of the two floors are opposite, so they
//! cancel in the sum of the area vectors, which is the gradient of the volume shared with both floors
//! together. Regions of one body on fixed colliders that lie in one plane and side by side therefore take
//! the normal of their sum.

use impinge_geometry::ColliderId;
use nalgebra::{Point3, Vector3};

use crate::Manifold;
use crate::tunables::{SEAM_EQUAL_NORMALS, SEAM_GAP, SEAM_STEP_DOWN, SEAM_STEP_UP, SEAM_THICKNESS};

/// Buffers of [`Seams::weld`].
#[derive(Debug, Default)]
pub struct Seams {
    /// Moving colliders and the indices of their manifolds on fixed ones.
    on_fixed: Vec<(ColliderId, u32)>,
    /// For each manifold of one body the first that it is welded to.
    first: Vec<usize>,
}

/// The data of a manifold that welding needs.
struct Region {
    /// Unit, from the fixed collider to the body.
    normal: Vector3<f64>,
    /// The area vector (m²). A wall of a seam leans it, and the opposite wall leans its neighbour's
    /// as far the other way.
    force: Vector3<f64>,
    area: f64,
    depth: f64,
    /// The points on the fixed collider (m, world, from `origin`).
    points: [Vector3<f64>; 4],
    count: usize,
    size: f64,
    /// The radius that the region reaches around its points (m). The points of a ball's region, one in the
    /// middle, do not stand on its border as those of others do.
    around: f64,
}

impl Seams {
    /// Gives the manifolds of a body on fixed colliders that stand side by side and flush the normal of them
    /// together, and the depths along it. Returns how many manifolds were turned.
    pub fn weld(&mut self, manifolds: &mut [Manifold], is_fixed: impl Fn(ColliderId) -> bool) -> u64 {
        self.on_fixed.clear();
        for (index, manifold) in manifolds.iter().enumerate() {
            let [a, b] = manifold.colliders;
            match (is_fixed(a), is_fixed(b)) {
                (true, false) => self.on_fixed.push((b, index as u32)),
                (false, true) => self.on_fixed.push((a, index as u32)),
                _ => {}
            }
        }
        self.on_fixed.sort_unstable();
        let mut turned = 0;
        for group in self.on_fixed.chunk_by(|p, q| p.0 == q.0).filter(|group| group.len() > 1) {
            turned += weld_body(group, manifolds, &mut self.first);
        }
        turned
    }
}

/// Welds the manifolds of one body.
fn weld_body(group: &[(ColliderId, u32)], manifolds: &mut [Manifold], first: &mut Vec<usize>) -> u64 {
    let origin = manifolds[group[0].1 as usize].centroid;
    let region = |k: usize| Region::new(&manifolds[group[k].1 as usize], group[k].0, &origin);
    first.clear();
    first.extend(0..group.len());
    let mut any = false;
    for j in 1..group.len() {
        for i in 0..j {
            let [p, q] = [i, j].map(|k| &manifolds[group[k].1 as usize]);
            let apart = p.colliders != q.colliders || p.subshapes != q.subshapes;
            if apart && first[i] != first[j] && region(i).flush_with(&region(j)) {
                let (from, to) = (first[i].max(first[j]), first[i].min(first[j]));
                first.iter_mut().filter(|f| **f == from).for_each(|f| *f = to);
                any = true;
            }
        }
    }
    if !any {
        return 0;
    }
    let sums: Vec<Vector3<f64>> = (0..group.len())
        .map(|k| {
            let members = (0..group.len()).filter(|&m| first[m] == first[k]).map(region);
            members.map(|r| r.force).sum()
        })
        .collect();
    let alone = |k: usize| first.iter().filter(|&&f| f == first[k]).count() == 1;
    let mut turned = 0;
    for k in (0..group.len()).filter(|&k| !alone(k)) {
        if let Some(normal) = sums[k].try_normalize(0.0) {
            turn(&mut manifolds[group[k].1 as usize], group[k].0, &normal);
            turned += 1;
        }
    }
    turned
}

/// Gives a manifold another normal (from the fixed collider to the body).
fn turn(manifold: &mut Manifold, body: ColliderId, normal: &Vector3<f64>) {
    let normal = if manifold.colliders[1] == body { *normal } else { -normal };
    let along = manifold.normal.dot(&normal);
    for point in &mut manifold.points {
        point.depth *= along;
        let before = (manifold.normal + point.tilt).norm();
        let tilt = point.tilt - normal * point.tilt.dot(&normal);
        let own = point.tilted(&manifold.normal);
        if point.tilt != Vector3::zeros() {
            point.weight *= (normal + tilt).norm() / before;
            point.tilt = tilt;
        }
        point.impulse = point.impulse.turned(&own, &point.tilted(&normal));
    }
    manifold.depth *= along;
    manifold.normal = normal;
    manifold.force = normal * manifold.area;
}

impl Region {
    fn new(manifold: &Manifold, body: ColliderId, origin: &Point3<f64>) -> Region {
        let sign = if manifold.colliders[1] == body { 1.0 } else { -1.0 };
        let (normal, force) = (manifold.normal * sign, manifold.force * sign);
        let mut points = [Vector3::zeros(); 4];
        for (at, p) in points.iter_mut().zip(&manifold.points) {
            *at = p.position - origin + normal * (0.5 * p.depth);
        }
        let count = manifold.points.len().min(4);
        let mut size = manifold.area.sqrt();
        for (k, p) in points[..count].iter().enumerate() {
            size = points[..k].iter().fold(size, |s, q| s.max((p - q).norm()));
        }
        let around = if count == 1 { (manifold.area / std::f64::consts::PI).sqrt() } else { 0.0 };
        Region { normal, force, area: manifold.area, depth: manifold.depth, points, count, size, around }
    }

    /// Whether two regions of a body lie in one plane and side by side.
    fn flush_with(&self, other: &Region) -> bool {
        let cosine = self.normal.dot(&other.normal);
        let sum = self.force + other.force;
        let Some(normal) =
            sum.try_normalize(0.0).filter(|_| cosine > 0.0 && 1.0 - cosine > SEAM_EQUAL_NORMALS)
        else {
            return false;
        };
        let depth = self.depth.max(other.depth);
        if self.depth.min(other.depth) <= 0.0 {
            return false;
        }
        let heights = |r: &Region| {
            r.points[..r.count].iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
                let h = p.dot(&normal);
                [low.min(h), high.max(h)]
            })
        };
        // The larger region says where the floor is.
        let (large, small) = if self.area >= other.area { (self, other) } else { (other, self) };
        let ([low, high], [under, over]) = (heights(large), heights(small));
        let level = over - high <= SEAM_STEP_UP * depth && high - over <= SEAM_STEP_DOWN * depth;
        let thin = high.max(over) - low.min(under) <= SEAM_THICKNESS * depth;
        level && thin && self.gap(other, &normal) <= SEAM_GAP * (self.size + other.size)
    }

    /// The least distance of two regions across a normal (m), at most 0 if they reach each other.
    fn gap(&self, other: &Region, normal: &Vector3<f64>) -> f64 {
        let pairs = self.points[..self.count]
            .iter()
            .flat_map(|p| other.points[..other.count].iter().map(move |q| q - p));
        let least = pairs.map(|d| (d - normal * d.dot(normal)).norm()).fold(f64::INFINITY, f64::min);
        least - self.around - other.around
    }
}
