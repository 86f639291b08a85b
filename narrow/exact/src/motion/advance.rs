//! Two convex things in motion, brought forward until they nearly touch.
//!
//! At a time their nearest points give an axis `n`. Whatever moves, its least and greatest height along `n` at a later
//! time bound the heights between by their chords, off by no more than the sagitta of the arcs: so one axis proves at once
//! for how long it parts them. There the next axis is found. It ends where the gap is as small as is asked for.

use nalgebra::Vector3;

/// Rounds at most; what is not done then ends early, not late.
const ROUNDS: u32 = 4096;

/// Times that an axis is tried at, at most.
const TRIALS: u32 = 48;

/// Rounds after which something else than axes is asked, too: where things turn about each other faster than they close.
const PATIENCE: u32 = 8;

/// Part of the gap asked for that stays between the two while they are brought forward.
const KEPT: f64 = 0.5;

/// The nearest points of two things that are apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestPair {
    /// Their distance (m).
    pub distance: f64,
    /// Unit, from A's to B's.
    pub normal: Vector3<f64>,
}

/// Two convex things in motion.
pub(super) trait Approach {
    /// Their nearest points at a time; `None` where they touch, or cannot be told from touching.
    fn nearest(&mut self, time: f64) -> Option<NearestPair>;

    /// How far B begins beyond where A ends along a unit vector, at a time (m).
    fn separation(&mut self, time: f64, normal: &Vector3<f64>) -> f64;

    /// By how much [`Approach::separation`] may be less, between two times `span` apart, than the chord between them (m).
    fn sagitta(&self, normal: &Vector3<f64>, span: f64) -> f64;

    /// Until when, of two times, they are known not to touch by anything else than an axis; `None` where they never do.
    fn free_until(&mut self, [time, _]: [f64; 2]) -> Option<f64> {
        Some(time)
    }
}

/// How near things may come, and how badly they are placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    /// It ends where the gap is no greater (m).
    pub gap: f64,
    /// Separations may be off by as much (m).
    pub error: f64,
}

/// Where two things have been brought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub time: f64,
    /// `None` where they touch.
    pub nearest: Option<NearestPair>,
}

/// Brings two things forward from a time until they nearly touch; `None` where they stay apart up to the end.
pub(super) fn advance(
    pair: &mut impl Approach,
    [begin, end]: [f64; 2],
    tolerance: &Tolerance,
    gaps: &mut u64,
) -> Option<Arrival> {
    let mut time = begin;
    for round in 0..ROUNDS {
        *gaps += 1;
        let nearest = pair.nearest(time);
        let Some(found) = nearest else { return Some(Arrival { time, nearest }) };
        if found.distance <= tolerance.gap {
            return Some(Arrival { time, nearest });
        }
        let mut until = apart_until(pair, [time, end], &found.normal, tolerance)?;
        if round >= PATIENCE {
            until = until.max(pair.free_until([time, end])?);
        }
        if until <= time {
            return Some(Arrival { time, nearest });
        }
        time = until;
    }
    *gaps += 1;
    let nearest = pair.nearest(time);
    Some(Arrival { time, nearest })
}

/// Until when an axis proves things apart; `None` where it does so up to the end.
fn apart_until(
    pair: &mut impl Approach,
    [time, end]: [f64; 2],
    normal: &Vector3<f64>,
    tolerance: &Tolerance,
) -> Option<f64> {
    let kept = KEPT * tolerance.gap;
    let first = pair.separation(time, normal) - tolerance.error;
    let (mut until, mut trial) = (time, end);
    for _ in 0..TRIALS {
        let span = trial - time;
        let last = pair.separation(trial, normal) - tolerance.error;
        let sagitta = pair.sagitta(normal, span);
        if trial == end && first.min(last) - sagitta > 0.0 {
            return None;
        }
        // An arc that takes most of the gap leaves nothing to prove with.
        let short = sagitta <= 0.5 * (first - kept);
        if !short {
            if until > time {
                break;
            }
            trial = time + 0.5 * span;
            continue;
        }
        let proved = if last - sagitta >= kept {
            trial
        } else {
            time + span * ((first - sagitta - kept) / (first - last))
        };
        until = until.max(proved.min(trial));
        // Where arcs matter, the same axis proves more of a shorter one.
        let next = (time + 2.0 * (until - time)).min(end);
        if next >= trial || sagitta <= 0.1 * first {
            break;
        }
        trial = next;
    }
    Some(until)
}
