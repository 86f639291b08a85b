//! The last look at a way out: how long it is, what stands in it, and whether it is to be set square to that.
//!
//! Where nothing but the overlap at hand keeps the bodies together, exact questions say how long the way is; else
//! fine views do.

use crate::tunables;
use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use super::measure::{deep_view, sign, within};
use super::translation::Way;
use crate::region::Region;
use crate::sampler::Eye;
use crate::scene::Scene;
use impinge_exact::OffsetTest;
use impinge_image_space::columns::Column;
use impinge_image_space::layers::Ask;
use impinge_image_space::view::{Extent, View};

/// Measures a way, and turns it square to a facet that stands in it.
pub(crate) fn finish(
    scene: &Scene<'_>,
    region: &Region,
    way: Way,
    eye: &mut Eye,
    offset_test: &mut OffsetTest,
) -> Way {
    let beyond = way.normal * (tunables::CLEAR_BEYOND * way.length);
    let found = match scene.surfaces.and_then(|both| offset_test.length(&both, &way.normal, way.length)) {
        Some(length) => exactly(scene, region, Way { length, ..way }, true, eye, offset_test),
        // What the lattice chose may be longer than it seems, and the facet that stands in it still be right.
        None if scene.surfaces.is_some_and(|both| offset_test.is_free(&both, &beyond)) => {
            exactly(scene, region, way, false, eye, offset_test)
        }
        None => None,
    };
    // Other overlaps stand in the way, or slivers, or no question can be asked.
    found.unwrap_or_else(|| finely(scene, region, way, eye))
}

/// Turns a way square to a facet that stands in it, or leaves it where its length is exact (`known`).
fn exactly(
    scene: &Scene<'_>,
    region: &Region,
    way: Way,
    known: bool,
    eye: &mut Eye,
    offset_test: &mut OffsetTest,
) -> Option<Way> {
    let reach = way.length.min(tunables::BESIDE_OVERLAP * region.extent.longest());
    let mut look = |way: &Way| {
        let (view, length) = within(scene, region, &way.normal, reach, scene.coarse(), f64::INFINITY, eye);
        let sign = sign(&view, &way.normal);
        last(&view, length, sign, eye)
            .map(|last| (length, ends(&view, &last, sign), facing(scene, &last, sign)))
    };
    let Some((mut length, mut ends, facing)) = look(&way) else { return known.then_some(way) };
    let mut square: Option<Way> = None;
    for normal in facing.into_iter().flatten().filter(|n| n.dot(&way.normal) > tunables::FACET_SNAP_ANGLE) {
        let bound = tunables::FACET_SNAP_LEEWAY * way.length;
        let exact = scene.surfaces.and_then(|both| offset_test.length_within(&both, &normal, bound));
        let Some(length) = exact else { continue };
        let nearer = |best: &Way| normal.dot(&way.normal) > best.normal.dot(&way.normal);
        if square.as_ref().is_none_or(|best| length < best.length || length == best.length && nearer(best)) {
            square = Some(Way { normal, length, ends: None });
        }
    }
    let mut best = square.or(known.then_some(way))?;
    if best.normal != way.normal
        && let Some(seen) = look(&best)
    {
        (length, ends, _) = seen;
    }
    // Between flat faces a view knows it to the last digit.
    if (length - best.length).abs() <= OffsetTest::RESOLUTION * best.length {
        best.length = length;
    }
    let [on_a, on_b] = ends;
    let half = best.normal * (0.5 * (best.length - (on_a - on_b).dot(&best.normal)));
    Some(Way { ends: Some([on_a + half, on_b - half]), ..best })
}

/// The normals, towards B, of the facets that face each other on the line that is freed last.
fn facing(scene: &Scene<'_>, last: &Column, sign: i64) -> [Option<Vector3<f64>>; 2] {
    let [a, b] = &last.solid;
    let facing =
        if sign > 0 { [a.close_triangle, b.open_triangle] } else { [a.open_triangle, b.close_triangle] };
    let [a, b] = [Side::A, Side::B].map(|side| scene.facet_normal(side, facing[side.index()]));
    [a, b.map(|n| -n)]
}

/// Where A is left and B entered on a line, going along the view (`sign` 1) or against it (pair frame, m).
fn ends(view: &View, column: &Column, sign: i64) -> [Point3<f64>; 2] {
    let [a, b] = &column.solid;
    let (leave, enter) = if sign > 0 { (a.close, b.open) } else { (a.open, b.close) };
    [leave, enter].map(|z| view.place(column.i, column.j, f64::from(z)))
}

/// Measures a way finely, and turns it square to a facet that stands in the way.
fn finely(scene: &Scene<'_>, region: &Region, way: Way, eye: &mut Eye) -> Way {
    let reach = way.length.min(tunables::BESIDE_OVERLAP * region.extent.longest());
    let (view, length) = within(scene, region, &way.normal, reach, scene.resolution, f64::INFINITY, eye);
    let mut best = Way { length: way.length.max(length), ..way };
    let sign = sign(&view, &way.normal);
    let Some(last) = last(&view, length, sign, eye) else { return best };
    let facing = facing(scene, &last, sign);
    let mut seen = (view, length, sign, last);
    let mut square = f64::INFINITY;
    for normal in facing.into_iter().flatten().filter(|n| n.dot(&way.normal) > tunables::FACET_SNAP_ANGLE) {
        let bound = square.min(tunables::FACET_SNAP_LEEWAY * way.length);
        let (view, length) = within(scene, region, &normal, reach, scene.resolution, bound, eye);
        let sign = super::measure::sign(&view, &normal);
        if length <= tunables::FACET_SNAP_LEEWAY * way.length
            && length < square
            && let Some(last) = self::last(&view, length, sign, eye)
        {
            square = length;
            best = Way { normal, length, ends: None };
            seen = (view, length, sign, last);
        }
    }
    closer(scene, &mut best, seen, eye);
    best
}

/// The line of a view that is freed last.
fn last(view: &View, length: f64, sign: i64, eye: &Eye) -> Option<Column> {
    length.is_finite().then(|| eye.obstacle.last(sign, (length / view.step).round() as i64)).flatten()
}

/// Looks closely at the line that is freed last.
fn closer(
    scene: &Scene<'_>,
    best: &mut Way,
    (view, length, sign, last): (View, f64, i64, Column),
    eye: &mut Eye,
) {
    let coarse = ends(&view, &last, sign);
    best.ends = Some(coarse);
    let center = view.axes.coordinates(&nalgebra::center(&coarse[0], &coarse[1]).coords);
    let half = [1.5 * view.pixel[0], 1.5 * view.pixel[1], length];
    let extent = Extent {
        min: std::array::from_fn(|k| center[k] - half[k]),
        max: std::array::from_fn(|k| center[k] + half[k]),
    };
    let zoom = deep_view(scene, &view.axes, &extent, scene.zoom());
    let obstacle = eye.survey(scene, &zoom, Ask::Both);
    // What the wider view found free is not asked again.
    let from = ((1.0 - 1e-6) * length / zoom.step).floor() as i64;
    let Some(way) = obstacle.way([0, 0], sign, from, i64::MAX) else { return };
    let longer = way as f64 * zoom.step;
    if longer > best.length
        && longer < OffsetTest::SLIVER * best.length
        && let Some(column) = obstacle.last(sign, way)
    {
        best.length = longer;
        best.ends = Some(ends(&zoom, &column, sign));
    }
}
