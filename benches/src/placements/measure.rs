//! What is said of one placement, against the truth.

use impinge::PairQuery;
use impinge::query::{QueryError, QueryScratch};
use impinge_geometry::PairFrame;
use impinge_oracle::{Search, common_volume, least_translation};
use nalgebra::{Isometry3, Point3, Translation3, Vector3};
use serde::Serialize;

use super::place::Placement;
use super::pool::RADIUS;
use crate::contacts::overlap::{Lattice, Overlap, placed};

/// Columns per side of the lattice that volumes are taken on.
const COLUMNS: usize = 256;
/// The same of the lattice that finds where the overlap is.
const COARSE: usize = 64;
/// Directions from which a volume is taken; how far the answers are apart tells how good they are.
const VIEWS: [[f64; 3]; 2] = [[0.31, -0.52, 0.79], [-0.83, 0.21, 0.52]];
/// Pairs of triangles up to which the volume is also summed up over all pairs of tetrahedra, in twice the usual precision.
const EXACT_PAIRS: usize = 4_000_000;
/// What that leaves of no volume, as a part of a cube of the radius.
pub const EXACT_ROUNDING: f64 = 1e-25;
/// An overlap that is greater by more than this part has grown.
const GROWS: f64 = 5e-3;

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
    /// Whether the overlap grows when B is moved by a tenth of the depth along the normal. (Around the edge of what wraps
    /// around it, it may.)
    pub grows: bool,
    /// Whether it is greater after the whole depth.
    pub backward: bool,
    /// The volume of the overlap on the lattice (m³), and how far two lattices are apart, as a part of it.
    pub volume: f64,
    pub volume_spread: f64,
    /// Relative errors of the volume with the contacts, and of the volume asked for by itself.
    pub volume_error: Option<f64>,
    pub asked_volume_error: Option<f64>,
    /// The volume in twice the usual precision (m³), where the meshes are small enough for that.
    pub exact_volume: Option<f64>,
    /// The error bound of the volume asked for, and its error (m³).
    pub volume_bound: Option<f64>,
    pub volume_off: Option<f64>,
}

/// Measures a placement.
pub fn measure(placement: &Placement) -> anyhow::Result<Measured> {
    let Placement { query, poses, .. } = placement;
    let scratch = &mut QueryScratch::default();
    let answer = query.at_with(&poses[0], &poses[1], scratch)?;
    let deepest = answer.manifolds.iter().reduce(|best, m| if m.depth > best.depth { m } else { best });
    let volumes = VIEWS.map(|view| overlap(placement, &poses[1], &Vector3::from(view), scratch));
    let [volume, other] = [volumes[0].clone()?, volumes[1].clone()?];
    let (volume, apart) = (0.5 * (volume + other), (volume - other).abs());
    let error = |of: f64| (volume > 0.0).then_some(of / volume - 1.0);
    let asked = query.intersection_volume_with(&poses[0], &poses[1], scratch)?;
    let exact = exact_volume(placement);
    let mut hints: Vec<Vector3<f64>> = answer.manifolds.iter().map(|m| m.normal).collect();
    hints.truncate(8);
    let mut measured = Measured {
        number: placement.number,
        names: placement.names.clone(),
        least: least(query, poses, &hints, scratch)?,
        volume,
        volume_spread: apart / volume.max(f64::MIN_POSITIVE),
        volume_error: answer.volume.and_then(error),
        asked_volume_error: asked.and_then(|asked| error(asked.volume)),
        exact_volume: exact,
        volume_bound: asked.map(|asked| asked.error),
        volume_off: asked.zip(exact).map(|(asked, exact)| (asked.volume - exact).abs()),
        ..Measured::default()
    };
    let Some(deepest) = deepest else { return Ok(measured) };
    let moved = |by: f64| Translation3::from(deepest.normal * by) * poses[1];
    measured.depth = Some(deepest.depth);
    measured.frees = !query.touching_with(&poses[0], &moved(1.001 * deepest.depth), scratch)?;
    let mut of = |pose: &Isometry3<f64>| overlap(placement, pose, &deepest.normal, scratch);
    let before = of(&poses[1])?;
    if before > 0.0 {
        measured.left = Some(of(&moved(deepest.depth))? / before);
        measured.grows = of(&moved(0.1 * deepest.depth))? > before * (1.0 + GROWS);
        measured.backward = measured.left > Some(1.0 + GROWS);
    }
    Ok(measured)
}

/// The volume of the overlap by the sum over all pairs of tetrahedra (m³), of small meshes.
fn exact_volume(placement: &Placement) -> Option<f64> {
    let Placement { poses, meshes, .. } = placement;
    let [a, b] = meshes.each_ref().map(|body| &*body.mesh);
    let pairs = a.triangles().len() * b.triangles().len();
    (pairs <= EXACT_PAIRS).then(|| common_volume([a, b], &PairFrame::new(&poses[0], &poses[1])))
}

/// The volume of the overlap with B at `pose` (m³), on columns along `direction`: over where the triangles
/// meet, and where a coarse lattice finds any.
fn overlap(
    placement: &Placement,
    pose: &Isometry3<f64>,
    direction: &Vector3<f64>,
    scratch: &mut QueryScratch,
) -> Result<f64, QueryError> {
    let Placement { query, poses, meshes, .. } = placement;
    let poses = [poses[0], *pose];
    let bodies = [0, 1].map(|k| placed(&meshes[k].mesh, &poses[k]));
    let both = bodies.each_ref().map(|body| body.as_slice());
    let Some(coarse) = Lattice::new(both, direction, COARSE) else { return Ok(0.0) };
    let mut points: Vec<Point3<f64>> = Overlap::new(coarse, both).places().collect();
    for pair in query.triangle_pairs_with(&poses[0], &poses[1], scratch)? {
        let triangles = [0, 1].map(|k| bodies[k][pair.triangles[k] as usize]);
        let [p, q] = triangles.map(|[a, b, c]| (b - a).cross(&(c - a)).norm_squared());
        points.extend(triangles[usize::from(q < p)]);
    }
    Ok(coarse.over(points.into_iter(), COLUMNS).map_or(0.0, |fine| Overlap::new(fine, both).volume(|_| true)))
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
