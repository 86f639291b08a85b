//! Depth of a patch: a zoom to its longest column, along the patch's own normal.

use crate::tunables;
use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use crate::patch::{Patch, PatchPoint};
use crate::patches::halfway;
use impinge_image_space::intervals::OverlapInterval;
use impinge_image_space::view::{Axes, Extent, View};

use crate::penetration::longest;
use crate::sampler::Sampler;
use crate::scene::Scene;

/// A corner of one side inside the other body (m, pair frame), and the key of a point there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExtremeVertex {
    pub at: Point3<f64>,
    pub key: u64,
}

/// How far an overlap's own surfaces reach along its normal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ExtremeVertices {
    /// The corner of A that is farthest along the normal, and the corner of B that is farthest against it.
    pub list: [Option<ExtremeVertex>; 2],
    /// How far along the normal A's surface inside B reaches, and where B's inside A begins (m, from the pair
    /// frame's origin): no line along the normal overlaps by more than their difference. `None` where
    /// that is not known.
    pub interval: Option<[f64; 2]>,
}

impl ExtremeVertices {
    /// The tip of a side, unless its line surely overlaps by less than `depth` (m): where they are equal, a lattice
    /// step may say otherwise.
    pub(super) fn beyond(&self, side: Side, normal: &Vector3<f64>, depth: f64) -> Option<&ExtremeVertex> {
        let tip = self.list[side.index()].as_ref()?;
        let along = tip.at.coords.dot(normal);
        let most =
            self.interval.map(|[top, bottom]| if side == Side::A { along - bottom } else { top - along });
        most.is_none_or(|most| most > (1.0 - tunables::LEAST_DEPTH_GAIN) * depth).then_some(tip)
    }
}

/// Zooms to the longest of `columns`, the columns of `patch` in the order of its points, and along
/// the lines through `extremes` that may be deeper, and corrects the patch's depth and its deepest point.
pub(crate) fn deepen(
    scene: &Scene<'_>,
    view: &View,
    columns: &[OverlapInterval],
    extremes: &ExtremeVertices,
    patch: &mut Patch,
    close: &mut Sampler,
) {
    let deepest = longest(columns);
    if columns[deepest].is_touch() || is_plateau(columns, deepest) {
        return;
    }
    let Some(axes) = own_axes(scene, view, patch) else { return };
    closer(scene, view, (&axes, &columns[deepest], deepest), patch, close);
    for side in Side::BOTH {
        let Some(tip) = extremes.beyond(side, &patch.normal, patch.depth) else { continue };
        let Some((line, column)) = line(scene, &axes, view, &tip.at, close) else { continue };
        take_line(view, patch, (&line, &column), tip.key);
    }
}

/// Takes the column of a line along the patch's normal, where it is longer than the patch is deep.
pub(super) fn take_line(view: &View, patch: &mut Patch, (line, column): (&View, &OverlapInterval), key: u64) {
    let (on_a, on_b) = ends(line, column, &patch.normal);
    let depth = (on_a - on_b).dot(&patch.normal);
    if depth > patch.depth {
        take(view, patch, PatchPoint { on_a, on_b, depth, weight: 0.0, key });
    }
}

/// Takes a point that is deeper than all others: in place of the nearest one, whose share and name it
/// bears, so that names do not come and go; where none is near, beside the others.
fn take(view: &View, patch: &mut Patch, found: PatchPoint) {
    patch.depth = found.depth;
    let at = view.locate(&halfway(&found));
    let aside = |p: &PatchPoint| {
        let q = view.locate(&halfway(p));
        (q[0] - at[0]).abs().max((q[1] - at[1]).abs())
    };
    let nearest = patch.points.iter_mut().map(|p| (aside(p), p)).min_by(|p, q| p.0.total_cmp(&q.0));
    match nearest {
        Some((distance, near)) if distance < tunables::VERTEX_REACH => {
            *near = PatchPoint { weight: near.weight, key: near.key, ..found };
        }
        _ => patch.points.push(found),
    }
}

/// Zooms along some axes to the longest column, that of the patch's point of this number.
fn closer(
    scene: &Scene<'_>,
    view: &View,
    (axes, column, deepest): (&Axes, &OverlapInterval, usize),
    patch: &mut Patch,
    close: &mut Sampler,
) {
    let mut zoom = around(scene, view, axes, column);
    close.sample(scene, &mut zoom);
    let middle = zoom.locate(&halfway(&patch.points[deepest]))[2];
    let reach = 0.5 * patch.points[deepest].depth / zoom.step;
    let mut best: Option<&OverlapInterval> = None;
    for column in &close.columns.list {
        let meets = f64::from(column.begin()) <= middle + reach && middle - reach <= f64::from(column.end());
        if meets && best.is_none_or(|b| column.length() > b.length()) {
            best = Some(column);
        }
    }
    let Some(best) = best.copied() else { return };
    let before = patch.points[deepest].depth;
    offer(patch, deepest, &zoom, &best);
    if patch.points[deepest].depth > (1.0 + tunables::LEAST_DEPTH_GAIN) * before {
        for (side, triangle) in ending(&zoom, &best, &patch.normal) {
            let Some(tip) = farthest(scene, side, triangle, &patch.normal) else { continue };
            let [x, y, _] = zoom.locate(&tip);
            let within = 0.0..f64::from(zoom.count[0]);
            if within.contains(&x)
                && within.contains(&y)
                && let Some((line, column)) = line(scene, &zoom.axes, &zoom, &tip, close)
            {
                offer(patch, deepest, &line, &column);
            }
        }
    }
    patch.depth = patch.points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max);
}

