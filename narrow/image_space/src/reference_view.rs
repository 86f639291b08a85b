//! A view of two meshes on its own, and all that the CPU sees in it: what another way of looking (a device's) has to
//! show as well, bit by bit, and what pictures are drawn of.

use impinge_geometry::{PairFrame, Side};
use impinge_midphase::Surface;
use nalgebra::{Point3, Vector3};

use crate::coverage::{Corners, Grid};
use crate::fixed_map::{FixedMap, FixedPlace, Quanta};
use crate::intervals::{OverlapIntervals, Sums};
use crate::layers::Layers;
use crate::view::{Axes, Extent, SUB_BITS, View};

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

/// A view of two surfaces.
#[derive(Clone, Debug)]
pub struct ReferenceView<'s> {
    view: View,
    frame: PairFrame,
    lattice: LatticeView<'s>,
}

/// What a view comes to on its lattice: all that has to be known of it to see the same, to the last bit.
#[derive(Clone, Debug)]
pub struct LatticeView<'s> {
    surfaces: [&'s Surface; 2],
    quanta: [Quanta; 2],
    maps: [FixedMap; 2],
    grid: Grid,
    triangles: Vec<u32>,
    of_a: u32,
}

/// A triangle of a view in whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnappedTriangle {
    /// Whether its outward normal points against the view.
    pub front: bool,
    /// The first and the last pixel to the right, and up, whose centre it may cover.
    pub area: [[u32; 2]; 2],
    /// Its corners, counter-clockwise: sub-pixels from the first pixel's centre to the right.
    pub x: [i32; 3],
    /// The same upwards.
    pub y: [i32; 3],
    /// Depth (steps).
    pub z: [i32; 3],
}

/// Why a view has nothing of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsnapped {
    /// It covers no pixel's centre.
    Nothing,
    /// 32 bits have no room for it.
    NoRoom,
}

