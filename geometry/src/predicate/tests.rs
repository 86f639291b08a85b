use super::*;
use proptest::prelude::*;

type P = Point3<f64>;

fn p(x: f64, y: f64, z: f64) -> P {
    P::new(x, y, z)
}

/// A triangle in the plane z = 0 with its right angle at the origin.
fn floor() -> [P; 3] {
    [p(0.0, 0.0, 0.0), p(4.0, 0.0, 0.0), p(0.0, 4.0, 0.0)]
}

#[test]
fn triangles_that_share_only_a_point_or_an_edge_touch() {
    let s = floor();
    // A corner stands on the face, on an edge, on a corner; just above it does not.
    for (x, y) in [(1.0, 1.0), (2.0, 2.0), (0.0, 0.0), (0.0, 3.0)] {
        // Just below it crosses the plane beside the corner: on the slanted edge, outside.
        for (z, touch) in [(0.0, true), (f64::MIN_POSITIVE * 1e100, false), (-1e-30, x + y < 4.0)] {
            let t = [p(x, y, z), p(x + 1.0, y, 1.0), p(x, y + 1.0, 1.0)];
            assert_eq!(triangles_touch(&s, &t), touch, "{x} {y} {z}");
            assert_eq!(triangles_touch(&t, &s), touch);
        }
    }
    // A shared edge, seen from either side, and a crossing of two edges in their middles.
    let wall = [p(0.0, 0.0, 0.0), p(4.0, 0.0, 0.0), p(1.0, -1.0, 3.0)];
    assert!(triangles_touch(&s, &wall));
    let hinge = [p(2.0, -1.0, -1.0), p(2.0, 1.0, 1.0), p(2.0, -9.0, 9.0)];
    assert!(triangles_touch(&s, &hinge));
}

#[test]
fn coplanar_triangles_are_judged_in_their_plane() {
    let s = floor();
    let at = |x: f64, y: f64| [p(x, y, 0.0), p(x + 0.5, y, 0.0), p(x, y + 0.5, 0.0)];
    for (x, y, touch) in [
        (1.0, 1.0, true),    // wholly inside
        (4.0, 0.0, true),    // corner on corner
        (2.0, 2.0, true),    // corner on the slanted edge
        (-0.5, 1.0, true),   // its edge ends on an edge
        (-0.75, 1.0, false), // beside
        (2.25, 2.0, false),
    ] {
        assert_eq!(triangles_touch(&s, &at(x, y)), touch, "{x} {y}");
        assert_eq!(triangles_touch(&at(x, y), &s), touch, "{x} {y}");
    }
    // One around the other.
    let around = [p(-10.0, -10.0, 0.0), p(30.0, -10.0, 0.0), p(-10.0, 30.0, 0.0)];
    assert!(triangles_touch(&s, &around) && triangles_touch(&around, &s));
}

#[test]
fn triangles_without_area_count_as_segments() {
    let s = floor();
    let line = |z0: f64, z1: f64| [p(1.0, 1.0, z0), p(1.0, 1.0, 0.5 * (z0 + z1)), p(1.0, 1.0, z1)];
    assert!(triangles_touch(&s, &line(-1.0, 1.0)) && triangles_touch(&line(-1.0, 1.0), &s));
    assert!(!triangles_touch(&s, &line(0.5, 1.0)) && !triangles_touch(&line(0.5, 1.0), &s));
    assert!(triangles_touch(&line(0.0, 1.0), &line(1.0, 2.0)));
    assert!(!triangles_touch(&line(0.0, 1.0), &line(1.5, 2.0)));
    let across = [p(0.0, 1.0, 0.5), p(2.0, 1.0, 0.5), p(1.0, 1.0, 0.5)];
    assert!(triangles_touch(&line(0.0, 1.0), &across));
    let flat = [p(-1.0, 1.0, 0.0), p(9.0, 1.0, 0.0), p(2.0, 1.0, 0.0)];
    assert!(triangles_touch(&s, &flat) && triangles_touch(&flat, &s));
}

