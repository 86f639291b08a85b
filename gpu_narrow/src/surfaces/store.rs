//! Which surfaces stand where in the buffer on the device.

use impinge_geometry::{Aabb, TriMesh};
use nalgebra::Vector3;

use super::layout::{FANOUT, FitParams, MOST_LEVELS, SURFACE_BOX_WORDS};

/// The name of a surface of an engine, never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SurfaceId(pub(super) u64);

/// Where the vertices of a surface are on the device: three `f32` each (m, its own frame), at the start of every `stride` words from word `start` on, in
/// a buffer of the caller's with `BufferUsages::STORAGE`.
#[derive(Clone, Debug)]
pub struct SurfaceSource {
    /// The buffer.
    pub vertices: wgpu::Buffer,
    /// Words (4 bytes) before the first place.
    pub start: u32,
    /// Words from one place to the next, at least 3.
    pub stride: u32,
    /// A box that holds all places (m), as the caller knows it. Whether it does is looked at on the device: where it does not, a pair is not evaluated.
    pub bounds: Aabb,
}

/// A surface and where it stands.
#[derive(Clone, Debug)]
pub(super) struct HeldSurface {
    pub id: SurfaceId,
    pub source: Option<SurfaceSource>,
    pub bounds: Aabb,
    /// Words from the first to one past the last.
    pub words: [u32; 2],
    /// Words of the levels of boxes, the lowest first, and how many boxes each has.
    pub levels: Vec<[u32; 2]>,
    /// Word of the vertices and how many, of the corners of the triangles and how many triangles.
    pub vertices: [u32; 2],
    pub corners: [u32; 2],
    /// What is yet to be sent, from a word on.
    pub pending: Vec<(u32, Vec<u32>)>,
    /// Whether its boxes are those of its vertices.
    pub fitted: bool,
}

/// All surfaces of an engine, and the places between them that are free.
#[derive(Debug, Default)]
pub(super) struct SurfaceStore {
    pub surfaces: Vec<HeldSurface>,
    free: Vec<[u32; 2]>,
    /// Words in use.
    pub words: u32,
    made: u64,
}

impl SurfaceStore {
    /// A place for a mesh, whose triangles are taken in an order in which neighbours are near each other; `None` where more than `most` words
    /// would be held.
    pub fn add(&mut self, mesh: &TriMesh, order: &[u32], most: u32) -> Option<SurfaceId> {
        let mut counts = vec![(order.len() as u32).div_ceil(FANOUT)];
        while let Some(&below) = counts.last().filter(|&&below| below > 1) {
            counts.push(below.div_ceil(FANOUT));
        }
        if order.is_empty() || counts.len() > MOST_LEVELS as usize {
            return None;
        }
        let boxes = counts.iter().map(|n| n * SURFACE_BOX_WORDS).sum::<u32>();
        let (vertices, triangles) = (mesh.vertices().len() as u32, order.len() as u32);
        let need = boxes.checked_add(vertices.checked_mul(3)?)?.checked_add(triangles.checked_mul(3)?)?;
        let at = self.place(need, most)?;
        let mut levels = Vec::with_capacity(counts.len());
        let mut next = at;
        for count in counts {
            levels.push([next, count]);
            next += count * SURFACE_BOX_WORDS;
        }
        let (of_vertices, of_corners) = (next, next + 3 * vertices);
        let corners = order.iter().flat_map(|&triangle| mesh.triangles()[triangle as usize]).collect();
        self.made += 1;
        let id = SurfaceId(self.made);
        self.surfaces.push(HeldSurface {
            id,
            source: None,
            bounds: mesh.aabb(),
            words: [at, at + need],
            levels,
            vertices: [of_vertices, vertices],
            corners: [of_corners, triangles],
            pending: vec![(of_vertices, bits(mesh)), (of_corners, corners)],
            fitted: false,
        });
        Some(id)
    }

    fn place(&mut self, need: u32, most: u32) -> Option<u32> {
        if let Some(place) = self.free.iter().position(|[from, to]| to - from >= need) {
            let at = self.free[place][0];
            self.free[place][0] += need;
            self.free.retain(|[from, to]| from < to);
            return Some(at);
        }
        let end = self.words.checked_add(need).filter(|end| *end <= most)?;
        self.words = end;
        Some(end - need)
    }

    /// Lets a surface go.
    pub fn remove(&mut self, id: SurfaceId) {
        let Some(at) = self.surfaces.iter().position(|own| own.id == id) else { return };
        self.free.push(self.surfaces.swap_remove(at).words);
        self.free.sort_unstable();
        self.free.dedup_by(|next, own| {
            let joined = own[1] == next[0];
            if joined {
                own[1] = next[1];
            }
            joined
        });
        if let Some(last) = self.free.pop_if(|last| last[1] == self.words) {
            self.words = last[0];
        }
    }

    pub fn get(&self, id: SurfaceId) -> Option<&HeldSurface> {
        self.surfaces.iter().find(|own| own.id == id)
    }

    pub fn get_mut(&mut self, id: SurfaceId) -> Option<&mut HeldSurface> {
        self.surfaces.iter_mut().find(|own| own.id == id)
    }
}

impl HeldSurface {
    /// Has the vertices sent again.
    pub fn send(&mut self, mesh: &TriMesh) {
        self.pending.retain(|(at, _)| *at != self.vertices[0]);
        self.pending.push((self.vertices[0], bits(mesh)));
        (self.source, self.bounds, self.fitted) = (None, mesh.aabb(), false);
    }

    /// How its boxes are fitted, the lowest level first.
    pub fn fits(&self) -> impl Iterator<Item = FitParams> {
        self.levels.iter().enumerate().map(|(level, &[to, count])| {
            let [lower, below] = match level {
                0 => [0, self.corners[1]],
                _ => self.levels[level - 1],
            };
            let (vertices, corners, lowest) = (self.vertices[0], self.corners[0], u32::from(level == 0));
            FitParams { to, count, lower, below, vertices, corners, lowest, row: 0 }
        })
    }

    /// The greatest coordinate along each axis, either way (m).
    pub fn reach(&self) -> Vector3<f64> {
        Vector3::from_fn(|k, _| f64::from(self.bounds.min[k].abs().max(self.bounds.max[k].abs())))
    }
}

fn bits(mesh: &TriMesh) -> Vec<u32> {
    mesh.vertices().iter().flat_map(|v| [v.x, v.y, v.z].map(f32::to_bits)).collect()
}

#[cfg(test)]
mod tests {
    use impinge_scenes::mesh::Torus;

    use super::*;

    #[test]
    fn levels_cover_all_triangles_and_places_do_not_overlap() {
        let (mesh, mut store) = (Torus::default().mesh().unwrap(), SurfaceStore::default());
        let order: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
        let [a, b, c] = [0, 1, 2].map(|_| store.add(&mesh, &order, 1 << 20).unwrap());
        let own = store.get(a).unwrap().clone();
        let mut below = order.len() as u32;
        for fit in own.fits() {
            assert_eq!((fit.below, fit.count), (below, below.div_ceil(FANOUT)));
            below = fit.count;
        }
        assert_eq!(below, 1);
        assert_eq!(store.get(b).unwrap().words[0], own.words[1]);
        let end = store.words;
        store.remove(b);
        let again = store.add(&mesh, &order, 1 << 20).unwrap();
        assert!(again != b && store.words == end);
        [a, again, c].into_iter().for_each(|id| store.remove(id));
        assert_eq!((store.words, store.surfaces.len()), (0, 0));
        assert!(store.add(&mesh, &order, own.words[1] - 1).is_none() && store.words == 0);
    }
}
