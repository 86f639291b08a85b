//! The exact stream's filter against the CPU's stream.

use impinge_exact::intersect::{IntersectScratch, Intersections, Surfaces, intersect_surfaces};
use impinge_geometry::Side;
use impinge_geometry::predicate::triangles_touch;
use impinge_gpu_narrow::{Engine, IntersectAnswer, IntersectTicket, MOST_SUBMISSIONS};
use impinge_midphase::PairJob;
use nalgebra::{Point3, Vector3};

use crate::engine;
use crate::scenes::{Jobs, PairScene, scenes};

/// Runs the stream of every job.
fn run<'j, 's>(
    engine: &mut Engine,
    jobs: &'j Jobs<'s>,
) -> Vec<(&'j PairJob<'s>, &'j [[u32; 2]], IntersectTicket)> {
    engine.begin();
    let tickets: Vec<_> = jobs
        .surfaces()
        .filter_map(|(job, pairs)| {
            engine.push(job, pairs).expect("no capacity is exceeded").map(|t| (job, pairs, t))
        })
        .collect();
    engine.finish().expect("the device answers");
    tickets
}

fn cpu(input: &Surfaces<'_>, leaf_pairs: &[[u32; 2]]) -> Intersections {
    let mut out = Intersections::default();
    intersect_surfaces(input, leaf_pairs, &mut IntersectScratch::default(), &mut out);
    out
}

/// The exact answer of every triangle pair of a leaf pair, a bit each.
fn touching(input: &Surfaces<'_>, leaves: [u32; 2]) -> u16 {
    let corners = |side: Side, triangle: u32| -> [Point3<f64>; 3] {
        input.meshes[side.index()].corners(triangle).map(|p| input.frame.place(side, &p))
    };
    let mut bits = 0;
    for (i, &a) in input.trees[0].leaf_triangles(leaves[0]).iter().enumerate() {
        for (j, &b) in input.trees[1].leaf_triangles(leaves[1]).iter().enumerate() {
            if triangles_touch(&corners(Side::A, a), &corners(Side::B, b)) {
                bits |= 1 << (4 * i + j);
            }
        }
    }
    bits
}

/// What all poses of a scene add up to.
#[derive(Default)]
struct Seen {
    touching: u64,
    triangle_pairs: u64,
    uncertain: u64,
    tests: u64,
    contours: u64,
}

fn check_scene(engine: &mut Engine, scene: &PairScene, seen: &mut Seen) {
    let jobs = scene.jobs();
    let tickets = run(engine, &jobs);
    assert!(!tickets.is_empty(), "{}: no pose comes near", scene.name);
    for (job, leaf_pairs, ticket) in &tickets {
        let input = Surfaces::of_job(job).unwrap();
        let name = format!("{} pose {}", scene.name, job.pair);
        let mut survivors = Vec::new();
        let mut bits = vec![0u16; leaf_pairs.len()];
        engine.survivors(ticket, |index, mask| {
            survivors.push(leaf_pairs[index]);
            bits[index] = mask;
        });
        for (&leaves, &mask) in leaf_pairs.iter().zip(&bits) {
            let exact = touching(&input, leaves);
            assert_eq!(exact & !mask, 0, "{name}: leaves {leaves:?}: a touch was called a miss");
        }
        let answer = engine.answer(ticket).unwrap();
        let (all, few) = (cpu(&input, leaf_pairs), cpu(&input, &survivors));
        assert_same(&all, &few, &name);
        let kept: u64 = bits.iter().map(|mask| u64::from(mask.count_ones())).sum();
        assert_eq!(kept, answer.hits + answer.uncertain, "{name}");
        assert_eq!(answer.tests, all.counts.triangle_tests, "{name}");
        assert!(answer.hits <= all.triangle_pairs, "{name}: a miss was called a hit");
        assert!(all.triangle_pairs <= answer.hits + answer.uncertain, "{name}");
        // Where all that touches was certain, the sums hold every segment.
        let whole = answer.hits == all.triangle_pairs && all.segments.len() as u64 == answer.hits;
        if whole && answer.hits > 0 {
            check_contour(job, &answer, &all, &name);
            seen.contours += 1;
        }
        seen.touching += u64::from(all.touching);
        seen.triangle_pairs += all.triangle_pairs;
        seen.uncertain += answer.uncertain;
        seen.tests += answer.tests;
    }
}

fn assert_same(all: &Intersections, few: &Intersections, name: &str) {
    assert_eq!(all.touching, few.touching, "{name}");
    assert_eq!(all.triangle_pairs, few.triangle_pairs, "{name}");
    assert_eq!(all.segments, few.segments, "{name}");
    assert_eq!(all.degenerate, few.degenerate, "{name}");
}

/// The contours' area vector, gap and box against the sums over the CPU's segments.
fn check_contour(job: &PairJob<'_>, answer: &IntersectAnswer, all: &Intersections, name: &str) {
    let local = |p: &Point3<f64>| job.frame.to_local(Side::A, p).coords;
    let (mut area, mut drift) = (Vector3::zeros(), Vector3::zeros());
    let (mut size, mut length) = (0.0f64, 0.0);
    let center =
        all.segments.iter().map(|s| local(&s.points[0])).sum::<Vector3<f64>>() / all.segments.len() as f64;
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for s in &all.segments {
        let (p, q) = (local(&s.points[0]), local(&s.points[1]));
        area += (p - center).cross(&(q - center)) * 0.5;
        drift += q - p;
        length += (q - p).norm();
        size = size.max((p - center).norm());
        (low, high) = (low.inf(&p).inf(&q), high.sup(&p).sup(&q));
    }
    // What the coordinates of points in f32 allow: their error, times how far and how long they run.
    let reach = job.parts.iter().map(|part| f64::from(part.sphere.radius)).fold(0.0, f64::max);
    let error = 3e-5 * reach;
    let count = all.segments.len() as f64;
    let room = error * (length + count * size);
    assert!((answer.drift - drift).norm() <= 2.0 * error * count, "{name}: {answer:?}, {drift}");
    assert!((answer.area - area).norm() <= room, "{name}: {} {area}, room {room}", answer.area);
    for (found, exact) in [(answer.bounds[0], low), (answer.bounds[1], high)] {
        assert!((found - exact).amax() <= error, "{name}: {found} {exact}");
    }
}

