//! Which segment follows which.
//!
//! At an edge with more than two faces several segments end at one place and as many start there. Any pairing
//! of them closes the contours, and their total is the same; they are paired in the order of their triangles.

use crate::intersect::{HitKey, Segment};
use crate::radix;

const NONE: u32 = u32::MAX;

/// An end of a segment, as one number, which is compared at once: by its key, starts before ends, and by the place of the
/// segment among all in the order of their triangles, which no other segment has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SegmentEnd(u128);

impl SegmentEnd {
    fn new(key: &HitKey, is_end: bool, place: u32) -> SegmentEnd {
        let side = key.edge_side.index() as u128;
        let key = side << 64 | u128::from(key.edge) << 32 | u128::from(key.triangle);
        SegmentEnd(key << 33 | u128::from(is_end) << 32 | u128::from(place))
    }

    /// The side of the key's edge, and the edge.
    fn edge(self) -> [u64; 2] {
        let edge = (self.0 >> 65) as u64;
        [edge >> 32, edge & u64::from(u32::MAX)]
    }

    /// A number for each key.
    fn key(self) -> u128 {
        self.0 >> 33
    }

    /// Whether the segment ends here, not starts.
    fn is_end(self) -> bool {
        self.0 >> 32 & 1 == 1
    }

    /// The place of the segment among all.
    fn place(self) -> usize {
        self.0 as u32 as usize
    }
}

/// What follows what, and where to begin.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    ends: Vec<SegmentEnd>,
    room: Vec<SegmentEnd>,
    /// The segments in the order of their triangles.
    by_triangles: Vec<u32>,
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
        let Links { ends, room, by_triangles, next, has_previous, starts, visited } = self;
        let count = segments.len();
        ends.clear();
        next.clear();
        next.resize(count, NONE);
        has_previous.clear();
        has_previous.resize(count, false);
        visited.clear();
        visited.resize(count, false);
        starts.clear();
        by_triangles.clear();
        by_triangles.extend(0..count as u32);
        // They mostly come so.
        if !segments.is_sorted_by_key(|segment| segment.triangles) {
            by_triangles.sort_unstable_by_key(|&s| segments[s as usize].triangles);
        }
        for (place, &s) in by_triangles.iter().enumerate() {
            for (is_end, key) in [false, true].into_iter().zip(&segments[s as usize].ends) {
                ends.push(SegmentEnd::new(key, is_end, place as u32));
            }
        }
        let edges =
            ends.iter().filter(|end| end.edge()[0] == 0).map(|end| end.edge()[1] + 1).max().unwrap_or(0);
        let number = |end: &SegmentEnd| {
            let [side, edge] = end.edge();
            side * edges + edge
        };
        radix::sort_by_number(ends, room, number);
        ends.chunk_by_mut(|a, b| a.edge() == b.edge()).for_each(<[_]>::sort_unstable);
        for same in ends.chunk_by(|a, b| a.key() == b.key()) {
            let (leaving, arriving) = same.split_at(same.partition_point(|end| !end.is_end()));
            starts.extend(leaving.iter().map(|end| by_triangles[end.place()]));
            for (before, following) in arriving.iter().zip(leaving) {
                let following = by_triangles[following.place()];
                next[by_triangles[before.place()] as usize] = following;
                has_previous[following as usize] = true;
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
