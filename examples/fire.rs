//! Fire under a pan: 50,000 particles that 81,920 triangles deflect, by one height map that all share.
//! `cargo run --release --example fire` writes pictures to `out/`; `docs/images/` has a copy of `fire.png`.

use std::error::Error;
use std::time::Instant;

use impinge::cloud::{Bounce, CloudHit, CloudMap, CloudView, Points};
use impinge::height_map::{HeightMap, ImagePlane, Obstacle, Which};
use impinge::prelude::*;
use impinge_scenes::mesh::Pan;
use impinge_scenes::random::Random;

#[path = "shared/canvas.rs"]
mod canvas;

use canvas::{Canvas, Colour};

const PARTICLES: usize = 50_000;
/// Pixels along a side of the shared height map.
const MAP: u32 = 1024;
/// Pixels along a side of a picture.
const SIDE: u32 = 720;
const STEP: f32 = 1.0 / 60.0;
const STEPS: usize = 150;
/// Steps that are painted.
const PAINTED: [usize; 3] = [60, 105, 149];

/// The particles: where they are, how fast, and how old (s).
struct Fire {
    places: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
    ages: Vec<f32>,
    random: Random,
}

/// How long a particle burns (s).
const LIFE: f32 = 1.6;

impl Fire {
    fn new() -> Fire {
        let mut fire = Fire { places: vec![], velocities: vec![], ages: vec![], random: Random::new(7) };
        for k in 0..PARTICLES {
            let (place, velocity) = fire.born();
            fire.places.push(place);
            fire.velocities.push(velocity);
            // They start one after another.
            fire.ages.push(-LIFE * k as f32 / PARTICLES as f32);
        }
        fire
    }

    fn born(&mut self) -> ([f32; 3], [f32; 3]) {
        let d = self.random.direction() * self.random.unit();
        let place = [0.05 * d.x, 0.05 * d.y, 0.0].map(|x| x as f32);
        let speed = [0.10 * d.y, -0.10 * d.x, 0.35 + 0.25 * self.random.unit()].map(|x| x as f32);
        (place, speed)
    }

    /// Where each would come to in a step, if nothing stood in its way.
    fn go(&mut self, to: &mut Vec<[f32; 3]>) {
        to.clear();
        for k in 0..PARTICLES {
            self.ages[k] += STEP;
            if self.ages[k] > LIFE {
                (self.places[k], self.velocities[k]) = self.born();
                self.ages[k] = 0.0;
            }
            let (p, v) = (self.places[k], &mut self.velocities[k]);
            if self.ages[k] >= 0.0 {
                // Hot gas rises, and swirls.
                let swirl =
                    |a: f32, b: f32, phase: f32| (23.0 * a + phase).sin() * (17.0 * b - 2.0 * phase).cos();
                let t = self.ages[k] * 3.0 + k as f32;
                v[0] += STEP * (1.6 * swirl(p[2], p[1], t) - 0.8 * v[0]);
                v[1] += STEP * (1.6 * swirl(p[2], p[0], t + 1.7) - 0.8 * v[1]);
                v[2] += STEP * (1.1 - 0.9 * v[2]);
                to.push(std::array::from_fn(|i| p[i] + STEP * v[i]));
            } else {
                to.push(p);
            }
        }
    }
}

/// Where the pan is: held over the fire, and moved about.
fn pan_at(step: usize) -> Isometry3<f64> {
    let t = step as f64 / STEPS as f64;
    let turn = UnitQuaternion::from_euler_angles(0.12 * (7.0 * t).sin(), 0.05, 0.9 + 0.6 * t);
    Isometry3::from_parts(Translation3::new(0.09 * (6.0 * t).sin(), 0.0, 0.32), turn)
}

fn main() -> Result<(), Box<dyn Error>> {
    let pan: Shape = Pan::default().mesh()?.into();
    let mut obstacles = [Obstacle::new(&pan, pan_at(0), 0)];
    // The map looks from the fire to the sky.
    let (source, size) = (Point3::new(0.0, 0.0, -0.05), [0.9, 0.9]);
    let plane = ImagePlane::new(source, Vector3::z(), Vector3::y(), size, [MAP, MAP])?.between(0.0, 1.2);
    let mut map = CloudMap::new(CloudView::Along(plane))?;
    let bounce = Bounce { restitution: 0.1, friction: 0.02, gap: 0.002 }.checked()?;
    let (mut fire, mut to, mut hits): (_, Vec<[f32; 3]>, Vec<CloudHit>) =
        (Fire::new(), Vec::new(), Vec::new());
    let (mut all, mut drawing, mut testing) = (0, 0.0, 0.0);
    let mut paintings = Vec::new();
    for step in 0..STEPS {
        obstacles[0].pose = pan_at(step);
        fire.go(&mut to);
        let start = Instant::now();
        map.draw(&obstacles);
        drawing += start.elapsed().as_secs_f64();
        let start = Instant::now();
        hits.clear();
        map.hits(&obstacles, Points::new(&fire.places, &to), &mut hits)?;
        for hit in &hits {
            let k = hit.point as usize;
            bounce.apply(hit, &mut to[k], &mut fire.velocities[k]);
        }
        testing += start.elapsed().as_secs_f64();
        all += hits.len();
        std::mem::swap(&mut fire.places, &mut to);
        if PAINTED.contains(&step) {
            let painting = paint(&pan, &obstacles[0].pose, &fire)?;
            painting.save(&format!("fire-{step:03}.png"))?;
            paintings.push(painting);
        }
    }
    let ms = |seconds: f64| 1e3 * seconds / STEPS as f64;
    println!(
        "{PARTICLES} particles, {} triangles, map of {MAP} x {MAP}: {:.2} ms for the map and {:.2} ms for the particles in each of {STEPS} steps, {} deflections",
        Pan::TRIANGLES,
        ms(drawing),
        ms(testing),
        all
    );
    let heights = heights(&map);
    let normals = normals(&map, &obstacles);
    heights.save("fire-heights.png")?;
    normals.save("fire-normals.png")?;
    let last = paintings.last().ok_or("nothing was painted")?;
    Canvas::beside(&[&last.shrunk(2), &heights.shrunk(2), &normals.shrunk(2)]).save("fire.png")?;
    Ok(())
}

