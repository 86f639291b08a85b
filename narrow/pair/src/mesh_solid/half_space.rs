//! The contacts of a closed mesh and a half-space.
//!
//! The normal is that of the border, points stand at the vertices in the half-space, and all else is known exactly, too
//! ([`Submerged`]). The lines of a view would meet a narrow contact, as of a ring or a rod, wherever they do, and a body
//! on points of such depths rocks for ever.

use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use super::hits::{Hit, MeshSolidPair};
use super::submerged::{Submerged, SubmergedPart, SubmergedVertex};
use crate::patch::{Patch, PatchOrigin, PatchPoint};
use crate::patches::{FarthestPlaces, halfway, mean, pressure_center, vertex_key};

/// Cells along each side of a part. Of more vertices than there are cells, the deepest of each is a candidate.
const SIDE: usize = 16;
/// A vertex that is deeper than another one of its cell by less than this part of the depth is not chosen instead: on flat faces
/// rounding would choose.
const AS_DEEP: f64 = 1e-6;

/// Buffers of this pass.
#[derive(Debug, Default)]
pub(super) struct HalfSpaceContacts {
    submerged: Submerged,
    candidates: Candidates,
}

/// The vertices of a part that contact points are chosen of.
#[derive(Debug, Default)]
struct Candidates {
    chosen: Vec<SubmergedVertex>,
    cells: Vec<Option<u32>>,
}

impl HalfSpaceContacts {
    /// A patch for each part of the mesh in the half-space. `hits`: the triangles that touch it.
    pub fn run(&mut self, pair: &MeshSolidPair<'_, '_>, leaves: &[u32], hits: &[Hit], out: &mut Vec<Patch>) {
        self.submerged.find(pair, leaves);
        let HalfSpaceContacts { submerged, candidates } = self;
        for (number, part) in submerged.parts().filter(|(_, part)| !part.is_cavity) {
            if part.is_inverted() || part.depth == 0.0 && part.section == 0.0 {
                let own = hits.iter().filter(|hit| submerged.part_of(hit.triangle) == Some(number));
                out.extend(pair.touch(&own.copied().collect::<Vec<Hit>>()));
                continue;
            }
            let vertices = submerged.vertices_of(number);
            let corners = corners_of(vertices);
            candidates.choose(vertices, part.depth, &corners);
            out.extend(pair.patch_of_part(part, &candidates.chosen, &corners));
        }
    }
}

/// The corners of some vertices as the border sees them.
fn corners_of(vertices: &[SubmergedVertex]) -> Vec<Point3<f64>> {
    let mut farthest = FarthestPlaces::default();
    vertices.iter().for_each(|vertex| farthest.offer(&vertex.at.coords.xy(), &vertex.at));
    farthest.corners()
}

impl Candidates {
    /// Chooses all vertices of a part of some depth (m), or where these are many the deepest, that of each cell, and corners.
    fn choose(&mut self, vertices: &[SubmergedVertex], depth: f64, corners: &[Point3<f64>]) {
        let Candidates { chosen, cells } = self;
        chosen.clear();
        if vertices.len() <= SIDE * SIDE {
            chosen.extend_from_slice(vertices);
            return;
        }
        let all = || vertices.iter().map(|vertex| vertex.at.coords.xy());
        let low = all().fold(vertices[0].at.coords.xy(), |low, p| low.inf(&p));
        let high = all().fold(low, |high, p| high.sup(&p));
        let cell_of = |at: &Point3<f64>| {
            let [i, j] = [0, 1].map(|k| {
                let share = (at[k] - low[k]) / (high[k] - low[k]).max(f64::MIN_POSITIVE);
                ((share * SIDE as f64) as usize).min(SIDE - 1)
            });
            j * SIDE + i
        };
        cells.clear();
        cells.resize(SIDE * SIDE, None);
        let lower = |p: u32, q: u32| vertices[p as usize].at.z < vertices[q as usize].at.z;
        let mut deepest = 0;
        for (index, vertex) in (0..).zip(vertices) {
            let cell = &mut cells[cell_of(&vertex.at)];
            let deeper = |old: u32| vertices[old as usize].at.z - vertex.at.z > AS_DEEP * depth;
            if cell.is_none_or(deeper) {
                *cell = Some(index);
            }
            if lower(index, deepest) {
                deepest = index;
            }
        }
        let is_corner = |index: &u32| corners.contains(&vertices[*index as usize].at);
        cells.extend((0..vertices.len() as u32).filter(is_corner).map(Some));
        cells.push(Some(deepest));
        cells.sort_unstable();
        cells.dedup();
        chosen.extend(cells.iter().flatten().map(|&index| vertices[index as usize]));
    }
}

impl MeshSolidPair<'_, '_> {
    fn patch_of_part(
        &self,
        part: &SubmergedPart,
        vertices: &[SubmergedVertex],
        corners: &[Point3<f64>],
    ) -> Option<Patch> {
        let normal = self.a_to_b(&(self.pair.rotation() * Vector3::z()));
        let weight = part.section / vertices.len() as f64;
        let points: Vec<PatchPoint> = vertices.iter().map(|vertex| self.point(vertex, weight)).collect();
        let centroid = match part.volume > 0.0 {
            true => self.pair.to_frame(&part.centroid),
            false => mean(&points)?,
        };
        let gradient = normal * part.section;
        let torque = self.pair.to_frame(&part.section_centroid).coords.cross(&gradient);
        let corners = (0..).zip(vertices).filter(|(_, vertex)| corners.contains(&vertex.at));
        Some(Patch {
            normal,
            depth: part.depth,
            volume: part.volume.max(0.0),
            gradient,
            torque,
            centroid,
            pressure_center: pressure_center(&gradient, &torque, &centroid),
            radius: points.iter().map(|p| (halfway(p) - centroid).norm()).fold(0.0, f64::max),
            corners: corners.map(|(index, _)| index).collect(),
            sectors: Vec::new(),
            origin: if part.depth > 0.0 { PatchOrigin::OverlapIntervals } else { PatchOrigin::Touch },
            points,
            region: None,
        })
    }

    /// The point at a vertex and straight above it on the border.
    fn point(&self, vertex: &SubmergedVertex, weight: f64) -> PatchPoint {
        let own = self.scene.vertex(self.pair.mesh, vertex.vertex);
        let on_mesh = own.unwrap_or_else(|| self.pair.to_frame(&vertex.at));
        let on_border = self.pair.to_frame(&Point3::new(vertex.at.x, vertex.at.y, 0.0));
        let [on_a, on_b] =
            if self.pair.mesh == Side::A { [on_mesh, on_border] } else { [on_border, on_mesh] };
        let key = vertex_key(self.pair.mesh, vertex.vertex);
        PatchPoint { on_a, on_b, depth: 0.0 - vertex.at.z, weight, key }
    }
}
