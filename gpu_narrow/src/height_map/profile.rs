//! An object's own maps on the device.

use impinge_image_space::height_map::{Bounds, ImagePlane};

use super::draw::Params;
use super::environment::GpuPiece;
use super::pipelines::{DEPTH, Keeps, SEEN};
use super::{MapEngine, MapError};
use crate::GpuFault;

/// Depth that a view sees beyond the object's ends, as a part of its length: what lies exactly on an end is
/// not clipped.
const MARGIN: f64 = 1.0 / 64.0;

/// A depth picture and what is seen in it.
#[derive(Debug)]
pub(super) struct Picture {
    pub depth: wgpu::TextureView,
    pub seen: wgpu::TextureView,
}

impl Picture {
    pub fn new(device: &wgpu::Device, label: &'static str, [width, height]: [u32; 2]) -> Picture {
        let size = [width, height];
        Picture { depth: texture(device, label, size, DEPTH), seen: texture(device, label, size, SEEN) }
    }
}

/// A texture that is drawn into and read.
pub(super) fn texture(
    device: &wgpu::Device,
    label: &'static str,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
) -> wgpu::TextureView {
    use wgpu::TextureUsages as U;
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: U::RENDER_ATTACHMENT | U::TEXTURE_BINDING | U::COPY_SRC | U::COPY_DST,
        view_formats: &[],
    });
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

/// How an image plane's depths are laid out between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Depths {
    pub near: f64,
    pub span: f64,
}

impl Depths {
    pub fn new(near: f64, far: f64) -> Result<Depths, MapError> {
        if !(near.is_finite() && far.is_finite() && near < far) {
            return Err(MapError::Depths { near, far });
        }
        Ok(Depths { near, span: far - near })
    }

    pub fn metres(&self, depth: f32) -> f64 {
        self.near + f64::from(depth) * self.span
    }

    pub fn share(&self, metres: f64) -> f32 {
        ((metres - self.near) / self.span) as f32
    }
}

/// An object's farthest and nearest surface along a direction, on the device: drawn from pieces, which may
/// be the caller's own buffers.
#[derive(Debug)]
pub struct GpuProfile {
    pub(super) plane: ImagePlane,
    pub(super) length: f64,
    pub(super) bounds: Bounds,
    pub(super) depths: Depths,
    pub(super) far: Picture,
    pub(super) near: Picture,
    /// The environment's picture.
    pub(super) around: Picture,
}

impl GpuProfile {
    /// Room for the maps of an object that lies on `plane` (its own frame) from depth 0 to `length` (m), as
    /// [`impinge_image_space::height_map::Profile`] has them. With [`Bounds::Terrain`] the ground counts that begins up
    /// to `before` (m) before the object; otherwise `before` is not looked at.
    ///
    /// # Errors
    /// [`MapError::Texture`], [`MapError::Depths`].
    pub fn new(
        engine: &MapEngine,
        plane: ImagePlane,
        length: f64,
        bounds: Bounds,
        before: f64,
    ) -> Result<GpuProfile, MapError> {
        let [width, height] = plane.pixels();
        let most = engine.device.limits().max_texture_dimension_2d;
        if width > most || height > most {
            return Err(MapError::Texture { width, height, most });
        }
        let margin = MARGIN * length;
        let near = match bounds {
            Bounds::Terrain => -before.max(margin),
            Bounds::Box | Bounds::TwoSided => -margin,
        };
        let depths = Depths::new(near, length + margin)?;
        let picture = |label| Picture::new(&engine.device, label, [width, height]);
        let (far, near, around) = (picture("far"), picture("near"), picture("environment"));
        Ok(GpuProfile { plane, length, bounds, depths, far, near, around })
    }

    /// The image plane, in the object's frame.
    pub fn plane(&self) -> &ImagePlane {
        &self.plane
    }

    /// How long the object is along the direction (m).
    pub fn length(&self) -> f64 {
        self.length
    }
}

impl MapEngine {
    /// Draws an object's own maps: once for a rigid object, again when its pieces have changed. Their poses
    /// are in the object's frame, their bounds are not looked at.
    ///
    /// # Errors
    /// [`MapError::Piece`]. A fault of the device is in the result within: the maps are then not to be used.
    pub fn draw_object(
        &mut self,
        profile: &GpuProfile,
        pieces: &[GpuPiece],
    ) -> Result<Result<(), GpuFault>, MapError> {
        for (index, piece) in pieces.iter().enumerate() {
            piece.check(index)?;
        }
        Ok(self.in_error_scope(|engine| {
            let mut encoder = engine.encoder();
            let draws: Vec<_> = pieces
                .iter()
                .map(|piece| profile.plane.params(piece, &piece.pose, &profile.depths, 0))
                .collect();
            let groups = engine.bind(pieces, &draws, &mut encoder)?;
            for (keeps, picture, clear) in
                [(Keeps::Far, &profile.far, Some(0.0)), (Keeps::Near, &profile.near, Some(1.0))]
            {
                let mut pass = super::draw::begin(&mut encoder, picture, None, clear);
                for (index, piece) in pieces.iter().enumerate().filter(|(_, p)| p.topology.corners() == 3) {
                    pass.set_pipeline(engine.pipelines.object(keeps, piece.closed));
                    pass.set_bind_group(0, &groups[index], &[super::draw::offset(index)]);
                    pass.draw(0..piece.count, 0..1);
                }
            }
            let _ = engine.queue.submit([encoder.finish()]);
            Ok(())
        }))
    }
}
