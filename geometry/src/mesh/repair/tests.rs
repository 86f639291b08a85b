mod meeting_parts;
mod slits;
mod tolerance;

use nalgebra::Vector3;
use proptest::prelude::*;

use super::*;
use crate::Defect;
use crate::fixtures::{ball, box_arrays, joined, point, sheet, torus, turned};
use crate::mesh::Arrays;

fn volume(mesh: &TriMesh) -> f64 {
    mesh.mass_properties().map_or(0.0, |mass| mass.volume)
}

fn arrays(mesh: &TriMesh) -> Arrays {
    (mesh.vertices().to_vec(), mesh.triangles().to_vec())
}

fn repaired((vertices, triangles): Arrays) -> TriMesh {
    TriMesh::repaired(vertices, triangles, &RepairSettings::default()).unwrap()
}

/// The greatest distance (m) of a corner, a middle of an edge or the middle of a real face from the triangle that it was
/// cut from.
fn displaced(mesh: &TriMesh, given: &TriMesh, triangles: &[[u32; 3]]) -> f64 {
    let mut most = 0.0f64;
    for (t, &source) in
        mesh.source_triangles().iter().enumerate().filter(|(t, _)| !mesh.is_virtual(*t as u32))
    {
        let from = triangles[source as usize].map(|v| given.vertices()[v as usize].cast::<f64>());
        let [a, b, c] = mesh.corners(t as u32).map(|p| p.cast::<f64>());
        let middle = |p: &Point3<f64>, q: &Point3<f64>| nalgebra::center(p, q);
        let third = Point3::from((a.coords + b.coords + c.coords) / 3.0);
        for p in [a, b, c, middle(&a, &b), middle(&b, &c), middle(&c, &a), third] {
            most = most.max(from_triangle(&p, &from));
        }
    }
    most
}

