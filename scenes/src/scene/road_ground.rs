//! Hills that are computed, cut into tiles.

use std::f64::consts::TAU;

use impinge_geometry::{HeightField, HeightFieldSettings, Shape, ShapeError};
use nalgebra::{Point3, Vector3};

/// Cells of a tile along and across the road, and their width (m).
const CELLS: [u32; 2] = [48, 24];
const CELL: f64 = 0.5;
/// Where the ground ends (m).
const BOTTOM: f32 = -3.0;
/// Waves along the road: length and height (m); and a hollow across it. No hill is so sharp that anything leaves it at 30 m/s.
const WAVES: [[f64; 2]; 3] = [[41.0, 0.08], [23.0, 0.012], [13.0, 0.002]];
const HOLLOW: [f64; 2] = [18.0, 0.05];

/// The ground of a road: hills that are computed, cut into tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoadGround;

impl RoadGround {
    /// Length of a tile (m).
    pub fn tile_length(&self) -> f64 {
        CELL * f64::from(CELLS[0])
    }

    /// Where a tile's first sample stands (m, world), by its number along the road.
    pub fn tile_place(&self, tile: u32) -> Point3<f64> {
        Point3::new(self.tile_length() * f64::from(tile), -0.5 * CELL * f64::from(CELLS[1]), 0.0)
    }

    /// A tile, of cells that are divided by `fine` in each direction, but lie in the planes of the undivided ones.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn tile(&self, tile: u32, fine: u32) -> Result<Shape, ShapeError> {
        Ok(self.field(tile * CELLS[0], CELLS[0], fine)?.into())
    }

    /// The first tiles in one.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn whole(&self, tiles: u32) -> Result<Shape, ShapeError> {
        Ok(self.field(0, tiles * CELLS[0], 1)?.into())
    }

    /// The normal of the smooth hills at a place (m, world).
    pub fn normal(&self, x: f64, y: f64) -> Vector3<f64> {
        let d = 1e-4;
        let slope =
            |dx: f64, dy: f64| (self.height(x + dx, y + dy) - self.height(x - dx, y - dy)) / (2.0 * d);
        Vector3::new(-slope(d, 0.0), -slope(0.0, d), 1.0).normalize()
    }

    fn field(&self, first: u32, cells: u32, fine: u32) -> Result<HeightField, ShapeError> {
        let size = [cells * fine + 1, CELLS[1] * fine + 1];
        let sample = |i: u32, j: u32| {
            let (x, y) = (CELL * f64::from(first + i), CELL * (f64::from(j) - 0.5 * f64::from(CELLS[1])));
            self.height(x, y) as f32
        };
        let at = |i: u32, j: u32| {
            // On the triangle of the undivided cell, whose diagonal goes from its first corner to its last.
            let ([i, j], [u, v]) =
                ([i / fine, j / fine], [i % fine, j % fine].map(|n| n as f32 / fine as f32));
            let corner = |x: u32, y: u32| sample(i + x, j + y);
            let first = corner(0, 0);
            match (u == 0.0, v == 0.0) {
                (true, true) => first,
                _ if u >= v => {
                    let second = corner(1, 0);
                    let third = if v > 0.0 { corner(1, 1) } else { second };
                    first + u * (second - first) + v * (third - second)
                }
                _ => {
                    let second = corner(0, 1);
                    let third = if u > 0.0 { corner(1, 1) } else { second };
                    first + v * (second - first) + u * (third - second)
                }
            }
        };
        let heights = (0..size[1]).flat_map(|j| (0..size[0]).map(move |i| [i, j])).map(|[i, j]| at(i, j));
        let settings = HeightFieldSettings {
            spacing: [(CELL / f64::from(fine)) as f32; 2],
            bottom: Some(BOTTOM),
            ..HeightFieldSettings::default()
        };
        Ok(HeightField::new(size, heights.collect(), &settings)?)
    }

    /// The height of the hills (m): the same on both sides of the road's middle.
    pub fn height(&self, x: f64, y: f64) -> f64 {
        let waves = WAVES.iter().map(|[length, height]| height * (1.0 - libm::cos(TAU * x / length)));
        waves.sum::<f64>() - HOLLOW[1] * libm::cos(TAU * y / HOLLOW[0])
    }
}
