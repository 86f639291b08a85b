//! The ground of a height field under the other body, with walls where the rectangle of cells cuts through it.
//!
//! It reaches down to the field's own bottom: all that the two bodies may share lies over the rectangle.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use impinge_geometry::{HeightField, Side};
use impinge_midphase::{ObbTree, PairJob};
use nalgebra::Point3;

use super::patch::{BORDER, SurfacePatch, interest_in, leaves_of};

/// Cells of a patch, at most: a body over more of them is the CPU's.
const MOST_CELLS: u64 = 1 << 14;

/// The patch of the field on a side of a job, with the leaves of these pairs of leaves. `None` where it would be too large.
pub(super) fn patch(
    job: &PairJob<'_>,
    side: Side,
    field: &HeightField,
    tree: &ObbTree,
    leaf_pairs: &[[u32; 2]],
) -> Option<SurfacePatch> {
    let mut cells = Cells::of(job, side, field);
    let leaves = leaves_of(leaf_pairs, side);
    for &leaf in &leaves {
        for triangle in tree.leaf_triangles(leaf) {
            for vertex in field.vertices_of(triangle) {
                cells.take_sample(field, field.sample_place(vertex));
            }
        }
    }
    if cells.is_empty() || cells.count() > MOST_CELLS {
        return None;
    }
    let mut patch = SurfacePatch::of_vertices(vertices(field, cells));
    let made = Made::of(field, cells);
    let taken = patch.put_leaves(&leaves, tree, |triangle| made.by_name.get(&triangle).copied())?;
    let taken: BTreeSet<u32> = taken.into_iter().collect();
    let left = made.list.iter().filter(|(name, _, cut)| *cut || !taken.contains(name));
    left.for_each(|&(name, corners, cut)| patch.put(name, corners, cut));
    Some(patch)
}

/// The vertices of the rectangle's samples, and as many below them.
fn vertices(field: &HeightField, cells: Cells) -> Vec<Point3<f32>> {
    let mut vertices = Vec::with_capacity(2 * cells.samples() as usize);
    for below in [false, true] {
        for j in cells.first[1]..=cells.end[1] {
            for i in cells.first[0]..=cells.end[0] {
                let z = if below { field.bottom() } else { field.height([i, j]) };
                // No triangle has a vertex without terrain.
                let z = if z.is_finite() { z } else { field.bottom() };
                vertices.push(Point3::new(field.along(0, i), field.along(1, j), z));
            }
        }
    }
    vertices
}

/// Which cells: from the first on, before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cells {
    first: [u32; 2],
    end: [u32; 2],
}

impl Cells {
    /// The cells under all that the bodies of a job may share.
    fn of(job: &PairJob<'_>, side: Side, field: &HeightField) -> Cells {
        let [from, to] = interest_in(job, side);
        let range = |k: usize| -> Range<u32> {
            let (spacing, last) = (f64::from(field.spacing()[k]), i64::from(field.size()[k] - 1));
            let first = (from[k] / spacing).floor() as i64 - BORDER;
            let end = (to[k] / spacing).ceil() as i64 + BORDER;
            first.clamp(0, last) as u32..end.clamp(0, last) as u32
        };
        let [x, y] = [range(0), range(1)];
        Cells { first: [x.start, y.start], end: [x.end, y.end] }
    }

    fn is_empty(&self) -> bool {
        (0..2).any(|k| self.first[k] >= self.end[k])
    }

    fn count(&self) -> u64 {
        (0..2).map(|k| u64::from(self.end[k] - self.first[k])).product()
    }

    /// Grows to the cells round a sample.
    fn take_sample(&mut self, field: &HeightField, at: [u32; 2]) {
        for (k, at) in at.into_iter().enumerate() {
            self.first[k] = self.first[k].min(at.saturating_sub(1));
            self.end[k] = self.end[k].max((at + 1).min(field.size()[k] - 1));
        }
    }

    fn has(&self, cell: [u32; 2]) -> bool {
        (0..2).all(|k| (self.first[k]..self.end[k]).contains(&cell[k]))
    }

