//! A flag that a compute shader makes, as environment: its triangles never leave the device.
//! `cargo run --release --example gpu_flag` writes pictures to `out/`; `docs/images/` has a copy of `gpu_flag.png`.
//! Takes any adapter, a software one where there is no other.

use std::error::Error;

use impinge::geometry::Aabb;
use impinge::gpu_narrow::height_map::{GpuOverlap, GpuProfile, MapEngine};
use impinge::gpu_narrow::{
    AdapterChoice, EngineSettings, GpuChannels, GpuEnvironment, GpuPiece, Topology, wgpu,
};
use impinge::height_map::{Bounds, Profile};
use impinge::prelude::*;
use impinge_scenes::mesh::Blob;

#[path = "shared/canvas.rs"]
mod canvas;

use canvas::{Canvas, Colour};

/// Cells of the flag along its length and height.
const CELLS: [u32; 2] = [96, 64];
/// Pixels along a picture's longer side.
const SIDE: u32 = 720;
const FRAMES: u32 = 24;
const PAINTED: [u32; 3] = [6, 12, 18];

/// Bodies.
const FLAG: u32 = 1;
const BALL: u32 = 2;

/// Every thread moves one corner of the cloth.
const WAVE: &str = "
@group(0) @binding(0) var<uniform> time: vec4<f32>;
@group(0) @binding(1) var<storage, read_write> places: array<f32>;

@compute @workgroup_size(8, 8, 1)
fn wave(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x > 96u || id.y > 64u {
        return;
    }
    let u = f32(id.x) / 96.0;
    let v = f32(id.y) / 64.0;
    let swing = 0.16 * u * sin(9.0 * u - 5.0 * time.x + 2.0 * v) + 0.05 * u * sin(17.0 * u + 3.0 * time.x - 5.0 * v);
    let at = 3u * (id.y * 97u + id.x);
    places[at] = 1.5 * u - 0.04 * u * cos(9.0 * u - 5.0 * time.x);
    places[at + 1u] = swing;
    places[at + 2u] = v;
}
";

/// The flag's buffers, and the shader that waves it.
struct Flag {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    time: wgpu::Buffer,
    places: wgpu::Buffer,
    corners: wgpu::Buffer,
    count: u32,
}

