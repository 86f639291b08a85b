//! Pipelines and bind groups, made from the rows of the table of passes.

use super::pass::{Pass, SlotKind};
use crate::GpuFault;
use crate::operations::counted_shader::{CountedShader, ENTRY};
use crate::operations::tally::Tally;

/// Bytes between two sets of parameters in a uniform buffer.
pub(crate) const PARAMS_STRIDE: u64 = 256;

/// The shader of a pass.
pub(crate) fn shader_module(device: &wgpu::Device, pass: &Pass) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(pass.name),
        source: wgpu::ShaderSource::Wgsl(pass.source.into()),
    })
}

/// The layout of a pass's bind group of this number.
pub(crate) fn group_layout(device: &wgpu::Device, pass: &Pass, group: usize) -> wgpu::BindGroupLayout {
    let entries: Vec<_> = pass.groups[group]
        .iter()
        .enumerate()
        .map(|(index, slot)| wgpu::BindGroupLayoutEntry {
            binding: index as u32,
            visibility: slot.stages,
            ty: match slot.kind {
                SlotKind::Uniform => buffer(wgpu::BufferBindingType::Uniform, true),
                SlotKind::Read => buffer(wgpu::BufferBindingType::Storage { read_only: true }, false),
                SlotKind::Write => buffer(wgpu::BufferBindingType::Storage { read_only: false }, false),
                SlotKind::Depth => texture(wgpu::TextureSampleType::Depth),
                SlotKind::Whole => texture(wgpu::TextureSampleType::Uint),
                SlotKind::Floats => texture(wgpu::TextureSampleType::Float { filterable: false }),
            },
            count: None,
        })
        .collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(pass.name),
        entries: &entries,
    })
}

fn buffer(ty: wgpu::BufferBindingType, has_dynamic_offset: bool) -> wgpu::BindingType {
    wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None }
}

fn texture(sample_type: wgpu::TextureSampleType) -> wgpu::BindingType {
    wgpu::BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    }
}

/// The layout of a pipeline whose bind groups are laid out so.
pub(crate) fn pipeline_layout(
    device: &wgpu::Device,
    label: &str,
    groups: &[&wgpu::BindGroupLayout],
) -> wgpu::PipelineLayout {
    let groups: Vec<_> = groups.iter().map(|group| Some(*group)).collect();
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(label),
        bind_group_layouts: &groups,
        immediate_size: 0,
    })
}

/// The pipeline of a compute pass with one bind group.
pub(crate) fn compute_pipeline(
    device: &wgpu::Device,
    pass: &Pass,
    module: &wgpu::ShaderModule,
    group: &wgpu::BindGroupLayout,
) -> wgpu::ComputePipeline {
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(pass.name),
        layout: Some(&pipeline_layout(device, pass.name, &[group])),
        module,
        entry_point: pass.entries.first().map(|entry| entry.0),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

/// A compute pass that is ready to run.
#[derive(Debug)]
pub(crate) struct Pipeline {
    pub pass: &'static Pass,
    pub pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    /// The bind group of the buffers it was made for, by their generations.
    bound: Option<(Vec<u64>, wgpu::BindGroup)>,
    /// Counts its operations, where that was asked for.
    pub tally: Option<Tally>,
}

/// A buffer to bind, with its generation.
pub(crate) type Bound<'a> = (&'a wgpu::Buffer, u64);

impl Pipeline {
    pub fn new(device: &wgpu::Device, pass: &'static Pass) -> Pipeline {
        let layout = group_layout(device, pass, 0);
        let pipeline = compute_pipeline(device, pass, &shader_module(device, pass), &layout);
        Pipeline { pass, pipeline, layout, bound: None, tally: None }
    }

    /// A pass that counts its operations.
    ///
    /// # Errors
    /// [`GpuFault::Refused`]: they cannot be counted.
    pub fn counted(device: &wgpu::Device, pass: &'static Pass) -> Result<Pipeline, GpuFault> {
        let refused = |reason| GpuFault::Refused { reason: format!("pass `{}`: {reason}", pass.name) };
        let shader = CountedShader::of(pass).map_err(refused)?;
        let (layout, tally) = (group_layout(device, pass, 0), Tally::new(device, &shader));
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(pass.name),
            source: wgpu::ShaderSource::Wgsl(shader.source.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(pass.name),
            layout: Some(&pipeline_layout(device, pass.name, &[&layout, tally.layout()])),
            module: &module,
            entry_point: Some(ENTRY),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Ok(Pipeline { pass, pipeline, layout, bound: None, tally: Some(tally) })
    }

    /// A bind group of these buffers, in the order of the slots, for one time.
    pub fn group(&self, device: &wgpu::Device, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
        let entries: Vec<_> = buffers
            .iter()
            .zip(self.pass.groups[0])
            .enumerate()
            .map(|(index, (buffer, slot))| wgpu::BindGroupEntry {
                binding: index as u32,
                resource: wgpu::BindingResource::Buffer(binding(buffer, slot.kind)),
            })
            .collect();
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(self.pass.name),
            layout: &self.layout,
            entries: &entries,
        })
    }

    /// That of a pass.
    pub fn named<'p>(pipelines: &'p mut [Pipeline], name: &str) -> Option<&'p mut Pipeline> {
        pipelines.iter_mut().find(|p| p.pass.name == name)
    }

    /// The bind group of these buffers, in the order of the slots; made again where one of them was.
    pub fn bind(&mut self, device: &wgpu::Device, buffers: &[Bound<'_>]) -> &wgpu::BindGroup {
        let same = |generations: &[u64]| generations.iter().eq(buffers.iter().map(|b| &b.1));
        let kept = self.bound.take().filter(|(generations, _)| same(generations));
        let bound = kept.unwrap_or_else(|| {
            let entries: Vec<_> = buffers
                .iter()
                .zip(self.pass.groups[0])
                .enumerate()
                .map(|(index, ((buffer, _), slot))| wgpu::BindGroupEntry {
                    binding: index as u32,
                    resource: wgpu::BindingResource::Buffer(binding(buffer, slot.kind)),
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

/// A buffer as it is bound: of parameters one set, of others all.
pub(crate) fn binding(buffer: &wgpu::Buffer, kind: SlotKind) -> wgpu::BufferBinding<'_> {
    let size = match kind {
        SlotKind::Uniform => std::num::NonZeroU64::new(PARAMS_STRIDE),
        _ => None,
    };
    wgpu::BufferBinding { buffer, offset: 0, size }
}
