//! A box with axes of its own that holds an overlap.

use crate::columns::Column;
use crate::view::{Axes, Extent, View};

/// A box along some axes (m).
#[derive(Clone, Copy, Debug)]
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
    pub fn of_columns<'a>(axes: &Axes, view: &View, columns: impl Iterator<Item = &'a Column>) -> Region {
        let mut extent = Extent::EMPTY;
        for column in columns {
            add_column(&mut extent, axes, view, column);
        }
        Region { axes: *axes, extent }
    }
}

/// Adds a column with its pixel to a box along `axes`.
pub(super) fn add_column(extent: &mut Extent, axes: &Axes, view: &View, column: &Column) {
    let half = [0.5 * view.pixel[0], 0.5 * view.pixel[1]];
    for z in [column.begin(), column.end()] {
        let middle = view.place(column.i, column.j, f64::from(z));
        for (right, up) in
            [(-half[0], -half[1]), (-half[0], half[1]), (half[0], -half[1]), (half[0], half[1])]
        {
            let aside = view.axes.right * right + view.axes.up * up;
            extent.add(axes.coordinates(&(middle + aside).coords));
        }
    }
}
