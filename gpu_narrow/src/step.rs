//! One step of work: what is sent, and what is dispatched.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::device::buffer::{Allocator, GrowBuffer};
use crate::device::clock::PassSpan;
use crate::device::no_buffer;
use crate::device::readback::ReadbackRing;
use crate::engine::Engine;
use crate::image::reference::{ReferenceBuffers, ReferenceStep};
use crate::image::volume::{VolumeBuffers, VolumeStep};
use crate::intersect::layout::IntersectUnit;
use crate::manifold::{ManifoldBuffers, ManifoldStep};
use crate::meshes::MeshPlace;
use crate::part::{Marks, Part, SOURCES};
use crate::received::Received;
use crate::surface_patch::SurfacePatch;
use crate::{GpuCounts, GpuFault};

/// The most workgroups along one dimension of a dispatch.
pub(crate) const ROW: u32 = 65_535;

/// The buffers on the device.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub params: GrowBuffer,
    pub meshes: GrowBuffer,
    pub units: GrowBuffer,
    pub leaf_pairs: GrowBuffer,
    pub answers: GrowBuffer,
    pub reference: ReferenceBuffers,
    pub volumes: VolumeBuffers,
    pub manifolds: ManifoldBuffers,
    pub ring: ReadbackRing,
}

impl Buffers {
    pub fn new() -> Buffers {
        use wgpu::BufferUsages as U;
        let sent = U::STORAGE | U::COPY_DST | U::COPY_SRC;
        Buffers {
            params: GrowBuffer::new("params", U::UNIFORM | U::COPY_DST | U::COPY_SRC),
            meshes: GrowBuffer::new("meshes", sent),
            units: GrowBuffer::new("units", sent),
            leaf_pairs: GrowBuffer::new("leaf pairs", sent),
            answers: GrowBuffer::new("answers", sent),
            reference: ReferenceBuffers::new(),
            volumes: VolumeBuffers::new(),
            manifolds: ManifoldBuffers::new(),
            ring: ReadbackRing::new(),
        }
    }
}

/// The work of one step, as the CPU keeps it.
#[derive(Debug, Default)]
pub(crate) struct Step {
    /// Its number, never zero once begun.
    pub sequence: u32,
    pub units: Vec<IntersectUnit>,
    pub leaf_pairs: Vec<[u32; 2]>,
    /// The parts of height fields and level sets that jobs are about, and where they stand on the device.
    pub patches: Vec<(Arc<SurfacePatch>, MeshPlace)>,
    /// Words of answers asked for.
    pub words: u32,
    pub flushed_units: usize,
    pub flushed_leaf_pairs: usize,
    pub flushes: u32,
    pub reference: ReferenceStep,
    pub volumes: VolumeStep,
    pub manifolds: ManifoldStep,
    pub counts: GpuCounts,
    /// Where the part begins that was not submitted yet, and parts whose answers are on their way.
    pub marks: Marks,
    pub in_flight: VecDeque<Part>,
    /// Parts that were answered, in their order, and what can be filled again.
    pub received: Vec<Arc<Received>>,
    spare: Vec<Received>,
    /// When its passes ran.
    pub pass_spans: Vec<PassSpan>,
}

impl Step {
    pub fn begin(&mut self) {
        self.sequence = self.sequence.wrapping_add(1).max(1);
        self.units.clear();
        self.leaf_pairs.clear();
        self.patches.clear();
        self.words = 0;
        (self.flushed_units, self.flushed_leaf_pairs, self.flushes) = (0, 0, 0);
        self.reference.begin();
        self.volumes.begin();
        self.manifolds.begin();
        self.counts = GpuCounts::default();
        self.marks = Marks::default();
        self.in_flight.clear();
        for part in self.received.drain(..) {
            if let Ok(mut part) = Arc::try_unwrap(part) {
                part.clear();
                self.spare.push(part);
            }
        }
        self.pass_spans.clear();
    }

    /// How much of the step there is, of whose passes so many were timed.
    pub fn marks_now(&self, timed: usize) -> Marks {
        Marks {
            units: self.units.len(),
            words: self.words,
            reference_tiles: self.reference.units.len(),
            reference_words: self.reference.words,
            volume_pairs: self.volumes.pairs.len(),
            volume_tiles: self.volumes.units.len(),
            heads: self.manifolds.heads.len(),
            views: self.manifolds.view_count(),
            room: self.manifolds.room,
            timed,
        }
    }

    /// The number of the part that is not submitted yet.
    pub fn part(&self) -> u32 {
        self.flushes
    }

    /// A part of a step; `None` where it has not come, or is of another step.
    pub fn received(&self, part: u32, sequence: u32) -> Option<&Received> {
        self.received.get(part as usize).map(|part| &**part).filter(|_| sequence == self.sequence)
    }

    /// What is to be filled with a part from `from` to `to`.
    pub fn fill(&mut self, from: &Marks, to: &Marks) -> Received {
        let mut part = self.spare.pop().unwrap_or_default();
        part.clear();
        part.sequence = self.sequence;
        part.from = *from;
        let rebased = |unit: &IntersectUnit| IntersectUnit { answer: unit.answer - from.words, ..*unit };
        part.units.extend(self.units[from.units..to.units].iter().map(rebased));
        part.patches.extend(self.patches.iter().map(|(patch, _)| Arc::clone(patch)));
        self.manifolds.fill(from.heads..to.heads, &mut part);
        part
    }

    /// Whether nothing was asked.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty() && self.reference.units.is_empty() && self.manifolds.heads.is_empty()
    }
}

impl Engine {
    /// Sends what is new, and has all passes run over it.
    pub(crate) fn encode(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        self.encode_intersect(encoder)?;
        // A step of nothing at all warms the shaders up.
        let warms = self.step.is_empty();
        if self.step.reference.is_new() || warms {
            self.encode_reference_views(encoder)?;
        }
        if self.step.volumes.is_new() || warms {
            self.encode_volumes(encoder)?;
        }
        if self.contacts && (self.step.manifolds.is_new() || warms) {
            self.encode_manifolds(encoder)?;
        }
        Ok(())
    }

    pub(crate) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("impinge") })
    }

    /// Has answers and timestamps copied to where the CPU can read them.
    pub(crate) fn encode_answers(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        (from, to): (&Marks, &Marks),
    ) -> Result<(), GpuFault> {
        let Engine { device, buffers, step, capacities, clock, .. } = self;
        let created = &mut step.counts.buffers_created;
        let mut room = Allocator { device, limit: 2 * capacities.buffer_bytes + 4096, created };
        let Buffers { ring, answers, reference, volumes, manifolds, .. } = buffers;
        // Warmed up, the buffers of parts of about this size hold a quarter more.
        let number = step.in_flight.len() + step.received.len();
        let all = from.all_bytes(to);
        let back = ring.reserve_number(number, all + all / 4, &mut room, encoder)?;
        let mut at = 0;
        let (patches, listed) = (&manifolds.records, &manifolds.listed);
        let sources: [_; SOURCES] =
            [&*answers, &reference.answers, &volumes.pairs, &volumes.answers, patches, listed];
        for (answers, own) in sources.into_iter().zip(from.bytes(to)).filter(|(_, own)| !own.is_empty()) {
            let bytes = own.end - own.start;
            encoder.copy_buffer_to_buffer(answers.get().ok_or_else(no_buffer)?, own.start, back, at, bytes);
            at += bytes;
        }
        if let Some(clock) = clock {
            clock.resolve(from.timed..to.timed, encoder, back, at);
        }
        Ok(())
    }
}
