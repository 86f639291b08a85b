//! Draws what a tactile sensor under a gear would feel: the contact region's local depths in colours, and its outline.
//! `cargo run --release --example tactile_picture` writes `out/tactile.png`; `docs/images/` has a copy.

#[path = "shared/canvas.rs"]
mod canvas;
#[path = "shared/legend.rs"]
mod legend;

use std::collections::HashMap;
use std::error::Error;

use canvas::{Canvas, Colour};
use impinge::ContactPatch;
use impinge::prelude::*;
use impinge_scenes::mesh::Gear;
use legend::write;

/// Pixels per side of the picture, and of the canvas that it is shrunk from.
const SIDE: usize = 460;
const FINE: usize = 3;
/// What the picture shows (m across), and the width of the legend beside it (pixels).
const ACROSS: f64 = 0.86;
const LEGEND: usize = 84;

const PAPER: Colour = [1.0, 1.0, 1.0];
const PLATE: Colour = [0.90, 0.91, 0.93];
const INK: Colour = [0.08, 0.08, 0.10];
/// From shallow to deep.
const DEPTHS: [Colour; 5] =
    [[0.99, 0.91, 0.65], [0.98, 0.65, 0.35], [0.85, 0.27, 0.38], [0.50, 0.11, 0.47], [0.14, 0.04, 0.30]];

/// The colour of a depth, as a part of the greatest.
fn colour(share: f64) -> Colour {
    let at = share.clamp(0.0, 1.0) * (DEPTHS.len() - 1) as f64;
    let low = (at as usize).min(DEPTHS.len() - 2);
    let t = (at - low as f64) as f32;
    std::array::from_fn(|k| DEPTHS[low][k] + (DEPTHS[low + 1][k] - DEPTHS[low][k]) * t)
}

/// Where a point of the plate is on the canvas (pixels): x to the right, y up.
fn on_canvas(p: &Point3<f64>) -> [f64; 2] {
    let side = (SIDE * FINE) as f64;
    [side * (0.5 + p.x / ACROSS), side * (0.5 - p.y / ACROSS)]
}

fn line(canvas: &mut Canvas, from: [f64; 2], to: [f64; 2], radius: f64) {
    let length = (to[0] - from[0]).hypot(to[1] - from[1]);
    for step in 0..=length.ceil() as usize {
        let t = step as f64 / length.ceil().max(1.0);
        let at = [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t];
        for y in (at[1] - radius) as usize..=(at[1] + radius) as usize {
            for x in (at[0] - radius) as usize..=(at[0] + radius) as usize {
                let near = (x as f64 - at[0]).hypot(y as f64 - at[1]) <= radius;
                if near && x < canvas.width && y < canvas.height {
                    canvas.pixels[y * canvas.width + x] = INK;
                }
            }
        }
    }
}

