//! Layers drawn by the rasteriser against the CPU's, and against those of the tile kernel: the same to the last bit, and so is what the
//! passes after them make of it.

use std::time::Duration;

use impinge_geometry::Primitive;
use impinge_gpu_narrow::Engine;
use impinge_gpu_narrow::image::capture::StepCapture;
use impinge_midphase::PairJob;
use impinge_pair::ViewIntervals;
use nalgebra::Isometry3;

use crate::engine_with;
use crate::manifolds::{push, said};
use crate::patch_reference::ReferencePatch;
use crate::scenes::{PairScene, block, huge_floors, scenes};
use crate::solids;
use crate::views::{check_scene, views_of, wild_views};

const DRAWN: [StepCapture; 2] = [StepCapture::Peeling, StepCapture::Unordered];

fn engine(capture: StepCapture) -> Option<Engine> {
    engine_with(&format!("capture by {}", capture.name()), |settings| {
        settings.contacts = true;
        settings.capture = capture;
        // Drawing layer by layer takes a device that is software long.
        settings.patience = Duration::from_secs(600);
    })
}

/// A device that is software peels for long: it is asked a third of what the others are.
fn share_of(capture: StepCapture, scene: PairScene) -> PairScene {
    let step = if capture == StepCapture::Peeling { 3 } else { 1 };
    PairScene { poses: scene.poses.into_iter().step_by(step).collect(), ..scene }
}

#[test]
fn layers_that_are_drawn_are_those_of_the_cpu_to_the_last_bit() {
    for (capture, least) in DRAWN.into_iter().zip([100, 300]) {
        let Some(mut engine) = engine(capture) else { return };
        let mut views = 0;
        for (number, scene) in scenes().into_iter().enumerate() {
            let scene = share_of(capture, scene);
            let jobs = scene.jobs();
            // Views of one tile, and some of four.
            let resolution = [16, 32][usize::from(number % 4 == 1)];
            let total = check_scene(&mut engine, scene.name, &views_of(&jobs, resolution));
            views += total.views;
        }
        println!("{}: {views} views", capture.name());
        assert!(views > least, "{views}");
    }
}

#[test]
fn triangles_without_room_and_wide_ones_are_drawn_as_the_cpu_scans_them() {
    for capture in DRAWN {
        let Some(mut engine) = engine(capture) else { return };
        let boxes = [block([0.5; 3]), block([0.5, 0.25, 0.25])];
        let scene = PairScene::new("boxes", boxes, [[Isometry3::identity(); 2]]);
        let jobs = scene.jobs();
        let total = check_scene(&mut engine, "wild maps", &wild_views(&jobs));
        assert!(total.views > 20 && total.crossings > 1000 && total.no_room > 5, "{total:?}");
    }
}

/// More boxes within each other than a line has room for: what the tile kernel counts beyond is counted here, too.
#[test]
fn lines_of_more_layers_than_there_is_room_for_are_counted_in_full() {
    // Forty boxes in one body: eighty crossings of the lines through the smallest.
    let boxes = (0..40).map(|k| block([0.5 + 0.01 * k as f32, 0.5, 0.5]));
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for one in boxes {
        let base = vertices.len() as u32;
        vertices.extend_from_slice(one.vertices());
        triangles.extend(one.triangles().iter().map(|t| t.map(|v| v + base)));
    }
    let nest = impinge_geometry::TriMesh::new(vertices, triangles).unwrap();
    let apart = Isometry3::translation(0.1, 0.2, 0.3);
    let scene = PairScene::new("nest", [nest, block([0.2; 3])], [[Isometry3::identity(), apart]]);
    let jobs = scene.jobs();
    for capture in [StepCapture::Tiles].into_iter().chain(DRAWN) {
        let Some(mut engine) = engine(capture) else { return };
        let total = check_scene(&mut engine, scene.name, &views_of(&jobs, 32));
        assert!(total.too_deep > 0, "{}: {total:?}", capture.name());
    }
}

/// What an engine says of one pair: of each cluster the patch or why there is none with the crossings of its view, and all intervals.
type Said = (Vec<(Result<ReferencePatch, u32>, u32)>, Vec<ViewIntervals>);

