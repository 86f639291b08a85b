//! A step divided between the GPU and the CPU. The pool's workers find the candidates of the device's chunks and send them through a
//! bounded channel to the thread that owns the device's queue, which hands them over in parts from the first chunk on. As long as
//! nothing has come back, workers answer the chunks that are the CPU's; what comes back of a part they finish.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use impinge_broadphase::Pair;
use rayon::{Scope, ThreadPool};

use super::candidates::Found;
use super::chunk_report::ChunkReport;
use super::{CHUNK, Pipeline, PipelineStep, PlacedCollider};
use crate::Parity;
use crate::gpu::{DeviceAnswers, Gpu, Taken, Tickets, parts};
use crate::pair_memory::PairMemory;
use crate::report::{StepCounts, StepTimes};

/// Chunks that wait for the thread that owns the GPU's queue, at most: beyond that the finders rest.
const CHUNKS_ON_THE_WAY: usize = 64;

/// A step of fewer pairs than this many chunks hold is divided among smaller ones, so that eight pairs can be, too.
const CHUNKS_TO_DIVIDE: usize = 16;

/// How long the owner of the queue waits for chunks before it looks whether answers have come.
const LOOK_EVERY: Duration = Duration::from_micros(100);

/// A chunk of the step's pairs, and their memories.
type Chunk<'p> = (&'p [Pair], &'p mut [Box<PairMemory>]);

/// A chunk whose candidates are the GPU's.
struct Sent<'s, 'p> {
    found: Found<'s>,
    tickets: Tickets,
    memories: &'p mut [Box<PairMemory>],
}

/// What the chunks that are done come to.
#[derive(Default)]
struct Done {
    report: ChunkReport,
    /// Of the CPU's chunks, and of what was left of the GPU's: leaves, and time in the narrow phase.
    cpu: Taken,
    left: Taken,
}

/// The work of a step, as workers take it.
struct Work<'w, 's, 'p, P> {
    pipeline: &'w Pipeline,
    step: &'w PipelineStep<'w, P>,
    /// Chunks in their order: the GPU's with their numbers among these, and the CPU's.
    of_gpu: Mutex<std::vec::IntoIter<(usize, Chunk<'p>)>>,
    of_cpu: Mutex<std::vec::IntoIter<Chunk<'p>>>,
    /// Chunks that can be finished.
    arrived: Receiver<(Sent<'s, 'p>, DeviceAnswers)>,
    done: Mutex<Done>,
}

impl Pipeline {
    /// As [`Pipeline::run`], with the chunks that are the GPU's answered with what it finds. Parts of them are made by their numbers
    /// alone, so that the device is asked the same whatever threads there are and however fast they are.
    pub fn run_on<'s, P>(
        &self,
        gpu: &mut Gpu,
        pool: &ThreadPool,
        step: &PipelineStep<'_, P>,
        memories: &mut [Box<PairMemory>],
        counts: &mut StepCounts,
        times: &mut StepTimes,
    ) where
        P: Fn(u32) -> Option<PlacedCollider<'s>> + Sync,
    {
        gpu.begin();
        let pairs = step.pairs.len();
        let chunk = if gpu.is_hybrid() { (pairs / CHUNKS_TO_DIVIDE).clamp(1, CHUNK) } else { CHUNK };
        let total = pairs.div_ceil(chunk);
        let plan = gpu.plan(total, chunk);
        let (mut of_gpu, mut of_cpu) = (Vec::with_capacity(total), Vec::new());
        for (index, own) in step.pairs.chunks(chunk).zip(memories.chunks_mut(chunk)).enumerate() {
            if plan.is_gpu(index) {
                of_gpu.push((of_gpu.len(), own));
            } else {
                of_cpu.push(own);
            }
        }
        let sizes: VecDeque<usize> = parts(of_gpu.len(), chunk).collect();
        let (sender, found) = crossbeam_channel::bounded(CHUNKS_ON_THE_WAY);
        let (hand_on, arrived) = crossbeam_channel::unbounded();
        let work = Work {
            pipeline: self,
            step,
            of_gpu: Mutex::new(of_gpu.into_iter()),
            of_cpu: Mutex::new(of_cpu.into_iter()),
            arrived,
            done: Mutex::default(),
        };
        let work = &work;
        pool.in_place_scope(|scope| {
            for _ in 0..pool.current_num_threads() {
                let sender = sender.clone();
                scope.spawn(move |_| work.run(sender));
            }
            drop(sender);
            let owner = Owner { work, hand_on, sizes, open: Vec::new(), on_the_way: VecDeque::new() };
            owner.run(gpu, &found, scope);
        });
        let done = std::mem::take(&mut *lock(&work.done));
        gpu.learn(pairs, done.cpu, done.left, pool.current_num_threads());
        done.report.add_to(counts, times);
        gpu.report(counts, times);
        counts.pairs = pairs as u64;
    }
}

