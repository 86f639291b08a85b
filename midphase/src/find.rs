//! From a pair of placed shapes to jobs for the narrow phase.

use std::ops::{ControlFlow, Range};

use impinge_geometry::{PairFrame, Primitive, Side};
use nalgebra::{Isometry3, Point3};

use crate::extent::{Extent, Plane, interest};
use crate::obb_tree::{Descent, DescentCounts, boxes_meet};
use crate::part_pairs::part_pairs;
use crate::{CandidateBatch, MidphaseCounts, PairJob, PairKind, Part, PreparedShape, Solid, Surface};

/// A shape and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'s> {
    /// The shape.
    pub shape: &'s PreparedShape,
    /// Its pose (world, m), finite.
    pub pose: Isometry3<f64>,
}

/// Appends to `batch` a job for every pair of parts of `a` and `b` that may touch or come closer than
/// `margin` (m, not negative), in the order of A's parts, then B's. `pair` is the index of the
/// pair in the step's list and is passed on.
///
/// Two half-spaces always give a job: their overlap is unbounded, so the volume of interest is a point of A's
/// plane.
pub fn find<'s>(
    pair: u32,
    a: Placed<'s>,
    b: Placed<'s>,
    margin: f64,
    batch: &mut CandidateBatch<'s>,
    counts: &mut MidphaseCounts,
) {
    let mut listed = std::mem::take(&mut batch.part_pairs);
    let pairs = match [a.shape.parts(), b.shape.parts()] {
        // Simple shapes need no list.
        [[_], [_]] => &[[0, 0]][..],
        _ => {
            part_pairs([a.shape, b.shape], [&a.pose, &b.pose], margin, &mut listed);
            &listed
        }
    };
    for &part_indices in pairs {
        let parts = [&a.shape.parts()[part_indices[0] as usize], &b.shape.parts()[part_indices[1] as usize]];
        let [pose_a, pose_b] = [a.pose * parts[0].pose, b.pose * parts[1].pose];
        counts.sphere_tests += 1;
        if !spheres_meet(parts, [&pose_a, &pose_b], margin) {
            continue;
        }
        let frame = PairFrame::new(&pose_a, &pose_b);
        let Some(kind) = PairKind::new(parts) else { continue };
        let placed = PlacedPair { parts, frame, margin };
        if let Some((interest, candidates)) = placed.candidates(&kind, batch, counts) {
            batch.jobs.push(PairJob { pair, parts, part_indices, frame, interest, kind, candidates });
            counts.jobs += 1;
        }
    }
    batch.part_pairs = listed;
}

/// Whether the bounding spheres come closer than `margin`.
fn spheres_meet(parts: [&Part; 2], poses: [&Isometry3<f64>; 2], margin: f64) -> bool {
    let center = |k: usize| poses[k] * parts[k].sphere.center.cast::<f64>();
    let (p, q) = (center(0), center(1));
    let reach = f64::from(parts[0].sphere.radius) + f64::from(parts[1].sphere.radius) + margin;
    // Far from the world's origin the centres are rounded to its scale.
    let size = |p: &Point3<f64>| p.x.abs() + p.y.abs() + p.z.abs();
    let slack =
        1e-14 * (size(&p) + size(&q) + poses.map(|x| x.translation.vector.abs().sum()).iter().sum::<f64>());
    let distance = (q - p).norm();
    // An overflow is not taken for "apart".
    distance.is_nan() || distance <= (reach + slack) * (1.0 + 1e-12)
}

/// Two parts whose bounding spheres meet.
struct PlacedPair<'s> {
    parts: [&'s Part; 2],
    frame: PairFrame,
    margin: f64,
}