/// The fire from the side and a little below, with the pan in it.
fn paint(pan: &Shape, pose: &Isometry3<f64>, fire: &Fire) -> Result<Canvas, Box<dyn Error>> {
    let eye = Vector3::new(0.25, 1.0, 0.22);
    let center = Point3::new(-0.5, -2.0, -0.19);
    let plane = ImagePlane::new(center, eye, Vector3::z(), [0.75, 0.75], [SIDE, SIDE])?;
    let mut map = HeightMap::new(plane, Which::Near);
    map.draw(pan, pose, 0);
    let light = Vector3::new(-0.3f32, -0.5, 0.8).normalize();
    let mut canvas = Canvas::from_fn(SIDE as usize, SIDE as usize, |x, y| {
        let dark: Colour = [0.05, 0.05, 0.07];
        map.at(x as u32, y as u32).map_or(dark, |hit| {
            let sky = hit.normal.dot(&light).max(0.0);
            // Lit from below by what burns there.
            let glow = (-hit.normal.z).max(0.0) * 0.5 + 0.06;
            [0.10 + 0.30 * sky + 0.8 * glow, 0.10 + 0.32 * sky + 0.35 * glow, 0.12 + 0.36 * sky + 0.1 * glow]
        })
    });
    let eye = eye.normalize();
    let right = eye.cross(&Vector3::z()).normalize();
    let up = right.cross(&eye);
    for (place, age) in fire.places.iter().zip(&fire.ages).filter(|(_, age)| **age >= 0.0) {
        let v = Point3::from(place.map(f64::from)) - center;
        let scale = f64::from(SIDE) / 0.75;
        let (x, y) =
            (0.5 * f64::from(SIDE) + scale * right.dot(&v), 0.5 * f64::from(SIDE) - scale * up.dot(&v));
        let hidden = map.at(x.max(0.0) as u32, y.max(0.0) as u32).is_some_and(|hit| hit.depth < eye.dot(&v));
        if !hidden {
            let t = (age / LIFE).clamp(0.0, 1.0);
            let light = [0.30 * (1.0 - 0.7 * t), 0.16 * (1.0 - t), 0.05 * (1.0 - t).powi(3)];
            for (dx, dy, share) in
                [(0.0, 0.0, 1.0), (1.0, 0.0, 0.4), (-1.0, 0.0, 0.4), (0.0, 1.0, 0.4), (0.0, -1.0, 0.4)]
            {
                canvas.add(x + dx, y + dy, light.map(|c| c * share));
            }
        }
    }
    Ok(canvas)
}

/// The height map that the particles share: near is bright.
fn heights(map: &CloudMap) -> Canvas {
    let finite = map.depths().iter().copied().filter(|d| d.is_finite());
    let (least, most) = finite.fold((f32::INFINITY, 0.0f32), |(a, b), d| (a.min(d), b.max(d)));
    sampled(|k| match map.depths()[k] {
        d if d.is_finite() => [1.0 - 0.75 * (d - least) / (most - least).max(1e-6); 3],
        _ => [0.0; 3],
    })
}

/// The normals in it.
fn normals(map: &CloudMap, obstacles: &[Obstacle]) -> Canvas {
    let normals = map.normals(obstacles);
    sampled(|k| match map.depths()[k].is_finite() {
        true => [normals[k].x, normals[k].y, -normals[k].z].map(|c| 0.5 + 0.5 * c),
        false => [0.0; 3],
    })
}

/// The map in the size of the pictures.
fn sampled(colour: impl Fn(usize) -> Colour) -> Canvas {
    let at = |x: usize| x * MAP as usize / SIDE as usize;
    Canvas::from_fn(SIDE as usize, SIDE as usize, |x, y| colour(at(y) * MAP as usize + at(x)))
}
