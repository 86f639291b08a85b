//! No scene begins with bodies in each other, and each ends as it demands.

use std::process::Command;

use impinge::{Backend, Collider, World};
use impinge_scenes::{SceneParams, scene, scenes};

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
    let output = Command::new(env!("CARGO_BIN_EXE_impinge"))
        .args(["simulate", "--scene", scene, "--backend", "cpu", "--json", "--out", folder])
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
fn a_scene_is_about_as_many_bodies_as_it_is_about() {
    let output = Command::new(env!("CARGO_BIN_EXE_impinge"))
        .args(["simulate", "--scene", "gears", "--bodies", "5"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("gears") && said.contains('5') && said.contains('3'), "{said}");
}
