//! Height maps and clouds on the device against the CPU's, and the environment that only the device
//! knows.

use std::sync::Arc;

use impinge_geometry::{Aabb, Shape, TriMesh};
use impinge_gpu_narrow::height_map::{GpuPoints, GpuProfile, MapEngine};
use impinge_gpu_narrow::testing::adapter_or_skip;
use impinge_gpu_narrow::{EngineSettings, GpuChannels, GpuEnvironment, GpuPiece, Topology, wgpu};
use impinge_image_space::cloud::{Bounce, CloudMap, CloudView, Points};
use impinge_image_space::height_map::{
    AgainstScratch, Bounds, Channels, ImagePlane, Obstacle, Overlap, Profile,
};
use impinge_scenes::mesh::{Blob, Bowl, Gear, Ship, Torus};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use wgpu::BufferUsages as U;

pub(super) fn engine(test: &str) -> Option<MapEngine> {
    let adapter = adapter_or_skip(test)?;
    Some(MapEngine::new(EngineSettings { adapter, ..EngineSettings::default() }).unwrap())
}

pub(super) fn buffer<T: bytemuck::NoUninit>(engine: &MapEngine, values: &[T], usage: U) -> wgpu::Buffer {
    let bytes = bytemuck::cast_slice(values);
    let buffer = engine.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes.len().max(4) as u64,
        usage: usage | U::COPY_DST,
        mapped_at_creation: false,
    });
    engine.queue().write_buffer(&buffer, 0, bytes);
    buffer
}

fn words(engine: &MapEngine, buffer: &wgpu::Buffer) -> Vec<f32> {
    let device = engine.device();
    let back = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: buffer.size(),
        usage: U::COPY_DST | U::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &back, 0, buffer.size());
    engine.queue().submit([encoder.finish()]);
    back.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let view = back.get_mapped_range(..).unwrap();
    view.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect()
}

