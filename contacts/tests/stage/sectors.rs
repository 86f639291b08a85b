//! Regions that wind round their normal: three manifolds whose points do no work along the thread.

use std::f64::consts::TAU;

use impinge_contacts::{ContactPoint, ContactSettings, Manifold, manifolds};
use impinge_geometry::PairFrame;
use impinge_pair::{Patch, PatchOrigin, PatchPoint, Sector};
use nalgebra::{Isometry3, Point3, Vector3};
use proptest::prelude::*;

use crate::patches::{at_origin, result};

/// The flank of a thread: it rises by `lead` for each radian (m) and by `slope` inwards.
#[derive(Clone, Copy, Debug)]
struct Flank {
    lead: f64,
    slope: f64,
    radii: [f64; 2],
    turns: [f64; 2],
    depth: f64,
}

/// Strips of a turn, and between the radii.
const AROUND: usize = 240;
const ACROSS: usize = 6;

impl Flank {
    /// Where it is at a radius and an angle, and its normal by the area seen along the axis.
    fn at(&self, r: f64, angle: f64) -> (Vector3<f64>, Vector3<f64>) {
        let (sin, cos) = angle.sin_cos();
        let place = Vector3::new(r * cos, r * sin, self.lead * angle - self.slope * r);
        let turn = self.lead / r;
        (place, Vector3::new(self.slope * cos + turn * sin, self.slope * sin - turn * cos, 1.0))
    }

    /// The patch of it, in sectors as the narrow phase cuts them, moved.
    fn patch(&self, moved: &Isometry3<f64>) -> Patch {
        let [from, to] = self.turns;
        let [inner, outer] = self.radii;
        let middle = self.lead * TAU * 0.5 * (from + to) - self.slope * 0.5 * (inner + outer);
        let steps = (AROUND as f64 * (to - from)).ceil() as usize;
        let (mut sums, mut points) = (vec![(Vector3::zeros(), Vector3::zeros()); 12], Vec::new());
        for (i, j) in (0..steps).flat_map(|i| (0..ACROSS).map(move |j| (i, j))) {
            let angle = TAU * (from + (to - from) * (i as f64 + 0.5) / steps as f64);
            let r = inner + (outer - inner) * (j as f64 + 0.5) / ACROSS as f64;
            let (place, normal) = self.at(r, angle);
            let area = normal * (r * (outer - inner) / ACROSS as f64 * TAU * (to - from) / steps as f64);
            let sixth = (angle.rem_euclid(TAU) / TAU * 6.0) as usize;
            let sum = &mut sums[2 * sixth.min(5) + usize::from(place.z > middle)];
            sum.0 += area;
            sum.1 += place.cross(&area);
            if i % 10 == 5 {
                let half = Vector3::z() * (0.5 * self.depth);
                let [on_a, on_b] = [1.0, -1.0].map(|sign| moved * Point3::from(place + half * sign));
                points.push(PatchPoint {
                    on_a,
                    on_b,
                    depth: self.depth,
                    weight: 1.0,
                    key: points.len() as u64,
                });
            }
        }
        let at = moved.translation.vector;
        let turned = |(gradient, torque): &(Vector3<f64>, Vector3<f64>)| {
            let gradient = moved.rotation * gradient;
            (gradient, moved.rotation * torque + at.cross(&gradient))
        };
        let sums: Vec<_> = sums.iter().map(turned).collect();
        let sectors: Vec<Sector> = (0..12)
            .filter(|k| sums[*k].0.norm() > 0.0)
            .map(|k| Sector { index: k as u32, gradient: sums[k].0, torque: sums[k].1 })
            .collect();
        let (gradient, torque) = sums.iter().fold(
            (Vector3::zeros(), Vector3::zeros()),
            |(force, torque): (Vector3<f64>, Vector3<f64>), sum| (force + sum.0, torque + sum.1),
        );
        let normal = gradient.normalize();
        let centroid = moved * Point3::new(0.0, 0.0, middle);
        let foot = gradient.cross(&torque) / gradient.norm_squared();
        Patch {
            normal,
            depth: self.depth,
            volume: self.depth * gradient.norm(),
            gradient,
            torque,
            centroid,
            pressure_center: Point3::from(foot + normal * (centroid.coords - foot).dot(&normal)),
            radius: outer,
            points,
            corners: Vec::new(),
            sectors,
            origin: PatchOrigin::OverlapIntervals,
            region: None,
        }
    }
}

