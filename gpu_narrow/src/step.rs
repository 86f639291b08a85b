//! One step of work: what is sent, what is dispatched, what comes back.

use impinge_narrow::passes;

use crate::buffer::{Allocator, GrowBuffer};
use crate::clock::Clock;
use crate::engine::{Drill, Engine};
use crate::layout::{StreamParams, StreamUnit};
use crate::pipelines::PARAMS_STRIDE;
use crate::readback::{Pending, ReadbackRing};
use crate::stream::{self, StreamAnswer, StreamTicket};
use crate::tiles::{PARAMS_SLOTS, TileBuffers, TileStep, take_in};
use crate::{GpuCounts, GpuFault};

/// The most workgroups along one dimension of a dispatch.
pub(crate) const ROW: u32 = 65_535;

/// The buffers on the device.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub params: GrowBuffer,
    pub meshes: GrowBuffer,
    units: GrowBuffer,
    leaf_pairs: GrowBuffer,
    answers: GrowBuffer,
    pub tiles: TileBuffers,
    ring: ReadbackRing,
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
            tiles: TileBuffers::new(),
            ring: ReadbackRing::new(),
        }
    }
}

/// The work of one step, as the CPU keeps it.
#[derive(Debug, Default)]
pub(crate) struct Step {
    /// Its number, never zero once begun.
    pub sequence: u32,
    pub units: Vec<StreamUnit>,
    pub leaf_pairs: Vec<[u32; 2]>,
    /// Words of answers asked for.
    pub words: u32,
    pub flushed_units: usize,
    flushed_leaf_pairs: usize,
    flushes: u32,
    /// Words of answers that have come.
    pub answers: Vec<u32>,
    pub tiles: TileStep,
    pub counts: GpuCounts,
}

impl Step {
    pub fn begin(&mut self) {
        self.sequence = self.sequence.wrapping_add(1).max(1);
        self.units.clear();
        self.leaf_pairs.clear();
        self.words = 0;
        (self.flushed_units, self.flushed_leaf_pairs, self.flushes) = (0, 0, 0);
        self.answers.clear();
        self.tiles.begin();
        self.counts = GpuCounts::default();
    }
}

impl Engine {
    /// Submits what is new, and goes on.
    pub(crate) fn submit_part(&mut self) -> Result<(), GpuFault> {
        let mut encoder = self.encoder();
        self.encode(&mut encoder)?;
        let _ = self.queue.submit([encoder.finish()]);
        self.step.counts.submissions += 1;
        Ok(())
    }

    /// Submits what is new, has all answers copied, and waits for them.
    pub(crate) fn submit_last(&mut self) -> Result<(), GpuFault> {
        let span = tracing::info_span!(
            passes::STREAM,
            backend = "gpu",
            jobs = self.step.counts.jobs,
            leaf_pairs = self.step.leaf_pairs.len(),
            triangle_tests = tracing::field::Empty,
            hits = tracing::field::Empty,
            uncertain = tracing::field::Empty,
            submissions = tracing::field::Empty,
            waits = tracing::field::Empty,
            buffers_created = tracing::field::Empty,
            bytes_up = tracing::field::Empty,
            bytes_back = tracing::field::Empty,
            gpu_us = tracing::field::Empty,
        );
        let _entered = span.enter();
        let mut encoder = self.encoder();
        self.encode(&mut encoder)?;
        let bytes = [self.step.words, self.step.tiles.words].map(|words| u64::from(words) * 4);
        let stamps = self.clock.as_ref().map_or(0, Clock::bytes);
        self.encode_answers(&mut encoder, bytes, stamps)?;
        let commands = encoder.finish();
        let pending = self.buffers.ring.map(&commands, (bytes[0] + bytes[1] + stamps).max(4))?;
        let waited = self.submit_and_wait(commands);
        if waited.is_err() {
            self.buffers.ring.forget(&pending);
        }
        waited?;
        self.receive(&pending, bytes)?;
        let counts = &mut self.step.counts;
        counts.leaf_pairs = self.step.leaf_pairs.len() as u64;
        span.record("triangle_tests", counts.triangle_tests)
            .record("hits", counts.hits)
            .record("uncertain", counts.uncertain)
            .record("submissions", counts.submissions)
            .record("waits", counts.waits)
            .record("buffers_created", counts.buffers_created)
            .record("bytes_up", counts.bytes_up)
            .record("bytes_back", counts.bytes_back)
            .record("gpu_us", counts.time_of(passes::STREAM).as_secs_f64() * 1e6);
        let micros = |pass: &str| counts.time_of(pass).as_secs_f64() * 1e6;
        let (tiles, rows, fragments) = (counts.tiles, counts.tile_rows, counts.fragments);
        let (views, gpu_us) = (self.step.tiles.view_count(), micros(passes::SNAP));
        tracing::info_span!(passes::SNAP, backend = "gpu", views, rows, gpu_us).in_scope(|| ());
        let gpu_us = micros(passes::LAYERS);
        tracing::info_span!(passes::LAYERS, backend = "gpu", tiles, rows, fragments, gpu_us).in_scope(|| ());
        let (over_layers, over_columns) = (counts.over_layers, counts.over_columns);
        let gpu_us = micros(passes::COLUMNS);
        tracing::info_span!(passes::COLUMNS, backend = "gpu", tiles, over_layers, over_columns, gpu_us)
            .in_scope(|| ());
        Ok(())
    }

