//! The same bits for any number of threads, from run to run, and the golden hash of a scene.

use impinge::prelude::*;
use impinge_integration_tests::solids::{block, ring, shape};
use impinge_scenes::mesh::{Gear, Knot, Torus};
use impinge_scenes::random::Random;

/// Hash of 12 steps of the heap below, the same on every number of threads. When a change to the
/// pipeline is meant to change contacts, print the new one by running this test, paste it here and say
/// why in CHANGELOG.md.
const GOLDEN: &str = include_str!("../golden/heap.hash");

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

/// Forty bodies of seven shapes in a small space, jostled for twelve steps, with a sensor among them. What is
/// told of their contacts is hashed in the order in which it is told.
fn heap(threads: usize) -> u64 {
    let mut world = World::builder().backend(Backend::Cpu).threads(threads).build().unwrap();
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
    let events = world.subscribe(Subscription::new());
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    for step in 0..12 {
        let report = world.step();
        assert!(report.counts.touching > 20, "a heap that touches: {}", report.counts.touching);
        world.solve(&mut Marker, 0.01).unwrap();
        for manifold in world.manifolds() {
            hash.manifold(manifold);
        }
        events.try_iter().for_each(|event| hash.event(&event));
        // Half of the bodies stay where they are, so that kept answers take part.
        for &body in bodies.iter().skip(step % 2).step_by(2) {
            let mut pose = world.pose(body).unwrap();
            pose.translation.vector += 0.004 * random.direction();
            world.set_pose(body, pose).unwrap();
        }
    }
    hash.0
}

#[test]
fn contacts_are_the_same_bits_on_any_number_of_threads() {
    let hashes = [1, 2, 3, 8].map(heap);
    assert_eq!(hashes, [hashes[0]; 4]);
    let found = format!("{:016x}", hashes[0]);
    assert_eq!(GOLDEN.trim(), found, "contacts changed: paste {found} into golden/heap.hash and say why");
}
