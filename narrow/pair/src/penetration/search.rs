//! Searches the minimum translation vector: a normal for overlaps that have none of their own (one body inside the other,
//! a rod through a plate), or whose own is not that of the minimum translation.
//!
//! A view along a direction shows how far B has to move along it, and, moved across by pixels too, which
//! other translation is shorter: that one's direction is sampled next. So the directions descend
//! to a least one, which is then refined, and turned to a facet's normal if that facet hinders it.

use crate::tunables;
use impinge_geometry::Side;
use nalgebra::Vector3;

use super::measure::{measure, within};
use super::refine::refine_mtv;
use super::translation::SeparatingTranslation;
use crate::region::Region;
use crate::sampler::{Sampler, Samplers};
use crate::scene::Scene;
use impinge_image_space::intervals::OverlapInterval;

/// Known of a separating translation before the search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SearchHints {
    /// The overlap's own normal and how far B has to move along it (m): only replaced by a translation that is
    /// clearly shorter.
    pub normal: Option<(Vector3<f64>, f64)>,
    /// A translation that the columns' constraints give (m).
    pub asked: Option<Vector3<f64>>,
    /// Whether translations across the view can be told apart: thinner overlaps are not searched.
    pub thick: bool,
}

impl SearchHints {
    /// Whether the overlap's own normal is kept, although this length separates, too (m).
    fn is_good_enough(&self, mtv: f64) -> bool {
        self.normal.is_some_and(|(_, length)| mtv > tunables::MTV_GAIN * length)
    }
}

/// The minimum translation that separates the overlap in `region` (pair frame, m). `columns`: those of the overlap, for the
/// facets at their ends.
pub(crate) fn search_mtv(
    scene: &Scene<'_>,
    region: &Region,
    own: &SearchHints,
    columns: &[OverlapInterval],
    samplers: &mut Samplers,
) -> Option<SeparatingTranslation> {
    let Samplers { close: sampler, known_normals, taken_normals, searches, offset_test, .. } = samplers;
    *searches += 1;
    if *searches > tunables::SEARCHES_PER_PAIR {
        return if own.normal.is_none() { like_others(scene, region, taken_normals, sampler) } else { None };
    }
    let mut start = match own.normal {
        Some((normal, length)) => SeparatingTranslation { normal, length, ends: None },
        None => along_own_axes(scene, region, columns, sampler)?,
    };
    if let Some((normal, expected)) = own.asked.and_then(|t| Some((t.try_normalize(0.0)?, t.norm()))) {
        let length = match scene.surfaces.and_then(|both| offset_test.length(&both, &normal, expected)) {
            Some(length) => length,
            None => within(scene, region, &normal, expected, scene.coarse(), start.length, sampler).1,
        };
        if length < start.length {
            start = SeparatingTranslation { normal, length, ends: None };
        }
    }
    if own.thick {
        // Near last step's normals there is seldom a shorter one.
        for normal in known_normals.iter() {
            let exact =
                scene.surfaces.and_then(|both| offset_test.length_within(&both, normal, start.length));
            if let Some(length) = exact {
                start = SeparatingTranslation { normal: *normal, length, ends: None };
            }
        }
    }
    let mtv = if own.thick { descend(scene, region, start, sampler) } else { start };
    if own.is_good_enough(mtv.length) {
        return None;
    }
    let expected = last_step(scene, region, mtv, known_normals, sampler);
    let mut mtv = refine_mtv(scene, region, expected, sampler, offset_test);
    if mtv.length > tunables::BIASED_LENGTH * expected.length && start.normal != expected.normal {
        let other = refine_mtv(scene, region, start, sampler, offset_test);
        mtv = if other.length < mtv.length { other } else { mtv };
    }
    if own.is_good_enough(mtv.length) {
        return None;
    }
    taken_normals.push(mtv.normal);
    Some(mtv)
}

/// The shortest along the normals that other overlaps of the pair have, or along a body's own axes.
fn like_others(
    scene: &Scene<'_>,
    region: &Region,
    taken: &[Vector3<f64>],
    sampler: &mut Sampler,
) -> Option<SeparatingTranslation> {
    let mut best: Option<SeparatingTranslation> = None;
    for normal in taken.iter().take(tunables::SEARCHES_PER_PAIR as usize) {
        let bound = best.map_or(f64::INFINITY, |b| b.length);
        let (_, length) = within(scene, region, normal, 0.0, scene.zoom(), bound, sampler);
        if length.is_finite() && best.is_none_or(|b| length < b.length) {
            best = Some(SeparatingTranslation { normal: *normal, length, ends: None });
        }
    }
    best.or_else(|| along_own_axes(scene, region, &[], sampler))
}

