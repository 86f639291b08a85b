//! No scene begins with bodies in each other, and each ends as it demands.

use std::process::Command;

use impinge::{Backend, Collider, Material, World};
use impinge_reference::{BodyDesc, BodyId, Simulator, SimulatorSettings};
use impinge_scenes::random::Random;
use impinge_scenes::{Demand, SceneParams, scene, scenes};
use nalgebra::{Translation3, UnitQuaternion};

#[test]
fn every_scene_begins_without_contact() {
    for (name, _) in scenes() {
        let scene = scene(name, &SceneParams::default()).unwrap();
        let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
        let shapes: Vec<_> = scene.shapes.iter().map(|s| world.add_shape(s.shape.clone()).unwrap()).collect();
        for body in &scene.bodies {
            let collider = Collider::new(shapes[body.shape]).pose(body.pose).fixed(body.fixed);
            world.add_collider(collider).unwrap();
        }
        let report = world.step();
        assert_eq!(report.counts.touching, 0, "{name}: {:?}", world.manifolds());
    }
}

/// Runs a scene by the command as it stands; what was demanded of it, by name, and the verdicts.
fn judged(scene: &str, more: &[&str]) -> Vec<(String, String)> {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap();
    // One thread: tests beside this one have the other cores, and the outcome is the same for any number.
    let output = Command::new(env!("CARGO_BIN_EXE_impinge"))
        .args(["simulate", "--scene", scene, "--backend", "cpu", "--threads", "1", "--json", "--out", folder])
        .args(more)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{scene}: {said}{}", String::from_utf8_lossy(&output.stderr));
    let summary: serde_json::Value = serde_json::from_str(&said).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    summary["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| (text(&check["name"]), text(&check["verdict"])))
        .collect()
}

fn passed(scene: &str, more: &[&str]) -> Vec<String> {
    judged(scene, more).into_iter().filter(|(_, verdict)| verdict == "PASS").map(|(name, _)| name).collect()
}

const AT_REST: [&str; 4] = [
    "mean speed over the last second",
    "deepest penetration of the bounding radius",
    "drift at rest",
    "kinetic energy at rest",
];

/// What the program does when it is asked for nothing, as it stands in the README.
#[test]
fn the_heap_of_the_readme_comes_to_rest_in_its_bin() {
    let [speed, depth, ..] = AT_REST;
    assert_eq!(passed("bin", &[]), ["bodies outside the bin", speed, depth]);
}

#[test]
fn gears_transmit_their_ratio() {
    assert_eq!(passed("gears", &[]), ["error of the ratio"; 2]);
}

#[test]
fn a_nut_goes_along_its_bolt() {
    assert_eq!(passed("nut-bolt", &[]), ["error of the way per turn"]);
}

#[test]
fn a_hand_holds_a_knot_while_it_turns_over() {
    let wanted = [
        "steps after which the hand meets itself",
        "depth of the hand in what it holds",
        "motion of what is held, in the hand",
        "fingers missing that hold it",
    ];
    assert_eq!(passed("hand", &[]), wanted);
}

/// Nobody asleep: what is at rest is at rest by its contacts.
#[test]
fn a_chain_and_a_stack_of_bowls_hang_and_stand_still() {
    assert_eq!(passed("chain", &["--no-sleep"]), AT_REST);
    assert_eq!(passed("bowls", &["--no-sleep", "--bodies", "3"]), AT_REST);
}

#[test]
fn a_peg_finds_its_hole_and_stays() {
    let [speed, depth, drift, energy] = AT_REST;
    assert_eq!(passed("peg-in-hole", &[]), [speed, depth, "distance from its place", drift, energy]);
}

#[test]
fn pegs_slide_into_drilled_holes() {
    let [speed, depth, drift, energy] = AT_REST;
    let place = "distance from its place";
    assert_eq!(passed("drilled", &[]), [speed, depth, place, place, place, drift, energy]);
}

/// A sleigh on tiles that are replaced under it, and some of the powder that the scene is about.
#[test]
fn ground_and_particles_in_motion_are_as_demanded() {
    let sleigh = [
        "farthest of a contact's normal from the hills'",
        "speed lost at most",
        "farthest from the middle of the road",
        "farthest from where it would be on ground in one piece",
        "greatest jolt more than on ground in one piece",
        "tiles missing",
    ];
    assert_eq!(passed("vehicle", &["--steps", "300"]), sleigh);
    // Too short a drive to pass tiles is judged by the rest.
    assert_eq!(passed("vehicle", &["--steps", "10"]), sleigh[..5]);
    let powder = [
        "particles lost",
        "contacts that brute force does not confirm",
        "deepest in a body at the end",
        "mean overlap of particles at the end",
        "mean speed over the last second",
        "particles missing on the body",
    ];
    // Of fewer, so few come to lie on the body that chance has a say: 15 of 1,500 are asked, and 7 to 16 do.
    assert_eq!(passed("particles", &["--bodies", "4000", "--steps", "400"]), powder);
}

/// What particles take is in the times of a step and in a recording's frames, and so are their contacts with bodies.
#[test]
fn particles_are_in_times_and_recordings() {
    let out = tempfile::tempdir().unwrap();
    let path = |name: &str| out.path().join(name).to_str().unwrap().to_owned();
    let file = path("particles.rec");
    let output = Command::new(env!("CARGO_BIN_EXE_impinge"))
        .args(["simulate", "--scene", "particles", "--bodies", "600", "--steps", "120", "--backend", "cpu"])
        .args(["--json", "--out", &path("out"), "--record", &file])
        .output()
        .unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let total = |stage: &str| summary["times"][stage]["total_s"].as_f64().unwrap();
    let parts = total("detection") + total("solver");
    assert!(total("particles") > 0.0 && total("particles") <= total("detection"), "{summary}");
    assert!(parts <= total("step"), "{summary}");
    assert!(summary["counts"]["particle_contacts"]["max"].as_u64().unwrap() > 100, "{summary}");
    let bytes = std::fs::read(&file).unwrap();
    let header = bytes.split(|&byte| byte == b'\n').nth(1).unwrap();
    let header: serde_json::Value = serde_json::from_slice(header).unwrap();
    assert_eq!(header["stages"].as_array().unwrap().last().unwrap(), "particles");
    let view = Command::new(env!("CARGO_BIN_EXE_impinge")).args(["view", &file]).output().unwrap();
    let said = String::from_utf8(view.stdout).unwrap();
    let (before, _) = said.split_once(" contacts;").unwrap();
    let contacts: u32 = before.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(contacts > 100, "{said}");
}

#[test]
fn an_arm_turns_back_before_it_touches() {
    let expected = ["configurations in which the arm touches", "greatest gap at a stop", "stops missing"];
    assert_eq!(passed("arm", &[]), expected);
    assert_eq!(passed("arm-machines", &["--steps", "400", "--seed", "2", "--threads", "3"]), expected);
}

#[test]
fn a_scene_is_about_as_many_bodies_as_it_is_about() {
    let output = Command::new(env!("CARGO_BIN_EXE_impinge"))
        .args(["simulate", "--scene", "gears", "--bodies", "5"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("gears") && said.contains('5') && said.contains('3'), "{said}");
}

/// A tool in a tissue and a cloth on an avatar, in full.
#[test]
fn soft_scenes_end_as_they_demand() {
    let faces = ["depth of a face in the tool", "faces in the tool that were not named"];
    let ends = ["distance of the sheet from the tip", "kinetic energy at rest", "distance from its shape"];
    assert_eq!(passed("tissue", &[]), [&faces[..], &ends[..]].concat());
    let of_cloth = [
        "depth of a vertex in the avatar as drawn",
        "kinetic energy at rest",
        "fall of the cloth's middle below its place",
    ];
    assert_eq!(passed("cloth-avatar", &[]), of_cloth);
}

/// A rope that is drawn to a knot in full, a flag with all that flies about it and a cloth over gears while they move most.
#[test]
fn sheets_are_kept_apart_from_themselves_and_from_bodies() {
    let apart = ["steps after which triangles share a point", "missing of the distance to be kept"];
    let folded = "places missing at which the sheet is near itself";
    assert_eq!(passed("rope", &[]), [apart[0], apart[1], folded]);
    let meadow = [
        "points of the firework wrongly said to touch the flag or not",
        "points in the ship that its map has missed",
    ];
    assert_eq!(passed("flag", &["--steps", "120"]), [apart, meadow].concat());
    assert_eq!(passed("cloth", &["--steps", "120"]), apart);
}

#[test]
fn soft_scenes_are_recorded_and_the_same_every_time() {
    for (name, _) in impinge_scenes::soft_scenes() {
        let run = || {
            let out = tempfile::tempdir().unwrap();
            let file = out.path().join("soft.rec");
            let output = Command::new(env!("CARGO_BIN_EXE_impinge"))
                .args(["simulate", "--scene", name, "--json", "--steps", "30", "--out"])
                .arg(out.path())
                .arg("--record")
                .arg(&file)
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            let view = Command::new(env!("CARGO_BIN_EXE_impinge")).arg("view").arg(&file).output().unwrap();
            let said = String::from_utf8(view.stdout).unwrap();
            assert!(said.contains(&format!("31 frames of scene {name}")), "{said}");
            summary["hash"].as_str().unwrap().to_owned()
        };
        assert_eq!(run(), run(), "{name}");
    }
    let refused = Command::new(env!("CARGO_BIN_EXE_impinge"))
        .args(["simulate", "--scene", "tissue", "--bodies", "3"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
}

/// Nothing but friction may hold a peg at the rim of its hole: without it each slips in, and no contact is deeper than what is fallen in a step.
#[test]
fn pegs_without_friction_slip_into_their_holes() {
    const DT: f64 = 1.0 / 60.0;
    let cases = std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    let scene = scene("drilled", &SceneParams::default()).unwrap();
    let mut random = Random::new(5);
    for n in 0..cases {
        let world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
        let settings = SimulatorSettings { rolling_resistance: 0.0, ..Default::default() };
        let mut simulator = Simulator::new(world, settings).unwrap();
        let mut bodies = Vec::new();
        for body in &scene.bodies {
            let shape = simulator.world_mut().add_shape(scene.shapes[body.shape].shape.clone()).unwrap();
            let mut pose = body.pose;
            if !body.fixed && n > 0 {
                // Beside its axis by most of the play, or more, so that it comes down on the rim.
                let [x, y] = [0, 1].map(|_| 0.02 * random.signed());
                let [roll, pitch] = [0, 1].map(|_| 0.03 * random.signed());
                let turn = UnitQuaternion::from_euler_angles(roll, pitch, 0.0);
                pose = Translation3::new(x, y, 0.0) * Translation3::from(pose.translation.vector) * turn;
            }
            let desc = BodyDesc {
                density: (!body.fixed).then_some(body.density),
                material: Material { friction: 0.0, ..Material::default() },
                ..BodyDesc::new(shape).pose(pose)
            };
            bodies.push(simulator.add_body(desc).unwrap());
        }
        let mut fastest: f64 = 0.0;
        for step in 0..150 {
            let speed = |&id: &BodyId| simulator.body(id).unwrap().linear_velocity().norm();
            fastest = bodies.iter().map(speed).fold(fastest, f64::max);
            let done = simulator.step(DT).unwrap();
            let fallen = 1.05 * (fastest + 9.81 * DT) * DT;
            assert!(done.deepest < fallen, "{n}, step {step}: {} m, not {fallen}", done.deepest);
        }
        for demand in &scene.demands {
            let Demand::Seated { body, place, within } = *demand else { continue };
            let at = simulator.body(bodies[body]).unwrap().pose().translation.vector;
            let away = (at - place.coords).norm();
            assert!(away < within, "{n}: peg {body} is {away} m from its place");
        }
    }
}
