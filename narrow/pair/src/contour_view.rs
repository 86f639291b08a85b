//! Contour first: one view along the area vector of each cluster of contours, over their rectangle.
//!
//! The contours say exactly what the normal is and where the patch lies; the view adds depth, volume
//! and points. No probe and no side views are needed.

use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use crate::NarrowMemory;
use crate::depth::{Tip, Tips};
use crate::patch::Patch;
use crate::patches::{Draft, Flood, Join, PieceKind, Pieces};
use crate::region::Region;
use crate::scene::{Eyes, Scene};
use crate::settle::{Set, settle};
use crate::witness;
use impinge_exact::contour::Contours;
use impinge_exact::intersect::StreamOut;
use impinge_image_space::intervals::{OverlapInterval, OverlapIntervals, Sums};
use impinge_image_space::view::{Axes, Extent, View};

/// A patch whose normal is farther than this from the view is viewed again: cosine of 20°.
const OBLIQUE: f64 = 0.939_692_620_785_908_4;

/// A patch that takes in pieces of other clusters is viewed again, at most this often.
const MOST_VIEWS: u32 = 3;

/// Axes of the pair frame.
const FRAME: Axes = Axes {
    right: Vector3::new(1.0, 0.0, 0.0),
    up: Vector3::new(0.0, 1.0, 0.0),
    depth: Vector3::new(0.0, 0.0, 1.0),
};

/// Of opposed contours (both ends of a hole) less than this part of their area is left: they have no
/// normal of their own. A thin ring's has little left too, but that is exact.
const OPPOSED: f64 = 1e-6;

/// What the exact stream found.
#[derive(Clone, Copy)]
pub(super) struct Evidence<'a> {
    pub stream: &'a StreamOut,
    pub contours: &'a Contours,
    pub pieces: &'a Pieces,
    pub flood: &'a Flood,
}

/// Buffers of this pass.
#[derive(Debug, Default)]
pub(crate) struct ContourViews {
    join: Join,
    /// Pieces of every view still to be made, one after another.
    queue: Vec<u32>,
    /// For each view: where its pieces begin and end in `queue`, and how often they were viewed.
    tasks: Vec<(usize, usize, u32)>,
    /// Members of the view at hand with their sets, and whether they are of another cluster.
    sets: Vec<(u32, bool, u32)>,
    members: Vec<u32>,
    columns: Vec<OverlapInterval>,
    /// Pieces that a patch of an earlier cluster has taken in.
    taken: Vec<bool>,
}

/// Sums over some pieces.
#[derive(Clone, Copy)]
pub(super) struct Total {
    pub gradient: Vector3<f64>,
    pub torque: Vector3<f64>,
    /// The largest single area vector (m²) and its length.
    pub largest: Vector3<f64>,
    pub extent: Extent,
}

impl Total {
    pub fn of(pieces: &Pieces, members: impl Iterator<Item = u32>) -> Total {
        let zero = Vector3::zeros();
        let mut total = Total { gradient: zero, torque: zero, largest: zero, extent: Extent::EMPTY };
        for m in members {
            let piece = &pieces.list[m as usize];
            total.gradient += piece.gradient;
            total.torque += piece.torque;
            if piece.gradient.norm_squared() > total.largest.norm_squared() {
                total.largest = piece.gradient;
            }
            total.extent.merge(&piece.extent);
        }
        total
    }

    /// Whether there is an area at all, beyond what rounding makes of none.
    pub fn has_area(&self, least: f64) -> bool {
        let size = self.extent.longest();
        self.largest.norm() > (size * least).max(size * size * 1e-12)
    }

    /// The normal, where the contours do not oppose each other.
    pub fn normal(&self) -> Option<Vector3<f64>> {
        let area = self.gradient.norm();
        (area > OPPOSED * self.largest.norm()).then(|| self.gradient / area)
    }

