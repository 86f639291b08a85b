//! The heights of a field, as they are stored.

/// Heights, row by row from y = 0 on.
#[derive(Clone, Debug)]
pub(super) enum Samples {
    /// As they are (m).
    F32(Vec<f32>),
    /// `base + step · q` (m), rounded after the product and after the sum.
    U16 { values: Vec<u16>, base: f32, step: f32 },
}

impl Samples {
    pub fn len(&self) -> usize {
        match self {
            Samples::F32(values) => values.len(),
            Samples::U16 { values, .. } => values.len(),
        }
    }

    /// A height (m); NaN where there is no terrain.
    #[inline]
    pub fn at(&self, index: usize) -> f32 {
        match self {
            Samples::F32(values) => values[index],
            Samples::U16 { values, base, step } => base + step * f32::from(values[index]),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        match self {
            Samples::F32(values) => values.capacity() * size_of::<f32>(),
            Samples::U16 { values, .. } => values.capacity() * size_of::<u16>(),
        }
    }
}
