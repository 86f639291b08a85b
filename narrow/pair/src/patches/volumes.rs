//! Exact volumes for patches: together a pair's patches have the volume of its overlaps.

use impinge_exact::overlap::Overlap;

use super::{ExactOverlaps, ExactVolume};
use crate::patch::Patch;

/// Gives patches the volumes of the overlaps that they are in: several share in what they
/// measured, or where nothing was, in their areas. Overlaps without a patch go to the nearest. `translations`: the patches' areas are
/// their volumes by their depths, and change with them.
pub(crate) fn share_out(exact: &ExactOverlaps<'_>, translations: bool, patches: &mut [Patch]) {
    let overlaps: Vec<&Overlap> = exact.list().collect();
    let before: Vec<f64> = patches.iter().map(|patch| patch.volume).collect();
    if let [only] = patches {
        let all = ExactVolume::of(overlaps.into_iter());
        (only.volume, only.centroid) = (all.volume, all.centroid);
    } else {
        by_place(&overlaps, patches);
    }
    for (patch, before) in patches.iter_mut().zip(before).filter(|_| translations) {
        if before > 0.0 {
            let grown = patch.volume / before;
            patch.gradient *= grown;
            patch.torque = patch.centroid.coords.cross(&patch.gradient);
            patch.pressure_center = patch.centroid;
            patch.points.iter_mut().for_each(|point| point.weight *= grown);
        }
    }
}

fn by_place(overlaps: &[&Overlap], patches: &mut [Patch]) {
    let nearest = |patch: &Patch| {
        let away = |at: usize| {
            let [low, high] = &overlaps[at].aabb;
            let beside = patch.centroid - patch.centroid.sup(low).inf(high);
            let apart = patch.centroid - overlaps[at].centroid;
            [beside.norm_squared(), apart.norm_squared()]
        };
        (0..overlaps.len()).min_by(|&i, &j| {
            let (p, q) = (away(i), away(j));
            p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1]))
        })
    };
    let of: Vec<Option<usize>> = patches.iter().map(nearest).collect();
    for (at, overlap) in overlaps.iter().enumerate() {
        let own: Vec<usize> = (0..of.len()).filter(|&k| of[k] == Some(at)).collect();
        share(overlap, &own, patches);
    }
    // Only now: what is shared out overwrites what was measured.
    for (at, overlap) in overlaps.iter().enumerate() {
        if !of.contains(&Some(at)) {
            let away = |patch: &Patch| (patch.centroid - overlap.centroid).norm_squared();
            if let Some(nearest) = patches.iter_mut().min_by(|p, q| away(p).total_cmp(&away(q))) {
                nearest.volume += overlap.volume;
            }
        }
    }
}

/// Shares an overlap's volume among some patches.
fn share(overlap: &Overlap, own: &[usize], patches: &mut [Patch]) {
    if let &[only] = own {
        (patches[only].volume, patches[only].centroid) = (overlap.volume, overlap.centroid);
        return;
    }
    let measured: f64 = own.iter().map(|&k| patches[k].volume).sum();
    let area: f64 = own.iter().map(|&k| patches[k].gradient.norm()).sum();
    for &k in own {
        let part = if measured > 0.0 {
            patches[k].volume / measured
        } else if area > 0.0 {
            patches[k].gradient.norm() / area
        } else {
            1.0 / own.len() as f64
        };
        patches[k].volume = overlap.volume * part;
    }
}
