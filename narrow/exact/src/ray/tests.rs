//! Rays against brute force in integers, and against closed forms.

use impinge_geometry::{PairFrame, Shape, Side, SimdLevel, TriMesh};
use impinge_midphase::obb_tree::RayScratch;
use impinge_midphase::{DescentCounts, Part, PreparedShape, TreeCache};
use impinge_oracle::{RayCrossing, ray_crossings};
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};
use impinge_scenes::mesh::Knot;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::{Faces, PartHit, PartRay};

const LEVELS: [SimdLevel; 3] = [SimdLevel::Scalar, SimdLevel::Sse2, SimdLevel::Avx2];

fn prepared(mesh: &TriMesh) -> [PreparedShape; 3] {
    LEVELS.map(|level| PreparedShape::with_trees(&mesh.clone().into(), &mut TreeCache::with_simd(level)))
}

/// The direction with its greatest component from 1 to 2.
fn scaled(direction: &Vector3<f64>) -> Vector3<f64> {
    let exponent = (direction.amax().to_bits() >> 52) as i32 - 1023;
    direction * 2f64.powi(-exponent)
}

/// A mesh where it stands, and brute force.
struct Standing<'a> {
    mesh: &'a TriMesh,
    shapes: &'a [PreparedShape; 3],
    pose: Isometry3<f64>,
}

#[derive(Default)]
struct Seen {
    rays: u32,
    hits: u32,
    ties: u32,
}

impl Standing<'_> {
    fn ray(&self, level: usize, origin: &Point3<f64>, direction: &Vector3<f64>) -> PartRay<'_> {
        let part: &Part = &self.shapes[level].parts()[0];
        PartRay::new(part, &self.pose, origin, direction, f64::INFINITY, Faces::Both)
    }

    fn truth(&self, origin: &Point3<f64>, direction: &Vector3<f64>) -> Vec<RayCrossing> {
        let at = Isometry3::from_parts(Translation3::from(*origin), UnitQuaternion::identity());
        let frame = PairFrame::new(&self.pose, &at);
        let corners = (0..self.mesh.triangles().len() as u32)
            .map(|t| self.mesh.corners(t).map(|p| frame.place(Side::A, &p)));
        ray_crossings(corners, &frame.place(Side::B, &Point3::origin()), direction)
    }

    /// All answers about one ray, on every level, against brute force.
    fn check(&self, origin: &Point3<f64>, direction: &Vector3<f64>, seen: &mut Seen) {
        let direction = scaled(direction);
        let truth = self.truth(origin, &direction);
        let (mut scratch, mut counts) = (RayScratch::default(), DescentCounts::default());
        let ray = self.ray(0, origin, &direction);
        let mut all = Vec::new();
        ray.all(&mut scratch, &mut counts, &mut all);
        let context = || format!("{origin:?} {direction:?} {:?}: {all:?} {truth:?}", self.pose);
        assert_eq!(all.len(), truth.len(), "{}", context());
        // Times that differ by less than a number can say are one time.
        let of = |hit: &PartHit| truth.iter().find(|want| hit.triangle == Some(want.triangle as u32));
        for pair in all.windows(2) {
            assert!((pair[0].time, pair[0].triangle) < (pair[1].time, pair[1].triangle), "{}", context());
            let [Some(p), Some(q)] = [of(&pair[0]), of(&pair[1])] else { panic!("{}", context()) };
            assert!(pair[0].time == pair[1].time || p.cmp_time(q).is_lt(), "{}", context());
        }
        for found in &all {
            let Some(want) = of(found) else { panic!("{}", context()) };
            assert_eq!(found.entering, want.entering, "{}", context());
            assert!(want.is_at(found.time), "{}", context());
            let along = found.normal.dot(&direction) * if found.entering { -1.0 } else { 1.0 };
            assert!(along > -1e-14, "{}", context());
            assert!((found.normal.norm() - 1.0).abs() < 1e-14);
        }
        seen.rays += 1;
        seen.hits += all.len() as u32;
        seen.ties += u32::from(all.windows(2).any(|w| w[0].time == w[1].time));
        assert_eq!(ray.first(&mut scratch, &mut counts), all.first().copied(), "{}", context());
        assert_eq!(ray.any(&mut scratch, &mut counts), !all.is_empty());
        for level in 1..3 {
            let (ray, mut again) = (self.ray(level, origin, &direction), Vec::new());
            ray.all(&mut scratch, &mut counts, &mut again);
            assert_eq!(again, all);
            assert_eq!(ray.first(&mut scratch, &mut counts), all.first().copied());
        }
        if self.mesh.is_closed() {
            alternate(&all);
        }
        let front = PartRay { faces: Faces::Front, ..ray };
        let entries: Vec<PartHit> = all.iter().copied().filter(|hit| hit.entering).collect();
        assert_eq!(front.first(&mut scratch, &mut counts), entries.first().copied());
        // An end at a hit's time leaves it in, one just before leaves it out.
        if let Some(last) = all.last() {
            let until = |until: f64| {
                let mut found = Vec::new();
                let mut ended = ray;
                ended.end_at(until);
                ended.all(&mut RayScratch::default(), &mut DescentCounts::default(), &mut found);
                found.len()
            };
            assert_eq!(until(last.time), all.len());
            if last.time > 0.0 {
                let before = all.iter().filter(|hit| hit.time < last.time).count();
                assert_eq!(until(last.time.next_down()), before);
            }
        }
    }
}