    /// Sends what is new, and has all passes run over it.
    fn encode(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        self.encode_stream(encoder)?;
        // A step of nothing at all warms the shaders up.
        if self.step.tiles.is_new() || self.step.units.is_empty() {
            self.encode_tiles(encoder)?;
        }
        Ok(())
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("impinge") })
    }

    /// Sends what is new, and has the stream run over it.
    fn encode_stream(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        self.make_room(encoder)?;
        let units = (self.step.units.len() - self.step.flushed_units) as u32;
        let slot = u64::from(self.step.flushes) * PARAMS_STRIDE;
        let row = units.clamp(1, ROW);
        let params =
            StreamParams { units, row, first: self.step.flushed_units as u32, sequence: self.step.sequence };
        self.send(slot, &params);
        let Engine { device, pipelines, clock, buffers, step, .. } = self;
        let bound = [&buffers.params, &buffers.meshes, &buffers.units, &buffers.leaf_pairs, &buffers.answers];
        let mut list = Vec::with_capacity(bound.len());
        for buffer in bound {
            list.push((buffer.get().ok_or_else(no_buffer)?, buffer.generation));
        }
        for pipeline in pipelines.iter_mut().filter(|p| p.pass.name == passes::STREAM) {
            let group = pipeline.bind(device, &list).clone();
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some(pipeline.pass.name),
                timestamp_writes: clock.as_mut().and_then(|clock| Clock::next(clock, passes::STREAM)),
            });
            pass.set_pipeline(&pipeline.pipeline);
            pass.set_bind_group(0, &group, &[slot as u32]);
            pass.dispatch_workgroups(row, units.div_ceil(row).max(1), 1);
        }
        step.flushed_units = step.units.len();
        step.flushed_leaf_pairs = step.leaf_pairs.len();
        step.flushes += 1;
        Ok(())
    }

    /// Buffers large enough for the step so far.
    fn make_room(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        let Engine { device, buffers, step, meshes, capacities, .. } = self;
        if step.flushes == 0 {
            let own = [&mut buffers.units, &mut buffers.leaf_pairs, &mut buffers.answers];
            own.into_iter().for_each(GrowBuffer::clear);
        }
        let created = &mut step.counts.buffers_created;
        let mut from = Allocator { device, limit: capacities.buffer_bytes, created };
        buffers.params.hold(u64::from(PARAMS_SLOTS) * PARAMS_STRIDE, &mut from, encoder)?;
        buffers.meshes.hold(u64::from(meshes.words()) * 4, &mut from, encoder)?;
        buffers.units.hold(size_of_val(&step.units[..]) as u64, &mut from, encoder)?;
        buffers.leaf_pairs.hold(size_of_val(&step.leaf_pairs[..]) as u64, &mut from, encoder)?;
        buffers.answers.hold(u64::from(step.words) * 4, &mut from, encoder)
    }

    /// Sends parameters, and the meshes, units and leaf pairs that are new.
    fn send(&mut self, slot: u64, params: &StreamParams) {
        let Engine { queue, buffers, step, meshes, .. } = self;
        let mut sent = 0;
        let mut write = |buffer: &GrowBuffer, at: u64, bytes: &[u8]| {
            if let Some(buffer) = buffer.get().filter(|_| !bytes.is_empty()) {
                queue.write_buffer(buffer, at, bytes);
                sent += bytes.len() as u64;
            }
        };
        write(&buffers.params, slot, bytemuck::bytes_of(params));
        for (at, words) in meshes.pending() {
            write(&buffers.meshes, u64::from(at) * 4, bytemuck::cast_slice(words));
        }
        let (units, pairs) = (&step.units[step.flushed_units..], &step.leaf_pairs[step.flushed_leaf_pairs..]);
        write(
            &buffers.units,
            (step.flushed_units * size_of::<StreamUnit>()) as u64,
            bytemuck::cast_slice(units),
        );
        write(&buffers.leaf_pairs, (step.flushed_leaf_pairs * 8) as u64, bytemuck::cast_slice(pairs));
        meshes.written();
        step.counts.bytes_up += sent;
    }

    /// Has answers and timestamps copied to where the CPU can read them.
    fn encode_answers(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        bytes: [u64; 2],
        stamps: u64,
    ) -> Result<(), GpuFault> {
        let Engine { device, buffers, step, capacities, clock, .. } = self;
        let created = &mut step.counts.buffers_created;
        let mut from = Allocator { device, limit: 2 * capacities.buffer_bytes + 4096, created };
        let Buffers { ring, answers, tiles, .. } = buffers;
        let all = bytes[0] + bytes[1];
        let to = ring.reserve((all + stamps).max(4), &mut from, encoder)?;
        for (answers, at, bytes) in [(&*answers, 0, bytes[0]), (&tiles.answers, bytes[0], bytes[1])] {
            if bytes > 0 {
                encoder.copy_buffer_to_buffer(answers.get().ok_or_else(no_buffer)?, 0, to, at, bytes);
            }
        }
        if let Some(clock) = clock {
            clock.resolve(encoder, to, all);
        }
        Ok(())
    }

    /// The last submission, and the step's one wait.
    fn submit_and_wait(&mut self, commands: wgpu::CommandBuffer) -> Result<(), GpuFault> {
        let drill = self.drill.take_if(|_| !self.step.units.is_empty());
        let index = match drill {
            Some(Drill::Panic) => panic!("drill"),
            Some(Drill::DropSubmission) => {
                drop(commands);
                return Err(GpuFault::NoAnswer { reason: "the submission was dropped".to_owned() });
            }
            Some(Drill::RefuseSubmission) => {
                let bad = self.refused();
                self.queue.submit([bad, commands])
            }
            Some(Drill::LoseDevice | Drill::LoseIdleDevice) | None => self.queue.submit([commands]),
        };
        self.step.counts.submissions += 1;
        if drill == Some(Drill::LoseDevice) {
            self.device.destroy();
            // A fast device has answered by now: the loss is what counts.
            let _ = self.device.poll(wgpu::PollType::Poll);
        }
        self.step.counts.waits += 1;
        let wait = wgpu::PollType::Wait { submission_index: Some(index), timeout: Some(self.patience) };
        match self.device.poll(wait) {
            Ok(_) => Ok(()),
            Err(error) => Err(GpuFault::NoAnswer { reason: error.to_string() }),
        }
    }

    /// A command that the device must refuse: it reads a buffer that has been destroyed.
    fn refused(&self) -> wgpu::CommandBuffer {
        let gone = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("destroyed"),
            size: 16,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let mut encoder = self.encoder();
        encoder.clear_buffer(&gone, 0, None);
        let commands = encoder.finish();
        gone.destroy();
        commands
    }

    /// Takes the answers in and sees that they are this step's.
    fn receive(&mut self, pending: &Pending, bytes: [u64; 2]) -> Result<(), GpuFault> {
        let Engine { buffers, step, clock, .. } = self;
        let (answers, tiles, counts) = (&mut step.answers, &mut step.tiles, &mut step.counts);
        buffers.ring.read(pending, |view| {
            let (own, rest) = view.split_at(bytes[0] as usize);
            let (of_tiles, stamps) = rest.split_at(bytes[1] as usize);
            for (words, to) in [(own, answers), (of_tiles, &mut tiles.answers)] {
                to.clear();
                to.extend(words.chunks_exact(4).map(bytemuck::pod_read_unaligned::<u32>));
            }
            counts.bytes_back = view.len() as u64;
            counts.pass_times = clock.as_ref().map_or_else(Default::default, |clock| clock.read(stamps));
            counts.gpu_time = counts.pass_times.iter().sum();
        })?;
        let stale = || GpuFault::NoAnswer { reason: "what came is the answer of another step".to_owned() };
        if !take_in(&step.tiles, step.sequence, &mut step.counts) {
            return Err(stale());
        }
        for unit in &step.units {
            let own = stream::record(unit, &step.answers).filter(|(r, _)| r.sequence == step.sequence);
            let (record, _) = own.ok_or_else(stale)?;
            step.counts.hits += u64::from(record.hits);
            step.counts.uncertain += u64::from(record.uncertain);
            step.counts.triangle_tests += u64::from(record.tests);
        }
        Ok(())
    }

    /// What the stream found for a job of the step that was finished last; `None` for a ticket of
    /// another step.
    pub fn answer(&self, ticket: &StreamTicket) -> Option<StreamAnswer> {
        let mut answer = StreamAnswer::none();
        for unit in self.units_of(ticket)? {
            answer.add(unit, &stream::record(unit, &self.step.answers)?.0);
        }
        Some(answer)
    }

    /// Calls `visit` for every leaf pair of a job in which something may meet, in their order: its index
    /// in the job's list, and a bit `4 i + j` for triangle `i` of A's leaf and triangle `j` of B's.
    /// `None` for a ticket of another step.
    pub fn survivors(&self, ticket: &StreamTicket, mut visit: impl FnMut(usize, u16)) -> Option<()> {
        let mut base = 0;
        for unit in self.units_of(ticket)? {
            let (_, masks) = stream::record(unit, &self.step.answers)?;
            for index in 0..unit.count as usize {
                let mask = stream::mask(masks, index);
                if mask != 0 {
                    visit(base + index, mask);
                }
            }
            base += unit.count as usize;
        }
        Some(())
    }

    fn units_of(&self, ticket: &StreamTicket) -> Option<&[StreamUnit]> {
        let range = ticket.units.start as usize..ticket.units.end as usize;
        self.step.units.get(range).filter(|_| ticket.sequence == self.step.sequence)
    }
}

pub(crate) fn no_buffer() -> GpuFault {
    GpuFault::NoAnswer { reason: "a buffer is missing".to_owned() }
}
