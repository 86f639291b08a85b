//! What is known of a contact region beyond its few points: its outline and a field of local depths.

use nalgebra::{Isometry3, Point3, Vector3};

/// A contact region seen along its normal: its outline, and samples of the depth and of both surfaces. Lengths in metres; in
/// a manifold in the world, in a [`Patch`](crate::Patch) in the pair frame.
///
/// The region is the set of lines along the normal on which the bodies overlap; of faces that only meet, on which one body
/// ends where the other begins. The lines of a square lattice find it, and its outline is searched between neighbouring lines.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactPatch {
    /// Unit normal from A to B along which the region was sampled: the manifold's, but that of a pair with one floor where two
    /// floors meet at a seam, and within 5° of it where patches were merged.
    pub normal: Vector3<f64>,
    /// Side of the square cells (m) of which each sample stands for one, or for the part of one inside the outline.
    pub cell: f64,
    /// The outline as closed loops, the last point joined with the first: outer ones counter-clockwise about the normal (for
    /// an observer whom it points at), holes clockwise. The points lie halfway between the surfaces, on both where the
    /// surfaces cross.
    pub boundary: Vec<Vec<Point3<f64>>>,
    /// The samples, row after row. A line with several overlaps has one for each.
    pub samples: Vec<PatchSample>,
}

/// What a line along the normal meets in a contact region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchSample {
    /// Where the overlap ends, going along the normal (m): on A's surface, where that does not lie behind B.
    pub on_a: Point3<f64>,
    /// Where the overlap begins (m): on B's surface, where that does not lie before A.
    pub on_b: Point3<f64>,
    /// The length of the overlap, `(on_a − on_b) · normal` (m); 0 of faces that only meet.
    pub depth: f64,
    /// The area that the sample stands for, seen along the normal (m²): of its cell, what is inside the outline.
    pub area: f64,
    /// Outward unit normal of A's surface where the line leaves A.
    pub normal_a: Vector3<f64>,
    /// Outward unit normal of B's surface where the line enters B.
    pub normal_b: Vector3<f64>,
}

impl PatchSample {
    /// Halfway between the two surfaces (m).
    pub fn position(&self) -> Point3<f64> {
        nalgebra::center(&self.on_a, &self.on_b)
    }
}

impl ContactPatch {
    /// The area of the region, seen along the normal (m²): the sum over the samples. It is what the outline encloses, and
    /// more only where overlaps lie behind each other.
    pub fn area(&self) -> f64 {
        self.samples.iter().map(|sample| sample.area).sum()
    }

    /// The volume of the overlap (m³): the sum of depth · area. Exact to rounding where both surfaces are flat over each
    /// cell; elsewhere off by the square of a cell's size.
    pub fn volume(&self) -> f64 {
        self.samples.iter().map(|sample| sample.depth * sample.area).sum()
    }

    /// The force on B (N) and its moment about a place (N·m), of a pressure (Pa) that acts along the normal at every
    /// sample.
    ///
    /// ```
    /// # use impinge_pair::{ContactPatch, PatchSample};
    /// # use nalgebra::{Point3, Vector3};
    /// # let z = Vector3::z();
    /// # let sample = PatchSample { on_a: Point3::new(1.0, 0.0, 0.5), on_b: Point3::new(1.0, 0.0, 0.0), depth: 0.5, area: 2.0, normal_a: z, normal_b: -z };
    /// # let patch = ContactPatch { normal: z, cell: 1.0, boundary: Vec::new(), samples: vec![sample] };
    /// let stiffness = 1e6; // Pa/m
    /// let (force, moment) = patch.wrench(&Point3::origin(), |sample| stiffness * sample.depth);
    /// assert_eq!(force, Vector3::new(0.0, 0.0, 1e6));
    /// assert_eq!(moment, Vector3::new(0.0, -1e6, 0.0));
    /// ```
    pub fn wrench(
        &self,
        about: &Point3<f64>,
        pressure: impl Fn(&PatchSample) -> f64,
    ) -> (Vector3<f64>, Vector3<f64>) {
        let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
        for sample in &self.samples {
            let push = self.normal * (pressure(sample) * sample.area);
            force += push;
            moment += (sample.position() - about).cross(&push);
        }
        (force, moment)
    }

