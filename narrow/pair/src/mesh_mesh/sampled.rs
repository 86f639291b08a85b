//! Patches of two surfaces whose views have been sampled elsewhere: what is left is to weigh what a few of their
//! intervals ask for, and to measure the exact translation along their normals. No view is taken.

use impinge_exact::intersect::Surfaces;
use impinge_geometry::Side;
use impinge_image_space::intervals::OverlapInterval;
use impinge_image_space::view::View;
use impinge_midphase::{PairJob, PairKind};
use nalgebra::{Matrix3, Point3, Vector3};

use super::MeshMeshScratch;
use super::intersection::mended;
use super::sectors::may_have_sectors;
use crate::contact_region;
use crate::memory::NarrowMemory;
use crate::patch::{PairResult, Patch};
use crate::patches::{PatchSeed, patch};
use crate::penetration::{self, MinimumNorm, SeparationConstraint};
use crate::redo::Redo;
use crate::sampled_views::SampledView;
use crate::sampler::Samplers;
use crate::scene::{self, Scene};
use crate::settings::{NarrowMethod, NarrowSettings};
use crate::speculative;
use crate::tunables;

/// The contours of one patch and what a view shows of the overlap that they bound.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledPatch {
    /// Where the view stands.
    pub view: SampledView,
    /// G: area vector of A's surface inside B (m²), by the contours.
    pub gradient: Vector3<f64>,
    /// Its torque part, about the pair frame's origin (m³).
    pub torque: Vector3<f64>,
    /// Intervals with an overlap.
    pub overlaps: u64,
    /// The longest of them (steps).
    pub longest: u32,
    /// Σ length (steps), and Σ length · twice the place of the interval's middle: right, up (pixels), depth (steps).
    pub length: f64,
    /// See `length`.
    pub moment: [f64; 3],
    /// Σ of the intervals' gradients.
    pub closing: i64,
    /// How far B has to move along the view, and against it, until all intervals are free (steps).
    pub apart: [i64; 2],
    /// Intervals that stand for the patch, the longest among them, in the order of their pixels.
    pub intervals: Vec<OverlapInterval>,
}

/// Axes that the pixels of a pair's views lie along (columns, pair frame).
pub fn view_axes(job: &PairJob<'_>) -> Matrix3<f64> {
    scene::lattice(job)
}

/// The patches of two surfaces that touch, as [`run`](crate::run) gives them, of what was sampled elsewhere.
///
/// # Errors
/// [`Redo`] says why the pair has to be asked with [`run`](crate::run).
pub fn run_sampled(
    job: &PairJob<'_>,
    settings: &NarrowSettings,
    memory: &mut NarrowMemory,
    scratch: &mut crate::NarrowScratch,
    sampled: &[SampledPatch],
    out: &mut PairResult,
) -> Result<(), Redo> {
    *out = PairResult { pair: job.pair, part_indices: job.part_indices, ..PairResult::default() };
    let PairKind::Surfaces(both) = job.kind else { return Err(Redo::Shape) };
    if settings.method == NarrowMethod::HeightMap {
        // Its patches have the first and the last place on every line.
        return Err(Redo::HeightMap);
    }
    if settings.count_triangle_pairs {
        return Err(Redo::Shape);
    }
    let crate::NarrowScratch { mesh_mesh, samplers, .. } = scratch;
    samplers.begin_counts(settings.search_budget);
    memory.begin(&job.frame, samplers);
    let scene = Scene::new(job, [false; 2], settings).filter(Scene::both_closed).ok_or(Redo::Shape)?;
    out.touching = true;
    for one in sampled {
        out.patches.push(resolve(&scene, one, memory, samplers)?);
    }
    let several = out.patches.len() > 1;
    for patch in &mut out.patches {
        if !penetration::sharpen(&scene, patch, samplers) && several {
            return Err(Redo::Blocked);
        }
    }
    let gradients: Vec<Vector3<f64>> = sampled.iter().map(|one| one.gradient).collect();
    if !penetration::unclamp(&scene, &gradients, &mut out.patches, samplers) {
        penetration::pair_mtv(&scene, (&gradients, None), &mut out.patches, samplers);
    }
    // What a search finds depends on where it begins, and it begins at more places where more lines are known.
    if !samplers.taken_normals.is_empty() {
        return Err(Redo::Searched);
    }
    if settings.margin > 0.0 {
        let MeshMeshScratch { margin, .. } = mesh_mesh;
        speculative::surfaces(
            &Surfaces::new(both, &job.frame),
            settings.margin,
            true,
            margin,
            &mut out.patches,
        );
    }
    (out.gradient, out.torque) =
        (gradients.iter().sum(), sampled.iter().map(|one| one.torque).sum::<Vector3<f64>>());
    out.volume = Some(out.patches.iter().map(|patch| patch.volume).sum());
    if settings.patch_samples > 0 {
        contact_region::sample(job, settings, out);
    }
    memory.end(&job.frame, samplers);
    memory.note_sampled(true);
    out.counts += samplers.counts();
    Ok(())
}

