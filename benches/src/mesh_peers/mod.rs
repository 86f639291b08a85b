//! Those who answer questions about two meshes.

#[cfg(feature = "peers-cpp")]
mod fcl;
#[cfg(feature = "peers-cpp")]
mod gimpact;
mod in_world;
mod ours;
mod parry;

use std::sync::Arc;

use clap::ValueEnum;
use impinge_geometry::TriMesh;
use nalgebra::Isometry3;

pub use ours::{Ours, Way};

/// What is asked about two meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Query {
    /// Do the surfaces share a point? The first one found ends the search.
    Touching,
    /// How many pairs of triangles share a point?
    Pairs,
    /// How far apart are the surfaces (m)?
    Distance,
    /// Make both meshes ready to be asked.
    Build,
    /// Contact points with normals and depths.
    Contacts,
}

impl Query {
    /// All of them.
    pub const ALL: [Query; 5] =
        [Query::Touching, Query::Pairs, Query::Distance, Query::Build, Query::Contacts];

    /// The name in the rows.
    pub fn name(self) -> &'static str {
        match self {
            Query::Touching => "touching",
            Query::Pairs => "pairs",
            Query::Distance => "distance",
            Query::Build => "build",
            Query::Contacts => "contacts",
        }
    }
}

/// One who answers questions about two meshes that were made ready.
pub trait MeshContender: Send {
    /// The name in the rows.
    fn who(&self) -> &'static str;
    /// Whether it can be asked this.
    fn answers(&self, query: Query) -> bool;
    /// Whether asking again about a pose costs less than the first time, however long that took.
    fn remembers(&self) -> bool {
        false
    }
    /// Whether other threads than the caller's do its work.
    fn has_threads(&self) -> bool {
        false
    }
    /// Called before its turn, outside the time that is measured.
    fn ready(&mut self, query: Query) {
        let _ = query;
    }
    /// The answer with A at `a` and B at `b`: 1 or 0 for touching, the number of pairs or of contact
    /// points, the distance (m).
    fn ask(&mut self, query: Query, a: &Isometry3<f64>, b: &Isometry3<f64>) -> f64;
    /// Makes one mesh (0: A, 1: B) ready again and forgets the result.
    fn build(&self, side: usize);
    /// Bytes held for both meshes beside their vertices and triangles; 0 where it is not known.
    fn memory(&self) -> usize;
    /// Another with the same meshes and buffers of its own, for another thread.
    fn fork(&self) -> Box<dyn MeshContender>;
}

/// The names of all in this build.
pub fn names() -> Vec<&'static str> {
    let mut names =
        vec!["impinge", "impinge-sse2", "impinge-quick", "impinge-coherent", "impinge-world", "parry"];
    if cfg!(feature = "peers-cpp") {
        names.extend(["fcl", "gimpact"]);
    }
    names
}

/// One of them with two meshes made ready; `None` for a name that is not known.
pub fn make(name: &str, meshes: &[Arc<TriMesh>; 2]) -> Option<Box<dyn MeshContender>> {
    Some(match name {
        "impinge" => Box::new(Ours::new(Way::Best, meshes)),
        "impinge-sse2" => Box::new(Ours::new(Way::Sse2, meshes)),
        "impinge-quick" => Box::new(Ours::new(Way::QuickTrees, meshes)),
        "impinge-coherent" => Box::new(Ours::new(Way::Coherent, meshes)),
        "impinge-world" => Box::new(in_world::InWorld::new(meshes)),
        "parry" => Box::new(parry::Parry::new(meshes)),
        #[cfg(feature = "peers-cpp")]
        "fcl" => Box::new(fcl::Fcl::new(meshes)),
        #[cfg(feature = "peers-cpp")]
        "gimpact" => Box::new(gimpact::GImpact::new(meshes)),
        _ => return None,
    })
}
