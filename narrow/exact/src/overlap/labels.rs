//! Contours, and bodies without any, that bound one overlap.

/// Sets of labels that were found to name the same overlap; each is named by its least member.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    parent: Vec<u32>,
}

impl Labels {
    /// `count` labels, each by itself.
    pub fn begin(&mut self, count: usize) {
        self.parent.clear();
        self.parent.extend(0..count as u32);
    }

    /// A further label.
    pub fn add(&mut self) -> u32 {
        let label = self.parent.len() as u32;
        self.parent.push(label);
        label
    }

    pub fn len(&self) -> usize {
        self.parent.len()
    }

    pub fn root(&mut self, mut label: u32) -> u32 {
        while self.parent[label as usize] != label {
            let up = self.parent[self.parent[label as usize] as usize];
            self.parent[label as usize] = up;
            label = up;
        }
        label
    }

    pub fn unite(&mut self, p: u32, q: u32) {
        let (p, q) = (self.root(p), self.root(q));
        self.parent[p.max(q) as usize] = p.min(q);
    }

    /// Afterwards every label points straight at its set's name; see [`Labels::of`].
    pub fn settle(&mut self) {
        // The least member comes first, so its own parents are settled already.
        for label in 0..self.parent.len() {
            self.parent[label] = self.parent[self.parent[label] as usize];
        }
    }

    /// The name of a label's set, once settled.
    #[inline]
    pub fn of(&self, label: u32) -> u32 {
        self.parent[label as usize]
    }
}
