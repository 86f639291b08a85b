//! The reach of repairs: by the tolerance, and by the decimals of a text.

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// A surface that closes within a tolerance closes within every larger one, too.
    #[test]
    fn a_larger_tolerance_closes_no_less(
        body in body(),
        breaks in prop::collection::vec(breaks(), 1..8),
        size in -9.0f64..-1.5,
        tolerances in prop::array::uniform2(-8.0f64..-2.0),
        close_holes in prop::sample::select(vec![0.0, 0.1]),
    ) {
        let (vertices, triangles) = broken(body, &breaks, libm::pow(10.0, size + 7.0) as f32);
        let [small, large] = tolerances.map(|power| libm::pow(10.0, power));
        let closed = |tolerance: f64| {
            let settings = RepairSettings::default().tolerance(tolerance).close_holes(close_holes);
            let mesh = TriMesh::repaired(vertices.clone(), triangles.clone(), &settings).unwrap();
            prop_assert!(mesh.repairs().moved <= (tolerance * 60.0).max(1e-4));
            Ok(mesh.is_closed())
        };
        prop_assert!(!closed(small.min(large))? || closed(small.max(large))?);
    }

    /// Coordinates rounded to decimals, each corner by itself up or down: the decimals close the
    /// surface.
    #[test]
    fn decimals_close_what_their_rounding_opened(
        n in 6u32..16, m in 5u32..12, digits in 5i32..7, ups in any::<u64>(), is_given in any::<bool>(),
    ) {
        let step = libm::pow(10.0, f64::from(-digits));
        let whole = torus(2.0, 0.7, n, m);
        let mut state = ups | 1;
        let mut rounded = |x: f32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let down = libm::floor(f64::from(x) / step);
            ((down + if state >> 63 == 0 { 0.0 } else { 1.0 }) * step) as f32
        };
        let corners: Vec<Point3<f32>> =
            whole.triangles().iter().flatten().map(|&v| whole.vertices()[v as usize].map(&mut rounded)).collect();
        let triangles: Vec<[u32; 3]> = (0..whole.triangles().len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let settings = RepairSettings::default().close_holes(0.0).tolerance(0.0);
        let settings = if is_given { settings.decimal(step) } else { settings };
        let mesh = TriMesh::repaired(corners, triangles, &settings).unwrap();
        prop_assert_eq!(mesh.is_closed(), is_given, "{:?}", mesh.repairs());
        if is_given {
            prop_assert_eq!(mesh.repairs().decimal, Some(step));
            prop_assert!(mesh.repairs().moved <= 8.0 * step);
            prop_assert!((volume(&mesh) / volume(&whole) - 1.0).abs() < 50.0 * step);
        }
    }
}

#[test]
fn decimals_are_not_used_where_the_surface_closes_without_them() {
    let (vertices, triangles) = box_arrays([0.0; 3], [1.0; 3]);
    let mut slit = (vertices, triangles);
    divide(&mut slit, 3, 1, 0.5);
    let mesh = TriMesh::repaired(slit.0, slit.1, &RepairSettings::default().decimal(1e-3)).unwrap();
    assert!(mesh.is_closed() && mesh.repairs().decimal.is_none() && mesh.repairs().moved == 0.0);
}
