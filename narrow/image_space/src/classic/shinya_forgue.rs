//! M. Shinya, M. Forgue, "Interference detection through rasterization", 1991: two convex bodies meet where, along a
//! pixel, the depths of one overlap those of the other.

use nalgebra::Vector3;

use super::body::ClassicBody;
use super::error::ClassicError;
use super::pair::{PixelHits, pair_scene};
use super::program::{
    BUFFER_NEAR, ClassicRaster, DepthTest, Draw, Figure, Program, RasterCommand, StencilOp,
};
use crate::ldi::Faces;

/// Whether two convex bodies overlap, by the order of depths along the pixels of a view along `direction` (world, any
/// length) with `pixels`² pixels over the overlap of their boxes.
///
/// A pixel hits where min z(A) < max z(B) and min z(B) < max z(A): the intervals share some length. *Passes:* two. The
/// farthest depth of each body is drawn, and the other's faces before it mark the pixel.
///
/// *May miss* an overlap that no pixel's centre meets, or that is thinner than a step of depth. *False* hits: an overlap
/// of the bodies with their vertices on the view's lattice (off by up to half a sub-pixel) that they do not have
/// themselves; of bodies that are not convex also hollows along the view, which count as filled. Bodies that only touch do
/// not hit.
///
/// # Errors
/// [`ClassicError::NotClosed`], [`ClassicError::View`], and [`ClassicError::Device`] from a device.
pub fn shinya_forgue(
    bodies: &[ClassicBody<'_>; 2],
    direction: Vector3<f64>,
    pixels: u32,
    raster: &mut dyn ClassicRaster,
) -> Result<PixelHits, ClassicError> {
    let Some(scene) = pair_scene("the test of Shinya and Forgue", bodies, direction, pixels)? else {
        return Ok(PixelHits::default());
    };
    let all = Figure::Faces(Faces::Both);
    let mut program = Program::new();
    for (far, other, bit) in [(0, 1, 1), (1, 0, 2)] {
        program.extend([
            RasterCommand::ClearDepth(BUFFER_NEAR),
            RasterCommand::Draw(Draw::depths(far, all, DepthTest::Greater)),
            RasterCommand::Draw(Draw::stencil(other, all, DepthTest::Less, StencilOp::Set(bit))),
        ]);
    }
    let readout = raster.run(&scene, &program)?;
    Ok(PixelHits::of(&readout.stencil, 2, |value| value == 3))
}
