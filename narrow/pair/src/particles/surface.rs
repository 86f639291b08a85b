//! Particles against a surface of triangles.
//!
//! A block of particles that are near each other asks the tree once for the triangles that come within reach of any, and makes these ready;
//! groups of its particles and rows of eight pick from these, and a row is measured against each at once, in `f32`. What may be nearest is
//! measured again in `f64`.
//!
//! Whether a centre is inside is told by the planes of the triangles that are nearest to it, where these agree; else by a ball about it
//! that no triangle reaches and that overlaps one whose side is known ([`super::sides`]); else by another of its row, if both are on one side
//! of the planes of all triangles near the row; else by planes of triangles farther away, or by counting exactly what a ray crosses. A particle
//! that is deeper inside than its radius is measured against whatever is nearest.

use impinge_convex::unit_normal;
use impinge_geometry::simd;
use impinge_geometry::{FacesRef, Particles, SimdLevel};
use impinge_midphase::Surface;
use impinge_midphase::obb_tree::SphereScratch;
use nalgebra::{Point3, Vector3};

use super::contact::{Depths, PointContact, PointFeature};
use super::extent::{Ball, Extent, NO_BALL};
use super::near_triangles::{Frame, NearTriangles};
use super::nearest::nearest;
use super::placement::Placement;
use super::row::{NearestTriangle, Row};
use super::sides::Sides;
use super::triangle_rows::{LANES, NearSpheres, TriangleSpheres};

/// Particles of a block.
const BLOCK: usize = 512;

/// A block with more leaves near it for each particle is divided.
const MOST_LEAVES: usize = 8;

/// Particles of a group, a multiple of a row.
const GROUP: usize = 64;

/// How much farther than its reach a block looks, so that the nearest triangles tell the side of most that touch nothing.
const SIGHT: f64 = 2.0;

/// Buffers, reused.
#[derive(Clone, Debug, Default)]
pub(super) struct SurfaceScratch {
    search: SphereScratch,
    leaves: Vec<u32>,
    triangles: NearTriangles,
    /// Of the triangles near a group: their places among those of the block, and their spheres.
    which: Vec<u32>,
    spheres: TriangleSpheres,
    row: Row,
    /// The row again, as far as the block sees.
    wide: Row,
    sides: Sides,
}

/// A block that is looked at.
struct Block {
    frame: Frame,
    /// All triangles are ready that come within this of a ball's centre (m).
    sight: f64,
    /// Whether all are ready that come within this of the box around the centres, too.
    whole: bool,
}

/// What all blocks have in common.
struct Task<'a> {
    surface: &'a Surface,
    faces: FacesRef<'a>,
    closed: bool,
    /// Whether the nearest triangles tell inside from outside.
    planes_tell: bool,
    place: &'a Placement,
    depths: &'a Depths,
}

/// The contacts of some particles, in the order given: neighbours one after the other.
pub(super) fn meet(
    particles: &Particles,
    order: &[u32],
    surface: &Surface,
    place: &Placement,
    depths: &Depths,
    room: &mut SurfaceScratch,
    out: &mut Vec<PointContact>,
) {
    let faces = surface.faces();
    let closed = faces.is_closed();
    let task = Task { surface, faces, closed, planes_tell: closed && !faces.shells_overlap(), place, depths };
    room.sides.clear();
    let centers = particles.centers();
    let mut block = [NO_BALL; BLOCK];
    for numbers in order.chunks(BLOCK) {
        for (ball, &number) in block.iter_mut().zip(numbers) {
            let center = place.local(&centers[number as usize]);
            *ball = Ball { number, radius: f64::from(particles.radius(number)), center };
        }
        task.meet_block(&block[..numbers.len()], room, out);
    }
}

