//! Splitting a set of triangles in two: the surface-area heuristic in the frame of its box.
//!
//! Source: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007. Counts are
//! taken in whole leaves, so that leaves come out full.

use std::ops::Range;

use super::LEAF_TRIANGLES;
use super::build::{BuildSettings, Prim};
use super::covariance;

/// Bins along each axis.
const BINS: usize = 12;

/// A part of twice as many triangles or more is judged by about this many of them, evenly chosen.
const SAMPLE: usize = 1024;

/// From this depth of nodes on, ranges are halved, so that no input makes a tree deep.
const DEEP: u32 = 20;

/// A range of triangles with the axes and extents of its box.
#[derive(Clone, Debug)]
pub(super) struct Part {
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

impl Part {
    /// How many triangles.
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The part made of `prims`, which start at `start` among all. The bounds of those of them by
    /// which the part is judged are set.
    pub fn measure(prims: &mut [Prim], start: u32, settings: &BuildSettings) -> Part {
        let step = step(prims.len());
        let axes = covariance::axes(prims, step, settings.covariance).map(|axis| axis.map(|x| x as f32));
        let mut bounds = Bounds::EMPTY;
        for prim in prims.iter_mut().step_by(step) {
            for (i, axis) in axes.iter().enumerate() {
                (prim.lo[i], prim.hi[i]) = prim.along(axis);
            }
            bounds.add(&prim.lo, &prim.hi);
        }
        let end = start + prims.len() as u32;
        Part { start, end, axes, lo: bounds.lo, hi: bounds.hi, area: bounds.area() }
    }
}

/// Every how manyeth of so many triangles is looked at.
fn step(triangles: usize) -> usize {
    (triangles / SAMPLE).max(1)
}

impl Prim {
    /// Least and greatest product of a corner with an axis.
    #[inline(always)]
    fn along(&self, axis: &[f32; 3]) -> (f32, f32) {
        let s = self.corners.map(|p| axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]);
        (least(s[0], least(s[1], s[2])), greatest(s[0], greatest(s[1], s[2])))
    }
}

#[derive(Clone, Copy)]
struct Bounds {
    lo: [f32; 3],
    hi: [f32; 3],
}

impl Bounds {
    const EMPTY: Bounds = Bounds { lo: [f32::INFINITY; 3], hi: [f32::NEG_INFINITY; 3] };

    #[inline(always)]
    fn add(&mut self, lo: &[f32; 3], hi: &[f32; 3]) {
        for k in 0..3 {
            self.lo[k] = least(lo[k], self.lo[k]);
            self.hi[k] = greatest(hi[k], self.hi[k]);
        }
    }

    fn area(&self) -> f32 {
        let e: [f32; 3] = std::array::from_fn(|k| self.hi[k] - self.lo[k]);
        e[0] * e[1] + e[1] * e[2] + e[2] * e[0]
    }
}

#[inline(always)]
fn least(x: f32, y: f32) -> f32 {
    if x < y { x } else { y }
}

#[inline(always)]
fn greatest(x: f32, y: f32) -> f32 {
    if x > y { x } else { y }
}

/// Reorders `prims`, the triangles of `part`, and gives the two parts; neither is empty.
pub(super) fn split(prims: &mut [Prim], part: &Part, settings: &BuildSettings, depth: u32) -> (Part, Part) {
    let bins = Bins::new(part);
    let at = match if depth < DEEP { best_cut(prims, &bins) } else { None } {
        Some((axis, bin)) => partition(prims, |prim| {
            let (lo, hi) = prim.along(&part.axes[axis]);
            bins.of(lo, hi, axis) <= bin
        }),
        None => halve(prims, part),
    };
    let (left, right) = prims.split_at_mut(at);
    let middle = part.start + at as u32;
    if left.len() + right.len() > PARALLEL {
        rayon::join(|| Part::measure(left, part.start, settings), || Part::measure(right, middle, settings))
    } else {
        (Part::measure(left, part.start, settings), Part::measure(right, middle, settings))
    }
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
    fn new(part: &Part) -> Bins {
        Bins {
            lo: part.lo.map(|x| 2.0 * x),
            scale: std::array::from_fn(|k| 0.5 * BINS as f32 / (part.hi[k] - part.lo[k])),
        }
    }

    #[inline(always)]
    fn of(&self, lo: f32, hi: f32, axis: usize) -> usize {
        // A NaN (no extent along the axis) becomes 0.
        let at = ((lo + hi) - self.lo[axis]) * self.scale[axis];
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
            let bin = bins.of(prim.lo[axis], prim.hi[axis], axis);
            counts[axis][bin] += 1;
            bounds[axis][bin].add(&prim.lo, &prim.hi);
        }
    }
    let mut best: Option<(f32, usize, usize)> = None;
    for axis in 0..3 {
        let (bounds, counts) = (&bounds[axis], &counts[axis]);
        // right[i]: cost of everything from bin i on.
        let mut right = [f32::INFINITY; BINS];
        let (mut sum, mut count) = (Bounds::EMPTY, 0);
        for bin in (1..BINS).rev() {
            sum.add(&bounds[bin].lo, &bounds[bin].hi);
            count += counts[bin];
            if count > 0 {
                right[bin] = sum.area() * leaves(count);
            }
        }
        let (mut sum, mut count) = (Bounds::EMPTY, 0);
        for bin in 0..BINS - 1 {
            sum.add(&bounds[bin].lo, &bounds[bin].hi);
            count += counts[bin];
            if count == 0 || counts[bin] == 0 {
                continue;
            }
            let cost = sum.area() * leaves(count) + right[bin + 1];
            if cost < best.map_or(f32::INFINITY, |b| b.0) {
                best = Some((cost, axis, bin));
            }
        }
    }
    best.map(|(_, axis, bin)| (axis, bin))
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
fn halve(prims: &mut [Prim], part: &Part) -> usize {
    let extent = |k: usize| part.hi[k] - part.lo[k];
    let axis = (1..3).fold(0, |best, k| if extent(k) > extent(best) { k } else { best });
    let middle = prims.len() / 2;
    let place = |prim: &Prim| {
        let (lo, hi) = prim.along(&part.axes[axis]);
        lo + hi
    };
    prims.select_nth_unstable_by(middle, |a, b| place(a).total_cmp(&place(b)).then(a.id.cmp(&b.id)));
    middle
}
