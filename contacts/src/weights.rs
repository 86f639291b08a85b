//! Weights that put the weighted centre of a few points where it should be.

use crate::tunables::WEIGHT_REGULARIZATION;
use nalgebra::Vector2;

/// Weights of up to four points, and how far their centre stays from the one asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weights {
    /// Not negative; they add up to 1.
    pub share: [f64; 4],
    /// Distance of the weighted centre from the target (m).
    pub residual: f64,
}

/// The shares of `points` (one to four, m) whose weighted centre is nearest to `center`: the least of
/// ‖Σ wᵢ(pᵢ − c)‖² + ε Σ wᵢ² over wᵢ ≥ 0, Σ wᵢ = 1, with ε = 10⁻⁶·`radius`². The function is strictly
/// convex, so its least value over the simplex is the minimum over its plane where that lies inside, and else the
/// least over the simplex's faces of those minima that lie inside their face: 14 faces at most, each a small linear
/// system. Points in a line or on top of each other need no case of their own.
pub(crate) fn share(points: &[Vector2<f64>], center: &Vector2<f64>, radius: f64) -> Weights {
    let n = points.len();
    let mut d = [Vector2::zeros(); 4];
    for (d, p) in d.iter_mut().zip(points) {
        *d = (p - center) / radius;
    }
    let mut m = [[0.0; 4]; 4];
    for i in 0..n {
        for j in 0..n {
            m[i][j] = d[i].dot(&d[j]) + if i == j { WEIGHT_REGULARIZATION } else { 0.0 };
        }
    }
    let whole = (1 << n) - 1;
    let best = face_minimum(&m, whole).unwrap_or_else(|| least_of_faces(&m, n));
    let off = (0..n).fold(Vector2::zeros(), |sum, i| sum + d[i] * best[i]);
    Weights { share: best, residual: off.norm() * radius }
}

/// The least of the minima over the faces of the simplex, but the simplex itself.
fn least_of_faces(m: &[[f64; 4]; 4], n: usize) -> [f64; 4] {
    let (mut best, mut best_value) = ([0.0; 4], f64::INFINITY);
    for face in 1u32..(1 << n) - 1 {
        let Some(w) = face_minimum(m, face) else { continue };
        let value: f64 = (0..n).map(|i| w[i] * (0..n).map(|j| m[i][j] * w[j]).sum::<f64>()).sum();
        if value < best_value {
            (best, best_value) = (w, value);
        }
    }
    best
}

/// The minimum of wᵀMw with Σw = 1 over the plane of one face; `None` where it lies outside the face.
fn face_minimum(m: &[[f64; 4]; 4], face: u32) -> Option<[f64; 4]> {
    let mut corners = [0usize; 4];
    let mut n = 0;
    for i in 0..4 {
        if face & (1 << i) != 0 {
            corners[n] = i;
            n += 1;
        }
    }
    let mut a = [[0.0; 5]; 4];
    for i in 0..n {
        for j in 0..n {
            a[i][j] = m[corners[i]][corners[j]];
        }
        a[i][n] = 1.0;
    }
    let x = eliminate(&mut a, n)?;
    let sum: f64 = x[..n].iter().sum();
    let mut w = [0.0; 4];
    for i in 0..n {
        w[corners[i]] = x[i] / sum;
    }
    w.iter().all(|w| w.is_finite() && *w >= 0.0).then_some(w)
}

/// Solves a symmetric positive definite system of size `n` whose right side is column `n`.
fn eliminate(a: &mut [[f64; 5]; 4], n: usize) -> Option<[f64; 4]> {
    for k in 0..n {
        if a[k][k] <= 0.0 {
            return None;
        }
        let pivot = a[k];
        for row in a[k + 1..n].iter_mut() {
            let factor = row[k] / pivot[k];
            for (x, p) in row[k..=n].iter_mut().zip(&pivot[k..=n]) {
                *x -= factor * p;
            }
        }
    }
    let mut x = [0.0; 4];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * x[j]).sum();
        x[k] = (a[k][n] - known) / a[k][k];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn v(x: f64, y: f64) -> Vector2<f64> {
        Vector2::new(x, y)
    }

    #[test]
    fn a_square_about_its_centre_shares_equally() {
        let w = share(&[v(-1.0, -1.0), v(1.0, -1.0), v(1.0, 1.0), v(-1.0, 1.0)], &v(0.0, 0.0), 1.5);
        assert!(w.share.iter().all(|w| (w - 0.25).abs() < 1e-9) && w.residual < 1e-12);
    }

    #[test]
    fn a_centre_outside_falls_on_the_nearest_edge() {
        let w = share(&[v(0.0, 0.0), v(2.0, 0.0), v(1.0, 1.0)], &v(0.5, -3.0), 2.0);
        assert!((w.share[0] - 0.75).abs() < 1e-4 && (w.share[1] - 0.25).abs() < 1e-4 && w.share[2] == 0.0);
        assert!((w.residual - 3.0).abs() < 1e-3);
    }

    #[test]
    fn points_on_top_of_each_other_share() {
        let w = share(&[v(1.0, 1.0), v(1.0, 1.0)], &v(1.0, 1.0), 1.0);
        assert!((w.share[0] - 0.5).abs() < 1e-9);
    }

    /// Slow oracle: projected search over a fine grid of the simplex.
    fn least_distance(points: &[Vector2<f64>], c: &Vector2<f64>) -> f64 {
        let steps = 24;
        let mut best = f64::INFINITY;
        for i in 0..=steps {
            for j in 0..=steps - i {
                for k in 0..=steps - i - j {
                    let w = [i, j, k, steps - i - j - k].map(|x| f64::from(x) / f64::from(steps));
                    let at = points.iter().zip(w).fold(Vector2::zeros(), |sum, (p, w)| sum + p * w);
                    best = best.min((at - c).norm());
                }
            }
        }
        best
    }

    proptest! {
        #[test]
        fn no_other_shares_come_nearer(xs in prop::collection::vec(-1.0..1.0f64, 8), cx in -2.0..2.0f64, cy in -2.0..2.0f64) {
            let points: Vec<_> = xs.chunks(2).map(|p| v(p[0], p[1])).collect();
            let w = share(&points, &v(cx, cy), 1.0);
            prop_assert!((w.share.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(w.share.iter().all(|w| *w >= 0.0));
            prop_assert!(w.residual <= least_distance(&points, &v(cx, cy)) + 1e-3);
        }

        #[test]
        fn a_centre_among_the_points_is_met(xs in prop::collection::vec(-1.0..1.0f64, 8), ws in prop::collection::vec(0.0..1.0f64, 4), flat in 0.0..1.0f64) {
            let squash = if flat < 0.3 { 0.0 } else if flat < 0.6 { 1e-3 } else { 1.0 };
            let points: Vec<_> = xs.chunks(2).map(|p| v(p[0], p[1] * squash)).collect();
            let total: f64 = ws.iter().sum();
            prop_assume!(total > 1e-3);
            let c = points.iter().zip(&ws).fold(Vector2::zeros(), |sum, (p, w)| sum + p * (w / total));
            prop_assert!(share(&points, &c, 1.0).residual <= 0.6e-3);
        }
    }
}
