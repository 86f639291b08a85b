//! One step of work: what is sent, and what is dispatched.

use std::time::Instant;

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
    pub patches: Vec<(SurfacePatch, MeshPlace)>,
    /// Words of answers asked for.
    pub words: u32,
    pub flushed_units: usize,
    pub flushed_leaf_pairs: usize,
    pub flushes: u32,
    /// Words of answers that have come.
    pub answers: Vec<u32>,
    pub reference: ReferenceStep,
    pub volumes: VolumeStep,
    pub manifolds: ManifoldStep,
    pub counts: GpuCounts,
    /// When its first submission was made, and when its passes ran.
    pub submitted: Option<Instant>,
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
        self.answers.clear();
        self.reference.begin();
        self.volumes.begin();
        self.manifolds.begin();
        self.counts = GpuCounts::default();
        self.submitted = None;
        self.pass_spans.clear();
    }
}

impl Step {
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
        bytes: [u64; 6],
        stamps: u64,
    ) -> Result<(), GpuFault> {
        let Engine { device, buffers, step, capacities, clock, .. } = self;
        let created = &mut step.counts.buffers_created;
        let mut from = Allocator { device, limit: 2 * capacities.buffer_bytes + 4096, created };
        let Buffers { ring, answers, reference, volumes, manifolds, .. } = buffers;
        let all = bytes.iter().sum::<u64>();
        let to = ring.reserve((all + stamps).max(4), &mut from, encoder)?;
        let mut at = 0;
        let (patches, listed) = (&manifolds.records, &manifolds.listed);
        let sources = [&*answers, &reference.answers, &volumes.pairs, &volumes.answers, patches, listed];
        for (answers, bytes) in sources.into_iter().zip(bytes).filter(|(_, bytes)| *bytes > 0) {
            encoder.copy_buffer_to_buffer(answers.get().ok_or_else(no_buffer)?, 0, to, at, bytes);
            at += bytes;
        }
        if let Some(clock) = clock {
            clock.resolve(encoder, to, all);
        }
        Ok(())
    }
}
