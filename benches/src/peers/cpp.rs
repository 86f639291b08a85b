//! The broad phases of FCL and Bullet.

use impinge_broadphase::Pair;
use impinge_geometry::Aabb;

use super::Contender;
use crate::boxes::Boxes;
use crate::cpp::{BulletBoxes, BulletKind, FclBoxes};

/// FCL's dynamic tree, traversed against itself in full each step.
pub struct Fcl(FclBoxes);

impl Fcl {
    pub fn new(boxes: &Boxes) -> Fcl {
        Fcl(FclBoxes::new(&boxes.boxes))
    }
}

impl Contender for Fcl {
    fn who(&self) -> &'static str {
        "fcl"
    }

    fn step(&mut self, moved: &[(u32, Aabb)]) {
        self.0.step(moved);
    }

    fn pairs(&self) -> Option<Vec<Pair>> {
        Some(sorted(self.0.pairs.iter()))
    }

    fn memory(&self) -> usize {
        0
    }
}

/// Bullet's broad phases, which keep a set of pairs.
pub struct Bullet {
    kind: BulletKind,
    boxes: BulletBoxes,
}

impl Bullet {
    pub fn new(kind: BulletKind, boxes: &Boxes) -> Bullet {
        // Boxes turn round at the borders of their space, and those that jump stay in it.
        let all = boxes.boxes.iter().fold(Aabb { min: [f32::MAX; 3], max: [f32::MIN; 3] }, |all, x| Aabb {
            min: std::array::from_fn(|k| all.min[k].min(x.min[k])),
            max: std::array::from_fn(|k| all.max[k].max(x.max[k])),
        });
        let space = Aabb { min: all.min.map(|x| x - 50.0), max: all.max.map(|x| x + 50.0) };
        Bullet { kind, boxes: BulletBoxes::new(kind, &boxes.boxes, &space) }
    }
}

impl Contender for Bullet {
    fn who(&self) -> &'static str {
        match self.kind {
            BulletKind::DynamicTree => "bullet-dbvt",
            BulletKind::Sweep => "bullet-sap",
        }
    }

    fn step(&mut self, moved: &[(u32, Aabb)]) {
        self.boxes.step(moved);
    }

    fn pairs(&self) -> Option<Vec<Pair>> {
        Some(sorted(self.boxes.pairs().iter()))
    }

    fn memory(&self) -> usize {
        0
    }
}

fn sorted<'a>(pairs: impl Iterator<Item = &'a [u32; 2]>) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = pairs.map(|&[x, y]| Pair::new(x, y)).collect();
    pairs.sort_unstable();
    pairs
}
