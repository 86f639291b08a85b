//! What the passes need of a device: all of it within wgpu's downlevel defaults.

use crate::EngineError;

/// The limits that a device is asked for: what the weakest hardware of the last ten years has (four
/// storage buffers per stage), so that a pass that runs here runs anywhere.
pub fn limits() -> wgpu::Limits {
    wgpu::Limits::downlevel_defaults()
}

/// The same for passes that count their operations: a storage buffer more.
pub(crate) fn counting_limits() -> wgpu::Limits {
    let limits = limits();
    let max_storage_buffers_per_shader_stage = limits.max_storage_buffers_per_shader_stage + 1;
    wgpu::Limits { max_storage_buffers_per_shader_stage, ..limits }
}

/// The features that are used where they are found, and done without where not.
pub(crate) fn welcome_features() -> wgpu::Features {
    wgpu::Features::TIMESTAMP_QUERY
}

/// Whether limits allow what the passes need.
///
/// # Errors
/// [`EngineError::Limit`] names the first that does not.
pub fn check_limits(adapter: &str, limits: &wgpu::Limits) -> Result<(), EngineError> {
    let needed = self::limits();
    macro_rules! at_least {
        ($($limit:ident),+) => {
            [$((stringify!($limit), u64::from(limits.$limit), u64::from(needed.$limit))),+]
        };
    }
    let pairs = at_least!(
        max_storage_buffers_per_shader_stage,
        max_storage_buffer_binding_size,
        max_buffer_size,
        max_compute_workgroup_storage_size,
        max_compute_invocations_per_workgroup,
        max_compute_workgroup_size_x,
        max_compute_workgroups_per_dimension
    );
    for (limit, has, needs) in pairs {
        if has < needs {
            let (adapter, limit) = (adapter.to_owned(), limit.to_owned());
            return Err(EngineError::Limit { adapter, limit, has, needs });
        }
    }
    Ok(())
}

/// Whether an adapter can run the passes.
pub(crate) fn check(adapter: &wgpu::Adapter) -> Result<(), EngineError> {
    let name = adapter.get_info().name;
    let flags = adapter.get_downlevel_capabilities().flags;
    if !flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
        return Err(EngineError::NoCompute { adapter: name });
    }
    check_limits(&name, &adapter.limits())?;
    let mut lacking = None;
    limits().check_limits_with_fail_fn(&adapter.limits(), true, |limit, needs, has| {
        lacking = Some(EngineError::Limit { adapter: name.clone(), limit: limit.to_owned(), has, needs });
    });
    lacking.map_or(Ok(()), Err)
}

/// Whether an adapter can run the raster passes, too.
pub(crate) fn check_raster(adapter: &wgpu::Adapter) -> Result<(), EngineError> {
    use wgpu::DownlevelFlags as F;
    let needed =
        F::VERTEX_STORAGE | F::FRAGMENT_STORAGE | F::FRAGMENT_WRITABLE_STORAGE | F::INDIRECT_EXECUTION;
    let lacks = needed - adapter.get_downlevel_capabilities().flags;
    if lacks.is_empty() {
        return Ok(());
    }
    Err(EngineError::NoRaster { adapter: adapter.get_info().name, lacks: format!("{lacks:?}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_without_a_needed_limit_is_refused_by_the_limits_name() {
        check_limits("good", &limits()).unwrap();
        check_limits("better", &wgpu::Limits::default()).unwrap();
        let few = wgpu::Limits { max_storage_buffers_per_shader_stage: 3, ..limits() };
        let error = check_limits("poor", &few).unwrap_err();
        let wanted = EngineError::Limit {
            adapter: "poor".into(),
            limit: "max_storage_buffers_per_shader_stage".into(),
            has: 3,
            needs: 4,
        };
        assert_eq!(error, wanted);
        // WebGL 2 has no compute at all.
        assert!(check_limits("webgl", &wgpu::Limits::downlevel_webgl2_defaults()).is_err());
    }
}
