//! What of a closed mesh lies in a half-space, exactly: part by part, with volume, section and centroids.
//!
//! The triangles that reach into the half-space are cut at its border. What is left of them and the section of the border bound a volume, and
//! by the divergence theorem integrals over it are sums over the cut triangles: seen from a point of the border, the section adds no volume,
//! and its own area and moment are what the triangles' lack to be closed.

use impinge_geometry::FacesRef;
use nalgebra::{Point3, Vector3};

use super::hits::{MeshSolidPair, clip};
use crate::patches::{root, unite};

/// An area or a volume this small against those that it is the sum of is 0.
const ROUNDING: f64 = 1e-9;

/// A triangle of the mesh that reaches into the half-space.
#[derive(Clone, Copy, Debug)]
struct SubmergedFace {
    triangle: u32,
    vertices: [u32; 3],
    /// In the half-space's frame (m).
    corners: [Point3<f64>; 3],
    part: u32,
}

/// A vertex of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubmergedVertex {
    part: u32,
    pub vertex: u32,
    /// In the half-space's frame (m).
    pub at: Point3<f64>,
}

/// A connected part of a mesh in a half-space. Lengths in metres, places in the half-space's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubmergedPart {
    /// How deep its lowest vertex is.
    pub depth: f64,
    pub volume: f64,
    pub centroid: Point3<f64>,
    /// The area that the border cuts out of it, and its centroid.
    pub section: f64,
    pub section_centroid: Point3<f64>,
    /// Sums over its triangles: first moments of volume and section, area.
    moment: Vector3<f64>,
    section_moment: Vector3<f64>,
    surface: f64,
    low: Point3<f64>,
    high: Point3<f64>,
    /// Whether it is the surface of a cavity, and counted with the part round it.
    pub is_cavity: bool,
}

/// Buffers of this pass, and what it has found.
#[derive(Debug, Default)]
pub(super) struct Submerged {
    faces: Vec<SubmergedFace>,
    /// Vertices in the half-space and the faces that they are of.
    incident: Vec<(u32, u32)>,
    parent: Vec<u32>,
    parts: Vec<SubmergedPart>,
    vertices: Vec<SubmergedVertex>,
    polygon: Vec<Point3<f64>>,
    spare: Vec<Point3<f64>>,
}

impl Submerged {
    /// Finds the parts of a closed mesh in a half-space. `leaves`: those of the mesh's tree that may reach into it.
    pub fn find(&mut self, pair: &MeshSolidPair<'_, '_>, leaves: &[u32]) {
        self.gather(pair, leaves);
        self.join();
        self.measure();
        self.fill_cavities();
    }

    /// The parts, in the order of their first triangles.
    pub fn parts(&self) -> impl Iterator<Item = (u32, &SubmergedPart)> {
        (0..).zip(&self.parts)
    }

    /// The vertices of a part, by rising number.
    pub fn vertices_of(&self, part: u32) -> &[SubmergedVertex] {
        let from = self.vertices.partition_point(|vertex| vertex.part < part);
        let until = self.vertices.partition_point(|vertex| vertex.part <= part);
        &self.vertices[from..until]
    }

    /// The part of a triangle.
    pub fn part_of(&self, triangle: u32) -> Option<u32> {
        let at = self.faces.binary_search_by_key(&triangle, |face| face.triangle).ok()?;
        Some(self.faces[at].part)
    }

    fn gather(&mut self, pair: &MeshSolidPair<'_, '_>, leaves: &[u32]) {
        let mesh: FacesRef<'_> = pair.pair.surface.faces();
        self.faces.clear();
        for triangle in leaves.iter().flat_map(|&leaf| pair.pair.surface.tree.leaf_triangles(leaf)) {
            let Some(corners) = pair.scene.corners(pair.pair.mesh, triangle) else { continue };
            let corners = corners.map(|p| pair.pair.to_local(&p));
            if corners.iter().any(|p| p.z <= 0.0) {
                let vertices = mesh.vertices_of(triangle);
                self.faces.push(SubmergedFace { triangle, vertices, corners, part: 0 });
            }
        }
        self.faces.sort_unstable_by_key(|face| face.triangle);
    }

