//! The feature `parry3d`: shapes, poses and rays there and back, and contacts and distances against parry's own.

use impinge::geometry::Composite;
use impinge::parry::parry3d::math::{Pose, Vector};
use impinge::parry::parry3d::query;
use impinge::parry::parry3d::shape::{self as theirs, Ball, SharedShape};
use impinge::parry::parry3d::utils::Array2;
use impinge::parry::{
    ParryError, contact, contact_manifolds, from_mesh, from_pose, from_ray, from_shape, prepared, to_mesh,
    to_pose, to_ray, to_shape,
};
use impinge::prelude::*;
use impinge_scenes::mesh::Torus;
use proptest::prelude::*;

fn poses() -> impl Strategy<Value = Pose> {
    (prop::array::uniform3(-2.0f32..2.0), prop::array::uniform3(-3.0f32..3.0))
        .prop_map(|(at, turn)| Pose::new(at.into(), turn.into()))
}

/// Solids that both libraries have.
fn solids() -> Vec<SharedShape> {
    let corners = [[0.5, 0.4, 0.3], [-0.5, -0.4, 0.3], [-0.5, 0.4, -0.3], [0.5, -0.4, -0.3], [0.1, 0.2, 0.9]];
    let [a, b] = [[-0.3, 0.1, 0.2], [0.4, -0.2, 0.6]].map(Vector::from);
    vec![
        SharedShape::ball(0.4),
        SharedShape::cuboid(0.2, 0.3, 0.5),
        SharedShape::capsule(a, b, 0.15),
        SharedShape::capsule(a, a, 0.15),
        SharedShape::capsule_z(0.4, 0.2),
        SharedShape::new(theirs::Capsule::new(Vector::Z, -Vector::Z, 0.1)),
        SharedShape::cylinder(0.5, 0.2),
        SharedShape::convex_hull(&corners.map(Vector::from)).unwrap(),
        SharedShape::compound(vec![
            (Pose::new([0.4, 0.1, 0.0].into(), [0.3, 0.2, 0.1].into()), SharedShape::cylinder(0.3, 0.1)),
            (Pose::translation(-0.4, 0.0, 0.2), SharedShape::ball(0.3)),
        ]),
    ]
}

fn apart(shape: &PreparedShape, ball: &PreparedShape, at: &Pose) -> f64 {
    PairQuery::between(shape, ball).distance(&Isometry3::identity(), &from_pose(at)).unwrap().distance()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn poses_and_rays_come_back(pose in poses(), length in 0.0f32..10.0) {
        let back = to_pose(&from_pose(&pose));
        prop_assert_eq!(back.translation, pose.translation);
        // The angle between them would be of a cosine near 1, which `f32` has to a thousandth.
        let [same, opposite] = [back.rotation - pose.rotation, back.rotation + pose.rotation].map(|q| q.length());
        prop_assert!(same.min(opposite) < 1e-6);
        let ray = query::Ray::new(pose.translation, pose.rotation * Vector::Z);
        let (again, until) = to_ray(&from_ray(&ray, length));
        prop_assert_eq!((again.origin, again.dir, until), (ray.origin, ray.dir, length));
        // A pose does the same to a point.
        let p = from_pose(&pose) * Point3::new(0.5, -0.25, 2.0);
        prop_assert!((impinge::parry::to_point(&p) - pose * Vector::new(0.5, -0.25, 2.0)).length() < 1e-5);
    }

    /// Every solid is where parry has it: both measure the same distance to a ball; and it is there still after it has been
    /// parry's once more.
    #[test]
    fn solids_are_where_parry_has_them(at in poses(), which in 0usize..9) {
        let (shape, ball) = (solids().swap_remove(which), Ball::new(0.125));
        let [ours, ready_ball] = [prepared(&*shape).unwrap(), prepared(&ball).unwrap()];
        let theirs = query::distance(&Pose::IDENTITY, &*shape, &at, &ball).unwrap().distance;
        let measured = apart(&ours, &ready_ball, &at);
        prop_assert!((measured - f64::from(theirs)).abs() < 1e-4, "{} {}", measured, theirs);
        let again = prepared(&*to_shape(ours.shape()).unwrap()).unwrap();
        prop_assert!((apart(&again, &ready_ball, &at) - measured).abs() < 1e-5);
    }

    /// The deepest contact of convex shapes is parry's, where it says what their distance or their overlap is.
    #[test]
    fn contacts_take_the_place_of_parrys(at in poses(), base in poses()) {
        let (cuboid, ball) = (theirs::Cuboid::new(Vector::new(0.5, 0.75, 1.0)), Ball::new(0.25));
        let there = base * Pose::from_parts(at.translation * 0.75, at.rotation);
        let ours = contact(&base, &cuboid, &there, &ball, 0.5).unwrap();
        let theirs = query::contact(&base, &cuboid, &there, &ball, 0.5).unwrap();
        prop_assert_eq!(ours.is_some(), theirs.is_some());
        let (Some(ours), Some(theirs)) = (ours, theirs) else { return Ok(()) };
        prop_assert!((ours.dist - theirs.dist).abs() < 1e-4, "{:?} {:?}", ours, theirs);
        if ours.dist.abs() > 1e-3 {
            prop_assert!((ours.normal1 - theirs.normal1).length() < 1e-2, "{:?} {:?}", ours, theirs);
            // The point on the flat face may lie beside parry's, in the face's plane.
            let off = (ours.point1 - theirs.point1).dot(theirs.normal1);
            prop_assert!(off.abs() < 1e-2, "{:?} {:?}", ours, theirs);
            prop_assert!((ours.point2 - theirs.point2).length() < 1e-2, "{:?} {:?}", ours, theirs);
        }
        let manifolds = contact_manifolds::<(), ()>(&base, &cuboid, &there, &ball, 0.5).unwrap();
        let nearest = manifolds.iter().flat_map(|m| &m.points).map(|p| p.dist).fold(f32::INFINITY, f32::min);
        prop_assert_eq!(nearest, ours.dist);
        // Parry takes them up from there: its own update finds the same distances.
        for mut manifold in manifolds {
            let before: Vec<f32> = manifold.points.iter().map(|p| p.dist).collect();
            manifold.update_separations(&base.inv_mul(&there));
            for (point, before) in manifold.points.iter().zip(before) {
                prop_assert!((point.dist - before).abs() < 1e-4, "{} {}", point.dist, before);
            }
        }
    }
}

