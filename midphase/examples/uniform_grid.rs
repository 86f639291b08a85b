//! What a uniform grid over the volume of interest costs beside the dual descent, as a way to thin out
//! the triangle pairs of two tori:
//!
//! `cargo run --release -p impinge-midphase --example uniform_grid`
//!
//! Source of the grid: Shen, Wu, Cheng, "Hybrid Collision Detection Algorithm based on Image Space",
//! 2013. A step places the vertices of both bodies, keeps the triangles whose boxes meet the volume of
//! interest, sorts those of A into cells as large as their mean box, and asks for those of B.

use std::ops::ControlFlow;
use std::time::Instant;

use impinge_geometry::{PairFrame, Side, TriMesh};
use impinge_midphase::{DescentCounts, ObbTree, descend};
use nalgebra::{Isometry3, Point3, Vector3};

type Bounds = [[f32; 3]; 2];

fn torus(around: u32, across: u32) -> TriMesh {
    let angle = |k: u32, of: u32| std::f64::consts::TAU * f64::from(k % of) / f64::from(of);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..around {
        for j in 0..across {
            let (u, v) = (angle(i, around), angle(j, across));
            let r = 1.0 + 0.3 * v.cos();
            vertices.push(Point3::new(r * u.cos(), r * u.sin(), 0.3 * v.sin()).cast::<f32>());
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    TriMesh::new(vertices, triangles).expect("a torus is a sound mesh")
}

fn apart(a: &Bounds, b: &Bounds) -> bool {
    (0..3).any(|k| a[1][k] < b[0][k] || b[1][k] < a[0][k])
}

/// The boxes of the triangles that meet the volume of interest.
fn thinned(mesh: &TriMesh, places: &[[f32; 3]], volume: &Bounds, out: &mut Vec<Bounds>) {
    out.clear();
    for t in mesh.triangles() {
        let p = t.map(|v| places[v as usize]);
        let end = |f: fn(f32, f32) -> f32| [0, 1, 2].map(|k| f(p[0][k], f(p[1][k], p[2][k])));
        let own = [end(f32::min), end(f32::max)];
        if !apart(&own, volume) {
            out.push(own);
        }
    }
}

/// Pairs of boxes that meet, by a uniform grid.
fn grid_pairs(a: &[Bounds], b: &[Bounds], volume: &Bounds, cells: &mut Vec<(u64, u32)>) -> usize {
    cells.clear();
    if a.is_empty() || b.is_empty() {
        return 0;
    }
    let mean =
        a.iter().map(|x| (0..3).map(|k| x[1][k] - x[0][k]).sum::<f32>() / 3.0).sum::<f32>() / a.len() as f32;
    let cell = |x: f32, k: usize| ((x - volume[0][k]) / mean).clamp(0.0, 65_535.0) as u64;
    let visit = |x: &Bounds, each: &mut dyn FnMut(u64)| {
        let [lo, hi] =
            [0, 1].map(|end| [0, 1, 2].map(|k| cell(x[end][k].clamp(volume[0][k], volume[1][k]), k)));
        for i in lo[0]..=hi[0] {
            for j in lo[1]..=hi[1] {
                (lo[2]..=hi[2]).for_each(|k| each(i << 32 | j << 16 | k));
            }
        }
    };
    for (index, x) in a.iter().enumerate() {
        visit(x, &mut |key| cells.push((key, index as u32)));
    }
    cells.sort_unstable();
    let mut found = Vec::new();
    for (index, x) in b.iter().enumerate() {
        visit(x, &mut |key| {
            let start = cells.partition_point(|c| c.0 < key);
            let own = cells[start..].iter().take_while(|c| c.0 == key);
            found.extend(own.filter(|c| !apart(x, &a[c.1 as usize])).map(|c| (c.1, index as u32)));
        });
    }
    found.sort_unstable();
    found.dedup();
    found.len()
}

fn main() {
    println!("triangles  shift  interest  grid us (pairs)  of it placing us  descent us (pairs)");
    for (around, across) in [(8, 6), (16, 10), (44, 11), (200, 24), (400, 100)] {
        let mesh = torus(around, across);
        let tree = ObbTree::build(&mesh);
        for shift in [2.58, 2.3, 1.5, 0.3] {
            let at = Isometry3::new(Vector3::new(shift, 0.11, 0.07), Vector3::new(0.3, 0.2, 0.1));
            let frame = PairFrame::new(&Isometry3::identity(), &at);
            let (mut boxes, mut cells) = ([Vec::new(), Vec::new()], Vec::new());
            let (mut placing, mut grid, mut descent) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
            let (mut pairs, mut tree_pairs, mut interest) = (0, 0, 0);
            for _ in 0..20 {
                let start = Instant::now();
                let places = Side::BOTH.map(|side| -> Vec<[f32; 3]> {
                    mesh.vertices().iter().map(|v| frame.place(side, v).cast::<f32>().into()).collect()
                });
                let ends = |p: &[[f32; 3]], f: fn(f32, f32) -> f32| {
                    p.iter().fold(p[0], |m, q| [0, 1, 2].map(|k| f(m[k], q[k])))
                };
                let (low, high) =
                    ([0, 1].map(|s| ends(&places[s], f32::min)), [0, 1].map(|s| ends(&places[s], f32::max)));
                let volume: Bounds = [
                    [0, 1, 2].map(|k| low[0][k].max(low[1][k])),
                    [0, 1, 2].map(|k| high[0][k].min(high[1][k])),
                ];
                placing = placing.min(start.elapsed().as_secs_f64() * 1e6);
                thinned(&mesh, &places[0], &volume, &mut boxes[0]);
                thinned(&mesh, &places[1], &volume, &mut boxes[1]);
                interest = boxes[0].len() + boxes[1].len();
                pairs = grid_pairs(&boxes[0], &boxes[1], &volume, &mut cells);
                grid = grid.min(start.elapsed().as_secs_f64() * 1e6);
                let start = Instant::now();
                tree_pairs = 0;
                let mut visit = |x, y| {
                    tree_pairs += tree.leaf_triangles(x).len() * tree.leaf_triangles(y).len();
                    ControlFlow::Continue(())
                };
                let _ = descend(&tree, &tree, &frame, 0.0, &mut visit, &mut DescentCounts::default());
                descent = descent.min(start.elapsed().as_secs_f64() * 1e6);
            }
            let triangles = mesh.triangles().len();
            println!(
                "{triangles:9}  {shift:5.2}  {interest:8}  {grid:8.1} ({pairs:5})  {placing:16.1}  {descent:10.1} ({tree_pairs:5})"
            );
        }
    }
}
