//! Random placements of two bodies, and the exact answer.

use impinge_exact::intersect::LastHit;
use impinge_exact::touch::{LeafPairs, TouchScratch, surfaces_touch};
use impinge_geometry::{PairFrame, TriMesh};
use impinge_midphase::ObbTree;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Translation3};

use super::super::ClassicBody;

/// Two meshes with the trees of the exact test.
pub struct ExactPair {
    pub meshes: [TriMesh; 2],
    trees: [ObbTree; 2],
    scratch: TouchScratch,
}

impl ExactPair {
    pub fn new(a: TriMesh, b: TriMesh) -> ExactPair {
        let trees = [ObbTree::build(&a), ObbTree::build(&b)];
        ExactPair { meshes: [a, b], trees, scratch: TouchScratch::default() }
    }

    pub fn bodies<'a>(&'a self, poses: &'a [Isometry3<f64>; 2]) -> [ClassicBody<'a>; 2] {
        [0, 1].map(|k| ClassicBody::new(&self.meshes[k], &poses[k]))
    }

    /// Whether they touch: surfaces that share a point, or one in the other.
    pub fn touches(&mut self, poses: &[Isometry3<f64>; 2]) -> bool {
        let frame = PairFrame::new(&poses[0], &poses[1]);
        let surfaces = impinge_exact::intersect::Surfaces {
            meshes: self.meshes.each_ref().map(Into::into),
            trees: self.trees.each_ref(),
            frame: &frame,
        };
        surfaces_touch(&surfaces, LeafPairs::Search(&mut LastHit::default()), &mut self.scratch)
    }

    /// Random poses whose origins are apart by up to 1.2 times the sum of the bounding radii.
    pub fn place(&self, random: &mut Random) -> [Isometry3<f64>; 2] {
        let reach: f64 = self.meshes.iter().map(|m| f64::from(m.bounding_sphere().radius)).sum();
        let apart = random.direction() * (1.2 * reach * random.unit());
        let at = random.direction() * 3.0;
        [
            Isometry3::from_parts(Translation3::from(at), random.rotation()),
            Isometry3::from_parts(Translation3::from(at + apart), random.rotation()),
        ]
    }
}

/// How often a test says yes where the exact answer is no, and the other way round.
#[derive(Debug, Default)]
pub struct Errors {
    pub touching: usize,
    pub falsely: usize,
    pub missed: usize,
}

/// A test at random placements against the exact answer.
pub fn compare(
    pair: &mut ExactPair,
    placements: usize,
    mut test: impl FnMut(&[ClassicBody<'_>; 2]) -> bool,
) -> Errors {
    let (mut random, mut errors) = (Random::new(7), Errors::default());
    for _ in 0..placements {
        let poses = pair.place(&mut random);
        let exact = pair.touches(&poses);
        let found = test(&pair.bodies(&poses));
        errors.touching += usize::from(exact);
        errors.falsely += usize::from(found && !exact);
        errors.missed += usize::from(exact && !found);
    }
    errors
}
