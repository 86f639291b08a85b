//! CULLIDE of n bodies: how its time and its set grow, and the pairs it saves over boxes alone.

use std::sync::Arc;

use impinge::geometry::Aabb;
use impinge::prelude::*;
use impinge::query::QueryScratch;
use impinge::query::classic::{ClassicBody, CullideSettings, FrameBuffer, PotentialSet, cullide};
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};
use impinge_scenes::random::Random;

use super::measured::Measured;
use super::{Choice, TextRow};

const COUNTS: [usize; 4] = [10, 100, 1000, 10_000];
const ROUNDS: u32 = 8;

/// Bodies at a density at which about one in three touches another.
struct Crowd {
    meshes: Vec<TriMesh>,
    poses: Vec<Isometry3<f64>>,
    /// Pairs whose boxes overlap, as sweep-and-prune gives them.
    boxes: Vec<[u32; 2]>,
    /// Those that touch.
    touching: Vec<[u32; 2]>,
}

fn crowd(count: usize, flat: bool) -> anyhow::Result<Crowd> {
    let mut random = Random::new(count as u64);
    let kinds = [box_mesh([0.3, 0.2, 0.1]), torus(0.3, 0.1, 12, 6), sphere_mesh(0.25, 8, 5)];
    // In space or in a layer, as many to the cubic metre or to the square metre.
    let half = if flat { 0.6 * (count as f64).sqrt() } else { 0.6 * (count as f64).cbrt() };
    let poses: Vec<_> = (0..count)
        .map(|_| {
            let thick = if flat { 0.4 } else { half };
            let at = Vector3::new(half * random.signed(), half * random.signed(), thick * random.signed());
            Isometry3::from_parts(at.into(), random.rotation())
        })
        .collect();
    let meshes: Vec<TriMesh> = (0..count).map(|k| kinds[k % 3].clone()).collect();
    let shapes = kinds.map(|mesh| PreparedShape::new(&Shape::Mesh(Arc::new(mesh))));
    let boxed = |k: usize| {
        let world = meshes[k].vertices().iter().map(|v| poses[k] * v.cast::<f64>());
        let none = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let [min, max] = world.fold(none, |[min, max], p| {
            [0, 1].map(|end| [0, 1, 2].map(|d| if end == 0 { p[d].min(min[d]) } else { p[d].max(max[d]) }))
        });
        Aabb::outward(min, max)
    };
    let of: Vec<Aabb> = (0..count).map(boxed).collect();
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by(|a, b| of[*a as usize].min[0].total_cmp(&of[*b as usize].min[0]));
    let (mut boxes, mut touching, mut scratch) = (Vec::new(), Vec::new(), QueryScratch::default());
    for (k, &a) in order.iter().enumerate() {
        for &b in &order[k + 1..] {
            let (p, q) = (&of[a as usize], &of[b as usize]);
            if q.min[0] > p.max[0] {
                break;
            }
            if (1..3).all(|d| p.min[d] <= q.max[d] && q.min[d] <= p.max[d]) {
                let pair = [a.min(b), a.max(b)];
                boxes.push(pair);
                let [i, j] = pair.map(|k| k as usize);
                let query = PairQuery::between(&shapes[i % 3], &shapes[j % 3]);
                if query.touching_with(&poses[i], &poses[j], &mut scratch)? {
                    touching.push(pair);
                }
            }
        }
    }
    Ok(Crowd { meshes, poses, boxes, touching })
}

pub fn run(choice: &Choice<'_>) -> anyhow::Result<Vec<TextRow>> {
    let mut rows = Vec::new();
    for (flat, kind) in [(false, "crowd"), (true, "layer")] {
        for count in COUNTS {
            let scene = format!("cullide-{kind}-{count}");
            if !choice.takes(&scene) {
                continue;
            }
            let crowd = crowd(count, flat)?;
            let bodies: Vec<_> = crowd
                .meshes
                .iter()
                .zip(&crowd.poses)
                .map(|(mesh, pose)| ClassicBody::new(mesh, pose))
                .collect();
            for pixels in [256, 1024] {
                let who = format!("dilated {pixels}");
                if choice.has(&who) {
                    let settings = CullideSettings { pixels, dilated: true, rounds: ROUNDS };
                    let (mut measured, mut raster) = (Measured::default(), FrameBuffer::default());
                    let mut set = PotentialSet::default();
                    let repeats = if count > 500 { 1 } else { choice.rounds };
                    for _ in 0..repeats {
                        set = measured.time(|| cullide(&bodies, settings, &mut raster))?;
                    }
                    let kept = set.filter(&crowd.boxes);
                    let lost = crowd.touching.len() - set.filter(&crowd.touching).len();
                    let share = |n: usize| 1000.0 * n as f64 / crowd.boxes.len().max(1) as f64;
                    rows.push(TextRow {
                        hits: set.bodies.len() as u64,
                        false_per_1000: Some(share(kept.len() - (crowd.touching.len() - lost))),
                        missed_per_1000: Some(share(lost)),
                        false_hits: Some(kept.len() - (crowd.touching.len() - lost)),
                        missed_hits: Some(lost),
                        set_size: Some(set.bodies.len()),
                        passes: Some(set.passes),
                        box_pairs: Some(crowd.boxes.len()),
                        kept_pairs: Some(kept.len()),
                        touching_pairs: Some(crowd.touching.len()),
                        ..measured.row("Govindaraju", &scene, &who, choice)
                    });
                }
            }
        }
    }
    Ok(rows)
}
