//! Force and moment: the derivatives of the overlap's volume by all six motions, and what four points keep of them.

use impinge::geometry::PairFrame;
use impinge::prelude::*;
use impinge::{ContactPoint, Manifold};
use impinge_oracle::common_volume;
use impinge_oracle::solids::{block, hollow_block, pin, ring, slot};
use impinge_scenes::mesh::Torus;
use impinge_scenes::random::Random;
use nalgebra::Vector6;

/// Step of the differences (m, rad). The volumes are of 28 digits.
const STEP: f64 = 1e-6;

fn bodies() -> Vec<TriMesh> {
    let torus = Torus { major: 0.4, minor: 0.15, around: 14, across: 9 }.mesh().unwrap();
    vec![
        block([0.3, 0.2, 0.5]),
        pin(0.3, 0.4, 9),
        ring(0.25, 0.5, 0.2, 11),
        slot(0.2, 0.6, 0.4),
        hollow_block([0.5, 0.4, 0.3], [0.3, 0.2, 0.2]),
        torus,
    ]
}

/// Two bodies that may overlap, and where they stand.
fn placed(random: &mut Random, bodies: &[TriMesh]) -> ([usize; 2], [Isometry3<f64>; 2]) {
    let which = [0, 1].map(|_| random.index(bodies.len()));
    let reach = 0.2 + 0.7 * random.unit();
    let middle = random.direction() * 0.8;
    let apart = random.direction() * (0.5 * reach);
    let poses = [-1.0, 1.0]
        .map(|sign| Isometry3::from_parts(Translation3::from(middle + apart * sign), random.rotation()));
    (which, poses)
}

/// Central differences of the exact volume when A is moved along and turned about the world's axes.
fn differences(meshes: [&TriMesh; 2], [a, b]: &[Isometry3<f64>; 2]) -> Vector6<f64> {
    let volume = |moved: &Isometry3<f64>| common_volume(meshes, &PairFrame::new(&(moved * a), b));
    Vector6::from_fn(|k, _| {
        let along = |step: f64| {
            let axis = Vector3::ith(k % 3, step);
            if k < 3 { Isometry3::new(axis, Vector3::zeros()) } else { Isometry3::rotation(axis) }
        };
        (volume(&along(STEP)) - volume(&along(-STEP))) / (2.0 * STEP)
    })
}

fn wrench(force: &Vector3<f64>, moment: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(force.x, force.y, force.z, moment.x, moment.y, moment.z)
}

#[test]
fn force_and_moment_are_what_the_volume_changes_by() {
    let bodies = bodies();
    let mut random = Random::new(16);
    let mut errors = Vec::new();
    while errors.len() < 200 {
        let (which, poses) = placed(&mut random, &bodies);
        let [a, b] = which.map(|k| &bodies[k]);
        let [left, right] = [a, b].map(|mesh| Shape::from(mesh.clone()));
        let query = PairQuery::new(&left, &right, QuerySettings::default()).unwrap();
        let answer = query.at(&poses[0], &poses[1]).unwrap();
        if answer.volume.unwrap() < 1e-6 || answer.contained {
            continue;
        }
        let shared = query.intersection_volume(&poses[0], &poses[1]).unwrap().unwrap();
        let expected = differences([a, b], &poses);
        // Where forces cancel out, by what the parts of the overlap have.
        let scale = expected.norm().max(1e-3 * shared.volume.cbrt().powi(2));
        let off = |force, moment| (wrench(force, moment) - expected).norm() / scale;
        errors.push(off(&answer.force, &answer.moment).max(off(&shared.gradient, &shared.moment.unwrap())));
    }
    errors.sort_by(f64::total_cmp);
    println!(
        "relative error: median {:.1e}, 95 % {:.1e}, most {:.1e}",
        errors[100], errors[190], errors[199]
    );
    assert!(errors[199] <= 1e-7, "{:?}", &errors[180..]);
}

/// The distance of what the points exert from the manifold's wrench about its centroid: the force along the normal and how far it leans
/// from it, relative to its size, the moment also to that of the region.
fn reduced(manifold: &Manifold) -> [f64; 3] {
    let force = |p: &ContactPoint| manifold.normal_at(p) * p.weight;
    let all: Vector3<f64> = manifold.points.iter().map(force).sum();
    let arm = |p: &ContactPoint| p.position - manifold.centroid;
    let moment: Vector3<f64> = manifold.points.iter().map(|p| arm(p).cross(&force(p))).sum();
    let size = manifold.points.iter().fold(manifold.area.sqrt(), |most, p| most.max(arm(p).norm()));
    let scale = manifold.force.norm();
    let off = all - manifold.force;
    let along = manifold.normal.dot(&off);
    let leaning = (off - manifold.normal * along).norm();
    [along.abs() / scale, leaning / scale, (moment - manifold.moment).amax() / (scale * size)]
}

#[test]
fn four_points_keep_force_and_moment() {
    let bodies = bodies();
    let mut random = Random::new(17);
    let (mut forces, mut moments, mut tilted, mut steep, mut held_by_faces) =
        (Vec::new(), Vec::new(), 0, 0, 0);
    let mut steepest = 0.0f64;
    for _ in 0..600 {
        let (which, poses) = placed(&mut random, &bodies);
        let [left, right] = which.map(|k| Shape::from(bodies[k].clone()));
        let query = PairQuery::new(&left, &right, QuerySettings::default()).unwrap();
        for manifold in query.at(&poses[0], &poses[1]).unwrap().manifolds {
            if manifold.points.len() < 2 {
                continue;
            }
            let [force, lean, moment] = reduced(&manifold);
            forces.push(force);
            // Points push along the normal of the face that holds a body over an edge, not of the edge's side.
            let force = manifold.force.normalize();
            assert!(lean < 1e-9 || (lean - force.cross(&manifold.normal).norm()).abs() < 1e-9, "{lean}");
            assert!(force.dot(&manifold.normal) > 0.94, "{} leans by {lean}", manifold.normal);
            held_by_faces += usize::from(lean >= 1e-9);
            moments.push(moment);
            steep += usize::from(manifold.points.iter().any(|p| p.tilt.norm() > 0.499));
            steepest = manifold.points.iter().fold(steepest, |most, p| most.max(p.tilt.norm()));
            tilted += usize::from(manifold.points.iter().any(|p| p.tilt.norm() > 0.01));
        }
    }
    for of in [&mut forces, &mut moments] {
        of.sort_by(f64::total_cmp);
        let at = |part: f64| of[((of.len() - 1) as f64 * part) as usize];
        println!("{} manifolds: {:.1e} {:.1e} {:.1e} {:.1e}", of.len(), at(0.5), at(0.9), at(0.95), at(1.0));
    }
    println!("tilted {tilted}, as steep as they may be {steep}, held by faces over edges {held_by_faces}");
    assert!(forces.len() > 500 && tilted > 50 && forces[forces.len() - 1] < 1e-9);
    // Where a body is deep in another's hollow, the moment asks for forces that would push sideways alone.
    let kept = moments.iter().filter(|off| **off <= 0.01).count();
    assert!(kept + 3 >= moments.len() && steep <= moments.len() / 25, "{:?}", &moments[kept..]);
    assert!(steepest <= 0.5 + 1e-9, "a point leans by a slope of {steepest}");
}
