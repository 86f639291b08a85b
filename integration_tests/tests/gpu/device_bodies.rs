//! Bodies whose vertices live on the device: what it finds against exact answers about the places that it has, what goes up and down, and what happens when it
//! does not answer.

use std::sync::Arc;

use impinge::geometry::{Aabb, Linkage, Skin};
use impinge::gpu_narrow::surfaces::{GpuSkin, MeetingState, SurfaceSource};
use impinge::gpu_narrow::wgpu;
use impinge::prelude::*;
use impinge::{DeviceContact, DeviceContactEvent, KnownPlaces, Parity, StepStatus, WorldError};
use impinge_gpu_narrow::testing::device_or_skip;
use impinge_scenes::mesh::{Hand, HandModel, Knot, Torus};
use wgpu::BufferUsages as U;

type Device = (wgpu::Device, wgpu::Queue);

fn world_on((device, queue): &Device) -> World {
    let builder = World::builder().backend(Backend::Gpu).parity(Parity::Bits).threads(2);
    builder.gpu_device(device.clone(), queue.clone()).build().unwrap()
}

fn buffer((device, queue): &Device, words: &[u32], usage: U) -> wgpu::Buffer {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let size = bytes.len() as u64;
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage: usage | U::COPY_DST | U::COPY_SRC,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, &bytes);
    buffer
}

/// What the device has in a buffer of places: only tests read it.
fn read((device, queue): &Device, buffer: &wgpu::Buffer) -> Vec<Point3<f32>> {
    let back = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: buffer.size(),
        usage: U::COPY_DST | U::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &back, 0, buffer.size());
    queue.submit([encoder.finish()]);
    back.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let view = back.get_mapped_range(..).unwrap();
    let float = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().unwrap());
    view.chunks_exact(12).map(|p| Point3::new(float(&p[..4]), float(&p[4..8]), float(&p[8..]))).collect()
}

fn around(places: &[Point3<f32>], slack: f32) -> Aabb {
    Aabb::of_points(places).grown(slack)
}

/// A hand, and where its bones are in a grip of some degree.
struct Gripping {
    mesh: TriMesh,
    skin: Skin,
    linkage: Linkage,
    rest: Vec<Isometry3<f64>>,
}

impl Gripping {
    fn new() -> Gripping {
        let HandModel { mesh, joints, influences } = Hand { cell: 0.06 }.model().unwrap();
        let skin = Skin::new(&mesh, joints.len(), &influences).unwrap();
        let linkage = Linkage::new(&joints).unwrap();
        let mut rest = Vec::new();
        linkage.poses(&vec![0.0; linkage.degrees()], &mut rest);
        Gripping { mesh, skin, linkage, rest }
    }

    fn bones(&self, bend: f64) -> Vec<Isometry3<f64>> {
        let mut bones = Vec::new();
        self.linkage.poses(&vec![bend; self.linkage.degrees()], &mut bones);
        bones.iter_mut().zip(&self.rest).for_each(|(bone, rest)| *bone *= rest.inverse());
        bones
    }
}

/// Compares a contact with exact answers about two shapes at their poses.
fn check(contact: &DeviceContact, shapes: [&Shape; 2], poses: &[Isometry3<f64>; 2], what: &str) -> bool {
    let query = PairQuery::new(shapes[0], shapes[1], QuerySettings::default()).unwrap();
    let exact = query.count_triangle_pairs(&poses[0], &poses[1]).unwrap();
    let most = contact.crossings + contact.uncertain;
    assert!((contact.crossings..=most).contains(&exact), "{what}: {contact:?} for {exact}");
    match contact.state {
        MeetingState::Apart => assert_eq!(exact, 0, "{what}"),
        MeetingState::Crossing => assert!(exact > 0, "{what}"),
        MeetingState::Uncertain => {}
        other => panic!("{what}: {other:?}"),
    }
    if contact.state == MeetingState::Crossing && contact.uncertain == 0 {
        let contours = query.contours(&poses[0], &poses[1]).unwrap();
        let area: Vector3<f64> = contours.iter().map(|contour| contour.area).sum();
        let off = (contact.area - area).norm();
        assert!(off <= 1e-4 * area.norm() + 1e-6, "{what}: {} for {area}", contact.area);
        let points = || contours.iter().flat_map(|contour| &contour.points);
        let first = points().next().unwrap();
        let [low, high] = points().fold([*first; 2], |[low, high], p| [low.inf(p), high.sup(p)]);
        let off = (contact.center.unwrap() - nalgebra::center(&low, &high)).norm();
        assert!(off < 1e-5, "{what}: {off}");
    }
    contact.state == MeetingState::Crossing
}