pub(super) fn meshes() -> [(&'static str, TriMesh); 5] {
    [
        ("ship", Ship::default().mesh().unwrap()),
        ("torus", Torus::default().mesh().unwrap()),
        ("gear", Gear::default().mesh().unwrap()),
        ("bowl", Bowl::default().mesh().unwrap()),
        ("blob", Blob::default().mesh().unwrap()),
    ]
}

/// Pixels of both, each with its depth: how many there are, how many only one has, and how many have other
/// depths.
fn compare(cpu: &Overlap, gpu: &[(u32, u32, f64)], slack: f64) -> [usize; 3] {
    let mut own =
        cpu.pixels.iter().map(|p| ((p.y, p.x), p.depth)).collect::<std::collections::BTreeMap<_, _>>();
    let [mut lone, mut other] = [0, 0];
    for (x, y, depth) in gpu {
        match own.remove(&(*y, *x)) {
            None => lone += 1,
            Some(d) => other += usize::from((d - depth).abs() > slack),
        }
    }
    [cpu.pixels.len(), lone + own.len(), other]
}

#[test]
fn height_maps_find_the_cpus_pixels() {
    let Some(mut engine) = engine("height_maps_find_the_cpus_pixels") else { return };
    let mut random = Random::new(11);
    for (name, object) in &meshes() {
        let shape = Shape::Mesh(Arc::new(object.clone()));
        let (mut pixels, mut lone, mut other, mut poses) = (0, 0, 0, 0);
        for (around, environment) in &meshes() {
            let obstacle = Shape::Mesh(Arc::new(environment.clone()));
            for bounds in [Bounds::Box, Bounds::TwoSided, Bounds::Terrain] {
                let direction = random.direction();
                let profile = Profile::new(&shape, direction, 96).unwrap();
                let reach = f64::from(shape.bounding_sphere().radius + obstacle.bounding_sphere().radius);
                let there = Translation3::from(random.direction() * (0.6 * reach * random.unit()));
                let pose = Isometry3::from_parts(there, random.rotation());
                let at =
                    Isometry3::from_parts(Translation3::from(random.direction() * 0.1), random.rotation());
                let mut cpu = Overlap::default();
                let obstacles = [Obstacle::new(&obstacle, at, 3)];
                profile.overlap(&pose, &obstacles, bounds, &mut AgainstScratch::default(), &mut cpu);
                let device =
                    GpuProfile::new(&engine, *profile.plane(), profile.length(), bounds, 4.0 * reach)
                        .unwrap();
                let own = GpuPiece::upload(engine.device(), engine.queue(), object, Isometry3::identity(), 0);
                engine.draw_object(&device, &[own]).unwrap().unwrap();
                let mut world = GpuEnvironment::new();
                world.add(GpuPiece::upload(engine.device(), engine.queue(), environment, at, 3)).unwrap();
                let gpu = engine.overlap(&device, &pose, &world);
                assert!(gpu.status.is_none(), "{:?}", gpu.fault);
                let found: Vec<_> = gpu.hits.iter().map(|h| (h.pixel[0], h.pixel[1], h.depth)).collect();
                let [count, alone, deep] = compare(&cpu, &found, 2e-3 * profile.length());
                let limit = 4 + count / 25;
                assert!(
                    alone <= limit && deep <= limit,
                    "{name} in {around}, {bounds:?}: {count} pixels, {alone} of one alone, {deep} of other depth"
                );
                for hit in &gpu.hits {
                    assert_eq!(hit.body, 3);
                    let corners = environment.corners(hit.primitive).map(|p| at * p.cast::<f64>());
                    let n = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
                    if n.norm() > 0.0 {
                        let n = n.normalize().cast::<f32>();
                        assert!((hit.normal.unwrap() - n).norm() < 5e-3, "{hit:?} {n}");
                    }
                }
                pixels += count;
                lone += alone;
                other += deep;
                poses += 1;
            }
        }
        println!(
            "{name}: {poses} poses, {pixels} pixels, {lone} of one alone, {other} of other depth ({})",
            engine.adapter()
        );
        assert!(pixels > 500, "{name}: {pixels}");
    }
}

/// Values at vertices, of a whole body, and none, side by side in one picture.
#[test]
fn what_the_caller_knows_comes_back_as_on_the_cpu() {
    let Some(mut engine) = engine("what_the_caller_knows_comes_back_as_on_the_cpu") else { return };
    let mut random = Random::new(23);
    let object = Blob { radius: 0.6, ..Blob::default() }.mesh().unwrap();
    let shape = Shape::Mesh(Arc::new(object.clone()));
    let (mut count, mut lone, mut other, mut kinds) = (0, 0, 0, [0; 3]);
    for _ in 0..8 {
        let profile = Profile::new(&shape, random.direction(), 96).unwrap();
        let bounds = Bounds::TwoSided;
        let device = GpuProfile::new(&engine, *profile.plane(), profile.length(), bounds, 0.0).unwrap();
        let own = GpuPiece::upload(engine.device(), engine.queue(), &object, Isometry3::identity(), 0);
        engine.draw_object(&device, &[own]).unwrap().unwrap();
        let (mut obstacles, mut world) = (Vec::new(), GpuEnvironment::new());
        for (k, (_, mesh)) in meshes().into_iter().enumerate() {
            let there = Translation3::from(random.direction() * (0.7 * random.unit()));
            let pose = Isometry3::from_parts(there, random.rotation());
            let values: Vec<[f32; 4]> = mesh
                .vertices()
                .iter()
                .map(|p| [p.x, p.y * p.y, 5.0 * p.z, k as f32 + 0.3 * random.signed() as f32])
                .collect();
            let all = [k as f32, -1.0, 0.5, 1e6];
            let mut piece = GpuPiece::upload(engine.device(), engine.queue(), &mesh, pose, k as u32);
            let mut obstacle = Obstacle::new(&Shape::Mesh(Arc::new(mesh)), pose, k as u32);
            // Three words of the caller's own before the first, and one behind each.
            let mut sent = vec![7.0f32; 3];
            sent.extend(values.iter().flat_map(|v| [v[0], v[1], v[2], v[3], 9.0]));
            (obstacle.channels, piece.channels) = match k % 3 {
                0 => (
                    Channels::Vertices(values.into()),
                    GpuChannels::Vertices { values: buffer(&engine, &sent, U::STORAGE), start: 3, stride: 5 },
                ),
                1 => (Channels::Body(all), GpuChannels::Body(all)),
                _ => (Channels::None, GpuChannels::None),
            };
            obstacles.push(obstacle);
            world.add(piece).unwrap();
        }
        let pose = Isometry3::identity();
        let mut cpu = Overlap::default();
        profile.overlap(&pose, &obstacles, bounds, &mut AgainstScratch::default(), &mut cpu);
        let gpu = engine.overlap(&device, &pose, &world);
        assert!(gpu.status.is_none(), "{:?}", gpu.fault);
        let mut own: std::collections::BTreeMap<_, _> =
            cpu.pixels.iter().map(|p| ((p.x, p.y), p.channels)).collect();
        count += cpu.pixels.len();
        for hit in &gpu.hits {
            let kind = hit.body as usize % 3;
            assert_eq!(hit.channels.is_some(), kind != 2, "{hit:?}");
            kinds[kind] += 1;
            match (own.remove(&(hit.pixel[0], hit.pixel[1])), hit.channels) {
                (None, _) => lone += 1,
                (Some(None), None) => {}
                (Some(Some(a)), Some(b)) => {
                    let near = a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 0.02);
                    other += usize::from(!near);
                }
                _ => other += 1,
            }
        }
        lone += own.len();
    }
    println!("{count} pixels ({kinds:?}), {lone} of one alone, {other} know else ({})", engine.adapter());
    assert!(kinds.iter().all(|k| *k > 500), "{kinds:?}");
    assert!(lone + other <= count / 50, "{lone} {other} of {count}");
}

