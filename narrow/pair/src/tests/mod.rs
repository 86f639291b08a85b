//! Contacts that a person would draw, each with its geometry in words. Lengths in metres; A stands at
//! the origin unless the words say otherwise.

mod alone;
mod coincident;
mod corner;
mod half_space;
mod long;
mod meshes;
mod moving;
mod narrow;
mod open_meshes;
mod regions;
mod solids;
mod steady;
mod touch;
mod volumes;
mod ways;

use impinge_geometry::{PairFrame, Shape, Side, TriMesh};
use impinge_midphase::{CandidateBatch, PairJob, PairKind, PreparedShape, Solid};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::*;
use crate::patch::Patch;
use impinge_geometry::Containment;

type Pose = Isometry3<f64>;

fn shift(x: f64, y: f64, z: f64) -> Pose {
    Isometry3::translation(x, y, z)
}

fn placed(x: f64, y: f64, z: f64, rotation: UnitQuaternion<f64>) -> Pose {
    Isometry3::from_parts(Translation3::new(x, y, z), rotation)
}

/// Every leaf against every other: the most that the midphase may hand over.
fn all_leaves(shapes: [&PreparedShape; 2]) -> Vec<[u32; 2]> {
    let count = shapes.map(|s| s.parts()[0].surface.as_ref().map_or(0, |s| s.tree.leaf_count() as u32));
    (0..count[0]).flat_map(|i| (0..count[1]).map(move |j| [i, j])).collect()
}

fn corners_of(shape: &PreparedShape, frame: &PairFrame, side: Side) -> [Point3<f64>; 2] {
    let aabb = shape.parts()[0].aabb;
    if !aabb.is_finite() {
        return [Point3::from([-1e3; 3]), Point3::from([1e3; 3])];
    }
    let mut low = Vector3::repeat(f64::INFINITY);
    let mut high = Vector3::repeat(f64::NEG_INFINITY);
    for c in 0..8 {
        let at = |k: usize| if c >> k & 1 == 0 { aabb.min[k] } else { aabb.max[k] };
        let p = frame.place(side, &Point3::new(at(0), at(1), at(2)));
        low = low.inf(&p.coords);
        high = high.sup(&p.coords);
    }
    [Point3::from(low), Point3::from(high)]
}

/// The settings by which closed meshes are seen in views, as open ones are.
fn by_views() -> NarrowSettings {
    NarrowSettings { exact_regions: false, ..NarrowSettings::default() }
}

/// Two shapes of one part each, asked again and again.
struct Asked {
    shapes: [PreparedShape; 2],
    settings: NarrowSettings,
    memory: NarrowMemory,
    scratch: NarrowScratch,
}

impl Asked {
    fn new(a: &Shape, b: &Shape, settings: &NarrowSettings) -> Asked {
        Asked {
            shapes: [PreparedShape::new(a), PreparedShape::new(b)],
            settings: *settings,
            memory: NarrowMemory::default(),
            scratch: NarrowScratch::default(),
        }
    }

    /// Calls `f` with the job of two poses.
    fn job<R>(
        &mut self,
        poses: [Pose; 2],
        f: impl FnOnce(&PairJob<'_>, &CandidateBatch<'_>, &mut Asked) -> R,
    ) -> R {
        let shapes = self.shapes.clone();
        let frame = PairFrame::new(&poses[0], &poses[1]);
        let [own, other] = [0, 1].map(|k| corners_of(&shapes[k], &frame, Side::BOTH[k]));
        let low = own[0].coords.sup(&other[0].coords);
        let high = own[1].coords.inf(&other[1].coords);
        let parts = [0, 1].map(|k| &shapes[k].parts()[0]);
        let mesh = Side::BOTH.into_iter().find(|s| parts[s.index()].solid == Solid::Mesh);
        let leaves = |m: Side| parts[m.index()].surface.as_ref().unwrap().tree.leaf_count() as u32;
        let batch = CandidateBatch {
            leaf_pairs: all_leaves([&shapes[0], &shapes[1]]),
            leaves: (0..mesh.map_or(0, leaves)).collect(),
            ..CandidateBatch::default()
        };
        let kind = PairKind::new(parts).unwrap();
        let candidates = match kind {
            PairKind::Convex => 0..0,
            PairKind::Surfaces(_) => 0..batch.leaf_pairs.len() as u32,
            PairKind::MeshSolid { .. } => 0..batch.leaves.len() as u32,
        };
        let interest = [Point3::from(low), Point3::from(high)];
        let job = PairJob { pair: 0, parts, part_indices: [0, 0], frame, interest, kind, candidates };
        f(&job, &batch, self)
    }

