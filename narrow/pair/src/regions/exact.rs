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
    /// Whether the whole of B is known to be free there.
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
const LEAST_NET_AREA: f64 = 0.05;

/// Faces whose area vector is shorter than this part of their area bend, by 10° on average. Larger takes curved contacts for
/// corners; smaller takes corners and threads for contacts with one normal.
const BENT: f64 = 0.985;

/// Where one body's faces in an overlap are smaller than this part of the other's, one body pierces the other. Smaller takes plates
/// for corners; larger takes pegs in tight holes for plates.
const PIERCED: f64 = 0.5;

/// Returns whether the regions of a pair are made from its exact overlaps. That takes real faces, of which none lie in one plane.
/// An overlap in which the faces of both bodies bend may be several contacts, as a corner of floor and wall, or a thread;
/// such pairs are sampled. A body that pierces another has much more surface in it than the other in it.
pub(crate) fn is_exact(scene: &Scene<'_>, crossing: &PairOverlaps<'_>) -> bool {
    let mut list = crossing.exact.list();
    let may_be_several = |overlap: &Overlap| {
        let [p, q] = flatness(overlap);
        let [a, b] = overlap.face_areas;
        p.max(q) < BENT && a.min(b) >= PIERCED * a.max(b)
    };
    let is_known =
        scene.surfaces.is_some() && !crossing.found.has_coplanar() && list.clone().next().is_some();
    is_known && !list.any(may_be_several)
}

/// Returns the length of an overlap's area vector by the area of its faces, of A's and of B's surface.
fn flatness(overlap: &Overlap) -> [f64; 2] {
    let area = overlap.gradient.norm();
    overlap.face_areas.map(|faces| if faces > 0.0 { area / faces } else { 1.0 })
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
        let area = overlap.gradient.norm();
        let faces = overlap.face_areas[0].min(overlap.face_areas[1]);
        let normal = (area > LEAST_NET_AREA * faces).then(|| overlap.gradient / area);
        ContactRegion {
            overlap: overlap.name,
            normal: normal.filter(|n| n.iter().all(|x| x.is_finite())),
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
