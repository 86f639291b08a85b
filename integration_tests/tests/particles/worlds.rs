//! Particles in a world: what steps find of them, keep and tell.

use impinge::geometry::Radii;
use impinge::prelude::*;
use impinge::query::ParticleQuery;
use impinge::{PointContact, PointRange};
use impinge_scenes::random::Random;

use crate::{cloud, samples};

/// A ball and a floor, powder between them that meets itself, and a sensor.
struct Yard {
    world: World,
    powder: ShapeId,
    colliders: [ColliderId; 4],
}

impl Yard {
    fn new(threads: usize) -> Yard {
        let mut world = World::builder().backend(Backend::Cpu).threads(threads).build().unwrap();
        let mut random = Random::new(12);
        let own = cloud(3000, Radii::One(0.04), &mut random);
        let powder = world.add_shape(own).unwrap();
        let torus = world
            .add_shape(samples().into_iter().find(|sample| sample.name == "torus").unwrap().shape)
            .unwrap();
        let floor = world.add_shape(Shape::half_space()).unwrap();
        let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
        let add = [
            Collider::new(floor).fixed(true).position([0.0, 0.0, -1.0]),
            Collider::new(torus).position([0.0, 0.0, 0.3]),
            Collider::new(powder).collides_with_itself(true),
            Collider::new(ball).sensor(true).position([0.5, 0.0, 0.0]),
        ];
        let colliders = add.map(|collider| world.add_collider(collider).unwrap());
        Yard { world, powder, colliders }
    }

    fn contacts(&self) -> Vec<(ColliderId, ColliderId, Vec<PointContact>)> {
        self.world
            .particle_contacts()
            .map(|pair| (pair.particles, pair.other, pair.contacts.to_vec()))
            .collect()
    }
}

#[test]
fn a_world_finds_what_queries_find_and_keeps_it() {
    let mut yard = Yard::new(2);
    let [floor, torus, powder, sensor] = yard.colliders;
    let report = yard.world.step();
    let first = yard.contacts();
    let sides: Vec<_> = first.iter().map(|(a, b, _)| (*a, *b)).collect();
    assert_eq!(sides, [(powder, floor), (powder, torus), (powder, powder)]);
    assert_eq!(report.counts.point_contacts, first.iter().map(|(_, _, all)| all.len() as u64).sum::<u64>());
    // Floor, torus and sensor touch it; the sensor and the torus touch, too.
    assert_eq!(report.counts.touching, 4);
    assert!(
        yard.world.contact_between(powder, sensor).unwrap().is_some_and(|contact| contact.touch.is_none())
    );
    assert!(yard.world.particle_contacts_between(sensor, powder).unwrap().is_none());
    let Shape::Particles(own) = yard.world.shape(yard.powder).unwrap().clone() else { panic!("particles") };
    let mut query = ParticleQuery::new(own.clone());
    let mut found = Vec::new();
    for (k, other) in [floor, torus].into_iter().enumerate() {
        let shape = yard.world.shape_of(other).unwrap();
        let shape = PreparedShape::new(yard.world.shape(shape).unwrap());
        let pose = yard.world.pose(other).unwrap();
        query.against(&Isometry3::identity(), &shape, &pose, &PointRange::default(), &mut found).unwrap();
        assert!(found.len() > 20, "{}", found.len());
        for (one, other) in found.iter().zip(&first[k].2) {
            assert_eq!(one, other);
        }
        assert_eq!(found.len(), first[k].2.len());
    }
    query.themselves(&Isometry3::identity(), &PointRange::default(), &mut found).unwrap();
    assert_eq!(found, first[2].2);

    // At rest everything is kept.
    let report = yard.world.step();
    assert_eq!((report.counts.kept_pairs, yard.contacts()), (report.counts.pairs, first.clone()));
    assert!(yard.world.events().is_empty());

    // What is refused changes nothing.
    let lost = [Point3::new(0.0, f32::NAN, 0.0)];
    assert!(yard.world.set_particles(yard.powder, 0, &lost).is_err());
    assert!(yard.world.set_particles(yard.powder, 3000, &lost[..1]).is_err());
    let other = yard.world.shape_of(torus).unwrap();
    assert!(yard.world.set_particles(other, 0, &[Point3::origin()]).is_err());
    yard.world.step();
    assert_eq!(yard.contacts(), first);

    // All of them leave.
    let away: Vec<Point3<f32>> = own.centers().iter().map(|p| p + Vector3::new(0.0, 0.0, 50.0)).collect();
    assert!((yard.world.set_particles(yard.powder, 0, &away).unwrap() - 50.0).abs() < 1e-4);
    yard.world.step();
    let left = yard.contacts();
    assert_eq!((left.len(), left[0].1), (1, powder));
    let ended = yard.world.events().iter().filter(|event| event.phase == ContactPhase::End).count();
    assert_eq!(ended, 3);
    yard.world.set_particles(yard.powder, 0, own.centers()).unwrap();
    yard.world.step();
    assert_eq!(yard.contacts(), first);
    yard.world.set_collides_with_itself(powder, false).unwrap();
    yard.world.step();
    assert_eq!(yard.contacts(), first[..2]);
    yard.world.remove_collider(powder).unwrap();
    assert_eq!(yard.world.step().counts.point_contacts, 0);
}

#[test]
fn a_step_with_particles_is_the_same_for_any_number_of_threads() {
    let all = [1, 2, 4].map(|threads| {
        let mut yard = Yard::new(threads);
        yard.world.step();
        yard.contacts()
    });
    assert!(all[0] == all[1] && all[1] == all[2]);
}
