//! Splitting a set of triangles in two: the surface-area heuristic in the frame of its box.
//!
//! Source: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007. Counts are
//! taken in whole leaves, so that leaves come out full.

use std::ops::Range;

use impinge_geometry::simd::{Base, F32Lanes, F32x4, Simd};

use super::LEAF_TRIANGLES;
use super::build::{BuildSettings, FULL, Prim, Splits};
use super::covariance;

/// Four `f32`.
type Four = <Base as Simd>::F32x4;

/// Bins along each axis.
const BINS: usize = 12;

/// A part of twice as many triangles or more is judged by about this many of them, evenly chosen.
const SAMPLE: usize = 1024;

/// From this depth of nodes on, ranges are halved, so that no input makes a tree deep.
const DEEP: u32 = 20;

/// How thick a body is thought to be, in the planner's scale, where a mesh is 16 to 32 times as long.
const THICKNESS: f32 = 1.0 / 16.0;

/// A range of triangles with the axes and extents of its box.
#[derive(Clone, Debug)]
pub(super) struct TrianglePart {
    /// The range among all triangles.
    pub start: u32,
    pub end: u32,
    /// Unit axes.
    pub axes: [[f32; 3]; 3],
    /// Bounds along the axes, in the planner's scale.
    lo: [f32; 3],
    hi: [f32; 3],
    /// Half the box's surface.
    pub area: f32,
}

impl TrianglePart {
    fn bounded(start: u32, end: u32, axes: [[f32; 3]; 3], bounds: &Bounds) -> TrianglePart {
        let (lo, hi) = ([0, 1, 2].map(|k| bounds.lo[k]), [1, 2, 3].map(|k| bounds.hi[k]));
        TrianglePart { start, end, axes, lo, hi, area: bounds.area() }
    }

    fn longest_axis(&self) -> usize {
        let extent = |k: usize| self.hi[k] - self.lo[k];
        (1..3).fold(0, |best, k| if extent(k) > extent(best) { k } else { best })
    }

    /// How many triangles.
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    fn grown(&self) -> [f32; 3] {
        std::array::from_fn(|k| self.hi[k] - self.lo[k] + THICKNESS)
    }

    /// The volume in which the middle of a body may be that reaches the box.
    pub fn room(&self) -> f32 {
        self.grown().iter().product()
    }

    /// Whether a split can halve the [`room`](TrianglePart::room): it has to make two sides shorter.
    pub fn may_be_loose(&self) -> bool {
        self.grown().iter().filter(|&&side| side > 3.0 * THICKNESS).count() > 1
    }

    /// The part made of `prims`, which start at `start` among all. The bounds of those of them by
    /// which the part is judged are set.
    pub fn measure(prims: &mut [Prim], start: u32, settings: &BuildSettings) -> TrianglePart {
        let mut step = step(prims.len());
        let axes = covariance::axes(prims, step, settings.covariance).map(|axis| axis.map(|x| x as f32));
        if settings.splits == Splits::Coarse {
            // The parts' parts are judged by these bounds, too.
            step = 1;
        }
        let across = [0, 1, 2].map(|k| Four::new([axes[0][k], axes[1][k], axes[2][k], 0.0]));
        let mut bounds = Bounds::EMPTY;
        for prim in prims.iter_mut().step_by(step) {
            prim.project(&across);
            bounds.add(&prim.bounds);
        }
        let end = start + prims.len() as u32;
        TrianglePart::bounded(start, end, axes, &bounds)
    }
}

/// Every how manyeth of so many triangles is looked at.
fn step(triangles: usize) -> usize {
    (triangles / SAMPLE).max(1)
}

impl Prim {
    /// Sets the bounds; `across[k]` has component `k` of the three axes.
    #[inline(always)]
    fn project(&mut self, across: &[Four; 3]) {
        let along = |p: &[f32; 3]| {
            across[0]
                .mul(Four::splat(p[0]))
                .add(across[1].mul(Four::splat(p[1])))
                .add(across[2].mul(Four::splat(p[2])))
        };
        let (p, q, r) = (along(&self.corners[0]), along(&self.corners[1]), along(&self.corners[2]));
        let lo = p.min(q).min(r).to_array();
        let hi = p.max(q).max(r).to_array();
        self.bounds = [lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]];
    }

    /// Twice the middle of the corners' products with an axis.
    #[inline(always)]
    fn place_along(&self, axis: &[f32; 3]) -> f32 {
        let s = self.corners.map(|p| (axis[0] * p[0] + axis[1] * p[1]) + axis[2] * p[2]);
        let least = |x: f32, y: f32| if x < y { x } else { y };
        let greatest = |x: f32, y: f32| if x > y { x } else { y };
        least(least(s[0], s[1]), s[2]) + greatest(greatest(s[0], s[1]), s[2])
    }

    /// The same, once the bounds are set.
    #[inline(always)]
    fn place(&self, axis: usize) -> f32 {
        self.bounds[axis] + self.bounds[axis + 3]
    }
}