    /// Numbers the parts: faces that share a vertex in the half-space are of one.
    fn join(&mut self) {
        let Submerged { faces, incident, parent, .. } = self;
        incident.clear();
        for (index, face) in (0..).zip(&*faces) {
            let own = face.vertices.iter().zip(&face.corners).filter(|(_, p)| p.z <= 0.0);
            incident.extend(own.map(|(&vertex, _)| (vertex, index)));
        }
        incident.sort_unstable();
        parent.clear();
        parent.extend(0..faces.len() as u32);
        for pair in incident.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            unite(parent, pair[0].1, pair[1].1);
        }
        let mut count = 0;
        for index in 0..faces.len() {
            // Roots are the least of their sets, and have their number when others ask for it.
            let first = root(parent, index as u32) as usize;
            faces[index].part = if first == index { count } else { faces[first].part };
            count += u32::from(first == index);
        }
    }

    /// Adds up the cut faces of every part, and lists its vertices.
    fn measure(&mut self) {
        let Submerged { faces, parts, vertices, polygon, spare, .. } = self;
        parts.clear();
        vertices.clear();
        // Products of coordinates far from the contact would lose its digits.
        let origin = faces.first().map_or(Vector3::zeros(), |face| {
            let p = &face.corners[0];
            Vector3::new(p.x, p.y, 0.0)
        });
        for face in &*faces {
            if face.part as usize == parts.len() {
                parts.push(SubmergedPart::new());
            }
            let part = &mut parts[face.part as usize];
            let own = face.vertices.iter().zip(&face.corners).filter(|(_, p)| p.z <= 0.0);
            vertices.extend(own.map(|(&vertex, &at)| SubmergedVertex { part: face.part, vertex, at }));
            polygon.clear();
            polygon.extend(face.corners.iter().map(|p| p - origin));
            clip(polygon, spare, 2, 1.0, 0.0);
            part.add(polygon);
        }
        parts.iter_mut().for_each(|part| part.end(&origin));
        vertices.sort_unstable_by_key(|vertex| (vertex.part, vertex.vertex));
        vertices.dedup_by_key(|vertex| (vertex.part, vertex.vertex));
    }

    /// Counts the surfaces of cavities, whose section and volume are less than 0, with the smallest part round them.
    fn fill_cavities(&mut self) {
        for own in 0..self.parts.len() {
            let cavity = self.parts[own];
            if !cavity.is_inverted() {
                continue;
            }
            let holds = |part: &SubmergedPart| {
                !part.is_inverted()
                    && (0..3).all(|k| part.low[k] <= cavity.low[k] && part.high[k] >= cavity.high[k])
            };
            let round = (0..self.parts.len()).filter(|&part| holds(&self.parts[part]));
            let size = |part: &usize| (self.parts[*part].high - self.parts[*part].low).norm();
            let Some(round) = round.min_by(|p, q| size(p).total_cmp(&size(q))) else { continue };
            self.parts[own].is_cavity = true;
            self.parts[round].lose(&cavity);
        }
    }
}

impl SubmergedPart {
    fn new() -> SubmergedPart {
        SubmergedPart {
            depth: 0.0,
            volume: 0.0,
            centroid: Point3::origin(),
            section: 0.0,
            section_centroid: Point3::origin(),
            moment: Vector3::zeros(),
            section_moment: Vector3::zeros(),
            surface: 0.0,
            low: Point3::from([f64::INFINITY; 3]),
            high: Point3::from([f64::NEG_INFINITY; 3]),
            is_cavity: false,
        }
    }

    /// Adds what of a face is in the half-space.
    fn add(&mut self, polygon: &[Point3<f64>]) {
        for p in polygon {
            (self.low, self.high) = (self.low.inf(p), self.high.sup(p));
            self.depth = self.depth.max(-p.z);
        }
        let Some((first, rest)) = polygon.split_first() else { return };
        for edge in rest.windows(2) {
            let area = 0.5 * (edge[0] - first).cross(&(edge[1] - first));
            let middle = (first.coords + edge[0].coords + edge[1].coords) / 3.0;
            // Of the tetrahedron with its tip in the origin.
            let volume = area.dot(&first.coords) / 3.0;
            self.surface += area.norm();
            self.volume += volume;
            self.moment += 0.75 * volume * middle;
            self.section -= area.z;
            self.section_moment -= area.z * middle;
        }
    }

    /// Ends the sums, which are about `origin`.
    fn end(&mut self, origin: &Vector3<f64>) {
        let size = (self.high - self.low).norm();
        if self.section.abs() <= ROUNDING * self.surface {
            self.section = 0.0;
        }
        if self.volume.abs() <= ROUNDING * self.surface * size {
            self.volume = 0.0;
        }
        self.low += origin;
        self.high += origin;
        self.moment += origin * self.volume;
        self.section_moment += origin * self.section;
        self.place_centroids();
    }

    fn place_centroids(&mut self) {
        let middle = nalgebra::center(&self.low, &self.high);
        self.centroid = match self.volume > 0.0 {
            true => Point3::from(self.moment / self.volume),
            false => middle,
        };
        let section = match self.section > 0.0 {
            true => self.section_moment / self.section,
            false => middle.coords,
        };
        self.section_centroid = Point3::new(section.x, section.y, 0.0);
    }

    /// Whether it bounds what is not of the mesh.
    pub fn is_inverted(&self) -> bool {
        self.section < 0.0 || self.section == 0.0 && self.volume < 0.0
    }

    /// Takes away what is in a cavity.
    fn lose(&mut self, cavity: &SubmergedPart) {
        self.volume += cavity.volume;
        self.moment += cavity.moment;
        self.section += cavity.section;
        self.section_moment += cavity.section_moment;
        self.place_centroids();
    }
}
