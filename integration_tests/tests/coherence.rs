//! Pairs that have hardly moved are refreshed, not found again: they touch exactly where they do, keep their points, and no depth is
//! off by more than is said.

use impinge::prelude::*;
use impinge::query::QueryScratch;
use impinge::{BuildError, StepReport, WorldBuilder};
use impinge_oracle::solids::{block, ring, shape};
use impinge_scenes::mesh::{Bowl, Gear, Knot, Torus};
use impinge_scenes::random::Random;
use nalgebra::{Translation3, UnitQuaternion};

const COHERENCE: f64 = 0.02;
/// Part of the smaller body's radius by which a depth may be off beside (see `WorldBuilder::coherence`).
const LEAST: f64 = 2e-6;

/// Two bodies in a world.
struct Two {
    world: World,
    ids: [ColliderId; 2],
}

impl Two {
    fn new(shapes: &[Shape; 2], coherence: f64, change: impl Fn(WorldBuilder) -> WorldBuilder) -> Two {
        let builder = World::builder().backend(Backend::Cpu).threads(1).coherence(coherence);
        let mut world = change(builder).build().unwrap();
        let ids = [0, 1].map(|k| {
            let shape = world.add_shape(shapes[k].clone()).unwrap();
            world.add_collider(Collider::new(shape)).unwrap()
        });
        Two { world, ids }
    }

    fn step(&mut self, poses: &[Isometry3<f64>; 2]) -> StepReport {
        for (&id, pose) in self.ids.iter().zip(poses) {
            self.world.set_pose(id, *pose).unwrap();
        }
        self.world.step()
    }

    fn depth(&self) -> f64 {
        self.world.manifolds().iter().map(|m| m.depth).fold(f64::NEG_INFINITY, f64::max)
    }

    fn touches(&self) -> bool {
        self.world.contacts().next().is_some()
    }

    fn keys(&self) -> Vec<u64> {
        let mut keys: Vec<u64> =
            self.world.manifolds().iter().flat_map(|m| &m.points).map(|p| p.key).collect();
        // The deepest comes first: points that are equally deep may change their places.
        keys.sort_unstable();
        keys
    }
}

fn plain(builder: WorldBuilder) -> WorldBuilder {
    builder
}

fn solids() -> Vec<Shape> {
    vec![
        shape(block([0.3, 0.2, 0.25])),
        shape(ring(0.2, 0.5, 0.2, 24)),
        Gear::default().mesh().unwrap().into(),
        Bowl::default().mesh().unwrap().into(),
        Knot::default().mesh().unwrap().into(),
        Torus::default().mesh().unwrap().into(),
        Shape::cuboid([0.3, 0.3, 0.1]).unwrap(),
        Shape::sphere(0.3).unwrap(),
        Shape::half_space(),
    ]
}

fn radius(shapes: &[Shape; 2]) -> f64 {
    let [a, b] = shapes.each_ref().map(|s| f64::from(s.bounding_sphere().radius));
    a.min(b)
}

/// Two shapes of which one is a mesh, how A stands, and how B, about `depth` (part of the smaller one's radius) deep in it.
fn placed(random: &mut Random, depth: f64) -> ([Shape; 2], [Isometry3<f64>; 2]) {
    let solids = solids();
    let shapes = [solids[random.index(6)].clone(), solids[random.index(solids.len())].clone()];
    let query = PairQuery::new(&shapes[0], &shapes[1], QuerySettings::default()).unwrap();
    let scratch = &mut QueryScratch::default();
    let a = Isometry3::from_parts(Translation3::new(1.0, -2.0, 0.5), random.rotation());
    let away = random.direction();
    let (mut near, mut far) = (0.0, 3.0);
    let turn = random.rotation();
    let at = |way: f64| Isometry3::from_parts((a.translation.vector + away * way).into(), turn);
    let mut touches = |way: f64| query.touching_with(&a, &at(way), scratch).unwrap();
    // A half-space that reaches everywhere in that direction is met from its other side.
    if touches(far) {
        (near, far) = (far, -far);
    }
    for _ in 0..40 {
        let middle = 0.5 * (near + far);
        *(if touches(middle) { &mut near } else { &mut far }) = middle;
    }
    let into = if far > near { -1.0 } else { 1.0 };
    let b = at(0.5 * (near + far) + into * depth * radius(&shapes));
    (shapes, [a, b])
}

