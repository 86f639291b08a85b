//! The geometry that is judged: where the two bodies of a pair stand, fixed once.
//!
//! Positions are taken relative to the point halfway between the two bodies' origins, so that
//! they depend neither on the world's origin nor on the order of the bodies: with
//! `h = ½ (t_B − t_A)`, A's points stand at `R_A·x − h` and B's at `R_B·x + h`. Every operation is
//! a plain `f64` multiplication or addition in a fixed order (nothing fused), so the same poses
//! give the same points to the last bit, and exact predicates on those points are exact
//! statements. Exchanging A and B, scaling by a power of two, and shifting both poses by an exactly
//! representable amount leave the points unchanged (up to that power of two).

use nalgebra::{Isometry3, Matrix3, Point3, Quaternion, UnitQuaternion, Vector3};

use crate::{FARTHEST, PoseError};

/// One of the two bodies of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Side {
    /// The body with the lower id.
    A = 0,
    /// The body with the higher id.
    B = 1,
}

impl Side {
    /// Both sides, A first.
    pub const BOTH: [Side; 2] = [Side::A, Side::B];

    /// The other side.
    #[inline]
    pub fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }

    /// 0 for A, 1 for B.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }
}

/// The frame of a pair: axes parallel to the world's, origin halfway between the bodies' origins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairFrame {
    /// Rotation of A and of B, from the normalised quaternion.
    pub rotation: [Matrix3<f64>; 2],
    /// Where the origin of A and of B stands in the pair frame (m): −h and +h.
    pub offset: [Vector3<f64>; 2],
    /// Where the pair frame's origin stands in the world (m), for reports; nothing is judged by it.
    pub origin: Point3<f64>,
    /// Axes halfway between the bodies' axes, by the shorter way (columns): what samples a pair may lie along
    /// them and so turn with it. Nothing is judged by them.
    pub middle: Matrix3<f64>,
}

impl PairFrame {
    /// The frame of bodies that stand at `a` and `b` (world, m).
    pub fn new(a: &Isometry3<f64>, b: &Isometry3<f64>) -> PairFrame {
        let (offset, origin) = halves(a.translation.vector, b.translation.vector);
        PairFrame {
            rotation: [rotation(&a.rotation), rotation(&b.rotation)],
            offset,
            origin,
            middle: halfway(&a.rotation, &b.rotation),
        }
    }

    /// The frame of a body that stands at `a` and a point `b` (world, m), which is B's origin.
    pub fn with_point(a: &Isometry3<f64>, b: &Point3<f64>) -> PairFrame {
        let (offset, origin) = halves(a.translation.vector, b.coords);
        let rotation = [rotation(&a.rotation), Matrix3::identity()];
        PairFrame { rotation, offset, origin, middle: Matrix3::identity() }
    }

    /// The canonical position of a point `x` (m, in the frame of `side`).
    #[inline]
    pub fn place(&self, side: Side, x: &Point3<f32>) -> Point3<f64> {
        self.place_f64(side, &x.cast::<f64>())
    }

    /// As [`PairFrame::place`], for a point that is `f64` already.
    #[inline]
    pub fn place_f64(&self, side: Side, x: &Point3<f64>) -> Point3<f64> {
        let (r, t) = (&self.rotation[side.index()], &self.offset[side.index()]);
        let row = |i: usize| (r[(i, 0)] * x.x + r[(i, 1)] * x.y + r[(i, 2)] * x.z) + t[i];
        Point3::new(row(0), row(1), row(2))
    }

    /// A point of the pair frame in the frame of `side` (m).
    #[inline]
    pub fn to_local(&self, side: Side, p: &Point3<f64>) -> Point3<f64> {
        let k = side.index();
        Point3::from(self.rotation[k].tr_mul(&(p.coords - self.offset[k])))
    }

