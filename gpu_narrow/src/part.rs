//! A part of a step: what one submission asks for, and where its answers are on their way.

use std::ops::Range;
use std::time::Instant;

use crate::device::readback::Pending;
use crate::image::layout::{TILE_RECORD_WORDS, ViewPair};
use crate::manifold::layout::{INTERVAL_WORDS, PatchRecord};

/// Buffers that answers are copied from.
pub(crate) const SOURCES: usize = 6;

/// Bytes of the two timestamps of a pass.
pub(crate) const STAMPS_OF_PASS: u64 = 16;

/// How much of a step there was when a part of it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub units: usize,
    pub words: u32,
    pub reference_tiles: usize,
    pub reference_words: u32,
    pub volume_pairs: usize,
    pub volume_tiles: usize,
    pub heads: usize,
    pub views: usize,
    /// Intervals of views that there is room for.
    pub room: u32,
    /// Passes that were timed.
    pub timed: usize,
}

/// A part whose answers are on their way.
#[derive(Debug)]
pub(crate) struct Part {
    pub from: Marks,
    pub to: Marks,
    pub pending: Pending,
    pub submission: wgpu::SubmissionIndex,
    pub submitted: Instant,
}

impl Marks {
    /// Where the bytes from here to there stand in the buffers of answers: of triangles, of views that are given, of intersection
    /// volumes (pairs, tiles), of contacts (records, intervals).
    pub fn bytes(&self, to: &Marks) -> [Range<u64>; SOURCES] {
        let range = |from: usize, to: usize, size: usize| (from * size) as u64..(to * size) as u64;
        let words = |from: u32, to: u32, each: u32| range(from as usize, to as usize, 4 * each as usize);
        let tiles = [self.volume_tiles, to.volume_tiles];
        [
            words(self.words, to.words, 1),
            words(self.reference_words, to.reference_words, 1),
            range(self.volume_pairs, to.volume_pairs, size_of::<ViewPair>()),
            range(tiles[0], tiles[1], 4 * TILE_RECORD_WORDS as usize),
            range(self.views, to.views, size_of::<PatchRecord>()),
            words(self.room, to.room, INTERVAL_WORDS),
        ]
    }

    /// Bytes of the timestamps from here to there.
    pub fn stamp_bytes(&self, to: &Marks) -> u64 {
        (to.timed - self.timed) as u64 * STAMPS_OF_PASS
    }

    /// All bytes that come back of the part from here to there.
    pub fn all_bytes(&self, to: &Marks) -> u64 {
        let answers: u64 = self.bytes(to).iter().map(|range| range.end - range.start).sum();
        (answers + self.stamp_bytes(to)).max(4)
    }
}
