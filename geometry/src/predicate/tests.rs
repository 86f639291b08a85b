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

/// Four points of a family: generic, near-coplanar, needles, exactly coplanar in the plane of f32.
fn attack(noise: &mut Noise, family: usize) -> [P; 4] {
    let mut q = [0; 4].map(|_| noise.point(1.0));
    let (s, t) = (noise.next(), noise.next());
    match family {
        1 => {
            let off = libm::scalbn(noise.next(), -((noise.next() + 1.0) * 30.0) as i32);
            q[3] = q[0] + (q[1] - q[0]) * s + (q[2] - q[0]) * t + noise.point(1.0).coords * off;
        }
        2 => {
            let thin = libm::scalbn(1.0, -((noise.next() + 1.0) * 14.0) as i32);
            q[2] = q[0] + (q[1] - q[0]) * s + noise.point(thin).coords;
            q[3] = q[0] + (q[1] - q[0]) * t + noise.point(thin).coords;
        }
        3 => {
            for v in &mut q {
                *v = p(f64::from(v.x as f32), f64::from(v.y as f32), 0.25);
            }
        }
        _ => {}
    }
    q
}

#[test]
fn the_single_precision_filter_is_never_certain_and_wrong() {
    let mut noise = Noise(7);
    let (mut total, mut uncertain, mut raw_wrong) = (0u32, [0u32; 4], 0u32);
    for round in 0..350_000u32 {
        let family = round as usize % 4;
        let size = libm::scalbn(1.0, (noise.next() * 40.0) as i32);
        // From beside the points to three hundred times their size away: the origin of a leaf.
        let away = noise.point(size * [0.0, 1.0, 30.0, 300.0][(round / 4) as usize % 4]);
        let points = attack(&mut noise, family).map(|q| P::from(q.coords * size + away.coords));
        let origin = if round % 3 == 0 { points[0] } else { P::origin() };
        let filter = LocalFilter::new(origin, size * 1.5);
        let local = points.map(|q| filter.local(&q));
        let delta = local.iter().fold(0.0f32, |d, l| d.max(l.1));
        for turn in 0..4 {
            let at = |k: usize| (k + turn) % 4;
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| &local[at(k)].0);
            let exact = orient3d(&points[at(0)], &points[at(1)], &points[at(2)], &points[at(3)]);
            let raw = orient3d(&wide(a), &wide(b), &wide(c), &wide(d));
            raw_wrong += u32::from(raw * exact <= 0.0 && raw != exact);
            total += 1;
            match orient3d_filtered(a, b, c, d, delta) {
                FilteredSign::Positive => assert!(exact > 0.0, "{points:?} turn {turn}"),
                FilteredSign::Negative => assert!(exact < 0.0, "{points:?} turn {turn}"),
                FilteredSign::Uncertain => uncertain[family] += 1,
            }
        }
    }
    // The attack must bite (roundings alone turn many signs), and generic points beside the origin
    // must mostly be settled.
    assert!(total >= 1_000_000 && raw_wrong > 10_000, "{raw_wrong} of {total} signs turned");
    let per_family = f64::from(total) / 4.0;
    assert!(f64::from(uncertain[0]) < 0.05 * per_family, "{uncertain:?} of {per_family} each");
    assert_eq!(f64::from(uncertain[3]), per_family, "coplanar points must stay uncertain");
}

fn wide(v: &[f32; 3]) -> P {
    P::from(v.map(f64::from))
}

#[test]
fn the_filter_says_uncertain_outside_its_range() {
    let o = [0.0f32; 3];
    let unit = |s: f32| ([s, 0.0, 0.0], [0.0, s, 0.0], [0.0, 0.0, s]);
    for s in [1e-8, 1e13, f32::NAN, f32::INFINITY, 0.0] {
        let (a, b, c) = unit(s);
        assert_eq!(orient3d_filtered(&a, &b, &c, &o, 0.0), FilteredSign::Uncertain, "{s}");
    }
    let (a, b, c) = unit(1.0);
    assert_eq!(orient3d_filtered(&a, &b, &c, &o, 0.0), FilteredSign::Positive);
    assert_eq!(orient3d_filtered(&b, &a, &c, &o, 0.0), FilteredSign::Negative);
    assert_eq!(orient3d_filtered(&a, &b, &c, &o, 0.1), FilteredSign::Uncertain);
}
