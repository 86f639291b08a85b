//! Manifolds of a region that winds round its normal: one for each third of the turn, with four points whose normals are
//! those of their sectors.
//!
//! A point stands where its sector presses: on the line along which a single force has the sector's force and its moment,
//! but for what the sector itself winds. So the points together have the wrench of the region and do no work as it slides along its
//! thread, whichever of them a solver loads; and there are enough of them, in two heights, to leave no other motion free.

use std::ops::Range;

use impinge_pair::{Patch, PatchPoint, Sector};
use nalgebra::{Point3, Vector3};

use crate::tunables::{SECTOR_KEY, SECTOR_SUM};

/// Sectors that share a manifold.
const SHARED: u32 = 4;

/// A sector as a contact point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SectorPoint {
    pub candidate: PatchPoint,
    /// Its unit normal, its force, and that force's length (m²).
    normal: Vector3<f64>,
    force: Vector3<f64>,
    pub weight: f64,
    /// What a force there lacks of its sector's moment about the region's axis (m³).
    lacks: f64,
    /// What its normal has beside the manifold's, across it.
    pub tilt: Vector3<f64>,
}

impl SectorPoint {
    fn middle(&self) -> Point3<f64> {
        nalgebra::center(&self.candidate.on_a, &self.candidate.on_b)
    }

    fn torque(&self) -> Vector3<f64> {
        self.middle().coords.cross(&self.force)
    }
}

/// A third of a region.
#[derive(Clone, Debug)]
pub(crate) struct SectorManifold {
    pub normal: Vector3<f64>,
    pub depth: f64,
    /// Its part of the region's volume.
    pub share: f64,
    pub force: Vector3<f64>,
    pub torque: Vector3<f64>,
    pub centroid: Point3<f64>,
    /// Its points among [`Sectors::points`].
    points: Range<usize>,
}

/// The sectors of a patch as manifolds.
#[derive(Debug, Default)]
pub(crate) struct Sectors {
    pub manifolds: Vec<SectorManifold>,
    points: Vec<SectorPoint>,
    /// What every sector has of the patch's candidates.
    own: Vec<Candidates>,
}

/// The candidates of a patch that are nearer to one sector than to all others; and, of all, the one nearest to it.
#[derive(Clone, Copy, Debug)]
struct Candidates {
    /// How many there are, and the sum of their depths (m).
    count: f64,
    sum: f64,
    /// How far that one is away, squared (m²), and which it is.
    nearest: (f64, usize),
}

impl Default for Candidates {
    fn default() -> Candidates {
        Candidates { count: 0.0, sum: 0.0, nearest: (f64::INFINITY, 0) }
    }
}

impl Sectors {
    /// The points of one of the manifolds, deepest first.
    pub fn points(&self, manifold: &SectorManifold) -> &[SectorPoint] {
        &self.points[manifold.points.clone()]
    }

    /// Finds the manifolds of a patch with sectors, in the order of these; none where they are not `asked` for, it has none, or
    /// they are no longer its own.
    pub fn find(&mut self, patch: &Patch, asked: bool) {
        self.manifolds.clear();
        if asked && has_sectors(patch) {
            self.place(patch);
            sector_manifolds(patch, &mut self.points, &mut self.manifolds);
        }
    }

    /// The sectors as points. Each is as deep as the candidates nearest to it are in the mean, the deepest of them as deep as
    /// the patch: what single lines find between facets changes from step to step and would rock what lies on the thread.
    fn place(&mut self, patch: &Patch) {
        let Sectors { points, own, .. } = self;
        points.clear();
        points.extend(patch.sectors.iter().map(|sector| place(patch, sector)));
        own.clear();
        own.resize(points.len(), Candidates::default());
        for (index, candidate) in patch.points.iter().enumerate() {
            let at = middle(candidate);
            let mut nearest = (f64::INFINITY, 0);
            for (k, (point, own)) in points.iter().zip(&mut *own).enumerate() {
                let away = (point.candidate.on_a - at).norm_squared();
                if away < nearest.0 {
                    nearest = (away, k);
                }
                if away < own.nearest.0 {
                    own.nearest = (away, index);
                }
            }
            let own = &mut own[nearest.1];
            (own.count, own.sum) = (own.count + 1.0, own.sum + candidate.depth);
        }
        let mean = |own: &Candidates| match own.count > 0.0 {
            true => own.sum / own.count,
            false => patch.points[own.nearest.1].depth,
        };
        let missing = patch.depth - own.iter().map(mean).fold(f64::NEG_INFINITY, f64::max);
        for (point, own) in points.iter_mut().zip(&*own) {
            let depth = (mean(own) + missing) * patch.normal.dot(&point.normal);
            // Along its line to where the surfaces are.
            let near = middle(&patch.points[own.nearest.1]);
            let at = point.candidate.on_a;
            let at = at + point.normal * (near - at).dot(&point.normal);
            let half = point.normal * (0.5 * depth);
            point.candidate = PatchPoint { on_a: at + half, on_b: at - half, depth, ..point.candidate };
        }
    }
}

