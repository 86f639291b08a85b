//! Collision shapes.

mod bounds;
mod composite;
mod hull;
mod primitive;
mod quickhull;
mod scale;
#[cfg(feature = "serde")]
mod snapshot;

use std::sync::Arc;

use nalgebra::{Isometry3, Point3};

pub use composite::Composite;
pub use hull::ConvexHull;
pub use primitive::Primitive;

use crate::{HeightField, LevelSet, Particles, ShapeError, TriMesh};

/// A collision shape. Cheap to clone: meshes, height fields, level sets and particles are shared.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// A convex solid with a closed form.
    Primitive(Primitive),
    /// A convex hull.
    Hull(ConvexHull),
    /// A triangle mesh, convex or not, closed or soup.
    Mesh(Arc<TriMesh>),
    /// Terrain over a regular grid.
    Field(Arc<HeightField>),
    /// A body given by a function over a grid, negative inside.
    Levels(Arc<LevelSet>),
    /// Many balls, each for itself. They are no part of a composite. Steps of a world and `ParticleQuery` find their contacts; other queries see nothing of
    /// them.
    Particles(Arc<Particles>),
    /// Several shapes that move as one.
    Composite(Arc<Composite>),
}

impl Shape {
    /// Everything at or below the local plane z = 0.
    pub fn half_space() -> Shape {
        Shape::Primitive(Primitive::HalfSpace)
    }

    /// A ball.
    ///
    /// # Errors
    /// [`ShapeError::Size`] unless `radius` (m) is positive and at most [`FARTHEST`](crate::FARTHEST).
    pub fn sphere(radius: f32) -> Result<Shape, ShapeError> {
        Ok(Primitive::Sphere { radius }.checked()?.into())
    }

    /// A box with edges of `2 · half[i]` (m).
    ///
    /// # Errors
    /// [`ShapeError::Size`] unless every half extent is positive and at most [`FARTHEST`](crate::FARTHEST).
    pub fn cuboid(half: [f32; 3]) -> Result<Shape, ShapeError> {
        Ok(Primitive::Cuboid { half }.checked()?.into())
    }

    /// A capsule along z.
    ///
    /// # Errors
    /// [`ShapeError::Size`] unless both sizes (m) are positive and at most [`FARTHEST`](crate::FARTHEST).
    pub fn capsule(half_height: f32, radius: f32) -> Result<Shape, ShapeError> {
        Ok(Primitive::Capsule { half_height, radius }.checked()?.into())
    }

    /// A cylinder along z.
    ///
    /// # Errors
    /// [`ShapeError::Size`] unless both sizes (m) are positive and at most [`FARTHEST`](crate::FARTHEST).
    pub fn cylinder(half_height: f32, radius: f32) -> Result<Shape, ShapeError> {
        Ok(Primitive::Cylinder { half_height, radius }.checked()?.into())
    }

    /// The convex hull of `points` (m).
    ///
    /// # Errors
    /// As [`ConvexHull::new`].
    pub fn hull(points: &[Point3<f32>]) -> Result<Shape, ShapeError> {
        Ok(Shape::Hull(ConvexHull::new(points)?))
    }

    /// A composite.
    ///
    /// # Errors
    /// As [`Composite::new`].
    pub fn composite(children: Vec<(Isometry3<f64>, Shape)>) -> Result<Shape, ShapeError> {
        Ok(Composite::new(children)?.into())
    }

