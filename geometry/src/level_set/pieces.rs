//! What of the surface hangs together within some cells.

use super::LevelSet;
use super::kuhn::{TETRAHEDRA, across};

/// The surface in some cells: tetrahedra, and which of them hang together over faces within these cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    /// The numbers of the tetrahedra, rising.
    pub tetrahedra: Vec<u32>,
    /// Of each its piece. Pieces are numbered by their first tetrahedron.
    pub piece: Vec<u32>,
    /// How many pieces there are.
    pub count: usize,
    /// Where the surface leaves the cells: a tetrahedron's number, which of its faces, and its piece.
    pub outlets: Vec<(u32, u8, u32)>,
}

fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}

impl LevelSet {
    /// The pieces of the surface in the cells between two, both included.
    pub(super) fn pieces(&self, range: [[u32; 3]; 2]) -> Pieces {
        let tetrahedra: Vec<u32> = self.active(range).collect();
        let mut parent: Vec<u32> = (0..tetrahedra.len() as u32).collect();
        let mut outlets = Vec::new();
        for (own, &number) in (0..).zip(&tetrahedra) {
            let (cell, tet) = (number / TETRAHEDRA as u32, number as usize % TETRAHEDRA);
            let at = self.place_of(cell);
            let patch = self.patch(at, tet);
            for missing in (0..4).filter(|&missing| patch.opposite[missing] < 2) {
                let (step, other) = across(tet, missing);
                let mut there = at;
                if let Some((axis, forward)) = step {
                    there[axis] = if forward { at[axis] + 1 } else { at[axis].wrapping_sub(1) };
                }
                if (0..3).any(|k| there[k] < range[0][k] || there[k] > range[1][k]) {
                    outlets.push((number, missing as u8, own));
                    continue;
                }
                let neighbour = TETRAHEDRA as u32 * self.number(there) + other as u32;
                // Each face once.
                if neighbour > number
                    && let Ok(place) = tetrahedra.binary_search(&neighbour)
                {
                    let (p, q) = (root(&mut parent, own), root(&mut parent, place as u32));
                    parent[p.max(q) as usize] = p.min(q);
                }
            }
        }
        let (mut piece, mut count) = (vec![0; tetrahedra.len()], 0);
        for own in 0..tetrahedra.len() {
            let first = root(&mut parent, own as u32) as usize;
            if first == own {
                piece[own] = count;
                count += 1;
            } else {
                piece[own] = piece[first];
            }
        }
        outlets.iter_mut().for_each(|(.., own)| *own = piece[*own as usize]);
        Pieces { tetrahedra, piece, count: count as usize, outlets }
    }
}

impl Pieces {
    /// Whether every piece leaves the cells, and the same outlets hang together as of other pieces in the same cells: then the whole surface
    /// hangs together as before.
    pub fn joins_as(&self, other: &Pieces) -> bool {
        if self.outlets.len() != other.outlets.len() || self.count != other.count {
            return false;
        }
        let (mut own, mut theirs) = (vec![u32::MAX; self.count], vec![u32::MAX; other.count]);
        let same = self.outlets.iter().zip(&other.outlets).all(|(p, q)| {
            let (to, from) = (&mut own[p.2 as usize], &mut theirs[q.2 as usize]);
            if *to == u32::MAX && *from == u32::MAX {
                (*to, *from) = (q.2, p.2);
            }
            (p.0, p.1) == (q.0, q.1) && *to == q.2 && *from == p.2
        });
        same && own.iter().chain(&theirs).all(|&piece| piece != u32::MAX)
    }
}
