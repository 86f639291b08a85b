//! The rule for what separates two bodies: the contact regions together, or one translation.

use impinge_exact::translation::{Clearance, clearance_of_triangles};
use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use super::exact::{ContactRegion, RegionScratch};
use super::pair_overlaps::PairOverlaps;
use super::patch::{find_points, of_region, of_translation};
use crate::patch::{Patch, PatchPoint};
use crate::penetration::{
    DeepTranslation, Plane, SeparatingTranslation, Swept, all_round, between_axes, deep_translation, is_deep,
    nearest_beyond, seeds, shortest, unclamp,
};
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::tunables;

/// B is asked to be free so many times as far as its regions demand together: by more than their rounding.
const FREE_AT: f64 = 1.003;

/// Regions that share a translation are right if so many times of it frees B. Larger reaches past other bumps; smaller searches
/// where the regions' own triangles do not show the last thing that holds B.
const STRETCHED: f64 = 1.25;

/// A region with the normal of a face keeps it if what frees B of everything has this cosine with it, or a greater one (18°). Greater
/// lets flush walls turn a floor's normal; smaller leaves bodies in walls.
const BESIDE_WALL: f64 = 0.95;

/// Places within this part of the bodies' radius of a plane are on it: coordinates in `f32` are rounded.
const PLANE: f64 = 1e-6;

/// Regions that are solved for together, at most; the deepest ones count. The time grows with the fourth power.
const MOST_PLANES: usize = 8;

/// The demand of all regions of a pair.
struct Demand {
    /// The shortest translation that satisfies them all, if there is one.
    translation: Option<Vector3<f64>>,
    /// B is known to be free once it has moved so, or a little farther.
    frees: bool,
}

/// Finds the patches of a pair whose overlaps are all known. Returns `false`, without patches, if nothing short separates the
/// bodies and a region has no normal: a tight peg presses on all sides of its hole.
pub(crate) fn contacts(
    scene: &Scene<'_>,
    crossing: &PairOverlaps<'_>,
    scratch: &mut RegionScratch,
    samplers: &mut Samplers,
    patches: &mut Vec<Patch>,
) -> bool {
    let Some(both) = scene.swept else { return false };
    scratch.gather(crossing);
    let gradients: Vec<Vector3<f64>> = scratch.list.iter().map(|region| region.gradient).collect();
    // Bodies deep in each other are searched at once: nothing that regions tell is as short.
    let least = match deep_translation(scene, &crossing.exact, &gradients, samplers) {
        Some(DeepTranslation::Only(found, _)) => {
            patches.extend(of_translation(crossing, scratch, &found));
            return !patches.is_empty();
        }
        Some(DeepTranslation::Least(least)) => Some(least),
        None => None,
    };
    measure(scene, crossing, &both, scratch, samplers);
    let demand = demand(&both, scratch, samplers);
    patches.extend(scratch.list.iter().filter_map(of_region));
    if unclamp(scene, &gradients, patches, samplers) {
        return true;
    }
    let found = separate(scene, &both, scratch, &demand, (patches, least), samplers);
    if let (Some(found), [region]) = (&found, &mut scratch.list[..])
        && is_beside_wall(region, found)
    {
        let depth = region.normal.map_or(0.0, |normal| found.length * found.normal.dot(&normal));
        region.shift = region.known_only(depth);
        region.keep_points(|point| point.depth <= STRETCHED * depth);
        patches.clear();
        patches.extend(of_region(region));
        return true;
    }
    if let Some(found) = found
        && let Some(patch) = of_translation(crossing, scratch, &found)
    {
        samplers.taken_normals.push(found.normal);
        patches.clear();
        patches.push(patch);
    } else if scratch.list.iter().any(|region| region.is_pierced) {
        patches.clear();
    }
    !patches.is_empty()
}

