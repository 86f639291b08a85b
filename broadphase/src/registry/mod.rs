//! Colliders and their boxes: inserted, moved, disabled, removed.

pub(crate) mod boxes;
mod boxes_at_once;
pub(crate) mod disable;
pub(crate) mod insert_remove;
pub(crate) mod margin;
mod memory;
pub(crate) mod proxy;
mod scattered;
pub(crate) mod set_share;
