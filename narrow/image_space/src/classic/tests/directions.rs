//! Opposite layers against layers of one direction.

use impinge_scenes::fixtures::{box_mesh, torus};
use impinge_scenes::random::Random;
use nalgebra::Isometry3;

use super::super::*;
use super::placements::ExactPair;
use crate::ldi::LayeredDepthImage;

#[test]
fn volumes_are_those_of_one_direction() {
    let pair = ExactPair::new(torus(1.0, 0.4, 24, 16), box_mesh([0.5, 0.7, 0.6]));
    let (mut random, mut compared) = (Random::new(43), 0);
    for _ in 0..60 {
        let poses = pair.place(&mut random);
        let bodies = pair.bodies(&poses);
        let Some(layers) = opposite_layers(&bodies, 48).unwrap() else { continue };
        assert!(layers.enters_first());
        // In the first body's view, both bodies in full.
        let view = *layers.images[0].view();
        let [a, b] = bodies.map(|body| LayeredDepthImage::capture(body.mesh, body.pose, view).unwrap());
        let wanted = a.intersection_volume(&b).unwrap();
        let found = layers.intersection_volume().unwrap();
        assert!((found - wanted).abs() <= 2e-3 * wanted + 1e-4, "{found} {wanted}");
        compared += usize::from(wanted > 1e-3);
        // No other choice has fewer layers.
        for (axis, against) in (0..3).flat_map(|axis| [(axis, false), (axis, true)]) {
            let other = layers_along(&bodies, axis, against, 48).unwrap().unwrap();
            assert!(other.enters_first());
            let sum = |of: &OppositeLayers| of.layers[0] + of.layers[1];
            assert!(
                sum(&other) > sum(&layers)
                    || (sum(&other) == sum(&layers) && other.enlarged >= layers.enlarged)
            );
        }
    }
    assert!(compared > 15, "{compared}");
}

#[test]
fn the_direction_with_the_fewest_layers_is_taken() {
    // Along z a ring that lies in the plane has two layers, across it four.
    let (ring, post) = (torus(1.0, 0.2, 32, 12), box_mesh([1.3, 0.1, 0.1]));
    let (here, at) = (Isometry3::identity(), Isometry3::translation(0.0, 0.01, 0.02));
    let bodies = [ClassicBody::new(&ring, &here), ClassicBody::new(&post, &at)];
    let layers = opposite_layers(&bodies, 64).unwrap().unwrap();
    assert_eq!(layers.layers, [2, 2]);
    assert_ne!(layers.axis, 0);
    assert_eq!(layers_along(&bodies, 0, false, 64).unwrap().unwrap().layers, [4, 1]);
    assert!(matches!(layers_along(&bodies, 3, false, 8), Err(ClassicError::Value { .. })));
    let far = Isometry3::translation(9.0, 0.0, 0.0);
    assert_eq!(opposite_layers(&[bodies[0], ClassicBody::new(&post, &far)], 64).unwrap(), None);
}

#[test]
fn a_volume_whose_side_is_inside_a_body_is_enlarged() {
    let (large, small) = (box_mesh([1.0; 3]), box_mesh([0.2; 3]));
    let (here, inside) = (Isometry3::identity(), Isometry3::translation(0.1, 0.2, 0.3));
    let bodies = [ClassicBody::new(&large, &here), ClassicBody::new(&small, &inside)];
    let layers = opposite_layers(&bodies, 32).unwrap().unwrap();
    // From the small one's box to the large one's nearest side.
    assert!((layers.enlarged - 0.5).abs() < 1e-6, "{}", layers.enlarged);
    assert!(layers.enters_first());
    assert!((layers.intersection_volume().unwrap() / 0.064 - 1.0).abs() < 0.01);
    // Layers behind the volume are left out: the large box is entered, and left behind it.
    assert_eq!(layers.layers, [1, 2]);
}
