//! Every shader is parsed, validated and compared with the Rust side. Needs no GPU.

use std::collections::BTreeSet;
use std::path::Path;

use impinge_gpu_narrow::device::pass::{Constant, Pass, SlotKind, Stage};
use impinge_gpu_narrow::passes::{PASSES, STEP_PASSES};
use impinge_gpu_narrow::wgpu::{Limits, ShaderStages};
use naga::proc::Layouter;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{
    AddressSpace, Expression, Handle, ImageClass, Literal, Module, ScalarKind, ShaderStage, StorageAccess,
    TypeInner,
};

/// The parsed shader of a pass.
pub fn module(pass: &Pass) -> Module {
    let module = naga::front::wgsl::parse_str(pass.source)
        .unwrap_or_else(|error| panic!("{}: {}", pass.name, error.emit_to_string(pass.source)));
    // No capability beyond the bare minimum.
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}: {}", pass.name, error.emit_to_string(pass.source)));
    module
}

/// The value of a constant expression that is a number.
pub fn number(module: &Module, at: Handle<Expression>) -> Option<Constant> {
    match module.global_expressions[at] {
        Expression::Literal(Literal::U32(x)) => Some(Constant::U32(x)),
        Expression::Literal(Literal::I32(x)) => Some(Constant::I32(x)),
        Expression::Literal(Literal::F32(x)) => Some(Constant::F32(x)),
        _ => None,
    }
}

fn folder(of: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(of).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_str().unwrap().to_owned();
        if path.is_dir() {
            files.extend(folder(&name));
        } else if name.ends_with(".wgsl") {
            files.push((name.clone(), std::fs::read_to_string(Path::new(&name)).unwrap()));
        }
    }
    files
}

#[test]
fn names_are_unique_and_every_shader_file_is_part_of_a_pass() {
    let names: BTreeSet<_> = PASSES.iter().map(|pass| pass.name).collect();
    assert_eq!(names.len(), PASSES.len());
    let steps: Vec<_> = STEP_PASSES.iter().map(|pass| pass.name).collect();
    assert_eq!(PASSES.iter().map(|pass| pass.name).take(steps.len()).collect::<Vec<_>>(), steps);
    let files = folder(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    assert!(files.len() > 10);
    for (file, text) in &files {
        assert!(PASSES.iter().any(|pass| pass.source.contains(text.as_str())), "{file} is not used");
    }
    for pass in PASSES {
        assert!(files.iter().any(|(_, text)| pass.source.ends_with(text.as_str())), "{}", pass.name);
    }
}

#[test]
fn entry_points_are_there_with_their_stages_and_workgroups() {
    let limits = impinge_gpu_narrow::limits();
    for pass in PASSES {
        let module = module(pass);
        for (name, stage) in pass.entries {
            let (wanted, workgroup) = match stage {
                Stage::Vertex => (ShaderStage::Vertex, [0; 3]),
                Stage::Fragment => (ShaderStage::Fragment, [0; 3]),
                Stage::Compute(workgroup) => (ShaderStage::Compute, *workgroup),
            };
            let found = module.entry_points.iter().find(|e| e.name == *name && e.stage == wanted);
            let found = found.unwrap_or_else(|| panic!("{} has no {wanted:?} {name}", pass.name));
            assert_eq!(found.workgroup_size, workgroup, "{}", pass.name);
            assert!(workgroup[0] <= limits.max_compute_workgroup_size_x, "{}", pass.name);
            let threads: u32 = workgroup.iter().product();
            assert!(threads <= limits.max_compute_invocations_per_workgroup, "{}", pass.name);
        }
    }
}

#[test]
fn slots_are_those_of_the_table_and_no_stage_sees_more_storage_than_the_limit() {
    let limit = limits_asked_for().max_storage_buffers_per_shader_stage as usize;
    assert_eq!(limit, 4, "devices are asked for more than the weakest have");
    for pass in PASSES {
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
                    SlotKind::Floats
                }
                (_, TypeInner::Image { .. }) => SlotKind::Whole,
                other => panic!("{}: {other:?} is bound", pass.name),
            };
            found.push((binding.group, binding.binding, variable.name.clone().unwrap(), kind));
        }
        found.sort_by_key(|f| (f.0, f.1));
        let of_group = |(g, slots): (u32, &&[_])| -> Vec<_> {
            let slots: &[impinge_gpu_narrow::device::pass::Slot] = slots;
            (0..).zip(slots).map(|(b, slot)| (g, b, slot.name.to_owned(), slot.kind)).collect()
        };
        let wanted: Vec<_> = (0..).zip(pass.groups).flat_map(of_group).collect();
        assert_eq!(found, wanted, "{}", pass.name);
        for stage in [ShaderStages::VERTEX, ShaderStages::FRAGMENT, ShaderStages::COMPUTE] {
            let slots = pass.groups.iter().flat_map(|slots| slots.iter());
            let storage = slots.filter(|s| s.kind.is_storage() && s.stages.contains(stage)).count();
            assert!(storage <= limit, "{} {stage:?} has {storage} storage buffers", pass.name);
        }
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
    for pass in PASSES {
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
    }
}

#[test]
fn every_constant_of_a_shader_is_that_of_rust_or_its_own() {
    for pass in PASSES {
        let module = module(pass);
        let mut wanted: BTreeSet<&str> = pass.own_constants.iter().copied().collect();
        for (name, value) in pass.constants {
            let found = module.constants.iter().find(|(_, c)| c.name.as_deref() == Some(name));
            let (_, found) = found.unwrap_or_else(|| panic!("{} has no constant {name}", pass.name));
            assert_eq!(number(&module, found.init), Some(*value), "{name} in {}", pass.name);
            assert!(wanted.insert(name), "{name} in {} is shared and the shader's own", pass.name);
        }
        let found: BTreeSet<&str> = module.constants.iter().filter_map(|(_, c)| c.name.as_deref()).collect();
        assert_eq!(found, wanted, "constants of {}", pass.name);
    }
}

#[test]
fn workgroup_memory_stays_within_the_downlevel_limit() {
    let limit = impinge_gpu_narrow::limits().max_compute_workgroup_storage_size;
    for pass in PASSES {
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
