//! The part of one surface that is inside the other body: which triangles a contour crosses, which are inside as a
//! whole, and how often the other surface winds round the vertices of both.

use std::ops::Range;

use impinge_geometry::Side;
use impinge_geometry::mesh::NO_FACE;

use super::hits::{Below, Hits, apart, below};
use super::labels::Labels;
use super::vertices::KnownVertices;
use crate::containment::{ContainmentScratch, vertex_winding};
use crate::contour::{Contours, NO_LOOP};
use crate::id_table::IdTable;
use crate::intersect::{HitKey, Intersections, Surfaces};
use crate::radix;

/// A triangle with segments of contours.
#[derive(Clone, Debug)]
pub(super) struct Crossed {
    pub triangle: u32,
    /// Its segments in [`Fill::segments`].
    pub segments: Range<u32>,
    /// Which corners were known when it was looked at last (a bit each).
    known: u8,
}

/// A segment in a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrossedBy {
    pub triangle: u32,
    pub segment: u32,
    /// The contour.
    pub label: u32,
}

/// A triangle inside as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    pub triangle: u32,
    pub winding: i32,
    pub label: u32,
}

/// The part of one surface inside the other body.
#[derive(Clone, Debug, Default)]
pub(super) struct Fill {
    pub hits: Hits,
    pub vertices: KnownVertices,
    /// By triangles.
    pub crossed: Vec<Crossed>,
    pub segments: Vec<CrossedBy>,
    room: Vec<CrossedBy>,
    pub inside: Vec<Whole>,
    /// Of triangles that were met, where in `crossed` they are.
    places: IdTable,
    stack: Vec<u32>,
    /// Edges whose first hit is not known for certain.
    pending: Vec<u32>,
    /// Two ways to the same vertex disagree.
    conflict: bool,
    /// No edge has more than two faces.
    manifold: bool,
}

/// A triangle inside as a whole, in [`Fill::places`].
const INSIDE: u32 = u32::MAX;

/// What tells how often the other surface winds round the ends of an edge that is hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seeds {
    /// The hits, as that of a surface that does not pass through itself: 0 or 1.
    Hits,
    /// As before, of surfaces that have no inside: nobody else could tell.
    HitsOnly,
    /// A ray from each.
    Rays,
}

/// How a fill ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    /// Everything inside was met.
    Whole,
    /// There was more than it may look at.
    Cut,
    /// The other surface passes through itself, or is not as closed as it was said to be.
    Conflict,
}

/// What a fill works on.
pub(super) struct FillInput<'f> {
    pub surfaces: &'f Surfaces<'f>,
    pub intersections: &'f Intersections,
    pub contours: &'f Contours,
    /// The contour of each segment.
    pub loops: &'f [u32],
    pub side: Side,
    pub seeds: Seeds,
    /// Triangles inside, at most.
    pub most_triangles: usize,
}

impl Fill {
    /// Fills one side from its contours.
    pub fn run(
        &mut self,
        input: &FillInput<'_>,
        labels: &mut Labels,
        rays: &mut ContainmentScratch,
    ) -> Filled {
        self.begin(input);
        self.seed(input, labels, rays);
        let mut whole = self.spread(input, labels);
        for next in 0..self.pending.len() {
            let edge = self.pending[next];
            self.decide(input, edge, labels, rays);
            whole &= self.spread(input, labels);
        }
        if input.seeds != Seeds::HitsOnly {
            for at in 0..self.crossed.len() {
                self.decide_uncut(input, at, labels, rays);
                whole &= self.spread(input, labels);
            }
            if self.conflict {
                return Filled::Conflict;
            }
        }
        if whole { Filled::Whole } else { Filled::Cut }
    }

    fn begin(&mut self, input: &FillInput<'_>) {
        let mesh = input.surfaces.meshes[input.side.index()];
        self.hits.gather(input.surfaces, input.side, (input.intersections, input.loops));
        self.vertices.begin(mesh.vertex_bound());
        self.inside.clear();
        self.pending.clear();
        self.stack.clear();
        self.conflict = false;
        self.manifold = mesh.is_manifold();
        self.places.begin(mesh.triangle_bound());
        self.segments.clear();
        let segments = input.intersections.segments.iter().zip(0..).zip(input.loops);
        for ((of, segment), &label) in segments.filter(|(_, label)| **label != NO_LOOP) {
            self.segments.push(CrossedBy { triangle: of.triangles[input.side.index()], segment, label });
        }
        radix::sort_by_number(&mut self.segments, &mut self.room, |s| u64::from(s.triangle));
        self.crossed.clear();
        let mut start = 0;
        for group in self.segments.chunk_by(|a, b| a.triangle == b.triangle) {
            let end = start + group.len() as u32;
            let triangle = group[0].triangle;
            self.places.set(triangle, self.crossed.len() as u32);
            self.crossed.push(Crossed { triangle, segments: start..end, known: u8::MAX });
            self.stack.push(triangle);
            start = end;
        }
    }

