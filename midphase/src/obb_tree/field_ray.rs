//! Rays over a height field: block by block, the cells that a ray passes over at the height of their terrain. No node is filled.
//!
//! The ray goes column by column along the axis that it follows most, each for the time that it is over it, and in a column by the blocks that it is
//! over then; a block whose heights the ray is not at meanwhile is passed over, the others are looked into in the same way. All of it in `f64`, each
//! time and place told from the ray's own numbers: nothing adds up on the way.

use impinge_geometry::height_field::BLOCK_BITS;

use super::descent_counts::DescentCounts;
use super::field::{FieldNodes, Layer};
use super::field_codes::bits;
use super::upright::Along;

/// More than what `f64` is off by, part of the lengths that go in.
const ROUNDING: f64 = 1e-13;
/// More than what the place of a sample is off by as it is rounded to `f32`, part of its number.
const PLACES: f64 = 1e-6;

/// A ray on its way.
struct Flight<'a, F> {
    nodes: &'a FieldNodes,
    ray: &'a Along,
    /// Where it is at the time 0 (m).
    origin: [f64; 3],
    /// Per unit of time along each axis (may be infinite).
    inverse: [f64; 2],
    /// Samples to the metre.
    density: [f64; 2],
    /// The horizontal axis that it follows most.
    major: usize,
    /// How near it passes what it may hit (m).
    pad: f64,
    /// Nothing matters from then on.
    until: f64,
    visit: F,
    counts: DescentCounts,
}

impl FieldNodes {
    /// Visits the triangles of the terrain that a ray may hit, the nearest first or nearly: none that it hits before its end, or passes by no farther
    /// than its box is wide, is left out. `visit` gives the time from which on nothing matters. Gives that at last, and what it cost.
    pub fn along_terrain(&self, ray: &Along, visit: impl FnMut(u32) -> f64) -> (f64, DescentCounts) {
        let origin: [f64; 3] = std::array::from_fn(|k| 0.5 * (ray.low[k] + ray.high[k]));
        let sides = &self.root(Layer::Terrain).0;
        let size: f64 = (0..3).map(|k| origin[k].abs() + f64::from(sides[1][k] - sides[0][k])).sum();
        let pad =
            (0..3).fold(ROUNDING * size, |pad: f64, k| pad.max(ray.high[k] - origin[k] + ROUNDING * size));
        let d = ray.direction;
        let mut flight = Flight {
            nodes: self,
            ray,
            origin,
            inverse: [1.0 / d[0], 1.0 / d[1]],
            density: self.field.spacing().map(|spacing| 1.0 / f64::from(spacing)),
            major: usize::from(d[1].abs() > d[0].abs()),
            pad,
            until: ray.until,
            visit,
            counts: DescentCounts::default(),
        };
        if let Some([low, high]) = ray.within(sides)
            && let Some(range) = self.samples_of(low, high)
        {
            let level = self.level_of(range);
            let bits = BLOCK_BITS[level as usize];
            let blocks = [0, 1].map(|k| [range[0][k] >> bits[k], range[1][k] >> bits[k]]);
            flight.over(level, blocks, [ray.from, ray.until]);
        }
        (flight.until, flight.counts)
    }
}