    fn at(&mut self, poses: [Pose; 2]) -> PairResult {
        let out = self.job(poses, |job, batch, asked| {
            let mut out = PairResult::default();
            run(job, batch, &asked.settings, &mut asked.memory, &mut asked.scratch, &mut out);
            out
        });
        check(&out);
        out
    }
}

impl Asked {
    /// The height at which B, turned so, comes to touch A when it is let down along z at `x`, `y`: a little above it.
    fn touching_height(&mut self, [x, y]: [f64; 2], turn: UnitQuaternion<f64>) -> f64 {
        let [mut low, mut high] = [0.0, 3.0];
        for _ in 0..30 {
            let middle = 0.5 * (low + high);
            let apart = !self.at([Pose::identity(), placed(x, y, middle, turn)]).touching;
            if apart { high = middle } else { low = middle }
        }
        high
    }
}

/// What holds of every answer.
fn check(out: &PairResult) {
    assert_eq!(out.touching, !out.patches.is_empty(), "touching means at least one patch");
    assert_eq!(out.counts.odd_columns, 0);
    if let Some(volume) = out.volume {
        let patches: f64 = out.patches.iter().map(|patch| patch.volume).sum();
        assert!((patches - volume).abs() <= 1e-9 * volume, "patches add up to {patches} of {volume}");
    }
    for patch in &out.patches {
        assert!((patch.normal.norm() - 1.0).abs() < 1e-9);
        assert!(!patch.points.is_empty());
        let weights: f64 = patch.points.iter().map(|p| p.weight).sum();
        let area = patch.gradient.norm();
        assert!((weights - area).abs() <= 1e-9 * area, "weights {weights}, area {area}");
        for p in &patch.points {
            let size = 1e-9 * (1.0 + p.on_a.coords.norm());
            assert!((p.depth - (p.on_a - p.on_b).dot(&patch.normal)).abs() < size);
            assert!(p.depth <= patch.depth);
        }
    }
}

fn ask_shapes(a: &Shape, b: &Shape, pose_b: Pose) -> PairResult {
    Asked::new(a, b, &NarrowSettings::default()).at([Pose::identity(), pose_b])
}

fn ask(a: &TriMesh, b: &TriMesh, pose_b: Pose) -> PairResult {
    ask_shapes(&a.clone().into(), &b.clone().into(), pose_b)
}

fn degrees(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    a.cross(b).norm().atan2(a.dot(b)).to_degrees()
}

#[track_caller]
fn assert_normal(patch: &Patch, wanted: Vector3<f64>, within: f64) {
    let off = degrees(&patch.normal, &wanted);
    assert!(off <= within, "normal {:?} is {off} degrees off", patch.normal);
}

#[track_caller]
fn assert_near(what: f64, wanted: f64, part: f64) {
    assert!((what - wanted).abs() <= part * wanted.abs(), "{what} is not {wanted} to a part of {part}");
}

/// The one patch of an answer.
#[track_caller]
fn only(out: &PairResult) -> &Patch {
    assert_eq!(
        out.patches.len(),
        1,
        "{:?}",
        out.patches.iter().map(|p| (p.normal, p.depth)).collect::<Vec<_>>()
    );
    &out.patches[0]
}

/// How far the points of a patch are spread along each axis.
fn spread(patch: &Patch) -> Vector3<f64> {
    let low = patch.points.iter().fold(Vector3::repeat(f64::MAX), |l, p| l.inf(&p.on_a.coords));
    let high = patch.points.iter().fold(Vector3::repeat(f64::MIN), |h, p| h.sup(&p.on_a.coords));
    high - low
}
