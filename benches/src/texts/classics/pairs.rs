//! Pairs of closed bodies: Shinya and Forgue, Myszkowski, Baciu and Wong, RECODE, Knott and Pai, CULLIDE of two.

use std::sync::Arc;

use impinge::gpu_narrow::{AdapterChoice, AdapterSummary, choose};
use impinge::ldi::LayeredDepthImage;
use impinge::prelude::*;
use impinge::query::QueryScratch;
use impinge::query::classic::{
    CinderSettings, ClassicBody, ClassicError, ClassicRaster, CullideSettings, FrameBuffer, GpuRaster,
    baciu_wong, cullide, knott_pai, myszkowski, overlap_view, recode, shinya_forgue,
};
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};
use impinge_scenes::mesh::Knot;
use impinge_scenes::random::Random;

use super::measured::Measured;
use super::{Choice, PIXELS, PLACEMENTS_GPU, TextRow};

/// RAPID 2.01's mean for "do they touch?" of two knots of 968 triangles (µs), at poses of its own.
const RAPID_KNOTS: f64 = 8.9;

type Bodies<'a> = [ClassicBody<'a>; 2];
type Ask = fn(&Bodies<'_>, u32, &mut dyn ClassicRaster) -> Result<bool, ClassicError>;

/// A test of pairs.
struct Test {
    text: &'static str,
    scene: &'static str,
    meshes: fn() -> anyhow::Result<[TriMesh; 2]>,
    ask: Ask,
}

fn direction() -> Vector3<f64> {
    Vector3::new(0.3, -0.4, 0.8)
}

fn convex() -> anyhow::Result<[TriMesh; 2]> {
    Ok([box_mesh([0.5, 0.3, 0.7]), sphere_mesh(0.6, 16, 8)])
}

fn rings() -> anyhow::Result<[TriMesh; 2]> {
    Ok([torus(1.0, 0.3, 24, 12), torus(1.0, 0.3, 24, 12)])
}

fn knots() -> anyhow::Result<[TriMesh; 2]> {
    Ok([Knot::default().with_triangles(968)?, Knot::default().with_triangles(968)?])
}

fn needles() -> anyhow::Result<[TriMesh; 2]> {
    Ok([box_mesh([0.004, 0.003, 0.9]), box_mesh([0.9, 0.002, 0.005])])
}

fn by_bits(bodies: &Bodies<'_>, pixels: u32, _: &mut dyn ClassicRaster) -> Result<bool, ClassicError> {
    let Some(view) = overlap_view(bodies, direction(), pixels)? else { return Ok(false) };
    let [a, b] = bodies.map(|body| LayeredDepthImage::capture(body.mesh, body.pose, view));
    Ok(myszkowski(&a?, &b?)?.hit)
}

fn by_edges(bodies: &Bodies<'_>, pixels: u32, raster: &mut dyn ClassicRaster) -> Result<bool, ClassicError> {
    let Some(view) = overlap_view(bodies, direction(), pixels)? else { return Ok(false) };
    let settings = CinderSettings { passes: 8, ..CinderSettings::default() };
    Ok(!knott_pai(bodies, &view, settings, raster)?.hits.is_empty())
}

fn by_sets(
    bodies: &Bodies<'_>,
    pixels: u32,
    dilated: bool,
    raster: &mut dyn ClassicRaster,
) -> Result<bool, ClassicError> {
    let settings = CullideSettings { pixels, dilated, ..CullideSettings::default() };
    Ok(!cullide(bodies, settings, raster)?.bodies.is_empty())
}

const TESTS: [Test; 9] = [
    Test {
        text: "Shinya",
        scene: "shinya-convex",
        meshes: convex,
        ask: |b, pixels, raster| Ok(shinya_forgue(b, direction(), pixels, raster)?.hit),
    },
    Test { text: "Myszkowski", scene: "myszkowski-rings", meshes: rings, ask: by_bits },
    Test { text: "Myszkowski", scene: "myszkowski-knots-968", meshes: knots, ask: by_bits },
    Test {
        text: "Baciu",
        scene: "baciu-convex",
        meshes: convex,
        ask: |b, pixels, raster| Ok(baciu_wong(b, direction(), pixels, raster)?.hit),
    },
    Test {
        text: "Baciu",
        scene: "recode-convex",
        meshes: convex,
        ask: |b, pixels, raster| Ok(recode(b, pixels, raster)?.hit),
    },
    Test { text: "Knott-Pai", scene: "knott-pai-rings", meshes: rings, ask: by_edges },
    Test { text: "Knott-Pai", scene: "knott-pai-knots-968", meshes: knots, ask: by_edges },
    Test {
        text: "Govindaraju",
        scene: "cullide-needles",
        meshes: needles,
        ask: |b, pixels, raster| by_sets(b, pixels, true, raster),
    },
    Test {
        text: "Govindaraju",
        scene: "cullide-needles-2003",
        meshes: needles,
        ask: |b, pixels, raster| by_sets(b, pixels, false, raster),
    },
];

/// Poses whose origins are apart by up to 1.2 times what the bounding radii reach, and the exact answer at each.
fn placed(meshes: &[TriMesh; 2], count: usize) -> anyhow::Result<Vec<([Isometry3<f64>; 2], bool)>> {
    let shapes = meshes.each_ref().map(|mesh| Shape::Mesh(Arc::new(mesh.clone())));
    let query = PairQuery::new(&shapes[0], &shapes[1], QuerySettings::default())?;
    let (mut random, mut scratch) = (Random::new(7), QueryScratch::default());
    let reach: f64 = meshes.iter().map(|m| f64::from(m.bounding_sphere().radius)).sum();
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        let apart = random.direction() * (1.2 * reach * random.unit());
        let at = random.direction() * 3.0;
        let poses = [at, at + apart].map(|at| Isometry3::from_parts(at.into(), random.rotation()));
        let exact = query.touching_with(&poses[0], &poses[1], &mut scratch)?;
        all.push((poses, exact));
    }
    Ok(all)
}