/// The middle of a candidate.
fn middle(candidate: &PatchPoint) -> Point3<f64> {
    nalgebra::center(&candidate.on_a, &candidate.on_b)
}

/// Whether a patch has sectors that are its own.
fn has_sectors(patch: &Patch) -> bool {
    let sum: Vector3<f64> = patch.sectors.iter().map(|sector| sector.gradient).sum();
    !(patch.sectors.is_empty() || (sum - patch.gradient).norm() > SECTOR_SUM * patch.gradient.norm())
}

/// Winds the points of a patch's sectors, and makes manifolds of them.
fn sector_manifolds(patch: &Patch, points: &mut [SectorPoint], out: &mut Vec<SectorManifold>) {
    wind(patch, points);
    let lacks = patch.torque - points.iter().map(SectorPoint::torque).sum::<Vector3<f64>>();
    let area: f64 = points.iter().map(|point| point.weight).sum();
    let mut from = 0;
    for group in patch.sectors.chunk_by(|p, q| p.index / SHARED == q.index / SHARED) {
        let own = from..from + group.len();
        out.extend(manifold(patch, &lacks, area, (&mut points[own.clone()], own)));
        from += group.len();
    }
    let total: f64 = out.iter().map(|manifold| manifold.share).sum();
    out.iter_mut().filter(|_| total > 0.0).for_each(|manifold| manifold.share /= total);
}

/// Turns the points' forces round the region's axis, so that each has its sector's moment about it.
fn wind(patch: &Patch, points: &mut [SectorPoint]) {
    let axis = &patch.normal;
    let mut excess = Vector3::zeros();
    let area: f64 = points.iter().map(|point| point.weight).sum();
    for point in &mut *points {
        let arm = point.middle() - patch.pressure_center;
        let around = axis.cross(&arm);
        let square = around.norm_squared();
        if square > 0.0 {
            let change = around * (point.lacks / square);
            point.force += change;
            excess += change;
        }
    }
    for point in points {
        point.force -= excess * (point.weight / area);
        point.weight = point.force.norm();
        point.normal = point.force / point.weight;
    }
}

/// A sector's line of force; its point is not yet on the surfaces.
fn place(patch: &Patch, sector: &Sector) -> SectorPoint {
    let weight = sector.gradient.norm();
    let normal = sector.gradient / weight;
    let foot = sector.gradient.cross(&sector.torque) / (weight * weight);
    let height = (patch.centroid.coords - foot).dot(&normal);
    let on_a = Point3::from(foot + normal * height);
    let key = SECTOR_KEY | u64::from(sector.index);
    let candidate = PatchPoint { on_a, on_b: on_a, depth: 0.0, weight, key };
    let own = (sector.torque - patch.pressure_center.coords.cross(&sector.gradient)).dot(&patch.normal);
    let has = (on_a - patch.pressure_center).cross(&sector.gradient).dot(&patch.normal);
    SectorPoint {
        candidate,
        normal,
        force: sector.gradient,
        weight,
        lacks: own - has,
        tilt: Vector3::zeros(),
    }
}

fn manifold(
    patch: &Patch,
    lacks: &Vector3<f64>,
    area: f64,
    (points, own): (&mut [SectorPoint], Range<usize>),
) -> Option<SectorManifold> {
    let force: Vector3<f64> = points.iter().map(|point| point.force).sum();
    let normal = force.try_normalize(0.0)?;
    let (mut middle, mut share, mut weights) = (Vector3::zeros(), 0.0, 0.0);
    for point in &mut *points {
        point.tilt = point.normal / point.normal.dot(&normal) - normal;
        middle += point.middle().coords * point.weight;
        weights += point.weight;
        share += point.weight * point.candidate.depth.max(0.0);
    }
    points.sort_by(|p, q| q.candidate.depth.total_cmp(&p.candidate.depth));
    let torque = points.iter().map(SectorPoint::torque).sum::<Vector3<f64>>() + lacks * (weights / area);
    Some(SectorManifold {
        normal,
        depth: points.first()?.candidate.depth,
        share: share.max(f64::MIN_POSITIVE * patch.volume),
        force,
        torque,
        centroid: Point3::from(middle / weights),
        points: own,
    })
}
