//! The pair as a whole: do its patches together say how to part it?
//!
//! Each patch says how it is freed. Where the overlaps are shallow that is all there is to say: a solver adds
//! up what the patches ask. Deep in each other, bodies may have patches that ask for opposite ways, or
//! whose ways lead into new overlaps; then one patch takes their place, along the least translation
//! that parts the bodies.

use nalgebra::{Point3, Vector3};

use super::escape::{Own, Way, least_way_out, length};
use super::push::{self, Demand, Push};
use super::region::Region;
use super::scene::{Eye, Eyes, Scene};
use crate::patch::Patch;
use crate::patches::Draft;
use crate::view::Extent;

/// Overlaps deeper than this part of the smaller body's radius are judged as a whole; and those deeper than
/// this part of the side of a square of their area, unless they are shallow for the body.
const DEEP: f64 = 0.1;
const THICK: f64 = 0.5;
const SHALLOW: f64 = 0.02;

/// Of several patches it is asked whether the deepest parts the bodies where it is deeper than this part of the
/// smaller body's radius. Less deep ones hold a body from several sides, and are left to.
const PARTS: f64 = 0.0125;

/// Where the way of the pair is longer than that of its deepest patch by this factor, not so deep bodies are wedged:
/// what each patch says of its place is worth more. (A shorter one was measured between a view's lines.)
const WEDGED: f64 = 2.0;

/// A way along a patch's normal that is longer than its depth by this factor leads into other overlaps.
const BLOCKED: f64 = 1.1;

/// A way shorter than this part of what a patch, or all together, ask for shows that they ask too much.
const BETTER: f64 = 0.85;

/// The most patches whose normals are tried for the pair, and whose regions are looked at.
const MOST: usize = 4;

/// Where the pair overlaps: the region of all, which a view may be too coarse for, and those of the
/// deepest patches.
struct Ground {
    regions: Vec<Region>,
}

impl Ground {
    fn new(scene: &Scene<'_>, patches: &[&Patch]) -> Ground {
        let mut regions = vec![scene.whole];
        regions.extend(patches.iter().take(MOST).map(|patch| {
            let mut extent = Extent::EMPTY;
            for point in &patch.points {
                extent.add(scene.to_lattice(&point.on_a).coords.into());
                extent.add(scene.to_lattice(&point.on_b).coords.into());
            }
            Region { axes: scene.lattice_axes(), extent }
        }));
        Ground { regions }
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
}

/// Puts the least translation of the pair in the place of deep patches that do not say it.
pub(super) fn judge(scene: &Scene<'_>, patches: &mut Vec<Patch>, eyes: &mut Eyes) {
    let mut order: Vec<&Patch> = patches.iter().collect();
    order.sort_by(|p, q| q.depth.total_cmp(&p.depth));
    let Some(&deepest) = order.first() else { return };
    let deep = is_deep(scene, deepest);
    if !deep && (order.len() == 1 || deepest.depth < PARTS * scene.radius) {
        return;
    }
    let ground = Ground::new(scene, &order);
    if let Some(way) = way_of_pair(scene, &order, &ground, eyes)
        && (deep || (BETTER * deepest.depth..WEDGED * deepest.depth).contains(&way.length))
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
    match push::demand(&pushes) {
        Demand::Together(asked) => Some(asked),
        Demand::One | Demand::Opposed => None,
    }
}

fn is_deep(scene: &Scene<'_>, patch: &Patch) -> bool {
    let thick = patch.depth > THICK * patch.gradient.norm().sqrt();
    patch.depth > DEEP * scene.radius || thick && patch.depth > SHALLOW * scene.radius
}

/// The least translation of the pair, where the patches do not say it.
fn way_of_pair(scene: &Scene<'_>, patches: &[&Patch], ground: &Ground, eyes: &mut Eyes) -> Option<Way> {
    let deepest = patches[0];
    let shorter = |best: Way, way: Way| if way.length < best.length { way } else { best };
    let mut along = |normal: Vector3<f64>, bound: f64| {
        let length = ground.length(scene, &normal, bound, &mut eyes.close);
        Way { normal, length, ends: None }
    };
    let first = along(deepest.normal, f64::INFINITY);
    let mut best = first;
    for patch in patches.iter().take(MOST).skip(1) {
        best = shorter(best, along(patch.normal, best.length));
    }
    if first.length < BLOCKED * deepest.depth && best.length > BETTER * deepest.depth {
        return None;
    }
    if let Some(asked) = together(patches)
        && let Some(normal) = asked.try_normalize(0.0)
    {
        let way = along(normal, best.length.max(BLOCKED * asked.norm()));
        if way.length < BLOCKED * asked.norm() && best.length > BETTER * asked.norm() {
            // Where each has a part of the way only, one patch has all of it.
            return (asked.norm() > BLOCKED * deepest.depth).then_some(way);
        }
        best = shorter(best, way);
    }
    let normal = best.length.is_finite().then_some((best.normal, best.length));
    let own = Own { normal, asked: None, thick: true };
    eyes.searches = 0;
    if let Some(way) = least_way_out(scene, &ground.regions[0], &own, &[], eyes) {
        let length = ground.length(scene, &way.normal, best.length, &mut eyes.close).max(way.length);
        let ends = way.ends.filter(|_| length == way.length);
        best = shorter(best, Way { length, ends, ..way });
    }
    best.length.is_finite().then_some(best)
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
    way.patch(scene, &ground.regions[0], &draft, &mut eyes.close)
}
