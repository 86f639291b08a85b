//! Touching, triangle pairs and containment equal brute force on the canonical geometry.

use std::ops::ControlFlow;

use impinge_geometry::{PairFrame, TriMesh};
use impinge_integration_tests::oracle::{self, Body, Search, least_translation};
use impinge_midphase::{DescentCounts, ObbTree, descend};
use impinge_narrow::Containment;
use impinge_narrow::containment::{ContainmentScratch, containment};
use impinge_narrow::contour::{ContourScratch, Contours, assemble};
use impinge_narrow::stream::{StreamOut, StreamScratch, Surfaces, first_touch, run_surfaces};
use impinge_scenes::mesh::{Gear, Knot, OpenBox, Torus};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

/// Reused over all pairs, as the pipeline does.
#[derive(Default)]
struct Exact {
    stream: StreamScratch,
    inside: ContainmentScratch,
    contour: ContourScratch,
    out: StreamOut,
    contours: Contours,
    leaf_pairs: Vec<[u32; 2]>,
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
        run_surfaces(surfaces, &self.leaf_pairs, &mut self.stream, &mut self.out);
        assert_eq!(self.out.touching, self.out.triangle_pairs > 0);
        let first = first_touch(surfaces, &self.leaf_pairs, &mut self.stream);
        assert_eq!(first.is_some(), self.out.touching);
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
    Surfaces { meshes: [&a.mesh, &b.mesh], trees: [&a.tree, &b.tree], frame }
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
            let bodies = Body::pair([&a.mesh, &b.mesh], &frame);
            let count = bodies[0].triangle_pairs(&bodies[1]).len() as u64;
            let (found, contained) = exact.ask(&surfaces(a, b, &frame));
            assert_eq!(found, count, "scale {scale} round {round}");
            assert!(exact.contours.all_closed);
            if count == 0 {
                assert_eq!(contained, oracle::containment(&bodies), "scale {scale} round {round}");
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

/// Two triangles of a family that likes to be degenerate.
fn adversarial(random: &mut Random, family: usize) -> [[Vector3<f64>; 3]; 2] {
    let mut corners = [[0; 3]; 2].map(|t| t.map(|_| lattice(random)));
    match family {
        // A shared corner, a shared edge.
        1 => corners[1][0] = corners[0][0],
        2 => (corners[1][0], corners[1][1]) = (corners[0][1], corners[0][0]),
        // In one plane.
        3 => corners.iter_mut().flatten().for_each(|v| v.z = 1.0),
        // Needles that nearly meet.
        4 => {
            for t in &mut corners {
                t[1] = t[0] + (t[2] - t[0]) * random.unit() + random.direction() * 1e-6;
            }
        }
        // A corner on the other's face, up to rounding.
        5 => {
            let [p, q, r] = corners[0];
            corners[1][0] = p + (q - p) * random.unit() + (r - p) * random.unit();
        }
        // Generic.
        6 => corners = corners.map(|t| t.map(|_| random.direction() * 2.0)),
        _ => {}
    }
    corners
}

#[test]
fn adversarial_pairs_of_triangles() {
    let mut random = Random::new(5);
    let mut exact = Exact::default();
    let (mut done, mut touching) = (0, 0);
    while done < 12_000 {
        let family = random.index(7);
        let scale = 10f64.powi(random.index(13) as i32 - 6);
        let corners = adversarial(&mut random, family);
        let meshes = corners.map(|t| {
            let vertices = t.map(|v| Point3::from((v * scale).cast::<f32>())).to_vec();
            TriMesh::new(vertices, vec![[0, 1, 2]])
        });
        let [Ok(a), Ok(b)] = meshes else { continue };
        let (a, b) = (Model::new(&a, 1.0), Model::new(&b, 1.0));
        // Both turned alike (what met still meets up to rounding), or not at all.
        let turn = if random.index(2) == 0 { UnitQuaternion::identity() } else { random.rotation() };
        let far = Vector3::repeat([0.0, 1e4, -0.1][random.index(3)]);
        let pose = Isometry3::from_parts(Translation3::from(far), turn);
        let nudge = Translation3::from(Vector3::x() * ([0.0, 0.0, 1e-15][random.index(3)] * scale));
        let frame = PairFrame::new(&pose, &(nudge * pose));
        let bodies = Body::pair([&a.mesh, &b.mesh], &frame);
        let count = bodies[0].triangle_pairs(&bodies[1]).len() as u64;
        let (found, _) = exact.ask(&surfaces(&a, &b, &frame));
        assert_eq!(found, count, "family {family} scale {scale} {corners:?} {frame:?}");
        let segments = exact.out.segments.len();
        assert!(segments <= 1 && (segments == 0 || count == 1));
        assert!(count == 0 || segments + exact.out.degenerate.len() > 0, "a touching pair is reported");
        for d in &exact.out.degenerate {
            assert!((d.normal.norm() - 1.0).abs() < 1e-12);
            assert!(d.points.iter().flat_map(|p| p.iter()).all(|x| x.is_finite()));
        }
        let (back, _) = exact.ask(&surfaces(&b, &a, &frame.swapped()));
        assert_eq!(back, count);
        done += 1;
        touching += count;
    }
    assert!(touching > 2_000 && touching < 10_000, "{touching}");
}

#[test]
fn boxes_come_apart_along_their_shallowest_axis() {
    // Boxes of half extents (1, 1, 1) and (0.5, 0.75, 0.25), the second at (1.25, 0.5, 0.25): along x
    // they overlap by 1 + 0.5 − 1.25 = 0.25, along y by at least 1.25, along z by 1.
    let model = |half: [f32; 3]| impinge_integration_tests::solids::block(half);
    let (a, b) = (model([1.0; 3]), model([0.5, 0.75, 0.25]));
    let at = Isometry3::translation(1.25, 0.5, 0.25);
    let found = least_translation([&a, &b], [&Isometry3::identity(), &at], &[], &Search::default());
    assert!(found.distance >= 0.25 && found.distance < 0.25 * 1.005, "{found:?}");
    assert!(found.direction.x > 0.995);
    let hinted =
        least_translation([&a, &b], [&Isometry3::identity(), &at], &[Vector3::x()], &Search::default());
    assert!(hinted.distance >= 0.25 && hinted.distance < 0.25 + 1e-4, "{hinted:?}");
    // Nested: the small one leaves by the nearest wall, here +z after 1 − 0.25 + 0.25 + … = 1.0.
    let at = Isometry3::translation(0.0, 0.0, 0.25);
    let nested = least_translation([&a, &b], [&Isometry3::identity(), &at], &[], &Search::default());
    assert!(nested.distance >= 1.0 && nested.distance < 1.01, "{nested:?}");
    // Free already.
    let at = Isometry3::translation(3.0, 0.0, 0.0);
    let free = least_translation([&a, &b], [&Isometry3::identity(), &at], &[], &Search::default());
    assert_eq!(free.distance, 0.0);
}
