//! Both, either, one without the other: bodies combined along lines.

use super::volume::walk;
use super::{Crossing, LayeredDepthImage, LdiError};

/// How two bodies are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Boolean {
    /// What is in both.
    And,
    /// What is in either.
    Or,
    /// What is in the first and not in the second.
    Minus,
}

impl Boolean {
    /// All of them.
    pub const ALL: [Boolean; 3] = [Boolean::And, Boolean::Or, Boolean::Minus];

    /// Whether a place belongs to the result.
    #[inline]
    pub fn of(self, a: bool, b: bool) -> bool {
        match self {
            Boolean::And => a && b,
            Boolean::Or => a || b,
            Boolean::Minus => a && !b,
        }
    }
}

impl LayeredDepthImage {
    /// The image of this body combined with another, captured in the same view: its lines are entered
    /// and left by turns. Each crossing says on which body's triangle it lies
    /// ([`Crossing::body`]). What has no length along a line is left out, so bodies that
    /// only touch have nothing in both.
    ///
    /// # Errors
    /// [`LdiError::ViewsDiffer`], [`LdiError::NotClosed`], [`LdiError::OneKindOfFaces`].
    pub fn combined(
        &self,
        boolean: Boolean,
        other: &LayeredDepthImage,
    ) -> Result<LayeredDepthImage, LdiError> {
        let mut image = LayeredDepthImage::new(self.view);
        image.combine(boolean, self, other)?;
        Ok(image)
    }

    /// As [`LayeredDepthImage::combined`], into the memory of this image.
    ///
    /// # Errors
    /// As [`LayeredDepthImage::combined`].
    pub fn combine(
        &mut self,
        boolean: Boolean,
        a: &LayeredDepthImage,
        b: &LayeredDepthImage,
    ) -> Result<(), LdiError> {
        a.combines(b, "a Boolean combination")?;
        self.begin(a.view, a.faces, true);
        self.crossings.clear();
        for pixel in 0..a.pixel_count() {
            let mut inside = false;
            walk(a.of_pixel(pixel), b.of_pixel(pixel), |_, [in_a, in_b], here| {
                let now = boolean.of(in_a > 0, in_b > 0);
                if now != inside {
                    inside = now;
                    self.crossings.extend(boundary(here, now));
                }
            });
            self.starts[pixel + 1] = self.crossings.len() as u32;
        }
        Ok(())
    }
}

/// The crossing that bounds the result, of those at one depth: one whose face is turned as the result's is,
/// else (a body taken away is left where the result begins) one of the second body.
fn boundary(here: [&[Crossing]; 2], front: bool) -> Option<Crossing> {
    let both = || [0, 1].into_iter().flat_map(|k| here[k].iter().map(move |c| (k, c)));
    let same = both().find(|(_, c)| c.is_front() == front);
    same.or_else(|| both().last()).map(|(k, c)| c.of(k, front))
}
