use super::*;

/// A dozen placements: every one overlaps, has a least translation, and is the same when asked for again.
#[test]
fn placements_overlap_and_are_reproduced() {
    let choice = Choice { count: 12, seed: 5, folder: None, threads: 1 };
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
