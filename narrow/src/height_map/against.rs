//! An object's profile against its environment, pixel by pixel.
//!
//! The environment's nearest surface is looked for only where it decides anything: within the object's
//! image, and nearer than the object's farthest surface there. Boxes of a mesh's tree are held
//! against the pyramid over the profile, so that what is beside or behind the object is passed over
//! in large pieces; the answer is that of the whole picture.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge_geometry::{Primitive, Shape, TriMesh};
use impinge_midphase::obb_tree::Covered;
use impinge_midphase::{Part, PreparedShape, Solid};
use nalgebra::{Isometry3, Point3, Vector3};

use super::draw::{beyond, face_normal, half_space_lines, primitive_normal, primitive_points};
use super::raster::{Window, cover};
use super::{Hit, NO_TRIANGLE, Overlap, OverlapPixel, OverlapSums, Profile};

/// Points that are located together.
const BLOCK: usize = 256;

/// What of an environment counts, along the direction of view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Bounds {
    /// From the plane through the object's nearest point on: what lies between that plane and the
    /// object counts as well, unless it is hidden from there (Fabrizio's height maps).
    Box,
    /// Everything before the object's farthest surface, however far before: a terrain, and all else
    /// that is solid all the way down.
    Terrain,
    /// What lies between the object's nearest and its farthest surface, pixel by pixel.
    #[default]
    TwoSided,
}

/// What a caller knows of an environment, handed back where it is hit (a force, a temperature).
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Channels {
    /// Nothing.
    #[default]
    None,
    /// The same everywhere.
    Body([f32; 4]),
    /// One value for each vertex of the only mesh of the shape, interpolated between them.
    Vertices(Arc<[[f32; 4]]>),
}

/// A part of the environment.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// The shape, made ready.
    pub shape: PreparedShape,
    /// Where it stands in the world (finite).
    pub pose: Isometry3<f64>,
    /// What pixels in which it is hit are to say.
    pub body: u32,
    /// What the caller knows of it.
    pub channels: Channels,
}

impl Obstacle {
    /// `shape`, made ready, at `pose`; nothing more is known of it.
    pub fn new(shape: &Shape, pose: Isometry3<f64>, body: u32) -> Obstacle {
        Obstacle { shape: PreparedShape::new(shape), pose, body, channels: Channels::None }
    }

    /// What the caller knows of a triangle of a part at `p` (m, the part's frame).
    pub(crate) fn channels_at(&self, part: &Part, triangle: u32, p: &Point3<f64>) -> Option<[f32; 4]> {
        match (&self.channels, &part.surface) {
            (Channels::None, _) | (Channels::Vertices(_), None) => None,
            (Channels::Body(of), _) => Some(*of),
            (Channels::Vertices(values), Some(surface)) => interpolated(&surface.mesh, triangle, p, values),
        }
    }
}

/// Buffers of a comparison, to be used again.
#[derive(Clone, Debug, Default)]
pub struct AgainstScratch {
    /// The environment's nearest depth; infinite where it was not seen.
    depth: Vec<f32>,
    /// Obstacle, part and triangle.
    hit: Vec<[u32; 3]>,
    /// Pixels in which there is an overlap.
    touched: Vec<u32>,
    pub(super) stack: Vec<u32>,
    /// What the last comparison cost.
    pub counts: AgainstCounts,
}

/// What comparisons cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgainstCounts {
    /// Boxes held against the profile.
    pub boxes: u64,
    /// Triangles held against the profile.
    pub triangles: u64,
    /// Triangles drawn.
    pub drawn: u64,
}

/// A profile and what of the environment counts.
struct Gate<'p> {
    profile: &'p Profile,
    bounds: Bounds,
    size: [usize; 2],
}

