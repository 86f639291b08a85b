//! Touching, triangle pairs and containment equal brute force on the canonical geometry.

use std::ops::ControlFlow;

use impinge_exact::containment::{ContainmentScratch, containment};
use impinge_exact::contour::{ContourScratch, Contours, assemble};
use impinge_exact::intersect::{
    IntersectScratch, Intersections, LastHit, Surfaces, TouchKind, count_triangle_pairs, first_touch,
    intersect_surfaces, surfaces_touch, triangle_pairs,
};
use impinge_geometry::{Containment, PairFrame, Side, TriMesh};
use impinge_midphase::{DescentCounts, ObbTree, descend};
use impinge_oracle::Pair;
use impinge_scenes::mesh::{Gear, Knot, OpenBox, Torus};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

/// Reused over all pairs, as the pipeline does.
#[derive(Default)]
struct Exact {
    stream: IntersectScratch,
    inside: ContainmentScratch,
    contour: ContourScratch,
    out: Intersections,
    contours: Contours,
    leaf_pairs: Vec<[u32; 2]>,
    listed: Vec<[u32; 2]>,
    last: LastHit,
}

impl Exact {
    /// What the fast way says, after checking that all of it agrees with itself.
    fn ask(&mut self, surfaces: &Surfaces<'_>) -> (u64, Containment) {
        self.leaf_pairs.clear();
        let pairs = &mut self.leaf_pairs;
        let mut visit = |a: u32, b: u32| {
            pairs.push([a, b]);
            ControlFlow::Continue(())
        };
        let counts = &mut DescentCounts::default();
        let _ = descend(surfaces.trees[0], surfaces.trees[1], surfaces.frame, 0.0, &mut visit, counts);
        intersect_surfaces(surfaces, &self.leaf_pairs, &mut self.stream, &mut self.out);
        assert_eq!(self.out.touching, self.out.triangle_pairs > 0);
        let first = first_touch(surfaces, &self.leaf_pairs, &mut self.stream);
        assert_eq!(first.is_some(), self.out.touching);
        // The leaves remembered are those of another pair: they may help or not, but never lie.
        for _ in 0..2 {
            let touch = surfaces_touch(surfaces, &mut self.last, &mut self.stream);
            assert_eq!(touch.is_some(), self.out.touching);
        }
        assert_eq!(count_triangle_pairs(surfaces, &mut self.stream), self.out.triangle_pairs);
        self.listed.clear();
        triangle_pairs(surfaces, &mut self.stream, &mut self.listed);
        assert_eq!(self.listed.len() as u64, self.out.triangle_pairs);
        assemble(&self.out, &mut self.contour, &mut self.contours);
        (self.out.triangle_pairs, containment(surfaces, &self.out, &mut self.inside))
    }
}

/// A mesh with its tree.
struct Model {
    mesh: TriMesh,
    tree: ObbTree,
    radius: f64,
}

impl Model {
    fn new(mesh: &TriMesh, scale: f32) -> Model {
        let vertices = mesh.vertices().iter().map(|v| v * scale).collect();
        let mesh = TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap();
        Model { tree: ObbTree::build(&mesh), radius: f64::from(mesh.bounding_sphere().radius), mesh }
    }

    /// A place somewhat beneath the surface (m, own frame).
    fn beneath(&self, random: &mut Random) -> Vector3<f64> {
        let t = self.mesh.corners(random.index(self.mesh.triangles().len()) as u32).map(|v| v.cast::<f64>());
        let inward = -(t[1] - t[0]).cross(&(t[2] - t[0])).normalize();
        (t[0].coords + t[1].coords + t[2].coords) / 3.0 + inward * (0.15 * self.radius * random.unit())
    }
}

fn surfaces<'a>(a: &'a Model, b: &'a Model, frame: &'a PairFrame) -> Surfaces<'a> {
    Surfaces { meshes: [(&a.mesh).into(), (&b.mesh).into()], trees: [&a.tree, &b.tree], frame }
}

