//! Heidelberger and Teschner's slides "Image-Space Collision Detection" (figures of 2003 and 2004): layered
//! depth images by depth peeling (ordered), unordered, and by a software scan, on a Pentium 4 at 3 GHz with a
//! GeForce FX 5800 Ultra.

use impinge::gpu_narrow::{AdapterChoice, AdapterSummary, choose};
use impinge::ldi::{Capture, Capturer, Faces, LayeredDepthImage, LdiJob, LdiScratch, LdiView, SelfCollision};
use impinge::prelude::*;
use impinge_scenes::mesh::{Knot, Torus};
use impinge_scenes::random::Random;

use super::watch::{Asked, in_turn};
use super::{Choice, TextRow};
use crate::row::hash;

const TEXT: &str = "Heidelberger";
const FRAMES: usize = 60;
/// Frames on a device: a software adapter takes its time.
const FRAMES_GPU: usize = 4;

/// The ways, the names of their rows, and what the slides ran them on.
const WAYS: [(Capture, &str, &str); 3] = [
    (Capture::Peeling, "ldi peeling", "ordered, FX 5800"),
    (Capture::Unordered, "ldi unordered", "unordered, FX 5800 and Pentium 4"),
    (Capture::Software, "ldi software", "software, Pentium 4"),
];

/// A workload: two bodies, or a body and points.
struct Work {
    scene: &'static str,
    pixels: u32,
    /// Printed times of the ways (µs); the least where a range is printed.
    printed: [f64; 3],
    ask: Question,
}

enum Question {
    /// The intersection volume of two bodies.
    Volume(TriMesh, TriMesh),
    /// Whether either of two bodies collides with itself.
    Itself(TriMesh, TriMesh),
    /// How many points are inside.
    Points(TriMesh, Vec<Point3<f64>>),
}

fn works(choice: &Choice<'_>) -> anyhow::Result<Vec<Work>> {
    let knot = |triangles| Knot::default().with_triangles(triangles);
    let ring = |around, across| Torus { around, across, ..Torus::default() }.mesh();
    let mut works = Vec::new();
    let mut add = |scene, pixels, printed: [f64; 3], ask: &dyn Fn() -> anyhow::Result<Question>| {
        if choice.takes(scene) {
            works.push(Work { scene, pixels, printed: printed.map(|ms| ms * 1e3), ask: ask()? });
        }
        anyhow::Ok(())
    };
    // A hand and a phone.
    let hand = || anyhow::Ok((knot(4800)?, ring(30, 15)?));
    add("volume-4800-900", 64, [28.0, 9.0, 3.0], &|| hand().map(|(a, b)| Question::Volume(a, b)))?;
    add("itself-4800-900", 64, [40.0, 12.0, 5.0], &|| hand().map(|(a, b)| Question::Itself(a, b)))?;
    // A mouse and a hat.
    let mouse = || anyhow::Ok(Question::Volume(knot(15_000)?, ring(30, 25)?));
    add("volume-15000-1500-32", 32, [24.0, 8.0, 2.0], &mouse)?;
    add("volume-15000-1500-64", 64, [26.0, 9.0, 3.0], &mouse)?;
    add("volume-15000-1500-128", 128, [51.0, 17.0, 6.0], &mouse)?;
    // A santa and particles.
    let santa = |triangles, points: usize| {
        let mut random = Random::new(11);
        let mut place = || Point3::from([0, 1, 2].map(|_| 0.5 * random.signed()));
        anyhow::Ok(Question::Points(knot(triangles)?, (0..points).map(|_| place()).collect()))
    };
    add("points-520k-100k", 64, [450.0, 225.0, 400.0], &|| santa(520_000, 100_000))?;
    add("points-150k-30k", 64, [160.0, 75.0, 105.0], &|| santa(150_000, 30_000))?;
    add("points-50k-10k", 64, [50.0, 25.0, 35.0], &|| santa(50_000, 10_000))?;
    Ok(works)
}

/// Where the bodies are in a frame.
fn poses(frame: usize) -> [Isometry3<f64>; 2] {
    let t = frame as f64 / FRAMES as f64;
    let turn = UnitQuaternion::from_euler_angles(3.0 * t, 1.0 + 2.0 * t, 0.3);
    let at = Translation3::new(0.25 * (6.0 * t).cos(), 0.2 * (5.0 * t).sin(), 0.1);
    [Isometry3::identity(), Isometry3::from_parts(at, turn)]
}

/// One who captures, and what it uses again.
struct Camera {
    capturer: Option<Capturer>,
    scratch: LdiScratch,
    images: [Option<LayeredDepthImage>; 2],
    found: SelfCollision,
    inside: Vec<bool>,
}

impl Camera {
    fn new(way: Capture, adapter: Option<&AdapterSummary>) -> anyhow::Result<Camera> {
        let capturer = adapter.map(|adapter| Capturer::on_adapter(way, &adapter.name)).transpose()?;
        let (scratch, found) = (LdiScratch::default(), SelfCollision::default());
        Ok(Camera { capturer, scratch, images: [None, None], found, inside: Vec::new() })
    }

