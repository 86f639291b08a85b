//! Two meshes at their canonical place, and what brute force says about them.

use std::collections::BTreeMap;
use std::convert::Infallible;

use impinge_geometry::{PairFrame, Side, TriMesh};
use nalgebra::{Isometry3, Point3, Translation3, Vector3};

use crate::separation::{Search, Separation, along, least_translation};
use crate::tree::{Bounds, Tree};
use crate::triangle::{triangles_cross, triangles_touch};
use crate::winding::winding;

/// A mesh turned as it stands, and where it is moved to from there: a vertex of it stands at
/// `turned + offset`, rounded once, which is its canonical place.
#[derive(Clone, Debug)]
pub struct Body<'m> {
    mesh: &'m TriMesh,
    turned: Vec<Point3<f64>>,
    boxes: Vec<Bounds>,
    tree: Tree,
    offset: Vector3<f64>,
}

impl<'m> Body<'m> {
    fn new(mesh: &'m TriMesh, frame: &PairFrame, side: Side) -> Body<'m> {
        let r = &frame.rotation[side.index()];
        let turn = |v: &Point3<f32>| {
            let x = v.cast::<f64>();
            Point3::from([0, 1, 2].map(|i| r[(i, 0)] * x.x + r[(i, 1)] * x.y + r[(i, 2)] * x.z))
        };
        let turned: Vec<Point3<f64>> = mesh.vertices().iter().map(turn).collect();
        let around = |t: &[u32; 3]| Bounds::of(t.map(|v| turned[v as usize]));
        let boxes: Vec<Bounds> = mesh.triangles().iter().map(around).collect();
        Body { mesh, tree: Tree::new(&boxes), turned, boxes, offset: frame.offset[side.index()] }
    }

    fn vertex(&self, v: u32) -> Point3<f64> {
        self.turned[v as usize] + self.offset
    }

    /// The corners of a triangle (m, pair frame).
    pub fn corners(&self, triangle: u32) -> [Point3<f64>; 3] {
        self.mesh.triangles()[triangle as usize].map(|v| self.vertex(v))
    }

    fn bounds(&self, triangle: u32) -> Bounds {
        self.boxes[triangle as usize].moved(&self.offset)
    }

    /// How often the surface winds round a point (m, pair frame), exactly; `None` for a point of the surface.
    pub fn winding(&self, p: &Point3<f64>) -> Option<i32> {
        winding((0..self.mesh.triangles().len() as u32).map(|t| self.corners(t)), p)
    }
}

/// How a component of a surface stands to the other surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Apart,
    /// It touches, and nowhere passes strictly through.
    Ties,
    Crosses,
}

/// Two meshes where they stand.
#[derive(Clone, Debug)]
pub struct Pair<'m> {
    /// A and B.
    pub bodies: [Body<'m>; 2],
}

