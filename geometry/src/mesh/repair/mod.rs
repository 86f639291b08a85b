//! Closes surfaces that miss being closed by little.
//!
//! A surface has an inside where every directed edge is balanced by its reverse. What unbalances the
//! edges of files is small: vertices apart by rounding, a vertex in the middle of a neighbour's edge
//! (a T-junction), faces given twice, components turned round, a few faces missing. Each has its step
//! here, and a step may change the surface only at its border (the edges out of balance) and beside
//! faces that lie back to back. Steps are taken until the border is gone or none helps; what does not
//! close in the end stays as it was given.
//!
//! Sources: Guéziec, Taubin, Lazarus, Horn, "Cutting and Stitching", 2001 (stitching along borders);
//! Barequet, Sharir, "Filling Gaps in the Boundary of a Polyhedron", 1995 (least area by dynamic
//! programming).

mod backs;
mod holes;
mod merge;
mod points;
mod repeats;
mod report;
mod scraps;
mod stitch;
mod surface;
mod turn;

use nalgebra::Point3;

pub use report::{Hole, Repair, Repairs};

use self::holes::Lids;
use self::surface::Surface;
use super::{TriMesh, sound, topology, weld};
use crate::MeshError;

/// Rounds of stitching before a surface is given up.
const ROUNDS: usize = 8;

/// Units of a text's last decimal that repairs may move anything by. Two roundings of one place
/// differ by up to √3 of them, and vertices are merged within half of what is allowed.
const DECIMALS: f64 = 8.0;

/// The same in parts of the mesh's size, at most.
const MOST_OF_DECIMALS: f64 = 1e-4;

/// What [`TriMesh::repaired`] may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepairSettings {
    tolerance: f64,
    close_holes: f64,
    /// The last decimal of the coordinates (m), if they come from a text.
    decimal: Option<f64>,
}

impl Default for RepairSettings {
    /// Moves nothing by more than a millionth of the mesh's size, four times the rounding of its
    /// coordinates or eight units of a text file's last decimal, and closes holes of up to a tenth
    /// of the size of the surface around them.
    fn default() -> Self {
        RepairSettings { tolerance: 1e-6, close_holes: 0.1, decimal: None }
    }
}

impl RepairSettings {
    /// The farthest that any place of the surface may be moved, as a part of the diagonal of the
    /// mesh's box. (Four times the rounding of the largest coordinate in `f32` is always allowed.)
    /// Steps of 1, 2 and 5 times a power of ten up to the tolerance are tried, and the least that
    /// closes the surface without lids is taken, so that a larger tolerance closes whatever a
    /// smaller one does.
    #[must_use]
    pub fn tolerance(mut self, part: f64) -> Self {
        self.tolerance = part;
        self
    }

    /// The largest holes that are closed, as a part of the diagonal of the box of the connected
    /// surface around them: 0 closes none, infinity all.
    #[must_use]
    pub fn close_holes(mut self, part: f64) -> Self {
        self.close_holes = part;
        self
    }

    /// The last decimal (m) that coordinates were written with: vertices that differ by it may be
    /// one. Repairs may move places by eight times this, and at most by a ten-thousandth of the
    /// mesh's size, where less does not close the surface. [`TriMesh::load`] finds it in text files
    /// that do not have their own here.
    #[must_use]
    pub fn decimal(mut self, step: f64) -> Self {
        self.decimal = Some(step);
        self
    }

    /// As [`RepairSettings::decimal`], unless it is set.
    #[cfg_attr(not(feature = "off"), expect(dead_code, reason = "texts are files"))]
    pub(crate) fn or_decimal(mut self, step: Option<f64>) -> Self {
        self.decimal = self.decimal.or(step);
        self
    }

    fn check(&self) -> Result<(), MeshError> {
        let refused = |parameter, value, remedy| Err(MeshError::RepairSetting { parameter, value, remedy });
        if !(0.0..=0.01).contains(&self.tolerance) {
            return refused("tolerance", self.tolerance, "it must be from 0 to 0.01");
        }
        if self.close_holes.is_nan() || self.close_holes < 0.0 {
            return refused("close_holes", self.close_holes, "it must be 0 or greater");
        }
        if let Some(step) = self.decimal.filter(|step| !step.is_finite() || *step < 0.0) {
            return refused("decimal", step, "it must be finite, and 0 or greater");
        }
        Ok(())
    }
}

