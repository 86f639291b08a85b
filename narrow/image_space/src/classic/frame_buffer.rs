//! The software raster: a depth and a stencil buffer in memory.

use impinge_geometry::SimdLevel;

use super::body::LatticeBody;
use super::error::ClassicError;
use super::program::{
    BUFFER_FAR, BUFFER_NEAR, ClassicRaster, DepthTest, Draw, Figure, Program, RasterCommand, RasterScene,
    Readout,
};
use crate::coverage::{Grid, Sink, Slope, cover_dilated, cover_snapped};
use crate::crossing::LAST_DEPTH;
use crate::ldi::Faces;
use crate::passes;

/// A depth and a stencil buffer in memory, filled by the scan of all image space.
#[derive(Clone, Debug, Default)]
pub struct FrameBuffer {
    depth: Vec<u32>,
    stencil: Vec<u8>,
}

impl ClassicRaster for FrameBuffer {
    fn run(&mut self, scene: &RasterScene, program: &Program) -> Result<Readout, ClassicError> {
        let span = tracing::debug_span!(passes::CLASSIC, way = "software", commands = program.len());
        let _entered = span.enter();
        scene.check(program)?;
        let grid = scene.view.grid();
        let pixels = grid.pixels[0] as usize * grid.pixels[1] as usize;
        self.depth.clear();
        self.depth.resize(pixels, BUFFER_FAR);
        self.stencil.clear();
        self.stencil.resize(pixels, 0);
        let mut passed = Vec::new();
        for command in program {
            match command {
                RasterCommand::ClearDepth(depth) => self.depth.fill(*depth),
                RasterCommand::Draw(draw) => {
                    let any = self.draw(&grid, &scene.bodies[draw.body], draw);
                    if draw.asks {
                        passed.push(any);
                    }
                }
            }
        }
        Ok(Readout { stencil: self.stencil.clone(), passed })
    }
}

/// A depth as the buffer has it; what lies beyond the view's depths is held at their ends.
#[inline]
fn buffered(depth: i64) -> u32 {
    depth.clamp(0, LAST_DEPTH.into()) as u32 + 1
}

impl FrameBuffer {
    /// Whether any fragment passed.
    fn draw(&mut self, grid: &Grid, body: &LatticeBody, draw: &Draw) -> bool {
        let mut target = Target { buffer: self, draw, faces: Faces::Both, slopes: &[], steps: 0, any: false };
        match draw.figure {
            Figure::Faces(faces) => {
                target.faces = faces;
                cover_snapped(SimdLevel::detect(), grid, &body.vertices, &body.triangles, &mut target);
            }
            Figure::Shrunk(faces, steps) => {
                (target.faces, target.slopes, target.steps) = (faces, body.slopes(), steps.into());
                cover_snapped(SimdLevel::detect(), grid, &body.vertices, &body.triangles, &mut target);
            }
            Figure::DilatedNear | Figure::DilatedFar => {
                let end = usize::from(draw.figure == Figure::DilatedFar);
                for (t, slope) in body.slopes().iter().enumerate() {
                    cover_dilated(grid, &body.corners(t), slope, |pixel, depths| {
                        target.fragment(pixel, buffered(depths[end]));
                    });
                }
            }
            Figure::Points => {
                for point in &body.points {
                    target.fragment(point.pixel as usize, buffered(point.depth.into()));
                }
            }
        }
        target.any
    }
}

/// The buffers during a draw.
struct Target<'a> {
    buffer: &'a mut FrameBuffer,
    draw: &'a Draw,
    faces: Faces,
    /// Of a shrunk body.
    slopes: &'a [Slope],
    steps: i64,
    any: bool,
}

impl Target<'_> {
    #[inline(always)]
    fn fragment(&mut self, pixel: usize, depth: u32) {
        let at = &mut self.buffer.depth[pixel];
        if !self.draw.test.passes(depth, *at) {
            return;
        }
        self.any = true;
        if self.draw.writes {
            *at = depth;
        }
        let value = &mut self.buffer.stencil[pixel];
        *value = self.draw.stencil.of(*value);
    }
}

impl Sink for Target<'_> {
    #[inline(always)]
    fn draws(&self, front: bool) -> bool {
        self.faces.has(front)
    }

    /// Whether any depth would pass.
    #[inline(always)]
    fn wants(&self, pixel: usize) -> bool {
        match self.draw.test {
            DepthTest::Always => true,
            DepthTest::Less | DepthTest::LessEqual => self.buffer.depth[pixel] != BUFFER_NEAR,
            DepthTest::Greater | DepthTest::GreaterEqual => self.buffer.depth[pixel] != BUFFER_FAR,
        }
    }

    #[inline(always)]
    fn put(&mut self, pixel: usize, depth: i64, front: bool, triangle: u32) {
        let moved = match self.slopes.get(triangle as usize) {
            Some(slope) => i64::from(slope.slack) + self.steps,
            None => 0,
        };
        self.fragment(pixel, buffered(depth + if front { moved } else { -moved }));
    }
}
