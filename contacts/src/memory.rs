//! The contacts stage's memory of a pair: the last step's points and their impulses.

use crate::matches::{Matches, Near};
use crate::remembered::Remembered;
use crate::tunables::{KEY_STRIDE, MATCH_REACH, MATCH_STILL};
use crate::{ContactScratch, Impulse, Manifold, MatchCounts};

/// The contacts stage's slot in a pair's memory: drop it when the pair ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactMemory {
    points: Vec<Remembered>,
}

impl ContactMemory {
    /// Gives the points of a pair's `manifolds` (of this step) the keys and impulses that the same points
    /// had in the last step, and remembers them instead. A point is the same if it has the same subshapes, a
    /// normal within 60°, and stands where the old one stood, on one of the colliders; or else is called the
    /// same by the narrow phase; or else stands within 0.45 of its manifold's size of it. Each
    /// remembered point is used once. Friction is carried as a vector of the world, so that it does not
    /// depend on how the tangents are chosen.
    pub fn match_points(&mut self, manifolds: &mut [Manifold], scratch: &mut ContactScratch) -> MatchCounts {
        let matches = &mut scratch.matches;
        matches.begin(manifolds.iter().map(|m| m.points.len()).sum(), self.points.len());
        self.match_places(manifolds, MATCH_STILL, matches);
        self.match_features(manifolds, matches);
        self.match_places(manifolds, MATCH_REACH, matches);
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
            dedup_new_keys(manifolds, matches);
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
        let Matches { found, used, .. } = matches;
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
        let Matches { found, used, near, .. } = matches;
        if used.iter().all(|&used| used) {
            return;
        }
        near.clear();
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
        near.sort_unstable_by(|p, q| {
            p.distance.total_cmp(&q.distance).then((p.new, p.old).cmp(&(q.new, q.old)))
        });
        for near in &*near {
            if found[near.new].is_none() && !used[near.old] {
                used[near.old] = true;
                found[near.new] = Some(near.old);
            }
        }
    }
}

/// Gives every new point whose key another point of the same subshapes has already (an old one that has kept it
/// from elsewhere, or a new one before it) a key of its own.
fn dedup_new_keys(manifolds: &mut [Manifold], matches: &mut Matches) {
    let Matches { found, taken, .. } = matches;
    taken.clear();
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