#[test]
fn segments_in_space() {
    let o = p(0.0, 0.0, 0.0);
    let x = p(2.0, 0.0, 0.0);
    assert!(segments_touch([&o, &x], [&p(1.0, -1.0, 0.0), &p(1.0, 1.0, 0.0)]));
    assert!(!segments_touch([&o, &x], [&p(1.0, -1.0, 1e-200), &p(1.0, 1.0, 1e-200)]));
    assert!(segments_touch([&o, &x], [&p(2.0, 0.0, 0.0), &p(3.0, 0.0, 0.0)]));
    assert!(!segments_touch([&o, &x], [&p(2.5, 0.0, 0.0), &p(3.0, 0.0, 0.0)]));
    assert!(!segments_touch([&o, &x], [&p(3.0, 1.0, 0.0), &p(3.0, -1.0, 0.0)]));
}

/// Points of a small integer lattice (so that everything degenerate happens often), scaled by a
/// power of two and moved far away, where the sums are still exact.
fn lattice_point() -> impl Strategy<Value = [i32; 3]> {
    [-3..=3i32, -3..=3i32, -3..=3i32]
}

fn placed(v: [i32; 3], exponent: i32, far: f64) -> P {
    let s = libm::scalbn(1.0, exponent);
    P::from(v.map(|x| (f64::from(x) + far) * s))
}

/// The same question in integers: exact by nature.
fn integer_orient(a: [i32; 3], b: [i32; 3], c: [i32; 3], d: [i32; 3]) -> i64 {
    let [u, v, w] = [a, b, c].map(|x| [0, 1, 2].map(|k| i64::from(x[k] - d[k])));
    u[0] * (v[1] * w[2] - v[2] * w[1])
        + u[1] * (v[2] * w[0] - v[0] * w[2])
        + u[2] * (v[0] * w[1] - v[1] * w[0])
}

