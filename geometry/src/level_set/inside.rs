//! The inside of a level set.

use nalgebra::Point3;

use super::LevelSet;
use super::ids::TRIANGLES;
use super::kuhn::holding;

/// On which side of a triangle's plane a place is: negative inside.
fn side([a, b, c]: &[Point3<f64>; 3], p: &Point3<f64>) -> f64 {
    (b - a).cross(&(c - a)).dot(&(p - a))
}

impl LevelSet {
    /// Whether a place (m, the level set's frame) is inside, by the planes of the triangles in its tetrahedron, as `f64` has it.
    pub fn holds(&self, at: &Point3<f64>) -> bool {
        let step: [f64; 3] =
            std::array::from_fn(|k| (at[k] - f64::from(self.origin[k])) / f64::from(self.spacing[k]));
        // Not so of NaN.
        if !(0..3).all(|k| (0.0..=f64::from(self.size[k] - 1)).contains(&step[k])) {
            return false;
        }
        let cell: [u32; 3] = std::array::from_fn(|k| (step[k] as u32).min(self.size[k] - 2));
        let tet = holding(std::array::from_fn(|k| step[k] - f64::from(cell[k])));
        let inside = self.inside_of(cell, tet);
        let first = TRIANGLES * self.number(cell) + 2 * tet as u32;
        let corners = |t: u32| self.corners(t).map(|p| p.cast::<f64>());
        match self.patch(cell, tet).count {
            0 => inside != 0,
            1 => side(&corners(first), at) <= 0.0,
            _ => {
                let (p, q) = (corners(first), corners(first + 1));
                let within = [side(&p, at) <= 0.0, side(&q, at) <= 0.0];
                // Two planes that bend away from the outside bound what is below both.
                if side(&p, &q[2]) <= 0.0 { within[0] && within[1] } else { within[0] || within[1] }
            }
        }
    }

    /// The value at a place (m, the level set's frame), linear in each tetrahedron, as `f64` has it; `None` outside of the grid.
    pub fn value_at(&self, at: &Point3<f64>) -> Option<f64> {
        let step: [f64; 3] =
            std::array::from_fn(|k| (at[k] - f64::from(self.origin[k])) / f64::from(self.spacing[k]));
        if !(0..3).all(|k| (0.0..=f64::from(self.size[k] - 1)).contains(&step[k])) {
            return None;
        }
        let cell: [u32; 3] = std::array::from_fn(|k| (step[k] as u32).min(self.size[k] - 2));
        let part: [f64; 3] = std::array::from_fn(|k| step[k] - f64::from(cell[k]));
        let corners = super::kuhn::CORNERS[holding(part)];
        let value =
            |corner: u8| f64::from(self.value(std::array::from_fn(|k| cell[k] + u32::from(corner >> k & 1))));
        let along = |n: usize| part[(corners[n] ^ corners[n - 1]).trailing_zeros() as usize];
        let own = corners.map(value);
        Some(own[0] + (1..4).map(|n| along(n) * (own[n] - own[n - 1])).sum::<f64>())
    }

    /// Middle of a cell's lowest corner and the next along each axis (m).
    #[cfg(test)]
    pub(super) fn middle_of(&self, cell: [u32; 3]) -> Point3<f64> {
        Point3::from(std::array::from_fn::<f64, 3, _>(|k| f64::from(self.along(k, cell[k] as f32 + 0.5))))
    }
}
