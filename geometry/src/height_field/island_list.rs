//! The parts of a field that hang together.

/// The parts of a field.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    /// Of each, its lowest vertex.
    pub vertices: Vec<u32>,
    /// Of each, its first triangle.
    pub triangles: Vec<u32>,
    /// Of each sample its part; empty where there is one.
    pub of_samples: Vec<u32>,
}

impl Islands {
    pub fn bytes(&self) -> usize {
        (self.vertices.capacity() + self.triangles.capacity() + self.of_samples.capacity()) * size_of::<u32>()
    }
}
