//! Which overlaps the ends of a column belong to.
//!
//! A view of one contact may show another beside it: the two flanks of a thread are a pixel apart, and where a coarse
//! lattice joins them, the columns of the other flank run along its surfaces, not through them. They are told by the
//! triangles at their ends.

use impinge_exact::Refilled;
use impinge_geometry::{FacesRef, Side};
use impinge_image_space::intervals::OverlapInterval;

use super::intersection::SurfaceIntersection;

/// For each triangle that a contour crosses, the overlaps (by the least contour of each) that it has a share of.
#[derive(Debug, Default)]
pub(crate) struct OverlapOwners {
    /// For each side: triangles with overlaps, rising; gathered at the first use.
    crossed: Refilled<[Vec<(u32, u32)>; 2]>,
}

impl OverlapOwners {
    /// Begins a pair.
    pub fn begin(&mut self) {
        self.crossed.reset();
    }

    /// Whether both ends of a column are known to belong to other overlaps than these (rising).
    pub fn is_foreign(
        &mut self,
        meshes: [FacesRef<'_>; 2],
        intersection: &SurfaceIntersection<'_>,
        own: &[u32],
        column: &OverlapInterval,
    ) -> bool {
        let crossed = self.crossed.get_or_fill(|out| gather(intersection, out));
        let [a, b] = &column.solid;
        let first = if a.open >= b.open { (Side::A, a.open_triangle) } else { (Side::B, b.open_triangle) };
        let last = if a.close <= b.close { (Side::A, a.close_triangle) } else { (Side::B, b.close_triangle) };
        [first, last].into_iter().all(|(side, triangle)| {
            let (mut any, mut all_others) = (false, true);
            let crossed = &crossed[side.index()];
            each_overlap((meshes[side.index()], crossed), intersection, (side, triangle), |overlap| {
                any = true;
                all_others &= own.binary_search(&overlap).is_err();
            });
            any && all_others
        })
    }
}

/// Gathers the triangles of each side that contours cross, with the overlaps of these contours.
fn gather(intersection: &SurfaceIntersection<'_>, crossed: &mut [Vec<(u32, u32)>; 2]) {
    crossed.iter_mut().for_each(Vec::clear);
    for (index, contour) in intersection.contours.loops.iter().enumerate() {
        let overlap = intersection.interior.of(index as u32);
        for segment in intersection.contours.segments(contour, intersection.found) {
            for (list, triangle) in crossed.iter_mut().zip(segment.triangles) {
                list.push((triangle, overlap));
            }
        }
    }
    for list in crossed {
        list.sort_unstable();
        list.dedup();
    }
}

/// Calls `f` with the overlaps that a triangle has a share of: those whose contours cross it, and
/// those that its corners are in.
fn each_overlap(
    (mesh, crossed): (FacesRef<'_>, &[(u32, u32)]),
    intersection: &SurfaceIntersection<'_>,
    (side, triangle): (Side, u32),
    mut f: impl FnMut(u32),
) {
    if !mesh.has_triangle(triangle) {
        return;
    }
    let corners = mesh.vertices_of(triangle);
    let from = crossed.partition_point(|(other, _)| *other < triangle);
    crossed[from..].iter().take_while(|(other, _)| *other == triangle).for_each(|(_, overlap)| f(*overlap));
    for corner in corners {
        if let Some(overlap) = intersection.interior.overlap_of_vertex(side, corner) {
            f(overlap);
        }
    }
}
