//! Every box against every other.

use impinge_broadphase::Pair;

use crate::boxes::Boxes;

/// All pairs, sorted, by testing each box against all that begin before it ends along the axis on
/// which the scene is longest.
pub fn brute_force(boxes: &Boxes) -> Vec<Pair> {
    let mut order: Vec<u32> = (0..boxes.boxes.len() as u32).collect();
    let at = |i: u32| &boxes.boxes[i as usize];
    let spread = |k: usize| {
        let ends = boxes.boxes.iter().map(|x| x.min[k]);
        ends.clone().fold(f32::MIN, f32::max) - ends.fold(f32::MAX, f32::min)
    };
    let axis = (1..3).fold(0, |best, k| if spread(k) > spread(best) { k } else { best });
    order.sort_by(|&i, &j| at(i).min[axis].total_cmp(&at(j).min[axis]));
    let mut pairs = Vec::new();
    for (k, &i) in order.iter().enumerate() {
        for &j in order[k + 1..].iter().take_while(|&&j| at(j).min[axis] <= at(i).max[axis]) {
            let allowed = boxes.filters[i as usize].allows(&boxes.filters[j as usize]);
            if at(i).overlaps(at(j)) && allowed {
                pairs.push(Pair::new(i, j));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}
