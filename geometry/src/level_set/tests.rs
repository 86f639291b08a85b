//! The level set against the mesh of the same triangles and against closed forms, and edits against new level sets of the same values.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;
use proptest::prelude::*;

use super::pyramid::places;
use super::*;
use crate::mesh::NO_FACE;
use crate::{Primitive, TriMesh};

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Values of any sign at every sample within the border, some zero, some huge or tiny beside their neighbours.
fn noise(size: [u32; 3], inside: f64, seed: u64) -> Vec<f32> {
    let mut random = Numbers(seed | 1);
    places([[0; 3], size.map(|n| n - 1)])
        .map(|at| {
            let size_of = match (random.unit() * 8.0) as u32 {
                0 => 1e-20,
                1 => 1e20,
                _ => random.unit(),
            };
            let border = (0..3).any(|k| at[k] == 0 || at[k] + 1 == size[k]);
            let value = if random.unit() < 0.1 { 0.0 } else { size_of };
            if !border && random.unit() < inside { -value as f32 } else { value as f32 }
        })
        .collect()
}

/// Everything that numbers say of triangles and edges, against what the mesh found out.
fn check_numbers(set: &LevelSet) {
    let LevelMesh { mesh, triangles } = set.to_mesh().unwrap();
    assert!(mesh.is_closed() && mesh.report().defects.is_empty(), "{:?}", mesh.report());
    let all: BTreeSet<u32> = (0..set.triangle_bound()).filter(|&t| set.has_triangle(t)).collect();
    assert_eq!(all.iter().copied().collect::<Vec<_>>(), triangles);
    assert_eq!(set.triangles().collect::<Vec<_>>(), triangles);
    let used: BTreeSet<u32> = triangles.iter().flat_map(|&t| set.vertices_of(t)).collect();
    let vertices: BTreeSet<u32> = (0..set.vertex_bound()).filter(|&v| set.has_vertex(v)).collect();
    assert_eq!(used, vertices, "every crossed edge has a vertex, and no other has");
    let mut edge_of = BTreeMap::new();
    for (own, &t) in triangles.iter().enumerate() {
        assert_eq!(mesh.corners(own as u32), set.corners(t));
        let (vertices, edges) = (set.vertices_of(t), set.edges_of(t));
        for k in 0..3 {
            let own_edge = mesh.triangle_edges()[own][k];
            let edge = set.edge(edges[k]);
            assert!(edges[k] < set.edge_bound());
            let (p, q) = (vertices[k], vertices[(k + 1) % 3]);
            assert_eq!(edge.vertices, [p.min(q), p.max(q)], "edge {k} of {t}");
            assert_eq!(*edge_of.entry(own_edge).or_insert(edges[k]), edges[k]);
            let faces: Vec<u32> = set.edge_faces(edges[k]).to_vec();
            let expected: Vec<u32> =
                mesh.edge_faces(own_edge).iter().map(|&face| triangles[face as usize]).collect();
            assert_eq!(faces, expected, "edge {k} of {t}");
            assert_eq!(edge.faces, [expected[0], expected.get(1).copied().unwrap_or(NO_FACE)]);
            assert_eq!(faces.len(), 2);
        }
    }
    let distinct: BTreeSet<u32> = edge_of.values().copied().collect();
    assert_eq!(distinct.len(), edge_of.len(), "two edges have one number");
    check_shells(set, &mesh, &triangles);
    let (aabb, own) = (mesh.aabb(), set.aabb());
    assert!(own.contains(&aabb));
    assert!((0..3).all(|k| own.max[k] - aabb.max[k] <= 1.001 * set.spacing[k]));
    assert!((0..3).all(|k| aabb.min[k] - own.min[k] <= 1.001 * set.spacing[k]));
    let (of_mesh, of_set) = (mesh.mass_properties(), set.mass_properties());
    assert_eq!(of_mesh.is_ok(), of_set.is_ok());
    if let (Ok(of_mesh), Ok(of_set)) = (of_mesh, of_set) {
        assert!((of_set.volume / of_mesh.volume - 1.0).abs() < 1e-4);
    }
}

