use impinge_geometry::{Containment, PairFrame, Primitive, Shape, Side, SimdLevel, TriMesh, predicate};
use impinge_midphase::{PreparedShape, TreeCache};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::*;
use impinge_convex::{self as solid, Placed};
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};

type Corners = [Point3<f64>; 3];

/// A source of numbers that is the same everywhere.
struct Numbers(u64);

impl Numbers {
    /// From −1 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn pose(&mut self, reach: f64) -> Isometry3<f64> {
        let turn = Vector3::from_fn(|_, _| 3.0 * self.next());
        let shift = Vector3::from_fn(|_, _| reach * self.next());
        Isometry3::from_parts(Translation3::from(shift), UnitQuaternion::from_scaled_axis(turn))
    }
}

/// A closed surface with bumps of all sizes.
fn bumpy(numbers: &mut Numbers, around: u32, across: u32) -> TriMesh {
    let ball = sphere_mesh(1.0, around, across);
    let vertices =
        ball.vertices().iter().map(|p| (p.coords * (1.0 + 0.35 * numbers.next() as f32)).into()).collect();
    TriMesh::new(vertices, ball.triangles().to_vec()).unwrap()
}

fn placed(mesh: &TriMesh, frame: &PairFrame, side: Side) -> Vec<Corners> {
    (0..mesh.triangles().len() as u32)
        .filter(|&t| !mesh.is_virtual(t))
        .map(|t| mesh.corners(t).map(|p| frame.place(side, &p)))
        .collect()
}

/// Every triangle against every other, in `f64`: their distance, 0 where they touch (exact).
fn brute(a: &TriMesh, b: &TriMesh, frame: &PairFrame) -> f64 {
    let (of_a, of_b) = (placed(a, frame, Side::A), placed(b, frame, Side::B));
    let mut least = f64::INFINITY;
    for p in &of_a {
        for q in &of_b {
            if predicate::triangles_touch(p, q) {
                return 0.0;
            }
            least = least.min(triangle_gap(p, q).squared);
        }
    }
    least.sqrt()
}

struct Asked {
    shapes: [PreparedShape; 2],
    frame: PairFrame,
}

impl Asked {
    fn new(a: &Shape, b: &Shape, pose: &Isometry3<f64>) -> Asked {
        let frame = PairFrame::new(&Isometry3::identity(), pose);
        Asked { shapes: [PreparedShape::new(a), PreparedShape::new(b)], frame }
    }

    /// The same with given instructions.
    fn with_simd(&self, level: SimdLevel) -> Asked {
        let mut trees = TreeCache::with_simd(level);
        let shapes = [0, 1].map(|k| PreparedShape::with_trees(self.shapes[k].shape(), &mut trees));
        Asked { shapes, frame: self.frame }
    }

    fn within(&self, bound: f64, memory: &mut DistanceMemory) -> Option<Proximity> {
        let parts = [0, 1].map(|k| &self.shapes[k].parts()[0]);
        distance(parts, &self.frame, bound, memory, &mut DistanceScratch::default())
    }

    fn ask(&self) -> Proximity {
        self.within(f64::INFINITY, &mut DistanceMemory::default()).expect("nothing is farther than that")
    }
}

fn size_of(x: &Proximity) -> f64 {
    match x {
        Proximity::Apart(s) => s.distance,
        Proximity::Touching { .. } => 0.0,
    }
}

