//! The filter attacked: whatever it is certain of must be so by the exact predicates, and every kind of
//! lanes must say the same.

use impinge_geometry::predicate::triangles_touch;
use impinge_geometry::{PairFrame, Side, SimdLevel, TriMesh};
use impinge_midphase::ObbTree;
use nalgebra::{Isometry3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::filter::{Filter, pairs};
use super::own_filter::OwnFilter;
use super::placed::Face;
use super::shift::Shift;
use super::{
    IntersectScratch, Intersections, LastHit, Surfaces, count_triangle_pairs, crossing, first_touch,
    intersect_surfaces, surfaces_touch, triangle_pairs,
};

/// Numbers from −1 to 1 that are the same everywhere.
struct Noise(u64);

impl Noise {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0;
        (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd)
    }

    fn below(&mut self, count: u64) -> u64 {
        (self.bits() >> 11) % count
    }

    fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (2.0 / 9_007_199_254_740_992.0) - 1.0
    }

    fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.signed())
    }

    /// A power of two, 2⁻ⁿ to 1.
    fn small(&mut self, n: u64) -> f64 {
        0.5f64.powi(self.below(n + 1) as i32)
    }
}

/// How the triangles of B are made from those of A.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Family {
    Generic,
    /// Some corners are A's.
    SharedCorners,
    /// Two corners of every triangle are A's.
    SharedEdges,
    /// All in one plane.
    Coplanar,
    /// Corners on A's faces and edges, up to rounding and a small step.
    OnFaces,
    /// Very thin.
    Needles,
    /// On a coarse lattice.
    Lattice,
    /// Exactly A's.
    Coincident,
}

const FAMILIES: [Family; 8] = [
    Family::Generic,
    Family::SharedCorners,
    Family::SharedEdges,
    Family::Coplanar,
    Family::OnFaces,
    Family::Needles,
    Family::Lattice,
    Family::Coincident,
];

type Triangle = [Vector3<f64>; 3];

fn triangle(noise: &mut Noise, family: Family) -> Triangle {
    let mut t = [noise.vector(), noise.vector(), noise.vector()];
    match family {
        Family::Needles => {
            let (share, width) = (noise.signed(), noise.small(22));
            t[2] = t[0] + (t[1] - t[0]) * share + noise.vector() * width;
        }
        Family::Coplanar => t.iter_mut().for_each(|v| v.z = 0.25),
        Family::Lattice => t.iter_mut().for_each(|v| *v = v.map(|x| (2.0 * x).round() * 0.5)),
        _ => {}
    }
    t
}

fn partner(noise: &mut Noise, family: Family, a: &[Triangle]) -> Triangle {
    let mut t = triangle(noise, family);
    let model = a[noise.below(a.len() as u64) as usize];
    match family {
        Family::SharedCorners => t[noise.below(3) as usize] = model[noise.below(3) as usize],
        Family::SharedEdges => (t[0], t[1]) = (model[1], model[0]),
        Family::OnFaces => {
            let [p, q, r] = model;
            let step = noise.vector() * (noise.small(50) * 0.1);
            t[0] = p + (q - p) * noise.signed() + (r - p) * noise.signed() + step;
            if noise.below(2) == 0 {
                t[1] = p + (q - p) * noise.signed();
            }
        }
        Family::Coincident => t = model,
        _ => {}
    }
    t
}

