//! Tangents of a contact.

use nalgebra::Vector3;

/// Two unit tangents that make a right-handed frame with a unit `normal`: `t₀ × t₁ = n`. They depend
/// on the normal alone, and continuously so but where its z changes sign (no choice is continuous
/// everywhere). Source: Duff et al. 2017, "Building an Orthonormal Basis, Revisited".
#[inline]
pub fn tangents(normal: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let (x, y, z) = (normal.x, normal.y, normal.z);
    let sign = if z < 0.0 { -1.0 } else { 1.0 };
    let a = -1.0 / (sign + z);
    let b = x * y * a;
    [Vector3::new(1.0 + sign * x * x * a, sign * b, -sign * x), Vector3::new(b, sign + y * y * a, -y)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_make_a_right_handed_frame(x in -1.0..1.0f64, y in -1.0..1.0f64, z in -1.0..1.0f64) {
            let v = Vector3::new(x, y, z);
            prop_assume!(v.norm() > 1e-3);
            let n = v.normalize();
            let [t, u] = tangents(&n);
            for (value, expected) in [(t.norm(), 1.0), (u.norm(), 1.0), (t.dot(&n), 0.0), (u.dot(&n), 0.0),
                (t.dot(&u), 0.0), (t.cross(&u).dot(&n), 1.0)] {
                prop_assert!((value - expected).abs() < 1e-12, "{} against {}", value, expected);
            }
        }
    }

    #[test]
    fn the_poles_have_frames_too() {
        for n in [Vector3::z(), -Vector3::z(), Vector3::new(0.0, 1.0, -0.0)] {
            let [t, u] = tangents(&n);
            assert!((t.cross(&u) - n).norm() < 1e-15);
        }
    }
}
