//! Draws one contact of two gears as the narrow phase sees it: layers, columns, patches and points.
//! `cargo run --release --example contact_picture` writes `out/contact-*.png`; `docs/images/` has copies.

use std::collections::{BTreeSet, VecDeque};
use std::error::Error;
use std::f64::consts::TAU;
use std::sync::Arc;

use impinge::prelude::*;
use impinge_geometry::PairFrame;
use impinge_image_space::Axes;
use impinge_image_space::reference_view::{ReferenceCrossing, ReferenceView, ViewBox};
use impinge_midphase::{ObbTree, Surface};
use impinge_scenes::mesh::Gear;

#[path = "shared/canvas.rs"]
mod canvas;
#[path = "shared/legend.rs"]
mod legend;

use canvas::{Canvas, Colour};
use legend::{Sign, with_legend};

/// Pixels per side of a picture.
const SIDE: u32 = 480;

const PAPER: Colour = [1.0, 1.0, 1.0];
const OF_A: Colour = [0.72, 0.82, 0.93];
const OF_B: Colour = [0.96, 0.86, 0.70];
const INK: Colour = [0.1, 0.1, 0.1];
/// What many layers, short overlaps and long ones are drawn in.
const LAYERED: Colour = [0.15, 0.25, 0.45];
const SHORT: Colour = [1.0, 0.85, 0.55];
const LONG: Colour = [0.75, 0.05, 0.10];
const PATCHES: [Colour; 4] = [[0.80, 0.16, 0.16], [0.13, 0.50, 0.25], [0.45, 0.20, 0.60], [0.10, 0.35, 0.75]];

/// What the lines of a view meet.
struct Seen {
    axes: Axes,
    count: u32,
    /// Row after row; the first is least to the right and least up.
    lines: Vec<Line>,
}

/// What a line meets: how many surfaces, which bodies, and its longest overlap (m).
#[derive(Clone, Copy, Default)]
struct Line {
    layers: usize,
    meets: [bool; 2],
    overlap: f64,
}

impl Seen {
    /// Looks along `direction` at a square of twice `half` around `center` (m, world).
    fn of(
        frame: &PairFrame,
        gear: &Surface,
        direction: Vector3<f64>,
        center: Point3<f64>,
        half: f64,
        count: u32,
    ) -> Seen {
        let center = center - frame.to_world(&Point3::origin()).coords;
        let around = ViewBox { direction, center, half: [half; 3], count, whole: true };
        let view = ReferenceView::new(frame, [gear, gear], &around).expect("the box is thick enough");
        let image = view.image();
        let of_pixel = |crossings: &Vec<_>| Line {
            layers: crossings.len(),
            meets: [0, 1].map(|side| crossings.iter().any(|c: &ReferenceCrossing| c.side == side)),
            overlap: 0.0,
        };
        let mut lines: Vec<Line> = image.crossings.iter().map(of_pixel).collect();
        for interval in &image.intervals {
            let [i, j] = interval.pixel.map(u32::from);
            let line = &mut lines[(j * count + i) as usize];
            line.overlap = line.overlap.max(interval.length() as f64 * view.view().step);
        }
        Seen { axes: view.view().axes, count, lines }
    }
}

struct Picture(Canvas);

impl Picture {
    fn of(seen: &Seen, colour: impl Fn(usize, &Line) -> Colour) -> Picture {
        let scale = (SIDE / seen.count) as usize;
        let side = SIDE as usize;
        Picture(Canvas::from_fn(side, side, |x, y| {
            // Up is up: the first row of a picture is the last of the view.
            let pixel = (side - 1 - y) / scale * seen.count as usize + x / scale;
            colour(pixel, &seen.lines[pixel])
        }))
    }

    fn dot(&mut self, at: [f64; 2], radius: f64, colour: Colour) {
        for y in 0..SIDE {
            for x in 0..SIDE {
                let away = (f64::from(x) - at[0]).hypot(f64::from(y) - at[1]);
                if away <= radius {
                    self.0.pixels[(y * SIDE + x) as usize] = colour;
                }
            }
        }
    }

    fn line(&mut self, from: [f64; 2], to: [f64; 2], colour: Colour) {
        for step in 0..=200 {
            let t = f64::from(step) / 200.0;
            self.dot([from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t], 1.3, colour);
        }
    }

    fn save(&self, name: &str, legend: Vec<(Sign, String)>) -> Result<(), Box<dyn Error>> {
        with_legend(&self.0, legend).save(name)?;
        Ok(())
    }
}

fn mix(a: Colour, b: Colour, t: f64) -> Colour {
    std::array::from_fn(|k| a[k] + (b[k] - a[k]) * t.clamp(0.0, 1.0) as f32)
}

fn area(colour: Colour, text: &str) -> (Sign, String) {
    (Sign::Area(colour), text.to_owned())
}

/// The bodies' shadow.
fn shadow(line: &Line) -> Colour {
    match line.meets {
        [false, false] => PAPER,
        [true, false] => OF_A,
        [false, true] => OF_B,
        [true, true] => mix(OF_A, OF_B, 0.5),
    }
}

