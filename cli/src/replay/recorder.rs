//! Takes down a simulation while it runs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use impinge::{ColliderId, Shape};
use impinge_reference::{BodyId, Simulator, StepSummary};
use impinge_scenes::Scene;
use nalgebra::Isometry3;

use super::recording::{self, Frame, Header, MeshSize, POSE, RecordedBody, RecordedContact};
use super::surface;
use crate::body_colors::body_colors;

/// How far from its middle a field is recorded that others take the place of: all of it (m).
const WHOLE: f32 = 1e6;
/// Of bodies that deform no more is recorded than this, in all frames (bytes): of longer runs every second step, or third, or fewer. Of meshes that
/// become others about as much.
const MOST_PLACES: f64 = 64e6;

/// Names of the times that a frame holds; that of particles only where there are any.
const STAGES: [&str; 7] = ["step", "broadphase", "midphase", "narrow", "contacts", "solver", "particles"];

/// Writes frame after frame to a file.
pub struct Recorder {
    file: PathBuf,
    out: BufWriter<File>,
    ids: Vec<BodyId>,
    /// Index of each collider's body.
    bodies: BTreeMap<ColliderId, u32>,
    frame: Frame,
    /// Steps from frame to frame, and taken.
    every: u32,
    taken: u32,
    /// Of which bodies meshes become others, their meshes, what was recorded of each last, and at how many of all steps at least.
    reshaped: BTreeMap<usize, Reshaped>,
    steps: u32,
    /// How many of the stages' times a frame has.
    stages: usize,
}

/// A mesh that becomes another.
struct Reshaped {
    mesh: u32,
    last: recording::Surface,
    /// Steps from one to the next that is recorded.
    every: u32,
}

impl Recorder {
    /// Begins a recording with the scene as it stands at the start: of so many steps of `dt` seconds. `places`: where the vertices of bodies are that
    /// deform (m, world), body after body.
    pub fn new(
        file: &Path,
        scene: &Scene,
        (dt, steps): (f64, u32),
        simulator: &Simulator,
        ids: &[BodyId],
        places: &[[f32; 3]],
    ) -> Result<Recorder> {
        let reach = 4.0 * scene.camera.half_height as f32;
        let deforms = |k: usize| {
            scene.powder.is_some_and(|powder| powder.body == k)
                || scene.hand.as_ref().is_some_and(|hand| hand.body == k)
                || scene.road.as_ref().is_some_and(|road| road.tiles.contains(&k))
        };
        let mesh = |(k, shape): (usize, &impinge_scenes::SceneShape)| match &shape.shape {
            // Of balls their centres.
            Shape::Particles(particles) if scene.powder.is_some() => recording::Surface {
                vertices: particles.centers().iter().map(|p| p.coords.into()).collect(),
                triangles: Vec::new(),
            },
            shape if scene.bodies.iter().enumerate().any(|(b, body)| body.shape == k && deforms(b)) => {
                surface::surface(shape, WHOLE)
            }
            shape => surface::surface(shape, reach),
        };
        let meshes: Vec<_> = scene.shapes.iter().enumerate().map(mesh).collect();
        let bytes = f64::from(steps) * size_of_val(places) as f64;
        let every = (bytes / MOST_PLACES).ceil().max(1.0) as u32;
        let size = |(mesh, shape): (&recording::Surface, &impinge_scenes::SceneShape)| MeshSize {
            name: shape.name.clone(),
            kind: surface::kind(&shape.shape).to_owned(),
            vertices: mesh.vertices.len(),
            triangles: mesh.triangles.len(),
        };
        let stages = STAGES.len() - usize::from(scene.powder.is_none());
        let header = Header {
            scene: scene.name.clone(),
            dt: dt * f64::from(every),
            direction: scene.camera.direction.into(),
            target: scene.camera.target.coords.into(),
            half_height: scene.camera.half_height,
            container: scene.container.is_some(),
            stages: STAGES[..stages].iter().map(|&name| name.to_owned()).collect(),
            meshes: meshes.iter().zip(&scene.shapes).map(size).collect(),
            bodies: scene
                .bodies
                .iter()
                .zip(body_colors(scene))
                .enumerate()
                .map(|(k, (body, color))| {
                    let balls = match &scene.shapes[body.shape].shape {
                        Shape::Particles(particles) if deforms(k) => Some(particles.greatest_radius()),
                        _ => None,
                    };
                    let driven = scene.arm.as_ref().is_some_and(|arm| arm.bodies.contains(&k))
                        || scene.hand.as_ref().is_some_and(|hand| hand.body == k);
                    let fixed = body.fixed && !driven && balls.is_none();
                    RecordedBody { mesh: body.shape, color, fixed, deforms: deforms(k), balls }
                })
                .collect(),
        };
        let out = File::create(file).with_context(|| format!("{}: cannot be written", file.display()))?;
        let frame = Frame { times: vec![0.0; stages], ..Frame::default() };
        let mut bodies = BTreeMap::new();
        for (index, &id) in (0..).zip(ids) {
            bodies.insert(simulator.body(id)?.collider(), index);
        }
        let (file, out) = (file.to_owned(), BufWriter::new(out));
        let reshaped = scene.digger.iter().map(|digger| {
            let mesh = scene.bodies[digger.body].shape;
            let last = meshes[mesh].clone();
            let bytes = f64::from(steps) * 12.0 * (last.vertices.len() + last.triangles.len()) as f64;
            let every = (bytes / MOST_PLACES).ceil().max(1.0) as u32;
            (digger.body, Reshaped { mesh: mesh as u32, last, every })
        });
        let reshaped = reshaped.collect();
        let ids = ids.to_vec();
        let mut recorder =
            Recorder { file, out, ids, bodies, frame, every, taken: 0, reshaped, steps, stages };
        recorder.written(|out, _| recording::write_header(out, &header, &meshes))?;
        recorder.frame.places.extend_from_slice(places);
        recorder.push_state(simulator)?;
        Ok(recorder)
    }

