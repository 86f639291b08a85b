//! Scenes that a device simulates by meaning: in every step the contacts are those that the CPU finds at the same poses, with
//! what it remembers of the steps before or without. (Memory may keep a translation that has replaced several contacts.)

use impinge::prelude::*;
use impinge::{ColliderId, Parity};
use impinge_reference::{BodyDesc, BodyId, Simulator, SimulatorSettings};
use impinge_scenes::{Scene, SceneBody, SceneParams};

use crate::{on_cpu, on_gpu};

/// Scenes, how many bodies of them (`None`: as many as it has), and steps of 1/60 s.
const SCENES: [(&str, Option<usize>, u32); 7] = [
    ("bin", Some(8), 36),
    ("bowls", Some(6), 40),
    ("chain", Some(6), 24),
    ("gears", None, 16),
    ("nut-bolt", None, 8),
    ("peg-in-hole", None, 60),
    ("terrain", Some(4), 40),
];

/// A depth may be off by this part of it, and by this part of the bodies' size beside; a normal by so many degrees.
const DEPTH: f64 = 0.01;
const SIZE: f64 = 1e-4;
const NORMAL: f64 = 1.0;

/// A scene in a simulator, and the same colliders in two worlds on the CPU: one with a memory, one without.
struct Shadowed {
    simulator: Simulator,
    bodies: Vec<BodyId>,
    references: [Reference; 2],
}

/// A world on the CPU with the colliders of a scene.
struct Reference {
    world: World,
    colliders: Vec<Collider>,
    ids: Vec<ColliderId>,
    remembers: bool,
}

impl Reference {
    fn new(scene: &Scene, remembers: bool) -> Reference {
        let mut world = on_cpu().build().unwrap();
        let shapes: Vec<_> =
            scene.shapes.iter().map(|shape| world.add_shape(shape.shape.clone()).unwrap()).collect();
        let of = |body: &SceneBody| Collider::new(shapes[body.shape]).fixed(body.fixed);
        let colliders: Vec<Collider> = scene.bodies.iter().map(of).collect();
        let ids = colliders.iter().map(|collider| world.add_collider(collider.clone()).unwrap()).collect();
        Reference { world, colliders, ids, remembers }
    }

    /// A step at some poses; without a memory all colliders are new.
    fn step(&mut self, poses: &[Isometry3<f64>]) {
        if self.remembers {
            for (&id, pose) in self.ids.iter().zip(poses) {
                self.world.set_pose(id, *pose).unwrap();
            }
        } else {
            for ((id, collider), pose) in self.ids.iter_mut().zip(&self.colliders).zip(poses) {
                self.world.remove_collider(*id).unwrap();
                *id = self.world.add_collider(collider.clone().pose(*pose)).unwrap();
            }
        }
        let _ = self.world.step();
    }

    /// Its manifolds, with the places of their bodies in the scene.
    fn manifolds(&self) -> Vec<([usize; 2], &Manifold)> {
        by_place(&self.world, &self.ids)
    }
}

/// The manifolds of a world, with the places of their colliders in a list, by these.
fn by_place<'w>(world: &'w World, ids: &[ColliderId]) -> Vec<([usize; 2], &'w Manifold)> {
    let place = |id: ColliderId| ids.iter().position(|other| *other == id).unwrap();
    let mut all: Vec<_> = world.manifolds().iter().map(|m| (m.colliders.map(place), m)).collect();
    all.sort_by_key(|(places, _)| *places);
    all
}

/// Pairs of places in a list whose colliders touch.
fn touching(world: &World, ids: &[ColliderId]) -> Vec<[usize; 2]> {
    let place = |id: ColliderId| ids.iter().position(|other| *other == id).unwrap();
    let mut all: Vec<_> = world.contacts().map(|contact| contact.colliders.map(place)).collect();
    all.sort_unstable();
    all
}

impl Shadowed {
    fn new(mut world: World, scene: &Scene) -> Shadowed {
        let shapes: Vec<_> =
            scene.shapes.iter().map(|shape| world.add_shape(shape.shape.clone()).unwrap()).collect();
        // One detection a step, at the poses that the bodies have before it.
        let settings = SimulatorSettings {
            gravity: scene.gravity,
            max_detections: 1,
            sleeping: false,
            ..SimulatorSettings::default()
        };
        let mut simulator = Simulator::new(world, settings).unwrap();
        let bodies = scene.bodies.iter().map(|body| {
            let desc = BodyDesc {
                density: (!body.fixed).then_some(body.density),
                linear_velocity: body.velocity,
                angular_velocity: body.spin,
                ..BodyDesc::new(shapes[body.shape]).pose(body.pose)
            };
            simulator.add_body(desc).unwrap()
        });
        let bodies = bodies.collect();
        let references = [true, false].map(|remembers| Reference::new(scene, remembers));
        Shadowed { simulator, bodies, references }
    }

