//! The sums over one side's surface inside the other body, overlap by overlap.

use impinge_geometry::Side;
use nalgebra::Point3;

use super::fill::{Crossed, Fill};
use super::hits::corner_of;
use super::labels::Labels;
use super::place::place_error;
use super::sums::{Corner, Sums};
use crate::intersect::{HitKey, Intersections, Segment, Surfaces};

/// A corner of fans of one overlap, and for which polygon or edge it was chosen.
#[derive(Clone, Debug)]
pub(super) struct FanCorner {
    chosen_for: u64,
    corner: Corner,
}

/// What measuring reuses from pair to pair.
#[derive(Clone, Debug, Default)]
pub(super) struct MeasureScratch {
    /// For each label the common corner of the fans in the triangle at hand, and that of parts of the edge at hand.
    fans: Vec<Option<FanCorner>>,
    bases: Vec<Option<FanCorner>>,
    /// How many triangles, and edges of theirs, were begun.
    begun: u64,
}

impl MeasureScratch {
    pub fn begin(&mut self, labels: usize) {
        self.fans.clear();
        self.fans.resize(labels, None);
        self.bases.clear();
        self.bases.resize(labels, None);
        self.begun = 0;
    }
}

/// The corner chosen for what is at hand; `at` where there is none yet.
#[inline]
fn chosen(own: &mut Option<FanCorner>, chosen_for: u64, at: &Corner) -> Corner {
    match own {
        Some(fan) if fan.chosen_for == chosen_for => fan.corner,
        _ => {
            *own = Some(FanCorner { chosen_for, corner: *at });
            *at
        }
    }
}

/// A corner of a triangle that is inside, and the overlap that everything of the triangle that is inside belongs to.
struct Apex {
    corner: usize,
    at: Point3<f64>,
    root: u32,
}

/// One side of two surfaces that is measured.
pub(super) struct Measured<'m> {
    pub surfaces: &'m Surfaces<'m>,
    pub intersections: &'m Intersections,
    pub side: Side,
    pub fill: &'m Fill,
    pub labels: &'m Labels,
    /// Whether errors are noted.
    pub with_error: bool,
}

