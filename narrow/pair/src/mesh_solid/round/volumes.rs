//! The volume and the centroid of an overlap, summed along the translation that ends it.
//!
//! Moved along a direction, a primitive loses volume at the rate of the mesh's area in it, seen
//! along the direction. That area is known in closed form at every shift. Its integral, by Gauss's
//! rule in the square root of what is left of the shift, is exact for a ball on a plane, and off by
//! some 1e-4 elsewhere.

use impinge_convex::RoundSection;
use impinge_exact::MeshSolid;
use impinge_geometry::{Primitive, Side};
use nalgebra::{Point3, Vector3};

use super::faces::RoundFace;

/// The places and weights of Gauss's rule of four places over the range from 0 to 1.
const GAUSS: [[f64; 2]; 4] = [
    [0.069_431_844_202_973_71, 0.173_927_422_568_726_94],
    [0.330_009_478_207_571_9, 0.326_072_577_431_273_1],
    [0.669_990_521_792_428_1, 0.326_072_577_431_273_1],
    [0.930_568_155_797_026_3, 0.173_927_422_568_726_94],
];

/// The volume (m³) and the centroid (m, the primitive's frame) of an overlap.
#[derive(Clone, Copy, Debug)]
pub(super) struct OverlapSums {
    pub volume: f64,
    pub centroid: Point3<f64>,
}

impl OverlapSums {
    /// Sums up the overlap with some faces, which a shift of `length` (m) along `normal` (unit)
    /// ends.
    pub fn of_faces(
        primitive: &Primitive,
        faces: &[RoundFace],
        normal: &Vector3<f64>,
        length: f64,
    ) -> OverlapSums {
        OverlapSums::integrate(length, |shift, layer| {
            let moved = normal * shift;
            for face in faces {
                layer.add(&RoundSection::new(primitive, &face.after(&moved)), &face.normal, normal);
            }
        })
    }

    /// Sums up the whole overlap of a pair, which a shift of the primitive by `length` (m) along
    /// `normal` (unit, the primitive's frame) ends.
    pub fn along(pair: &MeshSolid<'_>, normal: &Vector3<f64>, length: f64) -> OverlapSums {
        let turned = pair.rotation() * normal;
        OverlapSums::integrate(length, |shift, layer| {
            let mut frame = *pair.frame;
            let moved = turned * if pair.mesh == Side::A { shift } else { -shift };
            frame.offset[Side::B.index()] += moved;
            let there = MeshSolid { frame: &frame, ..*pair };
            let bound = 0f64.next_up();
            let _ = there.search(bound, &mut |leaf| {
                for triangle in pair.surface.tree.leaf_triangles(leaf) {
                    let Some(corners) = there.touching_corners(triangle) else { continue };
                    let section = RoundSection::new(&pair.primitive, &corners);
                    let outward = section.area.try_normalize(0.0).unwrap_or_default();
                    layer.add(&section, &outward, normal);
                }
                bound
            });
        })
    }

    fn integrate(length: f64, layer_at: impl Fn(f64, &mut Layer)) -> OverlapSums {
        let (mut volume, mut moment) = (0.0, Vector3::zeros());
        for [place, weight] in GAUSS {
            let mut layer = Layer { area: 0.0, moment: Vector3::zeros() };
            layer_at(length * (1.0 - place * place), &mut layer);
            let thickness = 2.0 * place * weight * length;
            volume += layer.area * thickness;
            moment += layer.moment * thickness;
        }
        let centroid = if volume > 0.0 { Point3::from(moment / volume) } else { Point3::origin() };
        OverlapSums { volume: volume.max(0.0), centroid }
    }
}

/// The mesh's surface in the primitive at one shift, seen along the direction.
struct Layer {
    area: f64,
    moment: Vector3<f64>,
}

impl Layer {
    fn add(&mut self, section: &RoundSection, outward: &Vector3<f64>, normal: &Vector3<f64>) {
        self.area += section.area.dot(normal);
        self.moment += section.moment * outward.dot(normal);
    }
}

/// Returns the area vector (m²) of some faces' parts in the primitive, and ∫ x × dA over them (m³).
pub(super) fn wrench_of(faces: &[RoundFace]) -> (Vector3<f64>, Vector3<f64>) {
    faces.iter().fold((Vector3::zeros(), Vector3::zeros()), |(area, moment), face| {
        (area + face.section.area, moment + face.section.moment.cross(&face.normal))
    })
}
