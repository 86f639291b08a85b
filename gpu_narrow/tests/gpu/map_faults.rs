//! What an engine of height maps cannot do: devices that are lost, too little room, and pieces that cannot be drawn.

use std::sync::Arc;

use impinge_geometry::{Aabb, Shape};
use impinge_gpu_narrow::height_map::{GpuOverlap, GpuPoints, GpuProfile, MapEngine, MapError, MapStatus};
use impinge_gpu_narrow::testing::{adapter_or_skip, device_or_skip};
use impinge_gpu_narrow::{
    Capacities, EngineSettings, EnvironmentError, GpuChannels, GpuEnvironment, GpuFault, GpuPiece, wgpu,
};
use impinge_image_space::cloud::{Bounce, CloudError, CloudView};
use impinge_image_space::height_map::{Bounds, ImagePlane, Profile};
use impinge_scenes::mesh::Torus;
use nalgebra::{Isometry3, Point3, Vector3};
use wgpu::BufferUsages as U;

use crate::maps::{buffer, engine};

#[test]
fn a_lent_device_answers_what_an_own_one_does_and_a_question_without_room_is_asked_again() {
    let test = "a_lent_device_answers_what_an_own_one_does_and_a_question_without_room_is_asked_again";
    let Some(mut own) = engine(test) else { return };
    let mesh = Torus::default().mesh().unwrap();
    let profile = Profile::new(&Shape::Mesh(Arc::new(mesh.clone())), Vector3::z(), 64).unwrap();
    let drawn = |engine: &mut MapEngine| {
        let device =
            GpuProfile::new(engine, *profile.plane(), profile.length(), Bounds::TwoSided, 0.0).unwrap();
        let piece = GpuPiece::upload(engine.device(), engine.queue(), &mesh, Isometry3::identity(), 0);
        engine.draw_object(&device, std::slice::from_ref(&piece)).unwrap().unwrap();
        let mut world = GpuEnvironment::new();
        world.add(GpuPiece { pose: Isometry3::translation(0.1, 0.0, 0.05), ..piece }).unwrap();
        (device, world)
    };
    let asked = |engine: &mut MapEngine, (device, world): &(GpuProfile, GpuEnvironment), records: u32| {
        engine.set_records(records);
        let mut found = engine.overlap(device, &Isometry3::identity(), world);
        // The device writes its records in any order.
        found.hits.sort_by_key(|hit| (hit.pixel, hit.primitive));
        found
    };
    let object = drawn(&mut own);
    let expected = asked(&mut own, &object, 1 << 16);
    assert!(expected.status.is_none() && expected.hits.len() > 50);
    let same = |found: &GpuOverlap| {
        assert!(found.status.is_none(), "{:?}", found.fault);
        assert_eq!((found.area, found.deepest), (expected.area, expected.deepest));
        assert_eq!(found.hits, expected.hits);
    };
    let lend = || {
        let (device, queue) = device_or_skip(test).unwrap();
        let settings = EngineSettings { device: Some((device.clone(), queue)), ..EngineSettings::default() };
        (device, MapEngine::new(settings).unwrap())
    };
    let (lent, mut engine) = lend();
    let object = drawn(&mut engine);
    // Without room for all records it is asked again with as much, in the same call.
    same(&asked(&mut engine, &object, 7));
    let next = engine.overlap(&object.0, &Isometry3::identity(), &object.1);
    assert_eq!((next.status, next.hits.len()), (MapStatus::NONE, expected.hits.len()));
    same(&asked(&mut engine, &object, expected.hits.len() as u32));
    // Its owner destroys it: nothing is evaluated. An engine on a device lent again answers.
    lent.destroy();
    let lost = asked(&mut engine, &object, 1 << 16);
    assert!(lost.status.contains(MapStatus::NOT_EVALUATED) && lost.fault.is_some() && lost.hits.is_empty());
    let (_lent, mut again) = lend();
    let object = drawn(&mut again);
    same(&asked(&mut again, &object, 1 << 16));
}

