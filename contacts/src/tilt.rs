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

use impinge_pair::Patch;
use nalgebra::{Matrix2, Matrix5, Matrix5x2, Vector2, Vector3, Vector5};

use crate::tangents::tangents;
use crate::tunables::{AXIS, LEAD_FIRST, LEAST_TILT, LEVEL, MOST_TILT};

/// A point seen along the normal.
#[derive(Clone, Copy, Default)]
struct Seen {
    weight: f64,
    /// From the weighted middle (m), across the normal and along it.
    across: Vector2<f64>,
    height: f64,
    tilt: Vector2<f64>,
}

impl Seen {
    /// A quarter turn about the normal of where it is.
    fn around(&self) -> Vector2<f64> {
        Vector2::new(-self.across.y, self.across.x)
    }

    /// What a tilt counts for: its part of the force, of the moments across the normal, and of that about it.
    fn constraints(&self, level: f64) -> Matrix5x2<f64> {
        let (h, turn) = (self.height / level, self.around() / level);
        Matrix5x2::new(1.0, 0.0, 0.0, 1.0, h, 0.0, 0.0, h, turn.x, turn.y)
    }

    /// How easily the tilt is changed: towards the middle, and hardly around it.
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

/// The tilts of up to four points' normals with which their forces have the patch's moment about its normal; `points`: the
/// candidates that were chosen, and their weights. `None` where there is none: of a gap, too.
pub(crate) fn tilts(patch: &Patch, points: &[(u32, f64)]) -> Option<[Vector3<f64>; 4]> {
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
        *seen = Seen { weight, across, height: arm.dot(n), tilt: Vector2::zeros() };
    }
    let own = &mut seen[..points.len()];
    let farthest = own.iter().fold(0.0f64, |most, p| most.max(p.across.norm()));
    if moment.abs() <= LEAST_TILT * area * farthest || !share(moment, farthest, own) {
        return None;
    }
    let loaded = own.iter().filter(|p| p.weight > 0.0);
    let steepest = loaded.fold(0.0f64, |most, p| most.max(p.tilt.norm()));
    let scale = if steepest > MOST_TILT { MOST_TILT / steepest } else { 1.0 };
    Some(seen.map(|p| (t * p.tilt.x + u * p.tilt.y) * scale))
}

/// Gives points the tilts that have a moment (m³) and no more; whether there are any.
fn share(moment: f64, farthest: f64, points: &mut [Seen]) -> bool {
    let near = AXIS * farthest * farthest;
    let part = |p: &Seen| p.across.norm_squared() / (p.across.norm_squared() + near);
    let parts: f64 = points.iter().map(|p| p.weight * part(p)).sum();
    let lead = moment / parts;
    for p in &mut *points {
        p.tilt = p.around() * (lead / (p.across.norm_squared() + near));
    }
    // Lagrange's multipliers of the five conditions that the tilts are to meet.
    let mut asked = Vector5::new(0.0, 0.0, 0.0, 0.0, moment / farthest);
    let mut system = Matrix5::zeros();
    let mut area = 0.0;
    for p in &*points {
        let constraints = p.constraints(farthest);
        asked -= constraints * p.tilt * p.weight;
        system += constraints * p.ease() * constraints.transpose() * p.weight;
        area += p.weight;
    }
    for k in 0..5 {
        system[(k, k)] += if k == 2 || k == 3 { LEVEL * area } else { 1e-12 * area };
    }
    let Some(answer) = system.cholesky().map(|system| system.solve(&asked)) else { return false };
    for p in &mut *points {
        p.tilt += p.ease() * (p.constraints(farthest).transpose() * answer);
    }
    points.iter().all(|p| p.tilt.iter().all(|x| x.is_finite()))
}
