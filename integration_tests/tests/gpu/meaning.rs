//! Contacts that the GPU samples, through whole worlds: the same touching answers, and the same contacts by meaning.

use impinge::gpu_narrow::{Capacities, InjectedFault};
use impinge::prelude::*;
use impinge::{ColliderId, Redo, StepStatus};
use impinge_gpu_narrow::testing::device_or_skip;
use impinge_scenes::mesh::{Blob, Torus};
use impinge_scenes::random::Random;

use crate::{on_cpu, on_gpu};

/// Bodies of two kinds in a row, each a little in the next.
struct Row {
    world: World,
    ids: Vec<ColliderId>,
    poses: Vec<Isometry3<f64>>,
}

impl Row {
    fn new(mut world: World, count: usize) -> Row {
        let shapes = [
            world.add_shape(Torus::default().mesh().unwrap()).unwrap(),
            world.add_shape(Blob::default().mesh().unwrap()).unwrap(),
        ];
        let mut random = Random::new(5);
        let mut ids = Vec::new();
        let mut poses = Vec::new();
        for k in 0..count {
            ids.push(world.add_collider(Collider::new(shapes[k % 2])).unwrap());
            let at = Translation3::new(0.62 * k as f64, 0.0, 0.0);
            poses.push(Isometry3::from_parts(at, random.rotation()));
        }
        Row { world, ids, poses }
    }

    /// Takes a step; in every step all have moved a little.
    fn step(&mut self, time: f64) -> StepReport {
        for (&id, pose) in self.ids.iter().zip(&self.poses) {
            let moved = Translation3::new(0.0, 1e-3 * time * pose.translation.x.sin(), 0.0) * pose;
            self.world.set_pose(id, moved).unwrap();
        }
        self.world.step()
    }
}

/// Whether both worlds say the same: touching pairs exactly, contacts by meaning.
pub fn assert_alike(gpu: &World, cpu: &World) {
    let touching = |world: &World| world.contacts().map(|contact| contact.colliders).collect::<Vec<_>>();
    assert_eq!(touching(gpu), touching(cpu));
    let (gpu, cpu) = (gpu.manifolds(), cpu.manifolds());
    assert_eq!(gpu.len(), cpu.len());
    for one in gpu {
        let near = |other: &&Manifold| {
            let middle = |m: &Manifold| m.points.iter().map(|p| p.position.coords).sum::<Vector3<f64>>();
            (middle(other) / other.points.len() as f64 - middle(one) / one.points.len() as f64).norm()
        };
        let same = cpu.iter().filter(|m| m.colliders == one.colliders);
        let other = same.min_by(|p, q| near(p).total_cmp(&near(q))).expect("the CPU's");
        assert!((one.depth - other.depth).abs() < 0.01 * other.depth + 1e-4 * 0.4, "{one:?} {other:?}");
        assert!(one.normal.angle(&other.normal).to_degrees() < 1.0, "{one:?} {other:?}");
    }
}

#[test]
fn contacts_of_a_world_are_those_of_the_cpu_by_meaning_and_pairs_are_counted() {
    let Some(builder) = on_gpu("meaning") else { return };
    let mut gpu = Row::new(builder.parity(Parity::Meaning).build().unwrap(), 24);
    assert_eq!(gpu.world.parity(), Parity::Meaning);
    let mut cpu = Row::new(on_cpu().build().unwrap(), 24);
    let (mut asked, mut answered) = (0, 0);
    for step in 0..4 {
        let (report, reference) = (gpu.step(f64::from(step)), cpu.step(f64::from(step)));
        assert!(report.status.is_none(), "{}", report.status);
        assert_alike(&gpu.world, &cpu.world);
        let counts = &report.counts;
        assert_eq!(counts.gpu_touching, reference.counts.touching);
        assert_eq!(counts.gpu_manifolds + counts.redone.total(), counts.gpu_touching, "{:?}", counts.redone);
        (asked, answered) = (asked + counts.gpu_touching, answered + counts.gpu_manifolds);
    }
    println!("{answered} of {asked} touching pairs were answered without a view on the CPU");
    assert!(asked > 40 && 4 * answered >= 3 * asked, "{answered} of {asked}");
}

#[test]
fn a_gpu_that_is_asked_for_makes_contacts_and_one_that_happens_to_be_there_changes_none() {
    if on_gpu("usual parity").is_none() {
        return;
    }
    let adapter = impinge::gpu_narrow::choose(&impinge::gpu_narrow::AdapterChoice::Any).unwrap();
    let usual = [
        (Backend::Gpu, Parity::Meaning),
        (Backend::Hybrid, Parity::Meaning),
        (Backend::Auto, Parity::Bits),
        (Backend::Cpu, Parity::Bits),
    ];
    for (backend, parity) in usual {
        let world = World::builder().backend(backend).adapter(&adapter.name).threads(1).build().unwrap();
        assert_eq!(world.parity(), parity, "{backend}");
    }
    for parity in Parity::ALL {
        assert_eq!(parity.name().parse(), Ok(parity));
    }
    let error = "sense".parse::<Parity>().unwrap_err();
    assert_eq!(error.to_string(), "unknown parity `sense`; it is one of bits, meaning");
}

