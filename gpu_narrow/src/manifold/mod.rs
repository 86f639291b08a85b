//! Contacts on the device: contours of what crosses, a view of each cluster of them, and what of it stands for a patch.
//! One submission with the triangle intersection; the CPU takes the patches in, or answers the pair itself.

pub mod layout;
pub mod passes;

mod answer;
mod dispatch;
mod listed;
mod listed_room;
mod solid;

use impinge_geometry::{PairFrame, Side, TriMesh};
use impinge_image_space::fixed_map::{FixedMap, Quanta};
use impinge_image_space::view::{SUB_BITS, View};
use impinge_midphase::{PairJob, Surface};
use impinge_pair::Redo;
use nalgebra::{Matrix3, Point3, Vector3};

use crate::Capacities;
use crate::engine::Engine;
use crate::image::batch::{BatchRoom, Batches};
use crate::image::layout::{COUNTED, DEEPEST_PIXEL, LatticeMap, NAMED, TILE_SIDE, TileUnit};
use crate::intersect::IntersectTicket;
use crate::intersect::layout::IntersectUnit;
use crate::received::Received;
use layout::{
    ContactPair, ContactPairHead, INTERVAL_WORDS, KeptContactView, LEAST_ROWS, MOST_CLUSTERS, MOST_KEPT,
    PAIR_ROWS, PAIR_TRIANGLES, PatchRecord, SolidSurface, USUAL_VIEWS,
};
use listed_room::ListedRoom;

pub(crate) use dispatch::{ManifoldBuffers, PARAMS_SLOTS};

/// Where the contacts of a pair stand in the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ManifoldTicket {
    pair: u32,
    first_view: u32,
    views: u32,
    sequence: u32,
    part: u32,
    /// Whether its contours alone say whether a body is inside the other.
    simple: bool,
    /// Whether it is of a mesh and a solid without triangles.
    solid: bool,
}

/// How the views of a pair are to be laid.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewWish {
    /// Pixels per side, at most 16.
    pub side: u32,
    /// Axes that the pixels of a new view lie along (columns, pair frame).
    pub axes: Matrix3<f64>,
    /// The views of the last step as they stand now (pair frame).
    pub kept: Vec<View>,
    /// Whether all intervals of the views are to come back, for [`Engine::view_intervals_of`].
    pub listed: bool,
}

/// The pairs of one step, as the CPU keeps them.
#[derive(Debug, Default)]
pub(crate) struct ManifoldStep {
    pub heads: Vec<ContactPairHead>,
    /// Of each which patches of height fields and level sets its bodies are.
    patches: Vec<[Option<u32>; 2]>,
    kept: Vec<KeptContactView>,
    /// One for each view.
    tiles: Vec<TileUnit>,
    rows: u32,
    flushed: usize,
    flushed_kept: usize,
    /// One for each view of a mesh and a solid without triangles.
    solids: Vec<SolidSurface>,
    flushed_solids: usize,
    batches: Batches,
    /// Views whose intervals are to come back, and how many of them were submitted.
    listed: u32,
    flushed_listed: u32,
    /// Intervals that there is room for in the parts up to now, and what steps need.
    pub room: u32,
    pub listed_room: ListedRoom,
}

impl ManifoldStep {
    pub fn begin(&mut self) {
        self.heads.clear();
        self.patches.clear();
        self.kept.clear();
        self.tiles.clear();
        self.solids.clear();
        (self.rows, self.flushed, self.flushed_kept, self.flushed_solids) = (0, 0, 0, 0);
        self.batches.clear();
        (self.listed, self.flushed_listed, self.room) = (0, 0, 0);
        self.listed_room.begin();
    }

    /// Whether there is something to send.
    pub fn is_new(&self) -> bool {
        self.heads.len() > self.flushed
    }

    /// Views of all pairs.
    pub fn view_count(&self) -> usize {
        self.tiles.len()
    }

    /// Fills in the pairs of a part of the step.
    pub fn fill(&self, heads: std::ops::Range<usize>, part: &mut Received) {
        part.heads.extend_from_slice(&self.heads[heads.clone()]);
        part.head_patches.extend_from_slice(&self.patches[heads]);
    }

