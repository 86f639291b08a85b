//! A mesh against a primitive whose entry and exit are computed, and primitives among themselves where
//! columns are asked for.

use impinge_geometry::{Primitive, Side};
use impinge_midphase::{PairJob, Solid};
use nalgebra::{Point3, Vector3};

use crate::depth::Tips;
use crate::inside;
use crate::patch::{PairResult, Patch, PatchOrigin, PatchPoint};
use crate::patches::{Draft, Join, mean, pressure_center};
use crate::region::Region;
use crate::scene::{Eyes, Scene};
use crate::settle::{Set, settle};
use crate::speculative;
use crate::three_views::{overlaps, patch_of, within};
use crate::{NarrowScratch, NarrowSettings};
use impinge_convex::{Closest, Placed, closest_on_triangle};
use impinge_exact::MeshSolid;
use impinge_geometry::Containment;
use impinge_image_space::columns::{Column, Sums};
use impinge_image_space::view::{Axes, Extent, View};

/// Faces whose normals differ by no more than this (rad) are one flat face cut up: more than what rounding
/// the corners to `f32` tilts them.
const PARALLEL: f64 = 1e-5;

/// A triangle of the mesh that touches the primitive.
#[derive(Clone, Copy, Debug)]
struct Hit {
    triangle: u32,
    /// How near or deep, in the pair frame; the normal points from the primitive to the mesh.
    closest: Closest,
    /// Box of what of it may lie in the primitive (m), along the lattice's axes.
    extent: Extent,
}

/// Buffers of this pass.
#[derive(Debug, Default)]
pub(crate) struct SolidScratch {
    hits: Vec<Hit>,
    polygon: Vec<Point3<f64>>,
    spare: Vec<Point3<f64>>,
}

/// A mesh and a primitive that meet.
struct Meeting<'a, 'b> {
    scene: &'a Scene<'b>,
    pair: MeshSolid<'a>,
    /// The primitive where it stands; nothing for a half-space.
    placed: Option<Placed>,
}

/// Patches of a mesh and a primitive; `leaves`: those of the mesh's tree that may touch it.
pub(super) fn run(
    job: &PairJob<'_>,
    pair: MeshSolid<'_>,
    leaves: &[u32],
    settings: &NarrowSettings,
    scratch: &mut NarrowScratch,
    out: &mut PairResult,
) {
    let Some(scene) = Scene::new(job, [true; 2], settings) else { return };
    let NarrowScratch { solids, pieces, eyes, join, .. } = scratch;
    let other = pair.mesh.other();
    let placed = Placed::new(job.parts[other.index()], &job.frame, other);
    let meeting = Meeting { scene: &scene, pair, placed };
    meeting.find_hits(leaves, solids);
    out.counts.triangle_tests =
        leaves.iter().map(|&l| pair.surface.tree.leaf_triangles(l).len() as u64).sum();
    out.containment = meeting.containment(&solids.hits);
    out.touching = !solids.hits.is_empty() || out.containment != Containment::None;
    if out.containment != Containment::None
        && !matches!(pair.primitive, Primitive::HalfSpace)
        && scene.both_closed()
    {
        inside::patches(&scene, None, eyes, join, &mut out.patches);
    } else if out.touching {
        pieces.gather_extents(solids.hits.iter().map(|h| h.extent));
        for cluster in 0..pieces.clusters() {
            let members = &pieces.members[pieces.cluster_members(cluster)];
            let hits: Vec<Hit> = members.iter().map(|&m| solids.hits[m as usize]).collect();
            let before = out.patches.len();
            meeting.cluster(&hits, eyes, join, &mut out.patches);
            if out.patches.len() == before {
                out.patches.extend(meeting.touch(&hits));
            }
        }
    } else if settings.margin > 0.0 {
        speculative::solid(job.parts, &pair, leaves, settings.margin, &mut out.patches);
    }
    out.volume = scene.both_closed().then(|| out.patches.iter().map(|p| p.volume).sum());
}

