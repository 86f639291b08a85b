//! Which lines of a view are asked about.

use impinge_midphase::obb_tree::Lines;

use crate::view::View;

/// The lines of a view that are captured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ask {
    /// All of them.
    #[default]
    All,
    /// Those that meet both bodies. On others fragments of one body may be missing.
    Both,
}

/// The lines that are asked about.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// One for every pixel.
    pixels: Vec<bool>,
    /// Pixels of a row.
    width: usize,
    /// First and last pixel to the right and up of those asked about; empty where the last is before the
    /// first.
    first: [u32; 2],
    last: [u32; 2],
}

impl Asked {
    /// Begins with all lines of so many pixels across and up.
    pub fn all(&mut self, [width, height]: [u32; 2]) {
        self.width = width as usize;
        (self.first, self.last) = ([0; 2], [width - 1, height - 1]);
        self.pixels.clear();
        self.pixels.resize(self.width * height as usize, true);
    }

    /// Of every pixel, whether its line is asked about.
    pub fn pixels(&self) -> &[bool] {
        &self.pixels
    }

    /// The lines, and perhaps others between them; `None` where there are none.
    pub fn lines(&self, view: &View) -> Option<Lines> {
        let Asked { first, last, .. } = *self;
        let empty = last[0] < first[0] || last[1] < first[1];
        (!empty).then(|| view.lines(first, [0, 1].map(|k| last[k] - first[k] + 1)))
    }

    /// Asks no more about lines on which nothing was found yet.
    pub fn keep_met(&mut self, counts: &[u32]) {
        let (mut first, mut last) = ([u32::MAX; 2], [0; 2]);
        let rows = counts.chunks_exact(self.width).zip(self.pixels.chunks_exact_mut(self.width));
        for (j, (counts, pixels)) in rows.enumerate() {
            for (i, (&count, asked)) in counts.iter().zip(pixels).enumerate() {
                *asked &= count > 0;
                if *asked {
                    let at = [i as u32, j as u32];
                    first = [first[0].min(at[0]), first[1].min(at[1])];
                    last = [last[0].max(at[0]), last[1].max(at[1])];
                }
            }
        }
        (self.first, self.last) = (first, last);
    }
}
