//! Contacts and casts of one pair, as parry answers them.

use impinge::parry::{from_pose, from_vector, to_point, to_vector};
use impinge::{Impact, Motion, PairQuery, PairSweep};
use nalgebra::{Isometry3, Vector3};
use rapier3d::math::{Pose, Real, Vector};
use rapier3d::parry::query::details::ShapeCastOptions;
use rapier3d::parry::query::{Contact, NonlinearRigidMotion, ShapeCastHit, ShapeCastStatus, Unsupported};

use crate::scratch::with_scratch;

/// The deepest point of all manifolds with B at `pos12` in A's frame (m), or of a gap within `prediction` (m).
pub(crate) fn deepest(
    query: &PairQuery,
    pos12: &Pose,
    prediction: Real,
) -> Result<Option<Contact>, Unsupported> {
    let (here, there) = (Isometry3::identity(), from_pose(pos12));
    let within = f64::from(prediction.max(0.0));
    let manifolds = with_scratch(|scratch| query.contacts_within_with(&here, &there, within, scratch));
    let manifolds = manifolds.map_err(|_| Unsupported)?;
    let points =
        manifolds.iter().flat_map(|manifold| manifold.points.iter().map(move |point| (manifold, point)));
    Ok(points.max_by(|(_, a), (_, b)| a.depth.total_cmp(&b.depth)).map(|(manifold, point)| {
        // parry's dispatcher writes the second point and normal in the second shape's frame.
        let normal2 = -there.inverse_transform_vector(&manifold.normal);
        let [on_1, on_2] = [point.local_a, point.local_b].map(|p| to_point(&p.cast()));
        Contact::new(on_1, on_2, to_vector(&manifold.normal), to_vector(&normal2), -point.depth as Real)
    }))
}

/// B cast along a velocity in A's frame; `reach` is how far the two can be from each other's origins and touch (m).
pub(crate) fn linear(
    query: &PairQuery,
    reach: Real,
    pos12: &Pose,
    velocity: Vector,
    options: &ShapeCastOptions,
) -> Result<Option<ShapeCastHit>, Unsupported> {
    if options.target_distance != 0.0 {
        return Err(Unsupported);
    }
    // Later than this nothing can meet any more.
    let past = 1.01 * (pos12.translation.length() + reach) / velocity.length();
    let until = if past.is_nan() { options.max_time_of_impact } else { options.max_time_of_impact.min(past) };
    let until = if velocity == Vector::ZERO { 0.0 } else { until };
    let way = from_vector(velocity) * f64::from(until);
    let motions = [Motion::still(Isometry3::identity()), Motion::translation(from_pose(pos12), way)];
    swept(query, &motions, [0.0, until], options.stop_at_penetration)
}

/// Both moving and turning from one time to another.
pub(crate) fn nonlinear(
    query: &PairQuery,
    motions: [&NonlinearRigidMotion; 2],
    times: [Real; 2],
    stop_at_penetration: bool,
) -> Result<Option<ShapeCastHit>, Unsupported> {
    let lasting = f64::from(times[1]) - f64::from(times[0]);
    let motions = motions.map(|motion| {
        let start = from_pose(&motion.position_at_time(times[0]));
        let straight = Motion::translation(start, from_vector(motion.linvel) * lasting);
        let center = from_vector(motion.local_center);
        straight.about(center.into()).turn(from_vector(motion.angvel) * lasting)
    });
    swept(query, &motions, times, stop_at_penetration)
}

fn swept(
    query: &PairQuery,
    motions: &[Motion; 2],
    [from, to]: [Real; 2],
    stop_at_penetration: bool,
) -> Result<Option<ShapeCastHit>, Unsupported> {
    let [a, b] = motions;
    match with_scratch(|scratch| query.sweep_with(a, b, None, scratch)).map_err(|_| Unsupported)? {
        PairSweep::Free => Ok(None),
        PairSweep::Impact(impact) => {
            Ok(Some(hit(&impact, motions, from + impact.time as Real * (to - from))))
        }
        // Whether they part again is for the next dispatcher to find out.
        PairSweep::AtStart { .. } if !stop_at_penetration => Err(Unsupported),
        PairSweep::AtStart { .. } => {
            let there = a.start().inverse() * b.start();
            let contact = deepest(query, &impinge::parry::to_pose(&there), 0.0)?.ok_or(Unsupported)?;
            Ok(Some(ShapeCastHit {
                time_of_impact: from,
                witness1: contact.point1,
                witness2: contact.point2,
                normal1: contact.normal1,
                normal2: contact.normal2,
                status: ShapeCastStatus::PenetratingOrWithinTargetDist,
                subshape1: 0,
                subshape2: 0,
            }))
        }
    }
}

fn hit(impact: &Impact, motions: &[Motion; 2], time_of_impact: Real) -> ShapeCastHit {
    let local =
        |k: usize, v: Vector3<f64>| to_vector(&motions[k].pose(impact.time).inverse_transform_vector(&v));
    ShapeCastHit {
        time_of_impact,
        witness1: to_point(&impact.local_a),
        witness2: to_point(&impact.local_b),
        normal1: local(0, impact.normal),
        normal2: local(1, -impact.normal),
        status: ShapeCastStatus::Converged,
        subshape1: 0,
        subshape2: 0,
    }
}