/// Two primitives or hulls through columns; `out` holds what their closed form says of touching.
pub(super) fn run_analytic(
    job: &PairJob<'_>,
    settings: &NarrowSettings,
    scratch: &mut NarrowScratch,
    out: &mut PairResult,
) {
    // What two half-spaces share has no end, and no region to look at.
    if job.parts.iter().all(|part| part.solid == Solid::Primitive(Primitive::HalfSpace)) {
        return;
    }
    if !out.touching {
        out.volume = Some(0.0);
        return;
    }
    let Some(scene) = Scene::new(job, [true; 2], settings) else { return };
    let NarrowScratch { eyes, join, .. } = scratch;
    let region = scene.whole;
    let mut patches = Vec::new();
    for found in overlaps(&scene, &region, eyes, join) {
        if out.containment == Containment::None {
            patch_of(&scene, &region.axes, &found, eyes, &mut patches);
        } else {
            patches.extend(inside::way_out(&scene, &region, &found, eyes));
        }
    }
    // Solids that only touch have no columns: there the closed form keeps the word.
    if !patches.is_empty() {
        out.patches = patches;
        out.volume = Some(out.patches.iter().map(|p| p.volume).sum());
    }
}

impl Meeting<'_, '_> {
    fn find_hits(&self, leaves: &[u32], scratch: &mut SolidScratch) {
        scratch.hits.clear();
        for &triangle in leaves.iter().flat_map(|&leaf| self.pair.surface.tree.leaf_triangles(leaf)) {
            let Some(local) = self.pair.touching_corners(triangle) else { continue };
            let extent = self.reach(&local, scratch);
            let mut closest = closest_on_triangle(&self.pair.primitive, &local);
            // Of a face that lies along another every point is as deep: take one that both share.
            let at = self.scene.to_lattice(&self.pair.to_frame(&closest.on_triangle));
            closest.on_triangle = self.scene.off_lattice(&Point3::from(std::array::from_fn(|k| {
                at[k].max(extent.min[k]).min(extent.max[k])
            })));
            closest.normal = self.pair.rotation() * closest.normal;
            scratch.hits.push(Hit { triangle, closest, extent });
        }
        scratch.hits.sort_by_key(|h| h.triangle);
    }

    /// The box (lattice's axes) of what of a triangle lies in the primitive's own box and, for round ones,
    /// near where its plane cuts them.
    fn reach(&self, local: &[Point3<f64>; 3], scratch: &mut SolidScratch) -> Extent {
        let SolidScratch { polygon, spare, .. } = scratch;
        polygon.clear();
        polygon.extend_from_slice(local);
        let aabb = self.pair.primitive.aabb();
        for axis in 0..3 {
            for (sign, bound) in [(1.0, aabb.max[axis]), (-1.0, -aabb.min[axis])] {
                if bound.is_finite() {
                    clip(polygon, spare, axis, sign, f64::from(bound));
                }
            }
        }
        let mut extent = Extent::EMPTY;
        let kept: &[Point3<f64>] = if polygon.is_empty() { local } else { polygon };
        kept.iter().for_each(|p| extent.add(self.scene.to_lattice(&self.pair.to_frame(p)).coords.into()));
        match self.section(local) {
            Some(section) => {
                let clipped = Extent {
                    min: std::array::from_fn(|k| extent.min[k].max(section.min[k])),
                    max: std::array::from_fn(|k| extent.max[k].min(section.max[k])),
                };
                if clipped.is_empty() { extent } else { clipped }
            }
            None => extent,
        }
    }

