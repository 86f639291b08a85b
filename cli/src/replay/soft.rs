//! Takes down a scene of a sheet that deforms.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use impinge::TriMesh;
use impinge_reference::SheetContact;
use impinge_scenes::soft::{Meadow, SoftScene};
use nalgebra::Isometry3;

use super::recorder::pose_numbers;
use super::recording::{self, Frame, Header, MeshSize, RecordedBody, RecordedContact, Surface};

/// Frames together hold no more than about so many bytes of places, where a firework has many.
const MOST: f64 = 64e6;

/// Writes frame after frame to a file: the bodies by their poses, then the sheet by its vertices, then what stands and flies about it.
pub struct SoftRecorder {
    file: PathBuf,
    out: BufWriter<File>,
    sheet: u32,
    /// One of so many moments is written.
    every: u32,
    given: u32,
    frame: Frame,
}

/// What is drawn for a body: its name, its kind, its surface, its colour, whether it is fixed, and whether frames have its vertices.
struct Drawn {
    name: String,
    kind: &'static str,
    surface: Surface,
    color: [u8; 3],
    fixed: bool,
    deforms: bool,
    balls: Option<f32>,
}

impl Drawn {
    fn mesh(name: &str, mesh: &TriMesh, color: [u8; 3]) -> Drawn {
        let vertices = mesh.vertices().iter().map(|v| v.coords.into()).collect();
        let surface = Surface { vertices, triangles: mesh.triangles().to_vec() };
        let (name, kind) = (name.to_owned(), "mesh");
        Drawn { name, kind, surface, color, fixed: false, deforms: false, balls: None }
    }

    /// Hills, plants, ship and firework.
    fn meadow(meadow: &Meadow) -> Result<[Drawn; 4]> {
        let [hills, plants, ship, firework] = meadow.colors;
        let mut vertices = Vec::new();
        meadow.firework.at(0.0, &mut vertices);
        let fixed = |drawn: Drawn| Drawn { fixed: true, ..drawn };
        Ok([
            fixed(Drawn::mesh("hills", &meadow.hills, hills)),
            fixed(Drawn::mesh("plants", &meadow.blades()?, plants)),
            Drawn::mesh("ship", &meadow.ship, ship),
            Drawn {
                name: "firework".into(),
                kind: "particles",
                surface: Surface { vertices, triangles: Vec::new() },
                color: firework,
                fixed: false,
                deforms: true,
                balls: Some(meadow.spark),
            },
        ])
    }
}

impl SoftRecorder {
    /// Begins a recording of so many steps of `dt` seconds, whose stages have these names.
    pub fn new(file: &Path, scene: &SoftScene, steps: u32, dt: f64, stages: &[&str]) -> Result<SoftRecorder> {
        let mut all: Vec<Drawn> =
            scene.movers.iter().map(|mover| Drawn::mesh(&mover.name, &mover.mesh, mover.color)).collect();
        let sheet = all.len();
        all.push(Drawn { deforms: true, ..Drawn::mesh("sheet", &scene.sheet, scene.color) });
        if let Some(meadow) = &scene.meadow {
            all.extend(Drawn::meadow(meadow)?);
        }
        let numbers = |drawn: &Drawn| if drawn.balls.is_some() { drawn.surface.vertices.len() } else { 0 };
        let bytes = f64::from(steps) * (12 * all.iter().map(numbers).sum::<usize>()) as f64;
        let every = (bytes / MOST).ceil().max(1.0) as u32;
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
                .map(|drawn| MeshSize {
                    name: drawn.name.clone(),
                    kind: drawn.kind.into(),
                    vertices: drawn.surface.vertices.len(),
                    triangles: drawn.surface.triangles.len(),
                })
                .collect(),
            bodies: (0..)
                .zip(&all)
                .map(|(mesh, &Drawn { color, fixed, deforms, balls, .. })| RecordedBody {
                    mesh,
                    color,
                    fixed,
                    deforms,
                    balls,
                })
                .collect(),
        };
        let meshes: Vec<Surface> = all.into_iter().map(|drawn| drawn.surface).collect();
        let out = File::create(file).with_context(|| format!("{}: cannot be written", file.display()))?;
        let (file, out) = (file.to_owned(), BufWriter::new(out));
        let (sheet, frame) = (sheet as u32, Frame::default());
        let mut recorder = SoftRecorder { file, out, sheet, every, given: 0, frame };
        recorder.written(|out, _| recording::write_header(out, &header, &meshes))?;
        Ok(recorder)
    }

    /// Adds a moment, or passes over it where not all are written: poses of the bodies, places of the sheet's vertices and of the firework's points
    /// (m, world), contacts, and times of the stages.
    pub fn push<const STAGES: usize>(
        &mut self,
        poses: &[Isometry3<f64>],
        places: impl Iterator<Item = [f32; 3]>,
        contacts: &[SheetContact],
        times: [Duration; STAGES],
    ) -> Result<()> {
        self.given += 1;
        if !(self.given - 1).is_multiple_of(self.every) {
            return Ok(());
        }
        let frame = &mut self.frame;
        frame.times.clear();
        frame.times.extend(times.map(|time| 1e6 * time.as_secs_f32()));
        frame.poses.clear();
        frame.poses.extend(poses.iter().map(pose_numbers));
        frame.places.clear();
        frame.places.extend(places);
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
