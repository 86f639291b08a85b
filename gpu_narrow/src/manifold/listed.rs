//! All intervals of the views of pairs, as they came back.

use impinge_geometry::PairFrame;
use impinge_image_space::crossing::ANALYTIC;
use impinge_image_space::intervals::OverlapInterval;
use impinge_midphase::PairJob;
use impinge_pair::{SampledView, ViewIntervals};

use super::answer::{interval, view};
use super::layout::{
    Candidate, ContactPairHead, INTERVAL_WORDS, OF_SOLID, PIXEL_BITS, PatchRecord, TRIANGLE_BITS, UPPER_BITS,
};
use super::{ManifoldStep, ManifoldTicket};
use crate::engine::Engine;
use crate::image::layout::TILE_SIDE;

/// Of a solid there is no triangle.
const NO_TRIANGLE: u32 = (1 << TRIANGLE_BITS) - 1;

impl Engine {
    /// The views of a pair of the step that was finished last whose intervals have come, kept ones first (pair frame).
    pub fn view_intervals_of(&self, ticket: &ManifoldTicket, job: &PairJob<'_>) -> Vec<ViewIntervals> {
        let own = &self.step.manifolds;
        let (Some(records), Some(head)) = (self.records_of(ticket), own.heads.get(ticket.pair as usize))
        else {
            return Vec::new();
        };
        let patches = own.patches.get(ticket.pair as usize).copied().unwrap_or_default();
        let patches = patches.map(|patch| self.step.patches.get(patch? as usize));
        let mut views: Vec<ViewIntervals> = Vec::with_capacity(records.len());
        let solid = own.tiles.get(ticket.first_view as usize).is_some_and(|tile| tile.flags & OF_SOLID != 0);
        for (number, record) in records.iter().enumerate() {
            let Some(mut view) = listed(own, record, head, &job.frame) else { continue };
            if solid {
                // Its views may be of several heads.
                view.view = SampledView::Kept(number);
            }
            let known = view.intervals.iter_mut().all(|interval| {
                let mut both = interval.solid.iter_mut().zip(patches);
                both.all(|(own, patch)| patch.is_none_or(|(patch, _)| patch.rename(own)))
            });
            if known {
                views.push(view);
            }
        }
        views.sort_by_key(|own| match own.view {
            SampledView::Kept(index) => index,
            SampledView::Laid(_) => usize::MAX,
        });
        views
    }
}

/// The intervals of a view; `None` where they are not known.
fn listed(
    step: &ManifoldStep,
    record: &PatchRecord,
    head: &ContactPairHead,
    frame: &PairFrame,
) -> Option<ViewIntervals> {
    if record.intervals == 0 || record.place == u32::MAX {
        return None;
    }
    let words = INTERVAL_WORDS as usize;
    let first = record.place as usize * words;
    let own = step.listed.get(first..first + record.intervals as usize * words)?;
    let one = |words: &[u32]| -> OverlapInterval {
        let [first, a, b, c, d, of_a, of_b] = std::array::from_fn(|k| words[k]);
        let [column, row] = [first % TILE_SIDE, first % (1 << PIXEL_BITS) / TILE_SIDE];
        let lower = [of_a & 0xffff, of_a >> 16, of_b & 0xffff, of_b >> 16];
        let upper = |k: usize| (first >> (PIXEL_BITS + k as u32 * UPPER_BITS)) % (1 << UPPER_BITS);
        interval(&Candidate {
            pixel: column | (row << 16),
            depths: [a, b, c, d].map(|depth| depth as i32),
            triangles: std::array::from_fn(|k| match lower[k] | (upper(k) << 16) {
                NO_TRIANGLE => ANALYTIC,
                triangle => triangle,
            }),
        })
    };
    Some(ViewIntervals {
        view: match record.kept {
            u32::MAX => SampledView::Laid(view(record, head, frame)),
            kept => SampledView::Kept(kept as usize),
        },
        intervals: own.chunks_exact(words).map(one).collect(),
    })
}
