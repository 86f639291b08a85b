//! Takes down a simulation while it runs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use impinge::ColliderId;
use impinge_reference::{BodyId, Simulator, StepSummary};
use impinge_scenes::Scene;
use nalgebra::Isometry3;

use super::recording::{self, Frame, Header, MeshSize, POSE, RecordedBody, RecordedContact};
use super::surface;
use crate::body_colors::body_colors;

/// Names of the times that a frame holds.
const STAGES: [&str; 6] = ["step", "broadphase", "midphase", "narrow", "contacts", "solver"];

/// Writes frame after frame to a file.
pub struct Recorder {
    file: PathBuf,
    out: BufWriter<File>,
    ids: Vec<BodyId>,
    /// Index of each collider's body.
    bodies: BTreeMap<ColliderId, u32>,
    frame: Frame,
}

impl Recorder {
    /// Begins a recording with the scene as it stands at the start.
    pub fn new(
        file: &Path,
        scene: &Scene,
        dt: f64,
        simulator: &Simulator,
        ids: &[BodyId],
    ) -> Result<Recorder> {
        let reach = 4.0 * scene.camera.half_height as f32;
        let meshes: Vec<_> = scene.shapes.iter().map(|s| surface::surface(&s.shape, reach)).collect();
        let size = |(mesh, shape): (&recording::Surface, &impinge_scenes::SceneShape)| MeshSize {
            name: shape.name.clone(),
            kind: surface::kind(&shape.shape).to_owned(),
            vertices: mesh.vertices.len(),
            triangles: mesh.triangles.len(),
        };
        let header = Header {
            scene: scene.name.clone(),
            dt,
            direction: scene.camera.direction.into(),
            target: scene.camera.target.coords.into(),
            half_height: scene.camera.half_height,
            container: scene.container.is_some(),
            stages: STAGES.map(str::to_owned).to_vec(),
            meshes: meshes.iter().zip(&scene.shapes).map(size).collect(),
            bodies: scene
                .bodies
                .iter()
                .zip(body_colors(scene))
                .enumerate()
                .map(|(k, (body, color))| {
                    let driven = scene.arm.as_ref().is_some_and(|arm| arm.bodies.contains(&k));
                    RecordedBody { mesh: body.shape, color, fixed: body.fixed && !driven, deforms: false }
                })
                .collect(),
        };
        let out = File::create(file).with_context(|| format!("{}: cannot be written", file.display()))?;
        let frame = Frame { times: vec![0.0; STAGES.len()], ..Frame::default() };
        let mut bodies = BTreeMap::new();
        for (index, &id) in (0..).zip(ids) {
            bodies.insert(simulator.body(id)?.collider(), index);
        }
        let (file, out) = (file.to_owned(), BufWriter::new(out));
        let mut recorder = Recorder { file, out, ids: ids.to_vec(), bodies, frame };
        recorder.written(|out, _| recording::write_header(out, &header, &meshes))?;
        recorder.push_state(simulator)?;
        Ok(recorder)
    }

    /// Adds a step that took `time`.
    pub fn push(&mut self, simulator: &Simulator, done: &StepSummary, time: Duration) -> Result<()> {
        let t = &done.report.times;
        let times = [time, t.broadphase, t.midphase, t.narrow, t.contacts, done.solve_time];
        self.frame.times.clear();
        self.frame.times.extend(times.map(|time| 1e6 * time.as_secs_f32()));
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
        self.written(recording::write_frame)
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