/// What an engine says of the surfaces of a scene, once it has learnt how much room they need.
fn answers(engine: &mut Engine, scene: &PairScene) -> Vec<Said> {
    let jobs = scene.jobs();
    let mut asked = Vec::new();
    for _ in 0..2 {
        engine.begin();
        asked.clear();
        let push = |(job, leaf_pairs): (_, &[[u32; 2]])| Some((job, push(engine, job, leaf_pairs)?.ok()?));
        asked.extend(jobs.surfaces().filter_map(push));
        engine.finish().unwrap();
    }
    let of_pair = |(job, ticket): &(&PairJob<'_>, _)| {
        let records = engine.patch_records(ticket).unwrap().iter();
        let patches = records.map(|r| (said(r), if r.rows[0] == [0.0; 4] { 0 } else { r.crossings }));
        (patches.collect(), engine.view_intervals_of(ticket, job))
    };
    asked.iter().map(of_pair).collect()
}

#[test]
fn contacts_are_the_same_to_the_last_bit_however_their_views_are_captured() {
    let Some(mut tiles) = engine(StepCapture::Tiles) else { return };
    for (capture, least) in DRAWN.into_iter().zip([7, 20]) {
        let Some(mut drawn) = engine(capture) else { return };
        let (mut patches, mut intervals) = (0, 0);
        for scene in scenes().into_iter().chain(huge_floors()) {
            let scene = share_of(capture, scene);
            let wanted = answers(&mut tiles, &scene);
            assert_eq!(answers(&mut drawn, &scene), wanted, "{} by {}", scene.name, capture.name());
            patches += wanted.iter().flat_map(|(p, _)| p).filter(|(p, _)| p.is_ok()).count();
            intervals += wanted.iter().flat_map(|(_, v)| v).map(|v| v.intervals.len()).sum::<usize>();
        }
        println!("{}: {patches} patches and {intervals} intervals", capture.name());
        assert!(patches > least && intervals > 50 * least, "{patches} {intervals}");
    }
}

#[test]
fn a_solid_s_layers_join_those_that_are_drawn() {
    let Some(mut tiles) = engine(StepCapture::Tiles) else { return };
    let mut drawn: Vec<Engine> = DRAWN.into_iter().filter_map(engine).collect();
    let mut views = 0;
    for primitive in [Primitive::HalfSpace, Primitive::Capsule { half_height: 0.3, radius: 0.2 }] {
        for scene in solids::shallow(primitive, 2, 0.05, 5) {
            let jobs = scene.jobs();
            let said = |engine: &mut Engine| -> Vec<_> {
                let asked = solids::ask(engine, &jobs);
                asked.iter().map(|asked| engine.view_intervals_of(&asked.ticket, asked.job)).collect()
            };
            let wanted = said(&mut tiles);
            for engine in &mut drawn {
                assert_eq!(said(engine), wanted);
            }
            views += wanted.iter().map(Vec::len).sum::<usize>();
        }
    }
    assert!(views > 20, "{views}");
}

#[test]
fn the_fastest_way_is_measured_in_the_first_steps_and_kept() {
    let Some(mut auto) = engine(StepCapture::Auto) else { return };
    let Some(mut tiles) = engine(StepCapture::Tiles) else { return };
    assert_eq!(tiles.capture_report().taken, StepCapture::Tiles);
    let scene = scenes().swap_remove(0);
    let wanted = answers(&mut tiles, &scene);
    let begun = auto.capture_report();
    if begun.taken == StepCapture::Tiles {
        println!("SKIPPED: without timestamps nothing is measured");
        return;
    }
    assert_eq!((begun.taken, begun.measured), (StepCapture::Auto, 0));
    // Two steps at a time.
    for measured in [2, 4] {
        assert_eq!(answers(&mut auto, &scene), wanted);
        assert_eq!(auto.capture_report().measured, measured);
    }
    let chosen = auto.capture_report();
    println!("{chosen:?}");
    let ways = [StepCapture::Tiles, StepCapture::Peeling, StepCapture::Unordered];
    // What drops out does so behind the fastest.
    let fastest = ways.into_iter().zip(chosen.times).min_by_key(|(_, time)| *time).unwrap();
    assert!(ways.contains(&chosen.taken));
    println!("{} has the least sum", fastest.0.name());
    assert!(chosen.times.iter().all(|time| !time.is_zero()));
    assert_eq!(answers(&mut auto, &scene), wanted);
    assert_eq!(auto.capture_report(), chosen);
}
