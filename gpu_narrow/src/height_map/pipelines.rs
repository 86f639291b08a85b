//! The pipelines of the passes.

use wgpu::{CompareFunction, Face, PrimitiveTopology, TextureFormat};

use super::passes::{CLOUD, COMPARE, DRAW};
use crate::device::pipeline::{compute_pipeline, group_layout, pipeline_layout, shader_module};

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
    /// The same with what the caller knows.
    known: [[wgpu::RenderPipeline; 3]; 2],
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
        let module = shader_module(device, &DRAW);
        let draw = [0, 1].map(|group| group_layout(device, &DRAW, group));
        let object_layout = pipeline_layout(device, "height map of an object", &[&draw[0]]);
        let environment_layout =
            pipeline_layout(device, "height map of an environment", &[&draw[0], &draw[1]]);
        let render = |layout, fragment, topology, cull_mode, test| {
            let targets: &[_] = match fragment {
                "height_map_known" => &[Some(SEEN.into()), Some(KNOWN.into())],
                _ => &[Some(SEEN.into())],
            };
            device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(DRAW.name),
                layout: Some(layout),
                vertex: wgpu::VertexState {
                    module: &module,
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
                    module: &module,
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
        let environment = |entry: &'static str| {
            [CompareFunction::Less, CompareFunction::Greater].map(|test| {
                topologies.map(|topology| render(&environment_layout, entry, topology, None, test))
            })
        };
        let [compare_layout, cloud_layout] = [&COMPARE, &CLOUD].map(|pass| group_layout(device, pass, 0));
        let compute = |pass, layout| compute_pipeline(device, pass, &shader_module(device, pass), layout);
        Pipelines {
            objects: [Keeps::Far, Keeps::Near].map(|keeps| [false, true].map(|closed| object(keeps, closed))),
            environments: environment("height_map_environment"),
            known: environment("height_map_known"),
            compare: compute(&COMPARE, &compare_layout),
            cloud: compute(&CLOUD, &cloud_layout),
            draw,
            compare_layout,
            cloud_layout,
        }
    }

    pub fn object(&self, keeps: Keeps, closed: bool) -> &wgpu::RenderPipeline {
        &self.objects[usize::from(keeps == Keeps::Near)][usize::from(closed)]
    }

    pub fn environment(&self, corners: u32, cube: bool, known: bool) -> &wgpu::RenderPipeline {
        let of = if known { &self.known } else { &self.environments };
        &of[usize::from(cube)][3usize.saturating_sub(corners as usize).min(2)]
    }
}
