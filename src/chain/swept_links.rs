//! Boxes around the links of a chain on all of their way.

use impinge_geometry::volume::round_up;
use impinge_geometry::{Aabb, LinkPath};
use nalgebra::Isometry3;

use super::Chain;

/// A link's box is cut into so many pieces of its way at most.
const MOST_PIECES: usize = 16;

/// Poses between two of those that were asked for are rounded, too (part of the coordinates).
const ROUNDING: f64 = 1e-12;

/// A piece of a way may bend by this part of a link's radius.
const BENT: f64 = 0.1;

/// Buffers for boxes around links, to be used again.
#[derive(Debug, Default)]
pub(super) struct SweptLinks {
    /// Around the way of each link (m, world); empty where it has no shape.
    pub boxes: Vec<Aabb>,
    /// How far a link's points stray from their chords over the whole way (m).
    bends: Vec<f64>,
    values: Vec<f64>,
    poses: Vec<Isometry3<f64>>,
    path: LinkPath,
}

impl SweptLinks {
    /// Finds the boxes between two configurations: those of some poses on the way, grown by what points stray from their chords
    /// between two of them.
    pub fn find(&mut self, chain: &Chain, [from, to]: [&[f64]; 2]) {
        let SweptLinks { boxes, bends, values, poses, path } = self;
        boxes.clear();
        bends.clear();
        let mut pieces = 1;
        for (link, shape) in chain.shapes.iter().enumerate() {
            boxes.push(Aabb::EMPTY);
            let Some(shape) = shape else {
                bends.push(0.0);
                continue;
            };
            chain.linkage.path(link, None, &Isometry3::identity(), [from, to], path);
            let sphere = shape.stages().sphere();
            let radius = f64::from(sphere.radius);
            let reach = sphere.center.cast::<f64>().coords.norm() + radius;
            let bend = 0.125 * path.acceleration(reach);
            bends.push(bend);
            let wanted = (bend / (BENT * radius)).sqrt().ceil();
            // What is not a number asks for one.
            pieces = pieces.max((wanted as usize).min(MOST_PIECES));
        }
        for piece in 0..=pieces {
            let time = piece as f64 / pieces as f64;
            values.clear();
            values.extend(from.iter().zip(to).map(|(from, to)| from + (to - from) * time));
            chain.linkage.poses(values, poses);
            for (link, shape) in chain.shapes.iter().enumerate() {
                let Some(shape) = shape else { continue };
                boxes[link] = boxes[link].merged(&shape.aabb_at(&poses[link]));
            }
        }
        for (aabb, bend) in boxes.iter_mut().zip(bends) {
            if aabb.is_valid() {
                let far = aabb.min.iter().chain(&aabb.max).fold(0.0f64, |far, x| far.max(f64::from(x.abs())));
                *aabb = aabb.grown(round_up(*bend / (pieces * pieces) as f64 + ROUNDING * far));
            }
        }
    }
}
