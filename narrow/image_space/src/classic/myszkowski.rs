//! K. Myszkowski, O. Okunev, T. Kunii, "Fast collision detection between complex solids using rasterizing graphics
//! hardware", 1995: the faces of two solids along a pixel as a sequence of bits.

use super::error::ClassicError;
use super::pair::PixelHits;
use crate::crossing::Crossing;
use crate::ldi::{LayeredDepthImage, LdiError};

/// Faces along a pixel for which there are bits.
pub const SEQUENCE_BITS: usize = 64;

/// Whether two closed bodies overlap, by the order of their faces along the pixels of two layered depth images in the same
/// view; the bodies may be concave.
///
/// Along every line the faces are put in order, and each shifts a register by one bit: colour = c + colour / 2, with
/// c = 0 for a face of A and c = 2^(k−1) for one of B. Bodies that are apart are entered and left by turns, so a run of
/// equal bits is even; an odd run is a collision. Faces of both bodies at one depth are ordered as if the bodies were
/// apart there: those that are left come before those that are entered, so bodies that only touch do not hit.
///
/// *May miss* an overlap that no pixel's centre meets, and one body's shell inside of a hollow that is itself a run of
/// even length: none for closed bodies, whose lines are entered as often as left. *False* hits: as for Shinya and Forgue,
/// and where a body overlaps itself.
///
/// # Errors
/// [`ClassicError::Layers`] where a pixel has more than [`SEQUENCE_BITS`] faces, and [`ClassicError::View`] for images that
/// do not share their view, of open bodies, or with one kind of faces.
pub fn myszkowski(a: &LayeredDepthImage, b: &LayeredDepthImage) -> Result<PixelHits, ClassicError> {
    const WHAT: &str = "the test of Myszkowski, Okunev and Kunii";
    for (body, image) in [a, b].into_iter().enumerate() {
        if !image.is_closed() {
            return Err(ClassicError::NotClosed { what: WHAT, body });
        }
    }
    if a.view() != b.view() {
        return Err(LdiError::ViewsDiffer.into());
    }
    if [a, b].iter().any(|image| image.faces() != crate::ldi::Faces::Both) {
        return Err(LdiError::OneKindOfFaces { what: WHAT }.into());
    }
    let [width, height] = a.view().pixels();
    let mut hits = PixelHits { passes: 1, ..PixelHits::default() };
    for (pixel, (x, y)) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).enumerate() {
        let lines = [a.line(x, y), b.line(x, y)];
        if lines.iter().any(|line| line.is_empty()) {
            continue;
        }
        if lines[0].len() + lines[1].len() > SEQUENCE_BITS {
            let body = usize::from(lines[1].len() > lines[0].len());
            return Err(ClassicError::Layers { body, pixel: [x, y], most: SEQUENCE_BITS });
        }
        let (bits, count) = sequence(lines);
        if has_odd_run(bits, count) {
            hits.pixels.push(pixel as u32);
        }
    }
    hits.hit = !hits.pixels.is_empty();
    Ok(hits)
}

/// The order of the faces of two lines, the first in the lowest bit: 0 for A, 1 for B; and their number.
fn sequence([a, b]: [&[Crossing]; 2]) -> (u64, u32) {
    let (mut i, mut j, mut bits, mut count) = (0, 0, 0u64, 0);
    while i < a.len() || j < b.len() {
        // Depth, then back faces before front faces.
        let key = |list: &[Crossing], k: usize| list.get(k).map(|c: &Crossing| (c.depth(), c.is_front()));
        let of_b = match (key(a, i), key(b, j)) {
            (Some(p), Some(q)) => q < p,
            (None, _) => true,
            (_, None) => false,
        };
        bits |= u64::from(of_b) << count;
        count += 1;
        *(if of_b { &mut j } else { &mut i }) += 1;
    }
    (bits, count)
}

/// Whether a run of equal bits has odd length.
fn has_odd_run(bits: u64, count: u32) -> bool {
    let mut at = 0;
    while at < count {
        let rest = bits >> at;
        let run = if rest & 1 == 1 { rest.trailing_ones() } else { rest.trailing_zeros() }.min(count - at);
        if run % 2 == 1 {
            return true;
        }
        at += run;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_the_slides_is_an_odd_run() {
        // B1 A1 A2 B2 B3 B4: a run of one B.
        assert!(has_odd_run(0b111001, 6));
        // A1 A2 B1 B2, and A alone.
        assert!(!has_odd_run(0b1100, 4) && !has_odd_run(0, 2) && !has_odd_run(u64::MAX, 64));
        assert!(has_odd_run(0b0110, 4));
    }
}
