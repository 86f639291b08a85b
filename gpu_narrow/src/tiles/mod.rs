//! Views on the device: from the pairs' views to tiles, and from records to columns.

mod answer;
mod batch;
mod dispatch;

use impinge_geometry::Side;
use impinge_midphase::Surface;
use impinge_narrow::snap::Snap;
use impinge_narrow::{Tile, Tiles};

use crate::engine::Engine;
use crate::layout::{
    DEEPEST_PIXEL, MOST_BITS, NO_SOLID, OPEN_A, OPEN_B, SnapView, TILE_HEAD_WORDS, TILE_PIXELS,
    TILE_RECORD_WORDS, TILE_SIDE, TileUnit, WHOLE, WITH_SOLIDS, WITH_SUMS,
};
use crate::meshes::MeshPlace;
use crate::stream::Overflow;

pub use answer::TileTotals;
pub(crate) use answer::take_in;
pub(crate) use batch::{Batch, BatchRoom, Batches, MOST_BATCHES};
pub(crate) use dispatch::TileBuffers;

/// Bytes of the fragments of a tile, and of their counts.
pub(crate) const FRAGMENTS: u64 = 8 * TILE_PIXELS as u64 * DEEPEST_PIXEL as u64;
pub(crate) const COUNTS: u64 = 4 * TILE_PIXELS as u64;

/// Room for this many columns more than there were in the last step, and for a sixteenth of them.
const SPARE: u32 = 6;

/// Where a view stands in the step: its tiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileTicket {
    tiles: std::ops::Range<u32>,
    sequence: u32,
}

/// The tiles of one step, as the CPU keeps them.
#[derive(Debug, Default)]
pub(crate) struct TileStep {
    pub units: Vec<TileUnit>,
    views: Vec<SnapView>,
    /// The triangles of all views: a row of each is made on the device.
    triangles: Vec<u32>,
    /// The solids of all views: kind and number of planes, and then their numbers.
    solids: Vec<[u32; 2]>,
    /// Words of answers asked for.
    pub words: u32,
    flushed_units: usize,
    flushed_views: usize,
    flushed_triangles: usize,
    flushed_solids: usize,
    batches: Batches,
    /// Words of answers that have come.
    pub answers: Vec<u32>,
}

impl TileStep {
    pub fn begin(&mut self) {
        self.units.clear();
        self.views.clear();
        self.triangles.clear();
        self.solids.clear();
        self.flushed_solids = 0;
        self.answers.clear();
        self.batches.clear();
        self.words = 0;
        (self.flushed_units, self.flushed_views, self.flushed_triangles) = (0, 0, 0);
    }

    /// Views in it.
    pub fn view_count(&self) -> usize {
        self.views.len()
    }

    /// Whether there is something to send.
    pub fn is_new(&self) -> bool {
        self.units.len() > self.flushed_units
    }
}

/// Words of a record.
fn head(flags: u32) -> u32 {
    if flags & WITH_SUMS == 0 { TILE_HEAD_WORDS } else { TILE_RECORD_WORDS }
}

/// Bits of a column: whether the next is of the same pixel, and the numbers of four triangles.
fn stride(bits: [u32; 2]) -> u32 {
    1 + 2 * (bits[0] + bits[1])
}

/// Words of some columns.
fn packed(columns: u32, bits: [u32; 2]) -> u32 {
    (columns * stride(bits)).div_ceil(32)
}

/// Words of the pieces that so many columns belong to, where the sums are asked for.
fn labels(columns: u32, flags: u32) -> u32 {
    if flags & WITH_SUMS == 0 { 0 } else { columns.div_ceil(2) }
}

impl Engine {
    /// Adds a view of two bodies to the step: of the surfaces of those sides that are no solids.
    ///
    /// # Errors
    /// [`Overflow`]: the view is the CPU's.
    pub fn push_tile(
        &mut self,
        tiles: &Tiles,
        tile: &Tile,
        surfaces: [Option<&Surface>; 2],
    ) -> Result<TileTicket, Overflow> {
        let pushed = self.try_push_tile(tiles, tile, surfaces);
        let counts = &mut self.step.counts;
        match &pushed {
            Ok(ticket) => counts.tiles += u64::from(ticket.tiles.end - ticket.tiles.start),
            Err(_) => counts.tiles_refused += 1,
        }
        pushed
    }

