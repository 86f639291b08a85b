//! The least way out: a normal for overlaps that have none of their own (one body inside the other,
//! a rod through a plate), or whose own does not free them by the least way.
//!
//! A view along a direction shows how far B has to move along it, and, moved across by pixels too, which
//! other translation is shorter: that one's direction is looked along next. So the directions descend
//! to a least one, which is then measured finely, and set square to a facet if one stands in the way.

use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use crate::finish::finish;
use crate::patch::{Patch, PatchPoint};
use crate::patches::{Draft, patch};
use crate::region::Region;
use crate::scene::{Eye, Eyes, Scene};
use crate::three_views;
use impinge_image_space::intervals::{OverlapInterval, Sums};
use impinge_image_space::layers::Ask;
use impinge_image_space::view::{Axes, Extent, View};

/// A direction and how far B has to move along it until the overlap is gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Unit.
    pub normal: Vector3<f64>,
    /// (m)
    pub length: f64,
    /// Where A is left and B entered on the line that is freed last (m, pair frame).
    pub ends: Option<[Point3<f64>; 2]>,
}

/// Ways out that are searched for one pair, at most: of many overlaps the others leave like these.
const MOST: u32 = 6;

/// How often a shorter translation is looked for.
const ROUNDS: usize = 4;

/// A translation has to be shorter than this part of the best to be looked along.
const GAIN: f64 = 0.97;

/// A way has to be shorter than this part of that along a patch's own normal to take its place.
const WORTH: f64 = 0.95;

/// Part of its size by which a region is grown at most when it is looked at: what is beside the
/// overlap may get in the way.
pub(super) const BESIDE: f64 = 0.75;

/// A way that proves longer by this factor when it is measured finely was chosen for what fell between the
/// lines.
const BIASED: f64 = 1.1;

/// The last step's way is kept while it is no longer than this many times the least.
const STEADY: f64 = 1.05;

/// A way along a body's own axes is taken rather than one that is shorter by less than this part: faces
/// are where bodies lie against each other.
const PREFERENCE: f64 = 0.98;

/// What is known of a way out before it is searched.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
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
        self.normal.is_some_and(|(_, length)| way > WORTH * length)
    }
}

