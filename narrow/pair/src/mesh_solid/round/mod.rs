//! The contacts of a closed mesh and a round primitive: a sphere, a capsule or a cylinder.
//!
//! The triangles near the primitive come in, one patch per connected region of contact comes out.
//! Each region's depth is the exact distance that the primitive must move along the region's normal
//! until it is free of the region's triangles. If all regions together do not free the primitive,
//! one translation takes their place.

mod candidates;
mod faces;
mod regions;
mod translation;
mod volumes;

use impinge_exact::MeshSolid;
use impinge_geometry::{Containment, Primitive, Side};
use nalgebra::{Point3, Vector3};

use super::hits::MeshSolidPair;
use crate::patch::{PairResult, Patch, PatchOrigin, PatchPoint};
use crate::patches::pressure_center;
use crate::sampler::Samplers;
use crate::spare_points::SparePoints;
use crate::tunables;
use candidates::LocalPoint;
use faces::FaceScratch;
use regions::RoundRegion;
use volumes::OverlapSums;

/// A shift this many times as long as the deepest place asks for is compared with others. Smaller
/// searches in corners of three walls, where √3 times is right; larger misses shorter ways out of
/// holes.
const LONG: f64 = 1.8;

/// The part of a translation by which bodies are moved farther to test whether it frees them.
const BEYOND: f64 = 1e-6;

/// Buffers of this room.
#[derive(Debug, Default)]
pub(super) struct RoundScratch {
    faces: FaceScratch,
    regions: Vec<RoundRegion>,
    points: Vec<LocalPoint>,
}

/// Returns whether this room finds the contacts of a pair. It does not for open surfaces, and not
/// for meshes whose shells overlap.
pub(super) fn covers(both: &MeshSolidPair<'_, '_>) -> bool {
    !matches!(both.pair.primitive, Primitive::HalfSpace | Primitive::Cuboid { .. })
        && both.scene.both_closed()
        && both.scene.counts_once()
}

/// Adds the patches of a pair that [`covers`] names, and sets whether it touches. Returns `false`
/// if the primitive holds the whole mesh, which this room does not answer.
pub(super) fn contacts(
    both: &MeshSolidPair<'_, '_>,
    leaves: &[u32],
    (scratch, spare): (&mut RoundScratch, &mut SparePoints),
    samplers: &mut Samplers,
    out: &mut PairResult,
) -> bool {
    scratch.faces.gather(&both.pair, leaves);
    let RoundScratch { faces: FaceScratch { faces, .. }, regions, .. } = &mut *scratch;
    if faces.len() == both.pair.surface.faces().triangle_bound() as usize && both.pair.holds_mesh() {
        return false;
    }
    let [_, primitive_in] = both.pair.containments();
    let is_enclosed = faces.is_empty() && both.pair.encloses_primitive();
    out.containment = if is_enclosed { primitive_in } else { Containment::None };
    out.touching = !faces.is_empty() || is_enclosed;
    if !out.touching {
        return true;
    }
    regions::find(&both.pair.primitive, faces, regions);
    let together = translation::minimum_norm(regions);
    let frees = together.is_some_and(|shift| {
        let beyond = shift * (1.0 + BEYOND) + shift.normalize() * (BEYOND * 1e-3 * both.scene.radius);
        is_free(both, &beyond)
    });
    // A shift much longer than any place is inside the radius may not be the shortest way out.
    let deepest = faces.iter().map(|face| face.depth).fold(0.0, f64::max);
    let length = together.filter(|_| frees).map_or(f64::INFINITY, |shift| shift.norm());
    let is_long = length > if deepest > 0.0 { LONG * deepest } else { f64::MAX };
    if is_long
        && let Some(found) = translation::search(both, together, (faces, regions), samplers)
        && found.length < tunables::TRANSLATION_GAIN * length
    {
        push_one(both, &found, (scratch, spare), out);
        return true;
    }
    push_regions(both, (scratch, spare), out);
    true
}

/// Tests whether the primitive is free of the mesh once it has moved by a shift (m, the primitive's
/// frame).
fn is_free(both: &MeshSolidPair<'_, '_>, shift: &Vector3<f64>) -> bool {
    let mut frame = *both.pair.frame;
    frame.offset[Side::B.index()] += both.a_to_b(&(both.pair.rotation() * -shift));
    !MeshSolid { frame: &frame, ..both.pair }.touches()
}

