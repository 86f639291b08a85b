//! The pipelines of the passes, made from their rows of the table.

use wgpu::{CompareFunction, TextureFormat};

use crate::device::pass::{Pass, Stage};
use crate::device::pipeline::{binding, compute_pipeline, group_layout, pipeline_layout, shader_module};

/// Format of the depth buffers.
pub(crate) const DEPTH: TextureFormat = TextureFormat::Depth32Float;

/// A pass, ready to run.
#[derive(Debug)]
pub(crate) struct LdiPipeline {
    pub pass: &'static Pass,
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

/// What a draw writes to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// The colour attachment.
    pub format: TextureFormat,
    /// Whether fragments write to it; an attachment there must be.
    pub writes: bool,
    /// The test against a `Depth32Float` buffer, which passing fragments write.
    pub depth: Option<CompareFunction>,
}

impl LdiPipeline {
    /// A compute pass.
    pub fn compute(device: &wgpu::Device, pass: &'static Pass) -> LdiPipeline {
        let layout = group_layout(device, pass, 0);
        let ready = Ready::Compute(compute_pipeline(device, pass, &shader_module(device, pass), &layout));
        LdiPipeline { pass, ready, layout }
    }

    /// A pass that draws triangles without vertex buffers.
    pub fn draw(device: &wgpu::Device, pass: &'static Pass, target: Target) -> LdiPipeline {
        let layout = group_layout(device, pass, 0);
        let module = shader_module(device, pass);
        let entry = |stage| pass.entries.iter().find(|entry| entry.1 == stage).map(|entry| entry.0);
        let write_mask = if target.writes { wgpu::ColorWrites::ALL } else { wgpu::ColorWrites::empty() };
        let targets = [Some(wgpu::ColorTargetState { format: target.format, blend: None, write_mask })];
        let ready = Ready::Draw(device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(pass.name),
            layout: Some(&pipeline_layout(device, pass.name, &[&layout])),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: entry(Stage::Vertex),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: target.depth.map(|compare| wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(true),
                depth_compare: Some(compare),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: entry(Stage::Fragment),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &targets,
            }),
            multiview_mask: None,
            cache: None,
        }));
        LdiPipeline { pass, ready, layout }
    }

    /// The bind group of these resources, in the order of the slots.
    pub fn bind(&self, device: &wgpu::Device, resources: &[Resource<'_>]) -> wgpu::BindGroup {
        let entries: Vec<_> = resources
            .iter()
            .zip(self.pass.groups[0])
            .enumerate()
            .map(|(index, (resource, slot))| wgpu::BindGroupEntry {
                binding: index as u32,
                resource: match *resource {
                    Resource::Texture(view) => wgpu::BindingResource::TextureView(view),
                    Resource::Buffer(buffer) => wgpu::BindingResource::Buffer(binding(buffer, slot.kind)),
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
        self.dispatch_timed(encoder, group, offsets, workgroups, None);
    }

    /// The same, which writes timestamps.
    pub fn dispatch_timed(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        group: &wgpu::BindGroup,
        offsets: &[u32],
        workgroups: u32,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let Ready::Compute(pipeline) = &self.ready else { return };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(self.pass.name),
            timestamp_writes,
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, offsets);
        pass.dispatch_workgroups(workgroups, 1, 1);
    }
}
