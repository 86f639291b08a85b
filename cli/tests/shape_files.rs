//! Shapes as data: every kind is inspected and asked about, and `shape` makes one of another.

#[expect(dead_code, reason = "scenes are run by other tests")]
mod command;

use std::f64::consts::PI;

use command::{assert_refused, asset, impinge, stderr, stdout};
use serde_json::{Value, json};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, data: &Value) -> String {
        std::fs::write(self.path(name), data.to_string()).unwrap();
        self.path(name)
    }
}

fn done(arguments: &[&str]) -> String {
    let output = impinge(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

fn line(arguments: &[&str]) -> Value {
    serde_json::from_str(done(arguments).trim()).unwrap()
}

/// Values of 21³ samples of a ball of 1 m.
fn ball() -> Value {
    let far = |k: i32| [k % 21, k / 21 % 21, k / 441].map(|i| f64::from(i - 10) * 0.125);
    let values: Vec<f64> =
        (0..9261).map(|k| far(k).iter().map(|x| x * x).sum::<f64>().sqrt() - 1.0).collect();
    json!({"level_set": {"size": [21, 21, 21], "spacing": [0.125, 0.125, 0.125], "origin": [-1.25, -1.25, -1.25], "samples": {"values": values}}})
}

fn kinds() -> Vec<(&'static str, Value, Option<f64>)> {
    let tip = json!([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    let heights = json!([0, 0, null, 0, 0, 0, 0, 0, 0]);
    vec![
        ("half-space", json!("half_space"), None),
        ("sphere", json!({"sphere": {"radius": 1}}), Some(4.0 / 3.0 * PI)),
        ("box", json!({"cuboid": {"half": [1, 1, 0.5]}}), Some(4.0)),
        ("capsule", json!({"capsule": {"half_height": 1, "radius": 1}}), Some(10.0 / 3.0 * PI)),
        ("cylinder", json!({"cylinder": {"half_height": 1, "radius": 1}}), Some(2.0 * PI)),
        ("hull", json!({"hull": {"points": tip}}), Some(1.0 / 6.0)),
        (
            "height field",
            json!({"height_field": {"size": [3, 3], "spacing": [1, 1], "bottom": -1, "samples": {"heights": heights}}}),
            Some(3.5),
        ),
        ("level set", ball(), Some(4.0 / 3.0 * PI)),
        ("particles", json!({"particles": {"centers": tip, "radii": {"one": 0.1}}}), Some(0.01676)),
        (
            "composite",
            json!({"composite": [{"name": "head", "shape": {"sphere": {"radius": 1}}},
                {"pose": {"position": [3, 0, 0]}, "shape": {"cuboid": {"half": [1, 1, 0.5]}}}]}),
            Some(4.0 + 4.0 / 3.0 * PI),
        ),
    ]
}

#[test]
fn every_kind_is_inspected() {
    let folder = Folder::new();
    for (kind, data, volume) in kinds() {
        let file = folder.write("shape.json", &data);
        let told = line(&["inspect", &file, "--json"]);
        assert_eq!(told["kind"], kind, "{told}");
        match volume {
            Some(volume) => {
                let found = told["volume"].as_f64().unwrap();
                assert!((found / volume - 1.0).abs() < 0.02, "{kind}: {found}, not {volume}");
            }
            None => assert_eq!(told["volume"], Value::Null),
        }
        let text = done(&["inspect", &file]);
        assert!(text.contains(&format!("kind        {kind}\n")) && text.contains("bounds"), "{text}");
    }
    let mesh = json!({"mesh": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]]}});
    assert!(done(&["inspect", &folder.write("mesh.json", &mesh)]).contains("soup"));
    let text = done(&["inspect", &folder.write("two.json", &kinds()[9].1)]);
    assert!(text.contains("head sphere") && text.contains("children    2"), "{text}");
    let text = done(&["inspect", &folder.write("field.json", &kinds()[6].1)]);
    assert!(text.contains("triangles missing 1") && text.contains("values      0 to 0"), "{text}");
}

#[test]
fn every_kind_is_asked_about() {
    let folder = Folder::new();
    let probe = folder.write("probe.json", &json!({"sphere": {"radius": 0.25}}));
    for (kind, data, _) in kinds() {
        let file = folder.write("shape.json", &data);
        let poses = folder.path("poses.txt");
        std::fs::write(&poses, "0.5 0.5 9  1 0 0 0  0 0 -10\n").unwrap();
        let rays = folder.path("rays.txt");
        std::fs::write(&rays, "0.3 0.3 9  0 0 -1\n").unwrap();
        if kind == "particles" {
            assert_refused(&impinge(&["collide", &file, &probe]), &["shape.json", "no surface"]);
            continue;
        }
        let hit = line(&["ray", &file, "--rays", &rays]);
        assert_eq!((&hit["hit"], &hit["entering"]), (&json!(true), &json!(true)), "{kind}: {hit}");
        let cast = line(&["cast", &file, &probe, "--poses", &poses]);
        assert_eq!(cast["state"], "impact", "{kind}: {cast}");
        // The field's corner is at the origin, the hull's tip, too; the ball overlaps both.
        assert_eq!(line(&["collide", &file, &probe, "--touching"])["touching"], true, "{kind}");
    }
}

#[test]
fn shapes_are_made_of_others() {
    let folder = Folder::new();
    let (levels, mesh) = (folder.path("levels.json"), folder.path("levels.ply"));
    done(&["shape", &asset("torus.stl"), "--levels", "0.02", "--out", &levels]);
    let whole = line(&["inspect", &asset("torus.stl"), "--json"])["volume"].as_f64().unwrap();
    let told = line(&["inspect", &levels, "--json"]);
    assert!((told["volume"].as_f64().unwrap() / whole - 1.0).abs() < 0.03, "{told}");
    // As a mesh, twice as large.
    done(&["shape", &levels, "--scale", "2", "--out", &mesh]);
    let told = line(&["inspect", &mesh, "--json"]);
    assert!((told["volume"].as_f64().unwrap() / whole / 8.0 - 1.0).abs() < 0.03, "{told}");

    let plate = folder.write("plate.json", &json!({"cuboid": {"half": [1, 1, 0.5]}}));
    let bore = json!([{"hole": {"cylinder": {"half_height": 0.5, "radius": 0.25}}, "open": [[2, false], [2, true]]}]);
    let (bore, bored) = (folder.write("bore.json", &bore), folder.path("bored.json"));
    done(&["shape", &plate, "--cut", &bore, "--out", &bored]);
    let volume = line(&["inspect", &bored, "--json"])["volume"].as_f64().unwrap();
    assert!((volume - (4.0 - PI / 16.0)).abs() < 1e-3, "{volume}");

    let field = folder.write("field.json", &kinds()[6].1);
    let edits =
        json!([{"heights": {"first": [0, 0], "count": [3, 3], "values": [1, 1, 1, 1, 1, 1, 1, 1, 1]}}]);
    let (edits, edited) = (folder.write("edits.json", &edits), folder.path("edited.json"));
    done(&["shape", &field, "--edit", &edits, "--out", &edited]);
    assert_eq!(line(&["inspect", &edited, "--json"])["volume"], 8.0);
    let all = [
        (ball(), json!({"levels": {"first": [10, 10, 10], "count": [1, 1, 1], "values": [0.5]}})),
        (kinds()[8].1.clone(), json!({"particles": {"first": 1, "centers": [[5, 0, 0]]}})),
        (kinds()[1].1.clone(), json!({"replace": {"sphere": {"radius": 2}}})),
    ];
    for (shape, edit) in all {
        let before = folder.write("before.json", &shape);
        let edits = folder.write("edits.json", &json!([edit]));
        done(&["shape", &before, "--edit", &edits, "--out", &edited]);
        assert_ne!(line(&["inspect", &before, "--json"]), line(&["inspect", &edited, "--json"]), "{edit}");
    }
}

#[test]
fn what_is_no_shape_is_refused_by_name() {
    let folder = Folder::new();
    let bad = folder.write("bad.json", &json!({"sphere": {"radius": -1}}));
    assert_refused(&impinge(&["inspect", &bad]), &["bad.json", "radius is -1"]);
    let sphere = folder.write("sphere.json", &json!({"sphere": {"radius": 1}}));
    let out = folder.path("out.json");
    let refused = |more: &[&str], parts: &[&str]| {
        let all = [&["shape", &sphere, "--out", &out][..], more].concat();
        assert_refused(&impinge(&all), parts);
        assert!(!std::path::Path::new(&out).exists(), "{more:?} left a file");
    };
    refused(&["--levels", "0.1"], &["sphere.json", "only a mesh"]);
    refused(&["--scale", "0"], &["sphere.json", "scale"]);
    let holes = folder.write("holes.json", &json!([{"hole": {"capsule": {"half_height": 1, "radius": 1}}}]));
    refused(&["--cut", &holes], &["holes.json", "hole 0", "capsule is no hole"]);
    let edits = folder.write("edits.json", &json!([{"remove_triangles": [0]}]));
    refused(&["--edit", &edits], &["edits.json", "edit 0", "another kind"]);
    let ply = folder.path("out.ply");
    assert_refused(&impinge(&["shape", &sphere, "--out", &ply]), &["out.ply", "json"]);
}
