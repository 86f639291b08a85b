//! The triangles that a lattice of parallel lines may cross: what the pixels of a view can see.
//!
//! Boxes and triangles are judged in `f32`, eight at once, by their bounds across the lattice: what lies
//! between the lines is passed over, box or triangle, however large the lattice is. A triangle that has
//! room for one line only is also asked on which side of its edges that line passes. Whoever looks at
//! the triangles that are left may move their corners by [`Lines::slack`] before he does.
//!
//! **The bounds.** Let `u = 2⁻²⁴`, `s` the sum of the lengths that a coordinate is made of (m) and `r` the
//! L1 norm of a row of the map from the mesh's frame to the lattice. The row and each of the numbers it
//! meets are rounded once, as are their products and sums: under `8u·s·r`. Boxes are judged from the mesh's
//! origin (`s` is the mesh's reach and the lattice's distance, and boxes themselves are right to `8u` of
//! it), or, of a tree of which nothing is stored, from the middle of the nodes that the lines come near (a difference more, and
//! `s` is what these reach from there); the corners of a leaf from the leaf's own origin, which is placed in `f64`. Both are taken twice.
//! What is no number is let in.

use impinge_geometry::simd::{self, F32x8, Kernel, Simd};
use impinge_geometry::{PairFrame, Side};
use nalgebra::{Point3, Vector3};

use super::covariance::dot;
use super::node::Node;
use super::upright::Along;
use super::{DescentCounts, LEAF_TRIANGLES, LeafRoom, LeafRows, ObbTree};

/// 16u.
const ROUNDING: f64 = 1.0 / (1u64 << 20) as f64;
/// What `f64` is off by in all, part of the lengths that went in.
const ROUNDING_64: f64 = 1e-14;
/// Added to a number below 2²² and taken away again it leaves the nearest whole number.
const WHOLE: f32 = 12_582_912.0;

/// Parallel lines through the points of a lattice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lines {
    /// A point of the first line (m).
    pub origin: Point3<f64>,
    /// Unit, towards the next line of a row.
    pub right: Vector3<f64>,
    /// Unit, towards the next row.
    pub up: Vector3<f64>,
    /// Unit, along the lines.
    pub forward: Vector3<f64>,
    /// From line to line, and from row to row (m).
    pub spacing: [f64; 2],
    /// Lines per row, and rows.
    pub count: [u32; 2],
    /// A triangle that passes a line no farther than this to the right or left, and up or down, is let in
    /// (part of the spacing).
    pub slack: f64,
    /// How far the lines go from the origin along `forward` (m); may be infinite. They come from
    /// infinitely far.
    pub far: f64,
}

/// What a search for lines reuses.
#[derive(Clone, Debug, Default)]
pub struct LineScratch {
    stack: Vec<u32>,
    leaves: Vec<u32>,
}

impl Lines {
    /// Lines of the pair frame as the body `side` sees them.
    pub fn in_frame_of(&self, frame: &PairFrame, side: Side) -> Lines {
        Lines {
            origin: frame.to_local(side, &self.origin),
            right: frame.direction_to_local(side, &self.right),
            up: frame.direction_to_local(side, &self.up),
            forward: frame.direction_to_local(side, &self.forward),
            ..*self
        }
    }
}

/// Lines made ready for tests in the frame of a mesh. Coordinates are counted in lines and rows from the
/// first, and in metres along them.
struct Aim {
    rows: [[f64; 3]; 3],
    shift: [f64; 3],
    /// How far a corner that a leaf sees may be off: in any case, and for each metre of the leaf's extent.
    off: [[f64; 2]; 3],
    last: [f64; 2],
    far: f64,
    rows32: [[f32; 3]; 3],
    /// Where boxes are judged from (m), and where that is.
    middle: [f32; 3],
    shift32: [f32; 3],
    /// How far the bounds of a box may be off.
    pad: [f32; 3],
}

