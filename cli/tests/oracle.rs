//! `impinge collide` against brute force: 1,000 random poses at each of three scales, and the same pairs
//! through the API ten kilometres from the origin and with A and B exchanged.

use std::fmt::Write;
use std::process::Command;

use impinge::geometry::{PairFrame, Side, TriMesh};
use impinge::prelude::*;
use impinge::query::QueryScratch;
use impinge_oracle::Pair;
use impinge_oracle::solids::scaled;
use impinge_scenes::mesh::{Gear, Torus};
use impinge_scenes::random::Random;
use serde_json::Value;

const POSES: usize = 1_000;

/// A torus and a gear of some hundred triangles each, about 0.4 m in radius at scale 1.
fn meshes() -> [TriMesh; 2] {
    let torus = Torus { around: 20, across: 10, ..Torus::default() }.mesh().unwrap();
    let gear = Gear { teeth: 9, ..Gear::default() }.mesh().unwrap();
    assert!(torus.is_closed() && gear.is_closed());
    [torus, gear]
}

/// Poses of B at which bounding spheres overlap nearly always: half of the pairs touch.
fn poses(random: &mut Random, size: f64) -> Vec<Isometry3<f64>> {
    (0..POSES)
        .map(|_| {
            let at = random.direction() * (random.unit() * 2.3 * size);
            Isometry3::from_parts(Translation3::from(at), random.rotation())
        })
        .collect()
}

/// What brute force says of touching, containment and the number of intersecting triangle pairs.
fn truth(meshes: [&TriMesh; 2], poses: [&Isometry3<f64>; 2]) -> (bool, bool, u64) {
    let pair = Pair::new(meshes, &PairFrame::new(poses[0], poses[1]));
    let pairs = pair.triangle_pairs().len() as u64;
    let inside = pairs == 0 && Side::BOTH.iter().any(|&side| pair.is_inside(side) == Some(true));
    (pairs > 0 || inside, inside, pairs)
}

/// The command's lines for a file of poses.
fn collide(meshes: [&TriMesh; 2], poses: &[Isometry3<f64>]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    meshes[0].save(path("a.ply")).unwrap();
    meshes[1].save(path("b.stl")).unwrap();
    let mut text = String::new();
    for pose in poses {
        let (t, q) = (pose.translation.vector, pose.rotation.coords);
        writeln!(text, "{} {} {} {} {} {} {}", t.x, t.y, t.z, q.w, q.x, q.y, q.z).unwrap();
    }
    std::fs::write(path("poses.txt"), text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_impinge"))
        .args(["collide", &path("a.ply"), &path("b.stl"), "--poses", &path("poses.txt"), "--count"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_command_equals_brute_force_at_every_scale() {
    for (seed, scale) in [1e-3f32, 1.0, 1e3].into_iter().enumerate() {
        let [a, b] = meshes().map(|m| scaled(&m, scale));
        let size = f64::from(a.bounding_sphere().radius);
        let poses = poses(&mut Random::new(11 + seed as u64), size);
        let lines = collide([&a, &b], &poses);
        assert_eq!(lines.len(), POSES);
        let (mut hits, mut pairs) = (0, 0);
        for (index, (line, pose)) in lines.iter().zip(&poses).enumerate() {
            let (touching, contained, count) = truth([&a, &b], [&Isometry3::identity(), pose]);
            assert_eq!(line["index"], index);
            assert_eq!(line["touching"], touching, "scale {scale}, pose {index}");
            assert_eq!(line["triangle_pairs"], count, "scale {scale}, pose {index}");
            assert!(!contained || line["contained"] == true, "scale {scale}, pose {index}");
            assert_eq!(touching, !line["manifolds"].as_array().unwrap().is_empty());
            hits += usize::from(touching);
            pairs += count;
        }
        println!("scale {scale}: {hits} of {POSES} poses touch, {pairs} triangle pairs, all as brute force");
        assert!((POSES / 4..POSES).contains(&hits), "poses that say something: {hits}");
    }
}

#[test]
fn ten_kilometres_away_and_exchanged_the_answers_are_exact_too() {
    for (seed, scale) in [1e-3f32, 1.0, 1e3].into_iter().enumerate() {
        let [a, b] = meshes().map(|m| scaled(&m, scale));
        let size = f64::from(a.bounding_sphere().radius);
        let settings = QuerySettings::default().count_triangle_pairs(true);
        let shapes = [&a, &b].map(|m| Shape::from(m.clone()));
        let query = PairQuery::new(&shapes[0], &shapes[1], settings).unwrap();
        let exchanged = PairQuery::new(&shapes[1], &shapes[0], settings).unwrap();
        let mut scratch = QueryScratch::default();
        let mut random = Random::new(71 + seed as u64);
        let mut hits = 0;
        for pose in poses(&mut random, size) {
            let base = Isometry3::from_parts(
                Translation3::from(random.direction() * 1e4 + Vector3::new(0.1, 0.2, 0.3)),
                random.rotation(),
            );
            let placed = [base, base * pose];
            let (touching, _, count) = truth([&a, &b], [&placed[0], &placed[1]]);
            let answer = query.at_with(&placed[0], &placed[1], &mut scratch).unwrap();
            assert_eq!((answer.touching, answer.triangle_pairs), (touching, Some(count)));
            let mirrored = exchanged.at_with(&placed[1], &placed[0], &mut scratch).unwrap();
            assert_eq!((mirrored.touching, mirrored.triangle_pairs), (touching, Some(count)));
            assert_eq!(answer.contained, mirrored.contained);
            hits += usize::from(touching);
        }
        println!("scale {scale}, 10^4 m away: {hits} of {POSES} poses touch, exchanged the same");
        assert!((POSES / 4..POSES).contains(&hits));
    }
}
