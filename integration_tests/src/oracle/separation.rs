//! The least translation that frees two bodies, by exact yes-or-no questions alone.

use std::f64::consts::TAU;
use std::ops::ControlFlow;

use impinge_exact::containment::{ContainmentScratch, containment};
use impinge_exact::intersect::{StreamOut, StreamScratch, Surfaces, first_touch};
use impinge_geometry::Containment;
use impinge_geometry::{PairFrame, TriMesh};
use impinge_midphase::{DescentCounts, ObbTree, descend};
use nalgebra::{Isometry3, Translation3, Vector3};

/// How finely to search.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Directions over the whole sphere.
    pub directions: u32,
    /// Places tried along each direction, short of the best so far: a body may come free and catch
    /// again farther on.
    pub places: u32,
    /// Rings of directions searched around the best, each half as wide as the one before.
    pub rings: u32,
    /// Directions on each ring.
    pub around: u32,
    /// Halvings between touching and free: the distance is right to a share of 2⁻ʰ.
    pub halvings: u32,
}

impl Default for Search {
    fn default() -> Search {
        Search { directions: 400, places: 4, rings: 14, around: 10, halvings: 20 }
    }
}

/// A translation of B that frees it from A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Unit direction (world axes).
    pub direction: Vector3<f64>,
    /// How far (m).
    pub distance: f64,
}

/// Two bodies at their poses, and whether B comes free when it is moved.
pub struct Movable<'m> {
    meshes: [&'m TriMesh; 2],
    trees: [ObbTree; 2],
    poses: [Isometry3<f64>; 2],
    leaf_pairs: Vec<[u32; 2]>,
    stream: StreamScratch,
    inside: ContainmentScratch,
    nothing: StreamOut,
}

