//! Level sets: a body as samples of a function over a grid, negative inside.
//!
//! Every cell is cut into six tetrahedra (`kuhn.rs`), in each of which the function is linear: the surface is flat triangles, closed, without
//! ambiguous cases, and off from the function's own by the square of the spacing. Triangles, edges and vertices are computed from the samples
//! whenever they are asked for; what is stored beside these are the least and greatest values of blocks of 4³ cells (`pyramid.rs`).

mod cubes;
mod distances;
mod edit;
mod error;
mod ids;
mod inside;
mod kuhn;
mod mass;
mod mesh;
mod pieces;
mod pyramid;
mod samples;
mod shell_list;
mod shells;
#[cfg(feature = "serde")]
mod snapshot;
#[cfg(test)]
mod tests;

use nalgebra::Point3;

pub use cubes::BLOCK_BITS;
pub use edit::LevelEdit;
pub use error::{LevelSetError, MOST_LEVELS};
pub use mesh::LevelMesh;
#[cfg(feature = "serde")]
pub(crate) use snapshot::LevelData;

use self::cubes::CubeLevel;
use self::error::{MOST_STEPS, MOST_STRIDE};
use self::samples::LevelSamples;
use self::shell_list::ShellList;
use crate::{Aabb, BoundingSphere, FARTHEST};

/// A crossing keeps this part of its edge's length from both ends, so that no triangle is degenerate.
const LEAST_PART: f32 = 1.0 / 256.0;

/// Where the samples of a level set stand.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelSetSettings {
    /// From sample to sample along x, y and z (m).
    pub spacing: [f32; 3],
    /// Where the first sample stands (m). No coordinate of the grid may be more than 4,096 times the spacing.
    pub origin: [f32; 3],
}

impl Default for LevelSetSettings {
    fn default() -> LevelSetSettings {
        LevelSetSettings { spacing: [1.0; 3], origin: [0.0; 3] }
    }
}

/// A body given by a function over a regular grid: inside where it is negative, outside where it is zero or positive. Signed distances give
/// the best surfaces; any function whose values change evenly across its zero will do.
///
/// The geometry is that of the samples, piecewise linear over six tetrahedra in each cell. The surface has to close within the grid: no sample
/// at its border is negative.
///
/// ```
/// use impinge_geometry::{LevelSet, LevelSetSettings};
///
/// // A ball of one metre.
/// let settings = LevelSetSettings { spacing: [0.1; 3], origin: [-1.2; 3] };
/// let ball = LevelSet::from_function([25; 3], &settings, |p| p.coords.norm() - 1.0)?;
/// let volume = ball.mass_properties()?.volume;
/// assert!((volume / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LevelSet {
    samples: LevelSamples,
    /// Samples along x, y and z.
    size: [u32; 3],
    spacing: [f32; 3],
    origin: [f32; 3],
    /// Numbers of samples have so many bits for the places along x and y.
    shift: [u32; 2],
    levels: Vec<CubeLevel>,
    shells: ShellList,
    /// The cells that the surface passes, least and greatest; and their box (m).
    used: [[u32; 3]; 2],
    aabb: Aabb,
}

impl LevelSet {
    /// A level set of `size` samples along x, y and z: values x fastest, then y, then z.
    ///
    /// # Errors
    /// [`LevelSetError`] names what cannot be used, and where.
    pub fn new(
        size: [u32; 3],
        values: Vec<f32>,
        settings: &LevelSetSettings,
    ) -> Result<LevelSet, LevelSetError> {
        LevelSet::of_samples(size, LevelSamples::F32(values), settings)
    }

    /// A level set in half the memory: sample `q` is `step · q`, rounded once.
    ///
    /// # Errors
    /// As [`LevelSet::new`].
    pub fn quantized(
        size: [u32; 3],
        values: Vec<i16>,
        step: f32,
        settings: &LevelSetSettings,
    ) -> Result<LevelSet, LevelSetError> {
        if !(step > 0.0 && step <= FARTHEST as f32) {
            return Err(LevelSetError::Step { value: step });
        }
        LevelSet::of_samples(size, LevelSamples::I16 { values, step }, settings)
    }