/// A normal of the last step, where it is about as short: a normal that need not change does not.
fn last_step(
    scene: &Scene<'_>,
    region: &Region,
    mtv: SeparatingTranslation,
    known: &[Vector3<f64>],
    sampler: &mut Sampler,
) -> SeparatingTranslation {
    for normal in known {
        let reach = mtv.length.min(tunables::BESIDE_OVERLAP * region.extent.longest());
        let steady = tunables::STEADY_LENGTH * mtv.length;
        let (_, length) = within(scene, region, normal, reach, scene.coarse(), steady, sampler);
        if length <= steady {
            return SeparatingTranslation { normal: *normal, length, ends: None };
        }
    }
    mtv
}

/// Samples along the translation, and along ever shorter ones.
fn descend(
    scene: &Scene<'_>,
    region: &Region,
    start: SeparatingTranslation,
    sampler: &mut Sampler,
) -> SeparatingTranslation {
    let mut best = start;
    let mut direction = start.normal;
    for round in 0..tunables::DESCENT_ROUNDS {
        let reach = best.length.min(tunables::BESIDE_OVERLAP * region.extent.longest());
        let (view, length) = measure(scene, region, &direction, reach, scene.coarse(), sampler);
        if round == 0 {
            best.length = best.length.max(length);
        } else if length < tunables::DESCENT_GAIN * best.length {
            best = SeparatingTranslation { normal: direction, length, ends: None };
        }
        let Some(clear) = sampler.obstacle.least(&view, tunables::DESCENT_GAIN * best.length, reach) else {
            break;
        };
        let Some(next) = clear.translation(&view).try_normalize(0.0) else { break };
        if next.dot(&direction) > 1.0 - 1e-6 {
            break;
        }
        direction = next;
    }
    best
}

/// The shortest translation along the axes of both bodies' frames and the normals of the commonest facets.
fn along_own_axes(
    scene: &Scene<'_>,
    region: &Region,
    columns: &[OverlapInterval],
    sampler: &mut Sampler,
) -> Option<SeparatingTranslation> {
    let mut lines = frame_axes(scene);
    let own = lines.len();
    lines.extend(facet_normals(scene, columns));
    let reach = 0.5 * region.extent.longest();
    let mut best: Option<(f64, SeparatingTranslation)> = None;
    for (k, line) in lines.iter().enumerate() {
        let (view, along) = measure(scene, region, line, reach, scene.zoom(), sampler);
        let against = sampler.obstacle.separation([0, 0], -view.axes.sign(line) as i64, 0, i64::MAX);
        let against = against.map_or(f64::INFINITY, |steps| steps as f64 * view.step);
        for (normal, length) in [(*line, along), (-line, against)] {
            let judged = length * if k < own { tunables::AXIS_PREFERENCE } else { 1.0 };
            if length > 0.0 && length.is_finite() && best.is_none_or(|(least, _)| judged < least) {
                best = Some((judged, SeparatingTranslation { normal, length, ends: None }));
            }
        }
    }
    best.map(|(_, mtv)| mtv)
}

/// The axes of both bodies' frames; bodies that stand alike share them.
fn frame_axes(scene: &Scene<'_>) -> Vec<Vector3<f64>> {
    let mut lines: Vec<Vector3<f64>> = Vec::with_capacity(6);
    for rotation in &scene.frame.rotation {
        for line in rotation.column_iter() {
            if lines.iter().all(|l| l.dot(&line).abs() < 1.0 - 1e-9) {
                lines.push(line.into_owned());
            }
        }
    }
    lines
}

/// The most frequent facet normals at the ends of the columns, at most four, none within 15° of
/// another.
fn facet_normals(scene: &Scene<'_>, columns: &[OverlapInterval]) -> Vec<Vector3<f64>> {
    let mut found: Vec<(u32, Vector3<f64>)> = Vec::new();
    for column in columns {
        for side in Side::BOTH {
            let interval = &column.solid[side.index()];
            for triangle in [interval.open_triangle, interval.close_triangle] {
                let Some(n) = scene.facet_normal(side, triangle) else { continue };
                match found.iter().position(|(_, m)| m.dot(&n).abs() > 0.966) {
                    Some(at) => found[at].0 += 1,
                    None if found.len() < 32 => found.push((1, n)),
                    None => {}
                }
            }
        }
    }
    found.sort_by_key(|f| std::cmp::Reverse(f.0));
    found.into_iter().take(4).map(|(_, n)| n).collect()
}
