//! From the frame of a body to a view's lattice, in double precision: how the CPU places vertices. Where a device has
//! to come to the same, [`crate::fixed_map`] does so in integers.

#[cfg(test)]
use impinge_geometry::TriMesh;
use impinge_geometry::{PairFrame, Side};
use nalgebra::{Matrix3, Point3, Vector3};

use crate::coverage::{FourCorners, LANES, Place, nearest};
use crate::view::View;

/// From the frame of a body straight to a view: sub-pixels from the centre of the first pixel, and depth
/// steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Snap {
    /// Right, up, depth.
    pub rows: [[f64; 3]; 3],
    /// What is added to each.
    pub shift: [f64; 3],
}

impl Snap {
    /// The map from one side of a pair.
    pub(crate) fn new(view: &View, frame: &PairFrame, side: Side) -> Snap {
        Snap::of_body(view, &frame.rotation[side.index()], &frame.offset[side.index()])
    }

    /// The map from a body whose frame is turned by `rotation` and stands at `position` (m), where the view does.
    pub(crate) fn of_body(view: &View, rotation: &Matrix3<f64>, position: &Vector3<f64>) -> Snap {
        let offset = position - view.anchor.coords;
        let sub = view.sub_pixels();
        let scales = [sub / view.pixel[0], sub / view.pixel[1], 1.0 / view.step];
        let starts = [
            view.first[0] as f64 * sub + 0.5 * sub,
            view.first[1] as f64 * sub + 0.5 * sub,
            view.near / view.step,
        ];
        let axes = [&view.axes.right, &view.axes.up, &view.axes.depth];
        Snap {
            rows: std::array::from_fn(|k| {
                let r = rotation.tr_mul(axes[k]) * scales[k];
                [r.x, r.y, r.z]
            }),
            shift: std::array::from_fn(|k| axes[k].dot(&offset) * scales[k] - starts[k]),
        }
    }

    /// Where a point of the body is.
    #[inline]
    pub(crate) fn place(&self, p: &Point3<f32>) -> [f64; 3] {
        self.at([p.x, p.y, p.z].map(f64::from))
    }

    /// Where a place in the body's frame is.
    #[inline]
    pub(crate) fn at(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let ([a, b, c], [s, t, u]) = (&self.rows, self.shift);
        [
            (a[0] * x + a[1] * y + a[2] * z) + s,
            (b[0] * x + b[1] * y + b[2] * z) + t,
            (c[0] * x + c[1] * y + c[2] * z) + u,
        ]
    }

    /// The corners of a triangle.
    #[cfg(test)]
    pub(crate) fn corners(&self, mesh: &TriMesh, triangle: u32) -> [[f64; 3]; 3] {
        mesh.corners(triangle).map(|p| self.place(&p))
    }
}

impl Place for Snap {
    #[inline(always)]
    fn four(&self, vertices: &FourCorners) -> FourCorners {
        let mut placed = [[[0.0; LANES]; 3]; 3];
        for i in 0..3 {
            let [x, y, z] = &vertices[i];
            for (k, placed) in placed[i].iter_mut().enumerate() {
                let ([a, b, c], s) = (&self.rows[k], self.shift[k]);
                for lane in 0..LANES {
                    // In the order of `Snap::at`.
                    placed[lane] = nearest((a * x[lane] + b * y[lane] + c * z[lane]) + s);
                }
            }
        }
        placed
    }
}
