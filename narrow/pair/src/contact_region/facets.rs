//! The triangles of a surface in the coordinates of parallel lines, and what a line crosses of them.
//!
//! A line beside an edge passes on the same side of it for both its triangles: the side is worked out from the edge's ends in
//! one order. A line through an edge or a corner is taken to pass a little beside it (by ε² and ε, simulation of simplicity),
//! so that it crosses a closed surface an even number of times.

use impinge_geometry::{FacesRef, PairFrame, Side};
use impinge_image_space::view::Axes;
use impinge_midphase::ObbTree;
use impinge_midphase::obb_tree::{LineScratch, Lines};
use nalgebra::Point3;

use super::plane::At;

/// Buckets per side, at most.
const MOST_BUCKETS: usize = 64;

/// Where a line crosses a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub depth: f64,
    /// 1 where it goes in, −1 where it comes out.
    pub turn: i32,
    pub triangle: u32,
}

/// A rectangle of lines (m, across).
#[derive(Clone, Copy, Debug)]
pub(super) struct Rectangle {
    pub low: At,
    pub high: At,
}

impl Rectangle {
    /// Its middle.
    pub fn middle(&self) -> At {
        [0, 1].map(|k| 0.5 * (self.low[k] + self.high[k]))
    }

    /// Its size along one axis (m).
    pub fn size(&self, k: usize) -> f64 {
        self.high[k] - self.low[k]
    }
}

