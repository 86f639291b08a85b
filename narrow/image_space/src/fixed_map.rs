//! From a mesh to a view's lattice in integers alone, so that a device without doubles places every vertex where the
//! CPU does.
//!
//! A mesh's vertices are rounded once to whole quanta, a power of two for each axis such that 30 bits hold the
//! mesh's box: exactly, where a coordinate is larger than a 64th of the largest, else to half a quantum. A view has
//! for each side a place of origin in that lattice and three rows of 30-bit integers with a shift each. With the
//! origin inside the view, what rounding the rows costs grows with the distance from the view, and is nothing where
//! it matters.
//!
//! `f32` would not do: whether products and sums are fused is left to the device.

use impinge_geometry::{FacesRef, PairFrame, Side};
use nalgebra::Point3;

use crate::coverage::{FourCorners, LANES, Place, nearest};
use crate::snap::Snap;
use crate::view::{DEPTH_STEPS, View};

/// Bits of a quantised coordinate, the sign not counted.
const BITS: i32 = 29;

/// Every `f32` is a multiple of 2 to this.
const FINEST: i32 = -149;

/// A view whose box is thinner than this many quanta has no map: its vertices would be too coarse.
const THINNEST: f64 = 64.0;

/// The quanta of a mesh: a power of two for each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quanta {
    exponents: [i32; 3],
}

impl Quanta {
    /// The finest in which 30 bits hold every coordinate of the mesh.
    pub fn of<'f>(mesh: impl Into<FacesRef<'f>>) -> Quanta {
        let bounds = mesh.into().aabb();
        Quanta { exponents: [0, 1, 2].map(|k| exponent(bounds.min[k].abs().max(bounds.max[k].abs()))) }
    }

    /// Of each axis, the power of two.
    pub fn exponents(&self) -> [i32; 3] {
        self.exponents
    }

    /// The nearest whole quanta to a vertex, ties to even.
    #[inline]
    pub fn quantize(&self, v: &Point3<f32>) -> [i32; 3] {
        let scale = self.scale();
        [0, 1, 2].map(|k| nearest(f64::from(v[k]) * scale[k]) as i32)
    }

    /// Quanta to the metre.
    fn scale(&self) -> [f64; 3] {
        self.exponents.map(|e| power(-e))
    }
}

/// The least exponent, from [`FINEST`] on, with which [`BITS`] bits hold a length.
fn exponent(length: f32) -> i32 {
    let bits = f64::from(length).to_bits();
    let whole = (bits >> 52) as i32 - 1023;
    let above = i32::from(bits << 12 != 0);
    (whole + above - BITS).max(FINEST)
}

/// 2 to the power of a number that `f64` has a normal number for.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// From one side's quanta to a view's lattice: `(Σ rows · (q − origin) + start) >> shift` for each axis: sub-pixels
/// from the centre of the first pixel to the right and up, and steps of depth.
///
/// Rows are at most 2³⁰ in size, origins 2²⁹ and starts 2⁶², and shifts are from 1 to 61, so that sums stay within
/// 64 bits whatever the vertex. A start holds where the origin is, and half a unit, so that the shift rounds to the
/// nearest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FixedMap {
    /// Quanta.
    pub origin: [i32; 3],
    /// Right, up, depth.
    pub rows: [[i32; 3]; 3],
    /// See above.
    pub start: [i64; 3],
    /// See above.
    pub shift: [u32; 3],
}

