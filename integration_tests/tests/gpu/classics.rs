//! The classic tests on a device, as a caller asks for them.

use impinge::prelude::*;
use impinge::query::classic::{CullideSettings, FrameBuffer, GpuRaster};
use impinge_gpu_narrow::testing::adapter_or_skip;
use impinge_scenes::random::Random;

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
