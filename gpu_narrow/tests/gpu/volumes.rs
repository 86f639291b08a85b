//! Common volumes by views that the device lays itself, against the CPU's by finer views.

use impinge_geometry::Side;
use impinge_gpu_narrow::image::layout::OVER_INTERVALS;
use impinge_gpu_narrow::{Capacities, Engine, VolumeAnswer};
use impinge_image_space::reference_view::LatticeView;
use impinge_midphase::PairJob;
use impinge_pair::{IntersectionVolume, NarrowScratch, NarrowSettings, intersection_volume};

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::scenes::{Jobs, PairScene, block, scenes};
use crate::views::check_sums;
use crate::{engine, engine_with};

/// The jobs of a scene with what the device says of each.
fn run<'j, 's>(engine: &mut Engine, jobs: &'j Jobs<'s>) -> Vec<(&'j PairJob<'s>, Option<VolumeAnswer>)> {
    engine.begin();
    let mut asked = Vec::new();
    for (job, leaf_pairs) in jobs.surfaces() {
        let stream = engine.push(job, leaf_pairs).unwrap();
        let ticket = stream.and_then(|stream| engine.push_volume(job, &stream, 32).ok().flatten());
        asked.push((job, ticket));
    }
    engine.finish().unwrap();
    asked.into_iter().map(|(job, ticket)| (job, ticket.and_then(|t| engine.volume(&t)))).collect()
}

/// What was found of a scene: at most and on the average.
#[derive(Default)]
struct Seen {
    touching: usize,
    answered: usize,
    /// Parts of the volume, degrees, parts of the size.
    volume: [f64; 2],
    angle: f64,
    centroid: f64,
}

fn check(engine: &mut Engine, scene: &PairScene) -> Seen {
    let jobs = scene.jobs();
    let fine = NarrowSettings { resolution: 128, ..NarrowSettings::default() };
    let (mut seen, mut scratch) = (Seen::default(), NarrowScratch::default());
    for (job, found) in run(engine, &jobs) {
        let truth = intersection_volume(job, &jobs.batch, &fine, &mut scratch).expect("both are closed");
        seen.touching += usize::from(truth.volume > 0.0);
        let Some(found) = found else { continue };
        seen.answered += 1;
        let IntersectionVolume { volume, gradient, centroid, thickness, .. } = truth;
        let off = (found.volume / volume - 1.0).abs();
        let own_gradient = job.frame.rotation[Side::A.index()] * found.gradient;
        let own_centroid = job.frame.place_f64(Side::A, &found.centroid);
        seen.volume = [seen.volume[0].max(off), seen.volume[1] + off];
        seen.angle = seen.angle.max(own_gradient.angle(&gradient).to_degrees());
        seen.centroid = seen.centroid.max((own_centroid - centroid).norm() / volume.cbrt());
        assert!((own_gradient.norm() / gradient.norm() - 1.0).abs() < 0.01, "{}", scene.name);
        // A tip between the lines makes it shorter, never much longer.
        assert!(found.thickness < 1.02 * thickness, "{}: {found:?} {truth:?}", scene.name);
    }
    seen.volume[1] /= seen.answered.max(1) as f64;
    seen
}

#[test]
fn common_volumes_are_those_of_the_cpu() {
    let Some(mut engine) = engine("common volumes") else { return };
    for scene in scenes() {
        let Seen { touching, answered, volume, angle, centroid } = check(&mut engine, &scene);
        println!(
            "{}: {touching} overlap, {answered} answered; volume off by {:.2} % at most, {:.2} % on the average, \
             gradient by {angle:.3} degrees, centroid by {:.2} % of the size",
            scene.name,
            100.0 * volume[0],
            100.0 * volume[1],
            100.0 * centroid
        );
        // What lies on itself, 800 m from end to end or within the other but for an end of it is the CPU's.
        let hard = ["torus-on-itself", "boxes-on-a-lattice", "large-small", "within", "partly-within"];
        let hard = hard.contains(&scene.name);
        assert!(hard || 4 * answered >= 3 * touching, "{}: {answered} of {touching}", scene.name);
        assert!(volume[0] < 0.02 && volume[1] < 0.005, "{}: {volume:?}", scene.name);
        assert!(angle < 1.0 && centroid < 0.03, "{}: {angle} {centroid}", scene.name);
    }
}

