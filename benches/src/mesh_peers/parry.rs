//! parry's `TriMesh` (single precision).

use std::sync::Arc;

use impinge_geometry::TriMesh;
use nalgebra::Isometry3;
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{self, ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d::shape;

use super::{MeshContender, Query};

/// Two meshes with their trees.
pub struct Parry {
    meshes: [Arc<shape::TriMesh>; 2],
    manifolds: Vec<ContactManifold<(), ()>>,
}

/// A mesh for parry, with its tree.
fn convert(mesh: &TriMesh) -> shape::TriMesh {
    let vertices = mesh.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    shape::TriMesh::new(vertices, mesh.triangles().to_vec()).expect("a mesh has triangles")
}

/// B's pose in A's frame, formed in `f64`.
fn relative(a: &Isometry3<f64>, b: &Isometry3<f64>) -> Pose {
    let pose = (a.inverse() * b).cast::<f32>();
    let (t, q) = (pose.translation.vector, pose.rotation.coords);
    Pose::from_parts(Vector::new(t.x, t.y, t.z), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

impl Parry {
    pub fn new(meshes: &[Arc<TriMesh>; 2]) -> Parry {
        Parry { meshes: [0, 1].map(|k| Arc::new(convert(&meshes[k]))), manifolds: Vec::new() }
    }
}

impl MeshContender for Parry {
    fn who(&self) -> &'static str {
        "parry"
    }

    fn answers(&self, query: Query) -> bool {
        match query {
            Query::Touching | Query::Distance | Query::Build | Query::Contacts => true,
            Query::Pairs => false,
        }
    }

    fn ask(&mut self, query: Query, a: &Isometry3<f64>, b: &Isometry3<f64>) -> f64 {
        let pose = relative(a, b);
        let [a, b] = [0, 1].map(|k| self.meshes[k].as_ref());
        let supported = "parry answers this for meshes";
        match query {
            Query::Touching => {
                let touching = query::intersection_test(&Pose::IDENTITY, a, &pose, b).expect(supported);
                f64::from(u8::from(touching.intersecting))
            }
            Query::Distance => {
                f64::from(query::distance(&Pose::IDENTITY, a, &pose, b).expect(supported).distance)
            }
            Query::Contacts => {
                self.manifolds.clear();
                DefaultQueryDispatcher
                    .contact_manifolds(&pose, a, b, 0.0, &mut self.manifolds, &mut None)
                    .expect(supported);
                self.manifolds.iter().map(|m| m.points.len()).sum::<usize>() as f64
            }
            Query::Pairs | Query::Build => f64::NAN,
        }
    }

    fn build(&self, side: usize) {
        let mesh = &self.meshes[side];
        let built = shape::TriMesh::new(mesh.vertices().to_vec(), mesh.indices().to_vec());
        std::hint::black_box(built.expect("a mesh has triangles"));
    }

    fn memory(&self) -> usize {
        self.meshes.iter().map(|mesh| mesh.bvh().total_memory_size()).sum()
    }

    fn fork(&self) -> Box<dyn MeshContender> {
        Box::new(Parry { meshes: self.meshes.clone(), manifolds: Vec::new() })
    }
}
