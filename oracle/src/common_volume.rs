//! The volume that two closed meshes share, in numbers of twice the usual length.
//!
//! A closed surface is the sum of the signed tetrahedra from one point to each of its triangles, so that the
//! volume shared, every place counted as often as both surfaces wind round it, is the sum over all pairs of them. Each is
//! cut by the four planes of the other. Numbers are unevaluated sums of two `f64` (Dekker, "A Floating-Point Technique for Extending
//! the Available Precision", 1971): what cancels out leaves more digits than the answer has.

use std::ops::{Add, Mul, Sub};

use impinge_geometry::{PairFrame, Side, TriMesh};
use nalgebra::Point3;

/// The volume that two closed meshes share where they stand (m³): ∫ w_A w_B, of surfaces that do not pass through
/// themselves the volume of the intersection. To about 1e-28 of the products of their volumes' parts.
pub fn common_volume(meshes: [&TriMesh; 2], frame: &PairFrame) -> f64 {
    let [a, b] = Side::BOTH.map(|side| tetrahedra(meshes[side.index()], frame, side));
    let mut sum = Double::from(0.0);
    let mut pieces = Vec::new();
    for one in &a {
        for other in b.iter().filter(|other| one.meets(other)) {
            let part = shared(one, other, &mut pieces);
            sum = if one.positive == other.positive { sum + part } else { sum - part };
        }
    }
    sum.high * (1.0 / 6.0)
}

/// The volume of a closed mesh where it stands (m³).
pub fn volume(mesh: &TriMesh, frame: &PairFrame, side: Side) -> f64 {
    let mut sum = Double::from(0.0);
    for one in tetrahedra(mesh, frame, side) {
        let part = six_volumes(&one.corners);
        sum = if one.positive { sum + part } else { sum - part };
    }
    sum.high * (1.0 / 6.0)
}

/// A sum of two numbers of which the second is below the first's last digit.
#[derive(Clone, Copy, Debug)]
struct Double {
    high: f64,
    low: f64,
}

impl From<f64> for Double {
    fn from(high: f64) -> Double {
        Double { high, low: 0.0 }
    }
}

/// The sum of two numbers and what rounding took of it.
fn sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let other = high - a;
    Double { high, low: (a - (high - other)) + (b - other) }
}

/// The product of two numbers and what rounding took of it.
fn product(a: f64, b: f64) -> Double {
    let split = |x: f64| {
        let scaled = 134_217_729.0 * x;
        let high = scaled - (scaled - x);
        (high, x - high)
    };
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    let high = a * b;
    Double { high, low: ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2 }
}

impl Double {
    fn tidy(high: f64, low: f64) -> Double {
        let whole = high + low;
        Double { high: whole, low: low - (whole - high) }
    }

    fn over(self, other: Double) -> Double {
        let first = Double::from(self.high / other.high);
        let rest = self - first * other;
        let second = Double::from(rest.high / other.high);
        let last = (rest - second * other).high / other.high;
        first + second + Double::from(last)
    }
}

impl Add for Double {
    type Output = Double;

    fn add(self, other: Double) -> Double {
        let (s, t) = (sum(self.high, other.high), sum(self.low, other.low));
        let s = Double::tidy(s.high, s.low + t.high);
        Double::tidy(s.high, s.low + t.low)
    }
}

impl Sub for Double {
    type Output = Double;

    fn sub(self, other: Double) -> Double {
        self + Double { high: -other.high, low: -other.low }
    }
}

impl Mul for Double {
    type Output = Double;

    fn mul(self, other: Double) -> Double {
        let p = product(self.high, other.high);
        Double::tidy(p.high, p.low + (self.high * other.low + self.low * other.high))
    }
}

type Place = [Double; 3];

/// A tetrahedron with its box; its corners are in the order that gives it a positive volume.
struct Tetrahedron {
    corners: [Place; 4],
    low: [f64; 3],
    high: [f64; 3],
    /// Whether that is the order of its triangle.
    positive: bool,
}

impl Tetrahedron {
    fn meets(&self, other: &Tetrahedron) -> bool {
        (0..3).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }
}

fn tetrahedra(mesh: &TriMesh, frame: &PairFrame, side: Side) -> Vec<Tetrahedron> {
    let place = |v: &Point3<f32>| frame.place(side, v);
    let aabb = mesh.aabb();
    let apex = place(&nalgebra::center(&Point3::from(aabb.min), &Point3::from(aabb.max)));
    let of = |triangle: u32| {
        let [a, b, c] = mesh.corners(triangle).map(|v| place(&v));
        let points = [apex, a, b, c];
        let mut corners = points.map(|p| [p.x, p.y, p.z].map(Double::from));
        let signed = six_volumes(&corners).high;
        if signed < 0.0 {
            corners.swap(2, 3);
        }
        let fold = |start: f64, f: fn(f64, f64) -> f64| {
            [0, 1, 2].map(|k: usize| points.iter().fold(start, |m, p| f(m, p[k])))
        };
        let (low, high) = (fold(f64::INFINITY, f64::min), fold(f64::NEG_INFINITY, f64::max));
        (signed != 0.0).then_some(Tetrahedron { corners, low, high, positive: signed > 0.0 })
    };
    (0..mesh.triangles().len() as u32).filter_map(of).collect()
}

