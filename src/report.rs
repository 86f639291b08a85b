//! The report of a step: counts, times, and flags for whatever was dropped or redone.

use std::{fmt, ops::BitOr, time::Duration};

use impinge_pair::{Redo, RedoCounts};

/// Events of a step that a caller may want to act on. Each bit has a count in [`StepCounts`] and
/// names the setting to raise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StepStatus(u32);

impl StepStatus {
    /// Nothing to report.
    pub const NONE: StepStatus = StepStatus(0);
    /// Some pair had more regions of contact than
    /// [`max_manifolds`](crate::WorldBuilder::max_manifolds); the shallowest were dropped
    /// ([`StepCounts::dropped_manifolds`]).
    pub const MANIFOLDS_DROPPED: StepStatus = StepStatus(1);
    /// Some pair includes a mesh that bounds no volume: its contacts come from contours alone
    /// ([`StepCounts::soup_pairs`]). Close the mesh, or use
    /// [`TriMesh::one_sided`](crate::TriMesh::one_sided).
    pub const SOUP: StepStatus = StepStatus(1 << 1);
    /// Some column of a closed body did not end outside ([`StepCounts::odd_columns`]): its volume is
    /// less certain. Raise [`image_resolution`](crate::WorldBuilder::image_resolution).
    pub const ODD_COLUMNS: StepStatus = StepStatus(1 << 2);
    /// Some listener had not read its events and its channel had no room for more; the newest were dropped
    /// ([`StepCounts::dropped_events`]). Read them in every step, raise
    /// [`Subscription::capacity`](crate::Subscription::capacity), or leave it unbounded;
    /// [`World::contacts`](crate::World::contacts) says how things stand.
    pub const EVENTS_DROPPED: StepStatus = StepStatus(1 << 3);

    /// The GPU is away: the narrow phase ran on the CPU. The world asks for it again at growing
    /// intervals; [`World::gpu_fault`](crate::World::gpu_fault) says what happened.
    pub const GPU_LOST: StepStatus = StepStatus(1 << 4);
    /// Some of the GPU's work was redone on the CPU ([`StepCounts::gpu_redone`]), after a fault
    /// ([`World::gpu_fault`](crate::World::gpu_fault)) or because it exceeded a capacity
    /// ([`StepCounts::gpu_over_capacity`]): raise `gpu_capacities`.
    pub const GPU_REDONE: StepStatus = StepStatus(1 << 5);

    /// A GPU that had been lost, in an earlier step or since the last one, was replaced
    /// ([`StepCounts::gpu_back`]); [`World::gpu_fault`](crate::World::gpu_fault) says what had happened.
    pub const GPU_BACK: StepStatus = StepStatus(1 << 6);

    /// Some pair includes a mesh whose holes were closed with virtual faces when it was repaired
    /// ([`StepCounts::closed_hole_pairs`]): its volume is certain but for the holes, and nothing touches it
    /// there. [`TriMesh::repairs`](crate::TriMesh::repairs) names them.
    pub const CLOSED_HOLES: StepStatus = StepStatus(1 << 7);

    /// Some pair's search for its least translation had cost as much as it may ([`StepCounts::cut_searches`]): the shortest that
    /// was found parts the bodies, exactly, but a shorter one may have been missed. Raise
    /// [`search_budget`](crate::WorldBuilder::search_budget).
    pub const SEARCH_CUT: StepStatus = StepStatus(1 << 8);

    /// Contacts of some touching pairs were asked of the GPU, which had no room for their views or for what these show ([`StepCounts::redone`],
    /// reason [`Redo::Capacity`](crate::Redo::Capacity)): the CPU took them. Raise `tiles` of `gpu_capacities`, or `buffer_bytes` where the
    /// device allows it.
    pub const GPU_FULL: StepStatus = StepStatus(1 << 9);

    /// Of some pairs with vertices that live on the GPU nobody knows whether they touch ([`StepCounts::not_evaluated`]): the device did not answer and the CPU
    /// does not know the places, or the answer is less certain than `f32`.
    pub const NOT_EVALUATED: StepStatus = StepStatus(1 << 10);