impl<F: FnMut(u32) -> f64> Flight<'_, F> {
    /// Where the first of some blocks of a level (−1: cells) begins and the last ends along an axis (m).
    fn edges(&self, level: i32, block: u32, axis: usize) -> [f64; 2] {
        let bits = if level < 0 { 0 } else { BLOCK_BITS[level as usize][axis] };
        let field = &self.nodes.field;
        let end = field.size()[axis] - 1;
        [block << bits, (block + 1) << bits].map(|sample| f64::from(field.along(axis, sample.min(end))))
    }

    /// Where the ray is along an axis during some time, least and greatest (m).
    fn places(&self, axis: usize, [from, until]: [f64; 2]) -> [f64; 2] {
        let d = self.ray.direction[axis];
        let (a, b) = if d == 0.0 { (0.0, 0.0) } else { (from * d, until * d) };
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        [self.origin[axis] + low - self.pad, self.origin[axis] + high + self.pad]
    }

    /// When the ray may be over a column, within some time.
    fn time(&self, [low, high]: [f64; 2], [from, until]: [f64; 2]) -> [f64; 2] {
        let k = self.major;
        let a = (low - self.pad - self.origin[k]) * self.inverse[k];
        let b = (high + self.pad - self.origin[k]) * self.inverse[k];
        let (first, last) = if self.ray.direction[k] < 0.0 { (b, a) } else { (a, b) };
        // No comparison holds of NaN.
        [if first > from { first } else { from }, if last < until { last } else { until }]
    }

    /// Looks into the blocks of a level that are between some, while the ray is over them at their height.
    fn over(&mut self, level: i32, blocks: [[u32; 2]; 2], time: [f64; 2]) {
        let [major, minor] = [self.major, 1 - self.major];
        let [first, last] = blocks[major];
        let bits = if level < 0 { 0 } else { BLOCK_BITS[level as usize][minor] };
        for step in 0..=last - first {
            let column = if self.ray.direction[major] < 0.0 { last - step } else { first + step };
            let [from, until] =
                self.time(self.edges(level, column, major), [time[0], time[1].min(self.until)]);
            if from > until {
                continue;
            }
            let [low, high] = self.places(minor, [from, until]).map(|at| at * self.density[minor]);
            let slack = PLACES * (1.0 + low.abs() + high.abs());
            let of = |cell: f64| (cell.max(0.0) as u32) >> bits;
            let [least, most] =
                [of(low - slack).max(blocks[minor][0]), of(high + slack).min(blocks[minor][1])];
            let heights = self.places(2, [from, until]);
            for own in least..=most {
                let mut at = [column; 2];
                at[minor] = own;
                self.block(level, at, heights, [from, until]);
            }
        }
    }

    /// Looks into a block of a level while the ray is at some heights (m).
    fn block(&mut self, level: i32, at: [u32; 2], heights: [f64; 2], time: [f64; 2]) {
        let field = &self.nodes.field;
        self.counts.box_tests += 1;
        let [low, high] =
            if level < 0 { field.heights(at, [1, 1]) } else { field.bounds(level as usize, at) };
        if !(heights[0] <= f64::from(high) && f64::from(low) <= heights[1]) {
            return;
        }
        if level < 0 {
            self.counts.leaf_pairs += 1;
            let first = 2 * field.vertex_number(at);
            let crossed = self.crossed(at, time);
            for k in 0..2 {
                if crossed[k as usize] && self.nodes.field.has_triangle_at(at, k) {
                    self.until = self.until.min((self.visit)(first + k));
                }
            }
            return;
        }
        self.counts.wide_tests += 1;
        let parts = if level == 0 { BLOCK_BITS[0] } else { bits(level) };
        let count = match level {
            0 => field.size().map(|samples| samples - 1),
            level => field.blocks(level as usize - 1),
        };
        let blocks = [0, 1].map(|k| [at[k] << parts[k], (((at[k] + 1) << parts[k]) - 1).min(count[k] - 1)]);
        if (0..2).all(|k| blocks[k][0] <= blocks[k][1]) {
            self.over(level - 1, blocks, time);
        }
    }
}

