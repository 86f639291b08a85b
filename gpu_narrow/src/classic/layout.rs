//! What the shader of the classic tests reads, as Rust sees it.

use bytemuck::{Pod, Zeroable};
use impinge_image_space::classic::{BUFFER_FAR, Figure};
use impinge_image_space::ldi::Faces;

/// Vertices of the two triangles that cover a figure's box of pixels.
pub const FIGURE_VERTICES: u32 = 6;

/// Depths of the buffer are over this: a power of two, so that they are exact as floats.
pub const BUFFER_DEPTHS: u32 = 1 << 23;

/// Faces where pixels' centres meet them.
pub const FIGURE_FACES: u32 = 0;
/// The same, moved into the body.
pub const FIGURE_SHRUNK: u32 = 1;
/// Faces in all pixels that they may meet, at the least depth.
pub const FIGURE_NEAR: u32 = 2;
/// At the greatest depth.
pub const FIGURE_FAR: u32 = 3;
/// Points.
pub const FIGURE_POINTS: u32 = 4;

/// What a draw is about. Words are those of the buffer of bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct FigureParams {
    /// Word of the body's vertices, three each.
    pub vertices: u32,
    /// Word of its triangles, three vertices each.
    pub corners: u32,
    /// Word of its triangles' slopes, three each.
    pub slopes: u32,
    /// Word of its points, two each: pixel and depth.
    pub points: u32,
    /// Pixels per row.
    pub wide: u32,
    /// Rows.
    pub high: u32,
    /// Binary digits of the sub-pixels to a pixel.
    pub sub_bits: u32,
    /// What is drawn: `FIGURE_FACES` and those after it.
    pub figure: u32,
    /// The faces drawn: 0 all, 1 front, 2 back.
    pub faces: u32,
    /// Steps by which a shrunk body's faces are moved besides.
    pub steps: u32,
    /// To a multiple of sixteen bytes.
    pub spare_0: u32,
    /// As `spare_0`.
    pub spare_1: u32,
}

/// Threads of a workgroup of the field pass: pixels one after the other.
pub const FIELD_GROUP: u32 = 64;

/// What a distance field is of. Places (m) are relative to the first pixel's centre.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct FieldParams {
    /// Pixels per row.
    pub wide: u32,
    /// Pixels.
    pub pixels: u32,
    /// Corners of the polygon.
    pub corners: u32,
    /// To a multiple of sixteen bytes.
    pub spare_0: u32,
    /// From one pixel to the next of its row.
    pub right_x: f32,
    /// As `right_x`.
    pub right_y: f32,
    /// From one row to the next.
    pub up_x: f32,
    /// As `up_x`.
    pub up_y: f32,
}

impl FigureParams {
    /// Sets what is drawn.
    pub fn set_figure(&mut self, figure: Figure) {
        let (kind, faces, steps) = match figure {
            Figure::Faces(faces) => (FIGURE_FACES, faces, 0),
            Figure::Shrunk(faces, steps) => (FIGURE_SHRUNK, faces, steps),
            Figure::DilatedNear => (FIGURE_NEAR, Faces::Both, 0),
            Figure::DilatedFar => (FIGURE_FAR, Faces::Both, 0),
            Figure::Points => (FIGURE_POINTS, Faces::Both, 0),
        };
        (self.figure, self.faces, self.steps) = (kind, crate::ldi::layout::faces(faces), steps);
    }
}

/// A depth of the buffer as the attachment is cleared to it.
pub fn cleared(depth: u32) -> f32 {
    depth.min(BUFFER_FAR) as f32 / BUFFER_DEPTHS as f32
}