/// Entries and exits take turns, of those at one time in some order.
fn alternate(all: &[PartHit]) {
    let sum = |hits: &[PartHit]| hits.iter().map(|hit| if hit.entering { 1i32 } else { -1 }).sum::<i32>();
    // How often the surface winds round the ray's beginning: it is outside in the end.
    let mut inside = -sum(all);
    for group in all.chunk_by(|a, b| a.time == b.time) {
        assert!((0..=1).contains(&inside), "{all:?}");
        inside += sum(group);
    }
    assert_eq!(inside, 0);
}

fn meshes() -> Vec<TriMesh> {
    let open = box_mesh([1.0; 3]);
    let open = TriMesh::new(open.vertices().to_vec(), open.triangles()[3..].to_vec()).unwrap();
    vec![
        box_mesh([1.0, 2.0, 3.0]),
        sphere_mesh(1.0, 8, 6),
        torus(1.0, 0.25, 16, 8),
        Knot { along: 60, across: 6, ..Knot::default() }.mesh().unwrap(),
        open,
    ]
}

#[test]
fn random_rays_hit_what_integers_say() {
    let mut random = Random::new(5);
    let mut seen = Seen::default();
    for mesh in meshes() {
        let shapes = prepared(&mesh);
        for round in 0..120 {
            let place = Vector3::from_fn(|_, _| [1.0, 1e3, 1e8][round % 3] * random.signed());
            let pose = Isometry3::from_parts(place.into(), random.rotation());
            let standing = Standing { mesh: &mesh, shapes: &shapes, pose };
            let inner = pose * Point3::from(Vector3::from_fn(|_, _| random.signed()));
            let away = Vector3::from_fn(|_, _| random.signed()) * [0.1, 3.0, 1e5, 1e12][round % 4];
            standing.check(&(inner - away), &away, &mut seen);
        }
    }
    assert!(seen.hits > seen.rays / 2, "{} of {}", seen.hits, seen.rays);
}

#[test]
fn rays_through_corners_and_along_edges_and_faces_hit_what_integers_say() {
    let mut random = Random::new(9);
    let mut seen = Seen::default();
    for mesh in meshes() {
        let shapes = prepared(&mesh);
        for round in 0..100 {
            let turn = if round % 2 == 0 { UnitQuaternion::identity() } else { random.rotation() };
            let shift = Vector3::from_fn(|_, _| (4.0 * random.signed()).round() * 0.25);
            let pose = Isometry3::from_parts(shift.into(), turn);
            let standing = Standing { mesh: &mesh, shapes: &shapes, pose };
            let triangle = random.index(mesh.triangles().len()) as u32;
            // Points that the mesh has where it stands, as they are rounded there.
            let corner = |t: u32, k: usize| pose * mesh.corners(t)[k].cast::<f64>();
            let (p, q, r) = (corner(triangle, 0), corner(triangle, 1), corner(triangle, 2));
            let other = corner(random.index(mesh.triangles().len()) as u32, 0);
            let axis = Vector3::ith(round % 3, [1.0, -1.0][round / 3 % 2]);
            let out = Vector3::from_fn(|_, _| (4.0 * random.signed()).round());
            let rays = [
                (p - axis * 4.0, axis),
                (p, axis),
                (p - (q - p), q - p),
                (p, q - p),
                (p, other - p),
                (nalgebra::center(&p, &q), r - p),
                (nalgebra::center(&p, &q) - out, out),
                (p - out, out),
                (Point3::from(shift), out),
                (Point3::from(shift - out), out),
            ];
            for (origin, direction) in rays {
                if direction.amax() > 1e-6 {
                    standing.check(&origin, &direction, &mut seen);
                }
            }
        }
    }
    assert!(seen.hits > seen.rays / 2 && seen.ties > 200, "{} {} {}", seen.hits, seen.ties, seen.rays);
}