impl TriMesh {
    /// As [`TriMesh::welded`], after small defects that keep the surface open have been mended: vertices
    /// apart by rounding become one, edges are cut at the vertices that lie on them, faces given twice
    /// go, components turned round are turned back, and small holes are closed with virtual faces
    /// ([`TriMesh::is_virtual`]). [`TriMesh::repairs`] says what was done, and how far anything moved.
    ///
    /// A surface that is closed as it is stays as it is, and so does one that cannot be closed, of which
    /// [`TriMesh::repairs`] names the holes.
    ///
    /// ```
    /// use impinge_geometry::{TriMesh, mesh::RepairSettings};
    /// use nalgebra::Point3;
    ///
    /// // A tetrahedron. One of its faces is given as two, which puts a vertex on a neighbour's edge.
    /// let corners = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [0.5, 0., 0.]];
    /// let faces = vec![[0, 2, 4], [4, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    /// let places = corners.map(Point3::from).to_vec();
    /// assert!(!TriMesh::new(places.clone(), faces.clone())?.is_closed());
    /// let mesh = TriMesh::repaired(places, faces, &RepairSettings::default())?;
    /// assert!(mesh.is_closed() && mesh.repairs().moved == 0.0);
    /// assert_eq!(mesh.triangles().len(), 6);
    /// # Ok::<(), impinge_geometry::MeshError>(())
    /// ```
    ///
    /// # Errors
    /// As [`TriMesh::new`], and [`MeshError::RepairSetting`].
    pub fn repaired(
        vertices: Vec<Point3<f32>>,
        triangles: Vec<[u32; 3]>,
        settings: &RepairSettings,
    ) -> Result<TriMesh, MeshError> {
        settings.check()?;
        sound::check(&vertices, &triangles)?;
        let (vertices, triangles) = weld::weld((vertices, triangles));
        let mut mesh = TriMesh::new(vertices, triangles.clone())?;
        if !mesh.is_closed() {
            match close(&mesh, &triangles, settings) {
                Ok(closed) => return Ok(closed),
                Err(holes) => mesh.set_repairs(Repairs { holes, ..Repairs::default() }),
            }
        }
        Ok(mesh)
    }
}

/// Returns the mesh closed, or the holes that it would be left with. `triangles` are those that it
/// was made from.
///
/// The least reach that closes the surface without lids is taken, else the least that does with
/// them. Every reach that is tried for a small tolerance is tried for a larger one, too, so that
/// the larger one closes no less. A reach that finds nothing more than the one before is left out.
fn close(mesh: &TriMesh, triangles: &[[u32; 3]], settings: &RepairSettings) -> Result<TriMesh, Vec<Hole>> {
    let (mut with_lids, mut open) = (None, None);
    let reaches = reaches(mesh, settings);
    let horizon = reaches.last().map_or(0.0, |last| last.reach);
    let mut next_reach = 0.0;
    for Reach { reach, is_decimal } in reaches {
        if reach < next_reach {
            continue;
        }
        let Attempt { mesh: attempt, finds_more_from } =
            close_within(mesh, triangles, settings, [reach, horizon]);
        next_reach = finds_more_from;
        match attempt {
            Ok(mut closed) => {
                if is_decimal {
                    closed.name_decimal(settings.decimal);
                }
                if closed.repairs().holes.is_empty() {
                    return Ok(closed);
                }
                with_lids = with_lids.or(Some(closed));
            }
            Err(holes) => open = open.or(Some(holes)),
        }
    }
    with_lids.ok_or_else(|| open.unwrap_or_default())
}

/// The end of an attempt to close a surface within a reach.
struct Attempt {
    /// The mesh closed, or the holes that it would be left with.
    mesh: Result<TriMesh, Vec<Hole>>,
    /// The least reach (m) with which another attempt may end otherwise.
    finds_more_from: f64,
}

/// Closes a surface as [`close`] does, where nothing may move farther than `reach` (m); larger ones
/// up to `horizon` may be tried after it.
fn close_within(
    mesh: &TriMesh,
    triangles: &[[u32; 3]],
    settings: &RepairSettings,
    [reach, horizon]: [f64; 2],
) -> Attempt {
    let mut surface = Surface::new(mesh.vertices().to_vec(), triangles);
    surface.horizon = 0.5 * horizon;
    surface.drop_degenerate();
    merge::merge(&mut surface, 0.5 * reach);
    tidy(&mut surface);
    for _ in 0..ROUNDS {
        let before = surface.repairs.done.len();
        let left = reach - surface.repairs.moved;
        if left <= 0.0 {
            break;
        }
        stitch::stitch(&mut surface, left.min(0.5 * reach));
        tidy(&mut surface);
        backs::drop_backs(&mut surface);
        if surface.border().is_empty() || surface.repairs.done.len() == before {
            break;
        }
    }
    // A surface of which something has moved is left with less to move, so that every reach counts.
    let finds_more_from = if surface.repairs.moved > 0.0 { reach } else { 2.0 * surface.nearest_beyond };
    Attempt { mesh: finish(surface, mesh, triangles, settings, reach), finds_more_from }
}

