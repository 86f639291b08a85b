//! Where the farthest surface of an object lies behind the nearest of its environment.

use super::{HeightMap, HeightMapError, Hit, Which};

/// A pixel in which an object has gone into its environment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlapPixel {
    /// Column of the picture.
    pub x: u32,
    /// Row of the picture, counted from the top.
    pub y: u32,
    /// How far the object's farthest surface lies behind the environment's nearest (m); positive.
    pub depth: f64,
    /// What of the object was hit.
    pub object: Hit,
    /// What of the environment was hit.
    pub environment: Hit,
}

/// Where two height maps overlap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlap {
    /// The pixels, row by row.
    pub pixels: Vec<OverlapPixel>,
    /// Area of these pixels (m²).
    pub area: f64,
    /// Depth times area, summed (m³): the volume of the overlap where the object has no cavity and
    /// the environment no second surface along the direction.
    pub volume: f64,
    /// The greatest depth (m), 0 where nothing overlaps: moving the object by it against the
    /// direction frees it.
    pub deepest: f64,
}

/// Compares the farthest surface of an object with the nearest of its environment, pixel by pixel.
/// What the environment has *behind* the object's image plane but in front of the object counts as
/// overlap: restrict the plane to the object's depths ([`super::ImagePlane::between`]).
///
/// Source: Fabrizio, "Easy Real-Time Collision Detection".
///
/// # Errors
/// [`HeightMapError::NotComparable`] unless both maps are on one image plane, `object` the farthest
/// surface and `environment` the nearest.
pub fn compare(object: &HeightMap, environment: &HeightMap) -> Result<Overlap, HeightMapError> {
    if object.plane() != environment.plane()
        || object.which() != Which::Far
        || environment.which() != Which::Near
    {
        return Err(HeightMapError::NotComparable);
    }
    let [width, height] = object.plane().pixels();
    let size = object.plane().pixel_size();
    let mut overlap = Overlap::default();
    let mut sum = 0.0;
    for y in 0..height {
        for x in 0..width {
            let (Some(object), Some(environment)) = (object.at(x, y), environment.at(x, y)) else { continue };
            let depth = object.depth - environment.depth;
            if depth > 0.0 {
                sum += depth;
                overlap.deepest = overlap.deepest.max(depth);
                overlap.pixels.push(OverlapPixel { x, y, depth, object, environment });
            }
        }
    }
    let pixel = size[0] * size[1];
    overlap.area = overlap.pixels.len() as f64 * pixel;
    overlap.volume = sum * pixel;
    Ok(overlap)
}
