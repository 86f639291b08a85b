//! What the contacts stage remembers of a pair: the last step's points and their impulses.

use nalgebra::{Point3, Vector3};

use crate::{CarryCounts, Impulse, Manifold, tangents};

/// Normals further apart than this (cosine) belong to different contacts, even under one key.
const SAME_SIDE: f64 = 0.5;
/// How far a point may have moved to be found again by its place, relative to its manifold's size.
const REACH: f32 = 0.25;

/// A point of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Remembered {
    parts: [u32; 2],
    key: u64,
    local_a: Point3<f32>,
    normal: Vector3<f64>,
    impulse: Impulse,
}

/// The contacts stage's slot in a pair's memory: drop it when the pair ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactMemory {
    points: Vec<Remembered>,
}

/// A new point and a remembered one at nearly the same place.
struct Near {
    distance: f32,
    new: usize,
    old: usize,
}

impl ContactMemory {
    /// Gives the points of a pair's `manifolds` (of this step) the impulses that the same points had in
    /// the last step, and remembers them instead. A point is the same if it has the same parts, a
    /// normal within 60° and the same key, or else the nearest place on collider A within a quarter of
    /// its manifold's size. Each remembered point is used once. Friction is carried as a vector of the
    /// world, so that it does not depend on how the tangents are chosen.
    pub fn carry(&mut self, manifolds: &mut [Manifold]) -> CarryCounts {
        let mut counts = CarryCounts::default();
        let mut used = vec![false; self.points.len()];
        let mut found: Vec<Option<usize>> = Vec::new();
        for manifold in manifolds.iter() {
            for point in &manifold.points {
                let same = |(old, used): (&Remembered, &bool)| {
                    !used && old.key == point.key && old.may_be_of(manifold)
                };
                let hit = self.points.iter().zip(&used).position(same);
                if let Some(old) = hit {
                    used[old] = true;
                    counts.by_key += 1;
                }
                found.push(hit);
            }
        }
        for near in self.near(manifolds, &found, &used) {
            if found[near.new].is_none() && !used[near.old] {
                used[near.old] = true;
                found[near.new] = Some(near.old);
                counts.by_place += 1;
            }
        }
        counts.new = found.iter().filter(|f| f.is_none()).count() as u64;
        counts.gone = used.iter().filter(|used| !**used).count() as u64;
        let mut found = found.into_iter();
        for manifold in manifolds.iter_mut() {
            for point in &mut manifold.points {
                let old = found.next().flatten().map(|k| &self.points[k]);
                point.impulse = old.map_or(Impulse::default(), |old| old.impulse_along(&manifold.normal));
            }
        }
        self.store(manifolds);
        counts
    }

    /// Remembers the points of a pair's `manifolds` with the impulses that they hold now: call it
    /// after a solver has given its impulses back.
    pub fn store(&mut self, manifolds: &[Manifold]) {
        self.points.clear();
        self.points.extend(manifolds.iter().flat_map(|manifold| {
            manifold.points.iter().map(|point| Remembered {
                parts: manifold.parts,
                key: point.key,
                local_a: point.local_a,
                normal: manifold.normal,
                impulse: point.impulse,
            })
        }));
    }

    /// Forgets every impulse but not the points.
    pub fn forget_impulses(&mut self) {
        for point in &mut self.points {
            point.impulse = Impulse::default();
        }
    }

    /// The pairs of a new and a remembered point, neither of them matched, that are near each other:
    /// nearest first, ties by index.
    fn near(&self, manifolds: &[Manifold], found: &[Option<usize>], used: &[bool]) -> Vec<Near> {
        let mut near = Vec::new();
        if used.iter().all(|&used| used) {
            return near;
        }
        let mut new = 0;
        for manifold in manifolds {
            let reach = REACH * size(manifold);
            for point in &manifold.points {
                if found[new].is_none() {
                    for (old, remembered) in self.points.iter().enumerate() {
                        let distance = (remembered.local_a - point.local_a).norm();
                        if !used[old] && distance <= reach && remembered.may_be_of(manifold) {
                            near.push(Near { distance, new, old });
                        }
                    }
                }
                new += 1;
            }
        }
        near.sort_by(|p, q| p.distance.total_cmp(&q.distance).then((p.new, p.old).cmp(&(q.new, q.old))));
        near
    }
}

impl Remembered {
    fn may_be_of(&self, manifold: &Manifold) -> bool {
        self.parts == manifold.parts && self.normal.dot(&manifold.normal) >= SAME_SIDE
    }

    fn impulse_along(&self, normal: &Vector3<f64>) -> Impulse {
        let [t, u] = tangents(&self.normal);
        let friction = t * self.impulse.tangent[0] + u * self.impulse.tangent[1];
        let [t, u] = tangents(normal);
        Impulse { normal: self.impulse.normal, tangent: [friction.dot(&t), friction.dot(&u)] }
    }
}

/// The size of a manifold's region (m): the greatest distance of its points, or the side of a square
/// of its area, or its depth.
fn size(manifold: &Manifold) -> f32 {
    let mut size = (manifold.area.sqrt() as f32).max(manifold.depth.abs() as f32);
    for (i, p) in manifold.points.iter().enumerate() {
        for q in &manifold.points[..i] {
            size = size.max((p.local_a - q.local_a).norm());
        }
    }
    size
}
