//! When do a surface and a round solid first meet?

use impinge_convex::{Closest, Placed, closest_on_triangle};
use impinge_geometry::{Obb, PairPath, Primitive, Side};
use impinge_midphase::ObbTree;
use impinge_midphase::Surface;
use impinge_midphase::obb_tree;
use nalgebra::{Matrix3, Point3, Vector3};

use super::advance::{Approach, NearestPair, Tolerance, advance};
use super::answer::{Arrived, SweepScratch, SweepSettings};
use super::moving_surface::MovingSurface;
use super::swept_solid::farthest;

/// When a surface on the side `mesh` and a primitive that does not touch it at the start, and that is no half-space, first meet.
pub(super) fn mesh_solid(
    mesh: Side,
    surface: &Surface,
    primitive: Primitive,
    path: &PairPath,
    settings: &SweepSettings,
    scratch: &mut SweepScratch,
) -> Option<Arrived> {
    let half = primitive.aabb().max;
    let around = ObbTree::of_box(&Obb { center: Point3::origin(), axes: Matrix3::identity(), half });
    let trees = match mesh {
        Side::A => [&*surface.tree, &around],
        Side::B => [&around, &*surface.tree],
    };
    let tolerance =
        Tolerance { gap: settings.gap, error: path.rounding(trees.map(|tree| tree.reach())) + path.bend() };
    let reach = farthest(path, mesh.other(), around.reach());
    let mut bound = settings.bound;
    let mut best: Option<(u32, f64, Option<NearestPair>)> = None;
    let (mut counts, mut gaps, mut followed) = (scratch.counts.search, 0, 0);
    let visit = &mut |leaves: [u32; 2], [begin, end]: [f64; 2]| {
        for triangle in surface.tree.leaf_triangles(leaves[mesh.index()]) {
            if begin >= bound || surface.faces().is_virtual(triangle) {
                continue;
            }
            followed += 1;
            let surface = MovingSurface::Rigid(surface);
            let mut pair = SolidTriangle::new(path, mesh, surface, primitive, triangle, reach);
            let found = advance(&mut pair, [begin, end.min(bound)], &tolerance, &mut gaps);
            if let Some(found) = found.filter(|found| found.time < bound) {
                bound = found.time;
                best = Some((triangle, found.time, found.nearest));
            }
        }
        bound
    };
    obb_tree::first_meeting(trees, path, settings.bound, &mut scratch.search, visit, &mut counts);
    scratch.counts.search = counts;
    scratch.counts.gaps += gaps;
    scratch.counts.followed += followed;
    best.map(|(triangle, time, nearest)| {
        let mut triangles = [None; 2];
        triangles[mesh.index()] = Some(triangle);
        Arrived { time, normal: nearest.map(|nearest| nearest.normal), triangles }
    })
}

/// A triangle and a primitive in motion.
pub(super) struct SolidTriangle<'s> {
    path: &'s PairPath<'s>,
    mesh: Side,
    surface: MovingSurface<'s>,
    primitive: Primitive,
    triangle: u32,
    /// No point of the triangle, and of the primitive, is farther from what its body turns about (m).
    radii: [f64; 2],
}

impl<'s> SolidTriangle<'s> {
    /// No point of the primitive is farther than `reach` (m) from what its body turns about.
    pub fn new(
        path: &'s PairPath<'s>,
        mesh: Side,
        surface: MovingSurface<'s>,
        primitive: Primitive,
        triangle: u32,
        reach: f64,
    ) -> SolidTriangle<'s> {
        let mut pair = SolidTriangle { path, mesh, surface, primitive, triangle, radii: [0.0, reach] };
        pair.radii[0] = path.radius_of(mesh, &pair.corners(0.0), 0.0);
        pair
    }

    fn corners(&self, time: f64) -> [Point3<f64>; 3] {
        self.surface.corners(self.triangle, self.mesh, &self.path.at(time), time)
    }

    /// The nearest points at a time, in the primitive's frame.
    pub fn closest(&self, time: f64) -> Closest {
        let frame = self.path.at(time);
        let local = self.corners(time).map(|p| frame.to_local(self.mesh.other(), &p));
        closest_on_triangle(&self.primitive, &local)
    }
}

impl Approach for SolidTriangle<'_> {
    fn nearest(&mut self, time: f64) -> Option<NearestPair> {
        let found = self.closest(time);
        if found.gap <= 0.0 {
            return None;
        }
        let normal = self.path.at(time).rotation[self.mesh.other().index()] * found.normal;
        let normal = if self.mesh == Side::A { -normal } else { normal };
        Some(NearestPair { distance: found.gap, normal })
    }

    fn separation(&mut self, time: f64, normal: &Vector3<f64>) -> f64 {
        let frame = self.path.at(time);
        let k = self.mesh.other().index();
        let solid = Placed {
            rotation: frame.rotation[k],
            offset: frame.offset[k],
            ..Placed::at_origin(self.primitive)
        };
        let heights = self.corners(time).map(|p| normal.dot(&p.coords));
        match self.mesh {
            Side::A => -solid.reach(&-normal) - heights[0].max(heights[1]).max(heights[2]),
            Side::B => heights[0].min(heights[1]).min(heights[2]) - solid.reach(normal),
        }
    }

    fn sagitta(&self, normal: &Vector3<f64>, span: f64) -> f64 {
        self.path.sagitta(self.mesh, normal, self.radii[0], span)
            + self.path.sagitta(self.mesh.other(), normal, self.radii[1], span)
    }
}
