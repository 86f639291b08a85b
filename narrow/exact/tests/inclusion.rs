//! Triangles in motion against inclusion on arcs.
//!
//! The oracle shares nothing with what it judges: for each of the six pairs of a vertex and a face and the nine of edges, the
//! difference of two points is a function of the time and of two parameters. A box around its values is that of its eight corners, on
//! the true arcs, grown by the sagitta of their own time; boxes that do not hold zero are dropped, others halved, the earliest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use impinge_exact::motion::{FirstContact, MovingSurface, SweepScratch, SweepSettings, sweep_surfaces};
use impinge_geometry::{Motion, PairPath, TriMesh};
use impinge_midphase::{ObbTree, Surface};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Vector3};

type Corners = [Point3<f64>; 3];

fn cases(default: usize) -> usize {
    std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Two triangles that move as rigid bodies.
struct Both<'m> {
    triangles: [Corners; 2],
    motions: [&'m Motion; 2],
}

/// Two features of them: points at parameters from 0 to 1.
#[derive(Clone, Copy)]
enum Features {
    /// Corner `.1` of triangle `.0` and the inside of the other.
    VertexFace(usize, usize),
    /// An edge of each.
    EdgeEdge(usize, usize),
}

impl Both<'_> {
    fn at(&self, time: f64) -> [Corners; 2] {
        [0, 1].map(|k| {
            let pose = self.motions[k].pose(time);
            self.triangles[k].map(|p| pose * p)
        })
    }

    /// No corner strays farther from the line between its places at two times.
    fn sagitta(&self, span: f64) -> f64 {
        let of = |k: usize| {
            let (motion, half) = (self.motions[k], 0.5 * span * self.motions[k].rotation_vector().norm());
            let arm = |p: &Point3<f64>| (p - motion.center()).norm();
            let radius = self.triangles[k].iter().map(arm).fold(0.0, f64::max);
            radius * if half < std::f64::consts::PI { 1.0 - half.cos() } else { 2.0 }
        };
        of(0) + of(1)
    }

    fn difference(&self, features: Features, [s, t]: [f64; 2], at: &[Corners; 2]) -> Vector3<f64> {
        match features {
            Features::VertexFace(side, corner) => {
                // Both parameters from 0 to 1 cover the triangle, its first corner by a whole edge.
                let [a, b, c] = at[1 - side];
                at[side][corner] - (a + ((b - a) * (1.0 - t) + (c - a) * t) * s)
            }
            Features::EdgeEdge(i, j) => {
                let on = |t: &Corners, k: usize, s: f64| t[k] + (t[(k + 1) % 3] - t[k]) * s;
                on(&at[0], i, s) - on(&at[1], j, t)
            }
        }
    }

    /// A time before which they do not touch, and at which they are about as near as `size`; `None` where they never touch.
    fn first(&self, size: f64) -> Option<f64> {
        let corners = (0..2).flat_map(|side| (0..3).map(move |corner| Features::VertexFace(side, corner)));
        let edges = (0..3).flat_map(|i| (0..3).map(move |j| Features::EdgeEdge(i, j)));
        let mut first: Option<f64> = None;
        for features in corners.chain(edges) {
            let mut boxes = BinaryHeap::from([Reverse((0u64, 0u32, [0u32; 2], 0u32, 0u32))]);
            while let Some(Reverse((begin, depth, places, across, _))) = boxes.pop() {
                let span = 0.5f64.powi(depth as i32);
                let (from, to) = (f64::from_bits(begin), f64::from_bits(begin) + span);
                if first.is_some_and(|first| from >= first) {
                    break;
                }
                let width = 0.5f64.powi(across as i32);
                let mut low = Vector3::repeat(f64::INFINITY);
                let mut high = -low;
                let mut by_time = 0.0f64;
                let ends = [self.at(from), self.at(to)];
                for corner in 0..4u32 {
                    let parameters = [0, 1].map(|k| f64::from(places[k] + (corner >> k & 1)) * width);
                    let [p, q] = ends.each_ref().map(|at| self.difference(features, parameters, at));
                    (low, high) = (low.inf(&p).inf(&q), high.sup(&p).sup(&q));
                    by_time = by_time.max((q - p).norm());
                }
                let sagitta = self.sagitta(span);
                let grown = sagitta + 1e-13;
                if (0..3).any(|k| low[k] > grown || high[k] < -grown) {
                    continue;
                }
                if (high - low).norm() + sagitta <= size {
                    first = Some(first.map_or(from, |first| first.min(from)));
                    break;
                }
                // The longer way is halved: that in time, or that across the features.
                if by_time + sagitta > 0.5 * (high - low).norm() {
                    for begin in [from, from + 0.5 * span] {
                        boxes.push(Reverse((begin.to_bits(), depth + 1, places, across, 0)));
                    }
                } else {
                    for corner in 0..4u32 {
                        let places = [0, 1].map(|k| 2 * places[k] + (corner >> k & 1));
                        boxes.push(Reverse((begin, depth, places, across + 1, 0)));
                    }
                }
            }
        }
        first
    }
}

