//! The triangles that bound the overlaps of some contours.

use impinge_exact::id_table::IdTable;
use impinge_exact::{Refilled, radix};
use impinge_geometry::Side;

use super::intersection::SurfaceIntersection;
use crate::patches::FeatureKind;
use crate::scene::Scene;

/// The triangles that bound the overlaps of a pair, for each side.
#[derive(Debug, Default)]
pub(crate) struct OverlapTriangles {
    /// Names of overlaps and triangles, each once, by the names; gathered at the first use.
    all: Refilled<[Vec<(u32, u32)>; 2]>,
    room: Vec<(u32, u32)>,
    /// For each overlap the last triangle that was added to it.
    last: IdTable,
    names: Vec<u32>,
    picked: [Vec<u32>; 2],
}

impl OverlapTriangles {
    /// Begins a pair.
    pub fn begin(&mut self) {
        self.all.reset();
    }

    /// Whether all that bounds the overlap of a feature is known to real faces.
    pub fn is_known(scene: &Scene<'_>, intersection: &SurfaceIntersection<'_>, feature: u32) -> bool {
        name(intersection, feature).is_some()
            && scene.surfaces.is_some_and(|both| both.meshes.iter().all(|mesh| !mesh.has_virtual_faces()))
    }

    /// The triangles of A and of B that bound the overlaps of some features, if all of these are [known](Self::is_known).
    pub fn of(
        &mut self,
        scene: &Scene<'_>,
        intersection: &SurfaceIntersection<'_>,
        features: &[u32],
    ) -> Option<[&[u32]; 2]> {
        let OverlapTriangles { all, room, last, names, picked } = self;
        let exact = intersection.exact?;
        if !features.iter().all(|&feature| Self::is_known(scene, intersection, feature)) {
            return None;
        }
        let all = all.get_or_fill(|all| {
            for side in Side::BOTH {
                let all = &mut all[side.index()];
                all.clear();
                last.begin(intersection.contours.loops.len() as u32);
                exact.triangles(side, |overlap, triangle| {
                    if last.get(overlap) != Some(triangle) {
                        last.set(overlap, triangle);
                        all.push((overlap, triangle));
                    }
                });
                radix::sort_by_number(all, room, |(overlap, _)| u64::from(*overlap));
            }
        });
        names.clear();
        names.extend(features.iter().filter_map(|&feature| name(intersection, feature)));
        names.sort_unstable();
        names.dedup();
        for (all, picked) in all.iter().zip(&mut *picked) {
            picked.clear();
            for &name in &*names {
                let from = all.partition_point(|(overlap, _)| *overlap < name);
                let own = all[from..].iter().take_while(|(overlap, _)| *overlap == name);
                picked.extend(own.map(|(_, triangle)| *triangle));
            }
        }
        Some([&picked[0], &picked[1]])
    }
}

/// The overlap that a feature bounds, where overlaps are known.
fn name(intersection: &SurfaceIntersection<'_>, feature: u32) -> Option<u32> {
    match intersection.features.list[feature as usize].kind {
        FeatureKind::Loop(index) => intersection.exact?.of_contour(index),
        FeatureKind::Face(_) | FeatureKind::Touch(_) => None,
    }
}