/// Shells part the triangles as the mesh's do, and what stands for a shell is of it.
fn check_shells(set: &LevelSet, mesh: &TriMesh, triangles: &[u32]) {
    assert_eq!(set.shells().len(), mesh.shells().len());
    assert_eq!(set.components().len(), set.shells().len());
    let mut names = BTreeMap::new();
    for (own, &t) in triangles.iter().enumerate() {
        let shell = set.shell_of(t);
        assert_eq!(*names.entry(mesh.shell_of(own as u32)).or_insert(shell), shell, "triangle {t}");
    }
    let distinct: BTreeSet<u32> = names.values().copied().collect();
    assert_eq!(distinct.len(), names.len());
    for (shell, (&t, &vertex)) in (0..).zip(set.shells().iter().zip(set.components())) {
        assert!(set.has_triangle(t) && set.shell_of(t) == shell);
        let of = triangles.iter().find(|&&t| set.vertices_of(t).contains(&vertex));
        assert_eq!(of.map(|&t| set.shell_of(t)), Some(shell));
    }
}

/// The blocks hold their samples, tightly.
fn check_levels(set: &LevelSet) {
    for level in 0..=set.top_level() {
        let blocks = set.blocks(level);
        for at in places([[0; 3], blocks.map(|n| n - 1)]) {
            let bits = BLOCK_BITS + level as u32;
            let first = at.map(|n| n << bits);
            let last = std::array::from_fn(|k| ((at[k] + 1) << bits).min(set.size[k] - 1));
            let values = places([first, last]).map(|at| set.value(at));
            let expected =
                values.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)]);
            assert_eq!(set.bounds(level, at), expected, "level {level}, {at:?}");
        }
    }
}

/// A function sampled over a cube of twice the reach.
fn sampled(cells: u32, reach: f64, function: impl Fn(&Point3<f64>) -> f64) -> LevelSet {
    let spacing = (2.0 * reach / f64::from(cells)) as f32;
    let settings = LevelSetSettings { spacing: [spacing; 3], origin: [-reach as f32; 3] };
    LevelSet::from_function([cells + 1; 3], &settings, function).unwrap()
}

fn ball(p: &Point3<f64>) -> f64 {
    p.coords.norm() - 1.0
}

fn torus(p: &Point3<f64>) -> f64 {
    (p.x.hypot(p.y) - 0.8).hypot(p.z) - 0.3
}

/// One side of a gyroid, within a ball.
fn gyroid(p: &Point3<f64>) -> f64 {
    let q = p * 5.0;
    let wave = q.x.sin() * q.y.cos() + q.y.sin() * q.z.cos() + q.z.sin() * q.x.cos();
    // About a distance.
    (wave / 8.0).max(p.coords.norm() - 1.1)
}

#[test]
fn tables_are_those_of_six_tetrahedra() {
    for tet in 0..kuhn::TETRAHEDRA {
        for missing in 0..4 {
            let (step, other) = kuhn::across(tet, missing);
            let (back, own) = (0..4)
                .map(|m| (kuhn::across(other, m), m))
                .find(|((step_back, own), _)| {
                    *own == tet && step_back.map(|(axis, forward)| (axis, !forward)) == step
                })
                .map(|((_, own), missing)| (missing, own))
                .unwrap();
            assert_eq!(own, tet);
            assert_eq!(kuhn::across(other, back).1, tet);
        }
    }
    let mut random = Numbers(5);
    for _ in 0..1000 {
        let part = [random.unit(), random.unit(), random.unit()];
        let corners = kuhn::CORNERS[kuhn::holding(part)];
        // Its part of the way falls from step to step.
        let along: Vec<f64> =
            (1..4).map(|n| part[(corners[n] ^ corners[n - 1]).trailing_zeros() as usize]).collect();
        assert!(along.windows(2).all(|pair| pair[0] >= pair[1]));
    }
}

#[test]
fn balls_tori_and_gyroids_are_off_by_the_square_of_the_spacing() {
    let volumes = [(ball as fn(&Point3<f64>) -> f64, 4.0 / 3.0 * PI), (torus, TAU * 0.8 * PI * 0.09)];
    for (function, volume) in volumes {
        let errors: Vec<[f64; 2]> = [16, 32, 64]
            .map(|cells| {
                let set = sampled(cells, 1.3, function);
                let far = set.triangles().flat_map(|t| set.corners(t)).map(|p| function(&p.cast()).abs());
                [set.mass_properties().unwrap().volume / volume - 1.0, far.fold(0.0, f64::max)]
            })
            .to_vec();
        for pair in errors.windows(2) {
            for (coarse, fine) in pair[0].iter().zip(pair[1]) {
                let ratio = fine.abs() / coarse.abs();
                assert!((0.2..0.34).contains(&ratio), "{errors:?}");
            }
        }
    }
    // No closed form: corners are near the function's zero, by the square of the spacing, away from the edge of the ball.
    let off = [48, 96].map(|cells| {
        let set = sampled(cells, 1.3, gyroid);
        let corners = set.triangles().flat_map(|t| set.corners(t)).map(|p| p.cast::<f64>());
        let smooth = corners.filter(|p| p.coords.norm() < 0.9);
        smooth.map(|p| gyroid(&p).abs()).fold(0.0, f64::max)
    });
    assert!(off[1] < 0.35 * off[0] && off[0] < 0.01, "{off:?}");
}

