//! No scene begins with bodies in each other.

use impinge::{Backend, Collider, World};
use impinge_scenes::{SceneParams, scene, scenes};

#[test]
fn every_scene_begins_without_contact() {
    for (name, _) in scenes() {
        let scene = scene(name, &SceneParams::default()).unwrap();
        let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
        let shapes: Vec<_> = scene.shapes.iter().map(|s| world.add_shape(s.shape.clone()).unwrap()).collect();
        for body in &scene.bodies {
            let collider = Collider::new(shapes[body.shape]).pose(body.pose).fixed(body.fixed);
            world.add_collider(collider).unwrap();
        }
        let report = world.step().unwrap();
        assert_eq!(report.counts.touching, 0, "{name}: {:?}", world.manifolds());
    }
}
