//! Contacts do not depend on where the world's origin is, on scale, on which body is A, or on how the
//! scene as a whole is turned.

use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

use impinge::prelude::*;
use impinge_oracle::solids::{block, pin, ring, scaled};
use impinge_scenes::mesh::{Blob, ChainLink, Gear, Hook, Knot, Terrain, Torus};
use impinge_scenes::random::Random;

struct Pose {
    name: String,
    meshes: [Arc<TriMesh>; 2],
    at: [Isometry3<f64>; 2],
}

impl Pose {
    fn new(name: &str, a: &Arc<TriMesh>, b: &Arc<TriMesh>, b_at: Isometry3<f64>) -> Pose {
        Pose { name: name.to_owned(), meshes: [a.clone(), b.clone()], at: [Isometry3::identity(), b_at] }
    }

    /// The manifolds, deepest first.
    fn ask(&self) -> Vec<Manifold> {
        let [a, b] = [0, 1].map(|k| Shape::Mesh(self.meshes[k].clone()));
        let query = PairQuery::new(&a, &b, QuerySettings::default()).unwrap();
        let answer = query.at(&self.at[0], &self.at[1]).unwrap();
        answer.manifolds
    }

    fn moved(&self, by: &Isometry3<f64>) -> Pose {
        Pose { name: self.name.clone(), meshes: self.meshes.clone(), at: self.at.map(|pose| by * pose) }
    }
}

/// The scenes of the table of contact quality, and random pairs sunk into each other by a little.
fn poses() -> Vec<Pose> {
    let mut all = Vec::new();
    let torus = Arc::new(Torus { major: 1.0, minor: 0.25, around: 64, across: 24 }.mesh().unwrap());
    let upright = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    for d in [0.02, 0.10, 0.20, 0.35] {
        let at = Isometry3::from_parts(Translation3::new(0.5 - d, 0.0, 0.0), upright);
        all.push(Pose::new("tori", &torus, &torus, at));
    }
    let gear =
        Arc::new(Gear { teeth: 16, outer: 1.0, root: 0.8, bore: 0.3, half_width: 0.15 }.mesh().unwrap());
    for (x, turn) in [(1.95, 0.0), (1.93, 0.3), (1.85, 0.2)] {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn * TAU / 16.0);
        let at = Isometry3::from_parts(Translation3::new(x, 0.0, 0.013), turn);
        all.push(Pose::new("gears", &gear, &gear, at));
    }
    let ground = Terrain { half: 2.0, relief: 0.3, rim: 0.0, cells: 32, seed: 3 }.mesh().unwrap();
    let ground = Arc::new(ground.one_sided(1.0, Vector3::z()).unwrap());
    let blob = Blob { radius: 0.5, bump: 0.12, bumps: 12, width: 0.35, subdivisions: 4, seed: 7 };
    let blob = Arc::new(blob.mesh().unwrap());
    let above = |z: f64| Isometry3::translation(0.1, 0.2, z);
    let touching = height_of_touch(&ground, &blob, above, [0.3, 3.0]);
    for d in [0.01, 0.04, 0.13, 0.26] {
        all.push(Pose::new("blob on terrain", &ground, &blob, above(touching - d)));
    }
    let hole = Arc::new(ring(0.5, 1.0, 0.4, 48));
    let peg = Arc::new(pin(0.48, 0.6, 48));
    for x in [0.025, 0.04, 0.07] {
        all.push(Pose::new("peg in a hole", &hole, &peg, Isometry3::translation(x, 0.003, 0.1)));
    }
    let small = Arc::new(block([0.3, 0.2, 0.25]));
    let big = Arc::new(block([1.0, 0.9, 0.8]));
    all.push(Pose::new("block in a block", &big, &small, Isometry3::translation(0.3, 0.2, 0.4)));
    all.extend(random_pairs());
    all
}

/// The largest of `range` (to 2⁻²⁰ of it) at which B touches A, if it goes on touching from the least on.
fn height_of_touch(
    a: &Arc<TriMesh>,
    b: &Arc<TriMesh>,
    at: impl Fn(f64) -> Isometry3<f64>,
    [mut near, mut far]: [f64; 2],
) -> f64 {
    let [a, b] = [a, b].map(|mesh| Shape::Mesh(mesh.clone()));
    let query = PairQuery::new(&a, &b, QuerySettings::default()).unwrap();
    for _ in 0..20 {
        let middle = 0.5 * (near + far);
        if query.at(&Isometry3::identity(), &at(middle)).unwrap().touching {
            near = middle;
        } else {
            far = middle;
        }
    }
    near
}

fn random_pairs() -> Vec<Pose> {
    let shapes = [
        Torus { around: 32, across: 14, ..Torus::default() }.mesh().unwrap(),
        Knot { along: 80, across: 10, ..Knot::default() }.mesh().unwrap(),
        Blob { subdivisions: 2, ..Blob::default() }.mesh().unwrap(),
        Hook::default().mesh().unwrap(),
        ChainLink { across: 10, ..ChainLink::default() }.mesh().unwrap(),
        pin(0.15, 0.4, 20),
    ]
    .map(Arc::new);
    let mut random = Random::new(29);
    let mut all = Vec::new();
    for k in 0..24 {
        let (i, j) = (random.index(6), random.index(6));
        let (turn, way) = (random.rotation(), random.direction());
        let at = |x: f64| Isometry3::from_parts(Translation3::from(way * x), turn);
        let near = height_of_touch(&shapes[i], &shapes[j], at, [0.0, 2.0]);
        let depth = 0.002 + 0.018 * random.unit();
        all.push(Pose::new(&format!("random pair {k}"), &shapes[i], &shapes[j], at(near - depth)));
    }
    all
}

