//! Where meshes meet themselves.

use std::collections::BTreeSet;
use std::sync::Arc;

use impinge_contacts::{ContactMemory, ContactPhase, ContactSettings, Manifold};
use impinge_geometry::ColliderId;
use impinge_midphase::PreparedShape;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::step::id_at;
use super::{HeldCollider, StepState, World};
use crate::WorldError;
use crate::query::{SelfScratch, own_manifolds, own_pairs};

/// Where the mesh of a collider meets itself.
#[derive(Debug, Default)]
pub(crate) struct OwnContacts {
    /// Whether the pairs are those of the vertices as they are.
    known: bool,
    /// As [`own_pairs`] gives them.
    pairs: Vec<[u32; 2]>,
    /// As [`own_manifolds`] gives them.
    manifolds: Vec<Manifold>,
    memory: ContactMemory,
    scratch: SelfScratch,
}

impl OwnContacts {
    /// Finds everything for the vertices as they are.
    fn find(&mut self, shape: &PreparedShape, id: ColliderId, settings: &ContactSettings) {
        let OwnContacts { known, pairs, manifolds, memory, scratch } = self;
        own_pairs(shape, false, scratch, pairs);
        scratch.contacts().clear(manifolds);
        if !pairs.is_empty() {
            own_manifolds(shape, id, settings, memory, scratch, manifolds);
        }
        memory.match_points(manifolds, scratch.contacts());
        *known = true;
    }
}

/// A collider that has begun to meet itself, or does so no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfContactEvent {
    /// The collider.
    pub collider: ColliderId,
    /// Which of both: [`ContactPhase::Begin`] or [`ContactPhase::End`].
    pub phase: ContactPhase,
}

/// The colliders that are asked whether they meet themselves.
#[derive(Debug, Default)]
pub(crate) struct OwnMeetings {
    slots: BTreeSet<u32>,
    waiting: Vec<Waiting>,
    /// Colliders that met themselves in the last step, by their slots.
    met: Vec<ColliderId>,
    /// Those of the step before.
    before: Vec<ColliderId>,
    events: Vec<SelfContactEvent>,
}

/// A collider that is to be asked.
#[derive(Debug)]
struct Waiting {
    slot: u32,
    id: ColliderId,
    shape: Arc<PreparedShape>,
    own: Box<OwnContacts>,
}

impl OwnMeetings {
    /// Asks the collider in a slot from now on, or no longer.
    pub fn set(&mut self, slot: u32, held: &mut HeldCollider) {
        if held.collider.meets_itself {
            held.own = Some(Box::default());
            self.slots.insert(slot);
        } else {
            held.own = None;
            self.forget(slot);
        }
    }

    /// The collider in a slot is gone.
    pub fn forget(&mut self, slot: u32) {
        self.slots.remove(&slot);
    }

    /// Compares those that meet themselves with those of the last step.
    fn compare(&mut self) {
        let OwnMeetings { met, before, events, .. } = self;
        events.clear();
        let event = |phase: ContactPhase| move |&collider: &ColliderId| SelfContactEvent { collider, phase };
        events.extend(before.iter().filter(|id| !met.contains(id)).map(event(ContactPhase::End)));
        events.extend(met.iter().filter(|id| !before.contains(id)).map(event(ContactPhase::Begin)));
        events.sort_by_key(|event| (event.collider.index, event.collider.generation));
    }
}

impl HeldCollider {
    /// The collider's vertices are elsewhere.
    pub(super) fn forget_own_pairs(&mut self) {
        if let Some(own) = &mut self.own {
            own.known = false;
        }
    }

    fn own_pairs(&self) -> &[[u32; 2]] {
        self.own.as_ref().map_or(&[], |own| &own.pairs)
    }
}

