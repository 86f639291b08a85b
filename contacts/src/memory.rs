//! The contacts stage's memory of a pair: the last step's points and their impulses.

use nalgebra::{Point3, Vector3};

use crate::tunables::{KEY_STRIDE, MATCH_COSINE, MATCH_REACH, MATCH_STILL};
use crate::{ContactPoint, Impulse, Manifold, MatchCounts};

/// A point of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Remembered {
    subshapes: [u32; 2],
    /// Which of the pair's manifolds it was of.
    manifold: u32,
    key: u64,
    pub feature: u64,
    pub local_a: Point3<f32>,
    pub local_b: Point3<f32>,
    /// The manifold's.
    pub normal: Vector3<f64>,
    /// The point's own.
    point_normal: Vector3<f64>,
    impulse: Impulse,
}

/// The contacts stage's slot in a pair's memory: drop it when the pair ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactMemory {
    points: Vec<Remembered>,
}

/// Which remembered point each new one is, and which remembered ones are matched.
struct Matches {
    found: Vec<Option<usize>>,
    used: Vec<bool>,
}

/// A new point and a remembered one at nearly the same place.
struct Near {
    distance: f32,
    new: usize,
    old: usize,
}

impl ContactMemory {
    /// Gives the points of a pair's `manifolds` (of this step) the keys and impulses that the same points
    /// had in the last step, and remembers them instead. A point is the same if it has the same subshapes, a
    /// normal within 60°, and stands where the old one stood, on one of the colliders; or else is called the
    /// same by the narrow phase; or else stands within 0.45 of its manifold's size of it. Each
    /// remembered point is used once. Friction is carried as a vector of the world, so that it does not
    /// depend on how the tangents are chosen.
    pub fn match_points(&mut self, manifolds: &mut [Manifold]) -> MatchCounts {
        let points = manifolds.iter().map(|m| m.points.len()).sum();
        let mut matches = Matches { found: vec![None; points], used: vec![false; self.points.len()] };
        self.match_places(manifolds, MATCH_STILL, &mut matches);
        self.match_features(manifolds, &mut matches);
        self.match_places(manifolds, MATCH_REACH, &mut matches);
        let mut counts = MatchCounts {
            new: matches.found.iter().filter(|f| f.is_none()).count() as u64,
            gone: matches.used.iter().filter(|used| !**used).count() as u64,
            ..MatchCounts::default()
        };
        let mut found = matches.found.iter();
        for manifold in manifolds.iter_mut() {
            let normal = manifold.normal;
            for point in &mut manifold.points {
                point.impulse = Impulse::default();
                if let Some(old) = found.next().copied().flatten().map(|k| &self.points[k]) {
                    let same = old.feature == point.feature;
                    counts.by_key += u64::from(same);
                    counts.by_place += u64::from(!same);
                    point.key = old.key;
                    point.impulse = old.impulse.turned(&old.point_normal, &point.tilted(&normal));
                }
            }
        }
        if counts.new > 0 {
            dedup_new_keys(manifolds, &matches.found);
        }
        self.store(manifolds);
        counts
    }

    /// Remembers the points of a pair's `manifolds` with the impulses that they hold now: call it
    /// after a solver has given its impulses back.
    pub fn store(&mut self, manifolds: &[Manifold]) {
        self.points.clear();
        self.points.extend(manifolds.iter().enumerate().flat_map(|(index, manifold)| {
            manifold.points.iter().map(move |point| Remembered {
                subshapes: manifold.subshapes,
                manifold: index as u32,
                key: point.key,
                feature: point.feature,
                local_a: point.local_a,
                local_b: point.local_b,
                normal: manifold.normal,
                point_normal: manifold.normal_at(point),
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

    /// The remembered points of two subshapes, manifold by manifold.
    pub(crate) fn manifolds(&self, subshapes: [u32; 2]) -> impl Iterator<Item = &[Remembered]> {
        self.points
            .chunk_by(|p, q| p.manifold == q.manifold)
            .filter(move |group| group[0].subshapes == subshapes)
    }

    /// Matches points that the narrow phase calls the same.
    fn match_features(&self, manifolds: &[Manifold], matches: &mut Matches) {
        let Matches { found, used } = matches;
        let points = manifolds.iter().flat_map(|m| m.points.iter().map(move |p| (m, p)));
        for (found, (manifold, point)) in found.iter_mut().zip(points).filter(|(f, _)| f.is_none()) {
            let same = |(old, used): (&Remembered, &bool)| {
                !used && old.feature == point.feature && old.may_be_of(manifold)
            };
            if let Some(old) = self.points.iter().zip(used.iter()).position(same) {
                used[old] = true;
                *found = Some(old);
            }
        }
    }

    /// Matches points whose places on one of the colliders are nearer than `reach`, relative to their
    /// manifold's size: nearest first, ties by index.
    fn match_places(&self, manifolds: &[Manifold], reach: f32, matches: &mut Matches) {
        let Matches { found, used } = matches;
        if used.iter().all(|&used| used) {
            return;
        }
        let mut near = Vec::new();
        let mut new = 0;
        for manifold in manifolds {
            let reach = reach * size(manifold);
            for point in &manifold.points {
                if found[new].is_none() {
                    for (old, remembered) in self.points.iter().enumerate() {
                        let distance = remembered.distance(point);
                        if !used[old] && distance <= reach && remembered.may_be_of(manifold) {
                            near.push(Near { distance, new, old });
                        }
                    }
                }
                new += 1;
            }
        }
        near.sort_by(|p, q| p.distance.total_cmp(&q.distance).then((p.new, p.old).cmp(&(q.new, q.old))));
        for near in near {
            if found[near.new].is_none() && !used[near.old] {
                used[near.old] = true;
                found[near.new] = Some(near.old);
            }
        }
    }
}

/// Gives every new point whose key another point of the same subshapes has already (an old one that has kept it
/// from elsewhere, or a new one before it) a key of its own.
fn dedup_new_keys(manifolds: &mut [Manifold], found: &[Option<usize>]) {
    let mut taken: Vec<([u32; 2], u64)> = Vec::with_capacity(found.len());
    let each = |manifolds: &mut [Manifold], is_new: bool, visit: &mut dyn FnMut([u32; 2], &mut u64)| {
        let points =
            manifolds.iter_mut().flat_map(|m| m.points.iter_mut().map(|p| (m.subshapes, &mut p.key)));
        for (_, (subshapes, key)) in found.iter().zip(points).filter(|(f, _)| f.is_none() == is_new) {
            visit(subshapes, key);
        }
    };
    each(manifolds, false, &mut |subshapes, key| taken.push((subshapes, *key)));
    each(manifolds, true, &mut |subshapes, key| {
        while taken.contains(&(subshapes, *key)) {
            *key = key.wrapping_add(KEY_STRIDE);
        }
        taken.push((subshapes, *key));
    });
}

impl Remembered {
    fn may_be_of(&self, manifold: &Manifold) -> bool {
        self.subshapes == manifold.subshapes && self.normal.dot(&manifold.normal) >= MATCH_COSINE
    }

    /// How far a point is from this one (m), on the collider on which it is nearer.
    fn distance(&self, point: &ContactPoint) -> f32 {
        (self.local_a - point.local_a).norm().min((self.local_b - point.local_b).norm())
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
