//! The map that a cloud's points share.

use std::ops::ControlFlow;

use impinge_midphase::obb_tree::Covered;
use impinge_midphase::wide::Wide;
use impinge_midphase::{Solid, Surface};
use nalgebra::{Isometry3, Point3, Vector3};
use rayon::prelude::*;

use super::lens::{Eye, Lens};
use super::view::{CloudError, FACES, View};
use crate::height_map::lanes::{self, Batch, Sink, Spot};
use crate::height_map::raster::Window;
use crate::height_map::{NO_TRIANGLE, Obstacle, face_normal, primitive_normal, primitive_points};
use crate::passes;
use crate::solid::primitive_span;

/// From this many triangles on, bands of rows are drawn by several threads.
const BIG: usize = 1 << 12;

/// Points that a thread takes at a time.
const CHUNK: usize = 4096;

/// Points that are looked at together.
pub(super) const BLOCK: usize = 256;

/// Stands for "nothing seen".
const NOTHING: u32 = u32::MAX;

/// A cloud's points in one step: where each was, and where it would come to (m, world).
#[derive(Clone, Copy, Debug)]
pub struct Points<'p> {
    /// Before the step.
    pub from: &'p [[f32; 3]],
    /// After it.
    pub to: &'p [[f32; 3]],
}

/// A point that went through a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CloudHit {
    /// Which point.
    pub point: u32,
    /// How far behind the surface it came, along its line of sight (m).
    pub depth: f64,
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

/// What a map and its points cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CloudCounts {
    /// Triangles drawn.
    pub triangles: u64,
    /// Points that are not finite: they hit nothing.
    pub unusable: u64,
}

/// The nearest surfaces of an environment, as the points of a cloud see them.
#[derive(Clone, Debug)]
pub struct CloudMap {
    view: View,
    width: usize,
    /// Of all pictures, row by row; infinite where nothing was seen.
    depth: Vec<f32>,
    /// What was seen, by its place in `starts`.
    seen: Vec<u32>,
    /// The first number of each part of each obstacle: obstacle, part, number.
    starts: Vec<(u32, u32, u32)>,
    spots: Vec<Spot>,
    listed: Vec<u32>,
    stack: Vec<u32>,
    /// Of every point of the last question its pixel, if it hit something.
    found: Vec<u32>,
    counts: CloudCounts,
}

impl CloudMap {
    /// An empty map.
    ///
    /// # Errors
    /// [`CloudError::View`].
    pub fn new(view: View) -> Result<CloudMap, CloudError> {
        view.check()?;
        let ([width, height], pictures) = view.pictures();
        let count = width as usize * height as usize * pictures;
        Ok(CloudMap {
            view,
            width: width as usize,
            depth: vec![f32::INFINITY; count],
            seen: vec![NOTHING; count],
            starts: Vec::new(),
            spots: Vec::new(),
            listed: Vec::new(),
            stack: Vec::new(),
            found: Vec::new(),
            counts: CloudCounts::default(),
        })
    }

    /// Looks another way; draw anew after this. Nothing is allocated where the pictures do not grow.
    ///
    /// # Errors
    /// [`CloudError::View`]; the view then stays.
    pub fn look(&mut self, view: View) -> Result<(), CloudError> {
        view.check()?;
        let ([width, height], pictures) = view.pictures();
        let count = width as usize * height as usize * pictures;
        (self.view, self.width) = (view, width as usize);
        self.depth.resize(count, f32::INFINITY);
        self.seen.resize(count, NOTHING);
        Ok(())
    }

    /// Draws the environment as it stands now; what was drawn before is forgotten.
    pub fn draw(&mut self, obstacles: &[Obstacle]) {
        let _span = tracing::debug_span!(passes::CLOUD, obstacles = obstacles.len()).entered();
        self.depth.fill(f32::INFINITY);
        self.seen.fill(NOTHING);
        self.starts.clear();
        self.counts = CloudCounts::default();
        let mut next = 0u32;
        for (index, obstacle) in obstacles.iter().enumerate() {
            for (part, own) in obstacle.shape.parts().iter().enumerate() {
                self.starts.push((index as u32, part as u32, next));
                let pose = obstacle.pose * own.pose;
                let triangles = match (&own.solid, &own.surface) {
                    (Solid::Primitive(_), _) | (_, None) => 1,
                    (_, Some(surface)) => surface.mesh.triangles().len() as u32,
                };
                let (_, pictures) = self.view.pictures();
                for picture in 0..pictures {
                    match (&own.solid, &own.surface) {
                        (Solid::Primitive(primitive), _) => {
                            self.draw_primitive(picture, primitive, &pose, next);
                        }
                        (_, Some(surface)) => self.draw_surface(picture, surface, &pose, next),
                        (_, None) => {}
                    }
                }
                next = next.saturating_add(triangles);
            }
        }
    }

    /// The view.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// What drawing and the last question cost.
    pub fn counts(&self) -> CloudCounts {
        self.counts
    }