    fn capture(
        &mut self,
        k: usize,
        mesh: &TriMesh,
        pose: &Isometry3<f64>,
        view: LdiView,
    ) -> anyhow::Result<()> {
        if let Some(capturer) = &mut self.capturer {
            self.images[k] = Some(capturer.capture_one(mesh, pose, view)?);
            return Ok(());
        }
        let image = self.images[k].get_or_insert_with(|| LayeredDepthImage::new(view));
        Ok(image.recapture(mesh, pose, view, Faces::Both, &mut self.scratch)?)
    }

    fn pair(&mut self, jobs: [LdiJob<'_>; 2]) -> anyhow::Result<()> {
        if let Some(capturer) = &mut self.capturer {
            let mut images = capturer.capture(&jobs)?;
            self.images[1] = images.pop();
            self.images[0] = images.pop();
            return Ok(());
        }
        for (k, job) in jobs.into_iter().enumerate() {
            self.capture(k, job.mesh, job.pose, job.view)?;
        }
        Ok(())
    }

    /// The answer in a frame: a volume in parts of 10⁻⁹ m³, or a number of points.
    fn ask(&mut self, work: &Work, frame: usize) -> anyhow::Result<u64> {
        let poses = poses(frame);
        let pixels = [work.pixels; 2];
        let job = |mesh, pose, view| LdiJob { mesh, pose, view, faces: Faces::Both };
        let volume = |v: f64| (v * 1e9).round() as u64;
        match &work.ask {
            Question::Volume(a, b) => {
                let bodies = [(a, &poses[0]), (b, &poses[1])];
                let Some(view) = LdiView::of_overlap(bodies, Vector3::z(), pixels)? else { return Ok(0) };
                self.pair(bodies.map(|(mesh, pose)| job(mesh, pose, view)))?;
                let [Some(a), Some(b)] = &self.images else { anyhow::bail!("no images") };
                Ok(volume(a.intersection_volume(b)?))
            }
            Question::Itself(a, b) => {
                let mut jobs = Vec::new();
                for (mesh, pose) in [(a, &poses[0]), (b, &poses[1])] {
                    jobs.push(job(mesh, pose, LdiView::of_body(mesh, pose, Vector3::z(), pixels)?));
                }
                self.pair([jobs[0], jobs[1]])?;
                let mut sum = 0;
                for image in self.images.iter().flatten() {
                    image.find_self_collision(&mut self.found)?;
                    sum += volume(self.found.overlap);
                }
                Ok(sum)
            }
            Question::Points(mesh, points) => {
                let view = LdiView::of_body(mesh, &poses[1], Vector3::z(), pixels)?;
                self.capture(0, mesh, &poses[1], view)?;
                let Some(image) = &self.images[0] else { anyhow::bail!("no image") };
                Ok(image.points_inside(points, &mut self.inside)? as u64)
            }
        }
    }
}

pub fn run(choice: &Choice<'_>) -> anyhow::Result<Vec<TextRow>> {
    let mut rows = Vec::new();
    for work in works(choice)? {
        let mut agreed: Option<Vec<u64>> = None;
        for (k, (way, who, on)) in WAYS.into_iter().enumerate().rev() {
            if !choice.has(who) {
                continue;
            }
            let on_device = way != Capture::Software;
            let adapter = match choose(&AdapterChoice::Any) {
                _ if !on_device => None,
                Ok(adapter) => Some(adapter),
                Err(error) => {
                    eprintln!("SKIPPED {who}: {error}");
                    continue;
                }
            };
            let most = if on_device { FRAMES_GPU } else { FRAMES };
            let wanted = if choice.frames == 0 { most } else { choice.frames.min(most) };
            let frames: Vec<usize> = (0..FRAMES).step_by(FRAMES.div_ceil(wanted)).collect();
            let mut camera = Camera::new(way, adapter)?;
            // Once before it counts: a driver compiles, buffers grow.
            camera.ask(&work, frames[0])?;
            let mut failed = None;
            let mut asked = [Asked {
                who: who.to_owned(),
                alone: !on_device,
                ask: Box::new(|frame| {
                    let answer = camera.ask(&work, frame);
                    answer.map_err(|error| failed = Some(error)).unwrap_or_default()
                }),
            }];
            let rounds = if on_device { 1 } else { choice.rounds };
            let found = in_turn(&mut asked, &frames, rounds).remove(0);
            drop(asked);
            if let Some(error) = failed {
                return Err(error);
            }
            // All ways give the same crossings, so the same answers.
            let every = FRAMES.div_ceil(FRAMES_GPU);
            let common: Vec<u64> =
                frames.iter().zip(&found.answers).filter(|(f, _)| *f % every == 0).map(|(_, &a)| a).collect();
            if let Some(before) = &agreed {
                anyhow::ensure!(
                    common.iter().zip(before).all(|(a, b)| a == b),
                    "{who} disagrees: {common:?}, {before:?}"
                );
            }
            agreed.get_or_insert(common);
            rows.push(TextRow {
                printed_us: Some(work.printed[k]),
                printed_on: on,
                hits: found.answers.iter().filter(|&&a| a > 0).count() as u64,
                adapter: adapter.map(|a| a.name.clone()).unwrap_or_default(),
                software: adapter.is_some_and(AdapterSummary::is_software),
                hash: hash(found.answers.iter().flat_map(|&a| [a as u32, (a >> 32) as u32])),
                ..TextRow::new(TEXT, work.scene, who, choice, &found.times)
            });
        }
    }
    Ok(rows)
}
