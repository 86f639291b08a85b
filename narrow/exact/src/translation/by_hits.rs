//! The first free shift of B where little more than what it is known to need frees it: asked of the places where it is held.
//!
//! Two triangles hold B during one interval of shifts. Where that begins before B could be free, B is held until it ends; and a
//! test there finds others that hold it, or that none does. A sweep asks of all that may be in the way how long it is; this only
//! of what is.

use impinge_geometry::{FacesRef, Side};
use nalgebra::Vector3;

use super::first_free::{Clearance, Last, exchanged, is_reversed, tolerance};
use super::triangles::{Swept, interval};
use crate::intersect::Surfaces;
use crate::offset_test::{Hindrance, OffsetTest};

/// So many places are asked; then a sweep is cheaper.
const MOST_HITS: u32 = 8;

/// So far beyond the end of what holds B (multiple of the tolerance) it is asked whether anything else does: just there the two
/// may still touch by rounding.
const BEYOND_END: f64 = 2.0;

/// As [`clearance`](super::clearance), from a shift `from` (m) before which B is known not to be free; `None` where the answer is not found so,
/// and of surfaces with virtual faces. `last`: triangles of A and of B that may be what B passes last, as they were when the bodies stood a
/// little elsewhere.
pub fn clearance_by_hits(
    surfaces: &Surfaces<'_>,
    direction: &Vector3<f64>,
    [from, bound]: [f64; 2],
    last: &[[u32; 2]],
    test: &mut OffsetTest,
) -> Option<Clearance> {
    if surfaces.meshes.iter().any(|mesh| mesh.has_virtual_faces()) {
        return None;
    }
    if is_reversed(surfaces) {
        let frame = surfaces.frame.swapped();
        let (swapped, last) = (exchanged(surfaces, &frame), last.iter().map(|&[a, b]| [b, a]));
        return ask(&swapped, &-direction, [from, bound], last, test).map(Clearance::exchanged);
    }
    ask(surfaces, direction, [from, bound], last.iter().copied(), test)
}

/// As [`clearance_by_hits`], of surfaces that are the right way round.
fn ask(
    surfaces: &Surfaces<'_>,
    direction: &Vector3<f64>,
    [from, bound]: [f64; 2],
    last: impl Iterator<Item = [u32; 2]>,
    test: &mut OffsetTest,
) -> Option<Clearance> {
    let tolerance = tolerance(surfaces);
    let (mut until, mut ends) = (from, None);
    for triangles in last.filter(|triangles| have(surfaces, *triangles)) {
        let _ = hold(surfaces, direction, triangles, tolerance, (from, &mut until, &mut ends));
    }
    for _ in 0..MOST_HITS {
        if until >= bound {
            return Some(Last::clearance(ends, surfaces, direction, until));
        }
        match test.hindrance(surfaces, &(direction * (until + BEYOND_END * tolerance))) {
            Hindrance::None => return Some(Last::clearance(ends, surfaces, direction, until)),
            Hindrance::Inside => return None,
            Hindrance::Touch(triangles) => {
                hold(surfaces, direction, triangles, tolerance, (from, &mut until, &mut ends))?
            }
        }
    }
    None
}

/// Whether these are triangles of two meshes that are still there; of other surfaces that is not known.
fn have(surfaces: &Surfaces<'_>, triangles: [u32; 2]) -> bool {
    let has = |(mesh, triangle): (FacesRef<'_>, u32)| matches!(mesh, FacesRef::Mesh(mesh) if mesh.has_triangle(triangle));
    surfaces.meshes.into_iter().zip(triangles).all(has)
}

/// Raises the shift `until` to where two triangles let B pass; `None` where they do not hold it there, or no more than graze it.
fn hold(
    surfaces: &Surfaces<'_>,
    direction: &Vector3<f64>,
    triangles: [u32; 2],
    tolerance: f64,
    (from, until, ends): (f64, &mut f64, &mut Option<Last>),
) -> Option<()> {
    let [a, b] = Side::BOTH.map(|side| {
        let number = triangles[side.index()];
        let corners = surfaces.meshes[side.index()].corners(number);
        Swept::new(number, corners.map(|p| surfaces.frame.place(side, &p)))
    });
    let own = interval([&a, &b], direction, *until, tolerance)?;
    // As the sweep has it: what begins to be in the way where it does is no more than touched there.
    let grazes = own.grazing || (own.begin - from).abs() <= tolerance;
    if grazes || own.begin > *until + tolerance {
        return None;
    }
    (*until, *ends) = (own.end, Some(Last { axis: own.axis, triangles }));
    Some(())
}
