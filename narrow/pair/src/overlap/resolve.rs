//! From the columns of a set to its patches with their true depth.
//!
//! Most overlaps are thin and push one way: their depth is the longest column along their normal. Where a
//! surface bends within the overlap, the columns' pushes say which way is shorter; where the overlap is
//! thick, or the bodies wrap around each other, the least way out is searched; where normals oppose in a
//! thin overlap, it is split.

use crate::tunables;
use nalgebra::{Point3, Vector3};

use super::depth::{Tips, deepen};
use super::three_views::Overlap;
use crate::patch::Patch;
use crate::patches::{Draft, mean, patch};
use crate::penetration::{self, Demand, Own, Push, least_way_out};
use crate::region::{Region, within};
use crate::sampler::Eyes;
use crate::scene::Scene;
use impinge_image_space::columns::{Column, Sums};
use impinge_image_space::view::{Axes, View};

/// What is known of the columns of a set.
#[derive(Clone, Copy)]
pub(crate) struct Set<'a> {
    pub view: &'a View,
    pub columns: &'a [Column],
    pub tips: &'a Tips,
    pub draft: &'a Draft,
    /// Whether the draft's normal is the overlap's own.
    pub has_normal: bool,
}

/// The patches of a set of columns.
pub(crate) fn settle(scene: &Scene<'_>, set: &Set<'_>, eyes: &mut Eyes, out: &mut Vec<Patch>) {
    let Set { view, columns, draft, .. } = *set;
    let Some(longest) = columns.iter().map(Column::length).max() else { return };
    if draft.solid && (scene.shorter_ways || !set.has_normal) {
        let before = out.len();
        solid(scene, set, longest, eyes, out);
        if out.len() > before {
            return;
        }
    }
    if let Some(mut found) = patch(view, columns, draft) {
        deepen(scene, view, columns, set.tips, &mut found, &mut eyes.close);
        out.push(found);
    }
}

/// The patches of an overlap: a view along its normal gives depth and points.
pub(crate) fn patch_of(
    scene: &Scene<'_>,
    axes: &Axes,
    found: &Overlap,
    eyes: &mut Eyes,
    out: &mut Vec<Patch>,
) {
    let region = Region { axes: *axes, extent: found.extent };
    let area = found.gradient.norm();
    let normal = (area > tunables::LEAST_NET_AREA * found.area).then(|| found.gradient / area);
    let draft = Draft {
        normal: normal.unwrap_or(axes.depth),
        gradient: found.gradient,
        torque: found.torque,
        volume: Some((found.volume, found.centroid)),
        solid: true,
        wraps: false,
        serial: 0,
    };
    let axes = scene.along(&draft.normal);
    let seen = region.seen_along(&axes);
    let mut view = View::of_extent(&axes, &seen, scene.resolution, scene.least);
    view.far = seen.max[2] + 0.25 * region.extent.longest() - axes.depth.dot(&view.anchor.coords);
    eyes.wide.look(scene, &mut view);
    let within = within(&view, &seen);
    let columns: Vec<Column> =
        eyes.wide.columns.list.iter().filter(|c| !c.is_touch() && within(c)).copied().collect();
    let before = out.len();
    let set = Set {
        view: &view,
        columns: &columns,
        tips: &Tips::default(),
        draft: &draft,
        has_normal: normal.is_some(),
    };
    settle(scene, &set, eyes, out);
    if out.len() == before {
        // An overlap that shows in other views only: a column through its middle has to do.
        out.extend(patch(&view, &eyes.wide.columns.list, &draft));
    }
}

/// Patches with normals other than the draft's, where those are better.
fn solid(scene: &Scene<'_>, set: &Set<'_>, longest: i64, eyes: &mut Eyes, out: &mut Vec<Patch>) {
    let Set { view, columns, draft, has_normal, .. } = *set;
    let sign = view.axes.sign(&draft.normal);
    let way_out = columns.iter().filter(|c| !c.is_touch()).map(|c| c.way_out(sign)).max().unwrap_or(longest);
    let wraps = !has_normal || way_out as f64 > tunables::WRAPPED_LENGTH * longest as f64 + 4.0;
    let thick = longest as f64 * view.step > tunables::THICK_PIXELS * view.pixel[0].min(view.pixel[1]);
    let length = way_out as f64 * view.step;
    if has_normal
        && !wraps
        && !thick
        && penetration::asks_for(scene, view, columns, &draft.normal, tunables::CONSTRAINT_GAIN * length)
    {
        return;
    }
    let region = Region::of_columns(&view.axes, view, columns.iter());
    let mut pushes: Vec<Push> = Vec::new();
    let mut leaving = penetration::gather(scene, view, columns, &mut pushes);
    if wraps {
        let (front, size) = (pushes.len(), region.extent.longest());
        let mut seen = from_the_sides(scene, &region, scene.coarse(), eyes, &mut pushes);
        // What is thin may stand between the lines of a coarse view.
        if deepest(&pushes) < 2.0 * tunables::SPLIT_THINNESS * size {
            pushes.truncate(front);
            seen = from_the_sides(scene, &region, scene.resolution, eyes, &mut pushes);
        }
        leaving += seen;
    }
    let demand = penetration::demand(&pushes);
    let greatest = deepest(&pushes);
    let asked = asked(demand, &pushes, draft, has_normal)
        .filter(|t| !has_normal || t.norm() < tunables::CONSTRAINT_GAIN * length);
    let thick = wraps || thick && eyes.wide.glance(scene, view, tunables::CONSTRAINT_GAIN * length);
    if !thick && asked.is_none() {
        return;
    }
    let own = Own { normal: has_normal.then_some((draft.normal, length)), asked, thick };
    let way = least_way_out(scene, &region, &own, columns, eyes);
    let far = way.map_or(length, |way| way.length) > tunables::SPLIT_LENGTH * greatest;
    let thin = greatest < tunables::SPLIT_THINNESS * region.extent.longest() && 2 * pushes.len() > leaving;
    if demand == Demand::Opposed && far && thin {
        split(scene, &region, draft, &penetration::clusters(&pushes), eyes, out);
    } else if let Some(way) = way {
        out.extend(way.patch(scene, &region, draft, &mut eyes.close));
    }
}

