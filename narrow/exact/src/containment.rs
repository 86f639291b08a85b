//! Is a body, or a part of it, wholly inside the other?
//!
//! A connected component whose surface does not cross the other's is wholly inside or wholly
//! outside, so one of its vertices tells. A point is inside a closed surface where the surface winds
//! round it: the signed count of faces that a ray crosses. All signs are exact on the canonical
//! geometry, and ties are broken by the same infinitesimal shift of B as in [`crate::intersect`], so
//! that a component that touches without crossing, and a ray through an edge or a vertex, have
//! one answer that agrees with the contours.

use impinge_geometry::predicate::Plane;
use impinge_geometry::{FacesRef, PairFrame, Side};
use impinge_midphase::ObbTree;
use impinge_midphase::obb_tree::{LineScratch, Lines};
use nalgebra::{Point3, Vector3};

use crate::intersect::{Intersections, Shift, Surfaces, sign};
use impinge_geometry::Containment;

/// Buffers of the test, reused from pair to pair.
#[derive(Clone, Debug, Default)]
pub struct ContainmentScratch {
    triangles: Vec<u32>,
    search: LineScratch,
    /// Shells that cross the other's surface.
    crossing: Vec<u32>,
}

/// Whether a component of one body that does not cross the other's surface is inside the other. Only
/// a closed surface has an inside. `intersections` are those of the same surfaces.
///
/// Where both are so (which takes several components), [`Containment::AInB`] is the answer.
pub fn containment(
    surfaces: &Surfaces<'_>,
    intersections: &Intersections,
    scratch: &mut ContainmentScratch,
) -> Containment {
    let span = tracing::debug_span!("containment", found = tracing::field::Empty);
    let _entered = span.enter();
    let found = match vertex_inside(surfaces, intersections, scratch) {
        Some((Side::A, _)) => Containment::AInB,
        Some((Side::B, _)) => Containment::BInA,
        None => Containment::None,
    };
    span.record("found", tracing::field::debug(found));
    found
}

/// A vertex of a component of one body that does not cross the other's surface and is inside the other; as
/// [`containment`].
fn vertex_inside(
    surfaces: &Surfaces<'_>,
    intersections: &Intersections,
    scratch: &mut ContainmentScratch,
) -> Option<(Side, u32)> {
    let shift = Shift::new(surfaces.frame);
    Side::BOTH.into_iter().find_map(|side| {
        shell_inside(surfaces, side, intersections, &shift, scratch).map(|vertex| (side, vertex))
    })
}

/// A vertex of one body inside the other, of two bodies whose surfaces share no more than points where they slide
/// along each other: a component that touches from outside is not inside, whatever the infinitesimal shift makes of
/// it. What coincides with the other surface everywhere is inside.
pub fn sliding_vertex_inside(
    surfaces: &Surfaces<'_>,
    scratch: &mut ContainmentScratch,
) -> Option<(Side, u32)> {
    let shift = Shift::new(surfaces.frame);
    Side::BOTH.into_iter().find_map(|side| {
        let (mesh, other) = (surfaces.meshes[side.index()], side.other().index());
        if !surfaces.meshes[other].is_closed() {
            return None;
        }
        let body = Body { mesh: surfaces.meshes[other], tree: surfaces.trees[other] };
        let ContainmentScratch { triangles, search, .. } = scratch;
        // Inside, outside, or on the surface.
        let mut inside = |vertex: u32| {
            let p = surfaces.frame.place(side, &mesh.vertex(vertex));
            let mut winds = |shift: &Shift| {
                body.winding(surfaces.frame, side.other(), &p, shift, (&mut *triangles, &mut *search)) > 0
            };
            let one = winds(&shift);
            (one == winds(&shift.reversed())).then_some(one)
        };
        mesh.components().iter().copied().find_map(|first| {
            let sure = inside(first).map(|inside| (inside, first)).or_else(|| {
                let own = mesh.triangles().filter(|&t| mesh.component_of(t) == first);
                let mut corners = own.flat_map(|t| mesh.vertices_of(t));
                corners.find_map(|vertex| inside(vertex).map(|inside| (inside, vertex)))
            });
            sure.map_or(Some(first), |(inside, vertex)| inside.then_some(vertex)).map(|vertex| (side, vertex))
        })
    })
}

