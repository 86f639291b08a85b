//! The world: shapes, colliders, and the answer of the last step.

mod colliders;
mod contact_triangles;
mod heights;
mod in_flight;
mod levels;
mod manifolds;
mod motion;
mod own_contacts;
mod particles;
mod parts;
mod replace;
mod solve;
mod step;
mod surface_motion;
mod vertices;

use std::collections::BTreeSet;
use std::sync::Arc;

use impinge_broadphase::Pair;
use impinge_contacts::{ContactRow, Impulse, MaterialTable};
use impinge_geometry::canonical::checked_pose;
use impinge_geometry::{Shape, ShapeId};
use impinge_midphase::{PreparedShape as Prepared, TreeCache};
use nalgebra::Isometry3;
use rayon::ThreadPool;

use crate::config::Config;
use crate::gpu::Gpu;
use crate::slots::Slots;
use crate::{Backend, Parity, PreparedShape, StepReport, WorldBuilder, WorldError};
use in_flight::StateCell;
use motion::Motions;
use parts::Parts;

pub use colliders::ColliderView;
pub use in_flight::StepInFlight;
pub use motion::{ColliderImpact, ImpactState};
pub use own_contacts::SelfContactEvent;
pub use particles::ParticleContacts;
pub(crate) use step::{HeldCollider, StepState, id_at, placed};

/// Colliders, the shapes they place, and the contacts between them.
#[derive(Debug)]
pub struct World {
    pub(crate) pool: Arc<ThreadPool>,
    pub(crate) shapes: Slots<HeldShape>,
    pub(crate) materials: MaterialTable,
    parts: Parts,
    rows: Vec<ContactRow>,
    impulses: Vec<Impulse>,
    motions: Motions,
    /// What colliders place while their shape changes.
    vacant: Arc<Prepared>,
    pub(crate) state: StateCell,
}

/// A shape and the slots of the colliders that place it.
#[derive(Debug)]
pub(crate) struct HeldShape {
    pub prepared: Arc<Prepared>,
    colliders: BTreeSet<u32>,
}

impl HeldShape {
    /// The slots of the colliders that place it.
    #[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "only vertices on a device ask"))]
    pub fn colliders(&self) -> impl Iterator<Item = u32> {
        self.colliders.iter().copied()
    }
}

impl World {
    /// Begins the description of a world.
    pub fn builder() -> WorldBuilder {
        WorldBuilder::default()
    }

    pub(crate) fn with(config: Config, pool: Arc<ThreadPool>, gpu: Option<Gpu>) -> World {
        World {
            materials: MaterialTable::new(config.rules),
            state: StateCell::new(StepState::new(config, pool.current_num_threads(), gpu), Arc::clone(&pool)),
            pool,
            shapes: Slots::default(),
            parts: Parts::default(),
            rows: Vec::new(),
            impulses: Vec::new(),
            motions: Motions::default(),
            vacant: Arc::new(Prepared::new(&Shape::half_space())),
        }
    }

