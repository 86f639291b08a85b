//! The texts' workloads for height maps and clouds on a device: whatever adapter there is, a software one
//! where there is no other.

use std::time::Instant;

use impinge::cloud::{Bounce, CloudView};
use impinge::geometry::Aabb;
use impinge::gpu_narrow::height_map::{GpuPoints, GpuProfile, MapEngine};
use impinge::gpu_narrow::wgpu::{self, BufferUsages as U};
use impinge::gpu_narrow::{
    AdapterChoice, AdapterSummary, EngineSettings, GpuChannels, GpuEnvironment, GpuPiece, Topology, choose,
};
use impinge::height_map::{Bounds, Profile};
use impinge::prelude::*;

use super::watch::Answers;
use super::{Choice, TextRow};
use crate::row::hash;

/// Frames of a workload: a software adapter takes its time.
const FRAMES: usize = 8;

/// An engine with its adapter.
pub struct Device {
    pub engine: MapEngine,
    about: AdapterSummary,
}

impl Device {
    /// On any adapter; `None`, and a word, where there is none.
    pub fn any(scene: &str) -> anyhow::Result<Option<Device>> {
        let about = match choose(&AdapterChoice::Any) {
            Ok(about) => about.clone(),
            Err(error) => {
                eprintln!("SKIPPED {scene} on a device: {error}");
                return Ok(None);
            }
        };
        let settings = EngineSettings { adapter: AdapterChoice::Any, ..EngineSettings::default() };
        Ok(Some(Device { engine: MapEngine::new(settings)?, about }))
    }

    pub fn upload(&self, mesh: &TriMesh, body: u32) -> GpuPiece {
        GpuPiece::upload(self.engine.device(), self.engine.queue(), mesh, Isometry3::identity(), body)
    }

    pub fn buffer(&self, places: &[[f32; 3]]) -> wgpu::Buffer {
        let buffer = self.engine.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 12 * places.len().max(1) as u64,
            usage: U::STORAGE | U::COPY_DST,
            mapped_at_creation: false,
        });
        self.send(&buffer, places);
        buffer
    }

    pub fn send(&self, buffer: &wgpu::Buffer, places: &[[f32; 3]]) {
        let bytes: Vec<u8> = places.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        self.engine.queue().write_buffer(buffer, 0, &bytes);
    }

    /// The maps of an object in its own frame, drawn.
    fn profile(
        &mut self,
        object: &Shape,
        pixels: u32,
        bounds: Bounds,
        own: &GpuPiece,
    ) -> anyhow::Result<GpuProfile> {
        let profile = Profile::new(object, Vector3::x(), pixels)?;
        let profile = GpuProfile::new(&self.engine, *profile.plane(), profile.length(), bounds, 0.0)?;
        self.engine.draw_object(&profile, std::slice::from_ref(own))??;
        Ok(profile)
    }

    /// A row of what was found on this device.
    fn row(
        &self,
        text: &'static str,
        scene: &str,
        who: &str,
        choice: &Choice<'_>,
        found: &Answers,
    ) -> TextRow {
        TextRow {
            hits: found.answers.iter().sum(),
            adapter: self.about.name.clone(),
            software: self.about.is_software(),
            hash: hash(found.answers.iter().map(|&a| a as u32)),
            ..TextRow::new(text, scene, who, choice, &found.times)
        }
    }
}

/// Of a workload's frames those that are asked on a device.
fn thinned(frames: &[usize]) -> Vec<usize> {
    frames.iter().copied().step_by(frames.len().div_ceil(FRAMES).max(1)).collect()
}

/// Asks about every frame, after one that does not count (a driver compiles, buffers grow): time (µs) by the
/// clock on the wall, from where `ask` sets it on.
fn timed(
    device: &mut Device,
    frames: &[usize],
    mut ask: impl FnMut(&mut Device, usize, &mut Instant) -> anyhow::Result<u64>,
) -> anyhow::Result<Answers> {
    let mut found = Answers { times: Vec::new(), answers: Vec::new() };
    for (index, &frame) in frames.iter().take(1).chain(frames).enumerate() {
        let mut start = Instant::now();
        let answer = ask(device, frame, &mut start)?;
        if index > 0 {
            found.times.push(start.elapsed().as_secs_f64() * 1e6);
            found.answers.push(answer);
        }
    }
    Ok(found)
}

