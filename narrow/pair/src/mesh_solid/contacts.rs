//! A mesh against a primitive that has no triangles: half-space, sphere, capsule or cylinder.

use impinge_exact::MeshSolid;
use impinge_geometry::{Containment, Primitive, Side};
use impinge_midphase::PairJob;
use nalgebra::Vector3;

use super::half_space::HalfSpaceContacts;
use super::hits::{Hit, MeshSolidPair, SolidScratch, clip};
use super::round::{self, RoundScratch};
use crate::overlap::{self, Overlap, OverlapSample, overlaps, patch_along_normal, patch_of, resolve_patch};
use crate::patch::{PairResult, Patch};
use crate::patches::{Features, Join, PatchSeed, without_twist};
use crate::penetration::{self, Swept};
use crate::region::{Region, within};
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::settings::NarrowSettings;
use crate::spare_points::SparePoints;
use crate::{speculative, tunables};
use impinge_image_space::intervals::{OverlapInterval, Sums};
use impinge_image_space::view::{Axes, Extent, View};

/// Buffers of this room.
#[derive(Debug, Default)]
pub(crate) struct MeshSolidScratch {
    solids: SolidScratch,
    half_space: HalfSpaceContacts,
    features: Features,
    round: RoundScratch,
}

/// Patches of a mesh and a primitive; `leaves`: those of the mesh's tree that may touch it.
pub(crate) fn run(
    job: &PairJob<'_>,
    pair: MeshSolid<'_>,
    leaves: &[u32],
    settings: &NarrowSettings,
    (scratch, spare_points): (&mut MeshSolidScratch, &mut SparePoints),
    (samplers, join): (&mut Samplers, &mut Join),
    out: &mut PairResult,
) {
    let Some(mut scene) = Scene::new(job, [true; 2], settings) else { return };
    if scene.both_closed() && !matches!(pair.primitive, Primitive::HalfSpace) {
        scene.swept = Some(Swept::Solid(pair));
    }
    let scene = scene;
    let MeshSolidScratch { solids, half_space, features, round } = scratch;
    let both = MeshSolidPair::new(job, &scene, pair);
    out.counts.triangle_tests =
        leaves.iter().map(|&l| pair.surface.tree.leaf_triangles(l).len() as u64).sum();
    if round::covers(&both) && round::contacts(&both, leaves, (round, spare_points), samplers, out) {
        add_gaps(job, &pair, leaves, settings, out);
        out.volume = Some(out.patches.iter().map(|p| p.volume).sum());
        return;
    }
    both.find_hits(leaves, solids);
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
    } else if out.touching && both.needs_no_view() {
        half_space.run(&both, leaves, &solids.hits, &mut out.patches);
    } else if out.touching {
        features.gather_extents(solids.hits.iter().map(|h| h.extent));
        for cluster in 0..features.clusters() {
            let hits = members_of(features, cluster, solids);
            let before = out.patches.len();
            both.cluster(cluster, &hits, (samplers, join), solids, &mut out.patches);
            if out.patches.len() == before {
                out.patches.extend(both.touch(&hits));
            }
        }
        if !penetration::unclamp(&scene, &[], &mut out.patches, samplers) {
            penetration::pair_mtv(&scene, (&[], None), &mut out.patches, samplers);
        }
    }
    add_gaps(job, &pair, leaves, settings, out);
    out.volume = scene.both_closed().then(|| out.patches.iter().map(|p| p.volume).sum());
}

/// Adds the gaps within the margin, unless one body holds the other.
fn add_gaps(
    job: &PairJob<'_>,
    pair: &MeshSolid<'_>,
    leaves: &[u32],
    settings: &NarrowSettings,
    out: &mut PairResult,
) {
    if settings.margin > 0.0 && out.containment == Containment::None {
        speculative::solid(job.parts, pair, leaves, settings.margin, out.touching, &mut out.patches);
    }
}

/// Pixels per side of a view that is sampled elsewhere, at most.
const FINEST: u32 = 32;

/// The views in which a mesh and a primitive are to be sampled elsewhere, as [`run`] then looks for them: of each cluster of
/// hits one along a half-space's normal, three at right angles of another primitive. `None` where nothing of them touches, and
/// no views where lines say nothing: of an open mesh, and of what is inside the other.
pub(crate) fn views(
    job: &PairJob<'_>,
    pair: MeshSolid<'_>,
    leaves: &[u32],
    settings: &NarrowSettings,
    scratch: &mut MeshSolidScratch,
) -> Option<Vec<View>> {
    let scene = Scene::new(job, [true; 2], settings)?;
    let MeshSolidScratch { solids, features, .. } = scratch;
    let both = MeshSolidPair::new(job, &scene, pair);
    if both.needs_no_view() || round::covers(&both) {
        return None;
    }
    both.find_hits(leaves, solids);
    if solids.hits.is_empty() {
        return None;
    }
    let mut views = Vec::new();
    let sampled = settings.resolution <= FINEST && scene.both_closed();
    if sampled && both.containment(&solids.hits) == Containment::None {
        features.gather_extents(solids.hits.iter().map(|h| h.extent));
        for cluster in 0..features.clusters() {
            let hits = members_of(features, cluster, solids);
            views.extend(both.views_of(&hits, solids));
        }
    }
    Some(views)
}

