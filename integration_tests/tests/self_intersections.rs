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
