//! Samples a pair's views: layers, columns, obstacles, and counts of all that.

use nalgebra::Vector3;

use crate::patch::NarrowCounts;
use crate::sampled_views::SampledViews;
use crate::scene::Scene;
use impinge_exact::OffsetTest;
use impinge_exact::translation::{Clearance, ClearanceScratch, TrianglesScratch};
use impinge_image_space::intervals::{OverlapInterval, OverlapIntervals, TranslationObstacle};
use impinge_image_space::layers::{Ask, Layers};
use impinge_image_space::passes;
use impinge_image_space::view::View;

/// Samples views: buffers for layers and columns, and counts of what was seen.
#[derive(Debug, Default)]
pub(crate) struct Sampler {
    layers: Layers,
    pub columns: OverlapIntervals,
    pub obstacle: TranslationObstacle,
    pub counts: NarrowCounts,
    /// Which lines are sampled for columns by default.
    ask: Ask,
    /// Which lines the present layers are of.
    seen: Ask,
    /// Whether the last view was asked by [`Sampler::leaves_room`].
    pub tested_room: bool,
}

impl Sampler {
    /// Finds the columns of a view. Where the end of an overlap lies behind what the view sees, it is
    /// made to see everything.
    pub fn sample(&mut self, scene: &Scene<'_>, view: &mut View) {
        self.sample_along(scene, view, self.ask);
    }

    fn sample_along(&mut self, scene: &Scene<'_>, view: &mut View, ask: Ask) {
        let _span = tracing::trace_span!(passes::VIEW, pixels = view.count[0] * view.count[1]).entered();
        self.seen = ask;
        loop {
            let open = scene.closed.map(|c| !c);
            match view.count {
                [1, 1] => self.counts.lines += 1,
                _ => self.counts.views += 1,
            }
            self.counts.fragments += self.layers.capture_asked(view, scene.frame, &scene.bodies, ask);
            let whole = view.far == f64::INFINITY;
            self.columns.find(&mut self.layers, open, whole);
            self.counts.odd_columns += self.columns.odd;
            if self.columns.cut == 0 || whole {
                break;
            }
            view.far = f64::INFINITY;
        }
        self.counts.columns += self.columns.list.len() as u64;
    }

    /// As [`Sampler::sample`], for the first view of a patch. All lines are sampled where [`Sampler::leaves_room`] is
    /// likely to be asked afterwards.
    pub fn sample_first(&mut self, scene: &Scene<'_>, view: &mut View, all_lines: bool) {
        self.tested_room = false;
        self.sample_along(scene, view, if all_lines { Ask::All } else { Ask::Both });
    }

    /// Takes over what the lines of a view of so many pixels across and up say, which was sampled elsewhere.
    pub fn take(&mut self, size: [u32; 2], intervals: &[OverlapInterval]) {
        (self.tested_room, self.seen) = (false, Ask::Both);
        self.columns.set(size.map(|count| count as usize), intervals);
        self.counts.columns += intervals.len() as u64;
    }
}

impl Sampler {
    /// Finds the translations at which what a view sees of the bodies overlaps; unless all lines are sampled,
    /// those along the view only. Nothing behind may be cut off.
    pub fn sample_obstacle(&mut self, scene: &Scene<'_>, view: &View, ask: Ask) -> &TranslationObstacle {
        self.counts.views += 1;
        self.counts.fragments += self.layers.capture_asked(view, scene.frame, &scene.bodies, ask);
        self.seen = ask;
        self.obstacle.read(&mut self.layers, scene.closed.map(|c| !c), i32::MAX);
        &self.obstacle
    }

    /// Whether what was last sampled, in `view`, leaves room for a translation shorter than `bound` (m).
    /// What lies beside or behind the view is taken for free.
    pub fn leaves_room(&mut self, scene: &Scene<'_>, view: &View, bound: f64) -> bool {
        let far = ((view.far - view.near) / view.step) as i32;
        self.tested_room = true;
        if self.seen != Ask::All {
            self.seen = Ask::All;
            let _ = self.layers.capture(view, scene.frame, &scene.bodies);
        }
        self.obstacle.read(&mut self.layers, scene.closed.map(|c| !c), far);
        self.obstacle.least(view, bound, f64::INFINITY).is_some()
    }
}

/// A sampler for the whole of a patch, and one for zooms meanwhile.
#[derive(Debug)]
pub(crate) struct Samplers {
    pub wide: Sampler,
    pub close: Sampler,
    /// Normals of the separating translations of the last step, and of this (pair frame).
    pub known_normals: Vec<Vector3<f64>>,
    pub taken_normals: Vec<Vector3<f64>>,
    /// For how many answers in a row the pair's patches have clamped it, and whether they do in this one.
    pub clamped_steps: u32,
    pub clamped: bool,
    /// Whether a shallow contact was free once B had moved by its depth, or a little more, in the last answer, and is in this one; not where
    /// another direction was asked for, too.
    pub was_freed: bool,
    pub is_freed: bool,
    /// The triangles, of A and of B, that the first free shift along a shallow contact's normal has passed last, in the last answer and in this.
    pub last_ends: Option<[u32; 2]>,
    pub ends: Option<[u32; 2]>,
    /// How often a minimum translation was searched in this pair.
    pub searches: u32,
    /// Whether the bodies would be apart elsewhere.
    pub offset_test: OffsetTest,
    pub triangles: TrianglesScratch,
    /// How far B is from being free along a direction.
    pub clearance: ClearanceScratch,
    /// First free shifts of B along the normals of patches, found when these were asked for their depth.
    pub free_shifts: Vec<(Vector3<f64>, Clearance)>,
    /// Normals of patches that prove clearly deeper than their points say, and end on what leans against them: another direction may be
    /// shorter.
    pub leaning: Vec<Vector3<f64>>,
    /// Translations that the facets of the overlaps ask for (m, pair frame).
    pub asked: Vec<Vector3<f64>>,
    /// How far B must go along the normals of overlaps that wrap around each other, by their views (m).
    pub reach: f64,
    /// Views of the pair that were sampled elsewhere.
    pub sampled: SampledViews,
    /// Searches for the least translation that have ended because the pair's budget was spent.
    pub cut_searches: u64,
}

impl Samplers {
    /// Begins to count, and the budget of a pair's searches (tests of boxes and pairs of leaves).
    pub fn begin_counts(&mut self, search_budget: u64) {
        self.wide.counts = NarrowCounts::default();
        self.close.counts = NarrowCounts::default();
        self.cut_searches = 0;
        self.clearance.allow(search_budget);
    }

    /// What was counted since.
    pub fn counts(&self) -> NarrowCounts {
        let mut counts = NarrowCounts { cut_searches: self.cut_searches, ..NarrowCounts::default() };
        counts += self.wide.counts;
        counts += self.close.counts;
        counts
    }
}

impl Default for Samplers {
    fn default() -> Samplers {
        Samplers {
            wide: Sampler::default(),
            close: Sampler { ask: Ask::Both, ..Sampler::default() },
            known_normals: Vec::new(),
            taken_normals: Vec::new(),
            clamped_steps: 0,
            clamped: false,
            was_freed: false,
            is_freed: false,
            last_ends: None,
            ends: None,
            searches: 0,
            offset_test: OffsetTest::default(),
            triangles: TrianglesScratch::default(),
            clearance: ClearanceScratch::default(),
            free_shifts: Vec::new(),
            leaning: Vec::new(),
            asked: Vec::new(),
            reach: 0.0,
            sampled: SampledViews::default(),
            cut_searches: 0,
        }
    }
}
