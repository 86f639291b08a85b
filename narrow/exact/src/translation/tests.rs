use impinge_geometry::{PairFrame, Primitive, Side, SimdLevel, TriMesh};
use impinge_midphase::{ObbTree, Surface};
use nalgebra::{Isometry3, Matrix3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::*;
use crate::OffsetTest;
use crate::intersect::Surfaces;
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};

/// Numbers that look random.
pub(super) struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    pub fn vector(&mut self) -> Vector3<f64> {
        loop {
            let v = Vector3::from_fn(|_, _| self.within(-1.0, 1.0));
            if (0.01..1.0).contains(&v.norm_squared()) {
                return v;
            }
        }
    }
}

/// A closed surface of one of several kinds, about a metre wide.
fn mesh(numbers: &mut Numbers) -> TriMesh {
    match (numbers.next() * 6.0) as u32 {
        0 => box_mesh([0, 1, 2].map(|_| numbers.within(0.05, 0.8) as f32)),
        1 => torus(0.6, numbers.within(0.08, 0.3) as f32, 7, 4),
        2 => sphere_mesh(0.6, 6, 4),
        3 => {
            // A hollow box: what is in the cavity is not inside.
            let (outer, inner) = (box_mesh([0.7; 3]), box_mesh([0.5; 3]));
            let count = outer.vertices().len() as u32;
            let vertices = outer.vertices().iter().chain(inner.vertices()).copied().collect();
            let turned = inner.triangles().iter().map(|&[a, b, c]| [a + count, c + count, b + count]);
            TriMesh::new(vertices, outer.triangles().iter().copied().chain(turned).collect()).unwrap()
        }
        _ => {
            // A star: a sphere with long and short rays.
            let ball = sphere_mesh(0.6, 6, 5);
            let vertices = ball.vertices().iter().map(|p| p * numbers.within(0.2, 1.5) as f32).collect();
            TriMesh::new(vertices, ball.triangles().to_vec()).unwrap()
        }
    }
}

/// The interval of shifts at which two triangles share a point, by where it can begin and end: a corner of one in the
/// face of the other, or two edges in one point. Nothing in common with axes that separate.
pub(super) fn interval(a: &[Point3<f64>; 3], b: &[Point3<f64>; 3], d: &Vector3<f64>) -> Option<[f64; 2]> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut meet = |s: f64| (low, high) = (low.min(s), high.max(s));
    let slack = 1e-11;
    let mut in_face = |face: &[Point3<f64>; 3], p: &Point3<f64>, way: f64| {
        let columns = Matrix3::from_columns(&[face[1] - face[0], face[2] - face[0], -d * way]);
        if let Some(found) = columns.lu().solve(&(p - face[0]))
            && found.x >= -slack
            && found.y >= -slack
            && found.x + found.y <= 1.0 + slack
        {
            meet(found.z);
        }
    };
    b.iter().for_each(|p| in_face(a, p, 1.0));
    a.iter().for_each(|p| in_face(b, p, -1.0));
    for i in 0..3 {
        for j in 0..3 {
            let (u, w) = (a[(i + 1) % 3] - a[i], b[(j + 1) % 3] - b[j]);
            let columns = Matrix3::from_columns(&[u, -w, -d]);
            if let Some(found) = columns.lu().solve(&(b[j] - a[i]))
                && (-slack..=1.0 + slack).contains(&found.x)
                && (-slack..=1.0 + slack).contains(&found.y)
            {
                meet(found.z);
            }
        }
    }
    (low <= high).then_some([low, high])
}

/// The first free shift by all pairs of triangles, and by the exact question where none is in the way.
fn by_brute_force(surfaces: &Surfaces<'_>, d: &Vector3<f64>, slack: f64) -> f64 {
    let corners = |side: Side| {
        let mesh = surfaces.meshes[side.index()];
        let place = move |t: u32| mesh.corners(t).map(|p| surfaces.frame.place(side, &p));
        mesh.triangles().map(place).collect::<Vec<_>>()
    };
    let (of_a, of_b) = (corners(Side::A), corners(Side::B));
    let mut intervals: Vec<[f64; 2]> = of_a
        .iter()
        .flat_map(|a| of_b.iter().filter_map(|b| interval(a, b, d)))
        .filter(|s| s[1] > 0.0)
        .collect();
    intervals.sort_by(|p, q| p[0].total_cmp(&q[0]));
    let mut shift: f64 = 0.0;
    for [begin, end] in intervals {
        if begin > shift + slack && OffsetTest::default().is_free(surfaces, &(d * (0.5 * (shift + begin)))) {
            return shift;
        }
        shift = shift.max(end);
    }
    shift
}