    /// The mean depth over each taxel of a flat sensor (m), row after row. The sensor lies in the x-y plane of `plane`, the
    /// first taxel's corner at its origin; taxels are squares of side `pixel` (m), `count` along x and along y. The mean is
    /// over all of the taxel, so that the sum over taxels of depth · pixel² is the volume in front of the sensor. Each sample is
    /// spread over a square of its area, along the sensor's axes.
    ///
    /// # Panics
    /// Where there is no memory for so many taxels.
    pub fn taxels(&self, plane: &Isometry3<f64>, pixel: f64, count: [usize; 2]) -> Vec<f64> {
        let mut depths = vec![0.0; count[0].saturating_mul(count[1])];
        // A size that is no size has no taxels to fill.
        if pixel.is_nan() || pixel <= 0.0 {
            return depths;
        }
        for sample in &self.samples {
            let at = plane.inverse_transform_point(&sample.position());
            let side = sample.area.sqrt();
            // The taxels that the square reaches along an axis, and how much of it lies over each (m).
            let reached = |k: usize| {
                let [low, high] = [at[k] - 0.5 * side, at[k] + 0.5 * side];
                let first = (low / pixel).floor().max(0.0) as usize;
                let last = (high / pixel).ceil().clamp(0.0, count[k] as f64) as usize;
                let over =
                    move |n: usize| (high.min((n + 1) as f64 * pixel) - low.max(n as f64 * pixel)).max(0.0);
                (first..last).map(move |n| (n, over(n)))
            };
            for (j, height) in reached(1) {
                for (i, width) in reached(0) {
                    depths[j * count[0] + i] += sample.depth * width * height / (pixel * pixel);
                }
            }
        }
        depths
    }

    /// The same patch moved by `shift` (m): from the pair frame to the world, whose axes are parallel.
    #[must_use]
    pub fn moved(&self, shift: &Vector3<f64>) -> ContactPatch {
        let mut moved = self.clone();
        moved.boundary.iter_mut().flatten().for_each(|p| *p += shift);
        for sample in &mut moved.samples {
            sample.on_a += shift;
            sample.on_b += shift;
        }
        moved
    }

    /// Patches with (nearly) one normal as one, along the first's normal.
    #[must_use]
    pub fn union<'p>(patches: impl Iterator<Item = &'p ContactPatch>) -> Option<ContactPatch> {
        patches.cloned().reduce(|mut all, patch| {
            all.cell = all.cell.max(patch.cell);
            all.boundary.extend(patch.boundary);
            all.samples.extend(patch.samples);
            all
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two samples of 0.04 m² and of 0.1 and 0.2 m depth, over the corner of a sensor that is turned by a quarter: every
    /// taxel's mean depth times its area adds up to their volume, and the part beside the sensor is missing.
    #[test]
    fn taxels_hold_the_volume_before_them() {
        let z = Vector3::z();
        let sample = |x: f64, depth: f64| PatchSample {
            on_a: Point3::new(x, 0.0, depth),
            on_b: Point3::new(x, 0.0, 0.0),
            depth,
            area: 0.04,
            normal_a: z,
            normal_b: -z,
        };
        let samples = vec![sample(0.5, 0.1), sample(0.7, 0.2)];
        let patch = ContactPatch { normal: z, cell: 0.2, boundary: Vec::new(), samples };
        let quarter =
            nalgebra::UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -std::f64::consts::FRAC_PI_2);
        let plane = Isometry3::from_parts(nalgebra::Translation3::new(0.0, 0.5, 0.0), quarter);
        let sum = |pixel: f64, count: [usize; 2]| -> f64 {
            patch.taxels(&plane, pixel, count).iter().map(|d| d * pixel * pixel).sum()
        };
        assert!((patch.volume() - 0.012).abs() < 1e-15);
        for (pixel, count) in [(0.1, [10, 10]), (0.05, [20, 20]), (1.0, [1, 1])] {
            assert!((sum(pixel, count) - 0.012).abs() < 1e-12, "{pixel}");
        }
        // The sensor's x runs along −y of the world, its y along x: five rows of 0.1 m end in the first sample's middle.
        assert!((sum(0.1, [10, 5]) - 0.002).abs() < 1e-12);
        assert!(patch.taxels(&plane, f64::NAN, [1, 1]) == [0.0]);
    }
}
