//! The trees of surfaces of which nothing is stored.

use std::sync::Arc;

use impinge_geometry::{FacesRef, HeightField, LevelSet};

use super::descent_counts::DescentCounts;
use super::field::{FieldNodes, Layer};
use super::kept::{self, KeptLeaf, Stamp};
use super::leaf_triangles::LeafTriangles;
use super::level_set::LevelNodes;
use super::node::{Child, Node, OrientedBox, WIDTH};
use super::upright::{Along, Roots, Starts};

/// Fills nodes and leaves, and knows which were filled last.
#[derive(Clone, Debug)]
pub(super) struct Computed {
    nodes: Nodes,
    stamp: Stamp,
    /// The box of everything.
    whole: OrientedBox,
}

/// What fills nodes and leaves.
#[derive(Clone, Debug)]
enum Nodes {
    Field(FieldNodes),
    Levels(LevelNodes),
}

/// Asks whichever it is.
macro_rules! ask {
    ($of:expr, $nodes:ident => $question:expr) => {
        match &$of.nodes {
            Nodes::Field($nodes) => $question,
            Nodes::Levels($nodes) => $question,
        }
    };
}

impl Computed {
    /// The tree of a height field.
    pub fn field(field: Arc<HeightField>) -> Computed {
        let nodes = FieldNodes::new(field);
        Computed { whole: nodes.whole(), nodes: Nodes::Field(nodes), stamp: Stamp::new() }
    }

