//! The pair as a whole: do its patches together say how to part it?
//!
//! Each patch says how it is freed. Where the overlaps are shallow that is all there is to say: a solver adds
//! up what the patches ask. Deep in each other, bodies may have patches that ask for opposite ways, or
//! whose ways lead into new overlaps; then one patch takes their place, along the least translation
//! that parts the bodies.

use crate::tunables;
use nalgebra::{Point3, Vector3};

use super::constraints::{self, Demand, Push};
use super::measure::length;
use super::search::{Own, least_way_out};
use super::translation::Way;
use crate::patch::Patch;
use crate::patches::Draft;
use crate::region::Region;
use crate::sampler::{Eye, Eyes};
use crate::scene::Scene;
use impinge_image_space::view::Extent;

/// Where the pair overlaps: the region of all, which a view may be too coarse for, and those of the
/// deepest patches.
struct Ground {
    whole: Region,
    /// The deepest patch's first: it is small, and most ways are longest there.
    regions: Vec<Region>,
}

impl Ground {
    fn new(scene: &Scene<'_>, patches: &[&Patch]) -> Ground {
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
        Ground { whole: scene.whole, regions }
    }

    /// How far B has to move along a direction until nothing is in its way (m); infinite where that is
    /// `bound` (m) or farther.
    fn length(&self, scene: &Scene<'_>, direction: &Vector3<f64>, bound: f64, eye: &mut Eye) -> f64 {
        let mut longest = 0.0;
        for region in &self.regions {
            longest = f64::max(longest, length(scene, region, direction, bound, eye));
            if longest >= bound {
                return f64::INFINITY;
            }
        }
        longest
    }

    /// The shortest of the ways along some normals: again and again the one that seems the shortest is
    /// measured in one region more.
    fn shortest(&self, scene: &Scene<'_>, normals: &[Vector3<f64>], eyes: &mut Eyes) -> Option<Way> {
        let mut ways: Vec<(Way, usize)> =
            normals.iter().map(|&normal| (Way { normal, length: 0.0, ends: None }, 0)).collect();
        loop {
            let (way, seen) = ways.iter_mut().reduce(|p, q| if q.0.length < p.0.length { q } else { p })?;
            if way.length == f64::INFINITY {
                return None;
            }
            // The region of all is the second.
            let Some(region) = self.regions.get(*seen).filter(|_| *seen < 2 || !is_free(scene, way, eyes))
            else {
                return Some(*way);
            };
            way.length = way.length.max(length(scene, region, &way.normal, f64::INFINITY, &mut eyes.close));
            *seen += 1;
        }
    }

    /// As [`parts`], as views see it; `best` is the shortest of the ways along the normals.
    fn reaches(&self, scene: &Scene<'_>, best: &Way, translation: &Vector3<f64>, eyes: &mut Eyes) -> bool {
        let length = translation.norm();
        let bound = tunables::BLOCKED_LENGTH * length;
        if length == 0.0 || best.length >= bound || best.length <= tunables::PAIR_GAIN * length {
            return false;
        }
        let normal = translation / length;
        normal.dot(&best.normal) > tunables::SAME_PAIR_NORMAL
            || self.length(scene, &normal, bound, &mut eyes.close) < bound
    }

    /// A way that the region of all showed, and how long it proves to be; `None` where that is `bound` (m) or
    /// longer.
    fn held(&self, scene: &Scene<'_>, way: Way, bound: f64, eyes: &mut Eyes) -> Option<Way> {
        let length = match way.length < bound && is_free(scene, &way, eyes) {
            true => way.length,
            false => self.length(scene, &way.normal, bound, &mut eyes.close).max(way.length),
        };
        let ends = way.ends.filter(|_| length == way.length);
        (length < bound).then_some(Way { length, ends, ..way })
    }
}

/// Whether B is known to be free at the end of a way, or little beyond.
fn is_free(scene: &Scene<'_>, way: &Way, eyes: &mut Eyes) -> bool {
    let shift = way.normal * (tunables::LATTICE_ERROR * way.length);
    scene.surfaces.is_some_and(|both| eyes.offset_test.is_free(&both, &shift))
}

/// Puts the least translation of the pair in the place of deep patches that do not say it.
pub(crate) fn judge(scene: &Scene<'_>, patches: &mut Vec<Patch>, eyes: &mut Eyes) {
    let mut order: Vec<&Patch> = patches.iter().collect();
    order.sort_by(|p, q| q.depth.total_cmp(&p.depth));
    let Some(&deepest) = order.first() else { return };
    let deep = is_deep(scene, deepest);
    if !deep && (order.len() == 1 || deepest.depth < tunables::PAIR_PATCHES_DEPTH * scene.radius) {
        return;
    }
    let ground = Ground::new(scene, &order);
    if let Some(way) = way_of_pair(scene, &order, &ground, eyes)
        && (deep
            || (tunables::PAIR_GAIN * deepest.depth..tunables::WEDGED_LENGTH * deepest.depth)
                .contains(&way.length))
        && let Some(found) = one_patch(scene, &order, &ground, way, eyes)
    {
        patches.clear();
        patches.push(found);
    }
}

