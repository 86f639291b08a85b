//! What maps on the device say part by part: of each point of a cloud what it hit, of each subshape of an object where it overlaps by the best of
//! its projections, and of an environment what lies behind what is nearest. Held against the CPU's answers.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use impinge_geometry::{Shape, TriMesh};
use impinge_gpu_narrow::height_map::{
    GpuArticulated, GpuCloudAnswer, GpuPoints, GpuProfile, MapEngine, MapError, MapStatus,
};
use impinge_gpu_narrow::testing::adapter_or_skip;
use impinge_gpu_narrow::{Capacities, EngineSettings, GpuChannels, GpuEnvironment, GpuPiece};
use impinge_image_space::cloud::{Bounce, CloudHit, CloudMap, CloudView, Points};
use impinge_image_space::height_map::{
    AgainstScratch, Bounds, Channels, ImagePlane, Obstacle, Overlap, Profile,
};
use impinge_scenes::mesh::{Blob, Torus};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Translation3, Vector3};
use wgpu::BufferUsages as U;

use crate::maps::{buffer, engine, meshes};

use impinge_gpu_narrow::wgpu;

fn piece(engine: &MapEngine, mesh: &TriMesh, pose: Isometry3<f64>, body: u32) -> GpuPiece {
    GpuPiece::upload(engine.device(), engine.queue(), mesh, pose, body)
}

/// Bodies about a place, a third of them with values at vertices, a third with values of the whole, on both sides.
fn bodies(engine: &MapEngine, center: &Point3<f64>, random: &mut Random) -> (Vec<Obstacle>, GpuEnvironment) {
    let (mut obstacles, mut world) = (Vec::new(), GpuEnvironment::new());
    for (k, (_, mesh)) in meshes().into_iter().enumerate() {
        let aside = random.direction() * (0.7 + 0.3 * k as f64);
        let pose = Isometry3::from_parts(Translation3::from(center.coords + aside), random.rotation());
        let values: Vec<[f32; 4]> =
            mesh.vertices().iter().map(|p| [p.x, 2.0 * p.y, p.z - p.x, k as f32]).collect();
        let mut sent = piece(engine, &mesh, pose, k as u32);
        let mut obstacle = Obstacle::new(&Shape::Mesh(Arc::new(mesh)), pose, k as u32);
        let all = [k as f32, -1.0, 0.5, 1e6];
        (obstacle.channels, sent.channels) = match k % 3 {
            0 => {
                let there = buffer(engine, &values, U::STORAGE);
                let sent = GpuChannels::Vertices { values: there, start: 0, stride: 4 };
                (Channels::Vertices(values.into()), sent)
            }
            1 => (Channels::Body(all), GpuChannels::Body(all)),
            _ => (Channels::None, GpuChannels::None),
        };
        obstacles.push(obstacle);
        world.add(sent).unwrap();
    }
    (obstacles, world)
}

/// Points of a cloud in one step.
struct Cloud {
    from: Vec<[f32; 3]>,
    to: Vec<[f32; 3]>,
    radius: f32,
}

impl Cloud {
    fn sent(&self, engine: &MapEngine) -> GpuPoints {
        let speeds = vec![[0.0f32, 0.0, 1.0]; self.to.len()];
        GpuPoints {
            before: buffer(engine, &self.from, U::STORAGE),
            places: buffer(engine, &self.to, U::STORAGE),
            velocities: buffer(engine, &speeds, U::STORAGE),
            stride: 3,
            count: self.to.len() as u32,
            radius: self.radius,
        }
    }
}

