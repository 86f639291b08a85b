//! What came back of a part of a step is taken in.

use std::sync::Arc;
use std::time::Instant;

use crate::GpuFault;
use crate::engine::Engine;
use crate::image::capture::Method;
use crate::image::layout::ViewPair;
use crate::image::reference::take_in;
use crate::intersect;
use crate::manifold::layout::PatchRecord;
use crate::part::{Part, SOURCES};
use crate::received::Received;

impl Engine {
    /// Takes the answers of a part in and sees that they are this step's.
    pub(crate) fn receive(&mut self, part: &Part) -> Result<Arc<Received>, GpuFault> {
        let Engine { buffers, step, clock, capture, .. } = self;
        let Part { from, to, pending, submitted, .. } = part;
        let mut received = step.fill(from, to);
        let answered = Instant::now();
        let lengths = from.bytes(to).map(|range| (range.end - range.start) as usize);
        buffers.ring.read(pending, |view| {
            let mut rest = view;
            let parts: [&[u8]; SOURCES] = lengths.map(|bytes| {
                let (part, more) = rest.split_at(bytes);
                rest = more;
                part
            });
            let [own, of_views, pairs, tiles, patches, listed] = parts;
            let stamps = &rest[..from.stamp_bytes(to) as usize];
            for (words, to) in [
                (own, &mut received.answers),
                (of_views, &mut step.reference.answers),
                (tiles, &mut step.volumes.answers),
                (listed, &mut received.listed),
            ] {
                to.extend(words.chunks_exact(4).map(bytemuck::pod_read_unaligned::<u32>));
            }
            let pairs = pairs.chunks_exact(size_of::<ViewPair>());
            step.volumes.seen.extend(pairs.map(bytemuck::pod_read_unaligned::<ViewPair>));
            let records = patches.chunks_exact(size_of::<PatchRecord>());
            received.records.extend(records.map(bytemuck::pod_read_unaligned::<PatchRecord>));
            let counts = &mut step.counts;
            counts.bytes_back += view.len() as u64;
            if let Some(clock) = clock {
                let before = *counts;
                clock.read(from.timed, stamps, &mut counts.pass_times);
                let times =
                    Method::ALL.map(|method| counts.time_of(method.pass()) - before.time_of(method.pass()));
                let runs = Method::ALL.map(|method| clock.runs(from.timed..to.timed, method.pass()));
                capture.learn(runs.into_iter().max().unwrap_or(0), times);
                clock.spans(from.timed, stamps, [*submitted, answered], &mut step.pass_spans);
            }
            counts.gpu_time = counts.pass_times.iter().sum();
        })?;
        step.manifolds.note_room(&received);
        let stale = || GpuFault::NoAnswer { reason: "what came is the answer of another step".to_owned() };
        let tiles = from.reference_tiles..to.reference_tiles;
        if !take_in(&step.reference, tiles, step.sequence, &mut step.counts) {
            return Err(stale());
        }
        for unit in &received.units {
            let own = intersect::record(unit, &received.answers);
            let (record, _) = own.filter(|(r, _)| r.sequence == step.sequence).ok_or_else(stale)?;
            step.counts.hits += u64::from(record.hits);
            step.counts.uncertain += u64::from(record.uncertain);
            step.counts.triangle_tests += u64::from(record.tests);
        }
        let received = Arc::new(received);
        step.received.push(Arc::clone(&received));
        Ok(received)
    }
}