impl World {
    /// Where the mesh of a collider met itself in the last step: all pairs of its triangles that share a point (exact) but no
    /// vertex, the lower first, sorted ([`self_intersections`](crate::query::self_intersections)). Found again when its vertices
    /// have moved; its pose does not matter. Empty unless [`Collider::collides_with_itself`](crate::Collider::collides_with_itself) is set, and
    /// for shapes that are no mesh.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// // A strip of four triangles; its end is bent back.
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.2, 0.2, 0.5]];
    /// let faces = vec![[0, 1, 2], [1, 3, 2], [2, 3, 4], [4, 3, 5]];
    /// let strip = world.add_shape(TriMesh::new(corners.map(Point3::from).to_vec(), faces)?)?;
    /// let id = world.add_collider(Collider::new(strip).collides_with_itself(true))?;
    /// world.step();
    /// assert!(world.self_contacts(id)?.is_empty());
    /// // It goes through the beginning.
    /// world.set_vertices_from(strip, 5, &[Point3::new(0.2, 0.2, -1.0)])?;
    /// assert_eq!(world.step().counts.self_pairs, 1);
    /// assert_eq!(world.self_contacts(id)?, [[0, 3]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn self_contacts(&self, id: ColliderId) -> Result<&[[u32; 2]], WorldError> {
        self.state.collider(id).map(HeldCollider::own_pairs)
    }

    /// Contacts between regions of a collider's mesh in the last step, in its own frame: a manifold for each overlap, as
    /// [`PreparedShape::self_contacts`](crate::PreparedShape::self_contacts) says it. Both colliders are this one. Points keep their keys from step to step as those of
    /// other contacts do. No solver is given them: what pushes a deforming body apart is whoever moves its vertices.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn self_manifolds(&self, id: ColliderId) -> Result<&[Manifold], WorldError> {
        let held = self.state.collider(id)?;
        Ok(held.own.as_ref().map_or(&[], |own| &own.manifolds))
    }

    /// The colliders that began to meet themselves with the last step, or ceased to, in the order of their slots; those that
    /// were removed, or are no longer asked, cease to with the next step.
    pub fn self_events(&self) -> &[SelfContactEvent] {
        &self.state.own_meetings.events
    }

    /// Sets whether steps say where a collider's mesh meets itself ([`Collider::collides_with_itself`](crate::Collider::collides_with_itself)).
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn set_collides_with_itself(&mut self, id: ColliderId, collides: bool) -> Result<(), WorldError> {
        let state = &mut *self.state;
        let held =
            state.colliders.get_mut(id.index, id.generation).ok_or(WorldError::UnknownCollider { id })?;
        if held.collider.meets_itself != collides {
            held.collider.meets_itself = collides;
            state.own_meetings.set(id.index, held);
        }
        Ok(())
    }
}

impl StepState {
    /// Finds where the meshes whose vertices have moved meet themselves. Gives the number of pairs of all.
    pub(super) fn meet_themselves(&mut self, pool: &ThreadPool) -> u64 {
        let StepState { colliders, own_meetings, config, .. } = self;
        let OwnMeetings { slots, waiting, met, before, .. } = own_meetings;
        for &slot in &*slots {
            let id = id_at(colliders, slot);
            let Some(held) = colliders.at_mut(slot) else { continue };
            if let Some(own) = held.own.take_if(|own| !own.known) {
                waiting.push(Waiting { slot, id, shape: Arc::clone(&held.prepared), own });
            }
        }
        let settings = &config.contacts;
        let meet = |Waiting { id, shape, own, .. }: &mut Waiting| own.find(shape, *id, settings);
        if !waiting.is_empty() {
            pool.install(|| waiting.par_iter_mut().for_each(meet));
        }
        for Waiting { slot, own, .. } in waiting.drain(..) {
            if let Some(held) = colliders.at_mut(slot) {
                held.own = Some(own);
            }
        }
        std::mem::swap(met, before);
        met.clear();
        let mut pairs = 0;
        for &slot in &*slots {
            let found = colliders.at(slot).map_or(0, |held| held.own_pairs().len() as u64);
            pairs += found;
            if found > 0 {
                met.push(id_at(colliders, slot));
            }
        }
        own_meetings.compare();
        pairs
    }
}
