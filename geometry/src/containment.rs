//! Whether one body is wholly inside another.

/// Whether one of two bodies is wholly inside the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Containment {
    /// Neither.
    #[default]
    None,
    /// A (or one of its connected components) is inside B.
    AInB,
    /// B (or one of its connected components) is inside A.
    BInA,
}
