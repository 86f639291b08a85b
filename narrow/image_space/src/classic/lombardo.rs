//! J.-C. Lombardo, M.-P. Cani, F. Neyret, "Real-time collision detection for virtual surgery", 1999: which faces of a soft
//! tissue lie in the volume of a rigid tool.

use std::sync::Arc;

use impinge_geometry::{ConvexHull, TriMesh};
use nalgebra::{Isometry3, Point3, Vector3};

use super::body::{ClassicBody, LatticeBody};
use super::error::ClassicError;
use super::program::{
    BUFFER_NEAR, ClassicRaster, DepthTest, Draw, Figure, Program, RasterCommand, RasterScene, StencilOp,
};
use crate::coverage::{Sink, cover_dilated, cover_snapped};
use crate::ldi::Faces;
use crate::view::View;

/// The convex volume of a tool in its own frame.
#[derive(Clone, Debug)]
pub struct ToolVolume {
    hull: Arc<TriMesh>,
}

impl ToolVolume {
    /// The convex hull of some points (m).
    ///
    /// # Errors
    /// [`ClassicError::Tool`] where they have no volume.
    pub fn hull(points: &[Point3<f32>]) -> Result<ToolVolume, ClassicError> {
        let hull = ConvexHull::new(points).map_err(|e| ClassicError::Tool { reason: e.to_string() })?;
        Ok(ToolVolume { hull: hull.mesh().clone() })
    }

    /// What a box with these half sides (m) passes while it is moved by `sweep` (m); zero for one that rests.
    ///
    /// # Errors
    /// As [`ToolVolume::hull`].
    pub fn swept_box(half: [f32; 3], sweep: Vector3<f32>) -> Result<ToolVolume, ClassicError> {
        let corner =
            |c: usize| Point3::from([0, 1, 2].map(|k| if c >> k & 1 == 0 { -half[k] } else { half[k] }));
        let corners = (0..8).map(corner);
        ToolVolume::hull(&corners.flat_map(|p| [p, p + sweep]).collect::<Vec<_>>())
    }

    /// Its surface.
    pub fn mesh(&self) -> &Arc<TriMesh> {
        &self.hull
    }
}

/// How faces are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolSettings {
    /// Looked along (world, any length); usual: along the tool, whose ends are then seen.
    pub direction: Vector3<f64>,
    /// Pixels along each side of the view (1 to 1024).
    pub pixels: u32,
    /// Whether every pixel that a face may meet is taken, with bounds on its depth: then no face is missed.
    pub dilated: bool,
}

/// Faces of a tissue in a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolHits {
    /// The triangles, in rising order.
    pub triangles: Vec<u32>,
    /// Pixels with a face of the tissue in the tool.
    pub pixels: u32,
}

/// Which faces of a tissue, a mesh that may be open and deforms as it will, lie in the volume of a tool at `pose`.
///
/// The view is around the tool. Its back faces, then its front faces, go to the depth buffer; faces of the tissue before the
/// back less those before the front are those in the tool, and where there are any, they are named by a scan of
/// those pixels alone. (The paper clips the tissue by planes and reads names from the selection buffer; the depth buffer
/// takes any convex tool.)
///
/// *May miss* faces, or parts of them, between the pixels' centres; with [`ToolSettings::dilated`] *none*. *False:* without
/// it only faces that vertices on the view's lattice put into the tool; with it also faces within about a pixel of
/// the tool. The counts are modulo 256: without dilation a pixel with a multiple of 256 faces in the tool is missed.
///
/// # Errors
/// [`ClassicError::View`], also for a tissue that reaches farther than 255 times the tool's size, and
/// [`ClassicError::Device`] from a device.
pub fn lombardo(
    tool: &ToolVolume,
    pose: &Isometry3<f64>,
    tissue: &ClassicBody<'_>,
    settings: ToolSettings,
    raster: &mut dyn ClassicRaster,
) -> Result<ToolHits, ClassicError> {
    let view = View::of_body(&tool.hull, pose, settings.direction, [settings.pixels; 2])?;
    let tool = ClassicBody::new(&tool.hull, pose);
    let bodies = vec![LatticeBody::new(&tool, &view)?, LatticeBody::new(tissue, &view)?];
    let scene = RasterScene { view, bodies };
    let mut named =
        Named { within: Vec::new(), found: Vec::new(), pixels: vec![false; settings.pixels.pow(2) as usize] };
    if settings.dilated {
        named.within = tool_depths(&scene, true);
        named.name_dilated(&scene);
    } else {
        let stencil = raster.run(&scene, &counting())?.stencil;
        if stencil.iter().any(|count| *count != 0) {
            named.within = tool_depths(&scene, false);
            for (within, count) in named.within.iter_mut().zip(stencil) {
                *within = if count == 0 { NOTHING } else { *within };
            }
            let (level, body) = (impinge_geometry::SimdLevel::detect(), &scene.bodies[1]);
            cover_snapped(level, &view.grid(), &body.vertices, &body.triangles, &mut named);
        }
    }
    let mut triangles = named.found;
    triangles.sort_unstable();
    triangles.dedup();
    Ok(ToolHits { triangles, pixels: named.pixels.iter().filter(|hit| **hit).count() as u32 })
}

