//! Profiles against environments, held against rays cast in `f64` at every triangle.

use std::sync::Arc;

use impinge_geometry::{Composite, Primitive, Shape, TriMesh};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::super::*;
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};

fn shape(mesh: TriMesh) -> Shape {
    Shape::Mesh(Arc::new(mesh))
}

fn pose() -> impl Strategy<Value = Isometry3<f64>> {
    (prop::array::uniform3(-1.2..1.2f64), prop::array::uniform3(-3.0..3.0f64)).prop_map(|(t, r)| {
        let turn = UnitQuaternion::from_euler_angles(r[0], r[1], r[2]);
        Isometry3::from_parts(Translation3::from(Vector3::from(t)), turn)
    })
}

/// Depths at which the line through `origin` along `direction` meets a placed mesh.
fn ray(mesh: &TriMesh, pose: &Isometry3<f64>, origin: Point3<f64>, direction: Vector3<f64>) -> Vec<f64> {
    let mut depths = Vec::new();
    for t in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = mesh.corners(t).map(|p| pose * p.cast::<f64>() - origin);
        let (u, v) = (b - a, c - a);
        let n = u.cross(&v);
        let along = n.dot(&direction);
        if along == 0.0 {
            continue;
        }
        let depth = n.dot(&a) / along;
        let p = direction * depth;
        let sides = [(a, b), (b, c), (c, a)].map(|(p0, p1)| (p1 - p0).cross(&(p - p0)).dot(&n));
        if sides.iter().all(|s| *s >= 0.0) {
            depths.push(depth);
        }
    }
    depths
}

/// How deep the environment's nearest surface lies in the object along one line, by the definition.
fn truth(
    object: (&TriMesh, &Isometry3<f64>),
    environment: (&TriMesh, &Isometry3<f64>),
    origin: Point3<f64>,
    direction: Vector3<f64>,
    bounds: Bounds,
) -> Option<f64> {
    let own = ray(object.0, object.1, origin, direction);
    let near = own.iter().copied().fold(f64::INFINITY, f64::min);
    let far = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = match bounds {
        Bounds::Box => 0.0,
        Bounds::Terrain => f64::NEG_INFINITY,
        Bounds::TwoSided => near,
    };
    let seen = ray(environment.0, environment.1, origin, direction);
    let nearest = seen.into_iter().filter(|d| *d >= least && *d < far).fold(f64::INFINITY, f64::min);
    nearest.is_finite().then_some(far - nearest)
}

/// Compares every pixel with the definition. A pixel in which the definition itself changes within a
/// hundredth of a pixel, or by a hair's depth, may fall either way. Gives how many were compared.
fn compare_with_rays(
    object: &TriMesh,
    pose: &Isometry3<f64>,
    environment: &TriMesh,
    at: &Isometry3<f64>,
    direction: Vector3<f64>,
    bounds: Bounds,
) -> [usize; 2] {
    let profile = Profile::new(&shape(object.clone()), direction, 24).unwrap();
    let obstacles = [Obstacle::new(&shape(environment.clone()), *at, 5)];
    let mut scratch = AgainstScratch::default();
    let mut overlap = Overlap::default();
    profile.overlap(pose, &obstacles, bounds, &mut scratch, &mut overlap);
    let sums = profile.measure(pose, &obstacles, bounds, &mut scratch);
    assert_eq!(sums.area, overlap.area);
    assert!((sums.volume - overlap.volume).abs() <= 1e-9 * overlap.volume);
    assert_eq!(sums.deepest, overlap.deepest);
    assert_eq!(sums.at.is_some(), !overlap.pixels.is_empty());
    assert_eq!(profile.meets(pose, &obstacles, bounds, &mut scratch), !overlap.pixels.is_empty());
    let plane = profile.plane();
    let [width, height] = plane.pixels();
    let [w, h] = plane.pixel_size();
    let along = pose * plane.direction();
    let hair = 2e-5 * profile.length();
    let (mut sure, mut hits) = (0, 0);
    for y in 0..height {
        for x in 0..width {
            let ask = |dx: f64, dy: f64| {
                let p = plane.place(x, y, 0.0) + plane.axes()[0] * (dx * w) + plane.axes()[1] * (dy * h);
                truth((object, pose), (environment, at), pose * p, along, bounds)
            };
            let all =
                [ask(0.0, 0.0), ask(0.01, 0.013), ask(-0.012, 0.01), ask(0.011, -0.01), ask(-0.01, -0.011)];
            let found = overlap.pixels.iter().find(|p| (p.x, p.y) == (x, y));
            let steady = all.iter().all(|a| match (a, all[0]) {
                (Some(a), Some(b)) => (a - b).abs() < 0.05 * profile.length() && *a > hair,
                (a, b) => a.is_none() && b.is_none(),
            });
            if !steady {
                continue;
            }
            sure += 1;
            let spread = all.iter().flatten().map(|a| (a - all[0].unwrap()).abs()).fold(hair, f64::max);
            match (found, all[0]) {
                (None, None) => {}
                (Some(found), Some(depth)) => {
                    hits += 1;
                    // A corner that is snapped by 1/512 of a pixel shifts a steep surface in depth; two that
                    // are as steep do not cancel.
                    let steep = |n: Vector3<f32>| {
                        let across = n.cast::<f64>().dot(&along).abs().max(1e-9);
                        (1.0 - across * across).max(0.0).sqrt() / across
                    };
                    let snapped = steep(found.object.normal) + steep(found.environment.normal);
                    let slack = 2.0 * spread + 0.01 * w.max(h) * snapped;
                    assert!((found.depth - depth).abs() <= slack, "{x} {y}: {found:?} {all:?}");
                    assert_eq!(found.environment.body, 5);
                    assert!((found.environment.normal.norm() - 1.0).abs() < 1e-5);
                    assert!(found.object.normal.cast::<f64>().dot(&along) > -1e-6, "the far side looks on");
                }
                other => {
                    // A surface within a hair of a bound.
                    let near = ray(object, pose, pose * plane.place(x, y, 0.0), along);
                    let other_near = ray(environment, at, pose * plane.place(x, y, 0.0), along);
                    let close = near.iter().any(|a| other_near.iter().any(|b| (a - b).abs() < 2.0 * hair));
                    assert!(close, "{bounds:?} {x} {y}: {other:?}");
                }
            }
        }
    }
    [sure, hits]
}

