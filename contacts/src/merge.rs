//! The patches of one pair that are reduced: all, or, where there are too many, those whose normals agree as one.
//!
//! A rim that stands on a floor touches it in many small patches. Were only the deepest of them kept,
//! those on one side would be, and the body would tip to the other. As one patch they are reduced to four
//! points around the rim.

use crate::tunables::MERGE_COSINE;
use impinge_pair::{ContactPatch, Patch, PatchPoint};
use nalgebra::{Point3, Vector3};

/// Patches of a pair that are kept.
#[derive(Debug, Default)]
pub(crate) struct KeptPatches {
    /// Indices among the pair's patches, with the group of each where they are merged: the index in `kept` of its first.
    members: Vec<Member>,
    kept: Vec<Kept>,
    /// Unions of patches. The first of them are in use; the others are buffers.
    unions: Vec<Patch>,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    group: u32,
    patch: u32,
}

/// A patch that is reduced.
#[derive(Clone, Copy, Debug)]
enum Kept {
    /// One of the pair's.
    Own(u32),
    /// A union of several.
    Union(u32),
}

impl KeptPatches {
    /// Keeps those of a pair's patches that are asked for, deepest first (ties in their order).
    pub fn sort(&mut self, patches: &[Patch], is_asked: impl Fn(&Patch) -> bool) {
        let KeptPatches { members, kept, .. } = self;
        let asked = (0..).zip(patches).filter(|(_, patch)| is_asked(patch));
        members.clear();
        members.extend(asked.map(|(patch, _)| Member { group: 0, patch }));
        let depth = |member: &Member| patches[member.patch as usize].depth;
        members.sort_unstable_by(|p, q| depth(q).total_cmp(&depth(p)).then(p.patch.cmp(&q.patch)));
        kept.clear();
        kept.extend(members.iter().map(|member| Kept::Own(member.patch)));
    }

    /// Merges patches whose normals are within 5° of a deeper one's. The order stays. The unions of no more than
    /// `most` are made: the others are counted alone, and must be cut off.
    pub fn merge(&mut self, patches: &[Patch], most: usize) {
        let KeptPatches { members, kept, unions } = self;
        // The first of each group, as long as groups are looked for.
        kept.clear();
        for member in &mut *members {
            let normal = &patches[member.patch as usize].normal;
            let same = |first: &Kept| match *first {
                Kept::Own(first) => patches[first as usize].normal.dot(normal) >= MERGE_COSINE,
                Kept::Union(_) => false,
            };
            let group = kept.iter().position(same).unwrap_or(kept.len());
            if group == kept.len() {
                kept.push(Kept::Own(member.patch));
            }
            member.group = group as u32;
        }
        // Members are deepest first: that stays their order within a group.
        let depth = |member: &Member| patches[member.patch as usize].depth;
        members.sort_unstable_by(|p, q| {
            let by_depth = depth(q).total_cmp(&depth(p)).then(p.patch.cmp(&q.patch));
            p.group.cmp(&q.group).then(by_depth)
        });
        let groups = members.chunk_by(|p, q| p.group == q.group);
        let merged = kept.iter_mut().zip(groups).take(most).filter(|(_, group)| group.len() > 1);
        for (made, (kept, group)) in merged.enumerate() {
            let points =
                unions.get_mut(made).map(|last| std::mem::take(&mut last.points)).unwrap_or_default();
            let first = &patches[group[0].patch as usize];
            let union = union(first, group.iter().map(|member| &patches[member.patch as usize]), points);
            match unions.get_mut(made) {
                Some(last) => *last = union,
                None => unions.push(union),
            }
            *kept = Kept::Union(made as u32);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Keeps the first ones alone.
    pub fn truncate(&mut self, most: usize) {
        self.kept.truncate(most);
    }

    /// What is kept of a pair's patches, and whether it is a union of several.
    pub fn iter<'k>(&'k self, patches: &'k [Patch]) -> impl Iterator<Item = (&'k Patch, bool)> {
        self.kept.iter().map(|kept| match *kept {
            Kept::Own(patch) => (&patches[patch as usize], false),
            Kept::Union(union) => (&self.unions[union as usize], true),
        })
    }
}

/// A group of patches as one: volumes, gradients and torques add up, the centre of pressure is that of
/// all, the depth the greatest: that of the `first`. `points` is the buffer that its points are written to.
fn union<'p>(
    first: &Patch,
    group: impl Iterator<Item = &'p Patch> + Clone,
    mut points: Vec<PatchPoint>,
) -> Patch {
    let gradient: Vector3<f64> = group.clone().map(|p| p.gradient).sum();
    let normal = gradient.try_normalize(0.0).filter(|n| n.dot(&first.normal) > 0.5).unwrap_or(first.normal);
    let centroid = center(group.clone().map(|p| (p.volume, p.centroid)));
    points.clear();
    points.extend(group.clone().flat_map(|p| p.points.iter().copied()));
    Patch {
        normal,
        depth: first.depth,
        volume: group.clone().map(|p| p.volume).sum(),
        gradient,
        torque: group.clone().map(|p| p.torque).sum(),
        centroid,
        pressure_center: center(group.clone().map(|p| (p.gradient.norm(), p.pressure_center))),
        radius: group.clone().fold(0.0, |r, p| r.max((p.centroid - centroid).norm() + p.radius)),
        points,
        corners: Vec::new(),
        sectors: Vec::new(),
        origin: first.origin,
        region: ContactPatch::union(group.filter_map(|p| p.region.as_deref())).map(Box::new),
    }
}

/// The weighted centre of places; their plain centre where nothing weighs.
fn center(places: impl Iterator<Item = (f64, Point3<f64>)> + Clone) -> Point3<f64> {
    let total: f64 = places.clone().map(|(weight, _)| weight).sum();
    let count = places.clone().count() as f64;
    let share = |weight: f64| if total > 0.0 { weight / total } else { 1.0 / count };
    Point3::from(places.fold(Vector3::zeros(), |sum, (weight, at)| sum + at.coords * share(weight)))
}
