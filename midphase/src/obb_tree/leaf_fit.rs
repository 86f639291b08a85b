//! Boxes of given axes around leaves, fitted to all leaves of a node at once.
//!
//! A leaf's rows are its corners beside an origin of its own, which is the place that its box is fitted beside.
//!
//! **The bounds.** Let u = 2⁻²⁴. A row's number is off by u of itself, and its product with an axis by 5u|d| more, for three products and two
//! sums; |d| is at most the sum S of the greatest products with the three axes (orthonormal within 4u), by as much: 6uS in all, and
//! for the box's centre 6uT, T being the sum of its products. The difference of two products is rounded by u(S + T). For these 7u(S + T) boxes
//! are given 16u(S + T) more, and 8u of their size beyond [`GROWTH`] for the rounding of their size itself.

use impinge_geometry::simd::{F32Lanes, Kernel, Simd};

use super::leaf::LeafRows;
use super::leaf_triangles::LEAF_TRIANGLES;
use super::node::WIDTH;
use super::sat::GROWTH;

/// Centres and half extents (m) of boxes side by side: x, y and z of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeafFits {
    pub center: [[f32; WIDTH]; 3],
    pub half: [[f32; WIDTH]; 3],
}

/// Fits boxes to the leaves of a node; what comes of lanes without a leaf means nothing. No coordinate may be so large
/// that sums of products leave the range of `f32`.
pub(super) struct FitLeaves<'f> {
    /// Component `k` of axis `i` in `[i][k]`.
    pub axes: &'f [[[f32; WIDTH]; 3]; 3],
    pub leaves: &'f [Option<LeafRows<'f>>; WIDTH],
}

/// Lanes that triangles have, by how many there are: all bits set.
const THERE: [[f32; LEAF_TRIANGLES]; LEAF_TRIANGLES] = {
    let mut there = [[0.0; LEAF_TRIANGLES]; LEAF_TRIANGLES];
    let mut count = 0;
    while count < LEAF_TRIANGLES {
        let mut lane = 0;
        while lane < count {
            there[count][lane] = f32::from_bits(u32::MAX);
            lane += 1;
        }
        count += 1;
    }
    there
};

impl Kernel for FitLeaves<'_> {
    type Output = LeafFits;

    #[inline(always)]
    fn run<S: Simd>(self) -> LeafFits {
        let FitLeaves { axes, leaves } = self;
        // Of every axis and leaf, the least products of four triangles' corners and the greatest.
        let mut ends = [[[0.0f32; 2 * LEAF_TRIANGLES]; WIDTH]; 3];
        let mut origins = [[0.0f32; WIDTH]; 3];
        for lane in 0..WIDTH {
            let Some(leaf) = &leaves[lane] else { continue };
            for k in 0..3 {
                origins[k][lane] = leaf.origin[k];
            }
            let c = corners::<S::F32x4>(leaf);
            for i in 0..3 {
                let a = [
                    S::F32x4::splat(axes[i][0][lane]),
                    S::F32x4::splat(axes[i][1][lane]),
                    S::F32x4::splat(axes[i][2][lane]),
                ];
                let (p, q, r) = (along(&a, &c[0]), along(&a, &c[1]), along(&a, &c[2]));
                p.min(q).min(r).store(&mut ends[i][lane][..LEAF_TRIANGLES]);
                p.max(q).max(r).store(&mut ends[i][lane][LEAF_TRIANGLES..]);
            }
        }
        let mut fits = LeafFits { center: [[0.0; WIDTH]; 3], half: [[0.0; WIDTH]; 3] };
        let mut at = 0;
        while at < WIDTH {
            around::<S::F32>(axes, &ends, &origins, at, &mut fits);
            at += S::F32::LANES;
        }
        fits
    }
}

/// The corners of a leaf's triangles; where there are less than four, the first stands in the other lanes, too.
#[inline(always)]
fn corners<V: F32Lanes>(leaf: &LeafRows<'_>) -> [[V; 3]; 3] {
    let rows = leaf.corners();
    let mut c = [[V::splat(0.0); 3]; 3];
    for corner in 0..3 {
        for k in 0..3 {
            c[corner][k] = V::load(rows[corner][k]);
        }
    }
    if let Some(there) = THERE.get(leaf.count()) {
        let there = V::load(there);
        for corner in 0..3 {
            for k in 0..3 {
                c[corner][k] = there.select(c[corner][k], V::splat(rows[corner][k][0]));
            }
        }
    }
    c
}

/// The product of two vectors.
#[inline(always)]
fn along<V: F32Lanes>(a: &[V; 3], x: &[V; 3]) -> V {
    a[0].mul(x[0]).add(a[1].mul(x[1])).add(a[2].mul(x[2]))
}

/// The boxes from lane `at` on, as many as a vector has lanes.
#[inline(always)]
fn around<V: F32Lanes>(
    axes: &[[[f32; WIDTH]; 3]; 3],
    ends: &[[[f32; 2 * LEAF_TRIANGLES]; WIDTH]; 3],
    origins: &[[f32; WIDTH]; 3],
    at: usize,
    fits: &mut LeafFits,
) {
    let zero = V::splat(0.0);
    let (mut a, mut lo, mut hi) = ([[zero; 3]; 3], [zero; 3], [zero; 3]);
    for i in 0..3 {
        for k in 0..3 {
            a[i][k] = V::load(&axes[i][k][at..]);
        }
        let mut rows = [&ends[i][at]; WIDTH];
        for lane in 0..V::LANES {
            rows[lane] = &ends[i][at + lane];
        }
        let [p, q, r, s, t, u, v, w] = V::transpose(&rows[..V::LANES]);
        (lo[i], hi[i]) = (p.min(q).min(r.min(s)), t.max(u).max(v.max(w)));
    }
    let half = V::splat(0.5);
    let middle = [
        lo[0].mul(half).add(hi[0].mul(half)),
        lo[1].mul(half).add(hi[1].mul(half)),
        lo[2].mul(half).add(hi[2].mul(half)),
    ];
    // The centre as it is stored, and how far from the origin.
    let mut away = [zero; 3];
    for k in 0..3 {
        let origin = V::load(&origins[k][at..]);
        let offset = a[0][k].mul(middle[0]).add(a[1][k].mul(middle[1])).add(a[2][k].mul(middle[2]));
        let center = origin.add(offset);
        center.store(&mut fits.center[k][at..]);
        away[k] = center.sub(origin);
    }
    let (mut reach, mut size, mut products) = ([zero; 3], zero, zero);
    for i in 0..3 {
        let center = along(&a[i], &away);
        reach[i] = hi[i].sub(center).max(center.sub(lo[i]));
        size = size.add(reach[i]);
        products = products.add(hi[i].abs().max(lo[i].abs())).add(center.abs());
    }
    let growth = GROWTH as f32 + 8.0 / 16_777_216.0;
    let room = size.mul(V::splat(growth)).add(products.mul(V::splat(16.0 / 16_777_216.0)));
    let room = room.add(V::splat(16.0 * f32::MIN_POSITIVE));
    for i in 0..3 {
        reach[i].add(room).store(&mut fits.half[i][at..]);
    }
}
