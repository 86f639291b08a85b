//! Hulls in whole numbers of 16 bits, so that twice as many stand side by side.
//!
//! Bounds are rounded to steps of a column's own frame. Rounding never changes an order, so bounds that
//! meet still do; and a depth grows by no more than one step, which the shells take up. So nothing that
//! the hulls themselves would hit is missed; the few that are hit beyond are sorted out as all hits are.

use super::{Block, LANES, Lanes};
use crate::grid::Grid;

pub(super) type Words = [i16; LANES];

/// Steps that a frame has across; a few less than there are numbers.
const STEPS: f32 = 65_000.0;
/// The least cells across a frame, for boxes that reach out of their column.
const LEAST_CELLS: f32 = 8.0;
/// The most: a step is then a hundredth of a common box.
const MOST_CELLS: f32 = 256.0;
/// The greatest number of a bound; one more marks a lane without a hull.
pub(super) const MOST: f32 = 32_766.0;
/// The greatest shell.
pub(super) const MOST_SHELL: f32 = 32_767.0;
/// Half of what two bounds may come apart by rounding, which is a step and a little; and that the shell
/// itself is rounded.
pub(super) const SLACK: f32 = 1.1;

/// Where steps are counted from, and how many there are to a metre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub origin: [f32; 3],
    pub scale: f32,
}

impl Frame {
    /// A frame for a column whose members lie between two places along the sweep axis (m); none where
    /// its steps would be too large.
    pub fn new(grid: &Grid, cell: [u16; 2], from: f32, to: f32) -> Option<Frame> {
        let edge = [0, 1].map(|k| 1.0 / grid.inverse[k]);
        let (least, most) = (LEAST_CELLS * edge[0].max(edge[1]), MOST_CELLS * edge[0].min(edge[1]));
        let span = to - from;
        let scale = STEPS / span.max(least);
        let middle = |k: usize| grid.origin[k] + (f32::from(cell[k]) + 0.5) * edge[k];
        let origin = [0.5 * from + 0.5 * to, middle(0), middle(1)];
        let sound = span <= most && scale.is_finite() && scale > 0.0 && origin.iter().all(|x| x.is_finite());
        sound.then_some(Frame { origin, scale })
    }

    /// Whether the bounds across the grid lie in the frame; those outside are all alike.
    pub fn holds(&self, blocks: &[Block]) -> bool {
        let half = 0.5 * STEPS / self.scale;
        let mut outside = [false; LANES];
        for block in blocks {
            for k in 1..3 {
                let (low, high) = (self.origin[k] - half, self.origin[k] + half);
                // Without branches, lane by lane; one without a hull is not outside.
                for (lane, outside) in outside.iter_mut().enumerate() {
                    *outside |= (block.min[k][lane] < low) | (block.max[k][lane] > high);
                }
            }
        }
        !outside.contains(&true)
    }
}

/// The hulls of eight rows in steps of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub(crate) struct Coarse {
    /// For each axis the lower bounds, then the upper ones.
    pub bounds: [[Words; 2]; 3],
    pub shell: Words,
}

impl Coarse {
    pub const NONE: Coarse =
        Coarse { bounds: [[[i16::MAX; LANES], [i16::MIN; LANES]]; 3], shell: [0; LANES] };

    /// Empties the lanes from one on: no hull meets them.
    pub fn clear_from(&mut self, lane: usize) {
        for k in 0..3 {
            self.bounds[k][0][lane..].fill(i16::MAX);
            self.bounds[k][1][lane..].fill(i16::MIN);
        }
    }
}

/// A bound in steps.
fn step(x: f32, origin: f32, scale: f32) -> i16 {
    let x = (x - origin) * scale;
    (if x < MOST { x } else { MOST }).round_ties_even() as i16
}

/// What all paths mean.
pub(super) fn coarsen(block: &Block, frame: &Frame, coarse: &mut Coarse) {
    for k in 0..3 {
        let steps = |lanes: &Lanes| lanes.map(|x| step(x, frame.origin[k], frame.scale));
        coarse.bounds[k] = [steps(&block.min[k]), steps(&block.max[k])];
    }
    coarse.shell = block.shell.map(|shell| {
        let shell = shell * frame.scale + SLACK;
        (if shell < MOST_SHELL { shell } else { MOST_SHELL }).round_ties_even() as i16
    });
}

/// What all paths mean: no axis parts the two, and on one they overlap by no more than both shells.
pub(super) fn hits(x: &Coarse, i: usize, y: &Coarse, j: usize) -> bool {
    let depth = |k: usize| {
        let ([x_min, x_max], [y_min, y_max]) = (&x.bounds[k], &y.bounds[k]);
        x_max[i].saturating_sub(y_min[j]).min(y_max[j].saturating_sub(x_min[i]))
    };
    let depth = depth(0).min(depth(1)).min(depth(2));
    depth >= 0 && depth <= x.shell[i].saturating_add(y.shell[j])
}