#[test]
fn distances_of_a_mesh_have_its_volume() {
    let block = Primitive::Cuboid { half: [0.5, 0.3, 0.2] }.surface().unwrap();
    // Faces of the first are in planes of samples, of the second between them.
    for spacing in [0.05, 0.043] {
        let set = LevelSet::from_mesh(&block, spacing).unwrap();
        check_levels(&set);
        let volume = set.mass_properties().unwrap().volume;
        assert!((volume / 0.24 - 1.0).abs() < 0.02, "{spacing}: {volume}");
        for at in places([[0; 3], set.size().map(|n| n - 1)]) {
            let p = Point3::from(std::array::from_fn(|k| set.along(k, at[k] as f32))).cast::<f64>();
            let over = Vector3::from_fn(|k, _| p[k].abs() - f64::from([0.5f32, 0.3, 0.2][k]));
            let expected = over.sup(&Vector3::zeros()).norm() + over.max().min(0.0);
            let far = 3.0 * f64::from(spacing);
            assert!((f64::from(set.value(at)) - expected.clamp(-far, far)).abs() < 1e-6, "{p}: {expected}");
        }
    }
    let ring = crate::fixtures::torus(0.8, 0.3, 48, 32);
    let set = LevelSet::from_mesh(&ring, 0.04).unwrap();
    let expected = ring.mass_properties().unwrap().volume;
    assert!((set.mass_properties().unwrap().volume / expected - 1.0).abs() < 0.01);
    let mut random = Numbers(7);
    for _ in 0..300 {
        let p = Point3::from(Vector3::from_fn(|_, _| 1.2 * (2.0 * random.unit() - 1.0)));
        if torus(&p).abs() > 0.03 {
            assert_eq!(set.holds(&p), ring.winding_number(&p) > 0.5, "{p}");
        }
    }
}

#[test]
fn shells_nest_and_stand_beside_each_other() {
    // A hollow ball and one in it.
    let nested = sampled(40, 1.3, |p| {
        let r = p.coords.norm();
        (r - 1.0).max(0.7 - r).min(r - 0.3)
    });
    assert_eq!(nested.shells().len(), 3);
    check_numbers(&nested);
    for (r, inside) in [(0.1, true), (0.5, false), (0.85, true), (1.1, false)] {
        let p = Point3::from(Vector3::new(0.5, 0.4, -0.7).normalize() * r);
        assert_eq!(nested.holds(&p), inside, "{r}");
    }
}

#[test]
fn quantized_samples_are_what_they_say() {
    let step = 1.0 / 4096.0;
    let values: Vec<i16> =
        (0..1000).map(|k| (k * 7_919 % 3_001) as i16 - if inner(k) { 2_000 } else { 0 }).collect();
    let usual = LevelSetSettings::default();
    let set = LevelSet::quantized([10; 3], values.clone(), step, &usual).unwrap();
    let same = LevelSet::new([10; 3], values.iter().map(|&q| step * f32::from(q)).collect(), &usual).unwrap();
    check_numbers(&set);
    assert_eq!(set.triangles().collect::<Vec<_>>(), same.triangles().collect::<Vec<_>>());
    assert!(same.triangles().all(|t| same.corners(t) == set.corners(t)));
    assert!(set.bytes() < same.bytes());
}

fn inner(k: usize) -> bool {
    [k % 10, k / 10 % 10, k / 100].iter().all(|i| (1..9).contains(i))
}

