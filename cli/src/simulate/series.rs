//! Numbers gathered step by step.

use std::time::Duration;

use serde::Serialize;

/// Durations of one stage over the steps.
#[derive(Debug, Default)]
pub struct Times(Vec<Duration>);

/// Percentiles and the longest (µs), and the sum (s).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TimeSummary {
    /// Half of the steps took no longer (µs).
    pub median_us: f64,
    /// 95 of 100 steps took no longer (µs).
    pub p95_us: f64,
    /// 99 of 100 steps took no longer (µs).
    pub p99_us: f64,
    /// The longest step (µs).
    pub max_us: f64,
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
        Times::summary_of(self.0.clone())
    }

    /// The same of those steps alone for which `counted` holds true.
    pub fn summary_where(&self, counted: &[bool]) -> TimeSummary {
        let chosen = self.0.iter().zip(counted).filter(|(_, counted)| **counted);
        Times::summary_of(chosen.map(|(time, _)| *time).collect())
    }

    fn summary_of(mut sorted: Vec<Duration>) -> TimeSummary {
        sorted.sort_unstable();
        let micros = |share: f64| rank(&sorted, share).map_or(0.0, |d| d.as_secs_f64() * 1e6);
        TimeSummary {
            median_us: micros(0.5),
            p95_us: micros(0.95),
            p99_us: micros(0.99),
            max_us: micros(1.0),
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

    /// For each step whether it counted anything when it began or when it ended: the first has what it ended with.
    pub fn any(&self) -> Vec<bool> {
        let before = self.0.first().into_iter().chain(&self.0);
        before.zip(&self.0).map(|(before, now)| before + now > 0).collect()
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
        let found = [summary.median_us, summary.p95_us, summary.p99_us, summary.max_us];
        assert!(found.iter().zip([50.0, 95.0, 99.0, 100.0]).all(|(x, y)| (x - y).abs() < 1e-9), "{found:?}");
    }

    #[test]
    fn steps_that_count_are_summed_up_alone() {
        let (mut times, mut awake) = (Times::default(), Counts::default());
        for (time, count) in [(5, 1), (7, 2), (9, 0), (1, 0), (1, 0), (8, 1)] {
            times.push(Duration::from_micros(time));
            awake.push(count);
        }
        assert_eq!(awake.any(), [true, true, true, false, false, true]);
        let summary = times.summary_where(&awake.any());
        assert!((summary.median_us - 7.0).abs() < 1e-9 && (summary.max_us - 9.0).abs() < 1e-9);
        assert!((summary.total_s - 29e-6).abs() < 1e-12);
        assert_eq!(Times::default().summary_where(&[]), TimeSummary::default());
    }
}