impl Aim {
    /// The tree's `reach` is from its origin; boxes are judged from a place, of which that of everything is known (m).
    fn new(lines: &Lines, reach: f64, (middle, near): ([f32; 3], f64)) -> Aim {
        let origin: [f64; 3] = lines.origin.into();
        let [right, up] = [(lines.right, 0), (lines.up, 1)].map(|(v, k)| v / lines.spacing[k]);
        let rows: [[f64; 3]; 3] = [right.into(), up.into(), lines.forward.into()];
        let shift = rows.map(|row| -dot(row, origin));
        let norm = rows.map(|row| row[0].abs() + row[1].abs() + row[2].abs());
        let size = 4.0 * reach + origin.iter().map(|x| x.abs()).sum::<f64>();
        let from = middle.map(f64::from);
        let apart: f64 = (0..3).map(|k| (origin[k] - from[k]).abs()).sum();
        let own = 4.0 * near + apart;
        let pad = |k: usize| {
            let rounding = 2.0 * ROUNDING * own + size * ROUNDING_64;
            rounding * norm[k] + if k < 2 { lines.slack } else { 0.0 }
        };
        let off = |k: usize| {
            let lattice =
                if k < 2 { lines.slack + (2.0 + f64::from(lines.count[k])) * ROUNDING } else { 0.0 };
            [lattice + size * norm[k] * ROUNDING_64, norm[k] * ROUNDING]
        };
        Aim {
            rows,
            shift,
            off: [off(0), off(1), off(2)],
            last: lines.count.map(|count| f64::from(count) - 1.0),
            far: lines.far,
            rows32: rows.map(|row| row.map(|x| x as f32)),
            middle,
            shift32: [0, 1, 2].map(|k| (dot(rows[k], from) + shift[k]) as f32),
            pad: [0, 1, 2].map(|k| pad(k) as f32),
        }
    }

    /// The lattice as a leaf sees it.
    #[inline(always)]
    fn local(&self, rows: &LeafRows<'_>) -> Local {
        let origin = rows.origin.map(f64::from);
        let extent = f64::from(rows.extent);
        let mut local = Local { at: [0.0; 2], first: [0.0; 2], last: [0.0; 2], pad: [0.0; 2], far: 0.0 };
        for k in 0..2 {
            let at = dot(self.rows[k], origin) + self.shift[k];
            // Line numbers are counted from the one next to the leaf, so that `f32` has them all.
            let whole = if at.abs() < 1e9 { (at as i32) as f64 } else { 0.0 };
            local.at[k] = (at - whole) as f32;
            local.first[k] = -whole as f32;
            local.last[k] = (self.last[k] - whole) as f32;
            local.pad[k] = (self.off[k][0] + self.off[k][1] * extent + whole.abs() * ROUNDING) as f32;
        }
        if self.far < f64::INFINITY {
            let far = self.far - (dot(self.rows[2], origin) + self.shift[2]);
            local.far = (far + self.off[2][0] + self.off[2][1] * extent + far.abs() * ROUNDING) as f32;
        }
        local
    }
}

/// The box around the points of the lattice from which the lines go, larger by what they may pass by and by `room` (m).
fn along(lines: &Lines, room: f64) -> Along {
    let [mut low, mut high]: [[f64; 3]; 2] = [lines.origin.into(); 2];
    for k in 0..3 {
        let mut off = room;
        for (axis, n) in [(&lines.right, 0), (&lines.up, 1)] {
            let step = axis[k] * lines.spacing[n];
            let way = step * (f64::from(lines.count[n]) - 1.0);
            (low[k], high[k]) = (low[k] + way.min(0.0), high[k] + way.max(0.0));
            off += step.abs() * (lines.slack + 1.0);
        }
        (low[k], high[k]) = (low[k] - off, high[k] + off);
    }
    Along { low, high, direction: lines.forward.into(), from: f64::NEG_INFINITY, until: lines.far + room }
}

/// Where the lattice is beside the origin of a leaf.
#[derive(Clone, Copy)]
struct Local {
    /// The leaf's origin.
    at: [f32; 2],
    /// The first and the last line.
    first: [f32; 2],
    last: [f32; 2],
    pad: [f32; 2],
    /// The end of the lines, from the leaf's origin (m).
    far: f32,
}

/// Whether an interval about `mid` misses every whole number from `first` to `last`: a mask of where it
/// does; and the whole number next to its middle.
#[inline(always)]
fn between<V: F32x8>(mid: V, half: V, first: V, last: V) -> (V, V) {
    let whole = V::splat(WHOLE);
    let nearest = mid.add(whole).sub(whole).max(first).min(last);
    (half.less(nearest.sub(mid).abs()), nearest)
}

/// The leaves in whose boxes a line may pass, below the nodes on the stack; boxes are judged from the mesh's origin, or from the middle.
struct Descend<'a, const FROM_MIDDLE: bool> {
    tree: &'a ObbTree,
    aim: &'a Aim,
    stack: &'a mut Vec<u32>,
    leaves: &'a mut Vec<u32>,
}

