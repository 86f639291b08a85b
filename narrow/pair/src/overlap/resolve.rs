//! Resolves the columns of an overlap to patches with their true depth.
//!
//! Most overlaps are thin and have one normal: their depth is the longest column along it. If a
//! surface bends within the overlap, the columns' constraints give a direction for the pair's
//! search. If normals oppose each other in a thin overlap, it is split.

use crate::tunables;
use nalgebra::{Point3, Vector3};

use super::close_lines::deepen_along_lines;
use super::depth::{ExtremeVertices, deepen, ending, is_plateau};
use super::three_views::{Overlap, look_from_three_sides};
use crate::patch::{Patch, PatchPoint};
use crate::patches::{PatchSeed, add_points, mean, patch, without_twist};
use crate::penetration::{self, MinimumNorm, SeparationConstraint, longest};
use crate::region::{Region, within};
use crate::sampler::Samplers;
use crate::scene::Scene;
use impinge_image_space::intervals::{OverlapInterval, Sums};
use impinge_image_space::view::{Axes, View};

/// The columns of an overlap in one view, and what is known of them.
#[derive(Clone, Copy)]
pub(crate) struct OverlapSample<'a> {
    pub view: &'a View,
    pub columns: &'a [OverlapInterval],
    /// Points at vertices in the overlap, along the seed's normal.
    pub vertices: &'a [PatchPoint],
    pub extremes: &'a ExtremeVertices,
    pub seed: &'a PatchSeed,
    /// Whether the seed's normal is the overlap's own.
    pub has_normal: bool,
    /// Whether the bodies overlap nowhere else.
    pub alone: bool,
    /// The triangles of A and of B that bound the overlap, where these are known.
    pub triangles: Option<[&'a [u32]; 2]>,
}

/// The patches of a set of columns.
pub(crate) fn resolve_patch(
    scene: &Scene<'_>,
    set: &OverlapSample<'_>,
    samplers: &mut Samplers,
    out: &mut Vec<Patch>,
) {
    let OverlapSample { columns, seed, .. } = *set;
    let Some(longest) = columns.iter().map(OverlapInterval::length).max() else { return };
    if seed.solid {
        let before = out.len();
        solid(scene, set, longest, samplers, out);
        if out.len() > before {
            return;
        }
    }
    patch_along_normal(scene, set, samplers, out);
}

/// The patch of a set of columns along its seed's normal, whatever shorter translation there may be.
pub(crate) fn patch_along_normal(
    scene: &Scene<'_>,
    set: &OverlapSample<'_>,
    samplers: &mut Samplers,
    out: &mut Vec<Patch>,
) {
    let OverlapSample { view, columns, seed, .. } = *set;
    if let Some(mut found) = patch(view, columns, seed) {
        add_points(view, set.vertices, &mut found);
        let top = longest(columns);
        let is_sharp = !columns[top].is_touch()
            && !is_plateau(columns, top)
            && sharpen_own(scene, set, &mut found, &columns[top], samplers);
        if samplers.sampled.is_given() {
            if !is_sharp && !penetration::sharpen(scene, &mut found, samplers) {
                deepen_along_lines(scene, view, columns, set.extremes, &mut found, &mut samplers.close);
            }
        } else if !is_sharp {
            deepen(scene, view, columns, set.extremes, &mut found, &mut samplers.close);
        }
        out.push(found);
    }
}

/// Gives a patch the exact depth of its own overlap, whose longest column `top` is; `false` where that is not known.
fn sharpen_own(
    scene: &Scene<'_>,
    set: &OverlapSample<'_>,
    found: &mut Patch,
    top: &OverlapInterval,
    samplers: &mut Samplers,
) -> bool {
    let ends = ending(set.view, top, &found.normal).map(|(_, triangle)| triangle);
    if set.alone && penetration::sharpen_alone(scene, found, ends, samplers) {
        return true;
    }
    // Points of a large contact are far apart: the deepest place goes from one to the next, and what rests on them would rock.
    let triangles = set.triangles.filter(|_| is_small(scene, set.view));
    let own = triangles.and_then(|of| penetration::passed(scene, found, of, samplers));
    own.is_some_and(|own| penetration::sharpen_by(found, &own, samplers))
}

/// Whether what a view was laid for is small against the smaller body.
pub(crate) fn is_small(scene: &Scene<'_>, view: &View) -> bool {
    let lines = |k: usize| f64::from(view.count[k].saturating_sub(tunables::VIEW_ROOM));
    (0..2).all(|k| lines(k) * view.pixel[k] <= tunables::SMALL_VIEW * scene.radius)
}

