//! Settings of Avian's that the plugins change.

use avian3d::prelude::*;
use bevy::prelude::*;
use impinge_avian::{FollowedPairs, MeshCollisionPlugins, RECYCLE_DISTANCE, impinge};

fn recycle_distance(given: Option<f32>) -> f32 {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, PhysicsPlugins::default()));
    if let Some(recycle_distance) = given {
        app.insert_resource(NarrowPhaseConfig { recycle_distance, ..default() });
    }
    app.add_plugins(MeshCollisionPlugins::<()>::default());
    app.world().resource::<NarrowPhaseConfig>().recycle_distance
}

#[test]
fn contacts_are_asked_for_after_a_drift_that_suits_four_points() {
    assert_eq!(recycle_distance(None), RECYCLE_DISTANCE);
    assert_eq!(recycle_distance(Some(0.001)), 0.001);
}

#[test]
fn settings_out_of_range_are_refused() {
    let settings = impinge::QuerySettings::default();
    assert!(FollowedPairs::with_settings(settings.resolution(3)).is_err());
    assert!(FollowedPairs::with_settings(settings.resolution(16)).unwrap().is_empty());
}