/// Finds each region's contact points and its separating distance.
fn measure(
    scene: &Scene<'_>,
    crossing: &PairOverlaps<'_>,
    both: &Swept<'_>,
    scratch: &mut RegionScratch,
    samplers: &mut Samplers,
) {
    let alone = scratch.list.len() == 1;
    let RegionScratch { list, triangles, candidates, lines, .. } = scratch;
    for region in list {
        let Some(normal) = region.normal else { continue };
        let [a, b] = region.triangles.clone();
        let own = [&triangles[0][a], &triangles[1][b]];
        find_points(
            crossing,
            &[region.overlap],
            (&normal, region.centroid),
            own,
            (candidates, lines),
            (&mut region.points, &mut region.corners),
        );
        if let Some(side) = region.flat_side
            && let Some(height) = plane_height(scene, &normal, side, own[side.index()])
        {
            // A line that ends beyond the plane is a wall's.
            let beyond = |p: &PatchPoint| match side {
                Side::A => p.on_a.coords.dot(&normal) - height,
                Side::B => height - p.on_b.coords.dot(&normal),
            };
            region.keep_points(|point| beyond(point) <= PLANE * scene.radius);
        }
        let least = region.longest_line();
        let of_own = |samplers: &mut Samplers| {
            let s = scene.surfaces.as_ref()?;
            let from = tunables::BEFORE_END * least;
            Some(clearance_of_triangles(s, &normal, from, own, &mut samplers.triangles))
        };
        if !alone {
            region.shift = of_own(samplers);
            continue;
        }
        // A sweep tells it if a few places do not, unless it leads far beyond the region.
        let swept = |from: f64, samplers: &mut Samplers| {
            let bound = STRETCHED * from;
            both.shift(&normal, tunables::BEFORE_END * from, bound, &mut samplers.clearance)
                .filter(|found| from > 0.0 && found.length < bound)
        };
        let known = by_hits(both, &normal, least, samplers).or_else(|| swept(least, samplers));
        let Some(own) = known.or_else(|| of_own(samplers)) else { continue };
        let known = known.or_else(|| swept(own.length, samplers));
        region.is_free = known.is_some();
        // Held far beyond its lines by its own triangles, it is pierced along its normal, too, or a wall holds it.
        region.is_pierced = !region.is_free && own.length > STRETCHED * least;
        if region.is_pierced {
            region.normal = region.normal.filter(|_| region.flat_side.is_some());
            region.shift = region.known_only(least);
            continue;
        }
        region.shift = known.or(Some(own));
        samplers.ends = region.shift.and_then(|shift| shift.triangles);
    }
}

/// Returns the height along a normal of the plane of one body's triangles that look along it, from A to B; that of the outermost if there
/// are several.
fn plane_height(scene: &Scene<'_>, normal: &Vector3<f64>, side: Side, triangles: &[u32]) -> Option<f64> {
    let outward = if side == Side::A { 1.0 } else { -1.0 };
    let heights = triangles.iter().filter_map(|&triangle| {
        let own = scene.facet_normal(side, triangle)?;
        let [corner, ..] = scene.corners(side, triangle)?;
        (own.dot(normal) * outward >= tunables::SAME_SEED).then(|| corner.coords.dot(normal) * outward)
    });
    heights.reduce(f64::max).map(|height| height * outward)
}

/// Asks the few triangles that hold B how far it has to go along a normal, if that is not much more than the longest line (m).
fn by_hits(both: &Swept<'_>, normal: &Vector3<f64>, line: f64, samplers: &mut Samplers) -> Option<Clearance> {
    if line <= 0.0 {
        return None;
    }
    let range = [tunables::BEFORE_END * line, STRETCHED * line];
    let known = samplers.last_ends.as_slice();
    both.shift_by_hits(normal, range, known, &mut samplers.offset_test)
        .filter(|found| found.length < range[1])
}

