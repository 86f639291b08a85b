//! Two triangles: do they touch, and along which segment do they cross?
//!
//! Each triangle cuts the line common to both planes in an interval whose ends are edges that cross
//! the other's plane; the ends are ordered by one orientation each (Guigue and Devillers, "Fast and
//! Robust Triangle-Triangle Overlap Test Using Orientation Predicates", 2003). Along
//! d = n_A × n_B, B's inside lies to the left in A's plane and A's outside to the left in B's: so
//! the line enters A's triangle where its boundary leaves B's inside, and B's triangle where its
//! boundary enters A's inside.

use impinge_geometry::predicate::{self, orient3d};

use super::placed::Face;
use super::shift::{Shift, sign};

/// How two faces meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// They share a point as they stand.
    pub touching: bool,
    /// The segment along which they cross after the infinitesimal shift.
    pub crossing: Option<Crossing>,
    /// Some sign was zero.
    pub degenerate: bool,
    /// Sides of A's corners to B's plane, and of B's to A's.
    pub sides: [[f64; 3]; 2],
}

/// The ends of a segment: from `start` to `end` along n_A × n_B.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub start: End,
    pub end: End,
}

/// An edge of a face.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// An edge of A's face meets B's.
    OfA(usize),
    /// An edge of B's face meets A's.
    OfB(usize),
}

#[inline]
fn one_sided(s: &[f64; 3]) -> bool {
    (s[0] > 0.0 && s[1] > 0.0 && s[2] > 0.0) || (s[0] < 0.0 && s[1] < 0.0 && s[2] < 0.0)
}

#[inline]
fn has_zero(s: &[f64; 3]) -> bool {
    s[0] == 0.0 || s[1] == 0.0 || s[2] == 0.0
}

#[inline]
fn signs(s: &[f64; 3]) -> [i8; 3] {
    [sign(s[0]), sign(s[1]), sign(s[2])]
}

/// Whether two faces have a corner in common, and so touch: the usual reason for a zero, and the
/// cheapest to see.
#[inline]
fn share_corner(a: &Face, b: &Face) -> bool {
    a.corners().iter().any(|p| b.corners().contains(p))
}

/// The sides of A's corners to B's plane and of B's to A's; `None` where the faces are seen to be apart.
#[inline]
pub(super) fn sides(a: &Face, b: &Face) -> Option<[[f64; 3]; 2]> {
    let of_b = b.corners().each_ref().map(|p| a.plane.side_filtered(p));
    if one_sided(&of_b) {
        return None;
    }
    let of_a = a.corners().each_ref().map(|p| b.plane.side_filtered(p));
    if one_sided(&of_a) {
        return None;
    }
    if has_zero(&of_a) || has_zero(&of_b) { exact_sides(a, b) } else { Some([of_a, of_b]) }
}

/// As [`sides`], where the filter cannot tell them all. Faces that lie (nearly) in one plane and are
/// apart are mostly parted in it.
#[cold]
fn exact_sides(a: &Face, b: &Face) -> Option<[[f64; 3]; 2]> {
    if !share_corner(a, b)
        && predicate::apart_in_projection(a.plane.normal().iamax(), a.corners(), b.corners())
    {
        return None;
    }
    let of_b = a.plane.sides(b.corners());
    if one_sided(&of_b) {
        return None;
    }
    let of_a = b.plane.sides(a.corners());
    if one_sided(&of_a) {
        return None;
    }
    Some([of_a, of_b])
}

/// The edges that go from below to above, and from above to below; `None` unless there are both.
#[inline]
fn rising_falling(signs: [i8; 3]) -> Option<[usize; 2]> {
    let find = |from: i8| (0..3).find(|&k| signs[k] == from && signs[(k + 1) % 3] == -from);
    Some([find(-1)?, find(1)?])
}

/// Whether two faces whose boxes meet share a point (exact).
pub(super) fn touches(a: &Face, b: &Face) -> bool {
    if share_corner(a, b) {
        return true;
    }
    let Some([of_a, of_b]) = sides(a, b) else { return false };
    if has_zero(&of_a) || has_zero(&of_b) {
        return predicate::triangles_touch(a.corners(), b.corners());
    }
    let (Some([a_in, a_out]), Some([b_out, b_in])) =
        (rising_falling(signs(&of_a)), rising_falling(signs(&of_b)))
    else {
        return false;
    };
    between(a, a_in, b, b_out) <= 0.0 && between(a, a_out, b, b_in) >= 0.0
}

/// How two faces do that reach each other's plane; `None` where they neither touch nor cross. `sides`
/// by [`sides`].
pub(super) fn meet([a, b]: [&Face; 2], sides: [[f64; 3]; 2], shift: &Shift) -> Option<Meeting> {
    let [of_a, of_b] = sides;
    let mut degenerate = has_zero(&of_a) || has_zero(&of_b);
    let (mut sign_a, mut sign_b) = (signs(&of_a), signs(&of_b));
    if degenerate {
        // A shift of B moves B's plane up by n · e, so that A's corners sink by as much.
        let (up_a, up_b) = (shift.along_normal(a.corners()), shift.along_normal(b.corners()));
        sign_a = sign_a.map(|s| if s == 0 { -up_b } else { s });
        sign_b = sign_b.map(|s| if s == 0 { up_a } else { s });
    }
    let crossing = match (rising_falling(sign_a), rising_falling(sign_b)) {
        (Some([a_in, a_out]), Some([b_out, b_in])) => {
            let mut order = |i: usize, j: usize| {
                let s = sign(between(a, i, b, j));
                if s != 0 {
                    return s;
                }
                degenerate = true;
                shift.along_cross(a.edge(i), b.edge(j))
            };
            if order(a_in, b_out) < 0 && order(a_out, b_in) > 0 {
                let start = if order(a_in, b_in) > 0 { End::OfB(b_in) } else { End::OfA(a_in) };
                let end = if order(a_out, b_out) > 0 { End::OfA(a_out) } else { End::OfB(b_out) };
                Some(Crossing { start, end })
            } else {
                None
            }
        }
        _ => None,
    };
    let touching = if degenerate {
        share_corner(a, b) || predicate::triangles_touch(a.corners(), b.corners())
    } else {
        crossing.is_some()
    };
    (touching || crossing.is_some()).then_some(Meeting { touching, crossing, degenerate, sides })
}

/// The order of two edges' crossings: for one that rises in A and one that falls in B (the line
/// enters both there), positive where A's comes first along n_A × n_B; each edge of the other kind
/// turns the sign.
#[inline]
fn between(a: &Face, i: usize, b: &Face, j: usize) -> f64 {
    let ([p, q], [r, s]) = (a.edge(i), b.edge(j));
    orient3d(p, q, r, s)
}
