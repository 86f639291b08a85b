//! FCL's trees of oriented boxes (OBBRSS for distances), double precision.

use std::sync::Arc;

use impinge_geometry::TriMesh;
use nalgebra::Isometry3;

use super::{MeshContender, Query};
use crate::cpp::{FclMesh, MOST_CONTACTS, RawContact};

/// Two meshes with their trees.
pub struct Fcl {
    meshes: [Arc<FclMesh>; 2],
    contacts: Vec<RawContact>,
}

impl Fcl {
    pub fn new(meshes: &[Arc<TriMesh>; 2]) -> Fcl {
        Fcl::with([0, 1].map(|k| Arc::new(FclMesh::new(&meshes[k]))))
    }

    fn with(meshes: [Arc<FclMesh>; 2]) -> Fcl {
        Fcl { meshes, contacts: vec![[0.0; 7]; MOST_CONTACTS] }
    }
}

impl MeshContender for Fcl {
    fn who(&self) -> &'static str {
        "fcl"
    }

    fn answers(&self, _query: Query) -> bool {
        true
    }

    fn ready(&mut self, query: Query) {
        if query == Query::Distance {
            self.meshes.iter().for_each(|mesh| mesh.prepare_distance());
        }
    }

    fn ask(&mut self, query: Query, a: &Isometry3<f64>, b: &Isometry3<f64>) -> f64 {
        let [of_a, of_b] = &self.meshes;
        match query {
            Query::Touching => of_a.pairs(a, of_b, b, 1) as f64,
            Query::Pairs => of_a.pairs(a, of_b, b, i32::MAX as usize) as f64,
            Query::Distance => of_a.distance(a, of_b, b),
            Query::Contacts => of_a.contacts(a, of_b, b, &mut self.contacts) as f64,
            Query::Build => f64::NAN,
        }
    }

    fn build(&self, side: usize) {
        self.meshes[side].build();
    }

    fn memory(&self) -> usize {
        self.meshes.iter().map(|mesh| mesh.memory()).sum()
    }

    fn fork(&self) -> Box<dyn MeshContender> {
        Box::new(Fcl::with(self.meshes.clone()))
    }
}