/// The deepest manifold of one answer and the nearest to it of another: the angle between their normals
/// (degrees), and the part by which depths differ. `turn`: from the first scene to the second.
fn difference(one: &[Manifold], other: &[Manifold], turn: &UnitQuaternion<f64>, scale: f64) -> (f64, f64) {
    let deepest = one.iter().reduce(|p, q| if q.depth > p.depth { q } else { p }).unwrap();
    let normal = turn * deepest.normal;
    let judge = |m: &Manifold| {
        let (angle, part) =
            (m.normal.angle(&normal).to_degrees(), (m.depth / (scale * deepest.depth) - 1.0).abs());
        (angle, part)
    };
    let worse = |a: &(f64, f64)| (a.0 / 1.0).max(a.1 / 0.01);
    other.iter().map(judge).min_by(|a, b| worse(a).total_cmp(&worse(b))).unwrap()
}

#[test]
fn the_worlds_origin_does_not_matter() {
    // 10⁴ m and a multiple of 2⁻¹⁰, exactly representable together with every pose rounded to 2⁻³⁰.
    let away = Translation3::new(1e4, -1e4, 1e4 + 0.125);
    for pose in poses() {
        let rounded = |at: &Isometry3<f64>| {
            let round = |x: f64| (x * 2f64.powi(30)).round() * 2f64.powi(-30);
            Isometry3::from_parts(Translation3::from(at.translation.vector.map(round)), at.rotation)
        };
        let here = Pose { at: [rounded(&pose.at[0]), rounded(&pose.at[1])], ..pose };
        let there = Pose {
            name: here.name.clone(),
            meshes: here.meshes.clone(),
            at: here.at.map(|at| {
                Isometry3::from_parts(Translation3::from(at.translation.vector + away.vector), at.rotation)
            }),
        };
        let (one, other) = (here.ask(), there.ask());
        assert_eq!(one.len(), other.len(), "{}", here.name);
        for (m, n) in one.iter().zip(&other) {
            assert_eq!((m.normal, m.depth, m.volume), (n.normal, n.depth, n.volume), "{}", here.name);
            for (p, q) in m.points.iter().zip(&n.points) {
                assert_eq!((p.local_a, p.local_b, p.depth, p.key), (q.local_a, q.local_b, q.depth, q.key));
            }
        }
    }
}

#[test]
fn scale_does_not_matter() {
    for pose in poses() {
        let one = pose.ask();
        for exponent in [-10, -3, 10] {
            let scale = 2f64.powi(exponent);
            let grown = Pose {
                name: pose.name.clone(),
                meshes: [0, 1].map(|k| Arc::new(scaled(&pose.meshes[k], scale as f32))),
                at: pose.at.map(|at| {
                    Isometry3::from_parts(Translation3::from(at.translation.vector * scale), at.rotation)
                }),
            };
            let other = grown.ask();
            assert_eq!(one.len(), other.len(), "{} at {scale}", pose.name);
            let (angle, part) = difference(&one, &other, &UnitQuaternion::identity(), scale);
            assert!(angle < 1e-4 && part < 1e-6, "{} at {scale}: {angle} degrees, {part}", pose.name);
        }
    }
}

#[test]
fn the_order_of_a_and_b_does_not_matter() {
    for pose in poses() {
        let mirrored = Pose {
            name: pose.name.clone(),
            meshes: [pose.meshes[1].clone(), pose.meshes[0].clone()],
            at: [pose.at[1], pose.at[0]],
        };
        let one = pose.ask();
        let mut other = mirrored.ask();
        assert_eq!(one.len(), other.len(), "{}", pose.name);
        other.iter_mut().for_each(|m| m.normal = -m.normal);
        let (angle, part) = difference(&one, &other, &UnitQuaternion::identity(), 1.0);
        assert!(angle < 1.0 && part < 0.01, "{}: {angle} degrees, {part}", pose.name);
    }
}

#[test]
fn a_rotation_of_the_whole_scene_does_not_matter() {
    let mut random = Random::new(31);
    let turns: Vec<UnitQuaternion<f64>> = (0..3).map(|_| random.rotation()).collect();
    let mut seen: Vec<(f64, f64)> = Vec::new();
    for pose in poses() {
        let one = pose.ask();
        for turn in &turns {
            let turned = pose.moved(&Isometry3::from_parts(Translation3::identity(), *turn));
            let (angle, part) = difference(&one, &turned.ask(), turn, 1.0);
            println!("{:<20} {angle:.4} degrees, {:.4} %", pose.name, 100.0 * part);
            seen.push((angle, part));
        }
    }
    assert!(seen.iter().all(|(angle, part)| *angle < 1e-3 && *part < 1e-4), "{seen:?}");
}
