//! Contact contours: the segments of the exact intersection joined into oriented loops, and loops into
//! clusters.
//!
//! Where two closed surfaces cross, every place (an edge of one side in a triangle of the other) is
//! the end of one segment and the start of another: walking from segment to segment closes a loop.
//! A place without exactly one of each (the border of an open mesh, an edge with three faces) ends a
//! chain that stays open. For a set of loops that bounds a part of A's surface inside B,
//! `G = ½ ∮ r × dr` is the area vector of that part.

mod cluster;

#[cfg(test)]
mod tests;

use std::ops::Range;

use nalgebra::{Point3, Vector3};

use crate::intersect::{HitKey, Intersections, Segment};

pub use cluster::{Cluster, clusters};

/// A closed loop, or an open chain, of segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Its segments in [`Contours::order`], each starting where the one before it ends.
    pub segments: Range<u32>,
    /// Whether it returns to where it started.
    pub closed: bool,
    /// ½ ∮ r × dr (m²): its share of the area vector of A's surface inside B. Of an open chain, the
    /// same sum with r from the chain's first point, which is then but a guess.
    pub gradient: Vector3<f64>,
    /// Least and greatest corner of its box (m, pair frame).
    pub aabb: [Point3<f64>; 2],
    /// Its length (m).
    pub length: f64,
    /// How many of its segments belong to virtual faces; where all do, it does not count as touching.
    pub virtual_faces: u32,
}

impl Loop {
    /// Whether every segment belongs to a virtual face.
    pub fn is_virtual(&self) -> bool {
        self.virtual_faces == self.segments.end - self.segments.start
    }
}

/// The contours of one pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contours {
    /// The loops, ordered by the least key in each.
    pub loops: Vec<Loop>,
    /// Indices into [`Intersections::segments`], loop after loop.
    pub order: Vec<u32>,
    /// Whether every loop is closed.
    pub all_closed: bool,
}

impl Contours {
    /// The segments of a loop in their order.
    pub fn segments<'a>(
        &'a self,
        of: &Loop,
        intersections: &'a Intersections,
    ) -> impl Iterator<Item = &'a Segment> + 'a {
        let range = of.segments.start as usize..of.segments.end as usize;
        self.order[range].iter().map(|&s| &intersections.segments[s as usize])
    }

    /// Empties them and keeps their memory.
    pub fn clear(&mut self) {
        self.loops.clear();
        self.order.clear();
        self.all_closed = true;
    }
}

const NONE: u32 = u32::MAX;

/// What assembly reuses from pair to pair.
#[derive(Clone, Debug, Default)]
pub struct ContourScratch {
    /// Every end of every segment: its key, whether it is the segment's end, the segment.
    ends: Vec<(HitKey, bool, u32)>,
    /// The segment that follows each, if any, and whether one precedes it.
    next: Vec<u32>,
    has_previous: Vec<bool>,
    visited: Vec<bool>,
    /// Segments by the key they start at: where loops are started.
    starts: Vec<u32>,
}

/// Joins the segments of an intersection into contours; what was in `out` before is lost. The result
/// depends on the segments alone, not on their order.
pub fn assemble(intersections: &Intersections, scratch: &mut ContourScratch, out: &mut Contours) {
    let span = tracing::debug_span!(
        "contour",
        segments = intersections.segments.len(),
        loops = tracing::field::Empty,
        all_closed = tracing::field::Empty,
    );
    let _entered = span.enter();
    out.clear();
    link(&intersections.segments, scratch);
    // Chains first, from their starts; what is left are rings.
    let ContourScratch { next, has_previous, visited, starts, .. } = scratch;
    for chains in [true, false] {
        for &first in starts.iter() {
            if visited[first as usize] || (chains && has_previous[first as usize]) {
                continue;
            }
            let begin = out.order.len();
            let mut at = first;
            while at != NONE && !visited[at as usize] {
                visited[at as usize] = true;
                out.order.push(at);
                at = next[at as usize];
            }
            out.loops.push(measure(&intersections.segments, &out.order, begin, !chains));
        }
    }
    out.all_closed = out.loops.iter().all(|l| l.closed);
    span.record("loops", out.loops.len());
    span.record("all_closed", out.all_closed);
}

/// Finds for every segment the one that starts where it ends, where exactly one ends and exactly one
/// starts there.
fn link(segments: &[Segment], scratch: &mut ContourScratch) {
    let count = segments.len();
    scratch.ends.clear();
    scratch.next.clear();
    scratch.next.resize(count, NONE);
    scratch.has_previous.clear();
    scratch.has_previous.resize(count, false);
    scratch.visited.clear();
    scratch.visited.resize(count, false);
    scratch.starts.clear();
    for (s, segment) in segments.iter().enumerate() {
        scratch.ends.push((segment.ends[0], false, s as u32));
        scratch.ends.push((segment.ends[1], true, s as u32));
    }
    scratch.ends.sort_unstable();
    for place in scratch.ends.chunk_by(|a, b| a.0 == b.0) {
        for &(_, is_end, segment) in place {
            if !is_end {
                scratch.starts.push(segment);
            }
        }
        if let [(_, false, following), (_, true, before)] = place {
            scratch.next[*before as usize] = *following;
            scratch.has_previous[*following as usize] = true;
        }
    }
}

fn measure(segments: &[Segment], order: &[u32], begin: usize, closed: bool) -> Loop {
    let own = &order[begin..];
    let origin = segments[own[0] as usize].points[0];
    let mut sum = Vector3::zeros();
    let (mut low, mut high) = (origin, origin);
    let (mut length, mut virtual_faces) = (0.0, 0);
    for &s in own {
        let Segment { points: [p, q], virtual_face: is_virtual, .. } = &segments[s as usize];
        sum += (p - origin).cross(&(q - origin));
        length += (q - p).norm();
        virtual_faces += u32::from(*is_virtual);
        (low, high) = (low.inf(p).inf(q), high.sup(p).sup(q));
    }
    Loop {
        segments: begin as u32..order.len() as u32,
        closed,
        gradient: sum * 0.5,
        aabb: [low, high],
        length,
        virtual_faces,
    }
}