/// Finds what the regions demand together, and whether that frees B.
fn demand(both: &Swept<'_>, scratch: &mut RegionScratch, samplers: &mut Samplers) -> Demand {
    let RegionScratch { list, planes, .. } = scratch;
    if list.iter().any(|region| region.is_pierced) {
        return Demand { translation: None, frees: false };
    }
    if list.len() > 1
        && let Some(translation) = by_lines(both, list, planes, samplers)
    {
        return Demand { translation: Some(translation), frees: true };
    }
    deepest_planes(list.iter().filter_map(ContactRegion::plane), planes);
    // Regions that oppose each other have no translation of their size.
    let most = tunables::INFEASIBLE_LENGTH * list.iter().map(ContactRegion::depth).fold(0.0, f64::max);
    let mut translation = nearest_beyond(planes).filter(|x| x.norm() <= most);
    let frees = match (&list[..], translation) {
        ([region], Some(_)) => region.is_free,
        (_, Some(x)) if is_free(both, &(x * FREE_AT), samplers) => true,
        (_, Some(x)) => match stretched(both, &x, samplers) {
            // Each region takes its share of what is longer.
            Some(part) => {
                list.iter_mut()
                    .filter_map(|region| region.shift.as_mut())
                    .for_each(|shift| shift.length *= part);
                translation = Some(x * part);
                true
            }
            None => false,
        },
        _ => false,
    };
    Demand { translation, frees }
}

/// Tries whether B is free once each region is left by no more than its longest line. Walls that are parts of floors' overlaps hold
/// B much longer along the floors' normals than along their own.
fn by_lines(
    both: &Swept<'_>,
    list: &mut [ContactRegion],
    planes: &mut Vec<Plane>,
    samplers: &mut Samplers,
) -> Option<Vector3<f64>> {
    let is_held = |region: &ContactRegion| {
        region.flat_side.is_some()
            && region.depth() > STRETCHED * region.longest_line()
            && ends_aslant(region)
    };
    if !list.iter().any(is_held) {
        return None;
    }
    let plane = |region: &ContactRegion| {
        let own = region.plane()?;
        Some(if is_held(region) { Plane { offset: region.longest_line(), ..own } } else { own })
    };
    deepest_planes(list.iter().filter_map(plane), planes);
    let translation = nearest_beyond(planes)?;
    if !is_free(both, &(translation * FREE_AT), samplers) {
        return None;
    }
    for region in list.iter_mut().filter(|region| is_held(region)) {
        region.shift = region.known_only(region.longest_line());
    }
    Some(translation)
}

/// Lists the planes farthest from the origin, at most [`MOST_PLANES`] and no two with the same normal.
fn deepest_planes(all: impl Iterator<Item = Plane>, out: &mut Vec<Plane>) {
    out.clear();
    out.extend(all);
    out.sort_by(|p, q| q.offset.total_cmp(&p.offset));
    let mut kept = 0;
    for at in 0..out.len() {
        let own = out[at];
        let is_known = |p: &Plane| p.normal.dot(&own.normal) > tunables::SAME_SEED;
        if kept < MOST_PLANES && !out[..kept].iter().any(is_known) {
            out[kept] = own;
            kept += 1;
        }
    }
    out.truncate(kept);
}

/// Returns how many times a translation frees B, if it is not much more than once.
fn stretched(both: &Swept<'_>, x: &Vector3<f64>, samplers: &mut Samplers) -> Option<f64> {
    let length = x.norm();
    if !is_free(both, &(x * STRETCHED), samplers) {
        return None;
    }
    let found = both.shift(&(x / length), length, STRETCHED * length, &mut samplers.clearance)?;
    Some((found.length / length).min(STRETCHED))
}

fn is_free(both: &Swept<'_>, shift: &Vector3<f64>, samplers: &mut Samplers) -> bool {
    match both {
        Swept::Surfaces(surfaces) => samplers.offset_test.is_free(surfaces, shift),
        Swept::Solid(_) => false,
    }
}

