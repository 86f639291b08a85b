//! Settings of a query that Python gives by keywords.

use impinge::{PairQuery, PreparedShape, QuerySettings};
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};

use crate::arrays::{floats, shape_text};
use crate::errors::{InvalidSetting, of_build};

/// Margins of contacts (m).
pub enum Margins {
    /// One for all pairs.
    All(f64),
    /// One for each pair.
    Each(Vec<f64>),
}

impl Margins {
    /// A number, or an array of one number for each pair.
    pub fn read(value: &Bound<'_, PyAny>) -> PyResult<Margins> {
        if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
            return value.extract().map(Margins::All);
        }
        let array = floats(value, "margin")?;
        match (array.shape(), array.as_slice()?) {
            ([], [one]) => Ok(Margins::All(*one)),
            ([_], each) => Ok(Margins::Each(each.to_vec())),
            (shape, _) => Err(InvalidSetting::new_err(format!(
                "margin has shape {}; it must be a number, or (K,) of one for each pair",
                shape_text(shape)
            ))),
        }
    }
}

/// Those of contacts.
pub struct ContactOptions {
    pub margins: Margins,
    pub resolution: u32,
    pub max_points: usize,
    pub max_manifolds: usize,
}

impl ContactOptions {
    /// Refuses margins that are not one for each of so many pairs; `None` is one pair that is not in a list.
    pub fn check(&self, pairs: Option<usize>) -> PyResult<()> {
        match &self.margins {
            Margins::Each(margins) if pairs != Some(margins.len()) => Err(InvalidSetting::new_err(format!(
                "margin has {} numbers, and there {}; give one for each pair of a list, or one number for all",
                margins.len(),
                match pairs {
                    Some(1) => "is 1 pair".to_owned(),
                    Some(count) => format!("are {count} pairs"),
                    None => "is one pair that is not in a list".to_owned(),
                }
            ))),
            _ => Ok(()),
        }
    }

    /// The query of a pair.
    pub fn query(&self, pair: usize, a: &PreparedShape, b: &PreparedShape) -> PyResult<PairQuery> {
        let margin = match &self.margins {
            Margins::All(margin) => *margin,
            Margins::Each(margins) => margins[pair],
        };
        let settings = QuerySettings::default()
            .margin(margin)
            .resolution(self.resolution)
            .max_points(self.max_points)
            .max_manifolds(self.max_manifolds);
        PairQuery::between(a, b).with_settings(settings).map_err(|error| of_build(&error))
    }
}
