//! Memory of a pair: where its views stood, so that a resting body is sampled at the same places, and for how long its bodies
//! have been clamped.

use impinge_geometry::{PairFrame, Side};
use nalgebra::{Point3, Vector3};

use crate::kept_view::{KeptView, depths, fewer, fits, lengthwise};
use crate::sampled_views::SampledView;
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::tunables;
use impinge_image_space::view::{Axes, Extent, View};

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
        samplers.free_shifts.clear();
        samplers.leaning.clear();
        samplers.asked.clear();
        samplers.reach = 0.0;
        samplers.offset_test.begin();
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
    /// step's where that still shows them well. `few`: whether fewer lines will do where that is small, since depths do not come from them.
    pub(crate) fn view(
        &mut self,
        scene: &Scene<'_>,
        direction: &Vector3<f64>,
        each: impl Fn(&mut dyn FnMut(&Point3<f64>)),
        few: bool,
    ) -> (View, u16) {
        let extent = |axes: &Axes| {
            let mut extent = Extent::EMPTY;
            each(&mut |p| extent.add(axes.coordinates(&p.coords)));
            extent
        };
        for at in 0..self.kept.len() {
            let kept = self.kept[at];
            let (axes, anchor) = kept.stands(scene.frame);
            let along = axes.depth.dot(direction);
            let steady = if scene.both_closed() { along.abs() } else { along } >= tunables::KEPT_VIEW_ANGLE;
            if kept.taken || !steady {
                continue;
            }
            let seen = extent(&axes);
            if (few || kept.count == [scene.coarse(); 2])
                && let Some(first) = fits(&kept, &axes, &anchor, &seen)
            {
                self.kept[at].taken = true;
                let depths = depths(&axes, &anchor, &seen, scene.least, Some(kept.depths));
                let kept = KeptView { first, depths, ..kept };
                self.fresh.push(kept);
                return (kept.view(axes, anchor, scene.both_closed()), kept.serial);
            }
        }
        let axes = if scene.both_closed() { scene.along(direction) } else { scene.towards(direction) };
        let axes = lengthwise(&axes, &each);
        self.serial = if self.serial >= LAST_SERIAL { 1 } else { self.serial + 1 };
        let seen = extent(&axes);
        let count = if few { fewer(scene, &seen) } else { [scene.coarse(); 2] };
        let (kept, anchor) = KeptView::lay(scene, &axes, &seen, count);
        let kept = KeptView { serial: self.serial, ..kept };
        self.fresh.push(kept);
        (kept.view(axes, anchor, scene.both_closed()), self.serial)
    }

    /// The views of the last step as they stand now, those of `count` pixels across and up, where both bodies bound a volume
    /// (pair frame).
    pub fn kept_views(&self, frame: &PairFrame, count: [u32; 2]) -> impl Iterator<Item = View> {
        self.kept.iter().filter(move |kept| kept.count == count).map(move |kept| {
            let (axes, anchor) = kept.stands(frame);
            kept.view(axes, anchor, true)
        })
    }

    /// Keeps the view of this number among [`NarrowMemory::kept_views`]; gives it with its number.
    pub(crate) fn take_kept(&mut self, scene: &Scene<'_>, index: usize) -> Option<(View, u16)> {
        let count = [scene.coarse(); 2];
        let kept = self.kept.iter_mut().filter(|kept| kept.count == count).nth(index)?;
        kept.taken = true;
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

    /// Samples a view along `direction` of the points that `each` visits (pair frame, m), unless
    /// one was sampled elsewhere that shows them well; gives it with its number, and leaves its
    /// columns in the wide sampler. `few`: see [`NarrowMemory::view`].
    pub(crate) fn sample(
        &mut self,
        scene: &Scene<'_>,
        direction: &Vector3<f64>,
        each: impl Fn(&mut dyn FnMut(&Point3<f64>)),
        few: bool,
        samplers: &mut Samplers,
    ) -> (View, u16) {
        let mut known = samplers.sampled.left().map(|(at, own)| (at, own.view));
        let found = known.find_map(|(at, own)| Some((at, self.sampled(scene, direction, &each, &own)?)));
        drop(known);
        if let Some((at, (view, serial))) = found {
            samplers.wide.take(view.count, samplers.sampled.take(at));
            return (view, serial);
        }
        let (mut view, serial) = self.view(scene, direction, each, few);
        samplers.wide.sample(scene, &mut view);
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
        let count = [scene.coarse(); 2];
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

    /// Forgets the view that was made last.
    pub(crate) fn forget_last(&mut self) {
        self.fresh.pop();
    }

    /// Forgets the views of this step, and lets those of the last be taken again.
    pub(crate) fn forget_views(&mut self) {
        self.fresh.clear();
        self.kept.iter_mut().for_each(|kept| kept.taken = false);
    }
}
