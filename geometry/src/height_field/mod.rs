//! Height fields: terrain over a regular grid, in a few bytes for each sample.
//!
//! Triangles, edges and vertices are computed from the samples whenever they are asked for; what is stored beside these are the least and
//! greatest heights of blocks of cells (`pyramid.rs`). The field is a solid: its bottom and the walls round it are virtual faces, which
//! bound the volume but never count as touching.

mod bit_set;
mod edit;
mod error;
mod ids;
mod island_list;
mod islands;
mod level;
mod mass;
mod mesh;
mod pyramid;
mod samples;
#[cfg(feature = "serde")]
mod snapshot;
#[cfg(test)]
mod tests;

use nalgebra::Point3;

pub use edit::FieldEdit;
pub use error::{HeightFieldError, MOST_SAMPLES};
pub use ids::FewFaces;
pub use level::BLOCK_BITS;
pub use mesh::FieldMesh;
#[cfg(feature = "serde")]
pub(crate) use snapshot::FieldData;

use self::bit_set::BitSet;
use self::island_list::Islands;
use self::level::Level;
use self::samples::Samples;
use crate::{Aabb, BoundingSphere, FARTHEST};

/// How cells are cut into two triangles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Diagonals {
    /// From (i, j) to (i + 1, j + 1).
    #[default]
    Rising,
    /// From (i + 1, j) to (i, j + 1).
    Falling,
    /// Of each cell whether it falls: row by row, one for each sample (those of the last column and row say nothing).
    PerCell(Vec<bool>),
}

/// What a height field has beside its samples.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightFieldSettings {
    /// From sample to sample along x and y (m).
    pub spacing: [f32; 2],
    /// Where the ground ends below (m, local z), lower than every sample. `None`: as far below the lowest sample as the field is long (or wide,
    /// or high, whichever is most), which is without end for bodies that are smaller than that. Views that reach a bottom
    /// a thousand times as far away as bodies are large are drawn with wider integers, which is slower: of a large field with small bodies, name one.
    pub bottom: Option<f32>,
    /// How cells are cut into triangles.
    pub diagonals: Diagonals,
    /// Which cells are taken out: row by row, one for each sample (those of the last column and row say nothing). Empty: none.
    pub holes: Vec<bool>,
}

impl Default for HeightFieldSettings {
    fn default() -> HeightFieldSettings {
        HeightFieldSettings {
            spacing: [1.0; 2],
            bottom: None,
            diagonals: Diagonals::Rising,
            holes: Vec::new(),
        }
    }
}

/// As [`Diagonals`], stored.
#[derive(Clone, Debug)]
enum Diagonal {
    Rising,
    Falling,
    PerCell(BitSet),
}

/// Terrain over a regular grid: sample (i, j) stands at (i · dx, j · dy, height), local z up (m).
///
/// A sample that is NaN is no terrain: triangles that it would be a corner of are not there, and neither are those of cells that are taken out.
/// The ground reaches from the triangles down to the bottom, and ends where they do.
///
/// ```
/// use impinge_geometry::{HeightField, HeightFieldSettings};
///
/// let settings = HeightFieldSettings { spacing: [0.5, 0.5], bottom: Some(-1.0), ..Default::default() };
/// let field = HeightField::new([3, 3], vec![0.0; 9], &settings)?;
/// // One metre by one, one deep.
/// assert!((field.mass_properties()?.volume - 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct HeightField {
    samples: Samples,
    /// Samples along x and y.
    size: [u32; 2],
    spacing: [f32; 2],
    /// Numbers of samples have so many bits for the place in a row.
    shift: u32,
    bottom: f32,
    diagonals: Diagonal,
    holes: Option<BitSet>,
    /// Whether a triangle may be missing.
    gaps: bool,
    levels: Vec<Level>,
    islands: Islands,
}

impl HeightField {
    /// A field of `size` samples along x and y: heights (m) row by row from y = 0 on.
    ///
    /// # Errors
    /// [`HeightFieldError`] names what cannot be used, and where.
    pub fn new(
        size: [u32; 2],
        heights: Vec<f32>,
        settings: &HeightFieldSettings,
    ) -> Result<HeightField, HeightFieldError> {
        HeightField::of_samples(size, Samples::F32(heights), settings)
    }

    /// A field in half the memory: sample `q` is `base + step · q` high (m), rounded to `f32` after the product and after the sum.
    ///
    /// # Errors
    /// As [`HeightField::new`].
    pub fn quantized(
        size: [u32; 2],
        values: Vec<u16>,
        [base, step]: [f32; 2],
        settings: &HeightFieldSettings,
    ) -> Result<HeightField, HeightFieldError> {
        for (what, value) in [("base", base), ("step", step)] {
            if !(value.is_finite() && value.abs() <= FARTHEST as f32) {
                return Err(HeightFieldError::Scale { what, value });
            }
        }
        HeightField::of_samples(size, Samples::U16 { values, base, step }, settings)
    }

