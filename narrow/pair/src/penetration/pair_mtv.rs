//! The pair as a whole: does what its patches say part the bodies, and if not, what does?
//!
//! Every patch says how it is freed. The first free shift along the deepest one's normal is exact: where it is about as
//! long as the patch is deep, the patch takes that depth, tips and all, and is left as it is. Where it is not, other
//! overlaps may be in the way: shallow patches are left to a solver, which adds up what they ask. Deep in each
//! other, bodies get one patch in the place of all, along the least translation that parts them.

use impinge_exact::overlap::{InsideVertex, Overlap};
use nalgebra::{Point3, Vector3};

use super::constraints::{self, MinimumNorm, SeparationConstraint};
use super::exact_depth::{is_shallow, is_square, known_shift, longer_shift, raise, take};
use super::least_translation::{Found, least_translation};
use super::seeds::{all_round, between_axes, seeds};
use super::swept::Swept;
use super::translation::SeparatingTranslation;
use crate::patch::{Patch, deepest};
use crate::patches::{ExactOverlaps, ExactVolume, PatchSeed, halfway};
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::tunables;

/// Sets the patches of a pair right by exact translations. `gradients`: those of its contours; `least`: the least translation, where
/// [`deep_mtv`] has searched for it.
pub(crate) fn pair_mtv(
    scene: &Scene<'_>,
    (gradients, least): (&[Vector3<f64>], Option<SeparatingTranslation>),
    patches: &mut Vec<Patch>,
    samplers: &mut Samplers,
) {
    let Some(both) = scene.swept else { return };
    drop_doubles(patches);
    let Some(deepest) = deepest(patches) else { return };
    let depth = patches[deepest].depth;
    if depth <= 0.0 {
        return;
    }
    let deep = is_deep(scene, depth, &patches[deepest].gradient);
    let normal = patches[deepest].normal;
    let shallow = is_shallow(scene, depth);
    let limit = tunables::OWN_LENGTH * depth;
    let known = known_shift(&normal, depth, samplers);
    if shallow {
        let leaning = samplers.leaning.contains(&normal);
        if let Some(known) = known.filter(|_| !leaning) {
            (samplers.ends, samplers.is_freed) = (known.triangles, true);
            return;
        }
        let longer = known.or_else(|| longer_shift(&normal, depth, samplers));
        // Where that was free in the last answer: to ask whether it is costs less than how far B has to go.
        let there = normal * ((1.0 + tunables::LEAST_DEPTH_GAIN) * depth);
        let mut is_free = || scene.surfaces.is_some_and(|both| samplers.offset_test.is_free(&both, &there));
        if longer.is_none() && !leaning && samplers.was_freed && is_free() {
            samplers.is_freed = true;
            return;
        }
        // No shorter shift than its points say is asked for.
        let range = [depth, tunables::SHALLOW_LENGTH * depth];
        let scratches = (&mut samplers.clearance, &mut samplers.offset_test);
        let nearby = || both.shift_nearby(&normal, range, samplers.last_ends.as_slice(), scratches);
        let own = longer.or_else(nearby);
        if let Some(own) = own.filter(|own| own.length < range[1]) {
            samplers.ends = own.triangles;
            // A wall that is flush holds B by what rounds it.
            if own.length > tunables::OWN_LENGTH * depth && patches.iter().any(|patch| patch.depth == 0.0) {
                return;
            }
            // Deeper, and ended by what leans: another direction may be shorter.
            let deeper = own.length > (1.0 + tunables::LEAST_DEPTH_GAIN) * depth;
            let leans = leaning || deeper && !is_square(&own, &normal);
            samplers.is_freed = !deeper && !leans;
            // What winds round its normal leans all round it, and another direction meets it on one side.
            let winds = patches.iter().any(|patch| !patch.sectors.is_empty());
            let bounds = (&places(patches)[..], tunables::TRANSLATION_GAIN * own.length, own.length);
            let found = if leans && !winds && patches.len() == 1 {
                let seeds = seeds(scene, gradients, patches, (false, samplers));
                shortest(&both, &seeds, bounds, samplers)
            } else {
                None
            };
            match found {
                Some(found) => replace(scene, patches, found, samplers),
                None => raise(&mut patches[deepest], &own),
            }
            return;
        }
        if samplers.reach == 0.0 || patches.len() > 1 {
            return;
        }
    }
    // What it ends on is known where there was something in the way.
    let known = known.filter(|own| own.normal.is_some());
    let own = known.or_else(|| both.clearance(&normal, limit, &mut samplers.clearance));
    let demand = demand(patches);
    if let Some(own) = &own {
        take(&mut patches[deepest], own);
        if !deep && samplers.known_normals.is_empty() && is_square(own, &normal) {
            return;
        }
    } else if let Some(together) = together(&both, &demand, samplers) {
        // Where each has a part of the translation only, one patch has all of it.
        if together.length <= tunables::OWN_LENGTH * depth && !deep {
            return;
        }
        samplers.asked.insert(0, together.normal);
    }
    let held = own.is_some();
    let length = own.map_or(f64::INFINITY, |own| own.length);
    let bound = tunables::TRANSLATION_GAIN * length;
    let found = match least.filter(|_| deep || !held) {
        Some(least) => {
            let kept = last_step(&both, length, samplers);
            steadier(kept, Some(least).filter(|least| least.length < bound))
        }
        None => {
            let mut seeds =
                if held && !deep { vec![normal] } else { seeds(scene, gradients, patches, (true, samplers)) };
            if !held || deep {
                // Deep, or teeth in each other: none of what the bodies and their contacts name may lead out.
                seeds.extend(all_round(scene, both.first()));
            }
            shortest(&both, &seeds, (&places(patches), bound, length), samplers)
        }
    };
    let Some(found) = found else { return };
    if !held && !deep && found.length > samplers.reach.max(most_of_wedged(scene, depth, &demand)) {
        return;
    }
    // Only what is given anyway is shortened: with more directions at first, pegs that fit would be thrown out of their holes.
    let between: Vec<_> = if held { Vec::new() } else { between_axes(scene, both.first()).collect() };
    let mut found = found;
    if !between.is_empty() {
        let bound = tunables::TRANSLATION_GAIN * found.length;
        found = within_budget(&both, &between, &places(patches), bound, samplers).unwrap_or(found);
    }
    replace(scene, patches, found, samplers);
}

