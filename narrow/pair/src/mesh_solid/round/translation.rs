//! One translation that frees a round primitive of a mesh, where its regions together do not.

use impinge_exact::translation::Clearance;
use impinge_geometry::{Obb, Side};
use nalgebra::{Matrix3, Point3, Vector3};

use super::super::hits::MeshSolidPair;
use super::faces::RoundFace;
use super::regions::RoundRegion;
use super::volumes;
use crate::penetration::{Plane, Swept, all_round, between_axes, nearest_beyond, shortest};
use crate::sampler::Samplers;
use crate::tunables;

/// The most planes of regions, and of a search.
const MOST_PLANES: usize = 8;

/// The most directions that planes lead to.
const ROUNDS: usize = 16;

/// The longest translation in the place of regions that the primitive is in front of (part of the
/// deepest).
const LONGEST: f64 = 15.0;

/// Returns the shortest translation (m, the primitive's frame) that gives every region its shift;
/// `None` where none does.
pub(super) fn minimum_norm(regions: &[RoundRegion]) -> Option<Vector3<f64>> {
    let [first, rest @ ..] = regions else { return None };
    if rest.is_empty() {
        return Some(first.normal * first.length.max(f64::MIN_POSITIVE));
    }
    let mut planes = [Plane { normal: Vector3::zeros(), offset: 0.0 }; MOST_PLANES];
    let mut count = 0;
    for region in regions {
        let plane = Plane { normal: region.normal, offset: region.length };
        if count < MOST_PLANES {
            planes[count] = plane;
            count += 1;
        } else if let Some(least) = planes.iter_mut().min_by(|p, q| p.offset.total_cmp(&q.offset))
            && least.offset < plane.offset
        {
            *least = plane;
        }
    }
    nearest_beyond(&planes[..count]).filter(|shift| shift.norm_squared() > 0.0)
}

/// Searches the shortest translation that frees the primitive. `together`: the one that gives all
/// regions their shifts. Returns `None` where nothing is shorter than what regions in front of the
/// primitive may be replaced by.
pub(super) fn search(
    both: &MeshSolidPair<'_, '_>,
    together: Option<Vector3<f64>>,
    (faces, regions): (&[RoundFace], &[RoundRegion]),
    samplers: &mut Samplers,
) -> Option<RoundRegion> {
    let deepest = regions.iter().map(|region| region.length).fold(0.0, f64::max);
    let is_behind = |face: &RoundFace| face.axis.dot(&face.normal) < 0.0;
    let is_deep = regions.is_empty() || faces.iter().any(is_behind);
    let limit = if is_deep { f64::INFINITY } else { LONGEST * deepest };
    let mut search = Search { both, samplers, best: None, limit };
    if let Some(direction) = together.and_then(|shift| shift.try_normalize(0.0)) {
        search.follow(&direction);
    }
    for region in regions {
        search.follow(&region.normal);
    }
    search.follow_nearest();
    let (area, _) = volumes::wrench_of(faces);
    if let Some(mean) = area.try_normalize(0.0) {
        search.follow(&mean);
    }
    for k in 0..3 {
        search.follow(&Vector3::ith(k, 1.0));
        search.follow(&Vector3::ith(k, -1.0));
    }
    search.follow_between_axes();
    search.refine();
    search.follow_all_round();
    search.keep_last();
    let (direction, found) = search.best?;
    let normal = both.a_to_b(&(both.pair.rotation() * -direction));
    samplers.taken_normals.push(normal);
    let [on_a, on_b] = found.points;
    let on_mesh = if both.pair.mesh == Side::A { on_a } else { on_b };
    Some(RoundRegion {
        faces: 0..faces.len(),
        normal: direction,
        length: found.length,
        last: both.pair.to_local(&on_mesh),
    })
}

/// A search that is going on. Directions are those of the primitive, in its frame.
struct Search<'s, 'a, 'b> {
    both: &'s MeshSolidPair<'a, 'b>,
    samplers: &'s mut Samplers,
    best: Option<(Vector3<f64>, Clearance)>,
    limit: f64,
}

