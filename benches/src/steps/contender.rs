//! Who simulates a scene.

use impinge_scenes::Scene;
use nalgebra::Isometry3;

use super::ours::Ours;
#[cfg(feature = "rapier")]
use super::rapier::{Contacts, Rapier};

/// Length of a step (s).
pub const DT: f64 = 1.0 / 60.0;

/// A whole simulation.
pub trait Contender {
    /// Moves everything on by a step.
    fn step(&mut self) -> anyhow::Result<()>;
    /// Where the bodies stand (m), in the scene's order.
    fn poses(&self) -> Vec<Isometry3<f64>>;
    /// How many contact points there are.
    fn points(&self) -> usize;
}

/// Who can simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Impinge,
    /// rapier, its meshes as they are.
    #[cfg(feature = "rapier")]
    RapierMesh,
    /// The same, with new contacts after 5 mm of drift instead of 50.
    #[cfg(feature = "rapier")]
    RapierFine,
    /// rapier with our contacts inside.
    #[cfg(feature = "rapier")]
    RapierImpinge,
    /// rapier, its moving meshes in convex pieces.
    #[cfg(feature = "rapier")]
    RapierConvex,
}

impl Who {
    pub const ALL: &[Who] = &[
        Who::Impinge,
        #[cfg(feature = "rapier")]
        Who::RapierMesh,
        #[cfg(feature = "rapier")]
        Who::RapierFine,
        #[cfg(feature = "rapier")]
        Who::RapierImpinge,
        #[cfg(feature = "rapier")]
        Who::RapierConvex,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Who::Impinge => "impinge",
            #[cfg(feature = "rapier")]
            Who::RapierMesh => "rapier-trimesh",
            #[cfg(feature = "rapier")]
            Who::RapierFine => "rapier-trimesh-fine",
            #[cfg(feature = "rapier")]
            Who::RapierImpinge => "rapier-impinge",
            #[cfg(feature = "rapier")]
            Who::RapierConvex => "rapier-convex",
        }
    }

    /// The scene at its start, on `threads`.
    pub fn make(self, scene: &Scene, threads: usize, sleeping: bool) -> anyhow::Result<Box<dyn Contender>> {
        #[cfg(feature = "rapier")]
        let rapier = |contacts| -> anyhow::Result<Box<dyn Contender>> {
            Ok(Box::new(Rapier::new(scene, threads, sleeping, contacts)?))
        };
        Ok(match self {
            Who::Impinge => Box::new(Ours::new(scene, threads, sleeping)?),
            #[cfg(feature = "rapier")]
            Who::RapierMesh => rapier(Contacts::Meshes)?,
            #[cfg(feature = "rapier")]
            Who::RapierFine => rapier(Contacts::Fine)?,
            #[cfg(feature = "rapier")]
            Who::RapierImpinge => rapier(Contacts::Impinge)?,
            #[cfg(feature = "rapier")]
            Who::RapierConvex => rapier(Contacts::Convex)?,
        })
    }
}