/// Points of a cloud in one step, and how fast they are.
struct Cloud {
    from: Vec<[f32; 3]>,
    to: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
    radius: f32,
}

/// Turns the cloud's points back on the CPU and on the device, and holds places and velocities against each
/// other; `unusable` points are no numbers. How many hit something on the CPU.
fn turned_alike(
    engine: &mut MapEngine,
    view: CloudView,
    bodies: &[(TriMesh, Isometry3<f64>)],
    cloud: &Cloud,
    unusable: u32,
) -> usize {
    let Cloud { from, to, velocities, radius } = cloud;
    let bounce = Bounce { restitution: 0.5, friction: 0.1, gap: 0.001 };
    let shapes: Vec<Shape> = bodies.iter().map(|(mesh, _)| Shape::Mesh(Arc::new(mesh.clone()))).collect();
    let obstacles: Vec<Obstacle> =
        shapes.iter().zip(bodies).map(|(shape, (_, pose))| Obstacle::new(shape, *pose, 1)).collect();
    let mut map = CloudMap::new(view).unwrap();
    map.draw(&obstacles);
    let mut hits = Vec::new();
    map.hits(&obstacles, Points::new(from, to).radius(*radius), &mut hits).unwrap();
    let (mut places, mut speeds) = (to.clone(), velocities.clone());
    for hit in &hits {
        bounce.apply(hit, &mut places[hit.point as usize], &mut speeds[hit.point as usize]);
    }

    let mut world = GpuEnvironment::new();
    for (mesh, pose) in bodies {
        world.add(GpuPiece::upload(engine.device(), engine.queue(), mesh, *pose, 1)).unwrap();
    }
    let usage = U::STORAGE | U::COPY_SRC;
    let points = GpuPoints {
        before: buffer(engine, from, usage),
        places: buffer(engine, to, usage),
        velocities: buffer(engine, velocities, usage),
        stride: 3,
        count: from.len() as u32,
        radius: *radius,
    };
    let answer = engine.cloud(&view, &world, &points, &bounce).unwrap();
    assert!(answer.status.is_none(), "{answer:?}");
    assert_eq!((answer.unusable, map.counts().unusable), (unusable, unusable.into()));
    let (found, speed) = (words(engine, &points.places), words(engine, &points.velocities));
    let finite = |p: &[f32; 3]| p.iter().all(|x| x.is_finite());
    let mut differ = 0;
    for k in (0..from.len()).filter(|k| finite(&from[*k]) && finite(&to[*k])) {
        let near = |a: &[f32], b: &[f32; 3], slack: f32| (0..3).all(|i| (a[i] - b[i]).abs() < slack);
        let same = near(&found[3 * k..], &places[k], 2e-3) && near(&speed[3 * k..], &speeds[k], 2e-2);
        differ += usize::from(!same);
    }
    println!(
        "{} of {} points turned back, {} on the CPU, {differ} otherwise ({})",
        answer.turned,
        from.len(),
        hits.len(),
        engine.adapter()
    );
    assert!(differ <= hits.len() / 50, "{differ} of {}", hits.len());
    assert!(answer.turned.abs_diff(hits.len() as u32) <= hits.len() as u32 / 50);
    hits.len()
}

