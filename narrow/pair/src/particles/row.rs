//! A row of particles measured against the triangles near it.

use impinge_geometry::SimdLevel;
use impinge_geometry::simd;
use impinge_geometry::volume::round_up;
use impinge_midphase::Surface;
use nalgebra::Point3;

use super::extent::{Ball, Extent};
use super::near_triangles::{Frame, NearTriangles};
use super::nearest::nearest;

use super::triangle_rows::{LANES, Measure, Measured, NearSpheres, PointRow, SameSide, TriangleSpheres};

/// `128u`: more than rounding can make of a length in a block, as a part of the greatest coordinate in it.
const ROUNDING: f64 = 128.0 / 16_777_216.0;

/// No scaled coordinate is greater where lengths are told from squares in `f32`.
const MOST_COORDINATE: f64 = 1e15;

/// What is near a row of particles: every triangle that comes within `seen` (m) of one of them is among it.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub seen: f64,
    points: PointRow,
    /// Places of triangles that may be near the row, then of those that are: the real ones first.
    candidates: Vec<u32>,
    virtual_candidates: Vec<u32>,
    near: Vec<u32>,
    measured: Vec<Measured>,
    reals: usize,
    /// Squared distances of the nearest real triangle, and of the nearest virtual one, as the frame is scaled.
    nearest: [[f32; LANES]; 2],
    rounding: f64,
    certain: bool,
    scale: f64,
}

/// The triangle nearest to a particle, in the surface's frame.
#[derive(Clone, Debug)]
pub(super) struct NearestTriangle {
    pub triangle: u32,
    pub corners: [Point3<f64>; 3],
    pub point: Point3<f64>,
    pub distance: f64,
}

impl Row {
    /// Looks for what comes within `seen` (m) of a row of balls, among spheres of which `which` tells the triangles, or which are those of all.
    /// False if there is nothing in the sphere around all that is within `seen`.
    pub fn fill(
        &mut self,
        (balls, extent): (&[Ball], &Extent),
        triangles: &NearTriangles,
        (spheres, which): (&TriangleSpheres, &[u32]),
        (frame, seen): (&Frame, f64),
        level: SimdLevel,
    ) -> bool {
        let Frame { center: origin, scale } = *frame;
        (self.seen, self.scale) = (seen, scale);
        self.candidates.clear();
        self.near.clear();
        self.measured.clear();
        let (center, [around, reach]) = frame.sphere(&extent.center, extent.far, seen);
        simd::run(level, NearSpheres { spheres, center, reach: around, out: &mut self.candidates });
        if self.candidates.is_empty() {
            return false;
        }
        self.candidates.iter_mut().for_each(|at| *at = which[*at as usize]);
        for lane in 0..LANES {
            let p = (balls[lane.min(balls.len() - 1)].center - origin) * scale;
            for k in 0..3 {
                self.points.0[k][lane] = p[k] as f32;
            }
        }
        triangles.part(&mut self.candidates, &mut self.virtual_candidates);
        for (k, candidates) in [&self.candidates, &self.virtual_candidates].into_iter().enumerate() {
            let (near, out) = (&mut self.near, &mut self.measured);
            self.nearest[k] = match candidates.is_empty() {
                true => [f32::INFINITY; LANES],
                false => {
                    let terms = triangles.terms();
                    simd::run(level, Measure { points: &self.points, terms, candidates, reach, near, out })
                }
            };
            if k == 0 {
                self.reals = self.near.len();
            }
        }
        let all =
            f64::from(spheres.size()) / scale * (1.0 + 1e-6) + (extent.center - origin).norm() + extent.far;
        // Beyond this, squares might overflow: then nothing is told by them.
        self.certain = all * scale < MOST_COORDINATE;
        self.rounding = if self.certain { ROUNDING * all } else { f64::INFINITY };
        true
    }

    /// Which lanes see one of them past all triangles that may be between: bits.
    pub fn on_same_side(&self, lane: usize, triangles: &NearTriangles, level: SimdLevel) -> u32 {
        let least = round_up(self.rounding * self.scale);
        let (points, terms) = (&self.points, triangles.terms());
        let past = |candidates| simd::run(level, SameSide { points, lane, terms, candidates, least });
        past(&self.candidates) & past(&self.virtual_candidates)
    }

    fn length(&self, squared: f32) -> f64 {
        if self.certain { f64::from(squared).sqrt() / self.scale } else { 0.0 }
    }

    fn least(&self, lane: usize) -> f64 {
        self.length(self.nearest[0][lane].min(self.nearest[1][lane]))
    }

    /// No triangle is nearer than this to a ball's centre (m).
    pub fn free(&self, lane: usize) -> f64 {
        (self.least(lane) - self.rounding).min(self.seen).max(0.0)
    }

    /// Squared distances up to this may be those of the nearest.
    fn limit(&self, least: f64) -> f32 {
        let most = (least + 2.0 * self.rounding) * self.scale;
        round_up(most * most)
    }

    /// The real triangle that is nearest to a ball's centre, of several the one with the lowest number; none if it is beyond `reach` (m), or may be
    /// beyond what the row sees.
    pub fn hit(
        &self,
        lane: usize,
        ball: &Ball,
        reach: f64,
        surface: &Surface,
        triangles: &NearTriangles,
    ) -> Option<NearestTriangle> {
        let least = self.length(self.nearest[0][lane]);
        if least > reach + self.rounding {
            return None;
        }
        let limit = self.limit(least);
        let mut best: Option<NearestTriangle> = None;
        for (&at, measured) in self.near[..self.reals].iter().zip(&self.measured) {
            if measured.squared[lane] > limit {
                continue;
            }
            let triangle = triangles.number(at, surface);
            let corners = surface.faces().corners(triangle).map(|p| p.cast::<f64>());
            let point = nearest(&corners, &ball.center);
            let distance = (point - ball.center).norm();
            if best.as_ref().is_none_or(|best| (distance, triangle) < (best.distance, best.triangle)) {
                best = Some(NearestTriangle { triangle, corners, point, distance });
            }
        }
        best.filter(|hit| hit.distance <= reach)
    }

    /// Whether a ball's centre is inside, where the planes of all triangles that may be nearest agree.
    pub fn side(&self, lane: usize) -> Option<bool> {
        let least = self.least(lane);
        if least + self.rounding >= self.seen {
            return None;
        }
        let limit = self.limit(least);
        let certain = (self.rounding * self.scale) as f32;
        let (mut above, mut below) = (true, true);
        for measured in self.measured.iter().filter(|measured| measured.squared[lane] <= limit) {
            above &= measured.heights[lane] > certain;
            below &= measured.heights[lane] < -certain;
        }
        (above != below).then_some(below)
    }
}
