//! Where the farthest surface of an object lies behind the nearest of its environment.

use nalgebra::Vector3;

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
    /// What the caller knows of the environment there.
    pub channels: Option<[f32; 4]>,
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
    /// The mean of the environment's unit normals over these pixels; shorter than 1 the more they
    /// differ, zero where nothing overlaps.
    pub normal: Vector3<f64>,
}

/// How much two height maps overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OverlapSums {
    /// As [`Overlap::area`].
    pub area: f64,
    /// As [`Overlap::volume`].
    pub volume: f64,
    /// As [`Overlap::deepest`].
    pub deepest: f64,
    /// What of the environment lies deepest.
    pub at: Option<Hit>,
}

impl Overlap {
    /// Empties it, and keeps its memory.
    pub fn clear(&mut self) {
        let mut pixels = std::mem::take(&mut self.pixels);
        pixels.clear();
        *self = Overlap { pixels, ..Overlap::default() };
    }

    /// Works out the sums from the pixels, of `size` (m).
    pub(super) fn sum(&mut self, size: [f64; 2]) {
        let pixel = size[0] * size[1];
        self.area = self.pixels.len() as f64 * pixel;
        self.volume = self.pixels.iter().map(|p| p.depth).sum::<f64>() * pixel;
        self.deepest = self.pixels.iter().map(|p| p.depth).fold(0.0, f64::max);
        let normals: Vector3<f64> = self.pixels.iter().map(|p| p.environment.normal.cast::<f64>()).sum();
        self.normal = normals / self.pixels.len().max(1) as f64;
    }
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
    let mut overlap = Overlap::default();
    for y in 0..height {
        for x in 0..width {
            let (Some(object), Some(environment)) = (object.at(x, y), environment.at(x, y)) else { continue };
            let depth = object.depth - environment.depth;
            if depth > 0.0 {
                overlap.pixels.push(OverlapPixel { x, y, depth, object, environment, channels: None });
            }
        }
    }
    overlap.sum(object.plane().pixel_size());
    Ok(overlap)
}
