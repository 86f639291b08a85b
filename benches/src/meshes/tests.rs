//! Scenes keep what their names promise, and answers are compared.

use std::sync::Arc;

use impinge_scenes::mesh::Torus;
use impinge_scenes::random::Random;
use nalgebra::Translation3;

use super::poses::{Mix, Overlap, Poses};
use super::*;
use crate::mesh_peers::{Ours, Way};

fn torus() -> [Arc<impinge_geometry::TriMesh>; 2] {
    let mesh = Torus { major: 0.5, minor: 0.2, around: 24, across: 10 }.mesh().unwrap();
    let mesh = Arc::new(mesh);
    [mesh.clone(), mesh]
}

#[test]
fn near_misses_are_free_and_touch_when_moved_by_the_gap() {
    let meshes = torus();
    let mut oracle = Ours::new(Way::Best, &meshes);
    let gap = 1e-3;
    let mix = Mix { colliding: 5, near_misses: 20, clear: 5, gap, overlap: Overlap::Share(0.5) };
    let mut poses = Poses { oracle: &mut oracle, reach: 1.401, random: Random::new(3) };
    let placements = poses.mixed(&mix);
    assert_eq!(placements.len(), 30);
    let (mut touching, mut near) = (0, 0);
    for [a, b] in &placements {
        if oracle.touching(a, b) {
            touching += 1;
            continue;
        }
        let line = (b.translation.vector - a.translation.vector).normalize();
        near += usize::from(oracle.touching(a, &(Translation3::from(-line * gap * 1.00001) * b)));
        assert!(!oracle.touching(a, &(Translation3::from(-line * gap * 0.999) * b)));
    }
    assert_eq!((touching, near), (5, 20));
}

#[test]
fn every_scene_has_its_triangles_and_poses() {
    for (name, triangles, poses) in [
        ("knot-968", [968; 2], 200),
        ("knot-3162-coherent", [3_162; 2], 200),
        ("fly-through", [69_842, 9_716], 800),
        ("fly-through-coherent", [69_842, 9_716], 200),
    ] {
        let scene = scene::make(name).unwrap();
        assert_eq!([0, 1].map(|k| scene.meshes[k].triangles().len()), triangles, "{name}");
        assert_eq!(scene.placements.len(), poses, "{name}");
        let mut oracle = Ours::new(Way::Best, &scene.meshes);
        let touching = scene.placements.iter().filter(|[a, b]| oracle.touching(a, b)).count();
        if name == "knot-968" {
            assert_eq!(touching, 60, "30 % collide");
        } else {
            assert!((poses / 10..poses * 9 / 10).contains(&touching), "{name}: {touching} of {poses} touch");
        }
    }
    assert!(scene::make("knot-967").is_err());
    assert_eq!(scene::names().len(), 20);
}

#[test]
fn contenders_agree_where_they_must_and_rows_say_what_was_found() {
    let meshes = torus();
    let mut oracle = Ours::new(Way::Best, &meshes);
    let mix = Mix { colliding: 6, near_misses: 0, clear: 4, gap: 1e-3, overlap: Overlap::Share(0.5) };
    let placements = Poses { oracle: &mut oracle, reach: 1.401, random: Random::new(4) }.mixed(&mix);
    let scene = scene::MeshScene { name: "tori".to_owned(), meshes, placements };
    let origin = Origin { commit: String::new(), date: 0, machine: String::new() };
    for threads in [1, 2] {
        let choice = Choice { scene: None, who: &[], queries: &Query::ALL, threads, rounds: 1 };
        let rows = run_scene(&scene, &choice, &origin, &mut |_| {}).unwrap();
        let row = |query: &str, who: &str| {
            rows.iter().find(|row| row.row.query == query && row.row.who == who).unwrap()
        };
        for who in mesh_peers::names() {
            if let Some(row) = rows.iter().find(|row| row.row.query == "touching" && row.row.who == who) {
                assert_eq!(row.row.work, 6, "{who}");
                assert_eq!(row.differences, Vec::<usize>::new(), "{who}");
                assert!(row.row.mean_us > 0.0 && row.row.mean_us.is_finite(), "{who}");
            }
        }
        assert!(row("pairs", "impinge").row.work > 6);
        assert_eq!(row("pairs", "impinge").row.hash, row("pairs", "impinge-sse2").row.hash);
        assert!(row("contacts", "parry").row.work > 0);
        let text = table::ratios(&rows, &["parry"]);
        assert!(text.contains("| tori |"), "{text}");
        assert!(text.contains("touching, warm calls"), "{text}");
    }
    let who = ["nobody".to_owned()];
    let choice = Choice { scene: None, who: &who, queries: &Query::ALL, threads: 1, rounds: 1 };
    assert!(run_scene(&scene, &choice, &origin, &mut |_| {}).is_err());
}

#[test]
fn the_papers_ratios_stand_beside_ours() {
    let row = |who: &str, mean_us: f64| MeshRow {
        row: Row {
            suite: "meshes",
            scene: "knot-9613".to_owned(),
            query: "touching",
            who: who.to_owned(),
            threads: 1,
            mean_us,
            median_us: 0.0,
            p99_us: 0.0,
            max_us: 0.0,
            cpu_us: 0.0,
            p99_cpu_us: 0.0,
            build_us: 0.0,
            worst_work: 0.0,
            work: 0,
            memory: 0,
            hash: String::new(),
            commit: String::new(),
            date: 0,
            machine: String::new(),
        },
        first_us: mean_us,
        all_us: mean_us,
        poses: 1,
        differences: Vec::new(),
        bytes_per_triangle: 0.0,
    };
    let text = texts::table(&[row("impinge", 2.5), row("fcl", 31.0)]);
    assert!(text.contains("| 1.39 × RAPID | 12.4 × | – |"), "{text}");
    assert_eq!(texts::table(&[row("impinge", 2.5)]), "");
}