/// The translation that patches ask for together (m).
fn together(patches: &[&Patch]) -> Option<Vector3<f64>> {
    let pushes: Vec<Push> =
        patches.iter().map(|p| Push { normal: p.normal, depth: p.depth.max(0.0) }).collect();
    match constraints::demand(&pushes) {
        Demand::Together(asked) => Some(asked),
        Demand::One | Demand::Opposed => None,
    }
}

fn is_deep(scene: &Scene<'_>, patch: &Patch) -> bool {
    let thick = patch.depth > tunables::PAIR_THICKNESS * patch.gradient.norm().sqrt();
    patch.depth > tunables::PAIR_DEPTH * scene.radius
        || thick && patch.depth > tunables::PAIR_LEAST_DEPTH * scene.radius
}

/// The least translation of the pair, where the patches do not say it.
fn way_of_pair(scene: &Scene<'_>, patches: &[&Patch], ground: &Ground, eyes: &mut Eyes) -> Option<Way> {
    let deepest = patches[0];
    let own = deepest.normal * deepest.depth;
    let normals: Vec<Vector3<f64>> =
        patches.iter().take(tunables::PAIR_PATCHES).map(|patch| patch.normal).collect();
    if parts(scene, &normals, &own, eyes) {
        return None;
    }
    let asked = together(patches).filter(|asked| asked.norm() > 0.0);
    // Where each has a part of the way only, one patch has all of it.
    let more = |asked: &Vector3<f64>| asked.norm() > tunables::BLOCKED_LENGTH * deepest.depth;
    if let Some(asked) = asked
        && parts(scene, &normals, &asked, eyes)
    {
        return if more(&asked) { ground.shortest(scene, &[asked.normalize()], eyes) } else { None };
    }
    // An exact question meets slivers, too, which views pass over.
    let mut best = ground.shortest(scene, &normals, eyes);
    if best.is_some_and(|best| ground.reaches(scene, &best, &own, eyes)) {
        return None;
    }
    if let Some(asked) = asked {
        let (normal, bound) = (asked.normalize(), tunables::BLOCKED_LENGTH * asked.norm());
        let length = ground.length(scene, &normal, bound, &mut eyes.close);
        let way = Way { normal, length, ends: None };
        let least = best.map_or(f64::INFINITY, |best| best.length);
        if length < bound && least > tunables::PAIR_GAIN * asked.norm() {
            return more(&asked).then_some(way);
        }
        best = if length < least { Some(way) } else { best };
    }
    let own = Own { normal: best.map(|b| (b.normal, b.length)), asked: None, thick: true };
    eyes.searches = 0;
    if let Some(way) = least_way_out(scene, &ground.whole, &own, &[], eyes) {
        let bound = best.map_or(f64::INFINITY, |b| b.length);
        best = ground.held(scene, way, bound, eyes).or(best);
    }
    best
}

/// Whether a translation (m), or little more of it, parts the bodies, and much less along no normal does.
fn parts(scene: &Scene<'_>, normals: &[Vector3<f64>], translation: &Vector3<f64>, eyes: &mut Eyes) -> bool {
    let length = translation.norm();
    let mut free = |shift: Vector3<f64>| scene.surfaces.map(|both| eyes.offset_test.is_free(&both, &shift));
    free(translation * tunables::BLOCKED_LENGTH) == Some(true)
        && normals.iter().all(|normal| free(normal * (tunables::PAIR_GAIN * length)) == Some(false))
}

/// One patch in the place of all, along a way.
fn one_patch(
    scene: &Scene<'_>,
    patches: &[&Patch],
    ground: &Ground,
    way: Way,
    eyes: &mut Eyes,
) -> Option<Patch> {
    let volume: f64 = patches.iter().map(|p| p.volume).sum();
    let centroid: Vector3<f64> = patches.iter().map(|p| p.centroid.coords * p.volume).sum();
    let draft = Draft {
        normal: way.normal,
        gradient: patches.iter().map(|p| p.gradient).sum(),
        torque: patches.iter().map(|p| p.torque).sum(),
        volume: (volume > 0.0).then(|| (volume, Point3::from(centroid / volume))),
        solid: true,
        wraps: true,
        serial: 0,
    };
    way.patch(scene, &ground.whole, &draft, &mut eyes.close)
}
