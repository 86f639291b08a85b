//! Which way of capturing is taken, and the measurement that decides.

use std::time::Duration;

use super::passes::{PEELING, UNORDERED};
use super::setting::StepCapture;
use crate::image::passes::LAYERS;

/// Captures that are measured in all ways.
const MEASURED: u32 = 4;

/// A way that takes so many times as long as the fastest drops out.
const FAR_BEHIND: u32 = 4;

/// The passes that layers are timed as, whichever way they are captured.
pub const LAYER_PASSES: [&str; 3] = [LAYERS.name, PEELING.name, UNORDERED.name];

/// A way of capturing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Tiles,
    Peeling,
    Unordered,
}

impl Method {
    /// All, in the order in which they are measured: the tile kernel comes last.
    pub const ALL: [Method; 3] = [Method::Peeling, Method::Unordered, Method::Tiles];

    /// The pass that all of it is timed as.
    pub fn pass(self) -> &'static str {
        match self {
            Method::Tiles => LAYERS.name,
            Method::Peeling => PEELING.name,
            Method::Unordered => UNORDERED.name,
        }
    }

    fn setting(self) -> StepCapture {
        match self {
            Method::Tiles => StepCapture::Tiles,
            Method::Peeling => StepCapture::Peeling,
            Method::Unordered => StepCapture::Unordered,
        }
    }
}

/// How the layers of a step's views are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureReport {
    /// The way that is taken; [`StepCapture::Auto`] while it is being measured which.
    pub taken: StepCapture,
    /// Captures that were measured in several ways; 0 where nothing was.
    pub measured: u32,
    /// What these took by the device's timestamps: the tile kernel, depth peeling, unordered. A way that took four times as long as
    /// another has dropped out, and its time is that until then.
    pub times: [Duration; 3],
}

/// The way that is taken, or the state of the measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    taken: Option<Method>,
    /// Captures that were asked for in several ways, and those whose times have come.
    asked: u32,
    measured: u32,
    /// In the order of [`Method::ALL`]: which are still measured, and what they took.
    open: [bool; 3],
    times: [Duration; 3],
}

impl Choice {
    /// A choice that is made.
    pub fn of(method: Method) -> Choice {
        Choice { taken: Some(method), asked: 0, measured: 0, open: [true; 3], times: [Duration::ZERO; 3] }
    }

    /// One that is to be measured.
    pub fn open() -> Choice {
        Choice { taken: None, ..Choice::of(Method::Tiles) }
    }

    /// How so many tiles are to be captured, one way after the other; the last leaves what counts. Of none, so that shaders are warmed
    /// up, in all ways that may come.
    pub fn methods(&mut self, tiles: usize) -> impl Iterator<Item = Method> + use<> {
        let (taken, open) = (self.taken, self.open);
        let measures = taken.is_none() && (tiles == 0 || self.asked < MEASURED);
        self.asked += u32::from(measures && tiles > 0);
        Method::ALL
            .into_iter()
            .zip(open)
            .filter(move |(method, open)| match taken {
                Some(taken) => *method == taken,
                None => *method == Method::Tiles || (measures && *open),
            })
            .map(|(method, _)| method)
    }

    /// Begins a step: what was asked for before and has not come is asked for again.
    pub fn begin(&mut self) {
        self.asked = self.measured;
    }

    /// Takes in what the ways took for some captures, in the order of [`Method::ALL`]; those that shaders were warmed up with are not
    /// measured. A way that takes many times as long as another is not measured again.
    pub fn learn(&mut self, captures: u32, times: [Duration; 3]) {
        let captures = captures.min(self.asked.saturating_sub(self.measured));
        if self.taken.is_some() || captures == 0 {
            return;
        }
        self.measured += captures;
        for (sum, time) in self.times.iter_mut().zip(times) {
            *sum += time;
        }
        // Of equal ones the tile kernel.
        let of_open = Method::ALL.into_iter().zip(self.times).zip(self.open).filter(|(_, open)| *open);
        let Some(((method, least), _)) = of_open.rev().min_by_key(|((_, time), _)| *time) else { return };
        for (open, time) in self.open.iter_mut().zip(self.times) {
            *open &= time <= FAR_BEHIND * least;
        }
        if self.measured >= MEASURED {
            self.taken = Some(method);
        }
    }

