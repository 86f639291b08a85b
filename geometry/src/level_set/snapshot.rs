//! A level set as plain data.

use serde::{Deserialize, Serialize};

use super::samples::LevelSamples;
use super::{LevelSet, LevelSetError, LevelSetSettings};

/// The data of a level set.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LevelData {
    size: [u32; 3],
    /// (m).
    spacing: [f32; 3],
    /// (m).
    origin: [f32; 3],
    samples: SampleData,
}

/// x fastest, then y, then z.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SampleData {
    Values(Vec<f32>),
    /// `step · q`.
    Quantized {
        values: Vec<i16>,
        step: f32,
    },
}

impl LevelData {
    pub fn of(levels: &LevelSet) -> LevelData {
        let samples = match &levels.samples {
            LevelSamples::F32(values) => SampleData::Values(values.clone()),
            LevelSamples::I16 { values, step } => {
                SampleData::Quantized { values: values.clone(), step: *step }
            }
        };
        LevelData { size: levels.size, spacing: levels.spacing, origin: levels.origin, samples }
    }

    pub fn levels(self) -> Result<LevelSet, LevelSetError> {
        let settings = LevelSetSettings { spacing: self.spacing, origin: self.origin };
        match self.samples {
            SampleData::Values(values) => LevelSet::new(self.size, values, &settings),
            SampleData::Quantized { values, step } => LevelSet::quantized(self.size, values, step, &settings),
        }
    }
}
