//! Collision detection for simulators: shapes and poses in, contact manifolds out.
//!
//! `impinge` finds contacts between arbitrary closed meshes, convex or not, without preprocessing:
//! nothing is decomposed and no distance field is baked. A [`World`] holds shapes and the colliders
//! that place them; each [`World::step`] finds the touching pairs and reduces every region of overlap
//! to a [`Manifold`] of at most four points, with a normal and a depth that a solver can use.
//!
//! ```
//! use impinge::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut world = World::builder().backend(Backend::Cpu).build()?;
//!
//! let ball = world.add_shape(Shape::sphere(0.5)?)?;
//! let floor = world.add_shape(Shape::half_space())?;
//! let ground = world.add_collider(Collider::new(floor).fixed(true))?;
//! let body = world.add_collider(Collider::new(ball).position([0.0, 0.0, 0.48]))?;
//!
//! let report = world.step();
//! assert_eq!(report.counts.manifolds, 1);
//!
//! let manifold = &world.manifolds()[0];
//! assert_eq!(manifold.colliders, [ground, body]);
//! assert!((manifold.normal.z - 1.0).abs() < 1e-6); // from the ground to the ball
//! assert!((manifold.depth - 0.02).abs() < 1e-6); // 2 cm deep
//! # Ok(())
//! # }
//! ```
//!
//! # Five things most come for
//!
//! **Contacts for a solver of your own**, every step: [`World::step`], then [`World::manifolds`], or rows through
//! [`World::solve`] and [`Solver`] (`examples/custom_solver.rs`).
//!
//! ```
//! # use impinge::prelude::*;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut world = World::builder().backend(Backend::Cpu).build()?;
//! # let cube = world.add_shape(Shape::cuboid([0.5; 3])?)?;
//! # world.add_collider(Collider::new(cube).fixed(true))?;
//! # world.add_collider(Collider::new(cube).position([0.0, 0.0, 0.99]))?;
//! world.step();
//! let mut points = 0;
//! for manifold in world.manifolds() {
//!     for point in &manifold.points {
//!         let (_at, _normal, _depth) = (point.position, manifold.normal_at(point), point.depth);
//!         points += 1;
//!     }
//! }
//! assert_eq!(points, 4);
//! # Ok(())
//! # }
//! ```
//!
//! **One pair of shapes**, without a world: contacts, touching, distance, intersection volume, contours.
//!
//! ```
//! # use impinge::prelude::*;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let [ball, cube] = [Shape::sphere(0.5)?, Shape::cuboid([0.5; 3])?];
//! let query = PairQuery::new(&ball, &cube, QuerySettings::default())?;
//! let [here, there] = [0.0, 1.25].map(|x| Isometry3::translation(x, 0.0, 0.0));
//! assert!(!query.touching(&here, &there)?);
//! assert_eq!(query.distance(&here, &there)?.distance(), 0.25);
//! assert!(!query.contacts(&here, &Isometry3::translation(0.9, 0.0, 0.0))?.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! **Is this place free?** A shape at many poses against everything in a world, as a planner asks it.
//!
//! ```
//! # use impinge::{QueryFilter, prelude::*};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut world = World::builder().backend(Backend::Cpu).build()?;
//! # let shelf = world.add_shape(Shape::cuboid([1.0, 0.3, 0.02])?)?;
//! # world.add_collider(Collider::new(shelf).fixed(true))?;
//! let gripper = world.add_shape(Shape::capsule(0.05, 0.1)?)?;
//! let plan: Vec<_> = (0..100).map(|k| Isometry3::translation(0.0, 0.0, 0.01 * f64::from(k))).collect();
//! let blocked = world.shape_queries().touches_many(gripper, &plan, &QueryFilter::new().sensors(false))?;
//! assert!(blocked[0] && !blocked[99]);
//! # Ok(())
//! # }
//! ```
//!
//! **Meshes as they come**, from files ([`TriMesh::load`]) or arrays; [`TriMesh::repaired`] closes what is open by little.
//!
//! ```
//! # use impinge::prelude::*;
//! # use impinge::geometry::RepairSettings;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from);
//! // The last triangle is turned inside out.
//! let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 3, 2]];
//! let mesh = TriMesh::repaired(corners.to_vec(), faces, &RepairSettings::default())?;
//! assert!(mesh.is_closed());
//! # Ok(())
//! # }
//! ```
//!
//! **What has just touched what:** [`World::events`], [`World::subscribe`], [`Collider::sensor`].
//!
//! ```
//! # use impinge::prelude::*;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut world = World::builder().backend(Backend::Cpu).build()?;
//! # let ball = world.add_shape(Shape::sphere(0.5)?)?;
//! let door = world.add_collider(Collider::new(ball).sensor(true))?;
//! let guest = world.add_collider(Collider::new(ball).position([0.5, 0.0, 0.0]))?;
//! world.step();
//! for event in world.events() {
//!     assert_eq!((event.phase, event.contact.colliders), (ContactPhase::Begin, [door, guest]));
//! }
//! # assert_eq!(world.events().len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! Lengths are metres, angles radians, times seconds; frames are right-handed. Shapes are `f32`, poses
//! `f64`. On the CPU the answer is the same to the last bit for any number of threads.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