/// Fills the outline, row by row, with the colours of the nearest samples.
fn fill(canvas: &mut Canvas, patch: &ContactPatch, deepest: f64) {
    let places: Vec<[f64; 2]> = patch.samples.iter().map(|sample| on_canvas(&sample.position())).collect();
    // The samples by the squares of the canvas in which they are.
    let cell = patch.cell / ACROSS * (SIDE * FINE) as f64;
    let bin = |at: [f64; 2]| at.map(|x| (x / cell).floor() as i64);
    let mut bins: HashMap<[i64; 2], Vec<usize>> = HashMap::new();
    places.iter().enumerate().for_each(|(k, at)| bins.entry(bin(*at)).or_default().push(k));
    let edges: Vec<[[f64; 2]; 2]> = patch
        .boundary
        .iter()
        .flat_map(|points| points.iter().zip(points.iter().cycle().skip(1)))
        .map(|(from, to)| [on_canvas(from), on_canvas(to)])
        .collect();
    for y in 0..canvas.height {
        let row = y as f64 + 0.5;
        let crossed = edges.iter().filter(|[p, q]| (p[1] <= row) != (q[1] <= row));
        let mut borders: Vec<f64> =
            crossed.map(|[p, q]| p[0] + (q[0] - p[0]) * (row - p[1]) / (q[1] - p[1])).collect();
        borders.sort_by(f64::total_cmp);
        for border in borders.chunks_exact(2) {
            for x in border[0] as usize..border[1] as usize {
                let [i, j] = bin([x as f64, row]);
                let around = (-2..=2).flat_map(|u| (-2..=2).map(move |v| [i + u, j + v]));
                let far = |k: &usize| (places[*k][0] - x as f64).hypot(places[*k][1] - row);
                let near = around.filter_map(|at| bins.get(&at)).flatten();
                if let Some(&k) = near.min_by(|p, q| far(p).total_cmp(&far(q))) {
                    canvas.pixels[y * canvas.width + x] = colour(patch.samples[k].depth / deepest);
                }
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let gear = Gear { teeth: 14, outer: 0.39, root: 0.3, bore: 0.14, half_width: 0.11 };
    let plate = Shape::cuboid([1.0, 1.0, 0.1])?;
    let query = PairQuery::new(&plate, &gear.mesh()?.into(), QuerySettings::default().patch_samples(96))?;
    // The gear lies on the plate, tilted by a hundredth, its lowest tooth 8 mm deep.
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.01)
        * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.004);
    let pose = Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.206), tilt);
    let answer = query.at(&Isometry3::identity(), &pose)?;
    let manifold = answer.manifolds.first().ok_or("the gear does not touch the plate")?;
    let patch = manifold.patch.as_ref().ok_or("both bodies are solid")?;
    let deepest = patch.samples.iter().map(|sample| sample.depth).fold(0.0, f64::max);
    println!("{} samples, {} loops", patch.samples.len(), patch.boundary.len());
    println!("area {:.4} m², volume {:.3e} m³, deepest {:.4} m", patch.area(), patch.volume(), deepest);
    let (force, moment) = patch.wrench(&manifold.centroid, |sample| 1e6 * sample.depth);
    println!("at 1 MPa/m: force {:.1?} N, moment {:.2?} N·m", force.as_slice(), moment.as_slice());

    let side = SIDE * FINE;
    let mut canvas = Canvas::new(side + LEGEND * FINE, side, PAPER);
    (0..side).for_each(|y| canvas.pixels[y * canvas.width..][..side].fill(PLATE));
    fill(&mut canvas, patch, deepest);
    for points in &patch.boundary {
        for (from, to) in points.iter().zip(points.iter().cycle().skip(1)) {
            line(&mut canvas, on_canvas(from), on_canvas(to), 3.0);
        }
    }
    // The legend: from nothing below to the deepest above, a mark for each millimetre and a number for every fifth.
    let (left, right) = (side + 18 * FINE, side + 38 * FINE);
    let (low, high) = (side - 30 * FINE, 30 * FINE);
    for y in high..=low {
        let share = (low - y) as f64 / (low - high) as f64;
        (left..right).for_each(|x| canvas.pixels[y * canvas.width + x] = colour(share));
    }
    let corner = |x: usize, y: usize| [x as f64, y as f64];
    line(&mut canvas, corner(left, low), corner(left, high), 1.5);
    line(&mut canvas, corner(right, low), corner(right, high), 1.5);
    for millimetre in 0..=(deepest * 1e3) as usize {
        let share = millimetre as f64 * 1e-3 / deepest;
        let y = low as f64 - share * (low - high) as f64;
        let out = if millimetre % 5 == 0 { 8 } else { 4 };
        line(&mut canvas, [right as f64, y], [(right + out * FINE) as f64, y], 1.5);
    }
    line(&mut canvas, corner(left, high), corner(right, high), 1.5);
    line(&mut canvas, corner(left, low), corner(right, low), 1.5);
    let mut picture = canvas.shrunk(FINE);
    for millimetre in (0..=(deepest * 1e3) as usize).step_by(5) {
        let share = millimetre as f64 * 1e-3 / deepest;
        let y = (low as f64 - share * (low - high) as f64) as usize / FINE;
        write(&mut picture, &millimetre.to_string(), [right / FINE + 12, y - 8]);
    }
    write(&mut picture, "mm", [left / FINE - 2, low / FINE + 8]);
    picture.save("tactile.png")?;
    Ok(())
}
