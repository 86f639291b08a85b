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
        AdapterChoice, AdapterKind, AdapterSummary, Capacities, EngineError, EngineSettings,
        EnvironmentError, GpuChannels, GpuEnvironment, GpuFault, GpuPiece, Topology, adapters, choose,
        height_map, limits,
    };
}

mod backend;
mod box_queries;
mod collider;
mod config;
mod contact_events;
mod disabled;
mod error;
mod gpu;
mod hooks;
mod materials;
mod pair_memory;
mod pipeline;
mod query_filter;
mod report;
mod slots;
mod world;

pub mod prelude;

pub use backend::{Backend, UnknownBackend};
pub use box_queries::{BoxHit, BoxQueries};
pub use collider::Collider;
pub use config::WorldBuilder;
pub use disabled::ColliderPool;
pub use error::{BuildError, SolveError, WorldError};
pub use gpu::{DeviceSummary, devices};
pub use hooks::{ContactHooks, HookedPair, PairResponse};
pub use query::{PairAnswer, PairDistance, PairQuery, PairTracker, QueryError, QueryPool, QuerySettings};
pub use query_filter::QueryFilter;
pub use report::{StepCounts, StepReport, StepStatus, StepTimes};
pub use world::{ColliderView, StepInFlight, World};

/// Where contact events are read: [`World::subscribe`] gives one. Dropping it ends the subscription.
pub use crossbeam_channel::Receiver;
#[doc(inline)]
pub use impinge_broadphase::{BroadPhaseError, Disabling, Margin, Pair, Ray};
#[doc(inline)]
pub use impinge_contacts::{
    CombineRule, CombineRules, Contact, ContactError, ContactEvent, ContactPhase, ContactPoint, ContactRow,
    Impulse, Manifold, Material, MaterialError, MaterialTable, PairMaterial, Solver, Subscription,
};
#[doc(inline)]
pub use impinge_geometry::{ColliderId, MeshError, PoseError, Shape, ShapeError, ShapeId, TriMesh};
#[doc(inline)]
pub use impinge_pair::PatchOrigin;
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
        AgainstScratch, Bounds, Candidates, Channels, HeightMap, HeightMapError, Hit, ImagePlane, MAX_PIXELS,
        NO_TRIANGLE, Obstacle, Overlap, OverlapPixel, OverlapSums, Profile, Subject, Which, best_direction,
        compare, directions, waste,
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
