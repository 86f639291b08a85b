//! Layers captured by the raster pipeline against the software scan: the same crossings on every
//! pixel, to the last bit.

use impinge_geometry::TriMesh;
use impinge_gpu_narrow::ldi::{CaptureMethod, LdiEngine, LdiRefusal, LdiSettings};
use impinge_gpu_narrow::{Capacities, EngineSettings, limits, testing, wgpu};
use impinge_image_space::ldi::{Faces, LayeredDepthImage, LdiError, LdiJob, LdiScratch, LdiView};
use impinge_scenes::mesh::{Blob, Gear, Knot, Torus};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

const WAYS: [CaptureMethod; 2] = [CaptureMethod::Peeling, CaptureMethod::Unordered];

fn engine_with(test: &str, change: impl FnOnce(&mut LdiSettings)) -> Option<LdiEngine> {
    let adapter = testing::adapter_or_skip(test)?;
    let engine = EngineSettings { adapter, ..EngineSettings::default() };
    let mut settings = LdiSettings { engine, ..LdiSettings::default() };
    change(&mut settings);
    Some(LdiEngine::new(settings).expect("the adapter runs the raster passes"))
}

fn askew() -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_euler_angles(0.4, -0.9, 1.7);
    Isometry3::from_parts(Translation3::new(0.31, -0.22, 0.13), rotation)
}

/// Every triangle of a mesh twice, the second time with vertices of its own: coincident faces everywhere.
fn doubled(mesh: &TriMesh) -> TriMesh {
    let first = mesh.vertices().len() as u32;
    let vertices = [mesh.vertices(), mesh.vertices()].concat();
    let again = mesh.triangles().iter().map(|t| t.map(|v| v + first));
    TriMesh::new(vertices, mesh.triangles().iter().copied().chain(again).collect()).unwrap()
}

fn cube() -> TriMesh {
    let corner = |c: u32| Point3::from([0, 1, 2].map(|k| if c >> k & 1 == 0 { -1.0f32 } else { 1.0 }));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    TriMesh::new((0..8).map(corner).collect(), triangles).unwrap()
}

fn bodies() -> Vec<(&'static str, TriMesh)> {
    let torus = Torus::default().mesh().unwrap();
    vec![
        ("cube", cube()),
        ("coincident tori", doubled(&torus)),
        ("torus", torus),
        ("knot", Knot::default().mesh().unwrap()),
        ("gear", Gear::default().mesh().unwrap()),
        ("blob", Blob::default().mesh().unwrap()),
    ]
}

fn software(job: &LdiJob<'_>) -> LayeredDepthImage {
    let mut image = LayeredDepthImage::new(job.view);
    image.recapture(job.mesh, job.pose, job.view, job.faces, &mut LdiScratch::default()).unwrap();
    image
}

#[test]
fn every_pixel_holds_the_crossings_of_the_software_scan() {
    let Some(mut engine) = engine_with("raster parity", |s| s.layers = 32) else { return };
    let bodies = bodies();
    let poses = [Isometry3::identity(), askew()];
    let mut jobs = Vec::new();
    for (k, (_, mesh)) in bodies.iter().enumerate() {
        for (m, pixels) in [[32, 32], [64, 64], [100, 37]].into_iter().enumerate() {
            let pose = &poses[(k + m) % 2];
            let direction = [Vector3::z(), Vector3::new(1.0, -0.3, 0.6), -Vector3::x()][m];
            let view = LdiView::of_body(mesh, pose, direction, pixels).unwrap();
            let faces = [Faces::Both, Faces::Both, Faces::Front, Faces::Back][(k + m) % 4];
            jobs.push(LdiJob { mesh, pose, view, faces });
        }
    }
    for way in WAYS {
        let images = engine.capture(way, &jobs).unwrap();
        let mut crossings = 0;
        for (k, (image, job)) in images.into_iter().zip(&jobs).enumerate() {
            let image = image.unwrap_or_else(|left| panic!("{way:?}, {}: {left}", bodies[k / 3].0));
            assert!(image == software(job), "{way:?}, {}, view {}", bodies[k / 3].0, k % 3);
            crossings += image.crossings().len();
        }
        // All views in one atlas and one submission.
        assert_eq!(engine.counts().submissions - engine.counts().repeated, 1, "{way:?}");
        println!("{way:?} on {}: {} views, {crossings} crossings equal", engine.adapter(), jobs.len());
    }
}