/// Holds what points hit on the device against what they hit on the CPU; gives how many do there, and how many of them had values.
fn same_hits(answer: &GpuCloudAnswer, expected: &[CloudHit]) -> [usize; 2] {
    assert!(answer.status.is_none(), "{:?}", answer.fault);
    assert_eq!(answer.hits.len(), answer.turned as usize);
    assert!(answer.hits.is_sorted_by(|a, b| a.point < b.point));
    let mut own: BTreeMap<u32, &CloudHit> = expected.iter().map(|hit| (hit.point, hit)).collect();
    let (mut differ, mut known) = (0, 0);
    for hit in &answer.hits {
        let Some(cpu) = own.remove(&hit.point) else {
            differ += 1;
            continue;
        };
        let place = (hit.position.cast::<f64>() - cpu.position).norm();
        let same = hit.body == cpu.body && place < 3e-3 && (f64::from(hit.depth) - cpu.depth).abs() < 3e-3;
        // Across an edge the next triangle lies as near.
        let beside = hit.primitive != cpu.triangle;
        let normal = hit.normal.unwrap();
        let values = match (hit.channels, cpu.channels) {
            (Some(a), Some(b)) => a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 0.05),
            (a, b) => a.is_none() && b.is_none(),
        };
        assert_eq!(hit.channels.is_some(), hit.body % 3 != 2, "{hit:?}");
        assert!(hit.body % 3 != 1 || hit.channels == Some([hit.body as f32, -1.0, 0.5, 1e6]), "{hit:?}");
        known += usize::from(hit.channels.is_some());
        differ += usize::from(!same || beside || (normal - cpu.normal).norm() > 5e-3 || !values);
    }
    differ += own.len();
    println!(
        "{} points hit something on the CPU, {differ} otherwise, {} not at all",
        expected.len(),
        own.len()
    );
    // What is seen in a pixel on the border of a triangle may be its neighbour: 4 in 100 points at most.
    assert!(differ <= expected.len() / 25, "{differ} of {}", expected.len());
    [expected.len(), known]
}

#[test]
fn points_say_what_they_hit_as_on_the_cpu() {
    let Some(mut engine) = engine("points_say_what_they_hit_as_on_the_cpu") else { return };
    let mut random = Random::new(11);
    let center = Point3::new(2.0, -1.0, 0.5);
    let (mut all, mut known) = (0, 0);
    for round in 0..4 {
        let (obstacles, world) = bodies(&engine, &center, &mut random);
        let mut cloud = Cloud { from: Vec::new(), to: Vec::new(), radius: [0.0, 0.05][round % 2] };
        for _ in 0..12_000 {
            let (start, end) = match round < 2 {
                true => {
                    let way = random.direction();
                    let start = center + way * (2.0 * random.unit());
                    (start, start + way * (3.0 * random.unit()))
                }
                false => {
                    let aside = [0; 2].map(|_| 1.9 * random.signed());
                    let start = center + Vector3::new(aside[0], aside[1], -2.4 + 0.2 * random.unit());
                    (start, start + Vector3::z() * (4.0 * random.unit()))
                }
            };
            cloud.from.push(start.cast::<f32>().into());
            cloud.to.push(end.cast::<f32>().into());
        }
        cloud.to[9][2] = f32::NAN;
        let view = match round < 2 {
            true => CloudView::Around { center, near: 0.05, pixels: 400 },
            false => {
                let plane = ImagePlane::new(center, Vector3::z(), Vector3::y(), [4.0, 4.0], [512, 512]);
                CloudView::Along(plane.unwrap().between(-2.5, 3.0))
            }
        };
        let mut map = CloudMap::new(view).unwrap();
        map.draw(&obstacles);
        let mut expected = Vec::new();
        let points = Points::new(&cloud.from, &cloud.to).radius(cloud.radius);
        map.hits(&obstacles, points, &mut expected).unwrap();
        let sent = cloud.sent(&engine);
        let answer = engine.cloud_hits(&view, &world, &sent, &Bounce::default()).unwrap();
        assert_eq!(answer.unusable, 1);
        let [count, own] = same_hits(&answer, &expected);
        (all, known) = (all + count, known + own);
        // Without records the same points are turned back.
        let sent = cloud.sent(&engine);
        let plain = engine.cloud(&view, &world, &sent, &Bounce::default()).unwrap();
        assert_eq!((plain.turned, plain.hits.len()), (answer.turned, 0));
    }
    assert!(all > 2000 && known > 500, "{all} {known}");
}

