//! Points at the vertices of narrow regions.
//!
//! A long and narrow region, as of a round rod or a ring that lies on a floor, is crossed by few lines of a view, and each of them meets it wherever it
//! does: one finds all of its depth, the next one a tenth. Such depths differ from step to step, and what rests on points that have
//! them trembles. Facets are deepest at their corners. Those are known exactly, and so is how far the other surface is beyond them.

use impinge_geometry::Side;
use impinge_image_space::view::View;
use nalgebra::{Point3, Vector2, Vector3};

use super::corners::TransversePlane;
use super::intersection::SurfaceIntersection;
use crate::patch::PatchPoint;
use crate::patches::{InteriorVertex, pixel_of};
use crate::scene::Scene;

/// A region that so many times as many lines surround as cross it is narrow. Less: candidates of threads come and go with their vertices; greater:
/// what lies along a line trembles.
const NARROW: usize = 8;

/// A line this close to a triangle's edge, relative to its height over it, meets the triangle: no line passes between two.
const ON_EDGE: f64 = 1e-9;

/// A vertex of one side that is inside the other body.
#[derive(Clone, Copy, Debug)]
struct VertexPlace {
    vertex: InteriorVertex,
    at: Point3<f64>,
    /// Where it is across the normal (m).
    across: Vector2<f64>,
    /// How far its side's surface has gone into the other body there: along the normal of A's, against it of B's (m).
    height: f64,
    /// The pixel of the view that it is in.
    pixel: [i64; 2],
    /// How far it is from there to where the overlap ends (m), and whether that is on the other body.
    way: f64,
    is_between: bool,
}

/// Buffers of this pass.
#[derive(Debug, Default)]
pub(super) struct VertexPoints {
    inside: Vec<VertexPlace>,
    points: Vec<PatchPoint>,
}

impl VertexPoints {
    /// Whether few of a view's lines cross a region.
    pub fn is_narrow(view: &View, crossing: usize) -> bool {
        NARROW * crossing <= (view.count[0] * view.count[1]) as usize
    }

    /// For each pixel of a view the deepest vertex of some features' overlaps, with a point along a normal. `triangles`: those of A and of B that
    /// bound the overlaps.
    pub fn find(
        &mut self,
        scene: &Scene<'_>,
        (intersection, members): (&SurfaceIntersection<'_>, &[u32]),
        (view, normal): (&View, &Vector3<f64>),
        triangles: [&[u32]; 2],
    ) -> &[PatchPoint] {
        let plane = TransversePlane::new(view, normal);
        self.gather(scene, (intersection, members), (view, &plane), normal);
        for side in Side::BOTH {
            for &triangle in triangles[side.index()] {
                if let Some(corners) = scene.corners(side, triangle) {
                    self.meet(side, &corners, &plane, normal);
                }
            }
        }
        let VertexPoints { inside, points } = self;
        inside.retain(|p| p.is_between);
        inside.sort_unstable_by(|p, q| {
            let first = p.pixel.cmp(&q.pixel).then(q.way.total_cmp(&p.way));
            first.then(p.vertex.key().cmp(&q.vertex.key()))
        });
        inside.dedup_by_key(|p| p.pixel);
        points.clear();
        points.extend(inside.iter().map(|p| p.point(normal)));
        points
    }

    /// The vertices in the overlaps of some features, in rising order across.
    fn gather(
        &mut self,
        scene: &Scene<'_>,
        (intersection, members): (&SurfaceIntersection<'_>, &[u32]),
        (view, plane): (&View, &TransversePlane),
        normal: &Vector3<f64>,
    ) {
        self.inside.clear();
        for vertex in &intersection.interior.inside {
            let component = Some(intersection.interior.of(vertex.contour));
            if !members.iter().any(|&m| intersection.features.list[m as usize].component == component) {
                continue;
            }
            let Some(at) = scene.vertex(vertex.side, vertex.vertex) else { continue };
            let along = at.coords.dot(normal);
            self.inside.push(VertexPlace {
                vertex: *vertex,
                at,
                across: plane.of(&at),
                height: if vertex.side == Side::A { along } else { -along },
                pixel: pixel_of(view, &at),
                way: f64::INFINITY,
                is_between: false,
            });
        }
        self.inside.sort_unstable_by(|p, q| {
            p.across.x.total_cmp(&q.across.x).then(p.vertex.key().cmp(&q.vertex.key()))
        });
    }

    /// Notes how far from the vertices a triangle of one side ends their overlaps: where lines from vertices of the other side leave its body, and
    /// where those from its own do.
    fn meet(
        &mut self,
        side: Side,
        corners: &[Point3<f64>; 3],
        plane: &TransversePlane,
        normal: &Vector3<f64>,
    ) {
        let sign = if side == Side::A { 1.0 } else { -1.0 };
        let [a, b, c] = corners.map(|p| plane.of(&p));
        let area = (b - a).perp(&(c - a));
        if area == 0.0 {
            return;
        }
        let is_ahead = area * sign > 0.0;
        let heights = corners.map(|p| sign * p.coords.dot(normal));
        let [low, high] = [a.inf(&b).inf(&c), a.sup(&b).sup(&c)];
        let from = self.inside.partition_point(|p| p.across.x < low.x);
        for p in self.inside[from..].iter_mut().take_while(|p| p.across.x <= high.x) {
            let is_own = p.vertex.side == side;
            if is_own == is_ahead || p.across.y < low.y || p.across.y > high.y {
                continue;
            }
            let x = p.across;
            let shares =
                [(b - x).perp(&(c - x)), (c - x).perp(&(a - x)), (a - x).perp(&(b - x))].map(|s| s / area);
            if shares.iter().any(|share| *share < -ON_EDGE) || is_own && corners.contains(&p.at) {
                continue;
            }
            let height: f64 = (0..3).map(|k| shares[k] * heights[k]).sum();
            // Heights of the two sides are counted in opposite directions.
            let way = if is_own { p.height - height } else { p.height + height };
            if way >= 0.0 && way < p.way {
                (p.way, p.is_between) = (way, !is_own);
            }
        }
    }
}

impl VertexPlace {
    fn point(&self, normal: &Vector3<f64>) -> PatchPoint {
        let [on_a, on_b] = match self.vertex.side {
            Side::A => [self.at, self.at - normal * self.way],
            Side::B => [self.at + normal * self.way, self.at],
        };
        PatchPoint { on_a, on_b, depth: self.way, weight: 0.0, key: self.vertex.key() }
    }
}
