//! Particles against a surface of triangles.
//!
//! A group of particles that are near each other asks the tree once for the triangles that come within reach of any; rows of eight of them
//! pick from these, and are measured against each at once, in `f32`. What may be nearest is measured again in `f64`.
//!
//! Whether a centre is inside is told by the planes of the triangles that are nearest to it, where these agree; else by a ball about it
//! that no triangle reaches and that overlaps one whose side is known ([`super::sides`]); else by counting exactly what a ray crosses. A
//! particle that is deeper inside than its radius is measured against whatever is nearest.

use impinge_convex::unit_normal;
use impinge_geometry::simd;
use impinge_geometry::volume::round_up;
use impinge_geometry::{FacesRef, Particles};
use impinge_midphase::Surface;
use impinge_midphase::obb_tree::SphereScratch;
use nalgebra::{Point3, Vector3};

use super::contact::{Depths, PointContact, PointFeature};
use super::nearest::nearest;
use super::placement::Placement;
use super::sides::Sides;
use super::triangle_rows::{LANES, Measure, Measured, NearSpheres, PointRow, TriangleSpheres, TriangleTerms};

/// Particles of a group, a multiple of a row.
const GROUP: usize = 64;

/// `64u`: more than rounding can make of a length in a group, as a part of the greatest coordinate in it.
const ROUNDING: f64 = 64.0 / 16_777_216.0;

/// A group with more leaves than this near it is divided: its triangles are finer than its particles.
const MOST_LEAVES: usize = 48;

/// How much farther than its reach a row of particles looks at a fine surface.
const SIGHT: f64 = 2.0;

/// No scaled coordinate is greater where lengths are told from squares in `f32`.
const MOST_COORDINATE: f64 = 1e15;

/// Buffers, reused.
#[derive(Clone, Debug, Default)]
pub(super) struct SurfaceScratch {
    search: SphereScratch,
    leaves: Vec<u32>,
    /// Of the triangles near a group: number and corners relative to the group's centre (m), those of virtual faces last.
    triangles: Vec<(u32, [Point3<f64>; 3])>,
    virtual_triangles: Vec<(u32, [Point3<f64>; 3])>,
    spheres: TriangleSpheres,
    terms: Vec<TriangleTerms>,
    near: Vec<u32>,
    measured: Vec<Measured>,
    sides: Sides,
}

/// A particle of a group.
#[derive(Clone, Copy, Debug)]
struct Ball {
    number: u32,
    radius: f64,
    /// In the surface's frame (m).
    center: Point3<f64>,
}

const NO_BALL: Ball = Ball { number: 0, radius: 0.0, center: Point3::new(0.0, 0.0, 0.0) };

/// Where a group is measured in `f32`.
#[derive(Clone, Copy, Debug)]
struct GroupFrame {
    /// In the surface's frame (m).
    center: Point3<f64>,
    /// A power of two that brings what is near to about 1.
    scale: f64,
}

impl GroupFrame {
    fn new(center: Point3<f64>, reach: f64) -> GroupFrame {
        let exponent = (reach.to_bits() >> 52 & 0x7ff) as i64 - 1023;
        GroupFrame { center, scale: f64::from_bits(((1023 - exponent.clamp(-500, 500)) as u64) << 52) }
    }
}

/// What all groups have in common.
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
    for numbers in order.chunks(GROUP) {
        let mut group = [NO_BALL; GROUP];
        for (ball, &number) in group.iter_mut().zip(numbers) {
            let center = place.local(&centers[number as usize]);
            *ball = Ball { number, radius: f64::from(particles.radius(number)), center };
        }
        task.meet_group(&group[..numbers.len()], room, out);
    }
}

/// A sphere around the centres of some balls, and the greatest radius of these.
fn around(balls: &[Ball]) -> (Point3<f64>, f64, f64) {
    let (mut low, mut high) = (balls[0].center, balls[0].center);
    let mut greatest: f64 = 0.0;
    for ball in balls {
        low = low.inf(&ball.center);
        high = high.sup(&ball.center);
        greatest = greatest.max(ball.radius);
    }
    let middle = nalgebra::center(&low, &high);
    let far = balls.iter().map(|ball| (ball.center - middle).norm_squared()).fold(0.0, f64::max);
    (middle, far.sqrt(), greatest)
}

