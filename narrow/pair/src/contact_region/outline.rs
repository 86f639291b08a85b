//! The outline of a region: marching squares over a lattice of lines, with each crossing searched between its two lines
//! and corners put where the sides beside them meet.

use super::lattice::Lattice;
use super::lines::RegionLines;
use super::plane::{At, cross, length, minus, plus};

/// Halvings of the distance between two lines.
const HALVINGS: u32 = 30;
/// Sides that turn by less are no corner (cosine of 25°).
const CORNER: f64 = 0.906;
/// A corner is searched no farther than this from the sides that lead to it (cells).
const CORNER_REACH: f64 = 1.6;
/// How far beside a corner the overlap is asked for (cells).
const CORNER_PROOF: f64 = 0.02;
/// A side's direction is taken over no less than this (cells).
const SIDE: f64 = 0.05;
/// A vertex that lies this close to the line past it is left out (cells), and how much it may stand out along the normal.
const STRAIGHT: f64 = 1e-5;
const LEVEL: f64 = 1e-3;

/// A vertex of an outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Vertex {
    pub at: At,
    /// Halfway between the surfaces (m along the line).
    pub depth: f64,
}

/// The edges between the centres of neighbouring cells, and the vertex and successor of those that the outline crosses.
struct Edges {
    vertices: Vec<Option<Vertex>>,
    next: Vec<usize>,
}

/// The loops of the outline, the region on their left.
pub(super) fn trace(lines: &mut RegionLines<'_>, lattice: &Lattice) -> Vec<Vec<Vertex>> {
    let edges = Edges::new(lines, lattice);
    let mut seen = vec![false; edges.vertices.len()];
    let mut loops = Vec::new();
    for first in 0..edges.vertices.len() {
        if seen[first] || edges.vertices[first].is_none() {
            continue;
        }
        let (mut vertices, mut at) = (Vec::new(), first);
        while !seen[at] {
            seen[at] = true;
            vertices.extend(edges.vertices[at]);
            at = edges.next[at];
        }
        let vertices = straightened(&with_corners(lines, lattice.cell, &vertices), lattice.cell);
        if vertices.len() > 2 {
            loops.push(vertices);
        }
    }
    loops
}

impl Edges {
    /// Edge `2k` runs from cell `k` to the right, edge `2k + 1` up.
    fn new(lines: &mut RegionLines<'_>, lattice: &Lattice) -> Edges {
        let [width, height] = lattice.count;
        let mut edges = Edges { vertices: vec![None; 2 * width * height], next: vec![0; 2 * width * height] };
        for j in 0..height {
            for i in 0..width {
                let here = lattice.met(i, j);
                let beside = [(i + 1, j), (i, j + 1)];
                for (k, (p, q)) in beside.into_iter().enumerate() {
                    if p < width && q < height && lattice.met(p, q) != here {
                        let (one, other) = (lattice.center(i, j), lattice.center(p, q));
                        let (met, not) = if here { (one, other) } else { (other, one) };
                        edges.vertices[2 * (j * width + i) + k] = Some(border(lines, met, not));
                    }
                }
            }
        }
        for j in 0..height - 1 {
            for i in 0..width - 1 {
                edges.join(lines, lattice, i, j);
            }
        }
        edges
    }

    /// Joins the crossings round the square of four cells' centres.
    fn join(&mut self, lines: &mut RegionLines<'_>, lattice: &Lattice, i: usize, j: usize) {
        let width = lattice.count[0];
        let cell = |i: usize, j: usize| j * width + i;
        let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| lattice.met(i, j));
        // Its sides, counter-clockwise.
        let sides = [2 * cell(i, j), 2 * cell(i + 1, j) + 1, 2 * cell(i, j + 1), 2 * cell(i, j) + 1];
        let leaves = |k: usize| corners[k] && !corners[(k + 1) % 4];
        let enters = |k: usize| !corners[k] && corners[(k + 1) % 4];
        let count = (0..4).filter(|&k| leaves(k)).count();
        // Of two opposite corners it depends on the middle whether they belong together.
        let joined = count == 2 && {
            let (low, high) = (lattice.center(i, j), lattice.center(i + 1, j + 1));
            lines.meets([0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])])
        };
        for k in (0..4).filter(|&k| leaves(k)) {
            let to = match (count, joined) {
                (2, true) => Some((k + 1) % 4),
                (2, false) => Some((k + 3) % 4),
                _ => (0..4).find(|&to| enters(to)),
            };
            if let Some(to) = to {
                self.next[sides[k]] = sides[to];
            }
        }
    }
}