fn of(patch: Patch, settings: &ContactSettings) -> Vec<Manifold> {
    let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::identity());
    let mut out = Vec::new();
    manifolds(&result(vec![patch]), &at_origin(&frame), settings, &mut out);
    out
}

fn force(manifold: &Manifold, point: &ContactPoint) -> Vector3<f64> {
    manifold.normal_at(point) * point.weight
}

/// A patch that winds.
pub fn winding() -> Patch {
    let flank = Flank { lead: 0.08, slope: 0.4, radii: [0.7, 1.0], turns: [0.2, 2.2], depth: 1e-3 };
    flank.patch(&Isometry3::translation(5.0, 0.0, 0.0))
}

fn flank() -> impl Strategy<Value = (Flank, Isometry3<f64>)> {
    let lead = prop_oneof![0.02..0.15f64, -0.15..-0.02f64];
    let size = 0.5..0.9f64;
    (lead, 0.2..0.6f64, size, 0.0..1.0f64, 1.0..3.0f64, prop::array::uniform6(-2.0..2.0f64)).prop_map(
        |(lead, slope, inner, from, turns, m)| {
            let moved = Isometry3::new(Vector3::new(m[0], m[1], m[2]), Vector3::new(m[3], m[4], m[5]));
            let (radii, turns) = ([inner, 1.0], [from, from + turns.round()]);
            (Flank { lead, slope, radii, turns, depth: 1e-3 }, moved)
        },
    )
}

proptest! {
    /// Together the manifolds have the region's force and moment, and each one's points have its own. Sliding along the thread
    /// no point meets resistance: less than a hundredth of what the lead alone would do.
    #[test]
    fn points_have_the_wrench_and_slide_along_the_thread((flank, moved) in flank()) {
        let patch = flank.patch(&moved);
        let (gradient, torque, volume) = (patch.gradient, patch.torque, patch.volume);
        let found = of(patch, &ContactSettings::default());
        prop_assert_eq!(found.len(), 3);
        let area = gradient.norm();
        let forces: Vector3<f64> = found.iter().map(|m| m.force).sum();
        let moments: Vector3<f64> = found.iter().map(|m| m.moment_about(&Point3::origin())).sum();
        prop_assert!((forces - gradient).norm() < 1e-12 * area);
        prop_assert!((moments - torque).norm() < 1e-9 * area, "{} {}", moments, torque);
        prop_assert!((found.iter().map(|m| m.volume).sum::<f64>() / volume - 1.0).abs() < 1e-12);
        let mut keys: Vec<u64> = found.iter().flat_map(|m| m.points.iter().map(|p| p.key)).collect();
        keys.sort_unstable();
        keys.dedup();
        prop_assert_eq!(keys.len(), found.iter().map(|m| m.points.len()).sum::<usize>());
        let axis = moved.rotation * Vector3::z();
        for manifold in &found {
            prop_assert!((manifold.depth / flank.depth - 1.0).abs() < 0.3);
            let all: Vector3<f64> = manifold.points.iter().map(|p| force(manifold, p)).sum();
            prop_assert!((all - manifold.force).norm() < 1e-12 * area);
            let arm = |p: &ContactPoint| p.position - manifold.centroid;
            let moment: Vector3<f64> = manifold.points.iter().map(|p| arm(p).cross(&force(manifold, p))).sum();
            prop_assert!((moment - manifold.moment).norm() < 0.01 * manifold.force.norm());
            for point in &manifold.points {
                let from_axis = point.position.coords - moved.translation.vector;
                let slide = axis * flank.lead + axis.cross(&from_axis);
                let work = manifold.normal_at(point).dot(&slide);
                prop_assert!(work.abs() < 0.05 * flank.lead.abs(), "{} of {}", work, flank.lead);
            }
        }
    }
}

