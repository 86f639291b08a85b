//! Two bodies combined, seen along three axes at right angles through the points of one grid.

use impinge_geometry::TriMesh;
use nalgebra::{Isometry3, Point3, Vector3};

use super::view::world_box;
use super::{Boolean, Crossing, LayeredDepthImage, LdiError, LdiScratch, LdiView, MOST_CELLS};
use crate::view::Axes;

/// Grid points beyond the result on every side.
const MARGIN: u32 = 2;

/// Images along x, y and z of a combination of two bodies; their lines cross in the points of a grid.
pub(super) struct Cube {
    pub images: [LayeredDepthImage; 3],
    /// Grid points along x, y and z.
    pub points: [usize; 3],
    /// Distance of grid points (m).
    pub cell: f64,
    /// The first grid point, from the middle of the cube (m).
    pub first: Vector3<f64>,
    /// The middle (m, world).
    pub center: Point3<f64>,
    /// Whether each grid point is inside: x runs fastest, then y.
    inside: Vec<bool>,
}

impl Cube {
    /// A grid of about `cells` along the longest side of what the result can fill. `None` where that is
    /// nothing.
    pub fn capture(
        boolean: Boolean,
        bodies: [(&TriMesh, &Isometry3<f64>); 2],
        cells: u32,
    ) -> Result<Option<Cube>, LdiError> {
        if !(1..=MOST_CELLS).contains(&cells) {
            return Err(LdiError::Cells { cells });
        }
        let Some([min, max]) = reach(boolean, bodies)? else { return Ok(None) };
        let size = max - min;
        let cell = size.amax() / f64::from(cells);
        if !(cell.is_finite() && cell > 1e-280) {
            return Ok(None);
        }
        let points = [0, 1, 2].map(|k| (size[k] / cell).ceil() as u32 + 2 * MARGIN);
        let center = nalgebra::center(&min, &max);
        let mut scratch = LdiScratch::default();
        let mut image = |d: usize| -> Result<LayeredDepthImage, LdiError> {
            let axis = |k: usize| Vector3::ith(k % 3, 1.0);
            let axes = Axes { right: axis(d + 1), up: axis(d + 2), depth: axis(d) };
            let count = [1, 2, 0].map(|k| points[(d + k) % 3]);
            let view =
                LdiView::with_axes(axes, center, count.map(|n| f64::from(n) * cell), [count[0], count[1]])?;
            let [a, b] = bodies.map(|(mesh, pose)| {
                let mut image = LayeredDepthImage::new(view);
                image.recapture(mesh, pose, view, Default::default(), &mut scratch).map(|()| image)
            });
            a?.combined(boolean, &b?)
        };
        let images = [image(0)?, image(1)?, image(2)?];
        let first = -Vector3::from(points.map(|n| 0.5 * f64::from(n - 1) * cell));
        let points = points.map(|n| n as usize);
        let mut cube = Cube { images, points, cell, first, center, inside: Vec::new() };
        cube.vote();
        Ok(Some(cube))
    }

    /// A grid point is inside where two of the three lines through it say so.
    fn vote(&mut self) {
        let mut votes = vec![0u8; self.points.iter().product()];
        for d in 0..3 {
            let (u, v) = ((d + 1) % 3, (d + 2) % 3);
            for j in 0..self.points[v] {
                for i in 0..self.points[u] {
                    for pair in self.images[d].line(i as u32, j as u32).chunks_exact(2) {
                        let [from, to] = [0, 1].map(|k| self.after(d, pair[k]));
                        for k in from..to {
                            let mut at = [0; 3];
                            (at[d], at[u], at[v]) = (k, i, j);
                            votes[self.index(at)] += 1;
                        }
                    }
                }
            }
        }
        self.inside = votes.into_iter().map(|n| n >= 2).collect();
    }

    /// The first grid point along an axis that lies behind a crossing.
    fn after(&self, d: usize, crossing: Crossing) -> usize {
        let steps = f64::from(crossing.depth()) * self.steps(d);
        ((steps + 0.5).floor() as usize).min(self.points[d])
    }

    /// Length of a step along an axis (cells).
    fn steps(&self, d: usize) -> f64 {
        self.images[d].view().step() / self.cell
    }

    fn index(&self, at: [usize; 3]) -> usize {
        (at[2] * self.points[1] + at[1]) * self.points[0] + at[0]
    }

    /// Whether a grid point is inside.
    pub fn is_inside(&self, at: [usize; 3]) -> bool {
        self.inside[self.index(at)]
    }

    /// Where the surface crosses from a grid point to the next along an axis (parts of a cell), and the
    /// crossing; one that the line of the image does not have lies halfway.
    pub fn crossing(&self, at: [usize; 3], d: usize) -> (f64, Option<Crossing>) {
        let (u, v) = ((d + 1) % 3, (d + 2) % 3);
        let front = !self.is_inside(at);
        let from = at[d] as f64 + 0.5;
        let line = self.images[d].line(at[u] as u32, at[v] as u32);
        let part = |c: &Crossing| f64::from(c.depth()) * self.steps(d) - from;
        let found = line.iter().find(|c| c.is_front() == front && (0.0..=1.0).contains(&part(c)));
        found.map_or((0.5, None), |c| (part(c), Some(*c)))
    }
}

/// A box of the world that holds the result.
fn reach(
    boolean: Boolean,
    bodies: [(&TriMesh, &Isometry3<f64>); 2],
) -> Result<Option<[Point3<f64>; 2]>, LdiError> {
    let [a, b] = bodies.map(|(mesh, pose)| world_box(mesh, pose));
    let ([a_min, a_max], [b_min, b_max]) = (a?, b?);
    let (min, max) = match boolean {
        Boolean::And => (a_min.sup(&b_min), a_max.inf(&b_max)),
        Boolean::Or => (a_min.inf(&b_min), a_max.sup(&b_max)),
        Boolean::Minus => (a_min, a_max),
    };
    Ok((0..3).all(|k| min[k] < max[k]).then_some([min, max]))
}
