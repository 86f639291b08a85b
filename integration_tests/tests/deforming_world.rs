//! Meshes whose vertices move in a world: each step against a fresh world of the same places, against poses, for several numbers of
//! threads, and what is refused.

use std::sync::Arc;

use impinge::prelude::*;
use impinge::query::TrianglePair;
use impinge::{ContactPhase, DeformError, Impulse, MeshError, Skin, WorldError};
use impinge_contacts::{ContactRow, Solver};
use impinge_scenes::mesh::{Gear, Knot, Torus};
use impinge_scenes::random::Random;
use nalgebra::Matrix3;

fn meshes() -> Vec<Arc<TriMesh>> {
    [
        Knot { along: 40, across: 8, ..Knot::default() }.mesh().unwrap(),
        Gear::default().mesh().unwrap(),
        Torus::default().mesh().unwrap(),
    ]
    .map(Arc::new)
    .to_vec()
}

/// A smooth deformation: vertices are carried by waves, and stretched about the origin.
struct Bend {
    stretch: Matrix3<f64>,
    waves: [(Vector3<f64>, Vector3<f64>); 2],
}

impl Bend {
    fn random(random: &mut Random, size: f64) -> Bend {
        let mut vector = |size: f64| Vector3::from_fn(|_, _| size * random.signed());
        let stretch = Matrix3::from_columns(&[vector(size), vector(size), vector(size)]);
        Bend { stretch, waves: [(vector(3.0), vector(0.5 * size)), (vector(5.0), vector(0.3 * size))] }
    }

    fn of(&self, mesh: &TriMesh, share: f64) -> Vec<Point3<f32>> {
        let place = |p: &Point3<f32>| {
            let x = p.coords.cast::<f64>();
            let waves: Vector3<f64> = self.waves.iter().map(|(k, by)| by * k.dot(&x).sin()).sum();
            Point3::from(x + (self.stretch * x + waves) * share).cast::<f32>()
        };
        mesh.vertices().iter().map(place).collect()
    }
}

fn random_pose(random: &mut Random, reach: f64) -> Isometry3<f64> {
    let turn = Vector3::from_fn(|_, _| 3.0 * random.signed());
    let shift = Vector3::from_fn(|_, _| reach * random.signed());
    Isometry3::from_parts(Translation3::from(shift), UnitQuaternion::from_scaled_axis(turn))
}

/// Two colliders in a world, with the names of their shapes.
struct Two {
    world: World,
    shapes: [ShapeId; 2],
    colliders: [ColliderId; 2],
}

impl Two {
    fn new(meshes: [&Arc<TriMesh>; 2], poses: [Isometry3<f64>; 2], threads: usize, coherence: f64) -> Two {
        let builder = World::builder().backend(Backend::Cpu).threads(threads).coherence(coherence);
        let mut world = builder.build().unwrap();
        let shapes = meshes.map(|mesh| world.add_shape(Arc::clone(mesh)).unwrap());
        let colliders = [0, 1].map(|k| world.add_collider(Collider::new(shapes[k]).pose(poses[k])).unwrap());
        Two { world, shapes, colliders }
    }

    /// What a step finds, to the last bit.
    fn step(&mut self) -> String {
        let report = self.world.step();
        format!("{} {:?}", report.counts.touching, self.world.manifolds())
    }
}

/// The depth of a world's deepest contact (m), 0 where there is none.
fn deepest(two: &Two) -> f64 {
    two.world.manifolds().iter().map(|m| m.depth).fold(0.0, f64::max)
}

