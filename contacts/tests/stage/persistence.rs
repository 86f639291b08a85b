//! Points of a body at rest stay where they are.

use impinge_contacts::{
    ContactMemory, ContactScratch, ContactSettings, Manifold, PairPlacement, manifolds_after,
};
use impinge_pair::Patch;
use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;

use crate::patches::{at_origin, frame, patch, result};

/// A square of side 2 of `n` × `n` columns whose depth at (x, y) is 0.01 + `tilt` · (x, y), shifted by
/// `shift`, with keys that begin at `first`.
fn floor(n: i32, tilt: Vector2<f64>, shift: Vector2<f64>, first: u64) -> Patch {
    let at = |k: i32| 2.0 * (f64::from(k) + 0.5) / f64::from(n) - 1.0;
    let columns: Vec<_> = (0..n * n)
        .map(|k| Vector2::new(at(k % n), at(k / n)))
        .map(|p| (p + shift, 0.01 + tilt.dot(&p)))
        .collect();
    let mut patch = patch(Vector3::z(), &columns, shift, 4.0);
    patch.points.iter_mut().for_each(|p| p.key += first);
    patch
}

fn step(memory: &mut ContactMemory, patches: Vec<Patch>) -> Vec<Manifold> {
    let (frame, mut out, mut scratch) = (frame(), Vec::new(), ContactScratch::default());
    let placement: PairPlacement<'_> = at_origin(&frame);
    manifolds_after(
        memory,
        &result(patches),
        &placement,
        &ContactSettings::default(),
        &mut scratch,
        &mut out,
    );
    memory.match_points(&mut out, &mut scratch);
    out
}

fn keys(manifolds: &[Manifold]) -> Vec<u64> {
    let mut keys: Vec<u64> = manifolds.iter().flat_map(|m| &m.points).map(|p| p.key).collect();
    keys.sort_unstable();
    keys
}

proptest! {
    /// A flat patch that rocks by a hundredth of its depth keeps its four points, whichever corner happens
    /// to be the deepest, and even if the lattice is laid out again in every step (new keys, columns shifted from step to step by
    /// up to half a cell). The weights still add up and put the centre where it should be.
    #[test]
    fn a_rocking_patch_keeps_its_points(
        rocks in prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64, -0.25..0.25f64, -0.25..0.25f64, 0u64..4), 2..12),
        n in 5i32..17,
    ) {
        let mut memory = ContactMemory::default();
        let mut first: Option<Vec<u64>> = None;
        for (x, y, u, v, names) in rocks {
            let shift = Vector2::new(u, v) * (2.0 / f64::from(n));
            let out = step(&mut memory, vec![floor(n, Vector2::new(x, y) * 5e-5, shift, names << 40)]);
            prop_assert_eq!(out.len(), 1);
            let found = keys(&out);
            prop_assert_eq!(first.get_or_insert_with(|| found.clone()), &found);
            let points = &out[0].points;
            let sum: f64 = points.iter().map(|p| p.weight).sum();
            prop_assert!((sum - 4.0).abs() < 1e-9);
            let center = points.iter().fold(Vector3::zeros(), |c, p| c + p.position.coords * (p.weight / sum));
            prop_assert!((center.xy() - shift).norm() < 0.01 * out[0].area.sqrt());
        }
    }

    /// No two points of a pair of subshapes share a key, whatever the narrow phase calls them.
    #[test]
    fn keys_are_unique(steps in prop::collection::vec((0u64..3, -1.0..1.0f64, any::<bool>()), 1..8)) {
        let mut memory = ContactMemory::default();
        for (names, x, both) in steps {
            let mut patches = vec![floor(3, Vector2::zeros(), Vector2::new(x * 3.0, 0.0), names)];
            if both {
                patches.push(floor(3, Vector2::zeros(), Vector2::new(x, 9.0), names));
            }
            let found = keys(&step(&mut memory, patches));
            prop_assert!(found.windows(2).all(|k| k[0] < k[1]), "{:?}", found);
        }
    }
}

/// Tilted by as much as it is deep, one edge bears it all: the points must not stay behind.
#[test]
fn a_patch_that_tips_over_gets_new_points() {
    let mut memory = ContactMemory::default();
    step(&mut memory, vec![floor(9, Vector2::zeros(), Vector2::zeros(), 0)]);
    let mut tipped = floor(9, Vector2::new(9e-3, 0.0), Vector2::zeros(), 0);
    tipped.points.retain(|p| p.on_a.x > 0.0);
    tipped.pressure_center.x = 0.6;
    let out = step(&mut memory, vec![tipped.clone()]);
    let deepest = tipped.points.iter().map(|p| p.depth).fold(0.0, f64::max);
    assert_eq!(out[0].points[0].depth, deepest);
    assert!(out[0].points.iter().all(|p| p.position.x > 0.0));
}

/// A patch that grows to twice its width is not held at its old corners.
#[test]
fn a_patch_that_grows_spreads_its_points() {
    let mut memory = ContactMemory::default();
    step(&mut memory, vec![floor(9, Vector2::zeros(), Vector2::zeros(), 0)]);
    let mut wide = floor(9, Vector2::zeros(), Vector2::zeros(), 0);
    for p in &mut wide.points {
        p.on_a.x *= 2.0;
        p.on_b.x *= 2.0;
    }
    // In the middle of the wide patch the old places are still there.
    wide.points.extend(floor(9, Vector2::zeros(), Vector2::zeros(), 1000).points);
    let out = step(&mut memory, vec![wide]);
    assert!(out[0].points.iter().any(|p| p.position.x > 1.5), "{:?}", out[0].points);
}
