//! Three views at right angles: where there is no contour to go by.
//!
//! Each view gives the volume and one component of G; a coarse sampling finds where the overlaps are, and
//! a full view is made of each. A single view is not enough for a normal.

use crate::tunables;
use nalgebra::{Point3, Vector3};

use crate::patches::Join;
use crate::region::{Pixels, Region, within};
use crate::sampler::Samplers;
use crate::scene::Scene;
use impinge_image_space::intervals::{OverlapIntervals, Sums};
use impinge_image_space::view::{Axes, Extent, View};

/// An overlap, put together from three views.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overlap {
    /// Along the axes of the region that was asked for.
    pub extent: Extent,
    pub gradient: Vector3<f64>,
    pub torque: Vector3<f64>,
    /// Mean over the views that saw it (m³), and the centroid.
    pub volume: f64,
    pub centroid: Point3<f64>,
    /// Root of the sum of the squares of the areas seen (m²).
    pub area: f64,
    /// The least volume that one of the views saw, and the greatest (m³).
    pub volumes: [f64; 2],
}

impl Overlap {
    /// Whether it fills this part of an extent, along each axis.
    pub fn fills(&self, part: f64, extent: &Extent) -> bool {
        (0..3).all(|k| self.extent.size(k) >= part * extent.size(k))
    }
}

/// An overlap as one view samples it.
struct ViewSample {
    /// Which of the three views.
    index: usize,
    view: View,
    sums: Sums,
    extent: Extent,
}

/// The three views' axes for a region: along its right, its up and its depth.
fn triad(axes: &Axes) -> [Axes; 3] {
    let Axes { right, up, depth } = *axes;
    [
        Axes { right: up, up: depth, depth: right },
        Axes { right: depth, up: right, depth: up },
        Axes { right, up, depth },
    ]
}

/// The three views of a region, each with what of the region shows in it.
pub(crate) fn look_from_three_sides(scene: &Scene<'_>, region: &Region, count: u32) -> [(View, Extent); 3] {
    triad(&region.axes).map(|axes| {
        let seen = region.seen_along(&axes);
        let mut view = View::of_extent(&axes, &seen, count, scene.least);
        view.far = seen.max[2] + 0.25 * region.extent.longest() - axes.depth.dot(&view.anchor.coords);
        (view, seen)
    })
}

/// The overlaps in a region, in a fixed order.
fn sample_overlaps(
    scene: &Scene<'_>,
    region: &Region,
    count: u32,
    samplers: &mut Samplers,
    join: &mut Join,
) -> Vec<Overlap> {
    let mut samples = Vec::new();
    for (index, (mut view, seen)) in look_from_three_sides(scene, region, count).into_iter().enumerate() {
        samplers.wide.sample(scene, &mut view);
        add_samples(region, (index, &view, &seen), &samplers.wide.columns, join, &mut samples);
    }
    group(&samples)
}

/// The overlaps in a region by three views that were sampled elsewhere, from number `first` on; `None` where one of them was not.
pub(crate) fn given_overlaps(
    scene: &Scene<'_>,
    region: &Region,
    first: usize,
    samplers: &mut Samplers,
    join: &mut Join,
) -> Option<Vec<Overlap>> {
    let mut samples = Vec::new();
    let views = look_from_three_sides(scene, region, scene.resolution);
    for (index, (view, seen)) in views.into_iter().enumerate() {
        if !samplers.take_given(first + index, &view) {
            return None;
        }
        add_samples(region, (index, &view, &seen), &samplers.wide.columns, join, &mut samples);
    }
    Some(group(&samples))
}

/// Adds what one of three views shows of a region.
fn add_samples(
    region: &Region,
    (index, view, seen): (usize, &View, &Extent),
    columns: &OverlapIntervals,
    join: &mut Join,
    samples: &mut Vec<ViewSample>,
) {
    join.columns(columns, 0);
    let within = within(view, seen);
    let pixels = Pixels::new(&region.axes, view);
    let mut sets: Vec<(u32, ViewSample)> = Vec::new();
    for (at, column) in columns.list.iter().enumerate() {
        if column.is_touch() || !within(column) {
            continue;
        }
        let set = join.of_column(at);
        let at = match sets.binary_search_by_key(&set, |s| s.0) {
            Ok(at) => at,
            Err(at) => {
                let sample = ViewSample { index, view: *view, sums: Sums::default(), extent: Extent::EMPTY };
                sets.insert(at, (set, sample));
                at
            }
        };
        sets[at].1.sums.add(column);
        pixels.add(&mut sets[at].1.extent, column);
    }
    samples.extend(sets.into_iter().map(|s| s.1));
}

