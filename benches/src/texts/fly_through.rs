//! Fabrizio, "Easy Real-Time Collision Detection", Table 1: a ship of 9,716 triangles flies through a
//! tunnel of 69,842 for 800 frames; height maps against FCL.

use std::sync::Arc;

use impinge::PairQuery;
use impinge::height_map::{AgainstScratch, Bounds, Obstacle, Profile};
use impinge::prelude::*;
use impinge_scenes::mesh::{Ship, Tunnel};

use super::watch::{Asked, in_turn};
use super::{Choice, TextRow, device};
use crate::meshes::poses::flight;
use crate::row::hash;

const TEXT: &str = "Fabrizio";
const SCENE: &str = "fly-through";
const FRAMES: usize = 800;
/// Means over all frames (µs): FCL on a Core i7-6700K, height maps on a GeForce GTX 1650.
const PRINTED: [(f64, &str); 2] = [(205.0846, "FCL, i7-6700K"), (101.6144, "GTX 1650")];
const SIZES: [u32; 3] = [256, 512, 1024];

pub fn run(choice: &Choice<'_>) -> anyhow::Result<Vec<TextRow>> {
    if !choice.takes(SCENE) {
        return Ok(Vec::new());
    }
    let tunnel = Tunnel::default();
    let meshes = [Arc::new(tunnel.mesh()?), Arc::new(Ship::default().mesh()?)];
    let [environment, ship] = [0, 1].map(|k| Shape::Mesh(meshes[k].clone()));
    let placements = flight(&tunnel, 0.03, 0.97, FRAMES);
    let every = if choice.frames == 0 { 1 } else { FRAMES.div_ceil(choice.frames) };
    let frames: Vec<usize> = (0..FRAMES).step_by(every).collect();
    let obstacles = [Obstacle::new(&environment, Isometry3::identity(), 0)];
    let (obstacles, placements) = (&obstacles, &placements);

    let exact = PairQuery::new(&environment, &ship, QuerySettings::default())?;
    let exact_ask = |frame: usize| {
        let [a, b] = &placements[frame];
        u64::from(exact.touching(a, b).unwrap_or(false))
    };
    let truth: Vec<u64> = frames.iter().map(|&f| exact_ask(f)).collect();
    let mut asked = vec![Asked { who: "impinge, exact".into(), alone: true, ask: Box::new(exact_ask) }];
    #[cfg(feature = "peers-cpp")]
    {
        let fcl = [0, 1].map(|k| crate::cpp::FclMesh::new(&meshes[k]));
        asked.push(Asked {
            who: "FCL 0.7, OBB".into(),
            alone: true,
            ask: Box::new(move |frame| {
                let [a, b] = &placements[frame];
                fcl[0].pairs(a, &fcl[1], b, 1).min(1) as u64
            }),
        });
    }
    for pixels in SIZES {
        for (bounds, name) in [(Bounds::Box, "one side"), (Bounds::TwoSided, "both sides")] {
            let profile = Arc::new(Profile::new(&ship, Vector3::x(), pixels)?);
            let touching = profile.clone();
            let mut scratch = AgainstScratch::default();
            asked.push(Asked {
                who: format!("map {pixels}, {name}, yes or no"),
                alone: true,
                ask: Box::new(move |frame| {
                    u64::from(touching.meets(&placements[frame][1], obstacles, bounds, &mut scratch))
                }),
            });
            let mut scratch = AgainstScratch::default();
            asked.push(Asked {
                who: format!("map {pixels}, {name}, whole"),
                alone: true,
                ask: Box::new(move |frame| {
                    u64::from(
                        profile.measure(&placements[frame][1], obstacles, bounds, &mut scratch).at.is_some(),
                    )
                }),
            });
        }
        for (reached, name) in [(false, "ship redrawn"), (true, "ship redrawn where reached")] {
            let mut profile = Profile::new(&ship, Vector3::x(), pixels)?;
            let mut scratch = AgainstScratch::default();
            let ship = &ship;
            asked.push(Asked {
                who: format!("map {pixels}, one side, {name}"),
                alone: choice.threads == 1,
                ask: Box::new(move |frame| {
                    let pose = &placements[frame][1];
                    // The ship changed its shape: its own map is redrawn.
                    let drawn = match reached {
                        true => profile.redraw_against(ship, pose, obstacles, Bounds::Box, &mut scratch),
                        false => profile.redraw(ship),
                    };
                    drawn.expect("the ship can be drawn");
                    let sums = profile.measure(pose, obstacles, Bounds::Box, &mut scratch);
                    u64::from(sums.at.is_some())
                }),
            });
        }
    }
    asked.retain(|a| choice.has(&a.who));
    let all = in_turn(&mut asked, &frames, choice.rounds);
    let mean = |times: &[f64], hit: u64| {
        let own: Vec<f64> = times.iter().zip(&truth).filter(|(_, t)| **t == hit).map(|(t, _)| *t).collect();
        (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
    };
    let on_device = device::fly_through(
        (TEXT, SCENE, PRINTED[1]),
        choice,
        [&meshes[0], &meshes[1]],
        &placements[..],
        &frames,
        &SIZES,
    )?;
    let rows = asked.iter().zip(&all).map(|(asked, found)| {
        let differs =
            |wanted: u64| found.answers.iter().zip(&truth).filter(|(a, t)| a != t && **a == wanted).count();
        let (printed, printed_on) = PRINTED[usize::from(asked.who.starts_with("map"))];
        TextRow {
            with_us: mean(&found.times, 1),
            without_us: mean(&found.times, 0),
            printed_us: Some(printed),
            printed_on,
            hits: found.answers.iter().sum(),
            false_hits: Some(differs(1)),
            missed_hits: Some(differs(0)),
            hash: hash(found.answers.iter().map(|&a| a as u32)),
            ..TextRow::new(TEXT, SCENE, &asked.who, choice, &found.times)
        }
    });
    Ok(rows.chain(on_device).collect())
}
