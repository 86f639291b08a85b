//! The pair as a whole: do its patches together say how to part it?
//!
//! Each patch says how it is freed. Where the overlaps are shallow that is all there is to say: a solver adds
//! up what the patches ask. Deep in each other, bodies may have patches with opposite normals, or
//! whose translations lead into new overlaps; then one patch takes their place, along the minimum translation
//! that parts the bodies.

use crate::tunables;
use nalgebra::{Point3, Vector3};

use super::constraints::{self, MinimumNorm, SeparationConstraint};
use super::measure::length;
use super::search::{SearchHints, search_mtv};
use super::translation::SeparatingTranslation;
use crate::patch::Patch;
use crate::patches::PatchSeed;
use crate::region::Region;
use crate::sampler::{Sampler, Samplers};
use crate::scene::Scene;
use impinge_image_space::view::Extent;

/// Where the pair overlaps: the region of all, which a view may be too coarse for, and those of the
/// deepest patches.
struct PairRegions {
    whole: Region,
    /// The deepest patch's first: it is small, and most translations are longest there.
    regions: Vec<Region>,
}

impl PairRegions {
    fn new(scene: &Scene<'_>, patches: &[&Patch]) -> PairRegions {
        let of_patch = |patch: &&Patch| {
            let mut extent = Extent::EMPTY;
            for point in &patch.points {
                extent.add(scene.to_lattice(&point.on_a).coords.into());
                extent.add(scene.to_lattice(&point.on_b).coords.into());
            }
            Region { axes: scene.lattice_axes(), extent }
        };
        let mut regions: Vec<Region> = patches.iter().take(tunables::PAIR_PATCHES).map(of_patch).collect();
        regions.insert(1.min(regions.len()), scene.whole);
        PairRegions { whole: scene.whole, regions }
    }

    /// How far B has to move along a direction until it is free (m); infinite where that is
    /// `bound` (m) or farther.
    fn length(&self, scene: &Scene<'_>, direction: &Vector3<f64>, bound: f64, sampler: &mut Sampler) -> f64 {
        let mut longest = 0.0;
        for region in &self.regions {
            longest = f64::max(longest, length(scene, region, direction, bound, sampler));
            if longest >= bound {
                return f64::INFINITY;
            }
        }
        longest
    }

    /// The shortest translation along some normals: repeatedly the one that seems the shortest is
    /// measured in one region more.
    fn shortest(
        &self,
        scene: &Scene<'_>,
        normals: &[Vector3<f64>],
        samplers: &mut Samplers,
    ) -> Option<SeparatingTranslation> {
        let mut candidates: Vec<(SeparatingTranslation, usize)> = normals
            .iter()
            .map(|&normal| (SeparatingTranslation { normal, length: 0.0, ends: None }, 0))
            .collect();
        loop {
            let (mtv, seen) =
                candidates.iter_mut().reduce(|p, q| if q.0.length < p.0.length { q } else { p })?;
            if mtv.length == f64::INFINITY {
                return None;
            }
            // The region of all is the second.
            let Some(region) =
                self.regions.get(*seen).filter(|_| *seen < 2 || !is_free(scene, mtv, samplers))
            else {
                return Some(*mtv);
            };
            mtv.length =
                mtv.length.max(length(scene, region, &mtv.normal, f64::INFINITY, &mut samplers.close));
            *seen += 1;
        }
    }

    /// As [`parts`], as views see it; `best` is the shortest translation along the normals.
    fn reaches(
        &self,
        scene: &Scene<'_>,
        best: &SeparatingTranslation,
        translation: &Vector3<f64>,
        samplers: &mut Samplers,
    ) -> bool {
        let length = translation.norm();
        let bound = tunables::BLOCKED_LENGTH * length;
        if length == 0.0 || best.length >= bound || best.length <= tunables::PAIR_GAIN * length {
            return false;
        }
        let normal = translation / length;
        normal.dot(&best.normal) > tunables::SAME_PAIR_NORMAL
            || self.length(scene, &normal, bound, &mut samplers.close) < bound
    }

    /// A translation that the region of all showed, with the length that it proves to have; `None` where that is `bound` (m) or
    /// longer.
    fn held(
        &self,
        scene: &Scene<'_>,
        mtv: SeparatingTranslation,
        bound: f64,
        samplers: &mut Samplers,
    ) -> Option<SeparatingTranslation> {
        let length = match mtv.length < bound && is_free(scene, &mtv, samplers) {
            true => mtv.length,
            false => self.length(scene, &mtv.normal, bound, &mut samplers.close).max(mtv.length),
        };
        let ends = mtv.ends.filter(|_| length == mtv.length);
        (length < bound).then_some(SeparatingTranslation { length, ends, ..mtv })
    }
}

/// Whether B is known to be free at the end of a translation, or little beyond.
fn is_free(scene: &Scene<'_>, mtv: &SeparatingTranslation, samplers: &mut Samplers) -> bool {
    let shift = mtv.normal * (tunables::LATTICE_ERROR * mtv.length);
    scene.surfaces.is_some_and(|both| samplers.offset_test.is_free(&both, &shift))
}

