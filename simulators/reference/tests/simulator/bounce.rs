//! Restitution.

use impinge::prelude::*;
use impinge_reference::{BodyDesc, SimulatorSettings};

use crate::scene::{self, DT};

/// Dropped from h, a ball returns to e²·h. Steps are short, so that how deep it is when it is first seen
/// does not matter.
#[test]
fn a_ball_bounces_to_e_squared_of_its_height() {
    for e in [0.0f64, 0.5, 0.8, 1.0] {
        let material = Material { restitution: e, ..Material::default() };
        let mut sim = scene::empty(SimulatorSettings { sleeping: false, ..Default::default() });
        scene::add_floor(&mut sim, Isometry3::identity(), material);
        let ball = scene::shape(&mut sim, Shape::sphere(0.2).unwrap());
        let ball = sim.add_body(BodyDesc::new(ball).position([0.0, 0.0, 1.2]).material(material)).unwrap();
        let (mut lowest, mut top, mut bounced) = (f64::INFINITY, 0.0f64, false);
        for _ in 0..1000 {
            sim.step(DT / 16.0).unwrap();
            let body = sim.body(ball).unwrap();
            let (z, v) = (body.center().z - 0.2, body.linear_velocity().z);
            bounced |= z < 1e-3 || (bounced && v > 0.0);
            lowest = lowest.min(z);
            if bounced {
                top = top.max(z);
            }
            if bounced && v < 0.0 && z > 0.01 {
                break;
            }
        }
        assert!(bounced && (top - e * e).abs() < 0.02, "e = {e}: {top} m");
        assert!(lowest > -0.01, "{lowest}");
    }
}