impl FixedMap {
    /// The map of one side of a pair into a view; `None` where the view's box is thinner than 64 quanta.
    pub fn new(view: &View, frame: &PairFrame, side: Side, quanta: &Quanta) -> Option<FixedMap> {
        let exact = Snap::new(view, frame, side);
        let (scale, quantum) = (quanta.scale(), quanta.exponents.map(power));
        let middle = frame.to_local(side, &view.middle());
        let most = f64::from(1 << BITS);
        let origin = [0, 1, 2].map(|k| nearest((middle[k] * scale[k]).clamp(-most, most)));
        let at = exact.at([0, 1, 2].map(|k| origin[k] * quantum[k]));
        let units = [
            f64::from(view.count[0]) * view.sub_pixels(),
            f64::from(view.count[1]) * view.sub_pixels(),
            DEPTH_STEPS,
        ];
        let mut map = FixedMap { origin: origin.map(|q| q as i32), ..FixedMap::default() };
        for k in 0..3 {
            // Units of the lattice to the quantum.
            let row: [f64; 3] = std::array::from_fn(|j| exact.rows[k][j] * quantum[j]);
            let largest = row.iter().fold(0.0f64, |most, r| most.max(r.abs()));
            let to_quantum = row.iter().map(|r| r.abs()).sum::<f64>();
            if to_quantum.is_nan() || to_quantum * THINNEST > units[k] {
                return None;
            }
            let shift = (30 - above(largest)).min(61 - above(at[k].abs())).min(61);
            if shift < 1 {
                return None;
            }
            map.shift[k] = shift as u32;
            map.rows[k] = row.map(|r| (r * power(shift)).round_ties_even() as i32);
            map.start[k] = (at[k] * power(shift)).round_ties_even() as i64 + (1 << (shift - 1));
        }
        Some(map)
    }

    /// Where a vertex is, given in quanta (at most 2²⁹ in size).
    #[inline]
    pub fn place(&self, q: [i32; 3]) -> [i64; 3] {
        let d = [0, 1, 2].map(|j| i64::from(q[j]) - i64::from(self.origin[j]));
        [0, 1, 2].map(|k| {
            let r = self.rows[k].map(i64::from);
            (r[0] * d[0] + r[1] * d[1] + r[2] * d[2] + self.start[k]) >> self.shift[k]
        })
    }
}

/// The least exponent whose power of two is no less than `x`; far below zero of what is next to nothing.
fn above(x: f64) -> i32 {
    let bits = x.to_bits();
    (bits >> 52) as i32 - 1023 + i32::from(bits << 12 != 0)
}

/// Places the vertices of a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedPlace<'a> {
    pub map: &'a FixedMap,
    pub quanta: &'a Quanta,
}