fn random_triangle(random: &mut Random, n: usize) -> [Point3<f32>; 3] {
    let thin = if n.is_multiple_of(3) { 0.01 } else { 1.0 };
    let mut corner = |scale: [f64; 3]| {
        Point3::from(Vector3::from_fn(|k, _| random.signed() * scale[k] * 0.5).cast::<f32>())
    };
    [corner([1.0, thin, 1.0]), corner([1.0, thin, 1.0]), corner([1.0, thin, 1.0])]
}

#[test]
fn advancing_by_an_axis_tells_what_inclusion_tells() {
    let mut random = Random::new(51);
    let (mut hits, mut misses, mut near) = (0, 0, 0);
    for n in 0..cases(120) {
        let corners = [random_triangle(&mut random, n), random_triangle(&mut random, n / 2)];
        let surface = |t: [Point3<f32>; 3]| {
            let mesh = TriMesh::new(t.to_vec(), vec![[0, 1, 2]]).unwrap();
            Surface::of_mesh(Arc::new(mesh.clone()), Arc::new(ObbTree::build(&mesh)))
        };
        let surfaces = corners.map(surface);
        let motion = |random: &mut Random, aside: Vector3<f64>| {
            let from = Isometry3::from_parts(aside.into(), random.rotation());
            let past = -0.6 * aside + random.direction() * 0.4;
            let to = Isometry3::from_parts(past.into(), from.rotation);
            Motion::between(from, to).turn(random.direction() * [0.0, 0.5, 2.0, 6.0][n % 4])
        };
        let aside = random.direction() * 0.8;
        let motions = [motion(&mut random, aside), motion(&mut random, -aside)];
        let gap = 1e-4;
        let path = PairPath::new(motions.each_ref());
        let moving = surfaces.each_ref().map(MovingSurface::Rigid);
        let settings = SweepSettings { gap, bound: 1.0 };
        let found = sweep_surfaces(moving, &path, &settings, &mut SweepScratch::default());
        let triangles = corners.map(|t| t.map(|p| p.cast::<f64>()));
        let expected = Both { triangles, motions: motions.each_ref() }.first(gap);
        match (found, expected) {
            (Some(FirstContact::AtStart), Some(time)) => assert_eq!(time, 0.0, "case {n}"),
            (Some(FirstContact::Later(found)), Some(expected)) => {
                hits += 1;
                let fastest =
                    motions.iter().map(|m| m.way().norm() + m.rotation_vector().norm()).sum::<f64>();
                // Both stop within the gap of a contact; grazing ones are as far apart as the gap lets them be.
                let close = (found.time - expected).abs() <= 400.0 * gap / fastest;
                near += usize::from(!close);
                assert!(found.gap <= gap * (1.0 + 1e-9), "case {n}");
            }
            (None, None) => misses += 1,
            // What passes by within the gap is told by one and not by the other.
            (Some(FirstContact::Later(found)), None) => {
                near += 1;
                assert!(found.gap <= gap * (1.0 + 1e-9), "case {n}");
            }
            (None, Some(_)) => near += 1,
            (found, expected) => panic!("case {n}: {found:?} for {expected:?}"),
        }
    }
    println!("{hits} meet, {misses} do not, {near} nearly");
    assert!(hits * 4 > cases(120) && misses * 8 > cases(120), "{hits} meet, {misses} do not");
    assert!(near * 20 <= hits, "{near} of {hits} are told differently");
}