pub(super) struct Placed {
    meshes: [TriMesh; 2],
    trees: [ObbTree; 2],
    frame: PairFrame,
}

impl Placed {
    pub fn new(meshes: [TriMesh; 2], pose: Isometry3<f64>) -> Placed {
        let trees = [ObbTree::build(&meshes[0]), ObbTree::build(&meshes[1])];
        Placed { meshes, trees, frame: PairFrame::new(&Isometry3::identity(), &pose) }
    }

    pub fn surfaces(&self) -> Surfaces<'_> {
        Surfaces {
            meshes: [(&self.meshes[0]).into(), (&self.meshes[1]).into()],
            trees: [&self.trees[0], &self.trees[1]],
            frame: &self.frame,
        }
    }

    /// Has the trees searched with these instructions.
    pub fn set_simd(&mut self, level: SimdLevel) {
        self.trees.iter_mut().for_each(|tree| tree.set_simd(level));
    }

    pub fn exit(&self, d: &Vector3<f64>) -> Clearance {
        clearance(&self.surfaces(), d, 0.0, f64::INFINITY, &mut ClearanceScratch::default())
    }

    fn is_free(&self, shift: &Vector3<f64>) -> bool {
        OffsetTest::default().is_free(&self.surfaces(), shift)
    }
}

pub(super) fn random(numbers: &mut Numbers) -> (Placed, Vector3<f64>) {
    let turn = UnitQuaternion::from_scaled_axis(numbers.vector() * 3.0);
    let at = Translation3::from(numbers.vector() * 0.9);
    let meshes = [mesh(numbers), mesh(numbers)];
    (Placed::new(meshes, Isometry3::from_parts(at, turn)), numbers.vector().normalize())
}

#[test]
fn first_free_shift_is_that_of_all_pairs_of_triangles() {
    let cases = std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let mut numbers = Numbers(1);
    let (mut moved, mut asked) = (0, 0);
    for case in 0..cases {
        let (pair, d) = random(&mut numbers);
        let found = pair.exit(&d);
        let truth = by_brute_force(&pair.surfaces(), &d, 1e-8);
        assert!((found.length - truth).abs() <= 1e-7, "case {case}: {found:?}, by brute force {truth}");
        assert!(pair.is_free(&(d * (found.length + 1e-7))), "case {case}: not free beyond {found:?}");
        if found.length > 0.0 {
            moved += 1;
            assert!(
                !pair.is_free(&(d * (found.length - 1e-7).max(0.0))),
                "case {case}: free before {found:?}"
            );
            for _ in 0..4 {
                asked += 1;
                let short = numbers.within(0.0, found.length - 1e-7).max(0.0);
                assert!(!pair.is_free(&(d * short)), "case {case}: free at {short} before {found:?}");
            }
            let normal = found.normal.unwrap();
            assert!((normal.norm() - 1.0).abs() < 1e-9 && normal.dot(&d) > 0.0);
        }
    }
    assert!(2 * moved > cases && asked >= 4 * moved);
}

#[test]
fn bounded_search_stops_at_the_bound_and_a_known_start_changes_nothing() {
    let mut numbers = Numbers(2);
    for _ in 0..1000 {
        let (pair, d) = random(&mut numbers);
        let (surfaces, mut scratch) = (pair.surfaces(), ClearanceScratch::default());
        let whole = clearance(&surfaces, &d, 0.0, f64::INFINITY, &mut scratch).length;
        let bound = numbers.within(0.0, 1.2) * whole;
        let cut = clearance(&surfaces, &d, 0.0, bound, &mut scratch).length;
        if bound < whole {
            assert!((bound..=whole + 1e-9).contains(&cut), "{cut} of {whole}, bound {bound}");
        } else {
            assert_eq!(cut, whole);
        }
        let from = numbers.next() * whole;
        let later = clearance(&surfaces, &d, from, f64::INFINITY, &mut scratch).length;
        assert!((later - whole).abs() <= 1e-8, "from {from}: {later}, not {whole}");
    }
}

