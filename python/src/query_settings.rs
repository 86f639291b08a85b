//! Settings of a query that Python gives by keywords.

use impinge::{PairQuery, PreparedShape, QuerySettings};
use pyo3::prelude::*;

use crate::errors::of_build;

/// Those of contacts.
#[derive(Clone, Copy)]
pub struct ContactOptions {
    pub margin: f64,
    pub resolution: u32,
    pub max_points: usize,
    pub max_manifolds: usize,
}

impl ContactOptions {
    pub fn query(&self, a: &PreparedShape, b: &PreparedShape) -> PyResult<PairQuery> {
        let settings = QuerySettings::default()
            .margin(self.margin)
            .resolution(self.resolution)
            .max_points(self.max_points)
            .max_manifolds(self.max_manifolds);
        PairQuery::between(a, b).with_settings(settings).map_err(|error| of_build(&error))
    }
}
