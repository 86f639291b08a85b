//! Bounds of two depth maps over any rectangle, from a few numbers.

use std::ops::Range;

/// The least near and greatest far depth over rectangles of pixels.
#[derive(Clone, Debug, Default)]
pub(super) struct Pyramid {
    /// Level after level, each half as wide and high as the one before, rounded up; the first halves
    /// the picture.
    texels: Vec<[f32; 2]>,
    /// Where each level begins, and its width.
    levels: Vec<(usize, usize)>,
    size: [usize; 2],
    /// Buffers: two rows of each map joined.
    lines: [Vec<f32>; 2],
}

/// Nothing: a surface that no depth lies between.
const NOTHING: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

#[inline(always)]
fn joined(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [lesser(a[0], b[0]), greater(a[1], b[1])]
}

/// Of numbers: one instruction, where `f32::min` thinks of what is none.
#[inline(always)]
fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

impl Pyramid {
    /// Takes in `rows` of maps of `size` (columns, rows), in which what is not covered has a near depth of
    /// infinity and a far one of minus infinity; all of them where the size is another than before.
    pub fn fill(&mut self, near: &[f32], far: &[f32], size: [usize; 2], rows: Range<usize>) {
        let Range { start: mut from, end: mut to } =
            if self.size == size { rows } else { self.lay_out(size) };
        let [mut width, mut height] = size;
        for level in 0..self.levels.len() {
            let (start, w) = self.levels[level];
            (from, to) = (from / 2, to.div_ceil(2));
            for y in from..to {
                // An odd last row stands twice.
                let rows = [2 * y, (2 * y + 1).min(height - 1)].map(|row| row * width);
                match level.checked_sub(1) {
                    None => self.first_level(near, far, rows, width, start + y * w),
                    Some(below) => {
                        let below = self.levels[below].0;
                        self.next_level(rows.map(|row| below + row), width, start + y * w);
                    }
                }
            }
            (width, height) = (w, height.div_ceil(2));
        }
    }

    /// Makes room for the levels of a picture; gives its rows.
    fn lay_out(&mut self, size: [usize; 2]) -> Range<usize> {
        self.levels.clear();
        self.size = size;
        let ([mut width, mut height], mut count) = (size, 0);
        while width > 1 || height > 1 {
            (width, height) = (width.div_ceil(2), height.div_ceil(2));
            self.levels.push((count, width));
            count += width * height;
        }
        self.texels.clear();
        self.texels.resize(count, NOTHING);
        0..size[1]
    }

    /// A row of the first level, from texel `to` on, from two rows of the maps.
    fn first_level(&mut self, near: &[f32], far: &[f32], rows: [usize; 2], width: usize, to: usize) {
        let Pyramid { texels, lines, .. } = self;
        let [a, b] = rows.map(|row| (&near[row..row + width], &far[row..row + width]));
        let [low, high] = lines;
        low.clear();
        low.extend(a.0.iter().zip(b.0).map(|(a, b)| lesser(*a, *b)));
        high.clear();
        high.extend(a.1.iter().zip(b.1).map(|(a, b)| greater(*a, *b)));
        let pairs = low.chunks_exact(2).zip(high.chunks_exact(2));
        for (texel, (low, high)) in texels[to..].iter_mut().zip(pairs) {
            *texel = [lesser(low[0], low[1]), greater(high[0], high[1])];
        }
        if width % 2 == 1 {
            texels[to + width / 2] = [low[width - 1], high[width - 1]];
        }
    }

    /// A row of a level, from texel `to` on, from two rows, by their first texels, of the one below.
    fn next_level(&mut self, [a, b]: [usize; 2], width: usize, to: usize) {
        for x in 0..width.div_ceil(2) {
            let [left, right] = [2 * x, (2 * x + 1).min(width - 1)];
            let at = |k: usize| self.texels[k];
            let bounds = joined(joined(at(a + left), at(a + right)), joined(at(b + left), at(b + right)));
            self.texels[to + x] = bounds;
        }
    }

    /// Bounds over columns `x[0]..=x[1]` and rows `y[0]..=y[1]`, never too narrow; `near` and `far` are
    /// the maps it was filled with.
    #[inline]
    pub fn over(&self, near: &[f32], far: &[f32], x: [usize; 2], y: [usize; 2]) -> [f32; 2] {
        let wide = (x[1] - x[0]).max(y[1] - y[0]);
        // At this level, and not below, the rectangle meets at most three texels either way.
        let level = (usize::BITS - wide.leading_zeros()).saturating_sub(1) as usize;
        let level = level.min(self.levels.len());
        let mut bounds = NOTHING;
        for row in y[0] >> level..=y[1] >> level {
            for column in x[0] >> level..=x[1] >> level {
                bounds = joined(
                    bounds,
                    match level {
                        0 => {
                            let k = row * self.size[0] + column;
                            [near[k], far[k]]
                        }
                        _ => {
                            let (start, width) = self.levels[level - 1];
                            self.texels[start + row * width + column]
                        }
                    },
                );
            }
        }
        bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_every_pixel_and_are_exact_over_all() {
        for size in [[1, 1], [1, 7], [13, 9], [64, 64], [65, 3]] {
            let count = size[0] * size[1];
            let far: Vec<f32> = (0..count).map(|k| ((k * 7919) % 1009) as f32).collect();
            let near: Vec<f32> = far.iter().map(|d| d - 5.0).collect();
            let mut pyramid = Pyramid::default();
            pyramid.fill(&near, &far, size, 0..size[1]);
            // Rows that change are taken in alone.
            let (before, rows) = (pyramid.clone(), size[1] / 3..size[1] / 2 + 1);
            let [changed, again] = [far.iter().map(|d| d + 1.0).collect::<Vec<_>>(), far.clone()];
            let own = rows.start * size[0]..rows.end.min(size[1]) * size[0];
            let mut mixed = far.clone();
            mixed[own.clone()].copy_from_slice(&changed[own]);
            pyramid.fill(&near, &mixed, size, rows.start..rows.end.min(size[1]));
            let mut fresh = Pyramid::default();
            fresh.fill(&near, &mixed, size, 0..0);
            assert_eq!(pyramid.texels, fresh.texels);
            pyramid.fill(&near, &again, size, rows.start..rows.end.min(size[1]));
            assert_eq!(pyramid.texels, before.texels);
            for case in 0..200usize {
                let range = |n: usize, seed: usize| {
                    let (a, b) = (seed % n, (seed / n) % n);
                    [a.min(b), a.max(b)]
                };
                let (x, y) = (range(size[0], case * 31), range(size[1], case * 17));
                let [low, high] = pyramid.over(&near, &far, x, y);
                for row in y[0]..=y[1] {
                    for column in x[0]..=x[1] {
                        let k = row * size[0] + column;
                        assert!(low <= near[k] && far[k] <= high);
                    }
                }
            }
            let all = pyramid.over(&near, &far, [0, size[0] - 1], [0, size[1] - 1]);
            let most = far.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(all[1], most);
        }
    }
}
