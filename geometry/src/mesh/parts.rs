//! Closed parts of a surface that meet along edges or sides.
//!
//! Triangles in balance go in: along every edge as many run forward as backward. For each triangle
//! its part comes out. Every part is in balance by itself, and two copies of one triangle are of
//! different parts wherever the edges allow it.
//!
//! Across an edge of two faces the part is certain. At edges of more faces, copies of repeated
//! triangles keep to the copies of their own number, faces of one part keep to each other, and the
//! rest is paired in the order of the parts.

use super::components::Sets;

/// A triangle's run along an edge of several.
#[derive(Clone, Copy, Debug)]
struct EdgeUse {
    edge: [u32; 2],
    triangle: u32,
    forward: bool,
}

/// Returns for each triangle its part, named by the lowest triangle in it.
pub(super) fn parts(triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut sets = Sets::new(triangles.len());
    let copies = copies(triangles);
    let runs = runs(triangles);
    let groups = || runs.chunk_by(|a, b| a.edge == b.edge);
    let mut open: Vec<[Vec<u32>; 2]> = Vec::new();
    for group in groups() {
        let of = |forward: bool| -> Vec<u32> {
            group.iter().filter(|run| run.forward == forward).map(|run| run.triangle).collect()
        };
        let mut sides = [of(true), of(false)];
        match &sides {
            [one, other] if one.len() == 1 && other.len() == 1 => sets.join(one[0], other[0]),
            _ => {
                let copy = |&t: &u32| copies[t as usize].map_or(u64::MAX - u64::from(t), u64::from);
                join_equal(&mut sides, copy, &mut sets);
                open.push(sides);
            }
        }
    }
    // The parts that are certain are named before any further ones are joined.
    let certain: Vec<u32> = (0..triangles.len() as u32).map(|t| sets.root(t)).collect();
    for mut sides in open {
        join_equal(&mut sides, |&t| u64::from(certain[t as usize]), &mut sets);
        sides.iter_mut().for_each(|side| side.sort_unstable_by_key(|&t| (certain[t as usize], t)));
        sides[0].iter().zip(&sides[1]).for_each(|(&p, &q)| sets.join(p, q));
    }
    (0..triangles.len() as u32).map(|t| sets.root(t)).collect()
}

/// Joins triangles of the two sides whose keys are equal, one to one, and takes them out.
fn join_equal(sides: &mut [Vec<u32>; 2], key: impl Fn(&u32) -> u64, sets: &mut Sets) {
    let [one, other] = sides;
    one.retain(|p| {
        let Some(at) = other.iter().position(|q| key(p) == key(q)) else { return true };
        sets.join(*p, other.remove(at));
        false
    });
}

fn runs(triangles: &[[u32; 3]]) -> Vec<EdgeUse> {
    let mut runs = Vec::with_capacity(3 * triangles.len());
    for (triangle, corners) in (0..).zip(triangles) {
        for k in 0..3 {
            let (p, q) = (corners[k], corners[(k + 1) % 3]);
            runs.push(EdgeUse { edge: [p.min(q), p.max(q)], triangle, forward: p < q });
        }
    }
    runs.sort_unstable_by_key(|run| (run.edge, run.triangle, run.forward));
    runs
}

/// Returns for each triangle that is repeated, or repeats one, which copy it is.
pub(super) fn copies(triangles: &[[u32; 3]]) -> Vec<Option<u32>> {
    let mut turned: Vec<([u32; 3], u32)> = (0..).zip(triangles).map(|(t, c)| (least_first(c), t)).collect();
    turned.sort_unstable();
    let mut copies = vec![None; triangles.len()];
    for same in turned.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
        (0..).zip(same).for_each(|(copy, &(_, t))| copies[t as usize] = Some(copy));
    }
    copies
}

/// Returns the corners in their order, the least first.
pub(super) fn least_first(corners: &[u32; 3]) -> [u32; 3] {
    let least = (0..3).min_by_key(|&k| corners[k]).unwrap_or(0);
    std::array::from_fn(|k| corners[(least + k) % 3])
}
