//! What was done to close a surface.

use std::fmt;

/// Something that was done to close a surface. Indices are those of the caller's arrays, after vertices
/// at equal places have become one.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Repair {
    /// A vertex became another one.
    Merged {
        /// The vertex.
        vertex: u32,
        /// The one that stands for it.
        into: u32,
        /// How far apart they were (m).
        distance: f64,
    },
    /// A triangle was cut in two at a vertex on its edge: a T-junction.
    Stitched {
        /// The triangle.
        triangle: u32,
        /// The vertex.
        at: u32,
        /// How far from the edge the vertex was (m).
        distance: f64,
    },
    /// A triangle had no area, or lost it when vertices were merged; it was dropped.
    Degenerate {
        /// The triangle.
        triangle: u32,
    },
    /// A triangle with the corners of an earlier one was dropped.
    Duplicate {
        /// The triangle.
        triangle: u32,
        /// The earlier one.
        of: u32,
    },
    /// A triangle repeats another one, and both stay: two closed parts share it. One of them has
    /// got vertices of its own.
    Separated {
        /// The triangle.
        triangle: u32,
        /// The one with the same corners.
        of: u32,
    },
    /// Loose triangles beside a solid stay as a sheet: each has got a back, and they bound nothing.
    Sheet {
        /// The first of them.
        triangle: u32,
        /// The number of them.
        triangles: u32,
    },
    /// Of two triangles back to back one was dropped.
    Back {
        /// The triangle.
        triangle: u32,
        /// The one that stays.
        of: u32,
    },
    /// Triangles that pointed to the other side than their neighbours were turned round.
    Turned {
        /// The first of them.
        triangle: u32,
        /// How many.
        triangles: u32,
    },
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repair::Merged { vertex, into, distance } => {
                write!(f, "vertex {vertex} became vertex {into}, {distance:.1e} m away")
            }
            Repair::Stitched { triangle, at, distance } => {
                write!(f, "triangle {triangle} was cut at vertex {at}, {distance:.1e} m from its edge")
            }
            Repair::Degenerate { triangle } => write!(f, "triangle {triangle} without area was dropped"),
            Repair::Duplicate { triangle, of } => {
                write!(f, "triangle {triangle}, which repeats triangle {of}, was dropped")
            }
            Repair::Separated { triangle, of } => {
                write!(
                    f,
                    "triangle {triangle}, which repeats triangle {of}, belongs to another closed part; both stay"
                )
            }
            Repair::Sheet { triangle, triangles } => write!(
                f,
                "the loose surface of {triangles} triangles at triangle {triangle} bounds nothing; it stays as a sheet"
            ),
            Repair::Back { triangle, of } => {
                write!(f, "triangle {triangle}, back to back with triangle {of}, was dropped")
            }
            Repair::Turned { triangle, triangles } => write!(
                f,
                "{triangles} triangles around triangle {triangle} pointed to the other side than their neighbours; they were turned"
            ),
        }
    }
}

/// A hole of a surface: a closed path along edges that have a face on one side alone.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hole {
    /// One of its vertices.
    pub vertex: u32,
    /// How many edges its rim has.
    pub edges: u32,
    /// The diagonal of its rim's box (m).
    pub size: f64,
    /// The same as a part of the diagonal of the box of the connected surface around it: the least
    /// `close_holes` that closes it.
    pub part: f64,
}

impl fmt::Display for Hole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Hole { vertex, edges, size, part } = self;
        write!(f, "hole of {edges} edges at vertex {vertex}, {size:.3e} m across ({part:.3} of the surface)")
    }
}

/// What was done to close a surface, see [`TriMesh::repaired`](crate::TriMesh::repaired).
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repairs {
    /// Every repair, in the order in which it was done. Empty where nothing was, or where it was of no
    /// use.
    pub done: Vec<Repair>,
    /// No place of the surface moved farther than this (m).
    pub moved: f64,
    /// The last decimal (m) of the text that the coordinates come from, if the surface closes by it
    /// and not without it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub decimal: Option<f64>,
    /// The most that a coordinate of the file moved when it became `f32` (m); 0 for a mesh of
    /// arrays.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rounding: f64,
    /// Its holes: closed with virtual faces if the mesh is closed, else what keeps it open.
    pub holes: Vec<Hole>,
}

impl Repairs {
    /// Whether nothing was done.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty() && self.holes.is_empty()
    }

    /// Multiplies all lengths.
    pub(in crate::mesh) fn scale(&mut self, factor: f64) {
        self.moved *= factor;
        self.rounding *= factor;
        self.decimal = self.decimal.map(|step| step * factor);
        self.holes.iter_mut().for_each(|hole| hole.size *= factor);
        for repair in &mut self.done {
            match repair {
                Repair::Merged { distance, .. } | Repair::Stitched { distance, .. } => *distance *= factor,
                Repair::Degenerate { .. }
                | Repair::Duplicate { .. }
                | Repair::Separated { .. }
                | Repair::Sheet { .. }
                | Repair::Back { .. }
                | Repair::Turned { .. } => {}
            }
        }
    }
}
