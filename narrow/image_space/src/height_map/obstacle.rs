//! What an environment is made of, and what its caller knows of it.

use std::sync::Arc;

use impinge_geometry::{FacesRef, Shape};
use impinge_midphase::{Part, PreparedShape};
use nalgebra::{Isometry3, Point3};

/// What a caller knows of an environment, handed back where it is hit (a force, a temperature).
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Channels {
    /// Nothing.
    #[default]
    None,
    /// The same everywhere.
    Body([f32; 4]),
    /// One value for each vertex of the only mesh of the shape, interpolated between them.
    Vertices(Arc<[[f32; 4]]>),
}

/// A part of the environment.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// The shape, made ready.
    pub shape: PreparedShape,
    /// Where it stands in the world (finite).
    pub pose: Isometry3<f64>,
    /// What pixels in which it is hit are to say.
    pub body: u32,
    /// What the caller knows of it.
    pub channels: Channels,
}

impl Obstacle {
    /// `shape`, made ready, at `pose`; nothing more is known of it.
    pub fn new(shape: &Shape, pose: Isometry3<f64>, body: u32) -> Obstacle {
        Obstacle { shape: PreparedShape::new(shape), pose, body, channels: Channels::None }
    }

    /// What the caller knows of a triangle of a part at `p` (m, the part's frame).
    pub(crate) fn channels_at(&self, part: &Part, triangle: u32, p: &Point3<f64>) -> Option<[f32; 4]> {
        match (&self.channels, &part.surface) {
            (Channels::None, _) | (Channels::Vertices(_), None) => None,
            (Channels::Body(of), _) => Some(*of),
            (Channels::Vertices(values), Some(surface)) => interpolated(surface.faces(), triangle, p, values),
        }
    }
}

/// A value over a triangle, from its corners', at `p`; `None` where
/// there are fewer values than vertices.
fn interpolated(mesh: FacesRef<'_>, triangle: u32, p: &Point3<f64>, values: &[[f32; 4]]) -> Option<[f32; 4]> {
    let corners = mesh.has_triangle(triangle).then(|| mesh.vertices_of(triangle))?;
    let of = [0, 1, 2].map(|k| values.get(corners[k] as usize));
    let [Some(a), Some(b), Some(c)] = of else { return None };
    let t = mesh.corners(triangle).map(|q| q.cast::<f64>() - p);
    let n = (t[1] - t[0]).cross(&(t[2] - t[0]));
    let areas = [0, 1, 2].map(|k| t[(k + 1) % 3].cross(&t[(k + 2) % 3]).dot(&n).max(0.0));
    let all: f64 = areas.iter().sum();
    let weights = if all > 0.0 { areas.map(|a| a / all) } else { [1.0, 0.0, 0.0] };
    Some(std::array::from_fn(|k| {
        let sum: f64 = weights.iter().zip([a, b, c]).map(|(w, v)| w * f64::from(v[k])).sum();
        sum as f32
    }))
}
