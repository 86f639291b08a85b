//! The image plane of a height map.

use impinge_midphase::obb_tree::Projection;
use nalgebra::{Isometry3, Point3, Vector3};
use thiserror::Error;

use crate::coverage::rows::SUB;
use crate::view::{Axes, View};

/// The most pixels a height map may have.
pub const MAX_PIXELS: u64 = 1 << 26;

/// Why an image plane, or a comparison of two height maps, is refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum HeightMapError {
    /// No pixels, or more than [`MAX_PIXELS`].
    #[error(
        "a height map of {width} × {height} pixels: each side must be at least 1, all together at most {MAX_PIXELS}"
    )]
    Pixels {
        /// Pixels per row asked for.
        width: u32,
        /// Rows asked for.
        height: u32,
    },
    /// A length that is not finite, or not positive.
    #[error("{what} of an image plane is {value} m: it must be finite and positive")]
    Length {
        /// Which length.
        what: &'static str,
        /// What it was (m).
        value: f64,
    },
    /// A coordinate that is not finite.
    #[error("the centre of an image plane is {value:?}: it must be finite")]
    Center {
        /// What it was (m).
        value: [f64; 3],
    },
    /// A direction that is zero or not finite, or an `up` along it.
    #[error(
        "an image plane that looks along {direction:?} with {up:?} up: both must be finite, not zero and not parallel"
    )]
    Direction {
        /// Where it was to look.
        direction: [f64; 3],
        /// What was to be up.
        up: [f64; 3],
    },
    /// An object that is to be looked at along no direction at all.
    #[error("no direction was given to look along: give at least one, or let it be chosen")]
    NoDirection,
    /// A shape that has no end, or nothing to be seen of.
    #[error(
        "a shape without an end, or without triangles, has no height map of its own: half-spaces can only be environment"
    )]
    Endless,
    /// An object of another number of subshapes than it had.
    #[error("an object of {given} subshapes in place of one of {expected}: make a new query of it")]
    Subshapes {
        /// How many there are now.
        given: usize,
        /// How many there were.
        expected: usize,
    },
    /// Two height maps that do not share their image plane, or the same surface asked of both.
    #[error(
        "height maps can be compared only on one image plane, the farthest surface of the object against the nearest of its environment"
    )]
    NotComparable,
}

/// A [`View`] that makes a picture: rows are counted from the top, and depths (m) from the rectangle's plane along the
/// direction in which it is looked through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImagePlane {
    view: View,
    depths: [f64; 2],
}

impl ImagePlane {
    /// A plane of `pixels` (per row, rows) over a rectangle of `size` (m: wide, high) around `center`
    /// (m), looked through along `direction`; `up` (not parallel to it) is up in the picture. Seen
    /// from behind the plane, what is to the right of the direction is right: pictures are not
    /// mirrored.
    ///
    /// # Errors
    /// [`HeightMapError`] for anything that is not finite, zero sizes, no or too many pixels, or an
    /// `up` along the direction.
    pub fn new(
        center: Point3<f64>,
        direction: Vector3<f64>,
        up: Vector3<f64>,
        size: [f64; 2],
        pixels: [u32; 2],
    ) -> Result<ImagePlane, HeightMapError> {
        let [width, height] = pixels;
        if width == 0 || height == 0 || u64::from(width) * u64::from(height) > MAX_PIXELS {
            return Err(HeightMapError::Pixels { width, height });
        }
        for (value, what) in size.into_iter().zip(["the width", "the height"]) {
            if !(value.is_finite() && value > 0.0) {
                return Err(HeightMapError::Length { what, value });
            }
        }
        if !center.iter().all(|x| x.is_finite()) {
            return Err(HeightMapError::Center { value: center.into() });
        }
        let unusable = HeightMapError::Direction { direction: direction.into(), up: up.into() };
        let unit = |v: Vector3<f64>| {
            let largest = v.amax();
            (v.iter().all(|x| x.is_finite()) && largest > 0.0).then(|| (v / largest).normalize())
        };
        let (Some(direction), Some(up)) = (unit(direction), unit(up)) else { return Err(unusable) };
        let across = direction.cross(&up);
        if across.norm() < 1e-6 {
            return Err(unusable);
        }
        let right = across.normalize();
        let up = right.cross(&direction);
        let view = View {
            // Left-handed, so that nothing is mirrored.
            axes: Axes { right, up, depth: direction },
            anchor: center - right * (0.5 * size[0]) - up * (0.5 * size[1]),
            pixel: [size[0] / f64::from(width), size[1] / f64::from(height)],
            first: [0; 2],
            count: pixels,
            sub_bits: SUB.trailing_zeros(),
            near: 0.0,
            step: 1.0,
            far: f64::INFINITY,
        };
        Ok(ImagePlane { view, depths: [f64::NEG_INFINITY, f64::INFINITY] })
    }