    const NAMES: [(StepStatus, &'static str); 11] = [
        (StepStatus::MANIFOLDS_DROPPED, "manifolds-dropped"),
        (StepStatus::SOUP, "soup"),
        (StepStatus::ODD_COLUMNS, "odd-columns"),
        (StepStatus::EVENTS_DROPPED, "events-dropped"),
        (StepStatus::GPU_LOST, "gpu-lost"),
        (StepStatus::GPU_REDONE, "gpu-redone"),
        (StepStatus::GPU_BACK, "gpu-back"),
        (StepStatus::CLOSED_HOLES, "closed-holes"),
        (StepStatus::SEARCH_CUT, "search-cut"),
        (StepStatus::GPU_FULL, "gpu-full"),
        (StepStatus::NOT_EVALUATED, "not-evaluated"),
    ];

    /// Whether every bit of `other` is set.
    pub fn contains(self, other: StepStatus) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether nothing is set.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The names of the bits that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        StepStatus::NAMES.into_iter().filter(move |(bit, _)| self.contains(*bit)).map(|(_, name)| name)
    }

    /// Sets `bit` if `when`.
    pub(crate) fn set(&mut self, bit: StepStatus, when: bool) {
        if when {
            *self = *self | bit;
        }
    }
}

impl BitOr for StepStatus {
    type Output = StepStatus;

    fn bitor(self, other: StepStatus) -> StepStatus {
        StepStatus(self.0 | other.0)
    }
}

impl fmt::Display for StepStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.names().collect();
        f.write_str(if names.is_empty() { "ok" } else { "" })?;
        f.write_str(&names.join(", "))
    }
}

/// Counts of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepCounts {
    /// Colliders in the world.
    pub colliders: u64,
    /// Colliders that had moved since the last step, or whose shape, tolerance or being a sensor had changed.
    pub moved: u64,
    /// Pairs whose boxes overlap.
    pub pairs: u64,
    /// Pairs of which nothing moved: their last answer was kept.
    pub kept_pairs: u64,
    /// Pairs that have hardly moved since their last full answer, which was refreshed
    /// ([`coherence`](crate::WorldBuilder::coherence)).
    pub refreshed_pairs: u64,
    /// Pairs whose last full answer was carried along between two whole steps ([`World::substep`](crate::World::substep)).
    pub carried_pairs: u64,
    /// Pairs that a hook ignored ([`PairResponse::Ignore`](crate::PairResponse::Ignore)), and those of neighbours
    /// ([`World::set_neighbours`](crate::World::set_neighbours)).
    pub ignored_pairs: u64,
    /// Box tests of the midphase.
    pub box_tests: u64,
    /// Jobs handed to the narrow phase.
    pub jobs: u64,
    /// Triangle pairs tested by the exact intersection.
    pub triangle_tests: u64,
    /// Touching triangle pairs without a regular crossing: coplanar, or meeting in a corner or an edge.
    pub degenerate: u64,
    /// Views made.
    pub views: u64,
    /// Fragments written to layers.
    pub fragments: u64,
    /// Overlap intervals found.
    pub columns: u64,
    /// Lines through closed bodies that did not end outside.
    pub odd_columns: u64,
    /// Searches for a least translation that ended because the pair's budget was spent.
    pub cut_searches: u64,
    /// Pairs that touch.
    pub touching: u64,
    /// Pairs of triangles in which meshes meet themselves ([`World::self_contacts`](crate::World::self_contacts)).
    pub self_pairs: u64,
    /// Jobs that were answered by height maps ([`NarrowMethod::HeightMap`](crate::NarrowMethod::HeightMap)).
    pub height_maps: u64,
    /// Touching jobs that asked for height maps and were answered exactly.
    pub past_height_maps: u64,
    /// Contacts of particles reported ([`World::particle_contacts`](crate::World::particle_contacts)).
    pub point_contacts: u64,
    /// Regions of contact found.
    pub patches: u64,
    /// Manifolds reported.
    pub manifolds: u64,
    /// Regions dropped because a pair had too many.
    pub dropped_manifolds: u64,
    /// Regions no deeper than the tolerance.
    pub tolerated: u64,
    /// Contact points reported.
    pub points: u64,
    /// Jobs with a mesh that bounds no volume.
    pub soup_pairs: u64,
    /// Jobs with a mesh whose holes were closed with virtual faces.
    pub closed_hole_pairs: u64,
    /// Contact events sent, each counted once for every listener.
    pub events: u64,
    /// Contact events that a listener's channel had no room for.
    pub dropped_events: u64,
    /// Jobs whose triangle pairs were tested on the GPU, or whose views were sampled there where a mesh meets a primitive.
    pub gpu_jobs: u64,
    /// Jobs meant for the GPU that the CPU did.
    pub gpu_redone: u64,
    /// Those of them that exceeded a capacity.
    pub gpu_over_capacity: u64,
    /// 1 where the GPU was away at the end of the step.
    pub gpu_lost: u64,
    /// 1 where a GPU that had been lost was replaced in the step.
    pub gpu_back: u64,
    /// Triangle pairs tested on the GPU. What it could not rule out is tested again, exactly, and counts
    /// among `triangle_tests`.
    pub gpu_triangle_tests: u64,
    /// Those of them of which nothing was certain.
    pub gpu_uncertain: u64,
    /// Jobs between meshes, or a mesh and a primitive, that touch and whose contacts were asked of the GPU ([`Parity::Meaning`](crate::Parity::Meaning)).
    pub gpu_touching: u64,
    /// Those of them that were answered from what the GPU has sampled, without a view on the CPU (single lines are none).
    pub gpu_manifolds: u64,
    /// Those of them for which the CPU took views, by the reason for which the GPU's patches did not do.
    pub redone: RedoCounts,
    /// Pairs whose intersection volume was asked of the GPU.
    pub gpu_common: u64,
    /// Submissions to the GPU.
    pub gpu_submissions: u64,
    /// Parts of a step that the CPU waited for; those that came while it had other work are not among them.
    pub gpu_waits: u64,
    /// Buffers made on the GPU.
    pub gpu_buffers_created: u64,
    /// Bytes sent to the GPU.
    pub gpu_bytes_up: u64,
    /// Bytes read back.
    pub gpu_bytes_back: u64,
    /// Pairs of parts of which the vertices of one live on the GPU (`World::set_device_vertices`).
    pub device_pairs: u64,
    /// Those of them of which nothing is known.
    pub not_evaluated: u64,
}