    /// The normal of a ring, as a bowl's rim leaves it on a table: the area vectors of its outer and
    /// inner contour nearly cancel, but what is left of them is all the area that the overlap has. (Of
    /// a rod through a hole far less is left than the overlap shows from the end.)
    fn ring_normal(&self, view: &View, columns: &[OverlapInterval]) -> Option<Vector3<f64>> {
        let seen = columns.iter().filter(|c| !c.is_touch()).count() as f64 * view.pixel[0] * view.pixel[1];
        let along = self.gradient.dot(&view.axes.depth).abs();
        (seen > 0.0 && along > 0.5 * seen).then(|| self.gradient.normalize())
    }
}

impl ContourViews {
    /// Begins a pair: no piece is taken.
    pub fn begin(&mut self, pieces: &Pieces) {
        self.taken.clear();
        self.taken.resize(pieces.list.len(), false);
    }

    /// The patches of one cluster, together with what other clusters have to do with them.
    pub fn cluster(
        &mut self,
        scene: &Scene<'_>,
        evidence: &Evidence<'_>,
        cluster: usize,
        memory: &mut NarrowMemory,
        eyes: &mut Eyes,
        out: &mut Vec<Patch>,
    ) {
        self.queue.clear();
        self.tasks.clear();
        let members = &evidence.pieces.members[evidence.pieces.cluster_members(cluster)];
        self.queue.extend(members.iter().filter(|&&m| !self.taken[m as usize]));
        if self.queue.is_empty() {
            return;
        }
        self.tasks.push((0, self.queue.len(), 0));
        let span =
            tracing::trace_span!("patches", pieces = self.queue.len(), patches = tracing::field::Empty);
        let _entered = span.enter();
        let before = out.len();
        let mut next = 0;
        while let Some(&task) = self.tasks.get(next) {
            self.view(scene, evidence, task, memory, eyes, out);
            next += 1;
        }
        if out.len() == before {
            let members = &self.queue[..self.tasks[0].1];
            out.extend(witness::patch(scene, evidence, members));
        }
        span.record("patches", out.len() - before);
    }

    /// Makes one view of some pieces: patches of the sets of columns that they lie in, and further
    /// views of sets that this one does not show well.
    fn view(
        &mut self,
        scene: &Scene<'_>,
        evidence: &Evidence<'_>,
        (from, to, level): (usize, usize, u32),
        memory: &mut NarrowMemory,
        eyes: &mut Eyes,
        out: &mut Vec<Patch>,
    ) {
        let members = self.queue[from..to].iter().copied();
        let total = Total::of(evidence.pieces, members);
        if !total.has_area(scene.least) {
            return;
        }
        let direction = total.normal().unwrap_or_else(|| total.largest.normalize());
        let members = &self.queue[from..to];
        let (mut view, serial) = memory.view(scene, &direction, |visit| {
            for &m in members {
                each_segment(evidence, m, |p, q| {
                    visit(p);
                    visit(q);
                });
            }
        });
        eyes.wide.look_first(scene, &mut view, memory.expects_glance());
        self.join(evidence, (from, to), &eyes.wide.columns, &view);
        let mut at = 0;
        while at < self.sets.len() {
            let set = self.sets[at].0;
            let end = at + self.sets[at..].iter().take_while(|s| s.0 == set).count();
            self.set(scene, evidence, (at, end), (&view, serial, level), eyes, out);
            at = end;
        }
        memory.saw(eyes.wide.glanced);
    }