    /// The level set of a function of places in the level set's frame (m), sampled at `size` places along x, y and z.
    ///
    /// # Errors
    /// As [`LevelSet::new`].
    pub fn from_function(
        size: [u32; 3],
        settings: &LevelSetSettings,
        mut function: impl FnMut(&Point3<f64>) -> f64,
    ) -> Result<LevelSet, LevelSetError> {
        check_grid(size, settings)?;
        let at = |k: usize, i: u32| f64::from(along(settings, k, i as f32));
        let mut values = Vec::with_capacity(size.iter().map(|&n| n as usize).product());
        for k in 0..size[2] {
            for j in 0..size[1] {
                values.extend(
                    (0..size[0]).map(|i| function(&Point3::new(at(0, i), at(1, j), at(2, k))) as f32),
                );
            }
        }
        LevelSet::new(size, values, settings)
    }

    fn of_samples(
        size: [u32; 3],
        samples: LevelSamples,
        settings: &LevelSetSettings,
    ) -> Result<LevelSet, LevelSetError> {
        check_grid(size, settings)?;
        let expected = size.iter().map(|&n| n as usize).product();
        if samples.len() != expected {
            return Err(LevelSetError::Count { given: samples.len(), expected, size });
        }
        let mut set = LevelSet {
            samples,
            size,
            spacing: settings.spacing,
            origin: settings.origin,
            shift: [0, 1].map(|k| size[k].next_power_of_two().trailing_zeros()),
            levels: Vec::new(),
            shells: ShellList::default(),
            used: [[0; 3]; 2],
            aabb: Aabb::EMPTY,
        };
        set.check_values()?;
        set.make_levels();
        if !set.measure_bounds() {
            return Err(LevelSetError::Empty);
        }
        set.find_shells();
        Ok(set)
    }

    fn check_values(&self) -> Result<(), LevelSetError> {
        for k in 0..self.size[2] {
            for j in 0..self.size[1] {
                for i in 0..self.size[0] {
                    self.check_value([i, j, k], self.value([i, j, k]))?;
                }
            }
        }
        Ok(())
    }

    /// Whether a sample can be of a value.
    fn check_value(&self, sample: [u32; 3], value: f32) -> Result<(), LevelSetError> {
        if value.is_nan() || value.abs() > FARTHEST as f32 {
            return Err(LevelSetError::Value { sample, value });
        }
        if value < 0.0 && (0..3).any(|k| sample[k] == 0 || sample[k] + 1 == self.size[k]) {
            return Err(LevelSetError::Border { sample, value });
        }
        Ok(())
    }

    /// Where a sample is among all.
    #[inline]
    fn index(&self, [i, j, k]: [u32; 3]) -> usize {
        (k as usize * self.size[1] as usize + j as usize) * self.size[0] as usize + i as usize
    }

    /// The value of a sample, by its places along x, y and z.
    #[inline]
    pub fn value(&self, at: [u32; 3]) -> f32 {
        self.samples.at(self.index(at))
    }

    /// Samples along x, y and z.
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// From sample to sample along x, y and z (m).
    pub fn spacing(&self) -> [f32; 3] {
        self.spacing
    }

    /// Where the first sample stands (m).
    pub fn origin(&self) -> [f32; 3] {
        self.origin
    }

    /// Where a coordinate of the grid is (m): `origin + at · spacing`, rounded after each operation.
    #[inline]
    pub fn along(&self, axis: usize, at: f32) -> f32 {
        self.origin[axis] + at * self.spacing[axis]
    }