    /// The box (lattice's axes) of where a plane cuts a ball or what a ball or disc sweeps along z.
    fn section(&self, local: &[Point3<f64>; 3]) -> Option<Extent> {
        let (half, radius) = match self.pair.primitive {
            Primitive::Sphere { radius } => (0.0, f64::from(radius)),
            Primitive::Capsule { half_height, radius } | Primitive::Cylinder { half_height, radius } => {
                (f64::from(half_height), f64::from(radius))
            }
            Primitive::HalfSpace | Primitive::Cuboid { .. } => return None,
        };
        let normal = (local[1] - local[0]).cross(&(local[2] - local[0])).try_normalize(0.0)?;
        let height = |z: f64| normal.z * z - normal.dot(&local[0].coords);
        // Between these the middle of the section moves evenly, and its radius grows or shrinks.
        let mut stops = vec![-half, half];
        for level in [-radius, 0.0, radius] {
            let z = (level + normal.dot(&local[0].coords)) / normal.z;
            if z.abs() < half {
                stops.push(z);
            }
        }
        let mut extent = Extent::EMPTY;
        for z in stops {
            let h = height(z);
            let across = radius * radius - h * h;
            if across < 0.0 {
                continue;
            }
            let reach = across.sqrt() * 1.25;
            let middle = self.scene.to_lattice(&self.pair.to_frame(&(Point3::new(0.0, 0.0, z) - normal * h)));
            let turned = self.scene.lattice.tr_mul(&(self.pair.rotation() * normal));
            let side = turned.map(|n| reach * (1.0 - n * n).max(0.0).sqrt());
            extent.add((middle - side).coords.into());
            extent.add((middle + side).coords.into());
        }
        (!extent.is_empty()).then_some(extent)
    }

    /// Whether one is wholly inside the other.
    fn containment(&self, hits: &[Hit]) -> Containment {
        let [mesh_in, primitive_in] = self.pair.containments();
        if hits.len() == self.pair.surface.mesh.triangles().len() {
            return if self.pair.holds_mesh() { mesh_in } else { Containment::None };
        }
        let enclosed = hits.is_empty() && self.pair.encloses_primitive();
        if enclosed { primitive_in } else { Containment::None }
    }

    /// Unit normal from A to B of a vector from the primitive to the mesh.
    fn a_to_b(&self, from_primitive: &Vector3<f64>) -> Vector3<f64> {
        if self.pair.mesh == Side::B { *from_primitive } else { -from_primitive }
    }

    /// Patches of hits that lie together.
    fn cluster(&self, hits: &[Hit], eyes: &mut Eyes, join: &mut Join, out: &mut Vec<Patch>) {
        if !self.scene.both_closed() {
            return;
        }
        if matches!(self.pair.primitive, Primitive::HalfSpace) {
            return self.on_half_space(hits, eyes, join, out);
        }
        let Some(mut region) = self.region(hits, eyes) else { return };
        self.clip_to_primitive(&mut region);
        let facing = self.common_normal(hits);
        for mut found in overlaps(self.scene, &region, eyes, join) {
            // The mesh's surface in the primitive is flat: so is G, whatever the lattice says.
            if let Some(normal) = facing.filter(|n| n.dot(&found.gradient) > 0.0) {
                found.gradient = normal * found.gradient.norm();
            }
            patch_of(self.scene, &region.axes, &found, eyes, out);
        }
    }

    /// The normal (from A to B) of the faces that were hit, where they all lie in parallel planes.
    fn common_normal(&self, hits: &[Hit]) -> Option<Vector3<f64>> {
        let first = self.scene.facet_normal(self.pair.mesh, hits.first()?.triangle)?;
        let same = |hit: &Hit| {
            self.scene
                .facet_normal(self.pair.mesh, hit.triangle)
                .is_some_and(|n| (n - first).norm() <= PARALLEL)
        };
        hits.iter().all(same).then(|| if self.pair.mesh == Side::A { first } else { -first })
    }

