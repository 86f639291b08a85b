//! The passes' pipelines, made from the table when the engine is made.

use crate::passes::{BindingKind, GPU_PASSES, GpuPass};

/// Bytes between two sets of parameters in the uniform buffer.
pub(crate) const PARAMS_STRIDE: u64 = 256;

/// A pass, ready to run.
#[derive(Debug)]
pub(crate) struct Pipeline {
    pub pass: &'static GpuPass,
    pub pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    /// The bind group of the buffers it was made for, by their generations.
    bound: Option<(Vec<u64>, wgpu::BindGroup)>,
}

/// A buffer to bind, with its generation.
pub(crate) type Bound<'a> = (&'a wgpu::Buffer, u64);

impl Pipeline {
    /// All pipelines, in the order of the table.
    pub fn all(device: &wgpu::Device) -> Vec<Pipeline> {
        GPU_PASSES.iter().map(|pass| Pipeline::new(device, pass)).collect()
    }

    /// That of a pass.
    pub fn named<'p>(pipelines: &'p mut [Pipeline], name: &str) -> Option<&'p mut Pipeline> {
        pipelines.iter_mut().find(|p| p.pass.name == name)
    }

    fn new(device: &wgpu::Device, pass: &'static GpuPass) -> Pipeline {
        let label = Some(pass.name);
        let entries: Vec<_> = pass
            .bindings
            .iter()
            .enumerate()
            .map(|(index, binding)| wgpu::BindGroupLayoutEntry {
                binding: index as u32,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: match binding.kind {
                        BindingKind::Uniform => wgpu::BufferBindingType::Uniform,
                        BindingKind::Read => wgpu::BufferBindingType::Storage { read_only: true },
                        BindingKind::Write => wgpu::BufferBindingType::Storage { read_only: false },
                    },
                    has_dynamic_offset: binding.kind == BindingKind::Uniform,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let layout =
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label,
            source: wgpu::ShaderSource::Wgsl(pass.source.into()),
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(pass.name),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Pipeline { pass, pipeline, layout, bound: None }
    }

    /// The bind group of these buffers, in the order of the bindings; made anew where one of them was.
    pub fn bind(&mut self, device: &wgpu::Device, buffers: &[Bound<'_>]) -> &wgpu::BindGroup {
        let same = |generations: &[u64]| generations.iter().eq(buffers.iter().map(|b| &b.1));
        let kept = self.bound.take().filter(|(generations, _)| same(generations));
        let bound = kept.unwrap_or_else(|| {
            let entries: Vec<_> = buffers
                .iter()
                .zip(self.pass.bindings)
                .enumerate()
                .map(|(index, ((buffer, _), binding))| wgpu::BindGroupEntry {
                    binding: index as u32,
                    resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                        buffer,
                        offset: 0,
                        size: match binding.kind {
                            BindingKind::Uniform => std::num::NonZeroU64::new(PARAMS_STRIDE),
                            BindingKind::Read | BindingKind::Write => None,
                        },
                    }),
                })
                .collect();
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(self.pass.name),
                layout: &self.layout,
                entries: &entries,
            });
            (buffers.iter().map(|b| b.1).collect(), group)
        });
        &self.bound.insert(bound).1
    }
}
