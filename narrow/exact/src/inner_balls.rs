//! Balls inside a closed mesh, as large as its surface lets them be.
//!
//! From places spread over the surface a ball that touches it there shrinks until it holds no other part of it: Ma, Bae
//! and Choi, "3D medial axis point approximation using nearest neighbors and the normal field", 2012. Ours has triangles in the
//! place of points with normals, and every ball is tested: its centre is inside, by exact signs, and no triangle is nearer
//! than its radius.

use impinge_convex::{nearest_on_triangle, unit_normal};
use impinge_geometry::{FacesRef, PairFrame, Side};
use impinge_midphase::ObbTree;
use impinge_midphase::obb_tree::{InnerBall, SphereScratch};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::containment::point_inside;

/// Places on the surface from which a ball shrinks.
const PLACES: usize = 128;

/// A ball has shrunk enough when nothing is nearer to its centre than this part of its radius.
const SHRUNK: f64 = 0.99;

/// … or after so many rounds.
const ROUNDS: u32 = 16;

/// A ball moves by this part of its radius first, and by this at last.
const FIRST_STEP: f64 = 0.5;
const LAST_STEP: f64 = 0.05;

/// … and stays where it is no larger by this factor.
const GROWN: f64 = 1.01;

/// From places within so many radii of a ball's centre no other shrinks.
const BESIDE: f64 = 1.3;

/// Of two balls whose centres are closer than this part of the larger one's radius the smaller is left out.
const SAME_BALL: f64 = 0.7;

/// What a radius is less than the distance to the nearest triangle (part of both): more than what `f64` rounds.
const ROUNDING: f64 = 1e-9;

/// Balls inside a closed mesh, made when they are first asked for; none where it is not closed, nor for the others of
/// [`ObbTree::inner_balls`].
pub fn inner_balls<'t>(faces: FacesRef<'_>, tree: &'t ObbTree) -> &'t [InnerBall] {
    match faces {
        FacesRef::Mesh(_) if faces.is_closed() => tree.inner_balls(|| make(faces, tree)),
        _ => &[],
    }
}

fn make(faces: FacesRef<'_>, tree: &ObbTree) -> Vec<InnerBall> {
    let _span = tracing::debug_span!("inner_balls").entered();
    let mut scratch = SphereScratch::default();
    let mut balls: Vec<InnerBall> = Vec::new();
    for leaf in tree.spread_leaves(PLACES) {
        let Some(triangle) = tree.leaf_triangles(leaf).into_iter().next() else { continue };
        let corners = faces.corners(triangle).map(|p| p.cast::<f64>());
        let middle = Point3::from((corners[0].coords + corners[1].coords + corners[2].coords) / 3.0);
        let is_beside = |ball: &InnerBall| (ball.center - middle).norm() < BESIDE * ball.radius;
        if !balls.iter().any(is_beside)
            && let Some(normal) = unit_normal(&corners)
        {
            balls.extend(shrink(faces, tree, (&middle, &normal), &mut scratch));
        }
    }
    let mut order: Vec<usize> = (0..balls.len()).collect();
    order.sort_by(|p, q| balls[*q].radius.total_cmp(&balls[*p].radius).then(p.cmp(q)));
    let mut kept: Vec<usize> = Vec::with_capacity(balls.len());
    for k in order {
        let is_near = |of: &&usize| {
            let other = &balls[**of];
            (other.center - balls[k].center).norm() < SAME_BALL * other.radius
        };
        if !kept.iter().any(|of| is_near(&of)) && is_inside(faces, tree, &balls[k].center) {
            kept.push(k);
        }
    }
    // As they stand in the tree: neighbours are near each other.
    kept.sort_unstable();
    kept.into_iter().map(|k| balls[k]).collect()
}

/// The ball that touches a triangle in its middle (m; `normal` is unit) from inside and that nothing else comes into, moved to where it has more room; `None`
/// where that has none.
fn shrink(
    faces: FacesRef<'_>,
    tree: &ObbTree,
    (touched, normal): (&Point3<f64>, &Vector3<f64>),
    scratch: &mut SphereScratch,
) -> Option<InnerBall> {
    // None is larger than the box of all.
    let mut radius = tree.root().half.into_iter().map(f64::from).fold(f64::INFINITY, f64::min);
    for _ in 0..ROUNDS {
        let center = touched - normal * radius;
        let (nearest, distance) = nearest(faces, tree, &center, radius, scratch);
        let Some(nearest) = nearest.filter(|_| distance < SHRUNK * radius) else { break };
        // The one through both that touches the triangle there.
        let to: Vector3<f64> = touched - nearest;
        let next = to.norm_squared() / (2.0 * to.dot(normal));
        if !(next > 0.0 && next < radius) {
            return None;
        }
        radius = next;
    }
    grow(faces, tree, touched - normal * radius, radius, scratch)
}