/// The hits of a cluster.
fn members_of(features: &Features, cluster: usize, solids: &SolidScratch) -> Vec<Hit> {
    let members = &features.members[features.cluster_members(cluster)];
    members.iter().map(|&m| solids.hits[m as usize]).collect()
}

impl MeshSolidPair<'_, '_> {
    /// Whether what overlaps is known without lines: of a closed mesh in a half-space, whose shells do not overlap.
    fn needs_no_view(&self) -> bool {
        matches!(self.pair.primitive, Primitive::HalfSpace)
            && self.scene.both_closed()
            && self.scene.counts_once()
    }

    /// Patches of hits that lie together; `nth`: the number of their cluster.
    fn cluster(
        &self,
        nth: usize,
        hits: &[Hit],
        (samplers, join): (&mut Samplers, &mut Join),
        scratch: &mut SolidScratch,
        out: &mut Vec<Patch>,
    ) {
        if !self.scene.both_closed() {
            return;
        }
        if matches!(self.pair.primitive, Primitive::HalfSpace) {
            return self.on_half_space(nth, hits, (samplers, join), scratch, out);
        }
        if samplers.sampled.is_given() && self.in_given_views(nth, hits, (samplers, join), scratch, out) {
            return;
        }
        let Some(mut region) = self.region(hits, samplers) else { return };
        self.clip_to_primitive(&mut region);
        for mut found in overlaps(self.scene, &region, samplers, join) {
            self.correct_gradient(hits, &mut found);
            patch_of(self.scene, &region.axes, &found, samplers, out);
        }
    }

    /// Turns G of an overlap along the common normal of the hits, if the mesh's surface in the
    /// primitive is flat.
    pub fn correct_gradient(&self, hits: &[Hit], found: &mut Overlap) {
        if let Some(normal) = self.common_normal(hits).filter(|n| n.dot(&found.gradient) > 0.0) {
            found.gradient = normal * found.gradient.norm();
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

    /// On a half-space, of a mesh whose shells overlap: the normal is known, and views along it tell how far the shells reach together.
    fn on_half_space(
        &self,
        nth: usize,
        hits: &[Hit],
        (samplers, join): (&mut Samplers, &mut Join),
        scratch: &mut SolidScratch,
        out: &mut Vec<Patch>,
    ) {
        let normal = self.a_to_b(&(self.pair.rotation() * Vector3::z()));
        let given =
            samplers.sampled.is_given().then(|| self.given_along_half_space(nth, hits, samplers, scratch));
        let view = given.flatten().unwrap_or_else(|| {
            let axes = self.scene.along(&normal);
            let extent = self.below_border(hits, &axes, scratch);
            let mut view = View::of_extent(&axes, &extent, self.scene.resolution, self.scene.least);
            samplers.wide.sample(self.scene, &mut view);
            view
        });
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
            let extremes = self.lowest_corner(hits, &view, &columns);
            let set = OverlapSample {
                view: &view,
                columns: &columns,
                vertices: &[],
                extremes: &extremes,
                seed: &seed,
                has_normal: true,
                alone: false,
                triangles: None,
            };
            // No direction leads out of a half-space by a shorter way than its normal: in given views none is looked for.
            match samplers.sampled.is_given() {
                true => patch_along_normal(self.scene, &set, samplers, out),
                false => resolve_patch(self.scene, &set, samplers, out),
            }
            if sums.overlaps == 0 {
                for found in &mut out[before..] {
                    found.torque = found.centroid.coords.cross(&gradient);
                    found.pressure_center = found.centroid;
                }
            }
        }
    }

    /// The box, along some axes, of what of the hits lies in a half-space.
    pub fn below_border(&self, hits: &[Hit], axes: &Axes, scratch: &mut SolidScratch) -> Extent {
        let SolidScratch { polygon, spare, .. } = scratch;
        let mut extent = Extent::EMPTY;
        for hit in hits {
            let Some(corners) = self.scene.corners(self.pair.mesh, hit.triangle) else { continue };
            polygon.clear();
            polygon.extend(corners.map(|p| self.pair.to_local(&p)));
            clip(polygon, spare, 2, 1.0, 0.0);
            polygon.iter().for_each(|p| extent.add(axes.coordinates(&self.pair.to_frame(p).coords)));
        }
        extent
    }

    /// The mean normal of some hits, the deeper the more it weighs; from the primitive to the mesh.
    pub fn mean_normal(&self, hits: &[Hit]) -> Option<Vector3<f64>> {
        let sum: Vector3<f64> = hits.iter().map(|h| h.closest.normal * (-h.closest.gap).max(0.0)).sum();
        sum.try_normalize(0.0).or(hits.first().map(|hit| hit.closest.normal))
    }

    /// Where hits overlap: along the mean normal of the hits, as deep as columns reach.
    fn region(&self, hits: &[Hit], samplers: &mut Samplers) -> Option<Region> {
        let axes = self.scene.along(&self.mean_normal(hits)?);
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
    pub fn clip_to_primitive(&self, region: &mut Region) {
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
