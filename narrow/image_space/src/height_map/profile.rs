//! An object's nearest and farthest surface along a direction of its own frame.

use std::ops::Range;

use impinge_geometry::{Primitive, Shape, TriMesh};
use nalgebra::{Isometry3, Vector3};
use rayon::prelude::*;

use super::draw::{face_normal, primitive_normal, primitive_points};
use super::maps::Maps;
use super::pyramid::Pyramid;
use super::tight::{flatten, tight_plane};
use super::{HeightMapError, Hit, ImagePlane, NO_TRIANGLE};
use crate::coverage::eight::{self, Batch, Spot};
use crate::coverage::rows::{Window, cover};

/// From this many pixels on, bands of rows are drawn by several threads.
const BIG: usize = 1 << 17;

/// Rows of the near map, the far map, and of what lies farthest.
type Rows<'p> = ((&'p mut [f32], &'p mut [f32]), &'p mut [u32]);

/// Stands for "nothing" in what is seen.
const NOTHING: u32 = u32::MAX;

/// The two height maps of an object along a direction, in the object's own frame: made once for a rigid
/// object, redrawn for one that changes its shape. Depth is linear, counted from the object's
/// nearest point.
///
/// Source: Fabrizio, "Easy Real-Time Collision Detection" (there the farther of the two alone). We
/// differ in that the picture is as wide as the object and no wider, and in a pyramid of bounds over
/// the maps, by which whole parts of an environment are passed over at once.
#[derive(Clone, Debug)]
pub struct Profile {
    plane: ImagePlane,
    length: f64,
    pub(super) near: Vec<f32>,
    pub(super) far: Vec<f32>,
    /// What lies farthest, by its number: triangles are counted over all parts, a primitive is one.
    seen: Vec<u32>,
    /// The first number of each part.
    starts: Vec<u32>,
    pub(super) pyramid: Pyramid,
    parts: Vec<(Shape, Isometry3<f64>)>,
    spots: Vec<Spot>,
    /// Rows in which something may be drawn.
    drawn: Range<u32>,
}

/// A rectangle of pixels.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub columns: Range<u32>,
    pub rows: Range<u32>,
}

impl Profile {
    /// The profile of `shape` along `direction` (its own frame, any length), with `pixels` along the
    /// longer side of the picture; pixels are square.
    ///
    /// # Errors
    /// [`HeightMapError`] for a direction or number of pixels that cannot be used, and for a shape
    /// without an end or without triangles.
    pub fn new(shape: &Shape, direction: Vector3<f64>, pixels: u32) -> Result<Profile, HeightMapError> {
        let mut parts = Vec::new();
        flatten(shape, &Isometry3::identity(), &mut parts);
        let (plane, length) = tight_plane(&parts, direction, pixels)?;
        let count = plane.width() as usize * plane.height() as usize;
        let mut profile = Profile {
            plane,
            length,
            near: vec![f32::INFINITY; count],
            far: vec![f32::NEG_INFINITY; count],
            seen: vec![NOTHING; count],
            starts: Vec::new(),
            pyramid: Pyramid::default(),
            parts,
            spots: Vec::new(),
            drawn: 0..0,
        };
        profile.draw(&profile.whole());
        Ok(profile)
    }

    /// Draws it again after the object has changed its shape; direction and number of pixels stay. Warm,
    /// nothing is allocated where the picture does not grow.
    ///
    /// # Errors
    /// As [`Profile::new`]; the profile then is as it was.
    pub fn redraw(&mut self, shape: &Shape) -> Result<(), HeightMapError> {
        self.place(shape)?;
        self.draw(&self.whole());
        Ok(())
    }

    /// The whole picture.
    pub(super) fn whole(&self) -> Region {
        Region { columns: 0..self.plane.width(), rows: 0..self.plane.height() }
    }

