//! A tissue out of a tool: Lombardo, Cani, Neyret 1999.

use impinge::query::classic::ToolVolume;
use nalgebra::{Isometry3, Point3, Vector3};

use super::{Sheet, SheetContact};

/// How often all faces are gone through.
const SWEEPS: u32 = 12;
/// Points of a face that are pushed: how its corners weigh.
const POINTS: [[f64; 3]; 13] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.5, 0.5],
    [0.5, 0.0, 0.5],
    [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
    [0.75, 0.25, 0.0],
    [0.25, 0.75, 0.0],
    [0.0, 0.75, 0.25],
    [0.0, 0.25, 0.75],
    [0.75, 0.0, 0.25],
    [0.25, 0.0, 0.75],
];

/// A face of the tool: its outward normal (unit), and how far along that it is (m), in the tool's frame.
type Plane = (Vector3<f64>, f64);

impl Sheet {
    /// Moves faces that [`lombardo`](impinge::query::classic::lombardo) has named out of the tool at `pose`: of each face the
    /// deepest of thirteen points leaves the tool by its nearest side, and takes the corners along as they weigh.
    pub fn clear_of_tool(
        &mut self,
        tool: &ToolVolume,
        pose: &Isometry3<f64>,
        faces: &[u32],
    ) -> Vec<SheetContact> {
        let planes = planes(tool);
        let mut pushed: Vec<Option<SheetContact>> = vec![None; faces.len()];
        for _ in 0..SWEEPS {
            let mut any = false;
            for (face, contact) in faces.iter().zip(&mut pushed) {
                let Some(corners) = self.surface.triangles().get(*face as usize) else { continue };
                let corners = corners.map(|v| v as usize);
                let of = |weights: &[f64; 3]| {
                    let sum: Vector3<f64> = (0..3).map(|k| self.places[corners[k]].coords * weights[k]).sum();
                    (inside(&planes, &pose.inverse_transform_point(&Point3::from(sum))), *weights)
                };
                let deepest = POINTS.iter().map(of).max_by(|a, b| a.0.0.total_cmp(&b.0.0));
                let Some(((depth, normal), weights)) = deepest else { continue };
                // What is left over is less than what `f32` can hold.
                if depth <= 1e-7 {
                    continue;
                }
                let normal = pose.rotation * normal;
                let free = |k: usize| weights[k] / self.masses[corners[k]];
                let under: f64 = (0..3).map(|k| weights[k] * free(k)).sum();
                if under <= 0.0 {
                    continue;
                }
                let shifts = [0, 1, 2].map(|k| normal * (depth * free(k) / under));
                corners.iter().zip(shifts).for_each(|(&corner, shift)| self.places[corner] += shift);
                any = true;
                let at: Vector3<f64> = (0..3).map(|k| self.places[corners[k]].coords * weights[k]).sum();
                let before = contact.map_or(0.0, |contact| contact.depth);
                *contact = Some(SheetContact { position: at.into(), normal, depth: before.max(depth) });
            }
            if !any {
                break;
            }
        }
        pushed.into_iter().flatten().collect()
    }
}

fn planes(tool: &ToolVolume) -> Vec<Plane> {
    let mesh = tool.mesh();
    let plane = |t: u32| {
        let [a, b, c] = mesh.corners(t).map(|p| p.cast::<f64>());
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0)?;
        Some((normal, normal.dot(&a.coords)))
    };
    (0..mesh.triangles().len() as u32).filter_map(plane).collect()
}

/// How deep a point is in the tool (m; below zero outside), and where to it leaves soonest.
fn inside(planes: &[Plane], p: &Point3<f64>) -> (f64, Vector3<f64>) {
    let depths = planes.iter().map(|(normal, offset)| (offset - normal.dot(&p.coords), *normal));
    depths.fold((f64::INFINITY, Vector3::zeros()), |least, own| if own.0 < least.0 { own } else { least })
}
