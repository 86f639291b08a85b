//! A box with axes of its own that holds an overlap.

use impinge_image_space::intervals::OverlapInterval;
use impinge_image_space::view::{Axes, Extent, View};

/// A box along some axes (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Region {
    pub axes: Axes,
    /// In the coordinates of the axes.
    pub extent: Extent,
}

impl Region {
    /// The box in the coordinates of other axes, and what of it sticks out there.
    pub fn seen_along(&self, axes: &Axes) -> Extent {
        let mut seen = Extent::EMPTY;
        let Extent { min, max } = &self.extent;
        for corner in 0..8usize {
            let at = std::array::from_fn(|k| if corner >> k & 1 == 0 { min[k] } else { max[k] });
            seen.add(axes.coordinates(&self.axes.vector(at)));
        }
        seen
    }

    /// The box, along the same axes, of columns with their pixels.
    pub fn of_columns<'a>(
        axes: &Axes,
        view: &View,
        columns: impl Iterator<Item = &'a OverlapInterval>,
    ) -> Region {
        let (mut extent, pixels) = (Extent::EMPTY, Pixels::new(axes, view));
        columns.for_each(|column| pixels.add(&mut extent, column));
        Region { axes: *axes, extent }
    }
}

/// Where the pixels of a view are in the coordinates of some axes.
pub(crate) struct Pixels {
    /// The first pixel's centre at the first depth, and a pixel to the right, up, and a step on (m).
    first: [f64; 3],
    right: [f64; 3],
    up: [f64; 3],
    step: [f64; 3],
    /// Half of what a pixel spans (m).
    half: [f64; 3],
}

impl Pixels {
    pub fn new(axes: &Axes, view: &View) -> Pixels {
        let right = axes.coordinates(&(view.axes.right * view.pixel[0]));
        let up = axes.coordinates(&(view.axes.up * view.pixel[1]));
        Pixels {
            first: axes.coordinates(&view.place(0u32, 0u32, 0.0).coords),
            half: std::array::from_fn(|k| 0.5 * (right[k].abs() + up[k].abs())),
            right,
            up,
            step: axes.coordinates(&(view.axes.depth * view.step)),
        }
    }

    /// Adds a column with its pixel to a box along the axes.
    #[inline]
    pub fn add(&self, extent: &mut Extent, column: &OverlapInterval) {
        let (i, j) = (f64::from(column.i), f64::from(column.j));
        let [begin, end] = [column.begin(), column.end()].map(f64::from);
        for k in 0..3 {
            let at = self.first[k] + self.right[k] * i + self.up[k] * j;
            let (p, q) = (at + self.step[k] * begin, at + self.step[k] * end);
            extent.min[k] = extent.min[k].min(p.min(q) - self.half[k]);
            extent.max[k] = extent.max[k].max(p.max(q) + self.half[k]);
        }
    }
}

/// Tells whether the overlap of a column lies at the depths of an extent, to a depth step: the columns'
/// ends are rounded to the lattice, the extent's are not.
pub(crate) fn within(view: &View, seen: &Extent) -> impl Fn(&OverlapInterval) -> bool + use<> {
    let base = view.axes.depth.dot(&view.anchor.coords) + view.near;
    let [near, far] = [seen.min[2], seen.max[2]].map(|w| (w - base) / view.step);
    move |c: &OverlapInterval| f64::from(c.begin()) <= far + 1.0 && f64::from(c.end()) >= near - 1.0
}
