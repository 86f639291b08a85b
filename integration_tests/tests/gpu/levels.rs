//! Level sets on a device: bodies in the part of a level set near them, the contacts of the CPU by meaning.

use impinge::geometry::{LevelSet, LevelSetSettings};
use impinge::gpu_narrow::InjectedFault;
use impinge::prelude::*;
use impinge::{Redo, StepStatus};
use impinge_scenes::fixtures::sphere_mesh;
use impinge_scenes::mesh::{Blob, Gear, Torus};

use crate::ground::{Ground, assert_alike};
use crate::{on_cpu, on_gpu};

/// From sample to sample (m).
const SPACING: f32 = 0.15;
/// Samples along x and y, and along z.
const SIZE: [u32; 3] = [64, 64, 22];

/// How high hills are at a place (m).
fn height(x: f64, y: f64) -> f64 {
    0.3 * (0.9 * x + 0.3 * y).sin() + 0.2 * (0.5 * x - 1.1 * y).sin()
}

/// Hills of half a metre on a plate; with caves, a plate full of holes.
fn hills(caves: bool) -> LevelSet {
    let settings = LevelSetSettings { spacing: [SPACING; 3], origin: [-4.7, -4.7, -2.0] };
    let function = |p: &Point3<f64>| {
        let sides = (p.x.abs() - 4.4).max(p.y.abs() - 4.4).max(-1.7 - p.z);
        let ground = (p.z - height(p.x, p.y)).max(sides);
        let q = p * 3.0;
        let cave = q.x.sin() * q.y.cos() + q.y.sin() * q.z.cos() + q.z.sin() * q.x.cos();
        if caves { ground.max((cave - 0.9) / 4.0) } else { ground }
    };
    LevelSet::from_function(SIZE, &settings, function).unwrap()
}

/// A level set made of a gear of a metre or so.
fn gear() -> LevelSet {
    LevelSet::from_mesh(&Gear::default().mesh().unwrap(), 0.03).unwrap()
}

fn ground(world: World, levels: &LevelSet, count: usize) -> Ground {
    let bodies: [Shape; 5] = [
        sphere_mesh(0.4, 24, 12).into(),
        Torus::default().mesh().unwrap().into(),
        Blob::default().mesh().unwrap().into(),
        gear().into(),
        Shape::cuboid([0.4, 0.3, 0.2]).unwrap(),
    ];
    let at = |k: usize| [k % 4, k / 4].map(|n| 2.0 * (n as f64 - 1.5));
    Ground::new(world, levels.clone().into(), &bodies, [-0.5, 2.5], &(0..count).map(at).collect::<Vec<_>>())
}

#[test]
fn contacts_with_a_level_set_are_made_on_the_device_and_are_the_cpu_s_by_meaning() {
    for (name, caves) in [("hills", false), ("caves", true)] {
        let Some(builder) = on_gpu("level sets") else { return };
        let levels = hills(caves);
        let mut gpu = ground(builder.parity(Parity::Meaning).build().unwrap(), &levels, 16);
        let mut cpu = ground(on_cpu().build().unwrap(), &levels, 16);
        let (mut asked, mut made) = (0, 0);
        for step in 0..3 {
            let (report, expected) = (gpu.step(step), cpu.step(step));
            assert!(report.status.is_none(), "{}", report.status);
            let manifolds = assert_alike(&gpu.world, &cpu.world);
            let counts = &report.counts;
            assert_eq!((counts.touching, counts.gpu_touching), (expected.counts.touching, counts.touching));
            assert_eq!((counts.touching, counts.gpu_redone), (16, 0));
            assert!(counts.gpu_jobs >= 16 && manifolds >= 16, "{counts:?}");
            assert_eq!(counts.gpu_manifolds + counts.redone.total(), 16, "{:?}", counts.redone);
            println!(
                "{name}, step {step}: {} of 16 without a view on the CPU, {:?}",
                counts.gpu_manifolds, counts.redone
            );
            (asked, made) = (asked + counts.gpu_touching, made + counts.gpu_manifolds);
        }
        assert!(made * 4 >= asked * 3, "{name}: {made} of {asked}");
    }
}

