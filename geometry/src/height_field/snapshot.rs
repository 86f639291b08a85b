//! A height field as plain data.

use serde::{Deserialize, Serialize};

use super::bit_set::BitSet;
use super::samples::Samples;
use super::{Diagonal, Diagonals, HeightField, HeightFieldError, HeightFieldSettings};

/// The data of a height field.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldData {
    size: [u32; 2],
    /// (m).
    spacing: [f32; 2],
    samples: SampleData,
    /// (m).
    #[serde(default)]
    bottom: Option<f32>,
    #[serde(default)]
    diagonals: DiagonalData,
    #[serde(default)]
    holes: Vec<bool>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SampleData {
    /// (m); none where there is no terrain, as many formats know no NaN.
    Heights(Vec<Option<f32>>),
    /// `base + step · q` (m).
    Quantized { values: Vec<u16>, base: f32, step: f32 },
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DiagonalData {
    #[default]
    Rising,
    Falling,
    PerCell(Vec<bool>),
}

impl FieldData {
    pub fn of(field: &HeightField) -> FieldData {
        let bits = |bits: &BitSet| (0..field.samples.len()).map(|k| bits.get(k)).collect::<Vec<bool>>();
        let samples = match &field.samples {
            Samples::F32(values) => {
                SampleData::Heights(values.iter().map(|h| Some(*h).filter(|h| !h.is_nan())).collect())
            }
            Samples::U16 { values, base, step } => {
                SampleData::Quantized { values: values.clone(), base: *base, step: *step }
            }
        };
        let diagonals = match &field.diagonals {
            Diagonal::Rising => DiagonalData::Rising,
            Diagonal::Falling => DiagonalData::Falling,
            Diagonal::PerCell(falls) => DiagonalData::PerCell(bits(falls)),
        };
        FieldData {
            size: field.size,
            spacing: field.spacing,
            samples,
            bottom: Some(field.bottom),
            diagonals,
            holes: field.holes.as_ref().map(bits).unwrap_or_default(),
        }
    }

    pub fn field(self) -> Result<HeightField, HeightFieldError> {
        let diagonals = match self.diagonals {
            DiagonalData::Rising => Diagonals::Rising,
            DiagonalData::Falling => Diagonals::Falling,
            DiagonalData::PerCell(falls) => Diagonals::PerCell(falls),
        };
        let settings =
            HeightFieldSettings { spacing: self.spacing, bottom: self.bottom, diagonals, holes: self.holes };
        match self.samples {
            SampleData::Heights(heights) => {
                let heights = heights.into_iter().map(|h| h.unwrap_or(f32::NAN)).collect();
                HeightField::new(self.size, heights, &settings)
            }
            SampleData::Quantized { values, base, step } => {
                HeightField::quantized(self.size, values, [base, step], &settings)
            }
        }
    }
}