#[test]
fn points_without_room_for_records_are_turned_back_all_the_same() {
    let test = "points_without_room_for_records_are_turned_back_all_the_same";
    let Some(adapter) = adapter_or_skip(test) else { return };
    // Room for the parameters of a draw, and for the records of few points.
    let capacities = Capacities { buffer_bytes: 2048, ..Capacities::default() };
    let settings = EngineSettings { adapter, capacities, ..EngineSettings::default() };
    let mut engine = MapEngine::new(settings).unwrap();
    let mut world = GpuEnvironment::new();
    world.add(piece(&engine, &Torus::default().mesh().unwrap(), Isometry3::identity(), 4)).unwrap();
    let from: Vec<[f32; 3]> = (0..400).map(|k| [0.2 + 0.0003 * k as f32, 0.0003 * k as f32, -2.0]).collect();
    let to = from.iter().map(|p| [p[0], p[1], 2.0]).collect();
    let cloud = Cloud { from, to, radius: 0.0 };
    let plane = ImagePlane::new(Point3::origin(), Vector3::z(), Vector3::y(), [3.0, 3.0], [128, 128]);
    let view = CloudView::Along(plane.unwrap().between(-2.5, 2.5));
    let sent = cloud.sent(&engine);
    let few = engine.cloud_hits(&view, &world, &sent, &Bounce::default()).unwrap();
    assert_eq!(few.status, MapStatus::TRUNCATED, "{:?}", few.fault);
    assert!(few.turned > 200 && few.hits.len() == (2048 / 4 - 4) / 16, "{} {}", few.turned, few.hits.len());
    assert!(few.hits.iter().all(|hit| hit.body == 4 && hit.channels.is_none()));
}

/// The CPU's least overlap of a subshape: which of its profiles, and the pixels.
fn least(
    profiles: &[Profile],
    pose: &Isometry3<f64>,
    obstacles: &[Obstacle],
    bounds: Bounds,
) -> (u32, Overlap) {
    let mut least = (0, Overlap::default());
    for (k, profile) in profiles.iter().enumerate() {
        let mut found = Overlap::default();
        profile.overlap(pose, obstacles, bounds, &mut AgainstScratch::default(), &mut found);
        let last = found.pixels.is_empty();
        if k == 0 || last || found.volume < least.1.volume {
            least = (k as u32, found);
        }
        if last {
            break;
        }
    }
    least
}

