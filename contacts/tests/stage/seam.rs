//! A body across the seam of two floors.

use impinge_contacts::{ContactPoint, Impulse, Manifold, Seams, tangents};
use impinge_geometry::ColliderId;
use impinge_pair::PatchOrigin;
use nalgebra::{Point3, Vector3};

const fn id(index: u32) -> ColliderId {
    ColliderId { index, generation: 0 }
}

/// Two floors, their neighbour that moves, and the body that lies on them.
const LEFT: ColliderId = id(0);
const RIGHT: ColliderId = id(1);
const MOVING: ColliderId = id(5);
const BODY: ColliderId = id(3);
const DEPTH: f64 = 1e-3;

fn fixed(id: ColliderId) -> bool {
    id.index < 2
}

/// Where a body touches `floor`: points of the floor's surface at `places`, all of the same depth.
fn on(floor: ColliderId, normal: Vector3<f64>, area: f64, places: &[[f64; 3]]) -> Manifold {
    let normal = normal.normalize();
    let colliders = if floor < BODY { [floor, BODY] } else { [BODY, floor] };
    let outward = if floor < BODY { normal } else { -normal };
    let points: Vec<ContactPoint> = places
        .iter()
        .map(|&place| ContactPoint {
            position: Point3::from(place) - normal * (0.5 * DEPTH),
            local_a: Point3::origin(),
            local_b: Point3::origin(),
            depth: DEPTH,
            weight: area / places.len() as f64,
            tilt: Vector3::zeros(),
            key: 0,
            feature: 0,
            impulse: Impulse { normal: 2.0, tangent: [0.5, 0.0] },
        })
        .collect();
    Manifold {
        colliders,
        subshapes: [0, 0],
        normal: outward,
        depth: DEPTH,
        volume: 0.5 * DEPTH * area,
        area,
        force: outward * area,
        moment: Vector3::zeros(),
        centroid: Point3::from(places[0]),
        points,
        origin: PatchOrigin::OverlapIntervals,
        material: None,
        patch: None,
    }
}

/// The left floor takes most of the body and leans a little, the right one has a sliver and leans much: each
/// by the wall that the other one hides.
fn lying(right: ColliderId, height: f64, from: f64) -> [Manifold; 2] {
    let (wall, large, small) = (0.4 * DEPTH, 0.1, 1e-3);
    let left = [[-0.4, -0.1, 0.0], [-0.4, 0.1, 0.0], [0.0, 0.1, 0.0], [0.0, -0.1, 0.0]];
    let sliver = [[from, -0.1, height], [from, 0.1, height], [from + 2e-3, 0.1, height]];
    let a = Vector3::new(wall, 0.0, large);
    let b = Vector3::new(-wall, 0.0, small);
    [on(LEFT, a, a.norm(), &left), on(right, b, b.norm(), &sliver)]
}

fn welded(mut manifolds: Vec<Manifold>) -> (u64, Vec<Manifold>) {
    let turned = Seams::default().weld(&mut manifolds, fixed);
    (turned, manifolds)
}

#[test]
fn walls_in_a_seam_cancel() {
    let before = lying(RIGHT, 0.0, 1e-3);
    assert!(before[1].normal.x < -0.3, "the sliver should lean: {}", before[1].normal);
    let (turned, after) = welded(before.to_vec());
    assert_eq!(turned, 2);
    for (old, new) in before.iter().zip(&after) {
        assert!((new.normal - Vector3::z()).norm() < 1e-12, "{}", new.normal);
        let shorter = old.normal.dot(&new.normal);
        assert!((new.depth - old.depth * shorter).abs() < 1e-15);
        for (p, q) in old.points.iter().zip(&new.points) {
            assert!((q.depth - p.depth * shorter).abs() < 1e-15);
            assert_eq!(p.impulse.normal, q.impulse.normal);
            let friction = |n: &Vector3<f64>, i: &Impulse| {
                let [t, u] = tangents(n);
                t * i.tangent[0] + u * i.tangent[1]
            };
            let (was, is) = (friction(&old.normal, &p.impulse), friction(&new.normal, &q.impulse));
            assert!((was - new.normal * was.dot(&new.normal) - is).norm() < 1e-12);
        }
    }
}

/// A ball on two floors, one point in the middle of each region. The left region is a disc that
/// the seam cuts.
#[test]
fn balls_roll_over_seams() {
    let radius = 1e-2;
    let area = std::f64::consts::PI * radius * radius;
    let ball = |from: f64| {
        let left = on(LEFT, Vector3::z(), area, &[[-from, 0.0, 0.0]]);
        vec![left, on(RIGHT, Vector3::new(0.07, 0.0, 1.0), 1e-3 * area, &[[0.0, 0.0, 0.0]])]
    };
    let (turned, after) = welded(ball(0.95 * radius));
    assert_eq!(turned, 2);
    assert!(after[1].normal.x.abs() < 1e-4, "{}", after[1].normal);
    let before = ball(2.0 * radius);
    assert_eq!(welded(before.clone()), (0, before), "a region that ends before the seam");
}

/// The same floors, but: the right one is a kerb (a tenth of the depth higher), stands 30 cm away, or moves.
#[test]
fn a_kerb_a_gap_and_a_neighbour_that_moves_are_left_alone() {
    for (right, height, from) in [(RIGHT, 0.1 * DEPTH, 1e-3), (RIGHT, 0.0, 0.3), (MOVING, 0.0, 1e-3)] {
        let before = lying(right, height, from).to_vec();
        assert_eq!(welded(before.clone()), (0, before));
    }
}

/// A floor and a wall; a floor and a ramp of 20°, touched over a centimetre.
#[test]
fn walls_and_ramps_are_left_alone() {
    let floor = || lying(RIGHT, 0.0, 0.0)[0].clone();
    let wall = [[0.01, -0.1, 0.0], [0.01, 0.1, 0.0], [0.01, 0.1, 0.4], [0.01, -0.1, 0.4]];
    let (sin, cos) = 20f64.to_radians().sin_cos();
    let ramp = [0.0, 0.01].map(|s| [[s * cos, -0.1, s * sin], [s * cos, 0.1, s * sin]]).concat();
    for other in [
        on(RIGHT, Vector3::new(-1.0, 0.0, 0.01), 0.08, &wall),
        on(RIGHT, Vector3::new(-sin, 0.0, cos), 2e-3, &ramp),
    ] {
        let before = vec![floor(), other];
        assert_eq!(welded(before.clone()), (0, before));
    }
}

/// Which side the body is on in the pair does not matter, nor do other bodies in between.
#[test]
fn order_does_not_matter() {
    let (_, plain) = welded(lying(RIGHT, 0.0, 1e-3).to_vec());
    let turned = |m: &Manifold| Manifold {
        colliders: [m.colliders[1], m.colliders[0]],
        normal: -m.normal,
        force: -m.force,
        ..m.clone()
    };
    let [left, right] = lying(RIGHT, 0.0, 1e-3);
    let stranger = Manifold { colliders: [LEFT, id(4)], ..left.clone() };
    let (count, mixed) = welded(vec![turned(&right), stranger.clone(), left]);
    assert_eq!(count, 2);
    assert_eq!(mixed[1], stranger);
    assert!((mixed[0].normal + plain[1].normal).norm() < 1e-15);
    assert!((mixed[2].normal - plain[0].normal).norm() < 1e-15);
}
