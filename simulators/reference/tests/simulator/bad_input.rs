//! What cannot be simulated is refused with a reason, and nothing changes.

use impinge::prelude::*;
use impinge_reference::{BodyDesc, BodyId, Simulator, SimulatorError, SimulatorSettings};

use crate::scene;

#[test]
fn settings_out_of_range_are_named() {
    let base = SimulatorSettings::default;
    let bad = [
        ("gravity.y", SimulatorSettings { gravity: Vector3::new(0.0, f64::NAN, 0.0), ..base() }),
        ("substeps", SimulatorSettings { substeps: 0, ..base() }),
        ("max_detections", SimulatorSettings { max_detections: 0, ..base() }),
        ("max_travel", SimulatorSettings { max_travel: 0.0, ..base() }),
        ("contact_frequency", SimulatorSettings { contact_frequency: -1.0, ..base() }),
        ("slop", SimulatorSettings { slop: f64::INFINITY, ..base() }),
        ("sleep_time", SimulatorSettings { sleep_time: -0.5, ..base() }),
    ];
    for (name, settings) in bad {
        let Err(SimulatorError::Setting { setting, .. }) = settings.checked() else {
            panic!("{name} was taken");
        };
        assert_eq!(setting, name);
        let world = World::builder().build().unwrap();
        assert!(Simulator::new(world, settings).is_err());
    }
}

#[test]
fn bodies_that_cannot_be_are_refused() {
    let mut sim = scene::empty(SimulatorSettings::default());
    let ball = scene::shape(&mut sim, Shape::sphere(0.5).unwrap());
    let plane = scene::shape(&mut sim, Shape::half_space());
    let nan = Vector3::new(0.0, f64::NAN, 0.0);
    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = sim.add_body(BodyDesc::new(ball).density(density));
        assert!(matches!(error, Err(SimulatorError::Density { .. })), "{density}: {error:?}");
    }
    let cases = [
        (BodyDesc::new(ball).linear_velocity(nan), "linear velocity"),
        (BodyDesc::new(ball).angular_velocity(nan), "angular velocity"),
        (BodyDesc::fixed(ball).linear_velocity(nan), "linear velocity"),
        (BodyDesc::new(plane), "half-space"),
        (BodyDesc::new(ball).density(1e-320), "mass"),
        (BodyDesc::new(ShapeId { index: 99, generation: 0 }), "not in this world"),
        (BodyDesc::new(ball).position([f64::NAN, 0.0, 0.0]), "pose"),
        (BodyDesc::new(ball).material(Material { friction: -1.0, ..Material::default() }), "friction"),
    ];
    for (desc, says) in cases {
        let error = sim.add_body(desc).unwrap_err().to_string();
        assert!(error.contains(says), "{error:?} does not speak of {says:?}");
    }
    assert_eq!(sim.bodies().count(), 0);
    assert_eq!(sim.world().colliders().count(), 0);
}

#[test]
fn steps_of_no_length_are_refused() {
    let mut sim = scene::with_floor(SimulatorSettings::default());
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(sim.step(dt), Err(SimulatorError::Dt { .. })), "{dt}");
    }
}

#[test]
fn unknown_bodies_are_refused() {
    let mut sim = scene::with_floor(SimulatorSettings::default());
    let ball = scene::shape(&mut sim, Shape::sphere(0.5).unwrap());
    let old = sim.add_body(BodyDesc::new(ball).position([0.0, 0.0, 3.0])).unwrap();
    sim.remove_body(old).unwrap();
    let new = sim.add_body(BodyDesc::new(ball).position([0.0, 0.0, 3.0])).unwrap();
    assert_eq!((new.index, new.generation), (old.index, old.generation + 1));
    let zero = Vector3::zeros();
    for id in [old, BodyId { index: 77, generation: 0 }] {
        let unknown = SimulatorError::UnknownBody { id };
        assert_eq!(sim.body(id).err(), Some(unknown.clone()));
        assert_eq!(sim.remove_body(id).err(), Some(unknown.clone()));
        assert_eq!(sim.wake(id).err(), Some(unknown.clone()));
        assert_eq!(sim.set_velocity(id, zero, zero).err(), Some(unknown));
    }
    assert!(sim.set_velocity(new, Vector3::new(f64::INFINITY, 0.0, 0.0), zero).is_err());
    assert_eq!(sim.body(new).unwrap().linear_velocity(), zero);
}
