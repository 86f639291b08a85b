//! What the classic tests ask of a raster: draws over one depth and one stencil buffer, as graphics hardware has had
//! them since 1992. A test is a [`Program`]; the software's [`FrameBuffer`](super::FrameBuffer) and a device run the
//! same one, and since coverage and depth are whole numbers, they answer the same.

use super::body::LatticeBody;
use super::error::ClassicError;
use crate::ldi::Faces;
use crate::view::View;

/// Depths in the buffer: those of a view's lattice plus one, so that there is room for a value before all of them.
pub const BUFFER_NEAR: u32 = 0;
/// Behind all depths.
pub const BUFFER_FAR: u32 = (1 << 22) + 1;

/// What a draw draws of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Figure {
    /// Faces where lines through the pixels' centres meet them.
    Faces(Faces),
    /// As [`Figure::Faces`], but moved into the body along the view by what its depth may change within a pixel, and by so
    /// many steps: front faces back, back faces forward.
    Shrunk(Faces, u32),
    /// All faces in every pixel that they may meet, at the least depth that they may have there.
    DilatedNear,
    /// The same at the greatest depth.
    DilatedFar,
    /// The body's points.
    Points,
}

/// The test of a fragment against the depth buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthTest {
    /// All pass.
    Always,
    /// Those before what is in the buffer.
    Less,
    /// Those before or at what is in the buffer.
    LessEqual,
    /// Those behind what is in the buffer.
    Greater,
    /// Those behind or at what is in the buffer.
    GreaterEqual,
}

impl DepthTest {
    /// Whether `depth` passes against `buffer`.
    #[inline]
    pub fn passes(self, depth: u32, buffer: u32) -> bool {
        match self {
            DepthTest::Always => true,
            DepthTest::Less => depth < buffer,
            DepthTest::LessEqual => depth <= buffer,
            DepthTest::Greater => depth > buffer,
            DepthTest::GreaterEqual => depth >= buffer,
        }
    }
}

/// What a fragment that passes does to its pixel's stencil value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StencilOp {
    /// Nothing.
    Keep,
    /// One more, modulo 256.
    Increment,
    /// One less, modulo 256.
    Decrement,
    /// These bits are set.
    Set(u8),
    /// These bits are turned over.
    Invert(u8),
}

impl StencilOp {
    /// The value after it.
    #[inline]
    pub fn of(self, value: u8) -> u8 {
        match self {
            StencilOp::Keep => value,
            StencilOp::Increment => value.wrapping_add(1),
            StencilOp::Decrement => value.wrapping_sub(1),
            StencilOp::Set(bits) => value | bits,
            StencilOp::Invert(bits) => value ^ bits,
        }
    }
}

/// One draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// Its place in the scene's bodies.
    pub body: usize,
    /// What is drawn of it.
    pub figure: Figure,
    /// Which fragments pass.
    pub test: DepthTest,
    /// Whether those write their depth.
    pub writes: bool,
    /// What they do to the stencil.
    pub stencil: StencilOp,
    /// Whether the readout says if any passed (an occlusion query).
    pub asks: bool,
}

impl Draw {
    /// A draw that only writes depths.
    pub fn depths(body: usize, figure: Figure, test: DepthTest) -> Draw {
        Draw { body, figure, test, writes: true, stencil: StencilOp::Keep, asks: false }
    }

    /// A draw that only changes the stencil.
    pub fn stencil(body: usize, figure: Figure, test: DepthTest, stencil: StencilOp) -> Draw {
        Draw { body, figure, test, writes: false, stencil, asks: false }
    }

    /// A draw that only asks whether any fragment passes.
    pub fn query(body: usize, figure: Figure, test: DepthTest) -> Draw {
        Draw { body, figure, test, writes: false, stencil: StencilOp::Keep, asks: true }
    }
}

/// One command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RasterCommand {
    /// Every pixel's depth is this: [`BUFFER_NEAR`] or [`BUFFER_FAR`].
    ClearDepth(u32),
    /// A draw.
    Draw(Draw),
}

/// Commands one after the other. Stencil values begin at 0.
pub type Program = Vec<RasterCommand>;

/// Bodies in one view.
#[derive(Debug)]
pub struct RasterScene {
    /// The view.
    pub view: View,
    /// The bodies.
    pub bodies: Vec<LatticeBody>,
}

impl RasterScene {
    /// Whether all that a program draws is there: bodies, the vertices of triangles, and the pixels of points.
    ///
    /// # Errors
    /// [`ClassicError::Missing`] for the first that is not.
    pub fn check(&self, program: &Program) -> Result<(), ClassicError> {
        let [width, height] = self.view.pixels().map(|n| n as usize);
        for command in program {
            if let RasterCommand::Draw(Draw { body, .. }) = command
                && *body >= self.bodies.len()
            {
                let count = self.bodies.len();
                return Err(ClassicError::Missing { what: "the figure", index: 0, body: *body, count });
            }
        }
        for (body, lattice) in self.bodies.iter().enumerate() {
            let vertices = lattice.vertices.len();
            let last = lattice.triangles.iter().flatten().max().map_or(0, |&last| last as usize);
            if !lattice.triangles.is_empty() && last >= vertices {
                return Err(ClassicError::Missing { what: "vertex", index: last, body, count: vertices });
            }
            let last = lattice.points.iter().map(|point| point.pixel as usize).max();
            if let Some(index) = last.filter(|&last| last >= width * height) {
                return Err(ClassicError::Missing { what: "the pixel", index, body, count: width * height });
            }
        }
        Ok(())
    }
}

/// What is read back after a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readout {
    /// Every pixel's stencil value, row after row (rows go up).
    pub stencil: Vec<u8>,
    /// For every draw that asked, in their order, whether a fragment passed.
    pub passed: Vec<bool>,
}

/// What runs programs.
pub trait ClassicRaster {
    /// Runs a program over a scene.
    ///
    /// # Errors
    /// [`ClassicError::Missing`] where the program draws what is not there, [`ClassicError::Device`] where a device cannot.
    fn run(&mut self, scene: &RasterScene, program: &Program) -> Result<Readout, ClassicError>;
}
