//! How samples are stored.

/// Samples, x fastest, then y, then z.
#[derive(Clone, Debug)]
pub(super) enum LevelSamples {
    F32(Vec<f32>),
    /// `step` times a whole number each, rounded once.
    I16 {
        values: Vec<i16>,
        step: f32,
    },
}

impl LevelSamples {
    pub fn len(&self) -> usize {
        match self {
            LevelSamples::F32(values) => values.len(),
            LevelSamples::I16 { values, .. } => values.len(),
        }
    }

    #[inline]
    pub fn at(&self, index: usize) -> f32 {
        match self {
            LevelSamples::F32(values) => values[index],
            LevelSamples::I16 { values, step } => step * f32::from(values[index]),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        match self {
            LevelSamples::F32(values) => values.capacity() * size_of::<f32>(),
            LevelSamples::I16 { values, .. } => values.capacity() * size_of::<i16>(),
        }
    }
}