#[test]
fn with_parity_of_bits_pairs_of_level_sets_are_the_cpu_s_to_the_bit() {
    let Some(builder) = on_gpu("level sets to the bit") else { return };
    let levels = hills(true);
    let mut gpu = ground(builder.build().unwrap(), &levels, 8);
    let mut cpu = ground(on_cpu().build().unwrap(), &levels, 8);
    for step in 0..3 {
        let (report, expected) = (gpu.step(step), cpu.step(step));
        assert!(report.status.is_none(), "{}", report.status);
        assert_eq!((report.counts.touching, report.counts.gpu_jobs), (expected.counts.touching, 0));
        assert_eq!(gpu.world.manifolds(), cpu.world.manifolds());
    }
}

#[test]
fn a_device_finds_the_values_given_last_and_what_it_loses_is_the_cpu_s() {
    let Some(builder) = on_gpu("edited level sets") else { return };
    let levels = hills(false);
    let mut gpu = ground(builder.parity(Parity::Meaning).build().unwrap(), &levels, 8);
    let mut cpu = ground(on_cpu().build().unwrap(), &levels, 8);
    let mut made = 0;
    for step in 0..9 {
        // All ground under the bodies rises, sinks to where it was, and has a shaft.
        let lift = [0.0, 0.01, 0.02, 0.0][step as usize % 4];
        let (first, count) = ([2; 3], [60, 60, 18]);
        let values: Vec<f32> = (0..count[0] * count[1] * count[2])
            .map(|n| [n % count[0], n / count[0] % count[1], n / (count[0] * count[1])])
            .map(|at| {
                let shaft = step == 5 && at[0] % 30 < 9 && at[1] > 8 && at[1] < 30;
                let value = levels.value([0, 1, 2].map(|k| first[k] + at[k])) - lift;
                // The plate keeps its sides.
                if shaft { value.max(0.1) } else { value }
            })
            .collect();
        for own in [&mut gpu, &mut cpu] {
            own.world.edit_levels(own.ground, first, count, &values).unwrap();
        }
        let fault = [(3, InjectedFault::LoseDevice), (6, InjectedFault::DropSubmission)];
        let fault = fault.into_iter().find(|(at, _)| *at == step).map(|(_, fault)| fault);
        if let Some(fault) = fault {
            gpu.world.inject_gpu_fault(fault);
        }
        let (report, expected) = (gpu.step(step), cpu.step(step));
        assert_alike(&gpu.world, &cpu.world);
        let counts = &report.counts;
        assert_eq!(counts.touching, expected.counts.touching);
        assert!(counts.touching > 0);
        match fault {
            Some(_) => {
                assert!(report.status.contains(StepStatus::GPU_REDONE), "{}", report.status);
                assert_eq!(counts.redone.of(Redo::Fault), counts.gpu_touching);
            }
            None => {
                assert_eq!(counts.redone.of(Redo::Fault), 0);
                made += counts.gpu_manifolds;
            }
        }
    }
    assert!(made > 20, "{made}");
}

#[test]
fn a_body_over_more_cells_than_a_device_takes_is_the_cpu_s() {
    let Some(builder) = on_gpu("a wide body on a level set") else { return };
    // A ball of 76 cells across in a ball of mesh: 440,000 cells.
    let settings = LevelSetSettings { spacing: [1.0; 3], origin: [-40.0; 3] };
    let ball = LevelSet::from_function([81; 3], &settings, |p| p.coords.norm() - 38.2).unwrap();
    let worlds = [builder.parity(Parity::Meaning).build().unwrap(), on_cpu().build().unwrap()];
    let [gpu, cpu] = worlds.map(|mut world| {
        let levels = world.add_shape(ball.clone()).unwrap();
        let other = world.add_shape(sphere_mesh(38.0, 24, 16)).unwrap();
        world.add_collider(Collider::new(levels).fixed(true)).unwrap();
        world.add_collider(Collider::new(other).position([1.3, 2.1, 0.7])).unwrap();
        let report = world.step();
        (world, report)
    });
    assert_eq!(gpu.1.counts.touching, 1);
    assert_eq!(gpu.1.counts.gpu_over_capacity, 1);
    assert!(gpu.1.status.contains(StepStatus::GPU_REDONE));
    assert_eq!(gpu.0.manifolds(), cpu.0.manifolds());
}
