//! Triangles without area that hold a surface together.
//!
//! Where a long edge of one face meets two short edges of its neighbours, many programs put a
//! triangle without area between them (a cap: its third corner lies on its long edge). Passing over it
//! would tear the surface open. Instead the face beyond the long edge is cut in two at the third
//! corner, which lies exactly on it: the surface stays where it is, and closes without the cap.

use std::collections::BTreeMap;

use nalgebra::Point3;

use super::Defect;
use super::sound::Sound;
use crate::predicate;

/// Flips allowed for every cap: caps whose long edges meet may need several.
const FLIPS: usize = 16;

/// Triangles by their directed edges.
struct Flips<'v> {
    vertices: &'v [Point3<f32>],
    triangles: Vec<Option<[u32; 3]>>,
    by_edge: BTreeMap<[u32; 2], u32>,
}

/// The sound triangles with those cut in two that have a cap at an edge; `None` where no cap can be
/// worked in. `given` are all triangles, of which `defects` says that some are without area.
pub(super) fn cut(
    vertices: &[Point3<f32>],
    given: &[[u32; 3]],
    sound: &Sound,
    defects: &mut Vec<Defect>,
) -> Option<Sound> {
    let mut flips = Flips { vertices, triangles: vec![None; given.len()], by_edge: BTreeMap::new() };
    for (&source, &corners) in sound.source.iter().zip(&sound.triangles) {
        flips.insert(source, corners)?;
    }
    let without_area = defects.iter().filter_map(|defect| match defect {
        Defect::Degenerate { triangle } => Some(*triangle),
        _ => None,
    });
    let mut open: Vec<u32> =
        without_area.filter(|&t| flips.long_edge(&given[t as usize]).is_some()).collect();
    let mut left = FLIPS * open.len();
    for &cap in &open {
        flips.insert(cap, given[cap as usize])?;
    }
    let mut cuts = Vec::new();
    while let Some(cap) = open.pop() {
        let Some(corners) = flips.triangles[cap as usize] else { continue };
        let Some([tip, from, to]) = flips.long_edge(&corners) else { continue };
        left = left.checked_sub(1)?;
        let across = *flips.by_edge.get(&[to, from])?;
        let face = flips.remove(across)?;
        flips.remove(cap)?;
        let third = face.into_iter().find(|v| *v != from && *v != to)?;
        if third == tip {
            // Two caps back to back are nothing.
            continue;
        }
        flips.insert(across, [tip, from, third])?;
        flips.insert(cap, [tip, third, to])?;
        cuts.push(Defect::Cut { triangle: across, at: tip });
        open.extend([across, cap]);
    }
    let (mut triangles, mut source) = (Vec::new(), Vec::new());
    for (index, corners) in flips.triangles.iter().enumerate() {
        if let Some(corners) = corners {
            if flips.is_without_area(corners) {
                return None;
            }
            triangles.push(*corners);
            source.push(index as u32);
        }
    }
    defects.extend(cuts);
    Some(Sound { triangles, source })
}

impl Flips<'_> {
    /// `None` where another triangle runs along one of the edges already.
    fn insert(&mut self, index: u32, corners: [u32; 3]) -> Option<()> {
        for k in 0..3 {
            if self.by_edge.insert([corners[k], corners[(k + 1) % 3]], index).is_some() {
                return None;
            }
        }
        self.triangles[index as usize] = Some(corners);
        Some(())
    }

    fn remove(&mut self, index: u32) -> Option<[u32; 3]> {
        let corners = self.triangles[index as usize].take()?;
        for k in 0..3 {
            self.by_edge.remove(&[corners[k], corners[(k + 1) % 3]]);
        }
        Some(corners)
    }

    fn is_without_area(&self, corners: &[u32; 3]) -> bool {
        predicate::is_degenerate(&corners.map(|v| self.vertices[v as usize].cast()))
    }

    /// Of a cap, the corner between the others and then these two in order; `None` for a triangle with
    /// an area or with two corners at one place.
    fn long_edge(&self, corners: &[u32; 3]) -> Option<[u32; 3]> {
        if !self.is_without_area(corners) {
            return None;
        }
        (0..3).map(|k| [corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]]).find(|t| {
            let [tip, from, to] = t.map(|v| self.vertices[v as usize]);
            // On one line, between is between along every axis.
            tip != from
                && tip != to
                && (0..3).all(|i| tip[i] >= from[i].min(to[i]) && tip[i] <= from[i].max(to[i]))
        })
    }
}
