use std::f64::consts::PI;

use nalgebra::{Isometry3, Translation3};
use proptest::prelude::*;

use super::*;
use crate::fixtures::{ball, box_arrays, joined, pose, scale, torus, turned};

fn close(a: &MassProperties, b: &MassProperties, tolerance: f64) -> Result<(), String> {
    let length = libm::cbrt(b.volume) + b.center.coords.norm();
    let moment = b.inertia.norm();
    let wrong = (a.volume - b.volume).abs() / b.volume;
    let off = (a.center - b.center).norm() / length;
    let turn = (a.inertia - b.inertia).norm() / moment;
    if wrong < tolerance && off < tolerance && turn < tolerance {
        Ok(())
    } else {
        Err(format!("volume {wrong:e}, centre {off:e}, inertia {turn:e}\n{a:?}\n{b:?}"))
    }
}

#[test]
fn the_mesh_of_a_box_weighs_what_the_box_weighs() {
    let cuboid = Primitive::Cuboid { half: [0.5, 1.25, 3.0] };
    let mesh = cuboid.surface().unwrap().mass_properties().unwrap();
    let exact = cuboid.mass_properties().unwrap();
    close(&mesh, &exact, 1e-14).unwrap();
    assert_eq!(exact.volume, 15.0);
    // m/12 (b² + c²) with m = 15, b = 2.5, c = 6.
    assert!((exact.inertia[(0, 0)] - 15.0 / 12.0 * (2.5 * 2.5 + 36.0)).abs() < 1e-12);
}

#[test]
fn a_finer_ball_comes_nearer_to_the_ball_with_the_square_of_the_edge() {
    let exact = Primitive::Sphere { radius: 1.0 }.mass_properties().unwrap();
    let errors: Vec<f64> = [3, 4, 5]
        .iter()
        .map(|&n| {
            let mass = ball(n).mass_properties().unwrap();
            assert!(mass.center.coords.norm() < 1e-6);
            assert!(mass.volume < exact.volume);
            (mass.inertia - exact.inertia).norm() / exact.inertia.norm()
        })
        .collect();
    assert!(errors[2] < 5e-3, "{errors:?}");
    assert!((3.5..4.5).contains(&(errors[0] / errors[1])), "{errors:?}");
    assert!((3.5..4.5).contains(&(errors[1] / errors[2])), "{errors:?}");
}

#[test]
fn a_torus_of_200_by_100_quads_is_within_a_part_in_500_of_the_closed_form() {
    let (ring, tube) = (2.0, 0.5);
    let volume = 2.0 * PI * PI * ring * tube * tube;
    let around = volume * (ring * ring + 0.75 * tube * tube);
    let across = volume * (0.5 * ring * ring + 0.625 * tube * tube);
    let exact = MassProperties {
        volume,
        center: Point3::origin(),
        inertia: Matrix3::from_diagonal(&Vector3::new(across, across, around)),
    };
    close(&torus(ring, tube, 200, 100).mass_properties().unwrap(), &exact, 2e-3).unwrap();
}

/// A capsule and a cylinder against the sum over thin discs: each disc of radius r and thickness t
/// has volume πr²t and about its centre the moments ½Vr² (axis) and ¼Vr² (across).
#[test]
fn capsule_and_cylinder_agree_with_a_stack_of_discs() {
    let (h, r) = (0.75, 0.5);
    for (primitive, end) in [
        (Primitive::Capsule { half_height: h, radius: r }, 1.25),
        (Primitive::Cylinder { half_height: h, radius: r }, 0.75),
    ] {
        let (h, r) = (f64::from(h), f64::from(r));
        let steps = 200_000;
        let t = 2.0 * end / f64::from(steps);
        let (mut volume, mut across, mut around) = (0.0, 0.0, 0.0);
        for i in 0..steps {
            let z = -end + (f64::from(i) + 0.5) * t;
            let over = (z.abs() - h).max(0.0);
            let square = r * r - over * over;
            let v = PI * square * t;
            volume += v;
            around += 0.5 * v * square;
            across += v * (0.25 * square + z * z);
        }
        let stack = MassProperties {
            volume,
            center: Point3::origin(),
            inertia: Matrix3::from_diagonal(&Vector3::new(across, across, around)),
        };
        close(&primitive.mass_properties().unwrap(), &stack, 1e-8).unwrap();
    }
}

#[test]
fn a_cavity_takes_its_mass_away() {
    let outer = box_arrays([-2.0; 3], [2.0; 3]);
    let inner = box_arrays([-1.0, -0.5, -0.5], [0.0, 0.5, 0.5]);
    let (vertices, triangles) = joined(outer, turned(inner));
    let mass = TriMesh::new(vertices, triangles).unwrap().mass_properties().unwrap();
    assert!((mass.volume - 63.0).abs() < 1e-12);
    // The hole of 1 m³ at x = −½ moves the centre by ½/63.
    assert!((mass.center.x - 0.5 / 63.0).abs() < 1e-14);
}