#[test]
fn what_is_no_level_set_is_refused() {
    use LevelSetError as E;
    let usual = LevelSetSettings::default();
    let mut values = vec![1.0f32; 64];
    values[21] = -1.0;
    let new = |size, values: &[f32], settings: &LevelSetSettings| {
        LevelSet::new(size, values.to_vec(), settings).map(|_| ()).unwrap_err()
    };
    assert!(LevelSet::new([4; 3], values.clone(), &usual).is_ok());
    assert!(matches!(new([2, 4, 4], &values[..32], &usual), E::Size { size: [2, 4, 4] }));
    assert!(matches!(new([4, 2000, 4], &values, &usual), E::Size { .. }));
    assert!(matches!(new([1024, 1024, 129], &values, &usual), E::Size { .. }));
    assert!(matches!(new([4; 3], &values[..60], &usual), E::Count { given: 60, expected: 64, .. }));
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e30, 1e-32] {
        let settings = LevelSetSettings { spacing: [1.0, bad, 1.0], ..usual.clone() };
        assert!(matches!(new([4; 3], &values, &settings), E::Spacing { axis: "y", .. }), "{bad}");
    }
    for bad in [f32::NAN, f32::INFINITY, 1e4, -4097.0] {
        let settings = LevelSetSettings { origin: [0.0, 0.0, bad], ..usual.clone() };
        assert!(matches!(new([4; 3], &values, &settings), E::Origin { axis: "z", .. }), "{bad}");
    }
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 2e30] {
        let mut values = values.clone();
        values[6] = bad;
        assert!(matches!(new([4; 3], &values, &usual), E::Value { sample: [2, 1, 0], .. }), "{bad}");
    }
    let mut border = values.clone();
    border[6] = -0.5;
    assert!(matches!(new([4; 3], &border, &usual), E::Border { sample: [2, 1, 0], value: -0.5 }));
    assert!(matches!(new([4; 3], &[1.0; 64], &usual), E::Empty));
    for step in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(LevelSet::quantized([4; 3], vec![0; 64], step, &usual), Err(E::Step { .. })));
    }
    assert!(matches!(
        LevelSet::from_function([4; 3], &usual, |_| f64::NAN),
        Err(E::Value { sample: [0, 0, 0], .. })
    ));
    let block = Primitive::Cuboid { half: [0.5; 3] }.surface().unwrap();
    let open = TriMesh::new(block.vertices().to_vec(), block.triangles()[1..].to_vec()).unwrap();
    assert!(matches!(LevelSet::from_mesh(&open, 0.1), Err(E::Soup { .. })));
    assert!(matches!(LevelSet::from_mesh(&block, 0.0), Err(E::Spacing { .. })));
    assert!(matches!(LevelSet::from_mesh(&block, f32::NAN), Err(E::Spacing { .. })));
    assert!(matches!(LevelSet::from_mesh(&block, 1e-4), Err(E::Size { .. })));
    let sheet = Primitive::Cuboid { half: [0.5, 0.5, 0.01] }.surface().unwrap();
    let shifted = sheet.vertices().iter().map(|p| p + Vector3::new(0.0, 0.0, 0.05)).collect();
    assert!(matches!(LevelSet::from_mesh(&sheet.with_vertices(shifted).unwrap(), 0.1), Err(E::Empty)));
}

#[test]
fn edits_that_cannot_be_taken_change_nothing() {
    use LevelSetError as E;
    let mut set = sampled(12, 1.3, ball);
    let before = format!("{set:?}");
    let mut refused = |first, count, values: &[f32]| set.set_values(first, count, values).unwrap_err();
    assert!(matches!(refused([12, 0, 0], [2, 1, 1], &[0.0; 2]), E::OutOfRange { .. }));
    assert!(matches!(refused([0, u32::MAX, 0], [1, 2, 1], &[0.0; 2]), E::OutOfRange { .. }));
    assert!(matches!(refused([1; 3], [2, 2, 1], &[0.0; 3]), E::Count { given: 3, expected: 4, .. }));
    assert!(matches!(refused([1; 3], [2, 1, 1], &[0.0, f32::NAN]), E::Value { sample: [2, 1, 1], .. }));
    assert!(matches!(refused([0; 3], [2, 1, 1], &[0.0, -1.0]), E::Border { sample: [1, 0, 0], .. }));
    assert!(matches!(refused([0; 3], [13; 3], &[1.0; 13 * 13 * 13]), E::Empty));
    assert!(matches!(set.set_quantized([0; 3], [1; 3], &[0]), Err(E::Form { .. })));
    assert_eq!(format!("{set:?}"), before);
}

