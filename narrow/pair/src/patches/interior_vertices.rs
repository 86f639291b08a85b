//! Interior vertices: a interior fill of the parts of both surfaces inside the other body.
//!
//! A contour's triangles have edges that go into the other body. From there the fill follows edges
//! that no contour crosses, so that contours it joins (the two rims of a ring that lies on a plane,
//! both ends of a rod through a plate) belong together, however thin the overlap is. The vertices it
//! meets on its way are inside: where no lattice is fine enough, they are the contact points.

use super::sets::{root, unite};
use crate::tunables;
use impinge_geometry::mesh::NO_FACE;
use impinge_geometry::{FacesRef, Side};
use nalgebra::{Point3, Vector3};

use impinge_exact::contour::{Contours, NO_LOOP};
use impinge_exact::id_table::IdTable;
use impinge_exact::intersect::{Intersections, Surfaces};
use impinge_exact::radix;

/// A place where an edge meets a face of the other side.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    edge: u32,
    /// The segment that it starts.
    segment: u32,
    /// Where along the edge, from its lower vertex to the other.
    at: f64,
    /// Whether the edge goes into the other body there.
    enters: bool,
    contour: u32,
    /// A triangle of the edge.
    triangle: u32,
}

/// A vertex inside the other body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct InteriorVertex {
    pub side: Side,
    pub vertex: u32,
    /// A contour whose overlap it belongs to.
    pub contour: u32,
}

impl InteriorVertex {
    /// Names a contact point at this vertex.
    pub fn key(&self) -> u64 {
        vertex_key(self.side, self.vertex)
    }
}

/// Names a contact point at a vertex.
pub(crate) fn vertex_key(side: Side, vertex: u32) -> u64 {
    0xfffe << 48 | (side.index() as u64) << 32 | u64::from(vertex)
}

/// The interior vertices of one pair, and which contours bound one overlap.
#[derive(Debug, Default)]
pub(crate) struct InteriorVertices {
    parent: Vec<u32>,
    /// Vertices inside, in the order in which they were met.
    pub inside: Vec<InteriorVertex>,
    /// Whether it went as far as it could.
    whole: bool,
    /// For each side: where its edges meet faces of the other, edge after edge.
    crossings: [Vec<Crossing>; 2],
    room: Vec<Crossing>,
    contour_of: Vec<u32>,
    /// For each side: which contour reached a vertex.
    reached: [IdTable; 2],
    /// For each side: the edges that a contour crosses.
    crossed: [IdTable; 2],
    /// For each side: where triangles are computed, the edges that the fill followed, in rising order.
    passed: [Vec<u32>; 2],
    stack: Vec<(u32, u32)>,
}

impl InteriorVertices {
    /// Forgets the last pair: every contour is by itself.
    fn clear(&mut self, contours: usize) {
        self.parent.clear();
        self.parent.extend(0..contours as u32);
        self.inside.clear();
        self.whole = true;
    }

    /// Floods both surfaces.
    pub fn run(&mut self, input: &Surfaces<'_>, intersections: &Intersections, contours: &Contours) {
        self.clear(contours.loops.len());
        contours.loops_of_segments(intersections, &mut self.contour_of);
        for side in Side::BOTH {
            self.find_crossings(input, side, intersections);
            self.seed(input.meshes[side.index()], side);
            self.spread(input.meshes[side.index()], side);
        }
        for contour in 0..self.parent.len() as u32 {
            self.parent[contour as usize] = root(&mut self.parent, contour);
        }
    }

    /// The set of a contour, named by its least member.
    pub fn of(&self, contour: u32) -> u32 {
        self.parent[contour as usize]
    }

    /// The set of the contour whose overlap a vertex is in; `None` of one that is outside, or was not met.
    pub fn overlap_of_vertex(&self, side: Side, vertex: u32) -> Option<u32> {
        self.reached[side.index()].get(vertex).map(|contour| self.of(contour))
    }

    /// Calls `f` with every stretch of an edge of one side that is inside the other body, in the overlap of a contour:
    /// the edge, and where along it the stretch begins and ends, from its lower vertex (0) to the other (1).
    pub fn inside_edges(
        &self,
        mesh: FacesRef<'_>,
        side: Side,
        component: u32,
        mut f: impl FnMut(u32, [f64; 2]),
    ) {
        let of = |contour: u32| self.of(contour) == component;
        for edge in self.crossings[side.index()].chunk_by(|a, b| a.edge == b.edge) {
            let (first, last) = (&edge[0], &edge[edge.len() - 1]);
            if !first.enters && of(first.contour) {
                f(first.edge, [0.0, first.at]);
            }
            for pair in edge.windows(2) {
                if pair[0].enters && !pair[1].enters && of(pair[0].contour) {
                    f(first.edge, [pair[0].at, pair[1].at]);
                }
            }
            if last.enters && of(last.contour) {
                f(last.edge, [last.at, 1.0]);
            }
        }
        let (reached, crossed) = (&self.reached[side.index()], &self.crossed[side.index()]);
        let mut whole = |edge: u32| {
            let inside = mesh.edge(edge).vertices.iter().all(|&v| reached.get(v).is_some_and(of));
            if inside && crossed.get(edge).is_none() {
                f(edge, [0.0, 1.0]);
            }
        };
        match mesh.is_computed() {
            true => self.passed[side.index()].iter().for_each(|&edge| whole(edge)),
            false => (0..mesh.edge_bound()).for_each(whole),
        }
    }

