//! The commands as a user runs them: what they print, where they complain, how they exit.

mod command;

use std::process::{Command, Output, Stdio};

use command::{assert_refused, asset, file, impinge, simulate, stderr, stdout};
use serde_json::Value;

#[test]
fn collide_prints_one_line_per_pose_in_order_with_the_keys_in_order() {
    // Two tori of major 0.28 and minor 0.12: linked, apart, one beside the other with 2 cm overlap.
    let poses = "\
# three poses
0.28 0 0  0.7071067811865476 0.7071067811865476 0 0

5 0 0  1 0 0 0   # far away
0.78 0 0  1 0 0 0
";
    let (_guard, poses) = file("poses.txt", poses);
    let torus = asset("torus.stl");
    let output = impinge(&["collide", &torus, &torus, "--poses", &poses, "--count"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    for (index, line) in lines.iter().enumerate() {
        assert_eq!(line["index"], index);
        assert_eq!(line["contained"], false);
    }
    assert_eq!(lines[1]["touching"], false);
    assert_eq!(lines[1]["triangle_pairs"], 0);
    assert_eq!(lines[1]["volume"], 0.0);
    assert_eq!(lines[1]["manifolds"].as_array().unwrap().len(), 0);
    assert!(text.lines().nth(1).unwrap().starts_with(
        r#"{"index":1,"touching":false,"contained":false,"triangle_pairs":0,"volume":0.0,"volume_error":0.0,"force":[0.0,0.0,0.0],"moment":[0.0,0.0,0.0],"manifolds":["#
    ));
    let side = &lines[2];
    assert_eq!(side["touching"], true);
    assert!(side["triangle_pairs"].as_u64().unwrap() > 0);
    let manifold = &side["manifolds"][0];
    let normal: Vec<f64> =
        manifold["normal"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!(normal[0] > 0.99, "{normal:?}");
    let depth = manifold["depth"].as_f64().unwrap();
    assert!((depth - 0.02).abs() < 2e-3, "{depth}");
    let points = manifold["points"].as_array().unwrap();
    assert!((1..=4).contains(&points.len()));
    assert!(points.iter().all(|p| p["position"].as_array().unwrap().len() == 3 && p["depth"].is_f64()));
    // What the points exert is the manifold's force and its moment about the world's origin.
    let vector = |value: &Value| -> [f64; 3] { std::array::from_fn(|k| value[k].as_f64().unwrap()) };
    let (mut force, mut moment) = ([0.0; 3], [0.0; 3]);
    for point in points {
        let (at, weight) = (vector(&point["position"]), point["weight"].as_f64().unwrap());
        let own = vector(&point["normal"]).map(|x| x * weight);
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            force[k] += own[k];
            moment[k] += at[i] * own[j] - at[j] * own[i];
        }
    }
    let size = vector(&manifold["force"]).iter().map(|x| x * x).sum::<f64>().sqrt();
    for k in 0..3 {
        assert!((force[k] - vector(&manifold["force"])[k]).abs() < 1e-9 * size, "{manifold}");
        assert!((moment[k] - vector(&manifold["moment"])[k]).abs() < 0.01 * 0.4 * size, "{manifold}");
    }
    let [error, volume] = ["volume_error", "volume"].map(|key| side[key].as_f64().unwrap());
    assert!(error >= 0.0 && error < 1e-6 * volume && manifold["volume_error"] == side["volume_error"]);
}

#[test]
fn collide_answers_the_same_for_any_number_of_threads_and_without_a_count_says_null() {
    let mut poses = String::new();
    for k in 0..40 {
        let x = f64::from(k) * 0.04;
        poses += &format!("{x} 0.1 0.05 0.9 0.1 {} 0.3\n", x - 0.4);
    }
    let (_guard, poses) = file("poses.txt", &poses);
    let (knot, hook) = (asset("knot.obj"), asset("hook.glb"));
    let answers: Vec<String> = ["1", "2", "3"]
        .map(|threads| {
            let output = impinge(&["collide", &knot, &hook, "--poses", &poses, "--threads", threads]);
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            stdout(&output)
        })
        .into();
    assert_eq!(answers[0].lines().count(), 40);
    assert!(answers[0].contains(r#""triangle_pairs":null"#));
    assert!(answers[0].contains(r#""touching":true"#) && answers[0].contains(r#""touching":false"#));
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
    // Where only that is asked, touching is the same.
    let output = impinge(&["collide", &knot, &hook, "--poses", &poses, "--touching"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let lines = |text: &str| -> Vec<Value> {
        let of = |line| serde_json::from_str::<Value>(line).unwrap();
        text.lines().map(of).map(|line| serde_json::json!([line["index"], line["touching"]])).collect()
    };
    assert!(stdout(&output).starts_with("{\"index\":0,\"touching\":"));
    assert_eq!(lines(&stdout(&output)), lines(&answers[0]));
    assert_refused(&impinge(&["collide", &knot, &hook, "--touching", "--count"]), &["--touching", "--count"]);
}

#[test]
fn collide_without_poses_stands_both_at_the_origin_and_closes_a_sheet() {
    let sheet = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3\nf 1 3 4\n";
    let (_guard, sheet) = file("sheet.obj", sheet);
    let gear = asset("gear.ply");
    let open = impinge(&["collide", &sheet, &gear]);
    let line: Value = serde_json::from_str(stdout(&open).trim()).unwrap();
    assert_eq!((&line["index"], &line["touching"]), (&Value::from(0), &Value::from(true)));
    assert_eq!(line["volume"], Value::Null);
    assert_eq!(line["status"][0], "soup");
    let closed = impinge(&["collide", &sheet, &gear, "--one-sided", "0.5"]);
    let line: Value = serde_json::from_str(stdout(&closed).trim()).unwrap();
    // The gear's lower half, half of its 0.070228 m³, is in the ground.
    let volume = line["volume"].as_f64().unwrap();
    assert!((volume / 0.035114 - 1.0).abs() < 0.02, "{volume}");
}

#[test]
fn a_bad_pose_line_is_named_and_nothing_is_computed() {
    let (_guard, poses) = file("poses.txt", "0 0 0 1 0 0 0\n\n0 0 0 1 0 zero 0\n");
    let gear = asset("gear.ply");
    let output = impinge(&["collide", &gear, &gear, "--poses", &poses]);
    assert_refused(&output, &["poses.txt:3:", "qy is `zero`", "x y z (m)"]);
    let output = impinge(&["collide", &gear, &gear, "--poses", "/nowhere/poses.txt"]);
    assert_refused(&output, &["/nowhere/poses.txt"]);
}

#[test]
fn files_that_are_no_meshes_are_named() {
    let gear = asset("gear.ply");
    assert_refused(&impinge(&["collide", &gear, "/nowhere/b.stl"]), &["/nowhere/b.stl"]);
    let whole = std::fs::read(asset("torus.stl")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let truncated = folder.path().join("truncated.stl");
    std::fs::write(&truncated, &whole[..whole.len() / 2]).unwrap();
    let truncated = truncated.to_str().unwrap();
    assert_refused(&impinge(&["collide", &gear, truncated]), &["truncated.stl"]);
    let (_guard, text) = file("words.obj", "this is no mesh\n");
    assert_refused(&impinge(&["inspect", &text]), &["words.obj"]);
    let (_guard, other) = file("mesh.step", "");
    assert_refused(&impinge(&["inspect", &other]), &["step", "obj"]);
    assert_refused(&impinge(&["simulate", "--mesh", "/nowhere/m.obj"]), &["/nowhere/m.obj"]);
    let directory = folder.path().to_str().unwrap();
    for arguments in [
        &["inspect", directory][..],
        &["collide", directory, &gear],
        &["collide", &gear, &gear, "--poses", directory],
        &["simulate", "--mesh", directory],
    ] {
        assert_refused(&impinge(arguments), &[directory]);
    }
    let (_guard, sheet) = file("sheet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_refused(&impinge(&["simulate", "--mesh", &sheet]), &["sheet.obj", "soup", "inspect"]);
}

#[test]
fn settings_out_of_range_are_named() {
    let gear = asset("gear.ply");
    let collide = |more: &[&str]| {
        let mut arguments = vec!["collide", &gear, &gear];
        arguments.extend(more);
        impinge(&arguments)
    };
    assert_refused(&collide(&["--threads", "10000000"]), &["threads", "10000000", "1024"]);
    assert_refused(&collide(&["--resolution", "0"]), &["image_resolution is 0"]);
    assert_refused(&collide(&["--resolution", "33"]), &["power of two"]);
    assert_refused(&collide(&["--backend", "gpu", "--adapter", "no such one"]), &["no such one", "cpu"]);
    assert_refused(&collide(&["--backend", "abacus"]), &["abacus"]);
    assert_refused(&impinge(&["simulate", "--scene", "tower"]), &["tower", "two-knots"]);
    assert_refused(&impinge(&["simulate", "--threads", "10000000"]), &["threads", "1024"]);
    assert_refused(&impinge(&["simulate", "--bodies", "99999999999"]), &["100000"]);
    for thickness in ["nan", "-1", "0", "inf", "thick"] {
        assert_refused(&collide(&["--one-sided", thickness]), &["--one-sided", thickness, "greater than 0"]);
    }
}

#[test]
fn inspect_tells_closed_from_soup_and_names_every_defect() {
    let closed = impinge(&["inspect", &asset("link.stl"), &asset("bowl.obj")]);
    assert_eq!(closed.status.code(), Some(0), "{}", stderr(&closed));
    let text = stdout(&closed);
    assert_eq!(text.matches("surface     closed").count(), 2, "{text}");
    assert_eq!(text.matches("defects     none").count(), 2, "{text}");
    // A square of two triangles, one of them twice, and a triangle without area.
    let soup = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\nf 1 2 3\nf 1 2 2\n";
    let (_guard, soup) = file("soup.obj", soup);
    let output = impinge(&["inspect", &soup, "/nowhere/x.obj"]);
    assert_eq!(output.status.code(), Some(2));
    let text = stdout(&output);
    for part in [
        "soup",
        "triangles   2",
        "1 degenerate triangle\n",
        "1 duplicate triangle\n",
        "4 boundary edges",
        "at (0, 0, 0) - (1, 0, 0)",
    ] {
        assert!(text.contains(part), "`{part}` is missing in: {text}");
    }
    assert!(stderr(&output).contains("/nowhere/x.obj"));
}

#[test]
fn inspect_shows_twenty_defects_of_a_kind_unless_asked_for_all() {
    let mut soup = String::new();
    for k in 0..10 {
        soup += &format!("v {k} 0 0\nv {k} 1 0\nv {k} 0 1\n");
    }
    for k in 0..10 {
        soup += &format!("f {} {} {}\n", 3 * k + 1, 3 * k + 2, 3 * k + 3);
    }
    let (_guard, soup) = file("flakes.obj", &soup);
    let some = stdout(&impinge(&["inspect", &soup]));
    assert_eq!(some.matches("has no second face").count(), 20, "{some}");
    assert!(some.contains("and 10 more (--all prints them)"), "{some}");
    let all = stdout(&impinge(&["inspect", &soup, "--all"]));
    assert_eq!(all.matches("has no second face").count(), 30);
}

#[test]
fn devices_names_the_cpu_and_every_gpu_and_says_what_auto_uses() {
    let output = Command::new(env!("CARGO_BIN_EXE_impinge"))
        .arg("devices")
        .env_remove("NODEVICE_SELECT")
        .env_remove("XDG_RUNTIME_DIR")
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(0));
    // Mesa's drivers have started, and are content without a desktop. What other drivers say is the machine's own.
    for about in ["XDG_RUNTIME_DIR", "device-select", "device_select"] {
        assert!(!stderr(&output).contains(about), "{}", stderr(&output));
    }
    let text = stdout(&output);
    assert!(text.contains("cpu   ") && text.contains("worker thread"), "{text}");
    assert!(text.contains("\ngpu   ") && text.contains("\nauto  uses the "), "{text}");
    // Software is never taken unasked.
    let hardware =
        text.lines().any(|l| l.starts_with("gpu   ") && !l.contains("software") && l != "gpu   none");
    assert_eq!(text.contains("auto  uses the gpu"), hardware, "{text}");
}

#[cfg(feature = "gpu")]
#[test]
fn simulate_goes_on_without_its_gpu_and_says_so() {
    if impinge_gpu_narrow::testing::adapter_or_skip("simulate --backend gpu").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let common = ["--scene", "chain", "--bodies", "4", "--steps", "20", "--backend"];
    let run = |more: &[&str]| simulate(folder.path(), &[&common, more].concat());
    let (_, cpu) = run(&["cpu"]);
    let (output, gpu) = run(&["gpu", "--parity", "bits", "--lose-gpu-at", "10"]);
    assert_eq!(gpu["backend"], "gpu");
    assert_eq!(gpu["hash"], cpu["hash"]);
    let said = stderr(&output);
    assert_eq!(said.matches("step 10 was finished on the CPU: the device was lost").count(), 1, "{said}");
    assert_eq!(said.matches("has the GPU again: ").count(), 1, "{said}");
    // The summary says it again, in both its forms.
    assert_eq!(stdout(&output).matches("step 10 was finished on the CPU").count(), 1, "{output:?}");
    assert_eq!(gpu["gpu_events"][0]["first_step"], 10);
    assert_eq!(cpu["gpu_events"], Value::Array(Vec::new()));
}

#[test]
fn height_maps_are_asked_for_by_name() {
    assert_refused(&impinge(&["simulate", "--method", "maps"]), &["maps", "exact, height-map"]);
    let folder = tempfile::tempdir().unwrap();
    let common = ["--scene", "terrain", "--bodies", "3", "--steps", "70", "--backend", "cpu"];
    let run = |more: &[&str]| simulate(folder.path(), &[&common, more].concat());
    let (output, summary) = run(&["--method", "height-map"]);
    assert!(summary["height_map_share"].as_f64().unwrap() > 0.5, "{summary}");
    assert!(stdout(&output).contains("height maps"), "{output:?}");
    let (_, summary) = run(&[]);
    assert_eq!(summary["height_map_share"], Value::Null);
}

#[cfg(feature = "gpu")]
#[test]
fn simulate_says_what_part_of_the_contacts_the_gpu_sampled_and_why_others_were_redone() {
    assert_refused(&impinge(&["simulate", "--parity", "sense"]), &["sense", "bits, meaning"]);
    if impinge_gpu_narrow::testing::adapter_or_skip("simulate --parity").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let common = ["--scene", "chain", "--bodies", "4", "--steps", "5", "--backend", "gpu", "--parity"];
    let run = |more: &[&str]| simulate(folder.path(), &[&common, more].concat());
    let (output, summary) = run(&["meaning"]);
    assert_eq!(summary["parity"], "meaning", "{output:?}");
    let share = summary["device_share"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&share), "{share}");
    let redone: u64 = summary["redone"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert!(share > 0.0 || redone > 0, "{summary}");
    assert!(stdout(&output).contains("device share"), "{output:?}");
    let (_, summary) = run(&["bits"]);
    assert_eq!((&summary["parity"], &summary["device_share"]), (&Value::from("bits"), &Value::Null));
}

#[cfg(feature = "gpu")]
#[test]
fn a_lost_gpu_is_reported_at_its_step_also_where_a_step_detects_more_than_once() {
    if impinge_gpu_narrow::testing::adapter_or_skip("simulate --lose-gpu-at").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // By the thirtieth step bodies fall so fast that each step detects contacts more than once.
    // In the sixteenth the first of them come near the bin, so that there is something to ask.
    for at in ["16", "30"] {
        let run =
            ["--bodies", "6", "--steps", "32", "--backend", "gpu", "--parity", "bits", "--lose-gpu-at", at];
        let (output, summary) = simulate(folder.path(), &run);
        let said = stderr(&output);
        let wanted = format!("step {at} was finished on the CPU: the device was lost: it was destroyed");
        assert!(said.contains(&wanted) && said.contains("has the GPU again"), "{at}: {said}");
        assert_eq!(summary["gpu_events"][0]["first_step"].to_string(), at);
    }
}

#[test]
fn a_gpu_that_is_not_there_cannot_be_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (output, _) = simulate(folder.path(), &["--steps", "2", "--backend", "cpu", "--lose-gpu-at", "1"]);
    assert_refused(&output, &["--lose-gpu-at 1", "no GPU to lose"]);
}

#[test]
fn simulate_ends_in_the_same_place_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let runs: Vec<(Output, Value)> = ["1", "2", "3"]
        .map(|threads| {
            let out = folder.path().join(threads);
            simulate(&out, &["--bodies", "9", "--steps", "60", "--threads", threads])
        })
        .into();
    for (k, (output, summary)) in runs.iter().enumerate() {
        assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
        assert_eq!(summary["threads"], k + 1);
        assert_eq!(summary["hash"], runs[0].1["hash"]);
        // All bodies are in the bin, but a second is too short to judge where they end.
        assert_eq!(
            (&summary["checks"][0]["value"], &summary["checks"][0]["verdict"]),
            (&Value::from(0.0), &Value::from("SKIP"))
        );
        assert!(summary["counts"]["points"]["last"].as_u64().unwrap() > 0);
    }
    assert_eq!(runs[0].1["hash"].as_str().unwrap().len(), 16);
    assert!(stdout(&runs[0].0).contains("median (µs)"));
    for picture in ["first.png", "middle.png", "last.png"] {
        let bytes = std::fs::read(folder.path().join("1").join(picture)).unwrap();
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 10_000, "{picture}");
    }
}

#[test]
fn simulate_without_steps_or_bodies_still_says_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let (output, summary) = simulate(folder.path(), &["--steps", "0", "--bodies", "5", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), summary);
    assert_eq!((&summary["steps"], &summary["bodies"]), (&Value::from(0), &Value::from(5)));
    // The whole scene begins with bodies above the bin's rim.
    let (output, summary) = simulate(folder.path(), &["--steps", "0"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(summary["checks"][0]["value"].as_f64().unwrap() > 0.0);
    for check in summary["checks"].as_array().unwrap() {
        assert_eq!(check["verdict"], "SKIP", "{check}");
    }
    assert!(stdout(&output).contains("judged after 600 steps or more"));
    let (output, summary) = simulate(folder.path(), &["--steps", "3", "--bodies", "0"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(summary["bodies"], 0);
    assert_eq!(summary["checks"][2]["verdict"], "SKIP");
}

#[test]
fn poses_of_any_size_are_answered_or_named() {
    let torus = asset("torus.stl");
    let collide = |poses: &str| {
        let (_guard, poses) = file("poses.txt", poses);
        impinge(&["collide", &torus, &torus, "--poses", &poses])
    };
    let none = collide("# none\r\n\r\n");
    assert_eq!((none.status.code(), stdout(&none)), (Some(0), String::new()), "{}", stderr(&none));
    let far = collide("1e30 0 0 1 0 0 0\n0 -9.9e29 0 1 0 0 0\n");
    assert_eq!(far.status.code(), Some(0), "{}", stderr(&far));
    assert_eq!(stdout(&far).matches(r#""touching":false"#).count(), 2);
    for (line, parts) in [
        ("nan 0 0 1 0 0 0", ["poses.txt:1", "NaN"]),
        ("1e999 0 0 1 0 0 0", ["poses.txt:1", "finite"]),
        ("1e300 0 0 1 0 0 0", ["poses.txt:1", "1e30 m"]),
        ("0 0 0 0 0 0 0", ["poses.txt:1", "length 0"]),
        ("0 0 0 1e300 0 0 0", ["poses.txt:1", "length inf"]),
        ("0,0,0,1,0,0,0", ["poses.txt:1", "7 numbers"]),
    ] {
        let output = collide(line);
        assert_refused(&output, &parts);
        assert_eq!(stderr(&output).matches(parts[1]).count(), 1, "said twice: {}", stderr(&output));
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let (_guard, taken) = file("taken", "a file, not a folder");
    let output = impinge(&["simulate", "--bodies", "1", "--steps", "1", "--out", &taken]);
    assert_refused(&output, &["taken", "folder"]);
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let poses = "0.1 0 0 1 0 0 0\n".repeat(3000);
    let (_guard, poses) = file("poses.txt", &poses);
    let torus = asset("torus.stl");
    let mut child = Command::new(env!("CARGO_BIN_EXE_impinge"))
        .args(["collide", &torus, &torus, "--poses", &poses])
        // Mesa must not write of what it wants to standard error.
        .env_remove("NODEVICE_SELECT")
        .env_remove("XDG_RUNTIME_DIR")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn help_and_mistakes() {
    for arguments in
        [&["--help"][..], &["simulate", "--help"], &["collide", "--help"], &["inspect", "--help"]]
    {
        assert_eq!(impinge(arguments).status.code(), Some(0));
    }
    assert_eq!(impinge(&["inspect"]).status.code(), Some(2));
    assert_eq!(impinge(&["colide"]).status.code(), Some(2));
    assert_eq!(impinge(&["--steps", "few"]).status.code(), Some(2));
}

fn ray_lines(arguments: &[&str]) -> Vec<Value> {
    let output = impinge(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn ray_prints_one_line_per_ray_with_the_keys_in_order() {
    // A torus of major 0.28 and minor 0.12 around z: in at 0.4, out at 0.16 from the axis, in again beyond it.
    let rays = "\
1 0 0  -1 0 0
1 0 0  -0.5 0 0    # half as fast
1 0 0  -1 0 0  0.5 # ends before
0 0 5  0 0 -1      # through the hole
0.28 0 0  1 0 0    # from inside
";
    let (_guard, rays) = file("rays.txt", rays);
    let torus = asset("torus.stl");
    let lines = ray_lines(&["ray", &torus, "--rays", &rays]);
    let time = |k: usize| lines[k]["time"].as_f64().unwrap();
    assert_eq!(lines.len(), 5);
    assert!((time(0) - 0.6).abs() < 0.01 && (time(1) - 2.0 * time(0)).abs() < 1e-9, "{lines:?}");
    assert!((time(4) - 0.12).abs() < 0.01);
    let hits: Vec<bool> = lines.iter().map(|line| line["hit"].as_bool().unwrap()).collect();
    assert_eq!(hits, [true, true, false, false, true]);
    assert_eq!((&lines[0]["entering"], &lines[4]["entering"]), (&Value::Bool(true), &Value::Bool(false)));
    assert!(lines[0]["normal"][0].as_f64().unwrap() > 0.9 && lines[4]["normal"][0].as_f64().unwrap() > 0.9);
    assert!((lines[0]["point"][0].as_f64().unwrap() - (1.0 - time(0))).abs() < 1e-12);
    let text = stdout(&impinge(&["ray", &torus, "--rays", &rays]));
    assert_eq!(
        text.lines().nth(2).unwrap(),
        r#"{"index":2,"hit":false,"time":null,"triangle":null,"point":null,"normal":null,"entering":null}"#
    );
    // From inside there is no front.
    assert_eq!(ray_lines(&["ray", &torus, "--rays", &rays, "--front"])[4]["hit"], false);
    // Moved up by a metre it is missed, and hit by what is moved with it.
    let up = ["ray", &torus, "--rays", &rays, "--pose", "0", "0", "1", "1", "0", "0", "0"];
    assert!(ray_lines(&up).iter().all(|line| line["hit"] == false));
    for threads in ["1", "2", "3"] {
        assert_eq!(ray_lines(&["ray", &torus, "--rays", &rays, "--threads", threads]), lines);
    }
}

#[test]
fn rays_that_cannot_be_followed_are_named() {
    let torus = asset("torus.stl");
    for (text, parts) in [
        ("0 0 0 1 0 0\n0 0 0 0 0 0\n", ["rays.txt:2", "direction"]),
        ("\n1 2 3\n", ["rays.txt:2", "3 fields"]),
        ("0 0 0 1 0 0 -1\n", ["rays.txt:1", "length"]),
        ("0 0 NaN 1 0 0\n", ["rays.txt:1", "origin"]),
    ] {
        let (_guard, rays) = file("rays.txt", text);
        assert_refused(&impinge(&["ray", &torus, "--rays", &rays]), &parts);
    }
    assert_refused(&impinge(&["ray", &torus, "--rays", "no-such-file"]), &["no-such-file"]);
}
