//! The intersection volume of two bodies as a whole: how large it is, its gradient, and where it lies.
//!
//! Of two surfaces the volume is exact to rounding, summed up over them; the contours say what the gradient is, and one view
//! along it how thick the overlap is. Of others, it is that of their patches. No minimum translation is searched:
//! this is what a volumetric contact model asks for.

use impinge_midphase::PairJob;
use nalgebra::{Point3, Vector3};

use crate::mesh_mesh::{MeshMeshScratch, SurfaceIntersection, Total, each_segment};
use crate::overlap::overlaps;
use crate::patch::PairResult;
use crate::patches::{ExactOverlaps, ExactVolume, Join};
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntersectionVolume {
    /// Its volume (m³).
    pub volume: f64,
    /// No more than this is the volume off by (m³); infinite where it was measured by a view's lines, which may miss what is
    /// between them.
    pub error: f64,
    /// G, the area vector of A's surface inside B (m²): what the volume changes by when A is moved.
    pub gradient: Vector3<f64>,
    /// Its torque part: ∫ x × dA over A's surface inside B (m³), about the pair frame's origin: what the volume changes by
    /// when A is turned. `None` where lines along one direction alone measured the overlap.
    pub torque: Option<Vector3<f64>>,
    /// Its centroid (m); the origin where there is no volume.
    pub centroid: Point3<f64>,
    /// The longest interval along G that lies in both bodies (m); of convex solids, the depth.
    pub thickness: f64,
}

impl Default for IntersectionVolume {
    /// Nothing in common.
    fn default() -> IntersectionVolume {
        IntersectionVolume {
            volume: 0.0,
            error: 0.0,
            gradient: Vector3::zeros(),
            torque: Some(Vector3::zeros()),
            centroid: Point3::origin(),
            thickness: 0.0,
        }
    }
}

impl IntersectionVolume {
    /// That of both together.
    pub fn and(&self, other: &IntersectionVolume) -> IntersectionVolume {
        let volume = self.volume + other.volume;
        let moment = self.centroid.coords * self.volume + other.centroid.coords * other.volume;
        IntersectionVolume {
            volume,
            error: self.error + other.error + f64::EPSILON * volume,
            gradient: self.gradient + other.gradient,
            torque: self.torque.zip(other.torque).map(|(own, more)| own + more),
            centroid: if volume > 0.0 { Point3::from(moment / volume) } else { Point3::origin() },
            thickness: self.thickness.max(other.thickness),
        }
    }

    /// That of the overlapping patches of a pair; `error`: of all of them (m³).
    pub(crate) fn of_patches(found: &PairResult, error: f64) -> Option<IntersectionVolume> {
        let mut common = IntersectionVolume::default();
        for patch in found.patches.iter().filter(|patch| patch.depth > 0.0) {
            common = common.and(&IntersectionVolume {
                volume: patch.volume,
                error: 0.0,
                gradient: patch.gradient,
                torque: Some(patch.torque),
                centroid: patch.centroid,
                thickness: patch.depth,
            });
        }
        found.volume.map(|volume| IntersectionVolume { volume, error, ..common })
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
    let MeshMeshScratch { contour, contours, features, interior, overlaps: buffers, .. } = scratch;
    let TouchScratch { intersect, intersections, containment: inside, .. } = touch;
    let intersections =
        intersections.fill(|out| intersect::intersect_surfaces(input, leaf_pairs, intersect, out));
    let contained = containment(input, intersections, inside);
    if !intersections.touching && contained == Containment::None {
        return Some(IntersectionVolume::default());
    }
    let contours = contours.fill(|out| contour::assemble(intersections, contour, out));
    let exact = buffers.find(input, (intersections, contours), contained, true);
    let interior = interior.fill(|out| out.run(input, intersections, contours));
    let features = features.fill(|out| out.gather(intersections, contours, interior, scene.least));
    let total = Total::of(features, 0..features.list.len() as u32);
    let along = total.normal().filter(|_| contained == Containment::None && total.has_area(scene.least));
    let intersection = SurfaceIntersection { found: intersections, contours, features, interior, exact };
    let thickness =
        along.zip(exact).map(|(normal, exact)| thickness(&scene, (&intersection, &exact), &normal, samplers));
    let exact = exact.map(|exact| ExactVolume::of(exact.list()));
    let (gradient, torque) = (total.gradient, Some(total.torque));
    if let (Some(ExactVolume { volume, centroid, error, .. }), Some(thickness)) = (exact, thickness) {
        return Some(IntersectionVolume { volume, error, gradient, torque, centroid, thickness });
    }
    // Nothing says along which line it is thick, or the contours of a surface without area somewhere do not close.
    let seen = overlaps(&scene, &scene.whole, samplers, join).iter().fold(
        IntersectionVolume { error: f64::INFINITY, ..IntersectionVolume::default() },
        |sum, one| {
            let (volume, centroid, gradient, torque) =
                (one.volume, one.centroid, one.gradient, Some(one.torque));
            let thickness = one.extent.longest();
            sum.and(&IntersectionVolume { volume, error: 0.0, gradient, torque, centroid, thickness })
        },
    );
    Some(match exact {
        Some(ExactVolume { volume, centroid, error, .. }) => {
            IntersectionVolume { volume, error, gradient, torque, centroid, ..seen }
        }
        None => seen,
    })
}

/// The longest interval along a normal that lies in both bodies (m), in a view of all that is inside.
fn thickness(
    scene: &Scene<'_>,
    (intersection, exact): (&SurfaceIntersection<'_>, &ExactOverlaps<'_>),
    normal: &Vector3<f64>,
    samplers: &mut Samplers,
) -> f64 {
    let axes = scene.along(normal);
    let mut seen = Extent::EMPTY;
    for feature in 0..intersection.features.list.len() as u32 {
        each_segment(intersection, feature, |p, q| {
            seen.add(axes.coordinates(&p.coords));
            seen.add(axes.coordinates(&q.coords));
        });
    }
    exact.inside().iter().for_each(|of| seen.add(axes.coordinates(&of.at.coords)));
    let mut view = View::of_extent(&axes, &seen, scene.resolution, scene.least);
    let margin = 0.5 * seen.size(0).max(seen.size(1)).max(scene.least);
    view.far = seen.max[2] + margin - axes.depth.dot(&view.anchor.coords);
    samplers.wide.sample(scene, &mut view);
    let longest = samplers.wide.columns.list.iter().map(|column| column.length()).max();
    longest.unwrap_or(0) as f64 * view.step
}
