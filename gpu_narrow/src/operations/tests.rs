//! Counts against those done by hand.

use super::counted_shader::{CountedShader, ENTRY};
use super::tally::Tally;
use super::{Operations, PassOperations};
use crate::device::pass::{Pass, Slot, SlotKind, Stage};
use crate::device::pipeline::Pipeline;
use crate::passes::STEP_PASSES;
use crate::testing;

/// Lane k goes k times through a loop with a product, a sum and an atomic; lanes from 40 on return at once.
const LOOPS: Pass = Pass {
    name: "loops",
    source: "
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> seen: atomic<u32>;
fn worth(x: u32) -> u32 {
    if (x > 5u) { return x * 3u; }
    return x;
}
@compute @workgroup_size(64)
fn loops(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if (lane >= 40u) { return; }
    var sum = 0u;
    for (var k = 0u; k < lane; k++) {
        sum += worth(k);
        atomicAdd(&seen, 1u);
    }
    out[group.x * 64u + lane] = sum;
}
",
    entries: &[("loops", Stage::Compute([64, 1, 1]))],
    groups: &[&[Slot::compute("out", SlotKind::Write)]],
    constants: &[],
    own_constants: &[],
    structs: &[],
};

fn run(test: &str, groups: u32) -> Option<(PassOperations, Vec<u32>)> {
    let (device, queue) = testing::device_or_skip(test)?;
    let mut pipeline = Pipeline::counted(&device, &LOOPS).unwrap();
    let buffer = |usage, size| {
        device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    };
    use wgpu::BufferUsages as U;
    let out = buffer(U::STORAGE | U::COPY_SRC, u64::from(groups) * 64 * 4);
    let own = pipeline.bind(&device, &[(&out, 1)]).clone();
    let counters = pipeline.tally.as_mut().unwrap().bind(&device, groups);
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline.pipeline);
        pass.set_bind_group(0, &own, &[]);
        pass.set_bind_group(1, &counters, &[]);
        pass.dispatch_workgroups(groups, 1, 1);
    }
    let tally: &Tally = pipeline.tally.as_ref().unwrap();
    let read = |from: &wgpu::Buffer, mut encoder: wgpu::CommandEncoder| -> Vec<u32> {
        let to = buffer(U::MAP_READ | U::COPY_DST, from.size());
        encoder.copy_buffer_to_buffer(from, 0, &to, 0, from.size());
        let _ = queue.submit([encoder.finish()]);
        to.map_async(wgpu::MapMode::Read, .., |_| ());
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let view = to.get_mapped_range(..).unwrap();
        view.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect()
    };
    let results = read(&out, encoder);
    let encoder = || device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let counts: Vec<_> = tally.buffers().map(|counters| read(counters, encoder())).collect();
    Some((tally.read(LOOPS.name, &counts), results))
}

#[test]
fn counts_are_those_made_by_hand() {
    let Some((found, results)) = run("counts_are_those_made_by_hand", 3) else { return };
    let worth = |k: u64| if k > 5 { 3 * k } else { k };
    for (at, result) in results.iter().enumerate() {
        let lane = at as u64 % 64;
        let wanted = if lane < 40 { (0..lane).map(worth).sum::<u64>() } else { 0 };
        assert_eq!(u64::from(*result), wanted, "{at}");
    }
    let all = |of: fn(u64) -> u64| 3 * (0..40).map(of).sum::<u64>();
    // Rounds of the loop; of those, the ones that multiply.
    assert_eq!(found.all.shared_atomics, all(|lane| lane));
    let products_in_the_loop = all(|lane| lane.saturating_sub(6));
    assert_eq!(found.all.multiply, products_in_the_loop + 3 * 40);
    assert_eq!((found.all.stored, found.all.accesses), (3 * 40 * 4, 3 * 40));
    // Lane 31 is the longest of the first warp, lane 39 of the second.
    assert_eq!(found.issued.shared_atomics, 3 * (31 + 39));
    assert_eq!(found.issued.multiply, 3 * (31 - 6 + 1 + 39 - 6 + 1));
    assert_eq!(found.longest.shared_atomics, 3 * 39);
    assert_eq!((found.groups, found.threads, found.dispatches), (3, 64, 1));
    assert!(found.utilisation() > 0.3 && found.utilisation() < 0.6, "{}", found.utilisation());
    assert_eq!(found.all.special + found.all.float + found.all.convert + found.all.barriers, 0);
}

#[test]
fn every_pass_of_a_step_can_be_counted() {
    // The rasteriser's draws are not counted: where operations are, the tile kernel captures.
    let drawn = |pass: &&Pass| pass.entries.iter().any(|(_, stage)| matches!(stage, Stage::Fragment));
    let names: Vec<_> = STEP_PASSES.iter().filter(drawn).map(|pass| pass.name).collect();
    assert_eq!(names, ["capture_unordered", "capture_peeling"]);
    for pass in STEP_PASSES.iter().filter(|pass| !drawn(pass)) {
        let shader = CountedShader::of(pass).unwrap_or_else(|error| panic!("{}: {error}", pass.name));
        let again = naga::front::wgsl::parse_str(&shader.source)
            .unwrap_or_else(|error| panic!("{}: {}", pass.name, error.emit_to_string(&shader.source)));
        assert_eq!(again.entry_points.len(), 1, "{}", pass.name);
        assert_eq!(again.entry_points[0].name, ENTRY, "{}", pass.name);
        // Every stretch costs something, but for those that only leave.
        let mut sum = Operations::default();
        shader.costs.iter().for_each(|cost| sum += *cost);
        assert!(sum.arithmetic() > 10, "{}: {sum:?}", pass.name);
    }
}

#[test]
fn a_shader_that_cannot_be_counted_is_refused_with_a_reason() {
    let fragment = Pass { entries: &[("loops", Stage::Fragment)], ..LOOPS };
    assert!(CountedShader::of(&fragment).unwrap_err().contains("compute"));
    let missing = Pass { entries: &[("other", Stage::Compute([64, 1, 1]))], ..LOOPS };
    assert!(CountedShader::of(&missing).unwrap_err().contains("entry point"));
    let broken = Pass { source: "fn loops( {", ..LOOPS };
    assert!(CountedShader::of(&broken).is_err());
}
