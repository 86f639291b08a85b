//! CULLIDE: no pair that touches is lost.

use std::collections::{BTreeMap, BTreeSet};

use impinge_exact::intersect::{IntersectScratch, Surfaces, triangle_pairs};
use impinge_geometry::{PairFrame, TriMesh};
use impinge_midphase::ObbTree;
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Vector3};

use super::super::*;
use super::placements::{ExactPair, compare};
use crate::coverage::cover_dilated;
use crate::view::View;

fn set(bodies: &[ClassicBody<'_>], pixels: u32, dilated: bool) -> PotentialSet {
    let settings = CullideSettings { pixels, dilated, rounds: 3 };
    cullide(bodies, settings, &mut FrameBuffer::default()).unwrap()
}

#[test]
fn with_dilation_no_pair_is_missed() {
    let needles = || ExactPair::new(box_mesh([0.004, 0.003, 0.9]), box_mesh([0.9, 0.002, 0.005]));
    let rings = || ExactPair::new(torus(1.0, 0.1, 24, 8), torus(1.0, 0.1, 24, 8));
    let nested = || ExactPair::new(box_mesh([1.0; 3]), sphere_mesh(0.2, 8, 5));
    let pairs: [(&str, &dyn Fn() -> ExactPair); 3] =
        [("needles", &needles), ("rings", &rings), ("nested", &nested)];
    for (name, pair) in pairs {
        for pixels in [16, 64] {
            let errors = compare(&mut pair(), 300, |b| set(b, pixels, true).bodies.len() == 2);
            println!("cullide {name} {pixels}: {errors:?}");
            assert_eq!(errors.missed, 0, "{name} {pixels}: {errors:?}");
            assert!(errors.touching > 2 && errors.falsely < 300 - errors.touching, "{errors:?}");
        }
    }
    // Without dilation it does miss some: the test above can fail.
    let errors = compare(&mut needles(), 1000, |b| set(b, 16, false).bodies.len() == 2);
    assert!(errors.missed > 0, "{errors:?}");
}

/// A crowd of tetrahedra and tori, and its pairs that touch.
fn crowd(count: usize, spread: f64, seed: u64) -> (Vec<TriMesh>, Vec<Isometry3<f64>>, Vec<[u32; 2]>) {
    let mut random = Random::new(seed);
    let kinds = [box_mesh([0.3, 0.2, 0.1]), torus(0.3, 0.1, 12, 6), sphere_mesh(0.25, 8, 5)];
    let meshes: Vec<TriMesh> = (0..count).map(|k| kinds[k % 3].clone()).collect();
    let poses: Vec<_> = (0..count)
        .map(|_| {
            let at = Vector3::from([0, 1, 2].map(|_| random.signed() * spread));
            Isometry3::from_parts(at.into(), random.rotation())
        })
        .collect();
    let mut touching = Vec::new();
    for a in 0..count {
        for b in a + 1..count {
            if (poses[a].translation.vector - poses[b].translation.vector).norm() < 0.9 {
                let mut pair = ExactPair::new(meshes[a].clone(), meshes[b].clone());
                if pair.touches(&[poses[a], poses[b]]) {
                    touching.push([a as u32, b as u32]);
                }
            }
        }
    }
    (meshes, poses, touching)
}

#[test]
fn the_set_of_a_crowd_holds_every_pair_that_touches() {
    let mut culled = 0;
    for (seed, spread) in [(1, 1.0), (2, 1.5), (3, 3.0), (4, 6.0)] {
        let (meshes, poses, touching) = crowd(40, spread, seed);
        let bodies: Vec<_> = meshes.iter().zip(&poses).map(|(m, p)| ClassicBody::new(m, p)).collect();
        let set = set(&bodies, 128, true);
        assert_eq!(set.filter(&touching), touching, "no pair is lost");
        assert!(spread > 2.0 || !touching.is_empty());
        culled += 40 - set.bodies.len();
        // And of its parts: one for each triangle.
        let parts: Vec<Vec<u32>> = meshes.iter().map(|m| (0..m.triangles().len() as u32).collect()).collect();
        let settings = CullideSettings { pixels: 128, ..CullideSettings::default() };
        let fine = cullide_parts(&bodies, &parts, settings, &mut FrameBuffer::default()).unwrap();
        let mut scratch = IntersectScratch::default();
        for [a, b] in &touching {
            let [a, b] = [*a as usize, *b as usize];
            let trees = [ObbTree::build(&meshes[a]), ObbTree::build(&meshes[b])];
            let frame = PairFrame::new(&poses[a], &poses[b]);
            let surfaces = Surfaces {
                meshes: [(&meshes[a]).into(), (&meshes[b]).into()],
                trees: trees.each_ref(),
                frame: &frame,
            };
            let mut pairs = Vec::new();
            triangle_pairs(&surfaces, &mut scratch, &mut pairs);
            for [s, t] in pairs {
                assert!(fine.parts.binary_search(&[a as u32, s]).is_ok());
                assert!(fine.parts.binary_search(&[b as u32, t]).is_ok());
            }
        }
    }
    assert!(culled > 30, "{culled}");
}

#[test]
fn bodies_that_are_apart_leave_the_set() {
    let ball = sphere_mesh(0.3, 12, 8);
    let poses: Vec<_> = (0..27)
        .map(|k| Isometry3::translation(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9)))
        .collect();
    let bodies: Vec<_> = poses.iter().map(|p| ClassicBody::new(&ball, p)).collect();
    // Each view takes off what nothing is before: of a lattice a layer, so that it is gone after three views.
    assert_eq!(set(&bodies, 256, true).bodies, [0u32; 0]);
    let once = CullideSettings { pixels: 256, dilated: true, rounds: 1 };
    let found = cullide(&bodies, once, &mut FrameBuffer::default()).unwrap();
    assert_eq!((found.bodies.len(), found.passes), (8, 6));
    // In a plane all are seen.
    assert_eq!(set(&bodies[..9], 256, true).bodies, [0u32; 0]);
    assert_eq!(set(&[], 64, true), PotentialSet::default());
}

