//! Where a mesh that deforms meets itself.

use std::sync::Arc;

use impinge::PreparedShape;
use impinge::prelude::*;
use impinge::query::SelfScratch;
use impinge_scenes::mesh::Knot;
use parry3d::bounding_volume::Aabb;
use parry3d::math::{Pose, Vector};
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use parry3d::query;
use parry3d::shape::Triangle;

use super::{BodyContender, Cast};

/// How high the waves are (m): they fold space over, so that strands of the knot pass through each other.
pub const HEIGHT: f64 = 0.2;

/// The mesh, and those that are asked in each step.
pub fn make(triangles: u32) -> anyhow::Result<Cast> {
    let mesh = Arc::new(Knot { tube: 0.06, ..Knot::default() }.with_triangles(triangles)?);
    let ours = |cull| -> Box<dyn BodyContender> { Box::new(Ours::new(&mesh, cull)) };
    let contenders = vec![ours(false), ours(true), Box::new(Parry::new(&mesh))];
    Ok(Cast { mesh, contenders })
}

/// A fit of the tree and all pairs.
struct Ours {
    cull: bool,
    shape: PreparedShape,
    scratch: SelfScratch,
    pairs: Vec<[u32; 2]>,
}

impl Ours {
    fn new(mesh: &Arc<TriMesh>, cull: bool) -> Ours {
        let shape = PreparedShape::new(&Shape::Mesh(Arc::clone(mesh)));
        Ours { cull, shape, scratch: SelfScratch::default(), pairs: Vec::new() }
    }
}

impl BodyContender for Ours {
    fn who(&self) -> &'static str {
        if self.cull { "impinge-culled" } else { "impinge" }
    }

    fn beside(&self) -> &'static str {
        "parry"
    }

    fn step(&mut self, places: &[Point3<f32>]) -> u64 {
        self.shape.set_vertices(places).expect("the mesh has as many vertices");
        self.shape.self_intersections_with(self.cull, &mut self.scratch, &mut self.pairs);
        self.pairs.len() as u64
    }
}

/// parry's tree, refitted and traversed against itself; triangles by its intersection test.
struct Parry {
    triangles: Vec<[u32; 3]>,
    bvh: Bvh,
    workspace: BvhWorkspace,
    leaves: Vec<[u32; 2]>,
}

fn corner(p: &Point3<f32>) -> Vector {
    Vector::new(p.x, p.y, p.z)
}

fn triangle(places: &[Point3<f32>], [a, b, c]: [u32; 3]) -> Triangle {
    let [a, b, c] = [a, b, c].map(|v| corner(&places[v as usize]));
    Triangle::new(a, b, c)
}

fn around(places: &[Point3<f32>], corners: [u32; 3]) -> Aabb {
    triangle(places, corners).local_aabb()
}

impl Parry {
    fn new(mesh: &TriMesh) -> Parry {
        let boxes: Vec<Aabb> = mesh.triangles().iter().map(|&t| around(mesh.vertices(), t)).collect();
        let mut parry = Parry {
            triangles: mesh.triangles().to_vec(),
            bvh: Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes),
            workspace: BvhWorkspace::default(),
            leaves: Vec::new(),
        };
        parry.bvh.refit(&mut parry.workspace);
        parry
    }
}

impl BodyContender for Parry {
    fn who(&self) -> &'static str {
        "parry"
    }

    fn beside(&self) -> &'static str {
        "parry"
    }

    fn step(&mut self, places: &[Point3<f32>]) -> u64 {
        let Parry { triangles, bvh, workspace, leaves } = self;
        for (k, &corners) in triangles.iter().enumerate() {
            bvh.insert_or_update_partially(around(places, corners), k as u32, 0.0);
        }
        bvh.refit(workspace);
        leaves.clear();
        bvh.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| leaves.push([a, b]));
        let meet = |&&[a, b]: &&[u32; 2]| {
            let [s, t] = [a, b].map(|k| triangles[k as usize]);
            if s.iter().any(|vertex| t.contains(vertex)) {
                return false;
            }
            let [s, t] = [s, t].map(|corners| triangle(places, corners));
            query::intersection_test(&Pose::IDENTITY, &s, &Pose::IDENTITY, &t)
                .is_ok_and(|found| found.intersecting)
        };
        leaves.iter().filter(meet).count() as u64
    }
}