fn pairs_wanted() -> usize {
    std::env::var("IMPINGE_DISTANCE_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

#[test]
fn the_distance_of_random_meshes_is_that_of_all_pairs_of_triangles() {
    // Ten bumpy balls of 72 to 200 triangles and two rings, in random poses from entangled to far, on
    // scales from a micrometre to a thousand kilometres.
    let mut numbers = Numbers(3);
    let mut meshes: Vec<TriMesh> = (0..10).map(|k| bumpy(&mut numbers, 6 + k % 5, 6 + k % 4)).collect();
    meshes.push(torus(1.0, 0.3, 12, 6));
    meshes.push(torus(1.5, 0.1, 10, 5));
    let (mut apart, mut touching) = (0, 0);
    for n in 0..pairs_wanted() {
        let (a, b) = (&meshes[n % 12], &meshes[(n * 7 + n / 12) % 12]);
        let scale = [1.0, 1e-6, 1e6, 1.0 / 1024.0][n % 4];
        let [a, b] = [a, b].map(|m| {
            let vertices = m.vertices().iter().map(|p| p * scale as f32).collect();
            TriMesh::new(vertices, m.triangles().to_vec()).unwrap()
        });
        let mut pose = numbers.pose([1.2, 2.2, 8.0][n % 3]);
        pose.translation.vector *= scale;
        let asked = Asked::new(&a.clone().into(), &b.clone().into(), &pose);
        let expected = brute(&a, &b, &asked.frame);
        match asked.ask() {
            Proximity::Apart(found) => {
                apart += 1;
                let error = (found.distance - expected).abs();
                assert!(error <= 1e-9 * expected, "pair {n}: {} for {expected}", found.distance);
                check(&found, [&a, &b], &asked.frame, n);
            }
            Proximity::Touching { containment: Containment::None, triangles } => {
                touching += 1;
                let [p, q] = triangles.expect("both have triangles");
                let p = a.corners(p).map(|x| asked.frame.place(Side::A, &x));
                let q = b.corners(q).map(|x| asked.frame.place(Side::B, &x));
                assert!(expected == 0.0 && predicate::triangles_touch(&p, &q), "pair {n}");
            }
            Proximity::Touching { .. } => assert!(expected > 0.0, "pair {n} is one in the other"),
        }
    }
    assert!(apart > pairs_wanted() / 3 && touching > pairs_wanted() / 10, "{apart} {touching}");
}

/// The points are as far apart as it says, lie on the features it names, and these are parts of the
/// triangles it names.
fn check(found: &Separation, meshes: [&TriMesh; 2], frame: &PairFrame, n: usize) {
    let between = found.points[1] - found.points[0];
    let size = found.points.iter().map(|p| p.coords.norm()).fold(found.distance, f64::max) + 1e-30;
    assert!((between.norm() - found.distance).abs() <= 1e-12 * size, "pair {n}");
    assert!((found.normal.norm() - 1.0).abs() < 1e-12, "pair {n}");
    assert!((between - found.normal * found.distance).norm() <= 1e-5 * found.distance + 1e-12 * size);
    for side in Side::BOTH {
        let k = side.index();
        let (mesh, p) = (meshes[k], &found.points[k]);
        let triangle = found.triangles[k].expect("it has triangles");
        let vertices = mesh.triangles()[triangle as usize];
        let place = |v: u32| frame.place(side, &mesh.vertices()[v as usize]);
        let away = match found.features[k] {
            Feature::Vertex(v) => {
                assert!(vertices.contains(&v), "pair {n}");
                (place(v) - p).norm()
            }
            Feature::Edge(e) => {
                assert!(mesh.triangle_edges()[triangle as usize].contains(&e), "pair {n}");
                let [q, r] = mesh.edges()[e as usize].vertices.map(place);
                (solid::nearest_on_segment(&q, &r, p) - p).norm()
            }
            Feature::Face(f) => {
                assert_eq!(f, triangle, "pair {n}");
                (solid::nearest_on_triangle(&vertices.map(place), p) - p).norm()
            }
            Feature::Smooth => panic!("pair {n}: a mesh is not smooth"),
        };
        assert!(away <= 1e-11 * size, "pair {n}: {:?} is {away} from its feature", found.features[k]);
    }
}

#[test]
fn every_level_gives_the_same_bits_and_a_memory_the_same_distance() {
    let mut numbers = Numbers(17);
    let (a, b) = (bumpy(&mut numbers, 24, 16), torus(1.0, 0.3, 32, 16));
    let mut memory = DistanceMemory::default();
    let mut pose = numbers.pose(1.0);
    for _ in 0..40 {
        let step = numbers.pose(0.05);
        pose.translation.vector += step.translation.vector;
        pose.rotation = UnitQuaternion::from_scaled_axis(step.rotation.scaled_axis() * 0.02) * pose.rotation;
        pose.translation.vector.x = pose.translation.vector.x.max(1.9);
        let asked = Asked::new(&a.clone().into(), &b.clone().into(), &pose);
        let plain = asked.ask();
        for level in SimdLevel::available() {
            assert_eq!(asked.with_simd(level).ask(), plain, "{level:?}");
        }
        let warm = asked.within(f64::INFINITY, &mut memory).unwrap();
        assert!((size_of(&warm) - size_of(&plain)).abs() <= 1e-12 * size_of(&plain));
    }
}

#[test]
fn a_bound_is_kept_to_the_last_bit() {
    // Two boxes with a gap of exactly 0.25: within 0.25 and not within less.
    let cube: Shape = box_mesh([0.5; 3]).into();
    for (other, x) in [(cube.clone(), 1.25), (Shape::sphere(0.5).unwrap(), 1.25), (Shape::half_space(), 0.0)]
    {
        let pose = match other {
            Shape::Primitive(Primitive::HalfSpace) => Isometry3::translation(0.0, 0.0, -0.75),
            _ => Isometry3::translation(x, 0.0, 0.0),
        };
        for swapped in [false, true] {
            let (a, b, pose) = match swapped {
                false => (&cube, &other, pose),
                true => (&other, &cube, pose.inverse()),
            };
            let asked = Asked::new(a, b, &pose);
            let within = |d: f64| asked.within(d, &mut DistanceMemory::default());
            assert_eq!(within(0.25).map(|p| size_of(&p)), Some(0.25));
            assert_eq!(within(0.25f64.next_down()), None);
            assert_eq!(within(0.0), None);
            assert_eq!(size_of(&asked.ask()), 0.25);
        }
    }
}

#[test]
fn what_touches_or_holds_the_other_has_no_distance() {
    let (big, small): (Shape, Shape) = (sphere_mesh(1.0, 24, 16).into(), box_mesh([0.1; 3]).into());
    let at = |x: f64| Isometry3::translation(x, 0.0, 0.0);
    let inside = |c| Proximity::Touching { containment: c, triangles: None };
    assert_eq!(Asked::new(&big, &small, &at(0.2)).ask(), inside(Containment::BInA));
    assert_eq!(Asked::new(&small, &big, &at(0.2)).ask(), inside(Containment::AInB));
    assert!(matches!(
        Asked::new(&big, &small, &at(1.0)).ask(),
        Proximity::Touching { containment: Containment::None, triangles: Some(_) }
    ));
    let ball = Shape::sphere(0.1).unwrap();
    assert_eq!(Asked::new(&big, &ball, &at(0.2)).ask(), inside(Containment::BInA));
    assert_eq!(Asked::new(&ball, &big, &at(0.2)).ask(), inside(Containment::AInB));
    assert_eq!(Asked::new(&small, &Shape::sphere(1.0).unwrap(), &at(0.2)).ask(), inside(Containment::AInB));
    let above = Isometry3::translation(0.0, 0.0, 5.0);
    assert_eq!(Asked::new(&small, &Shape::half_space(), &above).ask(), inside(Containment::AInB));
    // Nor is it found beyond a bound.
    let asked = Asked::new(&big, &small, &at(0.2));
    assert_eq!(asked.within(0.01, &mut DistanceMemory::default()), Some(inside(Containment::BInA)));
    // In the hole of a ring it is neither.
    let ring: Shape = torus(1.0, 0.3, 48, 24).into();
    assert!((size_of(&Asked::new(&ring, &ball, &at(0.0)).ask()) - 0.6).abs() < 0.01);
}

#[test]
fn virtual_faces_are_inside_but_no_surface() {
    // A floor of two triangles, a metre thick; a box beside its virtual wall is as far from it as from
    // the border of the real face, and one within it touches.
    let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
    let sheet = TriMesh::new(corners.map(Point3::from).to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let floor: Shape = sheet.one_sided(1.0, Vector3::z()).unwrap().into();
    let cube: Shape = box_mesh([0.125; 3]).into();
    let beside = Asked::new(&floor, &cube, &Isometry3::translation(4.5, 2.0, -0.5)).ask();
    assert!((size_of(&beside) - 0.375f64.hypot(0.375)).abs() < 1e-12, "{beside:?}");
    let within = Asked::new(&floor, &cube, &Isometry3::translation(2.0, 2.5, -0.5)).ask();
    assert!(matches!(within, Proximity::Touching { containment: Containment::BInA, .. }));
    // One that crosses the virtual wall, or the underside, is not wholly inside: it is as far as the real face.
    let crossing = Asked::new(&floor, &cube, &Isometry3::translation(4.0, 2.0, -0.5)).ask();
    assert_eq!(size_of(&crossing), 0.375, "{crossing:?}");
    let below = Asked::new(&cube, &floor, &Isometry3::translation(-2.0, -2.5, 1.0)).ask();
    assert_eq!(size_of(&below), 0.875, "{below:?}");
}

#[test]
fn primitives_against_meshes_and_each_other() {
    // A ball of radius 0.5 hovers 0.25 above the middle of an edge of a unit box, along the diagonal.
    let cube: Shape = box_mesh([0.5; 3]).into();
    let d = 0.5 + 0.75 * std::f64::consts::FRAC_1_SQRT_2;
    let pose = Isometry3::translation(d, d, 0.1);
    for cube in [cube, Shape::cuboid([0.5; 3]).unwrap()] {
        let Proximity::Apart(found) = Asked::new(&cube, &Shape::sphere(0.5).unwrap(), &pose).ask() else {
            panic!("they are apart")
        };
        assert!((found.distance - 0.25).abs() < 1e-7, "{found:?}");
        assert!(matches!(found.features, [Feature::Edge(_), Feature::Smooth]), "{found:?}");
        let along = Vector3::new(1.0, 1.0, 0.0).normalize();
        assert!((found.normal - along).norm() < 1e-6);
        assert!((found.points[0] - found.points[1]).norm() - 0.25 < 1e-7);
    }
    // Two balls, and a ball over a plane.
    let ball = Shape::sphere(0.5).unwrap();
    let found = Asked::new(&ball, &ball, &Isometry3::translation(0.0, 3.0, 4.0)).ask();
    assert!((size_of(&found) - 4.0).abs() < 1e-12);
    let found = Asked::new(&ball, &Shape::half_space(), &Isometry3::translation(0.0, 0.0, -7.0)).ask();
    assert!((size_of(&found) - 6.5).abs() < 1e-12);
}

fn triangle() -> impl Strategy<Value = Corners> {
    // Coarse coordinates make corners, edges and planes coincide; stretched ones make needles.
    let coordinate = prop_oneof![(-4..=4i32).prop_map(f64::from), -4.0..4.0f64];
    let corner = prop::array::uniform3(coordinate).prop_map(Point3::from);
    (prop::array::uniform3(corner), prop_oneof![Just(1.0), Just(1e-3), Just(1e-6)])
        .prop_map(|(t, thin)| t.map(|p: Point3<f64>| Point3::new(p.x, p.y * thin, p.z)))
}

proptest! {
    #[test]
    fn the_distance_of_two_triangles_is_that_of_two_convex_sets(a in triangle(), b in triangle()) {
        let sound = |t: &Corners| (t[1] - t[0]).cross(&(t[2] - t[0])).norm() > 1e-12;
        prop_assume!(sound(&a) && sound(&b));
        let gap = triangle_gap(&a, &b);
        let found = gap.squared.sqrt();
        if predicate::triangles_touch(&a, &b) {
            prop_assert!(!gap.is_proved(&a, &b));
        } else if let Some(other) = solid::distance(&Placed::triangle(&a), &Placed::triangle(&b)) {
            // The oracle's distance is a true pair of points' too, so it is never too small.
            prop_assert!(found <= other.distance * (1.0 + 1e-9) + 1e-12, "{} {}", found, other.distance);
            // And some axis bounds it from below: our own line, the oracle's, a normal, or one across two
            // edges. (Where edges are nearly parallel or the gap is small, lines have lost their digits.)
            let edges = |t: &Corners| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
            let mut axes = vec![gap.points[1] - gap.points[0], other.normal];
            axes.extend([&a, &b].map(|t| edges(t)[0].cross(&edges(t)[1])));
            axes.extend(edges(&a).iter().flat_map(|u| edges(&b).map(|v| u.cross(&v))));
            let parted = axes.iter().filter_map(|n| n.try_normalize(1e-12)).map(|n| {
                let range = |t: &Corners| t.map(|p| p.coords.dot(&n));
                let (p, q) = (range(&a), range(&b));
                let low = |x: [f64; 3]| x[0].min(x[1]).min(x[2]);
                let high = |x: [f64; 3]| x[0].max(x[1]).max(x[2]);
                (low(q) - high(p)).max(low(p) - high(q))
            });
            let parted = parted.fold(0.0, f64::max);
            prop_assert!(found < 0.05 || parted >= found - 1e-6, "{} {:?}", parted, gap);
        }
    }

    #[test]
    fn a_row_of_the_filter_never_rules_out_what_is_nearer(
        seed in any::<u64>(),
        reach in prop_oneof![Just(0.0), Just(1e-3), Just(1.0), Just(1e3)],
        scale in prop_oneof![Just(1.0), Just(1e-30), Just(1e25)],
    ) {
        let mut numbers = Numbers(seed);
        let shift = Vector3::from_fn(|_, _| reach * numbers.next());
        let mut leaf = |shift: Vector3<f64>| {
            let mut leaf = Leaf::NONE;
            leaf.count = 4;
            for t in &mut leaf.corners {
                *t = std::array::from_fn(|_| {
                    Point3::from((shift + Vector3::from_fn(|_, _| numbers.next())) * scale)
                });
            }
            leaf
        };
        let (a, b) = (leaf(Vector3::zeros()), leaf(shift));
        let mut least: Vec<f64> = Vec::new();
        for p in a.placed() {
            for q in b.placed() {
                let touch = predicate::triangles_touch(p, q);
                least.push(if touch { 0.0 } else { triangle_gap(p, q).squared.sqrt() });
            }
        }
        for limit in [least.iter().copied().fold(f64::INFINITY, f64::min) * 1.001, 0.5 * scale] {
            let level = SimdLevel::detect();
            judge(&a, &b, limit, level, &mut |judged| {
                for lane in 0..8 {
                    let [i, j] = judged.pair(lane);
                    let ruled_out = judged.open >> lane & 1 == 0;
                    assert!(!ruled_out || least[4 * i + j] >= limit, "{i} {j}");
                }
            });
        }
    }
}
