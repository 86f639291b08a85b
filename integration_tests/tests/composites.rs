//! Composites of many subshapes: the tree over them finds what asking about every pair of subshapes finds.

use impinge::geometry::Shape;
use impinge::{PairQuery, QuerySettings};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Vector3};
use proptest::prelude::*;

mod scattered {
    use impinge::TriMesh;
    use impinge::geometry::Shape;
    use impinge_scenes::random::Random;
    use nalgebra::{Isometry3, Point3, Vector3};

    pub fn pose(random: &mut Random, reach: f64) -> Isometry3<f64> {
        let mut within = |reach: f64| Vector3::from_fn(|_, _| (random.signed()) * reach);
        Isometry3::new(within(reach), within(3.0))
    }

    /// A closed wedge, an open quad, primitives: all that a composite may hold.
    pub fn simple(random: &mut Random, size: f32) -> Shape {
        let tetrahedron = || {
            let p = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            let corners = p.map(|[x, y, z]| Point3::new(x * size, y * size * 0.3, z * size * 2.0));
            TriMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).unwrap()
        };
        let flat = || {
            let p = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
            let corners = p.map(|[x, y]| Point3::new(x * size, y * size * 3.0, 0.0));
            TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap()
        };
        match random.index(6) {
            0 => Shape::sphere(size).unwrap(),
            1 => Shape::cuboid([size, 0.2 * size, 2.0 * size]).unwrap(),
            2 => Shape::capsule(0.3 * size, size).unwrap(),
            3 => Shape::cylinder(0.5 * size, size).unwrap(),
            4 => flat().into(),
            _ => tetrahedron().into(),
        }
    }

    /// The children, too: shapes and where they stand.
    pub fn composite(random: &mut Random, count: usize, reach: f64) -> Vec<(Isometry3<f64>, Shape)> {
        let size = (0.4 * reach / (count as f64).cbrt()) as f32;
        (0..count).map(|_| (pose(random, reach), simple(random, size))).collect()
    }
}

/// Touching and the distance, asked about every pair of children.
fn by_hand(children: [&[(Isometry3<f64>, Shape)]; 2], at: [&Isometry3<f64>; 2]) -> (Vec<[u32; 2]>, f64) {
    let (mut touching, mut least) = (Vec::new(), f64::INFINITY);
    for (i, (pose_a, a)) in children[0].iter().enumerate() {
        for (j, (pose_b, b)) in children[1].iter().enumerate() {
            let query = PairQuery::new(a, b, QuerySettings::default()).unwrap();
            let (p, q) = (at[0] * pose_a, at[1] * pose_b);
            if query.touching(&p, &q).unwrap() {
                touching.push([i as u32, j as u32]);
            }
            least = least.min(query.distance(&p, &q).unwrap().distance());
        }
    }
    (touching, least)
}

fn check(seed: u64, counts: [usize; 2], scale: f64, far: f64) {
    let mut random = Random::new(seed);
    let children = counts.map(|n| scattered::composite(&mut random, n, scale));
    let [a, b] = children.each_ref().map(|parts| Shape::composite(parts.clone()).unwrap());
    let query = PairQuery::new(&a, &b, QuerySettings::default()).unwrap();
    let mut tracker = query.tracker();
    let shift = Vector3::new(far, -0.7 * far, 0.3 * far);
    for k in 0..6 {
        let [mut p, mut q] = [0.5, 2.0 + 0.3 * f64::from(k)].map(|r| scattered::pose(&mut random, r * scale));
        (p.translation.vector, q.translation.vector) =
            (p.translation.vector + shift, q.translation.vector + shift);
        let (touching, least) = by_hand([&children[0], &children[1]], [&p, &q]);
        assert_eq!(query.touching(&p, &q).unwrap(), !touching.is_empty(), "{touching:?}");
        assert_eq!(tracker.touching(&p, &q).unwrap(), !touching.is_empty(), "{touching:?}");
        let answer = query.at(&p, &q).unwrap();
        assert_eq!(answer.touching, !touching.is_empty());
        for found in &answer.manifolds {
            assert!(touching.contains(&found.subshapes), "{:?} of {touching:?}", found.subshapes);
        }
        for distance in [query.distance(&p, &q).unwrap(), tracker.distance(&p, &q).unwrap()] {
            let off = (distance.distance() - least).abs();
            assert!(off <= 1e-9 * (scale + far), "{} for {least}", distance.distance());
        }
        if least > 0.0 {
            assert!(query.distance_within(&p, &q, 0.99 * least).unwrap().is_none());
            assert!(query.distance_within(&p, &q, 1.01 * least).unwrap().is_some());
        }
    }
}

/// `IMPINGE_CASES`, or the default.
fn cases(default: u32) -> ProptestConfig {
    let asked = std::env::var("IMPINGE_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig::with_cases(asked.unwrap_or(default))
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn a_tree_over_subshapes_finds_what_every_pair_of_them_says(
        seed in any::<u64>(), a in 1usize..12, b in 1usize..40, scale in -3i32..3, far in prop_oneof![Just(0.0), Just(1e4)]
    ) {
        check(seed, [a, b], 10f64.powi(scale), far * 10f64.powi(scale));
    }
}

#[test]
fn a_half_space_among_subshapes_is_never_left_out() {
    let mut random = Random::new(5);
    let mut children = scattered::composite(&mut random, 20, 1.0);
    children.insert(7, (Isometry3::translation(0.0, 0.0, -5.0), Shape::half_space()));
    let balls = (0..10).map(|k| {
        (Isometry3::translation(f64::from(k) * 0.5 + 40.0, 0.0, f64::from(k)), Shape::sphere(0.25).unwrap())
    });
    let balls: Vec<_> = balls.collect();
    let [world, row] = [children, balls].map(|parts| Shape::composite(parts).unwrap());
    for (query, swapped) in [
        (PairQuery::new(&world, &row, QuerySettings::default()).unwrap(), false),
        (PairQuery::new(&row, &world, QuerySettings::default()).unwrap(), true),
    ] {
        let ask = |z: f64| {
            let at = [Isometry3::identity(), Isometry3::translation(0.0, 0.0, z)];
            let [p, q] = if swapped { [at[1], at[0]] } else { at };
            (query.touching(&p, &q).unwrap(), query.distance(&p, &q).unwrap().distance())
        };
        assert_eq!(ask(-4.8), (true, 0.0));
        assert_eq!(ask(-4.5), (false, 0.25));
    }
}