fn minus(p: &Place, q: &Place) -> Place {
    [0, 1, 2].map(|k| p[k] - q[k])
}

fn determinant(u: &Place, v: &Place, w: &Place) -> Double {
    let cross = |i: usize, j: usize| v[i] * w[j] - v[j] * w[i];
    u[0] * cross(1, 2) + u[1] * cross(2, 0) + u[2] * cross(0, 1)
}

fn six_volumes([a, b, c, d]: &[Place; 4]) -> Double {
    determinant(&minus(b, a), &minus(c, a), &minus(d, a))
}

/// Six times the volume that two tetrahedra share.
fn shared(one: &Tetrahedron, other: &Tetrahedron, pieces: &mut Vec<[Place; 4]>) -> Double {
    pieces.clear();
    pieces.push(one.corners);
    let [a, b, c, d] = &other.corners;
    // Seen from the corner that is left out, each face is in the same sense.
    for [p, q, r, inside] in [[b, c, d, a], [a, d, c, b], [a, b, d, c], [a, c, b, d]] {
        let (u, v) = (minus(q, p), minus(r, p));
        let side = |x: &Place| determinant(&u, &v, &minus(x, p));
        let sign = if side(inside).high > 0.0 { 1.0 } else { -1.0 };
        for piece in std::mem::take(pieces) {
            let sides = [0, 1, 2, 3].map(|k| side(&piece[k]) * Double::from(sign));
            cut(&piece, &sides, pieces);
        }
    }
    let magnitude = |sum: Double, piece: &[Place; 4]| {
        let part = six_volumes(piece);
        if part.high < 0.0 { sum - part } else { sum + part }
    };
    pieces.iter().fold(Double::from(0.0), magnitude)
}

/// Adds what of a tetrahedron is above a plane.
fn cut(piece: &[Place; 4], sides: &[Double; 4], out: &mut Vec<[Place; 4]>) {
    let (mut above, mut below) = (Vec::with_capacity(4), Vec::with_capacity(4));
    for (k, side) in sides.iter().enumerate() {
        if side.high > 0.0 { above.push(k) } else { below.push(k) }
    }
    let between = |i: usize, j: usize| {
        let t = sides[i].over(sides[i] - sides[j]);
        [0, 1, 2].map(|k| piece[i][k] + (piece[j][k] - piece[i][k]) * t)
    };
    let mut prism = |[a, b, c]: [Place; 3], [d, e, f]: [Place; 3]| {
        out.extend([[a, b, c, d], [b, c, d, e], [c, d, e, f]]);
    };
    match (&above[..], &below[..]) {
        ([_, _, _, _], _) => out.push(*piece),
        (&[p], &[q, r, s]) => out.push([piece[p], between(p, q), between(p, r), between(p, s)]),
        (&[p, q], &[r, s]) => {
            prism([piece[p], between(p, r), between(p, s)], [piece[q], between(q, r), between(q, s)]);
        }
        (&[p, q, r], &[s]) => {
            prism([piece[p], piece[q], piece[r]], [between(p, s), between(q, s), between(r, s)]);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solids::{block, hollow_block, pin};
    use nalgebra::{Isometry3, UnitQuaternion};

    fn shares(a: &TriMesh, b: &TriMesh, pose: Isometry3<f64>) -> f64 {
        common_volume([a, b], &PairFrame::new(&Isometry3::identity(), &pose))
    }

    #[test]
    fn boxes_share_a_box() {
        let (one, half) = (block([1.0; 3]), block([0.5; 3]));
        assert_eq!(shares(&one, &one, Isometry3::translation(1.0, 0.5, 0.25)), 1.0 * 1.5 * 1.75);
        assert_eq!(shares(&one, &one, Isometry3::identity()), 8.0);
        assert_eq!(shares(&one, &half, Isometry3::translation(0.25, 0.0, 0.0)), 1.0);
        assert_eq!(shares(&one, &half, Isometry3::translation(1.0, 0.0, 0.0)), 0.5);
        assert_eq!(shares(&one, &half, Isometry3::translation(3.0, 0.0, 0.0)), 0.0);
        // Inside the cavity, half of it in the wall, and around all of it.
        let hollow = hollow_block([1.0; 3], [0.75; 3]);
        assert!(shares(&hollow, &half, Isometry3::identity()).abs() < 1e-25);
        assert_eq!(shares(&hollow, &half, Isometry3::translation(0.5, 0.0, 0.0)), 0.25);
        assert_eq!(shares(&hollow, &block([2.0; 3]), Isometry3::identity()), 8.0 - 3.375);
    }

    #[test]
    fn all_of_a_turned_body_is_shared_with_what_holds_it() {
        let (outside, inside) = (block([4.0; 3]), pin(0.5, 1.0, 12));
        for turn in 0..8 {
            let turn = UnitQuaternion::from_euler_angles(0.3 * f64::from(turn), 0.7, -0.2);
            let pose = Isometry3::from_parts(nalgebra::Translation3::new(0.3, -0.2, 0.1), turn);
            let frame = PairFrame::new(&Isometry3::identity(), &pose);
            let (all, own) = (common_volume([&outside, &inside], &frame), volume(&inside, &frame, Side::B));
            assert!((all / own - 1.0).abs() < 1e-15, "{all} {own}");
        }
    }
}
