//! Tests of height maps against closed forms and against each other.

use impinge_geometry::{Primitive, Shape};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::*;
use crate::coverage::rows;
use impinge_scenes::fixtures::box_mesh;

mod against;

fn down(pixels: u32) -> ImagePlane {
    // Looks along −z from z = 10 over 4 m × 4 m; y is up in the picture.
    ImagePlane::new(Point3::new(0.0, 0.0, 10.0), -Vector3::z(), Vector3::y(), [4.0, 4.0], [pixels, pixels])
        .unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::identity())
}

#[test]
fn a_picture_is_not_mirrored_and_its_first_row_is_the_top() {
    // A small ball at +x, +y, seen from above with y up: right of the middle, above the middle.
    let ball = Shape::sphere(0.25).unwrap();
    let map =
        HeightMap::scene(down(64), Which::Near, [Subject { shape: &ball, pose: at(1.0, 1.5, 0.0), body: 7 }]);
    let hit = map.at(48, 8).unwrap();
    assert_eq!((hit.body, hit.triangle), (7, NO_TRIANGLE));
    assert!((hit.depth - 9.75).abs() < 0.01, "{hit:?}");
    assert!(map.at(16, 8).is_none() && map.at(48, 56).is_none() && map.at(64, 0).is_none());
}

#[test]
fn near_and_far_of_a_box_are_its_top_and_bottom() {
    let mesh = box_mesh([1.0, 0.5, 0.25]);
    for (which, depth, up) in [(Which::Near, 9.75, 1.0), (Which::Far, 10.25, -1.0)] {
        let mut map = HeightMap::new(down(32), which);
        map.draw_mesh(&mesh, &Isometry3::identity(), 3);
        let filled: Vec<f64> = map.depths().iter().copied().filter(|d| d.is_finite()).collect();
        assert_eq!(filled.len(), 16 * 8, "2 m × 1 m of 4 m × 4 m");
        assert!(filled.iter().all(|d| (d - depth).abs() < 1e-12));
        assert_eq!(map.at(16, 16).unwrap().normal, Vector3::new(0.0, 0.0, up));
    }
}

#[test]
fn a_ball_pressed_into_a_floor_overlaps_by_its_cap() {
    // Radius 1, sunk by 0.3: the cap's volume is π h² (3 r − h) / 3.
    let plane = down(256);
    let ball = Shape::sphere(1.0).unwrap();
    let floor = Shape::half_space();
    let object =
        HeightMap::scene(plane, Which::Far, [Subject { shape: &ball, pose: at(0.0, 0.0, 0.7), body: 0 }]);
    let environment = HeightMap::scene(
        plane,
        Which::Near,
        [Subject { shape: &floor, pose: Isometry3::identity(), body: 1 }],
    );
    let overlap = compare(&object, &environment).unwrap();
    let cap = std::f64::consts::PI * 0.09 * (3.0 - 0.3) / 3.0;
    assert!((overlap.volume - cap).abs() < 2e-3 * cap, "{} against {cap}", overlap.volume);
    assert!((overlap.deepest - 0.3).abs() < 1e-3);
    assert!(overlap.pixels.iter().all(|p| p.environment.body == 1 && p.environment.normal.z == 1.0));
    assert_eq!(compare(&environment, &object), Err(HeightMapError::NotComparable));
    // Lifted clear of the floor, nothing overlaps.
    let object =
        HeightMap::scene(plane, Which::Far, [Subject { shape: &ball, pose: at(0.0, 0.0, 1.001), body: 0 }]);
    assert_eq!(compare(&object, &environment).unwrap(), Overlap::default());
}

#[test]
fn what_lies_outside_the_depths_asked_for_is_not_seen() {
    let mesh = box_mesh([1.0, 1.0, 1.0]);
    let mut map = HeightMap::new(down(16).between(9.5, 12.0), Which::Near);
    map.draw_mesh(&mesh, &Isometry3::identity(), 0);
    assert_eq!(map.at(8, 8).unwrap().depth, 11.0, "the top at depth 9 lies before the plane at 9.5");
}

#[test]
fn equal_depths_go_to_the_lower_body_in_any_order() {
    let mesh = box_mesh([1.0, 1.0, 1.0]);
    for bodies in [[4, 2], [2, 4]] {
        let mut map = HeightMap::new(down(16), Which::Near);
        for body in bodies {
            map.draw_mesh(&mesh, &Isometry3::identity(), body);
        }
        assert_eq!(map.at(8, 8).unwrap().body, 2);
    }
}