/// Returns the one translation that takes the place of all regions, or `None` if each region keeps its own. `least`: the least one
/// of bodies that are deep in each other, if it is known.
fn separate(
    scene: &Scene<'_>,
    both: &Swept<'_>,
    scratch: &RegionScratch,
    demand: &Demand,
    (patches, least): (&[Patch], Option<SeparatingTranslation>),
    samplers: &mut Samplers,
) -> Option<SeparatingTranslation> {
    let list = &scratch.list;
    let deepest = list.iter().reduce(|best, r| if r.depth() > best.depth() { r } else { best })?;
    let depth = deepest.depth();
    let length = demand.translation.filter(|_| demand.frees).map_or(f64::INFINITY, |x| x.norm());
    // Held beyond its lines, it may go another way.
    let line = if list.len() == 1 { deepest.longest_line() } else { depth };
    let deep = is_deep(scene, depth, &deepest.gradient) || length > STRETCHED * line && length.is_finite();
    let gradients: Vec<Vector3<f64>> = list.iter().map(|region| region.gradient).collect();
    let places = common_places(list, patches);
    if demand.frees && !deep {
        if list.len() > 1 || !ends_aslant(deepest) {
            return None;
        }
        let seeds = seeds(scene, &gradients, patches, (false, samplers));
        return shortest(both, &seeds, (&places, tunables::TRANSLATION_GAIN * length, length), samplers);
    }
    let bound = if demand.frees { tunables::TRANSLATION_GAIN * length } else { f64::INFINITY };
    let found = if let Some(least) = least {
        Some(least).filter(|least| least.length < bound)?
    } else {
        let mut seeds = seeds(scene, &gradients, patches, (true, samplers));
        seeds.extend(demand.translation.and_then(|x| x.try_normalize(0.0)));
        seeds.extend(all_round(scene, both.first()));
        shortest(both, &seeds, (&places, bound, length), samplers)?
    };
    if demand.frees || deep {
        return Some(found);
    }
    // A body that pierces another is not wedged in it.
    let is_pierced = list.iter().any(|region| region.is_pierced);
    let holds = demand.translation.is_none() && depth <= tunables::PIERCED_DEPTH * scene.radius;
    let most = depth * if holds { tunables::WEDGED_LENGTH } else { tunables::PIERCED_LENGTH };
    (is_pierced || found.length <= most).then(|| {
        let between: Vec<_> = between_axes(scene, both.first()).collect();
        let bound = tunables::TRANSLATION_GAIN * found.length;
        shortest(both, &between, (&places, bound, found.length), samplers).unwrap_or(found)
    })
}

/// Returns whether a region keeps the normal of its face although a wall holds B, too: what frees B of both hardly leans.
fn is_beside_wall(region: &ContactRegion, found: &SeparatingTranslation) -> bool {
    let is_held = !region.is_free || region.depth() > STRETCHED * found.length;
    let leans_little = |normal: Vector3<f64>| found.normal.dot(&normal) >= BESIDE_WALL;
    is_held && region.flat_side.is_some() && region.normal.is_some_and(leans_little)
}

/// Returns whether a region's shift ends at an angle to its normal.
fn ends_aslant(region: &ContactRegion) -> bool {
    region.shift.is_some_and(|shift| region.normal.is_some_and(|normal| !is_square(&shift, &normal)))
}

/// Returns whether a shift ends about square to what it passes last: then no direction near it is clearly shorter.
fn is_square(own: &Clearance, normal: &Vector3<f64>) -> bool {
    own.normal.is_none_or(|end| end.dot(normal) > tunables::SQUARE_END)
}

/// Returns places that are mostly inside both bodies.
fn common_places(list: &[ContactRegion], patches: &[Patch]) -> Vec<Point3<f64>> {
    let mut places = crate::penetration::places(patches);
    places.extend(list.iter().map(|region| region.centroid));
    places.truncate(tunables::COMMON_PLACES);
    places
}
