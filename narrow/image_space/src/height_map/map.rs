//! The nearest or farthest surface on an image plane, of whatever is drawn.

use impinge_geometry::{Primitive, Shape, TriMesh};
use nalgebra::{Isometry3, Vector3};
use rayon::prelude::*;

use super::draw::{face_normal, mesh_spans, place_vertices, primitive_points};
use super::tight::balls;
use super::{Hit, ImagePlane, NO_TRIANGLE, Subject, Which};
use crate::coverage::rows::Window;
use crate::passes;

/// From this many pixels and triangles on, bands of rows are drawn by several threads.
const BIG: [usize; 2] = [1 << 16, 1 << 13];

/// Rows of a band.
const BAND: usize = 64;

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
    /// Buffer: the corners of the mesh that is drawn, on the plane.
    placed: Vec<[f64; 3]>,
}

impl HeightMap {
    /// An empty height map.
    pub fn new(plane: ImagePlane, which: Which) -> HeightMap {
        let pixels = plane.width() as usize * plane.height() as usize;
        HeightMap {
            plane,
            which,
            depth: vec![empty(which); pixels],
            body: vec![0; pixels],
            triangle: vec![NO_TRIANGLE; pixels],
            normal: vec![Vector3::zeros(); pixels],
            placed: Vec::new(),
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

    /// Adds a shape that stands at `pose` (finite, world). Height fields and level sets are drawn as their meshes
    /// ([`HeightField::to_mesh`](impinge_geometry::HeightField::to_mesh), [`LevelSet::to_mesh`](impinge_geometry::LevelSet::to_mesh)), whose triangles are told; particles are drawn as balls.
    pub fn draw(&mut self, shape: &Shape, pose: &Isometry3<f64>, body: u32) {
        match shape {
            Shape::Primitive(primitive) => self.draw_primitive(primitive, pose, body),
            Shape::Hull(hull) => self.draw_mesh(hull.mesh(), pose, body),
            Shape::Mesh(mesh) => self.draw_mesh(mesh, pose, body),
            Shape::Field(field) => {
                field.to_mesh().iter().for_each(|own| self.draw_mesh(&own.mesh, pose, body))
            }
            Shape::Levels(levels) => {
                levels.to_mesh().iter().for_each(|own| self.draw_mesh(&own.mesh, pose, body));
            }
            Shape::Particles(particles) => {
                for (ball, pose) in balls(particles, pose) {
                    self.draw_primitive(&ball, &pose, body);
                }
            }
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
        let mut placed = std::mem::take(&mut self.placed);
        place_vertices(mesh, &self.plane.projection(pose), &mut placed);
        let rotation = pose.rotation.to_rotation_matrix().into_inner();
        let plane = self.plane;
        let width = plane.width();
        let draw = |mut band: Band<'_>| {
            let window = Window { columns: 0..width, rows: band.rows() };
            mesh_spans(mesh, &placed, &plane, &window, |triangle, span| {
                let mut normal = None;
                for x in span.first..span.end {
                    let normal = || *normal.get_or_insert_with(|| face_normal(mesh, triangle, &rotation));
                    band.offer(x, span.y, span.value(x), body, triangle, normal);
                }
            });
        };
        let big = self.depth.len() >= BIG[0] && mesh.triangles().len() >= BIG[1];
        if big && rayon::current_num_threads() > 1 {
            self.bands(BAND).for_each(draw);
        } else {
            draw(self.whole());
        }
        self.placed = placed;
    }

    /// Adds a primitive that stands at `pose` (finite, world). A surface at infinity (of a half-space
    /// seen from inside) is not seen.
    pub fn draw_primitive(&mut self, primitive: &Primitive, pose: &Isometry3<f64>, body: u32) {
        let plane = self.plane;
        let window = Window { columns: 0..plane.width(), rows: 0..plane.height() };
        let mut band = self.whole();
        primitive_points(primitive, pose, &plane, &window, |x, y, depth, normal| {
            band.offer(x, y, depth, body, NO_TRIANGLE, || normal.cast());
        });
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
        if x >= self.plane.width() || y >= self.plane.height() {
            return None;
        }
        let k = y as usize * self.plane.width() as usize + x as usize;
        self.depth[k].is_finite().then(|| Hit {
            depth: self.depth[k],
            body: self.body[k],
            triangle: self.triangle[k],
            normal: self.normal[k],
        })
    }

    /// All of it.
    fn whole(&mut self) -> Band<'_> {
        Band {
            plane: &self.plane,
            which: self.which,
            first: 0,
            depth: &mut self.depth,
            body: &mut self.body,
            triangle: &mut self.triangle,
            normal: &mut self.normal,
        }
    }

    /// Bands of `rows` rows.
    fn bands(&mut self, rows: usize) -> impl IndexedParallelIterator<Item = Band<'_>> {
        let size = rows * self.plane.width() as usize;
        let (plane, which) = (&self.plane, self.which);
        let ids = self.body.par_chunks_mut(size).zip(self.triangle.par_chunks_mut(size));
        let all = self.depth.par_chunks_mut(size).zip(ids).zip(self.normal.par_chunks_mut(size));
        all.enumerate().map(move |(index, ((depth, (body, triangle)), normal))| {
            let first = (index * rows) as u32;
            Band { plane, which, first, depth, body, triangle, normal }
        })
    }
}

/// Some rows of a height map.
struct Band<'m> {
    plane: &'m ImagePlane,
    which: Which,
    /// The first row.
    first: u32,
    depth: &'m mut [f64],
    body: &'m mut [u32],
    triangle: &'m mut [u32],
    normal: &'m mut [Vector3<f32>],
}

impl Band<'_> {
    fn rows(&self) -> std::ops::Range<u32> {
        self.first..self.first + (self.depth.len() / self.plane.width() as usize) as u32
    }

    #[inline(always)]
    fn offer(
        &mut self,
        x: u32,
        y: u32,
        depth: f64,
        body: u32,
        triangle: u32,
        normal: impl FnOnce() -> Vector3<f32>,
    ) {
        let [near, far] = self.plane.depths();
        if !(near <= depth && depth <= far) {
            return;
        }
        let k = (y - self.first) as usize * self.plane.width() as usize + x as usize;
        let held = self.depth[k];
        let ahead = match self.which {
            Which::Near => depth < held,
            Which::Far => depth > held,
        };
        if ahead || (depth == held && (body, triangle) < (self.body[k], self.triangle[k])) {
            self.depth[k] = depth;
            self.body[k] = body;
            self.triangle[k] = triangle;
            self.normal[k] = normal();
        }
    }
}

fn empty(which: Which) -> f64 {
    match which {
        Which::Near => f64::INFINITY,
        Which::Far => f64::NEG_INFINITY,
    }
}
