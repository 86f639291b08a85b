//! Memory of a pair: where its views stood, so that a resting body is sampled at the same places, and for how long its bodies
//! have been clamped.

use crate::tunables;
use impinge_geometry::{PairFrame, Side};
use nalgebra::{Point3, Vector3};

use crate::sampled_views::SampledView;
use crate::sampler::Samplers;
use crate::scene::Scene;
use impinge_image_space::view::{Axes, DEPTH_STEPS, Extent, SUB_BITS, View};

/// Keys of points that come from no kept view begin with numbers from here on.
const LAST_SERIAL: u16 = 0xfff0;

/// The narrow phase's memory of a pair from step to step: where its views stand, in the frame
/// of A, so that a resting body is sampled at the same places. Belongs to one pair; the default
/// remembers nothing.
#[derive(Clone, Debug, Default)]
pub struct NarrowMemory {
    kept: Vec<KeptView>,
    fresh: Vec<KeptView>,
    serial: u16,
    /// Normals of the separating translations, in the frame of A.
    normals: Vec<Vector3<f64>>,
    /// For how many answers in a row patches have clamped the bodies. (A pair of which nothing moved is not answered again.)
    clamped_steps: u32,
    /// Whether the depth of the shallow contact in the last answer freed the bodies: that is what is asked first, then.
    freed: bool,
    /// The triangles, of A and of B, that the first free shift along it has passed last: what is likely to hold B in the next.
    ends: Option<[u32; 2]>,
    /// How many answers in a row were made of a few sampled intervals.
    sampled_answers: u32,
}

/// A view that was made, in the frame of A.
#[derive(Clone, Copy, Debug)]
struct KeptView {
    serial: u16,
    axes: Axes,
    anchor: Point3<f64>,
    pixel: [f64; 2],
    first: [i64; 2],
    count: u32,
    /// The depths that it shows, from the anchor (m).
    depths: [f64; 2],
    /// Whether it was tested for shorter translations, or may be.
    tested_room: bool,
    /// Whether it was laid in the last answer, since none before showed what was at hand.
    is_new: bool,
    taken: bool,
}

impl NarrowMemory {
    /// Whether patches that oppose each other clamped the bodies in the last answer: what parts them depends on for how many
    /// answers they have.
    pub fn is_clamped(&self) -> bool {
        self.clamped_steps > 0
    }

    /// Whether the few intervals of [`SampledPatch`](crate::SampledPatch)es may not be enough for the next answer, going by those
    /// before: then all of the views' should be at hand ([`run_in_views`](crate::run_in_views)).
    pub fn needs_views(&self) -> bool {
        self.sampled_answers < tunables::SAMPLED_ANSWERS
    }

    /// Notes whether the answer was made of a few sampled intervals.
    pub(crate) fn note_sampled(&mut self, sampled: bool) {
        self.sampled_answers = if sampled { self.sampled_answers.saturating_add(1) } else { 0 };
    }

    /// Forgets what the depth of the last answer's contact has freed.
    #[cfg(test)]
    pub(crate) fn forget_freed(&mut self) {
        (self.freed, self.ends) = (false, None);
    }

    /// Begins a step.
    pub(crate) fn begin(&mut self, frame: &PairFrame, samplers: &mut Samplers) {
        let turn = &frame.rotation[Side::A.index()];
        samplers.known_normals.clear();
        samplers.known_normals.extend(self.normals.iter().map(|way| turn * way));
        samplers.taken_normals.clear();
        samplers.clamped_steps = self.clamped_steps;
        samplers.clamped = false;
        samplers.was_freed = self.freed;
        samplers.is_freed = false;
        (samplers.last_ends, samplers.ends) = (self.ends, None);
        samplers.searches = 0;
        samplers.free_shifts.clear();
        samplers.asked.clear();
        samplers.reach = 0.0;
        samplers.offset_test.begin();
        samplers.wide.obstacle.allow();
        samplers.close.obstacle.allow();
        self.fresh.clear();
        self.kept.iter_mut().for_each(|k| k.taken = false);
    }

    /// Ends a step: views that were not made in it are forgotten.
    pub(crate) fn end(&mut self, frame: &PairFrame, samplers: &Samplers) {
        self.normals.clear();
        self.normals.extend(
            samplers
                .taken_normals
                .iter()
                .take(tunables::KEPT_NORMALS)
                .map(|way| frame.direction_to_local(Side::A, way)),
        );
        self.clamped_steps = if samplers.clamped { samplers.clamped_steps.saturating_add(1) } else { 0 };
        self.freed = samplers.is_freed;
        self.ends = samplers.ends;
        std::mem::swap(&mut self.kept, &mut self.fresh);
    }