#[test]
fn an_answer_without_memory_for_all_pixels_has_the_whole_area() {
    let test = "an_answer_without_memory_for_all_pixels_has_the_whole_area";
    let Some(mut engine) = engine(test) else { return };
    let Some(choice) = adapter_or_skip(test) else { return };
    let capacities = Capacities { buffer_bytes: 1024, ..Capacities::default() };
    let settings = EngineSettings { adapter: choice, capacities, ..EngineSettings::default() };
    let mut little = MapEngine::new(settings).unwrap();
    little.set_records(7);
    let mesh = Torus::default().mesh().unwrap();
    let profile = Profile::new(&Shape::Mesh(Arc::new(mesh.clone())), Vector3::z(), 64).unwrap();
    let mut found = [&mut engine, &mut little].map(|engine| {
        let device = GpuProfile::new(engine, *profile.plane(), profile.length(), Bounds::Box, 0.0).unwrap();
        let piece = GpuPiece::upload(engine.device(), engine.queue(), &mesh, Isometry3::identity(), 0);
        engine.draw_object(&device, std::slice::from_ref(&piece)).unwrap().unwrap();
        let mut world = GpuEnvironment::new();
        world.add(GpuPiece { pose: Isometry3::translation(0.1, 0.0, 0.0), ..piece }).unwrap();
        engine.overlap(&device, &Isometry3::identity(), &world)
    });
    let [all, few] = &mut found;
    assert!(all.status.is_none() && all.hits.len() > 50);
    assert_eq!((few.status, few.hits.len(), few.area), (MapStatus::TRUNCATED, 7, all.area));
    assert!(few.hits.iter().all(|hit| all.hits.contains(hit)) && few.fault.is_none());
}

#[test]
fn an_engine_without_memory_says_so_and_evaluates_nothing() {
    let Some(choice) = adapter_or_skip("an_engine_without_memory_says_so_and_evaluates_nothing") else {
        return;
    };
    let one = Capacities {
        units: 1,
        leaf_pairs: 1,
        mesh_words: 1,
        tiles: 1,
        layers: 1,
        intervals: 1,
        buffer_bytes: 1,
    };
    let settings = EngineSettings { adapter: choice, capacities: one, ..EngineSettings::default() };
    let mut engine = MapEngine::new(settings).unwrap();
    let mesh = Torus::default().mesh().unwrap();
    let profile = Profile::new(&Shape::Mesh(Arc::new(mesh.clone())), Vector3::z(), 64).unwrap();
    let device = GpuProfile::new(&engine, *profile.plane(), profile.length(), Bounds::Box, 0.0).unwrap();
    let piece = GpuPiece::upload(engine.device(), engine.queue(), &mesh, Isometry3::identity(), 0);
    let drawn = engine.draw_object(&device, std::slice::from_ref(&piece)).unwrap();
    assert!(matches!(drawn, Err(GpuFault::OutOfMemory { .. })), "{drawn:?}");
    let mut world = GpuEnvironment::new();
    world.add(piece).unwrap();
    let found = engine.overlap(&device, &Isometry3::identity(), &world);
    assert!(found.status.contains(MapStatus::NOT_EVALUATED) && found.hits.is_empty());
    assert!(matches!(found.fault, Some(GpuFault::OutOfMemory { .. })), "{:?}", found.fault);
}

#[test]
fn a_lost_device_says_that_nothing_was_evaluated() {
    let Some(mut engine) = engine("a_lost_device_says_that_nothing_was_evaluated") else { return };
    let mesh = Torus::default().mesh().unwrap();
    let profile = Profile::new(&Shape::Mesh(Arc::new(mesh.clone())), Vector3::z(), 64).unwrap();
    let device = GpuProfile::new(&engine, *profile.plane(), profile.length(), Bounds::Box, 0.0).unwrap();
    let piece = GpuPiece::upload(engine.device(), engine.queue(), &mesh, Isometry3::identity(), 0);
    engine.draw_object(&device, std::slice::from_ref(&piece)).unwrap().unwrap();
    let mut world = GpuEnvironment::new();
    let pose = Isometry3::translation(0.1, 0.0, 0.0);
    world.add(GpuPiece { pose, ..piece.clone() }).unwrap();
    let before = engine.overlap(&device, &Isometry3::identity(), &world);
    assert!(before.status.is_none() && before.volume > 0.0);
    engine.set_records(10);
    assert_eq!(engine.overlap(&device, &Isometry3::identity(), &world), before);
    let points = buffer(&engine, &[[0.0f32; 3]; 4], U::STORAGE);
    let speeds = buffer(&engine, &[[0.0f32; 3]; 4], U::STORAGE);
    let came = buffer(&engine, &[[0.0f32; 3]; 4], U::STORAGE);
    engine.lose();
    let lost = engine.overlap(&device, &Isometry3::identity(), &world);
    assert!(lost.status.contains(MapStatus::NOT_EVALUATED) && lost.fault.is_some() && lost.hits.is_empty());
    let plane = profile.plane().between(0.0, 1.0);
    let cloud =
        GpuPoints { before: came, places: points, velocities: speeds, stride: 3, count: 4, radius: 0.0 };
    let lost = engine.cloud(&CloudView::Along(plane), &world, &cloud, &Bounce::default()).unwrap();
    assert!(lost.status.contains(MapStatus::NOT_EVALUATED) && lost.fault.is_some());
}

