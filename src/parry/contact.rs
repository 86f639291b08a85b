//! Contacts as parry writes them.

use impinge_contacts::Manifold;
use nalgebra::{Isometry3, Point3};
use parry3d::math::{Pose, Vector};
use parry3d::query::{Contact, ContactManifold, TrackedContact};
use parry3d::shape::{PackedFeatureId, Shape as ParryShape};

use super::error::ParryError;
use super::pose::{from_pose, to_point, to_vector};
use super::shape::prepared;
use crate::PairQuery;

/// The deepest contact of two shapes of parry's, or where they are nearest if they are no farther apart than `prediction` (m): what
/// `parry3d::query::contact` is asked, answered for meshes with an inside. Points and normals are the world's.
///
/// Both shapes are made ready in each call; to ask more than once, make them ready with [`prepared`](super::prepared) and ask
/// [`PairQuery::between`].
///
/// # Errors
/// As [`from_shape`](super::from_shape), and [`ParryError::Query`] for a pose or prediction that cannot be used.
pub fn contact(
    pos1: &Pose,
    g1: &dyn ParryShape,
    pos2: &Pose,
    g2: &dyn ParryShape,
    prediction: f32,
) -> Result<Option<Contact>, ParryError> {
    let (manifolds, _) = found(pos1, g1, pos2, g2, prediction)?;
    let deepest =
        manifolds.iter().flat_map(|manifold| manifold.points.iter().map(move |point| (manifold, point)));
    let Some((manifold, point)) = deepest.max_by(|(_, a), (_, b)| a.depth.total_cmp(&b.depth)) else {
        return Ok(None);
    };
    let normal = to_vector(&manifold.normal);
    let [point1, point2] = [(pos1, &point.local_a), (pos2, &point.local_b)].map(|(pose, p)| pose * vector(p));
    let [subshape1, subshape2] = manifold.subshapes;
    Ok(Some(Contact {
        subshape1,
        subshape2,
        ..Contact::new(point1, point2, normal, -normal, -point.depth as f32)
    }))
}

/// The contact manifolds of two shapes of parry's, with points of positive distance where they are no farther apart than
/// `prediction` (m).
///
/// # Errors
/// As [`contact`].
pub fn contact_manifolds<M: Default, C: Default + Copy>(
    pos1: &Pose,
    g1: &dyn ParryShape,
    pos2: &Pose,
    g2: &dyn ParryShape,
    prediction: f32,
) -> Result<Vec<ContactManifold<M, C>>, ParryError> {
    let (manifolds, [a, b]) = found(pos1, g1, pos2, g2, prediction)?;
    Ok(manifolds.iter().map(|manifold| contact_manifold(manifold, &a, &b)).collect())
}

type Found = (Vec<Manifold>, [Isometry3<f64>; 2]);

fn found(
    pos1: &Pose,
    g1: &dyn ParryShape,
    pos2: &Pose,
    g2: &dyn ParryShape,
    prediction: f32,
) -> Result<Found, ParryError> {
    let query = PairQuery::between(&prepared(g1)?, &prepared(g2)?);
    let [a, b] = [pos1, pos2].map(from_pose);
    Ok((query.contacts_within(&a, &b, f64::from(prediction))?, [a, b]))
}

/// A manifold of bodies that stand at `a` and `b` (m), as parry writes it: points and normals in the bodies' frames, the two
/// halves of each point's key as its feature ids (the low one is the first body's), its depth as a negative distance.
pub fn contact_manifold<M: Default, C: Default + Copy>(
    manifold: &Manifold,
    a: &Isometry3<f64>,
    b: &Isometry3<f64>,
) -> ContactManifold<M, C> {
    let [subshape1, subshape2] = manifold.subshapes;
    let mut written = ContactManifold::with_data(subshape1, subshape2, M::default());
    written.local_n1 = to_vector(&a.inverse_transform_vector(&manifold.normal));
    written.local_n2 = -to_vector(&b.inverse_transform_vector(&manifold.normal));
    written.points.extend(manifold.points.iter().map(|point| {
        let [first, second] = [point.key as u32, (point.key >> 32) as u32].map(PackedFeatureId);
        let [on_a, on_b] = [&point.local_a, &point.local_b].map(vector);
        TrackedContact::new(on_a, on_b, first, second, -point.depth as f32)
    }));
    written
}

fn vector(p: &Point3<f32>) -> Vector {
    to_point(&p.cast())
}