impl PlacedPair<'_> {
    /// Where the parts may touch, and with which of their leaves; `None` where they do not come closer than the
    /// margin.
    fn candidates(
        &self,
        kind: &PairKind<'_>,
        batch: &mut CandidateBatch<'_>,
        counts: &mut MidphaseCounts,
    ) -> Option<([Point3<f64>; 2], Range<u32>)> {
        let extents = Side::BOTH.map(|side| Extent::of(self.parts[side.index()], &self.frame, side));
        if let [Extent::Below(plane), Extent::Below(_)] = &extents {
            // What two half-spaces share has no end; a point of the first one's border stands for it.
            let at = Point3::from(plane.normal * plane.offset);
            return Some(([at; 2], 0..0));
        }
        let interest = interest(&extents[0], &extents[1], self.margin)?;
        let candidates = match *kind {
            PairKind::Convex => self.convex_meet(&extents, counts).then_some(0..0),
            PairKind::Surfaces(surfaces) => self.surfaces(surfaces, batch, counts),
            PairKind::MeshSolid { mesh, surface, .. } => {
                self.mesh_solid(mesh, surface, &extents[mesh.other().index()], batch, counts)
            }
        };
        Some((interest, candidates?))
    }

    /// Whether two convex parts may meet: their boxes, or the plane and what reaches lowest.
    fn convex_meet(&self, extents: &[Extent; 2], counts: &mut MidphaseCounts) -> bool {
        counts.box_tests += 1;
        let [a, b] = self.parts;
        match extents {
            [Extent::Below(plane), Extent::Box(_)] => self.reaches(Side::B, plane),
            [Extent::Box(_), Extent::Below(plane)] => self.reaches(Side::A, plane),
            _ => boxes_meet(&a.oriented_box(), &b.oriented_box(), &self.frame, self.margin),
        }
    }

    /// Whether a part reaches down to a plane of the pair frame.
    fn reaches(&self, side: Side, plane: &Plane) -> bool {
        let part = self.parts[side.index()];
        let (normal, offset) = self.local_plane(side, plane);
        if let Solid::Primitive(Primitive::Sphere { radius }) = part.solid {
            return -f64::from(radius) <= offset + self.margin;
        }
        part.oriented_box().reaches_below(&normal.into(), offset + self.margin)
    }

    /// A plane of the pair frame as the body on one side sees it: unit normal and offset (m).
    fn local_plane(&self, side: Side, plane: &Plane) -> (nalgebra::Vector3<f64>, f64) {
        let t = &self.frame.offset[side.index()];
        let normal = self.frame.direction_to_local(side, &plane.normal);
        let slack = 1e-14 * (t.abs().sum() + plane.offset.abs());
        (normal, plane.offset - plane.normal.dot(t) + slack)
    }

    fn surfaces(
        &self,
        [a, b]: [&Surface; 2],
        batch: &mut CandidateBatch<'_>,
        counts: &mut MidphaseCounts,
    ) -> Option<Range<u32>> {
        counts.box_tests += 1;
        let descent = Descent::new(&a.tree, &b.tree, &self.frame, self.margin);
        if !descent.roots_meet() {
            return None;
        }
        let start = batch.leaf_pairs.len();
        let mut found = DescentCounts::default();
        // Nothing breaks off this visit.
        let _ = descent.run(
            &mut |leaf_a, leaf_b| {
                batch.leaf_pairs.push([leaf_a, leaf_b]);
                ControlFlow::Continue(())
            },
            &mut found,
        );
        *counts += found;
        let end = batch.leaf_pairs.len();
        // Without a pair of leaves the surfaces are apart, but one may lie inside the other.
        let may_contain = self.parts.iter().any(|part| part.is_solid());
        (end > start || may_contain).then_some(start as u32..end as u32)
    }

    fn mesh_solid(
        &self,
        mesh: Side,
        surface: &Surface,
        other: &Extent,
        batch: &mut CandidateBatch<'_>,
        counts: &mut MidphaseCounts,
    ) -> Option<Range<u32>> {
        let start = batch.leaves.len();
        let found = match other {
            Extent::Below(plane) => {
                let (normal, offset) = self.local_plane(mesh, plane);
                if !surface.tree.root_box().reaches_below(&normal.into(), offset + self.margin) {
                    return None;
                }
                surface.tree.below_plane(&normal, offset, self.margin, &mut batch.leaves)
            }
            Extent::Box(_) => {
                let solid = self.parts[mesh.other().index()].oriented_box();
                let root = surface.tree.root_box();
                let meet = match mesh {
                    Side::A => boxes_meet(&root, &solid, &self.frame, self.margin),
                    Side::B => boxes_meet(&solid, &root, &self.frame, self.margin),
                };
                if !meet {
                    counts.box_tests += 1;
                    return None;
                }
                surface.tree.overlapping_other(&solid, &self.frame, mesh, self.margin, &mut batch.leaves)
            }
        };
        *counts += found;
        let end = batch.leaves.len();
        counts.leaves += (end - start) as u64;
        // Without leaves the surface is apart from the primitive, which may lie inside it.
        let may_contain = self.parts[mesh.index()].is_solid();
        (end > start || may_contain).then_some(start as u32..end as u32)
    }
}
