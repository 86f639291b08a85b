//! Hoff: polygons in the plane, against clipping.

use impinge::query::classic::{FrameBuffer, PlaneView, hoff_overlap, hoff_proximity};
use impinge_scenes::random::Random;
use nalgebra::Point2;

use super::measured::Measured;
use super::{Choice, PIXELS, TextRow};

type Polygon = Vec<Point2<f64>>;

fn polygon(random: &mut Random, corners: usize, convex: bool) -> Polygon {
    let at = [random.signed() * 0.6, random.signed() * 0.6];
    let turn = random.unit() * 6.0;
    let corner = |k: usize, r: f64| {
        let a = turn + k as f64 / corners as f64 * std::f64::consts::TAU;
        Point2::new(at[0] + r * a.cos(), at[1] + r * a.sin())
    };
    (0..corners).map(|k| corner(k, if convex { 0.4 } else { 0.2 + 0.4 * random.unit() })).collect()
}

/// The area that a polygon shares with a convex one (Sutherland, Hodgman, "Reentrant polygon clipping", 1974).
fn clipped(polygon: &Polygon, convex: &Polygon) -> f64 {
    let mut left = polygon.clone();
    for (k, a) in convex.iter().enumerate() {
        let d = convex[(k + 1) % convex.len()] - a;
        let side = |p: &Point2<f64>| d.perp(&(p - a));
        let all = std::mem::take(&mut left);
        for (i, p) in all.iter().enumerate() {
            let q = &all[(i + 1) % all.len()];
            let (s, t) = (side(p), side(q));
            left.extend((s >= 0.0).then_some(*p));
            left.extend(((s >= 0.0) != (t >= 0.0)).then(|| p + (q - p) * (s / (s - t))));
        }
    }
    let twice: f64 = (0..left.len()).map(|k| left[k].coords.perp(&left[(k + 1) % left.len()].coords)).sum();
    0.5 * twice.abs()
}

pub fn run(choice: &Choice<'_>) -> anyhow::Result<Vec<TextRow>> {
    let scenes = ["hoff-polygons", "hoff-proximity"];
    let mut random = Random::new(31);
    let pairs: Vec<([Polygon; 2], bool)> = (0..choice.placements)
        .map(|case| {
            let both = [polygon(&mut random, 5 + case % 9, false), polygon(&mut random, 3 + case % 6, true)];
            let exact = clipped(&both[0], &both[1]) > 0.0;
            (both, exact)
        })
        .collect();
    let mut rows = Vec::new();
    for (scene, pixels) in scenes.into_iter().flat_map(|scene| PIXELS.map(|pixels| (scene, pixels))) {
        let who = format!("software {pixels}");
        if !choice.takes(scene) || !choice.has(&who) {
            continue;
        }
        let view = PlaneView::new(Point2::new(-1.4, -1.4), Point2::new(1.4, 1.4), pixels)?;
        let (mut measured, mut raster) = (Measured::default(), FrameBuffer::default());
        for ([a, b], exact) in &pairs {
            let found = measured.time(|| match scene {
                "hoff-polygons" => hoff_overlap([a, b], &view, &mut raster).map(|o| !o.pixels.is_empty()),
                _ => hoff_proximity([a, b], &view, &mut raster).map(|p| p.is_some_and(|p| p.distance < 0.0)),
            })?;
            // A polygon inside of the other one has no outline in it.
            measured.compare(found, *exact);
        }
        rows.push(measured.row("Hoff", scene, &who, choice));
    }
    Ok(rows)
}
