//! Triangles snapped on the device against the CPU's, bit by bit.

use impinge_gpu_narrow::layout::{NO_ROOM, TileRow};
use impinge_midphase::PairJob;
use impinge_narrow::snap::{Snap, TileTriangle, Unsnapped};
use impinge_narrow::{Tile, Tiles};
use impinge_scenes::random::Random;

use crate::engine;
use crate::scenes::scenes;
use crate::tiles::views_of;

fn row(t: &TileTriangle) -> TileRow {
    let words = |x: i64| [x as u32, (x >> 32) as u32];
    let ([[a, b], [c, d]], [i, j]) = (t.across, t.area);
    TileRow {
        edge: t.edge,
        area: u32::from(t.front) | i[0] << 4 | i[1] << 11 | j[0] << 18 | j[1] << 25,
        across: [a, b, c, d],
        at: words(t.at),
        along_i: words(t.along[0]),
        along_j: words(t.along[1]),
        least: t.least,
        most: t.most,
    }
}

/// Triangles that a view shows, shows nothing of, and has no room for.
#[derive(Debug, Default)]
struct Seen {
    shown: usize,
    nothing: usize,
    no_room: usize,
}

/// The rows of a view against the CPU's.
fn check(tiles: &Tiles, tile: &Tile, job: &PairJob<'_>, rows: &[TileRow], seen: &mut Seen, name: &str) {
    let ids = &tiles.triangles[tile.triangles.start as usize..tile.triangles.end as usize];
    assert_eq!(rows.len(), ids.len());
    for (number, (row_of_device, &id)) in rows.iter().zip(ids).enumerate() {
        let side = usize::from(number as u32 >= tile.of_a);
        let mesh = &job.parts[side].surface.as_ref().expect("a job between surfaces").mesh;
        match tile.snaps[side].triangle(mesh, id, tile.side()) {
            Ok(exact) => {
                assert_eq!(*row_of_device, row(&exact), "{name}: triangle {id} of side {side}");
                seen.shown += 1;
            }
            // The device does not ask whether a triangle too large for it passes between pixels.
            Err(_) if row_of_device.area & NO_ROOM != 0 => seen.no_room += 1,
            Err(Unsnapped::Nothing) => {
                assert_eq!(row_of_device.edge, [-1; 3], "{name}: triangle {id} of side {side}");
                assert_eq!(row_of_device.across, [0; 4]);
                seen.nothing += 1;
            }
            Err(Unsnapped::NoRoom) => panic!("{name}: triangle {id} of side {side}: {row_of_device:?}"),
        }
    }
}

#[test]
fn triangles_are_snapped_as_on_the_cpu_to_the_last_bit() {
    let Some(mut engine) = engine("snap") else { return };
    for scene in scenes() {
        let jobs = scene.jobs();
        for resolution in [32, 64] {
            let all = views_of(&jobs, resolution);
            engine.begin();
            for (job, tiles) in &all {
                let [a, b] = job.parts.map(|part| part.surface.as_ref().unwrap());
                for tile in &tiles.list {
                    engine.push_tile(tiles, tile, [Some(a), Some(b)]).expect("no capacity is exceeded");
                }
            }
            engine.finish().expect("the device answers");
            let rows = engine.read_rows().expect("rows come");
            let (mut seen, mut first) = (Seen::default(), 0);
            for (job, tiles) in &all {
                for tile in &tiles.list {
                    let next = first + tile.triangles.len();
                    check(tiles, tile, job, &rows[first..next], &mut seen, scene.name);
                    first = next;
                }
            }
            println!("{} at {resolution}: {seen:?}", scene.name);
            // A slab of 800 m is too large for the pixels of a view of a torus of half a metre.
            assert!(seen.shown > 0 && (seen.no_room == 0 || scene.name == "large-small"), "{seen:?}");
        }
    }
}

/// A number of either sign, of sizes from 2^-`range` to 2^`range`, now and then zero or a whole number.
fn number(random: &mut Random, range: f64) -> f64 {
    let size = 2f64.powf(range * (2.0 * random.unit() - 1.0));
    match (random.unit() * 8.0) as u32 {
        0 => 0.0,
        1 => -size.round(),
        2..=4 => size,
        _ => -size,
    }
}

/// Maps as no view has them: any scale, and triangles as large as can be, seen from their side, or one point.
#[test]
fn whatever_the_map_is_the_rows_are_those_of_the_cpu() {
    let Some(mut engine) = engine("snap of wild maps") else { return };
    let scene = scenes().swap_remove(1);
    let jobs = scene.jobs();
    let all = views_of(&jobs, 32);
    let mut random = Random::new(11);
    let mut seen = Seen::default();
    for round in 0..24 {
        let range = [4.0, 12.0, 30.0, 60.0][round % 4];
        let wild: Vec<(&PairJob<'_>, Tiles)> = all
            .iter()
            .map(|(job, tiles)| {
                let mut tiles = tiles.clone();
                for tile in &mut tiles.list {
                    tile.snaps = [(); 2].map(|()| Snap {
                        rows: [(); 3].map(|()| [(); 3].map(|()| number(&mut random, range))),
                        shift: [(); 3].map(|()| number(&mut random, range)),
                        far: f64::INFINITY,
                    });
                }
                (*job, tiles)
            })
            .collect();
        engine.begin();
        for (job, tiles) in &wild {
            let [a, b] = job.parts.map(|part| part.surface.as_ref().unwrap());
            for tile in &tiles.list {
                engine.push_tile(tiles, tile, [Some(a), Some(b)]).expect("no capacity is exceeded");
            }
        }
        engine.finish().expect("the device answers");
        let rows = engine.read_rows().expect("rows come");
        let mut first = 0;
        for (job, tiles) in &wild {
            for tile in &tiles.list {
                let next = first + tile.triangles.len();
                check(tiles, tile, job, &rows[first..next], &mut seen, "wild maps");
                first = next;
            }
        }
    }
    println!("wild maps: {seen:?}");
    assert!(seen.shown > 1000 && seen.nothing > 1000 && seen.no_room > 1000, "{seen:?}");
}