/// Puts one patch along a translation in the place of all.
pub(super) fn replace(
    scene: &Scene<'_>,
    patches: &mut Vec<Patch>,
    found: SeparatingTranslation,
    samplers: &mut Samplers,
) {
    samplers.taken_normals.push(found.normal);
    if let Some(patch) = one_patch(scene, &Together::of(patches), found, samplers) {
        patches.clear();
        patches.push(patch);
    }
}

/// The translation that parts bodies that are deep in each other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DeepTranslation {
    /// The only one that counts, and the least.
    Only(SeparatingTranslation, SeparatingTranslation),
    /// The least of bodies whose overlaps may be contacts of their own.
    Least(SeparatingTranslation),
}

/// What parts bodies that are deep in each other, before any view has shown more of their overlaps than these are known for.
#[derive(Debug)]
pub(crate) enum DeepMtv {
    /// A patch along the least translation: one is all that such a pair gets.
    Patch(Patch),
    /// The least translation of bodies whose overlaps may be contacts of their own.
    Least(SeparatingTranslation),
}

/// Finds the least translation that parts bodies that are deep in each other; `None` where they are not, or where it is not known.
/// `gradients`: those of their contours, or of their overlaps.
pub(crate) fn deep_translation(
    scene: &Scene<'_>,
    exact: &ExactOverlaps<'_>,
    gradients: &[Vector3<f64>],
    samplers: &mut Samplers,
) -> Option<DeepTranslation> {
    let both = scene.swept?;
    let mean = |overlap: &Overlap| overlap.volume / overlap.gradient.norm();
    let deepest = exact
        .list()
        .filter(|overlap| is_compact(overlap, mean(overlap)))
        .reduce(|best, overlap| if mean(overlap) > mean(best) { overlap } else { best })?;
    if !is_deep(scene, mean(deepest), &deepest.gradient) {
        return None;
    }
    let places = common_places(&both, exact, deepest);
    let normal = deepest.gradient.normalize();
    let mut known = vec![normal];
    known.extend(seeds(scene, gradients, &[], (false, samplers)));
    known.extend(all_round(scene, both.first()));
    let search = search_least(&both, &known, places, f64::INFINITY, samplers);
    let least = search.least?;
    let mut found = least;
    // The overlap's own normal, where that is about as good, and then other overlaps may be contacts of their own.
    let limit = least.length / tunables::TRANSLATION_GAIN;
    let own = if search.cut {
        both.clearance(&normal, limit, &mut samplers.clearance)
    } else {
        search.first.filter(|own| own.length < limit)
    };
    if let Some(own) = own {
        if exact.list().nth(1).is_some() {
            return Some(DeepTranslation::Least(least));
        }
        let ends = own.normal.map(|_| own.points);
        found = SeparatingTranslation { normal, length: own.length, ends };
    }
    let found = last_step(&both, least.length, samplers).unwrap_or(found);
    samplers.taken_normals.push(found.normal);
    Some(DeepTranslation::Only(found, least))
}

