//! Pictures of a scene: our own height map, shaded by normal, depth and outline.

use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use impinge::geometry::Primitive;
use impinge::height_map::{HeightMap, Hit, ImagePlane, Which};
use impinge::{HeightField, LevelSet, Shape, TriMesh};
use impinge_scenes::{Container, Scene};
use nalgebra::{Isometry3, Point3, Vector3};
use rayon::prelude::*;

use crate::body_colors::body_colors;
use crate::field_surface::terrain;

/// Width and height of a picture in pixels.
const SIZE: [u32; 2] = [1200, 900];
/// Samples per pixel and axis.
const SAMPLES: u32 = 2;
/// Colour where there is nothing.
const BACKGROUND: [f32; 3] = [236.0, 238.0, 241.0];
/// Height fields are drawn so many times as far from their middle as half the picture is high.
const FIELD_REACH: f64 = 4.0;
/// Distance in samples of the rings on which creases are looked for.
const CREASE: i64 = 7;

/// Draws one scene at any time of its simulation.
pub struct Painter<'a> {
    scene: &'a Scene,
    /// What is drawn for each body: the shape, or of a container the part that one sees into.
    shapes: Vec<Shape>,
    /// A colour for each body.
    colors: Vec<[u8; 3]>,
    map: HeightMap,
}

/// The triangles of a level set, to be drawn many times.
fn mesh_of(levels: &Arc<LevelSet>) -> Shape {
    levels.to_mesh().map_or_else(|_| Arc::clone(levels).into(), |own| own.mesh.into())
}

/// The terrain within `reach` (m) of a field's middle.
fn drawn_field(field: &Arc<HeightField>, reach: f64) -> Shape {
    let (vertices, triangles) = terrain(field, reach);
    TriMesh::new(vertices, triangles).map_or_else(|_| Arc::clone(field).into(), Shape::from)
}

impl<'a> Painter<'a> {
    /// A painter that looks where the scene's camera does.
    pub fn new(scene: &'a Scene) -> Result<Painter<'a>> {
        let camera = &scene.camera;
        let far = 100.0 * camera.half_height;
        let wide = camera.half_height * f64::from(SIZE[0]) / f64::from(SIZE[1]);
        let plane = ImagePlane::new(
            camera.target - camera.direction * far,
            camera.direction,
            Vector3::z(),
            [2.0 * wide, 2.0 * camera.half_height],
            SIZE.map(|n| n * SAMPLES),
        )?;
        let shapes = scene
            .bodies
            .iter()
            .map(|body| {
                let shape = &scene.shapes[body.shape].shape;
                match (shape, scene.container) {
                    (Shape::Mesh(mesh), Some(container)) if body.fixed => {
                        opened(mesh, &body.pose, &container, &camera.direction)
                            .unwrap_or_else(|| shape.clone())
                    }
                    (Shape::Field(field), _) => drawn_field(field, FIELD_REACH * camera.half_height),
                    (Shape::Levels(levels), _) => mesh_of(levels),
                    _ => shape.clone(),
                }
            })
            .collect();
        Ok(Painter { scene, shapes, colors: body_colors(scene), map: HeightMap::new(plane, Which::Near) })
    }

    /// Has another shape drawn for a body from now on.
    pub fn reshape(&mut self, body: usize, shape: Shape) {
        self.shapes[body] = match &shape {
            Shape::Levels(levels) => mesh_of(levels),
            Shape::Field(field) => drawn_field(field, FIELD_REACH * self.scene.camera.half_height),
            _ => shape,
        };
    }

    /// Draws the bodies at `poses` (m, one per body of the scene) into a PNG file.
    pub fn paint(&mut self, poses: &[Isometry3<f64>], file: &Path) -> Result<()> {
        self.map.clear();
        for (body, (shape, pose)) in self.shapes.iter().zip(poses).enumerate() {
            if !faces_away(shape, pose, &self.scene.camera.direction) {
                self.map.draw(shape, pose, body as u32);
            }
        }
        let pixels = self.pixels();
        write(file, &pixels).with_context(|| format!("{}: the picture cannot be written", file.display()))
    }

    /// Red, green and blue of every pixel, row by row from the top.
    fn pixels(&self) -> Vec<u8> {
        let [width, height] = SIZE;
        (0..width * height).into_par_iter().flat_map_iter(|k| self.pixel(k % width, k / width)).collect()
    }

    fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        let mut sum = [0.0f32; 3];
        let mut crease: Option<(u32, f32)> = None;
        for sample in 0..SAMPLES * SAMPLES {
            let at = [x * SAMPLES + sample % SAMPLES, y * SAMPLES + sample / SAMPLES];
            let color = match self.map.at(at[0], at[1]) {
                None => BACKGROUND,
                Some(hit) => {
                    // Creases are wider than a pixel: samples of one body share theirs.
                    let shadow = match crease {
                        Some((body, shadow)) if body == hit.body => shadow,
                        _ => self.crease(at, &hit),
                    };
                    crease = Some((hit.body, shadow));
                    let shade = self.light(&hit) * shadow * self.outline(at, &hit);
                    self.colors[hit.body as usize].map(|c| f32::from(c) * shade)
                }
            };
            (0..3).for_each(|k| sum[k] += color[k]);
        }
        sum.map(|c| (c / (SAMPLES * SAMPLES) as f32).clamp(0.0, 255.0) as u8)
    }

