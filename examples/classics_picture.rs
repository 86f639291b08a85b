//! Draws a small picture of each classic image-space test.
//! `cargo run --release --example classics_picture` writes `out/classic-*.png`; `docs/images/` has copies.

#[path = "shared/canvas.rs"]
mod canvas;

use std::error::Error;

use canvas::{Canvas, Colour};
use impinge::ldi::{LayeredDepthImage, LdiView};
use impinge::prelude::*;
use impinge::query::classic::*;
use impinge_scenes::fixtures::sphere_mesh;
use impinge_scenes::mesh::{Knot, Torus};
use impinge_scenes::random::Random;
use nalgebra::Point2;

/// Pixels along a side.
const SIDE: u32 = 180;

const PAPER: Colour = [1.0, 1.0, 1.0];
const INK: Colour = [0.1, 0.1, 0.1];
const OF_A: Colour = [0.25, 0.47, 0.72];
const OF_B: Colour = [0.87, 0.58, 0.20];
const FOUND: Colour = [0.85, 0.08, 0.12];

/// A body, its triangle, and how it is lit.
type Seen = Option<(usize, u32, f64)>;
type Done = Result<(), Box<dyn Error>>;

fn mix(a: Colour, b: Colour, t: f64) -> Colour {
    std::array::from_fn(|k| a[k] + (b[k] - a[k]) * t.clamp(0.0, 1.0) as f32)
}

/// A picture, row 0 of the pixels at the bottom.
fn picture(name: &str, colour: impl Fn(u32, u32) -> Colour) -> Done {
    Canvas::from_fn(SIDE as usize, SIDE as usize, |x, y| colour(x as u32, SIDE - 1 - y as u32)).save(name)?;
    Ok(())
}

