//! A view: a direction, a rectangle of equally many pixels per side, and a depth lattice.
//!
//! Lengths across the view are counted in pixels, which may be longer one way than the other, and
//! the rectangle's pixels are numbered from an anchor, so that a view that moves by whole pixels
//! samples the same places. Depth is counted in steps of a lattice; what lies closer than a step is
//! the same depth.

use impinge_midphase::obb_tree::Lines;
use nalgebra::{Point3, Vector3};

use crate::coverage::Grid;

/// Binary digits of the sub-pixels of the views of contacts. With 16 a sub-pixel is about a depth step of a view as
/// deep as wide; with fewer a tilted plane is off by more than a step, and bodies that are symmetric lose their
/// ties.
pub const SUB_BITS: u32 = 16;

/// Depth steps over a view's depth range.
pub const DEPTH_STEPS: f64 = (1 << 22) as f64;

/// A view is taken no flatter than this part of its rectangle, unless its depths are given.
const FLATTEST: f64 = 1.0 / 16.0;

/// Components of a unit vector that differ by less are as large.
const EVEN: f64 = 1e-6;

/// Three unit axes at right angles, right-handed: what is right, what is up, and where the view looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes {
    /// To the right.
    pub right: Vector3<f64>,
    /// Up.
    pub up: Vector3<f64>,
    /// Into the depth.
    pub depth: Vector3<f64>,
}

impl Axes {
    /// Axes that look along the line of `normal` (unit, pair frame): along it or against it, whichever
    /// way its largest component is positive, so that a normal and its opposite share one view.
    pub fn along(normal: &Vector3<f64>) -> Axes {
        // Among those that differ by rounding only, the first.
        let greater = |a: f64, b: f64| a.abs() > b.abs() + EVEN;
        let largest = (1..3).fold(0, |k, i| if greater(normal[i], normal[k]) { i } else { k });
        let depth = if normal[largest] < 0.0 { -normal } else { *normal };
        let least = (1..3).fold(0, |k, i| if greater(normal[k], normal[i]) { i } else { k });
        let mut across = Vector3::zeros();
        across[least] = 1.0;
        let up = (across - depth * depth[least]).normalize();
        Axes { right: up.cross(&depth), up, depth }
    }

    /// Axes that look along `normal` (unit, pair frame).
    pub fn towards(normal: &Vector3<f64>) -> Axes {
        let axes = Axes::along(normal);
        if axes.sign(normal) < 0.0 {
            return Axes { right: -axes.right, up: axes.up, depth: -axes.depth };
        }
        axes
    }

    /// The same axes turned to look along `depth` (unit) by the shortest way; `None` where that lies
    /// along this right or up.
    pub fn turned(&self, depth: &Vector3<f64>) -> Option<Axes> {
        let right = (self.right - depth * depth.dot(&self.right)).try_normalize(1e-3)?;
        Some(Axes { right, up: depth.cross(&right), depth: *depth })
    }

    /// +1 where the axes look along `normal`, −1 where against it.
    #[inline]
    pub fn sign(&self, normal: &Vector3<f64>) -> f64 {
        if self.depth.dot(normal) < 0.0 { -1.0 } else { 1.0 }
    }

    /// Coordinates of a vector: right, up, depth.
    #[inline]
    pub fn coordinates(&self, v: &Vector3<f64>) -> [f64; 3] {
        [self.right.dot(v), self.up.dot(v), self.depth.dot(v)]
    }

    /// The vector with these coordinates.
    #[inline]
    pub fn vector(&self, c: [f64; 3]) -> Vector3<f64> {
        self.right * c[0] + self.up * c[1] + self.depth * c[2]
    }
}

/// A box in the coordinates of a view's axes (m), or of the pair frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Least coordinates.
    pub min: [f64; 3],
    /// Greatest coordinates.
    pub max: [f64; 3],
}

impl Extent {
    /// Holds nothing.
    pub const EMPTY: Extent = Extent { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    /// Grows to hold a point.
    #[inline]
    pub fn add(&mut self, c: [f64; 3]) {
        for (k, x) in c.into_iter().enumerate() {
            self.min[k] = self.min[k].min(x);
            self.max[k] = self.max[k].max(x);
        }
    }

    /// Grows to hold another box.
    pub fn merge(&mut self, other: &Extent) {
        self.add(other.min);
        self.add(other.max);
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|k| self.min[k] > self.max[k])
    }

    /// Its length along one axis.
    pub fn size(&self, k: usize) -> f64 {
        self.max[k] - self.min[k]
    }

    /// The length of its longest side (m).
    pub fn longest(&self) -> f64 {
        self.size(0).max(self.size(1)).max(self.size(2))
    }

    /// Its middle.
    pub fn center(&self) -> [f64; 3] {
        std::array::from_fn(|k| 0.5 * (self.min[k] + self.max[k]))
    }

    /// Whether the two share a point.
    pub fn overlaps(&self, other: &Extent) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Larger by as much on every side.
    pub fn grown(&self, by: f64) -> Extent {
        Extent { min: self.min.map(|x| x - by), max: self.max.map(|x| x + by) }
    }
}

/// Where a view stands and how finely it looks: orthographic, rows of pixels going up. Contacts, layered depth
/// images, height maps and clouds all look through one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Its axes (pair frame).
    pub axes: Axes,
    /// Where pixel numbers are counted from (m, pair frame).
    pub anchor: Point3<f64>,
    /// Width and height of a pixel (m).
    pub pixel: [f64; 2],
    /// Number of the first pixel along each side, counted from the anchor.
    pub first: [i64; 2],
    /// Pixels to the right, and up.
    pub count: [u32; 2],
    /// Binary digits of the sub-pixels to a pixel: vertices are snapped to these.
    pub sub_bits: u32,
    /// Depth 0 of the lattice, along the depth axis from the anchor (m).
    pub near: f64,
    /// Depth step (m).
    pub step: f64,
    /// What lies farther than this along the depth axis from the anchor (m) is not seen; may be
    /// infinite. Nothing is too near to be seen: what is in front decides what is inside.
    pub far: f64,
}

