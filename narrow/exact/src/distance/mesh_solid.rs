//! The distance of a surface and a primitive without one.

use impinge_convex::{Placed, closest_on_triangle, touches_triangle};
use impinge_geometry::{Containment, Primitive, Side};
use nalgebra::{Point3, Vector3};

use super::answer::{Contact, DistanceMemory, DistanceScratch, Feature, Proximity, Separation};
use super::surfaces::feature;
use super::triangle::{Spot, triangle_gap};
use crate::MeshSolid;

/// More than what rounding can make of a product or a reach, as a part of it: what touches is never left out.
const ROUNDING: f64 = 1e-14;

/// A search that is going on.
struct SolidSearch<'a> {
    pair: MeshSolid<'a>,
    bound: f64,
    contact: Contact,
    touching: bool,
    best: Option<NearestTriangle>,
}

#[derive(Clone, Copy)]
struct NearestTriangle {
    triangle: u32,
    gap: f64,
    /// In the pair frame: the point of the triangle, and the unit normal from the primitive to it.
    point: Point3<f64>,
    normal: Vector3<f64>,
}

/// The distance of a surface and a primitive without one, if not greater than `bound`.
pub(super) fn surface_distance(
    pair: MeshSolid<'_>,
    bound: f64,
    memory: &mut DistanceMemory,
    scratch: &mut DistanceScratch,
) -> Option<Proximity> {
    let search = search(pair, bound, Contact::Possible, memory, scratch);
    let containment = search.containment();
    if search.touching || containment != Containment::None {
        return Some(Proximity::Touching { containment, triangles: None });
    }
    search.answer(memory).map(Proximity::Apart)
}

/// As [`surface_distance`], of a surface and a primitive that are known to be apart.
pub(super) fn distance_apart(
    pair: MeshSolid<'_>,
    bound: f64,
    memory: &mut DistanceMemory,
    scratch: &mut DistanceScratch,
) -> Option<Separation> {
    search(pair, bound, Contact::RuledOut, memory, scratch).answer(memory)
}

fn search<'a>(
    pair: MeshSolid<'a>,
    bound: f64,
    contact: Contact,
    memory: &DistanceMemory,
    scratch: &mut DistanceScratch,
) -> SolidSearch<'a> {
    let mut search = SolidSearch { pair, bound: bound.next_up(), contact, touching: false, best: None };
    if let Some(known) = memory.triangles {
        search.measure(known[pair.mesh.index()]);
    }
    let start = search.bound;
    scratch.counts.search += pair.search(start, &mut |leaf| search.look(leaf));
    search
}

impl SolidSearch<'_> {
    /// Looks for something nearer in a leaf; gives the bound.
    fn look(&mut self, leaf: u32) -> f64 {
        for triangle in self.pair.surface.tree.leaf_triangles(leaf) {
            self.measure(triangle);
        }
        self.bound
    }

    fn measure(&mut self, triangle: u32) {
        if self.bound <= 0.0 {
            return;
        }
        let Some(local) = self.pair.local_corners(triangle) else { return };
        if let Some(best) = &self.best {
            // The axis of the best so far often tells that nothing is nearer.
            let n = self.pair.rotation().tr_mul(&best.normal);
            let low = local.iter().map(|p| p.coords.dot(&n)).fold(f64::INFINITY, f64::min);
            let reach = self.reach(&n);
            if low - reach >= self.bound + ROUNDING * (low.abs() + reach) {
                return;
            }
        }
        if self.contact == Contact::Possible && touches_triangle(&self.pair.primitive, &local) {
            (self.touching, self.bound) = (true, 0.0);
            return;
        }
        let closest = closest_on_triangle(&self.pair.primitive, &local);
        // What does not touch is apart, if only by less than can be said; the search ends at 0.
        let gap = closest.gap.max(f64::MIN_POSITIVE);
        if gap < self.bound {
            let point = self.pair.to_frame(&closest.on_triangle);
            self.bound = gap;
            self.best =
                Some(NearestTriangle { triangle, gap, point, normal: self.pair.rotation() * closest.normal });
        }
    }

    /// How far the primitive reaches along a direction of its own frame (m).
    fn reach(&self, n: &Vector3<f64>) -> f64 {
        match self.pair.primitive {
            Primitive::HalfSpace => 0.0,
            primitive => Placed::at_origin(primitive).reach(n),
        }
    }

    fn containment(&self) -> Containment {
        let [mesh_in, primitive_in] = self.pair.containments();
        match self.touching {
            true if self.pair.holds_mesh() => mesh_in,
            false if self.pair.encloses_primitive() => primitive_in,
            _ => Containment::None,
        }
    }

    /// The nearest points, which are remembered.
    fn answer(&self, memory: &mut DistanceMemory) -> Option<Separation> {
        let best = self.best?;
        memory.triangles = Some([best.triangle; 2]);
        Some(self.separation(&best))
    }

    fn separation(&self, best: &NearestTriangle) -> Separation {
        let MeshSolid { mesh, surface, frame, .. } = self.pair;
        let corners = surface.faces().corners(best.triangle).map(|p| frame.place(mesh, &p));
        // Where in its triangle the point lies: a triangle shrunk to the point finds it.
        let spot = triangle_gap(&corners, &[best.point; 3]).spots[0];
        let spot = snapped(&corners, &best.point, spot);
        let of_mesh = feature(surface.faces(), best.triangle, spot);
        let on_primitive = best.point - best.normal * best.gap;
        let mut found = Separation {
            distance: best.gap,
            normal: -best.normal,
            points: [best.point, on_primitive],
            features: [of_mesh, Feature::Smooth],
            triangles: [Some(best.triangle), None],
        };
        if mesh == Side::B {
            found.normal = best.normal;
            found.points.swap(0, 1);
            found.features.swap(0, 1);
            found.triangles.swap(0, 1);
        }
        found
    }
}

/// A point that rounding has moved a little off a corner or an edge is on it.
fn snapped(corners: &[Point3<f64>; 3], p: &Point3<f64>, spot: Spot) -> Spot {
    let size = (corners[1] - corners[0]).norm().max((corners[2] - corners[0]).norm());
    let near = 1e-9 * size;
    if let Some(k) = (0..3).find(|&k| (corners[k] - p).norm() <= near) {
        return Spot::Corner(k);
    }
    let off = |k: usize| {
        let along = corners[(k + 1) % 3] - corners[k];
        along.cross(&(p - corners[k])).norm() / along.norm()
    };
    if spot == Spot::Inside
        && let Some(k) = (0..3).find(|&k| off(k) <= near)
    {
        return Spot::Edge(k);
    }
    spot
}
