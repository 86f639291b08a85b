//! How deep vertices are in other bodies, measured by parry, at any time of a run.

use anyhow::bail;
use impinge_geometry::Shape;
use impinge_scenes::Scene;
use nalgebra::{Isometry3, Point3};
use parry3d::math::Vector;
use parry3d::query::PointQuery;
use parry3d::shape::{TriMesh, TriMeshFlags};

/// The meshes of a scene, with pseudo-normals that tell inside from outside.
pub struct Insides {
    meshes: Vec<TriMesh>,
}

/// A vertex of one body inside another: how far from that body's surface (m), and which bodies. Nothing where the depth is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inside {
    pub depth: f64,
    /// The vertex's body, and the one that it is in.
    pub bodies: [usize; 2],
}

impl Inside {
    /// The deeper of two; of equals the first.
    pub fn deeper(self, other: Inside) -> Inside {
        if other.depth > self.depth { other } else { self }
    }
}

impl Insides {
    pub fn new(scene: &Scene) -> anyhow::Result<Insides> {
        let meshes = scene.shapes.iter().map(|shape| {
            let Shape::Mesh(mesh) = &shape.shape else { bail!("{} is no mesh", shape.name) };
            let vertices = mesh.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
            Ok(TriMesh::with_flags(vertices, mesh.triangles().to_vec(), TriMeshFlags::ORIENTED)?)
        });
        Ok(Insides { meshes: meshes.collect::<Result<_, _>>()? })
    }

    /// The vertex that is farthest inside another body; of two fixed bodies none.
    pub fn deepest(&self, scene: &Scene, poses: &[Isometry3<f64>]) -> Inside {
        let mut deepest = Inside::default();
        for (a, pose) in poses.iter().enumerate() {
            let place = pose.cast::<f32>();
            for (b, other) in poses.iter().enumerate() {
                let near = match [a, b].map(|k| scene.sphere(scene.bodies[k].shape)) {
                    [Some(s), Some(t)] => {
                        let apart = pose * s.center.cast::<f64>() - other * t.center.cast::<f64>();
                        apart.norm() < f64::from(s.radius + t.radius)
                    }
                    _ => true,
                };
                if a == b || !near || scene.bodies[a].fixed && scene.bodies[b].fixed {
                    continue;
                }
                let (mesh, frame) =
                    (&self.meshes[scene.bodies[b].shape], other.cast::<f32>().inverse() * place);
                let bounds = mesh.local_aabb();
                for v in self.meshes[scene.bodies[a].shape].vertices() {
                    let p = frame * Point3::new(v.x, v.y, v.z);
                    let p = Vector::new(p.x, p.y, p.z);
                    if bounds.contains_local_point(p) {
                        let found = mesh.project_local_point(p, false);
                        if found.is_inside {
                            let depth = f64::from((found.point - p).length());
                            deepest = deepest.deeper(Inside { depth, bodies: [a, b] });
                        }
                    }
                }
            }
        }
        deepest
    }
}

#[cfg(test)]
mod tests {
    use impinge_scenes::SceneParams;

    use super::*;

    /// A body above the floor is in nothing; pushed under it, its lowest vertex is as deep as it is low.
    #[test]
    fn the_lowest_vertex_is_the_deepest() {
        let params = SceneParams { bodies: Some(1), ..SceneParams::default() };
        let scene = impinge_scenes::scene("bin", &params).unwrap();
        let insides = Insides::new(&scene).unwrap();
        let moving = (0..scene.bodies.len()).find(|&k| !scene.bodies[k].fixed).unwrap();
        let mut poses: Vec<_> = scene.bodies.iter().map(|body| body.pose).collect();
        assert_eq!(insides.deepest(&scene, &poses), Inside::default());
        let Shape::Mesh(mesh) = &scene.shapes[scene.bodies[moving].shape].shape else { panic!("a mesh") };
        let heights = mesh.vertices().iter().map(|v| (poses[moving] * v.cast::<f64>()).z);
        poses[moving].translation.z -= heights.fold(f64::INFINITY, f64::min) + 0.02;
        let deepest = insides.deepest(&scene, &poses);
        assert!((deepest.depth - 0.02).abs() < 1e-4, "{deepest:?}");
        assert_eq!(deepest.bodies[0], moving);
        assert!(scene.bodies[deepest.bodies[1]].fixed);
        assert_eq!(deepest.deeper(Inside { depth: 0.01, bodies: [7, 8] }), deepest);
        assert_eq!(Inside::default().deeper(deepest), deepest);
    }
}
