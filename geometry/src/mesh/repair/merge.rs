//! Vertices apart by rounding become one.

use nalgebra::{Point3, Vector3};

use super::Repair;
use super::points::Points;
use super::surface::Surface;

/// Puts the nearest other vertex within `reach` (m) in the place of each vertex of the border. A vertex
/// that stands for others stays itself, so that none moves farther than that.
pub(super) fn merge(surface: &mut Surface, reach: f64) {
    let mut on_border = vec![false; surface.vertices.len()];
    for v in surface.border().into_iter().flatten() {
        on_border[v as usize] = true;
    }
    let mut used = vec![false; surface.vertices.len()];
    for v in surface.faces.iter().flat_map(|face| face.corners) {
        used[v as usize] = true;
    }
    let all = (0..surface.vertices.len() as u32).filter(|&v| used[v as usize]);
    let points = Points::new(all.map(|v| (surface.place(v), v)).collect());
    let (horizon, mut beyond) = (reach.max(surface.horizon), f64::INFINITY);
    let mut stands: Vec<u32> = (0..surface.vertices.len() as u32).collect();
    for v in (0..surface.vertices.len() as u32).filter(|&v| on_border[v as usize]) {
        let place = surface.place(v);
        let mut nearest: Option<(f64, u32)> = None;
        points.within(&around(&place, horizon), &mut |other, w| {
            let distance = (other - place).norm();
            if distance > reach {
                beyond = beyond.min(distance);
            }
            // Border vertices before v have their place; those after it come to v.
            let stays = if on_border[w as usize] { w < v && stands[w as usize] == w } else { true };
            if stays && distance <= reach && nearest.is_none_or(|best| (distance, w) < best) {
                nearest = Some((distance, w));
            }
        });
        if let Some((distance, into)) = nearest {
            stands[v as usize] = into;
            surface.repairs.done.push(Repair::Merged { vertex: v, into, distance });
            surface.repairs.moved = surface.repairs.moved.max(distance);
        }
    }
    surface.nearest_beyond = surface.nearest_beyond.min(beyond);
    for corner in surface.faces.iter_mut().flat_map(|face| &mut face.corners) {
        *corner = stands[*corner as usize];
    }
}

fn around(place: &Point3<f64>, reach: f64) -> [Point3<f64>; 2] {
    [place - Vector3::repeat(reach), place + Vector3::repeat(reach)]
}
