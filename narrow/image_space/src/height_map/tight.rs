//! The picture that an object fills along a direction.

use impinge_geometry::{Particles, Primitive, Shape, TriMesh};
use nalgebra::{Isometry3, Point3, Translation3, Vector3};

use super::{HeightMapError, ImagePlane};

/// The simple shapes of a shape, each with its pose.
pub(super) fn flatten(shape: &Shape, pose: &Isometry3<f64>, out: &mut Vec<(Shape, Isometry3<f64>)>) {
    match shape {
        Shape::Composite(composite) => {
            composite.children().iter().for_each(|(own, child)| flatten(child, &(pose * own), out));
        }
        // Drawn by its vertices; its triangles are told as those of its mesh.
        Shape::Field(field) => out.extend(field.to_mesh().map(|own| (Shape::from(own.mesh), *pose))),
        Shape::Levels(levels) => out.extend(levels.to_mesh().map(|own| (Shape::from(own.mesh), *pose))),
        Shape::Particles(particles) => {
            out.extend(balls(particles, pose).map(|(ball, pose)| (ball.into(), pose)));
        }
        simple => out.push((simple.clone(), *pose)),
    }
}

/// Particles as balls, each with its pose.
pub(super) fn balls(
    particles: &Particles,
    pose: &Isometry3<f64>,
) -> impl Iterator<Item = (Primitive, Isometry3<f64>)> {
    (0..).zip(particles.centers()).map(move |(particle, center)| {
        let radius = particles.radius(particle);
        (Primitive::Sphere { radius }, pose * Translation3::from(center.coords.cast::<f64>()))
    })
}

/// A plane that holds the parts and no more, and their length along the direction (m).
pub(super) fn tight_plane(
    parts: &[(Shape, Isometry3<f64>)],
    direction: Vector3<f64>,
    pixels: u32,
) -> Result<(ImagePlane, f64), HeightMapError> {
    let up = least_axis(&direction);
    let probe = ImagePlane::new(Point3::origin(), direction, up, [1.0, 1.0], [1, 1])?;
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let axes = probe.axes();
    for (shape, pose) in parts {
        match shape {
            Shape::Hull(hull) => stretch(hull.mesh(), pose, &axes, &mut low, &mut high),
            Shape::Mesh(mesh) => stretch(mesh, pose, &axes, &mut low, &mut high),
            Shape::Primitive(primitive) => {
                let (ends, radius) = match *primitive {
                    Primitive::HalfSpace => return Err(HeightMapError::Endless),
                    Primitive::Sphere { radius } => ([0.0; 3], radius),
                    Primitive::Cuboid { half } => (half, 0.0),
                    Primitive::Capsule { half_height, radius } => ([0.0, 0.0, half_height], radius),
                    Primitive::Cylinder { half_height, radius } => ([radius, radius, half_height], 0.0),
                };
                for corner in 0..8 {
                    let sign = |k: usize| if corner >> k & 1 == 1 { 1.0 } else { -1.0 };
                    let p = pose * Point3::from([0, 1, 2].map(|k| sign(k) * f64::from(ends[k])));
                    for (k, axis) in axes.iter().enumerate() {
                        let along = axis.dot(&p.coords);
                        low[k] = low[k].min(along - f64::from(radius));
                        high[k] = high[k].max(along + f64::from(radius));
                    }
                }
            }
            _ => {}
        }
    }
    if !(0..3).all(|k| low[k] <= high[k] && (high[k] - low[k]).is_finite()) {
        return Err(HeightMapError::Endless);
    }
    let extent = [0, 1, 2].map(|k| high[k] - low[k]);
    // A flat thing seen from the side still has a pixel's width.
    let longest = extent[0].max(extent[1]).max(extent[2] * 1e-9).max(f64::MIN_POSITIVE.sqrt());
    let pixel = longest / f64::from(pixels.max(1));
    let count = [0, 1].map(|k| ((extent[k] / pixel).ceil().max(1.0) as u32).min(pixels.max(1)));
    let count = if pixels == 0 { [0, 0] } else { count };
    let middle = |k: usize| 0.5 * (low[k] + high[k]);
    let center = axes[0] * middle(0) + axes[1] * middle(1) + axes[2] * low[2];
    let size = count.map(|n| f64::from(n.max(1)) * pixel);
    let plane = ImagePlane::new(Point3::from(center), direction, up, size, count)?;
    Ok((plane, extent[2]))
}

/// Widens bounds along three axes so that they hold a placed mesh.
fn stretch(
    mesh: &TriMesh,
    pose: &Isometry3<f64>,
    axes: &[Vector3<f64>; 3],
    low: &mut [f64; 3],
    high: &mut [f64; 3],
) {
    let rotation = pose.rotation.to_rotation_matrix().into_inner();
    let rows = axes.map(|axis| {
        let own = rotation.tr_mul(&axis);
        [own.x, own.y, own.z, axis.dot(&pose.translation.vector)]
    });
    for v in mesh.vertices() {
        let [x, y, z] = [v.x, v.y, v.z].map(f64::from);
        for k in 0..3 {
            let [a, b, c, d] = rows[k];
            let along = a * x + b * y + c * z + d;
            low[k] = if along < low[k] { along } else { low[k] };
            high[k] = if along > high[k] { along } else { high[k] };
        }
    }
}

/// The axis that a direction has least of.
pub(crate) fn least_axis(direction: &Vector3<f64>) -> Vector3<f64> {
    let axis = direction.iamin();
    Vector3::from_fn(|k, _| if k == axis { 1.0 } else { 0.0 })
}