/// Pixels that overlap and hang together share a number.
fn regions(seen: &Seen) -> Vec<Option<usize>> {
    let side = seen.count as usize;
    let mut of = vec![None; side * side];
    let mut count = 0;
    for first in 0..side * side {
        if of[first].is_some() || seen.lines[first].overlap == 0.0 {
            continue;
        }
        let mut queue = VecDeque::from([first]);
        while let Some(pixel) = queue.pop_front() {
            if of[pixel].is_some() || seen.lines[pixel].overlap == 0.0 {
                continue;
            }
            of[pixel] = Some(count);
            let (x, y) = (pixel % side, pixel / side);
            let beside = [(x > 0, pixel.wrapping_sub(1)), (x + 1 < side, pixel + 1)];
            let above = [(y > 0, pixel.wrapping_sub(side)), (y + 1 < side, pixel + side)];
            queue.extend(beside.iter().chain(&above).filter(|(inside, _)| *inside).map(|(_, p)| *p));
        }
        count += 1;
    }
    of
}

fn main() -> Result<(), Box<dyn Error>> {
    let gear = Arc::new(Gear { teeth: 16, outer: 1.0, root: 0.8, bore: 0.3, half_width: 0.15 }.mesh()?);
    let a = Isometry3::identity();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.2 * TAU / 16.0);
    let b = Isometry3::from_parts(Translation3::new(1.85, 0.0, 0.013), turn);
    let shape = Shape::Mesh(gear.clone());
    let answer = PairQuery::new(&shape, &shape, QuerySettings::default())?.at(&a, &b)?;
    for m in &answer.manifolds {
        let n = m.normal;
        println!(
            "normal {:.3} {:.3} {:.3}, depth {:.4} m, {} points",
            n.x,
            n.y,
            n.z,
            m.depth,
            m.points.len()
        );
    }
    let deepest = answer.manifolds.first().ok_or("the gears do not touch")?;

    let frame = PairFrame::new(&a, &b);
    let surface = Surface::of_mesh(gear.clone(), Arc::new(ObbTree::build(&gear)));
    let look = |direction: Vector3<f64>, center: Point3<f64>, half: f64, count: u32| {
        Seen::of(&frame, &surface, direction, center, half, count)
    };
    // From the side of the gears: what the lines cross.
    let middle = Point3::new(0.92, 0.0, 0.0);
    let half = 0.35;
    let from_the_side = look(Vector3::z(), middle, half, SIDE);
    let of_layers = |count: usize| mix(PAPER, LAYERED, count as f64 / 6.0);
    let layers = Picture::of(&from_the_side, |_, line| of_layers(line.layers));
    let counts: BTreeSet<usize> = from_the_side.lines.iter().map(|line| line.layers).collect();
    let legend = counts.iter().map(|&count| area(of_layers(count), &format!("{count} surfaces crossed")));
    layers.save("contact-layers.png", legend.collect())?;

    // Along the deepest normal: the columns of a view of 16 by 16.
    let around = deepest.area.sqrt().max(deepest.depth);
    let columns = look(deepest.normal, deepest.centroid, around, 16);
    let longest = columns.lines.iter().map(|line| line.overlap).fold(0.0, f64::max);
    let picture = Picture::of(&columns, |_, line| {
        let share = line.overlap / longest;
        if share > 0.0 { mix(SHORT, LONG, share) } else { shadow(line) }
    });
    let overlap = format!("overlap, up to {:.1} mm", 1000.0 * longest);
    let both = area(mix(OF_A, OF_B, 0.5), "both, one behind the other");
    picture.save(
        "contact-columns.png",
        vec![
            area(OF_A, "body A alone"),
            area(OF_B, "body B alone"),
            both,
            (Sign::Range(SHORT, LONG), overlap),
        ],
    )?;

    // What hangs together is a patch.
    let of = regions(&from_the_side);
    let colour = |pixel: usize, line: &Line| match of[pixel] {
        Some(region) => PATCHES[region % PATCHES.len()],
        None => shadow(line),
    };
    let mut picture = Picture::of(&from_the_side, colour);
    let regions = of.iter().flatten().max().map_or(0, |last| last + 1);
    let bodies = || vec![area(OF_A, "body A"), area(OF_B, "body B")];
    let legend = |region| area(PATCHES[region % PATCHES.len()], &format!("region of overlap {}", region + 1));
    picture.save("contact-patches.png", bodies().into_iter().chain((0..regions).map(legend)).collect())?;

    // Its points, and the way each pushes B: as long as its depth, five times over.
    let place = |p: &Point3<f64>| {
        let off = p - middle;
        let [x, y] = [&from_the_side.axes.right, &from_the_side.axes.up].map(|axis| axis.dot(&off) / half);
        [0.5 * (1.0 + x) * f64::from(SIDE), 0.5 * (1.0 - y) * f64::from(SIDE)]
    };
    for manifold in &answer.manifolds {
        for point in &manifold.points {
            let tip = point.position + manifold.normal * (5.0 * point.depth);
            picture.line(place(&point.position), place(&tip), INK);
            picture.dot(place(&point.position), 4.0, INK);
        }
    }
    let points = (Sign::Arrow, "contact point, and its push on B".to_owned());
    picture.save("contact-points.png", bodies().into_iter().chain([points]).collect())?;
    Ok(())
}
