//! Faces that meet in one plane beside an overlap.

use nalgebra::Vector3;

use super::feature::{Feature, FeatureKind};
use crate::tunables;
use impinge_exact::intersect::{Coplanar, DegeneratePair, Intersections, TouchKind};

/// Which faces are set apart from their cluster, and what its contours lose by that.
#[derive(Debug, Default)]
pub(crate) struct FlushFaces {
    /// For each feature 0, or which of its family's groups of faces it belongs to; empty where all are 0.
    groups: Vec<u32>,
    /// What to add to the area vector (m²) and the torque part (m³) of features.
    pub changes: Vec<(u32, Vector3<f64>, Vector3<f64>)>,
    /// Normals of the groups of one cluster.
    normals: Vec<Vector3<f64>>,
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