    /// A direction of the pair frame (= the world's) in the frame of `side`.
    #[inline]
    pub fn direction_to_local(&self, side: Side, d: &Vector3<f64>) -> Vector3<f64> {
        self.rotation[side.index()].tr_mul(d)
    }

    /// A point of the pair frame in the world (m).
    #[inline]
    pub fn to_world(&self, p: &Point3<f64>) -> Point3<f64> {
        self.origin + p.coords
    }

    /// The same pair seen with A and B exchanged.
    pub fn swapped(&self) -> PairFrame {
        PairFrame {
            rotation: [self.rotation[1], self.rotation[0]],
            offset: [self.offset[1], self.offset[0]],
            origin: self.origin,
            middle: self.middle,
        }
    }
}

/// Where two bodies stand beside the point halfway between them, and that point.
fn halves(a: Vector3<f64>, b: Vector3<f64>) -> ([Vector3<f64>; 2], Point3<f64>) {
    let half = ((b - a) * 0.5).map(|x| without_traces(x, LEAST_OFFSET));
    ([-half, half], Point3::from(a + half))
}

/// The rotation halfway between two; of rotations that are half a turn apart either one.
fn halfway(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>) -> Matrix3<f64> {
    let [a, b] = [a, b].map(|q| UnitQuaternion::new_normalize(q.into_inner()).into_inner());
    let sum: Quaternion<f64> = if a.coords.dot(&b.coords) < 0.0 { a - b } else { a + b };
    rotation(&UnitQuaternion::new_unchecked(sum))
}

/// The rotation matrix of a quaternion after normalising it in `f64`.
pub(crate) fn rotation(q: &UnitQuaternion<f64>) -> Matrix3<f64> {
    let matrix = UnitQuaternion::new_normalize(q.into_inner()).to_rotation_matrix().into_inner();
    matrix.map(|x| without_traces(x, LEAST_TURN))
}

/// Entries of a rotation below 2⁻¹⁵⁶ (1.1e-47) are zero: the greatest coordinate there is moves less by them than
/// any that are not zero can differ. All others are multiples of 2⁻²⁰⁹, an `f32` is one of 2⁻¹⁴⁹: their products
/// are multiples of 2⁻³⁵⁸.
const LEAST_TURN: f64 = power_of_two(-156);

/// Half distances of bodies below 2⁻³⁰⁵ (1.5e-92 m) are zero; all others are multiples of 2⁻³⁵⁸.
const LEAST_OFFSET: f64 = power_of_two(-305);

const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Zero for a number of magnitude below `least`. Canonical coordinates are multiples of 2⁻³⁵⁸ for it: signs of
/// products of three of their differences neither underflow nor lose a bit.
fn without_traces(x: f64, least: f64) -> f64 {
    if x.abs() < least { 0.0 } else { x }
}

