//! Which pairs of triangles of two leaves may be in the way beyond a shift? In `f32`, with a bound that never lies.
//!
//! Corners are taken beside an origin near A's leaf, B's where the shift has brought them, and scaled by a power of
//! two so that none exceeds 1. Any axis bounds the interval of shifts from outside, *whatever* the axis is: so the axes
//! (both normals, the products of the edges) are used as they come out in `f32`, and only what is measured along them may
//! err. With `u = 2⁻²⁴` and an axis of L1 norm `n`, a coordinate that was rounded once is off by `u`, its product with
//! the axis by `4u n` in all, on either side, and the speed along the axis by `5u n`, times the range; `16u n (1 + range)`
//! is added to the reach. Quotients err by `3u` of the range at a speed of `n` at most, which the same sum covers. What is not a
//! number cuts nothing off.
//!
//! The rows that a tree keeps of its leaves are turned in `f32`: with `e` the largest number of B's rows, `√3 e + |c|` at most
//! 1 for an offset `c`, a coordinate of B is off by `√3 e u` for its row, as much for the entries of the rotation, `3√3 e u` for
//! their products and sums, and `u` each for `c` and its sum: under `7u` where one that was rounded once has `u`. So `24u` takes
//! the place of `16u` there.

use impinge_geometry::simd::{self, F32Lanes, F32x8, Kernel, Simd};
use impinge_geometry::{PairFrame, SimdLevel, volume::round_up};
use impinge_midphase::obb_tree::{LEAF_TRIANGLES, LeafRows};
use nalgebra::{Matrix3, Point3, Vector3};

/// `16u`, for corners that were rounded once.
const ERROR: f32 = 16.0 / 16_777_216.0;

/// `24u`, for rows that were turned.
const ERROR_OF_ROWS: f32 = 24.0 / 16_777_216.0;

/// No axis is followed more slowly than this part of its length.
const STILL: f32 = 1e-20;

/// The corners of two leaves beside an origin, scaled.
struct Rows {
    /// Triangle, corner, axis.
    a: [[[f32; 3]; 3]; LEAF_TRIANGLES],
    /// Corner, axis, triangle.
    b: [[[f32; LEAF_TRIANGLES]; 3]; 3],
    /// How many triangles there are of each.
    count: [usize; 2],
}

/// The corners of a triangle (m).
type Corners = [Point3<f64>; 3];

/// A translation of B: it begins at a shift (m) along a unit direction, and goes on by `range` (m).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage<'d> {
    pub direction: &'d Vector3<f64>,
    pub shift: f64,
    pub range: f64,
    /// By how much corners of both triangles together may be off (m).
    pub growth: f64,
}

/// What is left of the pairs of triangles of two leaves: bit `4i + j` for triangle `i` of A's and `j` of B's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Open {
    /// Those that may be in the way beyond the shift.
    pub pairs: u32,
    /// Those of them that are certain not to be before a later shift,
    pub later: u32,
    /// and how far beyond the first they are not, any of them (m).
    pub next: f64,
}

/// The pairs of triangles of two leaves that may meet on a passage, or be in the way of B beyond its shift: bit `4i + j` for
/// triangle `i` of A's and `j` of B's. Of a pair that begins beyond the passage's range nothing is known.
pub(crate) fn open([a, b]: [&[Corners]; 2], passage: &Passage<'_>, level: SimdLevel) -> u32 {
    let &Passage { direction, shift, range, growth } = passage;
    let Some(first) = a.first() else { return 0 };
    let origin = first[0];
    let moved = direction * shift;
    let mut largest = 0.0f64;
    let mut grow = |v: Vector3<f64>| largest = largest.max(v.amax());
    a.iter().flatten().for_each(|p| grow(p - origin));
    b.iter().flatten().for_each(|p| grow(p + moved - origin));
    let scale = below_one(largest);
    let local = |p: &Point3<f64>, by: &Vector3<f64>| ((p - origin + by) * scale).map(|x| x as f32);
    let mut rows = Rows {
        a: [[[0.0; 3]; 3]; LEAF_TRIANGLES],
        b: [[[0.0; LEAF_TRIANGLES]; 3]; 3],
        count: [a.len(), b.len()],
    };
    for (to, own) in rows.a.iter_mut().zip(a) {
        *to = own.each_ref().map(|p| local(p, &Vector3::zeros()).into());
    }
    for (triangle, own) in b.iter().enumerate().take(LEAF_TRIANGLES) {
        for (to, p) in rows.b.iter_mut().zip(own) {
            let at = local(p, &moved);
            (to[0][triangle], to[1][triangle], to[2][triangle]) = (at.x, at.y, at.z);
        }
    }
    let (range, growth) = (round_up(range * scale), round_up(growth * scale));
    let direction: [f32; 3] = direction.map(|x| x as f32).into();
    let error = ERROR * (1.0 + range) + growth;
    simd::run(level, Pass { leaves: &rows, direction, error, range, after: f32::INFINITY }).pairs
}

