//! Rays through a level set: cube by cube, the cells in which the surface is that a ray passes. No node is filled.
//!
//! A cube's halves are looked into in the order in which the ray enters them, each for the time that it is in it, where the samples say that the
//! surface passes it. All of it in `f64`, each time told from the ray's own numbers.

use super::descent_counts::DescentCounts;
use super::level_set::{Cube, LevelNodes};
use super::node::WIDTH;
use super::upright::Along;

/// More than what `f64` is off by, part of the lengths that go in.
const ROUNDING: f64 = 1e-13;
/// More than what the place of a crossing is off by as it is rounded to `f32`, part of its coordinates.
const PLACES: f64 = 4.0 / 16_777_216.0;

/// A ray on its way.
struct Flight<'a, F> {
    nodes: &'a LevelNodes,
    /// Where it is at the time 0 (m).
    origin: [f64; 3],
    /// In a unit of time (m), and the time for each metre.
    direction: [f64; 3],
    inverse: [f64; 3],
    /// How near it passes what it may hit (m).
    pad: f64,
    /// Which half of a cube comes last, one bit for each axis.
    last: u32,
    /// Nothing matters from then on.
    until: f64,
    visit: F,
    counts: DescentCounts,
}

impl LevelNodes {
    /// Visits the triangles that a ray may hit, the nearest first or nearly: none that it hits before its end, or passes by no farther than its box is
    /// wide, is left out. `visit` gives the time from which on nothing matters. Gives that at last, and what it cost.
    pub fn along_surface(&self, ray: &Along, visit: impl FnMut(u32) -> f64) -> (f64, DescentCounts) {
        let origin: [f64; 3] = std::array::from_fn(|k| 0.5 * (ray.low[k] + ray.high[k]));
        let [low, high] = self.all_corners().map(|corner| corner.map(f64::from));
        let farthest = (0..3).fold(0.0, |far: f64, k| far.max(low[k].abs()).max(high[k].abs()));
        let size: f64 = (0..3).map(|k| origin[k].abs()).sum::<f64>() + 3.0 * farthest;
        let wide = (0..3).fold(0.0, |wide: f64, k| wide.max(ray.high[k] - origin[k]));
        let direction = ray.direction;
        let mut flight = Flight {
            nodes: self,
            origin,
            direction,
            inverse: direction.map(|d| 1.0 / d),
            pad: wide + ROUNDING * size + PLACES * farthest,
            last: (0..3).fold(0, |last, k| last | u32::from(direction[k] < 0.0) << k),
            until: ray.until,
            visit,
            counts: DescentCounts::default(),
        };
        let whole = self.whole_cube();
        if let Some(time) = flight.time(whole, [ray.from, ray.until]) {
            flight.cube(whole, time);
        }
        (flight.until, flight.counts)
    }
}