/// Corners of a [`SnappedTriangle`] are nearer than this across (sub-pixels), and in depth (steps).
const ACROSS: i64 = 1 << 29;
const DEEP: i64 = 1 << 30;

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
    /// A view of two surfaces that stand as `frame` says; `None` where the box is thinner than the surfaces' quanta
    /// allow.
    pub fn new(frame: &PairFrame, surfaces: [&'s Surface; 2], around: &ViewBox) -> Option<ReferenceView<'s>> {
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

    fn of_view(view: View, frame: &PairFrame, surfaces: [&'s Surface; 2]) -> Option<ReferenceView<'s>> {
        let map = |side: Side| FixedMap::new(&view, frame, side, &Quanta::of(surfaces[side.index()].faces()));
        let maps = [map(Side::A)?, map(Side::B)?];
        let lattice = LatticeView::of_grid(maps, surfaces, view.grid());
        Some(ReferenceView { view, frame: *frame, lattice })
    }

    /// The same view moved on by whole pixels: it samples the same lines where both see them, if not always at
    /// the same place to the last bit.
    pub fn moved(&self, by: [i64; 2]) -> Option<ReferenceView<'s>> {
        let first = [0, 1].map(|k| self.view.first[k] + by[k]);
        ReferenceView::of_view(View { first, ..self.view }, &self.frame, self.lattice.surfaces)
    }

    /// Where it stands.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// What it comes to on its lattice.
    pub fn lattice(&self) -> &LatticeView<'s> {
        &self.lattice
    }

    /// All that it shows.
    pub fn image(&self) -> ReferenceImage {
        self.lattice.image()
    }
}

impl<'s> LatticeView<'s> {
    /// The view of `count`² pixels to which `maps` lead; what lies wholly behind `far` (steps), if there is one, is
    /// not seen.
    pub fn new(
        maps: [FixedMap; 2],
        surfaces: [&'s Surface; 2],
        count: u32,
        far: Option<i64>,
    ) -> LatticeView<'s> {
        let grid = Grid { pixels: [count; 2], sub_bits: SUB_BITS, far: far.unwrap_or(i64::MAX) };
        LatticeView::of_grid(maps, surfaces, grid)
    }

    fn of_grid(maps: [FixedMap; 2], surfaces: [&'s Surface; 2], grid: Grid) -> LatticeView<'s> {
        let quanta = surfaces.map(|surface| Quanta::of(surface.faces()));
        let mut view = LatticeView { surfaces, quanta, maps, grid, triangles: Vec::new(), of_a: 0 };
        for (side, surface) in surfaces.iter().enumerate() {
            let all = surface.faces().triangles();
            let seen = |&t: &u32| view.of_side(side, t) != Err(Unsnapped::Nothing);
            let seen: Vec<u32> = all.filter(seen).collect();
            view.triangles.extend(seen);
            if side == 0 {
                view.of_a = view.triangles.len() as u32;
            }
        }
        view
    }

    /// The surfaces, A's and B's.
    pub fn surfaces(&self) -> [&'s Surface; 2] {
        self.surfaces
    }

    /// The quanta of A's mesh and of B's.
    pub fn quanta(&self) -> &[Quanta; 2] {
        &self.quanta
    }

    /// From the quanta of A and of B to the lattice.
    pub fn maps(&self) -> &[FixedMap; 2] {
        &self.maps
    }

    /// Pixels per side.
    pub fn count(&self) -> u32 {
        self.grid.pixels[0]
    }

    /// The last depth that is seen (steps); `None` where there is no last one.
    pub fn far(&self) -> Option<i64> {
        (!self.is_whole()).then_some(self.grid.far)
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
        self.surfaces.map(|surface| !surface.faces().is_closed())
    }

    /// Whether it sees everything, so that every line through a closed body has to end outside.
    pub fn is_whole(&self) -> bool {
        self.grid.far == i64::MAX
    }

    /// Triangle number `index` of [`LatticeView::triangles`] in whole numbers.
    ///
    /// # Errors
    /// [`Unsnapped`] says why there is nothing of it.
    pub fn snapped(&self, index: usize) -> Result<SnappedTriangle, Unsnapped> {
        self.of_side(usize::from(index as u32 >= self.of_a), self.triangles[index])
    }

    fn of_side(&self, side: usize, triangle: u32) -> Result<SnappedTriangle, Unsnapped> {
        let place = |v| self.maps[side].place(self.quanta[side].quantize(&v));
        let c = self.surfaces[side].faces().corners(triangle).map(place);
        let [x, y, z] = [0, 1, 2].map(|k| [c[0][k], c[1][k], c[2][k]]);
        let corners = Corners { x, y, z };
        let [[i, i_last], [j, j_last]] = [self.grid.candidates(&x, 0), self.grid.candidates(&y, 1)];
        if i > i_last || j > j_last || z.iter().all(|z| *z > self.grid.far) {
            return Err(Unsnapped::Nothing);
        }
        let room = |v: &[i64; 3], most: i64| v.iter().all(|x| (1 - most..most).contains(x));
        if !(room(&x, ACROSS) && room(&y, ACROSS) && room(&z, DEEP)) {
            return Err(Unsnapped::NoRoom);
        }
        let turn = corners.turn();
        if turn == 0 {
            return Err(Unsnapped::Nothing);
        }
        let front = turn < 0;
        let order = if front { [0, 2, 1] } else { [0, 1, 2] };
        let of = |v: [i64; 3]| order.map(|k| v[k] as i32);
        let area = [[i as u32, i_last as u32], [j as u32, j_last as u32]];
        Ok(SnappedTriangle { front, area, x: of(x), y: of(y), z: of(z) })
    }

    /// All that it shows.
    pub fn image(&self) -> ReferenceImage {
        let (mut layers, mut columns) = (Layers::default(), OverlapIntervals::default());
        let place = |k: usize| FixedPlace { map: &self.maps[k], quanta: &self.quanta[k] };
        let bodies = [0, 1].map(|k| (self.surfaces[k].faces(), place(k)));
        layers.capture_all(&self.grid, &bodies);
        columns.find(&mut layers, self.open(), self.is_whole());
        let side = layers.size()[0];
        let mut image = ReferenceImage { odd: columns.odd, cut: columns.cut, ..ReferenceImage::default() };
        for pixel in 0..side * side {
            let own = layers.sorted(pixel % side, pixel / side).iter().map(|f| ReferenceCrossing {
                depth: f.depth(),
                front: f.is_front(),
                side: f.body(),
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

fn sums_of(columns: &OverlapIntervals) -> ReferenceSums {
    let mut sums = Sums::default();
    let mut out = ReferenceSums::default();
    for (index, column) in columns.list.iter().enumerate() {
        sums.add(column);
        if column.is_touch() {
            continue;
        }
        let apart = [column.separation(1.0), column.separation(-1.0)];
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
        let cube = Surface::of_mesh(Arc::new(mesh), tree);
        let above = Isometry3::translation(0.5, 0.0, 1.75);
        let frame = PairFrame::new(&Isometry3::identity(), &above);
        let middle = Point3::origin() - frame.to_world(&Point3::origin()).coords;
        let around =
            ViewBox { direction: Vector3::z(), center: middle, half: [2.0; 3], count: 16, whole: true };
        let view = ReferenceView::new(&frame, [&cube, &cube], &around).unwrap();
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
        let moved = view.moved([2, 0]).unwrap().image();
        let shifted = |i: &ReferenceInterval| ([i.pixel[0] + 2, i.pixel[1]], i.depths);
        let same: Vec<_> = image.intervals.iter().map(|i| (i.pixel, i.depths)).collect();
        assert_eq!(moved.intervals.iter().map(shifted).collect::<Vec<_>>(), same);
        // Each box has twelve triangles, of which those at its sides are seen from their edges.
        let lattice = view.lattice();
        assert_eq!((0..lattice.triangles().len()).filter(|&k| lattice.snapped(k).is_ok()).count(), 8);
        // The maps alone show the same.
        let again = LatticeView::new(*lattice.maps(), lattice.surfaces(), 16, lattice.far());
        assert_eq!(again.image(), image);
    }
}
