//! The rectangle across the normal in which a patch's overlap lies.

use impinge_image_space::view::Axes;

use super::facets::Rectangle;
use super::lines::RegionLines;
use super::plane::At;
use crate::patch::Patch;
use crate::patches::halfway;
use crate::scene::Scene;

/// Lines per side that are cast to find the overlap, and one more on every side.
const LINES: i32 = 24;
/// Fits of the rectangle, at most.
const MOST_FITS: u32 = 24;
/// A rectangle whose sides change by less (part of its size) fits.
const FITS: f64 = 0.1;
/// A region no wider has no area (part of the bodies' reach).
const NO_WIDTH: f64 = 1e-8;
/// A region this much longer than wide has its lattice laid along it.
const LONG: f64 = 2.5;
/// Halvings of the distance between a line that meets the overlap and one beside it that does not.
const HALVINGS: u32 = 30;

/// A rectangle that a patch's overlap fills.
pub(super) struct Window {
    pub rectangle: Rectangle,
    /// Second moments of the lines that met it, about their mean: along, across, mixed.
    moments: [f64; 3],
}

/// What the lines of a rectangle met.
struct Met {
    low: [i32; 2],
    high: [i32; 2],
    lines: Vec<[i32; 2]>,
}

impl Window {
    /// Fits a window to the overlap of a patch; `None` where no line of any size meets it.
    pub fn fit(lines: &mut RegionLines<'_>, scene: &Scene<'_>, patch: &Patch) -> Option<Window> {
        let least = NO_WIDTH * scene.reach();
        let seeds = bounds(patch.points.iter().map(|point| lines.line_of(&halfway(point))));
        let mut now = if lines.single() { lines.rectangle } else { grown(&seeds, 4.0 * least) };
        let mut met = None;
        for _ in 0..MOST_FITS {
            now = Rectangle { low: now.low, high: [0, 1].map(|k| now.high[k].max(now.low[k] + least)) };
            let found = cast(lines, &now);
            let next = around(&now, found.as_ref(), &seeds);
            let fits = (0..2).all(|k| {
                let change = (next.low[k] - now.low[k]).abs().max((next.high[k] - now.high[k]).abs());
                change <= FITS * now.size(k)
            });
            met = found.map(|found| (now, found));
            if fits || (met.is_none() && now.size(0).max(now.size(1)) <= least) {
                break;
            }
            now = clamped(next, &lines.rectangle);
        }
        let (now, met) = met?;
        let rectangle = tightened(lines, &now, &met);
        let wide = (0..2).all(|k| rectangle.size(k) > least);
        wide.then(|| Window { rectangle, moments: moments(&now, &met) })
    }

    /// Axes turned to run along a window that is longer than wide and lies askew.
    pub fn lengthwise(&self, axes: &Axes) -> Option<Axes> {
        let [xx, yy, xy] = self.moments;
        let half = 0.5 * (xx - yy);
        let root = (half * half + xy * xy).sqrt();
        let (most, least) = (0.5 * (xx + yy) + root, (0.5 * (xx + yy) - root).max(0.0));
        let angle = 0.5 * xy.atan2(half);
        let askew = (2.0 * angle).sin().abs() > 0.02;
        if !askew || most <= LONG * LONG * least {
            return None;
        }
        let (sin, cos) = angle.sin_cos();
        let right = axes.right * cos + axes.up * sin;
        Some(Axes { right, up: axes.depth.cross(&right), depth: axes.depth })
    }
}

/// Where a line of a rectangle is.
fn line(rectangle: &Rectangle, [i, j]: [i32; 2]) -> At {
    let at =
        |k: usize, n: i32| rectangle.low[k] + (f64::from(n) + 0.5) * rectangle.size(k) / f64::from(LINES);
    [at(0, i), at(1, j)]
}

