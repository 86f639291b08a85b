//! Contacts that the device samples, against the CPU's own.

use impinge_gpu_narrow::manifold::layout::{ContactPair, OVER_ROWS, PatchRecord};
use impinge_gpu_narrow::{Capacities, Engine, ManifoldTicket, ViewWish};
use impinge_image_space::reference_view::LatticeView;
use impinge_midphase::PairJob;
use impinge_pair::{
    NarrowMemory, NarrowScratch, NarrowSettings, PairResult, Patch, Redo, RedoCounts, SampledPatch,
    SampledView, ViewIntervals, run, run_in_views, run_sampled, view_axes,
};
use nalgebra::{Isometry3, UnitQuaternion};

use crate::engine_with;
use crate::patch_reference::{ReferencePatch, patch};
use crate::scenes::{Jobs, PairScene, huge_floors, scenes, shallow, wide_ground};

/// An engine that makes contacts.
fn engine(test: &str) -> Option<Engine> {
    engine_with(test, |settings| settings.contacts = true)
}

/// What is asked of the device for a job, without a view of the last step.
pub fn push(
    engine: &mut Engine,
    job: &PairJob<'_>,
    leaf_pairs: &[[u32; 2]],
) -> Option<Result<ManifoldTicket, Redo>> {
    let hits = engine.push(job, leaf_pairs).unwrap()?;
    let wish = ViewWish { side: 16, axes: view_axes(job), kept: Vec::new(), listed: true };
    Some(engine.push_manifold(job, &hits, &wish))
}

/// How the device's answers of some pairs differ from the CPU's.
#[derive(Debug, Default)]
struct Compared {
    touching: usize,
    answered: usize,
    /// How many were answered in the views of the device, of those that its patches did not do for.
    in_views: usize,
    redone: RedoCounts,
    other_count: usize,
    /// Parts of what a depth may be off by (1 % and 1e-4 of the size), degrees, parts of the volume.
    depths: Vec<f64>,
    angles: Vec<f64>,
    volumes: Vec<f64>,
}

impl Compared {
    fn add(
        &mut self,
        jobs: &Jobs<'_>,
        job: &PairJob<'_>,
        (sampled, views): (Result<Vec<SampledPatch>, Redo>, Vec<ViewIntervals>),
    ) {
        let settings = NarrowSettings::default();
        let mut scratch = NarrowScratch::default();
        let (mut cpu, mut own) = (PairResult::default(), PairResult::default());
        run(job, &jobs.batch, &settings, &mut NarrowMemory::default(), &mut scratch, &mut cpu);
        self.touching += usize::from(cpu.touching);
        let done = sampled.and_then(|sampled| {
            run_sampled(job, &settings, &mut NarrowMemory::default(), &mut scratch, &sampled, &mut own)
        });
        if let Err(reason) = done {
            let memory = &mut NarrowMemory::default();
            let (given, batch) = (!views.is_empty(), &jobs.batch);
            run_in_views(job, batch, &settings, memory, &mut scratch, views, &mut own);
            assert_eq!(own.touching, cpu.touching, "touching is exact");
            if !cpu.touching {
                return;
            }
            if !given || own.counts.views > 0 {
                self.redone.count(reason);
                return;
            }
            self.in_views += 1;
        }
        assert!(cpu.touching, "what certainly crosses touches");
        assert_eq!(own.counts.views, 0, "no view is taken on the CPU");
        self.answered += 1;
        if own.patches.len() != cpu.patches.len() {
            self.other_count += 1;
            return;
        }
        let size = f64::from(job.parts[0].sphere.radius.min(job.parts[1].sphere.radius));
        for (own, cpu) in own.patches.iter().zip(matched(&own.patches, &cpu.patches)) {
            self.depths.push((own.depth - cpu.depth).abs() / (0.01 * cpu.depth + 1e-4 * size));
            self.angles.push(own.normal.angle(&cpu.normal).to_degrees());
        }
        self.volumes.push((own.volume.unwrap() / cpu.volume.unwrap() - 1.0).abs());
    }