/// The patches of an overlap: a view along its normal gives depth and points.
pub(crate) fn patch_of(
    scene: &Scene<'_>,
    axes: &Axes,
    found: &Overlap,
    samplers: &mut Samplers,
    out: &mut Vec<Patch>,
) {
    let region = Region { axes: *axes, extent: found.extent };
    let (seed, has_normal) = seed_of(axes, found);
    let axes = scene.along(&seed.normal);
    let seen = region.seen_along(&axes);
    let mut view = View::of_extent(&axes, &seen, scene.resolution, scene.least);
    view.far = seen.max[2] + 0.25 * region.extent.longest() - axes.depth.dot(&view.anchor.coords);
    samplers.wide.sample(scene, &mut view);
    let within = within(&view, &seen);
    let columns: Vec<OverlapInterval> =
        samplers.wide.columns.list.iter().filter(|c| !c.is_touch() && within(c)).copied().collect();
    let before = out.len();
    let set = OverlapSample {
        view: &view,
        columns: &columns,
        vertices: &[],
        extremes: &ExtremeVertices::default(),
        seed: &seed,
        has_normal,
        alone: false,
        triangles: None,
    };
    resolve_patch(scene, &set, samplers, out);
    if out.len() == before {
        // An overlap that shows in other views only: a column through its middle has to do.
        out.extend(patch(&view, &samplers.wide.columns.list, &seed));
    }
}

/// What is known of an overlap, and whether it has a normal of its own; else it is the depth of `axes`.
fn seed_of(axes: &Axes, found: &Overlap) -> (PatchSeed, bool) {
    let area = found.gradient.norm();
    let normal = (area > tunables::LEAST_NET_AREA * found.area).then(|| found.gradient / area);
    let seed = PatchSeed {
        normal: normal.unwrap_or(axes.depth),
        gradient: found.gradient,
        torque: without_twist(&found.gradient, &found.torque),
        volume: Some((found.volume, found.centroid)),
        solid: true,
        wraps: false,
        serial: 0,
    };
    (seed, normal.is_some())
}

/// The patches of an overlap in a region, by the last of the region's three views, which was sampled elsewhere under a number;
/// `false` where there is none.
pub(crate) fn patch_in_view(
    scene: &Scene<'_>,
    region: &Region,
    found: &Overlap,
    number: usize,
    samplers: &mut Samplers,
    out: &mut Vec<Patch>,
) -> bool {
    let [_, _, (view, seen)] = look_from_three_sides(scene, region, scene.resolution);
    if !samplers.take_given(number, &view) {
        return false;
    }
    let within = within(&view, &seen);
    let own = |column: &OverlapInterval| {
        let place = Region::of_columns(&region.axes, &view, std::iter::once(column)).extent;
        !column.is_touch() && within(column) && place.overlaps(&found.extent)
    };
    let columns: Vec<OverlapInterval> =
        samplers.wide.columns.list.iter().filter(|c| own(c)).copied().collect();
    let (seed, has_normal) = seed_of(&region.axes, found);
    let before = out.len();
    let set = OverlapSample {
        view: &view,
        columns: &columns,
        vertices: &[],
        extremes: &ExtremeVertices::default(),
        seed: &seed,
        has_normal,
        alone: false,
        triangles: None,
    };
    resolve_patch(scene, &set, samplers, out);
    out.len() > before
}

/// Patches with normals other than the seed's, where those are better.
fn solid(
    scene: &Scene<'_>,
    set: &OverlapSample<'_>,
    longest: i64,
    samplers: &mut Samplers,
    out: &mut Vec<Patch>,
) {
    // No direction leads out of a half-space by a shorter way than its normal.
    let Some(both) = scene.swept else { return };
    let OverlapSample { view, columns, seed, has_normal, .. } = *set;
    let sign = view.axes.sign(&seed.normal);
    let separation =
        columns.iter().filter(|c| !c.is_touch()).map(|c| c.separation(sign)).max().unwrap_or(longest);
    let wraps = !has_normal || separation as f64 > tunables::WRAPPED_LENGTH * longest as f64 + 4.0;
    let thick = longest as f64 * view.step > tunables::THICK_PIXELS * view.pixel[0].min(view.pixel[1]);
    let length = separation as f64 * view.step;
    if has_normal
        && !wraps
        && !thick
        && penetration::rules_out_shorter(
            scene,
            view,
            columns,
            &seed.normal,
            tunables::CONSTRAINT_GAIN * length,
        )
    {
        return;
    }
    let region = Region::of_columns(&view.axes, view, columns.iter());
    let mut constraints: Vec<SeparationConstraint> = Vec::new();
    let mut leaving = penetration::gather(scene, view, columns, &mut constraints);
    if wraps {
        let (front, size) = (constraints.len(), region.extent.longest());
        let mut seen = from_the_sides(scene, &region, scene.coarse(), samplers, &mut constraints);
        // What is thin may stand between the lines of a coarse view.
        if deepest(&constraints) < 2.0 * tunables::SPLIT_THINNESS * size {
            constraints.truncate(front);
            seen = from_the_sides(scene, &region, scene.resolution, samplers, &mut constraints);
        }
        leaving += seen;
    }
    let demand = penetration::minimum_norm_translation(&constraints);
    let greatest = deepest(&constraints);
    let asked = asked(demand, &constraints, seed, has_normal)
        .filter(|t| !has_normal || t.norm() < tunables::CONSTRAINT_GAIN * length);
    samplers.asked.extend(asked);
    let thin =
        greatest < tunables::SPLIT_THINNESS * region.extent.longest() && 2 * constraints.len() > leaving;
    if demand == MinimumNorm::Infeasible
        && thin
        && penetration::is_farther(
            &both,
            scene,
            (&middle_of(view, columns), tunables::SPLIT_LENGTH * greatest),
            samplers,
        )
    {
        split(scene, &region, seed, &penetration::clusters(&constraints), samplers, out);
    } else if wraps {
        samplers.reach = samplers.reach.max(length);
    }
}

