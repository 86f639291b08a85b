use nalgebra::Point3;
use proptest::prelude::*;

use super::*;
use crate::fixtures::{ball, box_arrays, joined, sheet, torus, turned};

fn made((vertices, triangles): Arrays) -> TriMesh {
    TriMesh::new(vertices, triangles).unwrap()
}

fn volume(mesh: &TriMesh) -> f64 {
    mesh.mass_properties().unwrap().volume
}

#[test]
fn vertices_that_are_not_numbers_are_named() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let (mut vertices, triangles) = box_arrays([0.0; 3], [1.0; 3]);
        vertices[5].y = bad;
        let error = TriMesh::new(vertices.clone(), triangles.clone()).unwrap_err();
        assert!(matches!(error, MeshError::VertexNotFinite { index: 5, .. }));
        assert_eq!(TriMesh::welded(vertices, triangles).unwrap_err().to_string(), error.to_string());
    }
}

#[test]
fn empty_meshes_and_indices_out_of_range_are_refused() {
    let (vertices, mut triangles) = box_arrays([0.0; 3], [1.0; 3]);
    assert_eq!(TriMesh::new(vec![], vec![]).unwrap_err(), MeshError::Empty);
    assert_eq!(TriMesh::new(vertices.clone(), vec![]).unwrap_err(), MeshError::Empty);
    triangles[7][2] = 8;
    let error = MeshError::IndexOutOfRange { triangle: 7, index: 8, vertices: 8 };
    assert_eq!(TriMesh::new(vertices.clone(), triangles.clone()).unwrap_err(), error);
    triangles[7][2] = u32::MAX;
    let error = MeshError::IndexOutOfRange { triangle: 7, index: u32::MAX, vertices: 8 };
    assert_eq!(TriMesh::welded(vertices, triangles).unwrap_err(), error);
    assert!(matches!(TriMesh::new(vec![], vec![[0; 3]]), Err(MeshError::IndexOutOfRange { .. })));
}

