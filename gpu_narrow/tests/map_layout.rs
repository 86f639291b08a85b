//! The shaders of height maps and clouds are parsed, validated and compared with the Rust side. Needs no
//! GPU.

use impinge_gpu_narrow::height_map::pass::{MAP_PASSES, MapPass, SlotKind};
use impinge_gpu_narrow::wgpu;
use impinge_image_space::passes::PASSES;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, ImageClass, Literal, Module, ScalarKind, ShaderStage, StorageAccess, TypeInner};

fn module(pass: &MapPass) -> Module {
    let module = naga::front::wgsl::parse_str(pass.source)
        .unwrap_or_else(|error| panic!("{}: {}", pass.name, error.emit_to_string(pass.source)));
    // No capability beyond the bare minimum.
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}: {}", pass.name, error.emit_to_string(pass.source)));
    module
}

#[test]
fn every_pass_begins_with_the_name_of_its_twin_and_lies_in_a_file_of_its_own() {
    for pass in MAP_PASSES {
        assert!(PASSES.iter().any(|p| pass.name.starts_with(p.name)), "{} has no twin", pass.name);
        let file = format!("{}/shaders/{}.wgsl", env!("CARGO_MANIFEST_DIR"), pass.name);
        assert_eq!(std::fs::read_to_string(file).unwrap(), pass.source);
    }
}

#[test]
fn entry_points_and_workgroups_are_those_of_the_table() {
    for pass in MAP_PASSES {
        let module = module(pass);
        let found: Vec<_> = module.entry_points.iter().map(|e| (e.name.as_str(), e.stage)).collect();
        let stage = |stages| match stages {
            wgpu::ShaderStages::VERTEX => ShaderStage::Vertex,
            wgpu::ShaderStages::FRAGMENT => ShaderStage::Fragment,
            _ => ShaderStage::Compute,
        };
        let wanted: Vec<_> = pass.entries.iter().map(|(name, stages)| (*name, stage(*stages))).collect();
        assert_eq!(found, wanted, "{}", pass.name);
        for entry in module.entry_points.iter().filter(|e| e.stage == ShaderStage::Compute) {
            assert_eq!(entry.workgroup_size, pass.workgroup, "{}", pass.name);
        }
    }
}

#[test]
fn bindings_are_those_of_the_table_and_at_most_four_are_storage() {
    for pass in MAP_PASSES {
        let module = module(pass);
        let mut found = Vec::new();
        for (_, variable) in module.global_variables.iter() {
            let Some(binding) = &variable.binding else { continue };
            let kind = match (variable.space, &module.types[variable.ty].inner) {
                (AddressSpace::Uniform, _) => SlotKind::Uniform,
                (AddressSpace::Storage { access }, _) if access.contains(StorageAccess::STORE) => {
                    SlotKind::Write
                }
                (AddressSpace::Storage { .. }, _) => SlotKind::Read,
                (_, TypeInner::Image { class: ImageClass::Depth { .. }, .. }) => SlotKind::Depth,
                (_, TypeInner::Image { class: ImageClass::Sampled { kind: ScalarKind::Float, .. }, .. }) => {
                    SlotKind::Numbers
                }
                (_, TypeInner::Image { .. }) => SlotKind::Whole,
                other => panic!("{}: {other:?} is bound", pass.name),
            };
            found.push((
                binding.group as usize,
                binding.binding as usize,
                variable.name.clone().unwrap(),
                kind,
            ));
        }
        found.sort_by_key(|f| (f.0, f.1));
        let wanted: Vec<_> = pass
            .groups
            .iter()
            .enumerate()
            .flat_map(|(g, slots)| {
                slots.iter().enumerate().map(move |(b, (name, kind))| (g, b, (*name).to_owned(), *kind))
            })
            .collect();
        assert_eq!(found, wanted, "{}", pass.name);
        let storage = wanted.iter().filter(|w| matches!(w.3, SlotKind::Read | SlotKind::Write)).count();
        assert!(storage <= 4, "{} has {storage} storage buffers", pass.name);
    }
}

#[test]
fn structs_and_constants_are_those_of_rust() {
    for pass in MAP_PASSES {
        let module = module(pass);
        for (name, size, members) in pass.structs {
            let found = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name));
            let (_, found) = found.unwrap_or_else(|| panic!("{} has no struct {name}", pass.name));
            let TypeInner::Struct { members: of_shader, span } = &found.inner else {
                panic!("{name} is no struct")
            };
            assert_eq!(*span as usize, *size, "size of {name}");
            let of_shader: Vec<_> =
                of_shader.iter().map(|m| (m.name.as_deref().unwrap(), m.offset as usize)).collect();
            assert_eq!(of_shader, *members, "offsets in {name}");
        }
        for (name, value) in pass.constants {
            let found = module.constants.iter().find(|(_, c)| c.name.as_deref() == Some(name));
            let (_, found) = found.unwrap_or_else(|| panic!("{} has no constant {name}", pass.name));
            match module.global_expressions[found.init] {
                naga::Expression::Literal(Literal::U32(found)) => assert_eq!(found, *value, "{name}"),
                ref other => panic!("{name} is {other:?}"),
            }
        }
    }
}
