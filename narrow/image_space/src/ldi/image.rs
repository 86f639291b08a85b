//! A layered depth image: for every pixel, where the line through its centre crosses a surface.

use impinge_geometry::{Side, SimdLevel, TriMesh};
use nalgebra::Isometry3;

use super::{Crossing, Faces, LAST_DEPTH, LdiError, LdiView, MOST_CROSSINGS, snap};
use crate::coverage::{Sink, cover_snapped};
use crate::crossing::sort;
use crate::passes;

/// For every pixel of a view, in order of depth, where the line through its centre crosses the surface of
/// a body: layers of depth (Shade, Gortler, He, Szeliski, "Layered Depth Images", 1998; for collisions
/// Heidelberger, Teschner, Gross, "Detection of Collisions and Self-collisions Using Image-space
/// Techniques", 2004).
///
/// What lies before or behind the view's box is held at its ends, so that what is inside stays known:
/// along every line a closed body is entered as often as left.
#[derive(Clone, Debug, PartialEq)]
pub struct LayeredDepthImage {
    pub(super) view: LdiView,
    pub(super) faces: Faces,
    pub(super) closed: bool,
    /// First crossing of every pixel, and one more at the end.
    pub(super) starts: Vec<u32>,
    pub(super) crossings: Vec<Crossing>,
}

/// A body to be captured.
#[derive(Clone, Copy, Debug)]
pub struct LdiJob<'a> {
    /// Its surface.
    pub mesh: &'a TriMesh,
    /// Where it stands (world).
    pub pose: &'a Isometry3<f64>,
    /// The view.
    pub view: LdiView,
    /// The faces seen.
    pub faces: Faces,
}

/// Buffers of the software scan, to be used again.
#[derive(Debug, Default)]
pub struct LdiScratch {
    vertices: Vec<[i32; 3]>,
    /// Pixel and crossing, in the order of the triangles.
    found: Vec<(u32, Crossing)>,
}

impl LayeredDepthImage {
    /// An image without crossings, to be captured into.
    pub fn new(view: LdiView) -> LayeredDepthImage {
        let [width, height] = view.pixels();
        let starts = vec![0; (width * height) as usize + 1];
        LayeredDepthImage { view, faces: Faces::Both, closed: true, starts, crossings: Vec::new() }
    }

    /// Captures a body that stands at `pose` by the software scan.
    ///
    /// ```
    /// use impinge_geometry::TriMesh;
    /// use impinge_image_space::ldi::{LayeredDepthImage, LdiView};
    /// use nalgebra::{Isometry3, Point3, Vector3};
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    /// let mesh = TriMesh::new(corners.map(Point3::from).to_vec(), faces)?;
    /// let pose = Isometry3::identity();
    /// let view = LdiView::of_body(&mesh, &pose, Vector3::new(1.0, 2.0, 3.0), [64, 64])?;
    /// let image = LayeredDepthImage::capture(&mesh, &pose, view)?;
    /// assert_eq!(image.odd_lines(), 0);
    /// assert!((image.volume()? - 1.0 / 6.0).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`LayeredDepthImage::recapture`].
    pub fn capture(
        mesh: &TriMesh,
        pose: &Isometry3<f64>,
        view: LdiView,
    ) -> Result<LayeredDepthImage, LdiError> {
        let mut image = LayeredDepthImage::new(view);
        image.recapture(mesh, pose, view, Faces::Both, &mut LdiScratch::default())?;
        Ok(image)
    }

    /// Captures a body again into the memory of this image.
    ///
    /// # Errors
    /// [`LdiError::Pose`], [`LdiError::TooFar`] and [`LdiError::Crossings`]; the image is then empty.
    pub fn recapture(
        &mut self,
        mesh: &TriMesh,
        pose: &Isometry3<f64>,
        view: LdiView,
        faces: Faces,
        scratch: &mut LdiScratch,
    ) -> Result<(), LdiError> {
        let span = tracing::debug_span!(passes::LDI, way = "software", crossings = tracing::field::Empty);
        let _entered = span.enter();
        self.begin(view, faces, mesh.is_closed());
        let scanned = self.scan(mesh, pose, scratch);
        if scanned.is_err() {
            self.begin(view, faces, mesh.is_closed());
            self.crossings.clear();
        }
        span.record("crossings", self.crossings.len());
        scanned
    }

