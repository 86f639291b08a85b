//! Layers and columns of views against the CPU's, number by number.

use impinge_geometry::Side;
use impinge_gpu_narrow::layout::{
    DEEPEST_PIXEL, MOST_JOINED, OVER_COLUMNS, OVER_LAYERS, OVER_RANGE, TILE_PIXELS, TILE_SIDE, TileRecord,
};
use impinge_gpu_narrow::{Capacities, Engine, Overflow, TileTicket};
use impinge_midphase::PairJob;
use impinge_narrow::pair;
use impinge_narrow::{
    NarrowMemory, NarrowScratch, NarrowSettings, PairResult, Tile, TileColumn, TileSeen, TileTruth, Tiles,
    TrueColumn,
};

use crate::scenes::{Jobs, PairScene, scenes, solid_scenes};
use crate::{engine, engine_with};

/// A job that was answered once, and the views that it makes when it is answered again.
struct Seen<'j, 's> {
    job: &'j PairJob<'s>,
    memory: NarrowMemory,
    tiles: Tiles,
    tickets: Vec<Result<TileTicket, Overflow>>,
}

fn settings(jobs: &Jobs<'_>, resolution: u32) -> NarrowSettings {
    NarrowSettings { resolution, columns_only: jobs.columns_only, ..NarrowSettings::default() }
}

fn answer(
    job: &PairJob<'_>,
    jobs: &Jobs<'_>,
    resolution: u32,
    memory: &mut NarrowMemory,
    scratch: &mut NarrowScratch,
) -> PairResult {
    let mut out = PairResult::default();
    pair::run(job, &jobs.batch, &settings(jobs, resolution), memory, scratch, &mut out);
    out
}

/// Answers every job on the CPU; the views that it makes when it is answered again.
pub fn views_of<'j, 's>(jobs: &'j Jobs<'s>, resolution: u32) -> Vec<(&'j PairJob<'s>, Tiles)> {
    let mut scratch = NarrowScratch::default();
    let views = jobs.surfaces().filter_map(|(job, _)| {
        let (mut memory, mut tiles) = (NarrowMemory::default(), Tiles::default());
        answer(job, jobs, resolution, &mut memory, &mut scratch);
        (tiles.add(0, job, &settings(jobs, resolution), Some(&memory)) > 0).then_some((job, tiles))
    });
    views.collect()
}

/// Answers every job on the CPU and has the device look at the views that this made.
fn look<'j, 's>(engine: &mut Engine, jobs: &'j Jobs<'s>, resolution: u32) -> Vec<Seen<'j, 's>> {
    let mut scratch = NarrowScratch::default();
    engine.begin();
    let mut all = Vec::new();
    for job in jobs.pairs() {
        let mut memory = NarrowMemory::default();
        answer(job, jobs, resolution, &mut memory, &mut scratch);
        let mut tiles = Tiles::default();
        if tiles.add(0, job, &settings(jobs, resolution), Some(&memory)) > 0 {
            let surfaces = job.parts.map(|part| part.surface.as_ref());
            let push = |tile: &Tile| engine.push_tile(&tiles, tile, surfaces);
            let tickets = tiles.list.iter().map(push).collect();
            all.push(Seen { job, memory, tiles, tickets });
        }
    }
    engine.finish().expect("the device answers");
    all
}

/// The fragments of a view against those that the device has left.
fn check_layers(
    seen: &Seen<'_, '_>,
    tile: &Tile,
    truth: &TileTruth,
    first: usize,
    left: &(Vec<u32>, Vec<[u32; 2]>),
    name: &str,
) {
    let (counts, keys) = left;
    let side = tile.side() as usize;
    for (pixel, exact) in truth.fragments.iter().enumerate() {
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
        // They stand as they were found: the columns sort them.
        let key = |k: usize| keys[(part * DEEPEST_PIXEL as usize + k) * TILE_PIXELS as usize + lane];
        let mut sorted: Vec<[u32; 2]> = (0..count).map(key).collect();
        sorted.sort_unstable();
        for (k, (f, [z, low])) in exact.iter().zip(sorted).enumerate() {
            let own = if f.side == 0 { Side::A } else { Side::B };
            let number = low & 0x3fff_ffff;
            let triangle = match tile.solids[f.side] {
                // What is no triangle has no number.
                Some(_) => Some(number),
                None => seen.tiles.triangle(tile, own, number - if own == Side::A { 0 } else { tile.of_a }),
            };
            let found = ((z ^ 0x8000_0000) as i32, low >> 31 == 1, (low >> 30 & 1) as usize, triangle);
            assert_eq!(
                found,
                (f.depth, f.front, f.side, Some(f.triangle)),
                "{name}: pixel {i}, {j}, layer {k}"
            );
        }
    }
}

