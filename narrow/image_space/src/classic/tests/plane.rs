//! Hoff against clipping and distances in `f64`.

use impinge_scenes::random::Random;
use nalgebra::Point2;

use super::super::*;

/// A star-shaped polygon.
fn star(random: &mut Random, corners: usize, convex: bool) -> Vec<Point2<f64>> {
    let at = [random.signed() * 0.5, random.signed() * 0.5];
    let turn = random.unit() * 6.0;
    (0..corners)
        .map(|k| {
            let a = turn + k as f64 / corners as f64 * std::f64::consts::TAU;
            let r = if convex { 0.5 } else { 0.25 + 0.5 * random.unit() };
            Point2::new(at[0] + r * a.cos(), at[1] + r * a.sin())
        })
        .collect()
}

/// Twice the area, counter-clockwise positive.
fn turn(p: &[Point2<f64>]) -> f64 {
    (0..p.len()).map(|k| p[k].coords.perp(&p[(k + 1) % p.len()].coords)).sum()
}

/// The area that a polygon shares with a convex one: Sutherland and Hodgman, "Reentrant polygon clipping", 1974. What bridges
/// the parts of a concave one has no area.
fn clipped(polygon: &[Point2<f64>], convex: &[Point2<f64>]) -> f64 {
    let mut left = polygon.to_vec();
    for (k, a) in convex.iter().enumerate() {
        let d = convex[(k + 1) % convex.len()] - a;
        let side = |p: &Point2<f64>| d.perp(&(p - a));
        let all = std::mem::take(&mut left);
        for (i, p) in all.iter().enumerate() {
            let q = &all[(i + 1) % all.len()];
            let (s, t) = (side(p), side(q));
            if s >= 0.0 {
                left.push(*p);
            }
            if (s >= 0.0) != (t >= 0.0) {
                left.push(p + (q - p) * (s / (s - t)));
            }
        }
    }
    0.5 * turn(&left).abs()
}

fn length(p: &[Point2<f64>]) -> f64 {
    (0..p.len()).map(|k| (p[(k + 1) % p.len()] - p[k]).norm()).sum()
}

/// Signed distance of a place from a polygon, below zero inside.
fn signed(polygon: &[Point2<f64>], p: &Point2<f64>) -> f64 {
    let (mut least, mut inside) = (f64::INFINITY, false);
    for (k, a) in polygon.iter().enumerate() {
        let b = polygon[(k + 1) % polygon.len()];
        let d = b - a;
        let s = ((p - a).dot(&d) / d.norm_squared()).clamp(0.0, 1.0);
        least = least.min((p - (a + d * s)).norm());
        if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * d.x {
            inside = !inside;
        }
    }
    if inside { -least } else { least }
}

fn view(pixels: u32) -> PlaneView {
    PlaneView::new(Point2::new(-1.5, -1.4), Point2::new(1.5, 1.6), pixels).unwrap()
}

#[test]
fn overlaps_are_those_of_clipping() {
    let raster = &mut FrameBuffer::default();
    for pixels in [64, 256] {
        let (mut random, view) = (Random::new(31), view(pixels));
        let (mut sum, mut errors, mut missed, mut falsely) = (0.0, 0.0f64, 0, 0);
        for case in 0..1000 {
            let (a, b) = (star(&mut random, 5 + case % 9, false), star(&mut random, 3 + case % 6, true));
            let exact = clipped(&a, &b);
            let mut turned = b.clone();
            turned.reverse();
            let found = hoff_overlap([&a, if case % 2 == 0 { &b } else { &turned }], &view, raster).unwrap();
            let bound = 2.0 * view.half_diagonal() * (length(&a) + length(&b));
            assert!((found.area - exact).abs() <= bound, "case {case}: {} {exact}", found.area);
            sum += exact;
            errors += found.area - exact;
            missed += usize::from(exact > 1e-12 && found.pixels.is_empty());
            falsely += usize::from(exact == 0.0 && !found.pixels.is_empty());
        }
        println!("hoff {pixels}: area off by {:.2e} of all, missed {missed}, false {falsely}", errors / sum);
        assert!(sum > 100.0 && (errors / sum).abs() < 1e-3);
        assert!(missed <= 1280 / pixels as usize && falsely == 0);
    }
}

#[test]
fn distances_and_depths_are_those_of_the_outlines() {
    let raster = &mut FrameBuffer::default();
    let (mut random, view) = (Random::new(37), view(256));
    let (mut apart, mut deep) = (0, 0);
    for case in 0..200 {
        let (a, mut b) = (star(&mut random, 5 + case % 9, false), star(&mut random, 3 + case % 6, true));
        if case % 2 == 0 {
            let away = random.unit() * 6.0;
            b.iter_mut().for_each(|p| *p = Point2::new(p.x + 0.7 * away.cos(), p.y + 0.7 * away.sin()));
        }
        // Along the first one's outline, finely.
        let places = a.iter().enumerate().flat_map(|(k, p)| {
            let q = a[(k + 1) % a.len()];
            (0..400).map(move |s| p + (q - p) * (f64::from(s) / 400.0))
        });
        let inside_view = |p: &Point2<f64>| (-1.49..1.49).contains(&p.x) && (-1.39..1.59).contains(&p.y);
        if !a.iter().all(inside_view) {
            continue;
        }
        let exact = places.map(|p| signed(&b, &p)).fold(f64::INFINITY, f64::min);
        let found = hoff_proximity([&a, &b], &view, raster).unwrap().unwrap();
        let bound = 1.2 * view.half_diagonal() + 0.005;
        assert!((found.distance - exact).abs() <= bound, "case {case}: {} {exact}", found.distance);
        assert!((found.direction.norm() - 1.0).abs() < 1e-9);
        assert!(signed(&b, &found.nearest).abs() < 1e-9);
        apart += usize::from(exact > 0.05);
        deep += usize::from(exact < -0.05);
    }
    assert!(apart > 10 && deep > 20, "{apart} {deep}");
}

#[test]
fn the_field_is_the_distance_at_every_centre() {
    let view = view(48);
    let polygon = star(&mut Random::new(41), 11, false);
    let field = hoff_field(&polygon, &view, &mut FrameBuffer::default()).unwrap();
    let mut inside = 0;
    for (pixel, found) in (0..).zip(&field) {
        let exact = signed(&polygon, &view.place(pixel));
        assert!((found - exact).abs() < 1e-12 || exact.abs() < 1e-3, "{pixel}: {found} {exact}");
        inside += usize::from(*found < 0.0);
    }
    assert_eq!(field.len(), 48 * 48);
    assert!((inside as f64 * view.pixel_area() - 0.5 * turn(&polygon).abs()).abs() < 0.1);
}

#[test]
fn polygons_without_an_inside_are_refused() {
    let (view, raster) = (view(16), &mut FrameBuffer::default());
    let line = [Point2::new(0.0, 0.0), Point2::new(1.0, 0.0)];
    let triangle = [line[0], line[1], Point2::new(0.0, f64::NAN)];
    let refused = hoff_overlap([&line, &line], &view, raster).unwrap_err();
    assert_eq!(refused, ClassicError::Polygon { polygon: 0, vertices: 2 });
    assert!(matches!(hoff_field(&triangle, &view, raster), Err(ClassicError::Value { .. })));
    assert!(PlaneView::new(line[1], line[0], 16).is_err());
}