impl<F> Flight<'_, F> {
    /// Whether the ray may come through the plane of a cell's first triangle and that of its second, within some time.
    fn crossed(&self, cell: [u32; 2], time: [f64; 2]) -> [bool; 2] {
        let field = &self.nodes.field;
        let height = |x: u32, y: u32| f64::from(field.height([cell[0] + x, cell[1] + y]));
        let (first, right, up, last) = (height(0, 0), height(1, 0), height(0, 1), height(1, 1));
        // Of each plane: its height at the cell's first corner, and its rises along the cell.
        let planes = match field.diagonal_falls(cell) {
            false => [[first, right - first, last - right], [first, last - up, up - first]],
            true => [[first, right - first, up - first], [right + up - last, last - up, last - right]],
        };
        let ends = time.map(|time| {
            let at = |k: usize| {
                self.origin[k] + if self.ray.direction[k] == 0.0 { 0.0 } else { time * self.ray.direction[k] }
            };
            let off = |k: usize| at(k) * self.density[k] - f64::from(cell[k]);
            [off(0), off(1), at(2)]
        });
        let places = [0, 1].map(|k| self.pad * self.density[k] + PLACES * (f64::from(cell[k]) + 1.0));
        planes.map(|[base, x, y]| {
            let slack = self.pad
                + x.abs() * places[0]
                + y.abs() * places[1]
                + PLACES * (x.abs() + y.abs())
                + ROUNDING * (base.abs() + ends[0][2].abs());
            let above = ends.map(|[s, t, z]| z - (base + x * s + y * t));
            // No comparison holds of NaN.
            !(above[0] > slack && above[1] > slack || above[0] < -slack && above[1] < -slack)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use impinge_geometry::{HeightField, HeightFieldSettings};
    use nalgebra::{Point3, Vector3};
    use proptest::prelude::*;

    use super::*;

    /// Where a line meets a triangle, if it passes it by no farther than `slack` (part of its size).
    fn meets(t: &[Point3<f64>; 3], origin: &Point3<f64>, d: &Vector3<f64>, slack: f64) -> Option<f64> {
        let [a, b, c] = t.map(|p| p - origin);
        let parts = [d.dot(&b.cross(&c)), d.dot(&c.cross(&a)), d.dot(&a.cross(&b))];
        let (whole, size) = (parts.iter().sum::<f64>(), parts.iter().map(|x| x.abs()).sum::<f64>());
        let within = whole != 0.0 && parts.iter().all(|&x| x * whole.signum() >= -slack * size);
        within.then(|| (a * parts[0] + b * parts[1] + c * parts[2]).dot(d) / (whole * d.norm_squared()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Level rays, steep ones, ones along an axis or straight down, inside the field and from far away, over gaps, at any scale: no triangle of the
        /// terrain that is hit is left out, and few others are visited.
        #[test]
        fn no_triangle_that_is_hit_is_left_out(
            (seed, size, exponent) in (0u32..1000, prop::array::uniform2(2u32..90), -3i32..4),
            (place, direction) in (prop::array::uniform3(-0.2f64..1.2), prop::array::uniform3(-1.0f64..1.0)),
            (still, gaps) in (0usize..8, any::<bool>()),
            (from, length) in (-3.0f64..0.5, prop::sample::select(vec![0.3, 2.0, f64::INFINITY])),
        ) {
            let scale = 10f64.powi(exponent);
            let height = |k: u32| {
                let noise = (k.wrapping_add(seed).wrapping_mul(2_654_435_761) >> 20) as f32 / 2048.0 - 1.0;
                let wave = (0.3 * (k % size[0]) as f32).sin() * 3.0;
                if gaps && k % 7 == 3 { f32::NAN } else { (wave + noise) * scale as f32 }
            };
            let settings = HeightFieldSettings { spacing: [scale as f32, 0.6 * scale as f32], ..HeightFieldSettings::default() };
            let Ok(field) = HeightField::new(size, (0..size[0] * size[1]).map(height).collect(), &settings) else { return Ok(()) };
            let lengths = [scale * f64::from(size[0]), 0.6 * scale * f64::from(size[1]), 4.0 * scale];
            let origin = Point3::from([0, 1, 2].map(|k| place[k] * lengths[k]));
            let mut d = Vector3::from(direction);
            (0..3).filter(|k| still >> k & 1 == 1).for_each(|k| d[k] = 0.0);
            prop_assume!(d.norm() > 0.1);
            let d = d * (2.0 / d.norm());
            let times = [from * lengths[0], (from + length) * lengths[0]];
            let nodes = FieldNodes::new(Arc::new(field));
            let slack = 1e-12 * lengths[0];
            let ray = Along {
                low: origin.coords.map(|x| x - slack).into(),
                high: origin.coords.map(|x| x + slack).into(),
                direction: d.into(),
                from: times[0],
                until: times[1],
            };
            let mut visited = Vec::new();
            let (until, counts) = nodes.along_terrain(&ray, |t| { visited.push(t); f64::INFINITY });
            prop_assert_eq!(until, times[1]);
            prop_assert!(visited.len() as u64 <= 2 * counts.leaf_pairs);
            let mut first = f64::INFINITY;
            for t in nodes.field.terrain() {
                let corners = nodes.field.corners(t).map(|p| p.cast::<f64>());
                if let Some(at) = meets(&corners, &origin, &d, 1e-13) && times[0] <= at && at <= times[1] {
                    prop_assert!(visited.contains(&t), "{t} at {at}");
                    first = first.min(at);
                }
            }
            // A search that ends at what it has found finds the first.
            let mut found = f64::INFINITY;
            nodes.along_terrain(&ray, |t| {
                let corners = nodes.field.corners(t).map(|p| p.cast::<f64>());
                if let Some(at) = meets(&corners, &origin, &d, 1e-13) && times[0] <= at && at <= times[1] {
                    found = found.min(at);
                }
                found
            });
            prop_assert_eq!(found, first);
            visited.sort_unstable();
            visited.dedup();
            let terrain = nodes.field.terrain().count();
            prop_assert!(visited.len() <= 60 + terrain / 8 + 8 * (size[0] + size[1]) as usize);
        }
    }

    /// A level ray over the highest place looks into nothing, however long it is; one through the middle only at cells that it passes over.
    #[test]
    fn a_ray_looks_at_what_is_at_its_height() {
        let side = 1025;
        let height = |k: u32| ((k % side) as f32 * 0.1).sin() + ((k / side) as f32 * 0.07).cos();
        let field = HeightField::new(
            [side; 2],
            (0..side * side).map(height).collect(),
            &HeightFieldSettings::default(),
        );
        let nodes = FieldNodes::new(Arc::new(field.unwrap()));
        let cells = |z: f64| {
            let at = [-5.0, 500.25, z];
            let ray =
                Along { low: at, high: at, direction: [1.0, 0.001, 0.0], from: 0.0, until: f64::INFINITY };
            nodes.along_terrain(&ray, |_| f64::INFINITY).1
        };
        assert_eq!(cells(2.1).leaf_pairs, 0);
        assert!(cells(2.1).box_tests < 5);
        // It goes through a wave some 33 times.
        let through = cells(-0.9);
        assert!(
            through.leaf_pairs > 30 && through.leaf_pairs < 300 && through.box_tests < 1500,
            "{through:?}"
        );
    }
}
