//! What trees of computed nodes have in common: upright boxes, and the places at which a search begins.

use impinge_geometry::volume::round_up;

use super::node::{Child, OrientedBox};
use super::sat::GROWTH;

/// The axes of the frame.
pub(super) const UPRIGHT: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Least and greatest corner (m).
pub(super) type Corners = [[f32; 3]; 2];

/// The most boxes with which a search may begin.
pub(super) const MOST_STARTS: usize = 12;

/// Places (node · 8 + lane) with which a search may begin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Starts {
    places: [u32; MOST_STARTS],
    count: usize,
}

impl Starts {
    pub fn push(&mut self, place: u32) {
        self.places[self.count] = place;
        self.count += 1;
    }

    pub fn places(&self) -> &[u32] {
        &self.places[..self.count]
    }
}

/// The box between two corners, larger by what the box tests ask for ([`GROWTH`]).
pub(super) fn around([low, high]: Corners) -> OrientedBox {
    let center: [f32; 3] = std::array::from_fn(|k| 0.5 * low[k] + 0.5 * high[k]);
    let reach: [f64; 3] = std::array::from_fn(|k| {
        let c = f64::from(center[k]);
        (f64::from(high[k]) - c).max(c - f64::from(low[k]))
    });
    let growth = GROWTH * (reach[0] + reach[1] + reach[2]);
    let half = reach.map(|r| round_up(r + growth));
    OrientedBox { center, half, axes: UPRIGHT }
}

/// Nodes with which a search may begin, in the order of the tree, and where what they hold is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Roots {
    nodes: [Child; MOST_STARTS],
    count: usize,
    /// Least and greatest corner of all of it (m).
    corners: Corners,
}

impl Roots {
    pub const NONE: Roots = Roots {
        nodes: [Child::NONE; MOST_STARTS],
        count: 0,
        corners: [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]],
    };

    /// Takes in a node, and the corners between which everything is that it holds.
    pub fn push(&mut self, node: Child, [low, high]: Corners) {
        self.nodes[self.count] = node;
        self.count += 1;
        for k in 0..3 {
            self.corners[0][k] = self.corners[0][k].min(low[k]);
            self.corners[1][k] = self.corners[1][k].max(high[k]);
        }
    }

    pub fn nodes(&self) -> &[Child] {
        &self.nodes[..self.count]
    }

    /// A place in the middle of everything, and how far from it the farthest is (m).
    pub fn ball(&self) -> ([f32; 3], f64) {
        let [low, high] = &self.corners;
        let middle: [f32; 3] = std::array::from_fn(|k| 0.5 * low[k] + 0.5 * high[k]);
        let reach = |k: usize| {
            let c = f64::from(middle[k]);
            (f64::from(high[k]) - c).max(c - f64::from(low[k]))
        };
        (middle, (0..3).map(|k| reach(k) * reach(k)).sum::<f64>().sqrt() * (1.0 + 1e-12))
    }
}

/// The least part of a time that is no rounding.
const TIME_ROUNDING: f64 = 1e-9;

/// A box of points that go along a line: a ray, or a lattice of lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    /// Least and greatest corner at the time 0 (m).
    pub low: [f64; 3],
    pub high: [f64; 3],
    /// Where they go in a unit of time (m).
    pub direction: [f64; 3],
    /// From when until when; both may be infinite.
    pub from: f64,
    pub until: f64,
}

impl Along {
    /// The least and greatest coordinates that the points have while some may be between two corners (m): infinite where that has no end, `None` where none
    /// ever is.
    pub fn within(&self, corners: &Corners) -> Option<[[f64; 3]; 2]> {
        let (mut from, mut until) = (self.from, self.until);
        for k in 0..3 {
            let d = self.direction[k];
            let (to_low, to_high) =
                (f64::from(corners[0][k]) - self.high[k], f64::from(corners[1][k]) - self.low[k]);
            if d == 0.0 {
                if to_low > 0.0 || to_high < 0.0 {
                    return None;
                }
                continue;
            }
            let (a, b) = (to_low / d, to_high / d);
            let (first, last) = if d > 0.0 { (a, b) } else { (b, a) };
            let off = TIME_ROUNDING * (first.abs() + last.abs());
            // No comparison holds of NaN.
            from = if first - off > from { first - off } else { from };
            until = if last + off < until { last + off } else { until };
        }
        if from > until {
            return None;
        }
        let way = |k: usize, time: f64| if self.direction[k] == 0.0 { 0.0 } else { time * self.direction[k] };
        Some([
            std::array::from_fn(|k| self.low[k] + way(k, from).min(way(k, until))),
            std::array::from_fn(|k| self.high[k] + way(k, from).max(way(k, until))),
        ])
    }
}
