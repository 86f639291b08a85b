//! The parts of a body in an order in which neighbours are near each other.

use std::collections::{BTreeMap, VecDeque};

use super::body::ClassicBody;

/// A part of a body: some triangles of one of its meshes.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// Its mesh, and its number there.
    pub name: [u32; 2],
    /// Its triangles in that mesh.
    pub triangles: Vec<u32>,
    /// The parts that share a vertex with it, by their places in the order, rising.
    neighbours: Vec<usize>,
}

impl Part {
    /// Whether another part shares a vertex with it.
    pub fn is_next_to(&self, other: usize) -> bool {
        self.neighbours.binary_search(&other).is_ok()
    }
}

/// All parts that have triangles, breadth first from neighbour to neighbour, which keeps them near each other.
///
/// Source: Cuthill, McKee, "Reducing the bandwidth of sparse symmetric matrices", 1969.
#[derive(Clone, Debug, Default)]
pub(super) struct PartOrder {
    pub parts: Vec<Part>,
    /// No two neighbours are farther apart in the order than this.
    pub reach: usize,
}

impl PartOrder {
    /// `parts[k]` has a part for each triangle of mesh `k`.
    pub fn new(meshes: &[ClassicBody<'_>], parts: &[Vec<u32>]) -> PartOrder {
        let mut triangles: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        for (mesh, list) in (0..).zip(parts) {
            for (triangle, &part) in (0..).zip(list) {
                triangles.entry([mesh, part]).or_default().push(triangle);
            }
        }
        let names: Vec<[u32; 2]> = triangles.keys().copied().collect();
        let next = neighbours(meshes, &names, &triangles);
        let order = breadth_first(&next);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &part)| place[part] = at);
        let mut found = PartOrder::default();
        for (at, &part) in order.iter().enumerate() {
            let mut neighbours: Vec<usize> = next[part].iter().map(|&other| place[other]).collect();
            neighbours.sort_unstable();
            let farthest = neighbours.iter().map(|other| other.abs_diff(at)).max();
            found.reach = found.reach.max(farthest.unwrap_or(0));
            let triangles = triangles.remove(&names[part]).unwrap_or_default();
            found.parts.push(Part { name: names[part], triangles, neighbours });
        }
        found
    }
}

/// For each part those that share a vertex with it, in rising order.
fn neighbours(
    meshes: &[ClassicBody<'_>],
    names: &[[u32; 2]],
    triangles: &BTreeMap<[u32; 2], Vec<u32>>,
) -> Vec<Vec<usize>> {
    let mut of_vertex: Vec<([u32; 2], usize)> = Vec::new();
    for (part, name) in names.iter().enumerate() {
        let mesh = meshes[name[0] as usize].mesh;
        for &t in &triangles[name] {
            of_vertex.extend(mesh.triangles()[t as usize].map(|vertex| ([name[0], vertex], part)));
        }
    }
    of_vertex.sort_unstable();
    of_vertex.dedup();
    let mut next = vec![Vec::new(); names.len()];
    for around in of_vertex.chunk_by(|a, b| a.0 == b.0) {
        for (_, part) in around {
            next[*part].extend(around.iter().map(|(_, other)| *other).filter(|other| other != part));
        }
    }
    for list in &mut next {
        list.sort_unstable();
        list.dedup();
    }
    next
}

/// Breadth first, each search begun at the part with the fewest neighbours of those left, which are taken in that order, too.
fn breadth_first(next: &[Vec<usize>]) -> Vec<usize> {
    let mut starts: Vec<usize> = (0..next.len()).collect();
    starts.sort_by_key(|&part| next[part].len());
    let mut seen = vec![false; next.len()];
    let mut order = Vec::with_capacity(next.len());
    for start in starts {
        let mut waiting = VecDeque::new();
        if !std::mem::replace(&mut seen[start], true) {
            waiting.push_back(start);
        }
        while let Some(part) = waiting.pop_front() {
            order.push(part);
            let mut found: Vec<usize> = next[part].iter().copied().filter(|&other| !seen[other]).collect();
            found.sort_by_key(|&other| next[other].len());
            for other in found {
                seen[other] = true;
                waiting.push_back(other);
            }
        }
    }
    order
}
