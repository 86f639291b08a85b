//! Rays and points against the colliders of a world: what each collider alone says about them.

use impinge::geometry::SimdLevel;
use impinge::prelude::*;
use impinge::query::QueryScratch;
use impinge::{NearestHit, QueryError, QueryFilter, RayHit, ShapeRay, WorldError};
use impinge_scenes::mesh::{Gear, Knot, Terrain, Torus};
use impinge_scenes::random::Random;

fn random_pose(random: &mut Random, reach: f64) -> Isometry3<f64> {
    let place = Vector3::from_fn(|_, _| reach * random.signed());
    Isometry3::from_parts(place.into(), random.rotation())
}

fn knot() -> TriMesh {
    Knot { along: 48, across: 6, ..Knot::default() }.mesh().unwrap()
}

fn shapes() -> Vec<Shape> {
    let ring = Torus { around: 16, across: 6, ..Torus::default() }.mesh().unwrap();
    let child =
        |k: usize, shape: Shape| (Isometry3::translation(0.3 * k as f64 - 0.9, 0.1 * k as f64, 0.0), shape);
    let many = vec![
        child(0, ring.clone().into()),
        child(1, Shape::capsule(0.1, 0.3).unwrap()),
        child(2, Shape::sphere(0.2).unwrap()),
        child(3, Shape::cuboid([0.1, 0.2, 0.3]).unwrap()),
        child(4, ring.clone().into()),
        child(5, Shape::cylinder(0.1, 0.2).unwrap()),
        child(6, Shape::sphere(0.1).unwrap()),
    ];
    vec![
        knot().into(),
        ring.clone().into(),
        Gear::default().mesh().unwrap().into(),
        Shape::cuboid([0.4, 0.2, 0.1]).unwrap(),
        Shape::cylinder(0.2, 0.4).unwrap(),
        Shape::composite(many).unwrap(),
        Shape::hull(ring.vertices()).unwrap(),
    ]
}

type Accepts = fn(usize) -> bool;

/// A world of 60 colliders of many kinds, and what stands in it.
fn crowd(threads: usize) -> (World, Vec<(ColliderId, PreparedShape, Isometry3<f64>)>) {
    let mut world = World::builder().backend(Backend::Cpu).threads(threads).build().unwrap();
    let mut random = Random::new(3);
    let prepared: Vec<_> = shapes().iter().map(PreparedShape::new).collect();
    let ids: Vec<_> = prepared.iter().map(|shape| world.add_prepared(shape).unwrap()).collect();
    let mut standing = Vec::new();
    for k in 0..60 {
        let pose = random_pose(&mut random, 3.0);
        let collider = Collider::new(ids[k % 7]).pose(pose).sensor(k % 5 == 0).fixed(k % 3 == 0);
        let id = world.add_collider(collider.groups(1 << (k % 4))).unwrap();
        standing.push((id, prepared[k % 7].clone(), pose));
    }
    (world, standing)
}

fn filters(standing: &[(ColliderId, PreparedShape, Isometry3<f64>)]) -> [(QueryFilter, Accepts); 5] {
    [
        (QueryFilter::new(), |_| true),
        (QueryFilter::new().sensors(false), |k| k % 5 != 0),
        (QueryFilter::new().fixed(false), |k| k % 3 != 0),
        (QueryFilter::new().mask(0b101), |k| k % 4 == 0 || k % 4 == 2),
        (QueryFilter::new().exclude(standing[7].0), |k| k != 7),
    ]
}

fn random_rays(count: usize) -> Vec<ShapeRay> {
    let mut random = Random::new(17);
    let ray = |k: usize| {
        let inner = Point3::from(Vector3::from_fn(|_, _| 3.0 * random.signed()));
        let way = random.direction() * [0.5, 2.0, 1e-100, 1e100][k % 4];
        let back = way.normalize() * [0.0, 6.0, 1e3, 1e7][k / 4 % 4];
        let ray = ShapeRay::new(inner - back, way);
        let ray =
            if k.is_multiple_of(3) { ray.length((back.norm() + random.unit()) / way.norm()) } else { ray };
        if k.is_multiple_of(5) { ray.front_only() } else { ray }
    };
    (0..count).map(ray).collect()
}

/// All hits, by asking every collider alone.
fn by_hand(
    standing: &[(ColliderId, PreparedShape, Isometry3<f64>)],
    ray: &ShapeRay,
    accepts: Accepts,
) -> Vec<RayHit> {
    let mut hits = Vec::new();
    for (_, (id, shape, pose)) in standing.iter().enumerate().filter(|(k, _)| accepts(*k)) {
        hits.extend(shape.ray_all(pose, ray).unwrap().into_iter().map(|hit| RayHit { collider: *id, ..hit }));
    }
    hits.sort_by(|p, q| p.time.total_cmp(&q.time).then(p.collider.index.cmp(&q.collider.index)));
    hits
}

