//! Manifolds as rapier keeps them, with what it remembers of their points.

use std::mem::take;

use impinge::Manifold;
use impinge::parry::contact_manifold;
use nalgebra::Isometry3;
use rapier3d::geometry::PackedFeatureId;
use rapier3d::math::Pose;
use rapier3d::parry::query::{ContactManifold, TrackedContact};

type Ids = (PackedFeatureId, PackedFeatureId);

fn ids<C>(point: &TrackedContact<C>) -> Ids {
    (point.fid1, point.fid2)
}

/// Writes manifolds of a pair in A's frame, B standing at `there` (m). Points that have kept their keys keep what rapier
/// remembers of them, the impulses of the last step above all; a manifold takes over the data of the first one that
/// shares a point with it.
pub(crate) fn write<M: Default + Clone, C: Default + Copy>(
    found: &[Manifold],
    there: &Isometry3<f64>,
    manifolds: &mut Vec<ContactManifold<M, C>>,
) {
    let mut old = take(manifolds);
    let here = Isometry3::identity();
    for manifold in found {
        let mut written: ContactManifold<M, C> = contact_manifold(manifold, &here, there);
        let mut heir = true;
        for point in &mut written.points {
            let before = old.iter_mut().find_map(|before| {
                let data = before.points.iter().find(|old| ids(old) == ids(point)).map(|old| old.data);
                data.map(|data| (before, data))
            });
            let Some((before, data)) = before else { continue };
            point.data = data;
            if take(&mut heir) {
                // Data that an earlier manifold has taken over are new here.
                written.data = take(&mut before.data);
            }
        }
        manifolds.push(written);
    }
}

/// Rapier's own pose, as our frame of B.
pub(crate) fn frame(pos12: &Pose) -> Isometry3<f64> {
    impinge::parry::from_pose(pos12)
}