/// A small motion: no point of a body of this radius moves by more than `length` (m).
fn nudge(random: &mut Random, center: &Vector3<f64>, radius: f64, length: f64) -> Isometry3<f64> {
    let share = random.unit();
    let turn = UnitQuaternion::from_scaled_axis(random.direction() * (share * length / radius));
    let shift = random.direction() * ((1.0 - share) * length);
    Isometry3::from_parts((shift + center - turn * center).into(), turn)
}

#[test]
fn depths_stay_within_the_bound_and_keys_stay() {
    let mut random = Random::new(1);
    let (mut refreshed, mut worst, mut compared) = (0, 0.0f64, 0);
    for _ in 0..120 {
        let depth = 10f64.powf(random.unit() * 2.0 - 4.0);
        let (shapes, mut poses) = placed(&mut random, depth);
        let size = radius(&shapes);
        let mut two = Two::new(&shapes, COHERENCE, plain);
        two.step(&poses);
        let (first, keys) = (two.depth(), two.keys());
        assert!(first > 0.0);
        // Both go far together, and a little against each other: in all by less than may be.
        let most = COHERENCE * first;
        for step in 0..4 {
            let carried = Isometry3::from_parts(
                (random.direction() * 0.3).into(),
                UnitQuaternion::from_scaled_axis(random.direction() * 0.2),
            );
            let center = poses[1].translation.vector;
            poses[1] = nudge(&mut random, &center, 2.0 * size, 0.2 * most) * poses[1];
            poses = poses.map(|pose| carried * pose);
            let report = two.step(&poses);
            refreshed += report.counts.refreshed_pairs;
            if report.counts.refreshed_pairs == 1 {
                assert_eq!(two.keys(), keys, "step {step}");
                let mut full = Two::new(&shapes, 0.0, plain);
                full.step(&poses);
                // What another full answer of nearly the same poses says: that it may choose another normal is not at issue.
                let same = full
                    .world
                    .manifolds()
                    .iter()
                    .filter(|m| two.world.manifolds()[0].normal.dot(&m.normal) > 0.99);
                let found = same.map(|m| m.depth).fold(f64::NEG_INFINITY, f64::max);
                if found > 0.0 {
                    let off = (two.depth() - found).abs();
                    assert!(off <= 2.0 * COHERENCE * first + LEAST * size, "{off} of {found}");
                    worst = worst.max(off / found);
                    compared += 1;
                }
                let first = &two.world.manifolds()[0];
                let rows: f64 = first.points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max);
                assert!((rows - first.depth).abs() <= 0.3 * first.depth, "{rows} {}", first.depth);
            }
        }
    }
    println!("{refreshed} refreshed, {compared} compared, the worst is off by {:.3} %", 100.0 * worst);
    assert!(refreshed > 300 && compared > 250, "{refreshed} {compared}");
    // Far better than the bound: as promised of a contact that persists.
    assert!(worst <= 0.04, "{worst}");
}

/// The deepest contact of a step.
fn deepest(two: &Two) -> Option<Manifold> {
    two.world.manifolds().iter().max_by(|p, q| p.depth.total_cmp(&q.depth)).cloned()
}

/// The depth of a contact in a world that finds all of them in full; minus infinity where it has none like that.
fn depth_in_full(shapes: &[Shape; 2], poses: &[Isometry3<f64>; 2], held: &Manifold) -> f64 {
    let mut full = Two::new(shapes, 0.0, plain);
    full.step(poses);
    let same = full.world.manifolds().iter().filter(|m| held.normal.dot(&m.normal) > 0.99);
    same.map(|m| m.depth).fold(f64::NEG_INFINITY, f64::max)
}

/// A body that rocks about its contact moves much farther than the contact's points drift.
#[test]
fn depths_stay_within_the_bound_when_bodies_rock_about_their_contact() {
    let mut random = Random::new(5);
    let (mut refreshed, mut worst, mut compared) = (0, 0.0f64, 0);
    for _ in 0..160 {
        let depth = 10f64.powf(random.unit() * 2.0 - 4.0);
        let (shapes, poses) = placed(&mut random, depth);
        let size = radius(&shapes);
        let mut two = Two::new(&shapes, COHERENCE, plain);
        two.step(&poses);
        let Some(first) = deepest(&two) else { continue };
        let place = first.centroid.coords;
        for _ in 0..6 {
            // By up to a fifth of the depth at the far end; at the contact mostly along the normal.
            let turn = UnitQuaternion::from_scaled_axis(
                random.direction() * (0.1 * random.unit() * first.depth / size),
            );
            let shift =
                first.normal * ((random.unit() - 0.5) * 0.1) + random.direction() * (0.01 * random.unit());
            let moved = Isometry3::from_parts((shift * first.depth + place - turn * place).into(), turn);
            let now = [poses[0], moved * poses[1]];
            if two.step(&now).counts.refreshed_pairs == 0 {
                two.step(&poses);
                continue;
            }
            refreshed += 1;
            let Some(held) = deepest(&two) else { panic!("a refreshed contact has gone") };
            let found = depth_in_full(&shapes, &now, &held);
            if found > 0.0 {
                let off = (held.depth - found).abs();
                assert!(off <= 2.0 * COHERENCE * first.depth + LEAST * size, "{off} of {found}");
                worst = worst.max(off / found);
                compared += 1;
            }
        }
    }
    println!("{refreshed} refreshed, {compared} compared, the worst is off by {:.3} %", 100.0 * worst);
    assert!(refreshed > 200 && compared > 150, "{refreshed} {compared}");
}

