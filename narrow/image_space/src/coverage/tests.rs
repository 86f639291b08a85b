use proptest::prelude::*;

use super::four::four;
use super::oracle::crossings;
use super::*;

#[derive(Default)]
struct List(Vec<(usize, i64, bool)>);

impl Sink for List {
    fn put(&mut self, pixel: usize, depth: i64, front: bool, _triangle: u32) {
        self.0.push((pixel, depth, front));
    }
}

/// As one triangle, as the first of four, and as the last of four.
fn ways(grid: &Grid, corners: &Corners) -> [List; 3] {
    let mut ways = [List::default(), List::default(), List::default()];
    cover(grid, corners, 7, &mut ways[0]);
    let lanes: FourCorners =
        [0, 1, 2].map(|i| [corners.x[i], corners.y[i], corners.z[i]].map(|x| [x as f64; LANES]));
    four(grid, &lanes, &[7], &mut ways[1]);
    // The first three lie beside every view.
    let mut last: FourCorners = [[[-4.0e8; LANES]; 3]; 3];
    for i in 0..3 {
        for k in 0..3 {
            last[i][k][LANES - 1] = lanes[i][k][0];
        }
    }
    four(grid, &last, &[1, 2, 3, 7], &mut ways[2]);
    ways
}

/// A coordinate: on or beside a pixel's centre, within the view, or far outside, at any scale that `f64` holds whole.
fn coordinate(sub_bits: u32) -> impl Strategy<Value = i64> {
    let sub = 1i64 << sub_bits;
    prop_oneof![
        (-2i64..18, -1i64..2).prop_map(move |(i, off)| i * sub + off),
        -2 * sub..18 * sub,
        (any::<i64>(), 8u32..54).prop_map(|(x, bits)| x >> (63 - bits)),
    ]
}

fn depth() -> impl Strategy<Value = i64> {
    prop_oneof![-3i64..4, 0i64..1 << 22, (any::<i64>(), 8u32..54).prop_map(|(z, bits)| z >> (63 - bits))]
}

fn corners(sub_bits: u32) -> impl Strategy<Value = Corners> {
    let three = prop::array::uniform3(coordinate(sub_bits));
    (three, prop::array::uniform3(coordinate(sub_bits)), prop::array::uniform3(depth()))
        .prop_map(|(x, y, z)| Corners { x, y, z })
}

