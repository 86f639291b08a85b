//! A vertex and a face, and two edges, against their first contact in integers of any length.

use impinge_exact::motion::{FeatureClearance, FeaturePair};
use impinge_oracle::moving::{FeatureKind, RationalQuery, read_queries, write_queries};
use impinge_scenes::random::Random;
use nalgebra::{Point3, Vector3};

const KINDS: [FeatureKind; 2] = [FeatureKind::VertexFace, FeatureKind::EdgeEdge];

/// Rounds after which an advance ends early.
const MOST_ROUNDS: u64 = 4096;

type Places = [Point3<f64>; 4];

fn cases(default: usize) -> usize {
    std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn pair(kind: FeatureKind, from: Places, to: Places) -> FeaturePair {
    match kind {
        FeatureKind::VertexFace => FeaturePair::VertexFace { from, to },
        FeatureKind::EdgeEdge => FeaturePair::EdgeEdge { from, to },
    }
}

/// Random queries: free ones, on small lattices (where most is degenerate), thin ones, some far away, and some that just touch.
fn query(random: &mut Random, n: usize) -> [Places; 2] {
    let far = if n % 7 == 3 { 1e4 } else { 0.0 };
    let lattice = |random: &mut Random, size: f64| (random.signed() * (size + 0.5)).trunc();
    let coordinate = |random: &mut Random| match n % 4 {
        0 => random.signed(),
        1 => lattice(random, 2.0),
        2 => lattice(random, 6.0) / 4.0,
        _ => f64::from(random.signed() as f32),
    };
    let place = |random: &mut Random| Point3::from(Vector3::from_fn(|_, _| coordinate(random) + far));
    let from: Places = std::array::from_fn(|_| place(random));
    let mut to: Places = std::array::from_fn(|_| place(random));
    match n % 5 {
        // Carried along as one.
        1 => to = std::array::from_fn(|k| from[k] + Vector3::new(0.25, -0.5, 0.125)),
        // Only the first moves.
        2 => to = [to[0], from[1], from[2], from[3]],
        // All in one plane.
        3 if n.is_multiple_of(2) => {
            let flat = |at: Places| at.map(|p| Point3::new(p.x, p.y, far));
            return [flat(from), flat(to)];
        }
        _ => {}
    }
    [from, to]
}

#[test]
fn none_is_missed_none_is_late_and_alarms_are_near() {
    let mut random = Random::new(31);
    let (mut hits, mut misses, mut near, mut early, mut rounds) = (0, 0, 0, 0, 0);
    let total = cases(4000);
    for n in 0..total {
        let kind = KINDS[n / 4 % 2];
        let [from, to] = query(&mut random, n);
        let size = from.iter().chain(&to).fold(0.0f64, |most, p| most.max(p.coords.amax()));
        let gap = [1e-3, 1e-6, 1e-9][n % 3] * size.max(1e-3);
        let features = RationalQuery::exactly(kind, &from, &to).features(kind);
        let truth = features.first_contact();
        let moving = pair(kind, from, to);
        let mut gaps = 0;
        let found = moving.first(&FeatureClearance { separation: 0.0, gap }, [0.0, 1.0], &mut gaps);
        rounds += gaps;
        hits += usize::from(truth.is_some());
        misses += usize::from(found.is_none());
        if let Some(truth) = truth {
            let found = found.unwrap_or_else(|| panic!("case {n}: missed at {truth}: {moving:?}"));
            assert!(found.time <= truth, "case {n}: {} is later than {truth}: {moving:?}", found.time);
        }
        if let Some(found) = found {
            // Directions of differences that are all but zero have lost their digits.
            let allowed = if gap < 1e-7 * size { 2.0 * gap } else { gap * (1.0 + 1e-9) };
            // What turns in one plane all the time faster than it closes ends at the most rounds, early.
            let capped = found.distance > allowed;
            assert!(!capped || gaps > MOST_ROUNDS, "case {n}: {} apart: {moving:?}", found.distance);
            early += usize::from(capped);
            near += usize::from(truth.is_none());
        }
    }
    println!("{hits} hits, {misses} misses, {near} near, {early} early; {rounds} gaps");
    assert!(early * 1000 <= total, "{early} end early");
    assert!(hits > total / 20 && misses > total / 20, "{hits} of {total} hit, {misses} do not");
    assert!(near < hits, "{near} come near without a contact, {hits} touch");
}

#[test]
fn exchange_shift_scale_parts_and_reversal_tell_the_same() {
    let mut random = Random::new(32);
    let mut compared = 0;
    for n in 0..cases(2000) {
        let kind = KINDS[n / 4 % 2];
        let [from, to] = query(&mut random, n);
        let gap = 1e-6;
        let clearance = FeatureClearance { separation: 0.0, gap };
        let first = |from: Places, to: Places, clearance: &FeatureClearance| {
            pair(kind, from, to).first(clearance, [0.0, 1.0], &mut 0)
        };
        let found = first(from, to, &clearance);
        // Scaled by a power of two: the same bits.
        let scaled = |at: Places| at.map(|p| p * 32.0);
        let large = first(scaled(from), scaled(to), &FeatureClearance { gap: 32.0 * gap, ..clearance });
        assert_eq!(found.map(|f| f.time), large.map(|f| f.time), "case {n}");
        assert_eq!(found.map(|f| f.distance * 32.0), large.map(|f| f.distance), "case {n}");
        // Whatever is asked in another way may end elsewhere within the gap.
        let features = RationalQuery::exactly(kind, &from, &to).features(kind);
        let truth = features.first_contact();
        let exchanged = |[p, q, r, s]: Places| match kind {
            FeatureKind::VertexFace => [p, r, s, q],
            FeatureKind::EdgeEdge => [r, s, q, p],
        };
        let shifted = |at: Places| at.map(|p| p + Vector3::new(8.0, -4.0, 0.5));
        let moving = pair(kind, from, to);
        let others = [
            first(exchanged(from), exchanged(to), &clearance),
            first(shifted(from), shifted(to), &clearance),
        ];
        for other in others {
            if let Some(truth) = truth {
                let in_time = other.is_some_and(|other| other.time <= truth + 1e-9);
                assert!(in_time, "case {n}: {other:?} for {truth}: {moving:?}");
            }
            assert!(
                other.is_none_or(|other| other.distance <= 1.01 * gap),
                "case {n}: {other:?}: {moving:?}"
            );
        }
        let back = first(to, from, &clearance);
        assert!(truth.is_none() || back.is_some(), "case {n}");
        // Of two halves one has the contact, and the first if both have.
        let halves = [[0.0, 0.5], [0.5, 1.0]].map(|within| moving.first(&clearance, within, &mut 0));
        if let Some(truth) = truth {
            let half = halves[0].or(halves[1]).map(|half| half.time);
            assert!(half.is_some_and(|half| half <= truth), "case {n}: {half:?} for {truth}");
            compared += 1;
        }
    }
    assert!(compared > cases(2000) / 20, "{compared} touch");
}

#[test]
fn a_separation_is_kept() {
    let mut random = Random::new(33);
    let mut kept = 0;
    for n in 0..cases(2000) {
        let kind = KINDS[n / 4 % 2];
        let [from, to] = query(&mut random, n);
        let size = from.iter().chain(&to).fold(1e-3f64, |most, p| most.max(p.coords.amax()));
        let clearance = FeatureClearance { separation: 0.05, gap: 1e-4 };
        let moving = pair(kind, from, to);
        let found = moving.first(&clearance, [0.0, 1.0], &mut 0);
        let end = found.map_or(1.0, |found| found.time);
        for time in (0..200).map(|k| end * f64::from(k) / 200.0).filter(|&time| time < end) {
            let [p, q] = moving.nearest_points(time);
            assert!((q - p).norm() >= 0.05 - 1e-14 * size, "case {n}: nearer at {time} of {end}");
        }
        if let Some(found) = found.filter(|found| found.time > 0.0) {
            assert!(found.distance <= 0.0501 + 1e-12 * size, "case {n}: {}", found.distance);
            let toward = found.points[1] - found.points[0];
            assert!(toward.normalize().dot(&found.normal) > 1.0 - 1e-6, "case {n}");
            kept += 1;
        }
    }
    assert!(kept > cases(2000) / 20, "{kept}");
}

#[test]
fn sets_of_queries_come_back_and_are_answered() {
    let mut random = Random::new(34);
    for kind in KINDS {
        let set: Vec<RationalQuery> = (0..200)
            .map(|n| {
                let [from, to] = query(&mut random, n);
                RationalQuery::exactly(kind, &from, &to)
            })
            .collect();
        let mut text = Vec::new();
        write_queries(&set, &mut text).unwrap();
        let read = read_queries(&text[..]).unwrap();
        assert_eq!(read, set);
        for (n, query) in read.iter().enumerate() {
            let [from, to] = query.nearest();
            let clearance = FeatureClearance { separation: 0.0, gap: 1e-9 };
            let found = pair(kind, from, to).first(&clearance, [0.0, 1.0], &mut 0);
            assert!(!query.meets || found.is_some(), "{kind:?} {n} is missed");
        }
    }
}

#[test]
fn files_that_are_no_queries_are_refused() {
    let row = "1,2,3,4,5,6,1\n";
    let text = |rows: &[&str]| read_queries(rows.concat().as_bytes()).unwrap_err().to_string();
    assert!(read_queries(row.repeat(16).as_bytes()).unwrap().len() == 2);
    assert!(read_queries(&b""[..]).unwrap().is_empty());
    let seven = row.repeat(7);
    assert!(text(&[&seven]).contains("line 7: the last query has 7 rows; a query has 8"));
    assert!(text(&[&seven, "1,2,3,4,5,6\n"]).contains("line 8: 6 columns"));
    assert!(text(&[&seven, "1,2,x,4,5,6,1\n"]).contains("line 8, column 3: \"x\""));
    assert!(text(&[&seven, "1,2,3,0,5,6,1\n"]).contains("line 8, column 4: a denominator must be positive"));
    assert!(text(&[&seven, "1,2,3,4,5,-6,1\n"]).contains("column 6"));
    assert!(text(&[&seven, "1,2,3,4,5,6,2\n"]).contains("truth \"2\""));
    assert!(text(&[&seven, "1,2,3,4,5,6,0\n"]).contains("the same in all 8 rows"));
}
