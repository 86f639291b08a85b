//! The judge is right about contacts whose truth is known, and wrong claims are seen to be wrong.

use impinge_geometry::{Primitive, TriMesh};
use nalgebra::{Isometry3, Point3, Vector3};

use super::claim::Contact;
use super::overlap::{Lattice, Overlap, placed};
use super::verdict::{percentile, verdicts};
use super::*;

fn cube() -> TriMesh {
    Primitive::Cuboid { half: [0.5; 3] }.surface().unwrap()
}

/// A cube of edge 1 pressed 0.1 into another from above.
fn stacked() -> [Isometry3<f64>; 2] {
    [Isometry3::identity(), Isometry3::translation(0.03, 0.02, 0.9)]
}

fn claim(normal: Vector3<f64>, depth: f64) -> Contact {
    Contact { places: [Point3::new(0.01, 0.02, 0.5), Point3::new(0.01, 0.02, 0.4)], normal, depth }
}

#[test]
fn columns_give_the_volume_of_overlapping_cubes_in_pieces() {
    let cube = cube();
    let [a, b] = stacked();
    let bodies = [placed(&cube, &a), placed(&cube, &b)];
    let bodies = [bodies[0].as_slice(), bodies[1].as_slice()];
    let lattice = Lattice::new(bodies, &Vector3::new(0.2, 0.1, 1.0).normalize(), 128).unwrap();
    let overlap = Overlap::new(lattice, bodies);
    let expected = 0.97 * 0.98 * 0.1;
    let volume = overlap.volume(|_| true);
    assert!((volume / expected - 1.0).abs() < 0.01, "{volume} {expected}");
    // It hangs together: all of it is the piece nearest to any place.
    let piece = overlap.nearest(&Point3::new(0.0, 0.0, 0.45), 0.0).unwrap();
    assert!((overlap.volume(|k| k == piece) / volume - 1.0).abs() < 1e-3);
}

#[test]
fn a_right_claim_is_judged_right_and_wrong_ones_wrong() {
    let cube = cube();
    let judge = Judge::new([&cube, &cube], stacked(), &[Vector3::z()]);
    assert!((judge.truth.distance - 0.1).abs() < 1e-4, "{:?}", judge.truth);
    let right = judge.judge(&[claim(Vector3::z(), 0.1001)]);
    assert!((right.depth_ratio.unwrap() - 1.0).abs() < 2e-3);
    assert!((right.separation_ratio.unwrap() - 1.0).abs() < 2e-3);
    assert_eq!((right.points, right.backward), (1, 0));
    assert!(right.left.unwrap() < 0.5, "{right:?}");
    // Half the depth leaves half the volume.
    let half = judge.judge(&[claim(Vector3::z(), 0.05)]);
    assert!((half.left.unwrap() - 50.0).abs() < 1.0, "{half:?}");
    // Backward: deeper in.
    let backward = judge.judge(&[claim(-Vector3::z(), 0.1), claim(Vector3::z(), 0.01)]);
    assert_eq!(backward.backward, 1);
    assert!(backward.left.unwrap() > 150.0, "{backward:?}");
    assert!(backward.separation_ratio.unwrap() > 15.0, "{backward:?}");
    // Sideways: freed only after nearly a whole edge.
    let sideways = judge.judge(&[claim(Vector3::x(), 0.1)]);
    assert!((sideways.separation_ratio.unwrap() - 9.7).abs() < 0.05, "{sideways:?}");
    assert_eq!(judge.judge(&[]), Quality::default());
}

#[test]
fn every_contender_is_judged_in_every_scene() {
    let cases = scene::cases(None, 4).unwrap();
    let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(cases.len(), 4 + 4 + 4 + 2 + 2 + 3 + 4, "{names:?}");
    for case in &cases {
        assert!(case.meshes.iter().all(|mesh| mesh.is_closed()), "{}", case.name);
    }
    assert!(scene::cases(Some("nothing"), 1).is_err());
    let origin = Origin { commit: String::new(), date: 0, machine: String::new() };
    let choice = Choice { scene: Some("tori"), who: &[], threads: 2, random_pairs: 0 };
    let mut lines = 0;
    let rows = run(&choice, &origin, &mut |_| lines += 1).unwrap();
    assert_eq!((rows.len(), lines), (4 * Who::ALL.len(), 4 * Who::ALL.len()));
    for row in &rows {
        assert!(row.quality.points > 0, "{} finds no contact in {}", row.who, row.case);
        let d: f64 = row.case.trim_start_matches("tori ").parse().unwrap();
        assert!((row.true_depth / d - 1.0).abs() < 0.1, "{} {}", row.case, row.true_depth);
    }
    assert!(verdicts(&rows).iter().any(|line| line.contains("tori depth")));
    assert!(verdict::named(&rows).contains("| tori 0.35 |"));
}

#[test]
fn between_two_walls_the_short_way_out_is_found() {
    // The peg lies 0.0102 m in the side of the hole and has 0.02 m of play on each side: the separating translation is
    // free for a short while only, and a peg pushed on jams at the other side.
    let cases = scene::cases(Some("peg"), 0).unwrap();
    let case = &cases[0];
    let aside = Vector3::new(0.03f64, 0.003, 0.0);
    let judge = Judge::new([&case.meshes[0], &case.meshes[1]], case.poses, &[-aside.normalize()]);
    let expected = aside.norm() - 0.02;
    assert!((judge.truth.distance / expected - 1.0).abs() < 0.03, "{:?} {expected}", judge.truth);
}

#[test]
fn percentiles_are_those_of_the_sorted_list() {
    let values: Vec<f64> = (0..=100).map(f64::from).collect();
    assert_eq!([0.05, 0.5, 0.95].map(|share| percentile(&values, share)), [5.0, 50.0, 95.0]);
    assert!(percentile(&[], 0.5).is_nan());
}
