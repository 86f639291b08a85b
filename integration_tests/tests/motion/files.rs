//! Meshes from files against dense samples of exact touching: how many of both is a matter of patience.

use impinge::PairSweep;
use impinge::prelude::*;
use impinge::query::QueryScratch;
use impinge_scenes::asset;
use impinge_scenes::random::Random;

use crate::shapes::{cases, default_gap, query, random_motion};

/// Samples of a motion: `IMPINGE_SAMPLES`, or a few.
fn samples() -> u32 {
    std::env::var("IMPINGE_SAMPLES").ok().and_then(|n| n.parse().ok()).unwrap_or(200)
}

/// The meshes of a folder that `IMPINGE_MESHES` names, or the scenes' own, each as large as a ball of radius 1.
fn meshes() -> Vec<Shape> {
    let of_folder = |folder: String| -> Vec<TriMesh> {
        let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        files
            .iter()
            .filter(|file| file.extension().is_some_and(|e| e == "obj"))
            .map(|file| TriMesh::load(file).unwrap())
            .collect()
    };
    let own =
        || asset::load_all(&asset::folder(None)).unwrap().iter().map(|(_, mesh)| (**mesh).clone()).collect();
    let meshes: Vec<TriMesh> = std::env::var("IMPINGE_MESHES").map_or_else(|_| own(), of_folder);
    assert!(!meshes.is_empty());
    meshes
        .into_iter()
        .map(|mesh| {
            let sphere = Shape::from(mesh.clone()).bounding_sphere();
            let back = Isometry3::from_parts(
                (-sphere.center.coords.cast::<f64>()).into(),
                UnitQuaternion::identity(),
            );
            let centred = mesh.transformed(&back).unwrap();
            Shape::from(centred.scaled(1.0 / f64::from(sphere.radius)).unwrap())
        })
        .collect()
}

#[test]
fn sweeps_of_files_are_never_late_and_end_near() {
    let (meshes, mut random, samples) = (meshes(), Random::new(17), samples());
    let (mut hits, mut scratch) = (0, QueryScratch::default());
    let mut latest: f64 = 0.0;
    for case in 0..cases(40) as usize {
        let [a, b] = [0; 2].map(|_| &meshes[random.index(meshes.len())]);
        let query = query(a, b);
        let turn = [0.0, 0.3, 2.0, 6.0][case % 4];
        let motions = [random_motion(&mut random, 1.3, turn), random_motion(&mut random, 1.3, turn)];
        let mut touching = |time: f64| {
            query.touching_with(&motions[0].pose(time), &motions[1].pose(time), &mut scratch).unwrap()
        };
        let found = query.sweep(&motions[0], &motions[1]).unwrap();
        // The first sample that touches, and by bisection about when they begin to.
        let at = |k: u32| f64::from(k) / f64::from(samples);
        let first = (0..=samples).find(|&k| touching(at(k)));
        let begin = first.map(|k| {
            let (mut free, mut hit) = (at(k.saturating_sub(1)), at(k));
            for _ in 0..40 {
                let middle = 0.5 * (free + hit);
                if touching(middle) { hit = middle } else { free = middle }
            }
            hit
        });
        match (&found, begin) {
            (PairSweep::AtStart { .. }, _) => assert_eq!(first, Some(0), "case {case}"),
            (PairSweep::Free, begin) => assert_eq!(begin, None, "case {case}"),
            (PairSweep::Impact(impact), begin) => {
                hits += 1;
                let gap = default_gap(a, b);
                assert!(impact.gap <= gap + 1e-9, "case {case}: {} of {gap}", impact.gap);
                let poses = motions.map(|m| m.pose(impact.time));
                let apart = query.distance(&poses[0], &poses[1]).unwrap().distance();
                assert!(
                    apart <= gap + 1e-9 && (apart - impact.gap).abs() < 1e-9,
                    "case {case}: {apart} apart"
                );
                if let Some(begin) = begin {
                    assert!(impact.time <= begin, "case {case}: {} is later than {begin}", impact.time);
                    latest = latest.max(begin - impact.time);
                }
            }
        }
    }
    println!("{hits} meet; early by {latest} at most");
    assert!(hits > cases(40) / 4, "{hits} meet");
}
