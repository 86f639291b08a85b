//! Every box against every other.

use impinge_broadphase::{Filter, Pair};
use impinge_geometry::Aabb;

use super::Contender;
use crate::boxes::Boxes;

/// Who does it in every step.
pub struct Brute {
    boxes: Vec<Aabb>,
    filters: Vec<Filter>,
    pairs: Vec<Pair>,
}

impl Brute {
    pub fn new(boxes: &Boxes) -> Brute {
        Brute { boxes: boxes.boxes.clone(), filters: boxes.filters.clone(), pairs: Vec::new() }
    }
}

impl Contender for Brute {
    fn who(&self) -> &'static str {
        "brute"
    }

    fn step(&mut self, moved: &[(u32, Aabb)]) {
        moved.iter().for_each(|&(i, aabb)| self.boxes[i as usize] = aabb);
        self.pairs = all_pairs(&self.boxes, &self.filters);
    }

    fn pairs(&self) -> Option<Vec<Pair>> {
        Some(self.pairs.clone())
    }

    fn memory(&self) -> usize {
        size_of_val(&self.boxes[..]) + size_of_val(&self.filters[..]) + size_of_val(&self.pairs[..])
    }
}

/// All pairs, sorted, by testing each box against all that begin before it ends along the axis on
/// which the scene is longest.
pub fn brute_force(boxes: &Boxes) -> Vec<Pair> {
    all_pairs(&boxes.boxes, &boxes.filters)
}

fn all_pairs(boxes: &[Aabb], filters: &[Filter]) -> Vec<Pair> {
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    let at = |i: u32| &boxes[i as usize];
    let spread = |k: usize| {
        let ends = boxes.iter().map(|x| x.min[k]);
        ends.clone().fold(f32::MIN, f32::max) - ends.fold(f32::MAX, f32::min)
    };
    let axis = (1..3).fold(0, |best, k| if spread(k) > spread(best) { k } else { best });
    order.sort_by(|&i, &j| at(i).min[axis].total_cmp(&at(j).min[axis]));
    let mut pairs = Vec::new();
    for (k, &i) in order.iter().enumerate() {
        for &j in order[k + 1..].iter().take_while(|&&j| at(j).min[axis] <= at(i).max[axis]) {
            let allowed = filters[i as usize].allows(&filters[j as usize]);
            if at(i).overlaps(at(j)) && allowed {
                pairs.push(Pair::new(i, j));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}