/// The faces of body 1 in the convex body 0, counted: those before its back less those before its front.
fn counting() -> Program {
    let mut program = Program::new();
    let all = Figure::Faces(Faces::Both);
    for (faces, test, op) in [
        (Faces::Back, DepthTest::LessEqual, StencilOp::Increment),
        (Faces::Front, DepthTest::Less, StencilOp::Decrement),
    ] {
        program.extend([
            RasterCommand::ClearDepth(BUFFER_NEAR),
            RasterCommand::Draw(Draw::depths(0, Figure::Faces(faces), DepthTest::Greater)),
            RasterCommand::Draw(Draw::stencil(1, all, test, op)),
        ]);
    }
    program
}

/// No depth lies in this range.
const NOTHING: [i64; 2] = [i64::MAX, i64::MIN];

/// For every pixel the depths of the tool: its first and last, or bounds on them.
fn tool_depths(scene: &RasterScene, dilated: bool) -> Vec<[i64; 2]> {
    let grid = scene.view.grid();
    let mut depths = ToolDepths { of: vec![NOTHING; (grid.pixels[0] * grid.pixels[1]) as usize] };
    let tool = &scene.bodies[0];
    if dilated {
        for (t, slope) in tool.slopes().iter().enumerate() {
            cover_dilated(&grid, &tool.corners(t), slope, |pixel, ends| {
                depths.add(pixel, ends[0]);
                depths.add(pixel, ends[1]);
            });
        }
    } else {
        let level = impinge_geometry::SimdLevel::detect();
        cover_snapped(level, &grid, &tool.vertices, &tool.triangles, &mut depths);
    }
    depths.of
}

struct ToolDepths {
    of: Vec<[i64; 2]>,
}

impl ToolDepths {
    #[inline]
    fn add(&mut self, pixel: usize, depth: i64) {
        let [first, last] = &mut self.of[pixel];
        (*first, *last) = ((*first).min(depth), (*last).max(depth));
    }
}

impl Sink for ToolDepths {
    #[inline(always)]
    fn put(&mut self, pixel: usize, depth: i64, _: bool, _: u32) {
        self.add(pixel, depth);
    }
}

/// The faces found.
struct Named {
    within: Vec<[i64; 2]>,
    found: Vec<u32>,
    pixels: Vec<bool>,
}

impl Named {
    fn name_dilated(&mut self, scene: &RasterScene) {
        let body = &scene.bodies[1];
        for (t, slope) in body.slopes().iter().enumerate() {
            let Named { within, found, pixels } = self;
            cover_dilated(&scene.view.grid(), &body.corners(t), slope, |pixel, [near, far]| {
                let [first, last] = within[pixel];
                if near <= last && first <= far {
                    pixels[pixel] = true;
                    found.push(t as u32);
                }
            });
        }
    }
}

impl Sink for Named {
    #[inline(always)]
    fn wants(&self, pixel: usize) -> bool {
        self.within[pixel] != NOTHING
    }

    #[inline(always)]
    fn put(&mut self, pixel: usize, depth: i64, _: bool, triangle: u32) {
        let [first, last] = self.within[pixel];
        if (first..=last).contains(&depth) {
            self.pixels[pixel] = true;
            self.found.push(triangle);
        }
    }
}