    /// The number of a sample's vertex in the patch.
    fn vertex(&self, at: [u32; 2]) -> u32 {
        let row = self.end[0] - self.first[0] + 1;
        (at[1] - self.first[1]) * row + at[0] - self.first[0]
    }

    /// How many vertices stand above: as many stand below.
    fn samples(&self) -> u32 {
        (0..2).map(|k| self.end[k] - self.first[k] + 1).product()
    }
}

/// The triangles of a patch: names, corners, and whether they are walls where it is cut.
struct Made {
    list: Vec<(u32, [u32; 3], bool)>,
    by_name: BTreeMap<u32, [u32; 3]>,
}

impl Made {
    fn of(field: &HeightField, cells: Cells) -> Made {
        let mut made = Made { list: Vec::new(), by_name: BTreeMap::new() };
        for j in cells.first[1]..cells.end[1] {
            for i in cells.first[0]..cells.end[0] {
                for k in (0..2).filter(|&k| field.has_triangle_at([i, j], k)) {
                    made.put_column(field, cells, 2 * field.vertex_number([i, j]) + k);
                }
            }
        }
        made
    }

    fn put(&mut self, name: u32, corners: [u32; 3]) {
        self.list.push((name, corners, false));
        self.by_name.insert(name, corners);
    }

    /// A triangle of the terrain, the one below it, and the walls between them.
    fn put_column(&mut self, field: &HeightField, cells: Cells, top_name: u32) {
        let places = field.vertices_of(top_name).map(|vertex| field.sample_place(vertex));
        let top = places.map(|at| cells.vertex(at));
        let below = cells.samples();
        let [a, b, c] = top;
        self.put(top_name, top);
        self.put(field.first_virtual() + top_name, [below + a, below + c, below + b]);
        let edges = field.edges_of(top_name);
        for (p, edge) in edges.into_iter().enumerate() {
            let q = (p + 1) % 3;
            let cut = (0..2).any(|axis| {
                let at = places[p][axis];
                at == places[q][axis] && (at == cells.first[axis] || at == cells.end[axis])
            });
            if !cut && !field.has_gaps() {
                continue;
            }
            let wall = field.has_wall(edge);
            if !(wall || cut && self.is_cut(field, cells, edge)) {
                continue;
            }
            let [p, q] = [top[p], top[q]];
            let corners = [[q, p, below + p], [q, below + p, below + q]];
            let first = 2 * field.first_virtual() + 2 * edge;
            for (name, corners) in (first..).zip(corners) {
                match wall {
                    true => self.put(name, corners),
                    false => self.list.push((field.first_virtual() + top_name, corners, true)),
                }
            }
        }
    }

