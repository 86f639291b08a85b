//! A view that a pair keeps from step to step: where it stands, how many lines it has, and whether it still shows what is at hand.

use impinge_geometry::{PairFrame, Side};
use impinge_image_space::view::{Axes, DEPTH_STEPS, Extent, SUB_BITS, View};
use nalgebra::{Point3, Vector3};

use crate::scene::Scene;
use crate::tunables;

/// A view that was made, in the frame of A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptView {
    pub serial: u16,
    pub axes: Axes,
    pub anchor: Point3<f64>,
    pub pixel: [f64; 2],
    pub first: [i64; 2],
    /// Pixels across and up.
    pub count: [u32; 2],
    /// The depths that it shows, from the anchor (m).
    pub depths: [f64; 2],
    pub taken: bool,
}

impl KeptView {
    /// A view along some axes of what lies in an extent, of `count` pixels, without a number; and its anchor in the pair frame.
    pub fn lay(scene: &Scene<'_>, axes: &Axes, seen: &Extent, count: [u32; 2]) -> (KeptView, Point3<f64>) {
        let size = [0, 1].map(|k| seen.size(k).max(scene.least) / f64::from(count[k] - tunables::VIEW_ROOM));
        let center = seen.center();
        let half = [0, 1].map(|k| 0.5 * f64::from(count[k]) * size[k]);
        let anchor = Point3::from(axes.vector([center[0] - half[0], center[1] - half[1], center[2]]));
        let local = |v: &Vector3<f64>| scene.frame.direction_to_local(Side::A, v);
        let Axes { right, up, depth } = axes;
        let kept = KeptView {
            serial: 0,
            axes: Axes { right: local(right), up: local(up), depth: local(depth) },
            anchor: scene.frame.to_local(Side::A, &anchor),
            pixel: size,
            first: [0, 0],
            count,
            depths: depths(axes, &anchor, seen, scene.least, None),
            taken: true,
        };
        (kept, anchor)
    }

    /// A view that was laid elsewhere (pair frame), without a number.
    pub fn of(scene: &Scene<'_>, view: &View) -> KeptView {
        let local = |v: &Vector3<f64>| scene.frame.direction_to_local(Side::A, v);
        let Axes { right, up, depth } = &view.axes;
        KeptView {
            serial: 0,
            axes: Axes { right: local(right), up: local(up), depth: local(depth) },
            anchor: scene.frame.to_local(Side::A, &view.anchor),
            pixel: view.pixel,
            first: view.first,
            count: view.count,
            depths: [view.near, view.near + DEPTH_STEPS * view.step],
            taken: false,
        }
    }

    /// Its axes and anchor in the pair frame.
    pub fn stands(&self, frame: &PairFrame) -> (Axes, Point3<f64>) {
        let turn = |v: &Vector3<f64>| frame.rotation[Side::A.index()] * v;
        let Axes { right, up, depth } = &self.axes;
        let axes = Axes { right: turn(right), up: turn(up), depth: turn(depth) };
        (axes, frame.place_f64(Side::A, &self.anchor))
    }

    /// The view; of closed bodies, what lies behind its depths is not seen.
    pub fn view(&self, axes: Axes, anchor: Point3<f64>, closed: bool) -> View {
        let [near, far] = self.depths;
        View {
            axes,
            anchor,
            pixel: self.pixel,
            first: self.first,
            count: self.count,
            sub_bits: SUB_BITS,
            near,
            step: (far - near) / DEPTH_STEPS,
            far: if closed { far } else { f64::INFINITY },
        }
    }
}