/// Where A is left and B entered by a column, going along the normal.
fn ends(view: &View, column: &OverlapInterval, normal: &Vector3<f64>) -> (Point3<f64>, Point3<f64>) {
    let [near, far] = [column.begin(), column.end()].map(|z| view.place(column.i, column.j, f64::from(z)));
    if view.axes.sign(normal) > 0.0 { (far, near) } else { (near, far) }
}

/// Takes a column along the patch's normal for its deepest point, where it is longer.
pub(super) fn offer(patch: &mut Patch, deepest: usize, view: &View, column: &OverlapInterval) {
    let (on_a, on_b) = ends(view, column, &patch.normal);
    let depth = (on_a - on_b).dot(&patch.normal);
    let point = &mut patch.points[deepest];
    if depth > point.depth {
        (point.on_a, point.on_b, point.depth) = (on_a, on_b, depth);
    }
}

/// The triangles where A is left and where B is entered, going along the normal.
pub(super) fn ending(view: &View, column: &OverlapInterval, normal: &Vector3<f64>) -> [(Side, u32); 2] {
    let [a, b] = &column.solid;
    if view.axes.sign(normal) > 0.0 {
        [(Side::A, a.close_triangle), (Side::B, b.open_triangle)]
    } else {
        [(Side::A, a.open_triangle), (Side::B, b.close_triangle)]
    }
}

/// The corner of a triangle that has gone deepest along the normal.
pub(super) fn farthest(
    scene: &Scene<'_>,
    side: Side,
    triangle: u32,
    normal: &Vector3<f64>,
) -> Option<Point3<f64>> {
    let towards = if side == Side::A { *normal } else { -normal };
    let corners = scene.corners(side, triangle)?;
    corners.into_iter().reduce(|best, p| if (p - best).dot(&towards) > 0.0 { p } else { best })
}

/// The column on the line through a tip, on the depth lattice of `like`: the deepest place of a pointed
/// body is its point, and no lattice hits that.
pub(super) fn line(
    scene: &Scene<'_>,
    axes: &Axes,
    like: &View,
    tip: &Point3<f64>,
    close: &mut Sampler,
) -> Option<(View, OverlapInterval)> {
    let center = axes.coordinates(&tip.coords);
    let half = 1e-3 * like.pixel[0].min(like.pixel[1]);
    let reach = 0.5 * impinge_image_space::view::DEPTH_STEPS * like.step;
    let extent = Extent {
        min: [center[0] - half, center[1] - half, center[2] - reach],
        max: [center[0] + half, center[1] + half, center[2] + reach],
    };
    let mut line =
        View::of_extent(axes, &extent, 1, scene.least).with_depth(extent.min[2], extent.max[2], scene.least);
    if scene.both_closed() {
        line.far = extent.max[2] - axes.depth.dot(&line.anchor.coords);
    }
    close.sample(scene, &mut line);
    let at = line.locate(tip)[2];
    // The tip may itself be an end of the column.
    let meets = |c: &&OverlapInterval| f64::from(c.begin()) - 2.0 <= at && at <= f64::from(c.end()) + 2.0;
    let column = close.columns.list.iter().filter(meets).max_by_key(|c| c.length()).copied()?;
    Some((line, column))
}

/// Whether the four neighbours of a column are columns as long.
pub(super) fn is_plateau(columns: &[OverlapInterval], deepest: usize) -> bool {
    let top = &columns[deepest];
    let enough = tunables::PLATEAU_LENGTH * top.length() as f64;
    let level = columns
        .iter()
        .filter(|c| {
            let aside = i32::from(c.i).abs_diff(i32::from(top.i)) + i32::from(c.j).abs_diff(i32::from(top.j));
            aside == 1 && c.length() as f64 >= enough
        })
        .count();
    level >= 4
}

/// The view's axes turned to the patch's normal.
pub(super) fn own_axes(scene: &Scene<'_>, view: &View, patch: &Patch) -> Option<Axes> {
    let sign = if scene.both_closed() { view.axes.sign(&patch.normal) } else { 1.0 };
    view.axes.turned(&(patch.normal * sign))
}

/// A view along some axes over the column's pixel and its neighbours.
fn around(scene: &Scene<'_>, view: &View, axes: &Axes, column: &OverlapInterval) -> View {
    let middle = view.place(column.i, column.j, 0.5 * (f64::from(column.begin()) + f64::from(column.end())));
    let center = axes.coordinates(&middle.coords);
    let length = column.length() as f64 * view.step;
    let half = [1.5 * view.pixel[0], 1.5 * view.pixel[1], length.max(view.pixel[0]).max(view.pixel[1])];
    let extent = Extent {
        min: std::array::from_fn(|k| center[k] - half[k]),
        max: std::array::from_fn(|k| center[k] + half[k]),
    };
    let mut zoom = View::of_extent(axes, &extent, scene.zoom(), scene.least);
    if scene.both_closed() {
        zoom.far = extent.max[2] - axes.depth.dot(&zoom.anchor.coords);
    }
    zoom
}
