//! Views through boxes of the world, as layered depth images have them: a direction, a rectangle of pixels, and 2²²
//! steps of depth. Vertices are snapped to at least 16 sub-pixels to a pixel (256 up to 64 pixels per side), which
//! leaves a device room in 32 bits; what is seen is the surface so snapped, exactly.

use impinge_geometry::canonical::checked_pose;
use impinge_geometry::{Aabb, TriMesh};
use nalgebra::{Isometry3, Point3, Vector3};

use super::{LdiError, MOST_PIXELS};
use crate::view::{Axes, DEPTH_STEPS, View};

/// Lattice places across a view, at the finest: sub-pixels are as fine as this and 256 to a pixel allow.
const ACROSS: u32 = 1 << 14;

/// How many times a view's size a vertex may surely lie away from it.
pub(super) const REACH: f64 = 255.0;

/// The part of a box by which a view around it is larger, on every side.
const BORDER: f64 = 1.0 / 4096.0;

/// A view is no flatter or narrower than this part of its longest side.
const NARROWEST: f64 = 1.0 / 4096.0;

impl View {
    /// A box of `size` (m: wide, high, deep) around `center` (m, world), looked through along
    /// `direction` by `pixels` (per row, rows).
    ///
    /// # Errors
    /// [`LdiError`] for what is not finite, sizes that are not positive, a direction that is zero, and no
    /// or too many pixels.
    pub fn new(
        center: Point3<f64>,
        direction: Vector3<f64>,
        size: [f64; 3],
        pixels: [u32; 2],
    ) -> Result<View, LdiError> {
        View::with_axes(axes_along(direction)?, center, size, pixels)
    }

    /// A view along `direction` that sees all of the box from `min` to `max` (m, world), and a little
    /// more.
    ///
    /// # Errors
    /// As [`View::new`].
    pub fn around(
        min: Point3<f64>,
        max: Point3<f64>,
        direction: Vector3<f64>,
        pixels: [u32; 2],
    ) -> Result<View, LdiError> {
        View::around_box(axes_along(direction)?, min, max, pixels)
    }

    /// A view along `direction` that sees all of a body.
    ///
    /// # Errors
    /// As [`View::new`], and a pose that is not finite.
    pub fn of_body(
        mesh: &TriMesh,
        pose: &Isometry3<f64>,
        direction: Vector3<f64>,
        pixels: [u32; 2],
    ) -> Result<View, LdiError> {
        let [min, max] = world_box(mesh, pose)?;
        View::around(min, max, direction, pixels)
    }

    /// The volume of interest of two bodies: where their boxes overlap. `None` where they do not, and
    /// the bodies cannot meet.
    ///
    /// # Errors
    /// As [`View::of_body`].
    pub fn of_overlap(
        bodies: [(&TriMesh, &Isometry3<f64>); 2],
        direction: Vector3<f64>,
        pixels: [u32; 2],
    ) -> Result<Option<View>, LdiError> {
        let [a, b] = bodies.map(|(mesh, pose)| world_box(mesh, pose));
        let ([a_min, a_max], [b_min, b_max]) = (a?, b?);
        let (min, max) = (a_min.sup(&b_min), a_max.inf(&b_max));
        if (0..3).any(|k| min[k] > max[k]) {
            return Ok(None);
        }
        View::around(min, max, direction, pixels).map(Some)
    }

    /// A view along `axes` around a box of the world.
    pub(super) fn around_box(
        axes: Axes,
        min: Point3<f64>,
        max: Point3<f64>,
        pixels: [u32; 2],
    ) -> Result<View, LdiError> {
        let half = (max - min) * 0.5;
        let reach = [axes.right, axes.up, axes.depth].map(|axis| half.abs().dot(&axis.abs()));
        let longest = reach.iter().fold(0.0f64, |m, &r| m.max(r));
        let size = reach.map(|r| 2.0 * (r + longest * BORDER).max(longest * NARROWEST));
        View::with_axes(axes, nalgebra::center(&min, &max), size, pixels)
    }

    pub(super) fn with_axes(
        axes: Axes,
        center: Point3<f64>,
        size: [f64; 3],
        pixels: [u32; 2],
    ) -> Result<View, LdiError> {
        let [width, height] = pixels;
        if !(1..=MOST_PIXELS).contains(&width) || !(1..=MOST_PIXELS).contains(&height) {
            return Err(LdiError::Pixels { width, height });
        }
        finite("the centre of a view", &center)?;
        for (value, what) in size.into_iter().zip(["the width", "the height", "the depth"]) {
            // Far smaller steps than these are no normal numbers.
            if !(value.is_finite() && value > 1e-290) {
                return Err(LdiError::Length { what, value });
            }
        }
        let finest = ACROSS / width.max(height).next_power_of_two();
        Ok(View {
            axes,
            anchor: center - axes.vector(size.map(|s| 0.5 * s)),
            pixel: [size[0] / f64::from(width), size[1] / f64::from(height)],
            first: [0; 2],
            count: pixels,
            sub_bits: finest.min(256).trailing_zeros(),
            near: 0.0,
            step: size[2] / DEPTH_STEPS,
            far: f64::INFINITY,
        })
    }

    /// Pixels per row, and rows.
    pub fn pixels(&self) -> [u32; 2] {
        self.count
    }

    /// The direction looked along (unit, world).
    pub fn direction(&self) -> Vector3<f64> {
        self.axes.depth
    }

    /// Wide, high, deep (m): all of its pixels, and 2²² steps.
    pub fn size(&self) -> [f64; 3] {
        let across = |k: usize| self.pixel[k] * f64::from(self.count[k]);
        [across(0), across(1), self.step * DEPTH_STEPS]
    }

    /// Half the diagonal of a pixel (m): no point of the view is farther from a line that is sampled.
    pub fn half_diagonal(&self) -> f64 {
        0.5 * self.pixel[0].hypot(self.pixel[1])
    }

    /// Length of a step of depth (m).
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Binary digits of the sub-pixels to a pixel.
    pub fn sub_bits(&self) -> u32 {
        self.sub_bits
    }
}

fn axes_along(direction: Vector3<f64>) -> Result<Axes, LdiError> {
    let largest = direction.amax();
    // `amax` passes over NaN.
    if !(direction.iter().all(|x| x.is_finite()) && largest > 0.0) {
        return Err(LdiError::Direction { direction: direction.into() });
    }
    Ok(Axes::towards(&(direction / largest).normalize()))
}

/// The box of a placed mesh (m, world).
pub(crate) fn world_box(mesh: &TriMesh, pose: &Isometry3<f64>) -> Result<[Point3<f64>; 2], LdiError> {
    let pose = checked_pose(pose)?;
    let Aabb { min, max } = mesh.aabb();
    let (min, max) = (Point3::from(min).cast::<f64>(), Point3::from(max).cast::<f64>());
    let center = pose * nalgebra::center(&min, &max);
    let rotation = pose.rotation.to_rotation_matrix().into_inner().abs();
    let half = rotation * ((max - min) * 0.5);
    let corners = [center - half, center + half];
    for corner in &corners {
        finite("the box of a body", corner)?;
    }
    Ok(corners)
}

pub(super) fn finite(what: &'static str, p: &Point3<f64>) -> Result<(), LdiError> {
    let fits = p.iter().all(|x| x.is_finite());
    fits.then_some(()).ok_or(LdiError::NotFinite { what, value: (*p).into() })
}