/// How B stands in A's own frame, and moves there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Apart {
    rotation: Matrix3<f64>,
    /// (m)
    offset: Vector3<f64>,
    /// Unit.
    direction: Vector3<f64>,
    /// The rotation's entries, row by row.
    entries: [[f32; 3]; 3],
}

impl Apart {
    /// As B stands in a pair frame and moves along `direction` (unit, pair frame).
    pub fn new(frame: &PairFrame, direction: &Vector3<f64>) -> Apart {
        let own = frame.rotation[0].transpose();
        let rotation = own * frame.rotation[1];
        let offset = own * (frame.offset[1] - frame.offset[0]);
        let entries = [0, 1, 2].map(|i| [0, 1, 2].map(|j| rotation[(i, j)] as f32));
        Apart { rotation, offset, direction: own * direction, entries }
    }
}

/// As [`open`] for two leaves as their trees keep them, from a shift of B on by `range` (m). Those that begin farther than `after` (m)
/// beyond that shift are told apart.
pub(crate) fn open_rows(
    [a, b]: [&LeafRows<'_>; 2],
    apart: &Apart,
    ([shift, range], after): ([f64; 2], f64),
    level: SimdLevel,
) -> Open {
    let [of_a, of_b] = [a, b].map(|rows| Vector3::from(rows.origin.map(f64::from)));
    let away = apart.rotation * of_b + apart.offset + apart.direction * shift - of_a;
    let reach = SQRT_3_UP * f64::from(b.extent) + away.amax();
    let scale = below_one(reach.max(f64::from(a.extent)));
    let leaves = LeafPair {
        corners: [a.corners(), b.corners()],
        count: [a.count(), b.count()],
        rotation: &apart.entries,
        away: (away * scale).map(|x| x as f32).into(),
        scale: scale.min(f64::from(f32::MAX)) as f32,
    };
    let (range, after) = (round_up(range * scale), round_up(after * scale));
    let direction: [f32; 3] = apart.direction.map(|x| x as f32).into();
    let error = ERROR_OF_ROWS * (1.0 + range);
    let found = simd::run(level, Pass { leaves: &leaves, direction, error, range, after });
    // A power of two takes nothing off a number.
    Open { pairs: found.pairs, later: found.later, next: f64::from(found.next) / scale }
}

/// No less than √3.
const SQRT_3_UP: f64 = 1.7321;

/// The triangles of two leaves, four of B's in each half of eight lanes and one of A's in all of a half.
trait Leaves {
    fn count(&self) -> [usize; 2];
    /// Corner, axis: triangles `first` and `first + 1` of A's.
    fn two_of_a<V: F32x8>(&self, first: usize) -> [Row3<V>; 3];
    /// Corner, axis.
    fn of_b<V: F32x8>(&self) -> [Row3<V>; 3];
}

impl Leaves for Rows {
    #[inline(always)]
    fn count(&self) -> [usize; 2] {
        self.count
    }

    #[inline(always)]
    fn two_of_a<V: F32x8>(&self, first: usize) -> [Row3<V>; 3] {
        let [p, q] = [&self.a[first], &self.a[first + 1]];
        let mut a = [[V::splat(0.0); 3]; 3];
        for corner in 0..3 {
            for axis in 0..3 {
                a[corner][axis] = V::halves(p[corner][axis], q[corner][axis]);
            }
        }
        a
    }

    #[inline(always)]
    fn of_b<V: F32x8>(&self) -> [Row3<V>; 3] {
        let mut b = [[V::splat(0.0); 3]; 3];
        for (corner, rows) in b.iter_mut().zip(&self.b) {
            for (axis, four) in corner.iter_mut().zip(rows) {
                *axis = V::repeat(four);
            }
        }
        b
    }
}

/// Two leaves as their trees keep them.
struct LeafPair<'l> {
    /// Corner, axis, triangle (m).
    corners: [[[&'l [f32; LEAF_TRIANGLES]; 3]; 3]; 2],
    count: [usize; 2],
    rotation: &'l [[f32; 3]; 3],
    /// B's origin beside A's, scaled.
    away: [f32; 3],
    scale: f32,
}

impl Leaves for LeafPair<'_> {
    #[inline(always)]
    fn count(&self) -> [usize; 2] {
        self.count
    }

    #[inline(always)]
    fn two_of_a<V: F32x8>(&self, first: usize) -> [Row3<V>; 3] {
        let scale = V::splat(self.scale);
        let mut a = [[V::splat(0.0); 3]; 3];
        for (corner, rows) in a.iter_mut().zip(&self.corners[0]) {
            for (axis, row) in corner.iter_mut().zip(rows) {
                *axis = V::spread(row, first).mul(scale);
            }
        }
        a
    }

    #[inline(always)]
    fn of_b<V: F32x8>(&self) -> [Row3<V>; 3] {
        let scale = V::splat(self.scale);
        let mut b = [[V::splat(0.0); 3]; 3];
        for (corner, rows) in b.iter_mut().zip(&self.corners[1]) {
            let own =
                [V::repeat(rows[0]).mul(scale), V::repeat(rows[1]).mul(scale), V::repeat(rows[2]).mul(scale)];
            for ((axis, row), away) in corner.iter_mut().zip(self.rotation).zip(self.away) {
                let row = [V::splat(row[0]), V::splat(row[1]), V::splat(row[2])];
                *axis = dot(&row, &own).add(V::splat(away));
            }
        }
        b
    }
}

/// A power of two that brings numbers up to `largest` to at most 1.
fn below_one(largest: f64) -> f64 {
    let exponent = (largest.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    f64::from_bits(((1022 - exponent.clamp(-900, 900)) as u64) << 52)
}

struct Pass<'a, L> {
    leaves: &'a L,
    direction: [f32; 3],
    /// What is added to a reach, per L1 norm of the axis.
    error: f32,
    range: f32,
    /// What begins beyond this is told apart.
    after: f32,
}

/// [`Open`] in `f32`, scaled.
struct Found {
    pairs: u32,
    later: u32,
    next: f32,
}

type Row3<V> = [V; 3];

#[inline(always)]
fn dot<V: F32Lanes>(x: &Row3<V>, y: &Row3<V>) -> V {
    x[0].mul(y[0]).add(x[1].mul(y[1])).add(x[2].mul(y[2]))
}

#[inline(always)]
fn sub<V: F32Lanes>(x: &Row3<V>, y: &Row3<V>) -> Row3<V> {
    [x[0].sub(y[0]), x[1].sub(y[1]), x[2].sub(y[2])]
}

#[inline(always)]
fn cross<V: F32Lanes>(x: &Row3<V>, y: &Row3<V>) -> Row3<V> {
    [
        x[1].mul(y[2]).sub(x[2].mul(y[1])),
        x[2].mul(y[0]).sub(x[0].mul(y[2])),
        x[0].mul(y[1]).sub(x[1].mul(y[0])),
    ]
}

/// The shifts at which nothing that was looked at parts the triangles.
struct Cut<'c, V> {
    a: &'c [Row3<V>; 3],
    b: &'c [Row3<V>; 3],
    direction: &'c Row3<V>,
    /// What is added to a reach, per L1 norm of the axis.
    error: V,
    begin: V,
    end: V,
}

impl<V: F32Lanes> Cut<'_, V> {
    /// Keeps of the shifts those at which an axis does not part the triangles.
    #[inline(always)]
    fn cut(&mut self, axis: &Row3<V>) {
        let of_a = [dot(axis, &self.a[0]), dot(axis, &self.a[1]), dot(axis, &self.a[2])];
        let of_b = [dot(axis, &self.b[0]), dot(axis, &self.b[1]), dot(axis, &self.b[2])];
        let length = axis[0].abs().add(axis[1].abs()).add(axis[2].abs());
        let pad = length.mul(self.error);
        let low = of_a[0].min(of_a[1]).min(of_a[2]).sub(of_b[0].max(of_b[1]).max(of_b[2])).sub(pad);
        let high = of_a[0].max(of_a[1]).max(of_a[2]).sub(of_b[0].min(of_b[1]).min(of_b[2])).add(pad);
        // Along the motion the first comes before the second; against it they change places.
        let speed = dot(axis, self.direction);
        let slowness = V::splat(1.0).div(speed.abs().max(length.mul(V::splat(STILL))));
        let zero = V::splat(0.0);
        let first = speed.select_by_sign(zero.sub(high), low);
        let second = speed.select_by_sign(zero.sub(low), high);
        self.begin = first.mul(slowness).max(self.begin);
        self.end = second.mul(slowness).min(self.end);
    }
}

