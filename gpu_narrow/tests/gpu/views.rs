//! Views of the parity scenes on the device against the CPU's: rows, crossings, intervals and sums, bit by bit.

use impinge_exact::intersect::{IntersectScratch, Intersections, Surfaces, intersect_surfaces};
use impinge_gpu_narrow::image::layout::{
    DEEPEST_PIXEL, OVER_INTERVALS, OVER_LAYERS, OVER_RANGE, TILE_PIXELS, TILE_SIDE, TileRecord,
};
use impinge_gpu_narrow::{Capacities, DeviceInterval, Engine, Overflow, ViewTicket};
use impinge_image_space::fixed_map::FixedMap;
use impinge_image_space::reference_view::{LatticeView, ReferenceImage, ReferenceView, ViewBox};
use impinge_midphase::PairJob;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::scenes::{Jobs, PairScene, block, scenes};
use crate::{engine, engine_with};

/// A direction, and the middle and half the size of a box.
type Around = (Vector3<f64>, Point3<f64>, Vector3<f64>);

/// The views of a job: along its contours' area vector over the contours, and along three axes over all that the
/// bodies may share. Every second one is moved on by some pixels, every third sees all that is behind it, and every fifth
/// ends before the bodies do.
fn views_of_job<'j>(job: &'j PairJob<'_>, leaf_pairs: &[[u32; 2]], count: u32) -> Vec<LatticeView<'j>> {
    let [Some(a), Some(b)] = job.parts.map(|part| part.surface.as_ref()) else { return Vec::new() };
    let mut boxes = Vec::new();
    let corners = job.interest.map(|corner| corner.coords);
    let (center, half) = (Point3::from((corners[0] + corners[1]) * 0.5), (corners[1] - corners[0]) * 0.5);
    let half = half + Vector3::repeat(0.05 * half.amax());
    for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
        boxes.push((axis, center, half));
    }
    let mut found = Intersections::default();
    let surfaces = Surfaces::of_job(job).expect("a job between surfaces");
    intersect_surfaces(&surfaces, leaf_pairs, &mut IntersectScratch::default(), &mut found);
    let (mut area, mut low, mut high) = (Vector3::zeros(), center.coords, center.coords);
    for (k, [p, q]) in found.segments.iter().map(|segment| segment.points).enumerate() {
        area += (p - center).cross(&(q - center));
        let (least, most) = (p.coords.inf(&q.coords), p.coords.sup(&q.coords));
        (low, high) = if k == 0 { (least, most) } else { (low.inf(&least), high.sup(&most)) };
    }
    if let Some(direction) = area.try_normalize(1e-30) {
        let (center, half) = (Point3::from((low + high) * 0.5), (high - low) * 0.5);
        // What bulges beyond the contours is seen as well.
        boxes.push((direction, center, half + Vector3::repeat(0.05 * half.amax())));
    }
    let view = |(k, around): (usize, Around)| {
        let (direction, center, half) = around;
        let axes = impinge_image_space::Axes::towards(&direction);
        let mut reach = [axes.right, axes.up, axes.depth].map(|axis| axis.abs().dot(&half));
        let whole = (job.pair as usize + k).is_multiple_of(3);
        if (job.pair as usize + k) % 5 == 1 {
            reach[2] *= 0.3;
        }
        let around = ViewBox { direction, center, half: reach, count, whole };
        let view = ReferenceView::new(&job.frame, [a, b], &around).expect("no box is so thin");
        let view = if k % 2 == 0 { view } else { view.moved([3, -2]).expect("as thick as before") };
        view.lattice().clone()
    };
    boxes.into_iter().enumerate().map(view).collect()
}

/// The views of every job of a scene, each with the number of its job.
pub fn views_of<'j>(jobs: &'j Jobs<'_>, count: u32) -> Vec<(u32, LatticeView<'j>)> {
    let of_job = |(job, leaf_pairs)| {
        let views = views_of_job(job, leaf_pairs, count);
        views.into_iter().map(move |view| (job.pair, view))
    };
    jobs.surfaces().flat_map(of_job).collect()
}

/// A view that was handed to the device, of the job of this number.
struct Pushed<'v, 'j> {
    pair: u32,
    view: &'v LatticeView<'j>,
    ticket: Result<ViewTicket, Overflow>,
}

/// Has the device look at some views.
fn look<'v, 'j>(engine: &mut Engine, views: &'v [(u32, LatticeView<'j>)]) -> Vec<Pushed<'v, 'j>> {
    engine.begin();
    let push = |(pair, view)| Pushed { pair, view, ticket: engine.push_view(view) };
    let all = views.iter().map(|(pair, view)| (*pair, view)).map(push).collect();
    engine.finish().expect("the device answers");
    all
}

