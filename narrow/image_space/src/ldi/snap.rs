//! Vertices on a view's lattice.

use impinge_geometry::canonical::checked_pose;
use impinge_geometry::{PairFrame, Side, TriMesh};
use nalgebra::{Isometry3, Point3};

use super::view::finite;
use super::{LAST_DEPTH, LdiError, LdiView};
use crate::coverage::nearest;
use crate::snap::Snap;

/// Coordinates of snapped vertices stay below this, so that products of differences fit 64 bits.
const LIMIT: f64 = (1 << 30) as f64;

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
    let rotation = PairFrame::new(&pose, &pose).rotation[Side::A.index()];
    let map = Snap::of_body(view, &rotation, &pose.translation.vector);
    out.clear();
    out.reserve(mesh.vertices().len());
    let mut fits = true;
    for v in mesh.vertices() {
        let p = map.place(v);
        for x in p {
            fits &= x.abs() < LIMIT;
        }
        out.push(p.map(|x| nearest(x) as i32));
    }
    if fits { Ok(()) } else { Err(too_far(mesh, view, &map)) }
}

/// The first vertex that does not fit.
fn too_far(mesh: &TriMesh, view: &LdiView, map: &Snap) -> LdiError {
    let [width, height] = view.count.map(|n| f64::from(n) * view.sub_pixels());
    let across = [width, height, f64::from(LAST_DEPTH)];
    let all = mesh.vertices().iter().map(|v| map.place(v)).enumerate();
    let far = all.filter(|(_, p)| !p.iter().all(|x| x.abs() < LIMIT)).map(|(vertex, p)| {
        let views = (0..3).map(|k| p[k].abs() / across[k]).fold(0.0, f64::max);
        LdiError::TooFar { vertex, views }
    });
    far.into_iter().next().unwrap_or(LdiError::TooFar { vertex: 0, views: f64::INFINITY })
}
