//! What is said of one placement, against the truth.

use impinge::PairQuery;
use impinge::query::{QueryError, QueryScratch};
use impinge_oracle::{Search, least_translation};
use nalgebra::{Isometry3, Point3, Translation3, Vector3};
use serde::Serialize;

use super::place::Placement;
use super::pool::RADIUS;
use crate::contacts::overlap::{Lattice, Overlap, placed};

/// Columns per side of the lattice that volumes are taken on.
const COLUMNS: usize = 256;
/// Directions from which a volume is taken; how far the answers are apart tells how good they are.
const VIEWS: [[f64; 3]; 2] = [[0.31, -0.52, 0.79], [-0.83, 0.21, 0.52]];
/// A normal along which the overlap grows by more than this part is backward.
const GROWS: f64 = 2e-3;

/// One placement.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Measured {
    pub number: usize,
    pub names: [String; 2],
    /// The deepest manifold's depth (m); `None` where there is no manifold.
    pub depth: Option<f64>,
    /// The least translation found that frees B (m).
    pub least: f64,
    /// Of the volume of the overlap, what is left after B was moved by the depth along the normal.
    pub left: Option<f64>,
    /// Whether B is free after 1.001 times the depth along the normal.
    pub frees: bool,
    /// Whether the overlap grows when B is moved along the normal.
    pub backward: bool,
    /// The volume of the overlap on the lattice (m³), and how far two lattices are apart, as a part of it.
    pub volume: f64,
    pub volume_spread: f64,
    /// Relative errors of the volume with the contacts, and of the volume asked for by itself.
    pub volume_error: Option<f64>,
    pub asked_volume_error: Option<f64>,
}

/// Measures a placement.
pub fn measure(placement: &Placement) -> anyhow::Result<Measured> {
    let Placement { query, poses, meshes, .. } = placement;
    let scratch = &mut QueryScratch::default();
    let answer = query.at_with(&poses[0], &poses[1], scratch)?;
    let deepest = answer.manifolds.iter().reduce(|best, m| if m.depth > best.depth { m } else { best });
    let bodies = [0, 1].map(|k| placed(&meshes[k].mesh, &poses[k]));
    let volumes = VIEWS.map(|view| {
        let both = [bodies[0].as_slice(), bodies[1].as_slice()];
        Lattice::new(both, &Vector3::from(view), COLUMNS)
            .map_or(0.0, |l| Overlap::new(l, both).volume(|_| true))
    });
    let volume = 0.5 * (volumes[0] + volumes[1]);
    let error = |of: f64| (volume > 0.0).then_some(of / volume - 1.0);
    let asked = query.intersection_volume_with(&poses[0], &poses[1], scratch)?;
    let mut hints: Vec<Vector3<f64>> = answer.manifolds.iter().map(|m| m.normal).collect();
    hints.truncate(8);
    let mut measured = Measured {
        number: placement.number,
        names: placement.names.clone(),
        least: least(query, poses, &hints, scratch)?,
        volume,
        volume_spread: (volumes[0] - volumes[1]).abs() / volume.max(f64::MIN_POSITIVE),
        volume_error: answer.volume.and_then(error),
        asked_volume_error: asked.and_then(|asked| error(asked.volume)),
        ..Measured::default()
    };
    let Some(deepest) = deepest else { return Ok(measured) };
    let moved = |by: f64| Translation3::from(deepest.normal * by) * poses[1];
    measured.depth = Some(deepest.depth);
    measured.frees = !query.touching_with(&poses[0], &moved(1.001 * deepest.depth), scratch)?;
    // Columns along the normal stay columns as B is moved: what is compared has the same errors.
    let both = [bodies[0].as_slice(), bodies[1].as_slice()];
    if let Some(lattice) = Lattice::new(both, &deepest.normal, COLUMNS) {
        let of = |pose: &Isometry3<f64>| {
            let body = placed(&meshes[1].mesh, pose);
            let both: [&[[Point3<f64>; 3]]; 2] = [both[0], &body];
            Lattice::new(both, &deepest.normal, COLUMNS)
                .map_or(0.0, |l| Overlap::new(l, both).volume(|_| true))
        };
        let before = Overlap::new(lattice, both).volume(|_| true);
        if before > 0.0 {
            measured.left = Some(of(&moved(deepest.depth)) / before);
            measured.backward = of(&moved(0.1 * deepest.depth)) > before * (1.0 + GROWS);
        }
    }
    Ok(measured)
}

/// The least translation, searched by yes-or-no questions.
fn least(
    query: &PairQuery,
    poses: &[Isometry3<f64>; 2],
    hints: &[Vector3<f64>],
    scratch: &mut QueryScratch,
) -> Result<f64, QueryError> {
    let search = Search { places: 3, halvings: 14, ..Search::default() };
    let found = least_translation(hints, 4.0 * RADIUS, &search, |shift| {
        let moved = Translation3::from(*shift) * poses[1];
        query.touching_with(&poses[0], &moved, scratch).map(|touching| !touching)
    })?;
    Ok(found.distance)
}