    fn compare(&mut self, engine: &mut Engine, scene: &PairScene) {
        let jobs = scene.jobs();
        engine.begin();
        let mut asked = Vec::new();
        for (job, leaf_pairs) in jobs.surfaces() {
            if let Some(ticket) = push(engine, job, leaf_pairs) {
                asked.push((job, ticket));
            }
        }
        engine.finish().unwrap();
        for (job, ticket) in asked {
            let views = ticket.map_or_else(|_| Vec::new(), |ticket| engine.view_intervals_of(&ticket, job));
            let sampled = ticket.and_then(|ticket| engine.manifold(&ticket, job));
            self.add(&jobs, job, (sampled, views));
        }
    }

    /// Prints how many were answered and how well.
    fn print(&mut self, name: &str) {
        [&mut self.depths, &mut self.angles, &mut self.volumes]
            .into_iter()
            .for_each(|list| list.sort_by(f64::total_cmp));
        let redone: Vec<String> = self.redone.iter().map(|(r, n)| format!("{} {n}", r.name())).collect();
        println!(
            "{name}: {} of {} touching pairs answered, {} of them in their views, {} with another number of patches; 50, 90, 99 %: depth off by \
             {:.3?} of what is allowed, normal by {:.3?} degrees, volume by {:.4?}; redone: {}",
            self.answered,
            self.touching,
            self.in_views,
            self.other_count,
            [0.5, 0.9, 0.99].map(|part| at(&self.depths, part)),
            [0.5, 0.9, 0.99].map(|part| at(&self.angles, part)),
            [0.5, 0.9, 0.99].map(|part| at(&self.volumes, part)),
            redone.join(", ")
        );
    }
}

/// What is at a part of a sorted list; 0 of none.
fn at(list: &[f64], part: f64) -> f64 {
    list.get(((list.len() as f64 - 1.0) * part) as usize).copied().unwrap_or(0.0)
}

/// For each patch the other side's that is nearest.
fn matched<'p>(own: &'p [Patch], cpu: &'p [Patch]) -> impl Iterator<Item = &'p Patch> {
    own.iter().map(|patch| {
        let apart = |other: &&Patch| (other.centroid - patch.centroid).norm();
        cpu.iter().min_by(|p, q| apart(p).total_cmp(&apart(q))).expect("as many patches")
    })
}

#[test]
fn manifolds_are_those_of_the_cpu_by_meaning() {
    let Some(mut engine) = engine("manifolds") else { return };
    let mut depths = Vec::new();
    for scene in scenes() {
        let mut compared = Compared::default();
        compared.compare(&mut engine, &scene);
        compared.print(scene.name);
        assert_eq!(compared.other_count, 0, "{}", scene.name);
        // Of several overlaps deep in each other zooms and lines find other places now and then.
        depths.extend(compared.depths);
    }
    let beyond = depths.iter().filter(|off| **off >= 1.0).count();
    // Those of one pair of gears, deep in each other in three places.
    assert!(beyond <= 3 && depths.iter().all(|off| *off < 3.0), "{beyond} of {}: {depths:?}", depths.len());
}

/// `MANIFOLD_PAIRS=180 cargo test -p impinge-gpu-narrow --test gpu shallow -- --nocapture` takes 10,000 pairs.
#[test]
fn shallow_contacts_are_those_of_the_cpu_by_meaning_and_nearly_all_are_answered() {
    let Some(mut engine) = engine("shallow manifolds") else { return };
    let count = std::env::var("MANIFOLD_PAIRS").ok().and_then(|count| count.parse().ok()).unwrap_or(4);
    for depth in [0.003, 0.02] {
        let mut all = Compared::default();
        for scene in shallow(count, depth, 7) {
            all.compare(&mut engine, &scene);
        }
        all.print(&format!("pushed {depth} of a radius"));
        assert!(100 * all.answered >= 90 * all.touching, "{} of {}", all.answered, all.touching);
        assert!(100 * all.other_count <= all.answered, "{}", all.other_count);
        assert!(at(&all.depths, 0.99) < 1.0 && at(&all.angles, 0.99) < 1.0);
        assert!(at(&all.volumes, 0.5) < 0.005 && at(&all.volumes, 0.99) < 0.06);
    }
}

