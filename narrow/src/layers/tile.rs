//! Views for a device to look at: which triangles each may show, and columns that come back as the triangles
//! at their ends.

use impinge_geometry::{PairFrame, Side};
use impinge_midphase::obb_tree::LineScratch;
use impinge_midphase::{PairJob, Surface, Work};

use crate::containment::ContainmentScratch;
use crate::pair::{NarrowMemory, bounds_volume, forecast};
use crate::settings::NarrowSettings;
use crate::snap::Snap;
use crate::solid::SolidLines;
use crate::spans::SpanNumbers;
use crate::view::View;

/// One view of one job, as a pair's memory foresees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// The job, by its number in the batch.
    pub job: u32,
    pub(super) view: View,
    /// From the frames of A and of B to it.
    pub snaps: [Snap; 2],
    /// Its triangles in [`Tiles::triangles`], A's before B's.
    pub triangles: std::ops::Range<u32>,
    /// How many of them are A's.
    pub of_a: u32,
    /// Which sides are surfaces without an inside.
    pub open: [bool; 2],
    /// Columns it had in the last step.
    pub columns: u32,
    /// The sides whose entry and exit are computed: they have no triangles.
    pub solids: [Option<SpanNumbers>; 2],
    pub(super) lines: [Option<SolidLines>; 2],
}

impl Tile {
    /// Pixels per side.
    pub fn side(&self) -> u32 {
        self.view.count[0]
    }

    /// Its side (sub-pixels).
    pub fn side_in_sub_pixels(&self) -> f64 {
        f64::from(self.view.count[0]) * self.view.sub_pixels()
    }

    /// Whether the view sees everything, so that every line through a closed body has to end outside.
    pub fn is_whole(&self) -> bool {
        self.view.far == f64::INFINITY
    }
}

/// A column that a device has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileColumn {
    /// The pixel, to the right and up.
    pub pixel: [u16; 2],
    /// The triangles at which the stretch of A begins and ends, by their numbers among A's, and those of B
    /// by theirs; [`TileColumn::NONE`] where it has no beginning or no end.
    pub ends: [u32; 4],
}

impl TileColumn {
    /// No triangle.
    pub const NONE: u32 = u32::MAX;
}

/// All that a device saw in a view.
#[derive(Clone, Copy, Debug)]
pub struct TileSeen<'a> {
    /// Columns in the order of their pixels, row after row, and of depth.
    pub columns: &'a [TileColumn],
    /// Surfaces crossed.
    pub fragments: u64,
    /// Lines on which a body was left more often than entered, or the reverse.
    pub odd: u64,
    /// Sum of the lengths of the overlaps (steps), by which an answer is known to be whole.
    pub length: u64,
}

/// The views of some jobs.
#[derive(Clone, Debug, Default)]
pub struct Tiles {
    /// The views.
    pub list: Vec<Tile>,
    /// Their triangles, by the numbers in their meshes.
    pub triangles: Vec<u32>,
    found: Vec<u32>,
    search: LineScratch,
    foreseen: Vec<(View, u32)>,
    containment: ContainmentScratch,
    /// Views left to the CPU: of too many pixels or triangles, or where a product may leave the numbers that a
    /// device computes with.
    pub over_range: u64,
}

/// Pixels per side of the largest view, and triangles of one, at most.
const LARGEST: u32 = 128;
const MOST: usize = (1 << 14) - 2;

impl Tiles {
    /// Forgets them.
    pub fn clear(&mut self) {
        self.list.clear();
        self.triangles.clear();
        self.over_range = 0;
    }

    /// Adds the views that job number `index` makes if nothing much has moved since the last step. Gives
    /// how many.
    pub fn add(
        &mut self,
        index: u32,
        job: &PairJob<'_>,
        settings: &NarrowSettings,
        memory: Option<&NarrowMemory>,
    ) -> usize {
        let before = self.list.len();
        let open = job.parts.map(|part| !bounds_volume(part));
        let mut foreseen = std::mem::take(&mut self.foreseen);
        forecast(job, settings, memory, &mut self.containment, &mut foreseen);
        let analytic = !matches!(job.work, Work::Surfaces { .. });
        for (view, columns) in foreseen.drain(..) {
            let line_of = |side: Side| SolidLines::new(job.parts[side.index()], &job.frame, side);
            let lines = Side::BOTH.map(|side| line_of(side).filter(|_| analytic));
            let numbers = |lines: &SolidLines| SpanNumbers::new(&view, lines);
            let solids = lines.each_ref().map(|own| own.as_ref().and_then(numbers));
            let known = (0..2).all(|k| lines[k].is_some() == solids[k].is_some());
            let surface = |k: usize| job.parts[k].surface.as_ref().filter(|_| lines[k].is_none());
            let surfaces = [surface(0), surface(1)];
            let whole = known && (0..2).all(|k| surfaces[k].is_some() || solids[k].is_some());
            let from = self.triangles.len();
            let snaps = Side::BOTH.map(|side| Snap::new(&view, &job.frame, side));
            let plain = whole && snaps.iter().all(Snap::is_plain);
            match self.view(&view, &job.frame, surfaces).filter(|_| plain) {
                Some(of_a) => {
                    let triangles = from as u32..self.triangles.len() as u32;
                    let tile =
                        Tile { job: index, view, snaps, triangles, of_a, open, columns, solids, lines };
                    self.list.push(tile);
                }
                None => {
                    self.triangles.truncate(from);
                    self.over_range += 1;
                }
            }
        }
        self.foreseen = foreseen;
        self.list.len() - before
    }

    /// The number in its mesh of one of A's or of B's triangles of a view.
    pub fn triangle(&self, tile: &Tile, side: Side, number: u32) -> Option<u32> {
        let first = tile.triangles.start + if side == Side::A { 0 } else { tile.of_a };
        self.triangles.get((first + number) as usize).copied()
    }

    /// Adds the triangles of a view, A's and then B's, each in the order of their numbers; gives how many
    /// are A's. `None` of a view too large.
    fn view(&mut self, view: &View, frame: &PairFrame, surfaces: [Option<&Surface>; 2]) -> Option<u32> {
        if view.count[0] > LARGEST {
            return None;
        }
        let mut ends = [self.triangles.len(); 3];
        for side in Side::BOTH {
            self.found.clear();
            if let Some(surface) = surfaces[side.index()] {
                let lines = view.lines([0; 2], view.count, 1).in_frame_of(frame, side);
                let _ = surface.tree.lines(&lines, &mut self.search, &mut self.found);
            }
            self.found.sort_unstable();
            self.triangles.extend_from_slice(&self.found);
            ends[side.index() + 1] = self.triangles.len();
        }
        let [start, middle, end] = ends;
        (middle - start <= MOST && end - middle <= MOST).then_some((middle - start) as u32)
    }
}
