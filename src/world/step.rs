//! One step: boxes, pairs, answers, manifolds, events.

use std::sync::Arc;

use impinge_broadphase::BroadPhase;
use impinge_contacts::{ContactEvents, Manifold, Seams};
use impinge_geometry::{Aabb, ColliderId};
use impinge_midphase::PreparedShape;
use rayon::ThreadPool;
use rayon::prelude::*;
use tracing::level_filters::LevelFilter;

use super::manifolds::SecondSides;
use super::own_contacts::{OwnContacts, OwnMeetings};
use crate::Collider;
use crate::clock::Stopwatch;
use crate::clouds::Clouds;
use crate::config::Config;
use crate::contact_events::contacts;
use crate::gpu::{DeviceBodies, Gpu};
use crate::hooks::Hooks;
use crate::margin::box_margin;
use crate::neighbours::Neighbours;
use crate::pair_memory::{Identity, PairMemories};
use crate::pipeline::{Pipeline, PipelineStep, PlacedCollider};
use crate::report::{StepCounts, StepReport, StepTimes};
use crate::shape_edit::ShapeEdit;
use crate::slots::Slots;

/// From so many moved colliders on, their boxes are made on all workers.
const BOXES_WORTH_SHARING: usize = 512;

/// Everything that a step reads and writes: it goes to another thread as a whole
/// ([`World::begin_step`](crate::World::begin_step)).
#[derive(Debug)]
pub(crate) struct StepState {
    pub config: Config,
    pub colliders: Slots<HeldCollider>,
    /// Slots of the colliders marked since the last step, in the order in which they were.
    pub moved: Vec<u32>,
    /// The pairs whose answers a change of a part of a shape has reached, in the last step.
    pub edited_pairs: Vec<[ColliderId; 2]>,
    /// Those among them whose boxes the change has parted.
    parted_pairs: Vec<[ColliderId; 2]>,
    boxes: Vec<Aabb>,
    named_boxes: Vec<(u32, Aabb)>,
    pub broadphase: BroadPhase,
    pub memories: PairMemories,
    pipeline: Pipeline,
    /// What the last step counted, if every pair of it kept its answer.
    pub still: Option<StepCounts>,
    pub gpu: Option<Gpu>,
    pub hooks: Hooks,
    pub neighbours: Neighbours,
    pub device_bodies: DeviceBodies,
    pub manifolds: Vec<Manifold>,
    pub second_sides: SecondSides,
    seams: Seams,
    pub events: ContactEvents,
    pub own_meetings: OwnMeetings,
    pub clouds: Clouds,
    pub steps: u64,
    /// Whether the next step is one between two whole ones.
    pub between: bool,
}

/// A collider as the world keeps it.
#[derive(Debug)]
pub(crate) struct HeldCollider {
    pub collider: Collider,
    pub prepared: Arc<PreparedShape>,
    /// Whether the answers of its pairs are to be found again.
    pub moved: bool,
    /// Where its shape has changed since the last step, if that is only a part of it.
    pub edit: Option<ShapeEdit>,
    /// Whether vertices of its mesh have been set since the last step.
    pub deformed: bool,
    /// How often its shape was changed: what its pairs remember is of one revision.
    pub revision: u32,
    /// How far the vertices of its mesh have moved in its frame at most, all changes added up (m).
    pub travel: f64,
    /// Where its mesh meets itself.
    pub own: Option<Box<OwnContacts>>,
    /// The box that its vertices are in (m, its frame), where these live on a GPU.
    pub on_device: Option<Aabb>,
}

impl HeldCollider {
    /// The box of the collider where it stands (m, world), without its margin.
    pub fn aabb(&self) -> Aabb {
        let Some(bounds) = &self.on_device else { return self.prepared.aabb_at(&self.collider.pose) };
        let corner = |k: usize| {
            [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] })
        };
        let places = (0..8).map(|k| self.collider.pose * nalgebra::Point3::from(corner(k)).cast::<f64>());
        let far = nalgebra::Point3::from([f64::INFINITY; 3]);
        let [low, high] = places.fold([far, -far], |[low, high], p| [low.inf(&p), high.sup(&p)]);
        // What rounding of the corners can do.
        let slack =
            1e-12 * (low.coords.abs() + high.coords.abs() + self.collider.pose.translation.vector.abs());
        Aabb::outward((low - slack).into(), (high + slack).into())
    }
}

