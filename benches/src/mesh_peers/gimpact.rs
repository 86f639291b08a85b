//! Bullet's GImpact, single precision.

use std::sync::Arc;

use impinge_geometry::TriMesh;
use nalgebra::Isometry3;

use super::{MeshContender, Query};
use crate::cpp::{GImpactPair, MOST_CONTACTS, RawContact};

/// Two meshes with their trees.
pub struct GImpact {
    meshes: [Arc<TriMesh>; 2],
    pair: GImpactPair,
    contacts: Vec<RawContact>,
}

impl GImpact {
    pub fn new(meshes: &[Arc<TriMesh>; 2]) -> GImpact {
        GImpact {
            meshes: meshes.clone(),
            pair: GImpactPair::new([&meshes[0], &meshes[1]]),
            contacts: vec![[0.0; 7]; MOST_CONTACTS],
        }
    }
}

impl MeshContender for GImpact {
    fn who(&self) -> &'static str {
        "gimpact"
    }

    fn answers(&self, query: Query) -> bool {
        match query {
            Query::Build | Query::Contacts => true,
            Query::Touching | Query::Pairs | Query::Distance => false,
        }
    }

    fn ask(&mut self, query: Query, a: &Isometry3<f64>, b: &Isometry3<f64>) -> f64 {
        match query {
            Query::Contacts => self.pair.contacts(a, b, &mut self.contacts) as f64,
            Query::Touching | Query::Pairs | Query::Distance | Query::Build => f64::NAN,
        }
    }

    fn build(&self, side: usize) {
        self.pair.build(side);
    }

    fn memory(&self) -> usize {
        0
    }

    fn fork(&self) -> Box<dyn MeshContender> {
        Box::new(GImpact::new(&self.meshes))
    }
}
