//! Convex solids with a closed form.

use nalgebra::Point3;

use crate::reach::within_reach;
use crate::volume::round_up;
use crate::{Aabb, BoundingSphere, ShapeError, TriMesh};

/// A convex solid with a closed form, in its own frame (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Primitive {
    /// Everything at `z ≤ 0`: the outward normal is +z.
    HalfSpace,
    /// A ball around the origin.
    Sphere {
        /// Radius (m).
        radius: f32,
    },
    /// A box around the origin.
    Cuboid {
        /// Half the edge lengths along x, y, z (m).
        half: [f32; 3],
    },
    /// All points within `radius` of the segment from `-half_height` to `half_height` on z.
    Capsule {
        /// Half the segment's length (m).
        half_height: f32,
        /// Radius (m).
        radius: f32,
    },
    /// A cylinder around z from `-half_height` to `half_height`, with flat ends.
    Cylinder {
        /// Half the height (m).
        half_height: f32,
        /// Radius (m).
        radius: f32,
    },
}

/// The corners of a box: bit `i` of the index says on which side of axis `i` it stands.
const BOX_TRIANGLES: [[u32; 3]; 12] = [
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
];

impl Primitive {
    /// The primitive itself, if its sizes can be used.
    ///
    /// # Errors
    /// [`ShapeError::Size`] for the first size that is not positive or beyond [`FARTHEST`](crate::FARTHEST).
    pub fn checked(self) -> Result<Primitive, ShapeError> {
        let (shape, sizes): (_, &[(&'static str, f32)]) = match self {
            Primitive::HalfSpace => ("half-space", &[]),
            Primitive::Sphere { radius } => ("sphere", &[("radius", radius)]),
            Primitive::Cuboid { half: [x, y, z] } => {
                ("cuboid", &[("half[0]", x), ("half[1]", y), ("half[2]", z)])
            }
            Primitive::Capsule { half_height, radius } => {
                ("capsule", &[("half_height", half_height), ("radius", radius)])
            }
            Primitive::Cylinder { half_height, radius } => {
                ("cylinder", &[("half_height", half_height), ("radius", radius)])
            }
        };
        match sizes.iter().find(|(_, value)| !(within_reach(*value) && *value > 0.0)) {
            Some(&(parameter, value)) => Err(ShapeError::Size { shape, parameter, value }),
            None => Ok(self),
        }
    }

    /// Box in the primitive's own frame (m); infinite in x, y and downward for a half-space.
    pub fn aabb(&self) -> Aabb {
        let half = match *self {
            Primitive::HalfSpace => {
                let endless = f32::INFINITY;
                return Aabb { min: [-endless; 3], max: [endless, endless, 0.0] };
            }
            Primitive::Sphere { radius } => [f64::from(radius); 3],
            Primitive::Cuboid { half } => half.map(f64::from),
            Primitive::Capsule { half_height, radius } => {
                let r = f64::from(radius);
                [r, r, f64::from(half_height) + r]
            }
            Primitive::Cylinder { half_height, radius } => {
                [f64::from(radius), f64::from(radius), f64::from(half_height)]
            }
        };
        Aabb::outward(half.map(|x| -x), half)
    }

    /// Sphere around the origin of the primitive's own frame (m); of infinite radius for a
    /// half-space.
    pub fn bounding_sphere(&self) -> BoundingSphere {
        let radius = match *self {
            Primitive::HalfSpace => f64::INFINITY,
            Primitive::Sphere { radius } => f64::from(radius),
            Primitive::Cuboid { half: [x, y, z] } => {
                let [x, y, z] = [x, y, z].map(f64::from);
                (x * x + y * y + z * z).sqrt() * ROUNDING
            }
            Primitive::Capsule { half_height, radius } => f64::from(half_height) + f64::from(radius),
            Primitive::Cylinder { half_height, radius } => {
                let (h, r) = (f64::from(half_height), f64::from(radius));
                (h * h + r * r).sqrt() * ROUNDING
            }
        };
        BoundingSphere { center: Point3::origin(), radius: round_up(radius) }
    }

    /// The surface as triangles, where it is made of flat polygons without end: that of a cuboid,
    /// twelve triangles. `None` for everything else.
    pub fn surface(&self) -> Option<TriMesh> {
        let Primitive::Cuboid { half } = *self else { return None };
        let vertices = (0..8u32)
            .map(|corner| {
                Point3::from(std::array::from_fn::<f32, 3, _>(|axis| {
                    if corner >> axis & 1 == 1 { half[axis] } else { -half[axis] }
                }))
            })
            .collect();
        TriMesh::new(vertices, BOX_TRIANGLES.to_vec()).ok()
    }
}

/// More than what rounding can take from a sum of squares and its root.
const ROUNDING: f64 = 1.0 + 1e-15;
