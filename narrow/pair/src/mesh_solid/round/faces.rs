//! The triangles that touch a round primitive, and the connected regions that they form.

use impinge_convex::{RoundSection, closest_on_triangle, nearest_on_segment, touches_triangle, unit_normal};
use impinge_exact::MeshSolid;
use impinge_geometry::Primitive;
use nalgebra::{Point3, Vector3};

use crate::patches::{root, unite};

/// The part of a triangle's size within which a point is on its edge.
const ON_EDGE: f64 = 1e-9;

/// The part of a distance by which rounding may make it greater.
const ROUNDING: f64 = 1e-9;

/// A triangle that touches the primitive. Places are in the primitive's frame (m).
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundFace {
    pub triangle: u32,
    pub vertices: [u32; 3],
    pub corners: [Point3<f64>; 3],
    /// The outward unit normal; zero of a needle.
    pub normal: Vector3<f64>,
    /// The part of it in the primitive.
    pub section: RoundSection,
    /// The unit vector from the triangle's nearest point to the core, and how far that is inside
    /// the radius (m).
    pub axis: Vector3<f64>,
    pub depth: f64,
    /// The corners and edges on which the nearest point lies.
    pub spot: Spot,
    /// The number of its region.
    pub part: u32,
    /// No neighbour is nearer to the core.
    pub is_nearest: bool,
}

/// The feature of a triangle on which a point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    Inside,
    Edge(usize),
    Corner(usize),
}

/// The faces of a pair, and the buffers by which they are found.
#[derive(Debug, Default)]
pub(super) struct FaceScratch {
    /// Region after region, each by rising triangle.
    pub faces: Vec<RoundFace>,
    /// The triangles of the leaves, rising.
    triangles: Vec<u32>,
    /// The sides of the faces by their vertices, with the face of each.
    sides: Vec<(u32, u32, u32)>,
    /// The corners of the faces, with the face of each.
    corners: Vec<(u32, u32)>,
    parent: Vec<u32>,
}

impl FaceScratch {
    /// Gathers the faces that touch the primitive.
    pub fn gather(&mut self, pair: &MeshSolid<'_>, leaves: &[u32]) {
        self.triangles.clear();
        self.triangles.extend(leaves.iter().flat_map(|&leaf| pair.surface.tree.leaf_triangles(leaf)));
        self.triangles.sort_unstable();
        gather_faces(pair, &self.triangles, &mut self.faces);
        join(&pair.primitive, self);
        find_nearest(self);
    }
}

fn gather_faces(pair: &MeshSolid<'_>, triangles: &[u32], faces: &mut Vec<RoundFace>) {
    faces.clear();
    let mesh = pair.surface.faces();
    for &triangle in triangles {
        let Some(corners) = pair.touching_corners(triangle) else { continue };
        faces.push(RoundFace::new(&pair.primitive, triangle, mesh.vertices_of(triangle), corners));
    }
}

impl RoundFace {
    fn new(primitive: &Primitive, triangle: u32, vertices: [u32; 3], corners: [Point3<f64>; 3]) -> RoundFace {
        let normal = unit_normal(&corners).unwrap_or_default();
        let closest = match primitive {
            Primitive::Sphere { .. } | Primitive::Capsule { .. } => closest_on_triangle(primitive, &corners),
            // A cylinder has no core whose distance would tell.
            _ => impinge_convex::Closest { gap: 0.0, on_triangle: corners[0], normal: -normal },
        };
        RoundFace {
            triangle,
            vertices,
            corners,
            normal,
            section: RoundSection::new(primitive, &corners),
            axis: -closest.normal,
            depth: -closest.gap,
            spot: spot(&corners, &closest.on_triangle),
            part: 0,
            is_nearest: false,
        }
    }

    /// The corners after the primitive has moved by a shift (m).
    pub fn after(&self, shift: &Vector3<f64>) -> [Point3<f64>; 3] {
        self.corners.map(|p| p - shift)
    }
}

/// The feature of a triangle on which one of its points lies.
fn spot(corners: &[Point3<f64>; 3], p: &Point3<f64>) -> Spot {
    let size = (corners[1] - corners[0]).norm().max((corners[2] - corners[0]).norm());
    let near = ON_EDGE * size;
    if let Some(k) = (0..3).find(|&k| (corners[k] - p).norm() <= near) {
        return Spot::Corner(k);
    }
    let is_on = |k: &usize| (nearest_on_segment(&corners[*k], &corners[(*k + 1) % 3], p) - p).norm() <= near;
    (0..3).find(is_on).map_or(Spot::Inside, Spot::Edge)
}

/// Numbers the regions: faces that share an edge of which a part is in the primitive are of one.
fn join(primitive: &Primitive, scratch: &mut FaceScratch) {
    let FaceScratch { faces, sides, parent, .. } = scratch;
    sides.clear();
    for (index, face) in (0..).zip(&*faces) {
        for k in 0..3 {
            let (p, q) = (face.vertices[k], face.vertices[(k + 1) % 3]);
            sides.push((p.min(q), p.max(q), index));
        }
    }
    sides.sort_unstable();
    parent.clear();
    parent.extend(0..faces.len() as u32);
    for pair in sides.windows(2).filter(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
        let face = &faces[pair[0].2 as usize];
        let ends = (0..3).filter(|&k| [pair[0].0, pair[0].1].contains(&face.vertices[k]));
        let mut own = [face.corners[0]; 3];
        ends.enumerate().for_each(|(at, k)| own[at] = face.corners[k]);
        own[2] = own[1];
        if root(parent, pair[0].2) != root(parent, pair[1].2) && touches_triangle(primitive, &own) {
            unite(parent, pair[0].2, pair[1].2);
        }
    }
    for (index, face) in (0..).zip(faces.iter_mut()) {
        face.part = root(parent, index);
    }
    faces.sort_unstable_by_key(|face| (face.part, face.triangle));
}

/// Marks the faces that are locally nearest to the core: no face that shares the nearest point is
/// nearer.
fn find_nearest(scratch: &mut FaceScratch) {
    let FaceScratch { faces, corners, .. } = scratch;
    corners.clear();
    for (index, face) in (0..).zip(&*faces) {
        corners.extend(face.vertices.map(|vertex| (vertex, index)));
    }
    corners.sort_unstable();
    for index in 0..faces.len() {
        let face = faces[index];
        let at = |vertex: u32| {
            let from = corners.partition_point(|corner| corner.0 < vertex);
            corners[from..].iter().take_while(move |corner| corner.0 == vertex)
        };
        let is_nearer = |other: u32| {
            let other = &faces[other as usize];
            other.depth > face.depth + ROUNDING * face.depth.abs()
        };
        faces[index].is_nearest = match face.spot {
            Spot::Inside => true,
            Spot::Corner(k) => !at(face.vertices[k]).any(|corner| is_nearer(corner.1)),
            Spot::Edge(k) => {
                let other_end = face.vertices[(k + 1) % 3];
                !at(face.vertices[k]).any(|corner| {
                    faces[corner.1 as usize].vertices.contains(&other_end) && is_nearer(corner.1)
                })
            }
        };
    }
}