#[test]
fn articulated_objects_and_several_projections_overlap_as_on_the_cpu() {
    let test = "articulated_objects_and_several_projections_overlap_as_on_the_cpu";
    let Some(mut engine) = engine(test) else { return };
    let mut random = Random::new(31);
    let bounds = Bounds::TwoSided;
    let (mut compared, mut second) = (0, 0);
    for _ in 0..6 {
        let (obstacles, world) = bodies(&engine, &Point3::origin(), &mut random);
        let parts = meshes();
        let mut cpu: Vec<Vec<Profile>> = Vec::new();
        let mut sides = Vec::new();
        for (_, mesh) in &parts {
            let shape = Shape::Mesh(Arc::new(mesh.clone()));
            let along = [0; 3].map(|_| random.direction());
            let profiles = along.map(|d| Profile::new(&shape, d, 96).unwrap());
            let device = |profile: &Profile| {
                let (plane, length) = (*profile.plane(), profile.length());
                GpuProfile::new(&engine, plane, length, bounds, 0.0).unwrap()
            };
            sides.push(profiles.iter().map(device).collect::<Vec<_>>());
            cpu.push(profiles.into());
        }
        let object = GpuArticulated::new(sides).unwrap();
        for (k, (_, mesh)) in parts.iter().enumerate() {
            let own = [piece(&engine, mesh, Isometry3::identity(), 0)];
            for profile in object.profiles(k) {
                engine.draw_object(profile, &own).unwrap().unwrap();
            }
        }
        let poses: Vec<_> = (0..parts.len())
            .map(|_| {
                let there = Translation3::from(random.direction() * (1.6 * random.unit()));
                Isometry3::from_parts(there, random.rotation())
            })
            .collect();
        let found = engine.overlap_articulated(&object, &poses, &world).unwrap();
        assert!(found.is_sorted_by(|a, b| a.subshape < b.subshape));
        for (k, profiles) in cpu.iter().enumerate() {
            let (direction, expected) = least(profiles, &poses[k], &obstacles, bounds);
            let own = found.iter().find(|own| own.subshape == k as u32);
            let hits = own.map_or(&[][..], |own| &own.overlap.hits);
            // Few pixels may be there on one side alone, on borders: then another direction may have the least.
            if expected.pixels.len() < 30 {
                assert!(hits.len() < 60, "{} {}", hits.len(), expected.pixels.len());
                continue;
            }
            let own = own.unwrap();
            assert!(own.overlap.status.is_none(), "{:?}", own.overlap.fault);
            compared += 1;
            second += usize::from(direction > 0);
            let all = (own.overlap.volume - expected.volume).abs();
            assert!(all < 0.03 * expected.volume, "{} {}", own.overlap.volume, expected.volume);
            if own.direction == direction {
                let many = hits.len().abs_diff(expected.pixels.len());
                assert!(many <= 4 + expected.pixels.len() / 25, "{many} of {}", expected.pixels.len());
            }
        }
    }
    println!(
        "{compared} subshapes compared, {second} of them seen by another direction ({})",
        engine.adapter()
    );
    assert!(compared > 10 && second > 3, "{compared} {second}");
}

#[test]
fn objects_that_cannot_be_asked_about_are_refused() {
    let Some(mut engine) = engine("objects_that_cannot_be_asked_about_are_refused") else { return };
    let shape = Shape::sphere(1.0).unwrap();
    let profile = Profile::new(&shape, Vector3::z(), 16).unwrap();
    let side = || GpuProfile::new(&engine, *profile.plane(), profile.length(), Bounds::Box, 0.0).unwrap();
    let error = GpuArticulated::new(vec![vec![side()], vec![]]).unwrap_err();
    assert_eq!(error, MapError::NoDirection { subshape: 1 });
    let object = GpuArticulated::new(vec![vec![side()], vec![side(), side()]]).unwrap();
    assert_eq!((object.subshapes(), object.profiles(1).len(), object.profiles(7).len()), (2, 2, 0));
    let world = GpuEnvironment::new();
    let here = Isometry3::identity();
    let error = engine.overlap_articulated(&object, &[here], &world).unwrap_err();
    assert_eq!(error, MapError::SubshapePoses { given: 1, subshapes: 2 });
    let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
    let error = engine.overlap_articulated(&object, &[here, nowhere], &world).unwrap_err();
    assert!(matches!(error, MapError::Pose { subshape: 1, .. }), "{error}");
    assert!(engine.overlap_articulated(&object, &[here; 2], &world).unwrap().is_empty());
    // A device that is lost evaluates nothing, and says so of each subshape and of the first layer.
    let mut world = GpuEnvironment::new();
    world.add(piece(&engine, &Torus::default().mesh().unwrap(), here, 0)).unwrap();
    engine.lose();
    let lost = engine.overlap_articulated(&object, &[here; 2], &world).unwrap();
    let said = |status: MapStatus| status.contains(MapStatus::NOT_EVALUATED);
    assert!(lost.len() == 2 && lost.iter().all(|own| said(own.overlap.status)));
    let lost = engine.overlap_layers(&object.profiles(0)[0], &here, &world, 5);
    assert!(lost.len() == 1 && said(lost[0].status) && lost[0].fault.is_some());
}

