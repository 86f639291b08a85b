//! Contact points of sheets, against brute force over all vertices, edges and faces.

use std::collections::BTreeSet;
use std::sync::Arc;

use impinge::prelude::*;
use impinge::query::{Feature, SheetPoint, SheetQuery, SheetScratch};
use impinge_oracle::features::{nearest_of_lines, point_to_segment, point_to_triangle, segment_to_segment};
use impinge_scenes::mesh::{Knot, Torus};
use impinge_scenes::random::Random;

/// What distances may be off by, as a part of the meshes' size of a metre or two.
const OFF: f64 = 1e-12;

/// How many cases are tried: `usual`, or as many as `IMPINGE_CASES` says.
fn cases(usual: usize) -> usize {
    std::env::var("IMPINGE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// An open sheet of `n` by `n` squares of 1/n m.
fn sheet(n: u32) -> TriMesh {
    let at = |i: u32, j: u32| Point3::new(i as f32 / n as f32 - 0.5, j as f32 / n as f32 - 0.5, 0.0);
    let vertices = (0..=n).flat_map(|j| (0..=n).map(move |i| at(i, j))).collect();
    let square = |i: u32, j: u32| {
        let [a, b] = [j * (n + 1) + i, (j + 1) * (n + 1) + i];
        [[a, a + 1, b], [a + 1, b + 1, b]]
    };
    let triangles = (0..n).flat_map(|j| (0..n).flat_map(move |i| square(i, j))).collect();
    TriMesh::new(vertices, triangles).unwrap()
}

fn meshes() -> [Arc<TriMesh>; 4] {
    [
        sheet(7),
        Knot { along: 24, across: 4, tube: 0.04, ..Knot::default() }.mesh().unwrap(),
        sheet(3),
        Torus { around: 10, across: 5, ..Torus::default() }.mesh().unwrap(),
    ]
    .map(Arc::new)
}

/// Places of a mesh's vertices: bent by waves, and put on a coarse lattice now and then, where much is parallel or touches.
fn places(mesh: &TriMesh, random: &mut Random) -> Vec<Point3<f32>> {
    let mut vector = |size: f64| Vector3::from_fn(|_, _| size * random.signed());
    let waves: Vec<_> = (0..3).map(|k| (vector(4.0 + 3.0 * f64::from(k)), vector(0.35))).collect();
    let squeeze = vector(1.0);
    let lattice = if random.signed() > 0.6 { 8.0 } else { 0.0 };
    let place = |p: &Point3<f32>| {
        let x = p.coords.cast::<f64>();
        let bent = x.component_mul(&squeeze)
            + waves.iter().map(|(k, by)| by * k.dot(&x).sin()).sum::<Vector3<f64>>();
        let put = if lattice > 0.0 { bent.map(|x| (x * lattice).round() / lattice) } else { bent };
        Point3::from(put).cast::<f32>()
    };
    mesh.vertices().iter().map(place).collect()
}

/// A surface where it stands.
struct Placed<'m> {
    mesh: &'m TriMesh,
    places: Vec<Point3<f64>>,
}

impl<'m> Placed<'m> {
    fn new(mesh: &'m TriMesh, pose: &Isometry3<f64>) -> Placed<'m> {
        Placed { mesh, places: mesh.vertices().iter().map(|p| pose * p.cast::<f64>()).collect() }
    }

    fn ends(&self, edge: u32) -> [Point3<f64>; 2] {
        self.mesh.edges()[edge as usize].vertices.map(|v| self.places[v as usize])
    }

    fn corners(&self, face: u32) -> [Point3<f64>; 3] {
        self.mesh.triangles()[face as usize].map(|v| self.places[v as usize])
    }

    /// The vertices of a feature.
    fn vertices(&self, feature: Feature) -> Vec<u32> {
        match feature {
            Feature::Vertex(v) => vec![v],
            Feature::Edge(e) => self.mesh.edges()[e as usize].vertices.to_vec(),
            Feature::Face(f) => self.mesh.triangles()[f as usize].to_vec(),
            Feature::Smooth => Vec::new(),
        }
    }

    /// The features that a face has.
    fn features_of(&self, face: u32) -> Vec<Feature> {
        let edges = self.mesh.triangle_edges()[face as usize].map(Feature::Edge);
        let vertices = self.mesh.triangles()[face as usize].map(Feature::Vertex);
        [&[Feature::Face(face)], &edges[..], &vertices].concat()
    }
}

/// How far apart two features are.
fn apart([a, b]: [&Placed<'_>; 2], features: [Feature; 2]) -> f64 {
    match features {
        [Feature::Vertex(v), Feature::Vertex(w)] => (a.places[v as usize] - b.places[w as usize]).norm(),
        [Feature::Vertex(v), Feature::Edge(e)] => point_to_segment(&a.places[v as usize], &b.ends(e)),
        [Feature::Vertex(v), Feature::Face(f)] => point_to_triangle(&a.places[v as usize], &b.corners(f)),
        [Feature::Edge(e), Feature::Edge(f)] => segment_to_segment(&a.ends(e), &b.ends(f)),
        [p, q] => apart([b, a], [q, p]),
    }
}

/// What a search had to find, and may have found.
struct Expected<'a> {
    sides: [&'a Placed<'a>; 2],
    /// The surface in its rest, where both sides are one.
    rest: Option<&'a Placed<'a>>,
    thickness: f64,
    margin: f64,
}

impl Expected<'_> {
    /// How far apart features should be, and when they are told.
    fn limits(&self, features: [Feature; 2]) -> [f64; 2] {
        let rested = self.rest.map_or(f64::INFINITY, |rest| apart([rest, rest], features));
        [self.thickness.min(rested), (self.thickness + self.margin).min(rested)]
    }

    /// Whether features of one surface are of one triangle.
    fn are_joined(&self, features: [Feature; 2]) -> bool {
        if self.rest.is_none() {
            return false;
        }
        let side = self.sides[0];
        let [p, q] = features.map(|feature| side.vertices(feature));
        side.mesh.triangles().iter().any(|t| p.iter().chain(&q).all(|v| t.contains(v)))
    }

    fn check(&self, points: &[SheetPoint], case: &str) {
        let found: BTreeSet<[Feature; 2]> = points.iter().map(|point| point.features).collect();
        assert_eq!(found.len(), points.len(), "{case}: no pair of features is told twice");
        assert!(points.is_sorted_by_key(|point| point.features), "{case}");
        points.iter().for_each(|point| self.check_point(point, case));
        self.check_complete(&found, case);
    }

    /// A point is what it says, and near enough.
    fn check_point(&self, point: &SheetPoint, case: &str) {
        let features = point.features;
        let case = format!("{case}: {point:?}");
        let [keep, told] = self.limits(features);
        let distance = point.distance.abs();
        assert!((distance - apart(self.sides, features)).abs() < OFF, "{case}");
        assert!(distance < told + OFF && (point.keep - keep).abs() < OFF, "{case}, {keep} {told}");
        assert!(!self.are_joined(features), "{case}");
        let between = point.points[1] - point.points[0];
        assert!((between.norm() - distance).abs() < OFF, "{case}");
        assert!((point.normal.norm() - 1.0).abs() < 1e-9, "{case}");
        assert!((point.normal * point.distance - between).norm() < 1e-9, "{case}");
        for (k, side) in self.sides.iter().enumerate() {
            let triangle = point.triangles[k].expect("a surface has triangles");
            let corners = side.corners(triangle);
            let at: Vector3<f64> = (0..3).map(|c| corners[c].coords * point.weights[k][c]).sum();
            assert!((at - point.points[k].coords).norm() < 1e-9, "{case}");
            assert!((point.weights[k].iter().sum::<f64>() - 1.0).abs() < 1e-12, "{case}");
            assert!(side.features_of(triangle).contains(&features[k]), "{case}");
        }
    }

    /// Every vertex that is near a face has a point with the face or a feature of it that is no farther, and all edges that are near
    /// inside both have one.
    fn check_complete(&self, found: &BTreeSet<[Feature; 2]>, case: &str) {
        let told = |features: [Feature; 2]| {
            found.contains(&features) || (self.rest.is_some() && found.contains(&[features[1], features[0]]))
        };
        let most = self.thickness + self.margin;
        for k in 0..2 {
            let (own, other) = (self.sides[k], self.sides[1 - k]);
            let of = |v: u32, feature: Feature| {
                if k == 0 { [Feature::Vertex(v), feature] } else { [feature, Feature::Vertex(v)] }
            };
            for v in own.mesh.triangles().iter().flatten().copied().collect::<BTreeSet<u32>>() {
                for face in 0..other.mesh.triangles().len() as u32 {
                    let distance = apart([own, other], [Feature::Vertex(v), Feature::Face(face)]);
                    let joined = self.rest.is_some() && other.mesh.triangles()[face as usize].contains(&v);
                    if distance >= most - OFF || joined {
                        continue;
                    }
                    // The nearest of its features, or several that are as near.
                    let near: Vec<Feature> = other
                        .features_of(face)
                        .into_iter()
                        .filter(|&f| apart([own, other], [Feature::Vertex(v), f]) <= distance + OFF)
                        .collect();
                    let excused = near
                        .iter()
                        .any(|&f| self.are_joined(of(v, f)) || distance >= self.limits(of(v, f))[1] - OFF);
                    assert!(
                        excused || near.iter().any(|&f| told(of(v, f))),
                        "{case}: vertex {v} and face {face} of side {k}, {distance}"
                    );
                }
            }
        }
        let [a, b] = self.sides;
        for e in 0..a.mesh.edges().len() as u32 {
            let first = if self.rest.is_some() { e + 1 } else { 0 };
            for f in first..b.mesh.edges().len() as u32 {
                let features = [Feature::Edge(e), Feature::Edge(f)];
                let (p, q) = (a.ends(e), b.ends(f));
                let crossing = (p[1] - p[0]).cross(&(q[1] - q[0])).norm();
                let oblique = crossing > 1e-5 * (p[1] - p[0]).norm() * (q[1] - q[0]).norm();
                let inside = |shares: [f64; 2]| shares.iter().all(|s| (1e-9..1.0 - 1e-9).contains(s));
                let joined = self.rest.is_some()
                    && a.vertices(features[0]).iter().any(|v| b.vertices(features[1]).contains(v));
                if oblique
                    && !joined
                    && nearest_of_lines(&p, &q).is_some_and(inside)
                    && apart(self.sides, features) < self.limits(features)[1] - OFF
                {
                    assert!(told(features), "{case}: edges {e} and {f}");
                }
            }
        }
    }
}

#[test]
fn sheets_are_near_themselves_where_brute_force_says() {
    let (meshes, mut random) = (meshes(), Random::new(11));
    let (mut scratch, mut points, mut again) = (SheetScratch::default(), Vec::new(), Vec::new());
    let mut told = [0usize; 3];
    for case in 0..cases(120) {
        let mesh = &meshes[case % 4];
        let thickness = 0.01 + 0.2 * random.unit() * random.unit();
        let margin = (0.1 * random.signed()).max(0.0);
        let mut query = SheetQuery::new(Arc::clone(mesh), thickness).unwrap();
        query.set_margin(margin).unwrap();
        // The tree is fitted twice.
        for _ in 0..2 {
            query.set_vertices(&places(mesh, &mut random)).unwrap();
        }
        query.self_contacts(&mut scratch, &mut points);
        let here = Isometry3::identity();
        let (now, rest) = (Placed::new(query.mesh(), &here), Placed::new(mesh, &here));
        let expected = Expected { sides: [&now; 2], rest: Some(&rest), thickness, margin };
        expected.check(&points, &format!("case {case}"));
        // Another tree gives the same bits.
        let mut fresh = SheetQuery::new(query.mesh().clone(), thickness).unwrap();
        fresh.set_margin(margin).unwrap();
        fresh.set_rest(mesh.vertices()).unwrap();
        fresh.self_contacts(&mut scratch, &mut again);
        assert_eq!(points, again, "case {case}");
        for point in &points {
            told[match point.features[1] {
                Feature::Face(_) => 0,
                Feature::Edge(_) => 1,
                _ => 2,
            }] += 1;
        }
    }
    println!("{told:?} points with faces, edges and vertices");
    assert!(told.iter().all(|&count| count > 2 * cases(120)), "{told:?}");
}

#[test]
fn sheets_and_surfaces_are_near_each_other_where_brute_force_says() {
    let (meshes, mut random) = (meshes(), Random::new(12));
    let (mut scratch, mut points) = (SheetScratch::default(), Vec::new());
    let mut told = 0;
    for case in 0..cases(120) {
        let [a, b] = [&meshes[case % 4], &meshes[random.index(2) * 2]];
        let thicknesses = [0.02 + 0.1 * random.unit(), 0.02 + 0.1 * random.unit()];
        let margin = (0.05 * random.signed()).max(0.0);
        let mut sheets = [a, b].map(|mesh| SheetQuery::new(Arc::clone(mesh), 1.0).unwrap());
        for (k, mesh) in [a, b].into_iter().enumerate() {
            sheets[k] = SheetQuery::new(Arc::clone(mesh), thicknesses[k]).unwrap();
            sheets[k].set_margin(margin).unwrap();
            sheets[k].set_vertices(&places(mesh, &mut random)).unwrap();
        }
        let mut pose = || {
            let at = Vector3::from_fn(|_, _| 0.4 * random.signed());
            Isometry3::from_parts(at.into(), random.rotation())
        };
        let poses = [pose(), pose()];
        sheets[0].contacts_between(&poses[0], &sheets[1], &poses[1], &mut scratch, &mut points).unwrap();
        let placed = [0, 1].map(|k| Placed::new(sheets[k].mesh(), &poses[k]));
        let thickness = 0.5 * (thicknesses[0] + thicknesses[1]);
        let expected = Expected { sides: placed.each_ref(), rest: None, thickness, margin };
        expected.check(&points, &format!("case {case}"));
        told += points.len();
        // A body of the same triangles: only the other's thickness is missing.
        let body = PreparedShape::new(&Shape::Mesh(Arc::new(sheets[1].mesh().clone())));
        sheets[0].contacts(&poses[0], &body, &poses[1], &mut scratch, &mut points).unwrap();
        let thickness = 0.5 * thicknesses[0];
        Expected { sides: placed.each_ref(), rest: None, thickness, margin }
            .check(&points, &format!("case {case}, a body"));
    }
    println!("{told} points");
    assert!(told > 10 * cases(120), "{told}");
}

/// Distances from the surface of a shape, negative inside, by formulas of the field (Quilez, "Distance functions").
fn signed_distance(shape: usize, p: &Point3<f64>) -> f64 {
    let [radius, half] = [0.3f32, 0.4f32].map(f64::from);
    match shape {
        0 => p.coords.norm() - radius,
        1 => Vector3::new(p.x, p.y, p.z - p.z.clamp(-half, half)).norm() - radius,
        2 => {
            let d = [p.x.hypot(p.y) - radius, p.z.abs() - half];
            d[0].max(d[1]).min(0.0) + d[0].max(0.0).hypot(d[1].max(0.0))
        }
        3 => p.z,
        _ => {
            let d = Vector3::new(p.x.abs() - half, p.y.abs() - radius, p.z.abs() - half);
            d.max().min(0.0) + d.map(|x| x.max(0.0)).norm()
        }
    }
}

#[test]
fn vertices_have_signed_distances_from_bodies() {
    let mut random = Random::new(13);
    let bodies = [
        Shape::sphere(0.3).unwrap(),
        Shape::capsule(0.4, 0.3).unwrap(),
        Shape::cylinder(0.4, 0.3).unwrap(),
        Shape::half_space(),
        Shape::cuboid([0.4, 0.3, 0.4]).unwrap(),
    ];
    let bodies = bodies.map(|shape| PreparedShape::new(&shape));
    let (mut scratch, mut points) = (SheetScratch::default(), Vec::new());
    let mesh = Arc::new(sheet(7));
    let mut inside = [0; 5];
    for case in 0..cases(200) {
        let kind = case % 5;
        let mut query = SheetQuery::new(Arc::clone(&mesh), 0.06).unwrap();
        query.set_margin(0.02).unwrap();
        query.set_vertices(&places(&mesh, &mut random)).unwrap();
        let at = Vector3::from_fn(|_, _| 0.3 * random.signed());
        let poses = [
            Isometry3::from_parts(at.into(), random.rotation()),
            Isometry3::from_parts((-at).into(), random.rotation()),
        ];
        query.contacts(&poses[0], &bodies[kind], &poses[1], &mut scratch, &mut points).unwrap();
        let place = |v: u32| poses[0] * query.mesh().vertices()[v as usize].cast::<f64>();
        for v in 0..query.mesh().vertices().len() as u32 {
            let wanted = signed_distance(kind, &poses[1].inverse_transform_point(&place(v)));
            let own = points.iter().filter(|point| point.features[0] == Feature::Vertex(v));
            let least = own.map(|point| point.distance).fold(f64::INFINITY, f64::min);
            // Deeper than it is asked for a surface is not seen; primitives are.
            let seen = if kind < 4 { wanted < 0.05 } else { wanted.abs() < 0.05 };
            if (wanted - 0.05).abs() > 1e-9 && (kind < 4 || (wanted + 0.05).abs() > 1e-9) {
                assert_eq!(least.is_finite(), seen, "case {case}, vertex {v}: {least} {wanted}");
            }
            if seen && least.is_finite() {
                assert!((least - wanted).abs() < 1e-7, "case {case}, vertex {v}: {least} {wanted}");
                inside[kind] += usize::from(wanted < 0.0);
            }
        }
        for point in &points {
            // Moved by what it is too near along the normal, it is as far from the body as it should be.
            let SheetPoint { points: [p, _], normal, distance, keep, .. } = point;
            assert_eq!(*keep, 0.03);
            let moved = p - normal * (keep - distance);
            let left = signed_distance(kind, &poses[1].inverse_transform_point(&moved));
            let is_vertex =
                matches!(point.features, [Feature::Vertex(_), Feature::Smooth | Feature::Face(_)]);
            if is_vertex {
                assert!(left > 0.03 - 1e-6, "case {case}: {point:?} leaves {left}");
            }
        }
    }
    println!("{inside:?} vertices inside");
    assert!(inside.iter().all(|&count| count > 20), "{inside:?}");
}

#[test]
fn the_children_of_a_composite_are_told_apart_and_bad_input_is_refused() {
    use impinge::query::QueryError;
    let ball = Shape::sphere(0.1).unwrap();
    let pose = |x: f64| Isometry3::translation(x, 0.0, 0.11);
    let pair = Shape::composite(vec![(pose(-0.25), ball.clone()), (pose(0.25), ball)]).unwrap();
    let pair = PreparedShape::new(&pair);
    let mesh = Arc::new(sheet(4));
    let mut query = SheetQuery::new(Arc::clone(&mesh), 0.04).unwrap();
    let (mut scratch, mut points) = (SheetScratch::default(), Vec::new());
    let here = Isometry3::identity();
    query.contacts(&here, &pair, &here, &mut scratch, &mut points).unwrap();
    let places: Vec<_> = points.iter().map(|p| (p.subshape, p.points[0].x, p.features[0])).collect();
    // Both stand over vertices of the sheet.
    assert_eq!(places.len(), 2, "{points:?}");
    assert!(places[0].0 == 0 && places[1].0 == 1 && places[0].1 == -0.25 && places[1].1 == 0.25);
    assert!((points[0].distance - 0.01).abs() < 1e-6 && (points[0].depth() - 0.01).abs() < 1e-6);

    for thickness in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = SheetQuery::new(Arc::clone(&mesh), thickness);
        assert!(matches!(refused, Err(QueryError::Thickness { .. })), "{thickness}");
    }
    for margin in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(query.set_margin(margin), Err(QueryError::Margin { .. })), "{margin}");
    }
    assert!(query.set_rest(&[]).is_err() && query.set_vertices(&[]).is_err());
    let mut far = mesh.vertices().to_vec();
    far[3].y = f32::NAN;
    assert!(query.set_rest(&far).is_err() && query.set_vertices(&far).is_err());
    let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
    let refused = query.contacts(&nowhere, &pair, &here, &mut scratch, &mut points);
    assert!(matches!(refused, Err(QueryError::Pose { side: 'A', .. })));
    let refused = query.contacts_between(&here, &query, &nowhere, &mut scratch, &mut points);
    assert!(matches!(refused, Err(QueryError::Pose { side: 'B', .. })));
    query.contacts(&here, &pair, &here, &mut scratch, &mut points).unwrap();
    assert_eq!(points.len(), 2, "refusals have changed nothing");
}

