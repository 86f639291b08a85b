//! Turning a box about its own axes as long as its surface shrinks.
//!
//! Greedy descent: a turn about each axis, one way and the other, is kept where the box around the
//! points has less area; the angle halves from step to step. A turn changes two extents only, so it
//! costs four products per point.

use super::build::Prim;

/// A box around twice as many triangles or more is turned by about this many of them, evenly chosen.
const SAMPLE: usize = 192;

/// Whether [`refine`] looks at some of the triangles only.
pub(super) fn is_sampled(triangles: usize) -> bool {
    triangles >= 2 * SAMPLE
}

/// `tan(θ/2)` of the first turn: about 17°.
const FIRST: f32 = 0.15;

/// Points that are turned side by side.
const LANES: usize = 4;

/// Points, coordinates apart, in the frame of a box that is being turned.
#[derive(Default)]
pub(super) struct Points {
    rows: [Vec<f32>; 3],
}

/// Turns `axes` to a box of less area around the corners of `prims`.
pub(super) fn refine(prims: &[Prim], axes: [[f32; 3]; 3], steps: u32, points: &mut Points) -> [[f32; 3]; 3] {
    let mut axes = axes.map(|axis| axis.map(f64::from));
    points.project(prims, &axes);
    let mut extent: [f32; 3] = std::array::from_fn(|i| points.extent(i));
    let mut half_tangent = FIRST;
    for _ in 0..steps {
        for about in 0..3 {
            for t in [half_tangent, -half_tangent] {
                let (i, j) = ((about + 1) % 3, (about + 2) % 3);
                let (c, s) = ((1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t));
                let [ei, ej] = points.turned_extents(i, j, c, s);
                let other = extent[about];
                if area(ei, ej, other) < area(extent[i], extent[j], other) {
                    points.turn(i, j, c, s);
                    (extent[i], extent[j]) = (ei, ej);
                    let (c, s) = (f64::from(c), f64::from(s));
                    let (x, y) = (axes[i], axes[j]);
                    axes[i] = std::array::from_fn(|k| c * x[k] + s * y[k]);
                    axes[j] = std::array::from_fn(|k| c * y[k] - s * x[k]);
                    break;
                }
            }
        }
        half_tangent *= 0.5;
    }
    super::covariance::orthonormal(axes).map(|axis| axis.map(|x| x as f32))
}

fn area(x: f32, y: f32, z: f32) -> f32 {
    x * y + y * z + z * x
}

impl Points {
    fn project(&mut self, prims: &[Prim], axes: &[[f64; 3]; 3]) {
        let axes = axes.map(|axis| axis.map(|x| x as f32));
        for (row, axis) in self.rows.iter_mut().zip(axes) {
            row.clear();
            for prim in prims.iter().step_by((prims.len() / SAMPLE).max(1)) {
                row.extend(prim.corners.map(|p| axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]));
            }
            // Whole rows, filled up with a point that is there already.
            row.resize(row.len().next_multiple_of(LANES), row[0]);
        }
    }

    fn extent(&self, i: usize) -> f32 {
        let (mut lo, mut hi) = (f32::INFINITY, f32::NEG_INFINITY);
        for &x in &self.rows[i] {
            lo = if x < lo { x } else { lo };
            hi = if x > hi { x } else { hi };
        }
        hi - lo
    }

    /// Extents along axes `i` and `j` after a turn in their plane.
    fn turned_extents(&self, i: usize, j: usize, c: f32, s: f32) -> [f32; 2] {
        let (xs, ys) = (self.rows[i].as_chunks::<LANES>().0, self.rows[j].as_chunks::<LANES>().0);
        let (mut lo, mut hi) = ([[f32::INFINITY; LANES]; 2], [[f32::NEG_INFINITY; LANES]; 2]);
        for (x, y) in xs.iter().zip(ys) {
            for k in 0..LANES {
                let (p, q) = (c * x[k] + s * y[k], c * y[k] - s * x[k]);
                lo[0][k] = if p < lo[0][k] { p } else { lo[0][k] };
                hi[0][k] = if p > hi[0][k] { p } else { hi[0][k] };
                lo[1][k] = if q < lo[1][k] { q } else { lo[1][k] };
                hi[1][k] = if q > hi[1][k] { q } else { hi[1][k] };
            }
        }
        let least = |r: [f32; LANES]| r[0].min(r[1]).min(r[2].min(r[3]));
        let most = |r: [f32; LANES]| r[0].max(r[1]).max(r[2].max(r[3]));
        [most(hi[0]) - least(lo[0]), most(hi[1]) - least(lo[1])]
    }

    fn turn(&mut self, i: usize, j: usize, c: f32, s: f32) {
        let mut xs = std::mem::take(&mut self.rows[i]);
        for (x, y) in xs.iter_mut().zip(&mut self.rows[j]) {
            (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
        }
        self.rows[i] = xs;
    }
}
