//! The triangles of every leaf as `f32` rows beside an origin of the leaf's own, for tests of many
//! triangles at once.
//!
//! A leaf of `n` triangles has nine rows of `n` numbers: x, y and z of the first corners, then of the
//! second and the third. Rows stand one behind the other without gaps, so that four numbers can be
//! taken from the start of any row; what belongs to the next row is in lanes that no triangle has.

use std::ops::Range;

use impinge_geometry::simd::{self, Base, F32x4, Kernel, Simd};
use impinge_geometry::{FacesRef, SimdLevel, TriMesh};
use nalgebra::Point3;

use super::ObbTree;
use super::computed::Computed;
use super::kept::{KeptLeaf, NUMBERS};
use super::leaf_triangles::LEAF_TRIANGLES;

/// Rows of a leaf.
const ROWS: usize = 9;

/// The rows of all leaves: 36 bytes per triangle and 16 per leaf.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaves {
    /// Origin (m) and extent (m) of every leaf.
    places: Vec<[f32; 4]>,
    /// The rows of all leaves, and room to read four numbers from the last row.
    rows: Vec<f32>,
}

/// Room for the rows of a leaf whose triangles are computed; written only where there is one.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeafRoom(Option<[f32; NUMBERS]>);

impl LeafRoom {
    /// Room for one leaf.
    pub const NEW: LeafRoom = LeafRoom(None);
}

/// The triangles of one leaf.
#[derive(Clone, Copy, Debug)]
pub struct LeafRows<'t> {
    /// What the rows are relative to (m, in the mesh's frame).
    pub origin: [f32; 3],
    /// No number in the rows is larger (m).
    pub extent: f32,
    count: usize,
    rows: &'t [f32],
}

