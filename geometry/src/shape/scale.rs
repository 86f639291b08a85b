//! Shapes made larger or smaller.

use std::sync::Arc;

use super::{Composite, ConvexHull, Primitive, Shape};
use crate::{MeshError, ShapeError, TriMesh};

impl Shape {
    /// The shape made larger or smaller about its frame's origin, a composite with all that it holds and its names: 0.001 brings
    /// millimetres to metres. Children that share a mesh share the scaled one. A half-space stays as it is.
    ///
    /// ```
    /// use impinge_geometry::Shape;
    /// use nalgebra::Isometry3;
    ///
    /// let ball = Shape::sphere(50.0)?;
    /// let at = |x: f64| Isometry3::translation(x, 0.0, 0.0);
    /// let metres = Shape::composite(vec![(at(-200.0), ball.clone()), (at(200.0), ball)])?.scaled(0.001)?;
    /// assert!((metres.aabb().max[0] - 0.25).abs() < 1e-6);
    /// # Ok::<(), impinge_geometry::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`MeshError::Factor`] (in [`ShapeError::Mesh`]) unless the factor is finite and positive, and the errors of the
    /// shapes' constructors for sizes that it makes too large or too small.
    pub fn scaled(&self, factor: f64) -> Result<Shape, ShapeError> {
        if !(factor.is_finite() && factor > 0.0) {
            return Err(MeshError::Factor { axis: "x, y and z", value: factor }.into());
        }
        Scale { factor, meshes: Vec::new() }.shape(self)
    }
}

/// A factor, and the meshes that were scaled already.
struct Scale {
    factor: f64,
    meshes: Vec<(Arc<TriMesh>, Arc<TriMesh>)>,
}

impl Scale {
    fn shape(&mut self, shape: &Shape) -> Result<Shape, ShapeError> {
        Ok(match shape {
            Shape::Primitive(primitive) => self.primitive(primitive).checked()?.into(),
            Shape::Hull(hull) => ConvexHull::new(hull.mesh().scaled(self.factor)?.vertices())?.into(),
            Shape::Mesh(mesh) => self.mesh(mesh)?.into(),
            Shape::Field(field) => field.scaled(self.factor)?.into(),
            Shape::Levels(levels) => levels.scaled(self.factor)?.into(),
            Shape::Particles(particles) => particles.scaled(self.factor)?.into(),
            Shape::Composite(composite) => {
                let named = composite.children().iter().zip(composite.names());
                let children = named.map(|((pose, child), name)| {
                    let mut pose = *pose;
                    pose.translation.vector *= self.factor;
                    Ok((name.clone(), pose, self.shape(child)?))
                });
                Composite::named(children.collect::<Result<_, ShapeError>>()?)?.into()
            }
        })
    }

    fn mesh(&mut self, mesh: &Arc<TriMesh>) -> Result<Arc<TriMesh>, ShapeError> {
        if let Some((_, scaled)) = self.meshes.iter().find(|(known, _)| Arc::ptr_eq(known, mesh)) {
            return Ok(Arc::clone(scaled));
        }
        let scaled = Arc::new(mesh.scaled(self.factor)?);
        self.meshes.push((Arc::clone(mesh), Arc::clone(&scaled)));
        Ok(scaled)
    }

    fn primitive(&self, primitive: &Primitive) -> Primitive {
        let size = |x: f32| (f64::from(x) * self.factor) as f32;
        match *primitive {
            Primitive::HalfSpace => Primitive::HalfSpace,
            Primitive::Sphere { radius } => Primitive::Sphere { radius: size(radius) },
            Primitive::Cuboid { half } => Primitive::Cuboid { half: half.map(size) },
            Primitive::Capsule { half_height, radius } => {
                Primitive::Capsule { half_height: size(half_height), radius: size(radius) }
            }
            Primitive::Cylinder { half_height, radius } => {
                Primitive::Cylinder { half_height: size(half_height), radius: size(radius) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Point3, Vector3};

    use super::*;

    fn tetrahedron() -> TriMesh {
        let p = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from);
        TriMesh::new(p.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).unwrap()
    }

    #[test]
    fn volumes_grow_by_the_cube_and_places_by_the_factor() {
        let mesh = Arc::new(tetrahedron());
        let shapes = [
            Shape::sphere(0.5).unwrap(),
            Shape::cuboid([0.5, 1.0, 2.0]).unwrap(),
            Shape::capsule(0.5, 0.25).unwrap(),
            Shape::cylinder(0.5, 0.25).unwrap(),
            mesh.hull().unwrap().into(),
            mesh.clone().into(),
            mesh.into(),
        ];
        let at = |k: usize| Isometry3::new(Vector3::new(4.0 * k as f64, 1.0, 0.0), Vector3::z() * k as f64);
        let named = |(k, shape): (usize, &Shape)| (k.to_string(), at(k), shape.clone());
        let all = Shape::from(Composite::named(shapes.iter().enumerate().map(named).collect()).unwrap());
        for factor in [1e-3, 0.7, 40.0] {
            for shape in shapes.iter().chain([&all]) {
                let (was, is) = (shape.mass_properties().unwrap(), shape.scaled(factor).unwrap());
                let is = is.mass_properties().unwrap();
                assert!((is.volume / (was.volume * factor.powi(3)) - 1.0).abs() < 1e-6, "{shape:?}");
                assert!((is.center - was.center * factor).norm() < 1e-5 * factor * 30.0);
            }
            let scaled = all.scaled(factor).unwrap();
            assert_eq!(scaled.subshape_name(3), Some("3"));
            let Shape::Composite(composite) = &scaled else { panic!("a composite") };
            let [Shape::Mesh(a), Shape::Mesh(b)] = [5, 6].map(|k| &composite.children()[k].1) else {
                panic!("meshes")
            };
            assert!(Arc::ptr_eq(a, b));
        }
    }

    #[test]
    fn factors_that_are_none_and_sizes_that_come_of_them_are_refused() {
        let ball = Shape::sphere(1.0).unwrap();
        for factor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = ball.scaled(factor).unwrap_err();
            assert!(matches!(error, ShapeError::Mesh(MeshError::Factor { .. })), "{error}");
        }
        assert!(matches!(ball.scaled(1e31), Err(ShapeError::Size { .. })));
        assert!(matches!(ball.scaled(1e-60), Err(ShapeError::Size { .. })));
        assert!(matches!(Shape::half_space().scaled(2.0), Ok(Shape::Primitive(Primitive::HalfSpace))));
    }
}
