//! Where meshes meet themselves, against brute force over all pairs of triangles in exact arithmetic.

use std::sync::Arc;

use impinge::prelude::*;
use impinge::query::{SelfScratch, self_intersections};
use impinge_oracle::triangles_touch;
use impinge_scenes::mesh::{Knot, Torus};
use impinge_scenes::random::Random;

/// How many meshes are tried: `usual`, or as many as `IMPINGE_CASES` says.
fn cases(usual: usize) -> usize {
    std::env::var("IMPINGE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// Every pair of triangles without a common vertex, asked in integers.
fn brute(mesh: &TriMesh) -> Vec<[u32; 2]> {
    let count = mesh.triangles().len() as u32;
    let corners: Vec<_> = (0..count).map(|t| mesh.corners(t).map(|p| p.cast::<f64>())).collect();
    let mut found = Vec::new();
    for s in 0..count {
        for t in s + 1..count {
            let [p, q] = [s, t].map(|t| mesh.triangles()[t as usize]);
            let neighbours = p.iter().any(|vertex| q.contains(vertex));
            if !neighbours
                && !mesh.is_virtual(s)
                && !mesh.is_virtual(t)
                && triangles_touch(&corners[s as usize], &corners[t as usize])
            {
                found.push([s, t]);
            }
        }
    }
    found
}

/// An open sheet of `n` by `n` squares of 1/n m.
fn sheet(n: u32) -> TriMesh {
    let at = |i: u32, j: u32| Point3::new(i as f32 / n as f32 - 0.5, j as f32 / n as f32 - 0.5, 0.0);
    let vertices = (0..=n).flat_map(|j| (0..=n).map(move |i| at(i, j))).collect();
    let square = |i: u32, j: u32| {
        let [a, b] = [j * (n + 1) + i, (j + 1) * (n + 1) + i];
        [[a, a + 1, b], [a + 1, b + 1, b]]
    };
    let triangles = (0..n).flat_map(|j| (0..n).flat_map(move |i| square(i, j))).collect();
    TriMesh::new(vertices, triangles).unwrap()
}

fn meshes() -> [Arc<TriMesh>; 4] {
    [
        Torus { around: 12, across: 6, ..Torus::default() }.mesh().unwrap(),
        Knot { along: 24, across: 4, tube: 0.04, ..Knot::default() }.mesh().unwrap(),
        sheet(8),
        sheet(3),
    ]
    .map(Arc::new)
}

/// Places of a mesh's vertices: bent by waves, squeezed, torn about, or put on a coarse lattice, where much touches without crossing.
fn places(mesh: &TriMesh, random: &mut Random) -> Vec<Point3<f32>> {
    let mut vector = |size: f64| Vector3::from_fn(|_, _| size * random.signed());
    let waves: Vec<_> = (0..3).map(|k| (vector(4.0 + 3.0 * f64::from(k)), vector(0.35))).collect();
    let squeeze = vector(1.0);
    let (kind, noise) = (random.signed(), 0.05 * random.signed().max(0.0));
    let lattice = if kind > 0.5 { 8.0 } else { 0.0 };
    let mut place = |p: &Point3<f32>| {
        let x = p.coords.cast::<f64>();
        let bent = x.component_mul(&squeeze)
            + waves.iter().map(|(k, by)| by * k.dot(&x).sin()).sum::<Vector3<f64>>();
        let torn = bent + Vector3::from_fn(|_, _| noise * random.signed());
        let put = if lattice > 0.0 { torn.map(|x| (x * lattice).round() / lattice) } else { torn };
        Point3::from(put).cast::<f32>()
    };
    mesh.vertices().iter().map(&mut place).collect()
}

#[test]
fn deformed_meshes_meet_themselves_where_brute_force_says() {
    let (meshes, mut random) = (meshes(), Random::new(77));
    let mut prepared = meshes.clone().map(|mesh| PreparedShape::new(&Shape::Mesh(mesh)));
    let (mut scratch, mut pairs) = (SelfScratch::default(), Vec::new());
    let (mut meeting, mut all) = (0, 0);
    for case in 0..cases(400) {
        let mesh = &meshes[case % 4];
        let at = places(mesh, &mut random);
        let expected = brute(&mesh.with_vertices(at.clone()).unwrap());
        // The tree is fitted again and again.
        let prepared = &mut prepared[case % 4];
        prepared.set_vertices(&at).unwrap();
        for cull in [false, true] {
            prepared.self_intersections_with(cull, &mut scratch, &mut pairs);
            assert_eq!(pairs, expected, "case {case}, cull {cull}");
        }
        if case % 8 < 4 {
            assert_eq!(
                self_intersections(&mesh.with_vertices(at).unwrap()),
                expected,
                "case {case}, new tree"
            );
        }
        meeting += usize::from(!expected.is_empty());
        all += expected.len();
    }
    println!("{meeting} meshes meet themselves, in {all} pairs of triangles");
    assert!(5 * meeting > cases(400) && 5 * meeting < 5 * cases(400), "{meeting}");
}

#[test]
fn what_is_flat_or_convex_does_not_meet_itself_and_a_seam_does() {
    assert!(self_intersections(&sheet(12)).is_empty());
    let torus = Torus::default().mesh().unwrap();
    assert!(self_intersections(&torus).is_empty());
    // A tube wider than its hole.
    let pinched = torus.vertices().iter().map(|p| Point3::new(0.4 * p.x, p.y, p.z)).collect();
    let pinched = torus.with_vertices(pinched).unwrap();
    assert_eq!(self_intersections(&pinched), brute(&pinched));
    // Two squares that lie edge to edge and share no vertices touch along it.
    let square =
        |x: f32| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x + 1.0, 1.0, 0.0], [x, 1.0, 0.0]].map(Point3::from);
    let vertices = [square(0.0), square(1.0)].concat();
    let triangles = vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
    let split = TriMesh::new(vertices.clone(), triangles.clone()).unwrap();
    assert_eq!(self_intersections(&split), [[0, 2], [0, 3], [1, 3]]);
    assert!(self_intersections(&TriMesh::welded(vertices, triangles).unwrap()).is_empty());
    assert!(PreparedShape::new(&Shape::cuboid([1.0; 3]).unwrap()).self_intersections().is_empty());
}