    /// On a half-space the normal is known: views along it tell everything.
    fn on_half_space(&self, hits: &[Hit], eyes: &mut Eyes, join: &mut Join, out: &mut Vec<Patch>) {
        let normal = self.a_to_b(&(self.pair.rotation() * Vector3::z()));
        let axes = self.scene.along(&normal);
        let mut extent = Extent::EMPTY;
        for hit in hits {
            let Some(corners) = self.scene.corners(self.pair.mesh, hit.triangle) else { continue };
            let (mut polygon, mut spare) = (corners.map(|p| self.pair.to_local(&p)).to_vec(), Vec::new());
            clip(&mut polygon, &mut spare, 2, 1.0, 0.0);
            polygon.iter().for_each(|p| extent.add(axes.coordinates(&self.pair.to_frame(p).coords)));
        }
        let mut view = View::of_extent(&axes, &extent, self.scene.resolution, self.scene.least);
        eyes.wide.look(self.scene, &mut view);
        join.columns(&eyes.wide.columns, 0);
        let mut sets: Vec<(u32, u32)> =
            (0..eyes.wide.columns.list.len()).map(|c| (join.of_column(c), c as u32)).collect();
        sets.sort_unstable();
        for set in sets.chunk_by(|a, b| a.0 == b.0) {
            let columns: Vec<Column> = set.iter().map(|s| eyes.wide.columns.list[s.1 as usize]).collect();
            let mut sums = Sums::default();
            columns.iter().for_each(|c| sums.add(c));
            let area = if sums.overlaps == 0 { sums.touch_area(&view) } else { sums.gradient(&view).abs() };
            let gradient = normal * area;
            let torque = if sums.overlaps == 0 { Vector3::zeros() } else { sums.torque(&view) };
            let draft =
                Draft { normal, gradient, torque, volume: None, solid: true, wraps: false, serial: 0 };
            let before = out.len();
            let set = Set {
                view: &view,
                columns: &columns,
                tips: &Tips::default(),
                draft: &draft,
                has_normal: true,
            };
            settle(self.scene, &set, eyes, out);
            if sums.overlaps == 0 {
                for found in &mut out[before..] {
                    found.torque = found.centroid.coords.cross(&gradient);
                    found.pressure_center = found.centroid;
                }
            }
        }
    }

    /// Where hits overlap: along the mean normal of the hits, as deep as columns reach.
    fn region(&self, hits: &[Hit], eyes: &mut Eyes) -> Option<Region> {
        let sum: Vector3<f64> = hits.iter().map(|h| h.closest.normal * (-h.closest.gap).max(0.0)).sum();
        let normal = sum.try_normalize(0.0).unwrap_or(hits.first()?.closest.normal);
        let axes = self.scene.along(&normal);
        let mut extent = Extent::EMPTY;
        for hit in hits {
            let box_of_hit = Region { axes: self.scene.lattice_axes(), extent: hit.extent };
            extent.merge(&box_of_hit.seen_along(&axes));
        }
        let deepest = hits.iter().min_by(|a, b| a.closest.gap.total_cmp(&b.closest.gap))?;
        let center = axes.coordinates(&deepest.closest.on_triangle.coords);
        let mut rectangle = extent;
        // What a view of everything misses is looked for ever closer to the deepest hit.
        while rectangle.size(0).max(rectangle.size(1)) > self.scene.least {
            let mut view = View::of_extent(&axes, &rectangle, self.scene.coarse(), self.scene.least);
            eyes.wide.look(self.scene, &mut view);
            let within = within(&view, &extent);
            let columns = eyes.wide.columns.list.iter().filter(|c| !c.is_touch() && within(c));
            let found = Region::of_columns(&axes, &view, columns);
            if !found.extent.is_empty() {
                let pixel = [view.pixel[0], view.pixel[1], 0.0];
                return Some(Region {
                    axes,
                    extent: Extent {
                        min: std::array::from_fn(|k| found.extent.min[k] - pixel[k]),
                        max: std::array::from_fn(|k| found.extent.max[k] + pixel[k]),
                    },
                });
            }
            let half = rectangle.size(0).max(rectangle.size(1)) / 16.0;
            for (k, middle) in center.into_iter().enumerate().take(2) {
                (rectangle.min[k], rectangle.max[k]) = (middle - half, middle + half);
            }
        }
        None
    }

