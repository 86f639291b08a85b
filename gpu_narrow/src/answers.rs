//! What came back of a step is taken in.

use std::time::Instant;

use crate::GpuFault;
use crate::device::readback::Pending;
use crate::engine::Engine;
use crate::image::layout::ViewPair;
use crate::image::reference::take_in;
use crate::intersect;
use crate::manifold::layout::PatchRecord;

impl Engine {
    /// Takes the answers in and sees that they are this step's.
    pub(crate) fn receive(&mut self, pending: &Pending, bytes: [u64; 6]) -> Result<(), GpuFault> {
        let Engine { buffers, step, clock, .. } = self;
        let (answers, reference, volumes) = (&mut step.answers, &mut step.reference, &mut step.volumes);
        let (manifolds, counts) = (&mut step.manifolds, &mut step.counts);
        let (submitted, spans) = (step.submitted, &mut step.pass_spans);
        let answered = Instant::now();
        buffers.ring.read(pending, |view| {
            let mut rest = view;
            let [own, of_views, pairs, records, patches, listed] = bytes.map(|bytes| {
                let (part, more) = rest.split_at(bytes as usize);
                rest = more;
                part
            });
            let stamps = rest;
            for (words, to) in [
                (own, answers),
                (of_views, &mut reference.answers),
                (records, &mut volumes.answers),
                (listed, &mut manifolds.listed),
            ] {
                to.clear();
                to.extend(words.chunks_exact(4).map(bytemuck::pod_read_unaligned::<u32>));
            }
            volumes.seen.clear();
            volumes.seen.extend(
                pairs.chunks_exact(size_of::<ViewPair>()).map(bytemuck::pod_read_unaligned::<ViewPair>),
            );
            manifolds.records.clear();
            manifolds.records.extend(
                patches
                    .chunks_exact(size_of::<PatchRecord>())
                    .map(bytemuck::pod_read_unaligned::<PatchRecord>),
            );
            manifolds.learn_room();
            counts.bytes_back = view.len() as u64;
            counts.pass_times = clock.as_ref().map_or_else(Default::default, |clock| clock.read(stamps));
            counts.gpu_time = counts.pass_times.iter().sum();
            if let (Some(clock), Some(submitted)) = (clock.as_mut(), submitted) {
                clock.spans(stamps, [submitted, answered], spans);
            }
        })?;
        let stale = || GpuFault::NoAnswer { reason: "what came is the answer of another step".to_owned() };
        if !take_in(&step.reference, step.sequence, &mut step.counts) {
            return Err(stale());
        }
        for unit in &step.units {
            let own = intersect::record(unit, &step.answers).filter(|(r, _)| r.sequence == step.sequence);
            let (record, _) = own.ok_or_else(stale)?;
            step.counts.hits += u64::from(record.hits);
            step.counts.uncertain += u64::from(record.uncertain);
            step.counts.triangle_tests += u64::from(record.tests);
        }
        Ok(())
    }
}