impl View {
    /// A view of `count`² pixels that holds `extent` (coordinates along `axes`, m), anchored at the
    /// least corner of its rectangle. No side is taken shorter than `least` (m).
    pub fn of_extent(axes: &Axes, extent: &Extent, count: u32, least: f64) -> View {
        let center = extent.center();
        let size = [extent.size(0).max(least), extent.size(1).max(least)];
        let corner = [center[0] - 0.5 * size[0], center[1] - 0.5 * size[1], 0.0];
        View {
            axes: *axes,
            anchor: Point3::from(axes.vector(corner)),
            pixel: size.map(|s| s / f64::from(count)),
            first: [0, 0],
            count: [count; 2],
            sub_bits: SUB_BITS,
            near: 0.0,
            step: 1.0,
            far: f64::INFINITY,
        }
        .with_depth(extent.min[2], extent.max[2], least.max(size[0].max(size[1]) * FLATTEST))
    }

    /// The same view with its depth lattice laid over `near..far` (m, along the depth axis from the
    /// pair frame's origin), and nothing cut off behind.
    pub fn with_depth(mut self, near: f64, far: f64, least: f64) -> View {
        let base = self.axes.depth.dot(&self.anchor.coords);
        let middle = 0.5 * (near + far) - base;
        let range = (far - near).max(least);
        self.near = middle - 0.5 * range;
        self.step = range / DEPTH_STEPS;
        self.far = f64::INFINITY;
        self
    }

    /// Returns the lines through the centres of `count` pixels across and up, from `first` on.
    pub fn lines(&self, first: [u32; 2], count: [u32; 2]) -> Lines {
        let at = [0, 1].map(|k| (self.first[k] as f64 + f64::from(first[k]) + 0.5) * self.pixel[k]);
        Lines {
            origin: self.anchor + self.axes.vector([at[0], at[1], 0.0]),
            right: self.axes.right,
            up: self.axes.up,
            forward: self.axes.depth,
            spacing: self.pixel,
            count,
            // Vertices are moved by half a sub-pixel at most.
            slack: 0.501 / self.sub_pixels(),
            far: self.far,
        }
    }

    /// Its pixels on the lattice.
    pub(crate) fn grid(&self) -> Grid {
        // A float too large for `i64` is held at its end.
        let far = ((self.far - self.near) / self.step).floor() as i64;
        Grid { pixels: self.count, sub_bits: self.sub_bits, far }
    }

    /// Sub-pixels to a pixel.
    pub(crate) fn sub_pixels(&self) -> f64 {
        f64::from(1u32 << self.sub_bits)
    }

    /// The middle of its rectangle and of its depth lattice (m, pair frame).
    pub fn middle(&self) -> Point3<f64> {
        let across = |k: usize| (self.first[k] as f64 + 0.5 * f64::from(self.count[k])) * self.pixel[k];
        let depth = self.near + 0.5 * DEPTH_STEPS * self.step;
        self.anchor + self.axes.vector([across(0), across(1), depth])
    }

    /// Area of a pixel (m²).
    #[inline]
    pub fn pixel_area(&self) -> f64 {
        self.pixel[0] * self.pixel[1]
    }

    /// The place of pixel `(i, j)`'s centre at lattice depth `z` (m, pair frame).
    #[inline]
    pub fn place(&self, i: impl Into<u32>, j: impl Into<u32>, z: f64) -> Point3<f64> {
        let u = (self.first[0] as f64 + f64::from(i.into()) + 0.5) * self.pixel[0];
        let v = (self.first[1] as f64 + f64::from(j.into()) + 0.5) * self.pixel[1];
        self.anchor + self.axes.vector([u, v, self.near + z * self.step])
    }

    /// Coordinates of a point of the pair frame: in pixels from the first pixel's outer corner, and
    /// in depth steps.
    #[inline]
    pub fn locate(&self, p: &Point3<f64>) -> [f64; 3] {
        let c = self.axes.coordinates(&(p - self.anchor));
        [
            c[0] / self.pixel[0] - self.first[0] as f64,
            c[1] / self.pixel[1] - self.first[1] as f64,
            (c[2] - self.near) / self.step,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_and_its_opposite_share_their_axes() {
        for d in [[0.3, -0.9, 0.2], [0.0, 0.0, -1.0], [1.0, 1.0, 1.0], [-0.5, 0.5, 0.1]] {
            let d = Vector3::from(d).normalize();
            let axes = Axes::along(&d);
            assert_eq!(axes, Axes::along(&-d));
            assert!((axes.right.cross(&axes.up) - axes.depth).norm() < 1e-15);
            assert!((axes.depth * axes.sign(&d) - d).norm() < 1e-15);
        }
    }

    #[test]
    fn a_place_is_located_at_the_centre_of_its_pixel() {
        let axes = Axes::along(&Vector3::new(0.1, 0.7, -0.3).normalize());
        let extent = Extent { min: [-1.0, 2.0, -3.0], max: [1.5, 2.25, 4.0] };
        let view = View::of_extent(&axes, &extent, 16, 1e-9);
        let [x, y, z] = view.locate(&view.place(3u16, 9u16, 1000.0));
        assert!((x - 3.5).abs() < 1e-9 && (y - 9.5).abs() < 1e-9 && (z - 1000.0).abs() < 1e-6);
    }
}
