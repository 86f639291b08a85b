//! What each contender claims about the contact of two meshes.

use std::sync::Arc;

use impinge::query::QueryScratch;
use impinge::{PairQuery, QuerySettings, Shape};
use impinge_geometry::TriMesh;
use nalgebra::{Isometry3, Point3, Vector3};

/// One contact point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The point on A's and on B's surface where the contender tells them apart, else the same (m, world).
    pub places: [Point3<f64>; 2],
    /// Unit normal from A to B (world).
    pub normal: Vector3<f64>,
    /// Depth (m).
    pub depth: f64,
}

/// Which contender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// impinge.
    Impinge,
    /// parry's `TriMesh` as it comes.
    Parry,
    /// parry's `TriMesh` with `FIX_INTERNAL_EDGES`.
    ParryFixed,
    /// FCL's meshes of oriented boxes.
    #[cfg(feature = "peers-cpp")]
    Fcl,
    /// Bullet's GImpact.
    #[cfg(feature = "peers-cpp")]
    GImpact,
}

impl Who {
    /// All in this build, impinge first.
    pub const ALL: &[Who] = &[
        Who::Impinge,
        Who::Parry,
        Who::ParryFixed,
        #[cfg(feature = "peers-cpp")]
        Who::Fcl,
        #[cfg(feature = "peers-cpp")]
        Who::GImpact,
    ];

    /// The name in the rows.
    pub fn name(self) -> &'static str {
        match self {
            Who::Impinge => "impinge",
            Who::Parry => "parry",
            Who::ParryFixed => "parry-fixed-edges",
            #[cfg(feature = "peers-cpp")]
            Who::Fcl => "fcl",
            #[cfg(feature = "peers-cpp")]
            Who::GImpact => "gimpact",
        }
    }

    /// Makes two meshes ready.
    pub fn prepare(self, meshes: &[Arc<TriMesh>; 2]) -> Claimant {
        let both = [meshes[0].as_ref(), meshes[1].as_ref()];
        match self {
            Who::Impinge => {
                Claimant::impinge(meshes, QuerySettings::default()).expect("the default settings are sound")
            }
            Who::Parry => Claimant::Parry(Box::new(both.map(|mesh| parry::mesh(mesh, false)))),
            Who::ParryFixed => Claimant::Parry(Box::new(both.map(|mesh| parry::mesh(mesh, true)))),
            #[cfg(feature = "peers-cpp")]
            Who::Fcl => Claimant::Fcl(both.map(crate::cpp::FclMesh::new)),
            #[cfg(feature = "peers-cpp")]
            Who::GImpact => Claimant::GImpact(Box::new(crate::cpp::GImpactPair::new(both))),
        }
    }
}

/// A contender with two meshes made ready.
pub enum Claimant {
    Impinge(Box<PairQuery>),
    Parry(Box<[parry3d::shape::TriMesh; 2]>),
    #[cfg(feature = "peers-cpp")]
    Fcl([crate::cpp::FclMesh; 2]),
    #[cfg(feature = "peers-cpp")]
    GImpact(Box<crate::cpp::GImpactPair>),
}

impl Claimant {
    /// impinge with settings of its own.
    pub fn impinge(meshes: &[Arc<TriMesh>; 2], settings: QuerySettings) -> anyhow::Result<Claimant> {
        let [a, b] = [0, 1].map(|k| Shape::Mesh(meshes[k].clone()));
        Ok(Claimant::Impinge(Box::new(PairQuery::new(&a, &b, settings)?)))
    }

    /// All contact points with A at `a` and B at `b`. For impinge a point has the depth of its manifold:
    /// how far B has to move to free the region.
    pub fn contacts(&mut self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> Vec<Contact> {
        match self {
            Claimant::Impinge(query) => impinge(query, a, b),
            Claimant::Parry(meshes) => parry::contacts(meshes, a, b),
            #[cfg(feature = "peers-cpp")]
            Claimant::Fcl([of_a, of_b]) => {
                let mut out = vec![[0.0; 7]; crate::cpp::MOST_CONTACTS];
                let count = of_a.contacts(a, of_b, b, &mut out);
                raw(&out[..count.min(out.len())])
            }
            #[cfg(feature = "peers-cpp")]
            Claimant::GImpact(pair) => {
                let mut out = vec![[0.0; 7]; crate::cpp::MOST_CONTACTS];
                let count = pair.contacts(a, b, &mut out);
                raw(&out[..count.min(out.len())])
            }
        }
    }
}

fn impinge(query: &PairQuery, a: &Isometry3<f64>, b: &Isometry3<f64>) -> Vec<Contact> {
    let answer = query.at_with(a, b, &mut QueryScratch::default()).expect("the poses are finite");
    let of_manifold = |m: &impinge::Manifold| {
        let (normal, depth) = (m.normal, m.depth);
        let place = |p: &impinge::ContactPoint| [a * p.local_a.cast::<f64>(), b * p.local_b.cast::<f64>()];
        m.points.iter().map(|p| Contact { places: place(p), normal, depth }).collect::<Vec<_>>()
    };
    answer.manifolds.iter().flat_map(of_manifold).collect()
}

#[cfg(feature = "peers-cpp")]
fn raw(contacts: &[crate::cpp::RawContact]) -> Vec<Contact> {
    let convert = |&[x, y, z, u, v, w, depth]: &crate::cpp::RawContact| Contact {
        places: [Point3::new(x, y, z); 2],
        normal: Vector3::new(u, v, w),
        depth,
    };
    contacts.iter().map(convert).collect()
}

/// What is said to parry, and what it says.
mod parry {
    use super::*;
    use parry3d::math::{Pose, Rotation, Vector};
    use parry3d::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
    use parry3d::shape::{self, TriMeshFlags};

    pub fn mesh(mesh: &TriMesh, fixed: bool) -> shape::TriMesh {
        let vertices = mesh.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
        let flags = if fixed { TriMeshFlags::FIX_INTERNAL_EDGES } else { TriMeshFlags::empty() };
        shape::TriMesh::with_flags(vertices, mesh.triangles().to_vec(), flags).expect("a mesh has triangles")
    }

    pub fn contacts(
        [of_a, of_b]: &[shape::TriMesh; 2],
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
    ) -> Vec<Contact> {
        let relative = (a.inverse() * b).cast::<f32>();
        let (t, q) = (relative.translation.vector, relative.rotation.coords);
        let pose = Pose::from_parts(Vector::new(t.x, t.y, t.z), Rotation::from_xyzw(q.x, q.y, q.z, q.w));
        let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
        DefaultQueryDispatcher
            .contact_manifolds(&pose, of_a, of_b, 0.0, &mut manifolds, &mut None)
            .expect("parry answers this for meshes");
        let vector = |v: Vector| Vector3::new(v.x, v.y, v.z).cast::<f64>();
        let mut found = Vec::new();
        for manifold in &manifolds {
            let normal = a * vector(manifold.local_n1);
            // With a pose of its own, a part's points are in the part's frame.
            let (in_a, in_b) = (manifold.subshape_pos1(), manifold.subshape_pos2());
            for point in &manifold.points {
                let p = in_a.map_or(point.local_p1, |pose| *pose * point.local_p1);
                let q = in_b.map_or(point.local_p2, |pose| *pose * point.local_p2);
                found.push(Contact {
                    places: [a * Point3::from(vector(p)), b * Point3::from(vector(q))],
                    normal,
                    depth: -f64::from(point.dist),
                });
            }
        }
        found
    }
}
