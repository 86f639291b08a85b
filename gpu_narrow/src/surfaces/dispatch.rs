//! What is sent for a question about surfaces, the passes that answer it, and what comes back.

use super::engine::{MeetingState, SurfaceEngine, SurfaceMeeting, SurfacePair, middle};
use super::layout::{GatherParams, MeetParams, SURFACE_GROUP, SumParams};
use super::store::{HeldSurface, SurfaceId};
use crate::device::buffer::{Allocator, GrowBuffer};
use crate::device::no_buffer;
use crate::device::pipeline::{PARAMS_STRIDE, Pipeline};
use crate::intersect::layout::{IntersectRecord, RECORD_WORDS};
use crate::intersect::{Overflow, Placement};
use crate::meshes::MeshPlace;
use crate::step::ROW;
use crate::{GpuFault, IntersectAnswer};

/// A dispatch: which pipeline, its parameters, and its workgroups.
struct Call {
    pipeline: usize,
    params: [u8; PARAMS_STRIDE as usize],
    groups: u32,
    /// The caller's buffer that it reads.
    source: Option<wgpu::Buffer>,
}

/// The pipelines by their places in the engine.
const GATHER: usize = 0;
const FIT: usize = 1;
const MEET: usize = 2;
const SUM: usize = 3;

impl Call {
    fn new<P: bytemuck::Pod>(pipeline: usize, params: &P, groups: u32) -> Call {
        let mut bytes = [0; PARAMS_STRIDE as usize];
        bytes[..size_of::<P>()].copy_from_slice(bytemuck::bytes_of(params));
        Call { pipeline, params: bytes, groups, source: None }
    }
}

/// Workgroups for so many threads, and those of a row of the dispatch.
fn workgroups(threads: u32) -> [u32; 2] {
    let groups = threads.div_ceil(SURFACE_GROUP).max(1);
    [groups, groups.min(ROW)]
}

impl SurfaceEngine {
    pub(super) fn ask(&mut self, pairs: &[SurfacePair]) -> Result<Vec<SurfaceMeeting>, GpuFault> {
        self.bytes = [0; 2];
        self.sequence = self.sequence.wrapping_add(1).max(1);
        let mut calls = Vec::new();
        let asked = self.refresh(pairs, &mut calls);
        let mut words = RECORD_WORDS * pairs.len() as u32;
        let mut found = vec![SurfaceMeeting::without(MeetingState::NotEvaluated); pairs.len()];
        let mut placed = Vec::new();
        for (index, pair) in pairs.iter().enumerate() {
            let [Some(a), Some(b)] = pair.surfaces.map(|id| self.store.get(id)) else { continue };
            match placement(pair, [a, b]) {
                Ok(placement) => {
                    let params = meet_params(&placement, [a, b], words, self.sequence);
                    calls.push(Call::new(MEET, &params, params.groups));
                    let to = RECORD_WORDS * index as u32;
                    let sum = SumParams { first: words, count: params.groups, to, sequence: self.sequence };
                    calls.push(Call::new(SUM, &sum, 1));
                    words += RECORD_WORDS * params.groups;
                    placed.push((index, placement));
                }
                Err(_) => found[index].state = MeetingState::OutOfRange,
            }
        }
        if placed.is_empty() {
            return Ok(found);
        }
        let (results, flags) = self.run(&calls, pairs.len(), words, asked.len())?;
        for (index, placement) in placed {
            let own = &results[index * RECORD_WORDS as usize..][..RECORD_WORDS as usize];
            let record: IntersectRecord = bytemuck::pod_read_unaligned(bytemuck::cast_slice(own));
            if record.sequence != self.sequence {
                let reason = "what came is the answer of another question".to_owned();
                return Err(GpuFault::NoAnswer { reason });
            }
            let astray =
                |id: &SurfaceId| asked.iter().position(|own| own == id).is_some_and(|flag| flags[flag] != 0);
            let mut answer = IntersectAnswer::none();
            answer.add(&placement.unit(), &record);
            let state = match (answer.hits, answer.uncertain) {
                _ if pairs[index].surfaces.iter().any(astray) => MeetingState::Astray,
                (0, 0) => MeetingState::Apart,
                (0, _) => MeetingState::Uncertain,
                _ => MeetingState::Crossing,
            };
            found[index] = match state {
                MeetingState::Astray => SurfaceMeeting::without(state),
                _ => SurfaceMeeting { state, answer },
            };
        }
        Ok(found)
    }

