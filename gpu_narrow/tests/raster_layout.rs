//! Every raster shader is parsed, validated and compared with the Rust side. Needs no GPU.

use impinge_gpu_narrow::limits;
use impinge_gpu_narrow::raster::{Entry, RASTER_PASSES, RasterPass, SlotKind};
use impinge_gpu_narrow::wgpu;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, Literal, Module, ShaderStage, StorageAccess, TypeInner};

fn module(pass: &RasterPass) -> Module {
    let module = naga::front::wgsl::parse_str(pass.source)
        .unwrap_or_else(|error| panic!("{}: {}", pass.name, error.emit_to_string(pass.source)));
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}: {}", pass.name, error.emit_to_string(pass.source)));
    module
}

#[test]
fn names_are_unique_and_shaders_are_files() {
    let folder = format!("{}/shaders", env!("CARGO_MANIFEST_DIR"));
    let files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    for (k, pass) in RASTER_PASSES.iter().enumerate() {
        assert!(RASTER_PASSES[..k].iter().all(|other| other.name != pass.name), "{}", pass.name);
        assert!(files.iter().any(|text| pass.source.ends_with(text.as_str())), "{}", pass.name);
    }
}

#[test]
fn entry_points_are_there_with_their_stages_and_workgroups() {
    for pass in RASTER_PASSES {
        let module = module(pass);
        let of = |name: &str, stage: ShaderStage| {
            let found = module.entry_points.iter().find(|e| e.name == name && e.stage == stage);
            found.unwrap_or_else(|| panic!("{} has no {stage:?} {name}", pass.name)).workgroup_size
        };
        match pass.entry {
            Entry::Compute { entry, workgroup } => assert_eq!(of(entry, ShaderStage::Compute), workgroup),
            Entry::Draw { vertex, fragment, .. } => {
                of(vertex, ShaderStage::Vertex);
                of(fragment, ShaderStage::Fragment);
            }
        }
    }
}

#[test]
fn slots_are_those_of_the_table_and_no_stage_sees_more_storage_than_the_limit() {
    let limit = limits().max_storage_buffers_per_shader_stage as usize;
    for pass in RASTER_PASSES {
        let module = module(pass);
        let mut found = Vec::new();
        for (_, variable) in module.global_variables.iter() {
            let Some(binding) = &variable.binding else { continue };
            assert_eq!(binding.group, 0, "{}", pass.name);
            let kind = match variable.space {
                AddressSpace::Uniform => SlotKind::Uniform,
                AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => SlotKind::Write,
                AddressSpace::Storage { .. } => SlotKind::Read,
                AddressSpace::Handle => SlotKind::Texels,
                other => panic!("{}: {other:?} is bound", pass.name),
            };
            found.push((binding.binding as usize, variable.name.clone().unwrap(), kind));
        }
        found.sort_by_key(|f| f.0);
        let wanted: Vec<_> =
            pass.slots.iter().enumerate().map(|(k, s)| (k, s.name.to_owned(), s.kind)).collect();
        assert_eq!(found, wanted, "{}", pass.name);
        for stage in [wgpu::ShaderStages::VERTEX, wgpu::ShaderStages::FRAGMENT, wgpu::ShaderStages::COMPUTE] {
            let storage = |s: &&impinge_gpu_narrow::raster::Slot| {
                matches!(s.kind, SlotKind::Read | SlotKind::Write) && s.stages.contains(stage)
            };
            assert!(pass.slots.iter().filter(storage).count() <= limit, "{} {stage:?}", pass.name);
        }
    }
}

#[test]
fn structs_and_constants_are_those_of_rust() {
    for pass in RASTER_PASSES {
        let module = module(pass);
        for (name, size, members) in pass.structs {
            let named = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name));
            let (_, found) = named.unwrap_or_else(|| panic!("{} has no struct {name}", pass.name));
            let TypeInner::Struct { members: of_shader, span } = &found.inner else {
                panic!("{name} is no struct");
            };
            assert_eq!(*span as usize, *size, "size of {name}");
            let of_shader: Vec<(&str, usize)> =
                of_shader.iter().map(|m| (m.name.as_deref().unwrap(), m.offset as usize)).collect();
            assert_eq!(of_shader, *members, "offsets in {name}");
        }
        for (name, value) in pass.constants {
            let named = module.constants.iter().find(|(_, c)| c.name.as_deref() == Some(name));
            let (_, constant) = named.unwrap_or_else(|| panic!("{} has no constant {name}", pass.name));
            match module.global_expressions[constant.init] {
                naga::Expression::Literal(Literal::U32(found)) => {
                    assert_eq!(found, *value, "{name} in {}", pass.name);
                }
                ref other => panic!("{name} is {other:?}"),
            }
        }
    }
}