impl<'t> LeafRows<'t> {
    /// How many triangles there are, at most [`LEAF_TRIANGLES`].
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The corners: component `axis` of corner `corner` of all triangles is `[corner][axis]`, relative
    /// to the origin (m): the mesh's coordinate less the origin's, rounded once. Lanes from
    /// [`LeafRows::count`] on hold some finite number.
    #[inline(always)]
    pub fn corners(&self) -> [[&'t [f32; LEAF_TRIANGLES]; 3]; 3] {
        // Told apart by their number, so that nothing is asked about lengths row by row.
        match self.count {
            1 => self.rows_of::<1, 12>(),
            2 => self.rows_of::<2, 20>(),
            3 => self.rows_of::<3, 28>(),
            4 => self.rows_of::<4, 36>(),
            _ => [[&[0.0; LEAF_TRIANGLES]; 3]; 3],
        }
    }

    /// The rows of `N` triangles, in which there are `M` numbers and those that are read beyond them.
    #[inline(always)]
    fn rows_of<const N: usize, const M: usize>(&self) -> [[&'t [f32; LEAF_TRIANGLES]; 3]; 3] {
        const NOTHING: [f32; LEAF_TRIANGLES] = [0.0; LEAF_TRIANGLES];
        let Some(rows) = self.rows.first_chunk::<M>() else { return [[&NOTHING; 3]; 3] };
        let row = |k: usize| rows[k * N..].first_chunk().unwrap_or(&NOTHING);
        [[row(0), row(1), row(2)], [row(3), row(4), row(5)], [row(6), row(7), row(8)]]
    }
}

impl Leaves {
    /// Fills the rows from the vertices where they are now, with the instructions of a level. `ranges` are where the triangles of the leaves
    /// stand, without gaps between them.
    pub fn fill(&mut self, level: SimdLevel, mesh: &TriMesh, triangles: &[u32], ranges: &[[u32; 2]]) {
        let leaves = ranges.len();
        let numbers = triangles.len() * ROWS + LEAF_TRIANGLES;
        self.places.reserve_exact(leaves.saturating_sub(self.places.len()));
        self.places.resize(leaves, [0.0; 4]);
        self.rows.reserve_exact(numbers.saturating_sub(self.rows.len()));
        self.rows.resize(numbers, 0.0);
        let rows = &mut self.rows[..triangles.len() * ROWS];
        fill(level, FillLeaves { mesh, triangles, ranges, places: &mut self.places, rows });
    }

    /// Fills the rows of one leaf, whose triangles stand from `start` on.
    pub fn fill_one(&mut self, mesh: &TriMesh, leaf: u32, triangles: &[u32], start: usize) {
        let rows = &mut self.rows[ROWS * start..ROWS * (start + triangles.len())];
        self.places[leaf as usize] = fill_leaf(mesh.into(), triangles, rows);
    }

    /// Moves the rows of triangles to where they stand from `to` on.
    pub fn shift(&mut self, triangles: Range<usize>, to: usize) {
        self.rows.copy_within(ROWS * triangles.start..ROWS * triangles.end, ROWS * to);
    }

    /// Drops the rows of triangles from `triangles` on.
    pub fn truncate(&mut self, triangles: usize) {
        self.rows.truncate(ROWS * triangles + LEAF_TRIANGLES);
    }

    /// The rows of a leaf whose triangles stand in a range.
    pub fn rows(&self, leaf: usize, [start, end]: [u32; 2]) -> Option<LeafRows<'_>> {
        let &[x, y, z, extent] = self.places.get(leaf)?;
        let rows = self.rows.get(ROWS * start as usize..)?;
        Some(LeafRows { origin: [x, y, z], extent, count: (end - start) as usize, rows })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<[f32; 4]>() + self.rows.capacity() * size_of::<f32>()
    }
}

/// Below this many leaves one thread fills the rows.
const PARALLEL: usize = 2048;

/// Fills the rows of the leaves of these ranges, which begin with those of the first.
fn fill(level: SimdLevel, all: FillLeaves<'_>) {
    let FillLeaves { mesh, triangles, ranges, places, rows } = all;
    if places.len() <= PARALLEL {
        simd::run(level, FillLeaves { mesh, triangles, ranges, places, rows });
        return;
    }
    let (left, right) = ranges.split_at(places.len() / 2);
    let (places_left, places_right) = places.split_at_mut(left.len());
    let at = ROWS * (right[0][0] - left[0][0]) as usize;
    let (rows_left, rows_right) = rows.split_at_mut(at);
    rayon::join(
        || fill(level, FillLeaves { mesh, triangles, ranges: left, places: places_left, rows: rows_left }),
        || fill(level, FillLeaves { mesh, triangles, ranges: right, places: places_right, rows: rows_right }),
    );
}

/// Fills the rows of leaves that stand one behind the other.
struct FillLeaves<'f> {
    mesh: &'f TriMesh,
    triangles: &'f [u32],
    ranges: &'f [[u32; 2]],
    places: &'f mut [[f32; 4]],
    rows: &'f mut [f32],
}

impl Kernel for FillLeaves<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let FillLeaves { mesh, triangles, ranges, places, rows } = self;
        let mut rest = rows;
        for (place, leaf) in places.iter_mut().zip(ranges) {
            let own = &triangles[leaf[0] as usize..leaf[1] as usize];
            let (rows, tail) = rest.split_at_mut(ROWS * own.len());
            *place = match own.len() {
                0 => [0.0; 4],
                1 => fill_rows::<S::F32x4, 1>(&corners_of(mesh, own), rows),
                2 => fill_rows::<S::F32x4, 2>(&corners_of(mesh, own), rows),
                3 => fill_rows::<S::F32x4, 3>(&corners_of(mesh, own), rows),
                _ => fill_rows::<S::F32x4, LEAF_TRIANGLES>(&corners_of(mesh, own), rows),
            };
            rest = tail;
        }
    }
}

/// The corners of a leaf's triangles, of which there has to be one; lanes that no triangle has repeat the last.
#[inline(always)]
fn corners_of(mesh: &TriMesh, triangles: &[u32]) -> CornerLanes {
    let (vertices, all) = (mesh.vertices(), mesh.triangles());
    let mut corners = [[[0.0f32; LEAF_TRIANGLES]; 3]; 3];
    for lane in 0..LEAF_TRIANGLES {
        let own = all[triangles[lane.min(triangles.len() - 1)] as usize];
        for corner in 0..3 {
            let place = &vertices[own[corner] as usize];
            for axis in 0..3 {
                corners[corner][axis][lane] = place[axis];
            }
        }
    }
    corners
}