/// The middle of the longest of some columns.
fn middle_of(view: &View, columns: &[OverlapInterval]) -> Point3<f64> {
    let longest = &columns[longest(columns)];
    let [begin, end] = [longest.begin(), longest.end()].map(f64::from);
    view.place(longest.i, longest.j, 0.5 * (begin + end))
}

/// The translation that satisfies the constraints; where there is none, those that agree with the overlap's own
/// normal.
fn asked(
    demand: MinimumNorm,
    constraints: &[SeparationConstraint],
    seed: &PatchSeed,
    has_normal: bool,
) -> Option<Vector3<f64>> {
    match demand {
        MinimumNorm::Translation(translation) => Some(translation),
        MinimumNorm::Infeasible if has_normal => {
            let along: Vec<SeparationConstraint> =
                constraints.iter().filter(|p| p.normal.dot(&seed.normal) > 0.0).copied().collect();
            match penetration::minimum_norm_translation(&along) {
                MinimumNorm::Translation(translation) => Some(translation),
                MinimumNorm::Aligned | MinimumNorm::Infeasible => None,
            }
        }
        MinimumNorm::Aligned | MinimumNorm::Infeasible => None,
    }
}

/// The greatest depth of some constraints (m).
fn deepest(constraints: &[SeparationConstraint]) -> f64 {
    constraints.iter().map(|p| p.depth).fold(0.0, f64::max)
}

/// Adds the constraints that show in views along the region's right and up, `count` pixels per side.
fn from_the_sides(
    scene: &Scene<'_>,
    region: &Region,
    count: u32,
    samplers: &mut Samplers,
    constraints: &mut Vec<SeparationConstraint>,
) -> usize {
    let mut leaving = 0;
    for direction in [region.axes.right, region.axes.up] {
        let (view, columns) = columns_along(scene, region, &direction, count, samplers);
        leaving += penetration::gather(scene, &view, &columns, constraints);
    }
    leaving
}

/// A view of a region, `count` pixels per side, and the columns of overlap in it.
fn columns_along(
    scene: &Scene<'_>,
    region: &Region,
    direction: &Vector3<f64>,
    count: u32,
    samplers: &mut Samplers,
) -> (View, Vec<OverlapInterval>) {
    let axes = scene.along(direction);
    let seen = region.seen_along(&axes);
    let mut view = View::of_extent(&axes, &seen, count, scene.least);
    view.far = seen.max[2] + 0.25 * region.extent.longest() - axes.depth.dot(&view.anchor.coords);
    samplers.close.sample(scene, &mut view);
    let within = within(&view, &seen);
    let overlaps = samplers.close.columns.list.iter().filter(|c| !c.is_touch() && within(c));
    (view, overlaps.copied().collect())
}

/// One patch for each of some directions: of the columns along it at whose ends facets face each other
/// along a normal that is nearer to it than to the others.
fn split(
    scene: &Scene<'_>,
    region: &Region,
    seed: &PatchSeed,
    directions: &[Vector3<f64>],
    samplers: &mut Samplers,
    out: &mut Vec<Patch>,
) {
    let volume = seed.volume;
    let before = out.len();
    let mut measured = Vec::with_capacity(directions.len());
    for direction in directions {
        let (view, mut columns) = columns_along(scene, region, direction, scene.resolution, samplers);
        let sign = view.axes.sign(direction);
        columns.retain(|column| {
            let own = penetration::leaving_sign(column).filter(|mtv| *mtv == sign);
            own.and_then(|sign| penetration::common_normal(scene, column, sign)).is_some_and(|normal| {
                let own = normal.dot(direction);
                own > 0.0 && directions.iter().all(|other| other.dot(&normal) <= own)
            })
        });
        let mut sums = Sums::default();
        columns.iter().for_each(|c| sums.add(c));
        let gradient = direction * (columns.len() as f64 * view.pixel_area());
        let part = sums.centroid(&view).map(|centroid| (sums.volume(&view), centroid));
        let seed = PatchSeed { normal: *direction, gradient, volume: part, serial: 0, ..*seed };
        if let Some(mut found) = patch(&view, &columns, &seed) {
            found.torque = found.centroid.coords.cross(&gradient);
            found.pressure_center = middle(&found);
            deepen(scene, &view, &columns, &ExtremeVertices::default(), &mut found, &mut samplers.close);
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
