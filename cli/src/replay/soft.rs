//! Takes down a scene of a sheet that deforms.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use impinge_reference::SheetContact;
use impinge_scenes::soft::SoftScene;
use nalgebra::{Isometry3, Point3};

use super::recorder::pose_numbers;
use super::recording::{self, Frame, Header, MeshSize, RecordedBody, RecordedContact, Surface};

/// Writes frame after frame to a file: the bodies by their poses, and last the sheet by its vertices.
pub struct SoftRecorder {
    file: PathBuf,
    out: BufWriter<File>,
    sheet: u32,
    frame: Frame,
}

impl SoftRecorder {
    /// Begins a recording of steps of `dt` seconds, whose stages have these names.
    pub fn new(file: &Path, scene: &SoftScene, dt: f64, stages: &[&str]) -> Result<SoftRecorder> {
        let bodies = scene.movers.iter().map(|mover| (mover.name.as_str(), &mover.mesh, mover.color));
        let all: Vec<_> = bodies.chain([("sheet", &scene.sheet, scene.color)]).collect();
        let sheet = scene.movers.len();
        let header = Header {
            scene: scene.name.clone(),
            dt,
            direction: scene.camera.direction.into(),
            target: scene.camera.target.coords.into(),
            half_height: scene.camera.half_height,
            container: false,
            stages: stages.iter().map(|&name| name.to_owned()).collect(),
            meshes: all
                .iter()
                .map(|(name, mesh, _)| MeshSize {
                    name: (*name).to_owned(),
                    kind: "mesh".into(),
                    vertices: mesh.vertices().len(),
                    triangles: mesh.triangles().len(),
                })
                .collect(),
            bodies: (0..)
                .zip(&all)
                .map(|(mesh, &(.., color))| RecordedBody {
                    mesh,
                    color,
                    fixed: false,
                    deforms: mesh == sheet,
                    balls: None,
                })
                .collect(),
        };
        let surface = |(_, mesh, _): &(&str, &impinge::TriMesh, [u8; 3])| Surface {
            vertices: mesh.vertices().iter().map(|v| v.coords.into()).collect(),
            triangles: mesh.triangles().to_vec(),
        };
        let meshes: Vec<Surface> = all.iter().map(surface).collect();
        let out = File::create(file).with_context(|| format!("{}: cannot be written", file.display()))?;
        let (file, out) = (file.to_owned(), BufWriter::new(out));
        let mut recorder = SoftRecorder { file, out, sheet: sheet as u32, frame: Frame::default() };
        recorder.written(|out, _| recording::write_header(out, &header, &meshes))?;
        Ok(recorder)
    }

    /// Adds a moment: poses of the bodies, places of the sheet's vertices (m, world), contacts, and times of the stages.
    pub fn push<const STAGES: usize>(
        &mut self,
        poses: &[Isometry3<f64>],
        places: &[Point3<f64>],
        contacts: &[SheetContact],
        times: [Duration; STAGES],
    ) -> Result<()> {
        let frame = &mut self.frame;
        frame.times.clear();
        frame.times.extend(times.map(|time| 1e6 * time.as_secs_f32()));
        frame.poses.clear();
        frame.poses.extend(poses.iter().chain([&Isometry3::identity()]).map(pose_numbers));
        frame.places.clear();
        frame.places.extend(places.iter().map(|p| [p.x, p.y, p.z].map(|x| x as f32)));
        frame.contacts.clear();
        let sheet = self.sheet;
        frame.contacts.extend(contacts.iter().map(|contact| {
            let (p, n) = (contact.position, contact.normal);
            let numbers = [p.x, p.y, p.z, n.x, n.y, n.z, contact.depth].map(|x| x as f32);
            RecordedContact { numbers, bodies: [0, sheet] }
        }));
        self.written(recording::write_frame)
    }

    /// Ends the recording: everything is in the file.
    pub fn finish(mut self) -> Result<PathBuf> {
        self.written(|out, _| out.flush())?;
        Ok(self.file)
    }

    fn written(
        &mut self,
        write: impl FnOnce(&mut BufWriter<File>, &Frame) -> std::io::Result<()>,
    ) -> Result<()> {
        write(&mut self.out, &self.frame)
            .with_context(|| format!("{}: cannot be written", self.file.display()))
    }
}