    /// Has the boxes of all surfaces of some pairs fitted that are not; those that have a source, in the order of their flags.
    fn refresh(&mut self, pairs: &[SurfacePair], calls: &mut Vec<Call>) -> Vec<SurfaceId> {
        let mut ids: Vec<SurfaceId> = pairs.iter().flat_map(|pair| pair.surfaces).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut asked = Vec::new();
        for id in ids {
            let Some(own) = self.store.get_mut(id) else { continue };
            if let Some(source) = &own.source {
                let [count, to] = [own.vertices[1], own.vertices[0]];
                let [groups, row] = workgroups(count);
                let (low, high, flag) = (own.bounds.min, own.bounds.max, asked.len() as u32);
                let (start, stride) = (source.start, source.stride);
                let params = GatherParams { count, start, stride, to, low, flag, high, row };
                calls.push(Call {
                    source: Some(source.vertices.clone()),
                    ..Call::new(GATHER, &params, groups)
                });
                asked.push(id);
            } else if own.fitted {
                continue;
            }
            for fit in own.fits() {
                let [groups, row] = workgroups(fit.count);
                calls.push(Call::new(FIT, &super::layout::FitParams { row, ..fit }, groups));
            }
            own.fitted = own.source.is_none();
        }
        asked
    }

    /// Runs all calls in one submission; what pairs found, and the flags.
    fn run(
        &mut self,
        calls: &[Call],
        pairs: usize,
        words: u32,
        asked: usize,
    ) -> Result<(Vec<u32>, Vec<u32>), GpuFault> {
        let SurfaceEngine { device, queue, store, capacities, created, .. } = self;
        let label = wgpu::CommandEncoderDescriptor { label: Some("surfaces") };
        let (mut moves, mut encoder) =
            (device.create_command_encoder(&label), device.create_command_encoder(&label));
        let mut from = Allocator { device, limit: capacities.buffer_bytes, created };
        let params = calls.len() as u64 * PARAMS_STRIDE;
        for (buffer, bytes) in [
            (&mut self.params, params),
            (&mut self.flags, 4 * asked.max(1) as u64),
            (&mut self.answers, 4 * u64::from(words)),
        ] {
            buffer.clear();
            buffer.hold(bytes, &mut from, &mut encoder)?;
        }
        // What is written next may stand where something was before: that has moved along by then.
        let before = self.meshes.generation;
        self.meshes.hold(4 * u64::from(store.words), &mut from, &mut moves)?;
        if self.meshes.generation != before {
            let _ = queue.submit([moves.finish()]);
        }
        let get = |buffer: &GrowBuffer| buffer.get().cloned().ok_or_else(no_buffer);
        let [params, flags, answers, meshes] =
            [get(&self.params)?, get(&self.flags)?, get(&self.answers)?, get(&self.meshes)?];
        let mut sent = 0;
        let mut write = |buffer: &wgpu::Buffer, at: u64, bytes: &[u8]| {
            queue.write_buffer(buffer, at, bytes);
            sent += bytes.len() as u64;
        };
        for own in &mut store.surfaces {
            for (at, words) in own.pending.drain(..) {
                write(&meshes, 4 * u64::from(at), bytemuck::cast_slice(&words));
            }
        }
        let all: Vec<u8> = calls.iter().flat_map(|call| call.params).collect();
        write(&params, 0, &all);
        encoder.clear_buffer(&flags, 0, None);
        for (index, call) in calls.iter().enumerate() {
            let pipeline = &self.pipelines[call.pipeline];
            let bound: Vec<&wgpu::Buffer> = match (call.pipeline, &call.source) {
                (GATHER, Some(source)) => vec![&params, source, &meshes, &flags],
                (FIT, _) => vec![&params, &meshes],
                (MEET, _) => vec![&params, &meshes, &answers],
                _ => vec![&params, &answers],
            };
            dispatch(device, &mut encoder, pipeline, &bound, index, call.groups);
        }
        let result_bytes = 4 * u64::from(RECORD_WORDS) * pairs as u64;
        let flag_bytes = 4 * asked as u64;
        let bytes = result_bytes + flag_bytes;
        let mut from = Allocator { device, limit: capacities.buffer_bytes + 4096, created };
        let to = self.ring.reserve(bytes, &mut from, &mut encoder)?;
        encoder.copy_buffer_to_buffer(&answers, 0, to, 0, result_bytes);
        if flag_bytes > 0 {
            encoder.copy_buffer_to_buffer(&flags, 0, to, result_bytes, flag_bytes);
        }
        let commands = encoder.finish();
        let pending = self.ring.map(&commands, bytes)?;
        let index = queue.submit([commands]);
        let wait = wgpu::PollType::Wait { submission_index: Some(index), timeout: Some(self.patience) };
        device.poll(wait).map_err(|error| GpuFault::NoAnswer { reason: error.to_string() })?;
        let words: Vec<u32> = self
            .ring
            .read(&pending, |bytes| bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect())?;
        self.bytes = [sent, bytes];
        let (results, flags) = words.split_at((result_bytes / 4) as usize);
        Ok((results.to_vec(), flags.to_vec()))
    }
}

