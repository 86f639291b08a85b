//! The surface of a level set near the other body, with lids where the box of cells cuts through its inside.
//!
//! A side of a cell is two faces of tetrahedra. The part of each that is inside is a triangle or a quadrilateral between samples and the same
//! crossings that the surface has there, so lids and surface meet edge to edge.

use impinge_geometry::{LevelSet, Side};
use impinge_image_space::crossing::ANALYTIC;
use impinge_midphase::{ObbTree, PairJob};
use nalgebra::Point3;

use super::patch::{BORDER, SurfacePatch, interest_in, leaves_of};

/// Cells of a patch, and its triangles, at most: a body over more of them is the CPU's.
const MOST_CELLS: u64 = 1 << 18;
const MOST_TRIANGLES: usize = 1 << 15;

/// The patch of the level set on a side of a job, with the leaves of these pairs of leaves. `None` where it would be too large.
pub(super) fn patch(
    job: &PairJob<'_>,
    side: Side,
    set: &LevelSet,
    tree: &ObbTree,
    leaf_pairs: &[[u32; 2]],
) -> Option<SurfacePatch> {
    let mut cells = Cells::of(job, side, set);
    let leaves = leaves_of(leaf_pairs, side);
    for &leaf in &leaves {
        tree.leaf_triangles(leaf).into_iter().for_each(|triangle| cells.take(set.cell_of(triangle)));
    }
    if cells.is_empty() || cells.count() > MOST_CELLS {
        return None;
    }
    let surface: Vec<u32> = set.triangles_between([cells.low, cells.high]).take(MOST_TRIANGLES + 1).collect();
    let mut lids = Vec::new();
    for axis in 0..3 {
        cells.put_lids(set, axis, &mut lids);
    }
    if surface.len() + lids.len() > MOST_TRIANGLES {
        return None;
    }
    let corners: Vec<[u32; 3]> = surface.iter().map(|&triangle| set.vertices_of(triangle)).collect();
    let mut used: Vec<u32> = corners.iter().chain(&lids).flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let own =
        |vertices: &[u32; 3]| vertices.map(|vertex| used.partition_point(|other| *other < vertex) as u32);
    let mut patch = SurfacePatch::of_vertices(used.iter().map(|&vertex| place(set, vertex)).collect());
    let of_name = |name: u32| Some(own(&corners[surface.binary_search(&name).ok()?]));
    let mut taken = patch.put_leaves(&leaves, tree, of_name)?;
    taken.sort_unstable();
    let left = surface.iter().zip(&corners).filter(|(name, _)| taken.binary_search(name).is_err());
    left.for_each(|(name, corners)| patch.put(*name, own(corners), false));
    lids.iter().for_each(|corners| patch.put(ANALYTIC, own(corners), true));
    Some(patch)
}

/// A sample has the number of a vertex without a step.
fn sample(set: &LevelSet, at: [u32; 3]) -> u32 {
    8 * set.number(at)
}

/// Where a vertex or a sample is (m).
fn place(set: &LevelSet, vertex: u32) -> Point3<f32> {
    match vertex % 8 {
        0 => set.sample_position(vertex / 8),
        _ => set.vertex(vertex),
    }
}

/// The cells between two, both included; none where one coordinate is greater than the other's.
#[derive(Clone, Copy, Debug)]
struct Cells {
    low: [u32; 3],
    high: [u32; 3],
}

impl Cells {
    /// The cells in which the bodies of a job may share something.
    fn of(job: &PairJob<'_>, side: Side, set: &LevelSet) -> Cells {
        let [from, to] = interest_in(job, side);
        let (size, spacing, origin) = (set.size(), set.spacing(), set.origin());
        let mut cells = Cells { low: [1; 3], high: [0; 3] };
        let cell = |k: usize, at: f64| ((at - f64::from(origin[k])) / f64::from(spacing[k])).floor() as i64;
        let range =
            |k: usize| [cell(k, from[k]).saturating_sub(BORDER), cell(k, to[k]).saturating_add(BORDER)];
        let ranges = [0, 1, 2].map(range);
        let last = size.map(|n| i64::from(n) - 2);
        if (0..3).all(|k| ranges[k][0] <= ranges[k][1] && ranges[k][1] >= 0 && ranges[k][0] <= last[k]) {
            cells.low = std::array::from_fn(|k| ranges[k][0].max(0) as u32);
            cells.high = std::array::from_fn(|k| ranges[k][1].min(last[k]) as u32);
        }
        cells
    }

    fn is_empty(&self) -> bool {
        (0..3).any(|k| self.low[k] > self.high[k])
    }