impl Place for FixedPlace<'_> {
    #[inline(always)]
    fn four(&self, vertices: &FourCorners) -> FourCorners {
        let FixedPlace { map, quanta } = self;
        let scale = quanta.scale();
        let mut placed = [[[0.0; LANES]; 3]; 3];
        for i in 0..3 {
            let mut d = [[0i64; LANES]; 3];
            for j in 0..3 {
                for lane in 0..LANES {
                    let q = nearest(vertices[i][j][lane] * scale[j]) as i32;
                    d[j][lane] = i64::from(q) - i64::from(map.origin[j]);
                }
            }
            for (k, placed) in placed[i].iter_mut().enumerate() {
                let [a, b, c] = map.rows[k].map(i64::from);
                for lane in 0..LANES {
                    let sum = a * d[0][lane] + b * d[1][lane] + c * d[2][lane] + map.start[k];
                    // Where `f64` has no room for it, it is rounded far outside of everything that a view sees.
                    placed[lane] = (sum >> map.shift[k]) as f64;
                }
            }
        }
        placed
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
    use proptest::prelude::*;

    use super::*;
    use crate::view::{Axes, Extent};
    use impinge_scenes::fixtures::torus;

    #[test]
    fn quanta_are_the_finest_that_thirty_bits_hold() {
        for (length, wanted) in [(1.0, -29), (1.5, -28), (0.0, FINEST), (1e-45, FINEST), (f32::MAX, 128 - 29)]
        {
            assert_eq!(exponent(length), wanted, "{length}");
        }
        let quanta = Quanta { exponents: [-29, 99, FINEST] };
        assert_eq!(
            quanta.quantize(&Point3::new(-1.0, f32::MAX, 1e-45)),
            [-(1 << 29), (1 << 29) - (1 << 5), 1]
        );
        // Ties to even.
        let quanta = Quanta { exponents: [1; 3] };
        assert_eq!(quanta.quantize(&Point3::new(1.0, 3.0, -5.0)), [0, 2, -2]);
    }

    #[test]
    fn a_view_of_a_few_quanta_has_no_map() {
        let mesh = torus(1.0, 0.25, 8, 6);
        let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::identity());
        let axes = Axes::along(&Vector3::z());
        let quanta = Quanta::of(&mesh);
        let thick = |half: f64| {
            let extent = Extent { min: [-half; 3], max: [half; 3] };
            FixedMap::new(&View::of_extent(&axes, &extent, 16, 1e-30), &frame, Side::A, &quanta).is_some()
        };
        // A quantum is 2⁻²⁸ m.
        assert!(thick(1.0) && thick(1e-6) && thick(1.3e-7) && !thick(1.1e-7) && !thick(1e-12));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// Where the map places a vertex is where `f64` does, to within what the quanta and the rows are off by; and
        /// all numbers keep within their bounds.
        #[test]
        fn vertices_are_placed_to_within_half_a_quantum_and_half_a_unit(
            v in prop::array::uniform3(-1.0f32..1.0),
            reach in 0.01f32..1000.0,
            direction in prop::array::uniform3(-1.0f64..1.0),
            turn in prop::array::uniform3(-3.0f64..3.0),
            shift in prop::array::uniform3(-10.0f64..10.0),
            size in 1e-4f64..10.0,
            far in prop::bool::ANY,
        ) {
            prop_assume!(Vector3::from(direction).norm() > 0.1);
            let v = Point3::from(v) * reach;
            let quanta = Quanta { exponents: [exponent(reach); 3] };
            let pose = Isometry3::from_parts(
                Translation3::from(Vector3::from(shift)),
                UnitQuaternion::from_scaled_axis(Vector3::from(turn)),
            );
            let frame = PairFrame::new(&Isometry3::identity(), &pose);
            let axes = Axes::along(&Vector3::from(direction).normalize());
            // Around the vertex, or around the mesh's origin.
            let about = if far { Point3::origin() } else { v };
            let c = axes.coordinates(&frame.place(Side::B, &about).coords);
            let extent = Extent { min: c.map(|x| x - size), max: c.map(|x| x + size) };
            let view = View::of_extent(&axes, &extent, 16, 1e-12);
            let Some(map) = FixedMap::new(&view, &frame, Side::B, &quanta) else {
                prop_assert!(size < 1e-3 * f64::from(reach));
                return Ok(());
            };
            let exact = Snap::new(&view, &frame, Side::B);
            let (wanted, placed) = (exact.place(&v), map.place(quanta.quantize(&v)));
            let quantum = power(quanta.exponents[0]);
            for k in 0..3 {
                prop_assert!(map.rows[k].iter().all(|r| r.unsigned_abs() <= 1 << 30));
                prop_assert!(map.start[k].unsigned_abs() <= 1 << 62 && (1..=61).contains(&map.shift[k]));
                let across: f64 = exact.rows[k].iter().map(|r| 0.5 * r.abs() * quantum).sum();
                let away: f64 = (0..3)
                    .map(|j| (f64::from(v[j]) / quantum - f64::from(map.origin[j])).abs() + 1.0)
                    .sum();
                let rows = 0.5 * away / power(map.shift[k] as i32);
                let off = (placed[k] as f64 - wanted[k]).abs();
                prop_assert!(off <= 0.51 + across + rows + 1e-9 * wanted[k].abs(), "{k}: off by {off}");
            }
            // Four at once come to the same.
            let corners = [[f64::from(v.x); LANES], [f64::from(v.y); LANES], [f64::from(v.z); LANES]];
            let four = FixedPlace { map: &map, quanta: &quanta }.four(&[corners; 3]);
            for k in 0..3 {
                prop_assert_eq!(four[2][k][3], placed[k] as f64);
            }
        }
    }
}