impl Flag {
    fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Flag {
        let [nx, ny] = CELLS;
        let buffer = |size: u32, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: size.into(),
                usage,
                mapped_at_creation: false,
            })
        };
        let at = |x: u32, y: u32| y * (nx + 1) + x;
        let cells = (0..ny).flat_map(|y| (0..nx).map(move |x| (x, y)));
        let corners: Vec<u32> = cells
            .flat_map(|(x, y)| {
                [at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]
            })
            .collect();
        let bytes: Vec<u8> = corners.iter().flat_map(|c| c.to_le_bytes()).collect();
        let corners_buffer =
            buffer(bytes.len() as u32, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST);
        queue.write_buffer(&corners_buffer, 0, &bytes);
        let places = buffer(12 * (nx + 1) * (ny + 1), wgpu::BufferUsages::STORAGE);
        let time = buffer(16, wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("wave"),
            source: wgpu::ShaderSource::Wgsl(WAVE.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("wave"),
            layout: None,
            module: &module,
            entry_point: Some("wave"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("wave"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: time.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: places.as_entire_binding() },
            ],
        });
        Flag { pipeline, group, time, places, corners: corners_buffer, count: corners.len() as u32 }
    }

    /// Has the device make the flag of a time (s).
    fn wave(&self, engine: &MapEngine, time: f32) {
        let bytes: Vec<u8> = [time, 0.0, 0.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        engine.queue().write_buffer(&self.time, 0, &bytes);
        let mut encoder = engine.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &self.group, &[]);
            pass.dispatch_workgroups((CELLS[0] + 8) / 8, (CELLS[1] + 8) / 8, 1);
        }
        engine.queue().submit([encoder.finish()]);
    }

    /// The flag as a piece of an environment; what is known of it here is the box that it waves in.
    fn piece(&self) -> GpuPiece {
        GpuPiece {
            topology: Topology::Triangles,
            vertices: self.places.clone(),
            start: 0,
            stride: 3,
            indices: Some(self.corners.clone()),
            count: self.count,
            pose: Isometry3::identity(),
            body: FLAG,
            bounds: Aabb { min: [-0.1, -0.25, 0.0], max: [1.6, 0.25, 1.0] },
            closed: false,
            channels: GpuChannels::None,
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let settings = EngineSettings { adapter: AdapterChoice::Any, ..EngineSettings::default() };
    let mut engine = match MapEngine::new(settings) {
        Ok(engine) => engine,
        Err(error) => {
            println!("no picture: this example needs a GPU or a software adapter ({error})");
            return Ok(());
        }
    };
    println!("on {}", engine.adapter());
    let flag = Flag::new(engine.device(), engine.queue());
    let mesh = Blob { radius: 0.16, bump: 0.05, ..Blob::default() }.mesh()?;
    let ball = Shape::from(mesh.clone());
    let own = Profile::new(&ball, Vector3::y(), 256)?;
    let profile = GpuProfile::new(&engine, *own.plane(), own.length(), Bounds::TwoSided, 0.0)?;
    let at_rest = GpuPiece::upload(engine.device(), engine.queue(), &mesh, Isometry3::identity(), BALL);
    engine.draw_object(&profile, std::slice::from_ref(&at_rest))??;

    let mut only_flag = GpuEnvironment::new();
    only_flag.add(flag.piece())?;
    let mut all = only_flag.clone();
    let number = all.add(at_rest)?;
    let camera = Camera::new(&mut engine)?;
    let mut pictures = Vec::new();
    for frame in 0..FRAMES {
        let t = f64::from(frame) / f64::from(FRAMES);
        flag.wave(&engine, 2.4 * t as f32);
        let turn = UnitQuaternion::from_euler_angles(0.0, 2.0 * t, 1.0);
        let pose =
            Isometry3::from_parts(Translation3::new(0.2 + 1.1 * t, 0.55 - 1.1 * t, 0.45 + 0.1 * t), turn);
        let found = engine.overlap(&profile, &pose, &only_flag);
        if let Some(fault) = &found.fault {
            println!("frame {frame}: not evaluated ({fault})");
            continue;
        }
        println!(
            "frame {frame:2}: {} of the flag's pixels in the ball, {:.1} mm deep at most",
            found.hits.len(),
            1e3 * found.deepest
        );
        if PAINTED.contains(&frame) {
            all.change(number, |piece| piece.pose = pose)?;
            let picture = camera.paint(&mut engine, &all, &found, &profile, &pose);
            picture.save(&format!("gpu_flag-{frame:02}.png"))?;
            pictures.push(picture.shrunk(2));
        }
    }
    let pictures: Vec<&Canvas> = pictures.iter().collect();
    if !pictures.is_empty() {
        Canvas::beside(&pictures).save("gpu_flag.png")?;
    }
    Ok(())
}

/// A view of the whole scene: a box around it as an object, whose overlap is all that is seen.
struct Camera {
    profile: GpuProfile,
    pose: Isometry3<f64>,
}

impl Camera {
    fn new(engine: &mut MapEngine) -> Result<Camera, Box<dyn Error>> {
        let frame = Shape::cuboid([0.95, 1.6, 0.72])?;
        let view = Profile::new(&frame, Vector3::y(), SIDE)?;
        let profile = GpuProfile::new(engine, *view.plane(), view.length(), Bounds::Box, 0.0)?;
        let Shape::Mesh(mesh) = Shape::from(boxed()?) else { return Err("the frame is a mesh".into()) };
        let piece = GpuPiece::upload(engine.device(), engine.queue(), &mesh, Isometry3::identity(), 0);
        engine.draw_object(&profile, &[piece])??;
        let turn = UnitQuaternion::from_euler_angles(-0.25, 0.0, 0.45);
        Ok(Camera { profile, pose: Isometry3::from_parts(Translation3::new(0.75, 0.0, 0.5), turn) })
    }

    fn paint(
        &self,
        engine: &mut MapEngine,
        world: &GpuEnvironment,
        found: &GpuOverlap,
        ball: &GpuProfile,
        ball_pose: &Isometry3<f64>,
    ) -> Canvas {
        let plane = self.profile.plane();
        let [width, height] = plane.pixels();
        engine.set_records(width * height);
        let seen = engine.overlap(&self.profile, &self.pose, world);
        let mut canvas = Canvas::new(width as usize, height as usize, [0.93, 0.95, 0.98]);
        let light = Vector3::new(-0.4f32, -0.7, 0.6).normalize();
        for hit in &seen.hits {
            let lit = hit.normal.map_or(1.0, |n| 0.35 + 0.65 * n.dot(&light).abs());
            let [x, y] = hit.pixel;
            let colour: Colour = if hit.body == BALL { [0.85, 0.62, 0.2] } else { [0.25, 0.42, 0.75] };
            canvas.pixels[(y * width + x) as usize] = colour.map(|c| c * lit);
        }
        // Where the flag is in the ball.
        let eye = self.pose.inverse();
        for hit in &found.hits {
            let [x, y] = hit.pixel;
            let p = eye * (ball_pose * ball.plane().place(x, y, hit.at));
            let [column, row, _] = plane.locate(&p);
            if column >= 0.0 && row >= 0.0 && column < f64::from(width) && row < f64::from(height) {
                canvas.pixels[row as usize * width as usize + column as usize] = [0.9, 0.1, 0.1];
            }
        }
        canvas
    }
}

/// A box of the camera's size as a mesh.
fn boxed() -> Result<TriMesh, Box<dyn Error>> {
    let half = [0.95f32, 1.6, 0.72];
    let vertices =
        (0..8u32).map(|c| Point3::from([0, 1, 2].map(|k| if c >> k & 1 == 0 { -half[k] } else { half[k] })));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Ok(TriMesh::new(vertices.collect(), triangles)?)
}