/// The triangles of a surface that lines of a rectangle may cross.
pub(super) struct Facets {
    corners: Vec<[[f64; 3]; 3]>,
    triangles: Vec<u32>,
    rectangle: Rectangle,
    /// Buckets per side, the first entry of each in `members`, and one more at the end.
    side: usize,
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Facets {
    pub fn new(
        (mesh, tree): (FacesRef<'_>, &ObbTree),
        (frame, side): (&PairFrame, Side),
        axes: &Axes,
        rectangle: Rectangle,
    ) -> Facets {
        let [u, v] = rectangle.middle();
        // One line in the middle, and all that passes it by no more than half the rectangle.
        let around = Lines {
            origin: Point3::from(axes.vector([u, v, 0.0])),
            right: axes.right,
            up: axes.up,
            forward: axes.depth,
            spacing: [rectangle.size(0), rectangle.size(1)],
            count: [1, 1],
            slack: 0.5,
            far: f64::INFINITY,
        };
        let (mut triangles, mut search) = (Vec::new(), LineScratch::default());
        let _ = tree.lines(&around.in_frame_of(frame, side), &mut search, &mut triangles);
        triangles.sort_unstable();
        let place = |p: Point3<f32>| axes.coordinates(&frame.place(side, &p).coords);
        let corners: Vec<[[f64; 3]; 3]> = triangles.iter().map(|&t| mesh.corners(t).map(place)).collect();
        let side = ((corners.len() as f64).sqrt() as usize).clamp(1, MOST_BUCKETS);
        let mut facets =
            Facets { corners, triangles, rectangle, side, starts: Vec::new(), members: Vec::new() };
        facets.fill();
        facets
    }

    /// Puts every triangle into the buckets that its box meets: counts, offsets, entries.
    fn fill(&mut self) {
        let mut counts = vec![0u32; self.side * self.side + 1];
        let boxes: Vec<[[usize; 2]; 2]> = self.corners.iter().map(|corners| self.buckets(corners)).collect();
        let side = self.side;
        let within = |[low, high]: &[[usize; 2]; 2]| {
            let (low, high) = (*low, *high);
            (low[1]..=high[1]).flat_map(move |j| (low[0]..=high[0]).map(move |i| j * side + i))
        };
        boxes.iter().flat_map(within).for_each(|bucket| counts[bucket + 1] += 1);
        for bucket in 1..counts.len() {
            counts[bucket] += counts[bucket - 1];
        }
        self.members = vec![0; counts[counts.len() - 1] as usize];
        let mut next = counts.clone();
        for (facet, span) in boxes.iter().enumerate() {
            for bucket in within(span) {
                self.members[next[bucket] as usize] = facet as u32;
                next[bucket] += 1;
            }
        }
        self.starts = counts;
    }

    /// The first and the last bucket, across, of a triangle's box.
    fn buckets(&self, corners: &[[f64; 3]; 3]) -> [[usize; 2]; 2] {
        let bound = |pick: fn(f64, f64) -> f64| {
            let of = |k: usize| pick(pick(corners[0][k], corners[1][k]), corners[2][k]);
            self.bucket([of(0), of(1)])
        };
        [bound(f64::min), bound(f64::max)]
    }

    /// The bucket of a place, or the nearest.
    fn bucket(&self, at: At) -> [usize; 2] {
        [0, 1].map(|k| {
            let cell = (at[k] - self.rectangle.low[k]) / self.rectangle.size(k) * self.side as f64;
            (cell.max(0.0) as usize).min(self.side - 1)
        })
    }

    /// Appends what a line crosses, in no order.
    pub fn cross(&self, at: At, out: &mut Vec<Crossing>) {
        let [i, j] = self.bucket(at);
        let bucket = j * self.side + i;
        let members = &self.members[self.starts[bucket] as usize..self.starts[bucket + 1] as usize];
        for &facet in members {
            if let Some((depth, turn)) = crossed(&self.corners[facet as usize], at) {
                out.push(Crossing { depth, turn, triangle: self.triangles[facet as usize] });
            }
        }
    }
}

/// Where a line crosses a triangle (m), and whether it goes in (1) or out (−1).
fn crossed(corners: &[[f64; 3]; 3], at: At) -> Option<(f64, i32)> {
    let [a, b, c] = corners;
    let (of_a, of_b, of_c) = (beside(b, c, at), beside(c, a, at), beside(a, b, at));
    if of_a.1 != of_b.1 || of_b.1 != of_c.1 {
        return None;
    }
    let sum = of_a.0 + of_b.0 + of_c.0;
    // Seen from the edge a triangle has no inside.
    let depth = (a[2] * of_a.0 + b[2] * of_b.0 + c[2] * of_c.0) / sum;
    depth.is_finite().then_some((depth, if of_a.1 { -1 } else { 1 }))
}

/// Twice the area between an edge and a line, and whether the line passes on its left.
fn beside(from: &[f64; 3], to: &[f64; 3], at: At) -> (f64, bool) {
    if (to[0], to[1]) < (from[0], from[1]) {
        let (area, left) = beside(to, from, at);
        return (-area, !left);
    }
    let (du, dv) = (to[0] - from[0], to[1] - from[1]);
    let area = du * (at[1] - from[1]) - dv * (at[0] - from[0]);
    (area, area > 0.0 || (area == 0.0 && du > 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_scenes::fixtures::{box_mesh, torus};

    /// The lines of a fine lattice through a torus, among them those through its vertices and along its edges, come out as
    /// often as they go in.
    #[test]
    fn every_line_goes_in_as_often_as_it_comes_out() {
        let frame = PairFrame::new(&nalgebra::Isometry3::identity(), &nalgebra::Isometry3::identity());
        let axes = Axes::towards(&nalgebra::Vector3::z());
        for mesh in [torus(1.0, 0.25, 16, 8), box_mesh([1.0, 0.5, 0.25])] {
            let tree = ObbTree::build(&mesh);
            let rectangle = Rectangle { low: [-2.0; 2], high: [2.0; 2] };
            let facets = Facets::new(((&mesh).into(), &tree), (&frame, Side::A), &axes, rectangle);
            assert_eq!(facets.triangles.len(), mesh.triangles().len());
            let mut crossings = Vec::new();
            let vertices = mesh.vertices().iter().map(|p| {
                let c = axes.coordinates(&frame.place(Side::A, p).coords);
                [c[0], c[1]]
            });
            let lattice = (0..6400).map(|k| [f64::from(k % 80) * 0.05 - 2.0, f64::from(k / 80) * 0.05 - 2.0]);
            let mut met = 0;
            for at in vertices.chain(lattice) {
                crossings.clear();
                facets.cross(at, &mut crossings);
                assert_eq!(crossings.iter().map(|c| c.turn).sum::<i32>(), 0, "{at:?}");
                met += usize::from(!crossings.is_empty());
            }
            assert!(met > 200);
        }
    }
}