/// Steps of a world in which meshes writhe; what their own pairs are in each.
fn writhe(threads: usize) -> Vec<Vec<[u32; 2]>> {
    let (meshes, mut random) = (meshes(), Random::new(3));
    let mut world = World::builder().backend(Backend::Cpu).threads(threads).build().unwrap();
    let shapes = meshes.clone().map(|mesh| world.add_shape(mesh).unwrap());
    let place = |k: usize| [3.0 * k as f64, 0.0, 0.0];
    let ids = [0, 1, 2, 3].map(|k| {
        world.add_collider(Collider::new(shapes[k]).position(place(k)).collides_with_itself(true)).unwrap()
    });
    let plain = world.add_collider(Collider::new(shapes[0]).position([-3.0; 3])).unwrap();
    let mut seen = Vec::new();
    for step in 0..12 {
        let mut expected = Vec::new();
        for k in 0..4 {
            if (step + k) % 3 > 0 {
                world.set_vertices(shapes[k], &places(&meshes[k], &mut random)).unwrap();
            }
            let Shape::Mesh(mesh) = world.shape(shapes[k]).unwrap() else { panic!("it is a mesh") };
            expected.push(brute(mesh));
        }
        let counts = world.step().counts;
        let found: Vec<_> = ids.map(|id| world.self_contacts(id).unwrap().to_vec()).into();
        assert_eq!(found, expected, "step {step}");
        assert_eq!(counts.self_pairs, found.iter().map(|pairs| pairs.len() as u64).sum::<u64>());
        assert!(world.self_contacts(plain).unwrap().is_empty());
        // A body that is moved as it is meets itself as before, and one that rests does.
        world.set_pose(ids[1], Isometry3::translation(9.0, 0.1 * f64::from(step as u8), 0.0)).unwrap();
        assert_eq!(world.step().counts.self_pairs, counts.self_pairs);
        assert_eq!(world.step().counts.self_pairs, counts.self_pairs);
        seen.extend(found);
    }
    // Asked no longer, and again; another shape; and gone.
    let last = world.self_contacts(ids[2]).unwrap().to_vec();
    world.set_collides_with_itself(ids[2], false).unwrap();
    world.step();
    assert!(world.self_contacts(ids[2]).unwrap().is_empty());
    assert!(!world.collider(ids[2]).unwrap().collides_with_itself);
    world.set_collides_with_itself(ids[2], true).unwrap();
    world.step();
    assert_eq!(world.self_contacts(ids[2]).unwrap(), last);
    let flat = world.add_shape(sheet(5)).unwrap();
    world.set_shape(ids[2], flat).unwrap();
    world.step();
    assert!(world.self_contacts(ids[2]).unwrap().is_empty());
    for id in ids {
        world.remove_collider(id).unwrap();
    }
    assert_eq!(world.step().counts.self_pairs, 0);
    assert!(world.self_contacts(ids[0]).is_err());
    seen
}

