use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};
use impinge_scenes::random::Random;

use super::*;
use crate::patch::deepest;

/// How far from a place a line along `direction` first leaves a mesh that stands at a pose (m), of all its triangles one by one.
fn leaves(mesh: &TriMesh, pose: &Pose, at: &Point3<f64>, direction: &Vector3<f64>) -> Option<f64> {
    let own = |v: u32| pose * mesh.vertices()[v as usize].cast::<f64>();
    let through = mesh.triangles().iter().filter_map(|t| {
        let [a, b, c] = t.map(own);
        let normal = (b - a).cross(&(c - a));
        let along = normal.dot(direction);
        let way = (a - at).dot(&normal) / along;
        let place = at + direction * way;
        let sides = [(a, b), (b, c), (c, a)].map(|(p, q)| (q - p).cross(&(place - p)).dot(&normal));
        (along > 0.0 && way >= 0.0 && sides.iter().all(|side| *side >= 0.0)).then_some(way)
    });
    through.reduce(f64::min)
}

/// A thin round ring that lies on a floor, or round a ball's top, leans a little: few lines of a view meet where it touches, and where they do
/// is chance. All round it has points that are as deep as its vertices there.
#[test]
fn a_rim_has_points_as_deep_as_its_vertices_all_round() {
    let mut random = Random::new(3);
    let ring = torus(0.6, 0.03, 64, 12);
    let grounds = [box_mesh([2.0, 2.0, 0.5]), sphere_mesh(1.0, 64, 32)];
    let settings = NarrowSettings::default();
    let (mut asked_of, mut at_vertices) = ([0; 2], 0);
    for case in 0..16 {
        let ground = &grounds[case % 2];
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(
            1e-3 * random.signed(),
            1e-3 * random.signed(),
            0.3,
        ));
        let shapes = [ground, &ring].map(|mesh| Shape::from(mesh.clone()));
        let high = Asked::new(&shapes[0], &shapes[1], &settings).touching_height([0.0; 2], turn);
        let poses = [Pose::identity(), placed(0.0, 0.0, high - 2.5e-3, turn)];
        // The ring may be either body.
        let order = if case % 4 < 2 { [0, 1] } else { [1, 0] };
        let [a, b] = order.map(|k| &shapes[k]);
        let out = Asked::new(a, b, &settings).at(order.map(|k| poses[k]));
        // Leaning on the ball, it may touch in several places.
        if out.patches.len() > 1 {
            continue;
        }
        let origin = PairFrame::new(&poses[order[0]], &poses[order[1]]).origin.coords;
        let deepest = &out.patches[deepest(&out.patches).unwrap()];
        assert!(deepest.normal.z.abs() > 0.9, "case {case}: {}", deepest.normal);
        let down = if order == [0, 1] { -deepest.normal } else { deepest.normal };
        let places: Vec<(Point3<f64>, f64)> = deepest
            .points
            .iter()
            .map(|p| ((if order == [0, 1] { p.on_b } else { p.on_a }) + origin, p.depth))
            .collect();
        let mut most = 0.0f64;
        for vertex in ring.vertices() {
            let at = poses[1] * vertex.cast::<f64>();
            let Some(depth) = leaves(ground, &poses[0], &at, &-down).filter(|depth| *depth < 0.02) else {
                continue;
            };
            // The ground's surface is above the vertex; through the ball's far side it is farther.
            most = most.max(depth);
            let own = places.iter().filter(|(place, _)| (place - at).norm() < 1e-9);
            for (_, found) in own {
                assert_near(*found, depth, 1e-6);
                at_vertices += 1;
            }
            // On the ring's far side it is left at once.
            let spoke = Vector3::new(f64::from(vertex.x), f64::from(vertex.y), 0.0).normalize();
            let outward = turn * (vertex.cast::<f64>().coords - spoke * 0.6) / 0.03;
            if depth > 0.3 * deepest.depth && outward.dot(&down) > 0.3 {
                asked_of[case % 2] += 1;
                let near = places.iter().filter(|(place, _)| (place - at).norm() < 0.2);
                let found = near.map(|(_, depth)| *depth).fold(0.0, f64::max);
                assert!(found > 0.999 * depth, "case {case}: {found} beside a vertex {depth} deep");
            }
        }
        assert!(deepest.depth > 0.999_999 * most, "case {case}: {} of {most}", deepest.depth);
    }
    assert!(
        asked_of.iter().all(|of| *of > 50) && at_vertices > 200,
        "{asked_of:?} asked, {at_vertices} at vertices"
    );
}