impl Measured<'_> {
    /// Adds what is inside to `sums`, one for each label; those of a set go to its name.
    pub fn add(&self, scratch: &mut MeasureScratch, sums: &mut [Option<Sums>]) {
        for crossed in &self.fill.crossed {
            self.polygon(crossed, scratch, sums);
            self.close(crossed, sums);
        }
        for whole in &self.fill.inside {
            let corners = self.corners(whole.triangle);
            self.triangle(&corners, self.labels.of(whole.label), whole.winding, sums);
        }
    }

    /// Closes the polygons of a triangle with segments, one for each overlap that it is in.
    fn close(&self, crossed: &Crossed, sums: &mut [Option<Sums>]) {
        let own = crossed.segments.start as usize..crossed.segments.end as usize;
        let mut last = u32::MAX;
        for by in &self.fill.segments[own] {
            let root = self.labels.of(by.label);
            if root != last
                && let Some(sums) = &mut sums[root as usize]
            {
                sums.close_polygon(self.side == Side::A);
            }
            last = root;
        }
    }

    /// The corners of a triangle (m, pair frame).
    pub fn corners(&self, triangle: u32) -> [Point3<f64>; 3] {
        self.surfaces.meshes[self.side.index()].vertices_of(triangle).map(|v| self.vertex(v))
    }

    /// Adds a whole triangle.
    pub fn triangle(&self, corners: &[Point3<f64>; 3], root: u32, winding: i32, sums: &mut [Option<Sums>]) {
        let sums = sums[root as usize].get_or_insert_with(|| Sums::new(corners[0]));
        let weight = f64::from(winding);
        let [a, b, c] = corners;
        sums.add([a, b, c], weight, self.side == Side::A);
        sums.close_polygon(self.side == Side::A);
        sums.extend(a);
        if self.with_error {
            sums.note(corners.map(Corner::vertex).each_ref(), weight, 0.0);
        }
    }

    /// A vertex where it stands (m, pair frame).
    #[inline]
    fn vertex(&self, vertex: u32) -> Point3<f64> {
        match self.fill.vertices.inside(vertex) {
            Some(known) => known.at,
            None => {
                let mesh = self.surfaces.meshes[self.side.index()];
                self.surfaces.frame.place(self.side, &mesh.vertex(vertex))
            }
        }
    }

    /// Adds the part of a triangle with segments that is inside.
    pub fn polygon(&self, crossed: &Crossed, scratch: &mut MeasureScratch, sums: &mut [Option<Sums>]) {
        if !self.with_error
            && let Some(apex) = self.apex(crossed)
        {
            return self.polygon_from(apex, crossed, sums);
        }
        scratch.begun += 1;
        let polygon = scratch.begun;
        let own = crossed.segments.start as usize..crossed.segments.end as usize;
        for by in &self.fill.segments[own] {
            let segment = &self.intersections.segments[by.segment as usize];
            let root = self.labels.of(by.label);
            let mut ends = [self.corner(segment, 0), self.corner(segment, 1)];
            let moved = ends[0].along + ends[1].along;
            if self.side == Side::B {
                ends.swap(0, 1);
            }
            let fan = chosen(&mut scratch.fans[root as usize], polygon, &ends[0]);
            self.fan(root, [&fan, &ends[0], &ends[1]], 1, moved, sums);
        }
        let mesh = self.surfaces.meshes[self.side.index()];
        for edge in mesh.edges_of(crossed.triangle) {
            scratch.begun += 1;
            self.edge(crossed.triangle, edge, polygon, scratch, sums);
        }
    }

    /// A corner inside of a triangle, if all that is inside of it belongs to one overlap.
    fn apex(&self, crossed: &Crossed) -> Option<Apex> {
        let mesh = self.surfaces.meshes[self.side.index()];
        let corners = mesh.vertices_of(crossed.triangle);
        let of_corners = corners.map(|vertex| self.fill.vertices.inside(vertex));
        let corner = of_corners.iter().position(Option::is_some)?;
        let first = of_corners[corner]?;
        let root = self.labels.of(first.label);
        let own = crossed.segments.start as usize..crossed.segments.end as usize;
        let mut labels = of_corners.iter().flatten().map(|known| known.label);
        let is_one = labels.all(|label| self.labels.of(label) == root)
            && self.fill.segments[own].iter().all(|by| self.labels.of(by.label) == root);
        is_one.then_some(Apex { corner, at: first.at, root })
    }

    /// Adds the part of a triangle that is inside as a fan from one of its corners: from there, parts of both edges beside it have no area.
    fn polygon_from(&self, Apex { corner, at, root }: Apex, crossed: &Crossed, sums: &mut [Option<Sums>]) {
        let is_a = self.side == Side::A;
        let sums = sums[root as usize].get_or_insert_with(|| Sums::new(at));
        sums.extend(&at);
        let own = crossed.segments.start as usize..crossed.segments.end as usize;
        for by in &self.fill.segments[own] {
            let [p, q] = &self.intersections.segments[by.segment as usize].points;
            sums.add(if is_a { [&at, p, q] } else { [&at, q, p] }, 1.0, is_a);
        }
        let mesh = self.surfaces.meshes[self.side.index()];
        let corners = mesh.vertices_of(crossed.triangle);
        let ends = [corners[(corner + 1) % 3], corners[(corner + 2) % 3]];
        let along = if ends[0] < ends[1] { 1 } else { -1 };
        let mut base = None;
        let mut part = |place: &Point3<f64>, weight: i32| {
            let base = *base.get_or_insert(*place);
            if base != *place {
                sums.add([&at, &base, place], f64::from(along * weight), is_a);
            }
        };
        let opposite = mesh.edges_of(crossed.triangle)[(corner + 1) % 3];
        self.fill.hits.of(opposite).iter().for_each(|hit| part(&hit.point, -hit.rise));
        for (vertex, sign) in mesh.edge(opposite).vertices.into_iter().zip([-1, 1]) {
            if let Some(known) = self.fill.vertices.inside(vertex) {
                part(&known.at, sign * known.winding);
            }
        }
    }

    /// Adds the parts of a triangle's edge that are inside.
    fn edge(
        &self,
        triangle: u32,
        edge: u32,
        polygon: u64,
        scratch: &mut MeasureScratch,
        sums: &mut [Option<Sums>],
    ) {
        let mesh = self.surfaces.meshes[self.side.index()];
        let (_, forward) = corner_of(self.surfaces, self.side, triangle, edge);
        let along = if forward { 1 } else { -1 };
        let begun = scratch.begun;
        let mut part = |root: u32, at: &Corner, weight: i32| {
            let fan = chosen(&mut scratch.fans[root as usize], polygon, at);
            let base = chosen(&mut scratch.bases[root as usize], begun, at);
            if base.at != at.at {
                self.fan(root, [&fan, &base, at], along * weight, 0.0, sums);
            }
        };
        for hit in self.fill.hits.of(edge) {
            let mut at = Corner::vertex(hit.point);
            if self.with_error {
                let key = HitKey { edge_side: self.side, edge, triangle: hit.triangle };
                let error = place_error(self.surfaces, &key);
                (at.off_plane, at.along) = (error.off_plane, error.along);
            }
            part(self.labels.of(hit.label), &at, -hit.rise);
        }
        for (vertex, sign) in mesh.edge(edge).vertices.into_iter().zip([-1, 1]) {
            if let Some(known) = self.fill.vertices.inside(vertex) {
                part(self.labels.of(known.label), &Corner::vertex(known.at), sign * known.winding);
            }
        }
    }

    fn fan(&self, root: u32, corners: [&Corner; 3], weight: i32, moved: f64, sums: &mut [Option<Sums>]) {
        let own = sums[root as usize].get_or_insert_with(|| Sums::new(corners[0].at));
        let weight = f64::from(weight);
        own.add(corners.map(|corner| &corner.at), weight, self.side == Side::A);
        if self.with_error {
            own.note(corners, weight, moved);
        }
    }

    /// An end of a segment.
    #[inline]
    fn corner(&self, segment: &Segment, end: usize) -> Corner {
        let mut corner = Corner::vertex(segment.points[end]);
        if self.with_error {
            let error = place_error(self.surfaces, &segment.ends[end]);
            (corner.off_plane, corner.along) = (error.off_plane, error.along);
        }
        corner
    }
}
