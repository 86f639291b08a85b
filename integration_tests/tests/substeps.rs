//! Steps between two whole ones: what has moved little is carried along, all else is answered as in a whole step, which never goes by
//! what was carried.

use impinge::prelude::*;
use impinge::{Manifold, StepReport, WorldBuilder};
use impinge_oracle::solids::{block, ring, shape};
use impinge_scenes::mesh::{Bowl, Gear, Knot, Torus};
use impinge_scenes::random::Random;
use nalgebra::{Point3, Translation3, UnitQuaternion, Vector3};

type Poses = [Isometry3<f64>; 2];

/// Two bodies in a world.
struct Two {
    world: World,
    ids: [ColliderId; 2],
}

impl Two {
    /// Bodies that are carried along for `limit` (m).
    fn new(shapes: &[Shape; 2], limit: f64) -> Two {
        Two::with(shapes, |builder| builder, |collider| collider.sweep_beyond(2.0 * limit))
    }

    fn with(
        shapes: &[Shape; 2],
        set: impl Fn(WorldBuilder) -> WorldBuilder,
        change: impl Fn(Collider) -> Collider,
    ) -> Two {
        // Nothing is refreshed: what is not carried along is answered in full.
        let builder = World::builder().backend(Backend::Cpu).threads(1).coherence(0.0);
        let mut world = set(builder).build().unwrap();
        let ids = [0, 1].map(|k| {
            let shape = world.add_shape(shapes[k].clone()).unwrap();
            world.add_collider(change(Collider::new(shape))).unwrap()
        });
        Two { world, ids }
    }

    fn place(&mut self, poses: &Poses) {
        for (&id, pose) in self.ids.iter().zip(poses) {
            self.world.set_pose(id, *pose).unwrap();
        }
    }

    fn step(&mut self, poses: &Poses) -> StepReport {
        self.place(poses);
        self.world.step()
    }

    fn substep(&mut self, poses: &Poses) -> StepReport {
        self.place(poses);
        self.world.substep()
    }

    /// Whether the pair was carried along.
    fn is_carried(&mut self, poses: &Poses) -> bool {
        self.substep(poses).counts.carried_pairs == 1
    }

