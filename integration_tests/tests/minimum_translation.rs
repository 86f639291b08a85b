//! Depth and normal of deep, wrapping and opposed overlaps, against closed forms and against the least
//! translation that exact tests find.

use std::sync::Arc;

use impinge::prelude::*;
use impinge_oracle::solids::{block, pin, ring};
use impinge_oracle::{Movable, Search};
use impinge_scenes::mesh::{Blob, Bowl, ChainLink, Gear, Hook, Knot, Torus};
use impinge_scenes::random::Random;

fn ask(a: &Arc<TriMesh>, b: &Arc<TriMesh>, at: &Isometry3<f64>) -> PairAnswer {
    let [a, b] = [a, b].map(|mesh| Shape::Mesh(mesh.clone()));
    let query = PairQuery::new(&a, &b, QuerySettings::default()).unwrap();
    query.at(&Isometry3::identity(), at).unwrap()
}

/// Two square bars, 0.2 thick, cross; B lies 0.05 higher. Up is the shortest way for B: 0.15.
#[test]
fn crossed_bars_leave_by_the_nearer_side() {
    let a = Arc::new(block([1.0, 0.1, 0.1]));
    let b = Arc::new(block([0.1, 1.0, 0.1]));
    let answer = ask(&a, &b, &Isometry3::translation(0.03, 0.02, 0.05));
    assert_eq!(answer.manifolds.len(), 1);
    let found = &answer.manifolds[0];
    assert!(found.normal.angle(&Vector3::z()).to_degrees() < 0.1, "{}", found.normal);
    assert!((found.depth - 0.15).abs() < 1e-3, "{}", found.depth);
}

/// A pin 0.01 too thick for its hole on every side. Any one separating translation is along the axis, 0.9 long; but what
/// is to be known is that four sides press, each by 0.01 to 0.01 ÷ cos 45°.
#[test]
fn a_tight_peg_is_pressed_from_four_sides() {
    let hole = Arc::new(ring(0.5, 1.0, 0.4, 48));
    let peg = Arc::new(pin(0.51, 0.6, 48));
    let answer = ask(&hole, &peg, &Isometry3::translation(0.0, 0.0, 0.1));
    assert_eq!(answer.manifolds.len(), 4);
    for found in &answer.manifolds {
        assert!(found.normal.z.abs() < 1e-6, "{}", found.normal);
        assert!((0.0095..0.01 * 2f64.sqrt() * 1.25).contains(&found.depth), "{}", found.depth);
    }
    let pressure: Vector3<f64> = answer.manifolds.iter().map(|m| m.normal * m.area).sum();
    let area: f64 = answer.manifolds.iter().map(|m| m.area).sum();
    assert!(pressure.norm() < 0.1 * area, "{pressure} of {area}");
}

/// A pin with play of 0.02 pushed sideways by `x`: it enters the wall by x − 0.02 (to the polygons'
/// corners, which stand in line).
#[test]
fn a_loose_peg_is_pressed_from_one_side() {
    let hole = Arc::new(ring(0.5, 1.0, 0.4, 48));
    let peg = Arc::new(pin(0.48, 0.6, 48));
    for x in [0.03, 0.05, 0.08] {
        let answer = ask(&hole, &peg, &Isometry3::translation(x, 0.0, 0.1));
        assert_eq!(answer.manifolds.len(), 1);
        let found = &answer.manifolds[0];
        assert!(found.normal.angle(&-Vector3::x()).to_degrees() < 0.5, "{}", found.normal);
        assert!((found.depth / (x - 0.02) - 1.0).abs() < 0.01, "{} of {}", found.depth, x - 0.02);
    }
}

/// How many random pairs are asked about.
const PAIRS: usize = 200;

/// Pairs whose depth is off by more than 15 % of the least translation, and by what factor, to two places. None
/// may come, and one that is mended must be struck here.
const KNOWN_WRONG: &[(usize, f64)] = &[(146, 1.17)];

/// The shortest translation of B that takes it as deep out along each manifold's normal as the manifold says. Source: Hildreth 1957,
/// "A quadratic programming procedure".
fn satisfying(answer: &PairAnswer) -> Vector3<f64> {
    let mut shares = vec![0.0f64; answer.manifolds.len()];
    let mut x = Vector3::zeros();
    for _ in 0..2000 {
        for (share, m) in shares.iter_mut().zip(&answer.manifolds) {
            let new = (*share + m.depth - m.normal.dot(&x)).max(0.0);
            x += m.normal * (new - *share);
            *share = new;
        }
    }
    x
}

/// Shapes of every kind at random poses, as deep as they come: the manifolds say together how to part the pair, next to the least
/// translation that brute force finds.
#[test]
fn deep_pairs_are_parted_by_about_the_least_translation() {
    let shapes = [
        Torus { around: 32, across: 14, ..Torus::default() }.mesh().unwrap(),
        Knot { along: 80, across: 10, ..Knot::default() }.mesh().unwrap(),
        Blob { subdivisions: 2, ..Blob::default() }.mesh().unwrap(),
        Hook::default().mesh().unwrap(),
        ChainLink { across: 10, ..ChainLink::default() }.mesh().unwrap(),
        Bowl { around: 24, down: 8, ..Bowl::default() }.mesh().unwrap(),
        Gear::default().mesh().unwrap(),
        pin(0.15, 0.4, 20),
    ]
    .map(Arc::new);
    let search = Search { directions: 200, cones: 8, around: 8, halvings: 12, ..Search::default() };
    let mut random = Random::new(41);
    let (mut ratios, mut wrong) = (Vec::new(), Vec::new());
    while ratios.len() < PAIRS {
        let kinds = [random.index(8), random.index(8)];
        let [a, b] = kinds.map(|k| &shapes[k]);
        let away = random.direction() * (0.1 + 0.25 * random.unit());
        let at = Isometry3::from_parts(Translation3::from(away), random.rotation());
        let answer = ask(a, b, &at);
        let Some(deepest) = answer.manifolds.iter().reduce(|p, q| if q.depth > p.depth { q } else { p })
        else {
            continue;
        };
        let hints: Vec<Vector3<f64>> = answer.manifolds.iter().map(|m| m.normal).collect();
        let truth = Movable::new([a, b], [&Isometry3::identity(), &at]).least_translation(&hints, &search);
        // Manifolds that stand beside each other are satisfied together, those that oppose each other by none.
        let together = satisfying(&answer).norm();
        let length = if together <= 4.0 * deepest.depth { together } else { deepest.depth };
        let ratio = length / truth.distance;
        if !(0.85..1.15).contains(&ratio) {
            wrong.push((ratios.len(), (100.0 * ratio).round() / 100.0));
        }
        ratios.push(ratio);
    }
    assert_eq!(wrong, KNOWN_WRONG, "other pairs are off than those known to be");
    ratios.sort_by(f64::total_cmp);
    let share = |part: f64| ratios[(part * PAIRS as f64) as usize];
    println!("depth ÷ truth: {:.3} to {:.3}, median {:.3}", ratios[0], ratios[PAIRS - 1], share(0.5));
    assert!((share(0.5) - 1.0).abs() < 0.03 && share(0.05) > 0.95 && share(0.9) < 1.1, "{ratios:.3?}");
}
