//! A cloth over gears.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Isometry3, Point3, Vector3};

use super::{Fabric, Mover, Path, SoftContact, SoftDemand, SoftScene, Wind, sheet};
use crate::SceneError;
use crate::mesh::Gear;
use crate::scene::camera;

/// Squares of the cloth along its sides.
const CELLS: [u32; 2] = [44, 22];
/// Half its sides (m).
const HALF: [f64; 2] = [0.95, 0.475];
/// Its thickness (m).
const THICKNESS: f64 = 0.016;

pub(super) fn scene() -> Result<SoftScene, SceneError> {
    let cloth = sheet(CELLS, HALF, |_, _| 0.46)?;
    let gear = Gear { half_width: 0.2, ..Gear::default() }.mesh()?;
    let colors = [[150, 160, 175], [190, 160, 110], [150, 160, 175]];
    let movers = [-0.86, 0.0, 0.86].into_iter().zip(colors).enumerate().map(|(k, (x, color))| {
        let sense = if k == 1 { -1.0 } else { 1.0 };
        // Its axis lies along y.
        let key = |time: f64, turn: f64| {
            let laid = Isometry3::rotation(Vector3::x() * FRAC_PI_2);
            let turned = laid * Isometry3::rotation(Vector3::z() * (sense * turn));
            (time, Isometry3::translation(x, 0.0, 0.0) * turned)
        };
        let keys = vec![key(2.5, 0.0), key(4.0, 0.35), key(6.0, -0.35), key(7.5, 0.0)];
        Mover::new("gear", gear.clone(), color, Path::new(keys, Point3::origin()))
    });
    Ok(SoftScene {
        name: "cloth".into(),
        sheet: cloth,
        color: [176, 74, 96],
        fabric: Fabric {
            held: Vec::new(),
            density: 0.3,
            compliance: [1e-5, 3e-2],
            bed: 0.0,
            damping: 1.0,
            friction: 0.4,
            struts: Vec::new(),
            drag: 0.0,
        },
        movers: movers.collect(),
        contact: SoftContact::Apart { thickness: THICKNESS },
        led: Vec::new(),
        wind: Wind::default(),
        meadow: None,
        camera: camera::camera(Point3::new(0.0, 0.0, 0.1), 0.9, 25.0),
        gravity: Vector3::new(0.0, 0.0, -9.81),
        steps: 600,
        demands: vec![SoftDemand::Untangled, SoftDemand::Kept(0.25), SoftDemand::Carried(0.0)],
    })
}
