//! The triangles that bound the overlaps of some contours.

use impinge_geometry::Side;

use super::intersection::SurfaceIntersection;
use crate::patches::FeatureKind;
use crate::scene::Scene;

/// For each side of a pair the triangles that bound its overlaps.
#[derive(Debug, Default)]
pub(crate) struct OverlapTriangles {
    /// By the names of the overlaps, each once; gathered when first asked for.
    all: [Vec<(u32, u32)>; 2],
    gathered: bool,
    names: Vec<u32>,
    picked: [Vec<u32>; 2],
}

impl OverlapTriangles {
    /// Begins a pair.
    pub fn begin(&mut self) {
        self.gathered = false;
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
        let OverlapTriangles { all, gathered, names, picked } = self;
        if !features.iter().all(|&feature| Self::is_known(scene, intersection, feature)) {
            return None;
        }
        if !*gathered {
            *gathered = true;
            for side in Side::BOTH {
                let all = &mut all[side.index()];
                all.clear();
                intersection.exact.triangles(side, |overlap, triangle| all.push((overlap, triangle)));
                all.sort_unstable();
                all.dedup();
            }
        }
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
        FeatureKind::Loop(index) => intersection.exact.of_contour(index),
        FeatureKind::Face(_) | FeatureKind::Touch(_) => None,
    }
}