/// The crossings of a view against those that the device has left, whose tiles begin with number `first`.
fn check_crossings(
    view: &LatticeView<'_>,
    image: &ReferenceImage,
    first: usize,
    (counts, keys): &(Vec<u32>, Vec<[u32; 2]>),
    name: &str,
) {
    let side = view.count() as usize;
    for (pixel, exact) in image.crossings.iter().enumerate() {
        let (i, j) = (pixel % side, pixel / side);
        let edge = TILE_SIDE as usize;
        let part = first + j / edge * side.div_ceil(edge) + i / edge;
        let lane = j % edge * edge + i % edge;
        let count = counts[part * TILE_PIXELS as usize + lane] as usize;
        assert_eq!(count, exact.len(), "{name}: pixel {i}, {j}");
        if count > DEEPEST_PIXEL as usize {
            // What was left out is arbitrary: the tile is discarded.
            continue;
        }
        // They stand as they were found: the next pass sorts them.
        let key = |k: usize| keys[(part * DEEPEST_PIXEL as usize + k) * TILE_PIXELS as usize + lane];
        let mut sorted: Vec<[u32; 2]> = (0..count).map(key).collect();
        sorted.sort_unstable();
        for (k, (wanted, [z, low])) in exact.iter().zip(sorted).enumerate() {
            let triangle = view.triangles()[(low & 0x3fff_ffff) as usize];
            let found = ((z ^ 0x8000_0000) as i32, low >> 31 == 1, (low >> 30 & 1) as usize, triangle);
            let wanted = (wanted.depth, wanted.front, wanted.side, wanted.triangle);
            assert_eq!(found, wanted, "{name}: pixel {i}, {j}, layer {k}");
        }
    }
}

/// The sums of a view's tiles against the CPU's.
pub fn check_sums(records: &[TileRecord], image: &ReferenceImage, name: &str) {
    let sum = |of: &dyn Fn(&TileRecord) -> i128| records.iter().map(of).sum::<i128>();
    let pair = |w: [u32; 2]| i128::from(u64::from(w[0]) | u64::from(w[1]) << 32);
    let crossings: usize = image.crossings.iter().map(Vec::len).sum();
    let sums = &image.sums;
    assert_eq!(sum(&|r| r.crossings.into()), crossings as i128, "{name}");
    assert_eq!(sum(&|r| r.intervals.into()), image.intervals.len() as i128, "{name}");
    assert_eq!(sum(&|r| r.odd.into()), i128::from(image.odd), "{name}");
    assert_eq!(sum(&|r| r.cut.into()), i128::from(image.cut), "{name}");
    assert_eq!(sum(&|r| r.overlaps.into()), i128::from(sums.overlaps), "{name}");
    assert_eq!(sum(&|r| r.touches.into()), i128::from(sums.touches), "{name}");
    assert_eq!(sum(&|r| pair(r.length)), i128::from(sums.length), "{name}");
    assert_eq!(sum(&|r| pair(r.moment_i)), sums.moment[0], "{name}");
    assert_eq!(sum(&|r| pair(r.moment_j)), sums.moment[1], "{name}");
    let deep =
        |r: &TileRecord| pair([r.moment_z[0], r.moment_z[1]]) + (i128::from(r.moment_z[2] as i32) << 64);
    assert_eq!(sum(&deep), sums.moment[2], "{name}");
    assert_eq!(sum(&|r| r.gradient.into()), i128::from(sums.gradient), "{name}");
    assert_eq!(sum(&|r| r.gradient_i.into()), i128::from(sums.gradient_moment[0]), "{name}");
    assert_eq!(sum(&|r| r.gradient_j.into()), i128::from(sums.gradient_moment[1]), "{name}");
    let longest = records.iter().map(|r| r.longest).max().map(i64::from);
    assert_eq!(longest, Some(sums.longest.map_or(0, |l| l.0)), "{name}");
    if let [record] = records {
        let deepest = sums.longest.map_or(u32::MAX, |(_, at)| at as u32);
        assert_eq!(record.deepest, deepest, "{name}");
    }
    if let Some(apart) = sums.apart {
        let held = |way: i64| way.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let along = records.iter().map(|r| r.apart_along).max();
        let against = records.iter().map(|r| r.apart_against).max();
        assert_eq!((along, against), (Some(held(apart[0])), Some(held(apart[1]))), "{name}");
    }
}