/// Finds the patch of bodies that are deep in each other, as [`deep_translation`] does.
pub(crate) fn deep_mtv(
    scene: &Scene<'_>,
    exact: &ExactOverlaps<'_>,
    gradients: &[Vector3<f64>],
    samplers: &mut Samplers,
) -> Option<DeepMtv> {
    let (found, least) = match deep_translation(scene, exact, gradients, samplers)? {
        DeepTranslation::Only(found, least) => (found, least),
        DeepTranslation::Least(least) => return Some(DeepMtv::Least(least)),
    };
    let all = ExactVolume::of(exact.list());
    let together = Together {
        volume: Some((all.volume, all.centroid)),
        gradient: exact.list().map(|overlap| overlap.gradient).sum(),
        torque: exact.list().map(|overlap| overlap.torque).sum(),
    };
    let patch = one_patch(scene, &together, found, samplers);
    Some(patch.map_or(DeepMtv::Least(least), DeepMtv::Patch))
}

// What the search leaves unsaid of the overlap's own normal is longer than what counts as about as good.
const _: () = assert!(tunables::SEED_LEEWAY * tunables::TRANSLATION_GAIN > 1.0);

/// Whether an overlap is a lump whose mean depth is about that along its area vector.
fn is_compact(overlap: &Overlap, mean: f64) -> bool {
    let [low, high] = &overlap.aabb;
    let size = high - low;
    let across = overlap.gradient.abs().dot(&size) / overlap.gradient.norm();
    mean <= across && overlap.volume >= tunables::COMPACT_OVERLAP * size.product()
}

/// Places inside both bodies: the middle of an overlap, mostly, and near some vertices that are inside; the same ones
/// whichever of the bodies is called A.
fn common_places(both: &Swept<'_>, exact: &ExactOverlaps<'_>, overlap: &Overlap) -> Vec<Point3<f64>> {
    let middle = overlap.centroid;
    let near = |of: &InsideVertex| of.at + (middle - of.at) * tunables::VERTEX_TO_MIDDLE;
    let mut places = vec![middle];
    for side in [both.first(), both.first().other()] {
        let own = || exact.inside().iter().filter(|of| of.side == side);
        places.extend(own().min_by_key(|of| of.vertex).map(near));
        places.extend(own().max_by_key(|of| of.vertex).map(near));
    }
    places.retain(|p| both.is_common(p));
    places.truncate(tunables::COMMON_PLACES);
    places
}