    /// A plane that sees all of the box from `min` to `max` (m) along `direction`, with square pixels
    /// and a border of a twentieth; depth 0 lies in front of the box. The longer side of the picture
    /// fits exactly.
    ///
    /// # Errors
    /// As [`ImagePlane::new`].
    pub fn around(
        min: Point3<f64>,
        max: Point3<f64>,
        direction: Vector3<f64>,
        up: Vector3<f64>,
        pixels: [u32; 2],
    ) -> Result<ImagePlane, HeightMapError> {
        let center = nalgebra::center(&min, &max);
        let probe = ImagePlane::new(center, direction, up, [1.0, 1.0], pixels)?;
        let half = (max - min) * 0.5;
        let reach = |axis: &Vector3<f64>| half.abs().dot(&axis.abs());
        let Axes { right, up: above, depth } = probe.view.axes;
        let (wide, high) = (2.1 * reach(&right), 2.1 * reach(&above));
        let side = (wide / f64::from(pixels[0])).max(high / f64::from(pixels[1]));
        let size = [side * f64::from(pixels[0]), side * f64::from(pixels[1])];
        let center = center - depth * (1.05 * reach(&depth));
        ImagePlane::new(center, direction, up, size, pixels)
    }

    /// Sees only what lies between these depths (m), which may be infinite. Surfaces before the first
    /// and behind the second are passed over.
    pub fn between(mut self, near: f64, far: f64) -> ImagePlane {
        self.depths = [near, far];
        self
    }

    /// Pixels per row, and rows.
    pub fn pixels(&self) -> [u32; 2] {
        self.view.count
    }

    /// Width and height of a pixel (m).
    pub fn pixel_size(&self) -> [f64; 2] {
        self.view.pixel
    }

    /// The unit direction in which it is looked through.
    pub fn direction(&self) -> Vector3<f64> {
        self.view.axes.depth
    }

    /// The place at `depth` (m) behind the centre of pixel `x` of row `y`. Row 0 is the top one.
    pub fn place(&self, x: u32, y: u32, depth: f64) -> Point3<f64> {
        self.view.place(x, self.height() - 1 - y, depth)
    }

    /// The depths between which it sees (m).
    pub fn depths(&self) -> [f64; 2] {
        self.depths
    }

    /// Right, up and direction (unit).
    pub(crate) fn axes(&self) -> [Vector3<f64>; 3] {
        let Axes { right, up, depth } = self.view.axes;
        [right, up, depth]
    }

    /// Pixels per row.
    pub(crate) fn width(&self) -> u32 {
        self.view.count[0]
    }

    /// Rows.
    pub(crate) fn height(&self) -> u32 {
        self.view.count[1]
    }

    /// Where the points of a body at `pose` appear: columns to the right of and rows below the top left
    /// corner (pixels), and depth (m).
    pub fn projection(&self, pose: &Isometry3<f64>) -> Projection {
        let rotation = pose.rotation.to_rotation_matrix().into_inner();
        let off = pose.translation.vector - self.view.anchor.coords;
        let (axes, pixel) = (&self.view.axes, self.view.pixel);
        let row = |axis: &Vector3<f64>, scale: f64, start: f64| {
            let own = rotation.tr_mul(axis) * scale;
            [own.x, own.y, own.z, axis.dot(&off) * scale + start]
        };
        Projection {
            rows: [
                row(&axes.right, 1.0 / pixel[0], 0.0),
                row(&axes.up, -1.0 / pixel[1], f64::from(self.height())),
                row(&axes.depth, 1.0, 0.0),
            ],
        }
    }

    /// Pixels to the right of and below the top left corner, and the depth (m), of a point.
    pub fn locate(&self, p: &Point3<f64>) -> [f64; 3] {
        let [x, y, depth] = self.view.locate(p);
        [x, f64::from(self.height()) - y, depth]
    }
}
