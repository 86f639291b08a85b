//! Vertices on a view's lattice.

use impinge_geometry::canonical::checked_pose;
use impinge_geometry::{PairFrame, Side, TriMesh};
use nalgebra::{Isometry3, Point3};

use super::view::{LdiView, finite};
use super::{LAST_DEPTH, LdiError};

/// Coordinates of snapped vertices stay below this, so that products of differences fit 64 bits.
const LIMIT: f64 = (1 << 30) as f64;

/// 1.5 · 2^52: added to a number below 2^51, it leaves the nearest whole number (ties to even) in the low
/// bits.
pub(super) const MAGIC: f64 = 6_755_399_441_055_744.0;

/// Snaps the vertices of a body that stands at `pose`: sub-pixels to the right and up from the centre
/// of the first pixel, and steps of depth.
///
/// # Errors
/// [`LdiError::Pose`], and [`LdiError::TooFar`] for a vertex that the lattice cannot hold.
pub fn snap(
    mesh: &TriMesh,
    pose: &Isometry3<f64>,
    view: &LdiView,
    out: &mut Vec<[i32; 3]>,
) -> Result<(), LdiError> {
    let pose = checked_pose(pose)?;
    finite("the position of a body", &Point3::from(pose.translation.vector))?;
    let sub = f64::from(1u32 << view.sub_bits());
    let rotation = PairFrame::new(&pose, &pose).rotation[Side::A.index()];
    let offset = pose.translation.vector - view.corner().coords;
    let scale = [sub / view.pixel(0), sub / view.pixel(1), 1.0 / view.step()];
    let start = [0.5 * sub, 0.5 * sub, 0.0];
    let axes = view.axes();
    let row: [[f64; 3]; 3] = std::array::from_fn(|k| {
        let r = rotation.tr_mul(&axes[k]) * scale[k];
        [r.x, r.y, r.z]
    });
    let shift: [f64; 3] = std::array::from_fn(|k| axes[k].dot(&offset) * scale[k] - start[k]);
    out.clear();
    out.reserve(mesh.vertices().len());
    let mut fits = true;
    for v in mesh.vertices() {
        let p = place(&row, &shift, v);
        for x in p {
            fits &= x.abs() < LIMIT;
        }
        out.push(p.map(|x| (x + MAGIC).to_bits() as i32));
    }
    if fits { Ok(()) } else { Err(too_far(mesh, view, |v| place(&row, &shift, v))) }
}

#[inline]
fn place(row: &[[f64; 3]; 3], shift: &[f64; 3], v: &Point3<f32>) -> [f64; 3] {
    let (x, y, z) = (f64::from(v.x), f64::from(v.y), f64::from(v.z));
    std::array::from_fn(|k| {
        let r = &row[k];
        (r[0] * x + r[1] * y + r[2] * z) + shift[k]
    })
}

/// The first vertex that does not fit.
fn too_far(mesh: &TriMesh, view: &LdiView, place: impl Fn(&Point3<f32>) -> [f64; 3]) -> LdiError {
    let sub = f64::from(1u32 << view.sub_bits());
    let [width, height] = view.pixels().map(|n| f64::from(n) * sub);
    let across = [width, height, f64::from(LAST_DEPTH)];
    let all = mesh.vertices().iter().map(place).enumerate();
    let far = all.filter(|(_, p)| !p.iter().all(|x| x.abs() < LIMIT)).map(|(vertex, p)| {
        let views = (0..3).map(|k| p[k].abs() / across[k]).fold(0.0, f64::max);
        LdiError::TooFar { vertex, views }
    });
    far.into_iter().next().unwrap_or(LdiError::TooFar { vertex: 0, views: f64::INFINITY })
}
