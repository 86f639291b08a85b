//! Points keep their impulses from step to step.

use impinge_contacts::{
    ContactMemory, ContactScratch, ContactSettings, Impulse, Manifold, manifolds, tangents,
};
use nalgebra::{UnitQuaternion, Vector2, Vector3};

use crate::patches::{at_origin, frame, patch, result};

/// A manifold over a square of side 2 whose corners are named `keys` and shifted by `shift`.
fn square(normal: Vector3<f64>, keys: [u64; 4], shift: Vector2<f64>) -> Manifold {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let columns = corners.map(|(x, y)| (Vector2::new(x, y) + shift, 0.01));
    let mut patch = patch(normal, &columns, shift, 4.0);
    for (point, key) in patch.points.iter_mut().zip(keys) {
        point.key = key;
    }
    let mut out = Vec::new();
    manifolds(&result(vec![patch]), &at_origin(&frame()), &ContactSettings::default(), &mut out);
    out.remove(0)
}

/// The normal impulse of point k is k + 1.
fn solved(mut manifold: Manifold) -> Manifold {
    for (k, point) in manifold.points.iter_mut().enumerate() {
        point.impulse = Impulse { normal: k as f64 + 1.0, tangent: [0.5, -0.25] };
    }
    manifold
}

fn normals(manifold: &Manifold) -> Vec<f64> {
    manifold.points.iter().map(|p| p.impulse.normal).collect()
}

const KEYS: [u64; 4] = [10, 11, 12, 13];

#[test]
fn the_same_keys_get_their_impulses_back() {
    let mut memory = ContactMemory::default();
    memory.store(&[solved(square(Vector3::z(), KEYS, Vector2::zeros()))]);
    let mut now = [square(Vector3::z(), KEYS, Vector2::new(5.0, 0.0))];
    let counts = memory.match_points(&mut now, &mut ContactScratch::default());
    assert_eq!(normals(&now[0]), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!((counts.by_key, counts.by_place, counts.new, counts.gone), (4, 0, 0, 0));
}

#[test]
fn a_shuffled_order_still_finds_each_its_own() {
    let mut memory = ContactMemory::default();
    memory.store(&[solved(square(Vector3::z(), KEYS, Vector2::zeros()))]);
    let mut now = square(Vector3::z(), KEYS, Vector2::zeros());
    now.points.reverse();
    let mut now = [now];
    memory.match_points(&mut now, &mut ContactScratch::default());
    assert_eq!(normals(&now[0]), [4.0, 3.0, 2.0, 1.0]);
}

#[test]
fn new_keys_at_old_places_get_them_too() {
    let mut memory = ContactMemory::default();
    memory.store(&[solved(square(Vector3::z(), KEYS, Vector2::zeros()))]);
    let mut now = [square(Vector3::z(), [20, 21, 22, 23], Vector2::new(0.1, 0.05))];
    let counts = memory.match_points(&mut now, &mut ContactScratch::default());
    assert_eq!(normals(&now[0]), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!((counts.by_key, counts.by_place, counts.new, counts.gone), (0, 4, 0, 0));
}

#[test]
fn each_is_used_once_and_far_ones_start_cold() {
    let mut memory = ContactMemory::default();
    memory.store(&[solved(square(Vector3::z(), KEYS, Vector2::zeros()))]);
    // One step of the whole square's side to the right: the left corners stand where the right ones
    // were; the right corners are new.
    let mut now = [square(Vector3::z(), [20, 21, 22, 23], Vector2::new(2.0, 0.0))];
    let counts = memory.match_points(&mut now, &mut ContactScratch::default());
    assert_eq!(normals(&now[0]), [2.0, 0.0, 0.0, 3.0]);
    assert_eq!((counts.by_place, counts.new, counts.gone), (2, 2, 2));
}

#[test]
fn another_side_or_part_is_another_contact() {
    let old = solved(square(Vector3::z(), KEYS, Vector2::zeros()));
    let mut memory = ContactMemory::default();
    memory.store(std::slice::from_ref(&old));
    let mut turned = [square(-Vector3::z(), KEYS, Vector2::zeros())];
    assert_eq!(memory.match_points(&mut turned, &mut ContactScratch::default()).new, 4);
    memory.store(&[old]);
    let mut other = square(Vector3::z(), KEYS, Vector2::zeros());
    other.subshapes = [2, 4];
    let mut other = [other];
    assert_eq!(memory.match_points(&mut other, &mut ContactScratch::default()).new, 4);
    assert_eq!(normals(&other[0]), [0.0; 4]);
}

/// Where the tangents jump (the normal's z changes sign) friction still points the same way.
#[test]
fn friction_is_carried_as_a_vector_of_the_world() {
    let tilt = |angle: f64| UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle) * Vector3::x();
    let (before, after) = (tilt(-1e-6), tilt(1e-6));
    assert!((tangents(&before)[0] - tangents(&after)[0]).norm() > 0.1, "the tangents should jump here");
    let mut memory = ContactMemory::default();
    memory.store(&[solved(square(before, KEYS, Vector2::zeros()))]);
    let mut now = [square(after, KEYS, Vector2::zeros())];
    memory.match_points(&mut now, &mut ContactScratch::default());
    let world = |n: &Vector3<f64>, i: &Impulse| {
        let [t, u] = tangents(n);
        t * i.tangent[0] + u * i.tangent[1]
    };
    let expected = world(&before, &Impulse { normal: 0.0, tangent: [0.5, -0.25] });
    for point in &now[0].points {
        assert!((world(&after, &point.impulse) - expected).norm() < 1e-5);
    }
}

#[test]
fn a_carry_is_remembered_for_the_step_after() {
    let mut memory = ContactMemory::default();
    memory.store(&[solved(square(Vector3::z(), KEYS, Vector2::zeros()))]);
    memory.match_points(&mut [square(Vector3::z(), KEYS, Vector2::zeros())], &mut ContactScratch::default());
    let mut third = [square(Vector3::z(), KEYS, Vector2::zeros())];
    memory.match_points(&mut third, &mut ContactScratch::default());
    assert_eq!(normals(&third[0]), [1.0, 2.0, 3.0, 4.0]);
    memory.forget_impulses();
    let counts = memory.match_points(&mut third, &mut ContactScratch::default());
    assert_eq!((counts.by_key, normals(&third[0])), (4, vec![0.0; 4]));
    assert_eq!(memory.match_points(&mut [], &mut ContactScratch::default()).gone, 4);
}