/// Bounds along three axes; four numbers are read and written at a time.
#[derive(Clone, Copy)]
struct Bounds {
    /// The least, and one more number.
    lo: [f32; 4],
    /// One number before the greatest.
    hi: [f32; 4],
}

impl Bounds {
    const EMPTY: Bounds = Bounds { lo: [f32::INFINITY; 4], hi: [f32::NEG_INFINITY; 4] };

    /// Grows by the bounds of a triangle ([`Prim::bounds`]).
    #[inline(always)]
    fn add(&mut self, own: &[f32; 6]) {
        let [a, b, c, d, e, f] = *own;
        self.join(&Bounds { lo: [a, b, c, d], hi: [c, d, e, f] });
    }

    #[inline(always)]
    fn join(&mut self, other: &Bounds) {
        self.lo = Four::new(other.lo).min(Four::new(self.lo)).to_array();
        self.hi = Four::new(other.hi).max(Four::new(self.hi)).to_array();
    }

    fn area(&self) -> f32 {
        let e: [f32; 3] = std::array::from_fn(|k| self.hi[k + 1] - self.lo[k]);
        e[0] * e[1] + e[1] * e[2] + e[2] * e[0]
    }
}

/// Reorders `prims`, the triangles of `part`, and gives the two parts; neither is empty.
pub(super) fn split(
    prims: &mut [Prim],
    part: &TrianglePart,
    settings: &BuildSettings,
    depth: u32,
) -> (TrianglePart, TrianglePart) {
    if settings.splits == Splits::Coarse {
        return coarse(prims, part, depth);
    }
    let bins = Bins::new(part);
    let at = match if depth < DEEP { best_cut(prims, &bins) } else { None } {
        // All of a small part are measured.
        Some((axis, bin)) if step(prims.len()) == 1 => {
            partition(prims, |prim| bins.of(prim.place(axis), axis) <= bin)
        }
        Some((axis, bin)) => {
            partition(prims, |prim| bins.of(prim.place_along(&part.axes[axis]), axis) <= bin)
        }
        None => halve(prims, part),
    };
    let (left, right) = prims.split_at_mut(at);
    let middle = part.start + at as u32;
    if left.len() + right.len() > PARALLEL {
        rayon::join(
            || TrianglePart::measure(left, part.start, settings),
            || TrianglePart::measure(right, middle, settings),
        )
    } else {
        (TrianglePart::measure(left, part.start, settings), TrianglePart::measure(right, middle, settings))
    }
}

/// As [`split`] by [`Splits::Coarse`]: the parts keep the axes.
fn coarse(prims: &mut [Prim], part: &TrianglePart, depth: u32) -> (TrianglePart, TrianglePart) {
    let axis = part.longest_axis();
    let mut cut = None;
    if prims.len() > FULL && depth < DEEP {
        let bins = Bins::new(part);
        let (mut bounds, mut counts) = ([Bounds::EMPTY; BINS], [0u32; BINS]);
        for prim in prims.iter().step_by(step(prims.len())) {
            let bin = bins.of(prim.place(axis), axis);
            counts[bin] += 1;
            bounds[bin].add(&prim.bounds);
        }
        let mut best = f32::INFINITY;
        cut = cheapest_cut(&bounds, &counts, &mut best).map(|bin| (bins, bin, bounds));
    }
    let (at, sides) = match cut {
        Some((bins, bin, bounds)) => {
            let at = partition(prims, |prim| bins.of(prim.place(axis), axis) <= bin);
            let union = |bounds: &[Bounds]| {
                let mut all = Bounds::EMPTY;
                for b in bounds {
                    all.join(b);
                }
                all
            };
            (at, [union(&bounds[..=bin]), union(&bounds[bin + 1..])])
        }
        None => {
            // Whole leaves.
            let at = (prims.len() / 2).next_multiple_of(LEAF_TRIANGLES);
            let place = |prim: &Prim| prim.place(axis);
            prims.select_nth_unstable_by(at, |a, b| place(a).total_cmp(&place(b)).then(a.id.cmp(&b.id)));
            let around = |prims: &[Prim]| {
                let mut all = Bounds::EMPTY;
                for prim in prims {
                    all.add(&prim.bounds);
                }
                all
            };
            (at, [around(&prims[..at]), around(&prims[at..])])
        }
    };
    let middle = part.start + at as u32;
    let make = |start, end, b| TrianglePart::bounded(start, end, part.axes, b);
    (make(part.start, middle, &sides[0]), make(middle, part.end, &sides[1]))
}