#[test]
fn a_world_is_hit_where_its_colliders_are() {
    let (mut world, standing) = crowd(2);
    let rays = random_rays(240);
    let (mut hits, mut misses) = (0, 0);
    let mut scratch = QueryScratch::default();
    for (filter, accepts) in filters(&standing) {
        let queries = world.shape_queries();
        let first = queries.rays(&rays, &filter).unwrap();
        for (ray, first) in rays.iter().zip(first) {
            let expected = by_hand(&standing, ray, accepts);
            assert_eq!(queries.ray_all_with(ray, &filter, &mut scratch).unwrap(), expected);
            assert_eq!(first, expected.first().copied());
            assert_eq!(queries.ray_with(ray, &filter, &mut scratch).unwrap(), first);
            assert_eq!(queries.ray_any_with(ray, &filter, &mut scratch).unwrap(), first.is_some());
            if first.is_some() { hits += 1 } else { misses += 1 }
        }
    }
    assert!(hits > 300 && misses > 200, "{hits} {misses}");
}

#[test]
fn answers_are_the_same_for_any_threads_and_instructions() {
    let rays = random_rays(400);
    let points: Vec<_> = rays.iter().map(|ray| ray.origin + 1e-4 * ray.direction.map(f64::signum)).collect();
    let all = QueryFilter::new();
    type Answers = (Vec<Option<RayHit>>, Vec<Option<NearestHit>>);
    let mut known: Option<Answers> = None;
    for threads in [1, 2, 3, 8] {
        let (mut world, _) = crowd(threads);
        let queries = world.shape_queries();
        let found = (queries.rays(&rays, &all).unwrap(), queries.nearest_many(&points, 9.0, &all).unwrap());
        assert_eq!(*known.get_or_insert_with(|| found.clone()), found);
    }
    for shape in shapes() {
        let levels: Vec<_> =
            SimdLevel::available().map(|level| PreparedShape::with_simd(&shape, level)).collect();
        for (ray, point) in rays.iter().zip(&points) {
            let found = |shape: &PreparedShape| {
                let pose = Isometry3::translation(0.25, -1.0, 0.5);
                (shape.ray_all(&pose, ray).unwrap(), shape.nearest(&pose, *point, 1e9).unwrap())
            };
            levels.iter().for_each(|shape| assert_eq!(found(shape), found(&levels[0])));
        }
    }
}

#[test]
fn a_composite_is_hit_where_its_children_are() {
    let Shape::Composite(composite) = &shapes()[5] else { panic!() };
    let shape = PreparedShape::new(&shapes()[5]);
    let children: Vec<_> = composite.children().iter().map(|(at, s)| (*at, PreparedShape::new(s))).collect();
    let (mut random, mut found) = (Random::new(29), 0);
    for mut ray in random_rays(400) {
        ray.origin *= 0.3;
        let pose = random_pose(&mut random, 0.5);
        let mut hits = Vec::new();
        for (subshape, (at, child)) in (0..).zip(&children) {
            let own = child.ray_all(&(pose * at), &ray).unwrap();
            hits.extend(own.into_iter().map(|hit| RayHit { subshape, ..hit }));
        }
        hits.sort_by(|p, q| p.time.total_cmp(&q.time).then(p.subshape.cmp(&q.subshape)));
        // A child's pose is rounded once more where it stands alone.
        let all = shape.ray_all(&pose, &ray).unwrap();
        assert_eq!(all.len(), hits.len());
        for (p, q) in all.iter().zip(&hits) {
            assert_eq!((p.subshape, p.triangle, p.entering), (q.subshape, q.triangle, q.entering));
            assert!((p.point - q.point).norm() < 1e-8 && (p.normal - q.normal).norm() < 1e-8, "{p:?} {q:?}");
        }
        assert_eq!(shape.ray(&pose, &ray).unwrap(), all.first().copied());
        assert_eq!(shape.ray_any(&pose, &ray).unwrap(), !all.is_empty());
        found += hits.len();
    }
    assert!(found > 200, "{found}");
}

