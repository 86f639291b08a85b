//! Bevy's device, for worlds of impinge's own.

use bevy::render::renderer::{RenderDevice, RenderQueue};
use impinge::WorldBuilder;

/// A world of impinge's own whose passes run on the device that Bevy draws with, so that meshes which a compute shader of the app makes need
/// not leave it. Avian's contacts are asked pair by pair, on the CPU, and have no use for it.
///
/// Bevy asks for all that its adapter allows unless the app limits it; where that is less than
/// [`gpu_narrow::limits`](impinge::gpu_narrow::limits) says, `build` gives an error that says so. The device is there after `App::finish`; its
/// error and loss handlers stay Bevy's.
///
/// ```no_run
/// use bevy::prelude::*;
/// use bevy::render::renderer::{RenderDevice, RenderQueue};
/// use impinge::Backend;
/// use impinge_avian::on_device_of;
///
/// fn begin(device: Res<RenderDevice>, queue: Res<RenderQueue>) -> Result {
///     let world = impinge::World::builder().backend(Backend::Gpu);
///     let world = on_device_of(&device, &queue, world).build()?;
///     # drop(world);
///     Ok(())
/// }
/// ```
pub fn on_device_of(device: &RenderDevice, queue: &RenderQueue, world: WorldBuilder) -> WorldBuilder {
    world.gpu_device(device.wgpu_device().clone(), (**queue).clone())
}
