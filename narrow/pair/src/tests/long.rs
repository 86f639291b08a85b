use impinge_scenes::fixtures::{box_mesh, torus};
use impinge_scenes::random::Random;

use super::moving::views;
use super::*;

/// A contact twice as long as wide, or more, is seen through fewer lines across than along, and what is said of it is what many times as many
/// lines say; its points reach about as far.
#[test]
fn a_long_contact_is_what_it_is_through_more_lines() {
    let mut random = Random::new(5);
    let shapes = [box_mesh([2.0, 2.0, 0.5]), torus(0.6, 0.2, 96, 48)].map(Shape::from);
    let settings = NarrowSettings::default();
    let fine = NarrowSettings { resolution: 4 * settings.resolution, ..settings };
    let [mut long, mut square] = [0; 2];
    for case in 0..32 {
        let about = UnitQuaternion::from_scaled_axis(Vector3::z() * (3.0 * random.signed()));
        let lean = if case % 2 == 0 { 1.5 * random.signed() } else { 1.5 };
        let turn = about * UnitQuaternion::from_scaled_axis(Vector3::x() * lean);
        let at = [random.signed(), random.signed()];
        let high = Asked::new(&shapes[0], &shapes[1], &settings).touching_height(at, turn);
        let poses = [Pose::identity(), placed(at[0], at[1], high - 5e-4 - 3.5e-3 * random.unit(), turn)];
        let mut asked = Asked::new(&shapes[0], &shapes[1], &settings);
        let out = asked.at(poses);
        let is_long = views(&asked, poses, [12, 8]) > 0;
        long += usize::from(is_long);
        square += views(&asked, poses, [12; 2]);
        let whole = Asked::new(&shapes[0], &shapes[1], &fine).at(poses);
        let (p, q) = (only(&out), only(&whole));
        let reach = |patch: &Patch| {
            let width = |axis: Vector3<f64>| {
                let along = patch.points.iter().map(|p| (about * axis).dot(&p.on_a.coords));
                along.clone().fold(f64::MIN, f64::max) - along.fold(f64::MAX, f64::min)
            };
            (width(Vector3::x()), width(Vector3::y()))
        };
        assert!((p.normal - q.normal).norm() < 1e-9, "case {case}");
        assert_near(p.depth, q.depth, 0.0031);
        assert_near(p.volume, q.volume, 1e-9);
        assert!((p.pressure_center - q.pressure_center).norm() < 1e-3 * q.radius, "case {case}");
        let [(along, across), (whole_along, whole_across)] = [p, q].map(reach);
        assert!(along > 0.85 * whole_along, "case {case}: {along} of {whole_along} m along");
        // Of what is larger than the smaller body's half no view has fewer lines.
        let part = if is_long { 0.85 } else { 0.75 };
        assert!(across > part * whole_across, "case {case}: {across} of {whole_across} m across");
    }
    assert!(long > 10 && square > 10, "{long} long, {square} square");
}

/// A ring across four bars touches them in several places, most of them longer than wide: what has no depth but by its lines has all of them.
#[test]
fn of_several_long_contacts_each_is_as_deep_as_it_is() {
    let mut random = Random::new(7);
    let bar = box_mesh([0.05, 1.0, 0.1]);
    let moved = |x: f32| bar.vertices().iter().map(move |v| Point3::new(v.x + x, v.y, v.z));
    let vertices = [-0.45, -0.15, 0.15, 0.45].into_iter().flat_map(moved).collect();
    let triangles = (0..4).flat_map(|k| bar.triangles().iter().map(move |t| t.map(|v| v + 8 * k))).collect();
    let bars = TriMesh::new(vertices, triangles).unwrap();
    let shapes = [bars, torus(0.6, 0.2, 96, 48)].map(Shape::from);
    let settings = NarrowSettings::default();
    let fine = NarrowSettings { resolution: 4 * settings.resolution, ..settings };
    let [mut asked_of, mut long, mut off] = [0; 3];
    for case in 0..32 {
        let lean = Vector3::new(6e-3 * random.signed(), 6e-3 * random.signed(), 3.0 * random.signed());
        let turn = UnitQuaternion::from_scaled_axis(lean);
        let at = [0.1 * random.signed(), 0.3 * random.signed()];
        let high = Asked::new(&shapes[0], &shapes[1], &settings).touching_height(at, turn);
        let poses = [Pose::identity(), placed(at[0], at[1], high - 3e-3 - 3e-3 * random.unit(), turn)];
        let mut asked = Asked::new(&shapes[0], &shapes[1], &settings);
        let out = asked.at(poses);
        long += views(&asked, poses, [12, 8]);
        let whole = Asked::new(&shapes[0], &shapes[1], &fine).at(poses);
        assert_eq!(out.patches.len(), whole.patches.len(), "case {case}");
        for p in &out.patches {
            let far = |q: &&Patch| (q.centroid - p.centroid).norm();
            let q = whole.patches.iter().min_by(|p, q| far(p).total_cmp(&far(q))).unwrap();
            let error = (p.depth - q.depth).abs() / q.depth;
            assert!(error < 0.06, "case {case}: {} m of {}", p.depth, q.depth);
            (asked_of, off) = (asked_of + 1, off + usize::from(error > 0.04));
        }
    }
    assert!(asked_of > 150 && long == 0 && off * 50 < asked_of, "{off} of {asked_of}, {long}");
}