impl Gate<'_> {
    /// Whether something that covers this much may overlap the object.
    #[inline(always)]
    fn opens(&self, covered: &Covered) -> bool {
        let pixels = |k: usize| {
            let [low, high] = covered[k];
            let last = self.size[k] as i64 - 1;
            // Corners move by up to 1/512 of a pixel when they are snapped.
            let first = (low - 0.51).ceil() as i64;
            let end = (high - 0.49).floor() as i64;
            // What is no number is everywhere.
            let apart = low <= high && (first > last || end < 0 || first > end);
            (!apart).then(|| [first.clamp(0, last) as usize, end.clamp(0, last) as usize])
        };
        let (Some(x), Some(y)) = (pixels(0), pixels(1)) else { return false };
        if x[0] > x[1] || y[0] > y[1] {
            return true;
        }
        let Profile { near, far, pyramid, .. } = self.profile;
        let [least, most] = pyramid.over(near, far, x, y);
        let [front, back] = covered[2];
        let before = match self.bounds {
            Bounds::Box => back < 0.0,
            Bounds::Terrain => false,
            Bounds::TwoSided => back < least,
        };
        !(front > most || before)
    }

    /// Whether a depth overlaps the object in a pixel.
    #[inline(always)]
    fn holds(&self, k: usize, depth: f32) -> bool {
        let after = match self.bounds {
            Bounds::Box => depth >= 0.0,
            Bounds::Terrain => true,
            Bounds::TwoSided => depth > self.profile.near[k],
        };
        depth < self.profile.far[k] && after
    }

    /// Where a solid begins to count that fills all between the bounds in a pixel, from before them to
    /// behind the object: its own surface lies nowhere between.
    #[inline(always)]
    fn filled(&self, k: usize, [enter, exit]: [f64; 2]) -> Option<f32> {
        let Profile { near, far, .. } = self.profile;
        let least = match self.bounds {
            Bounds::Box => 0.0,
            // However far before; what has no beginning begins with the object's box.
            Bounds::Terrain if enter.is_finite() => return None,
            Bounds::Terrain => 0.0,
            Bounds::TwoSided => near[k],
        };
        let through = enter <= f64::from(least) && exit >= f64::from(far[k]);
        (through && least < far[k]).then_some(least)
    }
}

/// Least and greatest coordinates of a triangle, rounded outward.
#[inline(always)]
pub(super) fn covered_by(c: &[[f64; 3]; 3]) -> Covered {
    [0, 1, 2].map(|k| {
        let low = c[0][k].min(c[1][k]).min(c[2][k]) as f32;
        let high = c[0][k].max(c[1][k]).max(c[2][k]) as f32;
        [low.next_down(), high.next_up()]
    })
}

impl Profile {
    /// Whether the object, standing at `pose`, overlaps an obstacle: ends at the first pixel found.
    pub fn meets(
        &self,
        pose: &Isometry3<f64>,
        obstacles: &[Obstacle],
        bounds: Bounds,
        scratch: &mut AgainstScratch,
    ) -> bool {
        scratch.counts = AgainstCounts::default();
        self.scan(pose, obstacles, bounds, scratch, |_, _, _, _| ControlFlow::Break(())).is_break()
    }

    /// Where and how the object, standing at `pose`, overlaps obstacles. The overlap's pixels are those
    /// of [`Profile::plane`]; their normals are in the world.
    pub fn overlap(
        &self,
        pose: &Isometry3<f64>,
        obstacles: &[Obstacle],
        bounds: Bounds,
        scratch: &mut AgainstScratch,
        out: &mut Overlap,
    ) {
        self.collect(pose, obstacles, bounds, scratch);
        out.clear();
        out.pixels.extend(scratch.touched.iter().map(|&k| {
            let k = k as usize;
            let [x, y] = self.pixel(k);
            let object = self.object_hit(k, pose);
            let (environment, channels) =
                self.environment_hit(k, pose, obstacles, scratch.depth[k], scratch.hit[k]);
            OverlapPixel { x, y, depth: object.depth - environment.depth, object, environment, channels }
        }));
        out.sum(self.plane().pixel_size());
        self.forget(scratch);
    }

    /// The sums of [`Profile::overlap`] without its pixels.
    pub fn measure(
        &self,
        pose: &Isometry3<f64>,
        obstacles: &[Obstacle],
        bounds: Bounds,
        scratch: &mut AgainstScratch,
    ) -> OverlapSums {
        self.collect(pose, obstacles, bounds, scratch);
        let [w, h] = self.plane().pixel_size();
        let mut sums = OverlapSums::default();
        let mut volume = 0.0;
        let mut deepest = None;
        for &k in &scratch.touched {
            let depth = f64::from(self.far[k as usize]) - f64::from(scratch.depth[k as usize]);
            volume += depth;
            if depth > sums.deepest {
                sums.deepest = depth;
                deepest = Some(k as usize);
            }
        }
        sums.area = scratch.touched.len() as f64 * (w * h);
        sums.volume = volume * (w * h);
        sums.at =
            deepest.map(|k| self.environment_hit(k, pose, obstacles, scratch.depth[k], scratch.hit[k]).0);
        self.forget(scratch);
        sums
    }

