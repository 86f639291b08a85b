//! A mesh against a primitive that has no triangles: half-space, sphere, capsule or cylinder.

use impinge_convex::Placed;
use impinge_exact::MeshSolid;
use impinge_geometry::{Containment, Primitive, Side};
use impinge_midphase::PairJob;
use nalgebra::Vector3;

use super::hits::{Hit, MeshSolidPair, SolidScratch, clip};
use crate::overlap::{self, ExtremeVertices, OverlapSample, overlaps, patch_of, resolve_patch};
use crate::patch::{PairResult, Patch};
use crate::patches::{Features, Join, PatchSeed, without_twist};
use crate::penetration::{self, Swept};
use crate::region::{Region, within};
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::settings::NarrowSettings;
use crate::{speculative, tunables};
use impinge_image_space::intervals::{OverlapInterval, Sums};
use impinge_image_space::view::{Extent, View};

/// Buffers of this room.
#[derive(Debug, Default)]
pub(crate) struct MeshSolidScratch {
    solids: SolidScratch,
    features: Features,
}

/// Patches of a mesh and a primitive; `leaves`: those of the mesh's tree that may touch it.
pub(crate) fn run(
    job: &PairJob<'_>,
    pair: MeshSolid<'_>,
    leaves: &[u32],
    settings: &NarrowSettings,
    scratch: &mut MeshSolidScratch,
    (samplers, join): (&mut Samplers, &mut Join),
    out: &mut PairResult,
) {
    let Some(mut scene) = Scene::new(job, [true; 2], settings) else { return };
    if scene.both_closed() && !matches!(pair.primitive, Primitive::HalfSpace) {
        scene.swept = Some(Swept::Solid(pair));
    }
    let scene = scene;
    let MeshSolidScratch { solids, features } = scratch;
    let other = pair.mesh.other();
    let placed = Placed::new(job.parts[other.index()], &job.frame, other);
    let both = MeshSolidPair { scene: &scene, pair, placed };
    both.find_hits(leaves, solids);
    out.counts.triangle_tests =
        leaves.iter().map(|&l| pair.surface.tree.leaf_triangles(l).len() as u64).sum();
    out.containment = both.containment(&solids.hits);
    out.touching = !solids.hits.is_empty() || out.containment != Containment::None;
    if out.containment != Containment::None
        && !matches!(pair.primitive, Primitive::HalfSpace)
        && scene.both_closed()
    {
        out.patches.push(
            penetration::contained_mtv(&scene, &[], &[], samplers)
                .unwrap_or_else(|| overlap::last_resort(&scene)),
        );
    } else if out.touching {
        features.gather_extents(solids.hits.iter().map(|h| h.extent));
        for cluster in 0..features.clusters() {
            let members = &features.members[features.cluster_members(cluster)];
            let hits: Vec<Hit> = members.iter().map(|&m| solids.hits[m as usize]).collect();
            let before = out.patches.len();
            both.cluster(&hits, samplers, join, &mut out.patches);
            if out.patches.len() == before {
                out.patches.extend(both.touch(&hits));
            }
        }
        if scene.allow_shorter && !penetration::unclamp(&scene, &[], &mut out.patches, samplers) {
            penetration::pair_mtv(&scene, &[], &mut out.patches, samplers);
        }
    } else if settings.margin > 0.0 {
        speculative::solid(job.parts, &pair, leaves, settings.margin, &mut out.patches);
    }
    out.volume = scene.both_closed().then(|| out.patches.iter().map(|p| p.volume).sum());
}

impl MeshSolidPair<'_, '_> {
    /// Patches of hits that lie together.
    fn cluster(&self, hits: &[Hit], samplers: &mut Samplers, join: &mut Join, out: &mut Vec<Patch>) {
        if !self.scene.both_closed() {
            return;
        }
        if matches!(self.pair.primitive, Primitive::HalfSpace) {
            return self.on_half_space(hits, samplers, join, out);
        }
        let Some(mut region) = self.region(hits, samplers) else { return };
        self.clip_to_primitive(&mut region);
        let facing = self.common_normal(hits);
        for mut found in overlaps(self.scene, &region, samplers, join) {
            // The mesh's surface in the primitive is flat: so is G, whatever the lattice says.
            if let Some(normal) = facing.filter(|n| n.dot(&found.gradient) > 0.0) {
                found.gradient = normal * found.gradient.norm();
            }
            patch_of(self.scene, &region.axes, &found, samplers, out);
        }
    }

    /// The normal (from A to B) of the faces that were hit, where they all lie in parallel planes.
    fn common_normal(&self, hits: &[Hit]) -> Option<Vector3<f64>> {
        let first = self.scene.facet_normal(self.pair.mesh, hits.first()?.triangle)?;
        let same = |hit: &Hit| {
            self.scene
                .facet_normal(self.pair.mesh, hit.triangle)
                .is_some_and(|n| (n - first).norm() <= tunables::PARALLEL_FACES)
        };
        hits.iter().all(same).then(|| if self.pair.mesh == Side::A { first } else { -first })
    }

    /// On a half-space the normal is known: views along it tell everything.
    fn on_half_space(&self, hits: &[Hit], samplers: &mut Samplers, join: &mut Join, out: &mut Vec<Patch>) {
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
        samplers.wide.sample(self.scene, &mut view);
        join.columns(&samplers.wide.columns, 0);
        let mut sets: Vec<(u32, u32)> =
            (0..samplers.wide.columns.list.len()).map(|c| (join.of_column(c), c as u32)).collect();
        sets.sort_unstable();
        for set in sets.chunk_by(|a, b| a.0 == b.0) {
            let columns: Vec<OverlapInterval> =
                set.iter().map(|s| samplers.wide.columns.list[s.1 as usize]).collect();
            let mut sums = Sums::default();
            columns.iter().for_each(|c| sums.add(c));
            let area = if sums.overlaps == 0 { sums.touch_area(&view) } else { sums.gradient(&view).abs() };
            let gradient = normal * area;
            let torque = if sums.overlaps == 0 {
                Vector3::zeros()
            } else {
                without_twist(&gradient, &sums.torque(&view))
            };
            let seed =
                PatchSeed { normal, gradient, torque, volume: None, solid: true, wraps: false, serial: 0 };
            let before = out.len();
            let set = OverlapSample {
                view: &view,
                columns: &columns,
                extremes: &ExtremeVertices::default(),
                seed: &seed,
                has_normal: true,
            };
            resolve_patch(self.scene, &set, samplers, out);
            if sums.overlaps == 0 {
                for found in &mut out[before..] {
                    found.torque = found.centroid.coords.cross(&gradient);
                    found.pressure_center = found.centroid;
                }
            }
        }
    }

    /// Where hits overlap: along the mean normal of the hits, as deep as columns reach.
    fn region(&self, hits: &[Hit], samplers: &mut Samplers) -> Option<Region> {
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
            samplers.wide.sample(self.scene, &mut view);
            let within = within(&view, &extent);
            let columns = samplers.wide.columns.list.iter().filter(|c| !c.is_touch() && within(c));
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
}
