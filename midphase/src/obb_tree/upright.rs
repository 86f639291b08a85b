//! What trees of computed nodes have in common: upright boxes, and the places at which a search begins.

use impinge_geometry::volume::round_up;

use super::node::OrientedBox;
use super::sat::GROWTH;

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
    OrientedBox { center, half, axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] }
}