#[test]
fn what_bounds_no_volume_has_no_mass() {
    assert_eq!(Shape::half_space().mass_properties(), Err(MassError::HalfSpace));
    let (vertices, mut triangles) = box_arrays([0.0; 3], [1.0; 3]);
    triangles.pop();
    let open = TriMesh::new(vertices, triangles).unwrap();
    assert_eq!(open.mass_properties(), Err(MassError::Soup { defects: 3 }));
    let composite = Shape::composite(vec![
        (Isometry3::identity(), Shape::sphere(1.0).unwrap()),
        (Isometry3::identity(), Shape::half_space()),
    ])
    .unwrap();
    assert_eq!(
        composite.mass_properties(),
        Err(MassError::Child { child: 1, source: Box::new(MassError::HalfSpace) })
    );
}

#[test]
fn two_sheets_back_to_back_weigh_nothing() {
    let corners = [[0.1, 0.7, 0.3], [0.9, 0.2, 0.4], [0.3, 0.8, 0.93]].map(Point3::from);
    let sheet = TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 1]]).unwrap();
    assert!(sheet.is_closed());
    assert!(matches!(sheet.mass_properties(), Err(MassError::NoVolume { .. })));
}

proptest! {
    /// A box mesh moved and scaled in its own coordinates; the closed form is that of the box with
    /// the rounded corners, so only the sum's rounding remains.
    #[test]
    fn where_a_mesh_stands_in_its_frame_does_not_matter(
        min in prop::array::uniform3(-100.0f32..100.0),
        size in prop::array::uniform3(0.5f32..8.0),
        scale in scale(),
    ) {
        let min = min.map(|x| x * scale as f32);
        let max: [f32; 3] = std::array::from_fn(|i| min[i] + size[i] * scale as f32);
        let (vertices, triangles) = box_arrays(min, max);
        let mass = TriMesh::new(vertices, triangles).unwrap().mass_properties().unwrap();
        let s: [f64; 3] = std::array::from_fn(|i| f64::from(max[i]) - f64::from(min[i]));
        let volume = s[0] * s[1] * s[2];
        let [x, y, z] = s.map(|x| x * x);
        let diagonal = [y + z, z + x, x + y].map(|sum| volume / 12.0 * sum);
        let exact = MassProperties {
            volume,
            center: Point3::from(std::array::from_fn::<f64, 3, _>(|i| {
                0.5 * (f64::from(min[i]) + f64::from(max[i]))
            })),
            inertia: Matrix3::from_diagonal(&Vector3::from(diagonal)),
        };
        prop_assert_eq!(close(&mass, &exact, 1e-12), Ok(()));
    }

    /// A box cut in two, its halves as children of a composite in any pose, weighs what it weighed.
    #[test]
    fn the_parts_of_a_solid_add_up_to_it(pose in pose(10.0), cut in -0.8f32..0.8) {
        let half = |low: f32, high: f32| {
            let middle = Translation3::new(0.0, 0.0, 0.5 * (f64::from(low) + f64::from(high)));
            let (vertices, triangles) =
                box_arrays([-0.5, -0.5, 0.5 * (low - high)], [0.5, 0.5, 0.5 * (high - low)]);
            (pose * middle, Shape::from(TriMesh::new(vertices, triangles).unwrap()))
        };
        let parts = Shape::composite(vec![half(-1.0, cut), half(cut, 1.0)]).unwrap();
        let whole = Primitive::Cuboid { half: [0.5, 0.5, 1.0] }.mass_properties().unwrap().at(&pose);
        prop_assert_eq!(close(&parts.mass_properties().unwrap(), &whole, 1e-6), Ok(()));
    }

    /// Moving a solid moves its centre and turns its inertia: the trace stays, and so does the moment
    /// about the moved axis.
    #[test]
    fn a_pose_keeps_moments(pose in pose(1e3)) {
        let solid = Primitive::Cuboid { half: [0.1, 0.2, 0.7] }.mass_properties().unwrap();
        let moved = solid.at(&pose);
        prop_assert!((moved.inertia.trace() / solid.inertia.trace() - 1.0).abs() < 1e-14);
        for axis in 0..3 {
            let direction = pose.rotation * Vector3::ith(axis, 1.0);
            let moment = direction.dot(&(moved.inertia * direction));
            prop_assert!((moment / solid.inertia[(axis, axis)] - 1.0).abs() < 1e-12);
        }
        prop_assert!((moved.center.coords - pose.translation.vector).norm() < 1e-12);
    }
}