/// A vertex of a shell (what hangs together over edges) of `side` that does not cross the other's surface and is inside the other.
fn shell_inside(
    surfaces: &Surfaces<'_>,
    side: Side,
    intersections: &Intersections,
    shift: &Shift,
    scratch: &mut ContainmentScratch,
) -> Option<u32> {
    let (own, other) = (side.index(), side.other().index());
    let mesh = surfaces.meshes[own];
    if !surfaces.meshes[other].is_closed() {
        return None;
    }
    let ContainmentScratch { triangles, search, crossing } = scratch;
    crossing.clear();
    if !intersections.segments.is_empty() {
        if mesh.shells().len() == 1 {
            return None;
        }
        crossing.extend(intersections.segments.iter().map(|s| mesh.shell_of(s.triangles[own])));
        crossing.sort_unstable();
        crossing.dedup();
    }
    mesh.shells().iter().enumerate().find_map(|(shell, &triangle)| {
        let vertex = mesh.vertices_of(triangle)[0];
        let inside = crossing.binary_search(&(shell as u32)).is_err()
            && winding_round(surfaces, side, vertex, shift, (triangles, search)) > 0;
        inside.then_some(vertex)
    })
}

/// How often the other surface, which is closed, winds round a vertex of `side`.
pub(crate) fn vertex_winding(
    surfaces: &Surfaces<'_>,
    side: Side,
    vertex: u32,
    scratch: &mut ContainmentScratch,
) -> i32 {
    let ContainmentScratch { triangles, search, .. } = scratch;
    winding_round(surfaces, side, vertex, &Shift::new(surfaces.frame), (triangles, search))
}

fn winding_round(
    surfaces: &Surfaces<'_>,
    side: Side,
    vertex: u32,
    shift: &Shift,
    buffers: (&mut Vec<u32>, &mut LineScratch),
) -> i32 {
    // Seen from A's points, B's shift by e is a shift of the points by −e.
    let shift = if side == Side::A { shift.reversed() } else { *shift };
    let (own, other) = (side.index(), side.other().index());
    let p = surfaces.frame.place(side, &surfaces.meshes[own].vertex(vertex));
    let body = Body { mesh: surfaces.meshes[other], tree: surfaces.trees[other] };
    body.winding(surfaces.frame, side.other(), &p, &shift, buffers)
}

/// Whether the closed surface of the body on `side` winds round `p` (m, pair frame), exactly. A point
/// of the surface itself counts as the point an infinitesimal step towards +x (then +y, then +z)
/// from it. A surface that is not closed has no inside.
pub fn point_inside<'f>(
    mesh: impl Into<FacesRef<'f>>,
    tree: &ObbTree,
    frame: &PairFrame,
    side: Side,
    p: &Point3<f64>,
) -> bool {
    let mesh = mesh.into();
    let body = Body { mesh, tree };
    mesh.is_closed()
        && body.winding(frame, side, p, &Shift::ALONG_AXES, (&mut Vec::new(), &mut LineScratch::default()))
            > 0
}

struct Body<'a> {
    mesh: FacesRef<'a>,
    tree: &'a ObbTree,
}

impl Body<'_> {
    /// How often the surface winds round the point `p + e`, with e the infinitesimal of `shift`: the
    /// signed crossings of a ray from there along an axis of the pair frame.
    fn winding(
        &self,
        frame: &PairFrame,
        side: Side,
        p: &Point3<f64>,
        shift: &Shift,
        (candidates, search): (&mut Vec<u32>, &mut LineScratch),
    ) -> i32 {
        // Far more than the canonical geometry can differ from the mesh as the tree knows it.
        let offset = frame.offset[side.index()].amax();
        let size = (offset + p.coords.amax() + self.reach()).max(f64::MIN_POSITIVE);
        let pad = size * 1e-13;
        let local = frame.to_local(side, p);
        let aabb = self.mesh.aabb();
        if (0..3).any(|k| local[k] < f64::from(aabb.min[k]) - pad || local[k] > f64::from(aabb.max[k]) + pad)
        {
            return 0;
        }
        let axis = self.ray_axis(frame, side);
        let unit = |k: usize| Vector3::ith(k % 3, 1.0);
        // Lines come from infinitely far: look from the far end of the ray back to the point.
        let ray = Lines {
            origin: *p,
            right: unit(axis + 2),
            up: unit(axis + 1),
            forward: -unit(axis),
            spacing: [size; 2],
            count: [1; 2],
            slack: 1e-13,
            far: pad,
        };
        candidates.clear();
        self.tree.lines(&ray.in_frame_of(frame, side), search, candidates);
        let place = |t: u32| self.mesh.corners(t).map(|v| frame.place(side, &v));
        candidates.iter().map(|&t| crossing(axis, &place(t), p, shift)).sum()
    }

    /// The axis of the ray. The number of crossings does not depend on it; over a height field it is the one that is nearest to
    /// its vertical, so that the ray passes few cells.
    fn ray_axis(&self, frame: &PairFrame, side: Side) -> usize {
        match self.mesh {
            FacesRef::Field(_) => frame.rotation[side.index()].column(2).iamax(),
            FacesRef::Mesh(_) | FacesRef::Levels(_) => 0,
        }
    }

    /// No vertex is farther from the mesh's origin along any axis (m).
    fn reach(&self) -> f64 {
        let aabb = self.mesh.aabb();
        aabb.min.iter().chain(&aabb.max).fold(0.0, |m, &x| f64::max(m, f64::from(x.abs())))
    }
}