impl<const FROM_MIDDLE: bool> Kernel for Descend<'_, FROM_MIDDLE> {
    type Output = DescentCounts;

    #[inline(always)]
    fn run<S: Simd>(self) -> DescentCounts {
        let (mut counts, mut room) = (DescentCounts::default(), None);
        while let Some(index) = self.stack.pop() {
            let node = self.tree.node(index, &mut room);
            let (count, of_leaves) = self.tree.children(index, node);
            counts.wide_tests += 1;
            counts.box_tests += u64::from(count);
            let open = !missed::<S::F32x8, FROM_MIDDLE>(self.aim, node) & ((1 << count) - 1);
            // Leaves are found in the order in which their triangles are kept, or nearly.
            let mut leaves = open & of_leaves;
            let mut nodes = open & !leaves;
            while leaves != 0 {
                self.leaves.push(node.child[leaves.trailing_zeros() as usize].index());
                leaves &= leaves - 1;
            }
            while nodes != 0 {
                let last = 31 - nodes.leading_zeros();
                self.stack.push(node.child[last as usize].index());
                nodes ^= 1 << last;
            }
        }
        counts
    }
}

/// One bit for every child of a node that no line meets.
#[inline(always)]
fn missed<V: F32x8, const FROM_MIDDLE: bool>(aim: &Aim, node: &Node) -> u32 {
    let mut out = 0;
    let mut center = [V::load(&node.center[0]), V::load(&node.center[1]), V::load(&node.center[2])];
    if FROM_MIDDLE {
        for k in 0..3 {
            center[k] = center[k].sub(V::splat(aim.middle[k]));
        }
    }
    for k in 0..3 {
        if k == 2 && aim.far == f64::INFINITY {
            break;
        }
        let [x, y, z] = aim.rows32[k];
        let (x, y, z) = (V::splat(x), V::splat(y), V::splat(z));
        let mid = center[0].mul(x).add(center[1].mul(y)).add(center[2].mul(z)).add(V::splat(aim.shift32[k]));
        let mut half = V::splat(aim.pad[k]);
        for i in 0..3 {
            let along = V::load(&node.axes[i][0])
                .mul(x)
                .add(V::load(&node.axes[i][1]).mul(y))
                .add(V::load(&node.axes[i][2]).mul(z));
            half = half.add(along.abs().mul(V::load(&node.half[i])));
        }
        out |= if k == 2 {
            V::splat(aim.far as f32).less(mid.sub(half)).bits()
        } else {
            between(mid, half, V::splat(0.0), V::splat(aim.last[k] as f32)).0.bits()
        };
    }
    out
}

/// The triangles of leaves that a line may pass, two leaves at once.
struct Pick<'a> {
    tree: &'a ObbTree,
    aim: &'a Aim,
    leaves: &'a [u32],
    out: &'a mut Vec<u32>,
}

impl Kernel for Pick<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let mut at = 0;
        let (mut room_p, mut room_q) = (LeafRoom::NEW, LeafRoom::NEW);
        while at < self.leaves.len() {
            let (p, q) = (self.leaves[at], self.leaves[(at + 1).min(self.leaves.len() - 1)]);
            let (rows_p, rows_q) = (self.tree.leaf_rows(p, &mut room_p), self.tree.leaf_rows(q, &mut room_q));
            let valid = (1u32 << rows_p.count()) - 1;
            let second = if at + 1 < self.leaves.len() { (1u32 << rows_q.count()) - 1 } else { 0 };
            let mut kept = pick::<S::F32x8>(self.aim, &rows_p, &rows_q) & (valid | second << LEAF_TRIANGLES);
            let (of_p, of_q) = (self.tree.leaf_triangles(p), self.tree.leaf_triangles(q));
            while kept != 0 {
                let lane = kept.trailing_zeros() as usize;
                let own = if lane < LEAF_TRIANGLES { of_p } else { of_q };
                self.out.push(own[lane % LEAF_TRIANGLES]);
                kept &= kept - 1;
            }
            at += 2;
        }
    }
}

