//! How good a claim is, against the truth found by exact questions.

use impinge_geometry::TriMesh;
use impinge_oracle::{Movable, Search, Separation};
use nalgebra::{Isometry3, Point3, Translation3, Vector3};
use serde::Serialize;

use super::claim::Contact;
use super::overlap::{Lattice, Overlap, placed};

/// Columns per side: to find the piece, and to measure it.
const SEARCH: usize = 128;
const MEASURE: usize = 256;

/// How good a claim is. Numbers are `None` where the contender reports no contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Quality {
    /// Contact points.
    pub points: usize,
    /// The greatest reported depth over the least translation that frees the pair.
    pub depth_ratio: Option<f64>,
    /// Points whose normal pushes B into A: against the difference of the faces' normals beside it.
    pub backward: usize,
    /// How far B must move along the deepest contact's normal to be free, over the least translation.
    pub separation_ratio: Option<f64>,
    /// Of the volume of the piece at the deepest contact, what is left after B was moved by the
    /// reported depth along the reported normal (%).
    pub left: Option<f64>,
}

/// Two meshes at their poses, ready to judge claims.
pub struct Judge<'m> {
    meshes: [&'m TriMesh; 2],
    poses: [Isometry3<f64>; 2],
    bodies: [Vec<[Point3<f64>; 3]>; 2],
    /// The least translation that frees the pair.
    pub truth: Separation,
}

impl<'m> Judge<'m> {
    /// `hints` are directions to try first.
    pub fn new(meshes: [&'m TriMesh; 2], poses: [Isometry3<f64>; 2], hints: &[Vector3<f64>]) -> Judge<'m> {
        let search = Search { places: 3, halvings: 14, ..Search::default() };
        let truth = Movable::new(meshes, [&poses[0], &poses[1]]).least_translation(hints, &search);
        let bodies = [0, 1].map(|k| placed(meshes[k], &poses[k]));
        Judge { meshes, poses, bodies, truth }
    }

    /// Judges a claim.
    pub fn judge(&self, contacts: &[Contact]) -> Quality {
        let mut quality = Quality { points: contacts.len(), ..Quality::default() };
        let Some(deepest) = deepest(contacts) else { return quality };
        quality.backward = contacts.iter().filter(|contact| self.is_backward(contact)).count();
        quality.depth_ratio = Some(deepest.depth / self.truth.distance);
        let mut movable = Movable::new(self.meshes, [&self.poses[0], &self.poses[1]]);
        let along = movable.along(&deepest.normal, 0.02 * self.truth.distance);
        quality.separation_ratio = Some(along / self.truth.distance);
        quality.left = self.left(&deepest);
        quality
    }

    /// Whether a normal points against the difference of the outward normals of the faces of A and of B
    /// nearest to the contact.
    fn is_backward(&self, contact: &Contact) -> bool {
        let [of_a, of_b] = [0, 1].map(|k| nearest_normal(&self.bodies[k], &contact.places[k]));
        contact.normal.dot(&(of_a - of_b)) < 0.0
    }

    fn left(&self, deepest: &Contact) -> Option<f64> {
        let bodies = [0, 1].map(|k| self.bodies[k].as_slice());
        let at = nalgebra::center(&deepest.places[0], &deepest.places[1]);
        let coarse = Overlap::new(Lattice::new(bodies, &self.truth.direction, SEARCH)?, bodies);
        let near = deepest.depth.clamp(0.0, self.truth.distance);
        let lattice = coarse.around(coarse.nearest(&at, near)?, near, MEASURE);
        let before = Overlap::new(lattice, bodies);
        let piece = before.nearest(&at, near)?;
        let volume = before.volume(|k| k == piece);
        let moved = Translation3::from(deepest.normal * deepest.depth) * self.poses[1];
        let body = placed(self.meshes[1], &moved);
        let after = Overlap::new(lattice, [bodies[0], &body]);
        let pieces = after.pieces_in(&before, piece);
        Some(100.0 * after.volume(|k| pieces.binary_search(&k).is_ok()) / volume)
    }
}

/// The contact with the greatest depth, the first of equals.
pub fn deepest(contacts: &[Contact]) -> Option<Contact> {
    contacts.iter().copied().reduce(|best, contact| if contact.depth > best.depth { contact } else { best })
}

/// Normals from one claim that are tried with the deepest one.
const OTHERS: usize = 8;

/// Directions in which a short separating translation may lie: the normal of a claim's deepest contact, and the middles
/// between it and the claim's other normals, the deepest first: what two contacts press from the sides is
/// free between them.
pub fn hints(contacts: &[Contact]) -> Vec<Vector3<f64>> {
    let mut order: Vec<&Contact> = contacts.iter().collect();
    order.sort_by(|p, q| q.depth.total_cmp(&p.depth));
    let mut normals: Vec<Vector3<f64>> = Vec::new();
    for contact in order {
        if normals.len() <= OTHERS && normals.iter().all(|n| n.dot(&contact.normal) < 0.9999) {
            normals.push(contact.normal);
        }
    }
    let Some(&first) = normals.first() else { return normals };
    let middles: Vec<_> =
        normals[1..].iter().filter_map(|other| (first + other).try_normalize(1e-3)).collect();
    std::iter::once(first).chain(middles).collect()
}

/// The outward normal (unit) of the triangle nearest to a point.
fn nearest_normal(body: &[[Point3<f64>; 3]], p: &Point3<f64>) -> Vector3<f64> {
    let distance = |t: &[Point3<f64>; 3]| (closest_on(t, p) - p).norm_squared();
    let nearest = body.iter().map(|t| (distance(t), t)).min_by(|s, t| s.0.total_cmp(&t.0));
    nearest.map_or_else(Vector3::zeros, |(_, [a, b, c])| {
        (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vector3::zeros)
    })
}

/// The point of a triangle nearest to `p`, by the regions of its plane (Ericson, "Real-Time Collision
/// Detection", 2005).
fn closest_on([a, b, c]: &[Point3<f64>; 3], p: &Point3<f64>) -> Point3<f64> {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return *a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return *b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return *c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    if sum == 0.0 { *a } else { a + ab * (vb / sum) + ac * (vc / sum) }
}
