//! The table of interactions that engines are measured by: which kinds of shapes collide with which. Every mark whose kinds there are is
//! walked, and `N of 61` is printed.
//!
//! What is said of a pair is judged by points: points in both shapes, by closed forms and solid angles, say that they touch; where the pair is moved
//! by its depth along its normal, there are none. Answers are those of the exchanged pair, and of the pair made larger or smaller.

mod gear;
mod samples;
mod through;

use std::collections::BTreeSet;

use impinge::PointFeature;
use impinge::prelude::*;
use impinge_scenes::random::Random;

use Kind::*;
use gear::SLOT;
use samples::*;

/// The marks, each once.
fn marks() -> Vec<[Kind; 2]> {
    let mut marks = Vec::new();
    for (k, &a) in SOLIDS.iter().enumerate() {
        marks.extend(SOLIDS[k..].iter().map(|&b| [a, b]));
    }
    marks.extend(SOLIDS.map(|b| [Mesh, b]));
    marks.push([Mesh; 2]);
    for a in [Plane, UvGrid, HeightField] {
        marks.extend(SOLIDS.map(|b| [a, b]));
        marks.push([a, Mesh]);
    }
    marks
        .extend(SOLIDS.iter().chain(&[Mesh, UvGrid, Plane, HeightField, Particles]).map(|&b| [Particles, b]));
    for hole in [SphereHole, CylinderHole, BoxHole] {
        marks.extend([Sphere, Box, Cylinder, Capsule].map(|b| [hole, b]));
    }
    marks
}

/// Where A stands: fields about the middle.
fn pose_of(kind: Kind) -> Isometry3<f64> {
    match kind {
        HeightField => Isometry3::translation(-2.0, -2.0, 0.0),
        _ => Isometry3::identity(),
    }
}

fn place(kind: Kind, random: &mut Random) -> Isometry3<f64> {
    let away = match kind {
        Plane | HeightField | UvGrid => {
            let [x, y] = [0, 1].map(|_| 0.8 * random.signed());
            Vector3::new(x, y, 0.2 + 1.4 * random.unit())
        }
        SphereHole | CylinderHole | BoxHole => random.direction() * random.unit(),
        SlottedGear => random.direction() * 1.4 * random.unit(),
        _ => random.direction() * (0.2 + 2.2 * random.unit()),
    };
    Isometry3::from_parts(Translation3::from(away), random.rotation())
}

/// Whether some of many points are in both, and in both by so much that a step of a hundredth does not leave one of them.
fn common_point(
    a: (&Sample, &Isometry3<f64>),
    b: (&Sample, &Isometry3<f64>),
    points: usize,
    random: &mut Random,
) -> bool {
    let sphere = b.0.shape.bounding_sphere();
    let (middle, radius) = (b.1 * sphere.center.cast::<f64>(), f64::from(sphere.radius));
    (0..points).any(|_| {
        let p = middle + Vector3::from_fn(|_, _| radius * random.signed());
        let deep =
            |(sample, pose): (&Sample, &Isometry3<f64>)| sample.holds(&pose.inverse_transform_point(&p));
        deep(b) && deep(a)
    })
}

fn deepest(manifolds: &[Manifold]) -> Option<&Manifold> {
    manifolds.iter().max_by(|m, n| m.depth.total_cmp(&n.depth))
}

/// What was seen of a mark.
#[derive(Default)]
struct Seen {
    touching: usize,
    apart: usize,
    /// Where a body that is not convex was cut into regions of other depths when the pair was exchanged or scaled, or its one region left
    /// more than its depth.
    off: usize,
}