#[test]
fn whoever_wants_few_gets_one_and_other_forces_have_no_sectors() {
    let flank = Flank { lead: 0.05, slope: 0.3, radii: [0.8, 1.0], turns: [0.0, 2.0], depth: 1e-3 };
    let patch = flank.patch(&Isometry3::translation(0.3, 0.0, 0.0));
    let settings = ContactSettings::default();
    for (settings, count) in [
        (settings, 3),
        (settings.max_points(3), 1),
        (settings.max_manifolds(2), 1),
        (settings.max_manifolds(3), 3),
    ] {
        let found = of(patch.clone(), &settings);
        assert_eq!(found.len(), count);
        assert!(found.windows(2).all(|pair| pair[0].depth >= pair[1].depth));
    }
    let turned = Patch { gradient: patch.gradient * 1.1, ..patch };
    assert_eq!(of(turned, &settings).len(), 1);
}

/// How deep the points of a patch's manifolds are along its normal (m), and where.
fn depths(patch: &Patch) -> Vec<(f64, Point3<f64>)> {
    let found = of(patch.clone(), &ContactSettings::default());
    let of_one = |manifold: &Manifold| {
        let along = |p: &ContactPoint| p.depth / manifold.normal_at(p).dot(&patch.normal);
        manifold.points.iter().map(|p| (along(p), p.position)).collect::<Vec<_>>()
    };
    found.iter().flat_map(of_one).collect()
}

#[test]
fn one_deep_line_does_not_rock_what_lies_on_the_thread() {
    let flank = Flank { lead: 0.05, slope: 0.3, radii: [0.8, 1.0], turns: [0.0, 2.0], depth: 1e-3 };
    let mut patch = flank.patch(&Isometry3::identity());
    patch.depth *= 1.2;
    let at = patch.points.len() / 3;
    patch.points[at].depth = patch.depth;
    let found: Vec<f64> = depths(&patch).iter().map(|(depth, _)| *depth).collect();
    assert_eq!(found.len(), 12);
    let [least, most] = [f64::min, f64::max].map(|pick| found.iter().copied().reduce(pick).unwrap());
    // The line is one of more than twenty in its sector, and the deepest is as deep as the patch.
    assert!((most / patch.depth - 1.0).abs() < 1e-3, "{most} {}", patch.depth);
    assert!(least > 0.99 * most, "{least} {most}");
}

#[test]
fn a_nut_that_leans_is_deeper_where_it_has_sunk() {
    let flank = Flank { lead: 0.05, slope: 0.3, radii: [0.8, 1.0], turns: [0.0, 2.0], depth: 1e-3 };
    let mut patch = flank.patch(&Isometry3::identity());
    for point in &mut patch.points {
        point.depth += 5e-4 * nalgebra::center(&point.on_a, &point.on_b).x;
    }
    patch.depth = patch.points.iter().map(|p| p.depth).fold(0.0, f64::max);
    // From one side to the other they differ by a thousandth.
    let found = depths(&patch);
    let beyond: Vec<f64> = found.iter().map(|(depth, at)| depth - 1e-3 - 5e-4 * at.x).collect();
    let [least, most] = [f64::min, f64::max].map(|pick| beyond.iter().copied().reduce(pick).unwrap());
    assert!((0.0..1.5e-4).contains(&least) && most < 1.5e-4, "{least} {most}");
    let deepest = found.iter().map(|(depth, _)| *depth).fold(0.0, f64::max);
    assert!((deepest / patch.depth - 1.0).abs() < 1e-3, "{deepest} {}", patch.depth);
}