#[test]
fn a_skin_on_the_device_has_the_cpu_s_places_within_its_bound() {
    let Some(device) = device_or_skip("a_skin_on_the_device_has_the_cpu_s_places_within_its_bound") else {
        return;
    };
    let hand = Gripping::new();
    let skin = GpuSkin::new(&device.0, &device.1, &hand.skin);
    let mut places = Vec::new();
    for step in 0..8 {
        let far = Isometry3::translation(0.0, 10.0 * f64::from(step % 3), -3.0);
        let bones: Vec<_> = hand.bones(0.2 * f64::from(step)).iter().map(|bone| far * bone).collect();
        skin.place(&device.0, &device.1, &bones).unwrap();
        hand.skin.place(&bones, &mut places).unwrap();
        let bound = skin.error(&bones).unwrap();
        assert!(bound < 1e-4, "{bound}");
        let found = read(&device, skin.places());
        assert_eq!(found.len(), places.len());
        for (own, cpu) in found.iter().zip(&places) {
            let off = (own.cast::<f64>() - cpu.cast::<f64>()).amax();
            assert!(off <= bound, "{off} of {bound}");
        }
    }
    assert!(skin.place(&device.0, &device.1, &hand.bones(0.1)[1..]).is_err());
}

/// A hand that a compute shader bends closes about a knot; another body of the device, in a buffer with gaps, goes through both.
#[test]
fn bodies_made_on_the_device_meet_as_exact_tests_of_their_places_say() {
    let Some(device) = device_or_skip("bodies_made_on_the_device_meet_as_exact_tests_of_their_places_say")
    else {
        return;
    };
    let hand = Gripping::new();
    let skin = GpuSkin::new(&device.0, &device.1, &hand.skin);
    let mut world = world_on(&device);
    let knot = Knot { along: 60, across: 10, ..Knot::default() }.mesh().unwrap();
    let torus = Torus::default().mesh().unwrap();
    let shapes = [hand.mesh.clone(), knot.clone(), torus.clone()].map(|mesh| world.add_shape(mesh).unwrap());
    let poses = [
        Isometry3::identity(),
        Isometry3::new(Vector3::new(0.0, 0.1, 0.4), Vector3::new(0.1, 0.2, 0.3)),
        Isometry3::new(Vector3::new(-0.1, 0.5, 0.35), Vector3::new(1.0, 0.2, -0.4)),
    ];
    for (shape, pose) in shapes.iter().zip(&poses) {
        world.add_collider(Collider::new(*shape).pose(*pose)).unwrap();
    }
    // Five words before the first place, and one after each.
    let mut words = vec![7u32; 5];
    words.extend(
        torus.vertices().iter().flat_map(|v| [v.x.to_bits(), v.y.to_bits(), v.z.to_bits(), 0x7fc0_0000]),
    );
    let gaps = SurfaceSource {
        vertices: buffer(&device, &words, U::STORAGE),
        start: 5,
        stride: 4,
        bounds: around(torus.vertices(), 0.0),
    };
    world.set_device_vertices(shapes[2], Some(gaps), None).unwrap();
    let [mut crossing, mut apart] = [0, 0];
    let mut bytes = Vec::new();
    for step in 0..10 {
        let bones = hand.bones(0.13 * f64::from(step));
        skin.place(&device.0, &device.1, &bones).unwrap();
        let mut known = Vec::new();
        hand.skin.place(&bones, &mut known).unwrap();
        let bounds = around(&known, 1e-3);
        let source = SurfaceSource { vertices: skin.places().clone(), start: 0, stride: 3, bounds };
        if step < 2 {
            world.set_device_vertices(shapes[0], Some(source), None).unwrap();
        } else if step == 2 {
            // Bounds that hold for all that follows: nothing is said any more, the device alone knows.
            let all = Aabb { min: [-2.0; 3], max: [2.0; 3] };
            world
                .set_device_vertices(shapes[0], Some(SurfaceSource { bounds: all, ..source }), None)
                .unwrap();
        }
        let report = world.step();
        assert!(!report.status.contains(StepStatus::NOT_EVALUATED) || report.counts.not_evaluated > 0);
        assert!(world.manifolds().is_empty());
        if step > 3 {
            bytes.push([report.counts.gpu_bytes_up, report.counts.gpu_bytes_back]);
        }
        let now = hand.mesh.with_vertices(read(&device, skin.places())).unwrap();
        let meshes = [now, knot.clone(), torus.clone()].map(Shape::from);
        assert!(!world.device_contacts().is_empty());
        for contact in world.device_contacts() {
            assert!(!contact.on_cpu);
            let own = contact.colliders.map(|id| id.index as usize);
            let what = format!("step {step}, {own:?}");
            let met = check(contact, own.map(|k| &meshes[k]), &own.map(|k| poses[k]), &what);
            crossing += usize::from(met);
            apart += usize::from(contact.state == MeetingState::Apart);
        }
    }
    assert!(crossing >= 12 && apart >= 1, "{crossing} crossing, {apart} apart");
    // Poses and the passes' parameters go up, a record of each of three pairs and two flags come back: whatever the meshes are.
    for [up, back] in bytes {
        assert!(up <= 256 * 24, "{up} bytes up");
        assert_eq!(back, 3 * 96 + 2 * 4);
    }
}

