//! Scenes of a sheet that deforms: `simulate --scene tissue`, `cloth-avatar`, `cloth`, `flag` and `rope`.

mod apart_watch;
mod bodies;
mod depth;
mod meadow;
mod meadow_watch;
mod summary;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use impinge::query::classic::{AvatarMaps, ClassicBody, FrameBuffer, ToolSettings, ToolVolume, lombardo};
use impinge::{PreparedShape, Shape};
use impinge_reference::{Sheet, SheetBody, SheetContact, SheetSettings};
use impinge_scenes::soft::{Mover, SoftContact, SoftScene};
use impinge_scenes::{Scene, SceneBody, SceneShape};
use nalgebra::{Isometry3, Vector3};

use super::check;
use super::picture::Painter;
use super::record::resident;
use super::series::Times;
use super::{DT, progress};
use crate::arguments::Simulate;
use crate::replay::SoftRecorder;
use bodies::Avatar;
use depth::ConvexPart;
use meadow::{Drawn, MeadowRun};
use summary::{SoftEnded, SoftSummary};
use watch::{Seen, SoftWatch};

/// Steps of a second.
const SECOND: u32 = 60;
/// Smaller steps in each.
const SUBSTEPS: u32 = 4;
/// Stages of a step, the first being all of it.
pub const STAGES: [&str; 4] = ["step", "sheet", "test", "response"];

/// A scene while it runs.
struct Run<'s> {
    scene: &'s SoftScene,
    sheet: Sheet,
    /// The tool, or nothing.
    tool: Option<ToolVolume>,
    /// The bodies as the sheet is to be kept out of them.
    parts: Vec<ConvexPart>,
    /// The bodies as the classic maps see them.
    avatar: Option<Avatar>,
    raster: FrameBuffer,
    /// The bodies' shapes, where the sheet is kept apart from them.
    shapes: Vec<PreparedShape>,
    /// What stands and flies about the sheet.
    meadow: Option<MeadowRun<'s>>,
    taken: u32,
}

/// What one step did.
#[derive(Default)]
struct Stepped {
    /// Of the stages but the first.
    times: [Duration; 3],
    contacts: Vec<SheetContact>,
    /// Faces that are in the tool and were not named.
    unnamed: usize,
}

/// Runs a soft scene, writes its pictures and summary, prints what happened.
pub fn run(scene: &SoftScene, arguments: &Simulate) -> Result<ExitCode> {
    if arguments.bodies.is_some() || arguments.seed != 0 {
        bail!("scene {} has no other number of bodies and no other arrangement", scene.name);
    }
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("{}: the folder cannot be made", arguments.out.display()))?;
    let steps = arguments.steps.unwrap_or(scene.steps);
    let mut run = Run::new(scene)?;
    let mut watch = SoftWatch::new(scene, steps)?;
    let started = Instant::now();
    let start = |file: &PathBuf| SoftRecorder::new(file, scene, steps, DT, &STAGES);
    let mut recorder = arguments.record.as_ref().map(start).transpose()?;
    if let Some(recorder) = &mut recorder {
        recorder.push(&run.recorded_poses(), run.places(), &[], [Duration::ZERO; STAGES.len()])?;
    }
    let mut pictures = Vec::new();
    let mut paint = |name: &str, run: &mut Run<'_>| -> Result<()> {
        let file = arguments.out.join(format!("{name}.png"));
        let now = run.as_scene()?;
        let poses: Vec<_> = now.bodies.iter().map(|body| body.pose).collect();
        Painter::new(&now)?.paint(&poses, &file)?;
        pictures.push(file);
        Ok(())
    };
    let mut memory = Vec::new();
    let mut times = STAGES.map(|name| (name, Times::with_capacity(steps.min(1 << 20) as usize)));
    let progress = progress(u64::from(steps), &scene.name);
    paint("first", &mut run)?;
    for step in 1..=steps {
        let stepping = Instant::now();
        let done = run.step().with_context(|| format!("step {step}"))?;
        let [sheet, test, response] = done.times;
        let of_step = [stepping.elapsed(), sheet, test, response];
        times.iter_mut().zip(of_step).for_each(|((_, series), time)| series.push(time));
        watch.look(&Seen { run: &run, time: run.time(), unnamed: done.unnamed })?;
        if let Some(recorder) = &mut recorder {
            recorder.push(&run.recorded_poses(), run.places(), &done.contacts, of_step)?;
        }
        if step == steps / 2 {
            paint("middle", &mut run)?;
        }
        if step % SECOND == 0 {
            let series = u64::from(step) * (STAGES.len() * size_of::<Duration>()) as u64;
            memory.extend(resident().map(|bytes| bytes.saturating_sub(series)));
        }
        progress.set_position(u64::from(step));
        progress.set_message(format!("{} contacts", done.contacts.len()));
    }
    paint("last", &mut run)?;
    progress.finish_and_clear();
    let mut checks = watch.checks(&run);
    // A second later: the picture of the half has been painted by then.
    let memory = memory.get(memory.len() / 2 + 1).zip(memory.last()).map(|(half, end)| [*half, *end]);
    checks.push(check::memory(memory, steps));
    let recording = recorder.map(SoftRecorder::finish).transpose()?;
    let summary = SoftSummary::new(
        scene,
        &run.sheet,
        &times,
        SoftEnded { steps, checks, pictures, wall: started.elapsed() },
    );
    summary.report(arguments, recording.as_deref())
}