    /// What there is to say of it.
    pub fn report(&self) -> CaptureReport {
        let [peeling, unordered, tiles] = self.times;
        CaptureReport {
            taken: self.taken.map_or(StepCapture::Auto, Method::setting),
            measured: self.measured,
            times: [tiles, peeling, unordered],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(times: [u64; 3]) -> [Duration; 3] {
        times.map(Duration::from_millis)
    }

    fn methods(choice: &mut Choice, tiles: usize) -> Vec<Method> {
        choice.methods(tiles).collect()
    }

    #[test]
    fn the_fastest_of_four_captures_is_kept() {
        for (times, taken) in [
            ([3, 2, 4], StepCapture::Unordered),
            ([1, 2, 4], StepCapture::Peeling),
            ([3, 2, 1], StepCapture::Tiles),
            ([2, 2, 2], StepCapture::Tiles),
        ] {
            let mut choice = Choice::open();
            // Shaders are warmed up, and that counts for nothing.
            assert_eq!(methods(&mut choice, 0), Method::ALL);
            choice.learn(3, ms([0, 0, 9]));
            for round in 0..MEASURED {
                assert_eq!(methods(&mut choice, 8), Method::ALL);
                assert_eq!((choice.report().taken, choice.report().measured), (StepCapture::Auto, round));
                choice.learn(1, ms(times));
            }
            assert_eq!((choice.report().taken, choice.report().measured), (taken, MEASURED));
            assert_eq!(choice.report().times, ms([times[2], times[0], times[1]]).map(|time| 4 * time));
            assert_eq!(methods(&mut choice, 8).len(), 1);
            // What comes later changes nothing.
            choice.learn(1, ms([0, 0, 0]));
            assert_eq!(choice.report().measured, MEASURED);
        }
    }

    #[test]
    fn what_does_not_come_is_measured_in_a_later_step() {
        let mut choice = Choice::open();
        for _ in 0..MEASURED {
            assert_eq!(methods(&mut choice, 8), Method::ALL);
        }
        // While answers are on their way nothing more is measured.
        assert_eq!(methods(&mut choice, 8), [Method::Tiles]);
        choice.learn(1, ms([1, 2, 3]));
        // The others are lost.
        choice.begin();
        for _ in 1..MEASURED {
            assert_eq!(methods(&mut choice, 8), Method::ALL);
        }
        assert_eq!(methods(&mut choice, 8), [Method::Tiles]);
        choice.learn(3, ms([3, 6, 9]));
        assert_eq!(choice.report().taken, StepCapture::Peeling);
        assert_eq!(choice.report().times, ms([12, 4, 8]));
    }

    #[test]
    fn a_way_that_is_far_behind_drops_out() {
        let mut choice = Choice::open();
        assert_eq!(methods(&mut choice, 8), Method::ALL);
        choice.learn(1, ms([50, 9, 10]));
        for _ in 1..MEASURED {
            assert_eq!(methods(&mut choice, 8), [Method::Unordered, Method::Tiles]);
            choice.learn(1, ms([0, 9, 10]));
        }
        // Though the sum of peeling stayed where it was.
        assert_eq!(choice.report().taken, StepCapture::Unordered);
        // The tile kernel runs whether or not it is far behind, as it is what counts until then.
        let mut choice = Choice::open();
        for _ in 0..MEASURED {
            assert!(methods(&mut choice, 8).contains(&Method::Tiles));
            choice.learn(1, ms([9, 2, 50]));
        }
        assert_eq!(choice.report().taken, StepCapture::Unordered);
    }

    #[test]
    fn what_is_chosen_is_not_measured() {
        for method in Method::ALL {
            let mut choice = Choice::of(method);
            assert_eq!(methods(&mut choice, 8), [method]);
            choice.learn(1, ms([1, 1, 1]));
            assert_eq!(choice.report().measured, 0);
        }
    }
}
