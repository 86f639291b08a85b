//! Tests of clouds against closed forms and against rays cast at every triangle.

use std::sync::Arc;

use impinge_geometry::{Shape, TriMesh};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::*;
use crate::height_map::{Channels, ImagePlane, Obstacle};
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};

fn shape(mesh: TriMesh) -> Shape {
    Shape::Mesh(Arc::new(mesh))
}

fn upward(pixels: u32) -> CloudView {
    // Looks along +z from z = 0 over 4 m × 4 m.
    let plane =
        ImagePlane::new(Point3::origin(), Vector3::z(), Vector3::y(), [4.0, 4.0], [pixels, pixels]).unwrap();
    CloudView::Along(plane.between(0.0, 10.0))
}

/// The nearest crossing of a ray (unit or not) with placed triangles, in lengths of `along`, from `least` on.
fn nearest(
    mesh: &TriMesh,
    pose: &Isometry3<f64>,
    origin: Point3<f64>,
    along: Vector3<f64>,
    least: f64,
) -> f64 {
    let mut best = f64::INFINITY;
    for t in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = mesh.corners(t).map(|p| pose * p.cast::<f64>() - origin);
        let n = (b - a).cross(&(c - a));
        let depth = n.dot(&a) / n.dot(&along);
        let p = along * depth;
        let sides = [(a, b), (b, c), (c, a)].map(|(p0, p1)| (p1 - p0).cross(&(p - p0)).dot(&n));
        if depth >= least && depth < best && sides.iter().all(|s| *s >= 0.0) {
            best = depth;
        }
    }
    best
}

/// Compares every pixel with rays; one in which rays differ within a hundredth of a pixel may fall either
/// way. Gives how many were compared and how many of them saw something.
fn compare_with_rays(view: CloudView, mesh: &TriMesh, pose: &Isometry3<f64>) -> [usize; 2] {
    let mut map = CloudMap::new(view).unwrap();
    map.draw(&[Obstacle::new(&shape(mesh.clone()), *pose, 0)]);
    let ([width, height], pictures) = view.pictures();
    let (mut sure, mut seen) = (0, 0);
    for k in 0..map.depths().len() {
        let [x, row] = [k as u32 % width, k as u32 / width];
        let (picture, y) = (row / height, row % height);
        assert!((picture as usize) < pictures);
        let cast = |dx: f64, dy: f64| match view {
            CloudView::Along(plane) => {
                let [right, up, _] = plane.axes();
                let [w, h] = plane.pixel_size();
                let origin = plane.place(x, y, 0.0) + right * (dx * w) + up * (dy * h);
                let depth = nearest(mesh, pose, origin, plane.direction(), plane.depths()[0]);
                if depth <= plane.depths()[1] { depth } else { f64::INFINITY }
            }
            CloudView::Around { center, near, pixels } => {
                let across = |n: u32, d: f64| (f64::from(n) + 0.5 + d) / f64::from(pixels) * 2.0 - 1.0;
                let [right, down, forward] = view::FACES[picture as usize].map(Vector3::from);
                nearest(mesh, pose, center, forward + right * across(x, dx) + down * across(y, dy), near)
            }
        };
        let all =
            [cast(0.0, 0.0), cast(0.01, 0.013), cast(-0.012, 0.01), cast(0.011, -0.01), cast(-0.01, -0.011)];
        let finite = all.iter().filter(|d| d.is_finite()).count();
        let spread = all.iter().map(|d| (d - all[0]).abs()).fold(1e-5, f64::max);
        if finite == 0 {
            sure += 1;
            assert!(map.depths()[k].is_infinite(), "{view:?} pixel {k}: {} {all:?}", map.depths()[k]);
        } else if finite == 5 && spread < 0.05 {
            (sure, seen) = (sure + 1, seen + 1);
            let found = f64::from(map.depths()[k]);
            assert!((found - all[0]).abs() < 2.0 * spread, "{view:?} pixel {k}: {found} {all:?}");
        }
    }
    [sure, seen]
}