pub fn run(choice: &Choice<'_>) -> anyhow::Result<Vec<TextRow>> {
    let mut rows = Vec::new();
    for test in &TESTS {
        if !choice.takes(test.scene) {
            continue;
        }
        let meshes = (test.meshes)()?;
        let all = placed(&meshes, choice.placements)?;
        let measure = |who: &str, count: usize, pixels, raster: &mut dyn ClassicRaster| {
            let mut measured = Measured::default();
            for (poses, exact) in &all[..count.min(all.len())] {
                let bodies = [0, 1].map(|k| ClassicBody::new(&meshes[k], &poses[k]));
                let found = measured.time(|| (test.ask)(&bodies, pixels, raster))?;
                measured.compare(found, *exact);
            }
            let mut row = measured.row(test.text, test.scene, who, choice);
            if test.scene.contains("knots") {
                (row.printed_us, row.printed_on) = (Some(RAPID_KNOTS), "RAPID 2.01, its own poses");
            }
            anyhow::Ok(row)
        };
        for pixels in PIXELS {
            let who = format!("software {pixels}");
            if choice.has(&who) {
                rows.push(measure(&who, choice.placements, pixels, &mut FrameBuffer::default())?);
            }
        }
        // By the sequence of bits there is nothing for the raster to do.
        let who = "gpu 256";
        if choice.has(who) && !test.scene.starts_with("myszkowski") {
            match choose(&AdapterChoice::Any) {
                Err(error) => eprintln!("SKIPPED {who}: {error}"),
                Ok(adapter) => {
                    let mut raster = GpuRaster::new(Some(&adapter.name))?;
                    let row = measure(who, PLACEMENTS_GPU, 256, &mut raster)?;
                    let (adapter, software) = (adapter.name.clone(), AdapterSummary::is_software(adapter));
                    rows.push(TextRow { adapter, software, ..row });
                }
            }
        }
    }
    Ok(rows)
}
