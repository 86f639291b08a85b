//! Files whose coordinates are those of a survey grid.

#[expect(dead_code, reason = "other tests run scenes and refusals")]
mod command;

use command::{file, impinge, stderr, stdout};
use serde_json::Value;

/// A box from `low` to `high`, as OBJ with one decimal.
fn box_text(low: [f64; 3], high: [f64; 3]) -> String {
    let mut text = String::new();
    for corner in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|k| if corner >> k & 1 == 0 { low[k] } else { high[k] });
        text += &format!("v {x:.2} {y:.2} {z:.2}\n");
    }
    text + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
}

fn answer(arguments: &[&str]) -> Value {
    let output = impinge(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(stdout(&output).lines().next().unwrap()).unwrap()
}

#[test]
fn two_files_of_one_site_meet_at_the_identity_with_the_volume_they_share() {
    // A wall 0.2 m wide stands 0.05 m deep in a slab, over 7.5 m: 0.2 · 7.5 · 0.05 = 0.075 m³.
    let (x, y) = (432_512.3, 5_412_345.6);
    let (_wall, wall) = file("wall.obj", &box_text([x, y, 112.5], [x + 0.2, y + 7.5, 115.5]));
    let (_slab, slab) = file("slab.obj", &box_text([x - 2.0, y, 112.3], [x + 2.0, y + 7.5, 112.55]));
    let line = answer(&["collide", &wall, &slab]);
    let volume = line["volume"].as_f64().unwrap();
    assert!((volume - 0.075).abs() < 1e-5, "{line}");
    for point in line["manifolds"][0]["points"].as_array().unwrap() {
        let at = |k: usize| point["position"][k].as_f64().unwrap();
        assert!((at(0) - x - 0.1).abs() < 0.11 && (at(1) - y - 3.75).abs() < 3.76, "{point}");
    }
    let told = answer(&["inspect", &wall, "--json"]);
    assert!((told["min"][0].as_f64().unwrap() - x).abs() < 1e-6, "{told}");
    assert!(told["origin"][1].as_f64().unwrap() > 5e6 && told["rounding"].as_f64().unwrap() < 1e-6, "{told}");
    assert!((told["volume"].as_f64().unwrap() - 0.2 * 7.5 * 3.0).abs() < 1e-5 && told["warning"].is_null());
    let text = stdout(&impinge(&["inspect", &wall]));
    assert!(text.contains("origin ") && text.contains("is taken off"), "{text}");
}
