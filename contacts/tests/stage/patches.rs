//! Patches made by hand.

use impinge_contacts::{PairPlacement, tangents};
use impinge_geometry::{ColliderId, PairFrame};
use impinge_pair::{PairResult, Patch, PatchOrigin, PatchPoint};
use nalgebra::{Isometry3, Point3, Vector2, Vector3};

/// A patch across `normal` whose columns stand at `(x, y)` of the contact plane with `depth`, one unit
/// of area each, and whose centre of pressure is at `center`. `|G|` is `area`.
pub fn patch(
    normal: Vector3<f64>,
    columns: &[(Vector2<f64>, f64)],
    center: Vector2<f64>,
    area: f64,
) -> Patch {
    let [t, u] = tangents(&normal);
    let place = |p: &Vector2<f64>| Point3::from(t * p.x + u * p.y);
    let points: Vec<_> = columns
        .iter()
        .enumerate()
        .map(|(key, (p, depth))| PatchPoint {
            on_a: place(p) + normal * (0.5 * depth),
            on_b: place(p) - normal * (0.5 * depth),
            depth: *depth,
            weight: 1.0,
            key: key as u64,
        })
        .collect();
    let mean = columns.iter().fold(Vector2::zeros(), |s, c| s + c.0) / columns.len().max(1) as f64;
    let radius = columns.iter().fold(0.0f64, |r, c| r.max((c.0 - mean).norm()));
    Patch {
        normal,
        depth: columns.iter().fold(f64::NEG_INFINITY, |d, c| d.max(c.1)),
        volume: columns.iter().map(|c| c.1.max(0.0)).sum(),
        gradient: normal * area,
        torque: (place(&center).coords * area).cross(&normal),
        centroid: place(&mean),
        pressure_center: place(&center),
        radius,
        points,
        corners: Vec::new(),
        sectors: Vec::new(),
        origin: PatchOrigin::OverlapIntervals,
        region: None,
    }
}

/// A pair result with these patches, of subshapes 2 and 3.
pub fn result(patches: Vec<Patch>) -> PairResult {
    PairResult { part_indices: [2, 3], touching: !patches.is_empty(), patches, ..PairResult::default() }
}

/// Collider names 4 and 7.
pub fn colliders() -> [ColliderId; 2] {
    [ColliderId { index: 4, generation: 0 }, ColliderId { index: 7, generation: 1 }]
}

/// Both colliders at the world's origin, their subshapes too.
pub fn at_origin(frame: &PairFrame) -> PairPlacement<'_> {
    PairPlacement {
        colliders: colliders(),
        frame,
        subshape_poses: [Isometry3::identity(), Isometry3::identity()],
        tolerance: 0.0,
    }
}

/// The frame of two colliders at the world's origin.
pub fn frame() -> PairFrame {
    PairFrame::new(&Isometry3::identity(), &Isometry3::identity())
}
