//! Places and vectors across a normal.

/// A place, or a vector, across the normal (m).
pub(super) type At = [f64; 2];

/// The cross product of two vectors: positive where `b` turns left of `a`.
pub(super) fn cross(a: At, b: At) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// `a − b`.
pub(super) fn minus(a: At, b: At) -> At {
    [a[0] - b[0], a[1] - b[1]]
}

/// `a + s · d`.
pub(super) fn plus(a: At, d: At, s: f64) -> At {
    [a[0] + d[0] * s, a[1] + d[1] * s]
}

/// The length of a vector.
pub(super) fn length(a: At) -> f64 {
    a[0].hypot(a[1])
}