#[test]
fn meshes_of_every_size_are_hit() {
    let mut random = Random::new(15);
    let mut seen = Seen::default();
    let mesh = torus(1.0, 0.25, 16, 8);
    for exponent in [-126, -100, -60, -20, 20, 60, 98] {
        let size = 2f64.powi(exponent);
        let vertices = mesh.vertices().iter().map(|p| (p.cast::<f64>() * size).cast()).collect();
        let mesh = TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap();
        let shapes = prepared(&mesh);
        for round in 0..40 {
            let pose = Isometry3::from_parts(Translation3::identity(), random.rotation());
            let standing = Standing { mesh: &mesh, shapes: &shapes, pose };
            let inner = Point3::from(Vector3::from_fn(|_, _| random.signed() * size));
            let away = Vector3::from_fn(|_, _| random.signed()) * size * [0.1, 3.0][round % 2];
            standing.check(&(inner - away), &away, &mut seen);
            let p = pose * mesh.vertices()[round].cast::<f64>();
            standing.check(&(p - away), &away, &mut seen);
        }
    }
    assert!(seen.hits > seen.rays / 2, "{} of {}", seen.hits, seen.rays);
}

#[test]
fn few_triangles_are_tested() {
    // Brute force would test every triangle.
    let mesh = torus(1.0, 0.25, 160, 80);
    let shape = PreparedShape::new(&mesh.into());
    let mut counts = DescentCounts::default();
    let mut random = Random::new(4);
    for _ in 0..100 {
        let away = Vector3::from_fn(|_, _| random.signed());
        let (pose, origin) = (Isometry3::identity(), Point3::from(-5.0 * away));
        let ray = PartRay::new(&shape.parts()[0], &pose, &origin, &scaled(&away), f64::INFINITY, Faces::Both);
        ray.first(&mut RayScratch::default(), &mut counts);
    }
    assert!(counts.leaf_pairs < 1000 && counts.wide_tests < 1500, "{counts:?}");
}

/// A primitive is its own boundary: points just outside and inside along the normal are so.
#[test]
fn primitives_are_hit_where_their_surface_is() {
    let mut random = Random::new(11);
    let shapes = [
        Shape::sphere(0.5).unwrap(),
        Shape::cuboid([0.5, 0.25, 0.75]).unwrap(),
        Shape::capsule(0.25, 0.5).unwrap(),
        Shape::cylinder(0.25, 0.5).unwrap(),
        Shape::half_space(),
    ];
    let (mut entries, mut exits) = (0, 0);
    for (k, shape) in shapes.iter().enumerate() {
        let shape = PreparedShape::new(shape);
        let part = &shape.parts()[0];
        let impinge_midphase::Solid::Primitive(primitive) = part.solid else { panic!() };
        for round in 0..400 {
            let place = Vector3::from_fn(|_, _| random.signed());
            let pose = Isometry3::from_parts(place.into(), random.rotation());
            let inner = pose * Point3::from(Vector3::from_fn(|_, _| 0.4 * random.signed()));
            let away = scaled(&Vector3::from_fn(|_, _| random.signed()));
            let origin = inner - away * [0.0, 2.0, 100.0][round % 3];
            let ray = PartRay::new(part, &pose, &origin, &away, 1e9, Faces::Both);
            let mut hits = Vec::new();
            ray.all(&mut RayScratch::default(), &mut DescentCounts::default(), &mut hits);
            assert_eq!(
                ray.first(&mut RayScratch::default(), &mut DescentCounts::default()),
                hits.first().copied()
            );
            let inside =
                |p: &Point3<f64>| impinge_convex::inside(&primitive, &pose.inverse_transform_point(p));
            for hit in &hits {
                let at = origin + away * hit.time;
                let step = hit.normal * 1e-7 * (1.0 + hit.time);
                assert!(inside(&(at - step)) && !inside(&(at + step)), "{k} {hit:?}");
                assert_eq!(hit.entering, hit.normal.dot(&away) < 0.0);
                assert!((hit.normal.norm() - 1.0).abs() < 1e-12);
                if hit.entering { entries += 1 } else { exits += 1 }
            }
            // Halfway between hits, and before and after them, it is on the side that they say.
            let times: Vec<f64> = hits.iter().map(|hit| hit.time).collect();
            let starts_inside = inside(&origin);
            assert_eq!(hits.first().map(|hit| !hit.entering).unwrap_or(starts_inside), starts_inside);
            for pair in times.windows(2) {
                assert!(inside(&(origin + away * (0.5 * (pair[0] + pair[1])))));
            }
        }
    }
    assert!(entries > 400 && exits > 400, "{entries} {exits}");
}
