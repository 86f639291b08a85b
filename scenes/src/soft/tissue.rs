//! A tool in a tissue.

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::{Fabric, Mover, Path, SoftContact, SoftDemand, SoftScene, Wind, hull_of_balls, sheet};
use crate::SceneError;
use crate::scene::camera;

/// Squares of the tissue along a side.
const CELLS: u32 = 44;
/// Half its side (m).
const HALF: f64 = 0.2;
/// Radius of the tool's tip (m).
const TIP: f64 = 0.025;

pub(super) fn scene() -> Result<SoftScene, SceneError> {
    let hills = |x: f64, y: f64| 0.008 * libm::sin(25.0 * x) * libm::cos(21.0 * y);
    let tissue = sheet([CELLS; 2], [HALF; 2], hills)?;
    let held = (0..)
        .zip(tissue.vertices())
        .filter(|(_, v)| v.x.abs().max(v.y.abs()) > 0.999 * HALF as f32)
        .map(|(k, _)| k);
    let held = held.collect();
    // The origin is in the middle of the tip's ball, which is below.
    let tool = hull_of_balls(&[([0.0; 3], TIP), ([0.0, 0.0, 0.22], 0.6 * TIP)])?;
    let key = |time: f64, at: [f64; 3], lean: f64| {
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), lean);
        (time, Isometry3::from_parts(Vector3::from(at).into(), rotation))
    };
    let [above, deep] = [0.07, TIP - 0.045];
    let keys = vec![
        key(0.2, [-0.06, -0.02, above], 0.0),
        key(1.7, [-0.06, -0.02, deep], 0.0),
        key(2.2, [-0.06, -0.02, deep], 0.3),
        key(4.0, [0.07, 0.04, deep], 0.3),
        key(5.0, [0.07, 0.04, above], 0.1),
    ];
    Ok(SoftScene {
        name: "tissue".into(),
        sheet: tissue,
        color: [214, 120, 110],
        fabric: Fabric {
            held,
            density: 10.0,
            compliance: [1e-5, 1e-4],
            bed: 4e3,
            damping: 6.0,
            friction: 0.0,
            struts: Vec::new(),
            drag: 0.0,
        },
        movers: vec![Mover::new("tool", tool, [120, 140, 165], Path::new(keys, Point3::origin()))],
        contact: SoftContact::Tool { pixels: 128 },
        led: Vec::new(),
        wind: Wind::default(),
        meadow: None,
        camera: camera::camera(Point3::new(0.0, 0.0, 0.04), 0.2, 35.0),
        // It rests as its weight lets it.
        gravity: Vector3::zeros(),
        steps: 420,
        demands: vec![
            SoftDemand::FacesClear(5e-4),
            SoftDemand::AllFound,
            SoftDemand::Pressed { time: 1.9, within: 2e-3 },
            SoftDemand::Still(1e-6),
            SoftDemand::Restored(1e-3),
        ],
    })
}
