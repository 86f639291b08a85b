//! Articulated chains: links that joints carry, and how they move while all joints move evenly.

mod error;
mod joint;
mod link_path;
mod linkage;

#[cfg(test)]
mod tests;

pub use error::{LinkageError, MOST_JOINT_TURN};
pub use joint::{Joint, JointKind};
pub use link_path::LinkPath;
pub(super) use link_path::PlacedLink;
pub use linkage::Linkage;