#[test]
fn a_step_says_where_its_meshes_meet_themselves_for_any_number_of_threads() {
    let one = writhe(1);
    assert!(one.iter().filter(|pairs| !pairs.is_empty()).count() > 8);
    for threads in [2, 3, 8] {
        assert_eq!(writhe(threads), one);
    }
}

/// A ball of `2 · n` by `n` squares about a place (m).
fn ball(n: u32, radius: f64, center: Vector3<f64>, turn: &UnitQuaternion<f64>) -> Arrays {
    let mut vertices = vec![Vector3::z(), -Vector3::z()];
    for ring in 1..n {
        let (sin, cos) = (std::f64::consts::PI * f64::from(ring) / f64::from(n)).sin_cos();
        for k in 0..2 * n {
            let (up, right) = (std::f64::consts::PI * f64::from(k) / f64::from(n)).sin_cos();
            vertices.push(Vector3::new(sin * right, sin * up, cos));
        }
    }
    let at = |ring: u32, k: u32| match ring {
        0 => 0,
        ring if ring == n => 1,
        ring => 2 + (ring - 1) * 2 * n + k % (2 * n),
    };
    let mut triangles = Vec::new();
    for ring in 0..n {
        for k in 0..2 * n {
            let [a, b, c, d] = [at(ring, k), at(ring + 1, k), at(ring + 1, k + 1), at(ring, k + 1)];
            triangles.extend((ring > 0).then_some([a, b, d]));
            triangles.extend((ring + 1 < n).then_some([b, c, d]));
        }
    }
    let place = |v: &Vector3<f64>| Point3::from(turn * v * radius + center).cast::<f32>();
    (vertices.iter().map(place).collect(), triangles)
}

/// Vertices (m) and triangles.
type Arrays = (Vec<Point3<f32>>, Vec<[u32; 3]>);