#[test]
fn a_torus_in_a_torus_overlaps_where_rays_say_so() {
    let ring = torus(1.0, 0.4, 24, 16);
    let turned = Isometry3::from_parts(
        Translation3::new(0.7, 0.3, 0.4),
        UnitQuaternion::from_euler_angles(0.4, 1.1, 0.3),
    );
    for bounds in [Bounds::Box, Bounds::Terrain, Bounds::TwoSided] {
        for direction in [Vector3::z(), -Vector3::y(), Vector3::new(0.3, -0.5, 0.8)] {
            let [sure, hits] =
                compare_with_rays(&ring, &Isometry3::identity(), &ring, &turned, direction, bounds);
            assert!(sure > 150 && hits > 20, "{bounds:?} {direction:?}: {sure} {hits}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn anywhere_the_overlap_is_that_of_rays(
        pose in pose(),
        at in pose(),
        scale in prop::sample::select(vec![1e-4, 1.0, 1e3]),
        direction in prop::array::uniform3(-1.0..1.0f64),
        bounds in prop::sample::select(vec![Bounds::Box, Bounds::Terrain, Bounds::TwoSided]),
    ) {
        let direction = Vector3::from(direction);
        prop_assume!(direction.norm() > 0.1);
        let sized = |mesh: TriMesh| {
            let vertices = mesh.vertices().iter().map(|v| (v.cast::<f64>() * scale).cast()).collect();
            mesh.with_vertices(vertices).unwrap()
        };
        let moved = |pose: Isometry3<f64>| {
            Isometry3::from_parts(Translation3::from(pose.translation.vector * scale), pose.rotation)
        };
        let (object, environment) = (sized(torus(0.8, 0.35, 16, 10)), sized(sphere_mesh(0.9, 16, 9)));
        compare_with_rays(&object, &moved(pose), &environment, &moved(at), direction, bounds);
    }
}

#[test]
fn what_is_behind_the_object_is_a_false_hit_of_one_side_and_none_of_both() {
    // A box before the object's tail: the paper's late frame.
    let bolt = Shape::Composite(Arc::new(
        Composite::new(vec![
            (Isometry3::identity(), shape(box_mesh([0.2, 0.2, 1.0]))),
            (Isometry3::translation(0.0, 0.0, 0.8), shape(box_mesh([1.0, 1.0, 0.2]))),
        ])
        .unwrap(),
    ));
    let rock = shape(box_mesh([0.1, 0.1, 0.1]));
    let obstacles = [Obstacle::new(&rock, Isometry3::translation(0.6, 0.0, -0.3), 1)];
    let profile = Profile::new(&bolt, Vector3::z(), 64).unwrap();
    let mut scratch = AgainstScratch::default();
    let mut meets = |bounds| profile.meets(&Isometry3::identity(), &obstacles, bounds, &mut scratch);
    assert!(meets(Bounds::Box) && meets(Bounds::Terrain));
    assert!(!meets(Bounds::TwoSided));
}

#[test]
fn terrain_catches_what_has_sunk_out_of_the_box() {
    // A ball a metre below the ground, looked at downward; the ground is a mesh.
    let ball = Shape::sphere(0.5).unwrap();
    let profile = Profile::new(&ball, -Vector3::z(), 32).unwrap();
    let slab = shape(box_mesh([9.0, 9.0, 6.0]));
    let ground = [Obstacle::new(&slab, Isometry3::translation(0.0, 0.0, -6.0), 9)];
    let sunk = Isometry3::translation(3.0, -4.0, -1.5);
    let mut scratch = AgainstScratch::default();
    assert!(!profile.meets(&sunk, &ground, Bounds::TwoSided, &mut scratch));
    assert!(!profile.meets(&sunk, &ground, Bounds::Box, &mut scratch));
    let sums = profile.measure(&sunk, &ground, Bounds::Terrain, &mut scratch);
    assert!((sums.deepest - 2.0).abs() < 2e-3, "{sums:?}");
    assert_eq!(sums.at.unwrap().normal, Vector3::z());
}

#[test]
fn a_half_space_is_solid_from_wherever_it_is_looked_at() {
    // A ball of 1 m sunk by 0.3 m: what lies in the ground is its cap, π h² (3 r − h) / 3.
    let ball = Shape::sphere(1.0).unwrap();
    let ground = [Obstacle::new(&Shape::half_space(), Isometry3::identity(), 9)];
    let sunk = Isometry3::translation(3.0, -4.0, 0.7);
    let cap = std::f64::consts::PI * 0.09 * (3.0 - 0.3) / 3.0;
    // A row of pixels more or less, where the plane cuts the picture, is half a pixel times its base.
    let row = std::f64::consts::PI * (1.0 - 0.49) / 256.0;
    let mut scratch = AgainstScratch::default();
    // Along its plane, as good as along it to either side, and downward.
    for tilt in [0.0, 1e-17, -1e-17, 1e-9, -1e-9] {
        let along = Vector3::new(0.6, 0.8, tilt);
        let profile = Profile::new(&ball, along, 256).unwrap();
        let sums = profile.measure(&sunk, &ground, Bounds::TwoSided, &mut scratch);
        assert!((sums.volume - cap).abs() < 1.1 * row, "{tilt}: {sums:?}, {cap}");
        let at = sums.at.unwrap();
        assert!((at.body, at.triangle) == (9, NO_TRIANGLE) && (at.normal - Vector3::z()).norm() < 1e-6);
        assert!(profile.meets(&sunk, &ground, Bounds::Box, &mut scratch));
        assert!(profile.meets(&sunk, &ground, Bounds::Terrain, &mut scratch), "{tilt}");
        let above = Isometry3::translation(3.0, -4.0, 1.01);
        for bounds in [Bounds::Box, Bounds::TwoSided] {
            assert!(!profile.meets(&above, &ground, bounds, &mut scratch), "{tilt} {bounds:?}");
        }
    }
    // All of it in the ground: the whole ball, along whatever direction.
    let deep = Isometry3::translation(0.0, 0.0, -5.0);
    for direction in [Vector3::x(), Vector3::z(), -Vector3::z(), Vector3::new(1.0, 2.0, 3.0)] {
        let profile = Profile::new(&ball, direction, 256).unwrap();
        let sums = profile.measure(&deep, &ground, Bounds::TwoSided, &mut scratch);
        let whole = 4.0 / 3.0 * std::f64::consts::PI;
        assert!((sums.volume - whole).abs() < 0.01 * whole, "{direction}: {sums:?}");
        let mut overlap = Overlap::default();
        profile.overlap(&deep, &ground, Bounds::TwoSided, &mut scratch, &mut overlap);
        assert!((overlap.normal - Vector3::z()).norm() < 1e-6);
    }
}

#[test]
fn a_ball_in_the_ground_overlaps_by_its_cap_and_knows_the_callers_channels() {
    let ball = Shape::sphere(1.0).unwrap();
    let profile = Profile::new(&ball, -Vector3::z(), 256).unwrap();
    let mut ground = Obstacle::new(&Shape::half_space(), Isometry3::identity(), 9);
    ground.channels = Channels::Body([1.0, 2.0, 3.0, 4.0]);
    let mut overlap = Overlap::default();
    let pose = Isometry3::translation(0.0, 0.0, 0.7);
    let mut scratch = AgainstScratch::default();
    profile.overlap(&pose, &[ground], Bounds::Terrain, &mut scratch, &mut overlap);
    let cap = std::f64::consts::PI * 0.09 * (3.0 - 0.3) / 3.0;
    assert!((overlap.volume - cap).abs() < 4e-3 * cap, "{} against {cap}", overlap.volume);
    assert!((overlap.normal - Vector3::z()).norm() < 1e-6);
    assert!(overlap.pixels.iter().all(|p| p.channels == Some([1.0, 2.0, 3.0, 4.0])));

    // A triangle whose channels are its coordinates.
    let corners = [[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 12.0, 0.0]].map(|p: [f32; 3]| Point3::from(p));
    let sheet = TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
    let mut sheet = Obstacle::new(&shape(sheet), Isometry3::identity(), 2);
    sheet.channels = Channels::Vertices(corners.map(|p| [p.x, p.y, p.z, 1.0]).into());
    profile.overlap(&pose, &[sheet], Bounds::Terrain, &mut scratch, &mut overlap);
    assert!(!overlap.pixels.is_empty());
    for p in &overlap.pixels {
        let place = pose * profile.plane().place(p.x, p.y, p.environment.depth);
        let [x, y, z, one] = p.channels.unwrap().map(f64::from);
        assert!((Point3::new(x, y, z) - place).norm() < 1e-4 && (one - 1.0).abs() < 1e-5);
    }
}

#[test]
fn shapes_that_cannot_be_seen_are_refused_and_flat_ones_do_no_harm() {
    let endless = Profile::new(&Shape::half_space(), Vector3::z(), 32).unwrap_err();
    assert_eq!(endless, HeightMapError::Endless);
    let ball = Shape::sphere(1.0).unwrap();
    assert!(matches!(Profile::new(&ball, Vector3::zeros(), 32), Err(HeightMapError::Direction { .. })));
    let nan = Vector3::new(f64::NAN, 0.0, 1.0);
    assert!(matches!(Profile::new(&ball, nan, 32), Err(HeightMapError::Direction { .. })));
    assert!(matches!(Profile::new(&ball, Vector3::z(), 0), Err(HeightMapError::Pixels { .. })));
    assert!(matches!(Profile::new(&ball, Vector3::z(), 1 << 20), Err(HeightMapError::Pixels { .. })));
    // A triangle seen edge on covers no pixel and overlaps nothing.
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|p: [f32; 3]| Point3::from(p));
    let sheet = shape(TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap());
    let edge_on = Profile::new(&sheet, Vector3::x(), 32).unwrap();
    let mut scratch = AgainstScratch::default();
    let around = [Obstacle::new(&ball, Isometry3::identity(), 0)];
    assert!(!edge_on.meets(&Isometry3::identity(), &around, Bounds::Box, &mut scratch));
    assert_eq!(edge_on.enclosed(), 0.0);
    // Nothing around: nothing overlaps.
    let profile = Profile::new(&ball, Vector3::z(), 32).unwrap();
    assert!(!profile.meets(&Isometry3::identity(), &[], Bounds::Terrain, &mut scratch));
}

#[test]
fn a_profile_is_redrawn_as_if_it_were_new_and_is_the_same_for_any_number_of_threads() {
    let ring = shape(torus(1.0, 0.4, 96, 64));
    let ball = shape(sphere_mesh(1.0, 32, 16));
    let direction = Vector3::new(0.2, 0.3, 1.0);
    let draw = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Profile::new(&ring, direction, 512).unwrap())
    };
    let (one, three) = (draw(1), draw(3));
    assert_eq!((&one.near, &one.far), (&three.near, &three.far));
    let mut again = Profile::new(&ball, direction, 512).unwrap();
    again.redraw(&ring).unwrap();
    assert_eq!((&one.near, &one.far), (&again.near, &again.far));
    assert!(again.redraw(&Shape::half_space()).is_err());
    assert_eq!((&one.near, &one.far), (&again.near, &again.far));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Drawn only where obstacles reach, again and again at other places: the answers of the whole.
    #[test]
    fn drawn_where_it_matters_the_answer_is_that_of_the_whole(
        poses in prop::collection::vec(pose(), 3..6),
        kind in 0usize..3,
    ) {
        let bounds = [Bounds::Box, Bounds::Terrain, Bounds::TwoSided][kind];
        let shapes = [shape(torus(1.0, 0.4, 40, 24)), shape(sphere_mesh(0.8, 24, 12))];
        let around = [
            Obstacle::new(&shape(torus(0.9, 0.2, 30, 16)), Isometry3::translation(1.2, 0.3, 0.1), 1),
            Obstacle::new(&shape(box_mesh([0.3, 0.4, 0.2])), Isometry3::translation(-0.7, 0.9, 0.4), 2),
        ];
        let mut some = Profile::new(&shapes[0], Vector3::new(0.3, 0.2, 1.0), 64).unwrap();
        let mut scratch = AgainstScratch::default();
        for (k, pose) in poses.iter().enumerate() {
            let object = &shapes[k % 2];
            some.redraw_against(object, pose, &around, bounds, &mut scratch).unwrap();
            let mut all = some.clone();
            all.redraw(object).unwrap();
            let fresh = Profile::new(object, Vector3::new(0.3, 0.2, 1.0), 64).unwrap();
            prop_assert_eq!((&all.near, &all.far), (&fresh.near, &fresh.far));
            let [mut a, mut b] = [Overlap::default(), Overlap::default()];
            some.overlap(pose, &around, bounds, &mut scratch, &mut a);
            all.overlap(pose, &around, bounds, &mut scratch, &mut b);
            prop_assert_eq!(a, b);
            prop_assert_eq!(
                some.meets(pose, &around, bounds, &mut scratch),
                all.meets(pose, &around, bounds, &mut scratch)
            );
        }
    }
}