#[test]
fn the_pictures_are_those_of_rays() {
    let turn = UnitQuaternion::from_euler_angles(0.5, 0.3, 0.9);
    let ring = torus(1.0, 0.35, 24, 14);
    let ahead = Isometry3::from_parts(Translation3::new(0.1, -0.2, 3.0), turn);
    let [sure, seen] = compare_with_rays(upward(40), &ring, &ahead);
    assert!(sure > 1200 && seen > 300, "{sure} {seen}");
    // The near plane goes through it: what is cut shows its inner side.
    let cut = Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.1), turn);
    assert!(compare_with_rays(upward(40), &ring, &cut)[1] > 200);
    let around = CloudView::Around { center: Point3::new(0.1, 0.2, -0.1), near: 0.05, pixels: 24 };
    // From within a ball all six faces are full; beside a ring some are.
    let [_, seen] = compare_with_rays(around, &sphere_mesh(2.0, 20, 12), &Isometry3::identity());
    assert!(seen > 6 * 24 * 24 * 9 / 10, "{seen}");
    assert!(compare_with_rays(around, &ring, &ahead)[1] > 50);
    assert!(compare_with_rays(around, &ring, &cut)[1] > 200);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn anywhere_the_pictures_are_those_of_rays(
        t in prop::array::uniform3(-2.0..2.0f64),
        r in prop::array::uniform3(-3.0..3.0f64),
        near in prop::sample::select(vec![0.01, 0.3]),
    ) {
        let turn = UnitQuaternion::from_euler_angles(r[0], r[1], r[2]);
        let pose = Isometry3::from_parts(Translation3::from(Vector3::from(t)), turn);
        let mesh = torus(0.9, 0.3, 14, 9);
        compare_with_rays(upward(20), &mesh, &pose);
        compare_with_rays(CloudView::Around { center: Point3::origin(), near, pixels: 12 }, &mesh, &pose);
    }

    // Points that rise into a box of 2 m at z = 3 hit its lower face where they are below it, and
    // nothing elsewhere; what is not a number hits nothing.
    #[test]
    fn points_hit_what_they_rise_into(
        points in prop::collection::vec(
            (prop::array::uniform3(-1.9..1.9f32), 0.0..6.0f32, 0..20u8), 1..60),
        radius in prop::sample::select(vec![0.0f32, 0.25]),
    ) {
        let from: Vec<[f32; 3]> = points.iter().map(|(p, _, _)| [p[0], p[1], p[2].abs()]).collect();
        let to: Vec<[f32; 3]> = points
            .iter()
            .zip(&from)
            .map(|((_, rise, odd), p)| [p[0], if *odd == 0 { f32::NAN } else { p[1] }, p[2] + rise])
            .collect();
        let lid = shape(box_mesh([1.0, 1.0, 0.5]));
        let obstacles = [Obstacle::new(&lid, Isometry3::translation(0.0, 0.0, 3.0), 4)];
        let mut map = CloudMap::new(upward(256)).unwrap();
        map.draw(&obstacles);
        let mut hits = Vec::new();
        map.hits(&obstacles, Points::new(&from, &to).radius(radius), &mut hits).unwrap();
        prop_assert!(hits.windows(2).all(|w| w[0].point < w[1].point));
        for k in 0..from.len() {
            let [x, y, z] = [to[k][0], to[k][1], to[k][2] + radius];
            // Within a pixel of the border either is right.
            if (x.abs() - 1.0).abs() < 0.02 || (y.abs() - 1.0).abs() < 0.02 || (z - 2.5).abs() < 1e-4 {
                continue;
            }
            let inside = x.abs() < 1.0 && y.abs() < 1.0 && z > 2.5;
            let found = hits.iter().find(|h| h.point as usize == k);
            prop_assert_eq!(found.is_some(), inside && from[k][2] + radius < 2.5, "{:?} {:?}", from[k], to[k]);
            if let Some(hit) = found {
                prop_assert!((hit.depth - f64::from(z - 2.5)).abs() < 1e-4);
                prop_assert!((hit.position - Point3::new(f64::from(x), f64::from(y), 2.5)).norm() < 1e-4);
                prop_assert_eq!((hit.normal, hit.body), (-Vector3::z(), 4));
            }
        }
        let odd = to.iter().filter(|p| p[1].is_nan()).count() as u64;
        prop_assert_eq!(map.counts().unusable, odd);
    }
}