/// Distance of a point from a triangle (m).
fn from_triangle(p: &Point3<f64>, corners: &[Point3<f64>; 3]) -> f64 {
    let edge = |a: &Point3<f64>, b: &Point3<f64>| {
        let along = b - a;
        let part = ((p - a).dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (p - a - along * part).norm()
    };
    let [a, b, c] = corners;
    let rim = edge(a, b).min(edge(b, c)).min(edge(c, a));
    let normal = (b - a).cross(&(c - a));
    let inside =
        [(a, b), (b, c), (c, a)].iter().all(|(p0, p1)| (*p1 - *p0).cross(&(p - *p0)).dot(&normal) >= 0.0);
    match normal.try_normalize(0.0) {
        Some(unit) if inside => (p - a).dot(&unit).abs().min(rim),
        _ => rim,
    }
}

fn welded((vertices, triangles): Arrays) -> TriMesh {
    TriMesh::welded(vertices, triangles).unwrap()
}

/// Divides triangle `t` from corner `k` through the opposite edge, at `part` of its length: its neighbour
/// there keeps the whole edge.
fn divide((vertices, triangles): &mut Arrays, t: usize, k: usize, part: f64) {
    let corners = triangles[t];
    let [apex, from, to] = [0, 1, 2].map(|i| corners[(k + i) % 3]);
    let [p, q] = [from, to].map(|v| vertices[v as usize].cast::<f64>());
    vertices.push((p + (q - p) * part).cast());
    let middle = vertices.len() as u32 - 1;
    triangles[t] = [apex, from, middle];
    triangles.push([apex, middle, to]);
}

#[test]
fn a_closed_mesh_stays_as_it_is() {
    let torus = torus(2.0, 0.6, 24, 12);
    for given in [arrays(&torus), joined(arrays(&torus), arrays(&ball(2)))] {
        let mesh = repaired(given.clone());
        assert_eq!((mesh.vertices(), mesh.triangles()), (&given.0[..], &given.1[..]));
        assert!(mesh.repairs().is_empty() && !mesh.has_closed_holes());
    }
}

#[test]
fn a_t_junction_is_stitched_without_moving_anything() {
    let mut cube = box_arrays([0.0; 3], [1.0; 3]);
    divide(&mut cube, 3, 1, 0.5);
    assert!(!welded(cube.clone()).is_closed());
    let mesh = repaired(cube);
    assert!(mesh.is_closed() && mesh.report().defects.is_empty());
    assert_eq!((mesh.triangles().len(), mesh.repairs().moved, volume(&mesh)), (14, 0.0, 1.0));
    assert!(matches!(mesh.repairs().done[..], [Repair::Stitched { at: 8, distance: 0.0, .. }]));
}

#[test]
fn a_seam_of_ulps_is_merged() {
    let (mut vertices, triangles) = arrays(&ball(3));
    // The upper half has vertices of its own, a few ulp away.
    let upper: Vec<bool> =
        triangles.iter().map(|t| t.iter().map(|&v| vertices[v as usize].z).sum::<f32>() > 0.0).collect();
    let base = vertices.len() as u32;
    vertices.extend(vertices.clone().iter().map(|p| Point3::from(p.coords * (1.0 + 2e-7))));
    let triangles: Vec<[u32; 3]> =
        triangles.iter().zip(upper).map(|(t, up)| if up { t.map(|v| v + base) } else { *t }).collect();
    assert!(!welded((vertices.clone(), triangles.clone())).is_closed());
    let mesh = repaired((vertices, triangles));
    assert!(mesh.is_closed() && mesh.report().defects.is_empty());
    assert!(mesh.repairs().moved < 5e-7 && mesh.repairs().moved > 0.0);
    assert!((volume(&mesh) / volume(&ball(3)) - 1.0).abs() < 1e-6);
}

#[test]
fn a_sheet_stays_open() {
    let mut terrain = sheet(8, |x, y| 0.1 * x * y);
    let mesh = repaired(terrain.clone());
    assert!(!mesh.is_closed() && mesh.repairs().done.is_empty());
    let holes = &mesh.repairs().holes;
    assert!(holes.len() == 1 && holes[0].edges == 32 && holes[0].part > 0.99, "{holes:?}");
    // Not even if all holes may be closed: its outline is no hole.
    let all = RepairSettings::default().close_holes(f64::INFINITY);
    let flat = sheet(8, |_, _| 0.0);
    let mesh = TriMesh::repaired(flat.0, flat.1, &all).unwrap();
    assert!(!mesh.is_closed() && !mesh.has_virtual_faces());
    // Nor is one half closed: a small hole in it stays open, too.
    terrain.1.remove(60);
    let mesh = repaired(terrain);
    assert!(!mesh.is_closed() && !mesh.has_virtual_faces());
    assert_eq!(mesh.repairs().holes.len(), 2);
}

#[test]
fn a_hole_is_closed_with_virtual_faces() {
    let whole = ball(4);
    let (vertices, mut triangles) = arrays(&whole);
    let near_pole = |t: &[u32; 3]| t.iter().any(|&v| vertices[v as usize].z > 0.999);
    triangles.retain(|t| !near_pole(t));
    let open = triangles.len();
    let mesh = repaired((vertices.clone(), triangles.clone()));
    assert!(mesh.is_closed() && mesh.has_closed_holes() && mesh.has_virtual_faces());
    assert!((0..mesh.triangles().len() as u32).all(|t| mesh.is_virtual(t) == (t as usize >= open)));
    assert_eq!(mesh.repairs().holes.len(), 1);
    // The rim's disc is below the pole by less than the hole is wide.
    let missing = volume(&whole) - volume(&mesh);
    assert!(missing > 0.0 && missing < mesh.repairs().holes[0].size.powi(3), "{missing}");
    assert!(mesh.source_triangles()[open..].iter().all(|&s| s as usize == open));
    let none = RepairSettings::default().close_holes(0.0);
    let mesh = TriMesh::repaired(vertices, triangles, &none).unwrap();
    assert!(!mesh.is_closed() && !mesh.has_virtual_faces() && mesh.repairs().holes.len() == 1);
}

#[test]
fn a_flat_hole_with_corners_in_a_line_is_closed() {
    let mut slab = sheet(6, |_, _| 0.0);
    let middle = |t: &[u32; 3], slab: &Arrays| {
        t.map(|v| slab.0[v as usize].coords.xy()).iter().sum::<nalgebra::Vector2<f32>>() / 3.0
    };
    let inside: Vec<[u32; 3]> = slab
        .1
        .iter()
        .filter(|t| (middle(t, &slab) - nalgebra::Vector2::repeat(0.5)).amax() > 0.17)
        .copied()
        .collect();
    assert_eq!(slab.1.len() - inside.len(), 8);
    slab.1 = inside;
    let closed = sheet(6, |_, _| 0.0);
    let below = (closed.0.iter().map(|p| p - Vector3::z()).collect(), closed.1);
    let mut all = joined(slab, turned(below));
    for ([px, py], [qx, qy]) in [([0, 0], [1, 0]), ([1, 0], [1, 1]), ([1, 1], [0, 1]), ([0, 1], [0, 0])] {
        let at = |x: u32, y: u32, low: u32| 49 * low + 42 * y + 6 * x;
        all.1.push([at(px, py, 1), at(qx, qy, 1), at(qx, qy, 0)]);
        all.1.push([at(px, py, 1), at(qx, qy, 0), at(px, py, 0)]);
    }
    let mesh = TriMesh::repaired(all.0, all.1, &RepairSettings::default().close_holes(0.5)).unwrap();
    assert!(mesh.has_closed_holes() && mesh.repairs().holes[0].edges == 8, "{:?}", mesh.repairs());
    assert!((volume(&mesh) - 1.0).abs() < 1e-6);
}

#[test]
fn a_long_rim_is_closed_from_its_middle() {
    let n = 400u32;
    // A cone without its base.
    let mut vertices = vec![Point3::new(0.0f32, 0.0, 1.0)];
    vertices.extend((0..n).map(|i| {
        let (s, c) = libm::sincos(std::f64::consts::TAU * f64::from(i) / f64::from(n));
        point([c, s, 0.0])
    }));
    let triangles: Vec<[u32; 3]> = (0..n).map(|i| [0, 1 + i, 1 + (i + 1) % n]).collect();
    let all = RepairSettings::default().close_holes(f64::INFINITY);
    let mesh = TriMesh::repaired(vertices, triangles, &all).unwrap();
    assert!(mesh.is_closed() && mesh.has_closed_holes());
    assert!((volume(&mesh) / (std::f64::consts::PI / 3.0) - 1.0).abs() < 1e-3);
    assert_eq!(mesh.vertices().len(), n as usize + 2);
}

#[test]
fn faces_back_to_back_keep_one_side() {
    let cube = box_arrays([0.0; 3], [1.0; 3]);
    for doubled in [&[4][..], &[4, 5], &[0, 1, 2, 3], &[0, 7, 9]] {
        let (vertices, mut triangles) = cube.clone();
        for &t in doubled {
            let [a, b, c] = cube.1[t];
            triangles.push([a, c, b]);
        }
        let mesh = repaired((vertices, triangles));
        assert!(mesh.is_closed(), "{doubled:?} {:?}", mesh.repairs());
        assert_eq!((mesh.triangles().len(), volume(&mesh)), (12, 1.0));
    }
    // An open sheet drawn on both sides has no inside, and nothing is dropped.
    let flat = sheet(3, |_, _| 0.0);
    let mesh = repaired(joined(flat.clone(), turned(flat)));
    assert!(mesh.is_closed() && mesh.repairs().is_empty() && volume(&mesh) == 0.0);
}

#[test]
fn a_face_back_to_back_with_a_junction_on_its_edge() {
    let mut cube = box_arrays([0.0; 3], [1.0; 3]);
    let [a, b, c] = cube.1[3];
    // Divide the neighbour across the edge a–b.
    let t = cube.1.iter().position(|t| (0..3).any(|k| [t[k], t[(k + 1) % 3]] == [b, a])).unwrap();
    let k = (0..3).find(|&k| [cube.1[t][k], cube.1[t][(k + 1) % 3]] == [b, a]).unwrap();
    divide(&mut cube, t, (k + 2) % 3, 0.25);
    cube.1.push([a, c, b]);
    let mesh = repaired(cube);
    assert!(mesh.is_closed(), "{:?}", mesh.repairs());
    assert_eq!(volume(&mesh), 1.0);
}

#[test]
fn turned_faces_are_turned_back() {
    let (vertices, mut triangles) = arrays(&torus(2.0, 0.6, 24, 12));
    for t in [3, 4, 5, 77, 100, 101] {
        triangles[t].swap(0, 1);
    }
    let mesh = repaired((vertices, triangles));
    assert!(mesh.is_closed() && mesh.report().defects.is_empty());
    assert!((volume(&mesh) / volume(&torus(2.0, 0.6, 24, 12)) - 1.0).abs() < 1e-12);
}

#[test]
fn defects_are_named_by_the_caller_s_triangles() {
    // Two cubes that share an edge, one with a T-junction: after stitching the edge has four faces.
    let mut two =
        joined(box_arrays([0.0; 3], [1.0; 3]), turned(box_arrays([3.0, 3.0, 0.0], [4.0, 4.0, 1.0])));
    divide(&mut two, 0, 0, 0.5);
    let mesh = repaired(two);
    assert!(mesh.is_closed());
    let shell = mesh.report().defects.iter().find_map(|defect| match defect {
        Defect::InsideOutShell { triangle, triangles } => Some((*triangle, *triangles)),
        _ => None,
    });
    assert_eq!(shell, Some((12, 12)));
    assert!(mesh.source_triangles().iter().all(|&s| s < 25));
}

#[test]
fn settings_that_cannot_be_used_are_refused() {
    let (vertices, triangles) = box_arrays([0.0; 3], [1.0; 3]);
    for settings in [
        RepairSettings::default().tolerance(-1.0),
        RepairSettings::default().tolerance(f64::NAN),
        RepairSettings::default().tolerance(0.1),
        RepairSettings::default().close_holes(f64::NAN),
        RepairSettings::default().close_holes(-0.5),
    ] {
        let error = TriMesh::repaired(vertices.clone(), triangles.clone(), &settings).unwrap_err();
        assert!(matches!(error, MeshError::RepairSetting { .. }), "{error}");
    }
}

/// A closed mesh: its kind, size and whether it is two shells.
fn body() -> impl Strategy<Value = Arrays> {
    let one = prop_oneof![
        (6u32..16, 5u32..12).prop_map(|(n, m)| arrays(&torus(2.0, 0.7, n, m))),
        (2u32..4).prop_map(|n| arrays(&ball(n))),
        prop::array::uniform3(0.2f32..2.0).prop_map(|s| box_arrays([0.0; 3], s)),
    ];
    let turn = crate::fixtures::pose(1.0);
    (one, turn, any::<bool>()).prop_map(|((vertices, triangles), pose, twice)| {
        let placed: Vec<Point3<f32>> =
            vertices.iter().map(|p| (pose * p.cast::<f64>()).cast::<f32>()).collect();
        let body = (placed, triangles);
        if !twice {
            return body;
        }
        let beside: Vec<Point3<f32>> = body.0.iter().map(|p| p + Vector3::new(9.0, 1.0, 0.0)).collect();
        let beside = (beside, body.1.clone());
        joined(body, beside)
    })
}

/// Ways to break a mesh; numbers choose where.
#[derive(Clone, Copy, Debug)]
enum Break {
    Junction {
        at: u32,
        corner: usize,
        part: f64,
    },
    /// A vertex gets a copy a few ulp away for one of its faces.
    Ulps {
        at: u32,
        corner: usize,
        by: [i8; 3],
    },
    Double {
        at: u32,
    },
    Back {
        at: u32,
    },
    /// A face without area along an edge.
    Sliver {
        at: u32,
        corner: usize,
    },
    Flip {
        at: u32,
    },
}

fn breaks() -> impl Strategy<Value = Break> {
    let at = any::<u32>;
    prop_oneof![
        3 => (at(), 0usize..3, 0.1f64..0.9).prop_map(|(at, corner, part)| Break::Junction { at, corner, part }),
        3 => (at(), 0usize..3, prop::array::uniform3(-2i8..=2))
            .prop_map(|(at, corner, by)| Break::Ulps { at, corner, by }),
        1 => at().prop_map(|at| Break::Double { at }),
        1 => at().prop_map(|at| Break::Back { at }),
        1 => (at(), 0usize..3).prop_map(|(at, corner)| Break::Sliver { at, corner }),
        1 => at().prop_map(|at| Break::Flip { at }),
    ]
}

/// Breaks the mesh; `size` is the largest coordinate. Faces are doubled last: copies that are divided each
/// in its own way are told from each other by no vertex, and are not mended.
fn broken(mut mesh: Arrays, breaks: &[Break], size: f32) -> Arrays {
    let doubles = |one: &&Break| matches!(one, Break::Double { .. } | Break::Back { .. });
    for &one in breaks.iter().filter(|b| !doubles(b)).chain(breaks.iter().filter(doubles)) {
        let count = mesh.1.len() as u32;
        match one {
            Break::Junction { at, corner, part } => divide(&mut mesh, (at % count) as usize, corner, part),
            Break::Ulps { at, corner, by } => {
                let face = &mut mesh.1[(at % count) as usize];
                let place = mesh.0[face[corner] as usize];
                face[corner] = mesh.0.len() as u32;
                mesh.0.push(place + Vector3::from(by.map(|ulp| f32::from(ulp) * 3e-8 * size)));
            }
            Break::Double { at } => mesh.1.push(mesh.1[(at % count) as usize]),
            Break::Back { at } => {
                let [a, b, c] = mesh.1[(at % count) as usize];
                mesh.1.push([b, a, c]);
            }
            Break::Sliver { at, corner } => {
                let face = mesh.1[(at % count) as usize];
                mesh.1.push([face[corner], face[(corner + 1) % 3], face[corner]]);
            }
            Break::Flip { at } => mesh.1[(at % count) as usize].swap(0, 1),
        }
    }
    mesh
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// However a closed mesh is broken, it comes back with its volume, and moved no farther than it says.
    #[test]
    fn broken_meshes_come_back(
        body in body(),
        breaks in prop::collection::vec(breaks(), 1..10),
    ) {
        let whole = welded(body.clone());
        let size = body.0.iter().flat_map(|p| p.iter()).fold(0.0f32, |m, x| m.max(x.abs()));
        let (vertices, triangles) = weld::weld(broken(body, &breaks, size));
        let given = TriMesh::new(vertices.clone(), triangles.clone()).unwrap();
        let mesh = repaired((vertices, triangles.clone()));
        prop_assert!(mesh.is_closed(), "{:?}", mesh.repairs());
        prop_assert!(!mesh.has_virtual_faces(), "{:?}", mesh.repairs());
        let off = volume(&mesh) / volume(&whole) - 1.0;
        prop_assert!(off.abs() < 1e-6, "volume off by {off}: {:?}", mesh.repairs());
        prop_assert!(mesh.repairs().moved <= 1e-6 * f64::from(size) * 4.0);
        let off = displaced(&mesh, &given, &triangles);
        prop_assert!(off <= mesh.repairs().moved + 1e-7 * f64::from(size), "{off} of {:?}", mesh.repairs());
    }

    /// A hole is closed with at most its own size cubed of volume lost, and nothing real is added.
    #[test]
    fn small_holes_are_closed(n in 12u32..40, m in 10u32..24, at in any::<u32>(), faces in 1usize..4) {
        let whole = torus(2.0, 0.7, n, m);
        let (vertices, mut triangles) = arrays(&whole);
        let at = at as usize % (triangles.len() - faces);
        triangles.drain(at..at + faces);
        let settings = RepairSettings::default().close_holes(0.5);
        let mesh = TriMesh::repaired(vertices, triangles, &settings).unwrap();
        prop_assert!(mesh.is_closed() && mesh.has_closed_holes(), "{:?}", mesh.repairs());
        let bound: f64 = mesh.repairs().holes.iter().map(|hole| hole.size.powi(3)).sum();
        prop_assert!((volume(&mesh) - volume(&whole)).abs() <= bound);
    }

    /// Whatever is given, nothing panics, and nothing moves farther than it is said to and allowed, however large that is.
    #[test]
    fn any_triangles_are_taken(
        vertices in prop::collection::vec(prop::array::uniform3(-3i8..=3), 4..12),
        jitter in prop::collection::vec(prop::array::uniform3(-0.05f32..0.05), 12),
        triangles in prop::collection::vec(prop::array::uniform3(0u32..12), 1..20),
        part in 0.0f64..2.0,
        tolerance in prop::sample::select(vec![0.0, 1e-6, 0.01]),
    ) {
        let places = vertices.iter().zip(&jitter);
        let vertices: Vec<Point3<f32>> =
            places.map(|(p, j)| Point3::from(p.map(f32::from)) + Vector3::from(*j)).collect();
        let count = vertices.len() as u32;
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v % count)).collect();
        let settings = RepairSettings::default().close_holes(part).tolerance(tolerance);
        let (vertices, triangles) = weld::weld((vertices, triangles));
        let Ok(given) = TriMesh::new(vertices.clone(), triangles.clone()) else { return Ok(()) };
        let mesh = TriMesh::repaired(vertices, triangles.clone(), &settings).unwrap();
        let [low, high] = [given.aabb().min, given.aabb().max].map(|p| Point3::from(p).cast::<f64>());
        prop_assert!(mesh.repairs().moved <= (tolerance * (high - low).norm()).max(2e-6));
        prop_assert!(mesh.source_triangles().iter().all(|&s| s as usize <= triangles.len()));
        prop_assert!(mesh.is_closed() || !mesh.has_virtual_faces());
        prop_assert!(mesh.is_closed() || !mesh.repairs().holes.is_empty());
        let off = displaced(&mesh, &given, &triangles);
        prop_assert!(off <= mesh.repairs().moved + 1e-6, "{off} of {:?}", mesh.repairs());
    }
}

