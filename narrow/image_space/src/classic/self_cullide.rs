//! The self-collision form of CULLIDE (Govindaraju, Lin, Manocha, "Quick-CULLIDE: fast inter- and intra-object collision
//! culling using graphics hardware", 2005): parts of one mesh, neighbours aside.

use super::body::{ClassicBody, LatticeBody};
use super::cullide::{CullideSettings, PotentialSet, check_count, views_around};
use super::error::ClassicError;
use crate::coverage::cover_dilated;
use crate::view::View;

/// Nearest parts that a pixel has room for.
const KEPT: usize = 6;

/// The parts of one mesh that may touch a part that is not their neighbour. `parts` gives a part for each triangle,
/// counted from 0; parts are neighbours where triangles of them share a vertex.
///
/// As [`cullide`](super::cullide), with two differences. Neighbours touch where they join, and would always hide each other:
/// a pixel keeps the nearest depth of six parts, not of one, and a part asks about those that are not its neighbours; where
/// more parts than that lie in a pixel, those beyond count as hiding. And every pixel is drawn with bounds on the
/// depths in it, whether [`CullideSettings::dilated`] is set or not: *no part is missed* that touches one which is not its
/// neighbour. What touches within one part or between neighbours is the caller's. On the CPU only.
///
/// # Errors
/// [`ClassicError::Count`], and [`ClassicError::View`].
pub fn cullide_self(
    body: &ClassicBody<'_>,
    parts: &[u32],
    settings: CullideSettings,
) -> Result<PotentialSet, ClassicError> {
    check_count("parts of triangles", parts.len(), body.mesh.triangles().len())?;
    let count = parts.iter().max().map_or(0, |&last| last as usize + 1);
    let neighbours = neighbours(body, parts, count);
    let mut triangles = vec![Vec::new(); count];
    for (t, &part) in parts.iter().enumerate() {
        triangles[part as usize].push(t);
    }
    let mut set = PotentialSet { bodies: vec![0], ..PotentialSet::default() };
    let mut left: Vec<u32> = (0..count as u32).filter(|&p| !triangles[p as usize].is_empty()).collect();
    let views = views_around(&[*body], settings.pixels)?;
    let scenes: Result<Vec<_>, _> =
        views.iter().map(|view| LatticeBody::new(body, view).map(|lattice| (view, lattice))).collect();
    let scenes = scenes?;
    for _ in 0..settings.rounds.max(1) {
        let before = left.len();
        for (view, lattice) in &scenes {
            let mut hidden = vec![false; count];
            let pass = |order: &mut dyn Iterator<Item = u32>, hidden: &mut [bool]| {
                let mut pixels = NearestParts::new(view);
                for part in order {
                    let own = &triangles[part as usize];
                    hidden[part as usize] |= pixels.hide(lattice, own, part, &neighbours[part as usize]);
                    pixels.draw(lattice, own, part);
                }
            };
            pass(&mut left.iter().copied(), &mut hidden);
            pass(&mut left.iter().rev().copied(), &mut hidden);
            set.passes += 2;
            set.queries += 2 * left.len() as u64;
            left.retain(|&part| hidden[part as usize]);
        }
        if left.len() == before {
            break;
        }
    }
    set.parts = left.into_iter().map(|part| [0, part]).collect();
    if set.parts.is_empty() {
        set.bodies.clear();
    }
    Ok(set)
}

/// For each part its neighbours, in rising order.
fn neighbours(body: &ClassicBody<'_>, parts: &[u32], count: usize) -> Vec<Vec<u32>> {
    let mut of_vertex: Vec<(u32, u32)> = Vec::with_capacity(3 * parts.len());
    for (triangle, &part) in body.mesh.triangles().iter().zip(parts) {
        of_vertex.extend(triangle.map(|vertex| (vertex, part)));
    }
    of_vertex.sort_unstable();
    of_vertex.dedup();
    let mut neighbours = vec![Vec::new(); count];
    for around in of_vertex.chunk_by(|a, b| a.0 == b.0) {
        for (_, part) in around {
            neighbours[*part as usize].extend(around.iter().map(|(_, other)| *other).filter(|o| o != part));
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    neighbours
}

/// Of every pixel the nearest depths of a few parts.
struct NearestParts<'a> {
    view: &'a View,
    /// Depth and part; free places hold `i64::MAX`.
    kept: Vec<[(i64, u32); KEPT]>,
    /// The nearest depth of all parts for which there was no room.
    beyond: Vec<i64>,
}

impl<'a> NearestParts<'a> {
    fn new(view: &'a View) -> NearestParts<'a> {
        let pixels = view.count[0] as usize * view.count[1] as usize;
        let none = [(i64::MAX, u32::MAX); KEPT];
        NearestParts { view, kept: vec![none; pixels], beyond: vec![i64::MAX; pixels] }
    }

    /// Whether a part, given by its triangles, may be behind or at any drawn before that is not its neighbour.
    fn hide(&self, lattice: &LatticeBody, triangles: &[usize], part: u32, neighbours: &[u32]) -> bool {
        let mut hidden = false;
        for &t in triangles {
            cover_dilated(&self.view.grid(), &lattice.corners(t), &lattice.slopes()[t], |pixel, [_, far]| {
                let others = self.kept[pixel].iter().filter(|(near, _)| *near <= far);
                let foreign = |of: u32| of != part && neighbours.binary_search(&of).is_err();
                hidden |= self.beyond[pixel] <= far || others.into_iter().any(|(_, of)| foreign(*of));
            });
            if hidden {
                return true;
            }
        }
        false
    }

    fn draw(&mut self, lattice: &LatticeBody, triangles: &[usize], part: u32) {
        let grid = self.view.grid();
        for &t in triangles {
            cover_dilated(&grid, &lattice.corners(t), &lattice.slopes()[t], |pixel, [near, _]| {
                let kept = &mut self.kept[pixel];
                let place = kept.iter().position(|(_, of)| *of == part || *of == u32::MAX);
                let farthest = (0..KEPT).fold(0, |k, i| if kept[i].0 > kept[k].0 { i } else { k });
                match place {
                    Some(at) => kept[at] = (near.min(kept[at].0), part),
                    None if near < kept[farthest].0 => {
                        self.beyond[pixel] = self.beyond[pixel].min(kept[farthest].0);
                        kept[farthest] = (near, part);
                    }
                    None => self.beyond[pixel] = self.beyond[pixel].min(near),
                }
            });
        }
    }
}