#[test]
fn points_that_fly_apart_in_a_ball_stop_at_its_wall_and_turn_back() {
    let ball = shape(sphere_mesh(2.0, 64, 40));
    let mut wall = Obstacle::new(&ball, Isometry3::translation(5.0, 1.0, 0.0), 1);
    wall.channels = Channels::Body([7.0, 0.0, 0.0, 0.0]);
    let obstacles = [wall];
    let center = Point3::new(5.1, 0.9, 0.1);
    let mut map = CloudMap::new(CloudView::Around { center, near: 0.01, pixels: 128 }).unwrap();
    map.draw(&obstacles);
    let mut from = Vec::new();
    let mut to = Vec::new();
    for k in 0..2000 {
        let (a, z) = (2.4 * f64::from(k), 1.0 - (f64::from(k) + 0.5) / 1000.0);
        let d = Vector3::new(a.cos() * (1.0 - z * z).sqrt(), a.sin() * (1.0 - z * z).sqrt(), z);
        from.push((center + d * 1.5).cast::<f32>().into());
        to.push((center + d * if k % 2 == 0 { 1.6 } else { 2.4 }).cast::<f32>().into());
    }
    for radius in [0.0, 0.2] {
        stop_at_the_wall(&mut map, &obstacles, Points::new(&from, &to).radius(radius));
    }
}

fn stop_at_the_wall(map: &mut CloudMap, obstacles: &[Obstacle], points: Points<'_>) {
    let Points { to, radius, .. } = points;
    let mut hits = Vec::new();
    map.hits(obstacles, points, &mut hits).unwrap();
    assert_eq!(
        hits.iter().map(|h| h.point).collect::<Vec<_>>(),
        (0..1000).map(|k| 2 * k + 1).collect::<Vec<_>>()
    );
    for hit in &hits {
        let out = hit.position - Point3::new(5.0, 1.0, 0.0);
        assert!((out.norm() - 2.0).abs() < 0.03, "{}", out.norm());
        assert!(hit.normal.cast::<f64>().dot(&out.normalize()) < -0.99, "the wall turns inward to the cloud");
        assert_eq!(hit.channels, Some([7.0, 0.0, 0.0, 0.0]));
        let bounce = Bounce { restitution: 1.0, friction: 0.0, gap: 0.01 };
        let (mut place, mut velocity) = (to[hit.point as usize], (out * 3.0).cast::<f32>().into());
        bounce.apply(hit, &mut place, &mut velocity);
        assert!((Vector3::from(velocity).norm() - 3.0 * out.norm() as f32).abs() < 1e-4);
        assert!(Vector3::from(velocity).dot(&hit.normal) > 0.0);
        let away = (Point3::from(place).cast::<f64>() - hit.position).norm();
        assert!((away - 0.01 - f64::from(radius)).abs() < 1e-3, "{away}");
    }
}

