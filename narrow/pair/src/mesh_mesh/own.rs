//! Patches of a surface that overlaps itself.
//!
//! Where a closed surface passes through itself, contours bound what is inside twice; both parts of the surface there are found by a fill over
//! vertices, as of two bodies, and how deep each vertex is by a line along the normal. Contours of one overlap are one patch, whose
//! normal is that of their area vectors. Where no vertex is inside, lines along the normal tell depths and volume
//! ([`super::own_lines`]). Of an open surface a patch has the places where the contours are, and no depth.

use impinge_exact::contour::{self, Contours};
use impinge_exact::intersect::{Surfaces, intersect_itself};
use impinge_exact::ray::{Faces, PartRay};
use impinge_geometry::{PairFrame, Side, TriMesh};
use impinge_midphase::obb_tree::RayScratch;
use impinge_midphase::{DescentCounts, Part};
use nalgebra::{Isometry3, Point3, Vector3};

use super::own_lines::line_overlaps;
use crate::patch::{PairResult, Patch, PatchOrigin, PatchPoint};
use crate::patches::{InteriorVertices, mean, pressure_center, torque_about};
use crate::scratch::NarrowScratch;
use crate::tunables;

/// The patches in which a mesh overlaps itself, in its own frame, in a fixed order: in `out`, whose content is lost. Empty for parts that are no
/// mesh. Neighbouring triangles are not asked ([`impinge_exact::intersect::own_triangle_pairs`]).
pub fn own_patches(part: &Part, scratch: &mut NarrowScratch, out: &mut PairResult) {
    *out = PairResult::default();
    let Some(surface) = &part.surface else { return };
    let here = Isometry3::identity();
    let frame = PairFrame::new(&here, &here);
    let NarrowScratch { touch, mesh_mesh, .. } = scratch;
    let (found, contours) = (&mut touch.intersections, &mut mesh_mesh.contours);
    let Some(mesh) = surface.mesh() else { return };
    let of = (&**mesh, &*surface.tree);
    intersect_itself(of, &mut touch.intersect, found);
    contour::keep_one_side(found, &mut mesh_mesh.contour);
    contour::assemble(found, &mut mesh_mesh.contour, contours);
    out.touching = found.touching;
    out.triangle_pairs = Some(found.triangle_pairs);
    let interior = &mut mesh_mesh.interior;
    interior.run(&Surfaces { meshes: [of.0.into(); 2], trees: [of.1; 2], frame: &frame }, found, contours);
    let overlap = OwnOverlap { part, mesh: of.0, frame: &frame, contours, interior };
    for first in 0..contours.loops.len() as u32 {
        // A set of contours is named by the first of them.
        if interior.of(first) == first {
            out.patches.extend(overlap.patch(first, |index| {
                let contour = &contours.loops[index as usize];
                contours.outline(contour, found).collect()
            }));
        }
    }
    out.sum_patches();
}

/// A mesh that overlaps itself.
struct OwnOverlap<'a> {
    part: &'a Part,
    mesh: &'a TriMesh,
    frame: &'a PairFrame,
    contours: &'a Contours,
    interior: &'a InteriorVertices,
}

