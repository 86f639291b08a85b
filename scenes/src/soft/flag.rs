//! A flag on its pole, in a meadow.

use impinge_geometry::TriMesh;
use nalgebra::{Isometry3, Point3, Vector3};

use super::{Fabric, Meadow, Mover, Path, SoftContact, SoftDemand, SoftScene, Wind, hull_of_balls, sheet};
use crate::SceneError;
use crate::scene::camera;

/// Squares of the flag along its sides.
const CELLS: [u32; 2] = [36, 22];
/// Half its sides (m).
const HALF: [f64; 2] = [0.72, 0.44];
/// Radius of the pole (m).
const POLE: f64 = 0.03;
/// The flag's thickness (m).
const THICKNESS: f64 = 0.014;

pub(super) fn scene() -> Result<SoftScene, SceneError> {
    let flat = sheet(CELLS, HALF, |_, _| 0.0)?;
    // Upright, its seam beside the pole.
    let seam = (POLE + 1.5 * THICKNESS) as f32;
    let upright = |p: &Point3<f32>| Point3::new(p.x + HALF[0] as f32 + seam, 0.0, p.y + 2.1);
    let flag = TriMesh::new(flat.vertices().iter().map(upright).collect(), flat.triangles().to_vec())?;
    let held = (0..=CELLS[1]).map(|row| row * (CELLS[0] + 1)).collect();
    let pole = hull_of_balls(&[([0.0, 0.0, 0.0], POLE), ([0.0, 0.0, 2.7], POLE)])?;
    let still = Path::new(vec![(0.0, Isometry3::identity())], Point3::origin());
    Ok(SoftScene {
        name: "flag".into(),
        sheet: flag,
        color: [130, 175, 235],
        fabric: Fabric {
            held,
            density: 0.2,
            compliance: [1e-5, 2e-2],
            bed: 0.0,
            damping: 0.3,
            friction: 0.3,
            struts: Vec::new(),
            drag: 1.2,
        },
        movers: vec![Mover::new("pole", pole, [150, 150, 155], still)],
        contact: SoftContact::Apart { thickness: THICKNESS },
        led: Vec::new(),
        // It comes round from one side to the other, so that the flag wraps about its pole.
        wind: Wind { mean: Vector3::new(4.5, 0.0, 0.0), turn: 2.6, period: 8.0 },
        meadow: Some(Meadow::new()?),
        camera: camera::camera(Point3::new(0.0, 0.0, 1.5), 3.4, 14.0),
        gravity: Vector3::new(0.0, 0.0, -9.81),
        steps: 600,
        demands: vec![
            SoftDemand::Untangled,
            SoftDemand::Kept(0.25),
            SoftDemand::Folded(50),
            SoftDemand::SparksFound,
            SoftDemand::ShipSees,
            SoftDemand::Met(30),
        ],
    })
}