/// How many cases are tried: `usual`, or as many as `IMPINGE_CASES` says.
fn cases(usual: usize) -> usize {
    std::env::var("IMPINGE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

fn here() -> Isometry3<f64> {
    Isometry3::identity()
}

/// Triangles that touch, and contours, of two prepared meshes.
fn crossings(meshes: [&PreparedShape; 2], poses: &[Isometry3<f64>; 2]) -> (Vec<TrianglePair>, String) {
    let query = PairQuery::between(meshes[0], meshes[1]);
    let contours = query.contours(&poses[0], &poses[1]).unwrap();
    (query.triangle_pairs(&poses[0], &poses[1]).unwrap(), format!("{contours:?}"))
}

#[test]
fn a_refitted_mesh_has_the_contacts_of_one_made_at_the_same_places() {
    let (meshes, mut random) = (meshes(), Random::new(11));
    let (mut touching, mut rebuilt, mut alike) = (0, 0, 0);
    for round in 0..cases(60) {
        let pair = [&meshes[round % 3], &meshes[(round / 3) % 3]];
        let poses = [here(), random_pose(&mut random, 0.4)];
        let bend = Bend::random(&mut random, if round % 4 == 0 { 1.5 } else { 0.3 });
        let mut two = Two::new(pair, poses, 1, 0.0);
        let mut prepared = PreparedShape::new(&Shape::Mesh(Arc::clone(pair[0])));
        let places = bend.of(pair[0], 1.0);
        // In several changes, the tree of the last fitted again and again.
        for at in [bend.of(pair[0], 0.3), bend.of(pair[0], 0.6), places.clone()] {
            let deformation = two.world.set_vertices(two.shapes[0], &at).unwrap();
            assert_eq!(prepared.set_vertices(&at).unwrap(), deformation);
            rebuilt += u32::from(deformation.rebuilt);
        }
        let made = Arc::new(pair[0].with_vertices(places).unwrap());
        let found = two.step();

        // Exact answers do not depend on the tree at all.
        let of = |mesh: &Arc<TriMesh>| PreparedShape::new(&Shape::Mesh(Arc::clone(mesh)));
        let expected = crossings([&of(&made), &of(pair[1])], &poses);
        assert_eq!(crossings([&prepared, &of(pair[1])], &poses), expected, "round {round}");
        let mut fresh = Two::new([&made, pair[1]], poses, 1, 0.0);
        fresh.step();
        assert_eq!(two.world.contacts().count(), fresh.world.contacts().count(), "round {round}");
        // Views are laid by the tree's boxes: manifolds have the same bits from the same tree, and mostly the same depth from a new one.
        let mut same = Two::new(pair, poses, 1, 0.0);
        let shape = same.world.add_prepared(&prepared).unwrap();
        same.world.set_shape(same.colliders[0], shape).unwrap();
        assert_eq!(same.step(), found, "round {round}");
        let [p, q] = [deepest(&two), deepest(&fresh)];
        alike += u32::from((p - q).abs() <= 1e-4 + 0.02 * p.max(q));
        touching += usize::from(p > 0.0);

        let Shape::Mesh(held) = two.world.shape(two.shapes[0]).unwrap() else { panic!("it is a mesh") };
        assert!(held.vertices() == made.vertices() && held.aabb() == made.aabb());
        assert_eq!(held.bounding_sphere(), made.bounding_sphere());
        assert_eq!(two.world.aabb(two.colliders[0]).unwrap(), Shape::Mesh(made).aabb_at(&poses[0]));
    }
    println!(
        "{touching} touching, {rebuilt} trees built again, {alike} of {} as deep as from a new tree",
        cases(60)
    );
    assert!(touching >= cases(60) / 4 && rebuilt > 0, "{touching} {rebuilt}");
    assert!(10 * alike as usize >= 9 * cases(60), "{alike}");
}

#[test]
fn a_rigid_motion_by_vertices_has_the_contacts_of_one_by_poses() {
    let (meshes, mut random) = (meshes(), Random::new(5));
    let (mut touching, mut met) = (0, 0);
    for round in 0..30 {
        let pair = [&meshes[round % 3], &meshes[(round / 3) % 3]];
        let poses = [random_pose(&mut random, 0.35), here()];
        let moved: Vec<Point3<f32>> =
            pair[0].vertices().iter().map(|p| (poses[0] * p.cast::<f64>()).cast()).collect();
        let mut by_vertices = Two::new(pair, [here(); 2], 1, 0.0);
        by_vertices.world.set_vertices(by_vertices.shapes[0], &moved).unwrap();
        let mut by_pose = Two::new(pair, poses, 1, 0.0);
        by_vertices.step();
        by_pose.step();
        let [p, q] = [&by_vertices, &by_pose].map(|two| two.world.contacts().count());
        assert_eq!(p, q, "round {round}");
        touching += p;
        // Vertices are rounded to f32 where they come to stand. Where there is one least translation, it is the same.
        let [p, q] = [deepest(&by_vertices), deepest(&by_pose)];
        met += u32::from((p - q).abs() <= 1e-4 + 0.02 * p.max(q));
    }
    assert!(touching > 8, "{touching}");
    assert!(met >= 27, "{met} of 30");
}

/// A world in which a knot writhes beside others, some of which share its shape.
fn writhing(threads: usize, coherence: f64, steps: u32, mut each: impl FnMut(&mut World, u32)) {
    let (meshes, mut random) = (meshes(), Random::new(21));
    let builder = World::builder().backend(Backend::Cpu).threads(threads).coherence(coherence);
    let mut world = builder.build().unwrap();
    let shapes: Vec<ShapeId> = meshes.iter().map(|mesh| world.add_shape(Arc::clone(mesh)).unwrap()).collect();
    for k in 0..12 {
        let pose = random_pose(&mut random, 0.9);
        world.add_collider(Collider::new(shapes[k % 3]).pose(pose)).unwrap();
    }
    let bends: Vec<Bend> = (0..2).map(|_| Bend::random(&mut random, 0.4)).collect();
    for step in 0..steps {
        let share = 0.5 - 0.5 * (f64::from(step) * 0.03).cos();
        for k in 0..2 {
            world.set_vertices(shapes[k], &bends[k].of(&meshes[k], share)).unwrap();
        }
        world.step();
        each(&mut world, step);
    }
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let run = |threads| {
        let mut seen = Vec::new();
        writhing(threads, 0.02, 12, |world, _| seen.push(format!("{:?}", world.manifolds())));
        seen
    };
    let one = run(1);
    assert!(one.iter().all(|step| step.len() > 1000), "nothing touches");
    for threads in [2, 3, 8] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}

#[test]
fn kept_and_refreshed_answers_touch_as_new_ones_do() {
    let touching = |coherence| {
        let (mut seen, mut refreshed) = (Vec::new(), 0);
        writhing(2, coherence, 60, |world, _| {
            seen.push(world.contacts().map(|contact| contact.colliders).collect::<Vec<_>>());
            let report = world.step();
            assert_eq!(report.counts.kept_pairs, report.counts.pairs, "nothing has moved since");
            refreshed += report.counts.refreshed_pairs;
        });
        (seen, refreshed)
    };
    let (plain, none) = touching(0.0);
    let (coherent, _) = touching(0.02);
    assert_eq!(none, 0);
    assert_eq!(plain, coherent);
    assert!(plain.iter().any(|step| *step != plain[0]), "no contact came or went");
    let mut refreshed = 0;
    let meshes = meshes();
    let mut two =
        Two::new([&meshes[2], &meshes[2]], [here(), Isometry3::translation(0.62, 0.62, 0.0)], 1, 0.02);
    for step in 0..40 {
        // One torus swells slowly, and is not yet near the other one, which its box overlaps.
        let swell = 1.0 + 1e-4 * step as f32;
        let places: Vec<Point3<f32>> = meshes[2].vertices().iter().map(|p| p * swell).collect();
        two.world.set_vertices(two.shapes[0], &places).unwrap();
        refreshed += two.world.step().counts.refreshed_pairs;
    }
    // It is answered in full when it has swollen by as much as it was searched beyond.
    assert!((20..40).contains(&refreshed), "{refreshed} of 40");
}

#[test]
fn what_is_refused_leaves_the_world_as_it_was() {
    let meshes = meshes();
    let poses = [here(), Isometry3::translation(0.4, 0.1, 0.2)];
    let (mut two, mut untouched) =
        (Two::new([&meshes[0]; 2], poses, 1, 0.02), Two::new([&meshes[0]; 2], poses, 1, 0.02));
    assert_eq!(two.step(), untouched.step());
    let places = meshes[0].vertices().to_vec();
    let count = places.len();
    let [mesh, _] = two.shapes;
    let mut refused = |shape, first: usize, places: &[Point3<f32>]| match first {
        0 => two.world.set_vertices(shape, places).unwrap_err(),
        first => two.world.set_vertices_from(shape, first, places).unwrap_err(),
    };
    let of = |error: MeshError| WorldError::Deform { id: mesh, error: DeformError::Vertices(error) };
    assert_eq!(
        refused(mesh, 0, &places[1..]),
        of(MeshError::VertexCount { given: count - 1, expected: count })
    );
    let beyond = refused(mesh, 1, &places);
    assert_eq!(beyond, of(MeshError::VertexRange { first: 1, given: count, expected: count }));
    assert!(beyond.to_string().contains("a range has to lie within"), "{beyond}");
    assert_eq!(
        refused(mesh, usize::MAX, &places[..2]),
        of(MeshError::VertexRange { first: usize::MAX, given: 2, expected: count })
    );
    for bad in [f32::NAN, f32::INFINITY] {
        let mut places = places.clone();
        places[7].y = bad;
        let error = refused(mesh, 0, &places);
        let WorldError::Deform { error: DeformError::Vertices(error), .. } = error else { panic!("{error}") };
        assert!(matches!(error, MeshError::VertexNotFinite { index: 7, .. }), "{error}");
    }
    let mut far = places.clone();
    far[3].x = f32::MAX;
    let error = refused(mesh, 0, &far).to_string();
    assert!(error.contains("vertex 3"), "{error}");
    // The second world steps as the first does, which was asked for so much.
    assert_eq!(two.step(), untouched.step());

    let ball = two.world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    let both = vec![(here(), Shape::Mesh(Arc::clone(&meshes[0])))];
    let composite = two.world.add_shape(Shape::composite(both).unwrap()).unwrap();
    for id in [ball, composite] {
        let error = two.world.set_vertices(id, &places).unwrap_err();
        assert_eq!(error, WorldError::Deform { id, error: DeformError::NotAMesh });
    }
    two.world.remove_shape(ball).unwrap();
    assert_eq!(two.world.set_vertices(ball, &places), Err(WorldError::UnknownShape { id: ball }));
}

#[test]
fn colliders_of_one_shape_change_together_and_the_caller_s_mesh_stays() {
    let mesh = Arc::clone(&meshes()[2]);
    let before = mesh.vertices().to_vec();
    let prepared = PreparedShape::new(&Shape::Mesh(Arc::clone(&mesh)));
    let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
    let [shape, twin] = [0, 1].map(|_| world.add_prepared(&prepared).unwrap());
    let places = [0.0, 4.0, 8.0];
    let ids = places.map(|x| world.add_collider(Collider::new(shape).position([x, 0.0, 0.0])).unwrap());
    let other = world.add_collider(Collider::new(twin).position([20.0, 0.0, 0.0])).unwrap();
    let size = |world: &World, id| {
        let aabb = world.aabb(id).unwrap();
        aabb.max[0] - aabb.min[0]
    };
    let width = size(&world, other);
    let doubled: Vec<Point3<f32>> = before.iter().map(|p| p * 2.0).collect();
    let deformation = world.set_vertices(shape, &doubled).unwrap();
    assert!(deformation.moved >= f64::from(before[0].coords.norm()));
    for id in ids {
        assert!((size(&world, id) - 2.0 * width).abs() < 1e-4 * width);
    }
    assert_eq!(size(&world, other), width);
    assert_eq!(mesh.vertices(), before);
    // Half of a range, and the same places again: nothing has moved.
    let half = before.len() / 2;
    world.step();
    assert_eq!(world.set_vertices_from(shape, half, &doubled[half..]).unwrap().moved, 0.0);
    assert_eq!(world.step().counts.moved, 0);
    // A collider that leaves the shape no longer changes with it, and a removed one is not looked for.
    world.set_shape(ids[0], twin).unwrap();
    world.remove_collider(ids[1]).unwrap();
    world.set_vertices(shape, &before).unwrap();
    assert_eq!(world.step().counts.moved, 2);
    for id in [ids[0], ids[2]] {
        assert!((size(&world, id) - width).abs() < 1e-4 * width);
    }
    world.remove_collider(ids[2]).unwrap();
    world.remove_shape(shape).unwrap();
}

/// Gives every row the same impulse.
struct Even;

impl Solver for Even {
    type Error = std::convert::Infallible;

    fn solve(&mut self, rows: &[ContactRow], impulses: &mut [Impulse], _: f64) -> Result<(), Self::Error> {
        assert_eq!(rows.len(), impulses.len());
        impulses.iter_mut().for_each(|impulse| impulse.normal = 1.0);
        Ok(())
    }
}

#[test]
fn contacts_go_on_with_their_keys_and_impulses_while_a_body_deforms() {
    let meshes = meshes();
    let poses = [here(), Isometry3::translation(0.7, 0.0, 0.05)];
    let mut two = Two::new([&meshes[2], &meshes[2]], poses, 1, 0.02);
    two.step();
    assert!(two.world.events().iter().all(|event| event.phase == ContactPhase::Begin));
    assert_eq!(two.world.events().len(), 1);
    let bend = Bend::random(&mut Random::new(2), 0.1);
    let (mut points, mut warm) = (0, 0);
    for step in 1..20 {
        two.world.solve(&mut Even, 0.01).unwrap();
        two.world.set_vertices(two.shapes[1], &bend.of(&meshes[2], 1e-3 * f64::from(step))).unwrap();
        let report = two.world.step();
        assert_eq!((report.counts.kept_pairs, report.counts.refreshed_pairs), (0, 0));
        assert!(two.world.events().is_empty(), "the contact goes on");
        let all: Vec<f64> =
            two.world.manifolds().iter().flat_map(|m| &m.points).map(|p| p.impulse.normal).collect();
        points += all.len();
        warm += all.iter().filter(|&&impulse| impulse > 0.0).count();
    }
    assert!(points > 30 && 10 * warm >= 9 * points, "{warm} of {points} points are warm");
}

#[test]
fn a_skinned_body_has_the_contacts_of_its_vertices_set() {
    let mesh = Arc::clone(&meshes()[2]);
    // The halves of a torus follow a bone each, what lies between both.
    let follow = |p: &Point3<f32>| {
        let share = (0.5 + 2.0 * p.x).clamp(0.0, 1.0);
        ([0, 1, 0, 0], [1.0 - share, share, 0.0, 0.0])
    };
    let skin = Skin::new(&mesh, 2, &mesh.vertices().iter().map(follow).collect::<Vec<_>>()).unwrap();
    let poses = [here(), Isometry3::translation(0.55, 0.1, 0.25)];
    let mut two = Two::new([&mesh, &mesh], poses, 2, 0.02);
    let mut places = Vec::new();
    let mut touching = 0;
    for step in 0..20 {
        let turn = Vector3::y() * (-0.05 * f64::from(step));
        skin.place(&[here(), Isometry3::new(Vector3::zeros(), turn)], &mut places).unwrap();
        two.world.set_vertices(two.shapes[0], &places).unwrap();
        two.step();
        let Shape::Mesh(held) = two.world.shape(two.shapes[0]).unwrap() else { panic!("it is a mesh") };
        assert!(held.vertices() == places);
        let made = Arc::new(mesh.with_vertices(places.clone()).unwrap());
        let mut fresh = Two::new([&made, &mesh], poses, 1, 0.0);
        fresh.step();
        assert_eq!(two.world.contacts().count(), fresh.world.contacts().count(), "step {step}");
        touching += fresh.world.contacts().count();
        let query = PairQuery::between(
            &PreparedShape::new(&Shape::Mesh(made)),
            &PreparedShape::new(&Shape::Mesh(Arc::clone(&mesh))),
        );
        // A contact names the triangles that meet, and the skin their bone: what is met lies on the half that was turned into it.
        for pair in query.triangle_pairs(&poses[0], &poses[1]).unwrap() {
            assert_eq!(skin.bone_of(&mesh, pair.triangles[0]), 1);
        }
    }
    assert!((5..20).contains(&touching), "{touching}");
}