    /// Whether an edge of the terrain has a triangle that is not in the patch.
    fn is_cut(&self, field: &HeightField, cells: Cells, edge: u32) -> bool {
        let terrain = |face: &&u32| **face < field.first_virtual();
        let out = |face: &u32| !cells.has(field.sample_place(face / 2));
        field.edge_faces(edge).iter().filter(terrain).any(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::{Diagonals, HeightFieldSettings, Primitive, Shape};
    use impinge_midphase::{CandidateBatch, MidphaseCounts, Placed, PreparedShape};
    use impinge_scenes::random::Random;
    use nalgebra::{Isometry3, Translation3, Vector3};

    fn field(seed: u64, gaps: f64) -> HeightField {
        let mut random = Random::new(seed);
        let size = [30, 26];
        let count = size[0] * size[1];
        let mut height = || if random.unit() < gaps { f32::NAN } else { random.signed() as f32 };
        let heights = (0..count).map(|_| height()).collect();
        let settings = HeightFieldSettings {
            spacing: [0.5, 0.75],
            bottom: Some(-2.5),
            diagonals: Diagonals::PerCell((0..count).map(|_| random.unit() < 0.5).collect()),
            holes: (0..count).map(|_| random.unit() < gaps).collect(),
        };
        HeightField::new(size, heights, &settings).unwrap()
    }

    /// The patch is closed, and triangles stand where the field's of their name do.
    fn check(field: &HeightField, patch: &SurfacePatch) {
        for ((corners, &name), &cut) in patch.triangles.iter().zip(&patch.names).zip(&patch.cut) {
            if !cut {
                assert_eq!(corners.map(|v| patch.vertices[v as usize]), field.corners(name), "{name}");
            }
        }
        patch.assert_closed();
    }

    #[test]
    fn patches_are_closed_hold_what_may_meet_and_have_the_field_s_triangles() {
        let mut random = Random::new(77);
        let (mut cut, mut whole) = (0, 0);
        for round in 0..60 {
            let field = field(round, [0.0, 0.05][round as usize % 2]);
            let shapes = [
                PreparedShape::new(&Shape::from(field.clone())),
                PreparedShape::new(&Shape::from(Primitive::Cuboid { half: [0.9, 0.6, 1.4] })),
            ];
            let at = Translation3::new(15.0 * random.unit(), 19.0 * random.unit(), 4.0 * random.signed());
            let poses = [random.rotation(), random.rotation()];
            let poses = [
                Isometry3::from_parts(Translation3::identity(), poses[0]),
                Isometry3::from_parts(Translation3::identity(), poses[0])
                    * Isometry3::from_parts(at, poses[1]),
            ];
            for swapped in [false, true] {
                let order = if swapped { [1, 0] } else { [0, 1] };
                let [a, b] = order.map(|k| Placed { shape: &shapes[k], pose: poses[k] });
                let (mut batch, mut counts) = (CandidateBatch::default(), MidphaseCounts::default());
                impinge_midphase::find(0, a, b, 0.0, &mut batch, &mut counts);
                for job in &batch.jobs {
                    let side = if swapped { Side::B } else { Side::A };
                    let own = job.parts[side.index()].surface.as_ref().unwrap();
                    let pairs = batch.leaf_pairs_of(job);
                    let patch = patch(job, side, &field, &own.tree, pairs).unwrap();
                    check(&field, &patch);
                    for pair in pairs {
                        let leaf = pair[side.index()];
                        let here = patch.leaf(leaf).unwrap() as usize;
                        let range = patch.starts[here] as usize..patch.starts[here + 1] as usize;
                        assert_eq!(patch.names[range], own.tree.leaf_triangles(leaf)[..]);
                    }
                    let walls = patch.cut.iter().filter(|cut| **cut).count();
                    (cut, whole) = (cut + usize::from(walls > 0), whole + usize::from(walls == 0));
                    let reach = patch.reach();
                    assert!(patch.vertices.iter().all(|v| (0..3).all(|k| f64::from(v[k].abs()) <= reach[k])));
                }
            }
        }
        assert!(cut > 30, "{cut} {whole}");
    }

    #[test]
    fn all_that_a_field_and_a_body_share_is_over_the_patch() {
        let mut random = Random::new(5);
        let field = field(3, 0.0);
        let shapes = [
            PreparedShape::new(&Shape::from(field.clone())),
            PreparedShape::new(&Shape::from(Primitive::Cuboid { half: [0.9, 0.6, 1.4] })),
        ];
        for _ in 0..40 {
            let at = Translation3::new(15.0 * random.unit(), 19.0 * random.unit(), random.signed());
            let pose = Isometry3::from_parts(at, random.rotation());
            let [a, b] = [Isometry3::identity(), pose];
            let [a, b] = [Placed { shape: &shapes[0], pose: a }, Placed { shape: &shapes[1], pose: b }];
            let (mut batch, mut counts) = (CandidateBatch::default(), MidphaseCounts::default());
            impinge_midphase::find(0, a, b, 0.0, &mut batch, &mut counts);
            for job in &batch.jobs {
                let cells = Cells::of(job, Side::A, &field);
                for _ in 0..200 {
                    let own =
                        Vector3::new(0.9, 0.6, 1.4).component_mul(&Vector3::from_fn(|_, _| random.signed()));
                    let place = pose * Point3::from(own);
                    if field.holds(&place) {
                        let cell = [0, 1].map(|k| (place[k] / f64::from(field.spacing()[k])).floor() as u32);
                        assert!(cells.has(cell), "{cell:?} {cells:?}");
                    }
                }
            }
        }
    }
}
