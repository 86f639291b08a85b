//! Contour first: one view along the area vector of each cluster of contours, over their rectangle.
//!
//! The contours say exactly what the normal is and where the patch lies; the view adds depth, volume
//! and points. No coarse views and no side views are needed.

use crate::tunables;
use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use super::contour_patch;
use super::corners::to_corners;
use super::intersection::{SurfaceIntersection, Total, each_segment, measured};
use super::open_bounds::{self, OpenBounds};
use super::overlap_owners::OverlapOwners;
use super::overlap_triangles::OverlapTriangles;
use super::piece_view;
use super::sectors::Sectors;
use super::vertex_points::VertexPoints;
use crate::memory::NarrowMemory;
use crate::overlap::{ExtremeVertex, ExtremeVertices, OverlapSample, is_small, resolve_patch};
use crate::patch::Patch;
use crate::patches::{FeatureKind, Features, Join, PatchSeed};
use crate::region::Region;
use crate::sampler::Samplers;
use crate::scene::{PAIR_AXES, Scene};
use impinge_image_space::intervals::{OverlapInterval, OverlapIntervals};
use impinge_image_space::view::{Extent, View};

/// Buffers of this pass.
#[derive(Debug, Default)]
pub(crate) struct ContourViews {
    join: Join,
    /// Features of every view still to be sampled, one after another.
    queue: Vec<u32>,
    /// For each view: where its features begin and end in `queue`, and how often they were sampled.
    tasks: Vec<(usize, usize, u32)>,
    /// Members of the view at hand with their sets, and whether they are of another cluster.
    sets: Vec<(u32, bool, u32)>,
    members: Vec<u32>,
    columns: Vec<OverlapInterval>,
    /// Features that a patch of an earlier cluster has taken in.
    taken: Vec<bool>,
    /// Which features are the view's own, and their clusters.
    own: Vec<bool>,
    clusters: Vec<[u32; 2]>,
    /// Members by the overlap that they are contours of.
    components: Vec<(u32, usize)>,
    bounds: OpenBounds,
    owners: OverlapOwners,
    triangles: OverlapTriangles,
    sectors: Sectors,
    vertices: VertexPoints,
    /// The overlaps that a patch is of.
    overlaps: Vec<u32>,
}

impl ContourViews {
    /// Begins a pair: no feature is taken. Returns the only access to the views.
    pub fn begin(&mut self, scene: &Scene<'_>, features: &Features) -> PairViews<'_> {
        self.bounds = OpenBounds::of_pair(scene);
        self.owners.begin();
        self.triangles.begin();
        self.sectors.begin();
        self.taken.clear();
        self.taken.resize(features.list.len(), false);
        PairViews { views: self, is_cut: false }
    }
}

/// The views of one pair.
pub(crate) struct PairViews<'v> {
    views: &'v mut ContourViews,
    is_cut: bool,
}

impl PairViews<'_> {
    /// Adds the patches of one cluster to `out`, together with the features of other clusters that
    /// share them.
    pub fn cluster(
        &mut self,
        scene: &Scene<'_>,
        intersection: &SurfaceIntersection<'_>,
        cluster: usize,
        memory: &mut NarrowMemory,
        samplers: &mut Samplers,
        out: &mut Vec<Patch>,
    ) {
        self.is_cut |= self.views.cluster(scene, intersection, cluster, memory, samplers, out);
    }

    /// Returns whether a contour was cut into pieces.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }
}

impl ContourViews {
    /// Adds the patches of one cluster to `out` and returns whether one of its contours was cut
    /// into pieces.
    fn cluster(
        &mut self,
        scene: &Scene<'_>,
        intersection: &SurfaceIntersection<'_>,
        cluster: usize,
        memory: &mut NarrowMemory,
        samplers: &mut Samplers,
        out: &mut Vec<Patch>,
    ) -> bool {
        self.queue.clear();
        self.tasks.clear();
        let members = &intersection.features.members[intersection.features.cluster_members(cluster)];
        let is_loop = |m: u32| matches!(intersection.features.list[m as usize].kind, FeatureKind::Loop(_));
        let (mut loops, mut cut) = (0, 0);
        for &m in members.iter().filter(|&&m| is_loop(m)) {
            loops += 1;
            if !self.taken[m as usize] && piece_view::patches(scene, intersection, m, memory, samplers, out) {
                self.taken[m as usize] = true;
                cut += 1;
            }
        }
        if cut > 0 && cut == loops {
            // Faces and edges at the border of the overlaps are no contacts beside them.
            members.iter().for_each(|&m| self.taken[m as usize] = true);
        }
        self.queue.extend(members.iter().filter(|&&m| !self.taken[m as usize]));
        if self.queue.is_empty() {
            return cut > 0;
        }
        self.tasks.push((0, self.queue.len(), 0));
        let span =
            tracing::trace_span!("patches", features = self.queue.len(), patches = tracing::field::Empty);
        let _entered = span.enter();
        let before = out.len();
        let mut next = 0;
        while let Some(&task) = self.tasks.get(next) {
            self.view(scene, intersection, task, memory, samplers, out);
            next += 1;
        }
        if out.len() == before {
            let members = &self.queue[..self.tasks[0].1];
            let bounds = self.bounds.of(scene, intersection, members);
            out.extend(contour_patch::patch(scene, intersection, members, bounds.as_ref()));
        }
        span.record("patches", out.len() - before);
        cut > 0
    }

