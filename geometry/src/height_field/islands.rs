//! Parts of a field that hang together over samples: terrain with nothing but gaps between them.

use super::HeightField;
use super::island_list::Islands;

impl HeightField {
    /// Finds the parts; whether there is any.
    pub(super) fn find_islands(&mut self) -> bool {
        if !self.gaps {
            self.islands = Islands { vertices: vec![0], triangles: vec![0], of_samples: Vec::new() };
            return true;
        }
        let [columns, rows] = self.size;
        let mut parent: Vec<u32> = (0..columns * rows).collect();
        let mut used = vec![false; parent.len()];
        for at in (0..rows).flat_map(|j| (0..columns).map(move |i| [i, j])) {
            for k in 0..2 {
                if self.exists(at, k) {
                    let triangle = 2 * self.vertex_at(at) + k;
                    let corners = self.vertices_of(triangle).map(|v| self.index(self.place_of(v)) as u32);
                    for v in corners {
                        used[v as usize] = true;
                        let (p, q) = (root(&mut parent, corners[0]), root(&mut parent, v));
                        parent[p.max(q) as usize] = p.min(q);
                    }
                }
            }
        }
        let (mut found, mut labels) = (Islands::default(), vec![0; parent.len()]);
        for v in 0..parent.len() as u32 {
            if used[v as usize] {
                let name = root(&mut parent, v);
                if name == v {
                    labels[v as usize] = found.vertices.len() as u32;
                    found.vertices.push(self.vertex_at([v % columns, v / columns]));
                    found.triangles.push(u32::MAX);
                }
                labels[v as usize] = labels[name as usize];
            }
        }
        for at in (0..rows).flat_map(|j| (0..columns).map(move |i| [i, j])) {
            for k in 0..2 {
                if self.exists(at, k) {
                    let triangle = 2 * self.vertex_at(at) + k;
                    let first = &mut found.triangles
                        [labels[self.index(self.place_of(self.sample_of(triangle)))] as usize];
                    *first = (*first).min(triangle);
                }
            }
        }
        if found.vertices.len() > 1 {
            found.of_samples = labels;
        }
        let any = !found.vertices.is_empty();
        self.islands = found;
        any
    }

    /// One vertex of every part that hangs together over vertices, in rising order.
    pub fn components(&self) -> &[u32] {
        &self.islands.vertices
    }

    /// The first triangle of every such part, in the order of [`HeightField::components`].
    pub fn shells(&self) -> &[u32] {
        &self.islands.triangles
    }

    /// The part of a triangle, by its place among [`HeightField::components`].
    pub fn shell_of(&self, triangle: u32) -> u32 {
        if self.islands.of_samples.is_empty() {
            return 0;
        }
        self.islands.of_samples[self.index(self.place_of(self.sample_of(triangle)))]
    }
}

fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}
