//! Bodies that shallow contacts on opposite sides hold: no shift meets what these ask for, and a short one parts them.

use impinge::geometry::{Cutout, Primitive};
use impinge::prelude::*;
use impinge_oracle::solids::{block, slot};
use impinge_oracle::{Search, least_translation};
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};

/// Height of the slot's rim (m).
const RIM: f64 = 0.6;
/// Half the block's height (m).
const HALF: f64 = 0.15;

/// The slot, and a block 2 mm too wide for it on either side.
fn shapes() -> [Shape; 2] {
    [slot(0.2, RIM as f32, 0.4), block([0.202, HALF as f32, HALF as f32])].map(Shape::from)
}

/// Where the block is when it has been pushed so far into the slot (m).
fn pushed_in(depth: f64) -> Isometry3<f64> {
    Isometry3::translation(0.0, 0.0, RIM + HALF - depth)
}

/// Where the block is three seconds after it was pushed in so far (m).
fn later(depth: f64) -> Isometry3<f64> {
    let world = World::builder().backend(Backend::Cpu).build().unwrap();
    let mut sim = Simulator::new(world, SimulatorSettings::default()).unwrap();
    let [slot, block] = shapes().map(|of| sim.world_mut().add_shape(of).unwrap());
    sim.add_body(BodyDesc::fixed(slot)).unwrap();
    let block = sim.add_body(BodyDesc::new(block).pose(pushed_in(depth))).unwrap();
    for _ in 0..180 {
        sim.step(1.0 / 60.0).unwrap();
    }
    *sim.body(block).unwrap().pose()
}

/// The least translation that parts the block at a pose from the slot (m), by brute force.
fn least(pose: &Isometry3<f64>) -> f64 {
    let [slot, block] = shapes();
    let query = PairQuery::new(&slot, &block, QuerySettings::default()).unwrap();
    let is_free = |shift: &Vector3<f64>| {
        let moved = Translation3::from(*shift) * pose;
        query.touching(&Isometry3::identity(), &moved).map(|touching| !touching)
    };
    least_translation(&[Vector3::z(), Vector3::x()], 1.0, &Search::default(), is_free).unwrap().distance
}

#[test]
fn a_question_without_a_past_answers_with_the_contacts_on_both_sides() {
    let [slot, block] = shapes();
    let query = PairQuery::new(&slot, &block, QuerySettings::default()).unwrap();
    let found = query.at(&Isometry3::identity(), &pushed_in(0.02)).unwrap().manifolds;
    assert!(found.len() == 2 && found.iter().all(|m| (m.depth - 2e-3).abs() < 5e-5), "{found:?}");
    assert!(found[0].normal.dot(&found[1].normal) < -0.95, "{found:?}");
}

#[test]
fn a_block_in_the_mouth_of_a_slot_comes_out_of_it() {
    let radius = f64::from(shapes()[1].bounding_sphere().radius);
    assert!(least(&pushed_in(0.02)) > 0.06 * radius);
    let left = least(&later(0.02));
    assert!(left < 0.01 * radius, "{left} m deep");
}

/// What is held deeper than a tenth of its radius is interlocked, and stays.
#[test]
fn a_block_deep_in_a_slot_stays_there() {
    let depth = RIM + HALF - later(0.2).translation.z;
    assert!((0.199..0.21).contains(&depth), "{depth} m in the slot");
}

/// A world parts them after twenty steps of being clamped, not before, whichever of them is called A.
#[test]
fn a_world_parts_them_after_twenty_steps() {
    for turned in [false, true] {
        let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
        let [slot, block] = shapes();
        let ([one, other], mut poses) = ([&slot, &block], [Isometry3::identity(), pushed_in(0.02)]);
        let mut order = [0, 1];
        if turned {
            order.swap(0, 1);
        }
        let ids = order.map(|k| {
            let shape = world.add_shape([one, other][k].clone()).unwrap();
            world.add_collider(Collider::new(shape).pose(poses[k])).unwrap()
        });
        for step in 0..24 {
            // What does not move is not asked again.
            poses[1].translation.x = 1e-9 * f64::from(step % 2);
            world.set_pose(ids[order[1]], poses[1]).unwrap();
            world.step();
            let found = world.manifolds();
            if step < 20 {
                assert_eq!(found.len(), 2, "step {step}: {found:?}");
                continue;
            }
            let [only] = found else { panic!("step {step}: {found:?}") };
            assert!((0.01..=0.0201).contains(&only.depth), "step {step}: {only:?}");
            // Normals point from A to B.
            let away = only.normal * (1.001 * only.depth) * if turned { -1.0 } else { 1.0 };
            let query = PairQuery::new(&slot, &block, QuerySettings::default()).unwrap();
            assert!(
                !query.touching(&poses[0], &(Translation3::from(away) * poses[1])).unwrap(),
                "step {step}: {only:?}"
            );
        }
    }
}

/// A capsule that has fallen askew into a blind hole, into its floor and its wall: along the hole's axis it comes out late, along its own not at all; in
/// between it does soon. Oracle: exact touching, step by step along directions near the hole's axis.
#[test]
fn a_peg_askew_in_its_hole_comes_free_between_their_axes() {
    let drill = Primitive::Cylinder { half_height: 0.4, radius: 0.3 };
    let drill = Cutout::new(drill).unwrap().open(2, true).unwrap();
    let whole = Shape::cuboid([1.25, 0.5, 0.5]).unwrap();
    let block = whole.cut(&[(Isometry3::translation(0.8, 0.0, 0.1), drill)]).unwrap();
    let peg = Shape::capsule(0.3, 0.27).unwrap();
    let [block, peg] = [&block, &peg].map(PreparedShape::new);
    let stands = Isometry3::translation(0.0, 0.0, 0.5);
    for (tilt, beside, height) in [(0.149, 0.0026, 0.709), (0.12, 0.004, 0.72), (-0.17, -0.003, 0.7)] {
        let turn = UnitQuaternion::from_euler_angles(0.004, -tilt, 0.02);
        let fallen = Isometry3::from_parts(Translation3::new(0.8 + beside, 0.0074, height), turn);
        let query = PairQuery::between(&block, &peg);
        let is_free = |way: Vector3<f64>| {
            let there = Isometry3::from(Translation3::from(way)) * fallen;
            !query.touching(&stands, &there).unwrap()
        };
        let mut least = f64::INFINITY;
        for code in 0..33 * 5 {
            let (x, y) = (f64::from(code % 33 - 16), f64::from(code / 33 - 2));
            let direction = Vector3::new(0.0125 * x, 0.01 * y, 1.0).normalize();
            let lengths = (1..).map(|step| 0.004 * f64::from(step)).take_while(|length| *length < least);
            least = lengths.into_iter().find(|length| is_free(direction * *length)).unwrap_or(least);
        }
        for swapped in [false, true] {
            let found = match swapped {
                false => query.contacts(&stands, &fallen).unwrap(),
                true => PairQuery::between(&peg, &block).contacts(&fallen, &stands).unwrap(),
            };
            let [manifold] = &found[..] else { panic!("{} manifolds", found.len()) };
            let away = if swapped { -manifold.normal } else { manifold.normal };
            assert!(manifold.depth < 1.15 * least, "tilt {tilt}: {} m, where {least} m do", manifold.depth);
            assert!(
                is_free(away * (1.0 + 1e-6) * manifold.depth),
                "tilt {tilt}: {} m do not",
                manifold.depth
            );
        }
    }
}