#[test]
fn a_dent_leaves_shells_alone_and_a_cut_finds_them() {
    let mut set = sampled(24, 1.3, ball);
    let n = set.size();
    let carve = |set: &mut LevelSet, low: [u32; 3], high: [u32; 3]| {
        let count = std::array::from_fn(|k| high[k] - low[k] + 1);
        let values: Vec<f32> = places([low, high]).map(|at| set.value(at).max(0.05)).collect();
        set.set_values(low, count, &values).unwrap()
    };
    let dent = carve(&mut set, [11, 11, 19], [13, 13, 23]);
    assert!(!dent.shells_changed && set.shells().len() == 1);
    let cut = carve(&mut set, [0, 0, 12], [n[0] - 1, n[1] - 1, 13]);
    assert!(cut.shells_changed && set.shells().len() == 2);
    check_numbers(&set);
    let again = carve(&mut set, [12, 12, 3], [14, 13, 5]);
    assert!(!again.shells_changed && set.shells().len() == 2);
    check_numbers(&set);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn numbers_are_those_of_the_mesh(
        size in prop::array::uniform3(3u32..9),
        inside in 0.05f64..0.95,
        seed in any::<u64>(),
        scale in crate::fixtures::scale(),
        origin in prop::array::uniform3(-300.0f32..300.0),
    ) {
        let spacing = [scale as f32, 0.4 * scale as f32, 1.7 * scale as f32];
        let settings = LevelSetSettings { spacing, origin: origin.map(|x| x * scale as f32) };
        let Ok(set) = LevelSet::new(size, noise(size, inside, seed), &settings) else { return Ok(()) };
        check_numbers(&set);
        check_levels(&set);
        // What is inside by planes is inside by solid angles, away from the surface.
        let LevelMesh { mesh, .. } = set.to_mesh().unwrap();
        let mut random = Numbers(seed);
        for _ in 0..40 {
            let cell = std::array::from_fn(|k| (random.unit() * f64::from(size[k] - 1)) as u32);
            let off = Vector3::from_fn(|k, _| f64::from(spacing[k]) * 0.49 * (2.0 * random.unit() - 1.0));
            let p = set.middle_of(cell) + off;
            let winding = mesh.winding_number(&p);
            if (winding - winding.round()).abs() < 1e-6 {
                prop_assert_eq!(set.holds(&p), winding > 0.5, "{} {}", p, winding);
            }
        }
    }

    /// After edits the level set is what it would be if it were made of the values that it has.
    #[test]
    fn an_edited_level_set_is_one_made_of_its_values(
        size in prop::array::uniform3(5u32..14),
        inside in prop::sample::select(vec![0.02, 0.3, 0.97]),
        seed in any::<u64>(),
        edits in prop::collection::vec((prop::array::uniform3(0u32..14), prop::array::uniform3(0u32..6), any::<u64>(), 0.0f64..1.0), 1..8),
    ) {
        let usual = LevelSetSettings::default();
        let mut values = noise(size, inside, seed);
        let Ok(mut set) = LevelSet::new(size, values.clone(), &usual) else { return Ok(()) };
        for (first, count, seed, inside) in edits {
            let first: [u32; 3] = std::array::from_fn(|k| first[k].min(size[k] - 1));
            let count: [u32; 3] = std::array::from_fn(|k| count[k].min(size[k] - first[k]));
            let mut random = Numbers(seed | 1);
            let mut next = values.clone();
            let mut given = Vec::new();
            for k in 0..count[2] { for j in 0..count[1] { for i in 0..count[0] {
                let at = [first[0] + i, first[1] + j, first[2] + k];
                let border = (0..3).any(|k| at[k] == 0 || at[k] + 1 == size[k]);
                let value = random.unit() as f32;
                let value = if !border && random.unit() < inside { -value } else { value };
                given.push(value);
                next[set.index(at)] = value;
            }}}
            match (set.set_values(first, count, &given), LevelSet::new(size, next.clone(), &usual)) {
                (Ok(edit), Ok(made)) => {
                    check_levels(&set);
                    let LevelMesh { mesh, triangles } = made.to_mesh().unwrap();
                    prop_assert_eq!(set.triangles().collect::<Vec<_>>(), triangles.clone());
                    prop_assert_eq!(set.aabb(), made.aabb());
                    prop_assert!(triangles.iter().all(|&t| set.corners(t) == made.corners(t)));
                    check_shells(&set, &mesh, &triangles);
                    if count.iter().all(|&n| n > 0) {
                        prop_assert!(edit.changed.is_valid() && edit.changed.min[0] >= 0.0);
                    }
                    values = next;
                }
                (Err(edited), Err(made)) => prop_assert_eq!(edited, made),
                (edited, made) => prop_assert!(false, "{:?} {:?}", edited, made.map(|_| ())),
            }
        }
    }
}
