//! Exact volumes for patches that are not made of contours: together a pair's patches have the pair's volume.

use super::contour_view::ContourViews;
use crate::patch::Patch;
use crate::patches::{ExactVolume, InteriorVertices, share_translations};
use impinge_exact::overlap::Overlap;

/// Gives the patches of bodies inside each other, those from number `first` on, their volumes: each has that of the overlap
/// nearest to it, or a share. Overlaps that none is nearest to go to the patch nearest to them.
pub(super) fn of_contained(interior: &InteriorVertices, first: usize, patches: &mut [Patch]) {
    let overlaps: Vec<&Overlap> = interior.contained().collect();
    let nearest = |patch: &Patch| {
        let away = |at: usize| (overlaps[at].centroid - patch.centroid).norm_squared();
        (0..overlaps.len()).min_by(|&i, &j| away(i).total_cmp(&away(j)))
    };
    let of: Vec<Option<usize>> = patches[first..].iter().map(nearest).collect();
    for (at, overlap) in overlaps.iter().enumerate() {
        let own: Vec<usize> = (0..of.len()).filter(|&k| of[k] == Some(at)).map(|k| first + k).collect();
        if own.is_empty() {
            to_nearest(overlap, patches);
            continue;
        }
        let mut group: Vec<Patch> = own.iter().map(|&k| patches[k].clone()).collect();
        share_translations(&ExactVolume::of(std::iter::once(*overlap)), &mut group);
        for (k, patch) in own.into_iter().zip(group) {
            patches[k] = patch;
        }
    }
}

/// Hands the volumes of overlaps with contours that no patch has to the patches nearest to them.
pub(super) fn of_unclaimed(interior: &InteriorVertices, views: &ContourViews, patches: &mut [Patch]) {
    let contained = |name: u32| interior.contained().any(|other| other.name == name);
    for overlap in interior.overlaps() {
        if !views.has_claimed(overlap.name) && !contained(overlap.name) {
            to_nearest(overlap, patches);
        }
    }
}

fn to_nearest(overlap: &Overlap, patches: &mut [Patch]) {
    let away = |patch: &Patch| (patch.centroid - overlap.centroid).norm_squared();
    if let Some(nearest) = patches.iter_mut().min_by(|p, q| away(p).total_cmp(&away(q))) {
        nearest.volume += overlap.volume;
    }
}
