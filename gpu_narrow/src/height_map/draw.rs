//! Pieces to pictures.

use impinge_image_space::height_map::ImagePlane;
use impinge_midphase::obb_tree::Projection;
use nalgebra::Isometry3;

use super::environment::{GpuChannels, GpuPiece};
use super::layout::DrawParams;
use super::profile::{Depths, Picture};
use super::{MapEngine, missing};
use crate::GpuFault;
use crate::device::pipeline::PARAMS_STRIDE;

/// Where the parameters of a draw begin.
pub(super) fn offset(index: usize) -> u32 {
    (index as u64 * PARAMS_STRIDE) as u32
}

/// Begins a pass into a picture, and what the caller knows, whose depths are cleared to `clear`, or stay as
/// they are.
pub(super) fn begin<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    picture: &Picture,
    known: Option<&wgpu::TextureView>,
    clear: Option<f32>,
) -> wgpu::RenderPass<'e> {
    let target = |view| {
        Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                store: wgpu::StoreOp::Store,
            },
        })
    };
    let both = [target(&picture.seen), known.and_then(target)];
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("height map"),
        color_attachments: if known.is_some() { &both } else { &both[..1] },
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &picture.depth,
            depth_ops: Some(wgpu::Operations {
                load: clear.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        }),
        ..wgpu::RenderPassDescriptor::default()
    })
}

/// Rows that take the points of a body at `pose` (the plane's frame) to clip x, clip y and depth.
pub(super) fn clip_rows(plane: &ImagePlane, pose: &Isometry3<f64>, depths: &Depths) -> [[f64; 4]; 3] {
    let Projection { rows: [x, y, z] } = plane.projection(pose);
    let [width, height] = plane.pixels().map(f64::from);
    let scaled = |row: [f64; 4], scale: f64, add: f64| {
        [row[0] * scale, row[1] * scale, row[2] * scale, row[3] * scale + add]
    };
    [
        scaled(x, 2.0 / width, -1.0),
        scaled(y, -2.0 / height, 1.0),
        scaled(z, 1.0 / depths.span, -depths.near / depths.span),
    ]
}

/// What decides which of an environment's fragments count.
pub(super) enum Mask<'p> {
    /// An object's far and near maps.
    Object { far: &'p Picture, near: &'p Picture },
    /// Nothing: all is seen. A picture to be bound all the same.
    None(&'p Picture),
    /// Nothing, through the faces of a cube of `pixels` a side, which lie in three rows of two; which of them each
    /// piece is for. A picture to be bound all the same.
    Cube { other: &'p Picture, pixels: u32, faces: &'p [usize] },
}

/// What planes give for a piece.
pub(super) trait Params {
    /// The parameters of a piece at `pose` of the plane's frame; its normals are turned by the piece's own
    /// pose.
    fn params(&self, piece: &GpuPiece, pose: &Isometry3<f64>, depths: &Depths, gate: u32) -> DrawParams;
}

impl Params for ImagePlane {
    fn params(&self, piece: &GpuPiece, pose: &Isometry3<f64>, depths: &Depths, gate: u32) -> DrawParams {
        let to_image = clip_rows(self, pose, depths).map(|row| row.map(|x| x as f32));
        DrawParams { to_image, gate, ..DrawParams::of(piece) }
    }
}

impl DrawParams {
    /// What hangs on the piece alone.
    pub(super) fn of(piece: &GpuPiece) -> DrawParams {
        let turn = piece.pose.rotation.to_rotation_matrix().into_inner();
        let (known, [known_start, known_stride], all) = match &piece.channels {
            GpuChannels::None => (0, [0; 2], [0.0; 4]),
            GpuChannels::Body(all) => (1, [0; 2], *all),
            GpuChannels::Vertices { start, stride, .. } => (2, [*start, *stride], [0.0; 4]),
        };
        DrawParams {
            known,
            known_start,
            known_stride,
            all,
            rotation: [0, 1, 2].map(|r| [turn[(r, 0)] as f32, turn[(r, 1)] as f32, turn[(r, 2)] as f32, 0.0]),
            start: piece.start,
            stride: piece.stride,
            indexed: u32::from(piece.indices.is_some()),
            body: piece.body,
            corners: piece.topology.corners(),
            ..DrawParams::default()
        }
    }
}

