//! Our own broad phase.

use std::cell::RefCell;

use impinge_broadphase::{BroadPhase, BroadPhaseSettings, Margin, Pair};
use impinge_geometry::{Aabb, SimdLevel};

use super::Contender;
use crate::boxes::Boxes;

pub struct Ours {
    who: &'static str,
    /// The list of pairs is made when it is asked for.
    broad_phase: RefCell<BroadPhase>,
    /// Boxes set in the last step.
    set: usize,
}

impl Ours {
    pub fn new(who: &'static str, simd: SimdLevel, margin: Option<Margin>, boxes: &Boxes) -> Ours {
        let mut settings = BroadPhaseSettings::default();
        settings.simd = simd;
        settings.margin = margin;
        let mut broad_phase = BroadPhase::new(settings);
        let batch: Vec<_> =
            (0u32..).zip(&boxes.boxes).zip(&boxes.filters).map(|((i, b), f)| (i, *b, *f)).collect();
        broad_phase.insert(&batch).expect("the boxes of a scene are sound");
        broad_phase.update();
        Ours { who, broad_phase: RefCell::new(broad_phase), set: 0 }
    }
}

impl Contender for Ours {
    fn who(&self) -> &'static str {
        self.who
    }

    fn step(&mut self, moved: &[(u32, Aabb)]) {
        self.set = moved.len();
        let broad_phase = self.broad_phase.get_mut();
        broad_phase.set_aabbs(moved).expect("the boxes of a scene are sound");
        broad_phase.update();
    }

    fn pairs(&self) -> Option<Vec<Pair>> {
        Some(self.broad_phase.borrow_mut().pairs().to_vec())
    }

    fn is_exact(&self) -> bool {
        self.broad_phase.borrow().settings().margin.is_none()
    }

    fn memory(&self) -> usize {
        self.broad_phase.borrow().memory()
    }

    fn work(&self) -> u64 {
        let stats = self.broad_phase.borrow().stats();
        self.set as u64 + stats.moved as u64 + stats.members + stats.tests / 8
    }
}
