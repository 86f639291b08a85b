//! Holes without width: rims whose vertices are in a line.

use super::*;

/// The triangles of a box with `count` vertices put into an edge at the parts of its length, which
/// one face there has, and the other not; the box is a soup of triangles with vertices of their own
/// if `is_soup`.
fn slit_box(edge: usize, parts: &[f64], is_soup: bool) -> Arrays {
    let (mut vertices, mut triangles) = box_arrays([0.0; 3], [1.0; 3]);
    let (face, k) = (edge / 3, edge % 3);
    let corners = triangles[face];
    let [from, to, apex] = [0, 1, 2].map(|i| corners[(k + i) % 3]);
    let [p, q] = [from, to].map(|v| vertices[v as usize].cast::<f64>());
    let mut chain = vec![from];
    for part in parts {
        vertices.push((p + (q - p) * *part).cast());
        chain.push(vertices.len() as u32 - 1);
    }
    chain.push(to);
    triangles.remove(face);
    triangles.extend(chain.windows(2).map(|ends| [ends[0], ends[1], apex]));
    if !is_soup {
        return (vertices, triangles);
    }
    let corners = triangles.iter().flatten().map(|&v| vertices[v as usize]).collect();
    (corners, (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// A slit is closed at any size and place, also where rounding moves its vertices off their
    /// line.
    #[test]
    fn slits_are_closed(
        edge in 0usize..36,
        parts in prop::collection::vec(0.01f64..0.99, 1..5),
        size in crate::fixtures::scale(),
        pose in crate::fixtures::pose(2.0),
        is_soup in any::<bool>(),
        tolerance in prop::sample::select(vec![0.0, 1e-6]),
    ) {
        let mut parts = parts;
        parts.sort_by(f64::total_cmp);
        parts.dedup();
        let (vertices, triangles) = slit_box(edge, &parts, is_soup);
        let placed = vertices.iter().map(|p| ((pose * p.cast::<f64>()) * size).cast::<f32>()).collect();
        let mesh = TriMesh::repaired(placed, triangles, &RepairSettings::default().tolerance(tolerance)).unwrap();
        prop_assert!(mesh.is_closed() && !mesh.has_virtual_faces(), "{:?}", mesh.repairs());
        prop_assert!((volume(&mesh) / size.powi(3) - 1.0).abs() < 1e-5, "{}", volume(&mesh));
    }
}
