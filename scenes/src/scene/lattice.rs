//! Bodies on a jittered lattice, apart from each other.

use nalgebra::{Isometry3, Point3, Translation3, Vector3};

use super::{Scene, SceneBody, body};
use crate::random::Random;

/// Layers of squares, every other one set into the gaps of the one below, so that spheres of
/// `diameter` around the places do not meet even after jitter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    /// Places along each side of the larger layers.
    pub side: usize,
    /// Distance of neighbours in a layer (m).
    pub spacing: f64,
    /// Distance of layers (m).
    pub rise: f64,
    /// Greatest jitter along each axis (m).
    pub jitter: f64,
}

impl Lattice {
    /// A lattice for spheres of `diameter` (m).
    pub(super) fn new(side: usize, diameter: f64) -> Lattice {
        let jitter = 0.01 * diameter;
        // Two places may come nearer by twice the jitter along each axis: √3 · 2 · jitter.
        let apart = diameter + 3.5 * jitter;
        let spacing = 1.02 * apart;
        Lattice { side, spacing, rise: (apart * apart - 0.5 * spacing * spacing).sqrt(), jitter }
    }

    /// Half the width of a layer's places (m).
    pub(super) fn half_width(&self) -> f64 {
        0.5 * self.spacing * (self.side - 1) as f64
    }

    /// The first `count` places; the lowest layer is at height 0. Whole layers first; the last one
    /// is filled from the middle outward.
    pub(super) fn places(&self, count: usize) -> Vec<Point3<f64>> {
        let mut places = Vec::with_capacity(count);
        let mut layer = 0usize;
        while places.len() < count {
            let side = if layer.is_multiple_of(2) { self.side } else { (self.side - 1).max(1) };
            let half = 0.5 * (side - 1) as f64;
            let mut cells: Vec<(f64, f64)> =
                (0..side * side).map(|k| ((k % side) as f64 - half, (k / side) as f64 - half)).collect();
            cells.sort_by(|p, q| (p.0 * p.0 + p.1 * p.1).total_cmp(&(q.0 * q.0 + q.1 * q.1)));
            let z = layer as f64 * self.rise;
            places.extend(
                cells
                    .into_iter()
                    .take(count - places.len())
                    .map(|(x, y)| Point3::new(x * self.spacing, y * self.spacing, z)),
            );
            layer += 1;
        }
        places
    }

    /// Height of the top layer of `count` places (m).
    pub(super) fn height(&self, count: usize) -> f64 {
        self.places(count).iter().fold(0.0, |z, p| z.max(p.z))
    }
}

impl Scene {
    /// Adds `count` bodies of the shapes `kinds` in turn, each turned at random, with its bounding
    /// sphere centred near a place of the lattice, `lift` above the floor (m).
    pub(super) fn fill(&mut self, kinds: &[usize], count: usize, lattice: &Lattice, lift: f64, seed: u64) {
        let mut random = Random::new(seed ^ 0x1b0b);
        for place in lattice.places(count) {
            let index = self.bodies.len();
            let shape = kinds[(index + random.index(2)) % kinds.len()];
            let rotation = random.rotation();
            let jitter = Vector3::from_fn(|_, _| random.signed() * lattice.jitter);
            let middle = self.sphere(shape).map_or(Vector3::zeros(), |s| s.center.coords.cast::<f64>());
            let at = place.coords + Vector3::z() * lift + jitter - rotation * middle;
            let pose = Isometry3::from_parts(Translation3::from(at), rotation);
            self.bodies.push(SceneBody { ..body(shape, pose) });
        }
    }

    /// The greatest bounding radius among shapes (m).
    pub(super) fn greatest_radius(&self, kinds: &[usize]) -> f64 {
        kinds.iter().filter_map(|&k| self.sphere(k)).fold(0.0, |r, s| r.max(f64::from(s.radius)))
    }
}