    fn scan(
        &mut self,
        mesh: &TriMesh,
        pose: &Isometry3<f64>,
        scratch: &mut LdiScratch,
    ) -> Result<(), LdiError> {
        let LdiScratch { vertices, found } = scratch;
        snap(mesh, pose, &self.view, vertices)?;
        found.clear();
        let mut lines = LineSink { faces: self.faces, starts: &mut self.starts, found };
        cover_snapped(SimdLevel::detect(), &self.view.grid(), vertices, mesh.triangles(), &mut lines);
        if found.len() as u64 > MOST_CROSSINGS {
            return Err(LdiError::Crossings { most: MOST_CROSSINGS });
        }
        self.gather(found);
        Ok(())
    }

    /// An image from what another way of capturing found: the crossings of every pixel, which are
    /// those of one body in `view`; they are put in order.
    pub fn from_crossings(
        view: LdiView,
        faces: Faces,
        closed: bool,
        found: &[(u32, Crossing)],
    ) -> LayeredDepthImage {
        let mut image = LayeredDepthImage::new(view);
        image.begin(view, faces, closed);
        for &(pixel, _) in found {
            image.starts[pixel as usize + 1] += 1;
        }
        image.gather(found);
        image
    }

    pub(super) fn begin(&mut self, view: LdiView, faces: Faces, closed: bool) {
        let [width, height] = view.pixels();
        (self.view, self.faces, self.closed) = (view, faces, closed);
        self.starts.clear();
        self.starts.resize((width * height) as usize + 1, 0);
    }

    /// Sorts crossings by pixel and along every line; each pixel's are counted in the next one's start.
    fn gather(&mut self, found: &[(u32, Crossing)]) {
        let LayeredDepthImage { starts, crossings, .. } = self;
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        crossings.resize(found.len(), Crossing::default());
        // Each start is carried to its pixel's end, which is the next one's start.
        for &(pixel, crossing) in found {
            let at = &mut starts[pixel as usize];
            crossings[*at as usize] = crossing;
            *at += 1;
        }
        starts.rotate_right(1);
        starts[0] = 0;
        for pixel in 1..starts.len() {
            sort(&mut crossings[starts[pixel - 1] as usize..starts[pixel] as usize]);
        }
    }

    /// The view.
    pub fn view(&self) -> &LdiView {
        &self.view
    }

    /// Which faces were captured.
    pub fn faces(&self) -> Faces {
        self.faces
    }

    /// Whether the surface seen bounds a volume.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// All crossings: pixel by pixel, row by row, in order of depth.
    pub fn crossings(&self) -> &[Crossing] {
        &self.crossings
    }

    /// The crossings of the pixel `x` of row `y` (rows go up), in order of depth; none outside the view.
    pub fn line(&self, x: u32, y: u32) -> &[Crossing] {
        let [width, height] = self.view.pixels();
        if x >= width || y >= height {
            return &[];
        }
        self.of_pixel((y * width + x) as usize)
    }

    #[inline]
    pub(super) fn of_pixel(&self, pixel: usize) -> &[Crossing] {
        &self.crossings[self.starts[pixel] as usize..self.starts[pixel + 1] as usize]
    }

    pub(super) fn pixel_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The most crossings of a line: the depth complexity.
    pub fn deepest(&self) -> usize {
        self.starts.windows(2).map(|w| (w[1] - w[0]) as usize).max().unwrap_or(0)
    }

    /// LineSink along which the body is left more often than entered, or the reverse. None on a closed
    /// mesh.
    pub fn odd_lines(&self) -> usize {
        let odd = |&p: &usize| self.of_pixel(p).iter().map(|c| c.turn()).sum::<i32>() != 0;
        (0..self.pixel_count()).filter(odd).count()
    }

    /// What a question about the inside needs.
    pub(super) fn solid(&self, what: &'static str) -> Result<(), LdiError> {
        if self.faces != Faces::Both {
            return Err(LdiError::OneKindOfFaces { what });
        }
        if !self.closed {
            return Err(LdiError::NotClosed { what });
        }
        Ok(())
    }
}

/// The lines of an image that is being captured.
struct LineSink<'a> {
    faces: Faces,
    /// Of every pixel, counts its crossings in the next one's start.
    starts: &'a mut [u32],
    found: &'a mut Vec<(u32, Crossing)>,
}

impl Sink for LineSink<'_> {
    #[inline(always)]
    fn draws(&self, front: bool) -> bool {
        self.faces.has(front)
    }

    #[inline(always)]
    fn put(&mut self, pixel: usize, depth: i64, front: bool, triangle: u32) {
        let depth = depth.clamp(0, LAST_DEPTH.into());
        self.starts[pixel + 1] += 1;
        self.found.push((pixel as u32, Crossing::new(depth, front, Side::A, triangle)));
    }
}
