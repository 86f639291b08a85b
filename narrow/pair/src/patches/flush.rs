//! What lies together and yet is several contacts: faces that meet in one plane beside an overlap, and overlaps with the
//! faces of a corner.

use nalgebra::Vector3;

use super::feature::{Feature, FeatureKind};
use crate::tunables;
use impinge_exact::intersect::{Coplanar, DegeneratePair, Intersections, TouchKind};
use impinge_image_space::view::Extent;

/// Which faces are set apart from their cluster, and what its contours lose by that.
#[derive(Debug, Default)]
pub(crate) struct FlushFaces {
    /// For each feature 0, or which of its family's groups of faces it belongs to; empty where all are 0.
    groups: Vec<u32>,
    /// What to add to the area vector (m²) and the torque part (m³) of features.
    pub changes: Vec<(u32, Vector3<f64>, Vector3<f64>)>,
    /// Normals of the groups of one cluster.
    normals: Vec<Vector3<f64>>,
    /// The overlaps of one cluster.
    overlaps: Vec<OverlapFace>,
}

/// Groups from here on are overlaps in a corner.
const FIRST_CORNER: u32 = 1 << 16;

/// An overlap that one contour bounds, as a face.
#[derive(Clone, Copy, Debug)]
pub(super) struct OverlapFace {
    component: u32,
    /// From A to B, unit.
    normal: Vector3<f64>,
    extent: Extent,
    group: u32,
}

impl OverlapFace {
    /// The overlap of a contour; nothing of what bounds none.
    pub fn of(feature: &Feature) -> Option<Self> {
        let normal = feature.gradient.try_normalize(0.0)?;
        Some(Self { component: feature.component?, normal, extent: feature.extent, group: 0 })
    }

    /// Whether two overlaps differ and their faces look at each other, be they A's or B's.
    pub fn is_in_corner_with(&self, other: &Self) -> bool {
        let facing = |sign: f64| self.is_before(other, sign) && other.is_before(self, sign);
        self.component != other.component
            && self.normal.dot(&other.normal) < tunables::CREASE
            && (facing(1.0) || facing(-1.0))
    }

    /// Whether it lies in front of another's face, which looks along its normal (`sign` 1) or against it.
    fn is_before(&self, other: &Self, sign: f64) -> bool {
        let [own, others] = [self, other].map(|overlap| Vector3::from(overlap.extent.center()));
        let reach: f64 = (0..3).map(|k| other.normal[k].abs() * self.extent.size(k)).sum();
        sign * (own - others).dot(&other.normal) > tunables::LEAST_CONCAVITY * reach
    }
}

/// The coplanar faces of a feature that meet face to face, with an area.
pub(crate) fn face_to_face<'a>(
    feature: &Feature,
    intersections: &'a Intersections,
) -> Option<(&'a DegeneratePair, &'a Coplanar)> {
    let FeatureKind::Face(index) = feature.kind else { return None };
    let pair = &intersections.degenerate[index as usize];
    match &pair.kind {
        TouchKind::Coplanar(face) if !face.same_side => Some((pair, face)),
        _ => None,
    }
}

impl FlushFaces {
    pub fn clear(&mut self) {
        self.groups.clear();
        self.changes.clear();
    }

    /// Whether a feature is in a group of faces that only meet.
    pub fn is_flush(&self, feature: u32) -> bool {
        (1..FIRST_CORNER).contains(&self.group(feature))
    }

    /// The group of a feature.
    pub fn group(&self, feature: u32) -> u32 {
        self.groups.get(feature as usize).copied().unwrap_or(0)
    }

    /// Finds the faces of clusters whose contours bound more than these, or that face several ways; whether there are
    /// any.
    pub fn find(
        &mut self,
        list: &[Feature],
        members: &[u32],
        starts: &[u32],
        intersections: &Intersections,
    ) -> bool {
        self.clear();
        for range in starts.windows(2) {
            self.cluster(list, &members[range[0] as usize..range[1] as usize], intersections);
        }
        !self.groups.is_empty()
    }