#[test]
fn no_touch_is_called_a_miss_and_no_miss_a_hit() {
    let Some(mut engine) = engine("stream parity") else { return };
    for scene in scenes() {
        let mut seen = Seen::default();
        check_scene(&mut engine, &scene, &mut seen);
        let share = seen.uncertain as f64 / seen.tests as f64;
        println!(
            "{}: {} touch, {} triangle pairs, {} of {} tests uncertain ({share:.2e}), {} contours",
            scene.name, seen.touching, seen.triangle_pairs, seen.uncertain, seen.tests, seen.contours
        );
        assert!(seen.touching > 0, "{}: nothing touches", scene.name);
        let degenerate = ["torus-on-itself", "boxes-on-a-lattice", "large-small"].contains(&scene.name);
        assert!(degenerate || share < 0.02, "{}: too little is certain", scene.name);
        assert!(degenerate || seen.contours > 0, "{}: no contour was compared", scene.name);
    }
}

#[test]
fn the_same_input_gives_the_same_bits_and_a_warm_step_makes_no_buffer() {
    let Some(mut engine) = engine("stream repeats") else { return };
    let scenes = scenes();
    let mut first: Vec<(IntersectAnswer, Vec<(usize, u16)>)> = Vec::new();
    for round in 0..3 {
        for (index, scene) in scenes.iter().enumerate().take(2) {
            let jobs = scene.jobs();
            let mut found = Vec::new();
            for (_, _, ticket) in run(&mut engine, &jobs) {
                let mut masks = Vec::new();
                engine.survivors(&ticket, |index, mask| masks.push((index, mask)));
                found.push((engine.answer(&ticket).unwrap(), masks));
            }
            let counts = *engine.counts();
            assert_eq!((counts.submissions, counts.waits), (1, 1));
            if index == 1 {
                continue;
            }
            match round {
                0 => first = found,
                _ => {
                    assert_eq!(first, found);
                    assert_eq!(counts.buffers_created, 0, "round {round}");
                }
            }
        }
    }
}

#[test]
fn a_step_in_parts_is_the_step_in_one() {
    let Some(mut engine) = engine("stream in parts") else { return };
    let scene = &scenes()[0];
    let jobs = scene.jobs();
    let whole: Vec<IntersectAnswer> =
        run(&mut engine, &jobs).iter().map(|(_, _, t)| engine.answer(t).unwrap()).collect();
    engine.begin();
    let mut tickets = Vec::new();
    for (job, pairs) in jobs.surfaces() {
        tickets.extend(engine.push(job, pairs).unwrap());
        engine.flush().unwrap();
    }
    engine.finish().unwrap();
    let parts: Vec<IntersectAnswer> = tickets.iter().map(|t| engine.answer(t).unwrap()).collect();
    assert_eq!(whole, parts);
    let submissions = tickets.len().min(MOST_SUBMISSIONS as usize) as u64;
    assert!(submissions > 1);
    assert_eq!(engine.counts().submissions, submissions);
    assert!(engine.counts().waits <= submissions, "{}", engine.counts().waits);
    // A ticket is good for its own step alone.
    engine.begin();
    assert_eq!(engine.answer(&tickets[0]), None);
}

#[test]
fn parts_are_answered_one_by_one_before_the_step_ends() {
    let Some(mut engine) = engine("answers part by part") else { return };
    let scene = &scenes()[0];
    let jobs = scene.jobs();
    let whole = run(&mut engine, &jobs);
    let whole: Vec<IntersectAnswer> = whole.iter().map(|(_, _, t)| engine.answer(t).unwrap()).collect();
    for _ in 0..2 {
        engine.begin();
        assert!(engine.poll().unwrap().is_none() && engine.wait().unwrap().is_none());
        let (mut tickets, mut parts) = (Vec::new(), Vec::new());
        for (job, pairs) in jobs.surfaces().take(MOST_SUBMISSIONS as usize - 1) {
            let ticket = engine.push(job, pairs).unwrap();
            // Of nothing new there is no part.
            assert_eq!(engine.flush().unwrap(), ticket.is_some());
            assert!(!engine.flush().unwrap());
            tickets.extend(ticket);
            parts.extend(engine.poll().unwrap());
        }
        while let Some(part) = engine.wait().unwrap() {
            parts.push(part);
        }
        assert_eq!(parts.len(), tickets.len());
        assert!(parts.len() > 1);
        let waits = engine.counts().waits;
        for (k, (part, ticket)) in parts.iter().zip(&tickets).enumerate() {
            assert_eq!(part.answer(ticket), Some(whole[k]));
            // It is in its own part alone.
            let elsewhere = parts.iter().enumerate().filter(|(other, _)| *other != k);
            assert!(elsewhere.map(|(_, other)| other.answer(ticket)).all(|answer| answer.is_none()));
        }
        // Nothing is left to wait for.
        engine.finish().unwrap();
        assert_eq!(engine.counts().waits, waits);
        assert_eq!(engine.answer(&tickets[0]), Some(whole[0]));
    }
}
