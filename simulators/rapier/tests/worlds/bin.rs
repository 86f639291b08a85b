//! Thirty bodies in a bin.

use impinge_scenes::{Scene, SceneParams, scene};

use crate::scene::Run;

fn thirty() -> Scene {
    scene("bin", &SceneParams { bodies: Some(30), ..SceneParams::default() }).unwrap()
}

#[test]
fn nobody_is_lost_and_the_bits_are_the_same_each_time() {
    let scene = thirty();
    let run = || {
        let mut run = Run::of(&scene);
        run.steps(150);
        run
    };
    let [first, second] = [run(), run()];
    assert_eq!(first.bits(), second.bits());
    let container = scene.container.unwrap();
    for (k, body) in scene.bodies.iter().enumerate().filter(|(_, body)| !body.fixed) {
        let center = scene.sphere(body.shape).unwrap().center.cast::<f64>();
        let pose = first.world.bodies[first.bodies[k]].position();
        let at = impinge::parry::from_pose(pose) * center;
        assert!(container.holds(&at), "body {k} at {at}");
    }
}