#[test]
fn a_device_lost_in_the_middle_leaves_its_pairs_to_the_cpu_in_the_same_step() {
    let Some(builder) = on_gpu("meaning, lost") else { return };
    let mut gpu = Row::new(builder.parity(Parity::Meaning).build().unwrap(), 12);
    let mut cpu = Row::new(on_cpu().build().unwrap(), 12);
    let faults = [InjectedFault::LoseDevice, InjectedFault::DropSubmission, InjectedFault::AnswerLate];
    let faults = faults.into_iter().flat_map(|fault| [None, Some(fault)]).chain([None]);
    for (step, fault) in faults.enumerate() {
        if let Some(fault) = fault {
            gpu.world.inject_gpu_fault(fault);
        }
        let (report, _) = (gpu.step(step as f64), cpu.step(step as f64));
        assert_alike(&gpu.world, &cpu.world);
        let counts = &report.counts;
        assert!(counts.gpu_touching > 0);
        match fault {
            Some(fault) => {
                assert!(report.status.contains(StepStatus::GPU_REDONE), "{}", report.status);
                let lost = fault == InjectedFault::LoseDevice;
                assert_eq!(report.status.contains(StepStatus::GPU_LOST), lost);
                assert_eq!(counts.redone.of(Redo::Fault), counts.gpu_touching);
            }
            None => assert!(counts.gpu_manifolds > 0 && counts.redone.of(Redo::Fault) == 0, "{counts:?}"),
        }
    }
}

/// FNV-1a over the bits of normals, depths and points of the manifolds of four steps.
fn hash_of(mut row: Row) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for step in 0..4 {
        row.step(f64::from(step));
        for manifold in row.world.manifolds() {
            let points =
                manifold.points.iter().flat_map(|p| [p.depth, p.position.x, p.position.y, p.position.z]);
            for x in manifold.normal.iter().copied().chain([manifold.depth]).chain(points) {
                for byte in x.to_bits().to_le_bytes() {
                    hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
                }
            }
        }
    }
    hash
}

/// Where single precision is rounded is a driver's affair: each has a hash of its own.
#[test]
fn the_same_driver_gives_the_same_contacts_in_every_run() {
    let Some(builder) = on_gpu("golden contacts by meaning") else { return };
    let builder = builder.parity(Parity::Meaning);
    let row = |threads: usize| Row::new(builder.clone().threads(threads).build().unwrap(), 12);
    let first = row(2);
    let adapter = first.world.adapter().unwrap();
    let hash = format!("{:016x}", hash_of(first));
    assert_eq!(hash, format!("{:016x}", hash_of(row(1))), "the number of threads changes nothing");
    let golden = include_str!("../../golden/meaning.hash").lines().filter_map(|line| line.split_once(": "));
    match golden.into_iter().find(|(_, known)| *known == adapter) {
        Some((known, _)) => {
            assert_eq!(
                known, hash,
                "contacts of {adapter} changed: paste {hash} into golden/meaning.hash and say why"
            );
        }
        None => println!("no golden hash of this driver yet: {hash}: {adapter}"),
    }
}

#[test]
fn what_exceeds_a_capacity_is_answered_by_the_cpu_and_counted() {
    let few = Capacities { tiles: 8, ..Capacities::default() };
    let one = Capacities {
        units: 1,
        leaf_pairs: 1,
        mesh_words: 1,
        tiles: 1,
        layers: 1,
        intervals: 1,
        buffer_bytes: 1,
    };
    let least = Capacities { buffer_bytes: Capacities::default().buffer_bytes, ..one };
    for (capacities, some) in [(few, true), (least, true), (one, false)] {
        let Some(builder) = on_gpu("meaning, over capacity") else { return };
        let builder = builder.parity(Parity::Meaning).gpu_capacities(capacities);
        let mut cpu = Row::new(on_cpu().build().unwrap(), 12);
        let mut gpu = match builder.build() {
            Ok(world) => Row::new(world, 12),
            // Of a byte of memory no engine can be made, and it says so.
            Err(error) => {
                assert!(!some, "{error}");
                continue;
            }
        };
        let (report, _) = (gpu.step(0.0), cpu.step(0.0));
        assert_alike(&gpu.world, &cpu.world);
        let counts = &report.counts;
        assert!(counts.redone.of(Redo::Capacity) > 0, "{:?}", counts.redone);
        assert_eq!(counts.gpu_manifolds + counts.redone.total(), counts.gpu_touching);
    }
}

#[test]
fn a_lent_device_serves_a_world_and_its_loss_leaves_all_steps_to_the_cpu() {
    for parity in Parity::ALL {
        let Some((device, queue)) = device_or_skip("a lent device in a world") else { return };
        let lent = device.clone();
        let builder = World::builder().backend(Backend::Gpu).threads(2).parity(parity);
        let mut gpu = Row::new(builder.clone().gpu_device(device, queue).build().unwrap(), 8);
        let mut cpu = Row::new(on_cpu().build().unwrap(), 8);
        for step in 0..5 {
            if step == 2 {
                // Its owner destroys it, without a word to the world.
                lent.destroy();
            }
            let (report, _) = (gpu.step(f64::from(step)), cpu.step(f64::from(step)));
            assert_alike(&gpu.world, &cpu.world);
            // Its loss is its owner's to hear of: what a world sees is that its work is refused, or that the device is lost.
            let [lost, redone] =
                [StepStatus::GPU_LOST, StepStatus::GPU_REDONE].map(|bit| report.status.contains(bit));
            assert_eq!(lost || redone, step >= 2, "{parity} {step}: {}", report.status);
            assert_eq!(report.counts.gpu_jobs > 0, step < 2);
        }
        assert!(gpu.world.gpu_fault().is_some());
        // A world on a new device goes on where the poses are.
        let (device, queue) = device_or_skip("a device lent again").unwrap();
        let mut again = Row::new(builder.gpu_device(device, queue).build().unwrap(), 8);
        let report = again.step(4.0);
        assert!(report.status.is_none() && report.counts.gpu_jobs > 0, "{}", report.status);
        assert_alike(&again.world, &cpu.world);
    }
}
