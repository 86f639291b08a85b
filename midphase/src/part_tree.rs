//! The parts of a shape in a tree, so that two composites need not be compared part by part.

use impinge_geometry::SimdLevel;

use crate::ObbTree;
use crate::obb_tree::PlacedBox;

/// The boxes of a shape's parts, where they stand in its frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartTree {
    pub tree: ObbTree,
    /// The part of each leaf.
    pub parts: Vec<u32>,
    /// Half-spaces: parts without a box.
    pub boundless: Vec<u32>,
}

impl PartTree {
    /// A tree over the boxes of the parts, in their order; half-spaces have none.
    pub fn new(boxes: impl Iterator<Item = Option<PlacedBox>>, simd: SimdLevel) -> PartTree {
        let (mut bounded, mut found) = (PartTree::default(), Vec::new());
        for (part, placed) in (0..).zip(boxes) {
            match placed {
                Some(placed) => {
                    bounded.parts.push(part);
                    found.push(placed);
                }
                None => bounded.boundless.push(part),
            }
        }
        bounded.tree = ObbTree::of_boxes(&found);
        bounded.tree.set_simd(simd);
        bounded
    }

    /// Has the box of a shape's only part stand elsewhere.
    pub fn set_only(&mut self, placed: Option<PlacedBox>) {
        if let Some(placed) = placed {
            self.tree.set_only_box(&placed);
        }
    }
}
