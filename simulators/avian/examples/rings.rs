//! Rings fall over a peg, and their manifolds are drawn: in a window where there is a display, else 300 steps without one.
//!
//! ```sh
//! cargo run --release --features window --example rings
//! ```

use avian3d::prelude::*;
use bevy::asset::RenderAssetUsages;
use bevy::light::GlobalAmbientLight;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy::window::WindowPlugin;
use impinge::{Shape, TriMesh};
use impinge_avian::{ManifoldGizmos, ManifoldGizmosPlugin, MeshCollider, MeshCollisionPlugins, impinge};
use impinge_scenes::mesh::Torus;

/// What does not move: the ground and the peg.
const FIXED: usize = 2;
const RINGS: usize = 5;
const STEPS: u32 = 300;

/// What meets the others, and what is drawn of it.
struct Body {
    shape: Shape,
    drawn: Mesh,
    color: Color,
    at: Transform,
    falls: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bodies = bodies()?;
    let mut app = App::new();
    let displayed = cfg!(not(target_os = "linux"))
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|v| std::env::var_os(v).is_some());
    if displayed {
        let window = Window { title: "impinge: rings on a peg".into(), ..default() };
        app.add_plugins(DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() }));
        app.add_plugins(ManifoldGizmosPlugin);
        // Contacts are between bodies, so before all of them is where lines are seen.
        let lines = GizmoConfig { depth_bias: -1.0, ..default() };
        app.insert_gizmo_config(ManifoldGizmos::default(), lines);
        app.add_systems(Startup, look);
    } else {
        let step = std::time::Duration::from_secs_f64(1.0 / 60.0);
        app.add_plugins((MinimalPlugins, TransformPlugin));
        app.insert_resource(TimeUpdateStrategy::ManualDuration(step));
    }
    app.add_plugins((PhysicsPlugins::default(), MeshCollisionPlugins::<()>::default()));
    app.insert_resource(Gravity(Vec3::NEG_Y * 9.81)).insert_resource(Time::<Fixed>::from_hz(60.0));
    spawn(&mut app, bodies, displayed)?;
    if displayed {
        app.run();
        return Ok(());
    }
    println!("no display: {STEPS} steps without a window");
    app.finish();
    app.cleanup();
    for _ in 0..=STEPS {
        app.update();
    }
    let mut rings = app.world_mut().query::<(&Name, &Position, &LinearVelocity)>();
    for (name, at, velocity) in rings.iter(app.world()) {
        println!(
            "{name}: {:.3} m beside the peg, {:.3} m high, {:.3} m/s",
            at.xz().length(),
            at.y,
            velocity.length()
        );
    }
    Ok(())
}

/// The ground, a peg, and rings above it, each aside and aslant by a little.
fn bodies() -> Result<Vec<Body>, Box<dyn std::error::Error>> {
    let ring = Torus { around: 48, across: 20, ..Torus::default() };
    let (hole, tube) = ((ring.major - ring.minor) as f32, ring.minor as f32);
    let (radius, half) = (0.6 * hole, 1.2 * RINGS as f32 * tube);
    // Our axis of a cylinder, and the side of a half-space that is free, are along z; Bevy's y is up.
    let up = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
    let turned = |mesh: Mesh| mesh.rotated_by(up.inverse());
    let steel = Color::srgb(0.55, 0.58, 0.62);
    let mut bodies = vec![
        Body {
            shape: Shape::half_space(),
            drawn: turned(Plane3d::new(Vec3::Y, Vec2::splat(4.0)).into()),
            color: Color::srgb(0.25, 0.27, 0.3),
            at: Transform::from_rotation(up),
            falls: false,
        },
        Body {
            shape: Shape::cylinder(half, radius)?,
            drawn: turned(Cylinder::new(radius, 2.0 * half).into()),
            color: steel,
            at: Transform::from_xyz(0.0, half, 0.0).with_rotation(up),
            falls: false,
        },
    ];
    let mesh = ring.mesh()?;
    for k in 0..RINGS {
        let (sin, cos) = (2.4 * k as f32).sin_cos();
        let tilt = Quat::from_rotation_z(0.1 * cos) * Quat::from_rotation_x(0.1 * sin);
        let high = (3.0 + 3.0 * k as f32) * tube;
        bodies.push(Body {
            shape: mesh.clone().into(),
            drawn: drawn(&mesh),
            color: Color::hsl(360.0 * k as f32 / RINGS as f32, 0.6, 0.55),
            at: Transform::from_xyz(0.2 * hole * cos, high, 0.2 * hole * sin).with_rotation(tilt * up),
            falls: true,
        });
    }
    Ok(bodies)
}

fn spawn(app: &mut App, bodies: Vec<Body>, displayed: bool) -> Result<(), Box<dyn std::error::Error>> {
    for (k, body) in bodies.into_iter().enumerate() {
        let kind = if body.falls { RigidBody::Dynamic } else { RigidBody::Static };
        let collider = MeshCollider::new(&body.shape)?;
        let world = app.world_mut();
        let entity = world.spawn((kind, collider, ColliderDensity(500.0), body.at)).id();
        if body.falls {
            world.entity_mut(entity).insert(Name::new(format!("ring {}", k - FIXED)));
        }
        if displayed {
            let mesh = world.resource_mut::<Assets<Mesh>>().add(body.drawn);
            let material =
                StandardMaterial { base_color: body.color, perceptual_roughness: 0.6, ..default() };
            let material = world.resource_mut::<Assets<StandardMaterial>>().add(material);
            world.entity_mut(entity).insert((Mesh3d(mesh), MeshMaterial3d(material)));
        }
    }
    Ok(())
}

/// A mesh as Bevy draws it, smooth.
fn drawn(mesh: &TriMesh) -> Mesh {
    let points: Vec<[f32; 3]> = mesh.vertices().iter().map(|p| [p.x, p.y, p.z]).collect();
    let corners = mesh.triangles().iter().flatten().copied().collect();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, points)
        .with_inserted_indices(Indices::U32(corners))
        .with_computed_smooth_normals()
}

fn look(mut commands: Commands) {
    let eye = Transform::from_xyz(1.6, 1.8, 2.4).looking_at(Vec3::new(0.0, 0.5, 0.0), Vec3::Y);
    commands.spawn((Camera3d::default(), eye));
    let sun = Transform::from_xyz(2.0, 6.0, 3.0).looking_at(Vec3::ZERO, Vec3::Y);
    commands.spawn((DirectionalLight { illuminance: 8_000.0, shadow_maps_enabled: true, ..default() }, sun));
    commands.insert_resource(GlobalAmbientLight { brightness: 300.0, ..default() });
}
