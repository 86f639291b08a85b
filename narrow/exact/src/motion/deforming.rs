//! When do two surfaces first meet, of which at least one deforms?
//!
//! The same search as for rigid surfaces ([`super::surfaces`]), with boxes that go along with their vertices, and the same
//! leaves: along a fixed axis the height of a vertex that moves on a line is linear in time, so that an axis proves without any
//! sagitta for how long it parts two triangles.

use std::cell::Cell;

use impinge_geometry::predicate::triangles_touch;
use impinge_geometry::{Obb, PairPath, Primitive, Side};
use impinge_midphase::ObbTree;
use impinge_midphase::obb_tree::{MovingTree, meetings};
use nalgebra::{Matrix3, Point3, Vector3};

use super::advance::{Tolerance, advance};
use super::answer::{Arrived, FirstContact, FirstMeeting, SweepScratch, SweepSettings};
use super::mesh_solid::SolidTriangle;
use super::moving_surface::MovingSurface;
use super::near_triangles::NearTriangles;
use super::swept_solid::farthest;
use super::triangle_pair::TrianglePair;
use crate::distance::{Feature, triangle_feature, triangle_gap};

/// Times before this are the start.
const START: f64 = f64::MIN_POSITIVE;

/// When two moving surfaces first meet, if before the bound. Surfaces alone: one that is inside the other does not touch it.
pub fn sweep_surfaces(
    surfaces: [MovingSurface<'_>; 2],
    path: &PairPath,
    settings: &SweepSettings,
    scratch: &mut SweepScratch,
) -> Option<FirstContact> {
    let trees = surfaces.map(|surface| surface.tree());
    if touch_at_start(surfaces, path, scratch) {
        return Some(FirstContact::AtStart);
    }
    let tolerance = tolerance(path, trees.map(|tree| tree.reach()), settings);
    let (mut bound, mut best) = (settings.bound, None);
    let (mut counts, mut gaps, mut followed) = (scratch.counts.search, 0, 0);
    let visit = &mut |leaves: [u32; 2], [begin, end]: [f64; 2]| {
        let near = NearTriangles::new(surfaces, path, leaves, [begin, end], 2.0 * tolerance.error);
        for triangles in near.pairs() {
            if begin >= bound {
                break;
            }
            followed += 1;
            let mut pair = TrianglePair::new(path, surfaces, triangles, begin);
            let found = advance(&mut pair, [begin, end.min(bound)], &tolerance, &mut gaps);
            if let Some(found) = found.filter(|found| found.time < bound) {
                bound = found.time;
                let normal = found.nearest.map(|nearest| nearest.normal);
                best = Some(Arrived { time: found.time, normal, triangles: triangles.map(Some) });
            }
        }
        bound
    };
    meetings(trees, path, [0.0, settings.bound], &mut scratch.search, visit, &mut counts);
    scratch.counts.search = counts;
    scratch.counts.gaps += gaps;
    scratch.counts.followed += followed;
    best.map(|found| FirstContact::Later(meeting_of_triangles(surfaces, path, &found)))
}

/// When a moving surface on the side `mesh` and a primitive that is no half-space first meet, if before the bound.
pub fn sweep_surface_solid(
    mesh: Side,
    surface: MovingSurface<'_>,
    primitive: Primitive,
    path: &PairPath,
    settings: &SweepSettings,
    scratch: &mut SweepScratch,
) -> Option<FirstContact> {
    let half = primitive.aabb().max;
    let around = ObbTree::of_box(&Obb { center: Point3::origin(), axes: Matrix3::identity(), half });
    let mut trees = [surface.tree(), MovingTree::Rigid(&around)];
    if mesh == Side::B {
        trees.swap(0, 1);
    }
    let tolerance = tolerance(path, trees.map(|tree| tree.reach()), settings);
    let reach = farthest(path, mesh.other(), around.reach());
    let touches = Cell::new(false);
    let (mut bound, mut best) = (settings.bound, None);
    let (mut counts, mut gaps, mut followed) = (scratch.counts.search, 0, 0);
    let visit = &mut |leaves: [u32; 2], [begin, end]: [f64; 2]| {
        for triangle in surface.tree().leaf_triangles(leaves[mesh.index()]) {
            if begin >= bound || surface.faces().is_virtual(triangle) {
                continue;
            }
            followed += 1;
            let mut pair = SolidTriangle::new(path, mesh, surface, primitive, triangle, reach);
            if begin <= 0.0 && pair.closest(0.0).gap <= 0.0 {
                touches.set(true);
                return 0.0;
            }
            let found = advance(&mut pair, [begin, end.min(bound)], &tolerance, &mut gaps);
            if let Some(found) = found.filter(|found| found.time < bound) {
                // What may touch at the start is still looked for at time 0.
                bound = found.time.max(START);
                best = Some((found, triangle));
            }
        }
        bound
    };
    meetings(trees, path, [0.0, settings.bound], &mut scratch.search, visit, &mut counts);
    scratch.counts.search = counts;
    scratch.counts.gaps += gaps;
    scratch.counts.followed += followed;
    if touches.get() {
        return Some(FirstContact::AtStart);
    }
    let (found, triangle) = best?;
    let frame = path.at(found.time);
    let closest = SolidTriangle::new(path, mesh, surface, primitive, triangle, reach).closest(found.time);
    let world = |p: &Point3<f64>| frame.place_f64(mesh.other(), p);
    let (on_mesh, on_solid) = (world(&closest.on_triangle), world(&closest.on_primitive()));
    let towards = frame.rotation[mesh.other().index()] * closest.normal;
    let corners = surface.corners(triangle, mesh, &frame, found.time);
    let spot = triangle_gap(&[on_mesh; 3], &corners).spots[1];
    let (mut points, mut features) = ([on_mesh, on_solid], [Feature::Smooth; 2]);
    if mesh == Side::B {
        points.swap(0, 1);
    }
    features[mesh.index()] = triangle_feature(surface.faces(), triangle, spot);
    let mut triangles = [None; 2];
    triangles[mesh.index()] = Some(triangle);
    let normal = if mesh == Side::A { -towards } else { towards };
    let gap = closest.gap.max(0.0);
    Some(FirstContact::Later(FirstMeeting { time: found.time, gap, normal, points, features, triangles }))
}

/// The gap asked for, if it can be told from rounding.
fn tolerance(path: &PairPath, reach: [f64; 2], settings: &SweepSettings) -> Tolerance {
    let error = path.rounding(reach) + path.bend();
    Tolerance { gap: settings.gap.max(16.0 * error), error }
}

/// Whether the surfaces share a point at the start: exact.
fn touch_at_start(surfaces: [MovingSurface<'_>; 2], path: &PairPath, scratch: &mut SweepScratch) -> bool {
    let frame = path.at(0.0);
    let (mut counts, mut touching) = (scratch.counts.search, false);
    let visit = &mut |leaves: [u32; 2], _: [f64; 2]| {
        let real = |k: usize| {
            let triangles = surfaces[k].tree().leaf_triangles(leaves[k]).into_iter();
            triangles.filter(move |&t| !surfaces[k].faces().is_virtual(t))
        };
        for p in real(0) {
            let a = surfaces[0].corners(p, Side::A, &frame, 0.0);
            let touched = real(1).any(|q| triangles_touch(&a, &surfaces[1].corners(q, Side::B, &frame, 0.0)));
            if touched {
                touching = true;
                return 0.0;
            }
        }
        START
    };
    let trees = surfaces.map(|surface| surface.tree());
    meetings(trees, path, [0.0, START], &mut scratch.search, visit, &mut counts);
    scratch.counts.search = counts;
    touching
}

/// Where two triangles are that a search has brought together.
fn meeting_of_triangles(surfaces: [MovingSurface<'_>; 2], path: &PairPath, found: &Arrived) -> FirstMeeting {
    let triangles = found.triangles.map(Option::unwrap_or_default);
    let [a, b] = *TrianglePair::new(path, surfaces, triangles, found.time).place(found.time);
    let gap = triangle_gap(&a, &b);
    let between = gap.points[1] - gap.points[0];
    let normal = found.normal.or_else(|| between.try_normalize(0.0)).unwrap_or_else(Vector3::z);
    let features = [0, 1].map(|k| triangle_feature(surfaces[k].faces(), triangles[k], gap.spots[k]));
    FirstMeeting {
        time: found.time,
        gap: between.norm(),
        normal,
        points: gap.points,
        features,
        triangles: found.triangles,
    }
}