    /// A view along `direction` of the points that `each` visits (pair frame, m), and its number: last
    /// step's where that still shows them well. `alone`: whether these are all places where the bodies overlap.
    pub(crate) fn view(
        &mut self,
        scene: &Scene<'_>,
        direction: &Vector3<f64>,
        each: impl Fn(&mut dyn FnMut(&Point3<f64>)),
        alone: bool,
    ) -> (View, u16) {
        let coarse = scene.coarse();
        let extent = |axes: &Axes| {
            let mut extent = Extent::EMPTY;
            each(&mut |p| extent.add(axes.coordinates(&p.coords)));
            extent
        };
        let mut stays = false;
        for at in 0..self.kept.len() {
            let kept = self.kept[at];
            let (axes, anchor) = kept.stands(scene.frame);
            let along = axes.depth.dot(direction);
            let steady = if scene.both_closed() { along.abs() } else { along } >= tunables::KEPT_VIEW_ANGLE;
            if kept.taken || !steady {
                continue;
            }
            let seen = extent(&axes);
            let shows = fits(&kept, &axes, &anchor, &seen);
            stays |= shows.is_some();
            if kept.count == coarse
                && let Some(first) = shows
            {
                self.kept[at].taken = true;
                let depths = depths(&axes, &anchor, &seen, scene.least, Some(kept.depths));
                let kept = KeptView { first, depths, is_new: false, ..kept };
                self.fresh.push(kept);
                return (kept.view(axes, anchor, scene.both_closed()), kept.serial);
            }
        }
        let axes = if scene.both_closed() { scene.along(direction) } else { scene.towards(direction) };
        let axes = lengthwise(&axes, &each);
        let seen = extent(&axes);
        // No view of the last answer shows what is at hand, nor did those of the answer before show what was then: the contact was elsewhere, or
        // leant otherwise. As it moves on, its points do.
        let was_new = !self.kept.is_empty() && self.kept.iter().all(|kept| kept.is_new);
        let moves = alone && scene.both_closed() && was_new && !stays;
        let small = seen.size(0).max(seen.size(1)) <= tunables::MOVING_VIEW * scene.radius;
        let count = if moves && small { scene.zoom() } else { coarse };
        self.serial = if self.serial >= LAST_SERIAL { 1 } else { self.serial + 1 };
        let size = [0, 1].map(|k| seen.size(k).max(scene.least) / f64::from(count - tunables::VIEW_ROOM));
        let center = seen.center();
        let half = [0, 1].map(|k| 0.5 * f64::from(count) * size[k]);
        let anchor = Point3::from(axes.vector([center[0] - half[0], center[1] - half[1], center[2]]));
        let kept = KeptView {
            serial: self.serial,
            axes: Axes {
                right: scene.frame.direction_to_local(Side::A, &axes.right),
                up: scene.frame.direction_to_local(Side::A, &axes.up),
                depth: scene.frame.direction_to_local(Side::A, &axes.depth),
            },
            anchor: scene.frame.to_local(Side::A, &anchor),
            pixel: size,
            first: [0, 0],
            count,
            depths: depths(&axes, &anchor, &seen, scene.least, None),
            tested_room: true,
            is_new: true,
            taken: true,
        };
        self.fresh.push(kept);
        (kept.view(axes, anchor, scene.both_closed()), self.serial)
    }

    /// The views of the last step as they stand now, those of `count` pixels per side, where both bodies bound a volume
    /// (pair frame).
    pub fn kept_views(&self, frame: &PairFrame, count: u32) -> impl Iterator<Item = View> {
        self.kept.iter().filter(move |kept| kept.count == count).map(move |kept| {
            let (axes, anchor) = kept.stands(frame);
            kept.view(axes, anchor, true)
        })
    }

    /// Keeps the view of this number among [`NarrowMemory::kept_views`]; gives it with its number.
    pub(crate) fn take_kept(&mut self, scene: &Scene<'_>, index: usize) -> Option<(View, u16)> {
        let count = scene.coarse();
        let kept = self.kept.iter_mut().filter(|kept| kept.count == count).nth(index)?;
        (kept.taken, kept.is_new) = (true, false);
        let (axes, anchor) = kept.stands(scene.frame);
        let found = (kept.view(axes, anchor, scene.both_closed()), kept.serial);
        self.fresh.push(*kept);
        Some(found)
    }

    /// Keeps a view that was laid elsewhere (pair frame); gives its number.
    pub(crate) fn keep(&mut self, scene: &Scene<'_>, view: &View) -> u16 {
        self.serial = if self.serial >= LAST_SERIAL { 1 } else { self.serial + 1 };
        self.fresh.push(KeptView { serial: self.serial, ..KeptView::of(scene, view) });
        self.serial
    }

    /// Samples a view along `direction` of the points that `each` visits (pair frame, m), unless one was sampled elsewhere that
    /// shows them well; gives it with its number, and leaves its columns in the wide sampler. `all_lines`: see
    /// [`Sampler::sample_first`](crate::sampler::Sampler::sample_first); `alone`: whether these are all places where the bodies overlap.
    pub(crate) fn sample(
        &mut self,
        scene: &Scene<'_>,
        direction: &Vector3<f64>,
        each: impl Fn(&mut dyn FnMut(&Point3<f64>)),
        [all_lines, alone]: [bool; 2],
        samplers: &mut Samplers,
    ) -> (View, u16) {
        let mut known = samplers.sampled.left().map(|(at, own)| (at, own.view));
        let found = known.find_map(|(at, own)| Some((at, self.sampled(scene, direction, &each, &own)?)));
        drop(known);
        if let Some((at, (view, serial))) = found {
            samplers.wide.take(view.count[0], samplers.sampled.take(at));
            return (view, serial);
        }
        let (mut view, serial) = self.view(scene, direction, each, alone);
        samplers.wide.sample_first(scene, &mut view, all_lines);
        (view, serial)
    }