pub mod ldi;
pub mod query;

/// The narrow phase on the GPU: adapters, limits and capacities.
#[cfg(feature = "gpu")]
pub mod gpu_narrow {
    #[cfg(feature = "fault-injection")]
    #[doc(inline)]
    pub use impinge_gpu_narrow::InjectedFault;
    /// The version of wgpu whose devices can be shared.
    #[doc(no_inline)]
    pub use impinge_gpu_narrow::wgpu;
    #[doc(inline)]
    pub use impinge_gpu_narrow::{
        AdapterChoice, AdapterKind, AdapterSummary, Capacities, CaptureReport, EngineError, EngineSettings,
        EnvironmentError, GpuChannels, GpuEnvironment, GpuFault, GpuPiece, PassSpan, StepCapture, Topology,
        UnknownCapture, adapters, choose, height_map, limits, operations, surfaces,
    };
}

#[cfg(feature = "parry3d")]
pub mod parry;

mod backend;
mod box_queries;
pub mod chain;
mod clock;
mod clouds;
mod coherence;
mod collider;
mod config;
mod contact_events;
mod disabled;
mod error;
mod gpu;
mod hooks;
mod margin;
mod materials;
mod neighbours;
mod pair_memory;
mod pipeline;
mod query_filter;
mod report;
mod shape_edit;
mod shape_queries;
mod skeleton;
mod slots;
mod world;

pub mod prelude;

pub use backend::{Backend, Parity, UnknownBackend, UnknownParity};
pub use box_queries::{BoxHit, BoxQueries};
pub use collider::Collider;
pub use config::WorldBuilder;
pub use disabled::ColliderPool;
pub use error::{BuildError, SolveError, WorldError};
#[cfg(feature = "gpu")]
pub use gpu::{DeviceContact, DeviceContactEvent, KnownPlaces};
pub use gpu::{DeviceSummary, devices};
pub use hooks::{ContactHooks, HookedPair, PairResponse};
pub use query::{
    Faces, Impact, NearestHit, PairAnswer, PairDistance, PairExit, PairQuery, PairSweep, PairTracker,
    PreparedShape, QueryError, QueryPool, QuerySettings, RayHit, ShapeRay,
};
pub use query_filter::QueryFilter;
pub use report::{MotionReport, StepCounts, StepReport, StepStatus, StepTimes};
pub use shape_queries::{ShapeQueries, SweepHit};
pub use skeleton::Skeleton;
pub use world::{
    ColliderImpact, ColliderView, ImpactState, ParticleContacts, SelfContactEvent, StepInFlight, World,
};

/// Where contact events are read: [`World::subscribe`] gives one. Dropping it ends the subscription.
pub use crossbeam_channel::Receiver;
#[doc(inline)]
pub use impinge_broadphase::{BroadPhaseError, Disabling, Margin, Pair, Ray};
#[doc(inline)]
pub use impinge_contacts::{
    CombineRule, CombineRules, Contact, ContactError, ContactEvent, ContactPhase, ContactPoint, ContactRow,
    Impulse, Manifold, Material, MaterialError, MaterialTable, PairMaterial, Solver, Subscription,
    TouchSummary, tangents,
};
#[doc(inline)]
pub use impinge_geometry::{
    ColliderId, FieldEdit, HeightField, HeightFieldError, HeightFieldSettings, LevelEdit, LevelSet,
    LevelSetError, LevelSetSettings, MassError, MassProperties, MeshError, Motion, MotionError, PartId,
    Particles, ParticlesError, PoseError, Shape, ShapeError, ShapeId, Skin, SkinError, TriMesh,
};
#[doc(inline)]
pub use impinge_midphase::{DeformError, Deformation};
#[doc(inline)]
pub use impinge_pair::particles::{PointContact, PointFeature, PointRange};
#[doc(inline)]
pub use impinge_pair::{
    ContactPatch, NarrowMethod, PatchOrigin, PatchSample, Redo, RedoCounts, UnknownNarrowMethod,
};
/// The vectors and poses of the public functions.
#[doc(no_inline)]
pub use nalgebra;
/// The thread pool that [`WorldBuilder::thread_pool`] shares.
#[doc(no_inline)]
pub use rayon::ThreadPool;

/// Shapes, meshes, volumes, exact predicates and mass properties.
pub mod geometry {
    #[doc(inline)]
    pub use impinge_geometry::*;
}

/// Height maps: what an orthographic view of shapes sees first, and an object's own maps against its
/// environment. Start with [`query::HeightMapQuery`].
pub mod height_map {
    #[doc(inline)]
    pub use impinge_image_space::height_map::{
        AgainstScratch, Bounds, Candidates, Channels, Environment, HeightMap, HeightMapError, Hit,
        ImagePlane, LooseError, LooseObstacle, MAX_PIXELS, NO_TRIANGLE, Obstacle, Overlap, OverlapPixel,
        OverlapSums, Profile, Subject, Topology, Which, best_direction, compare, directions, waste,
    };
}

/// Clouds of points against an environment: one map that all points share.
pub mod cloud {
    #[doc(inline)]
    pub use impinge_image_space::cloud::{
        Bounce, BounceError, CloudCounts, CloudError, CloudHit, CloudMap, CloudView, Points,
    };
}

/// The README's program compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