/// How many times as many poses are tried as need be.
fn cases() -> usize {
    std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// Asks about a mark at some poses.
fn walk(mark: [Kind; 2], poses: usize) -> Option<Seen> {
    let [a, b] = [Sample::new(mark[0])?, Sample::new(mark[1])?];
    let convex = mark.iter().all(|kind| matches!(kind, Sphere | Box | Cylinder | Capsule | Convex | Plane));
    let mut random = Random::new(mark[0] as u64 * 31 + mark[1] as u64);
    let new = |a: &Shape, b: &Shape| PairQuery::new(a, b, QuerySettings::default()).unwrap();
    let query = PairQuery::between(&a.prepared, &b.prepared);
    let exchanged = PairQuery::between(&b.prepared, &a.prepared);
    let by_hand = a.twin.as_ref().map(|twin| new(twin, &b.shape));
    let scales = [-10i32, 10].map(|exponent| {
        let factor = 2f64.powi(exponent);
        (factor, new(&a.shape.scaled(factor).unwrap(), &b.shape.scaled(factor).unwrap()))
    });
    let mut seen = Seen::default();
    for n in 0..poses * cases() {
        let name = format!("{:?} with {:?}, pose {n}", mark[0], mark[1]);
        let (at, to) = (pose_of(a.kind), place(a.kind, &mut random));
        let touching = query.touching(&at, &to).unwrap();
        let apart = query.distance(&at, &to).unwrap().distance();
        assert_eq!(touching, apart == 0.0, "{name}");
        assert_eq!(touching, exchanged.touching(&to, &at).unwrap(), "{name}");
        let shared = common_point((&a, &at), (&b, &to), 250, &mut random);
        assert!(touching || !shared, "{name}: a point is in both");
        *(if touching { &mut seen.touching } else { &mut seen.apart }) += 1;
        let manifolds = query.contacts(&at, &to).unwrap();
        assert_eq!(touching, !manifolds.is_empty(), "{name}");
        let mut depths_agree = true;
        // One size in each pose.
        for (factor, query) in &scales[n % 2..=n % 2] {
            let scaled = |pose: &Isometry3<f64>| {
                Isometry3::from_parts(Translation3::from(pose.translation.vector * *factor), pose.rotation)
            };
            assert_eq!(
                touching,
                query.touching(&scaled(&at), &scaled(&to)).unwrap(),
                "{name} times {factor}"
            );
            let found = query.contacts(&scaled(&at), &scaled(&to)).unwrap();
            if let (Some(one), Some(other)) = (deepest(&manifolds), deepest(&found)) {
                depths_agree &= (other.depth / (one.depth * factor) - 1.0).abs() < 0.02;
            }
        }
        if let Some(by_hand) = &by_hand {
            let same = by_hand.touching(&at, &to).unwrap();
            // What a cut has rounded decides where they all but touch.
            assert!(
                touching == same || (apart - by_hand.distance(&at, &to).unwrap().distance()).abs() < 1e-6,
                "{name}"
            );
            let found = by_hand.contacts(&at, &to).unwrap();
            if let (Some(one), Some(other)) = (deepest(&manifolds), deepest(&found)) {
                let near = (one.depth / other.depth - 1.0).abs() < 0.02;
                depths_agree &= near && (one.normal.dot(&other.normal) > 0.999 || one.depth > 0.3);
                // Deep and clamped, a body has several shortest shifts, and views that lie otherwise find another one: each frees the pair,
                // and both meshes say so. Free places may be narrow: one is 0.03 to 0.1 % of the depth wide.
                for m in [one, other].into_iter().filter(|_| !near) {
                    let freed = |part: f64| {
                        let moved = Translation3::from(m.normal * (m.depth * part)) * to;
                        [&query, by_hand].map(|query| !query.touching(&at, &moved).unwrap())
                    };
                    assert_eq!((freed(0.99), freed(1.0001)), ([false; 2], [true; 2]), "{name}");
                }
            }
        }
        let Some(contact) = deepest(&manifolds) else { continue };
        assert!((contact.normal.norm() - 1.0).abs() < 1e-9 && contact.depth > 0.0, "{name}");
        let back = exchanged.contacts(&to, &at).unwrap();
        let depth = deepest(&back).map_or(0.0, |m| m.depth);
        assert!(
            (depth - contact.depth).abs() < 1e-6 * contact.depth,
            "{name}: {depth}, not {}",
            contact.depth
        );
        // One region of overlap: moved by its depth they are apart, by less they are not.
        if let [only] = &manifolds[..] {
            let moved = |part: f64| Translation3::from(only.normal * (only.depth * part)) * to;
            depths_agree &= !common_point((&a, &at), (&b, &moved(1.03)), 120, &mut random);
            depths_agree &= query.touching(&at, &moved(0.9)).unwrap();
        }
        assert!(depths_agree || !convex, "{name}: depths disagree");
        seen.off += usize::from(!depths_agree);
    }
    Some(seen)
}

/// As [`walk`], of particles: each is freed by its own contact, and none that has no contact touches.
fn walk_particles(other: Kind) -> Option<Seen> {
    let [a, b] = [Sample::new(Particles)?, Sample::new(other)?];
    let mut random = Random::new(other as u64 + 500);
    let mut seen = Seen::default();
    for n in 0..16 * cases() {
        let name = format!("particles with {other:?}, pose {n}");
        let (at, to) = (place(other, &mut random), pose_of(b.kind));
        let found = particle_contacts([&a.shape, &b.shape], [&at, &to], &name);
        let depth = |k: u32| {
            found.iter().filter(|(own, ..)| *own == k).map(|&(_, depth, _)| depth).fold(0.0, f64::max)
        };
        let Shape::Particles(own) = &a.shape else { panic!("particles") };
        for (k, center) in (0..).zip(own.centers()) {
            let (center, radius) = (at * center.cast::<f64>(), f64::from(own.radius(k)));
            // Points of the ball, some of them on its surface.
            let touches = (0..60).any(|n| {
                let far = radius * if n < 30 { 1.0 } else { random.unit() };
                b.holds(&to.inverse_transform_point(&(center + random.direction() * far)))
            });
            assert!(!touches || depth(k) > 0.0, "{name}: {k} touches");
            *(if depth(k) > 0.0 { &mut seen.touching } else { &mut seen.apart }) += 1;
            // Of several contacts, with other particles, each alone does not free it.
            let [(_, depth, normal)] =
                found.iter().filter(|(own, ..)| *own == k).copied().collect::<Vec<_>>()[..]
            else {
                continue;
            };
            let moved = center + normal * (1.02 * depth);
            let held =
                (0..60).any(|_| b.holds(&to.inverse_transform_point(&(moved + random.direction() * radius))));
            seen.off += usize::from(held);
        }
        for exponent in [-10i32, 10] {
            let factor = 2f64.powi(exponent);
            let scaled = |pose: &Isometry3<f64>| {
                Isometry3::from_parts(Translation3::from(pose.translation.vector * factor), pose.rotation)
            };
            let shapes = [&a.shape, &b.shape].map(|shape| shape.scaled(factor).unwrap());
            let again = particle_contacts(shapes.each_ref(), [&scaled(&at), &scaled(&to)], &name);
            assert_eq!(again.len(), found.len(), "{name} times {factor}");
            for (one, other) in found.iter().zip(&again) {
                assert!(one.0 == other.0 && (one.1 - other.1 / factor).abs() < 1e-6, "{name} times {factor}");
            }
        }
    }
    Some(seen)
}

/// Particle, depth and normal of each contact of two colliders in a world, in either order.
fn particle_contacts(
    shapes: [&Shape; 2],
    poses: [&Isometry3<f64>; 2],
    name: &str,
) -> Vec<(u32, f64, Vector3<f64>)> {
    let of_order = |order: [usize; 2]| {
        let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
        let ids = order.map(|k| {
            let shape = world.add_shape(shapes[k].clone()).unwrap();
            world.add_collider(Collider::new(shape).pose(*poses[k])).unwrap()
        });
        let report = world.step();
        let pair = world.particle_contacts_between(ids[0], ids[1]).unwrap();
        assert_eq!(report.counts.touching == 1, pair.is_some(), "{name}");
        let both = shapes.iter().all(|shape| matches!(shape, Shape::Particles(_)));
        let mut found: Vec<_> = pair
            .map_or(&[][..], |pair| pair.contacts)
            .iter()
            .map(|contact| {
                let turned = both && order[0] == 1;
                match (turned, contact.feature) {
                    (true, PointFeature::Particle(own)) => {
                        (own, contact.depth, -contact.normal.cast::<f64>())
                    }
                    _ => (contact.particle, contact.depth, contact.normal.cast::<f64>()),
                }
            })
            .collect();
        found.sort_by(|p, q| p.0.cmp(&q.0).then(p.1.total_cmp(&q.1)));
        found
    };
    let (found, exchanged) = (of_order([0, 1]), of_order([1, 0]));
    assert_eq!(found.len(), exchanged.len(), "{name}");
    for (one, other) in found.iter().zip(&exchanged) {
        assert!(
            one.0 == other.0 && (one.1 - other.1).abs() < 1e-9 && (one.2 - other.2).norm() < 1e-5,
            "{name}"
        );
    }
    found
}

#[test]
fn interaction_table() {
    let marks = marks();
    assert_eq!((marks.len(), marks.iter().collect::<BTreeSet<_>>().len()), (61, 61));
    let mut walked = Vec::new();
    for &mark in &marks {
        let seen = if mark[0] == Particles { walk_particles(mark[1]) } else { walk(mark, 24) };
        match seen {
            Some(Seen { touching, apart, off }) => {
                println!("{mark:?}: {touching} touch, {apart} do not, {off} depths disagree");
                assert!(touching >= 4 && apart >= 1, "{mark:?}: {touching} touch, {apart} do not");
                assert!(4 * off <= touching, "{mark:?}: {off} of {touching} depths disagree");
                walked.push(mark);
            }
            None => println!("missing: {:?} with {:?}", mark[0], mark[1]),
        }
    }
    println!("{} of 61", walked.len());
    assert_eq!(walked.len(), 61);
}

/// Walks marks that are in no row of the table.
fn walk_all(marks: &[[Kind; 2]]) {
    let mut all = [0, 0];
    for &mark in marks {
        let seen = if mark[0] == Particles { walk_particles(mark[1]) } else { walk(mark, 14) };
        let Seen { touching, apart, off } = seen.unwrap();
        println!("{mark:?}: {touching} touch, {apart} do not, {off} depths disagree");
        assert!(touching >= 1, "{mark:?}: {touching} touch, {apart} do not");
        assert!(4 * off <= touching, "{mark:?}: {off} of {touching} depths disagree");
        all = [all[0] + touching, all[1] + apart];
    }
    assert!(all[0] > 3 * marks.len() && all[1] > marks.len(), "{all:?}");
}

/// All kinds that bound a volume and are in the table.
const OTHERS: [Kind; 7] = [Mesh, Plane, HeightField, UvGrid, SphereHole, CylinderHole, BoxHole];

#[test]
fn level_sets_with_all() {
    let with = |b: Kind| [LevelSet, b];
    walk_all(&SOLIDS.map(with));
    walk_all(&[[LevelSet, Mesh], [LevelSet, LevelSet], [Particles, LevelSet]]);
    walk_all(&OTHERS[1..].iter().map(|&a| [a, LevelSet]).collect::<Vec<_>>());
}

#[test]
fn composites_with_all() {
    walk_all(&SOLIDS.map(|b| [Composite, b]));
    walk_all(&OTHERS.map(|a| [a, Composite]));
    walk_all(&[[Composite, Composite], [LevelSet, Composite]]);
}

#[test]
fn composites_touch_what_a_child_touches() {
    let mut random = Random::new(77);
    let children = children();
    let composite = Shape::composite(children.clone()).unwrap();
    for kind in SOLIDS.into_iter().chain(OTHERS).chain([LevelSet]) {
        let other = Sample::new(kind).unwrap();
        let query = PairQuery::new(&other.shape, &composite, QuerySettings::default()).unwrap();
        for _ in 0..12 {
            let (at, to) = (pose_of(kind), place(kind, &mut random));
            let expected = children.iter().any(|(own, child)| {
                let query = PairQuery::new(&other.shape, child, QuerySettings::default()).unwrap();
                query.touching(&at, &(to * own)).unwrap()
            });
            assert_eq!(query.touching(&at, &to).unwrap(), expected, "{kind:?}");
            assert_eq!(!query.contacts(&at, &to).unwrap().is_empty(), expected, "{kind:?}");
        }
    }
    // Of particles each has the contacts with every child.
    let powder = Shape::from(powder());
    let mut met = 0;
    for n in 0..8 {
        let (at, to) = (Isometry3::identity(), place(Particles, &mut random));
        let name = format!("particles with a composite, pose {n}");
        let found = particle_contacts([&powder, &composite], [&at, &to], &name);
        let each = children
            .iter()
            .map(|(own, child)| particle_contacts([&powder, child], [&at, &(to * own)], &name).len());
        assert_eq!(found.len(), each.sum::<usize>(), "{name}");
        met += found.len();
    }
    assert!(met > 20, "{met}");
}

#[test]
fn what_fits_into_a_hole_meets_it_as_it_meets_the_same_made_by_hand() {
    let size = |x: f64| x as f32;
    // A ball in a block, a pin in a tube, a key in a slotted gear, and a bar in a square hole, each with a play of 1 %.
    let fits = [
        (SphereHole, Shape::sphere(size(0.99 * HOLE)).unwrap(), Isometry3::identity()),
        (CylinderHole, Shape::cylinder(2.0, size(0.99 * HOLE)).unwrap(), Isometry3::identity()),
        (
            BoxHole,
            Shape::cuboid([size(0.99 * HOLE), size(0.8 * 0.99 * HOLE), 2.0]).unwrap(),
            Isometry3::identity(),
        ),
        (
            SlottedGear,
            Shape::cuboid([size(0.2 * SLOT[0]), size(0.99 * SLOT[1]), 0.4]).unwrap(),
            Isometry3::translation(0.79 * SLOT[0], 0.0, 0.0),
        ),
    ];
    for (kind, body, middle) in fits {
        let sample = Sample::new(kind).unwrap();
        let twin = sample.twin.clone().unwrap();
        let volume = |shape: &Shape| shape.mass_properties().unwrap().volume;
        assert!((volume(&sample.shape) / volume(&twin) - 1.0).abs() < 1e-5, "{kind:?}");
        let new = |shape: &Shape| PairQuery::new(shape, &body, QuerySettings::default()).unwrap();
        let [cut, by_hand] = [new(&sample.shape), new(&twin)];
        let mut random = Random::new(kind as u64);
        let play = 0.01 * if kind == SlottedGear { SLOT[1] } else { HOLE };
        let (mut touching, mut apart) = (0, 0);
        for n in 0..40 {
            let name = format!("{kind:?}, pose {n}");
            // Along the hole's axis it may go far.
            let mut away = random.direction() * play * 2.0 * random.unit();
            if kind == SlottedGear {
                (away.x, away.y) = (0.5 * away.x, 2.5 * away.y);
            }
            let turn = UnitQuaternion::new(random.direction() * 0.003 * random.unit());
            let at = middle * Isometry3::from_parts(Translation3::from(away), turn);
            let here = Isometry3::identity();
            let gap = |query: &PairQuery| query.distance(&here, &at).unwrap().distance();
            let [gap, expected] = [gap(&cut), gap(&by_hand)];
            assert!((gap - expected).abs() < 5e-6, "{name}: {gap}, not {expected} m apart");
            let both = [&cut, &by_hand].map(|query| query.touching(&here, &at).unwrap());
            assert!(both[0] == both[1] || gap.max(expected) < 5e-6, "{name}");
            let [one, other] = [&cut, &by_hand].map(|query| query.contacts(&here, &at).unwrap());
            let alone = [one.len(), other.len()] == [1, 1];
            let (Some(one), Some(other)) = (deepest(&one), deepest(&other)) else {
                apart += 1;
                continue;
            };
            touching += 1;
            assert!(
                (one.depth - other.depth).abs() < 0.05 * other.depth + 1e-6,
                "{name}: {} m deep, not {}",
                one.depth,
                other.depth
            );
            // What presses on two walls is freed by both contacts together.
            for m in [one, other].into_iter().filter(|_| alone) {
                let moved = Translation3::from(m.normal * (1.05 * m.depth + 1e-6)) * at;
                let touch = [&cut, &by_hand].map(|query| query.touching(&here, &moved).unwrap());
                assert_eq!(touch, [false; 2], "{name}: by {} m along {:?}", m.depth, m.normal);
            }
            assert!(one.normal.dot(&other.normal) > 0.99, "{name}: {:?}, not {:?}", one.normal, other.normal);
            let shared = |query: &PairQuery| query.intersection_volume(&here, &at).unwrap().unwrap();
            let [shared, expected] = [shared(&cut), shared(&by_hand)];
            // Round bodies' volumes have no bound of their error.
            let bound = shared.error + expected.error;
            let moved = 1e-5 * shared.gradient.norm() + 0.02 * expected.volume;
            assert!(
                !bound.is_finite() || (shared.volume - expected.volume).abs() <= bound + moved,
                "{name}: {} m³, not {}",
                shared.volume,
                expected.volume
            );
        }
        println!("{kind:?}: {touching} touch, {apart} do not");
        assert!(touching >= 8 && apart >= 8, "{kind:?}: {touching} touch, {apart} do not");
    }
}