    /// Depth of the nearest surface in every pixel (m), picture after picture, row by row from the top;
    /// infinite where nothing was seen. In a cube's pictures it is the distance along the face's axis.
    pub fn depths(&self) -> &[f32] {
        &self.depth
    }

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
    /// [`CloudError::Lengths`]; `out` then stays.
    pub fn hits(
        &mut self,
        obstacles: &[Obstacle],
        points: Points<'_>,
        out: &mut Vec<CloudHit>,
    ) -> Result<(), CloudError> {
        let Points { from, to } = points;
        if from.len() != to.len() {
            return Err(CloudError::Lengths { from: from.len(), to: to.len() });
        }
        let mut found = std::mem::take(&mut self.found);
        found.resize(to.len(), NOTHING);
        let eye = Eye::new(&self.view);
        let chunks = from.par_chunks(CHUNK).zip(to.par_chunks(CHUNK)).zip(found.par_chunks_mut(CHUNK));
        let unusable: u64 = chunks.map(|((from, to), found)| self.passed(&eye, from, to, found)).sum();
        for (point, &k) in found.iter().enumerate().filter(|(_, k)| **k != NOTHING) {
            if let Some((_, depth)) = eye.see(&to[point]) {
                let ahead = f64::from(self.depth[k as usize]);
                let position = self.on_surface(&to[point], depth, ahead);
                if let Some(surface) = self.surface_at(k as usize, position, obstacles) {
                    out.push(CloudHit { point: point as u32, depth: depth - ahead, position, ..surface });
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
    fn passed(&self, eye: &Eye, from: &[[f32; 3]], to: &[[f32; 3]], found: &mut [u32]) -> u64 {
        let mut unusable = 0;
        let (mut pixels, mut depths, mut behind) = ([0u32; BLOCK], [0f64; BLOCK], [0u16; BLOCK]);
        for ((from, to), found) in from.chunks(BLOCK).zip(to.chunks(BLOCK)).zip(found.chunks_mut(BLOCK)) {
            for (from, to) in from.iter().zip(to) {
                // Nothing times a number is nothing, unless it is none, or endless.
                let sum: f32 = from.iter().chain(to).map(|x| x * 0.0).sum();
                unusable += u64::from(sum != 0.0);
            }
            eye.see_all(to, &mut pixels, &mut depths);
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
                let Some((before, was)) = eye.see(&from[k]) else { continue };
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
            View::Along(plane) => p - plane.direction() * (depth - ahead),
            View::Around { center, .. } => center + (p - center) * (ahead / depth),
        }
    }

    /// The place on the surface in a pixel's centre.
    fn place_at(&self, k: usize) -> Point3<f64> {
        let depth = f64::from(self.depth[k]);
        let [column, row] = [k % self.width, k / self.width];
        match &self.view {
            View::Along(plane) => plane.place(column as u32, row as u32, depth),
            View::Around { center, pixels, .. } => {
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
            View::Along(plane) => plane.direction(),
            View::Around { center, .. } => position - center,
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
                (number - first, face_normal(&surface.mesh, number - first, rotation.matrix()))
            }
            (_, None) => return None,
        };
        let toward = if normal.dot(&sight.cast::<f32>()) > 0.0 { -normal } else { normal };
        let channels = obstacle.channels_at(part, triangle, &pose.inverse_transform_point(&position));
        let body = obstacle.body;
        Some(CloudHit { point: 0, depth: 0.0, position, normal: toward, body, triangle, channels })
    }

    /// The rows of one picture, with their place.
    fn picture(&mut self, picture: usize) -> (&mut [f32], &mut [u32]) {
        let ([width, height], _) = self.view.pictures();
        let size = width as usize * height as usize;
        let own = picture * size..(picture + 1) * size;
        (&mut self.depth[own.clone()], &mut self.seen[own])
    }

    fn draw_primitive(
        &mut self,
        picture: usize,
        primitive: &impinge_geometry::Primitive,
        pose: &Isometry3<f64>,
        number: u32,
    ) {
        let view = self.view;
        let width = self.width;
        let (depths, seen) = self.picture(picture);
        let mut offer = |k: usize, depth: f64| offer(&mut depths[k], &mut seen[k], depth as f32, number);
        match &view {
            View::Along(plane) => {
                let [near, far] = plane.depths();
                let window = whole(plane.pixels());
                primitive_points(primitive, pose, plane, &window, |x, y, depth, _| {
                    if near <= depth && depth <= far {
                        offer(y as usize * width + x as usize, depth);
                    }
                });
            }
            View::Around { center, near, pixels } => {
                let origin = pose.inverse_transform_point(center);
                let [right, down, forward] =
                    FACES[picture].map(|axis| pose.inverse_transform_vector(&Vector3::from(axis)));
                let across = |n: u32| (f64::from(n) + 0.5) / f64::from(*pixels) * 2.0 - 1.0;
                for y in 0..*pixels {
                    for x in 0..*pixels {
                        let ray = forward + right * across(x) + down * across(y);
                        let length = ray.norm();
                        let Some(span) = primitive_span(primitive, &origin, &(ray / length)) else {
                            continue;
                        };
                        for depth in [span.enter / length, span.exit / length] {
                            if depth >= *near && depth.is_finite() {
                                offer(y as usize * width + x as usize, depth);
                            }
                        }
                    }
                }
            }
        }
    }

    fn draw_surface(&mut self, picture: usize, surface: &Surface, pose: &Isometry3<f64>, first: u32) {
        let view = self.view;
        let (size, _) = view.pictures();
        let lens = Lens::new(&view, picture, pose);
        // What may be seen, by the tree; and whether all of it lies behind the near plane, so that a
        // closed mesh shows its outer side alone.
        let mut listed = std::mem::take(&mut self.listed);
        listed.clear();
        let mut ahead = surface.mesh.is_closed();
        let open = |covered: &Covered| lens.may_show(covered, &mut ahead);
        let leaf = |leaf| {
            listed.extend_from_slice(surface.tree.leaf_triangles(leaf));
            ControlFlow::Continue(())
        };
        let _ = surface.tree.projected(&lens.projection, open, leaf, &mut self.stack);
        if listed.is_empty() {
            self.listed = listed;
            return;
        }
        let mut spots = std::mem::take(&mut self.spots);
        spots.clear();
        spots.extend(surface.mesh.vertices().iter().map(|v| lens.spot((*v).into())));
        let threads = if listed.len() < BIG { 1 } else { rayon::current_num_threads() };
        let rows = (size[1] as usize).div_ceil(threads).max(1);
        let width = size[0] as usize;
        let (depths, seen) = self.picture(picture);
        let bands = depths.par_chunks_mut(rows * width).zip(seen.par_chunks_mut(rows * width));
        let draw = |(band, (depth, seen)): (usize, (&mut [f32], &mut [u32]))| {
            let start = (band * rows) as u32;
            let end = start + (depth.len() / width) as u32;
            let window = Window { columns: 0..size[0], rows: start..end };
            let batch = Batch {
                spots: &spots,
                triangles: surface.mesh.triangles(),
                listed: Some(&listed),
                outside_only: ahead,
                width: size[0],
                columns: 0..size[0],
                rows: start..end,
            };
            let mut nearest = Nearest { depth, seen, first, lens: &lens };
            let mut left = Vec::new();
            let mut drawn = lanes::draw(&batch, &mut nearest, &mut left);
            for triangle in left {
                let corners = surface.mesh.corners(triangle).map(|p| lens.projection.at(p.into()));
                drawn += u64::from(lens.show(&corners, &window, ahead, |span, depth| {
                    let row = (span.y - start) as usize * width;
                    for x in span.first..span.end {
                        let k = row + x as usize;
                        let own = &mut nearest;
                        offer(&mut own.depth[k], &mut own.seen[k], depth(span.value(x)), first + triangle);
                    }
                }));
            }
            drawn
        };
        let drawn: u64 = if threads > 1 {
            bands.enumerate().map(draw).sum()
        } else {
            let (depths, seen) = self.picture(picture);
            draw((0, (depths, seen)))
        };
        self.counts.triangles += drawn;
        (self.listed, self.spots) = (listed, spots);
    }
}

/// Rows of a picture.
struct Nearest<'m> {
    depth: &'m mut [f32],
    seen: &'m mut [u32],
    /// The part's first number.
    first: u32,
    lens: &'m Lens,
}

impl Sink for Nearest<'_> {
    const ALIGNED: bool = false;

    #[inline(always)]
    fn eight<W: Wide>(&mut self, at: usize, mask: W, value: W, number: u32) {
        let (Some(depth), Some(seen)) =
            (self.depth[at..].first_chunk_mut::<8>(), self.seen[at..].first_chunk_mut::<8>())
        else {
            return;
        };
        let (value, mask) = self.lens.depths(value, mask);
        let held = W::load(depth);
        let ahead = mask.and(value.less(held));
        let level = mask.and(value.at_most(held)).bits() & !ahead.bits();
        let number = self.first + number;
        if ahead.bits() != 0 {
            ahead.select(value, W::splat(f32::INFINITY)).min(held).store(depth);
            lanes::put(ahead, W::splat(f32::from_bits(number)), seen);
        }
        if level != 0 {
            for (lane, seen) in seen.iter_mut().enumerate() {
                if level >> lane & 1 == 1 {
                    *seen = number.min(*seen);
                }
            }
        }
    }
}

/// Keeps the nearer of what a pixel holds and what is offered, of equal ones that of the lower number.
#[inline(always)]
fn offer(depth: &mut f32, seen: &mut u32, offered: f32, number: u32) {
    if offered < *depth || (offered == *depth && number < *seen) {
        (*depth, *seen) = (offered, number);
    }
}

fn whole([width, height]: [u32; 2]) -> Window {
    Window { columns: 0..width, rows: 0..height }
}