#[test]
fn a_device_that_is_lost_leaves_what_the_cpu_knows_to_it_and_says_what_nobody_knows() {
    let test = "a_device_that_is_lost_leaves_what_the_cpu_knows_to_it_and_says_what_nobody_knows";
    let Some(device) = device_or_skip(test) else { return };
    let torus = Torus::default().mesh().unwrap();
    let moved: Vec<Point3<f32>> = torus.vertices().iter().map(|v| v + Vector3::new(0.1, 0.0, 0.05)).collect();
    let words: Vec<u32> = moved.iter().flat_map(|v| [v.x, v.y, v.z].map(f32::to_bits)).collect();
    let vertices = buffer(&device, &words, U::STORAGE);
    let source = SurfaceSource { vertices, start: 0, stride: 3, bounds: around(&moved, 0.0) };
    let mut world = world_on(&device);
    let shapes = [0, 1, 2].map(|_| world.add_shape(torus.clone()).unwrap());
    for (shape, x) in shapes.into_iter().zip([0.0, 0.2, 20.0]) {
        world.add_collider(Collider::new(shape).position([x, 0.05, 0.1])).unwrap();
    }
    world.add_collider(Collider::new(shapes[1]).position([20.2, 0.0, 0.1])).unwrap();
    let places = moved.clone();
    let known: KnownPlaces = Arc::new(move || places.clone());
    world.set_device_vertices(shapes[0], Some(source.clone()), Some(known)).unwrap();
    world.set_device_vertices(shapes[2], Some(source), None).unwrap();
    let report = world.step();
    assert!(report.status.is_none(), "{}", report.status);
    let before = world.device_contacts().to_vec();
    assert_eq!(before.len(), 2);
    let event = |contact: &DeviceContact, phase| DeviceContactEvent {
        colliders: contact.colliders,
        subshapes: contact.subshapes,
        phase,
    };
    assert_eq!(world.device_events(), [0, 1].map(|k| event(&before[k], ContactPhase::Begin)));
    assert!(before.iter().all(|c| c.state == MeetingState::Crossing && !c.on_cpu));

    device.0.destroy();
    for _ in 0..2 {
        let report = world.step();
        assert!(report.status.contains(StepStatus::NOT_EVALUATED), "{}", report.status);
        assert_eq!((report.counts.device_pairs, report.counts.not_evaluated), (2, 1));
        let [one, other] = world.device_contacts() else { panic!("two pairs") };
        assert!(one.on_cpu && one.state == MeetingState::Crossing);
        assert!((before[0].crossings..=before[0].crossings + before[0].uncertain).contains(&one.crossings));
        assert!((one.area - before[0].area).norm() < 1e-3 * before[0].area.norm());
        assert_eq!((other.state, other.on_cpu), (MeetingState::NotEvaluated, false));
        // What is not known has neither begun nor ended.
        assert!(world.device_events().is_empty());
    }
    // The first pair is drawn apart, as the CPU knows; of the second the boxes are.
    world.set_pose(before[0].colliders[1], Isometry3::translation(0.8995, 0.05, 0.1)).unwrap();
    world.step();
    assert_eq!(world.device_events(), [event(&before[0], ContactPhase::End)]);
    world.set_pose(before[1].colliders[1], Isometry3::translation(40.0, 0.0, 0.0)).unwrap();
    world.step();
    assert_eq!(world.device_events(), [event(&before[1], ContactPhase::End)]);
    world.set_pose(before[0].colliders[1], Isometry3::translation(0.2, 0.05, 0.1)).unwrap();
    world.set_pose(before[1].colliders[1], Isometry3::translation(20.2, 0.0, 0.1)).unwrap();
    world.step();
    assert_eq!(world.device_events(), [event(&before[0], ContactPhase::Begin)]);
    // With vertices of its own again, the mesh has contacts.
    world.set_device_vertices(shapes[0], None, None).unwrap();
    world.set_device_vertices(shapes[2], None, None).unwrap();
    assert_eq!(world.step().counts.touching, 2);
    assert!(world.device_contacts().is_empty());
    assert_eq!(world.device_events(), [event(&before[0], ContactPhase::End)]);
    world.step();
    assert!(world.device_events().is_empty());
}

