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

/// The exact pairs, sorted: all of them, or where that would take minutes those of every `stride`th box.
pub struct Truth {
    pub pairs: Vec<Pair>,
    pub stride: u32,
}

/// Above this many boxes only some are looked at.
const MOST: usize = 200_000;

impl Truth {
    pub fn new(boxes: &Boxes) -> Truth {
        let Boxes { boxes, filters, .. } = boxes;
        if boxes.len() <= MOST {
            return Truth { pairs: all_pairs(boxes, filters), stride: 1 };
        }
        let stride = (boxes.len() / 1000) as u32;
        let mut pairs = Vec::new();
        for i in (0..boxes.len()).step_by(stride as usize) {
            let others = (0..boxes.len()).filter(|&j| j != i && boxes[i].overlaps(&boxes[j]));
            let allowed = others.filter(|&j| filters[i].allows(&filters[j]));
            pairs.extend(allowed.map(|j| Pair::new(i as u32, j as u32)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        Truth { pairs, stride }
    }

    /// Of a sorted set: the true pairs that it misses, and the pairs that are none, as far as they are
    /// looked at.
    pub fn faults(&self, pairs: &[Pair]) -> [usize; 2] {
        let looked_at =
            |pair: &&Pair| pair.a.is_multiple_of(self.stride) || pair.b.is_multiple_of(self.stride);
        let missing = self.pairs.iter().filter(|pair| pairs.binary_search(pair).is_err()).count();
        let looked_at = pairs.iter().filter(looked_at);
        [missing, looked_at.filter(|pair| self.pairs.binary_search(pair).is_err()).count()]
    }
}

/// All pairs, sorted, by testing each box against all that begin before it ends along the axis on
/// which the scene is longest.
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
