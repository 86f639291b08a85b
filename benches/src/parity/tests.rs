//! The truth is found where it is known, and a table has a line for each world.

use super::*;
use crate::contacts::claim::Contact;
use impinge_geometry::Primitive;
use nalgebra::{Isometry3, Point3, Vector3};
use std::sync::Arc;

fn origin() -> Origin {
    Origin { commit: String::new(), date: 0, machine: String::new() }
}

#[test]
fn a_wrong_claim_shows_in_its_row() {
    // A cube of edge 1, pressed 0.1 into another from above: they share 0.97 · 0.98 · 0.1.
    let cube = Arc::new(Primitive::Cuboid { half: [0.5; 3] }.surface().unwrap());
    let known = Known {
        scene: "cubes",
        name: "stacked".to_owned(),
        meshes: [cube.clone(), cube],
        poses: [Isometry3::identity(), Isometry3::translation(0.03, 0.02, 0.9)],
    };
    let volume = 0.97 * 0.98 * 0.1;
    let point = |normal| Contact { places: [Point3::new(0.0, 0.0, 0.5); 2], normal, depth: 0.1 };
    let right = Claim { touching: true, manifolds: 1, volume, points: vec![point(Vector3::z())] };
    let wrong = Claim { touching: false, points: vec![point(Vector3::x())], volume: 2.0 * volume, ..right };
    let right = Claim { touching: true, manifolds: 1, volume, points: vec![point(Vector3::z())] };
    let rows = judge(&known, [&right, &wrong], [String::new(), String::new()], &origin());
    let near = |x: Option<f64>, y: f64| (x.unwrap() / y - 1.0).abs() < 5e-3;
    assert!(rows.iter().all(|row| row.touches));
    assert!(rows[0].touching && near(rows[0].depth_ratio, 1.0) && near(rows[0].volume_ratio, 1.0));
    assert!(near(rows[0].separation_ratio, 1.0), "{rows:?}");
    assert!(!rows[1].touching && near(rows[1].volume_ratio, 2.0) && near(rows[1].separation_ratio, 9.7));
}

#[test]
fn pairs_of_each_scene_overlap_or_are_apart_by_a_hair() {
    for known in scene::known(None, 3).unwrap() {
        let meshes = [known.meshes[0].as_ref(), known.meshes[1].as_ref()];
        let frame = PairFrame::new(&known.poses[0], &known.poses[1]);
        let mut pair = Pair::new(meshes, &frame);
        assert_eq!(pair.touching(), known.scene != scene::APART, "{}", known.name);
        if known.scene == scene::APART {
            let mut nearer = known.poses[1];
            let way = nearer.translation.vector - known.poses[0].translation.vector;
            nearer.translation.vector -= 2e-6 * way;
            pair = Pair::new(meshes, &PairFrame::new(&known.poses[0], &nearer));
            assert!(pair.touching(), "{} is farther apart than it says", known.name);
        }
    }
    assert!(scene::known(Some("nothing"), 1).is_err());
}

#[test]
fn both_worlds_are_judged() {
    if choose(&AdapterChoice::Any).is_err() {
        assert!(std::env::var_os("CI").is_none(), "no adapter");
        println!("SKIPPED: no adapter");
        return;
    }
    let choice = Choice { scene: Some("gears"), adapter: None, threads: 2, random_pairs: 0 };
    let answers = run(&choice, &origin()).unwrap();
    assert_eq!((answers.rows.len(), answers.asked), (8, 4));
    for row in &answers.rows {
        assert!(row.touches && row.touching, "{row:?}");
        assert!(row.depth_ratio.is_some_and(|x| (0.9..1.1).contains(&x)), "{row:?}");
        assert!(row.volume_ratio.is_some_and(|x| (0.9..1.1).contains(&x)), "{row:?}");
    }
    assert_eq!(table::truth(&answers).lines().count(), 4);
    assert!(table::differences(&answers).starts_with("Of 4 pairs 4 have"));
}
