//! Self-collision by the order of front and back faces.
//!
//! Along a line through a sound body they alternate. Where a second front face comes before the back
//! face, the body is inside itself; where a back face comes first, it is inside out.

use super::volume::walk;
use super::{LayeredDepthImage, LdiError};

/// Shorter stretches than this (steps) are what rounding makes of faces at one depth.
const LEAST: u32 = 3;

/// A stretch of a line along which a body overlaps itself, or is inside out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfOverlap {
    /// The pixel of its row, and the row (rows go up).
    pub pixel: [u32; 2],
    /// Where it begins and ends (steps).
    pub depths: [u32; 2],
    /// How often the body is there: 2 or more, or below zero where it is inside out.
    pub times: i32,
    /// The triangles at which it begins and ends.
    pub triangles: [u32; 2],
}

/// What the order of faces says about a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SelfCollision {
    /// All stretches, pixel by pixel, in order of depth.
    pub stretches: Vec<SelfOverlap>,
    /// The volume that the body covers more than once (m³), counted once.
    pub overlap: f64,
    /// The volume in which it is inside out (m³).
    pub inside_out: f64,
}

impl SelfCollision {
    /// Whether faces are out of order anywhere.
    pub fn found(&self) -> bool {
        !self.stretches.is_empty()
    }
}

impl LayeredDepthImage {
    /// Where the body collides with itself. What is found is right for the surface with its vertices
    /// on the view's lattice: parts of it that are closer to each other than a sub-pixel may be found
    /// to overlap, and overlaps that no line meets are not found.
    ///
    /// # Errors
    /// [`LdiError::NotClosed`], [`LdiError::OneKindOfFaces`].
    pub fn self_collision(&self) -> Result<SelfCollision, LdiError> {
        let mut answer = SelfCollision::default();
        self.find_self_collision(&mut answer)?;
        Ok(answer)
    }

    /// As [`LayeredDepthImage::self_collision`], into the memory of an earlier answer.
    ///
    /// # Errors
    /// As [`LayeredDepthImage::self_collision`].
    pub fn find_self_collision(&self, answer: &mut SelfCollision) -> Result<(), LdiError> {
        self.solid("self-collision")?;
        answer.stretches.clear();
        let (mut over, mut under) = (0, 0);
        let width = self.view.pixels()[0];
        for pixel in 0..self.pixel_count() {
            let line = self.of_pixel(pixel);
            // The usual line: in and out by turns, at growing depths.
            let sound = line.iter().enumerate().all(|(k, c)| c.is_front() == (k % 2 == 0));
            if sound && line.windows(2).all(|w| w[0].depth() < w[1].depth()) {
                continue;
            }
            let place = [pixel as u32 % width, pixel as u32 / width];
            let mut open: Option<(u32, i32, u32)> = None;
            walk(line, &[], |depth, [times, _], [here, _]| {
                let triangle = here[0].triangle();
                if let Some((from, times, first)) = open.take().filter(|&(from, ..)| depth - from >= LEAST) {
                    let depths = [from, depth];
                    *(if times > 1 { &mut over } else { &mut under }) += u64::from(depth - from);
                    let triangles = [first, triangle];
                    answer.stretches.push(SelfOverlap { pixel: place, depths, times, triangles });
                }
                if !(0..=1).contains(&times) {
                    open = Some((depth, times, triangle));
                }
            });
        }
        let scale = self.view.step() * self.view.pixel_area();
        (answer.overlap, answer.inside_out) = (over as f64 * scale, under as f64 * scale);
        Ok(())
    }
}
