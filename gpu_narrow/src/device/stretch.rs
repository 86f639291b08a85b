//! Timestamps of what is made of several passes.

/// Passes that are timed as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'c> {
    query_set: &'c wgpu::QuerySet,
    first: u32,
}

impl<'c> Stretch<'c> {
    /// One whose begin and end are the queries of these numbers: the first, and the one after it.
    pub fn new(query_set: &'c wgpu::QuerySet, first: u32) -> Stretch<'c> {
        Stretch { query_set, first }
    }

    /// A compute pass is all of it.
    pub fn is_compute(self) -> wgpu::ComputePassTimestampWrites<'c> {
        wgpu::ComputePassTimestampWrites {
            end_of_pass_write_index: Some(self.first + 1),
            ..self.begins_compute()
        }
    }

    /// A compute pass is its first.
    pub fn begins_compute(self) -> wgpu::ComputePassTimestampWrites<'c> {
        wgpu::ComputePassTimestampWrites {
            query_set: self.query_set,
            beginning_of_pass_write_index: Some(self.first),
            end_of_pass_write_index: None,
        }
    }

    /// A compute pass is its last.
    pub fn ends_compute(self) -> wgpu::ComputePassTimestampWrites<'c> {
        wgpu::ComputePassTimestampWrites {
            query_set: self.query_set,
            beginning_of_pass_write_index: None,
            end_of_pass_write_index: Some(self.first + 1),
        }
    }

    /// A draw is its last.
    pub fn ends_render(self) -> wgpu::RenderPassTimestampWrites<'c> {
        wgpu::RenderPassTimestampWrites {
            query_set: self.query_set,
            beginning_of_pass_write_index: None,
            end_of_pass_write_index: Some(self.first + 1),
        }
    }
}
