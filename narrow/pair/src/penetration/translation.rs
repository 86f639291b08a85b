//! A separating translation, and the patch along it.

use nalgebra::{Point3, Vector3};

use crate::patch::{Patch, PatchOrigin, PatchPoint};
use crate::patches::{PatchSeed, patch};
use crate::region::{Region, within};
use crate::sampler::Sampler;
use crate::scene::Scene;
use impinge_image_space::intervals::{OverlapInterval, Sums};
use impinge_image_space::view::{Axes, View};

/// A direction and how far B has to move along it until the overlap is gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeparatingTranslation {
    /// Unit.
    pub normal: Vector3<f64>,
    /// (m)
    pub length: f64,
    /// Where A is left and B entered on the line that is freed last (m, pair frame).
    pub ends: Option<[Point3<f64>; 2]>,
}

/// Samples a region along some axes; gives the view, and what tells columns of the region from others.
fn regard(
    scene: &Scene<'_>,
    region: &Region,
    axes: &Axes,
    count: u32,
    sampler: &mut Sampler,
) -> (View, impl Fn(&&OverlapInterval) -> bool + use<>) {
    let seen = region.seen_along(axes);
    // Translations may be as long as the bodies are wide.
    let depth = scene.least * 2f64.powi(24);
    let mut view =
        View::of_extent(axes, &seen, count, scene.least).with_depth(seen.min[2], seen.max[2], depth);
    sampler.sample(scene, &mut view);
    let within = within(&view, &seen);
    (view, move |c: &&OverlapInterval| !c.is_touch() && within(c))
}

impl SeparatingTranslation {
    /// The patch of a region along this translation: the points are where B is entered and where A
    /// is left by the lines along it, and the place that is freed last. Its area is volume ÷ length, as G
    /// says nothing here.
    pub(crate) fn patch(
        &self,
        scene: &Scene<'_>,
        region: &Region,
        known: &PatchSeed,
        sampler: &mut Sampler,
    ) -> Option<Patch> {
        let axes = scene.along(&self.normal);
        let (view, inside) = regard(scene, region, &axes, scene.coarse(), sampler);
        let columns: Vec<OverlapInterval> = sampler.columns.list.iter().filter(inside).copied().collect();
        let mut sums = Sums::default();
        columns.iter().for_each(|c| sums.add(c));
        let volume = known.volume.map_or(sums.volume(&view), |v| v.0);
        let gradient = self.normal * (volume / self.length);
        let seed = PatchSeed {
            normal: self.normal,
            gradient,
            torque: Vector3::zeros(),
            wraps: true,
            serial: 0,
            ..*known
        };
        let mut found = patch(&view, &columns, &seed)?;
        found.torque = found.centroid.coords.cross(&gradient);
        found.pressure_center = found.centroid;
        // A line may leave one interval in A only to meet the next: what it says is no place of this contact.
        self.keep_short(&mut found);
        if let Some([on_a, on_b]) = self.ends {
            let depth = (on_a - on_b).dot(&self.normal);
            let key = found.points.iter().map(|p| p.key).max()? + 1;
            found.points.push(PatchPoint { on_a, on_b, depth, weight: 0.0, key });
        } else if let Some(deepest) =
            found.points.iter_mut().reduce(|p, q| if q.depth > p.depth { q } else { p })
        {
            set_depth(deepest, &self.normal, self.length);
        }
        found.depth = found.points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max);
        Some(found)
    }
}

impl SeparatingTranslation {
    /// The patch along this translation of what no line of a view crosses: the place where B leaves A last.
    pub(crate) fn alone(&self, known: &PatchSeed) -> Option<Patch> {
        let [on_a, on_b] = self.ends?;
        let middle = nalgebra::center(&on_a, &on_b);
        let half = self.normal * (0.5 * self.length);
        let point =
            PatchPoint { on_a: middle + half, on_b: middle - half, depth: self.length, weight: 0.0, key: 0 };
        let (volume, centroid) = known.volume.unwrap_or((0.0, middle));
        let gradient = self.normal * if self.length > 0.0 { volume / self.length } else { 0.0 };
        Some(Patch {
            normal: self.normal,
            depth: self.length,
            volume,
            gradient,
            torque: centroid.coords.cross(&gradient),
            centroid,
            pressure_center: centroid,
            radius: (middle - centroid).norm(),
            points: vec![PatchPoint { weight: gradient.norm(), ..point }],
            corners: Vec::new(),
            sectors: Vec::new(),
            origin: PatchOrigin::OverlapIntervals,
            region: None,
        })
    }

    /// Drops points that are deeper than the translation, and hands their shares to the others; of nothing but
    /// such points the depth is cut.
    fn keep_short(&self, patch: &mut Patch) {
        let all: f64 = patch.points.iter().map(|p| p.weight).sum();
        if patch.points.iter().any(|p| p.depth <= self.length) {
            patch.points.retain(|p| p.depth <= self.length);
        }
        let kept: f64 = patch.points.iter().map(|p| p.weight).sum();
        for point in &mut patch.points {
            point.weight *= if kept > 0.0 { all / kept } else { 1.0 };
            if point.depth > self.length {
                set_depth(point, &self.normal, self.length);
            }
        }
    }
}

/// Moves a point's ends along the normal, both as far, until they are `depth` apart (m).
fn set_depth(point: &mut PatchPoint, normal: &Vector3<f64>, depth: f64) {
    let half = normal * (0.5 * (point.depth - depth));
    (point.on_a, point.on_b) = (point.on_a - half, point.on_b + half);
    point.depth = (point.on_a - point.on_b).dot(normal);
}
