//! Buffers that grow: doubled when they are full, never remade while they suffice.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::GpuFault;

/// A buffer, and how much of it is used.
#[derive(Debug)]
pub(crate) struct GrowBuffer {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: Option<wgpu::Buffer>,
    /// Bytes that hold something in this step.
    used: u64,
    /// A number of its own for every buffer that was made: bind groups go by it.
    pub generation: u64,
}

/// Where buffers come from, and what they have cost.
#[derive(Debug)]
pub(crate) struct Allocator<'a> {
    pub device: &'a wgpu::Device,
    /// No buffer grows beyond this (bytes).
    pub limit: u64,
    /// Buffers made.
    pub created: &'a mut u64,
}

/// Buffers made so far.
static MADE: AtomicU64 = AtomicU64::new(1);

/// Bytes of the smallest buffer.
const LEAST: u64 = 1 << 12;

impl GrowBuffer {
    pub fn new(label: &'static str, usage: wgpu::BufferUsages) -> GrowBuffer {
        GrowBuffer { label, usage, buffer: None, used: 0, generation: 0 }
    }

    /// Bytes it can hold.
    pub fn size(&self) -> u64 {
        self.buffer.as_ref().map_or(0, wgpu::Buffer::size)
    }

    /// Forgets what it holds.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// The buffer; `None` until it was first asked to hold something.
    pub fn get(&self) -> Option<&wgpu::Buffer> {
        self.buffer.as_ref()
    }

    /// Makes room for `bytes` in all. What it held moves along, by a copy in `encoder`.
    ///
    /// # Errors
    /// [`GpuFault::OutOfMemory`] beyond the allocator's limit.
    pub fn hold(
        &mut self,
        bytes: u64,
        from: &mut Allocator<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuFault> {
        let before = self.used;
        if bytes > self.size() || self.buffer.is_none() {
            if bytes > from.limit {
                let reason = format!("{} needs {bytes} bytes, and {} are allowed", self.label, from.limit);
                return Err(GpuFault::OutOfMemory { reason });
            }
            let size = bytes.next_power_of_two().clamp(LEAST.min(from.limit), from.limit).next_multiple_of(4);
            let new = from.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(self.label),
                size,
                usage: self.usage,
                mapped_at_creation: false,
            });
            *from.created += 1;
            if let Some(old) = self.buffer.as_ref().filter(|_| before > 0) {
                encoder.copy_buffer_to_buffer(old, 0, &new, 0, before);
            }
            self.buffer = Some(new);
            self.generation = MADE.fetch_add(1, Ordering::Relaxed);
        }
        self.used = self.used.max(bytes);
        Ok(())
    }
}
