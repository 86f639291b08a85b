//! Views for a device to look at: triangles snapped to whole numbers here, so that there is nothing for a
//! device to round, and columns that come back as the triangles at their ends.

use impinge_geometry::{PairFrame, Side};
use impinge_midphase::obb_tree::LineScratch;
use impinge_midphase::{PairJob, Surface, Work};

use super::depth::Depth;
use super::raster::{Snap, Snapped};
use super::{ANALYTIC, FARTHEST, NEAREST};
use crate::columns::{Column, Stretch};
use crate::pair::{NarrowMemory, bounds_volume};
use crate::view::View;

/// A triangle of a view in whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileTriangle {
    /// Whether its outward normal points against the view.
    pub front: bool,
    /// The edge functions at the view's first pixel, in units of a pixel: the centre of a pixel is covered
    /// where none is negative. Held within ±2³⁰, where no pixel of the view can change their sign.
    pub edge: [i32; 3],
    /// What the first two of them change by from one pixel to the next, to the right and up; the third
    /// changes by the opposite of their sum.
    pub across: [[i32; 2]; 2],
    /// Depth at the first pixel, and half a step, in steps of 2⁻¹².
    pub at: i64,
    /// What it changes by from one pixel to the next, to the right and up.
    pub along: [i64; 2],
    /// Least and greatest depth (steps).
    pub least: i32,
    /// See `least`.
    pub most: i32,
}

/// One view of one job, as a pair's memory foresees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// The job, by its number in the batch.
    pub job: u32,
    pub(super) view: View,
    /// Its triangles in [`Tiles::triangles`], A's before B's.
    pub triangles: std::ops::Range<u32>,
    /// How many of them are A's.
    pub of_a: u32,
    /// Which sides are surfaces without an inside.
    pub open: [bool; 2],
    /// Columns it had in the last step.
    pub columns: u32,
}

impl Tile {
    /// Pixels per side.
    pub fn side(&self) -> u32 {
        self.view.count
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
    /// Their triangles.
    pub triangles: Vec<TileTriangle>,
    /// The triangles' numbers in their meshes.
    ids: Vec<u32>,
    found: Vec<u32>,
    search: LineScratch,
    /// Views left to the CPU because whole numbers of 32 bits have no room for their triangles.
    pub over_range: u64,
}

/// Pixels per side of the largest view, and triangles of one, at most.
const LARGEST: u32 = 128;
const MOST: usize = (1 << 14) - 2;

/// No edge function leaves ±2³⁰ within a view where its start is within, and its changes add up to no more.
const EDGE: i64 = 1 << 30;

impl Tiles {
    /// Forgets them.
    pub fn clear(&mut self) {
        self.list.clear();
        self.triangles.clear();
        self.ids.clear();
        self.over_range = 0;
    }

    /// Adds the views that job number `index` makes if nothing much has moved since the last step. Gives
    /// how many.
    pub fn add(&mut self, index: u32, job: &PairJob<'_>, memory: &NarrowMemory) -> usize {
        let before = self.list.len();
        let [Some(a), Some(b)] = job.parts.map(|part| part.surface.as_ref()) else { return 0 };
        if !matches!(job.work, Work::Surfaces { .. }) {
            return 0;
        }
        let open = job.parts.map(|part| !bounds_volume(part));
        for (view, columns) in memory.forecast(&job.frame, open == [false; 2]) {
            let from = self.triangles.len();
            match self.view(&view, &job.frame, [a, b]) {
                Some(of_a) => {
                    let triangles = from as u32..self.triangles.len() as u32;
                    self.list.push(Tile { job: index, view, triangles, of_a, open, columns });
                }
                None => {
                    self.triangles.truncate(from);
                    self.ids.truncate(from);
                    self.over_range += 1;
                }
            }
        }
        self.list.len() - before
    }

    /// The number in its mesh of one of A's or of B's triangles of a view.
    pub fn triangle(&self, tile: &Tile, side: Side, number: u32) -> Option<u32> {
        let first = tile.triangles.start + if side == Side::A { 0 } else { tile.of_a };
        self.ids.get((first + number) as usize).copied()
    }