/// What a worker that panicked has left is whole: locks are held for taking something out or adding something up.
fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'s, 'p, P> Work<'_, 's, 'p, P>
where
    P: Fn(u32) -> Option<PlacedCollider<'s>> + Sync,
{
    /// Finds the candidates of the GPU's chunks while there are any, then finishes chunks that have come back, and answers the CPU's
    /// as long as there is none of these.
    fn run(&self, sender: Sender<(usize, Sent<'s, 'p>)>) {
        loop {
            let next = lock(&self.of_gpu).next();
            let Some((number, chunk)) = next else { break };
            // The receiver lives until every sender is gone.
            let _ = sender.send((number, self.find(chunk)));
        }
        drop(sender);
        loop {
            if self.finish_one() {
                continue;
            }
            let next = lock(&self.of_cpu).next();
            let Some(chunk) = next else { return };
            self.answer(chunk);
        }
    }

    fn find(&self, (pairs, memories): Chunk<'p>) -> Sent<'s, 'p> {
        let Work { pipeline, step, .. } = self;
        let found = pipeline.find_chunk(pairs, memories, step);
        let tickets = match step.config.parity {
            Parity::Bits => Tickets::default(),
            Parity::Meaning => {
                let scratch = &mut pipeline.worker().narrow;
                Tickets::of_contacts(&found.batch, memories, &step.config.narrow, scratch)
            }
        };
        Sent { found, tickets, memories }
    }

    fn answer(&self, (pairs, memories): Chunk<'p>) {
        let Work { pipeline, step, .. } = self;
        let found = pipeline.find_chunk(pairs, memories, step);
        let report = pipeline.answer_chunk(&found, None, memories, step.config);
        let done = &mut *lock(&self.done);
        done.cpu.leaves += Taken::leaves_of(&found.batch);
        done.cpu.time += report.times.narrow;
        done.report = done.report.plus(report);
    }

    /// Finishes a chunk that has come back; whether there was one.
    fn finish_one(&self) -> bool {
        let Ok((Sent { mut found, tickets, memories }, answers)) = self.arrived.try_recv() else {
            return false;
        };
        let leaves = Taken::leaves_of(&found.batch);
        answers.cull(&mut found.batch, &tickets);
        let sampled = Some((&answers, &tickets));
        let report = self.pipeline.answer_chunk(&found, sampled, memories, self.step.config);
        let done = &mut *lock(&self.done);
        done.left.leaves += leaves;
        done.left.time += report.times.narrow;
        done.report = done.report.plus(report);
        true
    }
}

/// The thread that owns the GPU's queue.
struct Owner<'o, 'w, 's, 'p, P> {
    work: &'o Work<'w, 's, 'p, P>,
    hand_on: Sender<(Sent<'s, 'p>, DeviceAnswers)>,
    /// Chunks of the parts that are not full yet, the first one's first.
    sizes: VecDeque<usize>,
    /// Chunks of that one, and of those whose answers are on their way.
    open: Vec<Sent<'s, 'p>>,
    on_the_way: VecDeque<Vec<Sent<'s, 'p>>>,
}

impl<'o, 's, 'p, P> Owner<'o, '_, 's, 'p, P>
where
    P: Fn(u32) -> Option<PlacedCollider<'s>> + Sync,
{
    fn run<'scope>(mut self, gpu: &mut Gpu, found: &Receiver<(usize, Sent<'s, 'p>)>, scope: &Scope<'scope>)
    where
        'o: 'scope,
    {
        // Chunks come about in their order, and are pushed in it.
        let (mut early, mut next) = (BTreeMap::new(), 0);
        loop {
            let chunk = match self.on_the_way.is_empty() {
                true => found.recv().map_err(|_| RecvTimeoutError::Disconnected),
                false => found.recv_timeout(LOOK_EVERY),
            };
            match chunk {
                Ok((number, chunk)) => _ = early.insert(number, chunk),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            while let Some(chunk) = early.remove(&next) {
                next += 1;
                self.push(gpu, chunk, scope);
            }
            self.take(gpu, scope);
        }
        // Of a chunk whose finder has panicked those after it wait in vain.
        early.into_values().for_each(|chunk| self.push(gpu, chunk, scope));
        self.flush(gpu, scope);
        while let Some(chunks) = self.on_the_way.pop_front() {
            let answers = gpu.wait();
            self.hand(chunks, &answers, scope);
        }
        gpu.finish();
    }

    fn push<'scope>(&mut self, gpu: &mut Gpu, mut chunk: Sent<'s, 'p>, scope: &Scope<'scope>)
    where
        'o: 'scope,
    {
        gpu.push(&chunk.found.batch, &mut chunk.tickets);
        self.open.push(chunk);
        if self.sizes.front().is_some_and(|size| self.open.len() >= *size) {
            self.flush(gpu, scope);
        }
    }

    /// Has the device begin with what is open. Where it was asked nothing, that can be finished.
    fn flush<'scope>(&mut self, gpu: &mut Gpu, scope: &Scope<'scope>)
    where
        'o: 'scope,
    {
        self.sizes.pop_front();
        let chunks = std::mem::take(&mut self.open);
        if gpu.flush() {
            self.on_the_way.push_back(chunks);
        } else {
            self.hand(chunks, &gpu.no_answers(), scope);
        }
    }

    /// Hands on what has come back.
    fn take<'scope>(&mut self, gpu: &mut Gpu, scope: &Scope<'scope>)
    where
        'o: 'scope,
    {
        while !self.on_the_way.is_empty() {
            let Some(answers) = gpu.poll() else { return };
            let chunks = self.on_the_way.pop_front().unwrap_or_default();
            self.hand(chunks, &answers, scope);
        }
    }

    /// Has the workers finish chunks.
    fn hand<'scope>(&self, chunks: Vec<Sent<'s, 'p>>, answers: &DeviceAnswers, scope: &Scope<'scope>)
    where
        'o: 'scope,
    {
        let work = self.work;
        for chunk in chunks {
            // The receiver lives as long as the work does.
            let _ = self.hand_on.send((chunk, answers.clone()));
            scope.spawn(move |_| _ = work.finish_one());
        }
    }
}
