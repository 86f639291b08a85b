//! Shapes made larger or smaller along their axes.

use bevy::math::Vec3;
use impinge::geometry::{ConvexHull, Primitive};
use impinge::{Shape, ShapeError};

/// Why a shape cannot be scaled.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum ScaleError {
    #[error("it can be made larger or smaller evenly only, by one positive factor")]
    Uneven,
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// A shape with its coordinates multiplied by a factor each.
pub(crate) fn scaled(shape: &Shape, factors: Vec3) -> Result<Shape, ScaleError> {
    let by = factors.to_array().map(f64::from);
    Ok(match shape {
        Shape::Mesh(mesh) => mesh.scaled_by(by).map_err(ShapeError::from)?.into(),
        Shape::Hull(hull) => {
            let mesh = hull.mesh().scaled_by(by).map_err(ShapeError::from)?;
            ConvexHull::new(mesh.vertices())?.into()
        }
        Shape::Primitive(Primitive::Cuboid { half }) => {
            let factors = factors.abs().to_array();
            Shape::cuboid([0, 1, 2].map(|axis| half[axis] * factors[axis]))?
        }
        _ if by[0] == by[1] && by[1] == by[2] && by[0] > 0.0 => shape.scaled(by[0])?,
        _ => return Err(ScaleError::Uneven),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_take_any_factors_and_balls_even_ones() {
        let cube = Shape::cuboid([1.0, 2.0, 3.0]).unwrap();
        let ball = Shape::sphere(2.0).unwrap();
        let stretched = scaled(&cube, Vec3::new(2.0, -1.0, 0.5)).unwrap();
        assert_eq!(stretched.aabb().max, [2.0, 2.0, 1.5]);
        assert_eq!(scaled(&ball, Vec3::splat(0.5)).unwrap().aabb().max, [1.0; 3]);
        assert_eq!(scaled(&ball, Vec3::new(1.0, 1.0, 2.0)).unwrap_err(), ScaleError::Uneven);
        assert!(matches!(scaled(&ball, Vec3::NAN), Err(ScaleError::Uneven)));
        assert!(matches!(scaled(&cube, Vec3::new(1.0, 0.0, 1.0)), Err(ScaleError::Shape(_))));
    }
}