/// Closed triangles share a point exactly if no plane separates them strictly; for polytopes it is
/// enough to try the planes' normals and the cross products of edges (and, in one plane, the
/// in-plane normals of edges). Integers, so exact.
fn separated(s: &[[i32; 3]; 3], t: &[[i32; 3]; 3]) -> bool {
    type V = [i64; 3];
    let sub = |a: [i32; 3], b: [i32; 3]| -> V { [0, 1, 2].map(|k| i64::from(a[k] - b[k])) };
    let cross = |a: V, b: V| -> V {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let dirs = |t: &[[i32; 3]; 3]| [0, 1, 2].map(|k| sub(t[(k + 1) % 3], t[k]));
    let (ds, dt) = (dirs(s), dirs(t));
    let (ns, nt) = (cross(ds[0], ds[1]), cross(dt[0], dt[1]));
    let mut axes = vec![ns, nt];
    for a in ds {
        axes.push(cross(ns, a));
        axes.push(cross(nt, a));
        for b in dt {
            axes.push(cross(a, b));
        }
    }
    for b in dt {
        axes.push(cross(ns, b));
        axes.push(cross(nt, b));
    }
    axes.iter().any(|n| {
        let range = |t: &[[i32; 3]; 3]| {
            let d = t.map(|p| (0..3).map(|k| n[k] * i64::from(p[k])).sum::<i64>());
            (d.into_iter().min(), d.into_iter().max())
        };
        let ((s0, s1), (t0, t1)) = (range(s), range(t));
        s1 < t0 || t1 < s0
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn touching_equals_integer_separation(
        s in [lattice_point(), lattice_point(), lattice_point()],
        t in [lattice_point(), lattice_point(), lattice_point()],
        exponent in -60..60i32,
        far in prop_oneof![Just(0.0), Just(1_048_576.0), Just(-12_345_678.0)],
    ) {
        let flat = |t: &[[i32; 3]; 3]| {
            (0..3).all(|k| {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                (t[1][i] - t[0][i]) * (t[2][j] - t[0][j]) == (t[1][j] - t[0][j]) * (t[2][i] - t[0][i])
            })
        };
        prop_assume!(!flat(&s) && !flat(&t));
        let place = |v: &[[i32; 3]; 3]| v.map(|x| placed(x, exponent, far));
        let (ps, pt) = (place(&s), place(&t));
        prop_assert_eq!(triangles_touch(&ps, &pt), !separated(&s, &t));
        prop_assert_eq!(triangles_touch(&pt, &ps), !separated(&s, &t));
    }

    #[test]
    fn the_prepared_plane_agrees_with_the_exact_predicate(
        t in [lattice_point(), lattice_point(), lattice_point()],
        d in lattice_point(),
        nudge in -2..=2i32,
        exponent in -60..60i32,
        far in prop_oneof![Just(0.0), Just(0.1), Just(1e7), Just(-1.0 / 3.0)],
    ) {
        let corners = t.map(|x| placed(x, exponent, far));
        let mut q = placed(d, exponent, far);
        for _ in 0..nudge.abs() {
            q.z = if nudge > 0 { q.z.next_up() } else { q.z.next_down() };
        }
        let exact = -orient3d(&corners[0], &corners[1], &corners[2], &q);
        let side = Plane::new(&corners).side(&q);
        prop_assert_eq!(side > 0.0, exact > 0.0);
        prop_assert_eq!(side < 0.0, exact < 0.0);
        if far == 0.0 && nudge == 0 {
            prop_assert_eq!(exact < 0.0, integer_orient(t[0], t[1], t[2], d) > 0);
        }
    }

    #[test]
    fn cross_products_of_exact_differences_have_the_right_sign(
        v in [lattice_point(), lattice_point(), lattice_point(), lattice_point()],
        nudges in [-1..=1i32, -1..=1i32, -1..=1i32, -1..=1i32],
        axis in 0..3usize,
    ) {
        // Coordinates k + n · 2⁻⁵⁰: as integers of 2⁻⁵⁰ they fit i128 with their products.
        let unit = libm::scalbn(1.0, -50);
        let x = |k: usize, c: usize| (i128::from(v[k][c]) << 50) + i128::from(nudges[(k + c) % 4]);
        let points: Vec<P> = (0..4)
            .map(|k| P::from([0, 1, 2].map(|c| f64::from(v[k][c]) + f64::from(nudges[(k + c) % 4]) * unit)))
            .collect();
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let d = |p: usize, q: usize, c: usize| x(q, c) - x(p, c);
        let want = d(0, 1, i) * d(2, 3, j) - d(0, 1, j) * d(2, 3, i);
        let got = cross_sign(axis, [&points[0], &points[1]], [&points[2], &points[3]]);
        prop_assert_eq!(i128::from(got), want.signum());
    }
}

/// A small generator: the attack wants millions of predicates, not shrinking.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 * (2.0 / 9_007_199_254_740_992.0) - 1.0
    }

    fn point(&mut self, size: f64) -> P {
        p(self.next() * size, self.next() * size, self.next() * size)
    }
}

#[test]
fn orientation_beside_a_plane_has_the_exact_sign() {
    // Four points of a plane, turned, rounded, and some of them nudged by units in the last place: the first
    // filter cannot tell, the doubled one mostly can, and where it says something it is right.
    let mut noise = Noise(23);
    let (mut settled, mut zeros, mut total) = (0, 0, 0);
    for round in 0..60_000 {
        let [u, v, o] = [0; 3].map(|_| noise.point(1.0).coords);
        let far = [0.0, 1.0, 1e3, 1e7][round % 4];
        let size = libm::scalbn(1.0, (noise.next() * 60.0) as i32);
        let mut q = [0; 4].map(|_| P::from((o * far + u * noise.next() + v * noise.next()) * size));
        if round % 3 == 0 {
            // On a coarse lattice nothing is rounded: exactly coplanar.
            q = q.map(|x| P::new((x.x / size * 4.0).round(), (x.y / size * 4.0).round(), 7.0));
        }
        if round % 5 == 0 {
            q[round % 4].y = f64::from_bits(q[round % 4].y.to_bits() ^ 1);
        }
        let [a, b, c, d] = q.each_ref().map(|p| Coord3D { x: p.x, y: p.y, z: p.z });
        let exact = robust::orient3d(a, b, c, d);
        let doubled = expansion::orient3d_doubled(&q[0], &q[1], &q[2], &q[3]);
        assert!(doubled == 0.0 || doubled * exact > 0.0, "{q:?}: {doubled:e} {exact:e}");
        assert_eq!(orient3d(&q[0], &q[1], &q[2], &q[3]).total_cmp(&0.0), exact.total_cmp(&0.0), "{q:?}");
        let plane = Plane::new(&[q[0], q[1], q[2]]);
        assert_eq!(sign_of(plane.side(&q[3])), -sign_of(exact), "{q:?}");
        settled += u32::from(doubled != 0.0);
        zeros += u32::from(exact == 0.0);
        total += 1;
    }
    assert!(settled + zeros > total * 99 / 100, "{settled} settled, {zeros} zeros of {total}");
    assert!(settled > total / 3 && zeros > total / 5, "{settled} settled, {zeros} zeros of {total}");
}

fn sign_of(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

#[test]
fn triangles_that_are_parted_in_a_projection_are_apart() {
    let mut noise = Noise(31);
    let (mut parted, mut apart, mut total) = (0, 0, 0);
    for round in 0..40_000 {
        // On a lattice, so that corners and edges often meet; half of them in one plane.
        let mut corner = || {
            let x = noise.point(3.0);
            P::new(x.x.round(), x.y.round(), if round % 2 == 0 { 1.0 } else { x.z.round() })
        };
        let (s, t) = ([corner(), corner(), corner()], [corner(), corner(), corner()]);
        let touch = triangles_touch(&s, &t);
        for axis in 0..3 {
            let says = apart_in_projection(axis, &s, &t);
            assert!(!says || !touch, "{axis} {s:?} {t:?}");
            assert_eq!(says, apart_in_projection(axis, &t, &s));
            parted += u32::from(says && axis == 2);
        }
        apart += u32::from(!touch);
        total += 1;
    }
    assert!(parted > apart / 3 && apart < total && parted > 1000, "{parted} of {apart}, {total}");
}

/// v · ((b − a) × (d − c)) in integers.
fn integer_cross_along(v: [i128; 3], [a, b, c, d]: [[i128; 3]; 4]) -> i128 {
    let (x, y) = ([0, 1, 2].map(|k| b[k] - a[k]), [0, 1, 2].map(|k| d[k] - c[k]));
    (0..3).map(|k| v[k] * (x[(k + 1) % 3] * y[(k + 2) % 3] - x[(k + 2) % 3] * y[(k + 1) % 3])).sum()
}

/// A whole number with this many bits that an `f64` holds.
fn whole(noise: &mut Noise, bits: i32) -> i128 {
    (noise.next() * libm::scalbn(1.0, bits)).trunc() as i128
}

#[test]
fn orientation_along_a_direction_has_the_exact_sign() {
    // Points and direction are whole numbers, and all products fit an i128: either the points are large (differences
    // are no `f64`) and the direction small, or the other way round. Many edges are in one plane with the direction,
    // or nearly so: the first filter cannot tell.
    let mut noise = Noise(57);
    let (mut zeros, mut doubtful, mut wide, total) = (0, 0, 0, 60_000);
    for round in 0..total {
        let (far, near, aim) = [(56, 6, 4), (28, 10, 52), (3, 3, 3)][round % 3];
        let mut v = [0; 3].map(|_| whole(&mut noise, aim));
        let mut q = [0; 4].map(|_| [0; 3].map(|_| whole(&mut noise, near)));
        q[round % 4] = [0; 3].map(|_| whole(&mut noise, far));
        if round % 2 == 0 {
            // d − c is a multiple of b − a, and of v as far as that fits.
            let by = if aim < 8 { whole(&mut noise, 3) } else { 0 };
            let along = 1 - 2 * (round / 2 % 2) as i128;
            q[3] = [0, 1, 2].map(|k| q[2][k] + along * (q[1][k] - q[0][k]) + by * v[k]);
            if round % 5 == 0 {
                q[3][round % 3] += 1;
            }
        }
        if round % 6 == 1 {
            // v is in the plane of both edges, but for one at most.
            let [m, n] = [0; 2].map(|_| whole(&mut noise, 22));
            v = [0, 1, 2].map(|k| m * (q[1][k] - q[0][k]) + n * (q[3][k] - q[2][k]));
            v[0] += (round % 5) as i128 - 2;
        }
        let exact = q.iter().flatten().chain(&v).all(|&x| x as f64 as i128 == x);
        if !exact {
            continue;
        }
        let want = integer_cross_along(v, q);
        let scale = libm::scalbn(1.0, (noise.next() * 100.0) as i32);
        let points = q.map(|x| P::from(x.map(|x| x as f64 * scale)));
        let direction = Vector3::from(v.map(|x| x as f64 / scale));
        let [a, b, c, d] = points.each_ref();
        let got = cross_along(&direction, [a, b], [c, d]);
        assert_eq!(i128::from(sign_of(got)), want.signum(), "{v:?} {q:?}");
        assert_eq!(sign_of(cross_along(&direction, [c, d], [a, b])), -sign_of(got));
        assert_eq!(sign_of(cross_along(&-direction, [a, b], [c, d])), -sign_of(got));
        let size = direction.norm() * (b - a).norm() * (d - c).norm();
        assert!((got - want as f64 * scale).abs() <= 1e-14 * size, "{got} {want}");
        zeros += u32::from(want == 0);
        doubtful += u32::from(want != 0 && got.abs() < 1e-15 * size);
        let turn = orient_along(&direction, a, b, d);
        let want = integer_cross_along(v, [q[0], q[1], q[0], q[3]]);
        assert_eq!(i128::from(sign_of(turn)), want.signum(), "{v:?} {q:?}");
        assert_eq!(sign_of(orient_along(&direction, b, d, a)), sign_of(turn));
        assert_eq!(sign_of(orient_along(&direction, b, a, d)), -sign_of(turn));
        wide += u32::from((0..3).any(|k| (q[1][k] - q[0][k]) as f64 as i128 != q[1][k] - q[0][k]));
    }
    assert!(zeros > 1000 && doubtful > 100 && wide > 1000, "{zeros} {doubtful} {wide}");
}

#[test]
fn orientation_along_a_direction_is_exact_to_the_ends_of_the_range() {
    // The least and the greatest coordinates of the module's range, and both in one question.
    let (least, most) = (libm::scalbn(1.0, -358), libm::scalbn(1.0, 280));
    for (size, aim) in [(least, least), (most, most), (least, most), (most, least)] {
        let v = Vector3::new(aim, -aim, aim);
        let [a, b, c] = [p(0.0, 0.0, 0.0), p(size, 0.0, 0.0), p(0.0, size, 0.0)];
        assert!(orient_along(&v, &a, &b, &c) > 0.0, "{size:e} {aim:e}");
        assert!(orient_along(&v, &a, &c, &b) < 0.0);
        assert_eq!(orient_along(&v, &a, &b, &p(size, -size, size)), 0.0);
    }
    let v = Vector3::new(1.0, 1.0, 0.0);
    let far = p(most, most, least);
    // Exactly along the direction but for the least height: seen above or below the line.
    assert!(orient_along(&v, &far, &p(0.0, 0.0, 0.0), &p(1.0, 0.0, 0.0)) != 0.0);
    assert_eq!(orient_along(&v, &p(most, most, 0.0), &p(0.0, 0.0, 0.0), &p(1.0, 1.0, 0.0)), 0.0);
}