/// The intervals of a view against the CPU's: pixels and triangles. Depths follow from these, and the sums have seen
/// them.
fn check_intervals(view: &LatticeView<'_>, found: &[DeviceInterval], image: &ReferenceImage, name: &str) {
    assert_eq!(found.len(), image.intervals.len(), "{name}");
    for (interval, exact) in found.iter().zip(&image.intervals) {
        assert_eq!(interval.pixel, exact.pixel, "{name}");
        for (k, &end) in interval.ends.iter().enumerate() {
            if end != DeviceInterval::NONE {
                let number = end + if k < 2 { 0 } else { view.of_a() };
                let triangle = view.triangles()[number as usize];
                assert_eq!(triangle, exact.triangles[k / 2][k % 2], "{name}: {exact:?}");
            }
        }
    }
}

/// What a scene's views add up to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Total {
    pub views: usize,
    pub intervals: usize,
    pub crossings: usize,
    pub cut: usize,
    pub too_deep: usize,
    pub no_room: usize,
}

/// The views of a scene, of the jobs of these numbers, against the CPU's.
pub fn check_scene(engine: &mut Engine, name: &str, views: &[(u32, LatticeView<'_>)]) -> Total {
    let all = look(engine, views);
    let left = engine.read_layers().expect("layers come");
    let (mut total, mut first, mut intervals) = (Total::default(), 0, Vec::new());
    for Pushed { pair, view, ticket } in &all {
        let name = format!("{name} pose {pair} at {}", view.count());
        let ticket = ticket.as_ref().expect("no capacity is exceeded");
        let image = view.image();
        let records = engine.view_records(ticket).expect("records");
        let own = first;
        first += records.len();
        if records.iter().all(|r| r.status & OVER_RANGE != 0) {
            assert!(engine.view_intervals(ticket, &mut intervals).is_none(), "{name}");
            total.no_room += 1;
            continue;
        }
        check_crossings(view, &image, own, &left, &name);
        let deepest = image.crossings.iter().map(Vec::len).max().unwrap_or(0);
        if records.iter().any(|r| r.status != 0) {
            assert!(deepest > DEEPEST_PIXEL as usize, "{name}: {records:?}");
            assert!(engine.view_intervals(ticket, &mut intervals).is_none(), "{name}");
            total.too_deep += 1;
            continue;
        }
        check_sums(&records, &image, &name);
        total.views += 1;
        total.crossings += image.crossings.iter().map(Vec::len).sum::<usize>();
        let totals = engine.view_intervals(ticket, &mut intervals);
        assert_eq!(totals.is_none(), image.cut > 0 && !view.is_whole(), "{name}");
        if totals.is_none() {
            total.cut += 1;
            continue;
        }
        check_intervals(view, &intervals, &image, &name);
        total.intervals += intervals.len();
    }
    total
}

#[test]
fn crossings_intervals_and_sums_are_those_of_the_cpu_to_the_last_bit() {
    let Some(mut engine) = engine("crossings and intervals") else { return };
    let mut all = Total::default();
    for scene in scenes() {
        for resolution in [32, 16, 64, 6] {
            let jobs = scene.jobs();
            let total = check_scene(&mut engine, scene.name, &views_of(&jobs, resolution));
            println!("{} at {resolution}: {total:?}", scene.name);
            assert!(total.no_room == 0 || scene.name == "large-small", "{}", scene.name);
            assert!(total.views + total.no_room > 0, "{}", scene.name);
            (all.views, all.intervals) = (all.views + total.views, all.intervals + total.intervals);
            all.cut += total.cut;
        }
    }
    println!("{} views with {} intervals in all", all.views, all.intervals);
    assert!(all.views > 1000 && all.intervals > 100 * all.views && all.cut > 10, "{all:?}");
}

/// Views by maps as no view has them: any rows, shifts and origins, so that triangles are as large as can be, far away,
/// seen from their side, or one point.
pub fn wild_views<'j>(jobs: &'j Jobs<'_>) -> Vec<(u32, LatticeView<'j>)> {
    let (job, _) = jobs.surfaces().next().expect("a job between surfaces");
    let [Some(a), Some(b)] = job.parts.map(|part| part.surface.as_ref()) else { panic!("both are meshes") };
    let mut random = Random::new(11);
    let mut views = Vec::new();
    for round in 0..120u32 {
        let bits = 12 + round % 4 * 6;
        let mut whole = |bits: u32| ((random.unit() - 0.5) * 2f64.powi(bits as i32 + 1)) as i64;
        let mut map = || {
            // A quantum off the origin is worth up to 2^17 pixels, or next to nothing.
            let size = i64::from(bits) + 13 - whole(3).abs() - i64::from(round / 40) * 3;
            let shift = [size, size, size - 4].map(|shift| shift.clamp(1, 61) as u32);
            // A start is at most 2^61 in size.
            let start = [20u32, 20, 22];
            let start = [0, 1, 2].map(|k| whole(start[k].min(61 - shift[k])).abs() << shift[k]);
            let row = |whole: &mut dyn FnMut(u32) -> i64| [(); 3].map(|()| whole(bits) as i32);
            let rows = [row(&mut whole), row(&mut whole), row(&mut whole)];
            FixedMap { origin: [(); 3].map(|()| whole(29) as i32), rows, start, shift }
        };
        let maps = [map(), map()];
        let far = [Some(1 << 21), None][round as usize % 2];
        views.push((round, LatticeView::new(maps, [a, b], [16, 32, 64][round as usize % 3], far)));
    }
    views
}

#[test]
fn views_by_wild_maps_are_those_of_the_cpu_to_the_last_bit() {
    let Some(mut engine) = engine("views by wild maps") else { return };
    // Few triangles, so that lines do not cross too many of them.
    let scene =
        PairScene::new("boxes", [block([0.5; 3]), block([0.5, 0.25, 0.25])], [[Isometry3::identity(); 2]]);
    let jobs = scene.jobs();
    let total = check_scene(&mut engine, "wild maps", &wild_views(&jobs));
    println!("wild maps: {total:?}");
    assert!(total.views > 20 && total.crossings > 1000 && total.no_room > 5, "{total:?}");
}

fn records(engine: &Engine, all: &[Pushed<'_, '_>]) -> Vec<Vec<TileRecord>> {
    let tickets = all.iter().flat_map(|pushed| &pushed.ticket);
    tickets.map(|ticket| engine.view_records(ticket).expect("records")).collect()
}

#[test]
fn the_same_views_give_the_same_bits_and_a_warm_step_makes_no_buffer() {
    let Some(mut engine) = engine("views repeat") else { return };
    let scene = scenes().swap_remove(0);
    let jobs = scene.jobs();
    let views = views_of(&jobs, 32);
    let mut first: Option<(Vec<Vec<TileRecord>>, Vec<DeviceInterval>)> = None;
    for round in 0..3 {
        let all = look(&mut engine, &views);
        let mut intervals = Vec::new();
        for ticket in all.iter().flat_map(|pushed| &pushed.ticket) {
            let mut own = Vec::new();
            let _ = engine.view_intervals(ticket, &mut own);
            intervals.extend(own);
        }
        // The records hold the number of the step.
        let mut found = records(&engine, &all);
        found.iter_mut().flatten().for_each(|r| r.sequence = 0);
        let counts = *engine.counts();
        assert_eq!((counts.submissions, counts.waits), (1, 1));
        match &first {
            None => first = Some((found, intervals)),
            Some(known) => {
                assert_eq!(*known, (found, intervals));
                assert!(round < 2 || counts.buffers_created == 0, "{counts:?}");
            }
        }
    }
}

#[test]
fn a_tile_that_overflows_is_discarded_and_counted() {
    let usual = Capacities::default();
    for (capacities, status) in [
        (Capacities { layers: 1, ..usual }, OVER_LAYERS),
        (Capacities { intervals: 1, ..usual }, OVER_INTERVALS),
    ] {
        let Some(mut engine) = engine_with("tile overflow", |s| s.capacities = capacities) else { return };
        let scene = scenes().swap_remove(0);
        let jobs = scene.jobs();
        let views = views_of(&jobs, 16);
        let all = look(&mut engine, &views);
        let found: Vec<TileRecord> = records(&engine, &all).concat();
        let over = found.iter().filter(|r| r.status & status != 0).count();
        assert!(over > 0, "{capacities:?}");
        let counts = engine.counts();
        assert_eq!(counts.over_layers + counts.over_intervals, over as u64);
        for (ticket, record) in all.iter().flat_map(|pushed| &pushed.ticket).zip(&found) {
            let none = engine.view_intervals(ticket, &mut Vec::new()).is_none();
            assert!(none || record.status == 0);
        }
    }
}

#[test]
fn views_that_exceed_the_work_list_are_refused_and_counted() {
    let few = Capacities { tiles: 1, ..Capacities::default() };
    let Some(mut engine) = engine_with("too many tiles", |s| s.capacities = few) else { return };
    let scene = scenes().swap_remove(0);
    let jobs = scene.jobs();
    let views = views_of(&jobs, 16);
    let all = look(&mut engine, &views);
    assert!(all[0].ticket.is_ok());
    assert!(all[1..].iter().all(|pushed| pushed.ticket == Err(Overflow::WorkList)));
    assert_eq!(engine.counts().views_refused, all.len() as u64 - 1);
}

#[test]
fn views_of_more_pixels_than_the_device_has_bits_for_are_refused() {
    let Some(mut engine) = engine("views too large") else { return };
    let scene = scenes().swap_remove(0);
    let jobs = scene.jobs();
    let views = views_of(&jobs, 144);
    let all = look(&mut engine, &views);
    assert!(all.iter().all(|pushed| pushed.ticket == Err(Overflow::WorkList)));
}
