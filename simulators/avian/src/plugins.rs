//! What a program adds to its app.

use std::marker::PhantomData;

use avian3d::collider_tree::ColliderTreePlugin;
use avian3d::collision::collider::ColliderBackendPlugin;
use avian3d::collision::hooks::CollisionHooks;
use avian3d::collision::narrow_phase::{NarrowPhaseConfig, NarrowPhasePlugin, NarrowPhaseSystems};
use avian3d::dynamics::rigid_body::body_size_metrics::BodySizeMetricsPlugin;
use avian3d::schedule::PhysicsSchedule;
use bevy::app::{App, FixedPostUpdate, Plugin, PluginGroup, PluginGroupBuilder};
use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::{IntoScheduleConfigs, ScheduleLabel};
use bevy::ecs::system::SystemParamItem;

use crate::collider::MeshCollider;
use crate::pairs::{FollowedPairs, forget_ended};

/// How far two bodies may move against each other before Avian asks for new contacts (length units). Its own 0.05 suits dense points;
/// with four a region, a torus would sink by that much before new ones are asked for.
pub const RECYCLE_DISTANCE: f32 = 0.005;

/// Has [`MeshCollider`]s take part in the simulation: add it after Avian's
/// [`PhysicsPlugins`](avian3d::prelude::PhysicsPlugins), with the same hooks and the same schedule.
///
/// It sets [`NarrowPhaseConfig::recycle_distance`] to [`RECYCLE_DISTANCE`], unless the program has changed Avian's default.
pub struct MeshCollisionPlugins<H: CollisionHooks = ()> {
    schedule: Interned<dyn ScheduleLabel>,
    hooks: PhantomData<fn() -> H>,
}

impl<H: CollisionHooks> MeshCollisionPlugins<H> {
    /// For an app whose physics run in this schedule ([`FixedPostUpdate`] by default).
    pub fn new(schedule: impl ScheduleLabel) -> MeshCollisionPlugins<H> {
        MeshCollisionPlugins { schedule: schedule.intern(), hooks: PhantomData }
    }
}

impl<H: CollisionHooks> Default for MeshCollisionPlugins<H> {
    fn default() -> MeshCollisionPlugins<H> {
        MeshCollisionPlugins::new(FixedPostUpdate)
    }
}

impl<H: CollisionHooks + 'static> PluginGroup for MeshCollisionPlugins<H>
where
    for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
{
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>()
            .add(FollowedPairsPlugin)
            .add(ColliderBackendPlugin::<MeshCollider>::new(self.schedule))
            .add(ColliderTreePlugin::<MeshCollider>::default())
            .add(NarrowPhasePlugin::<MeshCollider, H>::default())
            .add(BodySizeMetricsPlugin::<MeshCollider>::default())
    }
}

/// The memories of pairs, and the narrow phase's settings.
struct FollowedPairsPlugin;

impl Plugin for FollowedPairsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<FollowedPairs>().init_resource::<NarrowPhaseConfig>();
        let mut config = app.world_mut().resource_mut::<NarrowPhaseConfig>();
        if config.recycle_distance == NarrowPhaseConfig::default().recycle_distance {
            config.recycle_distance = RECYCLE_DISTANCE;
        }
        app.add_systems(PhysicsSchedule, forget_ended.in_set(NarrowPhaseSystems::Last));
    }
}