/// Several meshes as one.
fn joined(parts: &[Arrays]) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (own, faces) in parts {
        let first = vertices.len() as u32;
        vertices.extend(own);
        triangles.extend(faces.iter().map(|t| t.map(|v| v + first)));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// Two roofs of one mesh, the upper turned over and by a right angle, whose ridges cross with no vertex near: the overlap is all above
/// |x| + |y| = depth / slope, as high as depth − slope (|x| + |y|). Its volume is 2 depth³ / 3 slope².
#[test]
fn ridges_that_cross_without_a_vertex_inside_have_depth_and_volume() {
    let mut random = Random::new(8);
    for case in 0..cases(40) {
        let (depth, slope) = (0.05 + 0.1 * random.unit(), 0.5 + random.unit());
        let roof = |turn: UnitQuaternion<f64>, lift: f64| {
            let corner = |x: f64, y: f64| turn * Vector3::new(x, y, 0.5 * depth - slope * x.abs());
            let ends = [-1.3, 1.1].map(|y| [corner(-1.0, y), corner(1.0, y), corner(0.0, y)]);
            let faces =
                vec![[0, 1, 2], [4, 3, 5], [0, 3, 1], [1, 3, 4], [1, 4, 2], [2, 4, 5], [2, 5, 0], [0, 5, 3]];
            (ends.concat().into_iter().map(|p| p + Vector3::z() * lift).collect::<Vec<_>>(), faces)
        };
        let over = UnitQuaternion::from_euler_angles(0.0, std::f64::consts::PI, std::f64::consts::FRAC_PI_2);
        let (place, lift) = (random.rotation(), Vector3::from_fn(|_, _| random.signed()));
        let parts = [roof(UnitQuaternion::identity(), 0.0), roof(over, 0.0)].map(|(corners, faces)| {
            let moved = |p: &Vector3<f64>| Point3::from(place * p + lift).cast::<f32>();
            (corners.iter().map(moved).collect::<Vec<_>>(), faces)
        });
        let whole = joined(&parts);
        assert!(whole.is_closed());
        let shape = PreparedShape::new(&Shape::from(whole));
        let manifolds = shape.self_contacts(&QuerySettings::default()).unwrap();
        assert_eq!(manifolds.len(), 1, "case {case}: {manifolds:?}");
        let found = &manifolds[0];
        assert!(found.normal.dot(&(place * Vector3::z())) > 0.9999, "case {case}: {}", found.normal);
        // Lines are halved in on the deepest until they are a twelfth of 2⁻⁸ of the contour's breadth apart.
        assert!((found.depth / depth - 1.0).abs() < 0.01, "case {case}: {} of {depth}", found.depth);
        let volume = 2.0 * depth.powi(3) / (3.0 * slope * slope);
        assert!((found.volume / volume - 1.0).abs() < 0.1, "case {case}: {} of {volume}", found.volume);
        let deepest = found.points.iter().map(|point| point.depth).fold(0.0, f64::max);
        assert_eq!(deepest, found.depth, "case {case}");
        let middle = Point3::from(lift);
        let place_of = |point: &ContactPoint| (point.position - middle).norm();
        assert!(found.points.iter().all(|point| place_of(point) < 2.0 * depth / slope), "case {case}");
    }
}

/// Two balls in one mesh have the contours of two meshes, and their contact is known in closed form.
#[test]
fn balls_of_one_mesh_have_the_contours_and_contacts_of_two() {
    let mut random = Random::new(5);
    for case in 0..cases(30) {
        let (axis, depth) = (random.direction(), 0.02 + 0.1 * random.unit());
        let middle = Vector3::from_fn(|_, _| random.signed());
        let half = axis * (0.5 - 0.5 * depth);
        let parts = [-half, half].map(|at| ball(20, 0.5, middle + at, &random.rotation()));
        let whole = joined(&parts);
        assert!(whole.is_closed());
        let shape = PreparedShape::new(&Shape::from(whole));
        let two = parts.clone().map(|(vertices, triangles)| TriMesh::new(vertices, triangles).unwrap());
        let [a, b] = two.map(|mesh| PreparedShape::new(&Shape::from(mesh)));
        let here = Isometry3::identity();
        let pair = PairQuery::between(&a, &b);
        let (own, of_two) = (shape.self_contours(), pair.contours(&here, &here).unwrap());
        assert_eq!(own.len(), of_two.len(), "case {case}");
        for (p, q) in own.iter().zip(&of_two) {
            assert!(p.closed && q.closed);
            assert!((p.length - q.length).abs() < 1e-9, "case {case}: {} {}", p.length, q.length);
            assert!((p.area - q.area).norm() < 1e-9, "case {case}: {} {}", p.area, q.area);
            assert_eq!(p.points.len(), q.points.len(), "case {case}");
        }
        let manifolds = shape.self_contacts(&QuerySettings::default()).unwrap();
        assert_eq!(manifolds.len(), 1, "case {case}: {manifolds:?}");
        let found = &manifolds[0];
        assert!(found.normal.dot(&axis) > 0.9999, "case {case}: {} {axis}", found.normal);
        // What is missing at most where neither ball has a vertex in the middle.
        let facets = 2.0 * 0.5 * (1.0 - (std::f64::consts::PI / 40.0).cos());
        let missing = depth - found.depth;
        assert!(
            (-1e-6..2.0 * facets + 0.1 * depth).contains(&missing),
            "case {case}: {} {depth}",
            found.depth
        );
        for point in &found.points {
            assert!(point.depth > 0.0 && point.depth <= found.depth);
            let [p, q] = [&point.local_a, &point.local_b].map(|p| p.coords.cast::<f64>());
            assert!(((p - q).dot(&found.normal) - point.depth).abs() < 1e-6, "case {case}");
        }
        let expected = pair.contacts(&here, &here).unwrap();
        assert!(expected[0].normal.dot(&found.normal) > 0.999, "case {case}");
        let force = pair.at(&here, &here).unwrap().force;
        assert!((force - found.force).norm() < 1e-6 * found.area, "case {case}: {force} {}", found.force);
    }
}

/// A tube that is bent until its ends pass through each other, between whose strips the contact is.
#[test]
fn a_bent_tube_has_a_contact_between_its_ends() {
    let (along, across, radius) = (80u32, 16u32, 0.1);
    let mut vertices = Vec::new();
    for ring in 0..=along {
        // A turn and a little more, rising by less than twice the radius.
        let share = f64::from(ring) / f64::from(along);
        let (sin, cos) = (std::f64::consts::TAU * 1.05 * share).sin_cos();
        let (out, up) = (Vector3::new(cos, sin, 0.0), Vector3::z());
        for k in 0..across {
            let (s, c) = (std::f64::consts::TAU * f64::from(k) / f64::from(across)).sin_cos();
            vertices.push(
                Point3::from(out * (0.6 + radius * c) + up * (0.17 * share + radius * s)).cast::<f32>(),
            );
        }
    }
    let at = |ring: u32, k: u32| ring * across + k % across;
    let mut triangles = Vec::new();
    for ring in 0..along {
        for k in 0..across {
            let [a, b, c, d] = [at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)];
            triangles.extend([[a, b, d], [b, c, d]]);
        }
    }
    for k in 1..across - 1 {
        triangles.push([at(0, 0), at(0, k + 1), at(0, k)]);
        triangles.push([at(along, 0), at(along, k), at(along, k + 1)]);
    }
    let tube = TriMesh::new(vertices, triangles).unwrap();
    assert!(tube.is_closed());
    let shape = PreparedShape::new(&Shape::from(tube));
    assert!(shape.self_contours().iter().all(|line| line.closed));
    let manifolds = shape.self_contacts(&QuerySettings::default()).unwrap();
    assert_eq!(manifolds.len(), 1, "{manifolds:?}");
    let found = &manifolds[0];
    // The first strip lies under the last, which has climbed by 0.17 of 0.2 m.
    assert!(found.normal.z.abs() > 0.9, "{found:?}");
    assert!((0.015..0.06).contains(&found.depth), "{found:?}");
}

