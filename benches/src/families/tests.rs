use nalgebra::{Point3, Vector3};

use super::bodies::{annulus, any, ball, block, cone};
use super::clearance::{distance, is_inside, least_depth};
use super::hull::{hull, margin};
use super::translation::shortest;
use super::*;

/// One constraint is met along its own normal, two at right angles by the sum, and a third one
/// that these satisfy changes nothing.
#[test]
fn the_shortest_translation_meets_its_active_constraints() {
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
    assert_eq!(shortest(&[]), Some(Vector3::zeros()));
    assert_eq!(shortest(&[(x, 2.0)]), Some(x * 2.0));
    let diagonal = (x + y).normalize();
    let found = shortest(&[(x, 1.0), (y, 2.0), (diagonal, 0.5)]).unwrap();
    assert!((found - (x + y * 2.0)).norm() < 1e-12, "{found}");
    let found = shortest(&[(x, 1.0), (y, 1.0), (z, 1.0), (diagonal, 2.0)]).unwrap();
    assert!((found.dot(&diagonal) - 2.0).abs() < 1e-12 && found.z == 1.0, "{found}");
    assert_eq!(shortest(&[(x, 1.0), (-x, 1.0)]), None);
}

/// No shorter translation among 20,000 random ones satisfies all of some random constraints.
#[test]
fn no_random_translation_is_shorter() {
    let mut random = Random::new(3);
    for _ in 0..20 {
        let lean = random.direction() * 1.5;
        let constraints: Vec<_> =
            (0..6).map(|_| ((random.direction() + lean).normalize(), random.unit())).collect();
        let best = shortest(&constraints).unwrap();
        for _ in 0..20_000 {
            let other = random.direction() * (0.999 * best.norm());
            assert!(constraints.iter().any(|(n, d)| n.dot(&other) < *d), "{best} and {other}");
        }
    }
}

/// The nearest place of a cube's surface is the middle of a face; its centre is 0.5 inside.
#[test]
fn distances_of_a_cube_are_known() {
    let cube = block([1.0; 3]).corners();
    for (p, far, inside) in [([0.0, 0.0, 0.2], 0.3, true), ([0.0, 0.0, 0.9], 0.4, false)] {
        let p = Point3::from(p);
        assert!((distance(&p, &cube) - far).abs() < 1e-12);
        assert_eq!(is_inside(&p, &cube), inside);
    }
    assert!((least_depth(&Point3::new(0.0, 0.0, 0.9), 0.5, &cube) - 0.1).abs() < 1e-12);
    assert!((least_depth(&Point3::new(0.0, 0.0, 0.2), 0.5, &cube) - 0.8).abs() < 1e-12);
}

/// An icosahedron of edge 1 has the circumradius 0.951 and the inradius 0.7558.
#[test]
fn the_inradius_of_an_icosahedron_is_known() {
    let mesh = ball(0.951_056_516_3, 0);
    assert_eq!(mesh.triangles.len(), 20);
    assert!((distance(&Point3::origin(), &mesh.corners()) - 0.755_761_314_1).abs() < 1e-9);
}

/// The hull of a square and its middle is the square; points on one line support nothing.
#[test]
fn a_hull_has_a_margin() {
    let square = [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 2.0]];
    assert_eq!(hull(&square).len(), 4);
    assert!((margin([1.0, 0.5], &square) - 0.5).abs() < 1e-12);
    assert!((margin([3.0, 1.0], &square) + 1.0).abs() < 1e-12);
    assert_eq!(margin([1.0, 1.0], &[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), f64::NEG_INFINITY);
}

/// Every body stays closed when it is refined, shuffled and rounded, and keeps its volume.
#[test]
fn bodies_are_closed_and_look_outward() {
    let mut random = Random::new(1);
    let mut solids = vec![block([1.0, 0.5, 0.01]), annulus(7, [0.3, 0.5], 0.1), cone(5, 0.1, 1.0)];
    solids.extend((0..10).map(|_| any(&mut random).unwrap()));
    let volume = |[a, b, c]: &[Point3<f64>; 3]| a.coords.dot(&b.coords.cross(&c.coords)) / 6.0;
    for solid in solids {
        let signed = solid.corners().iter().map(volume).sum::<f64>();
        let mesh = solid.refined().shuffled(&mut random).mesh(1.0).unwrap();
        let changed = mesh.mass_properties().unwrap().volume;
        assert!((changed / signed - 1.0).abs() < 1e-5, "{changed} and {signed}");
    }
}

/// Every family answers, and gives a case of an index again.
#[test]
fn every_family_answers_the_same_again() {
    let choice = Choice { only: None, count: 6, seed: 7, resolution: 32, case: None, threads: 2 };
    let mut first: Vec<Vec<Verdict>> = Vec::new();
    run(&choice, &mut |family, verdicts| {
        assert_eq!(verdicts.len(), 6, "{}", family.name);
        assert!(rows(family, verdicts).last().unwrap().asked == 6);
        first.push(verdicts.to_vec());
    })
    .unwrap();
    assert_eq!(first.len(), FAMILIES.len());
    let mut again = Vec::new();
    let one = Choice { case: Some(3), threads: 1, ..choice };
    run(&one, &mut |_, verdicts| again.push(verdicts[0].clone())).unwrap();
    for (all, one) in first.iter().zip(&again) {
        assert_eq!(all[3], *one);
    }
    let unknown = Choice { only: Some("none"), ..choice };
    assert!(run(&unknown, &mut |_, _| {}).is_err());
}

/// No more cases of each family are wrong than are known to be, of 100 each.
#[test]
fn few_of_each_family_are_wrong() {
    let known = [
        ("plates", 0),
        ("rods", 2),
        ("edges", 0),
        ("stacks", 1),
        ("rings", 0),
        ("exchange", 0),
        ("buffers", 0),
    ];
    for (only, most) in known {
        let choice = Choice { only: Some(only), count: 100, seed: 1, resolution: 32, case: None, threads: 2 };
        let mut asked = 0;
        run(&choice, &mut |family, verdicts| {
            asked += verdicts.len();
            let wrong: Vec<usize> = (0..verdicts.len()).filter(|&k| verdicts[k].is_wrong()).collect();
            assert!(wrong.len() <= most, "{}: cases {wrong:?} are wrong", family.name);
        })
        .unwrap();
        assert_eq!(asked, 100, "{only}");
    }
}