    /// A view that was sampled elsewhere, kept from now on, if it shows the points that `each` visits well.
    fn sampled(
        &mut self,
        scene: &Scene<'_>,
        direction: &Vector3<f64>,
        each: &impl Fn(&mut dyn FnMut(&Point3<f64>)),
        own: &SampledView,
    ) -> Option<(View, u16)> {
        let count = scene.coarse();
        let kept = match own {
            SampledView::Kept(index) => *self.kept.iter().filter(|kept| kept.count == count).nth(*index)?,
            SampledView::Laid(view) => KeptView::of(scene, view),
        };
        let (axes, anchor) = kept.stands(scene.frame);
        let least = match own {
            SampledView::Kept(_) => tunables::KEPT_VIEW_ANGLE,
            SampledView::Laid(_) => tunables::LAID_VIEW_ANGLE,
        };
        let steady = axes.depth.dot(direction).abs() >= least;
        if !steady || kept.taken || kept.count != count || !scene.both_closed() {
            return None;
        }
        let mut seen = Extent::EMPTY;
        each(&mut |p| seen.add(axes.coordinates(&p.coords)));
        let shows = fits(&kept, &axes, &anchor, &seen) == Some(kept.first)
            && depths(&axes, &anchor, &seen, scene.least, Some(kept.depths)) == kept.depths;
        match own {
            _ if !shows => None,
            SampledView::Kept(index) => self.take_kept(scene, *index),
            SampledView::Laid(view) => Some((*view, self.keep(scene, view))),
        }
    }

    /// Forgets the views of this step, and lets those of the last be taken again.
    pub(crate) fn forget_views(&mut self) {
        self.fresh.clear();
        self.kept.iter_mut().for_each(|kept| kept.taken = false);
    }

    /// Whether the last view is likely to be tested for shorter translations.
    pub(crate) fn expects_room_test(&self) -> bool {
        self.fresh.last().is_none_or(|last| last.tested_room)
    }

    /// Notes whether the last view was tested for shorter translations.
    pub(crate) fn note_room_test(&mut self, tested_room: bool) {
        if let Some(last) = self.fresh.last_mut() {
            last.tested_room = tested_room;
        }
    }
}

impl KeptView {
    /// A view that was laid elsewhere (pair frame), without a number.
    fn of(scene: &Scene<'_>, view: &View) -> KeptView {
        let local = |v: &Vector3<f64>| scene.frame.direction_to_local(Side::A, v);
        let Axes { right, up, depth } = &view.axes;
        KeptView {
            serial: 0,
            axes: Axes { right: local(right), up: local(up), depth: local(depth) },
            anchor: scene.frame.to_local(Side::A, &view.anchor),
            pixel: view.pixel,
            first: view.first,
            count: view.count[0],
            depths: [view.near, view.near + DEPTH_STEPS * view.step],
            tested_room: true,
            is_new: true,
            taken: false,
        }
    }

    /// Its axes and anchor in the pair frame.
    fn stands(&self, frame: &PairFrame) -> (Axes, Point3<f64>) {
        let turn = |v: &Vector3<f64>| frame.rotation[Side::A.index()] * v;
        let Axes { right, up, depth } = &self.axes;
        let axes = Axes { right: turn(right), up: turn(up), depth: turn(depth) };
        (axes, frame.place_f64(Side::A, &self.anchor))
    }

    /// The view; of closed bodies, what lies behind its depths is not seen.
    fn view(&self, axes: Axes, anchor: Point3<f64>, closed: bool) -> View {
        let [near, far] = self.depths;
        View {
            axes,
            anchor,
            pixel: self.pixel,
            first: self.first,
            count: [self.count; 2],
            sub_bits: SUB_BITS,
            near,
            step: (far - near) / DEPTH_STEPS,
            far: if closed { far } else { f64::INFINITY },
        }
    }
}

/// The depths of a view of an extent, from its anchor (m): those it had, where they still do.
fn depths(axes: &Axes, anchor: &Point3<f64>, seen: &Extent, least: f64, kept: Option<[f64; 2]>) -> [f64; 2] {
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
fn fits(kept: &KeptView, axes: &Axes, anchor: &Point3<f64>, seen: &Extent) -> Option<[i64; 2]> {
    let origin = axes.coordinates(&anchor.coords);
    let count = i64::from(kept.count);
    let mut first = kept.first;
    for k in 0..2 {
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
fn lengthwise(axes: &Axes, each: &impl Fn(&mut dyn FnMut(&Point3<f64>))) -> Axes {
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
