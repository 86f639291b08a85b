//! Sectors of a region that winds round its normal, as the flank of a nut lies on that of its bolt.
//!
//! What the normals of such a region have across the common one goes all round and cancels in G. Parallel forces, tilted for
//! the moment, hold the nut along the axis and tell it to turn, but they do not hold it in the middle; and four of
//! them leave it two motions where a thread leaves one. So the region is cut into sixths of the turn and into its
//! upper and lower half: the polygons of A's surface inside B are put where their middles are, and their area vectors added
//! up. As every polygon goes to one sector, sectors together have the region's G and torque to rounding.

use impinge_exact::Refilled;
use impinge_exact::overlap::{FacetScratch, InsideFacet};
use impinge_geometry::{PairFrame, Side};
use impinge_image_space::intervals::OverlapInterval;
use nalgebra::Vector3;

use super::intersection::SurfaceIntersection;
use crate::patch::{Patch, Sector};
use crate::patches::{ExactOverlaps, FeatureKind};
use crate::penetration::common_normal;
use crate::scene::Scene;
use crate::tunables;

/// Sectors of a region, at most.
const SECTORS: usize = 12;

/// Buffers of this pass.
#[derive(Debug, Default)]
pub(super) struct Sectors {
    /// All of the pair, gathered at the first use.
    all: Refilled<Vec<InsideFacet>>,
    /// Those of the patch at hand.
    facets: Vec<InsideFacet>,
    overlaps: Vec<u32>,
    scratch: FacetScratch,
}

/// What is summed up for one sector.
#[derive(Clone, Copy, Default)]
struct Sum {
    gradient: Vector3<f64>,
    torque: Vector3<f64>,
    area: f64,
}

impl Sectors {
    /// Begins a pair.
    pub fn begin(&mut self) {
        self.all.reset();
    }

    /// Gives the patch of some features its sectors, if its region winds round the normal.
    pub fn find(
        &mut self,
        scene: &Scene<'_>,
        intersection: &SurfaceIntersection<'_>,
        members: &[u32],
        patch: &mut Patch,
    ) {
        let area = patch.gradient.norm();
        let Some(exact) = intersection.exact.filter(|_| may_wind(patch)) else { return };
        self.gather(&exact, intersection, members);
        let found: Vector3<f64> = self.facets.iter().map(|facet| facet.area).sum();
        let all: f64 = self.facets.iter().map(|facet| facet.area.norm()).sum();
        // Faces that only meet are counted in the patch, and are no part of an overlap.
        let whole = (found - patch.gradient).norm() <= tunables::SECTOR_MISSING * area;
        if whole && area <= tunables::SECTOR_LEAN * all && self.slides(patch) {
            let sums = self.sums(scene.frame, patch);
            if winds_round(&sums, patch) {
                let counted = sums.iter().enumerate().filter(|(_, sum)| sum.area > 0.0);
                patch.sectors.extend(counted.map(|(index, sum)| Sector {
                    index: index as u32,
                    gradient: sum.gradient,
                    torque: sum.torque,
                }));
            }
        }
    }

    /// Whether the region could slide on itself in the screw motion in which its force and moment do no work: its polygons
    /// hardly hinder it one by one, other than those of a ball in a bowl that has a moment by chance.
    fn slides(&self, patch: &Patch) -> bool {
        let lead = patch.torque.dot(&patch.normal) / patch.gradient.norm();
        let (mut square, mut all) = (0.0, 0.0);
        for facet in &self.facets {
            let motion = patch.normal.cross(&(facet.middle - patch.pressure_center)) - patch.normal * lead;
            let area = facet.area.norm();
            if area > 0.0 {
                let hindered = facet.area.dot(&motion);
                square += hindered * hindered / area;
                all += area;
            }
        }
        square <= (tunables::SECTOR_SLIDE * lead).powi(2) * all
    }

    /// Gathers the polygons of A's surface in the overlaps of some features.
    fn gather(&mut self, exact: &ExactOverlaps<'_>, intersection: &SurfaceIntersection<'_>, members: &[u32]) {
        let Sectors { all, facets, overlaps, scratch } = self;
        overlaps.clear();
        overlaps.extend(members.iter().filter_map(|&m| match intersection.features.list[m as usize].kind {
            FeatureKind::Loop(index) => exact.of_contour(index),
            FeatureKind::Face(_) | FeatureKind::Touch(_) => None,
        }));
        overlaps.sort_unstable();
        overlaps.dedup();
        let all = all.get_or_fill(|all| {
            all.clear();
            exact.facets(scratch, |facet| all.push(*facet));
        });
        facets.clear();
        facets.extend(all.iter().filter(|facet| overlaps.binary_search(&facet.overlap).is_ok()));
    }

