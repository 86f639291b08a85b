//! Our own broad phase.

use std::cell::RefCell;

use impinge_broadphase::{BroadPhase, BroadPhaseSettings, Pair, Simd};
use impinge_geometry::Aabb;

use super::Contender;
use crate::boxes::Boxes;

pub struct Ours {
    who: &'static str,
    /// The list of pairs is made when it is asked for.
    broad_phase: RefCell<BroadPhase>,
}

impl Ours {
    pub fn new(who: &'static str, simd: Simd, boxes: &Boxes) -> Ours {
        let mut settings = BroadPhaseSettings::default();
        settings.simd = simd;
        let mut broad_phase = BroadPhase::new(settings);
        let batch: Vec<_> =
            (0u32..).zip(&boxes.boxes).zip(&boxes.filters).map(|((i, b), f)| (i, *b, *f)).collect();
        broad_phase.insert(&batch).expect("the boxes of a scene are sound");
        broad_phase.update();
        Ours { who, broad_phase: RefCell::new(broad_phase) }
    }
}

impl Contender for Ours {
    fn who(&self) -> &'static str {
        self.who
    }

    fn step(&mut self, moved: &[(u32, Aabb)]) {
        let broad_phase = self.broad_phase.get_mut();
        broad_phase.set_aabbs(moved).expect("the boxes of a scene are sound");
        broad_phase.update();
    }

    fn pairs(&self) -> Option<Vec<Pair>> {
        Some(self.broad_phase.borrow_mut().pairs().to_vec())
    }

    fn memory(&self) -> usize {
        self.broad_phase.borrow().memory()
    }
}
