//! Points' normals that carry the moment about the manifold's.
//!
//! Parallel forces at four points have the force of a region and its moment across the normal; the one about the
//! normal is lost, and a nut does not feel that it should turn. Normals `n + tᵢ` with tᵢ across n give it back.
//!
//! With places ρᵢ across the normal from their weighted middle, a force `wᵢ (n + tᵢ)` does no work in a screw motion about the
//! middle with lead ℓ where `tᵢ · (n × ρᵢ) = ℓ`. If all points have the lead of the whole region, `ℓ = m / Σ wᵢ`, they have its
//! moment m, and a body may move along the screw as if there were no points: on a thread, tilts are lead angles. (Tilts in
//! proportion to the distance have the moment, too, but points at different distances then have different leads, and hold the
//! nut between them.) What these tilts add to the force and to the moments across the normal, where points stand at
//! different heights, is taken out again by the least change of the tilts, towards the middle rather than around it.
//!
//! A point near the middle has a steep tilt then. Where one is too steep, the least tilts that have the moment, which grow with
//! the distance, are mixed in, as much as is needed.

use impinge_pair::Patch;
use nalgebra::{Matrix2, Matrix5, Matrix5x2, Vector2, Vector3, Vector5};

use crate::tangents::tangents;
use crate::tunables::{AXIS, LEAD_FIRST, LEAST_GIVE, LEAST_TILT, LEVEL, LEVEL_ROUNDS, MOST_TILT};

/// Rounds of iterative refinement. Fewer lose digits of the force; more change nothing.
const REFINEMENTS: usize = 2;

/// A point seen along the normal.
#[derive(Clone, Copy, Default)]
struct Seen {
    weight: f64,
    /// From the weighted middle (m), across the normal and along it.
    across: Vector2<f64>,
    height: f64,
    tilt: Vector2<f64>,
    /// The ease with which it is given a tilt.
    give: f64,
}

impl Seen {
    /// A quarter turn about the normal of where it is.
    fn around(&self) -> Vector2<f64> {
        Vector2::new(-self.across.y, self.across.x)
    }

    /// A tilt's effects: its part of the force, of the moments across the normal, and of that about it.
    fn constraints(&self, level: f64) -> Matrix5x2<f64> {
        let (h, turn) = (self.height / level, self.around() / level);
        Matrix5x2::new(1.0, 0.0, 0.0, 1.0, h, 0.0, 0.0, h, turn.x, turn.y)
    }

    /// The same in all directions, and less for what is steep already.
    fn even_ease(&self) -> Matrix2<f64> {
        Matrix2::identity() * self.give
    }

    /// The ease with which the tilt is changed: towards the middle, and hardly around it.
    fn ease(&self) -> Matrix2<f64> {
        match self.across.try_normalize(0.0) {
            Some(out) => {
                let along = out * out.transpose();
                along + (Matrix2::identity() - along) / LEAD_FIRST
            }
            None => Matrix2::identity(),
        }
    }
}

/// Tilts of up to four points' normals.
#[derive(Debug, Default)]
pub(crate) struct Tilts {
    pub of_points: [Vector3<f64>; 4],
    /// The moment asks for steeper ones.
    pub are_cut: bool,
}

/// Returns the tilts of up to four points' normals with which their forces have the patch's moment about its normal; `points`: the
/// candidates that were chosen, and their weights. `None` where there is none: of a gap, too.
pub(crate) fn tilts(patch: &Patch, points: &[(u32, f64)]) -> Option<Tilts> {
    let n = &patch.normal;
    let area: f64 = points.iter().map(|p| p.1).sum();
    if !(2..=4).contains(&points.len()) || area <= 0.0 || patch.depth <= 0.0 {
        return None;
    }
    let place = |index: u32| {
        let candidate = &patch.points[index as usize];
        nalgebra::center(&candidate.on_a, &candidate.on_b).coords
    };
    let middle = points.iter().map(|p| place(p.0) * (p.1 / area)).sum::<Vector3<f64>>();
    let moment = (patch.torque - middle.cross(&patch.gradient)).dot(n);
    let [t, u] = tangents(n);
    let mut seen = [Seen::default(); 4];
    for (seen, &(index, weight)) in seen.iter_mut().zip(points) {
        let arm = place(index) - middle;
        let across = Vector2::new(arm.dot(&t), arm.dot(&u));
        *seen = Seen { weight, across, height: arm.dot(n), tilt: Vector2::zeros(), give: 1.0 };
    }
    let own = &mut seen[..points.len()];
    let farthest = own.iter().fold(0.0f64, |most, p| most.max(p.across.norm()));
    if moment.abs() <= LEAST_TILT * area * farthest {
        return None;
    }
    let mut even = seen;
    let own = &mut seen[..points.len()];
    if !wind(moment, farthest, own) {
        return None;
    }
    let mut are_cut = false;
    if steepest(own) > MOST_TILT {
        let even = &mut even[..points.len()];
        if level(moment, farthest, even) {
            flatten(own, even);
        }
        let steepest = steepest(own);
        are_cut = steepest > MOST_TILT;
        let scale = if are_cut { MOST_TILT / steepest } else { 1.0 };
        own.iter_mut().for_each(|p| p.tilt *= scale);
    }
    // A point that bears nothing may lean as it likes, and is not to push sideways when it comes to bear.
    own.iter_mut().for_each(|p| p.tilt = p.tilt.cap_magnitude(MOST_TILT));
    Some(Tilts { of_points: seen.map(|p| t * p.tilt.x + u * p.tilt.y), are_cut })
}

