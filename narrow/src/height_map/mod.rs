//! Height maps: the nearest or farthest surface on an image plane, with what was hit there.
//!
//! The cheap answer for terrain, particles and objects that are height fields along some direction
//! (Fabrizio, "Easy Real-Time Collision Detection"), and the way pictures of a scene are drawn. The
//! view is orthographic; meshes are scanned, primitives answer by their closed forms.

mod compare;
mod plane;
mod raster;

#[cfg(test)]
mod tests;

use impinge_geometry::{Primitive, Shape, TriMesh};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

pub use compare::{Overlap, OverlapPixel, compare};
pub use plane::{HeightMapError, ImagePlane, MAX_PIXELS};

use crate::passes;
use crate::solid::primitive_span;

/// Stands for "no triangle" in [`Hit::triangle`]: a primitive was hit.
pub const NO_TRIANGLE: u32 = u32::MAX;

/// Which surface a height map holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The one of least depth: what a viewer sees.
    Near,
    /// The one of greatest depth: what an object pushes against when it moves along the direction.
    Far,
}

/// What a pixel holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Depth along the direction from the image plane (m).
    pub depth: f64,
    /// The body that was hit, as the caller named it.
    pub body: u32,
    /// The triangle that was hit, of the body's mesh (of a composite: of the child's); else
    /// [`NO_TRIANGLE`].
    pub triangle: u32,
    /// Outward unit normal of the surface there, in the world.
    pub normal: Vector3<f32>,
}

/// The nearest or farthest surface on an image plane. Of surfaces at equal depth the one of the lower
/// body, then of the lower triangle, is kept, whatever the order in which they were drawn.
#[derive(Clone, Debug)]
pub struct HeightMap {
    plane: ImagePlane,
    which: Which,
    depth: Vec<f64>,
    body: Vec<u32>,
    triangle: Vec<u32>,
    normal: Vec<Vector3<f32>>,
}

/// A shape to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The shape.
    pub shape: &'s Shape,
    /// Where it stands in the world.
    pub pose: Isometry3<f64>,
    /// What the pixels that it fills are to say.
    pub body: u32,
}

impl HeightMap {
    /// An empty height map.
    pub fn new(plane: ImagePlane, which: Which) -> HeightMap {
        let pixels = plane.width as usize * plane.height as usize;
        HeightMap {
            plane,
            which,
            depth: vec![empty(which); pixels],
            body: vec![0; pixels],
            triangle: vec![NO_TRIANGLE; pixels],
            normal: vec![Vector3::zeros(); pixels],
        }
    }

