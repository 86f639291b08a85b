//! What `--mesh` and the options of repair do, and what they refuse.

mod command;

use command::{assert_refused, asset, file, impinge, simulate, stderr, stdout};
use serde_json::Value;

/// A unit cube of which one face is divided, so that a vertex stands in the middle of a neighbour's edge.
const JUNCTION: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 0.5 0 0\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 9 6 5\nf 9 2 6\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// The cube without its lid.
fn without_lid() -> String {
    JUNCTION.lines().filter(|line| *line != "f 5 6 7 8").map(|line| format!("{line}\n")).collect()
}

#[test]
fn files_are_repaired_unless_asked_not_to() {
    let (_guard, cube) = file("cube.obj", JUNCTION);
    let json = |arguments: &[&str]| -> Value {
        let output = impinge(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_str(stdout(&output).trim()).unwrap()
    };
    let repaired = json(&["inspect", &cube, "--json"]);
    assert_eq!((&repaired["closed"], &repaired["volume"]), (&true.into(), &1.0.into()));
    assert_eq!(repaired["repairs"].as_array().unwrap().len(), 1, "{repaired}");
    assert_eq!((&repaired["defects"], &repaired["moved"]), (&Value::Array(Vec::new()), &0.0.into()));
    let as_it_is = json(&["inspect", &cube, "--json", "--no-repair"]);
    assert_eq!((&as_it_is["closed"], &as_it_is["volume"]), (&false.into(), &Value::Null));
    assert_eq!(as_it_is["defects"].as_array().unwrap().len(), 3, "{as_it_is}");
    let text = stdout(&impinge(&["inspect", &cube]));
    assert!(text.contains("repairs     1; nothing moved farther than 0.0e0 m"), "{text}");
    assert!(
        text.contains("triangle 0 was cut at vertex 8") || text.contains("triangle 1 was cut at vertex 8")
    );
    for (arguments, volume) in [(&[][..], 1.0.into()), (&["--no-repair"], Value::Null)] {
        assert_eq!(json(&[&["collide", &cube, &cube][..], arguments].concat())["volume"], volume);
    }
}

#[test]
fn holes_are_closed_up_to_the_size_asked_for() {
    let (_guard, open) = file("open.obj", &without_lid());
    let json = |part: &str| -> Value {
        let output = impinge(&["inspect", &open, "--json", "--close-holes", part]);
        serde_json::from_str(stdout(&output).trim()).unwrap()
    };
    for (part, closed) in [("0.5", false), ("0.9", true), ("inf", true)] {
        let line = json(part);
        let hole = &line["holes"][0];
        assert_eq!((&line["closed"], &hole["closed"]), (&closed.into(), &closed.into()), "{line}");
        assert_eq!(hole["edges"], 4);
        assert_eq!(line["virtual_triangles"], if closed { 2 } else { 0 });
    }
    assert_eq!(json("inf")["volume"], 1.0);
    assert!(stdout(&impinge(&["inspect", &open])).contains("1, left open (--close-holes)"));
    let line = impinge(&["collide", &open, &open, "--close-holes", "1"]);
    let line: Value = serde_json::from_str(stdout(&line).trim()).unwrap();
    assert_eq!(line["status"][0], "closed-holes");
    assert_refused(&impinge(&["inspect", &open, "--close-holes", "-1"]), &["close_holes", "0 or greater"]);
    assert_refused(&impinge(&["inspect", &open, "--repair-tolerance", "1"]), &["tolerance", "0.01"]);
    assert_refused(&impinge(&["inspect", &open, "--no-repair", "--close-holes", "1"]), &["--no-repair"]);
}

#[test]
fn simulate_drops_a_user_s_own_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let (hook, gear) = (asset("hook.glb"), asset("gear.ply"));
    let arguments = ["--bodies", "4", "--steps", "2", "--mesh", &hook, &gear];
    let (output, summary) = simulate(&out, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(summary["bodies"], 4);
}

#[test]
fn simulate_says_what_would_help_with_an_open_mesh_and_does_it() {
    // A cube without its lid, in millimetres and far from its origin.
    let open: String = without_lid()
        .lines()
        .map(|line| match line.strip_prefix("v ") {
            Some(place) => {
                let [x, y, z]: [f64; 3] =
                    place.split(' ').map(|x| x.parse().unwrap()).collect::<Vec<_>>().try_into().unwrap();
                format!("v {} {} {}\n", 1000.0 * x + 5000.0, 1000.0 * y, 1000.0 * z)
            }
            None => format!("{line}\n"),
        })
        .collect();
    let (_guard, open) = file("open.obj", &open);
    let folder = tempfile::tempdir().unwrap();
    let run = |file: &str, more: &[&str]| {
        let common = ["--bodies", "3", "--steps", "1", "--backend", "cpu", "--json", "--mesh", file];
        simulate(folder.path(), &[&common, more].concat())
    };
    let (output, _) = run(&open, &[]);
    assert_refused(&output, &["open.obj", "soup", "inspect", "--repair", "--hull"]);
    assert!(!stderr(&output).contains("--one-sided"), "its walls face sideways: {}", stderr(&output));
    for option in ["--repair", "--hull"] {
        let (output, summary) = run(&open, &[option, "--scale", "0.001"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(summary["bodies"], 3);
        // Side by side over the bin's floor the bodies are 1 m wide.
        let (_, large) = run(&open, &[option, "--scale", "0.01"]);
        assert_ne!(summary["hash"], large["hash"]);
    }
    // A sheet has a hull only where it is not flat.
    let (_guard, sheet) = file("sheet.obj", "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3\nf 1 3 4\n");
    let (output, _) = run(&sheet, &[]);
    assert_refused(&output, &["sheet.obj", "--one-sided"]);
    assert!(!stderr(&output).contains("--hull"), "{}", stderr(&output));
    assert_eq!(run(&sheet, &["--one-sided", "0.1"]).0.status.code(), Some(0));
    assert_refused(&run(&sheet, &["--hull"]).0, &["sheet.obj", "span no volume"]);
    assert_refused(&run(&open, &["--hull", "--scale", "0"]).0, &["open.obj", "factor along x is 0"]);
    assert_refused(&run(&open, &["--repair", "--no-repair"]).0, &["--no-repair"]);
}

/// Options for meshes do nothing without a mesh.
#[test]
fn mesh_options_without_a_mesh_are_refused() {
    let options: [&[&str]; 7] = [
        &["--repair"],
        &["--hull"],
        &["--one-sided", "0.1"],
        &["--scale", "2"],
        &["--no-repair"],
        &["--close-holes", "0.2"],
        &["--repair-tolerance", "1e-5"],
    ];
    let folder = tempfile::tempdir().unwrap();
    for option in options {
        // Also without the command's name.
        for name in [&["simulate"][..], &[]] {
            let run = ["--steps", "0", "--bodies", "1", "--out", folder.path().to_str().unwrap()];
            assert_refused(&impinge(&[name, &run, option].concat()), &["--mesh"]);
        }
    }
}

/// What is offered can be typed as it is offered.
#[test]
fn remedies_do_not_conflict_with_what_was_typed() {
    let folder = tempfile::tempdir().unwrap();
    let run = |file: &str, more: &[&str]| {
        let common = ["--bodies", "2", "--steps", "0", "--backend", "cpu", "--mesh", file];
        simulate(folder.path(), &[&common, more].concat()).0
    };
    // The repairs that are made unasked close this one.
    let (_guard, cube) = file("cube.obj", JUNCTION);
    let refused = run(&cube, &["--no-repair"]);
    assert_refused(&refused, &["cube.obj", "without --no-repair closes"]);
    assert!(!stderr(&refused).contains("--repair "), "{}", stderr(&refused));
    assert_eq!(run(&cube, &[]).status.code(), Some(0));
    let (_guard, open) = file("open.obj", &without_lid());
    assert_refused(&run(&open, &["--no-repair"]), &["open.obj", "--repair instead of --no-repair closes"]);
    let other = "--repair instead of --close-holes and --repair-tolerance closes";
    assert_refused(&run(&open, &["--close-holes", "0.5"]), &["open.obj", other]);
    assert_eq!(run(&open, &["--repair"]).status.code(), Some(0));
}
