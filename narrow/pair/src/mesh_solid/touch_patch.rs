//! The patch of a mesh and a primitive where no view shows an overlap.

use impinge_geometry::Side;

use super::hits::{Hit, MeshSolidPair};
use crate::patch::{Patch, PatchOrigin, PatchPoint};
use crate::patches::{mean, pressure_center};
use crate::region::Region;
use impinge_image_space::view::{Axes, Extent};

impl MeshSolidPair<'_, '_> {
    /// The patch of hits without columns: the nearest points of the triangles as deep as the deepest, or
    /// nearly so.
    pub fn touch(&self, hits: &[Hit]) -> Option<Patch> {
        let deepest = hits.iter().min_by(|a, b| a.closest.gap.total_cmp(&b.closest.gap))?;
        let normal = self.a_to_b(&deepest.closest.normal);
        let mut points: Vec<PatchPoint> = Vec::new();
        for hit in hits.iter().filter(|h| h.closest.normal.dot(&deepest.closest.normal) > 0.9) {
            let (on_mesh, on_primitive) = (hit.closest.on_triangle, hit.closest.on_primitive());
            let (on_a, on_b) =
                if self.pair.mesh == Side::A { (on_mesh, on_primitive) } else { (on_primitive, on_mesh) };
            if points.iter().all(|p| p.on_a != on_a) {
                let depth = (on_a - on_b).dot(&normal);
                points.push(PatchPoint { on_a, on_b, depth, weight: 0.0, key: u64::from(hit.triangle) });
            }
        }
        let mut extent = Extent::EMPTY;
        let axes = Axes::along(&normal);
        for hit in hits {
            extent.merge(&Region { axes: self.scene.lattice_axes(), extent: hit.extent }.seen_along(&axes));
        }
        // The area of an ellipse in the rectangle of the hits.
        let area = std::f64::consts::FRAC_PI_4 * extent.size(0) * extent.size(1);
        let weight = area / points.len() as f64;
        points.iter_mut().for_each(|p| p.weight = weight);
        let centroid = mean(&points)?;
        let gradient = normal * area;
        let torque = centroid.coords.cross(&gradient);
        Some(Patch {
            normal,
            depth: points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max),
            volume: 0.0,
            gradient,
            torque,
            centroid,
            pressure_center: pressure_center(&gradient, &torque, &centroid),
            radius: points.iter().map(|p| (p.on_a - centroid).norm()).fold(0.0, f64::max),
            points,
            corners: Vec::new(),
            sectors: Vec::new(),
            origin: if self.scene.both_closed() { PatchOrigin::Touch } else { PatchOrigin::Contour },
            region: None,
        })
    }
}
