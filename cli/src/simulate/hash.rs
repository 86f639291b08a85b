//! A hash of poses that tells whether two runs ended in the same place to the last bit.

use nalgebra::Isometry3;

/// FNV-1a over the bits of position and rotation, in the order of the bodies.
///
/// Source: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm", 1991.
pub fn of_poses<'a>(poses: impl IntoIterator<Item = &'a Isometry3<f64>>) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for pose in poses {
        let (t, q) = (&pose.translation.vector, pose.rotation.quaternion());
        for value in [t.x, t.y, t.z, q.w, q.i, q.j, q.k] {
            for byte in value.to_bits().to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bit_counts_and_nothing_gives_the_published_basis() {
        assert_eq!(of_poses([]), "cbf29ce484222325");
        let pose = Isometry3::translation(1.0, 2.0, 3.0);
        let mut near = pose;
        near.translation.vector.y = 2.0f64.next_up();
        assert_ne!(of_poses([&pose]), of_poses([&near]));
    }
}
