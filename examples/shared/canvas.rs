//! Pictures of the examples: a grid of colours that can be shrunk and written.
#![allow(dead_code, reason = "each example uses its own part")]

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Red, green and blue, 0 to 1; more is held at 1 when it is written.
pub type Colour = [f32; 3];

/// A picture, row by row from the top.
#[derive(Clone)]
pub struct Canvas {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<Colour>,
}

impl Canvas {
    pub fn new(width: usize, height: usize, colour: Colour) -> Canvas {
        Canvas { width, height, pixels: vec![colour; width * height] }
    }

    pub fn from_fn(width: usize, height: usize, colour: impl Fn(usize, usize) -> Colour) -> Canvas {
        let pixels = (0..width * height).map(|k| colour(k % width, k / width)).collect();
        Canvas { width, height, pixels }
    }

    /// Adds light to a pixel, if there is one.
    pub fn add(&mut self, x: f64, y: f64, light: Colour) {
        if x >= 0.0 && y >= 0.0 && (x as usize) < self.width && (y as usize) < self.height {
            let pixel = &mut self.pixels[y as usize * self.width + x as usize];
            (0..3).for_each(|k| pixel[k] += light[k]);
        }
    }

    /// Pictures of one height side by side.
    pub fn beside(all: &[&Canvas]) -> Canvas {
        let height = all.iter().map(|c| c.height).min().unwrap_or(0);
        let width = all.iter().map(|c| c.width).sum();
        let mut row_start = Vec::with_capacity(width * height);
        for y in 0..height {
            all.iter().for_each(|c| row_start.extend_from_slice(&c.pixels[y * c.width..(y + 1) * c.width]));
        }
        Canvas { width, height, pixels: row_start }
    }

    /// Means of squares of `by` × `by` pixels.
    pub fn shrunk(&self, by: usize) -> Canvas {
        let (width, height) = (self.width / by, self.height / by);
        Canvas::from_fn(width, height, |x, y| {
            let mut sum = [0.0; 3];
            for k in 0..by * by {
                let pixel = self.pixels[(y * by + k / by) * self.width + x * by + k % by];
                (0..3).for_each(|c| sum[c] += pixel[c].min(1.0) / (by * by) as f32);
            }
            sum
        })
    }

    /// Writes a PNG file to `out/` in the current folder, and says where.
    pub fn save(&self, name: &str) -> Result<PathBuf, Box<dyn Error>> {
        let folder = Path::new("out");
        std::fs::create_dir_all(folder)?;
        let path = folder.join(name);
        let file = BufWriter::new(File::create(&path)?);
        let mut encoder = png::Encoder::new(file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let byte = |c: &f32| (c.clamp(0.0, 1.0) * 255.0).round() as u8;
        let bytes: Vec<u8> = self.pixels.iter().flatten().map(byte).collect();
        encoder.write_header()?.write_image_data(&bytes)?;
        println!("{}", path.display());
        Ok(path)
    }
}