#[test]
fn triangles_without_area_and_repeats_are_passed_over_and_named() {
    let (mut vertices, mut triangles) = box_arrays([0.0; 3], [1.0; 3]);
    vertices.push(Point3::new(0.5, 0.0, 0.0));
    triangles.insert(0, [3, 3, 1]); // two corners the same
    triangles.insert(4, [0, 8, 1]); // three corners on a line
    let again = triangles[5];
    triangles.push([again[1], again[2], again[0]]); // the same, started elsewhere
    let mesh = made((vertices, triangles));
    let defects = &mesh.report().defects;
    let expected = [
        Defect::Degenerate { triangle: 0 },
        Defect::Degenerate { triangle: 4 },
        Defect::Duplicate { triangle: 14, of: 5 },
    ];
    assert_eq!(defects[..], expected);
    assert!(mesh.is_closed());
    assert_eq!(mesh.triangles().len(), 12);
    assert_eq!(mesh.source_triangles(), [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
}

#[test]
fn a_mesh_of_nothing_but_lines_is_refused() {
    let line = (0..3).map(|i| Point3::new(i as f32, 0.0, 0.0)).collect();
    let error = TriMesh::new(line, vec![[0, 1, 2], [1, 1, 2]]).unwrap_err();
    assert_eq!(error, MeshError::NothingSound { triangles: 2, degenerate: 2, duplicate: 0 });
}

#[test]
fn a_missing_face_leaves_a_soup_with_three_boundary_edges() {
    let (vertices, mut triangles) = box_arrays([0.0; 3], [1.0; 3]);
    triangles.pop();
    let mesh = made((vertices, triangles));
    assert_eq!(mesh.topology(), Topology::Soup);
    assert_eq!(mesh.report().count(|d| matches!(d, Defect::Boundary { .. })), 3);
    assert_eq!(mesh.report().defects.len(), 3);
    assert_eq!(mesh.edges().iter().filter(|e| e.faces[1] == NO_FACE).count(), 3);
}

#[test]
fn a_face_turned_round_leaves_a_soup_with_three_turned_edges() {
    let (vertices, mut triangles) = box_arrays([0.0; 3], [1.0; 3]);
    triangles[3].swap(0, 1);
    let mesh = made((vertices, triangles));
    assert_eq!(mesh.topology(), Topology::Soup);
    assert_eq!(mesh.report().count(|d| matches!(d, Defect::Turned { .. })), 3);
}

#[test]
fn an_edge_that_ends_on_another_edge_leaves_a_soup() {
    // One triangle of the box is split at the middle of a side, its neighbour is not.
    let (mut vertices, mut triangles) = box_arrays([0.0; 3], [1.0; 3]);
    let [a, b, c] = triangles[0];
    vertices.push(nalgebra::center(&vertices[a as usize], &vertices[b as usize]));
    triangles[0] = [a, 8, c];
    triangles.push([8, b, c]);
    let mesh = made((vertices, triangles));
    assert_eq!(mesh.topology(), Topology::Soup);
    assert_eq!(mesh.report().count(|d| matches!(d, Defect::Boundary { .. })), 3);
}

#[test]
fn a_triangle_without_area_that_holds_the_surface_together_is_worked_in() {
    // One triangle of the box is split at three points of a side; its neighbour is not; triangles
    // without area lie between them, in each of their orders.
    for order in 0..6 {
        let (mut vertices, mut triangles) = box_arrays([0.0; 3], [4.0; 3]);
        let [a, b, c] = triangles[0];
        let (p, q) = (vertices[a as usize], vertices[b as usize]);
        vertices.extend([0.25, 0.5, 0.75].map(|s| p + (q - p) * s));
        triangles[0] = [a, 8, c];
        triangles.extend([[8, 9, c], [9, 10, c], [10, b, c]]);
        let mut caps = [[8, a, 9], [9, a, b], [10, 9, b]];
        caps.rotate_left(order % 3);
        if order > 2 {
            caps.swap(0, 1);
        }
        triangles.extend(caps);
        let mesh = made((vertices, triangles));
        assert!(mesh.is_closed(), "{:?}", mesh.report());
        assert_eq!(mesh.triangles().len(), 18);
        assert_eq!(mesh.report().count(|d| matches!(d, Defect::Degenerate { .. })), 3);
        assert!(mesh.report().count(|d| matches!(d, Defect::Cut { .. })) >= 3);
        assert!((volume(&mesh) - 64.0).abs() < 1e-12);
        well_formed(&mesh).unwrap();
    }
}

#[test]
fn two_cubes_that_share_an_edge_are_closed() {
    // The cubes [0,1]³ and [1,2]×[1,2]×[0,1] share the edge x = y = 1.
    let (vertices, triangles) =
        joined(box_arrays([0.0; 3], [1.0; 3]), box_arrays([1.0, 1.0, 0.0], [2.0, 2.0, 1.0]));
    let mesh = TriMesh::welded(vertices, triangles).unwrap();
    assert_eq!(mesh.vertices().len(), 14);
    assert!(mesh.is_closed());
    let [Defect::NonManifold { vertices, faces: 4 }] = mesh.report().defects[..] else {
        panic!("{:?}", mesh.report())
    };
    let edge = mesh.edges().iter().position(|e| e.vertices == vertices).unwrap();
    assert_eq!(mesh.edge_faces(edge as u32).len(), 4);
    assert_eq!(mesh.edges()[edge].faces, mesh.edge_faces(edge as u32)[..2]);
    assert!((volume(&mesh) - 2.0).abs() < 1e-14);
}

#[test]
fn three_sheets_that_meet_in_an_edge_are_a_soup() {
    let vertices = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]
        .map(Point3::from);
    let mesh = made((vertices.to_vec(), vec![[0, 1, 2], [0, 1, 3], [1, 0, 4]]));
    assert_eq!(mesh.topology(), Topology::Soup);
    assert_eq!(mesh.report().count(|d| matches!(d, Defect::NonManifold { faces: 3, .. })), 1);
}

#[test]
fn an_inside_out_box_is_turned() {
    let mesh = made(turned(box_arrays([1.0; 3], [2.0; 3])));
    assert!(mesh.is_closed());
    assert_eq!(mesh.report().defects, [Defect::InsideOut]);
    assert!((volume(&mesh) - 1.0).abs() < 1e-14);
    well_formed(&mesh).unwrap();
}

#[test]
fn of_two_boxes_apart_the_one_that_points_inward_is_turned() {
    for swap in [false, true] {
        let small = turned(box_arrays([5.0; 3], [6.0; 3]));
        let large = box_arrays([0.0; 3], [3.0; 3]);
        let mesh = made(if swap { joined(small, large) } else { joined(large, small) });
        let triangle = if swap { 0 } else { 12 };
        assert_eq!(mesh.report().defects, [Defect::InsideOutShell { triangle, triangles: 12 }]);
        assert!((volume(&mesh) - 28.0).abs() < 1e-12);
        assert_eq!(mesh.components().len(), 2);
        for (t, corners) in mesh.triangles().iter().enumerate() {
            let known = mesh.components().iter().rev().find(|&&c| c <= corners[0]);
            assert_eq!(Some(&mesh.component_of(t as u32)), known, "two boxes, one behind the other");
        }
        well_formed(&mesh).unwrap();
    }
}

#[test]
fn a_cavity_stays_and_an_inward_body_in_a_cavity_is_turned() {
    let outer = box_arrays([0.0; 3], [10.0; 3]);
    let cavity = turned(box_arrays([2.0; 3], [8.0; 3]));
    let hollow = joined(outer.clone(), cavity.clone());
    let mesh = made(hollow.clone());
    assert!(mesh.report().defects.is_empty());
    assert!((volume(&mesh) - (1000.0 - 216.0)).abs() < 1e-9);
    // All of it turned: still one cavity in one body.
    let mesh = made(turned(hollow.clone()));
    assert_eq!(mesh.report().defects, [Defect::InsideOut]);
    assert!((volume(&mesh) - (1000.0 - 216.0)).abs() < 1e-9);
    // A body that floats in the cavity, pointing inward.
    let mesh = made(joined(hollow, turned(box_arrays([4.0; 3], [5.0; 3]))));
    assert_eq!(mesh.report().defects, [Defect::InsideOutShell { triangle: 24, triangles: 12 }]);
    assert!((volume(&mesh) - (1000.0 - 216.0 + 1.0)).abs() < 1e-9);
}

#[test]
fn a_sheet_doubled_back_to_back_is_closed() {
    let (vertices, mut triangles) = sheet(3, |x, y| x * y);
    let back: Vec<[u32; 3]> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    triangles.extend(back);
    let mesh = made((vertices, triangles));
    assert!(mesh.is_closed());
    assert!(mesh.report().defects.iter().all(|d| matches!(d, Defect::NonManifold { faces: 4, .. })));
}

#[test]
fn vertices_that_no_triangle_uses_do_not_count_for_bounds_or_components() {
    let (mut vertices, triangles) = box_arrays([0.0; 3], [1.0; 3]);
    vertices.push(Point3::new(100.0, 0.0, 0.0));
    let mesh = made((vertices, triangles));
    assert_eq!(mesh.aabb(), Aabb { min: [0.0; 3], max: [1.0; 3] });
    assert!(mesh.bounding_sphere().radius < 1.0);
    assert_eq!(mesh.components(), [0]);
    assert!((0..12).all(|t| mesh.component_of(t) == 0));
}

#[test]
fn repeated_vertices_are_welded() {
    let exact = torus(2.0, 0.5, 12, 8);
    let vertices: Vec<Point3<f32>> = (0..exact.triangles().len() as u32)
        .flat_map(|t| exact.corners(t))
        .map(|p| if p.z == 0.0 { Point3::new(p.x, p.y, -p.z) } else { p })
        .collect();
    let triangles: Vec<[u32; 3]> =
        (0..exact.triangles().len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    assert!(!made((vertices.clone(), triangles.clone())).is_closed());
    let mesh = TriMesh::welded(vertices, triangles).unwrap();
    assert!(mesh.is_closed());
    assert_eq!(mesh.vertices().len(), exact.vertices().len());
    assert_eq!(mesh.edges().len(), exact.edges().len());
}

#[test]
fn a_deformed_mesh_keeps_its_topology() {
    let mesh = ball(2);
    let longer: Vec<Point3<f32>> = mesh.vertices().iter().map(|p| Point3::new(p.x, p.y, 3.0 * p.z)).collect();
    let deformed = mesh.with_vertices(longer.clone()).unwrap();
    assert_eq!(deformed.triangles(), mesh.triangles());
    assert_eq!(deformed.edges(), mesh.edges());
    assert_eq!(deformed.aabb().max, [1.0, 1.0, 3.0]);
    assert!((volume(&deformed) / volume(&mesh) - 3.0).abs() < 1e-5);
    let error = mesh.with_vertices(longer[1..].to_vec()).unwrap_err();
    let expected = longer.len();
    assert_eq!(error, MeshError::VertexCount { given: expected - 1, expected });
    let mut broken = longer;
    broken[4].x = f32::NAN;
    assert!(matches!(mesh.with_vertices(broken), Err(MeshError::VertexNotFinite { index: 4, .. })));
}

/// What every mesh promises, checked the slow way.
fn well_formed(mesh: &TriMesh) -> Result<(), String> {
    let mut balanced = true;
    for (e, edge) in mesh.edges().iter().enumerate() {
        let [p, q] = edge.vertices;
        let (mut faces, mut balance) = (Vec::new(), 0);
        for (t, corners) in mesh.triangles().iter().enumerate() {
            for k in 0..3 {
                let run = [corners[k], corners[(k + 1) % 3]];
                if run == [p, q] || run == [q, p] {
                    faces.push(t as u32);
                    balance += if run == [p, q] { 1 } else { -1 };
                    if mesh.triangle_edges()[t][k] != e as u32 {
                        return Err(format!("triangle {t}, edge {k} does not name edge {e}"));
                    }
                }
            }
        }
        balanced &= balance == 0;
        let two = [faces[0], faces.get(1).copied().unwrap_or(NO_FACE)];
        if mesh.edge_faces(e as u32) != faces || edge.faces != two || p >= q {
            return Err(format!("edge {e}: {edge:?}, faces {faces:?}"));
        }
    }
    if mesh.edges().windows(2).any(|w| w[0].vertices >= w[1].vertices) {
        return Err("edges are not unique and in order".into());
    }
    if balanced != mesh.is_closed() {
        return Err(format!("balanced is {balanced}"));
    }
    Ok(())
}

proptest! {
    /// Any triangles on a few vertices, some of them at the same place or in line: every promise
    /// holds, and making the mesh from its own arrays again changes nothing.
    #[test]
    fn any_soup_makes_a_well_formed_mesh(
        places in prop::collection::vec(prop::array::uniform3(0u8..3), 4..9),
        corners in prop::collection::vec(prop::array::uniform3(0usize..9), 1..40),
        weld in any::<bool>(),
    ) {
        let n = places.len();
        let vertices: Vec<Point3<f32>> = places.iter().map(|p| Point3::from(p.map(f32::from))).collect();
        let triangles: Vec<[u32; 3]> = corners.iter().map(|t| t.map(|v| (v % n) as u32)).collect();
        let mesh = if weld { TriMesh::welded(vertices, triangles) } else { TriMesh::new(vertices, triangles) };
        match mesh {
            Err(error) => {
                let nothing = matches!(error, MeshError::NothingSound { .. });
                prop_assert!(nothing, "{}", error);
            }
            Ok(mesh) => {
                prop_assert_eq!(well_formed(&mesh), Ok(()));
                let again = TriMesh::new(mesh.vertices().to_vec(), mesh.triangles().to_vec()).unwrap();
                prop_assert_eq!(again.triangles(), mesh.triangles());
                prop_assert_eq!(again.topology(), mesh.topology());
            }
        }
    }

    /// Boxes on a lattice, each turned or not and none of them touching: every box that is not nested
    /// ends up outward, however the mesh was given.
    #[test]
    fn boxes_apart_all_end_up_outward(turn in prop::collection::vec(any::<bool>(), 1..6), scale in crate::fixtures::scale()) {
        let mut all = (Vec::new(), Vec::new());
        for (i, &inward) in turn.iter().enumerate() {
            let s = scale as f32;
            let low = [2.0 * i as f32 * s, 0.0, 0.0];
            let one = box_arrays(low, [low[0] + s, s * (i as f32 + 1.0), s]);
            all = joined(all, if inward { turned(one) } else { one });
        }
        let mesh = made(all);
        for shell in mesh.triangles().chunks(12) {
            let at = |v: u32| mesh.vertices()[v as usize].cast::<f64>().coords;
            let volume: f64 = shell.iter().map(|&[a, b, c]| at(a).dot(&at(b).cross(&at(c)))).sum();
            prop_assert!(volume > 0.0);
        }
        let inward = turn.iter().filter(|t| **t).count();
        let expected = if inward == turn.len() { 1 } else { inward };
        prop_assert_eq!(mesh.report().defects.len(), expected);
    }
}

#[test]
fn of_a_vertex_that_is_given_twice_the_last_place_counts() {
    let (vertices, triangles) = box_arrays([0.0; 3], [1.0; 3]);
    let mut mesh = TriMesh::new(vertices, triangles).unwrap();
    let was = mesh.vertices()[3];
    // Each step is shorter than the way from the first place to the last.
    let [middle, end] = [1.0, 2.0].map(|x: f32| was + nalgebra::Vector3::new(x, 0.0, 0.0));
    let moved = mesh.edit_vertices(&[(3, middle), (1, mesh.vertices()[1]), (3, end)]).unwrap();
    assert!(mesh.vertices()[3] == end && (2.0..2.0001).contains(&moved), "{moved}");
    assert_eq!(mesh.edit_vertices(&[]).unwrap(), 0.0);
}