/// The ball round a place inside, no farther than `bound` (m) from the surface, or round one near it that is farther from there: it
/// moves away from what is nearest.
fn grow(
    faces: FacesRef<'_>,
    tree: &ObbTree,
    mut center: Point3<f64>,
    bound: f64,
    scratch: &mut SphereScratch,
) -> Option<InnerBall> {
    // A little more, so that what is as far is found.
    let (mut touched, mut radius) = nearest(faces, tree, &center, bound * (1.0 + SHRUNK), scratch);
    let mut step = FIRST_STEP;
    while step >= LAST_STEP
        && let Some(place) = touched
        && radius > 0.0
    {
        // No farther than the radius: what is there is inside, too.
        let there = center + (center - place) * step;
        let (next, distance) = nearest(faces, tree, &there, radius * (1.0 + step), scratch);
        if next.is_some() && distance > GROWN * radius {
            (center, touched, radius) = (there, next, distance);
        } else {
            step *= 0.5;
        }
    }
    let radius = radius * (1.0 - ROUNDING);
    (touched.is_some() && radius > 0.0).then_some(InnerBall { center, radius })
}

/// The place of the surface that is nearest to a point, if it is nearer than `bound` (m), and how far it is, `bound` at most.
fn nearest(
    faces: FacesRef<'_>,
    tree: &ObbTree,
    p: &Point3<f64>,
    bound: f64,
    scratch: &mut SphereScratch,
) -> (Option<Point3<f64>>, f64) {
    let (mut best, mut least) = (None, bound);
    tree.near(p, bound, scratch, &mut |leaf| {
        for triangle in tree.leaf_triangles(leaf) {
            let q = nearest_on_triangle(&faces.corners(triangle).map(|q| q.cast::<f64>()), p);
            let distance = (p - q).norm();
            if distance < least {
                (best, least) = (Some(q), distance);
            }
        }
        least
    });
    (best, least)
}

fn is_inside(faces: FacesRef<'_>, tree: &ObbTree, p: &Point3<f64>) -> bool {
    let frame = PairFrame::with_point(&Isometry3::identity(), p);
    point_inside(faces, tree, &frame, Side::A, &Point3::from(frame.offset[Side::B.index()]))
}

#[cfg(test)]
mod tests {
    use impinge_geometry::TriMesh;
    use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};
    use impinge_scenes::mesh::Knot;

    use super::*;

    fn distance(mesh: &TriMesh, p: &Point3<f64>) -> f64 {
        let to = |t: u32| (nearest_on_triangle(&mesh.corners(t).map(|q| q.cast()), p) - p).norm();
        (0..mesh.triangles().len() as u32).map(to).fold(f64::INFINITY, f64::min)
    }

    /// A box with a cavity.
    fn hollow() -> TriMesh {
        let (outer, inner) = (box_mesh([0.7; 3]), box_mesh([0.5; 3]));
        let vertices = outer.vertices().iter().chain(inner.vertices()).copied().collect();
        let turned = inner.triangles().iter().map(|&[a, b, c]| [a + 8, c + 8, b + 8]);
        TriMesh::new(vertices, outer.triangles().iter().copied().chain(turned).collect()).unwrap()
    }

    #[test]
    fn balls_are_inside_and_as_large_as_the_surface_lets_them_be() {
        let knot = Knot { along: 60, across: 10, ..Knot::default() }.mesh().unwrap();
        // The radius of a ball that each of them has room for.
        let cases = [
            (box_mesh([0.4, 0.2, 0.1]), 0.1),
            (torus(0.6, 0.2, 24, 12), 0.19),
            (sphere_mesh(0.5, 16, 12), 0.48),
            (hollow(), 0.1),
            (knot, 0.09),
        ];
        for (case, (mesh, room)) in cases.iter().enumerate() {
            let tree = ObbTree::build(mesh);
            let balls = inner_balls(mesh.into(), &tree);
            assert!(!balls.is_empty() && balls.len() <= PLACES + 8, "case {case}: {}", balls.len());
            let mut largest: f64 = 0.0;
            for ball in balls {
                let free = distance(mesh, &ball.center);
                assert!(ball.radius <= free && ball.radius > 0.9 * free, "case {case}: {ball:?}, {free}");
                let wound = mesh.winding_number(&ball.center);
                assert!((wound - 1.0).abs() < 1e-6, "case {case}: {ball:?} is wound round {wound} times");
                largest = largest.max(ball.radius);
            }
            assert!(largest > 0.9 * room, "case {case}: {largest} of {room}");
        }
    }

    #[test]
    fn what_has_moved_or_is_open_has_no_balls() {
        let mesh = torus(0.6, 0.2, 12, 8);
        let mut tree = ObbTree::build(&mesh);
        assert!(!inner_balls((&mesh).into(), &tree).is_empty());
        tree.refit(&mesh).unwrap();
        assert!(inner_balls((&mesh).into(), &tree).is_empty());
        let open = TriMesh::new(mesh.vertices().to_vec(), mesh.triangles()[..1].to_vec()).unwrap();
        assert!(!open.is_closed() && inner_balls((&open).into(), &ObbTree::build(&open)).is_empty());
    }
}