    fn count(&self) -> u64 {
        (0..3).map(|k| u64::from(self.high[k] - self.low[k]) + 1).product()
    }

    /// Grows to a cell.
    fn take(&mut self, cell: [u32; 3]) {
        if self.is_empty() {
            (self.low, self.high) = (cell, cell);
        }
        self.low = std::array::from_fn(|k| self.low[k].min(cell[k]));
        self.high = std::array::from_fn(|k| self.high[k].max(cell[k]));
    }

    /// Puts the lids across an axis, counter-clockwise seen from outside the box.
    fn put_lids(&self, set: &LevelSet, axis: usize, lids: &mut Vec<[u32; 3]>) {
        let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
        for (plane, upper) in [(self.low[axis], false), (self.high[axis] + 1, true)] {
            for j in self.low[v]..=self.high[v] {
                for i in self.low[u]..=self.high[u] {
                    let corner = |[a, b]: [u32; 2]| {
                        let mut at = [plane; 3];
                        (at[u], at[v]) = (i + a, j + b);
                        at
                    };
                    // From the lowest sample to the highest goes the edge that both faces have.
                    for face in [[[0, 0], [1, 0], [1, 1]], [[0, 0], [1, 1], [0, 1]]] {
                        put_inside(set, face.map(corner), upper, lids);
                    }
                }
            }
        }
    }
}

/// Puts the part of a face of a tetrahedron that is inside, turned round or not.
fn put_inside(set: &LevelSet, face: [[u32; 3]; 3], keep: bool, lids: &mut Vec<[u32; 3]>) {
    let inside = face.map(|at| set.value(at) < 0.0);
    let (mut polygon, mut count) = ([0; 4], 0);
    let mut put = |vertex: u32| {
        polygon[count] = vertex;
        count += 1;
    };
    for k in 0..3 {
        let next = (k + 1) % 3;
        if inside[k] {
            put(sample(set, face[k]));
        }
        if inside[k] != inside[next] {
            put(crossing(set, face[k], face[next]));
        }
    }
    for k in 2..count {
        let [a, b, c] = [polygon[0], polygon[k - 1], polygon[k]];
        lids.push(if keep { [a, b, c] } else { [a, c, b] });
    }
}