/// Component `axis` of corner `corner` of triangle `lane` in `[corner][axis][lane]`.
type CornerLanes = [[[f32; LEAF_TRIANGLES]; 3]; 3];

/// The corners of a leaf's triangles, of which there has to be one; lanes that no triangle has repeat the last.
#[inline(always)]
fn gather(corners_of: impl Fn(u32) -> [Point3<f32>; 3], triangles: &[u32]) -> CornerLanes {
    let mut corners = [[[0.0f32; LEAF_TRIANGLES]; 3]; 3];
    for lane in 0..LEAF_TRIANGLES {
        let own = corners_of(triangles[lane.min(triangles.len() - 1)]);
        for corner in 0..3 {
            for axis in 0..3 {
                corners[corner][axis][lane] = own[corner][axis];
            }
        }
    }
    corners
}

/// The least lane.
#[inline(always)]
fn least([a, b, c, d]: [f32; LEAF_TRIANGLES]) -> f32 {
    let less = |x: f32, y: f32| if x < y { x } else { y };
    less(less(a, b), less(c, d))
}

/// The greatest lane.
#[inline(always)]
fn greatest([a, b, c, d]: [f32; LEAF_TRIANGLES]) -> f32 {
    let more = |x: f32, y: f32| if x > y { x } else { y };
    more(more(a, b), more(c, d))
}

/// Fills the rows of one leaf; gives its origin (m) and extent (m).
fn fill_leaf(faces: FacesRef<'_>, triangles: &[u32], rows: &mut [f32]) -> [f32; 4] {
    type Four = <Base as Simd>::F32x4;
    let corners = || match faces {
        FacesRef::Mesh(mesh) => gather(|triangle| mesh.corners(triangle), triangles),
        _ => gather(|triangle| faces.corners(triangle), triangles),
    };
    match triangles.len() {
        0 => [0.0; 4],
        1 => fill_rows::<Four, 1>(&corners(), rows),
        2 => fill_rows::<Four, 2>(&corners(), rows),
        3 => fill_rows::<Four, 3>(&corners(), rows),
        _ => fill_rows::<Four, LEAF_TRIANGLES>(&corners(), rows),
    }
}

/// [`fill_leaf`] of `N` triangles with these corners.
#[inline(always)]
fn fill_rows<V: F32x4, const N: usize>(corners: &CornerLanes, rows: &mut [f32]) -> [f32; 4] {
    // The middle of the box around them.
    let mut origin = [0.0; 3];
    let mut extent = V::splat(0.0);
    let mut beside = [[0.0f32; LEAF_TRIANGLES]; ROWS];
    for axis in 0..3 {
        let (p, q, r) = (V::load(&corners[0][axis]), V::load(&corners[1][axis]), V::load(&corners[2][axis]));
        origin[axis] = 0.5 * least(p.min(q).min(r).to_array()) + 0.5 * greatest(p.max(q).max(r).to_array());
        let middle = V::splat(origin[axis]);
        let (p, q, r) = (p.sub(middle), q.sub(middle), r.sub(middle));
        extent = extent.max(p.abs().max(q.abs()).max(r.abs()));
        p.store(&mut beside[axis]);
        q.store(&mut beside[3 + axis]);
        r.store(&mut beside[6 + axis]);
    }
    let mut k = 0;
    while k < ROWS {
        rows[k * N..(k + 1) * N].copy_from_slice(&beside[k][..N]);
        k += 1;
    }
    [origin[0], origin[1], origin[2], greatest(extent.to_array())]
}