impl Task<'_> {
    fn meet_group(&self, balls: &[Ball], room: &mut SurfaceScratch, out: &mut Vec<PointContact>) {
        let (center, far, greatest) = around(balls);
        let reach = greatest + self.depths.margin;
        // Rounding included.
        let whole = (far + reach) * (1.0 + 1e-9) + 1e-15 * center.coords.abs().sum();
        let aabb = self.faces.aabb();
        let gap =
            |k: usize| (f64::from(aabb.min[k]) - center[k]).max(center[k] - f64::from(aabb.max[k])).max(0.0);
        if (0..3).map(|k| gap(k) * gap(k)).sum::<f64>() > whole * whole {
            return;
        }
        room.leaves.clear();
        self.surface.tree.within(&center, whole, &mut room.search, &mut room.leaves);
        if room.leaves.len() > MOST_LEAVES {
            balls.chunks(LANES).for_each(|row| self.meet_row_alone(row, room, out));
            return;
        }
        let frame = GroupFrame::new(center, whole);
        let real = self.gather(&frame, whole, room);
        if room.triangles.is_empty() {
            // All on one side.
            if self.closed && room.sides.inside(self.surface, &center, whole, None) {
                balls.iter().for_each(|ball| out.extend(self.deep(ball, room)));
            }
            return;
        }
        for row in balls.chunks(LANES) {
            self.meet_row(row, &frame, real, None, room, out);
        }
    }

    /// A row of a surface whose triangles are finer than the particles: only what comes near one of its points is looked at.
    fn meet_row_alone(&self, balls: &[Ball], room: &mut SurfaceScratch, out: &mut Vec<PointContact>) {
        let (center, far, greatest) = around(balls);
        // Farther than they reach, so that the nearest triangles tell the side of most that touch nothing.
        let near = SIGHT * (greatest + self.depths.margin);
        let whole = (far + near) * (1.0 + 1e-9) + 1e-15 * center.coords.abs().sum();
        let mut points = [[0.0; LANES]; 3];
        for lane in 0..LANES {
            let p = balls[lane.min(balls.len() - 1)].center - center;
            for k in 0..3 {
                points[k][lane] = p[k] as f32;
            }
        }
        room.leaves.clear();
        let SurfaceScratch { search, leaves, .. } = room;
        self.surface.tree.within_points((&center, &points), (far, near), search, leaves);
        let frame = GroupFrame::new(center, whole);
        let real = self.gather(&frame, whole, room);
        self.meet_row(balls, &frame, real, Some(near), room, out);
    }

    /// Takes in the triangles of the leaves that come within reach of a sphere, and gives how many of them are real: they come first.
    fn gather(&self, frame: &GroupFrame, reach: f64, room: &mut SurfaceScratch) -> usize {
        let SurfaceScratch { leaves, triangles, virtual_triangles, spheres, terms, .. } = room;
        triangles.clear();
        virtual_triangles.clear();
        let virtual_faces = self.faces.has_virtual_faces();
        for &leaf in &*leaves {
            for triangle in self.surface.tree.leaf_triangles(leaf) {
                let [a, b, c] = self.faces.corners(triangle);
                let moved = |p: Point3<f32>| p.cast::<f64>() - frame.center.coords;
                let corners = [moved(a), moved(b), moved(c)];
                let [a, b, c] = &corners;
                let (low, high) = (a.inf(b).inf(c), a.sup(b).sup(c));
                let gap = |k: usize| low[k].max(-high[k]).max(0.0);
                if gap(0) * gap(0) + gap(1) * gap(1) + gap(2) * gap(2) > reach * reach {
                    continue;
                }
                match virtual_faces && self.faces.is_virtual(triangle) {
                    false => triangles.push((triangle, corners)),
                    true => virtual_triangles.push((triangle, corners)),
                }
            }
        }
        let real = triangles.len();
        triangles.append(virtual_triangles);
        spheres.clear();
        terms.clear();
        for (_, corners) in &*triangles {
            let [a, b, c] = corners;
            let corners = [a * frame.scale, b * frame.scale, c * frame.scale];
            let [a, b, c] = &corners;
            let middle = nalgebra::center(&a.inf(b).inf(c), &a.sup(b).sup(c)).cast::<f32>();
            let radius =
                corners.iter().map(|p| (p - middle.cast()).norm_squared()).fold(0.0, f64::max).sqrt();
            spheres.push(middle.into(), round_up(radius));
            terms.push(TriangleTerms::new(&corners));
        }
        real
    }

    /// A row. All triangles that come within reach of the sphere around it are there, or all that come within `seen` (m) of one of its points.
    fn meet_row(
        &self,
        balls: &[Ball],
        frame: &GroupFrame,
        real: usize,
        seen: Option<f64>,
        room: &mut SurfaceScratch,
        out: &mut Vec<PointContact>,
    ) {
        let (center, far, greatest) = around(balls);
        let (group, scale) = (&frame.center, frame.scale);
        let center = center - group.coords;
        let reach = greatest + self.depths.margin;
        let mut points = PointRow::default();
        for lane in 0..LANES {
            let p = (balls[lane.min(balls.len() - 1)].center - group) * scale;
            for k in 0..3 {
                points.0[k][lane] = p[k] as f32;
            }
        }
        let whole = far + seen.unwrap_or(reach);
        let SurfaceScratch { triangles, spheres, terms, near, measured, .. } = room;
        near.clear();
        let middle = (center * scale).cast::<f32>();
        let off = (middle.cast::<f64>() - center * scale).norm();
        let reach = round_up(whole * scale * (1.0 + 1e-6) + off);
        let search = NearSpheres { spheres, center: middle.into(), reach, out: near };
        let level = self.surface.tree.simd();
        simd::run(level, search);
        if near.is_empty() {
            match seen {
                None => self.meet_none(balls, &(center + group.coords), whole, room, out),
                Some(seen) => balls.iter().for_each(|ball| {
                    if self.is_inside(ball, seen, None, room) {
                        out.extend(self.deep(ball, room));
                    }
                }),
            }
            return;
        }
        measured.clear();
        let reals = near.partition_point(|&t| (t as usize) < real);
        let real_rows = Measure { points: &points, terms, near: &near[..reals], out: measured };
        let nearest_real = simd::run(level, real_rows);
        let virtual_rows = Measure { points: &points, terms, near: &near[reals..], out: measured };
        let nearest_virtual = match reals == near.len() {
            true => [f32::INFINITY; LANES],
            false => simd::run(level, virtual_rows),
        };
        let size = near.iter().map(|&t| size_of_triangle(&triangles[t as usize].1)).fold(0.0, f64::max);
        let all = size + center.coords.norm() + far;
        // Beyond this, squares might overflow: then nothing is told by them.
        let certain = all * scale < MOST_COORDINATE;
        let rounding = if certain { ROUNDING * all } else { f64::INFINITY };
        for (lane, ball) in balls.iter().enumerate() {
            let own = Lane { lane, reals, rounding, frame };
            let length = |squared: f32| if certain { f64::from(squared).sqrt() / scale } else { 0.0 };
            let of_real = length(nearest_real[lane]);
            let least = of_real.min(length(nearest_virtual[lane]));
            // No triangle is nearer than this to the ball's centre.
            let beside = seen.unwrap_or_else(|| whole - (ball.center - group - center.coords).norm());
            let free = (least - rounding).min(beside).max(0.0);
            let near_enough = of_real <= ball.radius + self.depths.margin + rounding;
            let reach = ball.radius + self.depths.margin;
            let hit = if near_enough { own.nearest(ball, of_real, room) } else { None };
            let known = (self.closed && least + rounding < beside).then(|| own.side(least, room)).flatten();
            if let Some(hit) = hit.filter(|hit| hit.distance <= reach) {
                let inside = self.is_inside(ball, free, known, room);
                out.extend(self.contact(ball, &hit, inside));
            } else if self.is_inside(ball, free, known, room) {
                out.extend(self.deep(ball, room));
            }
        }
    }

    /// A row that no triangle reaches.
    fn meet_none(
        &self,
        balls: &[Ball],
        center: &Point3<f64>,
        free: f64,
        room: &mut SurfaceScratch,
        out: &mut Vec<PointContact>,
    ) {
        if self.closed && room.sides.inside(self.surface, center, free, None) {
            balls.iter().for_each(|ball| out.extend(self.deep(ball, room)));
        }
    }

    /// Whether the centre of a ball is in the solid; no triangle comes within `free` (m) of it, and `known` is what the nearest ones say.
    fn is_inside(&self, ball: &Ball, free: f64, known: Option<bool>, room: &mut SurfaceScratch) -> bool {
        if !self.closed {
            return false;
        }
        room.sides.inside(self.surface, &ball.center, free, known.filter(|_| self.planes_tell))
    }

    fn contact(&self, ball: &Ball, hit: &Hit, inside: bool) -> Option<PointContact> {
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
        let mut best: Option<Hit> = None;
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
                    (best, least) = (Some(Hit { triangle, corners, point, distance }), distance);
                }
            }
            least
        });
        best.and_then(|hit| self.contact(ball, &hit, true))
    }
}

