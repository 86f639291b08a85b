//! Those who do the same work.

mod brute;
#[cfg(feature = "peers-cpp")]
mod cpp;
mod ours;
mod parry;
#[cfg(feature = "rapier")]
mod rapier;

use impinge_broadphase::{Margin, Pair};
use impinge_geometry::SimdLevel;

use crate::boxes::Boxes;

pub use brute::Truth;

/// One who finds pairs of moving boxes.
pub trait Contender {
    /// The name in the rows.
    fn who(&self) -> &'static str;
    /// Takes in the boxes that moved and finds the pairs that follow.
    fn step(&mut self, moved: &[(u32, impinge_geometry::Aabb)]);
    /// The pairs held, sorted; `None` where only changes are reported.
    fn pairs(&self) -> Option<Vec<Pair>>;
    /// Whether the pairs are those of the boxes as they are, and no more.
    fn is_exact(&self) -> bool {
        false
    }
    /// Bytes held; 0 where it is not known.
    fn memory(&self) -> usize;
    /// What the last step did, in units of its own; 0 where it is not known.
    fn work(&self) -> u64 {
        0
    }
}

/// From this many boxes on, only those stand in a scene who take less than a second for a step.
const MANY: usize = 500_000;
/// Up to this many, brute force stands in it too.
const FEW: usize = 30_000;

/// The names of all contenders in this build for a scene of so many boxes, but for `bullet-sap`, which
/// takes minutes to take in 100,000 boxes and has to be asked for where there are more than a few.
pub fn names(boxes: usize) -> Vec<&'static str> {
    let mut names = vec!["impinge", "impinge-sse2", "impinge-fat", "impinge-fat-sse2", "parry", "parry-fat"];
    if cfg!(feature = "rapier") && boxes < MANY {
        names.push("rapier");
    }
    if cfg!(feature = "peers-cpp") && boxes < MANY {
        names.extend(["fcl", "bullet-dbvt"]);
    }
    if cfg!(feature = "peers-cpp") && boxes <= FEW {
        names.push("bullet-sap");
    }
    if boxes <= FEW {
        names.push("brute");
    }
    names
}

/// A contender with the boxes in it and the first pairs found; `None` for a name that is not known.
pub fn make(name: &str, boxes: &Boxes) -> Option<Box<dyn Contender>> {
    Some(match name {
        "impinge" => Box::new(ours::Ours::new("impinge", SimdLevel::detect(), None, boxes)),
        "impinge-sse2" => Box::new(ours::Ours::new("impinge-sse2", SimdLevel::Sse2, None, boxes)),
        "impinge-fat" => {
            Box::new(ours::Ours::new("impinge-fat", SimdLevel::detect(), Some(Margin::metres(0.05)), boxes))
        }
        "impinge-fat-sse2" => {
            Box::new(ours::Ours::new("impinge-fat-sse2", SimdLevel::Sse2, Some(Margin::metres(0.05)), boxes))
        }
        #[cfg(feature = "rapier")]
        "rapier" => Box::new(rapier::Rapier::new(boxes)),
        "brute" => Box::new(brute::Brute::new(boxes)),
        "parry" => Box::new(parry::Parry::new(boxes, 0.0)),
        "parry-fat" => Box::new(parry::Parry::new(boxes, 0.05)),
        #[cfg(feature = "peers-cpp")]
        "fcl" => Box::new(cpp::Fcl::new(boxes)),
        #[cfg(feature = "peers-cpp")]
        "bullet-dbvt" => Box::new(cpp::Bullet::new(crate::cpp::BulletKind::DynamicTree, boxes)),
        #[cfg(feature = "peers-cpp")]
        "bullet-sap" => Box::new(cpp::Bullet::new(crate::cpp::BulletKind::Sweep, boxes)),
        _ => return None,
    })
}