    /// The surfaces of many shapes.
    pub fn scene<'s>(
        plane: ImagePlane,
        which: Which,
        subjects: impl IntoIterator<Item = Subject<'s>>,
    ) -> HeightMap {
        let span = tracing::debug_span!(passes::HEIGHT_MAP, subjects = tracing::field::Empty);
        let _entered = span.enter();
        let mut map = HeightMap::new(plane, which);
        let mut count = 0u64;
        for subject in subjects {
            map.draw(subject.shape, &subject.pose, subject.body);
            count += 1;
        }
        span.record("subjects", count);
        map
    }

    /// Empties it, and keeps its memory.
    pub fn clear(&mut self) {
        self.depth.fill(empty(self.which));
    }

    /// Adds a shape that stands at `pose` (finite, world).
    pub fn draw(&mut self, shape: &Shape, pose: &Isometry3<f64>, body: u32) {
        match shape {
            Shape::Primitive(primitive) => self.draw_primitive(primitive, pose, body),
            Shape::Hull(hull) => self.draw_mesh(hull.mesh(), pose, body),
            Shape::Mesh(mesh) => self.draw_mesh(mesh, pose, body),
            Shape::Composite(composite) => {
                for (child, shape) in composite.children() {
                    self.draw(shape, &(pose * child), body);
                }
            }
            _ => {}
        }
    }

    /// Adds a mesh that stands at `pose` (finite, world).
    pub fn draw_mesh(&mut self, mesh: &TriMesh, pose: &Isometry3<f64>, body: u32) {
        let rotation = pose.rotation.to_rotation_matrix().into_inner();
        let placed: Vec<[f64; 3]> = mesh
            .vertices()
            .iter()
            .map(|v| {
                let p = rotation * v.coords.cast::<f64>() + pose.translation.vector;
                self.plane.locate(&Point3::from(p))
            })
            .collect();
        for (index, corners) in mesh.triangles().iter().enumerate() {
            let c = corners.map(|v| placed[v as usize]);
            if self.misses(&c) {
                continue;
            }
            let normal = face_normal(mesh, index as u32, &rotation);
            let size = [self.plane.width, self.plane.height];
            raster::cover(c.map(|p| [p[0], p[1]]), size, |x, y, w| {
                let depth = w[0] * c[0][2] + w[1] * c[1][2] + w[2] * c[2][2];
                self.offer(x, y, Hit { depth, body, triangle: index as u32, normal });
            });
        }
    }

    /// Adds a primitive that stands at `pose` (finite, world). A surface at infinity (of a half-space
    /// seen from inside) is not seen.
    pub fn draw_primitive(&mut self, primitive: &Primitive, pose: &Isometry3<f64>, body: u32) {
        let rotation = pose.rotation.to_rotation_matrix().into_inner();
        let local = |p: &Point3<f64>| Point3::from(rotation.tr_mul(&(p.coords - pose.translation.vector)));
        let direction = rotation.tr_mul(&self.plane.direction);
        let [columns, rows] = self.reach(primitive, pose);
        for y in rows {
            for x in columns.clone() {
                let origin = local(&self.plane.place(x, y, 0.0));
                let Some(span) = primitive_span(primitive, &origin, &direction) else { continue };
                for (depth, normal) in [(span.enter, span.enter_normal), (span.exit, span.exit_normal)] {
                    if depth.is_finite() {
                        let normal = (rotation * normal).cast();
                        self.offer(x, y, Hit { depth, body, triangle: NO_TRIANGLE, normal });
                    }
                }
            }
        }
    }

    /// The image plane.
    pub fn plane(&self) -> &ImagePlane {
        &self.plane
    }

    /// Which surface it holds.
    pub fn which(&self) -> Which {
        self.which
    }

    /// Depth of every pixel (m), row by row from the top; infinite where nothing was hit.
    pub fn depths(&self) -> &[f64] {
        &self.depth
    }

    /// What the pixel `x` of row `y` (from the top) holds; `None` where nothing was hit, or outside
    /// the picture.
    pub fn at(&self, x: u32, y: u32) -> Option<Hit> {
        if x >= self.plane.width || y >= self.plane.height {
            return None;
        }
        let k = y as usize * self.plane.width as usize + x as usize;
        self.depth[k].is_finite().then(|| Hit {
            depth: self.depth[k],
            body: self.body[k],
            triangle: self.triangle[k],
            normal: self.normal[k],
        })
    }

    fn offer(&mut self, x: u32, y: u32, hit: Hit) {
        let [near, far] = self.plane.depths;
        if !(near <= hit.depth && hit.depth <= far) {
            return;
        }
        let k = y as usize * self.plane.width as usize + x as usize;
        let ahead = match self.which {
            Which::Near => hit.depth < self.depth[k],
            Which::Far => hit.depth > self.depth[k],
        };
        let tie = hit.depth == self.depth[k] && (hit.body, hit.triangle) < (self.body[k], self.triangle[k]);
        if ahead || tie {
            self.depth[k] = hit.depth;
            self.body[k] = hit.body;
            self.triangle[k] = hit.triangle;
            self.normal[k] = hit.normal;
        }
    }

    fn misses(&self, c: &[[f64; 3]; 3]) -> bool {
        let beyond =
            |k: usize, low: f64, high: f64| c.iter().all(|p| p[k] < low) || c.iter().all(|p| p[k] > high);
        let [near, far] = self.plane.depths;
        beyond(0, 0.0, f64::from(self.plane.width))
            || beyond(1, 0.0, f64::from(self.plane.height))
            || beyond(2, near, far)
    }

    /// The columns and rows that a primitive may fill.
    fn reach(&self, primitive: &Primitive, pose: &Isometry3<f64>) -> [std::ops::Range<u32>; 2] {
        let size = [self.plane.width, self.plane.height];
        let radius = match *primitive {
            Primitive::HalfSpace => return size.map(|n| 0..n),
            Primitive::Sphere { radius } => f64::from(radius),
            Primitive::Cuboid { half } => Vector3::from(half).cast::<f64>().norm(),
            Primitive::Capsule { half_height, radius } => f64::from(half_height) + f64::from(radius),
            Primitive::Cylinder { half_height, radius } => {
                Vector3::new(f64::from(half_height), f64::from(radius), 0.0).norm()
            }
        };
        let middle = self.plane.locate(&Point3::from(pose.translation.vector));
        std::array::from_fn(|k| {
            let pixels = radius / self.plane.pixel[k] + 1.0;
            // A float too large for u32, or negative, is held at the range's ends.
            let (first, last) = ((middle[k] - pixels).floor() as u32, (middle[k] + pixels).ceil() as u32);
            first.min(size[k])..last.min(size[k])
        })
    }
}

fn empty(which: Which) -> f64 {
    match which {
        Which::Near => f64::INFINITY,
        Which::Far => f64::NEG_INFINITY,
    }
}

fn face_normal(mesh: &TriMesh, triangle: u32, rotation: &Matrix3<f64>) -> Vector3<f32> {
    let [a, b, c] = mesh.corners(triangle).map(|p| p.cast::<f64>());
    let n = (b - a).cross(&(c - a));
    let largest = n.amax();
    if largest > 0.0 { (rotation * (n / largest).normalize()).cast() } else { Vector3::zeros() }
}