#[test]
fn views_that_cut_bodies_are_equal_too() {
    let Some(mut engine) = engine_with("raster parity of parts", |s| s.layers = 48) else { return };
    let (knot, pose) = (Knot::default().mesh().unwrap(), askew());
    let whole = LdiView::of_body(&knot, &pose, Vector3::new(0.2, 0.5, 1.0), [64, 64]).unwrap();
    let views = [[20u32, 30], [40, 22], [33, 33]].map(|[x, y]| {
        let size = whole.size().map(|s| s / 5.0);
        LdiView::new(whole.place(x, y, 2e6), Vector3::new(0.2, 0.5, 1.0), size, [128, 64]).unwrap()
    });
    let jobs = views.map(|view| LdiJob { mesh: &knot, pose: &pose, view, faces: Faces::Both });
    for way in WAYS {
        for (image, job) in engine.capture(way, &jobs).unwrap().into_iter().zip(&jobs) {
            let image = image.unwrap();
            assert!(image == software(job) && image.odd_lines() == 0, "{way:?}");
        }
    }
}

#[test]
fn what_a_device_cannot_do_says_why() {
    let Some(mut engine) = engine_with("raster overflow", |s| s.layers = 4) else { return };
    let (knot, cube, pose) = (Knot::default().mesh().unwrap(), cube(), Isometry3::identity());
    let view = |mesh| LdiView::of_body(mesh, &pose, Vector3::new(0.3, 0.1, 1.0), [64, 64]).unwrap();
    let part = LdiView::new(Point3::new(0.0, 0.0, 1.0), Vector3::x(), [0.1; 3], [32, 32]).unwrap();
    let far = Isometry3::translation(1e9, 0.0, 0.0);
    let job = |mesh, pose, view| LdiJob { mesh, pose, view, faces: Faces::Both };
    let jobs = [
        job(&knot, &pose, view(&knot)),
        job(&cube, &pose, view(&cube)),
        job(&cube, &pose, part),
        job(&cube, &far, view(&cube)),
    ];
    let answers = engine.capture(CaptureMethod::Peeling, &jobs).unwrap();
    assert!(matches!(answers[0], Err(LdiRefusal::Layers { layers: 4 })), "{:?}", answers[0]);
    assert_eq!(answers[1].as_ref().unwrap(), &software(&jobs[1]));
    assert!(matches!(answers[2], Err(LdiRefusal::Range { .. })), "{:?}", answers[2]);
    assert!(matches!(answers[3], Err(LdiRefusal::Invalid(LdiError::TooFar { .. }))), "{:?}", answers[3]);
    // The unordered way has no such bound, and finds room for what it did not expect.
    let answers = engine.capture(CaptureMethod::Unordered, &jobs).unwrap();
    assert_eq!(answers[0].as_ref().unwrap(), &software(&jobs[0]));
}

#[test]
fn peeling_stops_behind_the_last_layer() {
    let Some(mut engine) = engine_with("raster stop", |s| s.layers = 64) else { return };
    let (cube, pose) = (cube(), askew());
    let view = LdiView::of_body(&cube, &pose, Vector3::z(), [64, 64]).unwrap();
    let job = LdiJob { mesh: &cube, pose: &pose, view, faces: Faces::Both };
    let image = engine.capture(CaptureMethod::Peeling, &[job]).unwrap().remove(0).unwrap();
    assert_eq!((image.deepest(), image), (2, software(&job)));
    // The device has seen to it without being asked.
    assert_eq!(engine.counts().stopped, 1);
}

