//! Contact regions from the exact overlaps of two closed surfaces.

use impinge_exact::id_table::IdTable;
use impinge_exact::overlap::Overlap;
use impinge_exact::radix;
use impinge_exact::translation::Clearance;
use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use super::candidates::Candidates;
use super::lines::Lines;
use super::pair_overlaps::PairOverlaps;
use crate::patch::PatchPoint;
use crate::penetration::Plane;
use crate::scene::Scene;

/// A connected overlap, or a part of one, as a contact.
#[derive(Clone, Debug)]
pub(crate) struct ContactRegion {
    /// The overlap's name.
    pub overlap: u32,
    /// Unit, from A to B; `None` if the faces cancel, as around a rod through a plate.
    pub normal: Option<Vector3<f64>>,
    /// The body whose plane gave the normal: most of its faces lie in it.
    pub flat_side: Option<Side>,
    /// B, moved along the normal, meets its own region's triangles long after the region.
    pub is_pierced: bool,
    /// Area vector of A's surface inside B (m²), and its torque about the pair frame's origin (m³).
    pub gradient: Vector3<f64>,
    pub torque: Vector3<f64>,
    /// Volume (m³) and its centroid (m, pair frame).
    pub volume: f64,
    pub centroid: Point3<f64>,
    /// The triangles of A and of B that bound it, as ranges of [`RegionScratch::triangles`].
    pub triangles: [std::ops::Range<usize>; 2],
    /// The separating distance along the normal, once it is known.
    pub shift: Option<Clearance>,
    /// The whole of B is known to be free there.
    pub is_free: bool,
    /// Contact points along the normal.
    pub points: Vec<PatchPoint>,
    /// Those of the points that stand at corners.
    pub corners: Vec<u32>,
}

impl ContactRegion {
    /// Returns how far B has to move along the region's normal (m); 0 if that is unknown.
    pub fn depth(&self) -> f64 {
        self.shift.map_or(0.0, |shift| shift.length)
    }

    /// Returns the longest line through it along its normal (m), as far as its points tell.
    pub fn longest_line(&self) -> f64 {
        self.points.iter().map(|point| point.depth).fold(0.0, f64::max)
    }

    /// Returns a separating distance (m) of which nothing else is known.
    pub fn known_only(&self, length: f64) -> Option<Clearance> {
        Some(Clearance { length, normal: None, triangles: None, points: [self.centroid; 2] })
    }

    /// Keeps some of the contact points.
    pub fn keep_points(&mut self, is_kept: impl Fn(&PatchPoint) -> bool) {
        let points = &self.points;
        self.corners.retain(|&corner| is_kept(&points[corner as usize]));
        for corner in &mut self.corners {
            *corner = points[..*corner as usize].iter().filter(|point| is_kept(point)).count() as u32;
        }
        self.points.retain(is_kept);
    }

    /// Returns the plane that a translation of B has to get beyond.
    pub fn plane(&self) -> Option<Plane> {
        Some(Plane { normal: self.normal?, offset: self.shift?.length })
    }
}

/// Buffers of the contact regions of a pair.
#[derive(Debug, Default)]
pub(crate) struct RegionScratch {
    pub list: Vec<ContactRegion>,
    /// The triangles of each side that bound overlaps, overlap after overlap.
    pub triangles: [Vec<u32>; 2],
    pub candidates: Candidates,
    pub lines: Lines,
    pub planes: Vec<Plane>,
    ranges: [Vec<(u32, std::ops::Range<usize>)>; 2],
    named: Vec<(u32, u32)>,
    room: Vec<(u32, u32)>,
    last: IdTable,
}

/// Two surfaces whose area vector is shorter than this part of their faces' area have no normal of their own. Smaller takes
/// what is left of opposite faces for a direction; larger searches for rings.
const LEAST_NET_AREA: f64 = 0.25;

/// A plane whose faces have at least this part of one body's area in an overlap gives the normal: a foot over an edge is held by the
/// face, not by the edge's side. Smaller lets edges turn normals; larger lets normals lean where a body is less deep.
const LEAST_FLAT: f64 = 0.75;

/// Faces whose area vector is shorter than this part of their area bend, by 10° on average. Larger takes curved contacts for
/// corners; smaller takes corners and threads for contacts with one normal.
const BENT: f64 = 0.985;

/// Overlaps that are thinner than this part of the bodies' radius, on average, are touches: rounding says how their faces lie.
const TOUCH: f64 = 1e-9;

