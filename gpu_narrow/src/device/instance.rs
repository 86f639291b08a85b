//! The entry to the system's drivers.

/// wgpu's instance for computing, which shows nothing in windows; `None` where there is no Vulkan loader.
///
/// Of Vulkan's extensions it leaves out those for X and Wayland: where they are on, Mesa asks the desktop which GPU to
/// prefer, and without a desktop it says on standard error that `XDG_RUNTIME_DIR` is not set.
#[cfg(target_os = "linux")]
pub(super) fn without_windows() -> Option<wgpu::Instance> {
    use wgpu::hal::{InstanceDescriptor, vulkan};

    let descriptor = InstanceDescriptor {
        name: "impinge",
        flags: wgpu::InstanceFlags::empty(),
        memory_budget_thresholds: wgpu::MemoryBudgetThresholds::default(),
        backend_options: wgpu::BackendOptions::default(),
        telemetry: None,
        display: None,
    };
    const OF_WINDOWS: [&std::ffi::CStr; 3] =
        [c"VK_KHR_wayland_surface", c"VK_KHR_xcb_surface", c"VK_KHR_xlib_surface"];
    // SAFETY: the callback removes extensions alone which wgpu needs to make a surface for a window, and of which it asks
    // first whether they are on; this instance makes none.
    let made = unsafe {
        vulkan::Instance::init_with_callback(
            &descriptor,
            Some(Box::new(|arguments| arguments.extensions.retain(|name| !OF_WINDOWS.contains(name)))),
        )
    };
    let made = made.map_err(|error| tracing::debug!(%error, "there is no Vulkan")).ok()?;
    // SAFETY: it has just been made, and nothing else has it.
    Some(unsafe { wgpu::Instance::from_hal::<wgpu::hal::api::Vulkan>(made) })
}

/// wgpu's instance for computing, which shows nothing in windows.
#[cfg(not(target_os = "linux"))]
pub(super) fn without_windows() -> Option<wgpu::Instance> {
    Some(wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12,
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    }))
}
