//! The rule of coverage and depth word for word: slow, and with integers that have room for everything.

use super::{Corners, Grid};

/// A number of 384 bits, in two's complement, low words first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wide([u64; 6]);

impl Wide {
    fn from(x: i128) -> Wide {
        let fill = if x < 0 { u64::MAX } else { 0 };
        Wide([x as u64, (x >> 64) as u64, fill, fill, fill, fill])
    }

    fn plus(self, other: Wide) -> Wide {
        let (mut sum, mut carry) = ([0; 6], 0u128);
        for (k, word) in sum.iter_mut().enumerate() {
            let s = u128::from(self.0[k]) + u128::from(other.0[k]) + carry;
            (*word, carry) = (s as u64, s >> 64);
        }
        Wide(sum)
    }

    fn times(self, other: Wide) -> Wide {
        let mut product = [0u64; 6];
        for i in 0..6 {
            let mut carry = 0u128;
            for j in 0..6 - i {
                let p = u128::from(self.0[i]) * u128::from(other.0[j]) + u128::from(product[i + j]) + carry;
                (product[i + j], carry) = (p as u64, p >> 64);
            }
        }
        Wide(product)
    }

    fn sign(self) -> i32 {
        if self.0[5] >> 63 == 1 { -1 } else { i32::from(self.0 != [0; 6]) }
    }
}

fn product(a: i128, b: i128) -> Wide {
    Wide::from(a).times(Wide::from(b))
}

/// The cross product of b − a and p − a.
fn cross(a: [i64; 2], b: [i64; 2], p: [i64; 2]) -> Wide {
    let d = |q: [i64; 2], k: usize| i128::from(q[k]) - i128::from(a[k]);
    product(d(b, 0), d(p, 1)).plus(product(-d(b, 1), d(p, 0)))
}

/// On which side of the line from a to b the point p is, +1 or −1, once it is shifted by (+ε, −ε²); 0 where a and b
/// are one point.
fn side(a: [i64; 2], b: [i64; 2], p: [i64; 2]) -> i32 {
    // The cross product changes by −ε (b − a)_y and then by −ε² (b − a)_x.
    match (cross(a, b, p).sign(), (b[1] - a[1]).signum(), (b[0] - a[0]).signum()) {
        (0, 0, dx) => -dx as i32,
        (0, dy, _) => -dy as i32,
        (sign, _, _) => sign,
    }
}

/// Pixel, depth and face of all crossings, pixel by pixel.
pub(super) fn crossings(grid: &Grid, corners: &Corners) -> Vec<(usize, i64, bool)> {
    let Corners { x, y, z } = corners;
    let at = |k: usize| [x[k], y[k]];
    let area = cross(at(0), at(1), at(2));
    let mut out = Vec::new();
    if area.sign() == 0 || z.iter().all(|&z| z > grid.far) {
        return out;
    }
    for j in 0..grid.pixels[1] {
        for i in 0..grid.pixels[0] {
            let p = [i, j].map(|n| i64::from(n) << grid.sub_bits);
            let sides = [side(at(0), at(1), p), side(at(1), at(2), p), side(at(2), at(0), p)];
            if sides.iter().all(|&s| s == area.sign()) {
                let depth = depth(corners, p, area);
                out.push(((j * grid.pixels[0] + i) as usize, depth, area.sign() < 0));
            }
        }
    }
    out
}

/// The nearest whole number to the depth of the plane at p, halves up, by bisection.
fn depth(Corners { x, y, z }: &Corners, p: [i64; 2], area: Wide) -> i64 {
    let at = |k: usize| [x[k], y[k]];
    let weights = [cross(at(1), at(2), p), cross(at(2), at(0), p), cross(at(0), at(1), p)];
    // The depth is at least t − 1/2 where Σ w (2 z − 2 t + 1) has the sign of the area, or is zero.
    let reaches = |t: i64| {
        let term = |k: usize| weights[k].times(Wide::from(2 * (i128::from(z[k]) - i128::from(t)) + 1));
        term(0).plus(term(1)).plus(term(2)).sign() * area.sign() >= 0
    };
    let (mut low, mut high) = (z[0].min(z[1]).min(z[2]), z[0].max(z[1]).max(z[2]) + 1);
    assert!(reaches(low) && !reaches(high));
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if reaches(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
