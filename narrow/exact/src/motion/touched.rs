//! Which face of one part does another touch?

use impinge_geometry::{FacesRef, PairFrame, Side};
use impinge_midphase::{PairKind, Part};
use nalgebra::{Point3, Vector3};

use crate::MeshSolid;
use crate::intersect::{IntersectScratch, LastHit, Surfaces, surfaces_touch};

/// The normal (unit, pair frame) of a triangle at which two parts touch, towards the middle of B's bounding sphere: A's where A has
/// triangles. `None` where no triangle is touched.
pub fn touched_normal(parts: [&Part; 2], frame: &PairFrame) -> Option<Vector3<f64>> {
    let normal = |mesh: FacesRef<'_>, side: Side, triangle: u32| -> Option<Vector3<f64>> {
        let [a, b, c]: [Point3<f64>; 3] = mesh.corners(triangle).map(|p| frame.place(side, &p));
        let n = (b - a).cross(&(c - a)).try_normalize(0.0)?;
        let other = side.other();
        let center = parts[other.index()].sphere.center.cast::<f64>();
        let towards = frame.place_f64(other, &center) - a;
        let n = if n.dot(&towards) < 0.0 { -n } else { n };
        Some(if side == Side::A { n } else { -n })
    };
    match PairKind::with_features(parts)? {
        PairKind::Convex => None,
        PairKind::Surfaces(both) => {
            let scratch = &mut IntersectScratch::default();
            let [a, _] = surfaces_touch(&Surfaces::new(both, frame), &mut LastHit::default(), scratch)?;
            normal(both[0].faces(), Side::A, a)
        }
        PairKind::MeshSolid { mesh, surface, primitive } => {
            let pair = MeshSolid { mesh, surface, primitive, frame };
            let (mut found, bound) = (None, 0f64.next_up());
            let _ = pair.search(bound, &mut |leaf| {
                let leaf = surface.tree.leaf_triangles(leaf);
                found = found.or_else(|| leaf.iter().copied().find(|&t| pair.touching_corners(t).is_some()));
                if found.is_some() { 0.0 } else { bound }
            });
            normal(surface.faces(), mesh, found?)
        }
    }
}