#[test]
fn the_best_direction_wastes_least() {
    // A deep cup that opens along +z: looked at along its axis its hollow does not count, and of both
    // ways with one-sided bounds the one in which its mouth looks forward.
    let cup = {
        let wall = |pose: Isometry3<f64>, half: [f32; 3]| (pose, shape(box_mesh(half)));
        Shape::Composite(Arc::new(
            Composite::new(vec![
                wall(Isometry3::translation(0.0, 0.0, -0.9), [1.0, 1.0, 0.1]),
                wall(Isometry3::translation(0.9, 0.0, 0.1), [0.1, 1.0, 0.9]),
                wall(Isometry3::translation(-0.9, 0.0, 0.1), [0.1, 1.0, 0.9]),
                wall(Isometry3::translation(0.0, 0.9, 0.1), [0.8, 0.1, 0.9]),
                wall(Isometry3::translation(0.0, -0.9, 0.1), [0.8, 0.1, 0.9]),
            ])
            .unwrap(),
        ))
    };
    for candidates in [Candidates::Box, Candidates::Diagonals, Candidates::Sphere(100)] {
        let one = best_direction(&cup, Bounds::Box, candidates).unwrap();
        assert!(one.z > 0.99, "{candidates:?}: {one}");
        let two = best_direction(&cup, Bounds::TwoSided, candidates).unwrap();
        assert!(two.z.abs() > 0.99, "{candidates:?}: {two}");
    }
    let volume = 8.0 - 1.6 * 1.6 * 1.8;
    let wasted = waste(&cup, Vector3::z(), Bounds::TwoSided).unwrap();
    assert!((wasted - volume).abs() < 0.03 * volume, "{wasted} {volume}");
    assert_eq!(directions(&Primitive::Sphere { radius: 1.0 }.into(), Candidates::Sphere(400)).len(), 406);
    assert_eq!(directions(&cup, Candidates::Diagonals).len(), 26);
}

