//! A box in the corner of floor and wall: each pushes along its own normal.

use impinge_scenes::fixtures::box_mesh;
use proptest::prelude::*;

use super::*;
use crate::patch::PatchOrigin;

/// A floor, z < 0, and a wall, x < 0 up to `height`, as one mesh from y = −`half` to `half`; its own origin is at `origin`.
fn corner(height: f32, half: f32, origin: [f32; 3]) -> TriMesh {
    let profile = [[-1.0, -1.0], [3.0, -1.0], [3.0, 0.0], [0.0, 0.0], [0.0, height], [-1.0, height]];
    let vertices = [-half, half].into_iter().flat_map(|y| profile.map(|[x, z]| [x, y, z]));
    let vertices =
        vertices.map(|p: [f32; 3]| Point3::from(std::array::from_fn(|k| p[k] - origin[k]))).collect();
    // Seen from −y, x to the right and z up, the profile runs counter-clockwise.
    let mut triangles = Vec::new();
    for [p, q, r] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        triangles.extend([[p, q, r], [p + 6, r + 6, q + 6]]);
    }
    for k in 0..6u32 {
        let next = (k + 1) % 6;
        triangles.extend([[k, k + 6, next + 6], [k, next + 6, next]]);
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// A cube of edge 1, `gap` from the wall and sunk by `sunk`; the corner's origin at `origin`.
fn placed_in(corner_origin: [f32; 3], gap: f64, sunk: f64) -> Pose {
    let [x, y, z] = corner_origin.map(f64::from);
    shift(0.5 + gap - x, 0.125 - y, 0.5 - sunk - z)
}

const ORIGINS: [[f32; 3]; 4] = [[0.0; 3], [2.0, 0.0, 0.5], [0.5, 0.5, 2.0], [-1.0, 0.25, -1.0]];

fn along<'a>(out: &'a PairResult, normal: &Vector3<f64>) -> Vec<&'a Patch> {
    out.patches.iter().filter(|patch| degrees(&patch.normal, normal) < 1e-3).collect()
}

/// Sunk by 0.01 into the floor and flush with the wall, or a nanometre from it or in it: pushed straight up by 0.01,
/// and the wall at most touches. The floor's contact is the same three times.
#[test]
fn a_flush_wall_does_not_bend_the_floor_s_normal() {
    for origin in ORIGINS {
        for (half, height) in [(2.0, 2.0), (0.25, 2.0), (2.0, 0.5), (0.75, 1.0)] {
            let mesh = corner(height, half, origin);
            let answers =
                [-1e-9, 0.0, 1e-9].map(|gap| ask(&mesh, &box_mesh([0.5; 3]), placed_in(origin, gap, 0.01)));
            let floors = answers.each_ref().map(|out| {
                let floor = along(out, &Vector3::z());
                assert_eq!(
                    floor.len(),
                    1,
                    "{:?}",
                    out.patches.iter().map(|p| (p.normal, p.depth)).collect::<Vec<_>>()
                );
                for other in out.patches.iter().filter(|p| !std::ptr::eq(*p, floor[0])) {
                    assert_normal(other, Vector3::x(), 1e-3);
                    assert!((0.0..1e-8).contains(&other.depth), "{}", other.depth);
                }
                floor[0].clone()
            });
            for floor in &floors {
                assert!((floor.depth - 0.01).abs() < 1e-6, "{}", floor.depth);
                assert_near(floor.gradient.norm(), floors[2].gradient.norm(), 1e-6);
                assert!((floor.pressure_center - floors[2].pressure_center).norm() < 1e-6);
                // On a narrow floor the points stand on its rim, and a little inside it in the wall.
                if half < 0.5 {
                    continue;
                }
                // A wall that is flush is seen in a view, which has points between the corners, too. Those of the corners that
                // are on the rim stand a little inside it.
                for q in &floors[2].points {
                    let is_same =
                        |p: &&PatchPoint| (p.on_a - q.on_a).norm() < 0.02 && (p.depth - q.depth).abs() < 1e-6;
                    assert!(floor.points.iter().any(|p| is_same(&p)), "{half} {height} {origin:?} {q:?}");
                }
            }
        }
    }
}