/// +1 where the ray from `p + e` along an axis leaves through the triangle, −1 where it enters, 0 where
/// it misses.
fn crossing(k: usize, t: &[Point3<f64>; 3], p: &Point3<f64>, shift: &Shift) -> i32 {
    let (u, v) = ((k + 1) % 3, (k + 2) % 3);
    let mut turn = 0;
    for corner in 0..3 {
        let (a, b) = (&t[corner], &t[(corner + 1) % 3]);
        let s = match sign(impinge_geometry::predicate::orient2d(k, a, b, p)) {
            // (b − a) × (p + e − a) along x grows by (b − a)_y e_z − (b − a)_z e_y.
            0 => shift.along(|axis| match axis {
                _ if axis == k => 0,
                _ if axis == u => sign_of_difference(a[v], b[v]),
                _ => sign_of_difference(b[u], a[u]),
            }),
            s => s,
        };
        if s == 0 || (turn != 0 && s != turn) {
            return 0;
        }
        turn = s;
    }
    let side = match sign(Plane::new(t).side(p)) {
        0 => shift.along_normal(t),
        s => s,
    };
    if side == -turn { i32::from(turn) } else { 0 }
}

/// Sign of x − y.
fn sign_of_difference(x: f64, y: f64) -> i8 {
    i8::from(x > y) - i8::from(x < y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intersect::{IntersectScratch, intersect_surfaces};
    use impinge_geometry::TriMesh;
    use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};
    use nalgebra::{Isometry3, Translation3, UnitQuaternion};
    use proptest::prelude::*;

    fn joined(meshes: &[(&TriMesh, f64, bool)]) -> TriMesh {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (mesh, x, turned) in meshes {
            let base = vertices.len() as u32;
            vertices.extend(mesh.vertices().iter().map(|v| v + Vector3::new(*x as f32, 0.0, 0.0)));
            triangles.extend(mesh.triangles().iter().map(|t| {
                let [a, b, c] = t.map(|v| v + base);
                if *turned { [a, c, b] } else { [a, b, c] }
            }));
        }
        TriMesh::new(vertices, triangles).unwrap()
    }

    fn found(a: &TriMesh, b: &TriMesh, pose: Isometry3<f64>) -> (Containment, bool) {
        let frame = PairFrame::new(&Isometry3::identity(), &pose);
        let trees = [ObbTree::build(a), ObbTree::build(b)];
        let surfaces =
            Surfaces { meshes: [a.into(), b.into()], trees: [&trees[0], &trees[1]], frame: &frame };
        let [m, n] = [0, 1].map(|k| trees[k].leaf_count() as u32);
        let pairs: Vec<[u32; 2]> = (0..m).flat_map(|i| (0..n).map(move |j| [i, j])).collect();
        let mut out = Intersections::default();
        intersect_surfaces(&surfaces, &pairs, &mut IntersectScratch::default(), &mut out);
        (containment(&surfaces, &out, &mut ContainmentScratch::default()), out.touching)
    }

    fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
        Isometry3::translation(x, y, z)
    }

    #[test]
    fn nested_bodies_of_every_kind() {
        let (big, small) = (sphere_mesh(1.0, 24, 12), sphere_mesh(0.2, 12, 8));
        assert_eq!(found(&big, &small, at(0.1, 0.2, 0.3)), (Containment::BInA, false));
        assert_eq!(found(&small, &big, at(0.1, 0.2, 0.3)), (Containment::AInB, false));
        assert_eq!(found(&big, &small, at(3.0, 0.0, 0.0)), (Containment::None, false));
        // In the hole of a ring, and in the ring itself.
        let ring = torus(1.0, 0.3, 32, 16);
        assert_eq!(found(&ring, &small, at(0.0, 0.0, 0.0)), (Containment::None, false));
        assert_eq!(found(&ring, &small, at(1.0, 0.0, 0.0)), (Containment::BInA, false));
        // In the cavity of a shell, in its wall, and around it.
        let shell = joined(&[(&big, 0.0, false), (&sphere_mesh(0.5, 16, 10), 0.0, true)]);
        assert!(shell.is_closed());
        assert_eq!(found(&shell, &small, at(0.1, 0.0, 0.0)), (Containment::None, false));
        assert_eq!(found(&shell, &sphere_mesh(0.1, 8, 6), at(0.75, 0.0, 0.0)), (Containment::BInA, false));
        assert_eq!(found(&shell, &sphere_mesh(2.0, 24, 12), at(0.0, 0.0, 0.0)), (Containment::AInB, false));
        // A kernel in the cavity is inside again.
        let nest = joined(&[
            (&big, 0.0, false),
            (&sphere_mesh(0.7, 16, 10), 0.0, true),
            (&sphere_mesh(0.5, 16, 10), 0.0, false),
        ]);
        assert_eq!(found(&nest, &small, at(0.05, 0.1, 0.0)), (Containment::BInA, false));
        // Of two parts one crosses and one is inside.
        let two = joined(&[(&small, 0.0, false), (&small, 1.0, false)]);
        assert_eq!(found(&big, &two, at(0.0, 0.0, 0.0)), (Containment::BInA, true));
        assert_eq!(found(&big, &two, at(1.0, 0.0, 0.0)), (Containment::None, true));
        // A soup has no inside, but may be inside.
        let sheet = TriMesh::new(small.vertices().to_vec(), small.triangles()[1..].to_vec()).unwrap();
        assert_eq!(found(&big, &sheet, at(0.0, 0.0, 0.0)), (Containment::BInA, false));
        let open = TriMesh::new(big.vertices().to_vec(), big.triangles()[1..].to_vec()).unwrap();
        assert_eq!(found(&open, &small, at(0.0, 0.0, 0.0)), (Containment::None, false));
    }

    #[test]
    fn a_box_that_touches_the_wall_from_inside_is_inside() {
        // A corner of the small box (turned onto its tip) stands exactly on the big box's floor.
        let big = box_mesh([2.0; 3]);
        let tip = TriMesh::new(
            [[0.0, 0.0, 0.0], [0.5, 0.0, 0.5], [-0.25, 0.25, 0.5], [-0.25, -0.25, 0.5]]
                .map(Point3::from)
                .to_vec(),
            vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]],
        )
        .unwrap();
        let (inside, touching) = found(&big, &tip, at(0.25, 0.5, -2.0));
        assert!(touching && inside == Containment::BInA);
    }

    /// Winding by solid angles (van Oosterom and Strackee, "The Solid Angle of a Plane Triangle",
    /// 1983): another method, sure away from the surface.
    fn solid_angle(mesh: &TriMesh, frame: &PairFrame, side: Side, p: &Point3<f64>) -> f64 {
        let part = |t: u32| {
            let [a, b, c] = mesh.corners(t).map(|v| frame.place(side, &v) - p);
            let (x, y, z) = (a.norm(), b.norm(), c.norm());
            let below = x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y;
            2.0 * a.dot(&b.cross(&c)).atan2(below)
        };
        (0..mesh.triangles().len() as u32).map(part).sum::<f64>() / (4.0 * std::f64::consts::PI)
    }

    proptest! {
        #[test]
        fn a_point_is_inside_where_the_solid_angle_says_so(
            turn in [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64],
            grid in [-6..=6i32, -6..=6i32, -6..=6i32],
            straight in any::<bool>(),
            scale in prop_oneof![Just(1.0 / 1024.0), Just(1.0), Just(1024.0)],
        ) {
            // Unturned, the points' rays run through vertices and along edges and faces.
            let s = scale as f32;
            let mesh = joined(&[(&torus(s, 0.25 * s, 16, 8), 0.0, false), (&box_mesh([0.25 * s; 3]), 0.0, false)]);
            let q = if straight { UnitQuaternion::identity() } else { UnitQuaternion::from_scaled_axis(turn.into()) };
            let frame = PairFrame::new(&Isometry3::from_parts(Translation3::identity(), q), &Isometry3::identity());
            let tree = ObbTree::build(&mesh);
            let p = Point3::from(grid.map(|x| f64::from(x) * 0.2 * scale));
            let winding = solid_angle(&mesh, &frame, Side::A, &p);
            prop_assume!((winding - winding.round()).abs() < 1e-6);
            prop_assert_eq!(point_inside(&mesh, &tree, &frame, Side::A, &p), winding.round() > 0.0);
        }

        #[test]
        fn a_point_of_the_surface_counts_as_the_point_beside_it(face in 0..3usize, high in any::<bool>(), u in -3..=3i32, v in -3..=3i32) {
            // On a face of a box, on its diagonal, on an edge or a corner: an infinitesimal step
            // towards +x, then +y, then +z decides.
            let mesh = box_mesh([1.0; 3]);
            let tree = ObbTree::build(&mesh);
            let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::identity());
            let mut p = Point3::origin();
            p[face] = if high { 1.0 } else { -1.0 };
            p[(face + 1) % 3] = f64::from(u) / 3.0;
            p[(face + 2) % 3] = f64::from(v) / 3.0;
            let inside = (0..3).all(|k| -1.0 <= p[k] && p[k] < 1.0);
            prop_assert_eq!(point_inside(&mesh, &tree, &frame, Side::A, &p), inside);
        }
    }
}
