//! Whether two shapes touch.

use std::mem::take;

use impinge_exact::intersect::LastHit;
use impinge_midphase::PreparedShape;
use nalgebra::Isometry3;

use super::memory::QueryMemory;
use super::subshapes::{PlacedSubshapes, Poses};
use super::{PairQuery, QueryError, QueryScratch};

impl PairQuery {
    /// Whether the bodies touch with A at `a` and B at `b` (m): their surfaces share a point (exact for
    /// triangles), or one is inside the other. Ends at the first place found; what
    /// [`PairQuery::at`] says of touching, and sooner. Two half-spaces touch unless they face each
    /// other across a gap. Subshapes of composites are found by a tree.
    ///
    /// # Errors
    /// [`QueryError::Pose`].
    pub fn touching(&self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> Result<bool, QueryError> {
        self.touching_with(a, b, &mut QueryScratch::default())
    }

    /// As [`PairQuery::touching`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn touching_with(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<bool, QueryError> {
        Ok(shapes_touch(self.shapes(), &Poses::new(a, b)?, scratch, None))
    }
}

/// Whether two shapes touch where they stand. With a memory the subshapes that touched last come first.
pub(crate) fn shapes_touch(
    shapes: [&PreparedShape; 2],
    poses: &Poses,
    scratch: &mut QueryScratch,
    mut memory: Option<&mut QueryMemory>,
) -> bool {
    if shapes.iter().all(|shape| shape.parts().len() == 1) {
        return subshapes_touch(&poses.pair(shapes, [0; 2]), shapes, scratch, memory);
    }
    if let Some(memory) = memory.as_deref_mut()
        && let Some(indices) = memory.touched
        && subshapes_touch(&poses.pair(shapes, indices), shapes, scratch, Some(memory))
    {
        return true;
    }
    let mut near = take(&mut scratch.part_pairs);
    let found = poses
        .pairs_near(shapes, 0.0, &mut near)
        .find(|pair| subshapes_touch(pair, shapes, scratch, memory.as_deref_mut()))
        .map(|pair| pair.indices);
    scratch.part_pairs = near;
    if let Some(memory) = memory {
        memory.touched = found;
    }
    found.is_some()
}

fn subshapes_touch(
    pair: &PlacedSubshapes<'_>,
    shapes: [&PreparedShape; 2],
    scratch: &mut QueryScratch,
    memory: Option<&mut QueryMemory>,
) -> bool {
    let mut fresh = LastHit::default();
    let last = match memory {
        Some(memory) => &mut memory.of(shapes, pair.indices).touch,
        None => &mut fresh,
    };
    pair.gap <= 0.0 && impinge_pair::parts_touch(pair.parts, &pair.frame, last, &mut scratch.narrow)
}