    /// The tree of a level set.
    pub fn levels(levels: Arc<LevelSet>) -> Computed {
        let nodes = LevelNodes::new(levels);
        Computed { whole: nodes.whole(), nodes: Nodes::Levels(nodes), stamp: Stamp::new() }
    }

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
        self.whole
    }

    /// Fills a node, whose axes are upright already.
    pub fn fill(&self, index: u32, node: &mut Node) {
        kept::node(self.stamp, index, node, |node| ask!(self, nodes => nodes.fill(index, node)));
    }

    /// The box at a place.
    pub fn box_at(&self, place: u32) -> OrientedBox {
        if place < WIDTH as u32 {
            return self.whole;
        }
        kept::at_place(self.stamp, place)
            .map_or_else(|| ask!(self, nodes => nodes.box_at(place)), |(found, _)| found)
    }

    /// What stands below a place.
    pub fn below(&self, place: u32) -> Child {
        kept::at_place(self.stamp, place)
            .map_or_else(|| ask!(self, nodes => nodes.below(place)), |(_, below)| below)
    }

    /// The triangles of a leaf.
    pub fn triangles(&self, leaf: u32) -> LeafTriangles<'static> {
        kept::triangles(self.stamp, leaf).unwrap_or_else(|| ask!(self, nodes => nodes.triangles(leaf)))
    }

    /// A leaf, for `look` to read; `fill` writes the rows of its triangles, and where they are, if they are not kept.
    pub fn leaf<T>(
        &self,
        leaf: u32,
        fill: impl FnOnce(&mut KeptLeaf),
        look: impl FnOnce(&KeptLeaf) -> T,
    ) -> T {
        let fill = |kept: &mut KeptLeaf| {
            kept.triangles = ask!(self, nodes => nodes.triangles(leaf));
            fill(kept);
        };
        kept::leaf(self.stamp, leaf, fill, look)
    }

    /// The boxes that hold everything between two corners (m).
    pub fn starts(&self, low: [f64; 3], high: [f64; 3]) -> Starts {
        ask!(self, nodes => nodes.starts(low, high))
    }

    /// The nodes that hold everything that a box meets on its way, in the order of the tree.
    pub fn starts_along(&self, way: &Along) -> Roots {
        match &self.nodes {
            Nodes::Field(nodes) => nodes.starts_along(way, &Layer::ALL),
            Nodes::Levels(nodes) => nodes.all(),
        }
    }

    /// Has `visit` look at the triangles that a ray may hit of what needs no tree to be found, and gives the nodes that hold the rest. `visit` gives
    /// the time from which on nothing matters, and so does this.
    pub fn ray(&self, way: &Along, visit: &mut impl FnMut(u32) -> f64) -> (Roots, f64, DescentCounts) {
        match &self.nodes {
            Nodes::Field(nodes) => {
                let (until, counts) = nodes.along_terrain(way, visit);
                let rest = nodes.starts_along(&Along { until, ..*way }, &[Layer::Bottom, Layer::Walls]);
                (rest, until, counts)
            }
            Nodes::Levels(nodes) => {
                let (until, counts) = nodes.along_surface(way, visit);
                (Roots::NONE, until, counts)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use impinge_geometry::{HeightFieldSettings, LevelSetSettings};

    use super::super::LeafRoom;
    use super::super::ObbTree;
    use super::super::node::Below;
    use super::*;

    fn field(seed: u32) -> ObbTree {
        let height = |k: u32| (((k + seed).wrapping_mul(2_654_435_761) >> 20) as f32 - 2048.0) * 1e-3;
        let heights = (0..40 * 30).map(height).collect();
        let settings = HeightFieldSettings { bottom: Some(-5.0), ..HeightFieldSettings::default() };
        ObbTree::of_field(Arc::new(HeightField::new([40, 30], heights, &settings).unwrap()))
    }

    fn levels(radius: f64) -> ObbTree {
        let places = (0..17u32.pow(3)).map(|k| [k % 17, k / 17 % 17, k / 289]);
        let value = |at: [u32; 3]| {
            (at.iter().map(|&n| (0.25 * f64::from(n) - 2.0).powi(2)).sum::<f64>().sqrt() - radius) as f32
        };
        let made = LevelSet::new([17; 3], places.map(value).collect(), &LevelSetSettings::default());
        ObbTree::of_levels(Arc::new(made.unwrap()))
    }

    /// Nodes and leaves of several trees of the same numbers, searched in turn, are what each fills by itself.
    #[test]
    fn what_is_kept_is_what_would_be_filled() {
        let trees = [field(1), field(7), levels(1.3), levels(1.1), field(1)];
        let mut open: Vec<(usize, u32)> = (0..trees.len()).map(|k| (k, 0)).collect();
        let (mut nodes, mut leaves) = (0, 0);
        while let Some((k, index)) = open.pop() {
            // Other trees' nodes come between.
            let last = open.len().min(1);
            open.rotate_right(last);
            let computed = trees[k].computed.as_ref().unwrap();
            let mut due = Node::UPRIGHT;
            ask!(computed, own => own.fill(index, &mut due));
            for _ in 0..2 {
                let mut found = Node::UPRIGHT;
                computed.fill(index, &mut found);
                assert_eq!(found.child, due.child);
                for lane in 0..due.len() {
                    let place = index * WIDTH as u32 + lane as u32;
                    assert_eq!(found.get(lane), due.get(lane));
                    assert_eq!(computed.box_at(place), due.get(lane));
                    assert_eq!(computed.below(place), due.child[lane]);
                }
            }
            nodes += 1;
            for child in due.child {
                match child.below() {
                    Below::Node(below) => open.push((k, below)),
                    Below::Leaf(leaf) => {
                        let due = ask!(computed, own => own.triangles(leaf));
                        for _ in 0..2 {
                            let mut room = LeafRoom::NEW;
                            let rows = trees[k].leaf_rows(leaf, &mut room);
                            assert_eq!(rows.count(), due.len());
                            for (lane, &triangle) in due.iter().enumerate() {
                                for (corner, p) in computed.faces().corners(triangle).iter().enumerate() {
                                    for axis in 0..3 {
                                        let exact = f64::from(p[axis]) - f64::from(rows.origin[axis]);
                                        assert_eq!(rows.corners()[corner][axis][lane], exact as f32);
                                    }
                                }
                            }
                            assert_eq!(*trees[k].leaf_triangles(leaf), *due);
                        }
                        leaves += 1;
                    }
                    Below::None => {}
                }
            }
        }
        assert!(nodes > 500 && leaves > 3000, "{nodes} {leaves}");
    }
}