/// The depths of a view of an extent, from its anchor (m): those it had, where they still do.
pub(crate) fn depths(
    axes: &Axes,
    anchor: &Point3<f64>,
    seen: &Extent,
    least: f64,
    kept: Option<[f64; 2]>,
) -> [f64; 2] {
    let base = axes.depth.dot(&anchor.coords);
    let margin = 0.5 * seen.size(0).max(seen.size(1)).max(least);
    let (low, high) = (seen.min[2] - base, seen.max[2] - base);
    let new = [low - margin, high + margin];
    let suits = |k: &[f64; 2]| {
        k[0] <= low - tunables::KEPT_DEPTH_MARGIN * margin
            && high + tunables::KEPT_DEPTH_MARGIN * margin <= k[1]
            && k[1] - k[0] <= tunables::KEPT_DEPTH_GROWTH * (new[1] - new[0])
    };
    kept.filter(suits).unwrap_or(new)
}

/// Where the first pixels of a kept view have to be so that it holds an extent: where they were, if it
/// still lies inside. `None` where it is too large, too small, or elsewhere.
pub(crate) fn fits(kept: &KeptView, axes: &Axes, anchor: &Point3<f64>, seen: &Extent) -> Option<[i64; 2]> {
    let origin = axes.coordinates(&anchor.coords);
    let counts = kept.count.map(i64::from);
    let mut first = kept.first;
    for k in 0..2 {
        let count = counts[k];
        let cell = |x: f64| ((x - origin[k]) / kept.pixel[k]).floor();
        let (low, high) = (cell(seen.min[k]), cell(seen.max[k]));
        let (old, new) = (kept.first[k] as f64, kept.first[k] as f64 + count as f64);
        if !(low < new && high >= old) || low.abs().max(high.abs()) > 32_000.0 {
            return None;
        }
        let (low, high) = (low as i64, high as i64);
        let size = seen.size(k) / (kept.pixel[k] * count as f64);
        if high - low >= count || size < tunables::KEPT_VIEW_FILL {
            return None;
        }
        if low < first[k] || high >= first[k] + count {
            first[k] = low - (count - 1 - (high - low)) / 2;
        }
    }
    Some(first)
}

/// The axes turned about their depth so that `right` runs along what is long, where anything is.
pub(crate) fn lengthwise(axes: &Axes, each: &impl Fn(&mut dyn FnMut(&Point3<f64>))) -> Axes {
    let (mut count, mut sum) = (0.0, [0.0; 2]);
    each(&mut |p| {
        let c = axes.coordinates(&p.coords);
        (count, sum) = (count + 1.0, [sum[0] + c[0], sum[1] + c[1]]);
    });
    let mean = sum.map(|s| s / count);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    each(&mut |p| {
        let c = axes.coordinates(&p.coords);
        let (x, y) = (c[0] - mean[0], c[1] - mean[1]);
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    });
    let half = 0.5 * (xx - yy);
    let root = (half * half + xy * xy).sqrt();
    let (most, least) = (0.5 * (xx + yy) + root, 0.5 * (xx + yy) - root);
    if most <= tunables::LONG_CONTOUR * least {
        return *axes;
    }
    let [a, b] = [[xy, most - xx], [most - yy, xy]];
    let c = if a[0] * a[0] + a[1] * a[1] > b[0] * b[0] + b[1] * b[1] { a } else { b };
    // A direction and its opposite are the same.
    let sign = if c[0].abs() >= c[1].abs() { c[0].signum() } else { c[1].signum() };
    match ((axes.right * c[0] + axes.up * c[1]) * sign).try_normalize(0.0) {
        Some(right) => Axes { right, up: axes.depth.cross(&right), depth: axes.depth },
        None => *axes,
    }
}

/// Pixels across and up of a view whose lines tell no depth: fewer where what it shows is small for two bodies that bound volumes, and
/// fewer up than across where that is long.
pub(crate) fn fewer(scene: &Scene<'_>, seen: &Extent) -> [u32; 2] {
    let is_small = seen.size(0).max(seen.size(1)) <= tunables::SMALL_VIEW * scene.radius;
    let is_long = seen.size(1) <= tunables::LONG_VIEW * seen.size(0);
    match is_small && scene.both_closed() && !scene.full_views {
        true => [scene.few(), if is_long { scene.zoom() } else { scene.few() }],
        false => [scene.coarse(); 2],
    }
}