/// What a record says, as the reference has it.
pub fn said(record: &PatchRecord) -> Result<ReferencePatch, u32> {
    if record.status != 0 {
        return Err(record.status);
    }
    let long = |[low, high]: [u32; 2]| i64::from(low) | i64::from(high) << 32;
    let [low, middle, high] = record.moment_z;
    let deep = i128::from(u64::from(low) | u64::from(middle) << 32) + (i128::from(high as i32) << 64);
    let candidates = record.candidate[..record.candidates as usize].iter();
    Ok(ReferencePatch {
        overlaps: record.overlaps,
        longest: record.longest.into(),
        length: long(record.length),
        moment: [long(record.moment_i).into(), long(record.moment_j).into(), deep],
        closing: record.gradient.into(),
        apart: [record.apart_along.into(), record.apart_against.into()],
        candidates: candidates
            .map(|c| ([c.pixel as u16, (c.pixel >> 16) as u16], c.depths, c.triangles))
            .collect(),
    })
}

#[test]
fn patches_are_those_of_the_reference_in_the_same_view_to_the_last_bit() {
    let Some(mut engine) = engine("patches") else { return };
    let (mut patches, mut refused, mut listed) = (0, 0, 0);
    for scene in scenes().into_iter().chain([wide_ground()]) {
        let jobs = scene.jobs();
        let mut asked = Vec::new();
        // Once to learn how many intervals there are.
        for _ in 0..2 {
            engine.begin();
            asked = jobs
                .surfaces()
                .filter_map(|(job, leaf_pairs)| Some((job, push(&mut engine, job, leaf_pairs)?.ok()?)))
                .collect();
            engine.finish().unwrap();
        }
        let pairs = engine.read_contact_pairs().unwrap();
        assert_eq!(pairs.len(), asked.len());
        for ((job, ticket), pair) in asked.iter().zip(&pairs) {
            let [Some(a), Some(b)] = job.parts.map(|part| part.surface.as_ref()) else { continue };
            listed += intervals_are_the_references(&engine, ticket, job, pair);
            if pair.status != 0 {
                assert_eq!(engine.patch_records(ticket).unwrap()[0].status & pair.status, pair.status);
                continue;
            }
            for (cluster, record) in engine.patch_records(ticket).unwrap().iter().enumerate() {
                let name = format!("{} pose {} cluster {cluster}", scene.name, job.pair);
                let laid = &pair.view[cluster];
                let far = Some(laid.maps[0].far.into());
                let view = LatticeView::new(laid.maps.map(|map| map.fixed()), [a, b], pair.head.side, far);
                if record.shown as usize != view.triangles().len() {
                    // Parts of triangles without room are rows of their own.
                    assert_eq!(scene.name, "large-small");
                    continue;
                }
                assert_eq!(record.status & OVER_ROWS, 0, "{name}");
                let wanted = patch(pair, cluster, &view.image());
                match said(record) {
                    // Several reasons may hold at once.
                    Err(status) => {
                        assert!(matches!(wanted, Err(bit) if status & bit != 0), "{name}: {wanted:?}")
                    }
                    Ok(said) => {
                        patches += 1;
                        assert_eq!(Ok(said), wanted, "{name}");
                    }
                }
                refused += usize::from(record.status != 0);
            }
        }
    }
    println!("{patches} patches, {refused} clusters without one, {listed} views listed");
    assert!(patches > 20 && listed > patches, "{patches} {listed}");
}

/// Compares all intervals that came of a pair's views with the reference's in the same views; gives how many views these are.
fn intervals_are_the_references(
    engine: &Engine,
    ticket: &ManifoldTicket,
    job: &PairJob<'_>,
    pair: &ContactPair,
) -> usize {
    let [Some(a), Some(b)] = job.parts.map(|part| part.surface.as_ref()) else { return 0 };
    let views = engine.view_intervals_of(ticket, job);
    let mut left = views.iter();
    for (number, laid) in pair.view.iter().enumerate().take(pair.head.views as usize) {
        if laid.status != 0 {
            continue;
        }
        let far = Some(laid.maps[0].far.into());
        let view = LatticeView::new(laid.maps.map(|map| map.fixed()), [a, b], pair.head.side, far);
        let image = view.image();
        if laid.shown as usize != view.triangles().len() {
            left.next();
            continue;
        }
        let deep = image.crossings.iter().any(|line| line.len() > 32);
        if deep || image.cut > 0 || image.intervals.is_empty() {
            continue;
        }
        let name = format!("job {} view {number}", job.pair);
        // No view was kept, so they come in the order in which they were laid.
        let found = left.next().unwrap_or_else(|| panic!("{name} is missing"));
        let wanted = image.intervals.iter().map(|c| (c.pixel, c.depths, c.triangles));
        let own = found.intervals.iter().map(|c| {
            let of = |k: usize| c.solid[k];
            let depths = [0, 1].map(|k| [of(k).open, of(k).close]);
            ([c.i, c.j], depths, [0, 1].map(|k| [of(k).open_triangle, of(k).close_triangle]))
        });
        assert!(own.eq(wanted), "{name}");
    }
    assert_eq!(left.next(), None);
    views.len()
}