#[test]
fn views_that_the_device_lays_show_what_the_cpu_sees_in_them_to_the_last_bit() {
    let Some(mut engine) = engine("views laid on the device") else { return };
    let (mut views, mut intervals) = (0, 0);
    for scene in scenes() {
        let jobs = scene.jobs();
        engine.begin();
        let mut asked = Vec::new();
        for (job, leaf_pairs) in jobs.surfaces() {
            let hits = engine.push(job, leaf_pairs).unwrap();
            asked.push((job, hits.and_then(|hits| engine.push_volume(job, &hits, 32).ok().flatten())));
        }
        engine.finish().unwrap();
        for (job, ticket) in asked {
            let Some(laid) = ticket.as_ref().and_then(|ticket| engine.volume_view(ticket)) else { continue };
            let [Some(a), Some(b)] = job.parts.map(|part| part.surface.as_ref()) else { continue };
            let view = LatticeView::new(laid.maps, [a, b], laid.side, Some(laid.far));
            let name = format!("{} pose {}", scene.name, job.pair);
            assert_eq!(laid.shown as usize, view.triangles().len(), "{name}");
            let records = engine.volume_records(&ticket.unwrap()).expect("records of a view");
            if records.iter().any(|r| r.status & !OVER_INTERVALS != 0) {
                continue;
            }
            let image = view.image();
            check_sums(&records, &image, &name);
            (views, intervals) = (views + 1, intervals + image.intervals.len());
        }
    }
    println!("{views} views laid on the device, {intervals} intervals");
    assert!(views > 80 && intervals > 100 * views, "{views} {intervals}");
}

#[test]
fn the_same_input_gives_the_same_bits_and_a_warm_step_makes_no_buffer() {
    let Some(mut engine) = engine("common volumes repeat") else { return };
    let scene = &scenes()[0];
    let jobs = scene.jobs();
    let answers = |engine: &mut Engine| run(engine, &jobs).into_iter().map(|(_, a)| a).collect::<Vec<_>>();
    let first = answers(&mut engine);
    for _ in 0..2 {
        assert_eq!(answers(&mut engine), first);
        let counts = engine.counts();
        assert_eq!((counts.submissions, counts.waits), (1, 1));
    }
    assert_eq!(engine.counts().buffers_created, 0);
}

#[test]
fn what_is_thinner_than_coordinates_are_certain_is_the_cpus() {
    let Some(mut engine) = engine("thin common volumes") else { return };
    for (depth, answered) in [(1e-2, true), (1e-3, true), (1e-5, false), (1e-6, false)] {
        let turn = UnitQuaternion::from_euler_angles(0.02, -0.03, 0.4);
        // The lowest corner of the upper block lies so deep in the lower one.
        let half = Vector3::new(0.3, 0.2, 0.1);
        let down = turn.to_rotation_matrix().matrix().row(2).abs().transpose().dot(&half);
        let above = Isometry3::from_parts(Translation3::new(0.1, 0.2, 0.5 + down - depth), turn);
        let blocks = [block([0.5; 3]), block([0.3, 0.2, 0.1])];
        let scene = PairScene::new("blocks", blocks, [[Isometry3::identity(), above]]);
        let seen = check(&mut engine, &scene);
        assert_eq!((seen.touching, seen.answered), (1, usize::from(answered)), "{depth}");
        assert!(seen.volume[0] < 0.02, "{depth}: {:?}", seen.volume);
    }
}

#[test]
fn what_has_no_room_is_refused() {
    let few = Capacities { tiles: 3, ..Capacities::default() };
    let Some(mut engine) = engine_with("common volumes without room", |s| s.capacities = few) else { return };
    let scene = &scenes()[0];
    let jobs = scene.jobs();
    assert!(run(&mut engine, &jobs).iter().all(|(_, found)| found.is_none()));
    let few = Capacities { buffer_bytes: 1 << 17, ..Capacities::default() };
    let Some(mut engine) = engine_with("common volumes without memory", |s| s.capacities = few) else {
        return;
    };
    engine.begin();
    let (job, leaf_pairs) = jobs.surfaces().next().unwrap();
    let stream = engine.push(job, leaf_pairs).unwrap().unwrap();
    // Rows of two tori take more than is allowed.
    assert!(engine.push_volume(job, &stream, 32).is_err());
}
