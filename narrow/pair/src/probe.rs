//! Would B be free of A if it stood elsewhere? The exact answer, for the price of a descent.

use impinge_geometry::{PairFrame, Side};
use nalgebra::Vector3;

use crate::scene::Scene;
use impinge_exact::containment::{ContainmentScratch, containment};
use impinge_exact::intersect::{LastHit, StreamOut, StreamScratch, Surfaces, surfaces_touch};
use impinge_geometry::Containment;
use impinge_image_space::layers::Body;

/// What catches on a way beyond this part of it is a sliver, not the overlap itself.
pub(super) const SLIVER: f64 = 1.06;

/// A way is first taken to be no shorter than this part of what views say of it; then of that, and so on.
const SHORTER: f64 = 0.96;
const ROUNDS: u32 = 6;

/// So narrowly a way is known in the end (part of it).
pub(super) const NARROW: f64 = 0.002;

/// Asks whether bodies are apart, and keeps what that takes.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    stream: StreamScratch,
    /// Nothing crosses where bodies that do not touch are asked about.
    none: StreamOut,
    containment: ContainmentScratch,
    /// Where the bodies met when last asked.
    last: LastHit,
    /// How often it was asked in this pair.
    pub asked: u64,
}

impl Probe {
    /// Begins a pair.
    pub fn begin(&mut self) {
        self.last = LastHit::default();
        self.asked = 0;
    }

    /// Whether B, moved by `shift` (m, pair frame), neither touches A nor lies in it, nor A in it. `None`
    /// where only views can tell: of solids without triangles, and of bodies with faces that nobody sees.
    pub fn is_free(&mut self, scene: &Scene<'_>, shift: &Vector3<f64>) -> Option<bool> {
        let [Body::Surface { mesh: a, tree: of_a }, Body::Surface { mesh: b, tree: of_b }] = &scene.bodies
        else {
            return None;
        };
        if a.has_made_up() || b.has_made_up() {
            return None;
        }
        self.asked += 1;
        let mut frame: PairFrame = *scene.frame;
        frame.offset[Side::B.index()] += shift;
        let input = Surfaces { meshes: [a, b], trees: [of_a, of_b], frame: &frame };
        let touch = surfaces_touch(&input, &mut self.last, &mut self.stream);
        let mut apart = || containment(&input, &self.none, &mut self.containment) == Containment::None;
        Some(touch.is_none() && apart())
    }

    /// How far B has to move along a direction until it is free, where that is about as far as `expected`
    /// (m), or little more.
    pub fn way(&mut self, scene: &Scene<'_>, normal: &Vector3<f64>, expected: f64) -> Option<f64> {
        let [short, long] = [1.0 - NARROW, 1.0 + NARROW].map(|part| normal * (part * expected));
        if self.is_free(scene, &long)? && !self.is_free(scene, &short)? {
            return Some(expected);
        }
        self.bracket(scene, normal, [SHORTER * expected, SLIVER * expected])
    }

    /// How far B has to move along a direction until it is free, where that is `bound` (m) or less.
    pub fn shorter(&mut self, scene: &Scene<'_>, normal: &Vector3<f64>, bound: f64) -> Option<f64> {
        self.bracket(scene, normal, [SHORTER * bound, bound])
    }

    /// The least way between `low`, or what is shorter, and `high` at which B is free (m).
    fn bracket(&mut self, scene: &Scene<'_>, normal: &Vector3<f64>, ends: [f64; 2]) -> Option<f64> {
        let mut free = |length: f64| self.is_free(scene, &(normal * length)) == Some(true);
        let [mut low, mut high] = ends;
        if !free(high) {
            return None;
        }
        for _ in 0..ROUNDS {
            if !free(low) {
                break;
            }
            (low, high) = (SHORTER * low, low);
        }
        while high - low > NARROW * high {
            let middle = 0.5 * (low + high);
            if free(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }
}