/// Small bodies on a floor whose triangles span thousands of their views. Single precision has no room for laying views of such
/// contacts; those of the step before are sampled, triangles and all.
#[test]
fn a_kept_view_of_a_tiny_contact_on_a_huge_floor_is_sampled() {
    let Some(mut engine) = engine("huge floors") else { return };
    let settings = NarrowSettings { full_views: true, ..NarrowSettings::default() };
    let (mut scratch, mut answered) = (NarrowScratch::default(), 0);
    for scene in huge_floors() {
        let jobs = scene.jobs();
        // Once to learn how many intervals there are.
        for again in [false, true] {
            engine.begin();
            let mut asked = Vec::new();
            for (job, leaf_pairs) in jobs.surfaces() {
                let (mut memory, mut cpu) = (NarrowMemory::default(), PairResult::default());
                run(job, &jobs.batch, &settings, &mut memory, &mut scratch, &mut cpu);
                assert!(cpu.touching);
                let hits = engine.push(job, leaf_pairs).unwrap().unwrap();
                let kept = memory.kept_views(&job.frame, [16; 2]).collect();
                let wish = ViewWish { side: 16, axes: view_axes(job), kept, listed: true };
                asked.push((job, memory, engine.push_manifold(job, &hits, &wish).unwrap()));
            }
            engine.finish().unwrap();
            for (job, mut memory, ticket) in asked.into_iter().filter(|_| again) {
                let name = format!("{} {}", scene.name, job.pair);
                let mut cpu = PairResult::default();
                run(job, &jobs.batch, &settings, &mut memory.clone(), &mut scratch, &mut cpu);
                let (mut own, views) = (PairResult::default(), engine.view_intervals_of(&ticket, job));
                run_in_views(job, &jobs.batch, &settings, &mut memory, &mut scratch, views, &mut own);
                assert_eq!((own.counts.views, own.patches.len()), (0, cpu.patches.len()), "{name}");
                for (own, cpu) in own.patches.iter().zip(&cpu.patches) {
                    let off = (own.depth - cpu.depth).abs();
                    assert!(off < 0.01 * cpu.depth + 2e-6, "{name}: {} for {}", own.depth, cpu.depth);
                    assert!(own.normal.angle(&cpu.normal) < 1e-3, "{name}");
                }
                answered += 1;
            }
        }
    }
    assert_eq!(answered, 30);
}

#[test]
fn the_same_input_gives_the_same_manifolds_and_a_warm_step_makes_no_buffer() {
    let Some(mut engine) = engine("manifolds repeat") else { return };
    let scene = &shallow(4, 0.01, 3)[5];
    let jobs = scene.jobs();
    let mut answers = || -> Vec<_> {
        engine.begin();
        let surfaces = jobs.surfaces();
        let asked: Vec<_> =
            surfaces.map(|(job, pairs)| (job, push(&mut engine, job, pairs).unwrap())).collect();
        engine.finish().unwrap();
        let counts = engine.counts();
        assert_eq!((counts.submissions, counts.waits), (1, 1));
        let made = counts.buffers_created;
        let found =
            asked.into_iter().map(|(job, t)| t.and_then(|t| engine.manifold(&t, job))).collect::<Vec<_>>();
        vec![(made, found)]
    };
    let first = answers().remove(0).1;
    assert!(first.iter().filter(|found| found.is_ok()).count() >= 3);
    for _ in 0..2 {
        let (made, again) = answers().remove(0);
        assert_eq!((made, &again), (0, &first));
    }
}

