//! Connected overlaps of two closed surfaces: their volumes, moments and area vectors, summed up over the surfaces
//! themselves.
//!
//! The overlap A∩B is bounded by A's surface inside B and B's surface inside A. Both are polygons in the planes
//! of their triangles, whose corners the contours know, so that the divergence theorem gives the volume without
//! any lattice: `V = ⅓ Σ (c − o)·a` over a fan of triangles with area vectors `a` from a corner `c` of every
//! polygon, `o` being a place of the overlap. The first moment and the torque part follow likewise (Mirtich,
//! "Fast and Accurate Computation of Polyhedral Mass Properties", 1996).
//!
//! A polygon's border consists of segments of contours and of the parts of its triangle's edges that are inside.
//! These parts need no order: an edge from p to q contributes `w(q) F(q) − w(p) F(p) − Σ Δ F(x)` over the places x
//! where it enters (Δ = 1) and leaves the other body (Δ = −1), where w counts how often the other surface winds round a
//! vertex. Whether it enters is told by the place being the end or the start of a contour's segment, so nothing is judged again.
//! From edges that are crossed a fill goes inward over edges that are not; what it meets is inside as a whole. Where
//! no crossing tells how often a surface winds round a vertex, a ray does ([`crate::containment`]).
//!
//! So the sums are those of the geometry after the infinitesimal shift by which [`crate::intersect`] breaks
//! ties: faces in one plane are no special case, and the volume is the true one, as it depends on the shift
//! continuously. Where a body's surface overlaps itself, a place counts as often as the surface winds round it: what is
//! returned is ∫ w_A w_B, and so is the volume whose gradient the contours are.
//!
//! **The error bound.** Let `u = 2⁻⁵³`. What is summed up is a closed surface of triangles with corners in `f64`: vertices,
//! which stand where they stand, and places x on edges, which two rounded sides F and T of the edge's ends give
//! (`x = p + (q − p) F/(F − T)`). Let these sides be off by at most `s` (`10u` of the sum of their products, and `4u` of
//! themselves where they were computed in longer numbers). Then x is
//!
//! - off the edge's line by at most `ρ = 8u (|p| + |q|)`,
//! - off its place along the edge by at most `δ = |q − p| min(1, s / (|F| + |T|)) + ρ`,
//! - off the plane of the triangle that is met by at most `η = min(s / |n|, δ) + ρ`, n being its normal.
//!
//! As the corners move from where they are to where they were computed, every polygon stays within the greatest η of its
//! corners from its plane. Measured from there, the volume that it sweeps is at most η times its area as seen along the
//! normal, and that of the ribbon which its border sweeps: of a triangle `c p q` of the fan `½ |p − c| |q − c|`, of a segment of
//! length l whose ends move by d together `½ d (l + d)`, which its two polygons share. The sum of these is doubled for all that is of
//! higher order. The products take `|(c − o)·a|/3` with 16 roundings of `|c − o| |p − c| |q − c|/6`, and the compensated sum
//! one of V.

mod facets;
mod fill;
mod hits;
mod labels;
mod measure;
mod overlaps;
mod place;
mod sums;
mod vertices;

#[cfg(test)]
mod tests;

pub use facets::{FacetScratch, InsideFacet};
pub use overlaps::{
    FilledOverlaps, InsideVertex, Overlap, OverlapScratch, OverlapSettings, Overlaps, overlaps,
};
