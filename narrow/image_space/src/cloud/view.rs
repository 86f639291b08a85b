//! How a cloud looks at its environment.

use nalgebra::{Isometry3, Point3, Vector3};
use thiserror::Error;

use crate::height_map::{HeightMapError, ImagePlane};

/// How a cloud looks at its environment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CloudView {
    /// Through one plane, along its direction: for points that all travel one way.
    Along(ImagePlane),
    /// From a point through the six faces of a cube, of `pixels` × `pixels` each: for points that fly
    /// apart, in a space that is seen whole from there. Nothing nearer than `near` is seen.
    Around {
        /// The middle (m, world).
        center: Point3<f64>,
        /// Least distance of what is seen, along the axis of a face (m).
        near: f64,
        /// Pixels along a face's side.
        pixels: u32,
    },
}

/// A view, or points, that cannot be used.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CloudError {
    /// The view cannot be used.
    #[error("the view of a cloud: {0}")]
    View(#[from] HeightMapError),
    /// Two lists that belong together have different lengths.
    #[error("a cloud of {from} points that come to {to} places: both lists must be of one length")]
    Lengths {
        /// Places before the step.
        from: usize,
        /// Places after it.
        to: usize,
    },
    /// A radius is no length.
    #[error("the radius of a cloud's points is {radius} m; it must be finite and not negative")]
    Radius {
        /// What it was (m).
        radius: f32,
    },
    /// There is nothing to look around.
    #[error("a cloud without a finite point has no middle and no bounds")]
    Empty,
}

impl CloudError {
    /// Whether points can have a radius (m).
    ///
    /// # Errors
    /// [`CloudError::Radius`].
    pub fn check_radius(radius: f32) -> Result<(), CloudError> {
        if radius.is_finite() && radius >= 0.0 { Ok(()) } else { Err(CloudError::Radius { radius }) }
    }
}

/// The faces of a cube: where each looks (column 2), and what is right and down in its picture.
pub(super) const FACES: [[[f64; 3]; 3]; 6] = [
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]],
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]],
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]],
];

impl CloudView {
    /// A plane that all of `points` (m) see the environment through, travelling along `direction`: as
    /// wide as they are apart and `ahead` (m) more on every side; depth begins at the rearmost.
    ///
    /// # Errors
    /// [`CloudError::Empty`], or [`CloudError::View`] for a direction or size that cannot be used.
    pub fn ahead_of(
        points: &[[f32; 3]],
        direction: Vector3<f64>,
        ahead: f64,
        pixels: u32,
    ) -> Result<CloudView, CloudError> {
        let up = crate::height_map::least_axis(&direction);
        let probe = ImagePlane::new(Point3::origin(), direction, up, [1.0, 1.0], [1, 1])?;
        let axes = probe.axes();
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in points.iter().filter(|p| p.iter().all(|x| x.is_finite())) {
            let p = Vector3::from(p.map(f64::from));
            for k in 0..3 {
                let along = axes[k].dot(&p);
                low[k] = low[k].min(along);
                high[k] = high[k].max(along);
            }
        }
        if low[0] > high[0] {
            return Err(CloudError::Empty);
        }
        let size = [0, 1].map(|k| high[k] - low[k] + 2.0 * ahead);
        let middle = [0, 1].map(|k| 0.5 * (low[k] + high[k]));
        let center = axes[0] * middle[0] + axes[1] * middle[1] + axes[2] * low[2];
        let plane = ImagePlane::new(Point3::from(center), direction, up, size, [pixels, pixels])?;
        Ok(CloudView::Along(plane.between(0.0, high[2] - low[2] + ahead)))
    }

    /// The six faces of a cube around the middle of `points` (m).
    ///
    /// # Errors
    /// [`CloudError::Empty`].
    pub fn around(points: &[[f32; 3]], near: f64, pixels: u32) -> Result<CloudView, CloudError> {
        let finite = points.iter().filter(|p| p.iter().all(|x| x.is_finite()));
        let mut sum = Vector3::zeros();
        let mut count = 0.0;
        for p in finite {
            sum += Vector3::from(p.map(f64::from));
            count += 1.0;
        }
        if count == 0.0 {
            return Err(CloudError::Empty);
        }
        Ok(CloudView::Around { center: Point3::from(sum / count), near, pixels })
    }

    /// Columns and rows of one picture, and how many there are.
    pub fn pictures(&self) -> ([u32; 2], usize) {
        match self {
            CloudView::Along(plane) => (plane.pixels(), 1),
            CloudView::Around { pixels, .. } => ([*pixels; 2], 6),
        }
    }

    /// Refuses what cannot be drawn.
    ///
    /// # Errors
    /// [`CloudError::View`].
    pub fn check(&self) -> Result<(), CloudError> {
        let CloudView::Around { center, near, pixels } = self else { return Ok(()) };
        // What a face needs is what a plane of its size needs.
        let (d, up) = (Vector3::x(), Vector3::y());
        ImagePlane::new(*center, d, up, [*near, *near], [*pixels, pixels.saturating_mul(6)])?;
        Ok(())
    }

    /// The pose of the world as a face of the cube sees it: right, down and forward are x, y and z. The faces
    /// look along +x, −x, +y, −y, +z and −z.
    ///
    /// # Panics
    /// If `face` is above 5.
    pub fn face(center: &Point3<f64>, face: usize) -> Isometry3<f64> {
        let axes = nalgebra::Matrix3::from_fn(|r, c| FACES[face][r][c]);
        let turn = nalgebra::Rotation3::from_matrix_unchecked(axes);
        let turn = nalgebra::UnitQuaternion::from_rotation_matrix(&turn);
        Isometry3::from_parts((-(turn * center.coords)).into(), turn)
    }
}