/// The sums of a view's tiles against the CPU's.
fn check_sums(records: &[TileRecord], truth: &TileTruth, name: &str) {
    let sum = |of: &dyn Fn(&TileRecord) -> i128| records.iter().map(of).sum::<i128>();
    let pair = |w: [u32; 2]| i128::from(u64::from(w[0]) | u64::from(w[1]) << 32);
    let fragments: usize = truth.fragments.iter().map(Vec::len).sum();
    assert_eq!(sum(&|r| r.fragments.into()), fragments as i128, "{name}");
    assert_eq!(sum(&|r| r.columns.into()), truth.columns.len() as i128, "{name}");
    assert_eq!(sum(&|r| r.odd.into()), i128::from(truth.odd), "{name}");
    assert_eq!(sum(&|r| r.cut.into()), i128::from(truth.cut), "{name}");
    assert_eq!(sum(&|r| r.overlaps.into()), i128::from(truth.overlaps), "{name}");
    assert_eq!(sum(&|r| r.touches.into()), i128::from(truth.touches), "{name}");
    assert_eq!(sum(&|r| pair(r.length)), i128::from(truth.length), "{name}");
    assert_eq!(sum(&|r| pair(r.moment_i)), truth.moment[0], "{name}");
    assert_eq!(sum(&|r| pair(r.moment_j)), truth.moment[1], "{name}");
    let deep =
        |r: &TileRecord| pair([r.moment_z[0], r.moment_z[1]]) + (i128::from(r.moment_z[2] as i32) << 64);
    assert_eq!(sum(&deep), truth.moment[2], "{name}");
    assert_eq!(sum(&|r| r.gradient.into()), i128::from(truth.gradient), "{name}");
    assert_eq!(sum(&|r| r.gradient_i.into()), i128::from(truth.gradient_moment[0]), "{name}");
    assert_eq!(sum(&|r| r.gradient_j.into()), i128::from(truth.gradient_moment[1]), "{name}");
    for k in 0..3 {
        assert_eq!(sum(&|r| r.second[k].into()), i128::from(truth.second[k]), "{name}");
        let weighted = |r: &TileRecord| pair([r.weighted_ii, r.weighted_ij, r.weighted_jj][k]);
        assert_eq!(sum(&weighted), truth.weighted[k], "{name}");
    }
    let longest = records.iter().map(|r| r.longest).max().map(i64::from);
    assert_eq!(longest, Some(truth.longest.map_or(0, |l| l.0)), "{name}");
    if let [record] = records {
        let deepest = truth.longest.map_or(u32::MAX, |(_, at)| at as u32);
        assert_eq!(record.deepest, deepest, "{name}");
        let extremes = truth.extremes.map(|e| e.map_or(u32::MAX, |(_, at)| at as u32));
        assert_eq!(record.extremes, extremes, "{name}");
    }
    if let Some(ways) = truth.ways {
        let held = |way: i64| way.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let along = records.iter().map(|r| r.way_along).max();
        let against = records.iter().map(|r| r.way_against).max();
        assert_eq!((along, against), (Some(held(ways[0])), Some(held(ways[1]))), "{name}");
    }
}

/// How some columns hang together: the first that each can be reached from, by the slow way.
fn pieces_of(columns: &[&TrueColumn]) -> Vec<u32> {
    let ends = |c: &TrueColumn| {
        let [[a, b], [c, d]] = c.depths;
        [a.max(c), b.min(d)].map(i64::from)
    };
    let meet = |c: &TrueColumn, d: &TrueColumn| {
        let across: i32 = [0, 1].map(|k| (i32::from(c.pixel[k]) - i32::from(d.pixel[k])).abs()).iter().sum();
        let ([a, b], [e, f]) = (ends(c), ends(d));
        across == 1 && b.min(f) - a.max(e) >= -2
    };
    let mut first: Vec<u32> = (0..columns.len() as u32).collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for c in 0..columns.len() {
            for d in 0..columns.len() {
                if first[d] < first[c] && meet(columns[c], columns[d]) {
                    (first[c], changed) = (first[d], true);
                }
            }
        }
    }
    first
}

/// The pieces of a view's tiles against the CPU's. Gives how many there are.
fn check_pieces(
    records: &[TileRecord],
    found: &[Vec<u32>],
    truth: &TileTruth,
    side: u32,
    name: &str,
) -> usize {
    let parts = side.div_ceil(TILE_SIDE);
    if parts == 1 {
        assert_eq!(found[0], truth.pieces, "{name}");
    }
    let mut all = 0;
    for (part, (record, found)) in (0..).zip(records.iter().zip(found)) {
        let of_tile = |c: &&TrueColumn| {
            let [i, j] = c.pixel.map(|x| u32::from(x) / TILE_SIDE);
            j * parts + i == part
        };
        let own: Vec<&TrueColumn> = truth.columns.iter().filter(of_tile).collect();
        if own.len() > MOST_JOINED as usize {
            assert_eq!((record.pieces, found.len()), (u32::MAX, 0), "{name}");
            continue;
        }
        let wanted = pieces_of(&own);
        assert_eq!(*found, wanted, "{name}: tile {part}");
        let many = (0..).zip(&wanted).filter(|(k, first)| *k == **first).count();
        assert_eq!(record.pieces as usize, many, "{name}: tile {part}");
        all += many;
    }
    all
}