    /// Learns of the ends of edges that are hit.
    fn seed(&mut self, input: &FillInput<'_>, labels: &mut Labels, rays: &mut ContainmentScratch) {
        let mut start = 0;
        while start < self.hits.list.len() {
            let edge = self.hits.list[start].edge;
            let group = self.hits.of(edge);
            start += group.len();
            let low = match input.seeds {
                Seeds::Rays => Some(self.ray(input, lower_vertex(input, edge), rays)),
                Seeds::Hits | Seeds::HitsOnly => match below(group) {
                    Below::Certain(winding) => Some(winding),
                    Below::Uncertain => None,
                    Below::Overlapping => {
                        self.conflict = true;
                        Some(0)
                    }
                },
            };
            match low {
                Some(winding) => self.settle(input, edge, winding, labels),
                None => self.pending.push(edge),
            }
        }
    }

    /// The winding number at a vertex, by a ray unless it is known.
    fn ray(&self, input: &FillInput<'_>, vertex: u32, rays: &mut ContainmentScratch) -> i32 {
        match self.vertices.get(vertex) {
            Some(known) => known.winding,
            None => vertex_winding(input.surfaces, input.side, vertex, rays),
        }
    }

    /// Takes note of the winding number at an edge's lower end: of its ends, and of the contours that its parts inside join.
    fn settle(&mut self, input: &FillInput<'_>, edge: u32, low: i32, labels: &mut Labels) {
        let group = self.hits.of(edge);
        let mut winding = low;
        for (hit, next) in group.iter().zip(&group[1..]) {
            winding += hit.rise;
            if winding != 0 || !apart(hit, next) {
                labels.unite(hit.label, next.label);
            }
        }
        let high = low + group.iter().map(|hit| hit.rise).sum::<i32>();
        let ends = [group[0].label, group[group.len() - 1].label];
        let vertices = input.surfaces.meshes[input.side.index()].edge(edge).vertices;
        self.mark(input, vertices[0], low, ends[0], labels);
        self.mark(input, vertices[1], high, ends[1], labels);
    }

    fn mark(&mut self, input: &FillInput<'_>, vertex: u32, winding: i32, label: u32, labels: &mut Labels) {
        match self.vertices.get(vertex) {
            Some(known) if known.winding != winding => self.conflict = true,
            Some(known) if winding != 0 && known.label != label => labels.unite(known.label, label),
            Some(_) => {}
            None => self.vertices.add(input.surfaces, input.side, vertex, winding, label),
        }
    }

    /// Goes on from the triangles that wait; whether it went as far as it could.
    fn spread(&mut self, input: &FillInput<'_>, labels: &mut Labels) -> bool {
        while let Some(triangle) = self.stack.pop() {
            match self.places.get(triangle).unwrap_or(INSIDE) {
                INSIDE if self.inside.len() >= input.most_triangles => {
                    self.stack.clear();
                    return false;
                }
                INSIDE => self.enter(input, triangle, labels),
                place => self.pass(input, place as usize, labels),
            }
        }
        true
    }

    /// A triangle beyond an edge that is inside and not hit: it is inside, too.
    fn enter(&mut self, input: &FillInput<'_>, triangle: u32, labels: &mut Labels) {
        let mesh = input.surfaces.meshes[input.side.index()];
        let corners = mesh.vertices_of(triangle);
        let Some(known) = corners.iter().find_map(|&v| self.vertices.inside(v)).copied() else { return };
        self.inside.push(Whole { triangle, winding: known.winding, label: known.label });
        for vertex in corners {
            self.mark(input, vertex, known.winding, known.label, labels);
        }
        for edge in mesh.edges_of(triangle) {
            self.push_beyond(input, edge, triangle);
        }
    }

    /// A triangle with segments: what is known of a corner holds of the other end of an edge that is not hit.
    fn pass(&mut self, input: &FillInput<'_>, place: usize, labels: &mut Labels) {
        let mesh = input.surfaces.meshes[input.side.index()];
        let triangle = self.crossed[place].triangle;
        let corners = mesh.vertices_of(triangle);
        let edges = mesh.edges_of(triangle);
        if self.known(&corners) == self.crossed[place].known {
            return;
        }
        // What comes round by two edges takes a second time.
        for _ in 0..2 {
            for (k, &edge) in edges.iter().enumerate() {
                if self.hits.is_hit(edge) {
                    continue;
                }
                let ends = [corners[k], corners[(k + 1) % 3]];
                for [from, to] in [ends, [ends[1], ends[0]]] {
                    if let Some(&known) = self.vertices.get(from) {
                        self.mark(input, to, known.winding, known.label, labels);
                    }
                }
            }
        }
        self.crossed[place].known = self.known(&corners);
        for (k, &edge) in edges.iter().enumerate() {
            if !self.hits.is_hit(edge) && self.vertices.inside(corners[k]).is_some() {
                self.push_beyond(input, edge, triangle);
            }
        }
    }

