//! The gaps within the margin between a surface and a primitive without triangles.

use crate::tunables;
use impinge_exact::MeshSolid;
use impinge_geometry::Side;
use impinge_midphase::Part;
use nalgebra::{Point3, Vector3};

use super::gather::{place, triangle_outline};
use super::outline::{Corner, Outline, Shared, witness_key};
use super::region::{GapRegion, is_covered, surround};
use super::surfaces::least_area;
use crate::patch::Patch;
use crate::patches::vertex_key;
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

/// A surface and a primitive that are near each other.
struct GapSearch<'a> {
    part: &'a Part,
    pair: &'a MeshSolid<'a>,
    placed: Option<Placed>,
    margin: f64,
    near: Vec<NearTriangle>,
}

/// Adds the gaps between a mesh and a primitive within `margin` (m). `leaves` are the leaves of the
/// mesh's tree that may come within it. Bodies that are apart get patches of gaps. If they touch,
/// `patches` are those of their overlaps: these get the points around them that are nearly in
/// contact, and other directions in which the bodies are near get patches of gaps.
pub(crate) fn solid(
    parts: [&Part; 2],
    pair: &MeshSolid<'_>,
    leaves: &[u32],
    margin: f64,
    touching: bool,
    patches: &mut Vec<Patch>,
) {
    let other = pair.mesh.other();
    let placed = Placed::new(parts[other.index()], pair.frame, other);
    let part = parts[pair.mesh.index()];
    let mut search = GapSearch { part, pair, placed, margin, near: Vec::new() };
    search.find_near(leaves);
    if touching {
        surround(patches, |region| search.gather(region));
    }
    let first = patches.len();
    while patches.len() < first + tunables::GAP_PATCHES {
        // The nearest triangle of bodies that are apart counts whichever way it lies.
        let counts_anyway = !touching && patches.len() == first;
        let fits = |n: &&NearTriangle| {
            counts_anyway
                || (n.closest.gap > 0.0
                    && search.faces(n, &n.axis, tunables::OTHER_DIRECTION)
                    && !is_covered(&search.a_to_b(&n.axis), patches))
        };
        let nearest = search
            .near
            .iter()
            .filter(fits)
            .min_by(|p, q| p.closest.gap.total_cmp(&q.closest.gap).then(p.triangle.cmp(&q.triangle)));
        let Some(patch) = nearest.and_then(|seed| search.patch(seed)) else { break };
        patches.push(patch);
    }
}

impl GapSearch<'_> {
    /// Finds the triangles within the margin.
    fn find_near(&mut self, leaves: &[u32]) {
        let MeshSolid { surface, mesh, frame, .. } = *self.pair;
        for triangle in leaves.iter().flat_map(|&leaf| surface.tree.leaf_triangles(leaf)) {
            let Some(local) = self.pair.local_corners(triangle) else { continue };
            let closest = closest_on_triangle(&self.pair.primitive, &local);
            if closest.gap > self.margin {
                continue;
            }
            let corners = place(surface.faces(), frame, mesh, triangle);
            let normal = unit_normal(&corners).unwrap_or_default();
            let axis = self.pair.rotation() * closest.normal;
            self.near.push(NearTriangle { triangle, closest, axis, normal });
        }
    }

    /// Tests whether a triangle looks against an axis (from the primitive to the mesh) by at least
    /// `least` (cosine). A triangle of an open surface looks both ways.
    fn faces(&self, triangle: &NearTriangle, axis: &Vector3<f64>, least: f64) -> bool {
        let looks = -triangle.normal.dot(axis);
        (if self.part.is_solid() { looks } else { looks.abs() }) >= least
    }

    /// Turns a direction from the primitive to the mesh into one from A to B, and back.
    fn a_to_b(&self, axis: &Vector3<f64>) -> Vector3<f64> {
        if self.pair.mesh == Side::B { *axis } else { -axis }
    }

    /// Returns the patch of the gaps along a near triangle's axis.
    fn patch(&self, seed: &NearTriangle) -> Option<Patch> {
        let on_mesh = self.pair.to_frame(&seed.closest.on_triangle);
        let on_primitive = on_mesh - seed.axis * seed.closest.gap;
        let mut region = GapRegion::new(self.a_to_b(&seed.axis), on_mesh);
        self.gather(&mut region);
        let nearest = region.points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max);
        if nearest < -seed.closest.gap * (1.0 + 1e-6) {
            let ((at, on_mesh), (_, on_primitive)) = (region.locate(&on_mesh), region.locate(&on_primitive));
            region.add(at, self.in_order(on_mesh, on_primitive), 0.0, witness_key(seed.triangle, 0));
        }
        region.patch(least_area(self.margin))
    }

    /// Adds to a region the gaps along its normal.
    fn gather(&self, region: &mut GapRegion) {
        let MeshSolid { surface, mesh, frame, .. } = *self.pair;
        let axis = self.a_to_b(&region.normal);
        let feature = self.placed.as_ref().map(|placed| {
            let corners = feature_towards(placed, &axis);
            let corner = |(k, (p, name)): (usize, &(Point3<f64>, u32))| {
                let (at, height) = region.locate(p);
                Corner { at, height, name: *name, edge: k as u32 }
            };
            Outline::new(&corners.iter().enumerate().map(corner).collect::<Vec<_>>())
        });
        for other in self.near.iter().filter(|other| self.faces(other, &axis, tunables::GAP_FACING)) {
            let corners = place(surface.faces(), frame, mesh, other.triangle);
            let outline = triangle_outline(surface.faces(), other.triangle, &corners, region);
            self.gather_triangle(&outline, feature.as_ref(), region);
        }
    }

    /// The values of the mesh and of the primitive in the order of A and B.
    fn in_order(&self, mesh: f64, primitive: f64) -> [f64; 2] {
        if self.pair.mesh == Side::A { [mesh, primitive] } else { [primitive, mesh] }
    }

    /// Adds the gaps between a triangle and the primitive's feature. A half-space, which is under
    /// everything, has them at the triangle's corners.
    fn gather_triangle(&self, triangle: &Outline, feature: Option<&Outline>, region: &mut GapRegion) {
        let mut shared = Vec::new();
        match feature {
            Some(feature) if self.pair.mesh == Side::A => triangle.meet(feature, &mut |s| shared.push(s)),
            Some(feature) => feature.meet(triangle, &mut |s| shared.push(s)),
            None => {
                let border = self.pair.frame.offset[self.pair.mesh.other().index()] - region.origin.coords;
                let level = region.normal.dot(&border);
                // A vertex keeps its key when it enters the half-space.
                shared.extend(triangle.list().iter().map(|corner| Shared {
                    at: corner.at,
                    heights: self.in_order(corner.height, level),
                    key: vertex_key(self.pair.mesh, corner.name),
                }));
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
