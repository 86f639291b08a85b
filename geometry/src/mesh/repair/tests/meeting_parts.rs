//! Closed parts of one drawing that share an edge or a whole side, and faces turned beside them.

use nalgebra::{Isometry3, Vector3};

use super::*;

/// A way to write a drawing: its size and place, the order of its triangles, and vertices shared or
/// not.
#[derive(Clone, Copy, Debug)]
struct Writing {
    size: f64,
    place: Isometry3<f64>,
    order: u64,
    is_soup: bool,
}

fn writing() -> impl Strategy<Value = Writing> {
    (crate::fixtures::scale(), crate::fixtures::pose(3.0), any::<u64>(), any::<bool>())
        .prop_map(|(size, place, order, is_soup)| Writing { size, place, order, is_soup })
}

impl Writing {
    /// Writes the triangles, in another order and each begun at another corner.
    fn write(self, (vertices, mut triangles): Arrays) -> Arrays {
        let place = |p: &Point3<f32>| ((self.place * p.cast::<f64>()) * self.size).cast::<f32>();
        let vertices: Vec<Point3<f32>> = vertices.iter().map(place).collect();
        let mut state = self.order;
        for last in (1..triangles.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            triangles.swap(last, (state >> 33) as usize % (last + 1));
            triangles[last].rotate_left((state >> 20) as usize % 3);
        }
        if !self.is_soup {
            return (vertices, triangles);
        }
        let corners = triangles.iter().flatten().map(|&v| vertices[v as usize]).collect();
        (corners, (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
    }

    /// Returns a volume (m³) as it is written, and by how much it may be off.
    fn volume(self, volume: f64) -> [f64; 2] {
        let volume = volume * self.size.powi(3);
        [volume, 1e-5 * volume.max(self.size.powi(3))]
    }
}

/// A box whose side k (−x, +x, −y, +y, −z, +z) has a grid of `n` × `n` quads, and all the others
/// with it.
fn tiled_box(low: [f64; 3], high: [f64; 3], n: u32) -> Arrays {
    let mut all: Arrays = Default::default();
    for axis in 0..3usize {
        for side in 0..2 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let at = |i: u32, j: u32| {
                let mut p = [0.0; 3];
                p[axis] = if side == 0 { low[axis] } else { high[axis] };
                p[u] = low[u] + (high[u] - low[u]) * f64::from(i) / f64::from(n);
                p[v] = low[v] + (high[v] - low[v]) * f64::from(j) / f64::from(n);
                point(p)
            };
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let quad = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                let mut faces = (quad.to_vec(), vec![[0, 1, 2], [0, 2, 3]]);
                if side == 0 {
                    faces = turned(faces);
                }
                all = joined(all, faces);
            }
        }
    }
    weld::weld(all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// A box and a lower one on the same floor: two copies of the floor, both of which bound a
    /// part.
    #[test]
    fn parts_that_share_a_floor_are_closed(
        writing in writing(), n in 1u32..4, height in 0.1f64..0.9, inside_out in any::<bool>(),
    ) {
        let low = tiled_box([0.0; 3], [1.0, 1.0, height], n);
        let both = joined(tiled_box([0.0; 3], [1.0; 3], n), low);
        let both = if inside_out { turned(both) } else { both };
        let (vertices, triangles) = writing.write(both);
        let mesh = TriMesh::repaired(vertices, triangles, &RepairSettings::default()).unwrap();
        prop_assert!(mesh.is_closed() && !mesh.has_virtual_faces(), "{:?}", mesh.repairs());
        prop_assert_eq!(mesh.triangles().len(), 24 * (n * n) as usize);
        // The places in the lower box are inside twice, and sums over the surface count them so.
        let [right, off] = writing.volume(1.0 + height);
        prop_assert!((volume(&mesh) - right).abs() <= off, "{} is not {right}", volume(&mesh));
        prop_assert_eq!(mesh.shells().len(), 2);
    }

    /// Two boxes side by side with one side of each in common, one of them inside out.
    #[test]
    fn parts_that_share_a_side_are_closed(
        writing in writing(), n in 1u32..4, width in 0.1f64..2.0, inside_out in any::<[bool; 2]>(),
    ) {
        let own = |arrays: Arrays, inside_out: bool| if inside_out { turned(arrays) } else { arrays };
        let one = own(tiled_box([0.0; 3], [1.0; 3], n), inside_out[0]);
        let other = own(tiled_box([1.0, 0.0, 0.0], [1.0 + width, 1.0, 1.0], n), inside_out[1]);
        let (vertices, triangles) = writing.write(joined(one, other));
        let mesh = TriMesh::repaired(vertices, triangles, &RepairSettings::default()).unwrap();
        prop_assert!(mesh.is_closed() && !mesh.has_virtual_faces(), "{:?}", mesh.repairs());
        let [right, off] = writing.volume(1.0 + width);
        prop_assert!((volume(&mesh) - right).abs() <= off, "{} is not {right}", volume(&mesh));
    }

    /// Two boxes that share an edge alone, one of them inside out.
    #[test]
    fn parts_that_share_an_edge_all_point_outward(
        writing in writing(), n in 1u32..4, width in 0.1f64..2.0, inside_out in any::<[bool; 2]>(),
    ) {
        let own = |arrays: Arrays, inside_out: bool| if inside_out { turned(arrays) } else { arrays };
        let one = own(tiled_box([0.0; 3], [1.0; 3], n), inside_out[0]);
        let other = own(tiled_box([1.0, 1.0, 0.0], [1.0 + width, 2.0, 1.0], n), inside_out[1]);
        let (vertices, triangles) = writing.write(joined(one, other));
        let mesh = TriMesh::repaired(vertices, triangles, &RepairSettings::default()).unwrap();
        prop_assert!(mesh.is_closed() && mesh.repairs().is_empty(), "{:?}", mesh.repairs());
        let [right, off] = writing.volume(1.0 + width);
        prop_assert!((volume(&mesh) - right).abs() <= off, "{} is not {right}", volume(&mesh));
    }

    /// A low box set against a high one, with one face turned: cut at the low one's corners, the
    /// high one's side repeats the turned face, and must not take it out.
    #[test]
    fn a_face_turned_beside_another_part_is_turned_back(
        writing in writing(), height in 0.1f64..0.9, face in 12usize..24,
    ) {
        let mut both = joined(tiled_box([0.0; 3], [1.0; 3], 1), tiled_box([0.0, 1.0, 0.0], [1.0, 1.5, height], 1));
        both.1[face].swap(0, 1);
        let (vertices, triangles) = writing.write(both);
        let mesh = TriMesh::repaired(vertices, triangles, &RepairSettings::default()).unwrap();
        prop_assert!(mesh.is_closed() && !mesh.has_virtual_faces(), "{:?}", mesh.repairs());
        let [right, off] = writing.volume(1.0 + 0.5 * height);
        prop_assert!((volume(&mesh) - right).abs() <= off, "{} is not {right}", volume(&mesh));
    }

    /// A loose triangle of any size beside a solid, or scraps of less than a thousandth of its
    /// area.
    #[test]
    fn scraps_beside_a_solid_stay_as_sheets(
        writing in writing(), n in 1u32..5, size in -4.0f64..-0.5, several in any::<bool>(), at in prop::array::uniform3(1.5f64..3.0),
    ) {
        let solid = tiled_box([0.0; 3], [1.0; 3], n);
        let size = if several { libm::pow(10.0, size - 2.0).max(1e-4) } else { libm::pow(10.0, size) };
        let corner = |along: Vector3<f64>| point((Vector3::from(at) + along * size).into());
        let loose = vec![corner(Vector3::zeros()), corner(Vector3::x()), corner(Vector3::y()), corner(Vector3::new(1.0, 1.0, 0.3))];
        let faces = if several { vec![[0, 1, 2], [2, 1, 3]] } else { vec![[0, 1, 2]] };
        let count = faces.len();
        let (vertices, triangles) = writing.write(joined(solid, (loose, faces)));
        // A triangle about as small as the rounding of its coordinates is merged away.
        prop_assume!(size > 1e-5 * (writing.place.translation.vector.norm() + 4.0));
        let mesh = TriMesh::repaired(vertices, triangles, &RepairSettings::default()).unwrap();
        prop_assert!(mesh.is_closed(), "{:?}", mesh.repairs());
        let sheets = mesh.repairs().done.iter().filter(|repair| matches!(repair, Repair::Sheet { .. })).count();
        prop_assert_eq!((sheets, mesh.triangles().len()), (1, 12 * (n * n) as usize + 2 * count));
        let [right, off] = writing.volume(1.0);
        prop_assert!((volume(&mesh) - right).abs() <= off, "{} is not {right}", volume(&mesh));
    }
}

#[test]
fn sheets_that_are_no_scraps_stay_open() {
    // A wing as large as the solid beside it, and two loose triangles of a tenth of its area each.
    let wing = sheet(3, |_, _| 2.0);
    let triangle = |x: f64| {
        (vec![point([x, 3.0, 0.0]), point([x + 1.0, 3.0, 0.0]), point([x, 4.0, 0.0])], vec![[0, 1, 2]])
    };
    for loose in [wing, joined(triangle(0.0), triangle(2.0))] {
        let (vertices, triangles) = joined(box_arrays([0.0; 3], [1.0; 3]), loose);
        let mesh = TriMesh::repaired(vertices, triangles, &RepairSettings::default()).unwrap();
        assert!(!mesh.is_closed() && !mesh.repairs().holes.is_empty());
    }
}

#[test]
fn a_repeated_part_counts_once() {
    // All of a solid given twice: one of them goes, as a repeat.
    let (vertices, triangles) = joined(box_arrays([0.0; 3], [1.0; 3]), box_arrays([0.0; 3], [1.0; 3]));
    let mesh = TriMesh::repaired(vertices, triangles, &RepairSettings::default()).unwrap();
    assert!(mesh.is_closed() && volume(&mesh) == 1.0 && mesh.triangles().len() == 12);
}