#[test]
fn cuts_of_cuts_move_the_surface_by_their_sum() {
    // A face beside a chain that bulges away from its edge: the middle vertex is near the edge, the one between it and the
    // end near the cut edge alone. All that is one body, a fan over both.
    let r = 0.004;
    let top = Point3::new(0.5f64, 0.0, 1.0);
    let chain = [[0.0, 0.0, 0.0], [0.25, 0.0, -1.4 * r], [0.5, 0.0, -0.9 * r], [1.0, 0.0, 0.0]];
    let mut vertices: Vec<Point3<f32>> = chain.iter().map(|p| Point3::from(*p).cast()).collect();
    vertices.push(top.cast());
    vertices.push(Point3::new(0.5, 1.0, 0.0));
    // The front face has the whole edge 0–3; the faces below the chain go on to vertex 5.
    let triangles = vec![[0, 3, 4], [1, 0, 5], [2, 1, 5], [3, 2, 5], [0, 4, 5], [4, 3, 5]];
    let settings = RepairSettings::default().tolerance(0.01);
    let mesh = TriMesh::repaired(vertices.clone(), triangles.clone(), &settings).unwrap();
    let given = TriMesh::new(vertices, triangles.clone()).unwrap();
    assert!(mesh.is_closed(), "{:?}", mesh.repairs());
    let off = displaced(&mesh, &given, &triangles);
    assert!(off > 1.3 * r && off <= mesh.repairs().moved, "{off} of {:?}", mesh.repairs());
}

/// `IMPINGE_CASES` or a number that takes seconds.
fn cases() -> u32 {
    std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(100)
}
