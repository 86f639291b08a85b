//! Hooks, events, sensors, layers, scale, replaced shapes, masses.

use avian3d::prelude::*;
use bevy::prelude::*;
use impinge::Shape;
use impinge::geometry::Primitive;
use impinge_avian::{ColliderError, FollowedPairs, MeshCollider, impinge};
use impinge_scenes::mesh::Torus;

use crate::simulation::{app, falling, fixed, place, steps};

fn collider(shape: Shape) -> MeshCollider {
    MeshCollider::new(&shape).unwrap()
}

/// A cube of edge 2 m as a mesh.
fn cube() -> MeshCollider {
    collider(Primitive::Cuboid { half: [1.0; 3] }.surface().unwrap().into())
}

#[derive(Resource, Default)]
struct Told {
    started: usize,
    ended: usize,
}

#[test]
fn collisions_are_told_as_they_start_and_end() {
    let mut app = app::<()>();
    app.init_resource::<Told>();
    app.add_observer(|_: On<CollisionStart>, mut told: ResMut<Told>| told.started += 1);
    app.add_observer(|_: On<CollisionEnd>, mut told: ResMut<Told>| told.ended += 1);
    fixed(&mut app, &cube(), Transform::default(), ());
    let body = falling(&mut app, &cube(), Transform::from_xyz(0.0, 0.0, 2.2), CollisionEventsEnabled);
    steps(&mut app, 60);
    let told = app.world().resource::<Told>();
    assert_eq!((told.started, told.ended), (1, 0));
    assert!((place(&app, body).z - 2.0).abs() < 0.01, "{}", place(&app, body));
    app.world_mut().entity_mut(body).insert((Position(Vec3::Z * 9.0), LinearVelocity(Vec3::Z)));
    steps(&mut app, 5);
    assert_eq!(app.world().resource::<Told>().ended, 1);
    assert!(app.world().resource::<FollowedPairs>().is_empty(), "the pair has ended");
}

#[test]
fn a_sensor_tells_without_holding() {
    let mut app = app::<()>();
    app.init_resource::<Told>();
    app.add_observer(|_: On<CollisionStart>, mut told: ResMut<Told>| told.started += 1);
    fixed(&mut app, &cube(), Transform::default(), (Sensor, CollisionEventsEnabled));
    let body = falling(&mut app, &cube(), Transform::from_xyz(0.0, 0.0, 2.5), ());
    steps(&mut app, 60);
    assert_eq!(app.world().resource::<Told>().started, 1);
    assert!(place(&app, body).z < 0.0, "{}", place(&app, body));
}

#[derive(Component)]
struct Ghost;

#[derive(bevy::ecs::system::SystemParam)]
struct Hooks<'w, 's> {
    ghosts: Query<'w, 's, (), With<Ghost>>,
}

impl CollisionHooks for Hooks<'_, '_> {
    fn filter_pairs(&self, a: Entity, b: Entity, _: &mut Commands) -> bool {
        !self.ghosts.contains(a) && !self.ghosts.contains(b)
    }

    /// A belt.
    fn modify_contacts(&self, contacts: &mut ContactPair, _: &mut Commands) -> bool {
        for manifold in &mut contacts.manifolds {
            manifold.tangent_velocity = Vec3::X;
        }
        true
    }
}

#[test]
fn hooks_filter_pairs_and_change_manifolds() {
    let mut app = app::<Hooks>();
    let floor = collider(Shape::half_space());
    fixed(&mut app, &floor, Transform::default(), ActiveCollisionHooks::all());
    let carried = falling(&mut app, &cube(), Transform::from_xyz(0.0, 0.0, 1.0), ());
    let ghost = falling(&mut app, &cube(), Transform::from_xyz(5.0, 0.0, 1.0), Ghost);
    steps(&mut app, 60);
    assert!(place(&app, ghost).z < -1.0, "{}", place(&app, ghost));
    let at = place(&app, carried);
    assert!(at.z > 0.9 && at.x.abs() > 0.3, "the belt has not carried it: {at}");
}

#[test]
fn colliders_follow_their_scale_and_new_shapes() {
    let mut app = app::<()>();
    fixed(&mut app, &collider(Shape::half_space()), Transform::default(), ());
    let scale = Vec3::new(1.0, 1.0, 0.5);
    let body = falling(&mut app, &cube(), Transform::from_xyz(0.0, 0.0, 1.0).with_scale(scale), ());
    steps(&mut app, 90);
    assert!((place(&app, body).z - 0.5).abs() < 0.01, "{}", place(&app, body));
    let mass = app.world().get::<ComputedMass>(body).unwrap().value();
    assert!((mass - 500.0 * 4.0).abs() < 1.0, "{mass} kg");
    app.world_mut()
        .entity_mut(body)
        .insert((collider(Shape::sphere(2.0).unwrap()), Transform::from_xyz(0.0, 0.0, 3.0)));
    steps(&mut app, 120);
    assert!((place(&app, body).z - 2.0).abs() < 0.01, "{}", place(&app, body));
}

/// Of a ring, against its closed form.
#[test]
fn masses_are_those_of_the_volume() {
    let torus = Torus { around: 256, across: 128, ..Torus::default() };
    let ring = collider(torus.mesh().unwrap().into());
    let (r, s) = (torus.major, torus.minor);
    let volume = 2.0 * std::f64::consts::PI.powi(2) * r * s * s;
    let mass = f64::from(ring.mass(2.0));
    assert!((mass / (2.0 * volume) - 1.0).abs() < 2e-3, "{mass}");
    let tensor = ring.angular_inertia_tensor(1.0).to_mat3();
    let axial = (r * r + 0.75 * s * s) as f32;
    let across = (0.5 * r * r + 0.625 * s * s) as f32;
    let wanted = Mat3::from_diagonal(Vec3::new(across, across, axial));
    assert!(
        (tensor - wanted).to_cols_array().iter().all(|d| d.abs() < 4e-3 * axial),
        "{tensor} is not {wanted}"
    );
    assert!(ring.center_of_mass().length() < 1e-6);
    assert_eq!(MeshCollider::default().mass(1.0), 0.0);
}

#[test]
fn an_open_mesh_is_refused_by_name() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    assert_eq!(MeshCollider::trimesh(&corners, &[[0, 1, 2]]).unwrap_err(), ColliderError::Open);
    assert!(matches!(MeshCollider::trimesh(&corners, &[[0, 1, 7]]), Err(ColliderError::Mesh(_))));
}

/// A pose that is no number gives no contact, and nothing panics in us.
#[test]
fn bodies_that_are_nowhere_have_no_contacts() {
    let query = impinge::PairQuery::between(cube().shape(), cube().shape());
    let mut pair = impinge::query::SteppedPair::new(&query);
    let here = impinge::nalgebra::Isometry3::identity();
    let nowhere = impinge::nalgebra::Isometry3::translation(f64::NAN, 0.0, 0.0);
    let ahead = impinge::query::Lookahead::new(0.02);
    let mut scratch = impinge::query::QueryScratch::default();
    assert!(pair.contacts(&here, &nowhere, ahead, &mut scratch).is_err());
    assert_eq!(pair.contacts(&here, &here, ahead, &mut scratch).unwrap().len(), 1);
}
