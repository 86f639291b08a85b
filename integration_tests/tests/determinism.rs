//! The same bits for any number of threads, on every SIMD level and from run to run, and the golden hashes of
//! three scenes.

use impinge::prelude::*;
use impinge_geometry::SimdLevel;
use impinge_oracle::solids::{block, ring, shape};
use impinge_scenes::mesh::{Gear, Knot, Torus};
use impinge_scenes::random::Random;
use impinge_scenes::{SceneParams, scene};

/// Numbers of worker threads.
const THREADS: [usize; 4] = [1, 2, 3, 8];

/// A world's contacts over some steps, as a hash, and how many manifolds they were.
type Run = fn(World) -> (u64, usize);

/// Runs a scene on every number of threads at the best SIMD level, and on every level with two threads; all of
/// them have to give the golden hash. When a change to the pipeline is meant to change contacts, paste what
/// the test prints into the file and say why in CHANGELOG.md.
fn assert_golden(name: &str, golden: &str, run: Run) {
    let best = SimdLevel::detect();
    let lesser = SimdLevel::available().filter(|level| *level != best);
    let mut found = Vec::new();
    for (threads, level) in
        THREADS.map(|threads| (threads, best)).into_iter().chain(lesser.map(|level| (2, level)))
    {
        let builder = World::builder().backend(Backend::Cpu).threads(threads).simd(level);
        let world = builder.build().unwrap();
        let (hash, manifolds) = run(world);
        assert!(manifolds >= 16, "{name}: a scene with contacts, not with {manifolds}");
        found.push((format!("{hash:016x}"), threads, level));
    }
    let first = &found[0].0;
    assert!(found.iter().all(|(hash, ..)| hash == first), "{name}: {found:?}");
    assert_eq!(
        golden.trim(),
        first,
        "{name}: contacts changed: paste {first} into golden/{name}.hash and say why"
    );
}

/// FNV-1a over 64-bit words: short, public, and the same everywhere.
struct Hash(u64);

impl Hash {
    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn event(&mut self, e: &ContactEvent) {
        self.word(e.step);
        self.word(e.phase as u64);
        e.contact.colliders.iter().for_each(|id| self.word(u64::from(id.index)));
        self.word(u64::from(e.contact.sensor));
    }

    fn manifold(&mut self, m: &Manifold) {
        for id in m.colliders {
            self.word(u64::from(id.index));
        }
        for part in m.subshapes {
            self.word(u64::from(part));
        }
        for x in m.normal.iter().chain(m.centroid.coords.iter()).chain(&[m.depth, m.volume, m.area]) {
            self.word(x.to_bits());
        }
        for p in &m.points {
            self.word(p.key);
            for x in p.position.coords.iter().chain(&[p.depth, p.weight, p.impulse.normal]) {
                self.word(x.to_bits());
            }
            for x in p.local_a.coords.iter().chain(p.local_b.coords.iter()) {
                self.word(u64::from(x.to_bits()));
            }
        }
    }
}

/// Writes a made-up impulse to every row, so that matching from step to step shows in the hash.
struct Marker;

impl Solver for Marker {
    type Error = std::convert::Infallible;

    fn solve(&mut self, rows: &[ContactRow], impulses: &mut [Impulse], _: f64) -> Result<(), Self::Error> {
        for (row, impulse) in rows.iter().zip(impulses) {
            impulse.normal = 1.0 + 0.5 * row.warm.normal + row.depth.abs();
        }
        Ok(())
    }
}

/// Steps a world, lets a solver mark its contacts and hashes all that is told of them; then `move_on` moves
/// bodies.
fn hash_of_steps(mut world: World, steps: usize, mut move_on: impl FnMut(&mut World, usize)) -> (u64, usize) {
    let events = world.subscribe(Subscription::new());
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    let mut manifolds = 0;
    for step in 0..steps {
        world.step();
        world.solve(&mut Marker, 0.01).unwrap();
        for manifold in world.manifolds() {
            hash.manifold(manifold);
        }
        manifolds += world.manifolds().len();
        events.try_iter().for_each(|event| hash.event(&event));
        move_on(&mut world, step);
    }
    (hash.0, manifolds)
}

