//! Draws the layers of one contact, a section through them, and three Boolean results.
//! `cargo run --release --example layers_picture` writes `out/ldi-*.png`; `docs/images/` has copies.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use impinge::height_map::{HeightMap, ImagePlane, Which};
use impinge::ldi::{
    Boolean, Capture, Capturer, Crossing, Faces, LAST_DEPTH, LayeredDepthImage, LdiJob, LdiView, boolean_mesh,
};
use impinge::prelude::*;
use impinge_scenes::mesh::{Gear, Knot, Torus};

/// Pixels per side of a panel.
const SIDE: usize = 240;

type Colour = [f64; 3];
const PAPER: Colour = [1.0, 1.0, 1.0];
const INK: Colour = [0.1, 0.1, 0.1];
const OF_A: Colour = [0.25, 0.47, 0.72];
const OF_B: Colour = [0.87, 0.58, 0.20];
const OF_BOTH: Colour = [0.75, 0.05, 0.10];

/// Panels side by side; up is up.
struct Strip {
    panels: usize,
    pixels: Vec<Colour>,
}

impl Strip {
    fn new(panels: usize) -> Strip {
        Strip { panels, pixels: vec![PAPER; panels * SIDE * SIDE] }
    }

    fn draw(&mut self, panel: usize, colour: impl Fn(usize, usize) -> Colour) {
        for y in 0..SIDE {
            for x in 0..SIDE {
                let border = x == 0 && panel > 0;
                let row = (SIDE - 1 - y) * self.panels * SIDE;
                self.pixels[row + panel * SIDE + x] = if border { INK } else { colour(x, y) };
            }
        }
    }

    fn save(&self, name: &str) -> Result<(), Box<dyn Error>> {
        std::fs::create_dir_all("out")?;
        let path = Path::new("out").join(name);
        let file = BufWriter::new(File::create(&path)?);
        let mut encoder = png::Encoder::new(file, (self.panels * SIDE) as u32, SIDE as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let bytes: Vec<u8> = self.pixels.iter().flatten().map(|c| (c * 255.0).round() as u8).collect();
        encoder.write_header()?.write_image_data(&bytes)?;
        println!("{}", path.display());
        Ok(())
    }
}

fn mix(a: Colour, b: Colour, t: f64) -> Colour {
    std::array::from_fn(|k| a[k] + (b[k] - a[k]) * t.clamp(0.0, 1.0))
}

/// The crossings of both bodies on a line, A's marked 0 and B's 1, in order of depth.
fn layers(images: &[LayeredDepthImage; 2], x: u32, y: u32) -> Vec<(Crossing, usize)> {
    let of = |k: usize| images[k].line(x, y).iter().map(move |c| (*c, k));
    let mut all: Vec<_> = of(0).chain(of(1)).collect();
    all.sort_by_key(|(c, k)| (c.depth(), c.is_front(), *k));
    all
}

/// The volume of interest of a knot and a ring that overlap: four layers, and a section.
fn contact() -> Result<(), Box<dyn Error>> {
    let (knot, ring) = (Knot::default().with_triangles(4800)?, Torus::default().mesh()?);
    let turn = UnitQuaternion::from_euler_angles(1.1, 0.4, 0.3);
    let poses = [Isometry3::identity(), Isometry3::from_parts(Translation3::new(0.22, 0.06, 0.05), turn)];
    let bodies = [(&knot, &poses[0]), (&ring, &poses[1])];
    let pixels = [SIDE as u32; 2];
    let view = LdiView::of_overlap(bodies, Vector3::new(0.2, 0.3, -1.0), pixels)?
        .ok_or("the bodies' boxes are apart")?;
    let jobs = bodies.map(|(mesh, pose)| LdiJob { mesh, pose, view, faces: Faces::Both });
    let images: [LayeredDepthImage; 2] =
        Capturer::new(Capture::Auto)?.capture(&jobs)?.try_into().map_err(|_| "two bodies give two images")?;
    let both = images[0].intersection_volume(&images[1])?;
    println!(
        "{:.3} litres in both; {} crossings",
        both * 1e3,
        images.each_ref().map(|i| i.crossings().len()).iter().sum::<usize>()
    );

    let mut strip = Strip::new(5);
    for layer in 0..4 {
        strip.draw(layer, |x, y| match layers(&images, x as u32, y as u32).get(layer) {
            None => PAPER,
            Some((crossing, body)) => {
                let deep = f64::from(crossing.depth()) / f64::from(LAST_DEPTH);
                let colour = [OF_A, OF_B][*body];
                let face = if crossing.is_front() { colour } else { mix(colour, PAPER, 0.45) };
                mix(face, INK, 0.75 * deep)
            }
        });
    }
    // The row of the middle, depth downwards.
    strip.draw(4, |x, y| {
        let depth = (SIDE - 1 - y) as i32 * (LAST_DEPTH / SIDE as u32) as i32;
        let inside = [0, 1].map(|k| {
            let line = images[k].line(x as u32, SIDE as u32 / 2);
            let before = line.iter().filter(|c| c.depth() <= depth);
            before.map(|c| if c.is_front() { 1 } else { -1 }).sum::<i32>() > 0
        });
        match inside {
            [true, true] => OF_BOTH,
            [true, false] => mix(OF_A, PAPER, 0.4),
            [false, true] => mix(OF_B, PAPER, 0.4),
            [false, false] => PAPER,
        }
    });
    strip.save("ldi-layers.png")
}

/// A gear and a ring: what is in both, in either, and in the gear alone.
fn booleans() -> Result<(), Box<dyn Error>> {
    let (gear, ring) =
        (Gear::default().mesh()?, Torus { major: 0.3, minor: 0.09, around: 96, across: 48 }.mesh()?);
    let turn = UnitQuaternion::from_euler_angles(1.25, 0.2, 0.0);
    let poses = [Isometry3::identity(), Isometry3::from_parts(Translation3::new(0.12, -0.1, 0.05), turn)];
    let mut strip = Strip::new(3);
    for (panel, boolean) in Boolean::ALL.into_iter().enumerate() {
        let result = boolean_mesh(boolean, [(&gear, &poses[0]), (&ring, &poses[1])], 160)?;
        let volume = result.mesh.mass_properties()?.volume;
        println!("{boolean:?}: {} triangles, {:.4} litres", result.mesh.triangles().len(), volume * 1e3);
        let look = Vector3::new(-0.35, 0.6, -0.75);
        let (min, max) = (Point3::from([-0.42; 3]), Point3::from([0.42; 3]));
        let plane = ImagePlane::around(min, max, look, Vector3::z(), [SIDE as u32; 2])?;
        let mut map = HeightMap::new(plane, Which::Near);
        map.draw_mesh(&result.mesh, &Isometry3::from(Translation3::from(result.center)), 0);
        let light = Vector3::new(0.3, -0.55, 0.8).normalize().cast::<f32>();
        strip.draw(panel, |x, y| match map.at(x as u32, (SIDE - 1 - y) as u32) {
            None => PAPER,
            Some(hit) => mix(INK, [0.80, 0.86, 0.93], 0.2 + 0.8 * f64::from(hit.normal.dot(&light).max(0.0))),
        });
    }
    strip.save("ldi-boolean.png")
}

fn main() -> Result<(), Box<dyn Error>> {
    contact()?;
    booleans()
}
