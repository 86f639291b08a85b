//! Where searches in a height field may begin: at the lowest blocks that hold all that they can meet, however large the field is.

use impinge_geometry::height_field::BLOCK_BITS;

use super::field::{FieldNodes, Layer};
use super::node::Child;
use super::upright::{Along, MOST_STARTS, Roots, Starts};

impl FieldNodes {
    /// The blocks that hold everything between two corners (m): at most four of each tree, however large the field is.
    pub fn starts(&self, low: [f64; 3], high: [f64; 3]) -> Starts {
        let mut starts = Starts::default();
        let Some(range) = self.samples_of(low, high) else { return starts };
        let level = self.level_of(range);
        let [w, h] = BLOCK_BITS[level as usize];
        let deep = low[2] <= f64::from(self.field.bottom());
        for layer in Layer::ALL {
            if layer == Layer::Bottom && !deep || layer == Layer::Walls && !self.may_have_walls(range) {
                continue;
            }
            for y in range[0][1] >> h..=range[1][1] >> h {
                for x in range[0][0] >> w..=range[1][0] >> w {
                    if self.has_block(layer, level, [x, y]) && starts.places().len() < MOST_STARTS {
                        starts.push(self.place(layer, level, [x, y]));
                    }
                }
            }
        }
        starts
    }

    /// The blocks that hold everything of some layers that a box meets on its way: at most four of each tree, in its order.
    pub fn starts_along(&self, way: &Along, layers: &[Layer]) -> Roots {
        let mut roots = Roots::NONE;
        for &layer in layers {
            let [bottom, top] = self.root(layer).0;
            let Some([low, high]) = way.within(&[bottom, top]) else { continue };
            let Some(range) = self.samples_of(low, high) else { continue };
            if layer == Layer::Walls && !self.may_have_walls(range) {
                continue;
            }
            let level = self.level_of(range);
            let [w, h] = BLOCK_BITS[level as usize];
            let (mut codes, mut count) = ([0u32; 4], 0);
            for y in range[0][1] >> h..=range[1][1] >> h {
                for x in range[0][0] >> w..=range[1][0] >> w {
                    if self.has_block(layer, level, [x, y]) && count < codes.len() {
                        codes[count] = self.code(level, [x, y]);
                        count += 1;
                    }
                }
            }
            let codes = &mut codes[..count];
            codes.sort_unstable();
            let depth = (self.top - level) as u32;
            let [x, y] =
                [(0, w), (1, h)].map(|(k, bits)| self.edges(level, range.map(|at| at[k] >> bits), k));
            let corners = [[x[0], y[0], bottom[2]], [x[1], y[1], top[2]]];
            codes.iter().for_each(|&code| roots.push(Child::node(self.number(layer, depth, code)), corners));
        }
        roots
    }

    /// Whether walls may stand among some samples: only at the border, where nothing is missing.
    fn may_have_walls(&self, [first, last]: [[u32; 2]; 2]) -> bool {
        let size = self.field.size();
        self.field.has_gaps() || (0..2).any(|k| first[k] == 0 || last[k] == size[k] - 1)
    }

    /// Where the first of some blocks begins and the last ends along an axis (m).
    fn edges(&self, level: i32, [first, last]: [u32; 2], axis: usize) -> [f32; 2] {
        let (bits, end) = (BLOCK_BITS[level as usize][axis], self.field.size()[axis] - 1);
        [first << bits, (last + 1) << bits].map(|sample| self.field.along(axis, sample.min(end)))
    }

    /// The first and the last sample whose cell, or whose wall, may have something between two corners (m).
    pub(super) fn samples_of(&self, low: [f64; 3], high: [f64; 3]) -> Option<[[u32; 2]; 2]> {
        let (size, spacing) = (self.field.size(), self.field.spacing().map(f64::from));
        let mut range = [[0u32; 2]; 2];
        for k in 0..2 {
            // Walls belong to the sample at which their edge begins: one cell more.
            let [from, to] = [(low[k] / spacing[k]).floor() - 1.0, (high[k] / spacing[k]).floor() + 1.0];
            let last = f64::from(size[k] - 1);
            if from > last || to < 0.0 {
                return None;
            }
            // Infinities and NaN are as far as it goes.
            range[0][k] = from.max(0.0).min(last) as u32;
            range[1][k] = if to < last { to as u32 } else { size[k] - 1 };
        }
        Some(range)
    }

    /// The lowest level of which four blocks hold a range of samples.
    pub(super) fn level_of(&self, range: [[u32; 2]; 2]) -> i32 {
        let covers = |level: i32| {
            let bits = BLOCK_BITS[level as usize];
            (0..2).all(|k| range[1][k] - range[0][k] < 1 << bits[k])
        };
        (0..self.top).find(|&level| covers(level)).unwrap_or(self.top)
    }
}
