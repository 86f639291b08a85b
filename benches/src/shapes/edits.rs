//! What edits cost beside how much they change: samples of a field of 4,096² and of a level set of 128³ (whose trees are in them), and vertices and
//! triangles of a mesh of 81,920 with its tree.

use std::time::Instant;

use impinge::PreparedShape;
use impinge_scenes::mesh::Blob;
use impinge_scenes::random::Random;
use nalgebra::Point3;

use super::field::{field, height};
use super::levels::levels;
use super::{Choice, Measured, Watch};

/// Edits before any is timed.
const WARM_UP: usize = 2;
/// Samples along a side of the field and of the level set.
const FIELD: u32 = 4096;
const LEVELS: u32 = 128;

const FIELD_SCENE: &str = "edits-field-4096";
const LEVELS_SCENE: &str = "edits-levels-128";
const MESH_SCENE: &str = "edits-mesh-81920";
const SCENES: [&str; 3] = [FIELD_SCENE, LEVELS_SCENE, MESH_SCENE];

/// A shape whose edits are timed, each kind in turn.
struct Edited<'c, S> {
    scene: &'static str,
    count: usize,
    shape: S,
    build_ms: f64,
    bytes: usize,
    all: &'c mut Vec<Measured>,
}

impl<S> Edited<'_, S> {
    /// Times edits of `changed` samples, vertices or triangles; `next` makes each, which is not timed.
    fn time<E>(
        &mut self,
        query: &'static str,
        changed: usize,
        most: usize,
        mut next: impl FnMut(usize) -> E,
        edit: impl Fn(&mut S, E) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let count = self.count.min(most);
        let mut times = Vec::with_capacity(count);
        for n in 0..count + WARM_UP {
            let change = next(n);
            let watch = Watch::start();
            edit(&mut self.shape, change)?;
            if n >= WARM_UP {
                times.push(watch.micros());
            }
        }
        self.all.push(Measured {
            scene: self.scene.to_owned(),
            query,
            who: "impinge",
            times,
            work: (changed * count) as u64,
            bytes: self.bytes,
            build_ms: self.build_ms,
            beside: (self.scene.to_owned(), "impinge"),
        });
        Ok(())
    }
}

fn heights(choice: &Choice<'_>, all: &mut Vec<Measured>) -> anyhow::Result<()> {
    let (field, build_ms) = field(FIELD)?;
    let (scene, count, bytes) = (FIELD_SCENE, choice.count, field.bytes());
    let mut edited = Edited { scene, count, shape: field, build_ms, bytes, all };
    let mut random = Random::new(3);
    for (query, side) in
        [("heights-1", 1), ("heights-16x16", 16), ("heights-64x64", 64), ("heights-256x256", 256)]
    {
        let next = |n: usize| {
            let first = [0, 1].map(|_| random.index((FIELD - side) as usize) as u32);
            let place = |k: u32| height(first[0] + k % side, first[1] + k / side) + 0.01 * (n % 7) as f32;
            (first, (0..side * side).map(place).collect::<Vec<f32>>())
        };
        edited.time(query, (side * side) as usize, 200, next, |shape, (first, heights)| {
            shape.set_heights(first, [side; 2], &heights)?;
            Ok(())
        })?;
    }
    Ok(())
}

fn values(choice: &Choice<'_>, all: &mut Vec<Measured>) -> anyhow::Result<()> {
    let (levels, build_ms) = levels()?;
    let (scene, count, bytes, own) = (LEVELS_SCENE, choice.count, levels.bytes(), levels.clone());
    let mut edited = Edited { scene, count, shape: levels, build_ms, bytes, all };
    let mut random = Random::new(3);
    for (query, side) in [("values-1", 1), ("values-8x8x8", 8), ("values-32x32x32", 32)] {
        let next = |n: usize| {
            // About a place of the surface.
            let turn = std::f64::consts::TAU * random.unit();
            let at = [0.5 + 0.425 * turn.cos(), 0.5 + 0.425 * turn.sin(), 0.5];
            let first = at
                .map(|x| (x * f64::from(LEVELS)) as u32)
                .map(|k| k.saturating_sub(side / 2).clamp(1, LEVELS - side - 1));
            let place =
                |k: u32| [first[0] + k % side, first[1] + k / side % side, first[2] + k / (side * side)];
            let by = 0.01 * (n % 3) as f32;
            (first, (0..side.pow(3)).map(|k| own.value(place(k)) + by).collect::<Vec<f32>>())
        };
        edited.time(query, side.pow(3) as usize, 100, next, |shape, (first, values)| {
            shape.set_values(first, [side; 3], &values)?;
            Ok(())
        })?;
    }
    Ok(())
}

fn mesh(choice: &Choice<'_>, all: &mut Vec<Measured>) -> anyhow::Result<()> {
    let mesh = Blob { radius: 1.0, bump: 0.3, subdivisions: 6, ..Blob::default() }.mesh()?;
    let (vertices, triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
    let start = Instant::now();
    let shape = PreparedShape::new(&mesh.into());
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let (scene, count) = (MESH_SCENE, choice.count);
    let mut edited = Edited { scene, count, shape, build_ms, bytes: 0, all };
    let mut random = Random::new(3);
    // The vertices nearest to one of them.
    let near = |random: &mut Random, many: usize| {
        let middle = vertices[random.index(vertices.len())];
        let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
        let far = |v: &u32| (vertices[*v as usize] - middle).norm_squared();
        order.sort_by(|a, b| far(a).total_cmp(&far(b)));
        order.truncate(many);
        order
    };
    for (query, many) in [("vertices-1", 1), ("vertices-64", 64), ("vertices-4096", 4096)] {
        let next = |n: usize| {
            let by = 1.0 + 1e-4 * (n % 5 + 1) as f32;
            let put = |v: u32| (v, vertices[v as usize] * by);
            near(&mut random, many).into_iter().map(put).collect::<Vec<(u32, Point3<f32>)>>()
        };
        edited.time(query, many, 100, next, |shape, edits| Ok(shape.edit_vertices(&edits).map(drop)?))?;
    }
    let next = |n: usize| -> Vec<Point3<f32>> {
        vertices.iter().map(|p| p * (1.0 + 1e-4 * (n % 5 + 1) as f32)).collect()
    };
    edited.time("vertices-all", vertices.len(), 40, next, |shape, all| {
        Ok(shape.set_vertices(&all).map(drop)?)
    })?;
    // Every triangle goes once.
    let mut left: Vec<u32> = (0..triangles.len() as u32).rev().collect();
    for (query, many, most) in
        [("triangles-1", 1, 100), ("triangles-64", 64, 100), ("triangles-4096", 4096, 12)]
    {
        let next = |_: usize| left.split_off(left.len() - many);
        edited.time(query, many, most, next, |shape, gone| Ok(shape.remove_triangles(&gone).map(drop)?))?;
    }
    Ok(())
}

pub fn run(choice: &Choice<'_>) -> anyhow::Result<Vec<Measured>> {
    let mut all = Vec::new();
    for scene in SCENES {
        if choice.scene.is_some_and(|asked| asked != scene && asked != "edits") {
            continue;
        }
        match scene {
            FIELD_SCENE => heights(choice, &mut all)?,
            LEVELS_SCENE => values(choice, &mut all)?,
            _ => mesh(choice, &mut all)?,
        }
    }
    Ok(all)
}
