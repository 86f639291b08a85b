//! What the CPU sees in a view that was handed to a device, for whoever compares the two.

use impinge_midphase::PairJob;

use super::Layers;
use super::tile::{Tile, Tiles};
use crate::columns::{Columns, Sums};
use crate::layers::Body;
use crate::patches::Join;

/// A crossing of a surface and the line through a pixel's centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileFragment {
    /// Steps.
    pub depth: i32,
    /// Whether the line goes in.
    pub front: bool,
    /// 0 for A, 1 for B.
    pub side: usize,
    /// The triangle's number in its mesh.
    pub triangle: u32,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrueColumn {
    /// The pixel, to the right and up.
    pub pixel: [u16; 2],
    /// Where A's stretch begins and ends, and B's (steps).
    pub depths: [[i32; 2]; 2],
    /// At which triangles of their meshes.
    pub triangles: [[u32; 2]; 2],
}

/// All that the CPU sees in a view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileTruth {
    /// The fragments of every pixel, row after row, in their order.
    pub fragments: Vec<Vec<TileFragment>>,
    /// Columns, in the order of their pixels and of depth.
    pub columns: Vec<TrueColumn>,
    /// Lines on which a counter did not return to zero, and overlaps whose end is not seen.
    pub odd: u64,
    /// See `odd`.
    pub cut: u64,
    /// Columns with an overlap, and columns that only touch.
    pub overlaps: u64,
    /// See `overlaps`.
    pub touches: u64,
    /// Σ length (steps), and Σ length · twice the place of the column's middle.
    pub length: i64,
    /// See `length`.
    pub moment: [i128; 3],
    /// Σ gradient, and Σ gradient · twice the column's place.
    pub gradient: i64,
    /// See `gradient`.
    pub gradient_moment: [i64; 2],
    /// The longest column (steps), and its number; `None` where none overlaps.
    pub longest: Option<(i64, usize)>,
    /// How far B has to move along the view and against it until every overlap is free (steps).
    pub ways: Option<[i64; 2]>,
    /// Over the columns with an overlap, Σ of the products of twice their places (right · right, right · up, up · up), and
    /// the same times the length.
    pub second: [i64; 3],
    /// See `second`.
    pub weighted: [i128; 3],
    /// Of every column the first of its piece: that of all which neighbours, and theirs, meet.
    pub pieces: Vec<u32>,
    /// The columns with an overlap that are farthest along each of [`TileTruth::DIRECTIONS`]: how far, and its number.
    pub extremes: [Option<(i64, usize)>; 8],
}

impl TileTruth {
    /// Directions in which the farthest columns are known.
    pub const DIRECTIONS: [[i64; 2]; 8] =
        [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1], [1, -1], [-1, 1]];
}

impl Tiles {
    /// What the CPU sees in the view of a tile of `job`; `None` of another job's.
    pub fn truth(&self, tile: &Tile, job: &PairJob<'_>) -> Option<TileTruth> {
        let body = |k: usize| match &tile.lines[k] {
            Some(lines) => Some(Body::Solid(lines.clone())),
            None => {
                let surface = job.parts[k].surface.as_ref()?;
                Some(Body::Surface { mesh: &surface.mesh, tree: &surface.tree })
            }
        };
        let bodies = [body(0)?, body(1)?];
        let (mut layers, mut columns) = (Layers::default(), Columns::default());
        let _ = layers.capture(&tile.view, &job.frame, &bodies);
        columns.find(&mut layers, tile.open, tile.is_whole());
        let side = layers.size()[0];
        let mut truth = TileTruth { odd: columns.odd, cut: columns.cut, ..TileTruth::default() };
        for pixel in 0..side * side {
            let own = layers.sorted(pixel % side, pixel / side).iter().map(|f| TileFragment {
                depth: f.depth(),
                front: f.is_front(),
                side: f.body(),
                triangle: f.triangle(),
            });
            truth.fragments.push(own.collect());
        }
        let mut sums = Sums::default();
        for (index, column) in columns.list.iter().enumerate() {
            sums.add(column);
            let depths = column.solid.map(|s| [s.open, s.close]);
            let triangles = column.solid.map(|s| [s.open_triangle, s.close_triangle]);
            truth.columns.push(TrueColumn { pixel: [column.i, column.j], depths, triangles });
            if !column.is_touch() {
                let ways = [column.way_out(1.0), column.way_out(-1.0)];
                let known = truth.ways.unwrap_or(ways);
                truth.ways = Some([known[0].max(ways[0]), known[1].max(ways[1])]);
                let place = [column.i, column.j].map(i64::from);
                let [x, y] = place.map(|p| 2 * p + 1);
                for (k, product) in [x * x, x * y, y * y].into_iter().enumerate() {
                    truth.second[k] += product;
                    truth.weighted[k] += i128::from(product) * i128::from(column.length());
                }
                for ([u, v], farthest) in TileTruth::DIRECTIONS.iter().zip(&mut truth.extremes) {
                    let reach = u * place[0] + v * place[1];
                    if farthest.is_none_or(|(known, _)| reach > known) {
                        *farthest = Some((reach, index));
                    }
                }
                if truth.longest.is_none_or(|(length, _)| column.length() > length) {
                    truth.longest = Some((column.length(), index));
                }
            }
        }
        let mut join = Join::default();
        join.columns(&columns, 0);
        truth.pieces = (0..columns.list.len()).map(|column| join.of_column(column)).collect();
        let whole = sums.whole();
        (truth.overlaps, truth.touches) = (sums.overlaps, sums.touches);
        (truth.length, truth.moment) = (whole.0, whole.1);
        (truth.gradient, truth.gradient_moment) = (whole.2, whole.3);
        Some(truth)
    }
}