/// Two meshes and where they stand: the triangles of a family, at some scale, away from the meshes'
/// and the world's origin, turned or not.
fn scene(noise: &mut Noise, family: Family, most: u64) -> Option<([TriMesh; 2], PairFrame)> {
    let count = |noise: &mut Noise| 1 + noise.below(most);
    let (m, n) = (count(noise), count(noise));
    let a: Vec<Triangle> = (0..m).map(|_| triangle(noise, family)).collect();
    let b: Vec<Triangle> = (0..n).map(|_| partner(noise, family, &a)).collect();
    let scale = 10f64.powi(noise.below(13) as i32 - 6);
    let away = [0.0, 0.0, 3.0, 1e3, 1e5][noise.below(5) as usize];
    let origin = noise.vector() * away;
    // B's vertices are given in a frame of its own, or in A's.
    let turn = match noise.below(3) {
        0 => UnitQuaternion::identity(),
        _ => UnitQuaternion::from_scaled_axis(noise.vector() * 2.0),
    };
    let own = if noise.below(2) == 0 { Rotation3::identity() } else { Rotation3::new(noise.vector() * 2.0) };
    let mesh = |t: &[Triangle], own: &Rotation3<f64>| {
        let vertices: Vec<Point3<f32>> = t
            .iter()
            .flatten()
            .map(|v| Point3::from((own.inverse() * (v + origin) * scale).cast::<f32>()))
            .collect();
        TriMesh::new(vertices, (0..t.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect()).ok()
    };
    let meshes = [mesh(&a, &Rotation3::identity())?, mesh(&b, &own)?];
    let far = noise.vector() * ([0.0, 1.0, 1e4][noise.below(3) as usize] * scale);
    let pose = |q: UnitQuaternion<f64>| Isometry3::from_parts(Translation3::from(far), q);
    let frame = PairFrame::new(&pose(turn), &pose(turn * UnitQuaternion::from_rotation_matrix(&own)));
    Some((meshes, frame))
}

/// What came out of an attack.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    touching: u32,
    apart: u32,
    uncertain: u32,
}

/// Checks all that the filter says of two meshes, and every question about their intersection.
fn attack(meshes: [&TriMesh; 2], frame: &PairFrame, tally: &mut Tally) {
    let trees = meshes.map(ObbTree::build);
    let trees = [&trees[0], &trees[1]];
    let shift = Shift::new(frame);
    let [a, b] = Side::BOTH.map(|side| {
        let mesh = meshes[side.index()];
        let face = |t: u32| Face::new(mesh.into(), frame, side, t);
        (0..mesh.triangles().len() as u32).map(face).collect::<Vec<_>>()
    });
    let mut touching = Vec::new();
    let mut filter = Filter::default();
    filter.begin(frame, trees);
    let leaves = [0, 1].map(|k| 0..trees[k].leaf_count() as u32);
    let leaf_pairs: Vec<[u32; 2]> =
        leaves[0].clone().flat_map(|i| leaves[1].clone().map(move |j| [i, j])).collect();
    for &pair in &leaf_pairs {
        let [of_a, of_b] = [0, 1].map(|k| trees[k].leaf_triangles(pair[k]));
        let mut all = SimdLevel::available().map(|level| {
            // What was made ready by another kind of lanes is no proof.
            filter.begin(frame, trees);
            filter.judge(level, trees, pair)
        });
        let found = all.next().expect("plain lanes are always there");
        all.for_each(|other| assert_eq!(found, other, "{pair:?} {meshes:?} {frame:?}"));
        let every = pairs(0xffff).filter(|&[i, j]| i < of_a.len() && j < of_b.len());
        assert_eq!(found.tested as usize, of_a.len() * of_b.len());
        assert_eq!(found.cross & found.uncertain, 0);
        for [i, j] in every {
            let (s, t) = (&a[of_a[i] as usize], &b[of_b[j] as usize]);
            let touch = triangles_touch(s.corners(), t.corners());
            let bit = 1 << (4 * i + j);
            let meeting = crossing::sides(s, t).and_then(|sides| crossing::meet([s, t], sides, &shift));
            if found.cross & bit != 0 {
                let meeting = meeting.expect("they cross");
                let clear = meeting.sides.iter().flatten().all(|&x| x != 0.0);
                assert!(touch && meeting.crossing.is_some() && clear, "{s:?} {t:?}");
            } else if found.uncertain & bit == 0 {
                assert!(!touch && meeting.is_none(), "{s:?} {t:?} {meeting:?}");
            } else {
                tally.uncertain += 1;
            }
            if touch {
                touching.push([s.triangle, t.triangle]);
            }
            *(if touch { &mut tally.touching } else { &mut tally.apart }) += 1;
        }
    }
    let input = Surfaces { meshes: meshes.map(Into::into), trees, frame };
    let (mut scratch, mut out) = (IntersectScratch::default(), Intersections::default());
    intersect_surfaces(&input, &leaf_pairs, &mut scratch, &mut out);
    assert_eq!(out.triangle_pairs, touching.len() as u64);
    assert_eq!(count_triangle_pairs(&input, &mut scratch), touching.len() as u64);
    let mut listed = Vec::new();
    triangle_pairs(&input, &mut scratch, &mut listed);
    listed.sort_unstable();
    touching.sort_unstable();
    assert_eq!(listed, touching);
    let mut last = LastHit::default();
    for _ in 0..2 {
        match surfaces_touch(&input, &mut last, &mut scratch) {
            Some(pair) => assert!(touching.binary_search(&pair).is_ok()),
            None => assert!(touching.is_empty()),
        }
    }
    assert_eq!(first_touch(&input, &leaf_pairs, &mut scratch).is_some(), !touching.is_empty());
}

