//! Which points go through what is seen, and where.

use impinge_midphase::Solid;
use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::lens::{BLOCK, Sampler};
use super::map::{CloudMap, NOTHING};
use super::view::{CloudError, CloudView, FACES};
use crate::height_map::{NO_TRIANGLE, Obstacle, face_normal, primitive_normal};

/// Points that a thread takes at a time.
const CHUNK: usize = 4096;

/// A cloud's points in one step: where each was, and where it would come to (m, world).
#[derive(Clone, Copy, Debug)]
pub struct Points<'p> {
    /// Before the step.
    pub from: &'p [[f32; 3]],
    /// After it.
    pub to: &'p [[f32; 3]],
    /// Radius of each (m): one goes through a surface as soon as what is so far ahead of it, along its line of sight, does. 0 of points without a size.
    pub radius: f32,
}

impl<'p> Points<'p> {
    /// Points without a size.
    pub fn new(from: &'p [[f32; 3]], to: &'p [[f32; 3]]) -> Points<'p> {
        Points { from, to, radius: 0.0 }
    }

    /// Points of a radius (m).
    pub fn radius(self, radius: f32) -> Points<'p> {
        Points { radius, ..self }
    }
}

/// A point that went through a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CloudHit {
    /// Which point.
    pub point: u32,
    /// How far behind the surface it came, or what is a radius ahead of it, along its line of sight (m).
    pub depth: f64,
    /// Its radius (m).
    pub radius: f32,
    /// Where its line of sight meets the surface (m, world).
    pub position: Point3<f64>,
    /// Unit normal of the surface there, toward the cloud; zero of a triangle without area.
    pub normal: Vector3<f32>,
    /// The body hit, as the caller named it.
    pub body: u32,
    /// The triangle hit, or [`NO_TRIANGLE`](crate::height_map::NO_TRIANGLE).
    pub triangle: u32,
    /// What the caller knows of the body there.
    pub channels: Option<[f32; 4]>,
}

impl CloudMap {
    /// The unit normals of what is seen, toward the cloud, pixel by pixel as [`CloudMap::depths`]; zero
    /// where nothing is. `obstacles` are those that were drawn.
    pub fn normals(&self, obstacles: &[Obstacle]) -> Vec<Vector3<f32>> {
        let of = |k: usize| match self.depth[k].is_finite() {
            true => self.surface_at(k, self.place_at(k), obstacles).map_or_else(Vector3::zeros, |s| s.normal),
            false => Vector3::zeros(),
        };
        (0..self.depth.len()).map(of).collect()
    }

    /// Appends to `out`, in the order of the points, those that go through the nearest surface in this
    /// step: that are behind it now, and were before it. `obstacles` are those that were drawn.
    ///
    /// # Errors
    /// [`CloudError::Lengths`], or [`CloudError::Radius`]; `out` then stays.
    pub fn hits(
        &mut self,
        obstacles: &[Obstacle],
        points: Points<'_>,
        out: &mut Vec<CloudHit>,
    ) -> Result<(), CloudError> {
        let Points { from, to, radius } = points;
        if from.len() != to.len() {
            return Err(CloudError::Lengths { from: from.len(), to: to.len() });
        }
        CloudError::check_radius(radius)?;
        let mut found = std::mem::take(&mut self.found);
        found.resize(to.len(), NOTHING);
        let sampler = Sampler::new(&self.view, radius.into());
        let chunks = from.par_chunks(CHUNK).zip(to.par_chunks(CHUNK)).zip(found.par_chunks_mut(CHUNK));
        let unusable: u64 = chunks.map(|((from, to), found)| self.passed(&sampler, from, to, found)).sum();
        for (point, &k) in found.iter().enumerate().filter(|(_, k)| **k != NOTHING) {
            if let Some((_, depth)) = sampler.sample(&to[point]) {
                let ahead = f64::from(self.depth[k as usize]);
                let position = self.on_surface(&to[point], depth, ahead);
                if let Some(surface) = self.surface_at(k as usize, position, obstacles) {
                    let depth = sampler.front(&to[point], depth) - ahead;
                    out.push(CloudHit { point: point as u32, depth, radius, position, ..surface });
                }
            }
        }
        self.counts.unusable = unusable;
        self.found = found;
        Ok(())
    }

