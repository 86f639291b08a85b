//! Two bodies in the view of where their boxes overlap, and the pixels in which a test finds them to meet.

use nalgebra::{Point3, Vector3};

use super::body::{ClassicBody, LatticeBody};
use super::error::ClassicError;
use super::program::RasterScene;
use crate::ldi::world_box;
use crate::view::View;

/// A view is no thinner than this part of the larger body along any axis of the world, so that its lattice has room for
/// both.
const THINNEST: f64 = 1.0 / 64.0;

/// What a test of a pair says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PixelHits {
    /// Whether the bodies are found to meet.
    pub hit: bool,
    /// The pixels in which they do, row after row (rows go up), in rising order.
    pub pixels: Vec<u32>,
    /// Rendering passes that were needed.
    pub passes: u32,
}

impl PixelHits {
    /// Of the pixels whose stencil value says so.
    pub(super) fn of(stencil: &[u8], passes: u32, hits: impl Fn(u8) -> bool) -> PixelHits {
        let all = stencil.iter().enumerate().filter(|(_, value)| hits(**value));
        let pixels: Vec<u32> = all.map(|(pixel, _)| pixel as u32).collect();
        PixelHits { hit: !pixels.is_empty(), pixels, passes }
    }
}

/// The view along `direction` (world, any length) of where the boxes of two bodies overlap, with `pixels`² pixels; `None`
/// where they are apart. An overlap thinner than 1/64 of the larger body is enlarged to that.
///
/// # Errors
/// [`ClassicError::View`].
pub fn overlap_view(
    bodies: &[ClassicBody<'_>; 2],
    direction: Vector3<f64>,
    pixels: u32,
) -> Result<Option<View>, ClassicError> {
    let Some([min, max]) = overlap_box(bodies)? else { return Ok(None) };
    Ok(Some(View::around(min, max, direction, [pixels; 2])?))
}

/// The box of the world in which both bodies may be, no thinner than [`THINNEST`].
pub(super) fn overlap_box(bodies: &[ClassicBody<'_>; 2]) -> Result<Option<[Point3<f64>; 2]>, ClassicError> {
    let [a, b] = bodies.map(|body| world_box(body.mesh, body.pose));
    let ([a_min, a_max], [b_min, b_max]) = (a?, b?);
    let (min, max) = (a_min.sup(&b_min), a_max.inf(&b_max));
    if (0..3).any(|k| min[k] > max[k]) {
        return Ok(None);
    }
    let least = THINNEST * (a_max - a_min).amax().max((b_max - b_min).amax());
    let grow = (max - min).map(|size| 0.5 * (least - size).max(0.0));
    Ok(Some([min - grow, max + grow]))
}

/// The scene of two closed bodies where their boxes overlap, seen along `direction` (world); `None` where the boxes are
/// apart.
pub(super) fn pair_scene(
    what: &'static str,
    bodies: &[ClassicBody<'_>; 2],
    direction: Vector3<f64>,
    pixels: u32,
) -> Result<Option<RasterScene>, ClassicError> {
    for (k, body) in bodies.iter().enumerate() {
        body.closed(what, k)?;
    }
    let Some(view) = overlap_view(bodies, direction, pixels)? else { return Ok(None) };
    let [a, b] = bodies.each_ref().map(|body| LatticeBody::new(body, &view));
    Ok(Some(RasterScene { view, bodies: vec![a?, b?] }))
}
