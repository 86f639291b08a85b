//! A sheet against a primitive without triangles.

use impinge_convex::closest_on_triangle;
use impinge_geometry::{Primitive, Side};
use nalgebra::{Point3, Vector3};

use super::point::{SheetPoint, SheetReach};
use super::scratch::SheetScratch;
use crate::MeshSolid;
use crate::distance::{Feature, Spot, triangle_feature, triangle_gap};

/// All points at which a sheet (A) is near a half-space, sphere, capsule or cylinder (B), in the order of their features: appended to
/// `out`. Every vertex that is nearer than asked for makes one, negative inside, and every triangle whose nearest place is
/// at none of its corners. A cuboid, which has a surface, gives none.
pub fn sheet_and_primitive(
    pair: MeshSolid<'_>,
    reach: SheetReach,
    scratch: &mut SheetScratch,
    out: &mut Vec<SheetPoint>,
) {
    if matches!(pair.primitive, Primitive::Cuboid { .. }) {
        return;
    }
    let (first, most) = (out.len(), reach.most());
    // A sheet is a mesh.
    let Some(mesh) = pair.surface.mesh() else { return };
    let counts = &mut scratch.counts;
    let _ = pair.search(most, &mut |leaf| {
        counts.leaf_pairs += 1;
        for triangle in pair.surface.tree.leaf_triangles(leaf) {
            let Some(corners) = pair.local_corners(triangle) else { continue };
            counts.triangle_pairs += 1;
            for (k, corner) in corners.iter().enumerate() {
                let v = mesh.triangles()[triangle as usize][k];
                if mesh.vertex_owners()[v as usize] != triangle {
                    continue;
                }
                counts.measured += 1;
                let (gap, normal) = point_gap(&pair.primitive, corner);
                if gap < most {
                    out.push(point(&pair, triangle, Spot::Corner(k), corner, (gap, normal), reach));
                }
            }
            let closest = closest_on_triangle(&pair.primitive, &corners);
            counts.measured += 1;
            let spot = triangle_gap(&corners, &[closest.on_triangle; 3]).spots[0];
            if closest.gap < most && !matches!(spot, Spot::Corner(_)) {
                let gap = (closest.gap, closest.normal);
                out.push(point(&pair, triangle, spot, &closest.on_triangle, gap, reach));
            }
        }
        most
    });
    out[first..].sort_unstable_by(SheetPoint::order);
    let mut last = None;
    let mut at = 0;
    out.retain(|point| {
        at += 1;
        at <= first || last.replace(point.features) != Some(point.features)
    });
}

/// A point in words; `at` and the normal, from the primitive to the sheet, are in the primitive's frame.
fn point(
    pair: &MeshSolid<'_>,
    triangle: u32,
    spot: Spot,
    at: &Point3<f64>,
    (gap, normal): (f64, Vector3<f64>),
    reach: SheetReach,
) -> SheetPoint {
    let mesh = pair.surface.faces();
    let corners = mesh.corners(triangle).map(|p| pair.frame.place(Side::A, &p));
    let at = pair.to_frame(at);
    let normal = pair.rotation() * normal;
    SheetPoint {
        features: [triangle_feature(mesh, triangle, spot), Feature::Smooth],
        subshape: 0,
        triangles: [Some(triangle), None],
        weights: [weights(&corners, spot, &at), [0.0; 3]],
        points: [at, at - normal * gap],
        normal: -normal,
        distance: gap,
        keep: reach.thickness,
    }
}

/// What the corners of a triangle weigh at a place of it.
fn weights(corners: &[Point3<f64>; 3], spot: Spot, at: &Point3<f64>) -> [f64; 3] {
    let mut weights = [0.0; 3];
    match spot {
        Spot::Corner(k) => weights[k] = 1.0,
        Spot::Edge(k) => {
            let along = corners[(k + 1) % 3] - corners[k];
            let share = ((at - corners[k]).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
            (weights[k], weights[(k + 1) % 3]) = (1.0 - share, share);
        }
        Spot::Inside => {
            let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
            let over = |k: usize| {
                let from = corners[(k + 1) % 3];
                normal.dot(&(corners[(k + 2) % 3] - from).cross(&(at - from))) / normal.norm_squared()
            };
            let first = [over(0).clamp(0.0, 1.0), over(1).clamp(0.0, 1.0)];
            weights = [first[0], first[1], (1.0 - first[0] - first[1]).max(0.0)];
        }
    }
    weights
}

/// How far a point (m, in the primitive's frame) is from a primitive (m; negative inside), and the unit vector from the primitive to it.
fn point_gap(primitive: &Primitive, p: &Point3<f64>) -> (f64, Vector3<f64>) {
    let from = |center: Vector3<f64>, radius: f64, else_: Vector3<f64>| {
        let between = p.coords - center;
        (between.norm() - radius, between.try_normalize(0.0).unwrap_or(else_))
    };
    match *primitive {
        Primitive::HalfSpace => (p.z, Vector3::z()),
        Primitive::Sphere { radius } => from(Vector3::zeros(), f64::from(radius), Vector3::z()),
        Primitive::Capsule { half_height, radius } => {
            let h = f64::from(half_height);
            from(Vector3::z() * p.z.clamp(-h, h), f64::from(radius), Vector3::x())
        }
        Primitive::Cylinder { half_height, radius } => {
            let out = Vector3::new(p.x, p.y, 0.0);
            let aside = out.try_normalize(0.0).unwrap_or_else(Vector3::x);
            let up = Vector3::z() * p.z.signum();
            let [beside, above] = [out.norm() - f64::from(radius), p.z.abs() - f64::from(half_height)];
            if beside > 0.0 && above > 0.0 {
                let between = aside * beside + up * above;
                return (between.norm(), between.normalize());
            }
            if beside > above { (beside, aside) } else { (above, up) }
        }
        _ => (f64::INFINITY, Vector3::z()),
    }
}
