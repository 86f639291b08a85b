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
    let settings = by_views();
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

/// A ring across four bars touches them in several places, most of them longer than wide: each is as deep as the part of the ring there has
/// to go along its normal until it is free of the bar.
#[test]
fn of_several_contacts_each_is_as_deep_as_its_own_place() {
    let mut random = Random::new(7);
    let bar = box_mesh([0.05, 1.0, 0.1]);
    let apart = [-0.45, -0.15, 0.15, 0.45];
    let moved = |x: f32| bar.vertices().iter().map(move |v| Point3::new(v.x + x, v.y, v.z));
    let vertices = apart.into_iter().flat_map(moved).collect();
    let triangles = (0..4).flat_map(|k| bar.triangles().iter().map(move |t| t.map(|v| v + 8 * k))).collect();
    let bars = TriMesh::new(vertices, triangles).unwrap();
    let ring = torus(0.6, 0.2, 96, 48);
    let shapes = [bars, ring.clone()].map(Shape::from);
    let [mut asked_of, mut small, mut few] = [0; 3];
    for (case, settings) in
        (0..64).map(|case| (case, if case < 32 { by_views() } else { NarrowSettings::default() }))
    {
        let lean = Vector3::new(6e-3 * random.signed(), 6e-3 * random.signed(), 3.0 * random.signed());
        let turn = UnitQuaternion::from_scaled_axis(lean);
        let at = [0.1 * random.signed(), 0.3 * random.signed()];
        let high = Asked::new(&shapes[0], &shapes[1], &settings).touching_height(at, turn);
        let poses = [Pose::identity(), placed(at[0], at[1], high - 3e-3 - 3e-3 * random.unit(), turn)];
        let mut asked = Asked::new(&shapes[0], &shapes[1], &settings);
        let out = asked.at(poses);
        few += [12, 8].iter().map(|up| views(&asked, poses, [12, *up]) as u32).sum::<u32>();
        let origin = PairFrame::new(&poses[0], &poses[1]).origin.coords;
        for patch in &out.patches {
            let middle = patch.centroid + origin;
            let x = apart
                .into_iter()
                .min_by(|x, y| (f64::from(*x) - middle.x).abs().total_cmp(&(f64::from(*y) - middle.x).abs()));
            let own = TriMesh::new(moved(x.unwrap()).collect(), bar.triangles().to_vec()).unwrap();
            let is_near = |at: &Point3<f64>| patch.points.iter().any(|p| (p.on_a + origin - at).norm() < 0.1);
            let center = |t: &[u32; 3]| {
                poses[1]
                    * Point3::from(
                        t.map(|v| ring.vertices()[v as usize].coords.cast::<f64>())
                            .iter()
                            .sum::<Vector3<f64>>()
                            / 3.0,
                    )
            };
            let near = ring.triangles().iter().filter(|t| is_near(&center(t))).copied().collect();
            let part = TriMesh::new(ring.vertices().to_vec(), near).unwrap();
            let parts = [own, part].map(Shape::from);
            let touches = |by: f64| {
                let mut there = poses;
                there[1].translation.vector += patch.normal * by;
                Asked::new(&parts[0], &parts[1], &settings).at(there).touching
            };
            asked_of += 1;
            // Of a large contact a zoom says how deep it is.
            let is_small = patch.radius < 0.19;
            small += u32::from(is_small);
            let free = if is_small { 1.0031 } else { 1.06 };
            assert!(touches(0.9999 * patch.depth), "case {case}: free before {}", patch.depth);
            assert!(!touches(free * patch.depth), "case {case}: not free at {}", patch.depth);
            let deepest = patch.points.iter().map(|p| p.depth).fold(f64::MIN, f64::max);
            assert!((deepest - patch.depth).abs() < 1e-12, "case {case}: {deepest} of {}", patch.depth);
        }
    }
    assert!(asked_of > 300 && small > 240 && few > 100, "{asked_of}, {small}, {few}");
}