    fn try_push_tile(
        &mut self,
        tiles: &Tiles,
        tile: &Tile,
        surfaces: [Option<&Surface>; 2],
    ) -> Result<TileTicket, Overflow> {
        let Engine { capacities, meshes, step, tile_sums, .. } = self;
        let own = &mut step.tiles;
        let parts = tile.side().div_ceil(TILE_SIDE);
        let triangles = &tiles.triangles[tile.triangles.start as usize..tile.triangles.end as usize];
        let (of_a, of_b) = (tile.of_a, triangles.len() as u32 - tile.of_a);
        let bits = [of_a, of_b].map(|own| u32::BITS - own.leading_zeros());
        let capacity = (tile.columns + tile.columns / 16 + SPARE).min(capacities.columns);
        let flag = |on: bool, bit: u32| if on { bit } else { 0 };
        let flags = flag(tile.open[0], OPEN_A)
            | flag(tile.open[1], OPEN_B)
            | flag(tile.is_whole(), WHOLE)
            | flag(*tile_sums, WITH_SUMS)
            | flag(tile.solids.iter().any(Option::is_some), WITH_SOLIDS);
        let words = head(flags) + packed(capacity, bits) + labels(capacity, flags);
        let tiles_after = own.units.len() as u64 + u64::from(parts * parts);
        let room = bits[0].max(bits[1]) <= MOST_BITS
            && tiles_after <= u64::from(capacities.tiles)
            && 4 * (own.triangles.len() + triangles.len()) as u64 <= capacities.buffer_bytes
            && 8 * (own.solids.len() + solid_words(tile)) as u64 <= capacities.buffer_bytes
            && 4 * (u64::from(own.words) + u64::from(words * parts * parts)) <= capacities.buffer_bytes;
        if !room {
            return Err(Overflow::WorkList);
        }
        let mut place = |side: usize| match surfaces[side].filter(|_| tile.solids[side].is_none()) {
            Some(surface) => meshes.place(surface, capacities.mesh_words).ok_or(Overflow::WorkList),
            None => Ok(MeshPlace::default()),
        };
        let places = [place(0)?, place(1)?];
        if !own.batches.add(parts * parts, triangles.len() as u32, BatchRoom::new(capacities)) {
            return Err(Overflow::WorkList);
        }
        let first = own.triangles.len() as u32;
        own.triangles.extend_from_slice(triangles);
        own.views.push(view(tile, first, places));
        let mut solids = [NO_SOLID; 2];
        for (at, solid) in solids.iter_mut().zip(&tile.solids) {
            let Some(solid) = solid else { continue };
            *at = own.solids.len() as u32;
            own.solids.push([solid.kind as u32, solid.planes]);
            own.solids.extend(solid.list.iter().map(|&x| words_of(x)));
        }
        let from = own.units.len() as u32;
        for part in 0..parts * parts {
            own.units.push(TileUnit {
                first,
                count: triangles.len() as u32,
                of_a,
                side: tile.side(),
                origin: [part % parts * TILE_SIDE, part / parts * TILE_SIDE],
                flags,
                capacity,
                answer: own.words,
                deepest: capacities.layers.min(DEEPEST_PIXEL),
                bits,
                solids,
            });
            own.words += words;
        }
        Ok(TileTicket { tiles: from..own.units.len() as u32, sequence: step.sequence })
    }
}

/// A double as words, the low one first.
fn words_of(x: f64) -> [u32; 2] {
    [x.to_bits() as u32, (x.to_bits() >> 32) as u32]
}

/// Doubles that the solids of a view take.
fn solid_words(tile: &Tile) -> usize {
    tile.solids.iter().flatten().map(|solid| 1 + solid.list.len()).sum()
}

/// A view as the shader reads it, whose triangles begin with the `first` of the step.
fn view(tile: &Tile, first: u32, [a, b]: [MeshPlace; 2]) -> SnapView {
    let mut lattice = [[0; 2]; 24];
    let numbers = tile.snaps.iter().flat_map(|Snap { rows, shift, .. }| rows.iter().flatten().chain(shift));
    lattice.iter_mut().zip(numbers).for_each(|(to, &x)| *to = words_of(x));
    SnapView {
        first,
        count: tile.triangles.len() as u32,
        of_a: tile.of_a,
        side: tile.side(),
        vertices_a: a.vertices,
        corners_a: a.corners,
        slots_a: a.slots,
        vertices_b: b.vertices,
        corners_b: b.corners,
        slots_b: b.slots,
        far: words_of(tile.snaps[Side::A.index()].far),
        limit: words_of(tile.side_in_sub_pixels()),
        lattice,
    }
}
