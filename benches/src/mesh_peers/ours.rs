//! impinge itself.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::query::QueryScratch;
use impinge::{PairQuery, QuerySettings, Shape};
use impinge_geometry::{PairFrame, TriMesh};
use impinge_midphase::{BuildSettings, DescentCounts, ObbTree, SimdLevel, descend};
use impinge_narrow::stream::{StreamOut, StreamScratch, Surfaces, first_touch, run_surfaces};
use nalgebra::{Isometry3, Point3};

use super::{MeshContender, Query};

/// In which way impinge works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As it comes.
    Best,
    /// As if the processor had no AVX2.
    Sse2,
    /// With trees built in the cheaper way.
    QuickTrees,
}

impl Way {
    fn settings(self) -> BuildSettings {
        match self {
            Way::Best | Way::Sse2 => BuildSettings::default(),
            Way::QuickTrees => BuildSettings::QUICK,
        }
    }
}

/// Two meshes with their trees.
pub struct Ours {
    way: Way,
    meshes: [Arc<TriMesh>; 2],
    trees: [Arc<ObbTree>; 2],
    contacts: PairQuery,
    query_scratch: QueryScratch,
    leaf_pairs: Vec<[u32; 2]>,
    stream: StreamScratch,
    found: StreamOut,
}

impl Ours {
    pub fn new(way: Way, meshes: &[Arc<TriMesh>; 2]) -> Ours {
        let trees = [0, 1].map(|k| Arc::new(ObbTree::build_with(&meshes[k], &way.settings())));
        let [a, b] = [0, 1].map(|k| Shape::Mesh(meshes[k].clone()));
        let contacts =
            PairQuery::new(&a, &b, QuerySettings::default()).expect("the default settings are sound");
        Ours::with(way, meshes.clone(), trees, contacts)
    }

    fn with(way: Way, meshes: [Arc<TriMesh>; 2], trees: [Arc<ObbTree>; 2], contacts: PairQuery) -> Ours {
        Ours {
            way,
            meshes,
            trees,
            contacts,
            query_scratch: QueryScratch::default(),
            leaf_pairs: Vec::new(),
            stream: StreamScratch::default(),
            found: StreamOut::default(),
        }
    }

    /// Whether the surfaces share a point.
    pub fn touching(&mut self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> bool {
        let frame = PairFrame::new(a, b);
        self.descend(a, b, &frame);
        let surfaces = surfaces(&self.meshes, &self.trees, &frame);
        first_touch(&surfaces, &self.leaf_pairs, &mut self.stream).is_some()
    }

    fn pairs(&mut self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> u64 {
        let frame = PairFrame::new(a, b);
        self.descend(a, b, &frame);
        let surfaces = surfaces(&self.meshes, &self.trees, &frame);
        run_surfaces(&surfaces, &self.leaf_pairs, &mut self.stream, &mut self.found);
        self.found.triangle_pairs
    }

    fn distance(&mut self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> f64 {
        let found = self.contacts.distance_with(a, b, &mut self.query_scratch);
        found.expect("the poses are finite").distance()
    }

    /// The number of contact points.
    fn contacts(&mut self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> usize {
        let answer = self.contacts.at_with(a, b, &mut self.query_scratch).expect("the poses are finite");
        answer.manifolds.iter().map(|m| m.points.len()).sum()
    }

    /// Fills `leaf_pairs`.
    fn descend(&mut self, a: &Isometry3<f64>, b: &Isometry3<f64>, frame: &PairFrame) {
        self.leaf_pairs.clear();
        let spheres = [0, 1].map(|k| self.meshes[k].bounding_sphere());
        let center = |k: usize, pose: &Isometry3<f64>| -> Point3<f64> { pose * spheres[k].center.cast() };
        let reach = f64::from(spheres[0].radius) + f64::from(spheres[1].radius);
        if (center(1, b) - center(0, a)).norm() > reach * (1.0 + 1e-9) {
            return;
        }
        let pairs = &mut self.leaf_pairs;
        let mut visit = |a: u32, b: u32| {
            pairs.push([a, b]);
            ControlFlow::Continue(())
        };
        // Nothing breaks off this visit.
        let _ =
            descend(&self.trees[0], &self.trees[1], frame, 0.0, &mut visit, &mut DescentCounts::default());
    }
}

fn surfaces<'a>(
    meshes: &'a [Arc<TriMesh>; 2],
    trees: &'a [Arc<ObbTree>; 2],
    frame: &'a PairFrame,
) -> Surfaces<'a> {
    Surfaces { meshes: [&meshes[0], &meshes[1]], trees: [&trees[0], &trees[1]], frame }
}

impl MeshContender for Ours {
    fn who(&self) -> &'static str {
        match self.way {
            Way::Best => "impinge",
            Way::Sse2 => "impinge-sse2",
            Way::QuickTrees => "impinge-quick",
        }
    }

    fn answers(&self, query: Query) -> bool {
        match query {
            Query::Touching | Query::Pairs => true,
            Query::Build => self.way != Way::Sse2,
            // These are asked of shapes, whose trees are always built in full.
            Query::Distance | Query::Contacts => self.way != Way::QuickTrees,
        }
    }

    fn ready(&mut self, _query: Query) {
        SimdLevel::force((self.way == Way::Sse2).then_some(SimdLevel::Sse2));
    }

    fn ask(&mut self, query: Query, a: &Isometry3<f64>, b: &Isometry3<f64>) -> f64 {
        match query {
            Query::Touching => f64::from(u8::from(self.touching(a, b))),
            Query::Pairs => self.pairs(a, b) as f64,
            Query::Contacts => self.contacts(a, b) as f64,
            Query::Distance => self.distance(a, b),
            Query::Build => f64::NAN,
        }
    }

    fn build(&self, side: usize) {
        std::hint::black_box(ObbTree::build_with(&self.meshes[side], &self.way.settings()));
    }

    fn memory(&self) -> usize {
        self.trees.iter().map(|tree| tree.bytes()).sum()
    }

    fn fork(&self) -> Box<dyn MeshContender> {
        Box::new(Ours::with(self.way, self.meshes.clone(), self.trees.clone(), self.contacts.clone()))
    }
}
