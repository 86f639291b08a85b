//! The box of given axes around vertices, rounded outward.

use impinge_geometry::TriMesh;
use impinge_geometry::volume::round_up;

use super::covariance::dot;
use super::node::OrientedBox;
use super::sat::GROWTH;

/// The smallest box with (about) the given axes that holds every corner of `triangles`, of which
/// there is at least one. Held means: `|axis · (x − center)| ≤ half` for the stored `f32` numbers,
/// exactly.
pub(super) fn fit(mesh: &TriMesh, triangles: &[u32], axes: [[f32; 3]; 3]) -> OrientedBox {
    let a = axes.map(|axis| axis.map(f64::from));
    let (mut lo, mut hi) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for &triangle in triangles {
        for corner in mesh.corners(triangle) {
            let x = [f64::from(corner.x), f64::from(corner.y), f64::from(corner.z)];
            for i in 0..3 {
                let s = dot(a[i], x);
                lo[i] = if s < lo[i] { s } else { lo[i] };
                hi[i] = if s > hi[i] { s } else { hi[i] };
            }
        }
    }
    around(axes, lo, hi)
}

/// The box that holds every point whose products with the axes lie between `lo` and `hi`, as they
/// come out in `f64`, larger by what the box tests ask for ([`GROWTH`]).
pub(super) fn around(axes: [[f32; 3]; 3], lo: [f64; 3], hi: [f64; 3]) -> OrientedBox {
    let a = axes.map(|axis| axis.map(f64::from));
    let middle: [f64; 3] = std::array::from_fn(|i| 0.5 * (lo[i] + hi[i]));
    let center =
        std::array::from_fn(|k| (a[0][k] * middle[0] + a[1][k] * middle[1] + a[2][k] * middle[2]) as f32)
            .map(|x: f32| x.clamp(-f32::MAX, f32::MAX));
    let c = center.map(f64::from);
    // Each product has three terms no greater than the point's distance from the origin, of which
    // `far` is an upper bound; 2⁻⁵⁰ covers the rounding of the products and differences.
    let far =
        (0..3).map(|i| lo[i].abs().max(hi[i].abs())).sum::<f64>() + c.iter().map(|x| x.abs()).sum::<f64>();
    let slack = far * (1.0 / (1u64 << 50) as f64);
    let reach: [f64; 3] = std::array::from_fn(|i| {
        let at = dot(a[i], c);
        (hi[i] - at).max(at - lo[i]) + slack
    });
    let growth = GROWTH * (reach[0] + reach[1] + reach[2]);
    let half = reach.map(|r| round_up(r + growth));
    OrientedBox { center, half, axes }
}
