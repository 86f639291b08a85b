//! The triangles that a view can see: those whose projection meets its rectangle, from outside
//! the body to the far plane.

use impinge_geometry::{PairFrame, Side, TriMesh};
use nalgebra::{Point3, Vector3};

use super::covariance::dot;
use super::node::{Below, OrientedBox};
use super::{DescentCounts, ObbTree};

/// What a view looks through: a rectangle swept along the direction of view. It is bounded by the
/// far plane but not by a near one, since what lies before the near plane is needed to tell
/// inside from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prism {
    /// Centre of the rectangle (m).
    pub origin: Point3<f64>,
    /// Unit, along the rectangle's first side.
    pub right: Vector3<f64>,
    /// Unit, along its second side.
    pub up: Vector3<f64>,
    /// Unit, the direction of view.
    pub forward: Vector3<f64>,
    /// Half the sides (m).
    pub half: [f64; 2],
    /// How far the prism reaches from the origin along `forward` (m); may be infinite.
    pub far: f64,
}

impl Prism {
    /// A prism of the pair frame as the body `side` sees it.
    pub fn in_frame_of(&self, frame: &PairFrame, side: Side) -> Prism {
        Prism {
            origin: frame.to_local(side, &self.origin),
            right: frame.direction_to_local(side, &self.right),
            up: frame.direction_to_local(side, &self.up),
            forward: frame.direction_to_local(side, &self.forward),
            ..*self
        }
    }
}

/// How a box stands to a prism.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Nothing of it may be in the prism.
    Apart,
    /// Some of it may be.
    Crosses,
    /// All of it is.
    Inside,
}

/// A prism made ready for tests in the frame of a mesh.
struct Test {
    origin: [f64; 3],
    right: [f64; 3],
    up: [f64; 3],
    forward: [f64; 3],
    half: [f64; 2],
    far: f64,
    /// Bounds the rounding error of a projected point (m).
    pad: f64,
}

impl Test {
    fn new(prism: &Prism, reach: f64) -> Test {
        let origin: [f64; 3] = prism.origin.into();
        let pad = (reach + dot(origin, origin).sqrt() + prism.half[0] + prism.half[1]) * 1e-14;
        Test {
            origin,
            right: prism.right.into(),
            up: prism.up.into(),
            forward: prism.forward.into(),
            half: prism.half.map(|h| h + pad),
            far: prism.far + pad,
            pad,
        }
    }

    /// A vector in the view: along right, up and forward.
    fn turn(&self, v: [f64; 3]) -> [f64; 3] {
        [dot(self.right, v), dot(self.up, v), dot(self.forward, v)]
    }

    /// A point (m) in the view.
    fn see(&self, p: [f32; 3]) -> [f64; 3] {
        self.turn(std::array::from_fn(|k| f64::from(p[k]) - self.origin[k]))
    }

    /// Where a box stands: judged along the view's three axes, and in the image along the normals of
    /// the box's edges.
    fn place_box(&self, b: &OrientedBox) -> Standing {
        let c = self.see(b.center);
        let e: [[f64; 3]; 3] = std::array::from_fn(|i| {
            let axis = b.axes[i].map(|x| f64::from(x) * f64::from(b.half[i]));
            self.turn(axis)
        });
        // Axes are orthonormal within 4 · 2⁻²⁴.
        let loose = b.half.iter().map(|&h| f64::from(h)).sum::<f64>() * 5e-7;
        let reach = [0, 1, 2].map(|k| e[0][k].abs() + e[1][k].abs() + e[2][k].abs() + loose);
        if c[0].abs() > self.half[0] + reach[0]
            || c[1].abs() > self.half[1] + reach[1]
            || c[2] - reach[2] > self.far
        {
            return Standing::Apart;
        }
        if c[0].abs() + reach[0] <= self.half[0]
            && c[1].abs() + reach[1] <= self.half[1]
            && c[2] + reach[2] <= self.far
        {
            return Standing::Inside;
        }
        let meets = (0..3).all(|i| {
            let n = [-e[i][1], e[i][0]];
            let along = |v: &[f64; 3]| (n[0] * v[0] + n[1] * v[1]).abs();
            let size = n[0].abs() + n[1].abs();
            let reach = along(&e[0]) + along(&e[1]) + along(&e[2]) + size * (loose + self.pad);
            along(&c) <= reach + self.half[0] * n[0].abs() + self.half[1] * n[1].abs()
        });
        if meets { Standing::Crosses } else { Standing::Apart }
    }

    /// Whether a triangle may meet the prism: its bounds in the view, and the normals of its edges.
    fn meets_triangle(&self, corners: [Point3<f32>; 3]) -> bool {
        let v = corners.map(|p| self.see(p.into()));
        let least = |k: usize| v[0][k].min(v[1][k]).min(v[2][k]);
        let most = |k: usize| v[0][k].max(v[1][k]).max(v[2][k]);
        if (0..2).any(|k| least(k) > self.half[k] || most(k) < -self.half[k]) || least(2) > self.far {
            return false;
        }
        (0..3).all(|i| {
            let (p, q) = (&v[i], &v[(i + 1) % 3]);
            let n = [p[1] - q[1], q[0] - p[0]];
            let s = v.map(|x| n[0] * x[0] + n[1] * x[1]);
            let size = n[0].abs() + n[1].abs();
            let far = v.iter().fold(0.0, |m, x| f64::max(m, x[0].abs() + x[1].abs()));
            let reach = self.half[0] * n[0].abs()
                + self.half[1] * n[1].abs()
                + 4.0 * self.pad * (size + far)
                + size * far * 1e-14;
            s[0].min(s[1]).min(s[2]) <= reach && s[0].max(s[1]).max(s[2]) >= -reach
        })
    }
}

impl ObbTree {
    /// Appends to `out` the triangles of `mesh`, which the tree was built over, that may meet the
    /// prism (given in the mesh's frame): none that does is left out, few others are let in. They
    /// come in the order of the tree's leaves.
    pub fn prism(&self, mesh: &TriMesh, prism: &Prism, out: &mut Vec<u32>) -> DescentCounts {
        let test = Test::new(prism, self.reach);
        let mut counts = DescentCounts { box_tests: 1, ..DescentCounts::default() };
        let mut stack = vec![(self.root_child(), test.place_box(&self.root_box()))];
        while let Some((child, standing)) = stack.pop() {
            if standing == Standing::Apart {
                continue;
            }
            match child.below() {
                Below::None => {}
                Below::Leaf(leaf) => {
                    let own = self.leaf_triangles(leaf).iter();
                    match standing {
                        Standing::Inside => out.extend(own),
                        _ => out.extend(own.filter(|&&t| test.meets_triangle(mesh.corners(t)))),
                    }
                }
                Below::Node(index) => {
                    let node = &self.nodes[index as usize];
                    let tested = standing == Standing::Crosses;
                    counts.wide_tests += u64::from(tested);
                    counts.box_tests += if tested { node.len() as u64 } else { 0 };
                    for lane in (0..node.len()).rev() {
                        let place = if tested { test.place_box(&node.get(lane)) } else { Standing::Inside };
                        stack.push((node.child[lane], place));
                    }
                }
            }
        }
        counts
    }
}
