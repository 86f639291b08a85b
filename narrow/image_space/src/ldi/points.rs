//! Vertex in volume: which points of a set are inside the body of an image.

use impinge_geometry::TriMesh;
use impinge_geometry::canonical::checked_pose;
use nalgebra::{Isometry3, Point3};

use super::view::finite;
use super::{LayeredDepthImage, LdiError};

impl LayeredDepthImage {
    /// Which of `points` (m, world) are inside the body: a bit for each, in their order. Gives their
    /// number.
    ///
    /// A point is answered by the line of its pixel at its own depth, not farther from it than
    /// [`LdiView::half_diagonal`](super::LdiView::half_diagonal): the answer is exact for points whose
    /// distance to the surface is greater than that and a sub-pixel. Outside the view nothing is
    /// inside.
    ///
    /// # Errors
    /// [`LdiError::NotClosed`], [`LdiError::OneKindOfFaces`], and [`LdiError::NotFinite`] for a point.
    pub fn points_inside(&self, points: &[Point3<f64>], inside: &mut Vec<bool>) -> Result<usize, LdiError> {
        self.inside_of(points.iter().copied(), inside)
    }

    /// Which vertices of a body that stands at `pose` are inside the body of this image.
    ///
    /// # Errors
    /// As [`LayeredDepthImage::points_inside`], and [`LdiError::Pose`].
    pub fn vertices_inside(
        &self,
        mesh: &TriMesh,
        pose: &Isometry3<f64>,
        inside: &mut Vec<bool>,
    ) -> Result<usize, LdiError> {
        let pose = checked_pose(pose)?;
        let rotation = pose.rotation.to_rotation_matrix().into_inner();
        let place =
            |v: &Point3<f32>| Point3::from(rotation * v.coords.cast::<f64>() + pose.translation.vector);
        self.inside_of(mesh.vertices().iter().map(place), inside)
    }

    fn inside_of(
        &self,
        points: impl ExactSizeIterator<Item = Point3<f64>>,
        inside: &mut Vec<bool>,
    ) -> Result<usize, LdiError> {
        self.solid("vertex in volume")?;
        inside.clear();
        inside.reserve(points.len());
        let lines = Lines::new(self);
        let mut count = 0;
        for p in points {
            let Some(within) = lines.contains(&p) else {
                inside.clear();
                finite("a point", &p)?;
                continue;
            };
            count += usize::from(within);
            inside.push(within);
        }
        Ok(count)
    }
}

/// An image made ready to be asked about points: from the world straight to pixels and steps.
struct Lines<'a> {
    image: &'a LayeredDepthImage,
    row: [[f64; 3]; 3],
    corner: [f64; 3],
    size: [f64; 3],
}

impl<'a> Lines<'a> {
    fn new(image: &'a LayeredDepthImage) -> Lines<'a> {
        let view = &image.view;
        let [width, height] = view.pixels().map(f64::from);
        let axes = [view.axes.right, view.axes.up, view.axes.depth];
        let scale = [1.0 / view.pixel[0], 1.0 / view.pixel[1], 1.0 / view.step];
        let row = std::array::from_fn(|k| (axes[k] * scale[k]).into());
        let deep = view.size()[2] / view.step();
        Lines { image, row, corner: view.anchor.into(), size: [width, height, deep] }
    }

    /// `None` for a point that is not finite.
    #[inline]
    fn contains(&self, p: &Point3<f64>) -> Option<bool> {
        let d = [p.x - self.corner[0], p.y - self.corner[1], p.z - self.corner[2]];
        let c: [f64; 3] = std::array::from_fn(|k| {
            let r = &self.row[k];
            r[0] * d[0] + r[1] * d[1] + r[2] * d[2]
        });
        if !(0..3).all(|k| c[k] >= 0.0 && c[k] < self.size[k]) {
            return p.iter().all(|x| x.is_finite()).then_some(false);
        }
        let pixel = c[1] as usize * self.size[0] as usize + c[0] as usize;
        // Entered at or before it, and not left before it.
        let mut inside = 0;
        for crossing in self.image.of_pixel(pixel) {
            if f64::from(crossing.depth()) > c[2] {
                break;
            }
            inside += crossing.turn();
        }
        Some(inside > 0)
    }
}