    /// Appends to `out` the numbers of the points (m, world) that lie in the object, standing at `pose`:
    /// in its image, and between the bounds there. A point that is not finite lies nowhere.
    pub fn points_inside(
        &self,
        pose: &Isometry3<f64>,
        points: &[[f32; 3]],
        bounds: Bounds,
        out: &mut Vec<u32>,
    ) {
        let gate = Gate { profile: self, bounds, size: self.plane().pixels().map(|n| n as usize) };
        let seen = self.plane().projection(&pose.inverse());
        let size = gate.size.map(|n| n as f64);
        // A block of points is located without branches, then the few in the picture are looked at.
        let (mut within, mut places) = ([0u16; BLOCK], [(0usize, 0f32); BLOCK]);
        for (block, points) in points.chunks(BLOCK).enumerate() {
            let mut count = 0;
            for (k, point) in points.iter().enumerate() {
                let [x, y, depth] = seen.at(*point);
                let inside = (x >= 0.0) & (x < size[0]) & (y >= 0.0) & (y < size[1]);
                // What is beside the picture is not kept, whatever its number.
                let row = (y as i32 as u32).wrapping_mul(gate.size[0] as u32);
                places[count] = (row.wrapping_add(x as i32 as u32) as usize, depth as f32);
                within[count] = k as u16;
                count += usize::from(inside);
            }
            for (&(pixel, depth), &k) in places[..count].iter().zip(&within) {
                if gate.holds(pixel, depth) {
                    out.push((block * BLOCK) as u32 + u32::from(k));
                }
            }
        }
    }

    fn collect(
        &self,
        pose: &Isometry3<f64>,
        obstacles: &[Obstacle],
        bounds: Bounds,
        scratch: &mut AgainstScratch,
    ) {
        scratch.counts = AgainstCounts::default();
        let count = self.far.len();
        if scratch.depth.len() < count {
            scratch.depth.resize(count, f32::INFINITY);
            scratch.hit.resize(count, [0, 0, NO_TRIANGLE]);
        }
        let (mut depths, mut hits) = (std::mem::take(&mut scratch.depth), std::mem::take(&mut scratch.hit));
        let mut touched = std::mem::take(&mut scratch.touched);
        touched.clear();
        let _ = self.scan(pose, obstacles, bounds, scratch, |k, depth, of, triangle| {
            let held = depths[k];
            let id = [of[0], of[1], triangle];
            if depth < held {
                if held == f32::INFINITY {
                    touched.push(k as u32);
                }
                (depths[k], hits[k]) = (depth, id);
            } else if depth == held && id < hits[k] {
                hits[k] = id;
            }
            ControlFlow::Continue(())
        });
        touched.sort_unstable();
        (scratch.depth, scratch.hit, scratch.touched) = (depths, hits, touched);
    }

    /// Leaves the buffers as the next comparison expects them.
    fn forget(&self, scratch: &mut AgainstScratch) {
        for &k in &scratch.touched {
            scratch.depth[k as usize] = f32::INFINITY;
        }
    }