    /// Sets overlaps apart that lie beside each other with faces that look at each other: a box that has sunk into the
    /// floor and, above it, into the wall has two contacts, whether one contour runs over both or each has its own.
    /// Whether there are any.
    pub fn set_corners_apart(&mut self, list: &[Feature], members: &[u32], starts: &[u32]) -> bool {
        let mut any = false;
        for range in starts.windows(2) {
            any |= self.corners(list, &members[range[0] as usize..range[1] as usize]);
        }
        any
    }

    fn corners(&mut self, list: &[Feature], members: &[u32]) -> bool {
        self.overlaps.clear();
        for &m in members {
            let Some(overlap) = OverlapFace::of(&list[m as usize]) else { continue };
            // The rims of one overlap are one contact.
            if self.overlaps.iter().any(|own| own.component == overlap.component) {
                return false;
            }
            self.overlaps.push(overlap);
        }
        let count = self.overlaps.len();
        if !(2..=tunables::MOST_CORNER_OVERLAPS).contains(&count) {
            return false;
        }
        let mut groups = 1;
        for i in 1..count {
            let (known, rest) = self.overlaps.split_at_mut(i);
            let own = &mut rest[0];
            let apart = |group: u32| {
                known.iter().filter(|other| other.group == group).any(|other| own.is_in_corner_with(other))
            };
            own.group = (0..groups).find(|&group| !apart(group)).unwrap_or(groups);
            groups = groups.max(own.group + 1);
        }
        if groups == 1 || groups as usize > tunables::NORMAL_CLUSTERS {
            return false;
        }
        self.groups.resize(list.len(), 0);
        for &m in members {
            let own = |overlap: &&OverlapFace| Some(overlap.component) == list[m as usize].component;
            if let Some(overlap) = self.overlaps.iter().find(own).filter(|overlap| overlap.group > 0) {
                self.groups[m as usize] = FIRST_CORNER + overlap.group;
            }
        }
        true
    }

    fn cluster(&mut self, list: &[Feature], members: &[u32], intersections: &Intersections) {
        let zero = Vector3::zeros();
        let (mut loops, mut size, mut largest) = (zero, 0.0, None);
        let (mut counted, mut torque, mut area) = (zero, zero, 0.0);
        for &m in members {
            let feature = &list[m as usize];
            if let FeatureKind::Loop(_) = feature.kind {
                let own = feature.gradient.norm();
                loops += feature.gradient;
                size += own;
                largest = match largest {
                    Some((_, most)) if most >= own => largest,
                    _ => Some((m, own)),
                };
            } else if let Some((pair, face)) = face_to_face(feature, intersections) {
                area += face.area;
                if face.counted {
                    let own = pair.normal * face.area;
                    counted += own;
                    torque += face.center.coords.cross(&own);
                }
            }
        }
        if area == 0.0 {
            return;
        }
        self.normals.clear();
        for &m in members {
            let Some((pair, _)) = face_to_face(&list[m as usize], intersections) else { continue };
            if self.normals.iter().all(|n| n.dot(&pair.normal) <= tunables::CREASE) {
                self.normals.push(pair.normal);
            }
        }
        let overlap = (loops - counted).norm() > tunables::FLUSH_AREA * (size + area);
        if !overlap && self.normals.len() == 1 {
            return;
        }
        if let Some((loop_of_most, _)) = largest {
            self.changes.push((loop_of_most, -counted, -torque));
        }
        self.groups.resize(list.len(), 0);
        for &m in members {
            let Some((pair, face)) = face_to_face(&list[m as usize], intersections) else {
                // Without an overlap, edges and contours go with the faces that they are the borders of.
                self.groups[m as usize] = u32::from(!overlap);
                continue;
            };
            let known = self.normals.iter().position(|n| n.dot(&pair.normal) > tunables::CREASE);
            self.groups[m as usize] = known.map_or(1, |group| group as u32 + 1);
            if face.counted {
                // Its own patch has all of its area.
                let own = pair.normal * face.area;
                self.changes.push((m, own, face.center.coords.cross(&own)));
            }
        }
    }
}