    fn poses(&self) -> Vec<Isometry3<f64>> {
        self.bodies.iter().map(|&id| *self.simulator.body(id).unwrap().pose()).collect()
    }

    /// A step of all.
    fn step(&mut self) {
        let poses = self.poses();
        self.references.iter_mut().for_each(|reference| reference.step(&poses));
        let _ = self.simulator.step(1.0 / 60.0).unwrap();
    }

    /// The device's colliders, in the order of the scene.
    fn ids(&self) -> Vec<ColliderId> {
        self.bodies.iter().map(|&id| self.simulator.body(id).unwrap().collider()).collect()
    }
}

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    manifolds: usize,
    /// Pairs with as many manifolds as on the CPU, of all. Overlaps of linked rings hang together at
    /// single points, where single precision may cut them.
    same_counts: [usize; 2],
    depths_off: usize,
    normals_off: usize,
    /// The greatest error of a depth, in what it may be off by.
    worst: f64,
}

impl Compared {
    /// Compares the contacts of a step: which pairs touch has to be the same.
    fn add(&mut self, shadowed: &Shadowed) {
        let (world, ids) = (shadowed.simulator.world(), shadowed.ids());
        let [with, without] = &shadowed.references;
        for reference in [with, without] {
            assert_eq!(touching(world, &ids), touching(&reference.world, &reference.ids));
        }
        let own = by_place(world, &ids);
        let references = [with.manifolds(), without.manifolds()];
        let count_of = |list: &[([usize; 2], &Manifold)], pair: [usize; 2]| {
            list.iter().filter(|(places, _)| *places == pair).count()
        };
        for group in own.chunk_by(|p, q| p.0 == q.0) {
            let pair = group[0].0;
            let is_same = references.iter().any(|list| count_of(list, pair) == group.len());
            self.same_counts[0] += usize::from(is_same);
            self.same_counts[1] += 1;
        }
        let middle = |m: &Manifold| {
            m.points.iter().map(|p| p.position.coords).sum::<Vector3<f64>>() / m.points.len() as f64
        };
        for (places, one) in own {
            let size = one.colliders.map(|id| reach(world, id)).into_iter().fold(f64::INFINITY, f64::min);
            let same = references.iter().flatten().filter(|(other, _)| *other == places);
            let far = |m: &Manifold| (middle(m) - middle(one)).norm() + (m.depth - one.depth).abs();
            let other = same.min_by(|p, q| far(p.1).total_cmp(&far(q.1))).expect("a manifold of the CPU's").1;
            let error = (one.depth - other.depth).abs() / (DEPTH * other.depth.abs() + SIZE * size);
            self.manifolds += 1;
            self.depths_off += usize::from(error > 1.0);
            self.normals_off += usize::from(one.normal.angle(&other.normal).to_degrees() > NORMAL);
            self.worst = self.worst.max(error);
        }
    }
}

/// Half the diagonal of a collider's box (m).
fn reach(world: &World, id: ColliderId) -> f64 {
    let aabb = world.aabb(id).unwrap();
    let half = |k: usize| 0.5 * f64::from(aabb.max[k] - aabb.min[k]);
    half(0).hypot(half(1)).hypot(half(2))
}

#[test]
fn scenes_have_the_cpu_s_contacts_in_every_step_by_meaning() {
    if on_gpu("scenes by meaning").is_none() {
        return;
    }
    let mut all = Compared::default();
    for (name, bodies, steps) in SCENES {
        let scene = impinge_scenes::scene(name, &SceneParams { bodies, ..SceneParams::default() }).unwrap();
        let world = on_gpu(name).unwrap().parity(Parity::Meaning).build().unwrap();
        let mut shadowed = Shadowed::new(world, &scene);
        let mut compared = Compared::default();
        for _ in 0..steps {
            shadowed.step();
            compared.add(&shadowed);
        }
        println!("{name}: {compared:?}");
        all.manifolds += compared.manifolds;
        all.depths_off += compared.depths_off;
        all.normals_off += compared.normals_off;
        all.same_counts = [0, 1].map(|k| all.same_counts[k] + compared.same_counts[k]);
    }
    println!("{all:?}");
    let few = |off: usize, of: usize| 100 * off <= of;
    assert!(all.manifolds > 500, "{all:?}");
    assert!(few(all.depths_off, all.manifolds) && few(all.normals_off, all.manifolds), "{all:?}");
    assert!(few(all.same_counts[1] - all.same_counts[0], all.same_counts[1]), "{all:?}");
}