impl<L: Leaves> Kernel for Pass<'_, L> {
    type Output = Found;

    /// Plain loops without closures, so that all of it is compiled with the level's instructions.
    #[inline(always)]
    fn run<S: Simd>(self) -> Found {
        let zero = S::F32x8::splat(0.0);
        let [count_a, count_b] = self.leaves.count();
        let direction = [
            S::F32x8::splat(self.direction[0]),
            S::F32x8::splat(self.direction[1]),
            S::F32x8::splat(self.direction[2]),
        ];
        let b = self.leaves.of_b::<S::F32x8>();
        let of_b = [sub(&b[1], &b[0]), sub(&b[2], &b[1]), sub(&b[0], &b[2])];
        let normal_b = cross(&of_b[0], &of_b[1]);
        let after = S::F32x8::splat(self.after);
        let mut found = Found { pairs: 0, later: 0, next: f32::INFINITY };
        let mut first = 0;
        while first < count_a {
            let a = self.leaves.two_of_a::<S::F32x8>(first);
            let there = ((1 << count_b) - 1) * if first + 1 < count_a { 0x11 } else { 0x01 };
            let of_a = [sub(&a[1], &a[0]), sub(&a[2], &a[1]), sub(&a[0], &a[2])];
            let mut left = Cut {
                a: &a,
                b: &b,
                direction: &direction,
                error: S::F32x8::splat(self.error),
                begin: zero,
                end: S::F32x8::splat(self.range),
            };
            left.cut(&cross(&of_a[0], &of_a[1]));
            left.cut(&normal_b);
            let mut open = left.begin.at_most(left.end).bits() & there;
            for u in &of_a {
                // Of what begins later it is enough to know a bound, if not the best there is.
                if open & !after.less(left.begin).bits() == 0 {
                    break;
                }
                for v in &of_b {
                    left.cut(&cross(u, v));
                }
                open = left.begin.at_most(left.end).bits() & there;
            }
            let later = after.less(left.begin).bits() & open;
            if later != 0 {
                let mut begins = [0.0; 8];
                left.begin.store(&mut begins);
                for (lane, begin) in begins.iter().enumerate() {
                    if later >> lane & 1 == 1 {
                        found.next = begin.min(found.next);
                    }
                }
            }
            found.pairs |= open << (LEAF_TRIANGLES * first);
            found.later |= later << (LEAF_TRIANGLES * first);
            first += 2;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use impinge_geometry::{Side, TriMesh};
    use impinge_midphase::ObbTree;
    use impinge_midphase::obb_tree::LeafRoom;
    use nalgebra::{Isometry3, Translation3, UnitQuaternion};

    use super::super::tests::{Numbers, interval};
    use super::*;

    /// Triangles of all sizes, some of them flat, that have nothing to do with each other.
    fn soup(numbers: &mut Numbers, scale: f64, triangles: usize) -> TriMesh {
        let mut vertices = Vec::new();
        for _ in 0..triangles {
            let (at, size) = (numbers.vector(), 10f64.powf(numbers.within(-3.0, 0.0)));
            for _ in 0..3 {
                let mut corner = at + numbers.vector() * size;
                if numbers.next() < 0.3 {
                    corner.z = at.z;
                }
                vertices.push(Point3::from((corner * scale).map(|x| x as f32)));
            }
        }
        let own = (0..triangles as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        TriMesh::new(vertices, own).unwrap()
    }

    #[test]
    fn rows_and_corners_leave_out_no_pair_that_may_be_in_the_way() {
        let (mut kept, mut later, mut of_all) = (0u32, 0u32, 0u32);
        for seed in 0..400 {
            let mut numbers = Numbers(seed);
            let scale = 10f64.powf(numbers.within(-3.0, 3.0));
            let meshes = [7, 5].map(|count| soup(&mut numbers, scale, count));
            let trees = meshes.each_ref().map(ObbTree::build);
            let mut pose = || {
                let turn = UnitQuaternion::from_scaled_axis(numbers.vector() * 3.0);
                Isometry3::from_parts(Translation3::from(numbers.vector() * 0.4 * scale), turn)
            };
            let frame = PairFrame::new(&pose(), &pose());
            let direction = numbers.vector().normalize();
            let shift = numbers.within(0.0, scale);
            let range = numbers.within(0.0, scale);
            let apart = Apart::new(&frame, &direction);
            let place = |side: Side, t: u32| meshes[side.index()].corners(t).map(|p| frame.place(side, &p));
            for a in 0..trees[0].leaf_count() as u32 {
                for b in 0..trees[1].leaf_count() as u32 {
                    let own = [&trees[0].leaf_triangles(a)[..], &trees[1].leaf_triangles(b)[..]];
                    let of_a: Vec<Corners> = own[0].iter().map(|&t| place(Side::A, t)).collect();
                    let of_b: Vec<Corners> = own[1].iter().map(|&t| place(Side::B, t)).collect();
                    let passage = Passage { direction: &direction, shift, range, growth: 0.0 };
                    let rooms = [&mut LeafRoom::default(), &mut LeafRoom::default()];
                    let [room_a, room_b] = rooms;
                    let rows = [&trees[0].leaf_rows(a, room_a), &trees[1].leaf_rows(b, room_b)];
                    let level = trees[0].simd();
                    let open = open([&of_a, &of_b], &passage, level);
                    let after = numbers.next() * range;
                    let found = open_rows(rows, &apart, ([shift, range], after), level);
                    let of_rows = found.pairs;
                    assert_eq!(found.later & !found.pairs, 0);
                    later += found.later.count_ones();
                    for (i, p) in of_a.iter().enumerate() {
                        for (j, q) in of_b.iter().enumerate() {
                            let bit = 1 << (LEAF_TRIANGLES * i + j);
                            of_all += 1;
                            kept += u32::from(of_rows & bit != 0);
                            let truth = interval(p, q, &direction);
                            let meets = truth.is_some_and(|[low, high]| high > shift && low < shift + range);
                            if meets {
                                assert!(open & bit != 0, "seed {seed}: corners of {a} {b}");
                                assert!(of_rows & bit != 0, "seed {seed}: rows of {a} {b}");
                            }
                            if let Some([low, _]) = truth.filter(|_| found.later & bit != 0 && meets) {
                                assert!(found.next > after, "seed {seed}: later of {a} {b}");
                                assert!(low >= shift + found.next, "seed {seed}: next of {a} {b}");
                            }
                        }
                    }
                }
            }
        }
        // Most are left out, or it would be no filter; and some of the others are told apart.
        assert!(kept < of_all / 4, "{kept} of {of_all}");
        assert!(later > kept / 8, "{later} of {kept}");
    }
}