/// From this many triangles on, both halves are measured at once.
const PARALLEL: usize = 16_384;

/// Which bin a triangle falls into, by the middle of its bounds.
struct Bins {
    /// Twice the least bound.
    lo: [f32; 3],
    scale: [f32; 3],
}

impl Bins {
    fn new(part: &TrianglePart) -> Bins {
        Bins {
            lo: part.lo.map(|x| 2.0 * x),
            scale: std::array::from_fn(|k| 0.5 * BINS as f32 / (part.hi[k] - part.lo[k])),
        }
    }

    #[inline(always)]
    fn of(&self, place: f32, axis: usize) -> usize {
        // A NaN (no extent along the axis) becomes 0.
        let at = (place - self.lo[axis]) * self.scale[axis];
        (at as usize).min(BINS - 1)
    }
}

/// The axis and the last bin of the left side at which the expected cost is least; `None` where all
/// triangles fall into one bin on every axis.
fn best_cut(prims: &[Prim], bins: &Bins) -> Option<(usize, usize)> {
    let mut bounds = [[Bounds::EMPTY; BINS]; 3];
    let mut counts = [[0u32; BINS]; 3];
    for prim in prims.iter().step_by(step(prims.len())) {
        for axis in 0..3 {
            let bin = bins.of(prim.place(axis), axis);
            counts[axis][bin] += 1;
            bounds[axis][bin].add(&prim.bounds);
        }
    }
    let (mut best, mut cut) = (f32::INFINITY, None);
    for axis in 0..3 {
        if let Some(bin) = cheapest_cut(&bounds[axis], &counts[axis], &mut best) {
            cut = Some((axis, bin));
        }
    }
    cut
}

/// The last bin of the left side at which the expected cost is least, where that is less than `best`.
fn cheapest_cut(bounds: &[Bounds; BINS], counts: &[u32; BINS], best: &mut f32) -> Option<usize> {
    let mut cut = None;
    // right[i]: cost of everything from bin i on.
    let mut right = [f32::INFINITY; BINS];
    let (mut sum, mut count) = (Bounds::EMPTY, 0);
    for bin in (1..BINS).rev() {
        sum.join(&bounds[bin]);
        count += counts[bin];
        if count > 0 {
            right[bin] = sum.area() * leaves(count);
        }
    }
    let (mut sum, mut count) = (Bounds::EMPTY, 0);
    for bin in 0..BINS - 1 {
        sum.join(&bounds[bin]);
        count += counts[bin];
        if count == 0 || counts[bin] == 0 {
            continue;
        }
        let cost = sum.area() * leaves(count) + right[bin + 1];
        if cost < *best {
            (*best, cut) = (cost, Some(bin));
        }
    }
    cut
}

fn leaves(triangles: u32) -> f32 {
    triangles.div_ceil(LEAF_TRIANGLES as u32) as f32
}

/// Moves the triangles for which `left` holds to the front and counts them.
fn partition(prims: &mut [Prim], left: impl Fn(&Prim) -> bool) -> usize {
    let (mut i, mut j) = (0, prims.len());
    loop {
        while i < j && left(&prims[i]) {
            i += 1;
        }
        while i < j && !left(&prims[j - 1]) {
            j -= 1;
        }
        if i >= j {
            return i;
        }
        prims.swap(i, j - 1);
        i += 1;
        j -= 1;
    }
}

/// Half the triangles to either side along the longest axis.
fn halve(prims: &mut [Prim], part: &TrianglePart) -> usize {
    let axis = part.longest_axis();
    let middle = prims.len() / 2;
    let place = |prim: &Prim| prim.place_along(&part.axes[axis]);
    prims.select_nth_unstable_by(middle, |a, b| place(a).total_cmp(&place(b)).then(a.id.cmp(&b.id)));
    middle
}