/// No coordinate of a triangle is greater (m).
fn size_of_triangle(corners: &[Point3<f64>; 3]) -> f64 {
    corners.iter().map(|p| p.coords.amax()).fold(0.0, f64::max)
}

/// The nearest triangle, in the surface's frame.
#[derive(Clone, Debug)]
struct Hit {
    triangle: u32,
    corners: [Point3<f64>; 3],
    point: Point3<f64>,
    distance: f64,
}

/// Distance, triangle, its nearest point and its corners, relative to the group's centre.
type LocalHit<'a> = (f64, u32, Point3<f64>, &'a [Point3<f64>; 3]);

/// A point of a row that was measured.
struct Lane<'a> {
    lane: usize,
    /// How many of the triangles near the row are real.
    reals: usize,
    rounding: f64,
    frame: &'a GroupFrame,
}

impl Lane<'_> {
    /// Squared distances up to this may be those of the nearest.
    fn limit(&self, least: f64) -> f32 {
        let most = (least + 2.0 * self.rounding) * self.frame.scale;
        round_up(most * most)
    }

    /// The nearest real triangle; of several the one with the lowest number.
    fn nearest(&self, ball: &Ball, least: f64, room: &SurfaceScratch) -> Option<Hit> {
        let SurfaceScratch { triangles, near, measured, .. } = room;
        let limit = self.limit(least);
        let group = self.frame.center.coords;
        let p = ball.center - group;
        let mut best: Option<LocalHit<'_>> = None;
        for (&at, measured) in near[..self.reals].iter().zip(measured) {
            if measured.squared[self.lane] > limit {
                continue;
            }
            let (triangle, corners) = &triangles[at as usize];
            let point = nearest(corners, &p);
            let distance = (point - p).norm();
            if best.is_none_or(|best| (distance, *triangle) < (best.0, best.1)) {
                best = Some((distance, *triangle, point, corners));
            }
        }
        let (distance, triangle, point, corners) = best?;
        let back = |p: &Point3<f64>| p + group;
        Some(Hit { triangle, corners: corners.each_ref().map(back), point: back(&point), distance })
    }

    /// Whether the point is inside, where the planes of all triangles that may be nearest agree.
    fn side(&self, least: f64, room: &SurfaceScratch) -> Option<bool> {
        let limit = self.limit(least);
        let certain = (self.rounding * self.frame.scale) as f32;
        let (mut above, mut below) = (true, true);
        for measured in room.measured.iter().filter(|measured| measured.squared[self.lane] <= limit) {
            above &= measured.heights[self.lane] > certain;
            below &= measured.heights[self.lane] < -certain;
        }
        (above != below).then_some(below)
    }
}