/// Whatever becomes of a mesh, its contacts are numbers, and there are some only where it meets itself.
#[test]
fn contacts_of_deformed_meshes_are_sound_and_world_and_query_agree() {
    let (meshes, mut random) = (meshes(), Random::new(21));
    let mut world = World::builder().backend(Backend::Cpu).threads(2).build().unwrap();
    let shapes = meshes.clone().map(|mesh| world.add_shape(mesh).unwrap());
    let ids = shapes
        .map(|shape| world.add_collider(Collider::new(shape).collides_with_itself(true)).unwrap())
        .map(|id| (id, false));
    let mut ids = ids;
    let (mut found, mut changes) = (0, 0);
    for step in 0..cases(60) {
        for k in 0..4 {
            let at =
                if step % 5 == 4 { meshes[k].vertices().to_vec() } else { places(&meshes[k], &mut random) };
            world.set_vertices(shapes[k], &at).unwrap();
        }
        world.step();
        for (k, (id, met)) in ids.iter_mut().enumerate() {
            let manifolds = world.self_manifolds(*id).unwrap();
            let pairs = world.self_contacts(*id).unwrap();
            assert!(manifolds.is_empty() || !pairs.is_empty());
            for manifold in manifolds {
                assert_eq!(manifold.colliders, [*id; 2]);
                assert!((manifold.normal.norm() - 1.0).abs() < 1e-9, "{manifold:?}");
                assert!(manifold.depth >= 0.0 && manifold.depth.is_finite() && !manifold.points.is_empty());
                assert!(manifold.points.iter().all(|p| p.position.iter().all(|x| x.is_finite())));
            }
            let Shape::Mesh(mesh) = world.shape(shapes[k]).unwrap() else { panic!("it is a mesh") };
            let fresh = PreparedShape::new(&Shape::Mesh(Arc::clone(mesh)));
            let fresh = fresh.self_contacts(&QuerySettings::default()).unwrap();
            let places = |manifolds: &[Manifold]| -> Vec<(Vector3<f64>, f64)> {
                manifolds.iter().map(|m| (m.normal, m.depth)).collect()
            };
            assert_eq!(places(manifolds), places(&fresh), "step {step}, mesh {k}");
            found += manifolds.len();
            let events: Vec<_> = world.self_events().iter().filter(|event| event.collider == *id).collect();
            let expected = match (*met, !pairs.is_empty()) {
                (false, true) => vec![ContactPhase::Begin],
                (true, false) => vec![ContactPhase::End],
                _ => vec![],
            };
            assert_eq!(events.iter().map(|event| event.phase).collect::<Vec<_>>(), expected, "step {step}");
            changes += expected.len();
            *met = !pairs.is_empty();
        }
    }
    println!("{found} manifolds, {changes} events");
    assert!(found > cases(60) && changes > 4, "{found} {changes}");
    // One that is removed ceases to meet itself.
    let met: Vec<_> = ids.iter().filter(|(_, met)| *met).map(|(id, _)| *id).collect();
    met.iter().for_each(|&id| world.remove_collider(id).unwrap());
    world.step();
    let ended: Vec<_> = world.self_events().iter().map(|event| (event.collider, event.phase)).collect();
    assert_eq!(ended, met.iter().map(|&id| (id, ContactPhase::End)).collect::<Vec<_>>());
}

/// Two balls of one mesh are pressed together a little more in every step.
#[test]
fn points_keep_their_keys_while_a_mesh_deforms() {
    let turn = UnitQuaternion::from_euler_angles(0.3, 0.2, 0.1);
    let at =
        |depth: f64| joined(&[-0.5, 0.5].map(|x| ball(20, 0.5, Vector3::x() * (x * (1.0 - depth)), &turn)));
    let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
    let shape = world.add_shape(at(0.05)).unwrap();
    let id = world.add_collider(Collider::new(shape).collides_with_itself(true)).unwrap();
    world.step();
    let keys = |world: &World| -> Vec<u64> {
        let manifolds = world.self_manifolds(id).unwrap();
        manifolds.iter().flat_map(|m| &m.points).map(|p| p.key).collect()
    };
    let first = keys(&world);
    assert!(!first.is_empty());
    for step in 1..10 {
        world.set_vertices(shape, at(0.05 + 1e-5 * f64::from(step)).vertices()).unwrap();
        world.step();
        assert_eq!(keys(&world), first, "step {step}");
    }
}