#[test]
fn pieces_that_cannot_be_drawn_are_refused_with_a_reason() {
    let Some(mut engine) = engine("pieces_that_cannot_be_drawn_are_refused_with_a_reason") else { return };
    let piece = GpuPiece::upload(
        engine.device(),
        engine.queue(),
        &Torus::default().mesh().unwrap(),
        Isometry3::identity(),
        0,
    );
    let mut world = GpuEnvironment::new();
    let mut add = |change: &dyn Fn(&mut GpuPiece)| {
        let mut bad = piece.clone();
        change(&mut bad);
        world.add(bad).unwrap_err()
    };
    assert!(matches!(add(&|p| p.stride = 2), EnvironmentError::Stride { piece: 0, stride: 2 }));
    assert!(matches!(add(&|p| p.count = 4), EnvironmentError::Count { corners: 3, .. }));
    assert!(matches!(add(&|p| p.count *= 2), EnvironmentError::Short { what: "indices", .. }));
    let values = |engine: &MapEngine, bytes, usage| buffer(engine, &vec![0u8; bytes], usage);
    let (short, long) = (values(&engine, 8, U::STORAGE), values(&engine, 64, U::STORAGE));
    let known =
        |values: &wgpu::Buffer, stride| GpuChannels::Vertices { values: values.clone(), start: 0, stride };
    assert!(matches!(
        add(&|p| p.channels = known(&long, 3)),
        EnvironmentError::ChannelStride { piece: 0, stride: 3 }
    ));
    assert!(matches!(
        add(&|p| p.channels = known(&short, 4)),
        EnvironmentError::Short { what: "channels", .. }
    ));
    assert!(matches!(add(&|p| p.bounds.min[1] = f32::NAN), EnvironmentError::Bounds { .. }));
    assert!(matches!(add(&|p| p.bounds.min[1] = 9.0), EnvironmentError::Bounds { .. }));
    assert!(matches!(add(&|p| p.pose.translation.x = f64::NAN), EnvironmentError::Pose { .. }));
    let unusable = buffer(&engine, &[0.0f32; 9], U::COPY_SRC);
    let error = add(&|p| p.vertices = unusable.clone());
    assert!(matches!(error, EnvironmentError::Usage { what: "vertices", .. }), "{error}");
    // A point is a box without size.
    world.add(GpuPiece { bounds: Aabb { min: [1.0; 3], max: [1.0; 3] }, ..piece.clone() }).unwrap();
    assert_eq!(world.pieces().len(), 1);
    let refused = world.change(0, |piece| piece.stride = 0);
    assert!(refused.is_err() && world.pieces()[0].stride == 3);
    let plane =
        ImagePlane::new(Point3::origin(), Vector3::z(), Vector3::y(), [1.0, 1.0], [20_000, 8]).unwrap();
    let large = GpuProfile::new(&engine, plane, 1.0, Bounds::Box, 0.0).unwrap_err();
    assert!(matches!(large, MapError::Texture { width: 20_000, .. }), "{large}");
    let none = buffer(&engine, &[0.0f32; 3], U::STORAGE);
    let points = GpuPoints {
        before: none.clone(),
        places: buffer(&engine, &[0.0f32; 3], U::STORAGE),
        velocities: buffer(&engine, &[0.0f32; 3], U::STORAGE),
        stride: 3,
        count: 1,
        radius: 0.0,
    };
    let endless = GpuPoints { radius: f32::INFINITY, ..points.clone() };
    let view = CloudView::Around { center: Point3::origin(), near: 0.1, pixels: 16 };
    let refused = engine.cloud(&view, &world, &endless, &Bounce::default()).unwrap_err();
    assert!(matches!(refused, MapError::View(CloudError::Radius { .. })), "{refused}");
    let mut around = |near, pixels| {
        let view = CloudView::Around { center: Point3::origin(), near, pixels };
        engine.cloud(&view, &world, &points, &Bounce::default()).unwrap_err()
    };
    assert!(matches!(around(0.0, 16), MapError::View(_)));
    assert!(matches!(around(0.1, 0), MapError::View(_)));
    let large = around(0.1, 3300);
    assert!(matches!(large, MapError::Texture { width: 6600, height: 9900, .. }), "{large}");
}
