//! Views that are handed over ready made: where they stand and which triangles they may show is the CPU's to say.

mod answer;
mod dispatch;

use impinge_image_space::reference_view::LatticeView;
use impinge_midphase::Surface;

use super::batch::{BatchRoom, Batches};
use super::layout::{
    DEEPEST_PIXEL, LatticeMap, MOST_BITS, OPEN_A, OPEN_B, PACKED, SnapView, TILE_RECORD_WORDS, TILE_SIDE,
    TileUnit, WHOLE,
};
use crate::engine::Engine;
use crate::intersect::Overflow;
use crate::meshes::MeshPlace;

pub(crate) use answer::take_in;
pub use answer::{DeviceInterval, ViewTotals};
pub(crate) use dispatch::ReferenceBuffers;

/// Pixels per side of the largest view.
const LARGEST: u32 = 128;

/// Where a view stands in the step: its tiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewTicket {
    tiles: std::ops::Range<u32>,
    sequence: u32,
}

/// The tiles of one step, as the CPU keeps them.
#[derive(Debug, Default)]
pub(crate) struct ReferenceStep {
    pub units: Vec<TileUnit>,
    views: Vec<SnapView>,
    /// The triangles of all views: a row of each is made on the device.
    triangles: Vec<u32>,
    /// Words of answers asked for.
    pub words: u32,
    flushed_units: usize,
    flushed_views: usize,
    flushed_triangles: usize,
    batches: Batches,
    /// Words of answers that have come.
    pub answers: Vec<u32>,
}

impl ReferenceStep {
    pub fn begin(&mut self) {
        self.units.clear();
        self.views.clear();
        self.triangles.clear();
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

/// Bits of an interval: whether the next is of the same pixel, and the numbers of four triangles.
fn stride(bits: [u32; 2]) -> u32 {
    1 + 2 * (bits[0] + bits[1])
}

/// Words of some intervals.
fn packed(intervals: u32, bits: [u32; 2]) -> u32 {
    (intervals * stride(bits)).div_ceil(32)
}

impl Engine {
    /// Adds a view to the step whose triangles the CPU has found: the device snaps them, and finds its layers and
    /// intervals.
    ///
    /// # Errors
    /// [`Overflow`]: the view exceeds a capacity, or has more pixels or triangles than the device has bits for.
    pub fn push_view(&mut self, view: &LatticeView<'_>) -> Result<ViewTicket, Overflow> {
        let pushed = self.try_push_view(view);
        let counts = &mut self.step.counts;
        match &pushed {
            Ok(ticket) => counts.tiles += u64::from(ticket.tiles.end - ticket.tiles.start),
            Err(_) => counts.views_refused += 1,
        }
        pushed
    }

    fn try_push_view(&mut self, lattice: &LatticeView<'_>) -> Result<ViewTicket, Overflow> {
        let Engine { capacities, meshes, step, .. } = self;
        let own = &mut step.reference;
        let side = lattice.count();
        let parts = side.div_ceil(TILE_SIDE);
        let triangles = lattice.triangles();
        let (of_a, of_b) = (lattice.of_a(), triangles.len() as u32 - lattice.of_a());
        let bits = [of_a, of_b].map(|own| u32::BITS - own.leading_zeros());
        let capacity = capacities.intervals.min(32 * PACKED / stride(bits));
        let [open_a, open_b] = lattice.open();
        let flag = |on: bool, bit: u32| if on { bit } else { 0 };
        let flags = flag(open_a, OPEN_A) | flag(open_b, OPEN_B) | flag(lattice.is_whole(), WHOLE);
        let words = TILE_RECORD_WORDS + packed(capacity, bits);
        let tiles_after = own.units.len() as u64 + u64::from(parts * parts);
        let room = side <= LARGEST
            && bits[0].max(bits[1]) <= MOST_BITS
            && tiles_after <= u64::from(capacities.tiles)
            && 4 * (own.triangles.len() + triangles.len()) as u64 <= capacities.buffer_bytes
            && 4 * (u64::from(own.words) + u64::from(words * parts * parts)) <= capacities.buffer_bytes;
        if !room {
            return Err(Overflow::WorkList);
        }
        let [a, b] = lattice.surfaces();
        let mut place = |s: &Surface| meshes.place(s, capacities.mesh_words).ok_or(Overflow::WorkList);
        let places = [place(a)?, place(b)?];
        if !own.batches.add(parts * parts, triangles.len() as u32, BatchRoom::new(capacities)) {
            return Err(Overflow::WorkList);
        }
        let first = own.triangles.len() as u32;
        own.triangles.extend_from_slice(triangles);
        own.views.push(snap_view(lattice, first, places));
        let from = own.units.len() as u32;
        for part in 0..parts * parts {
            own.units.push(TileUnit {
                first,
                count: triangles.len() as u32,
                of_a,
                side,
                origin: [part % parts * TILE_SIDE, part / parts * TILE_SIDE],
                flags,
                capacity,
                answer: own.words,
                deepest: capacities.layers.min(DEEPEST_PIXEL),
                bits,
            });
            own.words += words;
        }
        Ok(ViewTicket { tiles: from..own.units.len() as u32, sequence: step.sequence })
    }
}

/// A view as the shader reads it, whose triangles begin with the `first` of the step.
fn snap_view(view: &LatticeView<'_>, first: u32, [a, b]: [MeshPlace; 2]) -> SnapView {
    let map = |side: usize| LatticeMap::new(&view.maps()[side], &view.quanta()[side], view.far());
    SnapView {
        first,
        count: view.triangles().len() as u32,
        of_a: view.of_a(),
        side: view.count(),
        vertices_a: a.vertices,
        corners_a: a.corners,
        slots_a: a.slots,
        vertices_b: b.vertices,
        corners_b: b.corners,
        slots_b: b.slots,
        spare: [0; 2],
        maps: [map(0), map(1)],
    }
}