    /// Cuts a region to the primitive's own bounds along its axes: where the overlap ends at a flat end or a
    /// rim, so do the pixels, and no row of them is half filled.
    fn clip_to_primitive(&self, region: &mut Region) {
        let Some(placed) = &self.placed else { return };
        let mut clipped = region.extent;
        for (k, axis) in [region.axes.right, region.axes.up, region.axes.depth].iter().enumerate() {
            clipped.min[k] = clipped.min[k].max(-placed.reach(&-axis));
            clipped.max[k] = clipped.max[k].min(placed.reach(axis));
        }
        if !clipped.is_empty() {
            region.extent = clipped;
        }
    }

    /// The patch of hits without columns: the nearest points of the triangles as deep as the deepest, or
    /// nearly so.
    fn touch(&self, hits: &[Hit]) -> Option<Patch> {
        let deepest = hits.iter().min_by(|a, b| a.closest.gap.total_cmp(&b.closest.gap))?;
        let normal = self.a_to_b(&deepest.closest.normal);
        let mut points: Vec<PatchPoint> = Vec::new();
        for hit in hits.iter().filter(|h| h.closest.normal.dot(&deepest.closest.normal) > 0.9) {
            let (on_mesh, on_primitive) = (hit.closest.on_triangle, hit.closest.on_primitive());
            let (on_a, on_b) =
                if self.pair.mesh == Side::A { (on_mesh, on_primitive) } else { (on_primitive, on_mesh) };
            if points.iter().all(|p| p.on_a != on_a) {
                let depth = (on_a - on_b).dot(&normal);
                points.push(PatchPoint { on_a, on_b, depth, weight: 0.0, key: u64::from(hit.triangle) });
            }
        }
        let mut extent = Extent::EMPTY;
        let axes = Axes::along(&normal);
        for hit in hits {
            extent.merge(&Region { axes: self.scene.lattice_axes(), extent: hit.extent }.seen_along(&axes));
        }
        // The area of an ellipse in the rectangle of the hits.
        let area = std::f64::consts::FRAC_PI_4 * extent.size(0) * extent.size(1);
        let weight = area / points.len() as f64;
        points.iter_mut().for_each(|p| p.weight = weight);
        let centroid = mean(&points)?;
        let gradient = normal * area;
        let torque = centroid.coords.cross(&gradient);
        Some(Patch {
            normal,
            depth: points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max),
            volume: 0.0,
            gradient,
            torque,
            centroid,
            pressure_center: pressure_center(&gradient, &torque, &centroid),
            radius: points.iter().map(|p| (p.on_a - centroid).norm()).fold(0.0, f64::max),
            points,
            origin: if self.scene.both_closed() { PatchOrigin::Touch } else { PatchOrigin::Contour },
        })
    }
}

/// Keeps of a polygon what lies at `sign · x[axis] ≤ bound` (Sutherland and Hodgman, "Reentrant Polygon
/// Clipping", 1974).
fn clip(polygon: &mut Vec<Point3<f64>>, spare: &mut Vec<Point3<f64>>, axis: usize, sign: f64, bound: f64) {
    spare.clear();
    for (k, p) in polygon.iter().enumerate() {
        let q = &polygon[(k + 1) % polygon.len()];
        let (hp, hq) = (sign * p[axis] - bound, sign * q[axis] - bound);
        if hp <= 0.0 {
            spare.push(*p);
        }
        if (hp < 0.0 && hq > 0.0) || (hp > 0.0 && hq < 0.0) {
            spare.push(p + (q - p) * (hp / (hp - hq)));
        }
    }
    std::mem::swap(polygon, spare);
}