impl StepState {
    pub fn new(config: Config, threads: usize, gpu: Option<Gpu>) -> StepState {
        StepState {
            config,
            colliders: Slots::default(),
            moved: Vec::new(),
            edited_pairs: Vec::new(),
            parted_pairs: Vec::new(),
            boxes: Vec::new(),
            named_boxes: Vec::new(),
            broadphase: BroadPhase::new(config.boxes),
            memories: PairMemories::default(),
            pipeline: Pipeline::new(threads),
            still: None,
            gpu,
            hooks: Hooks::default(),
            neighbours: Neighbours::default(),
            device_bodies: DeviceBodies::default(),
            manifolds: Vec::new(),
            second_sides: SecondSides::default(),
            seams: Seams::default(),
            events: ContactEvents::default(),
            own_meetings: OwnMeetings::default(),
            clouds: Clouds::default(),
            steps: 0,
            between: false,
        }
    }

    /// Has the box of a collider set and the answers of its pairs found again in the next step.
    pub fn mark(&mut self, index: u32) {
        if let Some(held) = self.colliders.at_mut(index)
            && !held.moved
        {
            held.moved = true;
            if held.edit.is_none() {
                self.moved.push(index);
            }
        }
    }

    /// Has the box of a collider set in the next step, and the answers of those of its pairs found again that a change of its shape within a box
    /// (m, its frame) reaches.
    pub fn mark_edit(&mut self, index: u32, region: &Aabb) {
        if let Some(held) = self.colliders.at_mut(index) {
            if !held.moved && held.edit.is_none() {
                self.moved.push(index);
            }
            held.edit = Some(ShapeEdit::of(region, held.edit));
        }
    }

    /// Takes the step: all of it on a worker, as each handing over between threads costs time. A device's queue and hooks stay with
    /// the caller's thread.
    pub fn step(&mut self, pool: &ThreadPool) -> StepReport {
        if self.gpu.is_some() || self.hooks.are_set() {
            return self.take_step(pool);
        }
        if LevelFilter::current() == LevelFilter::OFF {
            return pool.install(|| self.take_step(pool));
        }
        // The caller's span and subscriber, which may be its thread's own, go along.
        let (span, subscriber) = (tracing::Span::current(), tracing::dispatcher::get_default(Clone::clone));
        pool.install(|| {
            tracing::dispatcher::with_default(&subscriber, || span.in_scope(|| self.take_step(pool)))
        })
    }

