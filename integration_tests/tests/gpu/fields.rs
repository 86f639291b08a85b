//! Height fields on a device: bodies in the part of a field under them, the contacts of the CPU by meaning.

use impinge::geometry::{Diagonals, HeightField, HeightFieldSettings};
use impinge::gpu_narrow::InjectedFault;
use impinge::prelude::*;
use impinge::{Redo, StepStatus};
use impinge_scenes::fixtures::sphere_mesh;
use impinge_scenes::mesh::{Blob, Gear, Torus};
use impinge_scenes::random::Random;

use crate::ground::{Ground, assert_alike};
use crate::{on_cpu, on_gpu};

/// From sample to sample (m).
const SPACING: f32 = 0.25;

/// Hills of half a metre, so many samples a side, some cells and samples of them missing where there are gaps.
fn hills(samples: u32, gaps: bool) -> HeightField {
    let mut random = Random::new(11);
    let count = samples * samples;
    let heights = (0..count).map(|k| {
        let (i, j) = (f64::from(k % samples), f64::from(k / samples));
        let height = 0.3 * (0.31 * i + 0.1 * j).sin() + 0.2 * (0.17 * i - 0.4 * j).sin();
        // Not where bodies stand.
        if gaps && random.unit() < 0.01 { f32::NAN } else { height as f32 }
    });
    let heights = heights.collect();
    let settings = HeightFieldSettings {
        spacing: [SPACING; 2],
        bottom: Some(-3.0),
        diagonals: Diagonals::PerCell((0..count).map(|_| random.unit() < 0.5).collect()),
        holes: (0..count).map(|_| gaps && random.unit() < 0.01).collect(),
    };
    HeightField::new([samples; 2], heights, &settings).unwrap()
}

/// Bodies on a field, about a middle (m, the field's frame).
fn ground(world: World, field: &HeightField, middle: f64, count: usize) -> Ground {
    let bodies: [Shape; 4] = [
        sphere_mesh(0.4, 24, 12).into(),
        Torus::default().mesh().unwrap().into(),
        Blob::default().mesh().unwrap().into(),
        Gear::default().mesh().unwrap().into(),
    ];
    let at = |k: usize| [k % 4, k / 4].map(|n| middle + 2.0 * (n as f64 - 1.5));
    Ground::new(world, field.clone().into(), &bodies, [-0.5, 2.5], &(0..count).map(at).collect::<Vec<_>>())
}

#[test]
fn contacts_with_a_height_field_are_made_on_the_device_and_are_the_cpu_s_by_meaning() {
    // Small, with gaps, and so large that bodies stand far from its corner and numbers of triangles exceed what the device counts to.
    for (name, samples, gaps, middle) in
        [("64", 64, false, 8.0), ("gaps", 64, true, 8.0), ("1,024", 1024, false, 200.0)]
    {
        let Some(builder) = on_gpu("height fields") else { return };
        let field = hills(samples, gaps);
        let mut gpu = ground(builder.parity(Parity::Meaning).build().unwrap(), &field, middle, 16);
        let mut cpu = ground(on_cpu().build().unwrap(), &field, middle, 16);
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
fn a_device_finds_the_heights_given_last_and_what_it_loses_is_the_cpu_s() {
    let Some(builder) = on_gpu("edited height fields") else { return };
    let field = hills(48, false);
    let mut gpu = ground(builder.parity(Parity::Meaning).build().unwrap(), &field, 6.0, 8);
    let mut cpu = ground(on_cpu().build().unwrap(), &field, 6.0, 8);
    let mut made = 0;
    for step in 0..9 {
        // All ground under the bodies rises, sinks to where it was, and has a hole.
        let lift = [0.0, 0.01, 0.02, 0.0][step as usize % 4];
        let (first, count) = ([4, 4], [40, 40]);
        let heights: Vec<f32> = (0..count[0] * count[1])
            .map(|k| field.height([first[0] + k % count[0], first[1] + k / count[0]]) + lift)
            .map(|height| if step == 5 && height > 0.2 { f32::NAN } else { height })
            .collect();
        for own in [&mut gpu, &mut cpu] {
            own.world.set_heights(own.ground, first, count, &heights).unwrap();
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
    let Some(builder) = on_gpu("a wide body on a height field") else { return };
    let field = HeightField::new([256; 2], vec![0.0; 65_536], &HeightFieldSettings::default()).unwrap();
    let worlds = [builder.parity(Parity::Meaning).build().unwrap(), on_cpu().build().unwrap()];
    let [gpu, cpu] = worlds.map(|mut world| {
        let ground = world.add_shape(field.clone()).unwrap();
        let plate = world.add_shape(sphere_mesh(100.0, 12, 8)).unwrap();
        world.add_collider(Collider::new(ground).fixed(true)).unwrap();
        world.add_collider(Collider::new(plate).position([127.3, 127.1, 99.0])).unwrap();
        let report = world.step();
        (world, report)
    });
    assert_eq!(gpu.1.counts.touching, 1);
    assert_eq!(gpu.1.counts.gpu_over_capacity, 1);
    assert!(gpu.1.status.contains(StepStatus::GPU_REDONE));
    assert_eq!(gpu.0.manifolds(), cpu.0.manifolds());
}
