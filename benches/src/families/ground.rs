//! Closed grounds: a grid of heights, with walls down to a flat bottom.

use nalgebra::Point3;

use super::solid::Solid;

/// A grid of heights. Sample (i, j) stands at (i · spacing, j · spacing).
#[derive(Clone, Debug)]
pub struct Ground {
    /// Samples along x and y.
    pub size: [u32; 2],
    pub spacing: f64,
    pub bottom: f64,
    /// Row by row from y = 0 on.
    pub heights: Vec<f64>,
}

impl Ground {
    fn at(&self, i: u32, j: u32) -> u32 {
        j * self.size[0] + i
    }

    /// Returns the closed surface. The diagonal of a cell goes from (i, j) to (i + 1, j + 1).
    pub fn solid(&self) -> Solid {
        self.solid_with(|_, _, _| false)
    }

    /// Returns the closed surface. `build` may replace a cell: it gets the surface so far, the
    /// cell and its four corners, and says whether it filled the cell.
    pub fn solid_with(&self, build: impl Fn(&mut Solid, [u32; 2], [u32; 4]) -> bool) -> Solid {
        let [columns, rows] = self.size;
        let mut solid = Solid::default();
        for level in [false, true] {
            for (k, &height) in self.heights.iter().enumerate() {
                let (i, j) = (k as u32 % columns, k as u32 / columns);
                let z = if level { self.bottom } else { height };
                let [x, y] = [i, j].map(|k| f64::from(k) * self.spacing);
                solid.vertices.push(Point3::new(x, y, z));
            }
        }
        let below = columns * rows;
        for j in 0..rows - 1 {
            for i in 0..columns - 1 {
                let [a, b] = [self.at(i, j), self.at(i + 1, j)];
                let [c, d] = [self.at(i + 1, j + 1), self.at(i, j + 1)];
                if !build(&mut solid, [i, j], [a, b, c, d]) {
                    solid.quad([a, b, c, d]);
                }
                solid.quad([below + a, below + d, below + c, below + b]);
            }
        }
        self.walls(&mut solid, below);
        solid
    }

    fn walls(&self, solid: &mut Solid, below: u32) {
        let [columns, rows] = self.size;
        let mut wall = |p: u32, q: u32| solid.quad([below + p, below + q, q, p]);
        for i in 0..columns - 1 {
            wall(self.at(i, 0), self.at(i + 1, 0));
            wall(self.at(i + 1, rows - 1), self.at(i, rows - 1));
        }
        for j in 0..rows - 1 {
            wall(self.at(columns - 1, j), self.at(columns - 1, j + 1));
            wall(self.at(0, j + 1), self.at(0, j));
        }
    }
}
