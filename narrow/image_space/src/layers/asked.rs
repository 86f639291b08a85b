//! Which lines of a view are asked about.

use impinge_midphase::obb_tree::Lines;

use crate::view::View;

/// Which lines of a view are asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ask {
    /// All of them.
    #[default]
    All,
    /// Those on which both bodies are. On others fragments of one body may be missing.
    Both,
    /// As `Both`, but only some lines, evenly spread.
    Few,
}

/// Every so many lines and rows are the few.
const STRIDE: u32 = 4;

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
    stride: u32,
}

impl Asked {
    /// All lines.
    pub fn all(&mut self, pixels: [u32; 2]) {
        self.start(pixels, Ask::All);
    }

    /// Before anything was looked at.
    pub fn begin(&mut self, view: &View, ask: Ask) {
        self.start(view.count, ask);
    }

    fn start(&mut self, [width, height]: [u32; 2], ask: Ask) {
        self.width = width as usize;
        self.stride = if ask == Ask::Few && width.min(height) > STRIDE { STRIDE } else { 1 };
        let first = self.stride / 2;
        (self.first, self.last) = ([first; 2], [width - 1, height - 1]);
        self.pixels.clear();
        let stride = self.stride as usize;
        self.pixels.resize(self.width * height as usize, stride == 1);
        if stride > 1 {
            for row in self.pixels.chunks_exact_mut(self.width).skip(first as usize).step_by(stride) {
                row.iter_mut().skip(first as usize).step_by(stride).for_each(|asked| *asked = true);
            }
        }
    }

    /// Of every pixel, whether its line is asked about.
    pub fn pixels(&self) -> &[bool] {
        &self.pixels
    }

    /// The lines, and perhaps others between them; `None` where there are none.
    pub fn lines(&self, view: &View) -> Option<Lines> {
        let Asked { first, last, stride, .. } = *self;
        let empty = last[0] < first[0] || last[1] < first[1];
        (!empty).then(|| view.lines(first, [0, 1].map(|k| (last[k] - first[k]) / stride + 1), stride))
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