    /// For every point the pixel of the surface that it went through, or [`NOTHING`]; how many points are
    /// not finite. One thing is done for a block of points before the next, without branches while most
    /// of them hit nothing.
    fn passed(&self, sampler: &Sampler, from: &[[f32; 3]], to: &[[f32; 3]], found: &mut [u32]) -> u64 {
        let mut unusable = 0;
        let (mut pixels, mut depths, mut behind) = ([0u32; BLOCK], [0f64; BLOCK], [0u16; BLOCK]);
        for ((from, to), found) in from.chunks(BLOCK).zip(to.chunks(BLOCK)).zip(found.chunks_mut(BLOCK)) {
            for (from, to) in from.iter().zip(to) {
                // Nothing times a number is nothing, unless it is none, or endless.
                let sum: f32 = from.iter().chain(to).map(|x| x * 0.0).sum();
                unusable += u64::from(sum != 0.0);
            }
            sampler.sample_all(to, &mut pixels, &mut depths);
            if sampler.radius > 0.0 {
                depths.iter_mut().zip(to).for_each(|(depth, p)| *depth = sampler.front(p, *depth));
            }
            let mut count = 0;
            for k in 0..to.len() {
                let surface = self.depth[pixels[k] as usize];
                behind[count] = k as u16;
                count += usize::from(depths[k] >= f64::from(surface));
            }
            found.fill(NOTHING);
            for &k in &behind[..count] {
                let k = usize::from(k);
                let pixel = pixels[k] as usize;
                let Some((before, was)) = sampler.sample(&from[k]) else { continue };
                let was = sampler.front(&from[k], was);
                // Before the surface that it is now behind, or before the one that it was opposite to.
                let (surface, own) = (f64::from(self.depth[pixel]), f64::from(self.depth[before]));
                if was < surface || (was < own && own.is_finite()) {
                    found[k] = pixels[k];
                }
            }
        }
        unusable
    }

    /// Where the line of sight of a point at `depth` meets the surface at depth `ahead`.
    fn on_surface(&self, point: &[f32; 3], depth: f64, ahead: f64) -> Point3<f64> {
        let p = Point3::from(point.map(f64::from));
        match &self.view {
            CloudView::Along(plane) => p - plane.direction() * (depth - ahead),
            CloudView::Around { center, .. } => center + (p - center) * (ahead / depth),
        }
    }

    /// The place on the surface in a pixel's centre.
    fn place_at(&self, k: usize) -> Point3<f64> {
        let depth = f64::from(self.depth[k]);
        let [column, row] = [k % self.width, k / self.width];
        match &self.view {
            CloudView::Along(plane) => plane.place(column as u32, row as u32, depth),
            CloudView::Around { center, pixels, .. } => {
                let (face, row) = (row / *pixels as usize, row % *pixels as usize);
                let across = |n: usize| (n as f64 + 0.5) / f64::from(*pixels) * 2.0 - 1.0;
                let [right, down, forward] = FACES[face].map(Vector3::from);
                center + (forward + right * across(column) + down * across(row)) * depth
            }
        }
    }

    /// What is seen in a pixel, at `position`; only point and depth are left open.
    fn surface_at(&self, k: usize, position: Point3<f64>, obstacles: &[Obstacle]) -> Option<CloudHit> {
        let number = self.seen[k];
        let at = self.starts.partition_point(|start| start.2 <= number).checked_sub(1)?;
        let (obstacle, part, first) = self.starts[at];
        let obstacle = obstacles.get(obstacle as usize)?;
        let part = obstacle.shape.parts().get(part as usize)?;
        let pose = obstacle.pose * part.pose;
        let sight = match &self.view {
            CloudView::Along(plane) => plane.direction(),
            CloudView::Around { center, .. } => position - center,
        };
        let (triangle, normal) = match (&part.solid, &part.surface) {
            (Solid::Primitive(primitive), _) => {
                let local = pose.inverse_transform_point(&position);
                let along = pose.inverse_transform_vector(&sight).normalize();
                let normal = primitive_normal(primitive, &local, &along, 0.0);
                (NO_TRIANGLE, (pose * normal).cast::<f32>())
            }
            (_, Some(surface)) => {
                let rotation = pose.rotation.to_rotation_matrix();
                (number - first, face_normal(surface.faces(), number - first, rotation.matrix()))
            }
            (_, None) => return None,
        };
        let toward = if normal.dot(&sight.cast::<f32>()) > 0.0 { -normal } else { normal };
        let channels = obstacle.channels_at(part, triangle, &pose.inverse_transform_point(&position));
        let body = obstacle.body;
        Some(CloudHit {
            point: 0,
            depth: 0.0,
            radius: 0.0,
            position,
            normal: toward,
            body,
            triangle,
            channels,
        })
    }
}
