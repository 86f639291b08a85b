//! Splitting leaves of few large triangles, whose box holds much that is near none of them.
//!
//! Leaves are full because a test of four triangles costs as much as one of one. Where the four are
//! two of a floor and two of a wall, though, their box holds the room before them, and whatever stands
//! there reaches all their pairs. So a leaf is split where its triangles, each in a box of its own, leave
//! less than half the room to a body of some thickness.

use super::build::{BuildSettings, Prim};
use super::node::WIDTH;
use super::split::TrianglePart;
use super::{GONE, LEAF_TRIANGLES};

/// Splits those of `parts` that are loose leaves, as long as a node has room. `prims` are the triangles of
/// all parts.
pub(super) fn split_loose(prims: &mut [Prim], parts: &mut Vec<TrianglePart>, settings: &BuildSettings) {
    let start = parts[0].start;
    let mut at = 0;
    while at < parts.len() && parts.len() < WIDTH {
        let part = &parts[at];
        let own = &mut prims[(part.start - start) as usize..(part.end - start) as usize];
        match halves(own, part, settings) {
            Some((left, right)) => {
                parts[at] = left;
                parts.insert(at + 1, right);
            }
            None => at += 1,
        }
    }
}

/// The two parts of a loose leaf. Any other part stays as it is, and so do its triangles.
fn halves(
    prims: &mut [Prim],
    part: &TrianglePart,
    settings: &BuildSettings,
) -> Option<(TrianglePart, TrianglePart)> {
    let count = prims.len();
    if !(2..=LEAF_TRIANGLES).contains(&count) || !part.may_be_loose() {
        return None;
    }
    let room = |one: &Prim| TrianglePart::measure(&mut [*one], 0, settings).room();
    let apart: f32 = prims.iter().map(room).sum();
    if apart > 0.5 * part.room() {
        return None;
    }
    // All ways to split so few; the first triangle is in the left part.
    let mut best = (f32::INFINITY, 1, 1);
    for left in (1..(1u32 << count) - 1).step_by(2) {
        let (mut tried, middle) = divided(prims, left);
        let (l, r) = tried[..count].split_at_mut(middle);
        let sum = [l, r].map(|own| TrianglePart::measure(own, 0, settings).room()).iter().sum();
        if sum < best.0 {
            best = (sum, left, middle);
        }
    }
    let (_, left, middle) = best;
    prims.copy_from_slice(&divided(prims, left).0[..count]);
    let (l, r) = prims.split_at_mut(middle);
    let right = TrianglePart::measure(r, part.start + middle as u32, settings);
    Some((TrianglePart::measure(l, part.start, settings), right))
}

/// The triangles of which `left` has the bit, then the others, in their order; and where those begin.
fn divided(prims: &[Prim], left: u32) -> ([Prim; LEAF_TRIANGLES], usize) {
    let mut out = [Prim { corners: [[0.0; 3]; 3], id: GONE, bounds: [0.0; 6] }; LEAF_TRIANGLES];
    let middle = left.count_ones() as usize;
    let (mut l, mut r) = (0, middle);
    for (k, prim) in prims.iter().enumerate() {
        let to = if left >> k & 1 == 1 { &mut l } else { &mut r };
        out[*to] = *prim;
        *to += 1;
    }
    (out, middle)
}
