//! Triangles snapped on the device against the CPU's, bit by bit.

use impinge_gpu_narrow::image::layout::{NO_ROOM, TileRow};
use impinge_image_space::reference_view::ReferenceView;
use impinge_image_space::snap::{SnappedTriangle, Unsnapped};

use crate::engine;
use crate::scenes::scenes;
use crate::views::views_of;

fn row(t: &SnappedTriangle) -> TileRow {
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
fn check(view: &ReferenceView<'_>, rows: &[TileRow], seen: &mut Seen, name: &str) {
    assert_eq!(rows.len(), view.triangles().len());
    for (number, row_of_device) in rows.iter().enumerate() {
        match view.snapped(number) {
            Ok(exact) => {
                assert_eq!(*row_of_device, row(&exact), "{name}: triangle {number}");
                seen.shown += 1;
            }
            // The device does not ask whether a triangle too large for it passes between pixels.
            Err(_) if row_of_device.area & NO_ROOM != 0 => seen.no_room += 1,
            Err(Unsnapped::Nothing) => {
                assert_eq!(row_of_device.edge, [-1; 3], "{name}: triangle {number}");
                assert_eq!(row_of_device.across, [0; 4]);
                seen.nothing += 1;
            }
            Err(Unsnapped::NoRoom) => panic!("{name}: triangle {number}: {row_of_device:?}"),
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