/// Casts the lines of a rectangle and those around it.
fn cast(lines: &mut RegionLines<'_>, rectangle: &Rectangle) -> Option<Met> {
    let mut met = Met { low: [LINES; 2], high: [-1; 2], lines: Vec::new() };
    for j in -1..=LINES {
        for i in -1..=LINES {
            if lines.meets(line(rectangle, [i, j])) {
                met.lines.push([i, j]);
                met.low = [met.low[0].min(i), met.low[1].min(j)];
                met.high = [met.high[0].max(i), met.high[1].max(j)];
            }
        }
    }
    (!met.lines.is_empty()).then_some(met)
}

/// A rectangle around what was met and the places that are known, larger on the sides on which there is more.
fn around(now: &Rectangle, met: Option<&Met>, seeds: &Rectangle) -> Rectangle {
    let cell = [0, 1].map(|k| now.size(k) / f64::from(LINES));
    let mut next = Rectangle {
        low: [0, 1].map(|k| seeds.low[k] - 0.5 * cell[k]),
        high: [0, 1].map(|k| seeds.high[k] + 0.5 * cell[k]),
    };
    let Some(met) = met else { return next };
    let [first, last] = [met.low, met.high].map(|at| line(now, at));
    for k in 0..2 {
        let more = |at_end: bool| if at_end { 0.5 * now.size(k) } else { 0.0 };
        next.low[k] = next.low[k].min(first[k] - cell[k] - more(met.low[k] < 0));
        next.high[k] = next.high[k].max(last[k] + cell[k] + more(met.high[k] >= LINES));
    }
    next
}

/// A rectangle within another.
fn clamped(it: Rectangle, within: &Rectangle) -> Rectangle {
    Rectangle {
        low: [0, 1].map(|k| it.low[k].max(within.low[k])),
        high: [0, 1].map(|k| it.high[k].min(within.high[k])),
    }
}

/// The rectangle with its sides where the outermost lines that meet the overlap cease to, going outward.
fn tightened(lines: &mut RegionLines<'_>, now: &Rectangle, met: &Met) -> Rectangle {
    let mut tight = Rectangle { low: line(now, met.low), high: line(now, met.high) };
    for k in 0..2 {
        let cell = now.size(k) / f64::from(LINES);
        for at in met.lines.iter().filter(|at| at[k] == met.low[k]) {
            tight.low[k] = tight.low[k].min(last_met(lines, line(now, *at), k, -cell));
        }
        for at in met.lines.iter().filter(|at| at[k] == met.high[k]) {
            tight.high[k] = tight.high[k].max(last_met(lines, line(now, *at), k, cell));
        }
    }
    tight
}

/// The last coordinate at which the overlap is met, from a line that meets it by a step along an axis.
fn last_met(lines: &mut RegionLines<'_>, from: At, k: usize, step: f64) -> f64 {
    let mut at = from;
    let (mut met, mut not) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (met + not);
        at[k] = from[k] + middle * step;
        if lines.meets(at) { met = middle } else { not = middle }
    }
    from[k] + met * step
}

/// The box around some places.
fn bounds(places: impl Iterator<Item = At>) -> Rectangle {
    let empty = Rectangle { low: [f64::INFINITY; 2], high: [f64::NEG_INFINITY; 2] };
    places.fold(empty, |all, at| Rectangle {
        low: [0, 1].map(|k| all.low[k].min(at[k])),
        high: [0, 1].map(|k| all.high[k].max(at[k])),
    })
}

fn grown(it: &Rectangle, by: f64) -> Rectangle {
    Rectangle { low: it.low.map(|x| x - by), high: it.high.map(|x| x + by) }
}

/// Second moments of the lines met, about their mean (m²).
fn moments(now: &Rectangle, met: &Met) -> [f64; 3] {
    let count = met.lines.len() as f64;
    let places = || met.lines.iter().map(|at| line(now, *at));
    let mean = [0, 1].map(|k| places().map(|at| at[k]).sum::<f64>() / count);
    let sum =
        |f: fn(f64, f64) -> f64| places().map(|at| f(at[0] - mean[0], at[1] - mean[1])).sum::<f64>() / count;
    [sum(|x, _| x * x), sum(|_, y| y * y), sum(|x, y| x * y)]
}
