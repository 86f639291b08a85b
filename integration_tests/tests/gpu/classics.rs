//! The classic tests on a device, as a caller asks for them.

use impinge::prelude::*;
use impinge::query::classic::{CullideSettings, FrameBuffer, GpuRaster, PlaneView, hoff_field};
use impinge_gpu_narrow::testing::adapter_or_skip;
use impinge_scenes::random::Random;
use nalgebra::Point2;

use crate::on_cpu;

#[test]
fn a_world_is_culled_on_a_device_as_in_software() {
    if adapter_or_skip("classics").is_none() {
        return;
    }
    let mut world = on_cpu().build().unwrap();
    let brick = world.add_shape(Shape::cuboid([0.3, 0.2, 0.1]).unwrap()).unwrap();
    let mut random = Random::new(2);
    for _ in 0..30 {
        let at = random.direction() * (2.0 * random.unit());
        let pose = Isometry3::from_parts(at.into(), random.rotation());
        world.add_collider(Collider::new(brick).pose(pose)).unwrap();
    }
    let mut raster = GpuRaster::new(None).unwrap();
    let settings = CullideSettings { pixels: 100, ..CullideSettings::default() };
    let found = world.classic_scene().cullide(settings, &mut raster).unwrap();
    let wanted = world.classic_scene().cullide(settings, &mut FrameBuffer::default()).unwrap();
    assert_eq!(found, wanted);
    assert!(!found.colliders.is_empty() && found.colliders.len() < 30);
    assert_eq!((raster.redone(), raster.reason()), (0, None));
    assert!(raster.adapter().is_some());

    let unknown = GpuRaster::new(Some("no such adapter")).unwrap_err();
    assert!(unknown.to_string().contains("no such adapter"), "{unknown}");
}

/// Parts of one collider, and a polygon's field.
#[test]
fn parts_and_fields_are_those_of_the_software() {
    if adapter_or_skip("classics: parts and fields").is_none() {
        return;
    }
    let mut world = on_cpu().build().unwrap();
    let cube = Shape::cuboid([0.3, 0.2, 0.1]).unwrap();
    let mut random = Random::new(7);
    let mut place = || {
        let at = random.direction() * (1.5 * random.unit());
        (Isometry3::from_parts(at.into(), random.rotation()), cube.clone())
    };
    let heap: Vec<_> = (0..20).map(|_| place()).collect();
    let heap = world.add_shape(Shape::composite(heap).unwrap()).unwrap();
    let heap = world.add_collider(Collider::new(heap)).unwrap();
    let mut raster = GpuRaster::new(None).unwrap();
    let settings = CullideSettings { pixels: 100, ..CullideSettings::default() };
    let scene = world.classic_scene();
    let found = scene.cullide_self(heap, None, settings, &mut raster).unwrap();
    assert_eq!(found, scene.cullide_self(heap, None, settings, &mut FrameBuffer::default()).unwrap());
    assert!(!found.parts.is_empty() && found.parts.len() < 20, "{}", found.parts.len());

    let polygon = [[0.0, 0.0], [2.0, 0.3], [0.7, 0.8], [0.4, 2.0]].map(Point2::from);
    let view = PlaneView::new(Point2::new(-0.5, -0.5), Point2::new(2.5, 2.5), 64).unwrap();
    let found = raster.hoff_field(&polygon, &view).unwrap();
    let wanted = hoff_field(&polygon, &view, &mut FrameBuffer::default()).unwrap();
    assert!(found.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-5 && (*a < 0.0) == (*b < 0.0)));
    assert!(wanted.iter().filter(|distance| **distance < 0.0).count() > 200);
    assert_eq!((raster.redone(), raster.reason()), (0, None));
}
