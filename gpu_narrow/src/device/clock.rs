//! GPU time, by timestamps around every pass where the device has them.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::device::stretch::Stretch;
use crate::engine::MOST_SUBMISSIONS;
use crate::image::batch::{MOST_BATCHES, MOST_CONTACT_BATCHES};
use crate::part::STAMPS_OF_PASS;
use crate::passes::STEP_PASSES;

/// Bytes of one timestamp.
const STAMP: u64 = STAMPS_OF_PASS / 2;

/// Passes of one step, at most: the triangle intersection of every submission, and of every batch of views five where they were
/// handed over or are for intersection volumes, ten where they are for contacts; layers that are captured in all ways count three times.
const MOST_PASSES: u32 = MOST_SUBMISSIONS + 10 * MOST_BATCHES + 10 * MOST_CONTACT_BATCHES;

/// Queries of one step: two for each pass.
const STAMPS: u32 = 2 * MOST_PASSES;

/// When a pass ran, by the host's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassSpan {
    /// The pass's name.
    pub pass: &'static str,
    /// Its begin.
    pub begin: Instant,
    /// Its end.
    pub end: Instant,
}

/// Takes timestamps.
#[derive(Debug)]
pub(crate) struct Clock {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Nanoseconds of a tick.
    period: f64,
    axis: Axis,
    /// Passes timed in this step, by their place in the table.
    timed: Vec<usize>,
}

impl Clock {
    /// A clock; `None` where the device has no timestamps.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Option<Clock> {
        if !device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return None;
        }
        let set = device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("pass times"),
            ty: wgpu::QueryType::Timestamp,
            count: STAMPS,
        });
        let resolved = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("pass times"),
            size: (u64::from(STAMPS) * STAMP).next_multiple_of(256),
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let period = queue.get_timestamp_period().into();
        Some(Clock { set, resolved, period, axis: Axis::new(), timed: Vec::new() })
    }

    /// Begins a step.
    pub fn begin(&mut self) {
        self.timed.clear();
    }

    /// Where the next pass, of this name, writes its times.
    pub fn next(&mut self, pass: &str) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        self.stretch(pass).map(Stretch::is_compute)
    }

    /// The same of a pass that is made of several, of which the first writes its begin and the last its end.
    pub fn stretch(&mut self, pass: &str) -> Option<Stretch<'_>> {
        let first = 2 * self.timed.len() as u32;
        if first + 2 > STAMPS {
            return None;
        }
        self.timed.push(STEP_PASSES.iter().position(|p| p.name == pass)?);
        Some(Stretch::new(&self.set, first))
    }

    /// How often a pass ran among some of those timed.
    pub fn runs(&self, passes: Range<usize>, pass: &str) -> u32 {
        self.timed[passes].iter().filter(|own| STEP_PASSES[**own].name == pass).count() as u32
    }

    /// Passes timed so far in this step.
    pub fn timed(&self) -> usize {
        self.timed.len()
    }

    /// Copies the timestamps of some of these passes to `to`, from `offset` on.
    pub fn resolve(
        &self,
        passes: Range<usize>,
        encoder: &mut wgpu::CommandEncoder,
        to: &wgpu::Buffer,
        offset: u64,
    ) {
        if !passes.is_empty() {
            let queries = 2 * passes.start as u32..2 * passes.end as u32;
            let bytes = passes.len() as u64 * STAMPS_OF_PASS;
            encoder.resolve_query_set(&self.set, queries, &self.resolved, 0);
            encoder.copy_buffer_to_buffer(&self.resolved, 0, to, offset, bytes);
        }
    }

    /// Adds the times of the passes from the `first` on, each at its place in the table.
    pub fn read(&self, first: usize, bytes: &[u8], times: &mut [Duration; STEP_PASSES.len()]) {
        for (pair, &pass) in bytes.chunks_exact(STAMPS_OF_PASS as usize).zip(&self.timed[first..]) {
            let [begin, end] = ticks(pair);
            times[pass] += Duration::from_nanos((end.saturating_sub(begin) as f64 * self.period) as u64);
        }
    }

    /// When each pass from the `first` on ran, in their order, of a part of a step that was submitted and answered then.
    pub fn spans(
        &mut self,
        first: usize,
        bytes: &[u8],
        [submitted, answered]: [Instant; 2],
        out: &mut Vec<PassSpan>,
    ) {
        let Clock { period, axis, timed, .. } = self;
        let nanos = |tick: u64| (tick as f64 * *period) as i128;
        let pairs = || bytes.chunks_exact(STAMPS_OF_PASS as usize).map(|pair| ticks(pair).map(nanos));
        let (Some(begin), Some(end)) = (pairs().map(|p| p[0]).min(), pairs().map(|p| p[1]).max()) else {
            return;
        };
        axis.fit([begin, end], [submitted, answered]);
        out.extend(pairs().zip(&timed[first..]).map(|([begin, end], pass)| PassSpan {
            pass: STEP_PASSES[*pass].name,
            begin: axis.at(begin),
            end: axis.at(end.max(begin)),
        }));
    }
}

/// Begin and end of a pass.
fn ticks(pair: &[u8]) -> [u64; 2] {
    [0, 1].map(|k| bytemuck::pod_read_unaligned::<u64>(&pair[k * 8..k * 8 + 8]))
}

/// How far the device's clock is from the host's. All of a part of a step runs between its submission and its answer, and the
/// tightest answer seen so far says most.
#[derive(Debug)]
struct Axis {
    origin: Instant,
    /// What is to be added to nanoseconds of the device for those since `origin`.
    offset: Option<i128>,
}

impl Axis {
    fn new() -> Axis {
        Axis { origin: Instant::now(), offset: None }
    }

    /// Takes in the first and the last timestamp of a step (ns), and when it was submitted and answered.
    fn fit(&mut self, [first, last]: [i128; 2], between: [Instant; 2]) {
        let [submitted, answered] = between.map(|at| at.duration_since(self.origin).as_nanos() as i128);
        let most = answered - last;
        self.offset = Some(self.offset.map_or(most, |known| known.min(most)).max(submitted - first));
    }

    /// The host's time of one of the device's (ns).
    fn at(&self, nanos: i128) -> Instant {
        let since = nanos + self.offset.unwrap_or(0);
        self.origin + Duration::from_nanos(since.clamp(0, i128::from(u64::MAX)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_keeps_the_tightest_answer_and_no_pass_begins_before_it_was_submitted() {
        let mut axis = Axis::new();
        let host = |axis: &Axis, ns: u64| axis.origin + Duration::from_nanos(ns);
        // The device is 5,000 ns ahead of the origin: it works from 1,000 to 2,000 and is heard of at 2,900.
        axis.fit([6_000, 7_000], [host(&axis, 800), host(&axis, 2_900)]);
        assert_eq!(axis.at(7_000), host(&axis, 2_900));
        // The next answer comes after 100 ns, a later one late again: the tightest holds.
        axis.fit([16_000, 17_000], [host(&axis, 10_500), host(&axis, 12_100)]);
        axis.fit([26_000, 27_000], [host(&axis, 20_500), host(&axis, 25_000)]);
        assert_eq!(axis.at(26_000), host(&axis, 21_100));
        // A clock that has fallen behind: the work was submitted at 31,500 and cannot have begun earlier.
        axis.fit([36_000, 37_000], [host(&axis, 31_500), host(&axis, 33_000)]);
        assert_eq!(axis.at(36_000), host(&axis, 31_500));
    }
}