#[test]
fn points_lie_in_a_ball_where_they_are_nearer_than_its_radius() {
    let ball = Shape::sphere(1.0).unwrap();
    let profile = Profile::new(&ball, Vector3::new(0.3, 0.2, 1.0), 256).unwrap();
    let pose = Isometry3::from_parts(
        Translation3::new(4.0, -1.0, 2.0),
        UnitQuaternion::from_euler_angles(0.5, 0.1, 2.0),
    );
    let at = |k: usize| (k as f32 * 0.618).fract() * 2.4 - 1.2;
    let mut points: Vec<[f32; 3]> =
        (0..4000).map(|k| [4.0 + at(k), -1.0 + at(k / 16 + 7), 2.0 + at(k / 256 + 3)]).collect();
    points[100] = [f32::NAN, 0.0, 0.0];
    points[101] = [f32::INFINITY, 0.0, 0.0];
    let mut inside = Vec::new();
    profile.points_inside(&pose, &points, Bounds::TwoSided, &mut inside);
    for (k, p) in points.iter().enumerate() {
        let away = (Point3::from(*p).cast::<f64>() - Point3::new(4.0, -1.0, 2.0)).norm();
        // Near the outline a pixel's width is a long way on the surface.
        if (away - 1.0).abs() > 0.1 || away.is_nan() {
            assert_eq!(inside.contains(&(k as u32)), away < 1.0, "{p:?} {away}");
        }
    }
    assert!(inside.len() > 500);
}
