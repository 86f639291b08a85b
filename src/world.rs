//! The world: shapes, colliders, and the answer of the last step.

use std::sync::Arc;
use std::time::Instant;

use impinge_broadphase::{BroadPhase, Pair};
use impinge_contacts::{ContactEvents, ContactRow, Impulse, Manifold, MaterialTable, RowSide, Seams, Solver};
use impinge_geometry::canonical::checked_pose;
use impinge_geometry::{Aabb, ColliderId, Shape, ShapeId};
use impinge_midphase::{PreparedShape, TreeCache};
use nalgebra::Isometry3;
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::config::Config;
use crate::gpu::Gpu;
use crate::pair_memory::PairMemories;
use crate::pipeline::{Pipeline, PipelineStep, PlacedCollider};
use crate::report::{StepCounts, StepReport, StepTimes};
use crate::slots::Slots;
use crate::{Backend, Collider, SolveError, WorldBuilder, WorldError};

/// Positions beyond this (m) are refused: boxes are `f32`.
const FARTHEST: f64 = 1e30;

/// Colliders, the shapes they place, and the contacts between them.
#[derive(Debug)]
pub struct World {
    config: Config,
    pub(crate) pool: ThreadPool,
    shapes: Slots<HeldShape>,
    pub(crate) colliders: Slots<HeldCollider>,
    /// Slots of the colliders that have moved since the last step, in the order in which they moved.
    moved: Vec<u32>,
    boxes: Vec<Aabb>,
    named_boxes: Vec<(u32, Aabb)>,
    pub(crate) broadphase: BroadPhase,
    pub(crate) memories: PairMemories,
    pipeline: Pipeline,
    /// What the last step counted, if every pair of it kept its answer.
    still: Option<StepCounts>,
    pub(crate) gpu: Option<Gpu>,
    manifolds: Vec<Manifold>,
    rows: Vec<ContactRow>,
    impulses: Vec<Impulse>,
    seams: Seams,
    pub(crate) materials: MaterialTable,
    pub(crate) events: ContactEvents,
    pub(crate) steps: u64,
}

/// A shape and who uses it.
#[derive(Debug)]
struct HeldShape {
    shape: Shape,
    prepared: Arc<PreparedShape>,
    colliders: u32,
}

/// A collider as the world keeps it.
#[derive(Debug)]
pub(crate) struct HeldCollider {
    pub(crate) collider: Collider,
    prepared: Arc<PreparedShape>,
    moved: bool,
}

impl World {
    /// Begins the description of a world.
    pub fn builder() -> WorldBuilder {
        WorldBuilder::default()
    }

    pub(crate) fn with(config: Config, pool: ThreadPool, gpu: Option<Gpu>) -> World {
        World {
            gpu,
            pipeline: Pipeline::new(pool.current_num_threads()),
            still: None,
            materials: MaterialTable::new(config.rules),
            events: ContactEvents::default(),
            steps: 0,
            config,
            pool,
            shapes: Slots::default(),
            colliders: Slots::default(),
            moved: Vec::new(),
            boxes: Vec::new(),
            named_boxes: Vec::new(),
            broadphase: BroadPhase::new(config.boxes),
            memories: PairMemories::default(),
            manifolds: Vec::new(),
            rows: Vec::new(),
            impulses: Vec::new(),
            seams: Seams::default(),
        }
    }

