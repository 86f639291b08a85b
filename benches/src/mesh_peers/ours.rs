//! impinge itself.

use std::sync::Arc;

use impinge::query::QueryScratch;
use impinge::{PairQuery, QuerySettings, Shape};
use impinge_exact::intersect::{IntersectScratch, LastHit, Surfaces, count_triangle_pairs, surfaces_touch};
use impinge_geometry::{PairFrame, SimdLevel, TriMesh};
use impinge_midphase::{BuildSettings, ObbTree};
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
    /// Beginning where the surfaces touched at the pose before.
    Coherent,
}

impl Way {
    fn settings(self) -> BuildSettings {
        match self {
            Way::Best | Way::Sse2 | Way::Coherent => BuildSettings::default(),
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
    stream: IntersectScratch,
    memory: Memory,
}

/// What is remembered from pose to pose. Asking again about the same pose starts from the pose before
/// it, as in a simulation, where no pose is asked about twice.
#[derive(Default)]
struct Memory {
    poses: Option<[Isometry3<f64>; 2]>,
    before: LastHit,
    now: LastHit,
}

impl Memory {
    fn turn_to(&mut self, poses: [Isometry3<f64>; 2]) -> LastHit {
        if self.poses != Some(poses) {
            self.poses = Some(poses);
            self.before = self.now;
        }
        self.before
    }
}

impl Ours {
    pub fn new(way: Way, meshes: &[Arc<TriMesh>; 2]) -> Ours {
        let simd = if way == Way::Sse2 { SimdLevel::Sse2 } else { SimdLevel::detect() };
        let trees = [0, 1].map(|k| {
            let mut tree = ObbTree::build_with(&meshes[k], &way.settings());
            tree.set_simd(simd);
            Arc::new(tree)
        });
        let [a, b] = [0, 1].map(|k| Shape::Mesh(meshes[k].clone()));
        let contacts = PairQuery::new(&a, &b, QuerySettings::default().simd(simd))
            .expect("the default settings are sound");
        Ours::with(way, meshes.clone(), trees, contacts)
    }

    fn with(way: Way, meshes: [Arc<TriMesh>; 2], trees: [Arc<ObbTree>; 2], contacts: PairQuery) -> Ours {
        Ours {
            way,
            meshes,
            trees,
            contacts,
            query_scratch: QueryScratch::default(),
            stream: IntersectScratch::default(),
            memory: Memory::default(),
        }
    }

    /// Whether the surfaces share a point.
    pub fn touching(&mut self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> bool {
        if !self.spheres_meet(a, b) {
            return false;
        }
        let frame = PairFrame::new(a, b);
        let surfaces = surfaces(&self.meshes, &self.trees, &frame);
        if self.way != Way::Coherent {
            return surfaces_touch(&surfaces, &mut LastHit::default(), &mut self.stream).is_some();
        }
        let mut last = self.memory.turn_to([*a, *b]);
        let touching = surfaces_touch(&surfaces, &mut last, &mut self.stream).is_some();
        self.memory.now = last;
        touching
    }

    fn pairs(&mut self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> u64 {
        if !self.spheres_meet(a, b) {
            return 0;
        }
        let frame = PairFrame::new(a, b);
        count_triangle_pairs(&surfaces(&self.meshes, &self.trees, &frame), &mut self.stream)
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

    fn spheres_meet(&self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> bool {
        let spheres = [0, 1].map(|k| self.meshes[k].bounding_sphere());
        let center = |k: usize, pose: &Isometry3<f64>| -> Point3<f64> { pose * spheres[k].center.cast() };
        let reach = f64::from(spheres[0].radius) + f64::from(spheres[1].radius);
        (center(1, b) - center(0, a)).norm() <= reach * (1.0 + 1e-9)
    }
}

fn surfaces<'a>(
    meshes: &'a [Arc<TriMesh>; 2],
    trees: &'a [Arc<ObbTree>; 2],
    frame: &'a PairFrame,
) -> Surfaces<'a> {
    Surfaces { meshes: [(&meshes[0]).into(), (&meshes[1]).into()], trees: [&trees[0], &trees[1]], frame }
}

impl MeshContender for Ours {
    fn who(&self) -> &'static str {
        match self.way {
            Way::Best => "impinge",
            Way::Sse2 => "impinge-sse2",
            Way::QuickTrees => "impinge-quick",
            Way::Coherent => "impinge-coherent",
        }
    }

    fn answers(&self, query: Query) -> bool {
        match query {
            Query::Touching => true,
            Query::Pairs => self.way != Way::Coherent,
            Query::Build => matches!(self.way, Way::Best | Way::QuickTrees),
            // These are asked of shapes, whose trees are always built in full.
            Query::Distance | Query::Contacts => matches!(self.way, Way::Best | Way::Sse2),
        }
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