/// The translation that the pushes ask for; where they oppose, those that go along with the overlap's own
/// normal.
fn asked(demand: Demand, pushes: &[Push], draft: &Draft, has_normal: bool) -> Option<Vector3<f64>> {
    match demand {
        Demand::Together(translation) => Some(translation),
        Demand::Opposed if has_normal => {
            let along: Vec<Push> =
                pushes.iter().filter(|p| p.normal.dot(&draft.normal) > 0.0).copied().collect();
            match penetration::demand(&along) {
                Demand::Together(translation) => Some(translation),
                Demand::One | Demand::Opposed => None,
            }
        }
        Demand::One | Demand::Opposed => None,
    }
}

/// The greatest depth of some pushes (m).
fn deepest(pushes: &[Push]) -> f64 {
    pushes.iter().map(|p| p.depth).fold(0.0, f64::max)
}

/// Adds the pushes that show in views along the region's right and up, `count` pixels per side.
fn from_the_sides(
    scene: &Scene<'_>,
    region: &Region,
    count: u32,
    eyes: &mut Eyes,
    pushes: &mut Vec<Push>,
) -> usize {
    let mut leaving = 0;
    for direction in [region.axes.right, region.axes.up] {
        let (view, columns) = columns_along(scene, region, &direction, count, eyes);
        leaving += penetration::gather(scene, &view, &columns, pushes);
    }
    leaving
}

/// A view of a region, `count` pixels per side, and the columns of overlap in it.
fn columns_along(
    scene: &Scene<'_>,
    region: &Region,
    direction: &Vector3<f64>,
    count: u32,
    eyes: &mut Eyes,
) -> (View, Vec<Column>) {
    let axes = scene.along(direction);
    let seen = region.seen_along(&axes);
    let mut view = View::of_extent(&axes, &seen, count, scene.least);
    view.far = seen.max[2] + 0.25 * region.extent.longest() - axes.depth.dot(&view.anchor.coords);
    eyes.close.look(scene, &mut view);
    let within = within(&view, &seen);
    let overlaps = eyes.close.columns.list.iter().filter(|c| !c.is_touch() && within(c));
    (view, overlaps.copied().collect())
}

/// One patch for each of some directions: of the columns along it at whose ends facets face each other
/// along a normal that is nearer to it than to the others.
fn split(
    scene: &Scene<'_>,
    region: &Region,
    draft: &Draft,
    directions: &[Vector3<f64>],
    eyes: &mut Eyes,
    out: &mut Vec<Patch>,
) {
    let volume = draft.volume;
    let before = out.len();
    let mut measured = Vec::with_capacity(directions.len());
    for direction in directions {
        let (view, mut columns) = columns_along(scene, region, direction, scene.resolution, eyes);
        let sign = view.axes.sign(direction);
        columns.retain(|column| {
            let own = penetration::way_of(column).filter(|way| *way == sign);
            own.and_then(|sign| penetration::common_normal(scene, column, sign)).is_some_and(|normal| {
                let own = normal.dot(direction);
                own > 0.0 && directions.iter().all(|other| other.dot(&normal) <= own)
            })
        });
        let mut sums = Sums::default();
        columns.iter().for_each(|c| sums.add(c));
        let gradient = direction * (columns.len() as f64 * view.pixel_area());
        let part = sums.centroid(&view).map(|centroid| (sums.volume(&view), centroid));
        let draft = Draft { normal: *direction, gradient, volume: part, serial: 0, ..*draft };
        if let Some(mut found) = patch(&view, &columns, &draft) {
            found.torque = found.centroid.coords.cross(&gradient);
            found.pressure_center = middle(&found);
            deepen(scene, &view, &columns, &Tips::default(), &mut found, &mut eyes.close);
            measured.push(found.volume);
            out.push(found);
        }
    }
    // The parts share the whole as they were measured: what lies between two of them is seen by both
    // or by neither.
    let total: f64 = measured.iter().sum();
    if let Some((volume, _)) = volume
        && total > 0.0
    {
        out[before..].iter_mut().for_each(|p| p.volume *= volume / total);
    }
}

/// The mean place of a patch's points.
fn middle(found: &Patch) -> Point3<f64> {
    mean(&found.points).unwrap_or(found.centroid)
}
