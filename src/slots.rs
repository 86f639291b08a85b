//! Slots that are used again under a new generation, so that an old name never finds a new thing.

/// Things in slots.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
    len: usize,
}

#[derive(Debug)]
struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

impl<T> Default for Slots<T> {
    fn default() -> Slots<T> {
        Slots { slots: Vec::new(), free: Vec::new(), len: 0 }
    }
}

impl<T> Slots<T> {
    /// The slot and generation that [`Slots::insert`] will give next; `None` when full.
    pub fn next_name(&self) -> Option<(u32, u32)> {
        match self.free.last() {
            Some(&index) => Some((index, self.slots[index as usize].generation)),
            None if self.slots.len() < 1 << 31 => Some((self.slots.len() as u32, 0)),
            None => None,
        }
    }

    /// Puts a value into the slot that [`Slots::next_name`] named.
    pub fn insert(&mut self, value: T) -> Option<(u32, u32)> {
        let (index, generation) = self.next_name()?;
        if self.free.pop().is_some() {
            self.slots[index as usize].value = Some(value);
        } else {
            self.slots.push(Slot { generation, value: Some(value) });
        }
        self.len += 1;
        Some((index, generation))
    }

    /// Takes a value out; its name is never given again. A slot whose generations are used up stays
    /// empty.
    pub fn remove(&mut self, index: u32, generation: u32) -> Option<T> {
        let slot = self.slots.get_mut(index as usize).filter(|s| s.generation == generation)?;
        let value = slot.value.take()?;
        self.len -= 1;
        if let Some(next) = generation.checked_add(1) {
            slot.generation = next;
            self.free.push(index);
        }
        Some(value)
    }

    /// The value of that name.
    pub fn get(&self, index: u32, generation: u32) -> Option<&T> {
        self.slots.get(index as usize).filter(|s| s.generation == generation)?.value.as_ref()
    }

    /// The value of that name.
    pub fn get_mut(&mut self, index: u32, generation: u32) -> Option<&mut T> {
        self.slots.get_mut(index as usize).filter(|s| s.generation == generation)?.value.as_mut()
    }

    /// Whatever stands in a slot now.
    pub fn at(&self, index: u32) -> Option<&T> {
        self.slots.get(index as usize)?.value.as_ref()
    }

    /// Whatever stands in a slot now.
    pub fn at_mut(&mut self, index: u32) -> Option<&mut T> {
        self.slots.get_mut(index as usize)?.value.as_mut()
    }

    /// The generation of whatever stands, or would stand next, in a slot.
    pub fn generation(&self, index: u32) -> u32 {
        self.slots.get(index as usize).map_or(0, |s| s.generation)
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Slot, generation and value of everything, in the order of the slots.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, &T)> {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(i, s)| s.value.as_ref().map(|value| (i as u32, s.generation, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_that_is_used_again_has_a_new_name() {
        let mut slots = Slots::default();
        let (index, generation) = slots.insert("first").unwrap();
        assert_eq!(slots.remove(index, generation), Some("first"));
        assert_eq!(slots.remove(index, generation), None);
        let again = slots.insert("second").unwrap();
        assert_eq!(again, (index, generation + 1));
        assert_eq!(slots.get(index, generation), None);
        assert_eq!(slots.get(again.0, again.1), Some(&"second"));
        assert_eq!(slots.len(), 1);
    }
}
