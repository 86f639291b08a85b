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

impl Insides {
    pub fn new(scene: &Scene) -> anyhow::Result<Insides> {
        let meshes = scene.shapes.iter().map(|shape| {
            let Shape::Mesh(mesh) = &shape.shape else { bail!("{} is no mesh", shape.name) };
            let vertices = mesh.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
            Ok(TriMesh::with_flags(vertices, mesh.triangles().to_vec(), TriMeshFlags::ORIENTED)?)
        });
        Ok(Insides { meshes: meshes.collect::<Result<_, _>>()? })
    }

    /// The greatest distance of a vertex that is inside another body to that body's surface (m); of two fixed bodies none.
    pub fn deepest(&self, scene: &Scene, poses: &[Isometry3<f64>]) -> f64 {
        let mut deepest = 0.0f32;
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
                            deepest = deepest.max((found.point - p).length());
                        }
                    }
                }
            }
        }
        f64::from(deepest)
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
        assert_eq!(insides.deepest(&scene, &poses), 0.0);
        let Shape::Mesh(mesh) = &scene.shapes[scene.bodies[moving].shape].shape else { panic!("a mesh") };
        let heights = mesh.vertices().iter().map(|v| (poses[moving] * v.cast::<f64>()).z);
        poses[moving].translation.z -= heights.fold(f64::INFINITY, f64::min) + 0.02;
        let deepest = insides.deepest(&scene, &poses);
        assert!((deepest - 0.02).abs() < 1e-4, "{deepest}");
    }
}
