//! Eight pairs of triangles at once, in `f32`: how far apart are they at least?
//!
//! The nearest points of edges with edges and of corners with faces are looked for without much care;
//! the line through them then only serves as an axis. How far the axis separates the triangles is a lower
//! bound of their distance *whatever* the axis is, so nothing depends on how well the points were found:
//! badly found ones give a weak bound, and the pair is measured in `f64`.
//!
//! Rounding: coordinates are taken from the first corner of A's leaf and scaled by a power of two so that
//! none exceeds 1. With u = 2⁻²⁴, storing a corner in `f32` moves its place along the axis by at most
//! √3·u, a product of three terms adds 4·√3·u, on either side; the difference 2√3·u, and an axis that is
//! longer than 1 by 4u at most 14·u: less than 40·u in all. `64u` is taken off.

use impinge_geometry::simd::{self, F32Lanes, F32x8, Kernel, Simd};
use impinge_geometry::volume::{round_down, round_up};
use impinge_geometry::{FacesRef, PairFrame, Side, SimdLevel};
use impinge_midphase::ObbTree;
use impinge_midphase::obb_tree::LEAF_TRIANGLES;
use nalgebra::{Point3, Vector3};

/// 64 units in the last place of numbers near 1.
const ERROR: f32 = 64.0 / 16_777_216.0;

/// The triangles of a leaf where they stand (virtual ones are left out).
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Which leaf, if any.
    pub leaf: Option<u32>,
    /// How many triangles it has.
    pub count: usize,
    /// Their numbers in the mesh.
    pub triangles: [u32; LEAF_TRIANGLES],
    /// Corners (m, pair frame).
    pub corners: [[Point3<f64>; 3]; LEAF_TRIANGLES],
}

impl Leaf {
    /// No leaf.
    pub const NONE: Leaf = Leaf {
        leaf: None,
        count: 0,
        triangles: [0; LEAF_TRIANGLES],
        corners: [[Point3::new(0.0, 0.0, 0.0); 3]; LEAF_TRIANGLES],
    };

    /// Makes it hold a leaf.
    pub fn place(&mut self, mesh: FacesRef<'_>, tree: &ObbTree, frame: &PairFrame, side: Side, leaf: u32) {
        if self.leaf == Some(leaf) {
            return;
        }
        self.leaf = Some(leaf);
        self.count = 0;
        for &triangle in tree.leaf_triangles(leaf).iter().filter(|&&t| !mesh.is_virtual(t)) {
            self.triangles[self.count] = triangle;
            self.corners[self.count] = mesh.corners(triangle).map(|p| frame.place(side, &p));
            self.count += 1;
        }
    }

    /// The triangles' corners.
    pub fn placed(&self) -> &[[Point3<f64>; 3]] {
        &self.corners[..self.count]
    }
}

/// What is known of eight pairs of triangles: lane `4 i + j` is A's triangle `first[0] + i` and B's
/// `first[1] + j`.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// One bit for each pair that may be nearer than the limit.
    pub open: u32,
    /// They are not nearer than this (m).
    pub least: [f32; 8],
    /// Their distance, roughly (m).
    pub about: [f32; 8],
    /// From A to B along the line of the nearest points, roughly unit.
    pub axis: [[f32; 8]; 3],
    first: [usize; 2],
}

impl Judged {
    /// The pair of a lane.
    pub fn pair(&self, lane: usize) -> [usize; 2] {
        [self.first[0] + lane / 4, self.first[1] + lane % 4]
    }
}

/// Judges all pairs of triangles of two leaves, eight at a time: which may be nearer than `limit` (m)?
pub fn judge(a: &Leaf, b: &Leaf, limit: f64, level: SimdLevel, visit: &mut impl FnMut(&Judged)) {
    if a.count == 0 || b.count == 0 {
        return;
    }
    let origin = a.corners[0][0];
    let mut largest = 0.0f64;
    for p in a.placed().iter().chain(b.placed()).flatten() {
        let v = p - origin;
        largest = largest.max(v.x.abs()).max(v.y.abs()).max(v.z.abs());
    }
    let scale = below_one(largest);
    let narrow = |of: &Leaf| {
        let mut rows = [[[0.0f32; 3]; 3]; LEAF_TRIANGLES];
        for (to, corners) in rows.iter_mut().zip(of.placed()) {
            for (to, p) in to.iter_mut().zip(corners) {
                *to = ((p - origin) * scale).map(|x| x as f32).into();
            }
        }
        rows
    };
    let (of_a, of_b) = (narrow(a), narrow(b));
    // What is not 0 stays above it when scaled: what touches is nearer than any such limit.
    let limit = if limit > 0.0 { round_up(limit * scale).max(f32::MIN_POSITIVE) } else { 0.0 };
    for i in (0..a.count).step_by(2) {
        for j in (0..b.count).step_by(4) {
            let (mut rows, mut there) = (Rows { a: [[[0.0; 8]; 3]; 3], b: [[[0.0; 8]; 3]; 3] }, 0);
            for lane in 0..8 {
                let [p, q] = [i + lane / 4, j + lane % 4];
                there |= u32::from(p < a.count && q < b.count) << lane;
                let (of_a, of_b) = (&of_a[p.min(a.count - 1)], &of_b[q.min(b.count - 1)]);
                for corner in 0..3 {
                    for axis in 0..3 {
                        rows.a[corner][axis][lane] = of_a[corner][axis];
                        rows.b[corner][axis][lane] = of_b[corner][axis];
                    }
                }
            }
            let mut judged = simd::run(level, Apart { rows: &rows, limit });
            judged.open &= there;
            judged.first = [i, j];
            judged.about = judged.about.map(|x| (f64::from(x) / scale) as f32);
            judged.least = judged.least.map(|x| round_down(f64::from(x) / scale));
            visit(&judged);
        }
    }
}