impl<'m> Pair<'m> {
    /// Both sides of a pair.
    pub fn new(meshes: [&'m TriMesh; 2], frame: &PairFrame) -> Pair<'m> {
        Pair { bodies: Side::BOTH.map(|side| Body::new(meshes[side.index()], frame, side)) }
    }

    /// The same meshes, turned as before, somewhere else.
    fn place(&mut self, frame: &PairFrame) {
        for side in Side::BOTH {
            self.bodies[side.index()].offset = frame.offset[side.index()];
        }
    }

    /// Visits the pairs of triangles that share a point, until one is said to be enough.
    fn meet(&self, mut enough: impl FnMut([u32; 2]) -> bool) -> bool {
        let [a, b] = &self.bodies;
        let mut visit = |i: u32, j: u32| {
            a.bounds(i).meets(&b.bounds(j)) && triangles_touch(&a.corners(i), &b.corners(j)) && enough([i, j])
        };
        Tree::meet([&a.tree, &b.tree], [&a.offset, &b.offset], &mut visit)
    }

    /// Whether both triangles are real: virtual faces bound volume and never touch.
    fn are_real(&self, triangles: [u32; 2]) -> bool {
        (0..2).all(|k| !self.bodies[k].mesh.is_virtual(triangles[k]))
    }

    /// All pairs of triangles that share a point, sorted; virtual faces left out.
    pub fn triangle_pairs(&self) -> Vec<[u32; 2]> {
        let mut found = Vec::new();
        self.meet(|pair| {
            found.extend(self.are_real(pair).then_some(pair));
            false
        });
        found.sort_unstable();
        found
    }

    /// Whether the surfaces share a point.
    pub fn surfaces_touch(&self) -> bool {
        self.meet(|pair| self.are_real(pair))
    }

    /// Whether a shell of the surface on `side`, which is what hangs together over edges, that does not touch the other surface lies inside the other
    /// body. `None` where that depends on how ties are broken: no shell is inside that keeps clear, and one
    /// touches without passing through.
    pub fn is_inside(&self, side: Side) -> Option<bool> {
        let (own, other) = (&self.bodies[side.index()], &self.bodies[side.other().index()]);
        if !other.mesh.is_closed() {
            return Some(false);
        }
        let mut standing: BTreeMap<u32, Standing> =
            (0..own.mesh.shells().len() as u32).map(|shell| (shell, Standing::Apart)).collect();
        self.meet(|pair| {
            let state = standing.entry(own.mesh.shell_of(pair[side.index()])).or_insert(Standing::Apart);
            if *state != Standing::Crosses {
                let crosses =
                    triangles_cross(&self.bodies[0].corners(pair[0]), &self.bodies[1].corners(pair[1]));
                *state = if crosses { Standing::Crosses } else { Standing::Ties };
            }
            false
        });
        let clear = |(&shell, _): (&u32, &Standing)| {
            let first = own.mesh.shells()[shell as usize];
            other.winding(&own.vertex(own.mesh.triangles()[first as usize][0]))
        };
        let apart = standing.iter().filter(|(_, s)| **s == Standing::Apart);
        if apart.map(clear).any(|turns| turns.is_some_and(|turns| turns > 0)) {
            return Some(true);
        }
        (!standing.values().any(|s| *s == Standing::Ties)).then_some(false)
    }

    /// Whether the bodies share a point: the surfaces touch, or one body holds the other.
    pub fn touching(&self) -> bool {
        self.surfaces_touch() || Side::BOTH.iter().any(|&side| self.is_inside(side) == Some(true))
    }
}

/// Two meshes of which the second can be moved.
#[derive(Clone, Debug)]
pub struct Movable<'m> {
    pair: Pair<'m>,
    poses: [Isometry3<f64>; 2],
}

impl<'m> Movable<'m> {
    /// Two meshes at `poses` (world, m).
    pub fn new(meshes: [&'m TriMesh; 2], poses: [&Isometry3<f64>; 2]) -> Movable<'m> {
        Movable { pair: Pair::new(meshes, &PairFrame::new(poses[0], poses[1])), poses: poses.map(|p| *p) }
    }

    /// Beyond this translation the bodies are apart, along any direction (m).
    fn limit(&self) -> f64 {
        let spheres = [0, 1].map(|k| self.pair.bodies[k].mesh.bounding_sphere());
        let centers = [0, 1].map(|k| self.poses[k] * spheres[k].center.cast::<f64>());
        let reach = f64::from(spheres[0].radius) + f64::from(spheres[1].radius);
        (reach + (centers[1] - centers[0]).norm()) * 1.001
    }

    /// Whether B, moved by `shift` (m), neither touches A nor is in it or around it. Exact.
    pub fn is_free(&mut self, shift: &Vector3<f64>) -> bool {
        self.pair.place(&PairFrame::new(&self.poses[0], &(Translation3::from(*shift) * self.poses[1])));
        !self.pair.touching()
    }

    /// How far B must be moved along `direction` (unit) to be free, to 2⁻²⁰ of a step (m): the first free place
    /// found in steps of `step` (m), then by halves.
    pub fn along(&mut self, direction: &Vector3<f64>, step: f64) -> f64 {
        let limit = self.limit();
        let Ok(distance) = along(direction, step, limit, |shift| Ok::<_, Infallible>(self.is_free(shift)));
        distance
    }

    /// The shortest translation of B found that frees it from A.
    pub fn least_translation(&mut self, hints: &[Vector3<f64>], search: &Search) -> Separation {
        let limit = self.limit();
        let Ok(found) =
            least_translation(hints, limit, search, |shift| Ok::<_, Infallible>(self.is_free(shift)));
        found
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;
    use proptest::prelude::*;

    use super::*;
    use crate::solids::{block, hollow_block, pin, ring};

    fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
        Isometry3::translation(x, y, z)
    }

    fn ask(a: &TriMesh, b: &TriMesh, pose: &Isometry3<f64>) -> (usize, [Option<bool>; 2]) {
        let pair = Pair::new([a, b], &PairFrame::new(&Isometry3::identity(), pose));
        (pair.triangle_pairs().len(), Side::BOTH.map(|side| pair.is_inside(side)))
    }

    #[test]
    fn blocks_in_on_and_beside_each_other() {
        let (big, small) = (block([1.0; 3]), block([0.25; 3]));
        let (no, yes) = (Some(false), Some(true));
        assert_eq!(ask(&big, &small, &at(0.1, 0.2, 0.3)), (0, [no, yes]));
        assert_eq!(ask(&small, &big, &at(0.1, 0.2, 0.3)), (0, [yes, no]));
        assert_eq!(ask(&big, &small, &at(3.0, 0.0, 0.0)), (0, [no, no]));
        // Face on face from inside: which side it counts as is a tie; one step farther it crosses.
        assert_eq!(ask(&big, &small, &at(0.75, 0.1, 0.0)).1, [None, None]);
        assert!(ask(&big, &small, &at(0.75, 0.1, 0.0)).0 > 0);
        let (pairs, inside) = ask(&big, &small, &at(0.8, 0.1, 0.0));
        assert!(pairs > 0 && inside == [no, no]);
        // A corner on a corner, and beside it by the least there is.
        let touching = at(1.25, 1.25, 1.25);
        assert!(ask(&big, &small, &touching).0 > 0);
        assert_eq!(ask(&big, &small, &at(1.25f64.next_up().next_up(), 1.25, 1.25)).0, 0);
    }

    #[test]
    fn a_body_in_a_cavity_or_a_hole_is_not_inside() {
        let small = block([0.1; 3]);
        let hollow = hollow_block([1.0; 3], [0.5; 3]);
        assert_eq!(ask(&hollow, &small, &at(0.0, 0.0, 0.0)), (0, [Some(false); 2]));
        assert_eq!(ask(&hollow, &small, &at(0.75, 0.0, 0.0)), (0, [Some(false), Some(true)]));
        let ring = ring(0.5, 1.0, 0.4, 48);
        assert_eq!(ask(&ring, &small, &at(0.0, 0.0, 0.0)), (0, [Some(false); 2]));
        assert_eq!(ask(&ring, &small, &at(0.75, 0.0, 0.0)), (0, [Some(false), Some(true)]));
        let open = TriMesh::new(ring.vertices().to_vec(), ring.triangles()[1..].to_vec()).unwrap();
        assert_eq!(ask(&open, &small, &at(0.75, 0.0, 0.0)), (0, [Some(false); 2]));
    }

    #[test]
    fn boxes_come_apart_along_their_shallowest_axis() {
        // Boxes of half extents (1, 1, 1) and (0.5, 0.75, 0.25), the second at (1.25, 0.5, 0.25): along x
        // they overlap by 1 + 0.5 − 1.25 = 0.25, along y by at least 1.25, along z by 1.
        let (a, b) = (block([1.0; 3]), block([0.5, 0.75, 0.25]));
        let find = |pose: Isometry3<f64>, hints: &[Vector3<f64>]| {
            Movable::new([&a, &b], [&Isometry3::identity(), &pose])
                .least_translation(hints, &Search::default())
        };
        let found = find(at(1.25, 0.5, 0.25), &[]);
        assert!(found.distance >= 0.25 && found.distance < 0.25 * 1.005, "{found:?}");
        assert!(found.direction.x > 0.995);
        let hinted = find(at(1.25, 0.5, 0.25), &[Vector3::x()]);
        assert!(hinted.distance >= 0.25 && hinted.distance < 0.25 + 1e-4, "{hinted:?}");
        // Nested: the small one leaves by the nearest wall, here +z after 1 − 0.25 + 0.25 = 1.0.
        let nested = find(at(0.0, 0.0, 0.25), &[]);
        assert!(nested.distance >= 1.0 && nested.distance < 1.01, "{nested:?}");
        assert_eq!(find(at(3.0, 0.0, 0.0), &[]).distance, 0.0);
    }

    proptest! {
        /// What is turned first and moved afterwards stands where the pair frame says.
        #[test]
        fn vertices_stand_at_their_canonical_place(
            turn in prop::array::uniform3(-3.0..3.0f64),
            at in prop::array::uniform3(-1e3..1e3f64),
            shift in prop::array::uniform3(-1.0..1.0f64),
        ) {
            let mesh = pin(0.3, 0.7, 9);
            let turned = UnitQuaternion::from_scaled_axis(Vector3::from(turn));
            let poses = [Isometry3::identity(), Isometry3::from_parts(Translation3::from(Vector3::from(at)), turned)];
            let mut movable = Movable::new([&mesh, &mesh], [&poses[0], &poses[1]]);
            movable.is_free(&Vector3::from(shift));
            let frame = PairFrame::new(&poses[0], &(Translation3::from(Vector3::from(shift)) * poses[1]));
            for side in Side::BOTH {
                let body = &movable.pair.bodies[side.index()];
                for t in 0..mesh.triangles().len() as u32 {
                    prop_assert_eq!(body.corners(t), mesh.corners(t).map(|v| frame.place(side, &v)));
                }
            }
        }
    }
}
