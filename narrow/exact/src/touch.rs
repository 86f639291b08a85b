//! Whether two parts touch, and nothing else: one predicate for what a step reports, what a sensor asks of a job
//! and what a query asks of two parts, their distance included.
//!
//! Surfaces touch where they share a point (exact), or where one is inside the other and does not cross it;
//! a surface and a primitive, where a triangle touches the primitive or the surface holds it; convex solids, where
//! their contact says so.

use std::ops::ControlFlow;

use impinge_convex::convex_contact;
use impinge_geometry::{Containment, PairFrame};
use impinge_midphase::{DescentCounts, PairKind, Part, descend};

use crate::containment::{ContainmentScratch, containment};
use crate::ground;
use crate::intersect::{self, IntersectScratch, Intersections, LastHit, Surfaces};
use crate::{MeshSolid, Refilled};

/// Buffers of the exact tests of surfaces.
#[derive(Debug, Default)]
pub struct TouchScratch {
    /// Those of the triangle tests.
    pub intersect: IntersectScratch,
    /// The intersection of two surfaces.
    pub intersections: Refilled<Intersections>,
    /// Those of the containment test.
    pub containment: ContainmentScratch,
    leaf_pairs: Vec<[u32; 2]>,
}

/// Where surfaces may meet.
pub enum LeafPairs<'a> {
    /// In these pairs of leaves only.
    Listed(&'a [[u32; 2]]),
    /// Anywhere: the trees are searched, first where the surfaces met last.
    Search(&'a mut LastHit),
}

/// Whether two parts touch: their trees are searched, and no more of them than up to the first place that is found. Of a primitive on a height field
/// the cells under it are asked first.
/// Surfaces are first looked at where they met `last`.
pub fn parts_touch(
    parts: [&Part; 2],
    frame: &PairFrame,
    last: &mut LastHit,
    scratch: &mut TouchScratch,
) -> bool {
    if let Some(touching) = ground::primitive_touches(parts, frame) {
        return touching;
    }
    match PairKind::new(parts) {
        None => false,
        Some(PairKind::Convex) => convex_contact(parts, frame, 0.0).touching,
        Some(PairKind::Surfaces(both)) => {
            surfaces_touch(&Surfaces::new(both, frame), LeafPairs::Search(last), scratch)
        }
        Some(PairKind::MeshSolid { mesh, surface, primitive }) => {
            MeshSolid { mesh, surface, primitive, frame }.touches()
        }
    }
}

/// Whether two surfaces touch; stops at the first pair of triangles that does.
pub fn surfaces_touch(input: &Surfaces<'_>, leaf_pairs: LeafPairs<'_>, scratch: &mut TouchScratch) -> bool {
    let (touching, listed) = match leaf_pairs {
        LeafPairs::Listed(list) => {
            (intersect::first_touch(input, list, &mut scratch.intersect).is_some(), Some(list))
        }
        LeafPairs::Search(last) => {
            (intersect::surfaces_touch(input, last, &mut scratch.intersect).is_some(), None)
        }
    };
    touching || apart_or_contained(input, listed, scratch) != Containment::None
}

/// Which of two surfaces, no triangles of which touch, is inside the other; `leaf_pairs` are those that may
/// overlap, where they are known.
pub fn apart_or_contained(
    input: &Surfaces<'_>,
    leaf_pairs: Option<&[[u32; 2]]>,
    scratch: &mut TouchScratch,
) -> Containment {
    let TouchScratch { intersect, intersections, containment: inside, leaf_pairs: found } = scratch;
    // What crosses a virtual face is not wholly inside, although it does not touch.
    let intersections = if input.meshes.iter().any(|mesh| mesh.has_virtual_faces()) {
        let list = leaf_pairs.unwrap_or_else(|| {
            overlapping_leaves(input, found);
            found
        });
        intersections.fill(|out| intersect::intersect_surfaces(input, list, intersect, out))
    } else {
        intersections.fill(Intersections::clear)
    };
    containment(input, intersections, inside)
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
