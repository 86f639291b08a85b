//! Every shader is parsed, validated and compared with the Rust side. Needs no GPU.

use impinge_gpu_narrow::passes::{BindingKind, GPU_PASSES, GpuPass};
use impinge_gpu_narrow::wgpu::Limits;
use impinge_image_space::passes::PASSES;
use naga::proc::Layouter;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, Literal, Module, ShaderStage, StorageAccess, TypeInner};

fn module(pass: &GpuPass) -> Module {
    let module = naga::front::wgsl::parse_str(pass.source)
        .unwrap_or_else(|error| panic!("{}: {}", pass.name, error.emit_to_string(pass.source)));
    // No capability beyond the bare minimum.
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}: {}", pass.name, error.emit_to_string(pass.source)));
    module
}

#[test]
fn every_gpu_pass_is_a_pass_of_the_cpu_and_has_a_shader_of_its_name() {
    for pass in GPU_PASSES {
        assert!(PASSES.iter().any(|p| p.name == pass.name), "{} has no twin", pass.name);
        let file = format!("{}/shaders/{}.wgsl", env!("CARGO_MANIFEST_DIR"), pass.name);
        assert!(pass.source.ends_with(&std::fs::read_to_string(file).unwrap()), "{}", pass.name);
    }
}

#[test]
fn entry_points_have_the_passes_names_and_workgroups() {
    for pass in GPU_PASSES {
        let module = module(pass);
        assert_eq!(module.entry_points.len(), 1, "{}", pass.name);
        let entry = &module.entry_points[0];
        assert_eq!(entry.name, pass.name);
        assert_eq!(entry.stage, ShaderStage::Compute);
        assert_eq!(entry.workgroup_size, pass.workgroup, "{}", pass.name);
        let limits = impinge_gpu_narrow::limits();
        assert!(pass.workgroup[0] <= limits.max_compute_workgroup_size_x, "{}", pass.name);
        let threads: u32 = pass.workgroup.iter().product();
        assert!(threads <= limits.max_compute_invocations_per_workgroup, "{}", pass.name);
    }
}

#[test]
fn bindings_are_those_of_the_table_and_at_most_four_are_storage() {
    for pass in GPU_PASSES {
        let module = module(pass);
        let mut found = Vec::new();
        for (_, variable) in module.global_variables.iter() {
            let Some(binding) = &variable.binding else { continue };
            assert_eq!(binding.group, 0, "{}", pass.name);
            let kind = match variable.space {
                AddressSpace::Uniform => BindingKind::Uniform,
                AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
                    BindingKind::Write
                }
                AddressSpace::Storage { .. } => BindingKind::Read,
                other => panic!("{}: {:?} is bound", pass.name, other),
            };
            found.push((binding.binding as usize, variable.name.clone().unwrap(), kind));
        }
        found.sort_by_key(|f| f.0);
        let wanted: Vec<_> =
            pass.bindings.iter().enumerate().map(|(k, b)| (k, b.name.to_owned(), b.kind)).collect();
        assert_eq!(found, wanted, "{}", pass.name);
        let storage = pass.bindings.iter().filter(|b| b.kind != BindingKind::Uniform).count();
        assert!(storage <= 4, "{} has {storage} storage buffers", pass.name);
        let most = limits_asked_for().max_storage_buffers_per_shader_stage;
        assert_eq!(most, 4, "devices are asked for more than the weakest have");
    }
}

/// What a device is asked for, and no more: wgpu's lowest defaults that have compute shaders.
fn limits_asked_for() -> Limits {
    let limits = impinge_gpu_narrow::limits();
    assert_eq!(limits, Limits::downlevel_defaults());
    limits
}

#[test]
fn structs_have_the_sizes_and_offsets_of_rust() {
    for pass in GPU_PASSES {
        let module = module(pass);
        for (name, size, members) in pass.structs {
            let (_, found) = module
                .types
                .iter()
                .find(|(_, t)| t.name.as_deref() == Some(name))
                .unwrap_or_else(|| panic!("{} has no struct {name}", pass.name));
            let TypeInner::Struct { members: of_shader, span } = &found.inner else {
                panic!("{name} is no struct");
            };
            assert_eq!(*span as usize, *size, "size of {name}");
            let of_shader: Vec<(&str, usize)> =
                of_shader.iter().map(|m| (m.name.as_deref().unwrap(), m.offset as usize)).collect();
            assert_eq!(of_shader, *members, "offsets in {name}");
        }
    }
}

#[test]
fn constants_are_those_of_rust() {
    for pass in GPU_PASSES {
        let module = module(pass);
        for (name, value) in pass.constants {
            let (_, constant) = module
                .constants
                .iter()
                .find(|(_, c)| c.name.as_deref() == Some(name))
                .unwrap_or_else(|| panic!("{} has no constant {name}", pass.name));
            match module.global_expressions[constant.init] {
                naga::Expression::Literal(Literal::U32(found)) => {
                    assert_eq!(found, *value, "{} in {}", name, pass.name);
                }
                ref other => panic!("{name} is {other:?}"),
            }
        }
    }
}

#[test]
fn workgroup_memory_stays_within_the_downlevel_limit() {
    let limit = impinge_gpu_narrow::limits().max_compute_workgroup_storage_size;
    for pass in GPU_PASSES {
        let module = module(pass);
        let mut layouter = Layouter::default();
        layouter.update(module.to_ctx()).unwrap();
        let used: u32 = module
            .global_variables
            .iter()
            .filter(|(_, v)| v.space == AddressSpace::WorkGroup)
            .map(|(_, v)| layouter[v.ty].size.next_multiple_of(16))
            .sum();
        assert!(used <= limit, "{} uses {used} of {limit} bytes", pass.name);
    }
}
