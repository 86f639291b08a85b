//! The trees of surfaces of which nothing is stored.

use impinge_geometry::FacesRef;

use super::field::FieldNodes;
use super::leaf_triangles::LeafTriangles;
use super::level_set::LevelNodes;
use super::node::{Child, Node, OrientedBox};
use super::upright::Starts;

/// What fills nodes and leaves.
#[derive(Clone, Debug)]
pub(super) enum Computed {
    Field(FieldNodes),
    Levels(LevelNodes),
}

/// Asks whichever it is.
macro_rules! ask {
    ($of:expr, $nodes:ident => $question:expr) => {
        match $of {
            Computed::Field($nodes) => $question,
            Computed::Levels($nodes) => $question,
        }
    };
}

impl Computed {
    /// The triangles.
    pub fn faces(&self) -> FacesRef<'_> {
        ask!(self, nodes => nodes.faces())
    }

    /// All numbers of leaves are below this.
    pub fn leaf_bound(&self) -> u32 {
        ask!(self, nodes => nodes.leaf_bound())
    }

    pub fn triangle_bound(&self) -> u32 {
        ask!(self, nodes => nodes.triangle_bound())
    }

    /// The box of everything.
    pub fn whole(&self) -> OrientedBox {
        ask!(self, nodes => nodes.whole())
    }

    /// Fills a node.
    pub fn fill(&self, index: u32, node: &mut Node) {
        ask!(self, nodes => nodes.fill(index, node));
    }

    /// The box at a place.
    pub fn box_at(&self, place: u32) -> OrientedBox {
        ask!(self, nodes => nodes.box_at(place))
    }

    /// What stands below a place.
    pub fn below(&self, place: u32) -> Child {
        ask!(self, nodes => nodes.below(place))
    }

    /// The triangles of a leaf.
    pub fn triangles(&self, leaf: u32) -> LeafTriangles<'static> {
        ask!(self, nodes => nodes.triangles(leaf))
    }

    /// The boxes that hold everything between two corners (m).
    pub fn starts(&self, low: [f64; 3], high: [f64; 3]) -> Starts {
        ask!(self, nodes => nodes.starts(low, high))
    }
}
