//! The textures that tiles are drawn into.

use super::choice::Method;
use super::layout::ATLAS_TILES;
use crate::image::layout::TILE_SIDE;
use crate::ldi::pipeline::DEPTH;

/// What is drawn into; all of one size.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// Rows of tiles that there is room for.
    rows: u32,
    /// Two layers, by turns the last and the next, and their depths.
    layers: Option<[wgpu::TextureView; 3]>,
    /// Where nothing is written to, as a draw must have an attachment.
    nothing: Option<wgpu::TextureView>,
}

/// The size of the part of the atlas that so many tiles take (texels).
pub(super) fn size_of_tiles(tiles: u32) -> [u32; 2] {
    [TILE_SIDE * ATLAS_TILES, TILE_SIDE * tiles.div_ceil(ATLAS_TILES).max(1)]
}

impl Targets {
    /// Has what a way of capturing draws so many tiles into.
    pub fn hold(&mut self, device: &wgpu::Device, method: Method, tiles: u32) {
        let rows = tiles.div_ceil(ATLAS_TILES).max(1);
        if rows > self.rows {
            *self = Targets { rows: rows.next_power_of_two(), ..Targets::default() };
        }
        let no_use = wgpu::TextureUsages::empty();
        if method == Method::Peeling && self.layers.is_none() {
            let (format, read) = (wgpu::TextureFormat::Rgba32Uint, wgpu::TextureUsages::TEXTURE_BINDING);
            self.layers = Some([
                self.texture(device, "even layers of tiles", format, read),
                self.texture(device, "odd layers of tiles", format, read),
                self.texture(device, "depths of tiles", DEPTH, no_use),
            ]);
        }
        if method == Method::Unordered && self.nothing.is_none() {
            let format = wgpu::TextureFormat::R8Unorm;
            self.nothing = Some(self.texture(device, "nothing of tiles", format, no_use));
        }
    }

    fn texture(
        &self,
        device: &wgpu::Device,
        label: &'static str,
        format: wgpu::TextureFormat,
        usage: wgpu::TextureUsages,
    ) -> wgpu::TextureView {
        let [width, height] = size_of_tiles(self.rows * ATLAS_TILES);
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: usage | wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        texture.create_view(&wgpu::TextureViewDescriptor::default())
    }

    /// Even layers, odd layers, depths.
    pub fn layers(&self) -> Option<&[wgpu::TextureView; 3]> {
        self.layers.as_ref()
    }

    /// Where nothing is written to.
    pub fn nothing(&self) -> Option<&wgpu::TextureView> {
        self.nothing.as_ref()
    }
}
