//! Which segment follows which.
//!
//! At an edge with more than two faces several segments end at one place and as many start there. Any pairing
//! of them closes the contours, and their total is the same; they are paired in the order of their triangles.

use crate::intersect::{HitKey, Segment};

const NONE: u32 = u32::MAX;

/// An end of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SegmentEnd {
    key: HitKey,
    /// Whether the segment ends here, not starts.
    is_end: bool,
    /// The segment's own, which no other segment has.
    triangles: [u32; 2],
    segment: u32,
}

/// What follows what, and where to begin.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    ends: Vec<SegmentEnd>,
    /// The segment that follows each, if any, and whether one precedes it.
    pub next: Vec<u32>,
    pub has_previous: Vec<bool>,
    /// Segments by the key they start at: where loops are started.
    pub starts: Vec<u32>,
    pub visited: Vec<bool>,
}

impl Links {
    /// Finds for every segment the one that starts where it ends.
    pub fn find(&mut self, segments: &[Segment]) {
        let Links { ends, next, has_previous, starts, visited } = self;
        let count = segments.len();
        ends.clear();
        next.clear();
        next.resize(count, NONE);
        has_previous.clear();
        has_previous.resize(count, false);
        visited.clear();
        visited.resize(count, false);
        starts.clear();
        for (s, segment) in segments.iter().enumerate() {
            for (is_end, key) in [false, true].into_iter().zip(segment.ends) {
                ends.push(SegmentEnd { key, is_end, triangles: segment.triangles, segment: s as u32 });
            }
        }
        ends.sort_unstable();
        for place in ends.chunk_by(|a, b| a.key == b.key) {
            let (leaving, arriving) = place.split_at(place.partition_point(|end| !end.is_end));
            starts.extend(leaving.iter().map(|end| end.segment));
            for (before, following) in arriving.iter().zip(leaving) {
                next[before.segment as usize] = following.segment;
                has_previous[following.segment as usize] = true;
            }
        }
    }

    /// Appends a segment and what follows it, until nothing does or what does is visited.
    pub fn walk(&mut self, first: u32, out: &mut Vec<u32>) {
        let mut at = first;
        while at != NONE && !self.visited[at as usize] {
            self.visited[at as usize] = true;
            out.push(at);
            at = self.next[at as usize];
        }
    }
}
