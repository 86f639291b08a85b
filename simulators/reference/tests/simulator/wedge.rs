//! Bodies driven between walls.

use impinge::prelude::*;
use impinge_reference::{BodyDesc, SimulatorSettings};

use crate::scene;

/// Half the angle between the walls (rad): far less than that of friction, so that what is between them stays
/// there, however hard it is pushed out.
const HALF: f64 = 0.3;
const RADIUS: f64 = 0.2;

/// A ball in a groove, 20 mm deep in either wall: the depth in which it stays (m).
fn driven_in(correction_depth: f64) -> f64 {
    let mut sim = scene::empty(SimulatorSettings { correction_depth, ..Default::default() });
    let material = Material { friction: 0.8, ..Material::default() };
    let wall = scene::shape(&mut sim, Shape::cuboid([0.1, 1.0, 1.0]).unwrap());
    for side in [-1.0, 1.0] {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), side * HALF);
        let at = turn * Vector3::new(side * 0.1, 0.0, 0.0);
        sim.add_body(BodyDesc::fixed(wall).pose(Isometry3::from_parts(at.into(), turn)).material(material))
            .unwrap();
    }
    let ball = scene::shape(&mut sim, Shape::sphere(RADIUS as f32).unwrap());
    let height = (RADIUS - 0.02) / HALF.sin();
    let ball = sim.add_body(BodyDesc::new(ball).position([0.0, 0.0, height]).material(material)).unwrap();
    scene::run(&mut sim, 2.0);
    RADIUS - HALF.sin() * sim.body(ball).unwrap().center().z
}

#[test]
fn a_ball_between_walls_comes_out_of_them_against_friction() {
    let jammed = driven_in(1.0);
    assert!(jammed > 0.01, "springs alone leave it in: {jammed}");
    let depth = driven_in(2e-3);
    assert!((0.0..3e-3).contains(&depth), "{depth}");
}

#[test]
fn what_two_sides_of_one_body_hold_comes_out_of_both_at_once() {
    let settings = SimulatorSettings { gravity: Vector3::zeros(), ..SimulatorSettings::default() };
    let mut sim = scene::empty(settings);
    let material = Material { friction: 0.8, ..Material::default() };
    let walls = [-1.0, 1.0].map(|side| {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), side * HALF);
        let at = turn * Vector3::new(side * 0.1, 0.0, 0.0);
        (Isometry3::from_parts(at.into(), turn), Shape::cuboid([0.1, 1.0, 1.0]).unwrap())
    });
    let groove = scene::shape(&mut sim, Shape::composite(walls.to_vec()).unwrap());
    let groove = sim.add_body(BodyDesc::new(groove).material(material)).unwrap();
    let ball = scene::shape(&mut sim, Shape::sphere(RADIUS as f32).unwrap());
    let height = (RADIUS - 0.02) / HALF.sin();
    let ball = sim.add_body(BodyDesc::new(ball).position([0.0, 0.0, height]).material(material)).unwrap();
    scene::run(&mut sim, 2.0);
    let center = sim.body(ball).unwrap().center();
    let depth = RADIUS - HALF.sin() * sim.body(groove).unwrap().pose().inverse_transform_point(&center).z;
    // Half of what one side alone may hold.
    assert!((0.0..1.2e-3).contains(&depth), "{depth}");
}