    fn of_samples(
        size: [u32; 2],
        samples: Samples,
        settings: &HeightFieldSettings,
    ) -> Result<HeightField, HeightFieldError> {
        if size.iter().any(|n| !(2..=MOST_SAMPLES).contains(n)) {
            return Err(HeightFieldError::Size { size });
        }
        let expected = (size[0] * size[1]) as usize;
        let count = |what: &'static str, given: usize| match given == expected {
            true => Ok(()),
            false => Err(HeightFieldError::Count { what, given, expected, size }),
        };
        count("samples", samples.len())?;
        let diagonals = match &settings.diagonals {
            Diagonals::Rising => Diagonal::Rising,
            Diagonals::Falling => Diagonal::Falling,
            Diagonals::PerCell(falls) => {
                count("diagonals", falls.len())?;
                Diagonal::PerCell(BitSet::of(falls))
            }
        };
        let holes = match &settings.holes[..] {
            [] => None,
            holes => {
                count("holes", holes.len())?;
                Some(BitSet::of(holes))
            }
        };
        let mut field = HeightField {
            shift: size[0].next_power_of_two().trailing_zeros(),
            spacing: settings.spacing,
            bottom: 0.0,
            gaps: holes.is_some(),
            levels: Vec::new(),
            islands: Islands::default(),
            samples,
            size,
            diagonals,
            holes,
        };
        field.check_spacing()?;
        field.gaps |= field.check_heights([[0, 0], size.map(|n| n - 1)])?;
        field.set_bottom(settings.bottom)?;
        match field.find_islands() {
            true => field.make_levels(),
            false => return Err(HeightFieldError::Empty),
        }
        Ok(field)
    }

    /// Whether a sample between two, both included, is NaN.
    fn check_heights(&self, [first, last]: [[u32; 2]; 2]) -> Result<bool, HeightFieldError> {
        let mut gap = false;
        for j in first[1]..=last[1] {
            for i in first[0]..=last[0] {
                let value = self.samples.at(self.index([i, j]));
                // Not so of NaN.
                if value.abs() > FARTHEST as f32 {
                    return Err(HeightFieldError::Height { sample: [i, j], value });
                }
                gap |= value.is_nan();
            }
        }
        Ok(gap)
    }

    fn set_bottom(&mut self, given: Option<f32>) -> Result<(), HeightFieldError> {
        let (mut lowest, mut highest, mut at) = (f32::INFINITY, f32::NEG_INFINITY, 0);
        for index in 0..self.samples.len() {
            let h = self.samples.at(index);
            if h < lowest {
                (lowest, at) = (h, index as u32);
            }
            highest = if h > highest { h } else { highest };
        }
        if lowest > highest {
            return Err(HeightFieldError::Empty);
        }
        let [length, width] = [0, 1].map(|k| self.spacing[k] * (self.size[k] - 1) as f32);
        self.bottom = given.unwrap_or_else(|| lowest - length.max(width).max(highest - lowest));
        let sound = self.bottom.is_finite() && self.bottom.abs() <= FARTHEST as f32 && self.bottom < lowest;
        if !sound {
            let sample = [at % self.size[0], at / self.size[0]];
            return Err(HeightFieldError::Bottom { bottom: self.bottom, lowest, sample });
        }
        Ok(())
    }

    /// Where a sample is among all.
    #[inline]
    fn index(&self, [i, j]: [u32; 2]) -> usize {
        (j * self.size[0] + i) as usize
    }

    /// The height of a sample (m), by its place in its row and its row; NaN where there is no terrain.
    #[inline]
    pub fn height(&self, at: [u32; 2]) -> f32 {
        self.samples.at(self.index(at))
    }

    /// Samples along x and y.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// From sample to sample along x and y (m).
    pub fn spacing(&self) -> [f32; 2] {
        self.spacing
    }

    /// Where the ground ends below (m, local z).
    pub fn bottom(&self) -> f32 {
        self.bottom
    }

    /// Whether triangles may be missing, so that edges may have more than two faces.
    pub fn has_gaps(&self) -> bool {
        self.gaps
    }

    /// Whether the cell above and to the right of a sample has its first or second triangle.
    pub fn has_triangle_at(&self, at: [u32; 2], k: u32) -> bool {
        self.exists(at, k)
    }

    /// The number of a sample's vertex.
    pub fn vertex_number(&self, at: [u32; 2]) -> u32 {
        self.vertex_at(at)
    }

    /// The place in its row and the row of a vertex's sample, which is as many below the first vertex on the bottom as it is.
    pub fn sample_place(&self, vertex: u32) -> [u32; 2] {
        let v = self.stride();
        self.place_of(if vertex < v { vertex } else { vertex - v })
    }

    /// Whether a wall stands under an edge between samples: edge `3v`, `3v + 1` or `3v + 2` of vertex `v`, to the right, up, or the cell's
    /// diagonal. Its triangles are `4V + 2e` and the next, with `V` half of [`HeightField::first_virtual`].
    pub fn has_wall(&self, edge: u32) -> bool {
        self.wall(edge).is_some()
    }

    /// The least and greatest height (m) of the samples round some cells, by the lowest one and how many there are along x and y; the first is
    /// greater where there is none.
    #[inline]
    pub fn heights(&self, cell: [u32; 2], cells: [u32; 2]) -> [f32; 2] {
        self.heights_of(cell, cells)
    }

    /// Where a coordinate of the grid is (m).
    #[inline]
    pub fn along(&self, axis: usize, at: u32) -> f32 {
        at as f32 * self.spacing[axis]
    }

    /// A vertex (m).
    #[inline]
    pub fn vertex(&self, vertex: u32) -> Point3<f32> {
        let v = self.stride();
        let below = vertex >= v;
        let [i, j] = self.place_of(if below { vertex - v } else { vertex });
        let z = if below { self.bottom } else { self.height([i, j]) };
        Point3::new(self.along(0, i), self.along(1, j), z)
    }

    /// The corners of a triangle (m).
    #[inline]
    pub fn corners(&self, triangle: u32) -> [Point3<f32>; 3] {
        self.vertices_of(triangle).map(|v| self.vertex(v))
    }

    /// The least and greatest sample (m).
    fn range(&self) -> [f32; 2] {
        self.bounds(self.top_level(), [0, 0])
    }

    /// Box from the bottom to the highest sample (m).
    pub fn aabb(&self) -> Aabb {
        let [x, y] = [0, 1].map(|k| self.along(k, self.size[k] - 1));
        Aabb { min: [0.0, 0.0, self.bottom], max: [x, y, self.range()[1]] }
    }

    /// Sphere around that box (m).
    pub fn bounding_sphere(&self) -> BoundingSphere {
        let aabb = self.aabb();
        let center = aabb.center();
        let far = |k: usize| {
            let c = f64::from(center[k]);
            (f64::from(aabb.max[k]) - c).max(c - f64::from(aabb.min[k]))
        };
        let radius = (far(0) * far(0) + far(1) * far(1) + far(2) * far(2)).sqrt();
        BoundingSphere { center, radius: crate::volume::round_up(radius * (1.0 + 1e-12)) }
    }

    /// Whether a place (m, the field's frame) is in the ground, as `f64` has it.
    pub fn holds(&self, at: &Point3<f64>) -> bool {
        let cell = [0, 1].map(|k| at[k] / f64::from(self.spacing[k]));
        let last = self.size.map(|n| f64::from(n - 1));
        if !(0..2).all(|k| (0.0..=last[k]).contains(&cell[k])) || at.z < f64::from(self.bottom) {
            return false;
        }
        let [i, j] = [0, 1].map(|k| (cell[k] as u32).min(self.size[k] - 2));
        let [s, t] = [cell[0] - f64::from(i), cell[1] - f64::from(j)];
        let second = if self.falls([i, j]) { s + t > 1.0 } else { t > s };
        if !self.exists([i, j], u32::from(second)) {
            return false;
        }
        let h = |di: u32, dj: u32| f64::from(self.height([i + di, j + dj]));
        let top = match (self.falls([i, j]), second) {
            (false, false) => h(0, 0) + s * (h(1, 0) - h(0, 0)) + t * (h(1, 1) - h(1, 0)),
            (false, true) => h(0, 0) + t * (h(0, 1) - h(0, 0)) + s * (h(1, 1) - h(0, 1)),
            (true, false) => h(0, 0) + s * (h(1, 0) - h(0, 0)) + t * (h(0, 1) - h(0, 0)),
            (true, true) => h(1, 1) + (1.0 - s) * (h(0, 1) - h(1, 1)) + (1.0 - t) * (h(1, 0) - h(1, 1)),
        };
        at.z <= top
    }

    /// The field made larger or smaller about its origin.
    ///
    /// # Errors
    /// As [`HeightField::new`], for sizes that the factor makes too large or too small.
    pub fn scaled(&self, factor: f64) -> Result<HeightField, HeightFieldError> {
        let times = |x: f32| (f64::from(x) * factor) as f32;
        let mut field = self.clone();
        field.spacing = self.spacing.map(times);
        match &mut field.samples {
            Samples::F32(values) => values.iter_mut().for_each(|h| *h = times(*h)),
            Samples::U16 { base, step, .. } => (*base, *step) = (times(*base), times(*step)),
        }
        field.check_spacing()?;
        field.check_heights([[0, 0], self.size.map(|n| n - 1)])?;
        field.set_bottom(Some(times(self.bottom)))?;
        field.make_levels();
        Ok(field)
    }

    fn check_spacing(&self) -> Result<(), HeightFieldError> {
        for (k, axis) in ["x", "y"].into_iter().enumerate() {
            let (value, length) = (self.spacing[k], self.spacing[k] * (self.size[k] - 1) as f32);
            if !(value > 0.0 && length <= FARTHEST as f32) {
                return Err(HeightFieldError::Spacing { axis, value });
            }
        }
        Ok(())
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let diagonals = if let Diagonal::PerCell(bits) = &self.diagonals { bits.bytes() } else { 0 };
        let holes = self.holes.as_ref().map_or(0, BitSet::bytes);
        size_of::<HeightField>()
            + self.samples.bytes()
            + self.level_bytes()
            + self.islands.bytes()
            + diagonals
            + holes
    }
}
