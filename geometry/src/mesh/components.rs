//! Sets of vertices or triangles that hang together.

use super::removal::is_gone;

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

/// What of a mesh hangs together over edges.
#[derive(Clone, Debug)]
pub(super) struct Shells {
    /// The first triangle of every shell, in rising order.
    pub list: Vec<u32>,
    /// Each triangle's shell; empty where there is one.
    of_triangles: Vec<u32>,
}

impl Shells {
    /// From the shell of each triangle, shells in the order of their first triangles.
    pub(super) fn new(of_triangles: Vec<u32>) -> Shells {
        Shells::of_some(of_triangles, |_| true)
    }

    /// As [`Shells::new`], of the triangles that are there.
    pub(super) fn of_some(mut of_triangles: Vec<u32>, is_there: impl Fn(u32) -> bool) -> Shells {
        let mut list = Vec::new();
        let mut place = vec![None; of_triangles.len()];
        for (triangle, shell) in (0..).zip(&mut of_triangles).filter(|(t, _)| is_there(*t)) {
            *shell = *place[*shell as usize].get_or_insert_with(|| {
                list.push(triangle);
                list.len() as u32 - 1
            });
        }
        Shells { of_triangles: if list.len() == 1 { Vec::new() } else { of_triangles }, list }
    }

    pub(super) fn of(&self, triangle: u32) -> u32 {
        self.of_triangles.get(triangle as usize).copied().unwrap_or(0)
    }
}

/// What of a mesh hangs together over shared vertices.
#[derive(Clone, Debug)]
pub(super) struct Components {
    /// The lowest vertex of every component, in rising order.
    pub list: Vec<u32>,
    /// The lowest vertex of each triangle's component; empty where there is one component.
    of_triangles: Vec<u32>,
}

impl Components {
    pub(super) fn new(vertices: usize, triangles: &[[u32; 3]]) -> Components {
        let mut sets = Sets::new(vertices);
        for &[a, b, c] in triangles {
            sets.join(a, b);
            sets.join(a, c);
        }
        let mut of_triangles: Vec<u32> = triangles.iter().map(|t| sets.root(t[0])).collect();
        let mut list: Vec<u32> =
            of_triangles.iter().zip(triangles).filter(|(_, t)| !is_gone(t)).map(|(root, _)| *root).collect();
        list.sort_unstable();
        list.dedup();
        if list.len() == 1 {
            of_triangles = Vec::new();
        }
        Components { list, of_triangles }
    }

    /// The lowest vertex of the component of a triangle.
    pub(super) fn of(&self, triangle: u32) -> u32 {
        self.of_triangles.get(triangle as usize).copied().unwrap_or_else(|| self.list[0])
    }
}
