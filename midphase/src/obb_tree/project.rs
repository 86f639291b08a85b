//! Descents by what a box covers of an image.

use std::ops::ControlFlow;

use super::ObbTree;
use super::node::{Below, Node, WIDTH};

/// An affine map from a mesh's frame to an image: two coordinates across it and a depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// For each of the three coordinates a row of the linear part and what is added.
    pub rows: [[f64; 4]; 3],
}

/// What a box of a tree covers of an image, rounded outward: least and greatest coordinate along each
/// of the three rows of a [`Projection`].
pub type Covered = [[f32; 2]; 3];

impl Projection {
    /// Where a point of the mesh's frame appears.
    #[inline]
    pub fn at(&self, p: [f32; 3]) -> [f64; 3] {
        let [x, y, z] = p.map(f64::from);
        self.rows.map(|r| r[0] * x + r[1] * y + r[2] * z + r[3])
    }
}

/// The rows in `f32`, and how far each may be off for points within a tree's reach.
struct Test {
    rows: [[f32; 4]; 3],
    slack: [f32; 3],
}

/// What the children of a node cover.
struct Lanes {
    low: [[f32; WIDTH]; 3],
    high: [[f32; WIDTH]; 3],
}

impl Test {
    fn new(projection: &Projection, reach: f64) -> Test {
        let rows = projection.rows.map(|r| r.map(|x| x as f32));
        // Twelve rounded operations on terms no greater than these, and axes that are orthonormal
        // within 4 · 2⁻²⁴; half extents are at most twice the reach.
        let slack = projection.rows.map(|r| {
            let linear = r[0].abs() + r[1].abs() + r[2].abs();
            ((linear * reach * 8.0 + r[3].abs()) * 32.0 / 16_777_216.0) as f32 + f32::MIN_POSITIVE
        });
        Test { rows, slack }
    }

    #[inline(always)]
    fn children(&self, node: &Node) -> Lanes {
        let mut lanes = Lanes { low: [[0.0; WIDTH]; 3], high: [[0.0; WIDTH]; 3] };
        for k in 0..3 {
            let [a, b, c, d] = self.rows[k];
            for l in 0..WIDTH {
                let middle = a * node.center[0][l] + b * node.center[1][l] + c * node.center[2][l] + d;
                let mut reach = self.slack[k];
                for i in 0..3 {
                    let along = a * node.axes[i][0][l] + b * node.axes[i][1][l] + c * node.axes[i][2][l];
                    reach += along.abs() * node.half[i][l];
                }
                lanes.low[k][l] = middle - reach;
                lanes.high[k][l] = middle + reach;
            }
        }
        lanes
    }
}

impl ObbTree {
    /// Visits the leaves of which `open` is true for their own boxes and for all boxes around them, in
    /// the order of the tree, until `leaf` breaks. `open` is told what a box covers; it should be true
    /// for anything within a box for which it is true.
    pub fn projected(
        &self,
        projection: &Projection,
        mut open: impl FnMut(&Covered) -> bool,
        mut leaf: impl FnMut(u32) -> ControlFlow<()>,
        stack: &mut Vec<u32>,
    ) -> ControlFlow<()> {
        let test = Test::new(projection, self.reach);
        let mut room = None;
        stack.clear();
        stack.push(0);
        // A leaf's number has the highest bit set.
        const LEAF: u32 = 1 << 31;
        while let Some(next) = stack.pop() {
            if next & LEAF != 0 {
                leaf(next & !LEAF)?;
                continue;
            }
            let node = self.node(next, &mut room);
            let lanes = test.children(node);
            for l in (0..node.len()).rev() {
                let covered = [0, 1, 2].map(|k| [lanes.low[k][l], lanes.high[k][l]]);
                if open(&covered) {
                    match node.child[l].below() {
                        Below::Node(index) => stack.push(index),
                        Below::Leaf(index) => stack.push(index | LEAF),
                        Below::None => {}
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use impinge_geometry::TriMesh;
    use nalgebra::Point3;

    use super::*;

    fn sheet(n: u32) -> TriMesh {
        let at = |k: u32| (k as f32) / n as f32;
        let vertices = (0..=n)
            .flat_map(|y| (0..=n).map(move |x| (x, y)))
            .map(|(x, y)| Point3::new(at(x), at(y), 0.1 * (at(x) * 9.0).sin()))
            .collect();
        let corner = |x: u32, y: u32| y * (n + 1) + x;
        let cells = (0..n).flat_map(|y| (0..n).map(move |x| (x, y)));
        let faces = cells.flat_map(|(x, y)| {
            [
                [corner(x, y), corner(x + 1, y), corner(x, y + 1)],
                [corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)],
            ]
        });
        TriMesh::new(vertices, faces.collect()).unwrap()
    }

    #[test]
    fn every_triangle_that_meets_the_window_is_visited_and_boxes_hold_their_triangles() {
        let mesh = sheet(40);
        let tree = ObbTree::build(&mesh);
        for turn in 0..12 {
            let (sin, cos) = f64::from(turn).sin_cos();
            let rows = [
                [50.0 * cos, -50.0 * sin, 3.0, 7.0],
                [50.0 * sin, 50.0 * cos, -4.0, 1e3],
                [0.1, 0.2, 1.0, -5.0],
            ];
            let projection = Projection { rows };
            let window = |c: &Covered| c[0][1] >= 10.0 && c[0][0] <= 30.0 && c[1][1] >= 1010.0;
            let mut seen = vec![false; mesh.triangles().len()];
            let visit = |leaf| {
                tree.leaf_triangles(leaf).iter().for_each(|&t| seen[t as usize] = true);
                ControlFlow::Continue(())
            };
            assert!(tree.projected(&projection, window, visit, &mut Vec::new()).is_continue());
            let (mut missed, mut let_in) = (0, 0);
            for (t, &seen) in seen.iter().enumerate() {
                let c = mesh.corners(t as u32).map(|p| projection.at(p.into()));
                let all = |out: &dyn Fn(&[f64; 3]) -> bool| c.iter().all(out);
                let apart = all(&|p| p[0] < 10.0) || all(&|p| p[0] > 30.0) || all(&|p| p[1] < 1010.0);
                missed += u32::from(!apart && !seen);
                let_in += u32::from(apart && seen);
            }
            assert_eq!(missed, 0);
            assert!(let_in < 400, "{let_in} of 3200");
        }
    }

    #[test]
    fn a_tree_over_nothing_has_no_leaves_and_a_break_ends_it() {
        let projection =
            Projection { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };
        let none = ObbTree::default();
        let visit = |_| panic!("no leaf");
        assert!(none.projected(&projection, |_| true, visit, &mut Vec::new()).is_continue());
        let tree = ObbTree::build(&sheet(8));
        let mut count = 0;
        let visit = |_| {
            count += 1;
            if count == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        assert!(tree.projected(&projection, |_| true, visit, &mut Vec::new()).is_break());
        assert_eq!(count, 3);
    }
}
