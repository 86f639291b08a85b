//! The triangles of a mesh that touch a primitive.

use impinge_convex::{Closest, Placed, closest_on_triangle};
use impinge_exact::MeshSolid;
use impinge_geometry::{Containment, Primitive, Side};
use impinge_midphase::PairJob;
use nalgebra::{Matrix3, Point3, Vector3};

use crate::scene::Scene;
use impinge_image_space::view::Extent;

/// A triangle of the mesh that touches the primitive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub triangle: u32,
    /// How near or deep, in the pair frame; the normal points from the primitive to the mesh.
    pub closest: Closest,
    /// Box of what of it may lie in the primitive (m), along the lattice's axes.
    pub extent: Extent,
}

/// Buffers of this pass.
#[derive(Debug, Default)]
pub(crate) struct SolidScratch {
    pub hits: Vec<Hit>,
    pub polygon: Vec<Point3<f64>>,
    pub spare: Vec<Point3<f64>>,
}

/// A mesh and a primitive that meet.
pub(crate) struct MeshSolidPair<'a, 'b> {
    pub scene: &'a Scene<'b>,
    pub pair: MeshSolid<'a>,
    /// The primitive where it stands; nothing for a half-space.
    pub placed: Option<Placed>,
}

impl<'a, 'b> MeshSolidPair<'a, 'b> {
    pub fn new(job: &PairJob<'_>, scene: &'a Scene<'b>, pair: MeshSolid<'a>) -> MeshSolidPair<'a, 'b> {
        let other = pair.mesh.other();
        MeshSolidPair { scene, pair, placed: Placed::new(job.parts[other.index()], &job.frame, other) }
    }
}

impl MeshSolidPair<'_, '_> {
    pub fn find_hits(&self, leaves: &[u32], scratch: &mut SolidScratch) {
        scratch.hits.clear();
        for triangle in leaves.iter().flat_map(|&leaf| self.pair.surface.tree.leaf_triangles(leaf)) {
            let Some(local) = self.pair.touching_corners(triangle) else { continue };
            let extent = self.reach(&local, &self.scene.lattice, scratch);
            let mut closest = closest_on_triangle(&self.pair.primitive, &local);
            // Of a face that lies along another every point is as deep: take one that both share.
            let at = self.scene.to_lattice(&self.pair.to_frame(&closest.on_triangle));
            closest.on_triangle = self.scene.off_lattice(&Point3::from(std::array::from_fn(|k| {
                at[k].max(extent.min[k]).min(extent.max[k])
            })));
            closest.normal = self.pair.rotation() * closest.normal;
            scratch.hits.push(Hit { triangle, closest, extent });
        }
        scratch.hits.sort_by_key(|h| h.triangle);
    }

    /// The box, along some axes (columns, pair frame), of what of a triangle lies in the primitive's own box and, for round
    /// ones, near where its plane cuts them.
    pub fn reach(&self, local: &[Point3<f64>; 3], axes: &Matrix3<f64>, scratch: &mut SolidScratch) -> Extent {
        let SolidScratch { polygon, spare, .. } = scratch;
        polygon.clear();
        polygon.extend_from_slice(local);
        let aabb = self.pair.primitive.aabb();
        for axis in 0..3 {
            for (sign, bound) in [(1.0, aabb.max[axis]), (-1.0, -aabb.min[axis])] {
                if bound.is_finite() {
                    clip(polygon, spare, axis, sign, f64::from(bound));
                }
            }
        }
        let mut extent = Extent::EMPTY;
        let kept: &[Point3<f64>] = if polygon.is_empty() { local } else { polygon };
        kept.iter().for_each(|p| extent.add(axes.tr_mul(&self.pair.to_frame(p).coords).into()));
        match self.section(local, axes) {
            Some(section) => {
                let clipped = Extent {
                    min: std::array::from_fn(|k| extent.min[k].max(section.min[k])),
                    max: std::array::from_fn(|k| extent.max[k].min(section.max[k])),
                };
                if clipped.is_empty() { extent } else { clipped }
            }
            None => extent,
        }
    }

    /// The box, along some axes, of where a plane cuts a ball or what a ball or disc sweeps along z.
    fn section(&self, local: &[Point3<f64>; 3], axes: &Matrix3<f64>) -> Option<Extent> {
        let (half, radius) = match self.pair.primitive {
            Primitive::Sphere { radius } => (0.0, f64::from(radius)),
            Primitive::Capsule { half_height, radius } | Primitive::Cylinder { half_height, radius } => {
                (f64::from(half_height), f64::from(radius))
            }
            Primitive::HalfSpace | Primitive::Cuboid { .. } => return None,
        };
        let normal = (local[1] - local[0]).cross(&(local[2] - local[0])).try_normalize(0.0)?;
        let height = |z: f64| normal.z * z - normal.dot(&local[0].coords);
        // Between these the middle of the section moves evenly, and its radius grows or shrinks.
        let mut stops = vec![-half, half];
        for level in [-radius, 0.0, radius] {
            let z = (level + normal.dot(&local[0].coords)) / normal.z;
            if z.abs() < half {
                stops.push(z);
            }
        }
        let mut extent = Extent::EMPTY;
        for z in stops {
            let h = height(z);
            let across = radius * radius - h * h;
            if across < 0.0 {
                continue;
            }
            let reach = across.sqrt() * 1.25;
            let middle = axes.tr_mul(&self.pair.to_frame(&(Point3::new(0.0, 0.0, z) - normal * h)).coords);
            let turned = axes.tr_mul(&(self.pair.rotation() * normal));
            let side = turned.map(|n| reach * (1.0 - n * n).max(0.0).sqrt());
            extent.add((middle - side).into());
            extent.add((middle + side).into());
        }
        (!extent.is_empty()).then_some(extent)
    }

    /// Whether one is wholly inside the other.
    pub fn containment(&self, hits: &[Hit]) -> Containment {
        let [mesh_in, primitive_in] = self.pair.containments();
        if hits.len() == self.pair.surface.faces().triangle_bound() as usize {
            return if self.pair.holds_mesh() { mesh_in } else { Containment::None };
        }
        let enclosed = hits.is_empty() && self.pair.encloses_primitive();
        if enclosed { primitive_in } else { Containment::None }
    }

    /// Unit normal from A to B of a vector from the primitive to the mesh.
    pub fn a_to_b(&self, from_primitive: &Vector3<f64>) -> Vector3<f64> {
        if self.pair.mesh == Side::B { *from_primitive } else { -from_primitive }
    }
}

/// Keeps of a polygon what lies at `sign · x[axis] ≤ bound` (Sutherland and Hodgman, "Reentrant Polygon
/// Clipping", 1974).
pub(crate) fn clip(
    polygon: &mut Vec<Point3<f64>>,
    spare: &mut Vec<Point3<f64>>,
    axis: usize,
    sign: f64,
    bound: f64,
) {
    spare.clear();
    for (k, p) in polygon.iter().enumerate() {
        let q = &polygon[(k + 1) % polygon.len()];
        let (hp, hq) = (sign * p[axis] - bound, sign * q[axis] - bound);
        if hp <= 0.0 {
            spare.push(*p);
        }
        if (hp < 0.0 && hq > 0.0) || (hp > 0.0 && hq < 0.0) {
            spare.push(p + (q - p) * (hp / (hp - hq)));
        }
    }
    std::mem::swap(polygon, spare);
}
