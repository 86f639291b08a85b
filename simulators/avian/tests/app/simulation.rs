//! An app that steps its physics once for each update.

use std::time::Duration;

use avian3d::prelude::*;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use impinge_avian::{MeshCollider, MeshCollisionPlugins};

/// Steps a second.
pub const RATE: f64 = 60.0;

/// An app with Avian's plugins, and ours. Gravity along z.
pub fn app<H: CollisionHooks + 'static>() -> App
where
    for<'w, 's> bevy::ecs::system::SystemParamItem<'w, 's, H>: CollisionHooks,
{
    app_with::<H>(|_| {})
}

/// As [`app`], with more.
pub fn app_with<H: CollisionHooks + 'static>(add: impl FnOnce(&mut App)) -> App
where
    for<'w, 's> bevy::ecs::system::SystemParamItem<'w, 's, H>: CollisionHooks,
{
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin));
    app.add_plugins(PhysicsPlugins::default().with_collision_hooks::<H>());
    app.add_plugins(MeshCollisionPlugins::<H>::default());
    app.insert_resource(Gravity(Vec3::NEG_Z * 9.81))
        .insert_resource(Time::<Fixed>::from_hz(RATE))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / RATE)));
    add(&mut app);
    app.finish();
    app.cleanup();
    // The first update only starts the clock.
    app.update();
    app
}

/// A body that does not move.
pub fn fixed(app: &mut App, collider: &MeshCollider, at: Transform, more: impl Bundle) -> Entity {
    app.world_mut().spawn((RigidBody::Static, collider.clone(), at, more)).id()
}

/// A body that falls.
pub fn falling(app: &mut App, collider: &MeshCollider, at: Transform, more: impl Bundle) -> Entity {
    let density = ColliderDensity(500.0);
    app.world_mut().spawn((RigidBody::Dynamic, collider.clone(), density, at, more)).id()
}

pub fn steps(app: &mut App, count: usize) {
    for _ in 0..count {
        app.update();
    }
}

/// Where a body is (m).
pub fn place(app: &App, body: Entity) -> Vec3 {
    app.world().get::<Position>(body).unwrap().0
}

/// How fast a body is (m/s).
pub fn speed(app: &App, body: Entity) -> f32 {
    app.world().get::<LinearVelocity>(body).unwrap().0.length()
}

/// Poses of bodies, to the last bit.
pub fn bits(app: &App, bodies: &[Entity]) -> Vec<[u32; 7]> {
    let bits = |&body: &Entity| {
        let (t, q) = (place(app, body), app.world().get::<Rotation>(body).unwrap().0);
        [t.x, t.y, t.z, q.x, q.y, q.z, q.w].map(f32::to_bits)
    };
    bodies.iter().map(bits).collect()
}