#[test]
fn a_line_bounds_the_shifts_along_it_and_against_it() {
    let (mut numbers, mut scratch, mut tight) = (Numbers(3), ClearanceScratch::default(), 0);
    let mut bounded = 0;
    while bounded < 300 {
        let (pair, d) = random(&mut numbers);
        let surfaces = pair.surfaces();
        let places = (0..20).map(|_| Point3::from(numbers.vector() * 0.9));
        let Some(p) = places.into_iter().find(|p| is_common(&surfaces, p)) else { continue };
        bounded += 1;
        let bounds = line_bounds(&surfaces, &p, &d, &mut scratch);
        let back = line_bounds(&surfaces, &p, &-d, &mut scratch);
        for (bound, along) in bounds.into_iter().zip([d, -d]) {
            let least = pair.exit(&along).length;
            assert!(bound > 0.0 && bound <= least + 1e-7, "{bound} of {least}");
            tight += usize::from(bound > 0.5 * least);
        }
        assert!((bounds[0] - back[1]).abs() < 1e-7 && (bounds[1] - back[0]).abs() < 1e-7);
    }
    assert!(tight > 300, "{tight} of 600 are half of the shift");
}

#[test]
fn a_body_deep_inside_leaves_by_the_far_wall_of_the_nearest_side() {
    let big = box_mesh([1.0; 3]);
    let pair = Placed::new([big, box_mesh([0.1; 3])], Isometry3::translation(0.2, 0.0, 0.0));
    for (d, length) in [(Vector3::x(), 0.9), (-Vector3::x(), 1.3), (Vector3::y(), 1.1)] {
        let found = pair.exit(&d);
        assert!((found.length - length).abs() < 1e-6, "{found:?}");
        assert!((found.normal.unwrap() - d).norm() < 1e-9);
    }
}

/// A cone of few faces, its tip the origin.
fn spike(radius: f32, sides: u32) -> TriMesh {
    let rim = (0..sides).map(|k| {
        let (sin, cos) = (std::f32::consts::TAU * k as f32 / sides as f32).sin_cos();
        Point3::new(radius * cos, radius * sin, 1.0)
    });
    let vertices = [Point3::origin(), Point3::new(0.0, 0.0, 1.0)].into_iter().chain(rim).collect();
    let of = |k: u32| 2 + k % sides;
    let triangles = (0..sides).flat_map(|k| [[0, of(k + 1), of(k)], [1, of(k), of(k + 1)]]).collect();
    TriMesh::new(vertices, triangles).unwrap()
}

/// A body that is wholly inside another, or comes to be on its way, goes on until it has left it.
#[test]
fn spikes_inside_blocks_leave_them() {
    let cases = std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    let mut numbers = Numbers(4);
    for case in 0..cases {
        let half = [0, 1, 2].map(|_| numbers.within(0.2, 1.0));
        let spike = spike(numbers.within(0.05, 0.25) as f32, 5 + (numbers.next() * 5.0) as u32);
        let turn = UnitQuaternion::from_scaled_axis(numbers.vector() * 3.0);
        let at = Translation3::from(numbers.vector().component_mul(&Vector3::from(half)));
        let (block, at) = (box_mesh(half.map(|x| x as f32)), Isometry3::from_parts(at, turn));
        let pair = if case % 2 == 0 {
            Placed::new([block, spike], at)
        } else {
            Placed::new([spike, block], at.inverse())
        };
        let d = if case % 3 == 0 { Vector3::ith(case % 9 / 3, 1.0) } else { numbers.vector().normalize() };
        let d = if case % 2 == 0 { d } else { -(at.inverse() * d) };
        let found = pair.exit(&d);
        let truth = by_brute_force(&pair.surfaces(), &d, 1e-8);
        assert!((found.length - truth).abs() <= 1e-7, "case {case}: {found:?}, by brute force {truth}");
    }
}

#[test]
fn what_slides_along_a_wall_is_not_held_by_it() {
    // Sunk into the floor by a hundredth, and flush with the wall: 0.01 up is free of both.
    let floor = box_mesh([1.0, 1.0, 1.0]);
    let pair = Placed::new([floor, box_mesh([0.5; 3])], Isometry3::translation(0.0, 0.0, 1.49));
    assert!((pair.exit(&Vector3::z()).length - 0.01).abs() < 1e-6);
    let flush = Placed::new([box_mesh([1.0; 3]), box_mesh([0.5; 3])], Isometry3::translation(1.5, 0.0, 0.0));
    assert!(flush.exit(&Vector3::z()).length < 1e-6);
    assert!(flush.exit(&Vector3::x()).length < 1e-6);
    assert!(flush.exit(&-Vector3::x()).length < 1e-6);
    // As wide as what it stands on, all its sides flush: they do not hold it, what it is sunk in does.
    let stack = Placed::new([box_mesh([0.5; 3]), box_mesh([0.5; 3])], Isometry3::translation(0.0, 0.0, 0.99));
    assert!((stack.exit(&Vector3::z()).length - 0.01).abs() < 1e-6);
    assert!((stack.exit(&Vector3::x()).length - 1.0).abs() < 1e-6);
}

