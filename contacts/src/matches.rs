//! Which points of a step are those of the last one.

/// Which remembered point each new one is, and which remembered ones are matched.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    pub found: Vec<Option<usize>>,
    pub used: Vec<bool>,
    /// Buffers: points that may be matched, and keys that are taken, with their subshapes.
    pub near: Vec<Near>,
    pub taken: Vec<([u32; 2], u64)>,
}

impl Matches {
    /// Begins with so many new points and so many remembered ones, none of them matched.
    pub fn begin(&mut self, new: usize, remembered: usize) {
        self.found.clear();
        self.found.resize(new, None);
        self.used.clear();
        self.used.resize(remembered, false);
    }
}

/// A new point and a remembered one at nearly the same place.
#[derive(Debug)]
pub(crate) struct Near {
    pub distance: f32,
    pub new: usize,
    pub old: usize,
}
