//! Patches of one pair whose normals agree become one.
//!
//! A rim that stands on a floor touches it in many small patches. Were only the deepest of them kept,
//! those on one side would be, and the body would tip to the other. As one patch they are reduced to four
//! points around the rim.

use std::borrow::Cow;

use crate::tunables::MERGE_COSINE;
use impinge_pair::{ContactPatch, Patch};
use nalgebra::{Point3, Vector3};

/// Merges patches, given deepest first, whose normals are within 5° of a deeper one's. The order stays.
pub(crate) fn merge<'p>(patches: &[&'p Patch]) -> Vec<Cow<'p, Patch>> {
    let mut groups: Vec<Vec<&'p Patch>> = Vec::new();
    for &patch in patches {
        match groups.iter_mut().find(|group| group[0].normal.dot(&patch.normal) >= MERGE_COSINE) {
            Some(group) => group.push(patch),
            None => groups.push(vec![patch]),
        }
    }
    groups.iter().map(|group| if group.len() == 1 { Cow::Borrowed(group[0]) } else { union(group) }).collect()
}

/// A group of patches as one: volumes, gradients and torques add up, the centre of pressure is that of
/// all, the depth the greatest.
fn union<'p>(group: &[&Patch]) -> Cow<'p, Patch> {
    let first = group[0];
    let gradient: Vector3<f64> = group.iter().map(|p| p.gradient).sum();
    let normal = gradient.try_normalize(0.0).filter(|n| n.dot(&first.normal) > 0.5).unwrap_or(first.normal);
    let centroid = center(group.iter().map(|p| (p.volume, p.centroid)));
    Cow::Owned(Patch {
        normal,
        depth: first.depth,
        volume: group.iter().map(|p| p.volume).sum(),
        gradient,
        torque: group.iter().map(|p| p.torque).sum(),
        centroid,
        pressure_center: center(group.iter().map(|p| (p.gradient.norm(), p.pressure_center))),
        radius: group.iter().fold(0.0, |r, p| r.max((p.centroid - centroid).norm() + p.radius)),
        points: group.iter().flat_map(|p| p.points.iter().copied()).collect(),
        corners: Vec::new(),
        sectors: Vec::new(),
        origin: first.origin,
        region: ContactPatch::union(group.iter().filter_map(|p| p.region.as_deref())).map(Box::new),
    })
}

/// The weighted centre of places; their plain centre where nothing weighs.
fn center(places: impl Iterator<Item = (f64, Point3<f64>)> + Clone) -> Point3<f64> {
    let total: f64 = places.clone().map(|(weight, _)| weight).sum();
    let count = places.clone().count() as f64;
    let share = |weight: f64| if total > 0.0 { weight / total } else { 1.0 / count };
    Point3::from(places.fold(Vector3::zeros(), |sum, (weight, at)| sum + at.coords * share(weight)))
}
