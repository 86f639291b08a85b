//! Particles against shapes, against each other, and among themselves.
//!
//! Every particle touches for itself: a [`PointContact`] has the depth of its ball in what it touches, and the direction that frees it
//! soonest.
//!
//! - Against primitives: the signed distance of the centre, by closed forms, in `f64`.
//! - Against height fields: the cells under each (`ground`).
//! - Against other surfaces (meshes, hulls): particles near each other ask the tree once, and eight of them at once are measured
//!   against each triangle that it gives (`surface`).
//! - Among themselves and against others: in a grid for each class of radii (`grid`).
//!
//! Work is shared out in chunks of a fixed size, and what they find is put together in their order: the answer is the same for any number
//! of threads.

mod cloud_index;
mod clouds;
mod contact;
mod extent;
mod grid;
mod ground;
mod morton;
mod near_triangles;
mod nearest;
mod placement;
mod radix;
mod row;
mod sides;
mod solids;
mod surface;
mod triangle_rows;

use impinge_geometry::{Faces, Particles};
use impinge_midphase::{PreparedShape, Solid, Surface};
use nalgebra::Isometry3;
use rayon::prelude::*;

pub use cloud_index::CloudIndex;
pub use clouds::{between, themselves};
pub use contact::{PointContact, PointFeature, PointRange};

use contact::Depths;
use placement::Placement;
use surface::SurfaceScratch;

/// Particles of a chunk: enough to be worth a worker's while.
const CHUNK: usize = 2048;

/// Particles with their index, and where they stand.
#[derive(Clone, Copy, Debug)]
pub struct PlacedCloud<'c> {
    /// The particles.
    pub particles: &'c Particles,
    /// Their index, with what is needed made.
    pub index: &'c CloudIndex,
    /// Where their frame stands (m, world).
    pub pose: &'c Isometry3<f64>,
}

/// Buffers, reused.
#[derive(Debug, Default)]
pub struct ParticleScratch {
    chunks: Vec<Chunk>,
    /// Of each particle the place of its contact, plus 1.
    slots: Vec<u32>,
}

/// What one worker fills.
#[derive(Debug, Default)]
struct Chunk {
    found: Vec<PointContact>,
    surface: SurfaceScratch,
    /// Pairs of places of particles that may be near each other, and ranges of places to look at.
    near: Vec<[u32; 2]>,
    ranges: Vec<[usize; 2]>,
}

/// Whether [`against`] needs the order of the particles' index.
pub fn needs_order(shape: &PreparedShape) -> bool {
    let is_surface = |solid: &Solid| !matches!(solid, Solid::Primitive(_));
    let is_field = |surface: &Surface| matches!(surface.faces, Faces::Field(_));
    shape.parts().iter().any(|part| is_surface(&part.solid) && !part.surface.as_ref().is_some_and(is_field))
}

/// Appends the contacts of particles with a shape standing at `pose` (m): for each of its subshapes, in their order, those of the particles in
/// theirs. Of a surface a particle has one, with the triangle that is nearest to its centre. Needs the order of the index where
/// [`needs_order`] says so. Runs on the current pool.
pub fn against(
    cloud: PlacedCloud<'_>,
    shape: &PreparedShape,
    pose: &Isometry3<f64>,
    range: &PointRange,
    scratch: &mut ParticleScratch,
    out: &mut Vec<PointContact>,
) {
    let depths = Depths::new(range);
    for (subshape, part) in (0..).zip(shape.parts()) {
        let place = Placement::new(cloud.pose, &(pose * part.pose), subshape);
        let own = cloud.particles.centers();
        let numbers = |index: usize| {
            let first = index * CHUNK;
            first as u32..(first + CHUNK).min(own.len()) as u32
        };
        match (&part.solid, &part.surface) {
            (Solid::Primitive(primitive), _) => {
                scratch.share(own, out, |index, _, Chunk { found, .. }| {
                    solids::meet(cloud.particles, numbers(index), primitive, &place, &depths, found);
                });
            }
            (_, Some(Surface { faces: Faces::Field(field), .. })) => {
                scratch.share(own, out, |index, _, Chunk { found, .. }| {
                    ground::meet(cloud.particles, numbers(index), field, &place, &depths, found);
                });
            }
            (_, Some(surface)) => {
                let first = out.len();
                scratch.share(cloud.index.order(), out, |_, order, chunk| {
                    let Chunk { found, surface: room, .. } = chunk;
                    surface::meet(cloud.particles, order, surface, &place, &depths, room, found);
                });
                scratch.sort_by_particle(cloud.particles.len(), first, out);
            }
            (_, None) => {}
        }
    }
}

impl ParticleScratch {
    /// Has every chunk of a list worked on by some worker, with the same room each time, and appends what they have found in their order.
    fn share<T: Sync>(
        &mut self,
        list: &[T],
        out: &mut Vec<PointContact>,
        work: impl Fn(usize, &[T], &mut Chunk) + Sync,
    ) {
        let count = list.len().div_ceil(CHUNK);
        self.chunks.resize_with(self.chunks.len().max(count), Chunk::default);
        let chunks = list.chunks(CHUNK).enumerate();
        if count <= 1 || rayon::current_num_threads() == 1 {
            for (index, own) in chunks {
                let chunk = &mut self.chunks[0];
                std::mem::swap(out, &mut chunk.found);
                work(index, own, chunk);
                std::mem::swap(out, &mut chunk.found);
            }
            return;
        }
        let used = &mut self.chunks[..count];
        used.iter_mut().for_each(|chunk| chunk.found.clear());
        let rooms = used.par_iter_mut().enumerate();
        rooms.zip(list.par_chunks(CHUNK)).for_each(|((index, chunk), own)| work(index, own, chunk));
        for chunk in used {
            out.extend_from_slice(&chunk.found);
        }
    }

    /// Brings the contacts from `first` on into the order of the particles, of which each has one at most.
    fn sort_by_particle(&mut self, particles: usize, first: usize, out: &mut [PointContact]) {
        if out.len() == first {
            return;
        }
        self.slots.clear();
        self.slots.resize(particles, 0);
        for (place, contact) in (1..).zip(&out[first..]) {
            self.slots[contact.particle as usize] = place;
        }
        // As they were found, aside; then each to its place.
        let aside = &mut self.chunks[0].found;
        aside.clear();
        aside.extend_from_slice(&out[first..]);
        let sorted = self.slots.iter().filter(|&&place| place != 0);
        for (to, &place) in out[first..].iter_mut().zip(sorted) {
            *to = aside[place as usize - 1];
        }
    }
}