fn dispatch(
    device: &wgpu::Device,
    encoder: &mut wgpu::CommandEncoder,
    pipeline: &Pipeline,
    bound: &[&wgpu::Buffer],
    index: usize,
    groups: u32,
) {
    let group = pipeline.group(device, bound);
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
        label: Some(pipeline.pass.name),
        timestamp_writes: None,
    });
    pass.set_pipeline(&pipeline.pipeline);
    pass.set_bind_group(0, &group, &[(index as u64 * PARAMS_STRIDE) as u32]);
    let row = groups.clamp(1, ROW);
    pass.dispatch_workgroups(row, groups.div_ceil(row).max(1), 1);
}

fn placement(pair: &SurfacePair, [a, b]: [&HeldSurface; 2]) -> Result<Placement, Overflow> {
    let place = |own: &HeldSurface| MeshPlace {
        vertices: own.vertices[0],
        corners: own.corners[0],
        ..MeshPlace::default()
    };
    let (frame, at) = (&pair.frame, middle(&pair.frame, &a.bounds));
    Placement::about(frame, &at, [a.reach(), b.reach()], [place(a), place(b)])
}

fn meet_params(placement: &Placement, [a, b]: [&HeldSurface; 2], answer: u32, sequence: u32) -> MeetParams {
    let unit = placement.unit();
    let [groups, row] = workgroups(a.levels[0][1]);
    let (mut starts, mut counts) = ([[0; 4]; 3], [[0; 4]; 3]);
    for (level, [start, count]) in b.levels.iter().enumerate() {
        (starts[level / 4][level % 4], counts[level / 4][level % 4]) = (*start, *count);
    }
    MeetParams {
        to_a: unit.to_a,
        origin: unit.origin,
        scale: unit.scale,
        delta: unit.delta,
        vertices_a: a.vertices[0],
        corners_a: a.corners[0],
        triangles_a: a.corners[1],
        vertices_b: b.vertices[0],
        corners_b: b.corners[0],
        triangles_b: b.corners[1],
        levels_b: b.levels.len() as u32,
        boxes_a: a.levels[0][0],
        leaves_a: a.levels[0][1],
        groups,
        row,
        answer,
        sequence,
        spare: [0; 2],
        starts_b: starts,
        counts_b: counts,
    }
}
