//! The direction in which an object is best looked at.
//!
//! A height map takes for the object whatever lies between the bounds it was given. What it takes too
//! much is a volume: the hollows that open sideways or are closed, and with [`Bounds::Box`] also all
//! that lies before the object's nearest surface. An obstacle in that volume is a false hit. The
//! object's own volume does not depend on the direction, so the best direction is the one with the
//! least volume between the bounds, which is measured by drawing the object.

use impinge_geometry::{Shape, TriMesh};
use impinge_midphase::PreparedShape;
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::{Bounds, HeightMapError, Profile};

/// Which directions are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Candidates {
    /// Both ways along the axes of the object's oriented box: 6.
    Box,
    /// As [`Candidates::Box`], and the diagonals of its faces and of the box: 26.
    #[default]
    Diagonals,
    /// As [`Candidates::Box`], and as many more, evenly over the sphere.
    Sphere(u32),
}

/// Cosine and sine of the golden angle, π (3 − √5).
const GOLDEN: [f64; 2] = [-0.737_368_878_078_319_9, 0.675_490_294_261_523_7];

/// Pixels along the longer side of the pictures that directions are judged by.
const PIXELS: u32 = 96;

/// The directions (unit, the shape's frame), those along the box first.
pub fn directions(shape: &Shape, candidates: Candidates) -> Vec<Vector3<f64>> {
    let axes = box_axes(shape);
    let axis = |k: usize| axes.column(k).into_owned();
    let mut all: Vec<Vector3<f64>> = (0..3).flat_map(|k| [axis(k), -axis(k)]).collect();
    match candidates {
        Candidates::Box => {}
        Candidates::Diagonals => {
            let signs = (0..27).map(|n| [n % 3, n / 3 % 3, n / 9].map(|s| f64::from(s) - 1.0));
            let mixed = signs.filter(|s| s.iter().filter(|x| **x != 0.0).count() > 1);
            all.extend(mixed.map(|s| (axes * Vector3::from(s)).normalize()));
        }
        Candidates::Sphere(count) => {
            // Points of a spiral at even heights, a golden angle apart: turned on step by step, by
            // products alone, which are the same on every machine.
            let mut turn = [1.0, 0.0];
            all.extend((0..count).map(|k| {
                let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(count);
                let radius = (1.0 - z * z).max(0.0).sqrt();
                let [cos, sin] = turn;
                turn = [cos * GOLDEN[0] - sin * GOLDEN[1], sin * GOLDEN[0] + cos * GOLDEN[1]];
                Vector3::new(radius * cos, radius * sin, z).normalize()
            }));
        }
    }
    all
}

/// The volume (m³) that counts as the object when it is looked at along `direction`: its own, and all
/// in which an obstacle would be a false hit. With [`Bounds::Terrain`], whose bounds have no front,
/// that of the box is taken.
///
/// # Errors
/// As [`Profile::new`].
pub fn waste(shape: &Shape, direction: Vector3<f64>, bounds: Bounds) -> Result<f64, HeightMapError> {
    let profile = Profile::new(shape, direction, PIXELS)?;
    Ok(match bounds {
        Bounds::TwoSided => profile.enclosed(),
        Bounds::Box | Bounds::Terrain => profile.swept(),
    })
}

/// The candidate (unit, the shape's frame) along which least volume is wasted; of those that waste as
/// little, within a hundredth, the first.
///
/// # Errors
/// As [`Profile::new`].
pub fn best_direction(
    shape: &Shape,
    bounds: Bounds,
    candidates: Candidates,
) -> Result<Vector3<f64>, HeightMapError> {
    let mut best: Option<(f64, Vector3<f64>)> = None;
    for direction in directions(shape, candidates) {
        let volume = waste(shape, direction, bounds)?;
        if best.is_none_or(|(least, _)| volume < 0.99 * least) {
            best = Some((volume, direction));
        }
    }
    best.map(|(_, direction)| direction).ok_or(HeightMapError::Endless)
}

/// The axes of the object's oriented box: of a mesh those of its tree, of a composite the principal axes
/// of its vertices.
fn box_axes(shape: &Shape) -> Matrix3<f64> {
    match shape {
        Shape::Composite(_) => {
            let mut points = Vec::new();
            gather(shape, &Isometry3::identity(), &mut points);
            let middle = points.iter().sum::<Vector3<f64>>() / points.len().max(1) as f64;
            let spread: Matrix3<f64> = points.iter().map(|p| (p - middle) * (p - middle).transpose()).sum();
            spread.symmetric_eigen().eigenvectors
        }
        simple => {
            let prepared = PreparedShape::new(simple);
            let surface = prepared.parts().first().and_then(|part| part.surface.as_ref());
            surface.map_or_else(Matrix3::identity, |s| s.tree.root().axes.cast::<f64>())
        }
    }
}

/// The vertices of a composite; of a primitive the corners of its box.
fn gather(shape: &Shape, pose: &Isometry3<f64>, out: &mut Vec<Vector3<f64>>) {
    let mut mesh = |mesh: &TriMesh| {
        out.extend(mesh.vertices().iter().map(|v| (pose * v.cast::<f64>()).coords));
    };
    match shape {
        Shape::Composite(composite) => {
            composite.children().iter().for_each(|(own, child)| gather(child, &(pose * own), out));
        }
        Shape::Mesh(own) => mesh(own),
        Shape::Hull(hull) => mesh(hull.mesh()),
        simple => {
            let aabb = simple.aabb();
            for corner in 0..8 {
                let at = |k: usize| if corner >> k & 1 == 1 { aabb.max[k] } else { aabb.min[k] };
                let p = Point3::new(at(0), at(1), at(2)).cast::<f64>();
                if p.iter().all(|x| x.is_finite()) {
                    out.push((pose * p).coords);
                }
            }
        }
    }
}