#[test]
fn meshes_come_back_to_the_bit() {
    let torus = Torus::default().mesh().unwrap();
    let back = from_mesh(&to_mesh(&torus).unwrap()).unwrap();
    assert_eq!((back.vertices(), back.triangles()), (torus.vertices(), torus.triangles()));
    assert!(back.is_closed());
    // A mesh whose triangles share no vertices is closed once they do.
    let flat: Vec<Vector> = (0..torus.triangles().len() as u32)
        .flat_map(|t| torus.corners(t))
        .map(|p| Vector::new(p.x, p.y, p.z))
        .collect();
    let triangles = (0..torus.triangles().len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let loose = theirs::TriMesh::new(flat, triangles).unwrap();
    let welded = from_mesh(&loose).unwrap();
    assert!(welded.is_closed() && welded.triangles().len() == torus.triangles().len());
    assert!(welded.source_triangles().iter().copied().eq(0..torus.triangles().len() as u32));
}

#[test]
fn half_spaces_look_where_they_looked() {
    let ball = prepared(&Ball::new(0.25)).unwrap();
    for normal in [Vector::X, Vector::Y, Vector::Z, -Vector::Z, Vector::new(0.6, 0.0, -0.8)] {
        let ours = prepared(&theirs::HalfSpace::new(normal)).unwrap();
        let at = |along: f32| Pose::from_translation(normal * along);
        assert!((apart(&ours, &ball, &at(1.0)) - 0.75).abs() < 1e-6, "{normal}");
        assert_eq!(apart(&ours, &ball, &at(-1.0)), 0.0, "{normal}");
    }
}

#[test]
fn height_fields_are_ground() {
    let heights = Array2::new(4, 3, (0..12).map(|k| 0.1 * ((k * 7) % 5) as f32).collect());
    let field = theirs::HeightField::new(heights, Vector::new(4.0, 1.0, 3.0));
    let [ground, ball] = [prepared(&field).unwrap(), prepared(&Ball::new(0.1)).unwrap()];
    assert!(ground.is_solid());
    for k in 0..25 {
        let [x, z] = [0.35 * (k % 5) as f32 - 0.7, 0.3 * (k / 5) as f32 - 0.6];
        let above = Pose::translation(x, 1.0, z);
        let to =
            |triangle| query::distance(&Pose::IDENTITY, &triangle, &above, &Ball::new(0.1)).unwrap().distance;
        let theirs = field.triangles().map(to).fold(f32::INFINITY, f32::min);
        assert!((apart(&ground, &ball, &above) - f64::from(theirs)).abs() < 1e-4, "{x} {z}");
        let below = Pose::translation(x, -0.5, z);
        assert_eq!(apart(&ground, &ball, &below), 0.0, "{x} {z}");
        let out =
            contact(&Pose::IDENTITY, &field, &Pose::translation(x, 0.0, z), &Ball::new(0.1), 0.0).unwrap();
        assert!(out.is_some_and(|out| out.normal1.y > 0.5), "{x} {z} {out:?}");
    }
}

#[test]
fn what_has_no_counterpart_is_named() {
    let said = |shape: &SharedShape| from_shape(&**shape).unwrap_err().to_string();
    let cone = SharedShape::cone(0.5, 0.5);
    assert!(matches!(from_shape(&*cone), Err(ParryError::NoCounterpart { shape: theirs::ShapeType::Cone })));
    assert!(said(&cone).contains("Cone") && said(&cone).contains("cylinders"), "{}", said(&cone));
    let nested =
        SharedShape::compound(vec![(Pose::IDENTITY, SharedShape::ball(1.0)), (Pose::IDENTITY, cone.clone())]);
    assert!(said(&nested).starts_with("child 1 of the compound: parry's shape Cone"), "{}", said(&nested));
    assert!(said(&SharedShape::ball(-1.0)).contains("radius"), "{}", said(&SharedShape::ball(-1.0)));
    let far = Pose::translation(f32::NAN, 0.0, 0.0);
    let error = contact(&Pose::IDENTITY, &Ball::new(1.0), &far, &Ball::new(1.0), 0.0).unwrap_err();
    assert!(error.to_string().contains("pose of B"), "{error}");
    let error =
        contact(&Pose::IDENTITY, &Ball::new(1.0), &Pose::IDENTITY, &Ball::new(1.0), -1.0).unwrap_err();
    assert!(error.to_string().contains("margin is -1"), "{error}");

    let mesh: Shape = Torus::default().mesh().unwrap().into();
    let composite = Shape::from(Composite::new(vec![(Isometry3::identity(), mesh)]).unwrap());
    let Err(error) = to_shape(&composite) else { panic!("parry has no such compound") };
    assert_eq!(error, ParryError::MeshInCompound { child: 0 });
}