impl StepCounts {
    /// The status that the counts call for.
    pub(crate) fn status(&self) -> StepStatus {
        let mut status = StepStatus::NONE;
        status.set(StepStatus::MANIFOLDS_DROPPED, self.dropped_manifolds > 0);
        status.set(StepStatus::SOUP, self.soup_pairs > 0);
        status.set(StepStatus::ODD_COLUMNS, self.odd_columns > 0);
        status.set(StepStatus::EVENTS_DROPPED, self.dropped_events > 0);
        status.set(StepStatus::GPU_LOST, self.gpu_lost > 0);
        status.set(StepStatus::GPU_REDONE, self.gpu_redone > 0);
        status.set(StepStatus::GPU_BACK, self.gpu_back > 0);
        status.set(StepStatus::CLOSED_HOLES, self.closed_hole_pairs > 0);
        status.set(StepStatus::SEARCH_CUT, self.cut_searches > 0);
        status.set(StepStatus::GPU_FULL, self.redone.of(Redo::Capacity) > 0);
        status.set(StepStatus::NOT_EVALUATED, self.not_evaluated > 0);
        status
    }
}

/// How long a step took. Wall-clock, but for the three stages that run side by side on the workers: for
/// these it is the sum over the workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepTimes {
    /// The whole step.
    pub step: Duration,
    /// Boxes of moved colliders.
    pub boxes: Duration,
    /// Broad phase.
    pub broadphase: Duration,
    /// Midphase, narrow phase and contacts together, wall-clock.
    pub pairs: Duration,
    /// Midphase, summed over the workers.
    pub midphase: Duration,
    /// Narrow phase, summed over the workers.
    pub narrow: Duration,
    /// Contacts, summed over the workers.
    pub contacts: Duration,
    /// Pairs with particles, and particles that meet among themselves, wall-clock: a part of `pairs`.
    pub particles: Duration,
    /// Time of the GPU's passes, by its own clock; zero where it has none.
    pub gpu: Duration,
    /// Of these, the triangle tests.
    pub gpu_stream: Duration,
    /// Views for intersection volumes, made from what the triangle tests have found.
    pub gpu_view: Duration,
    /// The layers of views.
    pub gpu_layers: Duration,
    /// The overlap intervals of views.
    pub gpu_columns: Duration,
    /// Contours, views and patches of contacts ([`Parity::Meaning`](crate::Parity::Meaning)).
    pub gpu_contacts: Duration,
    /// How long the step waited for the GPU.
    pub gpu_wait: Duration,
}

/// The report of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepReport {
    /// Flags for whatever was dropped or is less certain.
    pub status: StepStatus,
    /// Counts.
    pub counts: StepCounts,
    /// Times.
    pub times: StepTimes,
}

/// What a [`World::step_motion`](crate::World::step_motion) did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MotionReport {
    /// Colliders that had a path.
    pub movers: u64,
    /// Pairs that were swept.
    pub pairs: u64,
    /// Impacts that were found, of every state.
    pub impacts: u64,
    /// How long it took.
    pub time: Duration,
}
