//! Buffers of searches of a sheet.

use impinge_midphase::obb_tree::OwnBoxes;

use super::order::OrderScratch;
use super::point::{Share, SheetCounts};
use super::rows::FeatureRows;

/// Buffers of searches, to be used again.
#[derive(Clone, Debug, Default)]
pub struct SheetScratch {
    pub(super) leaf_pairs: Vec<[u32; 2]>,
    /// Of a sheet and itself: boxes, the pairs of leaves with the triangles that are near each other, and their features.
    pub(super) own_boxes: OwnBoxes,
    pub(super) own_pairs: Vec<([u32; 2], u32)>,
    pub(super) rows: FeatureRows,
    pub(super) order: OrderScratch,
    /// What shares of the leaf pairs have found, in their order.
    pub(super) shares: Vec<Share>,
    /// What the searches have cost.
    pub counts: SheetCounts,
}