    /// Samples one view of some features: patches of the sets of columns that they lie in, and further
    /// views of sets that this one does not show well.
    fn view(
        &mut self,
        scene: &Scene<'_>,
        intersection: &SurfaceIntersection<'_>,
        (from, to, level): (usize, usize, u32),
        memory: &mut NarrowMemory,
        samplers: &mut Samplers,
        out: &mut Vec<Patch>,
    ) {
        let members = self.queue[from..to].iter().copied();
        let total = Total::of(intersection.features, members);
        if !total.has_area(scene.least) {
            return;
        }
        let direction = total.normal().unwrap_or_else(|| total.largest.normalize());
        let few = intersection.features.clusters() == 1
            || self.queue[from..to].iter().all(|&m| OverlapTriangles::is_known(scene, intersection, m));
        let look = ((from, to), &direction);
        let (mut view, mut serial) = self.look(scene, intersection, look, few, memory, samplers);
        let several = self.sets.iter().any(|set| set.0 != self.sets[0].0);
        if several && few && view.count != [scene.coarse(); 2] {
            memory.forget_last();
            (view, serial) = self.look(scene, intersection, look, false, memory, samplers);
        }
        let mut at = 0;
        while at < self.sets.len() {
            let set = self.sets[at].0;
            let end = at + self.sets[at..].iter().take_while(|s| s.0 == set).count();
            self.set(scene, intersection, (at, end), (&view, serial, level), samplers, out);
            at = end;
        }
    }

    /// Samples a view of some features along a direction, with fewer lines where these will do (`few`), and joins its columns with them.
    fn look(
        &mut self,
        scene: &Scene<'_>,
        intersection: &SurfaceIntersection<'_>,
        (range, direction): ((usize, usize), &Vector3<f64>),
        few: bool,
        memory: &mut NarrowMemory,
        samplers: &mut Samplers,
    ) -> (View, u16) {
        let members = &self.queue[range.0..range.1];
        let each = |visit: &mut dyn FnMut(&Point3<f64>)| {
            for &m in members {
                each_segment(intersection, m, |p, q| {
                    visit(p);
                    visit(q);
                });
            }
        };
        let (view, serial) = memory.sample(scene, direction, each, few, samplers);
        self.join(intersection, range, &samplers.wide.columns, &view);
        (view, serial)
    }