    /// Adds a step that took `time`; `places`: as at the start; `shape`: the shape that a body of the scene has now.
    pub fn push(
        &mut self,
        simulator: &Simulator,
        done: &StepSummary,
        time: Duration,
        places: impl FnOnce() -> Result<Vec<[f32; 3]>>,
        shape: impl Fn(usize) -> Result<Shape>,
    ) -> Result<()> {
        self.taken += 1;
        if !self.taken.is_multiple_of(self.every) {
            return Ok(());
        }
        self.frame.places = places()?;
        self.frame.surfaces.clear();
        for (&body, own) in &mut self.reshaped {
            if !(self.taken.is_multiple_of(own.every) || self.taken == self.steps) {
                continue;
            }
            let now = surface::surface(&shape(body)?, WHOLE);
            if now != own.last {
                self.frame.surfaces.push((own.mesh, now.clone()));
                own.last = now;
            }
        }
        let t = &done.report.times;
        let times = [time, t.broadphase, t.midphase, t.narrow, t.contacts, done.solve_time, t.particles];
        self.frame.times.clear();
        self.frame.times.extend(times[..self.stages].iter().map(|time| 1e6 * time.as_secs_f32()));
        self.push_state(simulator)
    }

    /// Ends the recording: everything is in the file.
    pub fn finish(mut self) -> Result<PathBuf> {
        self.written(|out, _| out.flush())?;
        Ok(self.file)
    }

    fn push_state(&mut self, simulator: &Simulator) -> Result<()> {
        let frame = &mut self.frame;
        frame.poses.clear();
        for &id in &self.ids {
            frame.poses.push(pose_numbers(simulator.body(id)?.pose()));
        }
        frame.contacts.clear();
        frame.outlines.clear();
        frame.samples.clear();
        for manifold in simulator.world().manifolds() {
            let [Some(&a), Some(&b)] = manifold.colliders.map(|id| self.bodies.get(&id)) else { continue };
            frame.contacts.extend(manifold.points.iter().map(|point| {
                let (p, n) = (point.position, manifold.normal_at(point));
                let numbers = [p.x, p.y, p.z, n.x, n.y, n.z, point.depth].map(|x| x as f32);
                RecordedContact { numbers, bodies: [a, b] }
            }));
            let Some(region) = &manifold.patch else { continue };
            for outline in &region.boundary {
                let ends = outline.iter().zip(outline.iter().cycle().skip(1));
                frame.outlines.extend(ends.map(|(p, q)| [p.x, p.y, p.z, q.x, q.y, q.z].map(|x| x as f32)));
            }
            frame.samples.extend(region.samples.iter().map(|sample| {
                let p = sample.position();
                [p.x, p.y, p.z, sample.depth].map(|x| x as f32)
            }));
        }
        self.push_particles(simulator);
        self.written(recording::write_frame)
    }

    /// Adds the contacts of particles with bodies; those among themselves are too many.
    fn push_particles(&mut self, simulator: &Simulator) {
        for pair in simulator.world().particle_contacts().filter(|pair| pair.particles != pair.other) {
            let [Some(&own), Some(&other)] = [pair.particles, pair.other].map(|id| self.bodies.get(&id))
            else {
                continue;
            };
            self.frame.contacts.extend(pair.contacts.iter().map(|contact| {
                let (p, n) = (contact.position.cast::<f32>(), contact.normal);
                let numbers = [p.x, p.y, p.z, n.x, n.y, n.z, contact.depth as f32];
                // The normal goes from the first to the second.
                RecordedContact { numbers, bodies: [other, own] }
            }));
        }
    }

    fn written(
        &mut self,
        write: impl FnOnce(&mut BufWriter<File>, &Frame) -> std::io::Result<()>,
    ) -> Result<()> {
        write(&mut self.out, &self.frame)
            .with_context(|| format!("{}: cannot be written", self.file.display()))
    }
}

/// A pose as a frame holds it.
pub(super) fn pose_numbers(pose: &Isometry3<f64>) -> [f32; POSE] {
    let (t, q) = (&pose.translation.vector, &pose.rotation.coords);
    [t.x, t.y, t.z, q.x, q.y, q.z, q.w].map(|x| x as f32)
}