fn closed_meshes() -> Vec<TriMesh> {
    vec![
        Torus { major: 0.7, minor: 0.25, around: 20, across: 10 }.mesh().unwrap(),
        Knot { along: 40, across: 7, ..Knot::default() }.mesh().unwrap(),
        Gear { teeth: 7, ..Gear::default() }.mesh().unwrap(),
        OpenBox::default().mesh().unwrap(),
    ]
}

#[test]
fn random_poses_at_every_scale_and_far_away() {
    let mut random = Random::new(11);
    let mut exact = Exact::default();
    let (mut touching, mut apart, mut inside) = (0, 0, 0);
    for scale in [1e-3f32, 1.0, 1e3] {
        // One mesh much smaller, so that some poses are nested.
        let models: Vec<Model> = closed_meshes().iter().map(|m| Model::new(m, scale)).collect();
        let small: Vec<Model> = closed_meshes().iter().map(|m| Model::new(m, 0.03 * scale)).collect();
        for round in 0..80 {
            let a = &models[random.index(models.len())];
            let b = if round % 4 == 0 { &small } else { &models };
            let b = &b[random.index(b.len())];
            let far = if round % 2 == 0 { Vector3::zeros() } else { Vector3::new(1e4, -1e4, 1e4) };
            let mut turned = || Isometry3::from_parts(Translation3::from(far), random.rotation());
            let (pa, turned_b) = (turned(), turned());
            let away = if round % 4 == 0 {
                pa.rotation * a.beneath(&mut random)
            } else {
                random.direction() * (0.8 * (a.radius + b.radius) * random.unit())
            };
            let pb = Translation3::from(away) * turned_b;
            let frame = PairFrame::new(&pa, &pb);
            let truth = Pair::new([&a.mesh, &b.mesh], &frame);
            let count = truth.triangle_pairs().len() as u64;
            let (found, contained) = exact.ask(&surfaces(a, b, &frame));
            assert_eq!(found, count, "scale {scale} round {round}");
            assert!(exact.contours.all_closed);
            let said = [contained == Containment::AInB, contained == Containment::BInA];
            for side in Side::BOTH {
                let inside = truth.is_inside(side).expect("random poses break no ties");
                assert_eq!(said[side.index()], inside, "scale {scale} round {round} {side:?}");
            }
            let swapped = PairFrame::new(&pb, &pa);
            let (back, contained_back) = exact.ask(&surfaces(b, a, &swapped));
            assert_eq!(back, count);
            assert_eq!(contained_back == Containment::None, contained == Containment::None);
            touching += u32::from(count > 0);
            apart += u32::from(count == 0 && contained == Containment::None);
            inside += u32::from(contained != Containment::None);
        }
    }
    assert!(touching > 80 && apart > 20 && inside > 15, "{touching} {apart} {inside}");
}

/// A corner of a coarse lattice.
fn lattice(random: &mut Random) -> Vector3<f64> {
    Vector3::from_fn(|_, _| random.index(5) as f64 - 2.0)
}

/// A triangle of a family that likes to be degenerate.
fn corners(random: &mut Random, family: usize) -> [Vector3<f64>; 3] {
    let mut t = [0; 3].map(|_| lattice(random));
    match family {
        // In one plane.
        3 => t.iter_mut().for_each(|v| v.z = 1.0),
        // Needles.
        4 => {
            let width = 0.5f64.powi(random.index(24) as i32);
            t[1] = t[0] + (t[2] - t[0]) * random.unit() + random.direction() * width;
        }
        // Generic.
        6 => t = t.map(|_| random.direction() * 2.0),
        _ => {}
    }
    t
}