impl MapEngine {
    /// Sends the parameters of all draws, and binds each piece's buffers.
    pub(super) fn bind(
        &mut self,
        pieces: &[GpuPiece],
        draws: &[DrawParams],
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<Vec<wgpu::BindGroup>, GpuFault> {
        // One more set, for what follows the draws.
        let params = self.hold_params(draws.len() + 1, encoder)?;
        for (index, draw) in draws.iter().enumerate() {
            self.queue.write_buffer(&params, u64::from(offset(index)), bytemuck::bytes_of(draw));
        }
        let size = std::num::NonZeroU64::new(size_of::<DrawParams>() as u64).ok_or_else(missing)?;
        let group = |piece: &GpuPiece| {
            let indices = piece.indices.as_ref().unwrap_or(&self.nothing);
            let channels = match &piece.channels {
                GpuChannels::Vertices { values, .. } => values,
                GpuChannels::None | GpuChannels::Body(_) => &self.nothing,
            };
            let uniform = wgpu::BufferBinding { buffer: &params, offset: 0, size: Some(size) };
            self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("piece"),
                layout: &self.pipelines.draw[0],
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(uniform) },
                    wgpu::BindGroupEntry { binding: 1, resource: piece.vertices.as_entire_binding() },
                    wgpu::BindGroupEntry { binding: 2, resource: indices.as_entire_binding() },
                    wgpu::BindGroupEntry { binding: 3, resource: channels.as_entire_binding() },
                ],
            })
        };
        Ok(pieces.iter().map(group).collect())
    }

    /// Draws pieces of an environment into `picture`. It begins with the object's far depths, so that the depth
    /// test turns away, before any shader runs, what lies beside the object's image or behind it. What the
    /// caller knows goes to `known`.
    pub(super) fn draw_environment(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        picture: &Picture,
        mask: &Mask<'_>,
        pieces: &[GpuPiece],
        groups: &[wgpu::BindGroup],
        known: Option<&wgpu::TextureView>,
    ) {
        let entry = |binding, view| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::TextureView(view),
        };
        let (near, clear) = match mask {
            Mask::Object { far, near } => {
                let copy = |texture| wgpu::TexelCopyTextureInfo {
                    texture,
                    mip_level: 0,
                    origin: wgpu::Origin3d::ZERO,
                    aspect: wgpu::TextureAspect::All,
                };
                let size = far.depth.texture().size();
                encoder.copy_texture_to_texture(
                    copy(far.depth.texture()),
                    copy(picture.depth.texture()),
                    size,
                );
                (near, None)
            }
            Mask::None(other) => (other, Some(1.0)),
            Mask::Cube { other, .. } => (other, Some(0.0)),
        };
        let gate = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("the object's near map"),
            layout: &self.pipelines.draw[1],
            entries: &[entry(0, &near.depth)],
        });
        let mut pass = begin(encoder, picture, known, clear);
        pass.set_bind_group(1, &gate, &[]);
        for (index, (piece, group)) in pieces.iter().zip(groups).enumerate() {
            let mut cube = false;
            if let Mask::Cube { pixels, faces, .. } = mask {
                let [left, top] = [faces[index] % 2, faces[index] / 2].map(|k| k as u32 * pixels);
                let side = *pixels as f32;
                pass.set_viewport(left as f32, top as f32, side, side, 0.0, 1.0);
                pass.set_scissor_rect(left, top, *pixels, *pixels);
                cube = true;
            }
            pass.set_pipeline(self.pipelines.environment(piece.topology.corners(), cube, known.is_some()));
            pass.set_bind_group(0, group, &[offset(index)]);
            pass.draw(0..piece.count, 0..1);
        }
    }
}
