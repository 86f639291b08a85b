use impinge_convex::nearest_on_triangle;
use impinge_oracle::{Movable, Search};
use impinge_scenes::fixtures::{box_mesh, torus};
use impinge_scenes::mesh::{Bolt, OpenBox};
use impinge_scenes::random::Random;

use super::moving::views;
use super::*;

/// How far a point (m, world) is from a mesh that stands at a pose, by all its triangles.
fn distance(mesh: &TriMesh, pose: &Pose, point: &Point3<f64>) -> f64 {
    let at = |v: u32| pose * mesh.vertices()[v as usize].cast::<f64>();
    let nearest = |t: &[u32; 3]| (nearest_on_triangle(&t.map(at), point) - point).norm();
    mesh.triangles().iter().map(nearest).fold(f64::INFINITY, f64::min)
}

/// A shallow contact that is all that two bodies overlap in is as deep as B has to go along its normal, and its deepest point is where the
/// bodies' surfaces are.
#[test]
fn the_only_contact_is_as_deep_as_b_has_to_go() {
    let mut random = Random::new(11);
    let meshes = [
        box_mesh([0.6, 0.5, 0.4]),
        torus(0.6, 0.25, 24, 12),
        torus(0.5, 0.3, 30, 16),
        box_mesh([0.2, 0.7, 0.3]),
    ];
    let shapes = meshes.clone().map(Shape::from);
    let (mut asked_of, mut freed, mut few) = (0, 0, 0);
    for case in 0..192 {
        let settings = if case % 2 == 0 { NarrowSettings::default() } else { by_views() };
        let of = [case / 2 % 4, case / 8 % 4];
        let mut asked = Asked::new(&shapes[of[0]], &shapes[of[1]], &settings);
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from_fn(|_, _| 1.5 * random.signed()));
        let at = [0.7 * random.signed(), 0.7 * random.signed()];
        let high = asked.touching_height(at, turn);
        let poses = [Pose::identity(), placed(at[0], at[1], high - 1e-4 - 3.9e-3 * random.unit(), turn)];
        // Where no view of the last answer shows the contact, and where one does.
        let mut leans = poses;
        leans[1].rotation = UnitQuaternion::from_scaled_axis(Vector3::from_fn(|_, _| 0.3)) * turn;
        for pose in [leans, poses, poses] {
            let out = asked.at(pose);
            few += u32::from(pose != leans && [12, 8].iter().any(|up| views(&asked, poses, [12, *up]) > 0));
            let [patch] = &out.patches[..] else { continue };
            if pose == leans {
                continue;
            }
            asked_of += 1;
            let moved = |by: f64| {
                let mut there = poses;
                there[1].translation.vector += patch.normal * by;
                !Asked::new(&shapes[of[0]], &shapes[of[1]], &settings).at(there).touching
            };
            assert!(!moved(0.9999 * patch.depth), "case {case}: free before {}", patch.depth);
            freed += u32::from(moved(1.0031 * patch.depth));
            let deepest = patch.points.iter().reduce(|p, q| if q.depth > p.depth { q } else { p }).unwrap();
            assert!((deepest.depth - patch.depth).abs() < 1e-12, "case {case}");
            let origin = PairFrame::new(&poses[0], &poses[1]).origin.coords;
            let ends = [deepest.on_a, deepest.on_b].map(|p| p + origin);
            for k in 0..2 {
                let off = distance(&meshes[of[k]], &poses[k], &ends[k]);
                assert!(off < 1e-6, "case {case}: {off} off the surface {k}");
            }
        }
    }
    assert!(asked_of > 240 && few > 120 && freed * 100 >= asked_of * 98, "{freed} of {asked_of}, {few}");
}

/// Where B ends on what leans against a shallow contact's normal, another direction may be shorter: the contact takes it, through however
/// few lines it was seen, and keeps it while B trembles. Without that 6 of 500 answers are more
/// than 5 % deeper.
#[test]
fn the_only_contact_is_hardly_deeper_than_the_least_translation() {
    let mut random = Random::new(5);
    let open = OpenBox { half_inside: [0.3, 0.3], height: 0.4, wall: 0.08, ..OpenBox::default() };
    let meshes = [open.mesh().unwrap(), Bolt::default().mesh().unwrap()];
    let shapes = meshes.clone().map(Shape::from);
    let search = Search { directions: 100, cones: 10, halvings: 12, ..Search::default() };
    let (mut alone, mut deeper, mut turned) = (0, 0, Vec::new());
    for case in 0..256 {
        let mut asked = Asked::new(&shapes[0], &shapes[1], &NarrowSettings::default());
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from_fn(|_, _| 3.0 * random.signed()));
        let at = [0.3 * random.signed(), 0.3 * random.signed()];
        let high = asked.touching_height(at, turn);
        let sunk = 1e-4 + 2.9e-3 * random.unit();
        let mut poses = [Pose::identity(), placed(at[0], at[1], high - sunk, turn)];
        let mut last: Option<Vector3<f64>> = None;
        for step in 0..4 {
            let out = asked.at(poses);
            let [patch] = &out.patches[..] else { break };
            if step == 0 || step == 3 {
                let mut movable = Movable::new([&meshes[0], &meshes[1]], [&poses[0], &poses[1]]);
                let least = movable.least_translation(&[patch.normal], &search).distance;
                deeper += u32::from(patch.depth > 1.05 * least);
                alone += 1;
            }
            if let Some(last) = last
                && last.dot(&patch.normal) < 0.999
            {
                turned.push((case, step));
            }
            last = Some(patch.normal);
            poses[1].translation.vector += Vector3::from_fn(|_, _| 1e-6 * random.signed());
        }
    }
    assert!(alone > 450 && deeper == 0 && turned.is_empty(), "{deeper} of {alone}, {turned:?}");
}