    /// The backend in use: never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        self.config.backend
    }

    /// The GPU in use: name, kind, interface and driver; `None` on the CPU.
    pub fn adapter(&self) -> Option<String> {
        self.gpu.as_ref().map(Gpu::adapter)
    }

    /// What last went wrong with the GPU, in a step that it then did not finish or between two steps; `None`
    /// where all went well so far.
    pub fn gpu_fault(&self) -> Option<&str> {
        self.gpu.as_ref().and_then(Gpu::fault)
    }

    /// How many worker threads there are.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Adds a shape, to be placed by any number of colliders.
    ///
    /// # Errors
    /// [`WorldError::Shape`] for a size that cannot be used, [`WorldError::Full`] when no more shapes
    /// can be named.
    pub fn add_shape(&mut self, shape: impl Into<Shape>) -> Result<ShapeId, WorldError> {
        let shape = shape.into();
        shape.check()?;
        let mut trees = TreeCache::with_simd(self.config.boxes.simd);
        let prepared = Arc::new(self.pool.install(|| PreparedShape::with_trees(&shape, &mut trees)));
        let (index, generation) = self
            .shapes
            .insert(HeldShape { shape, prepared, colliders: 0 })
            .ok_or(WorldError::Full { what: "shapes" })?;
        Ok(ShapeId { index, generation })
    }

    /// A shape of this world.
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`].
    pub fn shape(&self, id: ShapeId) -> Result<&Shape, WorldError> {
        self.held_shape(id).map(|held| &held.shape)
    }

    /// Removes a shape that no collider places.
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or [`WorldError::ShapeInUse`].
    pub fn remove_shape(&mut self, id: ShapeId) -> Result<Shape, WorldError> {
        let colliders = self.held_shape(id)?.colliders;
        if colliders > 0 {
            return Err(WorldError::ShapeInUse { id, colliders });
        }
        let held = self.shapes.remove(id.index, id.generation);
        held.map(|held| held.shape).ok_or(WorldError::UnknownShape { id })
    }

    /// Adds a collider.
    ///
    /// # Errors
    /// [`WorldError`] for an unknown shape, a pose that is not finite, a material or tolerance that is
    /// not a number or negative.
    pub fn add_collider(&mut self, mut collider: Collider) -> Result<ColliderId, WorldError> {
        collider.pose = usable_pose(&collider.pose)?;
        collider.material = collider.material.checked()?;
        if let Some(tolerance) = collider.tolerance
            && !(tolerance.is_finite() && tolerance >= 0.0)
        {
            return Err(WorldError::Tolerance { tolerance });
        }
        let shape = collider.shape;
        let held = self
            .shapes
            .get_mut(shape.index, shape.generation)
            .ok_or(WorldError::UnknownShape { id: shape })?;
        let prepared = Arc::clone(&held.prepared);
        let aabb = prepared.aabb_at(&collider.pose).grown(self.config.box_margin());
        let full = WorldError::Full { what: "colliders" };
        let (index, _) = self.colliders.next_name().ok_or(full.clone())?;
        self.broadphase.insert(&[(index, aabb, collider.filter)]).map_err(|_| full.clone())?;
        held.colliders += 1;
        let entry = HeldCollider { collider, prepared, moved: true };
        let (index, generation) = self.colliders.insert(entry).ok_or(full)?;
        self.moved.push(index);
        Ok(ColliderId { index, generation })
    }

    /// Removes a collider. Its manifolds are gone at once, its pairs end with the next step.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn remove_collider(&mut self, id: ColliderId) -> Result<(), WorldError> {
        let unknown = WorldError::UnknownCollider { id };
        let held = self.colliders.remove(id.index, id.generation).ok_or(unknown.clone())?;
        self.broadphase.remove(&[id.index]).map_err(|_| unknown)?;
        let shape = held.collider.shape;
        if let Some(shape) = self.shapes.get_mut(shape.index, shape.generation) {
            shape.colliders -= 1;
        }
        self.manifolds.retain(|m| !m.colliders.contains(&id));
        Ok(())
    }

    /// Moves a collider (m).
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`], [`WorldError::Pose`] or [`WorldError::TooFar`].
    pub fn set_pose(&mut self, id: ColliderId, pose: Isometry3<f64>) -> Result<(), WorldError> {
        let pose = usable_pose(&pose)?;
        let held =
            self.colliders.get_mut(id.index, id.generation).ok_or(WorldError::UnknownCollider { id })?;
        if held.collider.pose != pose {
            held.collider.pose = pose;
            if !held.moved {
                held.moved = true;
                self.moved.push(id.index);
            }
        }
        Ok(())
    }

    /// Where a collider stands (m), its rotation normalised.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn pose(&self, id: ColliderId) -> Result<Isometry3<f64>, WorldError> {
        self.held_collider(id).map(|held| held.collider.pose)
    }

    /// The shape that a collider places.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn shape_of(&self, id: ColliderId) -> Result<ShapeId, WorldError> {
        self.held_collider(id).map(|held| held.collider.shape)
    }

    /// The colliders, in the order of their slots.
    pub fn colliders(&self) -> impl Iterator<Item = ColliderId> {
        self.colliders.iter().map(|(index, generation, _)| ColliderId { index, generation })
    }

    /// Changes the groups a collider is in and those it may collide with, a bit each.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn set_groups(&mut self, id: ColliderId, groups: u32, mask: u32) -> Result<(), WorldError> {
        let unknown = WorldError::UnknownCollider { id };
        let held = self.colliders.get_mut(id.index, id.generation).ok_or(unknown.clone())?;
        let mut filter = held.collider.filter;
        (filter.groups, filter.mask) = (groups, mask);
        self.broadphase.set_filter(id.index, filter).map_err(|_| unknown)?;
        held.collider.filter = filter;
        Ok(())
    }

    /// Finds the contacts of the colliders where they stand now. The manifolds can be read from
    /// [`World::manifolds`] until the next step.
    ///
    /// # Errors
    /// None today. A GPU that fails is no error: the step is finished on the CPU, and the status says so
    /// ([`StepStatus::GPU_LOST`](crate::StepStatus::GPU_LOST),
    /// [`StepStatus::GPU_REDONE`](crate::StepStatus::GPU_REDONE)).
    pub fn step(&mut self) -> Result<StepReport, WorldError> {
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
            patches = tracing::field::Empty,
            manifolds = tracing::field::Empty,
            points = tracing::field::Empty,
        );
        let _entered = span.enter();
        let started = Instant::now();
        let mut times = StepTimes::default();
        self.move_boxes();
        times.boxes = started.elapsed();

        let broadphase = Instant::now();
        self.pool.install(|| self.broadphase.update());
        let colliders = &self.colliders;
        let listed = self.broadphase.pairs();
        // Where nothing has moved and no pair has come or gone, all is as it was. (A GPU is asked even so,
        // whether it is still there.)
        let at_rest = self.moved.is_empty() && self.gpu.is_none() && self.memories.are_of(listed);
        let still = self.still.take().filter(|_| at_rest);
        if still.is_none() {
            self.memories.update(listed, |index| id_at(colliders, index));
        }
        times.broadphase = broadphase.elapsed();

        let pairs = Instant::now();
        let placed = |index: u32| colliders.at(index).map(|held| placed(held, &self.config));
        let step =
            PipelineStep { pairs: self.broadphase.listed_pairs(), config: &self.config, placed: &placed };
        let memories = self.memories.slots();
        match (&mut self.gpu, still) {
            (_, Some(still)) => counts = StepCounts { colliders: counts.colliders, moved: 0, ..still },
            (None, None) => {
                self.pool.install(|| self.pipeline.run(&step, memories, &mut counts, &mut times));
            }
            (Some(gpu), None) => {
                self.pipeline.run_on(gpu, &self.pool, &step, memories, &mut counts, &mut times);
            }
        }
        self.still = (counts.kept_pairs == counts.pairs).then_some(counts);
        times.pairs = pairs.elapsed();

        self.gather();
        for index in self.moved.drain(..) {
            if let Some(held) = self.colliders.at_mut(index) {
                held.moved = false;
            }
        }
        self.steps += 1;
        self.tell(&mut counts);
        counts.manifolds = self.manifolds.len() as u64;
        counts.points = self.manifolds.iter().map(|m| m.points.len() as u64).sum();
        times.step = started.elapsed();
        span.record("pairs", counts.pairs)
            .record("kept_pairs", counts.kept_pairs)
            .record("patches", counts.patches)
            .record("manifolds", counts.manifolds)
            .record("points", counts.points);
        Ok(StepReport { status: counts.status(), counts, times })
    }

    /// The contacts that the last step found, in the order of the colliders' slots.
    pub fn manifolds(&self) -> &[Manifold] {
        &self.manifolds
    }

    /// The pairs of slots whose boxes overlapped in the last step, sorted.
    pub fn pairs(&self) -> &[Pair] {
        self.broadphase.listed_pairs()
    }

    /// Hands the contacts of the last step to a solver and keeps the impulses it finds: the next step's
    /// rows carry them for warm starting.
    ///
    /// # Errors
    /// [`SolveError`]; the impulses kept so far stay.
    pub fn solve<S: Solver>(&mut self, solver: &mut S, dt: f64) -> Result<(), SolveError<S::Error>> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(SolveError::Dt { dt });
        }
        let colliders = &self.colliders;
        let side = |id: ColliderId| {
            let held = colliders.get(id.index, id.generation).map(|held| &held.collider);
            RowSide {
                material: held.map_or_else(Default::default, |c| c.material),
                user_data: held.map_or(0, |c| c.user_data),
            }
        };
        impinge_contacts::rows(&self.manifolds, side, &self.materials, &mut self.rows);
        self.impulses.clear();
        self.impulses.extend(self.rows.iter().map(|row| row.warm));
        solver.solve(&self.rows, &mut self.impulses, dt).map_err(SolveError::Solver)?;
        impinge_contacts::write_back(&self.impulses, &mut self.manifolds)?;
        self.remember_impulses();
        Ok(())
    }

    /// The rows that the last [`World::solve`] handed out.
    pub fn rows(&self) -> &[ContactRow] {
        &self.rows
    }

    /// The boxes of moved colliders, to the broad phase.
    pub(crate) fn move_boxes(&mut self) {
        let _span = tracing::info_span!("boxes", moved = self.moved.len()).entered();
        let (colliders, boxes) = (&self.colliders, &mut self.boxes);
        let margin = self.config.box_margin();
        let of = |h: &HeldCollider| h.prepared.aabb_at(&h.collider.pose).grown(margin);
        let aabb = |&index: &u32| colliders.at(index).map_or(Aabb::EMPTY, of);
        if self.moved.len() > 512 {
            self.pool.install(|| self.moved.par_iter().with_min_len(64).map(aabb).collect_into_vec(boxes));
        } else {
            boxes.clear();
            boxes.extend(self.moved.iter().map(aabb));
        }
        // A collider that moved and was removed before this step has no box any more.
        let boxes = self.moved.iter().copied().zip(boxes.iter().copied());
        self.named_boxes.clear();
        self.named_boxes.extend(boxes.filter(|(_, aabb)| aabb.is_valid()));
        if let Err(error) = self.broadphase.set_aabbs(&self.named_boxes) {
            tracing::error!(%error, "the broad phase does not know the world's colliders");
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

    /// Copies the manifolds' impulses into the pairs' memories, which hold the same manifolds in the
    /// same order, less those of colliders removed since.
    fn remember_impulses(&mut self) {
        let mut solved = self.manifolds.iter().peekable();
        for memory in self.memories.slots() {
            if solved.peek().is_none_or(|m| m.colliders != memory.colliders) {
                continue;
            }
            for kept in &mut memory.manifolds {
                if let Some(manifold) = solved.next() {
                    // At a seam the manifold has another normal than the pair's own.
                    for (kept_point, point) in kept.points.iter_mut().zip(&manifold.points) {
                        kept_point.impulse = point.impulse.turned(&manifold.normal, &kept.normal);
                    }
                }
            }
            memory.contacts.store(&memory.manifolds);
        }
    }

    fn held_shape(&self, id: ShapeId) -> Result<&HeldShape, WorldError> {
        self.shapes.get(id.index, id.generation).ok_or(WorldError::UnknownShape { id })
    }

    fn held_collider(&self, id: ColliderId) -> Result<&HeldCollider, WorldError> {
        self.colliders.get(id.index, id.generation).ok_or(WorldError::UnknownCollider { id })
    }
}

pub(crate) fn id_at(colliders: &Slots<HeldCollider>, index: u32) -> ColliderId {
    ColliderId { index, generation: colliders.generation(index) }
}

fn placed<'s>(held: &'s HeldCollider, config: &Config) -> PlacedCollider<'s> {
    PlacedCollider {
        shape: &held.prepared,
        pose: held.collider.pose,
        tolerance: held.collider.tolerance.unwrap_or(config.tolerance),
        moved: held.moved,
        sensor: held.collider.sensor,
    }
}

/// The pose with its rotation normalised.
fn usable_pose(pose: &Isometry3<f64>) -> Result<Isometry3<f64>, WorldError> {
    let pose = checked_pose(pose)?;
    let position: [f64; 3] = pose.translation.vector.into();
    if position.iter().any(|x| x.abs() > FARTHEST) {
        return Err(WorldError::TooFar { position });
    }
    Ok(pose)
}