    fn light(&self, hit: &Hit) -> f32 {
        let key = Vector3::new(-0.25f32, -0.5, 0.83).normalize();
        let toward = -self.scene.camera.direction.cast::<f32>();
        0.34 + 0.44 * hit.normal.dot(&key).max(0.0) + 0.26 * hit.normal.dot(&toward).max(0.0)
    }

    /// Below 1 where the surroundings rise above the surface: less light gets there.
    ///
    /// Source: Shanmugam, Arikan, "Hardware Accelerated Ambient Occlusion Techniques on GPUs", 2007
    /// (here: along eight directions of the picture, without randomness).
    fn crease(&self, [x, y]: [u32; 2], hit: &Hit) -> f32 {
        let plane = self.map.plane();
        let reach = 0.06 * self.scene.camera.half_height;
        let normal = hit.normal.cast::<f64>();
        let here = plane.place(x, y, hit.depth);
        let mut shadow = 0.0;
        let mut count = 0.0;
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)] {
            for ring in 1..=3 {
                count += 1.0;
                let (nx, ny) = (i64::from(x) + dx * ring * CREASE, i64::from(y) + dy * ring * CREASE);
                let Some((other, nx, ny)) = self.neighbour(nx, ny) else { continue };
                let away = plane.place(nx, ny, other.depth) - here;
                let distance = away.norm();
                let sine = normal.dot(&away) / distance.max(1e-12);
                // What stands much nearer to the viewer is another thing and shades less.
                let fade = 1.0 / (1.0 + (distance / reach).powi(2));
                shadow += (sine - 0.1).max(0.0) * fade;
            }
        }
        1.0 - 1.1 * (shadow / count).min(0.7) as f32
    }

    /// Below 1 at the border of a body that stands in front of something else.
    fn outline(&self, [x, y]: [u32; 2], hit: &Hit) -> f32 {
        let step = 0.004 * self.scene.camera.half_height;
        let [width, height] = SIZE.map(|n| i64::from(n * SAMPLES));
        let border = [(1, 0), (-1, 0), (0, 1), (0, -1)].into_iter().any(|(dx, dy)| {
            let (nx, ny) = (i64::from(x) + dx, i64::from(y) + dy);
            match self.neighbour(nx, ny) {
                Some((other, ..)) => other.body != hit.body && other.depth > hit.depth + step,
                None => (0..width).contains(&nx) && (0..height).contains(&ny),
            }
        });
        if border { 0.45 } else { 1.0 }
    }

    /// What another sample holds, and where it is.
    fn neighbour(&self, x: i64, y: i64) -> Option<(Hit, u32, u32)> {
        let (x, y) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?);
        self.map.at(x, y).map(|hit| (hit, x, y))
    }
}

/// Whether the viewer would look at a half-space from inside: a wall behind which the scene would hide.
fn faces_away(shape: &Shape, pose: &Isometry3<f64>, direction: &Vector3<f64>) -> bool {
    let wall = matches!(shape, Shape::Primitive(Primitive::HalfSpace));
    wall && (pose.rotation * Vector3::z()).dot(direction) > 0.0
}

/// The faces of a container through which one sees into it: those that face the viewer and also its
/// middle, and those beyond its middle. `None` where nothing is left.
fn opened(
    mesh: &TriMesh,
    pose: &Isometry3<f64>,
    container: &Container,
    direction: &Vector3<f64>,
) -> Option<Shape> {
    let middle = nalgebra::center(&container.min, &container.max);
    let level = Vector3::new(direction.x, direction.y, 0.0);
    let kept = |t: u32| {
        let [a, b, c] = mesh.corners(t).map(|p| pose * p.cast::<f64>());
        let normal = (b - a).cross(&(c - a));
        let center = Point3::from((a.coords + b.coords + c.coords) / 3.0);
        let beyond = level.dot(&(center - middle)) > 0.0;
        normal.dot(direction) < 0.0 && (normal.dot(&(middle - center)) > 0.0 || beyond)
    };
    let triangles =
        (0..mesh.triangles().len() as u32).filter(|&t| kept(t)).map(|t| mesh.triangles()[t as usize]);
    TriMesh::new(mesh.vertices().to_vec(), triangles.collect()).ok().map(Shape::from)
}

fn write(file: &Path, pixels: &[u8]) -> Result<()> {
    let mut encoder = png::Encoder::new(BufWriter::new(std::fs::File::create(file)?), SIZE[0], SIZE[1]);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each alone in a picture: what is not background is the body.
    #[test]
    fn every_kind_is_painted() {
        let mut scene = impinge_scenes::scene("bowls", &Default::default()).unwrap();
        scene.bodies.truncate(1);
        scene.bodies[0].shape = 0;
        scene.camera.half_height = 3.0;
        scene.camera.target = Point3::origin();
        let folder = tempfile::tempdir().unwrap();
        for (k, (shape, _)) in crate::field_surface::every_kind().into_iter().enumerate() {
            scene.shapes[0].shape = shape;
            let mut painter = Painter::new(&scene).unwrap();
            painter.paint(&[Isometry3::identity()], &folder.path().join(format!("{k}.png"))).unwrap();
            let painted = painter.pixels().chunks_exact(3).filter(|pixel| *pixel != [236, 238, 241]).count();
            assert!(painted > 5_000, "{:?}: {painted} pixels", scene.shapes[0].shape);
        }
    }
}