    /// Takes the object as it is now; the maps are empty after this, all but the pyramid.
    pub(super) fn place(&mut self, shape: &Shape) -> Result<(), HeightMapError> {
        let mut parts = Vec::new();
        flatten(shape, &Isometry3::identity(), &mut parts);
        let before = self.plane.pixels();
        let pixels = before[0].max(before[1]);
        let (plane, length) = tight_plane(&parts, self.plane.direction(), pixels)?;
        (self.plane, self.length, self.parts) = (plane, length, parts);
        let width = plane.width() as usize;
        let mut stale = self.drawn.start as usize * width..self.drawn.end as usize * width;
        if plane.pixels() != before {
            let count = width * plane.height() as usize;
            self.near.resize(count, f32::INFINITY);
            self.far.resize(count, f32::NEG_INFINITY);
            self.seen.resize(count, NOTHING);
            stale = 0..count;
            self.drawn = 0..plane.height();
        }
        self.near[stale.clone()].fill(f32::INFINITY);
        self.far[stale].fill(f32::NEG_INFINITY);
        Ok(())
    }

    pub(super) fn draw(&mut self, region: &Region) {
        let parts = std::mem::take(&mut self.parts);
        self.starts.clear();
        let mut next = 0u32;
        for (shape, pose) in &parts {
            self.starts.push(next);
            let count = match shape {
                Shape::Primitive(primitive) => self.draw_primitive(primitive, pose, next, region),
                Shape::Hull(hull) => self.draw_mesh(hull.mesh(), pose, next, region),
                Shape::Mesh(mesh) => self.draw_mesh(mesh, pose, next, region),
                _ => 0,
            };
            next = next.saturating_add(count);
        }
        self.parts = parts;
        let size = self.plane.pixels().map(|n| n as usize);
        let (old, new) = (self.drawn.clone(), region.rows.clone());
        let stale = match (old.is_empty(), new.is_empty()) {
            (true, _) => new.clone(),
            (_, true) => old,
            _ => old.start.min(new.start)..old.end.max(new.end),
        };
        self.pyramid.fill(&self.near, &self.far, size, stale.start as usize..stale.end as usize);
        self.drawn = new;
    }

    fn draw_mesh(&mut self, mesh: &TriMesh, pose: &Isometry3<f64>, first: u32, region: &Region) -> u32 {
        let count = mesh.triangles().len() as u32;
        if region.rows.is_empty() || region.columns.is_empty() {
            return count;
        }
        let projection = self.plane.projection(pose);
        self.spots.clear();
        self.spots.extend(mesh.vertices().iter().map(|v| eight::spot(projection.at((*v).into()))));
        let width = self.plane.width();
        let own = (region.rows.start * width) as usize..(region.rows.end * width) as usize;
        let threads = if own.len() < BIG { 1 } else { rayon::current_num_threads() as u32 };
        let rows = (region.rows.len() as u32).div_ceil(threads).max(1);
        let spots = &self.spots;
        let draw = |(band, ((near, far), seen)): (usize, Rows<'_>)| {
            let start = region.rows.start + band as u32 * rows;
            let end = start + near.len() as u32 / width;
            let batch = Batch {
                spots,
                triangles: mesh.triangles(),
                listed: None,
                outside_only: false,
                width,
                columns: region.columns.clone(),
                rows: start..end,
            };
            let (mut maps, mut left) = (Maps { near, far, seen, first }, Vec::new());
            eight::draw(&batch, &mut maps, &mut left);
            let window = Window { columns: 0..width, rows: start..end };
            for number in left {
                let corners = mesh.corners(number).map(|p| projection.at(p.into()));
                cover(&corners, &window, |span| {
                    let row = ((span.y - start) * width) as usize;
                    for x in span.first..span.end {
                        maps.offer(row + x as usize, span.value(x) as f32, first + number);
                    }
                });
            }
        };
        let size = (rows * width) as usize;
        let Profile { near, far, seen, .. } = self;
        let (near, far, seen) = (&mut near[own.clone()], &mut far[own.clone()], &mut seen[own]);
        if threads > 1 {
            let maps = near.par_chunks_mut(size).zip(far.par_chunks_mut(size));
            maps.zip(seen.par_chunks_mut(size)).enumerate().for_each(draw);
        } else {
            draw((0, ((near, far), seen)));
        }
        count
    }

