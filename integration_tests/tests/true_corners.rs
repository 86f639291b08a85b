//! Four points of a face contact stand at the corners of its region.

use impinge::Material;
use impinge::prelude::*;
use impinge_oracle::solids::block;
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};
use nalgebra::{Point2, UnitComplex};

/// A prism over a polygon (counter-clockwise, a star seen from the origin or an L fanned from `apex`), from 0 up to 1 m.
fn prism(polygon: &[[f32; 2]], fans: &[[usize; 3]]) -> TriMesh {
    let n = polygon.len() as u32;
    let mut vertices: Vec<Point3<f32>> = polygon.iter().map(|p| Point3::new(p[0], p[1], 0.0)).collect();
    vertices.extend(polygon.iter().map(|p| Point3::new(p[0], p[1], 1.0)));
    let mut triangles = Vec::new();
    for t in fans {
        let [a, b, c] = t.map(|v| v as u32);
        triangles.extend([[a, c, b], [a + n, b + n, c + n]]);
    }
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, j + n], [i, j + n, i + n]]);
    }
    let mesh = TriMesh::new(vertices, triangles).unwrap();
    assert!(mesh.is_closed());
    mesh
}

/// An L of 1 m by 1 m with bars of 0.3 m.
fn l_shape() -> TriMesh {
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.3], [0.3, 0.3], [0.3, 1.0], [0.0, 1.0]];
    prism(&corners, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]])
}

/// A star of five points.
fn star() -> TriMesh {
    let mut corners = Vec::new();
    for k in 0..10 {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 10.0).sin_cos();
        let r = if k % 2 == 0 { 0.6 } else { 0.25 };
        corners.push([(r * cos) as f32, (r * sin) as f32]);
    }
    let mut fans: Vec<[usize; 3]> = (0..5).map(|k| [2 * k + 1, (2 * k + 2) % 10, (2 * k + 3) % 10]).collect();
    fans.extend([[1, 3, 5], [1, 5, 7], [1, 7, 9]]);
    prism(&corners, &fans)
}

/// A square ring of 1 m with a hole of 0.5 m.
fn square_ring() -> TriMesh {
    let square = |h: f32| [[-h, -h], [h, -h], [h, h], [-h, h]];
    let (outer, inner) = (square(0.5), square(0.25));
    let mut vertices = Vec::new();
    for z in [0.0, 1.0] {
        vertices.extend(outer.iter().chain(&inner).map(|p| Point3::new(p[0], p[1], z)));
    }
    let mut triangles = Vec::new();
    for i in 0..4u32 {
        let j = (i + 1) % 4;
        let quad = |a: u32, b: u32, c: u32, d: u32| [[a, b, c], [a, c, d]];
        triangles.extend(quad(j, i, i + 4, j + 4));
        triangles.extend(quad(i + 8, j + 8, j + 12, i + 12));
        triangles.extend(quad(i, j, j + 8, i + 8));
        triangles.extend(quad(j + 4, i + 4, i + 12, j + 12));
    }
    let mesh = TriMesh::new(vertices, triangles).unwrap();
    assert!(mesh.is_closed());
    mesh
}

/// Twice the area of the hull of some points.
fn hull_area(points: &[Point2<f64>]) -> f64 {
    let cross = |o: &Point2<f64>, a: &Point2<f64>, b: &Point2<f64>| (a - o).perp(&(b - o));
    let mut sorted = points.to_vec();
    sorted.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    let half = |points: &mut dyn Iterator<Item = &Point2<f64>>| {
        let mut chain: Vec<Point2<f64>> = Vec::new();
        for p in points {
            while chain.len() > 1 && cross(&chain[chain.len() - 2], &chain[chain.len() - 1], p) <= 0.0 {
                chain.pop();
            }
            chain.push(*p);
        }
        chain
    };
    let mut hull = half(&mut sorted.iter());
    hull.pop();
    hull.extend(half(&mut sorted.iter().rev()));
    hull.pop();
    (0..hull.len()).map(|k| hull[k].coords.perp(&hull[(k + 1) % hull.len()].coords)).sum()
}

/// The largest that the hull of four of some points can be (twice the area).
fn best_four(points: &[Point2<f64>]) -> f64 {
    let n = points.len();
    let mut best = 0.0f64;
    for a in 0..n {
        for b in a + 1..n {
            for c in b + 1..n {
                for d in c + 1..n {
                    best = best.max(hull_area(&[points[a], points[b], points[c], points[d]]));
                }
            }
        }
    }
    best
}

