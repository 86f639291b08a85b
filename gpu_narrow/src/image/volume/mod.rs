//! Intersection volumes on the device: the view along a pair's contours is laid there from what the triangle
//! intersection has just found, its layers and intervals follow at once, and only their sums come back.

mod answer;
mod dispatch;

use impinge_image_space::fixed_map::Quanta;
use impinge_midphase::{PairJob, Surface};

use super::batch::{BatchRoom, Batches};
use super::layout::{
    COUNTED, DEEPEST_PIXEL, LatticeMap, TILE_RECORD_WORDS, TILE_SIDE, TileUnit, VIEW_ROWS, ViewPair,
};
use crate::engine::Engine;
use crate::intersect::{IntersectTicket, Overflow};

pub use answer::{LaidView, VolumeAnswer};
pub(crate) use dispatch::{PARAMS_SLOTS, VolumeBuffers};

/// Where a pair's intersection volume stands in the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VolumeTicket {
    pair: u32,
    /// The first of its tiles, and one past the last.
    tiles: [u32; 2],
    sequence: u32,
}

/// The pairs of one step, as the CPU keeps them.
#[derive(Debug, Default)]
pub(crate) struct VolumeStep {
    pub pairs: Vec<ViewPair>,
    /// Tiles, pair by pair.
    pub units: Vec<TileUnit>,
    /// Rows of all of them.
    rows: u32,
    flushed: usize,
    batches: Batches,
    /// What has come: the pairs again, and the records of their tiles.
    pub seen: Vec<ViewPair>,
    pub answers: Vec<u32>,
}

impl VolumeStep {
    pub fn begin(&mut self) {
        self.pairs.clear();
        self.units.clear();
        (self.rows, self.flushed) = (0, 0);
        self.batches.clear();
        self.seen.clear();
        self.answers.clear();
    }

    /// Whether there is something to send.
    pub fn is_new(&self) -> bool {
        self.pairs.len() > self.flushed
    }
}

impl Engine {
    /// Asks for the intersection volume of a job whose triangles were pushed in this step, by a view of `side` pixels
    /// (16, 32, 48 or 64); nothing of bodies that are open, and of those of several shells, of which one may lie
    /// within the other body without a contour.
    ///
    /// # Errors
    /// [`Overflow`]: the pair is the CPU's.
    pub fn push_volume(
        &mut self,
        job: &PairJob<'_>,
        hits: &IntersectTicket,
        side: u32,
    ) -> Result<Option<VolumeTicket>, Overflow> {
        let Engine { step, capacities, .. } = self;
        let [Some(a), Some(b)] = job.parts.map(|part| part.surface.as_ref()) else {
            return Ok(None);
        };
        let whole = |body: &&Surface| {
            body.mesh().is_some_and(|mesh| mesh.is_closed() && mesh.components().len() == 1)
        };
        if ![a, b].iter().all(whole) {
            return Ok(None);
        }
        let unit = step.units.get(hits.units.start as usize).copied();
        let Some(unit) = unit.filter(|_| hits.sequence == step.sequence) else {
            return Err(Overflow::WorkList);
        };
        let own = &mut step.volumes;
        let parts = side.clamp(TILE_SIDE, 64).div_ceil(TILE_SIDE);
        let tiles = parts * parts;
        let counts = [a, b].map(|surface| surface.tree.triangle_count() as u32);
        let rows = counts[0].saturating_add(counts[1]).min(VIEW_ROWS) + 1;
        let first = own.rows;
        let room = own.units.len() as u64 + u64::from(tiles) <= u64::from(capacities.tiles)
            && own.batches.add(tiles, rows, BatchRoom::wide(capacities));
        if !room {
            return Err(Overflow::WorkList);
        }
        own.rows += rows;
        let pair = own.pairs.len() as u32;
        let side = parts * TILE_SIDE;
        let from = own.units.len() as u32;
        own.pairs.push(ViewPair {
            to_a: unit.to_a,
            origin: unit.origin,
            scale: unit.scale,
            vertices_a: unit.vertices_a,
            corners_a: unit.corners_a,
            count_a: counts[0],
            vertices_b: unit.vertices_b,
            corners_b: unit.corners_b,
            count_b: counts[1],
            answer: unit.answer,
            leaf_pairs: hits.leaf_pairs,
            first,
            room: rows - 1,
            side,
            delta: unit.delta,
            maps: [a, b].map(|surface| LatticeMap {
                quanta: Quanta::of(surface.faces()).exponents(),
                ..LatticeMap::default()
            }),
            ..ViewPair::default()
        });
        for part in 0..tiles {
            let answer = own.units.len() as u32 * TILE_RECORD_WORDS;
            own.units.push(TileUnit {
                first,
                count: 0,
                of_a: 0,
                side,
                origin: [part % parts * TILE_SIDE, part / parts * TILE_SIDE],
                flags: COUNTED,
                capacity: 0,
                answer,
                deepest: capacities.layers.min(DEEPEST_PIXEL),
                bits: [0; 2],
            });
        }
        step.counts.volumes += 1;
        Ok(Some(VolumeTicket { pair, tiles: [from, from + tiles], sequence: step.sequence }))
    }
}
