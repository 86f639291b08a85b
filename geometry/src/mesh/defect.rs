//! Defects of a mesh, each with its place.

use std::fmt;

/// Something about a mesh that a user should know. Indices are those of the caller's arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Defect {
    /// A triangle without area; it was passed over.
    Degenerate {
        /// The triangle.
        triangle: u32,
    },
    /// A triangle with the same three vertices as an earlier one; it was passed over.
    Duplicate {
        /// The triangle.
        triangle: u32,
        /// The earlier one.
        of: u32,
    },
    /// A triangle that was cut in two at a vertex on its edge, so that the surface closes without
    /// the degenerate triangle that lay there.
    Cut {
        /// The triangle.
        triangle: u32,
        /// The vertex.
        at: u32,
    },
    /// An edge with one face only.
    Boundary {
        /// Its vertices.
        vertices: [u32; 2],
        /// The face.
        triangle: u32,
    },
    /// An edge with three faces or more.
    NonManifold {
        /// Its vertices.
        vertices: [u32; 2],
        /// How many faces it has.
        faces: u32,
    },
    /// An edge whose two faces run along it in the same direction: one of them is turned.
    Turned {
        /// Its vertices.
        vertices: [u32; 2],
        /// The two faces.
        triangles: [u32; 2],
    },
    /// The closed surface pointed inward; every face was turned round.
    InsideOut,
    /// A closed shell of the surface pointed inward without lying inside another one; its faces
    /// were turned round.
    InsideOutShell {
        /// Its first triangle.
        triangle: u32,
        /// How many triangles it has.
        triangles: u32,
    },
}

impl Defect {
    /// Names triangles by `names` of those they have now.
    pub(super) fn rename_triangles(&mut self, names: &[u32]) {
        match self {
            Defect::Degenerate { triangle }
            | Defect::Cut { triangle, .. }
            | Defect::Boundary { triangle, .. }
            | Defect::InsideOutShell { triangle, .. } => *triangle = names[*triangle as usize],
            Defect::Duplicate { triangle: p, of: q } | Defect::Turned { triangles: [p, q], .. } => {
                *p = names[*p as usize];
                *q = names[*q as usize];
            }
            Defect::NonManifold { .. } | Defect::InsideOut => {}
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::Degenerate { triangle } => {
                write!(f, "triangle {triangle} has no area; it is passed over")
            }
            Defect::Duplicate { triangle, of } => {
                write!(f, "triangle {triangle} repeats triangle {of}; it is passed over")
            }
            Defect::Cut { triangle, at } => {
                write!(f, "triangle {triangle} is cut in two at vertex {at}, which lies on its edge")
            }
            Defect::Boundary { vertices: [p, q], triangle } => {
                write!(f, "edge {p}-{q} of triangle {triangle} has no second face")
            }
            Defect::NonManifold { vertices: [p, q], faces } => write!(f, "edge {p}-{q} has {faces} faces"),
            Defect::Turned { vertices: [p, q], triangles: [s, t] } => {
                write!(f, "edge {p}-{q}: triangles {s} and {t} point to opposite sides")
            }
            Defect::InsideOut => write!(f, "the closed surface pointed inward; every face was turned"),
            Defect::InsideOutShell { triangle, triangles } => write!(
                f,
                "the shell of {triangles} triangles around triangle {triangle} pointed inward; it was turned"
            ),
        }
    }
}

/// What was found when a mesh was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshReport {
    /// Every defect, in the order in which it was found.
    pub defects: Vec<Defect>,
}

impl MeshReport {
    /// How many defects satisfy `is`.
    pub fn count(&self, is: impl Fn(&Defect) -> bool) -> usize {
        self.defects.iter().filter(|d| is(d)).count()
    }
}
