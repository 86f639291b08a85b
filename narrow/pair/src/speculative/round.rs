//! The margin of a surface and a primitive without triangles.

use crate::tunables;
use impinge_exact::MeshSolid;
use impinge_geometry::Side;
use impinge_midphase::Part;
use nalgebra::{Point3, Vector3};

use super::gather::{place, triangle_outline};
use super::outline::{Corner, Outline, Shared, witness_key};
use super::region::GapRegion;
use super::region::is_covered;
use super::surfaces::least_area;
use crate::patch::Patch;
use impinge_convex::feature_towards;
use impinge_convex::{Closest, Placed, closest_on_triangle, unit_normal};

/// A triangle near the primitive.
#[derive(Clone, Copy, Debug)]
struct NearTriangle {
    triangle: u32,
    /// In the primitive's frame.
    closest: Closest,
    /// From the primitive to the mesh (pair frame).
    axis: Vector3<f64>,
    /// The triangle's own (pair frame).
    normal: Vector3<f64>,
}

/// A surface and a primitive that do not touch.
struct GapSearch<'a> {
    part: &'a Part,
    pair: &'a MeshSolid<'a>,
    placed: Option<Placed>,
    margin: f64,
}

/// Adds the patches of gaps between a mesh and a primitive that do not touch; `leaves` are those of the mesh's
/// tree that may come within `margin` (m).
pub(crate) fn solid(
    parts: [&Part; 2],
    pair: &MeshSolid<'_>,
    leaves: &[u32],
    margin: f64,
    patches: &mut Vec<Patch>,
) {
    let other = pair.mesh.other();
    let placed = Placed::new(parts[other.index()], pair.frame, other);
    let search = GapSearch { part: parts[pair.mesh.index()], pair, placed, margin };
    let near = search.near(leaves);
    let first = patches.len();
    let closed = search.part.is_solid();
    while patches.len() < first + tunables::GAP_PATCHES {
        let fits = |n: &&NearTriangle| {
            let looks = -n.normal.dot(&n.axis);
            let facing = if closed { looks } else { looks.abs() } >= tunables::OTHER_DIRECTION;
            // The nearest of all counts whichever way it lies.
            patches.len() == first || (facing && !is_covered(&search.a_to_b(&n.axis), patches))
        };
        let nearest = near
            .iter()
            .filter(fits)
            .min_by(|p, q| p.closest.gap.total_cmp(&q.closest.gap).then(p.triangle.cmp(&q.triangle)));
        let Some(patch) = nearest.and_then(|seed| search.patch(seed, &near)) else { break };
        patches.push(patch);
    }
}

impl GapSearch<'_> {
    /// The triangles within the margin.
    fn near(&self, leaves: &[u32]) -> Vec<NearTriangle> {
        let mut near = Vec::new();
        let MeshSolid { surface, mesh, frame, .. } = *self.pair;
        for triangle in leaves.iter().flat_map(|&leaf| surface.tree.leaf_triangles(leaf)) {
            let Some(local) = self.pair.local_corners(triangle) else { continue };
            let closest = closest_on_triangle(&self.pair.primitive, &local);
            if closest.gap > self.margin {
                continue;
            }
            let corners = place(surface.faces(), frame, mesh, triangle);
            let normal = unit_normal(&corners).unwrap_or_default();
            near.push(NearTriangle {
                triangle,
                closest,
                axis: self.pair.rotation() * closest.normal,
                normal,
            });
        }
        near
    }

    /// Unit normal from A to B of a direction from the primitive to the mesh.
    fn a_to_b(&self, axis: &Vector3<f64>) -> Vector3<f64> {
        if self.pair.mesh == Side::B { *axis } else { -axis }
    }

    fn patch(&self, seed: &NearTriangle, near: &[NearTriangle]) -> Option<Patch> {
        let MeshSolid { surface, mesh, frame, .. } = *self.pair;
        let on_mesh = self.pair.to_frame(&seed.closest.on_triangle);
        let on_primitive = on_mesh - seed.axis * seed.closest.gap;
        let mut region = GapRegion::new(self.a_to_b(&seed.axis), on_mesh);
        let feature = self.placed.as_ref().map(|placed| {
            let corners = feature_towards(placed, &seed.axis);
            let corner = |(k, (p, name)): (usize, &(Point3<f64>, u32))| {
                let (at, height) = region.locate(p);
                Corner { at, height, name: *name, edge: k as u32 }
            };
            Outline::new(&corners.iter().enumerate().map(corner).collect::<Vec<_>>())
        });
        let closed = self.part.is_solid();
        for other in near {
            let looks = -other.normal.dot(&seed.axis);
            if (if closed { looks } else { looks.abs() }) < tunables::GAP_FACING {
                continue;
            }
            let corners = place(surface.faces(), frame, mesh, other.triangle);
            let outline = triangle_outline(surface.faces(), other.triangle, &corners, &region);
            self.gather(&outline, feature.as_ref(), &mut region);
        }
        let nearest = region.points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max);
        if nearest < -seed.closest.gap * (1.0 + 1e-6) {
            let ((at, on_mesh), (_, on_primitive)) = (region.locate(&on_mesh), region.locate(&on_primitive));
            region.add(at, self.in_order(on_mesh, on_primitive), 0.0, witness_key(seed.triangle, 0));
        }
        region.patch(least_area(self.margin))
    }

    /// The values of the mesh and of the primitive in the order of A and B.
    fn in_order(&self, mesh: f64, primitive: f64) -> [f64; 2] {
        if self.pair.mesh == Side::A { [mesh, primitive] } else { [primitive, mesh] }
    }

    /// Adds the gaps between a triangle and the primitive's feature; of a half-space, which is under
    /// everything, those at the triangle's corners.
    fn gather(&self, triangle: &Outline, feature: Option<&Outline>, region: &mut GapRegion) {
        let mut shared = Vec::new();
        match feature {
            Some(feature) if self.pair.mesh == Side::A => triangle.meet(feature, &mut |s| shared.push(s)),
            Some(feature) => feature.meet(triangle, &mut |s| shared.push(s)),
            None => {
                let border = self.pair.frame.offset[self.pair.mesh.other().index()] - region.origin.coords;
                let level = region.normal.dot(&border);
                triangle.over_plane(&mut |at, height, key| {
                    shared.push(Shared { at, heights: self.in_order(height, level), key });
                });
            }
        }
        let area = feature.map_or(triangle.area(), |feature| triangle.shared_area(feature));
        let share = area / shared.len().max(1) as f64;
        for s in &shared {
            let gap = s.heights[1] - s.heights[0];
            if gap > 0.0 && gap <= self.margin {
                region.area += share;
                region.add(s.at, s.heights, share, s.key);
            }
        }
    }
}