impl<F: FnMut(u32) -> f64> Flight<'_, F> {
    /// When the ray may be in a cube, within some time.
    #[inline]
    fn time(&self, cube: Cube, [mut from, mut until]: [f64; 2]) -> Option<[f64; 2]> {
        let [low, high] = self.nodes.corners(cube);
        for k in 0..3 {
            let below = f64::from(low[k]) - self.pad - self.origin[k];
            let above = f64::from(high[k]) + self.pad - self.origin[k];
            if self.direction[k] == 0.0 {
                if below > 0.0 || above < 0.0 {
                    return None;
                }
                continue;
            }
            let (a, b) = (below * self.inverse[k], above * self.inverse[k]);
            let (first, last) = if self.direction[k] < 0.0 { (b, a) } else { (a, b) };
            // No comparison holds of NaN.
            from = if first > from { first } else { from };
            until = if last < until { last } else { until };
        }
        (from <= until).then_some([from, until])
    }

    /// Looks into a cube that the surface passes.
    fn cube(&mut self, cube: Cube, time: [f64; 2]) {
        if cube.exponent == 0 {
            self.counts.leaf_pairs += 1;
            let (nodes, mut until) = (self.nodes, self.until);
            nodes.cell_triangles(cube.at, |triangle| until = until.min((self.visit)(triangle)));
            self.until = until;
            return;
        }
        self.counts.wide_tests += 1;
        for digit in 0..WIDTH as u32 {
            let Some(part) = self.nodes.part(cube, digit ^ self.last) else { continue };
            let Some(time) = self.time(part, [time[0], time[1].min(self.until)]) else { continue };
            self.counts.box_tests += 1;
            if self.nodes.is_crossed(part) {
                self.cube(part, time);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use impinge_geometry::{LevelSet, LevelSetSettings};
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
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Rays of all directions, along axes too, from within and from far away, long and short, through bumpy level sets of any scale and place:
        /// no triangle that is hit is left out, few others are visited, and a search that ends at what it has found finds the first.
        #[test]
        fn no_triangle_that_is_hit_is_left_out(
            (size, exponent, seed) in (prop::array::uniform3(3u32..24), -3i32..4, 0u32..1000),
            (place, direction) in (prop::array::uniform3(-0.3f64..1.3), prop::array::uniform3(-1.0f64..1.0)),
            (still, away) in (0usize..8, prop::sample::select(vec![0.0, 40.0])),
            (from, length) in (-3.0f64..0.5, prop::sample::select(vec![0.3, 2.0, f64::INFINITY])),
        ) {
            let scale = 10f64.powi(exponent);
            let value = |n: u32| {
                let at = [n % size[0], n / size[0] % size[1], n / size[0] / size[1]];
                let border = (0..3).any(|k| at[k] == 0 || at[k] + 1 == size[k]);
                let noise = (n.wrapping_add(seed).wrapping_mul(2_654_435_761) >> 20) as f32 / 4096.0 - 0.5;
                let wave = (0.9 * at[0] as f32).sin() + (0.7 * at[1] as f32).cos() + (0.8 * at[2] as f32).sin();
                if border { scale as f32 } else { (wave + noise) * scale as f32 }
            };
            let settings = LevelSetSettings {
                origin: [away * scale, -away * scale, 0.0].map(|x| x as f32),
                spacing: [scale as f32, 0.6 * scale as f32, 1.3 * scale as f32],
            };
            let values = (0..size.iter().product()).map(value).collect();
            let Ok(set) = LevelSet::new(size, values, &settings) else { return Ok(()) };
            let nodes = LevelNodes::new(Arc::new(set));
            let [low, high] = nodes.all_corners().map(|corner| corner.map(f64::from));
            let origin = Point3::from([0, 1, 2].map(|k| low[k] + place[k] * (high[k] - low[k])));
            let mut d = Vector3::from(direction);
            (0..3).filter(|k| still >> k & 1 == 1).for_each(|k| d[k] = 0.0);
            prop_assume!(d.norm() > 0.1);
            let d = d * (2.0 / d.norm());
            let long = scale * f64::from(size[0]);
            let times = [from * long, (from + length) * long];
            let ray = Along {
                low: origin.into(),
                high: origin.into(),
                direction: d.into(),
                from: times[0],
                until: times[1],
            };
            let mut visited = Vec::new();
            let (until, _) = nodes.along_surface(&ray, |t| { visited.push(t); f64::INFINITY });
            prop_assert_eq!(until, times[1]);
            let set = nodes.set();
            let hit = |t: u32| {
                let corners = set.corners(t).map(|p| p.cast::<f64>());
                meets(&corners, &origin, &d, 1e-13).filter(|at| (times[0]..=times[1]).contains(at))
            };
            let mut first = f64::INFINITY;
            for t in set.triangles() {
                if let Some(at) = hit(t) {
                    prop_assert!(visited.contains(&t), "{t} at {at}");
                    first = first.min(at);
                }
            }
            let mut found = f64::INFINITY;
            nodes.along_surface(&ray, |t| {
                found = hit(t).map_or(found, |at| found.min(at));
                found
            });
            prop_assert_eq!(found, first);
            let most = 12 * 4 * size.iter().sum::<u32>() as usize;
            prop_assert!(visited.len() <= most, "{} of {most}", visited.len());
        }
    }
}
