//! The connected overlaps of two surfaces.

use impinge_geometry::{Containment, Side};
use nalgebra::{Point3, Vector3};

use super::fill::{Fill, FillInput, Filled, Seeds};
use super::labels::Labels;
use super::measure::{MeasureScratch, Measured};
use super::sums::Sums;
use crate::containment::{ContainmentScratch, vertex_winding};
use crate::contour::Contours;
use crate::intersect::{Intersections, Surfaces};

/// A connected overlap of two closed surfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// The first of its contours; of what has none, further numbers.
    pub name: u32,
    /// Volume (m³); not negative.
    pub volume: f64,
    /// No more than this is the volume off by (m³); see [`OverlapSettings::with_error`].
    pub error: f64,
    /// Centroid (m, pair frame); the middle of its box where there is hardly a volume.
    pub centroid: Point3<f64>,
    /// G: area vector of A's surface inside B (m²).
    pub gradient: Vector3<f64>,
    /// Torque part: ∫ x × dA over A's surface inside B (m³), about the pair frame's origin.
    pub torque: Vector3<f64>,
    /// Areas of A's surface inside B and of B's inside A (m²).
    pub face_areas: [f64; 2],
    /// ∫ (x − centroid) · dA over A's surface inside B and over B's inside A (m³): negative of faces that look at the overlap's middle.
    pub fluxes: [f64; 2],
    /// Area vectors of those faces in one plane that have most of the area of A's surface inside B, and of B's inside A (m²).
    /// Their lengths are lower bounds, and 0 if no plane has more than half of the area.
    pub flat_areas: [Vector3<f64>; 2],
    /// Least and greatest corner of its box (m, pair frame).
    pub aabb: [Point3<f64>; 2],
}

/// A vertex inside the other body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InsideVertex {
    /// The side that it belongs to.
    pub side: Side,
    /// Its number there.
    pub vertex: u32,
    /// The overlap that it belongs to, as [`Overlaps::of_contour`] names it.
    pub overlap: u32,
    /// Where it is (m, pair frame).
    pub at: Point3<f64>,
}

/// What [`overlaps`] is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlapSettings {
    /// Triangles inside that are looked at on each side, at most: where there are more, no volume is known.
    pub most_triangles: usize,
    /// Whether the error bound is wanted, and rays are to confirm what crossings tell of surfaces that may pass through
    /// themselves. Takes about as long again. Otherwise errors are 0.
    pub with_error: bool,
}

/// The connected overlaps of two surfaces.
#[derive(Clone, Debug, Default)]
pub struct Overlaps {
    /// By their names; empty where one of the surfaces is open or they were not all met.
    pub list: Vec<Overlap>,
    /// For each contour the first one of the same overlap.
    pub of_contour: Vec<u32>,
    /// The vertices inside in the order in which they were met: of A, then of B.
    pub inside: Vec<InsideVertex>,
    /// Whether everything inside was met.
    pub whole: bool,
}

impl Overlaps {
    /// An overlap by its name.
    pub fn named(&self, name: u32) -> Option<&Overlap> {
        self.list.binary_search_by_key(&name, |overlap| overlap.name).ok().map(|at| &self.list[at])
    }

    /// Forgets what was found.
    pub fn clear(&mut self) {
        self.list.clear();
        self.of_contour.clear();
        self.inside.clear();
        self.whole = true;
    }
}

/// Buffers of the search for overlaps, reused from pair to pair: nothing is allocated once they are warm.
#[derive(Clone, Debug, Default)]
pub struct OverlapScratch {
    labels: Labels,
    fills: [Fill; 2],
    rays: ContainmentScratch,
    measure: MeasureScratch,
    sums: Vec<Option<Sums>>,
    /// Of each side: shells inside without a contour, each with its winding number and label.
    contained: [Vec<(u32, i32, u32)>; 2],
    crossing: Vec<u32>,
    /// The contour of each segment.
    loops: Vec<u32>,
}

/// The parts of two surfaces that bound their overlaps, as [`overlaps`] has found them for one
/// pair.
#[derive(Clone, Copy, Debug)]
pub struct FilledOverlaps<'s> {
    pub(super) surfaces: &'s Surfaces<'s>,
    pub(super) intersections: &'s Intersections,
    scratch: &'s OverlapScratch,
}