    /// Whether every vertex inside was met.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    fn find_crossings(&mut self, input: &Surfaces<'_>, side: Side, intersections: &Intersections) {
        let own = side.index();
        self.crossings[own].clear();
        let mesh = input.meshes[own];
        for (index, segment) in intersections.segments.iter().enumerate() {
            // Each place ends one segment and starts another: once is enough.
            let (key, point) = (&segment.ends[0], &segment.points[0]);
            let contour = self.contour_of[index];
            if key.edge_side != side || contour == NO_LOOP {
                continue;
            }
            let place = |v: u32| input.frame.place(side, &mesh.vertex(v));
            let [p, q] = mesh.edge(key.edge).vertices.map(place);
            let along = q - p;
            let normal = face_normal(input, side.other(), key.triangle);
            self.crossings[own].push(Crossing {
                edge: key.edge,
                segment: index as u32,
                at: (point - p).dot(&along) / along.norm_squared(),
                enters: along.dot(&normal) < 0.0,
                contour,
                triangle: segment.triangles[own],
            });
        }
        let InteriorVertices { crossings, room, .. } = self;
        radix::sort_by_number(&mut crossings[own], room, |crossing| u64::from(crossing.edge));
        for edge in crossings[own].chunk_by_mut(|a, b| a.edge == b.edge) {
            edge.sort_unstable_by(|a, b| a.at.total_cmp(&b.at).then(a.segment.cmp(&b.segment)));
        }
    }

    /// Joins contours along edges that run inside from one to the other; starts the fill from ends of
    /// edges that are inside.
    fn seed(&mut self, mesh: FacesRef<'_>, side: Side) {
        self.reached[side.index()].begin(mesh.vertex_bound());
        self.crossed[side.index()].begin(mesh.edge_bound());
        self.stack.clear();
        let crossings = std::mem::take(&mut self.crossings[side.index()]);
        for edge in crossings.chunk_by(|a, b| a.edge == b.edge) {
            let [low, high] = mesh.edge(edge[0].edge).vertices;
            self.crossed[side.index()].set(edge[0].edge, 0);
            for pair in edge.windows(2) {
                if pair[0].enters && !pair[1].enters {
                    unite(&mut self.parent, pair[0].contour, pair[1].contour);
                }
            }
            let (first, last) = (&edge[0], &edge[edge.len() - 1]);
            if !first.enters {
                self.reach(side, low, first.contour, first.triangle);
            }
            if last.enters {
                self.reach(side, high, last.contour, last.triangle);
            }
        }
        self.crossings[side.index()] = crossings;
    }

    /// A vertex is inside, and in the overlap of a contour.
    fn reach(&mut self, side: Side, vertex: u32, contour: u32, triangle: u32) {
        if let Some(known) = self.reached[side.index()].get(vertex) {
            if known != contour {
                unite(&mut self.parent, known, contour);
            }
            return;
        }
        if self.inside.len() < tunables::INTERIOR_VERTICES {
            self.reached[side.index()].set(vertex, contour);
            self.inside.push(InteriorVertex { side, vertex, contour });
            self.stack.push((vertex, triangle));
        } else {
            self.whole = false;
        }
    }

    /// Follows edges that no contour crosses.
    fn spread(&mut self, mesh: FacesRef<'_>, side: Side) {
        self.passed[side.index()].clear();
        while let Some((vertex, first)) = self.stack.pop() {
            let Some(contour) = self.reached[side.index()].get(vertex) else { continue };
            let mut triangle = first;
            let mut turns = 0;
            loop {
                turns += 1;
                if turns > tunables::VERTEX_FAN {
                    self.whole = false;
                    break;
                }
                let corners = mesh.vertices_of(triangle);
                let Some(k) = corners.iter().position(|&v| v == vertex) else { break };
                let edge = mesh.edges_of(triangle)[k];
                if self.crossed[side.index()].get(edge).is_none() {
                    if mesh.is_computed() {
                        self.passed[side.index()].push(edge);
                    }
                    self.reach(side, corners[(k + 1) % 3], contour, triangle);
                }
                let [p, q] = mesh.edge(edge).faces;
                triangle = if p == triangle { q } else { p };
                if triangle == NO_FACE || triangle == first {
                    break;
                }
            }
        }
        self.passed[side.index()].sort_unstable();
        self.passed[side.index()].dedup();
    }
}

fn face_normal(input: &Surfaces<'_>, side: Side, triangle: u32) -> Vector3<f64> {
    let [a, b, c]: [Point3<f64>; 3] =
        input.meshes[side.index()].corners(triangle).map(|p| input.frame.place(side, &p));
    (b - a).cross(&(c - a))
}