/// Of each body alone the CPU knows the nearest surface in a pixel: the first of the layers that is the body's.
#[test]
fn layers_have_what_lies_behind_the_first_obstacle() {
    let Some(mut engine) = engine("layers_have_what_lies_behind_the_first_obstacle") else { return };
    let mut random = Random::new(47);
    let object = Blob { radius: 1.2, ..Blob::default() }.mesh().unwrap();
    let shape = Shape::Mesh(Arc::new(object.clone()));
    let (mut pixels, mut differ, mut behind, mut deepest) = (0, 0, 0, 0);
    for bounds in [Bounds::Box, Bounds::TwoSided, Bounds::TwoSided, Bounds::Terrain] {
        let profile = Profile::new(&shape, random.direction(), 96).unwrap();
        let device = GpuProfile::new(&engine, *profile.plane(), profile.length(), bounds, 8.0).unwrap();
        engine.draw_object(&device, &[piece(&engine, &object, Isometry3::identity(), 0)]).unwrap().unwrap();
        let (mut obstacles, mut world) = (Vec::new(), GpuEnvironment::new());
        for (k, (_, mesh)) in meshes().into_iter().enumerate() {
            let there = Translation3::from(random.direction() * (0.8 * random.unit()));
            let pose = Isometry3::from_parts(there, random.rotation());
            world.add(piece(&engine, &mesh, pose, k as u32)).unwrap();
            obstacles.push(Obstacle::new(&Shape::Mesh(Arc::new(mesh)), pose, k as u32));
        }
        let here = Isometry3::identity();
        let layers = engine.overlap_layers(&device, &here, &world, 64);
        assert!(layers.len() > 2 && layers.len() < 64, "{}", layers.len());
        assert!(layers.iter().all(|layer| layer.status.is_none() && !layer.hits.is_empty()));
        assert_eq!(layers[0], engine.overlap(&device, &here, &world));
        assert_eq!(engine.overlap_layers(&device, &here, &world, 2), layers[..2]);
        assert!(engine.overlap_layers(&device, &here, &world, 0).is_empty());
        deepest = deepest.max(layers.len());
        // In each pixel one lies behind the other.
        let mut last: BTreeMap<[u32; 2], f64> = BTreeMap::new();
        let mut first: BTreeMap<(u32, [u32; 2]), f64> = BTreeMap::new();
        for (k, layer) in layers.iter().enumerate() {
            for hit in &layer.hits {
                let before = last.insert(hit.pixel, hit.at);
                assert_eq!(before.is_some(), k > 0, "layer {k}, {hit:?}");
                assert!(before.is_none_or(|before| before < hit.at), "layer {k}, {hit:?}");
                if let Entry::Vacant(place) = first.entry((hit.body, hit.pixel)) {
                    place.insert(hit.depth);
                    behind += usize::from(k > 0);
                }
            }
        }
        for (k, obstacle) in obstacles.iter().enumerate() {
            let mut alone = Overlap::default();
            let only = std::slice::from_ref(obstacle);
            profile.overlap(&here, only, bounds, &mut AgainstScratch::default(), &mut alone);
            pixels += alone.pixels.len();
            for pixel in &alone.pixels {
                let found = first.remove(&(k as u32, [pixel.x, pixel.y]));
                let same = found.is_some_and(|depth| (depth - pixel.depth).abs() < 2e-3 * profile.length());
                differ += usize::from(!same);
            }
        }
        differ += first.len();
    }
    println!(
        "{pixels} pixels of bodies alone, {behind} behind others, up to {deepest} layers; {differ} otherwise ({})",
        engine.adapter()
    );
    // On borders of triangles, as of one layer.
    assert!(behind > 1000 && differ <= pixels / 25, "{differ} of {pixels}, {behind}");
}