/// Finds the connected overlaps of two surfaces from their contours and returns the parts of the
/// surfaces that bound them.
///
/// The content of `out` is replaced. `contained` is the answer of
/// [`crate::containment::containment`]. If a surface is open, only the parts that contours enclose
/// are joined and filled.
pub fn overlaps<'s>(
    input: &'s Surfaces<'s>,
    (intersections, contours): (&'s Intersections, &Contours),
    contained: Containment,
    settings: &OverlapSettings,
    scratch: &'s mut OverlapScratch,
    out: &mut Overlaps,
) -> FilledOverlaps<'s> {
    let span = tracing::debug_span!("overlaps", found = tracing::field::Empty);
    let _entered = span.enter();
    out.clear();
    let closed = input.meshes.iter().all(|mesh| mesh.is_closed()) && contours.all_closed;
    scratch.labels.begin(contours.loops.len());
    let mut loops = std::mem::take(&mut scratch.loops);
    contours.loops_of_segments(intersections, &mut loops);
    for side in Side::BOTH {
        let seeds = if closed { Seeds::Hits } else { Seeds::HitsOnly };
        let most_triangles = settings.most_triangles;
        let fill = FillInput {
            surfaces: input,
            intersections,
            contours,
            loops: &loops,
            side,
            seeds,
            most_triangles,
        };
        out.whole &= scratch.fill(fill, settings.with_error);
        scratch.contained[side.index()].clear();
        if closed && contained != Containment::None {
            scratch.contain(input, intersections, side);
        }
    }
    scratch.loops = loops;
    scratch.labels.settle();
    if closed && out.whole {
        scratch.measure(input, intersections, settings.with_error);
        scratch.fill_cavities();
        scratch.sums.iter().enumerate().for_each(|(name, sums)| {
            out.list.extend(sums.as_ref().map(|sums| overlap(name as u32, sums, settings.with_error)));
        });
    }
    let labels = &scratch.labels;
    out.of_contour.extend((0..contours.loops.len() as u32).map(|label| labels.of(label)));
    for side in Side::BOTH {
        let known = &scratch.fills[side.index()].vertices.list;
        out.inside.extend(known.iter().filter(|known| known.winding != 0).map(|known| InsideVertex {
            side,
            vertex: known.vertex,
            overlap: labels.of(known.label),
            at: known.at,
        }));
    }
    span.record("found", out.list.len());
    FilledOverlaps { surfaces: input, intersections, scratch }
}

impl<'s> FilledOverlaps<'s> {
    /// Calls `visit` with the name of an overlap that has a contour, and a triangle of one side
    /// that bounds it.
    ///
    /// Overlaps are named as in [`Overlaps::of_contour`]. Triangles that a contour crosses come
    /// first. Each of them is visited for all of its overlaps, perhaps several times.
    pub fn triangles(&self, side: Side, mut visit: impl FnMut(u32, u32)) {
        let (fill, labels) = self.filled(side);
        fill.segments.iter().for_each(|by| visit(labels.of(by.label), by.triangle));
        fill.inside.iter().for_each(|whole| visit(labels.of(whole.label), whole.triangle));
    }

    /// Calls `visit` with the contours' segments in a triangle of one side. Returns whether it has
    /// any; a triangle without is inside as a whole, or outside.
    pub fn segments_in(&self, side: Side, triangle: u32, mut visit: impl FnMut(u32)) -> bool {
        let (fill, _) = self.filled(side);
        let crossed = fill.crossed.binary_search_by_key(&triangle, |crossed| crossed.triangle);
        let Ok(at) = crossed else { return false };
        let own = &fill.crossed[at].segments;
        let own = &fill.segments[own.start as usize..own.end as usize];
        own.iter().for_each(|by| visit(by.segment));
        true
    }

    /// Returns the part of one side inside the other body, and the names of its overlaps.
    pub(super) fn filled(&self, side: Side) -> (&'s Fill, &'s Labels) {
        (&self.scratch.fills[side.index()], &self.scratch.labels)
    }
}

impl OverlapScratch {
    /// Fills one side; whether everything inside was met.
    fn fill(&mut self, mut input: FillInput<'_>, confirm: bool) -> bool {
        let OverlapScratch { labels, fills, rays, .. } = self;
        let fill = &mut fills[input.side.index()];
        let mut filled = fill.run(&input, labels, rays);
        if input.seeds == Seeds::HitsOnly {
            return filled == Filled::Whole;
        }
        let parts = input.surfaces.meshes[input.side.other().index()].shells().len();
        if filled == Filled::Whole && confirm && !fill.agrees(&input, parts > 1, rays) {
            filled = Filled::Conflict;
        }
        if filled == Filled::Conflict {
            input.seeds = Seeds::Rays;
            filled = fill.run(&input, labels, rays);
        }
        filled == Filled::Whole
    }

