//! The pipelines of the passes.

use wgpu::{CompareFunction, Face, PrimitiveTopology, ShaderStages, TextureFormat};

use super::pass::{CLOUD, COMPARE, DRAW, MapPass, SlotKind};

/// The format of depth: 32 bits, linear by the projection.
pub(super) const DEPTH: TextureFormat = TextureFormat::Depth32Float;
/// The format of what is seen: body, primitive, packed normal, and whether there is one.
pub(super) const SEEN: TextureFormat = TextureFormat::Rgba32Uint;

/// The format of what the caller knows of it.
pub(super) const KNOWN: TextureFormat = TextureFormat::Rgba32Float;

/// The pipelines, with the layouts of their groups.
#[derive(Debug)]
pub(super) struct Pipelines {
    pub draw: [wgpu::BindGroupLayout; 2],
    pub compare_layout: wgpu::BindGroupLayout,
    pub cloud_layout: wgpu::BindGroupLayout,
    /// Objects: for the far and the near surface, of closed meshes and of others.
    objects: [[wgpu::RenderPipeline; 2]; 2],
    /// Environments, on a plane and on a cube's face: triangles, lines, points.
    environments: [[wgpu::RenderPipeline; 3]; 2],
    /// Environments on a plane, with what the caller knows.
    known: [wgpu::RenderPipeline; 3],
    pub compare: wgpu::ComputePipeline,
    pub cloud: wgpu::ComputePipeline,
}

/// Which surface of an object a map keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeps {
    Far,
    Near,
}

impl Pipelines {
    pub fn new(device: &wgpu::Device) -> Pipelines {
        let shaders = [DRAW, COMPARE, CLOUD].map(|pass| {
            device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(pass.name),
                source: wgpu::ShaderSource::Wgsl(pass.source.into()),
            })
        });
        let draw = [0, 1].map(|group| layout(device, &DRAW, group));
        let object_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("height map of an object"),
            bind_group_layouts: &[Some(&draw[0])],
            immediate_size: 0,
        });
        let environment_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("height map of an environment"),
            bind_group_layouts: &[Some(&draw[0]), Some(&draw[1])],
            immediate_size: 0,
        });
        let render = |layout, fragment, topology, cull_mode, test| {
            let targets: &[_] = match fragment {
                "height_map_known" => &[Some(SEEN.into()), Some(KNOWN.into())],
                _ => &[Some(SEEN.into())],
            };
            device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(DRAW.name),
                layout: Some(layout),
                vertex: wgpu::VertexState {
                    module: &shaders[0],
                    entry_point: Some("height_map_vertex"),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers: &[],
                },
                primitive: wgpu::PrimitiveState { topology, cull_mode, ..wgpu::PrimitiveState::default() },
                depth_stencil: Some(wgpu::DepthStencilState {
                    format: DEPTH,
                    depth_write_enabled: Some(true),
                    depth_compare: Some(test),
                    stencil: wgpu::StencilState::default(),
                    bias: wgpu::DepthBiasState::default(),
                }),
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &shaders[0],
                    entry_point: Some(fragment),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    targets,
                }),
                multiview_mask: None,
                cache: None,
            })
        };
        // The far surface by the inverted test, and of closed meshes by inverted culling.
        let object = |keeps: Keeps, closed: bool| {
            let (test, cull) = match keeps {
                Keeps::Far => (CompareFunction::Greater, Face::Front),
                Keeps::Near => (CompareFunction::Less, Face::Back),
            };
            let topology = PrimitiveTopology::TriangleList;
            render(&object_layout, "height_map_object", topology, closed.then_some(cull), test)
        };
        let topologies =
            [PrimitiveTopology::TriangleList, PrimitiveTopology::LineList, PrimitiveTopology::PointList];
        let compute = |pass: &MapPass, layout: &wgpu::BindGroupLayout, module| {
            let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(pass.name),
                bind_group_layouts: &[Some(layout)],
                immediate_size: 0,
            });
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(pass.name),
                layout: Some(&pipeline_layout),
                module,
                entry_point: Some(pass.entries[0].0),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        let (compare_layout, cloud_layout) = (layout(device, &COMPARE, 0), layout(device, &CLOUD, 0));
        Pipelines {
            objects: [Keeps::Far, Keeps::Near].map(|keeps| [false, true].map(|closed| object(keeps, closed))),
            environments: [CompareFunction::Less, CompareFunction::Greater].map(|test| {
                let entry = "height_map_environment";
                topologies.map(|topology| render(&environment_layout, entry, topology, None, test))
            }),
            known: topologies.map(|topology| {
                render(&environment_layout, "height_map_known", topology, None, CompareFunction::Less)
            }),
            compare: compute(&COMPARE, &compare_layout, &shaders[1]),
            cloud: compute(&CLOUD, &cloud_layout, &shaders[2]),
            draw,
            compare_layout,
            cloud_layout,
        }
    }

    pub fn object(&self, keeps: Keeps, closed: bool) -> &wgpu::RenderPipeline {
        &self.objects[usize::from(keeps == Keeps::Near)][usize::from(closed)]
    }

    pub fn environment(&self, corners: u32, cube: bool, known: bool) -> &wgpu::RenderPipeline {
        let of = if known { &self.known } else { &self.environments[usize::from(cube)] };
        &of[3usize.saturating_sub(corners as usize).min(2)]
    }
}

fn layout(device: &wgpu::Device, pass: &MapPass, group: usize) -> wgpu::BindGroupLayout {
    let stages = pass.entries.iter().fold(ShaderStages::NONE, |all, entry| all | entry.1);
    let entries: Vec<_> = pass.groups[group]
        .iter()
        .enumerate()
        .map(|(index, (_, kind))| wgpu::BindGroupLayoutEntry {
            binding: index as u32,
            // Geometry is pulled by vertex shaders alone; limits count stage by stage.
            visibility: match kind {
                SlotKind::Read if stages.contains(ShaderStages::VERTEX) => ShaderStages::VERTEX,
                _ => stages,
            },
            ty: match kind {
                SlotKind::Uniform => buffer(wgpu::BufferBindingType::Uniform, true),
                SlotKind::Read => buffer(wgpu::BufferBindingType::Storage { read_only: true }, false),
                SlotKind::Write => buffer(wgpu::BufferBindingType::Storage { read_only: false }, false),
                SlotKind::Depth => texture(wgpu::TextureSampleType::Depth),
                SlotKind::Whole => texture(wgpu::TextureSampleType::Uint),
                SlotKind::Numbers => texture(wgpu::TextureSampleType::Float { filterable: false }),
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