/// The vertex on the edge between two samples, one of which has no coordinate less than the other's.
fn crossing(set: &LevelSet, p: [u32; 3], q: [u32; 3]) -> u32 {
    let low: [u32; 3] = std::array::from_fn(|k| p[k].min(q[k]));
    let steps: u32 = (0..3).map(|k| u32::from(p[k] != q[k]) << k).sum();
    sample(set, low) + steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::{LevelSetSettings, Primitive, Shape};
    use impinge_midphase::{CandidateBatch, MidphaseCounts, Placed, PreparedShape};
    use impinge_scenes::random::Random;
    use nalgebra::{Isometry3, Translation3};
    use std::sync::Arc;

    /// Values of any sign within the border, or a ball of eight cells.
    fn levels(seed: u64) -> LevelSet {
        let (size, mut random) = ([19u32, 21, 17], Random::new(seed));
        let at = |n: u32| [n % size[0], n / size[0] % size[1], n / size[0] / size[1]];
        let values = (0..size.iter().product::<u32>()).map(|n| {
            let border = (0..3).any(|k| at(n)[k] == 0 || at(n)[k] + 1 == size[k]);
            let offset: f64 = (0..3).map(|k| (f64::from(at(n)[k]) - 0.5 * f64::from(size[k])).powi(2)).sum();
            let value = if seed.is_multiple_of(2) { random.signed() } else { offset.sqrt() - 7.0 } as f32;
            if border { value.abs() } else { value }
        });
        let settings = LevelSetSettings { spacing: [0.5, 0.4, 0.6], origin: [-1.0, 2.0, -4.0] };
        LevelSet::new(size, values.collect(), &settings).unwrap()
    }

    /// Where bodies of this half size are placed and what candidates of the pair there are, the level set first or second.
    fn each_job(
        set: &Arc<LevelSet>,
        random: &mut Random,
        half: [f32; 3],
        mut f: impl FnMut(&PairJob<'_>, Side, &ObbTree, &[[u32; 2]], &Isometry3<f64>),
    ) {
        let cuboid = Shape::from(Primitive::Cuboid { half });
        let shapes = [PreparedShape::new(&Shape::from(Arc::clone(set))), PreparedShape::new(&cuboid)];
        let aabb = set.aabb();
        let reach: [f64; 3] = std::array::from_fn(|k| f64::from(aabb.max[k] - aabb.min[k]));
        let low: [f64; 3] = std::array::from_fn(|k| f64::from(aabb.min[k]));
        let at = [0, 1, 2].map(|k| low[k] + reach[k] * random.unit());
        let lies = Isometry3::from_parts(Translation3::identity(), random.rotation());
        let pose = Isometry3::from_parts(Translation3::from(at), random.rotation());
        for side in Side::BOTH {
            let mut both =
                [Placed { shape: &shapes[0], pose: lies }, Placed { shape: &shapes[1], pose: lies * pose }];
            if side == Side::B {
                both.reverse();
            }
            let [a, b] = both;
            let (mut batch, mut counts) = (CandidateBatch::default(), MidphaseCounts::default());
            impinge_midphase::find(0, a, b, 0.0, &mut batch, &mut counts);
            for job in &batch.jobs {
                let own = job.parts[side.index()].surface.as_ref().unwrap();
                f(job, side, &own.tree, batch.leaf_pairs_of(job), &pose);
            }
        }
    }

    #[test]
    fn patches_are_closed_hold_what_may_meet_and_have_the_level_set_s_triangles() {
        let mut random = Random::new(78);
        let (mut cut, mut whole) = (0, 0);
        for round in 0..60 {
            let set = Arc::new(levels(round));
            // All of a ball, or a part.
            let half = if round % 6 == 1 { [9.0; 3] } else { [0.9, 0.6, 1.4] };
            each_job(&set, &mut random, half, |job, side, tree, pairs, _| {
                let patch = patch(job, side, &set, tree, pairs).unwrap();
                patch.assert_closed();
                for ((corners, &name), &cut) in patch.triangles.iter().zip(&patch.names).zip(&patch.cut) {
                    match cut {
                        true => assert!(!set.has_triangle(name)),
                        false => {
                            let placed = corners.map(|v| patch.vertices[v as usize]);
                            assert_eq!(placed, set.corners(name), "{name}");
                        }
                    }
                }
                for pair in pairs {
                    let leaf = pair[side.index()];
                    let here = patch.leaf(leaf).unwrap() as usize;
                    let range = patch.starts[here] as usize..patch.starts[here + 1] as usize;
                    assert_eq!(patch.names[range], tree.leaf_triangles(leaf)[..]);
                }
                let cuts = patch.cuts();
                (cut, whole) = (cut + usize::from(cuts > 0), whole + usize::from(cuts == 0));
            });
        }
        assert!(cut > 30 && whole > 5, "{cut} {whole}");
    }

    #[test]
    fn a_place_in_the_box_is_inside_the_patch_where_it_is_inside_the_level_set() {
        let (mut random, mut inside, mut outside) = (Random::new(6), 0, 0);
        for round in 0..24 {
            let set = Arc::new(levels(round));
            let half = [0.9, 0.6, 1.4];
            let places: Vec<Point3<f64>> = (0..40)
                .map(|_| Point3::from([0, 1, 2].map(|k: usize| f64::from(half[k]) * random.signed())))
                .collect();
            each_job(&set, &mut random, half, |job, side, tree, pairs, pose| {
                let patch = patch(job, side, &set, tree, pairs).unwrap();
                for place in &places {
                    let at = pose * place;
                    let holds = set.holds(&at);
                    // By solid angles: all round or nothing at all.
                    let turns = patch.triangles.iter().map(|corners| {
                        let [a, b, c] = corners.map(|v| patch.vertices[v as usize].cast::<f64>() - at);
                        let [x, y, z] = [a.norm(), b.norm(), c.norm()];
                        let below = x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y;
                        2.0 * a.dot(&b.cross(&c)).atan2(below)
                    });
                    let angle = turns.sum::<f64>() / (4.0 * std::f64::consts::PI);
                    // The box of the level set's cells may not hold places that no part of the surface is near.
                    if !holds {
                        assert!(angle.abs() < 1e-6, "{angle}");
                    } else if job_holds(job, side, &set, &at) {
                        assert!((angle - 1.0).abs() < 1e-6, "{angle}");
                    }
                    (inside, outside) = (inside + usize::from(holds), outside + usize::from(!holds));
                }
            });
        }
        assert!(inside > 200 && outside > 200, "{inside} {outside}");
    }

    /// Whether a place of the level set is in the box that a job is about.
    fn job_holds(job: &PairJob<'_>, side: Side, set: &LevelSet, at: &Point3<f64>) -> bool {
        let cells = Cells::of(job, side, set);
        (0..3).all(|k| {
            let cell = (at[k] - f64::from(set.origin()[k])) / f64::from(set.spacing()[k]);
            (f64::from(cells.low[k])..f64::from(cells.high[k]) + 1.0).contains(&cell)
        })
    }
}