    /// Joins columns and pieces, and sorts the pieces by their sets. Pieces of other clusters join what
    /// they pass: the far end of a hole has its own contour.
    fn join(
        &mut self,
        evidence: &Evidence<'_>,
        range: (usize, usize),
        columns: &OverlapIntervals,
        view: &View,
    ) {
        let own = range.1 - range.0;
        let mut seen: Option<Extent> = None;
        self.members.clear();
        self.members.extend_from_slice(&self.queue[range.0..range.1]);
        for (m, piece) in evidence.pieces.list.iter().enumerate() {
            let own = self.members[..own].contains(&(m as u32));
            if own || self.taken[m] || piece.gradient == Vector3::zeros() {
                continue;
            }
            let region = || Region::of_columns(&FRAME, view, columns.list.iter()).extent;
            if piece.extent.overlaps(seen.get_or_insert_with(region)) {
                self.members.push(m as u32);
            }
        }
        self.join.columns(columns, self.members.len());
        for (index, &m) in self.members.iter().enumerate() {
            each_segment(evidence, m, |p, q| self.join.segment(columns, view, index, p, q));
        }
        for (index, &m) in self.members.iter().enumerate() {
            let Some(component) = evidence.pieces.list[m as usize].component else { continue };
            let same = |&n: &u32| evidence.pieces.list[n as usize].component == Some(component);
            if let Some(first) = self.members[..index].iter().position(same) {
                self.join.loops(first, index);
            }
        }
        self.sets.clear();
        for (index, &m) in self.members.iter().enumerate() {
            self.sets.push((self.join.of_loop(index), index >= own, m));
        }
        self.sets.sort_unstable();
    }

    /// One set: a patch, or another view.
    fn set(
        &mut self,
        scene: &Scene<'_>,
        evidence: &Evidence<'_>,
        (at, end): (usize, usize),
        (view, serial, level): (&View, u16, u32),
        eyes: &mut Eyes,
        out: &mut Vec<Patch>,
    ) {
        let (set, foreign, _) = self.sets[at];
        if foreign {
            return;
        }
        let joined = self.sets[at..end].iter().any(|s| s.1);
        let total = Total::of(evidence.pieces, self.sets[at..end].iter().map(|s| s.2));
        self.columns.clear();
        for (index, column) in eyes.wide.columns.list.iter().enumerate() {
            if self.join.of_column(index) == set {
                self.columns.push(*column);
            }
        }
        if !total.has_area(scene.least) {
            return;
        }
        let alone = at == 0 && end == self.sets.len();
        let normal = total.normal().or_else(|| total.ring_normal(view, &self.columns));
        let oblique = normal.is_some_and(|n| n.dot(&view.axes.depth).abs() < OBLIQUE);
        if joined && level < MOST_VIEWS || level == 0 && (oblique || (self.columns.is_empty() && !alone)) {
            self.sets[at..end].iter().filter(|s| s.1).for_each(|s| self.taken[s.2 as usize] = true);
            let from = self.queue.len();
            self.queue.extend(self.sets[at..end].iter().map(|s| s.2));
            self.tasks.push((from, self.queue.len(), level + 1));
            return;
        }
        if self.columns.is_empty() {
            if level > 0 {
                let members: Vec<u32> = self.sets[at..end].iter().map(|s| s.2).collect();
                out.extend(witness::patch(scene, evidence, &members));
            }
            return;
        }
        let known = Draft {
            normal: normal.unwrap_or(view.axes.depth),
            gradient: total.gradient,
            torque: total.torque,
            volume: normal.and_then(|_| measured(view, &self.columns, &total.gradient)),
            solid: scene.both_closed(),
            wraps: false,
            serial,
        };
        let tips = tips(scene, evidence, self.sets[at..end].iter().map(|s| s.2), &known.normal);
        let set =
            Set { view, columns: &self.columns, tips: &tips, draft: &known, has_normal: normal.is_some() };
        settle(scene, &set, eyes, out);
    }
}

