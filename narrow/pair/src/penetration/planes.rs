//! Planes that translations must get beyond, and the shortest that does.

use impinge_exact::translation::Clearance;
use nalgebra::Vector3;

/// A half-space of translations: those with `normal · translation ≥ offset` (m).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub normal: Vector3<f64>,
    pub offset: f64,
}

impl Plane {
    /// The plane on which a shift along a direction ended.
    pub fn of(found: &Clearance, direction: &Vector3<f64>) -> Option<Plane> {
        let normal = found.normal?;
        Some(Plane { normal, offset: normal.dot(direction) * found.length })
    }
}

/// The point nearest to the origin that lies beyond all planes; `None` where there is none.
///
/// Such a point lies on one, two or three of them, at the foot of the perpendicular of what they have in common.
pub(crate) fn nearest(planes: &[Plane]) -> Option<Vector3<f64>> {
    let mut best: Option<Vector3<f64>> = None;
    let size = planes.iter().map(|plane| plane.offset.abs()).fold(0.0, f64::max);
    let mut offer = |point: Vector3<f64>| {
        let beyond = planes.iter().all(|plane| plane.normal.dot(&point) >= plane.offset - 1e-9 * size);
        if beyond && best.is_none_or(|best| point.norm_squared() < best.norm_squared()) {
            best = Some(point);
        }
    };
    for (i, p) in planes.iter().enumerate() {
        offer(p.normal * p.offset);
        for (j, q) in planes.iter().enumerate().skip(i + 1) {
            let cos = p.normal.dot(&q.normal);
            let square = 1.0 - cos * cos;
            if square < 1e-9 {
                continue;
            }
            let along_p = (p.offset - cos * q.offset) / square;
            let along_q = (q.offset - cos * p.offset) / square;
            offer(p.normal * along_p + q.normal * along_q);
            for r in &planes[j + 1..] {
                let across =
                    [q.normal.cross(&r.normal), r.normal.cross(&p.normal), p.normal.cross(&q.normal)];
                let volume = p.normal.dot(&across[0]);
                if volume.abs() > 1e-6 {
                    offer((across[0] * p.offset + across[1] * q.offset + across[2] * r.offset) / volume);
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(normal: [f64; 3], offset: f64) -> Plane {
        Plane { normal: Vector3::from(normal).normalize(), offset }
    }

    #[test]
    fn nearest_point_lies_on_one_two_or_three_planes() {
        let floor = plane([0.0, 0.0, 1.0], 1.0);
        assert_eq!(nearest(&[floor]), Some(Vector3::z()));
        let wall = plane([1.0, 0.0, 0.0], 2.0);
        assert!((nearest(&[floor, wall]).unwrap() - Vector3::new(2.0, 0.0, 1.0)).norm() < 1e-12);
        let other = plane([0.0, 1.0, 0.0], -3.0);
        assert!((nearest(&[floor, wall, other]).unwrap() - Vector3::new(2.0, 0.0, 1.0)).norm() < 1e-12);
        let other = plane([0.0, -1.0, 0.0], 3.0);
        assert!((nearest(&[floor, wall, other]).unwrap() - Vector3::new(2.0, -3.0, 1.0)).norm() < 1e-12);
        assert_eq!(nearest(&[floor, plane([0.0, 0.0, -1.0], 0.5)]), None);
        assert_eq!(nearest(&[]), None);
    }

    #[test]
    fn nearest_point_is_that_of_a_fine_search() {
        let mut seed = 1u64;
        let mut number = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..200 {
            let planes: Vec<Plane> = (0..4)
                .map(|_| {
                    let normal = [number() - 0.5, number() - 0.5, 0.2 + number()];
                    plane(normal, number())
                })
                .collect();
            // Hildreth's rounds, as many as it takes.
            let (mut point, mut shares) = (Vector3::zeros(), [0.0f64; 4]);
            for _ in 0..20_000 {
                for (share, plane) in shares.iter_mut().zip(&planes) {
                    let given = (plane.offset - plane.normal.dot(&point)).max(-*share);
                    *share += given;
                    point += plane.normal * given;
                }
            }
            assert!((nearest(&planes).unwrap() - point).norm() < 1e-5);
        }
    }
}