    fn sums(&self, frame: &PairFrame, patch: &Patch) -> [Sum; SECTORS] {
        let [across, along] = axes(frame, &patch.normal);
        let height = |facet: &InsideFacet| (facet.middle - patch.pressure_center).dot(&patch.normal);
        let (mut heights, mut areas) = (0.0, 0.0);
        for facet in &self.facets {
            let area = facet.area.norm();
            heights += height(facet) * area;
            areas += area;
        }
        let mean = heights / areas;
        let mut sums = [Sum::default(); SECTORS];
        for facet in &self.facets {
            let from = facet.middle - patch.pressure_center;
            let part = sixth(from.dot(&across), from.dot(&along));
            let sum = &mut sums[2 * part + usize::from(height(facet) > mean)];
            sum.gradient += facet.area;
            sum.torque += facet.torque;
            sum.area += facet.area.norm();
        }
        sums
    }
}

/// Whether a patch is thin and has a moment about its normal.
fn may_wind(patch: &Patch) -> bool {
    let thin = patch.depth <= tunables::SECTOR_DEPTH * patch.radius;
    let moment = patch.torque.dot(&patch.normal).abs();
    thin && moment >= tunables::SECTOR_LEAD * patch.radius * patch.gradient.norm()
}

/// Whether a patch may have sectors, of which only the ends of some intervals along its normal (or against it: `sign` -1) are
/// known.
pub(super) fn may_have_sectors(
    scene: &Scene<'_>,
    patch: &Patch,
    intervals: &[OverlapInterval],
    sign: f64,
) -> bool {
    let cosines = intervals
        .iter()
        .filter_map(|interval| common_normal(scene, interval, sign))
        .map(|own| own.dot(&patch.normal))
        .filter(|cosine| *cosine >= tunables::SECTOR_FACING);
    let (count, all) = cosines.fold((0.0, 0.0), |(count, all), cosine| (count + 1.0, all + 1.0 / cosine));
    may_wind(patch) && count <= tunables::SECTOR_LEAN * all
}

/// Whether sectors are most of a turn, and have normals of their own that are not far from the patch's.
fn winds_round(sums: &[Sum; SECTORS], patch: &Patch) -> bool {
    let area = patch.gradient.norm();
    let counts = |sum: &&Sum| sum.area > tunables::SECTOR_SHARE * area;
    let clear = |sum: &Sum| {
        let own = sum.gradient.norm();
        own >= tunables::SECTOR_CLEAR * sum.area
            && sum.gradient.dot(&patch.normal) >= tunables::SECTOR_FACING * own
    };
    let parts = sums.chunks(2).filter(|part| part.iter().any(|sum| counts(&sum))).count();
    parts >= tunables::SECTOR_PARTS && sums.iter().filter(counts).all(clear)
}

/// The sixth of the turn, 0 to 5, in which a direction is.
fn sixth(x: f64, y: f64) -> usize {
    let (slow, steep) = (0.5 * y, 0.75f64.sqrt() * x);
    let beyond = usize::from(slow - steep >= 0.0) + usize::from(-slow - steep >= 0.0);
    if y >= 0.0 { beyond } else { 5 - beyond }
}

/// Two unit axes across a normal (pair frame) that turn with A.
fn axes(frame: &PairFrame, normal: &Vector3<f64>) -> [Vector3<f64>; 2] {
    // Continuous while the same axis of A is the nearest to the normal (Duff et al. 2017, "Building an Orthonormal Basis,
    // Revisited").
    let local = frame.direction_to_local(Side::A, normal);
    let near = local.iamax();
    let (x, y, z) = (local[(near + 1) % 3], local[(near + 2) % 3], local[near]);
    let a = -1.0 / (1.0 + z.abs());
    let mut across = Vector3::zeros();
    across[(near + 1) % 3] = 1.0 + x * x * a;
    across[(near + 2) % 3] = x * y * a;
    across[near] = -x * z.signum();
    let across = frame.rotation[Side::A.index()] * across;
    [across, normal.cross(&across)]
}