#[test]
fn planes_that_make_no_sense_are_refused() {
    let (o, z, y) = (Point3::origin(), Vector3::z(), Vector3::y());
    let plane = |c, d, u, s, p| ImagePlane::new(c, d, u, s, p).unwrap_err();
    assert!(matches!(plane(o, z, y, [1.0, 1.0], [0, 4]), HeightMapError::Pixels { .. }));
    assert!(matches!(plane(o, z, y, [1.0, 1.0], [1 << 20, 1 << 20]), HeightMapError::Pixels { .. }));
    assert!(matches!(plane(o, z, y, [f64::NAN, 1.0], [4, 4]), HeightMapError::Length { .. }));
    assert!(matches!(plane(o, z, z, [1.0, 1.0], [4, 4]), HeightMapError::Direction { .. }));
    assert!(matches!(plane(o, z * 0.0, y, [1.0, 1.0], [4, 4]), HeightMapError::Direction { .. }));
    assert!(matches!(plane(o * f64::INFINITY, z, y, [1.0, 1.0], [4, 4]), HeightMapError::Center { .. }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // A box drawn as a mesh and as a primitive gives the same picture but for pixels on its outline.
    #[test]
    fn meshes_and_primitives_draw_alike(
        q in prop::array::uniform4(-1.0..1.0f64),
        scale in prop::sample::select(vec![1e-3, 1.0, 1e3]),
        far in any::<bool>(),
    ) {
        let q = nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]);
        prop_assume!(q.norm() > 0.1);
        let pose = Isometry3::from_parts(Translation3::identity(), UnitQuaternion::new_normalize(q));
        let half = [0.9f32, 0.5, 0.7].map(|h| h * scale as f32);
        let s = [4.0 * scale, 4.0 * scale];
        let plane = ImagePlane::new(Point3::origin(), -Vector3::z(), Vector3::y(), s, [48, 48]).unwrap();
        let which = if far { Which::Far } else { Which::Near };
        let mut mesh = HeightMap::new(plane, which);
        mesh.draw_mesh(&box_mesh(half), &pose, 0);
        let mut primitive = HeightMap::new(plane, which);
        primitive.draw_primitive(&Primitive::Cuboid { half }, &pose, 0);
        let mut different = 0;
        for (a, b) in mesh.depths().iter().zip(primitive.depths()) {
            if a.is_finite() != b.is_finite() || (a.is_finite() && (a - b).abs() > 0.02 * scale) {
                different += 1;
            }
        }
        prop_assert!(different <= 24, "{different} pixels differ");
    }

    // A fan around a point that fills the picture covers every pixel exactly once, also where its
    // corners lie far outside.
    #[test]
    fn triangles_that_share_edges_share_no_pixel(
        hub in prop::array::uniform2(2.0..14.0f64),
        turns in prop::collection::vec(0.0..1.0f64, 4..12),
        reach in prop::sample::select(vec![64.0, 1e4, 1e9, 1e14]),
    ) {
        let mut angles: Vec<f64> = turns.iter().map(|t| t * std::f64::consts::TAU).collect();
        angles.extend([0.1, 1.7, 3.3, 4.9]);
        angles.sort_by(f64::total_cmp);
        let rim: Vec<[f64; 2]> =
            angles.iter().map(|a| [hub[0] + reach * a.cos(), hub[1] + reach * a.sin()]).collect();
        let mut count = vec![0; 256];
        for k in 0..rim.len() {
            let corners = [hub, rim[k], rim[(k + 1) % rim.len()]];
            // The value is the column, so far as it lies between the corners'.
            let valued = corners.map(|c| [c[0], c[1], c[0]]);
            let window = rows::Window { columns: 0..16, rows: 0..16 };
            rows::cover(&valued, &window, |span| {
                for x in span.first..span.end {
                    let slack = 0.01 + 1e-9 * reach;
                    assert!((span.value(x) - f64::from(x) - 0.5).abs() < slack, "{}", span.value(x));
                    count[(span.y * 16 + x) as usize] += 1;
                }
            });
        }
        prop_assert!(count.iter().all(|c| *c == 1), "{count:?}");
    }
}