/// The patch along the least translation that parts bodies of which one is inside the other, or a part of it.
pub(crate) fn contained_mtv(
    scene: &Scene<'_>,
    gradients: &[Vector3<f64>],
    patches: &[Patch],
    samplers: &mut Samplers,
) -> Option<Patch> {
    let both = scene.swept?;
    let seeds = seeds(scene, gradients, patches, (true, samplers));
    let unbounded = (&places(patches)[..], f64::INFINITY, f64::INFINITY);
    let found = shortest(&both, &seeds, unbounded, samplers)?;
    samplers.taken_normals.push(found.normal);
    one_patch(scene, &Together::of(patches), found, samplers)
}

/// The least translation that is shorter than `bound` (m), or last step's, where that is no longer than `length` (m) and as
/// good.
pub(crate) fn shortest(
    both: &Swept<'_>,
    seeds: &[Vector3<f64>],
    (places, bound, length): (&[Point3<f64>], f64, f64),
    samplers: &mut Samplers,
) -> Option<SeparatingTranslation> {
    let kept = last_step(both, length, samplers);
    steadier(kept, within_budget(both, seeds, places, bound, samplers))
}

/// Last step's translation, unless the least is clearly shorter.
fn steadier(
    kept: Option<SeparatingTranslation>,
    least: Option<SeparatingTranslation>,
) -> Option<SeparatingTranslation> {
    kept.into_iter()
        .chain(least)
        .reduce(|kept, least| if least.length * tunables::STEADY_LENGTH < kept.length { least } else { kept })
}

/// The least translation within what is left of the pair's budget, as [`least_translation`] finds it. Of `places` those count that
/// prove to be inside both bodies.
fn within_budget(
    both: &Swept<'_>,
    seeds: &[Vector3<f64>],
    places: &[Point3<f64>],
    bound: f64,
    samplers: &mut Samplers,
) -> Option<SeparatingTranslation> {
    let common = places.iter().filter(|p| both.is_common(p)).copied().collect();
    search_least(both, seeds, common, bound, samplers).least
}

/// As [`least_translation`], of places that are known to be inside both bodies, within what is left of the pair's budget.
fn search_least(
    both: &Swept<'_>,
    seeds: &[Vector3<f64>],
    common: Vec<Point3<f64>>,
    bound: f64,
    samplers: &mut Samplers,
) -> Found {
    let scratches = (&mut samplers.clearance, &mut samplers.offset_test);
    let found = least_translation(both, seeds, common, bound, scratches);
    samplers.cut_searches += u64::from(found.cut);
    found
}

/// Whether no translation as short as `length` (m) parts the bodies; `place` is mostly inside both.
pub(crate) fn is_farther(
    both: &Swept<'_>,
    scene: &Scene<'_>,
    (place, length): (&Point3<f64>, f64),
    samplers: &mut Samplers,
) -> bool {
    let seeds = seeds(scene, &[], &[], (true, samplers));
    let places = std::slice::from_ref(place);
    within_budget(both, &seeds, places, length, samplers).is_none()
}

/// The middles of the deepest points of the deepest patches, which are mostly inside both bodies.
pub(crate) fn places(patches: &[Patch]) -> Vec<Point3<f64>> {
    let mut order: Vec<&Patch> = patches.iter().collect();
    order.sort_by(|p, q| q.depth.total_cmp(&p.depth));
    let deepest = |patch: &&Patch| {
        patch.points.iter().reduce(|p, q| if q.depth > p.depth { q } else { p }).map(halfway)
    };
    order.iter().take(tunables::COMMON_PLACES).filter_map(deepest).collect()
}

