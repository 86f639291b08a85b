//! The bodies of a soft scene as one mesh that moves.

use anyhow::Result;
use impinge::TriMesh;
use impinge::geometry::ConvexHull;
use impinge_scenes::soft::SoftScene;
use nalgebra::{Point3, Vector3};

/// All bodies of a scene, each a little thicker than it is.
pub struct Avatar {
    meshes: Vec<TriMesh>,
    /// All of them, one after the other, at the start.
    joined: TriMesh,
}

impl Avatar {
    /// The bodies of a scene, grown by `skin` (m).
    pub fn new(scene: &SoftScene, skin: f64) -> Result<Avatar> {
        let meshes: Result<Vec<_>> = scene.movers.iter().map(|mover| grown(&mover.mesh, skin)).collect();
        let meshes = meshes?;
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (mesh, mover) in meshes.iter().zip(&scene.movers) {
            let (first, pose) = (vertices.len() as u32, mover.pose(0.0));
            vertices.extend(mesh.vertices().iter().map(|v| (pose * v.cast::<f64>()).cast::<f32>()));
            triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
        }
        Ok(Avatar { meshes, joined: TriMesh::new(vertices, triangles)? })
    }

    /// The grown bodies, each in its own frame.
    pub fn meshes(&self) -> &[TriMesh] {
        &self.meshes
    }

    /// All bodies at a time (s; world) and the velocities of their vertices over the last `dt` seconds (m/s).
    pub fn at(&self, scene: &SoftScene, time: f64, dt: f64) -> Result<(TriMesh, Vec<Vector3<f32>>)> {
        let (mut vertices, mut velocities) = (Vec::new(), Vec::new());
        for (mesh, mover) in self.meshes.iter().zip(&scene.movers) {
            let (before, now) = (mover.pose(time - dt), mover.pose(time));
            for v in mesh.vertices() {
                let v = v.cast::<f64>();
                vertices.push((now * v).cast::<f32>());
                velocities.push(((now * v - before * v) / dt).cast::<f32>());
            }
        }
        Ok((self.joined.with_vertices(vertices)?, velocities))
    }
}

/// A convex mesh with every vertex moved outward by `skin` (m).
fn grown(mesh: &TriMesh, skin: f64) -> Result<TriMesh> {
    let mut normals = vec![Vector3::<f64>::zeros(); mesh.vertices().len()];
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|v| mesh.vertices()[v as usize].cast::<f64>());
        let area = (b - a).cross(&(c - a));
        triangle.iter().for_each(|&v| normals[v as usize] += area);
    }
    let moved = |(v, normal): (&Point3<f32>, &Vector3<f64>)| {
        (v.cast::<f64>() + normal.try_normalize(0.0).unwrap_or_default() * skin).cast::<f32>()
    };
    let points: Vec<Point3<f32>> = mesh.vertices().iter().zip(&normals).map(moved).collect();
    Ok(TriMesh::clone(ConvexHull::new(&points)?.mesh()))
}