impl OwnOverlap<'_> {
    /// The patch of a set of contours; `line` gives the closed line along one.
    fn patch(&self, set: u32, line: impl Fn(u32) -> Vec<[Point3<f64>; 2]>) -> Option<Patch> {
        let count = self.contours.loops.len() as u32;
        let members = || (set..count).filter(|&index| self.interior.of(index) == set);
        let loops = || members().map(|index| &self.contours.loops[index as usize]);
        if loops().all(|contour| contour.is_virtual()) {
            return None;
        }
        let gradient: Vector3<f64> = loops().map(|contour| contour.gradient).sum();
        let largest = loops().map(|contour| contour.gradient.norm()).fold(0.0, f64::max);
        let lines: Vec<_> = members().map(line).collect();
        let middle = lines.iter().flatten().map(|[p, _]| p.coords).sum::<Vector3<f64>>()
            / lines.iter().map(Vec::len).sum::<usize>().max(1) as f64;
        let middle = Point3::from(middle);
        let area = gradient.norm();
        let opposed = area <= tunables::OPPOSED_CONTOURS * largest;
        let normal = (!opposed).then(|| gradient / area).filter(|n| n.iter().all(|x| x.is_finite()))?;
        let closed = self.mesh.is_closed();
        let mut points = if closed { self.inside(set, &normal) } else { Vec::new() };
        let mut volume = None;
        if points.is_empty() && closed {
            let overlaps = line_overlaps(self.part, &lines, &normal);
            (points, volume) = (overlaps.points, Some(overlaps.volume));
            let step = points.len().div_ceil(tunables::CONTOUR_PATCH_POINTS).max(1);
            points = points.into_iter().step_by(step).collect();
        }
        if points.is_empty() {
            (points, volume) = (places(&lines), None);
        }
        let weight = area / points.len().max(1) as f64;
        points.iter_mut().for_each(|point| point.weight = weight);
        let depth = points.iter().map(|point| point.depth).fold(0.0, f64::max);
        let centroid = mean(&points)?;
        let about_middle: Vector3<f64> =
            lines.iter().map(|line| torque_about(&middle, line.iter().copied())).sum();
        let torque = about_middle + middle.coords.cross(&gradient);
        let mean_depth = points.iter().map(|point| point.depth).sum::<f64>() / points.len() as f64;
        Some(Patch {
            normal,
            depth,
            volume: volume.unwrap_or(mean_depth * area),
            gradient,
            torque,
            centroid,
            pressure_center: pressure_center(&gradient, &torque, &centroid),
            radius: points.iter().map(|p| (p.on_a - centroid).norm()).fold(0.0, f64::max),
            points,
            corners: Vec::new(),
            sectors: Vec::new(),
            origin: PatchOrigin::Contour,
            region: None,
        })
    }

    /// Vertices of both parts that are inside, with the places opposite, at most [`tunables::CONTOUR_PATCH_POINTS`], the deepest among them.
    fn inside(&self, set: u32, normal: &Vector3<f64>) -> Vec<PatchPoint> {
        let own = self.interior.inside.iter().filter(|vertex| self.interior.of(vertex.contour) == set);
        let mut points: Vec<PatchPoint> =
            own.filter_map(|vertex| self.point(vertex.side, vertex.vertex, vertex.key(), normal)).collect();
        points.sort_by(|a, b| b.depth.total_cmp(&a.depth).then(a.key.cmp(&b.key)));
        let step = points.len().div_ceil(tunables::CONTOUR_PATCH_POINTS).max(1);
        points.into_iter().step_by(step).collect()
    }

    /// A vertex inside, and where a line from it along the normal leaves what it is in.
    fn point(&self, side: Side, vertex: u32, key: u64, normal: &Vector3<f64>) -> Option<PatchPoint> {
        let at = self.frame.place(side, &self.mesh.vertices()[vertex as usize]);
        let sense = if side == Side::A { -1.0 } else { 1.0 };
        let direction = normal * (sense / normal.amax());
        let far = 2.0 * f64::from(self.part.sphere.radius) / direction.norm();
        let here = Isometry3::identity();
        let ray = PartRay::new(self.part, &here, &at, &direction, far, Faces::Both);
        let mut hits = Vec::new();
        ray.all(&mut RayScratch::default(), &mut DescentCounts::default(), &mut hits);
        let beyond = hits.iter().find(|hit| {
            let of_vertex = hit.triangle.is_some_and(|t| self.mesh.triangles()[t as usize].contains(&vertex));
            !hit.entering && !of_vertex
        })?;
        let other = at + direction * beyond.time;
        let (on_a, on_b) = if side == Side::A { (at, other) } else { (other, at) };
        Some(PatchPoint { on_a, on_b, depth: (on_a - on_b).dot(normal), weight: 0.0, key })
    }
}

/// Places along contours, evenly picked.
fn places(lines: &[Vec<[Point3<f64>; 2]>]) -> Vec<PatchPoint> {
    let all: Vec<Point3<f64>> = lines.iter().flatten().map(|[p, _]| *p).collect();
    let step = all.len().div_ceil(tunables::CONTOUR_PATCH_POINTS).max(1);
    let picked = all.into_iter().step_by(step);
    let point = |(k, at): (usize, Point3<f64>)| PatchPoint {
        on_a: at,
        on_b: at,
        depth: 0.0,
        weight: 0.0,
        key: 0xffff << 48 | k as u64,
    };
    picked.enumerate().map(point).collect()
}
