//! Layered depth images: all surfaces of a body along the lines of a view, and what they answer: volumes
//! of intersection, vertex in volume, self-collision, Boolean combinations.
//!
//! [`LayeredDepthImage::capture`] is the software scan. A [`Capturer`] captures on a GPU as well, by depth
//! peeling or unordered with a sort, and leaves what a device cannot do to the scan: the crossings are
//! the same to the last bit.

mod costs;
#[cfg(test)]
mod tests;

use impinge_geometry::TriMesh;
use nalgebra::Isometry3;

#[doc(inline)]
pub use impinge_image_space::ldi::{
    Boolean, BooleanMesh, Crossing, Faces, LAST_DEPTH, LayeredDepthImage, LdiError, LdiJob, LdiScratch,
    LdiView, MOST_CELLS, MOST_CROSSINGS, MOST_PIXELS, SelfCollision, SelfOverlap, boolean_mesh,
};

use crate::config::claim_thread;
use crate::gpu::LdiDevice;
use crate::{Backend, BuildError};
use costs::Costs;

/// How layers are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capture {
    /// By the software scan, on the CPU.
    Software,
    /// On a GPU, layer by layer in order of depth, one draw for each.
    Peeling,
    /// On a GPU, all at once, then sorted.
    Unordered,
    /// Whichever was fastest on this machine for as much work, as far as that has been measured; a GPU
    /// that the CPU emulates is never taken.
    Auto,
}

/// How the last call captured its images.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaptureStatus {
    /// The method used.
    pub method: Option<Capture>,
    /// Images that the device had to leave to the software scan.
    pub redone: usize,
    /// Why, of the last one: a line with too many layers, a triangle too large, a device lost.
    pub reason: Option<String>,
}

/// Captures layered depth images by a method that the caller chooses.
///
/// ```
/// use impinge::ldi::{Capture, Capturer, Faces, LdiJob, LdiView};
/// use impinge::prelude::*;
/// use nalgebra::Vector3;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
/// let mesh = TriMesh::new(corners.map(Point3::from).to_vec(), faces)?;
/// let poses = [Isometry3::identity(), Isometry3::translation(0.2, 0.1, 0.1)];
/// let bodies = [(&mesh, &poses[0]), (&mesh, &poses[1])];
///
/// let mut capturer = Capturer::new(Capture::Auto)?;
/// let view = LdiView::of_overlap(bodies, Vector3::z(), [64, 64])?.expect("their boxes overlap");
/// let jobs = bodies.map(|(mesh, pose)| LdiJob { mesh, pose, view, faces: Faces::Both });
/// let images = capturer.capture(&jobs)?;
/// let volume = images[0].intersection_volume(&images[1])?;
/// assert!((volume - 0.6f64.powi(3) / 6.0).abs() < 1e-3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Capturer {
    capture: Capture,
    raster: Option<LdiDevice>,
    scratch: LdiScratch,
    costs: Costs,
    status: CaptureStatus,
}

impl Capturer {
    /// A capturer. [`Capture::Peeling`] and [`Capture::Unordered`] take hardware, else a software adapter.
    ///
    /// # Errors
    /// [`BuildError::Backend`] where a GPU was asked for and cannot be had.
    pub fn new(capture: Capture) -> Result<Capturer, BuildError> {
        Capturer::open(capture, None)
    }

    /// As [`Capturer::new`], on the adapter whose name or driver holds this text. One that the CPU
    /// emulates can be named, but [`Capture::Auto`] refuses it.
    ///
    /// # Errors
    /// As [`Capturer::new`].
    pub fn on_adapter(capture: Capture, adapter: &str) -> Result<Capturer, BuildError> {
        Capturer::open(capture, Some(adapter))
    }

    fn open(capture: Capture, adapter: Option<&str>) -> Result<Capturer, BuildError> {
        claim_thread();
        let refused = |backend| move |reason| BuildError::Backend { backend, reason };
        let raster = match (capture, adapter) {
            (Capture::Software, _) => None,
            (Capture::Peeling | Capture::Unordered, _) => {
                Some(LdiDevice::open(adapter, true).map_err(refused(Backend::Gpu))?)
            }
            (Capture::Auto, Some(_)) => {
                Some(LdiDevice::open(adapter, false).map_err(refused(Backend::Auto))?)
            }
            (Capture::Auto, None) => LdiDevice::open(None, false).ok(),
        };
        Ok(Capturer {
            capture,
            raster,
            scratch: LdiScratch::default(),
            costs: Costs::default(),
            status: CaptureStatus::default(),
        })
    }

    /// The adapter in use; `None` where there is none.
    pub fn adapter(&self) -> Option<String> {
        self.raster.as_ref().map(LdiDevice::adapter)
    }

    /// How the last call captured its images.
    pub fn status(&self) -> &CaptureStatus {
        &self.status
    }

    /// The images of all jobs, in their order. On a GPU they share one atlas and one submission, as far as
    /// they fit.
    ///
    /// # Errors
    /// [`LdiError`] of the first job that cannot be done.
    pub fn capture(&mut self, jobs: &[LdiJob<'_>]) -> Result<Vec<LayeredDepthImage>, LdiError> {
        let work = Costs::work(jobs);
        let method = match (self.capture, &self.raster) {
            (Capture::Auto, None) => Capture::Software,
            (Capture::Auto, Some(_)) => self.costs.choose(work),
            (forced, _) => forced,
        };
        self.status = CaptureStatus { method: Some(method), ..CaptureStatus::default() };
        let started = crate::clock::Stopwatch::start();
        let answers = match (&mut self.raster, method) {
            (Some(raster), Capture::Peeling | Capture::Unordered) => raster.capture(method, jobs),
            _ => Ok(Vec::new()),
        };
        let mut answers = match answers {
            Ok(answers) => answers.into_iter(),
            Err(fault) => {
                self.lose(fault);
                Vec::new().into_iter()
            }
        };
        let mut images = Vec::with_capacity(jobs.len());
        for job in jobs {
            images.push(match answers.next() {
                Some(Ok(image)) => image,
                left => {
                    if let Some(Err(reason)) = left {
                        self.status.reason = Some(reason);
                    }
                    self.status.redone += usize::from(method != Capture::Software);
                    self.scan(job)?
                }
            });
        }
        if self.capture == Capture::Auto {
            self.costs.learn(method, work, started.elapsed());
        }
        Ok(images)
    }

    /// The image of one body.
    ///
    /// # Errors
    /// As [`Capturer::capture`].
    pub fn capture_one(
        &mut self,
        mesh: &TriMesh,
        pose: &Isometry3<f64>,
        view: LdiView,
    ) -> Result<LayeredDepthImage, LdiError> {
        let job = LdiJob { mesh, pose, view, faces: Faces::Both };
        match self.capture(&[job])?.pop() {
            Some(image) => Ok(image),
            None => self.scan(&job),
        }
    }

    fn scan(&mut self, job: &LdiJob<'_>) -> Result<LayeredDepthImage, LdiError> {
        let mut image = LayeredDepthImage::new(job.view);
        image.recapture(job.mesh, job.pose, job.view, job.faces, &mut self.scratch)?;
        Ok(image)
    }

    /// After a fault the images are the software scan's; a device that is gone is let go.
    fn lose(&mut self, fault: String) {
        tracing::warn!(fault, "layers are captured on the CPU");
        self.status.reason = Some(fault);
        if self.raster.as_ref().is_some_and(LdiDevice::is_lost) {
            self.raster = None;
        }
    }
}
