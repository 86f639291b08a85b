//! Refines a separating translation: its length, the facet that hinders it, and whether it turns to that facet's normal.
//!
//! Where nothing but the overlap at hand keeps the bodies together, offset tests tell its length; else
//! fine views do.

use crate::tunables;
use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use super::measure::{deep_view, sign, within};
use super::translation::SeparatingTranslation;
use crate::region::Region;
use crate::sampler::Sampler;
use crate::scene::Scene;
use impinge_exact::OffsetTest;
use impinge_image_space::intervals::OverlapInterval;
use impinge_image_space::layers::Ask;
use impinge_image_space::view::{Extent, View};

/// Measures a translation, and turns it to the normal of a facet that hinders it.
pub(crate) fn refine_mtv(
    scene: &Scene<'_>,
    region: &Region,
    mtv: SeparatingTranslation,
    sampler: &mut Sampler,
    offset_test: &mut OffsetTest,
) -> SeparatingTranslation {
    let beyond = mtv.normal * (tunables::CLEAR_BEYOND * mtv.length);
    let found = match scene.surfaces.and_then(|both| offset_test.length(&both, &mtv.normal, mtv.length)) {
        Some(length) => {
            exactly(scene, region, SeparatingTranslation { length, ..mtv }, true, sampler, offset_test)
        }
        // What the lattice chose may be longer than it seems, and the facet that hinders it still be right.
        None if scene.surfaces.is_some_and(|both| offset_test.is_free(&both, &beyond)) => {
            exactly(scene, region, mtv, false, sampler, offset_test)
        }
        None => None,
    };
    // Other overlaps hinder it, or slivers, or there is no exact test.
    found.unwrap_or_else(|| finely(scene, region, mtv, sampler))
}

/// Turns a translation to the normal of a facet that hinders it, or leaves it where its length is exact (`known`).
fn exactly(
    scene: &Scene<'_>,
    region: &Region,
    mtv: SeparatingTranslation,
    known: bool,
    sampler: &mut Sampler,
    offset_test: &mut OffsetTest,
) -> Option<SeparatingTranslation> {
    let reach = mtv.length.min(tunables::BESIDE_OVERLAP * region.extent.longest());
    let mut measure = |mtv: &SeparatingTranslation| {
        let (view, length) =
            within(scene, region, &mtv.normal, reach, scene.coarse(), f64::INFINITY, sampler);
        let sign = sign(&view, &mtv.normal);
        last(&view, length, sign, sampler)
            .map(|last| (length, ends(&view, &last, sign), facing(scene, &last, sign)))
    };
    let Some((mut length, mut ends, facing)) = measure(&mtv) else { return known.then_some(mtv) };
    let mut square: Option<SeparatingTranslation> = None;
    for normal in facing.into_iter().flatten().filter(|n| n.dot(&mtv.normal) > tunables::FACET_SNAP_ANGLE) {
        let bound = tunables::FACET_SNAP_LEEWAY * mtv.length;
        let exact = scene.surfaces.and_then(|both| offset_test.length_within(&both, &normal, bound));
        let Some(length) = exact else { continue };
        let nearer = |best: &SeparatingTranslation| normal.dot(&mtv.normal) > best.normal.dot(&mtv.normal);
        if square.as_ref().is_none_or(|best| length < best.length || length == best.length && nearer(best)) {
            square = Some(SeparatingTranslation { normal, length, ends: None });
        }
    }
    let mut best = square.or(known.then_some(mtv))?;
    if best.normal != mtv.normal
        && let Some(seen) = measure(&best)
    {
        (length, ends, _) = seen;
    }
    // Between flat faces a view knows it to the last digit.
    if (length - best.length).abs() <= OffsetTest::RESOLUTION * best.length {
        best.length = length;
    }
    let [on_a, on_b] = ends;
    let half = best.normal * (0.5 * (best.length - (on_a - on_b).dot(&best.normal)));
    Some(SeparatingTranslation { ends: Some([on_a + half, on_b - half]), ..best })
}

/// The normals, towards B, of the facets that face each other on the line that is freed last.
fn facing(scene: &Scene<'_>, last: &OverlapInterval, sign: i64) -> [Option<Vector3<f64>>; 2] {
    let [a, b] = &last.solid;
    let facing =
        if sign > 0 { [a.close_triangle, b.open_triangle] } else { [a.open_triangle, b.close_triangle] };
    let [a, b] = [Side::A, Side::B].map(|side| scene.facet_normal(side, facing[side.index()]));
    [a, b.map(|n| -n)]
}

/// Where A is left and B entered on a line, going along the view (`sign` 1) or against it (pair frame, m).
fn ends(view: &View, column: &OverlapInterval, sign: i64) -> [Point3<f64>; 2] {
    let [a, b] = &column.solid;
    let (leave, enter) = if sign > 0 { (a.close, b.open) } else { (a.open, b.close) };
    [leave, enter].map(|z| view.place(column.i, column.j, f64::from(z)))
}

/// Measures a translation in fine views, and turns it to the normal of a facet that hinders it.
fn finely(
    scene: &Scene<'_>,
    region: &Region,
    mtv: SeparatingTranslation,
    sampler: &mut Sampler,
) -> SeparatingTranslation {
    let reach = mtv.length.min(tunables::BESIDE_OVERLAP * region.extent.longest());
    let (view, length) = within(scene, region, &mtv.normal, reach, scene.resolution, f64::INFINITY, sampler);
    let mut best = SeparatingTranslation { length: mtv.length.max(length), ..mtv };
    let sign = sign(&view, &mtv.normal);
    let Some(last) = last(&view, length, sign, sampler) else { return best };
    let facing = facing(scene, &last, sign);
    let mut seen = (view, length, sign, last);
    let mut square = f64::INFINITY;
    for normal in facing.into_iter().flatten().filter(|n| n.dot(&mtv.normal) > tunables::FACET_SNAP_ANGLE) {
        let bound = square.min(tunables::FACET_SNAP_LEEWAY * mtv.length);
        let (view, length) = within(scene, region, &normal, reach, scene.resolution, bound, sampler);
        let sign = super::measure::sign(&view, &normal);
        if length <= tunables::FACET_SNAP_LEEWAY * mtv.length
            && length < square
            && let Some(last) = self::last(&view, length, sign, sampler)
        {
            square = length;
            best = SeparatingTranslation { normal, length, ends: None };
            seen = (view, length, sign, last);
        }
    }
    closer(scene, &mut best, seen, sampler);
    best
}

/// The line of a view that is freed last.
fn last(view: &View, length: f64, sign: i64, sampler: &Sampler) -> Option<OverlapInterval> {
    length.is_finite().then(|| sampler.obstacle.last(sign, (length / view.step).round() as i64)).flatten()
}

/// Zooms to the line that is freed last.
fn closer(
    scene: &Scene<'_>,
    best: &mut SeparatingTranslation,
    (view, length, sign, last): (View, f64, i64, OverlapInterval),
    sampler: &mut Sampler,
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
    let obstacle = sampler.sample_obstacle(scene, &zoom, Ask::Both);
    // What the wider view found free is not tested again.
    let from = ((1.0 - 1e-6) * length / zoom.step).floor() as i64;
    let Some(mtv) = obstacle.separation([0, 0], sign, from, i64::MAX) else { return };
    let longer = mtv as f64 * zoom.step;
    if longer > best.length
        && longer < OffsetTest::SLIVER * best.length
        && let Some(column) = obstacle.last(sign, mtv)
    {
        best.length = longer;
        best.ends = Some(ends(&zoom, &column, sign));
    }
}
