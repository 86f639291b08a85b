//! What the cross-crate tests share: solids with known shapes, and oracles that are slow and right.
pub mod oracle;
pub mod solids;