    /// The backend in use: never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        self.state.config.backend
    }

    /// What contacts that a GPU takes part in have in common with the CPU's.
    pub fn parity(&self) -> Parity {
        self.state.config.parity
    }

    /// The GPU in use: name, kind, interface and driver; `None` on the CPU.
    pub fn adapter(&self) -> Option<String> {
        self.state.gpu.as_ref().map(Gpu::adapter)
    }

    /// What last went wrong with the GPU, in a step that it then did not finish or between two steps; `None`
    /// where all went well so far.
    pub fn gpu_fault(&self) -> Option<&str> {
        self.state.gpu.as_ref().and_then(Gpu::fault)
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
        let mut trees = TreeCache::with_simd(self.state.config.boxes.simd);
        let prepared = Arc::new(self.pool.install(|| Prepared::with_trees(&shape, &mut trees)));
        self.hold(prepared)
    }

    /// As [`World::add_shape`], of a shape that was made ready before: other worlds and queries share its trees.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cube = PreparedShape::new(&Shape::cuboid([0.5; 3])?);
    /// for _ in 0..2 {
    ///     let mut world = World::builder().backend(Backend::Cpu).build()?;
    ///     let shape = world.add_prepared(&cube)?;
    ///     world.add_collider(Collider::new(shape))?;
    ///     world.add_collider(Collider::new(shape).position([0.75, 0.0, 0.0]))?;
    ///     assert_eq!(world.step().counts.manifolds, 1);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As there.
    pub fn add_prepared(&mut self, shape: &PreparedShape) -> Result<ShapeId, WorldError> {
        let prepared = Arc::clone(shape.stages());
        prepared.shape().check()?;
        self.hold(prepared)
    }

    fn hold(&mut self, prepared: Arc<Prepared>) -> Result<ShapeId, WorldError> {
        let shape = HeldShape { prepared, colliders: BTreeSet::new() };
        let (index, generation) = self.shapes.insert(shape).ok_or(WorldError::Full { what: "shapes" })?;
        Ok(ShapeId { index, generation })
    }

    /// A shape of this world.
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`].
    pub fn shape(&self, id: ShapeId) -> Result<&Shape, WorldError> {
        self.held_shape(id).map(|held| held.prepared.shape())
    }

    /// Removes a shape that no collider places.
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or [`WorldError::ShapeInUse`].
    pub fn remove_shape(&mut self, id: ShapeId) -> Result<Shape, WorldError> {
        let colliders = self.held_shape(id)?.colliders.len() as u32;
        if colliders > 0 {
            return Err(WorldError::ShapeInUse { id, colliders });
        }
        self.state.device_bodies.forget(id);
        let held = self.shapes.remove(id.index, id.generation);
        held.map(|held| held.prepared.shape().clone()).ok_or(WorldError::UnknownShape { id })
    }

    /// Finds the contacts of the colliders where they stand now. The manifolds can be read from
    /// [`World::manifolds`] until the next step.
    ///
    /// A step cannot fail: whatever cannot be used is refused when it is set. A GPU that fails leaves the step
    /// to the CPU, and the status says so ([`StepStatus::GPU_LOST`](crate::StepStatus::GPU_LOST),
    /// [`StepStatus::GPU_REDONE`](crate::StepStatus::GPU_REDONE)).
    pub fn step(&mut self) -> StepReport {
        // A worker of the pool would wait for the GPU and for itself; a thread of its own does not.
        if self.state.gpu.is_some() && self.pool.current_thread_index().is_some() {
            return self.begin_step().finish();
        }
        self.state.step(&self.pool)
    }

    /// A step between two whole ones, for a simulator that splits the time of one where some bodies are fast: what these meet is
    /// found as in [`World::step`], and what the others have met is carried along.
    ///
    /// A pair is carried along where its colliders have moved against each other since its last full answer by no more than half
    /// the lesser of their [`Collider::sweep_beyond`](crate::Collider::sweep_beyond), nor will before the next step if they go on as
    /// they did. Its points keep their places on both colliders, depths follow to first order, and what did not touch does not:
    /// what a solver assumes within a step. A point may so come apart, and has a negative depth then; a pair of which a whole
    /// manifold does is answered in full, and so are sensors, primitives and hulls, what deforms, and contacts with samples of their patches. By default
    /// `sweep_beyond` is 0, and all that has moved is. [`StepCounts::carried_pairs`](crate::StepCounts::carried_pairs) counts them.
    /// The next [`World::step`] does not go by what was carried along.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// use nalgebra::{Isometry3, Point3};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from);
    /// let solid = TriMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let mut world = World::builder().build()?;
    /// let floor = world.add_shape(Shape::half_space())?;
    /// let wedge = world.add_shape(Shape::Mesh(solid.into()))?;
    /// world.add_collider(Collider::new(floor).sweep_beyond(0.2))?;
    /// let id = world.add_collider(Collider::new(wedge).sweep_beyond(0.2))?;
    ///
    /// world.set_pose(id, Isometry3::translation(0.0, 0.0, -0.02))?;
    /// world.step();
    /// world.set_pose(id, Isometry3::translation(0.0, 0.0, -0.05))?;
    /// assert_eq!(world.substep().counts.carried_pairs, 1);
    /// assert!((world.manifolds()[0].depth - 0.05).abs() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    pub fn substep(&mut self) -> StepReport {
        self.state.between = true;
        self.step()
    }

    /// The pairs of slots whose boxes overlapped in the last step, sorted.
    pub fn pairs(&self) -> &[Pair] {
        self.state.broadphase.listed_pairs()
    }

    fn held_shape(&self, id: ShapeId) -> Result<&HeldShape, WorldError> {
        self.shapes.get(id.index, id.generation).ok_or(WorldError::UnknownShape { id })
    }
}

/// The pose with its rotation normalised.
pub(crate) fn usable_pose(pose: &Isometry3<f64>) -> Result<Isometry3<f64>, WorldError> {
    Ok(checked_pose(pose)?)
}