/// Checks all that the filter of a surface and itself says of the triangles of two meshes in one.
fn attack_itself(meshes: [&TriMesh; 2], tally: &mut Tally) {
    let behind = meshes[0].vertices().len() as u32;
    let vertices = meshes.iter().flat_map(|mesh| mesh.vertices()).copied().collect();
    let second = meshes[1].triangles().iter().map(|t| t.map(|v| v + behind));
    let triangles = meshes[0].triangles().iter().copied().chain(second).collect();
    let mesh = TriMesh::new(vertices, triangles).expect("each of both is a mesh");
    let tree = ObbTree::build(&mesh);
    let here = Isometry3::identity();
    let frame = PairFrame::new(&here, &here);
    let shift = Shift::new(&frame);
    let first = meshes[0].triangles().len() as u32;
    let every: Vec<[u32; 2]> =
        (0..first).flat_map(|s| (first..mesh.triangles().len() as u32).map(move |t| [s, t])).collect();
    let mut filter = OwnFilter::default();
    for some in every.chunks(50) {
        let mut all = SimdLevel::available().map(|level| {
            filter.begin(&tree);
            for &[s, t] in some {
                filter.put([s, t], [0; 2], mesh.vertices(), [s, t].map(|t| mesh.triangles()[t as usize]));
            }
            filter.judge(level)
        });
        let found = all.next().expect("plain lanes are always there");
        all.for_each(|other| assert_eq!(found, other, "{mesh:?}"));
        assert_eq!((found.cross & found.uncertain, (found.cross | found.uncertain) >> some.len()), (0, 0));
        for (bit, &[s, t]) in some.iter().enumerate() {
            let s = &Face::new((&mesh).into(), &frame, Side::A, s);
            let t = &Face::new((&mesh).into(), &frame, Side::B, t);
            let touch = triangles_touch(s.corners(), t.corners());
            let meeting = crossing::sides(s, t).and_then(|sides| crossing::meet([s, t], sides, &shift));
            if found.cross >> bit & 1 == 1 {
                let meeting = meeting.expect("they cross");
                let clear = meeting.sides.iter().flatten().all(|&x| x != 0.0);
                assert!(touch && meeting.crossing.is_some() && clear, "{s:?} {t:?}");
            } else if found.uncertain >> bit & 1 == 0 {
                assert!(!touch && meeting.is_none(), "{s:?} {t:?} {meeting:?}");
            } else {
                tally.uncertain += 1;
            }
            *(if touch { &mut tally.touching } else { &mut tally.apart }) += 1;
        }
    }
}