    fn take_step(&mut self, pool: &ThreadPool) -> StepReport {
        let between = std::mem::take(&mut self.between);
        let mut counts = StepCounts {
            colliders: self.colliders.len() as u64,
            moved: self.moved.len() as u64,
            ..StepCounts::default()
        };
        let span = tracing::info_span!(
            "impinge::step",
            colliders = counts.colliders,
            moved = counts.moved,
            pairs = tracing::field::Empty,
            kept_pairs = tracing::field::Empty,
            refreshed_pairs = tracing::field::Empty,
            carried_pairs = tracing::field::Empty,
            patches = tracing::field::Empty,
            manifolds = tracing::field::Empty,
            points = tracing::field::Empty,
        );
        let _entered = span.enter();
        let started = Stopwatch::start();
        let mut times = StepTimes::default();
        self.move_boxes(pool);
        times.boxes = started.elapsed();

        let broadphase = Stopwatch::start();
        let still = self.find_pairs(pool);
        times.broadphase = broadphase.elapsed();

        let pairs = Stopwatch::start();
        let at_rest = still.is_some();
        match still {
            Some(still) => counts = StepCounts { colliders: counts.colliders, moved: 0, ..still },
            None => {
                self.answer_pairs(pool, between, &mut counts, &mut times);
                let particles = Stopwatch::start();
                self.meet_particles(pool, &mut counts);
                times.particles = particles.elapsed();
            }
        }
        self.device_bodies.meet(self.gpu.as_mut(), &mut self.memories, &self.colliders, &mut counts);
        let own_particles = Stopwatch::start();
        counts.point_contacts = self.meet_own_particles(pool);
        times.particles += own_particles.elapsed();
        counts.self_pairs = self.meet_themselves(pool);
        self.still = (counts.kept_pairs == counts.pairs).then_some(counts);
        times.pairs = pairs.elapsed();

        self.gather();
        self.list_edited_pairs();
        self.modify();
        for index in self.moved.drain(..) {
            if let Some(held) = self.colliders.at_mut(index) {
                (held.moved, held.edit, held.deformed) = (false, None, false);
            }
        }
        self.steps += 1;
        self.compare_contacts(at_rest, &mut counts);
        counts.manifolds = self.manifolds.len() as u64;
        counts.points = self.manifolds.iter().map(|m| m.points.len() as u64).sum();
        times.step = started.elapsed();
        span.record("pairs", counts.pairs)
            .record("kept_pairs", counts.kept_pairs)
            .record("refreshed_pairs", counts.refreshed_pairs)
            .record("carried_pairs", counts.carried_pairs)
            .record("patches", counts.patches)
            .record("manifolds", counts.manifolds)
            .record("points", counts.points);
        StepReport { status: counts.status(), counts, times }
    }

    /// Hands the boxes of marked colliders to the broad phase.
    pub fn move_boxes(&mut self, pool: &ThreadPool) {
        let _span = tracing::info_span!("boxes", moved = self.moved.len()).entered();
        let StepState { colliders, boxes, moved, named_boxes, .. } = self;
        let config = &self.config;
        let of = |h: &HeldCollider| {
            let margin = box_margin(&h.prepared, h.collider.fast, config);
            h.aabb().grown(margin)
        };
        let aabb = |&index: &u32| colliders.at(index).map_or(Aabb::EMPTY, of);
        if moved.len() > BOXES_WORTH_SHARING {
            pool.install(|| moved.par_iter().with_min_len(64).map(aabb).collect_into_vec(boxes));
        } else {
            boxes.clear();
            boxes.extend(moved.iter().map(aabb));
        }
        // A collider that moved and was removed before this step has no box any more.
        let boxes = moved.iter().copied().zip(boxes.iter().copied());
        named_boxes.clear();
        named_boxes.extend(boxes.filter(|(_, aabb)| aabb.is_valid()));
        let (broadphase, named_boxes) = (&mut self.broadphase, &self.named_boxes);
        let mut set = || broadphase.set_aabbs(named_boxes);
        let set = if named_boxes.len() > BOXES_WORTH_SHARING { pool.install(set) } else { set() };
        if let Err(error) = set {
            tracing::error!(%error, "the broad phase does not know the world's colliders");
        }
    }

    /// Updates the pairs and their memories, unless all is as it was: nothing has moved and no pair has come
    /// or gone. Then the counts of the last step are given. (A GPU is asked even so, whether it is still
    /// there, and so are hooks.)
    fn find_pairs(&mut self, pool: &ThreadPool) -> Option<StepCounts> {
        pool.install(|| self.broadphase.update());
        let colliders = &self.colliders;
        let listed = self.broadphase.pairs();
        let at_rest = self.moved.is_empty()
            && self.gpu.is_none()
            && !self.hooks.are_set()
            && self.memories.are_of(listed);
        let still = self.still.take().filter(|_| at_rest);
        if still.is_none() {
            let parted = &mut self.parted_pairs;
            parted.clear();
            let identity = |index| Identity {
                id: id_at(colliders, index),
                revision: colliders.at(index).map_or(0, |held| held.revision),
            };
            let changed = |id: ColliderId| {
                let held = colliders.get(id.index, id.generation);
                held.is_some_and(|held| held.edit.is_some() || held.deformed)
            };
            self.memories.update(listed, identity, |memory| {
                if memory.colliders.into_iter().any(changed) {
                    parted.push(memory.colliders);
                }
            });
        }
        still
    }

