//! A pipeline for each way in which fragments are tested and written.

use std::collections::HashMap;

use impinge_image_space::classic::{DepthTest, Draw, StencilOp};
use wgpu::{CompareFunction, StencilOperation};

use super::passes::FIGURE;
use crate::device::pipeline::{binding, group_layout, pipeline_layout, shader_module};

/// The depth and stencil buffer.
pub(super) const BUFFER: wgpu::TextureFormat = wgpu::TextureFormat::Depth24PlusStencil8;

type Key = (DepthTest, bool, StencilOp);

/// The pipelines made so far.
#[derive(Debug)]
pub(super) struct FigurePipelines {
    module: wgpu::ShaderModule,
    group: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    made: HashMap<Key, wgpu::RenderPipeline>,
}

impl FigurePipelines {
    pub fn new(device: &wgpu::Device) -> FigurePipelines {
        let group = group_layout(device, &FIGURE, 0);
        let layout = pipeline_layout(device, FIGURE.name, &[&group]);
        FigurePipelines { module: shader_module(device, &FIGURE), group, layout, made: HashMap::new() }
    }

    /// The bind group of the parameters and the bodies.
    pub fn bind(&self, device: &wgpu::Device, buffers: [&wgpu::Buffer; 2]) -> wgpu::BindGroup {
        let entries = [0, 1].map(|k| wgpu::BindGroupEntry {
            binding: k as u32,
            resource: wgpu::BindingResource::Buffer(binding(buffers[k], FIGURE.groups[0][k].kind)),
        });
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(FIGURE.name),
            layout: &self.group,
            entries: &entries,
        })
    }

    /// Makes the pipeline of a draw, if it is new.
    pub fn prepare(&mut self, device: &wgpu::Device, draw: &Draw) {
        let FigurePipelines { module, layout, made, .. } = self;
        made.entry(key(draw)).or_insert_with_key(|key| pipeline(device, module, layout, key));
    }

    /// The pipeline of a draw that was prepared.
    pub fn get(&self, draw: &Draw) -> Option<&wgpu::RenderPipeline> {
        self.made.get(&key(draw))
    }
}

fn key(draw: &Draw) -> Key {
    (draw.test, draw.writes, draw.stencil)
}

fn pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    &(test, writes, stencil): &Key,
) -> wgpu::RenderPipeline {
    let (pass_op, write_mask) = match stencil {
        StencilOp::Keep => (StencilOperation::Keep, 0),
        StencilOp::Increment => (StencilOperation::IncrementWrap, 0xff),
        StencilOp::Decrement => (StencilOperation::DecrementWrap, 0xff),
        // The reference has all bits.
        StencilOp::Set(bits) => (StencilOperation::Replace, u32::from(bits)),
        StencilOp::Invert(bits) => (StencilOperation::Invert, u32::from(bits)),
    };
    let face = wgpu::StencilFaceState {
        compare: CompareFunction::Always,
        fail_op: StencilOperation::Keep,
        depth_fail_op: StencilOperation::Keep,
        pass_op,
    };
    let compare = match test {
        DepthTest::Always => CompareFunction::Always,
        DepthTest::Less => CompareFunction::Less,
        DepthTest::LessEqual => CompareFunction::LessEqual,
        DepthTest::Greater => CompareFunction::Greater,
        DepthTest::GreaterEqual => CompareFunction::GreaterEqual,
    };
    let entry = |k: usize| FIGURE.entries.get(k).map(|entry| entry.0);
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(FIGURE.name),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: entry(0),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: BUFFER,
            depth_write_enabled: Some(writes),
            depth_compare: Some(compare),
            stencil: wgpu::StencilState { front: face, back: face, read_mask: 0xff, write_mask },
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: entry(1),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[],
        }),
        multiview_mask: None,
        cache: None,
    })
}
