//! A view of two meshes on its own, and all that the CPU sees in it: what another way of looking (a device's) has to
//! show as well, bit by bit, and what pictures are drawn of.

use impinge_geometry::{PairFrame, Side};
use impinge_midphase::Surface;
use impinge_midphase::obb_tree::LineScratch;
use nalgebra::{Point3, Vector3};

use crate::columns::{Columns, Sums};
use crate::layers::{Body, Layers};
use crate::snap::{Snap, SnappedTriangle, Unsnapped};
use crate::view::{Axes, Extent, View};

/// Where a reference view stands and what it is to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewBox {
    /// Where it looks (pair frame, unit).
    pub direction: Vector3<f64>,
    /// The middle of the box that it shows (m, pair frame).
    pub center: Point3<f64>,
    /// Half of what the box spans to the right, up, and along the direction (m).
    pub half: [f64; 3],
    /// Pixels per side.
    pub count: u32,
    /// Whether it sees everything behind the box, too.
    pub whole: bool,
}

/// A view of two surfaces, with the triangles that it may show.
#[derive(Clone, Debug)]
pub struct ReferenceView<'s> {
    view: View,
    frame: PairFrame,
    surfaces: [&'s Surface; 2],
    snaps: [Snap; 2],
    triangles: Vec<u32>,
    of_a: u32,
}

/// A crossing of a surface and the line through a pixel's centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceCrossing {
    /// Steps.
    pub depth: i32,
    /// Whether the line goes in.
    pub front: bool,
    /// 0 for A, 1 for B.
    pub side: usize,
    /// The triangle's number in its mesh.
    pub triangle: u32,
}

/// An interval of a pixel's line in which both bodies are, or in which one is left where the other is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceInterval {
    /// The pixel, to the right and up.
    pub pixel: [u16; 2],
    /// Where A's own interval begins and ends, and B's (steps).
    pub depths: [[i32; 2]; 2],
    /// At which triangles of their meshes.
    pub triangles: [[u32; 2]; 2],
}

impl ReferenceInterval {
    /// How long the overlap is (steps).
    pub fn length(&self) -> i64 {
        let [[a, b], [c, d]] = self.depths.map(|ends| ends.map(i64::from));
        b.min(d) - a.max(c)
    }
}

/// Sums over the intervals of a view, in whole pixels and depth steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReferenceSums {
    /// Intervals with an overlap, and intervals in which the bodies only touch.
    pub overlaps: u64,
    /// See `overlaps`.
    pub touches: u64,
    /// Σ length, and Σ length · twice the place of the interval's middle.
    pub length: i64,
    /// See `length`.
    pub moment: [i128; 3],
    /// Σ gradient, and Σ gradient · twice the interval's place.
    pub gradient: i64,
    /// See `gradient`.
    pub gradient_moment: [i64; 2],
    /// The longest interval, and its number; `None` where none overlaps.
    pub longest: Option<(i64, usize)>,
    /// How far B has to move along the view, and against it, until every overlap is free.
    pub apart: Option<[i64; 2]>,
}

/// All that a view shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceImage {
    /// The crossings of every pixel, row after row, in the order of depth.
    pub crossings: Vec<Vec<ReferenceCrossing>>,
    /// In the order of their pixels and of depth.
    pub intervals: Vec<ReferenceInterval>,
    /// Lines on which a counter did not return to zero. Only counted where the view sees everything.
    pub odd: u64,
    /// Overlaps whose end is not seen.
    pub cut: u64,
    /// Sums over the intervals.
    pub sums: ReferenceSums,
}

