//! Meshes against solids without triangles: the device's lines through both, and the contacts that the CPU makes of them.

use impinge_geometry::{Primitive, Shape, Side, TriMesh};
use impinge_gpu_narrow::{Capacities, Engine};
use impinge_image_space::View;
use impinge_midphase::{PairJob, PreparedShape};
use impinge_pair::{
    NarrowMemory, NarrowScratch, NarrowSettings, PairResult, Patch, Redo, SampledView, ViewIntervals, run,
    run_in_views, solid_views, touches,
};
use impinge_scenes::mesh::{Blob, Bowl, Gear, Hook, Torus};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Translation3};

use crate::engine_with;
use crate::scenes::{Jobs, PairScene, block};

fn primitives() -> [(&'static str, Primitive); 5] {
    [
        ("half-space", Primitive::HalfSpace),
        ("sphere", Primitive::Sphere { radius: 0.4 }),
        ("large sphere", Primitive::Sphere { radius: 20.0 }),
        ("capsule", Primitive::Capsule { half_height: 0.3, radius: 0.2 }),
        ("cylinder", Primitive::Cylinder { half_height: 0.3, radius: 0.25 }),
    ]
}

fn meshes() -> [TriMesh; 6] {
    [
        Torus::default().mesh().unwrap(),
        Gear::default().mesh().unwrap(),
        Hook::default().mesh().unwrap(),
        Blob::default().mesh().unwrap(),
        Bowl::default().mesh().unwrap(),
        block([0.5, 0.4, 0.3]),
    ]
}

/// A mesh and a smaller one like it round the same origin, as one: its shells overlap.
fn doubled(mesh: &TriMesh) -> TriMesh {
    let count = mesh.vertices().len() as u32;
    let vertices = mesh.vertices().iter().copied().chain(mesh.vertices().iter().map(|p| p * 0.9));
    let triangles =
        mesh.triangles().iter().copied().chain(mesh.triangles().iter().map(|t| t.map(|v| v + count)));
    TriMesh::new(vertices.collect(), triangles.collect()).unwrap()
}

/// Random pairs of a mesh and a primitive, on either side, each pushed `depth` of a tenth into the other from where it begins to
/// touch.
pub fn shallow(primitive: Primitive, count: usize, depth: f64, seed: u64) -> Vec<PairScene> {
    let mut random = Random::new(seed);
    let mut list = Vec::new();
    for mesh in meshes() {
        // Contacts of other meshes are known without lines.
        let mesh = doubled(&mesh);
        for swapped in [false, true] {
            let (mesh, solid) = (Shape::from(mesh.clone()), Shape::from(primitive));
            let shapes = if swapped { [solid, mesh] } else { [mesh, solid] };
            let mut scene = PairScene {
                name: "solids",
                shapes: shapes.map(|s| PreparedShape::new(&s)),
                poses: Vec::new(),
            };
            for _ in 0..count {
                let turn = [random.rotation(), random.rotation()];
                // Out of a half-space there is one way.
                let out = match primitive {
                    Primitive::HalfSpace if swapped => turn[0] * nalgebra::Vector3::z(),
                    Primitive::HalfSpace => -(turn[1] * nalgebra::Vector3::z()),
                    _ => random.direction(),
                };
                let far_off = Translation3::new(100.0, -25.0, 12.5);
                let poses = |at: f64| {
                    let b = Translation3::from(far_off.vector + out * at);
                    [Isometry3::from_parts(far_off, turn[0]), Isometry3::from_parts(b, turn[1])]
                };
                let touching = |at: f64| {
                    let one = PairScene { name: "", shapes: scene.shapes.clone(), poses: vec![poses(at)] };
                    let jobs = one.jobs();
                    let mut scratch = NarrowScratch::default();
                    jobs.batch.jobs.iter().any(|job| touches(job, &jobs.batch, &mut scratch))
                };
                let (mut near, mut far) = (0.0, 25.0);
                for _ in 0..36 {
                    let middle = 0.5 * (near + far);
                    *(if touching(middle) { &mut near } else { &mut far }) = middle;
                }
                scene.poses.push(poses(near - 0.1 * depth));
            }
            list.push(scene);
        }
    }
    list
}

/// How far outside of a primitive a place of its frame is, as far as that is small.
fn outside(primitive: &Primitive, p: &Point3<f64>) -> f64 {
    let across = p.x.hypot(p.y);
    match *primitive {
        Primitive::HalfSpace => p.z,
        Primitive::Sphere { radius } => p.coords.norm() - f64::from(radius),
        Primitive::Capsule { half_height, radius } => {
            across.hypot((p.z.abs() - f64::from(half_height)).max(0.0)) - f64::from(radius)
        }
        Primitive::Cylinder { half_height, radius } => {
            (across - f64::from(radius)).max(p.z.abs() - f64::from(half_height))
        }
        Primitive::Cuboid { .. } => unreachable!("it has triangles"),
    }
}

/// The views of a job as the device has sampled them, and the job's answer by them.
fn sampled(engine: &Engine, asked: &Asked<'_, '_>, jobs: &Jobs<'_>) -> (Vec<ViewIntervals>, PairResult) {
    let views = engine.view_intervals_of(&asked.ticket, asked.job);
    let mut own = PairResult::default();
    let (mut memory, mut scratch) = (NarrowMemory::default(), NarrowScratch::default());
    let settings = NarrowSettings::default();
    run_in_views(asked.job, &jobs.batch, &settings, &mut memory, &mut scratch, views.clone(), &mut own);
    (views, own)
}

/// How deep the vertices of a mesh are in a half-space of which one patch is the nearest of a pair's (m).
fn deepest_vertex(job: &PairJob<'_>, patch: &Patch, all: &[Patch]) -> Option<f64> {
    let side = if job.parts[0].surface.is_some() { Side::A } else { Side::B };
    let mesh = job.parts[side.index()].surface.as_ref()?.mesh()?;
    let local = |p: &Point3<f64>| job.frame.to_local(side.other(), p);
    let aside = |at: &Point3<f64>, patch: &Patch| (local(&patch.centroid) - at).xy().norm();
    let heights = mesh.vertices().iter().filter_map(|v| {
        let at = local(&job.frame.place(side, v));
        all.iter().all(|other| aside(&at, patch) <= aside(&at, other)).then_some(at.z)
    });
    heights.min_by(f64::total_cmp).map(|z| -z)
}

pub struct Asked<'j, 's> {
    pub job: &'j PairJob<'s>,
    views: Vec<View>,
    pub ticket: impinge_gpu_narrow::ManifoldTicket,
}

/// Asks about all jobs, once to learn how many intervals there are, and then once more.
pub fn ask<'j, 's>(engine: &mut Engine, jobs: &'j Jobs<'s>) -> Vec<Asked<'j, 's>> {
    let (settings, mut scratch) = (NarrowSettings::default(), NarrowScratch::default());
    let mut asked = Vec::new();
    for _ in 0..2 {
        engine.begin();
        asked.clear();
        for job in &jobs.batch.jobs {
            let Some(views) = solid_views(job, &jobs.batch, &settings, &mut scratch) else { continue };
            if let Ok(ticket) = engine.push_solid(job, &views) {
                asked.push(Asked { job, views, ticket });
            }
        }
        engine.finish().unwrap();
    }
    asked
}

/// What the lines of the device's views say of the primitive is so; gives how many places on it were looked at.
fn check_lines(asked: &Asked<'_, '_>, views: &[ViewIntervals], primitive: &Primitive) -> usize {
    let side = if asked.job.parts[0].surface.is_some() { Side::B } else { Side::A };
    let mut places = 0;
    for own in views {
        let SampledView::Kept(number) = own.view else { panic!("no view was laid") };
        let view = &asked.views[number];
        // Lines are rounded to a step, and single precision to a 2^23rd of the view's depth, over what a grazing line adds.
        let slack = 4.0 * view.step + 1e-5 * view.pixel[0].max(view.pixel[1]) * 16.0;
        for interval in &own.intervals {
            let solid = &interval.solid[side.index()];
            for depth in [solid.open, solid.close] {
                if depth.unsigned_abs() < 1 << 28 {
                    let at = view.place(interval.i, interval.j, f64::from(depth));
                    let off = outside(primitive, &asked.job.frame.to_local(side, &at));
                    assert!(off.abs() < slack, "{primitive:?}: {off} of {slack}");
                    places += 1;
                }
            }
            let inside = view.place(
                interval.i,
                interval.j,
                0.5 * (f64::from(interval.begin()) + f64::from(interval.end())),
            );
            let off = outside(primitive, &asked.job.frame.to_local(side, &inside));
            assert!(off < slack, "{primitive:?}: {off} outside");
        }
    }
    places
}

/// `SOLID_PAIRS=40 cargo test -p impinge-gpu-narrow --test gpu meshes_on_solids -- --nocapture` takes 480 pairs of each.
#[test]
fn meshes_on_solids_have_the_contacts_of_the_cpu_by_meaning() {
    let Some(mut engine) = engine_with("solids", |settings| settings.contacts = true) else { return };
    let count = std::env::var("SOLID_PAIRS").ok().and_then(|count| count.parse().ok()).unwrap_or(2);
    let mut wrong = Vec::new();
    for (name, primitive) in primitives() {
        let (mut touching, mut answered, mut places, mut other) = (0, 0, 0, 0);
        let (mut depths, mut angles, mut volumes) = (Vec::new(), Vec::new(), Vec::new());
        for scene in shallow(primitive, count, 0.1, 17) {
            let jobs = scene.jobs();
            for asked in ask(&mut engine, &jobs) {
                let (views, own) = sampled(&engine, &asked, &jobs);
                places += check_lines(&asked, &views, &primitive);
                let mut cpu = PairResult::default();
                let (mut memory, mut scratch) = (NarrowMemory::default(), NarrowScratch::default());
                run(asked.job, &jobs.batch, &NarrowSettings::default(), &mut memory, &mut scratch, &mut cpu);
                assert_eq!((own.touching, own.containment), (cpu.touching, cpu.containment));
                touching += usize::from(cpu.touching);
                if own.counts.views > 0 {
                    continue;
                }
                answered += 1;
                if own.patches.len() != cpu.patches.len() {
                    println!(
                        "{name}: job {} has {} patches for {}",
                        asked.job.pair,
                        own.patches.len(),
                        cpu.patches.len()
                    );
                    other += 1;
                    continue;
                }
                let size = asked.job.parts.map(|part| f64::from(part.sphere.radius));
                let size = size[0].min(size[1]);
                for patch in &own.patches {
                    let apart = |other: &&Patch| (other.centroid - patch.centroid).norm();
                    let cpu = cpu.patches.iter().min_by(|p, q| apart(p).total_cmp(&apart(q))).unwrap();
                    // On a half-space it is known: lines of the CPU find up to 2.3 % less.
                    let deepest = deepest_vertex(asked.job, patch, &own.patches);
                    let wanted = deepest.filter(|_| name == "half-space").unwrap_or(cpu.depth);
                    depths.push((patch.depth - wanted).abs() / (0.01 * wanted + 1e-4 * size));
                    angles.push(patch.normal.angle(&cpu.normal).to_degrees());
                }
                volumes.push((own.volume.unwrap() / cpu.volume.unwrap() - 1.0).abs());
            }
        }
        [&mut depths, &mut angles, &mut volumes].into_iter().for_each(|list| list.sort_by(f64::total_cmp));
        let at = |list: &[f64], part: f64| list[((list.len() as f64 - 1.0) * part) as usize];
        println!(
            "{name}: {answered} of {touching} touching pairs answered, {other} with another number of patches, {places} places \
             on lines; 50, 90, 99 %: depth off by {:.3?} of what is allowed, normal by {:.3?} degrees, volume by {:.4?}",
            [0.5, 0.9, 0.99].map(|part| at(&depths, part)),
            [0.5, 0.9, 0.99].map(|part| at(&angles, part)),
            [0.5, 0.9, 0.99].map(|part| at(&volumes, part)),
        );
        assert!(places > 100 && touching >= 10 * count, "{name}: {touching}, {places}");
        // Of round ones the CPU takes views where the three of the device do not show one overlap, whole and along its normal.
        let least = if name == "half-space" { 9 } else { 4 };
        let as_good = 10 * answered >= least * touching
            && 100 * other <= answered
            && at(&depths, 0.99) < 1.0
            && at(&angles, 0.99) < 1.0;
        if !as_good {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_solid_that_a_device_cannot_sample_is_the_cpus_and_says_why() {
    let scene = &shallow(Primitive::HalfSpace, 2, 0.1, 5)[0];
    let jobs = scene.jobs();
    let (settings, mut scratch) = (NarrowSettings::default(), NarrowScratch::default());
    let job = &jobs.batch.jobs[0];
    let views = solid_views(job, &jobs.batch, &settings, &mut scratch).unwrap();
    assert_eq!(views.len(), 4);
    let reason = |capacities: Capacities, contacts: bool, views: &[View]| -> Option<Redo> {
        let mut engine = engine_with("solids without room", |settings| {
            (settings.capacities, settings.contacts) = (capacities, contacts);
        })?;
        engine.begin();
        engine.push_solid(job, views).err()
    };
    let usual = Capacities::default();
    if engine_with("solids without room", |_| ()).is_none() {
        return;
    }
    assert_eq!(reason(usual, true, &views), None);
    assert_eq!(reason(usual, false, &views), Some(Redo::Shape));
    assert_eq!(reason(usual, true, &[]), Some(Redo::Shape));
    assert_eq!(reason(Capacities { tiles: 0, ..usual }, true, &views), Some(Redo::Capacity));
    assert_eq!(reason(Capacities { mesh_words: 10, ..usual }, true, &views), Some(Redo::Capacity));
    // No triangle is as fine as this.
    let thin = View { step: 1e-30, ..views[0] };
    assert_eq!(reason(usual, true, &[thin]), Some(Redo::Capacity));
}