    /// Finds the shells of one side without a contour that are inside.
    fn contain(&mut self, input: &Surfaces<'_>, intersections: &Intersections, side: Side) {
        let OverlapScratch { labels, rays, contained, crossing, .. } = self;
        let mesh = input.meshes[side.index()];
        crossing.clear();
        crossing.extend(intersections.segments.iter().map(|s| mesh.shell_of(s.triangles[side.index()])));
        crossing.sort_unstable();
        crossing.dedup();
        for (shell, &triangle) in mesh.shells().iter().enumerate() {
            if crossing.binary_search(&(shell as u32)).is_err() {
                let winding = vertex_winding(input, side, mesh.vertices_of(triangle)[0], rays);
                if winding != 0 {
                    contained[side.index()].push((shell as u32, winding, labels.add()));
                }
            }
        }
    }

    /// Adds up what both sides have inside.
    fn measure(&mut self, surfaces: &Surfaces<'_>, intersections: &Intersections, with_error: bool) {
        let OverlapScratch { labels, fills, measure, sums, contained, .. } = self;
        measure.begin(labels.len());
        sums.clear();
        sums.resize(labels.len(), None);
        for side in Side::BOTH {
            let fill = &fills[side.index()];
            let own = Measured { surfaces, intersections, side, fill, labels, with_error };
            own.add(measure, sums);
            let contained = &contained[side.index()];
            if contained.is_empty() {
                continue;
            }
            let mesh = surfaces.meshes[side.index()];
            for triangle in mesh.triangles() {
                let shell = mesh.shell_of(triangle);
                if let Ok(at) = contained.binary_search_by_key(&shell, |c| c.0) {
                    let (_, winding, label) = contained[at];
                    let corners = mesh.corners(triangle).map(|v| surfaces.frame.place(side, &v));
                    own.triangle(&corners, labels.of(label), winding, sums);
                }
            }
        }
    }

    /// Cavities, whose surfaces bound a negative volume, belong to the smallest overlap around them.
    fn fill_cavities(&mut self) {
        let OverlapScratch { labels, sums, .. } = self;
        let mut joined = false;
        for at in 0..sums.len() {
            let Some(own) = sums[at].as_ref().filter(|own| own.volume() < 0.0) else { continue };
            // Corners in one plane are computed one by one: a hole through a plate reaches from face to face but for their
            // rounding.
            let size = |sums: &Sums| (sums.high - sums.low).norm();
            let reach = own.low.coords.amax().max(own.high.coords.amax());
            let rounding = 1e-6 * size(own) + 64.0 * f64::EPSILON * reach;
            let holds = |other: &Sums| {
                (other.low - own.low).sup(&(own.high - other.high)).max() <= rounding && other.volume() > 0.0
            };
            let around = (0..sums.len())
                .filter_map(|other| Some((other, size(sums[other].as_ref().filter(|sums| holds(sums))?))))
                .min_by(|(_, p), (_, q)| p.total_cmp(q));
            if let Some((around, _)) = around {
                labels.unite(at as u32, around as u32);
                let (first, second) = (at.min(around), at.max(around));
                let taken = sums[second].take();
                if let (Some(first), Some(taken)) = (sums[first].as_mut(), taken) {
                    first.merge(&taken);
                }
                joined = true;
            }
        }
        if joined {
            labels.settle();
        }
    }
}

fn overlap(name: u32, sums: &Sums, with_error: bool) -> Overlap {
    let volume = sums.volume();
    // A cavity with nothing around it is counted as nothing.
    let error = if with_error { sums.error() + (-volume).max(0.0) } else { 0.0 };
    let middle = nalgebra::center(&sums.low, &sums.high);
    let centroid = Point3::from(sums.moment() / volume);
    let inside = (0..3).all(|k| sums.low[k] <= centroid[k] && centroid[k] <= sums.high[k]);
    let centroid = if volume > error && inside { centroid } else { middle };
    Overlap {
        name,
        volume: volume.max(0.0),
        error,
        centroid,
        gradient: sums.area,
        torque: sums.torque(),
        face_areas: sums.face_areas,
        fluxes: sums.fluxes(&centroid),
        flat_areas: sums.flat_areas(),
        aabb: [sums.low, sums.high],
    }
}