#[test]
fn any_number_of_threads_finds_the_same_points() {
    // Fifty layers, each a little turned and bent.
    let (layer, mut vertices, mut triangles) = (sheet(12), Vec::new(), Vec::new());
    for k in 0..50u32 {
        let turn = Isometry3::rotation(Vector3::z() * 0.1 * f64::from(k));
        let first = vertices.len() as u32;
        vertices.extend(layer.vertices().iter().map(|p| {
            let at = turn * p.cast::<f64>();
            Point3::new(at.x, at.y, 0.01 * f64::from(k) + 0.002 * (9.0 * at.x).sin()).cast::<f32>()
        }));
        triangles.extend(layer.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    let query = SheetQuery::new(TriMesh::new(vertices, triangles).unwrap(), 0.012).unwrap();
    let ask = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut points = Vec::new();
        // Those of rest are left out only where they were as near.
        let mut query = query.clone();
        let lifted =
            (0u16..).zip(query.mesh().vertices()).map(|(k, p)| p + Vector3::z() * f32::from(k / 169));
        let apart: Vec<_> = lifted.collect();
        query.set_rest(&apart).unwrap();
        pool.install(|| query.self_contacts(&mut SheetScratch::default(), &mut points));
        points
    };
    let one = ask(1);
    assert!(one.len() > 10_000, "{}", one.len());
    for threads in [2, 3, 8] {
        assert_eq!(ask(threads), one);
    }
}