/// What became of a pair of which B is turned by some angles (rad), one after another: whether the last view was kept, and the
/// number of the view in the points' keys. `None` where the CPU has to answer.
fn turned(engine: &mut Engine, base: &PairScene, turns: &[f64]) -> Option<Vec<(bool, u64)>> {
    let (mut memory, mut scratch) = (NarrowMemory::default(), NarrowScratch::default());
    let settings = NarrowSettings::default();
    let one = |turn: &f64| {
        let [a, b] = base.poses[0];
        let turn = UnitQuaternion::from_euler_angles(*turn, 0.0, 0.0);
        let poses = vec![[a, Isometry3::from_parts(b.translation, turn * b.rotation)]];
        let scene = PairScene { name: base.name, shapes: base.shapes.clone(), poses };
        let jobs = scene.jobs();
        let (job, leaf_pairs) = jobs.surfaces().next()?;
        engine.begin();
        let hits = engine.push(job, leaf_pairs).unwrap()?;
        let kept = memory.kept_views(&job.frame, [16; 2]).collect();
        let wish = ViewWish { side: 16, axes: view_axes(job), kept, listed: false };
        let ticket = engine.push_manifold(job, &hits, &wish).ok()?;
        engine.finish().unwrap();
        let sampled = engine.manifold(&ticket, job).ok()?;
        let mut own = PairResult::default();
        run_sampled(job, &settings, &mut memory, &mut scratch, &sampled, &mut own).ok()?;
        let key = own.patches[0].points.iter().map(|point| point.key >> 48).max()?;
        Some((sampled[0].view == SampledView::Kept(0), key))
    };
    turns.iter().map(one).collect()
}

/// A body that hardly moves is sampled at the same places.
#[test]
fn a_view_is_kept_while_it_fits_and_laid_again_when_the_body_has_turned() {
    let Some(mut engine) = engine("kept views") else { return };
    let (mut resting, mut turning) = (0, 0);
    for base in shallow(1, 0.02, 11) {
        if let Some(found) = turned(&mut engine, &base, &[0.0, 1e-5, 2e-5]) {
            resting += 1;
            assert_eq!(
                found.iter().map(|(kept, _)| *kept).collect::<Vec<_>>(),
                [false, true, true],
                "{}",
                base.name
            );
            assert!(found.iter().all(|(_, key)| *key == found[0].1), "{}: {found:?}", base.name);
        }
        if let Some(found) = turned(&mut engine, &base, &[0.0, 0.5]) {
            turning += usize::from(!found[1].0);
            assert_eq!(found[1].0, found[0].1 == found[1].1, "{}: {found:?}", base.name);
        }
    }
    assert!(resting >= 15, "{resting}");
    assert!(turning >= 3, "{turning}");
}

#[test]
fn what_has_no_room_is_the_cpus_and_says_why() {
    let scene = &shallow(2, 0.01, 3)[5];
    let jobs = scene.jobs();
    let reasons = |capacities: Capacities| -> Option<Vec<Redo>> {
        let mut engine =
            engine_with("manifolds without room", |s| (s.capacities, s.contacts) = (capacities, true))?;
        engine.begin();
        let asked: Vec<_> = jobs
            .surfaces()
            .filter_map(|(job, pairs)| {
                let hits = engine.push(job, pairs).ok()??;
                let wish = ViewWish { side: 16, axes: view_axes(job), kept: Vec::new(), listed: false };
                Some((job, engine.push_manifold(job, &hits, &wish)))
            })
            .collect();
        engine.finish().unwrap();
        let answers = asked.into_iter().map(|(job, ticket)| ticket.and_then(|t| engine.manifold(&t, job)));
        Some(answers.filter_map(Result::err).collect())
    };
    let Some(none) = reasons(Capacities { tiles: 1, ..Capacities::default() }) else { return };
    assert_eq!(none, [Redo::Capacity; 2]);
    // One pair has room.
    assert_eq!(reasons(Capacities { tiles: 7, ..Capacities::default() }).unwrap(), [Redo::Capacity]);
    // A ticket of another step is none.
    let mut engine = engine("stale tickets").unwrap();
    engine.begin();
    let (job, leaf_pairs) = jobs.surfaces().next().unwrap();
    let ticket = push(&mut engine, job, leaf_pairs).unwrap().unwrap();
    engine.finish().unwrap();
    engine.begin();
    assert_eq!(engine.manifold(&ticket, job), Err(Redo::Fault));
    let wide = ViewWish { side: 32, axes: view_axes(job), kept: Vec::new(), listed: false };
    let hits = engine.push(job, leaf_pairs).unwrap().unwrap();
    assert_eq!(engine.push_manifold(job, &hits, &wide), Err(Redo::Shape));
}
