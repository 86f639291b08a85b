//! A world on the device of an app that draws without a window.

use bevy::app::PluginsState;
use bevy::mesh::MeshPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::window::ExitCondition;
use impinge::nalgebra::Isometry3;
use impinge::{Backend, Collider, Parity, World};
use impinge_avian::{impinge, on_device_of};
use impinge_scenes::mesh::Torus;

/// Contacts of two rings hooked into each other: depths, deepest first (m), and how many pairs the device answered.
fn depths(world: impinge::WorldBuilder) -> (Vec<f64>, u64) {
    let mut world = world.build().unwrap();
    let torus = Torus::default();
    let ring = world.add_shape(torus.mesh().unwrap()).unwrap();
    let hooked = Isometry3::translation(torus.major + 0.5 * torus.minor, 0.0, 0.0)
        * Isometry3::rotation(impinge::nalgebra::Vector3::x() * std::f64::consts::FRAC_PI_2);
    for pose in [Isometry3::identity(), hooked] {
        world.add_collider(Collider::new(ring).pose(pose)).unwrap();
    }
    let report = world.step();
    (world.manifolds().iter().map(|manifold| manifold.depth).collect(), report.counts.gpu_jobs)
}

#[test]
fn a_world_shares_bevys_device() {
    let mut app = App::new();
    let windows = WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() };
    app.add_plugins((MinimalPlugins, AssetPlugin::default(), windows, ImagePlugin::default(), MeshPlugin));
    app.add_plugins(RenderPlugin { synchronous_pipeline_compilation: true, ..default() });
    while app.plugins_state() == PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
    let resources = (app.world().get_resource::<RenderDevice>(), app.world().get_resource::<RenderQueue>());
    let (Some(device), Some(queue)) = resources else {
        assert!(std::env::var_os("CI").is_none(), "Bevy found no adapter");
        println!("SKIPPED: a_world_shares_bevys_device: Bevy found no adapter");
        return;
    };
    let (ours, _) = depths(World::builder());
    let there = World::builder().backend(Backend::Gpu).parity(Parity::Bits);
    let (theirs, answered) = depths(on_device_of(device, queue, there));
    assert!(!ours.is_empty() && answered > 0, "{ours:?}, {answered} pairs");
    assert_eq!(ours, theirs);
}
