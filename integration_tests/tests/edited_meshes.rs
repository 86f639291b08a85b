//! Meshes of which vertices rise and sink and triangles are taken out, and shapes that others take the place of: against meshes made of what is
//! left.

use std::sync::Arc;
use std::time::{Duration, Instant};

use impinge::geometry::Primitive;
use impinge::prelude::*;
use impinge::query::ShapeRay;
use impinge::{DeformError, Impulse, MeshError, WorldError};
use impinge_contacts::{ContactRow, Solver};
use impinge_midphase::ObbTree;
use impinge_scenes::mesh::{Blob, Gear, Torus};
use impinge_scenes::random::Random;

/// How many cases are tried: `usual`, or as many as `IMPINGE_CASES` says.
fn cases(usual: usize) -> usize {
    std::env::var("IMPINGE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// Open ground over `cells` × `cells` cells of about 1 / `cells` m, of triangles of any shape: corners are moved about, diagonals go either way.
fn ground(cells: u32, random: &mut Random) -> TriMesh {
    let size = 1.0 / f64::from(cells);
    let at = |i: u32, j: u32| j * (cells + 1) + i;
    let mut vertices = Vec::new();
    for j in 0..=cells {
        for i in 0..=cells {
            let mut place = |k: u32| size * (f64::from(k) + 0.2 * random.signed()) - 0.5;
            let (x, y) = (place(i), place(j));
            vertices.push(Point3::new(x as f32, y as f32, (0.1 * (9.0 * x).sin() * (7.0 * y).cos()) as f32));
        }
    }
    let mut triangles = Vec::new();
    for j in 0..cells {
        for i in 0..cells {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            match random.index(2) {
                0 => triangles.extend([[a, b, c], [a, c, d]]),
                _ => triangles.extend([[a, b, d], [b, c, d]]),
            }
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

fn subjects(random: &mut Random) -> Vec<TriMesh> {
    let gear = Gear::default().mesh().unwrap();
    let size = 0.5 / f64::from(gear.bounding_sphere().radius);
    let cube = impinge_oracle::solids::block([0.3; 3]);
    let apart: Vec<Point3<f32>> = cube.vertices().iter().map(|p| p + Vector3::new(0.9, 0.0, 0.0)).collect();
    let base = cube.vertices().len() as u32;
    let twice = cube.triangles().iter().map(|t| t.map(|v| v + base));
    let two = TriMesh::new(
        cube.vertices().iter().copied().chain(apart).collect(),
        cube.triangles().iter().copied().chain(twice).collect(),
    );
    vec![ground(12, random), gear.scaled(size).unwrap(), two.unwrap()]
}

/// The mesh made of the triangles that are left, and for each of its triangles the index that it has in the edited one.
fn remade(mesh: &TriMesh) -> (TriMesh, Vec<u32>) {
    let left: Vec<u32> = (0..mesh.triangles().len() as u32).filter(|&t| mesh.has_triangle(t)).collect();
    let triangles = left.iter().map(|&t| mesh.triangles()[t as usize]).collect();
    (TriMesh::new(mesh.vertices().to_vec(), triangles).unwrap(), left)
}

fn random_pose(random: &mut Random, reach: f64) -> Isometry3<f64> {
    let shift = Vector3::from_fn(|_, _| reach * random.signed());
    Isometry3::from_parts(Translation3::from(shift), random.rotation())
}

/// Moves some vertices, along z alone where `upright`, and takes some triangles out.
fn edit(prepared: &mut PreparedShape, upright: bool, random: &mut Random) {
    let Shape::Mesh(mesh) = prepared.shape().clone() else { panic!("a mesh") };
    if random.index(4) > 0 {
        let some = 1 + random.index(6);
        let edits: Vec<(u32, Point3<f32>)> = (0..some)
            .map(|_| {
                let vertex = random.index(mesh.vertices().len()) as u32;
                let by = Vector3::from_fn(|_, _| 0.1 * random.signed()).cast::<f32>();
                let by = if upright { Vector3::new(0.0, 0.0, by.z) } else { by };
                (vertex, mesh.vertices()[vertex as usize] + by)
            })
            .collect();
        let deformation = prepared.edit_vertices(&edits).unwrap();
        let Shape::Mesh(after) = prepared.shape() else { panic!("a mesh") };
        let moved = |v: &Point3<f32>, w: &Point3<f32>| (v.cast::<f64>() - w.cast::<f64>()).norm();
        let farthest = mesh.vertices().iter().zip(after.vertices()).map(|(v, w)| moved(v, w));
        assert!(farthest.fold(0.0, f64::max) <= deformation.moved);
    }
    if random.index(3) > 0 {
        let count = mesh.triangles().len();
        let gone: Vec<u32> = (0..1 + random.index(5)).map(|_| random.index(count) as u32).collect();
        let left = |mesh: &TriMesh| mesh.triangles().len() as u32 - mesh.removed_triangles();
        match prepared.remove_triangles(&gone) {
            Ok(removed) => {
                let Shape::Mesh(after) = prepared.shape() else { panic!("a mesh") };
                assert_eq!(left(after) + removed, left(&mesh));
                assert!(gone.iter().all(|&t| !after.has_triangle(t) && after.is_virtual(t)));
            }
            Err(error) => assert!(matches!(error, DeformError::Vertices(MeshError::NothingLeft { .. }))),
        }
    }
}

#[test]
fn an_edited_mesh_is_the_mesh_made_of_what_is_left() {
    let mut random = Random::new(3);
    let torus = Torus::default().mesh().unwrap();
    let other = torus.scaled(0.4 / f64::from(torus.bounding_sphere().radius)).unwrap();
    let others: Vec<Shape> =
        vec![other.into(), Shape::sphere(0.3).unwrap(), Shape::cuboid([0.2; 3]).unwrap()];
    let here = Isometry3::identity();
    let (mut touching, mut apart, mut closed) = (0, 0, 0);
    for round in 0..cases(36) {
        let subjects = subjects(&mut random);
        let subject = &subjects[round % 3];
        let mut prepared = PreparedShape::new(&Shape::from(subject.clone()));
        for _ in 0..4 {
            edit(&mut prepared, round % 3 == 0, &mut random);
            if round % 3 == 2 && random.index(3) == 0 {
                // One of both cubes, whole: what is left is closed.
                let _ = prepared.remove_triangles(&(0..12).collect::<Vec<_>>());
            }
            let Shape::Mesh(mesh) = prepared.shape().clone() else { panic!("a mesh") };
            let (made, names) = remade(&mesh);
            assert_eq!(mesh.is_closed(), made.is_closed(), "round {round}");
            closed += usize::from(mesh.is_closed() && mesh.removed_triangles() > 0);
            assert_eq!((mesh.aabb(), mesh.bounding_sphere()), (made.aabb(), made.bounding_sphere()));
            assert_eq!((mesh.components(), mesh.shells().len()), (made.components(), made.shells().len()));
            for (own, &name) in (0u32..).zip(&names) {
                assert_eq!(mesh.component_of(name), made.component_of(own));
                assert_eq!(mesh.shell_of(name), made.shell_of(own));
                for k in 0..3 {
                    let edge = |mesh: &TriMesh, t: u32| mesh.triangle_edges()[t as usize][k];
                    let (e, f) = (edge(&mesh, name), edge(&made, own));
                    let named: Vec<u32> = made.edge_faces(f).iter().map(|&t| names[t as usize]).collect();
                    assert_eq!(mesh.edge_faces(e), named);
                }
            }
            let owners = |mesh: &TriMesh| mesh.vertex_owners().to_vec();
            let named = owners(&made).into_iter().map(|t| names.get(t as usize).copied().unwrap_or(t));
            assert_eq!(owners(&mesh), named.collect::<Vec<_>>());
            let fresh = PreparedShape::new(&Shape::from(made));
            for other in &others {
                let other = PreparedShape::new(other);
                let [query, expected] = [&prepared, &fresh].map(|shape| PairQuery::between(shape, &other));
                let pose = random_pose(&mut random, 0.5);
                let is = expected.touching(&here, &pose).unwrap();
                assert_eq!(query.touching(&here, &pose).unwrap(), is, "round {round}");
                *(if is { &mut touching } else { &mut apart }) += 1;
                let distance = |query: &PairQuery| query.distance(&here, &pose).unwrap().distance();
                assert_eq!(distance(&query), distance(&expected), "round {round}");
                if let (Ok(pairs), Ok(made)) =
                    (query.triangle_pairs(&here, &pose), expected.triangle_pairs(&here, &pose))
                {
                    let named: Vec<[u32; 2]> =
                        made.iter().map(|p| [names[p.triangles[0] as usize], p.triangles[1]]).collect();
                    assert_eq!(pairs.iter().map(|p| p.triangles).collect::<Vec<_>>(), named, "round {round}");
                    let contours = |query: &PairQuery| query.contours(&here, &pose).unwrap();
                    let places = |query: &PairQuery| {
                        contours(query).iter().map(|c| format!("{:?}", c.points)).collect::<Vec<_>>()
                    };
                    assert_eq!(places(&query), places(&expected), "round {round}");
                }
                let [found, made] = [&query, &expected].map(|q| q.contacts(&here, &pose).unwrap());
                assert_eq!(found.is_empty(), made.is_empty(), "round {round}");
                assert_eq!(!found.is_empty(), is);
                for _ in 0..4 {
                    let from = Point3::from(random.direction() * 2.0);
                    let ray = ShapeRay::between(from, Point3::from(random.direction() * 0.3));
                    let [hit, other] = [&prepared, &fresh].map(|shape| shape.ray(&here, &ray).unwrap());
                    assert_eq!(hit.map(|hit| hit.time), other.map(|hit| hit.time), "round {round}");
                }
            }
        }
    }
    println!("{touching} touching, {apart} apart, {closed} closed after triangles were taken out");
    assert!(touching > 4 * cases(36) && apart > cases(36) && closed > 0);
}

#[test]
fn a_tree_stays_sound_through_edits() {
    let mut random = Random::new(8);
    for mut mesh in subjects(&mut random) {
        let mut tree = ObbTree::build(&mesh);
        for _ in 0..cases(40) {
            let vertex = random.index(mesh.vertices().len()) as u32;
            let to = mesh.vertices()[vertex as usize] + Vector3::new(0.0, 0.0, 0.2 * random.signed() as f32);
            mesh.edit_vertices(&[(vertex, to)]).unwrap();
            tree.refit_some(&mesh, mesh.triangles_around(vertex)).unwrap();
            tree.validate(&mesh).unwrap();
            if random.index(2) == 0 {
                let gone = random.index(mesh.triangles().len()) as u32;
                if mesh.remove_triangles(&[gone]).is_ok() {
                    tree.remove_missing(&mesh);
                    tree.validate(&mesh).unwrap();
                }
            }
        }
        tree.refit(&mesh).unwrap();
        tree.validate(&mesh).unwrap();
        ObbTree::build(&mesh).validate(&mesh).unwrap();
    }
}

/// Gives every row the same impulse.
struct Even;

impl Solver for Even {
    type Error = std::convert::Infallible;

    fn solve(&mut self, _: &[ContactRow], impulses: &mut [Impulse], _: f64) -> Result<(), Self::Error> {
        impulses.iter_mut().for_each(|impulse| impulse.normal = 1.0);
        Ok(())
    }
}

fn warm(world: &World) -> Vec<f64> {
    world.manifolds().iter().flat_map(|m| &m.points).map(|p| p.impulse.normal).collect()
}

#[test]
fn contacts_keep_their_impulses_where_ground_is_edited_or_replaced() {
    let mut random = Random::new(5);
    let sheet = ground(16, &mut random);
    let flat = |mesh: &TriMesh| {
        let places = mesh.vertices().iter().map(|p| Point3::new(p.x, p.y, 0.0)).collect();
        mesh.with_vertices(places).unwrap()
    };
    let sheet = flat(&sheet);
    let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
    let shape = world.add_shape(sheet.clone()).unwrap();
    let solid = world.add_shape(sheet.one_sided(0.3, Vector3::z()).unwrap()).unwrap();
    let cube = world.add_shape(Shape::cuboid([0.1; 3]).unwrap()).unwrap();
    let floor = world.add_collider(Collider::new(solid).fixed(true)).unwrap();
    let body = world.add_collider(Collider::new(cube).position([0.2, 0.2, 0.099])).unwrap();
    world.step();
    assert!(!world.manifolds().is_empty());
    world.solve(&mut Even, 0.01).unwrap();
    // Far from the body a vertex rises; another tessellation of the same floor takes its place.
    let corner = (0..sheet.vertices().len() as u32).find(|&v| sheet.vertices()[v as usize].x < -0.4).unwrap();
    let up = sheet.vertices()[corner as usize] + Vector3::new(0.0, 0.0, 0.05);
    world.edit_vertices(solid, &[(corner, up)]).unwrap();
    let report = world.step();
    assert_eq!(report.counts.kept_pairs, 1, "the edit is far from the body");
    assert!(world.edited_pairs().is_empty());
    let points = warm(&world);
    assert!(!points.is_empty() && points.iter().all(|&impulse| impulse == 1.0), "{points:?}");
    world.solve(&mut Even, 0.01).unwrap();
    let other = flat(&ground(5, &mut random)).one_sided(0.3, Vector3::z()).unwrap();
    let old = world.replace_shape(solid, other).unwrap();
    assert!(matches!(old, Shape::Mesh(mesh) if mesh.vertices()[corner as usize] == up));
    world.step();
    assert!(world.events().is_empty(), "the contact goes on");
    assert_eq!(world.edited_pairs(), [[floor, body]]);
    let points = warm(&world);
    let kept = points.iter().filter(|&&impulse| impulse == 1.0).count();
    assert!(kept * 4 >= points.len() * 3 && kept > 0, "{points:?}");
    assert_eq!((world.shape_of(floor).unwrap(), world.shape_of(body).unwrap()), (solid, cube));

    // A primitive grows under its name, and out of the floor again.
    world.resize(cube, Primitive::Cuboid { half: [0.1, 0.1, 0.05] }).unwrap();
    assert_eq!(world.step().counts.touching, 0);
    world.resize(cube, Primitive::Sphere { radius: 0.12 }).unwrap();
    assert_eq!(world.step().counts.touching, 1);

    // Under the sphere the open sheet is dug away.
    world.replace_shape(solid, sheet.clone()).unwrap();
    assert_eq!(world.step().counts.touching, 1);
    let near = |t: &u32| sheet.corners(*t).iter().any(|p| (p.x - 0.2).hypot(p.y - 0.2) < 0.2);
    let hole: Vec<u32> = (0..sheet.triangles().len() as u32).filter(near).collect();
    assert_eq!(world.remove_triangles(solid, &hole).unwrap() as usize, hole.len());
    assert_eq!(world.step().counts.touching, 0);
    // The twin that was made of the same mesh is whole.
    assert!(matches!(world.shape(shape).unwrap(), Shape::Mesh(mesh) if mesh.removed_triangles() == 0));
    // Nothing has moved since: answers are kept.
    assert_eq!(world.step().counts.moved, 0);
    assert_eq!(world.remove_triangles(solid, &hole).unwrap(), 0);
    assert_eq!(world.step().counts.moved, 0);
}

#[test]
fn what_is_refused_leaves_the_world_as_it_was() {
    let mut random = Random::new(1);
    let sheet = ground(3, &mut random);
    let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
    let shape = world.add_shape(sheet.clone()).unwrap();
    let closed = world.add_shape(sheet.one_sided(0.3, Vector3::z()).unwrap()).unwrap();
    let ball = world.add_shape(Shape::sphere(0.2).unwrap()).unwrap();
    world.add_collider(Collider::new(shape).fixed(true)).unwrap();
    world.add_collider(Collider::new(ball).position([0.1, 0.0, 0.1])).unwrap();
    let report = world.step();
    let before = format!("{:?}", world.manifolds());
    assert_eq!(report.counts.touching, 1);
    let of = |id: ShapeId, error: MeshError| WorldError::Deform { id, error: DeformError::Vertices(error) };
    let count = sheet.triangles().len();
    let error = world.remove_triangles(shape, &[0, count as u32]).unwrap_err();
    assert_eq!(error, of(shape, MeshError::NoSuchTriangle { triangle: count as u32, count }));
    assert!(error.to_string().contains("indices run from 0"), "{error}");
    let all: Vec<u32> = (0..count as u32).collect();
    let error = world.remove_triangles(shape, &all).unwrap_err();
    assert_eq!(error, of(shape, MeshError::NothingLeft { triangles: count }));
    assert_eq!(world.remove_triangles(closed, &[0]).unwrap_err(), of(closed, MeshError::VirtualFaces));
    let vertices = sheet.vertices().len();
    let edit = |world: &mut World, vertex: u32, x: f32| {
        world.edit_vertices(shape, &[(0, sheet.vertices()[0]), (vertex, Point3::new(x, 0.0, 0.0))])
    };
    let range = MeshError::VertexRange { first: vertices, given: 1, expected: vertices };
    assert_eq!(edit(&mut world, vertices as u32, 0.0).unwrap_err(), of(shape, range));
    for bad in [f32::NAN, f32::INFINITY, f32::MAX] {
        let error = edit(&mut world, 1, bad).unwrap_err().to_string();
        assert!(error.contains("vertex 1"), "{error}");
    }
    let not = |id, error| WorldError::Deform { id, error };
    assert_eq!(world.remove_triangles(ball, &[0]).unwrap_err(), not(ball, DeformError::NotAMesh));
    assert_eq!(world.edit_vertices(ball, &[]).unwrap_err(), not(ball, DeformError::NotAMesh));
    let sphere = |radius| Primitive::Sphere { radius };
    assert_eq!(world.resize(shape, sphere(1.0)).unwrap_err(), not(shape, DeformError::NotAPrimitive));
    assert!(matches!(world.resize(ball, sphere(-1.0)).unwrap_err(), WorldError::Shape(_)));
    let gone = world.add_shape(Shape::sphere(1.0).unwrap()).unwrap();
    world.remove_shape(gone).unwrap();
    let unknown = WorldError::UnknownShape { id: gone };
    assert_eq!(world.replace_shape(gone, Shape::half_space()).unwrap_err(), unknown);
    assert_eq!(world.remove_triangles(gone, &[0]).unwrap_err(), unknown);
    // A mesh at the end of the world has no box there.
    let far = world.add_collider(Collider::new(ball).position([9e29, 0.0, 0.0])).unwrap();
    let large = Arc::new(sheet.scaled(1e30).unwrap());
    match world.replace_shape(ball, large) {
        Err(error) => assert!(matches!(error, WorldError::Boxes(_)), "{error}"),
        Ok(_) => drop(world.replace_shape(ball, sphere(0.2)).unwrap()),
    }
    world.remove_collider(far).unwrap();
    assert_eq!(world.step().counts.touching, 1);
    assert_eq!(format!("{:?}", world.manifolds()), before);
}

/// The shortest time that one vertex of a mesh of `20 · 4^subdivisions` triangles, and one triangle, took to edit, after the first edits.
fn edit_times(subdivisions: u32) -> [Duration; 2] {
    let mesh = Blob { subdivisions, ..Blob::default() }.mesh().unwrap();
    let (vertices, triangles) = (mesh.vertices().to_vec(), mesh.triangles().len() as u32);
    let mut shape = PreparedShape::new(&mesh.into());
    let mut random = Random::new(4);
    let mut least = [Duration::MAX; 2];
    for n in 0..80 {
        let vertex = random.index(vertices.len());
        let edit = [(vertex as u32, vertices[vertex] * (1.0 - 1e-4 * (n % 5 + 1) as f32))];
        // From one end to the other, so that none goes twice.
        let triangle = [n * (triangles / 80)];
        let started = Instant::now();
        shape.edit_vertices(&edit).unwrap();
        let moved = started.elapsed();
        assert_eq!(shape.remove_triangles(&triangle).unwrap(), 1);
        let both = started.elapsed();
        if n > 2 {
            least = [least[0].min(moved), least[1].min(both - moved)];
        }
    }
    least
}

#[test]
fn small_edits_of_large_meshes_cost_what_they_cost_of_small_ones() {
    let [small, large] = [3, 6].map(edit_times);
    println!("1,280 triangles: {small:?}, 81,920: {large:?}");
    for (small, large) in small.into_iter().zip(large) {
        // Sixty-four times as many triangles. The tree is deeper, and caches are less warm.
        assert!(large < 8 * small + Duration::from_micros(20), "{small:?}, {large:?}");
    }
}