/// The columns of a view against the CPU's: pixels and triangles; depths follow from these, and the sums
/// have seen them.
fn check_columns(seen: &Seen<'_, '_>, tile: &Tile, found: &[TileColumn], truth: &TileTruth, name: &str) {
    assert_eq!(found.len(), truth.columns.len(), "{name}");
    for (column, exact) in found.iter().zip(&truth.columns) {
        let pixel = exact.pixel;
        assert_eq!(column.pixel, pixel, "{name}");
        for (k, &end) in column.ends.iter().enumerate() {
            let own = if k < 2 { Side::A } else { Side::B };
            if end != TileColumn::NONE {
                let id = seen.tiles.triangle(tile, own, end);
                assert_eq!(id, Some(exact.triangles[k / 2][k % 2]), "{name}: pixel {pixel:?}");
            }
        }
    }
}

/// What a scene's views add up to.
#[derive(Default)]
struct Total {
    views: usize,
    columns: usize,
    fragments: usize,
    pieces: usize,
    solids: usize,
    cut: usize,
    over: usize,
    no_room: usize,
}

fn check_scene(engine: &mut Engine, scene: &PairScene, resolution: u32) -> Total {
    let jobs = scene.jobs();
    let all = look(engine, &jobs, resolution);
    let left = engine.read_layers().expect("layers come");
    let (mut total, mut first) = (Total::default(), 0);
    let mut scratch = NarrowScratch::default();
    let mut columns = Vec::new();
    for seen in &all {
        for (tile, ticket) in seen.tiles.list.iter().zip(&seen.tickets) {
            let name = format!("{} pose {} at {resolution}", scene.name, seen.job.pair);
            let ticket = ticket.as_ref().expect("no capacity is exceeded");
            let truth = seen.tiles.truth(tile, seen.job).expect("a job between surfaces");
            let records = engine.tile_records(ticket).expect("records");
            let own = first;
            first += records.len();
            if records.iter().all(|r| r.status & OVER_RANGE != 0) {
                assert!(engine.tile_columns(ticket, &mut columns).is_none(), "{name}");
                total.no_room += 1;
                continue;
            }
            check_layers(seen, tile, &truth, own, &left, &name);
            let deepest = truth.fragments.iter().map(Vec::len).max().unwrap_or(0);
            if records.iter().any(|r| r.status != 0) {
                assert!(deepest > DEEPEST_PIXEL as usize, "{name}: {records:?}");
                assert!(engine.tile_columns(ticket, &mut columns).is_none(), "{name}");
                total.over += 1;
                continue;
            }
            check_sums(&records, &truth, &name);
            let pieces = engine.tile_pieces(ticket).expect("an answer");
            total.pieces += check_pieces(&records, &pieces, &truth, tile.side(), &name);
            let totals = engine.tile_columns(ticket, &mut columns);
            assert_eq!(totals.is_none(), truth.cut > 0 && !tile.is_whole(), "{name}");
            total.views += 1;
            total.solids += tile.solids.iter().flatten().count();
            total.fragments += truth.fragments.iter().map(Vec::len).sum::<usize>();
            let Some(totals) = totals else {
                total.cut += 1;
                continue;
            };
            check_columns(seen, tile, &columns, &truth, &name);
            total.columns += columns.len();
            let (fragments, odd, length) = (totals.fragments, totals.odd, totals.length);
            let own = TileSeen { columns: &columns, fragments, odd, length };
            assert!(scratch.offer(seen.job, &seen.tiles, tile, &own), "{name}: the lengths differ");
        }
        // With what the device saw the pair is answered as without, to the last bit.
        let without =
            answer(seen.job, &jobs, resolution, &mut seen.memory.clone(), &mut NarrowScratch::default());
        let with = answer(seen.job, &jobs, resolution, &mut seen.memory.clone(), &mut scratch);
        assert_eq!(with.patches, without.patches, "{} pose {}", scene.name, seen.job.pair);
        assert_eq!(with.counts.columns, without.counts.columns);
        // The device looks along all lines; the CPU may leave out those that ask nothing.
        assert!(with.counts.fragments >= without.counts.fragments);
        let left = total.cut + total.over + total.no_room;
        assert!(with.counts.device_views > 0 || left > 0, "nothing was taken");
    }
    total
}