    /// Notes how many intervals the views of a part had.
    pub fn note_room(&mut self, part: &Received) {
        part.records.iter().for_each(|record| self.listed_room.note(record.intervals));
    }

    /// Has the steps that follow go by what was noted in this one.
    pub fn learn_room(&mut self) {
        self.listed_room.learn(self.listed);
    }

    /// Bytes that come back: of records, and of intervals.
    pub fn bytes(&self) -> [u64; 2] {
        let records = self.tiles.len() as u64 * size_of::<PatchRecord>() as u64;
        [records, 4 * u64::from(INTERVAL_WORDS) * u64::from(self.room)]
    }
}

impl Engine {
    /// Asks for the contacts of a job whose triangles were pushed in this step.
    ///
    /// # Errors
    /// [`Redo::Shape`] or [`Redo::Capacity`]: the pair is the CPU's.
    pub fn push_manifold(
        &mut self,
        job: &PairJob<'_>,
        hits: &IntersectTicket,
        wish: &ViewWish,
    ) -> Result<ManifoldTicket, Redo> {
        if !self.contacts {
            return Err(Redo::Shape);
        }
        let [Some(a), Some(b)] = job.parts.map(|part| part.surface.as_ref()) else {
            return Err(Redo::Shape);
        };
        let patches = hits.patches.map(|patch| self.step.patches.get(patch? as usize));
        let patch = |side: Side| patches[side.index()].filter(|_| hits.sequence == self.step.sequence);
        let triangles = |side: Side, surface: &Surface| match patch(side) {
            Some((patch, _)) => patch.triangles.len() as u32,
            None => surface.faces().triangle_bound(),
        };
        let counts = [triangles(Side::A, a), triangles(Side::B, b)];
        let alike = |(side, surface): (Side, &Surface)| match surface.mesh() {
            Some(mesh) => mesh.is_closed() && mesh.triangles().len() == surface.tree.triangle_count(),
            None => patch(side).is_some(),
        };
        let simple = [a, b].iter().all(|surface| surface.mesh().is_some_and(|mesh| is_simple(mesh)));
        let triangles = u64::from(counts[0]) + u64::from(counts[1]);
        if !Side::BOTH.into_iter().zip([a, b]).all(alike)
            || triangles > u64::from(PAIR_TRIANGLES)
            || wish.side > TILE_SIDE
        {
            return Err(Redo::Shape);
        }
        let of_patches = Side::BOTH.map(|side| patch(side).map(|(_, place)| *place));
        let Engine { step, capacities, meshes, .. } = self;
        let unit = step.units.get(hits.units.start as usize).copied();
        let unit = unit.filter(|_| hits.sequence == step.sequence).ok_or(Redo::Capacity)?;
        let mut place = |side: Side, surface| {
            of_patches[side.index()].or_else(|| meshes.place(surface, capacities.mesh_words))
        };
        let [Some(of_a), Some(of_b)] = [place(Side::A, a), place(Side::B, b)] else {
            return Err(Redo::Capacity);
        };
        let own = &mut step.manifolds;
        let views = if wish.kept.len() as u32 > USUAL_VIEWS { MOST_CLUSTERS } else { USUAL_VIEWS };
        let rows = (2 * triangles as u32).clamp(LEAST_ROWS, PAIR_ROWS) * (views / USUAL_VIEWS) + views;
        let pairs = own.heads.len() as u64 + 1;
        let first_view = own.tiles.len() as u32;
        let room = first_view + views <= capacities.tiles
            && pairs * size_of::<ContactPairHead>() as u64 <= capacities.buffer_bytes
            && own.batches.add(views, rows, room_of_batch(capacities));
        if !room {
            return Err(Redo::Capacity);
        }
        let pair = own.heads.len() as u32;
        let quanta = [a, b].map(|surface| Quanta::of(surface.faces()));
        let first_kept = own.kept.len();
        let kept = wish.kept.iter().take(MOST_KEPT);
        let both = quanta.map(Some);
        let kept = kept.map_while(|view| kept_view(view, &job.frame, &unit, &both));
        own.kept.extend(kept);
        let turn = job.frame.rotation[Side::A.index()].transpose();
        own.heads.push(ContactPairHead {
            to_a: unit.to_a,
            axes: [0, 1, 2].map(|k| four(turn * wish.axes.column(k), 0.0)),
            origin: unit.origin,
            scale: unit.scale,
            vertices_a: unit.vertices_a,
            starts_a: unit.starts_a,
            corners_a: unit.corners_a,
            slots_a: of_a.slots,
            vertices_b: unit.vertices_b,
            starts_b: unit.starts_b,
            corners_b: unit.corners_b,
            slots_b: of_b.slots,
            count_a: counts[0],
            count_b: counts[1],
            first_leaf_pair: unit.first,
            leaf_pairs: hits.leaf_pairs,
            answer: unit.answer,
            first_row: own.rows,
            room: rows,
            side: wish.side,
            delta: unit.delta,
            kept: first_kept as u32,
            kept_count: (own.kept.len() - first_kept) as u32,
            listed: u32::from(wish.listed),
            quanta_a: quanta[0].exponents(),
            first_view,
            quanta_b: quanta[1].exponents(),
            views,
        });
        for view in 0..views {
            own.tiles.push(TileUnit {
                first: own.rows + view,
                side: wish.side,
                flags: COUNTED | NAMED,
                deepest: capacities.layers.min(DEEPEST_PIXEL),
                ..TileUnit::default()
            });
        }
        own.patches.push(hits.patches);
        own.rows += rows;
        own.listed += if wish.listed { views } else { 0 };
        step.counts.manifolds += 1;
        let (sequence, part) = (step.sequence, step.part());
        Ok(ManifoldTicket { pair, first_view, views, sequence, part, simple, solid: false })
    }
}

