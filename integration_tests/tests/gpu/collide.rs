//! Pairs at random poses, all at once on the GPU and one by one on the CPU.

use impinge::gpu_narrow::Capacities;
use impinge::prelude::*;
use impinge_scenes::mesh::{Blob, Bowl, Gear, Hook, Knot, Torus};
use impinge_scenes::random::Random;

use crate::{on_cpu, on_gpu};

/// Poses of each pair of meshes.
const POSES: usize = 40;

fn pairs() -> Vec<(&'static str, [TriMesh; 2])> {
    let torus = Torus::default().mesh().unwrap();
    let knot = Knot::default().mesh().unwrap();
    let gear = Gear::default().mesh().unwrap();
    vec![
        ("tori", [torus.clone(), torus.clone()]),
        ("gears", [gear.clone(), gear]),
        ("knot and torus", [knot, torus.clone()]),
        ("hook and blob", [Hook::default().mesh().unwrap(), Blob::default().mesh().unwrap()]),
        ("bowl and torus", [Bowl::default().mesh().unwrap(), torus]),
    ]
}

fn poses(reach: f64, seed: u64) -> Vec<[Isometry3<f64>; 2]> {
    let mut random = Random::new(seed);
    (0..POSES)
        .map(|_| {
            let offset = random.direction() * (reach * random.unit());
            let place = |rotation, at: Vector3<f64>| Isometry3::from_parts(Translation3::from(at), rotation);
            [place(random.rotation(), Vector3::zeros()), place(random.rotation(), offset)]
        })
        .collect()
}

#[test]
fn the_gpu_gives_the_answers_of_the_cpu() {
    let Some(builder) = on_gpu("collide") else { return };
    let mut gpu = builder.query_pool().unwrap();
    let mut cpu = on_cpu().query_pool().unwrap();
    assert!(gpu.adapter().is_some() && cpu.adapter().is_none());
    let settings = QuerySettings::default().count_triangle_pairs(true);
    for (seed, (name, [a, b])) in pairs().into_iter().enumerate() {
        let reach = 0.8 * f64::from(a.bounding_sphere().radius + b.bounding_sphere().radius);
        let query = PairQuery::new(&Shape::from(a), &Shape::from(b), settings).unwrap();
        let mut poses = poses(reach, seed as u64);
        // A pose that cannot be used is the trouble of its own line alone.
        poses[7][1].translation.vector.x = f64::NAN;
        let (on_gpu, on_cpu) = (gpu.answer(&query, &poses), cpu.answer(&query, &poses));
        assert!(gpu.counts().gpu_jobs > 0 && gpu.counts().gpu_redone == 0, "{name}");
        assert_eq!(on_gpu.len(), POSES);
        // What the GPU rules out is exact, and all else is the CPU's: so the very bits are the same.
        assert!(on_gpu[7].is_err() && on_cpu[7].is_err());
        assert!(on_gpu.iter().flatten().eq(on_cpu.iter().flatten()), "{name}");
        let touching = on_cpu.iter().flatten().filter(|answer| answer.touching).count();
        assert!((5..POSES).contains(&touching), "{name}: {touching} touch");
        let alone = query.at(&poses[0][0], &poses[0][1]);
        assert_eq!(on_gpu[0], alone, "{name}");
    }
}

#[test]
fn intersection_volumes_on_the_gpu_are_those_of_the_cpu() {
    let Some(builder) = on_gpu("common volumes") else { return };
    let mut gpu = builder.clone().query_pool().unwrap();
    let mut cpu = on_cpu().query_pool().unwrap();
    let few = Capacities { tiles: 1, ..Capacities::default() };
    let mut full = builder.gpu_capacities(few).query_pool().unwrap();
    for (seed, (name, [a, b])) in pairs().into_iter().enumerate() {
        let reach = 0.8 * f64::from(a.bounding_sphere().radius + b.bounding_sphere().radius);
        let query = PairQuery::new(&Shape::from(a), &Shape::from(b), QuerySettings::default()).unwrap();
        let mut poses = poses(reach, 40 + seed as u64);
        poses[3][0].translation.vector.y = f64::INFINITY;
        let (on_gpu, on_cpu) =
            (gpu.intersection_volumes(&query, &poses), cpu.intersection_volumes(&query, &poses));
        // Where the device has no room all is the CPU's, to the last bit.
        assert_eq!(full.intersection_volumes(&query, &poses), on_cpu, "{name}");
        assert!(on_gpu[3].is_err() && on_gpu.len() == POSES);
        let (mut off, mut many) = (0.0, 0);
        for (k, (gpu, cpu)) in on_gpu.iter().flatten().zip(on_cpu.iter().flatten()).enumerate() {
            let (gpu, cpu) = (gpu.unwrap(), cpu.unwrap());
            assert_eq!(gpu.volume > 0.0, cpu.volume > 0.0, "{name} {k}");
            if cpu.volume > 0.0 {
                let part = (gpu.volume / cpu.volume - 1.0).abs();
                assert!(part < 0.08, "{name} {k}: {gpu:?} {cpu:?}");
                assert!(
                    (gpu.gradient - cpu.gradient).norm() < 0.02 * cpu.gradient.norm(),
                    "{name} {k}: {gpu:?} {cpu:?}"
                );
                (off, many) = (off + part, many + 1);
            }
        }
        println!(
            "{name}: {many} overlap, volumes differ by {:.3} % on the average",
            100.0 * off / f64::from(many)
        );
        assert!(many > 5 && off / f64::from(many) < 0.008, "{name}: {off} {many}");
    }
}