impl Search<'_, '_, '_> {
    fn length(&self) -> f64 {
        self.best.map_or(self.limit, |(_, best)| best.length)
    }

    /// Follows a direction as far as it is shorter than the best.
    fn follow(&mut self, direction: &Vector3<f64>) -> Option<Clearance> {
        let bound = self.length();
        let found = self.shift(direction, bound)?;
        if found.length < bound && found.normal.is_some() {
            self.best = Some((*direction, found));
        }
        Some(found)
    }

    fn shift(&mut self, direction: &Vector3<f64>, bound: f64) -> Option<Clearance> {
        let along = self.both.a_to_b(&(self.both.pair.rotation() * -direction));
        Swept::Solid(self.both.pair).shift(&along, 0.0, bound, &mut self.samplers.clearance)
    }

    /// Follows the way to the nearest place of the surface, which is the shortest out of a convex
    /// body.
    fn follow_nearest(&mut self) {
        let pair = self.both.pair;
        let center = Obb { center: Point3::origin(), axes: Matrix3::identity(), half: [0.0; 3] };
        let tree = &pair.surface.tree;
        let (mut nearest, mut least) = (None, f64::INFINITY);
        let _ = tree.nearest_to_box(pair.mesh, (&center, 0.0), pair.frame, f64::INFINITY, &mut |leaf| {
            for triangle in tree.leaf_triangles(leaf) {
                let Some(corners) = pair.local_corners(triangle) else { continue };
                let at = impinge_convex::nearest_on_triangle(&corners, &Point3::origin());
                if at.coords.norm() < least {
                    (nearest, least) = (Some((at, corners)), at.coords.norm());
                }
            }
            least
        });
        let Some((at, corners)) = nearest else { return };
        if let Some(out) = at.coords.try_normalize(0.0) {
            self.follow(&out);
            self.follow(&-out);
        }
        if let Some(normal) = impinge_convex::unit_normal(&corners) {
            self.follow(&normal);
        }
    }

    /// Follows the directions between close axes of the bodies, if another one already frees the
    /// primitive: a peg askew in its hole comes free along neither axis.
    fn follow_between_axes(&mut self) {
        if self.best.is_none() {
            return;
        }
        for direction in between_axes(self.both.scene, self.both.pair.mesh) {
            let direction = self.primitive_direction(&direction);
            self.follow(&direction);
        }
    }

    /// Returns a direction in which B moves, in the pair's frame, as the primitive's own.
    fn primitive_direction(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        -self.both.pair.rotation().tr_mul(&self.both.a_to_b(direction))
    }

    /// Follows directions all round: a ball that is stuck in a ring's hole leaves it aslant.
    fn follow_all_round(&mut self) {
        let swept = Swept::Solid(self.both.pair);
        let seeds: Vec<_> = all_round(self.both.scene, swept.first()).collect();
        let bound = if self.best.is_some() { tunables::TRANSLATION_GAIN } else { 1.0 } * self.length();
        let found = shortest(&swept, &seeds, (&[], bound, bound), self.samplers);
        if let Some((found, points)) = found.and_then(|found| Some((found, found.ends?))) {
            let direction = self.primitive_direction(&found.normal);
            let own = Clearance { length: found.length, normal: None, triangles: None, points };
            self.best = Some((direction, own));
        }
    }

    /// Looks for a shorter way on the planes that end the best one, and on those that end what they
    /// lead to.
    fn refine(&mut self) {
        let mut planes = [Plane { normal: Vector3::zeros(), offset: 0.0 }; MOST_PLANES];
        let mut count = 0;
        let Some((mut direction, mut last)) = self.best else { return };
        for _ in 0..ROUNDS {
            let Some(end) = last.normal else { return };
            let normal = self.primitive_direction(&end);
            if count == MOST_PLANES {
                planes.copy_within(1.., 0);
                count -= 1;
            }
            planes[count] = Plane { normal, offset: normal.dot(&direction) * last.length };
            count += 1;
            let Some(guess) = nearest_beyond(&planes[..count]) else { return };
            let Some(next) = guess.try_normalize(0.0) else { return };
            if guess.norm() >= (1.0 - 1e-4) * self.length() || next.dot(&direction) > 1.0 - 1e-10 {
                return;
            }
            let Some(found) = self.shift(&next, f64::INFINITY) else { return };
            if found.length < self.length() && found.normal.is_some() {
                self.best = Some((next, found));
            }
            (direction, last) = (next, found);
        }
    }

    /// Keeps last step's direction if it is about as short.
    fn keep_last(&mut self) {
        for at in 0..self.samplers.known_normals.len() {
            let direction = self.primitive_direction(&self.samplers.known_normals[at]);
            let bound = tunables::STEADY_LENGTH * self.length();
            if let Some(found) = self.shift(&direction, bound).filter(|found| found.length < bound) {
                self.best = Some((direction, found));
                return;
            }
        }
    }
}