#[test]
fn layers_and_columns_are_those_of_the_cpu_to_the_last_bit() {
    let Some(mut engine) = engine_with("layers and columns", |s| s.tile_sums = true) else { return };
    let (mut views, mut pieces) = (0, 0);
    for scene in scenes() {
        for resolution in [32, 16, 64] {
            let total = check_scene(&mut engine, &scene, resolution);
            println!(
                "{} at {resolution}: {} views, {} of them cut, {} too deep, {} without room, {} fragments, {} columns in {} pieces",
                scene.name,
                total.views,
                total.cut,
                total.over,
                total.no_room,
                total.fragments,
                total.columns,
                total.pieces
            );
            assert!(total.no_room == 0 || scene.name == "large-small", "{}", scene.name);
            assert!(total.solids == 0);
            (views, pieces) = (views + total.views, pieces + total.pieces);
        }
    }
    assert!(views > 100 && pieces > views, "{views} {pieces}");
}

#[test]
fn solids_of_closed_form_are_seen_as_on_the_cpu_to_the_last_bit() {
    let Some(mut engine) = engine_with("solids", |s| s.tile_sums = true) else { return };
    let mut solids = 0;
    for (k, scene) in solid_scenes().into_iter().enumerate() {
        for resolution in [16, [32, 64][k % 2]] {
            let total = check_scene(&mut engine, &scene, resolution);
            println!(
                "{} at {resolution}: {} views of {} solids, {} cut, {} fragments, {} columns",
                scene.name, total.views, total.solids, total.cut, total.fragments, total.columns
            );
            assert!(total.views > 0 && total.columns > 0 && total.solids >= total.views, "{}", scene.name);
            solids += total.solids;
        }
    }
    assert!(solids > 1000, "{solids}");
}

fn records(engine: &Engine, all: &[Seen<'_, '_>]) -> Vec<Vec<TileRecord>> {
    let tickets = all.iter().flat_map(|seen| &seen.tickets).flatten();
    tickets.map(|ticket| engine.tile_records(ticket).expect("records")).collect()
}

#[test]
fn the_same_views_give_the_same_bits_and_a_warm_step_makes_no_buffer() {
    let Some(mut engine) = engine("tile repeats") else { return };
    let jobs = scenes().swap_remove(0);
    let jobs = jobs.jobs();
    let mut first: Vec<(Vec<Vec<TileRecord>>, Vec<TileColumn>)> = Vec::new();
    for round in 0..3 {
        let all = look(&mut engine, &jobs, 32);
        let mut columns = Vec::new();
        for ticket in all.iter().flat_map(|seen| &seen.tickets).flatten() {
            let mut own = Vec::new();
            engine.tile_columns(ticket, &mut own);
            columns.extend(own);
        }
        // The records hold the number of the step.
        let mut found = records(&engine, &all);
        found.iter_mut().flatten().for_each(|r| r.sequence = 0);
        let counts = *engine.counts();
        assert_eq!((counts.submissions, counts.waits), (1, 1));
        match first.first() {
            None => first.push((found, columns)),
            Some(known) => {
                assert_eq!(*known, (found, columns));
                assert!(round < 2 || counts.buffers_created == 0, "{counts:?}");
            }
        }
    }
}

#[test]
fn a_tile_that_overflows_is_discarded_and_counted() {
    let usual = Capacities::default();
    for (capacities, status) in
        [(Capacities { layers: 1, ..usual }, OVER_LAYERS), (Capacities { columns: 1, ..usual }, OVER_COLUMNS)]
    {
        let Some(mut engine) = engine_with("tile overflow", |s| s.capacities = capacities) else { return };
        let scene = scenes().swap_remove(0);
        let jobs = scene.jobs();
        let all = look(&mut engine, &jobs, 32);
        let found: Vec<TileRecord> = records(&engine, &all).concat();
        let over = found.iter().filter(|r| r.status & status != 0).count();
        assert!(over > 0, "{capacities:?}");
        let counts = engine.counts();
        assert_eq!(counts.over_layers + counts.over_columns, over as u64);
        let tickets = all.iter().flat_map(|seen| &seen.tickets).flatten();
        for (ticket, record) in tickets.zip(&found) {
            let none = engine.tile_columns(ticket, &mut Vec::new()).is_none();
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
    let all = look(&mut engine, &jobs, 32);
    let tickets: Vec<_> = all.iter().flat_map(|seen| &seen.tickets).collect();
    assert!(tickets[0].is_ok());
    assert!(tickets[1..].iter().all(|ticket| **ticket == Err(Overflow::WorkList)));
    assert_eq!(engine.counts().tiles_refused, tickets.len() as u64 - 1);
}
