//! Triangles snapped on the device against the CPU's, bit by bit.

use impinge_gpu_narrow::image::layout::{FACES_FRONT, NO_ROOM, TILE_SIDE, TileRow, WIDE};
use impinge_image_space::reference_view::{LatticeView, SnappedTriangle, Unsnapped};

use crate::engine;
use crate::scenes::scenes;
use crate::views::{views_of, wild_views};

/// A row but for the edge functions at the first pixel.
fn row(t: &SnappedTriangle, side: u32) -> TileRow {
    let SnappedTriangle { front, area: [i, j], x, y, z } = *t;
    let most = (1 << 29) / side.max(TILE_SIDE) as i32;
    let wide = (0..3).any(|k| [x, y].iter().any(|v| (v[(k + 1) % 3] - v[k]).abs() > most));
    let flags = (u32::from(front) * FACES_FRONT) | (u32::from(wide) * WIDE);
    let area = flags | i[0] << 4 | i[1] << 11 | j[0] << 18 | j[1] << 25;
    TileRow { area, x, y, z, ..TileRow::default() }
}

/// The edge functions of a triangle at the first pixel, in pixels.
fn edges(t: &SnappedTriangle) -> [i32; 3] {
    [0, 1, 2].map(|k| {
        let [x, y, dx, dy] =
            [t.x[k], t.y[k], t.x[(k + 1) % 3] - t.x[k], t.y[(k + 1) % 3] - t.y[k]].map(i64::from);
        // Left and top edges are the triangle's own.
        let own = dy < 0 || dy == 0 && dx < 0;
        let start = dy * x - dx * y - i64::from(!own);
        (start >> 16).clamp(-(1 << 30), 1 << 30) as i32
    })
}

/// Triangles that a view shows, shows nothing of, and has no room for.
#[derive(Debug, Default)]
struct Seen {
    shown: usize,
    nothing: usize,
    no_room: usize,
}

/// The rows of a view against the CPU's.
fn check(view: &LatticeView<'_>, rows: &[TileRow], seen: &mut Seen, name: &str) {
    assert_eq!(rows.len(), view.triangles().len());
    for (number, row_of_device) in rows.iter().enumerate() {
        match view.snapped(number) {
            Ok(exact) => {
                let wanted = TileRow { edge: edges(&exact), ..row(&exact, view.count()) };
                assert_eq!(*row_of_device, wanted, "{name}: triangle {number}");
                seen.shown += 1;
            }
            Err(Unsnapped::Nothing) => {
                assert_eq!(row_of_device.edge, [-1; 3], "{name}: triangle {number}");
                seen.nothing += 1;
            }
            Err(Unsnapped::NoRoom) => {
                assert!(row_of_device.area & NO_ROOM != 0, "{name}: triangle {number}: {row_of_device:?}");
                seen.no_room += 1;
            }
        }
    }
}

#[test]
fn triangles_are_snapped_as_on_the_cpu_to_the_last_bit() {
    let Some(mut engine) = engine("snap") else { return };
    for scene in scenes() {
        let jobs = scene.jobs();
        for resolution in [32, 64] {
            let views = views_of(&jobs, resolution);
            engine.begin();
            for (_, view) in &views {
                engine.push_view(view).expect("no capacity is exceeded");
            }
            engine.finish().expect("the device answers");
            let rows = engine.read_rows().expect("rows come");
            let (mut seen, mut first) = (Seen::default(), 0);
            for (_, view) in &views {
                let next = first + view.triangles().len();
                check(view, &rows[first..next], &mut seen, scene.name);
                first = next;
            }
            println!("{} at {resolution}: {seen:?}", scene.name);
            // A slab of 800 m is too large for the pixels of a view of a torus of half a metre.
            assert!(seen.shown > 0 && (seen.no_room == 0 || scene.name == "large-small"), "{seen:?}");
        }
    }
}

#[test]
fn whatever_the_map_is_the_rows_are_those_of_the_cpu() {
    let Some(mut engine) = engine("snap of wild maps") else { return };
    let scene = scenes().swap_remove(1);
    let jobs = scene.jobs();
    let mut seen = Seen::default();
    engine.begin();
    let pushed: Vec<_> =
        wild_views(&jobs).into_iter().filter(|(_, view)| engine.push_view(view).is_ok()).collect();
    engine.finish().expect("the device answers");
    let (rows, mut first) = (engine.read_rows().expect("rows come"), 0);
    for (round, view) in &pushed {
        let next = first + view.triangles().len();
        check(view, &rows[first..next], &mut seen, &format!("wild map {round}"));
        first = next;
    }
    println!("wild maps: {} views, {seen:?}", pushed.len());
    assert!(seen.shown > 1000 && seen.no_room > 100, "{seen:?}");
}
