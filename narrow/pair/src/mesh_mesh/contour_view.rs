//! Contour first: one view along the area vector of each cluster of contours, over their rectangle.
//!
//! The contours say exactly what the normal is and where the patch lies; the view adds depth, volume
//! and points. No probe and no side views are needed.

use crate::tunables;
use impinge_geometry::Side;
use nalgebra::Vector3;

use super::contour_patch;
use super::intersection::{Evidence, Total, each_segment, measured};
use crate::memory::NarrowMemory;
use crate::overlap::{Set, Tip, Tips, settle};
use crate::patch::Patch;
use crate::patches::{Draft, Join, PieceKind, Pieces};
use crate::region::Region;
use crate::sampler::Eyes;
use crate::scene::{PAIR_AXES, Scene};
use impinge_image_space::columns::{Column, Columns};
use impinge_image_space::view::{Extent, View};

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
    columns: Vec<Column>,
    /// Pieces that a patch of an earlier cluster has taken in.
    taken: Vec<bool>,
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
            out.extend(contour_patch::patch(scene, evidence, members));
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
    fn join(&mut self, evidence: &Evidence<'_>, range: (usize, usize), columns: &Columns, view: &View) {
        let own = range.1 - range.0;
        let mut seen: Option<Extent> = None;
        self.members.clear();
        self.members.extend_from_slice(&self.queue[range.0..range.1]);
        for (m, piece) in evidence.pieces.list.iter().enumerate() {
            let own = self.members[..own].contains(&(m as u32));
            if own || self.taken[m] || piece.gradient == Vector3::zeros() {
                continue;
            }
            let region = || Region::of_columns(&PAIR_AXES, view, columns.list.iter()).extent;
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
        let oblique = normal.is_some_and(|n| n.dot(&view.axes.depth).abs() < tunables::OBLIQUE_VIEW);
        if joined && level < tunables::MOST_VIEWS_OF_PATCH
            || level == 0 && (oblique || (self.columns.is_empty() && !alone))
        {
            self.sets[at..end].iter().filter(|s| s.1).for_each(|s| self.taken[s.2 as usize] = true);
            let from = self.queue.len();
            self.queue.extend(self.sets[at..end].iter().map(|s| s.2));
            self.tasks.push((from, self.queue.len(), level + 1));
            return;
        }
        if self.columns.is_empty() {
            if level > 0 {
                let members: Vec<u32> = self.sets[at..end].iter().map(|s| s.2).collect();
                out.extend(contour_patch::patch(scene, evidence, &members));
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