impl<'m> Movable<'m> {
    /// Two meshes at `poses` (world, m).
    pub fn new(meshes: [&'m TriMesh; 2], poses: [&Isometry3<f64>; 2]) -> Movable<'m> {
        Movable {
            meshes,
            trees: meshes.map(ObbTree::build),
            poses: poses.map(|p| *p),
            leaf_pairs: Vec::new(),
            stream: StreamScratch::default(),
            inside: ContainmentScratch::default(),
            nothing: StreamOut::default(),
        }
    }

    /// Beyond this translation the bounding spheres are apart, along any direction (m).
    fn limit(&self) -> f64 {
        let spheres = self.meshes.map(TriMesh::bounding_sphere);
        let centers = [0, 1].map(|k| self.poses[k] * spheres[k].center.cast::<f64>());
        let reach = f64::from(spheres[0].radius) + f64::from(spheres[1].radius);
        (reach + (centers[1] - centers[0]).norm()) * 1.001
    }

    /// How far B must be moved along `direction` (unit) to be free, to 2⁻²⁰ (m): the first free place
    /// found in steps of `step` (m), then by halves.
    pub fn along(&mut self, direction: &Vector3<f64>, step: f64) -> f64 {
        if self.is_free(&Vector3::zeros()) {
            return 0.0;
        }
        let (limit, mut touching) = (self.limit(), 0.0);
        let mut free = step.max(limit / 4096.0);
        while free < limit && !self.is_free(&(direction * free)) {
            touching = free;
            free += step.max(limit / 4096.0);
        }
        for _ in 0..20 {
            let middle = 0.5 * (touching + free);
            if self.is_free(&(direction * middle)) { free = middle } else { touching = middle }
        }
        free
    }

    /// Whether B, moved by `shift`, neither touches A nor is in it or around it. Exact.
    pub fn is_free(&mut self, shift: &Vector3<f64>) -> bool {
        let frame = PairFrame::new(&self.poses[0], &(Translation3::from(*shift) * self.poses[1]));
        let trees = [&self.trees[0], &self.trees[1]];
        let surfaces = Surfaces { meshes: self.meshes, trees, frame: &frame };
        self.leaf_pairs.clear();
        let pairs = &mut self.leaf_pairs;
        let mut visit = |a: u32, b: u32| {
            pairs.push([a, b]);
            ControlFlow::Continue(())
        };
        let _ = descend(trees[0], trees[1], &frame, 0.0, &mut visit, &mut DescentCounts::default());
        first_touch(&surfaces, &self.leaf_pairs, &mut self.stream).is_none()
            && containment(&surfaces, &self.nothing, &mut self.inside) == Containment::None
    }

    /// Shortens `best` to the first free place along `direction` that steps growing by a tenth find: between
    /// two walls a body is free for a short way only.
    fn first_free(&mut self, direction: &Vector3<f64>, search: &Search, best: &mut Separation) {
        let (mut touching, mut free) = (0.0, best.distance * 2f64.powi(-14));
        while free < best.distance {
            if self.is_free(&(direction * free)) {
                let distance = self.halve(direction, touching, free, search);
                *best = Separation { direction: *direction, distance };
                return;
            }
            touching = free;
            free *= 1.1;
        }
    }

    fn halve(&mut self, direction: &Vector3<f64>, mut touching: f64, mut free: f64, search: &Search) -> f64 {
        for _ in 0..search.halvings {
            let middle = 0.5 * (touching + free);
            if self.is_free(&(direction * middle)) { free = middle } else { touching = middle }
        }
        free
    }

    /// Shortens `best` if the pair comes free along `direction` before it does.
    fn follow(&mut self, direction: &Vector3<f64>, search: &Search, best: &mut Separation) {
        let mut touching = 0.0;
        for place in 1..=search.places {
            let free = best.distance * 0.9995 * f64::from(place) / f64::from(search.places);
            if !self.is_free(&(direction * free)) {
                touching = free;
                continue;
            }
            let distance = self.halve(direction, touching, free, search);
            *best = Separation { direction: *direction, distance };
            return;
        }
    }
}

/// The shortest translation of B found that frees it from A: zero where it is free already. Directions
/// over the whole sphere, those of `hints` (normals, say; unit) first, then rings around the
/// best. Every answer was seen to free the pair, so none is shorter than the true least.
pub fn least_translation(
    meshes: [&TriMesh; 2],
    poses: [&Isometry3<f64>; 2],
    hints: &[Vector3<f64>],
    search: &Search,
) -> Separation {
    let mut pair = Movable::new(meshes, poses);
    if pair.is_free(&Vector3::zeros()) {
        return Separation { direction: Vector3::z(), distance: 0.0 };
    }
    let limit = pair.limit();
    let mut best = Separation { direction: Vector3::z(), distance: limit };
    for direction in hints {
        pair.first_free(direction, search, &mut best);
    }
    for k in 0..search.directions {
        pair.follow(&fibonacci(k, search.directions), search, &mut best);
    }
    // Nearest neighbours on the sphere are about √(4π/n) apart.
    let mut angle = (2.0 * TAU / f64::from(search.directions.max(1))).sqrt();
    for ring in 0..search.rings {
        let axis = best.direction;
        let across = axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize();
        let up = axis.cross(&across);
        for k in 0..search.around {
            let turn = TAU * (f64::from(k) + 0.5 * f64::from(ring % 2)) / f64::from(search.around);
            let aside = across * turn.cos() + up * turn.sin();
            pair.follow(&(axis * angle.cos() + aside * angle.sin()).normalize(), search, &mut best);
        }
        angle *= 0.6;
    }
    best
}

/// The `k`-th of `count` directions spread evenly over the sphere.
fn fibonacci(k: u32, count: u32) -> Vector3<f64> {
    let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(count);
    let turn = f64::from(k) * TAU * (2.0 - 0.5 * (1.0 + 5f64.sqrt()));
    let r = (1.0 - z * z).max(0.0).sqrt();
    Vector3::new(r * turn.cos(), r * turn.sin(), z)
}
