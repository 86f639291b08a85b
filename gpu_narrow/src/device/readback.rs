//! Buffers that the CPU reads: one is read while others are written.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::GpuFault;
use crate::device::buffer::{Allocator, GrowBuffer};

/// Buffers of a ring.
const SLOTS: usize = 2;

const WAITING: u8 = 0;
const MAPPED: u8 = 1;
const FAILED: u8 = 2;

/// The ring.
#[derive(Debug)]
pub(crate) struct ReadbackRing {
    slots: Vec<GrowBuffer>,
    next: usize,
}

/// What is on its way to the CPU.
#[derive(Debug)]
pub(crate) struct Pending {
    slot: usize,
    bytes: u64,
    state: Arc<AtomicU8>,
}

impl Pending {
    /// Whether it has come, or never will.
    pub fn is_over(&self) -> bool {
        self.state.load(Ordering::Acquire) != WAITING
    }
}

fn slot() -> GrowBuffer {
    GrowBuffer::new("read back", wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST)
}

impl ReadbackRing {
    pub fn new() -> ReadbackRing {
        ReadbackRing { slots: (0..SLOTS).map(|_| slot()).collect(), next: 0 }
    }

    /// Buffer number `number`, with room for `bytes`; it is the next one to be mapped. Its content must have been read.
    pub fn reserve_number(
        &mut self,
        number: usize,
        bytes: u64,
        from: &mut Allocator<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<&wgpu::Buffer, GpuFault> {
        while self.slots.len() <= number {
            self.slots.push(slot());
        }
        self.next = number;
        let own = &mut self.slots[number];
        own.clear();
        own.hold(bytes, from, encoder)?;
        own.get().ok_or_else(missing)
    }

    /// The next buffer of the ring, with room for `bytes`. All of the ring grows together, so that a
    /// step that is no larger than the last makes no buffer.
    pub fn reserve(
        &mut self,
        bytes: u64,
        from: &mut Allocator<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<&wgpu::Buffer, GpuFault> {
        for slot in &mut self.slots {
            slot.clear();
            slot.hold(bytes, from, encoder)?;
        }
        self.slots[self.next].get().ok_or_else(missing)
    }

    /// The buffer that was reserved last.
    pub fn next(&self) -> Option<&wgpu::Buffer> {
        self.slots[self.next].get()
    }

    /// Has the first `bytes` of the next buffer mapped once `commands` are done.
    pub fn map(&mut self, commands: &wgpu::CommandBuffer, bytes: u64) -> Result<Pending, GpuFault> {
        let slot = self.next;
        self.next = (self.next + 1) % self.slots.len();
        let state = Arc::new(AtomicU8::new(WAITING));
        let told = Arc::clone(&state);
        let buffer = self.slots[slot].get().ok_or_else(missing)?;
        commands.map_buffer_on_submit(buffer, wgpu::MapMode::Read, 0..bytes, move |mapped| {
            told.store(if mapped.is_ok() { MAPPED } else { FAILED }, Ordering::Release);
        });
        Ok(Pending { slot, bytes, state })
    }

    /// Hands what has come to `read`, and lets the buffer go. A buffer whose content did not come is
    /// thrown away: nobody knows when it will be written.
    pub fn read<T>(&mut self, pending: &Pending, read: impl FnOnce(&[u8]) -> T) -> Result<T, GpuFault> {
        let answer = self.mapped(pending, read);
        if answer.is_err() {
            self.forget(pending);
        }
        answer
    }

    /// Throws a buffer away that may yet be written or mapped.
    pub fn forget(&mut self, pending: &Pending) {
        self.slots[pending.slot] = slot();
    }

    fn mapped<T>(&self, pending: &Pending, read: impl FnOnce(&[u8]) -> T) -> Result<T, GpuFault> {
        match pending.state.load(Ordering::Acquire) {
            MAPPED => {}
            WAITING => return Err(no_answer("it did not come in time")),
            _ => return Err(no_answer("the buffer could not be mapped")),
        }
        let buffer = self.slots[pending.slot].get().ok_or_else(missing)?;
        let view = buffer
            .get_mapped_range(0..pending.bytes)
            .map_err(|error| no_answer(&format!("the buffer is not mapped: {error}")))?;
        let answer = read(&view);
        drop(view);
        buffer.unmap();
        Ok(answer)
    }
}

fn missing() -> GpuFault {
    no_answer("there is no buffer to read")
}

fn no_answer(reason: &str) -> GpuFault {
    GpuFault::NoAnswer { reason: reason.to_owned() }
}