impl<'s> ReferenceView<'s> {
    /// A view of two surfaces that stand as `frame` says.
    pub fn new(frame: &PairFrame, surfaces: [&'s Surface; 2], around: &ViewBox) -> ReferenceView<'s> {
        let axes = Axes::towards(&around.direction);
        let middle = axes.coordinates(&around.center.coords);
        let extent = Extent {
            min: std::array::from_fn(|k| middle[k] - around.half[k]),
            max: std::array::from_fn(|k| middle[k] + around.half[k]),
        };
        let least = 1e-9 * extent.longest();
        let mut view = View::of_extent(&axes, &extent, around.count, least);
        if !around.whole {
            view.far = extent.max[2] - axes.depth.dot(&view.anchor.coords);
        }
        ReferenceView::of_view(view, frame, surfaces)
    }

    fn of_view(view: View, frame: &PairFrame, surfaces: [&'s Surface; 2]) -> ReferenceView<'s> {
        let (mut search, mut found) = (LineScratch::default(), Vec::new());
        let (mut triangles, mut of_a) = (Vec::new(), 0);
        for side in Side::BOTH {
            found.clear();
            let lines = view.lines([0; 2], [view.count; 2], 1).in_frame_of(frame, side);
            let _ = surfaces[side.index()].tree.lines(&lines, &mut search, &mut found);
            found.sort_unstable();
            triangles.extend_from_slice(&found);
            if side == Side::A {
                of_a = triangles.len() as u32;
            }
        }
        let snaps = Side::BOTH.map(|side| Snap::new(&view, frame, side));
        ReferenceView { view, frame: *frame, surfaces, snaps, triangles, of_a }
    }

    /// The same view moved on by whole pixels: it samples the same lines where both see them.
    pub fn moved(&self, by: [i64; 2]) -> ReferenceView<'s> {
        let first = [0, 1].map(|k| self.view.first[k] + by[k]);
        ReferenceView::of_view(View { first, ..self.view }, &self.frame, self.surfaces)
    }

    /// Where it stands.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The surfaces, A's and B's.
    pub fn surfaces(&self) -> [&'s Surface; 2] {
        self.surfaces
    }

    /// From the frames of A and of B to the lattice of the view.
    pub fn snaps(&self) -> &[Snap; 2] {
        &self.snaps
    }

    /// The triangles that it may show, by their numbers in their meshes: A's before B's.
    pub fn triangles(&self) -> &[u32] {
        &self.triangles
    }

    /// How many of them are A's.
    pub fn of_a(&self) -> u32 {
        self.of_a
    }

    /// Which sides are surfaces without an inside.
    pub fn open(&self) -> [bool; 2] {
        self.surfaces.map(|surface| !surface.mesh.is_closed())
    }

    /// Whether it sees everything, so that every line through a closed body has to end outside.
    pub fn is_whole(&self) -> bool {
        self.view.far == f64::INFINITY
    }

    /// Triangle number `index` of [`ReferenceView::triangles`] in whole numbers.
    ///
    /// # Errors
    /// [`Unsnapped`] says why there is nothing of it.
    pub fn snapped(&self, index: usize) -> Result<SnappedTriangle, Unsnapped> {
        let side = usize::from(index as u32 >= self.of_a);
        let mesh = &self.surfaces[side].mesh;
        self.snaps[side].triangle(mesh, self.triangles[index], self.view.count)
    }

    /// All that it shows.
    pub fn image(&self) -> ReferenceImage {
        let bodies = self.surfaces.map(|surface| Body::Surface { mesh: &surface.mesh, tree: &surface.tree });
        let (mut layers, mut columns) = (Layers::default(), Columns::default());
        let _ = layers.capture(&self.view, &self.frame, &bodies);
        columns.find(&mut layers, self.open(), self.is_whole());
        let side = layers.side();
        let mut image = ReferenceImage { odd: columns.odd, cut: columns.cut, ..ReferenceImage::default() };
        for pixel in 0..side * side {
            let own = layers.sorted(pixel % side, pixel / side).iter().map(|f| ReferenceCrossing {
                depth: f.depth(),
                front: f.is_front(),
                side: f.side(),
                triangle: f.triangle(),
            });
            image.crossings.push(own.collect());
        }
        image.intervals.extend(columns.list.iter().map(|column| ReferenceInterval {
            pixel: [column.i, column.j],
            depths: column.solid.map(|s| [s.open, s.close]),
            triangles: column.solid.map(|s| [s.open_triangle, s.close_triangle]),
        }));
        image.sums = sums_of(&columns);
        image
    }
}

fn sums_of(columns: &Columns) -> ReferenceSums {
    let mut sums = Sums::default();
    let mut out = ReferenceSums::default();
    for (index, column) in columns.list.iter().enumerate() {
        sums.add(column);
        if column.is_touch() {
            continue;
        }
        let apart = [column.way_out(1.0), column.way_out(-1.0)];
        let known = out.apart.unwrap_or(apart);
        out.apart = Some([known[0].max(apart[0]), known[1].max(apart[1])]);
        if out.longest.is_none_or(|(length, _)| column.length() > length) {
            out.longest = Some((column.length(), index));
        }
    }
    (out.overlaps, out.touches) = (sums.overlaps, sums.touches);
    (out.length, out.moment, out.gradient, out.gradient_moment) = sums.whole();
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use impinge_midphase::ObbTree;
    use nalgebra::Isometry3;

    use super::*;
    use impinge_scenes::fixtures::box_mesh;

    #[test]
    fn two_cubes_overlap_in_a_slab() {
        // Cubes of side 2, one 1.75 above the other: along z they share a quarter, from 0.75 to 1.
        let mesh = box_mesh([1.0; 3]);
        let tree = Arc::new(ObbTree::build(&mesh));
        let cube = Surface { mesh: Arc::new(mesh), tree };
        let above = Isometry3::translation(0.5, 0.0, 1.75);
        let frame = PairFrame::new(&Isometry3::identity(), &above);
        let middle = Point3::origin() - frame.to_world(&Point3::origin()).coords;
        let around =
            ViewBox { direction: Vector3::z(), center: middle, half: [2.0; 3], count: 16, whole: true };
        let view = ReferenceView::new(&frame, [&cube, &cube], &around);
        let image = view.image();
        let step = view.view().step;
        // From −0.5 to 1 along x and from −1 to 1 along y, pixels of a quarter.
        assert_eq!((image.sums.overlaps, image.sums.touches, image.odd), (6 * 8, 0, 0));
        for interval in &image.intervals {
            assert!((interval.length() as f64 * step - 0.25).abs() < 1e-5, "{interval:?}");
            let pixel = usize::from(interval.pixel[1]) * 16 + usize::from(interval.pixel[0]);
            assert_eq!(image.crossings[pixel].len(), 4);
        }
        // Every line is where it was, two pixels further to the left.
        let moved = view.moved([2, 0]).image();
        let shifted = |i: &ReferenceInterval| ([i.pixel[0] + 2, i.pixel[1]], i.depths);
        let same: Vec<_> = image.intervals.iter().map(|i| (i.pixel, i.depths)).collect();
        assert_eq!(moved.intervals.iter().map(shifted).collect::<Vec<_>>(), same);
        // Each box has twelve triangles, of which those at its sides are seen from their edges.
        assert!((0..view.triangles().len()).filter(|&k| view.snapped(k).is_ok()).count() >= 8);
    }
}
