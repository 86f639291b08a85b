//! Fabrizio, "Easy Real-Time Collision Detection", section 3.2: fire of 50,000 particles that a pan of
//! 81,920 triangles deflects, by one height map of 1,024².

use impinge::cloud::{CloudHit, CloudMap, CloudView, Points};
use impinge::height_map::{ImagePlane, Obstacle};
use impinge::prelude::*;
use impinge_scenes::mesh::Pan;
use impinge_scenes::random::Random;

use super::watch::{Asked, in_turn};
use super::{Choice, TextRow, device};
use crate::row::hash;

const TEXT: &str = "Fabrizio";
const SCENE: &str = "fire-50k-81920";
/// Map, comparison and bounce (µs); the text says "around 2 ms".
const PRINTED: f64 = 2000.0;
const PRINTED_ON: &str = "not said which GPU";
const PARTICLES: usize = 50_000;
const FRAMES: usize = 60;

pub fn run(choice: &Choice<'_>) -> anyhow::Result<Vec<TextRow>> {
    if !choice.takes(SCENE) {
        return Ok(Vec::new());
    }
    let mesh = Pan::default().mesh()?;
    let pan: Shape = mesh.clone().into();
    let mut random = Random::new(5);
    // A column of fire around and under the pan, each particle a step further up.
    let mut place = || {
        let d = random.direction();
        [0.22 * d.x, 0.22 * d.y, 0.3 + 0.25 * random.signed()].map(|x| x as f32)
    };
    let from: Vec<[f32; 3]> = (0..PARTICLES).map(|_| place()).collect();
    let to: Vec<[f32; 3]> = from.iter().map(|p| [p[0], p[1], p[2] + 0.01]).collect();
    let pose = |frame: usize| {
        let t = frame as f64 / FRAMES as f64;
        let turn = UnitQuaternion::from_euler_angles(0.12 * (7.0 * t).sin(), 0.05, 0.9 + 0.6 * t);
        Isometry3::from_parts(Translation3::new(0.09 * (6.0 * t).sin(), 0.0, 0.32), turn)
    };
    let frames: Vec<usize> = (0..FRAMES).collect();
    let mut rows = Vec::new();
    let plane = |pixels| {
        let (source, size) = (Point3::new(0.0, 0.0, -0.05), [0.9, 0.9]);
        ImagePlane::new(source, Vector3::z(), Vector3::y(), size, [pixels; 2]).map(|p| p.between(0.0, 1.2))
    };
    let middle = CloudView::Around { center: Point3::new(0.0, 0.0, 0.2), near: 0.01, pixels: 418 };
    let views = [
        ("cloud map 1024", CloudView::Along(plane(1024)?)),
        ("cloud map 256", CloudView::Along(plane(256)?)),
        ("cloud cube 6 x 418", middle),
    ];
    for (name, view) in views {
        for (part, who) in [
            (0, format!("{name}, all")),
            (1, format!("{name}, the map")),
            (2, format!("{name}, the particles")),
        ] {
            if !choice.has(&who) {
                continue;
            }
            let mut map = CloudMap::new(view)?;
            let mut obstacles = [Obstacle::new(&pan, pose(0), 0)];
            map.draw(&obstacles);
            let mut hits: Vec<CloudHit> = Vec::new();
            let mut asked = [Asked {
                who: who.clone(),
                alone: choice.threads == 1,
                ask: Box::new(|frame| {
                    if part != 2 {
                        obstacles[0].pose = pose(frame);
                        map.draw(&obstacles);
                    }
                    hits.clear();
                    if part != 1 {
                        let points = Points::new(&from, &to);
                        map.hits(&obstacles, points, &mut hits).expect("the lists are of one length");
                    }
                    hits.len() as u64
                }),
            }];
            let found = in_turn(&mut asked, &frames, choice.rounds);
            rows.push(TextRow {
                printed_us: (part == 0).then_some(PRINTED),
                printed_on: PRINTED_ON,
                hits: found[0].answers.iter().sum(),
                hash: hash(found[0].answers.iter().map(|&a| a as u32)),
                ..TextRow::new(TEXT, SCENE, &who, choice, &found[0].times)
            });
        }
    }
    let views = views.map(|(name, view)| (format!("{name}, all"), view));
    let about = (TEXT, SCENE, (PRINTED, PRINTED_ON));
    rows.extend(device::cloud(about, choice, &mesh, pose, [&from, &to], &views, &frames)?);
    Ok(rows)
}