/// Of the vertices inside in the overlap of some pieces, A's farthest along the normal and B's farthest
/// against it; and how far both surfaces reach, whose ends are such vertices or on the contours.
fn tips(
    scene: &Scene<'_>,
    evidence: &Evidence<'_>,
    members: impl Iterator<Item = u32> + Clone,
    normal: &Vector3<f64>,
) -> Tips {
    let Evidence { contours, pieces, flood, .. } = *evidence;
    let mut tips = Tips::default();
    let (mut top, mut bottom) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut known = flood.is_whole() && scene.both_closed();
    for m in members.clone() {
        let closed = |index: u32| contours.loops[index as usize].closed;
        known &= matches!(pieces.list[m as usize].kind, PieceKind::Loop(index) if closed(index));
        each_segment(evidence, m, |p, _| {
            let along = p.coords.dot(normal);
            (top, bottom) = (top.max(along), bottom.min(along));
        });
    }
    for inside in &flood.inside {
        let component = Some(flood.of(inside.contour));
        if !members.clone().any(|m| pieces.list[m as usize].component == component) {
            continue;
        }
        let Some(at) = scene.vertex(inside.side, inside.vertex) else { continue };
        let along = at.coords.dot(normal);
        let own = &mut tips.list[inside.side.index()];
        let farther = own.is_none_or(|tip: Tip| {
            let beyond = along - tip.at.coords.dot(normal);
            if inside.side == Side::A { beyond > 0.0 } else { beyond < 0.0 }
        });
        if farther {
            *own = Some(Tip { at, key: inside.key() });
        }
    }
    let along = |side: Side| tips.list[side.index()].map(|tip| tip.at.coords.dot(normal));
    let span = [along(Side::A).map_or(top, |a| a.max(top)), along(Side::B).map_or(bottom, |b| b.min(bottom))];
    Tips { span: known.then_some(span), ..tips }
}

/// Volume of columns and its centroid. How many columns there are is right to a pixel only, and where
/// they are about equally long, that is the volume's error too: the exact area mends it. `None` of no
/// volume.
pub(super) fn measured(
    view: &View,
    columns: &[OverlapInterval],
    gradient: &Vector3<f64>,
) -> Option<(f64, Point3<f64>)> {
    let mut sums = Sums::default();
    columns.iter().for_each(|c| sums.add(c));
    let centroid = sums.centroid(view)?;
    let volume = sums.volume(view);
    let longest = columns.iter().map(OverlapInterval::length).max()? as f64 * view.step;
    let fullness = volume / (longest * view.pixel_area() * sums.overlaps as f64);
    let ratio = gradient.dot(&view.axes.depth) / sums.gradient(view);
    Some((mended(volume, fullness, ratio), centroid))
}

/// A volume that was measured by columns, with the error of their number taken out: `fullness` is what the volume
/// is of a prism over the columns, as high as the longest, and `ratio` their exact area by what they cover. The fuller
/// the prism, the more of the volume's error is the area's.
pub fn mended(volume: f64, fullness: f64, ratio: f64) -> f64 {
    let ratio = if (0.75..=1.5).contains(&ratio) { ratio } else { 1.0 };
    let share = (2.0 * fullness - 1.0).clamp(0.0, 1.0);
    volume * (1.0 + (ratio - 1.0) * share)
}

/// Calls `f` with the ends of every segment of a piece.
pub(super) fn each_segment(
    evidence: &Evidence<'_>,
    piece: u32,
    mut f: impl FnMut(&Point3<f64>, &Point3<f64>),
) {
    match evidence.pieces.list[piece as usize].kind {
        PieceKind::Loop(index) => {
            let contour = &evidence.contours.loops[index as usize];
            for s in evidence.contours.segments(contour, evidence.stream) {
                f(&s.points[0], &s.points[1]);
            }
        }
        PieceKind::Face(index) => {
            let pair = &evidence.stream.degenerate[index as usize];
            if let impinge_exact::intersect::TouchKind::Coplanar(face) = &pair.kind {
                let corners =
                    &evidence.stream.polygons[face.polygon.start as usize..face.polygon.end as usize];
                for (k, p) in corners.iter().enumerate() {
                    f(p, &corners[(k + 1) % corners.len()]);
                }
            }
        }
        PieceKind::Touch(index) => {
            let pair = &evidence.stream.degenerate[index as usize];
            f(&pair.points[0], &pair.points[1]);
        }
    }
}
