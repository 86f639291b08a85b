//! Which triangles of two leaves may meet on their ways?

use impinge_geometry::{PairPath, Side};
use impinge_midphase::obb_tree::LEAF_TRIANGLES;
use nalgebra::Vector3;

use super::moving_surface::MovingSurface;

/// The triangles of two leaves and the boxes in which they move, as they are seen from the first of them.
pub(super) struct NearTriangles {
    boxes: [[Option<SweptTriangle>; LEAF_TRIANGLES]; 2],
}

/// A triangle and the box in which it moves.
#[derive(Clone, Copy)]
struct SweptTriangle {
    triangle: u32,
    low: Vector3<f64>,
    high: Vector3<f64>,
}

impl NearTriangles {
    /// Boxes of an interval of times, grown by half of `margin` (m) each.
    pub fn new(
        surfaces: [MovingSurface<'_>; 2],
        path: &PairPath,
        leaves: [u32; 2],
        [begin, end]: [f64; 2],
        margin: f64,
    ) -> NearTriangles {
        let frames = [path.at(begin), path.at(end)];
        let mut reference = None;
        let boxes = Side::BOTH.map(|side| {
            let (surface, mut own) = (&surfaces[side.index()], [None; LEAF_TRIANGLES]);
            for (to, triangle) in own.iter_mut().zip(surface.tree().leaf_triangles(leaves[side.index()])) {
                if surface.faces().is_virtual(triangle) {
                    continue;
                }
                let first = surface.corners(triangle, side, &frames[0], begin);
                let last = surface.corners(triangle, side, &frames[1], end);
                let way: Vector3<f64> = *reference.get_or_insert(last[0] - first[0]);
                let radius = first.iter().map(|p| path.arm_of(side, &p.coords, begin)).fold(0.0, f64::max);
                let sagitta = |axis: usize| path.sagitta(side, &Vector3::ith(axis, 1.0), radius, end - begin);
                let grown = Vector3::from_fn(|axis, _| sagitta(axis) + 0.5 * margin);
                let points = || first.iter().map(|p| p.coords).chain(last.iter().map(|p| p.coords - way));
                let low = points().fold(Vector3::repeat(f64::INFINITY), |low, p| low.inf(&p)) - grown;
                let high = points().fold(Vector3::repeat(f64::NEG_INFINITY), |high, p| high.sup(&p)) + grown;
                *to = Some(SweptTriangle { triangle, low, high });
            }
            own
        });
        NearTriangles { boxes }
    }

    /// The pairs whose boxes overlap.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        let [a, b] = self.boxes;
        a.into_iter().flatten().flat_map(move |p| {
            let meets =
                move |q: &SweptTriangle| (0..3).all(|k| p.low[k] <= q.high[k] && q.low[k] <= p.high[k]);
            b.into_iter().flatten().filter(meets).map(move |q| [p.triangle, q.triangle])
        })
    }
}
