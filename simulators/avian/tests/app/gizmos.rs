//! Manifolds as lines, in an app without a window.

use avian3d::prelude::ContactGraph;
use bevy::gizmos::GizmoAsset;
use bevy::gizmos::config::GizmoConfigStore;
use bevy::prelude::*;
use impinge::Shape;
use impinge_avian::{ManifoldGizmos, ManifoldGizmosPlugin, MeshCollider, impinge};

use crate::simulation::{app_with, falling, fixed, steps};

#[test]
fn the_plugin_draws_while_bodies_touch() {
    let mut app = app_with::<()>(|app| {
        app.add_plugins(AssetPlugin::default()).init_asset::<GizmoAsset>();
        app.add_plugins(ManifoldGizmosPlugin);
    });
    let cube = MeshCollider::new(&Shape::cuboid([0.5; 3]).unwrap()).unwrap();
    fixed(&mut app, &cube, Transform::default(), ());
    falling(&mut app, &cube, Transform::from_xyz(0.0, 0.0, 1.0), ());
    steps(&mut app, 5);
    let store = app.world().resource::<GizmoConfigStore>();
    assert_eq!(store.config::<ManifoldGizmos>().1.length, ManifoldGizmos::default().length);
    assert_eq!(app.world().resource::<ContactGraph>().iter_active_touching().count(), 1);
}