    /// Midphase, narrow phase and contacts of every pair.
    fn answer_pairs(
        &mut self,
        pool: &ThreadPool,
        between: bool,
        counts: &mut StepCounts,
        times: &mut StepTimes,
    ) {
        counts.ignored_pairs = self.hooks.filter(
            &mut self.memories,
            &self.colliders,
            &self.neighbours,
            !self.device_bodies.is_empty(),
        );
        let (colliders, config) = (&self.colliders, &self.config);
        let placed = |index: u32| colliders.at(index).map(|held| placed(held, config));
        let step = PipelineStep { pairs: self.broadphase.listed_pairs(), config, placed: &placed, between };
        let memories = self.memories.slots();
        match &mut self.gpu {
            None => pool.install(|| self.pipeline.run(&step, memories, counts, times)),
            Some(gpu) => self.pipeline.run_on(gpu, pool, &step, memories, counts, times),
        }
    }

    /// Lines the pairs' manifolds up, and welds those of bodies that lie across the seam of two floors.
    fn gather(&mut self) {
        let mut count = 0;
        for manifold in self.memories.iter().flat_map(|memory| &memory.manifolds) {
            match self.manifolds.get_mut(count) {
                Some(place) => place.clone_from(manifold),
                None => self.manifolds.push(manifold.clone()),
            }
            count += 1;
        }
        self.manifolds.truncate(count);
        let held = |id: ColliderId| self.colliders.get(id.index, id.generation);
        let fixed = |id: ColliderId| held(id).is_some_and(|held| held.collider.filter.is_static);
        self.seams.weld(&mut self.manifolds, fixed);
    }

    /// Lists the pairs that changes of parts of shapes have reached or parted, and those of meshes that were deformed.
    fn list_edited_pairs(&mut self) {
        self.edited_pairs.clear();
        let colliders = &self.colliders;
        let changed = |&index: &u32| colliders.at(index).is_some_and(|h| h.edit.is_some() || h.deformed);
        if self.moved.iter().any(changed) {
            let deformed = |id: ColliderId| colliders.at(id.index).is_some_and(|held| held.deformed);
            let reached = self.memories.iter().filter(|m| m.edited || m.colliders.into_iter().any(deformed));
            self.edited_pairs.extend(reached.map(|memory| memory.colliders));
            if !self.parted_pairs.is_empty() {
                self.edited_pairs.append(&mut self.parted_pairs);
                self.edited_pairs.sort_unstable_by_key(|pair| pair.map(|id| (id.index, id.generation)));
                self.edited_pairs.dedup();
            }
        }
    }

    /// Has the hooks change the manifolds.
    fn modify(&mut self) {
        self.hooks.modify(&mut self.manifolds, &self.colliders);
        self.second_sides = SecondSides::default();
    }

    /// Compares the contacts with those of the last step.
    fn compare_contacts(&mut self, at_rest: bool, counts: &mut StepCounts) {
        let sent = if at_rest && self.events.is_idle() {
            self.events.update_unchanged(self.steps)
        } else {
            let found = contacts(&self.colliders, &self.memories);
            self.events.update(self.steps, found, &self.manifolds)
        };
        (counts.events, counts.dropped_events) = (sent.sent, sent.dropped);
    }
}

/// The name of what stands in a slot.
pub(crate) fn id_at(colliders: &Slots<HeldCollider>, index: u32) -> ColliderId {
    ColliderId { index, generation: colliders.generation(index) }
}

/// A collider as the stages see it.
pub(crate) fn placed<'s>(held: &'s HeldCollider, config: &Config) -> PlacedCollider<'s> {
    PlacedCollider {
        shape: &held.prepared,
        pose: held.collider.pose,
        tolerance: held.collider.tolerance.unwrap_or(config.tolerance),
        moved: held.moved,
        edit: held.edit,
        travel: held.travel,
        sensor: held.collider.sensor,
        fast: held.collider.fast,
        sweep_beyond: held.collider.sweep_beyond,
        method: held.collider.method,
    }
}