    fn draw_primitive(
        &mut self,
        primitive: &Primitive,
        pose: &Isometry3<f64>,
        number: u32,
        region: &Region,
    ) -> u32 {
        let plane = self.plane;
        let window = Window { columns: region.columns.clone(), rows: region.rows.clone() };
        let Profile { near, far, seen, .. } = self;
        let mut maps = Maps { near, far, seen, first: number };
        primitive_points(primitive, pose, &plane, &window, |x, y, depth, _| {
            maps.offer(y as usize * plane.width() as usize + x as usize, depth as f32, number);
        });
        1
    }

    /// The image plane, in the object's frame; the object's nearest point has depth 0.
    pub fn plane(&self) -> &ImagePlane {
        &self.plane
    }

    /// How long the object is along the direction (m).
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Nearest and farthest depth (m) of pixel `x` of row `y`; `None` beside the object.
    pub fn at(&self, x: u32, y: u32) -> Option<[f32; 2]> {
        let [width, height] = self.plane.pixels();
        let k = y as usize * width as usize + x as usize;
        (x < width && y < height && self.near[k] <= self.far[k]).then(|| [self.near[k], self.far[k]])
    }

    /// The space between both surfaces (m³): the object's own, and every hollow that lies sideways or
    /// closed within it.
    pub fn enclosed(&self) -> f64 {
        self.sum(|near, far| far - near)
    }

    /// The space from the plane of the nearest point to the farthest surface (m³): what counts as the
    /// object with [`Bounds::Box`](super::Bounds::Box).
    pub fn swept(&self) -> f64 {
        self.sum(|_, far| far)
    }

    fn sum(&self, of: impl Fn(f64, f64) -> f64) -> f64 {
        let covered = self.near.iter().zip(&self.far).filter(|(near, far)| near <= far);
        let [w, h] = self.plane.pixel_size();
        covered.map(|(&near, &far)| of(near.into(), far.into())).sum::<f64>() * w * h
    }

    /// What of the object lies farthest at pixel `k`; the object stands at `pose`.
    pub(super) fn object_hit(&self, k: usize, pose: &Isometry3<f64>) -> Hit {
        let number = self.seen[k];
        let part = self.starts.partition_point(|start| *start <= number).saturating_sub(1);
        let triangle = number - self.starts[part];
        let rotation = pose.rotation.to_rotation_matrix().into_inner();
        let normal = match &self.parts[part] {
            (Shape::Hull(hull), own) => {
                face_normal(hull.mesh(), triangle, &(rotation * own.rotation.to_rotation_matrix().matrix()))
            }
            (Shape::Mesh(mesh), own) => {
                face_normal(mesh, triangle, &(rotation * own.rotation.to_rotation_matrix().matrix()))
            }
            (Shape::Primitive(primitive), own) => {
                let [x, y] = self.pixel(k);
                let origin = own.inverse_transform_point(&self.plane.place(x, y, 0.0));
                let along = own.inverse_transform_vector(&self.plane.direction());
                let normal = primitive_normal(primitive, &origin, &along, self.far[k].into());
                (rotation * (own * normal)).cast()
            }
            _ => Vector3::zeros(),
        };
        let triangle = if matches!(self.parts[part].0, Shape::Primitive(_)) { NO_TRIANGLE } else { triangle };
        Hit { depth: self.far[k].into(), body: part as u32, triangle, normal }
    }

    /// Column and row of a pixel by its place in the maps.
    pub(super) fn pixel(&self, k: usize) -> [u32; 2] {
        let width = self.plane.width() as usize;
        [(k % width) as u32, (k / width) as u32]
    }
}
