//! The walls of a hole: what of a polyhedron's faces lies in a mesh.

use std::collections::BTreeMap;

use super::loops::{Loops, Name};
use super::{Cut, Uncut};

/// Where an edge of the polyhedron passes through the mesh.
#[derive(Clone, Copy, Debug)]
struct Passage {
    name: Name,
    /// How far along the edge, from 0 to 1 but for rounding.
    along: f64,
    /// Whether it goes in.
    enters: bool,
}

impl Cut<'_> {
    /// Adds to the traces of triangles on each face those stretches of the polyhedron's edges that lie in the mesh, so that together they bound
    /// the walls, seen from inside the hole.
    pub(super) fn close(&self, walls: &mut [Loops]) -> Result<(), Uncut> {
        let passages = passages(self)?;
        let inside = corners_inside(self, &passages)?;
        for (edge, passages) in self.tool.edges.iter().zip(&passages) {
            let mut is_inside = inside[edge.vertices[0] as usize];
            let mut from = Name::Corner(edge.vertices[0]);
            let last = Passage { name: Name::Corner(edge.vertices[1]), along: 1.0, enters: !is_inside };
            let end = [last];
            for passage in passages.iter().chain(&end) {
                if is_inside {
                    // The lower face runs along the edge, and its wall against it.
                    walls[edge.planes[0] as usize].push(passage.name, from);
                    walls[edge.planes[1] as usize].push(from, passage.name);
                }
                (is_inside, from) = (passage.enters, passage.name);
            }
        }
        Ok(())
    }
}

/// Where each edge of the polyhedron passes through the mesh, in order.
fn passages(cut: &Cut<'_>) -> Result<Vec<Vec<Passage>>, Uncut> {
    let by_planes: BTreeMap<[u32; 2], usize> =
        cut.tool.edges.iter().enumerate().map(|(k, edge)| (edge.planes, k)).collect();
    let mut passages = vec![Vec::new(); cut.tool.edges.len()];
    for (&name, at) in &cut.places {
        let Name::OnFace(triangle, planes) = name else { continue };
        let &edge = by_planes.get(&planes).ok_or(Uncut::Unclear)?;
        let [p, q] = cut.tool.edges[edge].vertices.map(|v| cut.tool.vertices[v as usize]);
        let [a, b, c] = cut.mesh.corners(triangle).map(|p| p.cast::<f64>());
        let enters = (b - a).cross(&(c - a)).dot(&(q - p)) < 0.0;
        let along = (at - p).dot(&(q - p)) / (q - p).norm_squared();
        passages[edge].push(Passage { name, along, enters });
    }
    for own in &mut passages {
        own.sort_by(|p, q| p.along.total_cmp(&q.along));
        if own.windows(2).any(|pair| pair[0].enters == pair[1].enters) {
            return Err(Uncut::Unclear);
        }
    }
    Ok(passages)
}

/// Which corners of the polyhedron are in the mesh: one is asked, and the others follow along edges.
fn corners_inside(cut: &Cut<'_>, passages: &[Vec<Passage>]) -> Result<Vec<bool>, Uncut> {
    let tool = cut.tool;
    let mut known: Vec<Option<bool>> = vec![None; tool.vertices.len()];
    let mut at: Vec<Vec<usize>> = vec![Vec::new(); tool.vertices.len()];
    for (k, edge) in tool.edges.iter().enumerate() {
        edge.vertices.iter().for_each(|&v| at[v as usize].push(k));
    }
    known[0] = Some(cut.mesh.winding_number(&tool.vertices[0]) > 0.5);
    let mut open = vec![0u32];
    while let Some(vertex) = open.pop() {
        for &k in &at[vertex as usize] {
            let [first, last] = tool.edges[k].vertices;
            let (own, other) = (known[vertex as usize], if first == vertex { last } else { first });
            let (Some(begins), Some(ends)) = (passages[k].first(), passages[k].last()) else {
                match known[other as usize] {
                    Some(is) if Some(is) != own => return Err(Uncut::Unclear),
                    Some(_) => {}
                    None => {
                        known[other as usize] = own;
                        open.push(other);
                    }
                }
                continue;
            };
            let [at_first, at_last] = [!begins.enters, ends.enters];
            let [here, there] = if first == vertex { [at_first, at_last] } else { [at_last, at_first] };
            if own != Some(here) || known[other as usize].is_some_and(|is| is != there) {
                return Err(Uncut::Unclear);
            }
            if known[other as usize].is_none() {
                known[other as usize] = Some(there);
                open.push(other);
            }
        }
    }
    known.into_iter().collect::<Option<Vec<bool>>>().ok_or(Uncut::Unclear)
}
