//! All intervals of the views of pairs, as they came back.

use impinge_geometry::PairFrame;
use impinge_image_space::crossing::ANALYTIC;
use impinge_image_space::intervals::OverlapInterval;
use impinge_midphase::PairJob;
use impinge_pair::{SampledView, ViewIntervals};

use super::ManifoldTicket;
use super::answer::{interval, view};
use super::layout::{
    Candidate, ContactPairHead, INTERVAL_WORDS, PIXEL_BITS, PatchRecord, TRIANGLE_BITS, UPPER_BITS,
};
use crate::engine::Engine;
use crate::image::layout::TILE_SIDE;
use crate::received::Received;

/// Of a solid there is no triangle.
const NO_TRIANGLE: u32 = (1 << TRIANGLE_BITS) - 1;

impl Engine {
    /// As [`Received::view_intervals_of`], of any part that has come.
    pub fn view_intervals_of(&self, ticket: &ManifoldTicket, job: &PairJob<'_>) -> Vec<ViewIntervals> {
        let part = self.step.received(ticket.part, ticket.sequence);
        part.map_or_else(Vec::new, |part| part.view_intervals_of(ticket, job))
    }
}

impl Received {
    /// The views of a pair whose intervals have come, kept ones first (pair frame).
    pub fn view_intervals_of(&self, ticket: &ManifoldTicket, job: &PairJob<'_>) -> Vec<ViewIntervals> {
        let (Some(records), Some((head, patches))) = (self.records_of(ticket), self.head_of(ticket)) else {
            return Vec::new();
        };
        let patches = patches.map(|patch| self.patches.get(patch? as usize));
        let mut views: Vec<ViewIntervals> = Vec::with_capacity(records.len());
        for (number, record) in records.iter().enumerate() {
            let Some(mut view) = self.listed(record, head, &job.frame) else { continue };
            if ticket.solid {
                // Its views may be of several heads.
                view.view = SampledView::Kept(number);
            }
            let known = view.intervals.iter_mut().all(|interval| {
                let mut both = interval.solid.iter_mut().zip(patches);
                both.all(|(own, patch)| patch.is_none_or(|patch| patch.rename(own)))
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

    /// The intervals of a view; `None` where they are not known.
    fn listed(
        &self,
        record: &PatchRecord,
        head: &ContactPairHead,
        frame: &PairFrame,
    ) -> Option<ViewIntervals> {
        if record.intervals == 0 || record.place == u32::MAX {
            return None;
        }
        let words = INTERVAL_WORDS as usize;
        let first = record.place.checked_sub(self.from.room)? as usize * words;
        let own = self.listed.get(first..first + record.intervals as usize * words)?;
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
}
