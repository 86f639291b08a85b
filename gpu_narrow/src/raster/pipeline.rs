//! A raster pass's pipeline, made from its row of the table.

use super::pass::{Entry, RasterPass, SlotKind};
use crate::pipelines::PARAMS_STRIDE;

/// Format of the depth buffers.
pub(crate) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// A pass, ready to run.
#[derive(Debug)]
pub(crate) struct RasterPipeline {
    pub pass: &'static RasterPass,
    ready: Ready,
    layout: wgpu::BindGroupLayout,
}

#[derive(Debug)]
enum Ready {
    Draw(wgpu::RenderPipeline),
    Compute(wgpu::ComputePipeline),
}

/// What is bound to a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Resource<'a> {
    Buffer(&'a wgpu::Buffer),
    Texture(&'a wgpu::TextureView),
}

impl RasterPipeline {
    pub fn new(device: &wgpu::Device, pass: &'static RasterPass) -> RasterPipeline {
        let label = Some(pass.name);
        let layout = bind_group_layout(device, pass);
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label,
            source: wgpu::ShaderSource::Wgsl(pass.source.into()),
        });
        let ready = match pass.entry {
            Entry::Compute { entry, .. } => {
                Ready::Compute(device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label,
                    layout: Some(&pipeline_layout),
                    module: &module,
                    entry_point: Some(entry),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    cache: None,
                }))
            }
            Entry::Draw { vertex, fragment, target, writes, depth } => {
                let write_mask = if writes { wgpu::ColorWrites::ALL } else { wgpu::ColorWrites::empty() };
                let targets = [Some(wgpu::ColorTargetState { format: target, blend: None, write_mask })];
                Ready::Draw(device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                    label,
                    layout: Some(&pipeline_layout),
                    vertex: wgpu::VertexState {
                        module: &module,
                        entry_point: Some(vertex),
                        compilation_options: wgpu::PipelineCompilationOptions::default(),
                        buffers: &[],
                    },
                    primitive: wgpu::PrimitiveState::default(),
                    depth_stencil: depth.map(|compare| wgpu::DepthStencilState {
                        format: DEPTH,
                        depth_write_enabled: Some(true),
                        depth_compare: Some(compare),
                        stencil: wgpu::StencilState::default(),
                        bias: wgpu::DepthBiasState::default(),
                    }),
                    multisample: wgpu::MultisampleState::default(),
                    fragment: Some(wgpu::FragmentState {
                        module: &module,
                        entry_point: Some(fragment),
                        compilation_options: wgpu::PipelineCompilationOptions::default(),
                        targets: &targets,
                    }),
                    multiview_mask: None,
                    cache: None,
                }))
            }
        };
        RasterPipeline { pass, ready, layout }
    }

    /// The bind group of these resources, in the order of the slots.
    pub fn bind(&self, device: &wgpu::Device, resources: &[Resource<'_>]) -> wgpu::BindGroup {
        let entries: Vec<_> = resources
            .iter()
            .zip(self.pass.slots)
            .enumerate()
            .map(|(index, (resource, slot))| wgpu::BindGroupEntry {
                binding: index as u32,
                resource: match *resource {
                    Resource::Texture(view) => wgpu::BindingResource::TextureView(view),
                    Resource::Buffer(buffer) => wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                        buffer,
                        offset: 0,
                        size: match slot.kind {
                            SlotKind::Uniform => std::num::NonZeroU64::new(PARAMS_STRIDE),
                            SlotKind::Read | SlotKind::Write | SlotKind::Texels => None,
                        },
                    }),
                },
            })
            .collect();
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(self.pass.name),
            layout: &self.layout,
            entries: &entries,
        })
    }

    /// Makes it the pipeline of a render pass.
    pub fn set(&self, pass: &mut wgpu::RenderPass<'_>) {
        if let Ready::Draw(pipeline) = &self.ready {
            pass.set_pipeline(pipeline);
        }
    }

    /// Runs it as a compute pass.
    pub fn dispatch(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        group: &wgpu::BindGroup,
        offsets: &[u32],
        workgroups: u32,
    ) {
        let Ready::Compute(pipeline) = &self.ready else { return };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(self.pass.name),
            timestamp_writes: None,
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, offsets);
        pass.dispatch_workgroups(workgroups, 1, 1);
    }
}

fn bind_group_layout(device: &wgpu::Device, pass: &RasterPass) -> wgpu::BindGroupLayout {
    let entries: Vec<_> = pass
        .slots
        .iter()
        .enumerate()
        .map(|(index, slot)| wgpu::BindGroupLayoutEntry {
            binding: index as u32,
            visibility: slot.stages,
            ty: match slot.kind {
                SlotKind::Texels => wgpu::BindingType::Texture {
                    sample_type: wgpu::TextureSampleType::Uint,
                    view_dimension: wgpu::TextureViewDimension::D2,
                    multisampled: false,
                },
                SlotKind::Uniform | SlotKind::Read | SlotKind::Write => wgpu::BindingType::Buffer {
                    ty: match slot.kind {
                        SlotKind::Uniform => wgpu::BufferBindingType::Uniform,
                        kind => wgpu::BufferBindingType::Storage { read_only: kind == SlotKind::Read },
                    },
                    has_dynamic_offset: slot.kind == SlotKind::Uniform,
                    min_binding_size: None,
                },
            },
            count: None,
        })
        .collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(pass.name),
        entries: &entries,
    })
}
