//! What a thread notes where several set boxes.

/// What a thread has noted of its share of the boxes, in their order.
#[derive(Debug, Default)]
pub(crate) struct SetShare {
    /// Proxies that moved, and those of them that may be inactive.
    pub moved: Vec<u32>,
    pub woken: Vec<u32>,
    /// The number of those that had not moved for as long as it takes to become inactive.
    pub aged: usize,
    /// Proxies that may have come into other columns.
    pub strayed: Vec<u32>,
}

impl SetShare {
    /// Bytes held.
    pub fn memory(&self) -> usize {
        4 * (self.moved.capacity() + self.woken.capacity() + self.strayed.capacity())
    }
}