/// What stands 1 mm deep on a large block, turned by an angle: the points' hull beside the best four corners', and how far
/// the points are from corners (m).
fn standing(mesh: &TriMesh, angle: f64) -> (f64, f64) {
    let corners: Vec<Point2<f64>> = mesh
        .vertices()
        .iter()
        .filter(|v| v.z == 0.0)
        .map(|v| UnitComplex::new(angle) * Point2::new(f64::from(v.x), f64::from(v.y)))
        .collect();
    let [ground, body] = [block([2.0, 2.0, 0.5]), mesh.clone()].map(Shape::from);
    let query = PairQuery::new(&ground, &body, QuerySettings::default()).unwrap();
    let pose = Isometry3::new(Vector3::new(0.0, 0.0, 0.499), Vector3::z() * angle);
    let answer = query.at(&Isometry3::identity(), &pose).unwrap();
    assert_eq!(answer.manifolds.len(), 1);
    let manifold = &answer.manifolds[0];
    assert!((manifold.normal - Vector3::z()).norm() < 1e-9 && (manifold.depth - 1e-3).abs() < 1e-6);
    let points: Vec<Point2<f64>> = manifold.points.iter().map(|p| p.position.xy()).collect();
    let aside = |p: &Point2<f64>| corners.iter().map(|c| (c - p).norm()).fold(f64::INFINITY, f64::min);
    (hull_area(&points) / best_four(&corners), points.iter().map(aside).fold(0.0, f64::max))
}

#[test]
fn the_points_are_the_best_four_corners() {
    let cube = block([0.5; 3]);
    let cube = cube.with_vertices(cube.vertices().iter().map(|v| v + Vector3::new(0.0, 0.0, 0.5)).collect());
    for (name, mesh) in [("cube", cube.unwrap()), ("L", l_shape()), ("ring", square_ring()), ("star", star())]
    {
        for angle in [0.0, 0.1, 0.3, 0.7, 1.2, 2.0] {
            let (size, aside) = standing(&mesh, angle);
            println!("{name} turned by {angle}: {size:.5} of the best four, {aside:.1e} m aside");
            assert!((size - 1.0).abs() <= 2e-3 && aside < 1e-6, "{name} turned by {angle}: {size} {aside}");
        }
    }
}

/// The steepest slope (degrees) on which a box of 0.2 m by 0.2 m by 1 m, let go upright, stays so.
fn steepest(turn: f64) -> f64 {
    let stays = |slope: f64| {
        let world = World::builder().backend(Backend::Cpu).build().unwrap();
        let gravity = Vector3::new(slope.sin(), 0.0, -slope.cos()) * 9.81;
        let settings = SimulatorSettings { gravity, sleeping: false, ..SimulatorSettings::default() };
        let mut sim = Simulator::new(world, settings).unwrap();
        let [ground, tower] = [block([2.0, 2.0, 0.5]), block([0.1, 0.1, 0.5])]
            .map(|mesh| sim.world_mut().add_shape(mesh).unwrap());
        let rough = Material { friction: 2.0, ..Material::default() };
        sim.add_body(BodyDesc::fixed(ground).material(rough)).unwrap();
        let pose = Isometry3::new(Vector3::new(0.0, 0.0, 0.9995), Vector3::z() * turn);
        let tower = sim.add_body(BodyDesc::new(tower).pose(pose).material(rough)).unwrap();
        (0..240).all(|_| {
            sim.step(1.0 / 60.0).unwrap();
            (sim.body(tower).unwrap().pose().rotation * Vector3::z()).z > 0.98
        })
    };
    let (mut low, mut high) = (5f64.to_radians(), 20f64.to_radians());
    for _ in 0..9 {
        let middle = 0.5 * (low + high);
        if stays(middle) { low = middle } else { high = middle }
    }
    low.to_degrees()
}

#[test]
fn a_tower_tips_over_its_edge_when_it_should() {
    // Over an edge at a half width of 0.1 m, its centre 0.5 m above: atan(0.2).
    let expected = 0.2f64.atan().to_degrees();
    let found = steepest(0.0);
    println!("tips at {found:.3} degrees, {expected:.3} by the closed form");
    assert!((found - expected).abs() < 0.2, "{found} {expected}");
}