/// The fly-through, with the exact answers beside it.
pub fn fly_through(
    (text, scene, printed): (&'static str, &str, (f64, &'static str)),
    choice: &Choice<'_>,
    [tunnel, ship]: [&TriMesh; 2],
    placements: &[[Isometry3<f64>; 2]],
    frames: &[usize],
    sizes: &[u32],
) -> anyhow::Result<Vec<TextRow>> {
    let mut rows = Vec::new();
    let Some(mut device) = Device::any(scene)? else { return Ok(rows) };
    let frames = thinned(frames);
    let object = Shape::from(ship.clone());
    let exact_tunnel = Shape::from(tunnel.clone());
    let exact = PairQuery::new(&exact_tunnel, &object, QuerySettings::default())?;
    let truth: Vec<u64> = frames
        .iter()
        .map(|&f| exact.touching(&placements[f][0], &placements[f][1]).map(u64::from))
        .collect::<Result<_, _>>()?;
    let own = device.upload(ship, 0);
    let mut world = GpuEnvironment::new();
    world.add(device.upload(tunnel, 1))?;
    for &pixels in sizes {
        for (bounds, name, redrawn) in [
            (Bounds::Box, "one side, whole", false),
            (Bounds::TwoSided, "both sides, whole", false),
            (Bounds::Box, "one side, ship redrawn", true),
        ] {
            let who = format!("map {pixels}, {name}");
            if !choice.has(&who) {
                continue;
            }
            let profile = device.profile(&object, pixels, bounds, &own)?;
            let found = timed(&mut device, &frames, |device, frame, _| {
                if redrawn {
                    device.engine.draw_object(&profile, std::slice::from_ref(&own))??;
                }
                let overlap = device.engine.overlap(&profile, &placements[frame][1], &world);
                anyhow::ensure!(overlap.fault.is_none(), "{:?}", overlap.fault);
                Ok(u64::from(overlap.area > 0.0))
            })?;
            let differs = |wanted: u64| {
                found.answers.iter().zip(&truth).filter(|(a, t)| a != t && **a == wanted).count()
            };
            let (printed_us, printed_on) = (Some(printed.0), printed.1);
            let (false_hits, missed_hits) = (Some(differs(1)), Some(differs(0)));
            let row = device.row(text, scene, &who, choice, &found);
            rows.push(TextRow { printed_us, printed_on, false_hits, missed_hits, ..row });
        }
    }
    Ok(rows)
}

/// Triangles and points that fly: `points` puts those of a frame into a list.
#[allow(clippy::too_many_arguments)]
pub fn triangles_and_points(
    (text, scene, printed): (&'static str, &str, (f64, &'static str)),
    choice: &Choice<'_>,
    (object, mesh): (&Shape, &TriMesh),
    ground: &TriMesh,
    frames: &[usize],
    at: impl Fn(usize) -> Isometry3<f64>,
    points: impl Fn(usize, &mut Vec<[f32; 3]>),
    sizes: &[u32],
) -> anyhow::Result<Vec<TextRow>> {
    let mut rows = Vec::new();
    let Some(mut device) = Device::any(scene)? else { return Ok(rows) };
    let frames = thinned(frames);
    let mut list = Vec::new();
    points(0, &mut list);
    let own = device.upload(mesh, 0);
    let buffer = device.buffer(&list);
    let mut world = GpuEnvironment::new();
    world.add(device.upload(ground, 1))?;
    world.add(GpuPiece {
        topology: Topology::Points,
        vertices: buffer.clone(),
        start: 0,
        stride: 3,
        indices: None,
        count: list.len() as u32,
        pose: Isometry3::identity(),
        body: 2,
        bounds: Aabb { min: [-20.0; 3], max: [20.0; 3] },
        closed: false,
        channels: GpuChannels::None,
    })?;
    for &pixels in sizes {
        let who = format!("map {pixels}, triangles and points");
        if !choice.has(&who) {
            continue;
        }
        let profile = device.profile(object, pixels, Bounds::TwoSided, &own)?;
        let found = timed(&mut device, &frames, |device, frame, start| {
            points(frame, &mut list);
            device.send(&buffer, &list);
            *start = Instant::now();
            let overlap = device.engine.overlap(&profile, &at(frame), &world);
            anyhow::ensure!(overlap.fault.is_none(), "{:?}", overlap.fault);
            Ok(u64::from(overlap.area > 0.0))
        })?;
        let row = device.row(text, scene, &who, choice, &found);
        rows.push(TextRow { printed_us: Some(printed.0), printed_on: printed.1, ..row });
    }
    Ok(rows)
}

/// A cloud under a mesh that moves: map, comparison and bounce.
pub fn cloud(
    (text, scene, printed): (&'static str, &str, (f64, &'static str)),
    choice: &Choice<'_>,
    mesh: &TriMesh,
    pose: impl Fn(usize) -> Isometry3<f64>,
    [from, to]: [&[[f32; 3]]; 2],
    views: &[(String, CloudView)],
    frames: &[usize],
) -> anyhow::Result<Vec<TextRow>> {
    let mut rows = Vec::new();
    let Some(mut device) = Device::any(scene)? else { return Ok(rows) };
    let frames = thinned(frames);
    let rise = vec![[0.0, 0.0, 0.6]; to.len()];
    let points = GpuPoints {
        before: device.buffer(from),
        places: device.buffer(to),
        velocities: device.buffer(&rise),
        stride: 3,
        count: to.len() as u32,
        radius: 0.0,
    };
    let mut world = GpuEnvironment::new();
    let piece = world.add(device.upload(mesh, 0))?;
    for (who, view) in views.iter().filter(|(who, _)| choice.has(who)) {
        let found = timed(&mut device, &frames, |device, frame, start| {
            // What has bounced goes back to where it was.
            device.send(&points.places, to);
            device.send(&points.velocities, &rise);
            world.change(piece, |piece| piece.pose = pose(frame))?;
            *start = Instant::now();
            let answer = device.engine.cloud(view, &world, &points, &Bounce::default())?;
            anyhow::ensure!(answer.fault.is_none(), "{:?}", answer.fault);
            Ok(answer.turned.into())
        })?;
        let row = device.row(text, scene, who, choice, &found);
        rows.push(TextRow { printed_us: Some(printed.0), printed_on: printed.1, ..row });
    }
    Ok(rows)
}
