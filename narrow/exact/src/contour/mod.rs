//! Contact contours: the segments of the exact intersection joined into oriented loops, and loops into
//! clusters.
//!
//! Where two closed surfaces cross, every place (an edge of one side in a triangle of the other) is
//! the end of as many segments as it is the start of: walking from segment to segment closes a loop.
//! The border of an open mesh, or an edge whose faces do not balance, leaves chains that stay open; these are
//! joined to rings across the gaps between them. For a set of loops that bounds a part of A's surface inside B,
//! `G = ½ ∮ r × dr` is the area vector of that part.

mod bridge;
mod cluster;
mod link;
mod one_side;

#[cfg(test)]
mod tests;

use std::ops::Range;

use nalgebra::{Point3, Vector3};

use crate::intersect::{Intersections, Segment};
use bridge::Bridges;
use link::Links;

pub use cluster::{Cluster, clusters};
pub use one_side::keep_one_side;

/// The loop of a segment that is in none.
pub const NO_LOOP: u32 = u32::MAX;

/// A closed loop, or a ring of open chains, of segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Its segments in [`Contours::order`], each starting where the one before it ends. Between the chains of a
    /// ring there are gaps.
    pub segments: Range<u32>,
    /// Whether it returns to where it started, without a gap.
    pub closed: bool,
    /// ½ ∮ r × dr (m²): its share of the area vector of A's surface inside B. Of open chains, the
    /// same sum with straight bridges over the gaps, which is then but a guess.
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

    /// The closed line along a loop: its segments, and the bridges over its gaps.
    pub fn outline<'a>(
        &'a self,
        of: &Loop,
        intersections: &'a Intersections,
    ) -> impl Iterator<Item = [Point3<f64>; 2]> + 'a {
        let last = self.order[of.segments.end as usize - 1];
        let mut at = intersections.segments[last as usize].points[1];
        self.segments(of, intersections).flat_map(move |segment| {
            let bridge = (segment.points[0] != at).then_some([at, segment.points[0]]);
            at = segment.points[1];
            bridge.into_iter().chain([segment.points])
        })
    }

    /// Writes down the loop that each segment of an intersection is in; [`NO_LOOP`] of one that is in none.
    pub fn loops_of_segments(&self, intersections: &Intersections, out: &mut Vec<u32>) {
        out.clear();
        out.resize(intersections.segments.len(), NO_LOOP);
        for (index, of) in self.loops.iter().enumerate() {
            for &segment in &self.order[of.segments.start as usize..of.segments.end as usize] {
                out[segment as usize] = index as u32;
            }
        }
    }

    /// Empties them and keeps their memory.
    pub fn clear(&mut self) {
        self.loops.clear();
        self.order.clear();
        self.all_closed = true;
    }
}

/// What assembly reuses from pair to pair.
#[derive(Clone, Debug, Default)]
pub struct ContourScratch {
    links: Links,
    bridges: Bridges,
    /// Segments of the open chains, chain after chain, and where each begins; one more at the end.
    open: Vec<u32>,
    begins: Vec<u32>,
    /// Of segments that are told twice, those that stay.
    kept: Vec<bool>,
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
    let segments = &intersections.segments;
    let ContourScratch { links, bridges, open, begins, .. } = scratch;
    links.find(segments);
    // Chains first, from their starts; what is left are closed loops.
    open.clear();
    begins.clear();
    bridges.chains.clear();
    for k in 0..links.starts.len() {
        let first = links.starts[k];
        if links.has_previous[first as usize] {
            continue;
        }
        begins.push(open.len() as u32);
        links.walk(first, open);
        let last = open[open.len() - 1];
        bridges.chains.push([segments[first as usize].points[0], segments[last as usize].points[1]]);
    }
    begins.push(open.len() as u32);
    bridges.rings(|chains| {
        let begin = out.order.len();
        for &chain in chains {
            let range = begins[chain as usize] as usize..begins[chain as usize + 1] as usize;
            out.order.extend_from_slice(&open[range]);
        }
        out.loops.push(measure(segments, &out.order, begin, false));
    });
    for k in 0..links.starts.len() {
        let first = links.starts[k];
        if !links.visited[first as usize] {
            let begin = out.order.len();
            links.walk(first, &mut out.order);
            out.loops.push(measure(segments, &out.order, begin, true));
        }
    }
    out.all_closed = out.loops.iter().all(|l| l.closed);
    span.record("loops", out.loops.len());
    span.record("all_closed", out.all_closed);
}

fn measure(segments: &[Segment], order: &[u32], begin: usize, closed: bool) -> Loop {
    let own = &order[begin..];
    let origin = segments[own[0] as usize].points[0];
    let mut at = segments[own[own.len() - 1] as usize].points[1];
    let mut sum = Vector3::zeros();
    let (mut low, mut high) = (origin, origin);
    let (mut length, mut virtual_faces) = (0.0, 0);
    for &s in own {
        let Segment { points: [p, q], virtual_face: is_virtual, .. } = &segments[s as usize];
        sum += (at - origin).cross(&(p - origin)) + (p - origin).cross(&(q - origin));
        at = *q;
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