/// A body that slides or rocks by more than points may drift keeps its contact only where its depth is measured to be right.
#[test]
fn depths_of_contacts_that_drift_are_measured() {
    let mut random = Random::new(7);
    let (mut refreshed, mut worst, mut compared, mut asked) = (0, 0.0f64, 0, 0);
    for _ in 0..200 {
        let depth = 10f64.powf(random.unit() * 2.0 - 4.0);
        let (shapes, poses) = placed(&mut random, depth);
        let size = radius(&shapes);
        let mut two = Two::new(&shapes, COHERENCE, plain);
        two.step(&poses);
        let Some(first) = deepest(&two) else { continue };
        let (place, keys) = (first.centroid.coords, two.keys());
        for _ in 0..5 {
            // Aside by 3 to 9 % of the depth.
            let across = first.normal.cross(&random.direction());
            let Some(across) = across.try_normalize(1e-3) else { continue };
            let shift = across * (0.03 + 0.06 * random.unit()) * first.depth;
            let turn = UnitQuaternion::from_scaled_axis(
                random.direction() * (0.03 * random.unit() * first.depth / size),
            );
            // Then a little farther, by less than has to be measured again.
            for beyond in [0.0, 0.006] {
                let shift = shift + across * beyond * first.depth;
                let moved = Isometry3::from_parts((shift + place - turn * place).into(), turn);
                let now = [poses[0], moved * poses[1]];
                asked += 1;
                if two.step(&now).counts.refreshed_pairs == 0 {
                    two.step(&poses);
                    continue;
                }
                refreshed += 1;
                assert_eq!(two.keys(), keys);
                let Some(held) = deepest(&two) else { panic!("a refreshed contact has gone") };
                let found = depth_in_full(&shapes, &now, &held);
                if found > 0.0 {
                    let off = (held.depth - found).abs();
                    assert!(off <= 2.0 * COHERENCE * first.depth + LEAST * size, "{off} of {found}");
                    worst = worst.max(off / found);
                    compared += 1;
                }
            }
        }
    }
    println!(
        "{refreshed} of {asked} refreshed, {compared} compared, the worst is off by {:.3} %",
        100.0 * worst
    );
    assert!(refreshed > 250 && compared > 200, "{refreshed} {compared}");
}

/// Bodies in each other's boxes that do not touch are asked how far apart they are, and then not until they may have come as near.
#[test]
fn bodies_that_are_near_are_not_asked_in_every_step() {
    let mut random = Random::new(11);
    let scratch = &mut QueryScratch::default();
    let rings: [Shape; 2] = [0, 1].map(|_| Torus::default().mesh().unwrap().into());
    let query = PairQuery::new(&rings[0], &rings[1], QuerySettings::default()).unwrap();
    let size = radius(&rings);
    let (mut refreshed, mut near, mut met) = (0, 0, 0);
    for _ in 0..40 {
        // Linked, mostly apart.
        let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
        let at = Vector3::x() * size * (0.7 + 0.1 * random.unit());
        let b = nudge(&mut random, &at, size, 0.1 * size) * Isometry3::from_parts(at.into(), turn);
        let towards = random.direction();
        let pace = size * 10f64.powf(random.unit() * 3.0 - 5.5);
        for margin in [0.0, 0.01 * size] {
            let mut two = Two::new(&rings, COHERENCE, |builder| builder.contact_margin(margin));
            let mut plain = Two::new(&rings, 0.0, |builder| builder.contact_margin(margin));
            for step in 0..60 {
                let way = towards * (f64::from(step) * pace);
                let now = [Isometry3::identity(), Isometry3::translation(way.x, way.y, way.z) * b];
                let kept = two.step(&now).counts.refreshed_pairs;
                plain.step(&now);
                let touching = query.touching_with(&now[0], &now[1], scratch).unwrap();
                assert_eq!(two.touches(), touching, "step {step} of {pace} m");
                assert_eq!(
                    two.world.manifolds().is_empty(),
                    plain.world.manifolds().is_empty(),
                    "{margin} {step}"
                );
                if two.world.manifolds().is_empty() {
                    (near, refreshed) = (near + 1, refreshed + kept);
                }
                met += u32::from(touching);
            }
        }
    }
    println!("{refreshed} of {near} steps apart were not asked, {met} touched");
    assert!(near > 1000 && met > 200 && refreshed * 10 > near * 8, "{refreshed} of {near}, {met}");
}