/// Whether contours alone say how a body overlaps with another: it is one shell, all of whose faces may touch.
fn is_simple(mesh: &TriMesh) -> bool {
    mesh.components().len() == 1 && !mesh.has_virtual_faces()
}

/// What a batch of contacts may hold: rows for all that its views may show, and its pairs in one buffer.
fn room_of_batch(capacities: &Capacities) -> BatchRoom {
    let pairs = capacities.buffer_bytes / size_of::<ContactPair>() as u64;
    BatchRoom::wide(capacities).of_contacts(pairs * u64::from(USUAL_VIEWS))
}

fn four(v: Vector3<f64>, w: f64) -> [f32; 4] {
    [v.x as f32, v.y as f32, v.z as f32, w as f32]
}

/// A view of the last step as the device has it; `None` where it is too thin for the bodies' quanta. A body without triangles
/// has none.
fn kept_view(
    view: &View,
    frame: &PairFrame,
    unit: &IntersectUnit,
    quanta: &[Option<Quanta>; 2],
) -> Option<KeptContactView> {
    let far = ((view.far - view.near) / view.step).floor() as i64;
    let map = |side: Side| {
        let Some(quanta) = &quanta[side.index()] else { return Some(LatticeMap::default()) };
        Some(LatticeMap::new(&FixedMap::new(view, frame, side, quanta)?, quanta, Some(far)))
    };
    let maps = [map(Side::A)?, map(Side::B)?];
    let sub_pixels = f64::from(1u32 << SUB_BITS);
    let scale = f64::from(unit.scale);
    let origin = frame.place_f64(Side::A, &Point3::from(Vector3::from(unit.origin).cast::<f64>() / scale));
    let at = view.locate(&origin);
    let turn = frame.rotation[Side::A.index()].transpose();
    let row = |axis: &Vector3<f64>, worth: f64, start: f64| four(turn * axis * (worth / scale), start);
    let rows = [
        row(&view.axes.right, sub_pixels / view.pixel[0], (at[0] - 0.5) * sub_pixels),
        row(&view.axes.up, sub_pixels / view.pixel[1], (at[1] - 0.5) * sub_pixels),
        row(&view.axes.depth, 1.0 / view.step, at[2]),
    ];
    Some(KeptContactView { rows, maps })
}