/// A strip of cloth that is folded over, its triangles in rows of parts.
fn folded(at: f32) -> (TriMesh, Vec<u32>) {
    let (n, m) = (24u32, 6u32);
    let mut vertices = Vec::new();
    for i in 0..=n {
        for j in 0..=m {
            // Around a bend and down through the first end.
            let a = i as f32 / n as f32 * 5.5;
            let r = 1.0 - at * i as f32 / n as f32;
            vertices.push(Point3::new(r * a.cos(), j as f32 * 0.1 + 0.013 * a, r * a.sin() * 0.5));
        }
    }
    let (mut triangles, mut parts) = (Vec::new(), Vec::new());
    for i in 0..n {
        for j in 0..m {
            let p = |i: u32, j: u32| i * (m + 1) + j;
            let [a, b, c, d] = [p(i, j), p(i + 1, j), p(i + 1, j + 1), p(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
            parts.extend([i / 2 * m + j; 2]);
        }
    }
    (TriMesh::new(vertices, triangles).unwrap(), parts)
}

fn culled_self(meshes: &[ClassicBody<'_>], parts: &[Vec<u32>], settings: CullideSettings) -> PotentialSet {
    cullide_self(meshes, parts, settings, &mut FrameBuffer::default()).unwrap()
}

/// Which parts stay by the definition alone: those that in each view share a pixel with a part that shares no vertex with
/// them, and are behind or at it there.
fn left_by_definition(
    mesh: &TriMesh,
    pose: &Isometry3<f64>,
    parts: &[u32],
    settings: CullideSettings,
) -> Vec<u32> {
    let body = ClassicBody::new(mesh, pose);
    let count = *parts.iter().max().unwrap() as usize + 1;
    let vertices = |part: usize| -> BTreeSet<u32> {
        let own = mesh.triangles().iter().zip(parts).filter(|(_, p)| **p as usize == part);
        own.flat_map(|(t, _)| *t).collect()
    };
    let vertices: Vec<_> = (0..count).map(vertices).collect();
    let mut left: Vec<u32> = (0..count as u32).collect();
    for _ in 0..settings.rounds {
        for axis in 0..3 {
            let [min, max] = crate::ldi::world_box(mesh, pose).unwrap();
            let view = View::around(min, max, Vector3::ith(axis, 1.0), [settings.pixels; 2]).unwrap();
            let lattice = LatticeBody::new(&body, &view).unwrap();
            let mut depths = vec![BTreeMap::new(); count];
            for (t, &part) in parts.iter().enumerate() {
                cover_dilated(
                    &view.grid(),
                    &lattice.corners(t),
                    &lattice.slopes()[t],
                    |pixel, [near, far]| {
                        let held = |depth: i64| depth.clamp(0, i64::from(crate::ldi::LAST_DEPTH));
                        let own = depths[part as usize].entry(pixel).or_insert((i64::MAX, i64::MIN));
                        *own = (own.0.min(held(near)), own.1.max(held(far)));
                    },
                );
            }
            let hidden = |&a: &u32| {
                left.iter().any(|&b| {
                    let [a, b] = [a, b].map(|part| part as usize);
                    let behind = |(pixel, of): (&usize, &(i64, i64))| {
                        depths[b].get(pixel).is_some_and(|(near, _)| *near <= of.1)
                    };
                    a != b && vertices[a].is_disjoint(&vertices[b]) && depths[a].iter().any(behind)
                })
            };
            left = left.iter().copied().filter(hidden).collect();
        }
    }
    left
}

#[test]
fn the_set_of_one_mesh_is_the_one_of_the_definition() {
    let (mut kept, mut culled) = (0, 0);
    for at in [0.0, 0.4, 0.9, 2.0] {
        let (mesh, parts) = folded(at);
        let pose = Isometry3::from_parts(Vector3::new(0.3, 0.1, -0.2).into(), Random::new(5).rotation());
        for pixels in [40, 150] {
            let settings = CullideSettings { pixels, rounds: 1, ..CullideSettings::default() };
            let wanted = left_by_definition(&mesh, &pose, &parts, settings);
            let set = culled_self(&[ClassicBody::new(&mesh, &pose)], std::slice::from_ref(&parts), settings);
            let found: Vec<u32> = set.parts.iter().map(|part| part[1]).collect();
            assert_eq!(found, wanted, "{at} {pixels}");
            kept += found.len();
            culled += 72 - found.len();
        }
    }
    assert!(kept > 30 && culled > 100, "{kept} {culled}");
}

#[test]
fn parts_of_several_meshes_are_no_neighbours() {
    let (ring, ball) = (torus(1.0, 0.2, 16, 8), sphere_mesh(0.3, 10, 6));
    let poses =
        [Isometry3::identity(), Isometry3::translation(1.0, 0.0, 0.1), Isometry3::translation(0.0, 0.0, 3.0)];
    let meshes = [
        ClassicBody::new(&ring, &poses[0]),
        ClassicBody::new(&ball, &poses[1]),
        ClassicBody::new(&ball, &poses[2]),
    ];
    let shells: Vec<Vec<u32>> = meshes
        .iter()
        .map(|body| (0..body.mesh.triangles().len() as u32).map(|t| body.mesh.shell_of(t)).collect())
        .collect();
    let set = culled_self(&meshes, &shells, CullideSettings::default());
    assert_eq!((set.bodies, set.parts), (vec![0, 1], vec![[0, 0], [1, 0]]));
    assert_eq!(culled_self(&[], &[], CullideSettings::default()), PotentialSet::default());
    let refused =
        cullide_self(&meshes, &shells[1..], CullideSettings::default(), &mut FrameBuffer::default());
    assert_eq!(refused.unwrap_err().to_string(), "2 lists of parts: give 3");
}

#[test]
fn parts_of_one_mesh_that_touch_are_in_its_set() {
    let mut found = 0;
    for at in [0.0, 0.2, 0.5, 0.9, 1.6, 2.0] {
        let (mesh, parts) = folded(at);
        let pose = Isometry3::translation(0.3, 0.1, -0.2);
        let settings = CullideSettings { pixels: 256, ..CullideSettings::default() };
        let set = culled_self(&[ClassicBody::new(&mesh, &pose)], std::slice::from_ref(&parts), settings);
        let count = *parts.iter().max().unwrap() as usize + 1;
        // Exactly: all pairs of triangles of the mesh with itself.
        let tree = ObbTree::build(&mesh);
        let frame = PairFrame::new(&pose, &pose);
        let surfaces = Surfaces { meshes: [(&mesh).into(); 2], trees: [&tree; 2], frame: &frame };
        let mut pairs = Vec::new();
        triangle_pairs(&surfaces, &mut IntersectScratch::default(), &mut pairs);
        let share = |a: u32, b: u32| {
            let of = |part: u32| {
                let own = mesh.triangles().iter().zip(&parts).filter(move |(_, p)| **p == part);
                own.flat_map(|(t, _)| *t).collect::<Vec<_>>()
            };
            let other = of(b);
            of(a).iter().any(|v| other.contains(v))
        };
        for [s, t] in pairs {
            let (a, b) = (parts[s as usize], parts[t as usize]);
            if a != b && !share(a, b) {
                found += 1;
                assert!(set.parts.binary_search(&[0, a]).is_ok() && set.parts.binary_search(&[0, b]).is_ok());
            }
        }
        println!("self {at}: {} of {count} parts", set.parts.len());
        assert!(set.parts.len() < count, "at least some are culled");
    }
    assert!(found > 20, "{found}");
}
