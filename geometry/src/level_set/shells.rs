//! The shells of a level set: what of its surface hangs together.
//!
//! Every edge has two triangles and no two parts share a vertex, so shells and components are the same.

use super::LevelSet;
use super::cubes::BLOCK_BITS;
use super::ids::TRIANGLES;
use super::kuhn::TETRAHEDRA;
use super::pieces::Pieces;
use super::shell_list::{NONE, SEVERAL, ShellList};

impl LevelSet {
    /// Finds all shells.
    pub(super) fn find_shells(&mut self) {
        let all = self.pieces([[0; 3], self.size.map(|n| n - 2)]);
        let mut shells = ShellList { vertices: vec![u32::MAX; all.count], ..ShellList::default() };
        for (&tet, &piece) in all.tetrahedra.iter().zip(&all.piece) {
            if piece as usize == shells.triangles.len() {
                shells.triangles.push(2 * tet);
            }
            for triangle in self.triangles_of(tet) {
                let least = self.vertices_of(triangle).into_iter().min().unwrap_or(u32::MAX);
                let own = &mut shells.vertices[piece as usize];
                *own = (*own).min(least);
            }
        }
        self.shells = shells;
        if all.count > 1 {
            let count = self.levels[0].bounds.len();
            self.shells.blocks = vec![NONE; count];
            for (&tet, &piece) in all.tetrahedra.iter().zip(&all.piece) {
                let block = self.block_of(tet);
                let own = &mut self.shells.blocks[block];
                *own = match *own {
                    NONE => piece,
                    own if own == piece => piece,
                    _ => SEVERAL,
                };
            }
            for (&tet, &piece) in all.tetrahedra.iter().zip(&all.piece) {
                if self.shells.blocks[self.block_of(tet)] == SEVERAL {
                    self.shells.mixed.insert(tet, piece);
                }
            }
        }
    }

    /// Gives the surface in some cells, which hangs together with the rest as it did before, the shells of its outlets.
    pub(super) fn update_shells(&mut self, before: &Pieces, after: &Pieces) {
        // Through the first outlet of each piece; labels of what was there are still known.
        let mut shell_of = vec![0; after.count];
        for (then, now) in before.outlets.iter().zip(&after.outlets) {
            shell_of[now.2 as usize] = self.shell_of_tetrahedron(then.0);
        }
        if !self.shells.blocks.is_empty() {
            before.tetrahedra.iter().for_each(|tet| {
                self.shells.mixed.remove(tet);
            });
            for (&tet, &piece) in after.tetrahedra.iter().zip(&after.piece) {
                let (block, shell) = (self.block_of(tet), shell_of[piece as usize]);
                match self.shells.blocks[block] {
                    NONE => self.shells.blocks[block] = shell,
                    own if own == shell => {}
                    own => {
                        if own != SEVERAL {
                            self.mix(block, own);
                        }
                        self.shells.mixed.insert(tet, shell);
                    }
                }
            }
        }
        // What stands for a shell may have gone.
        for (&tet, &piece) in after.tetrahedra.iter().zip(&after.piece) {
            let shell = shell_of[piece as usize] as usize;
            if !self.has_triangle(self.shells.triangles[shell]) {
                self.shells.triangles[shell] = 2 * tet;
            }
            if !self.has_vertex(self.shells.vertices[shell]) {
                self.shells.vertices[shell] = self.vertices_of(2 * tet)[0];
            }
        }
    }

    /// Notes of every tetrahedron of a block which shell it has, where it had one for all.
    fn mix(&mut self, block: usize, shell: u32) {
        let size = self.levels[0].size;
        let number = block as u32;
        let at = [number % size[0], number / size[0] % size[1], number / size[0] / size[1]];
        let low = at.map(|n| n << BLOCK_BITS);
        let high = std::array::from_fn(|k| (low[k] + 3).min(self.size[k] - 2));
        let own: Vec<u32> = self.active([low, high]).collect();
        self.shells.blocks[block] = SEVERAL;
        self.shells.mixed.extend(own.into_iter().map(|tet| (tet, shell)));
    }

    /// The triangles of a tetrahedron.
    fn triangles_of(&self, tet: u32) -> impl Iterator<Item = u32> + use<> {
        let (cell, own) = (tet / TETRAHEDRA as u32, tet as usize % TETRAHEDRA);
        let count = self.triangles_in(self.place_of(cell), own);
        (0..count).map(move |k| 2 * tet + k)
    }

    /// The block of level 0 of a tetrahedron.
    fn block_of(&self, tet: u32) -> usize {
        let [x, y, z] = self.place_of(tet / TETRAHEDRA as u32).map(|n| n >> BLOCK_BITS);
        let size = self.levels[0].size;
        ((z * size[1] + y) * size[0] + x) as usize
    }

    fn shell_of_tetrahedron(&self, tet: u32) -> u32 {
        if self.shells.blocks.is_empty() {
            return 0;
        }
        match self.shells.blocks[self.block_of(tet)] {
            SEVERAL => self.shells.mixed.get(&tet).copied().unwrap_or(0),
            shell => shell,
        }
    }

    /// One vertex of every part of the surface that hangs together.
    pub fn components(&self) -> &[u32] {
        &self.shells.vertices
    }

    /// One triangle of every such part, in the order of [`LevelSet::components`].
    pub fn shells(&self) -> &[u32] {
        &self.shells.triangles
    }

    /// The part of a triangle, by its place among [`LevelSet::components`].
    pub fn shell_of(&self, triangle: u32) -> u32 {
        self.shell_of_tetrahedron(triangle / TRIANGLES * TETRAHEDRA as u32 + triangle % TRIANGLES / 2)
    }
}