impl Task<'_> {
    /// How far from the centre of a ball something may be for a contact (m).
    fn reach(&self, extent: &Extent) -> f64 {
        extent.greatest_radius + self.depths.margin
    }

    fn meet_block(&self, balls: &[Ball], room: &mut SurfaceScratch, out: &mut Vec<PointContact>) {
        let extent = Extent::of(balls);
        let [low, high] = extent.grown(self.reach(&extent));
        let aabb = self.faces.aabb();
        let beside = |k: usize| f64::from(aabb.min[k]) > high[k] || f64::from(aabb.max[k]) < low[k];
        if (0..3).any(beside) {
            return;
        }
        let sight = SIGHT * self.reach(&extent);
        let around = extent.around(sight);
        let whole = balls.len() > LANES;
        room.leaves.clear();
        let SurfaceScratch { search, leaves, triangles, .. } = room;
        if whole {
            self.surface.tree.within(&extent.center, around, search, leaves);
            // Triangles are finer than balls, or these are far apart.
            if leaves.len() > MOST_LEAVES * balls.len() {
                let half = (balls.len() / 2).next_multiple_of(LANES);
                let (one, other) = balls.split_at(half);
                self.meet_block(one, room, out);
                self.meet_block(other, room, out);
                return;
            }
        } else {
            let mut points = [[0.0; LANES]; 3];
            for lane in 0..LANES {
                let p = balls[lane.min(balls.len() - 1)].center - extent.center;
                for k in 0..3 {
                    points[k][lane] = p[k] as f32;
                }
            }
            self.surface.tree.within_points((&extent.center, &points), (extent.far, sight), search, leaves);
        }
        let block = Block { frame: Frame::new(extent.center, around), sight, whole };
        triangles.gather(self.surface, leaves, &extent.grown(sight), &block.frame);
        if triangles.is_empty() {
            let free = whole.then_some((extent.center, extent.inner(sight)));
            self.meet_free(balls, free, sight, room, out);
            return;
        }
        for group in balls.chunks(GROUP) {
            self.meet_group(group, &block, room, out);
        }
    }

    fn meet_group(
        &self,
        balls: &[Ball],
        block: &Block,
        room: &mut SurfaceScratch,
        out: &mut Vec<PointContact>,
    ) {
        let extent = Extent::of(balls);
        let SurfaceScratch { triangles, which, spheres, .. } = room;
        which.clear();
        let (center, [reach, _]) = block.frame.sphere(&extent.center, extent.far, block.sight);
        simd::run(self.level(), NearSpheres { spheres: triangles.spheres(), center, reach, out: which });
        if which.is_empty() {
            let free = block.whole.then_some((extent.center, extent.inner(block.sight)));
            self.meet_free(balls, free, block.sight, room, out);
            return;
        }
        spheres.pick(triangles.spheres(), which);
        for row in balls.chunks(LANES) {
            self.meet_row(row, block, room, out);
        }
    }

    fn meet_row(
        &self,
        balls: &[Ball],
        block: &Block,
        room: &mut SurfaceScratch,
        out: &mut Vec<PointContact>,
    ) {
        let extent = Extent::of(balls);
        let seen = self.reach(&extent);
        let SurfaceScratch { triangles, which, spheres, row, .. } = room;
        if !row.fill((balls, &extent), triangles, (spheres, which), (&block.frame, seen), self.level()) {
            let free = block.whole.then_some((extent.center, extent.inner(seen)));
            self.meet_free(balls, free, seen, room, out);
            return;
        }
        let insides = if self.closed { self.find_sides(balls, &extent, block, room) } else { 0 };
        for (lane, ball) in balls.iter().enumerate() {
            let reach = ball.radius + self.depths.margin;
            let inside = insides >> lane & 1 == 1;
            match room.row.hit(lane, ball, reach, self.surface, &room.triangles) {
                Some(hit) => out.extend(self.contact(ball, &hit, inside)),
                None if inside => out.extend(self.deep(ball, room)),
                None => {}
            }
        }
    }

    fn level(&self) -> SimdLevel {
        self.surface.tree.simd()
    }

    /// Which balls of a row are inside: bits.
    fn find_sides(&self, balls: &[Ball], extent: &Extent, block: &Block, room: &mut SurfaceScratch) -> u32 {
        let SurfaceScratch { triangles, which, spheres, row, wide, sides, .. } = room;
        // Bits of those that are inside, and of those that are not.
        let mut found = [0u32; 2];
        for (lane, ball) in balls.iter().enumerate() {
            let free = row.free(lane);
            let side = self.side(row, lane).or_else(|| sides.told(&ball.center, free));
            if let Some(inside) = side {
                sides.keep(&ball.center, free, inside);
                found[usize::from(!inside)] |= 1 << lane;
            }
        }
        let all = (1 << balls.len()) - 1;
        if block.whole {
            // No triangle is between two of them that are on one side of every plane.
            for which in 0..2 {
                let unknown = all & !(found[0] | found[1]);
                if found[which] != 0 && unknown != 0 {
                    let from = found[which].trailing_zeros() as usize;
                    found[which] |= row.on_same_side(from, triangles, self.level()) & unknown;
                }
            }
        }
        let unknown = all & !(found[0] | found[1]);
        if unknown != 0 && self.planes_tell {
            wide.fill(
                (balls, extent),
                triangles,
                (spheres, which),
                (&block.frame, block.sight),
                self.level(),
            );
        }
        for (lane, ball) in balls.iter().enumerate().filter(|(lane, _)| unknown >> lane & 1 == 1) {
            let (free, side) = match self.planes_tell {
                true => (wide.free(lane).max(row.free(lane)), self.side(wide, lane)),
                false => (row.free(lane), None),
            };
            let inside = sides.inside(self.surface, &ball.center, free, side);
            found[usize::from(!inside)] |= 1 << lane;
        }
        found[0]
    }

    /// What the nearest triangles say of a ball's side, if they can.
    fn side(&self, row: &Row, lane: usize) -> Option<bool> {
        if self.planes_tell { row.side(lane) } else { None }
    }

    /// Balls no triangle comes within `seen` (m) of the centres of. Where a ball is given (centre and radius, m) that holds no triangle, nor is one
    /// between it and them, all are on its side.
    fn meet_free(
        &self,
        balls: &[Ball],
        free: Option<(Point3<f64>, f64)>,
        seen: f64,
        room: &mut SurfaceScratch,
        out: &mut Vec<PointContact>,
    ) {
        if !self.closed {
            return;
        }
        let all = free.map(|(center, radius)| room.sides.inside(self.surface, &center, radius, None));
        for ball in balls {
            if all.unwrap_or_else(|| room.sides.inside(self.surface, &ball.center, seen, None)) {
                out.extend(self.deep(ball, room));
            }
        }
    }

    fn contact(&self, ball: &Ball, hit: &NearestTriangle, inside: bool) -> Option<PointContact> {
        let toward = hit.point - ball.center;
        let on_surface = hit.distance <= 1e-12 * (hit.point.coords.norm() + ball.radius);
        let normal = match (on_surface, inside) {
            (true, _) => unit_normal(&hit.corners).unwrap_or_else(Vector3::z),
            (false, true) => toward / hit.distance,
            (false, false) => -toward / hit.distance,
        };
        let signed = if inside { -hit.distance } else { hit.distance };
        let own = (ball.number, ball.radius);
        self.depths.contact(
            own,
            PointFeature::Triangle(hit.triangle),
            (&ball.center, &normal, signed),
            self.place,
        )
    }

    /// The contact of a ball whose centre is inside, farther from the surface than its reach.
    fn deep(&self, ball: &Ball, room: &mut SurfaceScratch) -> Option<PointContact> {
        let mut best: Option<NearestTriangle> = None;
        let mut least = f64::INFINITY;
        self.surface.tree.near(&ball.center, least, &mut room.search, &mut |leaf| {
            for triangle in self.surface.tree.leaf_triangles(leaf) {
                if self.faces.is_virtual(triangle) {
                    continue;
                }
                let corners = self.faces.corners(triangle).map(|p| p.cast::<f64>());
                let point = nearest(&corners, &ball.center);
                let distance = (point - ball.center).norm();
                if best.as_ref().is_none_or(|best| (distance, triangle) < (best.distance, best.triangle)) {
                    (best, least) = (Some(NearestTriangle { triangle, corners, point, distance }), distance);
                }
            }
            least
        });
        best.and_then(|hit| self.contact(ball, &hit, true))
    }
}