#[test]
fn times_are_in_units_of_the_direction_and_points_lie_on_the_surface() {
    let shape = PreparedShape::new(&knot().into());
    let mut random = Random::new(31);
    let mut found = 0;
    for _ in 0..200 {
        let pose = random_pose(&mut random, 10.0);
        let inner = pose * Point3::from(Vector3::from_fn(|_, _| random.signed()));
        let way = random.direction();
        let ray = ShapeRay::new(inner - 20.0 * way, way);
        let Some(hit) = shape.ray(&pose, &ray).unwrap() else { continue };
        found += 1;
        // A power of two changes nothing but times, any other length hardly anything.
        for power in [-800, -60, -1, 1, 100, 800] {
            let unit = 2f64.powi(power);
            let other = shape.ray(&pose, &ShapeRay::new(ray.origin, way * unit)).unwrap().unwrap();
            assert_eq!(RayHit { time: other.time * unit, ..other }, hit);
        }
        let other = shape.ray(&pose, &ShapeRay::new(ray.origin, way * 3.0)).unwrap().unwrap();
        assert!((other.time * 3.0 - hit.time).abs() < 1e-12 * hit.time);
        let nearest = shape.nearest(&pose, hit.point, 1.0).unwrap().unwrap();
        assert!(nearest.distance < 1e-13 * 40.0, "{}", nearest.distance);
        // Beyond its time there is more to hit: the ray came in.
        let on = ShapeRay::new(hit.point + way * 1e-9, way);
        let exit = shape.ray(&pose, &on).unwrap().unwrap();
        assert_eq!(exit.entering, !hit.entering);
    }
    assert!(found > 25, "{found}");
}

#[test]
fn the_faces_that_close_a_terrain_are_not_hit() {
    let sheet = Terrain::default().mesh().unwrap();
    let closed = sheet.one_sided(0.5, Vector3::z()).unwrap();
    assert!(closed.has_virtual_faces());
    let [open, closed] = [sheet, closed].map(|mesh| PreparedShape::new(&mesh.into()));
    let here = Isometry3::identity();
    let (aabb, mut random, mut hits) = (open.aabb_at(&here), Random::new(41), 0);
    for _ in 0..300 {
        let p = Point3::from(
            [0, 1, 2].map(|k| f64::from(aabb.min[k]) + random.unit() * f64::from(aabb.max[k] - aabb.min[k])),
        );
        let ray = ShapeRay::new(p + Vector3::z() * 9.0, -Vector3::z() + 0.5 * random.direction());
        let found = closed.ray_all(&here, &ray).unwrap();
        assert_eq!(found, open.ray_all(&here, &ray).unwrap());
        hits += found.len();
    }
    assert!(hits > 100, "{hits}");
    // From below: the sheet's back.
    let middle = (aabb.center().x.into(), aabb.center().y.into());
    let up = ShapeRay::new([middle.0, middle.1, -50.0], Vector3::z());
    assert!(!closed.ray(&here, &up).unwrap().unwrap().entering);
    assert!(closed.ray(&here, &up.front_only()).unwrap().is_none());
}

#[test]
fn a_half_space_is_hit_on_its_face_alone() {
    let floor = PreparedShape::new(&Shape::half_space());
    let here = Isometry3::translation(0.0, 0.0, 1.0);
    let down = ShapeRay::new([0.5, 0.0, 3.0], [0.0, 0.0, -1.0]);
    let hit = floor.ray(&here, &down).unwrap().unwrap();
    assert_eq!((hit.time, hit.entering, hit.normal), (2.0, true, Vector3::z()));
    assert_eq!(floor.ray_all(&here, &down).unwrap().len(), 1);
    let up = ShapeRay::new([0.5, 0.0, -3.0], [0.0, 0.0, 2.0]);
    assert_eq!(floor.ray(&here, &up).unwrap().map(|hit| (hit.time, hit.entering)), Some((2.0, false)));
    assert!(floor.ray(&here, &ShapeRay::new([0.0, 0.0, 2.0], [1.0, 0.0, 0.0])).unwrap().is_none());
}

#[test]
fn the_nearest_is_what_the_nearest_collider_says() {
    let (mut world, standing) = crowd(2);
    let mut random = Random::new(5);
    let points: Vec<_> =
        (0..150).map(|_| Point3::from(Vector3::from_fn(|_, _| 4.0 * random.signed()))).collect();
    let (mut inside, mut none) = (0, 0);
    for (filter, accepts) in filters(&standing) {
        for within in [0.2, 1.0, f64::INFINITY] {
            let queries = world.shape_queries();
            let found = queries.nearest_many(&points, within, &filter).unwrap();
            for (point, found) in points.iter().zip(found) {
                let own = standing.iter().enumerate().filter(|(k, _)| accepts(*k));
                let own = own.filter_map(|(_, (id, shape, pose))| {
                    let hit = shape.nearest(pose, *point, f64::INFINITY).unwrap()?;
                    (hit.distance <= within).then_some(NearestHit { collider: *id, ..hit })
                });
                let expected = own.reduce(|p, q| if q.distance < p.distance { q } else { p });
                assert_eq!(
                    found.map(|hit| (hit.distance, hit.collider)),
                    expected.map(|hit| (hit.distance, hit.collider))
                );
                assert_eq!(queries.nearest(*point, within, &filter).unwrap(), found);
                inside += u32::from(found.is_some_and(|hit| hit.inside));
                none += u32::from(found.is_none());
            }
        }
    }
    assert!(inside > 8 && none > 200, "{inside} {none}");
}

