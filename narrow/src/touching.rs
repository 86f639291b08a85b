//! Do two surfaces touch? Exact, and over at the first triangle pair that does.

use std::ops::ControlFlow;

use impinge_midphase::{DescentCounts, descend};

use crate::stream::{self, StreamScratch, Surfaces};

/// Leaf pairs gathered before they are looked into: few at first, since most pairs that touch do so
/// at once, then more.
const FIRST: usize = 2;
const MOST: usize = 64;

/// Remembers where a pair of surfaces was last found to touch, to begin the next test there. No answer
/// depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TouchMemory {
    leaves: Option<[u32; 2]>,
}

/// Buffers of the test.
#[derive(Debug, Default)]
pub struct TouchScratch {
    stream: StreamScratch,
    leaf_pairs: Vec<[u32; 2]>,
}

/// A pair of triangles of A and B that share a point (exact; made-up faces left out), if there is one.
/// Which one it is depends on `memory`, whether there is one does not.
pub fn touching_triangles(
    surfaces: &Surfaces<'_>,
    memory: &mut TouchMemory,
    scratch: &mut TouchScratch,
) -> Option<[u32; 2]> {
    let TouchScratch { stream, leaf_pairs } = scratch;
    if let Some(leaves) = memory.leaves
        && let Some((triangles, _)) = stream::first_touch(surfaces, &[leaves], stream)
    {
        return Some(triangles);
    }
    let mut found = None;
    let mut enough = FIRST;
    leaf_pairs.clear();
    let mut look = |leaf_pairs: &mut Vec<[u32; 2]>| {
        found = stream::first_touch(surfaces, leaf_pairs, stream);
        if let Some((_, at)) = found {
            memory.leaves = Some(leaf_pairs[at]);
            return ControlFlow::Break(());
        }
        leaf_pairs.clear();
        ControlFlow::Continue(())
    };
    let mut counts = DescentCounts::default();
    let ended = descend(
        surfaces.trees[0],
        surfaces.trees[1],
        surfaces.frame,
        0.0,
        &mut |a, b| {
            leaf_pairs.push([a, b]);
            if leaf_pairs.len() < enough {
                return ControlFlow::Continue(());
            }
            enough = (2 * enough).min(MOST);
            look(leaf_pairs)
        },
        &mut counts,
    );
    if ended.is_continue() {
        let _ = look(leaf_pairs);
    }
    found.map(|(triangles, _)| triangles)
}

#[cfg(test)]
mod tests {
    use impinge_geometry::{PairFrame, predicate};
    use impinge_midphase::ObbTree;
    use nalgebra::{Isometry3, Vector3};

    use super::*;
    use crate::testing::torus;

    #[test]
    fn a_memory_changes_no_answer() {
        // A ring slides through another, out of it and back; now and then the memory is of elsewhere.
        let mesh = torus(1.0, 0.3, 24, 12);
        let tree = ObbTree::build(&mesh);
        let (mut memory, mut scratch) = (TouchMemory::default(), TouchScratch::default());
        let mut touching = 0;
        for k in 0..60 {
            let x = 2.8 - 0.02 * f64::from(k);
            let pose =
                Isometry3::new(Vector3::new(x, 0.1, 0.05), Vector3::new(0.7, 0.0, 0.01 * f64::from(k)));
            let frame = PairFrame::new(&Isometry3::identity(), &pose);
            let surfaces = Surfaces { meshes: [&mesh; 2], trees: [&tree; 2], frame: &frame };
            let warm = touching_triangles(&surfaces, &mut memory, &mut scratch);
            let cold =
                touching_triangles(&surfaces, &mut TouchMemory::default(), &mut TouchScratch::default());
            assert_eq!(warm.is_some(), cold.is_some(), "step {k}");
            for [a, b] in [warm, cold].into_iter().flatten() {
                let [p, q] = [(a, 0), (b, 1)].map(|(t, side)| {
                    let side = impinge_geometry::Side::BOTH[side];
                    mesh.corners(t).map(|v| frame.place(side, &v))
                });
                assert!(predicate::triangles_touch(&p, &q), "step {k}");
            }
            touching += usize::from(cold.is_some());
            if k % 17 == 16 {
                memory.leaves = Some([u32::MAX, 3]);
            }
        }
        assert!((10..50).contains(&touching), "{touching}");
    }
}
