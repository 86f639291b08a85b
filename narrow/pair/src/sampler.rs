//! What samples a pair's views: layers, columns and obstacles, and what was counted.

use nalgebra::Vector3;

use crate::patch::NarrowCounts;
use crate::scene::Scene;
use impinge_exact::OffsetTest;
use impinge_image_space::columns::{Columns, Obstacle};
use impinge_image_space::layers::{Ask, Layers};
use impinge_image_space::passes;
use impinge_image_space::view::View;

/// What looks: buffers for layers and columns, and the counts of what was seen.
#[derive(Debug, Default)]
pub(crate) struct Eye {
    layers: Layers,
    pub columns: Columns,
    pub obstacle: Obstacle,
    pub counts: NarrowCounts,
    /// Which lines it looks along for columns, if nothing else is said.
    ask: Ask,
    /// Which lines the layers at hand are of.
    seen: Ask,
    /// Whether the last view was asked by [`Eye::glance`].
    pub glanced: bool,
}

impl Eye {
    /// Finds the columns of a view. Where the end of an overlap lies behind what the view sees, it is
    /// made to see everything.
    pub fn look(&mut self, scene: &Scene<'_>, view: &mut View) {
        self.look_along(scene, view, self.ask);
    }

    fn look_along(&mut self, scene: &Scene<'_>, view: &mut View, ask: Ask) {
        let _span = tracing::trace_span!(passes::VIEW, pixels = view.count[0] * view.count[1]).entered();
        self.seen = ask;
        loop {
            let open = scene.closed.map(|c| !c);
            self.counts.views += 1;
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

    /// As [`Eye::look`], for the first view of a patch. All lines are looked along where [`Eye::glance`] is likely to
    /// be asked afterwards.
    pub fn look_first(&mut self, scene: &Scene<'_>, view: &mut View, glance: bool) {
        self.glanced = false;
        self.look_along(scene, view, if glance { Ask::All } else { Ask::Both });
    }
}

impl Eye {
    /// Finds the translations at which what a view sees of the bodies overlaps; unless all lines are asked
    /// for, those along the view only. Nothing behind may be cut off.
    pub fn survey(&mut self, scene: &Scene<'_>, view: &View, ask: Ask) -> &Obstacle {
        self.counts.views += 1;
        self.counts.fragments += self.layers.capture_asked(view, scene.frame, &scene.bodies, ask);
        self.seen = ask;
        self.obstacle.read(&mut self.layers, scene.closed.map(|c| !c), i32::MAX);
        &self.obstacle
    }

    /// Whether what was last looked at, in `view`, leaves room for a translation shorter than `bound` (m).
    /// What lies beside or behind the view is taken for free.
    pub fn glance(&mut self, scene: &Scene<'_>, view: &View, bound: f64) -> bool {
        let far = ((view.far - view.near) / view.step) as i32;
        self.glanced = true;
        if self.seen != Ask::All {
            self.seen = Ask::All;
            let _ = self.layers.capture(view, scene.frame, &scene.bodies);
        }
        self.obstacle.read(&mut self.layers, scene.closed.map(|c| !c), far);
        self.obstacle.least(view, bound, f64::INFINITY).is_some()
    }
}

/// An eye for the whole of a patch, and one for closer looks meanwhile.
#[derive(Debug)]
pub(crate) struct Eyes {
    pub wide: Eye,
    pub close: Eye,
    /// Normals of the ways out taken in the last step, and in this (pair frame).
    pub known_ways: Vec<Vector3<f64>>,
    pub taken_ways: Vec<Vector3<f64>>,
    /// How often a way out was searched in this pair.
    pub searches: u32,
    /// Whether the bodies would be apart elsewhere.
    pub offset_test: OffsetTest,
}

impl Default for Eyes {
    fn default() -> Eyes {
        Eyes {
            wide: Eye::default(),
            close: Eye { ask: Ask::Both, ..Eye::default() },
            known_ways: Vec::new(),
            taken_ways: Vec::new(),
            searches: 0,
            offset_test: OffsetTest::default(),
        }
    }
}
