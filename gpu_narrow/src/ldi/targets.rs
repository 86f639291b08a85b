//! The textures and buffers that the raster passes draw into.

use super::pipeline::DEPTH;
use crate::device::buffer::GrowBuffer;

/// Bytes between two resolved queries.
const RESOLVED: u64 = 256;

/// A texture and its size.
#[derive(Debug)]
struct Texture {
    texture: wgpu::Texture,
    view: wgpu::TextureView,
}

/// What peeling draws into.
#[derive(Debug)]
pub(super) struct Peeling {
    /// Two layers, by turns the last and the next, and their depths.
    textures: Option<[Texture; 3]>,
    size: [u32; 2],
    /// Whether anything was drawn, layer by layer.
    pub queries: wgpu::QuerySet,
    pub drawn: wgpu::Buffer,
    pub arguments: wgpu::Buffer,
}

/// What the unordered way draws into.
#[derive(Debug)]
pub(super) struct Unordered {
    texture: Option<Texture>,
    size: [u32; 2],
    pub counts: GrowBuffer,
    pub starts: GrowBuffer,
    pub blocks: GrowBuffer,
    pub crossings: GrowBuffer,
}

impl Peeling {
    pub fn new(device: &wgpu::Device, layers: u32) -> Peeling {
        use wgpu::BufferUsages as U;
        let buffer = |label, size, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        Peeling {
            textures: None,
            size: [0; 2],
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("layers drawn"),
                ty: wgpu::QueryType::Occlusion,
                count: layers,
            }),
            drawn: buffer("layers drawn", RESOLVED, U::QUERY_RESOLVE | U::STORAGE),
            arguments: buffer("draw", 16, U::INDIRECT | U::STORAGE | U::COPY_DST | U::COPY_SRC),
        }
    }

    /// Textures of at least `size`; gives the size they have.
    pub fn hold(&mut self, device: &wgpu::Device, size: [u32; 2], made: &mut u64) -> [u32; 2] {
        let grown = grown(self.size, size);
        if self.textures.is_none() || grown != self.size {
            use wgpu::TextureUsages as U;
            let layer = U::RENDER_ATTACHMENT | U::TEXTURE_BINDING | U::COPY_SRC;
            let format = wgpu::TextureFormat::Rg32Uint;
            let new = |label, format, usage| Texture::new(device, label, grown, format, usage);
            self.textures = Some([
                new("even layers", format, layer),
                new("odd layers", format, layer),
                new("depth", DEPTH, U::RENDER_ATTACHMENT),
            ]);
            self.size = grown;
            *made += 3;
        }
        self.size
    }

    /// The texture of a layer.
    pub fn layer(&self, layer: u32) -> Option<(&wgpu::Texture, &wgpu::TextureView)> {
        let texture = &self.textures.as_ref()?[layer as usize % 2];
        Some((&texture.texture, &texture.view))
    }

    pub fn depth(&self) -> Option<&wgpu::TextureView> {
        Some(&self.textures.as_ref()?[2].view)
    }
}

impl Unordered {
    pub fn new() -> Unordered {
        use wgpu::BufferUsages as U;
        let own = U::STORAGE | U::COPY_SRC | U::COPY_DST;
        Unordered {
            texture: None,
            size: [0; 2],
            counts: GrowBuffer::new("counts", own),
            starts: GrowBuffer::new("starts", own),
            blocks: GrowBuffer::new("blocks", own),
            crossings: GrowBuffer::new("crossings", own),
        }
    }

    /// A texture of at least `size`; gives the size it has.
    pub fn hold(&mut self, device: &wgpu::Device, size: [u32; 2], made: &mut u64) -> [u32; 2] {
        let grown = grown(self.size, size);
        if self.texture.is_none() || grown != self.size {
            let (format, usage) = (wgpu::TextureFormat::R8Unorm, wgpu::TextureUsages::RENDER_ATTACHMENT);
            self.texture = Some(Texture::new(device, "nothing", grown, format, usage));
            self.size = grown;
            *made += 1;
        }
        self.size
    }

    /// The attachment that a draw must have, though nothing is written to it.
    pub fn attachment(&self) -> Option<&wgpu::TextureView> {
        self.texture.as_ref().map(|t| &t.view)
    }
}

impl Texture {
    fn new(
        device: &wgpu::Device,
        label: &'static str,
        size: [u32; 2],
        format: wgpu::TextureFormat,
        usage: wgpu::TextureUsages,
    ) -> Texture {
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        Texture { texture, view }
    }
}

/// The size that holds both.
fn grown(has: [u32; 2], wants: [u32; 2]) -> [u32; 2] {
    [0, 1].map(|k| has[k].max(wants[k]))
}
