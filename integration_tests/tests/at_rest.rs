//! A world in which nothing moves keeps its answers: the same, to the last bit, as those of a world that
//! asks in every step.

use impinge::prelude::*;
use impinge::{Pair, StepReport};
use impinge_oracle::solids::{block, ring, shape};

/// A world, and a lone ball far from everything.
struct Case {
    world: World,
    bodies: Vec<ColliderId>,
    lone: ColliderId,
    shapes: Vec<ShapeId>,
}

fn at(k: u32) -> Isometry3<f64> {
    let k = f64::from(k);
    Isometry3::new(Vector3::new(0.1 * k, 0.03 * k, 0.37 * k), Vector3::new(0.2 * k, 0.1, 0.3 * k))
}

impl Case {
    fn new() -> Case {
        let mut world = World::builder().backend(Backend::Cpu).threads(2).build().unwrap();
        let solids =
            [shape(block([0.4, 0.3, 0.2])), shape(ring(0.2, 0.5, 0.2, 16)), Shape::sphere(0.3).unwrap()];
        let shapes: Vec<ShapeId> = solids.into_iter().map(|s| world.add_shape(s).unwrap()).collect();
        let bodies = (0..9)
            .map(|k| world.add_collider(Collider::new(shapes[k as usize % 3]).pose(at(k))).unwrap())
            .collect();
        let far = Isometry3::translation(50.0, 0.0, 0.0);
        let lone = world.add_collider(Collider::new(shapes[2]).pose(far)).unwrap();
        Case { world, bodies, lone, shapes }
    }

    fn step(&mut self) -> (StepReport, Vec<Manifold>, Vec<Pair>) {
        let report = self.world.step();
        (report, self.world.manifolds().to_vec(), self.world.pairs().to_vec())
    }
}

#[test]
fn a_world_at_rest_says_what_one_that_asks_says() {
    let (mut rests, mut asks) = (Case::new(), Case::new());
    let mut touched = 0;
    for step in 0..20u32 {
        for case in [&mut rests, &mut asks] {
            match step {
                4 => case.world.set_pose(case.bodies[4], at(5) * Isometry3::rotation(Vector3::x())).unwrap(),
                8 => case.world.remove_collider(case.bodies[2]).unwrap(),
                12 => {
                    let body = Collider::new(case.shapes[1]).pose(at(2));
                    case.bodies[2] = case.world.add_collider(body).unwrap();
                }
                16 => case.world.set_groups(case.bodies[3], 1, 0).unwrap(),
                _ => {}
            }
        }
        let away = Isometry3::translation(50.0 + 0.01 * f64::from(step), 0.0, 0.0);
        asks.world.set_pose(asks.lone, away).unwrap();
        let ((a, manifolds, pairs), (b, asked, found)) = (rests.step(), asks.step());
        assert_eq!((&manifolds, &pairs), (&asked, &found), "step {step}");
        assert_eq!(a.counts.moved + u64::from(step > 0), b.counts.moved, "step {step}");
        let mut same = b.counts;
        same.moved = a.counts.moved;
        assert_eq!(a.counts, same, "step {step}");
        assert_eq!(a.counts.kept_pairs == a.counts.pairs, ![0, 4, 12].contains(&step), "step {step}");
        touched += a.counts.touching;
    }
    assert!(touched > 100, "{touched}");
}
