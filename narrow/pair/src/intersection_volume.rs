//! The intersection volume of two bodies as a whole: how large it is, its gradient, and where it lies.
//!
//! The contours say exactly what the gradient is, and one view along it measures the volume. Where there
//! are none, or they oppose each other, three views at right angles do. No minimum translation is searched: this is
//! what a volumetric contact model asks for.

use impinge_midphase::PairJob;
use nalgebra::{Point3, Vector3};

use crate::mesh_mesh::{MeshMeshScratch, SurfaceIntersection, Total, each_segment, measured};
use crate::overlap::overlaps;
use crate::patch::PairResult;
use crate::patches::Join;
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::settings::NarrowSettings;
use impinge_exact::containment::containment;
use impinge_exact::contour;
use impinge_exact::intersect::{self, Surfaces};
use impinge_exact::touch::TouchScratch;
use impinge_geometry::Containment;
use impinge_image_space::view::{Extent, View};

/// The intersection volume of two bodies (m, pair frame).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IntersectionVolume {
    /// Its volume (m³).
    pub volume: f64,
    /// G, the area vector of A's surface inside B (m²): what the volume changes by when A is moved.
    pub gradient: Vector3<f64>,
    /// Its centroid (m); the origin where there is no volume.
    pub centroid: Point3<f64>,
    /// The longest interval along G that lies in both bodies (m); of convex solids, the depth.
    pub thickness: f64,
}

impl IntersectionVolume {
    /// That of both together.
    pub fn and(&self, other: &IntersectionVolume) -> IntersectionVolume {
        let volume = self.volume + other.volume;
        let moment = self.centroid.coords * self.volume + other.centroid.coords * other.volume;
        IntersectionVolume {
            volume,
            gradient: self.gradient + other.gradient,
            centroid: if volume > 0.0 { Point3::from(moment / volume) } else { Point3::origin() },
            thickness: self.thickness.max(other.thickness),
        }
    }

    /// That of the overlapping patches of a pair.
    pub(crate) fn of_patches(found: &PairResult) -> Option<IntersectionVolume> {
        let mut common = IntersectionVolume::default();
        for patch in found.patches.iter().filter(|patch| patch.depth > 0.0) {
            common = common.and(&IntersectionVolume {
                volume: patch.volume,
                gradient: patch.gradient,
                centroid: patch.centroid,
                thickness: patch.depth,
            });
        }
        found.volume.map(|volume| IntersectionVolume { volume, ..common })
    }
}

/// The intersection volume of two surfaces; `None` where one of them bounds no volume.
pub(crate) fn of_surfaces(
    job: &PairJob<'_>,
    input: &Surfaces<'_>,
    leaf_pairs: &[[u32; 2]],
    settings: &NarrowSettings,
    (touch, scratch): (&mut TouchScratch, &mut MeshMeshScratch),
    (samplers, join): (&mut Samplers, &mut Join),
) -> Option<IntersectionVolume> {
    let scene = Scene::new(job, [false; 2], settings).filter(Scene::both_closed)?;
    let MeshMeshScratch { contour, contours, features, interior, .. } = scratch;
    let TouchScratch { intersect, intersections, containment: inside, .. } = touch;
    intersect::intersect_surfaces(input, leaf_pairs, intersect, intersections);
    let contained = containment(input, intersections, inside) != Containment::None;
    if !intersections.touching && !contained {
        return Some(IntersectionVolume::default());
    }
    contour::assemble(intersections, contour, contours);
    interior.run(input, intersections, contours);
    features.gather(intersections, contours, interior, scene.least);
    let all = 0..features.list.len() as u32;
    let total = Total::of(features, all.clone());
    let alone = !contained && total.has_area(scene.least);
    let mut three = |samplers: &mut Samplers| {
        let found = overlaps(&scene, &scene.whole, samplers, join);
        found.iter().fold(IntersectionVolume::default(), |sum, one| {
            let (volume, centroid) = (one.volume, one.centroid);
            let thickness = one.extent.longest();
            sum.and(&IntersectionVolume { volume, gradient: one.gradient, centroid, thickness })
        })
    };
    let Some(normal) = total.normal().filter(|_| alone) else {
        return Some(three(samplers));
    };
    let axes = scene.along(&normal);
    let intersection = SurfaceIntersection { found: intersections, contours, features, interior };
    let mut seen = Extent::EMPTY;
    for feature in all {
        each_segment(&intersection, feature, |p, q| {
            seen.add(axes.coordinates(&p.coords));
            seen.add(axes.coordinates(&q.coords));
        });
    }
    // A pixel more on every side: what bulges beyond its contour is seen as well.
    let room = |k: usize| seen.size(k).max(scene.least) / f64::from(scene.resolution - 2);
    let wide = Extent {
        min: [seen.min[0] - room(0), seen.min[1] - room(1), seen.min[2]],
        max: [seen.max[0] + room(0), seen.max[1] + room(1), seen.max[2]],
    };
    let mut view = View::of_extent(&axes, &wide, scene.resolution, scene.least);
    let margin = 0.5 * wide.size(0).max(wide.size(1)).max(scene.least);
    view.far = seen.max[2] + margin - axes.depth.dot(&view.anchor.coords);
    samplers.wide.sample(&scene, &mut view);
    let columns = &samplers.wide.columns.list;
    let gradient = total.gradient;
    // A body that sticks out of the other with an end alone is wider than its contour.
    let last = (view.count[0] - 1) as u16;
    if columns.iter().any(|c| !c.is_touch() && [c.i, c.j].iter().any(|&at| at == 0 || at == last)) {
        return Some(IntersectionVolume { gradient, ..three(samplers) });
    }
    let Some((volume, centroid)) = measured(&view, columns, &gradient) else {
        return Some(IntersectionVolume { gradient, ..IntersectionVolume::default() });
    };
    let longest = columns.iter().map(|column| column.length()).max().unwrap_or(0);
    Some(IntersectionVolume { volume, gradient, centroid, thickness: longest as f64 * view.step })
}