/// Flush boxes are free of each other in whatever order their triangles are met.
#[test]
fn the_order_of_triangles_does_not_hold_what_touches() {
    let mut numbers = Numbers(17);
    for case in 0..200 {
        let [big, small] = [1.0, 0.5].map(|half| {
            let sound = box_mesh([half; 3]);
            let mut triangles = sound.triangles().to_vec();
            for k in (1..triangles.len()).rev() {
                triangles.swap(k, (numbers.next() * (k + 1) as f64) as usize);
            }
            TriMesh::new(sound.vertices().to_vec(), triangles).unwrap()
        });
        let aside = [numbers.within(-0.4, 0.4), numbers.within(-0.4, 0.4)];
        let pair = Placed::new([big, small], Isometry3::translation(1.5, aside[0], aside[1]));
        for d in [Vector3::x(), -Vector3::x(), Vector3::y(), Vector3::z()] {
            let length = pair.exit(&d).length;
            assert!(length < 1e-6, "case {case}: {length} along {d:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn first_free_shift_grows_with_the_bodies(seed in any::<u64>(), power in -18i32..18) {
        let (pair, d) = random(&mut Numbers(seed));
        let scale = f64::from(power).exp2();
        let grown = pair.meshes.each_ref().map(|mesh| {
            let vertices = mesh.vertices().iter().map(|p| p * scale as f32).collect();
            TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap()
        });
        let offset = pair.frame.offset[1] - pair.frame.offset[0];
        let turn = UnitQuaternion::from_matrix(&pair.frame.rotation[1]);
        let large = Placed::new(grown, Isometry3::from_parts(Translation3::from(offset * scale), turn));
        let (small, large) = (pair.exit(&d).length, large.exit(&d).length);
        prop_assert!((small * scale - large).abs() <= 1e-6 * scale, "{small} {large}");
    }

    #[test]
    fn first_free_shift_is_the_same_on_every_simd_level(seed in any::<u64>()) {
        let (mut pair, d) = random(&mut Numbers(seed));
        let best = pair.exit(&d);
        for level in [SimdLevel::Scalar, SimdLevel::Sse2] {
            pair.trees.iter_mut().for_each(|tree| tree.set_simd(level));
            prop_assert_eq!(pair.exit(&d), best);
        }
    }
}

/// A primitive as a mesh so fine that it is nearly the same.
fn as_mesh(primitive: &Primitive) -> TriMesh {
    match *primitive {
        Primitive::Sphere { radius } => sphere_mesh(radius, 64, 48),
        Primitive::Capsule { half_height, radius } => {
            let ball = sphere_mesh(radius, 64, 48);
            let apart = |p: &Point3<f32>| p + Vector3::z() * half_height.copysign(p.z);
            TriMesh::new(ball.vertices().iter().map(apart).collect(), ball.triangles().to_vec()).unwrap()
        }
        _ => unreachable!(),
    }
}

#[test]
fn primitives_are_freed_as_their_meshes_are() {
    let mut numbers = Numbers(3);
    let mut moved = 0;
    for case in 0..300 {
        let primitive = if case % 2 == 0 {
            Primitive::Sphere { radius: numbers.within(0.1, 0.5) as f32 }
        } else {
            Primitive::Capsule {
                half_height: numbers.within(0.1, 0.9) as f32,
                radius: numbers.within(0.05, 0.3) as f32,
            }
        };
        let (pair, d) = random(&mut numbers);
        let [mesh, _] = &pair.meshes;
        let fine = as_mesh(&primitive);
        let tree = ObbTree::build(&fine);
        let both = Surfaces {
            meshes: [mesh.into(), (&fine).into()],
            trees: [&pair.trees[0], &tree],
            frame: &pair.frame,
        };
        let mut scratch = ClearanceScratch::default();
        let wanted = clearance(&both, &d, 0.0, f64::INFINITY, &mut scratch).length;
        let (mesh, tree) = (mesh.clone(), pair.trees[0].clone());
        let surface = Surface::of_mesh(std::sync::Arc::new(mesh), std::sync::Arc::new(tree));
        let solid = crate::MeshSolid { mesh: Side::A, surface: &surface, primitive, frame: &pair.frame };
        let found = solid_clearance(&solid, &d, 0.0, f64::INFINITY, &mut scratch).unwrap();
        // A mesh is smaller than what it stands for; where one passes by and the other does not, both are right.
        let free = |length: f64| {
            let mut frame = pair.frame;
            frame.offset[1] += d * length;
            !crate::MeshSolid { frame: &frame, ..solid }.touches()
        };
        assert!(free(found.length + 1e-7), "case {case}: not free beyond {found:?}");
        assert!(found.length == 0.0 || !free(found.length - 1e-7), "case {case}: free before {found:?}");
        assert!(found.length >= wanted - 1e-2, "case {case}: {found:?}, its mesh {wanted}");
        moved += u32::from(found.length > 0.0);
        // A bound leaves shorter shifts as they are, and searches are paid for.
        for part in [0.3, 0.9, 1.1, 3.0] {
            let bound = part * found.length + 1e-3;
            scratch.allow(1);
            let within = solid_clearance(&solid, &d, 0.0, bound, &mut scratch).unwrap();
            assert!(scratch.is_spent(), "case {case}");
            match found.length < bound {
                true => assert_eq!(within, found, "case {case}, up to {bound}"),
                false => assert!(within.length >= bound, "case {case}, up to {bound}: {within:?}"),
            }
        }
        if let Some(normal) = found.normal {
            assert!(normal.dot(&d) > -1e-6, "case {case}: {found:?}");
        }
    }
    assert!(moved > 150);
}

#[test]
fn what_is_deep_in_a_surface_is_known_to_be_held_by_few_triangles() {
    // 12,096 triangles, none of which parts from the ball before 0.4 m.
    let mesh = sphere_mesh(1.0, 96, 64);
    let tree = ObbTree::build(&mesh);
    let surface = Surface::of_mesh(std::sync::Arc::new(mesh), std::sync::Arc::new(tree));
    let primitive = Primitive::Sphere { radius: 0.5 };
    let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::translation(0.9, 0.0, 0.0));
    let mut numbers = Numbers(7);
    for case in 0..60 {
        let mesh = if case % 2 == 0 { Side::A } else { Side::B };
        let solid = crate::MeshSolid { mesh, surface: &surface, primitive, frame: &frame };
        let d = Vector3::from_fn(|_, _| numbers.within(-1.0, 1.0)).normalize();
        let mut scratch = ClearanceScratch::default();
        let within = solid_clearance(&solid, &d, 0.0, 0.2, &mut scratch).unwrap();
        assert!(within.length >= 0.2, "case {case}: {within:?}");
        assert!(scratch.counts.leaf_pairs < 40, "case {case}: {:?}", scratch.counts);
        // A small ball that is halfway in the middle is near none of them, and about as near to all.
        let from = d * -0.25;
        let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::translation(from.x, from.y, from.z));
        let ball = Primitive::Sphere { radius: 0.1 };
        let solid = crate::MeshSolid { primitive: ball, frame: &frame, ..solid };
        let mut scratch = ClearanceScratch::default();
        let _ = solid_clearance(&solid, &d, 0.0, 0.5, &mut scratch).unwrap();
        assert!(scratch.counts.leaf_pairs < 40, "case {case}: {:?}", scratch.counts);
    }
}

