//! One scratch serves many pairs, and no pair reads another pair's buffers.
//!
//! Every answer with a shared scratch is compared bit for bit with the answer from new buffers.

use std::fmt::Write as _;

use impinge::NarrowMethod;
use impinge::prelude::*;
use impinge::query::QueryScratch;
use impinge_oracle::solids::{block, pin, ring};
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};
use impinge_scenes::fixtures::torus;
use impinge_scenes::mesh::{Bolt, Knot, Nut, OpenBox};
use impinge_scenes::random::Random;
use impinge_scenes::{SceneParams, scene};
use nalgebra::Translation3;

/// Random placements of each pair of shapes.
const PLACEMENTS: usize = 6;

/// Merges shells into one mesh, each moved by its shift (m). Shells may cross.
fn merged(shells: &[(TriMesh, [f32; 3])]) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (shell, shift) in shells {
        let first = vertices.len() as u32;
        vertices.extend(shell.vertices().iter().map(|p| p + Vector3::from(*shift)));
        triangles.extend(shell.triangles().iter().map(|corners| corners.map(|v| v + first)));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// Two boxes that cross like a plus sign, as one mesh: their shells overlap, so that volumes count
/// twice there.
fn crossing_boxes() -> TriMesh {
    merged(&[(block([1.5, 0.5, 0.5]), [0.0; 3]), (block([0.5, 1.5, 0.625]), [0.0, 0.0, 0.375])])
}

/// A cup and a handle that reaches into its wall, as two shells of one mesh.
fn mug() -> TriMesh {
    let cup = OpenBox { half_inside: [0.5, 0.5], height: 1.2, wall: 0.15, divisions: 2 };
    merged(&[(cup.mesh().unwrap(), [0.0; 3]), (torus(0.35, 0.1, 16, 8), [0.75, 0.0, 0.5])])
}

/// One sixth of a thick ring, as a decomposition of the ring gives it: a prism over a trapezoid.
fn piece() -> TriMesh {
    let at = |radius: f32, turn: f32, z: f32| Point3::new(radius * turn.cos(), radius * turn.sin(), z);
    let turn = std::f32::consts::FRAC_PI_6;
    let corner = |k: usize| {
        let radius = if k & 1 == 0 { 0.6 } else { 1.2 };
        let turn = if k & 2 == 0 { -turn } else { turn };
        at(radius, turn, if k & 4 == 0 { -0.4 } else { 0.4 })
    };
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    TriMesh::new((0..8).map(corner).collect(), triangles).unwrap()
}

/// A ring of six pieces whose sides lie in common planes.
fn decomposed_ring() -> Shape {
    let turned = |k: u32| Isometry3::rotation(Vector3::z() * (f64::from(k) * std::f64::consts::FRAC_PI_3));
    Shape::composite((0..6).map(|k| (turned(k), Shape::from(piece()))).collect()).unwrap()
}

fn shapes() -> Vec<(&'static str, Shape)> {
    vec![
        ("piece", piece().into()),
        ("decomposed ring", decomposed_ring()),
        ("mug", mug().into()),
        ("crossing boxes", crossing_boxes().into()),
        ("prism", pin(1.0, 1.0, 6).into()),
        ("ring", ring(0.6, 1.2, 0.3, 12).into()),
        ("knot", Knot { along: 48, across: 6, ..Knot::default() }.mesh().unwrap().into()),
        ("bolt", Bolt { turns: 3, ..Bolt::default() }.mesh().unwrap().into()),
        ("nut", Nut { turns: 2, ..Nut::default() }.mesh().unwrap().into()),
    ]
}

/// A pair of shapes at one placement.
struct Asked {
    shapes: [usize; 2],
    pose: Isometry3<f64>,
}

/// Places every shape against every other, from a slight overlap to a deep one, in a random order.
fn placements(shapes: &[(&str, Shape)], random: &mut Random) -> Vec<Asked> {
    let mut all = Vec::new();
    let radius: Vec<f64> = shapes.iter().map(|(_, s)| f64::from(s.bounding_sphere().radius)).collect();
    for a in 0..shapes.len() {
        for b in 0..shapes.len() {
            for _ in 0..PLACEMENTS {
                let apart = (radius[a] + radius[b]) * (0.2 + 0.7 * random.unit());
                // Flat on each other, or turned at will.
                let turn = if random.index(2) == 0 { random.rotation() } else { UnitQuaternion::identity() };
                let shift = Translation3::from(random.direction() * apart);
                all.push(Asked { shapes: [a, b], pose: Isometry3::from_parts(shift, turn) });
            }
        }
    }
    let threads = ["bolt", "nut"].map(|name| shapes.iter().position(|(other, _)| *other == name).unwrap());
    for k in 0..4 {
        // The nut sits on the bolt's thread, and its flanks wind round the axis.
        let shift = Isometry3::translation(0.0, 0.0, 0.15 + 0.01 * f64::from(k));
        all.push(Asked { shapes: threads, pose: shift });
    }
    for k in (1..all.len()).rev() {
        all.swap(k, random.index(k + 1));
    }
    all
}

#[test]
fn answers_with_a_shared_scratch_are_those_with_new_buffers() {
    let shapes = shapes();
    let prepared: Vec<PreparedShape> = shapes.iter().map(|(_, s)| PreparedShape::new(s)).collect();
    let settings = [
        QuerySettings::default(),
        QuerySettings::default().margin(0.02).count_triangle_pairs(true),
        QuerySettings::default().narrow_method(NarrowMethod::HeightMap).patch_samples(8),
    ];
    let mut shared = QueryScratch::default();
    let (mut touching, mut manifolds) = (0, 0);
    for asked in placements(&shapes, &mut Random::new(41)) {
        let [a, b] = asked.shapes.map(|k| &prepared[k]);
        let names = asked.shapes.map(|k| shapes[k].0);
        let (at, pose) = (Isometry3::identity(), asked.pose);
        for settings in settings {
            let query = PairQuery::between(a, b).with_settings(settings).unwrap();
            let answer = query.at_with(&at, &pose, &mut shared).unwrap();
            let fresh = query.at_with(&at, &pose, &mut QueryScratch::default()).unwrap();
            // Debug text tells any two different bits of a finite number apart, the sign of zero
            // included.
            assert_eq!(format!("{answer:?}"), format!("{fresh:?}"), "{names:?} at {pose}, {settings:?}");
            touching += usize::from(answer.touching);
            manifolds += answer.manifolds.len();
        }
        let query = PairQuery::between(a, b);
        let volume = query.intersection_volume_with(&at, &pose, &mut shared).unwrap();
        let fresh = query.intersection_volume_with(&at, &pose, &mut QueryScratch::default()).unwrap();
        assert_eq!(format!("{volume:?}"), format!("{fresh:?}"), "volume of {names:?} at {pose}");
    }
    println!("{touching} answers of pairs that touch, {manifolds} manifolds");
    assert!(touching > 300, "only {touching} answers are of pairs that touch");
}

/// Writes a mesh as a Wavefront file.
fn write_obj(mesh: &TriMesh, path: &std::path::Path) {
    let mut text = String::new();
    for p in mesh.vertices() {
        writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap();
    }
    for [a, b, c] in mesh.triangles() {
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).unwrap();
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn crossing_boxes_and_prisms_fall_into_a_bin() {
    let folder = tempfile::tempdir().unwrap();
    let meshes = [("crossing_boxes.obj", crossing_boxes()), ("prism.obj", pin(1.0, 1.0, 6))];
    let meshes = meshes.map(|(name, mesh)| {
        let path = folder.path().join(name);
        write_obj(&mesh, &path);
        path
    });
    for seed in 1..=4 {
        let params =
            SceneParams { bodies: Some(20), seed, meshes: meshes.to_vec(), ..SceneParams::default() };
        let scene = scene("bin", &params).unwrap();
        let world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
        let settings = SimulatorSettings { gravity: scene.gravity, ..SimulatorSettings::default() };
        let mut simulator = Simulator::new(world, settings).unwrap();
        let mut bodies = Vec::new();
        for body in &scene.bodies {
            let shape = simulator.world_mut().add_shape(scene.shapes[body.shape].shape.clone()).unwrap();
            let density = (!body.fixed).then_some(body.density);
            let desc = BodyDesc { density, ..BodyDesc::new(shape).pose(body.pose) };
            bodies.push(simulator.add_body(desc).unwrap());
        }
        for _ in 0..120 {
            simulator.step(1.0 / 60.0).unwrap();
        }
        for id in bodies {
            let at = simulator.body(id).unwrap().pose().translation.vector;
            assert!(at.iter().all(|x| x.is_finite()), "seed {seed}: a body is at {at}");
        }
    }
}