impl<'s> Run<'s> {
    fn new(scene: &'s SoftScene) -> Result<Run<'s>> {
        let fabric = &scene.fabric;
        let settings = SheetSettings {
            held: fabric.held.clone(),
            density: fabric.density,
            compliance: fabric.compliance,
            bed: fabric.bed,
            damping: fabric.damping,
            friction: fabric.friction,
            gravity: scene.gravity,
            struts: fabric.struts.clone(),
            drag: fabric.drag,
            thickness: match scene.contact {
                SoftContact::Apart { thickness } => thickness,
                SoftContact::Tool { .. } | SoftContact::Avatar { .. } => 0.0,
            },
            ..SheetSettings::default()
        };
        let sheet = Sheet::new(&scene.sheet, settings)?;
        let (tool, skin) = match scene.contact {
            SoftContact::Tool { .. } => (Some(ToolVolume::hull(scene.movers[0].mesh.vertices())?), 0.0),
            SoftContact::Avatar { skin, .. } => (None, skin),
            SoftContact::Apart { .. } => (None, 0.0),
        };
        let apart = matches!(scene.contact, SoftContact::Apart { .. });
        let shape = |mover: &Mover| PreparedShape::new(&Shape::from(mover.mesh.clone()));
        let shapes = scene.movers.iter().filter(|_| apart).map(shape).collect();
        let avatar = if apart { None } else { Some(Avatar::new(scene, skin)?) };
        let parts = avatar.iter().flat_map(|avatar| avatar.meshes()).map(ConvexPart::new).collect();
        let (meadow, raster) = (MeadowRun::of_scene(scene)?, FrameBuffer::default());
        Ok(Run { scene, sheet, tool, parts, avatar, raster, shapes, meadow, taken: 0 })
    }

    /// Seconds since the start.
    fn time(&self) -> f64 {
        f64::from(self.taken) * DT
    }

    fn poses(&self) -> Vec<Isometry3<f64>> {
        self.scene.movers.iter().map(|mover| mover.pose(self.time())).collect()
    }

    /// Poses of all that is recorded, in the order of the bodies.
    fn recorded_poses(&self) -> Vec<Isometry3<f64>> {
        let here = Isometry3::identity();
        let beside = self.meadow.iter().flat_map(|meadow| [here, here, meadow.ship(), here]);
        self.poses().into_iter().chain([here]).chain(beside).collect()
    }

    /// Where the vertices of the sheet are, and then the points of the firework (m, world).
    fn places(&self) -> impl Iterator<Item = [f32; 3]> {
        let sheet = self.sheet.places().iter().map(|p| [p.x, p.y, p.z].map(|x| x as f32));
        sheet.chain(self.meadow.iter().flat_map(|meadow| meadow.points().iter().copied()))
    }

    fn step(&mut self) -> Result<Stepped> {
        let mut done = Stepped::default();
        let h = DT / f64::from(SUBSTEPS);
        let begun = self.time();
        self.taken += 1;
        if let SoftContact::Apart { .. } = self.scene.contact {
            return self.step_apart(begun, h);
        }
        let maps = match (self.scene.contact, &self.avatar) {
            (SoftContact::Tool { .. } | SoftContact::Apart { .. }, _) | (_, None) => None,
            (SoftContact::Avatar { direction, pixels, .. }, Some(avatar)) => {
                let from = Instant::now();
                let (mesh, velocities) = avatar.at(self.scene, self.time(), DT)?;
                let here = Isometry3::identity();
                let maps = AvatarMaps::new(&ClassicBody::new(&mesh, &here), &velocities, direction, pixels)?;
                done.times[1] += from.elapsed();
                Some(maps)
            }
        };
        for substep in 1..=SUBSTEPS {
            let from = Instant::now();
            self.sheet.begin(h);
            done.times[0] += from.elapsed();
            let contacts = match &maps {
                Some(maps) => {
                    let from = Instant::now();
                    let hits = maps.test(self.sheet.places())?;
                    let tested = Instant::now();
                    done.times[1] += tested - from;
                    let contacts = self.sheet.clear_of_avatar(&hits, h);
                    done.times[2] += tested.elapsed();
                    contacts
                }
                None => self.out_of_tool(begun + f64::from(substep) * h, &mut done)?,
            };
            if substep == SUBSTEPS {
                done.contacts = contacts;
            }
            let from = Instant::now();
            self.sheet.end(h);
            done.times[0] += from.elapsed();
        }
        Ok(done)
    }

    /// A step of a sheet that is kept apart, which began at a time (s).
    fn step_apart(&mut self, begun: f64, h: f64) -> Result<Stepped> {
        let mut done = Stepped::default();
        for substep in 0..SUBSTEPS {
            let from = Instant::now();
            let times = [0.0, 1.0].map(|later| begun + (f64::from(substep) + later) * h);
            let bodies: Vec<SheetBody<'_>> = self
                .scene
                .movers
                .iter()
                .zip(&self.shapes)
                .map(|(mover, shape)| SheetBody { shape, poses: times.map(|time| mover.pose(time)) })
                .collect();
            self.sheet.blow(&self.scene.wind.at(times[0]), h);
            for (vertices, path) in &self.scene.led {
                let pose = path.at(times[1]);
                for &vertex in vertices {
                    let to = pose * self.sheet.rest()[vertex as usize];
                    self.sheet.carry(vertex, &to);
                }
            }
            done.contacts = self.sheet.step_apart(h, &bodies)?;
            done.times[0] += from.elapsed();
        }
        let (from, now) = (Instant::now(), self.time());
        if let Some(meadow) = &mut self.meadow {
            meadow.step(now, self.sheet.places())?;
            done.times[1] += from.elapsed();
        }
        Ok(done)
    }

    fn out_of_tool(&mut self, time: f64, done: &mut Stepped) -> Result<Vec<SheetContact>> {
        let (Some(tool), SoftContact::Tool { pixels }) = (&self.tool, self.scene.contact) else {
            return Ok(Vec::new());
        };
        let from = Instant::now();
        let pose = self.scene.movers[0].pose(time);
        let settings = ToolSettings { direction: pose * Vector3::z(), pixels, dilated: true };
        let here = Isometry3::identity();
        let surface = self.sheet.surface()?;
        let body = ClassicBody::new(surface, &here);
        let named = lombardo(tool, &pose, &body, settings, &mut self.raster)?.triangles;
        done.times[1] += from.elapsed();
        let part = &self.parts[0];
        let missed = |&t: &u32| {
            let corners = surface.corners(t).map(|p| pose.inverse_transform_point(&p.cast()));
            named.binary_search(&t).is_err() && part.face_depth(&corners) > 0.0
        };
        done.unnamed += (0..surface.triangles().len() as u32).filter(missed).count();
        let from = Instant::now();
        let contacts = self.sheet.clear_of_tool(tool, &pose, &named);
        done.times[2] += from.elapsed();
        Ok(contacts)
    }

    /// Bodies and sheet as they stand, to be painted.
    fn as_scene(&mut self) -> Result<Scene> {
        let scene = self.scene;
        let surface = self.sheet.surface()?.clone();
        let mut all: Vec<Drawn> = scene
            .movers
            .iter()
            .zip(self.poses())
            .map(|(mover, pose)| (mover.name.clone(), Shape::from(mover.mesh.clone()), pose, mover.color))
            .collect();
        all.push(("sheet".to_owned(), Shape::from(surface), Isometry3::identity(), scene.color));
        if let Some(meadow) = &self.meadow {
            all.extend(meadow.drawn()?);
        }
        let body = |(shape, &(_, _, pose, color)): (usize, &Drawn)| SceneBody {
            shape,
            pose,
            fixed: true,
            density: 1.0,
            friction: 0.0,
            restitution: 0.0,
            velocity: Vector3::zeros(),
            spin: Vector3::zeros(),
            fast: false,
            color,
        };
        Ok(Scene {
            name: scene.name.clone(),
            bodies: all.iter().enumerate().map(body).collect(),
            shapes: all.into_iter().map(|(name, shape, ..)| SceneShape { name, shape }).collect(),
            hinges: Vec::new(),
            arm: None,
            digger: None,
            hand: None,
            powder: None,
            road: None,
            loads: Vec::new(),
            camera: scene.camera,
            gravity: scene.gravity,
            angular_damping: 0.0,
            container: None,
            comes_to_rest: true,
            rolls_to_the_end: false,
            demands: Vec::new(),
            steps: scene.steps,
        })
    }
}