    /// A vertex (m), of which there is one ([`LevelSet::has_vertex`]): where its edge of the grid crosses zero, by the values at both ends, but at
    /// least a 256th of the edge from each.
    #[inline]
    pub fn vertex(&self, vertex: u32) -> Point3<f32> {
        let (from, steps) = (self.place_of(vertex / 8), vertex % 8);
        let step = |k: usize| steps >> k & 1;
        let to: [u32; 3] = std::array::from_fn(|k| from[k] + step(k));
        let (a, b) = (self.value(from), self.value(to));
        let part = (a / (a - b)).clamp(LEAST_PART, 1.0 - LEAST_PART);
        Point3::from(std::array::from_fn::<f32, 3, _>(|k| {
            self.along(k, from[k] as f32 + if step(k) == 1 { part } else { 0.0 })
        }))
    }

    /// The corners of a triangle (m).
    #[inline]
    pub fn corners(&self, triangle: u32) -> [Point3<f32>; 3] {
        self.vertices_of(triangle).map(|v| self.vertex(v))
    }

    /// Finds the cells that the surface passes; whether there is one.
    fn measure_bounds(&mut self) -> bool {
        let Some(used) = self.find_used() else { return false };
        self.set_used(used);
        true
    }

    fn set_used(&mut self, used: [[u32; 3]; 2]) {
        self.used = used;
        let [low, high] = used;
        self.aabb = Aabb {
            min: std::array::from_fn(|k| self.along(k, low[k] as f32)),
            max: std::array::from_fn(|k| self.along(k, (high[k] + 1) as f32)),
        };
    }

    /// Box of the cells that the surface passes (m).
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// Sphere around that box (m).
    pub fn bounding_sphere(&self) -> BoundingSphere {
        let center = self.aabb.center();
        let far = |k: usize| {
            let c = f64::from(center[k]);
            (f64::from(self.aabb.max[k]) - c).max(c - f64::from(self.aabb.min[k]))
        };
        let radius = (far(0) * far(0) + far(1) * far(1) + far(2) * far(2)).sqrt();
        BoundingSphere { center, radius: crate::volume::round_up(radius * (1.0 + 1e-12)) }
    }

    /// The level set made larger or smaller about its frame's origin. Its values stay.
    ///
    /// # Errors
    /// As [`LevelSet::new`], for sizes that the factor makes too large or too small.
    pub fn scaled(&self, factor: f64) -> Result<LevelSet, LevelSetError> {
        let times = |x: f32| (f64::from(x) * factor) as f32;
        let settings = LevelSetSettings { spacing: self.spacing.map(times), origin: self.origin.map(times) };
        check_grid(self.size, &settings)?;
        let mut scaled = self.clone();
        (scaled.spacing, scaled.origin) = (settings.spacing, settings.origin);
        scaled.measure_bounds();
        Ok(scaled)
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        size_of::<LevelSet>() + self.samples.bytes() + self.level_bytes() + self.shells.bytes()
    }
}

/// Where a coordinate of a grid is (m).
fn along(settings: &LevelSetSettings, axis: usize, at: f32) -> f32 {
    settings.origin[axis] + at * settings.spacing[axis]
}

fn check_grid(size: [u32; 3], settings: &LevelSetSettings) -> Result<(), LevelSetError> {
    let stride: u64 =
        [0, 1].map(|k| u64::from(size[k]).next_power_of_two()).iter().product::<u64>() * u64::from(size[2]);
    if size.iter().any(|n| !(3..=MOST_LEVELS).contains(n)) || stride > MOST_STRIDE {
        return Err(LevelSetError::Size { size: size.map(u64::from) });
    }
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        let (value, origin) = (settings.spacing[k], settings.origin[k]);
        let last = (size[k] - 1) as f32;
        if !(value >= 1e-30 && value * last <= FARTHEST as f32) {
            return Err(LevelSetError::Spacing { axis, value });
        }
        let farthest = origin.abs().max(along(settings, k, last).abs());
        // Not so of NaN.
        if !(origin.is_finite() && farthest <= MOST_STEPS * value && farthest <= FARTHEST as f32) {
            return Err(LevelSetError::Origin { axis, value: origin, spacing: value });
        }
    }
    Ok(())
}
