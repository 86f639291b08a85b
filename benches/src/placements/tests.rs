use super::*;

/// A dozen placements: every one overlaps, has a least translation, and is the same when asked for again.
#[test]
fn placements_overlap_and_are_reproduced() {
    let choice = Choice { count: 12, seed: 5, folder: None, linked: false, threads: 1 };
    let all = run(&choice, &mut |_| {}).unwrap();
    assert_eq!(all.len(), 12);
    for m in &all {
        assert!(m.least > 0.0, "{m:?}");
        assert!(m.volume_spread < 0.5 || m.volume < 1e-5, "{m:?}");
    }
    let again = run(&Choice { count: 2, ..choice }, &mut |_| {}).unwrap();
    for (p, q) in again.iter().zip(&all) {
        assert_eq!((p.number, &p.names, p.least, p.depth), (q.number, &q.names, q.least, q.depth));
    }
    assert!(table(&all, 5).contains("12 placements of seed 5"));
}

/// Linked ones are of another pool, as many as asked for, and deep: the middle of one is in the other.
#[test]
fn linked_placements_are_of_rings_and_deep() {
    let choice = Choice { count: 6, seed: 1, folder: None, linked: true, threads: 1 };
    let all = run(&choice, &mut |_| {}).unwrap();
    assert_eq!(all.len(), 6);
    for m in &all {
        assert!(m.names.iter().all(|name| name.starts_with("ring") || name.starts_with("knot")), "{m:?}");
        assert!(m.least > 0.0 && m.depth > Some(0.0), "{m:?}");
    }
}
