//! Which parts of two shapes may meet.

use std::ops::ControlFlow;

use impinge_geometry::PairFrame;
use nalgebra::Isometry3;

use crate::obb_tree::descend;
use crate::{DescentCounts, PreparedShape};

/// So many pairs of parts are compared one by one.
const FEW: u64 = 8;

/// Lists the pairs of parts of two shapes that may touch or come closer than `margin` (m, not negative), A's in order, then
/// B's. Nothing is lost; how many are listed in vain is not promised.
pub fn part_pairs(
    shapes: [&PreparedShape; 2],
    poses: [&Isometry3<f64>; 2],
    margin: f64,
    out: &mut Vec<[u32; 2]>,
) {
    out.clear();
    let [a, b] = shapes.map(|shape| shape.parts().len() as u32);
    if u64::from(a) * u64::from(b) <= FEW {
        out.extend((0..a).flat_map(|i| (0..b).map(move |j| [i, j])));
        return;
    }
    let [of_a, of_b] = shapes.map(PreparedShape::part_tree);
    out.extend(of_a.boundless.iter().flat_map(|&i| (0..b).map(move |j| [i, j])));
    out.extend(of_a.parts.iter().flat_map(|&i| of_b.boundless.iter().map(move |&j| [i, j])));
    // Parts are placed by the product of two poses, which rounds to the scale of the world.
    let margin = margin + 1e-14 * poses.iter().map(|pose| pose.translation.vector.abs().sum()).sum::<f64>();
    let mut list = |i: u32, j: u32| {
        out.push([of_a.parts[i as usize], of_b.parts[j as usize]]);
        ControlFlow::Continue(())
    };
    let frame = PairFrame::new(poses[0], poses[1]);
    // Nothing breaks off this visit.
    let _ = descend(&of_a.tree, &of_b.tree, &frame, margin, &mut list, &mut DescentCounts::default());
    out.sort_unstable();
}
