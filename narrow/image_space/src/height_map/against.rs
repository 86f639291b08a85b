//! An object's profile against its environment, pixel by pixel.
//!
//! The environment's nearest surface is looked for only where it decides anything: within the object's
//! image, and nearer than the object's farthest surface there. Boxes of a mesh's tree are held
//! against the pyramid over the profile, so that what is beside or behind the object is passed over
//! in large pieces; the answer is that of the whole picture.

use std::ops::ControlFlow;

use impinge_geometry::Primitive;
use impinge_midphase::obb_tree::Covered;
use impinge_midphase::{Part, Solid};
use nalgebra::{Isometry3, Vector3};

use super::draw::{beyond, face_normal, half_space_lines, primitive_normal, primitive_points};
use super::gate::{Gate, covered_by};
use super::{Bounds, Environment, Hit, NO_TRIANGLE, Overlap, OverlapPixel, OverlapSums, Profile};
use crate::coverage::rows::{Window, cover};

/// Points that are located together.
const BLOCK: usize = 256;

/// Buffers of a comparison, to be used again.
#[derive(Clone, Debug, Default)]
pub struct AgainstScratch {
    /// The environment's nearest depth; infinite where it was not seen.
    depth: Vec<f32>,
    /// Obstacle, part and triangle.
    hit: Vec<[u32; 3]>,
    /// Pixels in which there is an overlap.
    touched: Vec<u32>,
    /// Where the places of what has no tree appear.
    places: Vec<[f64; 3]>,
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
    /// Primitives without a tree that were looked at; none of what lies beside the profile as a whole.
    pub loose: u64,
}

impl Profile {
    /// Whether the object, standing at `pose`, overlaps its environment: ends at the first pixel found.
    pub fn meets<'e>(
        &self,
        pose: &Isometry3<f64>,
        environment: impl Into<Environment<'e>>,
        bounds: Bounds,
        scratch: &mut AgainstScratch,
    ) -> bool {
        scratch.counts = AgainstCounts::default();
        self.scan(pose, environment.into(), bounds, scratch, |_, _, _, _| ControlFlow::Break(())).is_break()
    }

    /// Where and how the object, standing at `pose`, overlaps its environment. The overlap's pixels are those
    /// of [`Profile::plane`]; their normals are in the world.
    pub fn overlap<'e>(
        &self,
        pose: &Isometry3<f64>,
        environment: impl Into<Environment<'e>>,
        bounds: Bounds,
        scratch: &mut AgainstScratch,
        out: &mut Overlap,
    ) {
        let around = environment.into();
        self.collect(pose, around, bounds, scratch);
        out.clear();
        out.pixels.extend(scratch.touched.iter().map(|&k| {
            let k = k as usize;
            let [x, y] = self.pixel(k);
            let object = self.object_hit(k, pose);
            let (environment, channels) =
                self.environment_hit(k, pose, around, scratch.depth[k], scratch.hit[k]);
            OverlapPixel { x, y, depth: object.depth - environment.depth, object, environment, channels }
        }));
        out.sum(self.plane().pixel_size());
        self.forget(scratch);
    }

    /// The sums of [`Profile::overlap`] without its pixels.
    pub fn measure<'e>(
        &self,
        pose: &Isometry3<f64>,
        environment: impl Into<Environment<'e>>,
        bounds: Bounds,
        scratch: &mut AgainstScratch,
    ) -> OverlapSums {
        let around = environment.into();
        self.collect(pose, around, bounds, scratch);
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
        sums.at = deepest.map(|k| self.environment_hit(k, pose, around, scratch.depth[k], scratch.hit[k]).0);
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
        around: Environment<'_>,
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
        let _ = self.scan(pose, around, bounds, scratch, |k, depth, of, triangle| {
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
        around: Environment<'_>,
        bounds: Bounds,
        scratch: &mut AgainstScratch,
        mut visit: impl FnMut(usize, f32, [u32; 2], u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let gate = Gate { profile: self, bounds, size: self.plane().pixels().map(|n| n as usize) };
        let Environment { obstacles, loose } = around;
        for (index, obstacle) in obstacles.iter().enumerate() {
            let relative = pose.inv_mul(&obstacle.pose);
            for (part, own) in obstacle.shape.parts().iter().enumerate() {
                let of = [index as u32, part as u32];
                let visit = |k, depth, triangle| visit(k, depth, of, triangle);
                self.scan_part(&gate, own, &(relative * own.pose), scratch, visit)?;
            }
        }
        for (index, own) in loose.iter().enumerate() {
            let projection = self.plane().projection(&pose.inv_mul(&own.pose));
            let of = [(obstacles.len() + index) as u32, 0];
            let AgainstScratch { places, counts, .. } = &mut *scratch;
            own.scan(&gate, &projection, (places, &mut counts.loose), |k, depth, number| {
                visit(k, depth, of, number)
            })?;
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
        let window = Window { columns: 0..plane.width(), rows: 0..plane.height() };
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
            for triangle in surface.tree.leaf_triangles(leaf) {
                counts.triangles += 1;
                let c = surface.faces().corners(triangle).map(|p| projection.at(p.into()));
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
        Environment { obstacles, loose }: Environment<'_>,
        depth: f32,
        [obstacle, part, triangle]: [u32; 3],
    ) -> (Hit, Option<[f32; 4]>) {
        let index = obstacle as usize;
        let Some(obstacle) = obstacles.get(index) else {
            return (loose[index - obstacles.len()].hit(depth, triangle), None);
        };
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
                face_normal(surface.faces(), triangle, own.rotation.to_rotation_matrix().matrix())
            }
            _ => Vector3::zeros(),
        };
        (Hit { depth: depth.into(), body: obstacle.body, triangle, normal }, channels)
    }
}