/// Checks that a pose can be used: finite translation and rotation, a translation within [`FARTHEST`], and
/// a quaternion that is not zero (its length is normalised away).
///
/// # Errors
/// [`PoseError`] names the component that is not finite or too far, or says that the quaternion is zero.
pub fn checked_pose(pose: &Isometry3<f64>) -> Result<Isometry3<f64>, PoseError> {
    for (i, value) in pose.translation.vector.iter().enumerate() {
        if !value.is_finite() {
            return Err(PoseError::NotFinite { component: ["x", "y", "z"][i], value: *value });
        }
        if value.abs() > FARTHEST {
            return Err(PoseError::TooFar { component: ["x", "y", "z"][i], value: *value });
        }
    }
    let q = pose.rotation.quaternion();
    for (value, component) in q.coords.iter().zip(["qx", "qy", "qz", "qw"]) {
        if !value.is_finite() {
            return Err(PoseError::NotFinite { component, value: *value });
        }
    }
    let norm = q.norm();
    if !(norm > 1e-150 && norm.is_finite()) {
        return Err(PoseError::ZeroQuaternion { norm });
    }
    Ok(Isometry3::from_parts(pose.translation, UnitQuaternion::new_normalize(*q)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Translation3;

    fn poses() -> (Isometry3<f64>, Isometry3<f64>) {
        let q = UnitQuaternion::from_euler_angles(0.3, -1.1, 2.0);
        (
            Isometry3::from_parts(Translation3::new(0.25, 1.5, -3.0), q),
            Isometry3::from_parts(Translation3::new(-2.125, 0.75, 8.0), q.inverse()),
        )
    }

    #[test]
    fn exchanging_the_bodies_gives_the_same_points() {
        let (a, b) = poses();
        let (ab, ba) = (PairFrame::new(&a, &b), PairFrame::new(&b, &a));
        let x = Point3::new(0.1f32, -0.7, 0.3);
        assert_eq!(ab.place(Side::A, &x), ba.place(Side::B, &x));
        assert_eq!(ab.place(Side::B, &x), ba.place(Side::A, &x));
    }

    #[test]
    fn an_exact_shift_of_the_scene_changes_nothing_that_is_judged() {
        let (a, b) = poses();
        let shift = Translation3::new(8192.0, -4096.0, 1024.0);
        let (near, far) = (PairFrame::new(&a, &b), PairFrame::new(&(shift * a), &(shift * b)));
        assert_eq!(near.rotation, far.rotation);
        assert_eq!(near.offset, far.offset);
    }

    #[test]
    fn the_middle_turns_with_the_scene() {
        let (a, b) = poses();
        let turn = UnitQuaternion::from_euler_angles(1.0, 0.4, -2.5);
        let (one, other) = (PairFrame::new(&a, &b), PairFrame::new(&(turn * a), &(turn * b)));
        assert!((turn.to_rotation_matrix() * one.middle - other.middle).norm() < 1e-14);
        let mut negated = b;
        negated.rotation = UnitQuaternion::new_unchecked(-b.rotation.into_inner());
        assert!((PairFrame::new(&a, &negated).middle - one.middle).norm() < 1e-14);
        assert_eq!(PairFrame::new(&b, &a).middle, one.middle);
    }

    #[test]
    fn canonical_coordinates_are_in_the_range_of_the_predicates() {
        // Turns and shifts of every size, subnormal ones among them, of the least and the greatest coordinates.
        let grain = power_of_two(-358);
        let powers = || (0..220).map(|k| 10f64.powf(-323.0 + 1.6 * f64::from(k)).min(1e30));
        for (shift, turn) in powers().zip(powers().skip(40).map(|x| x.min(1.0))) {
            let pose = Isometry3::from_parts(
                Translation3::new(shift, -0.7 * shift, 0.3 * shift),
                UnitQuaternion::new_normalize(Quaternion::new(1.0, turn, -0.6 * turn, 0.8 * turn)),
            );
            let frame = PairFrame::new(&Isometry3::identity(), &pose);
            for x in [f32::from_bits(1), 3e-45, 1e-39, 1e-20, 1.0, 1e30] {
                for local in
                    [Point3::new(x, 0.0, 0.0), Point3::new(x, -x, 0.7 * x), Point3::new(0.0, 1e-45, x)]
                {
                    for side in Side::BOTH {
                        for c in frame.place(side, &local).iter() {
                            assert!(
                                (c / grain).fract() == 0.0 && c.abs() <= 1e31,
                                "{c:e} of {x:e} {shift:e} {turn:e}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn poses_that_are_not_numbers_are_named() {
        let mut pose = Isometry3::identity();
        pose.translation.vector.y = f64::NAN;
        assert!(matches!(checked_pose(&pose), Err(PoseError::NotFinite { component: "y", .. })));
        let zero = UnitQuaternion::new_unchecked(Quaternion::new(0.0, 0.0, 0.0, 0.0));
        let pose = Isometry3::from_parts(Translation3::identity(), zero);
        assert!(matches!(checked_pose(&pose), Err(PoseError::ZeroQuaternion { .. })));
    }
}