/// The steepest tilt of points that bear something.
fn steepest(points: &[Seen]) -> f64 {
    let loaded = points.iter().filter(|p| p.weight > 0.0);
    loaded.fold(0.0f64, |most, p| most.max(p.tilt.norm()))
}

/// Mixes as much of `even` into tilts of one lead as none is too steep; all of it, where some are too steep there. Both meet the
/// same conditions, and so does what is between them.
fn flatten(points: &mut [Seen], even: &[Seen]) {
    let mut part = 0.0f64;
    for (p, q) in points.iter().zip(even).filter(|(p, _)| p.weight > 0.0) {
        // |p + s (q - p)| = most: the first s from 0 on from which on it is no steeper.
        let (way, most) = (q.tilt - p.tilt, MOST_TILT * MOST_TILT);
        let (square, along, beyond) = (way.norm_squared(), way.dot(&p.tilt), p.tilt.norm_squared() - most);
        if beyond > 0.0 {
            let root = along * along - square * beyond;
            part = part.max(if root >= 0.0 && along < 0.0 { (-along - root.sqrt()) / square } else { 1.0 });
        }
    }
    let part = part.min(1.0);
    points.iter_mut().zip(even).for_each(|(p, q)| p.tilt += (q.tilt - p.tilt) * part);
}

/// Gives points the tilts that have a moment (m³) and no more, all for one lead as far as that can be; whether there are any.
fn wind(moment: f64, farthest: f64, points: &mut [Seen]) -> bool {
    let near = AXIS * farthest * farthest;
    let part = |p: &Seen| p.across.norm_squared() / (p.across.norm_squared() + near);
    let parts: f64 = points.iter().map(|p| p.weight * part(p)).sum();
    let lead = moment / parts;
    for p in &mut *points {
        p.tilt = p.around() * (lead / (p.across.norm_squared() + near));
    }
    amend(moment, farthest, &Seen::ease, points)
}

/// Gives points the least tilts that have a moment (m³) and no more, then less to those that are too steep and more to the
/// others, until none is, and keeps the flattest; whether there are any.
fn level(moment: f64, farthest: f64, points: &mut [Seen]) -> bool {
    let (mut best, mut least) = ([Vector2::zeros(); 4], f64::INFINITY);
    for _ in 0..LEVEL_ROUNDS {
        points.iter_mut().for_each(|p| p.tilt = Vector2::zeros());
        if !amend(moment, farthest, &Seen::even_ease, points) {
            break;
        }
        let steep = steepest(points);
        if steep < least {
            least = steep;
            best.iter_mut().zip(&*points).for_each(|(best, p)| *best = p.tilt);
        }
        if steep <= MOST_TILT {
            break;
        }
        for p in points.iter_mut().filter(|p| p.weight > 0.0) {
            let beyond = p.tilt.norm_squared() / (MOST_TILT * MOST_TILT);
            p.give = (p.give / (1.0 + beyond * beyond)).max(LEAST_GIVE);
        }
    }
    points.iter_mut().zip(best).for_each(|(p, tilt)| p.tilt = tilt);
    least < f64::INFINITY
}

/// Changes tilts by as little as it takes for them to have a moment (m³) and no more, a change costing what `ease` says; whether
/// that can be had.
fn amend(moment: f64, farthest: f64, ease: &dyn Fn(&Seen) -> Matrix2<f64>, points: &mut [Seen]) -> bool {
    // Lagrange's multipliers of the five conditions that the tilts are to meet.
    let mut asked = Vector5::new(0.0, 0.0, 0.0, 0.0, moment / farthest);
    let mut system = Matrix5::zeros();
    let mut area = 0.0;
    for p in &*points {
        let constraints = p.constraints(farthest);
        asked -= constraints * p.tilt * p.weight;
        system += constraints * ease(p) * constraints.transpose() * p.weight;
        area += p.weight;
    }
    for k in 2..4 {
        system[(k, k)] += LEVEL * area;
    }
    // The term that keeps the factors positive is taken out again: points that are nearly in line would lose digits of their force.
    let Some(factors) = (system + Matrix5::identity() * (1e-12 * area)).cholesky() else { return false };
    let mut answer = factors.solve(&asked);
    for _ in 0..REFINEMENTS {
        answer += factors.solve(&(asked - system * answer));
    }
    for p in &mut *points {
        p.tilt += ease(p) * (p.constraints(farthest).transpose() * answer);
    }
    points.iter().all(|p| p.tilt.iter().all(|x| x.is_finite()))
}
