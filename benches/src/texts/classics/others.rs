//! A tool against a tissue, and a cloth against an avatar.

use std::sync::Arc;

use impinge::prelude::*;
use impinge::query::QueryScratch;
use impinge::query::classic::{AvatarMaps, ClassicBody, FrameBuffer, ToolSettings, ToolVolume, lombardo};
use impinge_scenes::fixtures::sphere_mesh;
use impinge_scenes::random::Random;

use super::measured::Measured;
use super::{Choice, PIXELS, TextRow};

pub fn run(choice: &Choice<'_>) -> anyhow::Result<Vec<TextRow>> {
    let mut rows = tool(choice)?;
    rows.extend(cloth(choice)?);
    Ok(rows)
}

/// Does any face of a tissue, an open sheet of hills, lie in a swept box?
fn tool(choice: &Choice<'_>) -> anyhow::Result<Vec<TextRow>> {
    const SCENE: &str = "lombardo-tissue";
    if !choice.takes(SCENE) {
        return Ok(Vec::new());
    }
    let tissue = sheet(48)?;
    let here = Isometry3::identity();
    let mut random = Random::new(13);
    let mut all = Vec::new();
    let prepared = Shape::Mesh(Arc::new(tissue.clone()));
    let mut scratch = QueryScratch::default();
    for _ in 0..choice.placements {
        let tool = ToolVolume::swept_box([0.03, 0.03, 0.3], random.direction().cast::<f32>() * 0.2)?;
        let at = Vector3::new(0.8 * random.signed(), 0.8 * random.signed(), 0.6 * random.signed());
        let pose = Isometry3::from_parts(at.into(), random.rotation());
        let shape = Shape::Mesh(tool.mesh().clone());
        let query = PairQuery::new(&shape, &prepared, QuerySettings::default())?;
        let exact = query.touching_with(&pose, &here, &mut scratch)?;
        all.push((tool, pose, exact));
    }
    let mut rows = Vec::new();
    for (dilated, name) in [(false, "software"), (true, "dilated")] {
        for pixels in PIXELS {
            let who = format!("{name} {pixels}");
            if !choice.has(&who) {
                continue;
            }
            let (mut measured, mut raster) = (Measured::default(), FrameBuffer::default());
            for (tool, pose, exact) in &all {
                let settings = ToolSettings { direction: pose * Vector3::z(), pixels, dilated };
                let body = ClassicBody::new(&tissue, &here);
                let found = measured.time(|| lombardo(tool, pose, &body, settings, &mut raster))?;
                measured.compare(!found.triangles.is_empty(), *exact);
            }
            rows.push(measured.row("Lombardo", SCENE, &who, choice));
        }
    }
    Ok(rows)
}

/// A sheet of hills of 2 · cells² triangles.
fn sheet(cells: u32) -> anyhow::Result<TriMesh> {
    let at = |k: u32| 2.0 * k as f32 / cells as f32 - 1.0;
    let place = |i: u32, j: u32| {
        let (x, y) = (at(i), at(j));
        Point3::new(x, y, 0.1 * (5.0 * x).sin() * (4.0 * y).cos())
    };
    let vertices = (0..=cells).flat_map(|j| (0..=cells).map(move |i| place(i, j))).collect();
    let corner = |i: u32, j: u32| j * (cells + 1) + i;
    let squares = (0..cells).flat_map(|j| (0..cells).map(move |i| (i, j)));
    let triangles = squares.flat_map(|(i, j)| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    Ok(TriMesh::new(vertices, triangles.collect())?)
}

/// Vertices of a cloth near the torso, at each placement of it.
const VERTICES: usize = 20;

/// Which vertices of a cloth are in a torso?
fn cloth(choice: &Choice<'_>) -> anyhow::Result<Vec<TextRow>> {
    const SCENE: &str = "vassilev-torso";
    if !choice.takes(SCENE) {
        return Ok(Vec::new());
    }
    let torso = sphere_mesh(1.0, 40, 24).scaled_by([0.25, 0.18, 0.45])?;
    let still = vec![Vector3::<f32>::zeros(); torso.vertices().len()];
    let mut random = Random::new(17);
    let mut all = Vec::new();
    for _ in 0..choice.placements {
        let pose = Isometry3::from_parts(random.direction().into(), random.rotation());
        let place = |random: &mut Random| {
            let p = random.direction() * (0.85 + 0.3 * random.unit());
            Point3::new(0.25 * p.x, 0.18 * p.y, 0.45 * p.z)
        };
        let local: Vec<Point3<f64>> = (0..VERTICES).map(|_| place(&mut random)).collect();
        let exact: Vec<bool> = local.iter().map(|p| torso.winding_number(p) > 0.5).collect();
        all.push((pose, local.iter().map(|p| pose * p).collect::<Vec<_>>(), exact));
    }
    let mut rows = Vec::new();
    for pixels in PIXELS {
        let who = format!("software {pixels}");
        if !choice.has(&who) {
            continue;
        }
        let mut measured = Measured::default();
        for (pose, points, exact) in &all {
            let hits = measured.time(|| {
                let body = ClassicBody::new(&torso, pose);
                AvatarMaps::new(&body, &still, pose * Vector3::y(), pixels)?.test(points)
            })?;
            let mut found = vec![false; points.len()];
            hits.iter().for_each(|hit| found[hit.vertex as usize] = true);
            found.iter().zip(exact).for_each(|(found, exact)| measured.compare(*found, *exact));
        }
        rows.push(measured.row("Vassilev", SCENE, &who, choice));
    }
    Ok(rows)
}