/// Moves a body by a random step of a length (m).
fn nudge(world: &mut World, body: ColliderId, random: &mut Random, length: f64) {
    let mut pose = world.pose(body).unwrap();
    pose.translation.vector += length * random.direction();
    world.set_pose(body, pose).unwrap();
}

/// Forty bodies of seven shapes in a small space, jostled for twelve steps, with a sensor among them. What is
/// told of their contacts is hashed in the order in which it is told.
fn heap(mut world: World) -> (u64, usize) {
    let shapes = [
        shape(Torus::default().mesh().unwrap()),
        shape(Gear::default().mesh().unwrap()),
        shape(Knot::default().mesh().unwrap()),
        shape(block([0.3, 0.2, 0.25])),
        shape(ring(0.2, 0.4, 0.1, 24)),
        Shape::sphere(0.3).unwrap(),
        Shape::capsule(0.2, 0.15).unwrap(),
    ]
    .map(|s| world.add_shape(s).unwrap());
    let floor = world.add_shape(Shape::half_space()).unwrap();
    world.add_collider(Collider::new(floor).fixed(true)).unwrap();
    let mut random = Random::new(7);
    let bodies: Vec<ColliderId> = (0..40)
        .map(|i| {
            let at = Translation3::new(random.signed(), random.signed(), random.unit() * 1.5);
            let pose = Isometry3::from_parts(at, random.rotation());
            world.add_collider(Collider::new(shapes[i % shapes.len()]).pose(pose)).unwrap()
        })
        .collect();
    let watcher = world.add_shape(Shape::sphere(0.6).unwrap()).unwrap();
    world.add_collider(Collider::new(watcher).sensor(true)).unwrap();
    // Half of the bodies stay where they are, so that kept answers take part.
    hash_of_steps(world, 12, |world, step| {
        for &body in bodies.iter().skip(step % 2).step_by(2) {
            nudge(world, body, &mut random, 0.004);
        }
    })
}

/// The bodies of one of the scenes of `impinge-scenes`, moved by `place` first and jostled for some steps.
fn jostled(
    mut world: World,
    name: &str,
    steps: usize,
    length: f64,
    place: impl Fn(usize, &Isometry3<f64>) -> Isometry3<f64>,
) -> (u64, usize) {
    let scene = scene(name, &SceneParams::default()).unwrap();
    let shapes: Vec<ShapeId> =
        scene.shapes.iter().map(|s| world.add_shape(s.shape.clone()).unwrap()).collect();
    let mut moving = Vec::new();
    for (k, body) in scene.bodies.iter().enumerate() {
        let collider = Collider::new(shapes[body.shape]).fixed(body.fixed);
        let pose = if body.fixed { body.pose } else { place(k, &body.pose) };
        let id = world.add_collider(collider.pose(pose)).unwrap();
        moving.extend((!body.fixed).then_some(id));
    }
    let mut random = Random::new(3);
    hash_of_steps(world, steps, |world, _| {
        moving.iter().for_each(|&body| nudge(world, body, &mut random, length));
    })
}

/// A nut pressed onto the thread of its bolt: long, thin contacts along one helix.
fn nut_bolt(world: World) -> (u64, usize) {
    jostled(world, "nut-bolt", 16, 0.004, |_, pose| Translation3::new(0.0, 0.0, -0.01) * pose)
}

/// Six bowls let down into each other: shells that touch along rims and walls.
fn bowls(world: World) -> (u64, usize) {
    jostled(world, "bowls", 16, 0.002, |level, pose| {
        Translation3::new(0.0, 0.0, -0.0105 * (level + 1) as f64) * pose
    })
}

#[test]
fn a_heap_gives_the_same_bits_everywhere() {
    assert_golden("heap", include_str!("../golden/heap.hash"), heap);
}

#[test]
fn a_nut_on_a_bolt_gives_the_same_bits_everywhere() {
    assert_golden("nut_bolt", include_str!("../golden/nut_bolt.hash"), nut_bolt);
}

#[test]
fn stacked_bowls_give_the_same_bits_everywhere() {
    assert_golden("bowls", include_str!("../golden/bowls.hash"), bowls);
}
