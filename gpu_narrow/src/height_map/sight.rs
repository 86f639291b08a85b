//! What a cloud sees: which pieces are drawn, through which plane or face, and how a place becomes a pixel.

use impinge_image_space::cloud::CloudView;
use nalgebra::Isometry3;

use super::answer::{covered, in_reach};
use super::draw::{Mask, Params};
use super::environment::{GpuEnvironment, GpuPiece};
use super::layout::{CloudParams, DrawParams};
use super::profile::{Depths, Picture};
use super::{MapEngine, MapError};

/// A view with what it shows.
pub(super) struct Sight {
    /// Columns and rows of all pictures together.
    pub size: [u32; 2],
    /// Pieces to be drawn, a draw each: one that several faces see is there several times.
    pub pieces: Vec<GpuPiece>,
    pub draws: Vec<DrawParams>,
    /// Of a cube: pixels along a face's side, and the face that each draw is for.
    cube: Option<(u32, Vec<usize>)>,
    /// What the points' pass has to know of the view.
    pub params: CloudParams,
}

impl Sight {
    pub fn new(
        engine: &MapEngine,
        view: &CloudView,
        environment: &GpuEnvironment,
    ) -> Result<Sight, MapError> {
        view.check()?;
        let ([width, height], pictures) = view.pictures();
        // A cube's six faces lie in three rows of two.
        let [across, down] = if pictures == 1 { [1, 1] } else { [2, 3] };
        let size = [width.saturating_mul(across), height.saturating_mul(down)];
        let most = engine.device.limits().max_texture_dimension_2d;
        if size.iter().any(|n| *n > most) {
            return Err(MapError::Texture { width: size[0], height: size[1], most });
        }
        let mut params = CloudParams { size: [width, height], ..CloudParams::default() };
        let (mut pieces, mut draws) = (Vec::new(), Vec::new());
        let cube = match view {
            CloudView::Along(plane) => {
                let [near, far] = plane.depths();
                let depths = Depths::new(near, far)?;
                for piece in environment.pieces() {
                    if in_reach(plane, &piece.pose, piece, [near, far]) {
                        draws.push(plane.params(piece, &piece.pose, &depths, 0));
                        pieces.push(piece.clone());
                    }
                }
                let [x, y, z] = plane.projection(&Isometry3::identity()).rows;
                let z = z.map(|z| z / depths.span);
                let z = [z[0], z[1], z[2], z[3] - depths.near / depths.span];
                params.to_image = [x, y, z].map(|row| row.map(|x| x as f32));
                let d = plane.direction();
                params.direction = [d.x as f32, d.y as f32, d.z as f32, depths.span as f32];
                None
            }
            CloudView::Around { center, near, pixels } => {
                let mut faces = Vec::new();
                for face in 0..pictures {
                    let seen = CloudView::face(center, face);
                    for piece in environment.pieces() {
                        let rows = rows(&(seen * piece.pose));
                        if in_sight(&rows, *near, *pixels, piece) {
                            draws.push(face_params(piece, &rows, *near));
                            pieces.push(piece.clone());
                            faces.push(face);
                        }
                    }
                }
                params.cube = [center.x as f32, center.y as f32, center.z as f32, *near as f32];
                Some((*pixels, faces))
            }
        };
        Ok(Sight { size, pieces, draws, cube, params })
    }

    /// How the pieces are drawn; `other` is a picture to be bound.
    pub fn mask<'p>(&'p self, other: &'p Picture) -> Mask<'p> {
        match &self.cube {
            None => Mask::None(other),
            Some((pixels, faces)) => Mask::Cube { other, pixels: *pixels, faces },
        }
    }
}

/// Right, down and forward of a face for the points of a body at `pose` of the face's frame.
fn rows(pose: &Isometry3<f64>) -> [[f64; 4]; 3] {
    let (turn, t) = (pose.rotation.to_rotation_matrix().into_inner(), pose.translation.vector);
    [0, 1, 2].map(|k| [turn[(k, 0)], turn[(k, 1)], turn[(k, 2)], t[k]])
}

/// Whether the caller's box of a piece may be seen through a face.
fn in_sight(rows: &[[f64; 4]; 3], near: f64, pixels: u32, piece: &GpuPiece) -> bool {
    let [across, down, depth] = covered(rows, piece);
    // A pixel of slack: lines and points have a width of one.
    let side = depth[1] * (1.0 + 2.0 / f64::from(pixels));
    depth[1] >= near && [across, down].iter().all(|[low, high]| *low <= side && *high >= -side)
}

fn face_params(piece: &GpuPiece, [right, down, forward]: &[[f64; 4]; 3], near: f64) -> DrawParams {
    let up = down.map(|x| -x);
    DrawParams {
        to_image: [*right, up, *forward].map(|row| row.map(|x| x as f32)),
        near: near as f32,
        ..DrawParams::of(piece)
    }
}
