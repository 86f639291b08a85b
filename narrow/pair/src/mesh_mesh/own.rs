//! Patches of a surface that overlaps itself.
//!
//! Where a closed surface passes through itself, contours bound what is inside twice; both parts of the surface there are found by a fill over
//! vertices, as of two bodies, and how deep each vertex is by a line along the normal. Contours of one overlap are one patch, whose
//! normal is that of their area vectors. Where no vertex is inside, lines along the normal tell depths and volume
//! ([`super::own_lines`]). Of an open surface a patch has the places where the contours are, and no depth.

use impinge_exact::contour::{self, Contours};
use impinge_exact::intersect::{Surfaces, intersect_itself};
use impinge_geometry::{PairFrame, Side, TriMesh};
use impinge_midphase::Part;
use nalgebra::{Isometry3, Point3, Vector3};

use super::MeshMeshScratch;
use super::own_lines::{OwnRays, line_overlaps};
use super::own_scratch::OwnScratch;
use crate::patch::{PairResult, Patch, PatchOrigin, PatchPoint};
use crate::patches::{InteriorVertices, mean, pressure_center, torque_about};
use crate::scratch::NarrowScratch;
use crate::tunables;

/// The patches in which a mesh overlaps itself, in its own frame, in a fixed order: in `out`, whose content is lost. Empty for parts that are no
/// mesh. Neighbouring triangles are not asked ([`impinge_exact::intersect::own_triangle_pairs`]).
pub fn own_patches(part: &Part, scratch: &mut NarrowScratch, out: &mut PairResult) {
    let NarrowScratch { touch, mesh_mesh, own, .. } = scratch;
    let mut patches = std::mem::take(&mut out.patches);
    own.spare.extend(patches.drain(..).map(|patch| {
        let mut points = patch.points;
        points.clear();
        points
    }));
    *out = PairResult { patches, ..PairResult::default() };
    let Some(surface) = &part.surface else { return };
    let here = Isometry3::identity();
    let frame = PairFrame::new(&here, &here);
    let Some(mesh) = surface.mesh() else { return };
    let of = (&**mesh, &*surface.tree);
    let MeshMeshScratch { contour, contours, interior, .. } = mesh_mesh;
    let found = touch.intersections.fill(|out| {
        intersect_itself(of, &mut touch.intersect, out);
        contour::keep_one_side(out, contour);
    });
    let contours = contours.fill(|out| contour::assemble(found, contour, out));
    out.touching = found.touching;
    out.triangle_pairs = Some(found.triangle_pairs);
    let input = Surfaces { meshes: [of.0.into(); 2], trees: [of.1; 2], frame: &frame };
    let interior = interior.fill(|out| out.run(&input, found, contours));
    let overlap = OwnOverlap { part, mesh: of.0, frame: &frame, contours, interior };
    for first in 0..contours.loops.len() as u32 {
        // A set of contours is named by the first of them.
        if interior.of(first) == first {
            let line = |index: u32| contours.outline(&contours.loops[index as usize], found);
            out.patches.extend(overlap.patch(first, line, own));
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
    fn patch<L: Iterator<Item = [Point3<f64>; 2]>>(
        &self,
        set: u32,
        line: impl Fn(u32) -> L,
        own: &mut OwnScratch,
    ) -> Option<Patch> {
        let count = self.contours.loops.len() as u32;
        let members = || (set..count).filter(|&index| self.interior.of(index) == set);
        let loops = || members().map(|index| &self.contours.loops[index as usize]);
        if loops().all(|contour| contour.is_virtual()) {
            return None;
        }
        let gradient: Vector3<f64> = loops().map(|contour| contour.gradient).sum();
        let largest = loops().map(|contour| contour.gradient.norm()).fold(0.0, f64::max);
        own.segments.clear();
        own.ends.clear();
        for member in members() {
            own.segments.extend(line(member));
            own.ends.push(own.segments.len());
        }
        let middle = own.segments.iter().map(|[p, _]| p.coords).sum::<Vector3<f64>>()
            / own.segments.len().max(1) as f64;
        let middle = Point3::from(middle);
        let area = gradient.norm();
        let opposed = area <= tunables::OPPOSED_CONTOURS * largest;
        let normal = (!opposed).then(|| gradient / area).filter(|n| n.iter().all(|x| x.is_finite()))?;
        let closed = self.mesh.is_closed();
        let mut volume = None;
        own.points.clear();
        if closed {
            self.inside(set, &normal, own);
            if own.points.is_empty() {
                let OwnScratch { segments, points, rays, .. } = &mut *own;
                volume = Some(line_overlaps(self.part, segments, &normal, rays, points));
            }
        }
        let mut points = own.picked();
        if points.is_empty() {
            (points, volume) = (places(own, points), None);
        }
        let weight = area / points.len().max(1) as f64;
        points.iter_mut().for_each(|point| point.weight = weight);
        let depth = points.iter().map(|point| point.depth).fold(0.0, f64::max);
        let centroid = mean(&points)?;
        let about_middle: Vector3<f64> =
            own.lines().map(|line| torque_about(&middle, line.iter().copied())).sum();
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

    /// Vertices of both parts that are inside, with the places opposite, the deepest first.
    fn inside(&self, set: u32, normal: &Vector3<f64>, own: &mut OwnScratch) {
        let OwnScratch { points, rays, .. } = own;
        let inside = self.interior.inside.iter().filter(|vertex| self.interior.of(vertex.contour) == set);
        points.extend(
            inside.filter_map(|vertex| self.point((vertex.side, vertex.vertex, vertex.key()), normal, rays)),
        );
        points.sort_unstable_by(|a, b| b.depth.total_cmp(&a.depth).then(a.key.cmp(&b.key)));
    }

    /// A vertex inside, and where a line from it along the normal leaves what it is in.
    fn point(
        &self,
        (side, vertex, key): (Side, u32, u64),
        normal: &Vector3<f64>,
        rays: &mut OwnRays,
    ) -> Option<PatchPoint> {
        let at = self.frame.place(side, &self.mesh.vertices()[vertex as usize]);
        let sense = if side == Side::A { -1.0 } else { 1.0 };
        let direction = normal * (sense / normal.amax());
        let far = 2.0 * f64::from(self.part.sphere.radius) / direction.norm();
        let beyond = rays.cast(self.part, &at, &direction, far).iter().find(|hit| {
            let of_vertex = hit.triangle.is_some_and(|t| self.mesh.triangles()[t as usize].contains(&vertex));
            !hit.entering && !of_vertex
        })?;
        let other = at + direction * beyond.time;
        let (on_a, on_b) = if side == Side::A { (at, other) } else { (other, at) };
        Some(PatchPoint { on_a, on_b, depth: (on_a - on_b).dot(normal), weight: 0.0, key })
    }
}

/// Places along contours, evenly picked: into an empty list.
fn places(own: &OwnScratch, mut picked: Vec<PatchPoint>) -> Vec<PatchPoint> {
    let step = own.segments.len().div_ceil(tunables::CONTOUR_PATCH_POINTS).max(1);
    let point = |(k, &[at, _]): (usize, &[Point3<f64>; 2])| PatchPoint {
        on_a: at,
        on_b: at,
        depth: 0.0,
        weight: 0.0,
        key: 0xffff << 48 | k as u64,
    };
    picked.extend(own.segments.iter().step_by(step).enumerate().map(point));
    picked
}