/// Sunk by 0.01 into the floor and by 0.02 into the wall: two contacts, each with its own depth and area.
#[test]
fn a_box_in_a_corner_has_a_contact_with_each_face() {
    for origin in ORIGINS {
        for (height, half) in [(2.0, 2.0), (0.5, 2.0), (2.0, 0.375)] {
            let (mesh, pose) = (corner(height, half, origin), placed_in(origin, -0.02, 0.01));
            let box_ = box_mesh([0.5; 3]);
            let width = 1f64.min(f64::from(half) + 0.375).min(2.0 * f64::from(half));
            let high = 0.99f64.min(f64::from(height));
            for (out, sign) in [(ask(&mesh, &box_, pose), 1.0), (ask(&box_, &mesh, pose.inverse()), -1.0)] {
                assert_eq!(
                    out.patches.len(),
                    2,
                    "{:?}",
                    out.patches.iter().map(|p| (p.normal, p.depth)).collect::<Vec<_>>()
                );
                for (normal, depth, area) in
                    [(Vector3::z(), 0.01, 0.98 * width), (Vector3::x(), 0.02, high * width)]
                {
                    // Of a low wall the top belongs to the wall's contact, 0.02 wide.
                    let found =
                        out.patches.iter().find(|p| degrees(&p.normal, &(normal * sign)) < 3.0).unwrap();
                    assert_near(found.depth, depth, 2e-3);
                    let slope = if normal.x == 1.0 && height < 1.0 { 0.02 * width } else { 0.0 };
                    assert_near(found.gradient.norm(), area.hypot(slope), 2e-3);
                }
            }
        }
    }
}

/// Exactly on the floor, flush with the wall or not: touching contacts, none of them aslant.
#[test]
fn resting_flush_in_a_corner_touches_floor_and_wall() {
    for origin in ORIGINS {
        for gap in [0.0, 0.25] {
            let out = ask(&corner(2.0, 2.0, origin), &box_mesh([0.5; 3]), placed_in(origin, gap, 0.0));
            let all: Vec<_> = out.patches.iter().map(|p| (p.normal, p.gradient)).collect();
            assert_eq!(out.patches.len(), if gap > 0.0 { 1 } else { 2 }, "{all:?}");
            for patch in &out.patches {
                assert_eq!((patch.origin, patch.depth), (PatchOrigin::Touch, 0.0));
                let off = degrees(&patch.normal, &Vector3::z()).min(degrees(&patch.normal, &Vector3::x()));
                assert!(off < 1e-6, "{all:?}");
                assert_near(patch.gradient.norm(), 1.0, 1e-9);
            }
            if gap > 0.0 {
                assert_normal(only(&out), Vector3::z(), 1e-6);
                assert_near(only(&out).gradient.norm(), 1.0, 1e-9);
            }
        }
    }
}

