//! Height maps and clouds as a caller meets them.

use std::sync::Arc;

use impinge::PairQuery;
use impinge::cloud::{Bounce, CloudMap, CloudView, Points};
use impinge::geometry::Composite;
use impinge::height_map::{Bounds, Candidates, HeightMapError, Obstacle};
use impinge::prelude::*;
use impinge::query::{Directions, HeightMapQuery, HeightMapScratch, HeightMapSettings, QueryError};
use impinge_scenes::mesh::{Blob, Terrain};

fn along(direction: Vector3<f64>, bounds: Bounds) -> HeightMapSettings {
    HeightMapSettings::default().bounds(bounds).directions(Directions::Given(vec![direction]))
}

#[test]
fn a_rock_over_a_terrain_is_met_where_the_exact_answer_meets_it() {
    let terrain: Shape = Terrain::default().mesh().unwrap().into();
    let rock: Shape = Blob::default().mesh().unwrap().into();
    let size = f64::from(rock.bounding_sphere().radius);
    let query = HeightMapQuery::new(&rock, along(-Vector3::z(), Bounds::Terrain)).unwrap();
    let exact = PairQuery::new(&rock, &terrain, QuerySettings::default()).unwrap();
    let here = Isometry3::identity();
    let ground = [Obstacle::new(&terrain, here, 3)];
    let mut scratch = HeightMapScratch::default();
    let mut tracker = exact.tracker();
    let (mut touching, mut apart) = (0, 0);
    for step in 0..200 {
        let t = f64::from(step);
        let pose = Isometry3::translation((0.7 * t).sin(), (0.9 * t).cos(), 2.0 * size * (1.3 * t).sin());
        let map = query.measure(&pose, &ground, &mut scratch).unwrap();
        if tracker.touching(&pose, &here).unwrap() {
            touching += 1;
            // A dip shallower than a pixel's slope may pass between the pixels.
            let grazed = map.at.is_some()
                || exact.contacts(&pose, &here).unwrap().iter().all(|m| m.depth < 0.01 * size);
            assert!(grazed, "step {step}");
        } else {
            // Above it, or sunk below its surface, which the exact answer of a sheet does not see.
            apart += usize::from(map.at.is_none());
            assert!(map.at.is_none() || map.deepest > size, "step {step}: {map:?}");
        }
    }
    assert!(touching > 20 && apart > 20, "{touching} {apart}");
}

#[test]
fn several_directions_take_out_what_one_takes_for_inside() {
    // An L: along z or x a block in its corner is beside it, along y it seems within its box's shadow.
    let bar =
        |t: [f64; 3], h: [f32; 3]| (Isometry3::translation(t[0], t[1], t[2]), Shape::cuboid(h).unwrap());
    let corner: Shape = Composite::new(vec![
        bar([0.0, 0.0, 0.0], [1.0, 0.2, 0.2]),
        bar([-0.8, 0.0, 1.0], [0.2, 0.2, 0.8]),
        bar([0.8, 0.0, 1.0], [0.2, 0.2, 0.8]),
    ])
    .map(|c| Shape::Composite(Arc::new(c)))
    .unwrap();
    let block = [Obstacle::new(&Shape::cuboid([0.2; 3]).unwrap(), Isometry3::translation(0.0, 0.0, 1.0), 1)];
    let here = Isometry3::identity();
    let mut scratch = HeightMapScratch::default();
    let mut asked = |directions: Vec<Vector3<f64>>| {
        let settings = HeightMapSettings::default().directions(Directions::Given(directions));
        let query = HeightMapQuery::new(&corner, settings).unwrap();
        (
            query.touching(&here, &block, &mut scratch).unwrap(),
            query.overlap(&here, &block, &mut scratch).unwrap(),
        )
    };
    let (sideways, found) = asked(vec![Vector3::x()]);
    assert!(sideways && found.len() == 1 && found[0].overlap.volume > 0.0);
    let (both, found) = asked(vec![Vector3::x(), Vector3::z()]);
    assert!(!both && found.is_empty());
    // Chosen by itself, the direction is one that sees the gap.
    let auto = HeightMapQuery::new(&corner, HeightMapSettings::default()).unwrap();
    assert!(!auto.touching(&here, &block, &mut scratch).unwrap());
}

#[test]
fn an_articulated_object_has_a_projection_for_every_part() {
    let rod = Shape::cuboid([1.0, 0.1, 0.1]).unwrap();
    let arm: Shape = Composite::new(vec![
        (Isometry3::translation(1.0, 0.0, 0.0), rod.clone()),
        (Isometry3::translation(3.0, 0.0, 0.0), rod),
    ])
    .map(|c| Shape::Composite(Arc::new(c)))
    .unwrap();
    let query = HeightMapQuery::new(&arm, HeightMapSettings::default().per_subshape(true)).unwrap();
    assert_eq!(query.subshapes(), 2);
    let ball = [Obstacle::new(&Shape::sphere(0.3).unwrap(), Isometry3::translation(2.0, 1.0, 0.0), 6)];
    let mut scratch = HeightMapScratch::default();
    assert!(!query.touching(&Isometry3::identity(), &ball, &mut scratch).unwrap());
    // The second rod bends up at the joint (2, 0, 0), through the ball.
    let up = UnitQuaternion::from_euler_angles(0.0, 0.0, std::f64::consts::FRAC_PI_2);
    let bent =
        [Isometry3::translation(1.0, 0.0, 0.0), Isometry3::from_parts(Translation3::new(2.0, 1.0, 0.0), up)];
    assert!(query.touching_articulated(&bent, &ball, &mut scratch).unwrap());
    let found = query.overlap_articulated(&bent, &ball, &mut scratch).unwrap();
    assert_eq!((found.len(), found[0].subshape), (1, 1));
    assert!(found[0].overlap.pixels.iter().all(|p| p.environment.body == 6));
    let few = query.touching_articulated(&bent[..1], &ball, &mut scratch);
    assert_eq!(few, Err(QueryError::SubshapePoses { given: 1, subshapes: 2 }));
}

