//! Numbers gathered step by step.

use std::time::Duration;

use serde::Serialize;

/// Durations of one stage over the steps.
#[derive(Debug, Default)]
pub struct Times(Vec<Duration>);

/// Median and 99th percentile (µs), and the sum (s).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TimeSummary {
    /// Half of the steps took no longer (µs).
    pub median_us: f64,
    /// 99 of 100 steps took no longer (µs).
    pub p99_us: f64,
    /// All steps together (s).
    pub total_s: f64,
}

impl Times {
    /// Room for so many steps.
    pub fn with_capacity(steps: usize) -> Times {
        Times(Vec::with_capacity(steps))
    }

    /// Adds a step.
    pub fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// What there is to say; all zero without steps.
    pub fn summary(&self) -> TimeSummary {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let micros = |share: f64| rank(&sorted, share).map_or(0.0, |d| d.as_secs_f64() * 1e6);
        TimeSummary {
            median_us: micros(0.5),
            p99_us: micros(0.99),
            total_s: sorted.iter().sum::<Duration>().as_secs_f64(),
        }
    }
}

/// Counts of one kind over the steps.
#[derive(Debug, Default)]
pub struct Counts(Vec<u64>);

/// Median, greatest and last value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CountSummary {
    /// Half of the steps counted no more.
    pub median: u64,
    /// The greatest.
    pub max: u64,
    /// The last step's.
    pub last: u64,
}

impl Counts {
    /// Room for so many steps.
    pub fn with_capacity(steps: usize) -> Counts {
        Counts(Vec::with_capacity(steps))
    }

    /// Adds a step.
    pub fn push(&mut self, count: u64) {
        self.0.push(count);
    }

    /// What there is to say; all zero without steps.
    pub fn summary(&self) -> CountSummary {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        CountSummary {
            median: rank(&sorted, 0.5).unwrap_or(0),
            max: sorted.last().copied().unwrap_or(0),
            last: self.0.last().copied().unwrap_or(0),
        }
    }
}

/// The value that a share of the sorted values do not exceed (nearest rank).
fn rank<T: Copy>(sorted: &[T], share: f64) -> Option<T> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_nearest_ranks() {
        let mut counts = Counts::default();
        assert_eq!(counts.summary(), CountSummary::default());
        for k in [5, 1, 4, 2, 3] {
            counts.push(k);
        }
        assert_eq!(counts.summary(), CountSummary { median: 3, max: 5, last: 3 });
        let mut times = Times::default();
        (1..=100).rev().for_each(|k| times.push(Duration::from_micros(k)));
        let summary = times.summary();
        assert!((summary.median_us - 50.0).abs() < 1e-9 && (summary.p99_us - 99.0).abs() < 1e-9);
    }
}