#[test]
fn who_starts_behind_the_first_surface_hits_nothing() {
    // Above the lid at z = 3 and sinking: no upward view can know.
    let lid = shape(box_mesh([1.0, 1.0, 0.5]));
    let obstacles = [Obstacle::new(&lid, Isometry3::translation(0.0, 0.0, 3.0), 4)];
    let mut map = CloudMap::new(upward(64)).unwrap();
    map.draw(&obstacles);
    let mut hits = Vec::new();
    // The second comes round the rim, above the lid: not through it.
    let (from, to) = ([[0.2, 0.1, 5.0], [1.5, 0.0, 4.0]], [[0.2, 0.1, 3.2], [0.9, 0.0, 4.0]]);
    map.hits(&obstacles, Points::new(&from, &to), &mut hits).unwrap();
    assert_eq!(hits, []);
    // Sideways into the wall below whose rim it was.
    let (from, to) = ([[1.5, 0.0, 2.4]], [[0.9, 0.0, 2.6]]);
    map.hits(&obstacles, Points::new(&from, &to), &mut hits).unwrap();
    assert_eq!(hits.len(), 1);
}

#[test]
fn the_map_is_the_same_for_any_number_of_threads_and_when_it_is_drawn_again() {
    let ring = shape(torus(1.0, 0.4, 128, 64));
    let obstacles = [
        Obstacle::new(&ring, Isometry3::translation(0.0, 0.0, 3.0), 4),
        Obstacle::new(&Shape::sphere(0.5).unwrap(), Isometry3::translation(1.0, 0.0, 2.0), 5),
    ];
    let draw = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut map = CloudMap::new(upward(256)).unwrap();
            map.draw(&[]);
            map.draw(&obstacles);
            map
        })
    };
    let (one, three) = (draw(1), draw(3));
    assert_eq!(one.depths(), three.depths());
    assert_eq!(one.normals(&obstacles), three.normals(&obstacles));
    let mut again =
        CloudMap::new(CloudView::Around { center: Point3::origin(), near: 0.1, pixels: 16 }).unwrap();
    again.draw(&obstacles);
    again.look(upward(256)).unwrap();
    again.draw(&obstacles);
    assert_eq!(one.depths(), again.depths());
}

#[test]
fn views_and_points_that_make_no_sense_are_refused() {
    assert_eq!(CloudView::ahead_of(&[], Vector3::z(), 1.0, 16), Err(CloudError::Empty));
    assert_eq!(CloudView::around(&[[f32::NAN; 3]], 0.1, 16), Err(CloudError::Empty));
    // One point and nothing ahead: a picture without size.
    assert!(matches!(CloudView::ahead_of(&[[0.0; 3]], Vector3::z(), 0.0, 16), Err(CloudError::View(_))));
    assert!(matches!(CloudView::ahead_of(&[[0.0; 3]], Vector3::zeros(), 1.0, 16), Err(CloudError::View(_))));
    let around = |near, pixels| {
        CloudMap::new(CloudView::Around { center: Point3::origin(), near, pixels }).map(|_| ())
    };
    assert!(matches!(around(0.0, 16), Err(CloudError::View(_))));
    assert!(matches!(around(f64::NAN, 16), Err(CloudError::View(_))));
    assert!(matches!(around(0.1, 0), Err(CloudError::View(_))));
    assert!(matches!(around(0.1, 1 << 16), Err(CloudError::View(_))));
    let mut map = CloudMap::new(CloudView::ahead_of(&[[0.0; 3]], Vector3::z(), 1.0, 16).unwrap()).unwrap();
    map.draw(&[]);
    let lengths = map.hits(&[], Points::new(&[[0.0; 3]], &[]), &mut Vec::new());
    assert_eq!(lengths, Err(CloudError::Lengths { from: 1, to: 0 }));
    map.hits(&[], Points::new(&[], &[]), &mut Vec::new()).unwrap();
    for radius in [-0.1, f32::INFINITY] {
        let refused = map.hits(&[], Points::new(&[], &[]).radius(radius), &mut Vec::new());
        assert_eq!(refused, Err(CloudError::Radius { radius }));
    }
    assert!(Bounce { restitution: 1.5, ..Bounce::default() }.checked().is_err());
    assert!(Bounce { gap: f32::NAN, ..Bounce::default() }.checked().is_err());
    assert_eq!(Bounce::default().checked(), Ok(Bounce::default()));
}