    /// Calls `visit` with pixel, depth, obstacle and part, and triangle for every surface of the
    /// environment that overlaps the object in a pixel.
    fn scan(
        &self,
        pose: &Isometry3<f64>,
        obstacles: &[Obstacle],
        bounds: Bounds,
        scratch: &mut AgainstScratch,
        mut visit: impl FnMut(usize, f32, [u32; 2], u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let gate = Gate { profile: self, bounds, size: self.plane().pixels().map(|n| n as usize) };
        for (index, obstacle) in obstacles.iter().enumerate() {
            let relative = pose.inv_mul(&obstacle.pose);
            for (part, own) in obstacle.shape.parts().iter().enumerate() {
                let of = [index as u32, part as u32];
                let visit = |k, depth, triangle| visit(k, depth, of, triangle);
                self.scan_part(&gate, own, &(relative * own.pose), scratch, visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn scan_part(
        &self,
        gate: &Gate<'_>,
        part: &Part,
        relative: &Isometry3<f64>,
        scratch: &mut AgainstScratch,
        mut visit: impl FnMut(usize, f32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let plane = self.plane();
        let width = gate.size[0];
        let window = Window { columns: 0..plane.width, rows: 0..plane.height };
        if let Solid::Primitive(primitive) = &part.solid {
            let mut flow = ControlFlow::Continue(());
            if matches!(primitive, Primitive::HalfSpace) {
                half_space_lines(relative, plane, |x, y, span| {
                    let k = y as usize * width + x as usize;
                    if let (true, Some(depth)) = (flow.is_continue(), gate.filled(k, span)) {
                        flow = visit(k, depth, NO_TRIANGLE);
                    }
                });
            }
            primitive_points(primitive, relative, plane, &window, |x, y, depth, _| {
                let k = y as usize * width + x as usize;
                if flow.is_continue() && gate.holds(k, depth as f32) {
                    flow = visit(k, depth as f32, NO_TRIANGLE);
                }
            });
            return flow;
        }
        let Some(surface) = &part.surface else { return ControlFlow::Continue(()) };
        let projection = plane.projection(relative);
        let depths = [f64::NEG_INFINITY, f64::INFINITY];
        let AgainstScratch { stack, counts, .. } = scratch;
        let mut boxes = 0;
        let open = |covered: &Covered| {
            boxes += 1;
            gate.opens(covered)
        };
        let leaf = |leaf| {
            for &triangle in surface.tree.leaf_triangles(leaf) {
                counts.triangles += 1;
                let c = surface.mesh.corners(triangle).map(|p| projection.at(p.into()));
                if beyond(&c, depths, &window) || !gate.opens(&covered_by(&c)) {
                    continue;
                }
                counts.drawn += 1;
                let mut flow = ControlFlow::Continue(());
                cover(&c, &window, |span| {
                    let row = span.y as usize * width;
                    for x in span.first..span.end {
                        let (k, depth) = (row + x as usize, span.value(x) as f32);
                        if gate.holds(k, depth) && flow.is_continue() {
                            flow = visit(k, depth, triangle);
                        }
                    }
                });
                flow?;
            }
            ControlFlow::Continue(())
        };
        let flow = surface.tree.projected(&projection, open, leaf, stack);
        counts.boxes += boxes;
        flow
    }

    /// What of the environment was hit, and what the caller knows of it.
    fn environment_hit(
        &self,
        k: usize,
        pose: &Isometry3<f64>,
        obstacles: &[Obstacle],
        depth: f32,
        [obstacle, part, triangle]: [u32; 3],
    ) -> (Hit, Option<[f32; 4]>) {
        let obstacle = &obstacles[obstacle as usize];
        let part = &obstacle.shape.parts()[part as usize];
        let own = obstacle.pose * part.pose;
        let [x, y] = self.pixel(k);
        let place = pose * self.plane().place(x, y, depth.into());
        let channels = obstacle.channels_at(part, triangle, &own.inverse_transform_point(&place));
        let normal = match (&part.solid, &part.surface) {
            (Solid::Primitive(primitive), _) => {
                let origin = own.inverse_transform_point(&(pose * self.plane().place(x, y, 0.0)));
                let along = own.inverse_transform_vector(&(pose * self.plane().direction()));
                (own * primitive_normal(primitive, &origin, &along, depth.into())).cast()
            }
            (_, Some(surface)) => {
                face_normal(&surface.mesh, triangle, own.rotation.to_rotation_matrix().matrix())
            }
            _ => Vector3::zeros(),
        };
        (Hit { depth: depth.into(), body: obstacle.body, triangle, normal }, channels)
    }
}

/// A value over a triangle, from its corners', at `p`; `None` where
/// there are fewer values than vertices.
fn interpolated(mesh: &TriMesh, triangle: u32, p: &Point3<f64>, values: &[[f32; 4]]) -> Option<[f32; 4]> {
    let corners = mesh.triangles().get(triangle as usize)?;
    let of = [0, 1, 2].map(|k| values.get(corners[k] as usize));
    let [Some(a), Some(b), Some(c)] = of else { return None };
    let t = mesh.corners(triangle).map(|q| q.cast::<f64>() - p);
    let n = (t[1] - t[0]).cross(&(t[2] - t[0]));
    let areas = [0, 1, 2].map(|k| t[(k + 1) % 3].cross(&t[(k + 2) % 3]).dot(&n).max(0.0));
    let all: f64 = areas.iter().sum();
    let weights = if all > 0.0 { areas.map(|a| a / all) } else { [1.0, 0.0, 0.0] };
    Some(std::array::from_fn(|k| {
        let sum: f64 = weights.iter().zip([a, b, c]).map(|(w, v)| w * f64::from(v[k])).sum();
        sum as f32
    }))
}