/// What a view sees of some bodies first: for every pixel the body, the triangle, and how it is lit.
fn seen(bodies: &[ClassicBody<'_>], view: LdiView) -> Result<Vec<Seen>, Box<dyn Error>> {
    let mut nearest = vec![(i32::MAX, None); (SIDE * SIDE) as usize];
    for (k, body) in bodies.iter().enumerate() {
        let image = LayeredDepthImage::capture(body.mesh, body.pose, view)?;
        for (pixel, nearest) in nearest.iter_mut().enumerate() {
            let line = image.line(pixel as u32 % SIDE, pixel as u32 / SIDE);
            if let Some(first) = line.first().filter(|first| first.depth() < nearest.0) {
                let [a, b, c] = body.mesh.corners(first.triangle()).map(|p| p.cast::<f64>());
                let normal = body.pose * (b - a).cross(&(c - a)).normalize();
                let light = 0.25 + 0.75 * normal.dot(&view.direction()).abs();
                *nearest = (first.depth(), Some((k, first.triangle(), light)));
            }
        }
    }
    Ok(nearest.into_iter().map(|(_, found)| found).collect())
}

fn lit(found: &Seen, colours: impl Fn(usize, u32) -> Colour) -> Colour {
    found.as_ref().map_or(PAPER, |&(body, triangle, light)| mix(INK, colours(body, triangle), light))
}

fn around(bodies: &[ClassicBody<'_>], direction: Vector3<f64>) -> Result<LdiView, Box<dyn Error>> {
    let (mut min, mut max) = (Point3::from([f64::INFINITY; 3]), Point3::from([f64::NEG_INFINITY; 3]));
    for body in bodies {
        for vertex in body.mesh.vertices() {
            let p = body.pose * vertex.cast::<f64>();
            (min, max) = (min.inf(&p), max.sup(&p));
        }
    }
    Ok(LdiView::around(min, max, direction, [SIDE; 2])?)
}

/// Pixels of an overlap's view, over what it sees.
fn pair(name: &str, bodies: &[ClassicBody<'_>; 2], direction: Vector3<f64>, hits: &[u32]) -> Done {
    let view = overlap_view(bodies, direction, SIDE)?.ok_or("the boxes overlap")?;
    let seen = seen(bodies, view)?;
    picture(name, |x, y| {
        let pixel = y * SIDE + x;
        let colour = lit(&seen[pixel as usize], |body, _| mix([OF_A, OF_B][body], PAPER, 0.35));
        if hits.binary_search(&pixel).is_ok() { mix(colour, FOUND, 0.75) } else { colour }
    })
}

fn pairs(raster: &mut FrameBuffer) -> Done {
    let direction = Vector3::new(0.3, 0.5, -1.0);
    let egg = sphere_mesh(0.5, 40, 24).scaled_by([1.0, 0.8, 1.2])?;
    let brick = ToolVolume::swept_box([0.5, 0.35, 0.3], Vector3::zeros())?;
    let poses = [
        Isometry3::identity(),
        Isometry3::from_parts(
            Translation3::new(0.55, 0.3, 0.25),
            UnitQuaternion::from_euler_angles(0.5, 0.4, 0.3),
        ),
    ];
    let convex = [ClassicBody::new(brick.mesh(), &poses[0]), ClassicBody::new(&egg, &poses[1])];
    let found = shinya_forgue(&convex, direction, SIDE, raster)?;
    pair("classic-shinya.png", &convex, direction, &found.pixels)?;
    // The first pass of RECODE decides here: where one face of the second body is before the first one's back.
    let found = recode(&convex, SIDE, raster)?;
    let axis = (0..3).map(|k| Vector3::ith(k, 1.0)).find(|axis| {
        baciu_wong(&convex, *axis, SIDE, raster)
            .is_ok_and(|both| found.pixels.iter().all(|p| both.pixels.contains(p)))
    });
    pair("classic-recode.png", &convex, axis.ok_or("it looks along an axis")?, &found.pixels)?;

    let (knot, ring) = (Knot::default().with_triangles(4800)?, Torus::default().mesh()?);
    let turn = UnitQuaternion::from_euler_angles(1.1, 0.4, 0.3);
    let poses = [Isometry3::identity(), Isometry3::from_parts(Translation3::new(0.22, 0.06, 0.05), turn)];
    let concave = [ClassicBody::new(&knot, &poses[0]), ClassicBody::new(&ring, &poses[1])];
    let view = overlap_view(&concave, direction, SIDE)?.ok_or("the boxes overlap")?;
    let [a, b] = concave.map(|body| LayeredDepthImage::capture(body.mesh, body.pose, view));
    pair("classic-myszkowski.png", &concave, direction, &myszkowski(&a?, &b?)?.pixels)?;

    let settings = CinderSettings { passes: 1, ..CinderSettings::default() };
    let edges = knott_pai(&concave, &view, settings, raster)?;
    let mut hits: Vec<u32> = edges.hits.iter().map(|hit| hit.pixel).collect();
    hits.sort_unstable();
    pair("classic-knott-pai.png", &concave, direction, &hits)
}

/// The normals of the front map, and the cloth's vertices that are inside of the torso.
fn avatar() -> Done {
    let torso = sphere_mesh(0.45, 64, 40).scaled_by([1.0, 0.7, 1.0])?;
    let (pose, still) = (Isometry3::identity(), vec![Vector3::zeros(); torso.vertices().len()]);
    let body = ClassicBody::new(&torso, &pose);
    let maps = AvatarMaps::new(&body, &still, Vector3::new(0.0, 1.0, -0.2), SIDE)?;
    let cloth = |k: u32| {
        let (x, z) = (f64::from(k % 60) / 60.0 - 0.5, f64::from(k / 60) / 60.0 - 0.5);
        Point3::new(x, -0.33 + 0.5 * (x * x + z * z) + 0.05 * (11.0 * x).sin(), z)
    };
    let places: Vec<Point3<f64>> = (0..3600).map(cloth).collect();
    let inside: Vec<u32> = maps.test(&places)?.iter().map(|hit| hit.vertex).collect();
    let mut dots = vec![None; (SIDE * SIDE) as usize];
    for (vertex, place) in (0..).zip(&places) {
        let [x, y, _] = maps.view().locate(place);
        let last = f64::from(SIDE - 1);
        if (0.0..last).contains(&x) && (0.0..last).contains(&y) {
            let at = (y as u32 * SIDE + x as u32) as usize;
            let (size, colour) = if inside.contains(&vertex) { (2, FOUND) } else { (1, [0.35; 3]) };
            (0..size * size).for_each(|k| dots[at + k / size * SIDE as usize + k % size] = Some(colour));
        }
    }
    picture("classic-vassilev.png", |x, y| {
        let pixel = y * SIDE + x;
        let normal = |s: &AvatarSample| mix([0, 1, 2].map(|k| 0.5 + 0.5 * s.normal[k]), PAPER, 0.3);
        let under = maps.sample(false, pixel).map_or(PAPER, normal);
        dots[pixel as usize].unwrap_or(under)
    })
}

/// A distance field in bands, and the overlap of two polygons.
fn plane(raster: &mut FrameBuffer) -> Done {
    let star = |at: [f64; 2], reach: f64, corners: u32| -> Vec<Point2<f64>> {
        let corner = |k: u32| {
            let (a, r) = (
                f64::from(k) * std::f64::consts::TAU / f64::from(corners),
                if k.is_multiple_of(2) { reach } else { 0.5 * reach },
            );
            Point2::new(at[0] + r * a.cos(), at[1] + r * a.sin())
        };
        (0..corners).map(corner).collect()
    };
    let (a, b) = (star([-0.3, -0.1], 0.8, 10), star([0.55, 0.2], 0.65, 6));
    let view = PlaneView::new(Point2::new(-1.3, -1.3), Point2::new(1.3, 1.3), SIDE)?;
    let (field, overlap) = (hoff_field(&b, &view, raster)?, hoff_overlap([&a, &b], &view, raster)?);
    let of_a = hoff_field(&a, &view, raster)?;
    picture("classic-hoff.png", |x, y| {
        let pixel = y * SIDE + x;
        let distance = field[pixel as usize];
        let band = 0.5 + 0.5 * (distance.abs() * 40.0).sin().signum();
        let base = mix(PAPER, if distance < 0.0 { OF_B } else { [0.8, 0.8, 0.8] }, 0.35 + 0.35 * band);
        let base = if of_a[pixel as usize] < 0.0 { mix(base, OF_A, 0.55) } else { base };
        if overlap.pixels.binary_search(&pixel).is_ok() { mix(base, FOUND, 0.7) } else { base }
    })
}

/// A sheet of tissue, and its faces in a swept tool.
fn tissue(raster: &mut FrameBuffer) -> Done {
    let cells = 36u32;
    let at = |k: u32| 2.0 * k as f32 / cells as f32 - 1.0;
    let place = |i: u32, j: u32| Point3::new(at(i), at(j), 0.12 * (5.0 * at(i)).sin() * (4.0 * at(j)).cos());
    let vertices = (0..=cells).flat_map(|j| (0..=cells).map(move |i| place(i, j))).collect();
    let squares = (0..cells).flat_map(|j| (0..cells).map(move |i| j * (cells + 1) + i));
    let faces = squares.flat_map(|p| [[p, p + 1, p + cells + 2], [p, p + cells + 2, p + cells + 1]]);
    let sheet = TriMesh::new(vertices, faces.collect())?;
    let tool = ToolVolume::swept_box([0.12, 0.12, 0.5], Vector3::new(0.6, 0.5, 0.0))?;
    let (here, pose) = (Isometry3::identity(), Isometry3::translation(-0.4, -0.3, 0.45));
    let body = ClassicBody::new(&sheet, &here);
    let settings = ToolSettings { direction: -Vector3::z(), pixels: 256, dilated: false };
    let found = lombardo(&tool, &pose, &body, settings, raster)?.triangles;
    let seen = seen(&[body], around(&[body], Vector3::new(0.1, 0.25, -1.0))?)?;
    picture("classic-lombardo.png", |x, y| {
        lit(&seen[(y * SIDE + x) as usize], |_, triangle| {
            if found.binary_search(&triangle).is_ok() { FOUND } else { [0.93, 0.72, 0.66] }
        })
    })
}

/// A layer of bodies: those that may touch, and those that are culled.
fn crowd(raster: &mut FrameBuffer) -> Done {
    let ring = Torus { major: 0.2, minor: 0.08, around: 24, across: 12 }.mesh()?;
    let mut random = Random::new(8);
    let poses: Vec<_> = (0..26)
        .map(|_| {
            let at = Translation3::new(1.6 * random.signed(), 1.6 * random.signed(), 0.1 * random.signed());
            Isometry3::from_parts(at, random.rotation())
        })
        .collect();
    let bodies: Vec<_> = poses.iter().map(|pose| ClassicBody::new(&ring, pose)).collect();
    let set = cullide(&bodies, CullideSettings { pixels: 512, ..CullideSettings::default() }, raster)?;
    let seen = seen(&bodies, around(&bodies, Vector3::new(0.0, 0.2, -1.0))?)?;
    picture("classic-cullide.png", |x, y| {
        lit(&seen[(y * SIDE + x) as usize], |body, _| {
            if set.bodies.binary_search(&(body as u32)).is_ok() { FOUND } else { [0.8, 0.84, 0.88] }
        })
    })
}

/// How many layers two bodies have along the direction that is chosen: the more, the darker.
fn layers() -> Done {
    let (knot, ring) = (Knot::default().with_triangles(4800)?, Torus::default().mesh()?);
    let turn = UnitQuaternion::from_euler_angles(1.1, 0.4, 0.3);
    let poses = [Isometry3::identity(), Isometry3::from_parts(Translation3::new(0.22, 0.06, 0.05), turn)];
    let bodies = [ClassicBody::new(&knot, &poses[0]), ClassicBody::new(&ring, &poses[1])];
    let chosen = opposite_layers(&bodies, SIDE)?.ok_or("the boxes overlap")?;
    let worst = layers_along(&bodies, 0, false, SIDE)?.ok_or("the boxes overlap")?;
    println!("{:?} layers along axis {}, {:?} along x", chosen.layers, chosen.axis, worst.layers);
    picture("classic-directions.png", |x, y| {
        let [a, b] = [&chosen.images[0], &chosen.images[1]];
        let counts = [a.line(x, y).len(), b.line(SIDE - 1 - x, y).len()];
        mix(mix(PAPER, OF_A, 0.2 * counts[0] as f64), OF_B, 0.2 * counts[1] as f64)
    })
}

fn main() -> Done {
    let raster = &mut FrameBuffer::default();
    pairs(raster)?;
    avatar()?;
    plane(raster)?;
    tissue(raster)?;
    crowd(raster)?;
    layers()
}