/// A power of two that brings numbers up to `largest` to at most 1.
fn below_one(largest: f64) -> f64 {
    let exponent = (largest.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    f64::from_bits(((1022 - exponent.clamp(-900, 900)) as u64) << 52)
}

/// Corners of eight pairs: corner, coordinate, lane.
struct Rows {
    a: [[[f32; 8]; 3]; 3],
    b: [[[f32; 8]; 3]; 3],
}

struct Apart<'a> {
    rows: &'a Rows,
    limit: f32,
}

type Row3<V> = [V; 3];

#[inline(always)]
fn dot<V: F32x8>(x: &Row3<V>, y: &Row3<V>) -> V {
    x[0].mul(y[0]).add(x[1].mul(y[1])).add(x[2].mul(y[2]))
}

#[inline(always)]
fn sub<V: F32x8>(x: &Row3<V>, y: &Row3<V>) -> Row3<V> {
    [x[0].sub(y[0]), x[1].sub(y[1]), x[2].sub(y[2])]
}

#[inline(always)]
fn cross<V: F32x8>(x: &Row3<V>, y: &Row3<V>) -> Row3<V> {
    [
        x[1].mul(y[2]).sub(x[2].mul(y[1])),
        x[2].mul(y[0]).sub(x[0].mul(y[2])),
        x[0].mul(y[1]).sub(x[1].mul(y[0])),
    ]
}

#[inline(always)]
fn select<V: F32x8>(mask: V, yes: &Row3<V>, no: &Row3<V>) -> Row3<V> {
    [mask.select(yes[0], no[0]), mask.select(yes[1], no[1]), mask.select(yes[2], no[2])]
}

/// What a triangle needs to be asked about, besides its corners.
struct Made<V> {
    corners: [Row3<V>; 3],
    edges: [Row3<V>; 3],
    /// One over the edges' squared lengths.
    shorter: [V; 3],
    lengths: [V; 3],
    normal: Row3<V>,
    /// In the plane, across the edges, pointing inward.
    across: [Row3<V>; 3],
    /// One over the normal's squared length.
    flatter: V,
}

impl<V: F32x8> Made<V> {
    #[inline(always)]
    fn new(rows: &[[[f32; 8]; 3]; 3]) -> Made<V> {
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        let mut corners = [[zero; 3]; 3];
        for k in 0..3 {
            corners[k] = [V::load(&rows[k][0]), V::load(&rows[k][1]), V::load(&rows[k][2])];
        }
        let edges =
            [sub(&corners[1], &corners[0]), sub(&corners[2], &corners[1]), sub(&corners[0], &corners[2])];
        let lengths = [dot(&edges[0], &edges[0]), dot(&edges[1], &edges[1]), dot(&edges[2], &edges[2])];
        let shorter = [one.div(lengths[0]), one.div(lengths[1]), one.div(lengths[2])];
        let normal = cross(&edges[0], &edges[1]);
        let across = [cross(&normal, &edges[0]), cross(&normal, &edges[1]), cross(&normal, &edges[2])];
        let flatter = one.div(dot(&normal, &normal));
        Made { corners, edges, shorter, lengths, normal, across, flatter }
    }
}

/// The nearest points found so far: their squared distance and the vector from A's to B's.
struct Found<V> {
    squared: V,
    between: Row3<V>,
}

impl<V: F32x8> Found<V> {
    #[inline(always)]
    fn offer(&mut self, squared: V, between: &Row3<V>) {
        let better = squared.less(self.squared);
        self.squared = better.select(squared, self.squared);
        self.between = select(better, between, &self.between);
    }

