//! Exact volumes for the patches of one overlap.

use super::ExactVolume;
use crate::patch::Patch;

/// Gives patches that share an overlap its volume: in the shares that were measured, or where nothing was, in those of
/// their areas.
pub(crate) fn share(known: &ExactVolume, patches: &mut [Patch]) {
    if let [only] = patches {
        (only.volume, only.centroid) = (known.volume, known.centroid);
        return;
    }
    let measured: f64 = patches.iter().map(|patch| patch.volume).sum();
    let area: f64 = patches.iter().map(|patch| patch.gradient.norm()).sum();
    let count = patches.len() as f64;
    for patch in patches {
        let part = if measured > 0.0 {
            patch.volume / measured
        } else if area > 0.0 {
            patch.gradient.norm() / area
        } else {
            1.0 / count
        };
        patch.volume = known.volume * part;
    }
}

/// As [`share`] for patches along translations, whose areas are their volumes by their lengths.
pub(crate) fn share_translations(known: &ExactVolume, patches: &mut [Patch]) {
    let before: Vec<f64> = patches.iter().map(|patch| patch.volume).collect();
    share(known, patches);
    for (patch, before) in patches.iter_mut().zip(before) {
        if before > 0.0 {
            let grown = patch.volume / before;
            patch.gradient *= grown;
            patch.torque = patch.centroid.coords.cross(&patch.gradient);
            patch.pressure_center = patch.centroid;
            patch.points.iter_mut().for_each(|point| point.weight *= grown);
        }
    }
}