/// Drops patches that say again what a deeper one says: two contours of one overlap may each have shown all of it.
fn drop_doubles(patches: &mut Vec<Patch>) {
    let mut at = 0;
    while at < patches.len() {
        let own = &patches[at];
        let says_more = |other: &Patch| {
            let near = tunables::SAME_PLACE * other.radius.min(own.radius);
            (other.centroid - own.centroid).norm() < near
                && other.normal.dot(&own.normal) > tunables::SAME_NORMAL
                && other.depth >= own.depth
        };
        let double = patches
            .iter()
            .enumerate()
            .any(|(k, other)| k != at && says_more(other) && (other.depth > own.depth || k < at));
        if double {
            patches.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Whether an overlap of some depth (m) and area vector (m²) is deep.
pub(crate) fn is_deep(scene: &Scene<'_>, depth: f64, gradient: &Vector3<f64>) -> bool {
    let thick = depth > tunables::PAIR_THICKNESS * gradient.norm().sqrt();
    depth > tunables::PAIR_DEPTH * scene.radius || thick && depth > tunables::PAIR_LEAST_DEPTH * scene.radius
}

/// The longest translation (m) that replaces patches of which none parts the bodies by itself, the deepest this deep (m). Thin
/// patches that oppose each other hold the bodies, and only a little more than they ask for replaces them.
fn most_of_wedged(scene: &Scene<'_>, depth: f64, demand: &MinimumNorm) -> f64 {
    let opposed = matches!(demand, MinimumNorm::Infeasible);
    let holds = opposed && depth <= tunables::PIERCED_DEPTH * scene.radius;
    depth * if holds { tunables::WEDGED_LENGTH } else { tunables::PIERCED_LENGTH }
}

/// What all patches ask for together.
pub(super) fn demand(patches: &[Patch]) -> MinimumNorm {
    let mut constraints: Vec<SeparationConstraint> =
        patches.iter().map(|p| SeparationConstraint { normal: p.normal, depth: p.depth.max(0.0) }).collect();
    // The solver's rounds go through them in order, which must not depend on which body is called A.
    constraints.sort_by(|p, q| q.depth.total_cmp(&p.depth));
    constraints::minimum_norm_translation(&constraints)
}

/// The translation along what all patches ask for together, where it parts the bodies.
fn together(
    both: &Swept<'_>,
    demand: &MinimumNorm,
    samplers: &mut Samplers,
) -> Option<SeparatingTranslation> {
    let MinimumNorm::Translation(asked) = demand else { return None };
    let normal = asked.try_normalize(0.0)?;
    let limit = tunables::OWN_LENGTH * asked.norm();
    let found = both.clearance(&normal, limit, &mut samplers.clearance)?;
    Some(SeparatingTranslation { normal, length: found.length, ends: None })
}

/// The shortest along last step's normals that is no longer than `bound` and a little (m): one that need not change does not.
fn last_step(both: &Swept<'_>, bound: f64, samplers: &mut Samplers) -> Option<SeparatingTranslation> {
    let mut best: Option<SeparatingTranslation> = None;
    for normal in &samplers.known_normals {
        let limit = best.map_or(tunables::STEADY_LENGTH * bound, |best| best.length);
        if let Some(found) = both.clearance(normal, limit, &mut samplers.clearance) {
            let ends = found.normal.map(|_| found.points);
            best = Some(SeparatingTranslation { normal: *normal, length: found.length, ends });
        }
    }
    best
}

/// What is known of all overlaps of a pair together.
struct Together {
    /// (m³), and its centroid (m, pair frame).
    volume: Option<(f64, Point3<f64>)>,
    /// G (m²) and its torque part (m³).
    gradient: Vector3<f64>,
    torque: Vector3<f64>,
}

impl Together {
    fn of(patches: &[Patch]) -> Self {
        let volume: f64 = patches.iter().map(|p| p.volume).sum();
        let centroid: Vector3<f64> = patches.iter().map(|p| p.centroid.coords * p.volume).sum();
        Self {
            volume: (volume > 0.0).then(|| (volume, Point3::from(centroid / volume))),
            gradient: patches.iter().map(|p| p.gradient).sum(),
            torque: patches.iter().map(|p| p.torque).sum(),
        }
    }
}

/// One patch in the place of all, along a translation.
fn one_patch(
    scene: &Scene<'_>,
    all: &Together,
    found: SeparatingTranslation,
    samplers: &mut Samplers,
) -> Option<Patch> {
    let seed = PatchSeed {
        normal: found.normal,
        gradient: all.gradient,
        torque: all.torque,
        volume: all.volume,
        solid: true,
        wraps: true,
        serial: 0,
    };
    found.patch(scene, &scene.whole, &seed, &mut samplers.close).or_else(|| found.alone(&seed))
}
