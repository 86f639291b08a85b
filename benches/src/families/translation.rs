//! The shortest translation that satisfies several constraints, by trying every active set.

use nalgebra::{Matrix3, Vector3};

/// A constraint: a translation must go `depth` or farther along `normal` (unit).
pub type Constraint = (Vector3<f64>, f64);

/// Returns the shortest translation that satisfies all constraints, or `None` if none does.
///
/// At most three constraints are active at the optimum, so every set of up to three is tried: the
/// translation is a non-negative combination of their normals and meets each with equality.
pub fn shortest(constraints: &[Constraint]) -> Option<Vector3<f64>> {
    let n = constraints.len();
    let mut best: Option<Vector3<f64>> = None;
    let mut take = |set: &[usize]| {
        let Some(t) = on(constraints, set) else { return };
        let tolerance = 1e-9 * (1.0 + t.norm());
        let holds = constraints.iter().all(|(normal, depth)| normal.dot(&t) >= depth - tolerance);
        if holds && best.is_none_or(|best| t.norm() < best.norm()) {
            best = Some(t);
        }
    };
    take(&[]);
    for i in 0..n {
        take(&[i]);
        for j in i + 1..n {
            take(&[i, j]);
            for k in j + 1..n {
                take(&[i, j, k]);
            }
        }
    }
    best
}

/// Returns the shortest translation that meets a set of constraints with equality, if its
/// multipliers are not negative.
fn on(constraints: &[Constraint], set: &[usize]) -> Option<Vector3<f64>> {
    // Rows beyond the set are those of the identity: their multipliers are zero.
    let (mut gram, mut depths) = (Matrix3::identity(), Vector3::zeros());
    for (i, &p) in set.iter().enumerate() {
        depths[i] = constraints[p].1;
        for (j, &q) in set.iter().enumerate() {
            gram[(i, j)] = constraints[p].0.dot(&constraints[q].0);
        }
    }
    let multipliers: Vector3<f64> = gram.lu().solve(&depths)?;
    if multipliers.iter().any(|&m| m.is_nan() || m < -1e-12) {
        return None;
    }
    Some(set.iter().enumerate().map(|(i, &p)| constraints[p].0 * multipliers[i]).sum())
}
