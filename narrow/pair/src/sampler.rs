//! Samples a pair's views: layers, columns, and counts of all that.

use nalgebra::Vector3;

use crate::patch::NarrowCounts;
use crate::sampled_views::SampledViews;
use crate::scene::Scene;
use impinge_exact::OffsetTest;
use impinge_exact::translation::{Clearance, ClearanceScratch, TrianglesScratch};
use impinge_image_space::intervals::{OverlapInterval, OverlapIntervals};
use impinge_image_space::layers::{Ask, Layers};
use impinge_image_space::passes;
use impinge_image_space::view::View;

/// A sampler of views: buffers for layers and columns, and counts.
#[derive(Debug, Default)]
pub(crate) struct Sampler {
    layers: Layers,
    pub columns: OverlapIntervals,
    pub counts: NarrowCounts,
}

impl Sampler {
    /// Finds the columns of a view. If the end of an overlap lies behind the view's depths, the
    /// view gets all depths.
    pub fn sample(&mut self, scene: &Scene<'_>, view: &mut View) {
        let _span = tracing::trace_span!(passes::VIEW, pixels = view.count[0] * view.count[1]).entered();
        loop {
            let open = scene.closed.map(|c| !c);
            match view.count {
                [1, 1] => self.counts.lines += 1,
                _ => self.counts.views += 1,
            }
            self.counts.fragments += self.layers.capture_asked(view, scene.frame, &scene.bodies, Ask::Both);
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

    /// Copies the columns of a view that was sampled elsewhere, of `size` pixels across and up.
    pub fn take(&mut self, size: [u32; 2], intervals: &[OverlapInterval]) {
        self.columns.set(size.map(|count| count as usize), intervals);
        self.counts.columns += intervals.len() as u64;
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
            close: Sampler::default(),
            known_normals: Vec::new(),
            taken_normals: Vec::new(),
            clamped_steps: 0,
            clamped: false,
            was_freed: false,
            is_freed: false,
            last_ends: None,
            ends: None,
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