    /// Adds the triangles of a view, A's and then B's, each in the order of their numbers; gives how many
    /// are A's. `None` where 32 bits have no room for one of them.
    fn view(&mut self, view: &View, frame: &PairFrame, surfaces: [&Surface; 2]) -> Option<u32> {
        if view.count > LARGEST {
            return None;
        }
        let mut ends = [self.triangles.len(); 3];
        for side in Side::BOTH {
            let Surface { mesh, tree } = surfaces[side.index()];
            self.found.clear();
            let lines = view.lines([0; 2], [view.count; 2], 1).in_frame_of(frame, side);
            let _ = tree.lines(&lines, &mut self.search, &mut self.found);
            self.found.sort_unstable();
            let snap = Snap::new(view, frame, side);
            for &triangle in &self.found {
                let corners = mesh.corners(triangle).map(|p| snap.place(&p));
                if let Some(snapped) = Snapped::new(&corners, snap.far, view.count)
                    && let Some(row) = row(&snapped, &corners, view.count)?
                {
                    self.triangles.push(row);
                    self.ids.push(triangle);
                }
            }
            ends[side.index() + 1] = self.triangles.len();
        }
        let [start, middle, end] = ends;
        (middle - start <= MOST && end - middle <= MOST).then_some((middle - start) as u32)
    }

    /// The columns that a device saw in a view, in full. Whether they are such as can be.
    pub(crate) fn read(&self, tile: &Tile, seen: &TileSeen<'_>, out: &mut Look) -> bool {
        out.view = Some(tile.view);
        (out.fragments, out.odd) = (seen.fragments, seen.odd);
        out.list.clear();
        let (from, to) = (tile.triangles.start as usize, tile.triangles.end as usize);
        let middle = from + tile.of_a as usize;
        let mut length = 0;
        for column in seen.columns {
            let solid = Side::BOTH.map(|side| {
                let own = if side == Side::A { from..middle } else { middle..to };
                let at = |number: u32| {
                    let index = own.clone().nth(number as usize)?;
                    let t = &self.triangles[index];
                    let depth = Depth { at: t.at, along: t.along, least: t.least, most: t.most };
                    Some((depth.at(column.pixel[0].into(), column.pixel[1].into()), self.ids[index]))
                };
                let [open, close] = [0, 1].map(|end| column.ends[2 * side.index() + end]);
                let (open, open_triangle) =
                    if open == TileColumn::NONE { (NEAREST, ANALYTIC) } else { at(open)? };
                let (close, close_triangle) =
                    if close == TileColumn::NONE { (FARTHEST + 1, 0) } else { at(close)? };
                Some(Stretch { open, close, open_triangle, close_triangle })
            });
            let [Some(a), Some(b)] = solid else { return false };
            let column = Column { i: column.pixel[0], j: column.pixel[1], solid: [a, b] };
            if !column.is_touch() {
                length += column.length() as u64;
            }
            out.list.push(column);
        }
        length == seen.length
    }
}

/// A triangle in 32 bits; the inner `None` where it covers nothing, the outer where there is no room.
fn row(snapped: &Snapped, corners: &[[f64; 3]; 3], count: u32) -> Option<Option<TileTriangle>> {
    if !snapped.small {
        return None;
    }
    let Some(edges) = snapped.edges() else { return Some(None) };
    // The changes are whole pixels, so the fractions of a pixel at the start never matter.
    let pixels = |x: i64| x >> 8;
    let most = EDGE / 2 / i64::from(count);
    if edges.by_i.iter().chain(&edges.by_j).any(|&d| pixels(d).abs() > most) {
        return None;
    }
    let across = |k: usize| [pixels(edges.by_i[k]) as i32, pixels(edges.by_j[k]) as i32];
    let Depth { at, along, least, most } = Depth::new(corners);
    Some(Some(TileTriangle {
        front: !edges.back,
        edge: edges.start.map(|e| pixels(e).clamp(-EDGE, EDGE) as i32),
        across: [across(0), across(1)],
        at,
        along,
        least,
        most,
    }))
}

/// What a view shows, as a device saw it.
#[derive(Debug, Default)]
pub(crate) struct Look {
    pub view: Option<View>,
    pub list: Vec<Column>,
    pub fragments: u64,
    pub odd: u64,
}

/// Looks that a device has taken for a job.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    list: Vec<Look>,
    used: usize,
}

impl Looks {
    /// Adds a look; whether it can be one.
    pub fn add(&mut self, tiles: &Tiles, tile: &Tile, seen: &TileSeen<'_>) -> bool {
        if self.used == self.list.len() {
            self.list.push(Look::default());
        }
        let whole = tiles.read(tile, seen, &mut self.list[self.used]);
        self.used += usize::from(whole);
        whole
    }

    /// The look at just this view.
    pub fn at(&self, view: &View) -> Option<&Look> {
        self.list[..self.used].iter().find(|look| look.view.as_ref() == Some(view))
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.used = 0;
    }
}
