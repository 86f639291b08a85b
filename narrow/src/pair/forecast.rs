//! Views that are known before a pair is looked at, for a device to look at meanwhile.

use impinge_geometry::Side;
use impinge_midphase::{PairJob, Work};

use super::memory::NarrowMemory;
use super::scene::Scene;
use super::three_views::probes;
use crate::settings::NarrowSettings;
use crate::view::View;
use impinge_exact::containment::{ContainmentScratch, containment};
use impinge_exact::intersect::{StreamOut, Surfaces};
use impinge_geometry::Containment;

/// No tile has more columns than this, as a rule.
const FULL: u32 = 256;

/// Adds the views that a job makes if nothing much has moved since the last step, each with
/// how many columns it is likely to have: those that are kept, and those that begin a search for overlaps
/// anywhere.
pub(crate) fn forecast(
    job: &PairJob<'_>,
    settings: &NarrowSettings,
    memory: Option<&NarrowMemory>,
    scratch: &mut ContainmentScratch,
    out: &mut Vec<(View, u32)>,
) {
    let Work::Surfaces { leaf_pairs } = &job.work else {
        // Of solids only who has searched in the last step is known to search.
        let known = memory.and_then(NarrowMemory::probed);
        if let (Some(columns), Some(scene)) = (known, Scene::new(job, [true; 2], settings)) {
            out.extend(probes(&scene).zip(columns));
        }
        return;
    };
    let apart = leaf_pairs.is_empty();
    if memory.is_none() && !apart && !may_hold(job) {
        return;
    }
    let Some(scene) = Scene::new(job, [false; 2], settings) else { return };
    let closed = scene.both_closed();
    if let Some(memory) = memory {
        out.extend(memory.forecast(&job.frame, closed));
    }
    if !closed {
        return;
    }
    // Surfaces without a pair of leaves do not cross, so this is known; of a new pair that may cross it is likely.
    let mut is_inside = || {
        let found = Surfaces::of_job(job).map(|both| containment(&both, &StreamOut::default(), scratch));
        found.is_some_and(|found| found != Containment::None)
    };
    let probed = match memory.map(NarrowMemory::probed) {
        Some(known) if !apart => known,
        known => is_inside().then(|| known.flatten().unwrap_or([FULL; 3])),
    };
    if let Some(columns) = probed {
        out.extend(probes(&scene).zip(columns));
    }
}

/// Whether the sphere around one body holds that of the other.
fn may_hold(job: &PairJob<'_>) -> bool {
    let [a, b] = Side::BOTH.map(|side| {
        let sphere = &job.parts[side.index()].sphere;
        (job.frame.place(side, &sphere.center), f64::from(sphere.radius))
    });
    (a.0 - b.0).norm() <= (a.1 - b.1).abs()
}