    fn known(&self, corners: &[u32; 3]) -> u8 {
        (0..3).fold(0, |mask, k| mask | u8::from(self.vertices.get(corners[k]).is_some()) << k)
    }

    fn push_beyond(&mut self, input: &FillInput<'_>, edge: u32, triangle: u32) {
        let mesh = input.surfaces.meshes[input.side.index()];
        if self.manifold {
            let [p, q] = mesh.edge(edge).faces;
            self.push(if p == triangle { q } else { p });
            return;
        }
        for &beyond in mesh.edge_faces(edge).iter() {
            if beyond != triangle {
                self.push(beyond);
            }
        }
    }

    /// A triangle inside that was not met yet, or one with segments, of which more may be known now.
    #[inline]
    fn push(&mut self, triangle: u32) {
        if triangle == NO_FACE {
            return;
        }
        match self.places.get(triangle) {
            None => {
                self.places.set(triangle, INSIDE);
                self.stack.push(triangle);
            }
            Some(INSIDE) => {}
            Some(_) => self.stack.push(triangle),
        }
    }

    /// An edge of whose hits the first is not certain.
    fn decide(
        &mut self,
        input: &FillInput<'_>,
        edge: u32,
        labels: &mut Labels,
        rays: &mut ContainmentScratch,
    ) {
        let mesh = input.surfaces.meshes[input.side.index()];
        let [low, high] = mesh.edge(edge).vertices;
        // Its hits cancel out.
        let known = self.vertices.get(low).or_else(|| self.vertices.get(high)).map(|known| known.winding);
        let winding = known.unwrap_or_else(|| match input.seeds {
            Seeds::HitsOnly => i32::from(self.hits.of(edge)[0].rise < 0),
            Seeds::Hits | Seeds::Rays => vertex_winding(input.surfaces, input.side, low, rays),
        });
        self.settle(input, edge, winding, labels);
        let met = |&&face: &&u32| self.places.get(face).is_some();
        self.stack.extend(mesh.edge_faces(edge).iter().filter(met));
    }

    /// A triangle with contours but without any on its edges.
    fn decide_uncut(
        &mut self,
        input: &FillInput<'_>,
        place: usize,
        labels: &mut Labels,
        rays: &mut ContainmentScratch,
    ) {
        let mesh = input.surfaces.meshes[input.side.index()];
        let Crossed { triangle, segments, .. } = self.crossed[place].clone();
        let corners = mesh.vertices_of(triangle);
        if mesh.edges_of(triangle).iter().any(|&edge| self.hits.is_hit(edge)) {
            return;
        }
        let own = segments.start as usize..segments.end as usize;
        if self.known(&corners) == 0 {
            let winding = vertex_winding(input.surfaces, input.side, corners[0], rays);
            self.mark(input, corners[0], winding, self.segments[own.start].label, labels);
            self.stack.push(triangle);
        }
        // Holes in what is inside are of one overlap.
        if let Some(inside) = corners.iter().find_map(|&v| self.vertices.inside(v)) {
            self.segments[own].iter().for_each(|s| labels.unite(s.label, inside.label));
        }
    }

    /// Whether rays agree with what hits told: at an edge of each contour, or at every edge.
    pub fn agrees(&self, input: &FillInput<'_>, every_edge: bool, rays: &mut ContainmentScratch) -> bool {
        let agrees = |edge: u32, rays: &mut ContainmentScratch| {
            let vertex = lower_vertex(input, edge);
            let told = self.vertices.get(vertex).map_or(0, |known| known.winding);
            told == vertex_winding(input.surfaces, input.side, vertex, rays)
        };
        if every_edge {
            return self.hits.list.chunk_by(|a, b| a.edge == b.edge).all(|group| agrees(group[0].edge, rays));
        }
        input.contours.loops.iter().all(|contour| {
            let own = |key: &HitKey| key.edge_side == input.side;
            let mut keys = input.contours.segments(contour, input.intersections).map(|s| s.ends[0]);
            keys.find(own).is_none_or(|key| agrees(key.edge, rays))
        })
    }
}

fn lower_vertex(input: &FillInput<'_>, edge: u32) -> u32 {
    input.surfaces.meshes[input.side.index()].edge(edge).vertices[0]
}