/// Closes the holes of a surface that has been stitched, and makes a mesh of it.
fn finish(
    mut surface: Surface,
    mesh: &TriMesh,
    triangles: &[[u32; 3]],
    settings: &RepairSettings,
    reach: f64,
) -> Result<TriMesh, Vec<Hole>> {
    let open = || {
        let given = Surface::new(mesh.vertices().to_vec(), mesh.triangles());
        holes::lids(&given, &given.border(), 0.0).holes
    };
    if surface.repairs.moved > reach {
        return Err(open());
    }
    let mut lids = lids_of(&surface, settings);
    if lids.faces.is_none() {
        scraps::back_scraps(&mut surface);
        let beside = lids_of(&surface, settings);
        if beside.faces.is_none() {
            return Err(lids.holes);
        }
        lids = beside;
    }
    let real = surface.faces.len();
    let Lids { faces, middles, holes } = lids;
    surface.repairs.holes = holes;
    surface.vertices.extend(middles);
    let lid = triangles.len() as u32;
    surface.faces.extend(faces.into_iter().flatten().map(|corners| surface::Face { corners, source: lid }));
    repeats::separate(&mut surface);
    let Surface { vertices, faces, repairs, .. } = surface;
    let corners: Vec<[u32; 3]> = faces.iter().map(|face| face.corners).collect();
    let sources: Vec<u32> = faces.iter().map(|face| face.source).collect();
    let built = topology::build(vertices, &corners, real).ok().filter(TriMesh::is_closed);
    let Some(mut closed) = built else { return Err(open()) };
    closed.rename_sources(&sources);
    closed.set_repairs(repairs);
    Ok(closed)
}

/// Drops faces without area, turns faces, and drops repeats. Turned first, a face is no repeat of
/// one that faces away from it.
fn tidy(surface: &mut Surface) {
    surface.drop_degenerate();
    turn::turn(surface);
    repeats::drop_repeats(surface);
}

/// Returns the lids of all holes, without faces where one may not be closed.
fn lids_of(surface: &Surface, settings: &RepairSettings) -> Lids {
    holes::lids(surface, &surface.border(), settings.close_holes)
}

/// A bound (m) on how far anything may move.
#[derive(Clone, Copy, Debug)]
struct Reach {
    reach: f64,
    /// It is that of a text's decimals, and larger than the settings' own.
    is_decimal: bool,
}

/// Returns the bounds to be tried, from the least to the largest.
fn reaches(mesh: &TriMesh, settings: &RepairSettings) -> Vec<Reach> {
    let aabb = mesh.aabb();
    let largest = aabb.min.iter().chain(&aabb.max).fold(0.0f32, |most, x| most.max(x.abs()));
    let rounding = 4.0 * f64::from(f32::EPSILON) * f64::from(largest);
    let [low, high] = [aabb.min, aabb.max].map(|p| Point3::from(p).cast::<f64>());
    let size = (high - low).norm();
    // A millionth first, since less would only name the same repairs.
    let steps =
        (-6..=-2).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * libm::pow(10.0, f64::from(power))));
    let steps = steps.filter(|step| *step <= settings.tolerance * (1.0 + 1e-9)).map(|step| step * size);
    let own: Vec<f64> = std::iter::once(rounding).chain(steps.filter(|step| *step > rounding)).collect();
    let most = own.iter().fold(0.0f64, |most, step| most.max(*step));
    let decimal = settings.decimal.map(|step| (DECIMALS * step).min(MOST_OF_DECIMALS * size));
    let mut reaches: Vec<Reach> = own
        .into_iter()
        .chain(decimal.filter(|reach| *reach > rounding))
        .map(|reach| Reach { reach, is_decimal: reach > most })
        .collect();
    reaches.sort_by(|a, b| a.reach.total_cmp(&b.reach));
    reaches
}

#[cfg(test)]
mod tests;
