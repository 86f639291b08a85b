//! The least way out: a normal for overlaps that have none of their own (one body inside the other,
//! a rod through a plate), or whose own does not free them by the least way.
//!
//! A view along a direction shows how far B has to move along it, and, moved across by pixels too, which
//! other translation is shorter: that one's direction is looked along next. So the directions descend
//! to a least one, which is then measured finely, and set square to a facet if one stands in the way.

use crate::tunables;
use impinge_geometry::Side;
use nalgebra::Vector3;

use super::measure::{measure, within};
use super::refine::finish;
use super::translation::Way;
use crate::region::Region;
use crate::sampler::{Eye, Eyes};
use crate::scene::Scene;
use impinge_image_space::columns::Column;

/// What is known of a way out before it is searched.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Own {
    /// The overlap's own normal and how far B has to move along it (m): only bettered by a way that is
    /// clearly shorter.
    pub normal: Option<(Vector3<f64>, f64)>,
    /// A translation that the columns' facets ask for (m).
    pub asked: Option<Vector3<f64>>,
    /// Whether translations across the view can be told apart: thinner overlaps are not searched.
    pub thick: bool,
}

impl Own {
    /// Whether the overlap's own normal is kept, although this is a way out too (m).
    fn is_good_enough(&self, way: f64) -> bool {
        self.normal.is_some_and(|(_, length)| way > tunables::MTV_GAIN * length)
    }
}

/// The least way out of the overlap in `region` (pair frame, m). `columns`: those of the overlap, for the
/// facets at their ends.
pub(crate) fn least_way_out(
    scene: &Scene<'_>,
    region: &Region,
    own: &Own,
    columns: &[Column],
    eyes: &mut Eyes,
) -> Option<Way> {
    let Eyes { close: eye, known_ways, taken_ways, searches, offset_test, .. } = eyes;
    *searches += 1;
    if *searches > tunables::SEARCHES_PER_PAIR {
        return if own.normal.is_none() { like_others(scene, region, taken_ways, eye) } else { None };
    }
    let mut start = match own.normal {
        Some((normal, length)) => Way { normal, length, ends: None },
        None => along_own_axes(scene, region, columns, eye)?,
    };
    if let Some((normal, expected)) = own.asked.and_then(|t| Some((t.try_normalize(0.0)?, t.norm()))) {
        let length = match scene.surfaces.and_then(|both| offset_test.length(&both, &normal, expected)) {
            Some(length) => length,
            None => within(scene, region, &normal, expected, scene.coarse(), start.length, eye).1,
        };
        if length < start.length {
            start = Way { normal, length, ends: None };
        }
    }
    if own.thick {
        // Near last step's there is seldom a shorter one.
        for normal in known_ways.iter() {
            let exact =
                scene.surfaces.and_then(|both| offset_test.length_within(&both, normal, start.length));
            if let Some(length) = exact {
                start = Way { normal: *normal, length, ends: None };
            }
        }
    }
    let way = if own.thick { descend(scene, region, start, eye) } else { start };
    if own.is_good_enough(way.length) {
        return None;
    }
    let expected = last_step(scene, region, way, known_ways, eye);
    let mut way = finish(scene, region, expected, eye, offset_test);
    if way.length > tunables::BIASED_LENGTH * expected.length && start.normal != expected.normal {
        let other = finish(scene, region, start, eye, offset_test);
        way = if other.length < way.length { other } else { way };
    }
    if own.is_good_enough(way.length) {
        return None;
    }
    taken_ways.push(way.normal);
    Some(way)
}

/// The shortest of the ways that other overlaps of the pair have taken, or a body's own axes.
fn like_others(scene: &Scene<'_>, region: &Region, taken: &[Vector3<f64>], eye: &mut Eye) -> Option<Way> {
    let mut best: Option<Way> = None;
    for normal in taken.iter().take(tunables::SEARCHES_PER_PAIR as usize) {
        let bound = best.map_or(f64::INFINITY, |b| b.length);
        let (_, length) = within(scene, region, normal, 0.0, scene.zoom(), bound, eye);
        if length.is_finite() && best.is_none_or(|b| length < b.length) {
            best = Some(Way { normal: *normal, length, ends: None });
        }
    }
    best.or_else(|| along_own_axes(scene, region, &[], eye))
}

/// A way taken in the last step, where it is about as short: a normal that need not change does not.
fn last_step(scene: &Scene<'_>, region: &Region, way: Way, known: &[Vector3<f64>], eye: &mut Eye) -> Way {
    for normal in known {
        let reach = way.length.min(tunables::BESIDE_OVERLAP * region.extent.longest());
        let steady = tunables::STEADY_LENGTH * way.length;
        let (_, length) = within(scene, region, normal, reach, scene.coarse(), steady, eye);
        if length <= steady {
            return Way { normal: *normal, length, ends: None };
        }
    }
    way
}

/// Looks along the way, and along ever shorter ones.
fn descend(scene: &Scene<'_>, region: &Region, start: Way, eye: &mut Eye) -> Way {
    let mut best = start;
    let mut direction = start.normal;
    for round in 0..tunables::DESCENT_ROUNDS {
        let reach = best.length.min(tunables::BESIDE_OVERLAP * region.extent.longest());
        let (view, length) = measure(scene, region, &direction, reach, scene.coarse(), eye);
        if round == 0 {
            best.length = best.length.max(length);
        } else if length < tunables::DESCENT_GAIN * best.length {
            best = Way { normal: direction, length, ends: None };
        }
        let Some(clear) = eye.obstacle.least(&view, tunables::DESCENT_GAIN * best.length, reach) else {
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

/// The shortest of the ways along the axes of both bodies' frames and the commonest facets.
fn along_own_axes(scene: &Scene<'_>, region: &Region, columns: &[Column], eye: &mut Eye) -> Option<Way> {
    let mut lines = frame_axes(scene);
    let own = lines.len();
    lines.extend(facet_normals(scene, columns));
    let reach = 0.5 * region.extent.longest();
    let mut best: Option<(f64, Way)> = None;
    for (k, line) in lines.iter().enumerate() {
        let (view, along) = measure(scene, region, line, reach, scene.zoom(), eye);
        let against = eye.obstacle.way([0, 0], -view.axes.sign(line) as i64, 0, i64::MAX);
        let against = against.map_or(f64::INFINITY, |steps| steps as f64 * view.step);
        for (normal, length) in [(*line, along), (-line, against)] {
            let judged = length * if k < own { tunables::AXIS_PREFERENCE } else { 1.0 };
            if length > 0.0 && length.is_finite() && best.is_none_or(|(least, _)| judged < least) {
                best = Some((judged, Way { normal, length, ends: None }));
            }
        }
    }
    best.map(|(_, way)| way)
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
fn facet_normals(scene: &Scene<'_>, columns: &[Column]) -> Vec<Vector3<f64>> {
    let mut found: Vec<(u32, Vector3<f64>)> = Vec::new();
    for column in columns {
        for side in Side::BOTH {
            let stretch = &column.solid[side.index()];
            for triangle in [stretch.open_triangle, stretch.close_triangle] {
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