    /// The nearest points of an edge of each. Nothing depends on how well they are found.
    #[inline(always)]
    fn edges(&mut self, a: &Made<V>, i: usize, b: &Made<V>, j: usize) {
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        let (u, v) = (&a.edges[i], &b.edges[j]);
        let r = sub(&a.corners[i], &b.corners[j]);
        let (uv, ur, vr) = (dot(u, v), dot(u, &r), dot(v, &r));
        let (uu, vv) = (a.lengths[i], b.lengths[j]);
        let determinant = uu.mul(vv).sub(uv.mul(uv));
        let s = uv.mul(vr).sub(ur.mul(vv)).div(determinant).max(zero).min(one);
        let t = uv.mul(s).add(vr).mul(b.shorter[j]).max(zero).min(one);
        let s = uv.mul(t).sub(ur).mul(a.shorter[i]).max(zero).min(one);
        let mut between = [zero; 3];
        for k in 0..3 {
            between[k] = v[k].mul(t).sub(u[k].mul(s)).sub(r[k]);
        }
        self.offer(dot(&between, &between), &between);
    }

    /// A corner of `of` over the face of `face`; `sense` is 1 where `of` is A, −1 where it is B.
    #[inline(always)]
    fn corner(&mut self, of: &Made<V>, k: usize, face: &Made<V>, sense: V) {
        let zero = V::splat(0.0);
        let mut inside = V::splat(-1.0).less(zero);
        for e in 0..3 {
            let over = dot(&face.across[e], &sub(&of.corners[k], &face.corners[e]));
            inside = inside.and(zero.at_most(over));
        }
        let height = dot(&face.normal, &sub(&of.corners[k], &face.corners[0]));
        // From the corner down to the face, or the other way round.
        let part = height.mul(face.flatter);
        let down = zero.sub(part.mul(sense));
        let between = [face.normal[0].mul(down), face.normal[1].mul(down), face.normal[2].mul(down)];
        let squared = height.mul(part);
        self.offer(inside.select(squared, V::splat(f32::INFINITY)), &between);
    }
}

impl Kernel for Apart<'_> {
    type Output = Judged;

    /// Plain loops without closures, so that all of it is compiled with the level's instructions.
    #[inline(always)]
    fn run<S: Simd>(self) -> Judged {
        let (a, b) = (Made::<S::F32x8>::new(&self.rows.a), Made::<S::F32x8>::new(&self.rows.b));
        let zero = S::F32x8::splat(0.0);
        let mut found = Found { squared: S::F32x8::splat(f32::INFINITY), between: [zero; 3] };
        for i in 0..3 {
            for j in 0..3 {
                found.edges(&a, i, &b, j);
            }
        }
        for k in 0..3 {
            found.corner(&a, k, &b, S::F32x8::splat(1.0));
            found.corner(&b, k, &a, S::F32x8::splat(-1.0));
        }
        let about = found.squared.sqrt();
        let inverse = S::F32x8::splat(1.0).div(about);
        let n = [found.between[0].mul(inverse), found.between[1].mul(inverse), found.between[2].mul(inverse)];
        let mut high = dot(&n, &a.corners[0]);
        let mut low = dot(&n, &b.corners[0]);
        for k in 1..3 {
            high = dot(&n, &a.corners[k]).max(high);
            low = dot(&n, &b.corners[k]).min(low);
        }
        // Where there is no axis it is not a number, and bounds nothing.
        let least = low.sub(high).sub(S::F32x8::splat(ERROR)).max(zero);
        let mut judged = Judged {
            open: least.less(S::F32x8::splat(self.limit)).bits(),
            least: [0.0; 8],
            about: [0.0; 8],
            axis: [[0.0; 8]; 3],
            first: [0; 2],
        };
        least.store(&mut judged.least);
        about.store(&mut judged.about);
        for (from, to) in n.iter().zip(&mut judged.axis) {
            from.store(to);
        }
        judged
    }
}

/// Which pairs of triangles of two leaves an axis (unit, from A to B) separates by less than `limit`
/// (m): none where none is. Costs a tenth of [`judge`], and tells nearly always.
pub fn axis_tells(a: &Leaf, b: &Leaf, axis: &Vector3<f64>, limit: f64) -> bool {
    let along = |p: &Point3<f64>| p.coords.dot(axis);
    let high = |t: &[Point3<f64>; 3]| along(&t[0]).max(along(&t[1])).max(along(&t[2]));
    let low = |t: &[Point3<f64>; 3]| along(&t[0]).min(along(&t[1])).min(along(&t[2]));
    let highest = a.placed().iter().map(high).fold(f64::NEG_INFINITY, f64::max);
    let lowest = b.placed().iter().map(low).fold(f64::INFINITY, f64::min);
    lowest - highest >= limit + (highest.abs() + lowest.abs()) * 1e-14
}
