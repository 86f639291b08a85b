//! Views that were sampled elsewhere, by a device: what a pair finds among them it does not sample itself.

use impinge_image_space::intervals::OverlapInterval;
use impinge_image_space::view::View;

/// Where a view that was sampled elsewhere stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SampledView {
    /// It is this one of [`NarrowMemory::kept_views`](crate::NarrowMemory::kept_views).
    Kept(usize),
    /// It was laid there (pair frame).
    Laid(View),
}

/// A view that was sampled elsewhere, with all that its lines say.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewIntervals {
    /// Where it stands.
    pub view: SampledView,
    /// Its overlap intervals, in the order of their pixels and then of depth.
    pub intervals: Vec<OverlapInterval>,
}

/// The views of the pair at hand that were sampled elsewhere.
#[derive(Debug, Default)]
pub(crate) struct SampledViews {
    list: Vec<ViewIntervals>,
    taken: Vec<bool>,
    given: bool,
}

impl SampledViews {
    /// Takes over those of a pair, which is not to be looked at more closely by views of its own.
    pub fn give(&mut self, views: Vec<ViewIntervals>) {
        self.taken.clear();
        self.taken.resize(views.len(), false);
        self.list = views;
        self.given = true;
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        *self = SampledViews::default();
    }

    /// Gives back all that were taken.
    pub fn give_back(&mut self) {
        self.taken.fill(false);
    }

    /// Whether the pair's views were sampled elsewhere.
    pub fn is_given(&self) -> bool {
        self.given
    }

    /// Those that no patch has taken, with their numbers.
    pub fn left(&self) -> impl Iterator<Item = (usize, &ViewIntervals)> {
        self.list.iter().enumerate().filter(|(at, _)| !self.taken[*at])
    }

    /// Takes the view of a number.
    pub fn take(&mut self, at: usize) -> &[OverlapInterval] {
        self.taken[at] = true;
        &self.list[at].intervals
    }
}
