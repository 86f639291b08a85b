//! Which faces an image has.

/// Which faces are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Faces {
    /// All.
    #[default]
    Both,
    /// Those whose outward normal points against the view.
    Front,
    /// Those whose outward normal points along it.
    Back,
}

impl Faces {
    /// Whether a face is among them.
    #[inline]
    pub fn has(self, front: bool) -> bool {
        match self {
            Faces::Both => true,
            Faces::Front => front,
            Faces::Back => !front,
        }
    }
}

/// The greatest extent of a triangle across the view (sub-pixels) for which a device evaluates its plane in 32-bit
/// operations.
pub const FLAT_ACROSS: i64 = 1 << 14;
/// The same in depth (steps).
pub const FLAT_DEEP: i64 = 1 << 22;
