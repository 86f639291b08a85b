//! Where two bodies in motion stand, at times of a grid.
//!
//! A search places both bodies for every node that it opens, and most nodes are opened for about the same time, that of
//! the meeting. Times are therefore rounded to a grid so fine that what boxes stray more by it, a hundredth of their size at most,
//! opens no more of them, and the last ones are kept.

use impinge_geometry::{PairFrame, PairPath, Side, Twist};

use super::moving::Seen;

/// Times of the grid for each radian of the turns, at least (and in all).
const STEPS: f64 = 64.0;

/// Times of the grid, at most.
const MOST_STEPS: f64 = 1e9;

/// Places for times that are kept: that of a time is its number modulo this.
const KEPT: usize = 16;

/// Both bodies at a time of the grid.
#[derive(Clone, Debug)]
pub(super) struct PlacedPair {
    step: u32,
    pub frame: PairFrame,
    pub twists: [Twist; 2],
    /// Boxes of B as A's nodes see them, and boxes of A as B's nodes do.
    pub seen: [Seen; 2],
}

/// The times that were asked for last.
pub(super) type KeptPairs = Vec<Option<PlacedPair>>;

/// How many times the grid of a path has, less one.
fn steps(path: &PairPath) -> f64 {
    let angle = path.angle(Side::A) + path.angle(Side::B);
    (STEPS * angle.max(1.0)).min(MOST_STEPS).ceil()
}

/// The time of the path's grid that is nearest to one from 0 to 1.
pub fn grid_time(path: &PairPath, time: f64) -> f64 {
    let steps = steps(path);
    (time * steps).round() / steps
}

/// The frames of a search.
pub(super) struct MotionFrames<'s> {
    path: &'s PairPath<'s>,
    /// No vertex is farther from its mesh's origin (m).
    reach: [f64; 2],
    /// Nothing moves faster (m per motion).
    speed: f64,
    steps: f64,
    kept: &'s mut KeptPairs,
}

impl<'s> MotionFrames<'s> {
    /// Frames of a path. `kept` may hold those of any other.
    pub fn new(
        path: &'s PairPath<'s>,
        reach: [f64; 2],
        speed: f64,
        kept: &'s mut KeptPairs,
    ) -> MotionFrames<'s> {
        kept.clear();
        kept.resize(KEPT, None);
        MotionFrames { path, reach, speed, steps: steps(path), kept }
    }

    /// The time of the grid that is nearest to one from 0 to 1, and where the bodies stand then.
    pub fn near(&mut self, time: f64) -> (f64, &PlacedPair) {
        let step = (time * self.steps).round();
        let (time, step) = (step / self.steps, step as u32);
        let MotionFrames { path, reach, speed, kept, .. } = self;
        let kept = &mut kept[step as usize % KEPT];
        if kept.as_ref().is_some_and(|kept| kept.step != step) {
            *kept = None;
        }
        let placed = kept.get_or_insert_with(|| {
            let (frame, twists) = path.placed(time);
            let seen = [Side::B, Side::A].map(|from| Seen::new(&frame, from, *reach, *speed));
            PlacedPair { step, frame, twists, seen }
        });
        (time, placed)
    }
}