/// Where the overlap ends between a line that meets it and one that does not.
fn border(lines: &mut RegionLines<'_>, met: At, not: At) -> Vertex {
    let way = minus(not, met);
    let (mut low, mut high) = (0.0, 1.0);
    let mut depth = lines.middle(met).unwrap_or(0.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        match lines.middle(plus(met, way, middle)) {
            Some(found) => (low, depth) = (middle, found),
            None => high = middle,
        }
    }
    Vertex { at: plus(met, way, low), depth }
}

/// The loop with its corners: between two sides that are cut off, where they would meet, if the overlap ends there.
fn with_corners(lines: &mut RegionLines<'_>, cell: f64, vertices: &[Vertex]) -> Vec<Vertex> {
    let count = vertices.len();
    let mut all = Vec::with_capacity(count + 8);
    for k in 0..count {
        all.push(vertices[k]);
        let next = (k + 1) % count;
        // Directions of the sides that lead to the cut from before and from behind.
        let toward = |from: usize, step: usize| {
            let base = vertices[from].at;
            let far = (1..count).map(|n| vertices[(from + n * step) % count].at);
            let found = far.map(|at| minus(base, at)).find(|d| length(*d) >= SIDE * cell)?;
            let size = length(found);
            Some(found.map(|x| x / size))
        };
        let Some((before, behind)) = toward(k, count - 1).zip(toward(next, 1)) else { continue };
        if let Some(corner) = corner(lines, cell, [vertices[k], vertices[next]], [before, behind]) {
            all.push(corner);
        }
    }
    all
}

/// The corner where two sides meet that end at `ends` and run on along `ways` (unit), towards each other.
fn corner(lines: &mut RegionLines<'_>, cell: f64, ends: [Vertex; 2], ways: [At; 2]) -> Option<Vertex> {
    let [p, q] = ends.map(|end| end.at);
    let [along, back] = ways;
    let turn = cross(back, along);
    // The second side runs against its way.
    if -(along[0] * back[0] + along[1] * back[1]) > CORNER || turn == 0.0 {
        return None;
    }
    let gap = minus(q, p);
    let [s, t] = [cross(back, gap) / turn, cross(along, gap) / turn];
    let reach = CORNER_REACH * cell;
    if !(1e-6 * cell..=reach).contains(&s) || !(1e-6 * cell..=reach).contains(&t) {
        return None;
    }
    let at = plus(p, along, s);
    let middle = plus(p, gap, 0.5);
    let off = minus(middle, at);
    let size = length(off);
    // At a convex corner the region lies towards the cut, at a concave one beyond.
    let convex = cross(along, back) < 0.0;
    let inward = off.map(|x| (if convex { x } else { -x }) / size);
    let proof = (CORNER_PROOF * cell).min(0.5 * size);
    let depth = lines.middle(plus(at, inward, proof))?;
    (!lines.meets(plus(at, inward, -proof))).then_some(Vertex { at, depth })
}

/// The loop without the vertices that lie on the line past them, from its sharpest corner on.
fn straightened(vertices: &[Vertex], cell: f64) -> Vec<Vertex> {
    let count = vertices.len();
    if count < 3 {
        return Vec::new();
    }
    let turn = |k: usize| {
        let at = |k: usize| vertices[k % count].at;
        let (before, behind) = (minus(at(k), at(k + count - 1)), minus(at(k + 1), at(k)));
        cross(before, behind).abs() / (length(before) * length(behind)).max(f64::MIN_POSITIVE)
    };
    let first = (1..count).fold(0, |most, k| if turn(k) > turn(most) { k } else { most });
    let at = |k: usize| &vertices[(first + k) % count];
    let mut kept = vec![*at(0)];
    let mut from = 0;
    while from < count {
        let mut to = from + 1;
        while to < count && (from + 1..=to).all(|k| on_line(at(from), at(k), at(to + 1), cell)) {
            to += 1;
        }
        if to < count {
            kept.push(*at(to));
        }
        from = to;
    }
    kept
}

/// Whether a vertex lies on the line between two others.
fn on_line(from: &Vertex, it: &Vertex, to: &Vertex, cell: f64) -> bool {
    let (way, off) = (minus(to.at, from.at), minus(it.at, from.at));
    let size = length(way);
    if size <= STRAIGHT * cell {
        return length(off) <= STRAIGHT * cell;
    }
    let share = (way[0] * off[0] + way[1] * off[1]) / (size * size);
    let level = from.depth + (to.depth - from.depth) * share;
    (0.0..=1.0).contains(&share)
        && cross(way, off).abs() <= STRAIGHT * cell * size
        && (it.depth - level).abs() <= LEVEL * cell
}
