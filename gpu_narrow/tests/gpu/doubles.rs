//! Double precision in whole numbers against the CPU's, bit by bit.

use impinge_gpu_narrow::{testing, wgpu};
use impinge_scenes::random::Random;

/// What is asked of every pair of numbers.
const ASK: &str = "
@group(0) @binding(0) var<storage, read> numbers: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> found: array<vec2<u32>>;

@compute @workgroup_size(64)
fn ask(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= arrayLength(&numbers)) {
        return;
    }
    let a = numbers[id.x].xy;
    let b = numbers[id.x].zw;
    let at = 9u * id.x;
    found[at] = add(a, b);
    found[at + 1u] = sub(a, b);
    found[at + 2u] = mul(a, b);
    found[at + 3u] = div(a, b, reciprocal(b));
    found[at + 4u] = vec2<u32>(select(0u, 1u, less(a, b)), select(0u, 1u, less(b, a)));
    found[at + 5u] = whole64(a);
    found[at + 6u] = from_f32(numbers[id.x].z);
    found[at + 7u] = root(magnitude(a));
    found[at + 8u] = from_u32(numbers[id.x].x);
}
";
const ANSWERS: usize = 9;

fn words(x: f64) -> [u32; 2] {
    [x.to_bits() as u32, (x.to_bits() >> 32) as u32]
}

/// What the CPU answers; a number is the bits of a double.
fn answers(a: f64, b: f64) -> [[u32; 2]; ANSWERS] {
    let whole = if a.abs() < 2f64.powi(51) { a.round_ties_even() as i64 } else { a as i64 };
    let single = f64::from(f32::from_bits(words(b)[0]));
    let order = [u32::from(a < b), u32::from(b < a)];
    let whole = [whole as u32, (whole >> 32) as u32];
    let (root, count) = (a.abs().sqrt(), f64::from(words(a)[0]));
    let [sum, rest, product, quotient] = [a + b, a - b, a * b, a / b].map(words);
    [sum, rest, product, quotient, order, whole, words(single), words(root), words(count)]
}

/// A number of a size from 2^-200 to 2^200, now and then with few bits or with all of them set.
fn number(random: &mut Random) -> f64 {
    let bits = (random.unit() * 2f64.powi(26)) as u64 | ((random.unit() * 2f64.powi(26)) as u64) << 26;
    let few = (random.unit() * 52.0) as u32;
    let mantissa = match (random.unit() * 4.0) as u32 {
        0 => bits >> few << few,
        1 => bits >> few,
        2 => bits | ((1 << 52) - (1u64 << few)),
        _ => bits,
    };
    let power = match (random.unit() * 3.0) as u32 {
        0 => 1023.0 + 400.0 * (random.unit() - 0.5),
        1 => 1023.0 + 8.0 * (random.unit() - 0.5),
        _ => 1023.0 + 62.0 * random.unit(),
    };
    let sign = if random.unit() < 0.5 { 1 << 63 } else { 0 };
    f64::from_bits(sign | (power as u64) << 52 | mantissa & ((1 << 52) - 1))
}

fn pairs() -> Vec<[f64; 2]> {
    let mut random = Random::new(5);
    let mut list = vec![[0.0, 1.0], [-0.0, 1.0], [1.0, -1.0], [-0.0, -3.0], [0.5, 2.5], [-2.5, 1e-300]];
    for k in 0..200_000 {
        let (a, mut b) = (number(&mut random), number(&mut random));
        match k % 5 {
            // Nearly alike, so that almost nothing is left; and the same.
            0 => b = f64::from_bits(a.to_bits() ^ (b.to_bits() & 7)),
            1 => b = -f64::from_bits(a.to_bits().wrapping_add(b.to_bits() & 3)),
            _ => {}
        }
        list.push([a, b]);
    }
    list
}

#[test]
fn sums_products_quotients_and_roots_are_those_of_the_cpu_to_the_last_bit() {
    if testing::adapter_or_skip("doubles").is_none() {
        return;
    }
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    let descriptor = wgpu::DeviceDescriptor {
        required_limits: impinge_gpu_narrow::limits(),
        ..wgpu::DeviceDescriptor::default()
    };
    let (device, queue) =
        pollster::block_on(adapter.expect("an adapter").request_device(&descriptor)).expect("a device");
    let source = [include_str!("../../src/wgsl/f64.wgsl"), ASK].concat();
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("ask"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let pairs = pairs();
    let sent: Vec<[u32; 2]> = pairs.iter().flatten().map(|&x| words(x)).collect();
    let buffer = |size: usize, usage| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: size as u64,
            usage,
            mapped_at_creation: false,
        })
    };
    use wgpu::BufferUsages as U;
    let size = 8 * ANSWERS * pairs.len();
    let numbers = buffer(size_of_val(&sent[..]), U::STORAGE | U::COPY_DST);
    let (found, back) = (buffer(size, U::STORAGE | U::COPY_SRC), buffer(size, U::MAP_READ | U::COPY_DST));
    queue.write_buffer(&numbers, 0, bytemuck::cast_slice(&sent));
    let bound = [&numbers, &found].map(|b| b.as_entire_binding());
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[0, 1].map(|k| wgpu::BindGroupEntry { binding: k, resource: bound[k as usize].clone() }),
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups((pairs.len() as u32).div_ceil(64), 1, 1);
    drop(pass);
    encoder.copy_buffer_to_buffer(&found, 0, &back, 0, size as u64);
    queue.submit([encoder.finish()]);
    back.map_async(wgpu::MapMode::Read, .., |_| ());
    device.poll(wgpu::PollType::wait_indefinitely()).expect("the device answers");
    let view = back.get_mapped_range(..).expect("answers");
    let came: &[[[u32; 2]; ANSWERS]] = bytemuck::cast_slice(&view);
    for (&[a, b], came) in pairs.iter().zip(came) {
        let whole = a.abs() < 2f64.powi(62);
        for (k, (came, wanted)) in came.iter().zip(answers(a, b)).enumerate() {
            // A single that is no number has no double to compare.
            let single = k == 6 && !f32::from_bits(words(b)[0]).is_finite();
            assert!(*came == wanted || single || k == 5 && !whole, "answer {k} to {a:e}, {b:e}: {came:x?}");
        }
    }
}
