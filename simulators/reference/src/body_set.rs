//! The bodies of a simulator, by name, by slot and by collider.

use impinge::ColliderId;

use crate::body::{Body, BodyId};

/// Bodies in slots. A slot that is used again has a new generation.
#[derive(Debug, Default)]
pub(crate) struct BodySet {
    slots: Vec<Option<Body>>,
    generations: Vec<u32>,
    free: Vec<u32>,
    /// Slot of the body of each collider slot; `u32::MAX` for none.
    by_collider: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl BodySet {
    /// Whether there is room for one more body.
    pub fn has_room(&self) -> bool {
        !self.free.is_empty() || self.slots.len() < (1 << 31)
    }

    pub fn insert(&mut self, body: Body) -> BodyId {
        let collider = body.collider.index as usize;
        let index = match self.free.pop() {
            Some(index) => {
                self.slots[index as usize] = Some(body);
                index
            }
            None => {
                self.slots.push(Some(body));
                self.generations.push(0);
                (self.slots.len() - 1) as u32
            }
        };
        if self.by_collider.len() <= collider {
            self.by_collider.resize(collider + 1, NONE);
        }
        self.by_collider[collider] = index;
        self.id_at(index as usize)
    }

    pub fn remove(&mut self, id: BodyId) -> Option<Body> {
        self.get(id)?;
        let body = self.slots[id.index as usize].take()?;
        self.by_collider[body.collider.index as usize] = NONE;
        self.generations[id.index as usize] += 1;
        self.free.push(id.index);
        Some(body)
    }

    pub fn get(&self, id: BodyId) -> Option<&Body> {
        let current = self.generations.get(id.index as usize)?;
        (*current == id.generation).then(|| self.at(id.index as usize)).flatten()
    }

    pub fn get_mut(&mut self, id: BodyId) -> Option<&mut Body> {
        self.get(id)?;
        self.slots[id.index as usize].as_mut()
    }

    /// The body in a slot.
    pub fn at(&self, index: usize) -> Option<&Body> {
        self.slots.get(index)?.as_ref()
    }

    pub fn at_mut(&mut self, index: usize) -> Option<&mut Body> {
        self.slots.get_mut(index)?.as_mut()
    }

    /// Gives bodies back what they were, by slot.
    pub fn restore(&mut self, before: &[Option<Body>]) {
        for (slot, body) in self.slots.iter_mut().zip(before) {
            slot.clone_from(body);
        }
    }

    /// The name of what is in a slot.
    pub fn id_at(&self, index: usize) -> BodyId {
        BodyId { index: index as u32, generation: self.generations.get(index).copied().unwrap_or(0) }
    }

    /// The slot of a collider's body.
    pub fn of_collider(&self, id: ColliderId) -> Option<usize> {
        let index = *self.by_collider.get(id.index as usize)? as usize;
        self.at(index).filter(|body| body.collider == id).map(|_| index)
    }

    /// All slots in order.
    pub fn slots(&self) -> impl ExactSizeIterator<Item = Option<&Body>> {
        self.slots.iter().map(Option::as_ref)
    }

    /// All slots in order.
    pub fn slots_mut(&mut self) -> impl ExactSizeIterator<Item = Option<&mut Body>> {
        self.slots.iter_mut().map(Option::as_mut)
    }

    /// All bodies in order.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.slots().enumerate().filter_map(|(index, body)| Some((self.id_at(index), body?)))
    }
}