#[test]
fn what_the_device_cannot_be_given_is_refused_and_what_strays_is_told() {
    let test = "what_the_device_cannot_be_given_is_refused_and_what_strays_is_told";
    let Some(device) = device_or_skip(test) else { return };
    let torus = Torus::default().mesh().unwrap();
    let words: Vec<u32> = torus.vertices().iter().flat_map(|v| [v.x, v.y, v.z].map(f32::to_bits)).collect();
    let good = SurfaceSource {
        vertices: buffer(&device, &words, U::STORAGE),
        start: 0,
        stride: 3,
        bounds: around(torus.vertices(), 0.0),
    };
    let mut world = world_on(&device);
    let ball = world.add_shape(Shape::sphere(1.0).unwrap()).unwrap();
    let shapes = [0, 1].map(|_| world.add_shape(torus.clone()).unwrap());
    for shape in shapes {
        world.add_collider(Collider::new(shape)).unwrap();
    }
    let mut refused = |shape: ShapeId, source: &SurfaceSource| {
        let done = world.set_device_vertices(shape, Some(source.clone()), None);
        matches!(done, Err(WorldError::DeviceVertices { .. }))
    };
    assert!(refused(ball, &good));
    assert!(refused(shapes[0], &SurfaceSource { stride: 2, ..good.clone() }));
    assert!(refused(shapes[0], &SurfaceSource { start: 1, ..good.clone() }));
    let no_storage = buffer(&device, &words, U::VERTEX);
    assert!(refused(shapes[0], &SurfaceSource { vertices: no_storage, ..good.clone() }));
    let inside_out = Aabb { min: [1.0; 3], max: [-1.0; 3] };
    assert!(refused(shapes[0], &SurfaceSource { bounds: inside_out, ..good.clone() }));
    let mut on_cpu = World::builder().backend(Backend::Cpu).build().unwrap();
    let own = on_cpu.add_shape(torus.clone()).unwrap();
    assert!(on_cpu.set_device_vertices(own, Some(good.clone()), None).is_err());

    let state = |world: &mut World, source: SurfaceSource| {
        world.set_device_vertices(shapes[0], Some(source), None).unwrap();
        world.step();
        world.device_contacts()[0].state
    };
    // Two equal meshes in one place: nothing is certain.
    assert_eq!(state(&mut world, good.clone()), MeetingState::Uncertain);
    let small = Aabb { min: good.bounds.min, max: [0.01; 3] };
    assert_eq!(state(&mut world, SurfaceSource { bounds: small, ..good.clone() }), MeetingState::Astray);
    for bad in [f32::NAN, f32::INFINITY] {
        let mut words = words.clone();
        words[100] = bad.to_bits();
        let vertices = buffer(&device, &words, U::STORAGE);
        assert_eq!(state(&mut world, SurfaceSource { vertices, ..good.clone() }), MeetingState::Astray);
    }
}