#[test]
fn a_tracker_looks_against_the_normal_it_met_last() {
    let block = Shape::cuboid([1.0, 0.8, 0.5]).unwrap();
    let settings = HeightMapSettings::default().directions(Directions::Follow(Candidates::Box));
    let query = HeightMapQuery::new(&block, settings).unwrap();
    assert_eq!(query.profiles(0).len(), 6);
    let wall = [Obstacle::new(&Shape::half_space(), Isometry3::identity(), 2)];
    let downward = HeightMapQuery::new(&block, along(-Vector3::z(), Bounds::TwoSided)).unwrap();
    let mut scratch = HeightMapScratch::default();
    let mut tracker = query.tracker();
    assert_eq!(tracker.normal(0), None);
    // Tilted by 0.3, its lowest edge is 0.773 m below its middle.
    let tilt = UnitQuaternion::from_euler_angles(0.0, 0.3, 0.0);
    for step in 0..5 {
        let pose = Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.7 - 0.02 * f64::from(step)), tilt);
        let sums = tracker.measure(&pose, &wall).unwrap();
        assert!(sums.at.is_some(), "step {step}");
        assert!((pose * tracker.normal(0).unwrap() - Vector3::z()).norm() < 1e-6);
        if step > 0 {
            // Of its box's axes the one nearest to straight down.
            let wanted = downward.measure(&pose, &wall, &mut scratch).unwrap();
            assert!((sums.volume - wanted.volume).abs() < 0.03 * wanted.volume, "{sums:?} {wanted:?}");
            assert!((sums.deepest - wanted.deepest).abs() < 0.01, "{sums:?} {wanted:?}");
        }
    }
}

#[test]
fn what_cannot_be_asked_says_why() {
    let ball = Shape::sphere(1.0).unwrap();
    let none = HeightMapSettings::default().directions(Directions::Given(vec![]));
    assert_eq!(HeightMapQuery::new(&ball, none).unwrap_err(), HeightMapError::NoDirection);
    let endless = HeightMapQuery::new(&Shape::half_space(), HeightMapSettings::default());
    assert_eq!(endless.unwrap_err(), HeightMapError::Endless);
    let query = HeightMapQuery::new(&ball, HeightMapSettings::default()).unwrap();
    let mut scratch = HeightMapScratch::default();
    let bad = Isometry3::translation(f64::NAN, 0.0, 0.0);
    assert!(matches!(query.touching(&bad, &[], &mut scratch), Err(QueryError::Pose { side: 'A', .. })));
    let environment = [Obstacle::new(&ball, bad, 0)];
    let error = query.touching(&Isometry3::identity(), &environment, &mut scratch).unwrap_err();
    assert!(error.to_string().contains("obstacle 0"), "{error}");
}

#[test]
fn a_cloud_is_turned_back_by_a_plate() {
    let plate =
        [Obstacle::new(&Shape::cuboid([1.0, 1.0, 0.1]).unwrap(), Isometry3::translation(0.0, 0.0, 2.0), 8)];
    let mut from: Vec<[f32; 3]> =
        (0..400).map(|k| [(k % 20) as f32 / 10.0 - 0.95, (k / 20) as f32 / 10.0 - 0.95, 0.0]).collect();
    let mut velocities = vec![[0.0, 0.0, 1.0f32]; from.len()];
    let mut map = CloudMap::new(CloudView::ahead_of(&from, Vector3::z(), 3.0, 128).unwrap()).unwrap();
    map.draw(&plate);
    let bounce = Bounce { restitution: 1.0, ..Bounce::default() };
    let mut turned = 0;
    for _ in 0..40 {
        let mut to: Vec<[f32; 3]> =
            from.iter().zip(&velocities).map(|(p, v)| std::array::from_fn(|k| p[k] + 0.1 * v[k])).collect();
        let mut hits = Vec::new();
        map.hits(&plate, Points { from: &from, to: &to }, &mut hits).unwrap();
        turned += hits.len();
        for hit in &hits {
            let k = hit.point as usize;
            bounce.apply(hit, &mut to[k], &mut velocities[k]);
        }
        from = to;
    }
    assert_eq!(turned, 400);
    assert!(velocities.iter().all(|v| *v == [0.0, 0.0, -1.0]));
    assert!(from.iter().all(|p| p[2] < 1.9));
}
