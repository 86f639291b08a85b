//! Inner edges of a tessellated floor, and the seam between two floors, are not felt by what slides over them.

use impinge::prelude::*;
use impinge_oracle::solids::{block, shape};
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};

const DT: f64 = 1.0 / 60.0;
/// How fast bodies slide (m/s).
const SPEED: [f64; 2] = [2.0, 0.37];
/// Half sizes of the floors (m).
const HALF: [f32; 2] = [2.4, 1.2];

/// A flat sheet of cells cut in two by turns one way and the other.
fn sheet(cells: [u32; 2]) -> TriMesh {
    let mut vertices = Vec::new();
    for j in 0..=cells[1] {
        for i in 0..=cells[0] {
            let at = |k: u32, n: u32, half: f32| half * (2.0 * k as f32 / n as f32 - 1.0);
            vertices.push(Point3::new(at(i, cells[0], HALF[0]), at(j, cells[1], HALF[1]), 0.0));
        }
    }
    let at = |i: u32, j: u32| j * (cells[0] + 1) + i;
    let mut triangles = Vec::new();
    for j in 0..cells[1] {
        for i in 0..cells[0] {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            if (i + j) % 2 == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// A closed slab 0.5 m thick whose upper side is `sheet`.
fn slab(sheet: &TriMesh) -> TriMesh {
    let closed = sheet.one_sided(0.5, Vector3::z()).unwrap();
    TriMesh::new(closed.vertices().to_vec(), closed.triangles().to_vec()).unwrap()
}

/// A ball of 960 triangles.
fn ball(radius: f32) -> TriMesh {
    let (around, down) = (32u32, 16u32);
    let mut vertices = vec![Point3::new(0.0, 0.0, radius), Point3::new(0.0, 0.0, -radius)];
    for k in 1..down {
        let (s, c) = (std::f32::consts::PI * k as f32 / down as f32).sin_cos();
        for j in 0..around {
            let (v, u) = (std::f32::consts::TAU * j as f32 / around as f32).sin_cos();
            vertices.push(Point3::new(radius * s * u, radius * s * v, radius * c));
        }
    }
    let at = |k: u32, j: u32| 2 + (k - 1) * around + j % around;
    let mut triangles = Vec::new();
    for j in 0..around {
        triangles.push([0, at(1, j), at(1, j + 1)]);
        triangles.push([1, at(down - 1, j + 1), at(down - 1, j)]);
        for k in 1..down - 1 {
            triangles.extend([
                [at(k, j), at(k + 1, j), at(k + 1, j + 1)],
                [at(k, j), at(k + 1, j + 1), at(k, j + 1)],
            ]);
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// What a body felt while it slid.
#[derive(Debug)]
struct Ride {
    /// Least and greatest sum of the normal impulses of a step (N·s).
    impulse: [f64; 2],
    /// Greatest speed up or down (m/s), and of turning (rad/s).
    bump: f64,
    turn: f64,
}

/// A body slides without friction over floors at some places, for 1.5 s, from where it lay for as long.
fn slide(floors: &[(Shape, [f64; 3])], body: &Shape, lift: f64) -> Ride {
    let world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let settings = SimulatorSettings { sleeping: false, ..SimulatorSettings::default() };
    let mut sim = Simulator::new(world, settings).unwrap();
    let smooth = Material { friction: 0.0, ..Material::default() };
    for (floor, at) in floors {
        let floor = sim.world_mut().add_shape(floor.clone()).unwrap();
        sim.add_body(BodyDesc::fixed(floor).position(*at).material(smooth)).unwrap();
    }
    let body = sim.world_mut().add_shape(body.clone()).unwrap();
    let id = sim.add_body(BodyDesc::new(body).position([-1.53, -0.31, lift]).material(smooth)).unwrap();
    for _ in 0..90 {
        sim.step(DT).unwrap();
    }
    sim.set_velocity(id, Vector3::new(SPEED[0], SPEED[1], 0.0), Vector3::zeros()).unwrap();
    let mut ride = Ride { impulse: [f64::INFINITY, f64::NEG_INFINITY], bump: 0.0, turn: 0.0 };
    for _ in 0..90 {
        sim.step(DT).unwrap();
        let points = sim.world().manifolds().iter().flat_map(|m| &m.points);
        let normal: f64 = points.map(|p| p.impulse.normal).sum();
        ride.impulse = [ride.impulse[0].min(normal), ride.impulse[1].max(normal)];
        let body = sim.body(id).unwrap();
        ride.bump = ride.bump.max(body.linear_velocity().z.abs());
        ride.turn = ride.turn.max(body.angular_velocity().norm());
    }
    let at = sim.body(id).unwrap().pose().translation.vector;
    let [x, y] = [-1.53 + 1.5 * SPEED[0], -0.31 + 1.5 * SPEED[1]];
    assert!((at.x - x).abs() < 0.02 && (at.y - y).abs() < 0.02, "it was led astray to {at}");
    ride
}

/// Spheres and boxes, as primitives and as meshes, over: two triangles (what all others are compared with),
/// many, each as a closed slab and as a one-sided sheet; and over the seam of two such floors at x = 0.
#[test]
fn nothing_is_felt_but_the_floor() {
    let (two, grid) = (sheet([1, 1]), sheet([23, 11]));
    let half = f64::from(HALF[0]);
    let one = |floor: Shape| vec![(floor, [0.0; 3])];
    let seam = |floor: Shape| vec![(floor.clone(), [-half, 0.0, 0.0]), (floor, [half, 0.0, 0.0])];
    let thin = |sheet: &TriMesh| shape(sheet.one_sided(0.5, Vector3::z()).unwrap());
    let floors = [
        ("a grid slab", one(shape(slab(&grid)))),
        ("a sheet", one(thin(&two))),
        ("a grid sheet", one(thin(&grid))),
        ("a seam of slabs", seam(shape(slab(&two)))),
        ("a seam of grid slabs", seam(shape(slab(&grid)))),
        ("a seam of sheets", seam(thin(&two))),
        ("a seam of a slab and a cuboid's box", {
            let (slab, cuboid) = (shape(slab(&two)), Shape::cuboid([HALF[0], HALF[1], 0.25]).unwrap());
            vec![(slab, [-half, 0.0, 0.0]), (cuboid, [half, 0.0, -0.25])]
        }),
        ("a seam of cuboids", {
            let cuboid = Shape::cuboid([HALF[0], HALF[1], 0.25]).unwrap();
            vec![(cuboid.clone(), [-half, 0.0, -0.25]), (cuboid, [half, 0.0, -0.25])]
        }),
    ];
    for (name, body, lift) in [
        ("sphere", Shape::sphere(0.25).unwrap(), 0.25),
        ("ball", shape(ball(0.25)), 0.25),
        ("cuboid", Shape::cuboid([0.25, 0.2, 0.15]).unwrap(), 0.15),
        ("block", shape(block([0.25, 0.2, 0.15])), 0.15),
    ] {
        let flat = slide(&one(shape(slab(&two))), &body, lift);
        println!("{name:7} over two triangles: {flat:.2?}");
        assert!(flat.impulse[1] - flat.impulse[0] < 1e-3 * flat.impulse[1], "{flat:?}");
        for (floor, placed) in &floors {
            let ride = slide(placed, &body, lift);
            println!("{name:7} over {floor}: {ride:.6?}");
            let [least, most] = ride.impulse.map(|i| i / flat.impulse[1]);
            // The greatest load, the least, how far a normal may lean (rad), and how fast it may turn (rad/s).
            // (Areas of the closed forms of cuboids are estimates.)
            let [more, less, lean, spin] =
                if floor.contains("cuboid") { [0.01, 0.05, 12e-3, 0.03] } else { [0.01, 0.01, 4e-3, 1e-3] };
            assert!(most < 1.0 + more, "{name} over {floor}: {ride:?} against {flat:?}");
            assert!(least > 1.0 - less, "{name} over {floor}: {ride:?} against {flat:?}");
            assert!(ride.bump < lean * SPEED[0], "{name} over {floor}: {ride:?}");
            assert!(ride.turn < spin, "{name} over {floor}: {ride:?}");
        }
    }
}
