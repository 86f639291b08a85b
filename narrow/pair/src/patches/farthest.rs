//! The corners of a region: its farthest places in directions all round.

use nalgebra::{Point3, Vector2};

/// Directions across a normal: these and their opposites, all round.
const HALF_ROUND: [[f64; 2]; 8] = [
    [0.980785, 0.195090],
    [0.831470, 0.555570],
    [0.555570, 0.831470],
    [0.195090, 0.980785],
    [-0.195090, 0.980785],
    [-0.555570, 0.831470],
    [-0.831470, 0.555570],
    [-0.980785, 0.195090],
];
const DIRECTIONS: usize = 2 * HALF_ROUND.len();

/// The farthest of some places in each of sixteen directions across a normal.
#[derive(Debug, Default)]
pub(crate) struct FarthestPlaces([Option<(f64, Point3<f64>)>; DIRECTIONS]);

impl FarthestPlaces {
    /// Takes a place into account, which is there across the normal (m).
    pub fn offer(&mut self, at: &Vector2<f64>, place: &Point3<f64>) {
        for (k, direction) in HALF_ROUND.iter().enumerate() {
            let along = at.x * direction[0] + at.y * direction[1];
            for (at, along) in [(2 * k, along), (2 * k + 1, -along)] {
                let best = &mut self.0[at];
                if best.is_none_or(|(most, _)| along > most) {
                    *best = Some((along, *place));
                }
            }
        }
    }

    /// Those that are the farthest in two directions beside each other, each once.
    pub fn corners(&self) -> Vec<Point3<f64>> {
        // In order round the normal: a direction's opposite is as many further on as half round.
        let round: Vec<Point3<f64>> = (0..2)
            .flat_map(|half| self.0.iter().skip(half).step_by(2))
            .filter_map(|best| best.map(|best| best.1))
            .collect();
        let mut corners: Vec<Point3<f64>> = Vec::with_capacity(DIRECTIONS);
        for (k, corner) in round.iter().enumerate() {
            // Of a round region each direction has another: which ones are met is chance.
            if *corner == round[(k + 1) % round.len()] && !corners.contains(corner) {
                corners.push(*corner);
            }
        }
        corners
    }
}