/// Samples whose boxes overlap, or nearly so, are of one overlap. What fewer than three views show is a
/// splinter of the overlap next to it.
fn group(samples: &[ViewSample]) -> Vec<Overlap> {
    let mut groups: Vec<(Extent, Vec<usize>)> = Vec::new();
    for (index, sample) in samples.iter().enumerate() {
        let pixel = sample.view.pixel[0].max(sample.view.pixel[1]);
        let mut merged = (sample.extent, vec![index]);
        groups.retain(|(extent, members)| {
            let meets = extent.overlaps(&merged.0.grown(pixel));
            if meets {
                merged.0.merge(extent);
                merged.1.extend_from_slice(members);
            }
            !meets
        });
        groups.push(merged);
    }
    let whole = |group: &(Extent, Vec<usize>)| (0..3).all(|k| group.1.iter().any(|&m| samples[m].index == k));
    if groups.iter().any(whole) {
        while groups.len() > 1
            && let Some(at) = groups.iter().position(|g| !whole(g))
        {
            let splinter = groups.remove(at);
            let gap = |g: &(Extent, Vec<usize>)| gap(&g.0, &splinter.0);
            let nearest =
                (1..groups.len()).fold(0, |n, k| if gap(&groups[k]) < gap(&groups[n]) { k } else { n });
            groups[nearest].0.merge(&splinter.0);
            groups[nearest].1.extend(splinter.1);
        }
    }
    groups.iter_mut().for_each(|g| g.1.sort_unstable());
    groups.sort_by_key(|g| g.1[0]);
    groups.into_iter().map(|(extent, members)| total(extent, members.iter().map(|&m| &samples[m]))).collect()
}

/// How far two boxes are apart along the axis along which they are farthest (m).
fn gap(a: &Extent, b: &Extent) -> f64 {
    (0..3).map(|k| (a.min[k] - b.max[k]).max(b.min[k] - a.max[k])).fold(f64::NEG_INFINITY, f64::max)
}

fn total<'a>(extent: Extent, samples: impl Iterator<Item = &'a ViewSample>) -> Overlap {
    let (mut gradient, mut torque) = (Vector3::zeros(), Vector3::zeros());
    let (mut moment, mut volume) = (Vector3::zeros(), 0.0);
    // Volume and area seen by each view's direction: several samples may be of one view.
    let mut by_view: Vec<(Vector3<f64>, [f64; 2])> = Vec::new();
    for sample in samples {
        let along = sample.view.axes.depth;
        gradient += along * sample.sums.gradient(&sample.view);
        torque += sample.sums.torque(&sample.view);
        let part = sample.sums.volume(&sample.view);
        volume += part;
        if let Some(c) = sample.sums.centroid(&sample.view) {
            moment += c.coords * part;
        }
        let area = sample.sums.overlaps as f64 * sample.view.pixel_area();
        match by_view.iter_mut().find(|v| v.0 == along) {
            Some((_, [known, of_volume])) => (*known, *of_volume) = (*known + area, *of_volume + part),
            None => by_view.push((along, [area, part])),
        }
    }
    let area = by_view.iter().map(|(_, [area, _])| area * area).sum::<f64>().sqrt();
    let volumes = by_view
        .iter()
        .map(|(_, [_, volume])| *volume)
        .fold([f64::INFINITY, 0.0], |[least, most]: [f64; 2], volume| [least.min(volume), most.max(volume)]);
    let centroid = Point3::from(moment / volume);
    Overlap { extent, gradient, torque, volume: volume / by_view.len() as f64, centroid, area, volumes }
}

/// The overlaps in a region: coarse views, then full views of each that they found.
pub(crate) fn overlaps(
    scene: &Scene<'_>,
    region: &Region,
    samplers: &mut Samplers,
    join: &mut Join,
) -> Vec<Overlap> {
    let coarse = sample_overlaps(scene, region, scene.coarse(), samplers, join);
    let pixel: [f64; 3] = std::array::from_fn(|k| region.extent.size(k) / f64::from(scene.coarse()));
    let mut regions: Vec<Extent> = Vec::new();
    for found in &coarse {
        // A coarse pixel more on every side; regions that then overlap are one.
        let Extent { min, max } = &region.extent;
        let mut extent = Extent {
            min: std::array::from_fn(|k| (found.extent.min[k] - pixel[k]).max(min[k])),
            max: std::array::from_fn(|k| (found.extent.max[k] + pixel[k]).min(max[k])),
        };
        regions.retain(|r| {
            let meets = r.overlaps(&extent);
            if meets {
                extent.merge(r);
            }
            !meets
        });
        regions.push(extent);
    }
    let mut all = Vec::new();
    for extent in regions {
        let region = Region { axes: region.axes, extent };
        let found = sample_overlaps(scene, &region, scene.resolution, samplers, join);
        match &found[..] {
            // A coarse pixel may be wide: what fills much less than its views is viewed again.
            [one] if !one.fills(tunables::LEAST_VIEW_FILL, &extent) => {
                let pixel = |k: usize| extent.size(k) / f64::from(scene.resolution);
                let tight = Extent {
                    min: std::array::from_fn(|k| (one.extent.min[k] - pixel(k)).max(extent.min[k])),
                    max: std::array::from_fn(|k| (one.extent.max[k] + pixel(k)).min(extent.max[k])),
                };
                let region = Region { axes: region.axes, extent: tight };
                let again = sample_overlaps(scene, &region, scene.resolution, samplers, join);
                all.extend(if again.is_empty() { found } else { again });
            }
            _ => all.extend(found),
        }
    }
    all
}