#[test]
fn what_the_filter_of_a_surface_and_itself_is_certain_of_is_so() {
    let mut noise = Noise(2);
    for family in FAMILIES {
        let mut tally = Tally::default();
        for round in 0..600 {
            let most = if round % 8 == 0 { 14 } else { 4 };
            if let Some((meshes, _)) = scene(&mut noise, family, most) {
                attack_itself([&meshes[0], &meshes[1]], &mut tally);
            }
        }
        // Where B has a frame of its own nothing is shared: half of the scenes are what their family is for.
        let all = tally.touching + tally.apart;
        assert!(tally.touching > 20 && tally.apart > 20, "{family:?}: {tally:?}");
        match family {
            Family::Generic => assert!(tally.uncertain < all / 20, "{tally:?}"),
            Family::Needles => {}
            _ => assert!(tally.uncertain > all / 100, "{family:?}: {tally:?}"),
        }
    }
}

#[test]
fn what_the_filter_is_certain_of_is_so() {
    let mut noise = Noise(1);
    for family in FAMILIES {
        let mut tally = Tally::default();
        for round in 0..600 {
            let most = if round % 8 == 0 { 14 } else { 4 };
            if let Some((meshes, frame)) = scene(&mut noise, family, most) {
                attack([&meshes[0], &meshes[1]], &frame, &mut tally);
            }
        }
        // Each family must do what it is for: generic triangles are settled, others are not.
        let all = tally.touching + tally.apart;
        assert!(tally.touching > 50 && tally.apart > 20, "{family:?}: {tally:?}");
        match family {
            Family::Generic => assert!(tally.uncertain < all / 20, "{tally:?}"),
            Family::Needles => {}
            _ => assert!(tally.uncertain > all / 50, "{family:?}: {tally:?}"),
        }
    }
}

#[test]
fn nothing_is_certain_beyond_the_range() {
    // A triangle of a size, far from its mesh's origin, and one through its middle.
    let case = |size: f32, far: f32| {
        let at = |x: f32, y: f32, z: f32| Point3::new(far + size * x, size * y, size * z);
        let mesh = |v: [Point3<f32>; 3]| TriMesh::new(v.to_vec(), vec![[0, 1, 2]]).unwrap();
        let a = mesh([at(0.0, 0.0, 0.0), at(4.0, 0.0, 0.0), at(0.0, 4.0, 0.0)]);
        let b = mesh([at(1.0, 1.0, 1.0), at(1.0, 1.5, -1.0), at(1.5, 1.0, -1.0)]);
        let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::identity());
        let trees = [&ObbTree::build(&a), &ObbTree::build(&b)];
        let mut filter = Filter::default();
        filter.begin(&frame, trees);
        let found: Vec<_> = SimdLevel::available().map(|level| filter.judge(level, trees, [0, 0])).collect();
        assert!(found.iter().all(|f| *f == found[0]));
        attack([&a, &b], &frame, &mut Tally::default());
        let mut alone = Tally::default();
        attack_itself([&a, &b], &mut alone);
        assert_eq!(alone.uncertain, found[0].uncertain);
        (found[0].cross, found[0].uncertain)
    };
    assert_eq!(case(1.0, 0.0), (1, 0));
    assert_eq!(case(1e-6, 0.0), (1, 0));
    assert_eq!(case(1e6, 0.0), (1, 0));
    // Far from its origin, where the differences of its coordinates are still numbers of few bits.
    assert_eq!(case(1e-6, 1.0), (1, 0));
    // Too large, too small for its products.
    assert_eq!(case(1e13, 0.0), (0, 1));
    assert_eq!(case(1e-14, 0.0), (0, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_seed_makes_the_filter_lie(seed in any::<u64>()) {
        let mut noise = Noise(seed);
        for family in FAMILIES {
            for _ in 0..4 {
                if let Some((meshes, frame)) = scene(&mut noise, family, 4) {
                    attack([&meshes[0], &meshes[1]], &frame, &mut Tally::default());
                    attack_itself([&meshes[0], &meshes[1]], &mut Tally::default());
                }
            }
        }
    }
}
