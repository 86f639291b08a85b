//! A cloth on an avatar.

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::{Fabric, Mover, Path, SoftContact, SoftDemand, SoftScene, Wind, hull_of_balls, sheet};
use crate::SceneError;
use crate::scene::camera;

/// Squares of the cloth along its sides.
const CELLS: [u32; 2] = [42, 40];
/// Half its sides (m).
const HALF: [f64; 2] = [0.6, 0.58];
/// Pixels along each side of the maps.
const PIXELS: u32 = 256;
/// What the avatar is seen to be thicker (m).
const SKIN: f64 = 0.008;

const SKIN_COLOR: [u8; 3] = [225, 184, 150];
const SHIRT: [u8; 3] = [96, 125, 160];

pub(super) fn scene() -> Result<SoftScene, SceneError> {
    let cloth = sheet(CELLS, HALF, |_, _| 1.84)?;
    // Parts of the avatar, their joint, and how far they swing about the axis of the view (rad).
    let shoulder = |side: f64| Point3::new(0.17 * side, 0.0, 1.4);
    let arm = |side: f64| {
        let at = shoulder(side);
        let out = |far: f64, down: f64| [at.x + far * side, 0.0, at.z - down];
        hull_of_balls(&[(out(0.0, 0.0), 0.065), (out(0.48, 0.05), 0.045)])
    };
    let leg = |side: f64| hull_of_balls(&[([0.09 * side, 0.0, 0.85], 0.1), ([0.11 * side, 0.0, 0.08], 0.06)]);
    let torso =
        hull_of_balls(&[([0.0, 0.0, 0.92], 0.14), ([0.13, 0.0, 1.38], 0.1), ([-0.13, 0.0, 1.38], 0.1)])?;
    let head = hull_of_balls(&[([0.0, -0.01, 1.66], 0.105), ([0.0, 0.0, 1.6], 0.09)])?;
    let neck = hull_of_balls(&[([0.0, 0.0, 1.45], 0.055), ([0.0, 0.0, 1.58], 0.05)])?;
    let parts = [
        ("torso", torso, SHIRT, Point3::new(0.0, 0.0, 0.9), 0.0),
        ("neck", neck, SKIN_COLOR, Point3::new(0.0, 0.0, 0.9), 0.0),
        ("head", head, SKIN_COLOR, Point3::new(0.0, 0.0, 1.5), 0.1),
        ("left arm", arm(1.0)?, SHIRT, shoulder(1.0), 0.35),
        ("right arm", arm(-1.0)?, SHIRT, shoulder(-1.0), 0.35),
        ("left leg", leg(1.0)?, [90, 90, 100], Point3::new(0.09, 0.0, 0.9), 0.0),
        ("right leg", leg(-1.0)?, [90, 90, 100], Point3::new(-0.09, 0.0, 0.9), 0.0),
    ];
    let movers = parts.into_iter().map(|(name, mesh, color, joint, swing)| {
        // Where it stands as the avatar turns, steps aside and swings its parts.
        let key = |time: f64, turn: f64, aside: f64, swings: f64| {
            let avatar = Isometry3::new(Vector3::new(aside, 0.0, 0.0), Vector3::z() * turn);
            let about = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), swing * swings);
            let part = Isometry3::from_parts((joint - about * joint).into(), about);
            (time, avatar * part)
        };
        let keys = vec![
            key(2.0, 0.0, 0.0, 0.0),
            key(3.0, 0.35, 0.08, 0.6),
            key(4.5, -0.35, -0.08, -0.6),
            key(6.0, 0.3, 0.0, 0.6),
            key(7.0, 0.0, 0.0, 0.0),
        ];
        Mover::new(name, mesh, color, Path::new(keys, joint))
    });
    // Half the diagonal of a pixel, and what the avatar moves and its surface turns in between.
    let pixel = 1.85 / f64::from(PIXELS);
    Ok(SoftScene {
        name: "cloth-avatar".into(),
        sheet: cloth,
        color: [176, 74, 96],
        fabric: Fabric {
            held: Vec::new(),
            density: 0.3,
            compliance: [1e-5, 2e-2],
            bed: 0.0,
            damping: 1.5,
            friction: 1.0,
            struts: Vec::new(),
            drag: 0.0,
        },
        movers: movers.collect(),
        contact: SoftContact::Avatar { direction: Vector3::y(), pixels: PIXELS, skin: SKIN },
        led: Vec::new(),
        wind: Wind::default(),
        meadow: None,
        camera: camera::camera(Point3::new(0.0, 0.0, 1.05), 1.05, 12.0),
        gravity: Vector3::new(0.0, 0.0, -9.81),
        steps: 720,
        demands: vec![
            SoftDemand::VerticesClear(0.5 * std::f64::consts::SQRT_2 * pixel + 0.002),
            SoftDemand::Still(1e-3),
            SoftDemand::Carried(1.0),
        ],
    })
}