impl ObbTree {
    /// The triangles of a leaf as rows, in the order of [`ObbTree::leaf_triangles`]; none for a leaf
    /// that does not exist. Where triangles are computed, their rows stand in `room`.
    #[inline]
    pub fn leaf_rows<'t>(&'t self, leaf: u32, room: &'t mut LeafRoom) -> LeafRows<'t> {
        if let Some(computed) = &self.computed {
            return computed_rows(computed, leaf, room);
        }
        let leaf = leaf as usize;
        match (self.leaves.places.get(leaf), self.leaf_places.get(leaf)) {
            (Some(&[x, y, z, extent]), Some(&[start, end])) => LeafRows {
                origin: [x, y, z],
                extent,
                count: (end - start) as usize,
                rows: &self.leaves.rows[ROWS * start as usize..],
            },
            _ => LeafRows { origin: [0.0; 3], extent: 0.0, count: 0, rows: &[] },
        }
    }
}

/// The rows of a leaf whose triangles are computed.
#[cold]
fn computed_rows<'t>(computed: &Computed, leaf: u32, room: &'t mut LeafRoom) -> LeafRows<'t> {
    let rows = room.0.get_or_insert([0.0; NUMBERS]);
    let fill = |kept: &mut KeptLeaf| {
        kept.rows = [0.0; NUMBERS];
        let own = &mut kept.rows[..ROWS * kept.triangles.len()];
        kept.place = fill_leaf(computed.faces(), &kept.triangles, own);
    };
    let ([x, y, z, extent], count) = computed.leaf(leaf, fill, |kept| {
        *rows = kept.rows;
        (kept.place, kept.triangles.len())
    });
    LeafRows { origin: [x, y, z], extent, count, rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip of triangles far from its origin.
    fn strip(count: u32, far: f32) -> TriMesh {
        let at = |k: u32| Point3::new(far + 0.37 * k as f32, (k % 2) as f32 * 0.9, 0.01 * (k * k) as f32);
        let vertices = (0..count + 2).map(at).collect();
        TriMesh::new(vertices, (0..count).map(|k| [k, k + 1, k + 2]).collect()).unwrap()
    }

    fn assert_rows(tree: &ObbTree, mesh: &TriMesh) {
        for leaf in 0..tree.leaf_count() as u32 {
            let mut room = LeafRoom::NEW;
            let (rows, own) = (tree.leaf_rows(leaf, &mut room), tree.leaf_triangles(leaf));
            assert_eq!(rows.count(), own.len());
            let mut extent = 0.0f32;
            for (lane, &t) in own.iter().enumerate() {
                for (corner, p) in mesh.corners(t).iter().enumerate() {
                    for axis in 0..3 {
                        let local = rows.corners()[corner][axis][lane];
                        let exact = f64::from(p[axis]) - f64::from(rows.origin[axis]);
                        assert_eq!(local, exact as f32);
                        extent = extent.max(local.abs());
                    }
                }
            }
            assert_eq!(rows.extent, extent);
            assert!(rows.corners().iter().flatten().all(|row| row.iter().all(|x| x.is_finite())));
        }
    }

    #[test]
    fn rows_are_the_corners_beside_the_origin() {
        for (count, far) in [(1, 0.0), (2, 1e6), (3, -1e-3), (57, 1e4)] {
            let mesh = strip(count, far);
            assert_rows(&ObbTree::build(&mesh), &mesh);
        }
    }

    #[test]
    fn a_refit_moves_the_rows() {
        let mesh = strip(40, 0.0);
        let mut tree = ObbTree::build(&mesh);
        let moved = mesh.vertices().iter().map(|p| Point3::new(p.y - 3.0, 2.0 * p.x, p.z * p.x)).collect();
        let moved = mesh.with_vertices(moved).unwrap();
        tree.refit(&moved).unwrap();
        assert_rows(&tree, &moved);
    }

    #[test]
    fn a_leaf_that_does_not_exist_has_no_triangles() {
        let tree = ObbTree::build(&strip(9, 0.0));
        for leaf in [tree.leaf_count() as u32, u32::MAX - 1, u32::MAX] {
            let mut room = LeafRoom::NEW;
            let rows = tree.leaf_rows(leaf, &mut room);
            assert_eq!((rows.count(), rows.extent), (0, 0.0));
            assert_eq!(rows.corners(), [[&[0.0; 4]; 3]; 3]);
        }
        assert_eq!(ObbTree::default().leaf_rows(0, &mut LeafRoom::default()).count(), 0);
    }
}