/// In the corner of three walls, sunk by 0.01, 0.02 and 0.03.
#[test]
fn three_walls_are_three_contacts() {
    // A block with a corner cut out: the cube of edge 4 around the origin without its positive octant.
    let c = |x: i32, y: i32, z: i32| (9 * x + 3 * y + z) as u32;
    let vertices =
        (0..27).map(|v| Point3::from([v / 9, v / 3 % 3, v % 3].map(|x| 2.0 * (x as f32 - 1.0)))).collect();
    let filled =
        |x: i32, y: i32, z: i32| [x, y, z].iter().all(|k| (0..2).contains(k)) && [x, y, z] != [1, 1, 1];
    let mut triangles = Vec::new();
    for cell in 0..8 {
        let at = [cell / 4, cell / 2 % 2, cell % 2];
        for (axis, step) in (0..3).flat_map(|axis| [(axis, -1), (axis, 1)]) {
            let mut beside = at;
            beside[axis] += step;
            if !filled(at[0], at[1], at[2]) || filled(beside[0], beside[1], beside[2]) {
                continue;
            }
            let corner = |u: i32, v: i32| {
                let mut p = at;
                p[axis] += i32::from(step > 0);
                p[(axis + 1) % 3] += u;
                p[(axis + 2) % 3] += v;
                c(p[0], p[1], p[2])
            };
            let [p, q, r, s] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            triangles.extend(if step > 0 { [[p, q, r], [p, r, s]] } else { [[p, r, q], [p, s, r]] });
        }
    }
    let mesh = TriMesh::new(vertices, triangles).unwrap();
    assert!(mesh.is_closed());
    let out = ask(&mesh, &box_mesh([0.5; 3]), shift(0.49, 0.48, 0.47));
    assert_eq!(
        out.patches.len(),
        3,
        "{:?}",
        out.patches.iter().map(|p| (p.normal, p.depth)).collect::<Vec<_>>()
    );
    for (k, depth) in [0.01, 0.02, 0.03].into_iter().enumerate() {
        let normal = Vector3::ith(k, 1.0);
        let found = out.patches.iter().find(|p| degrees(&p.normal, &normal) < 1e-3).unwrap();
        assert_near(found.depth, depth, 2e-3);
        let area: f64 =
            [0.99, 0.98, 0.97].iter().enumerate().filter(|(i, _)| *i != k).map(|(_, x)| x).product();
        assert_near(found.gradient.norm(), area, 1e-6);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Wherever the scene stands and however the corner is turned, and however thin the overlaps are: two contacts
    /// along the faces' normals, as deep as each was entered.
    #[test]
    fn the_contacts_do_not_depend_on_where_the_scene_stands(
        turn in [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64],
        floor in -9.0..-1.7f64,
        wall in -9.0..-1.7f64,
        which in 0..4usize,
        swapped in any::<bool>(),
    ) {
        let (sunk, into) = (10f64.powf(floor), 10f64.powf(wall));
        let rotation = UnitQuaternion::from_scaled_axis(turn.into());
        let a = Pose::from_parts(Translation3::identity(), rotation);
        let b = a * placed_in(ORIGINS[which], -into, sunk);
        let mesh = corner(2.0, 2.0, ORIGINS[which]);
        let shapes: [Shape; 2] = [mesh.into(), box_mesh([0.5; 3]).into()];
        let settings = NarrowSettings::default();
        let out = if swapped {
            Asked::new(&shapes[1], &shapes[0], &settings).at([b, a])
        } else {
            Asked::new(&shapes[0], &shapes[1], &settings).at([a, b])
        };
        for (normal, depth) in [(Vector3::z(), sunk), (Vector3::x(), into)] {
            let normal = rotation * normal * if swapped { -1.0 } else { 1.0 };
            let found: Vec<_> = out.patches.iter().filter(|p| degrees(&p.normal, &normal) < 0.1).collect();
            prop_assert_eq!(found.len(), 1, "{:?}", out.patches.iter().map(|p| (p.normal, p.depth)).collect::<Vec<_>>());
            prop_assert!((found[0].depth - depth).abs() < 2e-3 * depth + 3e-7, "{} is not {}", found[0].depth, depth);
            prop_assert!((found[0].gradient.norm() - 1.0).abs() < 0.05);
        }
        let all: Vec<_> = out.patches.iter().map(|p| (p.normal, p.depth, p.origin, p.gradient)).collect();
        prop_assert_eq!(out.patches.len(), 2, "{:?}", all);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// At rest a body trembles: by nanoradians, and as little from the wall or in it. Nothing is deeper than it was sunk,
    /// and the floor pushes straight up.
    #[test]
    fn a_trembling_box_is_no_deeper_than_it_is_sunk(
        turn in [-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64],
        size in -11.0..-4.0f64,
        gap in -1.0..1.0f64,
        width in -12.0..-6.0f64,
        which in 0..4usize,
        aslant in prop::option::of([-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64]),
    ) {
        let turn = Vector3::from(turn) * 10f64.powf(size);
        let pose = placed_in(ORIGINS[which], gap * 10f64.powf(width), 5e-4);
        // The corner's faces along its mesh's axes, or aslant to them.
        let rotation = UnitQuaternion::from_scaled_axis(aslant.map_or(Vector3::zeros(), Vector3::from));
        let upright = corner(2.0, 2.0, ORIGINS[which]);
        let mesh = TriMesh::new(
            upright.vertices().iter().map(|p| (rotation * p.cast::<f64>()).cast()).collect(),
            upright.triangles().to_vec(),
        )
        .unwrap();
        let pose = Pose::from_parts(
            (rotation * pose.translation.vector).into(),
            rotation * UnitQuaternion::from_scaled_axis(turn),
        );
        let out = ask(&mesh, &box_mesh([0.5; 3]), pose);
        let all: Vec<_> = out.patches.iter().map(|p| (rotation.inverse() * p.normal, p.depth)).collect();
        prop_assert!(out.patches.iter().all(|p| p.depth < 5.1e-4 + 2.0 * turn.norm()), "{:?}", all);
        let up = rotation * Vector3::z();
        let floors = out.patches.iter().filter(|p| degrees(&p.normal, &up) < 0.1).count();
        prop_assert_eq!(floors, 1, "{:?}", all);
    }
}
