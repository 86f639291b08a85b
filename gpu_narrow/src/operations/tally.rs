//! The counters of a pass on the device.

use super::counted_shader::CountedShader;
use super::{Operations, PassOperations, WARP};

/// Counts of a pass, a buffer for each dispatch of a step.
#[derive(Debug)]
pub(crate) struct Tally {
    costs: Vec<Operations>,
    threads: u32,
    layout: wgpu::BindGroupLayout,
    /// With the workgroups of each.
    dispatches: Vec<(wgpu::Buffer, u32)>,
}

/// Words of a stretch and warp.
const WORDS: usize = 2;

impl Tally {
    /// The counters of a shader.
    pub fn new(device: &wgpu::Device, shader: &CountedShader) -> Tally {
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("counters"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only: false },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        Tally { costs: shader.costs.clone(), threads: shader.threads, layout, dispatches: Vec::new() }
    }

    /// How its bind group is laid out.
    pub fn layout(&self) -> &wgpu::BindGroupLayout {
        &self.layout
    }

    /// Begins a step.
    pub fn begin(&mut self) {
        self.dispatches.clear();
    }

    fn warps(&self) -> usize {
        self.threads.div_ceil(WARP) as usize
    }

    /// Counters for a dispatch of so many workgroups, to be bound as group 1.
    pub fn bind(&mut self, device: &wgpu::Device, groups: u32) -> wgpu::BindGroup {
        let words = (groups as usize * self.warps() * self.costs.len() * WORDS).max(1);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("counters"),
            size: words as u64 * 4,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("counters"),
            layout: &self.layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }],
        });
        self.dispatches.push((buffer, groups));
        group
    }

    /// The buffers of the step.
    pub fn buffers(&self) -> impl Iterator<Item = &wgpu::Buffer> {
        self.dispatches.iter().map(|(buffer, _)| buffer)
    }

    /// What the pass did, by what its buffers hold.
    pub fn read(&self, pass: &'static str, buffers: &[Vec<u32>]) -> PassOperations {
        let mut found = PassOperations { pass, threads: self.threads.into(), ..PassOperations::default() };
        for ((_, groups), words) in self.dispatches.iter().zip(buffers) {
            found.dispatches += 1;
            found.groups += u64::from(*groups);
            let of_group = self.warps() * self.costs.len() * WORDS;
            for group in words.chunks_exact(of_group).take(*groups as usize) {
                self.add_group(group, &mut found);
            }
        }
        found
    }

    fn add_group(&self, words: &[u32], found: &mut PassOperations) {
        let mut longest = Operations::default();
        for warp in words.chunks_exact(self.costs.len() * WORDS) {
            let mut issued = Operations::default();
            for (visits, cost) in warp.chunks_exact(WORDS).zip(&self.costs) {
                found.all += *cost * u64::from(visits[0]);
                issued += *cost * u64::from(visits[1]);
            }
            found.issued += issued;
            if issued.arithmetic() >= longest.arithmetic() {
                longest = issued;
            }
        }
        found.longest += longest;
    }
}