    /// The name of a subshape of a composite, as [`Composite::named`] was given it and manifolds number it; `None` where it
    /// has no name, or there is no such subshape.
    pub fn subshape_name(&self, subshape: u32) -> Option<&str> {
        let Shape::Composite(composite) = self else { return None };
        composite.names().get(subshape as usize).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// Checks sizes that no constructor has checked: a [`Primitive`] can be written down with any.
    ///
    /// # Errors
    /// [`ShapeError::Size`] for a size that is not positive and at most [`FARTHEST`](crate::FARTHEST).
    pub fn check(&self) -> Result<(), ShapeError> {
        match self {
            Shape::Primitive(primitive) => primitive.checked().map(|_| ()),
            Shape::Composite(composite) => composite.children().iter().try_for_each(|(_, s)| s.check()),
            Shape::Hull(_) | Shape::Mesh(_) | Shape::Field(_) | Shape::Levels(_) | Shape::Particles(_) => {
                Ok(())
            }
        }
    }
}

impl From<TriMesh> for Shape {
    fn from(mesh: TriMesh) -> Shape {
        Shape::Mesh(Arc::new(mesh))
    }
}

impl From<Arc<TriMesh>> for Shape {
    fn from(mesh: Arc<TriMesh>) -> Shape {
        Shape::Mesh(mesh)
    }
}

impl From<HeightField> for Shape {
    fn from(field: HeightField) -> Shape {
        Shape::Field(Arc::new(field))
    }
}

impl From<Arc<HeightField>> for Shape {
    fn from(field: Arc<HeightField>) -> Shape {
        Shape::Field(field)
    }
}

impl From<LevelSet> for Shape {
    fn from(levels: LevelSet) -> Shape {
        Shape::Levels(Arc::new(levels))
    }
}

impl From<Arc<LevelSet>> for Shape {
    fn from(levels: Arc<LevelSet>) -> Shape {
        Shape::Levels(levels)
    }
}

impl From<Particles> for Shape {
    fn from(particles: Particles) -> Shape {
        Shape::Particles(Arc::new(particles))
    }
}

impl From<Arc<Particles>> for Shape {
    fn from(particles: Arc<Particles>) -> Shape {
        Shape::Particles(particles)
    }
}

impl From<Primitive> for Shape {
    fn from(primitive: Primitive) -> Shape {
        Shape::Primitive(primitive)
    }
}

impl From<Composite> for Shape {
    fn from(composite: Composite) -> Shape {
        Shape::Composite(Arc::new(composite))
    }
}

impl From<ConvexHull> for Shape {
    fn from(hull: ConvexHull) -> Shape {
        Shape::Hull(hull)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    #[test]
    fn sizes_that_are_no_sizes_are_named() {
        for bad in [0.0, -0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for (made, name) in [
                (Shape::sphere(bad), "radius"),
                (Shape::cuboid([bad, 1.0, 1.0]), "half[0]"),
                (Shape::cuboid([1.0, bad, 1.0]), "half[1]"),
                (Shape::cuboid([1.0, 1.0, bad]), "half[2]"),
                (Shape::capsule(bad, 1.0), "half_height"),
                (Shape::capsule(1.0, bad), "radius"),
                (Shape::cylinder(bad, 1.0), "half_height"),
                (Shape::cylinder(1.0, bad), "radius"),
            ] {
                let error = made.unwrap_err();
                assert!(
                    matches!(error, ShapeError::Size { parameter, .. } if parameter == name),
                    "{bad}: {error}"
                );
            }
        }
    }

    #[test]
    fn a_composite_needs_children_with_poses() {
        assert_eq!(Shape::composite(vec![]).unwrap_err(), ShapeError::EmptyComposite);
        let ball = Shape::sphere(1.0).unwrap();
        let lost = Isometry3::translation(0.0, f64::NAN, 0.0);
        let error = Shape::composite(vec![(Isometry3::identity(), ball.clone()), (lost, ball)]).unwrap_err();
        assert!(matches!(error, ShapeError::ChildPose { child: 1, .. }), "{error}");
    }

    #[test]
    fn particles_are_no_child() {
        let powder = Particles::new(vec![Point3::origin()], 0.1).unwrap();
        let children = vec![
            (Isometry3::identity(), Shape::sphere(1.0).unwrap()),
            (Isometry3::identity(), powder.into()),
        ];
        assert_eq!(Shape::composite(children).unwrap_err(), ShapeError::ParticlesInComposite { child: 1 });
    }

    #[test]
    fn composites_in_composites_are_laid_open() {
        let ball = Shape::sphere(1.0).unwrap();
        let inner = Shape::composite(vec![(Isometry3::translation(0.0, 0.0, 2.0), ball.clone())]).unwrap();
        let quarter = Isometry3::new(Vector3::x(), Vector3::y() * std::f64::consts::FRAC_PI_2);
        let outer = Shape::composite(vec![(Isometry3::identity(), ball), (quarter, inner)]).unwrap();
        let Shape::Composite(composite) = outer else { panic!("it is a composite") };
        assert_eq!(composite.children().len(), 2);
        // z of the inner one is x of the outer one.
        let place = composite.children()[1].0.translation.vector;
        assert!((place - Vector3::new(3.0, 0.0, 0.0)).norm() < 1e-12);
    }

    #[test]
    fn subshapes_keep_their_names() {
        let ball = || Shape::sphere(1.0).unwrap();
        let at = Isometry3::identity();
        let named = |children: Vec<(&str, Shape)>| {
            let children = children.into_iter().map(|(name, shape)| (name.to_owned(), at, shape));
            Shape::from(Composite::named(children.collect()).unwrap())
        };
        let arm = named(vec![("upper", ball()), ("", ball())]);
        let robot = named(vec![("base", ball()), ("arm", arm.clone()), ("", arm), ("", ball())]);
        let names: Vec<Option<&str>> = (0..8).map(|k| robot.subshape_name(k)).collect();
        let expected = [Some("base"), Some("arm/upper"), Some("arm"), Some("upper"), None, None, None, None];
        assert_eq!(names, expected);
        assert_eq!(Shape::composite(vec![(at, ball())]).unwrap().subshape_name(0), None);
        assert_eq!(ball().subshape_name(0), None);
    }
}