/// Returns whether the regions of a pair are made from its exact overlaps. That takes real faces, of which none lie in one plane.
/// An overlap whose faces look at its middle and bend may be several contacts, as a corner of floor and wall, or a thread; such
/// pairs are sampled, and so are overlaps no larger than rounding, which have no faces to speak of.
pub(crate) fn is_exact(scene: &Scene<'_>, crossing: &PairOverlaps<'_>) -> bool {
    let mut list = crossing.exact.list();
    let is_touch = |overlap: &Overlap| {
        let area = overlap.face_areas[0].max(overlap.face_areas[1]);
        overlap.volume <= TOUCH * scene.radius * area
    };
    let may_be_several = |overlap: &Overlap| {
        let is_flat = overlap.face_areas.iter().any(|area| overlap.gradient.norm() >= BENT * area);
        !is_flat && overlap.fluxes.iter().any(|flux| *flux < 0.0)
    };
    let is_known =
        scene.surfaces.is_some() && !crossing.found.has_coplanar() && list.clone().next().is_some();
    is_known && !list.any(|overlap| is_touch(overlap) || may_be_several(overlap))
}

/// Returns the normal of an overlap, from A to B: that of the plane in which most of one body's faces lie, with that body, else that of the
/// area vector; none if the faces cancel.
fn normal_of(overlap: &Overlap) -> Option<(Vector3<f64>, Option<Side>)> {
    let area = overlap.gradient.norm();
    let faces = overlap.face_areas[0].min(overlap.face_areas[1]);
    let share = |k: usize| overlap.flat_areas[k].norm() / overlap.face_areas[k];
    let (side, flat) = if share(1) > share(0) { (1, share(1)) } else { (0, share(0)) };
    let is_flat = flat >= LEAST_FLAT;
    let normal = if is_flat {
        overlap.flat_areas[side].normalize() * if side == 0 { 1.0 } else { -1.0 }
    } else {
        overlap.gradient / area
    };
    (area > LEAST_NET_AREA * faces && normal.iter().all(|x| x.is_finite()))
        .then_some((normal, is_flat.then_some(Side::BOTH[side])))
}

impl RegionScratch {
    /// Makes a region of each overlap, without points and distances.
    pub fn gather(&mut self, crossing: &PairOverlaps<'_>) {
        self.list.clear();
        for side in Side::BOTH {
            self.gather_triangles(crossing, side);
        }
        for overlap in crossing.exact.list() {
            let region = self.region(overlap);
            self.list.push(region);
        }
    }

    fn region(&self, overlap: &Overlap) -> ContactRegion {
        let normal = normal_of(overlap);
        ContactRegion {
            overlap: overlap.name,
            normal: normal.map(|(normal, _)| normal),
            flat_side: normal.and_then(|(_, side)| side),
            is_pierced: normal.is_none(),
            gradient: overlap.gradient,
            torque: overlap.torque,
            volume: overlap.volume,
            centroid: overlap.centroid,
            triangles: [Side::A, Side::B].map(|side| self.range(side, overlap.name)),
            shift: None,
            is_free: false,
            points: Vec::new(),
            corners: Vec::new(),
        }
    }

    /// Lists the triangles of one side that bound overlaps, each once for an overlap.
    fn gather_triangles(&mut self, crossing: &PairOverlaps<'_>, side: Side) {
        let RegionScratch { named, room, last, .. } = self;
        named.clear();
        last.begin(crossing.contours.loops.len() as u32);
        crossing.exact.triangles(side, |overlap, triangle| {
            if last.get(overlap) != Some(triangle) {
                last.set(overlap, triangle);
                named.push((overlap, triangle));
            }
        });
        radix::sort_by_number(named, room, |(overlap, _)| u64::from(*overlap));
        let k = side.index();
        self.ranges[k].clear();
        self.triangles[k].clear();
        for of in self.named.chunk_by(|p, q| p.0 == q.0) {
            let from = self.triangles[k].len();
            self.triangles[k].extend(of.iter().map(|(_, triangle)| *triangle));
            self.ranges[k].push((of[0].0, from..self.triangles[k].len()));
        }
    }

    fn range(&self, side: Side, overlap: u32) -> std::ops::Range<usize> {
        let ranges = &self.ranges[side.index()];
        match ranges.binary_search_by_key(&overlap, |(name, _)| *name) {
            Ok(at) => ranges[at].1.clone(),
            Err(_) => 0..0,
        }
    }
}