/// The least way out of the overlap in `region` (pair frame, m). `columns`: those of the overlap, for the
/// facets at their ends.
pub(super) fn least_way_out(
    scene: &Scene<'_>,
    region: &Region,
    own: &Own,
    columns: &[OverlapInterval],
    eyes: &mut Eyes,
) -> Option<Way> {
    let Eyes { close: eye, known_ways, taken_ways, searches, probe, .. } = eyes;
    *searches += 1;
    if *searches > MOST {
        return if own.normal.is_none() { like_others(scene, region, taken_ways, eye) } else { None };
    }
    let mut start = match own.normal {
        Some((normal, length)) => Way { normal, length, ends: None },
        None => along_own_axes(scene, region, columns, eye)?,
    };
    if let Some((normal, expected)) = own.asked.and_then(|t| Some((t.try_normalize(0.0)?, t.norm()))) {
        let length = match probe.way(scene, &normal, expected) {
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
            if let Some(length) = probe.shorter(scene, normal, start.length) {
                start = Way { normal: *normal, length, ends: None };
            }
        }
    }
    let way = if own.thick { descend(scene, region, start, eye) } else { start };
    if own.is_good_enough(way.length) {
        return None;
    }
    let expected = last_step(scene, region, way, known_ways, eye);
    let mut way = finish(scene, region, expected, eye, probe);
    if way.length > BIASED * expected.length && start.normal != expected.normal {
        let other = finish(scene, region, start, eye, probe);
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
    for normal in taken.iter().take(MOST as usize) {
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
        let reach = way.length.min(BESIDE * region.extent.longest());
        let steady = STEADY * way.length;
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
    for round in 0..ROUNDS {
        let reach = best.length.min(BESIDE * region.extent.longest());
        let (view, length) = measure(scene, region, &direction, reach, scene.coarse(), eye);
        if round == 0 {
            best.length = best.length.max(length);
        } else if length < GAIN * best.length {
            best = Way { normal: direction, length, ends: None };
        }
        let Some(clear) = eye.obstacle.least(&view, GAIN * best.length, reach) else { break };
        let Some(next) = clear.translation(&view).try_normalize(0.0) else { break };
        if next.dot(&direction) > 1.0 - 1e-6 {
            break;
        }
        direction = next;
    }
    best
}

/// How far B has to move along a direction (m; infinite where nothing ends) until nothing in the region
/// or within `reach` (m) of it is in its way; the view and its obstacle, of all translations, stay in `eye`.
fn measure(
    scene: &Scene<'_>,
    region: &Region,
    direction: &Vector3<f64>,
    reach: f64,
    count: u32,
    eye: &mut Eye,
) -> (View, f64) {
    let view = view_along(scene, region, direction, reach, count);
    let way = eye.survey(scene, &view, Ask::All).separation([0, 0], sign(&view, direction), 0, i64::MAX);
    (view, way.map_or(f64::INFINITY, |steps| steps as f64 * view.step))
}

/// As [`measure`], of translations along the direction only, and infinite where the answer is longer than
/// `bound` (m): what some lines say is often enough to know.
pub(super) fn within(
    scene: &Scene<'_>,
    region: &Region,
    direction: &Vector3<f64>,
    reach: f64,
    count: u32,
    bound: f64,
    eye: &mut Eye,
) -> (View, f64) {
    let view = view_along(scene, region, direction, reach, count);
    let sign = sign(&view, direction);
    // So many steps are longer than the bound, however they are rounded.
    let limit = if bound.is_finite() { (bound / view.step).floor() as i64 + 2 } else { i64::MAX };
    let few = match bound.is_finite() {
        true => eye.survey(scene, &view, Ask::Few).separation([0, 0], sign, 0, limit),
        false => Some(0),
    };
    let Some(from) = few else { return (view, f64::INFINITY) };
    let way = eye.survey(scene, &view, Ask::Both).separation([0, 0], sign, from, limit);
    (view, way.map_or(f64::INFINITY, |steps| steps as f64 * view.step))
}

/// A view along a direction of a region and what is within `reach` (m) beside it.
fn view_along(scene: &Scene<'_>, region: &Region, direction: &Vector3<f64>, reach: f64, count: u32) -> View {
    let axes = scene.along(direction);
    let mut seen = region.seen_along(&axes);
    for k in 0..2 {
        seen.min[k] -= reach;
        seen.max[k] += reach;
    }
    deep_view(scene, &axes, &seen, count)
}

/// 1 where the view looks along the direction, −1 where against it.
pub(super) fn sign(view: &View, direction: &Vector3<f64>) -> i64 {
    view.axes.sign(direction) as i64
}

/// How far B has to move along a direction until nothing in a region is in its way (m); infinite where that
/// is farther than `bound` (m).
pub(super) fn length(
    scene: &Scene<'_>,
    region: &Region,
    direction: &Vector3<f64>,
    bound: f64,
    eye: &mut Eye,
) -> f64 {
    within(scene, region, direction, 0.0, scene.coarse(), bound, eye).1
}

/// The shortest of the ways along the axes of both bodies' frames and the commonest facets.
fn along_own_axes(
    scene: &Scene<'_>,
    region: &Region,
    columns: &[OverlapInterval],
    eye: &mut Eye,
) -> Option<Way> {
    let mut lines = frame_axes(scene);
    let own = lines.len();
    lines.extend(facet_normals(scene, columns));
    let reach = 0.5 * region.extent.longest();
    let mut best: Option<(f64, Way)> = None;
    for (k, line) in lines.iter().enumerate() {
        let (view, along) = measure(scene, region, line, reach, scene.zoom(), eye);
        let against = eye.obstacle.separation([0, 0], -view.axes.sign(line) as i64, 0, i64::MAX);
        let against = against.map_or(f64::INFINITY, |steps| steps as f64 * view.step);
        for (normal, length) in [(*line, along), (-line, against)] {
            let judged = length * if k < own { PREFERENCE } else { 1.0 };
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
fn facet_normals(scene: &Scene<'_>, columns: &[OverlapInterval]) -> Vec<Vector3<f64>> {
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

/// A view of an extent with room for ways out as long as the bodies are wide.
pub(super) fn deep_view(scene: &Scene<'_>, axes: &Axes, seen: &Extent, count: u32) -> View {
    let depth = scene.least * 2f64.powi(24);
    View::of_extent(axes, seen, count, scene.least).with_depth(seen.min[2], seen.max[2], depth)
}

/// Looks at a region along some axes; gives the view, and what tells columns of the region from others.
fn regard(
    scene: &Scene<'_>,
    region: &Region,
    axes: &Axes,
    count: u32,
    eye: &mut Eye,
) -> (View, impl Fn(&&OverlapInterval) -> bool + use<>) {
    let seen = region.seen_along(axes);
    let mut view = deep_view(scene, axes, &seen, count);
    eye.look(scene, &mut view);
    let within = three_views::within(&view, &seen);
    (view, move |c: &&OverlapInterval| !c.is_touch() && within(c))
}

impl Way {
    /// The patch of a region whose normal is this way's: the points are where B is entered and where A
    /// is left by the lines along it, and the place that is freed last. Its area is volume ÷ length, as G
    /// says nothing here.
    pub(super) fn patch(
        &self,
        scene: &Scene<'_>,
        region: &Region,
        known: &Draft,
        eye: &mut Eye,
    ) -> Option<Patch> {
        let axes = scene.along(&self.normal);
        let (view, inside) = regard(scene, region, &axes, scene.coarse(), eye);
        let columns: Vec<OverlapInterval> = eye.columns.list.iter().filter(inside).copied().collect();
        let mut sums = Sums::default();
        columns.iter().for_each(|c| sums.add(c));
        let volume = known.volume.map_or(sums.volume(&view), |v| v.0);
        let gradient = self.normal * (volume / self.length);
        let draft = Draft {
            normal: self.normal,
            gradient,
            torque: Vector3::zeros(),
            wraps: true,
            serial: 0,
            ..*known
        };
        let mut found = patch(&view, &columns, &draft)?;
        found.torque = found.centroid.coords.cross(&gradient);
        found.pressure_center = found.centroid;
        // A line may leave one stretch of A only to meet the next: what it says is no place of this contact.
        self.keep_short(&mut found);
        if let Some([on_a, on_b]) = self.ends {
            let depth = (on_a - on_b).dot(&self.normal);
            let key = found.points.iter().map(|p| p.key).max()? + 1;
            found.points.push(PatchPoint { on_a, on_b, depth, weight: 0.0, key });
        } else if let Some(deepest) =
            found.points.iter_mut().reduce(|p, q| if q.depth > p.depth { q } else { p })
        {
            set_depth(deepest, &self.normal, self.length);
        }
        found.depth = found.points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max);
        Some(found)
    }
}

impl Way {
    /// Drops points that are deeper than the way, and hands their shares to the others; of nothing but
    /// such points the depth is cut.
    fn keep_short(&self, patch: &mut Patch) {
        let all: f64 = patch.points.iter().map(|p| p.weight).sum();
        if patch.points.iter().any(|p| p.depth <= self.length) {
            patch.points.retain(|p| p.depth <= self.length);
        }
        let kept: f64 = patch.points.iter().map(|p| p.weight).sum();
        for point in &mut patch.points {
            point.weight *= if kept > 0.0 { all / kept } else { 1.0 };
            if point.depth > self.length {
                set_depth(point, &self.normal, self.length);
            }
        }
    }
}

/// Moves a point's ends along the normal, both as far, until they are `depth` apart (m).
fn set_depth(point: &mut PatchPoint, normal: &Vector3<f64>, depth: f64) {
    let half = normal * (0.5 * (point.depth - depth));
    (point.on_a, point.on_b) = (point.on_a - half, point.on_b + half);
    point.depth = (point.on_a - point.on_b).dot(normal);
}
