//! Axes of a set of triangles: the eigenvectors of its covariance.
//!
//! Sources: Gottschalk, "Collision Queries using Oriented Bounding Boxes", 2000, §3.3 (area
//! weighted); Shen, Zhang, Yang, "Image-space collision detection", eq. 2–5 (vertices).

use super::build::{Covariance, Prim};

/// Triangles that are summed side by side.
const LANES: usize = 4;

/// Sums over triangles from which mean and covariance follow, relative to a point of the set; lanes
/// are added up in the end.
#[derive(Clone, Copy, Default)]
struct Moments {
    weight: [f32; LANES],
    first: [[f32; LANES]; 3],
    /// As in [`PRODUCTS`].
    second: [[f32; LANES]; 6],
}

const PRODUCTS: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];

/// Unit axes (right-handed) of every `step`-th of `prims`.
pub(super) fn axes(prims: &[Prim], step: usize, how: Covariance) -> [[f64; 3]; 3] {
    let mut moments = sum(prims, step, how == Covariance::Areas);
    if moments.total(&moments.weight) <= 0.0 {
        moments = sum(prims, step, false);
    }
    let w = 1.0 / moments.total(&moments.weight);
    let m = moments.first.map(|x| moments.total(&x) * w);
    let s = moments.second.map(|x| moments.total(&x) * w);
    eigenvectors([
        [s[0] - m[0] * m[0], s[1] - m[0] * m[1], s[2] - m[0] * m[2]],
        [s[1] - m[0] * m[1], s[3] - m[1] * m[1], s[4] - m[1] * m[2]],
        [s[2] - m[0] * m[2], s[4] - m[1] * m[2], s[5] - m[2] * m[2]],
    ])
}

fn sum(prims: &[Prim], step: usize, by_area: bool) -> Moments {
    let origin = prims[0].corners[0];
    let mut moments = Moments::default();
    // Corners of a row of triangles: `p[c][k][lane]`. A row that is not full repeats its first
    // triangle with no weight.
    let mut p = [[[0.0f32; LANES]; 3]; 3];
    let mut rest = prims.iter().step_by(step);
    while rest.len() > 0 {
        let mut real = [0.0f32; LANES];
        for (lane, real) in real.iter_mut().enumerate() {
            let Some(prim) = rest.next() else { break };
            *real = 1.0;
            for c in 0..3 {
                for k in 0..3 {
                    p[c][k][lane] = prim.corners[c][k] - origin[k];
                }
            }
        }
        moments.add(&p, real, by_area);
    }
    moments
}

impl Moments {
    /// Adds a row of triangles: each corner with weight ⅓; by area, the mass spread over the
    /// triangle, `A/12 · (9 m mᵀ + p pᵀ + q qᵀ + r rᵀ)` with the centroid `m`.
    #[inline(always)]
    fn add(&mut self, p: &[[[f32; LANES]; 3]; 3], real: [f32; LANES], by_area: bool) {
        for l in 0..LANES {
            let mut weight = real[l];
            let at = |c: usize, k: usize| p[c][k][l];
            if by_area {
                let u = [0, 1, 2].map(|k| at(1, k) - at(0, k));
                let v = [0, 1, 2].map(|k| at(2, k) - at(0, k));
                let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
                weight *= (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
            }
            let s = [0, 1, 2].map(|k| at(0, k) + at(1, k) + at(2, k));
            self.weight[l] += weight;
            for k in 0..3 {
                self.first[k][l] += weight * (1.0 / 3.0) * s[k];
            }
            let (part, spread) = if by_area { (1.0 / 12.0, 1.0) } else { (1.0 / 3.0, 0.0) };
            for (at_pair, (j, k)) in PRODUCTS.into_iter().enumerate() {
                let corners = at(0, j) * at(0, k) + at(1, j) * at(1, k) + at(2, j) * at(2, k);
                self.second[at_pair][l] += weight * part * (spread * s[j] * s[k] + corners);
            }
        }
    }

    fn total(&self, row: &[f32; LANES]) -> f64 {
        f64::from(row[0]) + f64::from(row[1]) + (f64::from(row[2]) + f64::from(row[3]))
    }
}

/// Unit eigenvectors of a symmetric matrix as rows, right-handed: Jacobi's rotations.
pub(super) fn eigenvectors(mut m: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..12 {
        let off = m[0][1].abs() + m[0][2].abs() + m[1][2].abs();
        let diagonal = m[0][0].abs() + m[1][1].abs() + m[2][2].abs();
        if off.is_nan() || off <= 1e-5 * diagonal {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            rotate(&mut m, &mut v, (p, q), t, (c, s));
        }
    }
    orthonormal(v)
}

fn rotate(m: &mut [[f64; 3]; 3], v: &mut [[f64; 3]; 3], (p, q): (usize, usize), t: f64, (c, s): (f64, f64)) {
    let r = 3 - p - q;
    let off = m[p][q];
    m[p][p] -= t * off;
    m[q][q] += t * off;
    m[p][q] = 0.0;
    m[q][p] = 0.0;
    let (x, y) = (m[r][p], m[r][q]);
    m[r][p] = c * x - s * y;
    m[r][q] = s * x + c * y;
    m[p][r] = m[r][p];
    m[q][r] = m[r][q];
    for k in 0..3 {
        let (x, y) = (v[p][k], v[q][k]);
        v[p][k] = c * x - s * y;
        v[q][k] = s * x + c * y;
    }
}

/// The nearest thing to `v` that is orthonormal and right-handed; the unit matrix where `v` is no
/// basis.
pub(super) fn orthonormal(v: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let unit = |x: [f64; 3]| {
        let norm = dot(x, x).sqrt();
        (norm > 0.5 && norm < 2.0).then(|| x.map(|c| c / norm))
    };
    let basis = || {
        let a = unit(v[0])?;
        let along = dot(v[1], a);
        let b = unit(std::array::from_fn(|k| v[1][k] - along * a[k]))?;
        Some([a, b, cross(a, b)])
    };
    basis().unwrap_or([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_of_a_turned_diagonal_matrix_are_found() {
        // M = Qᵀ diag(1, 4, 9) Q for a rotation Q whose rows are the axes sought.
        let q = orthonormal([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]]);
        let m = std::array::from_fn(|r| {
            std::array::from_fn(|c| (0..3).map(|i| [1.0, 4.0, 9.0][i] * q[i][r] * q[i][c]).sum())
        });
        let v = eigenvectors(m);
        for axis in v {
            let best = q.iter().map(|&a| dot(a, axis).abs()).fold(0.0, f64::max);
            assert!(best > 1.0 - 1e-6, "{axis:?} is none of {q:?}");
        }
        assert!(dot(cross(v[0], v[1]), v[2]) > 0.999_999);
    }
}
