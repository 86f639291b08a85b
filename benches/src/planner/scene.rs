//! The gripper and the objects.

use std::sync::Arc;

use impinge_geometry::TriMesh;
use impinge_scenes::mesh::{Blob, ChainLink, Gear, Knot, Torus};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Translation3, Vector3};

/// Objects on a side of their square.
const SIDE: usize = 10;
/// Between neighbours (m).
const SPACING: f64 = 0.3;

/// A mesh and where it stands.
pub type PlacedMesh = (Isometry3<f64>, Arc<TriMesh>);

/// A gripper of nine meshes, and a hundred objects on a square.
pub struct PlannerScene {
    pub gripper: Vec<PlacedMesh>,
    pub objects: Vec<PlacedMesh>,
}

impl PlannerScene {
    pub fn new(seed: u64) -> anyhow::Result<PlannerScene> {
        let kinds = [
            Knot { along: 280, across: 16, ..Knot::default() }.mesh()?,
            Torus { around: 140, across: 32, ..Torus::default() }.mesh()?,
            Gear { teeth: 270, ..Gear::default() }.mesh()?,
            Blob { subdivisions: 4, ..Blob::default() }.mesh()?,
        ];
        // Each about 0.2 m across.
        let kinds =
            kinds.iter().map(|mesh| Ok(Arc::new(sized(mesh, 0.2)?))).collect::<anyhow::Result<Vec<_>>>()?;
        let mut random = Random::new(seed);
        let objects = (0..SIDE * SIDE).map(|k| {
            let [x, y] = [k % SIDE, k / SIDE].map(|i| SPACING * i as f64);
            let place = Vector3::new(x, y, 0.0) + Vector3::from_fn(|_, _| 0.05 * random.signed());
            let pose = Isometry3::from_parts(Translation3::from(place), random.rotation());
            (pose, kinds[k % kinds.len()].clone())
        });
        let objects = objects.collect();
        let palm = Torus { around: 19, across: 9, ..Torus::default() }.mesh()?;
        let finger = ChainLink { turn: 9, straight: 1, across: 9, ..ChainLink::default() }.mesh()?;
        let (palm, finger) = (Arc::new(sized(&palm, 0.1)?), Arc::new(sized(&finger, 0.05)?));
        let mut gripper = vec![(Isometry3::identity(), palm)];
        for k in 0..8 {
            // Four fingers of two links each.
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k % 4) / 4.0).sin_cos();
            let down = -0.03 - 0.045 * f64::from(k / 4);
            let turn = Vector3::new(0.3 * sin, 1.4, 0.3 * cos);
            gripper.push((Isometry3::new(Vector3::new(0.05 * cos, 0.05 * sin, down), turn), finger.clone()));
        }
        Ok(PlannerScene { gripper, objects })
    }

    /// Poses of the gripper above and among the objects (m).
    pub fn poses(&self, count: usize, seed: u64) -> Vec<Isometry3<f64>> {
        let mut random = Random::new(seed ^ 0x9e37_79b9);
        let reach = SPACING * (SIDE - 1) as f64;
        let mut pose = || {
            let place =
                Vector3::new(reach * random.unit(), reach * random.unit(), 0.02 + 0.25 * random.unit());
            Isometry3::from_parts(Translation3::from(place), random.rotation())
        };
        (0..count).map(|_| pose()).collect()
    }

    /// Of the gripper and of all objects.
    pub fn triangles(&self) -> [usize; 2] {
        [&self.gripper, &self.objects].map(|all| all.iter().map(|(_, mesh)| mesh.triangles().len()).sum())
    }
}

/// The mesh scaled so that its box's longest side is so long (m).
fn sized(mesh: &TriMesh, side: f32) -> anyhow::Result<TriMesh> {
    let aabb = mesh.aabb();
    let longest = (0..3).map(|k| aabb.max[k] - aabb.min[k]).fold(0.0, f32::max);
    let vertices = mesh.vertices().iter().map(|p| Point3::from(p.coords * (side / longest))).collect();
    Ok(TriMesh::new(vertices, mesh.triangles().to_vec())?)
}

/// All meshes as one.
pub fn merged(parts: &[PlacedMesh]) -> anyhow::Result<TriMesh> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (pose, mesh) in parts {
        let first = vertices.len() as u32;
        vertices.extend(mesh.vertices().iter().map(|p| (pose * p.cast::<f64>()).cast::<f32>()));
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    Ok(TriMesh::new(vertices, triangles)?)
}