#[test]
fn clouds_turn_back_where_the_cpus_do() {
    let Some(mut engine) = engine("clouds_turn_back_where_the_cpus_do") else { return };
    let mesh = Bowl::default().mesh().unwrap();
    let turn = UnitQuaternion::from_euler_angles(0.4, 0.2, 0.0);
    let pose = Isometry3::from_parts(Translation3::new(0.0, 0.0, 1.0), turn);
    let plane = ImagePlane::new(Point3::origin(), Vector3::z(), Vector3::y(), [1.2, 1.2], [256, 256])
        .unwrap()
        .between(0.0, 2.0);
    let mut random = Random::new(3);
    let mut from: Vec<[f32; 3]> = (0..5000)
        .map(|_| [0.6 * random.signed(), 0.6 * random.signed(), 0.5 + 0.5 * random.unit()].map(|x| x as f32))
        .collect();
    from[7] = [f32::NAN, 0.0, 0.5];
    let to: Vec<[f32; 3]> = from.iter().map(|p| [p[0] + 0.02, p[1], p[2] + 0.3]).collect();
    let velocities = vec![[0.2f32, 0.0, 3.0]; from.len()];
    let mut cloud = Cloud { from, to, velocities, radius: 0.0 };
    let bodies = [(mesh, pose)];
    let hits = turned_alike(&mut engine, CloudView::Along(plane), &bodies, &cloud, 1);
    assert!(hits > 500, "{hits}");
    cloud.radius = 0.05;
    let with_size = turned_alike(&mut engine, CloudView::Along(plane), &bodies, &cloud, 1);
    assert!(with_size != hits && with_size > 500, "{with_size} {hits}");
}

/// Points that fly apart among bodies on all sides, some before the near plane of a face.
#[test]
fn clouds_that_fly_apart_turn_back_where_the_cpus_do() {
    let Some(mut engine) = engine("clouds_that_fly_apart_turn_back_where_the_cpus_do") else { return };
    let mut random = Random::new(5);
    let center = Point3::new(3.0, -2.0, 1.0);
    let mut total = 0;
    for round in 0..6 {
        // A room around all, in one round, and bodies here and there, that faces' borders go through.
        let mut bodies = Vec::new();
        for (k, (_, mesh)) in meshes().into_iter().enumerate() {
            let aside = random.direction() * (0.6 + 0.4 * k as f64);
            bodies.push((
                mesh,
                Isometry3::from_parts(Translation3::from(center.coords + aside), random.rotation()),
            ));
        }
        if round % 2 == 0 {
            let room = Blob { radius: 4.0, bump: 0.5, ..Blob::default() }.mesh().unwrap();
            bodies.push((room, Isometry3::from_parts(center.coords.into(), random.rotation())));
        }
        let mut cloud =
            Cloud { from: Vec::new(), to: Vec::new(), velocities: Vec::new(), radius: [0.0, 0.1][round / 3] };
        for _ in 0..4000 {
            let way = random.direction();
            let start = center + way * (3.0 * random.unit());
            let speed = way * (4.0 * random.unit());
            cloud.from.push(start.cast::<f32>().into());
            cloud.to.push((start + speed).cast::<f32>().into());
            cloud.velocities.push(speed.cast::<f32>().into());
        }
        cloud.from[3] = center.cast::<f32>().into();
        cloud.to[5] = center.cast::<f32>().into();
        cloud.to[7][1] = f32::INFINITY;
        cloud.from[9][2] = f32::NAN;
        let near = [0.01, 0.2, 0.7][round % 3];
        let view = CloudView::Around { center, near, pixels: [200, 96, 333][round / 2] };
        total += turned_alike(&mut engine, view, &bodies, &cloud, 2);
    }
    assert!(total > 4000, "{total}");
}