/// One bit for every triangle of two leaves that a line may pass.
#[inline(always)]
fn pick<V: F32x8>(aim: &Aim, p: &LeafRows<'_>, q: &LeafRows<'_>) -> u32 {
    let (a, b) = (aim.local(p), aim.local(q));
    let (rows_p, rows_q) = (p.corners(), q.corners());
    let zero = V::splat(0.0);
    let mut c = [[zero; 3]; 3];
    for i in 0..3 {
        for k in 0..3 {
            c[i][k] = V::pair(rows_p[i][k], rows_q[i][k]);
        }
    }
    // Of every corner: across the lattice from the line next to the triangle's middle.
    let mut seen = [[zero; 3]; 2];
    let (mut missed, mut size, mut pad) = (zero, zero, zero);
    let mut small = V::splat(0.5);
    for k in 0..2 {
        let [x, y, z] = aim.rows32[k];
        let (x, y, z, shift) = (V::splat(x), V::splat(y), V::splat(z), V::halves(a.at[k], b.at[k]));
        for i in 0..3 {
            seen[k][i] = c[i][0].mul(x).add(c[i][1].mul(y)).add(c[i][2].mul(z)).add(shift);
        }
        let least = seen[k][0].min(seen[k][1]).min(seen[k][2]);
        let most = seen[k][0].max(seen[k][1]).max(seen[k][2]);
        let own = V::halves(a.pad[k], b.pad[k]);
        let mid = least.add(most).mul(V::splat(0.5));
        let half = most.sub(least).mul(V::splat(0.5)).add(own);
        let (first, last) = (V::halves(a.first[k], b.first[k]), V::halves(a.last[k], b.last[k]));
        let (misses, nearest) = between(mid, half, first, last);
        missed = if k == 0 { misses } else { missed.or(misses) };
        for i in 0..3 {
            seen[k][i] = seen[k][i].sub(nearest);
        }
        (size, pad) = (size.add(half), pad.max(own));
        small = if k == 0 { half.less(small) } else { small.and(half.less(V::splat(0.5))) };
    }
    let mut out = missed.bits();
    if aim.far != f64::INFINITY {
        let [x, y, z] = aim.rows32[2];
        let (x, y, z) = (V::splat(x), V::splat(y), V::splat(z));
        let mut least = V::splat(f32::INFINITY);
        for i in 0..3 {
            least = c[i][0].mul(x).add(c[i][1].mul(y)).add(c[i][2].mul(z)).min(least);
        }
        out |= V::halves(a.far, b.far).less(least).bits();
    }
    if out == 0xff {
        return 0;
    }
    // No corner is farther from the line than twice `half`: a corner off by `pad` moves these products by
    // no more than this.
    let over = pad.mul(size.mul(V::splat(4.0)).add(pad.mul(V::splat(2.0))));
    let under = zero.sub(over);
    let mut sides = [zero; 3];
    for i in 0..3 {
        let j = (i + 1) % 3;
        sides[i] = seen[0][i].mul(seen[1][j]).sub(seen[1][i].mul(seen[0][j]));
    }
    let most = sides[0].max(sides[1]).max(sides[2]);
    let least = sides[0].min(sides[1]).min(sides[2]);
    !(out | over.less(most).and(least.less(under)).and(small).bits())
}

impl ObbTree {
    /// Appends to `out` the triangles that the lines (given in the mesh's frame) may cross: none that one
    /// does, or passes within the slack, is left out, few others are let in. They are the same on
    /// every level of instructions.
    pub fn lines(&self, lines: &Lines, scratch: &mut LineScratch, out: &mut Vec<u32>) -> DescentCounts {
        let LineScratch { stack, leaves } = scratch;
        stack.clear();
        leaves.clear();
        let (aim, counts);
        match &self.computed {
            None => {
                aim = Aim::new(lines, self.reach, ([0.0; 3], self.reach));
                stack.push(0);
                let all: Descend<'_, false> = Descend { tree: self, aim: &aim, stack, leaves };
                counts = simd::run(self.simd(), all);
            }
            Some(computed) => {
                let size = self.reach + lines.origin.coords.abs().sum();
                let roots = computed.starts_along(&along(lines, 16.0 * ROUNDING_64 * size));
                if roots.nodes().is_empty() {
                    return DescentCounts::default();
                }
                aim = Aim::new(lines, self.reach, roots.ball());
                stack.extend(roots.nodes().iter().rev().map(|node| node.index()));
                let near: Descend<'_, true> = Descend { tree: self, aim: &aim, stack, leaves };
                counts = simd::run(self.simd(), near);
            }
        }
        simd::run(self.simd(), Pick { tree: self, aim: &aim, leaves, out });
        counts
    }
}