    fn depth(&self) -> f64 {
        self.world.manifolds().iter().map(|m| m.depth).fold(f64::NEG_INFINITY, f64::max)
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

/// Two shapes of which one is a mesh, about `depth` (part of the smaller one's radius) deep in each other.
fn placed(random: &mut Random, depth: f64) -> ([Shape; 2], Poses) {
    let solids = solids();
    let shapes = [solids[random.index(6)].clone(), solids[random.index(solids.len())].clone()];
    let query = PairQuery::new(&shapes[0], &shapes[1], QuerySettings::default()).unwrap();
    let line = random.direction();
    let a = Isometry3::from_parts(Translation3::from(random.direction() * 5.0), random.rotation());
    let turn = random.rotation();
    let at = |s: f64| Isometry3::from_parts(Translation3::from(a.translation.vector + line * s), turn);
    let reach = shapes.iter().map(|s| f64::from(s.bounding_sphere().radius).min(2.0)).sum::<f64>();
    let (mut free, mut touching) = (reach + 0.1, 0.0);
    for _ in 0..40 {
        let middle = 0.5 * (free + touching);
        if query.touching(&a, &at(middle)).unwrap() { touching = middle } else { free = middle }
    }
    let b = at(touching - depth * radius(&shapes));
    (shapes, [a, b])
}

/// B moved and turned against A by no more than `length` (m) anywhere, and by half of that somewhere at least.
fn moved(random: &mut Random, shapes: &[Shape; 2], [a, b]: &Poses, length: f64) -> Poses {
    let reach = f64::from(shapes[1].bounding_sphere().radius).min(1.0);
    let turn = UnitQuaternion::from_scaled_axis(random.direction() * (0.2 * length / reach));
    let shift = Translation3::from(random.direction() * (0.75 * length));
    let about = b.translation.vector;
    let b = Isometry3::from_parts(shift * Translation3::from(about), turn * b.rotation);
    // Both go through the world together, too.
    let all = Isometry3::from_parts(Translation3::from(random.direction()), random.rotation());
    [all * a, all * b]
}

/// Points of a manifold keep their keys and their places on both bodies, and their depth follows the motion.
fn assert_follows(old: &[Manifold], new: &[Manifold], from: &Poses, to: &Poses) {
    assert_eq!(old.len(), new.len());
    for (old, new) in old.iter().zip(new) {
        assert_eq!(old.points.len(), new.points.len());
        let normal = to[0].rotation * (from[0].rotation.inverse() * old.normal);
        assert!((new.normal - normal).norm() < 1e-9);
        for (p, q) in old.points.iter().zip(&new.points) {
            assert_eq!((p.key, p.local_a, p.local_b), (q.key, q.local_a, q.local_b));
            let place = |poses: &Poses, k: usize, p: &Point3<f32>| poses[k] * p.cast::<f64>();
            let gap = |poses: &Poses, n: &Vector3<f64>| {
                (place(poses, 1, &p.local_b) - place(poses, 0, &p.local_a)).dot(n)
            };
            let nearer = gap(from, &old.normal) - gap(to, &normal);
            assert!((q.depth - p.depth - nearer).abs() < 1e-6, "{} {} {nearer}", p.depth, q.depth);
        }
    }
}

#[test]
fn what_moved_little_is_carried_along_and_then_forgotten() {
    let mut random = Random::new(71);
    let (mut carried, mut apart) = (0, 0);
    for _ in 0..150 {
        let (shapes, start) = placed(&mut random, 0.03);
        let limit = 0.02 * radius(&shapes);
        let mut two = Two::new(&shapes, limit);
        two.step(&start);
        let old = two.world.manifolds().to_vec();
        let poses = moved(&mut random, &shapes, &start, 0.45 * limit);
        let is_carried = two.is_carried(&poses);
        if is_carried {
            carried += 1;
            assert_follows(&old, two.world.manifolds(), &start, &poses);
            // Where nothing moves it still stands for no whole step.
            assert!(two.is_carried(&poses));
        } else {
            // A manifold came apart.
            apart += 1;
        }
        // One that was never asked in between says the same.
        let mut other = Two::new(&shapes, limit);
        other.step(&start);
        let (own, whole) = (two.step(&poses).counts, other.step(&poses).counts);
        assert_eq!((own.carried_pairs, own.touching), (0, whole.touching));
        assert_eq!(own.kept_pairs, u64::from(!is_carried));
        let (own, whole) = (two.depth(), other.depth());
        assert!(own == whole || (own - whole).abs() <= 1e-6 * whole.abs(), "{own} {whole}");
    }
    assert!(carried > 100 && apart > 0, "{carried} {apart}");
}

#[test]
fn a_motion_counts_with_the_one_that_it_leads_to_expect() {
    let shapes = [shape(block([0.3, 0.2, 0.25])), shape(block([0.3, 0.2, 0.25]))];
    let at = |x: f64| [Isometry3::identity(), Isometry3::translation(x, 0.0, 0.35)];
    let mut two = Two::new(&shapes, 0.01);
    two.step(&at(0.0));
    // After one step of 4.9 mm the next ends at 9.8, after two at 9.9, after three at 9.96.
    assert!(two.is_carried(&at(0.0049)));
    assert!(two.is_carried(&at(0.0066)));
    assert!(two.is_carried(&at(0.0074)));
    assert!(!two.is_carried(&at(0.0082)));
    // It was answered in full there, and is carried along from there.
    assert!(two.is_carried(&at(0.0082 + 0.0049)));
    assert!(!two.is_carried(&at(0.0082 + 0.0076)));
    two.step(&at(0.0));
    assert!(!two.is_carried(&at(0.0051)));
    // The lesser of both limits counts.
    let mut one_sided = Two::new(&shapes, 0.01);
    let floor = one_sided.world.add_shape(shapes[0].clone()).unwrap();
    one_sided.world.remove_collider(one_sided.ids[0]).unwrap();
    one_sided.ids[0] = one_sided.world.add_collider(Collider::new(floor).sweep_beyond(0.002)).unwrap();
    one_sided.step(&at(0.0));
    assert!(one_sided.is_carried(&at(0.0004)) && !one_sided.is_carried(&at(0.0007)));
}

#[test]
fn without_a_limit_it_is_a_whole_step() {
    let mut random = Random::new(72);
    for _ in 0..40 {
        let (shapes, start) = placed(&mut random, 0.03);
        let [mut two, mut other] = [Two::new(&shapes, 0.0), Two::new(&shapes, 0.0)];
        let length = 0.01 * radius(&shapes);
        for _ in 0..3 {
            let poses = moved(&mut random, &shapes, &start, length);
            assert_eq!(two.substep(&poses).counts, other.step(&poses).counts);
            assert_eq!(two.world.manifolds(), other.world.manifolds());
        }
    }
}

#[test]
fn what_comes_apart_is_answered_in_full_and_what_comes_near_waits() {
    let shapes = [shape(block([0.3, 0.2, 0.25])), shape(block([0.3, 0.2, 0.25]))];
    // Askew in the world, so that their boxes meet before they do.
    let turn = Isometry3::rotation(Vector3::new(0.4, 0.3, 0.0));
    let at = |z: f64| [turn, turn * Isometry3::translation(0.0, 0.0, z)];
    let height = 0.5;
    let mut two = Two::new(&shapes, 0.1);
    two.step(&at(height - 0.01));
    assert!(two.is_carried(&at(height - 0.002)));
    assert_eq!(two.world.contacts().count(), 1);
    assert!(!two.is_carried(&at(height + 0.002)));
    assert_eq!((two.world.contacts().count(), two.world.manifolds().len()), (0, 0));
    assert!(two.is_carried(&at(height - 0.01)));
    assert_eq!((two.world.contacts().count(), two.world.manifolds().len()), (0, 0));
    two.world.step();
    assert_eq!(two.world.contacts().count(), 1);
    assert!((two.depth() - 0.01).abs() < 1e-5, "{}", two.depth());
}

#[test]
fn primitives_sensors_samples_and_what_deforms_are_answered_in_full() {
    let blocks = [shape(block([0.3, 0.2, 0.25])), shape(block([0.3, 0.2, 0.25]))];
    let balls = [Shape::sphere(0.25).unwrap(), Shape::sphere(0.25).unwrap()];
    let at = |z: f64| [Isometry3::identity(), Isometry3::translation(0.0, 0.0, z)];
    let far = |collider: Collider| collider.sweep_beyond(1.0);
    let asks = [
        ("balls", Two::with(&balls, plain, far)),
        ("sensors", Two::with(&blocks, plain, |collider| far(collider).sensor(true))),
        ("samples", Two::with(&blocks, |builder| builder.patch_samples(8), far)),
    ];
    for (name, mut two) in asks {
        assert_eq!(two.step(&at(0.45)).counts.touching, 1, "{name}");
        assert!(!two.is_carried(&at(0.46)), "{name}");
    }
    let mut two = Two::with(&blocks, plain, far);
    two.step(&at(0.45));
    assert!(two.is_carried(&at(0.46)));
    two.step(&at(0.45));
    let wider = block([0.303, 0.202, 0.2525]);
    let shape = two.world.collider(two.ids[1]).unwrap().shape;
    two.world.set_vertices(shape, wider.vertices()).unwrap();
    assert!(!two.is_carried(&at(0.46)));
}
