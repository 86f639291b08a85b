use proptest::prelude::*;

use super::*;

#[test]
fn boxes_on_the_pixels_borders_are_exact() {
    // [−1, 1]³ and the same shifted by (½, ¼, ¾): both 1.5 · 1.75 · 1.25, one 8.
    let (mesh, view) = (box_mesh([1.0; 3]), straight(4.0, 64));
    let a = captured(&mesh, &Isometry3::identity(), view);
    let b = captured(&mesh, &Isometry3::translation(0.5, 0.25, 0.75), view);
    let both = 1.5 * 1.75 * 1.25;
    assert_eq!(a.volume().unwrap(), 8.0);
    assert_eq!(a.intersection_volume(&b).unwrap(), both);
    for (boolean, volume) in [(Boolean::And, both), (Boolean::Or, 16.0 - both), (Boolean::Minus, 8.0 - both)]
    {
        let image = a.combined(boolean, &b).unwrap();
        assert_eq!(image.volume().unwrap(), volume, "{boolean:?}");
        assert_eq!(image.odd_lines(), 0);
        assert!(!image.self_collision().unwrap().found());
    }
}

#[test]
fn a_body_with_itself_is_itself_or_nothing() {
    for mesh in bodies() {
        let view = LdiView::of_body(&mesh, &askew(), Vector3::new(0.2, 0.9, 0.1), [48, 48]).unwrap();
        let a = captured(&mesh, &askew(), view);
        let volume = a.volume().unwrap();
        assert_eq!(a.combined(Boolean::And, &a).unwrap().volume().unwrap(), volume);
        assert_eq!(a.combined(Boolean::Or, &a).unwrap().volume().unwrap(), volume);
        assert_eq!(a.combined(Boolean::Minus, &a).unwrap().crossings(), &[]);
    }
}

#[test]
fn faces_that_touch_have_nothing_in_both_and_nothing_between() {
    let (mesh, view) = (box_mesh([1.0; 3]), straight(8.0, 64));
    let a = captured(&mesh, &Isometry3::translation(0.0, 0.0, -1.0), view);
    let b = captured(&mesh, &Isometry3::translation(0.0, 0.0, 1.0), view);
    assert!(a.combined(Boolean::And, &b).unwrap().crossings().is_empty());
    let either = a.combined(Boolean::Or, &b).unwrap();
    assert_eq!(either.deepest(), 2);
    assert_eq!(either.volume().unwrap(), 16.0);
    // Each crossing is one of the body whose face bounds the result there.
    let line = either.line(32, 32);
    assert_eq!([line[0].body(), line[1].body()], [0, 1]);
}

#[test]
fn what_is_taken_away_bounds_the_rest() {
    let view = straight(4.0, 32);
    let a = captured(&box_mesh([1.0; 3]), &Isometry3::identity(), view);
    let b = captured(&box_mesh([0.5; 3]), &Isometry3::identity(), view);
    let rest = a.combined(Boolean::Minus, &b).unwrap();
    let line = rest.line(16, 16);
    assert_eq!(line.iter().map(|c| c.body()).collect::<Vec<_>>(), [0, 1, 1, 0]);
    assert_eq!(line.iter().map(|c| c.is_front()).collect::<Vec<_>>(), [true, false, true, false]);
    assert_eq!(rest.volume().unwrap(), 7.0);
}

#[test]
fn spheres_overlap_in_a_lens() {
    let mesh = sphere_mesh(1.0, 160, 80);
    // A polyhedron is smaller than its sphere: compare with one of equal volume.
    let radius = (mesh.mass_properties().unwrap().volume * 0.75 / std::f64::consts::PI).cbrt();
    for apart in [0.5, 1.0, 1.6] {
        let poses = [Isometry3::identity(), Isometry3::translation(apart * 0.6, 0.0, apart * 0.8)];
        let bodies = [(&mesh, &poses[0]), (&mesh, &poses[1])];
        let view = LdiView::of_overlap(bodies, Vector3::z(), [128, 128]).unwrap().unwrap();
        let [a, b] = bodies.map(|(mesh, pose)| captured(mesh, pose, view));
        let (found, wanted) = (a.intersection_volume(&b).unwrap(), lens(radius, apart));
        assert!((found / wanted - 1.0).abs() < 3e-3, "{apart}: {found} for {wanted}");
        assert_eq!(a.combined(Boolean::And, &b).unwrap().volume().unwrap(), found);
    }
    let far = Isometry3::translation(3.0, 0.0, 0.0);
    let apart = LdiView::of_overlap([(&mesh, &Isometry3::identity()), (&mesh, &far)], Vector3::z(), [8, 8]);
    assert_eq!(apart.unwrap(), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Along every line the measures add up, and agree with a count of samples.
    #[test]
    fn measures_add_up(d in [-1.0f64..1.0, -1.0f64..1.0, -1.0f64..1.0], shift in [-0.9f64..0.9, -0.9f64..0.9, -0.9f64..0.9], pair in 0usize..9) {
        let direction = Vector3::from(d);
        prop_assume!(direction.norm() > 0.1);
        let bodies = bodies();
        let (first, second) = (&bodies[pair / 3], &bodies[pair % 3]);
        let pose = Isometry3::translation(shift[0], shift[1], shift[2]);
        let view = LdiView::around(Point3::from([-2.5; 3]), Point3::from([2.5; 3]), direction, [24; 2]).unwrap();
        let (a, b) = (captured(first, &askew(), view), captured(second, &pose, view));
        let of = |boolean| a.combined(boolean, &b).unwrap();
        let [and, or, minus] = Boolean::ALL.map(of);
        let volume = |image: &LayeredDepthImage| image.volume().unwrap();
        let scale = 1e-9 * volume(&or).max(1.0);
        prop_assert!((volume(&and) + volume(&or) - volume(&a) - volume(&b)).abs() < scale);
        prop_assert!((volume(&minus) + volume(&and) - volume(&a)).abs() < scale);
        for image in [&and, &or, &minus] {
            for pixel in 0..image.pixel_count() {
                let line = image.of_pixel(pixel);
                prop_assert!(line.iter().enumerate().all(|(k, c)| c.is_front() == (k % 2 == 0)));
                prop_assert!(line.windows(2).all(|w| w[0].depth() < w[1].depth()) && line.len() % 2 == 0);
            }
        }
        // Samples half a step off every lattice depth.
        let inside = |image: &LayeredDepthImage, pixel: usize, z: u32| {
            image.of_pixel(pixel).iter().take_while(|c| c.depth() <= z as i32).map(|c| c.turn()).sum::<i32>() > 0
        };
        for pixel in (0..a.pixel_count()).step_by(7) {
            for z in (0..LAST_DEPTH).step_by(99_991) {
                let (in_a, in_b) = (inside(&a, pixel, z), inside(&b, pixel, z));
                for (boolean, image) in Boolean::ALL.into_iter().zip([&and, &or, &minus]) {
                    prop_assert_eq!(inside(image, pixel, z), boolean.of(in_a, in_b));
                }
            }
        }
    }
}
