//! Names of things that a world holds.

use std::fmt;

/// The name of a collider, given by the world that holds it. A name is never given twice: when a
/// slot is used again its generation has grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColliderId {
    /// The slot; stages name colliders by it within a step.
    pub index: u32,
    /// How many colliders the slot has held before.
    pub generation: u32,
}

impl fmt::Display for ColliderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "collider {}.{}", self.index, self.generation)
    }
}

/// The name of a part, several colliders that move as one, given by the world that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId {
    /// The slot.
    pub index: u32,
    /// How many parts the slot has held before.
    pub generation: u32,
}

impl fmt::Display for PartId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "part {}.{}", self.index, self.generation)
    }
}

/// The name of a shape, given by the world that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeId {
    /// The slot.
    pub index: u32,
    /// How many shapes the slot has held before.
    pub generation: u32,
}

impl fmt::Display for ShapeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shape {}.{}", self.index, self.generation)
    }
}