/// Against pair queries with a ball of next to no size, and the winding number.
#[test]
fn nearest_points_are_as_far_as_a_small_ball_is() {
    let mut random = Random::new(6);
    let radius = 1e-6f32;
    let ball = PreparedShape::new(&Shape::sphere(radius).unwrap());
    let (mut insides, mut outsides) = (0, 0);
    for shape in shapes().into_iter().chain([Shape::sphere(0.5).unwrap(), Shape::capsule(0.2, 0.3).unwrap()])
    {
        let shape = PreparedShape::new(&shape);
        let query = PairQuery::between(&shape, &ball);
        for _ in 0..60 {
            let pose = random_pose(&mut random, 2.0);
            let point = pose * Point3::from(Vector3::from_fn(|_, _| 0.4 * random.signed()));
            let at = Isometry3::from(Translation3::from(point));
            let far = query.distance(&pose, &at).unwrap();
            let found = shape.nearest(&pose, point, f64::INFINITY).unwrap().unwrap();
            let distance = if found.inside { 0.0 } else { found.distance };
            assert!(
                (far.distance() - (distance - f64::from(radius)).max(0.0)).abs() < 1e-9,
                "{far:?} {found:?}"
            );
            if found.inside {
                assert_eq!((found.distance, found.point), (0.0, point));
                insides += 1;
            } else {
                assert!(((point - found.point).norm() - found.distance).abs() < 1e-12);
                assert!((found.normal - (point - found.point) / found.distance).norm() < 1e-9);
                outsides += 1;
            }
        }
    }
    assert!(insides > 50 && outsides > 100, "{insides} {outsides}");
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
    let queries = world.shape_queries();
    let all = QueryFilter::new();
    let ball = PreparedShape::new(&Shape::sphere(0.5).unwrap());
    let here = Isometry3::identity();
    let good = ShapeRay::new([0.0; 3], [1.0, 0.0, 0.0]);
    let bad = [
        ShapeRay::new([0.0, f64::NAN, 0.0], [1.0, 0.0, 0.0]),
        ShapeRay::new([0.0, 1e31, 0.0], [1.0, 0.0, 0.0]),
        ShapeRay::new([0.0; 3], [0.0; 3]),
        ShapeRay::new([0.0; 3], [1.0, f64::NAN, 0.0]),
        ShapeRay::new([0.0; 3], [f64::INFINITY, 0.0, 0.0]),
        ShapeRay::new([0.0; 3], [1e-280, 0.0, 0.0]),
        good.length(-1.0),
        good.length(f64::NAN),
    ];
    let words = ["origin", "origin", "direction", "direction", "direction", "direction", "length", "length"];
    for (ray, word) in bad.iter().zip(words) {
        for error in [
            queries.ray(ray, &all).unwrap_err(),
            queries.ray_all(ray, &all).unwrap_err(),
            queries.ray_any(ray, &all).unwrap_err(),
            queries.rays(&[good, *ray], &all).unwrap_err(),
        ] {
            assert!(matches!(error, WorldError::Ray(_)) && error.to_string().contains(word), "{error}");
        }
        assert!(matches!(ball.ray(&here, ray), Err(QueryError::Ray(_))));
        assert!(matches!(ball.ray_all(&here, ray), Err(QueryError::Ray(_))));
        assert!(matches!(ball.ray_any(&here, ray), Err(QueryError::Ray(_))));
    }
    let nowhere = Isometry3::translation(0.0, f64::NAN, 0.0);
    assert!(matches!(ball.ray(&nowhere, &good), Err(QueryError::Pose { .. })));
    assert!(matches!(queries.nearest([f64::NAN, 0.0, 0.0], 1.0, &all), Err(WorldError::Point(_))));
    for bound in [-1.0, f64::NAN] {
        assert!(matches!(queries.nearest([0.0; 3], bound, &all), Err(WorldError::Bound { .. })));
        assert!(matches!(ball.nearest(&here, [0.0; 3], bound), Err(QueryError::Bound { .. })));
    }
    assert!(matches!(ball.nearest(&here, [f64::INFINITY; 3], 1.0), Err(QueryError::Point(_))));
    assert!(
        queries.ray(&good, &all).unwrap().is_none()
            && queries.nearest([0.0; 3], 1.0, &all).unwrap().is_none()
    );
}
