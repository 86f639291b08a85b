//! Whether two parts touch, and nothing else: one predicate for what a step reports, what a sensor asks of a job
//! and what a query asks of two parts.
//!
//! Surfaces touch where they share a point (exact), or where one is inside the other and does not cross it;
//! a surface and a primitive, where a triangle touches the primitive or the surface holds it.

use std::ops::ControlFlow;

use impinge_exact::containment::{ContainmentScratch, containment};
use impinge_exact::intersect::{self, IntersectScratch, Intersections, LastHit, Surfaces};
use impinge_geometry::Containment;
use impinge_midphase::{DescentCounts, descend};

/// Buffers of the exact tests of surfaces.
#[derive(Debug, Default)]
pub(crate) struct TouchScratch {
    pub intersect: IntersectScratch,
    pub intersections: Intersections,
    pub containment: ContainmentScratch,
    leaf_pairs: Vec<[u32; 2]>,
}

/// Where surfaces may meet.
pub(crate) enum LeafPairs<'a> {
    /// In these pairs of leaves only.
    Listed(&'a [[u32; 2]]),
    /// Anywhere: the trees are searched, first where the surfaces met last.
    Search(&'a mut LastHit),
}

/// Whether two surfaces touch; stops at the first pair of triangles that does.
pub(crate) fn surfaces_touch(
    input: &Surfaces<'_>,
    leaf_pairs: LeafPairs<'_>,
    scratch: &mut TouchScratch,
) -> bool {
    let TouchScratch { intersect, intersections, containment: inside, leaf_pairs: found } = scratch;
    let (touching, listed) = match leaf_pairs {
        LeafPairs::Listed(list) => (intersect::first_touch(input, list, intersect).is_some(), Some(list)),
        LeafPairs::Search(last) => (intersect::surfaces_touch(input, last, intersect).is_some(), None),
    };
    if touching {
        return true;
    }
    // What crosses a virtual face is not wholly inside, although it does not touch.
    if input.meshes.iter().any(|mesh| mesh.has_virtual_faces()) {
        let list = listed.unwrap_or_else(|| {
            overlapping_leaves(input, found);
            found
        });
        intersect::intersect_surfaces(input, list, intersect, intersections);
    } else {
        intersections.clear();
    }
    containment(input, intersections, inside) != Containment::None
}

/// All pairs of leaves whose boxes overlap.
fn overlapping_leaves(input: &Surfaces<'_>, out: &mut Vec<[u32; 2]>) {
    out.clear();
    let mut visit = |a: u32, b: u32| {
        out.push([a, b]);
        ControlFlow::Continue(())
    };
    let [a, b] = input.trees;
    // Nothing breaks off this visit.
    let _ = descend(a, b, input.frame, 0.0, &mut visit, &mut DescentCounts::default());
}