/// The patch of what was sampled.
fn resolve(
    scene: &Scene<'_>,
    sampled: &SampledPatch,
    memory: &mut NarrowMemory,
    samplers: &mut Samplers,
) -> Result<Patch, Redo> {
    let area = sampled.gradient.norm();
    let normal = sampled.gradient / area;
    let (view, serial) = match &sampled.view {
        SampledView::Kept(index) => memory.take_kept(scene, *index).ok_or(Redo::Shape)?,
        SampledView::Laid(view) => (*view, memory.keep(scene, view)),
    };
    let (volume, centroid) = measured(&view, sampled)?;
    if penetration::is_deep(scene, volume / area, &sampled.gradient) {
        return Err(Redo::Deep);
    }
    weigh(scene, &view, sampled, &normal, samplers)?;
    if leans_from_face(scene, &sampled.intervals, &normal, view.axes.sign(&normal)) {
        return Err(Redo::Leans);
    }
    let seed = PatchSeed {
        normal,
        gradient: sampled.gradient,
        torque: sampled.torque,
        volume: Some((volume, centroid)),
        solid: true,
        wraps: false,
        serial,
    };
    let found = patch(&view, &sampled.intervals, &seed).ok_or(Redo::Thin)?;
    // Sectors are summed up over polygons, which the device keeps for itself.
    let winds = may_have_sectors(scene, &found, &sampled.intervals, view.axes.sign(&normal));
    if winds { Err(Redo::Winds) } else { Ok(found) }
}

/// Volume and centroid of the overlap; nothing where the view shows another area than the contours say.
fn measured(view: &View, sampled: &SampledPatch) -> Result<(f64, Point3<f64>), Redo> {
    let seen = 0.5 * sampled.closing as f64 * view.pixel_area();
    let ratio = sampled.gradient.dot(&view.axes.depth) / seen;
    if !tunables::SAMPLED_AREA.contains(&ratio) || sampled.length <= 0.0 {
        return Err(Redo::Thin);
    }
    let volume = sampled.length * view.step * view.pixel_area();
    let longest = f64::from(sampled.longest) * view.step;
    let fullness = volume / (longest * view.pixel_area() * sampled.overlaps as f64);
    let mean = sampled.moment.map(|m| m / (2.0 * sampled.length));
    let across = |k: usize| (view.first[k] as f64 + mean[k]) * view.pixel[k];
    let middle = view.axes.vector([across(0), across(1), view.near + mean[2] * view.step]);
    Ok((mended(volume, fullness, ratio), view.anchor + middle))
}

/// What the intervals ask for: a pair that needs another normal, or several, is not for the view at hand.
fn weigh(
    scene: &Scene<'_>,
    view: &View,
    sampled: &SampledPatch,
    normal: &Vector3<f64>,
    samplers: &mut Samplers,
) -> Result<(), Redo> {
    let separation = sampled.apart[usize::from(view.axes.sign(normal) < 0.0)] as f64;
    if separation > tunables::WRAPPED_LENGTH * f64::from(sampled.longest) + 4.0 {
        return Err(Redo::Wraps);
    }
    let mut constraints: Vec<SeparationConstraint> = Vec::with_capacity(sampled.intervals.len());
    penetration::gather(scene, view, &sampled.intervals, &mut constraints);
    match penetration::minimum_norm_translation(&constraints) {
        MinimumNorm::Infeasible => Err(Redo::Opposed),
        MinimumNorm::Translation(asked) => {
            if asked.norm() < tunables::CONSTRAINT_GAIN * separation * view.step {
                samplers.asked.push(asked);
            }
            Ok(())
        }
        MinimumNorm::Aligned => Ok(()),
    }
}

/// Returns whether three quarters of the intervals end on faces of one body that lie in one plane, and the plane's normal is not `normal`: the
/// face of a foot over an edge, which holds it.
fn leans_from_face(
    scene: &Scene<'_>,
    intervals: &[OverlapInterval],
    normal: &Vector3<f64>,
    sign: f64,
) -> bool {
    Side::BOTH.into_iter().any(|side| {
        let (toward, outward) = if side == Side::A { (sign > 0.0, 1.0) } else { (sign < 0.0, -1.0) };
        let faces = intervals.iter().filter_map(|interval| {
            let own = &interval.solid[side.index()];
            scene.facet_normal(side, if toward { own.close_triangle } else { own.open_triangle })
        });
        let is_same = |p: &Vector3<f64>, q: &Vector3<f64>| p.dot(q) >= tunables::SAME_FACE;
        // A plane with more than half of the intervals outlasts all others (Boyer and Moore, 1991).
        let mut most = None;
        let mut ahead = 0;
        for face in faces.clone() {
            match most {
                Some(known) if is_same(&known, &face) => ahead += 1,
                Some(_) if ahead > 0 => ahead -= 1,
                _ => (most, ahead) = (Some(face), 1),
            }
        }
        most.is_some_and(|most| {
            4 * faces.filter(|face| is_same(&most, face)).count() >= 3 * intervals.len()
                && most.dot(normal) * outward < tunables::SAME_FACE
        })
    })
}