/// Adds a patch for each region.
fn push_regions(
    both: &MeshSolidPair<'_, '_>,
    (scratch, spare): (&mut RoundScratch, &mut SparePoints),
    out: &mut PairResult,
) {
    let RoundScratch { faces: FaceScratch { faces, .. }, regions, points } = scratch;
    for (number, region) in regions.iter().enumerate() {
        let own = &faces[region.faces.clone()];
        let sums = OverlapSums::of_faces(&both.pair.primitive, own, &region.normal, region.length);
        candidates::find(&both.pair.primitive, own, region, points);
        let (area, moment) = volumes::wrench_of(own);
        let frame = PatchFrame { both, number, is_exact: true };
        out.patches.push(frame.patch(region, (area, moment), &sums, (points, spare.take())));
    }
}

/// Adds the patch of one translation in the place of all regions.
fn push_one(
    both: &MeshSolidPair<'_, '_>,
    found: &RoundRegion,
    (scratch, spare): (&mut RoundScratch, &mut SparePoints),
    out: &mut PairResult,
) {
    let RoundScratch { faces: FaceScratch { faces, .. }, points, .. } = scratch;
    let sums = OverlapSums::along(&both.pair, &found.normal, found.length);
    candidates::find(&both.pair.primitive, faces, found, points);
    // The area vector of several overlaps has no direction that a contact could use.
    let area = found.normal * if found.length > 0.0 { sums.volume / found.length } else { 0.0 };
    let frame = PatchFrame { both, number: 0, is_exact: false };
    out.patches.push(frame.patch(found, (area, Vector3::zeros()), &sums, (points, spare.take())));
}

/// A patch that is being made.
struct PatchFrame<'p, 'a, 'b> {
    both: &'p MeshSolidPair<'a, 'b>,
    /// The number of the region.
    number: usize,
    /// The area vector is that of the surface, with its moment.
    is_exact: bool,
}

impl PatchFrame<'_, '_, '_> {
    /// Returns the patch of a region. The area vector points from the mesh to the primitive; like
    /// the moment, ∫ x × dA, it is in the primitive's frame. The points go to `list`, which is empty.
    fn patch(
        &self,
        region: &RoundRegion,
        (area, moment): (Vector3<f64>, Vector3<f64>),
        sums: &OverlapSums,
        (points, mut list): (&[LocalPoint], Vec<PatchPoint>),
    ) -> Patch {
        let pair = &self.both.pair;
        // From the mesh to the primitive, and from A to B.
        let a_to_b = |v: &Vector3<f64>| self.both.a_to_b(&(pair.rotation() * -v));
        let normal = a_to_b(&region.normal);
        let place = |p: &Point3<f64>| pair.to_frame(p);
        let first =
            place(&points.first().map_or(Point3::origin(), |p| nalgebra::center(&p.on_mesh, &p.on_solid)));
        let centroid = if sums.volume > 0.0 { place(&sums.centroid) } else { first };
        // A contact that only touches has no area, and its points need some weight.
        let least = 1e-6 * self.both.scene.radius;
        let mut gradient = a_to_b(&area);
        let has_area = gradient.norm() > least * least * 1e-6;
        if !has_area {
            gradient = normal * (least * least);
        }
        let torque = if self.is_exact && has_area {
            let origin = pair.to_frame(&Point3::origin()).coords;
            a_to_b(&moment) + origin.cross(&gradient)
        } else {
            centroid.coords.cross(&gradient)
        };
        let weight = gradient.norm() / points.len().max(1) as f64;
        list.extend(points.iter().map(|p| {
            let (on_mesh, on_solid) = (place(&p.on_mesh), place(&p.on_solid));
            let [on_a, on_b] = if pair.mesh == Side::A { [on_mesh, on_solid] } else { [on_solid, on_mesh] };
            let depth = (on_a - on_b).dot(&normal).min(region.length);
            PatchPoint { on_a, on_b, depth, weight, key: (self.number as u64) << 8 | u64::from(p.key) }
        }));
        let far = list.iter().map(|p| (nalgebra::center(&p.on_a, &p.on_b) - centroid).norm());
        Patch {
            normal,
            depth: region.length,
            volume: sums.volume,
            gradient,
            torque,
            centroid,
            pressure_center: pressure_center(&gradient, &torque, &centroid),
            radius: far.fold((gradient.norm() / std::f64::consts::PI).sqrt(), f64::max),
            points: list,
            corners: Vec::new(),
            sectors: Vec::new(),
            origin: if region.length > 0.0 { PatchOrigin::OverlapIntervals } else { PatchOrigin::Touch },
            region: None,
        }
    }
}