#[test]
fn bodies_touch_in_the_step_in_which_they_do() {
    let mut random = Random::new(2);
    let scratch = &mut QueryScratch::default();
    let (mut refreshed, mut changes) = (0, 0);
    for _ in 0..60 {
        let (shapes, poses) = placed(&mut random, 0.0);
        let query = PairQuery::new(&shapes[0], &shapes[1], QuerySettings::default()).unwrap();
        let mut two = Two::new(&shapes, COHERENCE, plain);
        let size = radius(&shapes);
        let towards = random.direction();
        let pace = size * 10f64.powf(random.unit() * 6.0 - 8.0);
        let mut last = None;
        for step in -40..40 {
            let way = f64::from(step) * pace;
            let b = Isometry3::from_parts(
                (poses[1].translation.vector + towards * way).into(),
                poses[1].rotation,
            );
            let now = [poses[0], b];
            refreshed += two.step(&now).counts.refreshed_pairs;
            let touching = query.touching_with(&now[0], &now[1], scratch).unwrap();
            assert_eq!(two.touches(), touching, "{shapes:?} at {way} m");
            changes += usize::from(last.is_some_and(|last| last != touching));
            last = Some(touching);
        }
    }
    println!("{refreshed} refreshed, {changes} began or ended");
    assert!(refreshed > 400 && changes >= 40, "{refreshed} {changes}");
}

#[test]
fn what_goes_together_keeps_its_contact_as_it_is() {
    let mut random = Random::new(3);
    for _ in 0..20 {
        let (shapes, mut poses) = placed(&mut random, 0.01);
        let mut two = Two::new(&shapes, COHERENCE, plain);
        two.step(&poses);
        let first: Vec<Manifold> = two.world.manifolds().to_vec();
        let mut all = Isometry3::identity();
        for _ in 0..10 {
            let carried = Isometry3::from_parts(
                (random.direction() * 10.0).into(),
                UnitQuaternion::from_scaled_axis(random.direction()),
            );
            (all, poses) = (carried * all, poses.map(|pose| carried * pose));
            assert_eq!(two.step(&poses).counts.refreshed_pairs, 1);
        }
        assert_eq!(first.len(), two.world.manifolds().len());
        for (old, new) in first.iter().zip(two.world.manifolds()) {
            let near = |a: &Vector3<f64>, b: &Vector3<f64>| (a - b).norm() <= 1e-9 * (1e-3 + a.norm());
            assert!(near(&(all.rotation * old.normal), &new.normal));
            assert!(
                near(&(all.rotation * old.force), &new.force)
                    && near(&(all.rotation * old.moment), &new.moment)
            );
            assert!((all * old.centroid - new.centroid).norm() < 1e-9);
            assert!((old.depth - new.depth).abs() < 1e-9 && (old.volume - new.volume).abs() < 1e-9);
            for (p, q) in old.points.iter().zip(&new.points) {
                assert!((all * p.position - q.position).norm() < 1e-9 && (p.depth - q.depth).abs() < 1e-9);
                assert_eq!((p.key, p.local_a, p.local_b, p.weight), (q.key, q.local_a, q.local_b, q.weight));
            }
        }
    }
}