fn grid_and_corners() -> impl Strategy<Value = (Grid, Corners)> {
    let far = prop_oneof![Just(i64::MAX), -4i64..1 << 22];
    (prop::array::uniform2(1u32..17), prop::sample::select(vec![4u32, 8, 16]), far)
        .prop_flat_map(|(pixels, sub_bits, far)| (Just(Grid { pixels, sub_bits, far }), corners(sub_bits)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn every_way_covers_what_the_rule_says_at_the_depth_of_the_plane((grid, corners) in grid_and_corners()) {
        let wanted = crossings(&grid, &corners);
        for way in ways(&grid, &corners) {
            prop_assert_eq!(&way.0, &wanted);
        }
    }

    /// Of pixels that are asked for, whichever these are, the same is told.
    #[test]
    fn what_is_not_asked_for_changes_nothing_else((grid, corners) in grid_and_corners(), asked: u64) {
        struct Asked(u64, List);
        impl Sink for Asked {
            fn wants(&self, pixel: usize) -> bool {
                self.0 >> (pixel * 7 % 64) & 1 == 1
            }

            fn put(&mut self, pixel: usize, depth: i64, front: bool, triangle: u32) {
                self.1.put(pixel, depth, front, triangle);
            }
        }
        let mut found = Asked(asked, List::default());
        let lanes: FourCorners =
            [0, 1, 2].map(|i| [corners.x[i], corners.y[i], corners.z[i]].map(|x| [x as f64; LANES]));
        four(&grid, &lanes, &[7], &mut found);
        let wanted = crossings(&grid, &corners).into_iter().filter(|(pixel, ..)| found.wants(*pixel));
        prop_assert_eq!(&found.1.0, &wanted.collect::<Vec<_>>());
    }

    /// Pictures' rows are covered as the lattice is, from the top.
    #[test]
    fn rows_of_a_picture_are_the_same_pixels((grid, corners) in grid_and_corners()) {
        let [width, height] = grid.pixels;
        let grid = Grid { sub_bits: 8, far: i64::MAX, ..grid };
        let mut wanted = List::default();
        cover(&grid, &corners, 0, &mut wanted);
        let mut wanted: Vec<usize> = wanted.0.into_iter().map(|(pixel, ..)| pixel).collect();
        wanted.sort_unstable();
        let high = f64::from(height);
        let at = |k: usize| {
            [corners.x[k] as f64 / 256.0 + 0.5, high - 0.5 - corners.y[k] as f64 / 256.0, 1.0]
        };
        let window = rows::Window { columns: 0..width, rows: 0..height };
        let mut found = Vec::new();
        rows::cover(&[at(0), at(1), at(2)], &window, |span| {
            found.extend((span.first..span.end).map(|x| ((height - 1 - span.y) * width + x) as usize));
        });
        found.sort_unstable();
        let exact = corners.x.iter().chain(&corners.y).all(|c| c.abs() < 1 << 50);
        prop_assert!(!exact || found == wanted, "{found:?} instead of {wanted:?}");
    }

    /// A square cut along a diagonal covers every centre of its box once, whichever corner comes first, and along the
    /// diagonal both halves have one depth.
    #[test]
    fn triangles_that_share_an_edge_leave_nothing_out_and_cover_nothing_twice(
        x in prop::array::uniform4(coordinate(8)),
        y in prop::array::uniform4(coordinate(8)),
        apex in 0i64..1000,
    ) {
        let grid = Grid { pixels: [16; 2], sub_bits: 8, far: i64::MAX };
        // A pyramid without its base: four faces around an apex, closed by two for the base.
        let at = |k: usize| if k < 4 { [x[k], y[k], 0] } else { [(x[0] + x[2]) / 2, (y[1] + y[3]) / 2, apex] };
        let faces = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [2, 1, 0], [0, 3, 2]];
        let mut turns = vec![0i32; 256];
        for face in faces {
            let c = face.map(at);
            let corners = Corners { x: c.map(|p| p[0]), y: c.map(|p| p[1]), z: c.map(|p| p[2]) };
            let mut list = List::default();
            cover(&grid, &corners, 0, &mut list);
            for (pixel, _, front) in list.0 {
                turns[pixel] += if front { 1 } else { -1 };
            }
        }
        prop_assert!(turns.iter().all(|&t| t == 0), "{turns:?}");
    }
}

#[test]
fn a_half_step_goes_up_and_an_edge_on_triangle_covers_nothing() {
    let grid = Grid { pixels: [1; 2], sub_bits: 8, far: i64::MAX };
    // From 0 at x = −256 to 1 at x = 256: a half at the centre. Then with the same plane below zero.
    for (z, wanted) in [([0, 1, 0], 1), ([-1, 0, -1], 0), ([-2, -1, -2], -1)] {
        let corners = Corners { x: [-256, 256, -256], y: [-256, 0, 256], z };
        for way in ways(&grid, &corners) {
            assert_eq!(way.0, [(0, wanted, false)]);
        }
    }
    let edge_on = Corners { x: [-256, 256, 512], y: [0; 3], z: [0, 100, -100] };
    assert!(ways(&grid, &edge_on).iter().all(|way| way.0.is_empty()));
}

#[test]
fn corners_out_of_reach_are_held_and_faces_that_are_not_drawn_are_left_out() {
    struct Backs(List);
    impl Sink for Backs {
        fn draws(&self, front: bool) -> bool {
            !front
        }
        fn put(&mut self, pixel: usize, depth: i64, front: bool, triangle: u32) {
            self.0.put(pixel, depth, front, triangle);
        }
    }
    let grid = Grid { pixels: [2; 2], sub_bits: 16, far: i64::MAX };
    let far = 1e30;
    let corners = Corners::nearest(&[[-far, -far, 5.0], [far, -far, 5.0], [0.0, far, 5.0]]);
    assert_eq!(corners.x[1], 1 << 55);
    let mut backs = Backs(List::default());
    cover(&grid, &corners, 0, &mut backs);
    assert_eq!(backs.0.0, [0, 1, 2, 3].map(|pixel| (pixel, 5, false)));
    let turned = Corners { x: [corners.x[1], corners.x[0], corners.x[2]], ..corners };
    cover(&grid, &turned, 0, &mut backs);
    assert_eq!(backs.0.0.len(), 4);
}
