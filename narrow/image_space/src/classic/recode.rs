//! G. Baciu, W. S.-K. Wong, H. Sun, "RECODE: an image-based collision detection algorithm", 1998/99, and the two-pass test
//! of convex bodies of G. Baciu, W. S.-K. Wong, "Hardware-assisted virtual collisions", 1997.

use nalgebra::{Point3, Vector3};

use super::body::ClassicBody;
use super::error::ClassicError;
use super::pair::{PixelHits, overlap_box, pair_scene};
use super::program::{
    BUFFER_NEAR, ClassicRaster, DepthTest, Draw, Figure, Program, RasterCommand, RasterScene, StencilOp,
};
use crate::ldi::Faces;

/// Counts, for every pixel, the faces of `other` before the farthest back face of `far`.
fn faces_before(
    far: usize,
    other: usize,
    scene: &RasterScene,
    raster: &mut dyn ClassicRaster,
) -> Result<Vec<u8>, ClassicError> {
    let program: Program = vec![
        RasterCommand::ClearDepth(BUFFER_NEAR),
        RasterCommand::Draw(Draw::depths(far, Figure::Faces(Faces::Back), DepthTest::Greater)),
        RasterCommand::Draw(Draw::stencil(
            other,
            Figure::Faces(Faces::Both),
            DepthTest::Less,
            StencilOp::Increment,
        )),
    ];
    Ok(raster.run(scene, &program)?.stencil)
}

/// Whether two convex bodies overlap, by two rendering passes: A's back faces with B's faces before them counted, and the
/// other way round (Baciu, Wong 1997). A pixel hits where both counts are positive. `direction` (world, any length) is
/// looked along, by `pixels`² pixels over the overlap of the bodies' boxes.
///
/// What may be missed or false is as for [`shinya_forgue`](super::shinya_forgue), whose intervals these counts compare;
/// counts are kept modulo 256, so a body with a multiple of 256 faces along a pixel can be missed.
///
/// # Errors
/// [`ClassicError::NotClosed`], [`ClassicError::View`], and [`ClassicError::Device`] from a device.
pub fn baciu_wong(
    bodies: &[ClassicBody<'_>; 2],
    direction: Vector3<f64>,
    pixels: u32,
    raster: &mut dyn ClassicRaster,
) -> Result<PixelHits, ClassicError> {
    let Some(scene) = pair_scene("the test of Baciu and Wong", bodies, direction, pixels)? else {
        return Ok(PixelHits::default());
    };
    let first = faces_before(0, 1, &scene, raster)?;
    let second = faces_before(1, 0, &scene, raster)?;
    let both: Vec<u8> = first.iter().zip(&second).map(|(a, b)| u8::from(*a > 0 && *b > 0)).collect();
    Ok(PixelHits::of(&both, 2, |value| value == 1))
}

/// Whether two convex bodies overlap, by RECODE: one or two passes over the overlap of their boxes (the minimum overlapping
/// region), seen along the axis of the world along which that is shortest, so that the pixels are on its widest side.
///
/// *First pass:* A's back faces are drawn, and B's faces before them counted. None: no overlap along this pixel. An odd
/// number: B is entered before A is left and left behind it, an overlap. An even number leaves it open. *Second pass*, only
/// where the first found no overlap and left a pixel open: B's back faces, and A's faces before them.
///
/// What may be missed or false is as for [`baciu_wong`]; the test stops at the first pass that hits, so the pixels are then
/// those of that pass alone.
///
/// # Errors
/// As [`baciu_wong`].
pub fn recode(
    bodies: &[ClassicBody<'_>; 2],
    pixels: u32,
    raster: &mut dyn ClassicRaster,
) -> Result<PixelHits, ClassicError> {
    let Some(direction) = thinnest(bodies)? else { return Ok(PixelHits::default()) };
    let Some(scene) = pair_scene("RECODE", bodies, direction, pixels)? else {
        return Ok(PixelHits::default());
    };
    let first = faces_before(0, 1, &scene, raster)?;
    let hits = PixelHits::of(&first, 1, |count| count % 2 == 1);
    if hits.hit || first.iter().all(|&count| count == 0) {
        return Ok(hits);
    }
    let second = faces_before(1, 0, &scene, raster)?;
    let both: Vec<u8> = first.iter().zip(&second).map(|(a, b)| u8::from(*a > 0 && *b > 0)).collect();
    Ok(PixelHits::of(&both, 2, |value| value == 1))
}

/// The axis of the world along which the overlap of two boxes is shortest; `None` where there is none.
fn thinnest(bodies: &[ClassicBody<'_>; 2]) -> Result<Option<Vector3<f64>>, ClassicError> {
    let of = |[min, max]: [Point3<f64>; 2]| Vector3::ith((max - min).imin(), 1.0);
    Ok(overlap_box(bodies)?.map(of))
}