#[test]
fn points_and_lines_that_only_the_device_knows_are_found_in_a_box() {
    let Some(mut engine) = engine("points_and_lines_that_only_the_device_knows_are_found_in_a_box") else {
        return;
    };
    // A box of 2 m: points in it, one to a pixel, are found; those beside or behind it are not.
    let cube = Shape::cuboid([1.0; 3]).unwrap();
    let profile = Profile::new(&cube, Vector3::z(), 64).unwrap();
    let device = GpuProfile::new(&engine, *profile.plane(), profile.length(), Bounds::TwoSided, 0.0).unwrap();
    let surface = impinge_midphase::PreparedShape::new(&cube);
    let mesh = &surface.parts()[0].surface.as_ref().unwrap().mesh().unwrap();
    let own = GpuPiece::upload(engine.device(), engine.queue(), mesh, Isometry3::identity(), 0);
    engine.draw_object(&device, &[own]).unwrap().unwrap();
    let pixel = |k: u32| (f64::from(k) + 0.5) / 32.0 - 1.0;
    // Four words each: the fourth is the caller's own.
    let mut places: Vec<[f32; 4]> = Vec::new();
    for k in 0..60u32 {
        let z = if k % 3 == 0 { 1.5 } else { -0.5 + 0.01 * k as f32 };
        places.push([pixel(k) as f32, pixel((k * 7) % 64) as f32, z, 9.0]);
    }
    places.push([3.0, 0.0, 0.0, 9.0]);
    let piece = GpuPiece {
        topology: Topology::Points,
        vertices: buffer(&engine, &places, U::STORAGE),
        start: 0,
        stride: 4,
        indices: None,
        count: places.len() as u32,
        pose: Isometry3::translation(10.0, 0.0, 0.0),
        body: 5,
        bounds: Aabb { min: [-1.0, -1.0, -0.5], max: [3.0, 1.0, 1.5] },
        closed: false,
        channels: GpuChannels::None,
    };
    let mut world = GpuEnvironment::new();
    world.add(piece.clone()).unwrap();
    let here = Isometry3::translation(10.0, 0.0, 0.0);
    let found = engine.overlap(&device, &here, &world);
    assert!(found.status.is_none(), "{:?}", found.fault);
    let mut seen: Vec<u32> = found.hits.iter().map(|h| h.primitive).collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..60).filter(|k| k % 3 != 0).collect::<Vec<_>>());
    assert!(found.hits.iter().all(|h| h.body == 5 && h.normal.is_none()));
    for hit in &found.hits {
        let wanted = 1.0 - f64::from(places[hit.primitive as usize][2]);
        assert!((hit.depth - wanted).abs() < 1e-5, "{hit:?}");
    }
    // Its bounds are taken at their word: out of reach, nothing is drawn.
    world.change(0, |piece| piece.pose = Isometry3::translation(20.0, 0.0, 0.0)).unwrap();
    let far = engine.overlap(&device, &here, &world);
    assert_eq!((far.drawn, far.hits.len()), (0, 0));

    // A line through the box, corner to corner, by indices.
    let ends = [[-2.0f32, -2.0, -2.0], [7.0, 7.0, 7.0], [2.0, 2.0, 2.0]];
    let line = GpuPiece {
        topology: Topology::Lines,
        vertices: buffer(&engine, &ends, U::STORAGE),
        indices: Some(buffer(&engine, &[0u32, 2], U::STORAGE)),
        stride: 3,
        count: 2,
        bounds: Aabb { min: [-2.0; 3], max: [2.0; 3] },
        ..piece
    };
    let mut world = GpuEnvironment::new();
    world.add(line).unwrap();
    let found = engine.overlap(&device, &here, &world);
    assert!((60..=68).contains(&found.hits.len()), "{}", found.hits.len());
    for hit in &found.hits {
        let along = (f64::from(hit.pixel[0]) + 0.5) / 32.0 - 1.0;
        assert!((1.0 - hit.depth - along).abs() < 0.07 || (1.0 - hit.depth + along).abs() < 0.07, "{hit:?}");
    }
}