#[test]
fn many_views_make_several_sheets() {
    let small = Capacities { buffer_bytes: 1 << 21, ..Capacities::default() };
    let Some(mut engine) = engine_with("raster sheets", |s| s.engine.capacities = small) else { return };
    let (torus, pose) = (Torus::default().mesh().unwrap(), askew());
    let views: Vec<_> = (0..24)
        .map(|k| {
            let direction = Vector3::new(f64::from(k), 3.0, 10.0 - f64::from(k));
            LdiView::of_body(&torus, &pose, direction, [48, 48]).unwrap()
        })
        .collect();
    let jobs: Vec<_> =
        views.iter().map(|&view| LdiJob { mesh: &torus, pose: &pose, view, faces: Faces::Both }).collect();
    for way in WAYS {
        for (image, job) in engine.capture(way, &jobs).unwrap().into_iter().zip(&jobs) {
            assert_eq!(image.unwrap(), software(job));
        }
        // Peeling reads back all layers through one buffer; the other way needs far less.
        let sheets = engine.counts().submissions - engine.counts().repeated;
        assert_eq!(sheets > 1, way == CaptureMethod::Peeling, "{way:?}: {sheets}");
    }
}

#[test]
fn a_warm_capture_makes_nothing_anew() {
    let Some(mut engine) = engine_with("raster warm", |_| ()) else { return };
    let (torus, pose) = (Torus::default().mesh().unwrap(), askew());
    let view = LdiView::of_body(&torus, &pose, Vector3::z(), [64, 64]).unwrap();
    let job = LdiJob { mesh: &torus, pose: &pose, view, faces: Faces::Both };
    for way in WAYS {
        let first = engine.capture(way, &[job]).unwrap();
        assert!(engine.counts().made > 0);
        assert_eq!(engine.capture(way, &[job]).unwrap(), first);
        assert_eq!((engine.counts().made, engine.counts().submissions), (0, 1), "{way:?}");
    }
}

/// A torus whose vertices are thrown onto a coarse lattice: coincident and degenerate faces, edges and
/// vertices right on the lines.
#[test]
fn degenerate_faces_are_equal_too() {
    let Some(mut engine) = engine_with("raster parity of degenerate bodies", |s| s.layers = 60) else {
        return;
    };
    let torus = Torus { around: 6, across: 5, ..Torus::default() }.mesh().unwrap();
    let mut random = Random::new(23);
    let mut place = |_: &Point3<f32>| Point3::from([0; 3].map(|_| (random.index(9) as f32 - 4.0) * 0.25));
    let bodies: Vec<TriMesh> = (0..40)
        .map(|_| torus.with_vertices(torus.vertices().iter().map(&mut place).collect()).unwrap())
        .collect();
    let (pose, mut random) = (Isometry3::identity(), Random::new(29));
    let jobs: Vec<_> = bodies
        .iter()
        .map(|mesh| {
            let direction = [Vector3::z(), -Vector3::x(), random.direction()][random.index(3)];
            let pixels = [1 + random.index(64) as u32, 1 + random.index(64) as u32];
            let view = LdiView::new(Point3::origin(), direction, [4.0; 3], pixels).unwrap();
            LdiJob { mesh, pose: &pose, view, faces: Faces::Both }
        })
        .collect();
    for way in WAYS {
        for (image, job) in engine.capture(way, &jobs).unwrap().into_iter().zip(&jobs) {
            let image = image.unwrap();
            assert!(image == software(job) && image.odd_lines() == 0, "{way:?}");
        }
    }
}

#[test]
fn a_device_that_its_owner_destroys_is_a_fault() {
    let Some(own) = engine_with("raster device lost", |_| ()) else { return };
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let all = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let name = &own.adapter().name;
    let adapter = all.iter().find(|a| a.get_info().name == *name).expect("the same adapter again");
    let descriptor =
        wgpu::DeviceDescriptor { required_limits: limits(), ..wgpu::DeviceDescriptor::default() };
    let lent = pollster::block_on(adapter.request_device(&descriptor)).expect("a device");
    let mut settings = LdiSettings::default();
    settings.engine.device = Some(lent.clone());
    let mut engine = LdiEngine::new(settings).unwrap();
    let (cube, pose) = (cube(), Isometry3::identity());
    let view = LdiView::of_body(&cube, &pose, Vector3::x(), [16, 16]).unwrap();
    let job = LdiJob { mesh: &cube, pose: &pose, view, faces: Faces::Both };
    assert_eq!(engine.capture(CaptureMethod::Peeling, &[job]).unwrap().remove(0).unwrap(), software(&job));
    lent.0.destroy();
    for way in WAYS {
        assert!(engine.capture(way, &[job]).is_err(), "{way:?}");
    }
}