#[test]
fn a_wall_within_the_tolerance_beyond_another_holds_too() {
    // A plate thinner than the hollow box by less than the tolerance, or a little more: it leaves the floor just before it
    // meets the ceiling.
    let mesh = box_mesh([100.0, 100.0, 0.5]);
    let tree = ObbTree::build(&mesh);
    let surface = Surface::of_mesh(std::sync::Arc::new(mesh), std::sync::Arc::new(tree));
    for thinner in 0..6 {
        let half = 0.5 - 2.0f32.powi(-25) * thinner as f32;
        let primitive = Primitive::Cuboid { half: [90.0, 90.0, half] };
        for (side, sign) in [(Side::A, 1.0), (Side::B, -1.0)] {
            let at = Vector3::z() * (-0.9 * sign);
            let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::translation(at.x, at.y, at.z));
            let solid = crate::MeshSolid { mesh: side, surface: &surface, primitive, frame: &frame };
            let d = Vector3::z() * sign;
            let scratch = &mut ClearanceScratch::default();
            let found = solid_clearance(&solid, &d, 0.0, f64::INFINITY, scratch).unwrap();
            let truth = 1.4 + f64::from(half);
            assert!((found.length - truth).abs() < 1e-6, "{thinner}: {found:?}, not {truth}");
            assert!(found.normal.is_some_and(|n| (n - d).norm() < 1e-9), "{thinner}: {found:?}");
        }
    }
}