    /// Joins columns and features, and sorts the features by their sets. Features of other clusters join what
    /// they pass: the far end of a hole has its own contour.
    fn join(
        &mut self,
        intersection: &SurfaceIntersection<'_>,
        range: (usize, usize),
        columns: &OverlapIntervals,
        view: &View,
    ) {
        let own = range.1 - range.0;
        let mut seen: Option<Extent> = None;
        self.members.clear();
        self.members.extend_from_slice(&self.queue[range.0..range.1]);
        self.own.clear();
        self.own.resize(intersection.features.list.len(), false);
        self.clusters.clear();
        for &m in &self.members {
            self.own[m as usize] = true;
            self.clusters.push(intersection.features.cluster_of(m));
        }
        self.clusters.sort_unstable();
        self.clusters.dedup();
        for (m, feature) in intersection.features.list.iter().enumerate() {
            if self.own[m] || self.taken[m] || feature.gradient == Vector3::zeros() {
                continue;
            }
            // Faces that only meet were set apart from the overlap beside them, and stay so.
            let [family, group] = intersection.features.cluster_of(m as u32);
            if self.clusters.iter().any(|own| own[0] == family && own[1] != group) {
                continue;
            }
            // The overlap with the other face of a corner is a contact of its own.
            if self.members.iter().any(|&own| intersection.features.are_in_corner(m as u32, own)) {
                continue;
            }
            let region = || Region::of_columns(&PAIR_AXES, view, columns.list.iter()).extent;
            if feature.extent.overlaps(seen.get_or_insert_with(region)) {
                self.members.push(m as u32);
            }
        }
        self.join.columns(columns, self.members.len());
        for (index, &m) in self.members.iter().enumerate() {
            each_segment(intersection, m, |p, q| self.join.segment(columns, view, index, p, q));
        }
        self.components.clear();
        for (index, &m) in self.members.iter().enumerate() {
            let component = intersection.features.list[m as usize].component;
            self.components.extend(component.map(|component| (component, index)));
        }
        self.components.sort_unstable();
        for same in self.components.chunk_by(|a, b| a.0 == b.0) {
            same[1..].iter().for_each(|other| self.join.loops(same[0].1, other.1));
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
        intersection: &SurfaceIntersection<'_>,
        (at, end): (usize, usize),
        (view, serial, level): (&View, u16, u32),
        samplers: &mut Samplers,
        out: &mut Vec<Patch>,
    ) {
        let (set, foreign, _) = self.sets[at];
        if foreign {
            return;
        }
        let joined = self.sets[at..end].iter().any(|s| s.1);
        let total = Total::of(intersection.features, self.sets[at..end].iter().map(|s| s.2));
        self.columns.clear();
        for (index, column) in samplers.wide.columns.list.iter().enumerate() {
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
        let members: Vec<u32> = self.sets[at..end].iter().map(|s| s.2).collect();
        let bounds = self.bounds.of(scene, intersection, &members);
        if members.iter().all(|&m| intersection.features.is_flush(m)) {
            // Beside faces that only meet there is an overlap, which is another's.
            self.columns.retain(OverlapInterval::is_touch);
        }
        if let Some(extent) = &bounds {
            self.columns.retain(|column| {
                [column.begin(), column.end()]
                    .iter()
                    .all(|z| open_bounds::holds(extent, &view.place(column.i, column.j, f64::from(*z))))
            });
        }
        self.leave_to_others(scene, intersection, &members);
        if self.columns.is_empty() {
            if level > 0 || bounds.is_some() {
                out.extend(contour_patch::patch(scene, intersection, &members, bounds.as_ref()));
            }
            return;
        }
        let known = PatchSeed {
            normal: normal.unwrap_or(view.axes.depth),
            gradient: total.gradient,
            torque: total.torque,
            volume: normal
                .filter(|_| scene.counts_once())
                .and_then(|_| measured(view, &self.columns, &total.gradient)),
            solid: scene.both_closed(),
            wraps: false,
            serial,
        };
        let extremes = extremes(scene, intersection, members.iter().copied(), &known.normal);
        let longest = longest(view, &known.normal, &extremes);
        if self.columns.iter().any(|column| column.length() as f64 * view.step <= longest) {
            self.columns.retain(|column| column.length() as f64 * view.step <= longest);
        }
        let is_small = is_small(scene, view);
        let is_narrow = !is_small && scene.both_closed() && VertexPoints::is_narrow(view, self.columns.len());
        // Others are not asked about their triangles.
        let asked = is_small || is_narrow;
        let triangles = asked.then(|| self.triangles.of(scene, intersection, &members)).flatten();
        let vertices = match triangles.filter(|_| is_narrow) {
            Some(of) => self.vertices.find(scene, (intersection, &members), (view, &known.normal), of),
            None => &[],
        };
        let set = OverlapSample {
            view,
            columns: &self.columns,
            vertices,
            extremes: &extremes,
            seed: &known,
            has_normal: normal.is_some(),
            alone: alone && intersection.features.clusters() == 1,
            triangles,
        };
        let before = out.len();
        resolve_patch(scene, &set, samplers, out);
        let same = |patch: &&mut Patch| patch.normal.dot(&known.normal) > tunables::KEPT_NORMAL;
        out[before..].iter_mut().filter(same).for_each(|patch| shorten(patch, longest));
        if let [patch] = &mut out[before..]
            && scene.both_closed()
            && same(&patch)
        {
            to_corners(scene, (intersection, &members), (view, &self.columns), patch);
            self.sectors.find(scene, intersection, &members, patch);
        }
        if let Some(extent) = &bounds
            && !out[before..].iter_mut().all(|patch| open_bounds::clip(patch, extent))
        {
            out.truncate(before);
            out.extend(contour_patch::patch(scene, intersection, &members, bounds.as_ref()));
        }
    }
}

impl ContourViews {
    /// Takes out columns that lie in overlaps of other contours than these, unless all do.
    fn leave_to_others(
        &mut self,
        scene: &Scene<'_>,
        intersection: &SurfaceIntersection<'_>,
        members: &[u32],
    ) {
        let list = &intersection.features.list;
        self.overlaps.clear();
        self.overlaps.extend(members.iter().filter_map(|&m| list[m as usize].component));
        self.overlaps.sort_unstable();
        self.overlaps.dedup();
        let others = |component: u32| self.overlaps.binary_search(&component).is_err();
        if self.overlaps.is_empty() || !list.iter().filter_map(|f| f.component).any(others) {
            return;
        }
        let Some(meshes) = scene.surfaces.as_ref().map(|surfaces| surfaces.meshes) else { return };
        let (owners, overlaps) = (&mut self.owners, &self.overlaps);
        let mut foreign =
            |column: &OverlapInterval| owners.is_foreign(meshes, intersection, overlaps, column);
        if self.columns.iter().any(|column| !foreign(column)) {
            self.columns.retain(|column| !foreign(column));
        }
    }
}

/// How long a column along a normal can be (m), as far as that is known: a line that runs along a wall, right beside the
/// overlap, may be inside both bodies by rounding.
fn longest(view: &View, normal: &Vector3<f64>, extremes: &ExtremeVertices) -> f64 {
    let along = normal.dot(&view.axes.depth).abs();
    match extremes.interval {
        Some([top, bottom]) if along > tunables::OBLIQUE_VIEW => {
            let steps = tunables::BOUND_STEPS * view.step;
            (1.0 + tunables::LEAST_DEPTH_GAIN) * (top - bottom).max(0.0) / along + steps
        }
        _ => f64::INFINITY,
    }
}

/// Takes points that are deeper than they can be out of a patch, unless all are.
fn shorten(patch: &mut Patch, longest: f64) {
    if patch.depth <= longest || patch.points.iter().all(|p| p.depth > longest) {
        return;
    }
    patch.points.retain(|p| p.depth <= longest);
    patch.depth = patch.points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max);
    let weight = patch.gradient.norm() / patch.points.len() as f64;
    patch.points.iter_mut().for_each(|p| p.weight = weight);
}

/// Of the interior vertices in the overlap of some features, A's farthest along the normal and B's farthest
/// against it; and how far both surfaces reach, whose ends are such vertices or on the contours.
fn extremes(
    scene: &Scene<'_>,
    intersection: &SurfaceIntersection<'_>,
    members: impl Iterator<Item = u32> + Clone,
    normal: &Vector3<f64>,
) -> ExtremeVertices {
    let SurfaceIntersection { contours, features, interior, .. } = *intersection;
    let mut extremes = ExtremeVertices::default();
    let (mut top, mut bottom) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut known = interior.is_whole() && scene.both_closed();
    for m in members.clone() {
        // Faces and edges that only touch reach no farther than they are.
        known &= match features.list[m as usize].kind {
            FeatureKind::Loop(index) => contours.loops[index as usize].closed,
            FeatureKind::Face(_) | FeatureKind::Touch(_) => true,
        };
        each_segment(intersection, m, |p, _| {
            let along = p.coords.dot(normal);
            (top, bottom) = (top.max(along), bottom.min(along));
        });
    }
    for inside in &interior.inside {
        let component = Some(interior.of(inside.contour));
        if !members.clone().any(|m| features.list[m as usize].component == component) {
            continue;
        }
        let Some(at) = scene.vertex(inside.side, inside.vertex) else { continue };
        let along = at.coords.dot(normal);
        let own = &mut extremes.list[inside.side.index()];
        let farther = own.is_none_or(|tip: ExtremeVertex| {
            let beyond = along - tip.at.coords.dot(normal);
            if inside.side == Side::A { beyond > 0.0 } else { beyond < 0.0 }
        });
        if farther {
            *own = Some(ExtremeVertex { at, key: inside.key() });
        }
    }
    let along = |side: Side| extremes.list[side.index()].map(|tip| tip.at.coords.dot(normal));
    let interval =
        [along(Side::A).map_or(top, |a| a.max(top)), along(Side::B).map_or(bottom, |b| b.min(bottom))];
    ExtremeVertices { interval: known.then_some(interval), ..extremes }
}