/// A triangle made to meet one of another set.
fn adversary(random: &mut Random, family: usize, model: &[Vector3<f64>; 3]) -> [Vector3<f64>; 3] {
    let mut t = corners(random, family);
    let [p, q, r] = *model;
    match family {
        // A shared corner, a shared edge, all of it.
        1 => t[random.index(3)] = model[random.index(3)],
        2 => (t[0], t[1]) = (q, p),
        7 => t = *model,
        // A corner on the other's face, an edge in its plane, up to rounding and a small step.
        5 => {
            let step = random.direction() * [0.0, 1e-16, 1e-9, 1e-5][random.index(4)];
            t[0] = p + (q - p) * random.unit() + (r - p) * random.unit() + step;
            if random.index(2) == 0 {
                t[1] = q + (r - q) * random.signed();
            }
        }
        // Needles that nearly meet.
        4 => t = t.map(|v| v + (p - t[0]) + random.direction() * 1e-6),
        _ => {}
    }
    t
}

/// As many adversarial cases as the environment asks for, or a few seconds' worth.
fn cases() -> u32 {
    std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(6_000)
}

#[test]
fn adversarial_sets_of_triangles() {
    let mut random = Random::new(5);
    let mut exact = Exact::default();
    let (mut done, mut touching, mut pairs) = (0, 0, 0);
    while done < cases() {
        let family = random.index(8);
        let scale = 10f64.powi(random.index(13) as i32 - 6);
        // Mostly single triangles or a leaf's worth, sometimes enough for a tree.
        let mut count = || {
            let most = [1, 4, 12][random.index(3)];
            1 + random.index(most)
        };
        let counts = [count(), count()];
        let a: Vec<_> = (0..counts[0]).map(|_| corners(&mut random, family)).collect();
        let b: Vec<_> = (0..counts[1])
            .map(|_| {
                let model = a[random.index(a.len())];
                adversary(&mut random, family, &model)
            })
            .collect();
        let meshes = [a, b].map(|set| {
            let vertices = set.iter().flatten().map(|v| Point3::from((v * scale).cast::<f32>())).collect();
            TriMesh::new(vertices, (0..set.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect())
        });
        let [Ok(a), Ok(b)] = meshes else { continue };
        let (a, b) = (Model::new(&a, 1.0), Model::new(&b, 1.0));
        // Both turned alike (what met still meets up to rounding), or not at all.
        let turn = if random.index(2) == 0 { UnitQuaternion::identity() } else { random.rotation() };
        let far = Vector3::repeat([0.0, 1e4, -0.1][random.index(3)]);
        let pose = Isometry3::from_parts(Translation3::from(far), turn);
        let nudge = Translation3::from(Vector3::x() * ([0.0, 0.0, 1e-15][random.index(3)] * scale));
        let frame = PairFrame::new(&pose, &(nudge * pose));
        let met = Pair::new([&a.mesh, &b.mesh], &frame).triangle_pairs();
        let count = met.len() as u64;
        let (found, _) = exact.ask(&surfaces(&a, &b, &frame));
        assert_eq!(found, count, "case {done} family {family} scale {scale} {frame:?}");
        exact.listed.sort_unstable();
        assert_eq!(exact.listed, met);
        let (segments, degenerate) = (&exact.out.segments, &exact.out.degenerate);
        for pair in &met {
            let reported = segments.iter().any(|s| s.triangles == *pair)
                || degenerate.iter().any(|d| d.triangles == *pair)
                // Corners at the border of an area that A's triangle shares with another face say no more than it.
                || degenerate.iter().any(|d| {
                    d.triangles[0] == pair[0] && matches!(d.kind, TouchKind::Coplanar(_))
                });
            assert!(reported, "a touching pair is reported");
        }
        for d in degenerate {
            assert!((d.normal.norm() - 1.0).abs() < 1e-12);
            assert!(d.points.iter().flat_map(|p| p.iter()).all(|x| x.is_finite()));
        }
        let (back, _) = exact.ask(&surfaces(&b, &a, &frame.swapped()));
        assert_eq!(back, count);
        done += 1;
        pairs += counts[0] * counts[1];
        touching += u32::from(count > 0);
    }
    println!("{done} cases, {pairs} pairs of triangles, {touching} cases touch");
    assert!(touching > done / 6 && touching < done * 19 / 20, "{touching} of {done}");
}
