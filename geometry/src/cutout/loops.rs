//! Directed edges that bound a region of a plane.

use std::collections::BTreeMap;

/// What a vertex of a cut mesh is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Name {
    /// A vertex of the mesh.
    Vertex(u32),
    /// A vertex of what cuts.
    Corner(u32),
    /// Where an edge of the mesh passes through a plane.
    OnEdge(u32, u32),
    /// Where a triangle of the mesh meets two planes, the lower first.
    OnFace(u32, [u32; 2]),
}

/// Directed edges, the region to the left of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Loops {
    edges: Vec<[Name; 2]>,
}

impl Loops {
    pub fn push(&mut self, from: Name, to: Name) {
        if from != to {
            self.edges.push([from, to]);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// The edges joined to rings; `None` where they do not join, or several ways.
    pub fn rings(&self) -> Option<Vec<Vec<Name>>> {
        let mut next: BTreeMap<Name, Name> = BTreeMap::new();
        for &[from, to] in &self.edges {
            if next.insert(from, to).is_some() {
                return None;
            }
        }
        let mut rings = Vec::new();
        while let Some((&first, _)) = next.first_key_value() {
            let mut ring = vec![first];
            let mut at = next.remove(&first)?;
            while at != first {
                ring.push(at);
                at = next.remove(&at)?;
            }
            rings.push(ring);
        }
        Some(rings)
    }
}