/// Puts the pair's minimum translation in the place of deep patches that do not give it.
pub(crate) fn pair_mtv(scene: &Scene<'_>, patches: &mut Vec<Patch>, samplers: &mut Samplers) {
    let mut order: Vec<&Patch> = patches.iter().collect();
    order.sort_by(|p, q| q.depth.total_cmp(&p.depth));
    let Some(&deepest) = order.first() else { return };
    let deep = is_deep(scene, deepest);
    if !deep && (order.len() == 1 || deepest.depth < tunables::PAIR_PATCHES_DEPTH * scene.radius) {
        return;
    }
    let regions = PairRegions::new(scene, &order);
    if let Some(mtv) = mtv_of_pair(scene, &order, &regions, samplers)
        && (deep
            || (tunables::PAIR_GAIN * deepest.depth..tunables::WEDGED_LENGTH * deepest.depth)
                .contains(&mtv.length))
        && let Some(found) = one_patch(scene, &order, &regions, mtv, samplers)
    {
        patches.clear();
        patches.push(found);
    }
}

/// The translation that separates all patches (m).
fn together(patches: &[&Patch]) -> Option<Vector3<f64>> {
    let constraints: Vec<SeparationConstraint> =
        patches.iter().map(|p| SeparationConstraint { normal: p.normal, depth: p.depth.max(0.0) }).collect();
    match constraints::minimum_norm_translation(&constraints) {
        MinimumNorm::Translation(asked) => Some(asked),
        MinimumNorm::Aligned | MinimumNorm::Infeasible => None,
    }
}

fn is_deep(scene: &Scene<'_>, patch: &Patch) -> bool {
    let thick = patch.depth > tunables::PAIR_THICKNESS * patch.gradient.norm().sqrt();
    patch.depth > tunables::PAIR_DEPTH * scene.radius
        || thick && patch.depth > tunables::PAIR_LEAST_DEPTH * scene.radius
}

/// The pair's minimum translation, where the patches do not give it.
fn mtv_of_pair(
    scene: &Scene<'_>,
    patches: &[&Patch],
    regions: &PairRegions,
    samplers: &mut Samplers,
) -> Option<SeparatingTranslation> {
    let deepest = patches[0];
    let own = deepest.normal * deepest.depth;
    let normals: Vec<Vector3<f64>> =
        patches.iter().take(tunables::PAIR_PATCHES).map(|patch| patch.normal).collect();
    if parts(scene, &normals, &own, samplers) {
        return None;
    }
    let asked = together(patches).filter(|asked| asked.norm() > 0.0);
    // Where each has a part of the translation only, one patch has all of it.
    let more = |asked: &Vector3<f64>| asked.norm() > tunables::BLOCKED_LENGTH * deepest.depth;
    if let Some(asked) = asked
        && parts(scene, &normals, &asked, samplers)
    {
        return if more(&asked) { regions.shortest(scene, &[asked.normalize()], samplers) } else { None };
    }
    // An exact question meets slivers, too, which views pass over.
    let mut best = regions.shortest(scene, &normals, samplers);
    if best.is_some_and(|best| regions.reaches(scene, &best, &own, samplers)) {
        return None;
    }
    if let Some(asked) = asked {
        let (normal, bound) = (asked.normalize(), tunables::BLOCKED_LENGTH * asked.norm());
        let length = regions.length(scene, &normal, bound, &mut samplers.close);
        let mtv = SeparatingTranslation { normal, length, ends: None };
        let least = best.map_or(f64::INFINITY, |best| best.length);
        if length < bound && least > tunables::PAIR_GAIN * asked.norm() {
            return more(&asked).then_some(mtv);
        }
        best = if length < least { Some(mtv) } else { best };
    }
    let own = SearchHints { normal: best.map(|b| (b.normal, b.length)), asked: None, thick: true };
    samplers.searches = 0;
    if let Some(mtv) = search_mtv(scene, &regions.whole, &own, &[], samplers) {
        let bound = best.map_or(f64::INFINITY, |b| b.length);
        best = regions.held(scene, mtv, bound, samplers).or(best);
    }
    best
}

/// Whether a translation (m), or little more of it, parts the bodies, and much less along no normal does.
fn parts(
    scene: &Scene<'_>,
    normals: &[Vector3<f64>],
    translation: &Vector3<f64>,
    samplers: &mut Samplers,
) -> bool {
    let length = translation.norm();
    let mut free =
        |shift: Vector3<f64>| scene.surfaces.map(|both| samplers.offset_test.is_free(&both, &shift));
    free(translation * tunables::BLOCKED_LENGTH) == Some(true)
        && normals.iter().all(|normal| free(normal * (tunables::PAIR_GAIN * length)) == Some(false))
}

/// One patch in the place of all, along a translation.
fn one_patch(
    scene: &Scene<'_>,
    patches: &[&Patch],
    regions: &PairRegions,
    mtv: SeparatingTranslation,
    samplers: &mut Samplers,
) -> Option<Patch> {
    let volume: f64 = patches.iter().map(|p| p.volume).sum();
    let centroid: Vector3<f64> = patches.iter().map(|p| p.centroid.coords * p.volume).sum();
    let seed = PatchSeed {
        normal: mtv.normal,
        gradient: patches.iter().map(|p| p.gradient).sum(),
        torque: patches.iter().map(|p| p.torque).sum(),
        volume: (volume > 0.0).then(|| (volume, Point3::from(centroid / volume))),
        solid: true,
        wraps: true,
        serial: 0,
    };
    mtv.patch(scene, &regions.whole, &seed, &mut samplers.close)
}
