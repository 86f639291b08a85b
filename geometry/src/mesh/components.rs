//! Sets of vertices or triangles that hang together.

/// Sets of things that are joined two at a time; each is named by its lowest member.
pub(super) struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    pub(super) fn new(count: usize) -> Sets {
        Sets { parent: (0..count as u32).collect() }
    }

    pub(super) fn root(&mut self, mut v: u32) -> u32 {
        while self.parent[v as usize] != v {
            self.parent[v as usize] = self.parent[self.parent[v as usize] as usize];
            v = self.parent[v as usize];
        }
        v
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (p, q) = (self.root(a), self.root(b));
        self.parent[p.max(q) as usize] = p.min(q);
    }
}

/// The lowest vertex of every set of vertices that triangles connect, in rising order.
pub(super) fn components(vertices: usize, triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut sets = Sets::new(vertices);
    for &[a, b, c] in triangles {
        sets.join(a, b);
        sets.join(a, c);
    }
    let mut roots: Vec<u32> = triangles.iter().map(|t| sets.root(t[0])).collect();
    roots.sort_unstable();
    roots.dedup();
    roots
}