#[test]
fn volumes_follow_the_motion() {
    let shapes = [shape(block([0.5, 0.5, 0.5])), shape(block([0.2, 0.2, 0.2]))];
    let mut two = Two::new(&shapes, 0.1, plain);
    let at = |z: f64| [Isometry3::identity(), Isometry3::translation(0.1, 0.05, z)];
    two.step(&at(0.696));
    assert!((two.world.manifolds()[0].volume - 0.16 * 0.004).abs() < 1e-6);
    assert_eq!(two.step(&at(0.6962)).counts.refreshed_pairs, 1);
    let manifold = &two.world.manifolds()[0];
    assert!((manifold.volume - 0.16 * 0.0038).abs() < 1e-6, "{}", manifold.volume);
    assert!((manifold.depth - 0.0038).abs() < 1e-6, "{}", manifold.depth);
    assert!(manifold.points.iter().all(|p| (p.position.z - 0.498_1).abs() < 1e-6));
}

#[test]
fn gaps_are_refreshed_until_they_close() {
    let gear = Gear::default().mesh().unwrap();
    let height = f64::from(gear.aabb().max[2]);
    let shapes = [shape(block([0.5, 0.5, 0.5])), gear.into()];
    let at = |gap: f64| [Isometry3::identity(), Isometry3::translation(0.1, 0.05, 0.5 + height + gap)];
    let mut two = Two::new(&shapes, COHERENCE, |builder| builder.contact_margin(2e-3));
    two.step(&at(1e-3));
    let mut refreshed = 0;
    for k in (-10..100).rev() {
        let gap = 1e-5 * f64::from(k);
        refreshed += two.step(&at(gap)).counts.refreshed_pairs;
        assert!((two.depth() + gap).abs() < 1e-7, "{} at a gap of {gap} m", two.depth());
        assert_eq!(two.touches(), gap <= 0.0, "{gap}");
        let volume: f64 = two.world.manifolds().iter().map(|m| m.volume).sum();
        assert_eq!(volume > 0.0, gap < 0.0, "{volume} at {gap}");
    }
    assert!(refreshed > 20, "{refreshed}");
}

#[test]
fn what_is_asked_of_a_pair_anew_is_found_again() {
    let shapes = [shape(block([0.5, 0.5, 0.5])), shape(block([0.2, 0.2, 0.2]))];
    let at = |k: u32| {
        let along = 1e-6 * f64::from(k);
        [Isometry3::identity(), Isometry3::translation(0.1 + along, 0.05, 0.696)]
    };
    let mut two = Two::new(&shapes, COHERENCE, plain);
    let id = two.ids[1];
    assert_eq!(two.step(&at(0)).counts.refreshed_pairs, 0);
    assert_eq!(two.step(&at(1)).counts.refreshed_pairs, 1);
    two.world.set_tolerance(id, Some(0.02)).unwrap();
    let report = two.step(&at(2));
    assert_eq!((report.counts.refreshed_pairs, report.counts.tolerated, two.touches()), (0, 1, false));
    two.world.set_tolerance(id, Some(0.0)).unwrap();
    assert_eq!((two.step(&at(3)).counts.refreshed_pairs, two.touches()), (0, true));
    two.world.set_sensor(id, true).unwrap();
    assert_eq!((two.step(&at(4)).counts.refreshed_pairs, two.world.manifolds().len()), (0, 0));
    two.world.set_sensor(id, false).unwrap();
    assert_eq!((two.step(&at(5)).counts.refreshed_pairs, two.world.manifolds().len()), (0, 1));
    let other = two.world.add_shape(shape(block([0.2, 0.2, 0.25]))).unwrap();
    two.world.set_shape(id, other).unwrap();
    assert_eq!(two.step(&at(6)).counts.refreshed_pairs, 0);
    assert!((two.depth() - 0.054).abs() < 1e-6);
}

#[test]
fn no_coherence_finds_every_contact_again() {
    let shapes = [shape(block([0.5, 0.5, 0.5])), shape(block([0.2, 0.2, 0.2]))];
    let at = |k: u32| [Isometry3::identity(), Isometry3::translation(0.1 + 1e-7 * f64::from(k), 0.05, 0.696)];
    let mut two = Two::new(&shapes, 0.0, plain);
    assert_eq!((0..10).map(|k| two.step(&at(k)).counts.refreshed_pairs).sum::<u64>(), 0);
    // Samples of the contact region are of the poses of their step.
    let mut two = Two::new(&shapes, COHERENCE, |builder| builder.patch_samples(8));
    assert_eq!((0..10).map(|k| two.step(&at(k)).counts.refreshed_pairs).sum::<u64>(), 0);
    for wrong in [-0.1, 0.2, f64::NAN, f64::INFINITY] {
        let refused = World::builder().backend(Backend::Cpu).coherence(wrong).build();
        assert!(matches!(refused, Err(BuildError::Setting { setting: "coherence", .. })));
    }
}
